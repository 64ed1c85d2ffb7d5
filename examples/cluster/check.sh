#!/bin/sh
# The cluster examples print what one process prints; engines that are not installed are left out, and where none is,
# the test is skipped (77). The Slurm script is run as its scheduler would run it.
# usage: check.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work/run"
for rank in 0 1 2 3 4 5 6; do
    sed "s/^rank:7:/rank:$rank:/" "$root/tests/data/oplog_rank7_pipeline_last_stage.txt" > "$work/run/wd7_rank$rank.txt"
done
"$wlfmt" summary --partial "$work"/run/*.txt > "$work/whole" || exit 1
failed=0
same() { cmp "$work/whole" "$work/$1" || { echo "$1: another summary than that of one process"; failed=1; }; }

for task in 0 1 2; do
    WLFMT=$wlfmt SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 \
        sh "$root/examples/cluster/slurm.sh" part "$work/run" "$work/lines" 2> /dev/null
done
WLFMT=$wlfmt sh "$root/examples/cluster/slurm.sh" merge "$work/run" "$work/lines" > "$work/slurm"
same slurm

if command -v mpic++ > /dev/null && command -v mpirun > /dev/null; then
    mpic++ -std=c++17 -O1 -I"$root/include" "$root/examples/cluster/mpi.cpp" -o "$work/summary_mpi" || exit 1
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        mpirun --oversubscribe -n 4 "$work/summary_mpi" "$work"/run/*.txt > "$work/mpi" || failed=1
    same mpi
else
    echo 'no MPI'
fi
if /usr/bin/python3 -c 'import distributed' 2> /dev/null; then
    /usr/bin/python3 "$root/examples/cluster/dask_summary.py" "$wlfmt" "$work"/run/*.txt > "$work/dask" 2> /dev/null
    same dask
else
    echo 'no Dask'
fi
exit $failed
