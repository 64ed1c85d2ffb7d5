// Rows whose cells are where PyTorch's padding puts them, read without splitting their lines.
#ifndef WLFMT_DETAIL_TABLE_PLANNED_HPP
#define WLFMT_DETAIL_TABLE_PLANNED_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "cell.hpp"
#include "plain.hpp"
#include "runs.hpp"
#include "schema.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

template <class Way>
struct table_planned {
    using state = table_state;
    using window = state::window;
    using unit = table::unit;
    using cell = table::cell;
    using cells = table_plain<kernel>;

    // A name is looked for among this many bytes before its column's end.
    static constexpr std::size_t text_reach = 64;
    // How many blanks there are between two columns.
    static constexpr std::size_t column_gap = 2;
    // No cell of a plain form has more characters than this: eight, a suffix of three and a sign.
    static constexpr std::size_t least_width = 12;

    // Prepares for rows in PyTorch's own layout: two blanks between columns that are right-aligned and have its units.
    static void plan(state& r) noexcept {
        bool numbers = false;
        std::size_t after = 0;
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const table::column& c = r.column_items_[n];
            const column_span s = r.spans_[n];
            const std::size_t width = s.end - s.begin;
            const std::size_t gap = s.begin - after;  // the first column's is the table's indentation
            if (c.left_aligned || (n != 0 && gap != column_gap)) return;
            window& w = r.windows_[n];
            w = {s.end, after, 0, 0, 0, c.unit};
            switch (c.unit) {
            case unit::text:
                if (gap + width > text_reach) return;
                w.within = ~std::uint64_t{0} << (text_reach - width);
                w.blanks = gap == 0 ? 0 : (~std::uint64_t{0} << (text_reach - width - gap)) & ~w.within;
                break;
            case unit::source:
            case unit::other: return;
            default:
                // A cell of a plain form is within its column then, and 16 bytes show that all before it is blank.
                if (n == 0 || width < least_width || gap + width > most_plain) return;
                w.inside = last_of_sixteen(gap + width);
                numbers = true;
            }
            after = s.end;
        }
        r.planned_ = has_plain_paths && numbers;
    }

    // Reads the row at at_ that way. Returns where the next line begins, or null if it is not such a row.
    WLFMT_INLINE static const char* read_planned_row(state& r) noexcept {
        const char* const begin = r.at_;
        const char* line = begin;
        const window* w = r.windows_;
        const window* const end_windows = w + r.column_count_;
        const std::size_t length = end_windows[-1].end;
        if (static_cast<std::size_t>(r.end_ - line) < length + 3 || line - r.problems_.text < 64) return nullptr;
        cell* c = r.cells_;
        for (; w != end_windows; ++w, ++c) {
            const char* const end = line + w->end;
            std::ptrdiff_t shift = 0;
            if (w->unit == unit::text) {
                shift = find_planned_text(*w, end, r.end_, *c);
            } else {
                if (WLFMT_LIKELY(cells::read_plain_cell(w->unit, end, w->inside, *c))) continue;
                shift = read_odd_cell(*w, end, r.end_, *c);
            }
            if (WLFMT_LIKELY(shift == 0)) continue;
            // The cell shifts everything after it to the right.
            line += shift;
            if (shift < 0 || static_cast<std::size_t>(r.end_ - line) < length + 3) return nullptr;
        }
        // A line with an empty name, or one that begins like a rule, may not be a row.
        const std::string_view name = r.cells_[0].text();
        if (WLFMT_UNLIKELY(name.empty() || name.front() == '-' || name.front() == '=')) return nullptr;
        // A line without its last cell may be a name and nothing else.
        if (WLFMT_UNLIKELY(r.cells_[r.column_count_ - 1].text().empty())) return nullptr;
        const char* p = line + length;
        if (p[0] == ' ' && p[1] == ' ') p += 2;
        r.row_.source = view(begin, p);
        if (p != r.end_ && *p == '\r') ++p;
        return p != r.end_ && *p == '\n' ? p + 1 : nullptr;
    }

    // Returned in place of the number of bytes by which a cell reaches over its column and shifts everything after it.
    static constexpr std::ptrdiff_t not_planned = -1;

    // Finds the text that ends at `end`: a single run, or nothing. Returns by how much it reaches further than planned,
    // or not_planned.
    WLFMT_INLINE static std::ptrdiff_t find_planned_text(const window& w, const char* end, const char* text_end,
                                                         cell& c) noexcept {
        const byte_classes bytes = classify(end - text_reach);
        const std::uint64_t text = ~bytes.spaces & w.within;
        c = cell();
        if ((~bytes.spaces & w.blanks) != 0) return not_planned;
        if (text == 0) return 0;
        const char* const begin = end - text_reach + trailing_zeros(text);
        if (WLFMT_UNLIKELY((bytes.others & w.within) != 0)) return find_wide_text(begin, end, text_end, c);
        const std::uint64_t gaps = bytes.spaces & (0 - (text & (0 - text)));
        if (text >> 63 == 0 || (gaps & gaps >> 1) != 0) return not_planned;
        cell_access::set(c, view(begin, end), number(), unit::text);
        return 0;
    }

    // The same for a text with characters of more than one byte.
    static std::ptrdiff_t find_wide_text(const char* begin, const char* end, const char* text_end, cell& c) noexcept {
        const char* p = begin;
        for (std::ptrdiff_t characters = end - begin; characters != 0; --characters) {
            if (p == text_end) return not_planned;
            const auto byte = static_cast<unsigned char>(*p);
            if (byte < 0x80 ? byte < ' ' || (byte == ' ' && p[-1] == ' ') : blank_size(p, text_end) != 0)
                return not_planned;
            p += character_size(view(p, text_end), 0);
        }
        if (p[-1] == ' ') return not_planned;
        cell_access::text(c) = view(begin, p);
        return p - end;
    }

    // Reads a cell without a value, of which a column may hold many: nothing, `0`, `--` or `NaN`. They come in no
    // particular order, so the comparisons are made without a branch between them.
    WLFMT_INLINE static bool read_missing_cell(const window& w, const char* end, cell& c) noexcept {
        constexpr std::uint64_t spaces = every_byte(' ');
        constexpr std::uint64_t zero = (spaces >> 8) | std::uint64_t{'0'} << 56;
        constexpr std::uint64_t dashes = (spaces >> 16) | std::uint64_t{'-' << 8 | '-'} << 48;
        constexpr std::uint64_t nan = (spaces >> 24) | std::uint64_t{'N' | 'a' << 8 | 'N' << 16} << 40;
        const std::size_t size = w.end - w.begin;
        const std::uint64_t last = load_eight(end - 8);
        const bool held = (last == spaces) | (last == zero) | (last == dashes) | (last == nan);
        if (!held || load_eight(end - (size < 16 ? size : 16)) != spaces) return false;
        const char* const begin = end - (3 * (last == nan) + 2 * (last == dashes) + (last == zero));
        cell_access::set(c, view(begin, end), last == zero ? number(0) : number(), w.unit);
        return true;
    }

    // Reads a cell of another form: nothing, `--`, a number with more digits. A cell that fills its column may reach
    // beyond it: returns by how much, or not_planned.
    static std::ptrdiff_t read_odd_cell(const window& w, const char* end, const char* text_end, cell& c) noexcept {
        if (read_missing_cell(w, end, c) || cells::read_negative_cell(w.unit, end, w.inside, c)) return 0;
        const char* const column = end - (w.end - w.begin - column_gap);
        if (column[-1] != ' ' || column[-2] != ' ') return not_planned;
        const char* begin = column;
        while (begin != end && *begin == ' ') ++begin;
        const char* stop = end;
        if (begin == column)
            while (text_end - stop >= 2 && (stop[0] > ' ' || (stop[0] == ' ' && stop[1] > ' '))) ++stop;
        cell_access::text(c) = view(begin, stop);
        return table_cells::read_any_cell(w.unit, c) == error_kind::none ? stop - end : not_planned;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
