#!/bin/sh
# The command does what the tables of damaged lines in docs/formats.md say: each row of a table
# `| line | error | lenient: JSON |` is a line of an op log, the kind of its error, and what a lenient reader makes of
# it.
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
