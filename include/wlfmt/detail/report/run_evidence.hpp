// The second half of the report of a run: waiting, remedies, experts, communication, and what the numbers rest on.
#ifndef WLFMT_DETAIL_REPORT_RUN_EVIDENCE_HPP
#define WLFMT_DETAIL_REPORT_RUN_EVIDENCE_HPP

#include <numeric>

#include "run.hpp"

#include "../base/config.hpp"

namespace wlfmt { inline namespace WLFMT_ABI { namespace detail {

struct run_report : run_lanes {
    explicit run_report(const oplog::run_answers& a) : run_lanes(a) {}
    // `name` is a text; `json` what summary --json says, or nothing.
    std::string write(std::string_view name, std::string_view json) {
        page_.add({"<ol class=\"verdict\">\n"});
        for (const std::string& sentence : {time(), slow_rank(), bubble(), gain(), missing()})
            if (!a_.ranks.empty() && !sentence.empty()) page_.add({"<li>", sentence, "</li>\n"});
        page_.add({"</ol>\n"});
        if (!a_.ranks.empty()) {
            page_.add({drawing(account_bar(a_.total, a_.total.span, 24), 24, account())});
            page_.add({class_legend(true)});
            add_account();
            add_lanes();
            add_waits();
            add_remedies();
            add_experts();
            add_communication();
        }
        add_trust();
        add_terms();
        page_.data("summary", json);
        page_.data("steps", steps());
        constexpr std::string_view dot = " &middot; ";
        std::string source = joined({strong(markup(name)), dot, counted_text(a_.ranks.size(), "rank")});
        const oplog::run_sizes s = a_.sizes.value_or(oplog::run_sizes());
        const std::pair<std::int64_t, std::string_view> sizes[] = {
            {s.pipeline, " stages"}, {s.tensor, " tensor"}, {s.data(), " data"}, {s.expert, " expert"}};
        for (const auto& [size, of] : sizes)
            if (size > 1) append(source, {dot, size, of});
        if (a_.micro_batches != 0) append(source, {dot, micro_batches_text(a_.micro_batches)});
        return page_.finish(name, source, title());
    }

    struct wait_matrix {  // milliseconds
        explicit wait_matrix(std::vector<std::string> of) : names(std::move(of)), ms(names.size() * names.size()) {}
        double& at(std::size_t row, std::size_t column) { return ms[row * names.size() + column]; }
        double sum() const { return std::accumulate(ms.begin(), ms.end(), 0.0); }
        std::vector<std::string> names;
        std::vector<double> ms;
    };
    // Shows waiting in a stage by rank, and for the pipeline by stage.
    void add_waits() {
        if (!knows_waiting() || a_.waits.empty()) return;
        // Nobody waits for a rank outside its stage. Several of many ranks share a row and column.
        const bool many = a_.ranks.size() > most_lanes;
        const std::size_t most = a_.stages.size() > 4 ? 8 : 16;
        std::size_t greatest = 1;
        std::vector<wait_matrix> stages;
        std::vector<std::pair<std::size_t, std::size_t>> places(a_.ranks.size());  // of ranks: stage and row
        for (const auto& [first, last, shown] : stages_) {
            const std::size_t per_row = many ? (last - first + most - 1) / most : 1;
            greatest = (std::max)(greatest, per_row);
            std::vector<std::string> names;
            for (std::size_t row = first; row < last; row += per_row) {
                const std::size_t end = (std::min)(last, row + per_row);
                for (std::size_t n = row; n != end; ++n) places[order_[n]] = {stages.size(), names.size()};
                names.push_back(std::to_string(a_.ranks[order_[row]].rank));
                if (end != row + 1) append(names.back(), {"&ndash;", a_.ranks[order_[end - 1]].rank});
            }
            stages.emplace_back(std::move(names));
        }
        std::vector<std::string> names;
        ordered_map<std::int64_t, std::size_t> row_of;
        for (const oplog::stage_answer& one : a_.stages) {
            row_of.try_emplace(one.stage, names.size());
            names.push_back(std::to_string(one.stage));
        }
        wait_matrix between(std::move(names));
        bool in_stage = false;
        for (const oplog::wait_answer& w : a_.waits) {
            const auto late = place_.find(w.late);
            const auto waiting = place_.find(w.waiting);
            if (late == place_.end() || waiting == place_.end()) continue;
            const auto [stage, row] = places[waiting->second];
            const auto [stage_of_late, column] = places[late->second];
            const auto from = row_of.find(stage_of(waiting->second));
            const auto to = row_of.find(stage_of(late->second));
            if (stage == stage_of_late && oplog_operations::is_in_stage(w.group)) {
                in_stage = true;
                stages[stage].at(row, column) += w.time;
            } else if (from != row_of.end() && to != row_of.end()) {
                between.at(from->second, to->second) += w.time;
            }
        }

        page_.section(
            "waits", blame(),
            "In a blocking collective the rank with the shortest duration came last, in an asynchronous one the "
            "rank that began last; where several came last, each has its share.");
        if (in_stage) {
            std::string legend = "Row: the rank that waits. Column: the rank it waits for. Milliseconds";
            if (greatest > 1) append(legend, {", summed over up to ", greatest, " ranks a row and column"});
            page_.legend(legend + ".");
            page_.add({"<div class=\"blocks\">\n"});
            for (std::size_t n = 0; n != stages.size(); ++n)
                add_matrix(stage_name(stages_[n].shown), stages[n], "stage", greatest == 1);
            page_.add({"</div>\n"});
        }
        if (many) add_culprits();
        std::string note;
        if (const auto who = culprits().first; who.size() == 1) {
            const oplog::rank_answer& r = a_.ranks[place_.at(who[0])];
            if (r.peered != 0) append(note, {"Rank ", r.rank, " came last in ", calls_of(r), ". "});
            for (const oplog::remedy& one : a_.replay.remedies)
                if (one.what == oplog::remedy::change::rank_as_peers && one.rank == r.rank && one.gain < 0.2 * r.caused)
                    append(note, {"<b>Alone it is worth ", ms_markup(one.gain), ", not ", ms_markup(r.caused),
                                  "</b>: if it worked as its peers, the next late rank would take its place. "});
        }
        double more = 0;
        for (const oplog::group_answer& g : a_.groups) more += g.waiting_more;
        if (more >= 1) append(note, {"At most ", ms_markup(more), " more of asynchronous calls may be waiting."});
        page_.note(note);
        if (between.sum() == 0) return;
        if (between.names.size() == 1)
            return page_.note("In optimizer_step the ranks waited " + ms_markup(between.sum()) + " for each other.");
        page_.heading("Waiting for the pipeline");
        page_.legend("Row: the stage that waits. Column: the stage it waits for, which may itself wait. Milliseconds.");
        page_.add({"<div class=\"blocks\">\n"});
        add_matrix("", between, "pipeline", false);
        page_.add({"</div>\n"});
    }
    // `has_self`: nobody waits for itself.
    void add_matrix(const std::string& caption, const wait_matrix& of, const std::string& colour, bool has_self) {
        const std::size_t size = of.names.size();
        if (size < 2) return;
        const double most = (std::max)(*std::max_element(of.ms.begin(), of.ms.end()), 1e-9);
        page_.table("matrix", {""}, caption);
        for (const std::string& name : of.names) page_.add_columns({name});
        page_.add_columns({"waited"});
        std::vector<double> caused(size);
        for (std::size_t row = 0; row != size; ++row) {
            page_.row({of.names[row]});
            double waited = 0;
            for (std::size_t column = 0; column != size; ++column) {
                const double ms = of.ms[row * size + column];
                waited += ms;
                caused[column] += ms;
                html_cell cell("");
                if (ms != 0) cell = {ms, ms >= 0.05 ? milliseconds_text(ms) : ""};
                if (has_self && row == column) cell.kind = "n self";
                else if (ms >= 0.05) cell.kind = joined({"n ", colour, static_cast<int>(std::ceil(10 * ms / most))});
                page_.add_cells({cell});
            }
            page_.add_cells({ms_cell(waited)});
        }
        page_.foot();
        page_.row({"caused"});
        for (const double ms : caused) page_.add_cells({ms_cell(ms)});
        page_.add_cells({ms_cell(of.sum())});
    }
    void add_culprits() {
        std::vector<std::size_t> order = ranks_by_caused();
        order.resize((std::min)(order.size(), std::size_t{20}));
        while (!order.empty() && !(a_.ranks[order.back()].caused > 0)) order.pop_back();
        if (order.empty()) return;
        page_.heading("The ranks that others waited for longest");
        page_.table("", {text_column("rank"), "stage", "caused, ms", "of all", "came last in"});
        for (const std::size_t n : order) {
            const oplog::rank_answer& r = a_.ranks[n];
            page_.row({joined({"rank ", r.rank}), r.stage ? std::to_string(*r.stage) : missing_value, ms_cell(r.caused),
                       percent_markup(r.caused, a_.total.stage_waiting), calls_of(r)});
        }
    }
    static std::string calls_of(const oplog::rank_answer& r) {
        return joined({count_text(r.late), " of ", count_text(r.peered), " calls"});
    }

    // Remedies first, and below them what nobody can have: it says how much there is to gain at most.
    void add_remedies() {
        const oplog::replay_answer& replay = a_.replay;
        if (!knows_waiting() || replay.reason != oplog::replay_answer::obstacle::none || replay.remedies.empty())
            return;
        const oplog::remedy* const best = best_remedy();
        page_.section(
            "whatif",
            best == nullptr ? "No single change gains half a per cent of the iteration"
                            : joined({capitalised(remedy(*best)), " would save ", ms_markup(best->gain), ", ",
                                      percent_markup(best->gain, replay.iteration, 0), " of the iteration"}),
            joined({"What one change alone would gain; gains do not add up. The ranks' programs are replayed with the "
                    "measured work, the least transfer of each call and the measured order. The run as it is comes out "
                    "at ",
                    replay_error(), "."}));
        double most = 0;
        for (const oplog::remedy& r : replay.remedies) most = (std::max)(most, r.gain);
        page_.table("wide", {text_column("what if"), bar_column(), "gain, ms", "of the iteration", "would take, ms"});
        for (const oplog::remedy& r : replay.remedies)
            page_.row({joined({r.is_limit ? capitalised(remedy(r)) : strong(capitalised(remedy(r))), "<br><small>",
                               explained(r), r.is_limit ? "; a limit" : "", "</small>"}),
                       bar_cell(most > 0 ? 100 * r.gain / most : 0, r.is_limit ? "outline" : "work",
                                milliseconds_text(r.gain) + " ms"),
                       ms_cell(r.gain), percent_markup(r.gain, replay.iteration), ms_cell(replay.iteration - r.gain)});
    }

    // Where ranks of an expert group send different numbers of bytes: do these explain the work?
    void add_experts() {
        const oplog::imbalance_answer* worst = nullptr;
        std::vector<std::pair<const oplog::rank_answer*, double>> points;  // ranks with their bytes
        double most_bytes = 1;
        double most_work = 1e-9;
        for (const oplog::imbalance_answer& one : a_.imbalance) {
            if (one.greatest_rank && one.ratio >= 1.1 && (worst == nullptr || one.ratio > worst->ratio)) worst = &one;
            for (std::size_t n = 0; one.greatest_rank && n != (std::min)(one.ranks.size(), one.bytes.size()); ++n) {
                const auto at = place_.find(one.ranks[n]);
                if (at == place_.end()) continue;
                points.emplace_back(&a_.ranks[at->second], one.bytes[n]);
                most_bytes = (std::max)(most_bytes, one.bytes[n]);
                most_work = (std::max)(most_work, points.back().first->account.work);
            }
        }
        if (worst == nullptr) return;
        page_.section(
            "experts",
            joined({worst->correlation >= 0.9 ? "Bytes explain the work: rank " : "Rank ", *worst->greatest_rank,
                    " exchanges ", fixed_text(worst->ratio, 2), " times the mean of its group"}),
            "Work over the bytes of the all-to-all calls whose sizes differ between ranks; correlation in that "
            "group: " +
                fixed_text(worst->correlation, 2) + ".");
        constexpr double height = 260;
        shapes to("%");
        const auto [unit, unit_name] = most_bytes >= 1e9 ? std::pair(1e9, "GB") : std::pair(1e6, "MB");
        const auto x_of = [&](double bytes) { return 98 * bytes / (1.08 * most_bytes); };
        const auto y_of = [&](double work) { return height - height * work / (1.08 * most_work); };
        to.line(0, height, 100, height, "line");
        const double across = axis_step(most_bytes / unit, 5);
        for (int n = 1; n * across <= 1.08 * most_bytes / unit; ++n)
            to.text(x_of(n * across * unit), height + 16, fixed_text(n * across, axis_decimals(across)), "middle");
        const double up = axis_step(most_work, 5);
        for (int n = 1; n * up <= 1.08 * most_work; ++n) {
            to.line(0, y_of(n * up), 100, y_of(n * up));
            to.text(0, y_of(n * up) - 3,
                    grouped_text(n * up, axis_decimals(up)) + ((n + 1) * up <= 1.08 * most_work ? "" : " ms of work"));
        }
        to.text(100, height + 34, joined({unit_name, " exchanged"}), "end");
        for (const auto& [r, bytes] : points) {
            std::string title = joined({"rank ", r->rank, ": ", fixed_text(bytes / unit, 2), " ", unit_name, ", ",
                                        milliseconds_text(r->account.work), " ms of work"});
            if (points.size() > most_lanes) title.clear();  // the table has the numbers
            to.circle(x_of(bytes), y_of(r->account.work), 5, is_slow(r->rank) ? "stage" : "work", title);
        }
        page_.add({drawing(to, height + 40, "work over bytes; the numbers are in the table below")});
        add_bytes_by_batch();
        page_.fold("The numbers of " + counted_text(points.size(), "rank"));
        page_.table("sortable", {text_column("rank"), "bytes", "work, ms"});
        for (const auto& [r, bytes] : points)
            page_.row({joined({"rank ", r->rank}), {bytes, grouped_text(bytes, 0)}, ms_cell(r->account.work)},
                      joined({" data-expert=\"", r->rank, "\""}));
    }

    // A row of shades for each rank of an expert group, one a micro-batch. Many ranks share rows, which show means.
    void add_bytes_by_batch() {
        std::size_t ranks = 0;
        double most = 0;
        const auto has_batches = [](const oplog::imbalance_answer& one) {
            return one.batches.size() > 1 && one.batch_bytes.size() == one.batches.size() * one.ranks.size() &&
                   !one.ranks.empty();
        };
        for (const oplog::imbalance_answer& one : a_.imbalance) {
            if (!has_batches(one)) continue;
            ranks += one.ranks.size();
            most = (std::max)(most, *std::max_element(one.batch_bytes.begin(), one.batch_bytes.end()));
        }
        if (!(most > 0)) return;
        const std::size_t per_row = (ranks + most_lanes - 1) / most_lanes;
        page_.heading("Bytes by micro-batch, from the first to the last");
        page_.legend(joined({"The darker, the more: up to ", unbroken(bytes_text(most)), " of a rank.",
                             per_row > 1 ? joined({" A row is the mean of up to ", per_row, " ranks."}) : ""}));
        page_.add({"\n"});
        for (const oplog::imbalance_answer& one : a_.imbalance) {
            const std::size_t width = one.ranks.size();
            const std::size_t batches = one.batches.size();
            for (std::size_t row = 0; has_batches(one) && row < width; row += per_row) {
                const std::size_t end = (std::min)(width, row + per_row);
                std::string paths[11];
                std::size_t last = 11;  // shade
                const std::string name =
                    end == row + 1
                        ? joined({"rank ", one.ranks[row]})
                        : joined({counted_text(end - row, "rank"), ", ", one.ranks[row], " to ", one.ranks[end - 1]});
                std::string words = name;
                for (std::size_t batch = 0; batch != batches; ++batch) {
                    double mean = 0;
                    for (std::size_t n = row; n != end; ++n)
                        mean += one.batch_bytes[batch * width + n] / static_cast<double>(end - row);
                    append(words, {batch == 0 ? ": " : ", ", bytes_text(mean)});
                    const double tenths = 10 * mean / most * (1 - 1e-9);
                    const auto shade = static_cast<std::size_t>(tenths > 0 && tenths <= 10 ? std::ceil(tenths) : 0);
                    if (shade != last) append(paths[shade], {"M", batch, " 5"});
                    paths[shade].append("h1");
                    last = shade;
                }
                shapes to;
                for (std::size_t n = 1; n != 11; ++n) to.path(paths[n], "heat" + std::to_string(n));
                page_.add({page_.named(name, joined({"<svg class=\"time\" height=\"10\" viewBox=\"0 0 ", batches,
                                                     " 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"",
                                                     words, "\">", to.body(), "</svg>"}))});
            }
        }
    }

    void add_communication() {
        if (!knows_waiting()) return;
        const double waiting = a_.total.stage_waiting + a_.total.pipeline_waiting;
        const double exposed = waiting + a_.total.transfer + a_.total.unknown;
        if (!(exposed > 0)) return;
        const bool is_known = !(a_.total.unknown > 0);
        page_.section("communication",
                      joined({"Communication that nothing hides takes ", percent_markup(exposed, a_.total.span, 0),
                              " of rank time", is_known ? ", and " : "; ",
                              percent_markup(is_known ? waiting : a_.total.unknown, exposed, 0), " of that ",
                              is_known ? "is waiting, not transfer" : "cannot be divided into transfer and waiting"}),
                      "By kind of group, over all ranks; milliseconds.");
        page_.table("wide sortable",
                    {text_column("group"), "calls", "bytes", "transfer", "waiting", "unknown", "hidden by work"});
        for (const oplog::group_answer& g : a_.groups) {
            if (std::find(a_.alone.begin(), a_.alone.end(), g.group) != a_.alone.end()) continue;
            // It is unknown how much of optimizer_step is transfer.
            const bool is_optimizer = g.group == oplog_operations::model;
            const std::string group = markup(g.group);
            const std::string name = is_optimizer ? "in optimizer_step" : group == "pp" ? "pp (messages)" : group;
            page_.row(
                {name, count_cell(g.calls, g.calls_limit),
                 g.bytes > 0 ? bytes_cell(g.bytes, sign_of(g.calls_limit)) : html_cell(g.bytes, missing_value),
                 is_optimizer ? html_cell(missing_value) : ms_cell(g.transfer, g.transfer_limit),
                 ms_cell(g.waiting, g.waiting_limit), ms_cell(g.unknown), ms_cell(g.overlapped, g.overlapped_limit)},
                joined({" data-group=\"", group, "\""}));
        }
        if (a_.bandwidth.empty()) return;
        page_.heading("Bandwidth of blocking calls");
        page_.table("wide sortable", {text_column("group"), text_column("call"), "bytes a call", "calls", "least, ms",
                                      "median, ms", "GB/s", "bus GB/s", text_column("where")});
        for (const oplog::bandwidth_answer& b : a_.bandwidth) {
            const double mean = b.bytes / static_cast<double>(b.calls);
            const auto limit = [&](oplog::limit l) { return b.is_partial ? l : oplog::limit::exact; };
            const oplog::limit either = limit(oplog::limit::either);
            using place = oplog::group_of_ranks::place;
            page_.row({markup(b.group), markup(shortened(b.function, 100)),
                       b.size == b.untold ? html_cell("unknown") : bytes_cell(mean, b.size == b.differs ? "mean " : ""),
                       count_cell(b.calls, limit(oplog::limit::least)),
                       ms_cell(b.least_transfer, limit(oplog::limit::most)), ms_cell(b.median_transfer, either),
                       ms_cell(b.algorithm, either), ms_cell(b.bus, either),
                       b.where == place::one_host        ? "one host"
                       : b.where == place::several_hosts ? "across hosts"
                                                         : "unknown"});
        }
        page_.note(
            "GB/s are bytes over transfer, which is the least duration of any member of a call. Small calls measure "
            "latency. Bytes that the logs do not have are not guessed.");
    }

    // A line for each check; those that limit numbers above are marked.
    void add_trust() {
        std::string rows;
        int limiting = 0;
        int checks = 0;
        const auto say = [&](bool good, std::string_view what, const std::string& text) {
            ++checks;
            limiting += good ? 0 : 1;
            append(rows, {good ? "<tr class=\"passed\">" : "<tr class=\"limits\">", "<th scope=\"row\">", what,
                          "</th><td>", text, "</td></tr>\n"});
        };
        const auto add_count = [](std::string& to, std::uint64_t n, std::string_view words) {
            if (n != 0) append(to, {"; ", count_text(n), words});
        };
        const bool all_there = a_.missing_ranks.empty() && a_.left_out.empty();
        std::string ranks = count_text(a_.ranks.size());
        if (a_.sizes)
            append(ranks,
                   {" of ", count_text(static_cast<std::uint64_t>((std::max)(a_.sizes->world, std::int64_t{0})))});
        if (!a_.missing_ranks.empty()) append(ranks, {"; missing: ", ranges_text(a_.missing_ranks)});
        if (!a_.left_out.empty()) append(ranks, {"; without times: ", ranges_text(a_.left_out)});
        say(all_there, "Ranks", ranks.append(all_there ? ", none missing" : ""));
        if (a_.repeated_ranks) say(false, "Files", "ranks are in several files: who is slow and who waits is unknown");
        if (a_.too_many_calls)
            say(false, "Files", "there are more calls than are kept: who is slow and who waits is unknown");
        if (a_.texts != 0 && !a_.repeated_ranks) say(true, "Files", counted_text(a_.texts, "file") + " read");
        if (a_.ranks.size() > 1) {
            constexpr std::string_view differing =
                "from the first to the last blocking call the members of a group count times that differ by ";
            const std::string extent =
                a_.extent && a_.extent_spread
                    ? joined({differing, ms_markup(*a_.extent_spread), " of ", ms_markup(*a_.extent), " (medians)"})
                : a_.common_moment ? "all ranks share a moment"
                                   : "they share no moment";
            say(a_.together, "Traced together", (a_.together ? "yes: " : strong("no") + ": ") + extent);
            say(a_.sizes.has_value(), "Sizes of groups",
                a_.sizes ? "known from the files' names" : "not in the files' names: collectives are unknown");
            const std::string_view clocks = a_.clocks == 1    ? ", of one host"
                                            : axis_.is_common ? ", aligned by calls and messages"
                                                              : "; not all can be compared";
            if (a_.together && a_.clocks != 0)
                say(axis_.is_common, "Clocks", joined({a_.clocks == 1 ? "one" : count_text(a_.clocks), clocks}));
        }
        say(a_.missing_members == 0, "Groups",
            a_.missing_members == 0 ? "all members are in the logs"
                                    : counted_text(a_.missing_members, "group") + " without all members: time unknown");
        std::string calls = a_.differing_groups == 0
                                ? "the same in all members of each group"
                                : joined({"members of ", counted_text(a_.differing_groups, "group"), " differ"});
        std::uint64_t named = 0;
        for (std::size_t n = 0; n != (std::min)(a_.missing_calls.size(), std::size_t{3}); ++n) {
            const oplog::missing_call& c = a_.missing_calls[n];
            append(calls, {"; rank ", c.rank, " lacks "});
            if (!c.function.empty()) append(calls, {markup(c.function), " of ", markup(c.group), " in "});
            calls += markup(c.operation);
            if (c.batch != oplog::program_step::no_batch) append(calls, {", batch ", c.batch});
            append(calls, {", no. ", count_text(c.number)});
            named += c.in_a_row;
            if (c.in_a_row > 1) append(calls, {" and ", counted_text(c.in_a_row - 1, "record"), " after it"});
            append(calls, {", which ", ranks_markup(c.ranks), c.ranks.size() == 1 ? " has" : " have"});
        }
        add_count(calls, a_.missing_call_count > named ? a_.missing_call_count - named : 0, " more");
        say(a_.differing_groups == 0 && a_.missing_call_count == 0, "Calls", calls);
        std::uint64_t records = 0;
        for (const oplog::rank_answer& r : a_.ranks) records += r.records;
        std::string of_records = count_text(records);
        add_count(of_records, a_.untimed, " without a time, in no sum");
        add_count(of_records, a_.negative, " of them with a duration below 0");
        add_count(of_records, a_.overlaps, " begin before the one before them ends");
        add_count(of_records, a_.doubles, " repeat an exchange, counted once");
        say(a_.untimed == 0 && a_.negative == 0 && a_.overlaps == 0, "Records", of_records);
        if (a_.iterations > 1) say(true, "Iterations", count_text(a_.iterations) + ": all sums are of all of them");
        if (a_.total.unknown > 0)
            say(false, "Unknown time",
                joined({part_of_all(unknown_class), " of rank time (", ms_markup(a_.total.unknown), ")"}));
        if (knows_waiting() && a_.replay.reason == oplog::replay_answer::obstacle::none)
            say(true, "Replay", "the run as it is: " + replay_error());
        else if (knows_waiting() && !obstacle().empty())
            say(false, "Replay", "no remedies: " + std::string(obstacle()));
        page_.section("trust",
                      limiting == 0 ? "What the numbers rest on: all checks passed"
                                    : joined({"What the numbers rest on: ", limiting, " of ", checks, " checks limit",
                                              limiting == 1 ? "s" : "", " them"}),
                      "Marked lines make numbers above limits (&ge;, &le;; ~ if it may be either) or unknown.");
        page_.add({"<table class=\"facts\">\n", rows, "</table>\n"});
    }

    void add_terms() {
        constexpr std::pair<std::string_view, std::string_view> terms[] = {
            {"work", "computation, and collectives in groups of one rank, which move nothing"},
            {"transfer",
             "the least duration of a call over its members; of a message, the least of its size in the run"},
            {"waiting in the stage",
             "what a call of ranks of one stage (tp, dp, exp, ...) takes longer: imbalance of ranks that run the same "
             "program"},
            {"waiting for the pipeline",
             "the same of messages between stages, of the embedding group and of optimizer_step: the bubble"},
            {"gaps", "time between records: the host"},
            {"unknown", "calls that members lack or have not timed, groups of unknown sizes, ranks traced separately"},
            {"bubble",
             "(T - busy) / T, the mean of the stages; T: from the first record to the end of the last backward_step; "
             "busy: get_batch, forward_step, loss_func, backward_step"},
            {"equal stages", "(p - 1) / (m + p - 1) with p stages and m micro-batches"}};
        page_.add({"<details><summary>Terms and formulas</summary><table class=\"facts\">\n"});
        for (const auto& [term, words] : terms)
            page_.add({"<tr><th scope=\"row\">", term, "</th><td>", words, "</td></tr>\n"});
        page_.add({"</table></details>\n"});
    }
};

}}}  // namespace wlfmt::WLFMT_ABI::detail

#endif
