// Messages about values that make no sense in a simulation.
#ifndef WLFMT_DETAIL_LINT_MESSAGES_HPP
#define WLFMT_DETAIL_LINT_MESSAGES_HPP

#include <cstddef>

#include "../base/collectives.hpp"
#include "../base/kernel.hpp"
#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The n-th token, counted from 1, is the one that was probably meant.
template <class String>
void word_collective(const wording<String>& w) {
    const auto n = static_cast<std::size_t>(w.e.found - 1);
    if (n >= collective_row_count * group_suffix_count) return;
    w.say("; ");
    w.say(collective_table<kernel>::rows[n / group_suffix_count].token);
    w.say(collective_table<kernel>::suffixes[n % group_suffix_count]);
    w.say("?");
}
template <class String>
void word_end(const wording<String>& w) {
    w.say(w.e.field == "duration" ? " ms: it ends before it begins"
                                  : ": it ends before the operation that it is in begins");
}
template <class String>
void word_message(const wording<String>& w) {
    w.say("of micro-batch ");
    w.number(w.e.found);
    w.say(w.e.field.substr(0, 4) == "send" ? ", sent to stage " : ", received from stage ");
    w.number(w.e.expected);
    w.say(w.e.field.substr(0, 4) == "send" ? " and never received there" : " and never sent there");
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> lint_messages[] = {
    {error_kind::unknown_collective, "unknown_collective", "$s$b is not a collective that any simulator knows",
     word_collective},
    {error_kind::empty_collective, "empty_collective", "$s$b of 0 bytes"},
    {error_kind::small_collective, "small_collective", "$s$b bytes, fewer than the $e ranks of the group"},
    {error_kind::bytes_without_collective, "bytes_without_collective", "$s$b bytes and no collective that moves them"},
    {error_kind::checkpoint_range, "checkpoint_range", "$slayer $n of $e, counted from 0"},
    {error_kind::nested_too_long, "nested_too_long", "$s$b ms, longer than the operation that it is in"},
    {error_kind::ends_before_beginning, "ends_before_beginning", "$s$b", word_end},
    {error_kind::unmatched_message, "unmatched_message", "$s", word_message},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
