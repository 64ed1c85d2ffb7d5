#!/bin/sh
# Measures what docs/performance.md shows: instructions and mispredictions with GCC and Clang, and times of wlfmt and
# its peers in turn, with both, at -O2. Prints the tables; with --document, writes them into the document. Takes a quarter
# of an hour, on a machine that should have nothing else to do.
#   --document       write the tables of docs/performance.md
#   --goals          instead: how wlfmt does against the goals that it was built for, with the first compiler
#   --quick          a round of small inputs, to see that everything works
# COMPILERS: the compilers (g++ clang++). SIMDJSON: the source folder of another simdjson than the system's, to compare
# with as well. BUILD: the folder for everything that is built and measured. WLFMT_BENCH_FILES: real files to read too.
# usage: benchmarks/run.sh [--document | --goals] [--quick]
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build/benchmarks}
compilers=${COMPILERS:-g++ clang++}
document='' goals='' size='' few=''
for option in "$@"; do
    case $option in
    --document) document=$root/docs/performance.md ;;
    --goals) goals=1 ;;
    --quick) size='--rounds=1 --size=1' few='oplog_read workload_write' ;;
    *) sed -n '/^# *usage/s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
results=$build/results
rm -rf "$results"
mkdir -p "$results"

# make NAME COMPILER FLAGS PROGRAM [CMAKE_OPTION...]: builds a program of the benchmarks with the flags.
make() {
    folder=$build/$1 compiler=$2 flags=$3 program=wlfmt_bench_$4
    shift 4
    {
        cmake -S "$root" -B "$folder" -DCMAKE_BUILD_TYPE=Release -DWLFMT_BUILD_BENCHMARKS=ON \
            -DWLFMT_BUILD_TOOLS=OFF "-DCMAKE_CXX_COMPILER=$compiler" "-DWLFMT_BENCH_OPTIMISE=$flags" "$@" &&
            cmake --build "$folder" --parallel --target "$program"
    } > "$folder.log" 2>&1 || { cat "$folder.log"; exit 1; }
}

if [ -n "$goals" ]; then
    make goals "${compilers%% *}" -O2 ratios
    # shellcheck disable=SC2086  # the options are words
    exec "$build/goals/benchmarks/wlfmt_bench_ratios" --markdown $size
fi

for compiler in $compilers; do
    "$compiler" --version | head -n 1 > "$results/$compiler.version"
    echo "$compiler" >&2
    make "$compiler-o2" "$compiler" -O2 ratios
    # shellcheck disable=SC2086
    "$build/$compiler-o2/benchmarks/wlfmt_bench_ratios" --ranges $size > "$results/$compiler.ranges"
    if [ -n "${SIMDJSON:-}" ]; then
        make "$compiler-simdjson" "$compiler" -O2 ratios "-DWLFMT_BENCH_SIMDJSON=$SIMDJSON"
        # shellcheck disable=SC2086
        "$build/$compiler-simdjson/benchmarks/wlfmt_bench_ratios" --ranges --only=oplog_read $size |
            grep simdjson >> "$results/$compiler.ranges"
    fi
    make "$compiler-o2" "$compiler" -O2 instructions
    # shellcheck disable=SC2086
    "$root/benchmarks/instructions.sh" --peers --branches "--program=$build/$compiler-o2/benchmarks/wlfmt_bench_instructions" $few \
        > "$results/$compiler.instructions"
done
# The machine, for the reader of the tables.
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1 > "$results/processor"
nproc > "$results/processors"

python3 "$root/benchmarks/tables.py" "$results" $compilers ${document:+"$document"}
