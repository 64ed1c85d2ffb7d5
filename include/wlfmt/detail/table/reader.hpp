// Reading profiler summary tables: the operations of a reader on its state.
//
// A row is read on one of two paths with the same answers. The planned path (planned.hpp) looks for each cell where
// PyTorch's padding puts it. The general path (rows.hpp) splits the line into its runs and places these into the
// columns.
#ifndef WLFMT_DETAIL_TABLE_READER_HPP
#define WLFMT_DETAIL_TABLE_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/lines.hpp"
#include "../io/prefix.hpp"
#include "header.hpp"
#include "lines.hpp"
#include "place.hpp"
#include "planned.hpp"
#include "rows.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The reader's operations on its state.
template <class Way>
struct table_reading {
    using state = table_state;
    using part = state::part;
    using lines = table_lines<kernel>;
    using header = table_header<kernel>;
    using placing = table_place<kernel>;
    using planned = table_planned<kernel>;
    using rows = table_rows<kernel>;

    static void start(state& r) noexcept { lines::go_on(r, r.at_); }

    static bool next_table(state& r) noexcept {
        if (!r.problems_.ok()) return false;
        while (r.part_ == part::rows && rows::next_row_line(r, true)) continue;
        if (r.part_ == part::totals) rows::read_totals(r, true);
        if (r.part_ != part::before_any) r.part_ = part::after_totals;
        r.column_count_ = r.title_count_ = r.total_count_ = 0;
        header::show_lists(r);
        forget_prefix(r);
        while (r.at_ != r.end_) {
            const char* const begin = r.at_;
            line_cursor cursor(view(begin, r.end_));
            const std::string_view line = cursor.next();
            const char* const end_line = line.data() + line.size();
            const std::size_t prefix = r.any_prefix_ ? lines::rule_prefix_size(line) : 0;
            const char* const first = after_blanks(begin + (prefix != no_prefix ? prefix : 0), end_line);
            if (prefix != no_prefix && first != end_line && (*first == '-' || *first == '=')) {
                if (r.any_prefix_) r.prefix_ = line.substr(0, prefix);
                r.table_ = begin + prefix;
                // The closing rule of a table whose header was refused does not open a table with the lines after it.
                const bool closes =
                    line.substr(prefix) == std::exchange(r.refused_rule_, {}) && !header::opens_table(r, r.table_);
                if (!closes && header::begin_titled_table(r, r.table_)) return true;
                if (!r.problems_.ok()) return false;
                const bool gone_on = r.at_ != begin;
                forget_prefix(r);
                if (gone_on) continue;
            }
            lines::go_on(r, cursor.at());
            if (first == end_line || !r.problems_.how.strict) continue;
            const std::string_view foreign = without_blanks(line);
            if (!r.problems_.report(error_kind::foreign_text, foreign.data(), foreign.size(), "profiler table"))
                return false;
        }
        if (!r.any_table_ && !r.problems_.is_piece()) {
            r.any_table_ = true;
            r.problems_.refuse(error_kind::no_records, r.end_, 0, "profiler table");
        }
        return false;
    }

    WLFMT_INLINE static const table::row* next(state& r) noexcept {
        if (WLFMT_UNLIKELY(!r.problems_.ok())) return nullptr;
        if (WLFMT_UNLIKELY(r.part_ == part::before_any) && !next_table(r)) return nullptr;
        if (WLFMT_LIKELY(r.planned_ && r.part_ == part::rows)) {
            const char* after = planned::read_planned_row(r);
            if (WLFMT_LIKELY(after != nullptr)) {
                r.at_ = after;
                return &r.row_;
            }
        }
        while (r.part_ == part::rows && rows::next_row_line(r)) {
            r.row_.source = r.runs_.line;
            bool only_name = false;
            const bool placed = placing::place(r) && !(only_name = rows::is_only_name(r));
            if (WLFMT_UNLIKELY(!placed || rows::is_cut(r))) {
                r.orphans_ = true;
                r.cut_ = placed || (only_name && rows::ends_open(r));
                placed ? rows::report_cut(r) : rows::report_row(r);
                if (!r.problems_.ok()) return nullptr;
                continue;
            }
            if (WLFMT_UNLIKELY(r.stack_and_flops_)) rows::unswap(r);
            r.orphans_ = true;
            if (WLFMT_UNLIKELY(!rows::read_cells(r))) return nullptr;
            r.orphans_ = false;
            if (r.source_ != r.column_count_) rows::read_frames(r);
            return &r.row_;
        }
        if (r.part_ == part::totals) rows::read_totals(r, false);
        return nullptr;
    }

    static bool skip(state& r) noexcept {
        if (r.problems_.ok()) return false;
        // At the end, a missing rule may still have to be reported.
        if ((r.any_prefix_ ? r.rest() : r.at_) == r.end_ && !rows::is_open(r)) return false;
        r.problems_.first = {};
        return true;
    }

    static result<table::document> read_all(std::string_view text, const options& how) {
        state r(kernel(), text, prefixes::bom_size(text, how), how);
        start(r);
        table::document doc;
        while (next_table(r)) {
            doc.tables.emplace_back();
            table::summary& one = doc.tables.back();
            one.titles.assign(r.titles_.begin(), r.titles_.end());
            one.columns.assign(r.row_.columns.begin(), r.row_.columns.end());
            while (const table::row* shown = next(r)) {
                if (!shown->frames.empty()) {
                    one.frames.resize(one.size());
                    one.frames.push_back(shown->frames);
                }
                one.cells.insert(one.cells.end(), shown->cells.begin(), shown->cells.end());
                one.sources.push_back(shown->source);
            }
            one.totals.assign(r.totals_.begin(), r.totals_.end());
        }
        return {std::move(doc), r.problems_.first, r.problems_.ok()};
    }

    // The prefix with which the first table of a text begins: empty if that table has no prefix, without data if there
    // is no table.
    static std::string_view find_prefix(std::string_view text) noexcept {
        options how;
        how.prefix = any_prefix;
        how.lenient = true;
        state r(kernel(), text, prefixes::bom_size(text, how), how);
        start(r);
        if (!next_table(r)) return {};
        return r.prefix_.data() != nullptr ? r.prefix_ : text.substr(0, 0);
    }

    static std::string_view where(const table::row& r, std::string_view column_name) noexcept {
        const std::string_view text = r.find(column_name).text();
        const auto place = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
        const bool inside = !text.empty() && place(r.source.data()) <= place(text.data()) &&
                            place(text.data() + text.size()) <= place(r.source.data() + r.source.size());
        return inside ? text : std::string_view();
    }

private:
    // The next table may have another prefix.
    static void forget_prefix(state& r) noexcept {
        if (!r.any_prefix_) return;
        r.at_ = r.rest();
        r.prefix_ = {};
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
