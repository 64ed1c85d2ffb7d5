#!/bin/sh
# Runs fuzz targets, each for a number of seconds, with its dictionary, its options file and its seeds.
# New inputs go to BUILD/fuzz/found/TARGET, so that the committed seeds stay as they are.
# WLFMT_FUZZ_FLAGS: further flags for libFuzzer
# usage: fuzz/run.sh BUILD SECONDS [TARGET...]
# BUILD: a build folder configured with -DWLFMT_LIBFUZZER=ON, or what oss-fuzz/build.sh has built
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
seconds=$2
shift 2
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.cpp | sed 's|^\./||; s|\.cpp$||' | grep -vx -e replay -e mutations)

# The `key = value` lines of an options file as libFuzzer's flags; the dictionary's name is relative to it.
flags() { sed -n "s|^dict *= *|-dict=$here/|p; /^dict/d; s|^\([a-z_]*\) *= *|-\1=|p" "$1"; }

# The folders of a target's seeds: its own and, for the target that takes the readers' inputs, theirs.
seeds() {
    echo "$here/corpus/$1"
    [ "$1" != differential ] || echo "$here/corpus/oplog $here/corpus/table $here/corpus/workload"
}

status=0
for target in "$@"; do
    found="$build/fuzz/found/$target"
    mkdir -p "$found"
    log="$build/fuzz/$target.log"
    program="$build/fuzz/wlfmt_fuzz_$target"
    [ -x "$program" ] || program="$build/wlfmt_$target"
    # shellcheck disable=SC2046  # the flags are words
    if "$program" $(flags "$here/$target.options") ${WLFMT_FUZZ_FLAGS:-} -max_total_time="$seconds" -timeout=10 \
        -print_final_stats=1 -artifact_prefix="$build/fuzz/$target-" "$found" $(seeds "$target") \
        > "$log" 2>&1; then
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions," \
            "$(grep -o 'cov: [0-9]*' "$log" | tail -n 1), no finding"
    else
        tail -n 40 "$log"
        echo "$target: a finding, see $log"
        status=1
    fi
done
exit $status
