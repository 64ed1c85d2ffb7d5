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
    const loaded_trace trace = run.trace_of(static_cast<std::size_t>(other));
    const std::vector<bool>& issued = run.ranks[static_cast<std::size_t>(other)].issued;
    for (std::size_t id = 0; id != trace.nodes.size(); ++id) {
        const traced_node& node = trace.nodes[id];
        if (!waiting.meets(node) || nth-- != 0) continue;
        if (node.bytes != waiting.bytes) return joined({who, " has ", node.bytes, " bytes there, at node ", id});
        if (id < issued.size() && issued[id]) return {};
        return joined({who, " has not come to its ", part, ", node ", id});
    }
    return joined({who, " has no such ", part});
}
// Describes the collective or message of a node, and the rank whose part in it is missing; empty for other nodes.
inline std::string missing_for(const simulation& run, std::size_t rank, const loaded_trace& trace, std::size_t id) {
    const traced_node& node = trace.nodes[id];
    if (!node.communicates()) return {};
    const auto same = [&](const traced_node& other) {
        return other.type == node.type && other.group == node.group && other.sender == node.sender &&
               other.receiver == node.receiver && other.tag == node.tag;
    };
    const auto nth = static_cast<std::size_t>(
        std::count_if(trace.nodes.begin(), trace.nodes.begin() + static_cast<std::ptrdiff_t>(id), same));
    const std::string bytes = counted(static_cast<std::uint64_t>(node.bytes), "byte", "bytes");
    if (node.type == traced_node::send)
        return joined({": a send of ", bytes, " to rank ", node.receiver, ", tag ", node.tag,
                       missing_part(run, node.receiver, node, nth, "receive")});
    if (node.type == traced_node::receive)
        return joined({": a receive of ", bytes, " from rank ", node.sender, ", tag ", node.tag,
                       missing_part(run, node.sender, node, nth, "send")});
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
    const loaded_trace trace = run.trace_of(first);
    const std::string who = joined({"rank ", first, " has stood still since cycle ", rank.last_tick});
    bool is_any_running = false;
    for (std::size_t id = 0; id != (std::min)(rank.running.size(), trace.nodes.size()); ++id) {
        if (!rank.running[id]) continue;
        is_any_running = true;
        print_line({who, " at node ", id, ", ", trace.nodes[id].name, missing_for(run, first, trace, id)});
    }
    if (is_any_running) return;
    for (std::size_t id = 0; id != trace.nodes.size(); ++id) {
        if (id < rank.issued.size() && rank.issued[id]) continue;
        return print_line({who, " before node ", id, ", ", trace.nodes[id].name, ", which was not issued"});
    }
}

}  // namespace tool

#endif
