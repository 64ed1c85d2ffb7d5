// Takes texts apart, and escapes characters in them.
#ifndef WLFMT_TOOLS_GENERAL_TEXT_HPP
#define WLFMT_TOOLS_GENERAL_TEXT_HPP

#include <algorithm>
#include <string>
#include <string_view>

namespace tool {

// Removes everything up to the first `mark`, or to the end, from `text`, and returns it without the mark.
inline std::string_view take_until(std::string_view& text, char mark) noexcept {
    const std::string_view taken = text.substr(0, text.find(mark));
    text.remove_prefix((std::min)(taken.size() + 1, text.size()));
    return taken;
}
// Whether a text ends with `ending` and is longer.
inline bool has_ending(std::string_view text, std::string_view ending) noexcept {
    return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

// The text with a backslash before each of these characters.
inline std::string escaped(std::string_view text, std::string_view characters) {
    std::string with_escapes;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos) with_escapes += '\\';
        with_escapes += c;
    }
    return with_escapes;
}
// Escapes a text for use inside single quotes in a POSIX shell.
inline std::string within_quotes(std::string_view text) {
    std::string with_escapes;
    for (const char c : text) with_escapes.append(c == '\'' ? "'\\''" : std::string_view(&c, 1));
    return with_escapes;
}

}  // namespace tool

#endif
