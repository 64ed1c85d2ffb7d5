// Reading one cell of a profiler table in its column's unit.
//
// A cell is read on one of two paths with the same answers. The plain path knows the forms in which PyTorch prints a
// unit and sees 16 bytes; the general path takes every form.
#ifndef WLFMT_DETAIL_TABLE_CELL_HPP
#define WLFMT_DETAIL_TABLE_CELL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../../table.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

#if defined(WLFMT_SSE2)
#include <emmintrin.h>
#endif

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// How readers and writers reach the private members of a cell.
struct cell_access {
    static std::string_view& text(table::cell& c) noexcept { return c.text_; }

    // A text that was read in a column of that unit, as one run in a column of names. The value is marked with it:
    // where the text is written to such a column again, it needs no second reading. No program can give the value
    // another text and keep the mark.
    static void set(table::cell& c, std::string_view text, const number& value, table::unit unit,
                    bool held = true) noexcept {
        c.text_ = text;
        c.value_ = value;
        if (held) number_access::mark(c.value_, mark_of(unit));
    }
    static constexpr std::uint32_t mark_of(table::unit unit) noexcept {
        return number_access::first_mark + static_cast<std::uint32_t>(unit);
    }
    static bool is_marked(const table::cell& c, std::uint32_t mark) noexcept {
        return number_access::is_marked(c.value_, mark);
    }
};

// How a reader sets the lines of a list of frames.
struct frames_access {
    static void set(table::frame_list& l, std::string_view lines, std::string_view prefix) noexcept {
        l.lines_ = lines;
        l.prefix_ = prefix;
    }
};

inline namespace WLFMT_IMPL {

// The general path.

// What the text of a cell looks like, whatever its column.
enum class cell_form : std::uint8_t { missing, time, percent, memory, integer, decimal, overflow, text };

struct cell_reading {
    number value;
    cell_form form;
};

template <class Kernel = kernel>
inline bool is_missing_cell(std::string_view t) noexcept {
    return t.empty() || t == "--" || t == "NaN" || t == "nan" || t == "NaN%" || t == "nan%";
}

// The power of two of a unit of memory: `b`, `KB`, `Mb`, in any case, with or without one blank before it; -1 for any
// other text.
template <class Kernel = kernel>
inline int memory_shift(std::string_view unit) noexcept {
    if (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
    if (unit.empty() || unit.size() > 2 || (unit.back() | 0x20) != 'b') return -1;
    if (unit.size() == 1) return 0;
    switch (unit.front() | 0x20) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    case 't': return 40;
    default: return -1;
    }
}

template <class Kernel = kernel>
inline cell_reading read_form(std::string_view t, bool memory) noexcept {
    const cell_reading as_text{number(t), cell_form::text};
    if (is_missing_cell(t)) return {number(), cell_form::missing};

    const char* const end = t.data() + t.size();
    const number_text n = scan_number(t.data(), end);
    if (n.end == nullptr) return as_text;

    const std::string_view suffix = view(n.mantissa_end, end);
    cell_form form = cell_form::decimal;
    int shift10 = 0;
    int shift2 = 0;
    if (suffix == "us" || suffix == "ms" || suffix == "s") {
        form = cell_form::time;
        shift10 = suffix == "us" ? 0 : suffix == "ms" ? 3 : 6;
    } else if (suffix == "%") {
        form = cell_form::percent;
    } else if (memory && memory_shift(suffix) >= 0) {
        form = cell_form::memory;
        shift2 = memory_shift(suffix);
    } else if (n.end != end) {
        return as_text;
    }
    // A unit follows a digit, and a point has digits on both sides.
    if (form != cell_form::decimal && (*n.first == '.' || n.mantissa_end[-1] == '.')) return as_text;

    if (!n.decimal && form == cell_form::decimal) {
        const read_result r = as_integer(n);
        if (r.status != number_status::ok) return {number(t), cell_form::overflow};
        return {r.value, cell_form::integer};
    }
    const read_result r = as_decimal(n, shift10);
    const double value = number_access::decimal(r.value) * static_cast<double>(std::int64_t{1} << shift2);
    // By the bits: with -ffast-math a comparison may not see an infinity.
    const bool finite = (bits_of(value) & ~sign_bit) < infinity_bits;
    if (r.status != number_status::ok || !finite) return {number(t), cell_form::overflow};
    return {value, form};
}

// Whether a column of that unit can hold a cell of that form. (A bare zero, which every column can hold, is dealt with
// before.)
template <class Kernel = kernel>
inline bool holds(table::unit unit, const cell_reading& r) noexcept {
    if (r.form == cell_form::missing || unit == table::unit::other) return true;
    switch (unit) {
    case table::unit::percent: return r.form == cell_form::percent;
    case table::unit::microseconds: return r.form == cell_form::time;
    case table::unit::bytes: return r.form == cell_form::memory;
    case table::unit::count: return r.form == cell_form::integer;
    case table::unit::flops: return r.form == cell_form::integer || r.form == cell_form::decimal;
    default: return false;
    }
}

// Tells message() what the column holds: `%` percents, `s` times, `B` sizes, 0 numbers.
template <class Kernel = kernel>
inline std::int64_t letter_of(table::unit unit) noexcept {
    switch (unit) {
    case table::unit::percent: return '%';
    case table::unit::microseconds: return 's';
    case table::unit::bytes: return 'B';
    default: return 0;
    }
}

// Reads the text of a cell in a column of numbers. Returns error_kind::none if the column can hold it.
template <class Kernel = kernel>
inline error_kind read_any_cell(table::unit unit, std::string_view text, number& value) noexcept {
    if (text == "0") {  // what PyTorch prints for asynchronous events
        value = 0;
        return error_kind::none;
    }
    const cell_reading r = read_form(text, unit == table::unit::bytes);
    const bool held = holds(unit, r);
    value = held ? r.value : number(text);
    if (held) return error_kind::none;
    if (r.form == cell_form::overflow) return error_kind::number_overflow;
    return unit == table::unit::count ? error_kind::not_an_integer : error_kind::not_a_number;
}
template <class Kernel = kernel>
inline error_kind read_any_cell(table::unit unit, table::cell& c) noexcept {
    number value;
    const error_kind problem = read_any_cell(unit, c.text(), value);
    cell_access::set(c, c.text(), value, unit, problem == error_kind::none && !value.is_text());
    return problem;
}

// The plain path.
//
// bool read_plain_cell(unit, end, reach, cell): reads the cell that ends at `end` and begins at most `reach` bytes
// before it, with only spaces before it in these bytes; least_reach <= reach <= most_reach. Returns false if the cell
// does not have one of the forms listed below.
//
// It loads the 16 bytes before `end`, which may begin before the cell's line. They are inside the text all the same: a
// row comes after a rule, a header and another rule, which together are longer than 16 bytes.

inline constexpr std::size_t least_reach = 7;
inline constexpr std::size_t most_reach = 14;

#if defined(WLFMT_SSE2)

// A form of 16 characters that end where the cell does. Subtracting the pattern from a cell's bytes leaves the value of
// each digit, at most 9, and 0 for a point, a unit and the blank before it: `limit` is what may be left.
//
// Weighted sums of four neighbours give numbers below 10^4, pairs of these numbers below 10^8, and the two of those,
// times their scales, add up to a numerator. All of that is exact: only the division rounds.
struct alignas(128) plain_form {
    char pattern[16] = {};
    char limit[16] = {};
    char letters[16] = {};  // 0x20 for a letter that may be of either case
    std::int16_t even_weights[8] = {};
    std::int16_t odd_weights[8] = {};
    std::int16_t group_weights[8] = {};
    double scales[2] = {};
    double divisor = 1;
    unsigned needed = 0;  // a bit for each byte of the pattern that is not a digit, and for the digit before the point
};

// A character with its bit 0x20 flipped, so that a space is 0.
constexpr char turned(char c) noexcept { return static_cast<char>(static_cast<unsigned char>(c) ^ 0x20U); }

constexpr int power_of_ten(int n) noexcept {
    int power = 1;
    for (; n > 0; --n) power *= 10;
    return power;
}

// The form of a text such as `0.000ms`, in which each `0` is a digit and the first one stands for any number of digits.
// A one in the last digit counts numerator / denominator.
constexpr plain_form make_form(std::string_view text, double numerator, double denominator) noexcept {
    plain_form f;
    int powers[16] = {};  // of ten, by which a digit counts more than the last one; -1: no digit
    int digits = 0;
    for (std::size_t n = 0; n != 16; ++n) {
        const std::size_t at = 15 - n;
        const char c = n < text.size() ? text[text.size() - 1 - n] : '0';
        const bool digit = c == '0';
        powers[at] = digit ? digits++ : -1;
        f.limit[at] = digit ? 9 : 0;
        f.letters[at] = c >= 'a' && text.back() == 'b' ? 0x20 : 0;  // only memory is printed in both
        f.pattern[at] = static_cast<char>(turned(c) | f.letters[at]);
        if (!digit) f.needed |= 1U << at;
    }
    f.needed |= 1U << (16 - text.size());
    f.divisor = denominator;

    // For each group of four bytes, the power of its last digit, which has the weight 1.
    int ones[4] = {-1, -1, -1, -1};
    for (std::size_t at = 0; at != 16; ++at)
        if (powers[at] >= 0) ones[at / 4] = powers[at];
    for (std::size_t at = 0; at != 16; ++at) {
        std::int16_t& weight = (at % 2 == 0 ? f.even_weights : f.odd_weights)[at / 2];
        if (powers[at] >= 0) weight = static_cast<std::int16_t>(power_of_ten(powers[at] - ones[at / 4]));
    }
    for (std::size_t n = 0; n != 2; ++n) {
        const int first = ones[2 * n];
        const int second = ones[2 * n + 1];
        if (second >= 0) f.group_weights[2 * n + 1] = 1;
        f.group_weights[2 * n] = static_cast<std::int16_t>(second >= 0 ? power_of_ten(first - second) : 1);
        f.scales[n] = numerator;
        for (int power = second >= 0 ? second : first; power > 0; --power) f.scales[n] *= 10;
    }
    return f;
}

// The forms of all units, and which of them a cell has, by its last character but one.
struct plain_forms {
    plain_form forms[10];
    std::uint8_t choice[8][256];

    constexpr void choose(table::unit unit, char c, std::uint8_t form) noexcept {
        choice[static_cast<std::size_t>(unit)][static_cast<unsigned char>(c)] = form;
    }
};
constexpr plain_forms make_forms() noexcept {
    plain_forms all{
        {make_form("0.00%", 1, 100), make_form("0", 1, 1), make_form("0.000", 1, 1000), make_form("0.000s", 1000, 1),
         make_form("0.000ms", 1, 1), make_form("0.000us", 1, 1000), make_form("0 b", 1, 1),
         make_form("0.00 kb", 1 << 10, 100), make_form("0.00 mb", 1 << 20, 100), make_form("0.00 gb", 1 << 30, 100)},
        {}};
    for (int n = 0; n != 256; ++n) {
        const char c = static_cast<char>(n);
        all.choose(table::unit::count, c, 1);
        all.choose(table::unit::flops, c, 2);
        all.choose(table::unit::microseconds, c, c == 'u' ? 5 : c == 'm' ? 4 : 3);
        const int letter = n | 0x20;
        all.choose(table::unit::bytes, c, letter == 'k' ? 7 : letter == 'm' ? 8 : letter == 'g' ? 9 : 6);
    }
    return all;
}
template <class Kernel>
inline constexpr plain_forms plain_cells = make_forms();

WLFMT_INLINE __m128i load_aligned(const void* p) noexcept { return _mm_load_si128(static_cast<const __m128i*>(p)); }
WLFMT_INLINE unsigned mask_bytes(__m128i hits) noexcept { return static_cast<unsigned>(_mm_movemask_epi8(hits)); }

template <class Kernel = kernel>
WLFMT_INLINE bool read_plain_cell(table::unit unit, const char* end, std::size_t reach, table::cell& c) noexcept {
    if (!has_plain_paths || !exact_arithmetic) return false;
    alignas(16) static constexpr char ramp[32] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                                  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

    const unsigned choice =
        plain_cells<Kernel>.choice[static_cast<std::size_t>(unit)][static_cast<unsigned char>(end[-2])];
    const plain_form& form = plain_cells<Kernel>.forms[choice];
    const __m128i bytes =
        _mm_and_si128(_mm_xor_si128(load_sixteen(end - 16), _mm_set1_epi8(0x20)), load_sixteen(ramp + reach));
    const __m128i values = _mm_sub_epi8(_mm_or_si128(bytes, load_aligned(form.letters)), load_aligned(form.pattern));
    const __m128i good = _mm_cmpeq_epi8(_mm_min_epu8(values, load_aligned(form.limit)), values);
    // The bytes that fit the form must be the whole cell: one run of bits up to the end.
    unsigned text = mask_bytes(good);
    const unsigned all = (mask_bytes(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) ^ 0xFFFF) | form.needed;
    double divisor = form.divisor;
    if (WLFMT_UNLIKELY((text | (text - 1)) != 0xFFFF)) return false;
    if (WLFMT_UNLIKELY((all | text) != text)) {
        // A minus sign may come before the cell.
        const unsigned sign = (text & (0 - text)) >> 1;
        if ((all | text) != (sign | text) || (form.needed & sign) != 0) return false;
        if ((end - 16)[trailing_zeros(sign)] != '-') return false;
        text |= sign;
        divisor = -divisor;
    }

    const __m128i kept = _mm_and_si128(values, good);
    const __m128i even = _mm_madd_epi16(_mm_and_si128(kept, _mm_set1_epi16(0xFF)), load_aligned(form.even_weights));
    const __m128i odd = _mm_madd_epi16(_mm_srli_epi16(kept, 8), load_aligned(form.odd_weights));
    const __m128i fours = _mm_add_epi32(even, odd);
    const __m128i eights = _mm_madd_epi16(_mm_packs_epi32(fours, fours), load_aligned(form.group_weights));
    const __m128d halves = _mm_mul_pd(_mm_cvtepi32_pd(eights), _mm_load_pd(form.scales));
    const double value = _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves))) / divisor;
    const std::size_t size = 16 - trailing_zeros(text);
    cell_access::set(c, std::string_view(end - size, size),
                     unit == table::unit::count ? number(static_cast<std::int64_t>(value)) : number(value), unit);
    return true;
}

#else

// Reads [begin, end) as digits with a point before the last `Fraction` of them (no point if that is 0), at most eight
// characters. Returns false if it is anything else.
template <int Fraction>
WLFMT_INLINE bool read_short(const char* begin, const char* end, double& digits) noexcept {
    constexpr unsigned least = Fraction == 0 ? 1 : Fraction + 2;
    const auto size = static_cast<unsigned>(end - begin);
    if (WLFMT_UNLIKELY(size - least > 8 - least)) return false;
    // Each digit becomes its value; the point in its place and all bytes before the digits become 0.
    constexpr unsigned point = (7 - Fraction) * 8;
    constexpr std::uint64_t point_byte = Fraction == 0 ? 0 : std::uint64_t{0xFF} << point;
    constexpr std::uint64_t zeros = every_byte('0') ^ (every_byte('0' ^ '.') & point_byte);
    const unsigned unused = 64 - 8 * size;
    std::uint64_t word = (load_eight(end - 8) ^ zeros) >> unused << unused;
    if (WLFMT_UNLIKELY((not_digits(word) | (word & point_byte)) != 0)) return false;
    if constexpr (Fraction != 0) {
        constexpr std::uint64_t before = (std::uint64_t{1} << point) - 1;
        word = (word & ~before) | (word & before) << 8;
    }
    digits = static_cast<double>(static_cast<std::int64_t>(join_digits(word)));
    return true;
}

// `0.00%`, `0`, `0.000`, `0.000us`, `0.000ms`, `0.000s`, `0 b`, `0.00 kb`, ... in either case.
template <class Kernel = kernel>
WLFMT_INLINE bool read_plain_cell(table::unit unit, const char* end, std::size_t reach, table::cell& c) noexcept {
    if (!has_plain_paths || !exact_arithmetic) return false;
    const char* begin = end;
    const char* const least = end - reach;
    const bool inner_blank = unit == table::unit::bytes;
    while (begin != least && (begin[-1] != ' ' || (inner_blank && end - begin <= 2 && end != begin))) --begin;
    for (const char* p = least; p != begin; ++p)
        if (*p != ' ') return false;

    double digits = 0;
    double value = 0;
    switch (unit) {
    case table::unit::percent:
        if (end[-1] != '%' || !read_short<2>(begin, end - 1, digits)) return false;
        value = digits / 100;
        break;
    case table::unit::microseconds:
        if (end[-1] != 's') return false;
        if (end[-2] == 'u' || end[-2] == 'm') {
            if (!read_short<3>(begin, end - 2, digits)) return false;
            value = end[-2] == 'u' ? digits / 1000 : digits;
        } else {
            if (!read_short<3>(begin, end - 1, digits)) return false;
            value = digits * 1000;
        }
        break;
    case table::unit::count:
        if (!read_short<0>(begin, end, digits)) return false;
        cell_access::set(c, view(begin, end), static_cast<std::int64_t>(digits), unit);
        return true;
    case table::unit::bytes:
        if (end[-2] == ' ') {
            if ((end[-1] | 0x20) != 'b' || !read_short<0>(begin, end - 2, digits)) return false;
            value = digits;
        } else {
            const int shift = memory_shift(view(end - 2, end));
            if (shift <= 0 || end[-3] != ' ' || !read_short<2>(begin, end - 3, digits)) return false;
            value = digits * static_cast<double>(std::int64_t{1} << shift) / 100;
        }
        break;
    case table::unit::flops:
        if (!read_short<3>(begin, end, digits)) return false;
        value = digits / 1000;
        break;
    default: return false;
    }
    cell_access::set(c, view(begin, end), value, unit);
    return true;
}

#endif

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
