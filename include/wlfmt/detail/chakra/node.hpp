// Chakra's messages, written with protozero, and ASTRA-sim's group file.
#ifndef WLFMT_DETAIL_CHAKRA_NODE_HPP
#define WLFMT_DETAIL_CHAKRA_NODE_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "../../parallelism.hpp"
#include "../base/characters.hpp"
#include "../io/out.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

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
template <class Sink>
class trace_writer {
public:
    // `bare`: nodes have only the attributes that Chakra's converter writes.
    trace_writer(Sink& sink, bool bare) : out_(sink), bare_(bare) {}

    // Writes the metadata that Chakra's converter writes. ASTRA-sim ignores its contents, but without it takes the
    // first node for it.
    void metadata(std::string_view input) {
        message_.clear();
        protozero::pbf_writer to(message_);
        string_attribute(to, 2, "schema", "1.0.2-chakra.1.0.0");
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
template <class Sink>
class group_writer {
public:
    explicit group_writer(Sink& sink) noexcept : out_(sink) { out_.put('{'); }

    template <class Member>
    void group(std::int64_t name, std::int64_t size, Member&& member) {
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

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
