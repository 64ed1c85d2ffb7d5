#!/bin/sh
# Reports are what their header promises: the numbers of summary --json, also of runs that lack records; valid HTML, if
# tidy is installed. With `all`, which takes long where the command is not optimised, also of a run of 1,024 ranks, and as
# browser.py has it, if Chromium is installed. Skipped (77) without Python.
# usage: check.sh ROOT WLFMT WORK_FOLDER [all]
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
sizes='1 8 16 128'
what=${4-}
[ "$what" != all ] || sizes="$sizes 1024"
command -v python3 > /dev/null || exit 77
export PYTHONDONTWRITEBYTECODE=1
rm -rf "$work"
mkdir -p "$work"
cd "$work"
data=$root/tests/data
python3 "$root/tests/report/colours.py" "$root/analysis/draw/svg.hpp"
python3 "$root/tests/answers/make_runs.py" runs
# The same runs without some of their records: every 40th line, and the first nested call of every third.
for run in runs/*/; do
    lossy=lossy_$(basename "$run")
    mkdir "$lossy"
    awk -v to="$lossy/" '
        FNR == 1 { name = FILENAME; sub(/.*\//, to, name) }
        FNR % 40 == 7 { next }
        FNR % 3 == 0 { sub(/\047trace_src_func=[^\047]*\047, /, "") }
        { print > name }' "$run"*
done
python3 "$root/tests/answers/random_runs.py" random 24
python3 "$root/tests/report/numbers.py" "$wlfmt" runs/*/ lossy_* random/*/
python3 "$root/tests/report/rounding.py" *.html > rounding.txt || { grep -B 1 '^ ' rounding.txt; exit 1; }
rm -r random run0*.html
mkdir empty
: > empty/wd2_tp1_pp1_rank0_20240923205004.txt
"$wlfmt" report empty -o none.html 2> /dev/null && { echo 'an empty run has a page'; exit 1; }
[ ! -e none.html ]
"$wlfmt" report "$data/workload_moe_128gpus.txt" -o workload.html 2> /dev/null || [ $? -eq 1 ]
"$wlfmt" report "$data/profiler_table_moe_train_step.txt" > table.html
"$wlfmt" report - < "$data/oplog_rank7_moe_simulation.txt" > rank.html
"$wlfmt" report "$data/workload_moe_128gpus.txt" "$data/profiler_table_moe_train_step.txt" > two.txt 2> message.txt && exit 1
grep -q 'give one run, one workload file' message.txt
"$wlfmt" report runs/even runs/slow_rank -o compared.html
grep -q 'What differs most: rank 3' compared.html
grep -q ' lacks ' compared.html && exit 1
# Runs of one name are told apart by their folders.
grep -q 'A, before: <b>[^<]*, runs/even</b>.*B, after: <b>[^<]*, runs/slow_rank</b>' compared.html
# A run that lacks a rank: what follows from that are limits.
mkdir lacking
cp runs/even/* lacking
rm lacking/*_rank2_*
"$wlfmt" report runs/even lacking -o compared.html 2> message.txt
grep -q 'B lacks the log of rank 2' compared.html
grep -q '^<div class="unread">.*there is no file of rank 2' compared.html
grep -q '>work<.*&ge;&nbsp;360<' compared.html
"$wlfmt" diff --fail-above=5% runs/even lacking > two.txt 2> message.txt && exit 1
[ $? -eq 1 ]
grep -q '^wlfmt: growth above 5% is not ruled out: the time of all operations and [0-9]* other times are not known exactly$' message.txt
# Two files of tables are compared; a table beside itself does not differ.
sed 's/cudaEventCreateWithFlags/cudaEventCreateWithFlagz/' "$data/profiler_table_moe_train_step.txt" > other.txt
"$wlfmt" report "$data/profiler_table_moe_train_step.txt" other.txt -o compared_tables.html
grep -q 'cudaEventCreateWithFlagz (only B)' compared_tables.html
"$wlfmt" report other.txt other.txt > same.html
grep -q 'as long as before' same.html
grep -q 'What differs most' same.html && exit 1
# Large runs: pages have a limit, and nothing is left out unsaid.
for ranks in $sizes; do
    python3 "$root/tests/report/sized_runs.py" sized $ranks
done
python3 "$root/tests/report/numbers.py" "$wlfmt" sized/*
rm -r sized
for limit in 16:320000 128:600000 1024:2000000; do
    [ -e "ranks${limit%:*}.html" ] || continue
    size=$(wc -c < "ranks${limit%:*}.html")
    [ "$size" -lt ${limit#*:} ] || { echo "the page of ${limit%:*} ranks has $size bytes"; exit 1; }
done
# Names of files and operations with everything that means something in HTML.
mkdir hostile
long=$(awk 'BEGIN { while (n++ < 10000) printf "n" }')
for rank in 0 1; do
    for function in '<b onclick="x()">&amp;</script>' "$(printf '\342\200\256gpj.\327\251\327\234')" "$long"; do
        printf 'rank:%d:forward_step(stage_id=0,batch_id=0,duration=9.0,timestamp=%d,sub_operations=[\047trace_src_func=f,duration=%d.5,timestamp=%d,input__shape=[8],input__dtype=torch.uint8,group=tp,comm_func=%s\047])\n' \
            $rank $((n = ${n:-0} + 20)) $((rank + 1)) $((n - 3)) "$function"
    done > "hostile/\"><img src=x onerror=y>&_wd2_tp2_pp1_rank${rank}_20240923205004.txt"
    n=0
done
"$wlfmt" report hostile -o hostile.html 2> message.txt || { [ $? -eq 1 ]; cat message.txt; }
grep -q 'nnnnnnnnnn' hostile.html
grep -q '<b onclick\|<img src=x' hostile.html && exit 1
printf 'DATA\n2\n<b>%s -1 10 NONE 0 20 NONE 0 70 NONE 0 5\n\342\200\256</script> -1 10 NONE 0 20 NONE 0 70 NONE 0 5\n' "$long" > hostile_layers.txt
"$wlfmt" report hostile_layers.txt -o hostile_layers.html
set -- *.html
python3 "$root/tests/report/hashes.py" "$@"
python3 "$root/tests/report/rounding.py" "$@" > rounding.txt || { grep -B 1 '^ ' rounding.txt; exit 1; }
for page in "$@"; do
    command -v tidy > /dev/null || continue
    tidy -q -e --drop-empty-elements no "$page" > tidy.txt 2>&1 || { head tidy.txt; echo "$page is not valid"; exit 1; }
done
# What is embedded is what summary --json prints.
"$wlfmt" summary --json "$data/profiler_table_moe_train_step.txt" > table.json
python3 -c 'import re, sys; page, said = open("table.html").read(), open("table.json").read()
sys.exit(re.search("id=\"summary\">(.*?)</script>", page, re.S).group(1) != said.strip().replace("<", "\\u003c"))'

[ "$what" = all ] || exit 0
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || { echo 'no Chromium: not drawn'; exit 0; }
timeout 300 python3 "$root/tests/report/browser.py" "$chromium" "$work/profile" slow_rank.html lossy_slow_stage.html \
    separate.html experts.html hostile.html hostile_layers.html table.html workload.html compared.html compared_tables.html ranks1.html \
    ranks16.html ranks1024.html > browser.txt 2>&1 || { status=$?; cat browser.txt; [ $status -eq 77 ]; }
