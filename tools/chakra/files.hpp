// chakra: writes the traces, the groups, and the other files that the simulator needs, and prints the commands that
// simulate them.
#ifndef WLFMT_TOOLS_CHAKRA_FILES_HPP
#define WLFMT_TOOLS_CHAKRA_FILES_HPP

#include "analysis/chakra/chakra.hpp"

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/identity.hpp"
#include "../output/caller.hpp"
#include "../output/grid.hpp"
#include "../output/output.hpp"
#include "../output/output_file.hpp"
#include "stamp.hpp"

namespace tool {

// A run with more ranks than this is taken for a mistake, as each rank takes a file.
inline constexpr std::int64_t max_traces = 131072;

inline std::string trace_name(const std::string& prefix, std::int64_t rank) {
    return joined({prefix, ".", rank, ".et"});
}

// Whether a file holds exactly this text.
inline bool holds(const std::string& name, std::string_view text) {
    std::string memory;
    input from(name.c_str(), memory);
    for (std::string_view part = from.next(); !part.empty(); part = from.next()) {
        if (text.substr(0, part.size()) != part) return false;
        text.remove_prefix(part.size());
    }
    return text.empty() && !from.error();
}

// Whether a link can take this name: it must be unused or that of a regular file, and NAME.link, the temporary name of
// the link, must be unused.
inline bool can_be_replaced(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(name, ignored);
    return (!fs::exists(status) || fs::is_regular_file(status)) &&
           !fs::exists(fs::symlink_status(name + ".link", ignored));
}
// Makes the link under a temporary name and then renames it, so that an existing trace is replaced in one step.
inline bool replace_by_link(const std::string& original, const std::string& name) {
    namespace fs = std::filesystem;
    const std::string beside = name + ".link";
    std::error_code failed;
    fs::create_hard_link(original, beside, failed);
    if (failed) return false;
    // Renaming a link over another link to the same file does nothing: both names stay.
    std::error_code ignored;
    if (fs::equivalent(original, name, ignored)) fs::remove(beside, ignored);
    else fs::rename(beside, name, failed);
    return !failed;
}

// Configures the simulator to log everything to one file: by default it rotates through ten files.
inline std::string logging_configuration(std::string_view log) {
    return joined(
        {"[[sink]]\nname = \"file\"\ntype = \"basic_file_sink_mt\"\nfilename = \"", escaped(log, "\"\\"),
         "\"\nlevel = \"debug\"\ntruncate = true\n\n[[logger]]\nname = \"workload\"\nsinks = [\"file\"]\nlevel = "
         "\"debug\"\nflush_level = \"info\"\n"});
}
// This program as a word of a shell command: it checks the traces even if it is not on the PATH.
inline std::string own_program() {
    if (!program_words.empty()) return program_words;
    std::error_code failed;
    const std::string path = std::filesystem::read_symlink("/proc/self/exe", failed).string();
    return failed || path.empty() ? std::string("wlfmt") : shell_word(path);
}

struct named_value {
    std::string_view name;
    std::string value;
};
// The text with the value of each `@NAME@`, which must be among the values, in its place. Values are not looked into.
inline std::string filled_in(std::string_view text, std::initializer_list<named_value> values) {
    const auto value_of = [&](std::string_view name) -> const std::string& {
        return std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == name; })->value;
    };
    std::string result;
    for (;;) {
        const std::size_t name = text.find('@');
        result.append(text.substr(0, name));
        if (name == std::string_view::npos) return result;
        const std::size_t end = text.find('@', name + 1);
        result.append(value_of(text.substr(name + 1, end - name - 1)));
        text.remove_prefix(end + 1);
    }
}

// Prints shell commands that start the simulation and then check whether it came to its end. What the simulator itself
// prints, at least two lines per rank, goes to a file.
inline void print_simulation(const std::string& prefix, const std::string& log_name) {
    static constexpr std::string_view script =
        R"(simulator=${ASTRA_SIM:-AstraSim_Analytical_Congestion_Unaware}
if ! command -v "$simulator" > /dev/null; then
    echo "there is no program $simulator: set ASTRA_SIM to ASTRA-sim 2's analytical, congestion-unaware" \
        "program, which build/astra_analytical/build.sh of its sources makes" >&2
    exit 2
fi
rm -f -- @log@
if "$simulator" \
    --workload-configuration=@workload@ \
    --comm-group-configuration=@groups@ \
    --system-configuration=@system@ \
    --network-configuration=@network@ \
    --remote-memory-configuration=@memory@ \
    --logging-configuration=@logging@ \
    --logging-folder=@logs@ \
    > @printed@ 2>&1; then
    @wlfmt@ chakra --check @log@
else
    echo "the simulator failed with exit status $?; it printed:" >&2
    tail -n 5 -- @printed@ >&2
    false
fi
)";
    const auto file = [&](const char* ending) { return shell_word(prefix + ending); };
    standard_output.append(filled_in(script, {{"log", shell_word(log_name)},
                                              {"workload", file("")},
                                              {"groups", file(".json")},
                                              {"system", file(".system.json")},
                                              {"network", file(".network.yml")},
                                              {"memory", file(".memory.json")},
                                              {"logging", file(".logging.toml")},
                                              {"logs", file(".logs")},
                                              {"printed", file(".simulator.txt")},
                                              {"wlfmt", own_program()}}));
}

// Writes the files of a run's simulation, and removes those that were written before an error.
class trace_files {
public:
    // `ranks`: the number of all ranks, whether or not they are chosen.
    trace_files(const settings& s, std::int64_t ranks) : prefix_(s.output), s_(s), ranks_(ranks) {}
    trace_files(const trace_files&) = delete;
    trace_files& operator=(const trace_files&) = delete;
    // Removes the traces unless write_others() has succeeded: some of them alone would look like a smaller run.
    ~trace_files() { discard(); }

    input_files& inputs() noexcept { return inputs_; }
    void use(const wlfmt::analysis::chakra::rings& network) noexcept { network_ = network; }
    // How many traces are written.
    std::int64_t chosen() const { return s_.only_ranks.count_below(ranks_); }

    // Returns `problems`, with a message, if there are too many ranks; `unusable` if --only-ranks leaves none.
    exit_status refusal() const {
        if (ranks_ > max_traces && !s_.only_ranks.is_given()) {
            say("wlfmt", {"a file for each of ", ranks_, " ranks: more than ", max_traces,
                          " are written only where --only-ranks chooses them"});
            return problems;
        }
        if (ranks_ == 0 || !s_.only_ranks.is_given() || s_.only_ranks.last() < ranks_) return clean;
        say("wlfmt", {chosen() == 0 ? "" : "note: ", "--only-ranks names rank ", s_.only_ranks.last(),
                      ", and there are ", ranks_, ", counted from 0"});
        return chosen() == 0 ? unusable : clean;
    }

    // Call this before the first trace. `made_from` identifies everything that the traces are made from; afterwards,
    // mark() returns the mark that each trace carries. Removes what an earlier run has left at the prefix. Returns
    // false, with a message, if that fails or if there are traces of another origin, which would be lost or taken for
    // this run's.
    bool begin(const fingerprint& made_from) {
        fingerprint_ = made_from.text();
        mark_ = joined({stamp_start, fingerprint_, ":", ranks_});
        prefix_conflicts conflicts(prefix_, ranks_, inputs_);
        std::string obstacle = conflicts.foreign().empty() ? conflicts.remove() : conflicts.foreign()[0];
        if (obstacle.empty()) return true;
        if (conflicts.foreign().empty()) say(obstacle, {"error: this file of an earlier run cannot be removed"});
        else
            say(obstacle, {"error: this trace is not one that the command has written, and the run has ", ranks_,
                           " ranks: remove it, or give -o another PREFIX"});
        return false;
    }
    const std::string& mark() const noexcept { return mark_; }

    // Says how large the traces will be, if they are very large.
    void report_size(double bytes, double seconds) const {
        constexpr double large = 1e9;
        if (bytes < large) return;
        std::string sentence = joined({"about ", fixed(bytes / 1e9, 1), " GB in ", chosen(), " files"});
        if (seconds >= 1)
            sentence += joined({", ", fixed(seconds < 100 ? seconds : seconds / 60, 0),
                                seconds < 100 ? " s or more" : " min or more"});
        say("wlfmt",
            {"note: the traces take ", sentence, "; --only-ranks=0-7 writes a few of them, --link equal ones once"});
        standard_error.flush();
    }
    // Estimates that size, and how long writing takes, from a few traces, which are only counted.
    // write(to, rank) writes one of the `passes` passes.
    template <class Write> void estimate_size(std::int64_t passes, Write&& write) const {
        stream bytes;
        const std::int64_t count = chosen();
        if (count < 4 && passes < 1000) return;
        // Samples three ranks, as stages differ, but only one of few ranks, each of which takes much of the time.
        const std::vector<std::int64_t> samples =
            count < 16 ? std::vector<std::int64_t>{count / 2} : std::vector<std::int64_t>{0, count / 2, count - 1};
        const auto begin = std::chrono::steady_clock::now();
        for (const std::int64_t n : samples)
            if (write(bytes, s_.only_ranks.nth(n))) return;
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
        const double factor =
            static_cast<double>(count) / static_cast<double>(samples.size()) * static_cast<double>(passes);
        report_size(static_cast<double>(bytes.size()) * factor, took.count() * factor);
    }

    // Calls write(to) for the trace of a rank. Returns false, with a message, if the file could not be written, or if
    // `write` returns an error.
    template <class Write> bool write_trace(std::int64_t rank, Write&& write) {
        std::string name = trace_name(prefix_, rank);
        if (!write_or_link(name, write)) return false;
        names_.push_back(std::move(name));
        return true;
    }
    // Writes the groups, and the files that configure the simulator. `traced`: `traces` or a `run` of wlfmt::chakra.
    template <class Traced> bool write_others(const Traced& traced) {
        if (!write_files(traced)) return false;
        names_.clear();
        return true;
    }

private:
    void discard() {
        std::error_code ignored;
        for (const std::string& name : names_) std::filesystem::remove(name, ignored);
        if (!names_.empty())
            say("wlfmt", {"note: ", counted(names_.size(), "trace that was", "traces that were"),
                          " written before that ", names_.size() == 1 ? "is" : "are", " removed"});
    }
    template <class Write> bool write_or_link(const std::string& name, Write&& write) {
        if (!s_.link) return write_file(name, write);
        std::string text;
        stream to(text);
        if (write(to)) return false;
        std::vector<std::string>& alike = written_[static_cast<std::int64_t>(std::hash<std::string>()(text))];
        for (const std::string& written : alike)
            if (holds(written, text) && link(written, name)) return true;
        alike.push_back(name);
        return write_text(name, text);
    }
    template <class Traced> bool write_files(const Traced& traced) {
        if (!write_file(prefix_ + ".json", [&](stream& to) { return write_groups(to, traced); })) return false;
        if (s_.link && links_ != 0)
            say("wlfmt", {"note: ", counted(links_, "trace is a link", "traces are links"),
                          " to the same trace of another rank"});
        if (s_.link && not_linked_)
            say("wlfmt", {"note: some links could not be made: these traces are files of their own"});
        if (ranks_ < 2) {
            say("wlfmt",
                {"note: ASTRA-sim's analytical network has at least 2 ranks: there is nothing to simulate, and "
                 "no configuration of it"});
            return true;
        }
        const bool done =
            write_file(prefix_ + ".network.yml", [&](stream& to) { return write_network(to, traced, network_); }) &&
            write_file(prefix_ + ".system.json", [&](stream& to) { return write_system(to, traced); }) &&
            write_file(prefix_ + ".logical.json", [&](stream& to) { return write_logical_topology(to, traced); }) &&
            write_text(prefix_ + ".memory.json", "{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n") &&
            write_text(prefix_ + ".logging.toml", logging_configuration(log_name()));
        if (done) print_simulation(prefix_, log_name());
        return done;
    }

    template <class Write> bool write_file(const std::string& name, Write&& write) {
        output_file out;
        if (!out.open(name, inputs_)) return false;
        stream to(out.file());
        if (write(to)) return false;
        to.flush();
        return out.keep();
    }

    bool write_text(const std::string& name, std::string_view text) {
        return write_file(name, [&](stream& to) {
            to.append(text);
            return wlfmt::problem();
        });
    }

    std::string log_name() const { return joined({prefix_, ".", fingerprint_, ".log"}); }
    bool link(const std::string& original, const std::string& name) {
        if (!inputs_.find(name).empty() || !can_be_replaced(name)) return false;
        const bool made = replace_by_link(original, name);
        not_linked_ = not_linked_ || !made;
        links_ += made ? 1U : 0U;
        return made;
    }

    std::string prefix_;
    const settings& s_;
    std::int64_t ranks_;
    wlfmt::analysis::chakra::rings network_;
    std::string fingerprint_;
    std::string mark_;
    std::vector<std::string> names_;  // the traces written so far; none once all files are written
    input_files inputs_;
    keyed<std::int64_t, std::vector<std::string>> written_;  // the names of traces by the hash of their contents
    std::uint64_t links_ = 0;
    bool not_linked_ = false;
};

}  // namespace tool

#endif
