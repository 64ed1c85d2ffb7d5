#!/bin/sh
# How fast `wlfmt summary` goes through the files of a run, against `cat` of the same files, all warm: by threads, by
# processes, and its memory. usage: benchmarks/runs.sh WLFMT RUN_FOLDER [FILES]
# The files are those of RUN_FOLDER, copied until there are FILES (10000), each with a rank of its own.
set -eu
wlfmt=$1 run=$2 files=${3:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/all"
n=0
while [ $n -lt "$files" ]; do
    for file in "$run"/*; do
        [ $n -lt "$files" ] || break
        sed "s/^rank:[0-9]*:/rank:$n:/" "$file" > "$work/all/wd${files}_rank$n.txt"
        n=$((n + 1))
    done
done
# The least of five runs, in milliseconds.
least() {
    for _ in 1 2 3 4 5; do
        begin=$(date +%s%N)
        "$@" > "$work/out" 2>&1
        echo $((($(date +%s%N) - begin) / 1000000))
    done | sort -n | head -1
}
printf '%s files, %s bytes\n' "$files" "$(cat "$work"/all/* | wc -c)"
cd "$work/all"
# shellcheck disable=SC2016  # the inner shell expands it
printf 'cat                    %6s ms\n' "$(least sh -c 'find . -type f -print0 | xargs -0 cat')"
for threads in 1 2; do
    printf 'summary -j%s            %6s ms\n' $threads "$(least "$wlfmt" summary -j$threads .)"
done
# shellcheck disable=SC2016
printf 'two processes, merged  %6s ms\n' "$(least sh -c 'w=$1
    find . -name "*[02468].txt" -print0 | xargs -0 "$w" summary -j1 --partial > ../even &
    find . -name "*[13579].txt" -print0 | xargs -0 "$w" summary -j1 --partial > ../odd
    wait
    "$w" merge ../even ../odd' sh "$wlfmt")"
"$wlfmt" summary --partial --per-file . > ../lines 2> /dev/null
printf 'merge of %s lines   %6s ms, %s bytes\n' "$(wc -l < ../lines)" "$(least "$wlfmt" merge ../lines)" \
    "$(wc -c < ../lines)"
if [ -x /usr/bin/time ]; then
    for some in 100 "$files"; do
        find . -type f | head -n "$some" > ../names
        # shellcheck disable=SC2046
        /usr/bin/time -f "summary of $some files: %M KB of memory" "$wlfmt" summary -j2 $(cat ../names) 2>&1 > ../out |
            grep memory
    done
fi
