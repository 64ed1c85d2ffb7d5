#!/bin/sh
# Builds the benchmarks for the baseline processor and for x86-64-v2, and prints how wlfmt does against its goals with
# both, and the instructions that it and its peers take. Options go to the program that holds it against the goals:
# --markdown, --enforce, --large, --rounds=N.
# CXX chooses the compiler, BUILD the folder. WLFMT_BENCH_FILES: a folder with real files to read too.
# usage: benchmarks/run.sh [OPTION...]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build/benchmarks-$(basename "${CXX:-c++}")}
cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DWLFMT_BUILD_TESTS=OFF -DWLFMT_BUILD_TOOLS=OFF \
    -DWLFMT_BUILD_FUZZ=OFF ${CXX:+-DCMAKE_CXX_COMPILER="$CXX"} > /dev/null
status=0
for suffix in '' _v2; do
    # Only x86-64 has two.
    cmake --build "$build" --target help 2> /dev/null | grep -qw "wlfmt_bench_ratios$suffix" || continue
    for program in ratios instructions; do
        log=$build/$program$suffix.log
        cmake --build "$build" --parallel --target "wlfmt_bench_$program$suffix" > "$log" || { cat "$log"; exit 1; }
    done
    "$build/benchmarks/wlfmt_bench_ratios$suffix" "$@" || status=1
    echo
    "$root/benchmarks/instructions.sh" --peers --program="$build/benchmarks/wlfmt_bench_instructions$suffix"
    echo
done
exit $status
