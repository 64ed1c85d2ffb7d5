// The words of workload files, which blanks separate, and the numbers that a whole word is.
#ifndef WLFMT_DETAIL_WORKLOAD_WORDS_HPP
#define WLFMT_DETAIL_WORKLOAD_WORDS_HPP

#include <cstdint>
#include <string_view>

#include "../../to_number.hpp"
#include "../../types/error.hpp"
#include "../base/scan.hpp"
#include "../number/read.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

struct word {
    const char* begin;
    const char* end;
    WLFMT_INLINE std::string_view text() const noexcept { return view(begin, end); }
};

inline bool is_finite(double v) noexcept { return (bits_of(v) & infinity_bits) != infinity_bits; }

template <class Way>
struct workload_words {
    static const char* skip_blanks(const char* p, const char* end) noexcept {
        while (p != end && is_blank(*p)) ++p;
        return p;
    }
    static const char* skip_blank_lines(const char* p, const char* end) noexcept {
        while (p != end && (is_blank(*p) || *p == '\n')) ++p;
        return p;
    }
    // The end of the word that begins at p.
    static const char* word_end(const char* p, const char* end) noexcept {
        return find_any<'\t', ' ', '\n', '\r', '\v', '\f'>(p, end);
    }

    // Numbers that are a whole word.

    // `end` is where reading must stop at the latest. The end of the text is best, as read_number() reads blocks.

    // The word as an integer or decimal: error_kind::none, not_a_number or number_overflow.
    static error_kind number_in(word w, const char* end, number& value) noexcept {
        const char* p = w.begin;
        const number_status status = read_number(p, end, value);
        if (status == number_status::invalid || p != w.end) return error_kind::not_a_number;
        if (status == number_status::overflow) return error_kind::number_overflow;
        const bool finite = !value.is_decimal() || is_finite(number_access::decimal(value));
        return finite ? error_kind::none : error_kind::not_a_number;
    }

    // The word as an integer, which Python's `2621440.0` is too: error_kind::none, not_an_integer or number_overflow.
    static error_kind integer_in(word w, const char* end, std::int64_t& value) noexcept {
        constexpr double limit = 9223372036854775808.0;  // 2^63
        number n;
        const error_kind what = number_in(w, end, n);
        if (what != error_kind::none) return what == error_kind::not_a_number ? error_kind::not_an_integer : what;
        if (n.is_integer()) {
            value = number_access::integer(n);
            return error_kind::none;
        }
        const double decimal = number_access::decimal(n);
        if (decimal < -limit || decimal >= limit) return error_kind::number_overflow;
        value = static_cast<std::int64_t>(decimal);
        return static_cast<double>(value) == decimal ? error_kind::none : error_kind::not_an_integer;
    }

    // The word as digits with or without a sign.
    static number_status plain_integer(word w, std::int64_t& value) noexcept {
        const char* p = w.begin;
        const number_status status = read_integer(p, w.end, value);
        return p == w.end ? status : number_status::invalid;
    }

    static bool is_number(word w) noexcept {
        // Most words that are none are names of collectives.
        if (w.begin != w.end && *w.begin >= 'A' && *w.begin <= 'Z') return false;
        number value;
        return number_in(w, w.end, value) != error_kind::not_a_number;
    }

    static bool is_negative(const number& n) noexcept {
        return n.is_integer() ? number_access::integer(n) < 0 : n.is_decimal() && number_access::decimal(n) < 0;
    }
};

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
