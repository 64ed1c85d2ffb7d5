#!/bin/sh
# The command, and the reference reader that was written from the specification, read the cases of conformance/ as these
# say. usage: check.sh ROOT WLFMT
set -eu
root=$1 wlfmt=$2
command -v python3 > /dev/null || { echo 'no python3: skipped'; exit 77; }
python3 "$root/conformance/run"
python3 "$root/conformance/run" --reader "$wlfmt json --lenient --kind={kind} {file}" \
    --judge "$wlfmt check --kind={kind} {file}"
# A runner that finds no difference anywhere would be of no use: a reader that prints nothing fails each case but those
# of texts without anything.
python3 "$root/conformance/run" --reader true --only=oplog/list > /dev/null && { echo 'a reader that reads nothing passes'; exit 1; }
exit 0
