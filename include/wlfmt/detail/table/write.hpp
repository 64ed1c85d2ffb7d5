// Writing profiler summary tables, byte for byte as PyTorch does, and checking that they read back.
#ifndef WLFMT_DETAIL_TABLE_WRITE_HPP
#define WLFMT_DETAIL_TABLE_WRITE_HPP

#include "../base/scan.hpp"
#include "../error/problems.hpp"
#include "../io/out.hpp"
#include "../number/write.hpp"
#include "cell.hpp"
#include "header.hpp"
#include "print.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The texts of a line and where they will be, in characters and in columns, in order to place them like phrases that
// were read.
struct written_line {
    std::size_t count = 0;   // the number of texts
    std::size_t column = 0;  // the position of the next column
    std::size_t cursor = 0;
    std::size_t groups = 0;
    bool all_dashes = true;
    std::size_t at[2 * table::max_columns];  // where the phrases are
    std::size_t phrase_of[table::max_columns];
    const char* texts[table::max_columns];
    std::size_t sizes[table::max_columns];

    std::string_view operator[](std::size_t n) const noexcept { return {texts[n], sizes[n]}; }
    // Puts a text into the next column, with `before` blanks of its own before it.
    void put(const written_column& c, std::string_view text, std::size_t characters, std::size_t before = 0) noexcept {
        const std::size_t size = before + characters;
        const std::size_t padding = size < c.width ? c.width - size : 0;
        phrase_of[column++] = text.empty() ? phrase_places::no_phrase : count;
        if (!text.empty()) {
            at[2 * count] = cursor + (c.left_aligned ? 0 : padding) + before;
            at[2 * count + 1] = at[2 * count] + characters;
            texts[count] = text.data();
            sizes[count++] = text.size();
            const std::size_t more = all_dashes ? table_lines::count_dashes(text) : 0;
            all_dashes = more != 0;
            groups += more;
        }
        cursor += size + padding + column_gap;
    }
    bool is_rule() const noexcept { return all_dashes && groups >= 2; }
};

// Finds what keeps a table from reading back, without writing it: looks at each text and value by itself and, if one
// may be wider than its column, computes where the row's texts would be and places them as the reader does.
//
// A writer that checks what it writes calls the functions for its parts in their order. When one of them returns false,
// found_problem() says what is wrong.
class table_check {
public:
    table_check(const table::profile& table, const table_layout& layout) noexcept : table_(table), layout_(layout) {}

    problem first_problem() {
        bool good = lines_before_rows();
        for (std::size_t n = 0; good && n != table_.size(); ++n)
            good = (is_usual_row(n) || any_row(n)) && (n >= table_.frames.size() || frames(n));
        if (good) lines_after_rows();
        return found_problem();
    }
    problem found_problem() const noexcept {
        problem e;
        if (field_.data() == nullptr) return e;
        e.kind = too_wide_ ? error_kind::too_wide : error_kind::unwritable;
        e.field = field_;
        e.found = static_cast<std::int64_t>(row_);
        return e;
    }

    bool lines_before_rows() {
        const std::size_t count = layout_.columns.size();
        if (count < 2 || count > table::max_columns || table_.cells.size() % count != 0) return fails("columns");
        source_ = table_.find_column("Source Location");
        too_wide_ = is_too_wide();
        if (too_wide_) return fails("columns");
        std::size_t at = 0;
        for (std::size_t n = 0; n != count; ++n) {
            spans_[n] = {at, at + layout_.columns[n].width};
            at = spans_[n].end + column_gap;
            texts_ += row_of(layout_.columns[n].unit).form == cell_form::missing ? 1U : 0U;
        }
        return titles_read_back() ? header() : fails("titles");
    }
    // Checks row n, which must be less than size(), without the frames below it.
    WLFMT_NOINLINE bool row(std::size_t n) noexcept { return is_usual_row(n) || any_row(n); }
    // Checks the frames below row n, which must be less than the size of `frames`.
    bool frames(std::size_t n) noexcept {
        row_ = n;
        return frames_read_back(table_.frames[n]) || fails("Source Location");
    }
    bool lines_after_rows() noexcept {
        row_ = 0;
        if (table_.frames.size() > table_.size()) return fails("rows");
        return totals_read_back() || fails("totals");
    }

    // Whether a cell fits its column and reads back, as the usual cells of most tables do.
    WLFMT_INLINE static bool is_usual_cell(const table::cell& c, const written_column& column) noexcept {
        const number& v = c.value();
        if (WLFMT_UNLIKELY(!c.text().empty())) {
            if (WLFMT_LIKELY(number_access::is_marked(v, column.mark) && c.text().size() <= column.width)) return true;
            std::size_t characters;
            return text_reads_back(c.text(), column.unit, characters) && characters <= column.width;
        }
        if (!v.has_value()) return v.is_missing() || (v.is_none() && !holds_texts(column.unit));
        return column.width >= default_column_width && table_printing::is_short(column.unit, v);
    }
    // Whether a row's first cell begins neither a rule nor a total, its last one is not missing, so that it is more
    // than a name, and its cells are not names of columns.
    WLFMT_INLINE bool is_usual_whole(const table::cell* cells) const noexcept {
        const std::size_t count = layout_.columns.size();
        return begins_usual_line(cells[0].text()) && !cells[count - 1].is_missing() &&
               (WLFMT_LIKELY(texts_ < 2) || !may_hold_names(cells, count));
    }

private:
    // Whether a line that begins with this text is neither a rule nor a total.
    static bool begins_usual_line(std::string_view name) noexcept {
        return !name.empty() && name.front() != '-' && name.front() != '=' && name.back() != ':';
    }
    // Whether two cells begin as names of columns do.
    static bool may_hold_names(const table::cell* cells, std::size_t count) noexcept {
        std::size_t names = 0;
        for (std::size_t n = 0; n != count; ++n) {
            const std::string_view text = cells[n].text();
            names += !text.empty() && (text.front() == '#' || (text.front() >= 'A' && text.front() <= 'Z')) ? 1U : 0U;
        }
        return names > 1;
    }
    std::string_view name_of(std::size_t n) const noexcept {
        return table_.columns[n].name.empty() ? "columns" : table_.columns[n].name;
    }
    // Notes the field that is wrong, and returns false.
    bool fails(std::string_view field) noexcept {
        field_ = field;
        return false;
    }

    // Whether there is more padding than table::max_padding allows, or than this machine has addresses for.
    bool is_too_wide() const {
        const std::uint64_t width = layout_.width;
        if (width > (std::numeric_limits<std::size_t>::max)() / 4) return true;
        std::uint64_t lines = table_.size();
        if (source_ != layout_.columns.size()) lines *= 2;
        std::uint64_t text = width;
        for (const table::frame_list& stack : table_.frames)
            for (const std::string_view frame : stack) {
                ++lines;
                text += frame.size();
            }
        if (lines <= table::max_free_padding / width) return false;
        for (const table::cell& c : table_.cells)
            text += !c.text().empty() ? c.text().size() : !c.value().is_missing() ? 1 + c.value().text().size() : 0;
        return lines > (text * table::max_padding + table::max_free_padding) / width;
    }

    bool titles_read_back() const noexcept {
        if (table_.titles.size() > table::max_titles) return false;
        for (const std::string_view t : table_.titles) {
            const bool caption = !t.empty() && t.find('\n') == std::string_view::npos && without_blanks(t) == t;
            if (!caption || is_title_rule(t) || table_lines::is_rule(t)) return false;
        }
        return true;
    }

    bool totals_read_back() noexcept {
        if (table_.totals.size() > table::max_totals) return false;
        for (std::size_t n = 0; n != table_.totals.size(); ++n) {
            const table::total& t = table_.totals[n];
            for (std::size_t before = 0; before != n; ++before)
                if (table_.totals[before].name == t.name) return false;
            const std::string_view printed = table_printing::printed_cell(t.value, table::unit::microseconds, value_);
            const bool word = !printed.empty() && !has_blank(printed);
            if (!word || !is_total_name(t.name) || !cell_reads_back(t.value, table::unit::microseconds)) return false;
        }
        return true;
    }

    bool header() noexcept {
        const std::size_t count = layout_.columns.size();
        const bool whole = table_.find_column("") == count;
        // Right-aligned names always read back in their columns if none is empty and the first begins no rule.
        bool usual = whole && begins_usual_line(table_.columns[0].name);
        for (std::size_t n = 0; n != count; ++n) {
            const table::column& c = table_.columns[n];
            // If no name is empty, any single blank joins the words of a name; else names are placed as in a row.
            std::size_t characters;
            const bool phrase = c.name.empty() || is_phrase(c.name, characters);
            if (!phrase && !(whole && is_phrase(c.name, characters, true))) return fails(name_of(n));
            if (c.unit != table::unit_of(c.name)) return fails(name_of(n));
            if (c.width != 0 && c.width != layout_.columns[n].width) return fails(name_of(n));
            usual = usual && phrase && !c.left_aligned && c.unit != table::unit::source;
        }
        // If the last columns of PyTorch's own have no names, a reader takes the lines for cut there.
        std::size_t named = count;
        while (named > 1 && table_.columns[named - 1].name.empty()) --named;
        if (named != count && table_.columns[0].name == column_order[0].printed) {
            const header_order order = find_order(table_.columns.data(), named);
            const bool broken = order.names + 1 == named && order.broken;
            if (table_edges::are_known(table_.columns.data(), broken ? named - 1 : named)) return fails(name_of(named));
        }
        if (usual) return true;
        written_line line;
        for (std::size_t n = 0; n != count; ++n) {
            const std::string_view name = table_.columns[n].name;
            line.put(layout_.columns[n], name, table_printing::width_of(name));
        }
        bool dashes = true;  // and nothing else, which is no header
        for (std::size_t n = 0; n != line.count; ++n) dashes = dashes && table_lines::holds_dashes(line[n]);
        if (dashes) return fails("columns");
        if (!whole && (table_header::is_collapsed(line.count, line[0]) || !goes_back(line, false)))
            return fails("columns");
        label_sides sides;
        for (std::size_t n = 0; n != count; ++n) {
            bool left_aligned = table_.columns[n].unit == table::unit::source;
            if (const std::size_t phrase = line.phrase_of[n]; phrase != phrase_places::no_phrase)
                sides.add_label(line.at[2 * phrase], line.at[2 * phrase + 1], spans_[n], left_aligned);
            if (left_aligned != table_.columns[n].left_aligned) return fails(name_of(n));
        }
        return true;
    }

    // Whether a row's texts fit their columns and read back, and the first is a name that begins no rule.
    WLFMT_INLINE bool is_usual_row(std::size_t row) const noexcept {
        const std::size_t count = layout_.columns.size();
        const table::cell* const cells = table_.cells.data() + row * count;
        for (std::size_t n = 0; n != count; ++n)
            if (!is_usual_cell(cells[n], layout_.columns[n])) return false;
        return is_usual_whole(cells) && !layout_.swapped;
    }
    bool any_row(std::size_t row) noexcept {
        row_ = row;
        const std::size_t count = layout_.columns.size();
        const table::cell* const cells = table_.cells.data() + row * count;
        written_line line;
        std::size_t longest = count;
        for (std::size_t n = 0; n != count; ++n) {
            const std::size_t column = layout_.cell_in(n);
            const written_column& c = layout_.columns[column];
            if (!cell_reads_back(cells[column], c.unit)) return fails(name_of(column));
            const std::string_view text = table_printing::printed_cell(cells[column], c.unit, value_);
            const std::size_t characters = table_printing::width_of(text);
            if (c.limit_of(cells[column]).cuts(characters)) return fails(name_of(column));
            if (longest == count && characters > layout_.columns[n].width) longest = column;
            // What a value is printed as does not last.
            const std::string_view lasting = text.data() != value_ ? text : text == "NaN"sv ? "NaN"sv : "0"sv;
            line.put(layout_.columns[n], text.empty() ? text : lasting, characters, layout_.indent(n, text));
        }
        if (table_lines::is_header(line)) return fails("rows");  // before which a table ends
        const std::string_view name = table_printing::printed_cell(*cells, layout_.columns[0].unit, value_);
        const bool only_name = line.count == 1 && !name.empty();
        const bool frame = line.count == 1 && source_ != count && is_frame_at(line.at[0], line.at[1], spans_, source_);
        const bool alone = line.count == 1 && !frame;
        const bool total = (line.count == 1 && table_lines::is_total(line[0])) ||
                           (line.count == 2 && table_lines::is_total(line[0], line[1]));
        const bool ends = total || (alone && table_lines::is_fence(line[0]));
        if (line.count == 0 || ends ||
            (only_name && layout_.columns[0].unit == table::unit::text && has_measures(table_.columns.data(), count)))
            return fails("rows");
        if (line.is_rule() || !goes_back(line, true)) return fails(longest != count ? name_of(longest) : "rows");
        return row == 0 || !frame || fails("rows");
    }
    // Whether a reader places every text of a line in its own column.
    bool goes_back(const written_line& line, bool aligned) const noexcept {
        std::size_t phrase_of[table::max_columns];
        const phrase_places row{line.at, line.count, spans_, table_.columns.data(), layout_.columns.size(), phrase_of};
        if (row.place_by_spans() != row.phrases && !row.place_by_count() &&
            row.place_by_spans(true, aligned) != row.phrases)
            return false;
        return std::memcmp(phrase_of, line.phrase_of, layout_.columns.size() * sizeof *phrase_of) == 0;
    }

    bool frames_read_back(const table::frame_list& stack) const noexcept {
        const column_limit limit = layout_.frame_limit();
        for (const std::string_view frame : stack) {
            std::size_t characters = 0;
            if (source_ == layout_.columns.size() || !is_phrase(frame, characters) || table_lines::is_rule(frame))
                return false;
            if (limit.cuts(characters)) return false;
        }
        return true;
    }

    // Whether a text, which is not empty, reads back in a column of that unit. Counts its characters.
    WLFMT_INLINE static bool text_reads_back(std::string_view text, table::unit unit,
                                             std::size_t& characters) noexcept {
        if (holds_texts(unit) || unit == table::unit::other) return is_phrase(text, characters);
        characters = text.size();
        if (text.front() == ' ') return false;  // would be taken for padding
        number read;
        return table_cells::read_any_cell(unit, text, read) == error_kind::none;
    }

    bool cell_reads_back(const table::cell& c, table::unit unit) noexcept {
        const number& v = c.value();
        if (!c.text().empty() || v.is_text()) {
            const std::string_view text = c.text().empty() ? v.text() : c.text();
            std::size_t characters;
            if (text.empty()) return holds_texts(unit);
            // A text that was assigned as a value must not read back as a number; a cell's printed text may be one.
            number read;
            const bool may_be_number = c.text().empty() && !holds_texts(unit);
            if (may_be_number && table_cells::read_any_cell(unit, text, read) == error_kind::none && !read.is_text())
                return false;
            return text_reads_back(text, unit, characters);
        }
        if (holds_texts(unit)) return v.is_missing();
        if (!v.has_value() || table_cells::is_nan(v)) return true;
        return table_printing::says(view(value_, table_printing::write_value(value_, unit, v)), unit, v);
    }

    const table::profile& table_;
    const table_layout& layout_;
    std::size_t source_ = 0;
    std::size_t row_ = 0;
    std::size_t texts_ = 0;  // the number of columns that may hold texts
    bool too_wide_ = false;
    std::string_view field_;  // the field that is wrong; null if none is
    column_span spans_[table::max_columns];
    char value_[max_value_chars];
};

// Writes a table. If Checked, also checks each part, and stops at the first that would not read back.
template <class Sink, bool Checked> class table_writer {
public:
    table_writer(out<Sink>& output, const table::profile& table)
        : output_(output), table_(table), layout_(table), check_(table, layout_) {}

    // Returns the problem of the part that would not read back. It may have been written; later parts are not.
    problem write() {
        if (Checked && !check_.lines_before_rows()) return check_.found_problem();
        titles();
        rule();
        for (std::size_t n = 0; n != layout_.columns.size(); ++n) cell(table_.columns[n].name, layout_.columns[n]);
        output_.put('\n');
        rule();
        const bool stacks = table_.find_column("Source Location") != layout_.columns.size();
        const std::size_t rows = table_.size();
        const std::size_t stacked = table_.frames.size();
        const table::cell* cells = table_.cells.data();
        for (std::size_t n = 0; n != rows; ++n, cells += layout_.columns.size()) {
            if (WLFMT_UNLIKELY(!layout_.aligned || !aligned_row(cells))) {
                if (Checked && !check_.row(n)) return check_.found_problem();
                any_row(cells);
            }
            if (Checked && n < stacked && !check_.frames(n)) return check_.found_problem();
            if (!stacks) continue;
            if (n < stacked) frames(table_.frames[n]);
            output_.repeat(' ', layout_.width);
            output_.put('\n');
        }
        if (Checked && !check_.lines_after_rows()) return check_.found_problem();
        rule();
        for (const table::total& t : table_.totals) {
            output_.text(t.name);
            output_.literal(": ");
            output_.text(table_printing::printed_cell(t.value, table::unit::microseconds, value_));
            output_.put('\n');
        }
        return {};
    }

private:
    void titles() {
        for (const std::string_view title : table_.titles) {
            output_.repeat('=', layout_.width > column_gap ? layout_.width - column_gap : 0);
            output_.put('\n');
            output_.text(title);
            output_.put('\n');
        }
    }
    void rule() {
        for (std::size_t n = 0; n != layout_.columns.size(); ++n) {
            output_.repeat('-', layout_.columns[n].width);
            output_.literal("  ");
        }
        output_.put('\n');
    }

    // Writes a cell; `indent` is how many blanks of its own the text has before it.
    WLFMT_INLINE void cell(std::string_view text, const written_column& c, std::size_t indent = 0) {
        const std::size_t characters = indent + table_printing::width_of(text);
        const std::size_t padding = characters < c.width ? c.width - characters : 0;
        const std::size_t before = indent + (c.left_aligned ? 0 : padding);
        const std::size_t after = c.left_aligned ? padding : 0;
        constexpr std::size_t slack = 16;
        // A width may have 32 bits: the sum may need more.
        const std::uint64_t room = std::uint64_t{text.size()} + indent + padding + column_gap + slack;
        if (WLFMT_UNLIKELY(room > output_.max_room)) {
            output_.repeat(' ', before);
            output_.text(text);
            output_.repeat(' ', after);
            return output_.repeat(' ', column_gap);
        }
        char* p = write_spaces(output_.room(static_cast<std::size_t>(room)), before);
        output_.take(write_spaces(copy_text(p, text), after + column_gap));
    }

    // Returns false, with nothing written, if the row cannot be written this way or, if Checked, if a cell is not
    // usual. What put_read_text() and put_value() write is usual, and fits its column.
    WLFMT_INLINE bool aligned_row(const table::cell* cells) {
        const auto width = static_cast<std::size_t>(layout_.width);
        char* const begin = output_.room(width + 1);
        char* end = begin + width;
        *end = '\n';
        store_sixteen_spaces(end - aligned_block);
        const written_column* const first = layout_.columns.data();
        const written_column* column = layout_.columns.data() + layout_.columns.size();
        const table::cell* const cells_end = cells + layout_.columns.size();
        for (const table::cell* cell = cells_end; --column != first;) {
            --cell;
            end -= column_gap;
            const std::string_view text = cell->text();
            if (WLFMT_LIKELY(text.size() - 1 < column->max_aligned &&
                             number_access::is_marked(cell->value(), column->mark))) {
                put_read_text(end, text);
            } else if (WLFMT_UNLIKELY(!text.empty() || !put_value(end, column->unit, cell->value()))) {
                if (!put_odd(end, *cell, *column)) return false;
                end -= column->width;
                continue;
            }
            if (WLFMT_UNLIKELY(column->width > aligned_block - column_gap))
                put_spaces_before(end - aligned_block, column->width + column_gap - aligned_block);
            end -= column->width;
        }
        if (Checked && !check_.is_usual_whole(cells)) return false;
        if (WLFMT_UNLIKELY(!put_text(end - column_gap, *cells, *column, 0))) return false;
        output_.take(begin + width + 1);
        return true;
    }
    // Writes a text or a value, and blanks before it, both in its column and in the gap before that. Returns false if
    // the text has more bytes than characters, is wider than its column or, if Checked, is not usual.
    WLFMT_INLINE bool put_text(char* end, const table::cell& cell, const written_column& column,
                               std::size_t gap) noexcept {
        if (Checked && !check_.is_usual_cell(cell, column)) return false;
        const std::string_view text = table_printing::printed_cell(cell, column.unit, value_);
        if (text.size() > column.width || table_printing::width_of(text) != text.size()) return false;
        for (char* p = end - column.width - gap; end - p > static_cast<std::ptrdiff_t>(aligned_block);
             p += aligned_block)
            store_sixteen_spaces(p);
        store_sixteen_spaces(end - aligned_block);
        copy_text(end - text.size(), text);
        return true;
    }

    WLFMT_NOINLINE bool put_odd(char* end, const table::cell& cell, const written_column& column) noexcept {
        return put_text(end, cell, column, column_gap);
    }

    void any_row(const table::cell* cells) {
        for (std::size_t n = 0; n != layout_.columns.size(); ++n) {
            const std::size_t from = layout_.cell_in(n);
            const written_column& cell_column = layout_.columns[from];
            const std::string_view whole = table_printing::printed_cell(cells[from], cell_column.unit, value_);
            const std::string_view text = table_printing::cut_to(cell_column.limit_of(cells[from]), whole, cut_);
            cell(text, layout_.columns[n], layout_.indent(n, text));
        }
        output_.put('\n');
    }

    // Writes the frames below a row, in the last column.
    void frames(const table::frame_list& stack) {
        const std::size_t last = layout_.columns.size() - 1;
        for (const std::string_view frame : stack) {
            output_.repeat(' ', layout_.width - layout_.columns[last].width - column_gap);
            cell(table_printing::cut_to(layout_.frame_limit(), frame, cut_), layout_.columns[last]);
            output_.put('\n');
        }
    }

    out<Sink>& output_;
    const table::profile& table_;
    const table_layout layout_;
    table_check check_;
    char value_[max_value_chars];
    char cut_[max_cut_bytes];
};

// Writes tables. If Checked, stops at a part that would not read back, perhaps after writing it, in table `bad`.
template <bool Checked, class Sink>
problem put_tables(Sink& sink, const table::profile* tables, std::size_t count, std::size_t& bad) {
    out<Sink> output(sink);
    for (bad = 0; bad != count; ++bad) {
        if (bad != 0) output.put('\n');
        if (const problem e = table_writer<Sink, Checked>(output, tables[bad]).write()) return e;
    }
    return output.finish() ? problem() : sink_error();
}

// Writes all tables, or none if one would not read back: `bad` is then its position. Tables that are appended to a
// string are checked as they are written, and removed again if one fails.
template <class Sink>
problem put_checked_tables(Sink& sink, const table::profile* tables, std::size_t count, std::size_t& bad) {
    if constexpr (can_take_back<Sink>) {
        const std::size_t size = sink.size();
        const problem e = put_tables<true>(sink, tables, count, bad);
        if (WLFMT_UNLIKELY(bad != count)) sink.resize(size);
        return e;
    } else {
        for (bad = 0; bad != count; ++bad)
            if (const problem e = table_check(tables[bad], table_layout(tables[bad])).first_problem()) return e;
        return put_tables<false>(sink, tables, count, bad);
    }
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
