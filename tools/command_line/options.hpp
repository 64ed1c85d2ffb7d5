// The options of the command: a row for each, which says what it is called, what it takes and what it sets. Which
// commands have it is in the table of commands, commands.hpp.
#ifndef WLFMT_TOOLS_COMMAND_LINE_OPTIONS_HPP
#define WLFMT_TOOLS_COMMAND_LINE_OPTIONS_HPP

#include "settings.hpp"

namespace tool {

// Under which heading --help shows an option.
enum class option_group { what_is_done, input, output, any_command };

struct option {
    std::string_view name;  // "--kind", "-o"
    // The values that it takes: words to choose from, `oplog|table`, or a name, `N`; empty for a flag.
    std::string_view value;
    std::string_view help;  // a sentence without its full stop
    // Sets what the value says. Returns false for a value that the option does not take.
    bool (*take)(settings& s, std::string_view value);
    std::string_view expected = {};  // a good value: "a number above 0"; empty: one of the words
    option_group group = option_group::what_is_done;

    constexpr option in(option_group its_group) const {
        option grouped = *this;
        grouped.group = its_group;
        return grouped;
    }
    // The sentence up to its first mark, which says enough to choose by: `wlfmt help` has all of it.
    constexpr std::string_view brief() const {
        std::string_view shown = help;
        for (const std::string_view mark :
             {std::string_view(", "), std::string_view(": "), std::string_view("; "), std::string_view(" (")})
            shown = shown.substr(0, shown.find(mark));
        return shown;
    }
};

namespace detail {

// Sets a member to true.
template <bool settings::*Flag> bool take_flag(settings& s, std::string_view) { return s.*Flag = true; }
// Sets a member to a number that is at least `Least`.
template <auto Number, unsigned Least> bool take_number(settings& s, std::string_view text) {
    using value = std::remove_reference_t<decltype(s.*Number)>;
    const auto n = wlfmt::to_number(text).as<value>();
    if (!n || *n < value{Least}) return false;
    s.*Number = *n;
    return true;
}
// Sets a member to a text that is not empty.
template <auto Text> bool take_text(settings& s, std::string_view text) {
    s.*Text = text;
    return !text.empty();
}
// Sets a text to one of these words.
inline bool take_word(std::string_view& setting, std::string_view text, std::initializer_list<std::string_view> words) {
    setting = text;
    return std::find(words.begin(), words.end(), text) != words.end();
}
// Takes a list like `rank,stage`.
inline bool take_dimensions(settings& s, std::string_view text) {
    using wlfmt::oplog::dimension;
    auto dimensions = dimension::none;
    for (bool more = true; more;) {
        const std::size_t end = text.find(',');
        more = end != std::string_view::npos;
        auto found = dimension::none;
        for (unsigned n = 0; n != 6; ++n)
            if (const auto candidate = static_cast<dimension>(1U << n); text.substr(0, end) == name_of(candidate))
                found = candidate;
        if (found == dimension::none) return false;
        dimensions = dimensions | found;
        if (more) text.remove_prefix(end + 1);
    }
    s.by.push_back(dimensions);
    return true;
}
// Takes a share like `3/64`.
inline bool take_share(settings& s, std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return false;
    const auto n = wlfmt::to_number(text.substr(0, slash)).as<std::uint64_t>();
    const auto tasks = wlfmt::to_number(text.substr(slash + 1)).as<std::uint64_t>();
    if (!n || !tasks || *n >= *tasks) return false;
    s.share = *n;
    s.shares = *tasks;
    return true;
}
// Takes a share like `0.05` or `5%`.
inline bool take_tolerance(settings& s, std::string_view text) {
    const bool percent = !text.empty() && text.back() == '%';
    if (percent) text.remove_suffix(1);
    s.tolerance = wlfmt::to_number(text).value_or(-1.0) * (percent ? 0.01 : 1);
    return s.tolerance >= 0 && s.tolerance < 1;
}

// Takes a share like `5%`, or a time like `3ms`.
inline bool take_growth(settings& s, std::string_view text) {
    struct unit {
        std::string_view name;
        double factor;
    };
    s.growth.text = text;
    for (const unit u : {unit{"%", 0.01}, unit{"us", 1}, unit{"ms", 1e3}, unit{"s", 1e6}}) {
        if (!has_ending(text, u.name)) continue;
        const double v = wlfmt::to_number(text.substr(0, text.size() - u.name.size())).value_or(-1.0) * u.factor;
        (u.name == "%" ? s.growth.share : s.growth.time) = v;
        return v > 0 && v < 1e18;
    }
    return false;
}

}  // namespace detail

namespace options {

inline constexpr std::string_view number_expected = "a number";
inline constexpr std::string_view size_expected = "a number above 0";

inline constexpr option output =
    option{"-o", "FILE", "where to write, instead of standard output; the file takes its place when it is whole",
           detail::take_text<&settings::output>, "the name of a file"}
        .in(option_group::output);
inline constexpr option traces = option{"-o", "PREFIX", "what the names of the traces begin with",
                                        detail::take_text<&settings::output>, "what the names of files begin with"}
                                     .in(option_group::output);
inline constexpr option kind = option{
    "--kind", "oplog|workload|table", "read the files as this format, whatever they look like",
    [](settings& s, std::string_view v) {
        for (const auto f : {wlfmt::file_format::oplog, wlfmt::file_format::workload, wlfmt::file_format::table}) {
            if (v != name_of(f)) continue;
            s.kind = f;
            return true;
        }
        return false;
    }}.in(option_group::input);
inline constexpr option prefix = option{"--prefix", "auto|TEXT|none",
                                        "the launcher's prefix of every line: in op logs and tables, whatever each "
                                        "line has (the default), this text, or nothing",
                                        [](settings& s, std::string_view v) {
                                            s.any_prefix = v == "auto";
                                            s.prefix = s.any_prefix || v == "none" ? std::string_view() : v;
                                            return !v.empty();
                                        },
                                        "a text"}
                                     .in(option_group::input);
inline constexpr option strict =
    option{"--strict", "", "text that belongs to no record is a problem, and the first problem ends the reading",
           detail::take_flag<&settings::strict>}
        .in(option_group::input);
inline constexpr option strict_check =
    option{"--strict", "", "text that belongs to no record is a problem, and so is what makes no sense to a simulator",
           detail::take_flag<&settings::strict>}
        .in(option_group::input);
inline constexpr option lenient =
    option{"--lenient", "", "exit with 0 even if input is missing in the output", detail::take_flag<&settings::lenient>}
        .in(option_group::input);
inline constexpr option limit = option{"--limit", "N",
                                       "print at most N problems of each file, and N unmatched messages of all files; "
                                       "of warnings of one kind the first "
                                       "one, and how many more there are (default 100; 0: all of them)",
                                       detail::take_number<&settings::limit, 0>, number_expected}
                                    .in(option_group::output);
inline constexpr option no_formulas = option{
    "--no-formulas", "",
    "put an apostrophe before texts that a spreadsheet would run as formulas: those that begin with = + - @ or '",
    [](settings& s, std::string_view) {
        return s.csv_style.no_formulas = true;
    }}.in(option_group::output);
inline constexpr option of = {
    "--of", "records|sub-operations|rows|waits|bandwidth",
    "what a row is: of an op log, a record (the default) or a nested operation; rows: those of tables, and of nothing "
    "else; of a run, who waited how long for whom, or how fast calls of each size move bytes",
    [](settings& s, std::string_view v) {
        constexpr std::string_view words[] = {"records", "sub-operations", "rows", "waits", "bandwidth"};
        for (std::size_t n = 0; n != std::size(words); ++n)
            if (v == words[n]) return s.csv_rows = static_cast<rows_of>(n), true;
        return false;
    }};
inline constexpr option table = option{"--table", "N", "take the N-th table of each file alone; 1 is the first one",
                                       detail::take_number<&settings::table, 1>, size_expected}
                                    .in(option_group::input);
inline constexpr option two_tables =
    option{"--table", "A,B", "compare the tables A and B of one file; 1 is the first one (default: 1,2)",
           [](settings& s, std::string_view v) {
               const std::string_view first = take_until(v, ',');
               return detail::take_number<&settings::table, 1>(s, first) &&
                      detail::take_number<&settings::other_table, 1>(s, v);
           },
           "two numbers like 1,3"}
        .in(option_group::input);
inline constexpr option canonical =
    option{"--canonical", "",
           "call the columns of tables what they are called in every version of PyTorch and for every device, "
           "self_device_time_us for `Self CUDA`, and scale FLOPs",
           detail::take_flag<&settings::canonical>}
        .in(option_group::output);
inline constexpr option align = {
    "--align", "first|flows|collectives|none|OPERATION",
    "align the clocks of different machines: all ranks begin at once; no message arrives before it was sent; members "
    "of a collective leave it at once; or the first OPERATION (optimizer_step) ends at once. The offsets are printed. "
    "By default, clocks that cannot be compared are moved, and a message says so; none leaves all of them as they are",
    detail::take_text<&settings::align>, "first, flows, collectives, none or the name of an operation"};
inline constexpr option rank_list = {"--ranks", "LIST", "only these ranks: 0-7,16",
                                     [](settings& s, std::string_view v) { return s.drawn.parse(v); },
                                     "a list of ranks like 0-7,16"};
inline constexpr option ranks_per_file =
    option{"--ranks-per-file", "N", "one file for every N ranks, trace.0-63.json, ... (with -o trace.json)",
           detail::take_number<&settings::ranks_per_file, 1>, size_expected}
        .in(option_group::output);
inline constexpr option json =
    option{"--json", "", "print lines of JSON, for programs", detail::take_flag<&settings::json>}.in(
        option_group::output);
inline constexpr option tolerance = {"--tolerance", "X", "numbers this close are the same: 0.05, or 5%",
                                     detail::take_tolerance, "a share like 0.05 or 5%"};
inline constexpr option record_kind = {
    "--by", "rank,stage,...",
    "tell the operations of op logs apart by these, joined: operation, collective, group, stage, state, rank (default: "
    "--by=rank,operation); of tables, compare all names (name, the default), those of kernels or operators alone "
    "(kernel, operator), or each cell of each row (row); of workload files, each field of each layer (layer)",
    [](settings& s, std::string_view v) {
        s.compared = v;
        return v == "layer" || v == "row" || v == "name" || v == "kernel" || v == "operator" ||
               detail::take_dimensions(s, v);
    },
    "layer, row, name, kernel, operator, or a list of operation, collective, group, stage, state and rank"};
inline constexpr option only = {"--only", "communication|compute|header", "compare this alone, of workload files",
                                [](settings& s, std::string_view v) {
                                    return detail::take_word(s.only, v, {"communication", "compute", "header"});
                                }};
inline constexpr option columns = {
    "--columns", "A,B,...",
    "compare these columns of tables, and sort by the first of them: self_cpu_time_us, calls, cpu_memory_bytes, ..., "
    "or as a table calls them (default: the device's own time, else the processor's)",
    detail::take_text<&settings::columns>, "names of columns"};
inline constexpr option top =
    option{"--top", "N", "print the N greatest of each list (default: 10 on a terminal and in Markdown, else all)",
           detail::take_number<&settings::top, 1>, size_expected}
        .in(option_group::output);
inline constexpr option summary_top =
    option{"--top", "N",
           "print the N greatest of each list; with --markdown in at most 40 lines, which say how much is left out",
           detail::take_number<&settings::top, 1>, size_expected}
        .in(option_group::output);
inline constexpr option fold_names = {"--fold-names", "",
                                      "take similar names of tables for one, which differ in arguments of templates, "
                                      "parameters, or a number at their end",
                                      detail::take_flag<&settings::fold_names>};
inline constexpr option fail_above = {
    "--fail-above", "5%|3ms",
    "exit with 3 if the total grew by more, or anything that is at least that share of it, and name it; with 0 if not, "
    "even if there are differences: of tables names, of runs accounts and operations, of workload files compute and "
    "bytes by group, phase and layer; a time is one of compute there, a tick being a nanosecond",
    detail::take_growth, "a share like 5%, or a time like 3ms"};
inline constexpr option dimensions = {
    "--by", "rank,stage,...",
    "break down by these, joined: operation, collective, group, stage, state, rank; can be given several times "
    "(default: --by=operation --by=collective,group --by=stage)",
    detail::take_dimensions, "a list of operation, collective, group, stage, state and rank"};
inline constexpr option per_file =
    option{"--per-file", "", "one summary for each op log", detail::take_flag<&settings::per_file>}.in(
        option_group::output);
inline constexpr option partial =
    option{"--partial", "", "print a line that merge reads", detail::take_flag<&settings::partial>}.in(
        option_group::output);
inline constexpr option markdown =
    option{"--markdown", "", "print tables and sentences as Markdown, for reviews and tickets",
           detail::take_flag<&settings::markdown>}
        .in(option_group::output);
inline constexpr option share =
    option{"--share", "N/M",
           "read every M-th of the chosen files from the N-th on, counted from 0: the share of "
           "one of M tasks, whose lines merge adds up",
           detail::take_share, "a share like 3/64"}
        .in(option_group::input);
inline constexpr option expect = option{"--expect", "N", "a rank below N that is not in the sums is a problem",
                                        detail::take_number<&settings::expected_ranks, 1>, size_expected}
                                     .in(option_group::input);
inline constexpr option threads = option{"-j", "N", "use N threads (default: one for each core)",
                                         detail::take_number<&settings::threads, 1>, size_expected}
                                      .in(option_group::input);
inline constexpr option tick = {"--tick", "NS", "nanoseconds per unit of a workload's times (default 1)",
                                [](settings& s, std::string_view v) {
                                    s.tick = wlfmt::to_number(v).value_or(0.0);
                                    return s.tick > 0 && s.tick <= 1e12;
                                },
                                "a number above 0 and up to 1e12"};
inline constexpr option passes = {"--passes", "N", "the number of passes over a workload's layers (default 1)",
                                  detail::take_number<&settings::passes, 1>, size_expected};
inline constexpr option order = {"--order", "AXES",
                                 "how ranks are numbered, the axis that varies fastest first (default tp-cp-ep-dp-pp)",
                                 [](settings& s, std::string_view v) {
                                     const auto parsed = wlfmt::parallelism::rank_order::parse(v);
                                     if (parsed) s.order = *parsed;
                                     return parsed.has_value();
                                 },
                                 "an order of axes like tp-cp-ep-dp-pp"};
inline constexpr option all_gather = {
    "--all-gather", "whole|share",
    "what the size of an ALLGATHER in a workload file is: the buffer of all ranks of its group, as in SimAI's files "
    "(the default where the header has all_gpus), or the share of one rank, as in ASTRA-sim 1.0's",
    [](settings& s, std::string_view v) {
        return detail::take_word(s.gathered, v, {"whole", "share"});
    },
    "whole or share"};
inline constexpr option only_ranks = {"--only-ranks", "0-7,16", "write the traces of these ranks alone, for a look",
                                      [](settings& s, std::string_view v) { return s.only_ranks.parse(v); },
                                      "ranks and ranges of ranks like 0-7,16"};
inline constexpr option network = {"--network", "RUN",
                                   "take the network's bandwidth and latency from a run, a folder of op logs",
                                   detail::take_text<&settings::network>, "a folder, or the log of a run"};
inline constexpr option active_chunks = {
    "--active-chunks", "N",
    "how many of these pieces run at a time in each dimension, active-chunks-per-dimension of its system configuration "
    "(default 1)",
    detail::take_number<&settings::active_chunks, 1>, size_expected};
inline constexpr option splits = {
    "--splits", "N",
    "the pieces that the simulator makes of a collective, preferred-dataset-splits of its system configuration "
    "(default 4): an all-gather of fewer bytes would never end there and is rounded up",
    detail::take_number<&settings::splits, 1>, size_expected};
inline constexpr option schedule = {"--schedule", "gpipe|1f1b|interleaved",
                                    "in which order a stage runs micro-batches: all forward and then "
                                    "all backward, as the file lists them (the default), or as Megatron does",
                                    [](settings& s, std::string_view v) {
                                        return detail::take_word(s.schedule, v, {"gpipe", "1f1b", "interleaved"});
                                    }};
inline constexpr option chunks = {
    "--vpp", "N",
    "the model chunks of a stage for --schedule=interleaved, instead of the header's vpp, which AICB sets to the "
    "number of blocks of a stage",
    detail::take_number<&settings::chunks, 2>, "a number above 1"};
inline constexpr option link =
    option{"--link", "", "write a trace that several ranks share once, and make the others links to it",
           detail::take_flag<&settings::link>}
        .in(option_group::output);
inline constexpr option balance = {
    "--balance", "",
    "give ranks of an all-to-all the mean of their bytes, if these differ, as ASTRA-sim has no other all-to-alls",
    detail::take_flag<&settings::balance>};
inline constexpr option check = {"--check", "",
                                 "read FILE, the log of a simulation (PREFIX.FINGERPRINT.log): is it that of these "
                                 "traces, did all ranks finish, were all nodes issued, and what does the first rank "
                                 "that did not finish wait for; or, of traces (FILE.et), whoever wrote them: circles, "
                                 "messages without another end, work of no size",
                                 detail::take_flag<&settings::check>};
inline constexpr option rank_count = {
    "--ranks", "N", "the number of ranks, if a workload's header or the names of a run's files do not say it",
    detail::take_number<&settings::ranks, 1>, size_expected};
inline constexpr option tensor = {
    "--tp", "N",
    "the tensor parallel size, if a workload's header or the names of a run's files (wd8_tp2_pp4_exp1_...) do not say "
    "it",
    detail::take_number<&settings::tensor, 1>, size_expected};
inline constexpr option pipeline = {"--pp", "N", "the number of pipeline stages, likewise",
                                    detail::take_number<&settings::pipeline, 1>, size_expected};
inline constexpr option expert = {"--ep", "N", "the expert parallel size, likewise",
                                  detail::take_number<&settings::expert, 1>, size_expected};

inline constexpr option wide = option{"--wide", "", "show columns that do not fit the terminal, and whole names",
                                      detail::take_flag<&settings::wide>}
                                   .in(option_group::output);
inline constexpr option colours = option{
    "--color", "auto|always|never", "use colours; auto: on a terminal, unless NO_COLOR is set",
    [](settings& s, std::string_view v) {
        std::string_view word;
        if (!detail::take_word(word, v, {"auto", "always", "never"})) return false;
        s.colours = word == "auto"     ? colour_choice::automatic
                    : word == "always" ? colour_choice::always
                                       : colour_choice::never;
        return true;
    }}.in(option_group::any_command);

}  // namespace options
}  // namespace tool

#endif
