// Messages about any text.
#ifndef WLFMT_DETAIL_ERROR_MESSAGES_HPP
#define WLFMT_DETAIL_ERROR_MESSAGES_HPP

#include "wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_number(const wording<String>& w) {
    // A letter says which form of a number is expected.
    w.say(w.e.expected == '%'   ? "a percent like `0.17%`"
          : w.e.expected == 's' ? "a time like `13.980ms`"
          : w.e.expected == 'B' ? "a size like `3.81 KB`"
                                : "a number");
    w.say(" is expected");
}
template <class String>
void word_unwritable(const wording<String>& w) {
    if (w.e.expected == 1) {
        w.say("record ");
        w.number(w.e.found);
        w.say(" (from 0): ");
    }
    w.subject();
    w.say("written as it is, this would not read back");
}

// Says what is left of a format's records in a text that has no records (table/messages.hpp).
template <class String>
void word_none(const wording<String>& w);

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> general_messages[] = {
    {error_kind::none, "none", "no problem"},
    {error_kind::not_a_number, "not_a_number", "$s$b where ", word_number},
    {error_kind::not_an_integer, "not_an_integer", "$s$b where an integer is expected"},
    {error_kind::number_overflow, "number_overflow", "$s$b is beyond what 64 bits hold"},
    {error_kind::negative_value, "negative_value", "$s$b is below 0"},
    {error_kind::unknown_format, "unknown_format", "neither a rank op log nor a workload file nor a profiler table"},
    {error_kind::no_records, "no_records", "the text holds no $f", word_none},
    {error_kind::foreign_text, "foreign_text", "$b belongs to no $f"},
    {error_kind::unwritable, "unwritable", "", word_unwritable, placed::never},
    {error_kind::cannot_write, "cannot_write", "writing failed", nullptr, placed::never},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
