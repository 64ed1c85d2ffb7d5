// summary of a workload file, or of tables: what a person wants to see first. Of op logs: run_summary.hpp.
#ifndef WLFMT_TOOLS_SUMMARY_HPP
#define WLFMT_TOOLS_SUMMARY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/parallelism.hpp>
#include <wlfmt/wlfmt.hpp>

#include "grid.hpp"
#include "input.hpp"
#include "output.hpp"
#include "read.hpp"
#include "report.hpp"
#include "settings.hpp"

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
        for (const phase p : {phase::forward, phase::input_grad, phase::weight_grad}) {
            const wlfmt::parallelism::tally& t = moved.rank(p, g);
            sent += t.wire;
            all += moved.job_wire(p, g);
            known = known && t.unknown == 0;
            cells.push_back(t.count == 0 ? "-" : sized(t.wire));
        }
        cells.push_back(known ? sized(sent) : "at least " + sized(sent));
        cells.push_back(known ? sized(all) : "at least " + sized(all));
        lines.row(cells);
    }
    standard_output.append("\n");
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
    std::map<std::string, std::array<tally, 3>, std::less<>> moved;
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
            t.sum += static_cast<double>(of[n]->bytes);
        }
    }
    if (!file.ok()) r.error(file.error());
    const wlfmt::workload::header& head = file.header();
    print_line(std::string(from.name()) + ": workload, policy " + std::string(head.policy) + ", " +
               counted(layers, "layer", "layers"));
    grid entries;
    for (const wlfmt::workload::entry& e : head.entries)
        entries.row({e.key.empty() ? "last bottom layer" : std::string(e.key), std::string(e.value)});
    entries.print();

    const double all = compute[0] + compute[1] + compute[2];
    standard_output.append("\n");
    grid times;
    times.row({"compute", "time", "share"});
    for (std::size_t n = 0; n < 3; ++n) times.row({phases[n], fixed(compute[n], 0), share(compute[n], all)});
    times.row({"all", fixed(all, 0), share(all, all)});
    times.row({"update", fixed(update, 0)});
    times.print();
    if (sizes.complete()) summarise_parallelism(*sizes, traffic);
    if (moved.empty()) return;
    standard_output.append("\n");
    grid bytes;
    bytes.row({"bytes", "count", phases[0], phases[1], phases[2], "all"});
    for (const auto& [comm, t] : moved)
        bytes.row({comm, std::to_string(t[0].count + t[1].count + t[2].count), fixed(t[0].sum, 0), fixed(t[1].sum, 0),
                   fixed(t[2].sum, 0), fixed(t[0].sum + t[1].sum + t[2].sum, 0)});
    bytes.print();
}

inline double sum_of(const wlfmt::table::summary& of, std::size_t column) {
    double sum = 0;
    for (std::size_t n = 0; n < of.size(); ++n) sum += of.at(n, column)->value_or(0);
    return sum;
}

// The column whose time tells how heavy a row is: a device's own time, else the processor's, else the first time there
// is; of these the first that measured anything.
inline std::size_t weight_column(const wlfmt::table::summary& of) {
    std::vector<std::size_t> device;
    std::vector<std::size_t> cpu;
    std::vector<std::size_t> further;
    for (std::size_t n = 0; n < of.columns.size(); ++n) {
        if (of.columns[n].unit != wlfmt::table::unit::microseconds) continue;
        const std::string_view name = of.columns[n].name;
        if (name.substr(0, 5) != "Self ")
            further.push_back(n);
        else
            (name.find("CPU") != std::string_view::npos ? cpu : device).push_back(n);
    }
    device.insert(device.end(), cpu.begin(), cpu.end());
    device.insert(device.end(), further.begin(), further.end());
    for (const std::size_t n : device)
        if (sum_of(of, n) > 0) return n;
    return of.columns.size();
}

// A table's totals and its heaviest rows.
inline void summarise_one(const wlfmt::table::summary& one) {
    for (const auto& total : one.totals)
        print_line("  " + std::string(total.name) + ": " + std::string(total.value.text()));
    const std::size_t weight = weight_column(one);
    if (weight == one.columns.size()) return;
    std::vector<std::size_t> order(one.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    const double all = sum_of(one, weight);
    wlfmt::detail::sort_list(order, [&](std::size_t a, std::size_t b) {
        return one.at(a, weight)->value_or(0) > one.at(b, weight)->value_or(0);
    });
    if (order.size() > 10) order.resize(10);
    grid lines;
    std::vector<std::string> titles{"heaviest rows", std::string(one.columns[weight].name), "share"};
    std::vector<std::size_t> further;
    for (std::size_t n = 0; n < one.columns.size(); ++n)
        if (n != weight && (one.columns[n].name == "Self CPU" || one.columns[n].name == "CPU total" ||
                            one.columns[n].name.find("Calls") != std::string_view::npos)) {
            further.push_back(n);
            titles.emplace_back(one.columns[n].name);
        }
    lines.row(titles);
    for (const std::size_t n : order) {
        const wlfmt::table::cell& heavy = *one.at(n, weight);
        std::vector<std::string> cells{std::string(one.at(n, 0)->text()), std::string(heavy.text()),
                                       share(heavy.value_or(0), all)};
        for (const std::size_t c : further) cells.emplace_back(one.at(n, c)->text());
        lines.row(cells);
    }
    lines.print();
}

inline void summarise_tables(input& from, const settings& s, report& r) {
    const std::string_view text = from.whole();
    r.about(text);
    std::vector<wlfmt::table::summary> all;
    for_each_prefix(text, s, r, [&](const wlfmt::options& how) {
        auto read = wlfmt::table::read(text, how);
        for (auto& one : read->tables) all.push_back(std::move(one));
        return read.error();
    });
    for (std::size_t n = 0; n < all.size(); ++n) {
        print_line(std::string(from.name()) + ": profiler table " + std::to_string(n + 1) + " of " +
                   std::to_string(all.size()) + ", " + counted(all[n].size(), "row", "rows") + ", " +
                   counted(all[n].columns.size(), "column", "columns"));
        summarise_one(all[n]);
    }
}

inline void summarise(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    if (kind == wlfmt::file_format::workload)
        summarise_workload(from, s, r);
    else
        summarise_tables(from, s, r);
}

}  // namespace tool

#endif
