// The table of options: what each is called, which values it takes and what it sets. The table in commands.hpp says
// which commands have it.
#ifndef WLFMT_TOOLS_COMMAND_LINE_OPTIONS_HPP
#define WLFMT_TOOLS_COMMAND_LINE_OPTIONS_HPP

#include "settings.hpp"

namespace tool {

// The heading under which --help shows an option.
enum class heading { options, input, output, every_command };

struct option {
    std::string_view name;  // "--kind", "-o"
    heading group;
    // The values that it takes: words to choose from, `oplog|table`, or a placeholder, `N`; empty for a flag.
    std::string_view value;
    std::string_view help;  // a sentence without its full stop
    // Sets the value. Returns false for a value that the option does not take. If `expected` is empty, it is only
    // called with one of the words of `value`.
    bool (*take)(settings& s, std::string_view value);
    std::string_view expected;  // which values it takes: "a number above 0"; empty: the words of `value`
    // The only format of which it says anything; unknown: it is not about one format, or its command asks for itself.
    wlfmt::file_format only = wlfmt::file_format::unknown;

    constexpr option(std::string_view its_name, heading its_group, std::string_view its_value,
                     std::string_view its_help, bool (*its_take)(settings& s, std::string_view value),
                     std::string_view its_expected = {})
        : name(its_name), group(its_group), value(its_value), help(its_help), take(its_take), expected(its_expected) {}
    // The same option, which only means something for files of this format.
    constexpr option only_of(wlfmt::file_format format) const {
        option copy = *this;
        copy.only = format;
        return copy;
    }
    // The help up to its first punctuation mark, which is enough for choosing an option; `wlfmt help` prints all of it.
    constexpr std::string_view brief() const {
        std::string_view shown = help;
        for (const std::string_view mark :
             {std::string_view(", "), std::string_view(": "), std::string_view("; "), std::string_view(" (")})
            shown = shown.substr(0, shown.find(mark));
        return shown;
    }
};

namespace detail {

// An option without a value, which sets a member to true.
template <bool settings::*Flag> constexpr option flag(std::string_view name, heading group, std::string_view help) {
    return {name, group, "", help, [](settings& s, std::string_view) { return s.*Flag = true; }};
}
// Sets a member to a number that is at least `Least`.
template <auto Number, unsigned Least> bool take_number(settings& s, std::string_view text) {
    using value = std::remove_reference_t<decltype(s.*Number)>;
    const auto n = wlfmt::to_number(text).as<value>();
    if (!n || *n < value{Least}) return false;
    s.*Number = *n;
    return true;
}
template <auto Number, unsigned Least>
constexpr option number(std::string_view name, heading group, std::string_view value, std::string_view help) {
    constexpr std::string_view expected[] = {"a number", "a number above 0", "a number above 1"};
    return {name, group, value, help, take_number<Number, Least>, expected[Least]};
}
// An option that sets a member to a text that is not empty.
template <auto Text>
constexpr option text(std::string_view name, heading group, std::string_view value, std::string_view help,
                      std::string_view expected = {}) {
    const auto take = [](settings& s, std::string_view given) {
        s.*Text = given;
        return !given.empty();
    };
    return {name, group, value, help, take, expected};
}
// Takes a list like `rank,stage`.
bool take_dimensions(settings& s, std::string_view text);
// Takes a share like `3/64`.
bool take_share(settings& s, std::string_view text);
// Takes a share like `0.05` or `5%`.
bool take_tolerance(settings& s, std::string_view text);

// Takes a share like `5%`, or a time like `3ms`.
bool take_growth(settings& s, std::string_view text);

}  // namespace detail

namespace options {

inline constexpr option output = detail::text<&settings::output>(
    "-o", heading::output, "FILE",
    "where to write, instead of standard output; the file takes its place when it is whole", "the name of a file");
inline constexpr option traces = detail::text<&settings::output>(
    "-o", heading::output, "PREFIX", "what the names of the traces begin with", "what the names of files begin with");
inline constexpr option kind("--kind", heading::input, "oplog|workload|table",
                             "read the files as this format, whatever they look like",
                             [](settings& s, std::string_view v) {
                                 using wlfmt::file_format;
                                 s.kind = v == "oplog"      ? file_format::oplog
                                          : v == "workload" ? file_format::workload
                                                            : file_format::table;
                                 return true;
                             });
inline constexpr option prefix(
    "--prefix", heading::input, "auto|TEXT|none",
    "the launcher's prefix of every line: in op logs and tables, whatever each line has (the default), this text, or "
    "nothing",
    [](settings& s, std::string_view v) {
        s.any_prefix = v == "auto";
        s.prefix = s.any_prefix || v == "none" ? std::string_view() : v;
        return !v.empty();
    },
    "a text");
inline constexpr option strict =
    detail::flag<&settings::strict>("--strict", heading::input,
                                    "warnings are errors, and so is text that belongs to no record; such text, and the "
                                    "first record with an error, ends "
                                    "the reading");
inline constexpr option strict_check = detail::flag<&settings::strict>(
    "--strict", heading::input, "warnings are errors, and so is text that belongs to no record");
inline constexpr option changes = detail::text<&settings::changes>(
    "--from", heading::options, "CHANGES", "take changes from a file, too, a path and a value a row: CSV or JSON Lines",
    "the name of a file");
inline constexpr option for_simulator(
    "--for", heading::options, "simai|astra-sim|chakra",
    "is the workload file simulated as it is written, by SimAI, by ASTRA-sim 2 from its Chakra traces, or does "
    "`wlfmt chakra` refuse it: what is not is an error, with a command that mends it",
    [](settings& s, std::string_view v) {
        using wlfmt::analysis::simulators::simulator;
        s.simulator = v == "simai" ? simulator::simai : v == "chakra" ? simulator::chakra : simulator::astra_sim;
        return true;
    });
inline constexpr option lenient =
    detail::flag<&settings::lenient>("--lenient", heading::input, "exit with 0 even if input is missing in the output");
inline constexpr option limit = detail::number<&settings::limit, 0>(
    "--limit", heading::output, "N",
    "print at most N problems of each file, and N unmatched messages of all files; of warnings of one kind the first "
    "one, and how many more there are (default 100; 0: all of them)");
inline constexpr option no_formulas(
    "--no-formulas", heading::output, "",
    "put an apostrophe before texts that a spreadsheet would compute as formulas: those that begin with = + - @ or '",
    [](settings& s, std::string_view) { return s.csv_style.no_formulas = true; });
inline constexpr option of(
    "--of", heading::options, "records|sub-operations|rows|waits|bandwidth",
    "what a row is: of an op log, a record (the default) or a nested operation; rows: those of tables, and of nothing "
    "else; of a run, who waited how long for whom, or how fast calls of each size move bytes",
    [](settings& s, std::string_view v) {
        constexpr std::string_view words[] = {"records", "sub-operations", "rows", "waits", "bandwidth"};
        for (std::size_t n = 0; n != std::size(words); ++n) {
            if (v != words[n]) continue;
            s.csv_rows = static_cast<rows_of>(n);
            return true;
        }
        return false;
    });
inline constexpr option table = detail::number<&settings::table, 1>(
    "--table", heading::input, "N", "take the N-th table of each file alone; 1 is the first one");
inline constexpr option two_tables(
    "--table", heading::input, "A,B", "compare the tables A and B of one file; 1 is the first one (default: 1,2)",
    [](settings& s, std::string_view v) {
        const std::string_view first = take_until(v, ',');
        return detail::take_number<&settings::table, 1>(s, first) &&
               detail::take_number<&settings::other_table, 1>(s, v);
    },
    "two numbers like 1,3");
inline constexpr option canonical =
    detail::flag<&settings::canonical>(
        "--canonical", heading::output,
        "call the columns of tables what they are called in every version of PyTorch and for every device, "
        "self_device_time_us for `Self CUDA`, and scale FLOPs")
        .only_of(wlfmt::file_format::table);
inline constexpr option align =
    detail::text<&settings::align>("--align", heading::options, "first|flows|collectives|none|OPERATION",
                                   "align the clocks of different machines: all ranks begin at once; no message "
                                   "arrives before it was sent; members "
                                   "of a collective leave it at once; or the first OPERATION (optimizer_step) ends at "
                                   "once. The offsets are printed. "
                                   "By default, clocks that cannot be compared are moved, and a message says so; none "
                                   "leaves all of them as they are",
                                   "first, flows, collectives, none or the name of an operation")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option rank_list =
    option(
        "--ranks", heading::options, "LIST", "only these ranks: 0-7,16",
        [](settings& s, std::string_view v) { return s.drawn.parse(v); }, "a list of ranks like 0-7,16")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option ranks_per_file = detail::number<&settings::ranks_per_file, 1>(
                                             "--ranks-per-file", heading::output, "N",
                                             "one file for every N ranks, trace.0-63.json, ... (with -o trace.json)")
                                             .only_of(wlfmt::file_format::oplog);
inline constexpr option json =
    detail::flag<&settings::json>("--json", heading::output, "print lines of JSON, for programs");
inline constexpr option tolerance("--tolerance", heading::options, "X", "numbers this close are the same: 0.05, or 5%",
                                  detail::take_tolerance, "a share like 0.05 or 5%");
inline constexpr option record_kind(
    "--by", heading::options, "rank,stage,...",
    "tell the operations of op logs apart by these, joined: operation, collective, group, stage, state, rank (default: "
    "--by=rank,operation); of tables, compare all names (name, the default), those of kernels or operators alone "
    "(kernel, operator), or each cell of each row (row); of workload files, each field of each layer (layer)",
    [](settings& s, std::string_view v) {
        s.compared = v;
        return v == "layer" || v == "row" || v == "name" || v == "kernel" || v == "operator" ||
               detail::take_dimensions(s, v);
    },
    "layer, row, name, kernel, operator, or a list of operation, collective, group, stage, state and rank");
inline constexpr option only = detail::text<&settings::only>("--only", heading::options, "communication|compute|header",
                                                             "compare this alone, of workload files");
inline constexpr option columns = detail::text<&settings::columns>(
    "--columns", heading::options, "A,B,...",
    "compare these columns of tables, and sort by the first of them: self_cpu_time_us, calls, cpu_memory_bytes, ..., "
    "or as a table calls them (default: the device's own time, else the processor's)",
    "names of columns");
inline constexpr option top = detail::number<&settings::top, 1>(
    "--top", heading::output, "N",
    "print the N greatest of each list (default: 10 on a terminal and in Markdown, else all)");
inline constexpr option summary_top = detail::number<&settings::top, 1>(
    "--top", heading::output, "N",
    "print the N greatest of each list; with --markdown in at most 40 lines, which say how much is left out");
inline constexpr option fold_names =
    detail::flag<&settings::fold_names>("--fold-names", heading::options,
                                        "take similar names of tables for one, which differ in arguments of templates, "
                                        "parameters, or a number at their end");
inline constexpr option fail_above(
    "--fail-above", heading::options, "5%|3ms",
    "exit with 3 if the total grew by more, or anything that is at least that share of it, and name it; with 1 if "
    "that is not ruled out as records or ranks are missing; else with 0, even if there are differences: of tables "
    "names, of runs accounts and operations, of workload files compute and bytes by group, phase and layer; a time "
    "is one of compute there, a tick being a nanosecond",
    detail::take_growth, "a share like 5%, or a time like 3ms");
inline constexpr option dimensions =
    option("--by", heading::options, "rank,stage,...",
           "break down by these, joined: operation, collective, group, stage, state, rank; can be given several times "
           "(default: --by=operation --by=collective,group --by=stage)",
           detail::take_dimensions, "a list of operation, collective, group, stage, state and rank")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option per_file =
    detail::flag<&settings::per_file>("--per-file", heading::output, "one summary for each op log")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option partial =
    detail::flag<&settings::partial>("--partial", heading::output, "print a line that merge reads");
inline constexpr option markdown = detail::flag<&settings::markdown>(
    "--markdown", heading::output, "print tables and sentences as Markdown, for reviews and tickets");
inline constexpr option share(
    "--share", heading::input, "N/M",
    "read every M-th of the chosen files from the N-th on, counted from 0: the share of one of M tasks, whose lines "
    "merge adds up",
    detail::take_share, "a share like 3/64");
inline constexpr option expect =
    detail::number<&settings::expected_ranks, 1>("--expect", heading::input, "N",
                                                 "a rank below N that is not in the sums is a problem")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option threads =
    detail::number<&settings::threads, 1>("-j", heading::input, "N", "use N threads (default: one for each core)");
inline constexpr option tick(
    "--tick", heading::options, "NS", "nanoseconds per unit of a workload's times (default 1)",
    [](settings& s, std::string_view v) {
        s.tick = wlfmt::to_number(v).value_or(0.0);
        return s.tick > 0 && s.tick <= 1e12;
    },
    "a number above 0 and up to 1e12");
inline constexpr option passes = detail::number<&settings::passes, 1>(
    "--passes", heading::options, "N", "the number of passes over a workload's layers (default 1)");
inline constexpr option order(
    "--order", heading::options, "AXES",
    "how ranks are numbered, the axis that varies fastest first (default tp-cp-ep-dp-pp)",
    [](settings& s, std::string_view v) {
        const auto parsed = wlfmt::parallelism::rank_order::parse(v);
        if (parsed) s.order = *parsed;
        return parsed.has_value();
    },
    "an order of axes like tp-cp-ep-dp-pp");
inline constexpr option all_gather(
    "--all-gather", heading::options, "whole|share",
    "what the size of an ALLGATHER in a workload file is: the buffer of all ranks of its group, as in SimAI's files "
    "(the default where the header has all_gpus), or the share of one rank, as in ASTRA-sim 1.0's",
    [](settings& s, std::string_view v) {
        s.gathered = v;
        return v == "whole" || v == "share";
    },
    "whole or share");
inline constexpr option only_ranks(
    "--only-ranks", heading::options, "0-7,16", "write the traces of these ranks alone, for a look",
    [](settings& s, std::string_view v) { return s.only_ranks.parse(v); }, "ranks and ranges of ranks like 0-7,16");
inline constexpr option network = detail::text<&settings::network>(
    "--network", heading::options, "RUN", "take the network's bandwidth and latency from a run, a folder of op logs",
    "a folder, or the log of a run");
inline constexpr option active_chunks = detail::number<&settings::active_chunks, 1>(
    "--active-chunks", heading::options, "N",
    "how many of these pieces it takes at a time in each dimension, active-chunks-per-dimension of its system "
    "configuration (default 1)");
inline constexpr option splits = detail::number<&settings::splits, 1>(
    "--splits", heading::options, "N",
    "the pieces that the simulator makes of a collective, preferred-dataset-splits of its system configuration "
    "(default 4): an all-gather of fewer bytes would never end there and is rounded up");
inline constexpr option schedule = detail::text<&settings::schedule>(
    "--schedule", heading::options, "gpipe|1f1b|interleaved",
    "in which order a stage computes micro-batches: all forward and then all backward, as the file lists them (the "
    "default), or as Megatron does");
inline constexpr option chunks = detail::number<&settings::chunks, 2>(
    "--vpp", heading::options, "N",
    "the model chunks of a stage for --schedule=interleaved, instead of the header's vpp, which AICB sets to the "
    "number of blocks of a stage");
inline constexpr option link = detail::flag<&settings::link>(
    "--link", heading::output, "write a trace that several ranks share once, and make the others links to it");
inline constexpr option balance = detail::flag<&settings::balance>(
    "--balance", heading::options,
    "give ranks of an all-to-all the mean of their bytes, if these differ, as ASTRA-sim has no other all-to-alls");
inline constexpr option check = detail::flag<&settings::check>(
    "--check", heading::options,
    "read FILE, the log of a simulation (PREFIX.FINGERPRINT.log): is it that of these traces, did all ranks finish, "
    "were all nodes issued, and what does the first rank that did not finish wait for; or, of traces (FILE.et), "
    "whoever wrote them: circles, messages without another end, work of no size");
inline constexpr option show = detail::flag<&settings::show>(
    "--show", heading::options,
    "print what is in traces (FILE.et), whoever wrote them: nodes by type, computation, bytes by collective and group, "
    "messages; and whether the ranks fit each other. With --json: each node, with all attributes");
inline constexpr option rank_count =
    detail::number<&settings::ranks, 1>(
        "--world-size", heading::options, "N",
        "the number of ranks, if a workload's header or the names of a run's files do not say it")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option tensor =
    detail::number<&settings::tensor, 1>("--tp", heading::options, "N",
                                         "the tensor parallel size, if a workload's header or the names of a run's "
                                         "files (wd8_tp2_pp4_exp1_...) do not say "
                                         "it")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option pipeline =
    detail::number<&settings::pipeline, 1>("--pp", heading::options, "N", "the number of pipeline stages, likewise")
        .only_of(wlfmt::file_format::oplog);
inline constexpr option expert =
    detail::number<&settings::expert, 1>("--ep", heading::options, "N", "the expert parallel size, likewise")
        .only_of(wlfmt::file_format::oplog);

inline constexpr option wide = detail::flag<&settings::wide>(
    "--wide", heading::output, "show columns that do not fit the terminal, and whole names");
inline constexpr option colours("--color", heading::every_command, "auto|always|never",
                                "use colours; auto: on a terminal, unless NO_COLOR is set",
                                [](settings& s, std::string_view v) {
                                    s.colours = v == "auto"     ? colour_choice::automatic
                                                : v == "always" ? colour_choice::always
                                                                : colour_choice::never;
                                    return true;
                                });

}  // namespace options
}  // namespace tool

#endif
