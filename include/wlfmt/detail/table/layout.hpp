// The columns of a table as they are written.
#ifndef WLFMT_DETAIL_TABLE_LAYOUT_HPP
#define WLFMT_DETAIL_TABLE_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "../../types/table.hpp"
#include "cell.hpp"
#include "edit.hpp"
#include "frames.hpp"
#include "print.hpp"
#include "schema.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The blanks between two columns, and after the last column.
inline constexpr std::size_t column_gap = 2;
// Three dashes are the least that the reader takes for a part of a rule.
inline constexpr std::size_t least_column_width = 3;
// The width of a column of numbers.
inline constexpr std::size_t default_column_width = 12;

// How many bytes before the end of its column a cell may store. The first column, which has nothing before it, is at
// least this wide, and any other column at least default_column_width.
inline constexpr std::size_t aligned_block = 16;

// A column as it is written.
struct written_column {
    std::size_t width;
    column_limit limit;
    table::unit unit;
    bool left_aligned;
    std::uint32_t mark;          // of the cells that were read in a column of this unit
    std::uint32_t most_aligned;  // the longest such cell that put_aligned() takes; 0 in a column of texts
};

// The columns of a table as they are written.
template <class Kernel>
class basic_table_layout {
public:
    explicit basic_table_layout(const table::summary& one)
        : swapped_(is_stack_and_flops(one.columns.data(), one.columns.size())) {
        columns_.reserve(one.columns.size());
        bool swapped_or_narrow = swapped_;
        for (std::size_t n = 0; n != one.columns.size(); ++n) {
            const table::column& c = one.columns[n];
            const column_limit limit = table_printing::limit_of(c, n == 0);
            const std::size_t width = width_of_column(one, n, limit);
            const bool numbers = c.unit != table::unit::text && c.unit != table::unit::source;
            const std::size_t most = !numbers ? 0 : width < aligned_block ? width : aligned_block;
            columns_.push_back(
                {width, limit, c.unit, c.left_aligned, cell_access::mark_of(c.unit), static_cast<std::uint32_t>(most)});
            if (c.left_aligned || width < (n == 0 ? aligned_block : default_column_width)) swapped_or_narrow = true;
        }
        width_ = width(columns_.size());
        aligned_ = !swapped_or_narrow && columns_.size() >= 2 && width_ <= most_aligned_width;
    }

    std::size_t size() const noexcept { return columns_.size(); }
    const written_column& operator[](std::size_t n) const noexcept { return columns_[n]; }
    const written_column* begin() const noexcept { return columns_.data(); }
    const written_column* end() const noexcept { return columns_.data() + columns_.size(); }
    // Whether rows are written by put_aligned(): every column is right-aligned and wide enough.
    bool aligned() const noexcept { return aligned_; }
    // Whether the last two columns have each other's cells.
    bool swapped() const noexcept { return swapped_; }
    // The width of a row, in 64 bits on every machine.
    std::uint64_t width() const noexcept { return width_; }
    // The width of the first columns.
    std::uint64_t width(std::size_t columns) const noexcept {
        std::uint64_t width = 0;
        for (std::size_t n = 0; n != columns; ++n) width += std::uint64_t{columns_[n].width} + column_gap;
        return width;
    }

    // The longest text of a column, in characters.
    static std::size_t longest_text(const table::summary& one, std::size_t n) {
        const table::column& c = one.columns[n];
        std::size_t longest = 0;
        const auto count = [&](std::string_view s) {
            const std::size_t characters = table_printing::width_of(s);
            if (characters > longest) longest = characters;
        };
        char buffer[max_value_chars];
        for (std::size_t at = n; at < one.size() * one.columns.size(); at += one.columns.size())
            count(table_printing::printed_cell(one.cells[at], c.unit, buffer));
        if (c.unit == table::unit::source)
            for (const table::frame_list& stack : one.frames)
                for (const std::string_view frame : stack) count(frame);
        return longest;
    }
    // The width that PyTorch gives a column with that limit whose longest text has so many characters.
    static std::size_t width_for(std::size_t longest, column_limit limit) noexcept {
        constexpr std::size_t padding = 4;
        return longest + padding < limit.most ? longest + padding : limit.most;
    }

private:
    // The width of a column: its own width, or the width that PyTorch would give it.
    static std::size_t width_of_column(const table::summary& one, std::size_t n, column_limit limit) {
        const table::column& c = one.columns[n];
        if (c.width != 0) return c.width < least_column_width ? least_column_width : c.width;
        if (limit.longer == column_limit::cut::none || (n != 0 && limit.longer == column_limit::cut::name))
            return default_column_width;
        return width_for(longest_text(one, n), limit);
    }

    // The width of a row that is written into the buffer in one piece.
    static constexpr std::uint64_t most_aligned_width = 960;

    std::vector<written_column> columns_;
    std::uint64_t width_ = 0;
    bool swapped_;
    bool aligned_;
};
using table_layout = basic_table_layout<kernel>;

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
