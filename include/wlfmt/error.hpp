// wlfmt/error.hpp: messages about problems, which are values and never thrown. wlfmt/types/error.hpp has their kinds.
#include "version.hpp"

#ifndef WLFMT_ERROR_HPP
#define WLFMT_ERROR_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "characters.hpp"
#include "detail/error/problems.hpp"
#include "detail/messages.hpp"
#include "types/error.hpp"
#include "types/text.hpp"

#include "detail/base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI {

// The enumerator's own spelling, "layer_count_mismatch". Static storage.
template <class String = std::string> std::string_view name_of(error_kind k) noexcept {
    return detail::words_for(k).name;
}
template <class Stream>
auto operator<<(Stream& stream, error_kind k) -> decltype(stream << std::string_view(), stream.flags(), stream) {
    stream << name_of(k);
    return stream;
}
inline std::string_view name_of(severity s) noexcept { return s == severity::error ? "error" : "warning"; }
// Whether a problem passed to options::on_problem is a warning (something is odd) or an error (a part of the text is
// lost, or is not what it was meant to be). A reader that is not lenient stops at errors.
[[nodiscard]] inline severity severity_of(const problem& e) noexcept {
    const bool odd = e.kind == error_kind::not_utf8 || e.kind == error_kind::doubtful_name ||
                     (e.kind == error_kind::negative_value && e.field != std::string_view("layer count")) ||
                     (e.kind == error_kind::layer_count_mismatch && e.found > e.expected);
    return odd ? severity::warning : severity::error;
}

// Makes a text safe to print on one line: each tab becomes a blank, and each other control character, which a terminal
// could obey, and each byte that is not UTF-8 becomes a dot. Allocates the string.
template <class String = std::string> [[nodiscard]] String printable(std::string_view text) {
    String shown;
    detail::append_printable(shown, text);
    return shown;
}
template <class String = std::string, class S, detail::if_null_literal<S> = 0> String printable(S&&) = delete;

// What was found and what was expected, in one line without the kind's name: "the header declares 839 layers, 33
// follow". `text` is the text that was read. Allocates the string.
template <class String = std::string> [[nodiscard]] String message(const problem& e, std::string_view text) {
    static_assert(detail::each_kind_has_words<String>(), "a kind of error has no words, or those of another one");
    String out;
    const detail::message_writer<String> writer{e, text, out};
    writer.append(detail::words_for(e.kind).message);
    writer.append(detail::message_end(e, text));
    return out;
}
template <class String = std::string, class S, detail::if_null_literal<S> = 0>
String message(const problem& e, S&&) = delete;

namespace detail {

// A problem without its text: `not_a_number in duration at byte 27`, or what is wrong with a file or sink.
template <class String = std::string> String words_of(const problem& e) {
    String words(name_of<String>(e.kind));
    if (!e || !has_place(e, words_for(e.kind).place)) {
        if (e) append_all(words, ": ", message<String>(e, std::string_view()));
        return words;
    }
    if (!e.field.empty()) append_all(words, " in ", e.field);
    append_all(words, " at byte ", std::to_string(e.offset));
    return words;
}

}  // namespace detail

// Writes a problem to a stream in one line, without the text that it is in, which explain() and message() show.
template <class Stream>
auto operator<<(Stream& stream, const problem& e) -> decltype(stream << std::string_view(), stream.flags(), stream) {
    stream << detail::words_of(e);
    return stream;
}

// A problem that a program finds itself, at a place, which is a view of the text, such as where(record, "field"). If it
// is not one, as for a record that was built by hand, the problem has no place. `field` must outlive the problem.
[[nodiscard]] inline problem problem_at(error_kind kind, text_view place, text_view text, text_view field,
                                        std::int64_t found = 0, std::int64_t expected = 0) noexcept {
    return detail::error_at(kind, place, text, field, found, expected);
}

// The line and column of a place in a text. Linear in `offset`; an offset beyond the text is taken as its end.
[[nodiscard]] inline location location_of(text_view text WLFMT_LIFETIMEBOUND, std::uint64_t offset) noexcept {
    return detail::location_of(text, offset);
}

// Arguments of explain(), each with a type of its own, so that no two can be swapped. A place is a view of the text; a
// message and a name are copied, so that they may be temporaries.
struct at_place {
    explicit constexpr at_place(text_view place_in_text) noexcept : place(place_in_text) {}
    text_view place;
};
struct with_message {
    explicit with_message(std::string_view text) : message(text) {}
    explicit with_message(std::nullptr_t) = delete;
    std::string message;
};
struct in_file {
    explicit in_file(std::string_view file_name) : name(file_name) {}
    explicit in_file(std::nullptr_t) = delete;
    std::string name;
};

// Prints the problem as a compiler does: `name:line:column: error: kind: message`, the line (a long one is cut around
// the column) and a caret under the guilty byte; ends with a newline. If the text is a piece of a file, `first_line` is
// the number of its first line there. Control characters, even of the name, are shown as dots. Allocates the string.
template <class String = std::string>
[[nodiscard]] String explain(const problem& e, std::string_view text, const in_file& file, severity s = severity::error,
                             std::uint64_t first_line = 1) {
    const bool placed = detail::has_place(e, detail::words_for(e.kind).place);
    return detail::print_problem<String>(file.name, text, placed, e.offset, e.length, s, first_line, [&](String& out) {
        out += name_of<String>(e.kind);
        out += ": ";
        out += message<String>(e, text);
    });
}
template <class String = std::string, class S, detail::if_null_literal<S> = 0>
String explain(const problem&, S&&, const in_file&, severity = severity::error, std::uint64_t = 1) = delete;

// Prints a program's own problem in the same layout: `name:line:column: error: message`, the line and a caret under the
// place, which is a view of the text, such as where(record, "field"). If the place is not in the text, as where() of a
// record that was built by hand, only the name and the message are printed.
//
//     using wlfmt::at_place, wlfmt::with_message, wlfmt::in_file;
//     std::cerr << wlfmt::explain(at_place(where(layer, "forward.comm")),
//                                 with_message("no such collective"), text, in_file("moe.txt"));
template <class String = std::string>
[[nodiscard]] String explain(at_place place, const with_message& message, std::string_view text, const in_file& file,
                             severity s = severity::error, std::uint64_t first_line = 1) {
    const std::string_view view = place.place;
    const bool placed = detail::is_view_of(view, text);
    const std::uint64_t offset = placed ? static_cast<std::uint64_t>(view.data() - text.data()) : 0;
    return detail::print_problem<String>(file.name, text, placed, offset, view.size(), s, first_line,
                                         [&](String& out) { detail::append_printable(out, message.message); });
}

// Finds the word that was probably meant:
//
//     wlfmt::nearest_word near("ALLREDUEC");
//     for (const std::string_view known : names) near.offer(known);
//     if (!near.found().empty()) std::cerr << "did you mean " << near.found() << "?\n";
//
// Finds the first of the nearest words. A word is as far from the wrong one as letters of the wrong one have to be
// changed, added, removed or swapped with the next: at most a third of its length, else it is not near. If the wrong
// one has more than three letters, a word that begins with it is one letter away. Allocates nothing.
class nearest_word {
public:
    explicit nearest_word(text_view wrong) noexcept : wrong_(wrong), least_(wrong.size() / 3 + 1) {}
    // Keep the word as long as found() is used. Takes time proportional to the product of both lengths; a word of more
    // than 40 bytes is near only if it begins with the wrong one.
    void offer(text_view word) noexcept {
        ++offered_;
        const bool continues = wrong_.size() > 3 && word.substr(0, wrong_.size()) == wrong_;
        const std::size_t edits = continues ? 1 : edits_to(word);
        if (edits >= least_) return;
        least_ = edits;
        found_ = word;
        number_ = offered_;
    }

    // The nearest word; empty if no word is near.
    [[nodiscard]] std::string_view found() const noexcept { return found_; }
    // Its number among the offered words, from 1; 0 if no word is near.
    [[nodiscard]] std::int64_t number() const noexcept { return number_; }

private:
    static constexpr std::size_t max_size = 40;

    std::size_t edits_to(std::string_view word) const noexcept {
        if (wrong_.size() > max_size || word.size() > max_size) return static_cast<std::size_t>(-1);
        // Distances from the wrong word's first i letters to the other's first n; three rows are kept at a time.
        std::size_t rows[3][max_size + 1] = {};
        for (std::size_t n = 0; n <= word.size(); ++n) rows[0][n] = n;
        for (std::size_t i = 1; i <= wrong_.size(); ++i) {
            std::size_t* const row = rows[i % 3];
            const std::size_t* const before = rows[(i + 2) % 3];
            row[0] = i;
            for (std::size_t n = 1; n <= word.size(); ++n) {
                const std::size_t changed = before[n - 1] + (wrong_[i - 1] != word[n - 1] ? 1 : 0);
                const std::size_t added = (row[n - 1] < before[n] ? row[n - 1] : before[n]) + 1;
                row[n] = changed < added ? changed : added;
                const bool crossed = i > 1 && n > 1 && wrong_[i - 1] == word[n - 2] && wrong_[i - 2] == word[n - 1];
                const std::size_t swapped = crossed ? rows[(i + 1) % 3][n - 2] + 1 : row[n];
                if (swapped < row[n]) row[n] = swapped;
            }
        }
        return rows[wrong_.size() % 3][word.size()];
    }

    std::string_view wrong_;
    std::size_t least_;
    std::string_view found_ = {};
    std::int64_t offered_ = 0;
    std::int64_t number_ = 0;
};

}}  // namespace wlfmt::WLFMT_ABI

#include "detail/base/config_end.hpp"
#endif
