// Finds which calls in the logs of a group's members are the same call, and what they show about the members' clocks.
#ifndef WLFMT_ANALYSIS_ANSWERS_ALIGN_HPP
#define WLFMT_ANALYSIS_ANSWERS_ALIGN_HPP

#include <algorithm>
#include <cmath>
#include <map>

#include "../library.hpp"
#include "../summary/state.hpp"
#include "rank.hpp"

namespace wlfmt::analysis {

// Times here are doubles in millionths of a millisecond: sums of them are exact up to 104 days.
inline constexpr double one_millisecond = 1e6;
inline constexpr std::uint32_t no_step = 0xffffffff;

// A call as one of its members logged it.
struct member_call {
    const kept_step* kept = nullptr;
    program_step* step = nullptr;
    std::uint32_t place = 0;  // the position of the step in the member's program

    // How much later it ended than `other`. Subtracts integers: doubles lack the digits for times since boot.
    double after(const member_call& other) const noexcept { return static_cast<double>(kept->end - other.kept->end); }
    // Whether members may leave the call at different times.
    bool may_end_apart() const noexcept { return step->what != program_step::kind::collective; }
    bool is_like(const member_call& other) const noexcept {
        return step->operation == other.step->operation && step->batch == other.step->batch &&
               may_end_apart() == other.may_end_apart() && is_same_function(other);
    }
    bool is_same_function(const member_call& other) const noexcept {
        return kept->is_nested == other.kept->is_nested && kept->name == other.kept->name &&
               kept->source == other.kept->source && kept->runs_beside == other.kept->runs_beside;
    }
};
struct call_group {
    struct member {
        std::size_t rank = 0;  // its place among all ranks
        std::vector<member_call> calls = {};
        double offset = 0;     // how far its clock is ahead of the first member's, if has_offsets
        double deviation = 0;  // how far single calls typically are from the offset
    };
    std::uint32_t kind = 0;
    group_place place;
    std::vector<member> members;  // the known members, by rank
    // A row is one call: for each member, its position in `calls`, or no_step. Rows are in the order of the first
    // member's log, followed by the calls that it lacks in the order of the next one's, and so on.
    std::vector<std::uint32_t> rows;
    // Calls that members lack; of a missing record's calls, only the first. A member without any calls lacks all.
    std::vector<lacked_step> lacks;
    bool has_offsets = false;
    bool is_different = false;  // a member lacks calls that others have
    bool is_apart = false;      // the time between its calls differs between its members

    bool is_whole() const noexcept { return static_cast<std::int64_t>(members.size()) == place.size; }
    std::size_t row_count() const noexcept { return members.empty() ? 0 : rows.size() / members.size(); }
    const member_call* at(std::size_t row, std::size_t position) const noexcept {
        const std::uint32_t n = rows[row * members.size() + position];
        return n == no_step ? nullptr : &members[position].calls[n];
    }
    bool is_complete(std::size_t row) const noexcept {
        for (std::size_t n = 0; n != members.size(); ++n)
            if (rows[row * members.size() + n] == no_step) return false;
        return true;
    }
    bool is_doubtful(std::size_t row) const noexcept {
        for (std::size_t n = 0; n != members.size(); ++n)
            if (const member_call* const own = at(row, n); own != nullptr && own->step->is_doubtful) return true;
        return false;
    }
    // The transfer of a blocking call takes no longer than the call took any member, whatever it took others.
    double most_transfer(std::size_t row) const noexcept {
        double most = bounded::unlimited;
        for (std::size_t n = 0; n != members.size(); ++n) {
            const member_call* const own = at(row, n);
            if (own == nullptr || own->step->is_doubtful) continue;
            if (own->may_end_apart()) return bounded::unlimited;
            most = (std::min)(most, own->step->duration);
        }
        return most;
    }
    // Whether all members have the call and leave it together.
    bool is_blocking(std::size_t row) const noexcept { return is_complete(row) && !at(row, 0)->may_end_apart(); }
};

// A rank of which no call in a record was kept is a member of a group, too, if the others have such calls.
inline void add_silent_members(call_group& g, const std::vector<analysed_rank>& ranks, const run_answers& run) {
    if (g.is_whole() || !g.members.front().calls.front().step->nested) return;
    for (std::size_t n = 0; n != ranks.size(); ++n) {
        const auto place = place_of(run.names[g.kind], ranks[n].rank, *run.sizes);
        if (!place || place->first != g.place.first || place->second != g.place.second) continue;
        const auto at = std::lower_bound(g.members.begin(), g.members.end(), n,
                                         [](const call_group::member& m, std::size_t rank) { return m.rank < rank; });
        if (at == g.members.end() || at->rank != n) g.members.insert(at, {n, {}, 0, 0});
    }
}

// The most common difference, to within a millisecond; if there are several, the one by far nearest to 0, if any.
inline std::optional<double> likely_offset(std::vector<double> differences) {
    std::sort(differences.begin(), differences.end());
    std::optional<double> nearest;
    std::optional<double> second;  // the next nearest
    std::size_t max_count = 0;
    for (std::size_t begin = 0, end = 0; end != differences.size(); ++end) {
        while (differences[end] - differences[begin] > one_millisecond) ++begin;
        const double offset = differences[begin + (end - begin) / 2];
        const std::size_t count = end - begin + 1;
        if (count < max_count) continue;
        if (count > max_count) nearest = second = std::nullopt;
        max_count = count;
        if (nearest && offset - *nearest <= one_millisecond) continue;
        if (!nearest || std::fabs(offset) < std::fabs(*nearest)) {
            second = nearest;
            nearest = offset;
        } else if (!second || std::fabs(offset) < std::fabs(*second)) {
            second = offset;
        }
    }
    return nearest && second && 4 * std::fabs(*nearest) > std::fabs(*second) ? std::nullopt : nearest;
}

// Aligns the calls of a group's members: by position if all have the same calls, else within each operation and
// micro-batch by the longest common subsequence and, if there are several, by when the calls ended.
class call_alignment {
public:
    static void align(call_group& group, const std::vector<analysed_rank>& ranks, const run_answers& run) {
        add_silent_members(group, ranks, run);
        call_alignment alignment(group);
        if (alignment.are_alike()) {
            group.rows.resize(group.members[0].calls.size() * alignment.width_);
            for (std::size_t n = 0; n != group.rows.size(); ++n)
                group.rows[n] = static_cast<std::uint32_t>(n / alignment.width_);
        } else {
            alignment.align_records();
        }
        alignment.find_offsets();
    }

private:
    explicit call_alignment(call_group& group) : group_(group), width_(group.members.size()) {
        for (const call_group::member& m : group.members) with_calls_ += m.calls.empty() ? 0U : 1U;
    }

    // Whether a member's calls from `begin` to `end` are like the first member's from `first` on.
    bool are_alike(std::size_t member, std::size_t begin, std::size_t end, std::size_t first) const {
        const member_call* const calls = group_.members[member].calls.data();
        return std::equal(calls + begin, calls + end, group_.members[0].calls.data() + first,
                          [](const member_call& a, const member_call& b) { return a.is_like(b); });
    }
    bool are_alike() const {
        const std::size_t count = group_.members[0].calls.size();
        for (std::size_t n = 1; n != width_; ++n)
            if (group_.members[n].calls.size() != count || !are_alike(n, 0, count, 0)) return false;
        return true;
    }

    // The calls in a record of a member, or a record that is a call itself.
    struct member_unit {
        std::size_t member;
        step_range calls;
    };
    using unit_lists = std::vector<std::vector<step_range>>;  // for each member, in the order of its log
    using call_list = std::vector<const member_call*>;
    using match = std::vector<std::uint32_t>;  // for each call: its partner, or no_step

    void align_records() {
        for (std::size_t n = 0; n != width_; ++n) {
            const auto& calls = group_.members[n].calls;
            for (std::size_t k = 0; k != calls.size();) {
                const program_step& first = *calls[k].step;
                std::size_t end = k + 1;
                while (first.nested && end != calls.size() && calls[end].step->nested &&
                       calls[end].step->record == first.record)
                    ++end;
                units_[{first.operation, first.batch, first.nested}].push_back({n, {k, end}});
                k = end;
            }
        }
        find_first_offsets();
        for_each_key([&](const unit_lists& lists) {
            std::size_t longest = 0;
            for (std::size_t n = 1; n != width_; ++n)
                if (lists[n].size() > lists[longest].size()) longest = n;
            const auto first_calls = [&](std::size_t member) {
                call_list calls;
                for (const step_range& u : lists[member]) calls.push_back(&call(member, u.begin));
                return calls;
            };
            // Records with the same key match whatever calls are in them.
            std::vector<match> partners;
            for (std::size_t n = 0; n != width_; ++n)
                partners.push_back(matched(first_calls(longest), first_calls(n), longest, n, true));
            for (std::size_t u = 0; u != lists[longest].size(); ++u) align_unit(longest, u, lists, partners);
        });
        sort_rows();
    }
    // Calls that fewer than half of the members with calls have are left out, which keeps time and memory linear.
    template <class Each> void for_each_key(const Each& each) const {
        for (const auto& [key, units] : units_) {
            std::size_t members = 1;
            for (std::size_t n = 1; n != units.size(); ++n) members += units[n].member != units[n - 1].member;
            if (2 * members < with_calls_) continue;
            unit_lists lists(width_);
            for (const member_unit& unit : units) lists[unit.member].push_back(unit.calls);
            each(lists);
        }
    }

    void align_unit(std::size_t longest, std::size_t u, const unit_lists& lists, const std::vector<match>& partners) {
        std::vector<call_list> calls(width_);
        std::vector<std::size_t> have;
        std::vector<std::size_t> lack;
        std::size_t longest_list = longest;
        for (std::size_t n = 0; n != width_; ++n) {
            (partners[n][u] == no_step ? lack : have).push_back(n);
            if (partners[n][u] == no_step) continue;
            const step_range& own = lists[n][partners[n][u]];
            for (std::size_t k = own.begin; k != own.end; ++k) calls[n].push_back(&call(n, k));
            if (calls[n].size() > calls[longest_list].size()) longest_list = n;
        }
        // A record that few members have was more likely added there than lost by the others.
        if (2 * have.size() >= with_calls_)
            for (const std::size_t n : lack)
                if (!group_.members[n].calls.empty())
                    add_lack(n, longest_list, *calls[longest_list][0], u + 1, {}, have);
        std::vector<match> found(width_);
        for (const std::size_t n : have) found[n] = matched(calls[longest_list], calls[n], longest_list, n, false);
        std::vector<std::vector<std::uint64_t>> numbers(width_);  // filled for the members that have what others lack
        const auto add_lacking = [&](std::size_t member, std::size_t owner, std::size_t k,
                                     const std::vector<std::size_t>& with) {
            if (numbers[owner].empty()) numbers[owner] = numbers_of(calls[owner]);
            add_lack(member, owner, *calls[owner][k], numbers[owner][k], calls[member][0]->step->record, with);
        };
        for (std::size_t k = 0; k != calls[longest_list].size(); ++k) {
            std::vector<std::size_t> with;
            std::vector<std::size_t> without;
            group_.rows.resize(group_.rows.size() + width_, no_step);
            for (const std::size_t n : have) {
                (found[n][k] != no_step ? with : without).push_back(n);
                if (found[n][k] != no_step)
                    group_.rows[group_.rows.size() - width_ + n] =
                        static_cast<std::uint32_t>(calls[n][found[n][k]] - group_.members[n].calls.data());
            }
            for (const std::size_t n : without) add_lacking(n, longest_list, k, with);
        }
        for (const std::size_t n : have) {
            std::vector<bool> used(calls[n].size());
            for (const std::uint32_t k : found[n])
                if (k != no_step) used[k] = true;
            for (std::size_t k = 0; k != used.size(); ++k)
                if (!used[k]) add_lacking(longest_list, n, k, {n});
        }
    }
    // For each call: which one of its name it is, from 1.
    static std::vector<std::uint64_t> numbers_of(const call_list& calls) {
        std::map<std::uint32_t, std::uint64_t> counts;
        std::vector<std::uint64_t> numbers;
        for (const member_call* const call : calls) numbers.push_back(++counts[call->kept->name]);
        return numbers;
    }
    // Notes that a member lacks a call of `owner`; `have`: all members that have the call.
    void add_lack(std::size_t member, std::size_t owner, const member_call& call, std::uint64_t number,
                  std::optional<std::uint64_t> record, const std::vector<std::size_t>& have) {
        const auto rank = [&](std::size_t n) { return group_.members[n].rank; };
        lacked_step& lacked = group_.lacks.emplace_back();
        lacked = {rank(member), rank(owner), call.place, number, record, {}};
        for (std::size_t n = 0; n != (std::min)(have.size(), lacked.max_named); ++n)
            lacked.have.push_back(rank(have[n]));
    }

    // Estimates how far each member's clock is ahead of the first one's: from records in which both have the same calls
    // or, if there are none, from the most common difference between records that may be the same.
    void find_first_offsets() {
        std::vector<std::vector<double>> differences(width_);
        std::vector<std::vector<double>> candidates(width_);
        for_each_key([&](const unit_lists& lists) {
            for (std::size_t n = 1; n != width_; ++n) {
                const std::vector<step_range>& a = lists[0];
                const std::vector<step_range>& b = lists[n];
                for (std::size_t u = 0; a.size() == b.size() && u != a.size(); ++u) {
                    if (a[u].size() != b[u].size() || !are_alike(n, b[u].begin, b[u].end, a[u].begin)) continue;
                    for (std::size_t k = 0; k != a[u].size(); ++k)
                        if (!call(0, a[u].begin + k).may_end_apart())
                            differences[n].push_back(call(n, b[u].begin + k).after(call(0, a[u].begin + k)));
                }
                const bool is_longer = b.size() > a.size();
                const std::size_t both = (std::min)(a.size(), b.size());
                const std::size_t surplus = (std::max)(a.size(), b.size()) - both;
                for (std::size_t skip = 0; surplus != 0 && surplus <= max_lost && skip <= surplus; ++skip)
                    for (std::size_t u = 0; u != both; ++u)
                        candidates[n].push_back(call(n, b[u + (is_longer ? skip : 0)].begin)
                                                    .after(call(0, a[u + (is_longer ? 0 : skip)].begin)));
            }
        });
        offsets_.resize(width_);
        offsets_[0] = 0.0;
        for (std::size_t n = 1; n != width_; ++n)
            offsets_[n] = differences[n].empty() ? likely_offset(std::move(candidates[n]))
                                                 : std::optional<double>(low_median(std::move(differences[n])));
    }
    const member_call& call(std::size_t n, std::size_t k) const noexcept { return group_.members[n].calls[k]; }

    // The greatest shift that is looked for: each lost call shifts all later ones by one.
    static constexpr std::size_t max_lost = 64;
    static constexpr std::size_t slack = 8;
    struct score {
        std::int64_t matches = -1;  // below 0: the place was not reached
        double apart = 0;
        bool is_better(const score& other) const noexcept {
            return matches != other.matches ? matches > other.matches : apart < other.apart;
        }
    };
    // Finds the partners of a's items in `b`, which must not be longer; no partners if it is unclear which are missing.
    match matched(const call_list& a, const call_list& b, std::size_t member_a, std::size_t member_b,
                  bool any_function) const {
        const auto is_pair = [any_function](const member_call* x, const member_call* y) {
            return any_function || x->is_same_function(*y);
        };
        const bool is_same = std::equal(a.begin(), a.end(), b.begin(), b.end(), is_pair);
        match partners(a.size(), no_step);
        for (std::size_t k = 0; is_same && k != partners.size(); ++k) partners[k] = static_cast<std::uint32_t>(k);
        if (is_same || a.size() - b.size() > max_lost || b.empty()) return partners;
        if (offsets_[member_a] && offsets_[member_b])
            return best_path(a, b, *offsets_[member_b] - *offsets_[member_a], any_function).second;
        // Without a common clock, the items before or after the missing ones show the offset.
        const auto path_after = [&](std::size_t missing) {
            std::vector<double> offsets;
            for (std::size_t k = 0; k != b.size(); ++k) offsets.push_back(b[k]->after(*a[k + missing]));
            return best_path(a, b, low_median(std::move(offsets)), any_function);
        };
        const auto path = path_after(0);
        const auto other = path_after(a.size() - b.size());
        const auto& best = other.first.is_better(path.first) ? other : path;
        if (!other.first.is_better(path.first) && !path.first.is_better(other.first) && path.second != other.second)
            return partners;
        return best.first.apart <= one_millisecond * static_cast<double>(best.first.matches) ? best.second : partners;
    }
    // The longest common subsequence; of several, the one whose pairs ended closest together. Pairs only items at
    // nearby places in the lists, so that its time is linear.
    static std::pair<score, match> best_path(const call_list& a, const call_list& b, double offset, bool any_function) {
        const std::size_t width = a.size() - b.size() + 2 * slack + 1;
        // Column c of row i stands for position i + c - before in b.
        const std::size_t before = width - 1 - slack;
        std::vector<score> row(width);
        std::vector<score> above(width);
        enum class step : std::uint8_t { skip_a, skip_b, pair };
        std::vector<step> steps((a.size() + 1) * width);
        for (std::size_t i = 0; i <= a.size(); ++i) {
            std::swap(row, above);
            for (std::size_t c = 0; c != width; ++c) {
                row[c] = score();
                if (i + c < before || i + c - before > b.size()) continue;
                const std::size_t j = i + c - before;
                step& last = steps[i * width + c];
                if (i == 0 && j == 0) row[c] = {0, 0};
                if (i != 0 && c + 1 != width && above[c + 1].is_better(row[c])) {
                    row[c] = above[c + 1];
                    last = step::skip_a;
                }
                if (j != 0 && c != 0 && row[c - 1].is_better(row[c])) {
                    row[c] = row[c - 1];
                    last = step::skip_b;
                }
                if (i == 0 || j == 0 || above[c].matches < 0) continue;
                if (!any_function && !a[i - 1]->is_same_function(*b[j - 1])) continue;
                const double apart = b[j - 1]->after(*a[i - 1]) - offset;
                score next = above[c];
                ++next.matches;
                next.apart += apart < 0 ? -apart : apart;
                if (!any_function && a[i - 1]->step->bytes != b[j - 1]->step->bytes) next.apart += one_millisecond;
                if (!next.is_better(row[c])) continue;
                row[c] = next;
                last = step::pair;
            }
        }
        match partners(a.size(), no_step);
        std::size_t c = b.size() + before - a.size();
        const score reached = row[c];
        for (std::size_t i = a.size(); i != 0 && reached.matches >= 0;) {
            const step last = steps[i * width + c];
            if (last == step::pair) partners[i - 1] = static_cast<std::uint32_t>(i + c - before - 1);
            if (last == step::skip_a) ++c;
            if (last == step::skip_b) --c;
            else --i;
        }
        return {reached, std::move(partners)};
    }

    // Orders the calls by the first member that has them, and by their order in its log.
    void sort_rows() {
        std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> order;
        for (std::size_t row = 0; row != group_.row_count(); ++row) {
            std::size_t n = 0;
            while (n + 1 != width_ && group_.at(row, n) == nullptr) ++n;
            order[{n, group_.rows[row * width_ + n]}] = row;
        }
        std::vector<std::uint32_t> rows;
        rows.reserve(group_.rows.size());
        for (const auto& [key, row] : order)
            for (std::size_t n = 0; n != width_; ++n) rows.push_back(group_.rows[row * width_ + n]);
        group_.rows = std::move(rows);
    }

    // Members leave a blocking collective together, so its end differs between their logs only as their clocks do.
    void find_offsets() {
        std::vector<std::vector<double>> differences(group_.members.size());
        for (std::size_t row = 0; row != group_.row_count(); ++row) {
            if (!group_.is_blocking(row)) continue;
            for (std::size_t n = 0; n != group_.members.size(); ++n)
                differences[n].push_back(group_.at(row, n)->after(*group_.at(row, 0)));
        }
        group_.has_offsets = !differences[0].empty();
        if (!group_.has_offsets) return;
        for (std::size_t n = 0; n != group_.members.size(); ++n) {
            const double offset = group_.members[n].offset = low_median(differences[n]);
            for (double& d : differences[n]) d = d < offset ? offset - d : d - offset;
            group_.members[n].deviation = low_median(std::move(differences[n]));
        }
    }

    call_group& group_;
    std::size_t width_;           // the number of members
    std::size_t with_calls_ = 0;  // the number of those that have calls
    std::map<three_numbers, std::vector<member_unit>> units_;
    std::vector<std::optional<double>> offsets_;
};

}  // namespace wlfmt::analysis

#endif
