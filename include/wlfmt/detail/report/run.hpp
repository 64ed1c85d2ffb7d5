// The first half of the report of a run: where each rank spent its time, and when.
#ifndef WLFMT_DETAIL_REPORT_RUN_HPP
#define WLFMT_DETAIL_REPORT_RUN_HPP

#include "../base/order.hpp"
#include "../oplog/operations.hpp"
#include "../summary/ordered_map.hpp"
#include "page.hpp"
#include "run_words.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

// Forward and backward steps of a stage, as they were or as they would be if nothing else took time.
using pipeline_steps = std::vector<oplog::program_step>;

// The steps of a rank, from its first record on.
inline pipeline_steps pipeline_steps_of(const oplog::run_answers& a, const oplog::rank_answer& rank) {
    pipeline_steps to;
    for (const oplog::program_step& s : rank.program) {
        if (s.nested || s.operation >= a.names.size()) continue;
        const operation_kind kind = oplog_operations::facts_of(a.names[s.operation]).kind;
        if (kind != operation_kind::forward && kind != operation_kind::backward) continue;
        to.push_back(s);
        to.back().backward = kind == operation_kind::backward;
    }
    return to;
}

// The same steps of all stages, each as long as its stage's mean and as early as the steps it needs allow: without
// transfer and waiting inside steps. Empty if the steps are not a forward and a backward pass in turn (as of
// interleaved stages), or if part of the run is missing.
inline std::vector<pipeline_steps> ideal_schedule(const oplog::run_answers& a, std::vector<pipeline_steps> stages) {
    const std::size_t count = stages.size();
    const auto batches = static_cast<std::size_t>(a.micro_batches);
    if (count < 2 || count != a.stages.size() || batches == 0 || a.iterations != 1) return {};
    for (std::size_t n = 0; n != count; ++n) {
        const std::size_t ahead = (std::min)(batches, count - 1 - n);
        if (stages[n].size() != 2 * batches || a.stages[n].ranks == 0) return {};
        std::vector<std::int64_t> open;  // micro-batches, in the order of their forward steps
        std::size_t done = 0;
        for (std::size_t at = 0; at != stages[n].size(); ++at) {
            const oplog::program_step& s = stages[n][at];
            if (s.backward != (at >= 2 * batches - ahead || (at >= ahead && (at - ahead) % 2 == 1))) return {};
            if (!s.backward) open.push_back(s.batch);
            if (s.backward && open[done++] != s.batch) return {};
        }
        double back = 0;
        for (const oplog::rank_answer& r : a.ranks) {
            if (r.stage != a.stages[n].stage) continue;
            for (const oplog::operation_answer& o : r.operations)
                if (oplog_operations::facts_of(o.operation).kind == operation_kind::backward)
                    back += o.time / static_cast<double>(a.stages[n].ranks);
        }
        back = (std::min)(back, a.stages[n].busy) / static_cast<double>(batches);
        for (oplog::program_step& s : stages[n]) s.duration = s.backward ? back : a.stages[n].per_batch - back;
    }
    std::vector<std::vector<double>> ends[2];  // of each stage's forward and backward steps
    for (auto& of : ends) of.resize(count);
    std::vector<std::size_t> next(count);
    std::vector<double> clock(count);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t n = 0; n != count; ++n)
            for (; next[n] != stages[n].size(); ++next[n]) {
                oplog::program_step& s = stages[n][next[n]];
                std::vector<double>& done = ends[s.backward][n];
                s.start = clock[n];
                if (n != (s.backward ? count - 1 : 0)) {
                    const std::vector<double>& needed = ends[s.backward][s.backward ? n + 1 : n - 1];
                    if (needed.size() <= done.size()) break;
                    s.start = (std::max)(s.start, needed[done.size()]);
                }
                clock[n] = s.start + s.duration;
                done.push_back(clock[n]);
                moved = true;
            }
    }
    return stages;
}

struct run_lanes : run_words {
    explicit run_lanes(const oplog::run_answers& a) : run_words(a), axis_(axis_of(a)), order_(ranks_by_stage(a)) {
        std::size_t steps = 0;
        for (std::size_t n = 0; n != a.ranks.size(); ++n) {
            place_.try_emplace(a.ranks[n].rank, n);
            steps += a.ranks[n].program.size();
        }
        for (std::size_t n = 0; n != order_.size(); ++n) {
            if (n == 0 || stage_of(order_[n]) != stage_of(order_[n - 1])) stages_.push_back({n, n, order_[n]});
            stages_.back().end = n + 1;
            if (a.slowest_rank && a.ranks[order_[n]].rank == a.slowest_rank->rank) stages_.back().shown = order_[n];
        }
        is_binned_ = a.ranks.size() > most_lanes || steps > most_steps_of_page;
        if (!(axis_.end > 0)) axis_.end = 1;
    }
    // A stage's ranks, as places in `order_`, and the one that is shown: the run's slowest rank, or the stage's first.
    struct stage_ranks {
        std::size_t first;
        std::size_t end;
        std::size_t shown;
    };
    static constexpr std::size_t lane_kinds = time_classes + 2;  // and forward and backward steps
    static constexpr std::size_t most_steps_of_page = 30000;

    std::int64_t stage_of(std::size_t n) const { return a_.ranks[n].stage.value_or(-1); }
    // The classes that any rank has time in. Waiting of ranks that were traced separately is not 0 but unknown.
    std::vector<std::size_t> used_classes() const {
        std::vector<std::size_t> to;
        for (std::size_t n = 0; n != time_classes; ++n)
            if (n == work_class || n == gap_class || a_.total.*classes_of_time[n].part > 0 ||
                (n != unknown_class && knows_waiting()))
                to.push_back(n);
        return to;
    }
    std::string class_legend(bool has_parts = false) const {
        std::vector<legend_entry> to;
        for (const std::size_t n : used_classes())
            to.push_back({classes_of_time[n].colour,
                          joined({classes_of_time[n].name, has_parts ? " " + strong(part_of_all(n)) : ""})});
        return legend_of(to);
    }
    static std::string words_of(const oplog::rank_answer& r) {
        std::string to = name_of_rank(r);
        for (const time_class& c : classes_of_time)
            if (r.account.*c.part > 0) append(to, {", ", c.name, " ", milliseconds_text(r.account.*c.part), " ms"});
        return to;
    }
    void add_account() {
        const std::vector<std::size_t> used = used_classes();
        const bool many = a_.ranks.size() > most_lanes;
        const std::string how =
            many ? joined({". One column a rank, the most work of a stage first; the full height is ",
                           ms_markup(longest())})
                 : "; the classes add up to its span. Milliseconds";
        page_.section(
            "account", account(),
            joined({"Every millisecond between the first and the last record of a rank is in exactly one class", how,
                    "."}));
        if (many) {
            add_skyline();
            page_.fold("The numbers of all " + count_text(a_.ranks.size()) + " ranks");
        }
        page_.table("wide sortable account", {text_column("rank"), {"stage", "n secondary"}});
        if (!many) page_.add_columns({bar_column()});
        for (const std::size_t n : used)
            page_.add_columns(
                {{joined({key_of(classes_of_time[n].colour), sign_of(limit_of(a_.total, n)), classes_of_time[n].name}),
                  n == work_class ? "n first" : "n"}});
        page_.add_columns({"span"});
        if (knows_waiting()) page_.add_columns({"others waited for it"});
        const auto add_parts = [&](const oplog::time_account& t) {
            for (const std::size_t n : used) page_.add_cells({ms_cell(t.*classes_of_time[n].part, limit_of(t, n))});
            page_.add_cells({ms_cell(t.span, t.span_limit)});
        };
        for (const std::size_t n : order_) {
            const oplog::rank_answer& r = a_.ranks[n];
            page_.row({joined({"rank ", r.rank}),
                       {static_cast<double>(stage_of(n)), r.stage ? std::to_string(*r.stage) : missing_value}},
                      joined({is_slow(r.rank) ? " class=\"strong\"" : "", " data-rank=\"", r.rank, "\""}));
            if (!many) page_.add_cells({drawing(account_bar(r.account, longest(), 14), 14, words_of(r))});
            add_parts(r.account);
            if (knows_waiting()) page_.add_cells({ms_cell(r.caused, a_.total.stage_limit)});
        }
        page_.foot();
        page_.row({"all", ""}, " data-rank=\"all\"");
        if (!many) page_.add_cells({""});
        add_parts(a_.total);
        if (knows_waiting()) page_.add_cells({""});
    }
    // A column for each rank.
    void add_skyline() {
        std::vector<std::size_t> order = order_;
        sort_list(order, [&](std::size_t x, std::size_t y) {
            return stage_of(x) != stage_of(y) ? stage_of(x) < stage_of(y)
                                              : a_.ranks[x].account.work > a_.ranks[y].account.work;
        });
        std::vector<legend_entry> classes;
        for (const time_class& c : classes_of_time) classes.push_back({c.colour, ""});
        std::vector<double> parts;
        for (const std::size_t n : order)
            for (const time_class& c : classes_of_time) parts.push_back(a_.ranks[n].account.*c.part);
        page_.add({class_legend()});
        page_.add({stacked_columns(parts, classes, (std::max)(longest(), 1e-9), 240,
                                   "the time of each rank, in the table below")});
        shapes names("%");
        for (const stage_ranks& stage : stages_) {
            const double at = 100 * static_cast<double>(stage.first) / static_cast<double>(order.size());
            names.line(at, 0, at, 16, "line");
            names.text(at + 0.3, 13, stage_name(stage.shown));
        }
        page_.add({drawing(names, 18, "stages")});
    }

    std::string stage_name(std::size_t n) const {
        return a_.ranks[n].stage ? joined({"stage ", *a_.ranks[n].stage}) : "no stage";
    }

    void add_lanes() {
        std::vector<pipeline_steps> steps;
        for (const stage_ranks& stage : stages_) steps.push_back(pipeline_steps_of(a_, a_.ranks[stage.shown]));
        std::vector<pipeline_steps> ideal;
        if (knows_waiting() && axis_.is_common && is_whole()) ideal = ideal_schedule(a_, steps);
        std::string how;
        if (knows_waiting()) how = "Waiting is drawn where it happens, inside asynchronous operations too. ";
        how += "Above the ranks of a stage: the forward (F) and backward (B) steps of one of them by micro-batch.";
        if (!ideal.empty())
            how +=
                " Ideal: the same steps, one forward and one backward pass in turn, each as long as the mean of its "
                "stage, with no transfer between stages.";
        if (a_.together && a_.clocks > 1)
            how += " " + counted_text(a_.clocks, "clock") +
                   (axis_.is_common ? " are aligned." : ", of which not all can be compared.");
        how += "<span class=\"scripted\"> Hover, or Tab to a lane and arrow keys: what, how long, for whom.";
        how += is_binned_ ? "</span>" : " Drag: zoom; double click or Escape: all.</span>";
        page_.section("lanes", busy(), how);
        page_.add({class_legend()});
        page_.add({"<div id=\"time-lanes\" data-end=\"", units(axis_.end), "\">\n"});
        for (std::size_t n = 0; n != stages_.size(); ++n) {
            const stage_ranks& stage = stages_[n];
            const std::string name = stage_name(stage.shown);
            std::string busy;
            for (const oplog::stage_answer& s : a_.stages)
                if (s.stage == stage_of(stage.shown) && a_.pipeline_time && knows_waiting())
                    busy = joined({" <small>busy ", busy_share(s), "</small>"});
            page_.heading(capitalised(name) + busy);
            add_steps(joined({"rank ", a_.ranks[stage.shown].rank, ", steps"}), steps[n], axis_.begin[stage.shown]);
            if (!ideal.empty()) add_steps(name + ", ideal", ideal[n], axis_.begin[stages_[0].shown]);
            if (is_binned_) add_pixels(stage.first, stage.end);
            for (std::size_t row = stage.first; !is_binned_ && row != stage.end; ++row) add_lane(order_[row]);
        }
        shapes axis("%");
        const double step = axis_step(axis_.end, 6);
        for (int n = 0; n * step <= axis_.end; ++n)
            axis.text(100 * n * step / axis_.end, 13, grouped_text(n * step, axis_decimals(step)),
                      n * step < 0.95 * axis_.end ? "start" : "end");
        page_.add({page_.named("ms", joined({"<svg id=\"time-axis\" height=\"18\">", axis.body(), "</svg>"}))});
        page_.add({"</div>\n"});
        add_bubble();
        add_longest_waits();
    }
    // What each stage's bubble consists of.
    void add_bubble() {
        if (!a_.pipeline_time || !knows_waiting()) return;
        page_.heading("Stages in the pipeline's " + pipeline_time());
        page_.table("", {"stage", "busy, ms", "a micro-batch", "bubble", "before its first forward step",
                         "after its last backward step"});
        for (const oplog::stage_answer& s : a_.stages)
            page_.row(
                {std::to_string(s.stage), ms_cell(s.busy, s.busy_limit), ms_cell(s.per_batch, s.busy_limit),
                 ms_cell(s.bubble, s.bubble_limit), ms_cell(s.fill, s.fill_limit), ms_cell(s.drain, s.drain_limit)},
                joined({" data-stage=\"", s.stage, "\""}));
    }
    static std::int64_t units(double ms) { return std::llround(100 * ms); }

    // A lane: each kind is a line whose dashes are its strokes in hundredths of a millisecond; unknown time is a path,
    // because its dashes are its hatching. For hovering it has a list of labels by time (number / 52 in decimal, if not
    // 0, and a letter for number % 52) and a list of micro-batches, each with its number of strokes.
    struct lane {
        std::string strokes[lane_kinds];
        std::int64_t ends[lane_kinds] = {};
        std::string labels;
        std::vector<std::int64_t> batches;  // of the labels

        void stroke(std::size_t kind, double begin, double end) {
            const std::int64_t gap = (std::max)(units(begin) - ends[kind], std::int64_t{0});
            const std::int64_t size = (std::max)(units(end) - ends[kind] - gap, std::int64_t{1});
            const bool is_path = kind == unknown_class;
            append(strokes[kind], {is_path ? "m" : " ", gap, is_path ? " 0h" : " ", size});
            ends[kind] += gap + size;
        }
        void label(std::size_t number, std::int64_t batch) {
            if (number >= 52) labels += std::to_string(number / 52);
            labels += static_cast<char>((number % 52 < 26 ? 'A' : 'a' - 26) + static_cast<int>(number % 52));
            batches.push_back(batch);
        }
    };
    static constexpr std::size_t forward_kind = time_classes;
    // `name` and `words` are only numbers and words; `texts`: goes above the strokes.
    void add_row(const lane& one, const std::string& name, std::string_view kind, const std::string& words,
                 const shapes& texts = shapes()) {
        std::string drawn =
            joined({"<svg class=\"time\" viewBox=\"0 0 ", units(axis_.end), " 10\" preserveAspectRatio=\"none\">"});
        constexpr std::size_t order[] = {gap_class,      work_class,    transfer_class, stage_class,
                                         pipeline_class, unknown_class, forward_kind,   forward_kind + 1};
        for (const std::size_t c : order) {
            if (one.strokes[c].empty()) continue;
            drawn += "<path d=\"M0 5";
            if (c != unknown_class) append(drawn, {"h", one.ends[c], "\" stroke-dasharray=\"0"});
            append(drawn, {one.strokes[c], "\" class=\"",
                           c < time_classes    ? classes_of_time[c].colour
                           : c == forward_kind ? "step"
                                               : "back",
                           "\"/>"});
        }
        drawn += "</svg>";
        if (!texts.body().empty())
            drawn = joined({"<div>", drawn, "<svg class=\"texts\">", texts.body(), "</svg></div>"});
        page_.add({"<div class=\"row lane", kind, "\" data-name=\"", name,
                   "\" tabindex=\"0\" role=\"group\" aria-label=\"", words, "\"><span>", name, "</span>", drawn,
                   "</div>\n"});
        append(lists_, {lists_.empty() ? "\"" : ",\n\"", name, "\":[\"", one.labels, "\",["});
        for (std::size_t n = 0, first = 0; n != one.batches.size(); first = n) {
            const std::int64_t batch = one.batches[first];
            while (n != one.batches.size() && one.batches[n] == batch) ++n;
            append(lists_, {first == 0 ? "" : ",", batch_text(batch, "null"), ",", n - first});
        }
        lists_ += "]]";
    }
    static std::string batch_text(std::int64_t batch, const char* otherwise) {
        return batch == oplog::program_step::no_batch ? otherwise : std::to_string(batch);
    }
    void add_steps(const std::string& name, const pipeline_steps& steps, double begin) {
        if (steps.empty()) return;
        lane one;
        shapes texts("%");
        for (const oplog::program_step& s : steps) {
            const double from = begin + s.start;
            const std::size_t kind = forward_kind + (s.backward ? 1 : 0);
            one.stroke(kind, from, from + s.duration);
            one.label(label_number(kind, a_.names[s.operation], -1), s.batch);
            const double width = 100 * s.duration / axis_.end;
            if (width < 3.2 || s.batch == oplog::program_step::no_batch) continue;
            texts.text(100 * from / axis_.end + 0.3, 12, (s.backward ? "B" : "F") + std::to_string(s.batch), "start",
                       width < 10 ? "on narrow" : "on");
        }
        add_row(one, name, " steps", name + ": forward and backward steps", texts);
    }
    // Gaps are what the other strokes leave of one as long as the rank.
    void add_lane(std::size_t n) {
        const oplog::rank_answer& r = a_.ranks[n];
        lane one;
        if (r.account.span > 0) one.stroke(gap_class, axis_.begin[n], axis_.begin[n] + r.account.span);
        for (const time_slice& s : slices_of(r)) {
            if (s.which == gap_class) continue;
            one.stroke(s.which, axis_.begin[n] + s.begin, axis_.begin[n] + s.end);
            one.label(label_number(s.which, label_of(a_, s), s.waits() ? s.of->late : -1), s.of->batch);
        }
        add_row(one, joined({"rank ", r.rank}), is_slow(r.rank) ? " strong" : "", words_of(r));
    }
    // Strokes that show the same share a number, and so do equal texts. `late`: the rank that was waited for, or -1.
    std::size_t label_number(std::size_t kind, const std::string& words, std::int64_t late) {
        const auto [text, is_new_text] = texts_.try_emplace(shown_text(words), texts_.size());
        if (is_new_text) append(text_list_, {text_list_.empty() ? "" : ",\n", json_text(text->first)});
        std::string one = joined({"[", kind, ",", text->second});
        if (late >= 0) append(one, {",", late});
        const auto [at, is_new] = labels_.try_emplace(one, labels_.size());
        if (is_new) append(label_list_, {label_list_.empty() ? "" : ",", one, "]"});
        return at->second;
    }
    // What hovering shows; empty without lanes.
    std::string steps() const {
        if (lists_.empty()) return {};
        std::string to = "{\"kinds\":[";
        for (const time_class& c : classes_of_time) append(to, {"[\"", c.colour, "\",\"", c.name, "\"],"});
        append(to, {"[\"step\",\"forward\"],[\"back\",\"backward\"]],\n\"texts\":[", text_list_, "],\n\"labels\":[",
                    label_list_, "],\n\"lanes\":{", lists_, "}}"});
        return to;
    }
    // A row of pixels for each rank; a picture for light screens and one for dark ones.
    void add_pixels(std::size_t first, std::size_t last) {
        constexpr std::size_t columns = 800;
        const double scale = columns / axis_.end;
        constexpr std::size_t rows_of_page = 256;
        const std::size_t most =
            (std::max)(std::size_t{32}, rows_of_page / (std::max)(a_.stages.size(), std::size_t{1}));
        const std::size_t per_row = (last - first + most - 1) / most;
        std::vector<unsigned char> pixels;
        for (std::size_t row = first; row < last; row += per_row) {
            std::vector<time_column> sum(columns, time_column{});
            const std::size_t end_of_row = (std::min)(last, row + per_row);
            for (std::size_t n = row; n != end_of_row; ++n) {
                const double begin = axis_.begin[order_[n]];
                std::vector<time_column> of_rank(columns, time_column{});
                for (const time_slice& s : slices_of(a_.ranks[order_[n]]))
                    add_to_columns(of_rank, (begin + s.begin) * scale, (begin + s.end) * scale, s.which);
                for (std::size_t x = 0; x != columns; ++x)
                    for (std::size_t c = 0; c != time_classes; ++c)
                        sum[x][c] += of_rank[x][c] / static_cast<float>(end_of_row - row);
            }
            for (std::size_t x = 0; x != columns; ++x) {
                const auto greatest = std::max_element(sum[x].begin(), sum[x].end());
                const auto which = static_cast<std::size_t>(greatest - sum[x].begin());
                // Unknown time is hatched. A class with less than a fifth of a column is not shown.
                const bool is_bare = which == unknown_class && (x + pixels.size() / columns) % 4 < 2;
                pixels.push_back(static_cast<unsigned char>(is_bare || !(*greatest > 0.2F) ? time_classes : which));
            }
        }
        std::string address[2];
        for (const bool dark : {false, true}) {
            std::vector<std::string_view> palette;
            for (const time_class& c : classes_of_time) palette.push_back(colour_of(c.colour, dark));
            palette.push_back(colour_of("lane", dark));
            address[dark ? 1 : 0] = png_address(pixels, columns, palette);
        }
        std::string ranks = joined({"ranks ", a_.ranks[order_[first]].rank, " to ", a_.ranks[order_[last - 1]].rank});
        if (per_row > 1) append(ranks, {", ", per_row, " a row"});
        const std::size_t height = (std::max)(std::size_t{48}, (std::min)(last - first, std::size_t{256}));
        page_.add(
            {page_.named(ranks, joined({"<picture><source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"",
                                        address[1], "\"><img height=\"", height, "\" alt=\"", ranks,
                                        ": the greatest class of each moment; sums are in the table above\" src=\"",
                                        address[0], "\"></picture>"}))});
    }

    void add_longest_waits() {
        if (!knows_waiting()) return;
        using wait = std::pair<std::size_t, const oplog::program_step*>;  // of which rank
        std::vector<wait> longest;  // equal waits by their ranks, and as the ranks came to them
        for (std::size_t n = 0; n != a_.ranks.size(); ++n)
            for (const oplog::program_step& s : a_.ranks[n].program) {
                if (!(s.waiting > 0.005) || !s.in_stage) continue;
                longest.insert(
                    std::upper_bound(longest.begin(), longest.end(), s.waiting,
                                     [](double waiting, const wait& w) { return waiting > w.second->waiting; }),
                    {n, &s});
                if (longest.size() > 12) longest.pop_back();
            }
        if (longest.empty()) return;
        page_.heading("The longest waits inside stages");
        page_.table(
            "", {text_column("rank"), text_column("waited for"), "ms", "from, ms", {"in", words_kind}, "micro-batch"});
        for (const auto& [n, s] : longest)
            page_.row({joined({"rank ", a_.ranks[n].rank}), s->late >= 0 ? joined({"rank ", s->late}) : "unknown",
                       ms_cell(s->waiting), ms_cell(axis_.begin[n] + s->start),
                       markup(label_of(a_, {0, 0, stage_class, s})), batch_text(s->batch, missing_value)});
    }

    lane_axis axis_;
    html_page page_;
    std::vector<std::size_t> order_;  // of ranks, by stage
    std::vector<stage_ranks> stages_;
    ordered_map<std::int64_t, std::size_t> place_;  // of a rank in the answers
    bool is_binned_ = false;                        // the lanes are pictures
    ordered_map<std::string, std::size_t> texts_;
    ordered_map<std::string, std::size_t> labels_;
    std::string text_list_;
    std::string label_list_;
    std::string lists_;  // of lanes
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
