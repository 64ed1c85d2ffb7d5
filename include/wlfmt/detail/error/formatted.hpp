// What the formatters for std::format and {fmt} share.
#ifndef WLFMT_DETAIL_ERROR_FORMATTED_HPP
#define WLFMT_DETAIL_ERROR_FORMATTED_HPP

#include <string>
#include <string_view>

#include "../../error.hpp"
#include "../../number.hpp"
#include "../../types/text.hpp"
#include "../../types/value.hpp"

#include "../base/config.hpp"

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

#endif
