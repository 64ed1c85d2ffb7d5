// How two workload files differ in their meaning: in the header, in what is communicated and computed by group,
// collective and phase, and in their layers, with those that repeat taken together.
#ifndef WLFMT_TOOLS_WORKLOAD_CHANGES_HPP
#define WLFMT_TOOLS_WORKLOAD_CHANGES_HPP

#include "analysis/diff/diff.hpp"

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../output/compared.hpp"
#include "../output/json_print.hpp"
#include "analysis/callback.hpp"
#include "match.hpp"
#include "sums.hpp"

namespace tool {

// Layers that one of the files lacks.
struct stretch_line {
    wlfmt::analysis::diff::change change = wlfmt::analysis::diff::change::added;
    std::size_t first = 0;
    std::uint64_t times = 0;
    std::string title;
    std::vector<std::string> names;
    layer_sums sums;
};

// The layers without a match, as lines: consecutive layers are one stretch, and stretches of the same layers are one
// line.
inline std::vector<stretch_line> unmatched_stretches(const std::vector<wlfmt::workload::layer>& layers,
                                                     const callback<bool(std::size_t n)>& has_match,
                                                     wlfmt::analysis::diff::change change) {
    std::vector<stretch_line> stretches;
    numbered_texts places;
    for (std::size_t n = 0; n != layers.size(); ++n) {
        if (has_match(n)) continue;
        std::size_t end = n;
        std::string kinds;
        for (; end != layers.size() && !has_match(end); ++end) kinds += kind_of_layer(layers[end]) + "\n";
        const std::size_t place = places.number_of(kinds);
        if (place == stretches.size()) {
            stretch_line& stretch = stretches.emplace_back();
            stretch.change = change;
            stretch.first = n;
            for (std::size_t k = n; k != end; ++k) stretch.names.emplace_back(layers[k].name);
        }
        ++stretches[place].times;
        for (std::size_t k = n; k != end; ++k) stretches[place].sums.add(layers[k]);
        n = end - 1;
    }
    for (stretch_line& stretch : stretches) {
        layer_blocks blocks;
        for (std::size_t n = 0; n != stretch.names.size(); ++n) blocks.add(layers[stretch.first + n]);
        stretch.title = blocks.title_of(blocks.blocks(), stretch.times);
    }
    return stretches;
}

// Layers that are at the same place of a repeated block, and differ in the same way: in a phase's collective or its
// bytes, in compute, or in another field.
struct layers_line {
    std::size_t first = 0;  // the first of the layers, in the first file
    std::uint64_t times = 0;
    std::string_view name;
    std::string field;  // the phase of a collective or its bytes; empty for compute
    std::string before;
    std::string after;
    compared_sum bytes;
    compared_sum ticks[time_count];

    // The layers as a title: `24 x mlp`.
    std::string title() const { return joined({times == 1 ? "" : joined({times, " x "}), name}); }
    compared_sum all_ticks() const noexcept {
        compared_sum sum;
        for (std::size_t n = 0; n != phase_count; ++n) sum.add(ticks[n]);
        return sum;
    }
    // A change of the collective matters as much as the bytes that it moves.
    double effect() const noexcept {
        if (field.empty()) return std::fabs(all_ticks().by());
        return before == after ? std::fabs(bytes.by()) : (std::max)(bytes.before, bytes.after);
    }
};

class workload_changes {
public:
    using side = compared_side<wlfmt::workload::document>;

    workload_changes(const side& before, const side& after, const settings& s)
        : sums(before.content, after.content),
          s_(s),
          before_(before),
          after_(after),
          match_(before.content, after.content) {
        compare_headers();
        layer_blocks blocks;
        for (const wlfmt::workload::layer& layer : before.content.layers) blocks.add(layer);
        const std::vector<std::size_t> places = blocks.places();
        for (std::size_t n = 0; n != before.content.layers.size(); ++n)
            if (const std::size_t other = match_.in_after(n); other != layer_match::none)
                compare(n, before.content.layers[n], after.content.layers[other], places[n]);
        const auto in_after = [&](std::size_t n) { return match_.in_after(n) != layer_match::none; };
        const auto in_before = [&](std::size_t n) { return match_.in_before(n) != layer_match::none; };
        stretches = unmatched_stretches(before.content.layers, in_after, wlfmt::analysis::diff::change::removed);
        for (stretch_line& stretch :
             unmatched_stretches(after.content.layers, in_before, wlfmt::analysis::diff::change::added))
            stretches.push_back(std::move(stretch));
        sort_all();
    }

    bool shows(std::string_view part) const noexcept { return s_.only.empty() || s_.only == part; }
    bool differs() const noexcept {
        const bool any_time = std::any_of(sums.ticks, sums.ticks + time_count,
                                          [&](const compared_sum& time) { return time.differs(s_.tolerance); });
        return (shows("header") && !header.empty()) || !stretches.empty() ||
               (shows("communication") && !(sums.calls.empty() && collectives.empty())) ||
               (shows("compute") && (any_time || !computes.empty())) ||
               (s_.only.empty() && (!fields.empty() || renumbered != 0 || match_.moved()));
    }

    const side& before() const noexcept { return before_; }
    const side& after() const noexcept { return after_; }
    bool is_whole() const noexcept { return !before_.is_cut && !after_.is_cut; }
    // What a sum over all layers says of the whole files: layers that are missing add to it.
    std::pair<bounded, bounded> limits_of(const compared_sum& sum) const noexcept {
        return {before_.is_cut ? bounded::no_less(sum.before) : bounded(sum.before),
                after_.is_cut ? bounded::no_less(sum.after) : bounded(sum.after)};
    }
    // Whether layers that one file seems to lack may be in its part that is missing.
    bool is_doubtful(const stretch_line& layers) const noexcept {
        return layers.change == wlfmt::analysis::diff::change::added ? before_.is_cut : after_.is_cut;
    }
    const layer_match& match() const noexcept { return match_; }
    // The file that does not say what its pipeline stages send each other, if the other one does; else null.
    const side* side_without_messages() const noexcept {
        return !sums.second_lacks_messages ? nullptr : *sums.second_lacks_messages ? &after_ : &before_;
    }

    std::vector<wlfmt::analysis::diff::difference> header;
    // In these sums, `calls` has only the calls that differ.
    workload_sums sums;
    std::vector<layers_line> collectives;
    std::vector<layers_line> computes;
    std::vector<stretch_line> stretches;
    std::vector<layers_line> fields;
    std::uint64_t same = 0;        // layers that do not differ
    std::uint64_t renumbered = 0;  // layers whose names differ only in numbers

private:
    bool is_close(double a, double b) const noexcept { return !compared_sum{a, b}.differs(s_.tolerance); }
    // Whether two numbers are the same, within the tolerance. Without one, whole numbers are compared exactly.
    bool are_same(const wlfmt::number& a, const wlfmt::number& b) const noexcept {
        if (a == b) return true;
        return s_.tolerance > 0 && a.has_value() && b.has_value() && is_close(a.value_or(0.0), b.value_or(0.0));
    }

    void compare_headers() {
        if (!shows("header")) return;
        wlfmt::workload::document heads[2];
        heads[0].header = before_.content.header;
        heads[1].header = after_.content.header;
        header = wlfmt::analysis::diff::compare(heads[0], heads[1], s_.tolerance);
    }
    // Finds or adds the line for layers at the same place of a block that differ in the same way, and counts one more.
    layers_line& line_of(std::vector<layers_line>& lines, std::size_t place, std::size_t n, std::string_view name,
                         std::string_view field, std::string_view before, std::string_view after) {
        std::optional<std::size_t>& at = line_places_[joined({place, "\n", field, "\n", before, "\n", after})];
        if (!at) {
            at = lines.size();
            lines.push_back({n, 0, name, std::string(field), std::string(before), std::string(after), {}, {}});
        }
        ++lines[*at].times;
        return lines[*at];
    }
    void compare(std::size_t n, const wlfmt::workload::layer& was, const wlfmt::workload::layer& now,
                 std::size_t place) {
        bool is_same = true;
        const auto differing_line = [&](std::vector<layers_line>& lines, std::string_view field,
                                        std::string_view before, std::string_view after) -> layers_line& {
            is_same = false;
            return line_of(lines, place, n, was.name, field, before, after);
        };
        bool computes_alike = are_same(was.update, now.update);
        for (std::size_t k = 0; k != phase_count; ++k) {
            const wlfmt::workload::phase& a = phase_of(was, k);
            const wlfmt::workload::phase& b = phase_of(now, k);
            computes_alike = computes_alike && are_same(a.compute, b.compute);
            if (a.comm == b.comm && are_same(a.bytes, b.bytes)) continue;
            if (!communicates(a) && !communicates(b)) {
                differing_line(fields, joined({phase_name(k), ".bytes"}), decimals_of(a.bytes.value_or(0.0)),
                               decimals_of(b.bytes.value_or(0.0)));
                continue;
            }
            differing_line(collectives, phase_name(k), a.comm, b.comm).bytes.add({bytes_of(a), bytes_of(b)});
        }
        if (!computes_alike) {
            layers_line& times = differing_line(computes, {}, {}, {});
            for (std::size_t k = 0; k != phase_count; ++k)
                times.ticks[k].add({phase_of(was, k).compute.value_or(0.0), phase_of(now, k).compute.value_or(0.0)});
            times.ticks[update_time].add({was.update.value_or(0.0), now.update.value_or(0.0)});
        }
        if (was.dependency != now.dependency)
            differing_line(fields, "dependency", std::to_string(was.dependency), std::to_string(now.dependency));
        if (was.policy != now.policy) differing_line(fields, "policy", was.policy, now.policy);
        if (was.further != now.further) differing_line(fields, "further", was.further, now.further);
        if (was.name != now.name) ++renumbered;
        if (is_same) ++same;
    }

    void sort_all() {
        std::vector<call_line>& calls = sums.calls;
        calls.erase(std::remove_if(calls.begin(), calls.end(),
                                   [&](const call_line& call) {
                                       return !call.calls.differs(s_.tolerance) && !call.bytes.differs(s_.tolerance);
                                   }),
                    calls.end());
        sort_list(calls, [](const call_line& a, const call_line& b) {
            return std::fabs(a.bytes.by()) > std::fabs(b.bytes.by());
        });
        for (std::vector<layers_line>* lines : {&collectives, &computes})
            sort_list(*lines, [](const layers_line& a, const layers_line& b) { return a.effect() > b.effect(); });
        const auto weight = [&](const stretch_line& stretch) {
            return s_.only == "communication" ? stretch.sums.all_bytes() : stretch.sums.all_ticks();
        };
        sort_list(stretches, [&](const stretch_line& a, const stretch_line& b) { return weight(a) > weight(b); });
        // Keeps the stretches that are in the part that --only names.
        if (s_.only == "header") stretches.clear();
        if (s_.only == "communication" || s_.only == "compute")
            stretches.erase(std::remove_if(stretches.begin(), stretches.end(),
                                           [&](const stretch_line& stretch) {
                                               return s_.only == "compute" ? stretch.sums.all_ticks() == 0
                                                                           : stretch.sums.calls == 0;
                                           }),
                            stretches.end());
    }

    const settings& s_;
    side before_;
    side after_;
    layer_match match_;
    keyed<std::string, std::optional<std::size_t>> line_places_;
};

}  // namespace tool

#endif
