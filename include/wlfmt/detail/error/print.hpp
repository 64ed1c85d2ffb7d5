// How an error is printed: its head, and an excerpt of the text below it.
#ifndef WLFMT_DETAIL_ERROR_PRINT_HPP
#define WLFMT_DETAIL_ERROR_PRINT_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../types/error.hpp"
#include "../base/characters.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// `: error: `, `:2:19: warning: `
template <class String>
void append_head(String& to, const location* where, severity s, std::uint64_t first_line) {
    if (where != nullptr) {
        to += ':';
        to += std::to_string(where->line + first_line - 1);
        to += ':';
        to += std::to_string(where->column);
    }
    to += ": ";
    to += s == severity::error ? "error" : "warning";
    to += ": ";
}

// The end of the message and the line below it, with a caret under the guilty bytes: of a long line only as many whole
// characters as a terminal shows.
template <class String>
void append_excerpt(String& to, const location& where, std::uint64_t length) {
    constexpr std::size_t before = 60;
    constexpr std::size_t width = 110;
    constexpr std::string_view lead = "  ";
    if (where.character != where.column) {
        to += " (character ";
        to += std::to_string(where.character);
        to += ')';
    }
    to += '\n';
    const std::string_view line = where.line_text;
    if (line.empty()) return;
    const std::size_t at = where.column - 1 < line.size() ? static_cast<std::size_t>(where.column - 1) : line.size();
    const bool from_start = line.size() <= width || at <= before;
    const std::size_t begin = from_start ? 0 : character_start(line, at - before);
    const bool to_end = line.size() - begin <= width;
    const std::size_t end = to_end ? line.size() : character_start(line, begin + width);

    to += lead;
    if (begin > 0) to += "...";
    append_printable(to, line.substr(begin, end - begin));
    if (end < line.size()) to += "...";
    to += '\n';
    to += lead;
    if (begin > 0) to += "   ";
    to.append(count_characters(line.substr(begin, at - begin)), ' ');
    to += '^';
    const std::size_t marked = length > end - at ? end - at : static_cast<std::size_t>(length);
    if (marked > 1) to.append(count_characters(line.substr(at, marked)) - 1, '~');
    to += '\n';
}

// `file:2:19: error: `, what `say` appends, and the excerpt. `where` is null for a problem without a place.
template <class String, class Say>
String print_problem(std::string_view file_name, const location* where, std::uint64_t length, severity s,
                     std::uint64_t first_line, Say say) {
    String out;
    append_printable(out, file_name);
    append_head(out, where, s, first_line);
    say(out);
    if (where != nullptr)
        append_excerpt(out, *where, length);
    else
        out += '\n';
    return out;
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
