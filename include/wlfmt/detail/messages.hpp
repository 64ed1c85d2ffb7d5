// The messages of all formats together.
#ifndef WLFMT_DETAIL_MESSAGES_HPP
#define WLFMT_DETAIL_MESSAGES_HPP

#include <cstddef>

#include "arrow/messages.hpp"
#include "chakra/messages.hpp"
#include "error/messages.hpp"
#include "file/messages.hpp"
#include "json/messages.hpp"
#include "lint/messages.hpp"
#include "oplog/messages.hpp"
#include "parallelism/messages.hpp"
#include "summary/messages.hpp"
#include "table/messages.hpp"
#include "workload/messages.hpp"

#include "base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// Some rows of the table of all kinds of errors.
template <class String>
struct message_rows {
    template <std::size_t N>
    constexpr message_rows(const kind_words<String> (&rows)[N]) noexcept : first(rows), count(N) {}
    const kind_words<String>* first;
    std::size_t count;
};
// In the order of the enumerators.
template <class String>
inline constexpr message_rows<String> all_messages[] = {
    general_messages<String>, oplog_messages<String>,       workload_messages<String>, table_messages<String>,
    file_messages<String>,    parallelism_messages<String>, lint_messages<String>,     chakra_messages<String>,
    json_messages<String>,    summary_messages<String>,     arrow_messages<String>,
};

// The words for the n-th kind of error; null if there are none.
template <class String>
constexpr const kind_words<String>* words_for(std::size_t n) noexcept {
    for (const message_rows<String>& rows : all_messages<String>) {
        if (n < rows.count) return rows.first + n;
        n -= rows.count;
    }
    return nullptr;
}
// Does not compare pointers: under GCC's -fsanitize=undefined such a comparison is no constant expression.
template <class String>
constexpr bool each_kind_has_words() noexcept {
    std::size_t kind = 0;
    for (const message_rows<String>& rows : all_messages<String>)
        for (std::size_t n = 0; n != rows.count; ++n)
            if (rows.first[n].kind != static_cast<error_kind>(kind++)) return false;
    return kind == error_kind_count;
}

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
