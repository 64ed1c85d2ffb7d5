#!/bin/sh
# The command destroys nothing and ends with a message whatever happens. usage: safe.sh ROOT WLFMT WORK_FOLDER
set -u
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
. "$root/tests/command/expect.sh"
cd "$work" || exit 1
data=$root/tests/data
# title TEXT: what the next commands show.
title() { title=$1; }
same() { cmp -s "$1" "$2" || fail "$1 is not $2"; }
# Nothing is left of what was begun.
no_rest() { [ -z "$(find . -name '.wlfmt-*')" ] || fail "left over: $(find . -name '.wlfmt-*')"; }
has_json=1
"$wlfmt" from-json nowhere.txt 2>&1 | grep -q 'not in this build' && has_json=0
has_chakra=1
"$wlfmt" chakra "$data/chakra/micro.txt" -o probe --world-size=1 2>&1 | grep -q 'which Chakra traces need' && has_chakra=0

cp "$data/oplog_rank7_moe_simulation.txt" a.txt
cp a.txt wd8_rank7_20250101000000.txt
cp a.txt kept.txt

title 'an output that is an input is refused, whatever links lead to it'
ln -s a.txt link.txt
ln a.txt hard.txt
for command in timeline plot; do
    for output in a.txt ./a.txt link.txt hard.txt; do
        expect 2 "$wlfmt" $command a.txt -o $output
        holds "$output: error: this file is " 'give the output another name'
        same a.txt kept.txt
    done
    expect 2 "$wlfmt" $command link.txt -o a.txt
    same a.txt kept.txt
    expect $([ $command = plot ] && echo 2 || echo 1) "$wlfmt" $command "$data/workload_moe_128gpus.txt" \
        -o "$data/workload_moe_128gpus.txt" --strict
done
cp a.txt t.7-7.json
expect 2 "$wlfmt" timeline t.7-7.json -o t.json --ranks-per-file=4
same t.7-7.json kept.txt
cp "$data/workload_dense_1024gpus.txt" w.txt
expect 1 "$wlfmt" timeline w.txt -o w.txt
same w.txt "$data/workload_dense_1024gpus.txt"
cp "$data/profiler_table_moe_train_step.txt" p.txt
expect 2 "$wlfmt" plot p.txt -o p.txt
same p.txt "$data/profiler_table_moe_train_step.txt"
if [ $has_chakra -eq 1 ]; then
    cp "$data/chakra/data.txt" x.json
    expect 2 "$wlfmt" chakra x.json -o x --world-size=3
    same x.json "$data/chakra/data.txt"
    cp "$data/chakra/data.txt" y.1.et
    expect 2 "$wlfmt" chakra y.1.et -o y --world-size=3
    same y.1.et "$data/chakra/data.txt"
fi
no_rest

title 'a failure leaves what was there'
echo before > there.json
expect 1 "$wlfmt" timeline --align=bake a.txt -o there.json
[ "$(cat there.json)" = before ] || fail 'overwritten by a failure'
if [ -w /dev/full ]; then
    ln -s /dev/full full
    expect 2 "$wlfmt" timeline a.txt -o full
    holds 'full: error: writing failed'
fi
# A limit on the size of files, as of a disk that is full. (The signal for it ends the command; nothing is left over but
# what was there.)
awk '{ line[NR] = $0 } END { for (n = 0; n < 3000; ++n) for (k = 1; k <= NR; ++k) print line[k] }' a.txt > long.txt
(trap '' XFSZ 2> /dev/null; ulimit -f 8; "$wlfmt" timeline long.txt -o there.json > /dev/null 2> err)
[ "$(cat there.json)" = before ] || fail 'overwritten by half a file'
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w there.json
    expect 2 "$wlfmt" timeline a.txt -o there.json
    holds 'there.json: error: the file cannot be opened for writing'
    chmod u+w there.json
fi
rm -f .wlfmt-*

title 'an output takes the place of a file, with its permissions, and leaves links'
chmod 640 there.json
expect 0 "$wlfmt" timeline a.txt -o there.json
[ "$(ls -l there.json | cut -c1-10)" = -rw-r----- ] || fail 'permissions'
"$wlfmt" timeline a.txt > printed.json
same there.json printed.json
echo before > real.json
ln -s real.json link.json
expect 0 "$wlfmt" timeline a.txt -o link.json
[ -L link.json ] || fail 'a link is replaced'
same real.json printed.json
ln -s new.json dangling.json
expect 0 "$wlfmt" timeline a.txt -o dangling.json
same new.json printed.json
no_rest

title 'an output may be standard output, a pipe or a device'
for output in - /dev/stdout; do
    "$wlfmt" timeline a.txt -o $output > out 2> err || fail "$output: exit status"
    same out printed.json
    "$wlfmt" timeline a.txt -o $output 2> err | cat > out
    same out printed.json
done
echo first > appended
"$wlfmt" timeline a.txt -o /dev/stdout >> appended
{ echo first; cat printed.json; } > out
same appended out
mkfifo pipe
cat pipe > out &
"$wlfmt" timeline a.txt -o pipe || fail 'a pipe'
wait
same out printed.json
expect 0 "$wlfmt" timeline a.txt -o /dev/null
expect 2 "$wlfmt" timeline a.txt -o .
holds '.: error: the file cannot be opened for writing'

title 'what is stopped leaves nothing behind'
mkfifo slow
"$wlfmt" timeline long.txt -o there.json 2> /dev/null &
sleep 0.1
kill $! 2> /dev/null
wait
cmp -s there.json printed.json || "$wlfmt" timeline long.txt 2> /dev/null | cmp -s - there.json || fail 'half a file'
no_rest

title 'what is read twice is a regular file'
for command in timeline; do
    expect 1 sh -c 'cat a.txt | "$1" $2 /dev/stdin' sh "$wlfmt" $command
    holds '/dev/stdin: error: op logs are read twice, which standard input and pipes cannot be'
    expect 1 sh -c 'cat a.txt | "$1" $2 -' sh "$wlfmt" $command
    cat a.txt > slow &
    expect 1 "$wlfmt" $command slow
    holds 'slow: error: op logs are read twice'
    wait
    # A workload file is read once.
    cat w.txt > slow &
    expect 0 "$wlfmt" $command slow
    wait
    "$wlfmt" $command w.txt | sed "s/w\.txt/slow/" | cmp -s - out || fail "$command of a workload in a pipe"
done
# What is read once can be a pipe.
for command in plot report; do
    for file in a.txt w.txt; do
        cat $file > slow &
        expect 0 "$wlfmt" $command slow
        wait
        "$wlfmt" $command $file | sed "s/$file/slow/g" | cmp -s - out || fail "$command of $file in a pipe"
    done
done
if [ $has_chakra -eq 1 ]; then
    cp "$data/chakra/data.txt" chakra.txt
    "$wlfmt" chakra chakra.txt -o file --world-size=1
    cat chakra.txt > slow &
    expect 0 "$wlfmt" chakra slow -o piped --world-size=1
    wait
    same piped.json file.json
fi

title 'a file that changes, or vanishes, between the passes'
# The second pass begins when somebody reads the pipe that the output is; the warning tells that the first one is over.
sed 's/^rank:7/rank:6/; s/duration=8.3,/duration=soon,/' a.txt > two.txt
mkfifo late
for command in timeline; do
    for change in 'rm one.txt' 'sed -i -e 1d one.txt' 'sed -i -e s/=/=/ one.txt' 'cp link.txt two.txt'; do
        cp a.txt one.txt
        sed 's/^rank:7/rank:6/; s/duration=8.3,/duration=soon,/' a.txt > two.txt
        : > err
        "$wlfmt" $command one.txt two.txt -o late 2> err &
        command_pid=$!
        tries=0
        until grep -q not_a_number err || [ $tries -eq 200 ]; do
            sleep 0.05
            tries=$((tries + 1))
        done
        $change
        cat late > out
        wait $command_pid
        have=$?
        count=$((count + 1))
        [ $have -eq 2 ] || fail "$command, $change: exit status $have"
        grep -q 'txt: error: \(the file has changed while it was read\|cannot_open\)' err || fail "$command, $change: $(cat err)"
    done
done
no_rest

title 'more threads than there can be, and less memory than is needed'
expect 0 "$wlfmt" summary -j4000000000 a.txt
sed 's/^rank:7/rank:6/' a.txt > two.txt
expect 0 "$wlfmt" summary -j4000000000 a.txt two.txt
if [ -z "${WLFMT_SANITIZED-}" ]; then
    awk '{ for (n = 0; n < 200; ++n) print }' long.txt > longer.txt
    (ulimit -v 400000 2> /dev/null; "$wlfmt" summary -j64 longer.txt > out 2> err)
    have=$?
    [ $have -eq 0 ] || { [ $have -eq 2 ] && grep -q 'there is not enough memory' err; } || fail "threads: exit status $have"
    echo before > there.json
    { printf 'rank:0:a(b='; head -c 100000000 /dev/zero | tr '\000' 1; } > line.txt
    for command in summary json 'plot -o there.json' 'timeline -o there.json' check merge 'diff line.txt'; do
        # All of a table, or of a line that does not end, is in memory.
        (ulimit -v 90000 2> /dev/null; "$wlfmt" $command line.txt > out 2> err)
        have=$?
        count=$((count + 1))
        [ $have -eq 2 ] || fail "$command: exit status $have: $(head -3 err | cut -c1-200)"
        holds 'wlfmt: error: there is not enough memory'
    done
    [ "$(cat there.json)" = before ] || fail 'overwritten without memory'
    rm -f longer.txt line.txt
fi
no_rest

title 'a pipe that is closed early is no success'
# Runs the command when nobody reads its output any more: that is known when writing to it fails.
"$wlfmt" summary --partial a.txt > part
closed() {
    count=$((count + 1))
    { (
        trap '' PIPE
        while echo 2> /dev/null; do :; done
        "$wlfmt" "$@" 2> err
        echo $? > status
    ) } | true
    # The shell may go on before the command has ended.
    tries=0
    until [ -s status ] || [ $tries -eq 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    [ "$(cat status)" -eq 141 ] || fail "$*: exit status $(cat status)"
    [ ! -s err ] || fail "$*: $(head -2 err)"
    rm -f status
}
while read -r arguments; do
    # shellcheck disable=SC2086
    closed $arguments
done << 'END'
json long.txt
json p.txt
csv long.txt
timeline long.txt
timeline w.txt
plot a.txt
plot w.txt
plot p.txt
diff a.txt two.txt
diff --markdown a.txt two.txt
format long.txt
format w.txt
check a.txt
summary a.txt
summary w.txt
summary p.txt
summary --json a.txt
summary --partial a.txt
merge part
set long.txt operations.0.duration=1
completion bash
completion zsh
json --help
--help
--version
END
[ $has_json -eq 0 ] || { "$wlfmt" json w.txt > w.json; closed from-json w.json; }
if [ $has_chakra -eq 1 ]; then
    cp "$data/chakra/data.txt" data.txt
    closed chakra data.txt -o closed --world-size=2 --all-gather=share
fi

title 'no file name and no name in a file reaches the terminal raw'
esc=$(printf '\033')
odd="a$esc[31m
b.txt"
printf 'rank:0:f\033[2J\000g(duration=1.5,timestamp=3.0,stage_id=0,mg_state=\033c,group_kind=\302\233m)\n' > "$odd"
printf '%s\n' '-----------  ----------' '       Name   CPU total' '-----------  ----------' "  red${esc}[31m     1.000ms" \
    '-----------  ----------' "CPU${esc}[31m time total: 1.000ms" > "table$odd"
printf 'POLICY\033[2J pp: 1\033[2J\n1\nl -1 1 NONE 0 1 NONE 0 1 NO\033NE 5 1\n' > "work$odd"
printf 'rank:0:f\033[2J\000g(duration=2.5,timestamp=3.0)\n' > "other$odd"
for arguments in summary check 'summary --by=state --by=group --by=operation' timeline plot csv diff merge chakra json; do
    for file in "$odd" "table$odd" "work$odd" "no$odd"; do
        count=$((count + 1))
        case $arguments in
        diff) "$wlfmt" diff "$file" "other$odd" > out 2> err ;;
        chakra) "$wlfmt" chakra "$file" -o trace > out 2> err ;;
        # What is for programs holds what it holds.
        timeline | plot | csv | json) "$wlfmt" $arguments "$file" > other 2> err; : > out ;;
        *) "$wlfmt" $arguments "$file" > out 2> err ;;
        esac
        cat out err | tr -d '\n' | LC_ALL=C grep -q '[[:cntrl:]]' && fail "$arguments: $(cat -v out err | head -5)"
        cat out err | grep -q '^b.txt' && fail "$arguments: a line end of a name: $(cat -v out err | head -5)"
        [ -s out ] || [ -s err ] || [ -s other ] || fail "$arguments: nothing"
    done
done
rm -f -- *"$odd"*

echo "$count commands"
exit $failed
