// Checking that a table reads back as it is.
#ifndef WLFMT_DETAIL_TABLE_CHECK_HPP
#define WLFMT_DETAIL_TABLE_CHECK_HPP

#include "../../types/error.hpp"
#include "../../types/table.hpp"
#include "../base/characters.hpp"
#include "../base/scan.hpp"
#include "../io/out.hpp"
#include "../number/read.hpp"
#include "cell.hpp"
#include "edit.hpp"
#include "header.hpp"
#include "print.hpp"
#include "rows.hpp"
#include "runs.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Is a text one run of a line, so that a reader takes it for one cell: words joined by single spaces or no-break
// spaces? `names`: by single blanks of any kind, as in a header.
inline bool is_any_run(std::string_view text, bool names) noexcept {
    const char* const end = text.data() + text.size();
    bool blank_before = true;
    for (const char* p = text.data(); p != end;) {
        const std::size_t blank = blank_size(p, end);
        if (blank != 0 && (blank_before || *p == '\n' || (!is_joining_blank(p, end) && !names))) return false;
        blank_before = blank != 0;
        p += blank != 0 ? blank : character_size(view(p, end), 0);
    }
    return !blank_before;
}

// Whether 16 bytes are printable ASCII without two adjacent spaces. (DEL counts as printable: tables take it for an
// ordinary character.)
WLFMT_INLINE bool has_plain_words(const char* sixteen) noexcept {
    const byte_classes c = classify_sixteen(sixteen);
    return ((c.spaces & c.spaces >> 1) | c.others) == 0;
}
// The same as is_any_run() for a cell of a row, but several bytes at a time if the text is printable ASCII.
WLFMT_INLINE bool is_run(std::string_view text, std::size_t& characters) noexcept {
    constexpr std::size_t block = 16;
    characters = text.size();
    bool plain = false;
    if (WLFMT_LIKELY(text.size() >= block)) {
        // Neighbouring blocks share a byte, so that one of them has both bytes of each pair.
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
    characters = table_printing::width_of(text);
    return is_any_run(text, false);
}

// A line as it will be written: where its texts will be, in characters, and in which columns. They are
// placed as the runs of a line that was read.
template <class Build> class written_line {
public:
    written_line(const table::profile& one, const table_layout<Build>& columns, const column_span* spans) noexcept
        : one_(one), columns_(columns), spans_(spans) {}

    // Puts a text into the next column, with `before` blanks of its own before it.
    void put(std::string_view text, std::size_t characters, std::size_t before = 0) noexcept {
        const written_column& c = columns_[column_];
        const std::size_t size = before + characters;
        const std::size_t padding = size < c.width ? c.width - size : 0;
        run_of_[column_] = text.empty() ? run_places::no_run : runs_;
        if (!text.empty()) {
            at_[2 * runs_] = cursor_ + (c.left_aligned ? 0 : padding) + before;
            at_[2 * runs_ + 1] = at_[2 * runs_] + characters;
            ++runs_;
            if (all_dashes_) {
                const std::size_t groups = table_header<Build>::count_dashes(text);
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
    bool goes_back(bool aligned) const noexcept {
        std::size_t placed[table::max_columns];
        const run_places row{at_, runs_, spans_, one_.columns.data(), columns_.size(), placed};
        if (!row.place_by_spans() && !row.place_by_count() && !row.place_by_spans(true, aligned)) return false;
        for (std::size_t n = 0; n != columns_.size(); ++n)
            if (placed[n] != run_of_[n]) return false;
        return true;
    }

    std::size_t runs() const noexcept { return runs_; }
    const std::size_t* positions() const noexcept { return at_; }

private:
    const table::profile& one_;
    const table_layout<Build>& columns_;
    const column_span* spans_;
    std::size_t runs_ = 0;
    std::size_t column_ = 0;
    std::size_t cursor_ = 0;
    std::size_t groups_ = 0;
    bool all_dashes_ = true;
    std::size_t at_[2 * table::max_columns];
    std::size_t run_of_[table::max_columns];  // of each column
};

// Finds what keeps a table from reading back as it is, without writing it. It looks at each text and value by itself;
// if one may be wider than its column, it computes where the texts of the row would be and places them as the reader
// does.
template <class Build> class table_check {
public:
    table_check(const table::profile& one, const table_layout<Build>& columns) noexcept
        : one_(one), columns_(columns) {}

    error problem() {
        bool good = lines_before_rows();
        for (std::size_t n = 0; good && n != one_.size(); ++n)
            good = (is_usual_row(n) || any_row(n)) && (n >= one_.frames.size() || frames(n));
        if (good) lines_after_rows();
        return found_problem();
    }

    // The same in parts, for a writer that checks what it writes: each part, in this order, until one returns false.
    // found_problem() then says what is wrong with it.

    bool lines_before_rows() { return passes(before_rows()); }
    // Row n < size(), whatever is in it; without its further frames.
    WLFMT_NOINLINE bool any_row(std::size_t n) noexcept {
        row_ = n;
        return is_usual_row(n) || passes(row(one_.cells.data() + n * columns_.size()));
    }
    // The further frames of row n, which has some.
    bool frames(std::size_t n) noexcept {
        row_ = n;
        return passes(frames_read_back(one_.frames[n]) ? none : "Source Location");
    }
    bool lines_after_rows() noexcept {
        row_ = 0;
        return passes(one_.frames.size() > one_.size() ? rows : totals_read_back() ? none : "totals");
    }
    error found_problem() const noexcept {
        error e;
        if (field_.data() == nullptr) return e;
        e.kind = too_wide_ ? error_kind::too_wide : error_kind::unwritable;
        e.field = field_;
        e.found = static_cast<std::int64_t>(row_);
        return e;
    }

    // Whether a cell of column n is printed within its column and reads back, as those do that most tables consist of.
    WLFMT_INLINE bool is_usual_cell(const table::cell& c, std::size_t n) const noexcept {
        const written_column& column = columns_[n];
        const number& v = c.value();
        if (WLFMT_UNLIKELY(!c.text().empty())) {
            const bool read_there = cell_access::is_marked(c, column.mark) && c.text().size() <= column.width;
            if (WLFMT_LIKELY(read_there)) return true;
            std::size_t characters;
            return text_reads_back(c.text(), column.unit, characters) && characters <= column.width;
        }
        if (!v.has_value()) return !v.is_text();
        return column.width >= default_column_width && table_printing::is_short(column.unit, v);
    }
    // Whether these may be the first and the last cell of a row: a text that begins no rule, and a cell that shows that
    // the line is more than a name.
    WLFMT_INLINE static bool are_usual_ends(const table::cell& first, const table::cell& last) noexcept {
        const std::string_view name = first.text();
        return !name.empty() && name.front() != '-' && name.front() != '=' && !last.is_missing();
    }

private:
    static constexpr std::string_view none = {};
    static constexpr std::string_view rows = "rows"sv;

    std::string_view name_of(std::size_t n) const noexcept {
        return one_.columns[n].name.empty() ? "columns" : one_.columns[n].name;
    }
    // Keeps the name of what is wrong, if anything is. Returns whether nothing is.
    bool passes(std::string_view field) noexcept {
        field_ = field;
        return field.data() == nullptr;
    }

    // These return the name of the first thing that is wrong; a view without data if nothing is.

    std::string_view before_rows() {
        const std::size_t count = columns_.size();
        if (count < 2 || count > table::max_columns || one_.cells.size() % count != 0) return "columns";
        source_ = one_.find_column("Source Location");
        if (is_too_wide()) {
            too_wide_ = true;
            return "columns";
        }
        std::size_t at = 0;
        for (std::size_t n = 0; n != count; ++n) {
            spans_[n] = {at, at + columns_[n].width};
            at = spans_[n].end + column_gap;
        }
        if (!titles_read_back()) return "titles";
        return header();
    }

    // More padding than table::max_padding allows, or than this machine has addresses for?
    bool is_too_wide() const {
        const std::uint64_t width = columns_.width();
        if (width > (std::numeric_limits<std::size_t>::max)() / 4) return true;
        std::uint64_t lines = one_.size();
        if (source_ != columns_.size()) lines *= 2;
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
            if (!caption || is_title_rule(t) || table_header<Build>::is_rule(t)) return false;
        }
        return true;
    }

    bool totals_read_back() noexcept {
        if (one_.totals.size() > table::max_totals) return false;
        for (std::size_t n = 0; n != one_.totals.size(); ++n) {
            const table::total& t = one_.totals[n];
            for (std::size_t before = 0; before != n; ++before)
                if (one_.totals[before].name == t.name) return false;
            const std::string_view printed = table_printing::printed_cell(t.value, table::unit::microseconds, value_);
            const bool word = !printed.empty() && !has_blank(printed);
            if (!word || !is_total_name(t.name) || !cell_reads_back(t.value, table::unit::microseconds)) return false;
        }
        return true;
    }

    std::string_view header() noexcept {
        const std::size_t count = columns_.size();
        bool whole = true;
        for (const table::column& c : one_.columns) whole = whole && !c.name.empty();
        // Right-aligned names, the first of which begins no rule: wherever these are, a reader finds each in its
        // column, and to the right.
        bool usual = whole && one_.columns[0].name.front() != '-' && one_.columns[0].name.front() != '=';
        for (std::size_t n = 0; n != count; ++n) {
            const table::column& c = one_.columns[n];
            // Without an empty name the runs are the names, joined by blanks of any kind; else they are placed as a
            // row's are.
            std::size_t characters;
            const bool run = c.name.empty() || is_run(c.name, characters);
            if (!run && !(whole && is_any_run(c.name, true))) return name_of(n);
            if (c.unit != table::unit_of(c.name) || table_cells::is_time_or_percent(c.name)) return name_of(n);
            if (c.width != 0 && c.width != columns_[n].width) return name_of(n);
            usual = usual && run && !c.left_aligned && c.unit != table::unit::source;
        }
        if (usual) return none;
        written_line<Build> line(one_, columns_, spans_);
        for (const table::column& c : one_.columns) line.put(c.name, table_printing::width_of(c.name));
        if (line.is_rule() || line.runs() == 0 || (!whole && !line.goes_back(false))) return "columns";
        label_sides sides;
        std::size_t run = 0;
        for (std::size_t n = 0; n != count; ++n) {
            const table::column& c = one_.columns[n];
            bool left_aligned = c.unit == table::unit::source;
            if (!c.name.empty()) {
                sides.add_label(line.positions()[2 * run], line.positions()[2 * run + 1], spans_[n], left_aligned);
                ++run;
            }
            if (left_aligned != c.left_aligned) return name_of(n);
        }
        return none;
    }

    // Whether the texts of a row lie in their columns and read back, with a name in the first one that begins no rule.
    // For other rows see row().
    WLFMT_INLINE bool is_usual_row(std::size_t row) const noexcept {
        const std::size_t count = columns_.size();
        const table::cell* const cells = one_.cells.data() + row * count;
        for (std::size_t n = 0; n != count; ++n)
            if (!is_usual_cell(cells[n], n)) return false;
        return are_usual_ends(cells[0], cells[count - 1]) && !columns_.swapped();
    }

    // Of a row of any kind.
    std::string_view row(const table::cell* cells) noexcept {
        const std::size_t count = columns_.size();
        written_line<Build> line(one_, columns_, spans_);
        std::size_t longest = count;
        for (std::size_t n = 0; n != count; ++n) {
            const std::size_t column = columns_.swapped() && n + 2 >= count ? 2 * count - 3 - n : n;
            const written_column& c = columns_[column];
            if (!cell_reads_back(cells[column], c.unit)) return name_of(column);
            const std::string_view text = table_printing::printed_cell(cells[column], c.unit, value_);
            const std::size_t characters = table_printing::width_of(text);
            // Values are written whole.
            const bool value = cells[column].text().empty() && cells[column].value().has_value();
            if (!value && c.limit.longer != column_limit::cut::none && characters > c.limit.most)
                return name_of(column);
            if (longest == count && characters > columns_[n].width) longest = column;
            line.put(text, characters, columns_.swapped() && n + 2 == count ? flops_padding(text) : 0);
        }
        const std::string_view name = table_printing::printed_cell(*cells, columns_[0].unit, value_);
        const bool only_name = line.runs() == 1 && !name.empty() && name.front() != '#';
        if (line.runs() == 0 ||
            (only_name && columns_[0].unit == table::unit::text && has_measures(one_.columns.data(), count)))
            return rows;
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
            if (source_ == columns_.size() || !is_run(frame, characters) || table_header<Build>::is_rule(frame))
                return false;
            if (limit.longer != column_limit::cut::none && characters > limit.most) return false;
        }
        return true;
    }

    // Does a text, which is not empty, read back in a column of that unit? Says how many characters it has.
    WLFMT_INLINE static bool text_reads_back(std::string_view text, table::unit unit,
                                             std::size_t& characters) noexcept {
        const bool prose = unit == table::unit::text || unit == table::unit::source || unit == table::unit::other;
        if (prose) return is_run(text, characters);
        characters = text.size();
        // A reader would take a blank before the text for padding.
        if (text.front() == ' ') return false;
        number read;
        return table_cells::read_any_cell(unit, text, read) == error_kind::none;
    }

    // Does a cell read back as it is?
    bool cell_reads_back(const table::cell& c, table::unit unit) noexcept {
        const number& v = c.value();
        if (!c.text().empty() || v.is_text()) {
            const std::string_view text = c.text().empty() ? v.text() : c.text();
            std::size_t characters;
            return text.empty() || text_reads_back(text, unit, characters);
        }
        const bool printed_as_missing = !v.has_value() || table_cells::is_nan(v);
        if (printed_as_missing || unit == table::unit::text || unit == table::unit::source) return printed_as_missing;
        return table_printing::says(view(value_, table_printing::write_value(value_, unit, v)), unit, v);
    }

    const table::profile& one_;
    const table_layout<Build>& columns_;
    std::size_t source_ = 0;
    std::size_t row_ = 0;
    bool too_wide_ = false;
    std::string_view field_;  // of what is wrong; without data if nothing is
    column_span spans_[table::max_columns];
    char value_[max_value_chars];
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
