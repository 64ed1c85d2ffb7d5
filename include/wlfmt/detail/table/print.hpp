// Prints values and texts as PyTorch does, and computes the widths of columns.
#ifndef WLFMT_DETAIL_TABLE_PRINT_HPP
#define WLFMT_DETAIL_TABLE_PRINT_HPP

#include "../../characters.hpp"
#include "../base/scan.hpp"
#include "../io/out.hpp"
#include "../number/write.hpp"
#include "cell.hpp"
#include "edit.hpp"
#include "phrases.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline constexpr std::size_t max_value_chars = max_fixed_chars + 8;

// The limit of a column without a width of its own, and how longer texts are cut.
struct column_limit {
    enum class cut : std::uint8_t { none, name, shapes, path };
    std::uint32_t size = 0;  // the greatest number of characters
    cut longer = cut::none;
    bool cuts(std::size_t characters) const noexcept { return longer != cut::none && characters > size; }
};

inline constexpr std::size_t max_cut_bytes = 80 * 4;  // characters of up to four bytes

struct table_printing {
    // Returns the unit in which a column prints a value; null if it prints the value as it is.
    static const printed_unit* find_unit(table::unit unit, double value) noexcept {
        switch (unit) {
        case table::unit::percent: return &percent_unit;
        case table::unit::microseconds: return &unit_for(value, time_units);
        case table::unit::bytes: return &unit_for(value < 0 ? -value : value, memory_units);
        case table::unit::flops: return &flops_unit;
        default: return nullptr;
        }
    }

    // Writes a value as PyTorch prints it in such a column, perhaps without all of its digits; nothing for a text.
    static char* write_as_pytorch(char* out, table::unit unit, const number& v) noexcept {
        if (v.is_none()) return write_bytes(out, "--", 2);
        const double value = v.value_or(0.0);
        const printed_unit* const in = find_unit(unit, value);
        const bool bare = unit == table::unit::microseconds || unit == table::unit::percent;
        if (!v.has_value() || in == nullptr || (bare && v.is_integer() && v == 0)) return write_number(out, v);
        if (in->decimals != 0) {
            out = write_fixed(out, value / in->size, in->decimals);
        } else {
            const auto whole = static_cast<std::int64_t>(value);
            const bool is_integer = static_cast<double>(whole) == value && bits_of(value) != sign_bit;
            out = is_integer ? write_integer(out, whole) : write_number(out, v);
        }
        return write_bytes(out, in->suffix.data(), in->suffix.size());
    }
    // Writes all digits of a value in the column's base unit: `3821.335us`. An integer 0 has no unit.
    static char* write_all_digits(char* out, table::unit unit, const number& v) noexcept {
        const std::string_view suffix = v.is_integer() && v == 0 ? "" : row_of(unit).base;
        char* end = write_number(out, v);
        if (!suffix.empty() && view(out, end).find('e') != std::string_view::npos) {  // no unit follows an exponent
            char* const plain = write_digits(out, out + max_fixed_chars, v.value_or(0.0), false, shortest);
            end = plain != nullptr ? plain : write_number(out, v);
        }
        return write_bytes(end, suffix.data(), suffix.size());
    }
    // Whether such a column reads the value from the text, be it as an integer or as a decimal.
    static bool says(std::string_view text, table::unit unit, const number& v) noexcept {
        number read;
        if (table_cells::read_any_cell(unit, text, read) != error_kind::none) return false;
        return v.is_integer() ? read == number_access::integer(v) : read == number_access::decimal(v);
    }

    // Whether PyTorch prints all digits of a value in such a column, in at most twelve characters; false if unsure.
    WLFMT_INLINE static bool is_short(table::unit unit, const number& v) noexcept {
        const double value = v.value_or(0.0);
        std::uint64_t digits = 0;
        if (const printed_unit* const in = find_unit(unit, value))
            return v.has_value() && few_exact_digits(value, in->times, in->over, in->few, digits);
        const bool plain = unit == table::unit::count || unit == table::unit::other;
        return plain && v.is_integer() && static_cast<std::uint64_t>(number_access::integer(v)) < 100000000000;
    }

    // Writes a value in its column's unit, in at most max_value_chars; nothing for a text. Writes it as PyTorch does if
    // that reads back, or if nothing does, which the check refuses; otherwise with all digits.
    static char* write_value(char* out, table::unit unit, const number& v) noexcept {
        if (table_cells::is_nan(v)) return write_bytes(out, "NaN", 3);
        char* const end = write_as_pytorch(out, unit, v);
        if (!v.has_value() || is_short(unit, v) || says(view(out, end), unit, v)) return end;
        char* const digits = write_all_digits(out, unit, v);
        return says(view(out, digits), unit, v) ? digits : write_as_pytorch(out, unit, v);
    }

    WLFMT_INLINE static std::size_t width_of(std::string_view s) noexcept {
        const char* p = s.data();
        const char* const end = p + s.size();
        std::uint64_t bits = 0;
        if (s.size() >= 8) {
            for (; end - p > 8; p += 8) bits |= load_eight(p);
            bits |= load_eight(end - 8);
        } else {
            for (; p != end; ++p) bits |= static_cast<unsigned char>(*p);
        }
        return WLFMT_LIKELY((bits & every_byte(0x80)) == 0) ? s.size() : count_characters(s);
    }

    // The number of bytes in the first n characters of a text, which must have at least as many.
    static std::size_t prefix_size(std::string_view s, std::size_t n) noexcept {
        std::size_t at = 0;
        for (; n != 0; --n) at += character_size(s, at);
        return at;
    }

    static column_limit limit_of(const table::column& c, bool first) noexcept {
        using cut = column_limit::cut;
        if (c.width != 0) return {};
        if (c.unit == table::unit::source) return {75, cut::path};
        if (c.name == "Input Shapes") return {80, cut::shapes};
        if (first || c.unit == table::unit::text) return {55, cut::name};
        return {};
    }

    static std::string_view cut_to(column_limit limit, std::string_view s, char* buffer) noexcept {
        using cut = column_limit::cut;
        if (!limit.cuts(s.size())) return s;
        const std::size_t width = width_of(s);
        if (!limit.cuts(width)) return s;
        if (limit.longer == cut::shapes) return without_blanks(s.substr(0, prefix_size(s, limit.size)));
        char* end;
        if (limit.longer == cut::name) {
            end = write_bytes(write_bytes(buffer, s.data(), prefix_size(s, limit.size - 3)), "...", 3);
        } else {
            const std::size_t dropped = prefix_size(s, width - limit.size + 3);
            end = write_bytes(write_bytes(buffer, "...", 3), s.data() + dropped, s.size() - dropped);
        }
        return view(buffer, end);
    }

    // The text of a cell in a column of that unit; `buffer` must have room for max_value_chars.
    WLFMT_INLINE static std::string_view printed_cell(const table::cell& c, table::unit unit, char* buffer) noexcept {
        if (WLFMT_LIKELY(!c.text().empty())) return c.text();
        if (c.value().is_text()) return c.value().text();
        return view(buffer, write_value(buffer, unit, c.value()));
    }
};

// Whether 16 bytes are printable ASCII (for tables, that includes DEL) without two adjacent spaces.
WLFMT_INLINE bool has_plain_words(const char* sixteen) noexcept {
    const byte_classes c = classify_sixteen(sixteen);
    return ((c.spaces & c.spaces >> 1) | c.others) == 0;
}
WLFMT_NOINLINE inline bool is_split_phrase(std::string_view text, std::size_t& characters, bool names) noexcept {
    table_phrases phrases;
    if (phrases.split_line(text, names) != 1) return false;
    characters = phrases.positions()[1];
    // A text with a colour is padded as if the colour took place in its line.
    return phrases.bytes[0] == 0 && phrases.bytes[1] == text.size() &&
           (phrases.plain || characters == count_characters(text));
}

// Whether a text is one phrase of a line, as the text of a cell must be. Counts its characters. `names`: in a header.
WLFMT_INLINE bool is_phrase(std::string_view text, std::size_t& characters, bool names = false) noexcept {
    constexpr std::size_t block = 16;
    characters = text.size();
    bool plain = false;
    if (WLFMT_LIKELY(text.size() >= block)) {
        // Neighbouring blocks share a byte, so that each pair of bytes is in one of them.
        const char* const last = text.data() + text.size() - block;
        plain = has_plain_words(last);
        for (const char* p = text.data(); plain && p < last; p += block - 1) plain = has_plain_words(p);
    } else if (WLFMT_LIKELY(text.size() >= 4)) {
        char padded[block];
        std::memset(padded, 'x', sizeof padded);
        if (text.size() >= 8) move_ends<8>(padded, text.data(), text.size());
        else move_ends<4>(padded, text.data(), text.size());
        plain = has_plain_words(padded);
    }
    if (WLFMT_LIKELY(plain)) return text.front() != ' ' && text.back() != ' ';
    return is_split_phrase(text, characters, names);
}

// PyTorch pads FLOPs as {:8.3f}. This is the number of blanks before them, which show in a left-aligned column.
inline std::size_t flops_padding(std::string_view text) noexcept {
    constexpr std::size_t width = 8;
    return text.size() < width && !is_missing_cell(text) ? width - text.size() : 0;
}

inline constexpr std::size_t least_column_width = 3;  // the fewest dashes that the reader takes for a group of a rule
// The width of a column of numbers, and the padding that PyTorch adds to the longest text of any other column.
inline constexpr std::size_t default_column_width = 12;
inline constexpr std::size_t text_padding = 4;

// The size of the blocks that aligned_row() stores before a column's end. The first column must be as wide.
inline constexpr std::size_t aligned_block = 16;

WLFMT_INLINE void store_sixteen_spaces(char* p) noexcept { std::memcpy(p, "                ", 16); }
// Writes n spaces, and up to 15 more bytes, for which there must be room; later writing overwrites them.
WLFMT_INLINE char* write_spaces(char* out, std::size_t n) noexcept {
    for (std::size_t at = 0; at < n; at += 16) store_sixteen_spaces(out + at);
    return out + n;
}

// A row of right-aligned cells is written from its last cell to its first. The blanks that a cell stores before its
// text may reach into the cells before it, which are written later. So most cells take only a store or two.

// Writes `size` blanks before `end`, and up to 15 more.
WLFMT_INLINE void put_spaces_before(char* end, std::size_t size) noexcept {
    for (std::size_t n = 0; n < size; n += aligned_block) store_sixteen_spaces(end - n - aligned_block);
}

// Stores 16 bytes: blanks, and a text of at most 16 bytes that a reader read in a column of numbers.
#if defined(WLFMT_SSE2)
// The 16 bytes that end with `text` may begin before it, but are inside the text that was read, as in rows.hpp.
WLFMT_INLINE void put_read_text(char* end, std::string_view text) noexcept {
    alignas(16) static constexpr char ramp[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const sse2::m128i spaces = sse2::set1_epi8(' ');
    const sse2::m128i bytes = sse2::xor_si128(load_sixteen(text.data() + text.size() - aligned_block), spaces);
    const sse2::m128i kept = sse2::and_si128(bytes, load_sixteen(ramp + text.size()));
    sse2::storeu_si128(end - aligned_block, sse2::xor_si128(kept, spaces));
}
#else
WLFMT_INLINE void put_read_text(char* end, std::string_view text) noexcept {
    store_sixteen_spaces(end - aligned_block);
    copy_text(end - text.size(), text);
}
#endif

// Stores 16 to 19 bytes: blanks, and then a value of few characters. If it returns false, they must be written again.
WLFMT_INLINE bool put_value(char* end, table::unit unit, const number& v) noexcept {
    std::uint64_t digits = 0;
    if (WLFMT_LIKELY(v.is_decimal())) {
        constexpr double greatest = 9999999;
        const double value = number_access::decimal(v);
        if (unit == table::unit::microseconds) {
            const printed_unit& in = unit_for(value, time_units);
            const double few = in.few < greatest ? in.few : greatest;
            if (WLFMT_UNLIKELY(!few_exact_digits(value, in.times, in.over, few, digits))) return false;
            std::memcpy(end - sizeof in.right, in.right, sizeof in.right);
            end -= in.suffix.size();
            store_eight(end - 16, every_byte(' '));
            write_right_aligned<3>(end, digits);
            return true;
        }
        if (unit != table::unit::percent || !few_exact_digits(value, 1, 100, greatest, digits)) return false;
        store_eight(end - 17, every_byte(' '));
        write_right_aligned<2>(end - 1, digits);
        end[-1] = '%';
        return true;
    }
    if (WLFMT_UNLIKELY(!v.is_integer())) return false;
    digits = static_cast<std::uint64_t>(number_access::integer(v));
    const bool few = digits < integer_powers_of_ten[8];
    const bool plain = unit == table::unit::count || unit == table::unit::other;
    const bool bare_zero = digits == 0 && (unit == table::unit::microseconds || unit == table::unit::percent);
    if (WLFMT_UNLIKELY(!few || !(plain || bare_zero))) return false;
    store_eight(end - 16, every_byte(' '));
    write_right_aligned<0>(end, digits);
    return true;
}

struct written_column {
    std::size_t width;
    column_limit limit;
    table::unit unit;
    bool left_aligned;
    std::uint32_t mark;         // the mark of cells that were read in a column of this unit
    std::uint32_t max_aligned;  // the size of the longest such cell that aligned_row() copies; 0: none
    column_limit limit_of(const table::cell& c) const noexcept {
        return c.text().empty() && c.value().has_value() ? column_limit() : limit;
    }
};

struct table_layout {
    std::vector<written_column> columns;
    bool swapped;             // the last two columns have each other's cells
    bool aligned;             // rows are written by aligned_row(): every column is right-aligned and wide enough
    std::uint64_t width = 0;  // the width of a row, with 64 bits on every machine

    explicit table_layout(const table::profile& table)
        : swapped(is_stack_and_flops(table.columns.data(), table.columns.size())) {
        constexpr std::uint64_t max_aligned_width = 960;  // the most that is written into the buffer at once
        columns.reserve(table.columns.size());
        aligned = !swapped && table.columns.size() >= 2;
        for (std::size_t n = 0; n != table.columns.size(); ++n) {
            const table::column& c = table.columns[n];
            const column_limit limit = table_printing::limit_of(c, n == 0);
            const std::size_t room = width_of_column(table, n, limit);
            const std::size_t longest = holds_texts(c.unit) ? 0 : room < aligned_block ? room : aligned_block;
            columns.push_back({room, limit, c.unit, c.left_aligned, cell_access::mark_of(c.unit),
                               static_cast<std::uint32_t>(longest)});
            if (c.left_aligned || room < (n == 0 ? aligned_block : default_column_width)) aligned = false;
            width += std::uint64_t{room} + column_gap;
        }
        if (width > max_aligned_width) aligned = false;
    }

    // The position of the cell that a row has in a column, and how many blanks, besides padding, precede its text.
    std::size_t cell_in(std::size_t column) const noexcept {
        return swapped && column + 2 >= columns.size() ? 2 * columns.size() - 3 - column : column;
    }
    std::size_t indent(std::size_t column, std::string_view text) const noexcept {
        return swapped && column + 2 == columns.size() ? flops_padding(text) : 0;
    }
    // Frames are in the last column, but their limit is that of source locations.
    column_limit frame_limit() const noexcept { return columns[columns.size() - (swapped ? 2 : 1)].limit; }

    // A column's longest text, in characters. `numbers`: its longest number, but at least PyTorch's width.
    static std::size_t longest_text(const table::profile& table, std::size_t n, bool numbers = false) {
        const table::unit unit = table.columns[n].unit;
        std::size_t longest = numbers ? default_column_width : 0;
        const auto count = [&](std::size_t characters) {
            if (characters > longest) longest = characters;
        };
        char buffer[max_value_chars];
        for (std::size_t at = n; at < table.size() * table.columns.size(); at += table.columns.size()) {
            const table::cell& c = table.cells[at];
            const bool short_value = c.text().empty() && table_printing::is_short(unit, c.value());
            if (numbers && (short_value || !c.value().has_value())) continue;
            const std::string_view text = table_printing::printed_cell(c, unit, buffer);
            count(numbers ? text.size() : table_printing::width_of(text));
        }
        if (!numbers && unit == table::unit::source)
            for (const table::frame_list& stack : table.frames)
                for (const std::string_view frame : stack) count(table_printing::width_of(frame));
        return longest;
    }

private:
    // The column's own width, or else the width that PyTorch would give it.
    static std::size_t width_of_column(const table::profile& table, std::size_t n, column_limit limit) {
        const table::column& c = table.columns[n];
        if (c.width != 0) return c.width < least_column_width ? least_column_width : c.width;
        if (limit.longer == column_limit::cut::none) return longest_text(table, n, true);
        if (n != 0 && limit.longer == column_limit::cut::name) return default_column_width;
        const std::size_t width = longest_text(table, n) + text_padding;
        return width < limit.size ? width : limit.size;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
