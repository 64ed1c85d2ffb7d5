// Joins the lines of tables that a terminal or an editor wrapped: each line is in pieces of one width, or in pieces
// that end with the last blank that fits into a width.
#ifndef WLFMT_DETAIL_TABLE_WRAPPED_HPP
#define WLFMT_DETAIL_TABLE_WRAPPED_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../../detect.hpp"
#include "../../table.hpp"
#include "../../types/mend.hpp"
#include "mend.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

class wrapped_lines {
public:
    explicit wrapped_lines(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = (std::min)(text.find('\n', at), text.size());
            std::string_view line = text.substr(at, end - at);
            if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
            lines_.push_back(line);
            lengths_.push_back(characters(line));
            may_be_rows_.push_back(line.find(" time total: ") == line.npos && line.find("```") == line.npos);
            at = end + 1;
        }
    }

    // The text with each line of its tables in one piece; empty if no table is wrapped.
    std::string joined() {
        std::string text;
        output_ = &text;
        for (std::size_t n = 0; n < lines_.size();) {
            if (!find_table_at(n)) {
                n = put_line(text, n, 1);
                continue;
            }
            // A blank line below a header is no piece of it.
            const bool only_blank = table_.header_pieces == 2 && has_blank_line(n);
            if (only_blank) done_.push_back({table::mend_step::blank_lines, n + 3, 1});
            else done_.push_back({table::mend_step::wrapped, n + 1, table_.width});
            n = put_table(text, n);
        }
        output_ = nullptr;
        return joined_width_ != 0 ? text : std::string();
    }
    // The tables that were wrapped.
    const std::vector<table::mending>& done() const noexcept { return done_; }
    // Where the parts of the joined text come from.
    std::vector<table::text_part>& parts() noexcept { return parts_; }

private:
    static constexpr std::size_t max_rule_pieces = 16;
    static constexpr std::size_t max_tried_headers = 64;
    // How many pieces the lines of a table are in. Labels and values wider than their columns may add a piece to a
    // line.
    struct shape {
        std::size_t rule_pieces = 0;  // 0 if it has no rules
        std::size_t header_pieces = 0;
        std::size_t width = 0;
        bool keeps_blanks = false;    // pieces still have the blanks at their ends
        std::size_t broken_rule = 0;  // if lines were broken after blanks, how many characters the rule has; else 0
    };

    // Whether the last piece of the header of the table that begins in line n is a blank line, the rule being whole.
    bool has_blank_line(std::size_t n) const noexcept {
        return table_.rule_pieces == 1 && is_blank(piece(n + table_.header_pieces));
    }
    // Appends the table that begins in line n, with each of its lines in one piece. Returns the line after it.
    std::size_t put_table(std::string& text, std::size_t n) {
        joined_width_ = table_.width;
        if (table_.rule_pieces != 0) n = put_line(text, n, table_.rule_pieces);
        const std::size_t below_header = n + table_.header_pieces;
        put_line(text, n, table_.header_pieces - (has_blank_line(rule_) ? 1 : 0));
        n = below_header;
        if (table_.rule_pieces != 0 && is_row(n)) n = put_line(text, n, pieces_of_row(n));
        for (bool is_closed = false; !is_closed && is_row(n);) {
            is_closed = is_rule(n);
            n = put_line(text, n, pieces_of_row(n));
        }
        // If a blank line comes after each line, the rule's is its last piece, and those between totals are skipped.
        const bool is_spaced = ends_blank(rule_, table_.rule_pieces);
        while (const std::size_t pieces = pieces_of_total(n)) {
            n = put_line(text, n, pieces);
            if (is_spaced && n < lines_.size() && is_blank(lines_[n]) && pieces_of_total(n + 1) != 0) ++n;
        }
        return n;
    }
    // Appends the line whose first piece is line n. Returns where the next one begins.
    std::size_t put_line(std::string& text, std::size_t n, std::size_t pieces) {
        if (&text == output_) ++here_;
        append_joined(text, n, pieces);
        text.push_back('\n');
        return n + pieces;
    }

    // Notes that what comes next in the joined text, in this column, comes from this place.
    void note_part(std::uint64_t column, table::text_place there) {
        const table::text_part last = parts_.empty() ? table::text_part{{1}, {1}} : parts_.back();
        const bool goes_on = column == 1 && here_ - last.here.line == there.line - last.there.line;
        if (!goes_on) parts_.push_back({{here_, column}, there});
    }

    static bool is_blank(std::string_view line) noexcept { return line.find_first_not_of(' ') == line.npos; }
    static bool is_dashes(std::string_view line) noexcept {
        return !is_blank(line) && line.find_first_not_of("- =") == line.npos;
    }
    // The size of what comes before `first`: the dashes of a rule's first piece, or the first name; npos without these.
    static std::size_t prefix_of(std::string_view line, std::string_view first) noexcept {
        const std::size_t at = line.find(first);
        if (at == line.npos || (first == "---" && !is_dashes(line.substr(at)))) return line.npos;
        const std::size_t end = line.substr(0, at).find_last_not_of(' ') + 1;
        return end == 0 ? 0 : first == "---" ? at : end;
    }
    // Line n, which must not be a first piece, without the prefix of the first piece if it repeats that.
    std::string_view piece(std::size_t n) const noexcept {
        const std::string_view line = lines_[n];
        const std::string_view prefix = lines_[rule_].substr(0, (std::min)(repeated_, line.size()));
        return line.substr(line.substr(0, prefix.size()) == prefix ? prefix.size() : 0);
    }

    // Sets table_ to the shape of the wrapped table that begins in line n; false if none does.
    bool find_table_at(std::size_t n) {
        table_ = {};
        rule_ = n;
        if (begins_with(n, "---")) {
            std::size_t pieces = 1;
            while (n + pieces < lines_.size() && pieces != max_rule_pieces && is_dashes(piece(n + pieces))) ++pieces;
            if (n + pieces < lines_.size() && is_blank(piece(n + pieces)) && has_header(n, pieces + 1)) return true;
            return has_header(n, pieces);
        }
        // A blank line after the header means that one comes after each line, which the reader handles.
        if (!begins_with(n, "Name ") || is_blank(piece(n + 1))) return false;
        // Trying takes long, so that not every line of a text may be a header.
        if (tried_headers_ == max_tried_headers) return false;
        ++tried_headers_;
        for (std::size_t pieces = 2; pieces <= max_rule_pieces; ++pieces)
            if (is_table(n, 0, pieces)) return true;
        return false;
    }
    // Whether line n begins with `first`, after a prefix if any: its size is then in prefix_ and, if repeated,
    // repeated_.
    bool begins_with(std::size_t n, std::string_view first) {
        const std::size_t prefix = prefix_of(lines_[n], first);
        repeated_ = 0;
        prefix_ = prefix;
        if (prefix == std::string_view::npos || n + 1 == lines_.size()) return false;
        if (prefix != 0 && lines_[n + 1].substr(0, prefix) == lines_[n].substr(0, prefix)) repeated_ = prefix;
        return true;
    }
    // Whether a rule of this number of pieces in line n is followed by a header and the same rule.
    bool has_header(std::size_t n, std::size_t pieces) {
        table_.rule_pieces = pieces;
        // The first piece of a header may be blank, but not where the rule is in one piece.
        if (pieces == 1 && n + 1 < lines_.size() && is_blank(piece(n + 1))) return false;
        // A blank line after the rule is its last piece only if the header then has as many pieces, or one more.
        const std::size_t searched = ends_blank(n, pieces) ? 2 : 2 * pieces;
        for (std::size_t k = 0; k != searched; ++k) {
            const std::size_t header_pieces = k % 2 != 0 ? pieces + k / 2 + 1 : pieces - k / 2;  // the nearest first
            const std::size_t second = n + pieces + header_pieces;
            const bool spaced = pieces == 2 && is_blank(piece(n + 1)) && k == 0;  // a blank line after each line
            if (second + pieces <= lines_.size() && is_same(n, second) && !(spaced && is_blank(piece(second - 1))))
                return is_table(n, pieces, header_pieces);
        }
        return false;
    }
    // Whether the lines make a table when they are joined; its shape is then in table_.
    bool is_table(std::size_t n, std::size_t rule_pieces, std::size_t header_pieces) {
        const std::size_t rows = n + 2 * rule_pieces + header_pieces;
        if (rule_pieces == 0 ? rows + header_pieces > lines_.size() : rule_pieces + header_pieces == 2) return false;
        const auto [longest, keeps_blanks] = measure_pieces(n, rows, header_pieces);
        const std::size_t broken_rule = size_if_broken(n, rule_pieces, rule_pieces + header_pieces, longest);
        // The longest piece may have lost one or both blanks between columns: the names of the header show how many.
        shape found;
        std::size_t max_names = 1;
        bool all_known = false;
        for (std::size_t lost = 0; lost != (broken_rule != 0 ? 1 : 3) && !all_known; ++lost) {
            const bool is_full = keeps_blanks && lost == 0 && !ends_blank(n, rule_pieces);
            table_ = {rule_pieces, header_pieces, longest + lost, is_full, broken_rule};
            const std::size_t names = names_of(n, all_known);
            if (names <= max_names) continue;
            max_names = names;
            found = table_;
        }
        // The line before the second rule is a piece of the header only if it completes a name, or is blank: another
        // program may have written it.
        std::size_t names_without = 1;
        if (max_names > 1 && rule_pieces != 0 && header_pieces > rule_pieces &&
            !is_blank(piece(n + rule_pieces + header_pieces - 1))) {
            --table_.header_pieces;
            names_without = names_of(n, all_known);
        }
        table_ = found;
        return names_without < max_names;
    }
    // The size of the longest piece of the table's first lines, and whether one of them ends with a blank. `rows`:
    // where its rows begin.
    std::pair<std::size_t, bool> measure_pieces(std::size_t n, std::size_t rows, std::size_t header_pieces) const {
        constexpr std::size_t searched_rows = 64;
        std::size_t longest = 0;
        bool any_blank = false;
        for (std::size_t at = n; at < n + searched_rows * header_pieces && is_row(at); ++at) {
            if (at >= rows && (table_.rule_pieces == 0 ? is_blank(lines_[at]) : is_same(n, at))) break;
            longest = (std::max)(longest, length(at));
            any_blank = any_blank || (!lines_[at].empty() && lines_[at].back() == ' ');
        }
        return {longest, any_blank};
    }
    // How many names of PyTorch's columns the table has if its lines are joined in this shape; 0 if they are not a
    // table. Without rules, all names have to be known, and the first row has to fit them.
    std::size_t names_of(std::size_t n, bool& all_known) {
        const bool ruled = table_.rule_pieces != 0;
        std::string text;
        const std::size_t header = ruled ? put_line(text, n, table_.rule_pieces) : n;
        const std::size_t below_header = put_line(text, header, table_.header_pieces);
        put_line(text, ruled ? n : below_header, ruled ? table_.rule_pieces : table_.header_pieces);
        if (!ruled) {
            table::mended with_rules;
            std::vector<line_edit> edits = table_mender(text, any_prefix).rule();
            make_edits(with_rules, text, edits);
            text = std::move(with_rules.text);
        }
        wlfmt::options options;
        options.lenient = ruled;
        options.prefix = find_prefix(text);
        table::reader tables(text, options);
        if (!tables.next_table() || tables.columns()[0].name != "Name") return 0;
        std::size_t names = 0;
        const std::size_t count = tables.columns().size();
        for (std::size_t column = 0; column != count; ++column) {
            const std::string_view name = tables.columns()[column].name;
            names += table::meaning_of(name).name.empty() ? 0U : 1U;
            // The lines of two tables take turns.
            if (column != 0 && name == "Name") return 0;
        }
        all_known = names == count && tables.columns()[count - 1].unit != table::unit::cut;
        if (ruled) return names;
        return all_known && tables.next() != nullptr && tables.next() == nullptr && tables.ok() ? names : 0;
    }
    // The size of the rule that begins in line n if it and the header were broken after blanks, else 0. They were if
    // all their pieces but the last of each end with a blank, and not all of these are full.
    std::size_t size_if_broken(std::size_t n, std::size_t pieces, std::size_t all_pieces,
                               std::size_t longest) const noexcept {
        std::size_t size = 0;
        bool shorter = false;
        for (std::size_t k = 0; k != all_pieces; ++k) {
            const std::string_view line = k == 0 ? lines_[n] : piece(n + k);
            const std::size_t end = line.find_last_not_of(' ') + 1;
            const bool last = k + 1 == pieces || k + 1 == all_pieces;
            if (!last && end == line.size()) return 0;
            shorter = shorter || (!last && length(n + k) < longest);
            if (k < pieces) size += last ? end : line.size();
        }
        return shorter ? size : 0;
    }
    // Whether the rule above the header is repeated in line n.
    bool is_rule(std::size_t n) const noexcept { return table_.rule_pieces != 0 && is_same(rule_, n); }
    // Whether the rule that begins in line a is repeated in line b.
    bool is_same(std::size_t a, std::size_t b) const noexcept {
        for (std::size_t k = 0; k != table_.rule_pieces; ++k) {
            if (b + k >= lines_.size()) return false;
            const std::size_t first = lines_[a].find("---");
            const std::size_t dashes = k == 0 ? lines_[b].find("---") : 0;
            if (dashes == std::string_view::npos) return false;
            if ((k == 0 ? lines_[a].substr(first) : piece(a + k)) != (k == 0 ? lines_[b].substr(dashes) : piece(b + k)))
                return false;
        }
        return true;
    }
    // Whether line n can be part of a row or a rule: it is neither a total nor a Markdown fence.
    bool is_row(std::size_t n) const noexcept { return n < lines_.size() && may_be_rows_[n]; }
    // How many pieces the line that begins in line n has: usually as many as the rule, or one more if it is longer.
    std::size_t pieces_of_row(std::size_t n) const noexcept {
        if (is_rule(n)) return table_.rule_pieces;
        if (table_.broken_rule != 0) return pieces_of_broken(n);
        const std::size_t max_pieces = table_.rule_pieces != 0 ? table_.rule_pieces : table_.header_pieces;
        for (std::size_t k = 1; k < max_pieces && n + k < lines_.size(); ++k)
            if (begins_with_prefix(n + k)) return k;
        // A piece that is not full ends its line, unless pieces have lost the blanks at their ends.
        std::size_t pieces = table_.keeps_blanks ? 1 : max_pieces;
        while (pieces < max_pieces && n + pieces < lines_.size() && is_full(n + pieces - 1)) ++pieces;
        if (pieces < max_pieces) return pieces;
        const std::size_t after = n + pieces;
        if (after > lines_.size()) return lines_.size() - n;
        const bool goes_on = is_full(after - 1) && after != lines_.size() && is_row(after) &&
                             length(after) < table_.width && !is_dashes(piece(after)) && !begins_with_prefix(after);
        return goes_on ? pieces + 1 : pieces;
    }
    // Whether a line has the prefix that only first pieces have.
    bool begins_with_prefix(std::size_t n) const noexcept {
        return prefix_ != 0 && repeated_ == 0 && lines_[n].substr(0, prefix_) == lines_[rule_].substr(0, prefix_);
    }
    // The same as pieces_of_row(), for lines that were broken after blanks: a line goes on in the next piece if the
    // first word of that piece did not fit into this one.
    std::size_t pieces_of_broken(std::size_t n) const noexcept {
        std::size_t pieces = 1;
        std::size_t size = length(n);
        for (; size < table_.broken_rule && is_row(n + pieces); ++pieces) {
            const std::string_view next = piece(n + pieces);
            const std::size_t blank = (std::min)(next.find(' '), next.size());
            const std::size_t word = characters(next.substr(0, blank + 1));
            if (begins_with_prefix(n + pieces) || length(n + pieces - 1) + word <= table_.width) break;
            size += characters(next);
        }
        return pieces;
    }
    // Whether the last piece of a rule is blank, as happens when a blank line comes after each line.
    bool ends_blank(std::size_t n, std::size_t pieces) const noexcept {
        return pieces != 0 && is_blank(piece(n + pieces - 1));
    }
    // How many pieces the total that begins in line n has; 0 if none does. Takes the greatest number that gives a
    // total, as a piece of a value may look like a whole one.
    std::size_t pieces_of_total(std::size_t n) {
        constexpr std::size_t max_pieces = 4;
        std::size_t found = 0;
        for (std::size_t pieces = 1; pieces <= max_pieces && n + pieces <= lines_.size(); ++pieces) {
            std::string line;
            append_joined(line, n, pieces);
            const std::string_view after_prefix = std::string_view(line).substr((std::min)(prefix_, line.size()));
            table::total total;
            const bool is_total =
                table_lines::split_total(line, total) || table_lines::split_total(after_prefix, total);
            if (is_total && (pieces == 1 || table_cells::is_time_or_percent(total.value.text()))) found = pieces;
            if (table_.broken_rule == 0 && length(n + pieces - 1) + 1 < table_.width) break;
        }
        return found;
    }
    static std::size_t characters(std::string_view line) noexcept {
        return static_cast<std::size_t>(std::count_if(
            line.begin(), line.end(), [](char c) { return (static_cast<unsigned>(c) & 0xC0U) != 0x80U; }));
    }
    std::size_t length(std::size_t n) const noexcept { return lengths_[n]; }
    bool is_full(std::size_t n) const noexcept { return length(n) == table_.width; }
    // Pieces that lost the blanks at their end get them back.
    void append_joined(std::string& line, std::size_t n, std::size_t pieces) {
        const std::size_t begin = line.size();
        for (std::size_t k = 0; k != pieces; ++k) {
            const std::string_view part = k == 0 ? lines_[n] : piece(n + k);
            if (&line == output_)
                note_part(line.size() - begin + 1, {n + k + 1, lines_[n + k].size() - part.size() + 1});
            line.append(part);
            const std::size_t size = length(n + k);
            if (k + 1 != pieces && size < table_.width && table_.broken_rule == 0)
                line.append(table_.width - size, ' ');
        }
    }

    std::vector<std::string_view> lines_;
    // What is asked of each line again and again: length() and is_row().
    std::vector<std::size_t> lengths_;
    std::vector<bool> may_be_rows_;
    std::size_t rule_ = 0;      // the line in which the table begins
    std::size_t repeated_ = 0;  // the size of a prefix that each piece has
    std::size_t prefix_ = 0;    // the size of a prefix that the first piece of each line has
    shape table_;
    std::size_t joined_width_ = 0;
    std::size_t tried_headers_ = 0;  // how many headers without rules were not joined
    const std::string* output_ = nullptr;
    std::uint64_t here_ = 0;  // how many lines the joined text has
    std::vector<table::text_part> parts_;
    std::vector<table::mending> done_;
};

inline void join_wrapped(table::mended& m, std::string_view text) {
    wrapped_lines lines(text);
    std::string joined = lines.joined();
    if (lines.done().empty()) return;
    for (table::mending one : lines.done()) {
        one.line = m.line_of(one.line);
        m.done.push_back(one);
    }
    m.add_pass(std::move(joined), std::move(lines.parts()));
}

// Whether a text may hold a wrapped table: a line of dashes or a blank line follows dashes, as in a rule that was
// wrapped, or no rule follows a line with `Name`.
inline bool may_be_wrapped(std::string_view text) noexcept {
    const auto holds_dashes = [](std::string_view line) { return line.find_first_not_of("- =\r") == line.npos; };
    const auto line_at = [&](std::size_t at) { return text.substr(at, text.find('\n', at) - at); };
    for (std::size_t at = text.find("---"); at != text.npos; at = text.find("---", at)) {
        const std::size_t prefix = at - (text.rfind('\n', at) + 1);
        const std::string_view rule = line_at(at);
        at += rule.size();
        if (!holds_dashes(rule) || at == text.size()) continue;
        const std::string_view next = line_at(at + 1);
        if (holds_dashes(next) || holds_dashes(next.substr((std::min)(prefix, next.size())))) return true;
    }
    for (std::size_t at = text.find("Name  "); at != text.npos; at = text.find("Name  ", at)) {
        at += line_at(at).size();
        if (at != text.size() && line_at(at + 1).find("---") == text.npos) return true;
    }
    return false;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
