#!/bin/sh
# The command does what docs/formats.md says of damaged texts: each row of a table `| line | error | lenient: JSON |` is
# a line of an op log, the kind of its error, and what a lenient reader makes of it. The files of tests/data/damaged are
# read with the warnings and the JSON that are beside them.
# usage: check.sh ROOT WLFMT
set -eu
root=$1 wlfmt=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk '/^\| line \| error \| lenient: JSON \|$/ { inside = 1; getline; next } !/^\|/ { inside = 0 } inside' \
    "$root/docs/formats.md" > "$work/rows"

# code TEXT: prints the text between the backquotes, or nothing.
code() { printf '%s\n' "$1" | sed -n 's/^[^`]*`\([^`]*\)`.*$/\1/p'; }

count=0
while IFS='|' read -r _ line error json _; do
    code "$line" > "$work/input"
    case $error in *none*) kind= ;; *) kind=$(code "$error") ;; esac
    code "$json" > "$work/expected"
    "$wlfmt" json --kind=oplog "$work/input" > /dev/null 2> "$work/errors" || true
    "$wlfmt" json --kind=oplog --lenient "$work/input" > "$work/output" 2> /dev/null || true
    found=$(sed -n 's/^[^ ]*: \(error\|warning\): \([a-z_]*\): .*/\2/p' "$work/errors" | grep -v '^no_records$' | head -n 1)
    if [ "$found" != "$kind" ] || ! diff "$work/expected" "$work/output"; then
        echo "docs/formats.md says $kind of this line, the command says $found:"
        cat "$work/input"
        exit 1
    fi
    count=$((count + 1))
done < "$work/rows"
[ "$count" -ge 9 ] || { echo "only $count damaged lines in docs/formats.md"; exit 1; }
echo "$count damaged lines"

# `line:column kind` of each problem.
places() { sed -n 's/^[^ ]*:\([0-9]*:[0-9]*\): [a-z]*: \([a-z_]*\): .*/\1 \2/p' "$work/errors"; }
count=0
for text in "$root"/tests/data/damaged/*.txt; do
    name=$(basename "$text" .txt)
    kind=${name%%_*} expected=${text%.txt}
    "$wlfmt" json "--kind=$kind" --lenient "$text" > "$work/output" 2> "$work/errors"
    places | diff "$expected.warnings" - && diff "$expected.jsonl" "$work/output" ||
        { echo "$text: not read as expected"; exit 1; }
    "$wlfmt" check "--kind=$kind" "$text" > /dev/null 2> "$work/errors" && { echo "$text: no error"; exit 1; }
    [ "$(places | head -n 1)" = "$(head -n 1 "$expected.warnings")" ] || { echo "$text: another error"; exit 1; }
    count=$((count + 1))
done
[ "$count" -ge 6 ] || { echo "only $count damaged texts"; exit 1; }
echo "$count damaged texts"
