// Pages that compare two things, and that of two runs: what differs in the second one, and where.
#ifndef WLFMT_ANALYSIS_REPORT_COMPARED_HPP
#define WLFMT_ANALYSIS_REPORT_COMPARED_HPP

#include <algorithm>
#include <map>

#include "../library.hpp"
#include "page.hpp"
#include "words.hpp"

namespace wlfmt::analysis {

// A page that compares two runs or tables. The greatest difference comes first; names of one side only are marked.
struct compared_page {
    using text_of = std::string (*)(double);
    compared_page(text_of text, const char* unit) : text_(text), unit_(unit) {}

    struct side {
        bool has = false;
        bounded value;
    };
    struct pair {
        std::string name;                          // the name, as markup
        side sides[2];                             // before and after
        bool is_known = true;                      // false if a side that lacks the name may have it without showing it
        bool counts = true;                        // false if a difference says nothing about the run
        const char* lacking = "unknown";           // what is shown for a side that lacks the name if !is_known
        std::optional<bounded> counts_of[2] = {};  // how many records there are, where that is shown
        bounded difference() const { return is_known ? sides[1].value - sides[0].value : bounded::unknown(); }
        double size() const { return std::fabs(difference().number()); }
        // By how much the two sides certainly differ.
        double least_size() const {
            const bounded by = difference();
            return counts ? (std::max)({0.0, by.at_least(), -by.at_most()}) : 0;
        }
    };
    std::string signed_markup(const bounded& v) const {
        return shown_difference(v, [this](double d) { return (d > 0 ? "+" : "") + text_(d) + unit_; });
    }
    // `+45.0 ms (+48.9 %)`
    std::string change_markup(const pair& p) const {
        const bounded part = p.difference() / p.sides[0].value;
        return signed_markup(p.difference()) +
               (part.is_known() && p.difference().number() != 0 ? joined({" (", signed_percent(part), ")"}) : "");
    }
    static std::string signed_percent(const bounded& part) {
        return shown_difference(part * 100, [](double v) { return (v > 0 ? "+" : "") + percent_text(v); });
    }
    // The pair that certainly differs most; null if none does by at least that.
    static const pair* greatest(const std::vector<pair>& pairs, double least) {
        const pair* found = nullptr;
        for (const pair& p : pairs)
            if (p.least_size() >= (found == nullptr ? least : found->least_size())) found = &p;
        return found;
    }
    // Adds a section that says which pair differs most, with a row for each pair that differs; the others are folded.
    // `compared` says what the pairs are; `above` is written before the table.
    void add_section(std::string_view id, std::string_view compared, double least, std::string_view method,
                     std::string_view head, std::vector<pair> pairs, std::string_view above = {}) {
        std::stable_sort(pairs.begin(), pairs.end(), [](const pair& x, const pair& y) {
            const bool known[] = {x.difference().is_known(), y.difference().is_known()};
            return known[0] != known[1]               ? known[0]
                   : x.least_size() != y.least_size() ? x.least_size() > y.least_size()
                                                      : x.size() > y.size();
        });
        const bool is_known = pairs.empty() || pairs[0].difference().is_known();
        double greatest = 0;
        bool any_unknown = false;
        for (const pair& p : pairs) {
            greatest = (std::max)(greatest, p.size());
            any_unknown = any_unknown || !p.difference().is_exact();
        }
        page_.section(id,
                      !is_known ? joined({"Whether any ", compared, " differs is unknown"})
                      : pairs.empty() || pairs[0].least_size() < least
                          ? joined({"No ", compared, any_unknown ? " is known to differ" : " differs"})
                          : joined({"What differs most: ", pairs[0].name, ", ", signed_markup(pairs[0].difference())}),
                      method);
        page_.add({above});
        if (pairs.empty()) return;
        const std::string in = (unit_.empty() ? "" : ",") + unit_;
        page_.table("wide sortable", {text_column(head)});
        if (pairs[0].counts_of[0]) page_.add_columns({"A, records", "B, records"});
        page_.add_columns({"A" + in, "B" + in, "B - A" + in, "of A", {"less | more in B", "bar"}});
        constexpr std::size_t max_rows_of_table = 64;
        const auto is_alike = [&](const pair& p) { return p.difference().is_known() && p.size() < least; };
        std::size_t shown_rows = 0;
        std::vector<const pair*> folded;
        for (const pair& p : pairs) {
            if (is_alike(p) || shown_rows == max_rows_of_table) {
                folded.push_back(&p);
                continue;
            }
            ++shown_rows;
            add_row(p, (std::max)(greatest, 1e-9));
        }
        if (folded.empty()) return;
        const bool are_alike = std::all_of(folded.begin(), folded.end(), [&](const pair* p) { return is_alike(*p); });
        const bool are_exact =
            std::all_of(folded.begin(), folded.end(), [](const pair* p) { return p->difference().is_exact(); });
        const bool is_one = folded.size() == 1;
        page_.fold(count_text(folded.size()) + (!are_alike  ? " more"
                                                : are_exact ? is_one ? " that does not differ" : " that do not differ"
                                                : is_one    ? " that is not known to differ"
                                                            : " that are not known to differ"));
        for (const pair* p : folded) add_row(*p, (std::max)(greatest, 1e-9));
    }
    // Says how long the subject takes, and how long it took before.
    std::string title(std::string subject, const bounded& was, const bounded& is) const {
        const auto with_unit = [this](double v) { return text_(v) + unit_; };
        subject += " " + shown(is, with_unit);
        const bounded by = is - was;
        if (!by.is_exact()) return subject + " in B, " + shown(was, with_unit) + " in A";
        if (std::fabs(by.number()) < 0.005 * was.number()) return subject + ", as long as before, within 0.5&nbsp;%";
        return subject + ", " + unbroken(with_unit(std::fabs(by.number()))) + " (" +
               percent_markup(std::fabs(by.number()), was.number()) + ") " +
               (by.number() < 0 ? "less than before" : "more than before");
    }
    std::string finish(std::string_view before, std::string_view after, const std::string& finding) {
        return page_.finish(std::string(after) + " beside " + std::string(before),
                            "A, before: " + strong(markup(before)) + " &middot; B, after: " + strong(markup(after)),
                            finding);
    }
    void add_row(const pair& p, double greatest) {
        const auto& [before, after] = p.sides;
        std::string name = p.name;
        if (before.has != after.has) append(name, {p.is_known ? " (only " : " (in ", before.has ? "A)" : "B)"});
        page_.row({name});
        for (const auto& count : p.counts_of)
            if (count) page_.add_cells({count_cell(*count)});
        for (const side& s : p.sides)
            page_.add_cells({s.has || p.is_known ? cell_of(s.value, text_) : html_cell(p.lacking)});
        const bounded by = p.difference();
        if (!by.is_known()) return page_.add_cells({html_cell(p.is_known ? "unknown" : p.lacking), "", ""});
        const auto with_sign = [this](double d) { return (d > 0 ? "+" : "") + text_(d); };
        const bounded part = by / before.value;
        page_.add_cells(
            {html_cell(by.number(), shown_difference(by, with_sign)),
             says_something(part) ? html_cell(100 * part.number(), signed_percent(part)) : html_cell(missing_value),
             difference_cell(by.number() / greatest, by.is_exact(), signed_markup(by))});
    }
    // A bar from the middle: to the right, and warm, for what takes longer; only its outline for a limit.
    static html_cell difference_cell(double part, bool is_exact, const std::string& words) {
        shapes bar("%");
        const double size = 50 * (std::min)(std::fabs(part), 1.0);
        bar.rectangle(part < 0 ? 50 - size : 50, 0, size, 14, !is_exact ? "outline" : part < 0 ? "work" : "stage");
        bar.line(50, 0, 50, 14, "line");
        return joined({"<svg height=\"14\" role=\"img\" aria-label=\"", words, "\">", bar.body(), "</svg>"});
    }

    html_page page_;
    text_of text_;
    std::string unit_;  // with a space before it
};

class compared_report : compared_page {
public:
    compared_report(const run_answers& before, const run_answers& after)
        : compared_page(milliseconds_number, " ms"), runs_{&before, &after} {
        has_one_layout_ = is_alike(before, after);
        const double jobs[] = {batches_of_job(0), batches_of_job(1)};
        is_same_job_ = jobs[0] == jobs[1] || !(jobs[0] > 0 && jobs[1] > 0);
        for (std::size_t n = 0; n != 2; ++n) {
            share_[n] = 1 / (iterations_of(n) * (is_same_job_ ? 1 : jobs[n]));
            // Runs with different layouts are compared by means of their ranks instead of sums.
            if (!has_one_layout_)
                each_[n] = share_[n] / static_cast<double>((std::max)(runs_[n]->ranks.size(), std::size_t{1}));
        }
    }
    std::string write(std::string_view name_before, std::string_view name_after, std::string_view unread) {
        page_.unread(unread);
        page_.add({"<ol class=\"verdict\">\n", line(changes()), line(findings()), line(limits()), "</ol>\n"});
        if (!has_one_layout_) add_layouts();
        add_parts();
        add_operations();
        has_one_layout_ ? add_ranks() : add_roles();
        add_groups();
        return finish(name_before, name_after, verdict());
    }

private:
    static constexpr double least = 0.01;
    static std::string milliseconds_number(double v) { return milliseconds_text(v); }
    static std::string_view name_of(std::size_t n) { return n == 0 ? "A" : "B"; }
    static std::string line(const std::string& sentence) { return joined({"<li>", sentence, "</li>\n"}); }
    static bool is_alike(const run_answers& a, const run_answers& b) {
        const run_sizes x = a.sizes.value_or(run_sizes());
        const run_sizes y = b.sizes.value_or(run_sizes());
        return x.world == y.world && x.tensor == y.tensor && x.pipeline == y.pipeline && x.expert == y.expert &&
               (a.sizes || a.ranks.size() == b.ranks.size()) && a.micro_batches == b.micro_batches &&
               a.iterations == b.iterations;
    }
    bool any_unfinished() const { return runs_[0]->unfinished || runs_[1]->unfinished; }
    bool knows_waiting_of_both() const { return knows_waiting(*runs_[0]) && knows_waiting(*runs_[1]); }
    // Where work, waiting and transfer changed most: in which rank or, of runs with different layouts, on average.
    std::string changes() {
        struct part {
            bounded time_account::*time;
            std::string_view of_rank;
            std::string_view of_all;
        };
        constexpr part parts[] = {
            {&time_account::work, " works ", "work "},
            {&time_account::stage_waiting, " waits inside its stage ", "waiting inside stages "},
            {&time_account::pipeline_waiting, " waits for the pipeline ", "waiting for the pipeline "},
            {&time_account::transfer, " transfers ", "transfer "}};
        std::string text;
        std::string alike;
        bool any_unknown = false;
        for (const part& p : parts) {
            if (p.time != &time_account::work && !knows_waiting_of_both()) continue;
            const std::vector<pair> pairs =
                has_one_layout_ ? pairs_of_ranks(p.time) : std::vector<pair>{pair_of(p.time)};
            for (const pair& of_rank : pairs) any_unknown = any_unknown || !of_rank.difference().is_exact();
            if (const pair* const most = greatest(pairs, least))
                append(text, {text.empty() ? "" : "; ", has_one_layout_ ? most->name : "",
                              has_one_layout_ ? p.of_rank : p.of_all, change_markup(*most)});
            else append(alike, {alike.empty() ? "" : ", ", p.of_all.substr(0, p.of_all.size() - 1)});
        }
        if (text.empty())
            return joined({"No ", has_one_layout_ ? "rank's " : "", "time is known to differ: ", alike, "."});
        return joined({!has_one_layout_ ? joined({"Of a rank", of_what(), ": "})
                                        : joined({"Greatest ", any_unknown ? "known " : "", "changes of a rank: "}),
                       text, alike.empty() ? "" : joined({"; not known to differ: ", alike}), "."});
    }
    // The slow rank and the slow stage that one run has and the other lacks, and what each run's headline says.
    std::string findings() const {
        std::string text;
        for (const std::size_t n : {std::size_t{1}, std::size_t{0}}) {
            std::string found;
            const run_answers& own = *runs_[n];
            const run_answers& other = *runs_[1 - n];
            if (is_slow(own) && (!has_one_layout_ ? !is_slow(other) : !is_slow(other, own.slowest_rank->rank)))
                append(found, {"rank ", own.slowest_rank->rank, " works ", times_markup(own.slowest_rank->ratio),
                               " as long as its peers"});
            if (is_slow_stage(own) && !(is_slow_stage(other) && own.slowest_stage->stage == other.slowest_stage->stage))
                append(found, {found.empty() ? "" : ", ", "stage ", own.slowest_stage->stage, " takes ",
                               times_markup(own.slowest_stage->ratio), " as long as the others"});
            if (!found.empty()) append(text, {"In ", name_of(n), ", not in ", name_of(1 - n), ": ", found, ". "});
        }
        const std::string of_runs[] = {headline_markup(*runs_[0]), headline_markup(*runs_[1])};
        return of_runs[0] == of_runs[1] ? joined({text, "Both: ", of_runs[0], "."})
                                        : joined({text, "B: ", of_runs[1], ". A: ", of_runs[0], "."});
    }
    // What cannot be compared.
    std::string limits() const {
        std::string text;
        const auto add = [&text](const std::string& sentence) { append(text, {text.empty() ? "" : " ", sentence}); };
        if (!has_one_layout_)
            add(joined({"<b>The runs have different layouts</b>: A has ", layout_of(0), ", B has ", layout_of(1),
                        ". No rank is compared with another; what is compared is the time of a rank", of_what(), "."}));
        for (std::size_t n = 0; n != 2; ++n) {
            const run_answers& a = *runs_[n];
            if (a.unfinished)
                add(joined({"An iteration of ", name_of(n), " is <b>not whole</b>, as where a job was stopped."}));
            std::string lacks = a.missing_ranks.empty() ? "" : "the log of " + ranks_markup(a.missing_ranks);
            if (a.missing_call_count != 0)
                append(lacks, {lacks.empty() ? "" : ", and ", counted_text(a.missing_call_count, "call")});
            if (!lacks.empty()) add(joined({name_of(n), " lacks ", lacks, ": what is compared is what is there."}));
            else if (!has_all_records(n))
                add(joined(
                    {"Records of ", name_of(n), " have no time that can be used: what is compared are the others."}));
        }
        if (!knows_waiting_of_both()) add("Waiting and transfer are unknown in one of the runs, and not compared.");
        return text.empty() ? joined({"Everything is compared: both runs have ", layout_of(0), "."}) : text;
    }
    std::string of_what() const {
        return any_unfinished() ? " in all that its log has"
               : is_same_job_   ? " in an iteration, on average"
                                : " for a micro-batch of the whole job, on average";
    }
    std::string layout_of(std::size_t n) const {
        const run_answers& a = *runs_[n];
        std::string text = counted_text(a.ranks.size(), "rank");
        if (a.sizes)
            text = joined({a.sizes->world, " ranks (tp ", a.sizes->tensor, ", pp ", a.sizes->pipeline, ", ep ",
                           a.sizes->expert, ")"});
        if (a.iterations > 1) append(text, {", ", count_text(a.iterations), " iterations"});
        return a.micro_batches == 0
                   ? text
                   : joined({text, ", ", micro_batches_text(a.micro_batches), a.iterations > 1 ? " in all" : ""});
    }
    // Shows the layouts side by side, and what a rank holds in each.
    void add_layouts() {
        page_.table("", {text_column("layout"), text_column("A"), text_column("B")});
        std::string cells[4][2];
        for (std::size_t n = 0; n != 2; ++n) {
            const run_answers& a = *runs_[n];
            const run_sizes s = a.sizes.value_or(run_sizes());
            const std::string unknown = "unknown";
            cells[0][n] = a.sizes ? joined({"tp ", s.tensor, ", pp ", s.pipeline, ", dp ", s.data(), ", ep ", s.expert})
                                  : unknown;
            const std::pair<std::int64_t, std::string_view> parts[] = {
                {s.pipeline, " of the layers"}, {s.tensor, " of each layer"}, {s.expert, " of the experts"}};
            for (const auto& [size, words] : parts)
                if (size > 1) append(cells[1][n], {cells[1][n].empty() ? "1/" : ", 1/", size, words});
            if (cells[1][n].empty()) cells[1][n] = "the whole model";
            if (!a.sizes) cells[1][n] = unknown;
            cells[2][n] = a.micro_batches != 0 ? batches_text(a) : unknown;
            cells[3][n] = batches_of_job(n) > 0 ? grouped_text(batches_of_job(n), 0) : unknown;
        }
        const char* const names[] = {"groups", "a rank holds", "micro-batches of a rank in an iteration",
                                     "micro-batches of the whole job"};
        for (std::size_t row = 0; row != 4; ++row) page_.row({names[row], cells[row][0], cells[row][1]});
    }
    // How long an iteration takes or, if the jobs' iterations have different numbers of micro-batches, one of these;
    // and what made the difference.
    std::string verdict() const {
        if (any_unfinished()) return "Whether an iteration takes longer is not known, as one is not whole";
        bounded iterations[2];
        bounded times[2];
        for (std::size_t n = 0; n != 2; ++n) {
            iterations[n] = longest_span(*runs_[n]) * (1 / iterations_of(n));
            times[n] = longest_span(*runs_[n]) * share_[n];
        }
        const bool is_one = iterations_of(0) == 1 && iterations_of(1) == 1;
        std::string text = title(!is_same_job_ ? "A micro-batch of the whole job takes"
                                 : is_one      ? "The iteration takes"
                                               : "An iteration takes",
                                 times[0], times[1]);
        if (!is_same_job_)
            append(text, {" (an iteration: ", ms_markup(iterations[0]), " of ",
                          micro_batches_text(static_cast<std::uint64_t>(batches_of_job(0))), " in A, ",
                          ms_markup(iterations[1]), " of ", count_text(static_cast<std::uint64_t>(batches_of_job(1))),
                          " in B)"});
        const bounded by = times[1] - times[0];
        if (!by.is_exact() || std::fabs(by.number()) < 0.005 * times[0].number()) return text;
        if (has_one_layout_) {
            const std::string cause =
                cause_in_work(longest_span(*runs_[1]).number() - longest_span(*runs_[0]).number());
            if (!cause.empty()) return text + cause;
        }
        const time_class* greatest = nullptr;
        double difference = 0;
        for (const time_class& c : classes_of_time) {
            bounded parts[2];
            for (std::size_t n = 0; n != 2; ++n)
                parts[n] = runs_[n]->total.*c.part * (share_[n] / static_cast<double>(runs_[n]->ranks.size()));
            const bounded part = parts[1] - parts[0];
            if (&c == &classes_of_time[unknown_class] || !part.is_exact() ||
                std::fabs(part.number()) <= std::fabs(difference))
                continue;
            greatest = &c;
            difference = part.number();
        }
        if (greatest != nullptr && (difference > 0) == (by.number() > 0))
            append(text, {": ", difference > 0 ? "more " : "less ", greatest->within});
        return text;
    }
    double iterations_of(std::size_t n) const {
        return static_cast<double>((std::max)(runs_[n]->iterations, std::uint64_t{1}));
    }
    // How many micro-batches all data parallel ranks compute in an iteration; 0 if it is unknown.
    double batches_of_job(std::size_t n) const {
        const run_answers& a = *runs_[n];
        return a.sizes ? static_cast<double>(a.micro_batches) / iterations_of(n) * static_cast<double>(a.sizes->data())
                       : 0;
    }
    // Others wait for a rank with more work, longer in sum than it works: if the work of a rank grew by at least half
    // of the difference, it is the cause. Empty if no rank's did.
    std::string cause_in_work(double difference) const {
        std::vector<std::pair<double, std::int64_t>> growths;
        for (std::size_t n = 0, k = 0; n != runs_[0]->ranks.size(); ++n) {
            const rank_answer& was = runs_[0]->ranks[n];
            while (k != runs_[1]->ranks.size() && runs_[1]->ranks[k].rank < was.rank) ++k;
            if (k == runs_[1]->ranks.size() || runs_[1]->ranks[k].rank != was.rank) continue;
            const bounded by = runs_[1]->ranks[k].account.work - was.account.work;
            if (by.is_exact()) growths.emplace_back(difference > 0 ? by.number() : -by.number(), was.rank);
        }
        std::stable_sort(growths.begin(), growths.end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
        if (growths.empty() || growths[0].first < std::fabs(difference) / 2) return {};
        if (growths.size() == 1 || growths[1].first < growths[0].first / 2)
            return joined({": because of rank ", growths[0].second, "'s work"});
        return difference > 0 ? ": more work" : ": less work";
    }
    void set_side(pair& compared, std::size_t n, std::string name, const bounded& time) {
        compared.name = std::move(name);
        compared.sides[n] = {true, time};
    }
    std::string sums() const { return has_one_layout_ ? std::string("over all ranks") : "of a rank" + of_what(); }
    pair pair_of(bounded time_account::*part) {
        pair compared;
        for (std::size_t n = 0; n != 2; ++n) set_side(compared, n, "", runs_[n]->total.*part * each_[n]);
        return compared;
    }
    std::vector<pair> pairs_of_ranks(bounded time_account::*part) {
        std::map<std::int64_t, pair> ranks;
        for (std::size_t n = 0; n != 2; ++n)
            for (const rank_answer& r : runs_[n]->ranks)
                set_side(ranks[r.rank], n,
                         joined({"rank ", r.rank, r.stage ? joined({" (stage ", *r.stage, ")"}) : std::string()}),
                         r.account.*part);
        std::vector<pair> pairs;
        for (auto& [rank, compared] : ranks) {
            // A rank without a log may have taken any time.
            compared.is_known = compared.sides[0].has == compared.sides[1].has;
            pairs.push_back(compared);
        }
        return pairs;
    }
    void add_parts() {
        const bool both = knows_waiting_of_both();
        std::vector<pair> pairs;
        std::vector<legend_entry> legend;
        for (std::size_t k = 0; k != time_classes; ++k) {
            const time_class& c = classes_of_time[k];
            // Parts that are unknown in one of the runs are not compared.
            if (!both && k != work_class && k != gap_class && k != unknown_class) continue;
            if (k != unknown_class || runs_[0]->total.unknown.number() > 0 || runs_[1]->total.unknown.number() > 0)
                legend.push_back({c.colour, std::string(c.name)});
            pairs.emplace_back().counts = k != unknown_class;
            for (std::size_t n = 0; n != 2; ++n)
                set_side(pairs.back(), n, std::string(c.name), runs_[n]->total.*c.part * each_[n]);
        }
        std::string above = legend_of(legend);
        double full = 0;
        for (std::size_t n = 0; n != 2; ++n) full = (std::max)(full, runs_[n]->total.span.number() * each_[n]);
        for (std::size_t n = 0; n != 2; ++n)
            above += html_page::named(name_of(n),
                                      drawing(account_bar(runs_[n]->total, full / each_[n], 18), 18, name_of(n)));
        add_section("account", "part of the time", least,
                    joined({"Time ", sums(), "; there are ", count_text(runs_[0]->ranks.size()), " in A, ",
                            count_text(runs_[1]->ranks.size()), " in B.",
                            both ? "" : " Waiting and transfer are unknown in one of the runs, and not compared."}),
                    "part", std::move(pairs), above);
    }
    bool has_all_records(std::size_t n) const {
        const run_answers& a = *runs_[n];
        return is_whole(a) && a.lost == 0 && a.unread == 0 && a.untimed == 0 && a.contradictions == 0;
    }
    void add_operations() {
        std::map<std::string, pair> operations;
        for (std::size_t n = 0; n != 2; ++n)
            for (const operation_answer& o : runs_[n]->operations)
                set_side(operations[o.operation], n, markup(o.operation), o.work * each_[n]);
        for (auto& [name, compared] : operations)
            for (std::size_t n = 0; n != 2; ++n)
                compared.counts_of[n] = has_all_records(n) ? bounded(0) : bounded::no_less(0);
        for (std::size_t n = 0; n != 2; ++n)
            for (const rank_answer& r : runs_[n]->ranks)
                for (const program_step& s : r.program) {
                    if (s.nested || s.operation >= runs_[n]->names.size()) continue;
                    const auto at = operations.find(runs_[n]->names[s.operation]);
                    if (at != operations.end()) at->second.counts_of[n]->add(1);
                }
        std::vector<pair> pairs;
        for (auto& [name, compared] : operations) {
            // A run that lacks a rank's log may have had operations that are in none of its logs.
            for (std::size_t n = 0; n != 2; ++n)
                compared.is_known = compared.is_known && (compared.sides[n].has || is_whole(*runs_[n]));
            pairs.push_back(compared);
        }
        add_section("operations", "operation's work", least,
                    joined({"Work of each operation ", sums(), "; records are those of all ranks that have a time."}),
                    "operation", std::move(pairs));
    }
    void add_ranks() {
        add_section("ranks", "rank's work", least, "Work of each rank; both runs have one layout.", "rank",
                    pairs_of_ranks(&time_account::work));
    }
    // The transfer and the waiting in the groups of each kind.
    void add_groups() {
        if (!knows_waiting_of_both()) return;
        std::map<std::string, pair> parts;
        for (std::size_t n = 0; n != 2; ++n)
            for (const group_answer& g : runs_[n]->groups) {
                if (std::find(runs_[n]->alone.begin(), runs_[n]->alone.end(), g.group) != runs_[n]->alone.end())
                    continue;
                const std::string name = g.group == operations::model ? "optimizer_step" : markup(g.group);
                set_side(parts[g.group + "\n1"], n, name + ", waiting", g.waiting * each_[n]);
                if (g.group != operations::model)
                    set_side(parts[g.group + "\n2"], n, name + ", transfer", g.transfer * each_[n]);
            }
        std::vector<pair> pairs;
        for (auto& [name, compared] : parts) {
            for (std::size_t n = 0; n != 2; ++n)
                compared.is_known = compared.is_known && (compared.sides[n].has || is_whole(*runs_[n]));
            pairs.push_back(compared);
        }
        if (!pairs.empty())
            add_section("groups", "group's time", least, joined({"Communication by kind of group, ", sums(), "."}),
                        "group", std::move(pairs));
    }
    // In runs with different layouts, ranks cannot be compared by number, only by their roles in the pipeline.
    void add_roles() {
        std::vector<pair> pairs(5);
        const char* const names[] = {"the only stage", "the first stage", "the stages between", "the last stage",
                                     "the rank with the most work"};
        for (std::size_t n = 0; n != 2; ++n) {
            bounded sums[4];
            double counts[4] = {};
            const std::int64_t last = stages_of(*runs_[n]) - 1;
            for (const stage_answer& s : runs_[n]->stages) {
                const std::size_t role = last == 0 ? 0 : s.stage == 0 ? 1 : s.stage == last ? 3 : 2;
                sums[role] += s.account.work;
                counts[role] += 1;
            }
            for (std::size_t role = 0; role != 4; ++role)
                if (counts[role] > 0) set_side(pairs[role], n, names[role], sums[role] * (share_[n] / counts[role]));
            bounded greatest;
            for (const rank_answer& r : runs_[n]->ranks) greatest = greater_of(greatest, r.account.work);
            set_side(pairs[4], n, names[4], greatest * share_[n]);
        }
        pairs.erase(std::remove_if(pairs.begin(), pairs.end(), [](const pair& p) { return p.name.empty(); }),
                    pairs.end());
        for (pair& p : pairs) {
            p.is_known = p.sides[0].has == p.sides[1].has;
            if (is_whole(*runs_[0]) && is_whole(*runs_[1])) p.lacking = missing_value;
        }
        add_section("ranks", "role's work", least,
                    joined({"Work of a rank", of_what(), ", by its place in the pipeline."}), "role", std::move(pairs));
    }

    const run_answers* runs_[2];  // before and after
    bool has_one_layout_ = true;
    bool is_same_job_ = true;
    double share_[2] = {1, 1};  // the factors for an iteration or, in different jobs, for a micro-batch of the job
    double each_[2] = {1, 1};   // the factors by which sums over ranks are multiplied
};

}  // namespace wlfmt::analysis

#endif
