#!/bin/sh
# The command does what its usage says. usage: check.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$root/tests/data" || exit 1
failed=0 count=0
# What takes a moment without a sanitizer, and several seconds with one, has a tenth of the lines there.
few=1
[ -z "${WLFMT_SANITIZED-}" ] || few=10

# expect STATUS STDOUT STDERR COMMAND...: the exit status, and the whole output; `*` matches anything.
expect() {
    status=$1 out=$2 err=$3
    shift 3
    "$@" > "$work/out" 2> "$work/err" < "${stdin:-/dev/null}"
    have=$?
    count=$((count + 1))
    [ "$have" -eq "$status" ] || { echo "$*: exit status $have, not $status"; failed=1; }
    printf '%s' "$out" > "$work/want"
    [ "$out" = '*' ] || cmp -s "$work/want" "$work/out" || { echo "$*: standard output:"; diff "$work/want" "$work/out"; failed=1; }
    printf '%s' "$err" > "$work/want"
    [ "$err" = '*' ] || cmp -s "$work/want" "$work/err" || { echo "$*: standard error:"; diff "$work/want" "$work/err"; failed=1; }
}
# title TEXT: what the next commands show; it is printed when one of them fails.
title() { title=$1; }
# holds WORD...: the last standard output or error contains each of the words.
holds() {
    for word in "$@"; do
        grep -qF -- "$word" "$work/out" "$work/err" || { echo "no \"$word\" in the output"; cat "$work/out" "$work/err"; failed=1; }
    done
}

oplog=oplog_rank7_pipeline_last_stage.txt
workload=workload_moe_128gpus.txt
table=profiler_table_moe_train_step.txt

expect 2 '' '*' "$wlfmt"
holds 'usage: wlfmt COMMAND'
expect 2 '' '*' "$wlfmt" bake $oplog
expect 2 '' '*' "$wlfmt" json
expect 2 '' '*' "$wlfmt" format $oplog $oplog
expect 2 '' '*' "$wlfmt" json --kind=xml $oplog
expect 2 '' '*' "$wlfmt" check --limit=many $oplog
expect 2 '' '*' "$wlfmt" check --colour $oplog
expect 2 '' '*' "$wlfmt" json --strict --lenient $oplog
expect 2 '' '*' "$wlfmt" json --prefix= $oplog
expect 2 '' '*' "$wlfmt" set $oplog
expect 2 '' '*' "$wlfmt" set $oplog operations.0.duration
expect 0 '*' '' "$wlfmt" help
holds 'Exit status: 0 clean, 1 problems, 2 wrong usage or a file that cannot be read or'
expect 0 '*' '' "$wlfmt" --version

expect 0 "$oplog: oplog, 9 records, 48 sub-operations
" '' "$wlfmt" check $oplog
expect 0 "$workload: workload, 98 layers, 1 warning
" "$workload:2:1: warning: layer_count_mismatch: the header declares 96 layers, 98 follow
  96
  ^~
" "$wlfmt" check $workload
expect 1 "$workload: workload, 98 layers, 1 problem
" '*' "$wlfmt" check --strict $workload
expect 0 "$table: table, 1 table, 84 rows
" '' "$wlfmt" check $table
expect 1 '*' '*' "$wlfmt" check --strict $oplog $workload
expect 0 '*' '*' "$wlfmt" check $oplog $workload
holds "$oplog: oplog" "$workload: workload"

expect 2 '' 'nowhere.txt: error: cannot_open: the file cannot be opened: No such file or directory
' "$wlfmt" check nowhere.txt
expect 2 '' '.: error: is_directory: this is a directory, not a file
' "$wlfmt" format .
: > "$work/empty"
expect 1 '*' '*' "$wlfmt" check "$work/empty"
holds 'error: unknown_format: the file is empty'
expect 1 '' '*' "$wlfmt" json --kind=workload "$work/empty"
holds 'error: no_records: the text holds no layer'
expect 1 '' '*' "$wlfmt" json --kind=oplog $table
holds 'error: no_records: the text holds no rank op-log record'

# from-json is the way back. A build without simdjson says so, once, whatever the file.
if "$wlfmt" from-json $oplog 2>&1 | grep -q 'not in this build'; then
    expect 2 '' '*' "$wlfmt" from-json nowhere.txt
    holds 'compile with -DWLFMT_WITH_SIMDJSON and -lsimdjson'
else
    for file in oplog_rank7_moe_simulation.txt $oplog workload_dense_1024gpus.txt; do
        "$wlfmt" json $file > "$work/json"
        expect 0 "$(cat $file)
" '' "$wlfmt" from-json "$work/json"
    done
    # Titles and the widths of cut names are not in JSON, all values are.
    "$wlfmt" json $table > "$work/json"
    "$wlfmt" from-json "$work/json" > "$work/table"
    expect 0 "$(cat "$work/json")
" '' "$wlfmt" json "$work/table"
    # A stream that ends too early is reported, and so is a second workload file.
    "$wlfmt" json workload_dense_1024gpus.txt > "$work/json"
    head -n 30 "$work/json" > "$work/half.json"
    expect 1 '*' '*' "$wlfmt" from-json "$work/half.json"
    holds 'error: layer_count_mismatch: the header declares'
    [ "$(wc -l < "$work/out")" -eq 31 ] || { echo 'from-json of half a file: other than 29 layers'; failed=1; }
    "$wlfmt" json $workload > "$work/json" 2> "$work/err"
    expect 0 "$("$wlfmt" format $workload 2> "$work/err" | sed "1s/pp_comm /pp_comm: /")
" '*' "$wlfmt" from-json "$work/json"
    holds 'warning: layer_count_mismatch: the header declares 96 layers, 98 follow'
    "$wlfmt" json workload_dense_1024gpus.txt workload_dense_1024gpus.txt > "$work/two.json"
    expect 1 "$(cat workload_dense_1024gpus.txt)
" '*' "$wlfmt" from-json "$work/two.json"
    holds 'error: another workload file begins here'
    # What json prints of damaged cells and entries is taken back.
    for file in damaged/table_cut_cell damaged/workload_notes_after_the_layers; do
        expect 0 '*' '*' "$wlfmt" from-json $file.jsonl
        "$wlfmt" from-json $file.jsonl 2> /dev/null > "$work/text"
        expect 0 "$(cat $file.jsonl)
" '*' "$wlfmt" json --lenient "$work/text"
    done
    printf 'DATA checkpoints: all pp: 2\n0\n' > "$work/all"
    expect 0 '{"policy":"DATA","header":{"checkpoints":"all","pp":2},"declared_layers":0}
' '*' "$wlfmt" json --kind=workload "$work/all"
    "$wlfmt" json --kind=workload "$work/all" 2> /dev/null > "$work/json"
    expect 0 "$(cat "$work/all")
" '*' "$wlfmt" from-json "$work/json"
    holds 'warning: checkpoints: written as it is, this would not read back'
    # The first wrong guesses: the text itself, something else, JSON of another format.
    expect 1 '' '*' "$wlfmt" from-json $oplog
    holds 'this is a file of the format `oplog` itself, not its JSON'
    printf '{"a":1}\n' > "$work/other"
    expect 1 '' '*' "$wlfmt" from-json "$work/other"
    holds 'from-json reads what `wlfmt json` prints'
    "$wlfmt" json $table > "$work/json"
    expect 1 '' '*' "$wlfmt" from-json --kind=workload "$work/json"
    holds ':1:3: error: unknown_member: there is no place for columns'
    # What can be read is written; the rest is reported with line, column and path.
    printf '%s\n' '{"rank":1,"op":"a"}' '{"rank":2,"op":"b","duration":{}}' '{"rank":3,"op":"c","description":"x\ny"}' \
        '{"rank":4,"op":"d"}' > "$work/mixed"
    expect 1 'rank:1:a()
rank:4:d()
' "$work/mixed:2:31: error: wrong_type: duration: an object where a scalar is expected
  {\"rank\":2,\"op\":\"b\",\"duration\":{}}
                                ^
$work/mixed:3:1: error: description: written as it is, this would not read back
  {\"rank\":3,\"op\":\"c\",\"description\":\"x\\ny\"}
  ^
" "$wlfmt" from-json "$work/mixed"
fi

# csv: one table of all files; files of two formats are refused.
expect 0 '*' '' "$wlfmt" csv oplog_rank7_moe_simulation.txt $oplog
[ "$(grep -c . "$work/out")" -eq 14 ] || { echo "csv: not 13 records and the names"; failed=1; }
holds "oplog_rank7_moe_simulation.txt,0,rank,7,forward_step,1,0,,8.3,simulation,,,,,,3375746596.92,6,"
printf 'rank:0:a(description==cmd(),duration=-1.5)\n' > "$work/formula"
expect 0 '*' '' "$wlfmt" csv --no-formulas "$work/formula"
holds ",-1.5,'=cmd(),"
expect 0 '*' '' "$wlfmt" csv --of=sub-operations $oplog
[ "$(grep -c . "$work/out")" -eq 49 ] || { echo "csv: not 48 sub-operations and the names"; failed=1; }
expect 1 '*' '*' "$wlfmt" csv $table $oplog
holds "$oplog: error: a file of the format \`oplog\` among those of \`table\`, which $table is: give the files of one format"
expect 1 '*' '*' "$wlfmt" csv --of=sub-operations $table
holds 'only op logs have sub-operations'
expect 2 '' '*' "$wlfmt" csv --of=layers $workload
expect 1 '*' '*' "$wlfmt" csv --of=waits $workload
holds 'only op logs say who waits'
expect 2 '' '*' "$wlfmt" json --of=records $oplog
expect 2 '' '*' "$wlfmt" csv nowhere.txt
printf '%s\n' '-----  ------' ' Name  Colour' '-----  ------' '    a  red' '-----  ------' > "$work/colours"
# Tables of different columns have all of them.
expect 0 'file,table,row,Name,Colour,Self CPU (us),# of Calls
'"$work"'/colours,0,0,a,red,,
table/small.txt,0,0,aten::mm,,13980.0,12
table/small.txt,0,1,aten::relu_,,0.25,3
' '' sh -c "'$wlfmt' csv --of=rows '$work/colours' table/small.txt | tr -d '\r'"
expect 0 'file,table,row,name,Colour,device,self_cpu_time_us,calls
'"$work"'/colours,0,0,a,red,,,
table/small.txt,0,0,aten::mm,,,13980.0,12
table/small.txt,0,1,aten::relu_,,,0.25,3
' '' sh -c "'$wlfmt' csv --canonical '$work/colours' table/small.txt | tr -d '\r'"
expect 1 '*' '*' "$wlfmt" csv --table=2 "$work/colours"
holds "$work/colours: error: there is no table 2: the file has 1 table, counted from 1"
expect 2 '' '*' "$wlfmt" csv --table=0 "$work/colours"
holds '--table=N: `0` is not a number above 0'
expect 1 '' '*' "$wlfmt" csv --table=1 $oplog
holds 'only files of tables have tables; leave --table out'
expect 0 '*' '' "$wlfmt" json --canonical table/flops.txt
holds '{"name":"aten::conv2d","self_cpu_time_us":1000.0,"calls":20,"flops":18135613440.0,"device":""}'
expect 1 '' '*' "$wlfmt" csv --of=rows $workload
holds 'only tables have rows'

# timeline: what has no time has no timeline, and the message says what to do.
expect 1 '' '*' "$wlfmt" timeline $table
holds 'a profiler table holds sums, not when anything happened' '`wlfmt plot` draws its heaviest rows'
printf '%s\n' 'stage:0:get_batch(batch_id=0, mg_state=warmup, duration=None)' > "$work/plan"
expect 1 '' '*' "$wlfmt" timeline "$work/plan"
holds 'no operation has a time that can be drawn'
stdin=$oplog
expect 1 '' '*' "$wlfmt" timeline -
holds 'op logs are read twice, which standard input and pipes cannot be'
stdin=
expect 1 '' '*' "$wlfmt" timeline $oplog oplog_rank7_moe_simulation.txt
holds "oplog_rank7_moe_simulation.txt: error: rank 7 is in $oplog too: give the files of one run"
expect 1 '*' '*' "$wlfmt" timeline $oplog $workload
holds 'give the files of one format'
expect 1 '' '*' "$wlfmt" timeline --align=bake $oplog
holds 'no rank has an operation `bake` with a time; --align= takes first, flows, collectives, none, or the name of an operation'
expect 2 '' '*' "$wlfmt" timeline --ranks=7-1 $oplog
expect 2 '' '*' "$wlfmt" timeline --ranks-per-file=8 $oplog
expect 2 '' '*' "$wlfmt" timeline $oplog -o
expect 2 '' '*' "$wlfmt" timeline $oplog -o /no/such/folder/trace.json
holds '/no/such/folder/trace.json: error: the file cannot be opened for writing'

# plot: a picture of each format, and a message if there is nothing to draw.
for file in $oplog workload_dense_1024gpus.txt $table; do
    expect 0 '*' '' "$wlfmt" plot $file
    holds '<svg xmlns=' '</svg>'
done
expect 1 '' '*' "$wlfmt" plot "$work/plan"
holds 'no operation has a time that can be drawn'
cp $table "$work/table"
expect 1 '' '*' "$wlfmt" plot $table "$work/table"
holds 'give one run, one workload file or one file of tables at a time'
# Exit status 0 would say that all of the input is in the picture.
cat $table $table > "$work/tables"
expect 1 '*' '*' "$wlfmt" plot "$work/tables"
holds 'the first of 2 tables is drawn: --table=2 draws the second one' '</svg>'
# One of several tables.
cat table/small.txt "$work/colours" > "$work/tables"
for command in plot report; do
    expect 0 '*' '' "$wlfmt" $command --table=1 "$work/tables"
    holds 'aten::relu_'
    expect 0 '*' '' "$wlfmt" $command --table=2 "$work/tables"
    ! grep -q 'aten::relu_' "$work/out" || { echo "$command --table=2 shows another table"; failed=1; }
    expect 1 '' '*' "$wlfmt" $command --table=3 "$work/tables"
    holds 'there is no table 3: the file has 2 tables, counted from 1'
    expect 2 '' '*' "$wlfmt" $command --table=1 "$work/tables" table/small.txt
    holds '--table is for one file'
    for other in $oplog $workload; do
        expect 1 '' '*' "$wlfmt" $command --table=1 $other
        holds 'only files of tables have tables; leave --table out'
    done
done
# A page of two tables: one of them may be one of several in its file.
expect 0 '*' '' "$wlfmt" report "$work/tables:1" table/small.txt
expect 2 '*' '*' "$wlfmt" report "$work/tables:3" table/small.txt
holds 'has no table 3; 1 is its first one'
expect 1 '*' '*' "$wlfmt" plot $oplog $table
holds 'give one run, one workload file or one file of tables at a time'
expect 1 '' '*' "$wlfmt" plot "$work/empty"
expect 2 '' '*' "$wlfmt" plot

# What work is bound by, and what is missing, in a summary and on a page.
cat > "$work/bound" <<'END'
------------------------------  ------------  ------------  ------------
                          Name      Self CPU     Self CUDA    # of Calls
------------------------------  ------------  ------------  ------------
              cudaLaunchKernel      90.000ms       0.000us            17
         cudaDeviceSynchronize      10.000ms       0.000us             1
        void at::add_kernel<4>       0.000us       6.000ms            16
ncclDevKernel_AllReduce_Sum(x)       0.000us       1.500ms             1
                       forward       0.000us     250.000us             1
                 ProfilerStep*       0.000us       8.500ms             1
------------------------------  ------------  ------------  ------------
Self CPU time total: 100.000ms
Self CUDA time total: 7.750ms
END
expect 0 '*' '' "$wlfmt" summary "$work/bound"
holds 'kernels take 7.500ms of 7.750ms on the device, 96.8%; communication 1.500ms, other kernels 6.000ms' \
    'device rows, kernels or annotations by names that do not tell, take 250.000us' \
    'the total of the processor is 12.9 times that of the device, and it waits for the device 10.0% of that time: launches and the program, not kernels, take the time'
expect 0 '*' '' "$wlfmt" summary --json "$work/bound"
holds '"device_rows":[{"name":"forward","rows":1,"Self CUDA":250' '"annotations":[{"name":"ProfilerStep*"'
expect 0 '*' '' "$wlfmt" report "$work/bound"
holds '<li>Kernels take 7.500ms of 7.750ms on the device, 96.8%; communication 1.500ms, other kernels 6.000ms.</li>'
# What row_limit has left out may be kernels of either kind.
sed '/nccl/d; /ProfilerStep/d; s/: 7.750ms/: 8.000ms/' "$work/bound" > "$work/limited"
expect 0 '*' '' "$wlfmt" summary "$work/limited"
holds "its rows hold 78.1% of the device's total: others were left out" \
    'kernels take 6.000 to 7.750ms of 8.000ms on the device, 75.0 to 96.9%; communication <= 1.750ms, other kernels 6.000 to 7.750ms'
# Most of the processor's time is waiting, or part of it is in no row: no verdict.
for change in 's/90.000ms/40.000ms/; s/10.000ms/60.000ms/' 's/90.000ms/89.000ms/' 's/: 7.750ms/: 9.100ms/'; do
    sed "$change" "$work/bound" > "$work/unbound"
    expect 0 '*' '' "$wlfmt" summary "$work/unbound"
    holds 'times that of the device'
    ! grep -q 'launches and the program' "$work/out" || { echo "$change: a verdict"; failed=1; }
done
# The total counts annotations.
sed '/forward/d; s/: 7.750ms/: 16.000ms/' "$work/bound" > "$work/counted"
expect 0 '*' '' "$wlfmt" summary "$work/counted"
holds 'the total counts annotations, too: without them it is 7.500ms' 'kernels take 7.500ms of 16.000ms on the device, 46.9%;'
# It may count kernels that are missing instead, where operators have times of such kernels, or rows of operators are
# missing, or there is no total of these.
for change in 's/90.000ms       0.000us/90.000ms       9.500ms/' 's/: 100.000ms/: 200.000ms/' '/Self CPU time total/d'; do
    sed "$change" "$work/counted" > "$work/either"
    expect 0 '*' '' "$wlfmt" summary "$work/either"
    case $change in
        /*) holds "its rows hold 46.9 to 100.0% of the device's total: others may have been left out" ;;
        *) holds "its rows hold 46.9 to 100.0% of the device's total: others were left out" ;;
    esac
    case $change in *9.500ms*) part='9.500 to 16.000ms of 16.000ms on the device, 59.4 to 100.0%' ;; *) part='7.500 to 16.000ms of 16.000ms on the device, 46.9 to 100.0%' ;; esac
    holds "kernels take $part; communication 1.500 to 10.000ms, other kernels 6.000 to 14.500ms"
    ! grep -q 'counts annotations' "$work/out" || { echo "$change: the total is said to count annotations"; failed=1; }
    expect 0 '*' '' "$wlfmt" report "$work/either"
    holds "Kernels take $part; communication 1.500 to 10.000ms, other kernels 6.000 to 14.500ms"
done
# Annotations that are more than the total has beside kernels are not in it.
sed '/nccl/d; s/: 7.750ms/: 8.000ms/' "$work/bound" > "$work/uncounted"
expect 0 '*' '' "$wlfmt" summary "$work/uncounted"
holds "its rows hold 78.1% of the device's total: others were left out" 'communication <= 1.750ms'
expect 1 '*' '' "$wlfmt" diff "$work/counted" "$work/uncounted"
holds 'uncounted has rows for 78.1% of the total' '  ncclDevKernel_AllReduce_Sum(x)  1.500ms'
! grep -q 'counted has rows for 46.9%' "$work/out" || { echo 'the total counts annotations, and diff misses rows'; failed=1; }
sed '/Kernel_\|add_kernel\|forward/d' "$work/bound" > "$work/unkernelled"
expect 0 '*' '' "$wlfmt" report "$work/unkernelled"
holds '<h1>It has no row of a kernel</h1>'
sed '/Kernel_\|add_kernel\|forward\|Profiler/d; s/0.000us            17/4.000us            17/' "$work/bound" > "$work/operators"
expect 0 '*' '' "$wlfmt" summary "$work/operators"
holds 'it has rows of operators only, and no row of a kernel'
expect 0 '*' '' "$wlfmt" summary $table
holds 'no row has a time of its own on the device: only `CUDA total` holds times'
sed 's/^\(.*0\.000us  *0\.00%\)  .\{12\}  .\{12\}/\1       0.000us       0.000us/' $table > "$work/idle"
expect 0 '*' '' "$wlfmt" summary "$work/idle"
holds 'its columns of the device hold no time'
# The summary within a page is that of the table which --table chooses.
cat "$work/bound" table/small.txt > "$work/tables"
expect 0 '*' '' "$wlfmt" report --table=2 "$work/tables"
holds '"format":"table","tables":[{"rows":2,'
! grep -q 'cudaLaunchKernel' "$work/out" || { echo 'report --table=2 embeds another table'; failed=1; }

# diff: the exit status is for a CI job.
expect 0 '' '' "$wlfmt" diff $oplog $oplog
sed 's/duration=8.3,/duration=9.3,/' oplog_rank7_moe_simulation.txt > "$work/slower"
expect 1 'changed  forward_step  duration_ms  8.3 -> 9.3  +12.0 %
' '' "$wlfmt" diff oplog_rank7_moe_simulation.txt "$work/slower"
expect 0 '' '' "$wlfmt" diff --tolerance=15% oplog_rank7_moe_simulation.txt "$work/slower"
expect 1 '*' '' "$wlfmt" diff --tolerance=0.05 --json --by=operation oplog_rank7_moe_simulation.txt "$work/slower"
holds '{"change":"changed","item":"forward_step","field":"duration_ms","before":8.3,"after":9.3,"ratio":0.12'
expect 1 '*' '' "$wlfmt" diff --markdown oplog_rank7_moe_simulation.txt "$work/slower"
holds '## oplog\_rank7\_moe\_simulation.txt and ' '| forward\_step | changed | duration\_ms | 8.3 | 9.3 | +12.0% | 3.1% |'
expect 2 '' '*' "$wlfmt" diff --markdown --json $oplog $oplog
# 1 of 32.17 ms of all operations, and of 8.3 ms.
expect 3 '*' '*' "$wlfmt" diff --fail-above=5% oplog_rank7_moe_simulation.txt "$work/slower"
holds 'wlfmt: forward_step grew by +1 ms (+12.0%), which is above 5%'
expect 3 '*' '*' "$wlfmt" diff --fail-above=0.9ms oplog_rank7_moe_simulation.txt "$work/slower"
expect 0 '*' '' "$wlfmt" diff --fail-above=1.1ms oplog_rank7_moe_simulation.txt "$work/slower"
expect 0 '*' '' "$wlfmt" diff --fail-above=13% oplog_rank7_moe_simulation.txt "$work/slower"
expect 0 '*' '' "$wlfmt" diff --fail-above=1% "$work/slower" oplog_rank7_moe_simulation.txt
sed 's/duration=8.3,/duration=98.3,/' oplog_rank7_moe_simulation.txt > "$work/slowest"
expect 3 '*' 'wlfmt: the time of all operations grew by +90 ms (+287.0%), which is above 250%
' "$wlfmt" diff --fail-above=250% oplog_rank7_moe_simulation.txt "$work/slowest"
expect 0 '*' '' "$wlfmt" diff --fail-above=290% oplog_rank7_moe_simulation.txt "$work/slowest"
# Of runs in folders, the ranks count; files of earlier runs and of other formats do not.
mkdir -p "$work/before" "$work/after"
for rank in 0 1; do
    printf 'rank:%s:f(stage_id=0,duration=%s)\n' $rank $((rank + 4)).5 > "$work/before/wd2_rank${rank}_20240101000000.txt"
    printf 'rank:%s:f(stage_id=0,duration=%s)\n' $rank $((5 - rank)).5 > "$work/after/wd2_rank${rank}_20240201000000.txt"
    printf 'rank:%s:f(stage_id=0,duration=99.5)\n' $rank > "$work/after/wd2_rank${rank}_20240101000000.txt"
done
cp $table "$work/after/notes.txt"
expect 1 'changed  rank 0: f  duration_ms  4.5 -> 5.5  +22.2 %
changed  rank 1: f  duration_ms  5.5 -> 4.5  -18.2 %
' '*' "$wlfmt" diff "$work/before" "$work/after"
holds 'notes.txt: warning: this is no op log, and left out'
expect 1 'changed  rank 0, stage 0: f  duration_ms  4.5 -> 5.5  +22.2 %
changed  rank 1, stage 0: f  duration_ms  5.5 -> 4.5  -18.2 %
' '*' "$wlfmt" diff --by=rank,stage,operation --tolerance=18% "$work/before" "$work/after"
expect 0 '' '*' "$wlfmt" diff --by=stage,operation "$work/before" "$work/after"
expect 0 '' '*' "$wlfmt" diff --tolerance=20% "$work/before" "$work/after"
expect 2 '' "wlfmt: $oplog is of the format \`oplog\`, $table of \`table\`: give two files of one format
" "$wlfmt" diff $oplog $table
expect 2 '' 'wlfmt: files of the format `table` are compared by name, kernel, operator or row, not by layer
' "$wlfmt" diff --by=layer $table $table
expect 2 '' '*' "$wlfmt" diff $oplog
expect 2 '' '*' "$wlfmt" diff $oplog nowhere.txt
holds 'nowhere.txt: error: cannot_open'
# What is there is compared.
expect 1 '*' '*' "$wlfmt" diff oplog/error_bad_list.txt oplog/error_bad_list.txt
expect 2 '' '*' "$wlfmt" diff --strict $oplog oplog/error_bad_list.txt
expect 2 '' '*' "$wlfmt" diff --tolerance=150% $oplog $oplog
expect 2 '' 'wlfmt: standard input is one file: give another one to compare it with
' "$wlfmt" diff - -
# Tables by name. Two versions of PyTorch, two devices; a profile that is there twice, sorted in two ways.
cat > "$work/before.table" <<'END'
----------------  --------------  ---------  ---------  ---------------
Name              Self CPU total  CPU total  Self CUDA  Number of Calls
----------------  --------------  ---------  ---------  ---------------
aten::mm                 4.000ms    5.000ms    6.000ms                3
aten::mm                 1.000ms    2.000ms    2.000ms                4
aten::add                2.000ms    2.000ms    1.500ms                5
a_step                   3.000ms    9.000ms    0.000us                1
void gemm<float>         0.000us    0.000us    8.000ms                7
void add_12              0.000us    0.000us    1.500ms                5
a_step                   0.000us    0.000us    9.750ms                1
----------------  --------------  ---------  ---------  ---------------
Self CPU time total: 10.000ms
Self CUDA time total: 9.500ms
END
{
    sed 's/CUDA/XPU /; s/CPU total  CPU total/CPU        CPU total/; s/Number of Calls/     # of Calls/; s/8.000ms                7/9.000ms                8/
        s/add_12/add_13/; s/9.500ms/10.500ms/; s/total: /total: /; s/XPU  time/XPU time/' "$work/before.table"
    sed -n 1,3p "$work/before.table" | sed 's/CUDA/XPU /; s/CPU total  CPU total/CPU        CPU total/; s/Number of Calls/     # of Calls/'
    echo 'void gemm<float>         0.000us    0.000us    9.000ms                8'
    sed -n '11,13p' "$work/before.table" | sed 's/CUDA/XPU/; s/9.500ms/10.500ms/'
} > "$work/after.table"
expect 1 'self_device_time_us: 9.500ms -> 10.500ms, +1.000ms (+10.5%)
  '"$work"'/after.table has 2 tables of 1 profile, each of which counts once
  4 names do not differ

  kernels            before    after  difference   of all  calls  calls after
  void add_12       1.500ms        -    -1.500ms  -150.0%      5            -
  void add_13             -  1.500ms    +1.500ms   150.0%      -            5
  void gemm<float>  8.000ms  9.000ms    +1.000ms   100.0%      7            8
' '' "$wlfmt" diff "$work/before.table" "$work/after.table"
expect 1 '{"format":"table","columns":["self_cpu_time_us","calls"],"before":{"name":"before.table","tables":1,"profiles":1,"total":10000,"total_is_named":true,"rows_total":10000,"has_all_rows":true},"after":{"name":"after.table","tables":2,"profiles":1,"total":10000,"total_is_named":true,"rows_total":10000,"has_all_rows":true},"difference":0,"same":5,"folded":5,"matched":0,"names":1,"further":{"calls":{"before":25,"after":26,"difference":1}}}
{"kind":"kernel","name":"void gemm<>","self_cpu_time_us":{"before":0,"after":0,"difference":0},"calls":{"before":7,"after":8,"difference":1}}
' '' sh -c "cd '$work' && '$wlfmt' diff --json --fold-names '--columns=Self CPU,calls' before.table after.table"
expect 3 '*' 'wlfmt: the total of self_device_time_us grew by +1.000ms (+10.5%), which is above 5%
wlfmt: the kernel `void gemm<>` grew by +1.000ms (+12.5%), which is above 5%
' "$wlfmt" diff --fold-names --by=kernel --fail-above=5% "$work/before.table" "$work/after.table"
expect 0 '*' '' "$wlfmt" diff --fold-names --fail-above=1ms "$work/before.table" "$work/after.table"
expect 0 '*' '' "$wlfmt" diff --fold-names --fail-above=13% "$work/before.table" "$work/after.table"
# Of one text its first two tables are compared; a number after a colon chooses others.
cat "$work/before.table" "$work/after.table" > "$work/both.table"
expect 1 '*' '' "$wlfmt" diff "$work/both.table:1" "$work/after.table"
cp "$work/out" "$work/chosen"
expect 1 '*' '' "$wlfmt" diff "$work/before.table" "$work/after.table"
sed "s/both.table:1/before.table/" "$work/chosen" | cmp -s - "$work/out" || { echo 'diff FILE:1: another table'; failed=1; }
expect 1 '*' '' "$wlfmt" diff "$work/both.table"
sed "s/[^ ]*both.table:/-:/" "$work/out" > "$work/chosen"
stdin=$work/both.table
expect 1 '*' '' "$wlfmt" diff -
cmp -s "$work/chosen" "$work/out" || { echo 'diff -: other tables than those of a file'; failed=1; }
stdin=$workload
expect 2 '' '*' "$wlfmt" diff -
stdin=
holds '- is no text with two tables: give two files'
expect 2 '*' '*' "$wlfmt" diff "$work/both.table:1" "$work/both.table:9"
holds 'has no table 9; 1 is its first one'
expect 2 '*' '*' "$wlfmt" diff "$work/both.table:0" "$work/both.table:1"
holds 'has no table 0; 1 is its first one'
expect 1 '*' '' "$wlfmt" diff --table=2,1 "$work/both.table"
holds '9.000ms  8.000ms    -1.000ms'
expect 2 '' '*' "$wlfmt" diff --table=1 "$work/both.table"
holds '`1` is not two numbers like 1,3'
expect 2 '' '*' "$wlfmt" diff --table=1,2 "$work/both.table" "$work/before.table"
holds '--table=A,B is for one file: of two, FILE:2 is the second table'
expect 2 '' '*' "$wlfmt" diff "$workload"
holds 'is no text with two tables: give two files'
# A table that a terminal wrapped is read with its lines joined, whether it kept the blanks at their ends or not.
"$wlfmt" json "$table" > "$work/whole.jsonl"
for width in 40 54 77 120 150; do
    for prefix in '' '[rank0]: '; do
        sed "s/^/$prefix/" "$table" | fold -w $width > "$work/wrapped.table"
        sed 's/ *$//' "$work/wrapped.table" > "$work/bare.table"
        for name in wrapped bare; do
            expect 0 '*' '*' "$wlfmt" json "$work/$name.table"
            [ $name = bare ] || holds "its table was wrapped at $width columns"
            cmp -s "$work/whole.jsonl" "$work/out" || { echo "a table wrapped at $width, $name: other values"; failed=1; }
        done
    done
done
# What a paste did to a table that still reads as one is told: lines in no table, columns cut out, other letters.
pasted() {
    cat > "$work/pasted.table"
    expect 1 '*' '*' "$wlfmt" json "$work/pasted.table"
    holds "$1"
    expect 0 '*' '*' "$wlfmt" json --lenient "$work/pasted.table"
    holds "$1"
}
sed 's/^Self/loss 0.3\n&/' table/small.txt | pasted ":8:1: "
holds "warning: lost_lines: 1 line, of which this is the first, looks like a table's"
expect 0 '*' '*' "$wlfmt" check --kind=table "$work/pasted.table"
holds ':8:1: warning: lost_lines: 1 line'
sed '1,$s/^/[1:01] /; 5s/1:01/1/; 6s/01/1/' table/small.txt | pasted ':5:1: '
sed '4s/.*/&\n---------------  ------------  ------------\nEpoch 1/' table/small.txt | pasted ':7:5: '
cut -c1-60,70- "$table" | pasted 'a part of the lines was cut out here'
tr '[:lower:]' '[:upper:]' < table/small.txt | pasted 'in other letters'
sed '$ s/^Self CPU time total//' table/small.txt | pasted ':7:1: '
sed 's/^Self CPU time/PU time/' table/small.txt | pasted "a part of this total's name was cut off"
sed '2s/CPU total %/Selfime avg/' "$table" > "$work/pasted.table"
expect 0 '*' '*' "$wlfmt" check --kind=table "$work/pasted.table"
holds "warning: doubtful_name: this name alone is none of PyTorch's"

title 'a record after other text on its line is told by each command, whatever the options, once a file'
one='rank:0:forward_step(stage_id=0,batch_id=0,duration=1.5,timestamp=100.5,sub_operations=[])'
two='rank:0:backward_step(stage_id=0,batch_id=0,duration=2.5,timestamp=103.5,sub_operations=[])'
mkdir -p "$work/joined"
lost="$work/joined/wd1_tp1_pp1_rank0_20250101000000.txt"
printf '%s\n' "$two" "loss: 3.2 $one" "loss: 3.1" "\"$one" "rank:0:f(duration=x and $one" > "$lost"
told="$lost: error: record_after_text: 2 lines hold a record after other text: the first is line 2"
for command in check json csv summary report plot timeline format "diff $lost" 'set operations.0.duration=3'; do
    for option in '' --lenient --kind=oplog; do
        case $command$option in check--lenient | diff*--lenient) continue ;; esac
        word=${command#* }
        case $command in set*) set -- "$lost" "$word" ;; diff*) set -- "$word" "$lost" ;; *) set -- "$lost" ;; esac
        # shellcheck disable=SC2086  # no option is no argument
        "$wlfmt" ${command%% *} $option "$@" > "$work/out" 2> "$work/err"
        have=$? want=1
        case $command in diff*) want=2 ;; esac
        [ $have -ne 0 ] || { echo "$command $option: exit status 0 beside lost records"; failed=1; }
        [ "$(grep -cF "$told" "$work/err")" -eq $want ] || { echo "$command $option:"; cat "$work/err"; failed=1; }
    done
done
holds 'operations'
for given in "$lost" "$work/joined" -; do
    stdin=$lost expect 1 '*' '*' "$wlfmt" summary --json "$given"
    holds '"unread":2'
done
expect 1 '*' '*' "$wlfmt" report "$lost"
[ "$(grep -cF 'record_after_text: 2 lines hold a record' "$work/out")" -ge 1 ] || { echo 'no page tells lost records'; failed=1; }
# A prefix that is given chooses among the lines; with --strict each other line is an error.
expect 0 '*' '*' "$wlfmt" json --prefix=none "$lost"
{ cat table/small.txt; echo "loss: 3.2 $one"; } > "$work/beside.table"
expect 1 '*' "$work/beside.table: error: record_after_text: 1 line holds a record after other text: line 8
" "$wlfmt" csv "$work/beside.table"
# In a large file, whose parts several threads read, the number of the line is that in the file.
large="$work/large.txt"
{
    yes "$two" | head -n $((420000 / few))
    printf '%s\n' "loss $one"
    yes "$two" | head -n 1000
    printf '%s\n' "loss $one"
} > "$large"
expect 1 '*' '*' "$wlfmt" summary --partial -j2 "$large"
holds "$large: error: record_after_text: 2 lines hold a record after other text: the first is line $((420000 / few + 1))"
rm "$large"

title 'a packed file is named, and what is printed to unpack it can be run as it is'
mkdir -p "$work/packed names"
(
    cd "$work/packed names" || exit
    printf '%s\n' "$one" "$two" > log.txt
    printf '%s\n' "$two" "$one" > log2.txt
    for packer in gzip bzip2 xz zstd lz4; do
        ! command -v $packer > /dev/null || $packer -qc log.txt > "it's a $packer.packed"
    done
    tar -cf "it's a tar.packed" log.txt log2.txt
    tar --format=v7 -cf old.packed log.txt log2.txt
    ! command -v zip > /dev/null || { zip -q zipped.zip log.txt log2.txt && mv zipped.zip "it's a [zip].packed"; }
    cp "it's a gzip.packed" -- -x.packed
)
for file in "$work/packed names"/*.packed; do
    for given in "$file" - "./${file##*/}"; do
        (
            cd "$work/packed names" || exit
            PATH="${wlfmt%/*}:$PATH"
            "$wlfmt" check "$given" < "$file" > out 2> err && { echo "$given: exit status 0"; exit 1; }
            hint=$(sed -n 's/.*: error: unknown_format: the file is [a-z ]*: //p' err)
            case $hint in *' | wlfmt check -') ;; *) echo "$given: $(cat err)"; exit 1 ;; esac
            command -v "${hint%% *}" > /dev/null || exit 0
            hint=$(printf '%s' "$hint" | sed "s/| wlfmt /| '$(basename "$wlfmt")' /")
            sh -c "$hint" < "$file" > out 2> err
            grep -q '^<stdin>: oplog, [24] records' out || { echo "$given: $hint: $(cat out err)"; exit 1; }
        ) || failed=1
    done
done
for command in json csv summary report plot timeline format diff set chakra; do
    want=1
    case $command in diff) want=2 && set -- "$work/packed names/old.packed" ;; set) set -- operations.0.duration=3 ;; chakra) set -- -o "$work/t" ;; *) set -- ;; esac
    expect $want '*' '*' "$wlfmt" $command "$work/packed names/old.packed" "$@"
    holds 'unknown_format: the file is an archive: tar -xOf - < '
done
# A total that a later one replaces was read.
expect 0 '*' '' "$wlfmt" json table/totals.txt
# A total may grow by more than there was; one below 0 has not grown if it is the same.
sed 's/  8.000ms/ 88.000ms/; s/total: 9.500ms/total: 89.500ms/' "$work/before.table" > "$work/tenfold.table"
expect 3 '*' 'wlfmt: the total of self_device_time_us grew by +80.000ms (+842.1%), which is above 800%
' "$wlfmt" diff --by=kernel --fail-above=800% "$work/before.table" "$work/tenfold.table"
expect 0 '*' '' "$wlfmt" diff --fail-above=850% "$work/before.table" "$work/tenfold.table"
# What a cut table lacks would only add to its growth; what it was compared with is not known to be less.
sed '/^Self C/d' "$work/tenfold.table" | sed '$d' > "$work/cut_tenfold.table"
expect 3 '*' '*' "$wlfmt" diff --fail-above=800% "$work/before.table" "$work/cut_tenfold.table"
holds 'the total of self_device_time_us grew by at least +80.000ms (+842.1%), which is above 800%'
expect 1 '*' '*' "$wlfmt" diff --fail-above=850% "$work/before.table" "$work/cut_tenfold.table"
expect 1 '*' '*' "$wlfmt" diff --fail-above=1% "$work/cut_tenfold.table" "$work/tenfold.table"
sed 's/  8.000ms/ -8.000ms/; s/total: 9.500ms/total: -6.500ms/' "$work/before.table" > "$work/below.table"
expect 0 '' '' "$wlfmt" diff --fail-above=5% "$work/below.table" "$work/below.table"
expect 2 '' "wlfmt: --fail-above=20ms is a time, and \`calls\` is none: give a share, like 5%
" "$wlfmt" diff --columns=calls --fail-above=20ms "$work/before.table" "$work/after.table"
# A cut table: what only the other one has is not known, and the total is a limit.
head -n 7 "$work/before.table" > "$work/cut.table"
expect 1 '*' '*' "$wlfmt" diff "$work/cut.table" "$work/after.table"
holds 'self_device_time_us: at least 9.500ms -> 10.500ms' '  void gemm<float>       ?  9.000ms           ?       -      ?            8' \
    '  ?: not known, as rows are missing there'
expect 1 '*' '*' "$wlfmt" diff --markdown --top=1 "$work/cut.table" "$work/after.table"
holds '| void gemm\<float\> | ? | 9.000ms | ? | - | ? | 8 |' '- and 1 more name, by how much is not known'
expect 2 '' '*' "$wlfmt" diff --strict "$work/cut.table" "$work/after.table"
# Times with those of what is called have no total.
expect 1 '*' '' "$wlfmt" diff --columns=cpu_time_us "$work/before.table" "$work/after.table"
holds 'cpu_time_us: no total, as the times have those of what is called in them'
expect 0 '' '' "$wlfmt" diff --columns=cpu_time_us --fail-above=1% "$work/before.table" "$work/before.table"
# The total shows that rows are missing: of any name that may have several, and in all columns.
cat > "$work/shapes.table" << 'END'
---------  ------------  ------------  ------------  ------------
     Name      Self CPU  Self CPU Mem    # of Calls  Input Shapes
---------  ------------  ------------  ------------  ------------
 aten::mm      50.000ms         100 B            10       [[8,8]]
aten::add      30.000ms         200 B             5         [[8]]
---------  ------------  ------------  ------------  ------------
Self CPU time total: 100.000ms
END
# summary adds up the rows that are there, and says so. Whether rows are missing is not always sure.
missing='rows may be missing, also of names that are listed: sums are of the rows that are there'
expect 0 '*' '' "$wlfmt" summary "$work/shapes.table"
holds "  $missing"
sed 's/total: 100/total: 80/' "$work/shapes.table" > "$work/whole.table"
expect 0 '*' '' "$wlfmt" summary "$work/whole.table"
! grep -q 'may be missing' "$work/out" || { echo 'a whole table is said to lack rows'; failed=1; }
sed 's/total: 100/total: 106/' "$work/shapes.table" > "$work/more.table"
expect 0 '' '' "$wlfmt" diff --fail-above=3ms "$work/shapes.table" "$work/shapes.table"
expect 1 '*' '*' "$wlfmt" diff --fail-above=10ms "$work/shapes.table" "$work/more.table"
holds '  aten::mm   >= 50.000ms  >= 50.000ms           ?       -  >= 10        >= 10                      ?                            ?' \
    'wlfmt: growth above 10ms is not ruled out: the operator `aten::add` and 1 other time are not known exactly'
sed 's/  Input Shapes//; s/  \[.*//; s/  ------------$//' "$work/shapes.table" > "$work/names.table"
expect 0 '' '' "$wlfmt" diff --fail-above=3ms --columns=self_cpu_time_us "$work/names.table" "$work/names.table"
sed 's/aten::add/aten::sub/' "$work/names.table" > "$work/others.table"
expect 1 '*' '*' "$wlfmt" diff --columns=calls --fail-above=3% "$work/names.table" "$work/others.table"
holds 'calls: at least 15 -> at least 15' '  aten::sub       ?      5           ?       -      ?            5' \
    'others.table lacks rows: they do not add up to all totals that it names' 'wlfmt: growth above 3% is not ruled out'
expect 2 '' 'wlfmt: no table has the column `Speed`, or its values do not add up
' "$wlfmt" diff --columns=Speed "$work/before.table" "$work/after.table"
expect 2 '' '*' "$wlfmt" diff --fail-above=5 "$work/before.table" "$work/after.table"
expect 0 '' '' "$wlfmt" diff --fail-above=5% $oplog $oplog
expect 2 '' 'wlfmt: --fail-above is not for --by=row
' "$wlfmt" diff --fail-above=5% --by=row $table $table
expect 1 '*' '' "$wlfmt" diff --by=row "$work/before.table" "$work/after.table"
holds 'removed  row void gemm<float>  Number of Calls  7 -> nothing'
# Workload files by what they mean: a layer more in each block, another collective in each block, other sizes.
{
    printf 'HYBRID_TRANSFORMER model_parallel_NPU_group: 4 pp: 1 ga: 1 all_gpus: 8\n6\n'
    for block in 1 2 3; do
        printf 'norm\t-1\t10\tNONE\t0\t10\tNONE\t0\t10\tNONE\t0\t1\n'
        printf 'row\t-1\t100\tALLREDUCE\t4096\t100\tALLREDUCE\t4096\t100\tNONE\t0\t1\n'
    done
} > "$work/before.workload"
sed 's/group: 4/group: 2/; s/^6$/9/; s/100	ALLREDUCE	4096	100	ALL/150	REDUCESCATTER	2048	100	ALL/' "$work/before.workload" |
    awk '{ print } /^norm/ { gsub("norm", "drop"); gsub("10\t", "5\t"); print }' > "$work/after.workload"
expect 0 '' '' "$wlfmt" diff "$work/before.workload" "$work/before.workload"
# A file is the same as itself, also if its sums are beyond what a double holds.
printf 'DATA\n2\na -1 1e308 NONE 0 0 NONE 0 0 NONE 0 0\nb -1 1e308 NONE 0 0 NONE 0 0 NONE 0 0\n' > "$work/beyond.workload"
expect 0 '' '' "$wlfmt" diff "$work/beyond.workload" "$work/beyond.workload"
expect 1 'compute: 990 -> 1185 ticks, +195 (+19.7%)
communication: 24.00 KiB in 6 calls -> 18.00 KiB in 6 calls, -6.00 KiB (-25.0%)
  3 layers do not differ

  header                    before  after
  model_parallel_NPU_group       4      2

  layers on one side         at  compute  bytes
  3 x drop            added   1       45    0 B

  communication                     phase  calls  calls after     before     after  difference   of all
  tensor_parallel allreduce       forward      3            0  12.00 KiB       0 B  -12.00 KiB   200.0%
  tensor_parallel reduce_scatter  forward      0            3        0 B  6.00 KiB   +6.00 KiB  -100.0%

  layers, communication  at    phase     before          after  bytes before  bytes after
  3 x row                 1  forward  ALLREDUCE  REDUCESCATTER     12.00 KiB     6.00 KiB

  compute      before  after  difference  of all
  forward         330    495        +165   84.6%
  input_grad      330    345         +15    7.7%
  weight_grad     330    345         +15    7.7%
  update            6      9          +3       -

  layers, compute  at  before  after  difference  of all
  3 x row           1     900   1050        +150   76.9%
' '' "$wlfmt" diff "$work/before.workload" "$work/after.workload"
expect 1 '*' '' "$wlfmt" diff --only=communication --markdown --top=1 "$work/before.workload" "$work/after.workload"
holds '- communication: 24.00 KiB in 6 calls -\> 18.00 KiB in 6 calls, -6.00 KiB (-25.0%)' '- and 1 more line' \
    '| 3 x row | 1 | forward | ALLREDUCE | REDUCESCATTER | 12.00 KiB | 6.00 KiB |'
expect 1 '*' '' "$wlfmt" diff --by=layer "$work/before.workload" "$work/after.workload"
holds 'added    layer 1: drop'
expect 3 '*' 'wlfmt: compute grew by +195 ticks (+19.7%), which is above 18%
wlfmt: compute, forward grew by +165 ticks (+50.0%), which is above 18%
wlfmt: tensor_parallel reduce_scatter, forward grew by +6.00 KiB, which is above 18%
' "$wlfmt" diff --fail-above=18% "$work/before.workload" "$work/after.workload"
# A tick is a nanosecond.
expect 3 '*' 'wlfmt: compute grew by +195 ticks (+19.7%), which is above 0.19us
' "$wlfmt" diff --fail-above=0.19us "$work/before.workload" "$work/after.workload"
expect 0 '*' '' "$wlfmt" diff --fail-above=0.2us "$work/before.workload" "$work/after.workload"
head -n 5 "$work/after.workload" > "$work/cut.workload"
expect 1 '*' '*' "$wlfmt" diff "$work/before.workload" "$work/cut.workload"
holds 'cut.workload is cut, or a part of it cannot be read' 'compute: 990 -> >= 395 ticks, >= -595 (-60.1%)' \
    'communication: 24.00 KiB in 6 calls -> >= 6.00 KiB in 2 calls, >= -18.00 KiB (-75.0%)'
expect 1 '*' '*' "$wlfmt" diff "$work/cut.workload" "$work/before.workload"
holds 'compute: >= 395 -> 990 ticks, <= +595 (+150.6%)'
holds 'added, or missing' '  forward      >= 165    330     <= +165       -' \
    '  tensor_parallel allreduce          forward   >= 0            3       >= 0 B  12.00 KiB  <= +12.00 KiB       -'
# What it was compared with may have had more: no growth is certain, and none is ruled out.
head -n 5 "$work/before.workload" > "$work/short.workload"
expect 1 '*' '*' "$wlfmt" diff --fail-above=1% "$work/short.workload" "$work/before.workload"
holds 'wlfmt: growth above 1% is not ruled out: compute and '
expect 3 '*' '*' "$wlfmt" diff --fail-above=1% --only=communication "$work/before.workload" "$work/cut.workload"
holds 'wlfmt: tensor_parallel reduce_scatter, forward grew by at least +2.00 KiB, which is above 1%'
expect 1 '*' '*' "$wlfmt" diff --json "$work/cut.workload" "$work/before.workload"
holds '"ticks":{"before":395,"after":990,"difference":595,"limit":{"before":"least","difference":"most"}}'
expect 1 '*' '*' "$wlfmt" summary "$work/cut.workload"
holds '  layers are missing: sums are lower limits (>=)' '  all          >= 395      -' 'at least 5.00 KiB' \
    '  data_parallel             4       2      unknown      unknown      unknown            unknown             unknown'
expect 1 '*' '*' "$wlfmt" summary --json "$work/cut.workload"
holds '"is_whole":false' '"limit":"least"'
expect 1 '*' '*' "$wlfmt" diff "$work/cut.workload" "$work/cut.workload"
holds 'compute: >= 395 -> >= 395 ticks, difference not known'
# What goes between stages is compared where both files tell it.
sed 's/pp: 1/pp: 2/' "$work/before.workload" > "$work/untold.workload"
sed '1s/$/ pp_comm 1048576/' "$work/untold.workload" > "$work/told.workload"
expect 1 '*' '' "$wlfmt" diff --only=communication "$work/told.workload" "$work/untold.workload"
holds 'communication: 24.00 KiB in 6 calls -> 24.00 KiB in 6 calls, 0 B (0.0%)' \
    'untold.workload does not tell what its pipeline stages send: not compared, in no sum'
expect 1 '*' '' "$wlfmt" diff --fail-above=5% --json "$work/untold.workload" "$work/told.workload"
holds '"messages_compared":false'
expect 0 '' '' "$wlfmt" diff --only=compute "$work/told.workload" "$work/untold.workload"
expect 0 '' '' "$wlfmt" diff "$work/untold.workload" "$work/untold.workload"
expect 2 '' 'wlfmt: --only is for workload files, without --by
' "$wlfmt" diff --only=header $table $table
expect 2 '' 'wlfmt: --only is for workload files, without --by
' "$wlfmt" diff --only=header --by=layer "$work/before.workload" "$work/after.workload"
# Layers that repeat are folded, and so are those in the blocks.
expect 0 '*' '' "$wlfmt" summary workload_dense_1024gpus.txt
holds '  16 x (embedding_layer, 8 x (attention_column, attention_row, mlp_column, mlp_row), final_column)  '
# A digest: what a test prints, and a table in it, in at most 40 lines.
{ echo 'collected 1 item'; cat $table; echo '1 passed'; } > "$work/session"
expect 0 '*' '' sh -c "'$wlfmt' summary --markdown --top=2 - < '$work/session'"
holds '## \<stdin\>: profiler table 1 of 1, 84 rows, 11 columns' '- 2 lines that are in no table were passed over' \
    '| cudaLaunchKernel | 3.771s | 45.44% | 3.771s | 1154 | 1 |' '- and 80 more names'
for of in $table $workload oplog_rank7_pipeline_last_stage.txt; do
    for top in 1 5 50; do
        "$wlfmt" summary --markdown --top=$top $of $of > "$work/out" 2> "$work/err"
        [ "$(grep -c '' "$work/out")" -le 40 ] || { echo "a digest of $of has more than 40 lines"; failed=1; }
    done
done
# The same around records of a run, in the file of one rank and in two files.
{ echo 'collected 1 item'; echo; cat $oplog; echo '1 passed'; } > "$work/session_rank7.txt"
expect 0 '*' '' "$wlfmt" summary --markdown --top=2 "$work/session_rank7.txt"
holds '- 2 lines that are in no record were passed over'
{ echo 'done'; cat $oplog; } | sed 's/rank:7:/rank:6:/' > "$work/session_rank6.txt"
expect 0 '*' '*' "$wlfmt" summary --markdown "$work/session_rank6.txt" "$work/session_rank7.txt"
holds '- 3 lines that are in no record were passed over'
expect 0 '*' '' "$wlfmt" summary --markdown $oplog
! grep -q 'passed over' "$work/out" || { echo 'lines of an op log were passed over'; failed=1; }
# A column that is not compared otherwise.
expect 0 '*' '' "$wlfmt" diff --json --columns=cpu_memory_bytes table/memory.txt table/memory.txt
holds '"columns":["cpu_memory_bytes"]'
expect 0 '*' '' "$wlfmt" summary --markdown --top=30 $table "$work/session"
holds ' more lists and sentences: without --top they are all here'
# Names that are cut: all that begin in the same way.
sed 's/aten::add       /aten::addmm_i.../' "$work/before.table" > "$work/cut_name.table"
sed 's/aten::add       /aten::addmm_imp /' "$work/before.table" > "$work/whole_name.table"
expect 0 '' '' "$wlfmt" diff "$work/cut_name.table" "$work/whole_name.table"

# Written again, the samples are unchanged (except for the wrong number of layers of one workload).
for file in oplog_rank7_moe_simulation.txt $oplog workload_dense_1024gpus.txt $table; do
    expect 0 '*' '*' "$wlfmt" format $file
    cmp "$file" "$work/out" || failed=1
done
expect 0 '*' "$workload:2:1: warning: layer_count_mismatch: the header declares 96 layers, 98 follow
  96
  ^~
$workload: note: the second line says now that there are 98 layers
" "$wlfmt" format $workload
expect 1 '*' '*' "$wlfmt" format --strict $workload
holds 'error: layer_count_mismatch'

expect 0 '{"policy":"MICRO","header":{},"declared_layers":1}
{"name":"conv1","dependency":-1,"forward":{"compute":5,"comm":"NONE","bytes":0},"input_grad":{"compute":5,"comm":"NONE","bytes":0},"weight_grad":{"compute":5.5,"comm":"ALLTOALL_EP","bytes":65536},"update":5.0}
' '' sh -c 'printf "MICRO\r\n1\r\nconv1 -1 5 NONE 0 5 NONE 0 5.5  ALLTOALL_EP 65536 5.0" | "$1" json -' sh "$wlfmt"
stdin=$oplog
expect 0 '<stdin>: oplog, 9 records, 48 sub-operations
' '' "$wlfmt" check -
stdin=
expect 0 '{"stage":3,"op":"get_batch","batch_id":null,"mg_state":"warmup","cmd_uid":18446744073709551616,"tags":[1,2],"ok":true}
' '' sh -c 'echo "stage:3:get_batch(batch_id=None, mg_state=warmup, cmd_uid=18446744073709551616, tags=[1, 2], ok=True)" | "$1" json -' sh "$wlfmt"

# A list of problems, cut off at --limit; line numbers are counted over the whole input.
awk 'BEGIN { for (n = 1; n <= 300; ++n) print "rank:" n ":forward_step(duration=" (n % 100 ? "1.5" : "soon") ")" }' > "$work/log"
expect 1 "$work/log: oplog, 300 records, 0 sub-operations, 3 problems
" "$work/log:100:32: error: not_a_number: duration: \`soon\` where a number is expected
  rank:100:forward_step(duration=soon)
                                 ^~~~
$work/log: 2 more problems, 3 in all
" "$wlfmt" check --limit=1 "$work/log"
expect 1 '*' '*' "$wlfmt" check --limit=0 "$work/log"
holds 'log:300:32: error:'
expect 0 '*' '*' "$wlfmt" json "$work/log"
holds '{"rank":100,"op":"forward_step","duration":"soon"}' 'warning: not_a_number'
expect 1 '*' '*' "$wlfmt" json --strict "$work/log"

# Text around the records is passed over, except with --strict.
printf 'begin\nrank:0:a(duration=1.0)\nend\n' > "$work/console"
expect 0 '{"rank":0,"op":"a","duration":1.0}
' '' "$wlfmt" json "$work/console"
expect 1 '*' '*' "$wlfmt" check --strict "$work/console"
holds 'console:1:1: error: foreign_text: `begin`' 'console:3:1: error: foreign_text: `end`'

expect 0 '*' '' "$wlfmt" summary $oplog
holds 'recv_forward' 'allreduce tp' 'communication' '1 rank (7)'
expect 0 '*' '*' "$wlfmt" summary $workload
holds 'policy HYBRID_TRANSFORMER_FWD_IN_BCKWD' 'pp_comm' 'ALLTOALL_EP' 'weight_grad'
expect 0 '*' '' "$wlfmt" summary $table
holds 'cudaLaunchKernel' '45.44%' 'profiler table 1 of 1, 84 rows, 11 columns'

# problems FILE...: standard error has these problems, `line:column: severity: kind` each, in order and no others.
problems() {
    printf '%s\n' "$@" > "$work/want"
    sed -n 's/^[^ ].*:\([0-9]*:[0-9]*: [a-z]*: [a-z_]*\).*/\1/p' "$work/err" > "$work/have"
    cmp -s "$work/want" "$work/have" || { echo "$title: problems:"; diff "$work/want" "$work/have"; failed=1; }
}

title 'exit 0 of json and format means that all of the input is in the output: a truncated record'
printf 'rank:0:a(k=1)\nrank:0:b(duration=1.5,desc\n' > "$work/cut"
for command in json format; do
    expect 1 '*' '*' "$wlfmt" $command "$work/cut"
    problems '2:27: error: unterminated_record'
    expect 0 '*' '*' "$wlfmt" $command --lenient "$work/cut"
    problems '2:27: warning: unterminated_record'
done
expect 1 'rank:0:a(k=1)
' '*' "$wlfmt" format "$work/cut"

title 'half a list of sub-operations'
printf "rank:0:a(sub_operations=['x=1', 'y' 'z'],k=2)\nrank:0:b(k=1)\n" > "$work/half"
expect 1 '{"rank":0,"op":"a","sub_operations":[{"x":1},"y"],"k":2}
{"rank":0,"op":"b","k":1}
' '*' "$wlfmt" json "$work/half"
problems '1:37: error: bad_list'
expect 0 '{"rank":0,"op":"a","sub_operations":[{"x":1},"y"],"k":2}
{"rank":0,"op":"b","k":1}
' '*' "$wlfmt" json --lenient "$work/half"
expect 1 '*' '*' "$wlfmt" format "$work/half"
expect 1 '' '*' "$wlfmt" json --strict "$work/half"

title 'values that are no numbers are kept, which loses nothing'
printf 'rank:0:a(stage_id=1.5,duration=soon,timestamp=1e999,duration=2)\n' > "$work/odd"
expect 0 '{"rank":0,"op":"a","stage_id":1.5,"duration":"soon","timestamp":"1e999","duration":2}
' '*' "$wlfmt" json "$work/odd"
problems '1:19: warning: not_an_integer' '1:32: warning: not_a_number' '1:47: warning: number_overflow' \
    '1:53: warning: duplicate_key'
expect 0 'rank:0:a(stage_id=1.5,duration=soon,timestamp=1e999,duration=2)
' '*' "$wlfmt" format "$work/odd"
printf 'rank:99999999999999999999:a(k=1)\nrank:0:a(k=1) \nrank:0:a(sub_operations=[]) tail\n' > "$work/odd"
expect 1 '*' '*' "$wlfmt" json "$work/odd"
problems '1:6: error: number_overflow' '3:29: error: text_after_record'

title 'a workload with fewer layers than declared may be cut off: everything that is there is in the output'
head -n 40 $workload > "$work/cut"
cut_message='error: layer_count_mismatch: the header declares 96 layers, 38 follow; is the file cut off?'
expect 1 "$work/cut: workload, 38 layers, 1 problem
" '*' "$wlfmt" check "$work/cut"
for command in json csv format summary timeline plot 'set layers.0.name=first'; do
    # shellcheck disable=SC2086  # a command and its arguments
    set -- $command
    expect 1 '*' '*' "$wlfmt" "$1" "$work/cut" ${2+"$2"}
    holds "$cut_message"
    [ -s "$work/out" ] || { echo "$title: $command prints nothing"; failed=1; }
    expect 0 '*' '*' "$wlfmt" "$1" --lenient "$work/cut" ${2+"$2"}
    holds 'warning: layer_count_mismatch'
    expect 0 '*' '*' "$wlfmt" "$1" $workload ${2+"$2"}
done
expect 1 "$(sed '2s/.*/38/' "$work/cut")
" '*' "$wlfmt" format "$work/cut"
holds "$work/cut: note: the second line says now that there are 38 layers"
"$wlfmt" json "$work/cut" > "$work/cut.json" 2> "$work/err"
[ "$(wc -l < "$work/cut.json")" -eq 39 ] || { echo "$title: other than 39 lines"; failed=1; }
# The value that was wrong can be set right.
expect 0 '*' '' "$wlfmt" set "$work/cut" 'header.layer count=38'

title 'what a layer needs is lost where it cannot be read, a wrong count is not'
layer='1 NONE 0 1 NONE 0 1 NONE 0 1'
printf "DATA ep: 4\n9\na -1 $layer\nb x $layer\nc -1 $layer\nscribble\n" > "$work/layers"
expect 1 '*' '*' "$wlfmt" json "$work/layers"
problems '4:3: error: not_an_integer' '6:1: error: field_count' '2:1: error: layer_count_mismatch'
expect 1 'DATA ep: 4
2
a	-1	1	NONE	0	1	NONE	0	1	NONE	0	1
c	-1	1	NONE	0	1	NONE	0	1	NONE	0	1
' '*' "$wlfmt" format "$work/layers"
expect 0 '*' '*' "$wlfmt" format --lenient "$work/layers"
printf "DATA\nmany\na -1 $layer\n" > "$work/layers"
expect 1 '{"policy":"DATA","header":{}}
{"name":"a","dependency":-1,"forward":{"compute":1,"comm":"NONE","bytes":0},"input_grad":{"compute":1,"comm":"NONE","bytes":0},"weight_grad":{"compute":1,"comm":"NONE","bytes":0},"update":1}
' '*' "$wlfmt" json --kind=workload "$work/layers"
problems '2:1: error: not_an_integer'

printf "DATA\n-1\na -1 $layer\n" > "$work/layers"
expect 1 '{"policy":"DATA","header":{}}
{"name":"a","dependency":-1,"forward":{"compute":1,"comm":"NONE","bytes":0},"input_grad":{"compute":1,"comm":"NONE","bytes":0},"weight_grad":{"compute":1,"comm":"NONE","bytes":0},"update":1}
' '*' "$wlfmt" json "$work/layers"
problems '2:1: error: negative_value'

title 'a size below 0 is a warning'
printf "DATA\n1\na -1 1 NONE -5 1 NONE 0 1 NONE 0 1\n" > "$work/negative"
expect 0 '*' '*' "$wlfmt" json "$work/negative"
problems '3:13: warning: negative_value'
expect 0 "$work/negative: workload, 1 layer, 1 warning
" '*' "$wlfmt" check "$work/negative"

title 'a table row that fits no column is lost, a cell that is no number is kept as text'
printf -- '-----  --------  ----------  \n Name  Self CPU  # of Calls  \n-----  --------  ----------  \n   mm   316.074           2  \n  a  b  1.000us           3  \n   nn   1.000us           4  \n-----  --------  ----------  \nSelf CPU time total: True\n' > "$work/table"
expect 1 '{"columns":["Name","Self CPU","# of Calls"],"totals":{"Self CPU time total":"True"}}
{"Name":"mm","Self CPU":"316.074","# of Calls":2}
{"Name":"nn","Self CPU":1.0,"# of Calls":4}
' '*' "$wlfmt" json "$work/table"
problems '4:9: warning: not_a_number' '5:6: error: row_mismatch' '8:22: warning: not_a_number'

title 'check lists every problem, and counts the records without one'
expect 1 "$work/table: table, 1 table, 2 rows, 3 problems
" '*' "$wlfmt" check "$work/table"
problems '4:9: error: not_a_number' '5:6: error: row_mismatch' '8:22: error: not_a_number'
printf "DATA ep: pp: ga:\n1\na -1 $layer\n" > "$work/header"
expect 1 "$work/header: workload, 1 layer, 3 problems
" '*' "$wlfmt" check "$work/header"
problems '1:9: error: header_value' '1:13: error: header_value' '1:17: error: header_value'
printf "rank:0:a(stage_id=x,duration=y,timestamp=z,k=1)\nrank:0:loss_func(sub_operations=['duration=1'])\nrank:0:c(sub_operations=['duration=u', 'duration=v'])\n" > "$work/attributes"
expect 1 "$work/attributes: oplog, 3 records, 3 sub-operations, 5 problems
" '*' "$wlfmt" check "$work/attributes"
problems '1:19: error: not_an_integer' '1:30: error: not_a_number' '1:42: error: not_a_number' \
    '3:36: error: not_a_number' '3:50: error: not_a_number'

title 'a text without a record is explained against that text'
expect 1 '' "<stdin>:1:13: error: unterminated_record: the line does not end with the record's \`)\`; is it cut off, or is there text after it?
  rank:0:f(a=1
              ^
" sh -c 'printf "rank:0:f(a=1\n" | "$1" json --kind=oplog -' sh "$wlfmt"
expect 1 '' '<stdin>:3:1: error: no_records: the text holds no rank op-log record
' sh -c 'printf "starting\nfailed\n" | "$1" json --kind=oplog -' sh "$wlfmt"
expect 1 '' '<stdin>:2:7: error: no_records: the text holds no rank op-log record
  failed
        ^
' sh -c 'printf "starting\nfailed" | "$1" json --kind=oplog -' sh "$wlfmt"
expect 1 '' '<stdin>:1:1: error: no_records: the text holds no rank op-log record
' sh -c ': | "$1" json --kind=oplog -' sh "$wlfmt"
# 5 MiB, and 4 MiB, which is the size of a piece.
awk 'BEGIN { for (n = 0; n < 327680; ++n) print "0123456789abcde" }' > "$work/foreign"
expect 1 '' "$work/foreign:327681:1: error: no_records: the text holds no rank op-log record
" "$wlfmt" json --kind=oplog "$work/foreign"
head -c 4194304 "$work/foreign" > "$work/piece"
expect 1 '' "$work/piece:262145:1: error: no_records: the text holds no rank op-log record
" "$wlfmt" json --kind=oplog "$work/piece"
echo 'rank:0:f(a=1' >> "$work/foreign"
expect 1 '' "$work/foreign:327681:13: error: unterminated_record: the line does not end with the record's \`)\`; is it cut off, or is there text after it?
  rank:0:f(a=1
              ^
" "$wlfmt" json --kind=oplog "$work/foreign"
echo 'rank:0:f(a=1)' >> "$work/piece"
expect 0 '{"rank":0,"op":"f","a":1}
' '' "$wlfmt" json --kind=oplog "$work/piece"
rm -f "$work/foreign" "$work/piece"

title 'records after the prefixes of launchers are read, each line with its own prefix'
sed 's/^/[rank7]: /' $oplog > "$work/prefixed"
echo 'step 1 done' >> "$work/prefixed"
sed 's/^/2025-01-01 12:00:00,123 INFO /' $oplog >> "$work/prefixed"
expect 0 "$work/prefixed: oplog, 18 records, 96 sub-operations
" '' "$wlfmt" check "$work/prefixed"
expect 0 "$work/prefixed: oplog, 9 records, 48 sub-operations
" '' "$wlfmt" check '--prefix=[rank7]: ' "$work/prefixed"
expect 0 "$work/prefixed: oplog, 9 records, 48 sub-operations
" '' "$wlfmt" check '--prefix=2024-02-02 23:59:59,999 INFO ' "$work/prefixed"
expect 1 '*' '*' "$wlfmt" check --prefix=none "$work/prefixed"
holds 'no_records'
"$wlfmt" json $oplog > "$work/plain"
"$wlfmt" json "$work/prefixed" | head -n 9 | cmp - "$work/plain" || { echo "$title: the records differ"; failed=1; }
printf '[rank0]: rank:0:f(a=1,duration=x)\n' > "$work/placed"
expect 0 '*' "$work/placed:1:32: warning: not_a_number: duration: \`x\` where a number is expected
  [rank0]: rank:0:f(a=1,duration=x)
                                 ^
" "$wlfmt" json "$work/placed"

title 'the tables of interleaved ranks are all read, one after the other'
sed 's/^/[rank0]: /' $table > "$work/rank0"
sed 's/^/[rank1]: /;s/train_step-0/train_step-1/' $table > "$work/rank1"
awk -v other="$work/rank1" '{ print; if ((getline line < other) > 0) print line }' "$work/rank0" > "$work/ranks"
expect 0 "$work/ranks: table, 2 tables, 168 rows
" '' "$wlfmt" check "$work/ranks"
"$wlfmt" json $table > "$work/plain"
"$wlfmt" json "$work/ranks" | head -n 85 | cmp - "$work/plain" || { echo "$title: rank 0 differs"; failed=1; }
"$wlfmt" json "$work/ranks" | tail -n 85 | sed 's/train_step-1/train_step-0/' | cmp - "$work/plain" ||
    { echo "$title: rank 1 differs"; failed=1; }
expect 0 '*' '' "$wlfmt" json '--prefix=[rank1]: ' "$work/ranks"
sed 's/train_step-1/train_step-0/' "$work/out" | cmp - "$work/plain" || { echo "$title: rank 1 alone differs"; failed=1; }
expect 0 '*' '' "$wlfmt" summary "$work/ranks"
holds 'profiler table 1 of 2, 84 rows' 'profiler table 2 of 2, 84 rows'
{ cat $table; echo; sed 's/train_step-0/train_step-1/' $table; } > "$work/both"
expect 0 '*' '' "$wlfmt" format "$work/ranks"
cmp "$work/both" "$work/out" || { echo "$title: format differs"; failed=1; }

title 'set changes single values and leaves every other byte'
expect 0 '*' '' "$wlfmt" set $workload header.pp=16 layers.1.weight_grad.bytes=7
sed '1s/ pp: 4/ pp: 16/;4s/350969856/7/' $workload | cmp - "$work/out" || { echo "$title: workload"; failed=1; }
expect 0 '*' '' "$wlfmt" set oplog_rank7_moe_simulation.txt operations.1.duration=8.25 operations.0.sub_operations.0.comm_func=broadcast
sed '2s/duration=8.0,/duration=8.25,/;1s/comm_func=[a-z_]*/comm_func=broadcast/' oplog_rank7_moe_simulation.txt |
    cmp - "$work/out" || { echo "$title: op log"; failed=1; }
expect 0 '*' '' "$wlfmt" set $table 'tables.0.0.Self CPU=99.999ms'
sed '4s/13.980ms/99.999ms/' $table | cmp - "$work/out" || { echo "$title: table"; failed=1; }
printf 'rank:0:a(k=1,duration=2.0)  \r\nnoise' > "$work/crlf"
expect 0 "$(printf 'rank:0:a(k=,duration=2.0)  \r\nnoise')" '' "$wlfmt" set "$work/crlf" operations.0.k=
for bad in operations.0.duration=soon operations.0.duration= operations.1.duration=1 operations.0.further=1 \
    operations.x.duration=1 layers.0.update=1 header.pp=1 operations.0.op='f()' "operations.0.k=1,duration=2" \
    "operations.0.k=1
rank:1:b()"; do
    expect 1 '' '*' "$wlfmt" set "$work/crlf" "$bad"
done
expect 1 '' "$work/crlf: error: operations.0.duratoin=1: \`operations.0\` has no \`duratoin\`; did you mean \`duration\`?
" "$wlfmt" set "$work/crlf" operations.0.duratoin=1
expect 1 '' "$work/crlf: error: operations.1.duration=1: \`operations\` has no \`1\`: it has 1, counted from 0
" "$wlfmt" set "$work/crlf" operations.1.duration=1
expect 1 '' '*' "$wlfmt" set "$work/crlf" operations.0.duration=3 operations.0.duration=4
holds 'bad_edit'
expect 1 '' "$workload: error: layers.0.update=1 2: with this value the file would not read back
" "$wlfmt" set $workload 'layers.0.update=1 2'
expect 1 '' "$workload: error: layers.0.update=1 2: with this value the file would not read back
" "$wlfmt" set $workload layers.1.update=3 'layers.0.update=1 2'
# A list's number beyond 64 bits is a number, which this value cannot be.
printf '{"path":"layers.0.update","value":18446744073709551616}\n' > "$work/changes"
expect 1 '' "$workload: error: row 1 of $work/changes: layers.0.update=18446744073709551616: with this value the file would not read back
" "$wlfmt" set --from="$work/changes" $workload
# Changes within one record or header take no more time than as many elsewhere, but for a factor that only a search
# through all of it for each exceeds.
milliseconds() { # milliseconds WHAT PATH TEXT: of processor time, for setting the value of each path
    awk -v path="$2" -v count=$((6000 / few)) 'BEGIN { for (n = 0; n < count; ++n) printf path ",%d\n", n, n + 7 }' > "$work/changes"
    awk -v count=$((6000 / few)) "BEGIN { $3 }" > "$work/set"
    expect 0 '*' '' "$wlfmt" set --kind="$1" --from="$work/changes" "$work/set"
    took=$(sh -c '"$@" > /dev/null; times' sh "$wlfmt" set --kind="$1" --from="$work/changes" "$work/set" |
        awk 'NR == 2 { split($1, t, /[ms]/); print int(60000 * t[1] + 1000 * t[2]) }')
}
milliseconds oplog operations.%d.k 'for (n = 0; n < count; ++n) printf "rank:0:f(k=%d)\n", n'
apart=$((20 * (took + 20)))
for way in 'workload header.k%d printf "HYBRID_TRANSFORMER";for(n=0;n<count;++n)printf" k%d: %d",n,n;print"\n0"' \
    'oplog operations.0.k%d printf "rank:0:f(k=1";for(n=0;n<count;++n)printf",k%d=%d",n,n;print")"' \
    "oplog operations.0.sub_operations.%d.a printf \"rank:0:f(sub_operations=['a=1'\";for(n=1;n<count;++n)printf\", 'a=%d'\",n;print\"])\""; do
    rest=${way#* }
    milliseconds "${way%% *}" "${rest%% *}" "${rest#* }"
    [ "$took" -lt $apart ] || { echo "set of ${rest%% *}: $took ms"; failed=1; }
done
# What set writes of a damaged table is the mended one, and it says so.
printf '%s\n' 'Name  Self CPU  # of Calls' 'mm   1.500us           2' 'add  2.500us           3' > "$work/mended"
expect 0 '*' '*' "$wlfmt" set "$work/mended" tables.0.0.Name=x
holds 'x   1.500us' "$work/mended: note: what is written is the mended table: other bytes differ from the file's, too"
# mend says where its own output would be mended into something else.
expect 1 '*' '*' "$wlfmt" mend "$root/conformance/cases/table/header_twice.txt"
holds 'header_twice.txt: error: what is printed is still damaged'
expect 0 '*' '*' "$wlfmt" mend "$root/conformance/cases/detect/header_tab.txt"
# A size that is a double's neighbour is not cut.
printf '%s' '{"policy":"DATA","header":{"pp_comm":9007199254740993.5}}' > "$work/size.json"
expect 1 '' '*' "$wlfmt" from-json "$work/size.json"
# Another policy gives the words of this header another meaning.
printf 'HYBRID_DLRM 4 checkpoints: 1 5 ep: 1 pp: 1 ep: 2\n0\n' > "$work/dlrm"
expect 1 '' "$work/dlrm: error: header.policy=DATA: with this value the file would not read back
" "$wlfmt" set "$work/dlrm" header.policy=DATA
expect 1 '' '*' "$wlfmt" set "$work/dlrm" header.pp= header.pp=
holds 'bad_edit'
expect 0 "HYBRID_DLRM_ENHANCED 4 checkpoints: 1 5 ep: 1 ep: 2 vpp: 3
0
" '' "$wlfmt" set "$work/dlrm" header.policy=HYBRID_DLRM_ENHANCED header.pp= header.vpp=3
expect 1 '' "$table: error: tables.0.0.Name=a  b: with this value the file would not read back
" "$wlfmt" set $table 'tables.0.0.Name=a  b'
expect 1 '' "$workload: error: layers.0.forward.bytes=-5: with this value the file would have one more problem
" "$wlfmt" set $workload layers.1.update=3 layers.0.forward.bytes=-5

title 'format says where what it writes reads back as something else'
printf 'rank:0:f(a=1)\nrank:0:f(x(stage_id=1,be_id=1, batch_id=4, duration=1e5)\n' > "$work/other"
expect 1 '*' '*' "$wlfmt" format --lenient "$work/other"
holds "$work/other: error: the record of line 2 reads back as something else, written as it is"
printf "rank:0:f(sub_operations=['a=1' 'b=2', 'c=3'])\n" > "$work/other"
expect 1 '*' '*' "$wlfmt" format --lenient "$work/other"
printf -- '%s\n' '----------  ----------  ----' 'Name        Self CPU %  Self' '----------  ----------  ----' \
    'add              1.00%  1.00' '----------  ----------  ----' > "$work/other"
expect 1 '*' '*' "$wlfmt" format --lenient "$work/other"
holds "$work/other: error: what was read reads back as something else, written as it is"

title 'a file of two formats: the second is told, and read with --kind'
cat $oplog $table > "$work/both"
cat $table $oplog > "$work/other"
for file in both other; do
    case $file in both) first=oplog second=table ;; *) first=table second=oplog ;; esac
    for command in json format csv; do
        expect 1 '*' '*' "$wlfmt" $command "$work/$file"
        holds "which --kind=$second reads, and --kind=$first leaves out"
        cp "$work/out" "$work/of_first"
        expect 0 '*' '*' "$wlfmt" $command --lenient "$work/$file"
        holds "$work/$file: warning: the file holds"
        for kind in $first $second; do
            expect 0 '*' '' "$wlfmt" $command --kind=$kind "$work/$file"
            [ $kind = $second ] || cmp -s "$work/of_first" "$work/out" || { echo "$title: $command --kind=$kind"; failed=1; }
        done
    done
    for command in check summary 'summary --json' report plot; do
        expect 0 '*' '*' "$wlfmt" $command "$work/$file"
        holds "$work/$file: warning: the file holds"
    done
done
for file in $oplog $table; do expect 0 '*' '' "$wlfmt" json $file; done

title 'a file of no format is told how to say which one it is'
printf 'nothing\n' > "$work/nothing"
expect 1 '' "$work/nothing: error: unknown_format: neither a rank op log nor a workload file nor a profiler table; --kind=oplog|workload|table reads it as one of them
" "$wlfmt" json "$work/nothing"
# What is left of a table that was pasted without its blanks, as Markdown, or in pieces.
printf -- '----- ----- -----\nName Self CPU # of Calls\n----- ----- -----\naten::mm 1.000us 3\n' > "$work/ruined"
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'column_mismatch: the rule has 3 columns, the header line names 1; were the blanks between the names collapsed?'
printf 'Name Self CPU # of Calls\naten::mm 1.000us 3\n' > "$work/ruined"
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'unknown_format' 'looks like a profiler table whose blanks between the cells were collapsed'
printf '| Name | Self CPU | # of Calls |\n|---|---|---|\n| aten::mm | 1.000us | 3 |\n' > "$work/ruined"
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'unknown_format' 'looks like a profiler table as Markdown, with `|` between its cells'
for line in '   aten::mm  1.000us  3' 'Self CPU time total: 1.000us'; do
    printf '%s\n' "$line" '---------  --------  ---' > "$work/ruined"
    expect 1 '' '*' "$wlfmt" json "$work/ruined"
    holds 'unknown_format' 'looks like a piece of a profiler table without its header'
done
printf 'Self CPU time total: 1.000us\nSelf CUDA time total: 2.000us\n' > "$work/ruined"
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'unknown_format' 'looks like the totals of a profiler table alone'
# Paddle's tables have rules around their headers.
printf '%s\n' '-----------  -----  ----------------------' 'Name         Calls  CPU Total / Avg / Max / Min / Ratio(%)' \
    '-----------  -----  ----------------------' 'ProfileStep  11     294.53 / 26.78 / 35.28 / 24.56 / 100.00' > "$work/ruined"
for command in json summary check report; do
    expect 1 '*' '*' "$wlfmt" $command "$work/ruined"
    holds 'unknown_format' "looks like a table of Paddle's profiler; wlfmt reads PyTorch's"
done
# Quoted texts are read, and notebooks in a build with simdjson.
"$wlfmt" json table/small.txt > "$work/want_small"
for quote in "'" '"'; do
    { printf %s "$quote"; sed 's/$/\\n/' table/small.txt | tr -d '\n'; printf '%s\n' "$quote"; } > "$work/quoted"
    expect 0 '*' '' "$wlfmt" json "$work/quoted"
    cmp -s "$work/want_small" "$work/out" || { echo "a text in $quote is read as another one"; failed=1; }
done
printf '%s\n' '"Self CPU time\u0020total: 1.0us\n"' > "$work/quoted"
expect 1 '' '*' "$wlfmt" json "$work/quoted"
holds 'looks like a text in quotes'
{
    printf '%s\n' '{' ' "cells": [' '  {"outputs": [{"name": "stderr", "text": ["a warning\n"]}, {"name": "stdout", "text": ['
    sed 's/.*/"&\\n",/; $ s/,$//' table/small.txt
    printf '%s\n' ']}]}, {"cell_type": "markdown"}, {"outputs": [{"name": "stdout", "text": ['
    sed 's/0.250us/0.250xs/; s/.*/"&\\n",/; $ s/,$//' table/small.txt
    printf '%s\n' ']}]}' ' ],' ' "nbformat": 4' '}'
} > "$work/notebook.ipynb"
if "$wlfmt" from-json "$work/nothing" 2>&1 | grep -q 'needs simdjson'; then
    expect 1 '' '*' "$wlfmt" json "$work/notebook.ipynb"
    holds 'looks like a notebook; wlfmt.open() of Python reads what its cells have printed'
else
    expect 0 '*' '*' "$wlfmt" json "$work/notebook.ipynb"
    holds 'warning: a notebook: what its cells have printed is read'
    head -n 3 "$work/out" | cmp -s "$work/want_small" - || { echo 'a notebook is read as another text'; failed=1; }
    # Each table has its cell as its place, as in Python.
    holds 'notebook.ipynb: cell 3:5:23: warning: not_a_number: Self CPU: `0.250xs`'
    expect 0 '*' '*' "$wlfmt" csv "$work/notebook.ipynb"
    holds 'notebook.ipynb: cell 1,0,1,aten::relu_,0.25,3' 'notebook.ipynb: cell 3,0,0,aten::mm,13980.0,12'
    expect 0 '*' '*' "$wlfmt" summary "$work/notebook.ipynb"
    holds 'notebook.ipynb: cell 3: profiler table 2 of 2, 2 rows, 3 columns'
    expect 0 '*' '*' "$wlfmt" summary --json "$work/notebook.ipynb"
    holds '"tables":[{"cell":1,"rows":2,' '},{"cell":3,"rows":2,'
    # A wrapped table of one cell moves those of the next.
    {
        printf '%s\n' '{"cells": [{"outputs": [{"name": "stdout", "text": ["no table\n"]}]}, {"outputs": [{"name": "stdout", "text": ['
        fold -w 33 table/small.txt | sed 's/.*/"&\\n",/; $ s/,$//'
        printf '%s\n' ']}]}, {"outputs": [{"name": "stdout", "text": ['
        sed 's/0.250us/0.250xs/; s/.*/"&\\n",/; $ s/,$//' table/small.txt
        printf '%s\n' ']}]}]}'
    } > "$work/notebook.ipynb"
    expect 0 '*' '*' "$wlfmt" json "$work/notebook.ipynb"
    holds 'its table was wrapped at 33 columns' 'notebook.ipynb: cell 3:5:23: warning: not_a_number: Self CPU: `0.250xs`'
    head -n 3 "$work/out" | cmp -s "$work/want_small" - || { echo 'a wrapped table of a notebook is read as another'; failed=1; }
    expect 0 '*' '*' "$wlfmt" csv "$work/notebook.ipynb"
    holds 'notebook.ipynb: cell 2,0,1,aten::relu_,0.25,3' 'notebook.ipynb: cell 3,0,0,aten::mm,13980.0,12'
fi
# A diff has the lines of two files, of which none is read for one of the other's.
{
    printf '%s\n' 'diff --git a/moe.txt b/moe.txt' '--- a/moe.txt' '+++ b/moe.txt' '@@ -2,5 +2,5 @@'
    printf '%s\n' ' ---------  --------' ' Name       Self CPU' ' ---------  --------' '-aten::mm    1.000us' '+aten::mm    2.000us'
} > "$work/ruined"
expect 1 '{"columns":["Name","Self CPU"],"totals":{}}
' '*' "$wlfmt" json --kind=table "$work/ruined"
holds '8:1: error: row_mismatch' 'the row has 2 cells for 2 columns; is it a line of a diff?'
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'unknown_format' 'looks like the lines of a diff; read each of its files by itself'
printf '%s\n' '--- /dev/null' '+++ b/w.txt' '@@ -0,0 +1,2 @@' '+DATA' '+0' > "$work/ruined"
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'unknown_format' 'looks like the lines of a diff; read each of its files by itself'
printf '\377\376N\000a\000' > "$work/ruined"
expect 1 '' "$work/ruined: error: unknown_format: neither a rank op log nor a workload file nor a profiler table; it looks like UTF-16, which PowerShell writes; \`iconv -f UTF-16 -t UTF-8\` makes UTF-8 of it
" "$wlfmt" json "$work/ruined"
printf '# Notes\n\n```\nDATA\n1\nconv1 -1 5 NONE 0 5 NONE 0 5 NONE 0 5\n```\n' > "$work/ruined"
expect 1 '' '*' "$wlfmt" json "$work/ruined"
holds 'unknown_format' 'a workload file begins in line 4, and is read from a file of its own'

title 'a record or a table is found wherever it is in a file, in a pipe and in a folder'
noise() { awk 'BEGIN { for (n = 0; n < 60000; ++n) print "NCCL INFO Channel 00/08 : 0 1 2 3 --x=1" }'; }
{ noise; echo "rank:0:f(duration=1.5)"; } > "$work/late"
{ noise; printf 'Name  Self CPU\n----  --------\n  mm   1.000us\n----  --------\n'; } > "$work/late_table"
for way in "$work/late" - ; do
    stdin="$work/late" expect 0 '{"rank":0,"op":"f","duration":1.5}
' '' "$wlfmt" json $way
done
for way in "$work/late_table" - ; do
    stdin="$work/late_table" expect 0 '{"columns":["Name","Self CPU"],"totals":{}}
{"Name":"mm","Self CPU":1.0}
' '*' "$wlfmt" json $way
    holds ':60001:1: warning: mended_table: the rule below the header is read above it, too'
done
mkdir "$work/late_folder"
cp "$work/late_table" "$work/late_folder/"
printf -- '----  --------\nName  Self CPU\n----  --------\n  mm   1.000us\n----  --------\n' > "$work/late_folder/early"
expect 0 '*' '*' "$wlfmt" csv "$work/late_folder"
holds 'late_table,0,0,mm,' ':60001:1: warning: mended_table'
rm -r "$work/late_folder" "$work/late" "$work/late_table"

title 'check counts the records that json prints'
if command -v python3 > /dev/null; then
    python3 "$root/tests/command/counts.py" "$wlfmt" *.txt */*.txt > "$work/counts" || { echo "$title:"; cat "$work/counts"; failed=1; }
fi

title 'a line of 80,000 problems is told in linear time'
{ printf 'rank:0:f(duration=1'; awk 'BEGIN { for (n = 1; n < 80000; ++n) printf ",duration=1" }'; printf ')\nrank:0:g(duration=2,duration=2)\n'; } > "$work/dense"
expect 0 '*' '*' timeout 60 "$wlfmt" json "$work/dense"
[ "$(grep -c 'warning: duplicate_key' "$work/err")" -eq 21 ] || { echo "$title: not 20 of the first line and one of the second"; failed=1; }
grep -qx "$work/dense:1: 79979 more problems in this line" "$work/err" || { echo "$title: the others are not counted"; failed=1; }
holds "$work/dense:2:21: warning: duplicate_key" '{"rank":0,"op":"g","duration":2,"duration":2}'
layers=$((20000 / few))
{ printf 'DATA\n%d\n' $layers; awk -v count=$layers 'BEGIN { for (n = 0; n < count; ++n) print "l" n " -1 1 ALLREDUC 8 1 NONE 0 1 NONE 0 1" }'; } > "$work/dense"
expect 0 '*' '*' timeout 60 "$wlfmt" check --limit=0 "$work/dense"
[ "$(grep -c ':[0-9]*:[0-9]*: warning: unknown_collective' "$work/err")" -eq $layers ] || { echo "$title: not all warnings"; failed=1; }
last=l$((layers - 1))
holds "$work/dense:$((layers + 2)):$((${#last} + 7)): warning: unknown_collective"

title 'warnings of one kind are counted'
awk 'BEGIN { print "HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8\n120"
    for (n = 0; n < 120; ++n) print "l" n " -1 1 ALLREDUCE " (n == 60 ? 3 : n) " 1 ALLREDUC 8 1 " (n % 2 ? "NONE 5" : "SEND 0") " 1" }' > "$work/many"
expect 0 "$work/many: workload, 120 layers, 249 warnings
" '*' "$wlfmt" check "$work/many"
problems '3:9: warning: empty_collective' '3:23: warning: unknown_collective' '3:36: warning: unknown_collective' \
    '4:41: warning: bytes_without_collective' '4:19: warning: small_collective'
for line in '119 more warnings like that of line 3: unknown_collective: input_grad.comm `ALLREDUC`' \
    '59 more warnings like that of line 3: unknown_collective: weight_grad.comm `SEND`' \
    '7 more warnings like that of line 4: small_collective: forward.bytes' \
    '59 more warnings like that of line 4: bytes_without_collective: weight_grad.bytes'; do
    grep -qx "$work/many: $line" "$work/err" || { echo "no '$line'"; cat "$work/err"; failed=1; }
done
expect 0 '*' '*' "$wlfmt" check --limit=0 "$work/many"
[ "$(grep -c 'warning: ' "$work/err")" -eq 249 ] || { echo "$title: not all of them with --limit=0"; failed=1; }
expect 0 '*' '*' "$wlfmt" check --limit=2 "$work/many"
holds ': 3 more problems, 249 in all'

title 'what makes no sense to a simulator is a warning, and a problem where nothing is tolerated'
printf 'HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 3 pp: 2 ga: 1 all_gpus: 8 checkpoints: 1 4\n2\na -1 1 ALLREDUC 8 1 ALLREDUCE 0 1 NONE 5 1\nb -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n' > "$work/sense"
expect 0 "$work/sense: workload, 2 layers, 7 warnings
" '*' "$wlfmt" check "$work/sense"
problems '1:52: warning: not_divisible' '1:58: warning: pipeline_mismatch' '1:93: warning: checkpoint_range' '1:94: warning: simulator_limit' \
    '3:8: warning: unknown_collective' '3:21: warning: empty_collective' '3:40: warning: bytes_without_collective'
holds 'ALLREDUCE?'
expect 1 "$work/sense: workload, 2 layers, 7 problems
" '*' "$wlfmt" check --strict "$work/sense"
problems '1:52: error: not_divisible' '1:58: error: pipeline_mismatch' '1:93: error: checkpoint_range' '1:94: error: simulator_limit' \
    '3:8: error: unknown_collective' '3:21: error: empty_collective' '3:40: error: bytes_without_collective'
printf 'HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1.5 pp: 2 ga: 0 all_gpus: 8 pp_comm: -4\n0\n' > "$work/sense"
expect 0 '*' '*' "$wlfmt" check "$work/sense"
problems '1:89: warning: negative_value' '1:52: warning: not_an_integer' '1:66: warning: size_below_one' '1:91: warning: simulator_limit'
expect 0 '*' '*' "$wlfmt" summary "$work/sense"
printf 'HYBRID_TRANSFORMER pp: 2 ga: -3 all_gpus: 8 pp_comm: 4\n0\n' > "$work/sense"
expect 0 '*' '*' "$wlfmt" summary "$work/sense"
holds '  pipeline_parallel         2       4  unknown     unknown            -       unknown        unknown'
printf "rank:0:loss_func(duration=-2.5)\nrank:0:get_batch(duration=1.0,timestamp=9.0,sub_operations=['duration=3.5', 'timestamp=7.5'])\n" > "$work/times"
expect 0 "$work/times: oplog, 2 records, 2 sub-operations, 3 warnings
" '*' "$wlfmt" check "$work/times"
problems '1:27: warning: ends_before_beginning' '2:71: warning: nested_too_long' '2:88: warning: ends_before_beginning'

title 'messages between stages are matched over the files of a run'
mkdir -p "$work/run"
message() { printf 'rank:%s:%s(stage_id=%s,batch_id=%s)\n' "$@"; }
{ message 0 send_forward 0 0; message 0 send_forward 0 1; message 0 recv_backward 0 1; } > "$work/run/x_rank0_7.txt"
{ message 1 send_forward 0 0; } > "$work/run/x_rank1_7.txt"
{ message 2 recv_forward 1 0; message 2 send_backward 1 2; } > "$work/run/x_rank2_7.txt"
{ message 3 recv_forward 1 0; } > "$work/run/x_rank3_7.txt"
{ message 4 send_forward 0 5; message 5 send_forward 9223372036854775807 5; } > "$work/run/x_rank4_8.txt"
expect 0 '*' '*' "$wlfmt" check "$work"/run/x_rank*
problems '2:8: warning: unmatched_message' '2:8: warning: unmatched_message' '3:8: warning: unmatched_message'
holds 'x_rank0_7.txt:2:8: warning: unmatched_message: send_forward: of micro-batch 1, sent to stage 1 and never received there' \
    'x_rank2_7.txt:2:8: warning: unmatched_message: send_backward: of micro-batch 2, sent to stage 0 and never received there' \
    'x_rank0_7.txt:3:8: warning: unmatched_message: recv_backward: of micro-batch 1, received from stage 1 and never sent there'
expect 1 '*' '*' "$wlfmt" check --strict "$work"/run/x_rank*
# One pair of ranks lacks three messages; the other pair is not looked at any more.
{ message 1 send_forward 0 0; message 1 send_forward 0 3; } > "$work/run/x_rank1_7.txt"
expect 0 '*' '*' "$wlfmt" check --limit=1 "$work"/run/x_rank*
problems '2:8: warning: unmatched_message'
holds 'wlfmt: 2 more messages without another end' 'wlfmt: messages without another end between 1 more pair of ranks'
# What comes through a pipe is not read again.
cat "$work"/run/x_rank0_7.txt "$work"/run/x_rank2_7.txt > "$work/both"
stdin=$work/both expect 0 '*' '*' "$wlfmt" check --limit=0 -
holds '<stdin>:2:8: warning: unmatched_message: send_forward: of micro-batch 1, sent to stage 1 and never received there' \
    '<stdin>:5:8: warning: unmatched_message: send_backward: of micro-batch 2, sent to stage 0 and never received there'
expect 0 '*' '*' "$wlfmt" check "$work/both"
problems '2:8: warning: unmatched_message' '5:8: warning: unmatched_message' '3:8: warning: unmatched_message'
# The other ranks of stage 1 may be elsewhere.
expect 0 '*' '' "$wlfmt" check "$work"/run/x_rank0_7.txt "$work"/run/x_rank1_7.txt "$work"/run/x_rank2_7.txt

title 'the sizes of groups and what goes over the wire'
expect 0 '*' '*' "$wlfmt" summary $workload
holds '  expert_parallel           4      32   81.00 MiB   81.00 MiB            -    162.00 MiB      20.25 GiB' \
    '  pipeline_parallel         4      32  384.00 MiB  384.00 MiB            -    768.00 MiB      72.00 GiB' \
    '  expert_data_parallel      1     128           -           -            -             -              -'

title 'workload files and tables as JSON, and what cannot be one sum'
expect 0 '*' '' "$wlfmt" summary --json $table
holds '"format":"table","tables":[{"rows":84,"columns":11,' '{"name":"forward","rows":1,"Self CPU":3761000,"share":45.31,'
expect 0 '*' '*' "$wlfmt" summary --partial $workload $table
holds '{"group":"expert_parallel","ranks":4,"groups":32,"forward":84934656,"input_grad":84934656,"rank_sends":169869312,"job_sends":21743271936}'
[ "$(wc -l < "$work/out")" -eq 2 ] || fail 'not a line a file'
expect 1 '*' '*' "$wlfmt" summary --json $workload $oplog
holds "$workload: error: a file of the format \`workload\` among the op logs of a run, which are one sum: sum it up by itself"
mkdir -p "$work/only_tables" && cp $table "$work/only_tables"
expect 0 '*' '' "$wlfmt" summary "$work/only_tables"
holds 'profiler table 1 of 1, 84 rows'
stdin=$table expect 0 '*' '' "$wlfmt" summary -
holds '<stdin>: profiler table 1 of 1, 84 rows'
expect 1 '' "$oplog: error: the file is a rank op log, not lines of summary --partial: wlfmt summary --partial $oplog
" "$wlfmt" merge $oplog

title 'ranks that no log has'
expect 1 '*' 'wlfmt: error: --ranks: no log has rank 5 to 6, 8, 16
' "$wlfmt" timeline --ranks=5-8,16 $oplog
expect 1 '' 'wlfmt: error: --ranks: no log has rank 100
' "$wlfmt" plot --ranks=100 $oplog

# Stages without pp_comm send an unknown number of bytes.
sed '1s/ pp_comm 50331648//' $workload > "$work/no_pp_comm"
expect 0 '*' '*' "$wlfmt" summary "$work/no_pp_comm"
holds '  pipeline_parallel         4      32     unknown     unknown            -       unknown        unknown'

expect 2 '' '*' "$wlfmt" chakra $workload
expect 2 '' '*' "$wlfmt" chakra $workload -o
for option in --tick=0 --tick=fast --passes=0 --world-size=-1 --tp=x --order=tp-xp --order=; do
    expect 2 '' '*' "$wlfmt" chakra $workload -o "$work/trace" $option
done
if ! "$wlfmt" chakra chakra/micro.txt -o "$work/trace" --world-size=1 2>&1 | grep -q 'which Chakra traces need'; then
    title 'traces of a workload, a file per rank'
    expect 0 '*' '' "$wlfmt" chakra chakra/data.txt -o "$work/data" --world-size=3 --tick=1000 --passes=2 --all-gather=share
    # The nodes are those of Chakra's converter. They follow the metadata, which have a fingerprint here; the size of
    # these is in the first two bytes.
    nodes=$(($(wc -c < chakra/data.et) - $(od -An -tu1 -N2 chakra/data.et | awk '{ print 2 + $1 - 128 + $2 * 128 }')))
    tail -c $nodes chakra/data.et > "$work/nodes"
    for rank in 0 1 2; do
        tail -c $nodes "$work/data.$rank.et" | cmp - "$work/nodes" || { echo "$title: rank $rank"; failed=1; }
        grep -aq "wlfmt:[0-9a-f]\{16\}:3" "$work/data.$rank.et" || { echo "$title: no fingerprint"; failed=1; }
    done
    [ ! -e "$work/data.3.et" ] || { echo "$title: a fourth rank"; failed=1; }
    expect 0 '*' '*' "$wlfmt" chakra chakra/data.txt -o "$work/linked" --world-size=3 --tick=1000 --passes=2 --all-gather=share --link
    holds 'note: 2 traces are links to the same trace of another rank'
    cmp "$work/data.2.et" "$work/linked.2.et" || { echo "$title: another trace with --link"; failed=1; }
    expect 0 '*' '*' "$wlfmt" chakra $workload -o "$work/moe"
    problems '2:1: warning: layer_count_mismatch'
    [ "$(ls "$work"/moe.*.et | wc -l)" -eq 128 ] || { echo "$title: other than 128 ranks"; failed=1; }
    grep -q '^"1":\[0,1,2,3,4,5,6,7\],$' "$work/moe.json" || { echo "$title: groups"; failed=1; }
    expect 1 '' '*' "$wlfmt" chakra chakra/data.txt -o "$work/none"
    problems '1:5: error: header_value'
    expect 1 '' '*' "$wlfmt" chakra --strict $workload -o "$work/none"
    expect 1 '' '*' "$wlfmt" chakra $table -o "$work/none"
    expect 2 '' '*' "$wlfmt" chakra nowhere.txt -o "$work/none"
    expect 2 '' '*' "$wlfmt" chakra chakra/data.txt chakra/model.txt --world-size=1 -o "$work/none"
    expect 2 '' '*' "$wlfmt" chakra chakra/data.txt --world-size=1 -o "$work/no/folder"
    [ ! -e "$work/none.0.et" ] || { echo "$title: a trace in spite of an error"; failed=1; }

    title 'traces of a run, and what keeps it from being simulated'
    tensor=',duration=1.5,input__shape=[4],input__dtype=torch.int8'
    operation() { printf 'rank:%s:%s(stage_id=%s,batch_id=%s%s)\n' "$@" "$tensor"; }
    operation 0 send_forward 0 7 > "$work/run/wd2_tp1_pp2_rank0_1.txt"
    operation 1 recv_forward 1 7 > "$work/run/wd2_tp1_pp2_rank1_1.txt"
    expect 0 '*' '' "$wlfmt" chakra "$work"/run/wd2_*.txt -o "$work/two"
    [ -s "$work/two.0.et" ] && [ -s "$work/two.1.et" ] || { echo "$title: no traces"; failed=1; }
    expect 0 '*' '' "$wlfmt" chakra "$work"/run/wd2_*.txt -o "$work/two" --world-size=2 --pp=2
    expect 1 '' '*' "$wlfmt" chakra "$work/run/wd2_tp1_pp2_rank0_1.txt" -o "$work/two"
    holds 'the run has 2 ranks, and there are logs of 1'
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_*.txt -o "$work/two" --tp=2
    holds 'error: --tp=2 contradicts the name of the file, which says tp1'
    mkdir -p "$work/unnamed"
    for rank in 0 1; do cp "$work/run/wd2_tp1_pp2_rank${rank}_1.txt" "$work/unnamed/rank$rank.txt"; done
    expect 1 '' '*' "$wlfmt" chakra "$work/unnamed" -o "$work/two"
    holds 'the names of the files do not say how many ranks there are'
    expect 0 '*' '' "$wlfmt" chakra "$work/unnamed" -o "$work/two" --world-size=2 --pp=2
    expect 1 '' '*' "$wlfmt" chakra "$work/unnamed" -o "$work/two" --world-size=2 --pp=2 --tp=2
    holds 'cannot be divided'
    # Their product is 2^64, which 64 bits do not hold.
    expect 1 '' '*' "$wlfmt" chakra "$work/unnamed" -o "$work/two" --world-size=4294967296 --tp=4294967296 --pp=4294967296
    holds 'cannot be divided'
    cp "$work/run/wd2_tp1_pp2_rank0_1.txt" "$work/again.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_*.txt "$work/again.txt" -o "$work/two"
    holds 'rank 0 is in'
    operation 1 recv_forward 1 8 > "$work/run/wd2_tp1_pp2_rank1_1.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_*.txt -o "$work/two"
    problems '1:8: error: unmatched_message' '1:8: error: unmatched_message'
    tensor=',duration=1.5,group_kind=dp,input__shape=[4],input__dtype=torch.int8'
    operation 0 dp_allreduce 0 0 > "$work/run/wd2_tp1_pp1_rank0_1.txt"
    operation 1 dp_allreduce 0 0 > "$work/run/wd2_tp1_pp1_rank1_1.txt"
    expect 0 '*' '' "$wlfmt" chakra "$work"/run/wd2_tp1_pp1_*.txt -o "$work/two"
    operation 1 dp_allreduce 0 0 >> "$work/run/wd2_tp1_pp1_rank1_1.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_tp1_pp1_*.txt -o "$work/two"
    holds 'rank1_1.txt:2:1: error: collective 2 of group 1 is more than rank 0 has'
    operation 0 dp_reduce_scatter 0 0 > "$work/run/wd2_tp1_pp1_rank1_1.txt"
    sed -i 's/rank:0:/rank:1:/' "$work/run/wd2_tp1_pp1_rank1_1.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_tp1_pp1_*.txt -o "$work/two"
    holds 'rank1_1.txt:1:1: error: collective 1 of group 1 is another one, or of other bytes, than that of rank 0 in line 1'
    tensor=',duration=1.5'
    operation 1 forward_step 0 0 > "$work/run/wd2_tp1_pp1_rank1_1.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_tp1_pp1_*.txt -o "$work/two"
    holds 'rank1_1.txt: error: rank 1 has none of the collectives of group 1; ASTRA-sim would wait for ever'
    tensor=',duration=1.5,group_kind=dp,input__shape=[4],input__dtype=torch.int8'
    operation 1 dp_allreduce 0 0 > "$work/run/wd2_tp1_pp1_rank1_1.txt"
    operation 0 dp_allreduce 0 0 >> "$work/run/wd2_tp1_pp1_rank0_1.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_tp1_pp1_*.txt -o "$work/two"
    holds 'rank1_1.txt: error: collective 2 of group 1 is missing: rank 0 has it in line 2'
    rm "$work"/run/wd2_tp1_pp1_*
    # A rank that lost a record is refused, as less would be simulated than the run did.
    for rank in 0 1; do
        time=9000
        for step in forward_step backward_step optimizer_step; do
            time=$((time + 10))
            [ $rank$step = 1optimizer_step ] ||
                printf 'rank:%s:%s(stage_id=0,batch_id=0,duration=9.5,timestamp=%s.0)\n' $rank $step $time
        done > "$work/run/wd2_tp2_pp1_rank${rank}_1.txt"
    done
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_tp2_pp1_*.txt -o "$work/two"
    holds 'error: missing_call: rank 1 lacks the 1st optimizer_step, which rank 0 has'
    expect 0 '*' '*' "$wlfmt" chakra --lenient "$work"/run/wd2_tp2_pp1_*.txt -o "$work/two"
    holds 'warning: missing_call: rank 1 lacks the 1st optimizer_step, which rank 0 has'
    rm "$work"/run/wd2_tp2_pp1_*
    # The ranks of a tensor parallel group take a step together: what one takes longer, the other has waited.
    printf 'rank:0:optimizer_step(stage_id=0,duration=10.5)\n' > "$work/run/wd2_tp2_pp1_rank0_1.txt"
    printf 'rank:1:optimizer_step(stage_id=0,duration=14.25)\n' > "$work/run/wd2_tp2_pp1_rank1_1.txt"
    expect 0 '*' '*' "$wlfmt" chakra "$work"/run/wd2_tp2_pp1_*.txt -o "$work/two"
    holds 'note: optimizer_step: 3.75 ms of waiting for the last rank are left out of the traces'
    rm "$work"/run/wd2_tp2_pp1_*
    operation 1 recv_forward 0 8 > "$work/run/wd2_tp1_pp2_rank1_1.txt"
    expect 1 '' '*' "$wlfmt" chakra "$work"/run/wd2_*.txt -o "$work/two"
    problems '1:30: error: stage_mismatch'
fi

# A log of many pieces, written into a pipe that closes early, and with little memory.
copies=$((10000 / few))
awk -v file=oplog_rank7_moe_simulation.txt -v copies=$copies 'BEGIN {
    while ((getline line < file) > 0) text = text line "\n"
    for (n = 0; n < copies; ++n) printf "%s", text }' > "$work/long"
expect 0 '*' '' sh -c '"$1" json "$2" | head -n 1 > /dev/null' sh "$wlfmt" "$work/long"
expect 0 "$work/long: oplog, $((4 * copies)) records, $((10 * copies)) sub-operations
" '' sh -c '[ -n "${WLFMT_SANITIZED-}" ] || ulimit -d 20000 2> /dev/null; "$1" check "$2"' sh "$wlfmt" "$work/long"
rm -f "$work/long"
# So are the messages of a run: their texts alone would be 40 MB.
for stage in 0 1; do
    awk -v stage=$stage -v count=$((200000 / few)) 'BEGIN { for (n = 0; n < count; ++n)
        printf "rank:%d:%s_forward(stage_id=%d,batch_id=%d,mg_state=steady,duration=1.25,input__shape=[4])\n",
            stage, stage ? "recv" : "send", stage, stage ? count - 1 - n : n }' > "$work/long_rank$stage.txt"
done
expect 0 '*' '' sh -c '[ -n "${WLFMT_SANITIZED-}" ] || ulimit -d 20000 2> /dev/null; "$1" check "$2" "$3"' sh "$wlfmt" \
    "$work/long_rank0.txt" "$work/long_rank1.txt"
rm -f "$work"/long_rank*

echo "$count commands"
exit $failed
