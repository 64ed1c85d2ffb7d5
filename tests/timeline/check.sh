#!/bin/sh
# Timelines are what their format asks for: nesting slices, paired flows, times in order, whatever the clocks are; and
# memory does not grow with the number of files. usage: check.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
command -v python3 > /dev/null || exit 77
rm -rf "$work"
mkdir -p "$work"
validate() { python3 "$root/tests/timeline/validate.py" "$@"; }
cd "$work"

python3 "$root/tests/timeline/make_run.py" "$work/run" 0 3
"$wlfmt" timeline run/* -o even.json
validate even.json | tee even.txt
grep -q '8 processes, 248 slices, 0 instants, 36 flows, tracks: computation, dp, pp' even.txt

# Clocks 11 s apart: as they are, messages arrive before they are sent; aligned, no message does.
python3 "$root/tests/timeline/make_run.py" "$work/skewed" 11000 3
"$wlfmt" timeline --align=none skewed/* > skewed.json 2> skewed.err
validate skewed.json
grep -q 'messages arrive before being sent, as clocks differ: try --align=flows' skewed.err
"$wlfmt" timeline skewed/* -o hosts.json 2> hosts.err
validate hosts.json
grep -q 'the ranks have 4 clocks, up to 5[0-9.]* s apart, as on several hosts: they are moved by as little as' hosts.err
"$wlfmt" timeline --align=flows skewed/* -o flows.json 2> flows.err
validate flows.json
grep -q '^rank [0-9]*: clock moved by +[0-9.]* s$' flows.err
# Collectives say more than messages do: times are those of one clock, up to the difference between members that leave.
python3 "$root/tests/timeline/hosts.py" write hosts 604781000.25
"$wlfmt" timeline hosts -o hosts.json 2> hosts.err
grep -q 'the ranks have 3 clocks, up to 1209562\.000[0-9]* s apart, as on several hosts: they are moved so that members' hosts.err
python3 "$root/tests/timeline/hosts.py" check hosts hosts.json 0.07
python3 "$root/tests/timeline/hosts.py" write near -12.5
"$wlfmt" timeline near -o near.json 2> near.err
grep -q 'clocks, up to 0\.02[45][0-9]* s apart' near.err
python3 "$root/tests/timeline/hosts.py" check near near.json 0.07
"$wlfmt" timeline --align=none near -o near.json 2> /dev/null
python3 "$root/tests/timeline/hosts.py" check near near.json 0.07 > /dev/null && exit 1
"$wlfmt" timeline --align=collectives hosts -o hosts.json 2> hosts.err
python3 "$root/tests/timeline/hosts.py" check hosts hosts.json 0.07
# Of two ranks that come last, as far as clocks can tell, one waits for the other, too: the arrow to who waited for it
# begins there all the same.
mkdir late
rank=0
for duration in 10.00 1.03 1.00; do
    echo "rank:$rank:forward_step(stage_id=0,batch_id=0,duration=20.00,timestamp=1020.00,sub_operations=['trace_src_func=f,duration=$duration,timestamp=1012.00,group=tp,comm_func=allreduce'])" \
        > late/wd3_tp3_pp1_exp1_rank${rank}_20250101000000.txt
    rank=$((rank + 1))
done
"$wlfmt" timeline late | grep -o '"ph":"[sf]","pid":[0-9]' | sort > late.txt
printf '"ph":"%s","pid":%s\n' f 0 f 1 s 1 s 2 | cmp - late.txt
"$wlfmt" timeline --align=collectives skewed/*rank[04]* -o none.json 2> none.err && exit 1
grep -q 'no two ranks have a timed call of their group in common' none.err
# Aligned by an operation that ends in all ranks at the same time, the run is as it was with one clock, except for its
# name.
"$wlfmt" timeline --align=optimizer_step skewed/* -o step.json 2> /dev/null
cmp even.json step.json

# Ranks that were traced one after the other get a warning; laid over each other, they do not.
"$wlfmt" timeline run/*rank[01]* > /dev/null 2> even.err
grep -q 'overlap' even.err && exit 1
mkdir -p apart
printf 'rank:0:a(duration=5.0,timestamp=105.0)\n' > apart/rank0.txt
printf 'rank:1:a(duration=5.0,timestamp=305.0)\n' > apart/rank1.txt
"$wlfmt" timeline apart/* -o apart.json 2> apart.err
grep -q 'traced one after the other: each begins at 0; --align=none leaves them as they are' apart.err
[ "$(grep -c '"ts":0,"dur":5000,' apart.json)" = 2 ]
"$wlfmt" timeline --align=none apart/* > /dev/null 2> apart.err
grep -q 'no two ranks overlap in time, as if they were traced one after the other: try --align=first' apart.err
"$wlfmt" timeline --align=first apart/* > /dev/null 2> apart.err
grep -q 'overlap' apart.err && exit 1

# A group of ranks a file, or some ranks alone.
"$wlfmt" timeline run/* -o groups/trace.json --ranks-per-file=3 2> /dev/null && exit 1
mkdir groups
"$wlfmt" timeline run/* -o groups/trace.json --ranks-per-file=4
[ "$(ls groups | tr '\n' ' ')" = 'trace.0-3.json trace.4-7.json ' ]
"$wlfmt" timeline run/* --ranks=0-1,6 > some.json
validate some.json | grep -q '3 processes'

# Every sample and every file of the tests that has a time.
for file in "$root"/tests/data/oplog_*.txt "$root"/tests/data/oplog/*.txt; do
    "$wlfmt" timeline "$file" -o "of_$(basename "$file" .txt).json" > /dev/null 2> one.err || rm -f "of_$(basename "$file" .txt).json"
done
for file in "$root"/tests/data/workload_*.txt; do
    "$wlfmt" timeline "$file" -o "of_$(basename "$file" .txt).json" 2> /dev/null
done
validate of_*.json > of.txt || { cat of.txt; exit 1; }

# Fifty times the files, hardly more memory: only a few words are kept for each rank. (ulimit -v would count libraries, too, and
# the address sanitizer keeps what was freed unless it is told not to.)
peak() { ASAN_OPTIONS=quarantine_size_mb=0:thread_local_quarantine_size_kb=0 python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
mkdir many
sample=$root/tests/data/oplog_rank7_pipeline_last_stage.txt
awk '{ line[NR] = $0 } END { for (n = 0; n < 500; ++n) {
    name = "many/rank" n ".txt"
    for (k = 1; k <= NR; ++k) { one = line[k]; sub(/^rank:7:/, "rank:" n ":", one); print one > name }
    close(name) } }' "$sample"
few=$(peak "$wlfmt" timeline many/rank1?.txt)
all=$(peak "$wlfmt" timeline many/*.txt)
echo "10 files: $few KB, 500 files: $all KB"
[ "$all" -lt $((few + 4096)) ]

# With one large log, events are written wherever all that came before has ended. What the answers keep of each of the
# 30,000 further operations, and of what is nested in each, is all that memory grows by: 200 bytes for each of the two.
grow() { awk -v count="$1" 'BEGIN { for (n = 1; n <= count; ++n)
    printf "rank:3:forward_step(stage_id=1,batch_id=%d,duration=7.5,timestamp=%d.25,sub_operations=[\047duration=2.5,timestamp=%d.5,group=tp,comm_func=allreduce\047])\n",
        n, 1000 + 8 * n, 999 + 8 * n }' > "log$1.txt"; }
grow 10000
grow 40000
few=$(peak "$wlfmt" timeline log10000.txt)
all=$(peak "$wlfmt" timeline log40000.txt)
echo "10000 operations: $few KB, 40000 operations: $all KB"
[ "$all" -lt $((few + 30000 * 2 * 200 / 1024)) ]
"$wlfmt" timeline log10000.txt > large.json
validate large.json
rm -f log10000.txt log40000.txt large.json
