#!/bin/sh
# One summary of a run's op logs by a Slurm job array: task n of N reads its share of the files, and a job that waits for
# all of them merges their lines.
#
#     array=$(sbatch --parsable --array=0-63 examples/cluster/slurm.sh part RUN LINES)
#     sbatch --dependency=afterany:"$array" examples/cluster/slurm.sh merge RUN LINES [RANKS]
#
# RUN is the folder of the rank files, LINES a new folder for the tasks' lines, both on a file system that all nodes see.
# Every task chooses among all files of the run, so that of repeated runs each rank's newest file counts, whichever tasks
# have the others. RANKS is how many ranks there are, where the names of the files do not say (wd8_...). Without Slurm
# the tasks are run by hand, with SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT set.
set -eu
wlfmt=${WLFMT:-wlfmt}
what=$1 run=$2 lines=$3 ranks=${4:-}
case $what in
part)
    mkdir -p "$lines"
    # Written elsewhere first: a task that was killed leaves no half line, but a file that tells of it.
    status=0
    "$wlfmt" summary --partial --share="$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" "$run" \
        > "$lines/$SLURM_ARRAY_TASK_ID.tmp" || status=$?
    # Above 2 it is no status of wlfmt: it was killed.
    [ $status -le 2 ] || exit $status
    mv "$lines/$SLURM_ARRAY_TASK_ID.tmp" "$lines/$SLURM_ARRAY_TASK_ID.json"
    exit $status
    ;;
merge)
    status=0
    "$wlfmt" merge --partial ${ranks:+"--expect=$ranks"} "$lines"/*.json || status=$?
    for unfinished in "$lines"/*.tmp; do
        [ -e "$unfinished" ] || continue
        echo "$unfinished: error: the task did not come to its end" >&2
        [ $status -gt 1 ] || status=1
    done
    exit $status
    ;;
*) exit 2 ;;
esac
