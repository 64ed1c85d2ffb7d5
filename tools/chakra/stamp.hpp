// chakra: the fingerprint that ties a run's traces, the simulator's log and the printed command together.
#ifndef WLFMT_TOOLS_CHAKRA_STAMP_HPP
#define WLFMT_TOOLS_CHAKRA_STAMP_HPP

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/identity.hpp"
#include "../input/input.hpp"
#include "../output/output.hpp"
#include "trace.hpp"

namespace tool {

// A hash of everything that a run's traces are made from: the texts of its files and the options. Each trace has it in
// its metadata, with the number of ranks, as "wlfmt:0123456789abcdef:128". It is also in the name of the log:
// PREFIX.0123456789abcdef.log.
class fingerprint {
public:
    explicit fingerprint(const settings& s) {
        add(joined({wlfmt::version_major, ".", wlfmt::version_minor, ".", wlfmt::version_patch}));
        std::string options;
        for (const std::int64_t n : {s.passes, s.ranks, s.tensor, s.pipeline, s.expert, s.splits, s.chunks})
            options += joined({n, " "});
        for (std::size_t n = 0; n != wlfmt::parallelism::rank_order::axis_count; ++n)
            options += joined({static_cast<int>(s.order[n]), " "});
        char tick[32];
        options.append(tick, static_cast<std::size_t>(std::snprintf(tick, sizeof tick, "%a", s.tick)));
        for (const std::string_view word : {s.gathered, s.schedule, std::string_view(s.network)}) add(word);
        add(options + (s.balance ? " balance" : ""));
    }
    void add(std::string_view text) noexcept {
        for (const char c : text) add_byte(static_cast<unsigned char>(c));
        add_byte(0x100);  // a mark between texts: "ab", "c" differs from "a", "bc"
    }
    std::string text() const {
        std::string digits;
        for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash_ >> shift & 15U];
        return digits;
    }

private:
    void add_byte(std::uint64_t byte) noexcept { hash_ = (hash_ ^ byte) * 1099511628211U; }
    std::uint64_t hash_ = 14695981039346656037U;
};

inline constexpr std::string_view stamp_start = "wlfmt:";
inline constexpr std::size_t fingerprint_size = 16;

inline bool is_fingerprint(std::string_view text) {
    return text.size() == fingerprint_size && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}
// Splits PREFIX.0123456789abcdef.log into PREFIX and the fingerprint, which is empty for PREFIX.log. Returns nothing
// for any other name.
inline std::optional<std::pair<std::string_view, std::string_view>> split_log_name(std::string_view name) {
    constexpr std::string_view ending = ".log";
    if (!has_ending(name, ending)) return std::nullopt;
    name.remove_suffix(ending.size());
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos || !is_fingerprint(name.substr(dot + 1)))
        return std::pair(name, name.substr(0, 0));
    return std::pair(name.substr(0, dot), name.substr(dot + 1));
}

struct trace_stamp {
    std::string fingerprint;  // empty if the trace has none, as another program wrote it
    std::int64_t ranks = 0;

    static trace_stamp of(const trace_file& trace) {
        const auto* const attribute = trace.metadata().find("fingerprint");
        std::string_view text = attribute != nullptr ? attribute->text().value_or("") : std::string_view();
        if (text.substr(0, stamp_start.size()) != stamp_start) return {};
        text.remove_prefix(stamp_start.size());
        const std::string_view hex = text.substr(0, fingerprint_size);
        if (!is_fingerprint(hex) || text.size() <= hex.size() + 1 || text[hex.size()] != ':') return {};
        const auto count = wlfmt::to_number(text.substr(hex.size() + 1)).as<std::int64_t>();
        return count && *count >= 1 ? trace_stamp{std::string(hex), *count} : trace_stamp();
    }
};

// What stands in the way of a new run at its prefix: traces of ranks that only an earlier run had, logs of simulations,
// and traces that other programs have written.
class prefix_conflicts {
public:
    // Leaves out an input that has the name of a trace to be written: that trace is then refused when it is opened.
    prefix_conflicts(const std::string& prefix, std::int64_t ranks, input_files& inputs) {
        namespace fs = std::filesystem;
        const fs::path path(prefix);
        const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
        const std::string start = path.filename().string() + ".";
        std::error_code failed;
        for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
            const std::string name = at->path().filename().string();
            if (name.compare(0, start.size(), start) != 0) continue;
            // The path, with the folder spelt as in the prefix.
            const std::string full = prefix + name.substr(start.size() - 1);
            const auto rank = name.find('.', start.size()) == name.rfind('.') ? rank_of_trace(name) : std::nullopt;
            const auto log = split_log_name(name);
            std::error_code unknown;
            if (rank && at->is_regular_file(unknown) && !is_own(full) && (*rank >= ranks || inputs.find(full).empty()))
                foreign_.push_back(full);
            else if (rank && *rank >= ranks) traces_.push_back(full);
            else if (log && log->first.size() + 1 == start.size() && !log->second.empty()) logs_.push_back(full);
        }
        // A folder is listed in no particular order, and messages name the first file.
        for (auto* const names : {&foreign_, &traces_, &logs_}) sort_list(*names);
    }
    // Traces that this command has not written, sorted by name.
    const std::vector<std::string>& foreign() const noexcept { return foreign_; }
    // Removes the other files of the earlier run. Returns the name of a file that could not be removed, or nothing.
    std::string remove() {
        for (const auto* names : {&traces_, &logs_})
            for (const std::string& name : *names) {
                std::error_code failed;
                if (!std::filesystem::remove(name, failed) && failed) return name;
            }
        if (!traces_.empty())
            say("wlfmt", {"note: ", counted(traces_.size(), "trace", "traces"), " of an earlier run with more ranks ",
                          traces_.size() == 1 ? "is" : "are", " removed"});
        return {};
    }

private:
    static bool is_own(const std::string& name) { return !trace_stamp::of(trace_file(name)).fingerprint.empty(); }

    std::vector<std::string> traces_;
    std::vector<std::string> foreign_;
    std::vector<std::string> logs_;
};

}  // namespace tool

#endif
