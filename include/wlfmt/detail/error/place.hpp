// Places in a text: as a view, as an error about it, as a line and a column, and as an excerpt below a message.
#ifndef WLFMT_DETAIL_ERROR_PLACE_HPP
#define WLFMT_DETAIL_ERROR_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "../../types/error.hpp"
#include "../base/characters.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Is `place` a view of the text? Compared as integers: pointers into different texts have no order.
inline bool is_view_of(std::string_view place, std::string_view text) noexcept {
    const auto number = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
    return place.data() != nullptr && number(place.data()) >= number(text.data()) &&
           number(place.data() + place.size()) <= number(text.data() + text.size());
}

// An error about `place`, a view of the text. The error has no place if `place` is missing, as for a record that was
// built by hand.
inline error error_at(error_kind kind, std::string_view place, std::string_view text, std::string_view field,
                      std::int64_t found = 0, std::int64_t expected = 0) noexcept {
    error e;
    e.kind = kind;
    if (is_view_of(place, text)) {
        e.offset = static_cast<std::uint64_t>(place.data() - text.data());
        e.length = place.size();
    }
    e.field = field;
    e.found = found;
    e.expected = expected;
    return e;
}

// What location_of() promises.
template <class Build> location location_of(std::string_view text, std::uint64_t offset) noexcept {
    const std::size_t at = offset < text.size() ? static_cast<std::size_t>(offset) : text.size();
    location where;
    std::size_t begin = 0;
    while (begin < at) {
        const void* hit = std::memchr(text.data() + begin, '\n', at - begin);
        if (hit == nullptr) break;
        begin = static_cast<std::size_t>(static_cast<const char*>(hit) - text.data()) + 1;
        ++where.line;
    }
    where.column = at - begin + 1;
    where.character = count_characters(text.substr(begin, at - begin)) + 1;
    where.line_text = text.substr(begin, text.find('\n', begin) - begin);
    if (!where.line_text.empty() && where.line_text.back() == '\r') where.line_text.remove_suffix(1);
    return where;
}

// `: error: `, `:2:19: warning: `
template <class String> void append_head(String& to, const location* where, severity s, std::uint64_t first_line) {
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
template <class String> void append_excerpt(String& to, const location& where, std::uint64_t length) {
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
    if (where != nullptr) append_excerpt(out, *where, length);
    else out += '\n';
    return out;
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
