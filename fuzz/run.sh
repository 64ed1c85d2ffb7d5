#!/bin/sh
# Runs fuzz targets, each for a number of seconds, with its dictionary, its options file and its seeds. With `fixed` in
# place of the number, each has the executions that executions.txt says, the same on every machine and every time.
# Seeds are unpacked to BUILD/fuzz/corpus/TARGET, and new inputs go to BUILD/fuzz/found/TARGET.
# WLFMT_FUZZ_FLAGS: further flags for libFuzzer
# usage: fuzz/run.sh BUILD SECONDS|fixed [TARGET...]
# BUILD: a build folder configured with -DWLFMT_LIBFUZZER=ON, or what oss-fuzz/build.sh has built
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
amount=$2
shift 2
[ $# -gt 0 ] || set -- $(cd "$here" && ls ./*.cpp | sed 's|^\./||; s|\.cpp$||' | grep -vx -e replay -e mutations)

# The `key = value` lines of an options file as libFuzzer's flags; the dictionary's name is relative to it.
flags() { sed -n "s|^dict *= *|-dict=$here/|p; /^dict/d; s|^\([a-z_]*\) *= *|-\1=|p" "$1"; }

# The folders of a target's seeds: its own and, for the target that takes the readers' inputs, theirs.
seeds() {
    echo "$corpus/$1"
    [ "$1" != differential ] || echo "$corpus/oplog $corpus/table $corpus/workload"
}

# The arguments that say how long a target runs, and on which inputs. What would make two executions differ is left out
# with `fixed`: inputs that were found before, the order in which a folder lists its files, new inputs that are read
# again each second, and operands of comparisons, as some are addresses.
inputs() {
    if [ "$amount" = fixed ]; then
        rm -rf "$2"
        mkdir -p "$2"
        find "$corpus/$1" -type f | LC_ALL=C sort > "$2.seeds"
        paste -s -d , "$2.seeds" | tr -d '\n' > "$2.list"
        more=$(sed -n "s/^$1 //p" "$here/executions.txt")
        echo "-seed=1 -reload=0 -use_cmp=0 -runs=$((more + $(wc -l < "$2.seeds"))) -seed_inputs=@$2.list $2"
    else
        echo "-max_total_time=$amount $2 $(seeds "$1")"
    fi
}

corpus=$build/fuzz/corpus
status=0
for target in "$@"; do
    # shellcheck disable=SC2046  # the targets are words
    "$here/seeds.sh" unpack "$corpus" $(seeds "$target" | tr ' ' '\n' | sed 's|.*/||')
    found="$build/fuzz/found/$target"
    mkdir -p "$found"
    log="$build/fuzz/$target.log"
    program="$build/fuzz/wlfmt_fuzz_$target"
    [ -x "$program" ] || program="$build/wlfmt_$target"
    [ -x "$program" ] || program="$build/fuzz/wlfmt_fuzz_united"
    # shellcheck disable=SC2046  # the flags are words
    if WLFMT_FUZZ_TARGET=$target "$program" $(flags "$here/$target.options") ${WLFMT_FUZZ_FLAGS:-} -timeout=10 \
        -print_final_stats=1 -artifact_prefix="$build/fuzz/$target-" $(inputs "$target" "$found") \
        > "$log" 2>&1; then
        echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions," \
            "$(grep -o 'cov: .* exec' "$log" | tail -n 1 | sed 's/ exec$//'), no finding"
    else
        tail -n 40 "$log"
        echo "$target: a finding, see $log"
        status=1
    fi
done
exit $status
