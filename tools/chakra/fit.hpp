// Finds out whether the traces of several ranks fit each other: messages, and the collectives of groups.
#ifndef WLFMT_TOOLS_CHAKRA_FIT_HPP
#define WLFMT_TOOLS_CHAKRA_FIT_HPP

#include <set>
#include <tuple>

#include "../general/order.hpp"
#include "../output/output.hpp"
#include "groups.hpp"
#include "trace.hpp"

namespace tool {

// Traces are read one after the other. Of messages those are kept of which one end was read, and of the collectives of
// a group their number and a hash, which are the same in all ranks.
class rank_fit {
public:
    std::uint64_t problems() const noexcept { return problems_; }
    void fail(std::string_view path, const std::string& words) {
        ++problems_;
        say(path, {"error: ", printable(words)});
    }
    // The number of ranks of a group, if PREFIX.json beside the traces says it.
    std::optional<std::size_t> size_of(const std::string& group) {
        const auto& members = members_of(group);
        return members ? std::optional(members->size()) : std::nullopt;
    }

    void begin(const std::string& path) {
        path_ = path;
        rank_ = rank_of_trace(path);
        programs_.clear();
        if (rank_ && !ranks_.insert(*rank_).second) fail(path_, joined({"another trace is of rank ", *rank_, ", too"}));
        if (!rank_ || prefix_) return;
        prefix_ = path.substr(0, path.rfind('.', path.rfind('.') - 1));
        input from((*prefix_ + ".json").c_str());
        if (!from.error()) groups_ = from.whole();
        has_groups_ = lists_groups(groups_);
    }
    std::optional<std::int64_t> rank() const noexcept { return rank_; }
    void add(const traced_node& node) {
        if (node.is_message() && node.sender && node.receiver) {
            const message key(*node.sender, *node.receiver, node.tag.value_or(0), node.bytes.value_or(0));
            std::int64_t& balance = messages_[key];
            balance += node.type == traced_node::send ? 1 : -1;
            if (balance == 0) messages_.erase(key);
        } else if (node.type == traced_node::collective) {
            program& calls = programs_[node.group];
            ++calls.count;
            for (const std::int64_t n : {node.collective_type.value_or(-1), node.bytes.value_or(-1)})
                calls.hash = mixed(calls.hash ^ static_cast<std::uint64_t>(n));
        }
    }
    void end() {
        for (const auto [group, own] : programs_) {
            check_membership(group);
            group_of_ranks& all = collectives_[group];
            if (rank_) all.ranks.insert(*rank_);
            if (all.first.empty()) {
                all.first = path_;
                all.calls = own;
            } else if (!all.is_reported && (all.calls.count != own.count || all.calls.hash != own.hash)) {
                all.is_reported = true;
                fail(path_, joined({"the collectives of group ", group, " are not those of ", all.first,
                                    difference_between(all.first, path_, group)}));
            }
        }
    }
    // Call it after the last trace. Reports messages and collectives in which ranks do not take part whose traces there
    // are.
    void finish() {
        for (const auto& [m, balance] : messages_) {
            const auto [sender, receiver, tag, bytes] = m;
            if (ranks_.count(sender) == 0 || ranks_.count(receiver) == 0) continue;
            ++problems_;
            say("wlfmt", {"error: ", balance > 0 ? "a message is never received" : "a message is never sent",
                          ": from rank ", sender, " to ", receiver, ", tag ", tag, ", ", bytes, " bytes"});
            break;
        }
        for (const auto [group, all] : collectives_) {
            const auto& members = members_of(group);
            for (const std::int64_t rank : members        ? std::set<std::int64_t>(members->begin(), members->end())
                                           : group == "0" ? ranks_
                                                          : std::set<std::int64_t>()) {
                if (ranks_.count(rank) == 0 || all.ranks.count(rank) != 0) continue;
                fail(all.first, joined({"rank ", rank, " has none of the collectives of group ", group}));
                break;
            }
        }
    }

private:
    using message = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // sender, receiver, tag, bytes
    struct program {
        std::uint64_t count = 0;
        std::uint64_t hash = 0;
    };
    struct group_of_ranks {
        std::string first;  // the first trace that has the group
        program calls;
        std::set<std::int64_t> ranks;
        bool is_reported = false;
    };

    // Every bit of the result depends on every bit of `n` (splitmix64).
    static std::uint64_t mixed(std::uint64_t n) noexcept {
        n += 0x9E3779B97F4A7C15U;
        n = (n ^ n >> 30U) * 0xBF58476D1CE4E5B9U;
        n = (n ^ n >> 27U) * 0x94D049BB133111EBU;
        return n ^ n >> 31U;
    }
    const std::optional<std::vector<std::int64_t>>& members_of(const std::string& group) {
        std::optional<std::vector<std::int64_t>>& members = members_[group];
        if (!members && has_groups_ && group != "0") members = ranks_in(groups_, group);
        return members;
    }
    void check_membership(const std::string& group) {
        if (group == "0") return;
        if (group.find_first_not_of("0123456789") != std::string::npos)
            return fail(path_, joined({"group ", group, " is no number, at which ASTRA-sim ends"}));
        if (!has_groups_) return;
        const auto& members = members_of(group);
        if (!members) fail(path_, joined({*prefix_, ".json has no group ", group, ", at which ASTRA-sim ends"}));
        else if (rank_ && std::find(members->begin(), members->end(), *rank_) == members->end())
            fail(path_, joined({"rank ", *rank_, " is not in group ", group, " of ", *prefix_, ".json"}));
        else if (members->size() == 1)
            fail(path_, joined({"group ", group, " has one rank, and its collectives never finish"}));
    }
    // Where the collectives of a group first differ; empty if the files cannot be read once more.
    static std::string difference_between(const std::string& first, const std::string& other,
                                          const std::string& group) {
        trace_file files[] = {trace_file(first), trace_file(other)};
        for (std::uint64_t n = 1;; ++n) {
            std::optional<traced_node> nodes[2];
            for (std::size_t k = 0; k != 2; ++k)
                while (const auto* node = files[k].next()) {
                    traced_node call(*node, {});
                    if (call.type != traced_node::collective || call.group != group) continue;
                    nodes[k].emplace(std::move(call));
                    break;
                }
            if (!nodes[0] && !nodes[1]) return {};
            if (nodes[0] && nodes[1] && nodes[0]->collective_type == nodes[1]->collective_type &&
                nodes[0]->bytes == nodes[1]->bytes)
                continue;
            return joined({": number ", n, " is ", words_for(nodes[1]), ", and there ", words_for(nodes[0])});
        }
    }
    static std::string words_for(const std::optional<traced_node>& node) {
        if (!node) return "missing";
        return joined({"node ", node->id, ", ", node->name, ", ", collective_name(node->collective_type), " of ",
                       node->bytes ? counted(static_cast<std::uint64_t>(*node->bytes), "byte", "bytes")
                                   : std::string("an unknown size")});
    }

public:
    static std::string collective_name(std::optional<std::int64_t> type) {
        namespace chakra = wlfmt::analysis::chakra;
        if (!type) return "an unknown collective";
        return *type >= 0 && *type < static_cast<std::int64_t>(std::size(chakra::collective_types))
                   ? std::string(chakra::collective_types[*type])
                   : std::to_string(*type);
    }

private:
    std::string path_;
    std::optional<std::int64_t> rank_;
    keyed<std::string, program> programs_;  // the programs in the trace that is being read

    std::set<std::int64_t> ranks_;
    std::map<message, std::int64_t> messages_;
    keyed<std::string, group_of_ranks> collectives_;
    std::optional<std::string> prefix_;
    bool has_groups_ = false;
    std::string groups_;
    keyed<std::string, std::optional<std::vector<std::int64_t>>> members_;
    std::uint64_t problems_ = 0;
};

}  // namespace tool

#endif
