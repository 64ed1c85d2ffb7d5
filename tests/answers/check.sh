#!/bin/sh
# What `wlfmt summary` says of runs is what a program without wlfmt computes from the same logs, and what the runs were
# made to be. Skipped (77) without Python. usage: check.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$2 work=$3
command -v python3 > /dev/null || { echo 'no Python'; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
rm -rf "$work"
mkdir -p "$work"
python3 "$root/tests/answers/make_runs.py" "$work" || exit 1
failed=0 count=0
for truth in "$work"/*.json; do
    count=$((count + 1))
    python3 "$root/tests/answers/compute.py" "$wlfmt" "${truth%.json}" "$truth" > "$work/out" || { cat "$work/out"; failed=1; }
done
# Real runs, where they are beside the checkout.
for run in "$root"/../shared/runs/*/; do
    [ -d "$run" ] || continue
    count=$((count + 1))
    python3 "$root/tests/answers/compute.py" "$wlfmt" "${run%/}" > "$work/out" || { cat "$work/out"; failed=1; }
done
[ $count -ge 9 ] || { echo "only $count runs"; failed=1; }
# The lines of the single files add up to the answers of the run, in any order.
for run in "$work"/*/; do
    "$wlfmt" summary --json "$run" | sed 's/^{"name":"[^"]*",//' > "$work/whole"
    "$wlfmt" summary --partial --per-file "$run" | sort -r | "$wlfmt" merge --json - | sed 's/^{"name":"[^"]*",//' > "$work/merged"
    cmp "$work/whole" "$work/merged" || failed=1
done
# The shares of tables.
python3 "$root/tests/answers/tables.py" "$wlfmt" "$root/tests/data/profiler_table_moe_train_step.txt" || failed=1
# Markdown: a table for each grid, with its rule, and no cell that ends one.
"$wlfmt" summary --markdown "$work/slow_rank" > "$work/markdown"
for expected in '^## 6 files: rank op log' '^- slowest rank: 3 (stage 1)' '^|---|---:|' '^| rank | stage |' \
    '^| all 6 |' '^| forward\\_step |'; do
    grep -q -- "$expected" "$work/markdown" || { echo "no \"$expected\" in Markdown"; cat "$work/markdown"; failed=1; }
done
! grep -q '^ ' "$work/markdown" || { echo 'a line of Markdown begins with a blank'; failed=1; }
echo "$count runs"
exit $failed
