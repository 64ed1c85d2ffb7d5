// wlfmt/types/sink.hpp: where writers put text, in order, in pieces of up to 4 KiB. A sink's exceptions reach the
// caller. Sinks are:
//
//   std::string, or anything with append(const char*, std::size_t)   text is appended
//   std::ostream, or anything with write(const char*, n)             text is written
//   std::FILE*                                                       text is written
//   anything that can be called with a std::string_view              it is called with each piece
//   an output iterator of characters (std::back_inserter(bytes))     each character is assigned
//
// A sink fails if its fail() returns true, as a stream's does, or if append() or write() returns false or not the
// number of bytes (a short write, or -1). They may also return nothing or a reference. A null std::FILE* fails.
//
//     std::string text;  wlfmt::workload::write(text, doc);
//     wlfmt::workload::write(std::cout, doc);
//     wlfmt::workload::write(stdout, doc);
#include "../version.hpp"

#ifndef WLFMT_TYPES_SINK_HPP
#define WLFMT_TYPES_SINK_HPP

#include <cstddef>
#include <cstdio>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

template <class S, class = void> inline constexpr bool has_append = false;
template <class S>
inline constexpr bool has_append<S, std::void_t<decltype(std::declval<S&>().append("", std::size_t{}))>> = true;

template <class S, class = void> inline constexpr bool has_write = false;
template <class S>
inline constexpr bool has_write<S, std::void_t<decltype(std::declval<S&>().write("", std::ptrdiff_t{}))>> = true;

// Whether the sink has fail(), as streams do, to say that it failed.
template <class S, class = void> inline constexpr bool has_fail = false;
template <class S>
inline constexpr bool has_fail<S, std::void_t<decltype(static_cast<bool>(std::declval<S&>().fail()))>> = true;

// Whether appended text can be removed again, as from a string.
template <class S, class = void> inline constexpr bool can_take_back = false;
template <class S>
inline constexpr bool can_take_back<S, std::void_t<decltype(std::declval<S&>().resize(std::declval<S&>().size()))>> =
    has_append<S>;

// Whether the sink can be called with a piece, as a lambda can.
template <class S, class = void> inline constexpr bool has_call = false;
template <class S>
inline constexpr bool has_call<S, std::void_t<decltype(std::declval<S&>()(std::string_view()))>> = true;

// Whether the sink is an iterator that only inserts or prints what it is assigned. An iterator into a container, or a
// pointer, would be incremented beyond the end.
template <class S, class = void> inline constexpr bool is_inserter = false;
template <class S>
inline constexpr bool
    is_inserter<S, std::void_t<typename S::iterator_category, decltype(*std::declval<S&>()++ = 'c')>> =
        std::is_same_v<typename S::iterator_category, std::output_iterator_tag>;
// Whether the sink has failed(), as std::ostreambuf_iterator does, to say that it failed.
template <class S, class = void> inline constexpr bool has_failed = false;
template <class S>
inline constexpr bool has_failed<S, std::void_t<decltype(static_cast<bool>(std::declval<S&>().failed()))>> = true;

template <class S>
inline constexpr bool is_sink = has_append<S> || has_write<S> || std::is_convertible_v<S&, std::FILE*> || has_call<S> ||
                                is_inserter<std::remove_const_t<S>>;

// Calls append(), write() or the sink itself. Returns whether that took all of the text, as its return value says.
template <class Call> bool takes_all(std::size_t size, const Call& call) {
    using returned = decltype(call());
    if constexpr (std::is_void_v<returned> || std::is_reference_v<returned>) {
        static_cast<void>(call());
        return true;
    } else if constexpr (std::is_same_v<returned, bool>) {
        return call();
    } else {
        static_assert(std::is_integral_v<returned>,
                      "wlfmt: append() or write() of this sink returns what wlfmt cannot read. Let it return nothing, "
                      "a reference, true for success, or the number of bytes that it took.");
        if constexpr (std::is_integral_v<returned>) return static_cast<std::size_t>(call()) == size;
        else return false;
    }
}

// Whether a sink can be written to at all.
template <class S> bool is_open(S& sink) noexcept {
    if constexpr (!has_append<S> && !has_write<S> && std::is_convertible_v<S&, std::FILE*>)
        return static_cast<std::FILE*>(sink) != nullptr;
    else return static_cast<void>(sink), true;
}

// Hands text to a sink. Returns false if the sink says that it failed.
template <class S> bool append_to(S& sink, const char* text, std::size_t size) {
    static_assert(is_sink<S>,
                  "wlfmt: this is not a sink. Pass a std::string, a std::ostream, a std::FILE*, a function object that "
                  "takes a std::string_view, an inserter, or an object with append(const char*, std::size_t).");
    bool good = true;
    if constexpr (has_append<S>) {
        good = takes_all(size, [&]() -> decltype(auto) { return sink.append(text, size); });
    } else if constexpr (has_write<S>) {
        good = takes_all(size, [&]() -> decltype(auto) { return sink.write(text, static_cast<std::ptrdiff_t>(size)); });
    } else if constexpr (std::is_convertible_v<S&, std::FILE*>) {
        std::FILE* const file = sink;
        return file != nullptr && std::fwrite(text, 1, size, file) == size;
    } else if constexpr (has_call<S>) {
        good = takes_all(size, [&]() -> decltype(auto) { return sink(std::string_view(text, size)); });
    } else if constexpr (is_sink<S>) {
        for (const char c : std::string_view(text, size)) *sink++ = c;
        if constexpr (has_failed<S>) return !sink.failed();
    }
    if constexpr (has_fail<S>) return !sink.fail() && good;
    return good;
}

// A sink that drops what is written to it.
struct no_sink {
    void append(const char*, std::size_t) noexcept {}
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#include "../detail/base/config_end.hpp"
#endif
