// Checks the traces of any workload or op log: whole messages of the wire format, ids in order, dependencies on earlier
// nodes, the same trace each time; or an error that lies in the text. The first byte chooses the format, the tick and
// the schedule, the second the passes and the chunks, the rest is the text.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/wlfmt.hpp>
#include "analysis/chakra/chakra.hpp"

#include "../tests/chakra_support.hpp"
#include "../tests/into.hpp"
#include "check.hpp"

namespace {

// A large document makes large traces: only some of the ranks are looked at.
constexpr std::int64_t most_ranks = 4;
constexpr std::int64_t most_listed = 4096;

// Checks the id of a node, and that it waits only for nodes before it.
void check_node(std::string_view message, std::uint64_t expected, std::string_view text) {
    std::uint64_t id = 0;
    std::vector<std::uint64_t> after;
    for (test::wire in(message); !in.empty();) {
        const std::uint64_t key = in.varint();
        if (key == 1 << 3) id = in.varint();
        else if (key == (5 << 3 | 2))
            for (test::wire ids(in.bytes()); !ids.empty();) after.push_back(ids.varint());
        else if ((key & 7) == 2) static_cast<void>(in.bytes());
        else static_cast<void>(in.varint());
    }
    fuzz::check(id == expected, "ids count from 0", text);
    for (const std::uint64_t other : after) fuzz::check(other < id, "nodes wait for nodes before them", text);
}

void check_trace(const std::string& trace, std::string_view text) {
    for (const std::string& line : test::decoded(trace))
        fuzz::check(line.find("malformed") != 0 && line.find("unknown key") != 0, "a trace reads back", line);
    test::wire in(trace);
    fuzz::check(!in.bytes().empty(), "a trace begins with metadata", text);
    for (std::uint64_t id = 0; !in.empty(); ++id) check_node(in.bytes(), id, text);
    fuzz::check(!in.bad(), "a trace is whole messages", text);
}

// Checks that the network has as many ranks as there are traces.
void check_network(const wlfmt::analysis::chakra::traces& all, std::string_view text) {
    std::string network;
    std::string system;
    fuzz::check(!write_network(test::into(network), all) && !write_system(test::into(system), all),
                "a string takes a configuration", text);
    fuzz::check(network.empty() == (all.ranks() < 2), "one rank has no network", text);
    if (network.empty()) return;
    const std::size_t at = network.find("npus_count: [");
    std::int64_t product = 1;
    std::int64_t size = 0;
    for (const char c : network.substr(at, network.find(']', at) - at)) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit && size != 0) product *= size;
        size = digit ? size * 10 + (c - '0') : 0;
    }
    fuzz::check(product == all.ranks(), "the network has all ranks", text);
}

void check_workload(std::string_view text, unsigned bits, unsigned passes) {
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto file = wlfmt::workload::read(text, lenient);
    wlfmt::analysis::chakra::options options;
    options.tick = (bits & 2) != 0 ? 1000 : (bits & 4) != 0 ? 0.75 : 1;
    options.ranks = (bits & 8) != 0 ? 2 : 0;
    options.passes = passes % 3;
    options.schedule = (bits & 16) != 0   ? wlfmt::analysis::chakra::schedule::one_forward_one_backward
                       : (bits & 32) != 0 ? wlfmt::analysis::chakra::schedule::interleaved
                                          : wlfmt::analysis::chakra::schedule::gpipe;
    options.chunks = passes >> 4U;
    const auto all = wlfmt::analysis::chakra::traces_of(*file, text, options);
    if (!all) {
        fuzz::check_error(all.error(), text);
        fuzz::check(all.partial().ranks() == 0, "what is refused has no ranks", text);
        return;
    }
    fuzz::check(all->ranks() > 0, "traces have ranks", text);
    check_network(*all, text);
    for (std::int64_t rank = 0; rank < all->ranks() && rank < most_ranks; ++rank) {
        std::string once;
        std::string again;
        fuzz::check(!write(test::into(once), *all, rank) && !write(test::into(again), *all, rank),
                    "a string takes a trace", text);
        fuzz::check_same(once, again, "a trace is the same each time");
        check_trace(once, text);
    }
    std::string groups;
    if (all->ranks() > most_listed) return;
    fuzz::check(!write_groups(test::into(groups), *all), "a string takes the groups", text);
    fuzz::check(groups.substr(0, 2) == "{\n" && groups.substr(groups.size() - 2) == "}\n", "groups are an object",
                text);
}

void check_log(std::string_view text, unsigned bits) {
    wlfmt::options lenient;
    lenient.lenient = true;
    const auto log = wlfmt::oplog::read(text, lenient);
    wlfmt::analysis::chakra::run run;
    run.sizes.tensor = (bits & 2) != 0 ? 2 : 1;
    run.sizes.pipeline = (bits & 4) != 0 ? 4 : 1;
    run.sizes.data = run.sizes.expert_data = 2;
    run.sizes.ranks = run.sizes.tensor * run.sizes.pipeline * run.sizes.data;
    std::string trace;
    if (const wlfmt::problem e = wlfmt::analysis::chakra::write(test::into(trace), *log, run, text)) {
        fuzz::check_error(e, text);
        fuzz::check(trace.empty(), "nothing is written of what is refused", text);
    } else {
        check_trace(trace, text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const fuzz::block text({reinterpret_cast<const char*>(data) + 2, size - 2});
    if ((data[0] & 1) != 0) check_log(text.view(), data[0]);
    else check_workload(text.view(), data[0], data[1]);
    return 0;
}
