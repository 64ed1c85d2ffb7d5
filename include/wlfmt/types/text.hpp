// wlfmt/types/text.hpp: the type of texts in records: a std::string_view that does not compile with a text that is gone
// after the statement.
//
//     layer.name = "attention";                   // as a std::string_view: the caller keeps the bytes
//     layer.name = "layer_" + std::to_string(7);  // does not compile: the bytes would be gone before they are written
#include "../version.hpp"

#ifndef WLFMT_TYPES_TEXT_HPP
#define WLFMT_TYPES_TEXT_HPP

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// Whether a class that converts to std::string_view refers to bytes that somebody else keeps, so that a text_view may
// be made from a temporary. A class does not show whether it holds its bytes itself: declare it for another library's
// view.
//
//     template <> inline constexpr bool wlfmt::is_text_reference<absl::string_view> = true;
template <class T>
inline constexpr bool is_text_reference = std::is_base_of_v<std::string_view, T> &&
                                          sizeof(T) == sizeof(std::string_view);

namespace detail {

// Constants are written "..."sv, which passes their lengths: without it a compiler counts the bytes of each constant at
// compile time, which takes as long as parsing ten lines.
using namespace std::string_view_literals;

// The name of an enumerator; `names` holds those of all enumerators, in order. Inlined always, as GCC merges what is
// left of these functions at -O3, and then warns that one list is shorter than another.
template <class Text, std::size_t N, class Enum>
WLFMT_INLINE constexpr std::string_view name_in(const Text (&names)[N], Enum e) noexcept {
    return static_cast<std::size_t>(e) < N ? std::string_view(names[static_cast<std::size_t>(e)]) : "unknown"sv;
}

// Whether S, deduced for a parameter S&&, is not a text, refers to bytes that somebody else keeps (a pointer, a
// std::string_view, another library's view), or owns its bytes (a std::string of any allocator, an array).
enum class text_kind { none, view, owner, temporary_owner };
template <class S> constexpr text_kind text_kind_of() noexcept {
    using type = std::remove_cv_t<std::remove_reference_t<S>>;
    if constexpr (std::is_array_v<type>) {
        if (!std::is_same_v<const std::remove_extent_t<type>, const char>) return text_kind::none;
        return std::is_lvalue_reference_v<S> ? text_kind::owner : text_kind::temporary_owner;  // a temporary's member
    } else if constexpr (std::is_pointer_v<type>) {
        return std::is_same_v<const std::remove_pointer_t<type>, const char> ? text_kind::view : text_kind::none;
    } else if constexpr (!std::is_class_v<type>) {
        return text_kind::none;
    } else if constexpr (is_text_reference<type>) {
        return std::is_convertible_v<S&&, std::string_view> ? text_kind::view : text_kind::none;
    } else if constexpr (std::is_lvalue_reference_v<S>) {
        return std::is_convertible_v<S&&, std::string_view> ? text_kind::owner : text_kind::none;
    } else {
        // A value_text converts to a view only if it has a name, so both conversions are tried.
        return std::is_convertible_v<const type&, std::string_view> || std::is_convertible_v<S&&, std::string_view>
                   ? text_kind::temporary_owner
                   : text_kind::none;
    }
}
template <class S, text_kind Kind> using if_text_kind = std::enable_if_t<text_kind_of<S>() == Kind, int>;
template <class S> constexpr bool is_temporary_text() noexcept {
    return text_kind_of<S>() == text_kind::temporary_owner;
}
template <class S> using unless_temporary_text = std::enable_if_t<!is_temporary_text<S>(), int>;
// Whether it is 0, NULL or nullptr: a std::string_view made from it would read from address 0.
template <class S, class T = std::remove_reference_t<S>>
inline constexpr bool is_null_literal = std::is_null_pointer_v<T> || std::is_integral_v<T>;
template <class S> using if_null_literal = std::enable_if_t<is_null_literal<S>, int>;

}  // namespace detail

// A std::string_view with two differences: it cannot be made from a temporary that owns its text, and a null pointer
// makes a missing text. It converts to and from std::string_view.
class text_view : public std::string_view {
public:
    constexpr text_view(const char* data, std::size_t size) noexcept : std::string_view(data, size) {}
    constexpr text_view() noexcept = default;  // without data, which is missing
    // Most texts are views already: for an exact match that is not a template, GCC tries none of the templates below.
    constexpr text_view(std::string_view s) noexcept : std::string_view(s) {}
    template <class S, detail::if_null_literal<S> = 0> explicit text_view(S&&) = delete;
    template <class S, detail::if_text_kind<S, detail::text_kind::view> = 0>
    constexpr text_view(S&& s) noexcept : std::string_view(view_of(static_cast<S&&>(s))) {}
    template <class S, detail::if_text_kind<S, detail::text_kind::owner> = 0>
    constexpr text_view(S&& s WLFMT_LIFETIMEBOUND) noexcept : std::string_view(s) {}
    template <class S, detail::if_text_kind<S, detail::text_kind::temporary_owner> = 0> text_view(S&&) = delete;

    // Without data: what a record lacks. An empty text is not missing.
    constexpr bool is_missing() const noexcept { return data() == nullptr; }

    friend bool operator==(const text_view&, std::nullptr_t) = delete;
    friend bool operator!=(const text_view&, std::nullptr_t) = delete;
    friend bool operator==(std::nullptr_t, const text_view&) = delete;
    friend bool operator!=(std::nullptr_t, const text_view&) = delete;

private:
    // A null pointer, such as std::getenv() returns, becomes a text without data.
    template <class S> static constexpr std::string_view view_of(S&& s) noexcept {
        if constexpr (std::is_pointer_v<std::remove_reference_t<S>>) return s != nullptr ? s : std::string_view();
        else return static_cast<S&&>(s);
    }
};

}}  // namespace wlfmt::WLFMT_ABI

// For maps and ranges it is the same as std::string_view.
template <> struct std::hash<wlfmt::text_view> : std::hash<std::string_view> {};
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__cpp_lib_concepts)
template <> inline constexpr bool std::ranges::enable_view<wlfmt::text_view> = true;
template <> inline constexpr bool std::ranges::enable_borrowed_range<wlfmt::text_view> = true;
#endif

#include "../detail/base/config_end.hpp"
#endif
