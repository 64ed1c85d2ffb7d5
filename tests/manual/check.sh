#!/bin/sh
# The manual page has every command and every option of --help, in as many places, and renders without a warning where
# there is a program that renders it. usage: check.sh ROOT WLFMT
set -u
root=$1 wlfmt=$2
page=$root/docs/wlfmt.1
failed=0 count=0

help=$("$wlfmt" --help) || exit 1
# What the page says, as plain text: escapes and macros of fonts are left out.
said=$(sed -e 's/\\f[A-Z]//g; s/\\-/-/g; s/\\(aq/'"'"'/g' -e '/^\.\\"/d' -e 's/^\.\(BI\|BR\|IB\|RI\|RB\|IR\|B\|I\) *//' \
    -e 's/"//g; s/ *|/|/g' "$page")

# A command begins a line of the usage with two blanks and its name; an option two blanks and a minus.
commands=$(printf '%s\n' "$help" | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
for command in $commands; do
    count=$((count + 1))
    printf '%s\n' "$said" | grep -q "^$command " || { echo "docs/wlfmt.1 lacks the command $command"; failed=1; }
done
options=$(printf '%s\n' "$help" | sed -n '/^  -/{s/   .*//;s/, / /g;p;}' | tr ' ' '\n' | sed -n 's/^\(--*[a-z-]*\).*/\1/p')
for option in $(printf '%s\n' "$options" | sort -u); do
    count=$((count + 1))
    wanted=$(printf '%s\n' "$options" | grep -cx -- "$option")
    have=$(printf '%s\n' "$said" | grep -v '^SS\|^wlfmt ' | grep -oE -- '(^|[ ,])--?[a-z-]+' | sed 's/^[ ,]*//' | grep -cx -- "$option")
    [ "$have" -ge "$wanted" ] || { echo "docs/wlfmt.1 has $option $have times, --help $wanted times"; failed=1; }
done
[ "$count" -gt 30 ] || { echo "only $count commands and options in --help"; failed=1; }

if command -v mandoc > /dev/null; then
    warnings=$(mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date')
elif command -v groff > /dev/null; then
    warnings=$(groff -man -Tutf8 -ww "$page" 2>&1 > /dev/null)
else
    warnings=
fi
[ -z "$warnings" ] || { echo "$warnings"; failed=1; }
echo "$count commands and options"
exit $failed
