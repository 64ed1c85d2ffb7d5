// wlfmt/to_number.hpp: a text read as a number, and a number written as a text, whatever the locale.
//
//     wlfmt::to_number("8.30").value_or(0)    // 8.3
//     std::string text;
//     wlfmt::append(text, op->timestamp);     // "3375746596.92": all its digits
//     std::cout << op->duration;              // the same to a stream
#include "version.hpp"

#ifndef WLFMT_TO_NUMBER_HPP
#define WLFMT_TO_NUMBER_HPP

#include <string_view>
#include <utility>

#include "detail/base/out.hpp"
#include "detail/number/decimal.hpp"
#include "number.hpp"
#include "sink.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
inline namespace WLFMT_IMPL {

// Reads a text as a number: None, an integer of 64 bits, or a decimal as Python prints it (`nan`, `inf` and `-inf`
// too), correctly rounded. The number must fill the text. Anything else is kept as a text, also an integer beyond 64
// bits and a decimal beyond a double. A missing text (one without data) is a missing number. Linear in the text;
// allocates nothing. The text lives as long as the number does.
template <class Kernel = detail::kernel>
[[nodiscard]] inline number to_number(std::string_view text) noexcept {
    if (is_missing(text)) return {};
    if (is_none(text)) return nullptr;
    number n;
    const char* p = text.data();
    const char* const end = p + text.size();
    const bool whole = !text.empty() && detail::read_number(p, end, n) == detail::number_status::ok && p == end;
    return whole ? n : number(text);
}
template <class S, detail::if_temporary_text<S> = 0>
number to_number(S&&) = delete;

// Appends a number as Python prints it, with all the digits that it takes to read it back: `8.3`, `0`, `0.0`, `None`; a
// text as it stands, nothing for a missing number.
template <class Sink>
void append(Sink&& sink, const number& n) {
    detail::out<std::remove_reference_t<Sink>> to(sink);
    to.value(n);
    to.finish();
}
template <class Stream>
auto operator<<(Stream& stream, const number& n) -> decltype(stream.write("", 0), stream.flags(), stream) {
    append(stream, n);
    return stream;
}

}  // namespace WLFMT_IMPL

namespace detail {
inline namespace WLFMT_IMPL {

// What find() returns for a text, a missing one too.
template <class Kernel = kernel>
inline value value_of(std::string_view text) noexcept {
    return is_missing(text) ? value() : value(text, to_number(text));
}
template <class Kernel = kernel>
inline value value_of(const number& n) noexcept {
    return n.is_missing() ? value() : value(n.text(), n);
}

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
