// Solves the clocks of a run: how far each log's clock is ahead of the others', from what must have come before what.
#ifndef WLFMT_ANALYSIS_ANSWERS_CLOCKS_HPP
#define WLFMT_ANALYSIS_ANSWERS_CLOCKS_HPP

#include <map>

#include "../draw/text.hpp"
#include "align.hpp"

namespace wlfmt::analysis {

// Members of a blocking call leave it together; a message is received after it was sent. Ranks whose groups' calls show
// how far their clocks are apart, to within a tenth of a millisecond, are one set. Between two sets, each call and each
// message bounds the difference from one side: shortest paths through these bounds give an interval for each set, and
// bounds that contradict each other show that the logs are not those of one run. Linear in records; the paths take as
// many rounds over the bounds as the longest has sets.
class run_clocks {
public:
    // In whole runs, no call and no message contradicted the others by more than 2.2 ms; in logs of two runs by 8 ms.
    static constexpr double max_noise = 2.5 * one_millisecond;

    // Sets each rank's clock: `clock_set`, `ahead`, `set_ahead`, `clock`, `aligned` and `clock_ahead`; and
    // run_answers::clocks and the logs that contradict each other.
    static void find(std::vector<analysed_rank>& ranks, const std::vector<call_group>& groups,
                     const std::vector<operation_facts>& facts, run_answers& run) {
        run_clocks clocks(ranks, run);
        clocks.join_by_calls(groups);
        if (run.together) clocks.add_messages(facts);
        clocks.solve();
        clocks.name_clocks();
    }
    // How much more the clock of `a` is ahead than that of `b`.
    static bounded ahead_of(const analysed_rank& a, const analysed_rank& b) noexcept {
        const bounded within(a.ahead - b.ahead);
        if (a.clock_set == b.clock_set) return within;
        return a.component == b.component ? within + a.set_ahead - b.set_ahead : bounded::unknown();
    }

    // Names the records of two ranks. Records are counted from 1, as in message(doubtful_time).
    static std::string records_of(const run_answers& run, const program_step* const (&steps)[2],
                                  const std::int64_t (&ranks)[2]) {
        std::string text;
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}})
            text.append(n == 0 ? "" : " and ")
                .append(joined({"record ", steps[n]->record + 1, " of rank ", ranks[n], " (",
                                run.names[steps[n]->operation], ")"}));
        return text;
    }

private:
    // The clock of the set `to` is ahead of that of `from` by no more than `most`.
    struct bound {
        std::size_t from;
        std::size_t to;
        double most;
        std::int64_t ranks[2];         // that show it
        const program_step* steps[2];  // both ends of the message that shows it; null: calls of the group
        std::uint32_t group;
    };
    run_clocks(std::vector<analysed_rank>& ranks, run_answers& run) : ranks_(ranks), run_(run) {}

    void join_by_calls(const std::vector<call_group>& groups) {
        struct link {
            std::size_t rank;
            double ahead;
            std::uint32_t group;
        };
        constexpr double tenth = 0.1 * one_millisecond;
        std::vector<std::vector<link>> links(ranks_.size());
        std::vector<std::pair<const call_group*, const call_group::member*>> loose;
        for (const call_group& g : groups) {
            if (!g.has_offsets || g.is_apart || !run_.together) continue;
            const std::size_t first = g.members.front().rank;
            for (const call_group::member& m : g.members) {
                if (m.rank == first) continue;
                // The calls themselves show their noise.
                if (m.deviation > tenth) {
                    loose.emplace_back(&g, &m);
                    continue;
                }
                // The clocks of one host are the same.
                const double ahead = std::fabs(m.offset) < tenth ? 0 : m.offset;
                links[first].push_back({m.rank, ahead, g.kind});
                links[m.rank].push_back({first, -ahead, g.kind});
            }
        }
        std::vector<bool> is_reached(ranks_.size());
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            if (is_reached[n]) continue;
            is_reached[n] = true;
            std::vector<std::size_t> reached{n};
            for (std::size_t at = 0; at != reached.size(); ++at) {
                analysed_rank& own = ranks_[reached[at]];
                own.clock_set = static_cast<std::uint32_t>(sets_);
                for (const link& l : links[reached[at]]) {
                    analysed_rank& other = ranks_[l.rank];
                    const double ahead = own.ahead + l.ahead;
                    if (is_reached[l.rank]) {
                        if (std::fabs(other.ahead - ahead) > max_noise)
                            add_contradiction({own.rank, other.rank}, std::fabs(other.ahead - ahead),
                                              "their calls of " + run_.names[l.group]);
                        continue;
                    }
                    is_reached[l.rank] = true;
                    other.ahead = ahead;
                    reached.push_back(l.rank);
                }
            }
            ++sets_;
        }
        for (const auto& [group, member] : loose) {
            const double noise = 4 * member->deviation;
            add(group->members.front().rank, member->rank, member->offset + noise, {}, group->kind);
            add(member->rank, group->members.front().rank, noise - member->offset, {}, group->kind);
        }
    }
    void add_contradiction(const std::int64_t (&ranks)[2], double by, std::string calls) {
        if (run_.contradicting_logs.size() != max_listed)
            run_.contradicting_logs.push_back({ranks[0], ranks[1], in_milliseconds(by), std::move(calls)});
    }
    std::string shown(const bound& b) const {
        return b.steps[0] == nullptr ? "calls of " + run_.names[b.group] : records_of(run_, b.steps, b.ranks);
    }

    // The n-th message that a rank sends is the n-th that the other one receives.
    void add_messages(const std::vector<operation_facts>& facts) {
        if (!run_.sizes || run_.sizes->pipeline < 2) return;
        const std::int64_t world = run_.sizes->world;
        const std::int64_t per_stage = world / run_.sizes->pipeline;
        std::map<std::int64_t, std::size_t> places;
        for (std::size_t n = 0; n != ranks_.size(); ++n) places[ranks_[n].rank] = n;
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            const std::int64_t next = ranks_[n].rank + per_stage;
            if (next >= world && !run_.interleaved) continue;
            const auto other = places.find(next % world);
            if (other == places.end()) continue;
            add_messages(facts, n, other->second, false);
            add_messages(facts, other->second, n, true);
        }
    }
    // The next message after the step `at` that a rank sends in a direction, or receives.
    const program_step* next_message(const std::vector<operation_facts>& facts, const analysed_rank& r, std::size_t& at,
                                     bool sends, bool backward) const {
        while (at != r.program.size()) {
            const program_step& s = r.program[at++];
            if (!is_message(s) || !facts[s.operation].between_stages) continue;
            // An exchange receives in the direction opposite to that in which it sends.
            const bool is_exchange = s.what == program_step::kind::exchange;
            if (is_exchange ? (s.backward == backward) == sends
                            : s.backward == backward && (s.what == program_step::kind::send) == sends)
                return &s;
        }
        return nullptr;
    }
    void add_messages(const std::vector<operation_facts>& facts, std::size_t sender, std::size_t receiver,
                      bool backward) {
        const analysed_rank& from = ranks_[sender];
        const analysed_rank& to = ranks_[receiver];
        // If only one of them lacks records, their numbers of messages show whether it lacks any of these.
        if (from.has_doubtful_clock || to.has_doubtful_clock || (from.lost != 0 && to.lost != 0)) return;
        const auto apart = static_cast<double>(to.first - from.first);
        double most = bounded::unlimited;
        std::array<const program_step*, 2> ends{};
        for (std::size_t sent = 0, received = 0;;) {
            const program_step* const send = next_message(facts, from, sent, true, backward);
            const program_step* const receive = next_message(facts, to, received, false, backward);
            if (send == nullptr && receive == nullptr) break;
            if (send == nullptr || receive == nullptr) return;  // which of them is lost is not known
            if (send->is_doubtful || receive->is_doubtful) continue;
            const double own = apart + receive->start + receive->duration - send->start;
            if (own < most) ends = {send, receive};
            most = (std::min)(most, own);
        }
        if (most < bounded::unlimited) add(sender, receiver, most, ends, 0);
    }
    // The clock of `to` is ahead of that of `from` by no more than `most`, but for the noise of both.
    void add(std::size_t from, std::size_t to, double most, const std::array<const program_step*, 2>& ends,
             std::uint32_t group) {
        const analysed_rank& a = ranks_[from];
        const analysed_rank& b = ranks_[to];
        const bound added{a.clock_set,      b.clock_set,        most + a.ahead - b.ahead + 2 * clock_noise,
                          {a.rank, b.rank}, {ends[0], ends[1]}, group};
        if (added.from == added.to) {
            if (added.most < -max_noise) add_contradiction(added.ranks, -added.most, shown(added));
            return;
        }
        const auto [at, is_new] = bounds_.try_emplace({added.from, added.to}, added);
        if (!is_new && added.most < at->second.most) at->second = added;
    }

    // The greatest differences from the first set of each component, or, if `backward`, to it. False if bounds
    // contradict each other. Each bound has `slack`.
    bool find_paths(std::vector<double>& paths, const std::vector<std::size_t>& roots, double slack,
                    bool backward) const {
        paths.assign(sets_, bounded::unlimited);
        for (const std::size_t root : roots) paths[root] = 0;
        for (std::size_t round = 0; round <= sets_; ++round) {
            bool any = false;
            for (const auto& [sets, b] : bounds_) {
                const std::size_t from = backward ? b.to : b.from;
                const std::size_t to = backward ? b.from : b.to;
                if (!(paths[from] + b.most + slack < paths[to])) continue;
                paths[to] = paths[from] + b.most + slack;
                any = true;
            }
            if (!any) return true;
        }
        return false;
    }
    void solve() {
        joined_sets components(sets_);
        for (const auto& [sets, b] : bounds_) components.join(b.from, b.to);
        std::vector<std::size_t> roots;
        for (std::size_t n = 0; n != sets_; ++n)
            if (components.least_of(n) == n) roots.push_back(n);
        std::vector<double> most;
        std::vector<double> least;
        bool is_possible = false;
        for (const double slack : {0.0, max_noise})
            is_possible =
                is_possible || (find_paths(most, roots, slack, false) && find_paths(least, roots, slack, true));
        if (!is_possible) find_contradiction();
        for (analysed_rank& r : ranks_) {
            r.component = static_cast<std::uint32_t>(components.least_of(r.clock_set));
            const bool is_root = r.component == r.clock_set;
            r.set_ahead = !is_possible && !is_root ? bounded::unknown()
                          : is_root                ? bounded()
                                                   : bounded::between(-least[r.clock_set], most[r.clock_set]);
        }
    }
    // Names the bounds of a cycle that contradicts itself.
    void find_contradiction() {
        std::vector<double> paths(sets_);
        std::vector<const bound*> last(sets_);  // the last bound of each path
        std::size_t at = 0;
        for (std::size_t round = 0; round <= sets_; ++round)
            for (const auto& [sets, b] : bounds_) {
                if (!(paths[b.from] + b.most + max_noise < paths[b.to])) continue;
                paths[b.to] = paths[b.from] + b.most + max_noise;
                last[b.to] = &b;
                at = b.to;
            }
        // A path that goes on becoming shorter comes from the cycle.
        for (std::size_t n = 0; n != sets_ && last[at] != nullptr; ++n) at = last[at]->from;
        run_.together = false;
        run_.apart = true;
        const bound* const end = last[at];
        if (end == nullptr) return;
        double by = 0;
        std::string calls;
        const bound* b = end;
        do {
            by -= b->most;
            calls.append(calls.empty() ? "" : "; ").append(shown(*b));
            b = last[b->from];
        } while (b != end);
        add_contradiction(end->ranks, by, std::move(calls));
    }
    // Sets whose clocks may be the same are taken for one host's; of others, the middle of what is known is taken.
    void name_clocks() {
        std::map<std::pair<std::size_t, double>, std::uint32_t> numbers;
        std::map<std::size_t, std::uint32_t> sets;
        std::map<std::size_t, number_range<std::int64_t>> spans;
        for (const analysed_rank& r : ranks_) {
            spans[r.component].add(r.first);
            spans[r.component].add(r.last);
        }
        number_range<std::int64_t> cluster;
        std::map<std::int64_t, std::size_t> by_begin;
        for (const auto& [component, span] : spans) by_begin.emplace(span.least, component);
        std::map<std::size_t, std::size_t> first_of;  // the first component of each row of overlapping spans
        std::size_t first = 0;
        for (const auto& [begin, component] : by_begin) {
            if (first_of.empty() || begin >= cluster.greatest) first = component;
            cluster.greatest = first == component ? spans[component].greatest
                                                  : (std::max)(cluster.greatest, spans[component].greatest);
            first_of[component] = first;
        }
        for (analysed_rank& r : ranks_) {
            const bounded& set = r.set_ahead;
            const bool may_be_same = set.at_least() <= 0 && 0 <= set.at_most();
            const bool is_finite = set.has_least() && set.has_most();
            double ahead = may_be_same || !is_finite ? 0 : (set.at_least() + set.at_most()) / 2;
            ahead += r.ahead;
            const std::size_t host = run_.together ? first_of[r.component] : r.component;
            const double whole = std::fabs(ahead) < one_millisecond ? 0 : std::round(ahead / one_millisecond);
            const auto place = run_.together ? std::pair(host, whole) : std::pair(std::size_t{r.clock_set}, 0.0);
            r.clock = numbers.try_emplace(place, static_cast<std::uint32_t>(numbers.size())).first->second;
            const std::size_t aligned = is_finite ? r.component : ranks_.size() + r.clock_set;
            r.aligned = sets.try_emplace(aligned, static_cast<std::uint32_t>(sets.size())).first->second;
            r.clock_ahead = in_milliseconds(ahead);
        }
        run_.clocks = static_cast<std::uint32_t>(numbers.size());
        // Ranks that share a clock can be compared.
        joined_sets comparable(sets.size());
        std::map<std::uint32_t, std::size_t> set_of_clock;
        for (const analysed_rank& r : ranks_)
            comparable.join(r.aligned, set_of_clock.try_emplace(r.clock, r.aligned).first->second);
        sets.clear();
        for (analysed_rank& r : ranks_)
            r.aligned =
                sets.try_emplace(comparable.least_of(r.aligned), static_cast<std::uint32_t>(sets.size())).first->second;
    }

    static constexpr std::size_t max_listed = 100;

    std::vector<analysed_rank>& ranks_;
    run_answers& run_;
    std::size_t sets_ = 0;
    std::map<std::pair<std::size_t, std::size_t>, bound> bounds_;  // keys: from and to
};

}  // namespace wlfmt::analysis

#endif
