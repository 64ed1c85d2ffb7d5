// csv --of=waits and --of=bandwidth: what the op logs of a run say, a row for each pair of ranks, or for each size.
#ifndef WLFMT_TOOLS_RUN_CSV_HPP
#define WLFMT_TOOLS_RUN_CSV_HPP

#include <wlfmt/csv.hpp>

#include "../command_line/settings.hpp"
#include "../input/files.hpp"
#include "../input/input.hpp"
#include "../input/read.hpp"
#include "../output/json_print.hpp"
#include "../output/output.hpp"
#include "../output/problems.hpp"
#include "answers.hpp"

namespace tool {

using csv_output = wlfmt::csv::row_writer<stream>;

// Writes a number in three fields: the number if it is exact, and else its ends, as far as they are known.
inline void put_number(csv_output& row, const bounded& v) {
    const auto put = [&](bool is_known, double end) {
        is_known ? row.value(wlfmt::number(end)) : row.nothing();
    };
    put(v.is_exact(), v.at_least());
    put(!v.is_exact() && v.has_least(), v.at_least());
    put(!v.is_exact() && v.has_most(), v.at_most());
}
inline void write_csv(csv_output& output, const std::vector<wlfmt::analysis::wait_answer>& waits) {
    output.names(false, {"late_rank", "waiting_rank", "group", "waiting_ms", "waiting_ms_least", "waiting_ms_most"});
    output.end();
    for (const wlfmt::analysis::wait_answer& wait : waits) {
        output.value(wlfmt::number(wait.late));
        output.value(wlfmt::number(wait.waiting));
        output.text(wait.group);
        put_number(output, wait.time);
        output.end();
    }
}
inline void write_csv(csv_output& output, const std::vector<wlfmt::analysis::bandwidth_answer>& rows) {
    output.names(false, {"group", "function", "ranks", "where", "size_bytes"});
    for (const std::string_view name : {"calls", "bytes", "transfer_ms", "median_transfer_ms", "least_transfer_ms",
                                        "algorithm_gb_per_s", "bus_gb_per_s"})
        for (const std::string_view end : {"", "_least", "_most"}) output.text(joined({name, end}));
    output.end();
    for (const wlfmt::analysis::bandwidth_answer& answer : rows) {
        output.text(answer.group);
        output.text(answer.function);
        output.value(wlfmt::number(answer.ranks));
        output.text(word_of(answer.where));
        answer.size >= 0 ? output.value(wlfmt::number(answer.size)) : output.nothing();
        for (const bounded& v : {answer.calls, answer.bytes, answer.transfer, answer.median_transfer,
                                 answer.least_transfer, answer.algorithm, answer.bus})
            put_number(output, v);
        output.end();
    }
}

// Treats all files as files of one run.
inline exit_status csv_of_answers(const settings& s) {
    const files_of_run files(s, run_use::together);
    wlfmt::analysis::summary sums(std::vector<wlfmt::analysis::dimension>(), wlfmt::analysis::summary::keep::calls);
    bool any = false;
    const exit_status read =
        for_each_file(files.paths(), s, [&](input& from, wlfmt::file_format kind, report& r, std::size_t) {
            if (kind != wlfmt::file_format::oplog)
                return r.error(std::string_view(), "only op logs say who waits, and how fast bytes move");
            any = true;
            sums.begin_text(from.name());
            ranks_of_log ranks;
            for_each_operation(from, s, r, [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) {
                ranks.add(op);
                sums.add(op);
            });
            ranks.add_unread(sums, r);
            sums.end_text();
        });
    const exit_status status = (std::max)(files.status(), read);
    if (!any) return status;
    const wlfmt::analysis::run_answers a = wlfmt::analysis::answers_of(sums);
    csv_output output(standard_output, s.csv_style);
    if (s.csv_rows == rows_of::waits) write_csv(output, a.waits);
    else write_csv(output, a.bandwidth);
    // Writing fails only if the output fails, which is reported once, at the end.
    static_cast<void>(output.finish());
    if (a.together) return status;
    say("wlfmt", {"error: who waits and how fast bytes move is not known: the ranks were not traced together"});
    return (std::max)(status, problems);
}

}  // namespace tool

#endif
