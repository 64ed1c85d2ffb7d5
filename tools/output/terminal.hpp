// How wide a terminal is, and whether it shows colours. Output that does not go to a terminal does not depend on one.
#ifndef WLFMT_TOOLS_OUTPUT_TERMINAL_HPP
#define WLFMT_TOOLS_OUTPUT_TERMINAL_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "../general/text.hpp"

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/ioctl.h>
#include <unistd.h>
#endif

namespace tool {

struct terminal {
    static constexpr std::size_t any_width = static_cast<std::size_t>(-1);

    bool is_there = false;
    bool has_colours = false;
    std::size_t width = any_width;  // also any_width with --wide
};
inline terminal output_terminal;
inline terminal error_terminal;

enum class colour_choice { automatic, always, never };

#if defined(_WIN32)
inline bool is_terminal(std::FILE* file) { return _isatty(_fileno(file)) != 0; }
inline std::size_t width_of(std::FILE*) { return 80; }
#else
inline bool is_terminal(std::FILE* file) { return isatty(fileno(file)) != 0; }
inline std::size_t width_of(std::FILE* file) {
    winsize size = {};
    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : 80;
}
#endif

inline terminal terminal_of(std::FILE* file, colour_choice colours) {
    terminal found;
    found.is_there = is_terminal(file);
    if (found.is_there) found.width = width_of(file);
    // https://no-color.org: a variable with an empty value counts as not set.
    const auto is_set = [](const char* name, std::string_view unless) {
        const char* const value = std::getenv(name);
        return value != nullptr && *value != '\0' && value != unless;
    };
    const bool wanted = found.is_there && !is_set("NO_COLOR", "") && is_set("TERM", "dumb");
    found.has_colours = colours == colour_choice::always || (colours == colour_choice::automatic && wanted);
    return found;
}

// The codes that change how a terminal shows the text after them; `plain` ends the change.
struct style {
    static constexpr std::string_view strong = "\x1B[1m";
    static constexpr std::string_view error = "\x1B[1;31m";
    static constexpr std::string_view warning = "\x1B[1;35m";
    static constexpr std::string_view note = "\x1B[1;36m";
    static constexpr std::string_view place = "\x1B[1;32m";
    static constexpr std::string_view slow = "\x1B[33m";
    static constexpr std::string_view plain = "\x1B[0m";
};
inline std::string styled(const terminal& shown_by, std::string_view codes, std::string_view text) {
    std::string shown(text);
    if (!shown_by.has_colours || text.empty()) return shown;
    return shown.insert(0, codes).append(style::plain);
}

// Whether a line of a message marks a place in the line above it, as `   ^~~` does.
inline bool is_caret_line(std::string_view line) noexcept {
    const std::size_t caret = line.find_first_not_of(' ');
    return caret != std::string_view::npos && line[caret] == '^' &&
           line.find_first_not_of('~', caret + 1) == std::string_view::npos;
}

// Shows a line of a message in the colours of a compiler: its place, how severe it is, and the caret below a line of
// the text.
inline std::string in_colours(const terminal& shown_by, const std::string& line) {
    if (!shown_by.has_colours) return line;
    if (is_caret_line(line)) {
        const std::size_t caret = line.find('^');
        return line.substr(0, caret) + styled(shown_by, style::place, std::string_view(line).substr(caret));
    }
    for (const auto& [word, codes] : {std::pair<std::string_view, std::string_view>{" error: ", style::error},
                                      {" warning: ", style::warning},
                                      {" note: ", style::note}}) {
        const std::size_t found = line.find(word);
        if (found == std::string::npos || found == 0 || line[found - 1] != ':') continue;
        const std::string_view text = line;
        return styled(shown_by, style::strong, text.substr(0, found)) + ' ' +
               styled(shown_by, codes, text.substr(found + 1, word.size() - 2)) +
               std::string(text.substr(found + word.size() - 1));
    }
    return line;
}

// How many characters of a text are visible: the codes of styles are not.
inline std::size_t characters(std::string_view text) noexcept {
    std::size_t count = 0;
    bool in_code = false;
    for (const char c : text) {
        const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (c == '\x1B') in_code = true;
        else if (in_code) in_code = c != 'm';
        else if (begins) ++count;
    }
    return count;
}
// Appends a text in lines of at most `width` characters, broken at blanks. The first line begins after `used`
// characters, the others after `indent` blanks.
inline void append_wrapped(std::string& lines, std::string_view text, std::size_t width, std::size_t indent,
                           std::size_t used) {
    for (bool begins = true; !text.empty(); begins = false) {
        const std::string_view word = take_until(text, ' ');
        const std::size_t size = characters(word);
        if (!begins && used + 1 + size > width) {
            lines.append("\n").append(indent, ' ');
            used = indent;
        } else if (!begins) {
            lines += ' ';
            ++used;
        }
        lines.append(word);
        used += size;
    }
}
// Breaks a line at blanks into lines of at most `width` characters; those after the first are indented a little more.
inline std::string wrapped(std::string_view line, std::size_t width) {
    if (characters(line) <= width) return std::string(line);
    const std::size_t blanks = line.find_first_not_of(' ');
    const std::size_t used = blanks == std::string_view::npos ? 0 : blanks;
    std::string lines(line.substr(0, used));
    append_wrapped(lines, line.substr(used), width, used + 4, used);
    return lines;
}

// `count` characters of a line, from the character `first` on.
inline std::string characters_of(std::string_view line, std::size_t first, std::size_t count) {
    std::string found;
    std::size_t begun = 0;
    for (const char c : line) {
        begun += characters({&c, 1});
        if (begun > first && begun - first <= count) found += c;
    }
    return found;
}
// Cuts a line, and the line below it that has the caret, to the part around the caret that fits the terminal.
inline void fit_excerpt(std::string& line, std::string& caret, std::size_t width) {
    constexpr std::string_view cut_off = "  ...";
    const std::size_t place = caret.find('^');
    if (characters(line) <= width || width < 4 * cut_off.size()) return;
    const std::size_t kept = width - cut_off.size() - 3;
    const std::size_t first = place + 1 < kept ? 0 : place - kept / 2;
    const bool goes_on = characters(line) > first + kept;
    line = (first == 0 ? "" : std::string(cut_off)) + characters_of(line, first, kept) + (goes_on ? "..." : "");
    caret.erase(0, first);
    caret.resize((std::min)(caret.size(), kept));
    if (first != 0) caret.insert(0, cut_off.size(), ' ');
}

}  // namespace tool

#endif
