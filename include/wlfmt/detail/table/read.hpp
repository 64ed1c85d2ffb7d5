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
#include "../base/prefix.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"
#include "cell.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

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

inline std::string_view name_of(unit u) noexcept {
    constexpr std::string_view names[] = {"text",  "percent", "microseconds", "bytes",
                                          "count", "flops",   "source",       "other"};
    const auto n = static_cast<std::size_t>(u);
    return n < sizeof names / sizeof *names ? names[n] : "unknown";
}

inline column::column(std::string_view column_name) noexcept
    : name(column_name), unit(unit_of(column_name)), left_aligned(unit == table::unit::source) {}

// A forward iterator. A frame is a view of the text, so that it outlives the list.
class frame_list::iterator : public detail::value_iterator<frame_list::iterator, std::string_view> {
public:
    iterator() noexcept = default;

    std::string_view current() const noexcept { return current_; }
    std::uintptr_t position() const noexcept { return position_; }
    // Goes to the next frame. (A template over the kernel, since what it calls is one.)
    template <class Kernel = detail::kernel>
    void advance() noexcept {
        if (own_) {
            position_ = position_ < own_.items().size() ? position_ + 1 : 0;
            if (position_ != 0) current_ = own_.items()[position_ - 1];
            return;
        }
        while (!rest_.empty()) {
            detail::line_cursor lines(rest_);
            const std::string_view line = lines.next();
            rest_ = detail::view(lines.at(), lines.end());
            const std::size_t prefix = detail::prefix_size(line, prefix_);
            if (prefix == detail::no_prefix) continue;
            current_ = detail::without_blanks(line.substr(prefix));
            position_ = reinterpret_cast<std::uintptr_t>(current_.data());
            if (!current_.empty()) return;
        }
        position_ = 0;
    }

private:
    friend class frame_list;

    detail::shared_items<std::string_view> own_;
    std::string_view rest_ = {};
    std::string_view prefix_ = {};
    std::string_view current_ = {};
    std::uintptr_t position_ = 0;  // of an own frame from 1, of a line its address; 0 at the end
};

template <class Kernel>
bool frame_list::empty() const noexcept {
    return begin<Kernel>() == end();
}
template <class Kernel>
frame_list::iterator frame_list::end() const noexcept {
    return {};
}
template <class Kernel>
frame_list::iterator frame_list::begin() const noexcept {
    iterator i;
    i.own_ = own_.shared();
    i.rest_ = lines_;
    i.prefix_ = prefix_;
    i.template advance<Kernel>();
    return i;
}
template <class Kernel>
std::size_t frame_list::size() const noexcept {
    std::size_t n = 0;
    for (iterator i = begin<Kernel>(); i != end(); i.template advance<Kernel>()) ++n;
    return n;
}

inline cell row::find(std::string_view column_name) const noexcept {
    for (std::size_t n = 0; n != columns.size(); ++n)
        if (columns[n].name == column_name) return detail::cell_in(columns[n].unit, cells[n]);
    return {};
}

}  // namespace table

namespace detail {
inline namespace WLFMT_IMPL {

// The position of the first column of that name; the number of columns if there is none.
template <class Kernel = kernel>
inline std::size_t find_column(const table::column* columns, std::size_t count, std::string_view name) noexcept {
    std::size_t n = 0;
    while (n != count && columns[n].name != name) ++n;
    return n;
}

// Does PyTorch print the values of the last two columns under each other's names?
template <class Kernel = kernel>
inline bool is_stack_and_flops(const table::column* columns, std::size_t n) noexcept {
    return n >= 2 && columns[n - 2].unit == table::unit::source && columns[n - 1].unit == table::unit::flops;
}

// Whether the rows of a table with these columns have values: PyTorch prints none with a name and nothing else, so that
// a line of that kind is text which another program printed into the table.
template <class Kernel = kernel>
inline bool rows_have_values(const table::column* columns, std::size_t n) noexcept {
    if (n == 0 || columns[0].unit != table::unit::text) return false;
    for (std::size_t k = 1; k != n; ++k) {
        const table::unit u = columns[k].unit;
        if (u != table::unit::text && u != table::unit::source && u != table::unit::other) return true;
    }
    return false;
}

// Lines around a table.

// A line that holds only `=`, as there is above a title.
template <class Kernel = kernel>
inline bool is_title_rule(std::string_view line) noexcept {
    line = without_blanks(line);
    return line.size() >= 3 && line.find_first_not_of('=') == std::string_view::npos;
}

// `Self CPU time total`: a name of the form [Self ]WORD time total.
template <class Kernel = kernel>
inline bool is_total_name(std::string_view name) noexcept {
    constexpr std::string_view tail = " time total";
    if (name.size() <= tail.size() || name.substr(name.size() - tail.size()) != tail) return false;
    std::string_view word = name.substr(0, name.size() - tail.size());
    if (word.substr(0, 5) == "Self ") word.remove_prefix(5);
    if (word.empty()) return false;
    for (std::size_t n = 0; n < word.size(); n += character_size(word, n)) {
        const char* p = word.data() + n;
        if (static_cast<unsigned char>(*p) < 0x80 ? !is_name(*p) : blank_size(p, word.data() + word.size()) != 0)
            return false;
    }
    return true;
}

template <class Kernel = kernel>
inline bool has_blank(std::string_view s) noexcept {
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p)
        if (blank_size(p, end) != 0) return true;
    return false;
}

// `Self CPU time total: 8.303s`: a name and one word after the colon.
template <class Kernel = kernel>
inline bool split_total(std::string_view line, table::total& t) noexcept {
    line = without_blanks(line);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view value = without_blanks(line.substr(colon + 1));
    t.name = line.substr(0, colon);
    t.value = table::cell(value);
    return is_total_name(t.name) && !value.empty() && !has_blank(value);
}

// How many bytes of a line come before its rule, or before the `=` above a title, if they are a launcher's prefix: 0 if
// they are blanks, no_prefix if they are anything else or the line holds neither a rule nor `=`. Of the blanks after a
// prefix at most one belongs to it: the others are the table's indentation.
template <class Kernel = kernel>
inline std::size_t rule_prefix_size(std::string_view line) noexcept {
    const char* const end = line.data() + line.size();
    const char* const first = after_blanks(line.data(), end);
    if (first == end) return no_prefix;
    if (*first == '-' || *first == '=') return 0;
    const std::size_t dashes = line.find("---");
    const std::size_t title = line.find("===");
    const std::size_t at = dashes < title ? dashes : title;
    if (at == std::string_view::npos) return no_prefix;
    std::size_t size = at;
    while (is_blank(line[size - 1])) --size;
    size += size != at ? 1 : 0;
    return launcher_prefix_size(line) >= at || ends_as_prefix(line.substr(0, size)) ? size : no_prefix;
}

// Placing runs into columns. A `Row` is a line that was split into runs, with the columns of its table.

// The usual case: every run lies within a column of its own. The last column has no end.
template <class Row>
WLFMT_INLINE bool place_by_spans(Row& row) noexcept {
    const std::size_t* at = row.positions();
    std::size_t run = 0;
    for (std::size_t n = 0; n != row.columns(); ++n) {
        const column_span s = row.span(n);
        if (run == row.runs() || at[2 * run] >= s.end) {
            row.take_nothing(n);
            continue;
        }
        if (at[2 * run] < s.begin || (at[2 * run + 1] > s.end && n + 1 != row.columns())) return false;
        row.take(n, run++);
    }
    return run == row.runs();
}

// A line in which values that are wider than their columns have pushed the rest to the right, as PyTorch's padding
// does. `aligned`: each value must be exactly where the padding puts it, since foreign lines may look similar.
template <class Row>
bool place_by_shifted_spans(Row& row, bool aligned) noexcept {
    if (row.runs() < 2) return false;
    const std::size_t* at = row.positions();
    std::size_t run = 0;
    std::size_t shift = 0;
    for (std::size_t n = 0; n != row.columns(); ++n) {
        const column_span s{row.span(n).begin + shift, row.span(n).end + shift};
        if (run == row.runs() || at[2 * run] >= s.end) {
            row.take_nothing(n);
            continue;
        }
        const std::size_t begin = at[2 * run];
        const std::size_t end = at[2 * run + 1];
        if (begin < s.begin) return false;
        if (end > s.end) {
            if (begin != s.begin) return false;
            shift += end - s.end;
        } else if (aligned && end != s.end && !row.is_left_aligned(n)) {
            return false;
        }
        row.take(n, run++);
    }
    return run == row.runs();
}

// Gives each cell its text. Returns false if the runs do not fit the columns in either way.
template <class Row>
WLFMT_INLINE bool place_runs(Row& row, bool aligned) noexcept {
    if (WLFMT_LIKELY(place_by_spans(row))) return true;
    if (row.runs() != row.columns()) return place_by_shifted_spans(row, aligned);
    for (std::size_t n = 0; n != row.columns(); ++n) row.take(n, n);
    return true;
}

// Is a line whose only run is [begin, end) a stack frame below a row? It is if it lies in the column of the source
// location, not in the first column. A path wider than its column still begins after the columns before it.
template <class Kernel = kernel>
inline bool is_frame_at(std::size_t begin, std::size_t end, const column_span* spans, std::size_t source) noexcept {
    if (begin < spans[1].begin) return false;
    if (begin >= spans[source].begin) return true;
    std::size_t n = 1;
    while (spans[n].end <= begin) ++n;
    return begin >= spans[n].begin && end <= spans[n].end;
}

// Finds out from the labels of a header, one after the other, to which side each column is aligned.
class label_sides {
public:
    // Takes the label at [begin, end) of the line, in the column with this span.
    void tell(std::size_t begin, std::size_t end, column_span s, bool& left_aligned) noexcept {
        const bool ends_left = end < s.end + shift_;
        if (begin == s.begin + shift_ && ends_left) left_aligned = true;
        if (begin != s.begin + shift_ && end == s.end + shift_) left_aligned = false;
        if (end > s.end + shift_) shift_ = end - s.end;
    }

private:
    std::size_t shift_ = 0;
};

}  // namespace WLFMT_IMPL
}  // namespace detail

namespace table {
inline namespace WLFMT_IMPL {

// What the reader's contract promises, as functions of the reader's state.
template <class Kernel>
struct basic_reading {
    using state = detail::table_state;
    using part = state::part;
    using window = state::window;

    // Lines.

    // Where the first line from p on that has the wanted prefix continues after it; the end of the text if there is no
    // such line.
    WLFMT_COLD static const char* find_own_line(const state& r, const char* p) noexcept {
        std::size_t left = r.any_prefix_ ? max_lines_between : static_cast<std::size_t>(-1);
        for (; p != r.end_ && left != 0; --left) {
            detail::line_cursor lines(detail::view(p, r.end_));
            const std::string_view line = lines.next();
            const std::size_t size = detail::prefix_size(line, r.prefix_);
            if (size != detail::no_prefix) return line.data() + size;
            p = lines.at();
        }
        return r.end_;
    }
    // Lets the reader continue after the line that ends at p.
    WLFMT_INLINE static void go_on(state& r, const char* p) noexcept {
        r.at_ = p;
        if (WLFMT_LIKELY(r.prefix_.empty())) return;
        r.after_ = p;
        r.at_ = find_own_line(r, p);
    }

    // Hands out the lines to read, from a given one on, without their prefixes and ends.
    class own_lines {
    public:
        own_lines(const state& r, const char* at) noexcept : r_(&r), at_(at), after_(r.after_) {}
        bool done() const noexcept { return at_ == r_->end_; }
        std::string_view next() noexcept {
            detail::line_cursor lines(detail::view(at_, r_->end_));
            const std::string_view line = lines.next();
            after_ = at_ = lines.at();
            if (!r_->prefix_.empty()) at_ = find_own_line(*r_, at_);
            return line;
        }
        // Lets the reader continue with the line that would be handed out next.
        void go_on(state& r) const noexcept {
            r.at_ = at_;
            r.after_ = after_;
        }

    private:
        const state* r_;
        const char* at_;
        const char* after_;
    };

    // Makes the reader show the columns, titles and totals that it has read.
    static void show_lists(state& r) noexcept {
        detail::list_access::show(r.row_.cells, r.cells_, r.column_count_);
        detail::list_access::show(r.row_.columns, r.column_items_, r.column_count_);
        detail::list_access::show(r.titles_, r.title_items_, r.title_count_);
        detail::list_access::show(r.totals_, r.total_items_, r.total_count_);
    }

    // The line that was split, and the columns that its runs are placed into.
    struct split_row {
        state& r;
        std::size_t columns() const noexcept { return r.column_count_; }
        std::size_t runs() const noexcept { return r.runs_.count; }
        const std::size_t* positions() const noexcept { return r.runs_.positions(); }
        detail::column_span span(std::size_t n) const noexcept { return r.spans_[n]; }
        bool is_left_aligned(std::size_t n) const noexcept { return r.column_items_[n].left_aligned; }
        void take(std::size_t column, std::size_t run) const noexcept { text(r, column) = r.runs_[run]; }
        void take_nothing(std::size_t column) const noexcept { text(r, column) = {}; }
    };
    static std::string_view& text(state& r, std::size_t n) noexcept { return detail::cell_access::text(r.cells_[n]); }
    WLFMT_INLINE static bool place(state& r, bool aligned = true) noexcept {
        split_row row{r};
        return detail::place_runs(row, aligned);
    }

    // The rule and the header.

    // Is this line a rule, that is, two or more groups of three or more dashes? The groups become the spans of the
    // columns, as many as there is room for. Returns how many groups there are, 0 if the line is not a rule.
    static std::size_t read_rule(std::string_view line, detail::column_span* spans, std::string_view& beyond) noexcept {
        const char* p = line.data();
        const char* const end = p + line.size();
        std::size_t groups = 0;
        std::size_t character = 0;
        for (;;) {
            const char* const gap = p;
            while (p != end && *p == ' ') ++p;
            auto blanks = static_cast<std::size_t>(p - gap);
            for (std::size_t size; p != end && (size = detail::blank_size(p, end)) != 0; p += size) ++blanks;
            if (p == end) return groups >= 2 ? groups : 0;
            if (groups != 0 && blanks == 0) return 0;
            const char* const begin = p;
            p = detail::find_first<detail::bytes_but<'-', '='>>(p, end);
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
    static bool is_rule_here(const state& r) noexcept {
        if (r.runs_.count == 0 || (r.runs_[0].front() != '-' && r.runs_[0].front() != '=')) return false;
        return r.runs_.line == r.rule_ || is_rule(r.runs_.line);
    }

    // Splits a header line into its names.
    static std::size_t count_names(state& r, std::string_view line) noexcept {
        r.runs_.split(line.data(), line.data() + line.size());
        if (!r.runs_.plain) r.runs_.split_characters(true);
        return r.runs_.count;
    }

    // Takes the names of the columns from the header line. Returns false if they do not fit the rule.
    static bool read_names(state& r, std::string_view line, std::size_t& found) noexcept {
        auto& runs = r.runs_;
        found = count_names(r, line);
        if (!runs.plain && found != r.column_count_) runs.split_characters(false);
        for (std::size_t n = 0; n != r.column_count_; ++n) r.column_items_[n] = column();
        if (found != r.column_count_ && !place(r, false)) return false;

        detail::label_sides sides;
        std::size_t run = 0;
        const std::size_t* at = runs.positions();
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const detail::column_span s = r.spans_[n];
            const std::size_t width = s.end - s.begin;
            constexpr std::size_t most = (std::numeric_limits<std::uint32_t>::max)();
            column c(found == r.column_count_ ? runs[n] : r.cells_[n].text());
            c.width = static_cast<std::uint32_t>(width < most ? width : most);
            if (!c.name.empty()) {
                sides.tell(at[2 * run], at[2 * run + 1], s, c.left_aligned);
                ++run;
            }
            r.column_items_[n] = c;
        }
        return true;
    }

    // Is one of the names a time or a percent? Then the line is no header but the only row of a table whose own first
    // rule was not found, as it is glued to other text: `test_profiler ... -----  -----`.
    static bool is_row(const state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            const detail::cell_form form = detail::read_form(r.column_items_[n].name, false).form;
            if (form == detail::cell_form::time || form == detail::cell_form::percent) return true;
        }
        return false;
    }

    // Reads a rule, a header and another rule, if they begin here. Returns false if they do not, or, with ok() false,
    // if the table cannot be read.
    static bool begin_table(state& r, own_lines lines, bool titled) noexcept {
        if (lines.done()) return false;
        const std::string_view rule = lines.next();
        std::string_view beyond;
        const std::size_t groups = read_rule(rule, r.spans_, beyond);
        if (groups == 0 || lines.done()) return false;
        const std::string_view names = lines.next();
        if (lines.done()) return false;
        const own_lines at_second_rule = lines;
        const std::string_view second_rule = lines.next();
        if ((second_rule != rule && !is_rule(second_rule)) || is_rule(names)) return false;

        std::size_t found = 0;
        const bool fits = groups <= max_columns;
        r.column_count_ = fits ? groups : 0;
        bool begun = fits && read_names(r, names, found);
        if (begun && is_row(r)) {
            begun = false;
            found = 0;
        }
        if (!begun) r.column_count_ = 0;
        // Then what follows the titles is not a table, and the titles are foreign lines.
        if (!begun && titled) return false;
        r.any_table_ = true;
        // A second rule that differs from the first one may itself begin a table.
        (begun || second_rule == rule ? lines : at_second_rule).go_on(r);
        if (!begun) {
            if (second_rule == rule) r.refused_rule_ = rule;
            const std::string_view guilty = fits ? detail::without_blanks(names) : beyond;
            r.problems_.report(fits ? error_kind::column_mismatch : error_kind::too_many_columns, guilty.data(),
                               guilty.size(), {}, static_cast<std::int64_t>(fits ? found : groups),
                               static_cast<std::int64_t>(fits ? groups : max_columns));
            return false;
        }
        r.rule_ = rule;
        r.source_ = detail::find_column(r.column_items_, groups, "Source Location");
        r.stack_and_flops_ = detail::is_stack_and_flops(r.column_items_, groups);
        r.needs_values_ = detail::rows_have_values(r.column_items_, groups);
        r.orphans_ = r.planned_ = false;
        r.ahead_ = nullptr;
        detail::frames_access::set(r.row_.frames, {}, {});
        r.part_ = part::rows;
        if (r.prefix_.empty()) plan(r);
        return true;
    }

    // The same for a table that may have titles above it: lines of text, each under a line of `=`.
    static bool begin_titled_table(state& r, const char* p) noexcept {
        own_lines lines(r, p);
        std::size_t titles = 0;
        while (titles != max_titles && !lines.done()) {
            const own_lines before = lines;
            if (!detail::is_title_rule(lines.next())) {
                if (!begin_table(r, before, titles != 0)) return false;
                r.title_count_ = titles;
                show_lists(r);
                return true;
            }
            if (lines.done()) return false;
            const std::string_view text = detail::without_blanks(lines.next());
            if (text.empty() || detail::is_title_rule(text) || is_rule(text)) return false;
            r.title_items_[titles++] = text;
        }
        if (!begin_table(r, lines, titles != 0)) return false;
        r.title_count_ = titles;
        show_lists(r);
        return true;
    }

    // Is the line that was placed a name and nothing else, where no row is?
    static bool is_only_name(const state& r) noexcept {
        // A comment that a person left in place of what was omitted is kept, as a row.
        const std::string_view name = r.cells_[0].text();
        return r.needs_values_ && r.runs_.count == 1 && !name.empty() && name.front() != '#';
    }

    // Was the text cut within the row that was placed? Without a closing rule, it was if the last line lacks its last
    // cell, or if it has no line end and a number there ends before its column does. Both are asked in the same way of
    // a piece of a text: it ends where a table does, and has no line end there only if the text has none.
    static bool is_cut(state& r) noexcept {
        if (!r.needs_values_ || r.source_ != r.column_count_) return false;
        const std::size_t last = r.column_count_ - 1;
        if (WLFMT_UNLIKELY(r.cells_[last].text().empty())) return ends_open(r);
        const std::string_view line = r.runs_.line;
        return line.data() + line.size() == r.end_ && r.runs_.plain && !r.column_items_[last].left_aligned &&
               r.runs_.positions()[2 * r.runs_.count - 1] < r.spans_[last].end;
    }
    // Does the table end with the row that was placed, without a closing rule? Looks at the lines after the row, and
    // places the row again.
    WLFMT_COLD static bool ends_open(state& r) noexcept {
        if (r.at_ == r.end_) return true;
        const char* const at = r.at_;
        const char* const after = r.after_;
        r.runs_.split(at, r.end_);
        const bool ends = r.runs_.count == 0 ? !goes_on(r) : is_rule_here(r) && opens_table(r, at);
        r.at_ = at;
        r.after_ = after;
        r.ahead_ = nullptr;
        r.runs_.split(r.row_.source.data(), r.end_);
        place(r);
        return ends;
    }
    WLFMT_COLD static void report_cut(state& r) noexcept {
        const std::string_view last = r.runs_[r.runs_.count - 1];
        r.problems_.report(error_kind::row_mismatch, last.data(), last.size(),
                           r.column_items_[r.column_count_ - 1].name, static_cast<std::int64_t>(r.runs_.count),
                           static_cast<std::int64_t>(r.column_count_));
    }

    // Reports the first run that does not lie within a column of its own, with the column that it touches.
    WLFMT_COLD static void report_row(state& r) noexcept {
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
            field = touches ? r.column_items_[n].name : std::string_view();
            // The last column has no end.
            const bool ends = touches && (end <= r.spans_[n].end || n + 1 == r.column_count_);
            if (!ends || begin < r.spans_[n].begin || n == taken || run == last) break;
            taken = n;
        }
        r.problems_.report(error_kind::row_mismatch, runs[run].data(), runs[run].size(), field,
                           static_cast<std::int64_t>(runs.count), static_cast<std::int64_t>(r.column_count_));
    }

    // Rows whose cells are where they are expected.

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
            const column& c = r.column_items_[n];
            const detail::column_span s = r.spans_[n];
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
                if (n == 0 || width < least_width || gap + width > detail::most_plain) return;
                w.inside = detail::last_of_sixteen(gap + width);
                numbers = true;
            }
            after = s.end;
        }
        r.planned_ = detail::has_plain_paths && numbers;
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
                if (WLFMT_LIKELY(detail::read_plain_cell(w->unit, end, w->inside, *c))) continue;
                shift = read_odd_cell(*w, end, r.end_, *c);
            }
            if (WLFMT_LIKELY(shift == 0)) continue;
            // Everything after this cell is further to the right.
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
        r.row_.source = detail::view(begin, p);
        if (p != r.end_ && *p == '\r') ++p;
        return p != r.end_ && *p == '\n' ? p + 1 : nullptr;
    }

    // In place of how many bytes a cell reaches further than planned, which is by how much all after it is shifted.
    static constexpr std::ptrdiff_t not_planned = -1;

    // Finds the text that ends at `end`: a single run, or nothing. Returns by how much it reaches further than planned,
    // or not_planned.
    WLFMT_INLINE static std::ptrdiff_t find_planned_text(const window& w, const char* end, const char* text_end,
                                                         cell& c) noexcept {
        const detail::byte_classes bytes = detail::classify(end - text_reach);
        const std::uint64_t text = ~bytes.spaces & w.within;
        c = cell();
        if ((~bytes.spaces & w.blanks) != 0) return not_planned;
        if (text == 0) return 0;
        const char* const begin = end - text_reach + detail::trailing_zeros(text);
        if (WLFMT_UNLIKELY((bytes.others & w.within) != 0)) return find_wide_text(begin, end, text_end, c);
        const std::uint64_t gaps = bytes.spaces & (0 - (text & (0 - text)));
        if (text >> 63 == 0 || (gaps & gaps >> 1) != 0) return not_planned;
        detail::cell_access::set(c, detail::view(begin, end), number(), unit::text);
        return 0;
    }

    // The same for a text with characters of more than one byte.
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
        detail::cell_access::text(c) = detail::view(begin, p);
        return p - end;
    }

    // Reads a cell without a value, of which a column may hold many: nothing, `0`, `--` or `NaN`. They come in no
    // particular order, so the comparisons are made without a branch between them.
    WLFMT_INLINE static bool read_missing_cell(const window& w, const char* end, cell& c) noexcept {
        constexpr std::uint64_t spaces = detail::every_byte(' ');
        constexpr std::uint64_t zero = (spaces >> 8) | std::uint64_t{'0'} << 56;
        constexpr std::uint64_t dashes = (spaces >> 16) | std::uint64_t{'-' << 8 | '-'} << 48;
        constexpr std::uint64_t nan = (spaces >> 24) | std::uint64_t{'N' | 'a' << 8 | 'N' << 16} << 40;
        const std::size_t size = w.end - w.begin;
        const std::uint64_t last = detail::load_eight(end - 8);
        const bool held = (last == spaces) | (last == zero) | (last == dashes) | (last == nan);
        if (!held || detail::load_eight(end - (size < 16 ? size : 16)) != spaces) return false;
        const char* const begin = end - (3 * (last == nan) + 2 * (last == dashes) + (last == zero));
        detail::cell_access::set(c, detail::view(begin, end), last == zero ? number(0) : number(), w.unit);
        return true;
    }

    // Reads a cell of another form: nothing, `--`, a number with more digits. A cell that fills its column may reach
    // beyond it: returns by how much, or not_planned.
    static std::ptrdiff_t read_odd_cell(const window& w, const char* end, const char* text_end, cell& c) noexcept {
        if (read_missing_cell(w, end, c) || detail::read_negative_cell(w.unit, end, w.inside, c)) return 0;
        const char* const column = end - (w.end - w.begin - column_gap);
        if (column[-1] != ' ' || column[-2] != ' ') return not_planned;
        const char* begin = column;
        while (begin != end && *begin == ' ') ++begin;
        const char* stop = end;
        if (begin == column)
            while (text_end - stop >= 2 && (stop[0] > ' ' || (stop[0] == ' ' && stop[1] > ' '))) ++stop;
        c = cell(detail::view(begin, stop));
        return detail::read_any_cell(w.unit, c) == error_kind::none ? stop - end : not_planned;
    }

    // Rows.

    // PyTorch prints the FLOPs under Source Location and the path under the FLOPs. If a FLOPs value is in its own
    // column, the table was corrected by hand, and nothing is swapped.
    static void unswap(state& r) noexcept {
        std::string_view& source = text(r, r.column_count_ - 2);
        std::string_view& flops = text(r, r.column_count_ - 1);
        const auto is_flops = [](std::string_view t) {
            return !t.empty() && detail::holds(unit::flops, detail::read_form(t, false));
        };
        if (is_flops(flops) && !source.empty() && !is_flops(source)) return;
        std::swap(source, flops);
    }

    // Reads the cells whose texts are in place. Returns false after an error.
    WLFMT_INLINE static bool read_cells(state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n) {
            cell& c = r.cells_[n];
            const unit u = r.column_items_[n].unit;
            const std::string_view printed = c.text();
            if (u == unit::text || u == unit::source || printed.empty()) {
                detail::cell_access::set(c, printed, number(), u);
                continue;
            }
            const char* const end = printed.data() + printed.size();
            if (printed.size() <= detail::most_plain) {
                const unsigned inside = detail::last_of_sixteen(printed.size());
                if (detail::read_plain_cell(u, end, inside, c)) continue;
                if (printed.front() == '-' && detail::read_negative_cell(u, end, inside, c)) continue;
            }
            const error_kind problem = detail::read_any_cell(u, c);
            if (WLFMT_UNLIKELY(problem != error_kind::none) &&
                !r.problems_.report(problem, printed.data(), printed.size(), r.column_items_[n].name, 0,
                                    detail::letter_of(u)))
                return false;
        }
        return true;
    }

    // Is the line that was split a stack frame below a row?
    static bool is_frame(const state& r) noexcept {
        const std::size_t* at = r.runs_.positions();
        return r.source_ != r.column_count_ && r.runs_.count == 1 &&
               detail::is_frame_at(at[0], at[1], r.spans_, r.source_);
    }

    // Splits the line at at_, unless looking ahead has done that already. Returns where the next line begins.
    WLFMT_INLINE static const char* split(state& r) noexcept {
        const char* next = r.ahead_;
        r.ahead_ = nullptr;
        return next != nullptr ? next : r.runs_.split(r.at_, r.end_);
    }

    // Takes the stack below the row, with the blank lines around it, and looks ahead at the line after it.
    static void read_frames(state& r) noexcept {
        const char* begin = r.prefix_.empty() ? r.at_ : r.after_;
        const char* after = begin;
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                if (!is_frame(r) || is_rule_here(r)) {
                    r.ahead_ = next;
                    break;
                }
                after = next;
            }
            go_on(r, next);
        }
        detail::frames_access::set(r.row_.frames, detail::view(begin, after), r.prefix_);
    }

    // Does the table go on after the blank lines that begin at at_? Only if a rule follows, or a row without an empty
    // cell; stacks have blank lines of their own.
    static bool goes_on(state& r) noexcept {
        const char* const blank = r.at_;
        const char* const after_blank = r.after_;
        while (r.at_ != r.end_) {
            const char* next = r.runs_.split(r.at_, r.end_);
            if (r.runs_.count != 0) {
                r.ahead_ = next;
                if (r.source_ != r.column_count_ || is_rule_here(r) || (place(r) && !has_empty_cell(r))) return true;
                break;
            }
            go_on(r, next);
        }
        r.ahead_ = nullptr;
        r.at_ = blank;
        r.after_ = after_blank;
        return false;
    }
    static bool has_empty_cell(const state& r) noexcept {
        for (std::size_t n = 0; n != r.column_count_; ++n)
            if (r.cells_[n].text().empty()) return true;
        return false;
    }

    // Does the rule at at_ open another table rather than close this one? In logs, tables without a closing rule may
    // follow one another. Splits the line after the rule.
    static bool opens_table(state& r, const char* rule) noexcept {
        own_lines lines(r, rule);
        std::string_view beyond;
        const std::size_t groups = read_rule(lines.next(), nullptr, beyond);
        if (lines.done()) return false;
        const std::string_view names = lines.next();
        return !lines.done() && is_rule(lines.next()) && !is_rule(names) && count_names(r, names) == groups;
    }

    // Goes to the next line that is a row, and splits it. Returns false at the table's end; at_ is then after its rule.
    WLFMT_INLINE static bool next_row_line(state& r) noexcept {
        while (r.at_ != r.end_) {
            const char* next = split(r);
            if (WLFMT_UNLIKELY(r.runs_.count == 0)) {
                if (goes_on(r)) continue;
                r.part_ = part::after_totals;
                return false;
            }
            if (WLFMT_UNLIKELY(is_rule_here(r))) {
                if (opens_table(r, r.at_)) {
                    r.part_ = part::after_totals;
                    return false;
                }
                go_on(r, next);
                break;
            }
            go_on(r, next);
            if (WLFMT_UNLIKELY(r.orphans_)) {
                if (is_frame(r)) continue;
                r.orphans_ = false;
            }
            return true;
        }
        r.part_ = part::totals;
        return false;
    }

    // Reads the lines of totals. `quiet`: problems in them are not reported. Returns false after an error.
    static bool read_totals(state& r, bool quiet) noexcept {
        while (r.at_ != r.end_) {
            own_lines lines(r, r.at_);
            total t;
            if (!detail::split_total(lines.next(), t)) break;
            std::size_t n = 0;
            while (n != r.total_count_ && r.total_items_[n].name != t.name) ++n;
            if (n == max_totals) break;
            lines.go_on(r);
            const error_kind problem = detail::read_any_cell(unit::microseconds, t.value);
            r.total_items_[n] = t;
            if (n == r.total_count_) {
                ++r.total_count_;
                show_lists(r);
            }
            const std::string_view printed = t.value.text();
            if (problem != error_kind::none && !quiet &&
                !r.problems_.report(problem, printed.data(), printed.size(), t.name, 0,
                                    detail::letter_of(unit::microseconds)))
                return false;
        }
        r.part_ = part::after_totals;
        return true;
    }
};
using reading = basic_reading<detail::kernel>;

template <class Kernel>
inline reader::reader(std::string_view text, const options& how) noexcept
    : table_state(Kernel(), text, detail::bom_size(text, how), how) {
    reading::go_on(*this, at_);
}

template <class Kernel>
inline bool reader::next_table() noexcept {
    if (!ok()) return false;
    while (part_ == part::rows && reading::next_row_line(*this)) continue;
    if (part_ == part::totals) reading::read_totals(*this, true);
    if (part_ != part::before_any) part_ = part::after_totals;
    column_count_ = title_count_ = total_count_ = 0;
    reading::show_lists(*this);
    // Forgets the prefix of the last table, as the next one may have another prefix.
    const auto forget_prefix = [this] {
        if (!any_prefix_) return;
        at_ = rest();
        prefix_ = {};
    };
    forget_prefix();
    while (at_ != end_) {
        const char* const begin = at_;
        detail::line_cursor lines(detail::view(begin, end_));
        const std::string_view line = lines.next();
        const char* const end_line = line.data() + line.size();
        const std::size_t prefix = any_prefix_ ? detail::rule_prefix_size(line) : 0;
        const char* const first = detail::after_blanks(begin + (prefix != detail::no_prefix ? prefix : 0), end_line);
        if (prefix != detail::no_prefix && first != end_line && (*first == '-' || *first == '=')) {
            if (any_prefix_) prefix_ = line.substr(0, prefix);
            table_ = begin + prefix;
            // The closing rule of a table whose header was refused does not open a table with the lines after it.
            const bool closes =
                line.substr(prefix) == std::exchange(refused_rule_, {}) && !reading::opens_table(*this, table_);
            if (!closes && reading::begin_titled_table(*this, table_)) return true;
            if (!ok()) return false;
            const bool gone_on = at_ != begin;
            forget_prefix();
            if (gone_on) continue;
        }
        reading::go_on(*this, lines.at());
        if (first == end_line || !problems_.how.strict) continue;
        const std::string_view foreign = detail::without_blanks(line);
        if (!problems_.report(error_kind::foreign_text, foreign.data(), foreign.size(), "profiler table")) return false;
    }
    if (!any_table_ && !problems_.is_piece()) {
        any_table_ = true;
        problems_.refuse(error_kind::no_records, end_, 0, "profiler table");
    }
    return false;
}

template <class Kernel>
inline const row* reader::next() & noexcept {
    if (WLFMT_UNLIKELY(!ok())) return nullptr;
    if (WLFMT_UNLIKELY(part_ == part::before_any) && !next_table()) return nullptr;
    if (WLFMT_LIKELY(planned_ && part_ == part::rows)) {
        const char* after = reading::read_planned_row(*this);
        if (WLFMT_LIKELY(after != nullptr)) {
            at_ = after;
            return &row_;
        }
    }
    while (part_ == part::rows && reading::next_row_line(*this)) {
        row_.source = runs_.line;
        const bool placed = reading::place(*this) && !reading::is_only_name(*this);
        if (WLFMT_UNLIKELY(!placed || reading::is_cut(*this))) {
            orphans_ = true;
            placed ? reading::report_cut(*this) : reading::report_row(*this);
            if (!ok()) return nullptr;
            continue;
        }
        if (WLFMT_UNLIKELY(stack_and_flops_)) reading::unswap(*this);
        orphans_ = true;
        if (WLFMT_UNLIKELY(!reading::read_cells(*this))) return nullptr;
        orphans_ = false;
        if (source_ != column_count_) reading::read_frames(*this);
        return &row_;
    }
    if (part_ == part::totals) reading::read_totals(*this, false);
    return nullptr;
}

template <class Kernel>
inline bool reader::skip() noexcept {
    if (ok() || (any_prefix_ ? rest() : at_) == end_) return false;
    problems_.first = {};
    return true;
}

inline std::size_t reader::find_column(std::string_view name) const noexcept {
    return detail::find_column(column_items_, column_count_, name);
}
inline cell reader::find_total(std::string_view name) const noexcept {
    for (const total& t : totals_)
        if (t.name == name) return t.value;
    return {};
}

template <class Kernel>
inline std::string_view where(const row& r, std::string_view column_name) noexcept {
    const std::string_view text = r.find(column_name).text();
    const auto place = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
    const bool inside = !text.empty() && place(r.source.data()) <= place(text.data()) &&
                        place(text.data() + text.size()) <= place(r.source.data() + r.source.size());
    return inside ? text : std::string_view();
}

template <class Kernel>
inline result<document> read(std::string_view text, const options& how) {
    reader tables(text, how);
    document doc;
    while (tables.next_table()) {
        doc.tables.emplace_back();
        summary& one = doc.tables.back();
        one.titles.assign(tables.titles().begin(), tables.titles().end());
        one.columns.assign(tables.columns().begin(), tables.columns().end());
        while (const row* r = tables.next()) {
            if (!r->frames.empty()) {
                one.frames.resize(one.size());
                one.frames.push_back(r->frames);
            }
            one.cells.insert(one.cells.end(), r->cells.begin(), r->cells.end());
            one.sources.push_back(r->source);
        }
        one.totals.assign(tables.totals().begin(), tables.totals().end());
    }
    return {std::move(doc), tables.error(), tables.ok()};
}

}  // namespace WLFMT_IMPL
}  // namespace table

namespace detail {
inline namespace WLFMT_IMPL {

// The prefix with which the first table of a text begins: empty where that table has none, without data where there is
// no table.
template <class Kernel = kernel>
inline std::string_view find_table_prefix(std::string_view text) noexcept {
    options how;
    how.prefix = any_prefix;
    how.lenient = true;
    table::reader tables(text, how);
    if (!tables.next_table()) return {};
    return tables.prefix().data() != nullptr ? tables.prefix() : text.substr(0, 0);
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
