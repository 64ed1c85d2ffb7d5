// diff of workload files: prints what they mean differently.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <wlfmt/diff.hpp>

#include "callback.hpp"
#include "grid.hpp"
#include "json_print.hpp"
#include "output.hpp"
#include "settings.hpp"
#include "terminal.hpp"
#include "workload_changes.hpp"

namespace tool {

class workload_diff {
public:
    workload_diff(const workload_changes::side& before, const workload_changes::side& after, const settings& s)
        : s_(s), of_(before, after, s) {}

    exit_status print() const {
        const bool incomplete =
            of_.before().is_cut || of_.after().is_cut || (of_.shows("communication") && of_.untold() != nullptr);
        if (s_.json) print_json();
        else if (s_.markdown || of_.differs() || incomplete) print_text();
        if (s_.growth.is_asked()) return tell_growth() ? grown : incomplete ? problems : clean;
        return of_.differs() || incomplete ? problems : clean;
    }

private:
    static std::string signed_text(std::string (*text)(double), double v) {
        return std::isfinite(v) ? (v > 0 ? "+" : v < 0 ? "-" : "") + text(std::fabs(v)) : text(v);
    }
    static std::string bytes_by(const compared_sum& of) { return signed_text(sized, of.by()); }
    static std::string ticks_by(const compared_sum& of) { return signed_text(decimals_of, of.by()); }
    static std::string growth_of(const compared_sum& of) {
        if (of.before == 0 || !std::isfinite(of.by())) return {};
        const double by = 100 * of.by() / std::fabs(of.before);
        return joined({by > 0 ? "+" : "", fixed(by, 1), "%"});
    }
    static std::string growth_after(const compared_sum& of) {
        const std::string growth = growth_of(of);
        return growth.empty() ? "" : joined({" (", growth, ")"});
    }
    // The part of the difference of the totals.
    static std::string part_of(const compared_sum& one, const compared_sum& all) {
        return all.by() == 0 || one.by() == 0 || !std::isfinite(all.by()) ? "-"
                                                                          : fixed(100 * one.by() / all.by(), 1) + "%";
    }
    static std::string layers_text(std::uint64_t times, std::string_view name) {
        return joined({times == 1 ? "" : joined({times, " x "}), name});
    }

    // The total of a cut file is a lower limit. So is the difference if the second file is cut; if the first one is,
    // the difference is an upper limit.
    static std::string least(const workload_changes::side& of) { return of.is_cut ? ">= " : ""; }
    std::string limited(const std::string& difference) const {
        const bool before = of_.before().is_cut;
        const bool after = of_.after().is_cut;
        return before && after ? "difference not known" : (before ? "<= " : after ? ">= " : "") + difference;
    }

    void print_text() const {
        std::vector<std::string> totals;
        if (of_.shows("compute"))
            totals.push_back(joined({"compute: ", least(of_.before()), decimals_of(of_.all_ticks.before), " -> ",
                                     least(of_.after()), decimals_of(of_.all_ticks.after), " ticks, ",
                                     limited(ticks_by(of_.all_ticks) + growth_after(of_.all_ticks))}));
        if (of_.shows("communication"))
            totals.push_back(
                joined({"communication: ", least(of_.before()), sized(of_.all_bytes.before), " in ",
                        counted(count_of(of_.all_calls.before), "call", "calls"), " -> ", least(of_.after()),
                        sized(of_.all_bytes.after), " in ", counted(count_of(of_.all_calls.after), "call", "calls"),
                        ", ", limited(bytes_by(of_.all_bytes) + growth_after(of_.all_bytes))}));
        if (s_.markdown) {
            chosen_layout = layout::markdown;
            print_title(joined({of_.before().name, " and ", of_.after().name}));
            for (const std::string& one : totals) print_note(one);
        } else {
            for (const std::string& one : totals) print_line(one);
        }
        for (const workload_changes::side* one : {&of_.before(), &of_.after()})
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
        const std::size_t most = s_.top != 0 ? s_.top : s_.markdown || is_terminal(s_) ? 10 : all;
        grid lines;
        lines.row(titles);
        for (std::size_t n = 0; n != (std::min)(most, all); ++n) add_row(lines, n);
        print_gap();
        lines.print();
        if (all <= most) return;
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
            const workload_changes::run_line& one = of_.runs[n];
            to.row({one.title, name_of(one.what), one.first, decimals_of(one.all_ticks()), sized(one.all_bytes())});
        });
    }
    void print_communication() const {
        print_list({"communication", "calls", "calls after", "before", "after", "difference", "of all"},
                   of_.calls.size(), [&](grid& to, std::size_t n) {
                       const workload_changes::call_line& one = of_.calls[n];
                       to.row({joined({one.group, " ", one.collective}), fixed(one.calls.before, 0),
                               fixed(one.calls.after, 0), sized(one.bytes.before), sized(one.bytes.after),
                               bytes_by(one.bytes), part_of(one.bytes, of_.all_bytes)});
                   });
        print_list({"layers, communication", "at", "phase", "before", "after", "bytes before", "bytes after"},
                   of_.collectives.size(), [&](grid& to, std::size_t n) {
                       const workload_changes::collective_line& one = of_.collectives[n];
                       to.row({layers_text(one.times, one.name), one.first, phase_name(one.phase), one.before,
                               one.after, sized(one.bytes.before), sized(one.bytes.after)});
                   });
    }
    void print_compute() const {
        std::vector<std::size_t> times;
        for (std::size_t n = 0; n <= workload_changes::update; ++n)
            if (of_.ticks[n].differs(s_.tolerance)) times.push_back(n);
        print_list({"compute", "before", "after", "difference", "of all"}, times.size(), [&](grid& to, std::size_t n) {
            const compared_sum& one = of_.ticks[times[n]];
            to.row({workload_changes::time_name(times[n]), decimals_of(one.before), decimals_of(one.after),
                    ticks_by(one), part_of(one, of_.all_ticks)});
        });
        print_list({"layers, compute", "at", "before", "after", "difference", "of all"}, of_.computes.size(),
                   [&](grid& to, std::size_t n) {
                       const workload_changes::compute_line& one = of_.computes[n];
                       const compared_sum all = one.all();
                       to.row({layers_text(one.times, one.name), one.first, decimals_of(all.before),
                               decimals_of(all.after), ticks_by(all), part_of(all, of_.all_ticks)});
                   });
    }
    void print_fields() const {
        print_list({"layers, other fields", "at", "field", "before", "after"}, of_.fields.size(),
                   [&](grid& to, std::size_t n) {
                       const workload_changes::field_line& one = of_.fields[n];
                       to.row({layers_text(one.times, one.name), one.first, one.field, or_dash(one.before),
                               or_dash(one.after)});
                   });
    }

    template <class Line> static void put(Line& to, std::string_view key, const compared_sum& of) {
        to.key(key).open('{');
        put_decimal(to, "before", of.before);
        put_decimal(to, "after", of.after);
        put_decimal(to, "difference", of.by());
        to.close('}');
    }
    template <class Line> static void put_values(Line& to, const std::string& before, const std::string& after) {
        for (const bool second : {false, true}) {
            const std::string& text = second ? after : before;
            to.key(second ? "after" : "before");
            text.empty() ? to.null() : to.string(text);
        }
    }
    template <class Line>
    static void put_layers(Line& to, std::uint64_t times, std::size_t first, std::string_view name) {
        put_count(to, "times", times);
        put_count(to, "at", first);
        put_text(to, "layer", name);
    }
    // Calls print(line) for each that --top leaves.
    template <class Line, class Print> void print_objects(const std::vector<Line>& all, const Print& print) const {
        const std::size_t most = s_.top != 0 ? (std::min)(s_.top, all.size()) : all.size();
        for (std::size_t n = 0; n != most; ++n) print_object([&](auto& to) { print(to, all[n]); });
    }
    void print_json() const {
        const auto put_side = [&](auto& to, std::string_view key, const workload_changes::side& of) {
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
            put(to, "ticks", of_.all_ticks);
            put(to, "calls", of_.all_calls);
            put(to, "bytes", of_.all_bytes);
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
        print_objects(of_.runs, [](auto& to, const workload_changes::run_line& one) {
            put_text(to, "about", "layers");
            put_text(to, "change", name_of(one.what));
            put_count(to, "times", one.times);
            put_count(to, "at", one.first);
            to.key("layers").open('[');
            for (const std::string& name : one.names) to.string(name);
            to.close(']');
            to.key("compute").open('{');
            for (std::size_t n = 0; n <= workload_changes::update; ++n)
                put_decimal(to, workload_changes::time_name(n), one.ticks[n]);
            to.close('}');
            put_count(to, "calls", count_of(one.calls));
            to.key("bytes").open('{');
            for (std::size_t n = 0; n != phase_count; ++n) put_decimal(to, phase_name(n), one.bytes[n]);
            to.close('}');
        });
        if (of_.shows("communication")) {
            print_objects(of_.calls, [](auto& to, const workload_changes::call_line& one) {
                put_text(to, "about", "communication");
                put_text(to, "group", one.group);
                put_text(to, "collective", one.collective);
                put(to, "calls", one.calls);
                put(to, "bytes", one.bytes);
            });
            print_objects(of_.collectives, [](auto& to, const workload_changes::collective_line& one) {
                put_text(to, "about", "layer_communication");
                put_layers(to, one.times, one.first, one.name);
                put_text(to, "phase", phase_name(one.phase));
                put_values(to, std::string(one.before), std::string(one.after));
                put(to, "bytes", one.bytes);
            });
        }
        if (of_.shows("compute")) {
            for (std::size_t n = 0; n <= workload_changes::update; ++n) {
                if (!of_.ticks[n].differs(s_.tolerance)) continue;
                print_object([&](auto& to) {
                    put_text(to, "about", "compute");
                    put_text(to, "phase", workload_changes::time_name(n));
                    put(to, "ticks", of_.ticks[n]);
                });
            }
            print_objects(of_.computes, [](auto& to, const workload_changes::compute_line& one) {
                put_text(to, "about", "layer_compute");
                put_layers(to, one.times, one.first, one.name);
                for (std::size_t n = 0; n <= workload_changes::update; ++n)
                    put(to, workload_changes::time_name(n), one.ticks[n]);
            });
        }
        if (s_.only.empty())
            print_objects(of_.fields, [](auto& to, const workload_changes::field_line& one) {
                put_text(to, "about", "layer_field");
                put_layers(to, one.times, one.first, one.name);
                put_text(to, "field", one.field);
                put_values(to, one.before, one.after);
            });
    }

    // Whether a total, or a line, grew by more than is allowed; says which did. A time is that of compute, a tick being
    // a nanosecond.
    bool tell_growth() const {
        const growth_limit& limit = s_.growth;
        bool any = false;
        const auto tell = [&](const std::string& what, const compared_sum& of, const compared_sum& all,
                              const std::string& by, double unit) {
            const bool is_large = limit.is_large(of.before, all.before) || limit.is_large(of.after, all.after);
            if (!is_large || !limit.is_exceeded(of.before * unit, of.after * unit)) return;
            any = true;
            standard_error.append(
                {"wlfmt: ", what, " grew by ", by, growth_after(of), ", which is above ", limit.text, "\n"});
        };
        if (of_.shows("compute")) {
            constexpr double microseconds = 1e-3;
            const auto tell_ticks = [&](const std::string& what, const compared_sum& of) {
                tell(what, of, of_.all_ticks, ticks_by(of) + " ticks", microseconds);
            };
            tell_ticks("compute", of_.all_ticks);
            for (std::size_t n = 0; n <= workload_changes::update; ++n)
                tell_ticks(joined({"compute, ", workload_changes::time_name(n)}), of_.ticks[n]);
            for (const workload_changes::compute_line& one : of_.computes)
                tell_ticks("compute of " + layers_text(one.times, one.name), one.all());
        }
        if (of_.shows("communication") && limit.share > 0) {
            const auto tell_bytes = [&](const std::string& what, const compared_sum& of) {
                tell(what, of, of_.all_bytes, bytes_by(of), 1);
            };
            tell_bytes("communication", of_.all_bytes);
            for (const workload_changes::call_line& one : of_.calls)
                tell_bytes(joined({one.group, " ", one.collective}), one.bytes);
            for (const workload_changes::collective_line& one : of_.collectives)
                tell_bytes(joined({one.after, " of ", layers_text(one.times, one.name), ", ", phase_name(one.phase)}),
                           one.bytes);
        }
        for (const workload_changes::run_line& one : of_.runs) {
            if (one.what != wlfmt::diff::change::added) continue;
            if (of_.shows("compute"))
                tell("compute of added " + one.title, {0, one.all_ticks()}, of_.all_ticks,
                     joined({"+", decimals_of(one.all_ticks()), " ticks"}), 1e-3);
            if (of_.shows("communication") && limit.share > 0)
                tell("communication of added " + one.title, {0, one.all_bytes()}, of_.all_bytes,
                     "+" + sized(one.all_bytes()), 1);
        }
        return any;
    }

    const settings& s_;
    workload_changes of_;
};

}  // namespace tool

#endif
