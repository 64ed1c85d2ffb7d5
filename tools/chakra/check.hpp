// chakra --check: finds out whether a simulation ran to its end, which the simulator's own exit status does not say.
#ifndef WLFMT_TOOLS_CHAKRA_CHECK_HPP
#define WLFMT_TOOLS_CHAKRA_CHECK_HPP

#include <filesystem>
#include <system_error>

#include "../command_line/settings.hpp"
#include "simulation.hpp"
#include "stamp.hpp"
#include "waiting.hpp"

namespace tool {

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
