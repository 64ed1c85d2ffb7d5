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
"$work/conformance/run" --reader "$wlfmt json --lenient --kind={kind} {file}"
# A runner that finds no difference anywhere would be of no use: a reader that prints nothing fails each case but those
# of texts without anything.
"$work/conformance/run" --reader true --only=oplog/list > /dev/null && { echo 'a reader that reads nothing passes'; exit 1; }
"$work/conformance/run" --batch 'yes {}' --only=oplog/list > /dev/null && { echo 'an answer without lines passes'; exit 1; }
# A program that ends fails the case at which it did, and the others are asked of a new one.
died=$("$work/conformance/run" --batch 'head -n 1' --only=oplog/list_nested || :)
case $died in
*'oplog/list_nested_duplicate ('*'the program ended with status 0 without an answer'*'cases, '*) ;;
*) echo "a program that ends is not reported: $died"; exit 1 ;;
esac
"$work/conformance/run" --batch false 2>&1 > /dev/null | grep -q 'false ended with status 1 at three requests in a row' ||
    { echo 'a program that ends at once is not told'; exit 1; }
# What the cases say is what the reference says, in the form in which --update writes it.
"$work/conformance/run" --update
diff -r "$root/conformance/cases" "$work/conformance/cases"
