#!/bin/sh
# The command does what its usage says. usage: check.sh ROOT WLFMT WORK_FOLDER
set -u
root=$1 wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$root/tests/data" || exit 1
failed=0 count=0

# expect STATUS STDOUT STDERR COMMAND...: the exit status, and the whole output; `*` stands for any.
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
# holds WORD...: the last standard output or error has the words.
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
expect 0 '*' '' "$wlfmt" --help
holds 'Exit status: 0 clean, 1 problems, 2 usage or unreadable file.'
expect 0 '*' '' "$wlfmt" --version

expect 0 "$oplog: oplog, 9 records, 48 sub-operations
" '' "$wlfmt" check $oplog
expect 1 "$workload: workload, 98 layers, 1 problem
" "$workload:2:1: error: layer_count_mismatch: the header declares 96 layers, 98 follow
  96
  ^~
" "$wlfmt" check $workload
expect 0 "$table: table, 1 table, 84 rows
" '' "$wlfmt" check $table
expect 1 '*' '*' "$wlfmt" check $oplog $workload
holds "$oplog: oplog" "$workload: workload"

expect 2 '' 'nowhere.txt: error: cannot_open: the file cannot be opened
' "$wlfmt" check nowhere.txt
expect 2 '' '.: error: is_directory: this is a directory, not a file
' "$wlfmt" json .
: > "$work/empty"
expect 1 '*' '*' "$wlfmt" check "$work/empty"
holds 'error: unknown_format'
expect 1 '' '*' "$wlfmt" json --kind=workload "$work/empty"
holds 'error: no_records: the text holds no layer'
expect 1 '' '*' "$wlfmt" json --kind=oplog $table
holds 'error: no_records: the text holds no rank op-log record'

# Written again, the samples are themselves (the workload but for its wrong count).
for file in oplog_rank7_moe_simulation.txt $oplog workload_dense_1024gpus.txt $table; do
    expect 0 '*' '*' "$wlfmt" format $file
    cmp "$file" "$work/out" || failed=1
done
expect 0 '*' "$workload:2:1: warning: layer_count_mismatch: the header declares 96 layers, 98 follow
  96
  ^~
" "$wlfmt" format $workload
expect 1 '' '*' "$wlfmt" format --strict $workload
holds 'error: layer_count_mismatch'

expect 0 '{"policy":"MICRO","header":{},"declared_layers":1}
{"name":"conv1","dependency":-1,"forward":{"compute":5,"comm":"NONE","size":0},"input_grad":{"compute":5,"comm":"NONE","size":0},"weight_grad":{"compute":5.5,"comm":"ALLTOALL_EP","size":65536},"update":5}
' '' sh -c 'printf "MICRO\r\n1\r\nconv1 -1 5 NONE 0 5 NONE 0 5.5  ALLTOALL_EP 65536 5.0" | "$1" json -' sh "$wlfmt"
stdin=$oplog
expect 0 '<stdin>: oplog, 9 records, 48 sub-operations
' '' "$wlfmt" check -
stdin=
expect 0 '{"stage":3,"op":"get_batch","batch_id":null,"mg_state":"warmup","cmd_uid":18446744073709551616,"tags":[1,2],"ok":true}
' '' sh -c 'echo "stage:3:get_batch(batch_id=None, mg_state=warmup, cmd_uid=18446744073709551616, tags=[1, 2], ok=True)" | "$1" json -' sh "$wlfmt"

# A list of problems, cut where it is told to be, line numbers counted over the whole input.
awk 'BEGIN { for (n = 1; n <= 300; ++n) print "rank:" n ":step(duration=" (n % 100 ? "1.5" : "soon") ")" }' > "$work/log"
expect 1 "$work/log: oplog, 297 records, 0 sub-operations, 3 problems
" "$work/log:100:24: error: not_a_number: duration: \`soon\` where a number is expected
  rank:100:step(duration=soon)
                         ^~~~
$work/log: 2 more problems, 3 in all
" "$wlfmt" check --limit=1 "$work/log"
expect 1 '*' '*' "$wlfmt" check --limit=0 "$work/log"
holds 'log:300:24: error:'
expect 0 '*' '*' "$wlfmt" json "$work/log"
holds '{"rank":100,"op":"step","duration":"soon"}' 'warning: not_a_number'
expect 1 '*' '*' "$wlfmt" json --strict "$work/log"

# Text around the records is passed over, unless nothing is tolerated.
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
holds 'cudaLaunchKernel' '45.7%' 'profiler table 1 of 1, 84 rows, 11 columns'

# A log of many pieces, into a pipe that closes early and in little memory.
awk -v file=oplog_rank7_moe_simulation.txt 'BEGIN {
    while ((getline line < file) > 0) text = text line "\n"
    for (n = 0; n < 10000; ++n) printf "%s", text }' > "$work/long"
expect 0 '*' '' sh -c '"$1" json "$2" | head -n 1 > /dev/null' sh "$wlfmt" "$work/long"
expect 0 "$work/long: oplog, 40000 records, 100000 sub-operations
" '' sh -c '[ -n "${WLFMT_SANITIZED-}" ] || ulimit -d 20000 2> /dev/null; "$1" check "$2"' sh "$wlfmt" "$work/long"
rm -f "$work/long"

echo "$count runs of the command"
exit $failed
