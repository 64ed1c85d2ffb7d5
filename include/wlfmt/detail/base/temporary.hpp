// Recognises temporaries that no view may be bound to, as their text is destroyed before the view is used.
#ifndef WLFMT_DETAIL_BASE_TEMPORARY_HPP
#define WLFMT_DETAIL_BASE_TEMPORARY_HPP

#include <string_view>
#include <type_traits>

#include "config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Is S, deduced for a parameter S&&, a temporary that owns its text: a std::string of any allocator, or another class
// that converts to std::string_view? A class that only refers to its text (std::string_view itself, or another
// library's view) is copied trivially and is no larger than two pointers; one that owns it is not.
template <class S>
constexpr bool is_temporary_text() noexcept {
    using type = std::remove_cv_t<std::remove_reference_t<S>>;
    if constexpr (std::is_lvalue_reference_v<S> || !std::is_class_v<type>) {
        return false;
    } else {
        constexpr bool refers = std::is_trivially_copyable_v<type> && sizeof(type) <= 2 * sizeof(void*);
        return std::is_convertible_v<const type&, std::string_view> && !refers;
    }
}
template <class S>
using if_temporary_text = std::enable_if_t<is_temporary_text<S>(), int>;

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
