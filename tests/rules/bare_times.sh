#!/bin/sh
# Nothing prints a time of a run without its limit. usage: bare_times.sh ROOT CXX
set -eu
cd "$1"
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/rules/bare_times.py . "$2"
