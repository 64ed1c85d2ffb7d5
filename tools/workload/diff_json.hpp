// The differences between two workload files in lines of JSON: docs/diff.schema.json.
#ifndef WLFMT_TOOLS_WORKLOAD_DIFF_JSON_HPP
#define WLFMT_TOOLS_WORKLOAD_DIFF_JSON_HPP

#include "../command_line/settings.hpp"
#include "../output/compared.hpp"
#include "../output/json_print.hpp"
#include "changes.hpp"

namespace tool {

template <class Line> void put_values(Line& json, const std::string& before, const std::string& after) {
    for (const bool second : {false, true}) {
        const std::string& text = second ? after : before;
        json.key(second ? "after" : "before");
        text.empty() ? json.null() : json.string(text);
    }
}
template <class Line> void put_layers(Line& json, const layers_line& layers) {
    put_count(json, "times", layers.times);
    put_count(json, "at", layers.first);
    put_text(json, "layer", layers.name);
}
// Calls print(json, line) for the lines, or for as many as --top allows.
template <class Line, class Print>
void print_objects(const std::vector<Line>& lines, const settings& s, const Print& print) {
    const std::size_t shown = s.top != 0 ? (std::min)(s.top, lines.size()) : lines.size();
    for (std::size_t n = 0; n != shown; ++n) print_object([&](auto& json) { print(json, lines[n]); });
}

inline void print_workload_json(const workload_changes& changes, const settings& s) {
    const auto put_side = [&](auto& json, std::string_view key, const workload_changes::side& file) {
        put_object(json, key, [&] {
            put_text(json, "name", file.name);
            put_count(json, "layers", file.content.layers.size());
            put_flag(json, "is_whole", !file.is_cut);
        });
    };
    // Sums over all layers are limits if layers are missing.
    const auto put_sum = [&](auto& json, std::string_view key, const compared_sum& sum) {
        if (changes.is_whole()) return put_compared(json, key, sum);
        const auto [before, after] = changes.limits_of(sum);
        put_compared(json, key, before, after);
    };
    print_object([&](auto& json) {
        put_text(json, "format", name_of(wlfmt::file_format::workload));
        put_side(json, "before", changes.before());
        put_side(json, "after", changes.after());
        put_sum(json, "ticks", changes.sums.all_ticks);
        put_sum(json, "calls", changes.sums.all_calls);
        put_sum(json, "bytes", changes.sums.all_bytes);
        put_count(json, "same", changes.same);
        put_count(json, "renumbered", changes.renumbered);
        put_flag(json, "messages_compared", changes.side_without_messages() == nullptr);
        if (changes.match().knows_order()) put_flag(json, "reordered", changes.match().moved().has_value());
    });
    if (changes.shows("header"))
        print_objects(changes.header, s, [](auto& json, const wlfmt::analysis::diff::difference& d) {
            put_text(json, "about", "header");
            put_text(json, "key", d.field);
            put_values(json, d.before, d.after);
        });
    print_objects(changes.stretches, s, [](auto& json, const stretch_line& layers) {
        put_text(json, "about", "layers");
        put_text(json, "change", name_of(layers.change));
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
    if (changes.shows("communication")) {
        print_objects(changes.sums.calls, s, [&](auto& json, const call_line& call) {
            put_text(json, "about", "communication");
            put_text(json, "group", call.group);
            put_text(json, "collective", call.collective);
            put_text(json, "phase", call.phase);
            if (call.is_of_header) {
                put_compared(json, "calls", call.calls);
                put_compared(json, "bytes", call.bytes);
            } else {
                put_sum(json, "calls", call.calls);
                put_sum(json, "bytes", call.bytes);
            }
        });
        print_objects(changes.collectives, s, [](auto& json, const layers_line& layers) {
            put_text(json, "about", "layer_communication");
            put_layers(json, layers);
            put_text(json, "phase", layers.field);
            put_values(json, layers.before, layers.after);
            put_compared(json, "bytes", layers.bytes);
        });
    }
    if (changes.shows("compute")) {
        for (std::size_t n = 0; n != time_count; ++n) {
            if (!changes.sums.ticks[n].differs(s.tolerance)) continue;
            print_object([&](auto& json) {
                put_text(json, "about", "compute");
                put_text(json, "phase", time_name(n));
                put_sum(json, "ticks", changes.sums.ticks[n]);
            });
        }
        print_objects(changes.computes, s, [](auto& json, const layers_line& layers) {
            put_text(json, "about", "layer_compute");
            put_layers(json, layers);
            for (std::size_t n = 0; n != time_count; ++n) put_compared(json, time_name(n), layers.ticks[n]);
        });
    }
    if (s.only.empty())
        print_objects(changes.fields, s, [](auto& json, const layers_line& layers) {
            put_text(json, "about", "layer_field");
            put_layers(json, layers);
            put_text(json, "field", layers.field);
            put_values(json, layers.before, layers.after);
        });
}

}  // namespace tool

#endif
