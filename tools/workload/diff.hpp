// diff of workload files: prints what they mean differently.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/diff.hpp>

#include "../command_line/settings.hpp"
#include "../general/callback.hpp"
#include "../output/compared.hpp"
#include "../output/grid.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "changes.hpp"

namespace tool {

class workload_diff {
public:
    using changes = workload_changes;
    workload_diff(const changes::side& before, const changes::side& after, const settings& s)
        : s_(s), of_(before, after, s) {}

    exit_status print() const {
        const bool incomplete =
            of_.before().is_cut || of_.after().is_cut || (of_.shows("communication") && of_.untold() != nullptr);
        if (s_.json) print_json();
        else if (s_.markdown || of_.differs() || incomplete) print_text();
        growth_report growth(s_.growth);
        if (s_.growth.is_asked()) see(growth);
        return growth.status(of_.differs(), incomplete);
    }

private:
    static constexpr auto bytes_text = [](double v) { return sized(v); };
    static constexpr auto ticks_text = [](double v) { return decimals_of(v); };
    static std::string bytes_by(const compared_sum& of) { return signed_text(of.by(), bytes_text); }
    static std::string ticks_by(const compared_sum& of) { return signed_text(of.by(), ticks_text); }

    // The total of a cut file is a lower limit. So is the difference if the second file is cut; if the first one is,
    // the difference is an upper limit.
    std::string total_line(const char* what, const std::string& was, const std::string& now,
                           const std::string& difference) const {
        const bool before = of_.before().is_cut;
        const bool after = of_.after().is_cut;
        const std::string limited = (before ? "<= " : after ? ">= " : "") + difference;
        return joined({what, before ? ">= " : "", was, " -> ", after ? ">= " : "", now, ", ",
                       before && after ? "difference not known" : limited});
    }

    void print_text() const {
        std::vector<std::string> totals;
        const compared_sum& ticks = of_.all_ticks;
        const compared_sum& bytes = of_.all_bytes;
        if (of_.shows("compute"))
            totals.push_back(total_line("compute: ", decimals_of(ticks.before), decimals_of(ticks.after) + " ticks",
                                        ticks_by(ticks) + ticks.growth()));
        const auto sent = [&](double size, double calls) {
            return joined({sized(size), " in ", counted(count_of(calls), "call", "calls")});
        };
        if (of_.shows("communication"))
            totals.push_back(total_line("communication: ", sent(bytes.before, of_.all_calls.before),
                                        sent(bytes.after, of_.all_calls.after), bytes_by(bytes) + bytes.growth()));
        print_totals(of_.before(), of_.after(), totals, s_);
        for (const changes::side* one : {&of_.before(), &of_.after()})
            if (one->is_cut) print_note({one->name, " is cut, or a part of it cannot be read"});
        if (of_.shows("communication") && of_.untold() != nullptr)
            print_note({of_.untold()->name, " does not tell what its pipeline stages send: not compared, in no sum"});
        if (s_.only != "header") {
            if (of_.same != 0) print_note({counted(of_.same, "layer does", "layers do"), " not differ"});
            if (of_.renumbered != 0)
                print_note({counted(of_.renumbered, "layer has", "layers have"), " another number in the name"});
            if (!of_.match().knows_order())
                print_note(
                    "the layers differ too much to be matched in order: the n-th of a name is compared with the "
                    "n-th");
            if (const auto moved = of_.match().moved())
                print_note({"the layers are in another order: layer ", moved->first, ", ",
                            of_.before().of.layers[moved->first].name, ", is layer ", moved->second,
                            " in the second file"});
        }
        if (of_.shows("header")) print_header();
        print_runs();
        if (of_.shows("communication")) print_communication();
        if (of_.shows("compute")) print_compute();
        if (s_.only.empty()) print_fields();
    }
    static std::uint64_t count_of(double v) noexcept { return static_cast<std::uint64_t>(v); }

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
        print_list({"header", "before", "after"}, of_.header.size(), [&](grid& to, std::size_t n) {
            const wlfmt::diff::difference& d = of_.header[n];
            to.row({d.field, or_dash(d.before), or_dash(d.after)});
        });
    }
    void print_runs() const {
        print_list({"layers on one side", "", "at", "compute", "bytes"}, of_.runs.size(), [&](grid& to, std::size_t n) {
            const changes::run_line& one = of_.runs[n];
            to.row({one.title, name_of(one.what), one.first, decimals_of(one.all_ticks()), sized(one.all_bytes())});
        });
    }
    void print_communication() const {
        print_list({"communication", "calls", "calls after", "before", "after", "difference", "of all"},
                   of_.calls.size(), [&](grid& to, std::size_t n) {
                       const changes::call_line& one = of_.calls[n];
                       to.row({joined({one.group, " ", one.collective}), fixed(one.calls.before, 0),
                               fixed(one.calls.after, 0), sized(one.bytes.before), sized(one.bytes.after),
                               bytes_by(one.bytes), one.bytes.part_of(of_.all_bytes)});
                   });
        print_list({"layers, communication", "at", "phase", "before", "after", "bytes before", "bytes after"},
                   of_.collectives.size(), [&](grid& to, std::size_t n) {
                       const changes::layers_line& one = of_.collectives[n];
                       to.row({one.title(), one.first, one.field, one.before, one.after, sized(one.bytes.before),
                               sized(one.bytes.after)});
                   });
    }
    void print_compute() const {
        std::vector<std::size_t> times;
        for (std::size_t n = 0; n <= changes::update; ++n)
            if (of_.ticks[n].differs(s_.tolerance)) times.push_back(n);
        print_list({"compute", "before", "after", "difference", "of all"}, times.size(), [&](grid& to, std::size_t n) {
            const compared_sum& one = of_.ticks[times[n]];
            to.row({changes::time_name(times[n]), decimals_of(one.before), decimals_of(one.after), ticks_by(one),
                    one.part_of(of_.all_ticks)});
        });
        print_list({"layers, compute", "at", "before", "after", "difference", "of all"}, of_.computes.size(),
                   [&](grid& to, std::size_t n) {
                       const changes::layers_line& one = of_.computes[n];
                       const compared_sum all = one.all_ticks();
                       to.row({one.title(), one.first, decimals_of(all.before), decimals_of(all.after), ticks_by(all),
                               all.part_of(of_.all_ticks)});
                   });
    }
    void print_fields() const {
        print_list({"layers, other fields", "at", "field", "before", "after"}, of_.fields.size(),
                   [&](grid& to, std::size_t n) {
                       const changes::layers_line& one = of_.fields[n];
                       to.row({one.title(), one.first, one.field, or_dash(one.before), or_dash(one.after)});
                   });
    }

    template <class Line> static void put_values(Line& to, const std::string& before, const std::string& after) {
        for (const bool second : {false, true}) {
            const std::string& text = second ? after : before;
            to.key(second ? "after" : "before");
            text.empty() ? to.null() : to.string(text);
        }
    }
    template <class Line> static void put_layers(Line& to, const changes::layers_line& of) {
        put_count(to, "times", of.times);
        put_count(to, "at", of.first);
        put_text(to, "layer", of.name);
    }
    // Calls print(line) for each that --top leaves.
    template <class Line, class Print> void print_objects(const std::vector<Line>& all, const Print& print) const {
        const std::size_t most = s_.top != 0 ? (std::min)(s_.top, all.size()) : all.size();
        for (std::size_t n = 0; n != most; ++n) print_object([&](auto& to) { print(to, all[n]); });
    }
    void print_json() const {
        const auto put_side = [&](auto& to, std::string_view key, const changes::side& of) {
            to.key(key).open('{');
            put_text(to, "name", of.name);
            put_count(to, "layers", of.of.layers.size());
            put_flag(to, "is_whole", !of.is_cut);
            to.close('}');
        };
        print_object([&](auto& to) {
            put_text(to, "format", name_of(wlfmt::file_format::workload));
            put_side(to, "before", of_.before());
            put_side(to, "after", of_.after());
            put_compared(to, "ticks", of_.all_ticks);
            put_compared(to, "calls", of_.all_calls);
            put_compared(to, "bytes", of_.all_bytes);
            put_count(to, "same", of_.same);
            put_count(to, "renumbered", of_.renumbered);
            put_flag(to, "messages_compared", of_.untold() == nullptr);
            if (of_.match().knows_order()) put_flag(to, "reordered", of_.match().moved().has_value());
        });
        if (of_.shows("header"))
            print_objects(of_.header, [](auto& to, const wlfmt::diff::difference& d) {
                put_text(to, "about", "header");
                put_text(to, "key", d.field);
                put_values(to, d.before, d.after);
            });
        print_objects(of_.runs, [](auto& to, const changes::run_line& one) {
            put_text(to, "about", "layers");
            put_text(to, "change", name_of(one.what));
            put_count(to, "times", one.times);
            put_count(to, "at", one.first);
            to.key("layers").open('[');
            for (const std::string& name : one.names) to.string(name);
            to.close(']');
            to.key("compute").open('{');
            for (std::size_t n = 0; n <= changes::update; ++n) put_decimal(to, changes::time_name(n), one.ticks[n]);
            to.close('}');
            put_count(to, "calls", count_of(one.calls));
            to.key("bytes").open('{');
            for (std::size_t n = 0; n != phase_count; ++n) put_decimal(to, phase_name(n), one.bytes[n]);
            to.close('}');
        });
        if (of_.shows("communication")) {
            print_objects(of_.calls, [](auto& to, const changes::call_line& one) {
                put_text(to, "about", "communication");
                put_text(to, "group", one.group);
                put_text(to, "collective", one.collective);
                put_compared(to, "calls", one.calls);
                put_compared(to, "bytes", one.bytes);
            });
            print_objects(of_.collectives, [](auto& to, const changes::layers_line& one) {
                put_text(to, "about", "layer_communication");
                put_layers(to, one);
                put_text(to, "phase", one.field);
                put_values(to, one.before, one.after);
                put_compared(to, "bytes", one.bytes);
            });
        }
        if (of_.shows("compute")) {
            for (std::size_t n = 0; n <= changes::update; ++n) {
                if (!of_.ticks[n].differs(s_.tolerance)) continue;
                print_object([&](auto& to) {
                    put_text(to, "about", "compute");
                    put_text(to, "phase", changes::time_name(n));
                    put_compared(to, "ticks", of_.ticks[n]);
                });
            }
            print_objects(of_.computes, [](auto& to, const changes::layers_line& one) {
                put_text(to, "about", "layer_compute");
                put_layers(to, one);
                for (std::size_t n = 0; n <= changes::update; ++n)
                    put_compared(to, changes::time_name(n), one.ticks[n]);
            });
        }
        if (s_.only.empty())
            print_objects(of_.fields, [](auto& to, const changes::layers_line& one) {
                put_text(to, "about", "layer_field");
                put_layers(to, one);
                put_text(to, "field", one.field);
                put_values(to, one.before, one.after);
            });
    }

    // A time is that of compute, a tick being a nanosecond.
    void see(growth_report& to) const {
        const auto see_ticks = [&](const std::string& what, const compared_sum& of) {
            if (of_.shows("compute"))
                to.see(
                    what, of, of_.all_ticks, [](double v) { return decimals_of(v) + " ticks"; }, 1e-3);
        };
        const auto see_bytes = [&](const std::string& what, const compared_sum& of) {
            if (of_.shows("communication") && s_.growth.share > 0) to.see(what, of, of_.all_bytes, bytes_text);
        };
        see_ticks("compute", of_.all_ticks);
        for (std::size_t n = 0; n <= changes::update; ++n)
            see_ticks(joined({"compute, ", changes::time_name(n)}), of_.ticks[n]);
        for (const changes::layers_line& one : of_.computes) see_ticks("compute of " + one.title(), one.all_ticks());
        see_bytes("communication", of_.all_bytes);
        for (const changes::call_line& one : of_.calls) see_bytes(joined({one.group, " ", one.collective}), one.bytes);
        for (const changes::layers_line& one : of_.collectives)
            see_bytes(joined({one.after, " of ", one.title(), ", ", one.field}), one.bytes);
        for (const changes::run_line& one : of_.runs) {
            if (one.what != wlfmt::diff::change::added) continue;
            see_ticks("compute of added " + one.title, {0, one.all_ticks()});
            see_bytes("communication of added " + one.title, {0, one.all_bytes()});
        }
    }

    const settings& s_;
    workload_changes of_;
};

}  // namespace tool

#endif
