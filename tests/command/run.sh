#!/bin/sh
# summary and merge of runs: folders, threads, damaged files, lines that add up. usage: run.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
. "$root/tests/command/expect.sh"
silent() { [ ! -s "$work/err" ] || { fail "standard error:"; cat "$work/err"; }; }

# A run of eight ranks in two stages, in which each rank takes a little longer than the one before it, and rank 5 more.
mkdir "$work/run"
name() { echo "wd8_tp1_pp2_rank$1_$2.txt"; }
rank_file() {
    awk -v rank="$1" 'BEGIN {
        extra = rank == 5 ? 30 : 0
        stage = int(rank / 4)
        t = 1000
        for (n = 0; n < 20; ++n) {
            ms = 10 + rank + extra
            t += ms + 0.5
            printf "rank:%d:forward_step(stage_id=%d,batch_id=%d,mg_state=steady,duration=%.2f,description=None,group_kind=None,input__shape=None,input__dtype=None,timestamp=%.2f,sub_operations=[\x27trace_src_func=f,duration=1.25,timestamp=%.2f,input__shape=[8, 2],input__dtype=torch.float16,group=tp,comm_func=allreduce\x27])\n", rank, stage, n, ms, t, t
            t += 2.5
            printf "rank:%d:send_forward(stage_id=%d,batch_id=%d,mg_state=steady,duration=2.25,description=None,group_kind=pp,input__shape=[4],input__dtype=torch.float32,timestamp=%.2f,sub_operations=[])\n", rank, stage, n, t
        }
    }'
}
for rank in 0 1 2 3 4 5 6 7; do rank_file $rank > "$work/run/$(name $rank 20250101000000)"; done

cd "$work" || exit 1
expect 0 "$wlfmt" summary run
silent
holds '8 files: rank op log, 320 records, 160 sub-operations, 8 ranks (0 to 7)' \
    'slowest rank: 5 (stage 1), a straggler, 900.00 ms of work, 2.81 times the median of its peers: the same operations' \
    'slowest stage: 1, a mean of 23.00 ms a micro-batch' 'because of rank 5' 'its ranks work 1.45 times as long as those of the others' 'the groups of tp have one rank' \
    'forward_step' 'allreduce tp'
cp out plain
for threads in 1 3 16; do
    expect 0 "$wlfmt" summary -j$threads run
    cmp -s plain out || fail "$threads threads sum up otherwise"
done
expect 0 "$wlfmt" summary run/*
cmp -s plain out || fail 'a folder and its files are summed up differently'

# Lines that add up: of each file alone, of two halves, in any order, the same bytes as of the run.
expect 0 "$wlfmt" summary --partial run
cp out whole
expect 0 "$wlfmt" summary --partial --per-file run
[ "$(wc -l < out)" -eq 8 ] || fail 'not a line for each file'
sort -r out > lines
expect 0 "$wlfmt" merge --partial lines
cmp -s whole out || fail 'the lines of the files do not add up to that of the run'
"$wlfmt" summary --partial run/*rank[0-3]* > half1 2> /dev/null
"$wlfmt" summary --partial run/*rank[4-7]* > half2 2> /dev/null
expect 0 "$wlfmt" merge --partial half2 half1
cmp -s whole out || fail 'two halves do not add up to the run'
expect 0 "$wlfmt" merge half1 half2
holds '2 summaries: rank op log, 320 records'
sed 's/^  2 summaries/  8 files/' out | cmp -s - plain || fail 'merge shows something else than summary'
{ cat half1; echo '{"wlfmt_summary":2}'; } > odd
expect 1 "$wlfmt" merge odd
holds 'odd:2:19: error: bad_summary' '1 summary: rank op log, 160 records'
# A rank that two lines hold is not added up twice: of two runs the newer counts, where whole lines can be left out.
for rank in 1 4; do rank_file $rank | sed 's/duration=1/duration=7/' > "$(name $rank 20240101000000)"; done
"$wlfmt" summary --partial "$(name 1 20240101000000)" > older1 2> /dev/null
"$wlfmt" summary --partial "$(name 4 20240101000000)" > older4 2> /dev/null
"$wlfmt" summary --partial --per-file run > each
expect 0 "$wlfmt" merge --partial older4 each older1
cmp -s whole out || fail 'an earlier run is in the sums'
holds 'older4:1: warning: the line is of an earlier run and left out'
"$wlfmt" summary --partial "$(name 1 20240101000000)" run/*rank[2-4]* > mixed 2> /dev/null
expect 1 "$wlfmt" merge half1 mixed half2
[ ! -s out ] || fail 'ranks that are held twice are added up'
holds 'mixed:1: error: rank 1 (wd8_tp1_pp2 of 20240101000000) is in half1:1 (wd8_tp1_pp2 of 20250101000000), too' \
    'wlfmt: error: 4 ranks are held twice' 'wlfmt: nothing is added up'
expect 0 "$wlfmt" merge --partial half1 half2 half1
cmp -s whole out || fail 'a line that is given twice is added up twice'
holds 'half1:1: warning: the line is given more than once, and counted once'
# Ranks that are missing: a task that died, an empty line's file, a number that is expected.
: > dead
expect 1 "$wlfmt" merge half1 dead
holds 'dead: error: the file is empty' 'wlfmt: error: the sums lack rank 4 to 7' '160 records'
expect 1 "$wlfmt" merge --expect=10 half1 half2
holds 'wlfmt: error: the sums lack rank 8 to 9'
expect 1 "$wlfmt" merge --expect=7 half1 half2
holds 'wlfmt: error: rank 7 is beyond the 7 ranks that are expected'
expect 1 "$wlfmt" summary --expect=9 run
holds 'wlfmt: error: the sums lack rank 8'
expect 2 "$wlfmt" merge --expect=0 half1
# The largest rank that there can be, after which no other one follows.
printf 'rank:9223372036854775807:forward_step(stage_id=0,duration=1.0,timestamp=2.0,sub_operations=[])\n' > last
expect 1 "$wlfmt" summary --expect=3 last
holds 'wlfmt: error: rank 9223372036854775807 is beyond the 3 ranks that are expected' \
    'wlfmt: error: the sums lack rank 0 to 2'
# Each of M tasks sees all files, and the lines of all of them add up, those of tasks without a file too.
cp -r run both
mv "$(name 1 20240101000000)" "$(name 4 20240101000000)" both
# A line alone has the ranks that there are, and is shown as summary shows it.
"$wlfmt" summary --json --share=0/2 both > alone.json 2> /dev/null
"$wlfmt" summary --partial --share=0/2 both > alone 2> /dev/null
expect 0 "$wlfmt" merge --json alone
holds 'wlfmt: warning: the sums lack rank '
[ "$(sed 's/"name":"[^"]*"//' out)" = "$(sed 's/"name":"[^"]*"//' alone.json)" ] || fail 'merge shows something else'
expect 1 "$wlfmt" merge --json --expect=8 alone
holds 'wlfmt: error: the sums lack rank '
for n in 0 1 2 3 4 5 6 7 8 9; do "$wlfmt" summary --partial --share=$n/10 both 2> /dev/null; done > shares
[ "$(wc -l < shares)" -eq 10 ] || fail 'not a line for each share'
expect 0 "$wlfmt" merge --partial shares
cmp -s whole out || fail 'shares do not add up to the run'
expect 2 "$wlfmt" summary --share=3/3 run
expect 2 "$wlfmt" summary --share=3 run

"$wlfmt" summary --by=stage --partial run > other
expect 1 "$wlfmt" merge half1 other
holds 'other:1: error: the line has other breakdowns than the first one'
expect 2 "$wlfmt" merge nowhere
expect 0 "$wlfmt" summary --json run
if command -v python3 > /dev/null; then
    python3 -c 'import json, sys
run = json.loads(open(sys.argv[1]).read())
ranks = {r["rank"]: r for r in run["ranks"]}
assert len(ranks) == 8 and run["operations"] == 320, run
assert abs(ranks[5]["busy"] - 20 * (45 + 2.25)) < 1e-6, ranks[5]
assert abs(ranks[5]["computation"] - 20 * (45 - 1.25)) < 1e-6, ranks[5]
forward = [b for b in run["breakdowns"] if b.get("operation") == "forward_step"][0]
assert forward["records"] == 160 and forward["duration"]["max"] == 45, forward
assert abs(forward["gap"]["sum"] - 8 * (19 * 0.5)) < 1e-6, forward["gap"]' out || fail 'the JSON line'
fi
expect 0 "$wlfmt" summary --by=rank,state --by=stage run
holds 'state, rank  ' 'steady 5' 'stage  '
expect 2 "$wlfmt" summary --by=colour run
expect 2 "$wlfmt" summary -j0 run
expect 2 "$wlfmt" summary --json --partial run
expect 2 "$wlfmt" check --by=rank run
expect 0 "$wlfmt" check run
[ "$(wc -l < out)" -eq 8 ] || fail 'check does not list the files of the folder'
expect 0 "$wlfmt" json run
[ "$(wc -l < out)" -eq 320 ] || fail 'json does not print the records of the folder'

# The newest of repeated runs counts; a rank that is missing, and files that are not what they seem, are named.
cp -r run damaged
rank_file 9 > "damaged/$(name 3 20240101000000)"
rm "damaged/$(name 2 20250101000000)"
head -c 3000 "run/$(name 0 20250101000000)" > "damaged/$(name 0 20250101000000)"
: > "damaged/$(name 1 20250101000000)"
cp "$root/tests/data/workload_moe_128gpus.txt" "damaged/$(name 4 20250101000000)"
rm "damaged/$(name 5 20250101000000)"
ln -s /nowhere "damaged/$(name 5 20250101000000)"
gzip -c "run/$(name 6 20250101000000)" > "damaged/$(name 6 20250101000000)"
mkdir damaged/folder
mkfifo damaged/pipe
rank_file 1 > "damaged/$(name 7 20250101000000)"

# All that is told of them, and the exit status: of a file that could not be opened.
for threads in 1 2; do
    expect 2 "$wlfmt" summary -j$threads damaged
    cat err out > told
    diff "$root/tests/command/damaged_run.txt" told || fail "$threads threads tell something else of a damaged run"
done
expect 2 "$wlfmt" check damaged
cat err out > told
diff "$root/tests/command/damaged_run_check.txt" told || fail 'check tells something else of a damaged run'
rm damaged/*rank5*
expect 1 "$wlfmt" summary damaged
cp -r run odd_pipe
mkfifo odd_pipe/pipe
for folder in d b e a c; do mkdir "odd_pipe/$folder"; done
expect 0 "$wlfmt" summary odd_pipe
{
    for folder in a b c d e; do echo "odd_pipe/$folder: warning: a folder in a folder is skipped"; done
    echo 'odd_pipe/pipe: warning: a pipe in a folder is skipped'
} | diff - err || fail 'what is skipped is not named in order'
cmp -s plain out || fail 'a pipe in the folder changes the sums'
expect 2 "$wlfmt" summary run nowhere
holds '8 files: rank op log' 'nowhere: error: cannot_open' '1 of 9 files failed'
mkdir copied
cp "run/$(name 0 20250101000000)" "run/$(name 1 20250101000000)" copied
cp "run/$(name 0 20250101000000)" "copied/$(name 7 20250101000000)"
expect 1 "$wlfmt" summary copied "copied/$(name 0 20250101000000)"
holds 'the file is named more than once, and counted once' 'the name says rank 7, the records say rank 0' \
    'which has a log of its own: this one is left out' 'there is no file of rank 2 to 6'
mkdir empty
expect 2 "$wlfmt" summary empty
holds 'empty: error: the folder holds no file'
gzip -c "run/$(name 6 20250101000000)" > packed.gz
gzip -dc packed.gz | "$wlfmt" summary - > out 2> err || fail 'a pipe'
holds '<stdin>: rank op log, 40 records'

# What is of no format in a folder is named once and left out; --strict, a rank in its name, or nothing else make it a
# failure.
cp -r run strays
printf 'Loading extension module...\nstep 1 of 20\n' > strays/train.log
printf '\177ELF\001\002' > strays/core.1
: > strays/stdout.log
left_out='wlfmt: warning: 3 files are of none of the three formats and left out: strays/core.1, strays/stdout.log, strays/train.log'
expect 0 "$wlfmt" summary strays
cmp -s plain out || fail 'stray files change the summary'
[ "$(cat err)" = "$left_out" ] || fail "stray files: $(cat err)"
for command in json check csv timeline plot; do
    "$wlfmt" $command run > of_run 2> /dev/null
    expect 0 "$wlfmt" $command strays
    grep -qxF "$left_out" err || fail "$command of a folder with stray files: $(cat err)"
    sed 's/strays/run/g' out | cmp -s - of_run || fail "$command of a folder with stray files: another output"
    [ -s of_run ] || fail "$command of a folder: nothing"
    expect 1 "$wlfmt" $command --strict strays
    holds 'wlfmt: error: 3 files are of none of the three formats and left out'
    "$wlfmt" $command strays/* > out 2> err && fail "$command of stray files that are named: exit status 0"
done
expect 1 "$wlfmt" summary --strict strays
mkdir nothing
cp strays/train.log nothing
for command in summary json check csv timeline plot 'chakra -o trace'; do
    expect 1 "$wlfmt" $command nothing
    holds 'wlfmt: error: 1 file is of none of the three formats and left out: nothing/train.log'
done
mv strays/train.log "strays/$(name 9 20250101000000)"
expect 1 "$wlfmt" summary strays
holds 'rank9_20250101000000.txt: error: unknown_format'

# Files of two runs are no run.
mkdir two_runs
cp "run/$(name 3 20250101000000)" two_runs/wd2_tp1_rank0.txt
cp "run/$(name 3 20250101000000)" two_runs/wd2_tp2_rank1.txt
expect 1 "$wlfmt" summary two_runs
holds 'file names: error: files of 2 runs: wd2_tp1 (1 file) wd2_tp2 (1 file)'

# Ranks 0 and 1 had 1 and 3 ms of a call that rank 2 has in one run alone: of 1 ms of each, how much was waiting is not known in
# the other; rank 1 waited 2 ms more.
mkdir with_call without_call
for rank in 0 1 2; do
    for batch in 0 1; do
        took=$((1 + rank * (1 + batch))) end=$((1020 + 20 * batch)).0
        echo "rank:$rank:forward_step(stage_id=0,batch_id=$batch,mg_state=steady,duration=20,timestamp=$end,sub_operations=['trace_src_func=f,duration=$took,timestamp=$end,input__shape=[8],input__dtype=torch.uint8,group=tp,comm_func=allreduce'])"
    done > with_call/wd3_tp3_pp1_rank${rank}_20250101000000.txt
done
cp with_call/* without_call
sed 2d with_call/wd3_tp3_pp1_rank2_20250101000000.txt > without_call/wd3_tp3_pp1_rank2_20250101000000.txt
expect 1 "$wlfmt" diff with_call without_call
holds 'changed  run  unknown_ms  0 -> 2' 'changed  rank 1  unknown_ms  0 -> 1' 'changed  rank 0  unknown_ms  0 -> 1'

# The newest of repeated runs, for all commands that take a run.
cp -r run repeated
sed 's/=forward_step/=backward_step/' "run/$(name 3 20250101000000)" > "repeated/$(name 3 20240101000000)"
older="file names: warning: 1 file is of an earlier run and left out: repeated/$(name 3 20240101000000)"
for command in summary csv timeline plot; do
    "$wlfmt" $command run > of_run 2> /dev/null
    expect 0 "$wlfmt" $command repeated
    [ "$(cat err)" = "$older" ] || fail "$command of repeated runs: $(cat err)"
    sed 's/repeated/run/' out | cmp -s - of_run || fail "$command of repeated runs: another output"
    expect 0 "$wlfmt" $command repeated/*
    sed 's/repeated/run/' out | cmp -s - of_run || fail "$command of the files of repeated runs: another output"
done
if ! "$wlfmt" chakra run -o trace 2>&1 | grep -q 'which Chakra traces need'; then
    mkdir pair
    line='batch_id=7,duration=1.5,input__shape=[4],input__dtype=torch.int8'
    printf 'rank:0:send_forward(stage_id=0,%s)\n' "$line" > pair/wd2_tp1_pp2_rank0_20250101000000.txt
    printf 'rank:1:recv_forward(stage_id=1,%s)\n' "$line" > pair/wd2_tp1_pp2_rank1_20250101000000.txt
    expect 0 "$wlfmt" chakra pair/* -o trace_files
    silent
    printf 'rank:1:recv_forward(stage_id=1)\n' > pair/wd2_tp1_pp2_rank1_20240101000000.txt
    echo 'step 1 of 20' > pair/train.log
    expect 0 "$wlfmt" chakra pair -o trace_folder
    holds '1 file is of an earlier run and left out' '1 file is of none of the three formats and left out: pair/train.log'
    for part in 0.et 1.et json; do cmp trace_files.$part trace_folder.$part || fail "chakra of a folder: $part"; done
    expect 1 "$wlfmt" chakra --strict pair -o trace_strict
fi

# A log that several threads read in parts: 34 MB.
awk '{ line[NR] = $0 } END { while (size < 34000000) for (n = 1; n <= NR; ++n) { print line[n]; size += length(line[n]) + 1 } }' \
    "run/$(name 0 20250101000000)" "run/$(name 1 20250101000000)" > large.txt
printf 'rank:1:broken(' >> large.txt
expect 1 "$wlfmt" summary -j1 --partial large.txt
cp out one
cp err one_err
expect 1 "$wlfmt" summary -j2 --partial large.txt
cmp -s one out || fail 'parts of a file do not add up to the file'
cmp -s one_err err || { fail 'parts of a file tell other problems'; diff one_err err; }
rm -f large.txt

# Progress is shown on a terminal alone, no wider than that, and gone at the end. The pipe makes the command wait for
# long enough.
# Sums over different numbers of iterations, or over a part of one, are no growth.
mkdir twice stopped
for file in "$root"/examples/run/*; do
    cat "$file" > "twice/${file##*/}"
    awk '{ match($0, /,timestamp=[0-9.]+,sub_operations/); t = substr($0, RSTART + 11, RLENGTH - 26); sub(/,timestamp=[0-9.]+,sub_operations/, sprintf(",timestamp=%.4f,sub_operations", t + 400)); print }' "$file" |
        sed 's/sub_operations=\[.*/sub_operations=[])/' >> "twice/${file##*/}"
    awk '{ match($0, /,timestamp=[0-9.]+,sub_operations/); if (substr($0, RSTART + 11, RLENGTH - 26) + 0 < 5150) print }' \
        "$file" > "stopped/${file##*/}"
done
expect 1 "$wlfmt" diff --fail-above=20% "$root/examples/run" twice
holds 'changed  run  iterations  1 -> 2'
grep -q 'cannot be compared: the first has 1 iteration, the second 2 iterations' err || fail 'diff of iterations'
expect 1 "$wlfmt" diff --fail-above=20% "$root/examples/run" stopped
grep -q 'the second 1 iteration, one of which is not whole' err || fail 'diff of a stopped run'
expect 0 "$wlfmt" diff --fail-above=20% stopped stopped
expect 0 "$wlfmt" report "$root/examples/run" stopped
holds 'Whether an iteration takes longer is not known' 'An iteration of B is <b>not whole</b>'
expect 0 "$wlfmt" summary stopped
holds 'an iteration is not whole, as where a job was stopped'
grep -qE 'pipeline bubble|a micro-batch|would save' out && fail 'a stopped run has a bubble'

# Times in nanoseconds are told, not left out in silence.
mkdir nanoseconds
echo 'rank:0:forward_step(stage_id=0,batch_id=0,duration=5.0,timestamp=1756000000000000,sub_operations=[])' > nanoseconds/a.txt
expect 0 "$wlfmt" summary nanoseconds
holds '1 record has a time of more than 2.3e12 ms'
expect 1 "$wlfmt" timeline nanoseconds
grep -q 'or times of more than 2.3e12 ms' err || fail 'timeline of nanoseconds'

if command -v script > /dev/null; then
    mkdir slow
    mkfifo "slow/$(name 0 20250101000000)"
    esc=$(printf '\033')
    cr=$(printf '\r')
    show() { # show COLUMNS COMMAND: what it prints on a terminal, a line for each time that it goes back to the margin
        { sleep 0.5; cat "run/$(name 0 20250101000000)"; } > "slow/$(name 0 20250101000000)" &
        script -qec "stty cols $1; $2" /dev/null < /dev/null | tr "$cr" '\n' > shown
        wait
    }
    files="slow/* run/*rank[1-7]*"
    for command in 'summary -j1' check; do
        show 200 "'$wlfmt' $command $files > out"
        grep -qE "^[1-8] of 8 files, [0-9.]+ a second, [0-9]+ s left$esc\[K\$" shown || { fail "no progress of $command"; cat -v shown; }
        grep -q "^$esc\[K" shown || fail "$command does not clear its progress"
        tail -1 shown | grep -q 'left' && fail "$command leaves its progress"
        show 12 "'$wlfmt' $command $files > out"
        grep -qE "^[1-8] of 8 file$esc\[K\$" shown || { fail "no narrow progress of $command"; cat -v shown; }
        show 200 "'$wlfmt' $command $files > out 2> err"
        grep -q ' of 8' shown err && fail "$command shows progress without a terminal"
        cmp -s err /dev/null || fail "$command writes to standard error: $(cat err)"
        show 200 "'$wlfmt' $command slow/* > out"
        grep -q ' of 1' shown && fail "$command shows progress of a single file"
    done
    # Lines on a terminal and progress would mix.
    show 200 "'$wlfmt' check $files"
    grep -q ' of 8' shown && fail 'check shows progress among its lines'
fi
echo "$count commands"
exit $failed
