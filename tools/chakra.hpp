// chakra: Chakra execution traces of a workload file or of a run's op logs, a file per rank.
#ifndef WLFMT_TOOLS_CHAKRA_HPP
#define WLFMT_TOOLS_CHAKRA_HPP

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#if __has_include(<wlfmt/chakra.hpp>) && __has_include(<protozero/pbf_writer.hpp>) && defined(__cpp_exceptions)
#include <wlfmt/chakra.hpp>
#define WLFMT_TOOLS_HAVE_CHAKRA 1
#endif

#include "chosen.hpp"
#include "files.hpp"
#include "identity.hpp"
#include "input.hpp"
#include "messages.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "progress.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

namespace tool {

#if !defined(WLFMT_TOOLS_HAVE_CHAKRA)

inline exit_status chakra(const settings&) {
    standard_error.append(
        "wlfmt: this program was built without protozero (Debian: libprotozero-dev), which Chakra traces need\n");
    return unusable;
}

#else

// Calls write(file) for a file of that name. False if the file could not be written, which is reported, or if `write`
// returns an error.
template <class Write>
bool write_file(const std::string& name, input_files& inputs, Write&& write) {
    output_file to;
    if (!to.open(name, inputs)) return false;
    const wlfmt::error e = write(to.file());
    if (e && e.kind != wlfmt::error_kind::cannot_write) return false;
    return to.keep();
}
inline std::string trace_name(const settings& s, std::int64_t rank) {
    return std::string(s.output) + "." + std::to_string(rank) + ".et";
}
inline std::string group_name(const settings& s) { return std::string(s.output) + ".json"; }

// A sentence for everything in which the traces are not what the file says.
inline void tell_remarks(const wlfmt::chakra::remarks& notes, const settings& s, std::string_view file) {
    const auto say = [&](const std::string& what) {
        standard_error.append(printable(file) + ": note: " + what + "\n");
    };
    for (std::size_t n = 0; n != wlfmt::parallelism::group_count; ++n) {
        if (notes.left_out[n] == 0) continue;
        const auto group = static_cast<wlfmt::parallelism::group>(n);
        say(counted(notes.left_out[n], "collective", "collectives") + " of " + std::string(name_of(group)) +
            " groups are left out, as each group has one rank" +
            (group == wlfmt::parallelism::group::tensor_parallel && s.tensor == 0 ? "; is it otherwise? --tp=N" : ""));
    }
    if (notes.rounded_up != 0)
        say(counted(notes.rounded_up, "all-gather", "all-gathers") + " of less than a byte for each of " +
            std::to_string(s.splits) + " pieces are rounded up, as ASTRA-sim would never end them (--splits)");
    if (notes.forward_only) say("mode: 1 is inference: there is no backward pass");
    if (notes.first_stage_layers + notes.last_stage_layers != 0)
        say(counted(notes.first_stage_layers, "layer", "layers") + " of the embedding run in the first stage alone, " +
            counted(notes.last_stage_layers, "layer", "layers") + " after the last block in the last one");
    if (notes.no_messages) say("there is no pp_comm: the stages run side by side, without messages between them");
}

inline exit_status chakra_of_workload(input& from, const std::string& path, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    const auto file = wlfmt::workload::read(text, options_for(s, r));
    if (!file) r.error(file.error());
    if (!file || r.errors() != 0) return problems;
    wlfmt::chakra::options how;
    how.tick = s.tick;
    how.passes = s.passes;
    how.ranks = s.ranks;
    how.tensor = s.tensor;
    how.pipeline = s.pipeline;
    how.expert = s.expert;
    how.order = s.order;
    using wlfmt::chakra::all_gather_size;
    how.all_gather = s.gathered.empty()      ? all_gather_size::by_header
                     : s.gathered == "whole" ? all_gather_size::whole
                                             : all_gather_size::share;
    how.splits = s.splits;
    // Chakra's converter puts the text into each trace. For the other policies, which it does not know, that would be
    // an eighth of all bytes that are written.
    const std::string_view policy = file->header().policy;
    std::string converted;
    if (policy.substr(0, 18) != "HYBRID_TRANSFORMER") {
        // It reads line ends as Python does.
        for (std::size_t n = 0; n != text.size(); ++n) {
            if (text[n] != '\r')
                converted += text[n];
            else if (n + 1 == text.size() || text[n + 1] != '\n')
                converted += '\n';
        }
        how.input = converted;
    }
    const auto all = wlfmt::chakra::traces_of(*file, text, how);
    if (!all) {
        r.error(all.error());
        return problems;
    }
    if (all->ranks() > 0 && file->layers.empty()) {
        r.error(std::string_view(), "there is no layer: ASTRA-sim ends with an error where a trace has no nodes");
        return problems;
    }
    tell_remarks(all->notes(), s, path);
    const auto declared = file->header().declared_layers.as<std::int64_t>();
    if (declared && *declared != static_cast<std::int64_t>(file->layers.size()))
        standard_error.append(printable(path) + ": note: SimAI reads the " + std::to_string(*declared) +
                              " layers that are declared; the traces have all " + std::to_string(file->layers.size()) +
                              "\n");
    progress shown("traces", static_cast<std::size_t>(all->ranks()));
    input_files inputs;
    inputs.add(path);
    for (std::int64_t rank = 0; rank != all->ranks(); ++rank) {
        if (!s.only_ranks.has(rank)) continue;
        if (!write_file(trace_name(s, rank), inputs, [&](std::FILE* to) { return write(to, *all, rank); }))
            return unusable;
        shown.step();
    }
    return write_file(group_name(s), inputs, [&](std::FILE* to) { return write_groups(to, *all); }) ? clean : unusable;
}

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
// False if they do not divide.
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
    // What is seen next are the collectives of one rank, in its order.
    void begin() { own_.clear(); }
    void see(std::int64_t group, std::int64_t type, std::int64_t bytes) {
        std::uint64_t& all = own_.try_emplace(group, 14695981039346656037U).first->second;
        for (const std::int64_t n : {type, bytes}) all = (all ^ static_cast<std::uint64_t>(n)) * 1099511628211U;
    }
    // Finds a group of this rank in which an earlier rank reached other ones, and that rank.
    bool differ(std::int64_t rank, std::int64_t& group, std::int64_t& other) {
        for (const auto& [name, all] : own_) {
            const auto& [first, expected] = known_.try_emplace(name, rank, all).first->second;
            group = name;
            other = first;
            if (expected != all) return true;
        }
        return false;
    }

private:
    std::map<std::int64_t, std::uint64_t> own_;
    std::map<std::int64_t, std::pair<std::int64_t, std::uint64_t>> known_;
};

// What the operations of a group that end together took: the k-th call of each rank is the same one. Who arrives early
// waits for the others, so that the shortest time is the work of the call.
class shared_calls {
public:
    void begin() { next_.clear(); }
    // In the first pass over the logs.
    void see(std::int64_t group, double ms) {
        std::vector<double>& all = shortest_[group];
        const std::size_t n = next_[group]++;
        if (n == all.size())
            all.push_back(ms);
        else
            all[n] = (std::min)(all[n], ms);
    }
    // In the second one.
    double take(std::int64_t group, double ms) {
        const double shortest = shortest_[group][next_[group]++];
        left_out_ += ms - shortest;
        return shortest;
    }
    double left_out() const noexcept { return left_out_; }

private:
    std::map<std::int64_t, std::vector<double>> shortest_;
    std::map<std::int64_t, std::size_t> next_;
    double left_out_ = 0;
};

// Traces of a run: each file is one rank's log, and one of them is in memory at a time. All files are read twice: first
// to check them, and to learn how long the calls of a group took, then to write. So nothing is written of a run that
// cannot be simulated.
class run_tracer {
public:
    run_tracer(const settings& s, const path_list& paths, stray_files& strays)
        : s_(s), paths_(paths), strays_(strays), status_(clean) {}

    exit_status trace(input& first, std::size_t position) {
        of_.sizes = sizes_of_run(paths_[position], s_);
        of_.order = s_.order;
        if (!divide(of_.sizes) || !of_.order.names_all(of_.sizes)) {
            standard_error.append("wlfmt: " + std::to_string(of_.sizes.ranks) +
                                  " ranks cannot be divided into groups of " + std::to_string(of_.sizes.tensor) +
                                  " (tp), " + std::to_string(of_.sizes.pipeline) + " (pp) and " +
                                  std::to_string(of_.sizes.expert) + " (exp): see --ranks, --tp, --pp, --ep\n");
            return problems;
        }
        if (!wlfmt::parallelism::layout(of_.sizes, of_.order).stages_agree()) {
            standard_error.append("wlfmt: in this --order groups of experts span pipeline stages\n");
            return problems;
        }
        if (!first.can_be_read_again()) {
            standard_error.append(printable(paths_[position]) +
                                  ": error: the logs of a run are read twice, which a pipe cannot be\n");
            return unusable;
        }
        of_.on_collective = [](void* self, std::int64_t group, std::int64_t type, std::int64_t bytes) {
            static_cast<run_tracer*>(self)->met_.see(group, type, bytes);
        };
        of_.work_of = work_of;
        of_.context = this;
        for (std::size_t n = 0; n != paths_.size(); ++n) inputs_.add(paths_[n]);
        for (const bool writing : {false, true}) {
            writing_ = writing;
            progress shown(writing ? "traces" : "logs", static_cast<std::size_t>(of_.sizes.ranks));
            for (std::size_t n = position; n != paths_.size(); ++n) {
                if (!trace_file(n)) return unusable;
                shown.step();
            }
            if (!writing) check_run();
            if (status_ != clean) return status_;
        }
        if (!write_file(group_name(s_), inputs_, [&](std::FILE* to) { return write_groups(to, of_); })) return unusable;
        tell_left_out("asynchronous collectives", "waiting, or longer computation than in the shortest rank,", beside_);
        tell_left_out("optimizer_step", "waiting for the last rank", steps_);
        return status_;
    }

private:
    // A sink for traces that are only checked.
    struct nowhere {
        void append(const char*, std::size_t) {}
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
        standard_error.append("wlfmt: note: " + what + ": " + ms + " ms of " + why +
                              " are left out of the traces of all ranks together\n");
    }

    // False where the file cannot be read.
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
            standard_error.append(wlfmt::explain(from.error(), {}, from.name()));
            return false;
        }
        r.about(text);
        wlfmt::options how = options_for(s_, r);
        how.lenient = false;
        const auto log = wlfmt::oplog::read(text, how);
        if (!log) r.error(log.error());
        if (!log || log->operations.empty())
            status_ = problems;
        else if (writing_ || is_one_rank(*log, path, text, r))
            trace_log(*log, text, path, r);
        return true;
    }

    // The messages of a log are counted. Is it the only one of its rank, and of no other rank?
    bool is_one_rank(const wlfmt::oplog::document& log, const std::string& path, std::string_view text, report& r) {
        const std::int64_t rank = log.operations[0].rank;
        bool one = true;
        std::uint64_t line = 1;
        const char* counted = text.data();
        sent_.open(std::string(), path);
        for (const auto& op : log.operations) {
            one = one && op.rank == rank;
            line += static_cast<std::uint64_t>(std::count(counted, op.source.data(), '\n'));
            counted = op.source.data();
            sent_.see(op, line);
        }
        const auto [other, first] = written_.emplace(rank, path);
        if (!one) fail(r, "the file holds records of several ranks");
        if (!first) fail(r, "rank " + std::to_string(rank) + " is in " + other->second + ", too");
        return one && first;
    }

    void trace_log(const wlfmt::oplog::document& log, std::string_view text, const std::string& path, report& r) {
        const std::int64_t rank = log.operations[0].rank;
        met_.begin();
        beside_.begin();
        steps_.begin();
        const bool changed = writing_ && (text.size() != sizes_[path]);
        if (!writing_) sizes_[path] = text.size();
        if (changed) return fail(r, "the file has changed while it was read");
        if (writing_) {
            if (!s_.only_ranks.has(rank)) return;
            if (!write_file(trace_name(s_, rank), inputs_, [&](std::FILE* to) { return write(to, log, of_, text); }))
                status_ = unusable;
            return;
        }
        if (const wlfmt::error e = write(nowhere(), log, of_, text)) {
            r.error(e);
            status_ = problems;
            return;
        }
        std::int64_t group = 0;
        std::int64_t peer = 0;
        if (met_.differ(rank, group, peer))
            fail(r, "in group " + std::to_string(group) + " the collectives are not those of rank " +
                        std::to_string(peer) + ", in kind, bytes or order: ASTRA-sim would wait for ever");
    }

    // Checks that need every file.
    void check_run() {
        if (static_cast<std::int64_t>(written_.size()) != of_.sizes.ranks) {
            standard_error.append("wlfmt: the run has " + std::to_string(of_.sizes.ranks) +
                                  " ranks, and there are logs of " + std::to_string(written_.size()) +
                                  "; ASTRA-sim needs a trace of each\n");
            status_ = problems;
        }
        settings strict = s_;
        strict.strict = true;
        // The simulator would wait for what is never sent, and say nothing of it.
        if (sent_.tell_unmatched(strict)) status_ = problems;
    }

    void fail(report& r, std::string_view why) {
        r.error(std::string_view(), why);
        status_ = problems;
    }

    const settings& s_;
    const path_list& paths_;
    stray_files& strays_;
    exit_status status_;
    bool writing_ = false;
    wlfmt::chakra::run of_;
    input_files inputs_;
    meetings met_;
    messages sent_;
    shared_calls beside_;  // computation beside asynchronous collectives
    shared_calls steps_;   // optimizer_step
    std::map<std::int64_t, std::string> written_;
    std::map<std::string, std::size_t> sizes_;  // of the files in the first pass
};

inline exit_status chakra(const settings& s) {
    const files_of_run files(s, run_use::together);
    const path_list& paths = files.paths();
    stray_files strays;
    std::size_t n = 0;
    for (; n != paths.size(); ++n) {
        const std::string path = paths[n];
        input first(path.c_str());
        if (first.error()) {
            standard_error.append(wlfmt::explain(first.error(), {}, first.name()));
            return unusable;
        }
        if (strays.take(paths, n, first, s)) continue;
        report r(first.name(), s);
        const wlfmt::file_format kind = format_of(first, s, r);
        exit_status status = problems;
        if (kind == wlfmt::file_format::oplog) {
            status = run_tracer(s, paths, strays).trace(first, n);
        } else if (kind == wlfmt::file_format::table) {
            r.error(std::string_view(), "a profiler table makes no trace");
        } else if (kind == wlfmt::file_format::workload && s.files.size() != 1) {
            standard_error.append("wlfmt: the traces of one workload file at a time\n");
            status = unusable;
        } else if (kind == wlfmt::file_format::workload) {
            status = chakra_of_workload(first, path, s, r);
        }
        return (std::max)({status, files.status(), strays.tell(s, false)});
    }
    return (std::max)(files.status(), strays.tell(s, true));
}

#endif

}  // namespace tool

#endif
