// summary of a workload file: its header, what follows from it, and what is computed and communicated.
#ifndef WLFMT_TOOLS_WORKLOAD_SUMMARY_HPP
#define WLFMT_TOOLS_WORKLOAD_SUMMARY_HPP

#include <array>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "blocks.hpp"
#include "facts.hpp"

namespace tool {

// The calls of a collective in a phase, and their bytes.
struct call_sum {
    std::uint64_t count = 0;
    double bytes = 0;
};
// What goes over the wire in the groups of one kind. Bytes that the file does not give are in no sum.
struct group_traffic {
    wlfmt::parallelism::group kind;
    std::int64_t ranks = 0;   // the size of a group
    std::int64_t groups = 0;  // the number of groups of this kind
    wlfmt::parallelism::tally phases[phase_count];
    wlfmt::parallelism::tally all;  // the sum of the phases
    double job_sends = 0;           // the bytes of all ranks together

    // A group of one rank sends nothing.
    bool is_silent() const noexcept { return all.count == 0 || ranks == 1; }
    bool knows_all() const noexcept { return all.unknown == 0; }
    bool knows_any() const noexcept { return all.unknown != all.count; }
};

// Shows a workload file to people, or writes it as JSON for programs.
class workload_summary {
public:
    workload_summary(input& from, const settings& s, report& r);

private:
    void add(const wlfmt::workload::layer& layer);
    static std::string title_of(const wlfmt::workload::entry& e);
    static call_sum sum_of(const std::array<call_sum, phase_count>& calls) noexcept;

    // Whether layers that are missing may have sent more. The header tells what pipeline stages send.
    bool lacks(const group_traffic& g) const noexcept {
        return lacks_layers_ && g.kind != wlfmt::parallelism::group::pipeline_parallel;
    }

    void print(const wlfmt::workload::header& head) const;
    layer_sums sums_of(const layer_blocks::block& block) const;
    // Prints the layers as blocks that repeat; if there are many, only the first ones.
    void print_blocks() const;
    // Prints how large the groups are, and what goes over the wire in each of them.
    void print_groups() const;

    template <class Line> static void put_phases(Line& json, const double* values) {
        for (std::size_t n = 0; n != phase_count; ++n) put_decimal(json, phase_name(n), values[n]);
    }
    // Writes a line of JSON. What the file does not say has no key.
    void put(const wlfmt::workload::header& head) const;

    std::string_view name_;
    bool lacks_layers_ = false;  // sums are lower limits
    layer_sums sums_;
    // The sums of each phase, by the collective's token.
    keyed<std::string, std::array<call_sum, phase_count>> calls_;
    std::vector<group_traffic> groups_;
    std::vector<workload_fact> facts_;
    std::vector<wlfmt::workload::layer> layers_;
    layer_blocks blocks_;
    std::vector<layer_blocks::block> folded_;
};

}  // namespace tool

#endif
