// Rows as PyTorch prints them: each cell is read where its padding puts it, several bytes at a time.
//
// A cell is the last bytes of the 16 before its end. They may begin before the cell's line, but are inside the text all
// the same: a row comes after a rule, a header and another rule, which together are longer than 16 bytes.
#ifndef WLFMT_DETAIL_TABLE_FAST_HPP
#define WLFMT_DETAIL_TABLE_FAST_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "cell.hpp"
#include "runs.hpp"
#include "state.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

inline constexpr std::size_t most_plain = 16;

// The bits of the last `size` of 16 bytes, as classify_sixteen() numbers them, and bit 16, which stands for their end.
WLFMT_INLINE unsigned last_of_sixteen(std::size_t size) noexcept { return (0xFFFF0000U >> size & 0xFFFFU) | 1U << 16; }

// A form of at most eight characters and a suffix: `0.000us`, in which the first digit stands for any number of digits.
//
// The characters become values by an exclusive or with the pattern: a digit's is at most 9, and that of the point 0.
// Weighted sums of two neighbours, and of two such sums, give numbers below 10^4; the two of these, times their scales,
// add up to a numerator. All of that is exact, so that only the division rounds. (A suffix that multiplies by a power
// of two is part of the divisor, which it leaves exact.)
template <class Build> struct alignas(128) plain_form {
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
template <class Build> struct plain_forms {
    plain_form<Build> forms[10];
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
template <class Build> inline constexpr plain_forms<Build> plain_cells = {};

template <class Build> struct table_fast {
    using form_type = plain_form<Build>;

    // The number that eight values make, times the form's factor.
#if defined(WLFMT_SSE2)
    WLFMT_INLINE static double sum_digits(const form_type& form, std::uint64_t word) noexcept {
        const auto by = [](const std::int16_t* weights) { return sse2::load_si128(weights); };
        const sse2::m128i eight = sse2::loadl_epi64(&word);
        const sse2::m128i twos =
            sse2::madd_epi16(sse2::unpacklo_epi8(eight, sse2::setzero_si128()), by(form.pair_weights));
        const sse2::m128i fours = sse2::madd_epi16(sse2::packs_epi32(twos, twos), by(form.four_weights));
        const sse2::m128d halves = sse2::mul_pd(sse2::cvtepi32_pd(fours), sse2::load_pd(form.scales));
        return sse2::cvtsd_f64(sse2::add_sd(halves, sse2::unpackhi_pd(halves, halves)));
    }
#else
    WLFMT_INLINE static double sum_digits(const form_type& form, std::uint64_t word) noexcept {
        word = (word & ~form.before_point) | (word & form.before_point) << 8;
        return static_cast<double>(static_cast<std::int64_t>(join_digits(word))) * form.scales[1];
    }
#endif

    // Which of the 16 bytes before `end` the cell that ends there begins at, if it and the blanks before it are the
    // bytes `inside`; 16 if all are blank.
    WLFMT_INLINE static std::size_t find_cell(const char* end, unsigned inside) noexcept {
        return trailing_zeros(~static_cast<unsigned>(classify_sixteen(end - 16).spaces) & inside);
    }

    // Reads the number of that form that begins at byte `first` of the 16 before `end`.
    WLFMT_INLINE static bool read_form(const form_type& form, const char* end, std::size_t first,
                                       number& value) noexcept {
        const std::uint64_t lacking = first - form.first;
        if (WLFMT_UNLIKELY(lacking > form.spare || ((load_eight(end - 8) ^ form.suffix) & form.suffix_mask) != 0))
            return false;
        // What is before the number becomes 0. (A blank within it does not: it is no digit.)
        static constexpr std::uint64_t without_first[8] = {
            ~std::uint64_t{0},       ~std::uint64_t{0} << 8,  ~std::uint64_t{0} << 16, ~std::uint64_t{0} << 24,
            ~std::uint64_t{0} << 32, ~std::uint64_t{0} << 40, ~std::uint64_t{0} << 48, ~std::uint64_t{0} << 56};
        std::uint64_t word = (load_eight(end - 16 + form.first) ^ form.pattern) & without_first[lacking];
        // The lowest byte that is no digit gets the highest bit, if it does not have it: from the bytes below it,
        // nothing is carried.
        if (WLFMT_UNLIKELY((((word + form.beyond) | word) & every_byte(0x80)) != 0)) return false;
        const double all = sum_digits(form, word);
        if (form.unit == table::unit::count) value = static_cast<std::int64_t>(all);
        else value = all / form.divisor;
        return true;
    }

    WLFMT_INLINE static const form_type& form_of(table::unit unit, const char* end) noexcept {
        const auto& choice = plain_cells<Build>.choice[static_cast<std::size_t>(unit)];
        return plain_cells<Build>.forms[choice[static_cast<unsigned char>(end[-2])]];
    }

    // Reads the cell that ends at `end`; `inside`: the bytes of the 16 before it that are the cell's or blanks before
    // it, as last_of_sixteen() has them. Returns false if the cell does not have one of the forms above.
    WLFMT_INLINE static bool read_plain_cell(table::unit unit, const char* end, unsigned inside,
                                             table::cell& c) noexcept {
        if (!has_fast_paths || !exact_arithmetic) return false;
        const std::size_t first = find_cell(end, inside);
        number value;
        if (WLFMT_UNLIKELY(!read_form(form_of(unit, end), end, first, value))) return false;
        cell_access::set(c, std::string_view(end - 16 + first, 16 - first), value, unit);
        return true;
    }
    // The same for a number with a minus sign.
    WLFMT_COLD static bool read_negative_cell(table::unit unit, const char* end, unsigned inside,
                                              table::cell& c) noexcept {
        if (!has_fast_paths || !exact_arithmetic) return false;
        const std::size_t first = find_cell(end, inside);
        number value;
        if (first == 16 || (end - 16)[first] != '-' || !read_form(form_of(unit, end), end, first + 1, value))
            return false;
        value = value.is_integer() ? number(-number_access::integer(value)) : number(-number_access::decimal(value));
        cell_access::set(c, std::string_view(end - 16 + first, 16 - first), value, unit);
        return true;
    }
};

template <class Build> struct table_planned {
    using state = table_state;
    using window = state::window;
    using unit = table::unit;
    using cell = table::cell;
    using cells = table_fast<build>;

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
        r.planned_ = has_fast_paths && numbers;
    }

    // Reads the row at at_ that way. Returns where the next line begins, or null if it is not such a row.
    WLFMT_INLINE static const char* read_planned_row(state& r) noexcept {
        const char* const begin = r.at_;
        const window* w = r.windows_;
        const window* const end_windows = w + r.column_count_;
        const std::size_t length = end_windows[-1].end;
        if (static_cast<std::size_t>(r.end_ - begin) < length + 3 || begin - r.problems_.text < 64) return nullptr;
        cell* c = r.cells_;
        for (; w != end_windows; ++w, ++c) {
            const char* const end = begin + w->end;
            if (w->unit == unit::text) {
                if (WLFMT_UNLIKELY(!find_planned_text(*w, end, *c))) return nullptr;
            } else if (WLFMT_UNLIKELY(!cells::read_plain_cell(w->unit, end, w->inside, *c))) {
                if (!read_odd_cell(*w, end, *c)) return nullptr;
            }
        }
        // A line with an empty name, or one that begins like a rule, may not be a row.
        const std::string_view name = r.cells_[0].text();
        if (WLFMT_UNLIKELY(name.empty() || name.front() == '-' || name.front() == '=')) return nullptr;
        // A line without its last cell may be a name and nothing else.
        if (WLFMT_UNLIKELY(r.cells_[r.column_count_ - 1].text().empty())) return nullptr;
        const char* p = begin + length;
        if (p[0] == ' ' && p[1] == ' ') p += 2;
        r.row_.source = view(begin, p);
        if (p != r.end_ && *p == '\r') ++p;
        return p != r.end_ && *p == '\n' ? p + 1 : nullptr;
    }

    // Finds the text that ends at `end`: a single run of plain characters, or nothing.
    WLFMT_INLINE static bool find_planned_text(const window& w, const char* end, cell& c) noexcept {
        const byte_classes bytes = classify(end - text_reach);
        const std::uint64_t text = ~bytes.spaces & w.within;
        c = cell();
        if ((~bytes.spaces & w.blanks) != 0) return false;
        if (text == 0) return true;
        const std::uint64_t gaps = bytes.spaces & (0 - (text & (0 - text)));
        if ((bytes.others & w.within) != 0 || text >> 63 == 0 || (gaps & gaps >> 1) != 0) return false;
        cell_access::set(c, view(end - text_reach + trailing_zeros(text), end), number(), unit::text);
        return true;
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

    // Reads a cell of another form: nothing, `--`, a number with more digits.
    WLFMT_NOINLINE static bool read_odd_cell(const window& w, const char* end, cell& c) noexcept {
        if (read_missing_cell(w, end, c) || cells::read_negative_cell(w.unit, end, w.inside, c)) return true;
        const std::string_view printed = view(end - most_plain + cells::find_cell(end, w.inside), end);
        cell_access::text(c) = printed;
        return printed.size() <= w.end - w.begin - column_gap &&
               table_cells::read_any_cell(w.unit, c) == error_kind::none;
    }
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
