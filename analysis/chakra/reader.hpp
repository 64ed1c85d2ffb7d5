// Reads Chakra execution traces, whoever wrote them, by the schema of mlcommons/chakra (schema/protobuf/et_def.proto at
// 21585d8f). Its source needs exceptions and protozero, as chakra.hpp does.
//
//     wlfmt::analysis::chakra::trace_reader trace(more);            // more() returns the next bytes of the file
//     while (const auto* node = trace.next())
//         bytes += node->whole("comm_size").value_or(0);
//     if (trace.error()) return fail(trace.error().text());
//
// One message is in memory at a time.
#ifndef WLFMT_ANALYSIS_CHAKRA_READER_HPP
#define WLFMT_ANALYSIS_CHAKRA_READER_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <wlfmt/json/line.hpp>

#include "../callback.hpp"

namespace wlfmt::analysis::chakra {

// The types of nodes, and those of collectives, in the order of their numbers in the schema.
inline constexpr std::string_view node_types[] = {"INVALID_NODE", "METADATA_NODE",  "MEM_LOAD_NODE",  "MEM_STORE_NODE",
                                                  "COMP_NODE",    "COMM_SEND_NODE", "COMM_RECV_NODE", "COMM_COLL_NODE"};
inline constexpr std::string_view collective_types[] = {
    "ALL_REDUCE", "REDUCE",         "ALL_GATHER",           "GATHER", "SCATTER", "BROADCAST",
    "ALL_TO_ALL", "REDUCE_SCATTER", "REDUCE_SCATTER_BLOCK", "BARRIER"};

using scalar = std::variant<std::int64_t, std::uint64_t, double, bool, std::string_view>;

// A node's or the metadata's attribute. All views are valid until the next call of trace_reader::next().
struct attribute {
    std::string_view name;
    std::uint32_t field = 0;  // its value's field in AttributeProto: odd, or even for a list; 0: no value
    std::vector<scalar> values;

    [[nodiscard]] bool is_list() const noexcept { return field != 0 && field % 2 == 0; }
    // What ASTRA-sim's feeder takes for a whole number: one of any integer type, or a truth value.
    [[nodiscard]] std::optional<std::int64_t> whole() const;
    // The text of a string; nothing for other values.
    [[nodiscard]] std::optional<std::string_view> text() const;
};

struct attributes {
    std::vector<attribute> list;
    // The first attribute of the name, which is the one that ASTRA-sim's feeder reads; null if there is none.
    [[nodiscard]] const attribute* find(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> whole(std::string_view name) const;
};

struct trace_metadata : attributes {
    std::string_view version;
};

struct trace_node : attributes {
    struct tensors {
        std::string_view values;
        std::string_view shapes;
        std::string_view types;
    };
    std::uint64_t position = 0;  // the node's position in the trace, from 0
    std::uint64_t byte = 0;      // where its message begins
    std::uint64_t id = 0;
    std::string_view name;
    std::int32_t type = 0;
    std::vector<std::uint64_t> control_after;
    std::vector<std::uint64_t> data_after;
    std::uint64_t start_micros = 0;
    std::uint64_t duration_micros = 0;
    std::optional<tensors> inputs;
    std::optional<tensors> outputs;
};

struct trace_problem {
    const char* words = nullptr;
    std::optional<std::uint64_t> node = {};  // its position; none in the metadata
    std::uint64_t byte = 0;                  // the first byte of the message or field that cannot be read

    explicit operator bool() const noexcept { return words != nullptr; }
    // `node 3, byte 120: ...`
    [[nodiscard]] std::string text() const;
};

class trace_reader {
public:
    // `more` returns the next bytes of the trace, valid until its next call, and nothing after the last ones. The
    // callable must outlive the reader. The metadata is read at once.
    explicit trace_reader(const callback<std::string_view()>& more);
    [[nodiscard]] const trace_metadata& metadata() const noexcept { return metadata_; }
    // The next node; null after the last one, and after an error.
    const trace_node* next();
    [[nodiscard]] const trace_problem& error() const noexcept { return error_; }

private:
    // Take bytes off the trace. They return false at its end and, with an error, where it ends too early.
    bool next_message();
    bool take_size(std::uint64_t& size);
    bool fill();
    bool fail(const char* words, std::uint64_t byte);
    template <class Message> bool parse(Message& message);

    callback<std::string_view()> more_;
    std::string_view chunk_;  // what has come and was not taken
    std::string kept_;        // a message that did not come in one chunk
    std::string_view message_;
    std::uint64_t taken_ = 0;  // how many bytes were taken
    std::optional<std::uint64_t> position_;
    std::string metadata_text_;
    trace_metadata metadata_;
    trace_node node_;
    trace_problem error_;
};

// Write the members of an object of JSON: those of the schema, with all attributes as an object. An attribute whose
// name comes twice does so in it, too; bytes are hexadecimal digits.
void put_members(json::line& line, const trace_metadata& metadata);
void put_members(json::line& line, const trace_node& node);

}  // namespace wlfmt::analysis::chakra

#endif
