// What a reader of tables keeps between two rows.
#ifndef WLFMT_DETAIL_TABLE_STATE_HPP
#define WLFMT_DETAIL_TABLE_STATE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../types/table.hpp"
#include "../error/problems.hpp"
#include "runs.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

struct table_state {
    // What is at at_.
    enum class part : std::uint8_t { before_any, rows, totals, after_totals };
    // The bytes of a line in which a cell is expected.
    struct window {
        std::size_t end;       // of the column
        std::size_t begin;     // of the gap before it
        unsigned inside;       // of a number: which of the last 16 bytes are not before `begin`
        std::uint64_t blanks;  // of a text: the bytes before `end` that have to be blank
        std::uint64_t within;  // of a text: the bytes that belong to it
        table::unit unit;
    };

    // The first byte that belongs to no line read so far.
    const char* rest() const noexcept { return prefix_.empty() ? at_ : after_; }

    const char* at_;     // the next line, after its prefix
    const char* table_;  // the first line of this table, after its prefix
    const char* end_;
    const char* after_;  // the end of the line before it, where there are prefixes
    problems problems_;
    table::row row_;
    list<text> titles_;
    list<table::total> totals_;
    std::string_view prefix_ = {};        // of the lines to read; empty until a table is found, if any prefix will do
    std::string_view rule_ = {};          // the line above the header: the closing one is the same bytes as a rule
    std::string_view refused_rule_ = {};  // that of a table whose header was refused, until it is closed
    std::size_t column_count_ = 0;
    std::size_t title_count_ = 0;
    std::size_t total_count_ = 0;
    std::size_t source_ = 0;       // the column of source locations, or column_count_
    const char* ahead_ = nullptr;  // if runs_ already holds the line at at_: the line after it
    part part_ = part::before_any;
    bool any_prefix_;
    bool any_table_ = false;
    bool planned_ = false;          // windows_ are set: PyTorch's own layout
    bool orphans_ = false;          // stack frames that follow belong to a row that could not be read
    bool cut_ = false;              // the table's last row was cut, and that was reported
    bool stack_and_flops_ = false;  // the last two columns are swapped
    bool needs_values_ = false;     // a line with a name and nothing else is no row
    text title_items_[table::max_titles];
    table::total total_items_[table::max_totals];
    table::column column_items_[table::max_columns];
    column_span spans_[table::max_columns];
    window windows_[table::max_columns];
    table::cell cells_[table::max_columns];
    line_runs<table::max_columns> runs_;

    template <class Kernel>
    table_state(Kernel, std::string_view text, std::size_t mark_size, const options& how) noexcept
        : at_(text.data() + mark_size),
          table_(at_),
          end_(text.data() + text.size()),
          after_(at_),
          problems_(text, how),
          any_prefix_(how.prefix == any_prefix) {
        if (!any_prefix_) prefix_ = how.prefix;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
