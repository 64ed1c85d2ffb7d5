#!/bin/sh
# The pictures of the README and the cookbook are those that this version draws: SVGs byte for byte; PNGs as compare.mjs
# says, those of the page only if it is given. Without Chromium or npm, that is said, and PNGs are not compared.
# usage: check.sh ROOT WLFMT WORK_FOLDER [PAGE]
set -eu
root=$(cd "$1" && pwd) work=$3
rm -rf "$work"
mkdir -p "$work/drawn"
sh "$root/tests/pictures/draw.sh" "$2" "${4:-none}" "$work/drawn" > "$work/drawn.txt"
cat "$work/drawn.txt"
failed=0
for picture in "$root"/docs/pictures/*.svg; do
    cmp "$picture" "$work/drawn/$(basename "$picture")" || failed=1
done
[ $failed -eq 0 ] || echo 'tests/pictures/draw.sh draws them again'
[ -s "$work/drawn.txt" ] && exit $failed
cd "$work"
npm install --silent --no-audit --no-fund --prefix . puppeteer-core > npm.log
node "$root/tests/pictures/compare.mjs" "$(command -v chromium || command -v google-chrome)" "$root/docs/pictures" drawn || failed=1
exit $failed
