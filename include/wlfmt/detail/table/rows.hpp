// What a reader of tables keeps between rows, and the two ways to find a row's cells: by placing phrases into columns,
// or, in rows as PyTorch prints them, several bytes at a time where the padding puts each cell.
#ifndef WLFMT_DETAIL_TABLE_ROWS_HPP
#define WLFMT_DETAIL_TABLE_ROWS_HPP

#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../number/read.hpp"
#include "cell.hpp"
#include "phrases.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The phrases of a line, and the columns of its table, into which they are placed.
struct phrase_places {
    static constexpr std::size_t no_phrase = static_cast<std::size_t>(-1);

    const std::size_t* at;  // phrase n is [at[2n], at[2n + 1])
    std::size_t phrases;
    const column_span* spans;
    const table::column* columns;
    std::size_t count;       // the number of columns
    std::size_t* phrase_of;  // the phrase of each column, or no_phrase; all are set once all phrases are placed

    // Places phrases in the usual case: each is within a column of its own, or begins in the last column, which it may
    // exceed. `shifted`: values that are wider than their columns have pushed the rest to the right, as PyTorch's
    // padding does. `aligned`: each value must then be exactly where the padding puts it, since foreign lines may look
    // similar. Returns how many phrases it places: all, or those before the first one without a column.
    WLFMT_INLINE std::size_t place_by_spans(bool shifted = false, bool aligned = false) const noexcept {
        if (shifted && phrases < 2) return 0;
        std::size_t phrase = 0;
        std::size_t shift = 0;
        for (std::size_t n = 0; n != count; ++n) {
            const column_span s{spans[n].begin + shift, spans[n].end + shift};
            phrase_of[n] = no_phrase;
            if (phrase == phrases || at[2 * phrase] >= s.end) continue;
            const std::size_t begin = at[2 * phrase];
            const std::size_t end = at[2 * phrase + 1];
            if (begin < s.begin) return phrase;
            if (end > s.end) {
                if (shifted ? begin != s.begin : n + 1 != count) return phrase;
                shift += end - s.end;
            } else if (aligned && end != s.end && !columns[n].left_aligned) {
                return phrase;
            }
            phrase_of[n] = phrase++;
        }
        return phrase;
    }

    // Places each phrase in the column of the same number; false if the line has another number of phrases.
    bool place_by_count() const noexcept {
        for (std::size_t n = 0; n != count; ++n) phrase_of[n] = n;
        return phrases == count;
    }
};

// Whether a line whose only phrase is [begin, end) is a stack frame: the phrase is within a column after the first, or
// begins at the column of source locations or after that, since a path may be wider than its column.
inline bool is_frame_at(std::size_t begin, std::size_t end, const column_span* spans, std::size_t source) noexcept {
    if (begin < spans[1].begin && (source != 0 || begin == 0 || end <= spans[0].end)) return false;
    if (begin >= spans[source].begin) return true;
    std::size_t n = 1;
    while (spans[n].end <= begin) ++n;
    return begin >= spans[n].begin && end <= spans[n].end;
}

// Tells from the labels of a header, one after the other, to which side each column is aligned.
struct label_sides {
    std::size_t shift = 0;

    // Takes the label at [begin, end) of the line, in the column with this span.
    void add_label(std::size_t begin, std::size_t end, column_span s, bool& left_aligned) noexcept {
        const bool begins = begin == s.begin + shift;
        if (begins && end < s.end + shift) left_aligned = true;
        if (!begins && end == s.end + shift) left_aligned = false;
        if (end > s.end + shift) shift = end - s.end;
    }
};

// Rows as PyTorch prints them: the 16 bytes before a cell's end hold the cell. They may begin before the line, but are
// inside the text: a rule, a header and another rule, together longer than 16 bytes, come before any row.

inline constexpr std::size_t max_plain = 16;

// The bits of the last `size` of 16 bytes, as classify_sixteen() numbers them, and bit 16 for their end.
WLFMT_INLINE unsigned last_of_sixteen(std::size_t size) noexcept { return (0xFFFF0000U >> size & 0xFFFFU) | 1U << 16; }

// A form of cells: at most eight characters and a suffix, such as `0.000us`, with any number of digits before the
// point. XOR with the pattern turns digits into values up to 9, and the point into 0. Weighted sums join two
// neighbouring values, and then two such sums, into numbers below 10^4. Two of these, each times its scale, add up to a
// numerator. All of that is exact, so only the division rounds.
struct alignas(128) plain_form {
    std::int16_t pair_weights[8] = {};
    std::int16_t four_weights[8] = {};
    double scales[2] = {};
    std::uint64_t pattern = every_byte('0');
    std::uint64_t beyond = every_byte(0x76);  // added to a value, gives 0x80 or more if the value is too large
    std::uint64_t before_point = 0;           // the bytes before the point
    std::uint64_t suffix = 0;       // the suffix in the last eight bytes, of which the lowest comes first in the text
    std::uint64_t suffix_mask = 0;  // which of its bits count: all but the case of letters in units of memory
    double over = 1;
    std::uint64_t first = 17;  // where the cell's eight characters begin in the 16 bytes before its end
    std::uint64_t spare = 7;   // how many of the eight characters a cell may lack
    table::unit unit = table::unit::count;

    // Begins after the 16 bytes, so that no cell has this form.
    constexpr plain_form() noexcept = default;
    constexpr plain_form(table::unit measured, const printed_unit& in) noexcept
        : over(in.over), first(8 - in.suffix.size()), unit(measured) {
        const std::string_view after = in.suffix;
        const auto fraction = static_cast<unsigned>(in.decimals);
        for (std::size_t n = 0; n != after.size(); ++n) {
            const std::size_t at = 8 * (8 - after.size() + n);
            const bool any_case = unit == table::unit::bytes && after[n] != ' ';
            const std::uint64_t bits = any_case ? 0xDF : 0xFF;
            suffix_mask |= bits << at;
            suffix |= (static_cast<unsigned char>(after[n]) & bits) << at;
        }
        const unsigned point = fraction == 0 ? 8 : 7 - fraction;
        if (fraction != 0) {
            spare = point - 1;
            pattern ^= std::uint64_t{'0' ^ '.'} << 8 * point;
            beyond ^= std::uint64_t{0x76 ^ 0x7F} << 8 * point;
            before_point = (std::uint64_t{1} << 8 * point) - 1;
        }
        // In the pair with the point, the other character has weight 1.
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
            scales[half] = static_cast<double>(power) * in.times;
            power = weight;
        }
    }
};

// The forms of all units. The last character but one of a cell chooses its form: a digit if the suffix has one
// character, any character if there is no suffix. Others choose the first form, which no cell has.
struct plain_forms {
    plain_form forms[4 + std::size(time_units) + std::size(other_time_units) + std::size(memory_units) +
                     std::size(other_memory_units)] = {};
    std::uint8_t choice[std::size(unit_rows)][256] = {};
    std::uint8_t count = 1;

    constexpr plain_forms() noexcept {
        add(table::unit::percent, percent_unit);
        add(table::unit::count, {1, "", 0});
        add(table::unit::flops, flops_unit);
        for (const printed_unit& unit : time_units) add(table::unit::microseconds, unit);
        for (const printed_unit& unit : other_time_units) add(table::unit::microseconds, unit);
        for (const printed_unit& unit : memory_units) add(table::unit::bytes, unit);
        for (const printed_unit& unit : other_memory_units) add(table::unit::bytes, unit);
    }
    constexpr void add(table::unit unit, const printed_unit& in) noexcept {
        if (in.few == 0) return;
        std::uint8_t* const chosen = choice[static_cast<std::size_t>(unit)];
        if (in.suffix.size() < 2) {
            const unsigned first = in.suffix.empty() ? 0 : '0';
            const unsigned last = in.suffix.empty() ? 0xFF : '9';
            for (unsigned c = first; c <= last; ++c) chosen[c] = count;
        } else {
            const auto letter = static_cast<unsigned char>(in.suffix[in.suffix.size() - 2]);
            chosen[letter] = count;
            if (unit == table::unit::bytes) chosen[letter ^ 0x20U] = count;
        }
        forms[count++] = plain_form(unit, in);
    }
};
inline constexpr plain_forms plain_cells = {};

// Which of the two rules around the header a table lacks. The message of missing_rule depends on it.
enum class lacking_rules : std::uint8_t { none, above, below, both };

// Where a line goes on after its prefix. If lines have prefixes, `after` is where the line before it ends.
struct line_place {
    const char* at;
    const char* after;
};

// The first lines of a table.
struct table_beginning {
    line_place rows;        // where the first row is; at first, where the table begins
    line_place below = {};  // where the line below the header is
    std::string_view names = {};
    std::string_view rule = {};    // the rule that the columns are taken from; empty if there is none
    std::string_view second = {};  // the rule below the header
    lacking_rules lacks = lacking_rules::none;
    std::size_t groups = 0;        // how many groups of dashes the rule has; their spans are in the state
    std::string_view beyond = {};  // the first group after table::max_columns others
};

// The right edge of a table's lines, and what shows that they were cut there.
struct table_edge {
    std::string_view name = {};  // the name of the cut column, perhaps empty; null if nothing shows a cut
    std::size_t width = 0;       // the width of the rule, in characters
    bool laid_out = false;       // the columns are PyTorch's, in its order
};

// What a reader keeps between two rows.
struct table_state {
    enum class part : std::uint8_t { before_any, rows, totals, after_totals };  // what at_ points to
    // The bytes of a line in which a cell is expected.
    struct window {
        std::size_t end;       // where the column ends
        std::size_t begin;     // where the gap before it begins
        unsigned inside;       // for a number: which of the last 16 bytes are not before `begin`
        std::uint64_t blanks;  // for a text: the bytes before `end` that have to be blank
        std::uint64_t within;  // for a text: the bytes that belong to it
        table::unit unit;
    };

    const char* at_;     // the next line, after its prefix
    const char* table_;  // the first line of this table, after its prefix
    const char* end_;
    const char* after_;  // where the line before the next one ends, if there are prefixes
    problems problems_;
    table::row row_;
    item_list<text_view> titles_;
    item_list<table::total> totals_;
    std::string_view prefix_ = {};  // the prefix of the lines to read; under any_prefix, empty until a table is found
    std::string_view rule_ = {};    // the rule that gives the columns; the closing one usually has the same bytes
    std::string_view refused_rule_ = {};  // the rule of a table whose header was refused, until it is closed
    std::size_t column_count_ = 0;
    std::size_t source_ = 0;  // the position of the column of source locations, or column_count_
    table_edge edge_;
    const char* ahead_ = nullptr;  // if phrases_ already holds the line at at_: the line after it
    part part_ = part::before_any;
    bool any_prefix_;
    bool any_table_ = false;
    bool by_table_ = false;  // the program goes from table to table itself: next() then ends with a table
    bool planned_ = false;   // windows_ are set: PyTorch's own layout
    bool orphans_ = false;   // stack frames that follow belong to a row that could not be read
    bool cut_ = false;       // the table's last row was cut, and that was reported
    bool measured_ = false;  // a column after the first holds measures
    text_view title_items_[table::max_titles];
    table::total total_items_[table::max_totals];
    table::column column_items_[table::max_columns];
    column_span spans_[table::max_columns];
    window windows_[table::max_columns];
    table::cell cells_[table::max_columns];
    table_phrases phrases_;

    table_state(std::string_view text, std::size_t mark_size, const options& options) noexcept
        : at_(text.data() + mark_size),
          table_(at_),
          end_(text.data() + text.size()),
          after_(at_),
          problems_(text, options),
          any_prefix_(options.prefix == any_prefix) {
        if (!any_prefix_) prefix_ = options.prefix;
    }
};

// Finds the cells of the row at r.at_, or of the line that was split.
struct table_rows {
    using form_type = plain_form;
    using unit = table::unit;
    using cell = table::cell;
    using part = table_state::part;
    using window = table_state::window;

    // The first byte that is not in a line read so far.
    static const char* rest(const table_state& r) noexcept { return r.prefix_.empty() ? r.at_ : r.after_; }

    static phrase_places placing(const table_state& r, std::size_t* phrase_of) noexcept {
        return {r.phrases_.positions(), r.phrases_.count, r.spans_, r.column_items_, r.column_count_, phrase_of};
    }
    static std::string_view& text(table_state& r, std::size_t n) noexcept { return cell_access::text(r.cells_[n]); }
    // Sets the text of each cell. Returns false if the phrases do not fit the columns in any way.
    WLFMT_INLINE static bool fill_cells(table_state& r, bool aligned = true) noexcept {
        std::size_t phrase_of[table::max_columns];
        const phrase_places row = placing(r, phrase_of);
        if (WLFMT_UNLIKELY(row.place_by_spans() != row.phrases)) {
            if (is_changed(r) || (!row.place_by_count() && row.place_by_spans(true, aligned) != row.phrases))
                return false;
        }
        for (std::size_t n = 0; n != r.column_count_; ++n)
            text(r, n) = phrase_of[n] != row.no_phrase ? r.phrases_[phrase_of[n]] : std::string_view();
        return true;
    }
    // Whether a diff removes or adds this line. Its mark comes before the table's indentation.
    WLFMT_COLD static bool is_changed(const table_state& r) noexcept {
        const char mark = r.phrases_.count == 0 || r.phrases_.positions()[0] != 0 ? ' ' : r.phrases_[0].front();
        return (mark == '-' || mark == '+') && r.spans_[0].begin != 0;
    }

    // The number that the values of eight characters make, times the form's factor.
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

    // The index of the first of the 16 bytes before `end` that is not a space and is in `inside`; 16 if there is none.
    WLFMT_INLINE static std::size_t find_cell(const char* end, unsigned inside) noexcept {
        return trailing_zeros(~static_cast<unsigned>(classify_sixteen(end - 16).spaces) & inside);
    }

    // Reads the number of that form that begins at byte `first` of the 16 before `end`.
    WLFMT_INLINE static bool read_form(const form_type& form, const char* end, std::size_t first,
                                       number& value) noexcept {
        const std::uint64_t lacking = first - form.first;
        if (WLFMT_UNLIKELY(lacking > form.spare || ((load_eight(end - 8) ^ form.suffix) & form.suffix_mask) != 0))
            return false;
        // Sets the bytes before the number to 0. (A blank within the number is not a digit, and stays.)
        static constexpr std::uint64_t without_first[8] = {
            ~std::uint64_t{0},       ~std::uint64_t{0} << 8,  ~std::uint64_t{0} << 16, ~std::uint64_t{0} << 24,
            ~std::uint64_t{0} << 32, ~std::uint64_t{0} << 40, ~std::uint64_t{0} << 48, ~std::uint64_t{0} << 56};
        std::uint64_t word = (load_eight(end - 16 + form.first) ^ form.pattern) & without_first[lacking];
        // Sets the highest bit of at least the lowest byte that is not a digit: no lower byte carries into it.
        if (WLFMT_UNLIKELY((((word + form.beyond) | word) & every_byte(0x80)) != 0)) return false;
        const double digits = sum_digits(form, word);
        if (form.unit == table::unit::count) value = static_cast<std::int64_t>(digits);
        else value = digits / form.over;
        return true;
    }

    WLFMT_INLINE static const form_type& form_of(table::unit unit, const char* end) noexcept {
        const auto& choice = plain_cells.choice[static_cast<std::size_t>(unit)];
        return plain_cells.forms[choice[static_cast<unsigned char>(end[-2])]];
    }

    // Reads the cell that ends at `end`. `inside` has the bits of the 16 bytes before `end` that are the cell's or
    // blanks before it, as in last_of_sixteen(). Returns false if the cell has none of the forms above.
    WLFMT_INLINE static bool read_plain_cell(table::unit unit, const char* end, unsigned inside,
                                             table::cell& c) noexcept {
        if (!has_fast_paths || !exact_arithmetic) return false;
        const std::size_t first = find_cell(end, inside);
        number value;
        if (WLFMT_UNLIKELY(!read_form(form_of(unit, end), end, first, value))) return false;
        cell_access::set(c, std::string_view(end - 16 + first, 16 - first), value, unit);
        return true;
    }
    // Reads a cell of another form: nothing, `--`, a number with more digits or with a minus sign.
    WLFMT_NOINLINE static error_kind read_odd_cell(table::unit unit, std::string_view printed,
                                                   table::cell& c) noexcept {
        if (has_fast_paths && exact_arithmetic && printed.size() <= max_plain && printed.substr(0, 1) == "-") {
            const char* const end = printed.data() + printed.size();
            number value;
            if (read_form(form_of(unit, end), end, max_plain - printed.size() + 1, value)) {
                if (value.is_integer()) value = -number_access::integer(value);
                else value = -number_access::decimal(value);
                cell_access::set(c, printed, value, unit);
                return error_kind::none;
            }
        }
        cell_access::text(c) = printed;
        return table_cells::read_any_cell(unit, c);
    }

    static constexpr std::size_t text_reach = 64;   // how far before its column's end a name may begin
    static constexpr std::size_t least_width = 12;  // the width of eight characters, a suffix of three and a sign

    // Prepares for PyTorch's own layout: right-aligned columns, two blanks between them, and its units.
    static void plan(table_state& r) noexcept {
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
            case unit::other:
            case unit::cut: return;
            default:
                // Cells of a plain form then fit their columns, and 16 bytes show that all before them is blank.
                if (n == 0 || width < least_width || gap + width > max_plain) return;
                w.inside = last_of_sixteen(gap + width);
                numbers = true;
            }
            after = s.end;
        }
        r.planned_ = has_fast_paths && numbers;
    }

    // Reads the row at at_ in PyTorch's layout. Returns where the next line begins, or null for any other row.
    WLFMT_INLINE static const char* read_planned_row(table_state& r) noexcept {
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
            } else if (WLFMT_UNLIKELY(!read_plain_cell(w->unit, end, w->inside, *c))) {
                const std::string_view printed = view(end - max_plain + find_cell(end, w->inside), end);
                if (printed.size() > w->end - w->begin - column_gap ||
                    read_odd_cell(w->unit, printed, *c) != error_kind::none)
                    return nullptr;
            }
        }
        // A line with an empty name, or one that begins like a rule or ends like a total's, may not be a row.
        const std::string_view name = r.cells_[0].text();
        if (WLFMT_UNLIKELY(name.empty() || name.front() == '-' || name.front() == '=' || name.back() == ':'))
            return nullptr;
        // A line without its last cell may be only a name.
        if (WLFMT_UNLIKELY(r.cells_[r.column_count_ - 1].text().empty())) return nullptr;
        const char* p = begin + length;
        if (p[0] == ' ' && p[1] == ' ') p += 2;
        r.row_.source = view(begin, p);
        if (p != r.end_ && *p == '\r') ++p;
        return p != r.end_ && *p == '\n' ? p + 1 : nullptr;
    }

    // Finds the text that ends at `end`: a single phrase of plain characters, or nothing.
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
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
