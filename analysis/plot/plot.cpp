#include "plot.hpp"

#include "files.hpp"
#include "run.hpp"

namespace wlfmt::analysis::plot {

static_assert(max_lanes == max_plot_lanes && max_rows == max_plot_rows && max_map_rows == analysis::max_map_rows);

void write(output& to, const run_answers& answers, std::string_view title) { to.append(picture_of(answers, title)); }
void write(output& to, const workload::document& doc, std::string_view title) { to.append(picture_of(doc, title)); }
void write(output& to, const table::profile& table, std::string_view title) { to.append(picture_of(table, title)); }

}  // namespace wlfmt::analysis::plot
