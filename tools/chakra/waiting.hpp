// Finds out what ranks wait for in a simulation that did not finish.
#ifndef WLFMT_TOOLS_CHAKRA_WAITING_HPP
#define WLFMT_TOOLS_CHAKRA_WAITING_HPP

#include "simulation.hpp"

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

}  // namespace tool

#endif
