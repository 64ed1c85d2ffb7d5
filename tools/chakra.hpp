// chakra: writes Chakra execution traces of a workload file or of a run's op logs, one file per rank.
#ifndef WLFMT_TOOLS_CHAKRA_HPP
#define WLFMT_TOOLS_CHAKRA_HPP

#if !defined(__cpp_exceptions) && !defined(_CPPUNWIND)
#define WLFMT_TOOLS_NO_CHAKRA "compiled without exceptions"
#elif !__has_include(<protozero/pbf_writer.hpp>)
#define WLFMT_TOOLS_NO_CHAKRA "built without protozero (Debian: libprotozero-dev)"
#else
#include "analysis/chakra/chakra.hpp"

#include "chakra/check.hpp"
#include "chakra/run.hpp"
#include "chakra/show.hpp"
#include "chakra/structure.hpp"
#include "chakra/workload.hpp"
#endif
#include "command_line/settings.hpp"
#include "input/files.hpp"
#include "input/input.hpp"
#include "output/output.hpp"
#include "output/problems.hpp"

namespace tool {

#if defined(WLFMT_TOOLS_NO_CHAKRA)

exit_status do_chakra(const settings&) {
    say("wlfmt", {"this program was " WLFMT_TOOLS_NO_CHAKRA ", which Chakra traces need"});
    return unusable;
}

#else

exit_status do_chakra(const settings& s) {
    if (s.check || s.show) {
        const char* const option = meaningless_option(s, traced::simulation);
        const auto is_trace = [](std::string_view file) { return has_ending(file, ".et"); };
        const bool are_traces = std::all_of(s.files.begin(), s.files.end(), is_trace);
        if (option == nullptr && s.show && are_traces) return trace_view(s).execute();
        if (option == nullptr && s.check && are_traces) return structure_check(s).execute();
        if (option == nullptr && s.check && s.files.size() == 1) return check_simulation(s);
        say("wlfmt",
            {s.show
                 ? "--show takes traces, FILE.et"
                 : "--check takes one log, and -o PREFIX if that is not what the log is called; or traces, FILE.et"});
        return unusable;
    }
    const files_of_run files(s, run_use::together);
    const path_list& paths = files.paths();
    stray_files strays;
    std::size_t n = 0;
    for (; n != paths.size(); ++n) {
        const std::string path = paths[n];
        input first(path.c_str());
        if (report_unreadable(first)) return unusable;
        if (strays.take(paths, n, first, s)) continue;
        report r(first.name(), s);
        const wlfmt::file_format kind = format_of(first, s, r);
        exit_status status = problems;
        if (kind == wlfmt::file_format::oplog) {
            const char* const option = meaningless_option(s, traced::logs);
            if (option != nullptr) r.error({option, " means nothing for op logs"});
            else status = run_tracer(s, paths, strays).trace(first, n);
        } else if (kind == wlfmt::file_format::table) {
            r.error({"a profiler table makes no trace"});
        } else if (kind == wlfmt::file_format::workload && paths.size() != 1) {
            say("wlfmt", {"give one workload file: each has traces of its own, at its own -o PREFIX"});
            status = unusable;
        } else if (kind == wlfmt::file_format::workload) {
            status = chakra_of_workload(first, path, s, r);
        }
        return (std::max)({status, files.status(), strays.report(s, false)});
    }
    return (std::max)(files.status(), strays.report(s, true));
}

#endif

}  // namespace tool

#endif
