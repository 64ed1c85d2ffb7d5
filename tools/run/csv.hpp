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

// What is not known is an empty field. Which limit a number is says the row's last field.
inline void put_number(csv_output& to, const bounded& v) {
    v.is_known() ? to.value(wlfmt::number(v.number())) : to.nothing();
}
inline void write_csv(csv_output& to, const std::vector<wlfmt::oplog::wait_answer>& waits) {
    to.names(false, {"late_rank", "waiting_rank", "group", "waiting_ms", "limit"});
    to.end();
    for (const wlfmt::oplog::wait_answer& one : waits) {
        to.value(wlfmt::number(one.late));
        to.value(wlfmt::number(one.waiting));
        to.text(one.group);
        put_number(to, one.time);
        one.time.is_exact() ? to.nothing() : to.text(name_of(one.time.what()));
        to.end();
    }
}
inline void write_csv(csv_output& to, const std::vector<wlfmt::oplog::bandwidth_answer>& rows) {
    to.names(false, {"group", "function", "ranks", "where", "size_bytes", "calls", "bytes", "transfer_ms",
                     "median_transfer_ms", "least_transfer_ms", "algorithm_gb_per_s", "bus_gb_per_s", "limit"});
    to.end();
    for (const wlfmt::oplog::bandwidth_answer& one : rows) {
        to.text(one.group);
        to.text(one.function);
        to.value(wlfmt::number(one.ranks));
        to.text(word_of(one.where));
        one.size >= 0 ? to.value(wlfmt::number(one.size)) : to.nothing();
        for (const bounded& v :
             {one.calls, one.bytes, one.transfer, one.median_transfer, one.least_transfer, one.algorithm, one.bus})
            put_number(to, v);
        // Of its calls, bytes and time: the rest are those of the calls that are known.
        one.calls.is_exact() ? to.nothing() : to.text(name_of(one.calls.what()));
        to.end();
    }
}

// The files are one run.
inline exit_status csv_of_answers(const settings& s) {
    const files_of_run files(s, run_use::together);
    wlfmt::oplog::summary sums(std::vector<wlfmt::oplog::dimension>(), wlfmt::oplog::summary::keep::calls);
    bool any = false;
    const exit_status read =
        for_each_file(files.paths(), s, [&](input& from, wlfmt::file_format kind, report& r, std::size_t) {
            if (kind != wlfmt::file_format::oplog)
                return r.error(std::string_view(), "only op logs say who waits, and how fast bytes move");
            any = true;
            sums.begin_text(from.name());
            for_each_operation(from, s, r,
                               [&](const wlfmt::oplog::operation& op, const wlfmt::oplog::stream&) { sums.add(op); });
            sums.end_text();
        });
    const exit_status status = (std::max)(files.status(), read);
    if (!any) return status;
    const wlfmt::oplog::run_answers a = wlfmt::oplog::answers_of(sums);
    csv_output to(standard_output, s.csv_style);
    if (s.of == rows_of::waits) write_csv(to, a.waits);
    else write_csv(to, a.bandwidth);
    // Writing fails only if the output fails, which is reported once, at the end.
    static_cast<void>(to.finish());
    if (a.together) return status;
    standard_error.append(
        "wlfmt: error: who waits and how fast bytes move is not known: the ranks were not traced together\n");
    return (std::max)(status, problems);
}

}  // namespace tool

#endif
