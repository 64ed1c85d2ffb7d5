// Chakra traces as lines of text, decoded by hand from the wire format of protocol buffers and the field numbers of
// Chakra's schema (mlcommons/chakra 21585d8f, schema/protobuf/et_def.proto): nothing that writes them is used here.
#ifndef WLFMT_TESTS_CHAKRA_SUPPORT_HPP
#define WLFMT_TESTS_CHAKRA_SUPPORT_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace test {

// Reads messages. After anything malformed it is bad, and stays so.
class wire {
public:
    explicit wire(std::string_view bytes) : left_(bytes) {}
    bool empty() const { return left_.empty() || bad_; }
    bool bad() const { return bad_; }
    std::uint64_t varint() {
        std::uint64_t v = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (left_.empty()) break;
            const auto byte = static_cast<unsigned char>(left_[0]);
            left_.remove_prefix(1);
            v |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) return v;
        }
        bad_ = true;
        return 0;
    }
    std::string_view bytes() {
        const std::uint64_t size = varint();
        bad_ = bad_ || size > left_.size();
        if (bad_) return {};
        const std::string_view all = left_.substr(0, static_cast<std::size_t>(size));
        left_.remove_prefix(all.size());
        return all;
    }

private:
    std::string_view left_;
    bool bad_ = false;
};

// `comm_size=int64:64`
inline std::string decoded_attribute(std::string_view message) {
    wire in(message);
    std::string name;
    std::string value = "nothing";
    while (!in.empty()) {
        const std::uint64_t key = in.varint();
        switch (key) {
        case 1 << 3 | 2: name = in.bytes(); break;
        case 7 << 3: value = "int32:" + std::to_string(static_cast<std::int64_t>(in.varint())); break;
        case 9 << 3: value = "int64:" + std::to_string(static_cast<std::int64_t>(in.varint())); break;
        case 13 << 3: value = "uint64:" + std::to_string(in.varint()); break;
        case 27 << 3: value = in.varint() != 0 ? "true" : "false"; break;
        case 29 << 3 | 2: value = "'" + std::string(in.bytes()) + "'"; break;
        default: return "unknown key " + std::to_string(key);
        }
    }
    return in.bad() ? "malformed attribute" : name + "=" + value;
}

// `3 COMP COMP_NODE_a_FWD after 1 2 for 5us num_ops=int64:5000`
inline std::string decoded_node(std::string_view message) {
    constexpr const char* types[] = {"INVALID", "METADATA", "LOAD", "STORE", "COMP", "SEND", "RECV", "COLL"};
    wire in(message);
    std::uint64_t id = 0;
    std::uint64_t type = 0;
    std::uint64_t micros = 0;
    std::string name;
    std::string after;
    std::string attributes;
    while (!in.empty()) {
        const std::uint64_t key = in.varint();
        switch (key) {
        case 1 << 3: id = in.varint(); break;
        case 2 << 3 | 2: name = in.bytes(); break;
        case 3 << 3: type = in.varint(); break;
        case 5 << 3 | 2:
            for (wire ids(in.bytes()); !ids.empty();) after += " " + std::to_string(ids.varint());
            break;
        case 7 << 3: micros = in.varint(); break;
        case 10 << 3 | 2: attributes += " " + decoded_attribute(in.bytes()); break;
        default: return "unknown key " + std::to_string(key);
        }
    }
    if (in.bad() || type > 7) return "malformed node";
    return std::to_string(id) + " " + types[type] + " " + name + (after.empty() ? "" : " after" + after) +
           (micros == 0 ? "" : " for " + std::to_string(micros) + "us") + attributes;
}

// The lines of a trace: its metadata, then one line per node.
inline std::vector<std::string> decoded(std::string_view trace) {
    std::vector<std::string> lines;
    for (wire in(trace); !in.empty();) {
        const std::string_view message = in.bytes();
        if (in.bad()) {
            lines.emplace_back("malformed trace");
        } else if (lines.empty()) {
            std::string text = "metadata";
            for (wire meta(message); !meta.empty();)
                text += meta.varint() == (2 << 3 | 2) ? " " + decoded_attribute(meta.bytes()) : " unknown";
            lines.push_back(text);
        } else {
            lines.push_back(decoded_node(message));
        }
    }
    return lines;
}

}  // namespace test

#endif
