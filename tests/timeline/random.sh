#!/bin/sh
# Timelines of random runs, with clocks of their own and with damage, are what Perfetto imports, whatever is aligned.
# Skipped (77) without Python. usage: random.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
command -v python3 > /dev/null || exit 77
rm -rf "$work"
mkdir -p "$work"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/timeline/arrows.py" "$wlfmt" "$work" "${WLFMT_TEST_RUNS:-8}"
