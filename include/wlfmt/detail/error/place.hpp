// Places in a text: as a view, as an error about it, and as a line and a column.
#ifndef WLFMT_DETAIL_ERROR_PLACE_HPP
#define WLFMT_DETAIL_ERROR_PLACE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "../../types/error.hpp"
#include "../base/characters.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

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

// What locate() promises.
template <class Way>
location location_of(std::string_view text, std::uint64_t offset) noexcept {
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

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
