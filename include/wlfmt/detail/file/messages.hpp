// Messages about edits of texts, and about files.
#ifndef WLFMT_DETAIL_FILE_MESSAGES_HPP
#define WLFMT_DETAIL_FILE_MESSAGES_HPP

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

template <class String>
void word_edit(const wording<String>& w) {
    if (w.e.expected < 0) return w.say(" is not a view of the text");
    w.say(" overlaps replacement ");
    w.number(w.e.expected);
}

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> file_messages[] = {
    {error_kind::bad_edit, "bad_edit", "replacement $n (from 0)", word_edit, placed::unless_negative},
    {error_kind::cannot_open, "cannot_open", "the file cannot be opened", nullptr, placed::never},
    {error_kind::cannot_read, "cannot_read", "reading the file failed", nullptr, placed::never},
    {error_kind::is_directory, "is_directory", "this is a directory, not a file", nullptr, placed::never},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
