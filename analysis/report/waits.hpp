// Sections of the report of a run: who waited for whom, and what a change would gain.
#ifndef WLFMT_ANALYSIS_REPORT_WAITS_HPP
#define WLFMT_ANALYSIS_REPORT_WAITS_HPP

#include <map>

#include "../library.hpp"
#include "lanes.hpp"

namespace wlfmt::analysis {

struct wait_matrix {
    explicit wait_matrix(std::vector<std::string> labels)
        : names(std::move(labels)), cells(names.size() * names.size()), rows(names.size()) {}
    bounded& at(std::size_t row, std::size_t column) { return cells[row * names.size() + column]; }
    double greatest() const {
        double highest = 0;
        for (const bounded& cell : cells) highest = (std::max)(highest, cell.number());
        return highest;
    }
    bounded sum() const {
        bounded total = absent;
        for (std::size_t row = 0; row != names.size(); ++row) total += waited(row);
        return total;
    }
    bounded waited(std::size_t row) const {
        bounded total = rows[row];
        for (std::size_t column = 0; column != names.size(); ++column) total += cells[row * names.size() + column];
        return total;
    }
    bounded caused(std::size_t column) const {
        bounded total = absent;
        for (std::size_t row = 0; row != names.size(); ++row) total += rows[row] + cells[row * names.size() + column];
        return total;
    }
    std::vector<std::string> names;
    std::vector<bounded> cells;
    std::vector<bounded> rows;  // for each row: how much more its ranks may have waited
    bounded absent;             // how long ranks without a log may have waited, which have no row
};
// Adds a matrix. `has_self`: its diagonal is marked, as no rank waits for itself. `greatest` gets the strongest colour.
inline void add_matrix(html_page& page, const std::string& caption, const wait_matrix& matrix,
                       const std::string& colour, bool has_self, double greatest) {
    const std::size_t size = matrix.names.size();
    if (size < 2) return;
    page.table("matrix", {"<span class=\"unseen\">waits</span>"}, caption);
    for (const std::string& name : matrix.names) page.add_columns({name});
    page.add_columns({"waited"});
    for (std::size_t row = 0; row != size; ++row) {
        page.row({matrix.names[row]});
        for (std::size_t column = 0; column != size; ++column) {
            // In a lost call, any rank may have been waited for.
            const bounded ms = matrix.cells[row * size + column] + matrix.rows[row];
            const bool is_shown = ms.number() >= 0.05;
            html_cell cell("");
            if (ms.number() != 0) cell = ms_cell(ms);
            if (!is_shown) cell.text.clear();
            if (has_self && row == column) cell.kind = "n self";
            else if (is_shown) cell.kind = joined({"n ", colour, shade_of(ms.number(), greatest)});
            page.add_cells({cell});
        }
        page.add_cells({ms_cell(matrix.waited(row))});
    }
    page.foot();
    page.row({"caused"});
    for (std::size_t column = 0; column != size; ++column) page.add_cells({ms_cell(matrix.caused(column))});
    page.add_cells({ms_cell(matrix.sum())});
}
inline std::string calls_of(const rank_answer& r) {
    return joined(
        {count_markup(r.late), " of ", count_markup(r.last_of), r.last_of.number() == 1 ? " call" : " calls"});
}
inline void add_culprits(run_page& p) {
    const run_answers& a = p.a;
    std::vector<std::size_t> order = ranks_by_caused(a);
    order.resize((std::min)(order.size(), std::size_t{20}));
    while (!order.empty() && !(a.ranks[order.back()].caused.number() > 0)) order.pop_back();
    if (order.empty()) return;
    p.page.heading("The ranks that others waited for longest");
    p.page.legend("A rank that had waited itself is late through no work of its own: see what its own excess is.");
    p.page.table(
        "", {text_column("rank"), "stage", "caused, ms", "of all", "more work than its peers, ms", "came last in"});
    for (const std::size_t n : order) {
        const rank_answer& r = a.ranks[n];
        p.page.row({joined({"rank ", r.rank}), r.stage ? std::to_string(*r.stage) : missing_value, ms_cell(r.caused),
                    percent_cell(r.caused / a.total.stage_waiting), ms_cell(r.excess), calls_of(r)});
    }
}
// Shows who waited for whom: inside stages by rank, and for the pipeline by stage.
inline void add_waits(run_page& p) {
    const run_answers& a = p.a;
    html_page& page = p.page;
    if (!knows_waiting(a) || a.waits.empty()) return;
    // How much more a rank may have waited than its waits say. Where calls are lost, some have no rank that came last.
    const bool is_all_there = is_whole(a) && a.lost == 0;
    const auto more_of = [&](const bounded& waiting) {
        return is_all_there || waiting.is_exact() ? waiting.width() : waiting.at_most();
    };
    const auto take_known = [&](bounded& more, const bounded& waiting, const bounded& known) {
        if (!is_all_there && !waiting.is_exact()) more.widen(0, -known.number());
    };
    const bool any_absent = !a.missing_ranks.empty() || !a.left_out.empty();
    // Inside a stage, ranks wait only for each other. If there are many ranks, several share a row and a column.
    const bool many = p.has_many_ranks();
    const std::size_t max_rows = a.stages.size() > 4 ? 8 : 16;
    std::size_t greatest = 1;
    std::vector<wait_matrix> stages;
    std::vector<std::pair<std::size_t, std::size_t>> places(a.ranks.size());  // the stage and row of each rank
    for (const auto& [first, last, shown] : p.stages) {
        const std::size_t per_row = many ? (last - first + max_rows - 1) / max_rows : 1;
        greatest = (std::max)(greatest, per_row);
        std::vector<std::string> names;
        std::vector<bounded> rows;
        for (std::size_t row = first; row < last; row += per_row) {
            const std::size_t end = (std::min)(last, row + per_row);
            rows.emplace_back();
            for (std::size_t n = row; n != end; ++n) {
                places[p.order[n]] = {stages.size(), names.size()};
                rows.back().widen(0, more_of(a.ranks[p.order[n]].account.stage_waiting));
            }
            names.push_back(std::to_string(a.ranks[p.order[row]].rank));
            if (end != row + 1) append(names.back(), {"&ndash;", a.ranks[p.order[end - 1]].rank});
        }
        stages.emplace_back(std::move(names));
        stages.back().rows = std::move(rows);
        // It is not known for which ranks of its stage a rank without a log waited.
        const auto present = static_cast<std::int64_t>(last - first);
        if (any_absent && !(a.sizes && present * a.sizes->pipeline == a.sizes->world))
            stages.back().absent = bounded::no_less(0);
    }
    std::vector<std::string> names;
    std::map<std::int64_t, std::size_t> row_of;
    for (const stage_answer& stage : a.stages) {
        row_of.try_emplace(stage.stage, names.size());
        names.push_back(std::to_string(stage.stage));
    }
    wait_matrix between(std::move(names));
    for (const rank_answer& r : a.ranks)
        if (const auto row = row_of.find(r.stage.value_or(-1)); row != row_of.end())
            between.rows[row->second].widen(0, more_of(r.account.pipeline_waiting));
    // It is not known which ranks waited for a rank without a log.
    if (any_absent)
        for (bounded& row : between.rows) row.widen(0, bounded::unlimited);
    bool in_stage = false;
    for (const wait_answer& w : a.waits) {
        const auto late = p.place.find(w.late);
        const auto waiting = p.place.find(w.waiting);
        if (late == p.place.end() || waiting == p.place.end()) continue;
        const auto [stage, row] = places[waiting->second];
        const auto [stage_of_late, column] = places[late->second];
        const auto from = row_of.find(p.stage_of(waiting->second));
        const auto target = row_of.find(p.stage_of(late->second));
        const time_account& account = a.ranks[waiting->second].account;
        if (stage == stage_of_late && operations::is_in_stage(w.group)) {
            in_stage = true;
            take_known(stages[stage].rows[row], account.stage_waiting, w.time);
            stages[stage].at(row, column).add(w.time.number());
        } else if (from != row_of.end() && target != row_of.end()) {
            take_known(between.rows[from->second], account.pipeline_waiting, w.time);
            between.at(from->second, target->second).add(w.time.number());
        }
    }
    // All matrices of the page share one scale of colours.
    double most_of_cells = (std::max)(between.greatest(), 1e-9);
    for (const wait_matrix& matrix : stages) most_of_cells = (std::max)(most_of_cells, matrix.greatest());

    page.section("waits", waits_finding(a),
                 "In a blocking collective the rank with the shortest duration came last, in an asynchronous one the "
                 "rank that began last; where several came last, each has its share.");
    if (in_stage) {
        std::string legend =
            "Row: the rank that waits. Column: the rank it waits for. Milliseconds; the stronger the colour, the more";
        if (greatest > 1) append(legend, {", summed over up to ", greatest, " ranks a row and column"});
        page.legend(legend + ".");
        page.add({"<div class=\"blocks\">\n"});
        for (std::size_t n = 0; n != stages.size(); ++n)
            add_matrix(page, p.stage_name(p.stages[n].shown), stages[n], "stage", greatest == 1, most_of_cells);
        page.add({"</div>\n"});
    }
    if (many) add_culprits(p);
    std::string note;
    if (const auto who = culprits_of(a).first; who.size() == 1) {
        const rank_answer& r = a.ranks[p.place.at(who[0])];
        if (r.last_of.number() > 0) append(note, {"Rank ", r.rank, " came last in ", calls_of(r), ". "});
        for (const remedy& remedy : a.replay.remedies)
            if (remedy.what == remedy::change::rank_as_peers && remedy.rank == r.rank &&
                remedy.gain.number() < 0.2 * r.caused.number())
                append(note, {"<b>Alone it is worth ", ms_markup(remedy.gain), ", not ", ms_markup(r.caused),
                              "</b>: if it worked as its peers, the next late rank would take its place. "});
    }
    bounded more;
    for (const group_answer& g : a.groups) more += g.waiting_more;
    if (more.number() >= 1)
        append(note, {"Up to ", ms_markup(bounded(more.at_most())), " more of asynchronous calls may be waiting."});
    page.note(note);
    if (between.sum().number() == 0) return;
    if (between.names.size() == 1)
        return page.note("In optimizer_step the ranks waited " + ms_markup(between.sum()) + " for each other.");
    page.heading("Waiting for the pipeline");
    page.legend("Row: the stage that waits. Column: the stage it waits for, which may itself wait. Milliseconds.");
    page.add({"<div class=\"blocks\">\n"});
    add_matrix(page, "", between, "pipeline", false, most_of_cells);
    page.add({"</div>\n"});
}

// Shows the remedies, and below them changes that are impossible, as limits of what can be gained.
inline void add_remedies(run_page& p) {
    const run_answers& a = p.a;
    const replay_answer& replay = a.replay;
    if (!knows_waiting(a) || replay.reason != replay_answer::obstacle::none || replay.remedies.empty()) return;
    const remedy* const best = best_remedy(a);
    p.page.section(
        "whatif",
        best == nullptr
            ? joined({"No single change gains more than ",
                      a.replay.error.number() > 0.005
                          ? joined({"the error of the replay, ", percent_markup(a.replay.error), " of the iteration"})
                          : std::string("half a per cent of the iteration")})
            : joined({capitalised(remedy_text(*best)), " would save ", ms_markup(best->gain), ", ",
                      percent_markup(best->gain / replay.iteration), " of the iteration"}),
        joined({"What one change alone would gain; gains do not add up. The ranks' programs are replayed with the "
                "measured work, the least transfer of each call and the measured order. The run as it is comes out at ",
                replay_markup(a), "."}));
    double greatest = 0;
    for (const remedy& r : replay.remedies) greatest = (std::max)(greatest, r.gain.number());
    p.page.table("wide", {text_column("what if"), bar_column(), "gain, ms", "of the iteration", "would take, ms"});
    for (const remedy& r : replay.remedies)
        p.page.row({joined({r.is_limit ? capitalised(remedy_text(r)) : strong(capitalised(remedy_text(r))),
                            "<br><small>", explanation_of(r), r.is_limit ? "; a limit" : "", "</small>"}),
                    bar_cell(greatest > 0 ? 100 * r.gain.number() / greatest : 0, r.is_limit ? "outline" : "work",
                             milliseconds_text(r.gain)),
                    ms_cell(r.gain), percent_cell(r.gain / replay.iteration), ms_cell(replay.iteration - r.gain)});
    p.page.note(schedule_obstacle(a));
}

}  // namespace wlfmt::analysis

#endif
