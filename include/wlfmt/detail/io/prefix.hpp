// Prefixes: what a launcher writes before every line of a rank's output (options::prefix).
#ifndef WLFMT_DETAIL_IO_PREFIX_HPP
#define WLFMT_DETAIL_IO_PREFIX_HPP

#include "../../types/error.hpp"
#include "diff_lines.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline constexpr std::size_t no_prefix = std::string_view::npos;

// The place of a line number in a prefix. `cat -n` writes blanks, digits and a tab; other programs put `->`, an arrow
// or, like bat, a vertical line after the digits; `grep -n` puts a colon or a hyphen there, and perhaps a file's name
// before them. Both members are 0 if there is none, as in a rank's label `3: `, where a blank follows the colon.
struct line_number {
    std::size_t begin = 0;
    std::size_t end = 0;
};

struct prefixes {
    // The size of the byte order mark at the start of a text. Only the first piece of a longer text has one.
    static std::size_t bom_size(std::string_view text, const options& options) noexcept {
        return options.piece_at.value_or(0) == 0 ? text.size() - without_bom(text).size() : 0;
    }

    static std::size_t after_digits(std::string_view s, std::size_t at) noexcept {
        while (at != s.size() && is_digit(s[at])) ++at;
        return at;
    }

    // Whether an escape sequence that changes the colour, or clears the line, ends just before s[at].
    static bool is_after_colour(std::string_view s, std::size_t at) noexcept {
        if (!is_among(s[--at], "mK")) return false;
        while (at != 0 && (is_digit(s[at - 1]) || s[at - 1] == ';')) --at;
        return at >= 2 && s.substr(at - 2, 2) == "\x1b[";
    }

    // Where the time or date that begins with the digit s[at] ends, such as `2025-01-01` or `12:00:00+01:00`: digits
    // joined by colons, hyphens or slashes. Returns `at` if there is none: an address like 10.0.0.1 is not a time.
    static std::size_t end_of_time(std::string_view s, std::size_t at) noexcept {
        if (at != 0 && (is_name(s[at - 1]) || s[at - 1] == '.') && !is_after_colour(s, at)) return at;
        std::size_t end = after_digits(s, at);
        bool joined = false;
        while (end + 1 < s.size() && is_digit(s[end + 1]) && is_among(s[end], ":-/.,T+")) {
            joined = joined || is_among(s[end], ":-/");
            end = after_digits(s, end + 1);
        }
        // GitHub Actions and container logs end a time with a `Z`, which stands for UTC.
        if (joined && end != s.size() && s[end] == 'Z') ++end;
        return joined ? end : at;
    }

    static line_number line_number_in(std::string_view prefix) noexcept {
        line_number n;
        if (prefix.empty()) return n;
        const auto find_digits = [&](std::size_t end) {
            n.end = end;
            n.begin = prefix.substr(0, end).find_last_not_of("0123456789") + 1;
            return n.begin != n.end;
        };
        if (is_grep_mark(prefix.back())) {
            const char mark = prefix.back();
            const bool any = find_digits(prefix.size() - 1);
            return any && (n.begin == 0 || prefix[n.begin - 1] == mark) ? n : line_number();
        }
        for (const std::string_view mark : number_marks) {
            const std::size_t at = prefix.find(mark);
            if (at == std::string_view::npos || !trimmed(prefix.substr(at + mark.size())).empty()) continue;
            if (!find_digits(prefix.substr(0, at).find_last_not_of(' ') + 1)) continue;
            n.begin = prefix.substr(0, n.begin).find_last_not_of(' ') + 1;
            if (n.begin == 0) return n;
        }
        return {};
    }
    static bool is_grep_mark(char c) noexcept { return c == ':' || c == '-'; }
    static constexpr std::string_view vertical_line = "\xE2\x94\x82"sv;
    static constexpr std::string_view arrow = "\xE2\x86\x92"sv;
    static constexpr std::string_view number_marks[] = {vertical_line, arrow, "->"sv, "\t"sv};

    // The end of the escape sequence at s[at] that changes the colour, such as `\x1b[1;36m`, or clears the line, as
    // `\x1b[K` does; `at` if there is none.
    static std::size_t end_of_colour(std::string_view s, std::size_t at) noexcept {
        if (s.substr(at, 2) != "\x1b[") return at;
        const std::size_t end = s.find_first_not_of("0123456789;", at + 2);
        return end != std::string_view::npos && is_among(s[end], "mK") ? end + 1 : at;
    }

    // Whether the text before a table's first rule ends as a launcher's prefix does, apart from colours.
    static bool ends_as_prefix(std::string_view before) noexcept {
        for (;;) {
            if (line_number_in(before).end != 0) return true;
            const std::string_view text = trimmed(before);
            if (text == "//"sv || text == "*"sv || text == "+"sv) return true;
            const std::size_t size = text.size();
            if (size > 2 && text.substr(size - 3) == vertical_line) return true;
            const std::size_t escape = text.rfind("\x1b[");
            if (escape == std::string_view::npos || end_of_colour(text, escape) != size)
                // Valgrind writes `==3411== `.
                return size != 0 &&
                       (is_among(text.back(), ":|])>-#") || ends_in_time(view(before.data(), text.data() + size)) ||
                        (size > 1 && text.substr(size - 2) == "=="));
            before = before.substr(0, before.rfind("\x1b["));
        }
    }

    // Whether a text ends with a time after a tab, as GitHub's command-line tool writes it after a job and its step.
    static bool ends_in_time(std::string_view text) noexcept {
        const std::size_t begin = text.rfind('\t') + 1;
        return begin != 0 && begin != text.size() && is_digit(text[begin]) && end_of_time(text, begin) == text.size();
    }

    // The size of the part of the line that matches the prefix, or no_prefix. Digits of times, dates and line numbers
    // may differ. If the line holds nothing else, the prefix's last blanks may be missing, as editors strip them.
    static std::size_t size_of(std::string_view line, std::string_view prefix) noexcept {
        return size_of(line, prefix, line_number_in(prefix));
    }
    // The same, for a prefix whose line number is known, as many lines are compared with it.
    static std::size_t size_of(std::string_view line, std::string_view prefix, const line_number& number) noexcept {
        std::size_t at = 0;
        std::size_t time_end = 0;
        const bool grep = number.end != 0 && number.end + 1 == prefix.size() && is_grep_mark(prefix.back());
        for (std::size_t n = 0; n != prefix.size();) {
            if (n == number.begin && number.end != 0) {
                while (!grep && at != line.size() && line[at] == ' ') ++at;
                const std::size_t digits = at;
                at = after_digits(line, at);
                if (at == digits) return no_prefix;
                n = number.end;
                continue;
            }
            if (is_digit(prefix[n]) && n >= time_end) time_end = end_of_time(prefix, n);
            if (is_digit(prefix[n]) && n < time_end) {
                const std::size_t digits = at;
                at = after_digits(line, at);
                if (at == digits) return no_prefix;
                while (n < time_end && is_digit(prefix[n])) ++n;
                continue;
            }
            if (at == line.size() || line[at] != prefix[n]) {
                const bool only_blanks = trimmed(prefix.substr(n)).empty() && trimmed(line.substr(at)).empty();
                return only_blanks ? line.size() : no_prefix;
            }
            ++at;
            ++n;
        }
        return at;
    }

    // The number of bytes at the line's start that look like a launcher's prefix, with the blanks after it; 0 if none
    // do. Launchers write one or more of: `[rank0]:`, `(RayTrainWorker pid=12, ip=10.0.0.1)`, `[1,0]<stdout>:`, `3:`,
    // times, dates, log levels, and Kubernetes' names of streams, with or without colours.
    static std::size_t launcher_size(std::string_view line) noexcept {
        constexpr std::size_t max_pieces = 16;
        constexpr std::size_t max_piece_size = 96;
        constexpr std::string_view levels[] = {"DEBUG"sv,    "INFO"sv,     "WARNING"sv,  "WARN"sv,     "ERROR"sv,
                                               "CRITICAL"sv, "stdout F"sv, "stdout P"sv, "stderr F"sv, "stderr P"sv};
        std::size_t at = 0;
        for (std::size_t piece = 0; piece != max_pieces && at != line.size(); ++piece) {
            std::size_t end = end_of_colour(line, at);
            const char c = line[at];
            if (end != at) {
                // A colour is a piece of its own.
            } else if (c == '[' || c == '(' || c == '<') {
                const char close = c == '[' ? ']' : c == '(' ? ')' : '>';
                const std::size_t found = line.substr(at, max_piece_size).find(close);
                if (found != std::string_view::npos && found > 1) end = at + found + 1;
            } else if (is_digit(c)) {
                const std::size_t digits = after_digits(line, at);
                end = line.substr(digits, 1) == ":" ? digits : at;
                if (const std::size_t time = end_of_time(line, at); time != at) end = time;
            } else {
                for (const std::string_view level : levels)
                    if (end == at && line.substr(at, level.size()) == level) end = at + level.size();
                if (end != line.size() && is_name(line[end])) end = at;
            }
            if (end == at) break;
            if (end != line.size() && line[end] == ':') ++end;
            while (end != line.size() && is_blank(line[end])) ++end;
            at = end;
        }
        return at;
    }

    // The place after the prefix in [line, end); null if the line does not begin with that prefix.
    static const char* after(const char* line, const char* end, std::string_view prefix) noexcept {
        const std::size_t size = size_of(view(line, end), prefix);
        return size == no_prefix ? nullptr : line + size;
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
