#include "report.hpp"

#include "compared_tables.hpp"
#include "files.hpp"
#include "run.hpp"

namespace wlfmt::analysis::report {

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
