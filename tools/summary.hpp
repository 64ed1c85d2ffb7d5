// summary of a workload file, or of tables: prints what people want to see first. For op logs see run_summary.hpp.
#ifndef WLFMT_TOOLS_SUMMARY_HPP
#define WLFMT_TOOLS_SUMMARY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/detail/base/ordered_map.hpp>
#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "grid.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"
#include "table_summary.hpp"

namespace tool {

struct tally {
    std::uint64_t count = 0;
    double sum = 0;
};

// Prints how large the groups are, and what goes over the wire in each of them.
inline void summarise_parallelism(const wlfmt::parallelism::sizes& of, const wlfmt::parallelism::traffic& moved) {
    using wlfmt::parallelism::group;
    using wlfmt::parallelism::phase;
    const wlfmt::parallelism::layout ranks(of);
    grid lines;
    lines.row({"group", "ranks", "groups", "forward", "input_grad", "weight_grad", "a rank sends", "the job sends"});
    for (const group g : {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                          group::expert_data_parallel, group::pipeline_parallel}) {
        std::vector<std::string> cells{std::string(name_of(g)), std::to_string(ranks.size(g)),
                                       std::to_string(ranks.count(g))};
        double sent = 0;
        double all = 0;
        bool known = true;
        bool any = false;
        bool told = false;
        for (const phase p : {phase::forward, phase::input_grad, phase::weight_grad}) {
            const wlfmt::parallelism::tally& t = moved.rank(p, g);
            sent += t.wire;
            all += moved.job_wire(p, g);
            known = known && t.unknown == 0;
            any = any || t.count != t.unknown;
            told = told || t.count != 0;
            // A group of one rank sends nothing.
            const bool none = t.count == 0 || ranks.size(g) == 1;
            cells.push_back(none ? "-" : t.count == t.unknown ? "unknown" : sized(t.wire));
        }
        for (const double bytes : {sent, all})
            cells.push_back(!told || ranks.size(g) == 1 ? "-"
                            : known                     ? sized(bytes)
                            : any                       ? "at least " + sized(bytes)
                                                        : "unknown");
        lines.row(cells);
    }
    print_gap();
    lines.print();
}

inline void summarise_workload(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    wlfmt::workload::reader file(text, options_for(s, r));
    const char* const phases[] = {"forward", "input_grad", "weight_grad"};
    double compute[3] = {};
    double update = 0;
    std::uint64_t layers = 0;
    wlfmt::detail::ordered_map<std::string, std::array<tally, 3>> moved;
    const auto sizes = wlfmt::parallelism::sizes_of(file.header(), text);
    wlfmt::parallelism::traffic traffic(*sizes);
    traffic.add_pipeline(file.header());
    while (const wlfmt::workload::layer* one = file.next()) {
        ++layers;
        traffic.add(*one);
        update += one->update.value_or(0);
        const wlfmt::workload::phase* const of[] = {&one->forward, &one->input_grad, &one->weight_grad};
        for (std::size_t n = 0; n < 3; ++n) {
            compute[n] += of[n]->compute.value_or(0);
            if (of[n]->comm == "NONE") continue;
            tally& t = moved[std::string(of[n]->comm)][n];
            ++t.count;
            t.sum += of[n]->bytes.value_or(0);
        }
    }
    if (!file.ok()) r.error(file.error());
    const wlfmt::workload::header& head = file.header();
    print_title(std::string(from.name()) + ": workload, policy " + std::string(head.policy) + ", " +
                counted(layers, "layer", "layers"));
    grid entries;
    for (const wlfmt::workload::entry& e : head.entries)
        entries.row({e.key.empty() ? "last bottom layer" : std::string(e.key), std::string(e.value)});
    entries.print();

    const double all = compute[0] + compute[1] + compute[2];
    print_gap();
    grid times;
    times.row({"compute", "time", "share"});
    for (std::size_t n = 0; n < 3; ++n) times.row({phases[n], fixed(compute[n], 0), share(compute[n], all)});
    times.row({"all", fixed(all, 0), share(all, all)});
    times.row({"update", fixed(update, 0)});
    times.print();
    if (sizes.complete()) summarise_parallelism(*sizes, traffic);
    if (moved.empty()) return;
    print_gap();
    grid bytes;
    bytes.row({"bytes", "count", phases[0], phases[1], phases[2], "all"});
    for (const auto& [comm, t] : moved)
        bytes.row({comm, std::to_string(t[0].count + t[1].count + t[2].count), fixed(t[0].sum, 0), fixed(t[1].sum, 0),
                   fixed(t[2].sum, 0), fixed(t[0].sum + t[1].sum + t[2].sum, 0)});
    bytes.print();
}

inline void summarise(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    if (kind == wlfmt::file_format::workload)
        summarise_workload(from, s, r);
    else
        summarise_tables(from, s, r);
}

}  // namespace tool

#endif
