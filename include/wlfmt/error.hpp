// wlfmt/error.hpp: the one way wlfmt reports a problem. Errors are values; nothing here throws. What an error holds,
// and the kinds of errors: wlfmt/types/error.hpp.
#include "version.hpp"

#ifndef WLFMT_ERROR_HPP
#define WLFMT_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "detail/base/characters.hpp"
#include "detail/base/kernel.hpp"
#include "detail/base/temporary.hpp"
#include "detail/error/place.hpp"
#include "detail/error/print.hpp"
#include "detail/messages.hpp"
#include "types/error.hpp"

#include "detail/base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {

// The enumerator's own spelling, "layer_count_mismatch". Static storage.
template <class String = std::string>
std::string_view name_of(error_kind k) noexcept {
    const auto* const words = detail::words_for<String>(static_cast<std::size_t>(k));
    return words != nullptr ? words->name : std::string_view("unknown");
}
// "error", "warning". Static storage.
inline std::string_view name_of(severity s) noexcept { return s == severity::error ? "error" : "warning"; }

// What was found and what was expected, one line without the kind's name:
// "the header declares 839 layers, 33 follow". `text` is the text that was read. Allocates the string.
template <class String = std::string>
[[nodiscard]] String message(const error& e, std::string_view text) {
    static_assert(detail::each_kind_has_words<String>(), "a kind of error has no words, or those of another one");
    String out;
    const auto* const words = detail::words_for<String>(static_cast<std::size_t>(e.kind));
    if (words == nullptr) return out;
    const detail::wording<String> w{e, text, out};
    detail::append_message(w, words->message);
    if (words->rest != nullptr) words->rest(w);
    return out;
}

// The line and the column of a place in a text. Linear in `offset`; an offset beyond the text is taken as its end.
template <class Kernel = detail::kernel>
[[nodiscard]] location locate(std::string_view text, std::uint64_t offset) noexcept {
    return detail::location_of<Kernel>(text, offset);
}
template <class S, detail::if_temporary_text<S> = 0>
location locate(S&&, std::uint64_t) = delete;

// The problem as a compiler prints it: `name:line:column: error: kind: message`, the line (cut around the column when
// it is long) and a caret under the guilty byte. `first_line` is the number of the text's first line in its file, for a
// text that is a piece of one. Ends with a newline. Control characters are shown as dots, also those of the name.
// Allocates the string.
template <class String = std::string>
[[nodiscard]] String explain(const error& e, std::string_view text, std::string_view file_name,
                             severity s = severity::error, std::uint64_t first_line = 1) {
    const auto* const words = detail::words_for<String>(static_cast<std::size_t>(e.kind));
    const bool placed = words == nullptr || detail::has_place(e, words->place);
    const location where = placed ? locate(text, e.offset) : location();
    return detail::print_problem<String>(file_name, placed ? &where : nullptr, e.length, s, first_line,
                                         [&](String& to) {
                                             to += name_of<String>(e.kind);
                                             to += ": ";
                                             to += message<String>(e, text);
                                         });
}

// What explain() takes to print a problem of the program's own. Each view has a type that says what it is, so that no
// two of them can be exchanged.
struct at {
    explicit constexpr at(std::string_view place_in_text) noexcept : place(place_in_text) {}
    std::string_view place;
};
struct says {
    explicit constexpr says(std::string_view what) noexcept : message(what) {}
    std::string_view message;
};
struct in_file {
    explicit constexpr in_file(std::string_view file_name) noexcept : name(file_name) {}
    std::string_view name;
};

// A problem of the program's own in the same layout: `name:line:column: error: message`, the line and a caret under the
// place, which is a view of the text: where(record, "field") gives one. If the place is not in the text (where() of a
// record that was built by hand), the result is the message alone.
//
//     using wlfmt::at, wlfmt::says, wlfmt::in_file;
//     std::cerr << wlfmt::explain(at(where(layer, "forward.comm")), says("no such collective"), text,
//     in_file("moe.txt"));
template <class String = std::string>
[[nodiscard]] String explain(at place, says what, std::string_view text, in_file file, severity s = severity::error,
                             std::uint64_t first_line = 1) {
    const std::string_view view = place.place;
    const bool placed = detail::is_view_of(view, text);
    const location where = placed ? locate(text, static_cast<std::uint64_t>(view.data() - text.data())) : location();
    return detail::print_problem<String>(file.name, placed ? &where : nullptr, view.size(), s, first_line,
                                         [&](String& to) { detail::append_printable(to, what.message); });
}

}  // namespace WLFMT_ABI
}  // namespace wlfmt

#include "detail/base/config_end.hpp"
#endif
