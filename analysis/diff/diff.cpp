#include "diff.hpp"

#include "compare.hpp"
#include "tables.hpp"

namespace wlfmt::analysis::diff {

log_sums::log_sums(dimension by) : sums_(std::make_unique<diff_sums>(by)) {}
log_sums::log_sums(log_sums&&) noexcept = default;
log_sums& log_sums::operator=(log_sums&&) noexcept = default;
log_sums::~log_sums() = default;
void log_sums::add(const oplog::operation& op) { sums_->add(op); }
void log_sums::add(const oplog::document& log) {
    for (const oplog::operation& op : log.operations) sums_->add(op);
}

std::vector<difference> compare(const log_sums& before, const log_sums& after, double tolerance) {
    return diff_compare(*before.sums_, *after.sums_, tolerance);
}
std::vector<difference> compare(const oplog::document& before, const oplog::document& after, double tolerance) {
    log_sums was;
    log_sums now;
    was.add(before);
    now.add(after);
    return compare(was, now, tolerance);
}
std::vector<difference> compare(const workload::document& before, const workload::document& after, double tolerance) {
    return diff_compare(before, after, tolerance);
}
std::vector<difference> compare(const table::document& before, const table::document& after, double tolerance) {
    return diff_compare(before, after, tolerance);
}

profile::profile(bool fold_names, const std::vector<std::string>& columns)
    : state_(std::make_unique<diff_profile>(fold_names, columns)) {}
profile::profile(profile&&) noexcept = default;
profile& profile::operator=(profile&&) noexcept = default;
profile::~profile() = default;
void profile::add(table::reader& tables) { state_->add_tables(tables); }
std::size_t profile::tables() const noexcept { return state_->tables(); }
std::size_t profile::profiles() const noexcept { return state_->profiles(); }
profile_difference compare(const profile& before, const profile& after, const profile_options& options) {
    return diff_profile_comparison(*before.state_, *after.state_, options).run();
}

void write(output& to, const difference& d) { diff_write(to, d); }
void write_json(output& to, const difference& d) {
    diff_write_json(to, d, [](const auto&) {});
}
void write_json(output& to, const difference& d, const callback<void(json::line&)>& more) {
    diff_write_json(to, d, more);
}

}  // namespace wlfmt::analysis::diff
