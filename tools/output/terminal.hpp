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

terminal terminal_of(std::FILE* file, colour_choice colours);

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
std::string styled(const terminal& shown_by, std::string_view codes, std::string_view text);

// How many characters of a text are visible: the codes of styles are not.
std::size_t characters(std::string_view text) noexcept;
// Appends a text in lines of at most `width` characters, broken at blanks. The first line begins after `used`
// characters, the others after `indent` blanks.
void append_wrapped(std::string& lines, std::string_view text, std::size_t width, std::size_t indent, std::size_t used);
// Breaks a line at blanks into lines of at most `width` characters; those after the first are indented a little more.
std::string wrapped(std::string_view line, std::size_t width);

}  // namespace tool

#endif
