// chakra: writes the traces of a run from its op logs.
#ifndef WLFMT_TOOLS_CHAKRA_RUN_HPP
#define WLFMT_TOOLS_CHAKRA_RUN_HPP

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/files.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "../run/checks.hpp"
#include "files.hpp"
#include "network.hpp"

namespace tool {

// The sizes in the name of a tracer's file, wd8_tp2_pp4_exp1_..., and those that the command line gives where the name
// lacks them. `problem` is set where the two contradict each other, or where neither says how many ranks there are.
inline wlfmt::parallelism::sizes sizes_of_run(std::string_view name, const settings& s, std::string& problem) {
    const auto number = [&](std::string_view key, const char* option, std::int64_t given) {
        std::int64_t value = 0;
        for (std::size_t at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
            const std::size_t digits = at + key.size();
            const std::size_t end = name.find_first_not_of("0123456789", digits);
            const auto n = wlfmt::to_number(name.substr(digits, end == name.npos ? end : end - digits));
            const bool word = at == 0 || name[at - 1] == '_' || name[at - 1] == '/';
            if (word && n.as<std::int64_t>()) value = *n.as<std::int64_t>();
        }
        if (value != 0 && given != 0 && value != given)
            problem = joined({option, "=", given, " contradicts the name of the file, which says ", key, value});
        return value != 0 ? value : given;
    };
    wlfmt::parallelism::sizes sizes;
    sizes.ranks = number("wd", "--ranks", s.ranks);
    if (sizes.ranks == 0)
        problem =
            "the names of the files do not say how many ranks there are, as wd8_tp2_pp4_... does: give --ranks=N, "
            "and --tp=N, --pp=N and --ep=N where they are not 1";
    sizes.tensor = (std::max)(number("tp", "--tp", s.tensor), std::int64_t{1});
    sizes.pipeline = (std::max)(number("pp", "--pp", s.pipeline), std::int64_t{1});
    sizes.expert = (std::max)(number("exp", "--ep", s.expert), std::int64_t{1});
    return sizes;
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
    // Where the collectives of a rank part from those of the first rank of its group that was read.
    struct difference {
        std::int64_t group = 0;
        std::size_t number = 0;        // the first collective that differs, counted from 1 among those of the group
        std::string_view record = {};  // of this rank; empty if its log ends before
        std::int64_t first_rank = 0;
        std::uint64_t first_line = 0;  // in the log of that rank; 0 if that log ends before
    };

    // Begins a rank, whose log is `text`: see() is then called for its collectives, in its order.
    void begin(std::int64_t rank, std::string_view text) {
        rank_ = rank;
        line_ = 1;
        counted_ = text.data();
        own_.clear();
    }
    void see(const wlfmt::chakra::traced_collective& call) {
        const std::string_view record = call.operation->source;
        line_ += static_cast<std::uint64_t>(std::count(counted_, record.data(), '\n'));
        counted_ = record.data();
        program& own = own_[call.group];
        const std::size_t n = own.reached++;
        first_program& first = first_[call.group];
        if (n == 0) first.reached_by[rank_] = true;
        if (first.rank < 0) first.rank = rank_;
        if (first.rank == rank_) {
            first.calls.push_back({call.type, call.bytes, line_});
            return;
        }
        const bool same =
            n < first.calls.size() && first.calls[n].type == call.type && first.calls[n].bytes == call.bytes;
        if (same || own.differs) return;
        own.differs = true;
        own.at = {call.group, n + 1, record, first.rank, n < first.calls.size() ? first.calls[n].line : 0};
    }
    // Calls each(difference) for the groups in which this rank is the first to differ.
    template <class Each> void differences(Each&& each) {
        for (const auto [group, own] : own_) {
            first_program& first = first_[group];
            if (first.rank == rank_ || first.told) continue;
            if (!own.differs && own.reached < first.calls.size()) {
                own.differs = true;
                own.at = {group, own.reached + 1, {}, first.rank, first.calls[own.reached].line};
            }
            if (!own.differs) continue;
            first.told = true;
            each(own.at);
        }
    }

    // After the last rank: calls each(group, rank) for the members of groups that came to none of its collectives.
    // `groups` is ASTRA-sim's list, {"1":[0,1],...}.
    template <class Each> void absent(std::string_view groups, Each&& each) {
        for (const auto [group, first] : first_) {
            const std::string key = joined({"\"", group, "\":["});
            const std::size_t at = groups.find(key);
            if (at == std::string_view::npos) continue;
            std::string_view members = groups.substr(at + key.size());
            members = members.substr(0, members.find(']'));
            while (!members.empty()) {
                const std::size_t end = (std::min)(members.find(','), members.size());
                const auto rank = wlfmt::to_number(members.substr(0, end)).as<std::int64_t>().value_or(0);
                if (!first.reached_by.has(rank)) each(group, rank);
                members.remove_prefix((std::min)(end + 1, members.size()));
            }
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
        bool told = false;
    };
    struct program {
        std::size_t reached = 0;
        bool differs = false;
        difference at;
    };
    std::int64_t rank_ = 0;
    std::uint64_t line_ = 1;
    const char* counted_ = nullptr;
    keyed<std::int64_t, program> own_;
    keyed<std::int64_t, first_program> first_;
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
        std::string problem;
        of_.sizes = sizes_of_run(paths_[position], s_, problem);
        if (!problem.empty()) {
            standard_error.append({printable(paths_[position]), ": error: ", problem, "\n"});
            return problems;
        }
        of_.order = s_.order;
        of_.splits = s_.splits;
        of_.active_chunks = s_.active_chunks;
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
        of_.on_collective = [](void* self, const wlfmt::chakra::traced_collective& call) {
            run_tracer& mine = *static_cast<run_tracer*>(self);
            if (!mine.writing_) mine.met_.see(call);
        };
        if (s_.balance) {
            of_.share_of = [](void* self, std::int64_t group, std::int64_t bytes) {
                run_tracer& mine = *static_cast<run_tracer*>(self);
                if (mine.writing_) return mine.shares_.take(group);
                mine.shares_.see(group, bytes);
                return std::int64_t{0};  // differing bytes are balanced, so that they count as equal
            };
        }
        of_.on_single = [](void* self, wlfmt::oplog::group kind) {
            run_tracer& mine = *static_cast<run_tracer*>(self);
            if (mine.writing_) ++mine.single_[std::string(name_of(kind))];
        };
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
        const bool given = s_.ranks != 0 || s_.tensor != 0 || s_.pipeline != 0 || s_.expert != 0;
        for (const auto& [kind, count] : single_)
            if (given)
                standard_error.append(
                    {"wlfmt: note: ", counted(count, "collective", "collectives"), " of ", kind,
                     " groups are computation, as each group has one rank; is it otherwise? see --ranks, "
                     "--tp, --pp, --ep\n"});
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
        checks_.begin_text(path);
        for (const auto& op : log.operations) {
            one = one && op.rank == rank;
            line += static_cast<std::uint64_t>(std::count(counted, op.source.data(), '\n'));
            counted = op.source.data();
            checks_.add(op, text, line, [&](const wlfmt::problem& e) {
                // It is traced as computation, which is what it is taken for everywhere.
                if (e.kind != wlfmt::error_kind::unknown_operation && !s_.lenient) fail(r, e);
                else r.implausible(e);
            });
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
        if (!writing_) met_.begin(rank, text);
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
        const wlfmt::problem e = write(one, log, of_, text);
        if (s_.only_ranks.has(rank)) bytes_.count += one.count;
        if (e) {
            r.error(e);
            status_ = problems;
            return;
        }
        met_.differences([&](const meetings::difference& d) {
            std::string why = joined({"collective ", d.number, " of group ", d.group});
            if (d.record.empty())
                why += " is missing: rank " + joined({d.first_rank, " has it in line ", d.first_line});
            else if (d.first_line == 0) why += joined({" is more than rank ", d.first_rank, " has"});
            else
                why += joined({" is another one, or of other bytes, than that of rank ", d.first_rank, " in line ",
                               d.first_line});
            why += "; ASTRA-sim would wait for ever";
            if (!s_.balance) why += " (--balance, if it is the shares of experts)";
            r.error(d.record.substr(0, d.record.find('(')), why);
            status_ = problems;
        });
    }

    // Checks that need every file.
    void check_run() {
        if (static_cast<std::int64_t>(written_.size()) != of_.sizes.ranks) {
            standard_error.append({"wlfmt: the run has ", of_.sizes.ranks, " ranks, and there are logs of ",
                                   written_.size(), "; ASTRA-sim needs a trace of each\n"});
            status_ = problems;
        }
        std::string groups;
        static_cast<void>(write_groups(groups, of_));
        met_.absent(groups, [&](std::int64_t group, std::int64_t rank) {
            if (!written_.has(rank)) return;
            standard_error.append({printable(written_[rank]), ": error: rank ", rank,
                                   " has none of the collectives of "
                                   "group ",
                                   group, "; ASTRA-sim would wait for ever\n"});
            status_ = problems;
        });
        settings told = s_;
        told.strict = !s_.lenient;
        if (checks_.tell(told) && !s_.lenient) {
            status_ = problems;
            standard_error.append(
                "wlfmt: note: ASTRA-sim would wait for ever, or simulate less than the run did; "
                "--lenient traces what is there\n");
        }
    }

    void fail(report& r, const wlfmt::problem& e) {
        r.error(e);
        status_ = problems;
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
    run_checks checks_{true};
    shared_calls beside_;  // computation beside asynchronous collectives
    shared_calls steps_;   // optimizer_step
    shared_bytes shares_;  // all-to-alls, with --balance
    std::uint64_t rounded_up_ = 0;
    keyed<std::string, std::uint64_t> single_;  // collectives of groups of one rank, by the group's name
    keyed<std::int64_t, std::string> written_;
    keyed<std::string, std::size_t> sizes_;  // of the files in the first pass
};

}  // namespace tool

#endif
