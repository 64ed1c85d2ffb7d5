#!/bin/sh
# Draws the pictures of the README and the cookbook, docs/pictures/, again: the SVGs; with Chromium and npm the reports'
# PNGs and what these say; with the page that web/build.sh makes those of the page, too.
# usage: draw.sh [WLFMT [PAGE [FOLDER]]], without arguments what cmake --build build and web/build.sh have made
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$(dirname "$here")")
full() { [ ! -e "$1" ] || echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"; }
wlfmt=$(full "${1:-$root/build/tools/wlfmt}") page=$(full "${2:-$root/build/web/wlfmt.html}") out=$(full "${3:-$root/docs/pictures}")
[ -n "$wlfmt" ] && [ -n "$out" ] || { sed -n 's/^# usage: /usage: /p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Where the lines of a file have problems, what can be drawn is, with an exit status of 1.
plot() { "$wlfmt" plot "$1" -o "$out/$2.svg" 2> "$work/messages.txt" || [ $? -eq 1 ] || { cat "$work/messages.txt"; exit 1; }; }
cd "$root/tests/data"
plot oplog_rank7_moe_simulation.txt oplog
plot workload_moe_128gpus.txt workload
plot profiler_table_moe_train_step.txt table
cd "$work"
chromium=$(command -v chromium || command -v google-chrome || true)
[ -n "$chromium" ] && npm install --silent --no-audit --no-fund --prefix . puppeteer-core > npm.log 2>&1 ||
    { echo 'no Chromium, or nothing of npm: the PNGs are not drawn'; exit 0; }
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/answers/make_runs.py" runs
"$wlfmt" report runs/slow_rank -o report.html
node "$here/draw.mjs" "$chromium" "$out" report.html ${page:+"$page"}
