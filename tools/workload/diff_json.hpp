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
        const auto put_side = [&](auto& json, std::string_view key, const workload_changes::side& file) {
            put_object(json, key, [&] {
                put_text(json, "name", file.name);
                put_count(json, "layers", file.content.layers.size());
                put_flag(json, "is_whole", !file.is_cut);
            });
        };
        print_object([&](auto& json) {
            put_text(json, "format", name_of(wlfmt::file_format::workload));
            put_side(json, "before", changes_.before());
            put_side(json, "after", changes_.after());
            put_compared(json, "ticks", changes_.sums.all_ticks);
            put_compared(json, "calls", changes_.sums.all_calls);
            put_compared(json, "bytes", changes_.sums.all_bytes);
            put_count(json, "same", changes_.same);
            put_count(json, "renumbered", changes_.renumbered);
            put_flag(json, "messages_compared", changes_.untold() == nullptr);
            if (changes_.match().knows_order()) put_flag(json, "reordered", changes_.match().moved().has_value());
        });
        if (changes_.shows("header"))
            print_objects(changes_.header, [](auto& json, const wlfmt::diff::difference& d) {
                put_text(json, "about", "header");
                put_text(json, "key", d.field);
                put_values(json, d.before, d.after);
            });
        print_objects(changes_.runs, [](auto& json, const run_line& layers) {
            put_text(json, "about", "layers");
            put_text(json, "change", name_of(layers.what));
            put_count(json, "times", layers.times);
            put_count(json, "at", layers.first);
            put_texts(json, "layers", layers.names);
            put_object(json, "compute", [&] {
                for (std::size_t n = 0; n != time_count; ++n) put_decimal(json, time_name(n), layers.sums.ticks[n]);
            });
            put_count(json, "calls", static_cast<std::uint64_t>(layers.sums.calls));
            put_object(json, "bytes", [&] {
                for (std::size_t n = 0; n != phase_count; ++n) put_decimal(json, phase_name(n), layers.sums.bytes[n]);
            });
        });
        if (changes_.shows("communication")) {
            print_objects(changes_.sums.calls, [](auto& json, const call_line& call) {
                put_text(json, "about", "communication");
                put_text(json, "group", call.group);
                put_text(json, "collective", call.collective);
                put_text(json, "phase", call.phase);
                put_compared(json, "calls", call.calls);
                put_compared(json, "bytes", call.bytes);
            });
            print_objects(changes_.collectives, [](auto& json, const layers_line& layers) {
                put_text(json, "about", "layer_communication");
                put_layers(json, layers);
                put_text(json, "phase", layers.field);
                put_values(json, layers.before, layers.after);
                put_compared(json, "bytes", layers.bytes);
            });
        }
        if (changes_.shows("compute")) {
            for (std::size_t n = 0; n != time_count; ++n) {
                if (!changes_.sums.ticks[n].differs(s_.tolerance)) continue;
                print_object([&](auto& json) {
                    put_text(json, "about", "compute");
                    put_text(json, "phase", time_name(n));
                    put_compared(json, "ticks", changes_.sums.ticks[n]);
                });
            }
            print_objects(changes_.computes, [](auto& json, const layers_line& layers) {
                put_text(json, "about", "layer_compute");
                put_layers(json, layers);
                for (std::size_t n = 0; n != time_count; ++n) put_compared(json, time_name(n), layers.ticks[n]);
            });
        }
        if (s_.only.empty())
            print_objects(changes_.fields, [](auto& json, const layers_line& layers) {
                put_text(json, "about", "layer_field");
                put_layers(json, layers);
                put_text(json, "field", layers.field);
                put_values(json, layers.before, layers.after);
            });
    }

private:
    template <class Line> static void put_values(Line& json, const std::string& before, const std::string& after) {
        for (const bool second : {false, true}) {
            const std::string& text = second ? after : before;
            json.key(second ? "after" : "before");
            text.empty() ? json.null() : json.string(text);
        }
    }
    template <class Line> static void put_layers(Line& json, const layers_line& layers) {
        put_count(json, "times", layers.times);
        put_count(json, "at", layers.first);
        put_text(json, "layer", layers.name);
    }
    // Calls print(line) for each line that --top leaves.
    template <class Line, class Print> void print_objects(const std::vector<Line>& lines, const Print& print) const {
        const std::size_t shown = s_.top != 0 ? (std::min)(s_.top, lines.size()) : lines.size();
        for (std::size_t n = 0; n != shown; ++n) print_object([&](auto& json) { print(json, lines[n]); });
    }

    const workload_changes& changes_;
    const settings& s_;
};

}  // namespace tool

#endif
