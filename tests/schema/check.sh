#!/bin/sh
# What `wlfmt json` prints is valid under docs/interchange.schema.json. usage: check.sh ROOT WLFMT
set -u
root=$1 wlfmt=$2
failed=0
# Debian's package is for Debian's Python.
python=python3
"$python" -c 'import jsonschema' 2> /dev/null || python=/usr/bin/python3
command -v "$python" > /dev/null || exit 77
for kind in oplog workload table; do
    for file in "$root"/tests/data/"$kind"/*.txt "$root"/tests/data/"$kind"_*.txt "$root"/tests/data/profiler_"$kind"_*.txt; do
        [ -f "$file" ] && "$wlfmt" json --kind="$kind" "$file" 2> /dev/null
    done | "$python" "$root/tests/schema/check.py" "$root/docs/interchange.schema.json"
    status=$?
    [ $status -eq 77 ] && exit 77
    [ $status -eq 0 ] || { echo "$kind"; failed=1; }
done
exit $failed
