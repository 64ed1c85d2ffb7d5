// Errors about a record whose text is at hand.
#ifndef WLFMT_DETAIL_ERROR_PLACE_HPP
#define WLFMT_DETAIL_ERROR_PLACE_HPP

#include <cstdint>
#include <string_view>

#include "print.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The error about `place`, a view of the text; without a place if `place` is missing, as that of a record built by hand
// is.
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

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
