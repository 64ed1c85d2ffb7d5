#!/bin/sh
# terminal.py, where there is a Python. usage: terminal.sh ROOT WLFMT WORK_FOLDER. Exits with 77 where there is none.
set -u
command -v python3 > /dev/null || { echo 'no Python here'; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$1/tests/command/terminal.py" "$@"
