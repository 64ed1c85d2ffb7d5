// timeline: writes a run, or one iteration of a workload file, as Trace Event JSON.
#ifndef WLFMT_TOOLS_RUN_TIMELINE_HPP
#define WLFMT_TOOLS_RUN_TIMELINE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/oplog/answers.hpp>
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/summary.hpp>
#include <wlfmt/timeline.hpp>
#include <wlfmt/types/answers.hpp>
#include <wlfmt/wlfmt.hpp>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/files.hpp"
#include "../input/identity.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"
#include "../output/output_file.hpp"
#include "../output/problems.hpp"
#include "../output/progress.hpp"

namespace tool {

// Finds the places in the log of one rank at which all that came before has ended. Events can be written there: those
// of a large log need not be in memory at once.
class pause_in_log {
public:
    bool is_before(const wlfmt::oplog::operation& op) {
        constexpr std::size_t enough = 1 << 14;
        if (events_ == 0 && rank_ == none) rank_ = op.rank;
        if (op.rank != rank_) several_ranks_ = true;
        double begin = end_;
        double end = end_;
        const auto take = [&](const auto& timestamp, const auto& duration) {
            const double at = timestamp.value_or(0.0);
            if (!(at > 0)) return;
            begin = (std::min)(begin, at - (std::max)(duration.value_or(0.0), 0.0));
            end = (std::max)(end, at);
        };
        take(op.timestamp, op.duration);
        for (const auto& nested : op.sub_operations) take(nested.timestamp, nested.duration);
        const bool is_pause = !several_ranks_ && events_ >= enough && begin >= end_;
        events_ = (is_pause ? 0 : events_) + 1 + op.sub_operations.size();
        end_ = end;
        return is_pause;
    }

private:
    static constexpr std::int64_t none = -1;
    std::int64_t rank_ = none;
    std::size_t events_ = 0;
    bool several_ranks_ = false;
    double end_ = 0;  // the latest end of all operations so far, in milliseconds
};

class timeline_command {
public:
    explicit timeline_command(const settings& s) : s_(s), files_(s, run_use::together), run_(s.align) {}

    exit_status run() {
        for (std::size_t n = 0; n != files_.paths().size(); ++n) inputs_.add(files_.paths()[n]);
        const exit_status read = (std::max)(files_.status(), learn());
        const exit_status status = done_ ? read : (std::max)(read, tell_missing_ranks());
        const bool none = status != clean && run_.ranks().empty();
        if (done_ || doubled_ || none || status == unusable) return status;
        if (timed_ranks() == 0)
            return refuse(
                "no operation has a time, so there is nothing to draw: these are plans, or logs of metadata alone; "
                "`wlfmt summary` tells what is in them");
        answers_ = wlfmt::oplog::answers_of(sums_, sizes());
        if (!run_.align(how(), &answers_)) return refuse(why_not_aligned());
        tell();
        return (std::max)(status, write_files());
    }

private:
    // The sizes in the first name that has them.
    std::optional<wlfmt::oplog::run_sizes> sizes() const {
        for (std::size_t n = 0; n != files_.paths().size(); ++n) {
            const std::string path = files_.paths()[n];
            if (const auto found = wlfmt::oplog::sizes_of(wlfmt::oplog::facts_of(path))) return found;
        }
        return std::nullopt;
    }

    // The ranks of the run from the first to the last number.
    exit_status write(const std::string& name, std::int64_t first, std::int64_t last) {
        target to(name, inputs_);
        if (!to.is_open()) return unusable;
        wlfmt::timeline::writer<stream> events(to.sink(), run_, &answers_);
        pause_in_log pause;
        const auto add = [&](const wlfmt::oplog::operation& op) {
            if (op.rank < first || op.rank > last || run_.find(op.rank) == nullptr) return;
            if (pause.is_before(op)) events.flush();
            events.add(op);
        };
        const bool same = for_each_event(add, [&] {
            events.flush();
            pause = {};
        });
        static_cast<void>(events.finish());
        return same && to.keep() ? clean : unusable;
    }

    // The second pass does not report again what is wrong in the files. It returns false, with a message, if a file is
    // no longer what the first pass has read.
    bool for_each_event(const callback<void(const wlfmt::oplog::operation&)>& each,
                        const callback<void()>& after_file) {
        progress shown("files", files_.paths().size());
        for (std::size_t n = 0; n != files_.paths().size(); ++n) {
            shown.step();
            const as_read& before = read_[n];
            if (!before.is_log) continue;
            const std::string path = files_.paths()[n];
            const auto changed = [&] {
                standard_error.append({printable(path), ": error: the file has changed while it was read\n"});
                return false;
            };
            input from(path.c_str());
            if (!from.error() && !(file_stamp::of(path) == before.stamp)) return changed();
            report r(path, s_);
            r.silence();
            for_each_operation(from, s_, r,
                               [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) { each(op); });
            if (from.error()) {
                standard_error.append(wlfmt::explain(from.error(), {}, wlfmt::in_file(from.name())));
                return false;
            }
            // The reader of the output is gone: the rest of the file was not read either.
            if (standard_output.closed()) return true;
            if (from.bytes() != before.bytes || !(file_stamp::of(path) == before.stamp)) return changed();
            after_file();
        }
        return true;
    }

    static exit_status refuse(const std::string& what) {
        standard_error.append({"wlfmt: ", what, "\n"});
        return problems;
    }
    wlfmt::timeline::alignment how() const noexcept {
        using wlfmt::timeline::alignment;
        if (s_.align.empty()) return alignment::automatic;
        for (const alignment one : {alignment::none, alignment::first, alignment::flows, alignment::collectives})
            if (s_.align == name_of(one)) return one;
        return alignment::operation;
    }
    std::string why_not_aligned() const {
        if (how() == wlfmt::timeline::alignment::operation)
            return joined(
                {"no rank has an operation `", s_.align,
                 "` with a time; --align= takes first, flows, collectives, none, or the name of an operation"});
        if (how() == wlfmt::timeline::alignment::collectives)
            return "no two ranks have a timed call of their group in common, by the sizes in the files' names; "
                   "align by messages, --align=flows";
        return "the messages contradict each other: whatever the clocks are, some arrive before they are sent; align "
               "by an operation, --align=optimizer_step";
    }
    std::size_t timed_ranks() const {
        return static_cast<std::size_t>(
            std::count_if(run_.ranks().begin(), run_.ranks().end(), [](const auto& rank) { return rank.timed; }));
    }
    // The numbers of the ranks, ascending.
    std::vector<std::int64_t> ranks() const {
        std::vector<std::int64_t> to;
        for (const auto& rank : run_.ranks()) to.push_back(rank.rank);
        sort_list(to);
        return to;
    }

    // The first pass; for a workload file, the only one.
    exit_status learn() {
        const path_list& paths = files_.paths();
        progress shown("files", paths.size());
        keyed<std::int64_t, std::optional<std::size_t>> file_of;
        read_.resize(paths.size());
        return for_each_file(paths, s_, [&](input& from, wlfmt::file_format kind, report& r, std::size_t n) {
            shown.step();
            if (kind == wlfmt::file_format::table) {
                done_ = true;
                if (paths.size() != 1) return r.error(std::string_view(), "give one table at a time");
                return r.error(std::string_view(),
                               "a profiler table holds sums, not when anything happened: there is no timeline in it; "
                               "`wlfmt plot` draws its heaviest rows");
            }
            if (kind == wlfmt::file_format::workload) return workload(from.whole(), r);
            if (!from.can_be_read_again()) {
                done_ = true;
                return r.error(std::string_view(),
                               "op logs are read twice, which standard input and pipes cannot be: give a file");
            }
            read_[n].is_log = true;
            sums_.begin_text(from.name());
            read_[n].stamp = file_stamp::of(from.name());
            for_each_operation(from, s_, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
                if (!s_.drawn.has(op.rank) || op.origin != wlfmt::oplog::origin::rank) return;
                std::optional<std::size_t>& first = file_of[op.rank];
                if (!first) first = n;
                if (*first != n && !doubled_) {
                    doubled_ = true;
                    r.error(std::string_view(),
                            joined({"rank ", op.rank, " is in ", paths[*first], " too: give the files of one run"}));
                }
                run_.add(op);
                sums_.add(op);
            });
            sums_.end_text();
            read_[n].bytes = from.bytes();
        });
    }

    void workload(std::string_view text, report& r) {
        done_ = true;
        if (files_.paths().size() != 1) return r.error(std::string_view(), "give one workload file at a time");
        r.about(text);
        const auto read = wlfmt::workload::read(text, options_for(s_, r));
        if (!read) r.error(read.error());
        target to(s_.output, inputs_);
        if (to.is_open()) static_cast<void>(wlfmt::timeline::write(to.sink(), *read));
        if (!to.keep()) r.error(std::string_view(), "nothing is written");
    }

    // Names the ranks that --ranks asks for and no log has.
    exit_status tell_missing_ranks() const {
        if (!s_.drawn.is_given()) return clean;
        const std::string missing = s_.drawn.missing_from(ranks());
        if (missing.empty()) return clean;
        standard_error.append({"wlfmt: error: --ranks: no log has rank ", missing, "\n"});
        return problems;
    }
    // Prints the offsets of the clocks, and what is strange about the times.
    void tell() const {
        if (how() == wlfmt::timeline::alignment::automatic) tell_of_clocks();
        for (const auto& rank : run_.ranks()) {
            if (how() == wlfmt::timeline::alignment::automatic) break;
            if (rank.offset == 0) continue;
            standard_error.append({"rank ", rank.rank, ": clock moved by ", rank.offset > 0 ? "+" : "",
                                   fixed(static_cast<double>(rank.offset) / 1e9, 6), " s\n"});
        }
        if (run_.early() != 0)
            standard_error.append({"wlfmt: ", counted(run_.early(), "message arrives", "messages arrive"),
                                   " before being sent, as clocks differ: try --align=flows\n"});
        if (are_apart())
            standard_error.append(
                "wlfmt: no two ranks overlap in time, as if they were traced one after the other: try --align=first\n");
    }
    // Prints how the clocks were aligned if the command line did not say how.
    void tell_of_clocks() const {
        using wlfmt::timeline::alignment;
        if (run_.aligned() == alignment::none) return;
        const bool by_collectives = run_.aligned() == alignment::collectives;
        const auto apart = static_cast<double>(by_collectives ? run_.fit().apart : run_.apart());
        const std::string what =
            run_.clocks() == timed_ranks() && run_.aligned() == alignment::first
                ? "no two ranks overlap in time, as if they were traced one after the other: each begins at 0"
                : joined({"the ranks have ", run_.clocks(), " clocks, up to ",
                          fixed(apart / 1e9, by_collectives ? 6 : 3), " s apart, as on several hosts: ",
                          by_collectives ? by_collectives_words()
                          : run_.aligned() == alignment::flows
                              ? "they are moved by as little as no message needs to arrive before it is sent"
                              : "no messages show how far apart they are, so that each begins at 0"});
        standard_error.append({"wlfmt: ", what, "; --align=none leaves them as they are\n"});
    }
    std::string by_collectives_words() const {
        const wlfmt::timeline::collective_fit& fit = run_.fit();
        std::string to = joined({"they are moved so that members of a blocking collective leave it together (",
                                 counted(fit.differences, "end", "ends"), " compared, median deviation ",
                                 fixed(static_cast<double>(fit.deviation) / 1e6, 3), " ms)"});
        if (fit.sets == 1) return to;
        to += joined({"; of ", fit.sets, " sets of clocks that no collective joins, "});
        return to + (fit.rest_begins_together
                         ? "no messages show how far apart they are, so that each begins at 0"
                         : "each is moved by as little as no message needs to arrive before it is sent");
    }
    // Whether each rank ends before the next one begins.
    bool are_apart() const {
        std::vector<std::pair<std::int64_t, std::int64_t>> times;
        for (const auto& rank : run_.ranks())
            if (rank.timed) times.emplace_back(rank.begin + rank.offset, rank.end + rank.offset);
        sort_list(times);
        for (std::size_t n = 1; n < times.size(); ++n)
            if (times[n].first < times[n - 1].second) return false;
        return times.size() > 1;
    }

    // With --ranks-per-file trace.json becomes trace.0-63.json, ...
    exit_status write_files() {
        const std::vector<std::int64_t> all = ranks();
        if (s_.ranks_per_file == 0) return write(s_.output, all.front(), all.back());
        const std::string path = s_.output;
        const std::size_t folder = path.rfind('/');
        std::size_t end = path.rfind('.');
        if (end == std::string::npos || (folder != std::string::npos && end < folder)) end = path.size();
        exit_status worst = clean;
        for (std::size_t n = 0; n < all.size(); n += s_.ranks_per_file) {
            const std::int64_t last = all[(std::min)(all.size() - n, s_.ranks_per_file) + n - 1];
            worst = (std::max)(
                worst, write(joined({path.substr(0, end), ".", all[n], "-", last, path.substr(end)}), all[n], last));
        }
        return worst;
    }

    // A file as the first pass has read it.
    struct as_read {
        bool is_log = false;  // a file of another format was reported and is left out
        file_stamp stamp;
        std::uint64_t bytes = 0;
    };

    const settings& s_;
    files_of_run files_;
    input_files inputs_;
    std::vector<as_read> read_;  // by position in the files
    wlfmt::timeline::run run_;
    wlfmt::oplog::summary sums_{std::vector<wlfmt::oplog::dimension>(), wlfmt::oplog::summary::keep::calls};
    wlfmt::oplog::run_answers answers_;
    bool done_ = false;
    bool doubled_ = false;
};

}  // namespace tool

#endif
