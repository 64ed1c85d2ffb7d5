// chakra --check: whether a simulation ran to its end, which the simulator's own exit status does not say.
#ifndef WLFMT_TOOLS_CHAKRA_CHECK_HPP
#define WLFMT_TOOLS_CHAKRA_CHECK_HPP

#include "../command_line/settings.hpp"
#include "../input/input.hpp"
#include "../output/output.hpp"
#include "files.hpp"
#include "groups.hpp"
#include "stamp.hpp"
#include "trace.hpp"

namespace tool {

class simulation_check {
public:
    explicit simulation_check(const settings& s) : log_(s.files[0]), prefix_(s.output) {
        const auto name = split_log_name(log_);
        if (!name) return;
        if (prefix_.empty()) prefix_ = name->first;
        fingerprint_ = name->second;
    }

    exit_status run() {
        if (prefix_.empty()) {
            say("wlfmt", {"-o PREFIX is missing: which traces were simulated?"});
            return unusable;
        }
        input from(log_);
        if (report_unreadable(from)) return unusable;
        read_traces();
        read_log(from);
        tell_what_does_not_fit();
        print();
        if (status_ != clean) tell_first_unfinished();
        return status_;
    }

private:
    struct rank_run {
        std::vector<bool> issued;
        std::vector<bool> running;
        std::uint64_t issues = 0;
        std::uint64_t nodes = 0;      // in its trace
        std::uint64_t last_tick = 0;  // when the last event of the rank happened
        std::uint64_t finishes = 0;
        std::uint64_t cycles = 0;
        std::uint64_t exposed = 0;
        trace_stamp stamp;
        bool is_whole = false;       // its trace is
        bool unknown_nodes = false;  // the log names nodes that are not in the trace
        bool went_to_its_end(bool counted) const noexcept {
            return finishes == 1 && is_whole && nodes != 0 && (!counted || issues == nodes);
        }
    };

    void fail(const std::string& problem) {
        say("wlfmt", {problem});
        status_ = problems;
    }

    void read_log(input& from) {
        std::string begun;
        for (std::string_view part = from.next(); !part.empty(); part = from.next()) {
            for (std::size_t end = 0; (end = part.find('\n')) != std::string_view::npos; part.remove_prefix(end + 1)) {
                if (begun.empty()) {
                    read_line(part.substr(0, end));
                } else {
                    begun += part.substr(0, end);
                    read_line(begun);
                    begun.clear();
                }
            }
            begun += part;
        }
        read_line(begun);
    }
    // The number after the key. The line then begins after it.
    static std::optional<std::uint64_t> after(std::string_view& line, std::string_view key) {
        const std::size_t at = line.find(key);
        if (at == std::string_view::npos) return std::nullopt;
        line.remove_prefix(at + key.size());
        const std::size_t size = (std::min)(line.find_first_not_of("0123456789"), line.size());
        return wlfmt::to_number(line.substr(0, size)).as<std::uint64_t>();
    }
    // Returns null for a rank that has no trace.
    rank_run* run_of(std::optional<std::uint64_t> rank) {
        if (rank && *rank < runs_.size()) return &runs_[static_cast<std::size_t>(*rank)];
        if (rank && (!without_trace_ || *rank < *without_trace_)) without_trace_ = rank;
        return nullptr;
    }
    void read_line(std::string_view line) {
        const std::size_t ended = line.find("] finished, ");
        if (ended != std::string_view::npos) {
            std::string_view rest = line.substr(0, ended + 12);
            rank_run* const run = run_of(after(rest, "sys["));
            rest = line.substr(ended);
            const auto cycles = after(rest, "finished, ");
            const auto exposed = after(rest, "communication ");
            if (!cycles || !exposed) return;
            is_log_ = true;
            if (run == nullptr) return;
            ++run->finishes;
            run->cycles = *cycles;
            run->exposed = *exposed;
            return;
        }
        const bool begins = line.find("issue,sys->id=") != std::string_view::npos;
        if (!begins && line.find("callback,sys->id=") == std::string_view::npos) return;
        rank_run* const run = run_of(after(line, "sys->id="));
        const auto tick = after(line, "tick=");
        const auto id = after(line, "node->id=");
        if (!tick || !id) return;
        is_log_ = true;
        is_counted_ = true;
        if (run == nullptr) return;
        if (*id >= run->issued.size()) {
            run->unknown_nodes = true;
            return;
        }
        run->last_tick = (std::max)(run->last_tick, *tick);
        const auto node = static_cast<std::size_t>(*id);
        run->running[node] = begins;
        if (!begins || run->issued[node]) return;
        run->issued[node] = true;
        ++run->issues;
    }

    read_trace trace(std::size_t rank) const {
        return read_trace(trace_files::trace_name(prefix_, static_cast<std::int64_t>(rank)));
    }
    void read_traces() {
        for (std::int64_t rank = 0; rank != most_traces; ++rank) {
            read_trace read = trace(static_cast<std::size_t>(rank));
            if (!read.is_there) return;
            rank_run& run = runs_.emplace_back();
            run.stamp = std::move(read.stamp);
            run.is_whole = read.is_whole;
            run.nodes = read.nodes.size();
            run.issued.resize(read.nodes.size());
            run.running.resize(read.nodes.size());
        }
    }
    void tell_what_does_not_fit() {
        if (!is_log_) fail(printable(log_) + " has no line of a rank: is it what ASTRA-sim logs?");
        const auto name = [&](std::size_t rank) {
            return printable(trace_files::trace_name(prefix_, static_cast<std::int64_t>(rank)));
        };
        if (without_trace_ || runs_.empty()) {
            const auto rank = static_cast<std::size_t>(without_trace_.value_or(0));
            fail(joined({"rank ", rank, " has no trace ", name(rank)}));
        }
        for (std::size_t rank = 0; rank != runs_.size(); ++rank) {
            const std::string who = joined({"rank ", rank});
            if (!runs_[rank].is_whole) fail(joined({"the trace of ", who, " is not whole: ", name(rank)}));
            if (runs_[rank].unknown_nodes)
                fail(who + " has nodes in the log that are not in its trace: is this its log?");
            if (runs_[rank].finishes > 1) fail(who + " finished twice: is this the log of one run?");
        }
        if (!runs_.empty()) tell_other_runs();
    }
    // The traces are those of one run, all of them, and the log is called after that run.
    void tell_other_runs() {
        const trace_stamp& first = runs_[0].stamp;
        const auto name = [&](std::size_t rank) {
            return printable(trace_files::trace_name(prefix_, static_cast<std::int64_t>(rank)));
        };
        for (std::size_t rank = 0; rank != runs_.size(); ++rank) {
            const trace_stamp& own = runs_[rank].stamp;
            if (!runs_[rank].is_whole || (!own.fingerprint.empty() && own.fingerprint == first.fingerprint)) continue;
            return fail(own.fingerprint.empty()
                            ? name(rank) + " has no fingerprint: the traces are to be written again"
                            : joined({name(rank), " is of run ", own.fingerprint, ", and ", name(0), " is of run ",
                                      first.fingerprint.empty() ? "no fingerprint" : first.fingerprint}));
        }
        if (first.fingerprint.empty()) return;
        if (static_cast<std::int64_t>(runs_.size()) < first.ranks)
            fail(joined({"rank ", runs_.size(), " of ", first.ranks, " has no trace ", name(runs_.size())}));
        const std::string wanted = joined({printable(prefix_), ".", first.fingerprint, ".log"});
        if (fingerprint_.empty())
            fail(
                joined({printable(log_),
                        " does not say in its name which traces were simulated: the log of these is called ", wanted}));
        else if (fingerprint_ != first.fingerprint)
            fail(joined({printable(log_), " is the log of other traces: that of these is called ", wanted}));
    }

    void print() {
        std::size_t finished = 0;
        std::uint64_t issues = 0;
        std::uint64_t nodes = 0;
        for (const rank_run& run : runs_) {
            finished += run.finishes != 0 ? 1 : 0;
            issues += run.issues;
            nodes += run.nodes;
            if (!run.went_to_its_end(is_counted_)) status_ = problems;
        }
        print_line({finished, " of ", counted(runs_.size(), "rank", "ranks"), " finished"});
        if (is_counted_) print_line({issues, " of ", counted(nodes, "node", "nodes"), " were issued"});
        else
            print_line(
                "nodes were not counted: the log does not have them (\"trace-enabled\": 1, and not what the "
                "simulator prints)");
        if (runs_.empty()) return;
        print_line(row("ranks", "cycles", "exposed communication", "issued", "nodes"));
        for (std::size_t rank = 0; rank != runs_.size();) {
            const rank_run& run = runs_[rank];
            std::size_t end = rank + 1;
            while (end != runs_.size() && is_same(runs_[end], run)) ++end;
            print_line(row(joined({rank, end == rank + 1 ? "" : joined({"-", end - 1})}),
                           run.finishes != 0 ? std::to_string(run.cycles) : "not finished",
                           run.finishes != 0 ? std::to_string(run.exposed) : "-",
                           is_counted_ ? std::to_string(run.issues) : "-", std::to_string(run.nodes)));
            rank = end;
        }
    }
    static bool is_same(const rank_run& a, const rank_run& b) {
        return a.finishes == b.finishes && a.cycles == b.cycles && a.exposed == b.exposed && a.issues == b.issues &&
               a.nodes == b.nodes;
    }
    static std::string row(const std::string& ranks, const std::string& cycles, const std::string& exposed,
                           const std::string& issued, const std::string& nodes) {
        const auto right = [](const std::string& text, std::size_t width) {
            return joined({std::string(width > text.size() ? width - text.size() : 0, ' '), text});
        };
        return joined({"  ", ranks, std::string(ranks.size() < 13 ? 13 - ranks.size() : 0, ' '), right(cycles, 20),
                       right(exposed, 23), right(issued, 10), right(nodes, 10)});
    }

    // Prints the rank for which nothing has happened for the longest time, and what it waits for.
    void tell_first_unfinished() {
        if (!is_counted_) return;
        std::size_t first = runs_.size();
        for (std::size_t rank = 0; rank != runs_.size(); ++rank) {
            const rank_run& run = runs_[rank];
            if (run.finishes != 0 || !run.is_whole) continue;
            if (first == runs_.size() || run.last_tick < runs_[first].last_tick) first = rank;
        }
        if (first == runs_.size()) return;
        const rank_run& run = runs_[first];
        const read_trace its = trace(first);
        const std::string who = joined({"rank ", first, " has stood still since cycle ", run.last_tick});
        bool is_any_running = false;
        for (std::size_t id = 0; id != (std::min)(run.running.size(), its.nodes.size()); ++id) {
            if (!run.running[id]) continue;
            is_any_running = true;
            print_line({who, " at node ", id, ", ", its.nodes[id].name, what_it_waits_for(first, its, id)});
        }
        if (is_any_running) return;
        for (std::size_t id = 0; id != its.nodes.size(); ++id) {
            if (id < run.issued.size() && run.issued[id]) continue;
            return print_line({who, " before node ", id, ", ", its.nodes[id].name, ", which was not issued"});
        }
    }
    // A collective or message, and the rank whose part in it is missing.
    std::string what_it_waits_for(std::size_t rank, const read_trace& its, std::uint64_t id) const {
        const traced_node& n = its.nodes[static_cast<std::size_t>(id)];
        if (n.type < 5 || n.type > 7) return {};
        std::size_t nth = 0;  // position among such collectives or messages
        for (std::size_t k = 0; k != id; ++k) nth += its.nodes[k].type == n.type && is_alike(its.nodes[k], n) ? 1U : 0U;
        const std::string bytes = counted(static_cast<std::uint64_t>(n.bytes), "byte", "bytes");
        if (n.type != 7) {
            const std::int64_t other = n.type == 5 ? n.to : n.from;
            return joined({n.type == 5 ? ": a send of " : ": a receive of ", bytes,
                           n.type == 5 ? " to rank " : " from rank ", other, ", tag ", n.tag,
                           part_of(other, n, nth, n.type == 5 ? "receive" : "send")});
        }
        std::string text = joined({": a collective of ", bytes, " in group ", n.group});
        for (const std::int64_t other : members(n.group)) {
            if (other == static_cast<std::int64_t>(rank)) continue;
            const std::string part = part_of(other, n, nth, "collective");
            if (!part.empty()) return text + part;
        }
        return text;
    }
    static bool is_alike(const traced_node& a, const traced_node& b) {
        return a.group == b.group && a.from == b.from && a.to == b.to && a.tag == b.tag;
    }
    // What is wrong with the other rank's part; empty if it was issued and matches.
    std::string part_of(std::int64_t other, const traced_node& n, std::size_t nth, const std::string& part) const {
        const std::string who = joined({", and rank ", other});
        if (other < 0 || other >= static_cast<std::int64_t>(runs_.size())) return who + " has no trace";
        const read_trace its = trace(static_cast<std::size_t>(other));
        const rank_run& run = runs_[static_cast<std::size_t>(other)];
        for (std::size_t k = 0; k != its.nodes.size(); ++k) {
            const traced_node& node = its.nodes[k];
            if (!n.meets(node) || nth-- != 0) continue;
            if (node.bytes != n.bytes) return joined({who, " has ", node.bytes, " bytes there, at node ", k});
            if (k < run.issued.size() && run.issued[k]) return {};
            return joined({who, " has not come to its ", part, ", node ", k});
        }
        return joined({who, " has no such ", part});
    }
    // The ranks of a group; all ranks if the file of groups does not have it.
    std::vector<std::int64_t> members(const std::string& group) const {
        input from((prefix_ + ".json").c_str());
        if (auto ranks = ranks_in(from.error() ? std::string_view() : from.whole(), group)) return *std::move(ranks);
        std::vector<std::int64_t> ranks(runs_.size());
        std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
        return ranks;
    }

    const char* log_;
    std::string prefix_;
    std::string fingerprint_;  // in the name of the log; empty if it has none
    std::vector<rank_run> runs_;
    std::optional<std::uint64_t> without_trace_;  // the first rank of the log that has no trace
    bool is_log_ = false;
    bool is_counted_ = false;  // the log names the nodes that were issued
    exit_status status_ = clean;
};

}  // namespace tool

#endif
