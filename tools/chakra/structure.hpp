// chakra --check: finds out whether a simulator can run given traces, of whatever origin, to their end.
#ifndef WLFMT_TOOLS_CHAKRA_STRUCTURE_HPP
#define WLFMT_TOOLS_CHAKRA_STRUCTURE_HPP

#include <set>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../output/output.hpp"
#include "trace.hpp"

namespace tool {

class structure_check {
public:
    explicit structure_check(const settings& s) : paths_(s.files.begin(), s.files.end()) {}

    static bool is_trace(std::string_view path) { return has_ending(path, ".et"); }

    exit_status run() {
        for (const std::string& path : paths_)
            if (!check_file(path)) return unusable;
        check_messages();
        if (problems_ == 0)
            standard_output.append(
                joined({counted(paths_.size(), "trace", "traces"), ", ", counted(nodes_, "node", "nodes"),
                        ": nothing found that keeps a simulation from its end\n"}));
        return problems_ == 0 ? clean : problems;
    }

private:
    // The rank in a trace's name, PREFIX.RANK.et.
    static std::optional<std::int64_t> rank_of(std::string_view path) {
        path.remove_suffix(3);
        return wlfmt::to_number(path.substr(path.rfind('.') + 1)).as<std::int64_t>();
    }
    void fail(const std::string& path, const std::string& words) {
        ++problems_;
        say(path, {"error: ", printable(words)});
    }
    static std::string named(const traced_node& n) { return joined({"node ", n.id, ", ", n.name}); }

    // Returns false, with a message, if the file cannot be read or is not a whole trace.
    bool check_file(const std::string& path) {
        const loaded_trace trace(path);
        if (!trace.is_there || !trace.is_whole) {
            fail(path, trace.is_there ? "this is no Chakra trace, or it was cut off" : "the file cannot be read");
            return false;
        }
        nodes_ += trace.nodes.size();
        if (trace.nodes.empty()) fail(path, "the trace has no nodes, at which ASTRA-sim aborts");
        check_nodes(path, trace.nodes);
        check_order(path, trace.nodes);
        note_messages(path, trace.nodes);
        note_collectives(path, trace.nodes);
        return true;
    }

    // Reports the first node with each kind of problem.
    void check_nodes(const std::string& path, const std::vector<traced_node>& nodes) {
        std::set<std::string> reported;
        const auto fail_once = [&](const traced_node& n, const std::string& problem) {
            if (reported.insert(problem).second) fail(path, named(n) + ": " + problem);
        };
        for (const traced_node& n : nodes) {
            if (n.type != traced_node::computation && !n.communicates())
                fail_once(n, "ASTRA-sim never issues what waits for a node of this type");
            if (n.type == traced_node::computation && n.operations == 0)
                fail_once(n, "num_ops is 0: ASTRA-sim never finishes it");
            if (n.communicates() && !n.has_bytes) fail_once(n, "comm_size is missing");
            if (n.type == traced_node::collective && n.collective_type < 0) fail_once(n, "comm_type is missing");
            if (n.type == traced_node::collective && n.collective_type == 2 && n.has_bytes && n.bytes == 0)
                fail_once(n, "an all-gather of 0 bytes never finishes");
        }
    }

    // Reports nodes that can never run because they wait for each other, or for a node that does not exist.
    void check_order(const std::string& path, const std::vector<traced_node>& nodes) {
        keyed<std::uint64_t, std::size_t> place_of;
        for (std::size_t n = 0; n != nodes.size(); ++n) {
            if (place_of.has(nodes[n].id)) return fail(path, named(nodes[n]) + ": another node has this id, too");
            place_of[nodes[n].id] = n;
        }
        std::vector<std::size_t> pending(nodes.size());
        std::vector<std::vector<std::size_t>> dependents(nodes.size());
        for (std::size_t n = 0; n != nodes.size(); ++n) {
            for (const std::uint64_t id : nodes[n].after) {
                if (!place_of.has(id))
                    return fail(path, named(nodes[n]) + joined({" waits for node ", id, ", which there is not"}));
                dependents[place_of[id]].push_back(n);
                ++pending[n];
            }
        }
        std::vector<std::size_t> ready;
        for (std::size_t n = 0; n != nodes.size(); ++n)
            if (pending[n] == 0) ready.push_back(n);
        for (std::size_t done = 0; done != ready.size(); ++done)
            for (const std::size_t n : dependents[ready[done]])
                if (--pending[n] == 0) ready.push_back(n);
        if (ready.size() == nodes.size()) return;
        const auto stuck = std::find_if(pending.begin(), pending.end(), [](std::size_t count) { return count != 0; });
        fail(path, joined({named(nodes[static_cast<std::size_t>(stuck - pending.begin())]), ": ",
                           counted(nodes.size() - ready.size(), "node waits", "nodes wait"), " in a circle"}));
    }

    using message = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // sender, receiver, tag, bytes
    void note_messages(const std::string& path, const std::vector<traced_node>& nodes) {
        if (const auto rank = rank_of(path)) ranks_.insert(*rank);
        for (const traced_node& n : nodes)
            if (n.type == traced_node::send || n.type == traced_node::receive)
                messages_[message(n.sender, n.receiver, n.tag, n.bytes)] += n.type == traced_node::send ? 1 : -1;
    }
    // Reports a message that is sent but never received, or the reverse, if there are traces of both ranks.
    void check_messages() {
        for (const auto& [m, balance] : messages_) {
            const auto [sender, receiver, tag, bytes] = m;
            if (balance == 0 || ranks_.count(sender) == 0 || ranks_.count(receiver) == 0) continue;
            ++problems_;
            say("wlfmt", {"error: ", balance > 0 ? "a message is never received" : "a message is never sent",
                          ": from rank ", sender, " to ", receiver, ", tag ", tag, ", ", bytes, " bytes"});
            return;
        }
    }

    // Checks that all ranks of a group reach the same collectives in the same order.
    void note_collectives(const std::string& path, const std::vector<traced_node>& nodes) {
        keyed<std::string, program> programs;
        for (const traced_node& n : nodes)
            if (n.type == traced_node::collective) programs[n.group].calls.emplace_back(n.collective_type, n.bytes);
        for (const auto [group, called] : programs) {
            program& first = collectives_[group];
            if (first.path.empty()) {
                first.path = path;
                first.calls = std::move(called.calls);
            } else if (first.calls != called.calls) {
                fail(path, joined({"the collectives of group ", group.empty() ? std::string("0") : group,
                                   " are not those of ", first.path}));
            }
        }
    }

    struct program {
        std::string path;
        std::vector<std::pair<std::int64_t, std::int64_t>> calls;  // type and bytes
    };
    std::vector<std::string> paths_;
    std::uint64_t problems_ = 0;
    std::uint64_t nodes_ = 0;
    std::set<std::int64_t> ranks_;
    std::map<message, std::int64_t> messages_;
    keyed<std::string, program> collectives_;
};

}  // namespace tool

#endif
