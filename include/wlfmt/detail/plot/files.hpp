// Drawing a workload file and a profiler table.
#ifndef WLFMT_DETAIL_PLOT_FILES_HPP
#define WLFMT_DETAIL_PLOT_FILES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../by_name.hpp"
#include "../../table.hpp"
#include "../../workload.hpp"
#include "../base/order.hpp"
#include "../draw/svg.hpp"
#include "../summary/ordered_map.hpp"
#include "../trace/workload.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail { inline namespace WLFMT_IMPL {

// A part of a layer: the bar of a phase, or of what it communicates.
struct layer_part {
    double size;
    std::string kind;
    std::string title;
};
using layer_parts = std::vector<std::vector<layer_part>>;

// Collectives of one group share its colour in several strengths.
inline std::string look_of_collective(std::string_view token) {
    return token == "ALLREDUCE"       ? ""
           : token == "ALLGATHER"     ? " gather"
           : token == "REDUCESCATTER" ? " scatter"
           : token == "ALLTOALL"      ? " each"
                                      : " rest";
}

inline double layer_step(std::size_t count) {
    return svg::inside / static_cast<double>((std::max)(count, std::size_t{1}));
}
// The highest bar has its value: the first of the highest ones, at its top or beside it.
inline void draw_value(svg& to, double y, std::size_t layer, std::size_t count, const std::string& value) {
    const double x = svg::left + layer_step(count) * (static_cast<double>(layer) + 1) + 4;
    const bool fits = x + width_of(value, sizes_of_type::small_text) < svg::left + svg::inside;
    to.text(fits ? x : x - layer_step(count) - 8, y, value, fits ? "start" : "end", "small");
}
// A panel with a bar for each layer, stacked from its parts, on an axis with round numbers. A tick is a nanosecond, as
// in timelines.
inline double draw_stacked(svg& to, double y, const layer_parts& layers) {
    constexpr double height = 170;
    double most = 0;
    std::size_t highest = 0;
    for (std::size_t n = 0; n != layers.size(); ++n) {
        double sum = 0;
        for (const layer_part& p : layers[n]) sum += p.size;
        if (sum > most) highest = n;
        most = (std::max)(most, sum);
    }
    const std::pair<double, const char*> unit = most >= 1e9   ? std::pair(1e9, " s")
                                                : most >= 1e6 ? std::pair(1e6, " ms")
                                                : most >= 1e3 ? std::pair(1e3, " us")
                                                              : std::pair(1.0, " ns");
    to.rectangle(svg::left, y, svg::inside, height, "lane");
    const double tick = axis_step(most / unit.first, 5) * unit.first;
    const auto ticks = static_cast<int>(most / tick * (1 + 1e-9));
    for (int n = 0; n <= ticks; ++n) {
        const double at = tick * n;
        const double line = y + height - (most > 0 ? height * at / most : 0);
        to.line(svg::left, line, svg::left + svg::inside, line);
        to.text(svg::left - 8, line + 4, fixed_text(at / unit.first, axis_decimals(tick / unit.first)) + unit.second,
                "end", "small");
    }
    if (most > 0)
        draw_value(to, y + 11, highest, layers.size(),
                   fixed_text(most / unit.first, unit.first > 1 ? 3 : 0) + unit.second);
    const double step = layer_step(layers.size());
    const double gap = step > 4 ? 1 : 0;
    for (std::size_t n = 0; n != layers.size(); ++n) {
        double at = y + height;
        for (const layer_part& p : layers[n]) {
            if (!(p.size > 0) || !(most > 0)) continue;
            const double size = height * p.size / most;
            at -= size;
            to.rectangle(svg::left + step * static_cast<double>(n), at, (std::max)(step - gap, 0.5), size, p.kind,
                         p.title);
        }
    }
    return y + height;
}
inline std::string whole_bytes_text(double bytes) {
    std::string text = bytes_text(bytes);
    if (const std::size_t fraction = text.find(".0"); fraction != std::string::npos) text.erase(fraction, 2);
    return text;
}
// A panel with bars that begin at one line, on a logarithmic axis. The smaller bars of a layer are drawn in front of
// the greater ones.
inline double draw_logarithmic(svg& to, double y, layer_parts layers) {
    constexpr double height = 170;
    double least = 0;
    double most = 0;
    std::size_t highest = 0;
    for (auto& parts : layers) {
        sort_list(parts, [](const layer_part& a, const layer_part& b) { return a.size > b.size; });
        if (parts.empty()) continue;
        if (parts.front().size > most) highest = static_cast<std::size_t>(&parts - layers.data());
        most = (std::max)(most, parts.front().size);
        least = least > 0 ? (std::min)(least, parts.back().size) : parts.back().size;
    }
    to.rectangle(svg::left, y, svg::inside, height, "lane");
    if (!(most > 0)) return y + height;
    // Powers of 16 have round names in bytes: 1 KiB, 16 KiB, 256 KiB, 4 MiB.
    const int first = static_cast<int>(std::floor(std::log2(least) / 4)) - 1;
    const double last = (std::max)(std::log2(most) / 4, first + 1.0);
    const auto height_of = [&](double bytes) { return height * (std::log2(bytes) / 4 - first) / (last - first); };
    for (int power = first; power <= last; ++power) {
        const double line = y + height - height_of(std::exp2(4 * power));
        to.line(svg::left, line, svg::left + svg::inside, line);
        if (power >= 0) to.text(svg::left - 8, line + 4, whole_bytes_text(std::exp2(4 * power)), "end", "small");
    }
    draw_value(to, y + 11, highest, layers.size(), bytes_text(most));
    const double step = layer_step(layers.size());
    const double gap = step > 4 ? 1 : 0;
    for (std::size_t n = 0; n != layers.size(); ++n)
        for (const layer_part& p : layers[n]) {
            const double size = height_of(p.size);
            to.rectangle(svg::left + step * static_cast<double>(n), y + height - size, (std::max)(step - gap, 0.5),
                         size, p.kind, p.title);
        }
    return y + height;
}

// Layers that repeat: `count` times `period` layers that are equal, but for digits in their names.
struct repeated_layers {
    std::size_t begin;
    std::size_t period;
    std::size_t count;
};
// Finds the repetition that covers the most layers, and then those in the stretches before and after it.
inline std::vector<repeated_layers> find_repeated(const std::vector<std::size_t>& kinds) {
    constexpr std::size_t most_brackets = 16;
    constexpr std::size_t most_period = 64;
    std::vector<repeated_layers> found;
    std::vector<std::pair<std::size_t, std::size_t>> stretches{{0, kinds.size()}};
    while (!stretches.empty() && found.size() != most_brackets) {
        const auto [begin, end] = stretches.back();
        stretches.pop_back();
        repeated_layers best{begin, 0, 0};
        for (std::size_t period = 1; period <= most_period && 2 * period <= end - begin; ++period)
            for (std::size_t n = begin; n + period < end; ++n) {
                const std::size_t from = n;
                while (n + period < end && kinds[n] == kinds[n + period]) ++n;
                const std::size_t count = (n - from) / period + 1;
                if (count > 1 && count * period > best.count * best.period) best = {from, period, count};
            }
        if (best.count < 2) continue;
        found.push_back(best);
        // The last one of the list is searched next: the stretch before it.
        stretches.emplace_back(best.begin + best.period * best.count, end);
        stretches.emplace_back(begin, best.begin);
    }
    return found;
}
// The layers' names without digits, and a number for each that equal layers share.
inline std::pair<std::vector<std::string>, std::vector<std::size_t>> kinds_of_layers(const workload::document& doc) {
    std::pair<std::vector<std::string>, std::vector<std::size_t>> to;
    ordered_map<std::string, std::size_t> numbers;
    for (const workload::layer& l : doc.layers) {
        std::string kind;
        for (const char c : l.name)
            if (c < '0' || c > '9') kind += c;
        std::string all = kind;
        for (const workload::phase* p : {&l.forward, &l.input_grad, &l.weight_grad})
            all.append("\t")
                .append(exact_text(p->compute.value_or(0.0)))
                .append("\t")
                .append(p->comm)
                .append("\t")
                .append(exact_text(p->bytes.value_or(0.0)));
        to.second.push_back(
            numbers.try_emplace(all + "\t" + exact_text(l.update.value_or(0.0)), numbers.size()).first->second);
        to.first.push_back(std::move(kind));
    }
    return to;
}
// Below the panels: the layers' names as far as there is room, and brackets around what repeats.
inline double draw_layer_names(svg& to, double y, const workload::document& doc) {
    const double step = layer_step(doc.layers.size());
    const auto kinds_and_numbers = kinds_of_layers(doc);
    const std::vector<std::string>& kinds = kinds_and_numbers.first;
    const std::vector<repeated_layers> repeated = find_repeated(kinds_and_numbers.second);
    const auto is_repeated = [&](std::size_t n) {
        return std::any_of(repeated.begin(), repeated.end(),
                           [n](const repeated_layers& r) { return n >= r.begin && n < r.begin + r.period * r.count; });
    };
    std::size_t longest = 0;
    double named = -100;
    for (std::size_t n = 0; n != doc.layers.size(); ++n) {
        const double x = svg::left + step * (static_cast<double>(n) + 0.5);
        // Where there is no room for all names, those of layers that repeat are beside their bracket.
        if (x < named + 9 || (step < 9 && is_repeated(n))) continue;
        named = x;
        constexpr std::size_t most = 24;
        const std::string_view name = doc.layers[n].name;
        const std::size_t end = count_characters(name) <= most ? name.size() : character_start(name, most - 2);
        const std::string shown = std::string(name.substr(0, end)) + (end == name.size() ? "" : "..");
        longest = (std::max)(longest, count_characters(shown));
        to.slanted(x + 3, y + 6, shown, 90, "end", "tiny");
    }
    y += 14 + 5.4 * static_cast<double>(longest);
    bool any = false;
    for (const repeated_layers& r : repeated) {
        const double from = svg::left + step * static_cast<double>(r.begin) + 1;
        const double end = svg::left + step * static_cast<double>(r.begin + r.period * r.count) - 1;
        std::string label =
            std::to_string(r.count) + " x " + std::to_string(r.period) + (r.period == 1 ? " layer" : " layers");
        if (end - from < 12) continue;
        any = true;
        to.bracket(from, end, y);
        std::vector<std::string> in_block;
        for (std::size_t n = r.begin; step < 9 && n != r.begin + r.period; ++n)
            if (std::find(in_block.begin(), in_block.end(), kinds[n]) == in_block.end()) in_block.push_back(kinds[n]);
        for (std::size_t n = 0; n != in_block.size(); ++n) {
            const std::string longer = label + (n == 0 ? ": " : ", ") + in_block[n];
            if (6.6 * static_cast<double>(longer.size()) > end - from) break;
            label = longer;
        }
        const bool fits = end - from > 6.6 * static_cast<double>(label.size());
        to.text((from + end) / 2, y + 20, fits ? label : std::to_string(r.count) + "x", "middle", "small");
    }
    return any ? y + 36 : y + 8;
}

inline std::string picture_of(const workload::document& doc, std::string_view title) {
    svg to;
    struct look {
        std::string_view name;
        std::string_view colour;
    };
    static constexpr look phases[] = {
        {"forward", "forward"}, {"input gradient", "backward"}, {"weight gradient", "weight"}};
    static constexpr look groups[] = {{"", ""}, {"TP", "tp"}, {"DP", "dp"}, {"EP", "exp"}, {"DP_EP", "ep_dp"}};
    layer_parts compute(doc.layers.size());
    layer_parts bytes(doc.layers.size());
    struct sent {
        double bytes = 0;
        std::string look;
    };
    ordered_map<std::string, sent> kinds;
    const auto add = [&](std::size_t n, std::size_t phase, const workload::phase& p, pass pass) {
        const std::string where = "layer " + std::to_string(n) + ": " + std::string(doc.layers[n].name) + "\n";
        const std::string name(phases[phase].name);
        const double ticks = p.compute.value_or(0.0);
        compute[n].push_back(
            {ticks, std::string(phases[phase].colour), where + name + ", " + fixed_text(ticks, 0) + " ticks"});
        const double moved = p.bytes.value_or(0.0);
        if (!(moved > 0)) return;
        const workload::communication c = workload::communication_of(p.comm);
        const std::string_view token =
            p.comm.substr(0, p.comm.substr(0, 7) == "REDUCE_" ? p.comm.size() : p.comm.find('_'));
        const look& group = groups[static_cast<std::size_t>(track_of(c, pass)) - 1];
        const std::string kind = std::string(token) + " " + std::string(group.name);
        sent& all = kinds[kind];
        all.bytes += moved;
        all.look = std::string(group.colour) + look_of_collective(token);
        bytes[n].push_back({moved, all.look, where + kind + ", " + name + ", " + fixed_text(moved, 0) + " bytes"});
    };
    for (std::size_t n = 0; n != doc.layers.size(); ++n) {
        const workload::layer& l = doc.layers[n];
        add(n, 0, l.forward, pass::forward);
        add(n, 1, l.input_grad, pass::input_grad);
        add(n, 2, l.weight_grad, pass::weight_grad);
    }
    const std::string about = std::string(doc.header().policy) + ", " + std::to_string(doc.layers.size()) + " layers";
    to.heading(title.empty() ? std::string_view(about) : title);
    if (!title.empty()) to.text(svg::left, 48, about, "start", "small");
    std::vector<std::pair<std::string, std::string>> entries;
    for (const look& p : phases) entries.emplace_back(p.colour, p.name);
    to.text(svg::left, 76, "compute of each layer; a tick is shown as a nanosecond");
    double y = to.legend(86, entries);
    y = draw_stacked(to, y, compute) + 30;
    to.text(svg::left, y, "bytes that each layer communicates; the axis is logarithmic");
    entries.clear();
    for (const auto& [kind, all] : kinds) entries.emplace_back(all.look, kind);
    y = entries.empty() ? y + 10 : to.legend(y + 10, entries);
    y = draw_logarithmic(to, y, bytes);
    y = draw_layer_names(to, y, doc) + 24;
    to.text(svg::left, y, "bytes by collective and group");
    y += 10;
    double most = 1;
    for (const auto& kind : kinds) most = (std::max)(most, kind.second.bytes);
    for (const auto& [kind, all] : kinds) {
        const double length = (svg::inside - 110) * all.bytes / most;
        to.name(y + 14.5, kind);
        to.rectangle(svg::left, y, (std::max)(length, 0.5), 20, all.look,
                     kind + "\n" + fixed_text(all.bytes, 0) + " bytes");
        to.text(svg::left + length + 8, y + 14.5, bytes_text(all.bytes), "start", "small");
        y += 24;
    }
    return to.finish(y + 16, title.empty() ? std::string_view("Compute and communication of a workload") : title);
}

inline constexpr std::size_t most_rows = 24;

// Names as there is room for them. Of names that would look the same, what is shown is where they differ.
inline std::vector<std::string> distinct_labels(const std::vector<const table::named_rows*>& names, std::size_t most) {
    std::vector<std::string> labels;
    labels.reserve(names.size());
    for (const table::named_rows* one : names) labels.push_back(shortened(one->name, most));
    const std::vector<std::string> before = labels;
    for (std::size_t n = 0; n != names.size(); ++n) {
        const std::string_view name = names[n]->name;
        std::size_t same = 0;  // the first bytes of the name that another one of this label has, too
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
        const std::size_t room = most - head - 2;
        labels[n] =
            std::string(name.substr(0, character_start(name, head))) + ".." +
            (count_characters(rest) <= room ? std::string(rest)
                                            : std::string(rest.substr(0, character_start(rest, room - 2))) + "..");
    }
    return labels;
}

// The heaviest names of one kind, on the axis that all kinds share. Returns the y after them.
inline double draw_named_rows(svg& to, double y, std::string_view title, std::string_view column,
                              std::vector<const table::named_rows*> names, double range) {
    const std::size_t all = names.size();
    names.resize((std::min)(all, most_rows));
    to.text(svg::left, y + 12,
            std::string(title) +
                (names.size() < all ? ": " + std::to_string(names.size()) + " of " + std::to_string(all) + " names, by "
                                    : ", by ") +
                std::string(column));
    y += 22;
    const double room = svg::inside - 230;
    const bool seconds = range >= 1e6;
    const double shown = range / (seconds ? 1e6 : 1e3);
    const double height = 24 * static_cast<double>(names.size());
    draw_axis(to, y, y + height, shown, room / shown, seconds ? "s" : "ms");
    const std::vector<std::string> labels = distinct_labels(names, 26);
    for (std::size_t n = 0; n != names.size(); ++n) {
        const double own = (std::max)(names[n]->weight, 0.0);
        const double total = (std::max)(names[n]->total.value_or(0), 0.0);
        const auto part = names[n]->share;
        std::string about = names[n]->name + "\nself " + microseconds_text(own);
        if (part) about += ", " + fixed_text(*part, 2) + " %";
        if (total > 0) about += ", total " + microseconds_text(total);
        if (names[n]->rows > 1) about += ", " + std::to_string(names[n]->rows) + " rows";
        to.name(y + 14.5, labels[n]);
        to.rectangle(svg::left, y, (std::max)(room * total / range, 0.5), 20, "total", about);
        to.rectangle(svg::left, y + 4, (std::max)(room * own / range, 0.5), 12, "self", about);
        std::string value = microseconds_text(own);
        if (part) value += ", " + fixed_text(*part, 1) + " %";
        if (total > own) value += "; " + microseconds_text(total) + " in all";
        to.text(svg::left + room * (std::max)(own, total) / range + 8, y + 14.5, value, "start", "small");
        y += 24;
    }
    return y + 40;
}

// Kinds apart, as their times do not add up; all bars are parts of the total that the table names, if it names one.
inline std::string picture_of(const table::profile& one, std::string_view given) {
    const table::by_name names(one);
    svg to;
    const std::string_view heading = given.empty() ? std::string_view("The heaviest names of a table") : given;
    to.heading(heading);
    if (names.weight() == names.none) {
        to.text(svg::left, 48, counted_text(one.size(), "row") + "; no column of times measured anything", "start",
                "small");
        return to.finish(72, heading);
    }
    constexpr std::pair<row_kind, std::string_view> kinds[] = {{row_kind::operation, "operators"},
                                                               {row_kind::kernel, "kernels"},
                                                               {row_kind::annotation, "annotations on the device"}};
    const std::string_view column = one.columns[names.weight()].name;
    double most = 1e-3;
    for (const auto& [kind, title] : kinds)
        for (const table::named_rows* row : names.heaviest(kind))
            most = (std::max)({most, row->weight, row->total.value_or(0)});
    std::string about = counted_text(one.size(), "row");
    if (names.total() > 0)
        about += "; parts of " + microseconds_text(names.total()) + ", which the table names as the total of " +
                 std::string(column);
    to.text(svg::left, 48, about, "start", "small");
    std::vector<std::pair<std::string, std::string>> entries{{"self", std::string(column)}};
    if (names.total_column() != names.none)
        entries.emplace_back("total", std::string(one.columns[names.total_column()].name));
    double y = to.legend(60, entries);
    // Spans of annotations, and times of several streams, may be more than the total.
    const double range = (std::max)(most, names.total());
    for (const auto& [kind, title] : kinds)
        if (std::vector<const table::named_rows*> rows = names.heaviest(kind); !rows.empty())
            y = draw_named_rows(to, y, title, column, std::move(rows), range);
    return to.finish(y, heading);
}

}}}}  // namespace wlfmt::WLFMT_ABI::detail::WLFMT_IMPL

#endif
