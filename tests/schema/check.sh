#!/bin/sh
# What `wlfmt json` prints is valid under docs/interchange.schema.json, what `wlfmt summary --json` prints of workload
# files and tables under docs/summary.schema.json, and what `wlfmt diff --json` prints under docs/diff.schema.json.
# usage: check.sh ROOT WLFMT
set -u
root=$1 wlfmt=$2
failed=0
# Debian's package is for Debian's Python.
python=python3
"$python" -c 'import jsonschema' 2> /dev/null || python=/usr/bin/python3
command -v "$python" > /dev/null || exit 77
check() { # check KIND SCHEMA COMMAND...
    kind=$1 schema=$2
    shift 2
    for file in "$root"/tests/data/"$kind"/*.txt "$root"/tests/data/"$kind"_*.txt "$root"/tests/data/profiler_"$kind"_*.txt; do
        [ -f "$file" ] && "$wlfmt" "$@" --kind="$kind" "$file" 2> /dev/null
    done | "$python" "$root/tests/schema/check.py" "$root/docs/$schema.schema.json"
    status=$?
    [ $status -eq 77 ] && exit 77
    [ $status -eq 0 ] || { echo "$* of $kind"; failed=1; }
}
for kind in oplog workload table; do check $kind interchange json; done
# So is what the cases of conformance/ are read as, and what they write.
"$python" "$root/tests/schema/cases.py" "$root" | "$python" "$root/tests/schema/check.py" "$root/docs/interchange.schema.json" ||
    { echo 'the cases of conformance/'; failed=1; }
for kind in workload table; do check $kind summary summary --json; done
check table diff diff --json "$root/tests/data/table/devices.txt"
check workload diff diff --json "$root/tests/data/workload_moe_128gpus.txt"
check workload diff diff --json "$root/tests/data/workload/collectives.txt"
check oplog diff diff --json "$root/tests/data/oplog_rank7_pipeline_last_stage.txt"
check table diff diff --json --by=row "$root/tests/data/table/devices.txt"
# Sums that no double holds are null: JSON has no infinity.
work=$(mktemp -d)
layer='x	-1	1e308	NONE	0	1	NONE	0	1	NONE	0	1'
printf 'DATA\n2\n%s\n%s\n' "$layer" "$layer" > "$work/large.workload"
"$wlfmt" summary --json "$work/large.workload" | "$python" "$root/tests/schema/check.py" "$root/docs/summary.schema.json" &&
    "$wlfmt" diff --json "$work/large.workload" "$root/tests/data/workload_moe_128gpus.txt" 2> /dev/null |
    "$python" "$root/tests/schema/check.py" "$root/docs/diff.schema.json" || { echo "sums beyond a double"; failed=1; }
# As text they are told.
"$wlfmt" summary "$work/large.workload" | grep -q '^  forward  *over 1.8e308  *-$' &&
    "$wlfmt" diff "$work/large.workload" "$root/tests/data/workload_moe_128gpus.txt" 2> /dev/null |
    grep -q '^compute: over 1.8e308 -> [0-9]* ticks, below -1.8e308$' || { echo "sums beyond a double as text"; failed=1; }
rm -r "$work"
exit $failed
