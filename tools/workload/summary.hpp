// summary of a workload file: its header, what follows from it, what is computed and communicated.
#ifndef WLFMT_TOOLS_WORKLOAD_SUMMARY_HPP
#define WLFMT_TOOLS_WORKLOAD_SUMMARY_HPP

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

struct tally {
    std::uint64_t count = 0;
    double sum = 0;
};

// What goes over the wire in a group. Bytes that the file does not tell are in no sum.
struct group_traffic {
    wlfmt::parallelism::group group;
    std::int64_t ranks = 0;   // in a group
    std::int64_t groups = 0;  // of these
    struct phase {
        double bytes = 0;
        bool any = false;      // there are collectives
        bool unknown = false;  // and nothing is known of their bytes
    } phases[3];
    double rank_sends = 0;
    double job_sends = 0;
    // Whether all bytes are known, and whether any are.
    bool known = true;
    bool any = false;
    bool told = false;  // there are collectives
    // A group of one rank sends nothing.
    bool is_silent() const noexcept { return !told || ranks == 1; }
};
inline std::vector<group_traffic> traffic_of(const wlfmt::parallelism::sizes& of,
                                             const wlfmt::parallelism::traffic& moved) {
    using wlfmt::parallelism::group;
    using wlfmt::parallelism::phase;
    const wlfmt::parallelism::layout ranks(of);
    std::vector<group_traffic> all;
    for (const group g : {group::tensor_parallel, group::data_parallel, group::expert_parallel,
                          group::expert_data_parallel, group::pipeline_parallel}) {
        group_traffic one{g, ranks.size(g), ranks.count(g), {}, 0, 0, true, false, false};
        std::size_t n = 0;
        for (const phase p : {phase::forward, phase::input_grad, phase::weight_grad}) {
            const wlfmt::parallelism::tally& t = moved.rank(p, g);
            one.phases[n++] = {t.wire, t.count != 0, t.count == t.unknown};
            one.rank_sends += t.wire;
            one.job_sends += moved.job_wire(p, g);
            one.known = one.known && t.unknown == 0;
            one.any = one.any || t.count != t.unknown;
            one.told = one.told || t.count != 0;
        }
        all.push_back(one);
    }
    return all;
}

// What people read of a workload file, and what programs do.
class workload_summary {
public:
    workload_summary(input& from, const settings& s, report& r) : name_(from.name()) {
        const std::string_view text = from.whole();
        r.about(text);
        wlfmt::workload::reader file(text, options_for(s, r));
        const auto sizes = wlfmt::parallelism::sizes_of(file.header(), text);
        wlfmt::parallelism::traffic traffic(*sizes);
        traffic.add_pipeline(file.header());
        workload_facts facts(file.header(), text);
        while (const wlfmt::workload::layer* one = file.next()) {
            ++layers_;
            facts.add(*one);
            traffic.add(*one);
            blocks_.add(*one);
            update_ += one->update.value_or(0.0);
            layer_sums sums;
            for (std::size_t n = 0; n < 3; ++n) {
                const wlfmt::workload::phase& of = phase_of(*one, n);
                compute_[n] += sums.compute[n] = of.compute.value_or(0.0);
                sums.bytes[n] = bytes_of(of);
                if (!communicates(of)) continue;
                tally& t = moved_[std::string(of.comm)][n];
                ++t.count;
                t.sum += sums.bytes[n];
            }
            by_layer_.push_back(sums);
        }
        if (!file.ok()) r.error(file.error());
        if (sizes->known()) groups_ = traffic_of(*sizes, traffic);
        folded_ = blocks_.blocks();
        facts_ = facts.take();
        if (s.json || s.partial) put(file.header());
        else print(file.header());
    }

private:
    struct layer_sums {
        double compute[3] = {};
        double bytes[3] = {};
    };
    static constexpr const char* phases[] = {"forward", "input_grad", "weight_grad"};
    static std::string title_of(const wlfmt::workload::entry& e) {
        return e.key.empty() ? "last bottom layer" : std::string(e.key);
    }
    double all() const noexcept { return compute_[0] + compute_[1] + compute_[2]; }

    void print(const wlfmt::workload::header& head) const {
        print_title(joined({name_, ": workload, policy ", head.policy, ", ", counted(layers_, "layer", "layers")}));
        grid entries;
        for (const wlfmt::workload::entry& e : head.entries) entries.row({title_of(e), e.value});
        entries.print();
        if (!facts_.empty()) print_gap();
        for (const workload_fact& one : facts_) print_note(one.text);
        print_gap();
        grid times;
        times.row({"compute", "time", "share"});
        for (std::size_t n = 0; n < 3; ++n) times.row({phases[n], fixed(compute_[n], 0), share(compute_[n], all())});
        times.row({"all", fixed(all(), 0), share(all(), all())});
        times.row({"update", fixed(update_, 0)});
        times.print();
        print_blocks();
        if (!groups_.empty()) print_groups();
        if (moved_.empty()) return;
        print_gap();
        grid bytes;
        bytes.row({"bytes", "count", phases[0], phases[1], phases[2], "all"});
        for (const auto& [comm, t] : moved_)
            bytes.row({comm, t[0].count + t[1].count + t[2].count, fixed(t[0].sum, 0), fixed(t[1].sum, 0),
                       fixed(t[2].sum, 0), fixed(t[0].sum + t[1].sum + t[2].sum, 0)});
        bytes.print();
    }
    // Of all repetitions, by phase.
    layer_sums sums_of(const layer_blocks::block& of) const {
        layer_sums to;
        for (std::size_t n = of.first; n != of.first + of.size(); ++n) {
            for (std::size_t k = 0; k != 3; ++k) {
                to.compute[k] += by_layer_[n].compute[k];
                to.bytes[k] += by_layer_[n].bytes[k];
            }
        }
        return to;
    }
    // The layers, folded, if that makes them few.
    void print_blocks() const {
        constexpr std::size_t most = 40;
        const std::vector<layer_blocks::block>& all = folded_;
        if (all.empty()) return;
        grid lines;
        lines.row({"layers"});
        for (const char* sum : {"compute: ", "bytes: "}) lines.add({joined({sum, phases[0]}), phases[1], phases[2]});
        for (std::size_t n = 0; n != (std::min)(all.size(), most); ++n) {
            lines.row({blocks_.title_of(all[n])});
            const layer_sums sums = sums_of(all[n]);
            for (const double v : sums.compute) lines.add({fixed(v, 0)});
            for (const double v : sums.bytes) lines.add({fixed(v, 0)});
        }
        print_gap();
        lines.print();
        if (all.size() > most) print_note({"and ", all.size() - most, " more blocks of layers"});
    }
    // How large the groups are, and what goes over the wire in each of them.
    void print_groups() const {
        grid lines;
        lines.row({"group", "ranks", "groups", phases[0], phases[1], phases[2], "a rank sends", "the job sends"});
        for (const group_traffic& g : groups_) {
            lines.row({name_of(g.group), g.ranks, g.groups});
            for (const auto& p : g.phases)
                lines.add({!p.any || g.ranks == 1 ? "-" : p.unknown ? "unknown" : sized(p.bytes)});
            for (const double bytes : {g.rank_sends, g.job_sends})
                lines.add({g.is_silent() ? "-"
                           : g.known     ? sized(bytes)
                           : g.any       ? "at least " + sized(bytes)
                                         : "unknown"});
        }
        print_gap();
        lines.print();
    }
    // A line of JSON. What the file does not tell has no key.
    void put(const wlfmt::workload::header& head) const {
        print_object([&](auto& to) {
            put_text(to, "name", name_);
            put_text(to, "format", name_of(wlfmt::file_format::workload));
            put_text(to, "policy", head.policy);
            put_count(to, "layers", layers_);
            to.key("header").open('{');
            for (const wlfmt::workload::entry& e : head.entries) put_text(to, title_of(e), e.value);
            to.close('}');
            to.key("facts").open('[');
            for (const workload_fact& one : facts_) {
                to.open('{');
                put_text(to, "about", one.about);
                put_text(to, "name", one.name);
                put_text(to, "text", one.text);
                to.close('}');
            }
            to.close(']');
            to.key("compute").open('{');
            for (std::size_t n = 0; n != 3; ++n) put_decimal(to, phases[n], compute_[n]);
            put_decimal(to, "all", all());
            put_decimal(to, "update", update_);
            to.close('}');
            to.key("blocks").open('[');
            for (const layer_blocks::block& b : folded_) {
                const layer_sums sums = sums_of(b);
                to.open('{');
                put_count(to, "times", b.times);
                to.key("layers").open('[');
                for (std::size_t n = 0; n != b.count; ++n) to.string(blocks_.name(b.first + n));
                to.close(']');
                for (const auto& [key, values] :
                     {std::make_pair("compute", sums.compute), std::make_pair("bytes", sums.bytes)}) {
                    to.key(key).open('{');
                    for (std::size_t n = 0; n != 3; ++n) put_decimal(to, phases[n], values[n]);
                    to.close('}');
                }
                to.close('}');
            }
            to.close(']');
            to.key("groups").open('[');
            for (const group_traffic& g : groups_) {
                to.open('{');
                put_text(to, "group", name_of(g.group));
                put_count(to, "ranks", static_cast<std::uint64_t>(g.ranks));
                put_count(to, "groups", static_cast<std::uint64_t>(g.groups));
                for (std::size_t n = 0; n != 3; ++n)
                    if (g.phases[n].any && !g.phases[n].unknown && g.ranks != 1)
                        put_decimal(to, phases[n], g.phases[n].bytes);
                if (!g.is_silent() && g.any) {
                    put_decimal(to, "rank_sends", g.rank_sends);
                    put_decimal(to, "job_sends", g.job_sends);
                    if (!g.known) put_text(to, "limit", "least");
                }
                to.close('}');
            }
            to.close(']');
            to.key("bytes").open('[');
            for (const auto& [comm, t] : moved_) {
                to.open('{');
                put_text(to, "collective", comm);
                put_count(to, "count", t[0].count + t[1].count + t[2].count);
                for (std::size_t n = 0; n != 3; ++n) put_decimal(to, phases[n], t[n].sum);
                put_decimal(to, "all", t[0].sum + t[1].sum + t[2].sum);
                to.close('}');
            }
            to.close(']');
        });
    }

    std::string_view name_;
    double compute_[3] = {};
    double update_ = 0;
    std::uint64_t layers_ = 0;
    keyed<std::string, std::array<tally, 3>> moved_;
    std::vector<group_traffic> groups_;
    std::vector<workload_fact> facts_;
    std::vector<layer_sums> by_layer_;
    layer_blocks blocks_;
    std::vector<layer_blocks::block> folded_;
};

}  // namespace tool

#endif
