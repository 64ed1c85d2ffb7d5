#include "answers.hpp"

#include "check.hpp"
#include "conclude.hpp"
#include "headline.hpp"
#include "replay.hpp"

namespace wlfmt::analysis {

static_assert(embedding_group == operations::embedding && model_group == operations::model);

std::optional<run_sizes> sizes_of(const oplog::file_facts& name) { return sizes_in(name); }
std::optional<run_sizes> sizes_of(const summary& s) { return sizes_of_names(s.state()); }
run_answers answers_of(const summary& s, const std::optional<run_sizes>& sizes) {
    run_answers a = run_conclusions(s.state(), sizes).answer();
    a.bandwidth = bandwidth_of(a);
    a.replay = run_replay(a).answer();
    return a;
}
run_answers answers_of(const summary& s) { return answers_of(s, sizes_of(s)); }

std::string headline(const run_answers& a) { return headline_of(a); }
std::string message(const bounded& b, int decimals) {
    return message(b, [decimals](double v) { return fixed_text(v, decimals); });
}
std::string message(const doubtful_time& d) { return message_of(d); }
std::string message(const strange_log& s) { return message_of(s); }
std::string message(const run_answers::contradiction& c) { return message_of(c); }

run_check::run_check() : checking_(std::make_unique<run_checking>()) {}
run_check::run_check(run_check&&) noexcept = default;
run_check& run_check::operator=(run_check&&) noexcept = default;
run_check::~run_check() = default;
void run_check::begin_text(std::string_view file) { checking_->begin_text(file); }
void run_check::add(const oplog::operation& op, std::string_view text, std::uint64_t line,
                    const callback<void(const problem&)>& report) {
    checking_->add(op, text, line, report);
}
std::uint64_t run_check::missing_calls(const missing_report& report, const time_report& report_time,
                                       const log_report& report_log, const logs_report& report_logs) const {
    return checking_->missing_calls(report, report_time, report_log, report_logs);
}

message_check::message_check(bool is_one_run) : checking_(std::make_unique<message_checking>(is_one_run)) {}
message_check::message_check(message_check&&) noexcept = default;
message_check& message_check::operator=(message_check&&) noexcept = default;
message_check::~message_check() = default;
void message_check::begin_text(std::string_view file, bool can_be_read_again) {
    checking_->begin_text(file, can_be_read_again);
}
void message_check::add(const oplog::operation& op, std::uint64_t line) { checking_->add(op, line); }
unmatched_messages message_check::find(std::uint64_t max_reports, const file_reader& read,
                                       const message_report& report) const {
    return checking_->find(max_reports, read, report);
}

}  // namespace wlfmt::analysis
