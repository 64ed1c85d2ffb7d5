// Reading one cell of a profiler table in its column's unit.
//
// A cell is read on one of two paths with the same answers. The plain path knows the forms in which PyTorch prints a
// unit; the general path takes every form.
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

// A cell of a column of that unit, with the value that its text says there. A reader's cell has it already. A cell that
// a program made from a text, or took from a column of another unit, has not; it stays without a mark, as nobody has
// looked whether its text is a single run.
template <class Kernel = kernel>
inline table::cell cell_in(table::unit unit, const table::cell& c) noexcept {
    const std::string_view text = c.text();
    if (text.empty() || cell_access::is_marked(c, cell_access::mark_of(unit))) return c;
    table::cell read;
    number value;
    if (unit != table::unit::text && unit != table::unit::source) read_any_cell(unit, text, value);
    cell_access::set(read, text, value, unit, false);
    return read;
}

// The plain path.
//
// A cell is the last bytes of the 16 before its end. They may begin before the cell's line, but are inside the text all
// the same: a row comes after a rule, a header and another rule, which together are longer than 16 bytes.

inline constexpr std::size_t most_plain = 16;

// The bits of the last `size` of 16 bytes, as find_spaces() numbers them, and bit 16, which stands for their end.
template <class Kernel = kernel>
WLFMT_INLINE unsigned last_of_sixteen(std::size_t size) noexcept {
    return (0xFFFF0000U >> size & 0xFFFFU) | 1U << 16;
}

// A form of at most eight characters and a suffix: `0.000us`, in which the first digit stands for any number of digits.
//
// The characters become values by an exclusive or with the pattern: a digit's is at most 9, and that of the point 0.
// Weighted sums of two neighbours, and of two such sums, give numbers below 10^4; the two of these, times their scales,
// add up to a numerator. All of that is exact, so that only the division rounds. (A suffix that multiplies by a power
// of two is part of the divisor, which it leaves exact.)
struct alignas(128) plain_form {
    std::int16_t pair_weights[8] = {};
    std::int16_t four_weights[8] = {};
    double scales[2] = {};
    std::uint64_t pattern = every_byte('0');
    std::uint64_t beyond = every_byte(0x76);  // added to a value, gives 0x80 or more if the value is too large
    std::uint64_t before_point = 0;           // the bytes before the point
    std::uint64_t suffix = 0;                 // in the last eight bytes, the lowest one coming first in the text
    std::uint64_t suffix_mask = 0;            // without the bits that tell capitals apart, where both occur
    double divisor = 1;
    std::uint64_t first = 8;  // of the 16 bytes before the cell's end: where its eight characters begin
    std::uint64_t spare = 7;  // how many of these it may lack
    table::unit unit = table::unit::count;

    constexpr plain_form() noexcept = default;
    constexpr plain_form(table::unit of, unsigned fraction, std::string_view after, std::uint64_t times,
                         double over) noexcept
        : divisor(over), first(8 - after.size()), spare(fraction == 0 ? 7 : 6 - fraction), unit(of) {
        for (std::size_t n = 0; n != after.size(); ++n) {
            const std::size_t at = 8 * (8 - after.size() + n);
            const std::uint64_t bits = unit == table::unit::bytes && after[n] != ' ' ? 0xDF : 0xFF;
            suffix_mask |= bits << at;
            suffix |= (static_cast<unsigned char>(after[n]) & bits) << at;
        }
        if (fraction != 0) {
            pattern ^= std::uint64_t{'0' ^ '.'} << 8 * (7 - fraction);
            beyond ^= std::uint64_t{0x76 ^ 0x7F} << 8 * (7 - fraction);
        }
        // In a pair that holds the point, the other character counts 1.
        const unsigned point = fraction == 0 ? 8 : 7 - fraction;
        if (fraction != 0) before_point = (std::uint64_t{1} << 8 * point) - 1;
        int power = 1;
        for (unsigned half = 2; half-- != 0;) {
            int weight = 1;
            for (unsigned pair = 2; pair-- != 0;) {
                const unsigned at = 4 * half + 2 * pair;
                const bool pointed = point / 2 == at / 2;
                four_weights[2 * half + pair] = static_cast<std::int16_t>(weight);
                pair_weights[at + 1] = point == at + 1 ? 0 : 1;
                pair_weights[at] = pointed ? point == at + 1 : 10;
                weight *= pointed ? 10 : 100;
            }
            scales[half] = static_cast<double>(power) * static_cast<double>(times);
            power = weight;
        }
    }
};

// The forms of all units, and which of them a cell has, by its last character but one.
struct plain_forms {
    plain_form forms[10];
    std::uint8_t choice[8][256];

    constexpr plain_forms() noexcept
        : forms{{table::unit::percent, 2, "%", 1, 100},
                {table::unit::count, 0, "", 1, 1},
                {table::unit::flops, 3, "", 1, 1000},
                {table::unit::microseconds, 3, "s", 1000, 1},
                {table::unit::microseconds, 3, "ms", 1, 1},
                {table::unit::microseconds, 3, "us", 1, 1000},
                {table::unit::bytes, 0, " b", 1, 1},
                {table::unit::bytes, 2, " kb", 1, 100.0 / (1 << 10)},
                {table::unit::bytes, 2, " mb", 1, 100.0 / (1 << 20)},
                {table::unit::bytes, 2, " gb", 1, 100.0 / (1 << 30)}},
          choice{} {
        for (unsigned c = 0; c != 256; ++c) {
            const unsigned letter = c | 0x20;
            choose(table::unit::count, c, 1);
            choose(table::unit::flops, c, 2);
            choose(table::unit::microseconds, c, c == 'u' ? 5 : c == 'm' ? 4 : 3);
            choose(table::unit::bytes, c, letter == 'k' ? 7 : letter == 'm' ? 8 : letter == 'g' ? 9 : 6);
        }
    }
    constexpr void choose(table::unit unit, unsigned c, std::uint8_t form) noexcept {
        choice[static_cast<std::size_t>(unit)][c] = form;
    }
};
template <class Kernel>
inline constexpr plain_forms plain_cells = {};

// The number that eight values make, times the form's factor.
#if defined(WLFMT_SSE2)
template <class Kernel = kernel>
WLFMT_INLINE double sum_digits(const plain_form& form, std::uint64_t word) noexcept {
    const auto by = [](const std::int16_t* weights) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(weights));
    };
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(&word));
    const __m128i twos = _mm_madd_epi16(_mm_unpacklo_epi8(eight, _mm_setzero_si128()), by(form.pair_weights));
    const __m128i fours = _mm_madd_epi16(_mm_packs_epi32(twos, twos), by(form.four_weights));
    const __m128d halves = _mm_mul_pd(_mm_cvtepi32_pd(fours), _mm_load_pd(form.scales));
    return _mm_cvtsd_f64(_mm_add_sd(halves, _mm_unpackhi_pd(halves, halves)));
}
#else
template <class Kernel = kernel>
WLFMT_INLINE double sum_digits(const plain_form& form, std::uint64_t word) noexcept {
    word = (word & ~form.before_point) | (word & form.before_point) << 8;
    return static_cast<double>(static_cast<std::int64_t>(join_digits(word))) * form.scales[1];
}
#endif

// Which of the 16 bytes before `end` the cell that ends there begins at, if it and the blanks before it are the bytes
// `inside`; 16 if all are blank.
template <class Kernel = kernel>
WLFMT_INLINE std::size_t find_cell(const char* end, unsigned inside) noexcept {
    return trailing_zeros(~find_spaces(end - 16) & inside);
}

// Reads the number of that form that begins at byte `first` of the 16 before `end`.
template <class Kernel = kernel>
WLFMT_INLINE bool read_form(const plain_form& form, const char* end, std::size_t first, number& value) noexcept {
    const std::uint64_t lacking = first - form.first;
    if (WLFMT_UNLIKELY(lacking > form.spare || ((load_eight(end - 8) ^ form.suffix) & form.suffix_mask) != 0))
        return false;
    // What is before the number becomes 0. (A blank within it does not: it is no digit.)
    static constexpr std::uint64_t without_first[8] = {
        ~std::uint64_t{0},       ~std::uint64_t{0} << 8,  ~std::uint64_t{0} << 16, ~std::uint64_t{0} << 24,
        ~std::uint64_t{0} << 32, ~std::uint64_t{0} << 40, ~std::uint64_t{0} << 48, ~std::uint64_t{0} << 56};
    std::uint64_t word = (load_eight(end - 16 + form.first) ^ form.pattern) & without_first[lacking];
    // The lowest byte that is no digit gets the highest bit, if it does not have it: from the bytes below it, nothing
    // is carried.
    if (WLFMT_UNLIKELY((((word + form.beyond) | word) & every_byte(0x80)) != 0)) return false;
    const double all = sum_digits(form, word);
    if (form.unit == table::unit::count)
        value = static_cast<std::int64_t>(all);
    else
        value = all / form.divisor;
    return true;
}

template <class Kernel = kernel>
WLFMT_INLINE const plain_form& form_of(table::unit unit, const char* end) noexcept {
    const auto& choice = plain_cells<Kernel>.choice[static_cast<std::size_t>(unit)];
    return plain_cells<Kernel>.forms[choice[static_cast<unsigned char>(end[-2])]];
}

// Reads the cell that ends at `end`; `inside`: the bytes of the 16 before it that are the cell's or blanks before it,
// as last_of_sixteen() has them. Returns false if the cell does not have one of the forms above.
template <class Kernel = kernel>
WLFMT_INLINE bool read_plain_cell(table::unit unit, const char* end, unsigned inside, table::cell& c) noexcept {
    if (!has_plain_paths || !exact_arithmetic) return false;
    const std::size_t first = find_cell(end, inside);
    number value;
    if (WLFMT_UNLIKELY(!read_form(form_of(unit, end), end, first, value))) return false;
    cell_access::set(c, std::string_view(end - 16 + first, 16 - first), value, unit);
    return true;
}
// The same for a number with a minus sign.
template <class Kernel = kernel>
WLFMT_COLD bool read_negative_cell(table::unit unit, const char* end, unsigned inside, table::cell& c) noexcept {
    if (!has_plain_paths || !exact_arithmetic) return false;
    const std::size_t first = find_cell(end, inside);
    number value;
    if (first == 16 || (end - 16)[first] != '-' || !read_form(form_of(unit, end), end, first + 1, value)) return false;
    value = value.is_integer() ? number(-number_access::integer(value)) : number(-number_access::decimal(value));
    cell_access::set(c, std::string_view(end - 16 + first, 16 - first), value, unit);
    return true;
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
