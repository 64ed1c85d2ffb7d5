// What ASTRA-sim 2 needs beside traces and groups: a network with as many ranks, and a system that takes the
// nanoseconds of the traces.
#ifndef WLFMT_DETAIL_CHAKRA_SIMULATOR_HPP
#define WLFMT_DETAIL_CHAKRA_SIMULATOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "../../parallelism.hpp"
#include "../io/out.hpp"

#include "../base/config.hpp"

namespace wlfmt {
inline namespace WLFMT_ABI {
namespace detail {
inline namespace WLFMT_IMPL {

// The dimensions of a network: the parallelisms with more than one rank, in the order in which ranks are numbered, so
// that the ranks of a group are in one dimension or, for data parallel groups, in two. Where the sizes do not say how
// the ranks are divided, all of them are in one.
struct network_dimensions {
    std::int64_t size[parallelism::rank_order::axis_count] = {};
    std::string_view name[parallelism::rank_order::axis_count] = {};
    std::size_t count = 0;

    explicit network_dimensions(const parallelism::layout& ranks) noexcept {
        using axis = parallelism::rank_order::axis;
        const parallelism::sizes& all = ranks.sizes();
        std::int64_t product = 1;
        for (std::size_t n = 0; n != parallelism::rank_order::axis_count; ++n) {
            switch (ranks.order()[n]) {
            case axis::tp: add("tp", all.tensor); break;
            case axis::ep: add("ep", all.expert); break;
            case axis::dp: add(all.expert > 1 ? "dp of experts" : "dp", all.expert_data); break;
            case axis::pp: add("pp", all.pipeline); break;
            // The groups of experts divide the ranks of the context and data parallelism taken together.
            case axis::cp: break;
            }
        }
        for (std::size_t n = 0; n != count; ++n) product *= size[n];
        if (product == all.ranks) return;
        count = 0;
        add("ranks", all.ranks);
    }

private:
    void add(std::string_view what, std::int64_t ranks) noexcept {
        if (ranks < 2) return;
        size[count] = ranks;
        name[count++] = what;
    }
};

// The file in YAML that --network-configuration names.
template <class Sink>
bool write_network_file(Sink& sink, const parallelism::layout& ranks) {
    out<Sink> to(sink);
    const network_dimensions all(ranks);
    const auto list = [&](std::string_view key, const auto& put, std::string_view unit) {
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
        "# Bandwidth and latency are those of ASTRA-sim's examples: put in those of the machine.\n# Dimensions:");
    for (std::size_t n = 0; n != all.count; ++n) {
        to.text(n == 0 ? " " : ", ");
        to.text(all.name[n]);
    }
    to.put('\n');
    list(
        "topology", [&](std::size_t) { to.literal("Ring"); }, "");
    list(
        "npus_count", [&](std::size_t n) { to.integer(all.size[n]); }, "");
    list(
        "bandwidth", [&](std::size_t) { to.literal("50.0"); }, "  # GB/s, of 2^30 bytes");
    list(
        "latency", [&](std::size_t) { to.literal("500.0"); }, "  # ns");
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

}  // namespace WLFMT_IMPL
}  // namespace detail
}  // namespace WLFMT_ABI
}  // namespace wlfmt

#endif
