#!/bin/sh
# One summary of a run's op logs by a Slurm job array: task n of N reads every N-th file, and a job that waits for all of
# them merges their lines.
#
#     array=$(sbatch --parsable --array=0-63 examples/cluster/slurm.sh part RUN LINES)
#     sbatch --dependency=afterany:"$array" examples/cluster/slurm.sh merge RUN LINES
#
# RUN is the folder of the rank files, LINES one for the tasks' lines, both on a file system that all nodes see. Without
# Slurm the tasks are run by hand, with SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT set.
set -eu
wlfmt=${WLFMT:-wlfmt}
what=$1 run=$2 lines=$3
case $what in
part)
    mkdir -p "$lines"
    set --
    n=0
    for file in "$run"/*; do
        [ $((n % SLURM_ARRAY_TASK_COUNT)) -ne "$SLURM_ARRAY_TASK_ID" ] || set -- "$@" "$file"
        n=$((n + 1))
    done
    [ $# -gt 0 ] || exit 0
    # Written elsewhere first: a task that was killed leaves no half line.
    status=0
    "$wlfmt" summary --partial "$@" > "$lines/$SLURM_ARRAY_TASK_ID.tmp" || status=$?
    mv "$lines/$SLURM_ARRAY_TASK_ID.tmp" "$lines/$SLURM_ARRAY_TASK_ID.json"
    exit $status
    ;;
merge) cat "$lines"/*.json | "$wlfmt" merge --partial - ;;
*) exit 2 ;;
esac
