// wlfmt/number.hpp: a text read as a number, and a number written as a text, whatever the locale.
//
//     wlfmt::to_number("8.30").value_or(0.0)    // 8.3
//     std::string text;
//     wlfmt::append_value(text, op->timestamp);     // "3375746596.92": all its digits
//     std::cout << op->duration;              // the same to a stream
#include "version.hpp"

#ifndef WLFMT_NUMBER_HPP
#define WLFMT_NUMBER_HPP

#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "detail/io/out.hpp"
#include "detail/number/read.hpp"
#include "detail/number/write.hpp"
#include "types/number.hpp"
#include "types/sink.hpp"
#include "types/value.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

namespace detail {

struct value_access {
    // The text that was read or that a program gave; missing for a number or a shape that a program assigned.
    static std::string_view given(const value& v) noexcept { return v.text_; }
    static void keep(value& v, const lasting_share& list) noexcept { v.own_ = list; }
    // Calls add(text) for each part of what is written for a value.
    template <class Add> static void write(const value& v, Add&& add) {
        if (v.missing_ || v.text_.data() != nullptr) return add(v.text_);
        if (v.list_ != nullptr) return write_integers(v.list_, v.count_, add);
        char digits[max_repr_chars];
        add(view(digits, write_number(digits, v.number_)));
    }
    static bool is_same(const value& a, const value& b) noexcept {
        if (a.missing_ || b.missing_) return a.missing_ == b.missing_;
        if (a.number_.has_value() || b.number_.has_value())
            return a.number_.has_value() && b.number_.has_value() && is_same_value(a.number_, b.number_);
        if (a.list_ == nullptr) return b.is_written(a.text_);
        if (b.list_ == nullptr) return a.is_written(b.text_);
        return a.count_ == b.count_ && std::memcmp(a.list_, b.list_, a.count_ * sizeof *a.list_) == 0;
    }
};

}  // namespace detail

// Two values are equal if their numbers are (1 is 1.0), or, without numbers, their texts, or if both are missing.
[[nodiscard]] inline bool operator==(const value& a, const value& b) noexcept {
    return detail::value_access::is_same(a, b);
}
[[nodiscard]] inline bool operator!=(const value& a, const value& b) noexcept { return !(a == b); }

// Reads a text as a number: None, an integer of 64 bits, or a decimal as Python prints it (`nan`, `inf` and `-inf`
// included), correctly rounded; a text without data is a missing number. Anything else, such as a number with text
// after it or one beyond 64 bits or a double, stays a text, which must outlive the number. Linear; allocates nothing.
[[nodiscard]] inline number to_number(text_view text WLFMT_LIFETIMEBOUND) noexcept {
    if (is_missing(text)) return {};
    if (is_none(text)) return nullptr;
    number n;
    const char* p = text.data();
    const char* const end = p + text.size();
    const bool whole = !text.empty() && detail::read_number(p, end, n) == detail::number_status::ok && p == end;
    return whole ? n : number(text);
}

// Appends a number as Python prints it, with all the digits needed to read it back: `8.3`, `0`, `0.0`, `None`; a text
// unchanged; nothing for a missing number.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void append_value(Sink&& sink, const number& n) {
    detail::out<std::remove_reference_t<Sink>> out(sink);
    out.value(n);
    out.finish();
}
// Appends the text of a value; nothing for a missing value.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void append_value(Sink&& sink, const value& v) {
    detail::out<std::remove_reference_t<Sink>> out(sink);
    detail::value_access::write(v, [&](std::string_view part) { out.text(part); });
    out.finish();
}
// Appends Python's f"{v:.{decimals}f}", 0 to 300 decimals: correctly rounded, ties to even; `nan`, `inf` and `-inf`.
template <class Sink, detail::unless_temporary_text<Sink> = 0> void append_fixed(Sink&& sink, double v, int decimals) {
    char digits[detail::max_fixed_chars + 300];
    const bool few = decimals <= 6 || v - v != 0;
    const int places = decimals < 6 ? decimals : 6;
    const char* const end = few ? detail::write_fixed(digits, v, places < 0 ? 0 : places)
                                : detail::write_digits(digits, digits + sizeof digits, v, false, decimals);
    detail::append_to(sink, digits, static_cast<std::size_t>(end - digits));
}
// Writes to a stream, which applies its width and fill.
template <class Stream>
auto operator<<(Stream& stream, const number& n) -> decltype(stream << std::string_view(), stream.flags(), stream) {
    if (n.is_text()) {
        stream << n.text();
    } else {
        char text[detail::max_repr_chars];
        const char* const end = detail::write_number(text, n);
        stream << detail::view(text, end);
    }
    return stream;
}
template <class Stream>
auto operator<<(Stream& stream, const value_text& text)
    -> decltype(stream << std::string_view(), stream.flags(), stream) {
    stream << text.view();
    return stream;
}
template <class Stream>
auto operator<<(Stream& stream, const value& v) -> decltype(stream << std::string_view(), stream.flags(), stream) {
    return stream << v.text();
}

namespace detail {

// What find() returns for a text, which may be missing.
inline value value_of(std::string_view text) noexcept {
    return is_missing(text) ? value() : value(text, to_number(text));
}
// What find() returns for a record's number that was read at `place`. If another number has been assigned since, the
// text there does not count.
inline value value_of(const number& n, std::string_view place) noexcept {
    return n.has_value() && to_number(place) == n ? value(place, n) : value(n);
}

}  // namespace detail

inline value_text value::text() const {
    value_text t;
    if (missing_ || text_.data() != nullptr) {
        t.given_ = text_;
        t.digits_ = own_;
    } else {
        detail::value_access::write(*this, [&](std::string_view part) { t.own_ += part; });
        if (t.own_.empty()) t.given_ = "";
    }
    return t;
}
inline bool value::is_written(std::string_view text) const noexcept {
    bool same = true;
    detail::value_access::write(*this, [&](std::string_view part) {
        same = same && text.substr(0, part.size()) == part;
        text.remove_prefix(same ? part.size() : 0);
    });
    return same && text.empty();
}

}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
