#include "summary.hpp"

#include <charconv>

#include "checks.hpp"
#include "csv.hpp"
#include "logs_again.hpp"

namespace tool {

// Prints which logs are strange, which times cannot be right and which calls are missing, as many of each as the
// settings allow. Returns whether there are any.
static bool report_missing(const wlfmt::analysis::run_check& run, const settings& s) {
    std::uint64_t lines = 0;
    std::uint64_t reported = 0;  // calls and records in these lines
    const auto print = [&](const wlfmt::analysis::missing_call& m, std::string_view file, std::uint64_t line) {
        if (s.limit != 0 && lines >= s.limit) return;
        ++lines;
        reported += m.in_a_row;
        say(file, line, {s.strict ? "error: " : "warning: ", "missing_call: ", printable(message(m))});
    };
    std::uint64_t times = 0;
    const auto print_time = [&](const wlfmt::analysis::doubtful_time& d, std::string_view file, std::uint64_t line) {
        if (s.limit != 0 && times == s.limit) return;
        ++times;
        say(file, line, {s.strict ? "error: " : "warning: ", "doubtful_time: ", message(d)});
    };
    std::uint64_t logs = 0;
    const auto print_log = [&](const wlfmt::analysis::strange_log& l, std::string_view file) {
        if (s.limit != 0 && logs == s.limit) return;
        ++logs;
        say(std::string(file), {s.strict ? "error: " : "warning: ", "strange_log: ", message(l)});
    };
    bool any_logs = false;
    const auto print_logs = [&](const wlfmt::analysis::run_answers::contradiction& c, std::string_view file) {
        any_logs = true;
        say(std::string(file), {s.strict ? "error: " : "warning: ", "contradicting_logs: ", printable(message(c))});
    };
    const std::uint64_t count = run.missing_calls(print, print_time, print_log, print_logs);
    if (reported < count)
        say("wlfmt", {counted(count - reported, "more call", "more calls"), " that some members of a group lack"});
    return count != 0 || times != 0 || logs != 0 || any_logs;
}

// Prints the first unmatched messages, as many as the settings allow. Returns whether there are any.
static bool report_unmatched(const wlfmt::analysis::message_check& messages, const settings& s) {
    const auto read_again = [&](std::size_t, std::string_view file, const auto& add) {
        const std::string path(file);
        input again(path.c_str());
        report silent(again.name(), s);
        silent.silence();
        if (again.error()) return;
        for_each_operation(again, s, silent, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream& log) {
            if (!silent.blames(op.source)) add(op, log.line_of(op.source).number);
        });
    };
    const auto print = [&](const wlfmt::problem& e, std::string_view text, std::string_view file, std::uint64_t line) {
        say(e, text, file, s.strict ? wlfmt::severity::error : wlfmt::severity::warning, line);
    };
    const wlfmt::analysis::unmatched_messages found = messages.find(s.limit, read_again, print);
    if (found.more != 0) say("wlfmt", {counted(found.more, "more message", "more messages"), " without another end"});
    if (found.pairs != 0)
        say("wlfmt",
            {"messages without another end between ", counted(found.pairs, "more pair", "more pairs"), " of ranks"});
    return found.any();
}

void logs_again::begin(std::size_t n, const input& from) {
    read_[n].is_log = true;
    read_[n].stamp = file_stamp::now(from.name());
}
bool logs_again::for_each_operation_again(const callback<void(const wlfmt::oplog::operation&)>& each,
                                          const callback<void()>& after_file) {
    progress shown("files", paths_.size());
    for (std::size_t n = 0; n != paths_.size(); ++n) {
        shown.step();
        const as_read& before = read_[n];
        if (!before.is_log) continue;
        const std::string path = paths_[n];
        const auto changed = [&] {
            say(path, {"error: the file has changed while it was read"});
            return false;
        };
        input from(path.c_str());
        if (!from.error() && !(file_stamp::now(path) == before.stamp)) return changed();
        report r(path, s_);
        r.silence();
        for_each_operation(from, s_, r,
                           [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) { each(op); });
        if (report_unreadable(from)) return false;
        // Nobody reads the output any more, so the rest of the file was not read and cannot be compared.
        if (standard_output.closed()) return true;
        if (from.bytes() != before.bytes || !(file_stamp::now(path) == before.stamp)) return changed();
        after_file();
    }
    return true;
}

void run_checks::begin_text(std::string_view file) {
    // Standard input and pipes cannot be read again.
    std::error_code failed;
    messages_.begin_text(file, std::filesystem::is_regular_file(std::filesystem::path(file), failed));
    calls_.begin_text(file);
}
bool run_checks::report(const settings& s) const {
    const bool unmatched = report_unmatched(messages_, s);
    const bool missing = report_missing(calls_, s);
    return unmatched || missing;
}

// Writes a number in three fields: the number if it is exact, and else its ends, as far as they are known.
static void put_number(csv_output& row, const bounded& v) {
    const auto put = [&](bool is_known, double end) { is_known ? row.value(wlfmt::number(end)) : row.nothing(); };
    put(v.is_exact(), v.at_least());
    put(!v.is_exact() && v.has_least(), v.at_least());
    put(!v.is_exact() && v.has_most(), v.at_most());
}

void write_csv(csv_output& output, const std::vector<wlfmt::analysis::wait_answer>& waits) {
    output.names(false, {"late_rank", "waiting_rank", "group", "waiting_ms", "waiting_ms_least", "waiting_ms_most"});
    output.end();
    for (const wlfmt::analysis::wait_answer& wait : waits) {
        output.value(wlfmt::number(wait.late));
        output.value(wlfmt::number(wait.waiting));
        output.text(wait.group);
        put_number(output, wait.time);
        output.end();
    }
}

void write_csv(csv_output& output, const std::vector<wlfmt::analysis::bandwidth_answer>& rows) {
    output.names(false, {"group", "function", "ranks", "where", "size_bytes"});
    for (const std::string_view name : {"calls", "bytes", "transfer_ms", "median_transfer_ms", "least_transfer_ms",
                                        "algorithm_gb_per_s", "bus_gb_per_s"})
        for (const std::string_view end : {"", "_least", "_most"}) output.text(joined({name, end}));
    output.end();
    for (const wlfmt::analysis::bandwidth_answer& answer : rows) {
        output.text(answer.group);
        output.text(answer.function);
        output.value(wlfmt::number(answer.ranks));
        output.text(word_of(answer.where));
        answer.size >= 0 ? output.value(wlfmt::number(answer.size)) : output.nothing();
        for (const bounded& v : {answer.calls, answer.bytes, answer.transfer, answer.median_transfer,
                                 answer.least_transfer, answer.algorithm, answer.bus})
            put_number(output, v);
        output.end();
    }
}

exit_status csv_of_answers(const settings& s) {
    const files_of_run files(s, run_use::together);
    const own_logs logs(files.paths(), wlfmt::analysis::positions_of(files.paths().size()));
    wlfmt::analysis::summary sums(std::vector<wlfmt::analysis::dimension>(), wlfmt::analysis::summary::keep::calls);
    bool any = false;
    const exit_status read =
        for_each_file(files.paths(), s, [&](input& from, wlfmt::file_format kind, report& r, std::size_t) {
            if (kind != wlfmt::file_format::oplog)
                return r.error(std::string_view(), "only op logs say who waits, and how fast bytes move");
            any = true;
            sums.begin_text(from.name());
            ranks_of_log ranks;
            foreign_records foreign(logs, from.name());
            for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
                if (foreign.has(op)) return;
                ranks.add(op);
                sums.add(op);
            });
            foreign.report_to(r);
            ranks.add_unread(sums, r);
            sums.end_text();
        });
    const exit_status status = (std::max)(files.status(), read);
    if (!any) return status;
    const wlfmt::analysis::run_answers a = wlfmt::analysis::answers_of(sums);
    csv_output output(standard_output, s.csv_style);
    if (s.csv_rows == rows_of::waits) write_csv(output, a.waits);
    else write_csv(output, a.bandwidth);
    // Writing fails only if the output fails, which is reported once, at the end.
    static_cast<void>(output.finish());
    if (a.together) return status;
    say("wlfmt", {"error: who waits and how fast bytes move is not known: ",
                  a.repeated_ranks   ? "ranks are in several files"
                  : a.too_many_calls ? "there are more operations than are kept"
                  : a.ranks.empty()  ? "no log of a rank can be used"
                  : a.apart          ? "the ranks were not traced together"
                                     : "whether the ranks were traced together is not known"});
    return (std::max)(status, problems);
}

void summarise(input& from, wlfmt::file_format kind, const settings& s, report& r) {
    if (kind == wlfmt::file_format::workload) static_cast<void>(workload_summary(from, s, r));
    if (kind == wlfmt::file_format::table) summarise_tables(from, s, r);
}
std::uint64_t read_outcome::errors() const {
    std::uint64_t n = 0;
    for (const read_file_part& p : parts) n += p.errors;
    return n;
}
bool read_outcome::is_clean() const {
    if (failed || kind != wlfmt::file_format::oplog || other_ranks) return false;
    for (const read_file_part& p : parts)
        if (p.errors + p.warnings != 0 || p.has_table) return false;
    return true;
}

// Divides a large file into parts, so that several threads can read it and the progress can be shown.
static std::vector<wlfmt::byte_range> parts_of(const input& from) {
    constexpr std::uint64_t part_size = std::uint64_t{1} << 24;
    const std::uint64_t size = from.size();
    if (size < 2 * part_size) return {wlfmt::byte_range()};
    std::vector<wlfmt::byte_range> ranges;
    for (std::uint64_t begin = 0; begin < size; begin += part_size) ranges.push_back({begin, begin + part_size});
    ranges.back().end = wlfmt::byte_range().end;
    return ranges;
}

// Adds the records of a range of a file to a summary, but for foreign ones. Sets `ranks` and `foreign_lines` to those
// of the range.
static read_file_part read_into(wlfmt::analysis::summary& sum, ranks_of_log& ranks, foreign_records& foreign,
                                std::uint64_t& foreign_lines, input& from, wlfmt::byte_range range, const settings& s) {
    read_file_part outcome;
    outcome.begin = range.begin;
    report r(from.name(), s);
    r.set_kind(wlfmt::file_format::oplog);
    r.set_cells(from.cells());
    r.keep_in(outcome.problems);
    lines_read lines;
    if (!from.error())
        lines = for_each_operation(from, s, r, range, [&](const wlfmt::oplog::operation& op, const auto&) {
            if (foreign.has(op)) return;
            sum.add(op);
            ranks.add(op);
        });
    ranks.add_unread(sum, r);
    foreign_lines = lines.foreign;
    outcome.lines = lines.count;
    outcome.has_table = lines.has_table;
    outcome.lost = lines.lost;
    outcome.errors = r.errors();
    outcome.warnings = r.warnings();
    return outcome;
}

run_reader::run_reader(const path_list& paths, const std::vector<std::size_t>& chosen, const settings& s,
                       wlfmt::analysis::summary empty, const for_file& each)
    : paths_(paths),
      chosen_(chosen),
      logs_of_ranks_(paths, chosen),
      settings_(s),
      each_(each),
      empty_(std::move(empty)),
      total_(empty_),
      outcomes_(paths.size()),
      shown_("files", chosen.size(), s.per_file ? progress::output::lines : progress::output::nothing) {}
void run_reader::read(unsigned threads) {
    std::vector<std::thread> others;
    // As large files are read in parts, there can be work for more threads than there are files.
    const std::size_t sensible = chosen_.size() > 1 ? chosen_.size() + 1 : max_threads;
    const auto wanted = static_cast<unsigned>((std::min)({sensible, max_threads, std::size_t{threads}}));
    others.reserve(wanted);
    for (unsigned n = 1; n < wanted && add_thread(others, [this] { work(); }); ++n) continue;
    work();
    for (std::thread& thread : others) thread.join();
    shown_.clear();
#if defined(__cpp_exceptions)
    if (lacks_memory_) throw std::bad_alloc();
#endif
}
void run_reader::work() {
#if defined(__cpp_exceptions)
    // Without memory a thread ends, and then all do.
    try {
        work_to_end();
    } catch (const std::bad_alloc&) {
        const std::lock_guard<std::mutex> lock(mutex_);
        lacks_memory_ = true;
        more_.notify_all();
    }
#else
    work_to_end();
#endif
}
void run_reader::work_to_end() {
    worker self{empty_, {}, 0};
    for (task t; take(t);) {
        if (t.part == 0) read_file(t, self);
        else read_part(t, self);
        const std::lock_guard<std::mutex> lock(mutex_);
        // Merges often: the calls of a group are folded only once its ranks, read by several threads, meet.
        if (++self.files % files_at_a_time == 0)
            static_cast<void>(total_.merge(std::exchange(self.sum, wlfmt::analysis::summary(empty_))));
        if (--busy_ == 0) more_.notify_all();
        shown_.step();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    static_cast<void>(total_.merge(std::move(self.sum)));
}
bool run_reader::take(task& t) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
        if (lacks_memory_) return false;
        if (!parts_.empty()) {
            t = parts_.front();
            parts_.pop_front();
            break;
        }
        if (next_ != chosen_.size() && (waiting_ < max_waiting || busy_ == 0)) {
            t = {next_++, 0, {}};
            break;
        }
        if (busy_ == 0) return false;
        more_.wait(lock);
    }
    ++busy_;
    return true;
}
// The rank of the first record of a log, if that is in its first line.
static std::optional<std::int64_t> first_rank(std::string_view beginning) {
    std::int64_t rank = 0;
    const char* const end = beginning.data() + beginning.size();
    if (beginning.substr(0, 5) != "rank:") return std::nullopt;
    const auto [next, failed] = std::from_chars(beginning.data() + 5, end, rank);
    return failed != std::errc() || next == end || *next != ':' ? std::nullopt : std::optional<std::int64_t>(rank);
}
void run_reader::read_file(const task& t, worker& self) {
    auto read = std::make_unique<read_outcome>();
    read_outcome& outcome = *read;
    const std::string path = paths_[chosen_[t.file]];
    input from(path.c_str(), self.memory);
    outcome.failed = from.error();
    outcome.named_rank = wlfmt::oplog::facts_of(path).rank;
    if (!outcome.failed) outcome.kind = kind_of(from, settings_);
    if (!outcome.failed && outcome.kind == wlfmt::file_format::unknown)
        outcome.why_unknown = why_unknown_format(from.beginning(), from.name(), settings_);
    if (outcome.kind != wlfmt::file_format::oplog) {
        if (outcome.kind != wlfmt::file_format::unknown && !from.can_be_read_again()) outcome.piped = from.whole();
        const std::lock_guard<std::mutex> lock(mutex_);
        outcomes_[chosen_[t.file]] = std::move(read);
        return finish(t.file);
    }
    const std::optional<std::int64_t> first = first_rank(from.beginning());
    if (outcome.named_rank && first && *first != *outcome.named_rank &&
        !begins_with_rank(from.beginning(), *outcome.named_rank) && logs_of_ranks_.has(*first)) {
        outcome.is_copy = outcome.other_ranks = true;
        outcome.ranks[*first] = true;
        const std::lock_guard<std::mutex> lock(mutex_);
        outcomes_[chosen_[t.file]] = std::move(read);
        return finish(t.file);
    }
    const std::vector<wlfmt::byte_range> ranges = parts_of(from);
    outcome.parts.resize(ranges.size());
    outcome.parts_left = ranges.size();
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        outcomes_[chosen_[t.file]] = std::move(read);
        if (ranges.size() != 1) {
            for (std::size_t part = 1; part != ranges.size(); ++part) parts_.push_back({t.file, part, ranges[part]});
            shown_.add(ranges.size() - 1, "files and parts of files");
            more_.notify_all();
        }
    }
    read_records(from, {t.file, 0, ranges[0]}, self, ranges.size() == 1);
}
void run_reader::read_part(const task& t, worker& self) {
    const std::string path = paths_[chosen_[t.file]];
    input from(path.c_str(), self.memory, wlfmt::oplog::stream::first_byte(t.range));
    read_records(from, t, self, false);
}
void run_reader::read_records(input& from, const task& t, worker& self, bool is_whole) {
    std::optional<wlfmt::analysis::summary> own;
    if (settings_.per_file || !is_whole) own = empty_;
    wlfmt::analysis::summary& sum = own ? *own : self.sum;
    if (is_whole) sum.begin_text(from.name());
    else sum.begin_part(from.name(), t.range.begin);
    ranks_of_log ranks;
    std::uint64_t foreign_lines = 0;
    foreign_records foreign(logs_of_ranks_, from.name());
    read_file_part outcome = read_into(sum, ranks, foreign, foreign_lines, from, t.range, settings_);
    if (!is_whole) sum.end_part(t.range.end);
    if (own && is_whole) static_cast<void>(self.sum.merge(*own));

    const std::lock_guard<std::mutex> lock(mutex_);
    foreign_lines_ += foreign_lines;
    // Merges a part as soon as it is read: until its neighbours are merged as well, the summary keeps where each
    // rank begins and ends in it.
    if (!is_whole) static_cast<void>(total_.merge(*own));
    read_outcome& file = *outcomes_[chosen_[t.file]];
    if (from.error()) file.failed = from.error();
    if (settings_.per_file && file.own) static_cast<void>(file.own->merge(std::move(*own)));
    else if (settings_.per_file) file.own = std::move(own);
    for (const auto& [rank, is_there] : ranks.all()) file.ranks[rank] = is_there;
    for (const std::int64_t rank : foreign.ranks()) file.foreign[rank] = true;
    file.parts[t.part] = std::move(outcome);
    if (--file.parts_left == 0) finish(t.file);
}
void run_reader::finish(std::size_t position) {
    const std::size_t file = chosen_[position];
    read_outcome& done = *outcomes_[file];
    if (done.kind == wlfmt::file_format::oplog && !done.is_copy) {
        if (logs_++ == 0 || file < first_log_) first_log_ = file;
        done.other_ranks = !done.foreign.empty() || (done.named_rank && !done.ranks.empty() &&
                                                     (done.ranks.size() != 1 || !done.ranks.has(*done.named_rank)));
        for (const auto& [rank, is_there] : done.ranks) ranks_.emplace_back(rank, static_cast<std::int64_t>(file));
    }
    if (!settings_.per_file) return release(file);
    done.is_waiting = true;
    ++waiting_;
    for (; next_shown_ != chosen_.size(); ++next_shown_) {
        const std::size_t next = chosen_[next_shown_];
        if (outcomes_[next] == nullptr || !outcomes_[next]->is_waiting) break;
        --waiting_;
        if (auto& own = outcomes_[next]->own) {
            each_(next, *own);
            own.reset();
        }
        release(next);
    }
    more_.notify_all();
}
void run_reader::release(std::size_t file) {
    if (outcomes_[file]->is_clean()) outcomes_[file].reset();
}

}  // namespace tool
