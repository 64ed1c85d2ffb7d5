#!/bin/sh
# `check --for` finds what simulators do not take, and its remedies mend it; `set` takes them, and changes from a file.
# Skipped (77) without Python. usage: check.sh ROOT WLFMT WORK_FOLDER
set -eu
command -v python3 > /dev/null || exit 77
mkdir -p "$3"
PYTHONDONTWRITEBYTECODE=1 python3 "$1/tests/simulators/remedies.py" "$2" "$3"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$1/tests/simulators/changes.py" "$2" "$3"
