// Takes texts apart, and escapes characters in them.
#ifndef WLFMT_TOOLS_GENERAL_TEXT_HPP
#define WLFMT_TOOLS_GENERAL_TEXT_HPP

#include <algorithm>
#include <string>
#include <string_view>

namespace tool {

// Removes everything up to the first `mark`, or to the end, from `text`, and returns it without the mark.
std::string_view take_until(std::string_view& text, char mark) noexcept;
// Whether a text ends with `ending` and is longer.
bool has_ending(std::string_view text, std::string_view ending) noexcept;

// The text with a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view characters);
// Escapes a text for use inside single quotes in a POSIX shell.
std::string within_quotes(std::string_view text);
// The text as a word of a shell's command, in quotes if it needs them.
std::string shell_word(std::string_view text);

}  // namespace tool

#endif
