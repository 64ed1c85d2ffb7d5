// wlfmt/types/std_format.hpp: errors, numbers, values and texts for std::format (C++20). Included by no other header,
// as <format> is heavy. Empty where the standard library has no <format>.
//
//     std::format("{:>12} ms", op->duration);      // as append_value() writes it, with the width of a text
//     std::format("{:.3f} ms", op->duration);      // as a double
//     std::format("{}", log.error());              // not_a_number: ...
#include "../version.hpp"

#ifndef WLFMT_TYPES_STD_FORMAT_HPP
#define WLFMT_TYPES_STD_FORMAT_HPP

#include <string_view>
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__has_include)
#if __has_include(<format>)
#include <format>
#endif
#endif

#include "../detail/error/formatted.hpp"
#include "../error.hpp"
#include "../number.hpp"
#include "text.hpp"
#include "value.hpp"

#include "../detail/base/config.hpp"

#if defined(__cpp_lib_format)
namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {
template <class T> using std_formatter = formatter<T, std::formatter<std::string_view>>;
template <class T>
using std_number_formatter = number_formatter<T, std::formatter<std::string_view>, std::formatter<double>>;
}}}  // namespace wlfmt::WLFMT_ABI::detail
template <> struct std::formatter<wlfmt::problem> : wlfmt::detail::std_formatter<wlfmt::problem> {};
template <> struct std::formatter<wlfmt::error_kind> : wlfmt::detail::std_formatter<wlfmt::error_kind> {};
template <> struct std::formatter<wlfmt::number> : wlfmt::detail::std_number_formatter<wlfmt::number> {};
template <> struct std::formatter<wlfmt::text_view> : wlfmt::detail::std_formatter<wlfmt::text_view> {};
template <> struct std::formatter<wlfmt::value> : wlfmt::detail::std_number_formatter<wlfmt::value> {};
template <> struct std::formatter<wlfmt::value_text> : wlfmt::detail::std_formatter<wlfmt::value_text> {};
#endif

#include "../detail/base/config_end.hpp"
#endif
