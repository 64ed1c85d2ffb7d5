#!/bin/sh
# The command uses no byte of memory that was never written, whatever it reads: the seeds of the fuzz targets, and what is
# in tests/data. usage: memcheck.sh ROOT WLFMT WORK_FOLDER. Exits with 77 where there is no valgrind.
set -u
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
command -v valgrind > /dev/null || { echo 'no valgrind here'; exit 77; }
command -v cmake > /dev/null || { echo 'no CMake here, which unpacks the seeds'; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
data=$root/tests/data corpus=corpus
"$root/fuzz/seeds.sh" unpack corpus oplog workload table || exit 1
failed=0
has_json=1
"$wlfmt" from-json nowhere.txt 2>&1 | grep -q 'not in this build' && has_json=0

# check STATUS COMMAND...: what the command prints goes to the file `out`. Where memory was allocated is not noted, which
# takes a tenth of the time.
check() {
    expected=$1
    shift
    valgrind --quiet --error-exitcode=99 --keep-stacktraces=none "$wlfmt" "$@" > out 2> err
    status=$?
    [ $status = "$expected" ] && return
    echo "wlfmt $1: exit status $status instead of $expected"
    grep '^==' err | head -n 20
    failed=1
}

set -- "$corpus"/oplog/* "$corpus"/workload/* "$corpus"/table/* "$data"/*.txt
check 1 check "$@"
check 1 csv "$@"
check 1 csv --of=sub-operations "$@"
check 1 json "$@"
# A file of each format, as valgrind takes a second to start.
for file in "$data"/oplog_rank7_pipeline*.txt "$data"/profiler*.txt "$data"/workload_dense*.txt; do
    check 0 format "$file"
    check 0 json "$file"
    mv out one.json
    [ $has_json = 0 ] || check 0 from-json one.json
done
# Both logs are of one rank.
check 1 summary --json "$data"/oplog*.txt
check 0 diff "$data"/profiler*.txt "$data"/profiler*.txt
exit $failed
