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
failed=0
# The same of runs with damage: calls that are lost are unknown, and nothing else changes.
python3 "$root/tests/answers/damage.py" "$work" slow_rank slow_rank_other_clocks experts exchanging overlapping_late || failed=1
set -- "$work"/*/
# Real runs, where they are beside the checkout.
for run in "$root"/../shared/runs/*/; do
    [ ! -d "$run" ] || set -- "$@" "$run"
done
python3 "$root/tests/answers/compute.py" "$wlfmt" "$@" > "$work/out" || { cat "$work/out"; failed=1; }
count=$#
# What check says of a call that is lost: rank, line and record.
"$wlfmt" check "$work/slow_rank-1" > /dev/null 2> "$work/out"
grep -q 'rank0_20250101000000.txt:8: warning: missing_call: rank 0 lacks the 2nd allreduce of tp in backward_step, batch 1, which rank 1 has$' \
    "$work/out" || { echo 'check does not name a lost call'; cat "$work/out"; failed=1; }
[ $count -ge 29 ] || { echo "only $count runs"; failed=1; }
# Several iterations, exchanges that are written twice, hosts with clocks of their own, virtual pipelines.
python3 "$root/tests/answers/random_runs.py" --varied "$work/varied" "${WLFMT_TEST_RUNS:-30}" || exit 1
python3 "$root/tests/answers/compute.py" "$wlfmt" "$work"/varied/* > "$work/out" || { tail -20 "$work/out"; failed=1; }
rm -rf "$work/varied"
# What remedies would gain, against a replay of the logs in Python. (WLFMT_TEST_RUNS=200 for more of them.)
python3 "$root/tests/answers/random_runs.py" "$work/random" "${WLFMT_TEST_RUNS:-60}" || exit 1
python3 "$root/tests/answers/replay.py" "$wlfmt" "$work"/random/run0[0-5]* > "$work/out" || { cat "$work/out"; failed=1; }
for run in wd8_complete wd16_two_hosts; do
    [ ! -d "$root/../shared/runs/$run" ] || python3 "$root/tests/answers/replay.py" "$wlfmt" "$root/../shared/runs/$run" || failed=1
done
python3 "$root/tests/answers/twice.py" "$wlfmt" "$work/twice" 20 > "$work/out" || { cat "$work/out"; failed=1; }
rm -rf "$work/twice"
# A run that was stopped in an iteration says so, and nothing of whole iterations.
python3 "$root/tests/answers/stopped.py" "$wlfmt" 6 "$root/examples/run" "$work"/random/run00* "$work/slow_rank" > "$work/out" || { tail -20 "$work/out"; failed=1; }
for run in wd8_complete wd16_two_hosts; do
    [ ! -d "$root/../shared/runs/$run" ] || python3 "$root/tests/answers/stopped.py" "$wlfmt" 20 "$root/../shared/runs/$run" || failed=1
done
# A call whose size a member lacks is left out of the bytes of all members.
cp -r "$work/experts" "$work/unsized"
for file in "$work"/unsized/*rank0_*; do
    sed '1s/input__shape=\[[0-9]*\]/input__shape=None/' "$file" > "$work/out" && cp "$work/out" "$file"
done
for run in experts unsized; do "$wlfmt" summary "$work/$run" | grep -o 'all-to-all.*; correlation' > "$work/$run.said"; done
sed 's/ranks, as far as they are known: /ranks: /' "$work/unsized.said" | cmp - "$work/experts.said" || failed=1
cmp -s "$work/unsized.said" "$work/experts.said" && { echo 'nothing is said of a size that is not known'; failed=1; }
rm -rf "$work/unsized"
# A record that is lost makes limits of the numbers that it would be in, and changes no others.
for run in slow_rank experts; do
    python3 "$root/tests/answers/lost.py" "$wlfmt" "$work/$run" 3 > "$work/out" || { tail -20 "$work/out"; failed=1; }
done
for run in wd8_complete:5 wd16_two_hosts:37; do
    folder=$root/../shared/runs/${run%:*}
    [ ! -d "$folder" ] || python3 "$root/tests/answers/lost.py" "$wlfmt" "$folder" "${run#*:}" || failed=1
done
# Whatever part of a run is lost, its numbers are those of the whole run, or limits that these keep.
python3 "$root/tests/answers/damaged.py" "$wlfmt" "$work/damaged" "${WLFMT_TEST_RUNS:-20}" > "$work/out" || { tail -20 "$work/out"; failed=1; }
rm -rf "$work/damaged"
# Its intervals are about as narrow as the narrowest that its logs prove, which Debian's scipy finds.
/usr/bin/python3 "$root/tests/answers/widths.py" "$wlfmt" "$work/widths" "${WLFMT_TEST_RUNS:-6}" > "$work/out"
case $? in 0) ;; 77) echo 'no scipy: the widths of intervals are not measured' ;; *) tail -30 "$work/out"; failed=1 ;; esac
rm -rf "$work/widths"
# A log that is not of the run is told, and makes no number wrong.
python3 "$root/tests/answers/strange.py" "$wlfmt" "$work/strange" "${WLFMT_TEST_RUNS:-20}" > "$work/out" || { tail -20 "$work/out"; failed=1; }
rm -rf "$work/strange"
# Whatever clocks say, no number excludes what it was by other clocks.
python3 "$root/tests/answers/clocks.py" "$wlfmt" "$work/clocks" "${WLFMT_TEST_RUNS:-12}" > "$work/out" || { tail -20 "$work/out"; failed=1; }
rm -rf "$work/clocks"
# So are what is printed of it, and what differs from the whole run.
python3 "$root/tests/answers/shown.py" "$wlfmt" "$work/damaged" "${WLFMT_TEST_RUNS:-6}" > "$work/out" || { tail -20 "$work/out"; failed=1; }
rm -rf "$work/damaged"
# No command dies of a small run, whatever its times are.
python3 "$root/tests/answers/small_runs.py" "$wlfmt" "$work/small" "${WLFMT_TEST_RUNS:-20}" > "$work/out" || { tail -20 "$work/out"; failed=1; }
rm -rf "$work/small"
# The bubble of equal stages with virtual stages is that of a run which has nothing but equal chunks.
python3 "$root/tests/answers/chunks.py" "$wlfmt" "$work/chunks" || failed=1
rm -rf "$work/chunks"
# What one sentence about a run says, no other denies.
python3 "$root/tests/answers/sentences.py" "$wlfmt" "$work/sentences" "${WLFMT_TEST_RUNS:-25}" > "$work/out" || { tail -30 "$work/out"; failed=1; }
rm -rf "$work/sentences"
# All outputs show the same waiting.
python3 "$root/tests/answers/one_object.py" "$wlfmt" "$work"/random/* > "$work/out" || { tail -20 "$work/out"; failed=1; }
# The lines of the single files add up to the answers of the run, in any order.
for run in "$work"/*/; do
    case $run in */random/ | *-[0-9]/) continue ;; esac
    "$wlfmt" summary --json "$run" | sed 's/^{"name":"[^"]*",//' > "$work/whole"
    "$wlfmt" summary --partial --per-file "$run" | sort -r | "$wlfmt" merge --json - | sed 's/^{"name":"[^"]*",//' > "$work/merged"
    cmp "$work/whole" "$work/merged" || failed=1
done
# What is said of a run does not depend on the order in which its files are named.
for run in "$work"/*/ "$work"/random/run00*/; do
    case $run in */random/ | *-[0-9]/) continue ;; esac
    for command in 'summary --json' report plot; do
        "$wlfmt" $command "$run"* > "$work/whole"
        "$wlfmt" $command $(ls -d "$run"* | awk 'BEGIN { srand(7) } { print rand() "\t" $0 }' | sort | cut -f 2) > "$work/shuffled"
        cmp "$work/whole" "$work/shuffled" || { echo "$command of $run depends on the order of the files"; failed=1; }
    done
done
# Names without sizes: what is waiting in collectives is unknown, unless the sizes are given.
mkdir -p "$work/no_sizes"
for file in "$work"/slow_rank/*; do cp "$file" "$work/no_sizes/log_${file##*exp1_}"; done
"$wlfmt" summary --json "$work/slow_rank" | sed 's/^{"name":"[^"]*",//' > "$work/whole"
"$wlfmt" summary --json --tp=2 --pp=3 "$work/no_sizes" | sed 's/^{"name":"[^"]*",//' > "$work/given"
cmp "$work/whole" "$work/given" || { echo 'sizes that are given say something else'; failed=1; }
"$wlfmt" summary "$work/no_sizes" | grep -q '  unknown  ' || { echo 'no unknown time without sizes'; failed=1; }
# What is idle in two files of a rank is not known.
for name in one two; do cp "$work/slow_rank/"*rank0_* "$work/$name.txt"; done
"$wlfmt" summary "$work/one.txt" "$work/two.txt" 2> "$work/err" | grep -q '  idle  *unknown' || { echo 'idle time in two files'; failed=1; }
"$wlfmt" summary --json "$work/one.txt" "$work/two.txt" 2> "$work/err" | grep -q '"idle"' && { echo 'idle time in two files'; failed=1; }
# The shares of tables.
python3 "$root/tests/answers/tables.py" "$wlfmt" "$root/tests/data/profiler_table_moe_train_step.txt" || failed=1
python3 "$root/tests/answers/unread_cells.py" "$wlfmt" || failed=1
# Markdown: a table for each grid, with its rule, and no cell that ends one.
"$wlfmt" summary --markdown "$work/slow_rank" > "$work/markdown"
for expected in '^## Twice the micro-batches (for the same work) would save 157 ms, 49.0 % of the iteration$' '^- 6 files: rank op log' '^- slowest rank: 3 (stage 1), a straggler' '^|---|---:|' '^| rank | stage |' \
    '^| all 6 |' '^| forward\\_step |'; do
    grep -q -- "$expected" "$work/markdown" || { echo "no \"$expected\" in Markdown"; cat "$work/markdown"; failed=1; }
done
! grep -q '^ ' "$work/markdown" || { echo 'a line of Markdown begins with a blank'; failed=1; }
echo "$count runs"
exit $failed
