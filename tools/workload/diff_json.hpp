// What two workload files mean differently, in lines of JSON: docs/diff.schema.json.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_JSON_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_JSON_HPP

#include "../command_line/settings.hpp"
#include "../output/compared.hpp"
#include "../output/json_print.hpp"
#include "changes.hpp"

namespace tool {

class workload_diff_json {
public:
    workload_diff_json(const workload_changes& changes, const settings& s) : changes_(changes), s_(s) {}

    void print() const {
        const auto put_side = [&](auto& to, std::string_view key, const workload_changes::side& of) {
            to.key(key).open('{');
            put_text(to, "name", of.name);
            put_count(to, "layers", of.of.layers.size());
            put_flag(to, "is_whole", !of.is_cut);
            to.close('}');
        };
        print_object([&](auto& to) {
            put_text(to, "format", name_of(wlfmt::file_format::workload));
            put_side(to, "before", changes_.before());
            put_side(to, "after", changes_.after());
            put_compared(to, "ticks", changes_.all_ticks);
            put_compared(to, "calls", changes_.all_calls);
            put_compared(to, "bytes", changes_.all_bytes);
            put_count(to, "same", changes_.same);
            put_count(to, "renumbered", changes_.renumbered);
            put_flag(to, "messages_compared", changes_.untold() == nullptr);
            if (changes_.match().knows_order()) put_flag(to, "reordered", changes_.match().moved().has_value());
        });
        if (changes_.shows("header"))
            print_objects(changes_.header, [](auto& to, const wlfmt::diff::difference& d) {
                put_text(to, "about", "header");
                put_text(to, "key", d.field);
                put_values(to, d.before, d.after);
            });
        print_objects(changes_.runs, [](auto& to, const workload_changes::run_line& one) {
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
        if (changes_.shows("communication")) {
            print_objects(changes_.calls, [](auto& to, const workload_changes::call_line& one) {
                put_text(to, "about", "communication");
                put_text(to, "group", one.group);
                put_text(to, "collective", one.collective);
                put_text(to, "phase", one.phase);
                put_compared(to, "calls", one.calls);
                put_compared(to, "bytes", one.bytes);
            });
            print_objects(changes_.collectives, [](auto& to, const workload_changes::layers_line& one) {
                put_text(to, "about", "layer_communication");
                put_layers(to, one);
                put_text(to, "phase", one.field);
                put_values(to, one.before, one.after);
                put_compared(to, "bytes", one.bytes);
            });
        }
        if (changes_.shows("compute")) {
            for (std::size_t n = 0; n <= workload_changes::update; ++n) {
                if (!changes_.ticks[n].differs(s_.tolerance)) continue;
                print_object([&](auto& to) {
                    put_text(to, "about", "compute");
                    put_text(to, "phase", workload_changes::time_name(n));
                    put_compared(to, "ticks", changes_.ticks[n]);
                });
            }
            print_objects(changes_.computes, [](auto& to, const workload_changes::layers_line& one) {
                put_text(to, "about", "layer_compute");
                put_layers(to, one);
                for (std::size_t n = 0; n <= workload_changes::update; ++n)
                    put_compared(to, workload_changes::time_name(n), one.ticks[n]);
            });
        }
        if (s_.only.empty())
            print_objects(changes_.fields, [](auto& to, const workload_changes::layers_line& one) {
                put_text(to, "about", "layer_field");
                put_layers(to, one);
                put_text(to, "field", one.field);
                put_values(to, one.before, one.after);
            });
    }

private:
    static std::uint64_t count_of(double v) noexcept { return static_cast<std::uint64_t>(v); }
    template <class Line> static void put_values(Line& to, const std::string& before, const std::string& after) {
        for (const bool second : {false, true}) {
            const std::string& text = second ? after : before;
            to.key(second ? "after" : "before");
            text.empty() ? to.null() : to.string(text);
        }
    }
    template <class Line> static void put_layers(Line& to, const workload_changes::layers_line& of) {
        put_count(to, "times", of.times);
        put_count(to, "at", of.first);
        put_text(to, "layer", of.name);
    }
    // Calls print(line) for each that --top leaves.
    template <class Line, class Print> void print_objects(const std::vector<Line>& all, const Print& print) const {
        const std::size_t most = s_.top != 0 ? (std::min)(s_.top, all.size()) : all.size();
        for (std::size_t n = 0; n != most; ++n) print_object([&](auto& to) { print(to, all[n]); });
    }

    const workload_changes& changes_;
    const settings& s_;
};

}  // namespace tool

#endif
