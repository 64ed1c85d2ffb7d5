// The commands that sum up and draw the op logs of a run, and workload files and tables beside them.
#include "merge.hpp"
#include "plot.hpp"
#include "summary.hpp"
#include "timeline.hpp"
