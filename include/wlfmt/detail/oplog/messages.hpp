// Messages about op logs.
#ifndef WLFMT_DETAIL_OPLOG_MESSAGES_HPP
#define WLFMT_DETAIL_OPLOG_MESSAGES_HPP

#include <cstddef>

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_list(const wording<String>& w) {
    w.say(w.e.expected == '['   ? "a list, `[...]`, is expected"
          : w.e.expected == ',' ? "`, ` or the list's `]` is expected"
                                : "a quoted string is expected");
}
template <class String>
void word_escape(const wording<String>& w) {
    const std::size_t letter = w.e.offset < w.text.size() ? static_cast<std::size_t>(w.e.offset) + 1 : w.text.size();
    w.say(w.text.substr(letter, 1) == "N" ? " gives a character's name, which is not looked up"
                                          : " and what follows it make no character; a backslash is written `\\\\`");
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> oplog_messages[] = {
    {error_kind::unterminated_record, "unterminated_record",
     "the line does not end with the record's `)`; is it cut off, or is there text after it?"},
    {error_kind::text_after_record, "text_after_record", "$b after the record's `)`"},
    {error_kind::key_expected, "key_expected", "$b where `key=` is expected"},
    {error_kind::duplicate_key, "duplicate_key", "$b occurs twice in this record"},
    {error_kind::bad_list, "bad_list", "$s$b where ", word_list},
    {error_kind::unterminated_list, "unterminated_list", "$sthe line ends before the list's `]`; is it cut off?"},
    {error_kind::unterminated_string, "unterminated_string",
     "$sthe line ends before the closing quote; is it cut off?"},
    {error_kind::bad_escape, "bad_escape", "$s$b", word_escape},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
