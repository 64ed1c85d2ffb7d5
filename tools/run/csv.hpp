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

void write_csv(csv_output& output, const std::vector<wlfmt::analysis::wait_answer>& waits);
void write_csv(csv_output& output, const std::vector<wlfmt::analysis::bandwidth_answer>& rows);

// Treats all files as files of one run.
exit_status csv_of_answers(const settings& s);

}  // namespace tool

#endif
