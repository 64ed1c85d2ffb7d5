// wlfmt/types/number.hpp: a numeric value as the writers of the formats print it: missing, None, an integer, a decimal
// or a text.
//
//     wlfmt::number n = op->duration;
//     n.value_or(0.0)       // a double; 0 if the number is missing, None or a text
//     n.as<int>()           // std::optional<int>: empty if there is no number, or one that does not fit an int
//     n *= 2                // an integer stays an integer if the result is whole
//     if (n == nullptr)     // None
//
// No conversion to double or int is implicit, because the value may be missing.
#include "../version.hpp"

#ifndef WLFMT_TYPES_NUMBER_HPP
#define WLFMT_TYPES_NUMBER_HPP

#include <cfloat>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>
#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) > 201703L && defined(__has_include)
#if __has_include(<compare>)
#include <compare>
#endif
#endif

#include "text.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {
namespace detail {

struct number_access;

// bool and character types are integral, but their values are not numbers.
template <class T, class... Others> inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);
#ifdef __cpp_char8_t
template <class T> inline constexpr bool is_char8 = std::is_same_v<T, char8_t>;
#else
template <class T> inline constexpr bool is_char8 = false;
#endif
template <class T>
inline constexpr bool is_integer =
    std::is_integral_v<T> && !is_one_of<T, bool, char, wchar_t, char16_t, char32_t> && !is_char8<T>;
template <class T> using if_number = std::enable_if_t<is_integer<T> || std::is_floating_point_v<T>, int>;

}  // namespace detail

enum class number_kind : std::uint8_t {
    missing,  // the key is not there
    none,     // Python's None
    integer,
    decimal,
    text  // anything else, unchanged
};

// "missing", "none", "integer", "decimal", "text". Static storage.
std::string_view name_of(number_kind k) noexcept;

// A numeric field. The formats distinguish what other number types treat alike: a missing key, `None`, `0` (an integer)
// and `0.0` (a decimal); a tracer even writes a sentence in place of a time that it did not measure. A number remembers
// which of them it is, so that writing it gives the same text.
//
// Cheap to copy (16 bytes). A text is a view of the caller's bytes and lives as long as they do.
class number {
public:
    constexpr number() noexcept = default;  // missing
    constexpr number(std::nullptr_t) noexcept : tag_(tag(number_kind::none)) {}
    constexpr number(const number&) noexcept = default;
    // Assigning to what a function returned a copy of does not compile: `head.pipeline_parallel() = 4` would be lost.
    constexpr number& operator=(const number&) & noexcept = default;
    // A text, kept unchanged. (to_number() reads a number from a text.)
    constexpr explicit number(text_view t WLFMT_LIFETIMEBOUND) noexcept
        : text_(t.data()), tag_(tag(number_kind::text, t.size())) {}

    // Integers of at most 64 bits stay integers, and floating-point types become decimals; bool and characters do not
    // compile. An unsigned value beyond 63 bits becomes a decimal, which write() refuses where the format has integers.
    template <
        class T,
        std::enable_if_t<detail::is_integer<T> && (sizeof(T) + std::is_unsigned_v<T> <= sizeof(std::int64_t)), int> = 0>
    constexpr number(T value) noexcept : integer_(static_cast<std::int64_t>(value)), tag_(tag(number_kind::integer)) {}
    template <
        class T,
        std::enable_if_t<detail::is_integer<T> && std::is_unsigned_v<T> && sizeof(T) == sizeof(std::int64_t), int> = 0>
    constexpr number(T value) noexcept
        : number(value >> 63 == 0 ? number(static_cast<std::int64_t>(value)) : number(static_cast<double>(value))) {}
    template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
    constexpr number(T value) noexcept : decimal_(static_cast<double>(value)), tag_(tag(number_kind::decimal)) {}

    constexpr number_kind kind() const noexcept { return static_cast<number_kind>(tag_ & kind_mask); }
    constexpr bool is_missing() const noexcept { return kind() == number_kind::missing; }
    constexpr bool is_none() const noexcept { return kind() == number_kind::none; }
    constexpr bool is_integer() const noexcept { return kind() == number_kind::integer; }
    constexpr bool is_decimal() const noexcept { return kind() == number_kind::decimal; }
    constexpr bool is_text() const noexcept { return kind() == number_kind::text; }
    // An integer or a decimal.
    constexpr bool has_value() const noexcept { return is_integer() || is_decimal(); }

    // The value as a double, or `otherwise` if there is none. An integer beyond 2^53 becomes the nearest double.
    constexpr double value_or(double otherwise) const noexcept {
        return is_decimal() ? decimal_ : is_integer() ? static_cast<double>(integer_) : otherwise;
    }
    // An integer argument does not compile: the result is a double, which may not fit what it is assigned to.
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> constexpr double value_or(T) const noexcept {
        static_assert(detail::is_one_of<T>,
                      "wlfmt: value_or() returns a double: value_or(0.0), or as<int>().value_or(0) for an integer");
        return 0;
    }

    // The value as a T, if there is one that T holds. An integral T takes integers in its range, and decimals that are
    // whole and in its range (`2621440.0`, as Python writes the result of a division). A floating-point T takes every
    // value in its range, rounded to the nearest; nan and the infinities too.
    template <class T> constexpr std::optional<T> as() const noexcept {
        static_assert(std::is_arithmetic_v<T> && (std::is_floating_point_v<T> ? sizeof(T) >= sizeof(float)
                                                                              : sizeof(T) <= sizeof(std::int64_t)),
                      "number::as<T>() takes float, double, long double, or an integer of at most 64 bits");
        if constexpr (std::is_floating_point_v<T>) {
            if (is_integer()) return static_cast<T>(integer_);
            if (!is_decimal()) return std::nullopt;
            const double size = decimal_ < 0 ? -decimal_ : decimal_;
            if (sizeof(T) < sizeof(double) && size > double{FLT_MAX} && size <= DBL_MAX) return std::nullopt;
            return static_cast<T>(decimal_);
        } else {
            std::int64_t whole = 0;
            if (get_whole(whole)) return in_range<T>(whole);
            if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::uint64_t))
                if (is_decimal() && !is_nan() && decimal_ >= two_to_63 && decimal_ < 2 * two_to_63)
                    return static_cast<T>(decimal_);
            return std::nullopt;
        }
    }
    // The text; empty if the number is not a text.
    constexpr std::string_view text() const noexcept {
        return is_text() ? std::string_view(text_, static_cast<std::size_t>(tag_ >> kind_bits)) : std::string_view();
    }

    // Gives the number another value, rounded to the nearest integer if the number is one, because readers in C++ stop
    // at the point of `2000.5`: only a value beyond 64 bits makes it a decimal. Anything else becomes a decimal.
    number& set_rounded(double value) & noexcept {
        if (!is_integer() || !(value >= -two_to_63 && value < two_to_63)) return *this = number(value);
        const auto whole = static_cast<std::int64_t>(value);
        const double rest = value - static_cast<double>(whole);
        return *this = number(whole + (rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0));
    }
    // Multiplies, adds and subtracts. The number holds the result: an integer stays one if the result is surely whole
    // and 64 bits hold it, and becomes a decimal if not. A number without a value stays as it is. Integers are exact.
    template <class T, detail::if_number<T> = 0> number& operator*=(T factor) & noexcept {
        std::int64_t whole = 0;
        if (is_integer() && number(factor).get_whole(whole)) {
            const std::uint64_t greatest = std::uint64_t{INT64_MAX} + ((integer_ < 0) != (whole < 0) ? 1 : 0);
            if (whole == 0 || size_of(integer_) <= greatest / size_of(whole)) return *this = number(integer_ * whole);
        }
        return hold(value_or(0.0) * static_cast<double>(factor));
    }
    template <class T, detail::if_number<T> = 0> number& operator+=(T more) & noexcept {
        constexpr std::int64_t least = INT64_MIN;
        constexpr std::int64_t greatest = INT64_MAX;
        std::int64_t whole = 0;
        if (is_integer() && number(more).get_whole(whole) &&
            (whole < 0 ? integer_ >= least - whole : integer_ <= greatest - whole))
            return *this = number(integer_ + whole);
        return hold(value_or(0.0) + static_cast<double>(more));
    }
    template <class T, detail::if_number<T> = 0> number& operator-=(T less) & noexcept {
        std::int64_t whole = 0;
        if (is_integer() && number(less).get_whole(whole) && whole != INT64_MIN) return *this += -whole;
        return *this += -static_cast<double>(less);
    }

    // Whether the value is less or greater than an int or a double; false without a value, as that of a text, and for
    // nan. Two numbers have no such order, as either may lack a value: ask for their values, or for total_order().
    template <class T, detail::if_number<T> = 0> friend bool operator<(const number& a, T b) noexcept {
        return a.compare(number(b)) < 0;
    }
    template <class T, detail::if_number<T> = 0> friend bool operator>(const number& a, T b) noexcept {
        return a.compare(number(b)) == 1;
    }
    template <class T, detail::if_number<T> = 0> friend bool operator<=(const number& a, T b) noexcept {
        return a.compare(number(b)) <= 0;
    }
    template <class T, detail::if_number<T> = 0> friend bool operator>=(const number& a, T b) noexcept {
        const int o = a.compare(number(b));
        return o == 0 || o == 1;
    }
    template <class T, detail::if_number<T> = 0> friend bool operator<(T a, const number& b) noexcept { return b > a; }
    template <class T, detail::if_number<T> = 0> friend bool operator>(T a, const number& b) noexcept { return b < a; }
    template <class T, detail::if_number<T> = 0> friend bool operator<=(T a, const number& b) noexcept {
        return b >= a;
    }
    template <class T, detail::if_number<T> = 0> friend bool operator>=(T a, const number& b) noexcept {
        return b <= a;
    }
    friend bool operator<(const number&, const number&) = delete;
    friend bool operator>(const number&, const number&) = delete;
    friend bool operator<=(const number&, const number&) = delete;
    friend bool operator>=(const number&, const number&) = delete;
#if defined(__cpp_lib_three_way_comparison)
    // clang-format off
    template <class T, detail::if_number<T> = 0>
    friend std::partial_ordering operator<=>(const number& a, T b) noexcept {
        const int o = a.compare(number(b));
        return o < 0    ? std::partial_ordering::less
               : o == 0 ? std::partial_ordering::equivalent
               : o == 1 ? std::partial_ordering::greater
                        : std::partial_ordering::unordered;
    }
    // clang-format on
#endif
    // Below 0 if a comes before b, 0 if they are equal, above 0 if it comes after: an order of all numbers, for
    // sorting. Missing numbers come first, then None, integers and decimals by value, nan, and texts by their bytes. Of
    // equal values, 0 comes before -0.0, and -0.0 before 0.0.
    //
    //     std::stable_sort(n.begin(), n.end(), [](auto& a, auto& b) { return total_order(a, b) < 0; });
    friend int total_order(const number& a, const number& b) noexcept { return a == b ? 0 : a.is_before(b) ? -1 : 1; }

    // Two numbers are equal if they are written alike: the same kind, the same value. So 0 is not 0.0, 0.0 is not -0.0,
    // and nan is nan. Missing equals missing, and None equals None.
    friend bool operator==(const number& a, const number& b) noexcept {
        if (a.kind() != b.kind()) return false;
        switch (a.kind()) {
        case number_kind::integer: return a.integer_ == b.integer_;
        case number_kind::decimal: return a.decimal_bits() == b.decimal_bits();
        case number_kind::text: return a.text() == b.text();
        default: return true;
        }
    }
    friend bool operator!=(const number& a, const number& b) noexcept { return !(a == b); }
    // In comparisons with an int or a double only the value counts: 0 and 0.0 both equal 0.
    template <class T, detail::if_number<T> = 0> friend constexpr bool operator==(const number& a, T b) noexcept {
        return a.equals(b);
    }
    template <class T, detail::if_number<T> = 0> friend constexpr bool operator!=(const number& a, T b) noexcept {
        return !a.equals(b);
    }
    template <class T, detail::if_number<T> = 0> friend constexpr bool operator==(T a, const number& b) noexcept {
        return b.equals(a);
    }
    template <class T, detail::if_number<T> = 0> friend constexpr bool operator!=(T a, const number& b) noexcept {
        return !b.equals(a);
    }

private:
    friend struct detail::number_access;

    // The lowest byte of a tag is a kind. The 56 bits above it are the size of a text, or any other number's mark.
    static constexpr int kind_bits = 8;
    static constexpr std::uint64_t kind_mask = 0xff;
    static constexpr std::uint64_t tag(number_kind k, std::uint64_t size = 0) noexcept {
        return size << kind_bits | static_cast<std::uint64_t>(k);
    }

    static constexpr std::uint64_t size_of(std::int64_t v) noexcept {
        return v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
    }
    static constexpr double two_to_63 = 9223372036854775808.0;

    // Gets the value if it is an integer of 64 signed bits; else returns false and leaves `whole` as it was.
    constexpr bool get_whole(std::int64_t& whole) const noexcept {
        std::int64_t found = 0;
        if (is_integer()) {
            found = integer_;
        } else if (!is_decimal() || is_nan() || !(decimal_ >= -two_to_63 && decimal_ < two_to_63)) {
            return false;
        } else {
            found = static_cast<std::int64_t>(decimal_);
            if (static_cast<double>(found) != decimal_) return false;
        }
        whole = found;
        return true;
    }
    number& hold(double value) noexcept {
        if (!has_value()) return *this;
        constexpr double exact = 9007199254740992.0;  // 2^53: a sum of doubles beyond it may have been rounded
        std::int64_t whole = 0;
        const bool stays = is_integer() && value > -exact && value < exact && number(value).get_whole(whole);
        return *this = stays ? number(whole) : number(value);
    }
    template <class T> static constexpr std::optional<T> in_range(std::int64_t v) noexcept {
        const T narrowed = static_cast<T>(v);
        if (static_cast<std::int64_t>(narrowed) != v || (std::is_unsigned_v<T> && v < 0)) return std::nullopt;
        return narrowed;
    }
    template <class T> constexpr bool equals(T v) const noexcept {
        if constexpr (std::is_floating_point_v<T>) {
            if (is_decimal()) return decimal_ == static_cast<double>(v);
            // An integer equals a decimal that is whole and holds it exactly.
            return is_integer() && order(integer_, static_cast<double>(v)) == 0;
        } else {
            if constexpr (std::is_unsigned_v<T> && sizeof(T) == sizeof(std::uint64_t))
                if (v >> 63 != 0) return as<T>() == v;
            std::int64_t whole = 0;
            return get_whole(whole) && whole == static_cast<std::int64_t>(v);
        }
    }
    // The place of its kind in the order: missing, None, values, nan, texts.
    constexpr int rank() const noexcept {
        return is_text() ? 4 : is_decimal() && is_nan() ? 3 : has_value() ? 2 : is_none() ? 1 : 0;
    }
    // Below 0 if this value comes before the other, 0 if they are the same, above 0 if it comes after.
    int order_of(const number& b) const noexcept {
        if (rank() != b.rank()) return rank() < b.rank() ? -1 : 1;
        if (is_text()) return text().compare(b.text());
        if (rank() != 2) return 0;
        if (is_integer() && b.is_integer()) return integer_ < b.integer_ ? -1 : integer_ > b.integer_;
        if (is_decimal() && b.is_decimal()) return decimal_ < b.decimal_ ? -1 : decimal_ > b.decimal_;
        return is_integer() ? order(integer_, b.decimal_) : -order(b.integer_, decimal_);
    }
    // The same for values, and 2 if one of them lacks a value or is nan.
    int compare(const number& b) const noexcept { return rank() == 2 && b.rank() == 2 ? order_of(b) : 2; }
    bool is_before(const number& b) const noexcept {
        const int o = order_of(b);
        if (o != 0 || kind() != b.kind()) return o != 0 ? o < 0 : is_integer();
        return is_decimal() && decimal_bits() != b.decimal_bits() && decimal_bits() >> 63 != 0;
    }
    // Whether the integer is less than the decimal (-1), equal (0) or greater (1).
    static constexpr int order(std::int64_t i, double d) noexcept {
        if (!(d < two_to_63)) return -1;
        if (d < -two_to_63) return 1;
        const auto whole = static_cast<std::int64_t>(d);
        if (i != whole) return i < whole ? -1 : 1;
        const double rest = d - static_cast<double>(whole);
        return rest > 0 ? -1 : rest < 0 ? 1 : 0;
    }
    // Looks at the bits if that is possible: in a program compiled with -ffast-math, comparisons do not find nan.
    constexpr bool is_nan() const noexcept {
#if defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
        return is_nan_bits(__builtin_bit_cast(std::uint64_t, decimal_));
#endif
#endif
        return decimal_ != decimal_;
    }
    static constexpr bool is_nan_bits(std::uint64_t bits) noexcept { return bits << 1 > std::uint64_t{0xffe} << 52; }
    // The bits of the decimal; every nan has the same.
    std::uint64_t decimal_bits() const noexcept {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &decimal_, sizeof bits);
        return is_nan_bits(bits) ? ~std::uint64_t{0} : bits;
    }

    union {
        std::int64_t integer_ = 0;
        double decimal_;
        const char* text_;
    };
    std::uint64_t tag_ = tag(number_kind::missing);
};

int total_order(const number& a, const number& b) noexcept;

namespace detail {

struct number_access {
    // The value of a number whose kind is known.
    static constexpr std::int64_t integer(const number& n) noexcept { return n.integer_; }
    static constexpr double decimal(const number& n) noexcept { return n.decimal_; }
    static int order(const number& a, const number& b) noexcept { return a.order_of(b); }
    static std::size_t hash(const number& n) noexcept {
        if (n.is_text()) return std::hash<std::string_view>()(n.text());
        const std::uint64_t bits = n.is_decimal()   ? n.decimal_bits()
                                   : n.is_integer() ? static_cast<std::uint64_t>(n.integer_)
                                                    : 0;
        const std::uint64_t mixed = (bits ^ static_cast<std::uint64_t>(n.kind()) << 56) * 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>(mixed ^ mixed >> 32);
    }
    // Does what as<std::int64_t>() does, without a std::optional, which would make every source that includes wlfmt
    // compile 1 % longer. Leaves `whole` as it was if there is no such integer.
    static bool as_integer(const number& n, std::int64_t& whole) noexcept { return n.get_whole(whole); }

    // A number that is not a text can carry a mark for its owner, which changes neither its value nor what it equals.
    // Copies carry it too. Every mark has the highest bit set, which the size of a text never has.
    static constexpr std::uint32_t first_mark = std::uint32_t{1} << 31;
    static constexpr void mark(number& n, std::uint32_t m) noexcept { n.tag_ |= std::uint64_t{m} << 32; }
    static constexpr bool is_marked(const number& n, std::uint32_t m) noexcept {
        return static_cast<std::uint32_t>(n.tag_ >> 32) == m;
    }
};

// Whether two numbers have the same value, of whichever kind. Records, tables and diffs compare them in this way.
inline bool is_same_value(const number& a, const number& b) noexcept { return number_access::order(a, b) == 0; }

}  // namespace detail

// Ask in all three formats whether something is there. A missing key is not None: a missing text has no data (`data()
// == nullptr`), and None is the text "None". Numbers, shapes, lists and values have members of the same names.
constexpr bool is_missing(std::string_view text) noexcept { return text.data() == nullptr; }
constexpr bool is_none(std::string_view text) noexcept { return text == "None"; }
template <class S, detail::if_null_literal<S> = 0> bool is_missing(S&&) = delete;
template <class S, detail::if_null_literal<S> = 0> bool is_none(S&&) = delete;
template <class T> constexpr auto is_missing(const T& v) noexcept -> decltype(v.is_missing()) { return v.is_missing(); }
template <class T> constexpr auto is_none(const T& v) noexcept -> decltype(v.is_none()) { return v.is_none(); }

inline std::string_view name_of(number_kind k) noexcept {
    constexpr const char* names[] = {"missing", "none", "integer", "decimal", "text"};
    return detail::name_in(names, k);
}

}}  // namespace wlfmt::WLFMT_ABI

template <> struct std::hash<wlfmt::number> {
    std::size_t operator()(const wlfmt::number& n) const noexcept { return wlfmt::detail::number_access::hash(n); }
};

#include "../detail/base/config_end.hpp"
#endif
