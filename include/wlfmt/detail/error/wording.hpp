// How a message is put into words. Each format has a table of its own messages (detail/*/messages.hpp).
#ifndef WLFMT_DETAIL_ERROR_WORDING_HPP
#define WLFMT_DETAIL_ERROR_WORDING_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../../types/error.hpp"
#include "../base/characters.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Builds a message: holds the error, the text in which it was found, and the message so far.
template <class String>
struct wording {
    const error& e;
    std::string_view text;
    String& to;

    void say(std::string_view words) const { to += words; }
    void number(std::int64_t n) const { to += std::to_string(n); }
    void count(std::int64_t n, std::string_view one, std::string_view many) const {
        number(n);
        say(n == 1 ? one : many);
    }
    // Appends the name of the field, or `otherwise` if the error names no field.
    void field(std::string_view otherwise) const { append_printable(to, e.field.empty() ? otherwise : e.field); }
    // Appends the field that a sentence is about, "duration: "; nothing if the error names no field.
    void subject() const {
        if (e.field.empty()) return;
        field({});
        say(": ");
    }
    // The guilty bytes of the first line.
    std::string_view guilty() const {
        const std::size_t at = e.offset < text.size() ? static_cast<std::size_t>(e.offset) : text.size();
        const std::string_view all =
            text.substr(at, e.length < text.size() ? static_cast<std::size_t>(e.length) : text.size());
        return all.substr(0, all.find('\n'));
    }
    // Appends them in backquotes, cut if they are long.
    void bytes() const {
        constexpr std::size_t most = 48;
        if (e.length == 0) return say("nothing");
        std::string_view shown = guilty();
        const bool cut = shown.size() > most;
        if (cut) shown = shown.substr(0, character_start(shown, most));
        say("`");
        append_printable(to, shown);
        say(cut ? "...`" : "`");
    }
};

// Which errors of a kind have a place in the text. Files have none, and neither do records that were built by hand.
enum class placed : std::uint8_t { always, never, with_bytes, unless_negative };

// An error_kind's name and its message. In the message, `$` and a letter stand for: $s the subject, $b the guilty
// bytes, $f the field, $n the number that was found, $e the number that was expected. `rest`, if it is not null,
// appends the end of the message. `place`: with_bytes, if error::length is not 0; unless_negative, if error::expected
// is not below 0.
template <class String>
struct kind_words {
    error_kind kind;
    std::string_view name;
    std::string_view message;
    void (*rest)(const wording<String>&) = nullptr;
    placed place = placed::always;
};

template <class String>
void append_message(const wording<String>& w, std::string_view message) {
    for (std::size_t at = 0; at < message.size(); ++at) {
        if (message[at] != '$') {
            w.to += message[at];
            continue;
        }
        switch (message[++at]) {
        case 's': w.subject(); break;
        case 'b': w.bytes(); break;
        case 'f': w.field("record"); break;
        case 'n': w.number(w.e.found); break;
        default: w.number(w.e.expected);
        }
    }
}

inline bool has_place(const error& e, placed place) noexcept {
    switch (place) {
    case placed::never: return false;
    case placed::with_bytes: return e.length != 0;
    case placed::unless_negative: return e.expected >= 0;
    default: return true;
    }
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
