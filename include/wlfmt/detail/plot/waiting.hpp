// Which part of the communication in a picture is waiting.
#ifndef WLFMT_DETAIL_PLOT_WAITING_HPP
#define WLFMT_DETAIL_PLOT_WAITING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../oplog.hpp"
#include "../../types/answers.hpp"
#include "../base/ordered_map.hpp"
#include "../oplog/bytes.hpp"
#include "../summary/groups.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {

// The least duration of the k-th call of each group, and of the messages of each size: what a call lasts beyond that is
// waiting. Times are in nanoseconds. Memory is bounded: nothing is known of the calls beyond the bound.
class plot_waiting {
public:
    static constexpr std::size_t none = (std::numeric_limits<std::size_t>::max)();
    // What a call is compared with.
    struct call {
        std::size_t sequence = none;  // the calls of a group, or the messages of one size
        std::size_t position = 0;     // of the call in its sequence
        bool is_message = false;
        bool is_known() const noexcept { return sequence != none; }
        // Whether `next` is the call after the `count` calls that begin with this one.
        bool is_followed_by(std::uint64_t count, const call& next) const noexcept {
            return sequence == next.sequence && is_message == next.is_message &&
                   (is_message || position + count == next.position);
        }
    };
    plot_waiting() = default;
    explicit plot_waiting(const std::optional<oplog::run_sizes>& sizes) : sizes_(sizes) {
        if (sizes_ && !sizes_->are_possible()) sizes_.reset();
    }

    call add_message(std::optional<std::int64_t> bytes, std::int64_t duration) {
        constexpr std::size_t most_sizes = 4096;
        if (messages_.size() == most_sizes && messages_.count(bytes.value_or(-1)) == 0) return {};
        const auto [at, is_new] = messages_.try_emplace(bytes.value_or(-1), floors_.size());
        if (is_new) floors_.push_back(duration);
        std::int64_t& least = floors_[at->second];
        least = (std::min)(least, duration);
        return {at->second, 0, true};
    }
    // `kind` as tracers name the groups of nested operations; "model" for optimizer_step.
    call add_call(std::int64_t rank, std::string_view kind, std::int64_t duration) {
        if (!sizes_ || rank < 0 || rank >= sizes_->world) return {};
        const auto place = place_of(kind, rank, *sizes_);
        if (!place || place->size < 2) return {};
        const auto group = groups_.try_emplace({std::string(kind), {place->first, place->second}}, calls_.size());
        if (group.second) calls_.emplace_back();
        const std::size_t sequence = group.first->second;
        const std::size_t position = next_[{rank, sequence}]++;
        std::vector<least_call>& calls = calls_[sequence];
        if (position >= calls.size()) {
            constexpr std::size_t most_calls = std::size_t{1} << 20;
            if (count_ == most_calls || position != calls.size()) return {};
            ++count_;
            calls.push_back({duration, 0});
        }
        calls[position].duration = (std::min)(calls[position].duration, duration);
        ++calls[position].members;
        return {sequence, position, false};
    }
    // The least time of the `count` calls that begin with this one; empty where it is not known: a call of a
    // single member says nothing about it.
    std::optional<std::int64_t> least(const call& first, std::uint64_t count) const noexcept {
        if (first.sequence == none) return std::nullopt;
        if (first.is_message) return floors_[first.sequence] * static_cast<std::int64_t>(count);
        const std::vector<least_call>& calls = calls_[first.sequence];
        if (count > calls.size() - first.position) return std::nullopt;
        std::int64_t sum = 0;
        for (std::size_t n = 0; n != count; ++n) {
            const least_call& one = calls[first.position + n];
            if (one.members < 2) return std::nullopt;
            sum += one.duration;
        }
        return sum;
    }
    bool knows_groups() const noexcept { return sizes_.has_value(); }

private:
    struct least_call {
        std::int64_t duration;
        std::uint32_t members;
    };
    std::optional<oplog::run_sizes> sizes_;
    ordered_map<std::int64_t, std::size_t> messages_;
    std::vector<std::int64_t> floors_;
    ordered_map<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>, std::size_t> groups_;
    std::vector<std::vector<least_call>> calls_;
    ordered_map<std::pair<std::int64_t, std::size_t>, std::size_t> next_;
    std::size_t count_ = 0;
};

}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
