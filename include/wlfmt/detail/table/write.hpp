// Writing profiler summary tables, byte for byte as PyTorch does.
#ifndef WLFMT_DETAIL_TABLE_WRITE_HPP
#define WLFMT_DETAIL_TABLE_WRITE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "../../table.hpp"
#include "../base/out.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "../number/write.hpp"
#include "cell.hpp"
#include "read.hpp"
#include "runs.hpp"

#include "../base/config.hpp"
#if defined(WLFMT_SSE2)
#include <emmintrin.h>
#endif

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// Values as PyTorch prints them.

inline constexpr std::size_t max_value_chars = max_fixed_chars + 8;

template <class Kernel = kernel>
inline char* write_time(char* out, double us) noexcept {
    const double unit = us >= 1e6 ? 1e6 : us >= 1e3 ? 1e3 : 1;
    out = write_fixed(out, us / unit, 3);
    if (us < 1e6) *out++ = us >= 1e3 ? 'm' : 'u';
    *out++ = 's';
    return out;
}

template <class Kernel = kernel>
inline char* write_memory(char* out, const number& v) noexcept {
    const double bytes = v.value_or(0);
    const double size = bytes < 0 ? -bytes : bytes;
    constexpr double kb = 1024;
    if (size < kb) {
        // PyTorch counts whole bytes.
        const auto whole = static_cast<std::int64_t>(bytes);
        out = static_cast<double>(whole) == bytes ? write_integer(out, whole) : write_number(out, v);
        return write_bytes(out, " B", 2);
    }
    const double unit = size >= kb * kb * kb ? kb * kb * kb : size >= kb * kb ? kb * kb : kb;
    out = write_fixed(out, bytes / unit, 2);
    return write_bytes(out, unit == kb ? " KB" : unit == kb * kb ? " MB" : " GB", 3);
}

template <class Kernel = kernel>
inline bool is_nan(const number& decimal) noexcept {
    return (bits_of(number_access::decimal(decimal)) & ~sign_bit) > infinity_bits;
}

// Writes a value in its column's unit; at most max_value_chars. Nothing for a text, which is for the caller to write.
template <class Kernel = kernel>
inline char* write_value(char* out, table::unit unit, const number& v) noexcept {
    if (WLFMT_LIKELY(v.is_decimal())) {
        if (WLFMT_UNLIKELY(is_nan(v))) return write_bytes(out, "NaN", 3);
    } else {
        if (v.is_none()) return write_bytes(out, "--", 2);
        const bool time_or_percent = unit == table::unit::microseconds || unit == table::unit::percent;
        if (!v.is_integer() || (number_access::integer(v) == 0 && time_or_percent)) return write_number(out, v);
    }
    switch (unit) {
    case table::unit::percent:
        out = write_fixed(out, v.value_or(0), 2);
        *out++ = '%';
        return out;
    case table::unit::microseconds: return write_time(out, v.value_or(0));
    case table::unit::bytes: return write_memory(out, v);
    case table::unit::flops: return write_fixed(out, v.value_or(0), 3);
    default: return write_number(out, v);
    }
}

// Texts.

// The width of a text in characters.
template <class Kernel = kernel>
WLFMT_INLINE std::size_t width_of(std::string_view s) noexcept {
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

// The bytes of the first n characters of a text that has more.
template <class Kernel = kernel>
inline std::size_t prefix_size(std::string_view s, std::size_t n) noexcept {
    std::size_t at = 0;
    for (; n != 0; --n) at += character_size(s, at);
    return at;
}

// How a column without a width of its own gets one, and what becomes of a longer text.
struct column_limit {
    enum class cut : std::uint8_t { none, name, shapes, path };
    std::size_t most;  // characters
    cut longer;
};

template <class Kernel = kernel>
inline column_limit limit_of(const table::column& c, bool first) noexcept {
    using cut = column_limit::cut;
    if (c.width != 0) return {0, cut::none};
    if (c.unit == table::unit::source) return {75, cut::path};
    if (c.name == "Input Shapes") return {80, cut::shapes};
    if (first || c.unit == table::unit::text) return {55, cut::name};
    return {0, cut::none};
}

// A text as PyTorch cuts it to a limit; `buffer` has room for the limit's characters.
inline constexpr std::size_t max_cut_bytes = 80 * 4;
template <class Kernel = kernel>
inline std::string_view cut_to(column_limit limit, std::string_view s, char* buffer) noexcept {
    using cut = column_limit::cut;
    if (limit.longer == cut::none || s.size() <= limit.most) return s;
    const std::size_t width = width_of(s);
    if (width <= limit.most) return s;
    if (limit.longer == cut::shapes) return without_blanks(s.substr(0, prefix_size(s, limit.most)));
    char* end;
    if (limit.longer == cut::name) {
        const std::size_t kept = prefix_size(s, limit.most - 3);
        end = write_bytes(write_bytes(buffer, s.data(), kept), "...", 3);
    } else {
        const std::size_t dropped = prefix_size(s, width - limit.most + 3);
        end = write_bytes(write_bytes(buffer, "...", 3), s.data() + dropped, s.size() - dropped);
    }
    return view(buffer, end);
}

// Tables.

// Between columns, and after the last one.
inline constexpr std::size_t column_gap = 2;
// Three dashes are the least that the reader takes for a part of a rule.
inline constexpr std::size_t least_column_width = 3;
// The width of a column of numbers.
inline constexpr std::size_t default_column_width = 12;

// Writes n spaces, and up to 15 bytes more, which later writing overwrites: the caller has room for them.
template <class Kernel = kernel>
WLFMT_INLINE char* write_spaces(char* out, std::size_t n) noexcept {
    for (std::size_t at = 0; at < n; at += 16) std::memcpy(out + at, "                ", 16);
    return out + n;
}

// Right-aligned cells.
//
// A row whose cells are right-aligned is written from its last cell to its first: what a cell stores before its text
// are blanks, which belong to its column, to the gap before it and to the cells before that one, which are written
// after it. So a cell takes a store or two, whatever its length.

// How many bytes before the end of its column a cell may store. The first column, which has nothing before it, is at
// least this wide, and any other column at least default_column_width.
inline constexpr std::size_t aligned_block = 16;

WLFMT_INLINE void store_sixteen_spaces(char* p) noexcept { std::memcpy(p, "                ", 16); }
// Blanks before `end`: `size` of them, and up to 15 more.
template <class Kernel = kernel>
WLFMT_INLINE void put_spaces_before(char* end, std::size_t size) noexcept {
    for (std::size_t n = 0; n < size; n += aligned_block) store_sixteen_spaces(end - n - aligned_block);
}

// Stores the text of a cell of numbers that a reader has read, of at most 16 bytes, and blanks before it: 16 bytes.
#if defined(WLFMT_SSE2)
// Loads the 16 bytes before the text's end, which may begin before the text. They are inside the text that was read all
// the same: a row comes after a rule, a header and another rule, which together are longer than 16 bytes.
template <class Kernel = kernel>
WLFMT_INLINE void put_read_text(char* end, std::string_view text) noexcept {
    alignas(16) static constexpr char ramp[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const __m128i spaces = _mm_set1_epi8(' ');
    const __m128i bytes = _mm_xor_si128(load_sixteen(text.data() + text.size() - aligned_block), spaces);
    const __m128i kept = _mm_and_si128(bytes, load_sixteen(ramp + text.size()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(end - aligned_block), _mm_xor_si128(kept, spaces));
}
#else
template <class Kernel = kernel>
WLFMT_INLINE void put_read_text(char* end, std::string_view text) noexcept {
    store_sixteen_spaces(end - aligned_block);
    copy_text(end - text.size(), text);
}
#endif

// Stores a value that is printed with few characters in its column's unit, and blanks before it: 16 to 18 bytes.
// Returns false for any other value; what is before `end` has then to be written again.
template <class Kernel = kernel>
WLFMT_INLINE bool put_value(char* end, table::unit unit, const number& v) noexcept {
    std::uint64_t digits = 0;
    if (WLFMT_LIKELY(v.is_decimal())) {
        const double value = number_access::decimal(v);
        if (unit == table::unit::microseconds) {
            static constexpr double units[] = {1, 1e3, 1e6};
            static constexpr char suffixes[] = "usmss ";
            const int n = (value >= 1e3) + (value >= 1e6);
            if (WLFMT_UNLIKELY(!few_fixed_digits(value / units[n], 1000, digits))) return false;
            end -= n == 2 ? 1 : 2;
            store_eight(end - 16, every_byte(' '));
            write_right_aligned<3>(end, digits);
            std::memcpy(end, suffixes + 2 * n, 2);  // after `s` comes a blank of the gap
            return true;
        }
        if (unit != table::unit::percent || !few_fixed_digits(value, 100, digits)) return false;
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

// The text of a cell as it is written in a column of that unit; `buffer` has room for max_value_chars.
template <class Kernel = kernel>
WLFMT_INLINE std::string_view printed_cell(const table::cell& c, table::unit unit, char* buffer) noexcept {
    if (WLFMT_LIKELY(!c.text().empty())) return c.text();
    if (c.value().is_text()) return c.value().text();
    return view(buffer, write_value(buffer, unit, c.value()));
}

// PyTorch formats FLOPs as {:8.3f}, which shows where the column is left-aligned: how many blanks are before them.
template <class Kernel = kernel>
inline std::size_t flops_padding(std::string_view text) noexcept {
    constexpr std::size_t width = 8;
    return text.size() < width && !is_missing_cell(text) ? width - text.size() : 0;
}

// A column as it is written.
struct written_column {
    std::size_t width;
    column_limit limit;
    table::unit unit;
    bool left_aligned;
    std::uint32_t mark;          // of the cells that were read in a column of this unit
    std::uint32_t most_aligned;  // how long such a cell may be for put_aligned(); 0 in a column of texts
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
            const column_limit limit = limit_of(c, n == 0);
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
            const std::size_t characters = width_of(s);
            if (characters > longest) longest = characters;
        };
        char buffer[max_value_chars];
        for (std::size_t at = n; at < one.size() * one.columns.size(); at += one.columns.size())
            count(printed_cell(one.cells[at], c.unit, buffer));
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
    // The width of a column: its own, or the one PyTorch would give it.
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

template <class Sink>
class table_writer {
public:
    table_writer(out<Sink>& to, const table::summary& one, const table_layout& columns)
        : to_(to), one_(one), columns_(columns) {}

    void write() {
        titles();
        rule();
        for (std::size_t n = 0; n != columns_.size(); ++n) cell(one_.columns[n].name, columns_[n]);
        to_.put('\n');
        rule();
        const bool stacks = one_.find_column("Source Location") != columns_.size();
        for (std::size_t n = 0; n != one_.size(); ++n) {
            row(one_.cells.data() + n * columns_.size());
            if (!stacks) continue;
            if (n < one_.frames.size()) frames(one_.frames[n]);
            repeat(' ', columns_.width());
            to_.put('\n');
        }
        rule();
        for (const table::total& t : one_.totals) {
            to_.text(t.name);
            to_.literal(": ");
            to_.text(printed_cell(t.value, table::unit::microseconds, value_));
            to_.put('\n');
        }
    }

private:
    void repeat(char c, std::uint64_t n) {
        constexpr std::size_t piece = std::size_t{1} << 20;
        for (; n > piece; n -= piece) to_.repeat(c, piece);
        to_.repeat(c, static_cast<std::size_t>(n));
    }
    void titles() {
        const std::uint64_t length = columns_.width();
        for (const std::string_view title : one_.titles) {
            repeat('=', length > column_gap ? length - column_gap : 0);
            to_.put('\n');
            to_.text(title);
            to_.put('\n');
        }
    }
    void rule() {
        for (std::size_t n = 0; n != columns_.size(); ++n) {
            to_.repeat('-', columns_[n].width);
            to_.literal("  ");
        }
        to_.put('\n');
    }

    WLFMT_INLINE void cell(std::string_view text, const written_column& c) { cell(text, width_of(text), c); }
    WLFMT_INLINE void cell(std::string_view text, std::size_t characters, const written_column& c) {
        const std::size_t padding = characters < c.width ? c.width - characters : 0;
        const std::size_t before = c.left_aligned ? 0 : padding;
        const std::size_t after = c.left_aligned ? padding : 0;
        constexpr std::size_t slack = 16;
        // In 64 bits, as a width may be any number of 32.
        const std::uint64_t room = std::uint64_t{text.size()} + padding + column_gap + slack;
        if (WLFMT_UNLIKELY(room > to_.most_room)) {
            to_.repeat(' ', before);
            to_.text(text);
            to_.repeat(' ', after);
            return to_.repeat(' ', column_gap);
        }
        char* p = write_spaces(to_.room(static_cast<std::size_t>(room)), before);
        to_.take(write_spaces(copy_text(p, text), after + column_gap));
    }

    WLFMT_INLINE void row(const table::cell* cells) {
        if (WLFMT_UNLIKELY(!columns_.aligned() || !aligned_row(cells))) any_row(cells);
    }

    // Returns false if the row is not to be written so; nothing is then written.
    WLFMT_INLINE bool aligned_row(const table::cell* cells) {
        const auto width = static_cast<std::size_t>(columns_.width());
        char* const begin = to_.room(width + 1);
        char* end = begin + width;
        *end = '\n';
        store_sixteen_spaces(end - aligned_block);
        const written_column* const first = columns_.begin();
        const written_column* column = columns_.end();
        for (const table::cell* one = cells + columns_.size(); --column != first;) {
            --one;
            end -= column_gap;
            const std::string_view text = one->text();
            if (WLFMT_LIKELY(text.size() - 1 < column->most_aligned && cell_access::is_marked(*one, column->mark))) {
                put_read_text(end, text);
            } else if (WLFMT_UNLIKELY(!text.empty() || !put_value(end, column->unit, one->value()))) {
                if (!put_text(end, *one, *column)) return false;
                end -= column->width;
                continue;
            }
            if (WLFMT_UNLIKELY(column->width > aligned_block - column_gap))
                put_spaces_before(end - aligned_block, column->width + column_gap - aligned_block);
            end -= column->width;
        }
        // Nothing may be stored before the first column.
        const std::string_view text = printed_cell(*cells, column->unit, value_);
        if (WLFMT_UNLIKELY(text.size() > column->width || width_of(text) != text.size())) return false;
        end -= column_gap;
        for (char* p = begin; end - p > static_cast<std::ptrdiff_t>(aligned_block); p += aligned_block)
            store_sixteen_spaces(p);
        store_sixteen_spaces(end - aligned_block);
        copy_text(end - text.size(), text);
        to_.take(begin + width + 1);
        return true;
    }
    // Any cell but the first one. Returns false if it has not as many bytes as characters, or more than its column.
    bool put_text(char* end, const table::cell& one, const written_column& column) noexcept {
        const std::string_view text = printed_cell(one, column.unit, value_);
        if (text.size() > column.width || width_of(text) != text.size()) return false;
        put_spaces_before(end, column.width + column_gap);
        copy_text(end - text.size(), text);
        return true;
    }

    void any_row(const table::cell* cells) {
        const written_column* const swapped = columns_.end() - (columns_.swapped() ? 2 : 0);
        const table::cell* one = cells;
        for (const written_column* c = columns_.begin(); c != swapped; ++c, ++one) {
            if (one->text().empty() && one->value().has_value()) {
                const std::string_view printed = view(value_, write_value(value_, c->unit, one->value()));
                cell(printed, printed.size(), *c);
            } else {
                cell(printed(*one, *c), *c);
            }
        }
        if (swapped != columns_.end()) {
            flops(printed(one[1], swapped[1]), swapped[0]);
            cell(printed(one[0], swapped[0]), swapped[1]);
        }
        to_.put('\n');
    }
    WLFMT_INLINE std::string_view printed(const table::cell& c, const written_column& column) noexcept {
        const std::string_view text = printed_cell(c, column.unit, value_);
        if (WLFMT_LIKELY(column.limit.longer == column_limit::cut::none)) return text;
        return cut_to(column.limit, text, cut_);
    }

    void flops(std::string_view text, const written_column& c) {
        const std::size_t before = flops_padding(text);
        if (before == 0) return cell(text, c);
        char padded[8];
        std::memset(padded, ' ', sizeof padded);
        std::memcpy(padded + before, text.data(), text.size());
        cell(view(padded, padded + sizeof padded), c);
    }

    // The further frames of a row, in the last column.
    void frames(const table::frame_list& stack) {
        const std::size_t last = columns_.size() - 1;
        const column_limit limit = columns_[columns_.swapped() ? last - 1 : last].limit;
        for (const std::string_view frame : stack) {
            repeat(' ', columns_.width(last));
            cell(cut_to(limit, frame, cut_), columns_[last]);
            to_.put('\n');
        }
    }

    out<Sink>& to_;
    const table::summary& one_;
    const table_layout& columns_;
    char value_[max_value_chars];
    char cut_[max_cut_bytes];
};

// Checking that a table reads back as it is.

// Is a text one run of a line, so that a reader takes it for one cell: words joined by single spaces? `names`: by
// single blanks of any kind, as in a header.
template <class Kernel = kernel>
inline bool is_any_run(std::string_view text, bool names) noexcept {
    const char* const end = text.data() + text.size();
    bool blank_before = true;
    for (const char* p = text.data(); p != end;) {
        const std::size_t blank = blank_size(p, end);
        if (blank != 0 && (blank_before || *p == '\n' || (*p != ' ' && !names))) return false;
        blank_before = blank != 0;
        p += blank != 0 ? blank : character_size(view(p, end), 0);
    }
    return !blank_before;
}

// Which bytes of a word are spaces: the highest bit of each.
template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t spaces_of(std::uint64_t word) noexcept {
    const std::uint64_t x = word ^ every_byte(' ');
    return ~(((x & every_byte(0x7F)) + every_byte(0x7F)) | x) & every_byte(0x80);
}
// Which bytes of a word are not printable ASCII. DEL counts as printable: tables take it for an ordinary character.
template <class Kernel = kernel>
WLFMT_INLINE std::uint64_t others_of(std::uint64_t word) noexcept {
    return (~((word & every_byte(0x7F)) + every_byte(0x60)) | word) & every_byte(0x80);
}

// Of a text of 9 bytes or more: has it neither two spaces in a row nor anything but printable ASCII? Looks at each byte
// with the one after it.
#if defined(WLFMT_SSE2)
// As signed bytes the ones from 0x80 on are below the space, too.
template <class Kernel = kernel>
WLFMT_INLINE __m128i bytes_beside_words(__m128i bytes, __m128i next) noexcept {
    const __m128i space = _mm_set1_epi8(' ');
    const __m128i pairs = _mm_and_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(next, space));
    return _mm_or_si128(pairs, _mm_cmplt_epi8(bytes, space));
}
template <class Kernel = kernel>
WLFMT_INLINE bool has_plain_words(std::string_view text) noexcept {
    const char* p = text.data();
    const __m128i space = _mm_set1_epi8(' ');
    if (text.size() < 17) {
        // The first eight pairs of neighbours and the last eight.
        const char* const last = p + text.size() - 9;
        const __m128i bytes = load_eights(p, last);
        const __m128i next = load_eights(p + 1, last + 1);
        const __m128i found = bytes_beside_words(bytes, next);
        return _mm_movemask_epi8(_mm_or_si128(found, _mm_cmplt_epi8(next, space))) == 0;
    }
    const char* const last = p + text.size() - 17;
    const __m128i end = load_sixteen(last + 1);
    const __m128i before = load_sixteen(last);
    __m128i found = _mm_or_si128(bytes_beside_words(before, end), _mm_cmplt_epi8(end, space));
    for (; p < last; p += 16) {
        const __m128i bytes = load_sixteen(p);
        const __m128i next = load_sixteen(p + 1);
        found = _mm_or_si128(found, bytes_beside_words(bytes, next));
    }
    return _mm_movemask_epi8(found) == 0;
}
#else
template <class Kernel = kernel>
WLFMT_INLINE bool has_plain_words(std::string_view text) noexcept {
    const char* const last = text.data() + text.size() - 9;
    std::uint64_t found = others_of(load_eight(last)) | others_of(load_eight(last + 1)) |
                          (spaces_of(load_eight(last)) & spaces_of(load_eight(last + 1)));
    for (const char* p = text.data(); p < last; p += 8) {
        const std::uint64_t word = load_eight(p);
        found |= others_of(word) | (spaces_of(word) & spaces_of(load_eight(p + 1)));
    }
    return found == 0;
}
#endif

// The same as is_any_run() for a cell of a row, but several bytes at a time if the text is printable ASCII.
template <class Kernel = kernel>
WLFMT_INLINE bool is_run(std::string_view text, std::size_t& characters) noexcept {
    characters = text.size();
    if (WLFMT_LIKELY(text.size() > 8)) {
        if (WLFMT_LIKELY(has_plain_words(text))) return text.front() != ' ' && text.back() != ' ';
    } else if (WLFMT_LIKELY(text.size() >= 4)) {
        // Two halves, which overlap where there are fewer than eight bytes.
        char halves[8];
        std::memcpy(halves, text.data(), 4);
        std::memcpy(halves + 4, text.data() + text.size() - 4, 4);
        const std::uint64_t word = load_eight(halves);
        const std::uint64_t spaces = spaces_of(word);
        const std::uint64_t ends = std::uint64_t{0x80} << 56 | 0x80;
        if (WLFMT_LIKELY((others_of(word) | (spaces & spaces >> 8) | (spaces & ends)) == 0)) return true;
    }
    characters = width_of(text);
    return is_any_run(text, false);
}

// How many groups of three or more dashes a text consists of, as a rule does; 0 for any other text.
template <class Kernel = kernel>
inline std::size_t count_dash_groups(std::string_view text) noexcept {
    const char* p = text.data();
    const char* const end = p + text.size();
    for (std::size_t groups = 0;; ++groups) {
        p = after_blanks(p, end);
        if (p == end) return groups;
        const char* const begin = p;
        while (p != end && (*p == '-' || *p == '=')) ++p;
        if (p - begin < 3 || (p != end && blank_size(p, end) == 0)) return 0;
    }
}

// A line as it will be written: where its texts will be, in characters, and in which columns. place_runs() places them
// as it places the runs of a line that was read.
template <class Kernel>
class basic_written_line {
public:
    explicit basic_written_line(const table_layout& columns, const column_span* spans) noexcept
        : columns_(columns), spans_(spans) {}

    // Puts a text into the next column, with `before` blanks of its own before it.
    void put(std::string_view text, std::size_t characters, std::size_t before = 0) noexcept {
        const written_column& c = columns_[column_];
        const std::size_t size = before + characters;
        const std::size_t padding = size < c.width ? c.width - size : 0;
        if (!text.empty()) {
            at_[2 * runs_] = cursor_ + (c.left_aligned ? 0 : padding) + before;
            at_[2 * runs_ + 1] = at_[2 * runs_] + characters;
            column_of_[runs_++] = column_;
            if (all_dashes_) {
                const std::size_t groups = count_dash_groups(text);
                all_dashes_ = groups != 0;
                groups_ += groups;
            }
        }
        cursor_ += size + padding + column_gap;
        ++column_;
    }

    // Does the line look like a rule?
    bool is_rule() const noexcept { return runs_ != 0 && all_dashes_ && groups_ >= 2; }
    // Does every text get back into its own column?
    bool goes_back(bool aligned) noexcept {
        if (!place_runs(*this, aligned)) return false;
        for (std::size_t run = 0; run != runs_; ++run)
            if (taken_by_[run] != column_of_[run]) return false;
        return true;
    }

    // What place_runs() asks a row for.
    std::size_t columns() const noexcept { return columns_.size(); }
    std::size_t runs() const noexcept { return runs_; }
    const std::size_t* positions() const noexcept { return at_; }
    column_span span(std::size_t n) const noexcept { return spans_[n]; }
    bool is_left_aligned(std::size_t n) const noexcept { return columns_[n].left_aligned; }
    void take(std::size_t column, std::size_t run) noexcept { taken_by_[run] = column; }
    void take_nothing(std::size_t) const noexcept {}

private:
    const table_layout& columns_;
    const column_span* spans_;
    std::size_t runs_ = 0;
    std::size_t column_ = 0;
    std::size_t cursor_ = 0;
    std::size_t groups_ = 0;
    bool all_dashes_ = true;
    std::size_t at_[2 * table::max_columns];
    std::size_t column_of_[table::max_columns];
    std::size_t taken_by_[table::max_columns];
};
using written_line = basic_written_line<kernel>;

// Finds what keeps a table from reading back as it is, without writing it. It looks at each text and value by itself;
// if one may be wider than its column, it computes where the texts of the row would be and places them as the reader
// does.
template <class Kernel>
class basic_table_check {
public:
    basic_table_check(const table::summary& one, const table_layout& columns) noexcept : one_(one), columns_(columns) {}

    error problem() {
        const std::string_view field = find();
        error e;
        if (field.data() == nullptr) return e;
        e.kind = too_wide_ ? error_kind::too_wide : error_kind::unwritable;
        e.field = field;
        e.found = static_cast<std::int64_t>(row_);
        return e;
    }

private:
    static constexpr std::string_view none = {};
    static constexpr std::string_view rows = "rows";

    std::string_view name_of(std::size_t n) const noexcept {
        return one_.columns[n].name.empty() ? "columns" : one_.columns[n].name;
    }

    // The name of the first thing that is wrong; a view without data if nothing is.
    std::string_view find() {
        const std::size_t count = columns_.size();
        if (count < 2 || count > table::max_columns || one_.cells.size() % count != 0) return "columns";
        if (is_too_wide()) {
            too_wide_ = true;
            return "columns";
        }
        std::size_t at = 0;
        for (std::size_t n = 0; n != count; ++n) {
            spans_[n] = {at, at + columns_[n].width};
            at = spans_[n].end + column_gap;
            usual_[n] = usual_cells_of(columns_[n]);
        }
        if (!titles_read_back()) return "titles";
        source_ = one_.find_column("Source Location");
        std::string_view field = header();
        const table::cell* const end = one_.cells.data() + one_.cells.size();
        for (const table::cell* cells = one_.cells.data(); cells != end && field.data() == nullptr; cells += count) {
            const bool usual = is_usual_row(cells, count) && !columns_.swapped();
            if (WLFMT_LIKELY(usual && one_.frames.empty())) continue;
            row_ = static_cast<std::size_t>(cells - one_.cells.data()) / count;
            if (!usual) field = row(cells);
            if (field.data() == nullptr && row_ < one_.frames.size() && !frames_read_back(one_.frames[row_]))
                field = "Source Location";
        }
        if (field.data() != nullptr) return field;
        row_ = 0;
        if (one_.frames.size() > one_.size()) return rows;
        return totals_read_back() ? none : "totals";
    }

    // More padding than table::max_padding allows, or than this machine has addresses for?
    bool is_too_wide() const {
        const std::uint64_t width = columns_.width();
        if (width > (std::numeric_limits<std::size_t>::max)() / 4) return true;
        const bool stacks = one_.find_column("Source Location") != columns_.size();
        std::uint64_t lines = one_.size();
        if (stacks) lines *= 2;
        std::uint64_t text = width;
        for (const table::frame_list& stack : one_.frames)
            for (const std::string_view frame : stack) {
                ++lines;
                text += frame.size();
            }
        if (lines <= table::max_free_padding / width) return false;
        for (const table::cell& c : one_.cells)
            text += !c.text().empty() ? c.text().size() : !c.value().is_missing() ? 1 + c.value().text().size() : 0;
        return lines > (text * table::max_padding + table::max_free_padding) / width;
    }

    bool titles_read_back() const noexcept {
        if (one_.titles.size() > table::max_titles) return false;
        for (const std::string_view t : one_.titles) {
            const bool caption = !t.empty() && t.find('\n') == std::string_view::npos && without_blanks(t) == t;
            if (!caption || is_title_rule(t) || count_dash_groups(t) >= 2) return false;
        }
        return true;
    }

    bool totals_read_back() noexcept {
        if (one_.totals.size() > table::max_totals) return false;
        for (std::size_t n = 0; n != one_.totals.size(); ++n) {
            const table::total& t = one_.totals[n];
            for (std::size_t before = 0; before != n; ++before)
                if (one_.totals[before].name == t.name) return false;
            const std::string_view printed = printed_cell(t.value, table::unit::microseconds, value_);
            const bool word = !printed.empty() && !has_blank(printed);
            if (!word || !is_total_name(t.name) || !cell_reads_back(t.value, table::unit::microseconds)) return false;
        }
        return true;
    }

    std::string_view header() noexcept {
        const std::size_t count = columns_.size();
        bool whole = true;
        for (const table::column& c : one_.columns) whole = whole && !c.name.empty();
        written_line line(columns_, spans_);
        for (std::size_t n = 0; n != count; ++n) {
            const table::column& c = one_.columns[n];
            // Without an empty name the runs are the names, joined by blanks of any kind; else they are placed as a
            // row's are.
            std::size_t characters = 0;
            if (!c.name.empty() && !is_run(c.name, characters) && !(whole && is_any_run(c.name, true)))
                return name_of(n);
            if (c.unit != table::unit_of(c.name)) return name_of(n);
            if (c.width != 0 && c.width != columns_[n].width) return name_of(n);
            line.put(c.name, characters);
        }
        if (line.is_rule() || (!whole && !line.goes_back(false))) return "columns";
        label_sides sides;
        std::size_t run = 0;
        for (std::size_t n = 0; n != count; ++n) {
            const table::column& c = one_.columns[n];
            bool left_aligned = c.unit == table::unit::source;
            if (!c.name.empty()) {
                sides.tell(line.positions()[2 * run], line.positions()[2 * run + 1], spans_[n], left_aligned);
                ++run;
            }
            if (left_aligned != c.left_aligned) return name_of(n);
        }
        return none;
    }

    // Cells that are printed within their column's width, as forms that the column holds: texts that were read in such
    // a column and are not longer than `width`, decimals in [least, least + decimals), by their bits, and integers in
    // [0, integers).
    struct usual_cells {
        std::uint64_t least;
        std::uint64_t decimals;
        std::uint64_t integers;
        std::uint32_t mark;
        std::uint32_t width;
    };
    static usual_cells usual_cells_of(const written_column& c) noexcept {
        const std::uint32_t mark = cell_access::mark_of(c.unit);
        const auto width = static_cast<std::uint32_t>((std::min)(c.width, std::size_t{0xffffffff}));
        const auto up_to = [&](double least, double most) {
            return usual_cells{bits_of(least), bits_of(most) - bits_of(least), static_cast<std::uint64_t>(most), mark,
                               width};
        };
        if (c.width < default_column_width) return {0, 0, 0, mark, width};
        switch (c.unit) {
        case table::unit::percent:
        case table::unit::flops: return up_to(0, 9e7);
        case table::unit::microseconds: return up_to(0, 9e12);
        // A value that is not a whole number of bytes is printed with any number of digits.
        case table::unit::bytes: return up_to(1024, 9e14);
        case table::unit::count:
        case table::unit::other: return {0, 0, 100000000000, mark, width};
        default: return {0, 0, 0, mark, width};
        }
    }

    // A row whose texts lie in their columns and read back, with a name in the first one that begins no rule. Of other
    // rows row() tells.
    WLFMT_INLINE bool is_usual_row(const table::cell* cells, std::size_t count) const noexcept {
        const usual_cells* usual = usual_;
        const table::cell* const end = cells + count;
        for (const table::cell* c = cells; c != end; ++c, ++usual) {
            const number& v = c->value();
            if (WLFMT_UNLIKELY(!c->text().empty())) {
                if (WLFMT_LIKELY(cell_access::is_marked(*c, usual->mark) && c->text().size() <= usual->width)) continue;
                if (!is_usual_text(c->text(), columns_[static_cast<std::size_t>(c - cells)])) return false;
            } else if (WLFMT_LIKELY(v.is_decimal())) {
                const std::uint64_t bits = bits_of(number_access::decimal(v));
                if (WLFMT_UNLIKELY(bits - usual->least >= usual->decimals) && (bits != 0 || usual->decimals == 0))
                    return false;
            } else if (v.is_integer()) {
                if (static_cast<std::uint64_t>(number_access::integer(v)) >= usual->integers) return false;
            } else if (v.is_text()) {
                return false;
            }
        }
        const std::string_view first = cells->text();
        return !first.empty() && first.front() != '-' && first.front() != '=' && !end[-1].is_missing();
    }
    WLFMT_INLINE static bool is_usual_text(std::string_view text, const written_column& column) noexcept {
        std::size_t characters = text.size();
        const bool prose =
            column.unit == table::unit::text || column.unit == table::unit::source || column.unit == table::unit::other;
        return (prose ? is_run(text, characters) : number_reads_back(text, column.unit)) && characters <= column.width;
    }

    // The name of what is wrong in a row of any kind; a view without data if nothing is.
    std::string_view row(const table::cell* cells) noexcept {
        const std::size_t count = columns_.size();
        written_line line(columns_, spans_);
        std::size_t longest = count;
        for (std::size_t n = 0; n != count; ++n) {
            const std::size_t column = columns_.swapped() && n + 2 >= count ? 2 * count - 3 - n : n;
            const written_column& c = columns_[column];
            if (!cell_reads_back(cells[column], c.unit)) return name_of(column);
            const std::string_view text = printed_cell(cells[column], c.unit, value_);
            const std::size_t characters = width_of(text);
            // Values are written whole.
            const bool value = cells[column].text().empty() && cells[column].value().has_value();
            if (!value && c.limit.longer != column_limit::cut::none && characters > c.limit.most)
                return name_of(column);
            if (longest == count && characters > columns_[n].width) longest = column;
            line.put(text, characters, columns_.swapped() && n + 2 == count ? flops_padding(text) : 0);
        }
        const std::string_view name = printed_cell(*cells, columns_[0].unit, value_);
        const bool only_name = line.runs() == 1 && !name.empty() && name.front() != '#';
        if (line.runs() == 0 || (only_name && rows_have_values(one_.columns.data(), count))) return rows;
        if (line.is_rule() || !line.goes_back(true)) return longest != count ? name_of(longest) : rows;
        const bool after_row = row_ != 0 && source_ != count;
        const bool frame =
            after_row && line.runs() == 1 && is_frame_at(line.positions()[0], line.positions()[1], spans_, source_);
        return frame ? rows : none;
    }

    bool frames_read_back(const table::frame_list& stack) const noexcept {
        const std::size_t last = columns_.size() - 1;
        const column_limit limit = columns_[columns_.swapped() ? last - 1 : last].limit;
        for (const std::string_view frame : stack) {
            std::size_t characters = 0;
            if (source_ == columns_.size() || !is_run(frame, characters) || count_dash_groups(frame) >= 2) return false;
            if (limit.longer != column_limit::cut::none && characters > limit.most) return false;
        }
        return true;
    }

    // Does the column hold the text of a number?
    static bool number_reads_back(std::string_view text, table::unit unit) noexcept {
        // A blank before the text would be taken for padding.
        if (!text.empty() && text.front() == ' ') return false;
        // The plain path looks at 16 bytes.
        if (WLFMT_LIKELY(text.size() >= 4 && text.size() <= most_plain)) {
            char padded[16];
            std::memset(padded, ' ', sizeof padded);
            copy_text(padded + (sizeof padded - text.size()), text);
            table::cell read;
            if (read_plain_cell(unit, padded + sizeof padded, last_of_sixteen(text.size()), read)) return true;
        }
        number read;
        return read_any_cell(unit, text, read) == error_kind::none;
    }

    // Does a cell read back as it is? A value does if it has the digits that are printed.
    bool cell_reads_back(const table::cell& c, table::unit unit) noexcept {
        const bool prose = unit == table::unit::text || unit == table::unit::source;
        const number& v = c.value();
        if (!c.text().empty() || v.is_text()) {
            const std::string_view text = c.text().empty() ? v.text() : c.text();
            std::size_t characters;
            if (prose || unit == table::unit::other) return text.empty() || is_run(text, characters);
            return text.empty() || number_reads_back(text, unit);
        }
        const bool printed_as_missing = !v.has_value() || (v.is_decimal() && is_nan(v));
        if (prose || printed_as_missing) return printed_as_missing;
        number read;
        const std::string_view printed = view(value_, write_value(value_, unit, v));
        return read_any_cell(unit, printed, read) == error_kind::none && read.has_value();
    }

    const table::summary& one_;
    const table_layout& columns_;
    std::size_t source_ = 0;
    std::size_t row_ = 0;
    bool too_wide_ = false;
    column_span spans_[table::max_columns];
    usual_cells usual_[table::max_columns];
    char value_[max_value_chars];
};
using table_check = basic_table_check<kernel>;

// The problem of a document's n-th table.
template <class Kernel = kernel>
inline error problem_of_table(error e, std::size_t n) noexcept {
    e.found = static_cast<std::int64_t>(n);
    e.expected = 1;
    return e;
}

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace table {
inline namespace WLFMT_IMPL {

template <class Sink>
void write_unchecked(Sink&& sink, const summary& one) {
    using sink_type = std::remove_reference_t<Sink>;
    detail::out<sink_type> to(sink);
    detail::table_writer<sink_type>(to, one, detail::table_layout(one)).write();
    to.finish();
}

template <class Sink>
void write_unchecked(Sink&& sink, const document& doc) {
    using sink_type = std::remove_reference_t<Sink>;
    detail::out<sink_type> to(sink);
    for (const summary& one : doc.tables) {
        if (&one != doc.tables.data()) to.put('\n');
        detail::table_writer<sink_type>(to, one, detail::table_layout(one)).write();
    }
    to.finish();
}

template <class Kernel>
inline error problem_of(const summary& one) {
    return detail::table_check(one, detail::table_layout(one)).problem();
}

template <class Kernel>
inline error problem_of(const document& doc) {
    for (std::size_t n = 0; n != doc.tables.size(); ++n)
        if (const error e = problem_of(doc.tables[n])) return detail::problem_of_table(e, n);
    return {};
}

template <class Sink>
error write(Sink&& sink, const summary& one) {
    using sink_type = std::remove_reference_t<Sink>;
    const detail::table_layout columns(one);
    error e = detail::table_check(one, columns).problem();
    if (e) return e;
    detail::out<sink_type> to(sink);
    detail::table_writer<sink_type>(to, one, columns).write();
    if (!to.finish()) e.kind = error_kind::cannot_write;
    return e;
}

template <class Sink>
error write(Sink&& sink, const document& doc) {
    using sink_type = std::remove_reference_t<Sink>;
    std::vector<detail::table_layout> layouts;
    layouts.reserve(doc.tables.size());
    for (const summary& one : doc.tables) {
        layouts.emplace_back(one);
        if (const error e = detail::table_check(one, layouts.back()).problem())
            return detail::problem_of_table(e, layouts.size() - 1);
    }
    detail::out<sink_type> to(sink);
    for (std::size_t n = 0; n != doc.tables.size(); ++n) {
        if (n != 0) to.put('\n');
        detail::table_writer<sink_type>(to, doc.tables[n], layouts[n]).write();
    }
    error e;
    if (!to.finish()) e.kind = error_kind::cannot_write;
    return e;
}

}  // namespace WLFMT_IMPL
}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
