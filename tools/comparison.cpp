// The commands that compare files and runs, and write pages about them.
#include "diff.hpp"
#include "report.hpp"
