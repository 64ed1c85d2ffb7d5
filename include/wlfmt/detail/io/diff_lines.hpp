// Lines of a diff, as `git diff` prints them. A diff is in none of the formats, but may hold lines of a file in one.
#ifndef WLFMT_DETAIL_IO_DIFF_LINES_HPP
#define WLFMT_DETAIL_IO_DIFF_LINES_HPP

#include "../base/scan.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

inline bool is_among(char c, std::string_view set) noexcept { return set.find(c) != std::string_view::npos; }

// The text after its first line; empty, but with data() not null, if there is no other line.
inline std::string_view after_line(std::string_view text) noexcept {
    const std::size_t end = text.find('\n');
    return text.substr(end == std::string_view::npos ? text.size() : end + 1);
}
// The lines after the header of a diff at the text's start; data() is null if there is no header. A hunk's header alone
// counts only at the beginning of a file (`first`).
inline std::string_view lines_of_diff(std::string_view text, bool first) noexcept {
    const bool whole = text.substr(0, 4) == "--- ";
    if (whole) text = after_line(text);
    if (whole ? text.substr(0, 4) != "+++ " : !first) return {};
    if (whole) text = after_line(text);
    return text.substr(0, 4) == "@@ -" ? after_line(text) : std::string_view();
}
// Whether some line is in the older file, so that the lines of two files are mixed. (If all lines are added, `+` is a
// prefix like any other.)
inline bool is_mixed(std::string_view lines) noexcept {
    while (!lines.empty() && is_among(lines.front(), "+\\\r\n")) lines = after_line(lines);
    return !lines.empty() && (lines.front() == '-' || lines.front() == ' ');
}
// The lines of the first diff; data() is null if there is none.
inline std::string_view find_diff(std::string_view text) noexcept {
    for (bool first = true; !text.empty(); text = after_line(text)) {
        const std::string_view lines = lines_of_diff(text, first);
        if (lines.data() != nullptr) return lines;
        first = first && trimmed(text.substr(0, text.find('\n'))).empty();
    }
    return {};
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
