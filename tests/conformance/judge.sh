#!/bin/sh
# The status of `check` says of each case of conformance/ whether it is valid. usage: judge.sh ROOT WLFMT
set -eu
root=$1 wlfmt=$2
command -v python3 > /dev/null || { echo 'no python3: skipped'; exit 77; }
"$root/conformance/run" --task=read --recovery --reader "$wlfmt json --lenient --kind={kind} {file}" \
    --judge "$wlfmt check --kind={kind} {file}"
