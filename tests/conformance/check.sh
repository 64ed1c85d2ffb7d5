#!/bin/sh
# The command, and the reference reader that was written from the specification, answer the cases of conformance/ as these
# say; the suite conformance.cpp holds the library against all of them. usage: check.sh ROOT WLFMT
set -eu
root=$1 wlfmt=$2
command -v python3 > /dev/null || { echo 'no python3: skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# As whoever copies the folder has it, one process for all cases.
cp -R "$root/conformance" "$work"
"$work/conformance/run" --batch "python3 $work/conformance/reader.py --batch"
"$work/conformance/run" --reader "$wlfmt json --lenient --kind={kind} {file}" \
    --judge "$wlfmt check --kind={kind} {file}"
# A runner that finds no difference anywhere would be of no use: a reader that prints nothing fails each case but those
# of texts without anything.
"$work/conformance/run" --reader true --only=oplog/list > /dev/null && { echo 'a reader that reads nothing passes'; exit 1; }
"$work/conformance/run" --batch 'yes {}' --only=oplog/list > /dev/null && { echo 'an answer without lines passes'; exit 1; }
# What the cases say is what the reference says, in the form in which --update writes it.
"$work/conformance/run" --update
diff -r "$root/conformance/cases" "$work/conformance/cases"
