#include "report.hpp"

#include "communication.hpp"
#include "compared_tables.hpp"
#include "files.hpp"
#include "trust.hpp"
#include "waits.hpp"

namespace wlfmt::analysis::report {

namespace {

// The page of a run. `name` and `unread` are escaped here; `json` is the output of summary --json, or empty.
std::string page_of(const run_answers& a, std::string_view name, std::string_view json, std::string_view unread) {
    run_page p(a);
    html_page& page = p.page;
    const std::string problems = unread_markup(unread);
    page.unread(unread);
    page.add({"<ol class=\"verdict\">\n"});
    // Sentences about unknown numbers come after those about known ones.
    const std::string gain = gain_sentence(a);
    const bool is_gain = best_remedy(a) != nullptr;
    for (const std::string& sentence :
         {is_gain ? gain : std::string(), slow_rank_sentence(a), slow_stage_sentence(a), bubble_sentence(a),
          time_sentence(a), missing_sentence(a), is_gain ? std::string() : gain})
        if (!a.ranks.empty() && !sentence.empty()) page.add({"<li>", sentence, "</li>\n"});
    page.add({"</ol>\n"});
    std::string hovering;
    if (!a.ranks.empty()) {
        page.add({drawing(account_bar(a.total, a.total.span.number(), 24), 24, account_words("all ranks", a.total))});
        page.add({class_legend(a, true)});
        add_account(p);
        hovering = add_lanes(p);
        add_waits(p);
        add_remedies(p);
        add_experts(p);
        add_communication(p);
    }
    add_trust(p, problems);
    add_terms(page);
    page.data("summary", json);
    page.data("steps", hovering);
    constexpr std::string_view dot = " &middot; ";
    const bool lacks_ranks = a.sizes && a.sizes->world > static_cast<std::int64_t>(a.ranks.size());
    std::string source = joined({strong(markup(name)), dot,
                                 lacks_ranks ? joined({a.ranks.size(), " of ", a.sizes->world, " ranks"})
                                             : counted_text(a.ranks.size(), "rank")});
    const run_sizes s = a.sizes.value_or(run_sizes());
    const std::pair<std::int64_t, std::string_view> sizes[] = {
        {s.pipeline, " stages"}, {s.tensor, " tensor"}, {s.data(), " data"}, {s.expert, " expert"}};
    for (const auto& [size, words] : sizes)
        if (size > 1) append(source, {dot, size, words});
    if (a.micro_batches != 0) append(source, {dot, micro_batches_text(a.micro_batches)});
    return page.finish(name, source, headline_markup(a));
}

}  // namespace

void write(output& to, const run_answers& answers, const options& options) {
    to.append(page_of(answers, options.title, options.json, options.unread));
}
void write(output& to, const run_answers& before, std::string_view title_before, const run_answers& after,
           std::string_view title_after, std::string_view unread) {
    to.append(compared_report(before, after).write(title_before, title_after, unread));
}
void write(output& to, const diff::profile_difference& tables, std::string_view title_before,
           std::string_view title_after, std::string_view unread) {
    to.append(compared_tables(tables).write(title_before, title_after, unread));
}
void write(output& to, const workload::document& doc, const options& options) {
    to.append(workload_report(doc).write(options.title, options.json, options.unread, options.facts));
}
void write(output& to, const table::document& doc, const options& options) {
    to.append(table_report(doc).write(options.title, options.json, options.unread, options.facts));
}

}  // namespace wlfmt::analysis::report
