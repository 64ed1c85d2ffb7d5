// chakra: writes traces, groups, and the other files that the simulator needs.
#ifndef WLFMT_TOOLS_CHAKRA_FILES_HPP
#define WLFMT_TOOLS_CHAKRA_FILES_HPP

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>

#include <wlfmt/chakra.hpp>
#include <wlfmt/wlfmt.hpp>

#include "identity.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "settings.hpp"

namespace tool {

// There is a file for each rank: a greater number of ranks is a mistake.
inline constexpr std::int64_t most_traces = 131072;

// Quotes a word for the shell.
inline std::string shell_word(std::string_view text) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,@%";
    if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) return std::string(text);
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

class trace_files {
public:
    // `ranks` is the number of all ranks.
    trace_files(const settings& s, std::int64_t ranks) : prefix_(s.output), s_(s), ranks_(ranks) {}

    input_files& inputs() noexcept { return inputs_; }

    // False, with a message, if there are more ranks than files can be.
    bool can_be_written() const {
        if (ranks_ <= most_traces || s_.only_ranks.is_given()) return true;
        standard_error.append("wlfmt: a file for each of " + std::to_string(ranks_) + " ranks: more than " +
                              std::to_string(most_traces) + " are written only where --only-ranks chooses them\n");
        return false;
    }

    // Calls write(sink) for the trace of a rank. Returns false, with a message, if the file could not be written, or if
    // `write` returns an error.
    template <class Write>
    bool trace(std::int64_t rank, Write&& write) {
        const std::string name = trace_name(prefix_, rank);
        if (!s_.link) return file(name, write);
        std::string text;
        if (write(text)) return false;
        const auto same = written_.equal_range(std::hash<std::string>()(text));
        for (auto one = same.first; one != same.second; ++one)
            if (holds(one->second, text) && link(one->second, name)) return true;
        written_.emplace(std::hash<std::string>()(text), name);
        return file(name, [&](std::FILE* to) {
            wlfmt::error e;
            if (std::fwrite(text.data(), 1, text.size(), to) != text.size()) e.kind = wlfmt::error_kind::cannot_write;
            return e;
        });
    }
    // Writes the groups, and the files that configure the simulator. `what` is wlfmt::chakra::traces or run.
    template <class What>
    bool others(const What& what) {
        if (!file(prefix_ + ".json", [&](std::FILE* to) { return write_groups(to, what); })) return false;
        if (s_.link && links_ != 0)
            standard_error.append("wlfmt: note: " + counted(links_, "trace is a link", "traces are links") +
                                  " to the same trace of another rank\n");
        if (s_.link && not_linked_)
            standard_error.append("wlfmt: note: some links could not be made: these traces are files of their own\n");
        if (ranks_ < 2) {
            standard_error.append(
                "wlfmt: note: ASTRA-sim's analytical network has at least 2 ranks: there is nothing to simulate, and "
                "no configuration of it\n");
            return true;
        }
        return file(prefix_ + ".network.yml", [&](std::FILE* to) { return write_network(to, what); }) &&
               file(prefix_ + ".system.json", [&](std::FILE* to) { return write_system(to, what); }) &&
               file(prefix_ + ".memory.json", text_writer("{\"memory-type\": \"NO_MEMORY_EXPANSION\"}\n")) &&
               file(prefix_ + ".logging.toml", text_writer(logging())) && print_commands();
    }

    static std::string trace_name(const std::string& prefix, std::int64_t rank) {
        return prefix + "." + std::to_string(rank) + ".et";
    }

private:
    struct text_writer {
        explicit text_writer(std::string all) : text(std::move(all)) {}
        wlfmt::error operator()(std::FILE* to) const {
            wlfmt::error e;
            if (std::fwrite(text.data(), 1, text.size(), to) != text.size()) e.kind = wlfmt::error_kind::cannot_write;
            return e;
        }
        std::string text;
    };

    template <class Write>
    bool file(const std::string& name, Write&& write) {
        output_file to;
        if (!to.open(name, inputs_)) return false;
        const wlfmt::error e = write(to.file());
        if (e && e.kind != wlfmt::error_kind::cannot_write) return false;
        return to.keep();
    }

    // Keeps the whole log in one file: by default the simulator rotates ten files.
    std::string logging() const {
        std::string name;
        for (const char c : prefix_ + ".log") name += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        return "[[sink]]\nname = \"file\"\ntype = \"basic_file_sink_mt\"\nfilename = \"" + name +
               "\"\nlevel = \"debug\"\ntruncate = true\n\n[[logger]]\nname = \"workload\"\nsinks = [\"file\"]\nlevel = "
               "\"debug\"\nflush_level = \"info\"\n";
    }
    // Prints two lines for a shell: they simulate, and check whether the simulation ran to its end.
    bool print_commands() const {
        const auto option = [&](const char* name, const char* ending) {
            return " \\\n    --" + std::string(name) + "=" + shell_word(prefix_ + ending);
        };
        standard_output.append(
            "\"${ASTRA_SIM:-AstraSim_Analytical_Congestion_Unaware}\"" + option("workload-configuration", "") +
            option("comm-group-configuration", ".json") + option("system-configuration", ".system.json") +
            option("network-configuration", ".network.yml") + option("remote-memory-configuration", ".memory.json") +
            option("logging-configuration", ".logging.toml") + option("logging-folder", ".logs") +
            "\nwlfmt chakra --check " + shell_word(prefix_ + ".log") + "\n");
        return true;
    }

    static bool holds(const std::string& name, std::string_view text) {
        std::FILE* const from = std::fopen(name.c_str(), "rb");
        if (from == nullptr) return false;
        char part[1 << 14];
        bool same = true;
        for (std::size_t got = 1; same && got != 0;) {
            got = std::fread(part, 1, sizeof part, from);
            same = text.substr(0, got) == std::string_view(part, got);
            text.remove_prefix(same ? got : 0);
        }
        same = same && text.empty() && std::ferror(from) == 0;
        static_cast<void>(std::fclose(from));
        return same;
    }
    // The link is made beside the file and then takes its place, so that there is a trace at every moment.
    bool link(const std::string& to, const std::string& name) {
        namespace fs = std::filesystem;
        if (!inputs_.find(name).empty()) return false;
        const std::string beside = name + ".link";
        std::error_code failed;
        if (fs::exists(fs::symlink_status(name, failed)) && !fs::is_regular_file(fs::symlink_status(name, failed)))
            return false;
        if (fs::exists(fs::symlink_status(beside, failed))) return false;
        fs::create_hard_link(to, beside, failed);
        if (!failed) {
            // Renaming a link over another link to the same file does nothing: both names stay.
            std::error_code ignored;
            if (fs::equivalent(to, name, ignored))
                fs::remove(beside, ignored);
            else
                fs::rename(beside, name, failed);
        }
        not_linked_ = not_linked_ || failed;
        links_ += failed ? 0U : 1U;
        return !failed;
    }

    std::string prefix_;
    const settings& s_;
    std::int64_t ranks_;
    input_files inputs_;
    std::unordered_multimap<std::size_t, std::string> written_;  // the names of traces by the hash of their contents
    std::uint64_t links_ = 0;
    bool not_linked_ = false;
};

}  // namespace tool

#endif
