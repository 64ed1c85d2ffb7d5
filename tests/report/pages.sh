#!/bin/sh
# Writes a page of each kind, NAME.html in the work folder.
# usage: pages.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
export PYTHONDONTWRITEBYTECODE=1
rm -rf "$work"
mkdir -p "$work"
cd "$work"
data=$root/tests/data
python3 "$root/tests/answers/make_runs.py" runs
python3 "$root/tests/report/sized_runs.py" runs 72
# page NAME FILE...: status 1 says that something is missing, which the page says, too.
page() {
    name=$1
    shift
    "$wlfmt" report "$@" -o "$name.html" 2> message.txt || [ $? -eq 1 ] || { cat message.txt; exit 1; }
}
page run runs/slow_rank
page experts runs/experts
page apart runs/separate
page many_ranks runs/ranks72
page one_rank "$data/oplog_rank7_moe_simulation.txt"
# A run without some of its records and one of its ranks, and with a line that is cut off.
cp -r runs/slow_stage runs/damaged
for log in runs/damaged/*; do awk 'FNR % 5 != 2' "$log" > log.txt && mv log.txt "$log"; done
rm runs/damaged/*_rank1_*
head -c 500 "$(ls runs/slow_stage/* | head -n 1)" >> "$(ls runs/damaged/* | head -n 1)"
page damaged runs/damaged
page workload_dense "$data/workload_dense_1024gpus.txt"
page workload_moe "$data/workload_moe_128gpus.txt"
table=$data/profiler_table_moe_train_step.txt
page table "$table"
cut -c 1-160 "$table" > cut_table.txt
page cut_table cut_table.txt
sed 's/cudaEventCreateWithFlags/cudaEventCreateWithFlagz/' "$table" > other_table.txt
page compared_runs runs/even runs/slow_rank
page compared_layouts runs/even runs/experts
page compared_tables "$table" other_table.txt
