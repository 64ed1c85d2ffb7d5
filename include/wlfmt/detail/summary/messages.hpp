// Messages about summaries.
#ifndef WLFMT_DETAIL_SUMMARY_MESSAGES_HPP
#define WLFMT_DETAIL_SUMMARY_MESSAGES_HPP

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> summary_messages[] = {
    {error_kind::bad_summary, "bad_summary", "$b where a summary of this version has something else"},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
