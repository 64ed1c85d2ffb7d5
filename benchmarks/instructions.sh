#!/bin/sh
# Counts the instructions a byte that each task takes, with callgrind: figures that do not depend on what else the
# machine does. A way is run a few times and many times; the difference is the work alone, without the set-up.
#
# The input is 64 KB of `random`: the lines of the sample files with every number redrawn, so that no line comes twice.
# Its numbers have a fixed seed: every time, and every version of the library, gets the same bytes. In
# 16 KB the beginning of a file is a large part of it: the header alone makes reading workloads 0.9 dearer.
#
#   --root=CHECKOUT     compile the library and the tasks of another checkout, to compare before and after
#   --program=FILE      count a program that was built already (the CMake target wlfmt_bench_instructions)
#   --peers             count the peers, too, and not only wlfmt's own ways
#   --branches          a second figure: branches that callgrind's predictor gets wrong, for 1,000 bytes
#   --kind=K --size=KB  another input: samples, random or odd
#   TASK...             only the tasks whose names begin so: oplog_read, table
# CXX and CXXFLAGS choose the compiler and its options (g++ and -O2).
# usage: benchmarks/instructions.sh [OPTION...] [TASK...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
program='' peers='' branches='' kind=random size=64 tasks=''
while [ $# -gt 0 ]; do
    case $1 in
    --root) root=$(cd "$2" && pwd); shift ;;
    --root=*) root=$(cd "${1#*=}" && pwd) ;;
    --program=*) program=${1#*=} ;;
    --peers) peers=1 ;;
    --branches) branches=--branch-sim=yes ;;
    --kind=*) kind=${1#*=} ;;
    --size=*) size=${1#*=} ;;
    -*) sed -n '/^# *usage/s/^# *//p' "$0" >&2; exit 2 ;;
    *) tasks="$tasks $1" ;;
    esac
    shift
done
command -v valgrind > /dev/null || { echo "valgrind is not installed: no instructions are counted"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# True if a task or its file is asked for; a file may hold tasks with longer names than its own.
wanted() {
    [ -n "$tasks" ] || return 0
    for t in $tasks; do
        case $1 in "$t"*) return 0 ;; esac
        [ "${2:-}" != file ] || case $t in "$1"*) return 0 ;; esac
    done
    return 1
}

# compile FILE < SOURCE: all files with the same options, as the linker keeps one copy of each inline function, from
# whichever file.
compile() {
    # The source is standard input, so that the headers beside the tasks count, not those beside the source.
    # shellcheck disable=SC2086  # the options are words
    "${CXX:-g++}" -std=c++17 -DNDEBUG "-I$root/include" "-I$(dirname "$root/benchmarks/$1")" \
        "-DWLFMT_BENCH_DATA=\"$here/../tests/data\"" "-DWLFMT_BENCH_PEERS=\"$here/peers\"" \
        ${CXXFLAGS:--O2} -x c++ -c - -o "$work/$(basename "$1" .cpp).o"
}

if [ -z "$program" ]; then
    program=$work/instructions
    compile instructions.cpp < "$here/instructions.cpp"
    # An older checkout does not have all of the peers.
    for file in bench inputs peers/script peers/split; do
        file=$file.cpp
        [ ! -e "$root/benchmarks/$file" ] || compile "$file" < "$root/benchmarks/$file"
    done
    libraries=''
    for task in oplog_read oplog_write workload_read workload_write table_read table_write; do
        wanted "$task" file || continue
        compile "$task.cpp" < "$root/benchmarks/$task.cpp"
        [ "$task" = oplog_read ] || continue
        compile peers/oplog_simdjson.cpp < "$root/benchmarks/peers/oplog_simdjson.cpp"
        libraries=-lsimdjson
    done
    "${CXX:-g++}" "$work"/*.o $libraries -o "$program"
fi

# count TASK WAY TIMES: instructions of the whole program and, with --branches, its mispredictions.
count() {
    # shellcheck disable=SC2086  # no option, or one
    valgrind --tool=callgrind --callgrind-out-file=/dev/null $branches "$program" "$1" "$2" "$kind" "$size" "$3" \
        > "$work/bytes" 2> "$work/log" || return 1
    awk '/Collected :/ { instructions = $4 } /Mispredicts:/ { gsub(",", ""); wrong = $3 } END { print instructions, wrong + 0 }' \
        "$work/log"
}

few=1
many=9
echo "instructions a byte${branches:+, mispredictions for 1,000 bytes}, $size KB of $kind:"
"$program" > "$work/ways"
tab=$(printf '\t')
while IFS=$tab read -r task way; do
    wanted "$task" || continue
    case $way in wlfmt*) ;; *) [ -n "$peers" ] || continue ;; esac
    if least=$(count "$task" "$way" "$few") && most=$(count "$task" "$way" "$many"); then
        echo "$least $most $(($(cat "$work/bytes") * (many - few)))" | awk -v task="$task" -v way="$way" -v branches="$branches" '{
            printf "%-22s %-30s %8.3f", task, way, ($3 - $1) / $5
            if (branches != "") printf " %8.2f", ($4 - $2) / $5 * 1000
            print ""
        }'
    else
        printf '%-22s %-30s %8s\n' "$task" "$way" -
    fi
done < "$work/ways"
