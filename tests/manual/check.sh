#!/bin/sh
# The manual page has every command with the options that it takes, and every option with its value, as the command's
# own table has them; and it renders without a warning where there is a program that renders it. usage: check.sh ROOT WLFMT
set -u
root=$1 wlfmt=$2
page=$root/docs/wlfmt.1
failed=0 count=0

# What the page says, as plain text, a line for each paragraph. Macros of two fonts join their arguments.
said=$(sed -e 's/\\f[A-Z]//g; s/\\-/-/g; s/\\(aq/'"'"'/g' -e '/^\.\\"/d' "$page" | awk '
    function joined(text,    all, at, quoted, c) {
        for (at = 1; at <= length(text); ++at) {
            c = substr(text, at, 1)
            if (c == "\"") quoted = !quoted
            else if (c != " " || quoted) all = all c
        }
        return all
    }
    /^\.(TP|PP|SH|SS|nf)/ { print ""; next }
    /^\.br/ { next }
    /^\.(BI|BR|IB|RI|RB|IR) / { $0 = joined(substr($0, 5)) }
    /^\.[BI] / { $0 = substr($0, 4); gsub("\"", "") }
    { printf "%s ", $0 }')

helps=
commands=$("$wlfmt" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')
for command in $commands; do
    count=$((count + 1))
    help=$("$wlfmt" "$command" --help) || { echo "wlfmt $command --help fails"; failed=1; }
    # A screen: chakra has the most options.
    lines=$(printf '%s\n' "$help" | wc -l)
    [ "$lines" -le 40 ] || { echo "wlfmt $command --help has $lines lines"; failed=1; }
    helps="$helps
$help"
    usage=$(printf '%s\n' "$help" | sed -n 's/^usage: wlfmt \([^ ]*\) \[OPTION\]\.\.\. /\1 /p')
    printf '%s\n' "$said" | grep -qF -- "$usage" || { echo "docs/wlfmt.1 lacks \"$usage\""; failed=1; }
    # In any order, as --help has them under headings; those of every command are named once.
    taken=$(printf '%s\n' "$help" | sed -n '/^  -h/d; /^  --color/d; s/^  \(--*[a-z][a-z-]*\).*/\1/p' | sort | tr '\n' ' ')
    named=$(printf '%s\n' "$said" | sed -n "s/^$command .*Options: \(.*\)\. *\$/\1/p" | sed 's/,//g' | tr ' ' '\n' | sort | tr '\n' ' ')
    [ "$taken" = "$named" ] || { echo "docs/wlfmt.1: $command takes '$taken', not '$named '"; failed=1; }
    # Each option with what it takes begins a paragraph.
    printf '%s\n' "$help" | sed -n '/^  -h/d; s/^  \(--*[a-z].*\)/\1/p' | sed 's/   *.*//' > "${TMPDIR:-/tmp}/wlfmt_manual.$$"
    while read -r option; do
        printf '%s\n' "$said" | grep -qF -- "$option" || { echo "docs/wlfmt.1 lacks $option of $command"; failed=1; }
        printf '%s\n' "$said" | awk -v option="$option" 'index($0, option " ") == 1 { found = 1 } END { exit !found }' ||
            { echo "docs/wlfmt.1: $option of $command begins no paragraph"; failed=1; }
    done < "${TMPDIR:-/tmp}/wlfmt_manual.$$"
    rm -f "${TMPDIR:-/tmp}/wlfmt_manual.$$"
done
# What the page names is in the table.
for option in $(printf '%s\n' "$said" | sed -n 's/^\(--*[a-z][a-z-]*\).*/\1/p' | sort -u); do
    count=$((count + 1))
    case $option in --help | --version | -h | -V) continue ;; esac
    printf '%s\n' "$helps" | grep -q "^  $option[= ]" ||
        { echo "docs/wlfmt.1 has $option, which no command takes"; failed=1; }
done
[ "$count" -gt 30 ] || { echo "only $count commands and options"; failed=1; }

if command -v mandoc > /dev/null; then
    warnings=$(mandoc -T lint -W warning "$page" 2>&1 | grep -v 'missing date')
elif command -v groff > /dev/null; then
    warnings=$(groff -t -man -Tutf8 -ww "$page" 2>&1 > /dev/null)
else
    warnings=
fi
[ -z "$warnings" ] || { echo "$warnings"; failed=1; }
echo "$count commands and options"
exit $failed
