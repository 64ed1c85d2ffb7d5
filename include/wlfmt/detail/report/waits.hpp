// Sections of the report of a run: who waited for whom, and what a change would gain.
#ifndef WLFMT_DETAIL_REPORT_WAITS_HPP
#define WLFMT_DETAIL_REPORT_WAITS_HPP

#include "lanes.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct wait_matrix {
    explicit wait_matrix(std::vector<std::string> all)
        : names(std::move(all)), cells(names.size() * names.size()), rows(names.size()) {}
    oplog::bounded& at(std::size_t row, std::size_t column) { return cells[row * names.size() + column]; }
    double greatest() const {
        double most = 0;
        for (const oplog::bounded& one : cells) most = (std::max)(most, one.number());
        return most;
    }
    oplog::bounded sum() const {
        oplog::bounded all;
        for (std::size_t row = 0; row != names.size(); ++row) all += waited(row);
        return all;
    }
    oplog::bounded waited(std::size_t row) const {
        oplog::bounded all = rows[row];
        for (std::size_t column = 0; column != names.size(); ++column) all += cells[row * names.size() + column];
        return all;
    }
    oplog::bounded caused(std::size_t column) const {
        oplog::bounded all;
        for (std::size_t row = 0; row != names.size(); ++row) all += rows[row] + cells[row * names.size() + column];
        return all;
    }
    std::vector<std::string> names;
    std::vector<oplog::bounded> cells;
    std::vector<oplog::bounded> rows;  // 0, with the limits of what the row's ranks waited
};
// `has_self`: nobody waits for itself. `most` has the strongest colour.
inline void add_matrix(html_page& page, const std::string& caption, const wait_matrix& of, const std::string& colour,
                       bool has_self, double most) {
    const std::size_t size = of.names.size();
    if (size < 2) return;
    page.table("matrix", {"<span class=\"unseen\">waits</span>"}, caption);
    for (const std::string& name : of.names) page.add_columns({name});
    page.add_columns({"waited"});
    for (std::size_t row = 0; row != size; ++row) {
        page.row({of.names[row]});
        for (std::size_t column = 0; column != size; ++column) {
            const oplog::bounded& ms = of.cells[row * size + column];
            const bool is_shown = ms.number() >= 0.05;
            html_cell cell("");
            if (ms.number() != 0) cell = ms_cell(ms);
            if (!is_shown) cell.text.clear();
            if (has_self && row == column) cell.kind = "n self";
            else if (is_shown) cell.kind = joined({"n ", colour, shade_of(ms.number(), most)});
            page.add_cells({cell});
        }
        page.add_cells({ms_cell(of.waited(row))});
    }
    page.foot();
    page.row({"caused"});
    for (std::size_t column = 0; column != size; ++column) page.add_cells({ms_cell(of.caused(column))});
    page.add_cells({ms_cell(of.sum())});
}
inline std::string calls_of(const oplog::rank_answer& r) {
    return joined({count_markup(r.late), " of ", count_markup(r.peered), " calls"});
}
inline void add_culprits(run_page& p) {
    const oplog::run_answers& a = p.a;
    std::vector<std::size_t> order = ranks_by_caused(a);
    order.resize((std::min)(order.size(), std::size_t{20}));
    while (!order.empty() && !(a.ranks[order.back()].caused.number() > 0)) order.pop_back();
    if (order.empty()) return;
    p.page.heading("The ranks that others waited for longest");
    p.page.legend("A rank that had waited itself is late through no work of its own: see what its own excess is.");
    p.page.table(
        "", {text_column("rank"), "stage", "caused, ms", "of all", "more work than its peers, ms", "came last in"});
    for (const std::size_t n : order) {
        const oplog::rank_answer& r = a.ranks[n];
        p.page.row({joined({"rank ", r.rank}), r.stage ? std::to_string(*r.stage) : missing_value, ms_cell(r.caused),
                    percent_cell(r.caused / a.total.stage_waiting), ms_cell(r.excess), calls_of(r)});
    }
}
// Shows waiting in a stage by rank, and for the pipeline by stage.
inline void add_waits(run_page& p) {
    const oplog::run_answers& a = p.a;
    html_page& page = p.page;
    if (!knows_waiting(a) || a.waits.empty()) return;
    // Nobody waits for a rank outside its stage. Several of many ranks share a row and column.
    const bool many = p.has_many_ranks();
    const std::size_t most = a.stages.size() > 4 ? 8 : 16;
    std::size_t greatest = 1;
    std::vector<wait_matrix> stages;
    std::vector<std::pair<std::size_t, std::size_t>> places(a.ranks.size());  // of ranks: stage and row
    for (const auto& [first, last, shown] : p.stages) {
        const std::size_t per_row = many ? (last - first + most - 1) / most : 1;
        greatest = (std::max)(greatest, per_row);
        std::vector<std::string> names;
        std::vector<oplog::bounded> rows;
        for (std::size_t row = first; row < last; row += per_row) {
            const std::size_t end = (std::min)(last, row + per_row);
            rows.emplace_back();
            for (std::size_t n = row; n != end; ++n) {
                places[p.order[n]] = {stages.size(), names.size()};
                rows.back().limit_to(a.ranks[p.order[n]].account.stage_waiting.what());
            }
            names.push_back(std::to_string(a.ranks[p.order[row]].rank));
            if (end != row + 1) append(names.back(), {"&ndash;", a.ranks[p.order[end - 1]].rank});
        }
        stages.emplace_back(std::move(names));
        stages.back().rows = std::move(rows);
    }
    std::vector<std::string> names;
    ordered_map<std::int64_t, std::size_t> row_of;
    for (const oplog::stage_answer& one : a.stages) {
        row_of.try_emplace(one.stage, names.size());
        names.push_back(std::to_string(one.stage));
    }
    wait_matrix between(std::move(names));
    for (const oplog::rank_answer& r : a.ranks)
        if (const auto row = row_of.find(r.stage.value_or(-1)); row != row_of.end())
            between.rows[row->second].limit_to(r.account.pipeline_waiting.what());
    bool in_stage = false;
    for (const oplog::wait_answer& w : a.waits) {
        const auto late = p.place.find(w.late);
        const auto waiting = p.place.find(w.waiting);
        if (late == p.place.end() || waiting == p.place.end()) continue;
        const auto [stage, row] = places[waiting->second];
        const auto [stage_of_late, column] = places[late->second];
        const auto from = row_of.find(p.stage_of(waiting->second));
        const auto to = row_of.find(p.stage_of(late->second));
        if (stage == stage_of_late && oplog_operations::is_in_stage(w.group)) {
            in_stage = true;
            stages[stage].at(row, column) += w.time;
        } else if (from != row_of.end() && to != row_of.end()) {
            between.at(from->second, to->second) += w.time;
        }
    }
    // One scale for all matrices of the page.
    double most_of_cells = (std::max)(between.greatest(), 1e-9);
    for (const wait_matrix& one : stages) most_of_cells = (std::max)(most_of_cells, one.greatest());

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
        const oplog::rank_answer& r = a.ranks[p.place.at(who[0])];
        if (r.peered.number() > 0) append(note, {"Rank ", r.rank, " came last in ", calls_of(r), ". "});
        for (const oplog::remedy& one : a.replay.remedies)
            if (one.what == oplog::remedy::change::rank_as_peers && one.rank == r.rank &&
                one.gain.number() < 0.2 * r.caused.number())
                append(note, {"<b>Alone it is worth ", ms_markup(one.gain), ", not ", ms_markup(r.caused),
                              "</b>: if it worked as its peers, the next late rank would take its place. "});
    }
    oplog::bounded more;
    for (const oplog::group_answer& g : a.groups) more += g.waiting_more;
    if (more.number() >= 1)
        append(note, {ms_markup(more.limited(oplog::limit::most)), " more of asynchronous calls may be waiting."});
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

// Remedies first, and below them what nobody can have: it says how much there is to gain at most.
inline void add_remedies(run_page& p) {
    const oplog::run_answers& a = p.a;
    const oplog::replay_answer& replay = a.replay;
    if (!knows_waiting(a) || replay.reason != oplog::replay_answer::obstacle::none || replay.remedies.empty()) return;
    const oplog::remedy* const best = best_remedy(a);
    p.page.section(
        "whatif",
        best == nullptr ? "No single change gains half a per cent of the iteration"
                        : joined({capitalised(remedy_text(*best)), " would save ", ms_markup(best->gain), ", ",
                                  percent_markup(best->gain / replay.iteration, 0), " of the iteration"}),
        joined({"What one change alone would gain; gains do not add up. The ranks' programs are replayed with the "
                "measured work, the least transfer of each call and the measured order. The run as it is comes out at ",
                replay_markup(a), "."}));
    double most = 0;
    for (const oplog::remedy& r : replay.remedies) most = (std::max)(most, r.gain.number());
    p.page.table("wide", {text_column("what if"), bar_column(), "gain, ms", "of the iteration", "would take, ms"});
    for (const oplog::remedy& r : replay.remedies)
        p.page.row({joined({r.is_limit ? capitalised(remedy_text(r)) : strong(capitalised(remedy_text(r))),
                            "<br><small>", explanation_of(r), r.is_limit ? "; a limit" : "", "</small>"}),
                    bar_cell(most > 0 ? 100 * r.gain.number() / most : 0, r.is_limit ? "outline" : "work",
                             milliseconds_text(r.gain)),
                    ms_cell(r.gain), percent_cell(r.gain / replay.iteration), ms_cell(replay.iteration - r.gain)});
}

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
