#!/bin/sh
# The cluster examples print what one process prints, of repeated runs too, and fail where a task dies; engines that are
# not installed are left out. The Slurm script is run as its scheduler would run it. The Dask example needs the package
# wlfmt, and is tested with it (python/tests).
# usage: check.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work/run" "$work/repeated"
work=$(cd "$work" && pwd)
sample=$root/tests/data/oplog_rank7_pipeline_last_stage.txt
for rank in 0 1 2 3 4 5 6; do
    file=wd7_tp1_pp7_rank${rank}_20250102000000.txt
    sed "s/^rank:7:/rank:$rank:/" "$sample" > "$work/run/$file"
    cp "$work/run/$file" "$work/repeated/$file"
    # The earlier run of some ranks, with other times: file names and strides give it to other tasks than the later one.
    [ $((rank % 3)) -eq 1 ] || sed "s/^rank:7:/rank:$rank:/; s/duration=/duration=9/" "$sample" \
        > "$work/repeated/wd7_tp1_pp7_rank${rank}_20250101000000.txt"
done
"$wlfmt" summary --partial "$work/run" > "$work/whole" || exit 1
"$wlfmt" summary --partial "$work/repeated" > "$work/whole_repeated" 2> /dev/null || exit 1
failed=0
fail() { echo "$*"; failed=1; }
cmp "$work/whole" "$work/whole_repeated" || fail 'an earlier run is in the sums'
same() { cmp "$work/whole" "$work/$1" || fail "$1: another summary than that of one process"; }
# expect STATUS COMMAND...
expect() {
    status=$1
    shift
    "$@" > "$work/out" 2> "$work/err"
    have=$?
    [ $have -eq "$status" ] || { fail "$*: exit status $have, not $status"; cat "$work/err"; }
}
says() { grep -qF -- "$1" "$work/err" || { fail "no \"$1\":"; cat "$work/err"; }; }

# A command that is killed where it reads the second share.
cat > "$work/dies" << 'END'
#!/bin/sh
case " $* " in *' --share=1/'*) kill -9 $$ ;; esac
exec "$REAL_WLFMT" "$@"
END
chmod +x "$work/dies"
export REAL_WLFMT="$wlfmt"

slurm() { # slurm COMMAND RUN LINES: three tasks and the job that merges
    for task in 0 1 2; do
        WLFMT=$1 SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 \
            sh "$root/examples/cluster/slurm.sh" part "$2" "$3" 2> /dev/null
    done
    WLFMT=$1 sh "$root/examples/cluster/slurm.sh" merge "$2" "$3"
}
for run in run repeated; do
    expect 0 slurm "$wlfmt" "$work/$run" "$work/lines_$run"
    mv "$work/out" "$work/slurm_$run"
    same "slurm_$run"
done
expect 1 slurm "$work/dies" "$work/run" "$work/lines_dead"
says 'error: the sums lack rank 1, 4'
says 'lines_dead/1.tmp: error: the task did not come to its end'

if command -v mpic++ > /dev/null && command -v mpirun > /dev/null; then
    mpic++ -std=c++17 -O0 -I"$root/include" -I"$root" "$root/examples/cluster/mpi.cpp" "$root"/analysis/summary/*.cpp \
        "$root"/analysis/*.cpp -o "$work/summary_mpi" || exit 1
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    for run in run repeated; do
        expect 0 mpirun --oversubscribe -n 4 "$work/summary_mpi" "$work/$run"/*.txt
        mv "$work/out" "$work/mpi_$run"
        same "mpi_$run"
    done
    # Where a process dies, mpirun ends all; what is left to see is a file that is not there.
    expect 1 mpirun --oversubscribe -n 4 "$work/summary_mpi" "$work/run"/*rank[0-4]*.txt
    says 'there is no file of rank 5 to 6'
else
    echo 'no MPI'
fi
exit $failed
