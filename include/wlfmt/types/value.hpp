// wlfmt/types/value.hpp: what find() returns for the key of a record or header.
//
//     op->find("stage_id") == 1       // as a number, of any integer type; 1.0 equals it, too
//     op->find("stage_id") == "1"     // as the text that is written
//     op->find("cmd_uid") == nullptr  // None; is_missing() tells whether the key is there at all
//     op->find("cmd_uid").text()      // the text
#include "../version.hpp"

#ifndef WLFMT_TYPES_VALUE_HPP
#define WLFMT_TYPES_VALUE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "../detail/base/walk.hpp"
#include "number.hpp"

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

struct value_access;

// A value can be compared with a text, a number or nullptr, but not with a truth value or a single character.
template <class T>
inline constexpr bool is_text_type = std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<T>;
template <class T>
inline constexpr bool is_number_type = std::is_same_v<T, number> || is_integer<T> || std::is_floating_point_v<T>;
template <class T> using if_text = std::enable_if_t<is_text_type<T>, int>;
template <class T>
using if_comparable = std::enable_if_t<is_text_type<T> || is_number_type<T> || std::is_null_pointer_v<T>, int>;

// A null pointer is not a text.
template <class T> constexpr bool is_null(const T& text) noexcept {
    if constexpr (std::is_pointer_v<T>) return text == nullptr;
    else return false;
}

}  // namespace detail

// The text of a value: a view of the text that was read or of what the program gave, or, for a number or a shape that a
// program assigned, a text of its own. A std::string_view of it does not compile unless it has a name, as it would
// otherwise refer to a text that is gone after the statement:
//
//     const auto stage = op->find("stage_id").text();
//     const std::string_view view = stage;
//     const std::string copy(op->find("stage_id").text());
class value_text {
public:
    value_text() noexcept = default;  // missing: without data

    std::string_view view() const& noexcept WLFMT_LIFETIMEBOUND {
        return given_.data() != nullptr ? given_ : own_.empty() ? std::string_view() : own_;
    }
    std::string_view view() const&& = delete;
    operator std::string_view() const& noexcept WLFMT_LIFETIMEBOUND { return view(); }
    operator std::string_view() const&& = delete;
    bool empty() const noexcept { return view().empty(); }
    std::size_t size() const noexcept { return view().size(); }
    bool is_missing() const noexcept { return view().data() == nullptr; }

    friend bool operator==(const value_text& a, const value_text& b) noexcept { return a.view() == b.view(); }
    friend bool operator!=(const value_text& a, const value_text& b) noexcept { return a.view() != b.view(); }
    template <class T, detail::if_text<T> = 0> friend bool operator==(const value_text& a, const T& b) noexcept {
        return !detail::is_null(b) && a.view() == static_cast<std::string_view>(b);
    }
    template <class T, detail::if_text<T> = 0> friend bool operator!=(const value_text& a, const T& b) noexcept {
        return !(a == b);
    }
    template <class T, detail::if_text<T> = 0> friend bool operator==(const T& a, const value_text& b) noexcept {
        return b == a;
    }
    template <class T, detail::if_text<T> = 0> friend bool operator!=(const T& a, const value_text& b) noexcept {
        return !(b == a);
    }

private:
    friend class value;

    std::string_view given_ = {};
    detail::lasting_share digits_;  // where given_ points, if a record printed it
    std::string own_;
};

// The value of one key of a record, whatever its type, and whether or not the record has a member for it. A key that is
// not there is missing, and asking a missing value for anything is safe. Refers to the caller's bytes only: it may
// outlive the record.
class value {
public:
    value() noexcept = default;  // missing
    // A number as it is written in a text.
    value(text_view text WLFMT_LIFETIMEBOUND, const wlfmt::number& n) noexcept
        : text_(text), number_(n), missing_(false) {}
    explicit value(const wlfmt::number& n) noexcept : value(n.text(), n) {
        if (n.is_none()) text_ = "None";
        missing_ = n.is_missing();
    }
    // A list of integers: an array that must outlive the value.
    value(const std::int64_t* list, std::size_t count) noexcept
        : number_(std::string_view()), list_(list), count_(count), missing_(false) {}

    bool is_missing() const noexcept { return missing_; }
    bool is_none() const noexcept { return number_.is_none(); }
    explicit operator bool() const noexcept { return !missing_; }

    // The text that was read, or that a program assigned. A number or a shape that a program assigned has the text that
    // write() gives it, which allocates if it is long; a list of operations that a program assigned has no text.
    value_text text() const;
    // The value as a number: None, an integer or a decimal if it looks like one, else number_kind::text.
    wlfmt::number number() const noexcept { return number_; }
    template <class T> double value_or(T otherwise) const noexcept { return number_.value_or(otherwise); }
    template <class T> std::optional<T> as() const noexcept { return number_.template as<T>(); }

    // A text is compared with text(), an int or a double with the value, a wlfmt::number with number(), and nullptr is
    // None. The type decides, so that a literal 0 is the number 0 and never a null pointer. A missing value equals none
    // of these. Allocates nothing.
    template <class T, detail::if_comparable<T> = 0> friend bool operator==(const value& v, const T& other) noexcept {
        return v.equals(other);
    }
    template <class T, detail::if_comparable<T> = 0> friend bool operator!=(const value& v, const T& other) noexcept {
        return !v.equals(other);
    }
    template <class T, detail::if_comparable<T> = 0> friend bool operator==(const T& other, const value& v) noexcept {
        return v.equals(other);
    }
    template <class T, detail::if_comparable<T> = 0> friend bool operator!=(const T& other, const value& v) noexcept {
        return !v.equals(other);
    }

private:
    friend struct detail::value_access;

    template <class T> bool equals(const T& other) const noexcept {
        if constexpr (std::is_null_pointer_v<T>) {
            return is_none();
        } else if constexpr (detail::is_number_type<T>) {
            return !missing_ && number_ == other;
        } else {
            return !missing_ && !detail::is_null(other) && is_written(static_cast<std::string_view>(other));
        }
    }
    bool is_written(std::string_view text) const noexcept;

    std::string_view text_ = {};
    wlfmt::number number_ = {};
    const std::int64_t* list_ = nullptr;
    std::size_t count_ = 0;
    bool missing_ = true;
    detail::lasting_share own_;  // where list_ points, if a record owned it
};

}}  // namespace wlfmt::WLFMT_ABI

#include "../detail/base/config_end.hpp"
#endif
