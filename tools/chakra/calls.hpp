// Compares the calls that several ranks make together, and combines what their logs say about each call.
#ifndef WLFMT_TOOLS_CHAKRA_CALLS_HPP
#define WLFMT_TOOLS_CHAKRA_CALLS_HPP

#include "analysis/chakra/chakra.hpp"

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"
#include "groups.hpp"

namespace tool {

// Checks that all ranks of a group reach the same collectives in the same order.
class collective_order {
public:
    // Where a rank's collectives first differ from those of its group's first rank, whose log was read first.
    struct order_difference {
        std::int64_t group = 0;
        std::size_t number = 0;        // the first collective that differs, counted from 1 among those of the group
        std::string_view record = {};  // the record of this rank; empty if its log ends before it
        std::int64_t first_rank = 0;
        std::uint64_t first_line = 0;  // the line in the first rank's log; 0 if that log ends before it
    };

    // Begins a rank, whose log is `text`. Then call add() for its collectives, in the order of the log.
    void begin(std::int64_t rank, std::string_view text) {
        rank_ = rank;
        line_ = 1;
        counted_ = text.data();
        programs_.clear();
    }
    void add(const wlfmt::analysis::chakra::traced_collective& call) {
        const std::string_view record = call.operation->source;
        line_ += static_cast<std::uint64_t>(std::count(counted_, record.data(), '\n'));
        counted_ = record.data();
        rank_program& program = programs_[call.group];
        const std::size_t n = program.reached++;
        first_program& first = first_[call.group];
        if (n == 0) first.reached_by[rank_] = true;
        if (first.rank < 0) first.rank = rank_;
        if (first.rank == rank_) {
            first.calls.push_back({call.type, call.bytes, line_});
            return;
        }
        const bool same =
            n < first.calls.size() && first.calls[n].type == call.type && first.calls[n].bytes == call.bytes;
        if (same || program.differs) return;
        program.differs = true;
        program.difference = {call.group, n + 1, record, first.rank, n < first.calls.size() ? first.calls[n].line : 0};
    }
    // Calls each(difference) for the groups in which this rank is the first to differ.
    template <class Each> void differences(Each&& each) {
        for (const auto [group, program] : programs_) {
            first_program& first = first_[group];
            if (first.rank == rank_ || first.is_reported) continue;
            if (!program.differs && program.reached < first.calls.size()) {
                program.differs = true;
                program.difference = {group, program.reached + 1, {}, first.rank, first.calls[program.reached].line};
            }
            if (!program.differs) continue;
            first.is_reported = true;
            each(program.difference);
        }
    }

    // Call this after the last rank. Calls each(group, rank) for each member of a group that reached none of the
    // group's collectives. `groups` is ASTRA-sim's list, {"1":[0,1],...}.
    template <class Each> void absent(std::string_view groups, Each&& each) {
        for (const auto [group, first] : first_) {
            const auto members = ranks_in(groups, std::to_string(group));
            if (!members) continue;
            for (const std::int64_t rank : *members)
                if (!first.reached_by.has(rank)) each(group, rank);
        }
    }

private:
    struct collective {
        std::int64_t type;
        std::int64_t bytes;
        std::uint64_t line;
    };
    struct first_program {
        std::int64_t rank = -1;
        std::vector<collective> calls;
        keyed<std::int64_t, bool> reached_by;
        bool is_reported = false;
    };
    struct rank_program {
        std::size_t reached = 0;
        bool differs = false;
        order_difference difference;
    };
    std::int64_t rank_ = 0;
    std::uint64_t line_ = 1;
    const char* counted_ = nullptr;
    keyed<std::int64_t, rank_program> programs_;
    keyed<std::int64_t, first_program> first_;
};

// The times of operations that the ranks of a group end together: the k-th calls of all ranks are taken for one call. A
// rank that arrives early waits for the others, so the shortest time is the actual work of the call.
class shared_calls {
public:
    void begin() { next_.clear(); }
    // Call this in the first pass over the logs.
    void add(std::int64_t group, double ms) {
        std::vector<double>& shortest = shortest_[group];
        const std::size_t n = next_[group]++;
        if (n == shortest.size()) shortest.push_back(ms);
        else shortest[n] = (std::min)(shortest[n], ms);
    }
    // Call this in the second pass: it returns the shortest time.
    double take(std::int64_t group, double ms) {
        const double shortest = shortest_[group][next_[group]++];
        left_out_ += ms - shortest;
        return shortest;
    }
    double left_out() const noexcept { return left_out_; }

private:
    keyed<std::int64_t, std::vector<double>> shortest_;
    keyed<std::int64_t, std::size_t> next_;
    double left_out_ = 0;
};

// The bytes of each group's all-to-alls: the k-th all-to-alls of all ranks are taken for one call.
class all_to_all_bytes {
public:
    void begin(std::int64_t rank) {
        rank_ = rank;
        next_.clear();
    }
    // Call this in the first pass over the logs.
    void add(std::int64_t group, std::int64_t bytes) {
        std::vector<all_to_all>& calls = calls_[group];
        const std::size_t n = next_[group]++;
        if (n == calls.size()) calls.push_back({0, 0, bytes, bytes, rank_, rank_});
        all_to_all& call = calls[n];
        ++call.ranks;
        call.sum += static_cast<double>(bytes);
        if (bytes < call.least) call.least = bytes, call.least_rank = rank_;
        if (bytes > call.greatest) call.greatest = bytes, call.greatest_rank = rank_;
    }
    // Call this in the second pass: it returns the mean.
    std::int64_t take(std::int64_t group) {
        const all_to_all& call = calls_[group][next_[group]++];
        return static_cast<std::int64_t>(call.sum / static_cast<double>(call.ranks) + 0.5);
    }
    void print_note() const {
        std::uint64_t changed = 0;
        const all_to_all* widest = nullptr;
        for (const auto& [group, calls] : calls_) {
            for (const all_to_all& call : calls) {
                if (call.least == call.greatest) continue;
                ++changed;
                if (widest == nullptr || call.greatest - call.least > widest->greatest - widest->least) widest = &call;
            }
        }
        if (widest == nullptr) return;
        say("wlfmt",
            {"note: ", counted(changed, "all-to-all has", "all-to-alls have"),
             " the mean of what the ranks pass; the largest difference is that between ", widest->least,
             " bytes of rank ", widest->least_rank, " and ", widest->greatest, " of rank ", widest->greatest_rank});
    }

private:
    struct all_to_all {
        std::size_t ranks;
        double sum;
        std::int64_t least;
        std::int64_t greatest;
        std::int64_t least_rank;
        std::int64_t greatest_rank;
    };
    std::int64_t rank_ = 0;
    keyed<std::int64_t, std::vector<all_to_all>> calls_;
    keyed<std::int64_t, std::size_t> next_;
};

// The trace writer's callbacks. The first pass over the logs gathers what all ranks say about each call; the second
// pass uses that to write the traces.
class run_calls {
public:
    void attach_to(wlfmt::analysis::chakra::run& run, bool balances) {
        run.context = this;
        run.on_collective = [](void* self, const wlfmt::analysis::chakra::traced_collective& call) {
            run_calls& calls = *static_cast<run_calls*>(self);
            if (!calls.is_writing) calls.order.add(call);
        };
        if (balances)
            run.share_of = [](void* self, std::int64_t group, std::int64_t bytes) {
                run_calls& calls = *static_cast<run_calls*>(self);
                if (calls.is_writing) return calls.shares_.take(group);
                calls.shares_.add(group, bytes);
                return std::int64_t{0};  // equal in all ranks, as the balanced bytes are not known yet
            };
        run.on_single = [](void* self, wlfmt::oplog::group kind) {
            run_calls& calls = *static_cast<run_calls*>(self);
            if (calls.is_writing) ++calls.one_rank_calls_[std::string(name_of(kind))];
        };
        run.on_rounded_up = [](void* self) { ++static_cast<run_calls*>(self)->rounded_up_; };
        run.work_of = [](void* self, wlfmt::analysis::chakra::shared_call kind, std::int64_t group, double ms) {
            run_calls& calls = *static_cast<run_calls*>(self);
            const bool is_asynchronous = kind == wlfmt::analysis::chakra::shared_call::asynchronous;
            shared_calls& times = is_asynchronous ? calls.asynchronous_ : calls.optimizer_steps_;
            if (calls.is_writing) return times.take(group, ms);
            times.add(group, ms);
            return ms;
        };
    }
    // Begins a rank, whose log is `text`.
    void begin(std::int64_t rank, std::string_view text) {
        if (!is_writing) order.begin(rank, text);
        asynchronous_.begin();
        optimizer_steps_.begin();
        shares_.begin(rank);
    }
    void print_notes(const settings& s) {
        shares_.print_note();
        if (rounded_up_ != 0)
            say("wlfmt", {"note: all-gathers of less than a byte for each of ", s.splits,
                          " pieces are rounded up, as ASTRA-sim would never end them (--splits)"});
        const bool has_sizes = s.ranks != 0 || s.tensor != 0 || s.pipeline != 0 || s.expert != 0;
        for (const auto& [kind, count] : one_rank_calls_)
            if (has_sizes)
                say("wlfmt", {"note: ", counted(count, "collective", "collectives"), " of ", kind, " groups ",
                              count == 1 ? "is" : "are", " computation, as each group has one rank",
                              "; is it otherwise? see --world-size, --tp, --pp, --ep"});
        print_left_out("asynchronous collectives", "waiting, or longer computation than in the shortest rank,",
                       asynchronous_);
        print_left_out("optimizer_step", "waiting for the last rank", optimizer_steps_);
    }

    bool is_writing = false;
    collective_order order;

private:
    static void print_left_out(const std::string& kind, const std::string& why, const shared_calls& calls) {
        if (calls.left_out() < 0.005) return;
        say("wlfmt", {"note: ", kind, ": ", fixed(calls.left_out(), 2), " ms of ", why,
                      " are left out of the traces of all ranks together"});
    }

    shared_calls asynchronous_;  // the computation alongside asynchronous collectives
    shared_calls optimizer_steps_;
    all_to_all_bytes shares_;  // used with --balance
    std::uint64_t rounded_up_ = 0;
    keyed<std::string, std::uint64_t> one_rank_calls_;  // collectives in groups of one rank, by kind of group
};

}  // namespace tool

#endif
