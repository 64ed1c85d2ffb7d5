// What two workload files mean differently, in lines for people.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_TEXT_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_TEXT_HPP

#include "../command_line/settings.hpp"
#include "../general/callback.hpp"
#include "../output/compared.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "changes.hpp"

namespace tool {

class workload_diff_text {
public:
    workload_diff_text(const workload_changes& changes, const settings& s) : changes_(changes), s_(s) {}

    void print() const {
        std::vector<std::string> totals;
        const compared_sum& ticks = changes_.all_ticks;
        const compared_sum& bytes = changes_.all_bytes;
        if (changes_.shows("compute"))
            totals.push_back(total_line("compute: ", decimals_of(ticks.before), decimals_of(ticks.after) + " ticks",
                                        ticks_by(ticks) + ticks.growth()));
        const auto sent = [&](double size, double calls) {
            return joined({sized(size), " in ", counted(count_of(calls), "call", "calls")});
        };
        if (changes_.shows("communication"))
            totals.push_back(total_line("communication: ", sent(bytes.before, changes_.all_calls.before),
                                        sent(bytes.after, changes_.all_calls.after), bytes_by(bytes) + bytes.growth()));
        print_totals(changes_.before(), changes_.after(), totals, s_);
        for (const workload_changes::side* one : {&changes_.before(), &changes_.after()})
            if (one->is_cut) print_note({one->name, " is cut, or a part of it cannot be read"});
        if (changes_.shows("communication") && changes_.untold() != nullptr)
            print_note(
                {changes_.untold()->name, " does not tell what its pipeline stages send: not compared, in no sum"});
        if (s_.only != "header") {
            if (changes_.same != 0) print_note({counted(changes_.same, "layer does", "layers do"), " not differ"});
            if (changes_.renumbered != 0)
                print_note({counted(changes_.renumbered, "layer has", "layers have"), " another number in the name"});
            if (!changes_.match().knows_order())
                print_note(
                    "the layers differ too much to be matched in order: the n-th of a name is compared with the "
                    "n-th");
            if (const auto moved = changes_.match().moved())
                print_note({"the layers are in another order: layer ", moved->first, ", ",
                            changes_.before().of.layers[moved->first].name, ", is layer ", moved->second,
                            " in the second file"});
        }
        if (changes_.shows("header")) print_header();
        print_runs();
        if (changes_.shows("communication")) print_communication();
        if (changes_.shows("compute")) print_compute();
        if (s_.only.empty()) print_fields();
    }

private:
    static std::uint64_t count_of(double v) noexcept { return static_cast<std::uint64_t>(v); }
    static std::string bytes_by(const compared_sum& sum) {
        return signed_text(sum.by(), [](double v) { return sized(v); });
    }
    static std::string ticks_by(const compared_sum& sum) {
        return signed_text(sum.by(), [](double v) { return decimals_of(v); });
    }

    // The total of a cut file is a lower limit. So is the difference if the second file is cut; if the first one is,
    // the difference is an upper limit.
    std::string total_line(const char* what, const std::string& was, const std::string& now,
                           const std::string& difference) const {
        const bool before = changes_.before().is_cut;
        const bool after = changes_.after().is_cut;
        const std::string limited = (before ? "<= " : after ? ">= " : "") + difference;
        return joined({what, before ? ">= " : "", was, " -> ", after ? ">= " : "", now, ", ",
                       before && after ? "difference not known" : limited});
    }

    // Prints a list, or its first lines and how many more there are. `add_row` adds that of an item.
    void print_list(parts titles, std::size_t all, const callback<void(grid& to, std::size_t n)>& add_row) const {
        if (all == 0) return;
        const std::size_t most = most_lines(all, s_);
        grid lines;
        lines.row(titles);
        for (std::size_t n = 0; n != most; ++n) add_row(lines, n);
        print_gap();
        lines.print();
        if (most == all) return;
        if (s_.markdown) print_gap();
        print_note({"and ", counted(all - most, "more line", "more lines")});
    }
    static std::string_view or_dash(std::string_view text) noexcept { return text.empty() ? "-" : text; }
    void print_header() const {
        print_list({"header", "before", "after"}, changes_.header.size(), [&](grid& to, std::size_t n) {
            const wlfmt::diff::difference& d = changes_.header[n];
            to.row({d.field, or_dash(d.before), or_dash(d.after)});
        });
    }
    void print_runs() const {
        print_list(
            {"layers on one side", "", "at", "compute", "bytes"}, changes_.runs.size(), [&](grid& to, std::size_t n) {
                const workload_changes::run_line& one = changes_.runs[n];
                to.row({one.title, name_of(one.what), one.first, decimals_of(one.all_ticks()), sized(one.all_bytes())});
            });
    }
    void print_communication() const {
        print_list({"communication", "phase", "calls", "calls after", "before", "after", "difference", "of all"},
                   changes_.calls.size(), [&](grid& to, std::size_t n) {
                       const workload_changes::call_line& one = changes_.calls[n];
                       to.row({joined({one.group, " ", one.collective}), one.phase, fixed(one.calls.before, 0),
                               fixed(one.calls.after, 0), sized(one.bytes.before), sized(one.bytes.after),
                               bytes_by(one.bytes), one.bytes.part_of(changes_.all_bytes)});
                   });
        print_list({"layers, communication", "at", "phase", "before", "after", "bytes before", "bytes after"},
                   changes_.collectives.size(), [&](grid& to, std::size_t n) {
                       const workload_changes::layers_line& one = changes_.collectives[n];
                       to.row({one.title(), one.first, one.field, one.before, one.after, sized(one.bytes.before),
                               sized(one.bytes.after)});
                   });
    }
    void print_compute() const {
        std::vector<std::size_t> times;
        for (std::size_t n = 0; n <= workload_changes::update; ++n)
            if (changes_.ticks[n].differs(s_.tolerance)) times.push_back(n);
        print_list({"compute", "before", "after", "difference", "of all"}, times.size(), [&](grid& to, std::size_t n) {
            const compared_sum& one = changes_.ticks[times[n]];
            to.row({workload_changes::time_name(times[n]), decimals_of(one.before), decimals_of(one.after),
                    ticks_by(one), one.part_of(changes_.all_ticks)});
        });
        print_list({"layers, compute", "at", "before", "after", "difference", "of all"}, changes_.computes.size(),
                   [&](grid& to, std::size_t n) {
                       const workload_changes::layers_line& one = changes_.computes[n];
                       const compared_sum all = one.all_ticks();
                       to.row({one.title(), one.first, decimals_of(all.before), decimals_of(all.after), ticks_by(all),
                               all.part_of(changes_.all_ticks)});
                   });
    }
    void print_fields() const {
        print_list({"layers, other fields", "at", "field", "before", "after"}, changes_.fields.size(),
                   [&](grid& to, std::size_t n) {
                       const workload_changes::layers_line& one = changes_.fields[n];
                       to.row({one.title(), one.first, one.field, or_dash(one.before), or_dash(one.after)});
                   });
    }

    const workload_changes& changes_;
    const settings& s_;
};

}  // namespace tool

#endif
