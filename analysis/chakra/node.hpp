// Writes Chakra's messages, with protozero, and the other files that ASTRA-sim 2 needs: groups, a network with as many
// ranks, and a system in which times come out as in the traces.
#ifndef WLFMT_ANALYSIS_CHAKRA_NODE_HPP
#define WLFMT_ANALYSIS_CHAKRA_NODE_HPP

#include <protozero/pbf_writer.hpp>

#include <wlfmt/parallelism.hpp>

#include "../library.hpp"
#include "types.hpp"

namespace wlfmt::analysis {

// Values of schema/protobuf/et_def.proto (mlcommons/chakra 21585d8f), which also has the field numbers below.
enum class node_type : std::uint8_t { compute = 4, send = 5, receive = 6, collective = 7 };
enum class comm_type : std::uint8_t {
    all_reduce = 0,
    all_gather = 2,
    broadcast = 5,
    all_to_all = 6,
    reduce_scatter = 7
};

using node_ids = std::vector<std::uint64_t>;
using name_parts = std::initializer_list<std::string_view>;

// Writes a trace: messages, each preceded by its size. Nodes are numbered from 0.
class trace_writer {
public:
    // `bare`: nodes have only the attributes that Chakra's converter writes.
    trace_writer(output& to, bool bare) : out_(to), bare_(bare) {}

    // Writes metadata like that of Chakra's converter. ASTRA-sim skips the first message, whatever it contains.
    void metadata(std::string_view input, std::string_view fingerprint) {
        message_.clear();
        protozero::pbf_writer message(message_);
        attribute(message, 2, "schema", "1.0.2-chakra.1.0.0");
        if (!fingerprint.empty()) attribute(message, 2, "fingerprint", fingerprint);
        if (!is_missing(input)) attribute(message, 2, "input_file", input);
        write_message();
    }

    // This function and the next two write a node and return its id. Its name is its kind followed by the given parts.
    std::uint64_t compute(name_parts name, std::uint64_t ns, const node_ids& after) {
        const std::uint64_t micros = ns / 1000 + (ns % 1000 >= 500 ? 1 : 0);
        protozero::pbf_writer node = begin("COMP_NODE_", name, node_type::compute, after, micros);
        if (!bare_) {
            // The roofline model divides by these (see docs/chakra.md).
            attribute(node, "num_ops", int64_value, static_cast<std::int64_t>(ns));
            attribute(node, "tensor_size", uint64_value, 1);
        }
        return end();
    }
    // `group` 0 means all ranks. `bytes` is the size as ASTRA-sim counts it: for an all-gather, that of one rank.
    std::uint64_t collective(name_parts name, comm_type type, std::int64_t bytes, std::int64_t group,
                             const node_ids& after, std::uint64_t micros = 0) {
        protozero::pbf_writer node = begin("COMM_COLL_NODE_", name, node_type::collective, after, micros);
        attribute(node, "comm_type", int64_value, static_cast<std::int64_t>(type));
        attribute(node, "comm_size", int64_value, bytes);
        if (!bare_) {
            attribute(node, "comm_priority", int32_value, 0);
            attribute(node, 10, "pg_name", std::to_string(group));
        }
        return end();
    }
    std::uint64_t message(name_parts name, bool sends, std::int64_t own, std::int64_t other, std::int64_t bytes,
                          std::int64_t tag, const node_ids& after, std::uint64_t micros = 0) {
        protozero::pbf_writer node = sends ? begin("COMM_SEND_NODE_", name, node_type::send, after, micros)
                                           : begin("COMM_RECV_NODE_", name, node_type::receive, after, micros);
        attribute(node, "comm_size", int64_value, bytes);
        attribute(node, "comm_src", int32_value, sends ? own : other);
        attribute(node, "comm_dst", int32_value, sends ? other : own);
        attribute(node, "comm_tag", int32_value, tag);
        return end();
    }

    // The number of nodes that have been written.
    std::uint64_t nodes() const noexcept { return next_; }
    // Whether nodes have only the attributes that Chakra's converter writes.
    bool is_bare() const noexcept { return bare_; }

private:
    // The field of an attribute that holds its value.
    enum value_field : std::uint32_t {
        int32_value = 7,
        int64_value = 9,
        uint64_value = 13,
        bool_value = 27,
        string_value = 29
    };

    protozero::pbf_writer begin(std::string_view kind, name_parts name, node_type type, const node_ids& after,
                                std::uint64_t micros) {
        message_.clear();
        name_ = kind;
        for (const std::string_view part : name) name_.append(part);
        protozero::pbf_writer message(message_);
        // As in every message of proto3, fields that are 0 are left out.
        if (next_ != 0) message.add_uint64(1, next_);
        message.add_string(2, name_);
        message.add_enum(3, static_cast<std::int32_t>(type));
        message.add_packed_uint64(5, after.begin(), after.end());
        if (micros != 0) message.add_uint64(7, micros);
        if (!bare_) attribute(message, "is_cpu_op", bool_value, 0);
        return message;
    }
    std::uint64_t end() {
        write_message();
        return next_++;
    }
    void write_message() {
        size_.clear();
        protozero::add_varint_to_buffer(&size_, message_.size());
        out_.append(size_);
        out_.append(message_);
    }

    static void attribute(protozero::pbf_writer& parent, std::uint32_t field, std::string_view name,
                          std::string_view v) {
        protozero::pbf_writer attribute(parent, field);
        attribute.add_string(1, name.data(), name.size());
        attribute.add_string(string_value, v.data(), v.size());
    }
    static void attribute(protozero::pbf_writer& parent, std::string_view name, value_field type, std::int64_t v) {
        protozero::pbf_writer attribute(parent, 10);
        attribute.add_string(1, name.data(), name.size());
        attribute.add_int64(type, v);
    }

    output& out_;
    bool bare_;
    std::uint64_t next_ = 0;
    std::string message_;
    std::string name_;
    std::string size_;
};

// Writes groups as {"1":[0,1],"2":[2,3]}, in the order of their names.
class group_writer {
public:
    explicit group_writer(output& to) : out_(to) { out_.put('{'); }

    template <class Member> void group(std::int64_t name, std::int64_t size, Member&& member) {
        if (!first_) out_.put(',');
        first_ = false;
        out_.append("\n\"");
        out_.integer(name);
        out_.append("\":[");
        for (std::int64_t n = 0; n != size; ++n) {
            if (n != 0) out_.put(',');
            out_.integer(member(n));
        }
        out_.put(']');
    }
    void finish() { out_.append("\n}\n"); }

private:
    output& out_;
    bool first_ = true;
};

// The groups of a layout. Their names are numbers from 1, in the order in which their kinds were added.
class named_groups {
public:
    explicit named_groups(const parallelism::layout& ranks) noexcept : ranks_(ranks) {}
    const parallelism::layout& ranks() const noexcept { return ranks_; }
    // Groups of one rank get no name: ASTRA-sim never finishes a collective in one.
    void add(std::size_t kind) noexcept {
        const auto g = static_cast<parallelism::group>(kind);
        if (ranks_.size(g) < 2) return;
        first_[kind] = next_;
        next_ += ranks_.count(g);
    }
    // The name of a rank's group; 0 if the group has one rank or its kind was not added.
    std::int64_t name(parallelism::group g, std::int64_t rank) const noexcept {
        const std::int64_t first = first_[static_cast<std::size_t>(g)];
        return first == 0 ? 0 : first + ranks_.index_of(g, rank).value_or(0);
    }
    // The first number that no group has.
    std::int64_t next() const noexcept { return next_; }
    void write(group_writer& writer) const {
        for (std::size_t kind = 0; kind != parallelism::group_count; ++kind) {
            if (first_[kind] == 0) continue;
            const auto g = static_cast<parallelism::group>(kind);
            for (std::int64_t n = 0; n != ranks_.count(g); ++n)
                writer.group(first_[kind] + n, ranks_.size(g),
                             [&](std::int64_t k) { return ranks_.rank(g, n, k).value_or(0); });
        }
    }

    std::int64_t stages() const noexcept { return ranks_.sizes().pipeline; }
    std::int64_t stage(std::int64_t rank) const noexcept { return ranks_.position_of(pipeline, rank).value_or(0); }
    // The rank that has a stage in the pipeline of `rank`. Check before that both exist.
    std::int64_t rank_of_stage(std::int64_t rank, std::int64_t stage) const noexcept {
        return ranks_.rank(pipeline, ranks_.index_of(pipeline, rank).value_or(0), stage).value_or(0);
    }

protected:
    static constexpr auto pipeline = parallelism::group::pipeline_parallel;

private:
    parallelism::layout ranks_;
    std::int64_t first_[parallelism::group_count] = {};
    std::int64_t next_ = 1;
};

// The base of the converters of workloads and of logs, which stop at the first thing that a trace cannot express. The
// functions report that, and return false.
class trace_source {
protected:
    explicit trace_source(std::string_view text) noexcept : text_(text) {}
    bool refuse_at(error_kind kind, std::string_view place, std::string_view field, std::int64_t found = 0,
                   std::int64_t expected = 0) {
        error_ = problem_at(kind, place, text_, field, found, expected);
        return false;
    }
    template <class Record>
    bool refuse(error_kind kind, const Record& record, std::string_view field, std::int64_t found = 0,
                std::int64_t expected = 0) {
        return refuse_at(kind, where(record, field), field, found, expected);
    }

    std::string_view text_;
    problem error_;
};

// A network's dimensions: the kinds of parallelism with more than one rank, in the order in which ranks are numbered,
// so that a group lies in one dimension, or in two if it is data parallel. There is only one dimension if the sizes do
// not say how the ranks are divided.
struct network_dimensions {
    struct dimension {
        std::string_view name = {};
        std::int64_t size = 1;
        chakra::ring ring = {};
    };
    dimension dimensions[parallelism::rank_order::axis_count] = {};
    std::size_t count = 0;

    // Calls put(dimension) for each, with commas between them.
    template <class Put> void list(output& to, const Put& put) const {
        for (std::size_t n = 0; n != count; ++n) {
            if (n != 0) to.append(", ");
            put(dimensions[n]);
        }
    }

    explicit network_dimensions(const parallelism::layout& ranks, const chakra::rings& rings = {}) noexcept {
        const parallelism::sizes sizes = ranks.sizes();
        // In the order of rank_order::axis. Experts' groups divide the ranks of context and data parallelism together.
        const dimension axes[] = {{"tp", sizes.tensor, rings.tensor},
                                  {},
                                  {"ep", sizes.expert, rings.expert},
                                  {sizes.expert > 1 ? "dp of experts" : "dp", sizes.expert_data, rings.data},
                                  {"pp", sizes.pipeline, rings.pipeline}};
        std::int64_t product = 1;
        for (std::size_t n = 0; n != parallelism::rank_order::axis_count; ++n) {
            const dimension& axis = axes[static_cast<std::size_t>(ranks.order()[n])];
            product *= axis.size;
            if (axis.size > 1) dimensions[count++] = axis;
        }
        if (product == sizes.ranks) return;
        dimensions[0] = {"ranks", sizes.ranks, rings.data};
        count = 1;
    }
};

// Writes the YAML file for --network-configuration; nothing for one rank, which has no such network.
inline void write_network_file(output& to, const parallelism::layout& ranks, const chakra::rings& rings) {
    if (ranks.sizes().ranks < 2) return;
    const network_dimensions dimensions(ranks, rings);
    const auto list = [&](std::string_view key, std::string_view unit, const auto& put) {
        to.append(key);
        to.append(": [ ");
        dimensions.list(to, put);
        to.append(" ]");
        to.append(unit);
        to.put('\n');
    };
    to.append(
        "# Dimensions, with the bandwidth and latency of a machine or of ASTRA-sim's examples (put in your own): ");
    dimensions.list(to, [&](const auto& d) {
        to.append(d.name);
        to.append(d.ring.measured ? " (machine)" : " (example)");
    });
    to.put('\n');
    list("topology", "", [&](const auto&) { to.append("Ring"); });
    list("npus_count", "", [&](const auto& d) { to.integer(d.size); });
    list("bandwidth", "  # GB/s, of 2^30 bytes", [&](const auto& d) { to.decimal(d.ring.bandwidth); });
    list("latency", "  # ns", [&](const auto& d) { to.decimal(d.ring.latency); });
}

// Writes the JSON file for --logical-topology-configuration of the ns-3 backend; nothing for one rank.
inline void write_logical_file(output& to, const parallelism::layout& ranks) {
    if (ranks.sizes().ranks < 2) return;
    to.append("{\"logical-dims\": [");
    network_dimensions(ranks).list(to, [&](const network_dimensions::dimension& d) {
        to.put('"');
        to.integer(d.size);
        to.put('"');
    });
    to.append("]}\n");
}

// Writes the JSON file for --system-configuration; nothing for one rank. `nanoseconds`: whether the nodes have num_ops.
inline void write_system_file(output& to, const parallelism::layout& ranks, std::int64_t splits,
                              std::int64_t active_chunks, bool nanoseconds) {
    if (ranks.sizes().ranks < 2) return;
    const network_dimensions dimensions(ranks);
    to.append(
        "{\n"
        "    \"scheduling-policy\": \"LIFO\",\n"
        "    \"endpoint-delay\": 10,\n"
        "    \"active-chunks-per-dimension\": ");
    to.integer(active_chunks);
    to.append(",\n    \"preferred-dataset-splits\": ");
    to.integer(splits);
    to.append(",\n");
    for (const std::string_view collective : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"}) {
        to.append("    \"");
        to.append(collective);
        to.append("-implementation\": [");
        dimensions.list(to, [&](const auto&) { to.append("\"ring\""); });
        to.append("],\n");
    }
    to.append(
        "    \"collective-optimization\": \"localBWAware\",\n"
        "    \"local-mem-bw\": 1600,\n"
        "    \"boost-mode\": 0,\n"
        "    \"roofline-enabled\": ");
    to.put(nanoseconds ? '1' : '0');
    // With 0.001, each of num_ops would take a nanosecond, but ASTRA-sim divides by 10^9, multiplies by it again and
    // truncates: some times would come out a nanosecond too short. With a little less, none up to 10^12 does.
    to.append(
        ",\n    \"peak-perf\": 0.0009999999999999,\n"
        "    \"trace-enabled\": 1\n"
        "}\n");
}

}  // namespace wlfmt::analysis

#endif
