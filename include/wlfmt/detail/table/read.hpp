// Reading profiler summary tables.
//
// A row is read on one of two paths with the same answers. The planned path looks for each cell where PyTorch's padding
// puts it. The general path splits the line into its runs and places these into the columns.
#ifndef WLFMT_DETAIL_TABLE_READ_HPP
#define WLFMT_DETAIL_TABLE_READ_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "../../table.hpp"
#include "../core/decimal.hpp"
#include "runs.hpp"
#include "../core/scan.hpp"
#include "cell.hpp"

#include "../core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace table {

inline unit unit_of(std::string_view name) noexcept {
    const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
    if (name == "Name" || name == "Overload Name" || name == "Input Shapes") return unit::text;
    if (name == "Source Location") return unit::source;
    if (has("Mem")) return unit::bytes;
    if (has("%")) return unit::percent;
    if (has("FLOP")) return unit::flops;
    if (has("Calls") || name == "Node ID") return unit::count;
    if (has("time") || has("total") || name.substr(0, 5) == "Self ") return unit::microseconds;
    return unit::other;
}

inline column::column(std::string_view column_name) noexcept
    : name(column_name), unit(unit_of(column_name)), left_aligned(unit == table::unit::source) {}

inline std::size_t find(list<column> columns, std::string_view name) noexcept {
    std::size_t n = 0;
    while (n != columns.size() && columns[n].name != name) ++n;
    return n;
}

class frame_list::iterator {
public:
    std::string_view operator*() const noexcept { return current_; }
    const std::string_view* operator->() const noexcept { return &current_; }
    iterator& operator++() noexcept {
        advance();
        return *this;
    }
    friend bool operator!=(const iterator& i, sentinel) noexcept { return !i.done_; }
    friend bool operator==(const iterator& i, sentinel) noexcept { return i.done_; }

private:
    friend class frame_list;
    explicit iterator(const frame_list& l) noexcept
        : items_(l.items_), end_items_(l.items_ + l.count_), lines_(l.lines_) {
        advance();
    }
    void advance() noexcept {
        if (items_ != end_items_) {
            current_ = *items_++;
            return;
        }
        while (!lines_.done()) {
            current_ = detail::without_blanks(lines_.next());
            if (!current_.empty()) return;
        }
        done_ = true;
    }

    const std::string_view* items_;
    const std::string_view* end_items_;
    detail::line_cursor lines_;
    std::string_view current_ = {};
    bool done_ = false;
};

inline bool frame_list::empty() const noexcept { return begin() == end(); }
inline frame_list::iterator frame_list::begin() const noexcept { return iterator(*this); }
inline std::size_t frame_list::size() const noexcept {
    std::size_t n = 0;
    for (iterator i(*this); i != sentinel{}; ++i) ++n;
    return n;
}

}  // namespace table

namespace detail {

// Does PyTorch print the values of the last two columns under each other's names?
inline bool is_stack_and_flops(table::list<table::column> columns) noexcept {
    const std::size_t n = columns.size();
    return n >= 2 && columns[n - 2].unit == table::unit::source && columns[n - 1].unit == table::unit::flops;
}

// Lines around a table.

// A line of nothing but `=`, as stands above a title.
inline bool is_title_rule(std::string_view line) noexcept {
    line = without_blanks(line);
    return line.size() >= 3 && line.find_first_not_of('=') == std::string_view::npos;
}

// `Self CPU time total: 8.303s`: a name of the form [Self ]WORD time total, and one word behind the colon.
inline bool split_total(std::string_view line, table::total& t) noexcept {
    line = without_blanks(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    t.name = line.substr(0, colon);
    constexpr std::string_view tail = " time total";
    if (t.name.size() <= tail.size() || t.name.substr(t.name.size() - tail.size()) != tail) return false;
    std::string_view word = t.name.substr(0, t.name.size() - tail.size());
    if (word.substr(0, 5) == "Self ") word.remove_prefix(5);
    if (word.empty()) return false;
    for (std::size_t n = 0; n < word.size(); n += character_size(word, n)) {
        const char* p = word.data() + n;
        if (static_cast<unsigned char>(*p) < 0x80 ? !is_name(*p) : blank_size(p, word.data() + word.size()) != 0)
            return false;
    }
    t.value = table::cell(without_blanks(line.substr(colon + 1)));
    const char* p = t.value.text.data();
    const char* const end = p + t.value.text.size();
    for (const char* q = p; q != end; ++q)
        if (blank_size(q, end) != 0) return false;
    return p != end;
}

}  // namespace detail

namespace table {

struct reader::implementation {
    // The rule and the header.

    // Is this line a rule: two or more groups of three or more dashes? Its groups become the spans of the columns, as
    // many as there is room for. Returns how many there are, 0 for another line.
    static std::size_t read_rule(std::string_view line, span* spans, std::string_view& beyond) noexcept {
        const char* p = line.data();
        const char* const end = p + line.size();
        std::size_t groups = 0;
        std::size_t character = 0;
        for (;;) {
            std::size_t blanks = 0;
            for (std::size_t size; p != end && (size = detail::blank_size(p, end)) != 0; p += size) ++blanks;
            if (p == end) return groups >= 2 ? groups : 0;
            if (groups != 0 && blanks == 0) return 0;
            const char* const begin = p;
            while (end - p >= 8 && detail::load_eight(p) == detail::every_byte('-')) p += 8;
            while (p != end && (*p == '-' || *p == '=')) ++p;
            const auto size = static_cast<std::size_t>(p - begin);
            if (size < 3) return 0;
            character += blanks;
            if (spans != nullptr && groups < max_columns) spans[groups] = {character, character + size};
            if (groups == max_columns) beyond = detail::view(begin, p);
            character += size;
            ++groups;
        }
    }
    static bool is_rule(std::string_view line) noexcept {
        std::string_view beyond;
        return read_rule(line, nullptr, beyond) != 0;
    }
    // The same for the line that was just split.
    static bool is_rule_here(const reader& r) noexcept {
        if (r.runs_.count == 0 || (r.runs_[0].front() != '-' && r.runs_[0].front() != '=')) return false;
        return r.runs_.line == r.rule_ || is_rule(r.runs_.line);
    }

    // Splits a header line into its names.
    static std::size_t count_names(reader& r, std::string_view line) noexcept {
        r.runs_.split(line.data(), line.data() + line.size());
        if (!r.runs_.plain) r.runs_.split_characters(true);
        return r.runs_.count;
    }

    // Takes the names of the columns from the header line. False where it and the rule disagree.
    static bool read_names(reader& r, std::string_view line, std::size_t& found) noexcept {
        auto& runs = r.runs_;
        found = count_names(r, line);
        if (!runs.plain && found != r.column_count_) runs.split_characters(false);
        for (std::size_t n = 0; n != r.column_count_; ++n) r.columns_[n] = column();
        if (found != r.column_count_ && !place(r, false)) return false;

        std::size_t shift = 0;
        std::size_t run = 0;
        const std::size_t* at = runs.positions();
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const std::string_view name = found == r.column_count_ ? runs[n] : r.cells_[n].text;
            const span s = r.spans_[n];
            column c(name);
            const std::size_t width = s.end - s.begin;
            constexpr std::size_t most = (std::numeric_limits<std::uint32_t>::max)();
            c.width = static_cast<std::uint32_t>(width < most ? width : most);
            if (!name.empty()) {
                const std::size_t begin = at[2 * run];
                const std::size_t end = at[2 * run + 1];
                ++run;
                const bool ends_left = end < s.end + shift;
                if (begin == s.begin + shift && ends_left) c.left_aligned = true;
                if (begin != s.begin + shift && end == s.end + shift) c.left_aligned = false;
                if (end > s.end + shift) shift = end - s.end;
            }
            r.columns_[n] = c;
        }
        return true;
    }

    // Reads rule, header and rule where they begin at p. False: they do not, or (not ok) the table cannot be read.
    static bool begin_table(reader& r, const char* p, bool titled) noexcept {
        detail::line_cursor lines(detail::view(p, r.end_));
        const std::string_view rule = lines.next();
        std::string_view beyond;
        const std::size_t groups = read_rule(rule, r.spans_, beyond);
        if (groups == 0 || lines.done()) return false;
        const std::string_view names = lines.next();
        if (lines.done()) return false;
        const std::string_view second_rule = lines.next();
        if ((second_rule != rule && !is_rule(second_rule)) || is_rule(names)) return false;

        std::size_t found = 0;
        const bool fits = groups <= max_columns;
        r.column_count_ = fits ? groups : 0;
        const bool begun = fits && read_names(r, names, found);
        // What stands under titles is no table then, and the titles are foreign lines.
        if (!begun && titled) {
            r.column_count_ = 0;
            return false;
        }
        // A rule unlike the one before may be the first of a table itself.
        r.at_ = begun || second_rule == rule ? lines.at() : second_rule.data();
        r.any_table_ = true;
        r.rule_ = rule;
        if (!fits) {
            r.problems_.report(error_kind::too_many_columns, beyond.data(), beyond.size(), {},
                               static_cast<std::int64_t>(groups), static_cast<std::int64_t>(max_columns));
            return false;
        }
        if (!begun) {
            r.column_count_ = 0;
            const std::string_view all = detail::without_blanks(names);
            r.problems_.report(error_kind::column_mismatch, all.data(), all.size(), {}, static_cast<std::int64_t>(found),
                               static_cast<std::int64_t>(groups));
            return false;
        }
        r.source_ = find(r.columns(), "Source Location");
        r.stack_and_flops_ = detail::is_stack_and_flops(r.columns());
        r.orphans_ = r.planned_ = false;
        r.ahead_ = nullptr;
        r.row_ = {{r.cells_, groups}, {}};
        r.part_ = part::rows;
        plan(r);
        return true;
    }

    // The same where titles may stand above: lines of text, each under a line of `=`.
    static bool begin_titled_table(reader& r, const char* p) noexcept {
        detail::line_cursor lines(detail::view(p, r.end_));
        std::size_t titles = 0;
        while (titles != max_titles && !lines.done()) {
            const detail::line_cursor before = lines;
            if (!detail::is_title_rule(lines.next())) {
                lines = before;
                break;
            }
            if (lines.done()) return false;
            const std::string_view text = detail::without_blanks(lines.next());
            if (text.empty() || detail::is_title_rule(text) || is_rule(text)) return false;
            r.titles_[titles++] = text;
        }
        const bool begun = begin_table(r, lines.at(), titles != 0);
        r.title_count_ = begun ? titles : 0;
        return begun;
    }

    // Placing runs into columns.

    static void take(reader& r, std::size_t column, std::size_t run) noexcept { r.cells_[column].text = r.runs_[run]; }
    static void take_nothing(reader& r, std::size_t column) noexcept { r.cells_[column].text = {}; }

    // Every run lies within a column of its own; the last column has no end.
    static bool place_by_spans(reader& r) noexcept {
        const std::size_t* at = r.runs_.positions();
        std::size_t run = 0;
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const span s = r.spans_[n];
            if (run == r.runs_.count || at[2 * run] >= s.end) {
                take_nothing(r, n);
                continue;
            }
            if (at[2 * run] < s.begin || (at[2 * run + 1] > s.end && n + 1 != r.column_count_)) return false;
            take(r, n, run++);
        }
        return run == r.runs_.count;
    }

    // The line as PyTorch pads it where values that outgrow their columns push the rest of it to the right. `aligned`:
    // as foreign lines may look alike, a value must stand where padding puts it.
    static bool place_by_shifted_spans(reader& r, bool aligned) noexcept {
        if (r.runs_.count < 2) return false;
        const std::size_t* at = r.runs_.positions();
        std::size_t run = 0;
        std::size_t shift = 0;
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const span s{r.spans_[n].begin + shift, r.spans_[n].end + shift};
            if (run == r.runs_.count || at[2 * run] >= s.end) {
                take_nothing(r, n);
                continue;
            }
            const std::size_t begin = at[2 * run];
            const std::size_t end = at[2 * run + 1];
            if (begin < s.begin) return false;
            if (end > s.end) {
                if (begin != s.begin) return false;
                shift += end - s.end;
            } else if (aligned && end != s.end && !r.columns_[n].left_aligned) {
                return false;
            }
            take(r, n, run++);
        }
        return run == r.runs_.count;
    }

    // Gives each cell its text. False: the runs fit no reading of the rule.
    WLFMT_INLINE static bool place(reader& r, bool aligned = true) noexcept {
        if (WLFMT_LIKELY(place_by_spans(r))) return true;
        if (r.runs_.count != r.column_count_) return place_by_shifted_spans(r, aligned);
        for (std::size_t n = 0; n != r.column_count_; ++n) take(r, n, n);
        return true;
    }

    // The first run that lies within no column of its own, and the column it touches.
    WLFMT_COLD static void report_row(reader& r) noexcept {
        const auto& runs = r.runs_;
        const std::size_t* at = runs.positions();
        const std::size_t last = (runs.count <= max_columns ? runs.count : max_columns) - 1;
        std::size_t n = 0;
        std::size_t taken = max_columns;
        std::string_view field;
        std::size_t run = 0;
        for (;; ++run) {
            const std::size_t begin = at[2 * run];
            const std::size_t end = at[2 * run + 1];
            while (n != r.column_count_ && r.spans_[n].end <= begin) ++n;
            const bool touches = n != r.column_count_ && end > r.spans_[n].begin;
            field = touches ? r.columns_[n].name : std::string_view();
            const bool within = touches && begin >= r.spans_[n].begin && end <= r.spans_[n].end;
            if (!within || n == taken || run == last) break;
            taken = n;
        }
        r.problems_.report(error_kind::row_mismatch, runs[run].data(), runs[run].size(), field,
                           static_cast<std::int64_t>(runs.count), static_cast<std::int64_t>(r.column_count_));
    }

    // Rows that stand where they are expected.

    // A name is looked for among this many bytes before its column's end.
    static constexpr std::size_t text_reach = 64;
    // So many blanks stand between two columns.
    static constexpr std::size_t column_gap = 2;

    // Prepares for rows in PyTorch's own layout: two blanks between columns that are right-aligned and have its units.
    static void plan(reader& r) noexcept {
        bool numbers = false;
        std::size_t behind = 0;
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const column& c = r.columns_[n];
            const span s = r.spans_[n];
            const std::size_t width = s.end - s.begin;
            const std::size_t gap = s.begin - behind;  // the first column's is the table's indentation
            if (c.left_aligned || (n != 0 && gap != column_gap)) return;
            window& w = r.windows_[n];
            w = {s.end, behind, width, 0, 0, c.unit};
            switch (c.unit) {
            case unit::text:
                if (gap + width > text_reach) return;
                w.within = ~std::uint64_t{0} << (text_reach - width);
                w.blanks = gap == 0 ? 0 : (~std::uint64_t{0} << (text_reach - width - gap)) & ~w.within;
                break;
            case unit::source:
            case unit::other: return;
            default:
                if (n == 0 || width < detail::least_reach) return;
                if (width > detail::most_reach) w.reach = detail::most_reach;
                if (gap + width - w.reach > 8) return;
                w.blanks = ~std::uint64_t{0} >> (64 - 8 * (gap + width - w.reach));
                numbers = true;
            }
            behind = s.end;
        }
        r.planned_ = numbers;
    }

    // Reads the row at at_ that way; returns where the next line begins, null where it is not such a row.
    WLFMT_INLINE static const char* read_planned_row(reader& r) noexcept {
        const char* line = r.at_;
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
                const std::uint64_t before = detail::load_eight(line + w->begin) ^ detail::every_byte(' ');
                if (WLFMT_UNLIKELY((before & w->blanks) != 0)) return nullptr;
                if (WLFMT_LIKELY(detail::read_plain_cell(w->unit, end, w->reach, *c))) continue;
                shift = read_odd_cell(*w, end, r.end_, *c);
            }
            if (WLFMT_LIKELY(shift == 0)) continue;
            // All that follows stands further to the right.
            line += shift;
            if (shift < 0 || static_cast<std::size_t>(r.end_ - line) < length + 3) return nullptr;
        }
        // An empty name, or one that begins as a rule does, may be no row's.
        const std::string_view name = r.cells_[0].text;
        if (WLFMT_UNLIKELY(name.empty() || name.front() == '-' || name.front() == '=')) return nullptr;
        const char* p = line + length;
        if (p[0] == ' ' && p[1] == ' ') p += 2;
        if (p != r.end_ && *p == '\r') ++p;
        return p != r.end_ && *p == '\n' ? p + 1 : nullptr;
    }

    // How many bytes further than planned a cell reaches, and with it all that stands behind it.
    static constexpr std::ptrdiff_t not_planned = -1;

    // The text that ends at `end`, one run, or nothing. Returns by how much it reaches further, or not_planned.
    WLFMT_INLINE static std::ptrdiff_t find_planned_text(const window& w, const char* end, const char* text_end,
                                                         cell& c) noexcept {
        const detail::byte_classes bytes = detail::classify(end - text_reach);
        const std::uint64_t text = ~bytes.spaces & w.within;
        c.value = number();
        c.text = {};
        if ((~bytes.spaces & w.blanks) != 0) return not_planned;
        if (text == 0) return 0;
        const char* const begin = end - text_reach + detail::trailing_zeros(text);
        if (WLFMT_UNLIKELY((bytes.others & w.within) != 0)) return find_wide_text(begin, end, text_end, c);
        const std::uint64_t gaps = bytes.spaces & (0 - (text & (0 - text)));
        if (text >> 63 == 0 || (gaps & gaps >> 1) != 0) return not_planned;
        c.text = detail::view(begin, end);
        return 0;
    }

    // The same for a text of other alphabets, whose characters have more than one byte.
    static std::ptrdiff_t find_wide_text(const char* begin, const char* end, const char* text_end, cell& c) noexcept {
        const char* p = begin;
        for (std::ptrdiff_t characters = end - begin; characters != 0; --characters) {
            if (p == text_end) return not_planned;
            const auto byte = static_cast<unsigned char>(*p);
            if (byte < 0x80 ? byte < ' ' || (byte == ' ' && p[-1] == ' ') : detail::blank_size(p, text_end) != 0)
                return not_planned;
            p += detail::character_size(detail::view(p, text_end), 0);
        }
        if (p[-1] == ' ') return not_planned;
        c.text = detail::view(begin, p);
        return p - end;
    }

    // A cell without a value, of which a column may hold many: nothing, `0`, `--` or `NaN`. One comparison each and no
    // branch between them, as they come in no order.
    WLFMT_INLINE static bool read_missing_cell(const window& w, const char* end, cell& c) noexcept {
        constexpr std::uint64_t spaces = detail::every_byte(' ');
        constexpr std::uint64_t zero = (spaces >> 8) | std::uint64_t{'0'} << 56;
        constexpr std::uint64_t dashes = (spaces >> 16) | std::uint64_t{'-' << 8 | '-'} << 48;
        constexpr std::uint64_t nan = (spaces >> 24) | std::uint64_t{'N' | 'a' << 8 | 'N' << 16} << 40;
        const std::size_t size = w.end - w.begin;
        const std::uint64_t last = detail::load_eight(end - 8);
        const bool held = (last == spaces) | (last == zero) | (last == dashes) | (last == nan);
        if (!held || detail::load_eight(end - (size < 16 ? size : 16)) != spaces) return false;
        c.text = detail::view(end - (3 * (last == nan) + 2 * (last == dashes) + (last == zero)), end);
        c.value = last == zero ? number(0) : number();
        return true;
    }

    // A cell of another form: nothing, `--`, a number in more digits. One that fills its column may reach further.
    // Returns by how much, or not_planned.
    static std::ptrdiff_t read_odd_cell(const window& w, const char* end, const char* text_end, cell& c) noexcept {
        if (read_missing_cell(w, end, c)) return 0;
        const char* const column = end - (w.end - w.begin - column_gap);
        const char* begin = column;
        while (begin != end && *begin == ' ') ++begin;
        const char* stop = end;
        if (begin == column)
            while (text_end - stop >= 2 && (stop[0] > ' ' || (stop[0] == ' ' && stop[1] > ' '))) ++stop;
        c = cell(detail::view(begin, stop));
        return detail::read_any_cell(w.unit, c) == error_kind::none ? stop - end : not_planned;
    }

    // Rows.

    // PyTorch prints the FLOPs under Source Location and the path under the FLOPs. Tables that were mended by hand
    // show it by a FLOPs value in its own column.
    static void unswap(reader& r) noexcept {
        cell& source = r.cells_[r.column_count_ - 2];
        cell& flops = r.cells_[r.column_count_ - 1];
        const auto is_flops = [](std::string_view t) {
            return !t.empty() && detail::holds(unit::flops, detail::read_form(t, false));
        };
        if (is_flops(flops.text) && !source.text.empty() && !is_flops(source.text)) return;
        std::swap(source.text, flops.text);
    }

    // Reads the cells whose text is in place. False after an error.
    WLFMT_INLINE static bool read_cells(reader& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            cell& c = r.cells_[n];
            const unit u = r.columns_[n].unit;
            c.value = number();
            if (u == unit::text || u == unit::source || c.text.empty()) continue;
            const char* const end = c.text.data() + c.text.size();
            if (c.text.size() <= detail::most_reach && detail::read_plain_cell(u, end, c.text.size(), c)) continue;
            const error_kind problem = detail::read_any_cell(u, c);
            if (WLFMT_UNLIKELY(problem != error_kind::none) &&
                !r.problems_.report(problem, c.text.data(), c.text.size(), r.columns_[n].name, 0, detail::letter_of(u)))
                return false;
        }
        return true;
    }

    // A line of the stack below a row: one run, not in the first column. A path that outgrows its column still begins
    // behind the columns before it.
    static bool is_frame(const reader& r) noexcept {
        if (r.source_ == r.column_count_ || r.runs_.count != 1) return false;
        const std::size_t begin = r.runs_.positions()[0];
        const std::size_t end = r.runs_.positions()[1];
        if (begin < r.spans_[1].begin) return false;
        if (begin >= r.spans_[r.source_].begin) return true;
        std::size_t n = 1;
        while (r.spans_[n].end <= begin) ++n;
        return begin >= r.spans_[n].begin && end <= r.spans_[n].end;
    }

    // Splits the line at at_, unless that was done when looking ahead; returns where the next one begins.
    WLFMT_INLINE static const char* split(reader& r) noexcept {
        const char* next = r.ahead_;
        r.ahead_ = nullptr;
        return next != nullptr ? next : r.runs_.split(r.at_, r.end_);
    }

    // Takes the stack below the row, and the blank lines around it, and looks at the line behind.
    static void read_frames(reader& r) noexcept {
        const char* const begin = r.at_;
        const char* behind = begin;
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                if (!is_frame(r) || is_rule_here(r)) {
                    r.ahead_ = next;
                    break;
                }
                behind = next;
            }
            r.at_ = next;
        }
        r.row_.frames = behind != begin ? frame_list(detail::view(begin, behind)) : frame_list();
    }

    // Does the table go on behind the blank lines that begin at at_? Only if a rule follows, or a row without an empty
    // cell; stacks have blank lines of their own.
    static bool goes_on(reader& r) noexcept {
        const char* const blank = r.at_;
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                r.ahead_ = next;
                if (r.source_ != r.column_count_ || is_rule_here(r) || (place(r) && !has_empty_cell(r))) return true;
                break;
            }
            r.at_ = next;
        }
        r.ahead_ = nullptr;
        r.at_ = blank;
        return false;
    }
    static bool has_empty_cell(const reader& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n)
            if (r.cells_[n].text.empty()) return true;
        return false;
    }

    // Is the rule at p none that closes this table, but the first of another one? Tables that have no closing rule, or
    // lost it, follow one another in logs too. The line behind is split.
    static bool opens_table(reader& r, const char* p) noexcept {
        detail::line_cursor lines(detail::view(p, r.end_));
        std::string_view beyond;
        const std::size_t groups = read_rule(lines.next(), nullptr, beyond);
        if (lines.done()) return false;
        const std::string_view names = lines.next();
        return !lines.done() && is_rule(lines.next()) && !is_rule(names) && count_names(r, names) == groups;
    }

    // Goes to the next line that is a row, and splits it. False: the table is at its end, and at_ behind its rule.
    WLFMT_INLINE static bool next_row_line(reader& r) noexcept {
        while (r.at_ != r.end_) {
            const char* next = split(r);
            if (WLFMT_UNLIKELY(r.runs_.count == 0)) {
                if (goes_on(r)) continue;
                r.part_ = part::behind_totals;
                return false;
            }
            if (WLFMT_UNLIKELY(is_rule_here(r))) {
                if (opens_table(r, r.at_)) {
                    r.part_ = part::behind_totals;
                    return false;
                }
                r.at_ = next;
                break;
            }
            r.at_ = next;
            if (WLFMT_UNLIKELY(r.orphans_)) {
                if (is_frame(r)) continue;
                r.orphans_ = false;
            }
            return true;
        }
        r.part_ = part::totals;
        return false;
    }

    // Takes the lines of totals. `quiet`: what is wrong in them is of no interest. False after an error.
    static bool read_totals(reader& r, bool quiet) noexcept {
        while (r.at_ != r.end_) {
            detail::line_cursor lines(detail::view(r.at_, r.end_));
            total t;
            if (!detail::split_total(lines.next(), t)) break;
            std::size_t n = 0;
            while (n != r.total_count_ && r.totals_[n].name != t.name) ++n;
            if (n == max_totals) break;
            r.at_ = lines.at();
            const error_kind problem = detail::read_any_cell(unit::microseconds, t.value);
            r.totals_[n] = t;
            if (n == r.total_count_) ++r.total_count_;
            if (problem != error_kind::none && !quiet &&
                !r.problems_.report(problem, t.value.text.data(), t.value.text.size(), t.name, 0,
                                    detail::letter_of(unit::microseconds)))
                return false;
        }
        r.part_ = part::behind_totals;
        return true;
    }
};

inline reader::reader(std::string_view text, const options& how) noexcept
    : at_(text.data()), end_(text.data() + text.size()) {
    problems_.how = how;
    problems_.text = text.data();
    at_ += text.size() - detail::without_bom(text).size();
}

inline bool reader::next_table() noexcept {
    if (!ok()) return false;
    while (part_ == part::rows && implementation::next_row_line(*this)) continue;
    if (part_ == part::totals) implementation::read_totals(*this, true);
    part_ = part_ == part::before_any ? part::before_any : part::behind_totals;
    column_count_ = title_count_ = total_count_ = 0;
    while (at_ != end_) {
        const char* const begin = at_;
        detail::line_cursor lines(detail::view(begin, end_));
        const std::string_view line = lines.next();
        const char* const end_line = line.data() + line.size();
        const char* const first = detail::behind_blanks(begin, end_line);
        if (first != end_line && (*first == '-' || *first == '=')) {
            if (implementation::begin_titled_table(*this, begin)) return true;
            if (!ok()) return false;
            if (at_ != begin) continue;
        }
        at_ = lines.at();
        if (first == end_line || !problems_.how.strict) continue;
        const std::string_view foreign = detail::without_blanks(line);
        if (!problems_.report(error_kind::foreign_text, foreign.data(), foreign.size(), "profiler table")) return false;
    }
    if (!any_table_) {
        any_table_ = true;
        problems_.refuse(error_kind::no_records, end_, 0, "profiler table");
    }
    return false;
}

inline const row* reader::next() noexcept {
    if (WLFMT_UNLIKELY(!ok())) return nullptr;
    if (WLFMT_UNLIKELY(part_ == part::before_any) && !next_table()) return nullptr;
    if (WLFMT_LIKELY(planned_ && part_ == part::rows)) {
        const char* behind = implementation::read_planned_row(*this);
        if (WLFMT_LIKELY(behind != nullptr)) {
            at_ = behind;
            return &row_;
        }
    }
    while (part_ == part::rows && implementation::next_row_line(*this)) {
        if (WLFMT_UNLIKELY(!implementation::place(*this))) {
            orphans_ = true;
            implementation::report_row(*this);
            if (!ok()) return nullptr;
            continue;
        }
        if (WLFMT_UNLIKELY(stack_and_flops_)) implementation::unswap(*this);
        orphans_ = true;
        if (WLFMT_UNLIKELY(!implementation::read_cells(*this))) return nullptr;
        orphans_ = false;
        if (source_ != column_count_) implementation::read_frames(*this);
        return &row_;
    }
    if (part_ == part::totals) implementation::read_totals(*this, false);
    return nullptr;
}

inline bool reader::skip() noexcept {
    if (ok()) return false;
    problems_.first = {};
    return at_ != end_;
}

inline row summary::row(std::size_t n) const noexcept {
    table::row r;
    r.cells = {(*this)[n], columns.size()};
    if (n < frames.size()) r.frames = frames[n];
    return r;
}

inline void summary::push_back(const table::row& r) {
    if (!r.frames.empty()) {
        frames.resize(size());
        frames.push_back(r.frames);
    }
    cells.insert(cells.end(), r.cells.begin(), r.cells.end());
}

inline result<document> read(std::string_view text, const options& how) {
    reader tables(text, how);
    document doc;
    while (tables.next_table()) {
        doc.tables.emplace_back();
        summary& one = doc.tables.back();
        one.titles.assign(tables.titles().begin(), tables.titles().end());
        one.columns.assign(tables.columns().begin(), tables.columns().end());
        while (const row* r = tables.next()) one.push_back(*r);
        one.totals.assign(tables.totals().begin(), tables.totals().end());
    }
    return {std::move(doc), tables.error()};
}

}  // namespace table
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../core/end.hpp"

#include "write.hpp"  // last, as it builds on this one
#endif
