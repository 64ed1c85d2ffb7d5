#!/bin/sh
# No option is ignored in silence. Skipped (77) without Python. usage: options.sh ROOT WLFMT WORK_FOLDER
set -eu
command -v python3 > /dev/null || exit 77
PYTHONDONTWRITEBYTECODE=1 exec python3 "$1/tests/command/options.py" "$@"
