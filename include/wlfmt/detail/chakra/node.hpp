// Chakra's messages, written with protozero, and the files that ASTRA-sim 2 needs beside them: groups, a network with
// as many ranks, and a system that takes the nanoseconds of the traces.
#ifndef WLFMT_DETAIL_CHAKRA_NODE_HPP
#define WLFMT_DETAIL_CHAKRA_NODE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "../../parallelism.hpp"
#include "../../types/chakra.hpp"
#include "../base/characters.hpp"
#include "../io/out.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// Values and field numbers of schema/protobuf/et_def.proto (mlcommons/chakra 21585d8f).
enum class node_type : std::uint8_t { compute = 4, send = 5, receive = 6, collective = 7 };
enum class comm_type : std::uint8_t {
    all_reduce = 0,
    all_gather = 2,
    broadcast = 5,
    all_to_all = 6,
    reduce_scatter = 7
};

// A duration, in the nanoseconds of ASTRA-sim's roofline model and the microseconds of Chakra.
struct time_span {
    std::uint64_t ns = 0;
    std::uint64_t micros() const noexcept { return ns / 1000 + (ns % 1000 >= 500 ? 1 : 0); }
};

using node_ids = std::vector<std::uint64_t>;

// Writes a trace: messages, each preceded by its size. Nodes are numbered from 0.
template <class Sink> class trace_writer {
public:
    // `bare`: nodes have only the attributes that Chakra's converter writes.
    trace_writer(Sink& sink, bool bare) : out_(sink), bare_(bare) {}

    // Writes the metadata that Chakra's converter writes. ASTRA-sim ignores its contents, but without it takes the
    // first node for it.
    void metadata(std::string_view input, std::string_view fingerprint) {
        message_.clear();
        protozero::pbf_writer to(message_);
        string_attribute(to, 2, "schema", "1.0.2-chakra.1.0.0");
        if (!fingerprint.empty()) string_attribute(to, 2, "fingerprint", fingerprint);
        if (!is_missing(input)) string_attribute(to, 2, "input_file", input);
        write_message();
    }

    // Each of these functions returns the id of the node that it wrote. The node's name consists of the parts.
    std::uint64_t compute(std::initializer_list<std::string_view> name, time_span time, const node_ids& after) {
        protozero::pbf_writer to = begin(name, node_type::compute, after, time.micros());
        if (!bare_) {
            bool_attribute(to, "is_cpu_op", false);
            // The roofline model divides by these: docs/chakra.md.
            int64_attribute(to, "num_ops", static_cast<std::int64_t>(time.ns));
            uint64_attribute(to, "tensor_size", 1);
        }
        return end();
    }
    // `group` 0: all ranks. `bytes`: as ASTRA-sim counts them, for an all-gather those of one rank.
    std::uint64_t collective(std::initializer_list<std::string_view> name, comm_type type, std::int64_t bytes,
                             std::int64_t group, const node_ids& after, std::uint64_t micros = 0) {
        protozero::pbf_writer to = begin(name, node_type::collective, after, micros);
        if (!bare_) bool_attribute(to, "is_cpu_op", false);
        int64_attribute(to, "comm_type", static_cast<std::int64_t>(type));
        int64_attribute(to, "comm_size", bytes);
        if (!bare_) {
            int32_attribute(to, "comm_priority", 0);
            string_attribute(to, 10, "pg_name", std::to_string(group));
        }
        return end();
    }
    std::uint64_t message(std::initializer_list<std::string_view> name, node_type type, std::int64_t from,
                          std::int64_t to_rank, std::int64_t bytes, std::int64_t tag, const node_ids& after,
                          std::uint64_t micros = 0) {
        protozero::pbf_writer to = begin(name, type, after, micros);
        bool_attribute(to, "is_cpu_op", false);
        int64_attribute(to, "comm_size", bytes);
        int32_attribute(to, "comm_src", from);
        int32_attribute(to, "comm_dst", to_rank);
        int32_attribute(to, "comm_tag", tag);
        return end();
    }

    std::uint64_t nodes() const noexcept { return next_; }
    bool finish() { return out_.finish(); }

private:
    protozero::pbf_writer begin(std::initializer_list<std::string_view> name, node_type type, const node_ids& after,
                                std::uint64_t micros) {
        message_.clear();
        name_.clear();
        for (const std::string_view part : name) name_.append(part);
        protozero::pbf_writer to(message_);
        // Fields that are 0 are left out, as in every message of proto3.
        if (next_ != 0) to.add_uint64(1, next_);
        if (!name_.empty()) to.add_string(2, name_);
        to.add_enum(3, static_cast<std::int32_t>(type));
        to.add_packed_uint64(5, after.begin(), after.end());
        if (micros != 0) to.add_uint64(7, micros);
        return to;
    }
    std::uint64_t end() {
        write_message();
        return next_++;
    }
    void write_message() {
        size_.clear();
        protozero::add_varint_to_buffer(&size_, message_.size());
        out_.text(size_);
        out_.text(message_);
    }

    template <class Add>
    static void attribute(protozero::pbf_writer& to, std::uint32_t field, std::string_view name, Add&& add) {
        protozero::pbf_writer one(to, field);
        one.add_string(1, name.data(), name.size());
        add(one);
    }
    static void string_attribute(protozero::pbf_writer& to, std::uint32_t field, std::string_view name,
                                 std::string_view v) {
        attribute(to, field, name, [&](protozero::pbf_writer& one) { one.add_string(29, v.data(), v.size()); });
    }
    static void int64_attribute(protozero::pbf_writer& to, std::string_view name, std::int64_t v) {
        attribute(to, 10, name, [&](protozero::pbf_writer& one) { one.add_int64(9, v); });
    }
    static void uint64_attribute(protozero::pbf_writer& to, std::string_view name, std::uint64_t v) {
        attribute(to, 10, name, [&](protozero::pbf_writer& one) { one.add_uint64(13, v); });
    }
    static void int32_attribute(protozero::pbf_writer& to, std::string_view name, std::int64_t v) {
        attribute(to, 10, name, [&](protozero::pbf_writer& one) { one.add_int32(7, static_cast<std::int32_t>(v)); });
    }
    static void bool_attribute(protozero::pbf_writer& to, std::string_view name, bool v) {
        attribute(to, 10, name, [&](protozero::pbf_writer& one) { one.add_bool(27, v); });
    }

    out<Sink> out_;
    bool bare_;
    std::uint64_t next_ = 0;
    std::string message_;
    std::string name_;
    std::string size_;
};

// Writes groups as {"1":[0,1],"2":[2,3]}, in the order of their names.
template <class Sink> class group_writer {
public:
    explicit group_writer(Sink& sink) noexcept : out_(sink) { out_.put('{'); }

    template <class Member> void group(std::int64_t name, std::int64_t size, Member&& member) {
        if (!first_) out_.put(',');
        first_ = false;
        out_.put('\n');
        out_.put('"');
        out_.integer(name);
        out_.literal("\":[");
        for (std::int64_t n = 0; n != size; ++n) {
            if (n != 0) out_.put(',');
            out_.integer(member(n));
        }
        out_.put(']');
    }
    bool finish() {
        out_.literal("\n}\n");
        return out_.finish();
    }

private:
    out<Sink> out_;
    bool first_ = true;
};

// Names the groups of a layout by numbers from 1: first those of the kind that is added first.
class group_names {
public:
    // Groups of one rank have no name: ASTRA-sim never finishes a collective in one.
    void add(const parallelism::layout& ranks, parallelism::group g) noexcept {
        const auto n = static_cast<std::size_t>(g);
        if (ranks.size(g) < 2 || first_[n] != 0) return;
        first_[n] = next_;
        next_ += ranks.count(g);
    }
    // 0 if the group has one rank or its kind was not added.
    std::int64_t name(const parallelism::layout& ranks, parallelism::group g, std::int64_t rank) const noexcept {
        const std::int64_t first = first_[static_cast<std::size_t>(g)];
        return first == 0 ? 0 : first + ranks.index_of(g, rank).value_or(0);
    }
    std::int64_t first(parallelism::group g) const noexcept { return first_[static_cast<std::size_t>(g)]; }
    std::int64_t next() const noexcept { return next_; }

private:
    std::int64_t first_[parallelism::group_count] = {};
    std::int64_t next_ = 1;
};

// The rank at a position of the group that a rank is in. Both exist: ranks and stages were checked before.
inline std::int64_t rank_in_group(const parallelism::layout& ranks, parallelism::group g, std::int64_t rank,
                                  std::int64_t position) noexcept {
    return ranks.rank(g, ranks.index_of(g, rank).value_or(0), position).value_or(0);
}

// Writes all groups of a layout that have names.
template <class Sink>
void write_named_groups(group_writer<Sink>& to, const parallelism::layout& ranks, const group_names& names) {
    using parallelism::group;
    for (const group g : {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                          group::expert_data_parallel, group::pipeline_parallel}) {
        if (names.first(g) == 0) continue;
        for (std::int64_t n = 0; n != ranks.count(g); ++n)
            to.group(names.first(g) + n, ranks.size(g),
                     [&](std::int64_t k) { return ranks.rank(g, n, k).value_or(0); });
    }
}

// The dimensions of a network: the parallelisms with more than one rank, in the order in which ranks are numbered, so
// that the ranks of a group are in one dimension or, for data parallel groups, in two. Where the sizes do not say how
// the ranks are divided, all of them are in one.
struct network_dimensions {
    std::int64_t size[parallelism::rank_order::axis_count] = {};
    std::string_view name[parallelism::rank_order::axis_count] = {};
    chakra::ring ring[parallelism::rank_order::axis_count] = {};
    std::size_t count = 0;

    explicit network_dimensions(const parallelism::layout& ranks, const chakra::rings& of = {}) noexcept {
        using axis = parallelism::rank_order::axis;
        const parallelism::sizes& all = ranks.sizes();
        std::int64_t product = 1;
        for (std::size_t n = 0; n != parallelism::rank_order::axis_count; ++n) {
            switch (ranks.order()[n]) {
            case axis::tp: add("tp", all.tensor, of.tensor); break;
            case axis::ep: add("ep", all.expert, of.expert); break;
            case axis::dp: add(all.expert > 1 ? "dp of experts" : "dp", all.expert_data, of.data); break;
            case axis::pp: add("pp", all.pipeline, of.pipeline); break;
            // The groups of experts divide the ranks of the context and data parallelism taken together.
            case axis::cp: break;
            }
        }
        for (std::size_t n = 0; n != count; ++n) product *= size[n];
        if (product == all.ranks) return;
        count = 0;
        add("ranks", all.ranks, of.data);
    }

private:
    void add(std::string_view what, std::int64_t ranks, const chakra::ring& of) noexcept {
        if (ranks < 2) return;
        size[count] = ranks;
        ring[count] = of;
        name[count++] = what;
    }
};

// The file in YAML that --network-configuration names.
template <class Sink> bool write_network_file(Sink& sink, const parallelism::layout& ranks, const chakra::rings& of) {
    out<Sink> to(sink);
    const network_dimensions all(ranks, of);
    const auto list = [&](std::string_view key, std::string_view unit, const auto& put) {
        to.text(key);
        to.literal(": [ ");
        for (std::size_t n = 0; n != all.count; ++n) {
            if (n != 0) to.literal(", ");
            put(n);
        }
        to.literal(" ]");
        to.text(unit);
        to.put('\n');
    };
    to.literal(
        "# Dimensions, with the bandwidth and latency of a machine or of ASTRA-sim's examples (put in your own):");
    for (std::size_t n = 0; n != all.count; ++n) {
        to.text(n == 0 ? " " : ", ");
        to.text(all.name[n]);
        to.text(all.ring[n].measured ? " (machine)" : " (example)");
    }
    to.put('\n');
    list("topology", "", [&](std::size_t) { to.literal("Ring"); });
    list("npus_count", "", [&](std::size_t n) { to.integer(all.size[n]); });
    list("bandwidth", "  # GB/s, of 2^30 bytes", [&](std::size_t n) { to.repr(all.ring[n].bandwidth); });
    list("latency", "  # ns", [&](std::size_t n) { to.repr(all.ring[n].latency); });
    return to.finish();
}

// The file in JSON that --system-configuration names. `nanoseconds`: the nodes have num_ops.
template <class Sink>
bool write_system_file(Sink& sink, const parallelism::layout& ranks, std::int64_t splits, bool nanoseconds) {
    out<Sink> to(sink);
    const network_dimensions all(ranks);
    to.literal(
        "{\n"
        "    \"scheduling-policy\": \"LIFO\",\n"
        "    \"endpoint-delay\": 10,\n"
        "    \"active-chunks-per-dimension\": 1,\n"
        "    \"preferred-dataset-splits\": ");
    to.integer(splits);
    to.literal(",\n");
    for (const std::string_view collective : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all"}) {
        to.literal("    \"");
        to.text(collective);
        to.literal("-implementation\": [");
        for (std::size_t n = 0; n != all.count; ++n) {
            if (n != 0) to.literal(", ");
            to.literal("\"ring\"");
        }
        to.literal("],\n");
    }
    to.literal(
        "    \"collective-optimization\": \"localBWAware\",\n"
        "    \"local-mem-bw\": 1600,\n"
        "    \"boost-mode\": 0,\n"
        "    \"roofline-enabled\": ");
    to.put(nanoseconds ? '1' : '0');
    // A nanosecond for each of num_ops would be 0.001. ASTRA-sim divides by 10^9 and multiplies by it again, and cuts
    // off what is after the point: with 0.001 some times come out a nanosecond shorter, with a little less none does up
    // to 10^12.
    to.literal(
        ",\n    \"peak-perf\": 0.0009999999999999,\n"
        "    \"trace-enabled\": 1\n"
        "}\n");
    return to.finish();
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
