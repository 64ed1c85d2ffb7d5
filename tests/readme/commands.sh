#!/bin/sh
# Every command that a document shows works: commands.py. Skipped (77) without Python. usage: commands.sh ROOT WLFMT WORK_FOLDER
set -eu
command -v python3 > /dev/null || { echo 'no python3 here'; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$1/tests/readme/commands.py" "$@"
