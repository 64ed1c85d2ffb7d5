// Finds logs that are not of the run that the other logs are of: a copy of another rank's log, one of another number of
// iterations or micro-batches, and one whose times are in another unit.
#ifndef WLFMT_ANALYSIS_ANSWERS_SAME_RUN_HPP
#define WLFMT_ANALYSIS_ANSWERS_SAME_RUN_HPP

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "../library.hpp"
#include "../summary/state.hpp"
#include "rank.hpp"

namespace wlfmt::analysis {

class same_run {
    using cause = strange_log::cause;

public:
    // Adds what it finds to `run`, and moves the ranks of these logs from `ranks` to run.left_out.
    same_run(const name_list& names, std::vector<analysed_rank>& ranks, run_answers& run) : ranks_(ranks), run_(run) {
        if (ranks.size() < 2) return;
        for (std::uint32_t n = 0; n != names.size(); ++n) facts_.push_back(operations::facts_of(names[n]));
        for (const analysed_rank& r : ranks) programs_.push_back(program_of(r));
        find_units(&program::durations, cause::short_durations, cause::long_durations);
        find_units(&program::distances, cause::short_distances, cause::long_distances);
        find_programs();
        find_copies();
        std::stable_sort(run.strange_logs.begin(), run.strange_logs.end(),
                         [](const strange_log& a, const strange_log& b) { return a.rank < b.rank; });
        std::set<std::int64_t> strange;
        for (const strange_log& s : run.strange_logs)
            if (strange.insert(s.rank).second) run.left_out.push_back(s.rank);
        std::sort(run.left_out.begin(), run.left_out.end());
        ranks.erase(std::remove_if(ranks.begin(), ranks.end(),
                                   [&](const analysed_rank& r) { return strange.count(r.rank) != 0; }),
                    ranks.end());
    }

private:
    using medians = std::map<std::uint32_t, double>;  // keys: numbers of operations
    // What a log says of its rank's program.
    struct program {
        medians durations;
        medians distances;                               // from the end of the record before to that of the record
        std::map<std::uint32_t, std::uint64_t> records;  // of work, with a micro-batch, by operation
        std::uint64_t iterations = 0;
        std::uint64_t batches = 0;             // the greatest number of an iteration
        std::set<std::int64_t> first_batches;  // those of the first iteration
        std::uint64_t passes = 0;              // the number of forward steps
    };

    program program_of(const analysed_rank& r) const {
        program p;
        std::map<std::uint32_t, std::vector<double>> durations;
        std::map<std::uint32_t, std::vector<double>> distances;
        std::set<std::int64_t> batches;  // of the iteration
        const kept_step* before = nullptr;
        for (const kept_step& s : r.sums->program->steps) {
            if (s.is_nested != 0) continue;
            const kept_step* const last = before;
            before = &s;
            if (last != nullptr && last->end == s.end && last->duration == s.duration) continue;
            const operation_facts& operation = facts_[s.name];
            if (operation.kind == operation_kind::optimizer) {
                ++p.iterations;
                batches.clear();
            }
            if (operation.kind == operation_kind::forward) ++p.passes;
            if (!operation.is_pipeline_step()) continue;
            durations[s.name].push_back(static_cast<double>(s.duration));
            if (last != nullptr)
                distances[s.name].push_back(static_cast<double>(s.end) - static_cast<double>(last->end));
            if (s.place == no_number) continue;
            ++p.records[s.name];
            batches.insert(s.place);
            p.batches = (std::max)(p.batches, std::uint64_t{batches.size()});
            if (p.iterations == 0) p.first_batches.insert(s.place);
        }
        for (auto& [name, values] : durations) p.durations[name] = low_median(std::move(values));
        for (auto& [name, values] : distances) p.distances[name] = low_median(std::move(values));
        return p;
    }
    void add(std::size_t rank, std::size_t other, cause why, std::uint64_t number, std::uint64_t of_other) {
        run_.strange_logs.push_back({ranks_[rank].rank, ranks_[other].rank, why, number, of_other});
    }

    // A log is in another unit if its median time of each operation differs that much from those of at least half of
    // the ranks: no rank is that slow, or that quick, in all that it does. Where as many ranks say one thing as say
    // another, none of them is known to be right. A log in hundredths of its unit may say 0 of short times, which tells
    // nothing.
    void find_units(medians program::*of, cause shorter, cause longer) {
        constexpr double least_factor = 300;
        struct verdict {
            bool is_usual = false;        // it is as long as others say in an operation
            std::vector<double> factors;  // one for each of the other operations
            std::size_t other = 0;
        };
        using rank_median = std::pair<double, std::size_t>;
        std::map<std::uint32_t, std::vector<rank_median>> by_operation;
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            for (const auto& [operation, median] : programs_[n].*of)
                if (median > 0) by_operation[operation].emplace_back(median, n);
        std::vector<verdict> short_ones(ranks_.size());
        std::vector<verdict> long_ones(ranks_.size());
        for (auto& [operation, all] : by_operation) {
            if (all.size() < 2) continue;
            std::sort(all.begin(), all.end());
            const std::size_t half = (all.size() + 1) / 2;
            const auto count_less = [&, &list = all](double limit) {
                const auto end = std::partition_point(list.begin(), list.end(),
                                                      [limit](const rank_median& m) { return m.first < limit; });
                return static_cast<std::size_t>(end - list.begin());
            };
            for (const auto& [own, rank] : all) {
                verdict& is_short = short_ones[rank];
                verdict& is_long = long_ones[rank];
                const std::size_t less = count_less(own / least_factor);
                const std::size_t not_more = count_less(own * least_factor);
                if (all.size() - not_more >= half) {
                    is_short.other = all[all.size() - (all.size() - not_more + 1) / 2].second;
                    is_short.factors.push_back(all[all.size() - half].first / own);
                } else {
                    is_short.is_usual = true;
                }
                if (less >= half) {
                    is_long.other = all[less / 2].second;
                    is_long.factors.push_back(own / all[half - 1].first);
                } else {
                    is_long.is_usual = true;
                }
            }
        }
        const auto tell = [&](std::vector<verdict>& verdicts, cause why) {
            for (std::size_t n = 0; n != verdicts.size(); ++n) {
                verdict& v = verdicts[n];
                const std::size_t operations = v.factors.size();
                if (!v.is_usual && operations >= 2)
                    add(n, v.other, why, static_cast<std::uint64_t>(low_median(std::move(v.factors))), operations);
            }
        };
        tell(short_ones, shorter);
        tell(long_ones, longer);
    }

    // Whether each log is whole, for its number of iterations and micro-batches: one has so many times as many records
    // of each operation as the other, as many as these numbers make, and its micro-batches are the first ones of the
    // other. A log that lacks records has not. Without optimizer_step, only the greater one is known to be whole.
    bool are_whole(std::size_t a, std::size_t b) const {
        const program& p = programs_[a];
        const program& q = programs_[b];
        if (p.iterations == 0 && q.iterations == 0) {
            if (p.passes <= q.passes) return false;
        } else if (p.passes * q.iterations * q.batches != q.passes * p.iterations * p.batches) {
            return false;
        }
        const auto& fewer = p.batches < q.batches ? p.first_batches : q.first_batches;
        const auto& more = p.batches < q.batches ? q.first_batches : p.first_batches;
        if (fewer.size() > more.size() || !std::equal(fewer.begin(), fewer.end(), more.begin())) return false;
        std::pair<std::uint64_t, std::uint64_t> first;
        std::size_t shared = 0;
        for (const auto& [operation, count] : p.records) {
            const auto at = q.records.find(operation);
            if (at == q.records.end()) continue;
            if (shared++ == 0) first = {count, at->second};
            else if (count * first.second != at->second * first.first) return false;
        }
        if (shared < 2 || (ranks_[a].sums->stage == ranks_[b].sums->stage &&
                           (shared != p.records.size() || shared != q.records.size())))
            return false;
        return first.first != first.second || p.batches != q.batches;
    }
    // A log is of another program if half of the ranks, or more, have other numbers of iterations, micro-batches or
    // passes, and it lacks nothing. Stages may have different numbers of passes.
    void find_programs() {
        std::map<std::array<std::uint64_t, 3>, std::vector<std::size_t>> ranks_with;
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            const program& p = programs_[n];
            if (p.batches != 0) ranks_with[{p.iterations, p.batches, p.passes}].push_back(n);
        }
        for (const auto& [own, ranks] : ranks_with) {
            // Without optimizer_step, the fewer records may be those of logs that were cut off.
            if (2 * ranks.size() + (own[0] == 0 ? 1 : 0) > ranks_.size()) continue;
            const std::vector<std::size_t>* others = nullptr;
            for (const auto& [numbers, more] : ranks_with)
                if (numbers != own && (others == nullptr || more.size() > others->size())) others = &more;
            if (others != nullptr && others->size() >= ranks.size())
                for (const std::size_t n : ranks) compare_programs(n, *others);
        }
    }
    void compare_programs(std::size_t n, const std::vector<std::size_t>& others) {
        const auto peer = std::find_if(others.begin(), others.end(), [&](std::size_t other) {
            return ranks_[other].sums->stage == ranks_[n].sums->stage;
        });
        const std::size_t other = peer != others.end() ? *peer : others.front();
        if (!are_whole(n, other)) return;
        const auto tell_if_different = [&](cause why, std::uint64_t program::*number) {
            const std::uint64_t numbers[] = {programs_[n].*number, programs_[other].*number};
            if (numbers[0] == numbers[1]) return false;
            add(n, other, why, numbers[0], numbers[1]);
            return true;
        };
        if (!tell_if_different(cause::iterations, &program::iterations) &&
            !tell_if_different(cause::batches, &program::batches) && peer != others.end())
            tell_if_different(cause::passes, &program::passes);
    }

    // Ranks that do the same in a simulation have the same times, too. Logs are copies if they say that ranks of
    // different stages are in one, or if they have the times of measured records, which hardly ever repeat, and other
    // ranks of a stage have not the same times.
    void find_copies() {
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::size_t>> alike;  // keys: the time of a log
        for (std::size_t n = 0; n != ranks_.size(); ++n) {
            const auto& steps = ranks_[n].sums->program->steps;
            std::int64_t sum = 0;
            for (const kept_step& s : steps) sum ^= s.duration;
            alike[{steps.back().end, sum}].push_back(n);
        }
        const std::vector<std::size_t>* copies = nullptr;
        for (const auto& [key, ranks] : alike) {
            if (ranks.size() < 2) continue;
            if (copies != nullptr || !are_copies(ranks)) return;
            copies = &ranks;
        }
        if (copies == nullptr) return;
        const std::size_t count = ranks_[copies->front()].sums->program->steps.size();
        // A copy from another stage says the stage of the original.
        std::vector<std::size_t> misplaced;
        if (run_.sizes)
            for (std::size_t n = 0; n != ranks_.size(); ++n)
                if (ranks_[n].sums->stage != ranks_[n].rank / (run_.sizes->world / run_.sizes->pipeline))
                    misplaced.push_back(n);
        const bool are_misplaced = !misplaced.empty() && misplaced.size() < copies->size() &&
                                   std::includes(copies->begin(), copies->end(), misplaced.begin(), misplaced.end());
        if (!are_misplaced && !(is_measured(ranks_[copies->front()]) && have_other_times(*copies))) return;
        for (const std::size_t n : are_misplaced ? misplaced : *copies)
            add(n, n == copies->front() ? copies->back() : copies->front(), cause::copy, count, count);
    }
    bool are_copies(const std::vector<std::size_t>& ranks) const {
        const auto& first = ranks_[ranks.front()].sums->program->steps;
        return std::all_of(ranks.begin(), ranks.end(), [&](std::size_t n) {
            const auto& steps = ranks_[n].sums->program->steps;
            return std::equal(steps.begin(), steps.end(), first.begin(), first.end(),
                              [](const kept_step& a, const kept_step& b) {
                                  return a.end == b.end && a.duration == b.duration && a.name == b.name;
                              });
        });
    }
    // Whether most times of 1 ms or more are of no other record or call of the log, and there are enough of them.
    static bool is_measured(const analysed_rank& r) {
        constexpr std::int64_t least_time = 1000000;
        constexpr std::size_t enough = 6;
        std::vector<std::int64_t> long_times;
        for (const kept_step& s : r.sums->program->steps)
            if (s.duration >= least_time) long_times.push_back(s.duration);
        const std::set<std::int64_t> different(long_times.begin(), long_times.end());
        return r.sums->program->steps.size() > 8 && different.size() >= enough &&
               4 * different.size() >= 3 * long_times.size();
    }
    // Whether two ranks of a stage, which are no copies, are there: they have not the same times.
    bool have_other_times(const std::vector<std::size_t>& copies) const {
        std::set<std::int64_t> stages;
        for (std::size_t n = 0; n != ranks_.size(); ++n)
            if (!std::binary_search(copies.begin(), copies.end(), n) && !stages.insert(ranks_[n].sums->stage).second)
                return true;
        return false;
    }

    std::vector<analysed_rank>& ranks_;
    run_answers& run_;
    std::vector<operation_facts> facts_;
    std::vector<program> programs_;
};

}  // namespace wlfmt::analysis

#endif
