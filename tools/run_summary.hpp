// summary and merge: what the op logs of a run say in sum.
#ifndef WLFMT_TOOLS_RUN_SUMMARY_HPP
#define WLFMT_TOOLS_RUN_SUMMARY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <wlfmt/json.hpp>
#include <wlfmt/run.hpp>
#include <wlfmt/summary.hpp>
#include <wlfmt/wlfmt.hpp>

#include "files.hpp"
#include "folder.hpp"
#include "output.hpp"
#include "run_read.hpp"
#include "settings.hpp"
#include "summary.hpp"

namespace tool {

using wlfmt::oplog::dimension;

inline std::vector<dimension> dimensions_of(dimension by) {
    std::vector<dimension> all;
    for (unsigned n = 0; n != 6; ++n)
        if (const auto one = static_cast<dimension>(1U << n); has(by, one)) all.push_back(one);
    return all;
}
// What a row says in a dimension; of a nested operation that is a text, or names no collective, what there is.
inline std::string value_in(const wlfmt::oplog::tally_row& row, dimension d) {
    const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : std::string("-"); };
    const auto text = [](const std::string& t) { return t.empty() ? std::string("-") : t; };
    switch (d) {
    case dimension::operation: return text(row.operation);
    case dimension::collective: return text(row.collective);
    case dimension::group: return text(row.group);
    case dimension::state: return text(row.state);
    case dimension::stage: return number(row.stage);
    default: return number(row.rank);
    }
}

// How the ranks, or the stages, differ in a time. Of equal ones the first stands for all.
class spread {
public:
    void add(std::int64_t of, double value) {
        if (values_.empty() || value > greatest_) {
            greatest_ = value;
            of_greatest_ = of;
        }
        values_.push_back(value);
    }
    // When all are added.
    void sort() {
        wlfmt::detail::sort_list(values_, [](double a, double b) { return a < b; });
    }
    std::size_t size() const noexcept { return values_.size(); }
    double least() const noexcept { return values_.front(); }
    double median() const noexcept { return (values_[(size() - 1) / 2] + values_[size() / 2]) / 2; }
    double greatest() const noexcept { return greatest_; }
    std::int64_t of_greatest() const noexcept { return of_greatest_; }

private:
    std::vector<double> values_;
    double greatest_ = 0;
    std::int64_t of_greatest_ = 0;
};

// The sums of the ranks, and which of them stand out.
struct run_totals {
    std::size_t ranks = 0;
    std::int64_t first_rank = 0;
    std::int64_t last_rank = 0;
    double busy = 0;
    double communication = 0;
    double idle = 0;
    double bubble = 0;  // on average of the ranks whose span is known
    std::size_t timed = 0;
    spread computation_of;
    spread communication_of;
    spread idle_of;
    spread stage_computation;                   // the mean of its ranks
    std::optional<std::int64_t> slowest_stage;  // that of the slowest rank

    explicit run_totals(const wlfmt::oplog::summary& s) {
        std::map<std::int64_t, std::pair<double, double>> of_stage;
        s.for_each_rank([&](const wlfmt::oplog::rank_total& r) {
            if (ranks++ == 0) first_rank = r.rank;
            last_rank = r.rank;
            busy += r.busy;
            communication += r.communication;
            idle += r.idle();
            bubble += r.bubble();
            timed += r.span.has_value();
            const double computation = r.computation();
            computation_of.add(r.rank, computation);
            if (computation_of.of_greatest() == r.rank) slowest_stage = r.stage;
            communication_of.add(r.rank, r.communication);
            idle_of.add(r.rank, r.idle());
            if (!r.stage) return;
            of_stage[*r.stage].first += computation;
            of_stage[*r.stage].second += 1;
        });
        if (timed != 0) bubble /= static_cast<double>(timed);
        for (const auto& [stage, sum] : of_stage) stage_computation.add(stage, sum.first / sum.second);
        for (spread* one : {&computation_of, &communication_of, &idle_of, &stage_computation}) one->sort();
    }
};

inline void print_spread(const run_totals& t) {
    if (t.ranks > 1) {
        standard_output.append("\n");
        grid lines;
        lines.row({"ranks", "least", "median", "greatest", "of rank"});
        const std::pair<const char*, const spread*> rows[] = {
            {"computation ms", &t.computation_of}, {"communication ms", &t.communication_of}, {"idle ms", &t.idle_of}};
        for (const auto& [title, of] : rows)
            lines.row({title, fixed(of->least(), 2), fixed(of->median(), 2), fixed(of->greatest(), 2),
                       std::to_string(of->of_greatest())});
        lines.print();
        const spread& slow = t.computation_of;
        standard_output.append("  slowest rank: " + std::to_string(slow.of_greatest()) +
                               (t.slowest_stage ? " (stage " + std::to_string(*t.slowest_stage) + ")" : "") + ", " +
                               fixed(slow.greatest(), 2) + " ms of computation, " +
                               fixed(slow.greatest() - slow.median(), 2) + " ms more than the median\n");
    }
    if (t.stage_computation.size() > 1) {
        const spread& slow = t.stage_computation;
        standard_output.append("  slowest stage: " + std::to_string(slow.of_greatest()) + ", " +
                               fixed(slow.greatest(), 2) + " ms of computation a rank, " +
                               fixed(slow.greatest() - slow.median(), 2) + " ms more than the median\n");
    }
    if (t.timed != 0)
        standard_output.append("  pipeline bubble: " + fixed(100 * t.bubble, 1) +
                               "% of a rank's time, idle or waiting for other stages\n");
}

inline void print_breakdown(const wlfmt::oplog::summary& s, dimension by, double all) {
    auto rows = s.rows(by);
    if (rows.empty()) return;
    wlfmt::detail::sort_list(
        rows, [](const auto& a, const auto& b) { return a.tally.duration.sum() > b.tally.duration.sum(); });
    std::string title;
    for (const dimension d : dimensions_of(by)) title.append(title.empty() ? "" : ", ").append(name_of(d));
    standard_output.append("\n");
    grid lines;
    lines.row({title, "count", "ms", "mean ms", "median", "99%", "deviation", "share"});
    for (const auto& row : rows) {
        std::string key;
        for (const dimension d : dimensions_of(by)) key.append(key.empty() ? "" : " ").append(value_in(row, d));
        const auto& ms = row.tally.duration;
        lines.row({key, std::to_string(row.tally.records), fixed(ms.sum(), 2), fixed(ms.mean(), 3),
                   fixed(ms.quantile(0.5), 3), fixed(ms.quantile(0.99), 3), fixed(ms.standard_deviation(), 3),
                   share(ms.sum(), all)});
    }
    lines.print();
}

inline void print_summary(const std::string& title, const wlfmt::oplog::summary& s) {
    const run_totals t(s);
    std::string head = title + ": rank op log, " + counted(s.operations(), "record", "records") + ", " +
                       counted(s.nested(), "sub-operation", "sub-operations");
    if (t.ranks != 0)
        head += ", " + counted(t.ranks, "rank", "ranks") + " (" + std::to_string(t.first_rank) +
                (t.ranks > 1 ? " to " + std::to_string(t.last_rank) : "") + ")";
    if (s.planned() != 0) head += ", " + counted(s.planned(), "record", "records") + " of a plan";
    print_line(head);
    grid total;
    total.row({"time", "ms", "share"});
    total.row({"computation", fixed(t.busy - t.communication, 2), share(t.busy - t.communication, t.busy)});
    total.row({"communication", fixed(t.communication, 2), share(t.communication, t.busy)});
    total.row({"all", fixed(t.busy, 2), share(t.busy, t.busy)});
    if (t.timed != 0) total.row({"idle", fixed(t.idle, 2)});
    total.print();
    print_spread(t);
    for (const dimension by : s.breakdowns()) print_breakdown(s, by, t.busy);
    if (s.nested_texts() != 0)
        standard_output.append("  " + counted(s.nested_texts(), "sub-operation is", "sub-operations are") +
                               " a text that no sum counts\n");
    if (s.open_parts() != 0)
        standard_output.append("  " + counted(s.open_parts(), "part of a file lacks", "parts of files lack") +
                               " the parts next to it: gaps are missing\n");
}

template <class Line, unsigned Decimals>
void put_measure(Line& to, std::string_view key, const wlfmt::oplog::measure<Decimals>& m) {
    to.key(key);
    to.open('{');
    to.key("count");
    to.integer(static_cast<std::int64_t>(m.count()));
    const std::pair<std::string_view, double> values[] = {
        {"sum", m.sum()},          {"mean", m.mean()},          {"deviation", m.standard_deviation()},
        {"min", m.least()},        {"median", m.quantile(0.5)}, {"p90", m.quantile(0.9)},
        {"p99", m.quantile(0.99)}, {"max", m.greatest()}};
    for (const auto& [name, value] : values) {
        to.key(name);
        to.decimal(value);
    }
    to.close('}');
}
// One line with what print_summary() shows, and more.
inline void put_json(const std::string& title, const wlfmt::oplog::summary& s) {
    wlfmt::detail::out<stream> out(standard_output);
    wlfmt::detail::json_line<stream> to(out);
    const run_totals t(s);
    const auto put = [&](std::string_view key, double v) {
        to.key(key);
        to.decimal(v);
    };
    const auto count = [&](std::string_view key, std::uint64_t n) {
        to.key(key);
        to.integer(static_cast<std::int64_t>(n));
    };
    to.open('{');
    to.key("name");
    to.string(title);
    count("operations", s.operations());
    count("nested", s.nested());
    count("planned", s.planned());
    put("busy", t.busy);
    put("computation", t.busy - t.communication);
    put("communication", t.communication);
    put("idle", t.idle);
    put("bubble", t.bubble);
    to.key("ranks");
    to.open('[');
    s.for_each_rank([&](const wlfmt::oplog::rank_total& r) {
        to.open('{');
        to.key("rank");
        to.integer(r.rank);
        if (r.stage) {
            to.key("stage");
            to.integer(*r.stage);
        }
        count("operations", r.operations);
        put("busy", r.busy);
        put("computation", r.computation());
        put("communication", r.communication);
        put("pipeline", r.pipeline);
        if (r.span) {
            put("span", *r.span);
            put("idle", r.idle());
            put("bubble", r.bubble());
        }
        to.close('}');
    });
    to.close(']');
    to.key("breakdowns");
    to.open('[');
    for (const dimension by : s.breakdowns())
        for (const auto& row : s.rows(by)) {
            to.open('{');
            for (const dimension d : dimensions_of(by)) {
                to.key(name_of(d));
                to.value(value_in(row, d) == "-" ? std::string_view("None") : value_in(row, d));
            }
            count("records", row.tally.records);
            count("unmeasured", row.tally.unmeasured);
            put("communication", row.tally.communication());
            put("overlap", row.tally.overlap());
            put_measure(to, "duration", row.tally.duration);
            put_measure(to, "gap", row.tally.gap);
            put_measure(to, "bytes", row.tally.bytes);
            to.close('}');
        }
    to.close(']');
    to.close('}');
    to.end_line();
    static_cast<void>(out.finish());
}

inline void show(const std::string& title, const wlfmt::oplog::summary& s, const settings& how) {
    if (how.partial)
        static_cast<void>(wlfmt::oplog::write(standard_output, s));
    else if (how.json)
        put_json(title, s);
    else
        print_summary(title, s);
}

// The op logs that the arguments name, those of folders included, and which of them are files of one run.
class run_command {
public:
    explicit run_command(const settings& s) : settings_(s) {
        if (!add_paths(given_, s.files)) worst_ = unusable;
    }
    exit_status run() {
        if (given_.empty()) return unusable;
        const std::vector<std::size_t> chosen = choose();
        {
            run_reader reader(given_, chosen, settings_, empty(),
                              [&](std::size_t n, const auto& own) { show(given_[n], own, settings_); });
            const unsigned cores = (std::max)(1U, std::thread::hardware_concurrency());
            reader.read(settings_.threads != 0 ? settings_.threads : cores);
            for (const auto& [n, outcome] : reader.outcomes()) tell(n, outcome);
            tell_shared_ranks(reader.ranks());
            if (!settings_.per_file && reader.logs() != 0)
                show(reader.logs() == 1 ? name_of_file(reader.first_log()) : std::to_string(reader.logs()) + " files",
                     reader.summary(), settings_);
        }
        if (failed_ != 0 && chosen.size() > 1)
            standard_error.append(std::to_string(failed_) + " of " + counted(chosen.size(), "file", "files") +
                                  " failed\n");
        // A file that is not an op log has a summary of its own.
        standard_error.flush();
        for (const std::size_t n : others_)
            worst_ = (std::max)(worst_, with_file(given_[n].c_str(), settings_, [&](input& from, report& r) {
                                    summarise(from, format_of(from, settings_, r), settings_, r);
                                }));
        return worst_;
    }

private:
    wlfmt::oplog::summary empty() const {
        return settings_.by.empty() ? wlfmt::oplog::summary() : wlfmt::oplog::summary(settings_.by);
    }
    std::string name_of_file(std::size_t n) const {
        std::string path = given_[n];
        return path == "-" ? "<stdin>" : path;
    }
    void complain(const std::string& name, const std::string& what, wlfmt::severity s = wlfmt::severity::error) {
        standard_error.append(printable(name) + ": " + std::string(name_of(s)) + ": " + printable(what) + "\n");
        if (s == wlfmt::severity::error) worst_ = (std::max)(worst_, problems);
    }
    // The files to be read; what the names say is told.
    std::vector<std::size_t> choose() {
        wlfmt::oplog::run_files files = wlfmt::oplog::choose_files(given_);
        for (const std::size_t n : files.repeated)
            complain(given_[n], "the file is named more than once, and counted once", wlfmt::severity::warning);
        for (const std::string& what : files.contradictions) complain("file names", what);
        if (!files.superseded.empty())
            complain("file names",
                     counted(files.superseded.size(), "file is of an earlier run", "files are of earlier runs") +
                         " and left out: " + given_[files.superseded.front()] +
                         (files.superseded.size() > 1 ? ", ..." : ""),
                     wlfmt::severity::warning);
        std::string missing;
        for (const auto& range : files.missing)
            missing.append(missing.empty() ? "" : ", ")
                .append(std::to_string(range.first))
                .append(range.last != range.first ? " to " + std::to_string(range.last) : "");
        if (!missing.empty() && given_.size() > 1)
            complain("file names", "there is no file of rank " + missing, wlfmt::severity::warning);
        return std::move(files.chosen);
    }
    // What is wrong with a file.
    void tell(std::size_t n, const read_outcome& o) {
        const std::string name = name_of_file(n);
        if (o.failed) {
            standard_error.append(wlfmt::explain(o.failed, {}, name));
            worst_ = unusable;
            ++failed_;
            return;
        }
        if (o.kind != wlfmt::file_format::oplog) return tell_other(n, name, o);
        std::uint64_t lines = 0;
        std::uint64_t told_of = 0;
        std::uint64_t all = 0;
        for (const read_file_part& p : o.parts) {
            for (told one : p.problems) {
                one.e.field = one.field;
                standard_error.append(wlfmt::explain(one.e, one.line, name, one.s, lines + one.number));
            }
            lines += p.lines;
            told_of += p.problems.size();
            all += p.errors + p.warnings;
        }
        if (all > told_of)
            standard_error.append(printable(name) + ": " + std::to_string(all - told_of) +
                                  " more problems, which check lists\n");
        if (o.errors() != 0) {
            worst_ = (std::max)(worst_, problems);
            ++failed_;
        }
        if (o.other_ranks)
            complain(name, "the name says rank " + std::to_string(*o.named_rank) + ", the records say " +
                               (o.ranks.size() == 1 ? "rank " + std::to_string(*o.ranks.begin()) : "several ranks"));
    }
    void tell_other(std::size_t n, const std::string& name, const read_outcome& o) {
        const bool summed_up = !settings_.partial && !settings_.json && o.kind != wlfmt::file_format::unknown;
        if (summed_up && name != "<stdin>" && given_.is_given(n)) {
            others_.push_back(n);
            return;
        }
        ++failed_;
        if (!o.why_none.empty())
            complain(name, o.why_none);
        else if (o.kind == wlfmt::file_format::unknown)
            complain(name, "unknown_format: neither a rank op log nor a workload file nor a profiler table");
        else
            complain(name, "a file of the format `" + std::string(name_of(o.kind)) + "` among the op logs of a run");
    }
    // Ranks that several files hold.
    void tell_shared_ranks(std::vector<rank_in_file>& ranks) {
        wlfmt::detail::sort_list(ranks, [](const rank_in_file& a, const rank_in_file& b) {
            return a.rank != b.rank ? a.rank < b.rank : a.file < b.file;
        });
        std::size_t first = 0;
        for (std::size_t n = 1; n < ranks.size(); ++n) {
            if (ranks[n].rank != ranks[first].rank)
                first = n;
            else
                complain(name_of_file(ranks[n].file), "rank " + std::to_string(ranks[n].rank) + " is in " +
                                                          name_of_file(ranks[first].file) +
                                                          ", too: both are in the sums");
        }
        std::vector<rank_in_file>().swap(ranks);
    }

    const settings& settings_;
    path_list given_;
    std::vector<std::size_t> others_;
    std::size_t failed_ = 0;
    exit_status worst_ = clean;
};

// Lines that summary --partial wrote, of one file or of many, as one summary.
inline exit_status merge(const settings& s) {
    exit_status worst = clean;
    std::vector<wlfmt::oplog::summary> all;
    std::size_t lines = 0;
    for (const char* path : s.files) {
        input from(path);
        std::string_view text = from.error() ? std::string_view() : from.whole();
        if (from.error()) {
            standard_error.append(wlfmt::explain(from.error(), {}, from.name()));
            worst = unusable;
            continue;
        }
        if (text.empty()) standard_error.append(printable(from.name()) + ": warning: the file is empty\n");
        for (std::uint64_t number = 1; !text.empty(); ++number) {
            const std::string_view line = text.substr(0, (std::min)(text.find('\n'), text.size() - 1) + 1);
            text.remove_prefix(line.size());
            const auto one = wlfmt::oplog::read_summary(line);
            const bool merged = one.ok() && (all.empty() || all[0].merge(*one));
            if (one.ok() && all.empty()) all.push_back(*one);
            lines += merged;
            if (merged) continue;
            worst = (std::max)(worst, problems);
            if (!one.ok())
                standard_error.append(wlfmt::explain(one.error(), line, from.name(), wlfmt::severity::error, number));
            else
                standard_error.append(printable(from.name()) + ":" + std::to_string(number) +
                                      ": error: the line has other breakdowns than the first one\n");
        }
    }
    if (!all.empty()) show(lines == 1 ? "1 summary" : std::to_string(lines) + " summaries", all[0], s);
    return worst;
}

}  // namespace tool

#endif
