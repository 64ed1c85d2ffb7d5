// chakra --show: what is in traces, of whatever origin, and whether those of several ranks fit each other.
#ifndef WLFMT_TOOLS_CHAKRA_SHOW_HPP
#define WLFMT_TOOLS_CHAKRA_SHOW_HPP

#include "../command_line/settings.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "fit.hpp"

namespace tool {

class trace_view {
public:
    explicit trace_view(const settings& s) : paths_(s.files.begin(), s.files.end()), as_json_(s.json) {
        sort_list(paths_,
                  [](const std::string& a, const std::string& b) { return rank_of_trace(a) < rank_of_trace(b); });
    }

    exit_status execute() {
        for (const std::string& path : paths_)
            if (!read(path)) return unusable;
        if (!as_json_) print();
        fit_.finish();
        return fit_.problems() == 0 ? clean : problems;
    }

private:
    static constexpr std::int64_t unknown = (std::numeric_limits<std::int64_t>::min)();
    struct amount {
        std::uint64_t nodes = 0;
        double bytes = 0;
        void add(const traced_node& n) {
            ++nodes;
            bytes += static_cast<double>(n.bytes.value_or(0));
        }
        bool operator<(const amount& other) const {
            return std::tie(nodes, bytes) < std::tie(other.nodes, other.bytes);
        }
    };
    struct contents {
        std::map<std::int32_t, std::uint64_t> nodes;  // the number of nodes of each type
        double micros = 0;                            // the microseconds of computation
        double operations = 0;
        bool operator==(const contents& other) const {
            return std::tie(nodes, micros, operations) == std::tie(other.nodes, other.micros, other.operations);
        }
    };
    // Sorted by the number of the group, if it is one.
    using collective = std::tuple<std::size_t, std::string, std::int64_t>;  // digits of the group, group, type
    using ends = std::pair<std::int64_t, std::int64_t>;                     // sender, receiver
    struct messages {
        amount sent;
        amount received;
    };

    bool read(const std::string& path) {
        trace_file trace(path);
        fit_.begin(path);
        if (as_json_ && trace.is_whole())
            print_object([&](auto& line) {
                put_trace(line, path);
                put_members(line, trace.metadata());
            });
        contents all;
        std::map<collective, amount> collectives;
        while (const auto* node = trace.next()) {
            const traced_node n(*node, fit_.rank());
            fit_.add(n);
            if (as_json_) {
                print_object([&](auto& line) {
                    put_trace(line, path);
                    put_members(line, *node);
                });
                continue;
            }
            ++all.nodes[n.type];
            ++types_[n.type];
            if (n.type == traced_node::computation) {
                all.micros += static_cast<double>(node->duration_micros);
                all.operations += static_cast<double>(n.operations.value_or(0));
            }
            if (n.type == traced_node::collective)
                collectives[{n.group.size(), n.group, n.collective_type.value_or(unknown)}].add(n);
            if (n.is_message()) {
                messages& both = messages_[{n.sender.value_or(unknown), n.receiver.value_or(unknown)}];
                (n.type == traced_node::send ? both.sent : both.received).add(n);
            }
        }
        if (trace.report_unreadable()) return false;
        fit_.end();
        if (contents_.empty() || !(contents_.back().second == all)) contents_.emplace_back(ranks_text(), all);
        contents_.back().first.add(fit_.rank(), path);
        for (const auto& [key, sum] : collectives) collectives_[key][sum].add(fit_.rank(), path);
        return true;
    }
    template <class Line> void put_trace(Line& line, const std::string& path) const {
        put_text(line, "trace", path);
        if (fit_.rank()) line.key("rank").integer(*fit_.rank());
    }

    // Ranks as they are printed: `0-7,16`. A trace without a rank has its name.
    class ranks_text {
    public:
        void add(std::optional<std::int64_t> rank, const std::string& path) {
            if (!rank) text_ += (text_.empty() ? "" : ",") + path;
            else if (last_ && *rank == *last_ + 1) is_range_ = true;
            else begin(*rank);
            last_ = rank;
        }
        std::string text() const { return is_range_ ? joined({text_, "-", *last_}) : text_; }

    private:
        void begin(std::int64_t rank) {
            text_ = joined({text(), text_.empty() ? "" : ",", rank});
            is_range_ = false;
        }
        std::string text_;
        std::optional<std::int64_t> last_;
        bool is_range_ = false;
    };
    static std::string type_name(std::int32_t type) {
        namespace chakra = wlfmt::analysis::chakra;
        return type >= 0 && type < static_cast<std::int32_t>(std::size(chakra::node_types))
                   ? std::string(chakra::node_types[type])
                   : std::to_string(type);
    }

    static std::string end_text(std::int64_t rank) { return rank == unknown ? "-" : std::to_string(rank); }

    void print() {
        grid nodes;
        nodes.row({"ranks", "nodes"});
        for (const auto& [type, count] : types_) nodes.add({type_name(type)});
        nodes.add({"computation, us", "num_ops"});
        for (const auto& [ranks, all] : contents_) {
            std::uint64_t count = 0;
            for (const auto& [type, n] : all.nodes) count += n;
            nodes.row({ranks.text(), count});
            for (const auto& [type, ignored] : types_) {
                const auto found = all.nodes.find(type);
                nodes.add({found != all.nodes.end() ? found->second : 0});
            }
            nodes.add({fixed(all.micros, 0), fixed(all.operations, 0)});
        }
        nodes.print();
        grid groups;
        groups.row({"collective", "group", "its ranks", "in ranks", "nodes of each", "bytes of each"});
        for (const auto& [key, amounts] : collectives_)
            for (const auto& [sum, ranks] : amounts) {
                const auto& group = std::get<1>(key);
                const auto size = fit_.size_of(group);
                const std::int64_t type = std::get<2>(key);
                groups.row({type == unknown ? "-" : rank_fit::collective_name(type), group == "0" ? "0 (all)" : group,
                            size ? std::to_string(*size) : "-", ranks.text(), sum.nodes, fixed(sum.bytes, 0)});
            }
        if (!collectives_.empty()) {
            print_gap();
            groups.print();
        }
        grid pairs;
        pairs.row({"from rank", "to rank", "sends", "bytes", "receives", "bytes"});
        for (const auto& [pair, both] : messages_)
            pairs.row({end_text(pair.first), end_text(pair.second), both.sent.nodes, fixed(both.sent.bytes, 0),
                       both.received.nodes, fixed(both.received.bytes, 0)});
        if (messages_.empty()) return;
        print_gap();
        pairs.print();
    }

    std::vector<std::string> paths_;
    bool as_json_;
    rank_fit fit_;
    std::map<std::int32_t, std::uint64_t> types_;
    std::vector<std::pair<ranks_text, contents>> contents_;
    std::map<collective, std::map<amount, ranks_text>> collectives_;
    std::map<ends, messages> messages_;
};

}  // namespace tool

#endif
