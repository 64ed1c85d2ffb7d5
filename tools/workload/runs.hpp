// Layers that one of two workload files lacks.
#ifndef WLFMT_TOOLS_WORKLOAD_RUNS_HPP
#define WLFMT_TOOLS_WORKLOAD_RUNS_HPP

#include <wlfmt/diff.hpp>

#include "../general/callback.hpp"
#include "sums.hpp"

namespace tool {

// Layers that one of the files lacks.
struct run_line {
    wlfmt::diff::change what = wlfmt::diff::change::added;
    std::size_t first = 0;
    std::uint64_t times = 0;
    std::string title;
    std::vector<std::string> names;
    layer_sums sums;
};

// The layers without a match: those that follow one another are one run, and runs of the same layers are one line.
inline std::vector<run_line> unmatched_runs(const std::vector<wlfmt::workload::layer>& layers,
                                            const callback<bool(std::size_t n)>& has_match, wlfmt::diff::change what) {
    std::vector<run_line> runs;
    numbered_texts places;
    for (std::size_t n = 0; n != layers.size(); ++n) {
        if (has_match(n)) continue;
        const std::size_t first = n;
        std::string kinds;
        for (; n != layers.size() && !has_match(n); ++n) {
            kinds += unnumbered(layers[n].name) + "\n";
            for (std::size_t k = 0; k != phase_count; ++k) kinds.append(phase_of(layers[n], k).comm).append("\n");
        }
        const std::size_t place = places.number_of(kinds);
        if (place == runs.size()) {
            run_line& run = runs.emplace_back();
            run.what = what;
            run.first = first;
            for (std::size_t k = first; k != n; ++k) run.names.emplace_back(layers[k].name);
        }
        ++runs[place].times;
        for (std::size_t k = first; k != n; ++k) runs[place].sums.add(layers[k]);
        --n;
    }
    for (run_line& run : runs) {
        layer_blocks blocks;
        for (std::size_t n = 0; n != run.names.size(); ++n) blocks.add(layers[run.first + n]);
        run.title = blocks.title_of(blocks.blocks(), run.times);
    }
    return runs;
}

}  // namespace tool

#endif
