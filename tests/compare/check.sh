#!/bin/sh
# What `wlfmt diff` says of profiler tables, workload files and runs, and `wlfmt summary` of workload files, is what a
# program without wlfmt computes from the same files.
# Skipped (77) without Python. usage: check.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$2 work=$3
command -v python3 > /dev/null || { echo 'no Python'; exit 77; }
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
export PYTHONDONTWRITEBYTECODE=1
python3 "$root/tests/answers/make_runs.py" "$work" || exit 1
(cd "$work" && python3 "$root/tests/compare/runs.py" "$wlfmt" even slow_rank exchanging experts slow_stage overlapping) || exit 1
# The blocks of a workload file have all its layers, each as many times as it is there, and all they compute and send.
for file in "$root"/tests/data/workload_*.txt "$root"/tests/data/workload/*.txt; do
    "$wlfmt" summary --json --kind=workload "$file" 2> /dev/null | python3 -c '
import json, sys
for s in map(json.loads, sys.stdin):
    assert sum(b["times"] * len(b["layers"]) for b in s["blocks"]) == s["layers"], s["name"]
    for phase in "forward", "input_grad", "weight_grad":
        for blocks, whole in (("compute", s["compute"][phase]), ("bytes", sum(b[phase] for b in s["bytes"]))):
            found = sum(b[blocks][phase] for b in s["blocks"])
            assert abs(found - whole) <= 1e-6 * abs(whole), (s["name"], phase, blocks, found, whole)' || exit 1
done
python3 "$root/tests/compare/facts.py" "$wlfmt" "$work/facts" || exit 1
(cd "$root/tests/data/workload" && python3 "$root/tests/compare/workloads.py" "$wlfmt" "$work/workloads" \
    ../workload_moe_128gpus.txt ../workload_dense_1024gpus.txt aicb.txt blanks.txt checkpoints.txt collectives.txt customized.txt \
    decimal_times.txt dlrm.txt names.txt fork_policy.txt more_layers.txt) || exit 1
cd "$root/tests/data/table" && python3 "$root/tests/compare/tables.py" "$wlfmt" "$work/tables" ../profiler_table_moe_train_step.txt \
    cut_off.txt flops.txt pytorch_1_3.txt pytorch_1_0.txt devices.txt memory.txt shapes.txt small.txt plain.txt
