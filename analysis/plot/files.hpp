// Pictures of a workload file and of a profiler table.
#ifndef WLFMT_ANALYSIS_PLOT_FILES_HPP
#define WLFMT_ANALYSIS_PLOT_FILES_HPP

#include <algorithm>
#include <map>

#include <wlfmt/parallelism.hpp>
#include "../profile/by_name.hpp"

#include "../draw/svg.hpp"
#include "../library.hpp"

namespace wlfmt::analysis {

// A bar for a phase of a layer: its computation, or the bytes that it communicates.
struct layer_part {
    std::size_t layer = 0;
    double size = 0;
    std::string kind;
    std::string title;
};

// The name of the collective's row in group_looks, after a blank; empty for an all-reduce, which has no row.
inline std::string look_of_collective(std::string_view token) {
    return token == "ALLREDUCE"       ? ""
           : token == "ALLGATHER"     ? " gather"
           : token == "REDUCESCATTER" ? " scatter"
           : token == "ALLTOALL"      ? " each"
                                      : " rest";
}

// The width of each layer's bar, with its margin.
inline double layer_step(std::size_t count) {
    return svg::inside / static_cast<double>((std::max)(count, std::size_t{1}));
}
// A panel with bars for each layer, on an axis whose lines the caller draws.
struct layer_panel {
    static constexpr double height = 170;

    layer_panel(svg& where, double y, std::size_t layers)
        : picture(where), top(y), bottom(y + height), step(layer_step(layers)) {
        picture.rectangle(svg::left, top, svg::inside, height, "lane");
    }
    // Call it for each bar before the axis is drawn.
    void add(std::size_t layer, double size) {
        if (size > greatest) highest = layer;
        greatest = (std::max)(greatest, size);
    }
    // Draws a line through the panel, with its value.
    void line(double above, std::string_view label) {
        const double y = bottom - above;
        picture.line(svg::left, y, svg::left + svg::inside, y);
        if (!label.empty()) picture.small_text(svg::left - 8, y + 4, label, "end");
    }
    // Writes the value of the highest bar above the panel, where it overlaps no bar.
    void value(std::string_view text) {
        picture.small_text(svg::left + svg::inside, top - 6, joined({"highest: ", text, ", layer ", highest}), "end");
    }
    void bar(const layer_part& p, double y, double size) {
        const double width = (std::max)(step - (step > 4 ? 1 : 0), 0.5);
        picture.rectangle(svg::left + step * static_cast<double>(p.layer), y, width, size, p.kind, p.title);
    }

    svg& picture;
    double top;
    double bottom;
    double step;
    double greatest = 0;      // the size of the highest bar
    std::size_t highest = 0;  // the layer of the first bar of that size
};
// Draws stacked bars on an axis with round numbers. A tick is a nanosecond, as in timelines.
inline double draw_stacked(svg& picture, double y, std::size_t layers, const std::vector<layer_part>& parts) {
    layer_panel panel(picture, y, layers);
    std::vector<double> sums(layers);
    for (const layer_part& p : parts) sums[p.layer] += p.size;
    for (std::size_t n = 0; n != layers; ++n) panel.add(n, sums[n]);
    const double greatest = panel.greatest;
    const auto [unit, suffix] = greatest >= 1e9   ? std::pair(1e9, " s")
                                : greatest >= 1e6 ? std::pair(1e6, " ms")
                                : greatest >= 1e3 ? std::pair(1e3, " us")
                                                  : std::pair(1.0, " ns");
    const double tick = axis_step(greatest / unit, 5) * unit;
    const int ticks = std::isfinite(greatest) ? static_cast<int>(greatest / tick * (1 + 1e-9)) : 0;
    for (int n = 0; n <= ticks; ++n)
        panel.line(greatest > 0 ? layer_panel::height * (tick * n) / greatest : 0,
                   fixed_text(tick * n / unit, axis_decimals(tick / unit)) + suffix);
    if (!(greatest > 0)) return panel.bottom;
    panel.value(fixed_text(greatest / unit, unit > 1 ? 3 : 0) + suffix);
    std::vector<double> tops(layers, panel.bottom);
    for (const layer_part& p : parts) {
        if (!(p.size > 0)) continue;
        const double size = layer_panel::height * p.size / greatest;
        tops[p.layer] -= size;
        panel.bar(p, tops[p.layer], size);
    }
    return panel.bottom;
}
inline std::string whole_bytes_text(double bytes) {
    std::string text = bytes_text(bytes);
    if (const std::size_t fraction = text.find(".0"); fraction != std::string::npos)
        text.erase(fraction, text.find(' ') - fraction);
    return text;
}
// Draws bars from a common line on a logarithmic axis, the smaller bars of a layer in front of the greater ones.
inline double draw_logarithmic(svg& picture, double y, std::size_t layers, std::vector<layer_part> parts) {
    layer_panel panel(picture, y, layers);
    std::stable_sort(parts.begin(), parts.end(), [](const layer_part& a, const layer_part& b) {
        return a.layer != b.layer ? a.layer < b.layer : a.size > b.size;
    });
    double least = 0;
    for (const layer_part& p : parts) {
        panel.add(p.layer, p.size);
        least = least > 0 ? (std::min)(least, p.size) : p.size;
    }
    if (parts.empty()) return panel.bottom;
    // Powers of 16 have round names in bytes: 1 KiB, 16 KiB, 256 KiB, 4 MiB.
    const int first = static_cast<int>(std::floor(std::log2(least) / 4)) - 1;
    const double last = (std::max)(std::log2(panel.greatest) / 4, first + 1.0);
    const auto height_of = [&](double bytes) {
        return layer_panel::height * (std::log2(bytes) / 4 - first) / (last - first);
    };
    for (int power = first; power <= last; ++power)
        panel.line(height_of(std::exp2(4 * power)), power >= 0 ? whole_bytes_text(std::exp2(4 * power)) : "");
    panel.value(bytes_text(panel.greatest));
    for (const layer_part& p : parts) panel.bar(p, panel.bottom - height_of(p.size), height_of(p.size));
    return panel.bottom;
}

// A block of `period` layers that occurs `count` times in a row, identical except for the digits in the layers' names.
struct repeated_layers {
    std::size_t begin;
    std::size_t period;
    std::size_t count;
    std::size_t end() const noexcept { return begin + period * count; }
};
// Finds the repetition that covers the most layers, then those in the stretches before and after it.
inline std::vector<repeated_layers> find_repeated(const std::vector<std::size_t>& kinds) {
    constexpr std::size_t max_brackets = 16;
    constexpr std::size_t max_period = 64;
    std::vector<repeated_layers> found;
    std::vector<std::pair<std::size_t, std::size_t>> stretches{{0, kinds.size()}};
    while (!stretches.empty() && found.size() != max_brackets) {
        const auto [begin, end] = stretches.back();
        stretches.pop_back();
        repeated_layers best{begin, 0, 0};
        for (std::size_t period = 1; period <= max_period && 2 * period <= end - begin; ++period)
            for (std::size_t n = begin; n + period < end; ++n) {
                const std::size_t from = n;
                while (n + period < end && kinds[n] == kinds[n + period]) ++n;
                const std::size_t count = (n - from) / period + 1;
                if (count > 1 && count * period > best.count * best.period) best = {from, period, count};
            }
        if (best.count < 2) continue;
        found.push_back(best);
        // The stretch before the repetition is added last, so it is searched next.
        stretches.emplace_back(best.end(), end);
        stretches.emplace_back(begin, best.begin);
    }
    return found;
}
// The layers' names without digits, and for each layer a number that equal layers share.
inline std::pair<std::vector<std::string>, std::vector<std::size_t>> kinds_of_layers(const workload::document& doc) {
    std::pair<std::vector<std::string>, std::vector<std::size_t>> kinds;
    std::map<std::string, std::size_t> numbers;
    for (const workload::layer& l : doc.layers) {
        std::string kind;
        for (const char c : l.name)
            if (c < '0' || c > '9') kind += c;
        std::string words = kind;
        for (const workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad})
            append(words, {"\t", exact_text(p->compute.value_or(0.0)), "\t", p->comm, "\t",
                           exact_text(p->bytes.value_or(0.0))});
        append(words, {"\t", exact_text(l.update.value_or(0.0))});
        kinds.second.push_back(numbers.try_emplace(words, numbers.size()).first->second);
        kinds.first.push_back(std::move(kind));
    }
    return kinds;
}
// Draws, below the panels, as many of the layers' names as fit, and brackets around repeated layers.
inline double draw_layer_names(svg& picture, double y, const workload::document& doc) {
    const double step = layer_step(doc.layers.size());
    const auto [kinds, numbers] = kinds_of_layers(doc);
    const std::vector<repeated_layers> repeated = find_repeated(numbers);
    const auto is_repeated = [&](std::size_t n) {
        return std::any_of(repeated.begin(), repeated.end(),
                           [n](const auto& r) { return n >= r.begin && n < r.end(); });
    };
    constexpr double tiny_size = 9.5;
    double longest = 0;
    double last_named = -100;  // the x of the last name
    for (std::size_t n = 0; n != doc.layers.size(); ++n) {
        const double x = svg::left + step * (static_cast<double>(n) + 0.5);
        // If not all names fit, those of repeated layers are below their bracket instead.
        if (x < last_named + 9 || (step < 9 && is_repeated(n))) continue;
        last_named = x;
        const std::string shown = cut_short(doc.layers[n].name, 24);
        longest = (std::max)(longest, width_of(shown, tiny_size));
        picture.slanted(x + 3, y + 6, shown, 90, "end", "tiny");
    }
    y += 14 + longest;
    bool any = false;
    for (const repeated_layers& r : repeated) {
        const double from = svg::left + step * static_cast<double>(r.begin) + 1;
        const double end = svg::left + step * static_cast<double>(r.end()) - 1;
        std::string label = joined({r.count, " x ", r.period, r.period == 1 ? " layer" : " layers"});
        if (end - from < 12) continue;
        any = true;
        picture.path(joined({"M", coordinate(from), " ", coordinate(y), "v6h", coordinate(end - from), "v-6"}), "line");
        std::vector<std::string> in_block;
        for (std::size_t n = r.begin; step < 9 && n != r.begin + r.period; ++n) {
            if (std::find(in_block.begin(), in_block.end(), kinds[n]) != in_block.end()) continue;
            const std::string longer = joined({label, in_block.empty() ? ": " : ", ", kinds[n]});
            if (6.6 * static_cast<double>(longer.size()) > end - from) break;
            label = longer;
            in_block.push_back(kinds[n]);
        }
        const bool fits = end - from > 6.6 * static_cast<double>(label.size());
        picture.small_text((from + end) / 2, y + 20, fits ? label : joined({r.count, "x"}), "middle");
    }
    return any ? y + 36 : y + 8;
}

// What is drawn of a workload's layers, and the sums of their bytes by collective and group.
struct workload_parts {
    const std::vector<legend_entry> phases = {
        {"forward", "forward"}, {"backward", "input gradient"}, {"weight", "weight gradient"}};
    std::vector<layer_part> compute;
    std::vector<layer_part> bytes;
    std::map<std::string, layer_part> kinds;
    std::map<std::string, double> alone;  // the bytes of groups of one rank, which send nothing

    explicit workload_parts(const workload::document& doc) {
        const parallelism::sizes sizes = *parallelism::sizes_of(doc.header, {});
        for (std::size_t layer = 0; layer != doc.layers.size(); ++layer)
            for (std::size_t number = 0; number != phases.size(); ++number)
                add(layer, doc.layers[layer], number, sizes);
    }

private:
    void add(std::size_t position, const workload::layer& layer, std::size_t number, const parallelism::sizes& sizes) {
        const legend_entry& phase = phases[number];
        const workload::phase& p = layer.*workload::phase_rows[number].member;
        const std::string where = joined({"layer ", position, ": ", layer.name, "\n"});
        const double ticks = p.compute.value_or(0.0);
        compute.push_back({position, ticks, std::string(phase.colour),
                           joined({where, phase.label, ", ", fixed_text(ticks, 0), " ticks"})});
        const double moved = p.bytes.value_or(0.0);
        if (!(moved > 0)) return;
        const std::string_view token =
            p.comm.substr(0, p.comm.substr(0, 7) == "REDUCE_" ? p.comm.size() : p.comm.find('_'));
        // An unknown collective, or none, counts in the group in which a known one would be.
        const auto group_number =
            parallelism::group_of(static_cast<parallelism::phase>(number),
                                  {workload::collective::allreduce, workload::communication_of(p.comm).group});
        const legend_entry groups[] = {{"tp", "TP"}, {"dp", "DP"}, {"exp", "EP"}, {"ep_dp", "DP_EP"}};
        const legend_entry& group = groups[static_cast<std::size_t>(*group_number)];
        const std::string kind = joined({token, " ", group.label});
        if (sizes.known() && parallelism::layout(sizes).size(*group_number) == 1) {
            alone[kind] += moved;
            return;
        }
        layer_part& sum = kinds[kind];
        sum.size += moved;
        sum.kind = joined({group.colour, look_of_collective(token)});
        bytes.push_back({position, moved, sum.kind,
                         joined({where, kind, ", ", phase.label, ", ", fixed_text(moved, 0), " bytes"})});
    }
};

// Draws a bar for each kind of communication. Returns where it ends, as the other functions that draw do.
inline double draw_sums(svg& picture, double y, const workload_parts& parts) {
    picture.text(svg::left, y, "bytes by collective and group");
    y += 10;
    double highest = 1;
    for (const auto& kind : parts.kinds) highest = (std::max)(highest, kind.second.size);
    for (const auto& [kind, part] : parts.kinds) {
        const double length = (svg::inside - 110) * part.size / highest;
        picture.name(y + 14.5, kind);
        const std::string tooltip = joined({kind, "\n", fixed_text(part.size, 0), " bytes"});
        picture.rectangle(svg::left, y, (std::max)(length, 0.5), 20, part.kind, tooltip);
        picture.small_text(svg::left + length + 8, y + 14.5, bytes_text(part.size));
        y += 24;
    }
    for (const auto& [kind, moved] : parts.alone) {
        picture.name(y + 14.5, kind);
        picture.small_text(svg::left, y + 14.5, bytes_text(moved) + " in groups of one rank, which send nothing");
        y += 24;
    }
    return y;
}

inline std::string picture_of(const workload::document& doc, std::string_view title) {
    const workload_parts parts(doc);
    svg picture;
    const std::string about = joined({doc.header.policy, ", ", doc.layers.size(), " layers"});
    picture.heading(title.empty() ? std::string_view(about) : title);
    if (!title.empty()) picture.small_text(svg::left, 48, about);
    picture.text(svg::left, 76, "compute of each layer; a tick is shown as a nanosecond");
    double y = picture.legend(86, parts.phases);
    y = draw_stacked(picture, y, doc.layers.size(), parts.compute) + 30;
    picture.text(svg::left, y, "bytes that each layer communicates; the axis is logarithmic");
    std::vector<legend_entry> entries;
    entries.reserve(parts.kinds.size());
    for (const auto& [kind, part] : parts.kinds) entries.push_back({part.kind, kind});
    y = entries.empty() ? y + 10 : picture.legend(y + 10, entries);
    y = draw_logarithmic(picture, y, doc.layers.size(), parts.bytes);
    y = draw_layer_names(picture, y, doc) + 24;
    y = draw_sums(picture, y, parts);
    return picture.finish(y + 16, title.empty() ? std::string_view("Compute and communication of a workload") : title);
}

inline constexpr std::size_t max_plot_rows = 24;

// The rows of one kind. Kinds are shown separately, as their times must not be added up.
struct table_panel {
    row_kind kind;
    std::string_view id;       // the name of its section in a page
    std::string_view title;    // the heading of its rows in a picture
    std::string_view row;      // what a row is
    std::string_view meaning;  // a sentence about the rows
};
inline constexpr table_panel table_panels[] = {
    {row_kind::operation, "operators", "operators", "operator", "What the program called."},
    {row_kind::kernel, "kernels", "kernels", "kernel",
     "What ran on the device; operators that launched it have its time, too."},
    {row_kind::device, "device-rows", "device rows", "device row",
     "Kernels, or spans on the device that were given a name: their names do not tell."},
    {row_kind::annotation, "annotations", "annotations on the device", "annotation",
     "Spans on the device that were given a name."},
    {row_kind::span, "spans", "spans of the program", "span",
     "Parts of the program that were given a name; their time is the program's own, not that of what it called."}};

// The names, shortened to `longest` characters. Names that would then look the same show the part where they differ.
inline std::vector<std::string> distinct_labels(const std::vector<const named_rows*>& names, std::size_t longest) {
    std::vector<std::string> labels;
    labels.reserve(names.size());
    for (const named_rows* row : names) labels.push_back(shortened(row->name, longest));
    const std::vector<std::string> before = labels;
    for (std::size_t n = 0; n != names.size(); ++n) {
        const std::string_view name = names[n]->name;
        std::size_t same = 0;  // the size of the longest beginning shared with a name that has this label
        for (std::size_t other = 0; other != names.size(); ++other) {
            if (other == n || before[other] != before[n]) continue;
            const std::string_view that = names[other]->name;
            std::size_t at = 0;
            while (at < (std::min)(name.size(), that.size()) && name[at] == that[at]) ++at;
            same = (std::max)(same, at);
        }
        constexpr std::size_t head = 8;
        if (same <= head + 2) continue;
        const std::string_view rest = name.substr(character_start(name, count_characters(name.substr(0, same)) - 2));
        labels[n] = joined({name.substr(0, character_start(name, head)), "..", cut_short(rest, longest - head - 2)});
    }
    return labels;
}

// Draws the heaviest names of one kind, on the axis that all kinds share. Returns the y below them.
inline double draw_named_rows(svg& picture, double y, std::string_view title, std::string_view column,
                              std::vector<const named_rows*> names, double range) {
    const std::size_t count = names.size();
    names.resize((std::min)(count, max_plot_rows));
    std::string heading(title);
    if (names.size() < count) append(heading, {": ", names.size(), " of ", count, " names"});
    append(heading, {", by ", column});
    picture.text(svg::left, y + 12, heading);
    y += 22;
    const double bars_width = svg::inside - 320;
    // The axis has the same unit as the numbers beside the bars.
    const column_unit values = unit_of_column(range);
    const auto in_unit = [&](const bounded& sum) {
        return message(sum, [&](double us) { return joined({values.text((std::max)(us, 0.0)), " ", values.name}); });
    };
    const double bottom = y + 24 * static_cast<double>(names.size());
    draw_axis(picture, y, bottom, range / values.size, bars_width / (range / values.size), values.name);
    const std::vector<std::string> labels = distinct_labels(names, 26);
    for (std::size_t n = 0; n != names.size(); ++n) {
        const named_rows& row = *names[n];
        const double own = (std::max)(row.weight.number(), 0.0);
        const double total = (std::max)(row.total.number(), 0.0);
        const auto in_own_unit = [](double us) { return microseconds_text((std::max)(us, 0.0)); };
        std::string about = joined({row.name, "\nself ", message(row.weight, in_own_unit)});
        if (row.share) append(about, {", ", fixed_text(*row.share, 2), " %"});
        if (total > 0 || !row.total.is_exact()) append(about, {", total ", message(row.total, in_own_unit)});
        if (row.rows > 1) append(about, {", ", row.rows, " rows"});
        picture.name(y + 14.5, labels[n]);
        picture.rectangle(svg::left, y, (std::max)(bars_width * total / range, 0.5), 20, "total", about);
        picture.rectangle(svg::left, y + 4, (std::max)(bars_width * own / range, 0.5), 12, "self", about);
        std::string value = in_unit(row.weight);
        if (row.share) append(value, {", ", fixed_text(*row.share, 1), " %"});
        if (total > own || !row.total.is_exact()) append(value, {"; ", in_unit(row.total), " in all"});
        picture.small_text(svg::left + bars_width * (std::max)(own, total) / range + 8, y + 14.5, value);
        y += 24;
    }
    return y + 40;
}

// Draws operators, kernels and annotations separately, all of them relative to the total that the table names, if any.
inline std::string picture_of(const table::profile& profile, std::string_view given) {
    const by_name names(profile);
    svg picture;
    const std::string_view heading = given.empty() ? std::string_view("The heaviest names of a table") : given;
    picture.heading(heading);
    if (names.weight() == names.none) {
        picture.small_text(svg::left, 48,
                           counted_text(profile.size(), "row") + "; no column of times measured anything");
        return picture.finish(72, heading);
    }
    const std::string_view column = profile.columns[names.weight()].name;
    double range = (std::max)(1e-3, names.total());
    // Spans of annotations and times of several streams may exceed the total.
    for (const table_panel& p : table_panels)
        for (const named_rows* row : names.heaviest(p.kind))
            range = (std::max)({range, row->weight.number(), row->total.number()});
    std::string about = counted_text(profile.size(), "row");
    if (names.total() > 0)
        append(about,
               {"; parts of ", microseconds_text(names.total()), ", which the table names as the total of ", column});
    picture.small_text(svg::left, 48, about);
    std::vector<legend_entry> entries{{"self", std::string(column)}};
    if (names.total_column() != names.none)
        entries.push_back({"total", std::string(profile.columns[names.total_column()].name)});
    double y = picture.legend(60, entries);
    for (const table_panel& p : table_panels)
        if (std::vector<const named_rows*> rows = names.heaviest(p.kind); !rows.empty())
            y = draw_named_rows(picture, y, p.title, column, std::move(rows), range);
    return picture.finish(y, heading);
}

}  // namespace wlfmt::analysis

#endif
