// Messages about tables.
#ifndef WLFMT_DETAIL_TABLE_MESSAGES_HPP
#define WLFMT_DETAIL_TABLE_MESSAGES_HPP

#include "../error/wording.hpp"
#include "ruin.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_columns(const wording<String>& w) {
    w.count(w.e.expected, " column", " columns");
    w.say(", the header line names ");
    w.number(w.e.found);
    w.say(w.e.found > w.e.expected ? "; are there two blanks inside a name?"
                                   : "; is a name missing, or is there one blank between two?");
}
template <class String>
void word_row(const wording<String>& w) {
    w.say(w.e.field.empty() ? " fits no column of the rule" : " does not fit the column ");
    w.field({});
    w.say("; the row has ");
    w.count(w.e.found, " cell", " cells");
    w.say(" for ");
    w.count(w.e.expected, " column", " columns");
    if (w.e.found > w.e.expected) w.say("; are there two blanks inside one?");
}

template <class String>
void word_none(const wording<String>& w) {
    if (w.e.field != "profiler table") return;
    const std::string_view left = ruined_table(w.text);
    if (left.empty()) return;
    w.say("; it looks like ");
    w.say(left);
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> table_messages[] = {
    {error_kind::column_mismatch, "column_mismatch", "the rule has ", word_columns},
    {error_kind::too_many_columns, "too_many_columns", "$n columns, of which $e can be read"},
    {error_kind::row_mismatch, "row_mismatch", "$b", word_row},
    {error_kind::unclosed_table, "unclosed_table", "the table ends without a closing rule; was the text cut?"},
    {error_kind::too_wide, "too_wide", "the table's padding would be many times its text", nullptr, placed::never},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
