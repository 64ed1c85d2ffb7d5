// Finds times that contradict each other, or that nothing else in the run confirms.
#ifndef WLFMT_ANALYSIS_ANSWERS_DOUBTFUL_HPP
#define WLFMT_ANALYSIS_ANSWERS_DOUBTFUL_HPP

#include <algorithm>

#include "align.hpp"

namespace wlfmt::analysis {

inline void add_doubtful_time(run_answers& run, const analysed_rank& r, std::uint64_t record, doubtful_time::cause why,
                              double time) {
    constexpr std::size_t max_listed = 1000;
    if (run.doubtful_times.size() != max_listed)
        run.doubtful_times.push_back({r.rank, record, why, in_milliseconds(time)});
}
// Whether the log has a record before, too, as where its end was written twice. `first`: where it has each record
// first.
inline bool was_before(const std::vector<kept_step>& steps, const kept_step& record,
                       std::map<three_numbers, std::uint32_t>& first) {
    const auto key_of = [](const kept_step& s) { return three_numbers{s.end, s.duration, s.name}; };
    if (first.empty())
        for (const kept_step& s : steps)
            if (s.is_nested == 0) first.try_emplace(key_of(s), std::uint32_t{s.record});
    return first.find(key_of(record))->second < record.record;
}
inline void mark_doubtful(analysed_rank& r, std::size_t record) {
    if (r.program[record].is_doubtful) return;
    ++r.contradictions;
    do r.program[record].is_doubtful = true;
    while (++record != r.program.size() && r.program[record].nested);
}
// Marks records whose times contradict each other: the blocking calls of a record cannot take longer than it does,
// nor end before it begins, nor can it contain the record before it. A millisecond is allowed, as times are
// rounded.
inline void find_doubtful(analysed_rank& r) {
    double start = 0;  // where the record before begins
    double end = 0;
    for (std::size_t n = 0; n != r.program.size();) {
        const std::size_t record = n;
        const program_step& own = r.program[record];
        double calls = 0;
        bool is_early = false;  // a call ends before its record begins
        for (++n; n != r.program.size() && r.program[n].nested; ++n) {
            const program_step& call = r.program[n];
            calls =
                call.what == program_step::kind::collective ? calls + call.duration : (std::max)(calls, call.duration);
            // A call without a timestamp ends at 0.
            const double call_end = call.start + call.duration;
            const bool is_timed = call_end > -static_cast<double>(r.first);
            is_early = is_early || (is_timed && call_end < own.start - one_millisecond);
        }
        const double own_end = own.start + own.duration;
        const bool contains = record != 0 && own.start < start - one_millisecond && own_end > end;
        start = own.start;
        end = own_end;
        if (calls > own.duration + one_millisecond || contains || is_early) mark_doubtful(r, record);
    }
}
// From when the first record begins to when the last one ends.
inline number_range<std::int64_t> span_of(const std::vector<kept_step>& steps) {
    number_range<std::int64_t> span;
    for (const kept_step& kept : steps) {
        if (kept.is_nested) continue;
        span.add(kept.end - kept.duration);
        span.add(kept.end);
    }
    return span;
}
// Takes records of a log that have changed places with their neighbours in the order of time, if no two overlap in it
// and it is the order in which another rank of the stage has them: otherwise, a time may be wrong, or a clock set back.
inline void put_in_order(analysed_rank& r, const std::vector<analysed_rank>& ranks, run_answers& run) {
    const auto begin_of = [](const kept_step& s) { return s.end - s.duration; };
    const auto records_of = [](const analysed_rank& own) {
        std::vector<const kept_step*> records;
        for (const kept_step& s : own.sums->program->steps)
            if (s.is_nested == 0) records.push_back(&s);
        return records;
    };
    const auto& steps = r.sums->program->steps;
    const kept_step* last = nullptr;
    const bool any = std::any_of(steps.begin(), steps.end(), [&](const kept_step& s) {
        if (s.is_nested != 0) return false;
        const kept_step* const before = std::exchange(last, &s);
        return before != nullptr && before->end - begin_of(s) > overlap_noise && before->end > s.end;
    });
    if (!any || r.mended) return;
    const std::vector<const kept_step*> written = records_of(r);
    std::vector<const kept_step*> records = written;
    std::stable_sort(records.begin(), records.end(),
                     [](const kept_step* a, const kept_step* b) { return a->end < b->end; });
    for (std::size_t n = 0; n != records.size(); ++n) {
        const bool is_near = records[n] == written[n] || (n != 0 && records[n] == written[n - 1]) ||
                             (n + 1 != written.size() && records[n] == written[n + 1]);
        if (!is_near || (n != 0 && records[n - 1]->end - begin_of(*records[n]) > overlap_noise)) return;
    }
    const auto has_the_order = [&](const analysed_rank& other) {
        const auto are_same = [](const kept_step* a, const kept_step* b) {
            return a->name == b->name && a->place == b->place;
        };
        const auto others = records_of(other);
        return &other != &r && other.sums->stage == r.sums->stage &&
               std::equal(records.begin(), records.end(), others.begin(), others.end(), are_same);
    };
    if (std::none_of(ranks.begin(), ranks.end(), has_the_order)) return;
    const auto mended = std::make_shared<rank_sums>(*r.sums);
    mended->program->steps.clear();
    for (const kept_step* s : records) {
        const kept_step* const end = steps.data() + steps.size();
        do mended->program->steps.push_back(*s);
        while (++s != end && s->is_nested != 0);
    }
    for (std::size_t n = 1; n < written.size(); ++n)
        if (const std::int64_t overlap = written[n - 1]->end - begin_of(*written[n]); overlap > overlap_noise)
            add_doubtful_time(run, r, written[n]->record, doubtful_time::cause::order, static_cast<double>(overlap));
    r.sums = mended.get();
    r.mended = mended;
}
// Of two records that overlap, neither is known to have the right time.
inline void find_overlaps(analysed_rank& r) {
    if (!r.is_in_disorder) return;
    std::vector<std::size_t> order;
    for (std::size_t n = 0; n != r.program.size(); ++n)
        if (!r.program[n].nested && !r.program[n].is_doubtful) order.push_back(n);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return r.program[a].start < r.program[b].start; });
    const auto end_of = [&](std::size_t n) { return r.program[n].start + r.program[n].duration; };
    std::size_t last = 0;  // of the records so far, the one that ends last
    for (std::size_t n = 1; n < order.size(); ++n) {
        if (end_of(order[n - 1]) > end_of(order[last])) last = n - 1;
        if (!(r.program[order[n]].start < end_of(order[last]) - overlap_noise)) continue;
        mark_doubtful(r, order[last]);
        mark_doubtful(r, order[n]);
    }
}
// Finds gaps that are longer than the rest of the run, and first records that are more than twice as long as all that
// other ranks did: no record before it shows that such a record cannot have begun so early. A slow rank is longer than
// all of that, too, where a log has few records.
inline void find_long_times(std::vector<analysed_rank>& ranks, run_answers& run) {
    struct longest {
        double gap = 0;
        std::uint64_t record = 0;  // the one after the gap
        double rest = 0;           // the rank's span, without the gap if that is longer than the rest of the span
    };
    std::vector<longest> gaps;
    double rests[2] = {0, 0};  // the two longest
    for (const analysed_rank& r : ranks) {
        longest& own = gaps.emplace_back();
        double end = r.program[0].start + r.program[0].duration;
        for (const program_step& s : r.program) {
            if (s.nested) continue;
            if (s.start - end > own.gap) own = {s.start - end, s.record, 0};
            end = (std::max)(end, s.start + s.duration);
        }
        own.rest = static_cast<double>(r.last - r.first);
        if (2 * own.gap > own.rest) own.rest -= own.gap;
        rests[1] = (std::max)(rests[1], (std::min)(rests[0], own.rest));
        rests[0] = (std::max)(rests[0], own.rest);
    }
    for (std::size_t n = 0; n != ranks.size(); ++n) {
        analysed_rank& r = ranks[n];
        if (gaps[n].gap > rests[0]) {
            r.has_doubtful_clock = true;
            add_doubtful_time(run, r, gaps[n].record, doubtful_time::cause::gap, gaps[n].gap);
        }
        const double first = r.program[0].duration;
        const double others = gaps[n].rest < rests[0] ? rests[0] : rests[1];
        const double own = gaps[n].rest - first;
        if (ranks.size() == 1 || !(own > 0) || first <= 2 * (std::max)(others, own)) continue;
        mark_doubtful(r, 0);
        r.has_doubtful_clock = true;
        add_doubtful_time(run, r, r.program[0].record, doubtful_time::cause::too_long, first);
    }
}

}  // namespace wlfmt::analysis

#endif
