// Sections of the report of a run: what experts exchange, and how fast bytes move.
#ifndef WLFMT_ANALYSIS_REPORT_COMMUNICATION_HPP
#define WLFMT_ANALYSIS_REPORT_COMMUNICATION_HPP

#include "../library.hpp"
#include "lanes.hpp"

namespace wlfmt::analysis {

// The bytes of the calls that all members of a group have. If some calls are left out, this is a lower limit.
inline bounded sent_bytes(const imbalance_answer& group, double bytes) noexcept {
    return group.is_partial ? bounded::no_less(bytes) : bounded(bytes);
}
// Adds a row for each rank of an expert group, with a shade for each micro-batch. Rows that ranks share show the mean.
inline void add_bytes_by_batch(run_page& p) {
    const run_answers& a = p.a;
    std::size_t ranks = 0;
    bounded greatest;
    const auto has_batches = [](const imbalance_answer& group) {
        return group.batches.size() > 1 && group.batch_bytes.size() == group.batches.size() * group.ranks.size() &&
               !group.ranks.empty();
    };
    for (const imbalance_answer& group : a.imbalance) {
        if (!has_batches(group)) continue;
        ranks += group.ranks.size();
        greatest = greater_of(greatest,
                              sent_bytes(group, *std::max_element(group.batch_bytes.begin(), group.batch_bytes.end())));
    }
    if (!(greatest.number() > 0)) return;
    const std::size_t per_row = (ranks + max_plot_lanes - 1) / max_plot_lanes;
    p.page.heading("Bytes by micro-batch, from the first to the last");
    p.page.legend(joined({"The stronger the colour, the more: up to ", shown(greatest, bytes_text), " of a rank.",
                          per_row > 1 ? joined({" A row is the mean of up to ", per_row, " ranks."}) : ""}));
    p.page.add({"\n"});
    for (const imbalance_answer& group : a.imbalance) {
        const std::size_t width = group.ranks.size();
        const std::size_t batches = group.batches.size();
        for (std::size_t row = 0; has_batches(group) && row < width; row += per_row) {
            const std::size_t end = (std::min)(width, row + per_row);
            std::string paths[11];
            std::size_t last = 11;  // the shade of the last square
            const std::string name =
                end == row + 1 ? joined({"rank ", group.ranks[row]})
                : end == row + 2
                    ? joined({"ranks ", group.ranks[row], ", ", group.ranks[row + 1]})
                    : joined({counted_text(end - row, "rank"), ", ", group.ranks[row], " to ", group.ranks[end - 1]});
            std::string words = name;
            for (std::size_t batch = 0; batch != batches; ++batch) {
                double mean = 0;
                for (std::size_t n = row; n != end; ++n)
                    mean += group.batch_bytes[batch * width + n] / static_cast<double>(end - row);
                append(words, {batch == 0 ? ": " : ", ", message(sent_bytes(group, mean), bytes_text)});
                const auto shade =
                    mean > 0 ? static_cast<std::size_t>(shade_of(mean, greatest.number())) : std::size_t{0};
                if (shade != last) append(paths[shade], {"M", batch, " 5"});
                paths[shade].append("h1");
                last = shade;
            }
            shapes squares;
            for (std::size_t n = 1; n != 11; ++n) squares.path(paths[n], "heat" + std::to_string(n));
            p.page.add({html_page::named(name, joined({"<svg class=\"time\" height=\"10\" viewBox=\"0 0 ", batches,
                                                       " 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
                                                       words, "\">", squares.body(), "</svg>"}))});
        }
    }
}
// Shows whether the bytes that ranks of expert groups send explain their work.
inline void add_experts(run_page& p) {
    const run_answers& a = p.a;
    const imbalance_answer* worst = nullptr;
    std::vector<std::pair<const rank_answer*, bounded>> points;  // ranks with their bytes
    double max_bytes = 1;
    double most_work = 1e-9;
    for (const imbalance_answer& group : a.imbalance) {
        if (group.greatest_rank && group.ratio.number() >= 1.1 &&
            (worst == nullptr || group.ratio.number() > worst->ratio.number()))
            worst = &group;
        for (std::size_t n = 0; group.greatest_rank && n != (std::min)(group.ranks.size(), group.bytes.size()); ++n) {
            const auto at = p.place.find(group.ranks[n]);
            if (at == p.place.end()) continue;
            points.emplace_back(&a.ranks[at->second], sent_bytes(group, group.bytes[n]));
            max_bytes = (std::max)(max_bytes, group.bytes[n]);
            most_work = (std::max)(most_work, points.back().first->account.work.number());
        }
    }
    if (worst == nullptr) return;
    p.page.section("experts",
                   joined({worst->correlation.at_least() >= 0.9 ? "Bytes explain the work: rank " : "Rank ",
                           *worst->greatest_rank, " exchanges ", times_markup(worst->ratio), " the mean of its group"}),
                   "Work over the bytes of the all-to-all calls whose sizes differ between ranks; correlation in that "
                   "group: " +
                       shown(worst->correlation, [](double v) { return fixed_text(v, 2); }) + ".");
    constexpr double height = 260;
    // Points stay at least 12 pixels below the top, so that none is cut.
    constexpr double top_margin = 12;
    shapes drawn("%");
    const auto [unit, unit_name] = max_bytes >= 0x1p30   ? std::pair(0x1p30, "GiB")
                                   : max_bytes >= 0x1p20 ? std::pair(0x1p20, "MiB")
                                                         : std::pair(0x1p10, "KiB");
    const auto x_of = [&](double bytes) { return 1 + 96 * bytes / (1.08 * max_bytes); };
    const auto y_of = [&](double work) { return height - (height - top_margin) * work / (1.08 * most_work); };
    drawn.line(0, height, 100, height, "line");
    const double across = axis_step(max_bytes / unit, 5);
    for (int n = 1; n * across <= 1.08 * max_bytes / unit; ++n)
        drawn.text(x_of(n * across * unit), height + 16, fixed_text(n * across, axis_decimals(across)), "middle");
    const double up = axis_step(most_work, 5);
    for (int n = 1; n * up <= 1.08 * most_work; ++n) {
        drawn.line(0, y_of(n * up), 100, y_of(n * up));
        drawn.text(0, y_of(n * up) - 3,
                   grouped_text(n * up, axis_decimals(up)) + ((n + 1) * up <= 1.08 * most_work ? "" : " ms of work"));
    }
    drawn.text(100, height + 34, joined({unit_name, " exchanged"}), "end");
    for (const auto& [r, bytes] : points) {
        std::string title =
            joined({"rank ", r->rank, ": ", message(bytes * (1 / unit), [](double v) { return fixed_text(v, 2); }), " ",
                    unit_name, ", ", milliseconds_text(r->account.work), " of work"});
        if (points.size() > max_plot_lanes) title.clear();  // the table has the numbers
        const double x = x_of(bytes.number());
        const double y = y_of(r->account.work.number());
        drawn.circle(x, y, 5, is_slow(a, r->rank) ? "stage" : "work", title);
        if (r->rank != *worst->greatest_rank && !(a.slowest_rank && is_slow(a) && r->rank == a.slowest_rank->rank))
            continue;
        drawn.text(x > 50 ? x - 1.2 : x + 1.2, y + 4, joined({"rank ", r->rank}), x > 50 ? "end" : "start", "on");
    }
    p.page.add({drawing(drawn, height + 40, "work over bytes; the numbers are in the table below")});
    add_bytes_by_batch(p);
    p.page.fold("The numbers of " + counted_text(points.size(), "rank"));
    p.page.table("sortable", {text_column("rank"), "bytes", "work, ms"});
    for (const auto& [r, bytes] : points)
        p.page.row({joined({"rank ", r->rank}), count_cell(bytes), ms_cell(r->account.work)},
                   joined({" data-expert=\"", r->rank, "\""}));
}

inline void add_communication(run_page& p) {
    const run_answers& a = p.a;
    if (!knows_waiting(a)) return;
    const bounded waiting = waiting_of(a.total);
    const bounded& unknown = a.total.unknown;
    const bounded rest = a.total.span - a.total.work - a.total.gaps;
    const bounded exposed = exposed_of(a);
    if (!(exposed.number() > 0)) return;
    std::string parts = joined({", and ", share_markup(waiting, exposed), " of that is waiting, not transfer"});
    if (unknown.number() > 0)
        parts =
            rest.is_exact()
                ? joined({"; ", share_markup(unknown, exposed), " of that cannot be divided into transfer and waiting"})
                // Time that is unknown may be work, too, and then is no part of the communication.
                : joined({"; ", share_markup(unknown, a.total.span), " of rank time is unknown"});
    p.page.section("communication",
                   joined({"Communication that nothing hides takes ", share_markup(exposed, a.total.span),
                           " of rank time", parts}),
                   "By kind of group, over all ranks; milliseconds.");
    p.page.table("wide sortable",
                 {text_column("group"), "calls", "bytes", "transfer", "waiting", "unknown", "hidden by work"});
    byte_cells bytes;
    for (const group_answer& g : a.groups)
        if (g.bytes.number() > 0) bytes.fit(g.bytes);
    for (const group_answer& g : a.groups) {
        if (std::find(a.alone.begin(), a.alone.end(), g.group) != a.alone.end()) continue;
        const bool is_optimizer = g.group == operations::model;
        const std::string group = markup(g.group);
        const std::string name = is_optimizer ? "in optimizer_step" : group == "pp" ? "pp (messages)" : group;
        p.page.row({name, count_cell(g.calls), g.bytes.number() > 0 ? bytes.cell(g.bytes) : html_cell(0, missing_value),
                    is_optimizer ? html_cell(missing_value) : ms_cell(g.transfer), ms_cell(g.waiting),
                    ms_cell(g.unknown), ms_cell(g.overlapped)},
                   joined({" data-group=\"", group, "\""}));
    }
    if (a.bandwidth.empty()) return;
    p.page.heading("Bandwidth of blocking calls");
    p.page.table("wide sortable", {text_column("group"), text_column("call"), "bytes a call", "calls", "least, ms",
                                   "median, ms", "GB/s", "bus GB/s", text_column("where")});
    const auto rate_cell = [](const bounded& v) { return v.is_known() ? ms_cell(v) : html_cell(missing_value); };
    byte_cells sizes;
    for (const bandwidth_answer& b : a.bandwidth)
        sizes.fit(b.size == b.unknown_size ? bounded()
                  : b.size == b.differs    ? b.bytes / b.calls
                                           : bounded(static_cast<double>(b.size)));
    for (const bandwidth_answer& b : a.bandwidth) {
        using place = group_of_ranks::place;
        const bounded mean = b.bytes / b.calls;
        p.page.row({markup(b.group), markup(shortened(b.function, 100)),
                    b.size == b.unknown_size ? html_cell("unknown")
                    : b.size == b.differs    ? says_something(mean)
                                                   ? html_cell(mean.number(), "mean " + sizes.cell(mean).text)
                                                   : html_cell("unknown")
                                             : sizes.cell(static_cast<double>(b.size)),
                    count_cell(b.calls), ms_cell(b.least_transfer), ms_cell(b.median_transfer), rate_cell(b.algorithm),
                    rate_cell(b.bus),
                    b.where == place::one_host        ? "one host"
                    : b.where == place::several_hosts ? "across hosts"
                                                      : "unknown"});
    }
    p.page.note(
        "GB/s are bytes over transfer, which is the least duration of any member of a call. Small calls measure "
        "latency. Bytes that the logs do not have are not guessed.");
}

}  // namespace wlfmt::analysis

#endif
