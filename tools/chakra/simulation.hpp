// Reads a simulation: its traces, and what its log says about each rank.
#ifndef WLFMT_TOOLS_CHAKRA_SIMULATION_HPP
#define WLFMT_TOOLS_CHAKRA_SIMULATION_HPP

#include "../general/text.hpp"
#include "files.hpp"
#include "groups.hpp"
#include "stamp.hpp"
#include "trace.hpp"

namespace tool {

struct simulated_rank {
    std::vector<bool> issued;   // whether each node was issued
    std::vector<bool> running;  // whether each node was issued and has not ended
    std::uint64_t issues = 0;
    std::uint64_t nodes = 0;      // the number of nodes in its trace
    std::uint64_t last_tick = 0;  // the tick of its last event
    std::uint64_t finishes = 0;
    std::uint64_t cycles = 0;
    std::uint64_t exposed = 0;  // cycles of exposed communication
    trace_stamp stamp;
    bool has_whole_trace = false;
    bool has_unknown_nodes = false;  // the log names nodes that are not in the trace

    bool has_finished() const noexcept { return finishes != 0; }
};

class simulation {
public:
    explicit simulation(std::string prefix) : prefix_(std::move(prefix)) {
        for (std::size_t rank = 0; rank != max_traces; ++rank) {
            trace_file trace(trace_name(rank));
            if (!trace.is_there()) return;
            simulated_rank& run = ranks.emplace_back();
            run.stamp = trace_stamp::of(trace);
            while (trace.next() != nullptr) ++run.nodes;
            run.has_whole_trace = trace.is_whole();
            run.issued.resize(static_cast<std::size_t>(run.nodes));
            run.running.resize(static_cast<std::size_t>(run.nodes));
        }
    }
    void read_log(input& from) {
        std::string unfinished_line;
        for (std::string_view part = from.next(); !part.empty(); part = from.next()) {
            while (part.find('\n') != std::string_view::npos) {
                unfinished_line += take_until(part, '\n');
                read_line(unfinished_line);
                unfinished_line.clear();
            }
            unfinished_line += part;
        }
        read_line(unfinished_line);
    }

    const std::string& prefix() const noexcept { return prefix_; }
    std::string trace_name(std::size_t rank) const {
        return tool::trace_name(prefix_, static_cast<std::int64_t>(rank));
    }
    // Calls each(node) for the nodes of a rank's trace until it returns false.
    template <class Each> void nodes_of(std::size_t rank, const Each& each) const {
        trace_file trace(trace_name(rank));
        while (const auto* node = trace.next())
            if (!each(traced_node(*node, static_cast<std::int64_t>(rank)))) return;
    }
    // The ranks of a group; all ranks if the file of groups lacks the group.
    std::vector<std::int64_t> members(const std::string& group) const {
        input from((prefix_ + ".json").c_str());
        if (auto members = ranks_in(from.error() ? std::string_view() : from.whole(), group))
            return *std::move(members);
        std::vector<std::int64_t> numbers(ranks.size());
        std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
        return numbers;
    }

    std::vector<simulated_rank> ranks;
    std::optional<std::uint64_t> without_trace;  // the lowest rank in the log without a trace
    bool has_log_lines = false;
    bool names_nodes = false;  // the log says which nodes were issued

private:
    // Removes everything up to the end of the key from the line, and returns the number that follows.
    static std::optional<std::uint64_t> number_after(std::string_view& line, std::string_view key) {
        const std::size_t found = line.find(key);
        if (found == std::string_view::npos) return std::nullopt;
        line.remove_prefix(found + key.size());
        const std::size_t size = (std::min)(line.find_first_not_of("0123456789"), line.size());
        return wlfmt::to_number(line.substr(0, size)).as<std::uint64_t>();
    }
    // Returns null for a rank that has no trace, and remembers the lowest such rank.
    simulated_rank* find(std::optional<std::uint64_t> rank) {
        if (rank && *rank < ranks.size()) return &ranks[static_cast<std::size_t>(*rank)];
        if (rank && (!without_trace || *rank < *without_trace)) without_trace = rank;
        return nullptr;
    }
    void read_line(std::string_view line) {
        if (const std::size_t ended = line.find("] finished, "); ended != std::string_view::npos)
            return read_end(line, ended);
        const bool begins = line.find("issue,sys->id=") != std::string_view::npos;
        if (!begins && line.find("callback,sys->id=") == std::string_view::npos) return;
        simulated_rank* const rank = find(number_after(line, "sys->id="));
        const auto tick = number_after(line, "tick=");
        const auto id = number_after(line, "node->id=");
        if (!tick || !id) return;
        has_log_lines = names_nodes = true;
        if (rank == nullptr) return;
        if (*id >= rank->issued.size()) {
            rank->has_unknown_nodes = true;
            return;
        }
        rank->last_tick = (std::max)(rank->last_tick, *tick);
        const auto node = static_cast<std::size_t>(*id);
        rank->running[node] = begins;
        if (!begins || rank->issued[node]) return;
        rank->issued[node] = true;
        ++rank->issues;
    }
    void read_end(std::string_view line, std::size_t ended) {
        constexpr std::string_view key = "finished, ";
        std::string_view name = line.substr(0, ended + 2 + key.size());
        simulated_rank* const rank = find(number_after(name, "sys["));
        line.remove_prefix(ended);
        const auto cycles = number_after(line, key);
        const auto exposed = number_after(line, "communication ");
        if (!cycles || !exposed) return;
        has_log_lines = true;
        if (rank == nullptr) return;
        ++rank->finishes;
        rank->cycles = *cycles;
        rank->exposed = *exposed;
    }

    std::string prefix_;
};

}  // namespace tool

#endif
