// A rank of a run while its time is divided, and numbers that are limits.
#ifndef WLFMT_DETAIL_ANSWERS_RANK_HPP
#define WLFMT_DETAIL_ANSWERS_RANK_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../types/answers.hpp"
#include "../summary/ordered_map.hpp"
#include "../summary/state.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

inline void limit_to(oplog::limit& to, oplog::limit more) noexcept { to = oplog::of_both(to, more); }
// Sums by the number of a name. Steps that follow each other often have the same one.
template <class Sums>
class sums_by_name {
public:
    sums_by_name() = default;
    sums_by_name(sums_by_name&&) noexcept = default;
    sums_by_name& operator=(sums_by_name&&) noexcept = default;

    Sums& operator[](std::uint32_t name) {
        if (last_ == nullptr || last_name_ != name) last_ = &all_[name];
        last_name_ = name;
        return *last_;
    }
    auto begin() const noexcept { return all_.begin(); }
    auto end() const noexcept { return all_.end(); }

private:
    ordered_map<std::uint32_t, Sums> all_;
    Sums* last_ = nullptr;
    std::uint32_t last_name_ = 0;
};
// A rank and what is found out about it. Times are in millionths of a millisecond, those in the steps of its program,
// too.
struct analysed_rank {
    std::int64_t rank = 0;
    const rank_sums* sums = nullptr;
    const kept_program* kept = nullptr;
    std::vector<oplog::program_step> program;
    std::int64_t first = 0;
    std::int64_t last = 0;
    oplog::time_account account;  // its limits
    sums_by_name<oplog::group_answer> kinds;
    sums_by_name<oplog::operation_answer> operations;
    // Whom it waited for, in the groups of which kind, and how long.
    struct wait {
        std::size_t late = 0;
        std::uint32_t kind = 0;
        double time = 0;
    };
    std::vector<wait> waits;
    double caused = 0;
    std::uint64_t late = 0;
    std::uint64_t peered = 0;
    // Of what it lacks.
    std::uint64_t lost = 0;
    std::uint64_t lost_calls = 0;
    double lost_bytes = 0;
    bool lost_iteration_end = false;
    oplog::limit pipeline_span_limit = oplog::limit::exact;
    oplog::limit first_forward_limit = oplog::limit::exact;
};

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
