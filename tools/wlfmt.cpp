// wlfmt: reads, writes, checks, changes and sums up rank op logs, workload files and profiler tables from the command
// line. The commands are in the headers beside this file.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <wlfmt/wlfmt.hpp>

#include "chakra.hpp"
#include "check.hpp"
#include "convert.hpp"
#include "csv.hpp"
#include "diff.hpp"
#include "files.hpp"
#include "folder.hpp"
#include "from_json.hpp"
#include "input.hpp"
#include "messages.hpp"
#include "output.hpp"
#include "output_file.hpp"
#include "plot.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "run_summary.hpp"
#include "set.hpp"
#include "settings.hpp"
#include "timeline.hpp"

#if defined(_WIN32)
#    include <fcntl.h>
#    include <io.h>
#endif

namespace {

using tool::settings;

constexpr char usage[] = R"(usage: wlfmt COMMAND [OPTION ...] FILE...

  json FILE...      prints the interchange form, one JSON object per line
  from-json FILE... turns what json printed back into text, in the layout of its format's original writer
  csv FILE...       prints one table of all files, for spreadsheets, data frames and databases: a row for each
                    operation (with --of=sub-operations for each nested operation), layer, or row of a table
  timeline FILE...  writes a run's op logs as Trace Event JSON, which https://ui.perfetto.dev opens: a process for
                    each rank, a track for computation and for each kind of group, arrows between pipeline
                    stages. For a workload file: the layers of one iteration in the order of SimAI
  plot FILE...      draws a picture, SVG: a run's operations in time with a lane for each rank; compute and
                    communication of a workload file's layers; the heaviest rows of a table
  diff A B          says what is different in B, the greatest effect first: times and numbers of each operation,
                    fields of layers, values of rows. Exit status 0: the same, 1: different, 2: unusable
  format FILE       writes the file again in its format's own layout
  check FILE...     reports every problem on standard error, and what each file holds on standard output. What is
                    well-formed but makes no sense to a simulator is a warning, and a problem with --strict: an
                    unknown collective, a collective of 0 bytes, bytes without a collective, sizes that do not
                    divide, checkpoints beyond the layers, impossible durations, and, among the files of a run,
                    pipeline messages that are sent and never received
  summary DIR|FILE...
                    shows the essentials. Op logs are summed up as one run, of repeated runs the newest: time by
                    operation and collective, the spread between ranks, the slowest rank and stage, the pipeline
                    bubble. Workload files and tables are shown one by one
  merge FILE...     merges the lines of summary --partial, of many files or machines, into one summary
  set FILE PATH=VALUE...
                    prints the file with other values and every other byte as it is; refuses what would not read
                    back. PATH, with all positions counted from 0: header.pp, layers.3.forward.bytes,
                    operations.2.duration, operations.2.sub_operations.0.comm_func, tables.0.5.Self CPU
  chakra FILE... -o PREFIX
                    writes Chakra execution traces for ASTRA-sim 2, PREFIX.N.et for each rank, and their groups,
                    PREFIX.json, from a workload file or from the op logs of all ranks of a run

  --tick=NS                     chakra: nanoseconds per unit of a workload's times (default 1)
  --passes=N                    chakra: the number of passes over a workload's layers (default 1)
  --order=tp-cp-ep-dp-pp        chakra: how ranks are numbered, the axis that varies fastest first
  --ranks=N --tp=N --pp=N --ep=N
                                chakra: the number of ranks if a workload's header does not say it; the sizes of a
                                run if the names of its files do not say them (wd8_tp2_pp4_exp1_...)
  --kind=oplog|workload|table   the format, instead of what the text looks like
  --prefix=auto|TEXT|none       what a launcher wrote before every line of an op log or a table: whatever each line
                                has (the default), this text, or nothing. If the lines of several tables
                                interleave, the tables are printed prefix by prefix
  --lenient                     json, format: exit with 0 even if something is missing from the output
  --strict                      json, format: stop at the first problem. All commands: text that belongs to no
                                record is a problem
  --by=rank,stage,...           summary: break down by these, joined: operation, collective, group, stage, state,
                                rank (default: --by=operation --by=collective,group --by=stage)
  --per-file                    summary: one summary for each op log
  --json, --partial             summary, merge: print a line of JSON for programs; a line that merge reads
  -jN                           summary: use N threads (default: one per core)
  --limit=N                     check: print at most N problems of each file, and N unmatched messages of all files
                                (default 100; 0: no limit)
  --of=records|sub-operations   csv: what a row of an op log is (default: records)
  -o FILE                       timeline, plot: where to write (default: standard output)
  --align=first|flows|OPERATION timeline, plot: align the clocks of different machines: all ranks begin at once; no
                                message arrives before it was sent; or the first OPERATION (optimizer_step) ends at
                                once. The offsets are printed
  --ranks=0-7,16                timeline, plot: only these ranks
  --ranks-per-file=N            timeline: one file for every N ranks, trace.0-63.json, ... (with -o trace.json)
  --tolerance=0.05|5%           diff: numbers this close are the same
  --by=operation|layer|row      diff: refuse files of another format
  --json                        diff: one JSON object per line
  --version, --help

Three options depend on the command: --ranks is a number for chakra, and a list for timeline and plot; --by is what
summary breaks sums down by, and what diff takes the records of its files for; --json is one object per summary, and
one per difference.

FILE `-` is standard input, for example for compressed files: `zstdcat x | wlfmt summary -`. For summary, check and
json, a folder stands for the files in it. json and format continue after a problem. A problem is a warning if nothing
of the input is missing from the output: values that are not numbers are kept as they are, and a wrong number of layers
is corrected. It is an error if something is missing. Text around op-log records and tables is skipped, because both
occur inside console logs.

Exit status: 0 clean, 1 problems, 2 usage or unreadable file, 141 standard output was closed before all was in it.
json and format exit with 0 only if all records of the input are in the output, whole.
)";

void run_from_json(tool::input& from, const settings& s, tool::report& r) {
    const wlfmt::file_format kind =
        s.kind != wlfmt::file_format::unknown ? s.kind : tool::kind_of_json(from.beginning());
    r.set_kind(kind);
    r.about(from.beginning());
    if (kind == wlfmt::file_format::unknown) return tool::say_no_json(from.beginning(), r);
#if defined(WLFMT_WITH_SIMDJSON)
    tool::from_json(from, kind, r);
#endif
}

void run_on_text(tool::input& from, const settings& s, tool::report& r, tool::messages& sent) {
    const wlfmt::file_format kind = tool::format_of(from, s, r);
    if (s.command == "check") {
        tool::check(from, kind, s, r, sent);
    } else if (kind != wlfmt::file_format::unknown) {
        if (s.command == "json") tool::convert(from, kind, s, r, tool::as_json());
        if (s.command == "format") tool::convert(from, kind, s, r, tool::in_own_format());
        if (s.command == "set") tool::set(from, kind, s, r);
    }
}

tool::exit_status run_file(const char* path, const settings& s, tool::messages& sent) {
    return tool::with_file(path, s, [&](tool::input& from, tool::report& r) {
        if (s.command == "from-json")
            run_from_json(from, s, r);
        else
            run_on_text(from, s, r, sent);
    });
}

// The rest of an argument after `name`, or no data where it begins otherwise.
std::string_view value_of(std::string_view argument, std::string_view name) {
    return argument.substr(0, name.size()) == name ? argument.substr(name.size()) : std::string_view();
}

bool parse_chakra_option(std::string_view a, settings& s) {
    if (const std::string_view order = value_of(a, "--order="); order.data() != nullptr) {
        const auto parsed = wlfmt::parallelism::rank_order::parse(order);
        if (parsed) s.order = *parsed;
        return parsed.has_value();
    }
    if (const std::string_view tick = value_of(a, "--tick="); tick.data() != nullptr) {
        s.tick = wlfmt::to_number(tick).value_or(0);
        return s.tick > 0;
    }
    const std::pair<std::string_view, std::int64_t*> counts[] = {{"--passes=", &s.passes},
                                                                 {"--ranks=", &s.ranks},
                                                                 {"--tp=", &s.tensor},
                                                                 {"--pp=", &s.pipeline},
                                                                 {"--ep=", &s.expert}};
    for (const auto& [name, count] : counts) {
        const std::string_view value = value_of(a, name);
        if (value.data() == nullptr) continue;
        *count = wlfmt::to_number(value).as<std::int64_t>().value_or(0);
        return *count > 0;
    }
    return false;
}
bool is_drawn(std::string_view command) { return command == "timeline" || command == "plot"; }

bool parse_option(std::string_view a, settings& s) {
    if (a == "--strict") return s.strict = true;
    if (a == "--lenient") return s.lenient = true;
    if (const std::string_view kind = value_of(a, "--kind="); kind.data() != nullptr) {
        for (const auto f : {wlfmt::file_format::oplog, wlfmt::file_format::workload, wlfmt::file_format::table})
            if (kind == name_of(f)) s.kind = f;
        return s.kind != wlfmt::file_format::unknown;
    }
    if (const std::string_view of = value_of(a, "--of="); of.data() != nullptr) {
        s.of = of == "sub-operations" ? tool::rows_of::sub_operations : tool::rows_of::records;
        return s.command == "csv" && (of == "sub-operations" || of == "records");
    }
    if (const std::string_view align = value_of(a, "--align="); align.data() != nullptr) {
        s.align = align;
        return is_drawn(s.command) && !align.empty();
    }
    if (const std::string_view ranks = value_of(a, "--ranks="); ranks.data() != nullptr && is_drawn(s.command))
        return s.drawn.parse(ranks);
    if (const std::string_view n = value_of(a, "--ranks-per-file="); n.data() != nullptr) {
        s.ranks_per_file = wlfmt::to_number(n).as<std::size_t>().value_or(0);
        return s.command == "timeline" && s.ranks_per_file != 0;
    }
    if (a == "--json" && (s.command == "diff" || s.command == "summary" || s.command == "merge")) return s.json = true;
    if (const std::string_view by = value_of(a, "--by="); by.data() != nullptr && s.command == "diff") {
        s.compared = by;
        return by == "operation" || by == "layer" || by == "row";
    }
    if (std::string_view tolerance = value_of(a, "--tolerance="); !tolerance.empty()) {
        const double unit = tolerance.back() == '%' ? 0.01 : 1;
        if (unit < 1) tolerance.remove_suffix(1);
        const wlfmt::number n = wlfmt::to_number(tolerance);
        s.tolerance = n.value_or(-1) * unit;
        return s.command == "diff" && s.tolerance >= 0 && s.tolerance < 1;
    }
    if (const std::string_view prefix = value_of(a, "--prefix="); prefix.data() != nullptr) {
        s.any_prefix = prefix == "auto";
        s.prefix = s.any_prefix || prefix == "none" ? std::string_view() : prefix;
        return !prefix.empty();
    }
    if (s.command == "chakra" && parse_chakra_option(a, s)) return true;
    if ((s.command == "summary" || s.command == "merge") && tool::parse_run_option(a, s)) return true;
    if (const std::string_view limit = value_of(a, "--limit="); limit.data() != nullptr) {
        const auto n = wlfmt::to_number(limit).as<std::uint64_t>();
        s.limit = n.value_or(0);
        return n.has_value();
    }
    return false;
}

bool parse(int count, char** arguments, settings& s) {
    for (int n = 1; n < count; ++n) {
        const std::string_view a = arguments[n];
        if (s.command.empty()) {
            s.command = a;
        } else if (a == "-o") {
            if (!(is_drawn(s.command) || s.command == "chakra") || ++n == count || !s.output.empty()) return false;
            s.output = arguments[n];
        } else if (a.size() > 1 && a[0] == '-') {
            if (!parse_option(a, s)) return false;
        } else if (s.command == "set" && !s.files.empty()) {
            const std::size_t equals = a.find('=');
            if (equals == std::string_view::npos) return false;
            s.assignments.push_back({a.substr(0, equals), a.substr(equals + 1)});
        } else {
            s.files.push_back(arguments[n]);
        }
    }
    if (s.files.empty() || (s.strict && s.lenient) || (s.json && s.partial)) return false;
    if (s.ranks_per_file != 0 && s.output.empty()) return false;
    if (s.command == "format") return s.files.size() == 1;
    if (s.command == "diff") return s.files.size() == 2;
    if (s.command == "set") return !s.assignments.empty();
    if (s.command == "chakra") return !s.output.empty();
    for (const std::string_view command : {"json", "from-json", "check", "summary", "merge", "csv", "timeline", "plot"})
        if (s.command == command) return true;
    return false;
}

int run(int count, char** arguments) {
    const std::string_view first = count > 1 ? arguments[1] : "";
    if (first == "--help" || first == "-h") {
        tool::standard_output.append(usage);
        return tool::clean;
    }
    if (first == "--version") {
        tool::standard_output.append("wlfmt " + std::to_string(wlfmt::version_major) + "." +
                                     std::to_string(wlfmt::version_minor) + "." + std::to_string(wlfmt::version_patch) +
                                     "\n");
        return tool::clean;
    }
    settings s;
    if (!parse(count, arguments, s)) {
        tool::standard_error.append(usage);
        return tool::unusable;
    }
    if (s.command == "chakra") return tool::chakra(s);
#if !defined(WLFMT_WITH_SIMDJSON)
    if (s.command == "from-json") {
        tool::standard_error.append(
            "wlfmt: from-json is not in this build, as it needs simdjson: compile with -DWLFMT_WITH_SIMDJSON and "
            "-lsimdjson\n");
        return tool::unusable;
    }
#endif
    if (s.command == "csv") return tool::csv_command(s).run();
    if (s.command == "summary") return tool::run_command(s).run();
    if (s.command == "merge") return tool::merge(s);
    if (s.command == "timeline") return tool::timeline_command(s).run();
    if (s.command == "plot") return tool::plot_command(s).run();
    if (s.command == "diff") return tool::run_diff(s);
    tool::exit_status worst = tool::clean;
    tool::messages sent;
    tool::path_list files;
    if (!tool::add_paths(files, s.files, s.command == "check" || s.command == "json")) worst = tool::unusable;
    tool::progress shown("files", files.size(), tool::progress::output::lines);
    for (std::size_t n = 0; n != files.size(); ++n) {
        worst = (std::max)(worst, run_file(files[n].c_str(), s, sent));
        if (tool::standard_output.closed()) break;
        if (!tool::standard_error.empty()) {
            shown.clear();
            tool::standard_error.flush();
        }
        shown.step();
    }
    shown.clear();
    if (sent.tell_unmatched(s) && s.strict) worst = (std::max)(worst, tool::problems);
    return worst;
}

// Whatever asks for memory that there is not, on whichever thread, ends the command with a message.
[[noreturn]] void out_of_memory() {
    tool::unfinished_file::remove();
    static_cast<void>(std::fputs("wlfmt: error: there is not enough memory\n", stderr));
    std::_Exit(tool::unusable);
}

}  // namespace

int main(int count, char** arguments) {
#if defined(SIGPIPE)
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
#endif
#if defined(_WIN32)
    // Line ends are part of the formats: text mode would change them.
    static_cast<void>(_setmode(_fileno(stdin), _O_BINARY));
    static_cast<void>(_setmode(_fileno(stdout), _O_BINARY));
#endif
    tool::unfinished_file::watch_signals();
    static_cast<void>(std::set_new_handler(out_of_memory));
    const int status = run(count, arguments);
    tool::standard_output.flush();
    tool::standard_error.flush();
    if (tool::standard_output.closed()) return tool::nobody_reads;
    if (!tool::standard_output.failed()) return status;
    tool::standard_error.append("wlfmt: writing the output failed\n");
    tool::standard_error.flush();
    return tool::unusable;
}
