#!/bin/sh
# Pictures are what their headers promise, and Chromium, if it is installed, draws them.
# usage: check.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
command -v python3 > /dev/null || exit 77
rm -rf "$work"
mkdir -p "$work"
cd "$work"
data=$root/tests/data
validate() { python3 "$root/tests/plot/validate.py" "$@"; }

python3 "$root/tests/timeline/make_run.py" "$work/run" 0 3
"$wlfmt" plot run/* -o run.svg
validate run.svg 'rank 7, stage 3' 'backward_step, batch 2' 'work 9.99 ms' '8 ranks'
"$wlfmt" plot run/* --ranks=2-3 > two.svg
validate two.svg '2 ranks' 'rank 3, stage 1'
# More ranks than lanes: a heat map.
mkdir many
awk '{ line[NR] = $0 } END { for (n = 0; n < 80; ++n) for (k = 1; k <= NR; ++k) {
    one = line[k]; sub(/^rank:0:/, "rank:" n ":", one); sub(/stage_id=0/, "stage_id=" int(n / 20), one)
    print one > "many/rank" n ".txt" } }' run/wd8_tp2_pp4_rank0_20240923205004.txt
"$wlfmt" plot many/*.txt -o many.svg
validate many.svg '; time without waiting' 'stage 3, rank 60' 'forward_step' 'waiting for pipeline '
# A rank without a log, and collectives in groups of one rank.
mkdir lacking
cp run/* lacking
rm lacking/*_rank3_*
"$wlfmt" plot lacking -o lacking.svg 2> /dev/null
validate lacking.svg '7 of 8 ranks'
"$wlfmt" plot "$data/workload_moe_128gpus.txt" -o workload.svg 2> /dev/null
validate workload.svg 'workload_moe_128gpus.txt' '8 x 9 layers' 'HYBRID_TRANSFORMER_FWD_IN_BCKWD, 98 layers' 'layer 0: grad_gather' 'REDUCESCATTER DP_EP' '175484928 bytes' '2.25 GiB in groups of one rank, which send nothing'
"$wlfmt" plot "$data/profiler_table_moe_train_step.txt" -o table.svg
validate table.svg 'operators: 24 of 82 names, by Self CPU' 'Self CPU' 'cudaLaunchKernel' 'self 3.771 s, 45.44 %, total 3.771 s'
# Names with characters that mean something in XML.
printf '%s\n' '-----------  ----------' '       Name   CPU total' '-----------  ----------' '  <a> & "b"     1.000ms' '-----------  ----------' > names.txt
"$wlfmt" plot names.txt -o names.svg
validate names.svg '&lt;a&gt; &amp; &quot;b&quot;'
for file in "$data"/table/[a-m]*.txt "$data"/workload/[a-d]*.txt; do
    "$wlfmt" plot "$file" -o "of_$(basename "$file" .txt).svg" > /dev/null 2>&1 || rm -f "of_$(basename "$file" .txt).svg"
done
validate --any of_*.svg > of.txt 2>&1 || { tail of.txt; exit 1; }

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || { echo 'no Chromium: not drawn'; exit 0; }
for picture in run workload table; do
    timeout 60 "$chromium" --headless=new --no-sandbox --disable-gpu --disable-quic --disable-sync --no-first-run \
        --disable-background-networking --disable-component-update --user-data-dir="$work/profile" --window-size=1200,800 \
        --screenshot="$work/$picture.png" "file://$work/$picture.svg" > chromium.txt 2>&1 || { echo 'Chromium does not run here'; exit 0; }
    # An empty page of that size is 4.5 KB, a picture without its text, where there is no font, 6 KB.
    [ "$(wc -c < "$picture.png")" -gt 5500 ] || { echo "$picture.svg is drawn as nothing"; exit 1; }
done
