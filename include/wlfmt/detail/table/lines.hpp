// Goes through the lines of a text with tables, which may have a prefix, and finds out what each may be.
#ifndef WLFMT_DETAIL_TABLE_LINES_HPP
#define WLFMT_DETAIL_TABLE_LINES_HPP

#include "../../characters.hpp"
#include "../base/scan.hpp"
#include "../io/prefix.hpp"
#include "cell.hpp"
#include "names.hpp"
#include "phrases.hpp"
#include "rows.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Whether a line holds only `=`, as lines above titles do.
inline bool is_title_rule(std::string_view line) noexcept {
    line = without_blanks(line);
    return line.size() >= 3 && line.find_first_not_of('=') == std::string_view::npos;
}

// Whether a name is [Self ]WORD time total, such as `Self CPU time total`.
inline bool is_total_name(std::string_view name) noexcept {
    constexpr std::string_view tail = " time total"sv;
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

inline bool has_blank(std::string_view s) noexcept {
    const char* const end = s.data() + s.size();
    for (const char* p = s.data(); p != end; ++p)
        if (blank_size(p, end) != 0) return true;
    return false;
}

struct table_lines {
    // Splits `Self CPU time total: 8.303s` into a name and the one word after the colon.
    static bool split_total(std::string_view line, table::total& t) noexcept {
        line = without_blanks(line);
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return false;
        return set_total(line.substr(0, colon), without_blanks(line.substr(colon + 1)), t);
    }
    static bool set_total(std::string_view name, std::string_view value, table::total& t) noexcept {
        t.name = is_total_name(name) ? name : table_columns::spelled(name);
        cell_access::text(t.value) = value;
        return is_total_name(t.name) && !value.empty() && !has_blank(value);
    }

    WLFMT_COLD static bool is_total(std::string_view line) noexcept {
        table::total ignored;
        return split_total(line, ignored);
    }
    // Whether a line of these two phrases is a total.
    WLFMT_COLD static bool is_total(std::string_view name, std::string_view value) noexcept {
        table::total ignored;
        return name.back() == ':' && set_total(name.substr(0, name.size() - 1), value, ignored);
    }
    // Whether the only phrase of a line is a Markdown fence, which no row is.
    static bool is_fence(std::string_view phrase) noexcept {
        return phrase.substr(0, 3) == "```" || phrase.substr(0, 3) == "~~~";
    }

    // Whether a table may begin at p, judging by the first bytes: with a rule, the `=` above a title, or a header.
    static bool may_begin(const char* p, const char* end) noexcept {
        return p != end && (*p == '-' || *p == '=' || view(p, end).substr(0, 4) == "Name");
    }

    // The size of the launcher's prefix before the rule, `=` or `Name` in a line: 0 if only blanks and dashes come
    // before it; no_prefix if anything else does, or if the line has none of the three. At most one blank after a
    // prefix is part of it; others indent the table.
    static std::size_t table_prefix_size(std::string_view line) noexcept {
        const char* const end = line.data() + line.size();
        const char* const first = after_blanks(line.data(), end);
        if (first == end) return no_prefix;
        if (*first == 'N' && may_begin(first, end)) return 0;
        const std::size_t at = find_name(line, find_dashes(line));
        if (at == line.size()) return no_prefix;
        if (are_dashes(first, line.data() + at)) return 0;
        const std::size_t size = one_blank_after(line, at);
        if (prefixes::launcher_size(line) < at && !prefixes::ends_as_prefix(line.substr(0, size))) return no_prefix;
        return without_own_colours(line, size);
    }
    static bool is_dash(char c) noexcept { return c == '-' || c == '='; }
    // Where three dashes in a row begin; the size of the line if nowhere.
    static std::size_t find_dashes(std::string_view line) noexcept {
        for (std::size_t at = 0; at + 2 < line.size(); ++at)
            if (is_dash(line[at]) && is_dash(line[at + 1]) && is_dash(line[at + 2])) return at;
        return line.size();
    }
    // Where `Name` and a blank are before `limit`; `limit` if nowhere.
    static std::size_t find_name(std::string_view line, std::size_t limit) noexcept {
        std::size_t at = line.find("Name");
        while (at < limit && (at + 4 == line.size() || !is_blank(line[at + 4]))) at = line.find("Name", at + 1);
        return at < limit ? at : limit;
    }
    // Whether dashes and blanks are all that there is up to `end`.
    static bool are_dashes(const char* p, const char* end) noexcept {
        while (p < end && is_dash(*p)) p = after_blanks(p + 1, end);
        return p >= end;
    }
    // The size of a prefix without the colours at its end, or between the blanks there: these belong to the table.
    static std::size_t without_own_colours(std::string_view line, std::size_t size) noexcept {
        const char* const begin = line.data();
        for (;;) {
            const char* text_end = begin + size;
            while (text_end != begin && is_blank(text_end[-1])) --text_end;
            const char* const before = without_colour(begin, text_end);
            const bool apart = before == begin || is_blank(before[-1]);
            if (before == text_end || (text_end != begin + size && !apart)) return size;
            size = one_blank_after(line, static_cast<std::size_t>(before - begin));
        }
    }
    // The end of the text before `end`, with one of the blanks after it if there are any.
    static std::size_t one_blank_after(std::string_view line, std::size_t end) noexcept {
        std::size_t size = end;
        while (size != 0 && is_blank(line[size - 1])) --size;
        return size + (size != end ? 1 : 0);
    }

    // Where the next line with the wanted prefix goes on after that prefix; the end of the text if there is no such
    // line or, under any_prefix, none among the next table::max_lines_between.
    WLFMT_COLD static const char* find_own_line(const table_state& r, const char* p) noexcept {
        std::size_t left = r.any_prefix_ ? table::max_lines_between : static_cast<std::size_t>(-1);
        const line_number number = prefixes::line_number_in(r.prefix_);
        for (; p != r.end_ && left != 0; --left) {
            line_cursor lines(view(p, r.end_));
            const std::string_view line = lines.next();
            const std::size_t size = prefixes::size_of(line, r.prefix_, number);
            if (size != no_prefix) return line.data() + size;
            p = lines.at();
        }
        return r.end_;
    }
    // The next line to read from p on; p must be right after the end of a line.
    static line_place after_line(const table_state& r, const char* p) noexcept {
        return {WLFMT_LIKELY(r.prefix_.empty()) ? p : find_own_line(r, p), p};
    }
    // Returns the line at a place, without its end, and goes to the next one.
    static std::string_view next_line(const table_state& r, line_place& from) noexcept {
        line_cursor lines(view(from.at, r.end_));
        const std::string_view line = lines.next();
        from = after_line(r, lines.at());
        return line;
    }
    static bool at_end(const table_state& r, line_place p) noexcept { return p.at == r.end_; }
    static line_place place_of(const table_state& r, const char* line) noexcept { return {line, r.after_}; }
    // Lets the reader continue at this place, or after the line that ends at p.
    static void go_to(table_state& r, line_place p) noexcept {
        r.at_ = p.at;
        r.after_ = p.after;
    }
    WLFMT_INLINE static void go_on(table_state& r, const char* p) noexcept { go_to(r, after_line(r, p)); }

    // How many groups of three or more dashes a line consists of; 0 for any other line. Sets the spans of the columns,
    // up to table::max_columns; `beyond` is the first group after these.
    // `cut`: the last group may have fewer dashes, as the line may be cut within it.
    static std::size_t count_dashes(std::string_view line, column_span* spans = nullptr,
                                    std::string_view* beyond = nullptr, bool cut = false) noexcept {
        const char* p = line.data();
        const char* const end = p + line.size();
        std::size_t groups = 0;
        std::size_t character = 0;
        for (;;) {
            const char* const gap = p;
            while (p != end && *p == ' ') ++p;
            auto blanks = static_cast<std::size_t>(p - gap);
            for (std::size_t size; p != end; p += size) {
                if ((size = blank_size(p, end)) != 0) ++blanks;
                else if ((size = colour_size(p, end)) == 0) break;
            }
            if (p == end) return groups;
            if (groups != 0 && blanks == 0) return 0;
            const char* const begin = p;
            p = find_first<bytes_but<'-', '='>>(p, end);
            const auto size = static_cast<std::size_t>(p - begin);
            if (size < 3 && (!cut || size == 0 || groups == 0 || after_colours(p, end) != end)) return 0;
            character += blanks;
            if (spans != nullptr && groups < table::max_columns) spans[groups] = {character, character + size};
            if (beyond != nullptr && groups == table::max_columns) *beyond = view(begin, p);
            character += size;
            ++groups;
        }
    }
    static bool is_rule(std::string_view line) noexcept { return count_dashes(line) > 1; }
    // Whether a line has only blanks and dashes: it is blank, or may be a piece of a rule, whose groups may be shorter.
    static bool holds_dashes(std::string_view line) noexcept {
        const char* const end = line.data() + line.size();
        for (const char* p = after_blanks(line.data(), end); p != end; p = after_blanks(p + 1, end))
            if (*p != '-' && *p != '=') return false;
        return true;
    }
    // Whether the line is a rule that may be cut within its last group.
    static bool may_be_rule(std::string_view line) noexcept { return count_dashes(line, nullptr, nullptr, true) > 1; }
    // Whether the line that was just split is a rule.
    static bool is_rule_here(const table_state& r) noexcept {
        if (r.phrases_.count == 0 || (r.phrases_[0].front() != '-' && r.phrases_[0].front() != '=')) return false;
        return r.phrases_.line == r.rule_ || is_rule(r.phrases_.line);
    }

    // Whether the phrases are names of a PyTorch table, which make a header even without rules: `Name` first, and
    // another known one. They are not if there is a vertical line, as of a frame or of another window beside the table.
    template <class Phrases> static bool is_header(const Phrases& phrases) noexcept {
        if (phrases.count < 2 || phrases.count > table::max_columns || phrases[0] != "Name") return false;
        using columns = table_columns;
        bool known = false;
        for (std::size_t n = 1; n != phrases.count; ++n) {
            if (phrases[n].find(prefixes::vertical_line) != std::string_view::npos) return false;
            known = known || !columns::meaning_of(columns::spelled(phrases[n])).name.empty();
        }
        return known;
    }
    // The same as is_header() for a line that was split as a row: any single blank joins the words of a name.
    static bool is_header_line(table_phrases& phrases) noexcept {
        if (phrases.plain || !is_header(phrases)) return is_header(phrases);
        phrases.split_characters(true);
        const bool is_known = is_header(phrases);
        phrases.split_characters(false);
        return is_known;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
