#!/bin/sh
# Builds the benchmarks for the baseline processor and for x86-64-v2, and prints how wlfmt does against its goals with
# both, and the instructions that it takes. Options go to the program: --markdown, --enforce, --large, --rounds=N.
# CXX chooses the compiler, BUILD the folder. WLFMT_BENCH_FILES: a folder with real files to read too.
# usage: benchmarks/run.sh [OPTION...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build/benchmarks-$(basename "${CXX:-c++}")}
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DWLFMT_BUILD_TESTS=OFF -DWLFMT_BUILD_TOOLS=OFF \
    -DWLFMT_BUILD_FUZZ=OFF ${CXX:+-DCMAKE_CXX_COMPILER="$CXX"} > /dev/null
for ratios in wlfmt_bench_ratios wlfmt_bench_ratios_v2; do
    # Only x86-64 has two.
    cmake --build "$build" --parallel --target help 2> /dev/null | grep -qw "$ratios" || continue
    cmake --build "$build" --parallel --target "$ratios" > "$build/$ratios.log" || { cat "$build/$ratios.log"; exit 1; }
done
status=0
for ratios in "$build"/benchmarks/wlfmt_bench_ratios "$build"/benchmarks/wlfmt_bench_ratios_v2; do
    [ -x "$ratios" ] || continue
    "$ratios" "$@" || status=1
    "$ratios" --instructions "$@"
    echo
done
exit $status
