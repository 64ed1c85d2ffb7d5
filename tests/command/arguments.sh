#!/bin/sh
# The command line: help, what is refused and how it is named, options as they can be written, completion.
# usage: arguments.sh ROOT WLFMT WORK_FOLDER
set -u
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
failed=0 count=0
fail() { echo "$*"; failed=1; }
cp "$root/tests/data/oplog_rank7_moe_simulation.txt" a.txt
cp "$root/tests/data/workload_dense_1024gpus.txt" w.txt
cp "$root/tests/data/profiler_table_moe_train_step.txt" table.txt

# refused MESSAGE ARGUMENT...: exit status 2 and this line alone.
refused() {
    message=$1
    shift
    "$wlfmt" "$@" > out 2> err < /dev/null
    have=$?
    count=$((count + 1))
    [ $have -eq 2 ] || fail "wlfmt $*: exit status $have"
    [ ! -s out ] || fail "wlfmt $*: prints something"
    printf '%s\n' "$message" | cmp -s - err || { fail "wlfmt $*: not \"$message\":"; cat err; }
}
# Without a command: the commands, a line each.
"$wlfmt" > out 2> err < /dev/null
[ $? -eq 2 ] && [ ! -s out ] && "$wlfmt" --help | cmp -s - err || fail "without arguments: $(cat err)"
refused 'wlfmt: unknown command sumary; did you mean summary?' sumary a.txt
refused 'wlfmt: unknown command fromjson; did you mean from-json?' fromjson a.txt
refused 'wlfmt: unknown command bake; wlfmt --help lists the commands' bake a.txt
refused 'wlfmt: unknown command --verison; did you mean --version?' --verison
refused 'wlfmt: unknown command --Help; did you mean --help?' --Help
refused 'wlfmt: unknown command -help; did you mean --help?' -help
refused 'wlfmt: unknown command SUMMARY; did you mean summary?' SUMMARY a.txt
refused 'wlfmt: unknown command --versio; did you mean --version?' help --versio
refused 'wlfmt: unknown command ``; wlfmt --help lists the commands' '' a.txt
refused 'wlfmt: --help takes no value' --help=1
refused 'wlfmt: --version takes no value' --version=1
refused 'wlfmt: unknown command a.txt; to look at it: wlfmt summary a.txt' a.txt
refused 'wlfmt: unknown command .; to look at it: wlfmt summary .' .
refused 'wlfmt: unknown command -; to look at it: wlfmt summary -' -
refused 'wlfmt: options come after the command: wlfmt COMMAND --kind=oplog' --kind=oplog json a.txt
refused 'wlfmt: options come after the command: wlfmt COMMAND -j4' -j4 summary a.txt
refused 'wlfmt: options come after the command: wlfmt COMMAND --json' --json summary a.txt
refused 'wlfmt json: --help takes no value' json --help=1
refused 'wlfmt json: -h takes no value' json -h5
refused 'wlfmt json: --version is of no command: wlfmt --version' json --version a.txt
refused 'wlfmt json: -V is of no command: wlfmt --version' json a.txt -V
refused 'wlfmt json: -j is no option of this command, but of summary, report' json -j0 a.txt
refused 'wlfmt json: unknown option --LENIENT; did you mean --lenient?' json --LENIENT a.txt
refused 'wlfmt json: unknown option -O; did you mean -o?' json -O x.json a.txt
refused 'wlfmt json: unknown option --output; did you mean -o?' json --output=x.json a.txt
refused 'wlfmt summary: unknown option --threads; did you mean -j?' summary --threads=4 a.txt
refused 'wlfmt summary: unknown option -json; did you mean --json?' summary -json a.txt
refused 'wlfmt diff: unknown option -only=compute; did you mean --only?' diff -only=compute w.txt w.txt
refused 'wlfmt json: unknown option -strict; did you mean --strict?' json -strict a.txt
refused 'wlfmt chakra: --schedule=gpipe|1f1b|interleaved: `GPipe` is not one of these; did you mean gpipe?' chakra --schedule=GPipe w.txt -o p
refused 'wlfmt json: an argument is empty; usage: wlfmt json [OPTION]... FILE|DIR...' json ''
for dash in '\342\200\223' '\342\200\224' '\342\210\222'; do
    word=$(printf "$dash"json)
    refused "wlfmt summary: \`$word\` begins with a dash other than the - that options begin with" summary "$word" a.txt
done
refused 'wlfmt: table.txt:1 is one table: give another one to compare it with' diff table.txt:1
refused 'wlfmt completion: an argument is missing; usage: wlfmt completion [OPTION]... bash|zsh|fish' completion
# What is there is named once, and a folder says what it holds.
refused 'nowhere.txt: error: cannot_open: the file cannot be opened: No such file or directory' diff nowhere.txt
mkdir -p outer/b outer/a hollow
for command in summary report check; do
    "$wlfmt" $command outer > out 2> err && fail "$command: a folder of folders is read"
    grep -qx 'outer: error: the folder holds no file; give a folder that is in it: outer/a' err || fail "$command outer: $(cat err)"
    "$wlfmt" $command hollow 2>&1 | grep -qx 'hollow: error: the folder holds no file' || fail "$command hollow"
    "$wlfmt" $command - < /dev/null 2>&1 | grep -qx '<stdin>: error: unknown_format: standard input is empty' ||
        fail "$command of nothing"
    head -c 4096 "$wlfmt" | "$wlfmt" $command - 2>&1 | grep -q '; the file is binary$' || fail "$command of a binary file"
done
refused 'wlfmt json: unknown option --lenent; did you mean --lenient?' json --lenent a.txt
refused 'wlfmt json: unknown option --lenietn; did you mean --lenient?' json a.txt --lenietn
refused 'wlfmt json: unknown option --len; did you mean --lenient?' json --len a.txt
refused 'wlfmt json: unknown option --colour; did you mean --color?' json --colour=red a.txt
refused 'wlfmt json: --color=auto|always|never: `red` is not one of these' json --color=red a.txt
refused 'wlfmt: unknown command sumary; did you mean summary?' help sumary
refused 'wlfmt json: unknown option -x; wlfmt json --help lists the options' json -x a.txt
refused 'wlfmt json: --partial is no option of this command, but of summary, merge' json --partial a.txt
refused 'wlfmt check: --lenient is no option of this command, but of json, csv, timeline, plot, format, summary, report, set, chakra' check --lenient a.txt
refused 'wlfmt merge: --kind is no option of this command, but of json, from-json, csv, timeline, plot, diff, format, mend, check, summary, report, set, chakra' merge --kind=oplog a.txt
refused 'wlfmt json: --kind=oplog|workload|table: `oplig` is not one of these; did you mean oplog?' json --kind=oplig a.txt
refused 'wlfmt json: --kind=oplog|workload|table: `xml` is not one of these' json --kind xml a.txt
refused 'wlfmt json: the value is missing: --kind=oplog|workload|table' json a.txt --kind
refused 'wlfmt json: --strict takes no value' json --strict=yes a.txt
refused 'wlfmt summary: -j N: `x` is not a number above 0' summary -jx a.txt
refused 'wlfmt summary: -j N: `0` is not a number above 0' summary -j 0 a.txt
refused 'wlfmt check: --limit=N: `-1` is not a number' check --limit=-1 a.txt
refused 'wlfmt summary: --by=rank,stage,...: `rank,colour` is not a list of operation, collective, group, stage, state and rank' summary --by=rank,colour a.txt
refused 'wlfmt summary: --json and --partial exclude each other' summary --json --partial a.txt
refused 'wlfmt summary: --ranks is a list of ranks, for timeline and plot; the number of ranks is --world-size=N' summary --ranks=8 a.txt
refused 'wlfmt summary: a line of --partial holds no sizes: give them to merge' summary --partial --tp=2 a.txt
refused 'wlfmt json: --strict and --lenient exclude each other' json --strict --lenient a.txt
refused 'wlfmt json: an argument is missing; usage: wlfmt json [OPTION]... FILE|DIR...; - is standard input' json --strict
refused 'wlfmt: a.txt is no text with two tables: give two files' diff a.txt
refused 'wlfmt format: `w.txt` is one argument too many; usage: wlfmt format [OPTION]... FILE' format a.txt w.txt
refused 'wlfmt set: `pp` is not PATH=VALUE' set w.txt pp
refused 'wlfmt chakra: -o PREFIX is missing' chakra w.txt
refused 'wlfmt timeline: --ranks-per-file needs -o FILE' timeline --ranks-per-file=2 a.txt
refused 'wlfmt completion: the shell is bash, zsh or fish' completion tcsh
refused 'wlfmt json: unknown option --a.[2Jb; wlfmt json --help lists the options' json "$(printf -- '--a\033[2Jb')" a.txt

# same ARGUMENT...: prints what the last command has printed.
same() {
    "$wlfmt" "$@" > again 2> err
    have=$?
    count=$((count + 1))
    [ $have -eq 0 ] || fail "wlfmt $*: exit status $have: $(cat err)"
    cmp -s out again || fail "wlfmt $*: prints something else"
}
"$wlfmt" json a.txt > out
same json --kind=oplog a.txt
same json --kind oplog a.txt
same json a.txt --prefix none
cp a.txt ./--lenient
same json -- --lenient
rm ./--lenient
same json -- a.txt
same json - < a.txt
same json -o - a.txt
for option in '-ojson.out' '-o json.out' '-o=json.out'; do
    rm -f json.out
    "$wlfmt" json $option a.txt > printed || fail "json $option"
    cmp -s out json.out || fail "json $option: writes something else"
    [ ! -s printed ] || fail "json $option: prints something"
done
for command in csv summary check format; do
    "$wlfmt" $command a.txt > out
    "$wlfmt" $command -o $command.out a.txt || fail "$command -o"
    cmp -s out $command.out || fail "$command -o: writes something else"
done
"$wlfmt" summary a.txt > out
same summary -j2 a.txt
same summary -j 2 a.txt
same summary -j=2 a.txt
"$wlfmt" set w.txt header.pp=3 > out
same set -o - w.txt header.pp=3
"$wlfmt" set w.txt header.pp=3 -o set.out && cmp -s out set.out || fail 'set -o'
# What a file with problems holds is written; what a failure leaves is what was there.
printf 'rank:0:a(k=1)\nrank:0:b(duration=1.5,desc\n' > cut.txt
echo before > json.out
"$wlfmt" json cut.txt -o json.out 2> err && fail 'problems: exit status 0'
[ "$(cat json.out)" = '{"rank":0,"op":"a","k":1}' ] || fail 'problems: not what can be read'
echo before > json.out
"$wlfmt" json nowhere.txt -o json.out 2> err && fail 'no file: exit status 0'
printf 'nothing\n' > nothing.txt
"$wlfmt" json nothing.txt -o json.out 2> err && fail 'no format: exit status 0'
[ "$(cat json.out)" = before ] || fail 'a failure has overwritten the output'

# An output that is an input, or in a folder of inputs.
refused 'a.txt: error: this file is an input, too: give the output another name' json a.txt -o a.txt
ln -s a.txt link.txt
refused 'link.txt: error: this file is the input a.txt: give the output another name' format a.txt -o link.txt
"$wlfmt" json a.txt > json.out
if ! "$wlfmt" from-json json.out 2>&1 | grep -q 'not in this build'; then
    refused 'json.out: error: this file is an input, too: give the output another name' from-json json.out -o json.out
fi
mkdir run
cp a.txt run/a.txt
refused 'run/a.txt: error: this file is an input, too: give the output another name' summary run -o run/a.txt
"$wlfmt" summary run/a.txt > out
for n in 1 2; do
    "$wlfmt" summary run > run/printed.txt || fail 'printed into the folder that is read'
    cmp -s out run/printed.txt || fail 'printed into the folder that is read: something else'
done
rm run/printed.txt
"$wlfmt" json run -o run/json.out || fail 'written into the folder that is read'
"$wlfmt" json a.txt | cmp -s - run/json.out || fail 'written into the folder that is read: something else'
cp a.txt before.txt
"$wlfmt" json a.txt >> a.txt 2> err && fail 'standard output is an input: exit status 0'
cmp -s a.txt before.txt || fail 'standard output is an input: the file has grown'
grep -qx 'a.txt: error: this file is an input, and standard output' err || fail "standard output is an input: $(cat err)"

# Help.
commands=$("$wlfmt" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 13 ] || fail 'commands are missing in --help'
[ "$("$wlfmt" --help | wc -l)" -le 24 ] || fail '--help is longer than a screen'
for word in -V -v version; do [ "$("$wlfmt" $word)" = "$("$wlfmt" --version)" ] || fail "$word is not --version"; done
"$wlfmt" help | grep -q '^Exit status: 0 clean' || fail 'help does not say what the exit status means'
for command in $commands; do
    "$wlfmt" $command --help > out 2> err || fail "$command --help"
    "$wlfmt" $command a.txt -h 2>&1 | cmp -s - out || fail "$command -h"
    head -1 out | grep -q "^usage: wlfmt $command " || fail "$command --help: no usage"
    "$wlfmt" help $command > more || fail "help $command"
    [ "$(sed -n 's/^  \(--*[a-z-]*\).*/\1/p' more)" = "$(sed -n 's/^  \(--*[a-z-]*\).*/\1/p' out)" ] ||
        fail "help $command has other options than $command --help"
    awk 'length($0) > 80 { exit 1 }' out more || fail "$command --help: a wide line"
done

# Completion: what bash offers after these words. The last one is begun.
if command -v bash > /dev/null; then
    "$wlfmt" completion bash > completion.bash
    offered() {
        bash -c 'source ./completion.bash; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wlfmt
            printf "%s " "${COMPREPLY[@]}"' bash "$@"
    }
    offers() { # offers WORDS FOR...
        wanted=$1
        shift
        count=$((count + 1))
        [ "$(offered "$@")" = "$wanted " ] || fail "completion of '$*': '$(offered "$@")', not '$wanted '"
    }
    offers 'json' wlfmt js
    offers 'csv check chakra completion' wlfmt c
    offers '--lenient' wlfmt json --le
    offers '--kind=' wlfmt json --k
    offers '--limit=' wlfmt check --l
    offers 'oplog workload table' wlfmt json --kind =
    offers 'table' wlfmt json --kind = t
    offers 'table' wlfmt json --kind t
    offers 'oplog workload table' wlfmt json a.txt --kind ''
    offers 'a.txt' wlfmt json -o a.t
    offers '' wlfmt check --limit =
    offers 'records rows' wlfmt csv --of = r
    offers 'first flows collectives none' wlfmt timeline --align =
    offers 'bash zsh fish' wlfmt completion ''
    offers 'auto always never' wlfmt json --color =
    offers 'a.txt' wlfmt json a.t
fi
"$wlfmt" completion zsh > _wlfmt
head -1 _wlfmt | grep -qx '#compdef wlfmt' || fail 'zsh: no #compdef'
grep -qF "'--kind=[read the files as this format, whatever they look like]:oplog|workload|table:(oplog workload table)'" _wlfmt ||
    fail 'zsh: --kind is not what it should be'
"$wlfmt" completion fish > wlfmt.fish
grep -qxF "complete -c wlfmt -n '__fish_seen_subcommand_from json' -l kind -x -a 'oplog workload table' -d 'read the files as this format'" wlfmt.fish ||
    fail 'fish: --kind is not what it should be'
if command -v fish > /dev/null; then
    fish --no-execute wlfmt.fish || fail 'fish does not read its completion'
    [ "$(fish -c 'source wlfmt.fish; complete -C "wlfmt json --kind="' | sed 's/.*=//; s/[[:blank:]].*//' | paste -s -d ' ')" = 'oplog table workload' ] ||
        fail 'fish: offers other words for --kind'
fi
if command -v zsh > /dev/null; then zsh -n _wlfmt || fail 'zsh does not read its completion'; fi

echo "$count commands"
exit $failed
