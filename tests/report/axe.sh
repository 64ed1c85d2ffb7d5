#!/bin/sh
# axe finds nothing in any kind of page that the command writes. Where Chromium, node or the packages of npm are missing,
# that is said, and nothing is tested. usage: axe.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
chromium=$(command -v chromium || command -v google-chrome || true)
[ -n "$chromium" ] && npm install --silent --no-audit --no-fund --prefix . puppeteer-core axe-core > npm.log 2>&1 ||
    { echo 'no Chromium, or nothing of npm: the pages are not tested'; exit 0; }
sh "$root/tests/report/pages.sh" "$root" "$wlfmt" pages
node "$root/tests/report/axe.mjs" "$chromium" pages/*.html
