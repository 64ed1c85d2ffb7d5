// Pieces of texts.
#ifndef WLFMT_TOOLS_GENERAL_TEXT_HPP
#define WLFMT_TOOLS_GENERAL_TEXT_HPP

#include <algorithm>
#include <string_view>

namespace tool {

// Returns the text before the first such mark, or all of it if it has none, and removes that and the mark from it.
inline std::string_view take_until(std::string_view& text, char mark) noexcept {
    const std::string_view taken = text.substr(0, text.find(mark));
    text.remove_prefix((std::min)(taken.size() + 1, text.size()));
    return taken;
}
// Whether a text ends so after something else.
inline bool has_ending(std::string_view text, std::string_view ending) noexcept {
    return text.size() > ending.size() && text.substr(text.size() - ending.size()) == ending;
}

}  // namespace tool

#endif
