// wlfmt/types/fmt.hpp: errors, numbers, values and texts for {fmt}. Included by no other header.
//
//     fmt::format("{:>12} ms", op->duration);      // as append_value() writes it, with the width of a text
//     fmt::format("{:.3f} ms", op->duration);      // as a double
//     fmt::format("{}", log.error());              // not_a_number: ...
#include "../version.hpp"

#ifndef WLFMT_TYPES_FMT_HPP
#define WLFMT_TYPES_FMT_HPP

#include <string_view>
#if defined(__has_include)
#if !__has_include(<fmt/format.h>)
#error "wlfmt/types/fmt.hpp needs {fmt}: Debian's libfmt-dev, or https://fmt.dev"
#endif
#endif
#include <fmt/format.h>

#include "../detail/error/formatted.hpp"
#include "../error.hpp"
#include "../number.hpp"
#include "text.hpp"
#include "value.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {
template <class T> using fmt_formatter = formatter<T, fmt::formatter<std::string_view>>;
template <class T>
using fmt_number_formatter = number_formatter<T, fmt::formatter<std::string_view>, fmt::formatter<double>>;
}}}  // namespace wlfmt::WLFMT_ABI::detail
template <> struct fmt::formatter<wlfmt::problem> : wlfmt::detail::fmt_formatter<wlfmt::problem> {};
template <> struct fmt::formatter<wlfmt::error_kind> : wlfmt::detail::fmt_formatter<wlfmt::error_kind> {};
template <> struct fmt::formatter<wlfmt::number> : wlfmt::detail::fmt_number_formatter<wlfmt::number> {};
template <> struct fmt::formatter<wlfmt::text_view> : wlfmt::detail::fmt_formatter<wlfmt::text_view> {};
template <> struct fmt::formatter<wlfmt::value> : wlfmt::detail::fmt_number_formatter<wlfmt::value> {};
template <> struct fmt::formatter<wlfmt::value_text> : wlfmt::detail::fmt_formatter<wlfmt::value_text> {};

#include "../detail/base/config_end.hpp"
#endif
