// wlfmt/types/text.hpp: what the members of records hold their texts as: a std::string_view that does not compile with
// a text that is gone after the statement.
//
//     layer.name = "attention";                   // as a std::string_view: the caller keeps the bytes
//     layer.name = "layer_" + std::to_string(7);  // does not compile: the bytes would be gone before they are written
#include "../version.hpp"

#ifndef WLFMT_TYPES_TEXT_HPP
#define WLFMT_TYPES_TEXT_HPP

#include <string_view>
#include <type_traits>

#include "../detail/base/temporary.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// A std::string_view in all but one thing: it is made of no temporary that owns its text. Converts to and from
// std::string_view. A class of another library that owns no text and is no larger than two pointers is a view, too.
class text : public std::string_view {
public:
    constexpr text() noexcept = default;  // without data, which is missing
    template <class S,
              std::enable_if_t<std::is_convertible_v<S&&, std::string_view> && !detail::is_temporary_text<S>() &&
                                   !std::is_null_pointer_v<std::remove_reference_t<S>>,
                               int> = 0>
    constexpr text(S&& s) noexcept : std::string_view(static_cast<S&&>(s)) {}
    template <class S, detail::if_temporary_text<S> = 0>
    text(S&&) = delete;
};

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "../detail/base/config_end.hpp"
#endif
