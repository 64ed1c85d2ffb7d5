// wlfmt/number.hpp: a numeric value as the writers' Python prints it: missing, None, an integer, a decimal or a text.
#ifndef WLFMT_NUMBER_HPP
#define WLFMT_NUMBER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include "detail/core/begin.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// A numeric field. The formats tell apart what other number types fold together: a key that is not there, `None`,
// `0` (an integer) and `0.0` (a decimal); a tracer even writes a sentence where it measured nothing. A number keeps
// which of them it was, so that writing it gives the same text.
//
// Cheap to copy (16 bytes). A text is a view of the caller's bytes and lives as long as they do.
class number {
public:
    enum class kind : std::uint8_t { missing, none, integer, decimal, text };

    constexpr number() noexcept = default;                                // missing
    constexpr number(std::nullptr_t) noexcept : tag_(tag(kind::none)) {}  // None
    constexpr explicit number(std::string_view t) noexcept                // kept as it stands
        : text_(t.data()), tag_(tag(kind::text, t.size())) {}

    // Any arithmetic type: integers stay integers, floating-point types become decimals.
    template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
    constexpr number(T value) noexcept : integer_(static_cast<std::int64_t>(value)), tag_(tag(kind::integer)) {
        static_assert(sizeof(T) < 8 || std::is_signed_v<T>, "a number holds integers of 64 signed bits");
    }
    template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
    constexpr number(T value) noexcept : decimal_(static_cast<double>(value)), tag_(tag(kind::decimal)) {}

    constexpr kind what() const noexcept { return static_cast<kind>(tag_ & kind_mask); }
    constexpr bool missing() const noexcept { return what() == kind::missing; }
    constexpr bool is_none() const noexcept { return what() == kind::none; }
    constexpr bool is_integer() const noexcept { return what() == kind::integer; }
    constexpr bool is_decimal() const noexcept { return what() == kind::decimal; }
    constexpr bool is_text() const noexcept { return what() == kind::text; }
    constexpr bool has_value() const noexcept { return is_integer() || is_decimal(); }

    // The value as a double; NaN where there is none.
    constexpr operator double() const noexcept {
        if (is_decimal()) return decimal_;
        if (is_integer()) return static_cast<double>(integer_);
        return std::numeric_limits<double>::quiet_NaN();
    }
    // The value as a double, or `otherwise` where there is none.
    constexpr double value_or(double otherwise) const noexcept {
        return has_value() ? static_cast<double>(*this) : otherwise;
    }
    // The integer; 0 where the number is not one.
    constexpr std::int64_t integer() const noexcept { return is_integer() ? integer_ : 0; }
    // The text; empty where the number is not one.
    constexpr std::string_view text() const noexcept {
        return is_text() ? std::string_view(text_, static_cast<std::size_t>(tag_ >> kind_bits)) : std::string_view();
    }

    // The same kind and the same value (two NaN are the same; 0.0 and -0.0 are not: they are written differently).
    friend bool same(const number& a, const number& b) noexcept {
        if (a.what() != b.what()) return false;
        switch (a.what()) {
        case kind::integer: return a.integer_ == b.integer_;
        case kind::decimal:
            if (a.decimal_ != a.decimal_) return b.decimal_ != b.decimal_;
            return a.decimal_ == b.decimal_ && (a.decimal_ != 0 || (1 / a.decimal_ > 0) == (1 / b.decimal_ > 0));
        case kind::text: return a.text() == b.text();
        default: return true;
        }
    }

private:
    // A kind, and above it the size of a text, of which 56 bits are more than enough.
    static constexpr int kind_bits = 8;
    static constexpr std::uint64_t kind_mask = 0xff;
    static constexpr std::uint64_t tag(kind k, std::uint64_t size = 0) noexcept {
        return size << kind_bits | static_cast<std::uint64_t>(k);
    }

    union {
        std::int64_t integer_ = 0;
        double decimal_;
        const char* text_;
    };
    std::uint64_t tag_ = tag(kind::missing);
};

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/core/end.hpp"
#endif
