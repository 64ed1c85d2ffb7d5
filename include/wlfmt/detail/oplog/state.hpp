// What a reader of op logs keeps between two records.
#ifndef WLFMT_DETAIL_OPLOG_STATE_HPP
#define WLFMT_DETAIL_OPLOG_STATE_HPP

#include <cstdint>

#include "../../types/oplog.hpp"
#include "../error/problems.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

struct oplog_state {
    const char* at_;  // the next line
    const char* end_;
    oplog::operation record_;
    problems problems_;
    std::uint64_t foreign_lines_ = 0;
    bool found_record_ = false;  // a record was seen, good or bad
    bool needs_reset_ = false;   // record_ holds what the plain path does not overwrite

    template <class Kernel>
    oplog_state(Kernel, std::string_view text, std::size_t mark_size, const options& how) noexcept
        : at_(text.data() + mark_size), end_(text.data() + text.size()), problems_(text, how) {}
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
