// chakra: writes the traces of a run from its op logs.
#ifndef WLFMT_TOOLS_CHAKRA_RUN_HPP
#define WLFMT_TOOLS_CHAKRA_RUN_HPP

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/files.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"
#include "../run/checks.hpp"
#include "calls.hpp"
#include "files.hpp"
#include "network.hpp"

namespace tool {

// The sizes that the name of a tracer's file gives, wd8_tp2_pp4_exp1_..., or else the command line. Sets `problem` if
// the two contradict each other, or if neither says how many ranks there are.
inline wlfmt::parallelism::sizes sizes_of_run(std::string_view name, const settings& s, std::string& problem) {
    const auto number = [&](std::string_view key, const char* option, std::int64_t given) {
        std::int64_t value = 0;
        for (std::size_t at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
            const std::size_t digits = at + key.size();
            const std::size_t end = name.find_first_not_of("0123456789", digits);
            const auto n = wlfmt::to_number(name.substr(digits, end == name.npos ? end : end - digits));
            const bool begins_word = at == 0 || name[at - 1] == '_' || name[at - 1] == '/';
            if (begins_word && n.as<std::int64_t>()) value = *n.as<std::int64_t>();
        }
        if (value != 0 && given != 0 && value != given)
            problem = joined({option, "=", given, " contradicts the name of the file, which says ", key, value});
        return value != 0 ? value : given;
    };
    wlfmt::parallelism::sizes sizes;
    sizes.ranks = number("wd", "--world-size", s.ranks);
    if (sizes.ranks == 0)
        problem =
            "the names of the files do not say how many ranks there are, as wd8_tp2_pp4_... does: give --world-size=N, "
            "and --tp=N, --pp=N and --ep=N where they are not 1";
    sizes.tensor = (std::max)(number("tp", "--tp", s.tensor), std::int64_t{1});
    sizes.pipeline = (std::max)(number("pp", "--pp", s.pipeline), std::int64_t{1});
    sizes.expert = (std::max)(number("exp", "--ep", s.expert), std::int64_t{1});
    return sizes;
}
// Works out the data parallel sizes. Returns false if the ranks cannot be divided into groups of these sizes.
inline bool derive_data_sizes(wlfmt::parallelism::sizes& sizes) {
    if (sizes.ranks < 1 || sizes.tensor < 1 || sizes.pipeline < 1 || sizes.expert < 1) return false;
    if (sizes.tensor > sizes.ranks / sizes.pipeline || sizes.ranks % (sizes.tensor * sizes.pipeline) != 0) return false;
    sizes.data = sizes.ranks / (sizes.tensor * sizes.pipeline);
    sizes.expert_data = sizes.data / sizes.expert;
    return sizes.data % sizes.expert == 0;
}

// Writes the traces of a run. Each file is one rank's log, and only one of them is in memory at a time. All files are
// read twice: first to check them and to learn how long each group's calls took, then to write the traces, so that
// nothing is written if the run cannot be simulated.
class run_tracer {
public:
    run_tracer(const settings& s, const path_list& paths, stray_files& strays)
        : s_(s), paths_(paths), strays_(strays), status_(clean), made_from_(s) {}

    exit_status trace(input& first, std::size_t position) {
        std::string problem;
        run_.sizes = sizes_of_run(paths_[position], s_, problem);
        if (!problem.empty()) {
            say(paths_[position], {"error: ", problem});
            return problems;
        }
        run_.order = s_.order;
        run_.splits = s_.splits;
        run_.active_chunks = s_.active_chunks;
        if (!derive_data_sizes(run_.sizes) || !run_.order.names_all(run_.sizes)) {
            say("wlfmt",
                {"error: ", run_.sizes.ranks, " ranks cannot be divided into groups of ", run_.sizes.tensor, " (tp), ",
                 run_.sizes.pipeline, " (pp) and ", run_.sizes.expert, " (exp): see --world-size, --tp, --pp, --ep"});
            return problems;
        }
        const wlfmt::parallelism::layout ranks(run_.sizes, run_.order);
        if (const auto mixed = ranks.ranks_of_two_stages()) {
            say("wlfmt", {"error: in this --order ranks ", mixed->first, " and ", mixed->second,
                          " are in one group of experts and in two pipeline stages"});
            return problems;
        }
        if (!first.can_be_read_again()) {
            say(paths_[position], {"error: the logs of a run are read twice, which a pipe cannot be"});
            return unusable;
        }
        calls_.attach_to(run_, s_.balance);
        files_.emplace(s_, run_.sizes.ranks);
        if (const exit_status refused = files_->refusal(); refused != clean) return refused;
        for (std::size_t n = 0; n != paths_.size(); ++n) files_->inputs().add(paths_[n]);
        if (!s_.network.empty()) files_->use(network_of(s_, status_));
        if (status_ != clean) return status_;
        for (const bool writing : {false, true}) {
            calls_.is_writing = writing;
            if (writing && !files_->begin(made_from_)) return problems;
            if (writing) files_->report_size(static_cast<double>(bytes_), 0);
            progress shown(writing ? "traces" : "logs", static_cast<std::size_t>(run_.sizes.ranks));
            for (std::size_t n = position; n != paths_.size(); ++n) {
                if (!trace_file(n) || status_ == unusable) return unusable;
                shown.step();
            }
            if (!writing) check_run();
            if (status_ != clean) return status_;
        }
        if (!files_->write_others(run_)) return unusable;
        calls_.print_notes(s_);
        return lost_;
    }

private:
    // Returns false if the file cannot be read.
    bool trace_file(std::size_t n) {
        const std::string path = paths_[n];
        input from(path.c_str());
        if (!calls_.is_writing && strays_.take(paths_, n, from, s_)) return true;
        report r(from.name(), s_);
        if (calls_.is_writing) r.silence();
        const std::string_view text = from.error() ? std::string_view() : from.whole();
        if (report_unreadable(from)) return false;
        r.about(text);
        wlfmt::options options = options_for(s_, r);
        options.lenient = false;
        const auto log = wlfmt::oplog::read(text, options);
        if (!log) r.error(log.error());
        if (!log || log->operations.empty()) status_ = problems;
        else if (calls_.is_writing || is_one_rank(*log, path, text, r)) trace_log(*log, text, path, r);
        if (r.errors() != 0) status_ = (std::max)(status_, problems);
        if (log && report_lost_records(text, s_, r)) (s_.lenient ? lost_ : status_) = problems;
        return true;
    }

    // Checks the records of a log. Returns whether it is the only log of its rank and holds no other rank.
    bool is_one_rank(const wlfmt::oplog::document& log, const std::string& path, std::string_view text, report& r) {
        const std::int64_t rank = log.operations[0].rank;
        bool is_one = true;
        std::uint64_t line = 1;
        const char* counted = text.data();
        checks_.begin_text(path);
        for (const auto& op : log.operations) {
            is_one = is_one && op.rank == rank;
            line += static_cast<std::uint64_t>(std::count(counted, op.source.data(), '\n'));
            counted = op.source.data();
            checks_.add(op, text, line, [&](const wlfmt::problem& e) {
                // An unknown operation is traced as computation, as everywhere else.
                if (e.kind != wlfmt::error_kind::unknown_operation && !s_.lenient) fail(r, e);
                else r.warning(e);
            });
        }
        const bool is_first = !log_of_rank_.has(rank);
        std::string& first_log = log_of_rank_[rank];
        if (is_first) first_log = path;
        if (!is_one) fail(r, "the file holds records of several ranks");
        if (!is_first) fail(r, joined({"rank ", rank, " is in ", first_log, ", too"}));
        return is_one && is_first;
    }

    void trace_log(const wlfmt::oplog::document& log, std::string_view text, const std::string& path, report& r) {
        const std::int64_t rank = log.operations[0].rank;
        calls_.begin(rank, text);
        const bool changed = calls_.is_writing && (text.size() != sizes_[path]);
        if (!calls_.is_writing) sizes_[path] = text.size();
        if (changed) return fail(r, "the file has changed while it was read");
        if (calls_.is_writing) {
            if (!s_.only_ranks.has(rank)) return;
            if (!files_->write_trace(rank, [&](stream& to) { return write(to, log, run_, text, files_->mark()); }))
                status_ = unusable;
            return;
        }
        made_from_.add(text);
        stream counter;
        const wlfmt::problem e = write(counter, log, run_, text);
        if (s_.only_ranks.has(rank)) bytes_ += counter.size();
        if (e) {
            r.error(e);
            status_ = problems;
            return;
        }
        calls_.order.differences([&](const collective_order::order_difference& d) {
            std::string why = joined({"collective ", d.number, " of group ", d.group});
            if (d.record.empty())
                why += " is missing: rank " + joined({d.first_rank, " has it in line ", d.first_line});
            else if (d.first_line == 0) why += joined({" is more than rank ", d.first_rank, " has"});
            else
                why += joined({" is another one, or of other bytes, than that of rank ", d.first_rank, " in line ",
                               d.first_line});
            why += "; ASTRA-sim would wait for ever";
            if (!s_.balance) why += " (--balance, if it is the shares of experts)";
            r.error(d.record.substr(0, d.record.find('(')), why);
            status_ = problems;
        });
    }

    // Does the checks that need all files.
    void check_run() {
        if (static_cast<std::int64_t>(log_of_rank_.size()) != run_.sizes.ranks) {
            say("wlfmt", {"error: the run has ", run_.sizes.ranks, " ranks, and there are logs of ",
                          log_of_rank_.size(), "; ASTRA-sim needs a trace of each"});
            status_ = problems;
        }
        std::string groups;
        stream to(groups);
        static_cast<void>(write_groups(to, run_));
        calls_.order.absent(groups, [&](std::int64_t group, std::int64_t rank) {
            if (!log_of_rank_.has(rank)) return;
            say(log_of_rank_[rank], {"error: rank ", rank, " has none of the collectives of group ", group,
                                     "; ASTRA-sim would wait for ever"});
            status_ = problems;
        });
        settings strict = s_;
        strict.strict = !s_.lenient;
        if (checks_.report(strict) && !s_.lenient) {
            status_ = problems;
            say("wlfmt", {"note: ASTRA-sim would wait for ever, or simulate less than the run did; "
                          "--lenient traces what is there"});
        }
    }

    void fail(report& r, const wlfmt::problem& e) {
        r.error(e);
        status_ = problems;
    }
    void fail(report& r, std::string_view why) {
        r.error({why});
        status_ = problems;
    }

    const settings& s_;
    const path_list& paths_;
    stray_files& strays_;
    exit_status status_;
    exit_status lost_ = clean;  // other than `clean` if --lenient passes over records after other text
    fingerprint made_from_;
    // Counts the bytes of the traces that are to be written.
    std::uint64_t bytes_ = 0;
    wlfmt::analysis::chakra::run run_;
    std::optional<trace_files> files_;
    run_calls calls_;
    run_checks checks_{true};
    keyed<std::int64_t, std::string> log_of_rank_;  // the path of each rank's log
    keyed<std::string, std::size_t> sizes_;         // the size of each file in the first pass, by path
};

}  // namespace tool

#endif
