// chakra --check: finds out whether a simulator can finish given traces, of whatever origin.
#ifndef WLFMT_TOOLS_CHAKRA_STRUCTURE_HPP
#define WLFMT_TOOLS_CHAKRA_STRUCTURE_HPP

#include "../command_line/settings.hpp"
#include "fit.hpp"

namespace tool {

class structure_check {
public:
    explicit structure_check(const settings& s) : paths_(s.files.begin(), s.files.end()) {}

    exit_status execute() {
        for (const std::string& path : paths_)
            if (!check_file(path)) return unusable;
        fit_.finish();
        if (fit_.problems() == 0)
            standard_output.append(
                joined({counted(paths_.size(), "trace", "traces"), ", ", counted(nodes_, "node", "nodes"),
                        ": nothing found that would keep a simulation from finishing\n"}));
        return fit_.problems() == 0 ? clean : problems;
    }

private:
    static std::string named(std::uint64_t id, std::string_view name) { return joined({"node ", id, ", ", name}); }

    // Returns false, with a message, if the file cannot be read or is not a whole trace.
    bool check_file(const std::string& path) {
        trace_file trace(path);
        fit_.begin(path);
        reported_.clear();
        waits_ = {};
        while (const auto* node = trace.next()) {
            const traced_node traced(*node, fit_.rank());
            check_node(path, *node, traced);
            fit_.add(traced);
            waits_.add(*node);
        }
        if (trace.report_unreadable()) return false;
        fit_.end();
        nodes_ += waits_.ids.size();
        if (waits_.ids.empty()) fit_.fail(path, "the trace has no nodes, at which ASTRA-sim aborts");
        check_order(path);
        return true;
    }

    // Reports the first node with each kind of problem: what ASTRA-sim's Workload.cc and its feeder (et_feeder_node.h)
    // do not take.
    void check_node(const std::string& path, const wlfmt::analysis::chakra::trace_node& node, const traced_node& n) {
        const auto fail_once = [&](bool is_wrong, const std::string& problem) {
            if (is_wrong && reported_.insert(problem).second) fit_.fail(path, named(n.id, n.name) + ": " + problem);
        };
        const auto needs = [&](std::string_view attribute, const std::optional<std::int64_t>& value) {
            const bool is_there = node.find(attribute) != nullptr;
            fail_once(!value && !is_there, joined({attribute, " is missing"}));
            fail_once(!value && is_there, joined({attribute, " is no whole number"}));
        };
        fail_once(n.type < traced_node::computation || n.type > traced_node::collective,
                  "ASTRA-sim never issues what waits for a node of this type");
        fail_once(n.type == traced_node::computation && n.operations == 0, "num_ops is 0: ASTRA-sim never finishes it");
        if (!n.communicates()) return;
        needs("comm_size", n.bytes);
        fail_once(n.bytes.value_or(0) < 0, "comm_size is below 0");
        fail_once(node.whole("is_cpu_op").value_or(0) != 0, "is_cpu_op is true, at which ASTRA-sim ends");
        if (n.type == traced_node::collective) {
            needs("comm_type", n.collective_type);
            const auto* const group = node.find("pg_name");
            fail_once(group != nullptr && !group->text(), "pg_name is no text, at which ASTRA-sim ends");
            const auto simulated = {0, 2, 5, 6, 7};
            fail_once(n.collective_type &&
                          std::find(simulated.begin(), simulated.end(), *n.collective_type) == simulated.end(),
                      joined({"ASTRA-sim has no collective ", rank_fit::collective_name(n.collective_type)}));
            fail_once(n.collective_type == traced_node::all_gather && n.bytes == 0,
                      "an all-gather of 0 bytes never finishes");
            return;
        }
        if (n.type == traced_node::send) needs("comm_dst", n.receiver);
        else needs("comm_src", n.sender);
        needs("comm_tag", n.tag);
        const auto& own = n.type == traced_node::send ? n.sender : n.receiver;
        if (own && fit_.rank() && own != fit_.rank())
            fail_once(true,
                      joined({n.type == traced_node::send ? "comm_src is not the rank " : "comm_dst is not the rank ",
                              *fit_.rank(), " of the trace, at which ASTRA-sim ends"}));
    }

    // The ids of a trace's nodes, and those for which each waits.
    struct waiting_nodes {
        std::vector<std::uint64_t> ids;
        std::vector<std::pair<std::size_t, std::uint64_t>> after;  // the position of a node, and the id of another

        void add(const wlfmt::analysis::chakra::trace_node& node) {
            for (const auto* list : {&node.control_after, &node.data_after})
                for (const std::uint64_t id : *list) after.emplace_back(ids.size(), id);
            ids.push_back(node.id);
        }
    };
    // The name of a node is read once more, as names are not kept.
    static std::string named_at(const std::string& path, std::size_t position) {
        trace_file trace(path);
        while (const auto* node = trace.next())
            if (node->position == position) return named(node->id, node->name);
        return joined({"the node at position ", position});
    }

    // Reports nodes that can never run because they wait for each other, or for a node that does not exist.
    void check_order(const std::string& path) {
        const std::vector<std::uint64_t>& ids = waits_.ids;
        std::vector<std::size_t> by_id =
            sorted_positions(ids.size(), [&](std::size_t a, std::size_t b) { return ids[a] < ids[b]; });
        for (std::size_t n = 1; n < by_id.size(); ++n)
            if (ids[by_id[n - 1]] == ids[by_id[n]])
                return fit_.fail(path, named_at(path, by_id[n]) + ": another node has this id, too");
        std::vector<std::size_t> pending(ids.size());
        std::vector<std::vector<std::size_t>> dependents(ids.size());
        for (const auto& [n, id] : waits_.after) {
            const auto found = std::lower_bound(by_id.begin(), by_id.end(), id,
                                                [&](std::size_t at, std::uint64_t wanted) { return ids[at] < wanted; });
            if (found == by_id.end() || ids[*found] != id)
                return fit_.fail(path, named_at(path, n) + joined({" waits for node ", id, ", which there is not"}));
            dependents[*found].push_back(n);
            ++pending[n];
        }
        std::vector<std::size_t> ready;
        for (std::size_t n = 0; n != ids.size(); ++n)
            if (pending[n] == 0) ready.push_back(n);
        for (std::size_t done = 0; done != ready.size(); ++done)
            for (const std::size_t n : dependents[ready[done]])
                if (--pending[n] == 0) ready.push_back(n);
        if (ready.size() == ids.size()) return;
        const auto stuck = std::find_if(pending.begin(), pending.end(), [](std::size_t count) { return count != 0; });
        fit_.fail(path, joined({named_at(path, static_cast<std::size_t>(stuck - pending.begin())), ": ",
                                counted(ids.size() - ready.size(), "node waits", "nodes wait"), " in a circle"}));
    }

    std::vector<std::string> paths_;
    rank_fit fit_;
    std::set<std::string> reported_;  // what was reported of the trace that is being read
    waiting_nodes waits_;
    std::uint64_t nodes_ = 0;
};

}  // namespace tool

#endif
