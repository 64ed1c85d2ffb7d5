// Includes the code that has to be fast: it reads records, writes them as JSON and CSV, and sums them up. GCC compiles
// what follows this header, which prints and draws, with `Og`: compiling takes a tenth fewer instructions than with
// `Os`, and drawing and printing take up to 8 % more.
#ifndef WLFMT_TOOLS_SPEED_HPP
#define WLFMT_TOOLS_SPEED_HPP

#include <wlfmt/csv.hpp>
#include <wlfmt/json.hpp>
#include "analysis/answers/answers.hpp"
#include <wlfmt/oplog/run.hpp>
#include <wlfmt/oplog/stream.hpp>
#include "analysis/summary/summary.hpp"
#include <wlfmt/wlfmt.hpp>

#include "input/input.hpp"
#include "output/output.hpp"

#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#pragma GCC optimize("Og")
#endif

#endif
