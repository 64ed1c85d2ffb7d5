// chakra: writes the traces of a run from its op logs.
#ifndef WLFMT_TOOLS_CHAKRA_RUN_HPP
#define WLFMT_TOOLS_CHAKRA_RUN_HPP

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/chakra.hpp>
#include <wlfmt/wlfmt.hpp>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/files.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "../run/messages.hpp"
#include "files.hpp"
#include "network.hpp"

namespace tool {

// The sizes in the name of a tracer's file, wd8_tp2_pp4_exp1_..., unless the command line gives others.
inline wlfmt::parallelism::sizes sizes_of_run(std::string_view name, const settings& s) {
    const auto number = [&](std::string_view key, std::int64_t given) {
        if (given != 0) return given;
        std::int64_t value = 1;
        for (std::size_t at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
            const std::size_t digits = at + key.size();
            const std::size_t end = name.find_first_not_of("0123456789", digits);
            const auto n = wlfmt::to_number(name.substr(digits, end == name.npos ? end : end - digits));
            const bool word = at == 0 || name[at - 1] == '_' || name[at - 1] == '/';
            if (word && n.as<std::int64_t>()) value = *n.as<std::int64_t>();
        }
        return value;
    };
    wlfmt::parallelism::sizes of;
    of.ranks = number("wd", s.ranks);
    of.tensor = number("tp", s.tensor);
    of.pipeline = number("pp", s.pipeline);
    of.expert = number("exp", s.expert);
    return of;
}
// Works out the data parallel sizes. Returns false if the sizes do not divide.
inline bool divide(wlfmt::parallelism::sizes& of) {
    if (of.ranks < 1 || of.tensor < 1 || of.pipeline < 1 || of.expert < 1) return false;
    if (of.tensor > of.ranks / of.pipeline || of.ranks % (of.tensor * of.pipeline) != 0) return false;
    of.data = of.ranks / (of.tensor * of.pipeline);
    of.expert_data = of.data / of.expert;
    return of.data % of.expert == 0;
}

// The collectives of each group, which all of its ranks have to reach in the same order.
class meetings {
public:
    // Begins a rank: see() is then called for its collectives, in its order.
    void begin() { own_.clear(); }
    void see(std::int64_t group, std::int64_t type, std::int64_t bytes) {
        std::uint64_t& all = own_[group].hash;
        for (const std::int64_t n : {type, bytes}) all = (all ^ static_cast<std::uint64_t>(n)) * 1099511628211U;
    }
    // Finds a group of this rank in which an earlier rank reached other collectives, and that rank.
    bool differ(std::int64_t rank, std::int64_t& group, std::int64_t& other) {
        for (const auto& [name, all] : own_) {
            std::optional<first_rank>& first = known_[name];
            if (!first) first = first_rank{rank, all.hash};
            group = name;
            other = first->rank;
            if (first->hash != all.hash) return true;
        }
        return false;
    }

private:
    struct collectives {
        std::uint64_t hash = 14695981039346656037U;
    };
    struct first_rank {
        std::int64_t rank;
        std::uint64_t hash;
    };
    keyed<std::int64_t, collectives> own_;
    keyed<std::int64_t, std::optional<first_rank>> known_;
};

// The times of a group's operations that end together: the k-th calls of all ranks are one call. A rank that arrives
// early waits for the others, so that the shortest time is the work of the call.
class shared_calls {
public:
    void begin() { next_.clear(); }
    // For the first pass over the logs.
    void see(std::int64_t group, double ms) {
        std::vector<double>& all = shortest_[group];
        const std::size_t n = next_[group]++;
        if (n == all.size()) all.push_back(ms);
        else all[n] = (std::min)(all[n], ms);
    }
    // For the second pass: the shortest time.
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

// The all-to-alls of each group: the k-th ones of all ranks are one all-to-all.
class shared_bytes {
public:
    void begin(std::int64_t rank) {
        rank_ = rank;
        next_.clear();
    }
    // In the first pass over the logs.
    void see(std::int64_t group, std::int64_t bytes) {
        std::vector<call>& all = calls_[group];
        const std::size_t n = next_[group]++;
        if (n == all.size()) all.push_back({0, 0, bytes, bytes, rank_, rank_});
        call& one = all[n];
        ++one.ranks;
        one.sum += static_cast<double>(bytes);
        if (bytes < one.least) one.least = bytes, one.least_rank = rank_;
        if (bytes > one.most) one.most = bytes, one.most_rank = rank_;
    }
    // For the second pass: the mean.
    std::int64_t take(std::int64_t group) {
        const call& one = calls_[group][next_[group]++];
        return static_cast<std::int64_t>(one.sum / static_cast<double>(one.ranks) + 0.5);
    }
    void tell() const {
        std::uint64_t changed = 0;
        const call* widest = nullptr;
        for (const auto& [group, all] : calls_) {
            for (const call& one : all) {
                if (one.least == one.most) continue;
                ++changed;
                if (widest == nullptr || one.most - one.least > widest->most - widest->least) widest = &one;
            }
        }
        if (widest == nullptr) return;
        standard_error.append({"wlfmt: note: ", counted(changed, "all-to-all has", "all-to-alls have"),
                               " the mean of what the ranks pass; the largest difference is that between ",
                               widest->least, " bytes of rank ", widest->least_rank, " and ", widest->most, " of rank ",
                               widest->most_rank, "\n"});
    }

private:
    struct call {
        std::size_t ranks;
        double sum;
        std::int64_t least;
        std::int64_t most;
        std::int64_t least_rank;
        std::int64_t most_rank;
    };
    std::int64_t rank_ = 0;
    keyed<std::int64_t, std::vector<call>> calls_;
    keyed<std::int64_t, std::size_t> next_;
};

// Writes the traces of a run. Each file is one rank's log, and one of them is in memory at a time. All files are read
// twice: first to check them, and to learn how long the calls of a group took, then to write. So nothing is written of
// a run that cannot be simulated.
class run_tracer {
public:
    run_tracer(const settings& s, const path_list& paths, stray_files& strays)
        : s_(s), paths_(paths), strays_(strays), status_(clean), made_from_(s) {}

    exit_status trace(input& first, std::size_t position) {
        of_.sizes = sizes_of_run(paths_[position], s_);
        of_.order = s_.order;
        of_.splits = s_.splits;
        if (!divide(of_.sizes) || !of_.order.names_all(of_.sizes)) {
            standard_error.append({"wlfmt: ", of_.sizes.ranks, " ranks cannot be divided into groups of ",
                                   of_.sizes.tensor, " (tp), ", of_.sizes.pipeline, " (pp) and ", of_.sizes.expert,
                                   " (exp): see --ranks, --tp, --pp, --ep\n"});
            return problems;
        }
        const wlfmt::parallelism::layout ranks(of_.sizes, of_.order);
        if (const auto mixed = ranks.ranks_of_two_stages()) {
            standard_error.append({"wlfmt: in this --order ranks ", mixed->first, " and ", mixed->second,
                                   " are in one group of experts and in two pipeline stages\n"});
            return problems;
        }
        if (!first.can_be_read_again()) {
            standard_error.append(
                {printable(paths_[position]), ": error: the logs of a run are read twice, which a pipe cannot be\n"});
            return unusable;
        }
        of_.on_collective = [](void* self, std::int64_t group, std::int64_t type, std::int64_t bytes) {
            static_cast<run_tracer*>(self)->met_.see(group, type, bytes);
        };
        if (s_.balance) {
            of_.share_of = [](void* self, std::int64_t group, std::int64_t bytes) {
                run_tracer& mine = *static_cast<run_tracer*>(self);
                if (mine.writing_) return mine.shares_.take(group);
                mine.shares_.see(group, bytes);
                return std::int64_t{0};  // differing bytes are balanced, so that they count as equal
            };
        }
        of_.on_rounded_up = [](void* self) { ++static_cast<run_tracer*>(self)->rounded_up_; };
        of_.work_of = work_of;
        of_.context = this;
        files_.emplace(s_, of_.sizes.ranks);
        if (const exit_status refused = files_->refusal(); refused != clean) return refused;
        for (std::size_t n = 0; n != paths_.size(); ++n) files_->inputs().add(paths_[n]);
        if (!s_.network.empty()) files_->use(network_of(s_, status_));
        if (status_ != clean) return status_;
        for (const bool writing : {false, true}) {
            writing_ = writing;
            if (writing && !files_->begin(made_from_)) return problems;
            if (writing) files_->tell_size(bytes_.count, 0);
            progress shown(writing ? "traces" : "logs", static_cast<std::size_t>(of_.sizes.ranks));
            for (std::size_t n = position; n != paths_.size(); ++n) {
                if (!trace_file(n) || status_ == unusable) return unusable;
                shown.step();
            }
            if (!writing) check_run();
            if (status_ != clean) return status_;
        }
        if (!files_->others(of_)) return unusable;
        shares_.tell();
        if (rounded_up_ != 0)
            standard_error.append({"wlfmt: note: all-gathers of less than a byte for each of ", s_.splits,
                                   " pieces are rounded up, as ASTRA-sim would never end them (--splits)\n"});
        tell_left_out("asynchronous collectives", "waiting, or longer computation than in the shortest rank,", beside_);
        tell_left_out("optimizer_step", "waiting for the last rank", steps_);
        return status_;
    }

private:
    // A sink for traces that are only checked.
    struct nowhere {
        double count = 0;
        void append(const char*, std::size_t size) { count += static_cast<double>(size); }
    };

    static double work_of(void* self, wlfmt::chakra::shared_call kind, std::int64_t group, double ms) {
        run_tracer& mine = *static_cast<run_tracer*>(self);
        shared_calls& calls = kind == wlfmt::chakra::shared_call::asynchronous ? mine.beside_ : mine.steps_;
        if (mine.writing_) return calls.take(group, ms);
        calls.see(group, ms);
        return ms;
    }
    static void tell_left_out(const std::string& what, const std::string& why, const shared_calls& calls) {
        if (calls.left_out() < 0.005) return;
        char ms[64];
        std::snprintf(ms, sizeof ms, "%.2f", calls.left_out());
        standard_error.append(
            {"wlfmt: note: ", what, ": ", ms, " ms of ", why, " are left out of the traces of all ranks together\n"});
    }

    // Returns false if the file cannot be read.
    bool trace_file(std::size_t n) {
        const std::string path = paths_[n];
        input from(path.c_str());
        return (!writing_ && strays_.take(paths_, n, from, s_)) || trace_file(from, path);
    }
    bool trace_file(input& from, const std::string& path) {
        report r(from.name(), s_);
        if (writing_) r.silence();
        const std::string_view text = from.error() ? std::string_view() : from.whole();
        if (from.error()) {
            standard_error.append(wlfmt::explain(from.error(), {}, wlfmt::in_file(from.name())));
            return false;
        }
        r.about(text);
        wlfmt::options how = options_for(s_, r);
        how.lenient = false;
        const auto log = wlfmt::oplog::read(text, how);
        if (!log) r.error(log.error());
        if (!log || log->operations.empty()) status_ = problems;
        else if (writing_ || is_one_rank(*log, path, text, r)) trace_log(*log, text, path, r);
        return true;
    }

    // Counts the messages of a log. Returns whether it is the only log of its rank and holds no other rank.
    bool is_one_rank(const wlfmt::oplog::document& log, const std::string& path, std::string_view text, report& r) {
        const std::int64_t rank = log.operations[0].rank;
        bool one = true;
        std::uint64_t line = 1;
        const char* counted = text.data();
        begin_text(sent_, path);
        for (const auto& op : log.operations) {
            one = one && op.rank == rank;
            line += static_cast<std::uint64_t>(std::count(counted, op.source.data(), '\n'));
            counted = op.source.data();
            sent_.add(op, line);
        }
        const bool first = !written_.has(rank);
        std::string& other = written_[rank];
        if (first) other = path;
        if (!one) fail(r, "the file holds records of several ranks");
        if (!first) fail(r, joined({"rank ", rank, " is in ", other, ", too"}));
        return one && first;
    }

    void trace_log(const wlfmt::oplog::document& log, std::string_view text, const std::string& path, report& r) {
        const std::int64_t rank = log.operations[0].rank;
        met_.begin();
        beside_.begin();
        steps_.begin();
        shares_.begin(rank);
        const bool changed = writing_ && (text.size() != sizes_[path]);
        if (!writing_) sizes_[path] = text.size();
        if (changed) return fail(r, "the file has changed while it was read");
        if (writing_) {
            if (!s_.only_ranks.has(rank)) return;
            if (!files_->trace(rank, [&](auto&& sink) { return write(sink, log, of_, text, files_->mark()); }))
                status_ = unusable;
            return;
        }
        made_from_.add(text);
        nowhere one;
        const wlfmt::error e = write(one, log, of_, text);
        if (s_.only_ranks.has(rank)) bytes_.count += one.count;
        if (e) {
            r.error(e);
            status_ = problems;
            return;
        }
        std::int64_t group = 0;
        std::int64_t peer = 0;
        if (met_.differ(rank, group, peer))
            fail(r, joined({"in group ", group, " the collectives are not those of rank ", peer,
                            ", in kind, bytes or order: ASTRA-sim would wait for ever",
                            s_.balance ? "" : " (--balance, if it is the shares of experts)"}));
    }

    // Checks that need every file.
    void check_run() {
        if (static_cast<std::int64_t>(written_.size()) != of_.sizes.ranks) {
            standard_error.append({"wlfmt: the run has ", of_.sizes.ranks, " ranks, and there are logs of ",
                                   written_.size(), "; ASTRA-sim needs a trace of each\n"});
            status_ = problems;
        }
        settings strict = s_;
        strict.strict = true;
        // The simulator would wait forever, and print nothing, for messages that are never sent.
        if (tell_unmatched(sent_, strict)) status_ = problems;
    }

    void fail(report& r, std::string_view why) {
        r.error(std::string_view(), why);
        status_ = problems;
    }

    const settings& s_;
    const path_list& paths_;
    stray_files& strays_;
    exit_status status_;
    fingerprint made_from_;
    nowhere bytes_;  // of all traces
    bool writing_ = false;
    wlfmt::chakra::run of_;
    std::optional<trace_files> files_;
    meetings met_;
    wlfmt::oplog::message_check sent_{true};
    shared_calls beside_;  // computation beside asynchronous collectives
    shared_calls steps_;   // optimizer_step
    shared_bytes shares_;  // all-to-alls, with --balance
    std::uint64_t rounded_up_ = 0;
    keyed<std::int64_t, std::string> written_;
    keyed<std::string, std::size_t> sizes_;  // of the files in the first pass
};

}  // namespace tool

#endif
