#!/bin/sh
# What the command makes of each kind of problem, in each way of reading, is what the table of
# docs/wlfmt.1 says. Skipped (77) without Python. usage: contract.sh ROOT WLFMT WORK_FOLDER [all]
set -eu
command -v python3 > /dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1 exec python3 "$1/tests/command/contract.py" "$@"
