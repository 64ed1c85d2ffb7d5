// wlfmt/types/formatter.hpp: errors, numbers, values and texts for std::format (C++20) and, if its header comes first,
// for {fmt}. Included by no other header, as <format> is heavy.
//
//     std::format("{:>12} ms", op->duration);      // as append_value() writes it, with the width of a text
//     std::format("{:.3f} ms", op->duration);      // as a double
//     std::format("{}", log.error());              // not_a_number: ...
#include "../version.hpp"

#ifndef WLFMT_TYPES_FORMATTER_HPP
#define WLFMT_TYPES_FORMATTER_HPP

#include <string>
#include <string_view>
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__has_include)
#if __has_include(<format>)
#include <format>
#endif
#endif

#include "../error.hpp"
#include "../number.hpp"
#include "text.hpp"
#include "value.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// The text that `<<` writes.
inline std::string_view formatted(std::string_view text) { return text; }
inline std::string_view formatted(error_kind k) { return name_of(k); }
inline std::string formatted(const problem& e) { return words_of(e); }
inline std::string_view formatted(const value_text& text) { return text.view(); }
inline std::string formatted(const number& n) {
    std::string text;
    append_value(text, n);
    return text;
}
inline std::string formatted(const value& v) {
    std::string text;
    append_value(text, v);
    return text;
}

template <class T, class Base> struct formatter : Base {
    template <class Context> auto format(const T& v, Context& context) const {
        return Base::format(std::string_view(formatted(v)), context);
    }
};
inline const number& number_of(const number& n) { return n; }
inline number number_of(const value& v) { return v.number(); }
// A precision, a sign or the type of a double (`{:8.3f}`) formats the value as that of a double, as it would cut digits
// off a text. A number without a value is then its text as it is.
template <class T, class Texts, class Doubles> struct number_formatter : formatter<T, Texts> {
    template <class Context> constexpr auto parse(Context& context) {
        auto end = context.begin();
        bool nested = false;
        for (; end != context.end() && (*end != '}' || nested); ++end) {
            nested = *end == '{' || (nested && *end != '}');
            is_double_ = is_double_ || *end == '.' || *end == '+' || (*end >= 'a' && *end <= 'g') ||
                         (*end >= 'A' && *end <= 'G');
        }
        return is_double_ ? doubles_.parse(context) : Texts::parse(context);
    }
    template <class Context> auto format(const T& v, Context& context) const {
        const number n = number_of(v);
        if (is_double_ && n.has_value()) return doubles_.format(n.value_or(0.0), context);
        return formatter<T, Texts>::format(v, context);
    }

private:
    Doubles doubles_;
    bool is_double_ = false;
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

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
#if defined(FMT_VERSION)
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
#endif

#include "../detail/base/config_end.hpp"
#endif
