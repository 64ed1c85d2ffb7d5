// Prints the commands that simulate the traces, and configures what the simulator logs.
#ifndef WLFMT_TOOLS_CHAKRA_SIMULATOR_HPP
#define WLFMT_TOOLS_CHAKRA_SIMULATOR_HPP

#include <filesystem>
#include <system_error>

#include "../output/caller.hpp"
#include "../output/output.hpp"

namespace tool {

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

// Prints shell commands that run the simulation and then check whether it ran to its end. What the simulator itself
// prints, at least two lines per rank, goes to a file.
inline void print_simulation(const std::string& prefix, const std::string& log_name) {
    const std::string log = shell_word(log_name);
    const std::string printed = shell_word(prefix + ".simulator.txt");
    const auto option = [&](const char* name, const char* ending) {
        return joined({" \\\n    --", name, "=", shell_word(prefix + ending)});
    };
    standard_output.append(
        joined({"simulator=${ASTRA_SIM:-AstraSim_Analytical_Congestion_Unaware}\n"
                "if ! command -v \"$simulator\" > /dev/null; then\n"
                "    echo \"there is no program $simulator: set ASTRA_SIM to ASTRA-sim 2's analytical, "
                "congestion-unaware\" "
                "\\\n        \"program, which build/astra_analytical/build.sh of its sources makes\" >&2\n"
                "    exit 2\nfi\nrm -f -- ",
                log, "\nif \"$simulator\"", option("workload-configuration", ""),
                option("comm-group-configuration", ".json"), option("system-configuration", ".system.json"),
                option("network-configuration", ".network.yml"), option("remote-memory-configuration", ".memory.json"),
                option("logging-configuration", ".logging.toml"), option("logging-folder", ".logs"), " \\\n    > ",
                printed, " 2>&1; then\n    ", own_program(), " chakra --check ", log,
                "\nelse\n    echo \"the simulator failed with exit status $?; it printed:\" >&2\n    tail -n 5 -- ",
                printed, " >&2\n    false\nfi\n"}));
}

}  // namespace tool

#endif
