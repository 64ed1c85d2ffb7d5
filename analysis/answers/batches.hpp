// Replays a pipeline with another number of micro-batches, which are copies of the traced ones.
#ifndef WLFMT_ANALYSIS_ANSWERS_BATCHES_HPP
#define WLFMT_ANALYSIS_ANSWERS_BATCHES_HPP

#include "../library.hpp"
#include "programs.hpp"
#include "schedule.hpp"

namespace wlfmt::analysis {

// A record of a rank: its events, the gap before it, and how long it works before and after its events.
struct replayed_record {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    double gap = 0;
    double before = 0;
    double after = 0;
};
// A rank's pipeline: the records of each micro-batch in the forward and the backward pass, without gaps, and the
// records before and after the pipeline.
struct passes_of_rank {
    std::vector<replayed_record> records[2];  // those of all forward passes, and those of all backward passes
    std::vector<std::size_t> begins[2];       // the first record of each micro-batch
    std::size_t steps[2] = {};                // the numbers of forward and of backward steps
    std::vector<bool> order;                  // whether each of these steps is a backward one
    std::vector<replayed_record> head;
    std::vector<replayed_record> tail;
    bool has_begun = false;  // the head is complete
    double gap = 0;          // the median gap before a record

    std::size_t batches(bool backward) const noexcept { return begins[backward].size(); }
    step_range records_of(bool backward, std::size_t batch) const noexcept {
        const bool is_last = batch + 1 == batches(backward);
        return {begins[backward][batch], is_last ? records[backward].size() : begins[backward][batch + 1]};
    }
    bool are_in_turn(std::size_t stages_after) const {
        for (std::size_t at = 0; at != order.size(); ++at)
            if (order[at] != is_backward_in_turn(at, batches(false), stages_after)) return false;
        return true;
    }
};

// Replays a pipeline in the 1F1B schedule, in which forward and backward passes alternate. No program is built: each
// rank goes through the schedule of its stage, and in each pass through the traced records.
class pipeline_replay {
    using programs = replayed_programs;

public:
    using posted = double;  // when a message was posted

    // Each message takes `transfer`. With `has_exchanges`, a send of the steady phase and the receive after it are one
    // exchange.
    pipeline_replay(const programs& traced, const std::vector<passes_of_rank>& passes, std::size_t stages,
                    double transfer, bool has_exchanges)
        : traced_(traced),
          passes_(passes),
          per_stage_(passes.size() / stages),
          transfer_(transfer),
          has_exchanges_(has_exchanges),
          schedules_(stages),
          ranks_(passes.size()),
          last_arrivals_(traced.collectives.size()) {}
    // When the last rank ends with this number of micro-batches; empty if a rank waits for ever.
    std::optional<double> end(std::size_t batches) {
        for (std::size_t stage = 0; stage != schedules_.size(); ++stage)
            schedules_[stage] = schedule_of(stage, batches);
        for (std::uint32_t r = 0; r != ranks_.size(); ++r) {
            const std::vector<task>& schedule = schedules_[r / per_stage_];
            ranks_[r] = rank_state();
            ranks_[r].next_task = schedule.data();
            ranks_[r].end_task = schedule.data() + schedule.size();
            ranks_[r].place = static_cast<std::uint32_t>(r % per_stage_);
            find_event(r);
        }
        if (!order_of_events<pipeline_replay>(*this, ranks_.size(), traced_.collectives).find()) return std::nullopt;
        double last_end = 0;
        for (std::uint32_t r = 0; r != ranks_.size(); ++r) last_end = (std::max)(last_end, reach_event(r));
        return last_end;
    }

    // The functions that order_of_events calls.
    const replayed_event* event(std::uint32_t r) const { return ranks_[r].event; }
    void advance(std::uint32_t r) {
        rank_state& own = ranks_[r];
        own.gap = 0;
        const bool is_last = ++own.event == own.end_event;
        own.work = is_last ? own.after : times_of(own).work;
        if (is_last) find_event(r);
    }
    posted post(std::uint32_t r) { return reach_event(r); }
    posted send(std::uint32_t r) {
        const double begin = reach_event(r);
        ranks_[r].now += transfer_;
        return begin;
    }
    void take(std::uint32_t r, posted message) { ranks_[r].now = (std::max)(ranks_[r].now, message) + transfer_; }
    void receive(std::uint32_t r, posted message) {
        reach_event(r);
        take(r, message);
    }
    void arrive(std::uint32_t r, std::uint32_t key, std::uint32_t before) {
        const double now = reach_event(r);
        last_arrivals_[key] = before == 0 ? now : (std::max)(last_arrivals_[key], now);
    }
    void depart(std::uint32_t r, std::uint32_t key) {
        rank_state& own = ranks_[r];
        const double end = last_arrivals_[key] + traced_.collectives[key].least;
        const bool is_asynchronous = own.event->what == replayed_action::asynchronous;
        own.now = is_asynchronous ? (std::max)(own.now + times_of(own).inside, end) : end;
    }

private:
    static constexpr std::uint32_t none = replayed_event::none;

    // What the ranks of a stage do next: the records of a pass, or a message.
    struct task {
        enum class kind : std::uint8_t { head, forward, backward, message, tail };
        kind what;
        std::size_t batch = 0;     // the micro-batch of a pass
        std::uint32_t out = none;  // the channels of a message, for the first rank of the stage
        std::uint32_t in = none;
    };
    struct rank_state {
        double now = 0;
        double work = 0;                        // how long it works before its next event
        double gap = 0;                         // how long it pauses before its next event
        double after = 0;                       // how long it works after the events of its record
        double pause = 0;                       // how long it pauses after its task
        const replayed_event* event = nullptr;  // its event, null after the last one
        const replayed_event* end_event = nullptr;
        const replayed_record* record = nullptr;  // the next record of its task
        const replayed_record* end_record = nullptr;
        const task* next_task = nullptr;
        const task* end_task = nullptr;
        std::uint32_t place = 0;  // its place among the ranks of its stage
        replayed_event message;
    };

    // Forward and backward passes alternate, after as many forward passes as there are stages after this one.
    std::vector<task> schedule_of(std::size_t stage, std::size_t batches) const {
        std::vector<task> schedule;
        const std::size_t traced = passes_[0].batches(false);
        const std::size_t first = stage * per_stage_;
        const bool is_first = stage == 0;
        const bool is_last = stage == schedules_.size() - 1;
        const std::uint32_t forward_in = is_first ? none : programs::channel(first - per_stage_, false);
        const std::uint32_t forward_out = is_last ? none : programs::channel(first, false);
        const std::uint32_t backward_in = is_last ? none : programs::channel(first + per_stage_, true);
        const std::uint32_t backward_out = is_first ? none : programs::channel(first, true);
        const auto message = [&](std::uint32_t out, std::uint32_t in) {
            if (out != none || in != none) schedule.push_back({task::kind::message, 0, out, in});
        };
        const auto exchange = [&](std::uint32_t out, std::uint32_t in) {
            if (has_exchanges_) return message(out, in);
            message(out, none);
            message(none, in);
        };
        const auto forward = [&](std::size_t batch) { schedule.push_back({task::kind::forward, batch % traced}); };
        const auto backward = [&](std::size_t batch) { schedule.push_back({task::kind::backward, batch % traced}); };
        const std::size_t ahead = (std::min)(batches, schedules_.size() - 1 - stage);
        schedule.push_back({task::kind::head});
        for (std::size_t n = 0; n != ahead; ++n) {
            message(none, forward_in);
            forward(n);
            message(forward_out, none);
        }
        for (std::size_t n = 0; n != batches - ahead; ++n) {
            if (n == 0) message(none, forward_in);
            forward(ahead + n);
            exchange(forward_out, backward_in);
            backward(n);
            if (n + 1 == batches - ahead) message(backward_out, none);
            else exchange(backward_out, forward_in);
        }
        for (std::size_t n = batches - ahead; n != batches; ++n) {
            message(none, backward_in);
            backward(n);
            message(backward_out, none);
        }
        schedule.push_back({task::kind::tail});
        return schedule;
    }
    const event_times& times_of(const rank_state& own) const {
        return traced_.times()[static_cast<std::size_t>(own.event - traced_.events().data())];
    }
    // Lets a rank work and pause until its next event, or its end. Returns when it gets there.
    double reach_event(std::uint32_t r) {
        rank_state& own = ranks_[r];
        return own.now += own.work + own.gap;
    }
    // Goes on to the rank's next event, and adds up the work and the gaps before it.
    void find_event(std::uint32_t r) {
        rank_state& own = ranks_[r];
        while (own.event == own.end_event) {
            if (own.record != own.end_record) {
                const replayed_record& record = *own.record++;
                own.gap += record.gap;
                own.work += record.before;
                own.after = record.after;
                own.event = traced_.events().data() + record.first;
                own.end_event = traced_.events().data() + record.end;
            } else {
                own.gap += std::exchange(own.pause, 0);
                own.event = own.end_event = nullptr;
                if (own.next_task == own.end_task) return;
                begin_task(own, passes_[r], *own.next_task++);
            }
        }
    }
    void begin_task(rank_state& own, const passes_of_rank& passes, const task& t) const {
        const auto set_records = [&](const std::vector<replayed_record>& records, step_range range) {
            own.record = records.data() + range.begin;
            own.end_record = records.data() + range.end;
        };
        const auto own_channel = [&](std::uint32_t channel_of_first) {
            return channel_of_first == none ? none : channel_of_first + programs::channel(own.place, false);
        };
        switch (t.what) {
        case task::kind::head: return set_records(passes.head, {0, passes.head.size()});
        case task::kind::tail: return set_records(passes.tail, {0, passes.tail.size()});
        case task::kind::forward: set_records(passes.records[0], passes.records_of(false, t.batch)); break;
        case task::kind::backward: set_records(passes.records[1], passes.records_of(true, t.batch)); break;
        case task::kind::message:
            own.message.key = own_channel(t.out);
            own.message.needs = own_channel(t.in);
            own.event = &own.message;
            own.end_event = own.event + 1;
            own.after = 0;
        }
        own.pause = passes.gap;
    }

    const programs& traced_;
    const std::vector<passes_of_rank>& passes_;
    std::size_t per_stage_;
    double transfer_;
    bool has_exchanges_;
    std::vector<std::vector<task>> schedules_;  // the tasks of each stage's ranks
    std::vector<rank_state> ranks_;
    std::vector<double> last_arrivals_;  // when the last member so far arrived at each collective
};

}  // namespace wlfmt::analysis

#endif
