// Reads a Chakra trace, for chakra --check.
#ifndef WLFMT_TOOLS_CHAKRA_TRACE_HPP
#define WLFMT_TOOLS_CHAKRA_TRACE_HPP

#include <protozero/pbf_reader.hpp>

#include "../input/input.hpp"
#include "stamp.hpp"

namespace tool {

// What --check needs to know about a node.
struct traced_node {
    // The types of nodes in Chakra's schema.
    static constexpr std::uint64_t computation = 4;
    static constexpr std::uint64_t send = 5;
    static constexpr std::uint64_t receive = 6;
    static constexpr std::uint64_t collective = 7;

    std::uint64_t id = 0;
    std::string name;
    std::uint64_t type = 0;
    std::int64_t operations = -1;       // num_ops; -1: it has none
    std::int64_t collective_type = -1;  // comm_type; -1: it has none
    std::vector<std::uint64_t> after;   // the nodes that it waits for
    std::int64_t bytes = 0;
    bool has_bytes = false;
    std::int64_t sender = 0;
    std::int64_t receiver = 0;
    std::int64_t tag = 0;
    std::string group;

    bool communicates() const noexcept { return type >= send && type <= collective; }
    // Whether the nodes are parts of the same collective, or the two ends of the same message.
    bool meets(const traced_node& other) const {
        if (type == collective) return other.type == collective && group == other.group;
        return other.type + type == send + receive && sender == other.sender && receiver == other.receiver &&
               tag == other.tag;
    }
};

// The nodes of a trace, in the order of the file.
class loaded_trace {
public:
    explicit loaded_trace(const std::string& path) {
        input from(path.c_str());
        if (from.error()) return;
        is_there = true;
        const std::string_view text = from.whole();
        try {
            bool is_metadata = true;
            for (const char *at = text.data(), *const end = at + text.size(); at != end; is_metadata = false) {
                const std::uint64_t size = protozero::decode_varint(&at, end);
                if (size > static_cast<std::uint64_t>(end - at)) return;
                const std::string_view message(at, static_cast<std::size_t>(size));
                if (is_metadata) stamp = trace_stamp::of(message);
                else nodes.push_back(node(message));
                at += size;
            }
            is_whole = !is_metadata;
        } catch (const protozero::exception&) {
            is_whole = false;
        }
    }
    bool is_there = false;
    bool is_whole = false;
    trace_stamp stamp;
    std::vector<traced_node> nodes;

private:
    static traced_node node(std::string_view message) {
        traced_node n;
        for (protozero::pbf_reader in(message.data(), message.size()); in.next();) {
            switch (in.tag()) {
            case 1: n.id = in.get_uint64(); break;
            case 2: n.name = in.get_string(); break;
            case 3: n.type = static_cast<std::uint64_t>(in.get_enum()); break;
            case 4:  // control dependencies count like data dependencies
            case 5:
                for (const std::uint64_t id : in.get_packed_uint64()) n.after.push_back(id);
                break;
            case 10: attribute(n, in.get_message()); break;
            default: in.skip();
            }
        }
        return n;
    }
    static void attribute(traced_node& n, protozero::pbf_reader in) {
        std::string name;
        while (in.next()) {
            switch (in.tag()) {
            case 1: name = in.get_string(); break;
            case 7: number(n, name, in.get_int32()); break;
            case 9: number(n, name, in.get_int64()); break;
            case 13: number(n, name, static_cast<std::int64_t>(in.get_uint64())); break;
            case 29:
                if (name == "pg_name") n.group = in.get_string();
                else in.skip();
                break;
            default: in.skip();
            }
        }
    }
    static void number(traced_node& n, std::string_view name, std::int64_t value) {
        if (name == "comm_size") n.bytes = value, n.has_bytes = true;
        if (name == "comm_type") n.collective_type = value;
        if (name == "num_ops") n.operations = value;
        if (name == "comm_src") n.sender = value;
        if (name == "comm_dst") n.receiver = value;
        if (name == "comm_tag") n.tag = value;
    }
};

}  // namespace tool

#endif
