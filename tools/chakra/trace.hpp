// Chakra traces in files, one node in memory at a time.
#ifndef WLFMT_TOOLS_CHAKRA_TRACE_HPP
#define WLFMT_TOOLS_CHAKRA_TRACE_HPP

#include "analysis/chakra/reader.hpp"

#include "../input/input.hpp"

namespace tool {

// Reads the nodes of a trace in a file.
class trace_file {
public:
    explicit trace_file(const std::string& path) : from_(path.c_str()), nodes_(more_) {}
    trace_file(const trace_file&) = delete;
    trace_file& operator=(const trace_file&) = delete;

    const wlfmt::analysis::chakra::trace_node* next() { return nodes_.next(); }
    const wlfmt::analysis::chakra::trace_metadata& metadata() const noexcept { return nodes_.metadata(); }
    bool is_there() const noexcept { return !from_.error(); }
    // Whether nothing has been found so far that is not a trace's.
    bool is_whole() const noexcept { return is_there() && !nodes_.error(); }
    // Says why the trace cannot be read, if it cannot. Call it after the last node.
    bool report_unreadable() const {
        if (tool::report_unreadable(from_)) return true;
        if (nodes_.error()) say(from_.name(), {"error: ", nodes_.error().text()});
        return static_cast<bool>(nodes_.error());
    }

private:
    struct next_chunk {
        input& from;
        std::string_view operator()() const { return from.next(); }
    };
    input from_;
    const next_chunk more_{from_};
    wlfmt::analysis::chakra::trace_reader nodes_;
};

// What ASTRA-sim reads of a node.
struct traced_node {
    // The types of nodes in Chakra's schema.
    enum node_type : std::int32_t { computation = 4, send = 5, receive = 6, collective = 7 };
    static constexpr std::int64_t all_gather = 2;

    std::uint64_t id = 0;
    std::string name;
    std::int32_t type = 0;
    std::optional<std::int64_t> operations;       // num_ops
    std::optional<std::int64_t> collective_type;  // comm_type
    std::optional<std::int64_t> bytes;            // comm_size
    std::optional<std::int64_t> sender;
    std::optional<std::int64_t> receiver;
    std::optional<std::int64_t> tag;
    std::string group;  // 0: all ranks

    // `rank`: whose trace it is in, which a send need not name as its sender, nor a receive as its receiver.
    traced_node(const wlfmt::analysis::chakra::trace_node& node, std::optional<std::int64_t> rank)
        : id(node.id),
          name(node.name),
          type(node.type),
          operations(node.whole("num_ops")),
          collective_type(node.whole("comm_type")),
          bytes(node.whole("comm_size")),
          sender(node.whole("comm_src")),
          receiver(node.whole("comm_dst")),
          tag(node.whole("comm_tag")) {
        if (type == send && node.find("comm_src") == nullptr) sender = rank;
        if (type == receive && node.find("comm_dst") == nullptr) receiver = rank;
        const auto* const pg_name = node.find("pg_name");
        if (pg_name != nullptr) group = pg_name->text().value_or("");
        if (group.empty()) group = "0";
    }

    bool is_message() const noexcept { return type == send || type == receive; }
    bool communicates() const noexcept { return is_message() || type == collective; }
    // Whether the nodes are parts of the same collective, or the two ends of the same message.
    bool meets(const traced_node& other) const {
        if (type == collective) return other.type == collective && group == other.group;
        return other.type + type == send + receive && sender == other.sender && receiver == other.receiver &&
               tag == other.tag;
    }
};

// The rank in a trace's name, PREFIX.RANK.et.
inline std::optional<std::int64_t> rank_of_trace(std::string_view path) {
    if (!has_ending(path, ".et")) return std::nullopt;
    path.remove_suffix(3);
    const std::string_view rank = path.substr(path.rfind('.') + 1);
    if (rank.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return wlfmt::to_number(rank).as<std::int64_t>();
}

}  // namespace tool

#endif
