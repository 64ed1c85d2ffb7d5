// chakra --check: finds out whether a simulation ran to its end, which the simulator's own exit status does not say,
// and what ranks wait for in one that did not.
#ifndef WLFMT_TOOLS_CHAKRA_CHECK_HPP
#define WLFMT_TOOLS_CHAKRA_CHECK_HPP

#include <filesystem>
#include <system_error>

#include "../command_line/settings.hpp"
#include "simulation.hpp"
#include "stamp.hpp"

namespace tool {

// Says what is wrong with rank `other`'s part in `waiting`, the `nth` collective or message of its kind; empty if that
// part was issued and matches. `part`: the word for it in the message.
inline std::string missing_part(const simulation& run, std::int64_t other, const traced_node& waiting, std::size_t nth,
                                const std::string& part) {
    const std::string who = joined({", and rank ", other});
    if (other < 0 || other >= static_cast<std::int64_t>(run.ranks.size())) return who + " has no trace";
    const std::vector<bool>& issued = run.ranks[static_cast<std::size_t>(other)].issued;
    std::string problem = joined({who, " has no such ", part});
    run.nodes_of(static_cast<std::size_t>(other), [&](const traced_node& node) {
        if (!waiting.meets(node) || nth-- != 0) return true;
        const auto id = static_cast<std::size_t>(node.id);
        if (node.bytes != waiting.bytes)
            problem = joined({who, " has ", node.bytes.value_or(0), " bytes there, at node ", node.id});
        else if (id < issued.size() && issued[id]) problem.clear();
        else problem = joined({who, " has not come to its ", part, ", node ", node.id});
        return false;
    });
    return problem;
}
// Describes the collective or message of a node, and the rank whose part in it is missing; empty for other nodes.
inline std::string missing_for(const simulation& run, std::size_t rank, const traced_node& node) {
    if (!node.communicates()) return {};
    std::size_t nth = 0;
    run.nodes_of(rank, [&](const traced_node& other) {
        if (other.id == node.id) return false;
        if (other.type == node.type && other.group == node.group && other.sender == node.sender &&
            other.receiver == node.receiver && other.tag == node.tag)
            ++nth;
        return true;
    });
    const std::string bytes = counted(static_cast<std::uint64_t>(node.bytes.value_or(0)), "byte", "bytes");
    if (node.is_message()) {
        const bool sends = node.type == traced_node::send;
        const std::int64_t other = (sends ? node.receiver : node.sender).value_or(-1);
        return joined({": a ", sends ? "send" : "receive", " of ", bytes, sends ? " to rank " : " from rank ", other,
                       ", tag ", node.tag.value_or(0),
                       missing_part(run, other, node, nth, sends ? "receive" : "send")});
    }
    std::string words = joined({": a collective of ", bytes, " in group ", node.group});
    for (const std::int64_t other : run.members(node.group)) {
        if (other == static_cast<std::int64_t>(rank)) continue;
        const std::string part = missing_part(run, other, node, nth, "collective");
        if (!part.empty()) return words + part;
    }
    return words;
}
// Prints which rank has stood still the longest, and what it waits for.
inline void print_first_unfinished(const simulation& run) {
    std::size_t first = run.ranks.size();
    for (std::size_t rank = 0; rank != run.ranks.size(); ++rank) {
        const simulated_rank& waiter = run.ranks[rank];
        if (waiter.has_finished() || !waiter.has_whole_trace) continue;
        if (first == run.ranks.size() || waiter.last_tick < run.ranks[first].last_tick) first = rank;
    }
    if (first == run.ranks.size()) return;
    const simulated_rank& rank = run.ranks[first];
    const std::string who = joined({"rank ", first, " has stood still since cycle ", rank.last_tick});
    const auto is_set = [](const std::vector<bool>& flags, std::uint64_t id) {
        return id < flags.size() && flags[static_cast<std::size_t>(id)];
    };
    const bool is_any_running = std::find(rank.running.begin(), rank.running.end(), true) != rank.running.end();
    run.nodes_of(first, [&](const traced_node& node) {
        if (is_any_running && is_set(rank.running, node.id))
            print_line({who, " at node ", node.id, ", ", node.name, missing_for(run, first, node)});
        if (is_any_running || is_set(rank.issued, node.id)) return true;
        print_line({who, " before node ", node.id, ", ", node.name, ", which was not issued"});
        return false;
    });
}

class simulation_check {
public:
    // `log`: the name of the log. `fingerprint`: the one in that name; empty if there is none.
    simulation_check(const simulation& run, const char* log, std::string_view fingerprint)
        : run_(run), path_(log), log_(printable(log)), fingerprint_(fingerprint) {}

    exit_status print() {
        if (!run_.has_log_lines) fail({log_, " has no line of a rank: is it what ASTRA-sim logs?"});
        check_ranks();
        if (!run_.ranks.empty()) check_stamps();
        print_counts();
        if (status_ != clean) check_disk();
        if (!run_.ranks.empty()) print_ranks();
        if (status_ != clean && run_.names_nodes) print_first_unfinished(run_);
        return status_;
    }

private:
    void fail(parts problem) {
        say("wlfmt", problem);
        status_ = problems;
    }
    std::string name_of_trace(std::size_t rank) const { return printable(run_.trace_name(rank)); }

    void check_ranks() {
        if (run_.without_trace || run_.ranks.empty()) {
            const auto rank = static_cast<std::size_t>(run_.without_trace.value_or(0));
            fail({"rank ", rank, " has no trace ", name_of_trace(rank)});
        }
        for (std::size_t rank = 0; rank != run_.ranks.size(); ++rank) {
            const simulated_rank& run = run_.ranks[rank];
            const std::string who = joined({"rank ", rank});
            if (!run.has_whole_trace) fail({"the trace of ", who, " is not whole: ", name_of_trace(rank)});
            if (run.has_unknown_nodes) fail({who, " has nodes in the log that are not in its trace: is this its log?"});
            if (run.finishes > 1) fail({who, " finished twice: is this the log of one run?"});
        }
    }
    // Checks that the traces are all the traces of one run, and that the log is named after that run.
    void check_stamps() {
        const trace_stamp& first = run_.ranks[0].stamp;
        for (std::size_t rank = 0; rank != run_.ranks.size(); ++rank) {
            const std::string& own = run_.ranks[rank].stamp.fingerprint;
            if (!run_.ranks[rank].has_whole_trace || (!own.empty() && own == first.fingerprint)) continue;
            if (own.empty())
                return fail({name_of_trace(rank), " has no fingerprint: the traces are to be written again"});
            return fail({name_of_trace(rank), " is of run ", own, ", and ", name_of_trace(0), " is of run ",
                         first.fingerprint.empty() ? "no fingerprint" : first.fingerprint});
        }
        if (first.fingerprint.empty()) return;
        const std::size_t count = run_.ranks.size();
        if (static_cast<std::int64_t>(count) < first.ranks)
            fail({"rank ", count, " of ", first.ranks, " has no trace ", name_of_trace(count)});
        const std::string wanted = joined({printable(run_.prefix()), ".", first.fingerprint, ".log"});
        if (fingerprint_.empty())
            fail({log_, " does not say in its name which traces were simulated: the log of these is called ", wanted});
        else if (fingerprint_ != first.fingerprint)
            fail({log_, " is the log of other traces: that of these is called ", wanted});
    }

    void print_counts() {
        std::size_t finished = 0;
        std::uint64_t issues = 0;
        std::uint64_t nodes = 0;
        for (const simulated_rank& rank : run_.ranks) {
            finished += rank.has_finished() ? 1U : 0U;
            issues += rank.issues;
            nodes += rank.nodes;
            const bool ended = rank.finishes == 1 && rank.has_whole_trace && rank.nodes != 0 &&
                               (!run_.names_nodes || rank.issues == rank.nodes);
            if (!ended) status_ = problems;
        }
        print_line({finished, " of ", counted(run_.ranks.size(), "rank", "ranks"), " finished"});
        if (run_.names_nodes) print_line({issues, " of ", counted(nodes, "node", "nodes"), " were issued"});
        else
            print_line(
                "nodes were not counted: the log does not have them (\"trace-enabled\": 1, and not what the "
                "simulator prints)");
    }
    // Prints one line for consecutive ranks with the same numbers.
    void print_ranks() const {
        const auto key = [](const simulated_rank& r) {
            return std::tie(r.finishes, r.cycles, r.exposed, r.issues, r.nodes);
        };
        print_row({"ranks", "cycles", "exposed communication", "issued", "nodes"});
        for (std::size_t first = 0; first != run_.ranks.size();) {
            const simulated_rank& rank = run_.ranks[first];
            std::size_t end = first + 1;
            while (end != run_.ranks.size() && key(run_.ranks[end]) == key(rank)) ++end;
            print_row({joined({first, end == first + 1 ? "" : joined({"-", end - 1})}),
                       rank.has_finished() ? std::to_string(rank.cycles) : "not finished",
                       rank.has_finished() ? std::to_string(rank.exposed) : "-",
                       run_.names_nodes ? std::to_string(rank.issues) : "-", rank.nodes});
            first = end;
        }
    }
    // The first cell is left-aligned, the others are right-aligned.
    static void print_row(parts cells) {
        constexpr std::size_t widths[] = {13, 20, 23, 10, 10};
        std::string line = "  ";
        std::size_t n = 0;
        for (const auto& cell : cells) {
            const std::size_t width = widths[n];
            const std::string padding(width > cell.text().size() ? width - cell.text().size() : 0, ' ');
            line += n++ == 0 ? joined({cell.text(), padding}) : joined({padding, cell.text()});
        }
        print_line(line);
    }

    // The simulator does not say that its log could not be written to its end.
    void check_disk() {
        std::error_code failed;
        const auto log = std::filesystem::absolute(std::filesystem::path(path_), failed);
        const auto space = std::filesystem::space(log, failed);
        if (!failed && space.available == 0)
            fail({"there is no space left where ", log_, " is: what the simulator still had to say is lost"});
    }

    const simulation& run_;
    std::string_view path_;
    std::string log_;
    std::string_view fingerprint_;
    exit_status status_ = clean;
};

inline exit_status check_simulation(const settings& s) {
    const char* const log = s.files[0];
    const auto name = split_log_name(log);
    const std::string prefix = s.output.empty() && name ? std::string(name->first) : s.output;
    if (prefix.empty()) {
        say("wlfmt", {"-o PREFIX is missing: which traces were simulated?"});
        return unusable;
    }
    input from(log);
    if (report_unreadable(from)) return unusable;
    simulation run(prefix);
    run.read_log(from);
    return simulation_check(run, log, name ? name->second : std::string_view()).print();
}

}  // namespace tool

#endif
