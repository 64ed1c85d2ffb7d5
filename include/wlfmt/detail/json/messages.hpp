// Messages about JSON.
#ifndef WLFMT_DETAIL_JSON_MESSAGES_HPP
#define WLFMT_DETAIL_JSON_MESSAGES_HPP

#include <cstddef>
#include <string_view>

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_json(const wording<String>& w) {
    constexpr const char* faults[] = {" is not JSON here",
                                      " is not UTF-8",
                                      " within a string: is its closing quote missing? It is written `\\n`, `\\u0000`",
                                      " opens a string that is not closed",
                                      "the record is not closed; is it cut off?",
                                      " is not an escape",
                                      " where an object, `{...}`, is expected"};
    const auto fault = static_cast<std::size_t>(w.e.expected);
    if (fault >= sizeof faults / sizeof *faults) return;
    if (fault == 2)
        w.say("a control character");
    else if (w.e.length != 0)
        w.bytes();
    w.say(faults[fault]);
}
template <class String>
void word_type(const wording<String>& w) {
    constexpr const char* types[] = {"null", "a boolean", "a number", "a string", "an array", "an object"};
    constexpr const char* wanted[] = {"a scalar",   "a string",
                                      "a number",   "an object",
                                      "an array",   "an array of strings",
                                      "an integer", "an object or a string"};
    const auto type = static_cast<std::size_t>(w.e.found);
    const auto expected = static_cast<std::size_t>(w.e.expected);
    if (type >= sizeof types / sizeof *types || expected >= sizeof wanted / sizeof *wanted) return;
    w.say(types[type]);
    w.say(" where ");
    w.say(wanted[expected]);
    w.say(" is expected");
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> json_messages[] = {
    {error_kind::not_json, "not_json", "$s", word_json},
    {error_kind::wrong_type, "wrong_type", "$s", word_type},
    {error_kind::missing_member, "missing_member", "the member $f is missing"},
    {error_kind::unknown_member, "unknown_member", "there is no place for $f"},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
