#include "timeline.hpp"

#include "run.hpp"
#include "write.hpp"

namespace wlfmt::analysis::timeline {

run::run(std::string_view marker) : state_(std::make_unique<trace_run>(marker)) {}
run::run(run&&) noexcept = default;
run& run::operator=(run&&) noexcept = default;
run::~run() = default;
void run::add(const oplog::operation& op) { state_->add(op); }
bool run::align(alignment by, const run_answers* answers) { return state_->align(by, answers); }
alignment run::aligned() const noexcept { return state_->aligned; }
std::size_t run::clocks() const noexcept { return state_->clocks; }
std::int64_t run::apart() const noexcept { return state_->apart; }
collective_fit run::fit() const noexcept { return state_->fit; }
const std::vector<rank_facts>& run::ranks() const noexcept { return state_->ranks; }
const rank_facts* run::find(std::int64_t rank) const noexcept { return state_->find(rank); }
std::size_t run::flows() const noexcept { return state_->flows; }
std::size_t run::early() const noexcept { return state_->early(); }
std::int64_t run::begin() const noexcept { return state_->begin(); }
std::uint64_t run::id_of(std::int64_t rank, std::size_t n) const noexcept { return state_->id_of(rank, n); }

writer::writer(output& to, const run& run, const run_answers* answers)
    : events_(std::make_unique<trace_events>(to, *run.state_, answers)) {}
writer::~writer() = default;
void writer::add(const oplog::operation& op) { events_->add(op); }
void writer::flush() { events_->flush(); }
void writer::finish() { events_->finish(); }

void write(output& to, const workload::document& doc) { workload_timeline(to).write(doc); }

}  // namespace wlfmt::analysis::timeline
