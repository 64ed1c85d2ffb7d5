#!/bin/sh
# speedscope, a viewer, imports timelines of a run and of a workload and shows the tracks that they have, as long as they
# are. Skipped (77) without npm, Chromium, Python, or the registry. usage: viewer.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
for program in npm python3 "${chromium:-chromium}"; do
    command -v "$program" > /dev/null || { echo "no $program"; exit 77; }
done
rm -rf "$work"
mkdir -p "$work"
cd "$work"
timeout 120 npm pack --silent --fetch-retries=0 --fetch-timeout=30000 speedscope@1.25.0 > npm.txt 2>&1 || { cat npm.txt; echo 'no speedscope'; exit 77; }
tar xzf speedscope-1.25.0.tgz
python3 "$root/tests/timeline/make_run.py" "$work/run" 0 3
"$wlfmt" timeline run/* -o run.json
"$wlfmt" timeline "$root/tests/data/workload_dense_1024gpus.txt" -o workload.json
for name in run workload; do
    python3 "$root/tests/timeline/viewer.py" prepare $name.json > $name.js
    timeout 120 "$chromium" --headless=new --no-sandbox --disable-gpu --disable-quic --disable-sync --no-first-run \
        --disable-background-networking --disable-component-update --allow-file-access-from-files \
        --user-data-dir="$work/profile" --virtual-time-budget=10000 --dump-dom \
        "file://$work/package/dist/release/index.html#localProfilePath=$work/$name.js" > $name.html 2> chromium.txt ||
        { echo 'Chromium does not run here'; exit 77; }
    python3 "$root/tests/timeline/viewer.py" compare $name.json $name.html
done
