// Sections of the report of a run: where each rank spent its time, and when.
#ifndef WLFMT_ANALYSIS_REPORT_LANES_HPP
#define WLFMT_ANALYSIS_REPORT_LANES_HPP

#include <algorithm>
#include <map>

#include "../library.hpp"
#include "page.hpp"
#include "words.hpp"

namespace wlfmt::analysis {

// The forward and backward steps of a stage, as they were measured or as they are in ideal_schedule().
using pipeline_steps = std::vector<program_step>;

// The forward and backward steps of a rank; their times count from its first record.
inline pipeline_steps pipeline_steps_of(const run_answers& a, const rank_answer& rank) {
    pipeline_steps steps;
    for (const program_step& s : rank.program) {
        if (s.nested || s.operation >= a.names.size()) continue;
        const operation_kind kind = operations::facts_of(a.names[s.operation]).kind;
        if (kind != operation_kind::forward && kind != operation_kind::backward) continue;
        steps.push_back(s);
        steps.back().backward = kind == operation_kind::backward;
    }
    return steps;
}

// The same steps of all stages in an ideal schedule: each takes its stage's mean time and begins as soon as the steps
// that it needs have ended, without transfer between stages. Empty if forward and backward passes do not alternate (as
// with interleaved stages), or if part of the run is missing.
inline std::vector<pipeline_steps> ideal_schedule(const run_answers& a, std::vector<pipeline_steps> stages) {
    const std::size_t count = stages.size();
    const auto batches = static_cast<std::size_t>(a.micro_batches);
    if (count < 2 || count != a.stages.size() || batches == 0 || a.iterations != 1) return {};
    for (std::size_t n = 0; n != count; ++n) {
        if (stages[n].size() != 2 * batches || a.stages[n].ranks == 0 || !a.stages[n].busy.is_exact()) return {};
        std::vector<std::int64_t> open;  // micro-batches, in the order of their forward steps
        std::size_t done = 0;
        for (std::size_t at = 0; at != stages[n].size(); ++at) {
            const program_step& s = stages[n][at];
            if (s.backward != is_backward_in_turn(at, batches, count - 1 - n)) return {};
            if (!s.backward) open.push_back(s.batch);
            if (s.backward && open[done++] != s.batch) return {};
        }
        double back = 0;
        for (const rank_answer& r : a.ranks) {
            if (r.stage != a.stages[n].stage) continue;
            for (const operation_answer& o : r.operations)
                if (operations::facts_of(o.operation).kind == operation_kind::backward)
                    back += o.time.number() / static_cast<double>(a.stages[n].ranks);
        }
        back = (std::min)(back, a.stages[n].busy.number()) / static_cast<double>(batches);
        for (program_step& s : stages[n]) s.duration = s.backward ? back : a.stages[n].per_batch.number() - back;
    }
    std::vector<std::vector<double>> ends[2];  // the ends of each stage's forward (0) and backward (1) steps
    for (auto& times : ends) times.resize(count);
    std::vector<std::size_t> next(count);
    std::vector<double> clock(count);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t n = 0; n != count; ++n)
            for (; next[n] != stages[n].size(); ++next[n]) {
                program_step& s = stages[n][next[n]];
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

// A stage's ranks: `first` and `end` are positions in run_page::order. `shown` is a position in the answers: that of
// the run's slowest rank if this is in the stage, else that of the stage's first rank.
struct stage_ranks {
    std::size_t first;
    std::size_t end;
    std::size_t shown;
};
// What all sections of a page about a run need.
struct run_page {
    explicit run_page(const run_answers& answers) : a(answers), axis(axis_of(answers)), order(ranks_by_stage(answers)) {
        std::size_t steps = 0;
        for (std::size_t n = 0; n != a.ranks.size(); ++n) {
            place.try_emplace(a.ranks[n].rank, n);
            steps += a.ranks[n].program.size();
        }
        for (std::size_t n = 0; n != order.size(); ++n) {
            if (n == 0 || stage_of(order[n]) != stage_of(order[n - 1])) stages.push_back({n, n, order[n]});
            stages.back().end = n + 1;
            if (a.slowest_rank && a.ranks[order[n]].rank == a.slowest_rank->rank) stages.back().shown = order[n];
        }
        constexpr std::size_t max_steps_of_page = 30000;
        is_binned = a.ranks.size() > max_plot_lanes || steps > max_steps_of_page;
        if (!(axis.end > 0)) axis.end = 1;
    }
    std::int64_t stage_of(std::size_t n) const { return a.ranks[n].stage.value_or(-1); }
    std::string stage_name(std::size_t n) const {
        return a.ranks[n].stage ? joined({"stage ", *a.ranks[n].stage}) : "no stage";
    }
    bool has_many_ranks() const noexcept { return a.ranks.size() > max_plot_lanes; }

    const run_answers& a;
    html_page page;
    lane_axis axis;
    std::vector<std::size_t> order;  // the ranks by stage
    std::vector<stage_ranks> stages;
    std::map<std::int64_t, std::size_t> place;  // the position of each rank in the answers
    bool is_binned = false;                     // whether lanes are drawn as images
};

// The classes to show. If ranks were traced separately, waiting and transfer are not 0 but unknown, and left out.
inline std::vector<std::size_t> used_classes(const run_answers& a) {
    std::vector<std::size_t> used;
    for (std::size_t n = 0; n != time_classes; ++n)
        if (n == work_class || n == gap_class || (a.total.*classes_of_time[n].part).number() > 0 ||
            (n != unknown_class && knows_waiting(a)))
            used.push_back(n);
    return used;
}
inline std::string class_legend(const run_answers& a, bool has_parts = false) {
    std::vector<legend_entry> entries;
    for (const std::size_t n : used_classes(a))
        entries.push_back({classes_of_time[n].colour,
                           joined({classes_of_time[n].name, has_parts ? " " + strong(part_of_all(a, n)) : ""})});
    return legend_of(entries);
}
// The head of a class's column, whose colour stays beside the first word.
inline std::string column_of(const time_class& c) {
    const std::string_view first = c.name.substr(0, c.name.find(' '));
    return joined({"<span class=\"keyed\">", key_of(c.colour), first, "</span>", c.name.substr(first.size())});
}
inline std::string account_words(std::string name, const time_account& t) {
    for (const time_class& c : classes_of_time)
        if ((t.*c.part).number() > 0) append(name, {", ", c.name, " ", milliseconds_text(t.*c.part)});
    return name;
}
inline std::string account_words(const rank_answer& r) { return account_words(name_of_rank(r), r.account); }
// Adds a picture with a column for each rank.
inline void add_skyline(run_page& p) {
    const run_answers& a = p.a;
    std::vector<std::size_t> order = p.order;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        return p.stage_of(x) != p.stage_of(y) ? p.stage_of(x) < p.stage_of(y)
                                              : comes_before(a.ranks[x].account.work, a.ranks[y].account.work);
    });
    std::vector<legend_entry> classes;
    for (const time_class& c : classes_of_time) classes.push_back({c.colour, ""});
    std::vector<double> parts;
    for (const std::size_t n : order)
        for (const time_class& c : classes_of_time) parts.push_back((a.ranks[n].account.*c.part).number());
    p.page.add({class_legend(a)});
    p.page.add({stacked_columns(parts, classes, (std::max)(longest_span(a).number(), 1e-9), 240,
                                "the time of each rank, in the table below")});
    shapes names("%");
    for (const stage_ranks& stage : p.stages) {
        const double at = 100 * static_cast<double>(stage.first) / static_cast<double>(order.size());
        names.line(at, 0, at, 16, "line");
        names.text(at + 0.3, 13, p.stage_name(stage.shown));
    }
    p.page.add({drawing(names, 18, "stages")});
}
inline void add_account(run_page& p) {
    const run_answers& a = p.a;
    html_page& page = p.page;
    const std::vector<std::size_t> used = used_classes(a);
    const bool many = p.has_many_ranks();
    const bool knows = knows_waiting(a);
    const std::string method = many
                                   ? joined({". One column a rank, the most work of a stage first; the full height is ",
                                             ms_markup(longest_span(a))})
                                   : "; the classes add up to its span. Milliseconds";
    page.section("account", account_finding(a),
                 joined({"Every millisecond between the first and the last record of a rank is in exactly one class",
                         method, "."}));
    if (many) {
        add_skyline(p);
        page.fold("The numbers of all " + count_text(a.ranks.size()) + " ranks");
    }
    page.table("wide sortable account", {text_column("rank"), {"stage", "n secondary"}});
    if (!many) page.add_columns({bar_column()});
    for (const std::size_t n : used) page.add_columns({{column_of(classes_of_time[n]), "n"}});
    page.add_columns({"span"});
    if (knows) page.add_columns({"others waited for it"});
    const auto add_parts = [&](const time_account& t) {
        for (const std::size_t n : used) page.add_cells({ms_cell(t.*classes_of_time[n].part)});
        page.add_cells({ms_cell(t.span)});
    };
    const double full = longest_span(a).number();
    for (const std::size_t n : p.order) {
        const rank_answer& r = a.ranks[n];
        page.row({joined({"rank ", r.rank}),
                  {static_cast<double>(p.stage_of(n)), r.stage ? std::to_string(*r.stage) : missing_value}},
                 joined({is_slow(a, r.rank) ? " class=\"strong\"" : "", " data-rank=\"", r.rank, "\""}));
        if (!many) page.add_cells({drawing(account_bar(r.account, full, 14), 14, account_words(r))});
        add_parts(r.account);
        if (knows) page.add_cells({ms_cell(r.caused)});
    }
    page.foot();
    page.row({"all", ""}, " data-rank=\"all\"");
    if (!many) page.add_cells({""});
    add_parts(a.total);
    if (knows) page.add_cells({""});
}

inline constexpr std::size_t forward_kind = time_classes;
inline constexpr std::size_t lane_kinds = time_classes + 2;  // the classes, and forward and backward steps
inline std::int64_t lane_units(double ms) { return std::llround(100 * ms); }

// Each kind of time is drawn as a line whose dashes are its strokes, in hundredths of a millisecond; unknown time is
// drawn as a path, because its dashes serve as hatching. For hovering, a lane lists its labels in the order of time
// (number / 52 in decimal, if not 0, and a letter for number % 52), and the micro-batches that they belong to.
struct lane {
    std::string strokes[lane_kinds];
    std::int64_t ends[lane_kinds] = {};
    std::string labels;
    std::vector<std::int64_t> batches;  // the micro-batches of the labels

    void stroke(std::size_t kind, double begin, double end) {
        const std::int64_t gap = (std::max)(lane_units(begin) - ends[kind], std::int64_t{0});
        const std::int64_t size = (std::max)(lane_units(end) - ends[kind] - gap, std::int64_t{1});
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
inline std::string batch_text(std::int64_t batch, const char* otherwise) {
    return batch == program_step::no_batch ? otherwise : std::to_string(batch);
}
class lane_writer {
public:
    explicit lane_writer(run_page& p) : p_(p) {}

    void add_steps(const std::string& name, const pipeline_steps& steps, double begin) {
        if (steps.empty()) return;
        lane row;
        shapes texts("%");
        for (const program_step& s : steps) {
            const double from = begin + s.start;
            const std::size_t kind = forward_kind + (s.backward ? 1 : 0);
            row.stroke(kind, from, from + s.duration);
            row.label(label_number(kind, p_.a.names[s.operation]), s.batch);
            const double width = 100 * s.duration / p_.axis.end;
            if (width < 3.2 || s.batch == program_step::no_batch) continue;
            texts.text(100 * from / p_.axis.end + 0.3, 12, (s.backward ? "B" : "F") + std::to_string(s.batch), "start",
                       width < 10 ? "on narrow" : "on");
        }
        add_row(row, name, " steps", name + ": forward and backward steps", texts);
    }
    // Gaps are drawn as a single stroke from the rank's beginning to its end, which the other strokes partly cover.
    void add_rank(std::size_t n) {
        const rank_answer& r = p_.a.ranks[n];
        const double begin = p_.axis.begin[n];
        lane row;
        if (r.account.span.number() > 0) row.stroke(gap_class, begin, begin + r.account.span.number());
        for (const time_slice& s : rank_slices(r)) {
            if (s.which == gap_class) continue;
            row.stroke(s.which, begin + s.begin, begin + s.end);
            row.label(label_number(s.which, label_of(p_.a, s), s.waits() ? s.step->late : -1, s.sign()),
                      batch_of(p_.a.names, *s.step));
        }
        add_row(row, joined({"rank ", r.rank}), is_slow(p_.a, r.rank) ? " strong" : "", account_words(r));
    }
    // The lists of what hovering shows, as JSON; empty without lanes.
    std::string lists() const {
        if (lists_.empty()) return {};
        std::string text = "{\"kinds\":[";
        for (const time_class& c : classes_of_time) append(text, {"[\"", c.colour, "\",\"", c.name, "\"],"});
        append(text, {"[\"step\",\"forward\"],[\"back\",\"backward\"]],\n\"texts\":[", text_list_, "],\n\"labels\":[",
                      label_list_, "],\n\"lanes\":{", lists_, "}}"});
        return text;
    }

private:
    // `name` and `words` are written unescaped: pass nothing that comes from a file. `texts` is drawn over the strokes.
    void add_row(const lane& strokes, const std::string& name, std::string_view kind, const std::string& words,
                 const shapes& texts = shapes()) {
        std::string drawn = joined(
            {"<svg class=\"time\" viewBox=\"0 0 ", lane_units(p_.axis.end), " 10\" preserveAspectRatio=\"none\">"});
        constexpr std::size_t order[] = {gap_class,      work_class,    transfer_class, stage_class,
                                         pipeline_class, unknown_class, forward_kind,   forward_kind + 1};
        for (const std::size_t c : order) {
            if (strokes.strokes[c].empty()) continue;
            drawn += "<path d=\"M0 5";
            if (c != unknown_class) append(drawn, {"h", strokes.ends[c], "\" stroke-dasharray=\"0"});
            append(drawn, {strokes.strokes[c], "\" class=\"",
                           c < time_classes    ? classes_of_time[c].colour
                           : c == forward_kind ? "step"
                                               : "back",
                           "\"/>"});
        }
        drawn += "<use href=\"#ticks\"/></svg>";
        if (!texts.body().empty())
            drawn = joined({"<div>", drawn, "<svg class=\"texts\">", texts.body(), "</svg></div>"});
        p_.page.add({"<div class=\"row lane", kind, "\" data-name=\"", name,
                     "\" tabindex=\"0\" role=\"group\" aria-label=\"", words, "\"><span>", name, "</span>", drawn,
                     "</div>\n"});
        append(lists_, {lists_.empty() ? "\"" : ",\n\"", name, "\":[\"", strokes.labels, "\",["});
        for (std::size_t n = 0, first = 0; n != strokes.batches.size(); first = n) {
            const std::int64_t batch = strokes.batches[first];
            while (n != strokes.batches.size() && strokes.batches[n] == batch) ++n;
            append(lists_, {first == 0 ? "" : ",", batch_text(batch, "null"), ",", n - first});
        }
        lists_ += "]]";
    }
    // Equal labels share a number, and equal texts are listed once. `late`: the rank that was waited for, or -1.
    std::size_t label_number(std::size_t kind, const std::string& words, std::int64_t late = -1,
                             std::string_view sign = {}) {
        const auto [text, is_new_text] = texts_.try_emplace(shown_text(words), texts_.size());
        if (is_new_text) append(text_list_, {text_list_.empty() ? "" : ",\n", json_text(text->first)});
        std::string label = joined({"[", kind, ",", text->second});
        if (late >= 0 || !sign.empty()) append(label, {",", late});
        if (!sign.empty()) append(label, {",\"", sign, "\""});
        const auto [at, is_new] = labels_.try_emplace(label, labels_.size());
        if (is_new) append(label_list_, {label_list_.empty() ? "" : ",", label, "]"});
        return at->second;
    }

    run_page& p_;
    std::map<std::string, std::size_t> texts_;
    std::map<std::string, std::size_t> labels_;
    std::string text_list_;
    std::string label_list_;
    std::string lists_;
};

// Adds an image, once for light and once for dark screens. Each row of its pixels is a rank, or a mean of ranks.
inline void add_pixels(run_page& p, std::size_t first, std::size_t last) {
    constexpr std::size_t columns = 800;
    const double scale = columns / p.axis.end;
    constexpr std::size_t rows_of_page = 256;
    const std::size_t max_rows =
        (std::max)(std::size_t{32}, rows_of_page / (std::max)(p.a.stages.size(), std::size_t{1}));
    const std::size_t per_row = (last - first + max_rows - 1) / max_rows;
    std::vector<unsigned char> pixels;
    for (std::size_t row = first; row < last; row += per_row) {
        std::vector<time_column> sum(columns, time_column{});
        const std::size_t end_of_row = (std::min)(last, row + per_row);
        for (std::size_t n = row; n != end_of_row; ++n) {
            const double begin = p.axis.begin[p.order[n]];
            std::vector<time_column> of_rank(columns, time_column{});
            for (const time_slice& s : rank_slices(p.a.ranks[p.order[n]]))
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
    for (const medium on : {medium::light, medium::dark}) {
        std::vector<std::string_view> palette;
        for (const time_class& c : classes_of_time) palette.push_back(colour_of(c.colour, on));
        palette.push_back(colour_of("lane", on));
        address[on == medium::dark ? 1 : 0] = png_address(pixels, columns, palette);
    }
    std::string ranks = joined({"ranks ", p.a.ranks[p.order[first]].rank, " to ", p.a.ranks[p.order[last - 1]].rank});
    if (per_row > 1) append(ranks, {", ", per_row, " a row"});
    const std::size_t height = (std::max)(std::size_t{48}, (std::min)(last - first, std::size_t{256}));
    p.page.add({html_page::named(
        ranks,
        joined({"<div class=\"pixels\"><picture><source media=\"screen and (prefers-color-scheme: dark)\" ",
                "srcset=\"", address[1], "\"><img height=\"", height, "\" alt=\"", ranks,
                ": the greatest class of each moment; sums are in the table above\" src=\"", address[0],
                "\"></picture><svg viewBox=\"0 0 ", lane_units(p.axis.end),
                " 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><use href=\"#ticks\"/></svg></div>"}))});
}

// Adds a table of what each stage's bubble consists of.
inline void add_bubble(run_page& p) {
    const run_answers& a = p.a;
    if (!a.pipeline_time.is_known() || !knows_waiting(a)) return;
    p.page.heading("Stages in the pipeline's " + pipeline_markup(a));
    p.page.table("", {"stage", "mean busy, ms", "a micro-batch", "bubble", "before its first forward step",
                      "after its last backward step"});
    for (const stage_answer& s : a.stages)
        p.page.row({std::to_string(s.stage), ms_cell(s.busy), ms_cell(s.per_batch), ms_cell(s.bubble), ms_cell(s.fill),
                    ms_cell(s.drain)},
                   joined({" data-stage=\"", s.stage, "\""}));
}
inline void add_longest_waits(run_page& p) {
    const run_answers& a = p.a;
    if (!knows_waiting(a)) return;
    using wait = std::pair<std::size_t, const program_step*>;  // a rank and its step
    std::vector<wait> waits;
    for (std::size_t n = 0; n != a.ranks.size(); ++n)
        for (const program_step& s : a.ranks[n].program)
            if (s.waiting.number() > 0.005 && s.in_stage) waits.emplace_back(n, &s);
    if (waits.empty()) return;
    std::stable_sort(waits.begin(), waits.end(),
                     [](const wait& x, const wait& y) { return comes_before(x.second->waiting, y.second->waiting); });
    constexpr std::size_t max_waits = 12;
    waits.resize((std::min)(waits.size(), max_waits));
    p.page.heading("The longest waits inside stages");
    p.page.table("",
                 {text_column("rank"), text_column("waited for"), "ms", "from, ms", {"in", words_kind}, "micro-batch"});
    for (const auto& [n, s] : waits)
        p.page.row({joined({"rank ", a.ranks[n].rank}), s->late >= 0 ? joined({"rank ", s->late}) : "unknown",
                    ms_cell(s->waiting), ms_cell(bounded(p.axis.begin[n] + s->start)),
                    markup(label_of(a, {0, 0, stage_class, s})), batch_text(batch_of(a.names, *s), missing_value)});
}

// Adds lanes and returns what hovering over them shows.
inline std::string add_lanes(run_page& p) {
    const run_answers& a = p.a;
    html_page& page = p.page;
    std::vector<pipeline_steps> steps;
    for (const stage_ranks& stage : p.stages) steps.push_back(pipeline_steps_of(a, a.ranks[stage.shown]));
    std::vector<pipeline_steps> ideal;
    if (knows_waiting(a) && p.axis.is_common && is_whole(a)) ideal = ideal_schedule(a, steps);
    std::string method;
    if (knows_waiting(a)) method = "Waiting is drawn where it happens, inside asynchronous operations too. ";
    method += "Above the ranks of a stage: the forward (F) and backward (B) steps of one of them by micro-batch.";
    if (!ideal.empty())
        method +=
            " Ideal: the same steps, one forward and one backward pass in turn, each as long as the mean of its "
            "stage, with no transfer between stages.";
    if (a.together && a.clocks > 1)
        method += " " + counted_text(a.clocks, "clock") +
                  (p.axis.is_common ? " are aligned." : ", of which not all can be compared.");
    method += "<span class=\"scripted\"> Hover, or Tab to a lane and arrow keys: what, how long, for whom.";
    method += p.is_binned ? "</span>" : " Drag: zoom; double click or Escape: all.</span>";
    page.section("lanes", lanes_finding(a), method);
    page.add({class_legend(a)});
    page.add({"<div id=\"time-lanes\" data-end=\"", lane_units(p.axis.end), "\">\n"});
    lane_writer lanes(p);
    for (std::size_t n = 0; n != p.stages.size(); ++n) {
        const stage_ranks& stage = p.stages[n];
        const std::string name = p.stage_name(stage.shown);
        std::string busy;
        for (const stage_answer& s : a.stages)
            if (s.stage == p.stage_of(stage.shown) && busy_share(a, s).is_known() && knows_waiting(a))
                busy = joined({" <small>busy ", percent_markup(busy_share(a, s)), "</small>"});
        page.add({"<div class=\"stage-lanes\">\n"});
        page.heading(capitalised(name) + busy);
        lanes.add_steps(joined({"rank ", a.ranks[stage.shown].rank, ", steps"}), steps[n], p.axis.begin[stage.shown]);
        if (!ideal.empty()) lanes.add_steps(name + ", ideal", ideal[n], p.axis.begin[p.stages[0].shown]);
        if (p.is_binned) add_pixels(p, stage.first, stage.end);
        for (std::size_t row = stage.first; !p.is_binned && row != stage.end; ++row) lanes.add_rank(p.order[row]);
        page.add({"</div>\n"});
    }
    shapes axis("%");
    std::string ticks;
    const double step = axis_step(p.axis.end, 6);
    for (int n = 0; n * step <= p.axis.end; ++n) {
        axis.text(100 * n * step / p.axis.end, 13, grouped_text(n * step, axis_decimals(step)),
                  n * step < 0.88 * p.axis.end ? "start" : "end");
        append(ticks, {"M", lane_units(n * step), " 0v10"});
    }
    page.add(
        {html_page::named("ms", joined({"<svg id=\"time-axis\" height=\"18\"><defs><path id=\"ticks\" ",
                                        "class=\"tick\" d=\"", ticks, "\"/></defs><g>", axis.body(), "</g></svg>"}))});
    page.add({"</div>\n"});
    add_bubble(p);
    add_longest_waits(p);
    return lanes.lists();
}

}  // namespace wlfmt::analysis

#endif
