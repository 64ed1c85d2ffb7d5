// What two workload files mean differently: the header, what is communicated and what is computed, by group, collective
// and phase, and by layers, those that repeat together.
#ifndef WLFMT_TOOLS_WORKLOAD_CHANGES_HPP
#define WLFMT_TOOLS_WORKLOAD_CHANGES_HPP

#include <wlfmt/diff.hpp>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../output/compared.hpp"
#include "../output/json_print.hpp"
#include "blocks.hpp"

namespace tool {

// Layers are matched in the order of both files, by name without numbers and collectives first, and between those that
// match by name alone. What is left is matched in the order of each name: it has been moved. Takes linear time: of
// files that differ in thousands of layers, the n-th layer of a name is matched with the n-th.
class layer_match {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    layer_match(const wlfmt::workload::document& before, const wlfmt::workload::document& after)
        : before_(before.layers.size()), after_(after.layers.size()) {
        read(before, before_);
        read(after, after_);
        const std::size_t budget = 64 * (before.layers.size() + after.layers.size()) + most_steps;
        budget_ = budget;
        match(1, {0, before.layers.size(), 0, after.layers.size()});
        budget_ = budget;
        knows_order_ = true;
        match_between();
        match_moved();
    }

    // The place of the n-th layer in the other file; none if it is not there.
    std::size_t in_after(std::size_t n) const { return before_.other[n]; }
    std::size_t in_before(std::size_t n) const { return after_.other[n]; }
    // False if there are too many differences to find the order that both files have in common.
    bool knows_order() const noexcept { return knows_order_; }
    // The first layer, and its place in the second file, that comes before one that it came after.
    std::optional<std::pair<std::size_t, std::size_t>> moved() const {
        if (!knows_order_) return std::nullopt;
        std::size_t last = 0;
        for (std::size_t n = 0; n != before_.other.size(); ++n) {
            const std::size_t other = before_.other[n];
            if (other == none) continue;
            if (other < last) return std::make_pair(n, other);
            last = other;
        }
        return std::nullopt;
    }

private:
    static constexpr std::size_t most_edits = 3072;
    static constexpr std::size_t most_steps = 8000000;
    struct side {
        explicit side(std::size_t size)
            : kinds{std::vector<std::size_t>(size), std::vector<std::size_t>(size)}, other(size, none) {}
        std::vector<std::size_t> kinds[2];  // by name; by name and collectives
        std::vector<std::size_t> other;
    };
    struct range {
        std::size_t begin;
        std::size_t end;
        std::size_t other_begin;
        std::size_t other_end;
    };

    void read(const wlfmt::workload::document& from, side& file) {
        for (std::size_t n = 0; n != from.layers.size(); ++n) {
            std::string kind = unnumbered(from.layers[n].name);
            file.kinds[0][n] = kinds_.number_of(kind);
            for (std::size_t k = 0; k != phase_count; ++k) kind.append("\n").append(phase_of(from.layers[n], k).comm);
            file.kinds[1][n] = kinds_.number_of(kind);
        }
    }
    void pair(std::size_t n, std::size_t other) {
        before_.other[n] = other;
        after_.other[other] = n;
    }
    // Matches as many layers as there can be in the order of both.
    void match(std::size_t level, range in) {
        const std::vector<std::size_t>& a = before_.kinds[level];
        const std::vector<std::size_t>& b = after_.kinds[level];
        const auto is_empty = [&] { return in.begin == in.end || in.other_begin == in.other_end; };
        while (!is_empty() && a[in.begin] == b[in.other_begin]) pair(in.begin++, in.other_begin++);
        while (!is_empty() && a[in.end - 1] == b[in.other_end - 1]) pair(--in.end, --in.other_end);
        if (!is_empty()) match_middle(level, in);
    }
    // Myers, An O(ND) Difference Algorithm and Its Variations (1986): the fewest insertions and deletions. reached[k]
    // is how far the best path with so many of them goes on the diagonal k.
    void match_middle(std::size_t level, const range& in) {
        const std::size_t* const a = before_.kinds[level].data() + in.begin;
        const std::size_t* const b = after_.kinds[level].data() + in.other_begin;
        constexpr std::size_t most_layers = 0x7fffffff;
        knows_order_ = knows_order_ && in.end <= most_layers && in.other_end <= most_layers;
        if (!knows_order_) return;
        const auto size = static_cast<std::ptrdiff_t>(in.end - in.begin);
        const auto other_size = static_cast<std::ptrdiff_t>(in.other_end - in.other_begin);
        const std::ptrdiff_t most_steps_here = (std::min)(size + other_size, static_cast<std::ptrdiff_t>(most_edits));
        std::vector<std::vector<std::int32_t>> paths;
        std::vector<std::int32_t> reached(static_cast<std::size_t>(2 * most_steps_here + 3));
        std::int32_t* const at = reached.data() + most_steps_here + 1;
        const auto comes_down = [](const std::int32_t* from, std::ptrdiff_t k, std::ptrdiff_t d) {
            return k == -d || (k != d && from[k - 1] < from[k + 1]);
        };
        for (std::ptrdiff_t d = 0; d <= most_steps_here; ++d) {
            paths.emplace_back(at - d - 1, at + d + 2);
            for (std::ptrdiff_t k = -d; k <= d; k += 2) {
                std::ptrdiff_t x = comes_down(at, k, d) ? at[k + 1] : at[k - 1] + 1;
                for (; x < size && x - k < other_size && a[x] == b[x - k]; ++x)
                    if (budget_ != 0) --budget_;
                at[k] = static_cast<std::int32_t>(x);
                if (budget_ == 0) break;
                if (x < size || x - k < other_size) continue;
                for (std::ptrdiff_t y = x - k; d >= 0; --d) {
                    const std::int32_t* const from = paths[static_cast<std::size_t>(d)].data() + d + 1;
                    const std::ptrdiff_t before = comes_down(from, x - y, d) ? x - y + 1 : x - y - 1;
                    const std::ptrdiff_t start = d == 0 ? 0 : from[before];
                    const std::ptrdiff_t other_start = d == 0 ? 0 : start - before;
                    while (x > start && y > other_start) {
                        --x;
                        --y;
                        pair(in.begin + static_cast<std::size_t>(x), in.other_begin + static_cast<std::size_t>(y));
                    }
                    x = start;
                    y = other_start;
                }
                return;
            }
            budget_ -= (std::min)(budget_, static_cast<std::size_t>(d + 1));
            if (budget_ == 0) break;
        }
        knows_order_ = false;
    }
    // The layers between those that match.
    void match_between() {
        range in{0, 0, 0, 0};
        const std::size_t size = before_.other.size();
        for (std::size_t n = 0; n <= size; ++n) {
            if (n != size && before_.other[n] == none) continue;
            in.end = n;
            in.other_end = n == size ? after_.other.size() : before_.other[n];
            if (in.begin != in.end && in.other_begin != in.other_end) match(0, in);
            in.begin = n + 1;
            in.other_begin = in.other_end + 1;
        }
    }
    void match_moved() {
        std::vector<std::vector<std::size_t>> left(kinds_.size());  // by kind, the last one first
        for (std::size_t n = after_.other.size(); n-- != 0;)
            if (after_.other[n] == none) left[after_.kinds[0][n]].push_back(n);
        for (std::size_t n = 0; n != before_.other.size(); ++n) {
            std::vector<std::size_t>& others = left[before_.kinds[0][n]];
            if (before_.other[n] != none || others.empty()) continue;
            pair(n, others.back());
            others.pop_back();
        }
    }

    numbered_texts kinds_;
    side before_;
    side after_;
    std::size_t budget_ = 0;  // steps that are left
    bool knows_order_ = true;
};

class workload_changes {
public:
    using side = compared_side<wlfmt::workload::document>;
    using change = wlfmt::diff::change;
    static constexpr std::size_t update = phase_count;  // after the phases
    static std::string_view time_name(std::size_t n) { return n == update ? "update" : phase_name(n); }

    // The calls of a collective in a group of ranks and a phase.
    struct call_line {
        std::string_view group;
        std::string collective;
        std::string_view phase;
        compared_sum calls;
        compared_sum bytes;
    };
    // Layers that are at the same place of a repeated block, and differ in the same way: in a phase's collective or its
    // bytes, in compute, or in another field.
    struct layers_line {
        std::size_t first = 0;  // of the layers, in the first file
        std::uint64_t times = 0;
        std::string_view name;
        std::string field;  // or the phase; of compute, nothing
        std::string before;
        std::string after;
        compared_sum bytes;
        compared_sum ticks[phase_count + 1];

        // `24 x mlp`
        std::string title() const { return joined({times == 1 ? "" : joined({times, " x "}), name}); }
        compared_sum all_ticks() const noexcept {
            compared_sum sum;
            for (const compared_sum& time : ticks) sum.add(time);
            return sum;
        }
        // Another collective matters as much as what it moves.
        double effect() const noexcept {
            if (field.empty()) return std::fabs(all_ticks().by());
            return before == after ? std::fabs(bytes.by()) : (std::max)(bytes.before, bytes.after);
        }
    };
    // Layers that one of the files lacks.
    struct run_line {
        change what = change::added;
        std::size_t first = 0;
        std::uint64_t times = 0;
        std::string title;
        std::vector<std::string> names;
        double calls = 0;
        double bytes[phase_count] = {};
        double ticks[phase_count + 1] = {};
        double all_bytes() const noexcept { return bytes[0] + bytes[1] + bytes[2]; }
        double all_ticks() const noexcept { return ticks[0] + ticks[1] + ticks[2] + ticks[update]; }
    };
    workload_changes(const side& before, const side& after, const settings& s)
        : s_(s), before_(before), after_(after), match_(before.content, after.content) {
        compare_headers();
        sum_up(before.content, false);
        sum_up(after.content, true);
        add_messages();
        for (const call_line& call : calls) {
            all_calls.add(call.calls);
            all_bytes.add(call.bytes);
        }
        for (const compared_sum& time : ticks) all_ticks.add(time);
        layer_blocks blocks;
        for (const wlfmt::workload::layer& layer : before.content.layers) blocks.add(layer);
        const std::vector<std::size_t> places = blocks.places();
        for (std::size_t n = 0; n != before.content.layers.size(); ++n)
            if (const std::size_t other = match_.in_after(n); other != layer_match::none)
                compare(n, before.content.layers[n], after.content.layers[other], places[n]);
        find_runs(false);
        find_runs(true);
        sort_all();
    }

    bool shows(std::string_view part) const noexcept { return s_.only.empty() || s_.only == part; }
    bool differs() const noexcept {
        const bool any_time = std::any_of(ticks, ticks + update + 1,
                                          [&](const compared_sum& time) { return time.differs(s_.tolerance); });
        return (shows("header") && !header.empty()) || !runs.empty() ||
               (shows("communication") && !(calls.empty() && collectives.empty())) ||
               (shows("compute") && (any_time || !computes.empty())) ||
               (s_.only.empty() && (!fields.empty() || renumbered != 0 || match_.moved()));
    }

    const side& before() const noexcept { return before_; }
    const side& after() const noexcept { return after_; }
    const layer_match& match() const noexcept { return match_; }
    // The file that does not tell what its pipeline stages send each other, where the other one does: `calls` lacks
    // these messages then. Null if both tell, or neither.
    const side* untold() const noexcept { return !untold_second_ ? nullptr : *untold_second_ ? &after_ : &before_; }

    std::vector<wlfmt::diff::difference> header;
    std::vector<call_line> calls;
    std::vector<layers_line> collectives;
    std::vector<layers_line> computes;
    std::vector<run_line> runs;
    std::vector<layers_line> fields;
    compared_sum ticks[phase_count + 1];  // by phase, and of updates
    compared_sum all_ticks;
    compared_sum all_calls;
    compared_sum all_bytes;
    std::uint64_t same = 0;        // layers that do not differ
    std::uint64_t renumbered = 0;  // layers whose names differ in numbers alone

private:
    bool is_close(double a, double b) const noexcept { return !compared_sum{a, b}.differs(s_.tolerance); }
    // As numbers, whole ones exactly.
    bool are_same(const wlfmt::number& a, const wlfmt::number& b) const noexcept {
        if (!(a < b) && !(b < a)) return true;
        return s_.tolerance > 0 && a.has_value() && b.has_value() && is_close(a.value_or(0.0), b.value_or(0.0));
    }

    void compare_headers() {
        if (!shows("header")) return;
        wlfmt::workload::document heads[2];
        heads[0].header = before_.content.header;
        heads[1].header = after_.content.header;
        header = wlfmt::diff::compare(heads[0], heads[1], s_.tolerance);
    }
    call_line& calls_of(std::string_view group, const std::string& collective, std::string_view phase) {
        const std::size_t place = call_places_.number_of(joined({group, "\n", collective, "\n", phase}));
        if (place == calls.size()) calls.push_back({group, collective, phase, {}, {}});
        return calls[place];
    }
    void sum_up(const wlfmt::workload::document& file, bool second) {
        for (const wlfmt::workload::layer& layer : file.layers) {
            for (std::size_t n = 0; n != phase_count; ++n) {
                const wlfmt::workload::phase& p = phase_of(layer, n);
                ticks[n].side(second) += p.compute.value_or(0.0);
                if (!communicates(p)) continue;
                const auto c = wlfmt::workload::communication_of(p.comm);
                const auto group = wlfmt::parallelism::group_of(static_cast<wlfmt::parallelism::phase>(n), c);
                call_line& call =
                    calls_of(group ? wlfmt::parallelism::name_of(*group) : "unknown",
                             group ? std::string(name_of(c.collective)) : std::string(p.comm), phase_name(n));
                ++call.calls.side(second);
                call.bytes.side(second) += bytes_of(p);
            }
            ticks[update].side(second) += layer.update.value_or(0.0);
        }
    }
    // What goes between pipeline stages, if both headers tell.
    void add_messages() {
        constexpr auto pipeline = wlfmt::parallelism::group::pipeline_parallel;
        const stage_messages sent[2] = {messages_of(before_.content.header), messages_of(after_.content.header)};
        if (!sent[0].is_known || !sent[1].is_known) {
            for (const bool second : {false, true})
                if (!sent[second].is_known && sent[!second].is_known && (sent[second].any || sent[!second].any))
                    untold_second_ = second;
            return;
        }
        if (!sent[0].any && !sent[1].any) return;
        for (std::size_t n = 0; n != sending_phases; ++n) {
            call_line& messages = calls_of(wlfmt::parallelism::name_of(pipeline), "message", phase_name(n));
            messages.calls = {sent[0].count[n], sent[1].count[n]};
            messages.bytes = {sent[0].bytes[n], sent[1].bytes[n]};
        }
    }
    // Stages send each other what they computed forward, and the gradients of their inputs.
    static constexpr std::size_t sending_phases = 2;
    struct stage_messages {
        bool is_known = false;
        bool any = false;  // also where their bytes are not known
        double count[sending_phases] = {};
        double bytes[sending_phases] = {};
    };
    static stage_messages messages_of(const wlfmt::workload::header& head) {
        stage_messages sent;
        const auto sizes = wlfmt::parallelism::sizes_of(head, head.source);
        sent.is_known = sizes->known();
        if (!sent.is_known) return sent;
        wlfmt::parallelism::traffic moved(*sizes);
        moved.add_pipeline(head);
        for (std::size_t n = 0; n != sending_phases; ++n) {
            const wlfmt::parallelism::tally t =
                moved.rank(static_cast<wlfmt::parallelism::phase>(n), wlfmt::parallelism::group::pipeline_parallel);
            sent.is_known = sent.is_known && t.unknown == 0;
            sent.any = sent.any || t.unknown != 0 || t.count != 0;
            sent.count[n] = static_cast<double>(t.count);
            sent.bytes[n] = t.bytes;
        }
        return sent;
    }

    // The line for what is at the same place of a block and differs in the same way.
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
        const auto line = [&](std::vector<layers_line>& lines, std::string_view field, std::string_view before,
                              std::string_view after) -> layers_line& {
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
                line(fields, joined({phase_name(k), ".bytes"}), decimals_of(a.bytes.value_or(0.0)),
                     decimals_of(b.bytes.value_or(0.0)));
                continue;
            }
            line(collectives, phase_name(k), a.comm, b.comm).bytes.add({bytes_of(a), bytes_of(b)});
        }
        if (!computes_alike) {
            layers_line& times = line(computes, {}, {}, {});
            for (std::size_t k = 0; k != phase_count; ++k)
                times.ticks[k].add({phase_of(was, k).compute.value_or(0.0), phase_of(now, k).compute.value_or(0.0)});
            times.ticks[update].add({was.update.value_or(0.0), now.update.value_or(0.0)});
        }
        if (was.dependency != now.dependency)
            line(fields, "dependency", std::to_string(was.dependency), std::to_string(now.dependency));
        if (was.policy != now.policy) line(fields, "policy", was.policy, now.policy);
        if (was.further != now.further) line(fields, "further", was.further, now.further);
        if (was.name != now.name) ++renumbered;
        if (is_same) ++same;
    }

    // Layers without a match that follow one another are one run, and runs of the same layers one line.
    void find_runs(bool second) {
        const std::vector<wlfmt::workload::layer>& layers = (second ? after_ : before_).content.layers;
        const auto has_match = [&](std::size_t n) {
            return (second ? match_.in_before(n) : match_.in_after(n)) != layer_match::none;
        };
        const std::size_t first_run = runs.size();
        numbered_texts places;
        for (std::size_t n = 0; n != layers.size(); ++n) {
            if (has_match(n)) continue;
            const std::size_t first = n;
            std::string kinds;
            for (; n != layers.size() && !has_match(n); ++n) {
                kinds += unnumbered(layers[n].name) + "\n";
                for (std::size_t k = 0; k != phase_count; ++k) kinds.append(phase_of(layers[n], k).comm).append("\n");
            }
            const std::size_t place = first_run + places.number_of(kinds);
            if (place == runs.size()) {
                run_line& run = runs.emplace_back();
                run.what = second ? change::added : change::removed;
                run.first = first;
                for (std::size_t k = first; k != n; ++k) run.names.emplace_back(layers[k].name);
            }
            add(runs[place], layers, first, n);
            --n;
        }
        for (std::size_t place = first_run; place != runs.size(); ++place) {
            run_line& run = runs[place];
            layer_blocks blocks;
            for (std::size_t n = 0; n != run.names.size(); ++n) blocks.add(layers[run.first + n]);
            run.title = blocks.title_of(blocks.blocks(), run.times);
        }
    }
    static void add(run_line& run, const std::vector<wlfmt::workload::layer>& layers, std::size_t begin,
                    std::size_t end) {
        ++run.times;
        for (std::size_t n = begin; n != end; ++n) {
            for (std::size_t k = 0; k != phase_count; ++k) {
                const wlfmt::workload::phase& p = phase_of(layers[n], k);
                run.ticks[k] += p.compute.value_or(0.0);
                run.bytes[k] += bytes_of(p);
                run.calls += communicates(p) ? 1 : 0;
            }
            run.ticks[update] += layers[n].update.value_or(0.0);
        }
    }

    void sort_all() {
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
        const auto weight = [&](const run_line& run) {
            return s_.only == "communication" ? run.all_bytes() : run.all_ticks();
        };
        sort_list(runs, [&](const run_line& a, const run_line& b) { return weight(a) > weight(b); });
        // Each run is in the part that is asked for.
        if (s_.only == "header") runs.clear();
        if (s_.only == "communication" || s_.only == "compute")
            runs.erase(std::remove_if(runs.begin(), runs.end(),
                                      [&](const run_line& run) {
                                          return s_.only == "compute" ? run.all_ticks() == 0 : run.calls == 0;
                                      }),
                       runs.end());
    }

    const settings& s_;
    side before_;
    side after_;
    layer_match match_;
    std::optional<bool> untold_second_;  // whether untold() is the second file
    numbered_texts call_places_;
    keyed<std::string, std::optional<std::size_t>> line_places_;
};

}  // namespace tool

#endif
