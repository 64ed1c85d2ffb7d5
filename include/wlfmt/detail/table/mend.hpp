// Mends damaged tables, step by step. A step finds edits of whole lines at the known headers of a text, and takes only
// time where there is nothing to do.
#ifndef WLFMT_DETAIL_TABLE_MEND_HPP
#define WLFMT_DETAIL_TABLE_MEND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../table.hpp"
#include "../../types/mend.hpp"
#include "bare.hpp"
#include "mend_lines.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Goes from one known header to the next, and finds out what its table needs.
class table_mender {
public:
    using lines = table_lines;
    using header = table_header;
    using step = table::mend_step;

    table_mender(std::string_view text, std::string_view prefix) noexcept
        : text_(text), given_(prefix), state_(text, 0, any_prefix_options()) {}

    // The edits that drop the blank lines after each line of a table.
    std::vector<line_edit> close_up() {
        for_each_header([this] { close_up_table(); });
        return std::move(edits_);
    }
    // The edits that add rules and drop blank lines between rows.
    std::vector<line_edit> rule() {
        for_each_header([this] { rule_table(); });
        return std::move(edits_);
    }

private:
    // A line of the table: the line of the text, and its own text after the prefix.
    struct own_line {
        std::string_view whole = {};
        std::string_view text = {};
        bool is_there() const noexcept { return whole.data() != nullptr; }
    };

    static options any_prefix_options() {
        options looked_for;
        looked_for.prefix = any_prefix;
        return looked_for;
    }

    // Calls work() for each line that may be a known header, with names_ and the state's prefix set. Lines of a table
    // that work() has gone through are passed over if they have no prefix: others' lines may come between those that
    // have one.
    template <class Work> void for_each_header(Work&& work) {
        for (std::size_t at = text_.find("Name"); at != text_.npos; at = text_.find("Name", at)) {
            const char* const name = text_.data() + at;
            at += 4;
            if (blank_size(name + 4, text_.data() + text_.size()) == 0) continue;
            // Each line is looked at once.
            const std::string_view whole = line_around(text_, name);
            at = offset_of(whole.data() + whole.size());
            const std::string_view line = without_line_end(whole);
            const std::size_t size =
                given_ == any_prefix ? lines::table_prefix_size(line) : prefixes::size_of(line, given_);
            if (size == no_prefix) continue;
            state_.prefix_ = line.substr(0, size);
            names_ = {whole, line.substr(size)};
            if (!find_names()) continue;
            done_to_ = whole.data() + whole.size();
            work();
            if (size == 0) at = offset_of(done_to_);
        }
    }
    // Whether the line is a known header. Splits it.
    bool find_names() noexcept {
        count_ = state_.phrases_.split_line(names_.text, true);
        if (!lines::is_header(state_.phrases_)) return false;
        source_ = 0;
        while (source_ != count_ && state_.phrases_[source_] != "Source Location") ++source_;
        return true;
    }
    std::size_t offset_of(const char* p) const noexcept { return static_cast<std::size_t>(p - text_.data()); }

    // The place of the first own line from the beginning of a line on.
    line_place place_of(const char* p) const noexcept { return lines::after_line(state_, p); }
    line_place below(const own_line& line) const noexcept { return place_of(line.whole.data() + line.whole.size()); }
    // The line at a place, or none at the text's end; goes to the next one.
    own_line take(line_place& from) const noexcept {
        if (lines::at_end(state_, from)) return {};
        const std::string_view text = lines::next_line(state_, from);
        return {line_around(text_, text.data()), text};
    }
    // The own line above one, or none.
    own_line above(const own_line& line) const noexcept {
        const char* begin = line.whole.data();
        std::size_t left = state_.prefix_.empty() ? 1 : table::max_lines_between;
        const line_number number = prefixes::line_number_in(state_.prefix_);
        for (; begin != text_.data() && left != 0; --left) {
            const std::string_view whole = line_around(text_, begin - 1);
            const std::string_view bare = without_line_end(whole);
            const std::size_t size = prefixes::size_of(bare, state_.prefix_, number);
            if (size != no_prefix) return {whole, bare.substr(size)};
            begin = whole.data();
        }
        return {};
    }
    bool is_known_header(const own_line& line) noexcept {
        state_.phrases_.split_line(line.text);
        return lines::is_header_line(state_.phrases_);
    }
    bool is_dashes(const own_line& line) noexcept {
        state_.phrases_.split_line(line.text);
        return are_dashes(state_.phrases_);
    }
    // Whether all phrases of a line are dashes of any kind, which editors make of a rule, but not `--` for missing
    // FLOPs.
    static bool are_dashes(const table_phrases& phrases) noexcept {
        constexpr std::string_view kinds[] = {"-"sv, "="sv, "_"sv, "*"sv, "~"sv, "\xC2\xAD"sv, "\xE2\x88\x92"sv};
        if (phrases.count < 2 || phrases.count > table::max_columns) return false;
        for (std::size_t n = 0; n != phrases.count; ++n) {
            std::string_view phrase = phrases[n];
            if (phrase.size() < 3) return false;
            while (!phrase.empty()) {
                // U+2010 to U+2015 are dashes and bars, U+2500 to U+257F box-drawing characters.
                std::size_t size = 0;
                for (const std::string_view kind : kinds)
                    if (phrase.substr(0, kind.size()) == kind) size = kind.size();
                const std::string_view two = phrase.substr(0, 2);
                const unsigned third = phrase.size() > 2 ? static_cast<unsigned char>(phrase[2]) : 0;
                if (two == "\xE2\x80" && third >= 0x90 && third <= 0x95) size = 3;
                if ((two == "\xE2\x94" || two == "\xE2\x95") && third >= 0x80 && third <= 0xBF) size = 3;
                if (size == 0) return false;
                phrase.remove_prefix(size);
            }
        }
        return true;
    }
    // Whether a blank line comes after each of the first three lines.
    bool is_spaced(line_place from) const noexcept {
        for (std::size_t n = 0; n != 6; ++n)
            if (lines::at_end(state_, from) || is_blank_line(lines::next_line(state_, from)) != (n % 2 == 1))
                return false;
        return true;
    }
    static std::size_t groups_of(const own_line& line) noexcept {
        return lines::count_dashes(line.text, nullptr, nullptr, true);
    }

    void replace(const own_line& line, std::string text, step done) {
        add(line.whole.data(), line.whole.data() + line.whole.size(), std::move(text), done);
    }
    void insert(const char* before, std::string text, step done) { add(before, before, std::move(text), done); }
    // A blank line, if a rule right below a line would make that line a header, or be its own.
    std::string gap_after(const own_line& line) {
        if (!line.is_there() || is_blank_line(line.text)) return {};
        const own_line over = is_known_header(line) ? line : above(line);
        if (!over.is_there() || (over.whole.data() != line.whole.data() && !lines::may_be_rule(over.text))) return {};
        return std::string(names_.whole.substr(0, state_.prefix_.size())) + '\n';
    }
    void add(const char* begin, const char* end, std::string text, step done) {
        edits_.push_back({offset_of(begin), offset_of(end), std::move(text), done, offset_of(names_.whole.data())});
    }
    // A copy of another rule's line, which ends.
    std::string copy_of(const own_line& line) const {
        std::string text(line.whole);
        if (text.back() != '\n') text += '\n';
        return flush(std::move(text), static_cast<std::size_t>(line.text.data() - line.whole.data()));
    }
    // A rule whose first group begins with the prefix's end, if no blank ends the prefix: a reader would take one.
    std::string flush(std::string rule, std::size_t prefix) const {
        if (state_.prefix_.empty() || is_blank(state_.prefix_.back())) return rule;
        for (std::size_t at = prefix; at < rule.size() && rule[at] == ' '; ++at) rule[at] = '-';
        return rule;
    }

    void close_up_table() {
        own_line first = names_;
        const own_line before = above(names_);
        if (before.is_there() && is_blank_line(before.text)) {
            const own_line rule = above(before);
            if (rule.is_there() && lines::may_be_rule(rule.text)) first = rule;
        }
        line_place at = place_of(first.whole.data());
        if (!is_spaced(at)) return;
        bool any_row = false;
        bool closed = false;
        for (own_line line = take(at); line.is_there(); line = take(at)) {
            const own_line blank = take(at);
            const bool rule = lines::may_be_rule(line.text);
            if (!blank.is_there() || is_blank_line(line.text) || !is_blank_line(blank.text)) break;
            if (closed && !lines::is_total(line.text)) break;
            // Another table's lines are found by its own header.
            if (line.whole.data() > names_.whole.data() && is_known_header(line)) break;
            replace(blank, {}, step::blank_after_each);
            closed = closed || (rule && any_row);
            any_row = any_row || (!rule && line.whole.data() != names_.whole.data());
        }
        // Blanks are dropped up to the last line that was looked at; another header is found in the mended text.
    }

    // What the lines below a header are read with.
    struct body {
        line_place rows;
        std::string drawn = {};  // the rule that is written, with its prefix and its line's end; empty if there is one
        bool closes = false;     // a closing rule is written, too
        std::size_t width = 0;   // that of the rule, if it is there
    };

    void rule_table() {
        const own_line over = find_over();
        line_place at = below(names_);
        body b{at};
        const own_line under = take(at);
        if (!under.is_there()) return;
        const std::size_t first = over.is_there() ? groups_of(over) : 0;
        const std::size_t second = groups_of(under);
        const bool is_ruled = first > 1;
        if (second > 1) {
            b.rows = at;
            closed_ = under.whole.data();
        }
        if (second > 1 || is_ruled) b.width = count_shown(second > 1 ? under.text : over.text);
        if (is_ruled && second > 1) {
            if (first != count_ && !redraw(over, under, first, second, b)) return;
        } else if (second > 1) {
            if (second != count_) return;
            insert(names_.whole.data(), gap_after(over) + copy_of(under), step::rule_above);
        } else if (!is_known_header(under)) {
            const bool dashes = is_dashes(under);
            if (dashes) b.rows = at;
            if (dashes && lines::at_end(state_, at)) return;
            if (!is_ruled) {
                if (!dashes && !is_first_row(under)) return;
                draw(b, over, under, dashes);
            } else if (dashes) {
                if (first != count_) return;
                replace(under, copy_of(over), step::dashes);
            } else if (first == count_ && state_.phrases_.split_line(under.text) > 1) {
                insert(names_.whole.data() + names_.whole.size(), copy_of(over), step::rule_below);
            } else {
                return;
            }
        } else {
            return;
        }
        mend_body(b);
    }
    // The line above the header, where its rule should be: not the closing rule of the table above. Finds out whether
    // the blank at the prefix's end belongs to the table.
    own_line find_over() {
        const auto is_drawn = [this](const own_line& line) {
            return line.is_there() && line.whole.data() != closed_ &&
                   (lines::may_be_rule(line.text) || is_dashes(line));
        };
        own_line over = above(names_);
        const std::string_view prefix = state_.prefix_;
        if (given_ == any_prefix && !is_drawn(over) && !prefix.empty() && is_blank(prefix.back())) {
            state_.prefix_.remove_suffix(1);
            over = above(names_);
            if (!is_drawn(over)) {
                state_.prefix_ = prefix;
                bare_tables::give_back_blank(state_);
                over = above(names_);
            }
            names_.text = without_line_end(names_.whole).substr(state_.prefix_.size());
        }
        return over.is_there() && over.whole.data() == closed_ ? own_line() : over;
    }
    // Whether a line below a header without rules has as many cells as there are names, and is no piece of a rule.
    bool is_first_row(const own_line& line) noexcept {
        return state_.phrases_.split_line(line.text) == count_ &&
               state_.phrases_[0].find_first_not_of("-=") != std::string_view::npos;
    }
    // Mends rules of other columns: the second one may be right, or both are what is left of abridged ones.
    bool redraw(const own_line& over, const own_line& under, std::size_t first, std::size_t second, body& b) {
        if (second == count_) {
            // A rule below another header is that one's.
            const std::string gap = gap_after(above(over));
            if (gap.empty()) replace(over, copy_of(under), step::rule_above);
            else insert(names_.whole.data(), gap + copy_of(under), step::rule_above);
            return true;
        }
        line_place at = b.rows;
        const own_line row = take(at);
        if (count_ < first || !row.is_there() || is_known_header(row) || !is_first_row(row)) return false;
        b.drawn = rule_line(spans_of_names(b.rows));
        b.closes = true;
        if (b.drawn.empty()) return false;
        replace(over, b.drawn, step::abridged_rules);
        replace(under, b.drawn, step::abridged_rules);
        return true;
    }
    // Writes the rules of a table without any, or draws those that an editor has turned into other dashes.
    void draw(body& b, own_line over, const own_line& under, bool dashes) {
        own_line blank;
        if (dashes && over.is_there() && is_blank_line(over.text)) {
            blank = std::exchange(over, above(over));
            if (!over.is_there() || over.text != under.text) over = std::exchange(blank, {});
        }
        const bool dashes_above = dashes && over.is_there() && is_dashes(over);
        std::vector<column_span> spans = dashes ? spans_of(under.text) : std::vector<column_span>();
        // Some editors make one dash of several: these are above other columns.
        const std::vector<column_span> names = spans_of(names_.text, true);
        bool are_above = spans.size() == count_;
        for (std::size_t n = 0; are_above && n != count_; ++n)
            are_above = spans[n].begin <= names[n].begin && names[n].end <= spans[n].end;
        b.drawn = rule_line(are_above ? spans : spans_of_names(b.rows));
        if (b.drawn.empty()) return;
        b.closes = !dashes_above || over.text != under.text;
        if (blank.is_there()) replace(blank, {}, step::dashes);
        if (dashes_above) replace(over, b.drawn, step::dashes);
        else insert(names_.whole.data(), gap_after(over) + b.drawn, dashes ? step::dashes : step::rules);
        if (dashes) replace(under, b.drawn, step::dashes);
        else insert(names_.whole.data() + names_.whole.size(), b.drawn, step::rules);
    }
    std::vector<column_span> spans_of(std::string_view line, bool is_header = false) {
        std::vector<column_span> spans(state_.phrases_.split_line(line, is_header));
        const std::size_t* at = state_.phrases_.positions();
        for (column_span& span : spans) span = {at[0], at[1]}, at += 2;
        return spans;
    }
    // The spans of a table without rules: where its cells end or begin as its names do, they are as wide as these.
    std::vector<column_span> spans_of_names(line_place at) {
        std::vector<column_span> spans = spans_of(names_.text, true);
        std::vector<column_span> widest = spans;
        std::vector<bool> ends(count_, true);
        std::vector<bool> begins(count_, true);
        for (std::size_t row = 0; row != table::max_lines_between; ++row) {
            const own_line line = take(at);
            if (!line.is_there()) break;
            const std::size_t cells = state_.phrases_.split_line(line.text);
            if (cells == 0 || state_.phrases_[0] == "Name") break;
            if (cells != count_) continue;
            const std::size_t* const places = state_.phrases_.positions();
            for (std::size_t n = 0; n != count_; ++n) {
                const column_span cell{places[2 * n], places[2 * n + 1]};
                ends[n] = ends[n] && cell.end == spans[n].end;
                begins[n] = begins[n] && cell.begin == spans[n].begin;
                widest[n].begin = (std::min)(widest[n].begin, cell.begin);
                widest[n].end = (std::max)(widest[n].end, cell.end);
            }
        }
        const std::vector<column_span> names = spans;
        for (std::size_t n = 0; n != count_; ++n) {
            const std::size_t before = n == 0 ? 0 : spans[n - 1].end + 1;
            const bool room = n + 1 == count_ || widest[n].end < names[n + 1].begin;
            if ((ends[n] || n == source_) && widest[n].begin >= before) spans[n].begin = widest[n].begin;
            else if (begins[n] && room) spans[n].end = widest[n].end;
            // A group has three dashes.
            if (spans[n].end - spans[n].begin > 2) continue;
            spans[n].end = spans[n].begin + 3;
            if (n + 1 != count_ && spans[n].end >= names[n + 1].begin) return {};
        }
        return spans;
    }
    std::string rule_line(const std::vector<column_span>& spans) const {
        if (spans.empty()) return {};
        std::string line(names_.whole.substr(0, state_.prefix_.size()));
        const std::size_t begin = line.size();
        for (const column_span s : spans) {
            line.resize(begin + s.begin, ' ');
            line.append(s.end - s.begin, '-');
        }
        const std::size_t end = without_line_end(names_.whole).size();
        // A rule that ends with a dash may have been cut.
        line.append("  ").append(names_.whole.substr(end));
        if (line.back() != '\n') line += '\n';
        return flush(std::move(line), begin);
    }

    // Goes through the lines below the header: drops blank lines between rows, and closes a table whose rules are
    // drawn.
    void mend_body(const body& b) {
        line_place at = b.rows;
        for (;;) {
            line_place next = at;
            const own_line line = take(next);
            if (!line.is_there()) break;
            const std::size_t phrases = state_.phrases_.split_line(line.text);
            // A line of blanks below a row is all that is left of stacks that were cut off.
            const bool is_cut = phrases == 0 && b.width != 0 && count_shown(line.text) == b.width;
            if (phrases == 0 && source_ == count_ && !is_cut) {
                line_place after = next;
                own_line found = line;
                while (found.is_there() && is_blank_line(found.text)) {
                    next = after;
                    found = take(after);
                }
                if (!found.is_there() || !goes_on(found, b)) break;
                for (line_place blank = at; blank.at != next.at;) replace(take(blank), {}, step::blank_lines);
                at = next;
                continue;
            }
            if (phrases != 0) {
                if (lines::is_rule(line.text)) {
                    if (!header::opens_table(state_, line.text.data())) return close(line);
                    break;
                }
                if (!b.drawn.empty() && is_dashes(line)) {
                    replace(line, b.drawn, step::dashes);
                    return close(line);
                }
                if (ends(line, phrases, next, !b.drawn.empty())) break;
            }
            at = next;
        }
        const char* const end = state_.prefix_.empty() ? at.at : at.after;
        done_to_ = (std::max)(done_to_, end);
        if (!b.closes) return;
        // The text may end without a line end.
        const bool open = end == text_.data() + text_.size() && end[-1] != '\n';
        insert(end, open ? "\n" + b.drawn : b.drawn, step::rules);
    }
    void close(const own_line& line) noexcept {
        closed_ = line.whole.data();
        done_to_ = closed_ + line.whole.size();
    }
    // Whether a table without stacks goes on with this line after blank ones.
    bool goes_on(const own_line& line, const body& b) noexcept {
        if (lines::is_total(line.text)) return !b.closes;
        if (!b.drawn.empty() && is_dashes(line)) return true;
        if (lines::is_rule(line.text)) return !header::opens_table(state_, line.text.data());
        if (state_.phrases_.split_line(line.text) != count_) return false;
        return !lines::is_header_line(state_.phrases_);
    }
    // Whether a line of so many phrases ends the table without a closing rule.
    bool ends(const own_line& line, std::size_t phrases, line_place next, bool drawn) noexcept {
        if (phrases > 1 && state_.phrases_.bytes[1] - state_.phrases_.bytes[0] == 4 && is_known_header(line))
            return true;
        if (phrases > 2) return false;
        if (lines::is_total(line.text)) return true;
        if (phrases > 1) return false;
        state_.phrases_.split_line(line.text);
        if (lines::is_fence(state_.phrases_[0])) return true;
        const auto may_be_frame = [this](const own_line& l) { return source_ != count_ && is_blank(l.text.front()); };
        if (!drawn || may_be_frame(line)) return false;
        own_line after = take(next);
        while (after.is_there() && is_blank_line(after.text)) after = take(next);
        return after.is_there() && state_.phrases_.split_line(after.text) == 1 && !may_be_frame(after) &&
               !lines::is_total(after.text) && !lines::is_rule(after.text);
    }

    std::string_view text_;
    std::string_view given_;
    own_line names_;
    std::size_t count_ = 0;   // the number of names
    std::size_t source_ = 0;  // which of them is the sources'; count_ if none is
    const char* done_to_ = nullptr;
    const char* closed_ = nullptr;  // the last rule of the table above
    std::vector<line_edit> edits_;
    table_state state_;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
