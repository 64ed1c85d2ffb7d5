// The second source of the command, besides main.cpp: comparisons, reports, timelines, pictures, traces for simulators.

#include "speed.hpp"

#include "chakra.hpp"
#include "diff.hpp"
#include "plot.hpp"
#include "report.hpp"
#include "timeline.hpp"
