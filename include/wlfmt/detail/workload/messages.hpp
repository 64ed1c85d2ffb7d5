// Messages about workload files.
#ifndef WLFMT_DETAIL_WORKLOAD_MESSAGES_HPP
#define WLFMT_DETAIL_WORKLOAD_MESSAGES_HPP

#include <string_view>

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_layer_count(const wording<String>& w) {
    w.count(w.e.expected, " layer", " layers");
    w.say(", ");
    w.count(w.e.found, " follows", " follow");
    if (w.e.found < w.e.expected) w.say("; is the file cut off?");
}
template <class String>
void word_header_value(const wording<String>& w) {
    const std::string_view guilty = w.guilty();
    if (w.e.expected == 0 && guilty.size() > 2 && guilty.substr(guilty.size() - 2) == "::") {
        w.bytes();
        return w.say(" has several colons, where a key has one");
    }
    w.subject();
    if (w.e.expected == 0 && guilty == ":") {
        w.bytes();
        return w.say(w.e.field.empty() ? " without a key" : " is apart from its key");
    }
    if (w.e.expected <= 0) {
        if (w.e.expected < 0) return w.say("the entry is missing");
        if (w.e.length == 0) return w.say("the value is missing");
        w.bytes();
        return w.say(" where a word is expected");
    }
    if (w.e.length != 0) {
        w.bytes();
        w.say(" where ");
    }
    w.say("the list counts ");
    w.count(w.e.expected, " layer index", " layer indices");
    w.say(", ");
    w.count(w.e.found, " follows", " follow");
}
template <class String>
void word_field_count(const wording<String>& w) {
    w.count(w.e.found, " field", " fields");
    w.say(" where a layer has ");
    w.number(w.e.expected);
    if (w.e.found >= w.e.expected) return;
    w.say("; is ");
    // If a single field is missing, the types of the others show which.
    if (w.e.found + 1 == w.e.expected)
        w.field("a field");
    else
        w.say("a field");
    w.say(" missing?");
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> workload_messages[] = {
    {error_kind::missing_layer_count, "missing_layer_count", "the second line, the number of layers, is missing"},
    {error_kind::layer_count_mismatch, "layer_count_mismatch", "the header declares ", word_layer_count},
    {error_kind::header_value, "header_value", "", word_header_value},
    {error_kind::header_mismatch, "header_mismatch", "$b differs from the header's $f"},
    {error_kind::field_count, "field_count", "", word_field_count},
    {error_kind::related_format, "related_format",
     "another format than the 12-field layers of ASTRA-sim 1.0 and SimAI: $f"},
    {error_kind::text_after_layers, "text_after_layers", "$b after the last layer"},
    {error_kind::text_after_count, "text_after_count", "$b after the number of layers"},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
