// Adds up the lines of summary --partial, from one file or from many, into one summary.
#ifndef WLFMT_TOOLS_RUN_MERGE_HPP
#define WLFMT_TOOLS_RUN_MERGE_HPP

#include <deque>
#include <set>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/input.hpp"
#include "../output/output.hpp"
#include "print.hpp"

namespace tool {

class merge_command {
public:
    explicit merge_command(const settings& s) : settings_(s) {}

    exit_status execute() {
        for (const char* path : settings_.files) read(path);
        std::optional<wlfmt::analysis::summary> sum = added_up();
        // Which lines hold a rank is only looked up if a rank is in the sums twice.
        if (sum && holds_rank_twice(*sum)) {
            if (!leave_out_older()) return worst_;
            sum = added_up();
        }
        if (!sum) return (std::max)(worst_, problems);
        // If there is only one line, no other one can be lost, and missing ranks are only a warning, as in summary.
        const bool is_alone = lines_.size() == 1 && names_.size() == 1 && settings_.expected_ranks == 0;
        if (!report_missing_ranks(*sum, settings_, is_alone ? wlfmt::severity::warning : wlfmt::severity::error) &&
            !is_alone)
            fail();
        if (report_other_runs(*sum)) fail();
        if (report_sizes(*sum, settings_) != clean) return (std::max)(worst_, problems);
        if (sum->open_parts() != 0) {
            say("wlfmt", {"error: ", counted(sum->open_parts(), "part of a file lacks", "parts of files lack"),
                          " the parts next to it, or is given twice"});
            fail();
        }
        show(lines_.size() == 1 ? "1 summary" : joined({lines_.size(), " summaries"}), *sum, settings_);
        return worst_;
    }

private:
    struct given_line {
        std::string_view text;
        std::size_t file;
        std::uint64_t number;
    };
    void fail() { worst_ = (std::max)(worst_, problems); }
    std::string place(const given_line& line) const { return joined({printable(names_[line.file]), ":", line.number}); }
    static const char* kind_of_file(wlfmt::file_format kind) noexcept {
        return kind == wlfmt::file_format::oplog      ? "a rank op log"
               : kind == wlfmt::file_format::workload ? "a workload file"
                                                      : "a profiler table";
    }
    // Reads the lines of a file. If lines are the same byte for byte, only the first is kept.
    void read(const char* path) {
        input from(path);
        texts_.emplace_back(from.error() ? std::string_view() : from.whole());
        names_.emplace_back(from.name());
        if (report_unreadable(from)) {
            worst_ = unusable;
            return;
        }
        std::string_view text = texts_.back();
        if (text.empty()) {
            say(from.name(), {"error: the file is empty, as a task leaves it that did not come to its end"});
            fail();
        }
        // Lines of JSON begin with a brace. About any other text, one sentence says what it is.
        if (const wlfmt::file_format kind = wlfmt::detect(text);
            !text.empty() && text[0] != '{' && kind != wlfmt::file_format::unknown) {
            fail();
            say(from.name(),
                {"error: the file is ", kind_of_file(kind), ", not lines of summary --partial: wlfmt summary",
                 kind == wlfmt::file_format::oplog ? " --partial " : " ", printable(from.name())});
            return;
        }
        for (std::uint64_t number = 1; !text.empty(); ++number) {
            const given_line line{take_until(text, '\n'), texts_.size() - 1, number};
            if (seen_.insert(line.text).second) lines_.push_back(line);
            else say(place(line), {"warning: the line is given more than once, and counted once"});
        }
    }
    // Returns nothing if no line is a summary. Lines that cannot be added are reported and left out.
    std::optional<wlfmt::analysis::summary> added_up() {
        std::optional<wlfmt::analysis::summary> sum;
        std::vector<given_line> good;
        constexpr std::uint64_t max_reported = 10;  // reported lines of one file
        std::vector<std::uint64_t> bad(names_.size());
        for (const given_line& line : lines_) {
            auto read = wlfmt::analysis::read_summary(line.text);
            if (!read.ok()) {
                fail();
                if (++bad[line.file] <= max_reported)
                    say(read.error(), line.text, names_[line.file], wlfmt::severity::error, line.number);
            } else if (sum && !sum->merge(std::move(*read))) {
                fail();
                say(place(line), {"error: the line has other breakdowns than the first one"});
            } else {
                if (!sum) sum = std::move(*read);
                good.push_back(line);
            }
        }
        for (std::size_t n = 0; n != bad.size(); ++n)
            if (bad[n] > max_reported)
                say(names_[n],
                    {"error: ", counted(bad[n] - max_reported, "more line is", "more lines are"), " no summary"});
        lines_ = std::move(good);
        return sum;
    }
    static bool holds_rank_twice(const wlfmt::analysis::summary& sum) {
        bool any = false;
        sum.for_each_rank([&](const wlfmt::analysis::rank_total& r) { any = any || r.source.texts > 1; });
        return any;
    }

    struct held_rank {
        std::int64_t rank;
        std::int64_t time;
        std::string run;
        std::size_t line;
    };
    // Leaves out a line if each of its ranks is also in another line, from a later file of the same run. Returns false,
    // with a message, if a rank is then still in two lines, or comes from two files in one line.
    bool leave_out_older() {
        keyed<std::int64_t, std::vector<held_rank>> ranks;
        std::vector<bool> is_older;
        for (std::size_t n = 0; n != lines_.size(); ++n) {
            const auto read = wlfmt::analysis::read_summary(lines_[n].text);
            std::size_t held = 0;
            read->for_each_rank([&](const wlfmt::analysis::rank_total& r) {
                ++held;
                ranks[r.rank].push_back({r.rank, r.source.time, r.source.run, n});
                if (r.source.texts > 1) report_several_files(lines_[n], r);
            });
            is_older.push_back(held != 0);
        }
        for (const auto& [rank, lines] : ranks)
            for (const held_rank& held : lines) {
                const auto is_newer = [&](const held_rank& other) {
                    return other.run == held.run && other.time > held.time;
                };
                if (std::none_of(lines.begin(), lines.end(), is_newer)) is_older[held.line] = false;
            }
        for (const auto& [rank, lines] : ranks) {
            const held_rank* first = nullptr;
            for (const held_rank& held : lines) {
                if (is_older[held.line]) continue;
                if (first != nullptr) report_rank_in_two_lines(*first, held);
                first = first == nullptr ? &held : first;
            }
        }
        if (refused_ != 0) {
            if (refused_ > 1) say("wlfmt", {"error: ", refused_, " ranks are held twice"});
            say("wlfmt", {"nothing is added up: let each task choose among all files of the run "
                          "(summary --partial --share=N/TASKS RUN)"});
            fail();
            return false;
        }
        std::vector<given_line> kept;
        for (std::size_t n = 0; n != lines_.size(); ++n) {
            if (!is_older[n]) kept.push_back(lines_[n]);
            else say(place(lines_[n]), {"warning: the line is of an earlier run and left out"});
        }
        lines_ = std::move(kept);
        return true;
    }
    static std::string named(const std::string& run, std::int64_t time) {
        return printable(run.empty() ? "a file without a name" : run) +
               (time != 0 ? joined({" of ", time}) : std::string());
    }
    void report_rank_in_two_lines(const held_rank& a, const held_rank& b) {
        if (refused_++ != 0) return;
        say(place(lines_[b.line]), {"error: rank ", b.rank, " (", named(b.run, b.time), ") is in ",
                                    place(lines_[a.line]), " (", named(a.run, a.time), "), too"});
    }
    void report_several_files(const given_line& in, const wlfmt::analysis::rank_total& r) {
        if (refused_++ != 0) return;
        say(place(in), {"error: rank ", r.rank, " is from ", r.source.texts, " files: all of them are in the sums"});
    }
    // Reports that the ranks are of several runs, which do not add up to one. Returns whether they are.
    static bool report_other_runs(const wlfmt::analysis::summary& sum) {
        std::string first;
        std::string other;
        sum.for_each_rank([&](const wlfmt::analysis::rank_total& r) {
            if (!wlfmt::oplog::facts_of(r.source.run).world_size) return;
            if (first.empty()) first = r.source.run;
            if (r.source.run != first && other.empty()) other = r.source.run;
        });
        if (!other.empty())
            say("wlfmt", {"error: the sums are of several runs: ", printable(first), " and ", printable(other)});
        return !other.empty();
    }

    const settings& settings_;
    std::deque<std::string> texts_;
    std::vector<std::string> names_;
    std::vector<given_line> lines_;
    std::set<std::string_view> seen_;
    std::uint64_t refused_ = 0;
    exit_status worst_ = clean;
};

}  // namespace tool

#endif
