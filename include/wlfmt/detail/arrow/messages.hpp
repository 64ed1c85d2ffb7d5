// Messages about Arrow.
#ifndef WLFMT_DETAIL_ARROW_MESSAGES_HPP
#define WLFMT_DETAIL_ARROW_MESSAGES_HPP

#include "../error/wording.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// In the order of the enumerators.
template <class String>
inline constexpr kind_words<String> arrow_messages[] = {
    {error_kind::not_utf8, "not_utf8", "$b is not UTF-8: U+FFFD is in the place of each stray byte"},
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
