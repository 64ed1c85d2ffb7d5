// Finds clocks that were set while a rank was traced, and takes from its later times by how much they were.
#ifndef WLFMT_ANALYSIS_ANSWERS_JUMPS_HPP
#define WLFMT_ANALYSIS_ANSWERS_JUMPS_HPP

#include <set>

#include "clocks.hpp"
#include "doubtful.hpp"

namespace wlfmt::analysis {

// An analysed rank of which nothing is found yet.
inline analysed_rank fresh(const analysed_rank& r) {
    analysed_rank again;
    again.rank = r.rank;
    again.sums = r.sums;
    again.mended = r.mended;
    return again;
}

// Members of a blocking call leave it together. If the differences between the ends of two members' calls are one
// number up to a call and another one from there on, a clock was set in between: that of the member with a gap between
// its records there that is long enough or, if it was set back, with records that overlap. What is left of the gap is
// as long as it was, to within the noise of these calls. Linear in records, for each time that a clock was set.
class clock_jumps {
public:
    clock_jumps(std::vector<analysed_rank>& ranks, const std::vector<call_group>& groups,
                const std::vector<operation_facts>& facts, run_answers& run)
        : ranks_(ranks), groups_(groups), facts_(facts), run_(run) {}

    // The blocking calls of a group that say something about clocks, by row: the source of a broadcast leaves early.
    static std::vector<std::size_t> rows_of(const call_group& g, const std::vector<operation_facts>& facts) {
        std::vector<std::size_t> rows;
        for (std::size_t row = 0; row != g.row_count(); ++row)
            if (g.is_blocking(row) && !g.is_doubtful(row) &&
                facts[g.at(row, 0)->step->function].collective != oplog::collective::broadcast)
                rows.push_back(row);
        return rows;
    }
    // Sets back what was set, at most once in each log. Whether there was anything: then programs have to be made
    // again.
    bool set_back() {
        find();
        bool any = false;
        const auto is_none = [&](const jump& j) { return places_of(j).empty(); };
        found_.erase(std::remove_if(found_.begin(), found_.end(), is_none), found_.end());
        for (const jump& j : found_) {
            const std::optional<place> one = only(places_of(j));
            if (!one || done_.count({one->rank, one->record}) != 0 || set_now_.count(one->rank) != 0) continue;
            set_now_.insert(one->rank);
            done_[{one->rank, one->record}] = *one;
            set_back(ranks_[one->rank], *one);
            any = true;
        }
        set_now_.clear();
        return any;
    }
    // Says which clocks were set, and which may have been; widens what the noise of calls leaves open. A rank whose
    // records overlap has no doubtful clock if its calls before and after them fit those of other ranks.
    void tell() {
        for (const auto& [key, p] : done_) {
            analysed_rank& r = ranks_[p.rank];
            add_doubtful_time(run_, r, p.record, doubtful_time::cause::set, p.by);
            const bounded noise = bounded::between(-p.noise, p.noise);
            for (bounded* error : {&r.span_error, &r.gaps_error, &r.pipeline_span_error, &r.first_forward_error})
                *error += noise;
        }
        for (const jump& j : found_)
            for (const place& side : j.sides) {
                analysed_rank& r = ranks_[side.rank];
                if (!std::exchange(r.has_doubtful_clock, true))
                    add_doubtful_time(run_, r, side.record, doubtful_time::cause::set_here, side.by);
            }
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            analysed_rank& r = ranks_[n];
            const bool is_surely_wrong =
                std::any_of(run_.doubtful_times.begin(), run_.doubtful_times.end(), [&](const doubtful_time& d) {
                    return d.rank == r.rank && !d.is_mended() && d.why != doubtful_time::cause::overlap;
                });
            if (r.is_in_disorder && !is_surely_wrong && is_calm_where_records_overlap(n)) r.has_doubtful_clock = false;
        }
    }
    // Whether a clock that was set, no one knows whose, makes the group's calls differ.
    bool explain(const call_group& g) const {
        return std::any_of(found_.begin(), found_.end(), [&](const jump& j) { return j.group == &g; });
    }
    // Says which members of a group contradict each other most.
    void add_contradiction(const call_group& g) const {
        const std::vector<std::size_t> rows = rows_of(g, facts_);
        std::size_t member = 0;
        std::size_t at = 0;
        double by = 0;
        for (std::size_t n = 1; n != g.members.size(); ++n)
            for (std::size_t k = 1; k < rows.size(); ++k) {
                const double set =
                    g.at(rows[k], n)->after(*g.at(rows[k], 0)) - g.at(rows[k - 1], n)->after(*g.at(rows[k - 1], 0));
                if (std::fabs(set) <= std::fabs(by)) continue;
                by = set;
                at = rows[k];
                member = n;
            }
        if (member == 0) return;
        const std::int64_t ranks[] = {ranks_[g.members[0].rank].rank, ranks_[g.members[member].rank].rank};
        const program_step* const steps[] = {g.at(at, 0)->step, g.at(at, member)->step};
        run_.contradicting_logs.push_back(
            {ranks[0], ranks[1], in_milliseconds(std::fabs(by)), run_clocks::records_of(run_, steps, ranks)});
    }

private:
    // A clock was set by so much before this record, which is not before the step `first` nor after the step `last`.
    struct place {
        std::size_t rank = 0;
        double by = 0;
        std::size_t first = 0;
        std::size_t last = 0;
        double noise = 0;
        std::uint64_t record = 0;
        bool is_single = false;  // one call shows it: it may be that of a record with a wrong time
        bool is_sure = false;    // the gap is longer than any other of the log, or the records overlap
    };
    struct jump {
        const call_group* group = nullptr;
        place sides[2];  // one of them was set
    };
    // How far apart two members leave each call.
    static std::vector<double> differences(const call_group& g, const std::vector<std::size_t>& rows, std::size_t a,
                                           std::size_t b) {
        std::vector<double> found;
        found.reserve(rows.size());
        for (const std::size_t row : rows) found.push_back(g.at(row, b)->after(*g.at(row, a)));
        return found;
    }
    // How far single calls are from each other where nothing was set, as these calls show.
    static double noise_of(const std::vector<double>& differences) {
        std::vector<double> steps;
        for (std::size_t k = 1; k < differences.size(); ++k)
            steps.push_back(std::fabs(differences[k] - differences[k - 1]));
        const double typical = steps.size() < 3 ? 0 : low_median(std::move(steps));
        return (std::min)(run_clocks::max_noise, (std::max)(0.3 * one_millisecond, 8 * typical));
    }
    void find() {
        found_.clear();
        for (const call_group& g : groups_) {
            if (!g.has_offsets) continue;
            const std::vector<std::size_t> rows = rows_of(g, facts_);
            for (std::size_t n = 1; rows.size() > 1 && n != g.members.size(); ++n) find(g, rows, n);
        }
        // So many clocks are not set: the ranks were traced separately.
        constexpr std::size_t most = 256;
        if (found_.size() > most) found_.clear();
    }
    void find(const call_group& g, const std::vector<std::size_t>& rows, std::size_t n) {
        const std::vector<double> all = differences(g, rows, 0, n);
        std::size_t at = 1;
        for (std::size_t k = 2; k < all.size(); ++k)
            if (std::fabs(all[k] - all[k - 1]) > std::fabs(all[at] - all[at - 1])) at = k;
        const double noise = noise_of(all);
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(at);
        const double before = low_median(std::vector<double>(all.begin(), middle));
        const double by = low_median(std::vector<double>(middle, all.end())) - before;
        if (std::fabs(by) <= 2 * noise) return;
        number_range<double> apart;
        for (std::size_t k = 0; k != all.size(); ++k) apart.add(all[k] - (k < at ? before : before + by));
        if (apart.greatest > noise || apart.least < -noise) return;
        // A single call may be late.
        const bool is_single = at == 1 || at + 1 == all.size();
        if (is_single && std::fabs(by) <= run_clocks::max_noise) return;
        jump& added = found_.emplace_back();
        added.group = &g;
        for (const std::size_t member : {std::size_t{0}, n}) {
            const member_call* const last = g.at(rows[at - 1], member);
            const member_call* const next = g.at(rows[at], member);
            added.sides[member != 0] = {g.members[member].rank,      member == 0 ? -by : by, last->place, next->place,
                                        apart.width() + clock_noise, next->step->record,     is_single};
        }
    }
    // The records before which the clock may have been set: the gap before each is long enough. Of records that
    // overlap, it was the second; if it was set back and none overlap, the gap was about as long as others of the log.
    std::vector<place> places_of(const place& side) const {
        const std::vector<program_step>& program = ranks_[side.rank].program;
        std::vector<std::pair<double, std::size_t>> gaps;  // with the records after them
        double end = 0;
        for (std::size_t n = 0; n != program.size(); ++n) {
            if (program[n].nested) continue;
            if (n != 0) gaps.emplace_back(program[n].start - end, n);
            end = program[n].start + program[n].duration;
        }
        std::vector<place> found;
        if (gaps.empty()) return found;
        std::vector<std::pair<double, std::size_t>> sorted = gaps;
        std::sort(sorted.begin(), sorted.end());
        std::reverse(sorted.begin(), sorted.end());
        // The record after one with a wrong time is as much too late, or too early.
        if (side.is_single && (side.by < 0 ? sorted[0].first > -side.by / 2 : sorted.back().first < -side.by / 2))
            return found;
        for (const auto& [gap, n] : gaps) {
            if (n <= side.first || n > side.last) continue;
            const double longest = sorted.size() == 1 ? 0 : sorted[sorted[0].second == n ? 1 : 0].first;
            place here = side;
            here.record = program[n].record;
            here.first = here.last = n;
            here.is_sure = gap < -overlap_noise || gap > 2 * longest;
            const bool is_long_enough = gap - side.by >= -side.noise;
            if (gap < -overlap_noise) return is_long_enough ? std::vector<place>{here} : std::vector<place>();
            if (is_long_enough && (side.by > 0 || gap - side.by <= 2 * longest)) found.push_back(here);
        }
        return found;
    }
    // Where the clock can have been set.
    std::vector<place> places_of(const jump& j) const {
        std::vector<place> all = places_of(j.sides[0]);
        for (const place& here : places_of(j.sides[1])) all.push_back(here);
        return all;
    }
    // The one of these places where it was set; nothing if it may be several.
    std::optional<place> only(std::vector<place> all) const {
        // With others that have calls there, the rank would have shown it, too.
        if (all.size() != 1)
            all.erase(std::remove_if(all.begin(), all.end(),
                                     [&](const place& p) { return is_calm(p.rank, p.first, std::fabs(p.by) / 2); }),
                      all.end());
        return all.size() == 1 && all[0].is_sure ? std::optional<place>(all[0]) : std::nullopt;
    }
    // Whether calls before and after a step of the rank show that its clock was not set by `by` or more meanwhile.
    bool is_calm(std::size_t rank, std::size_t at, double by) const {
        for (const call_group& g : groups_) {
            const auto own = std::find_if(g.members.begin(), g.members.end(),
                                          [&](const call_group::member& m) { return m.rank == rank; });
            if (own == g.members.end() || !g.has_offsets) continue;
            const auto n = static_cast<std::size_t>(own - g.members.begin());
            const std::vector<std::size_t> rows = rows_of(g, facts_);
            for (std::size_t k = 1; k < rows.size(); ++k) {
                if (g.at(rows[k - 1], n)->place >= at || g.at(rows[k], n)->place < at) continue;
                for (std::size_t m = 0; m != g.members.size(); ++m)
                    if (m != n && std::fabs(g.at(rows[k], n)->after(*g.at(rows[k], m)) -
                                            g.at(rows[k - 1], n)->after(*g.at(rows[k - 1], m))) < by)
                        return true;
            }
        }
        return false;
    }
    bool is_calm_where_records_overlap(std::size_t rank) const {
        const std::vector<program_step>& program = ranks_[rank].program;
        number_range<double> sure;  // when the records are that do not overlap
        number_range<double> all;
        for (const program_step& s : program) {
            if (s.nested) continue;
            for (const double at : {s.start, s.start + s.duration}) {
                all.add(at);
                if (!s.is_doubtful) sure.add(at);
            }
        }
        if (all.least < sure.least || all.greatest > sure.greatest) return false;
        const program_step* last = nullptr;
        for (std::size_t n = 0; n != program.size(); ++n) {
            if (program[n].nested) continue;
            const program_step* const before = std::exchange(last, &program[n]);
            if (before == nullptr) continue;
            const double overlap = before->start + before->duration - last->start;
            if (!(overlap > overlap_noise)) continue;
            // Without a record that overlaps in the order of time, one of the two is somewhere else.
            if (!(before->is_doubtful || last->is_doubtful) ||
                !is_calm(rank, n, (std::min)(overlap, 0.3 * one_millisecond)))
                return false;
        }
        return true;
    }
    // All times from the record on are as if the clock had not been set.
    static void set_back(analysed_rank& r, const place& p) {
        const auto mended = std::make_shared<rank_sums>(*r.sums);
        auto& steps = mended->program->steps;
        auto s = std::find_if(steps.begin(), steps.end(),
                              [&](const kept_step& own) { return own.is_nested == 0 && own.record == p.record; });
        for (; s != steps.end(); ++s) s->end -= static_cast<std::int64_t>(p.by);
        r.sums = mended.get();
        r.mended = mended;
    }

    std::vector<analysed_rank>& ranks_;
    const std::vector<call_group>& groups_;
    const std::vector<operation_facts>& facts_;
    run_answers& run_;
    std::vector<jump> found_;
    std::set<std::size_t> set_now_;
    std::map<std::pair<std::size_t, std::uint64_t>, place> done_;  // keys: rank and record
};

struct leave_times {
    std::vector<double> leaves;
    std::vector<double> arrive;
};
// Adds how far apart the members arrive at each blocking call and leave it. Of how long the members take from the
// first to the last of these calls, adds the longest (`extents`) and by how much they differ (`spreads`).
inline void add_leave_times(call_group& g, const std::vector<operation_facts>& facts, bool is_by_one_clock,
                            leave_times& times, std::vector<double>& spreads, std::vector<double>& extents) {
    const std::vector<std::size_t> rows = clock_jumps::rows_of(g, facts);
    std::size_t deviating = 0;
    for (const std::size_t row : rows) {
        number_range<double> leaves;
        number_range<double> arrive;
        bool deviates = false;
        for (std::size_t n = 0; n != g.members.size(); ++n) {
            const double left = g.at(row, n)->after(*g.at(row, 0));
            leaves.add(left);
            arrive.add(left - g.at(row, n)->step->duration);
            deviates = deviates || std::fabs(left - g.members[n].offset) > run_clocks::max_noise;
        }
        deviating += deviates ? 1U : 0U;
        times.leaves.push_back(leaves.width());
        times.arrive.push_back(arrive.width());
    }
    if (rows.size() < 2 || !is_by_one_clock) return;
    number_range<double> extent;
    for (std::size_t n = 0; n != g.members.size(); ++n) extent.add(g.at(rows.back(), n)->after(*g.at(rows.front(), n)));
    g.is_apart = extent.width() > run_clocks::max_noise || deviating > 1 + rows.size() / 20;
    spreads.push_back(extent.width());
    extents.push_back(extent.greatest);
}

}  // namespace wlfmt::analysis

#endif
