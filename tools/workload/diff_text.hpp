// The differences between two workload files in lines for people.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_TEXT_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_TEXT_HPP

#include "../command_line/settings.hpp"
#include "../output/compared.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "analysis/callback.hpp"
#include "changes.hpp"

namespace tool {

class workload_diff_text {
public:
    workload_diff_text(const workload_changes& changes, const settings& s) : changes_(changes), s_(s) {}

    void print() const {
        std::vector<std::string> totals;
        const compared_sum& ticks = changes_.sums.all_ticks;
        const compared_sum& bytes = changes_.sums.all_bytes;
        if (changes_.shows("compute"))
            totals.push_back(total_line("compute: ", decimals_of(ticks.before), decimals_of(ticks.after) + " ticks",
                                        ticks_by(ticks) + ticks.growth()));
        const auto sent = [&](double size, double calls) {
            return joined({sized(size), " in ", counted(count_of(calls), "call", "calls")});
        };
        if (changes_.shows("communication"))
            totals.push_back(total_line("communication: ", sent(bytes.before, changes_.sums.all_calls.before),
                                        sent(bytes.after, changes_.sums.all_calls.after),
                                        bytes_by(bytes) + bytes.growth()));
        print_totals(changes_.before(), changes_.after(), totals, s_);
        for (const workload_changes::side* file : {&changes_.before(), &changes_.after()})
            if (file->is_cut) print_note({file->name, " is cut, or a part of it cannot be read"});
        if (changes_.shows("communication") && changes_.side_without_messages() != nullptr)
            print_note({changes_.side_without_messages()->name,
                        " does not tell what its pipeline stages send: not compared, in no sum"});
        if (s_.only != "header") {
            if (changes_.same != 0) print_note({counted(changes_.same, "layer does", "layers do"), " not differ"});
            if (changes_.renumbered != 0)
                print_note({counted(changes_.renumbered, "layer has", "layers have"), " another number in the name"});
            if (!changes_.match().knows_order())
                print_note(
                    "the layers differ too much to be matched in order: the n-th of a name is compared with the n-th");
            if (const auto moved = changes_.match().moved())
                print_note({"the layers are in another order: layer ", moved->first, ", ",
                            changes_.before().content.layers[moved->first].name, ", is layer ", moved->second,
                            " in the second file"});
        }
        if (changes_.shows("header")) print_header();
        print_stretches();
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

    // A cut file's total is a lower limit. The difference is a lower limit if the second file is cut, and an upper
    // limit if the first one is.
    std::string total_line(const char* title, const std::string& was, const std::string& now,
                           const std::string& difference) const {
        const bool before_is_cut = changes_.before().is_cut;
        const bool after_is_cut = changes_.after().is_cut;
        const std::string limited = (before_is_cut ? "<= " : after_is_cut ? ">= " : "") + difference;
        return joined({title, before_is_cut ? ">= " : "", was, " -> ", after_is_cut ? ">= " : "", now, ", ",
                       before_is_cut && after_is_cut ? "difference not known" : limited});
    }

    // Adds a sum of both files and their difference, which are limits if layers are missing.
    void add_sums(grid& lines, const compared_sum& sum, const compared_sum& all, bool is_exact,
                  const number_words& text) const {
        const auto [before, after] =
            is_exact ? std::make_pair(bounded(sum.before), bounded(sum.after)) : changes_.limits_of(sum);
        const bounded by = after - before;
        const auto difference = [&](double v) { return signed_text(v, text); };
        lines.add({message(before, text), message(after, text), by.is_known() ? message(by, difference) : "?",
                   changes_.is_whole() ? sum.part_of(all) : "-"});
    }
    // Prints a list, or its first lines and how many more there are. add_row(lines, n) adds the row of the n-th item.
    void print_list(parts titles, std::size_t count, const callback<void(grid& lines, std::size_t n)>& add_row) const {
        if (count == 0) return;
        const std::size_t shown = max_lines(count, s_);
        grid lines;
        lines.row(titles);
        for (std::size_t n = 0; n != shown; ++n) add_row(lines, n);
        print_gap();
        lines.print();
        if (shown == count) return;
        if (s_.markdown) print_gap();
        print_note({"and ", counted(count - shown, "more line", "more lines")});
    }
    static std::string_view or_dash(std::string_view text) noexcept { return text.empty() ? "-" : text; }
    void print_header() const {
        print_list({"header", "before", "after"}, changes_.header.size(), [&](grid& lines, std::size_t n) {
            const wlfmt::analysis::diff::difference& d = changes_.header[n];
            lines.row({d.field, or_dash(d.before), or_dash(d.after)});
        });
    }
    void print_stretches() const {
        print_list({"layers on one side", "", "at", "compute", "bytes"}, changes_.stretches.size(),
                   [&](grid& lines, std::size_t n) {
                       const stretch_line& layers = changes_.stretches[n];
                       lines.row({layers.title,
                                  joined({name_of(layers.change), changes_.is_doubtful(layers) ? ", or missing" : ""}),
                                  layers.first, decimals_of(layers.sums.all_ticks()), sized(layers.sums.all_bytes())});
                   });
    }
    void print_communication() const {
        print_list(
            {"communication", "phase", "calls", "calls after", "before", "after", "difference", "of all"},
            changes_.sums.calls.size(), [&](grid& lines, std::size_t n) {
                const call_line& call = changes_.sums.calls[n];
                const bool is_exact = call.is_of_header || changes_.is_whole();
                const auto calls = is_exact ? std::make_pair(bounded(call.calls.before), bounded(call.calls.after))
                                            : changes_.limits_of(call.calls);
                const auto count = [](double v) { return fixed(v, 0); };
                lines.row({joined({call.group, " ", call.collective}), call.phase, message(calls.first, count),
                           message(calls.second, count)});
                add_sums(lines, call.bytes, changes_.sums.all_bytes, is_exact, [](double v) { return sized(v); });
            });
        print_list({"layers, communication", "at", "phase", "before", "after", "bytes before", "bytes after"},
                   changes_.collectives.size(), [&](grid& lines, std::size_t n) {
                       const layers_line& layers = changes_.collectives[n];
                       lines.row({layers.title(), layers.first, layers.field, layers.before, layers.after,
                                  sized(layers.bytes.before), sized(layers.bytes.after)});
                   });
    }
    void print_compute() const {
        std::vector<std::size_t> times;
        for (std::size_t n = 0; n != time_count; ++n)
            if (changes_.sums.ticks[n].differs(s_.tolerance)) times.push_back(n);
        print_list({"compute", "before", "after", "difference", "of all"}, times.size(),
                   [&](grid& lines, std::size_t n) {
                       const compared_sum& time = changes_.sums.ticks[times[n]];
                       lines.row({time_name(times[n])});
                       // Updates are in no total.
                       add_sums(lines, time, times[n] == update_time ? compared_sum() : changes_.sums.all_ticks,
                                changes_.is_whole(), [](double v) { return decimals_of(v); });
                   });
        print_list({"layers, compute", "at", "before", "after", "difference", "of all"}, changes_.computes.size(),
                   [&](grid& lines, std::size_t n) {
                       const layers_line& layers = changes_.computes[n];
                       // Layers that differ only in their updates have no other line.
                       const bool is_update = !layers.all_ticks().differs(0);
                       const compared_sum ticks = is_update ? layers.ticks[update_time] : layers.all_ticks();
                       lines.row({layers.title() + (is_update ? ", update" : ""), layers.first,
                                  decimals_of(ticks.before), decimals_of(ticks.after), ticks_by(ticks),
                                  is_update || !changes_.is_whole() ? "-" : ticks.part_of(changes_.sums.all_ticks)});
                   });
    }
    void print_fields() const {
        print_list(
            {"layers, other fields", "at", "field", "before", "after"}, changes_.fields.size(),
            [&](grid& lines, std::size_t n) {
                const layers_line& layers = changes_.fields[n];
                lines.row({layers.title(), layers.first, layers.field, or_dash(layers.before), or_dash(layers.after)});
            });
    }

    const workload_changes& changes_;
    const settings& s_;
};

}  // namespace tool

#endif
