// chakra: the fingerprint that ties a run's traces, the simulator's log and the printed command together.
#ifndef WLFMT_TOOLS_CHAKRA_STAMP_HPP
#define WLFMT_TOOLS_CHAKRA_STAMP_HPP

#include <protozero/pbf_reader.hpp>

#include "../command_line/settings.hpp"
#include "../general/order.hpp"
#include "../input/identity.hpp"
#include "../input/input.hpp"
#include "../output/output.hpp"

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

    // Reads the stamp from the beginning of a trace, which need not hold all of the metadata.
    static trace_stamp of(std::string_view metadata) {
        trace_stamp found;
        try {
            for (protozero::pbf_reader in(metadata.data(), metadata.size()); in.next();) {
                if (in.tag() == 2) found.take(in.get_message());
                else in.skip();
            }
        } catch (const protozero::exception&) {
            return found;
        }
        return found;
    }

private:
    void take(protozero::pbf_reader attribute) {
        std::string name;
        while (attribute.next()) {
            if (attribute.tag() == 1) name = attribute.get_string();
            else if (attribute.tag() == 29 && name == "fingerprint") parse(attribute.get_string());
            else attribute.skip();
        }
    }
    void parse(std::string_view text) {
        if (text.substr(0, stamp_start.size()) != stamp_start) return;
        text.remove_prefix(stamp_start.size());
        const std::string_view hex = text.substr(0, fingerprint_size);
        if (!is_fingerprint(hex) || text.size() <= hex.size() + 1 || text[hex.size()] != ':') return;
        const auto count = wlfmt::to_number(text.substr(hex.size() + 1)).as<std::int64_t>();
        if (!count || *count < 1) return;
        fingerprint = hex;
        ranks = *count;
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
            const auto rank = rank_of(std::string_view(name).substr(start.size()));
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
    // The rank in `17.et`.
    static std::optional<std::int64_t> rank_of(std::string_view rest) {
        constexpr std::string_view ending = ".et";
        if (!has_ending(rest, ending)) return std::nullopt;
        rest.remove_suffix(ending.size());
        if (rest.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
        return wlfmt::to_number(rest).as<std::int64_t>();
    }
    static bool is_own(const std::string& name) {
        input from(name.c_str());
        const std::string_view text = from.beginning();
        const char* at = text.data();
        if (from.error() || text.empty()) return false;
        try {
            const std::uint64_t size = protozero::decode_varint(&at, text.data() + text.size());
            const auto read = static_cast<std::uint64_t>(at - text.data());
            const auto rest = static_cast<std::size_t>((std::min)(size, text.size() - read));
            return !trace_stamp::of({at, rest}).fingerprint.empty();
        } catch (const protozero::exception&) {
            return false;
        }
    }

    std::vector<std::string> traces_;
    std::vector<std::string> foreign_;
    std::vector<std::string> logs_;
};

}  // namespace tool

#endif
