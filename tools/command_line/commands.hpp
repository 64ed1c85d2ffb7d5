// The table of commands. Parsing, --help, completion and the manual page's test rely on it alone.
#ifndef WLFMT_TOOLS_COMMAND_LINE_COMMANDS_HPP
#define WLFMT_TOOLS_COMMAND_LINE_COMMANDS_HPP

#include "../input/names.hpp"
#include "options.hpp"
#include "settings.hpp"

namespace tool {

// The functions that execute the commands. Each is defined in the header that is named after its command.
using command_function = exit_status(const settings& s);
command_function do_json, do_from_json, do_csv, do_timeline, do_plot, do_report, do_diff, do_format, do_check,
    do_summary, do_merge, do_mend, do_set, do_chakra, do_completion;

inline constexpr std::size_t any_number = static_cast<std::size_t>(-1);
inline constexpr std::size_t max_options = 28;

// The arguments of a command other than its options.
struct argument_list {
    std::string_view words;  // how the command's usage names them, `FILE...`
    std::size_t min_files;
    std::size_t max_files;
    bool has_values = false;  // the arguments after the files are PATH=VALUE
};
struct command {
    std::string_view name;
    argument_list arguments;
    std::string_view summary;            // a sentence without its full stop
    std::string_view details;            // further sentences, or nothing
    const option* options[max_options];  // ends with a null pointer
    command_function* function;
    // Returns what is wrong with the settings as a whole, or null.
    const char* (*refuse)(const settings& s) = nullptr;
    // Returns the name of the file to write if standard output is a terminal; null for a command that prints there.
    std::string (*names_output)(const settings& s) = nullptr;
    bool opens_output = false;  // the command itself opens the files that -o names
};

// The headings of --help, and the commands below each.
inline constexpr std::size_t max_in_group = 7;
struct command_group {
    std::string_view title;
    std::string_view names[max_in_group];
};
inline constexpr command_group command_groups[] = {
    {"To look at files", {"summary", "report", "plot", "timeline", "diff", "check", {}}},
    {"To write them in another form", {"csv", "json", "from-json", "format", "mend", "set", "chakra"}},
    {"For machines and shells", {"merge", "completion", {}, {}, {}, {}, {}}}};

// Refuses --table with several files, as it would name a table in each of them.
inline const char* refuse_several(const settings& s) {
    return s.table != 0 && s.files.size() > 1 ? "--table is for one file" : nullptr;
}
// Refuses several forms of output, as summary and merge print their sums in one form at a time.
inline const char* refuse_forms(const settings& s) {
    const bool has_sizes = (s.ranks | s.tensor | s.pipeline | s.expert) != 0;
    return s.partial && has_sizes                ? "a line of --partial holds no sizes: give them to merge"
           : s.json && s.partial                 ? "--json and --partial exclude each other"
           : s.markdown && (s.json || s.partial) ? "--markdown excludes --json and --partial"
                                                 : nullptr;
}

inline constexpr command commands[] = {
    {"json",
     {"FILE|DIR...", 1, any_number},
     "prints the interchange form, one JSON object per line",
     "Continues after a problem, and exits with 0 only if all records of the input are in the output, whole.",
     {&options::output, &options::canonical, &options::kind, &options::prefix, &options::strict, &options::lenient},
     do_json},
    {"from-json",
     {"FILE...", 1, any_number},
     "turns what json printed back into text",
     "The text has the layout of its format's original writer, and every number all of its digits. Needs a build with "
     "simdjson.",
     {&options::output, &options::kind},
     do_from_json},
    {"csv",
     {"FILE|DIR...", 1, any_number},
     "prints one table of all files, for data frames and databases",
     "It has a row for each operation (with --of=sub-operations for each nested operation), layer, or row of a table; "
     "tables of different columns share one with all of these. Of the op logs of a run, --of=waits has a row for each "
     "rank, rank that it waited for and kind of group, and --of=bandwidth one for each kind of group and size of a "
     "blocking call.",
     {&options::output, &options::of, &options::table, &options::canonical, &options::no_formulas, &options::kind,
      &options::prefix, &options::strict, &options::lenient},
     do_csv},
    {"timeline",
     {"FILE|DIR...", 1, any_number},
     "writes a run or a workload file as Trace Event JSON, for Perfetto",
     "Of a run, https://ui.perfetto.dev shows a process for each rank, a track for computation and for each kind of "
     "group, and arrows between pipeline stages; of a workload file, the layers of one iteration in the order of "
     "SimAI.",
     {&options::output, &options::align, &options::rank_list, &options::ranks_per_file, &options::kind,
      &options::prefix, &options::strict, &options::lenient},
     do_timeline,
     [](const settings& s) {
         return s.ranks_per_file != 0 && s.output.empty() ? "--ranks-per-file needs -o FILE" : nullptr;
     },
     nullptr,
     true},
    {"plot",
     {"FILE|DIR...", 1, any_number},
     "draws a picture, SVG, of a run, a workload file or a table",
     "Draws where each rank's time of a run went, in a lane for each, compute and communication of a workload file's "
     "layers, or the heaviest rows of a table.",
     {&options::output, &options::rank_list, &options::table, &options::kind, &options::prefix, &options::strict,
      &options::lenient},
     do_plot,
     refuse_several,
     [](const settings& s) { return name_after(s, ".svg"); }},
    {"diff",
     {"A [B]", 1, 2},
     "says what is different in B, the greatest effect first",
     "Compares the accounts of runs and then times and numbers of each operation of each rank; of workload files the "
     "header, what is communicated by group and collective, and what is computed, layers that repeat together; and the "
     "names of profiler tables: operators, kernels, device rows and annotations apart, rows of one name added up, "
     "whatever the version of PyTorch or the device. A folder stands for the op logs of a run, or of the newest of "
     "repeated runs. FILE:2 is the second table of FILE; of one file alone its first two tables are compared, or those "
     "of --table=A,B. Exit status 0: the same, within the tolerance; 1: different, or something of one is missing: "
     "what is there is compared; 2: nothing can be compared; 3: more than --fail-above.",
     {&options::output, &options::tolerance, &options::record_kind, &options::only, &options::columns, &options::top,
      &options::fold_names, &options::fail_above, &options::json, &options::markdown, &options::wide,
      &options::two_tables, &options::kind, &options::prefix, &options::strict},
     do_diff,
     [](const settings& s) {
         return s.json && s.markdown ? "--json and --markdown exclude each other"
                : s.table != 0 && s.files.size() != 1
                    ? "--table=A,B is for one file: of two, FILE:2 is the second table"
                    : nullptr;
     }},
    {"format",
     {"FILE", 1, 1},
     "writes the file again in its format's own layout",
     "Continues after a problem, and exits with 0 only if all records of the input are in the output, whole.",
     {&options::output, &options::kind, &options::prefix, &options::strict, &options::lenient},
     do_format},
    {"mend",
     {"FILE", 1, 1},
     "prints a file of profiler tables with damaged ones mended",
     "Joins lines that a terminal wrapped, writes rules that are missing, and drops blank lines in tables. What was "
     "done is reported with its line. All other commands read tables so, too, but with --strict.",
     {&options::output, &options::kind, &options::prefix},
     do_mend},
    {"check",
     {"FILE|DIR...", 1, any_number},
     "reports every problem of files, and what each holds",
     "Problems are printed on standard error. Whatever is well-formed but makes no sense to a simulator is a warning, "
     "and an error with --strict: an unknown collective, a collective of 0 bytes, bytes without a collective, sizes "
     "that do not divide, checkpoints beyond the layers, impossible durations, and, among the files of a run, pipeline "
     "messages that are sent and never received.",
     {&options::for_simulator, &options::output, &options::limit, &options::kind, &options::prefix,
      &options::strict_check},
     do_check},
    {"summary",
     {"FILE|DIR...", 1, any_number},
     "shows what matters in runs, workload files and tables",
     "Op logs are summed up as one run, or as the newest of repeated runs: which rank and stage is slow and why, what "
     "is work and what is waiting, exposed communication, the pipeline bubble, time by operation and collective. "
     "Workload files and tables are shown one by one. A folder stands for the files in it.",
     {&options::output, &options::dimensions, &options::per_file, &options::json, &options::markdown, &options::wide,
      &options::summary_top, &options::partial, &options::share, &options::expect, &options::rank_count,
      &options::tensor, &options::pipeline, &options::expert, &options::threads, &options::kind, &options::prefix,
      &options::strict, &options::lenient},
     do_summary,
     refuse_forms},
    {"report",
     {"FILE|DIR...", 1, any_number},
     "writes an HTML page that explains a run, a workload or tables",
     "Of a run: what is slow and what would help, where each rank's time went, who waited for whom, and what the "
     "numbers rest on. The page is one file, which loads and sends nothing: it can be mailed, printed and read on a "
     "phone. It holds what summary --json prints, too; of more than 64 ranks without what grows with pairs of ranks. "
     "Of two folders, or two files of tables, it says what is different in the second one; FILE:2 is the second table "
     "of FILE.",
     {&options::output, &options::expect, &options::rank_count, &options::tensor, &options::pipeline, &options::expert,
      &options::threads, &options::table, &options::kind, &options::prefix, &options::strict, &options::lenient},
     do_report,
     [](const settings& s) {
         return refuse_several(s) == nullptr
                    ? nullptr
                    : "--table is for one file: of two, FILE:2 is the second table, as in `wlfmt report A:1 B:2`";
     },
     [](const settings& s) { return name_after(s, ".html"); }},
    {"merge",
     {"FILE...", 1, any_number},
     "adds up the lines of summary --partial to one summary",
     "The lines may be of many files or machines.",
     {&options::output, &options::json, &options::markdown, &options::wide, &options::summary_top, &options::partial,
      &options::expect, &options::rank_count, &options::tensor, &options::pipeline, &options::expert},
     do_merge,
     refuse_forms},
    {"set",
     {"FILE [PATH=VALUE...]", 1, 1, true},
     "prints the file with other values and every other byte as it is",
     "Refuses what would not read back. PATH, with all positions counted from 0: header.pp, layers.3.forward.bytes, "
     "operations.2.duration, operations.2.sub_operations.0.comm_func, tables.0.5.Self CPU. An entry that a workload's "
     "header lacks is added, if SimAI reads it; header.pp= removes one.",
     {&options::changes, &options::output, &options::kind, &options::prefix, &options::lenient},
     do_set,
     [](const settings& s) {
         return s.assignments.empty() && s.changes.empty() ? "a PATH=VALUE is missing" : nullptr;
     }},
    {"chakra",
     {"FILE|DIR... -o PREFIX", 1, any_number},
     "writes Chakra execution traces for ASTRA-sim 2",
     "PREFIX.N.et for each rank, and their groups, PREFIX.json, from a workload file or from the op logs of all ranks "
     "of a run; a network, PREFIX.network.yml, and the other files that configure the simulator. Prints commands for a "
     "shell: they simulate with the program that $ASTRA_SIM names, and check the result. Needs a build with protozero.",
     {&options::traces,        &options::tick,     &options::passes, &options::order,      &options::rank_count,
      &options::tensor,        &options::pipeline, &options::expert, &options::all_gather, &options::splits,
      &options::active_chunks, &options::schedule, &options::chunks, &options::balance,    &options::only_ranks,
      &options::network,       &options::link,     &options::check,  &options::show,       &options::json,
      &options::wide,          &options::kind,     &options::prefix, &options::strict,     &options::lenient},
     do_chakra,
     [](const settings& s) {
         return s.show && (s.check || !s.output.empty()) ? "--show takes traces, FILE.et, and neither --check nor -o"
                : (s.json || s.wide) && !s.show          ? "--json and --wide are for --show"
                : s.check || s.show                      ? nullptr
                : s.output.empty()                       ? "-o PREFIX is missing"
                : s.output.find("empty") != std::string::npos
                    ? "ASTRA-sim ignores groups whose file is called empty: give -o another PREFIX"
                : s.chunks != 0 && s.schedule != "interleaved" ? "--vpp is for --schedule=interleaved"
                                                               : nullptr;
     },
     nullptr,
     true},
    {"completion",
     {"bash|zsh|fish", 1, 1},
     "prints what a shell needs to complete commands and options",
     "For bash: wlfmt completion bash > ~/.local/share/bash-completion/completions/wlfmt. For zsh: a file _wlfmt in a "
     "folder of $fpath. For fish: ~/.config/fish/completions/wlfmt.fish.",
     {&options::output},
     do_completion,
     [](const settings& s) {
         const std::string_view shell = s.files[0];
         return shell == "bash" || shell == "zsh" || shell == "fish" ? nullptr : "the shell is bash, zsh or fish";
     }},
};

// Whether every list of options ends with a null pointer.
constexpr bool options_end() {
    for (const command& command_row : commands)
        if (command_row.options[max_options - 1] != nullptr) return false;
    return true;
}
static_assert(options_end(), "a command has more options than max_options");
constexpr bool groups_have_all() {
    for (const command& c : commands) {
        std::size_t times = 0;
        for (std::size_t n = 0; n != sizeof command_groups / sizeof *command_groups; ++n)
            for (std::size_t k = 0; k != max_in_group; ++k) times += command_groups[n].names[k] == c.name ? 1U : 0U;
        if (times != 1) return false;
    }
    return true;
}
static_assert(groups_have_all(), "a command is under no heading of --help, or under several");

inline const command* find_command(std::string_view name) {
    for (const command& c : commands)
        if (c.name == name) return &c;
    return nullptr;
}

}  // namespace tool

#endif
