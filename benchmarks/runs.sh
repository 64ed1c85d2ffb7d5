#!/bin/sh
# How fast `wlfmt summary` goes through the files of a run, against `cat` of the same files, all warm: by threads, by
# processes, and its memory; and how fast `wlfmt merge` is. Prints the figures of docs/scale.md.
#
#   --files=N    so many files (10000), which are copies of those of the run folders, each with a rank of its own
#   --rounds=N   how often each way is measured, in turn; the least time counts (7)
#   --large=GB   one log of so many gigabytes, too, made of all files one after the other
#   --work=DIR   where to put the files (a new folder in $TMPDIR, or /tmp); they are removed at the end
# usage: benchmarks/runs.sh [OPTION...] WLFMT RUN_FOLDER...
set -eu
files=10000 rounds=7 large=0 parent=${TMPDIR:-/tmp} wlfmt=''
usage() {
    sed -n 's/^# *usage: /usage: /p' "$0" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    --files=*) files=${1#*=} ;;
    --rounds=*) rounds=${1#*=} ;;
    --large=*) large=${1#*=} ;;
    --work=*) parent=${1#*=} ;;
    -*) usage ;;
    *) break ;;
    esac
    shift
done
[ $# -ge 2 ] || usage
wlfmt=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
[ -x /usr/bin/time ] || { echo 'GNU time is not installed (Debian: time)' >&2; exit 2; }
work=$(mktemp -d "$parent/wlfmt_runs.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

mkdir "$work/all"
n=0
while [ "$n" -lt "$files" ]; do
    for file in $(find "$@" -type f | sort); do
        [ "$n" -lt "$files" ] || break
        sed "s/^rank:[0-9]*:/rank:$n:/" "$file" > "$work/all/wd${files}_rank$n.txt"
        n=$((n + 1))
    done
done
cd "$work/all"
# The files, as lists for xargs: all, and two halves.
find . -type f -print0 > ../names
find . -name '*[02468].txt' -print0 > ../even
find . -name '*[13579].txt' -print0 > ../odd
cat > ../processes.sh <<'EOF'
w=$1
xargs -0 "$w" summary -j1 --partial < ../even > ../even.json &
xargs -0 "$w" summary -j1 --partial < ../odd > ../odd.json
wait
"$w" merge ../even.json ../odd.json
EOF
"$wlfmt" summary --partial --per-file . > ../lines.json
bytes=$(xargs -0 cat < ../names | wc -c)
printf '%s files, %s bytes, %s a file; load %s\n' "$files" "$bytes" $((bytes / files)) \
    "$(cut -d ' ' -f 1-3 /proc/loadavg 2> /dev/null || echo unknown)"

out=/dev/null
# measure NAME COMMAND...: adds `NAME elapsed processor memory` to the figures, in seconds and KB.
measure() {
    name=$1
    shift
    begin=$(date +%s%N)
    /usr/bin/time -o ../time -f '%U %S %M' "$@" > "$out" 2> ../err || { cat ../err >&2; exit 1; }
    end=$(date +%s%N)
    # shellcheck disable=SC2046  # three words
    set -- $(cat ../time)
    echo "$name $begin $end $1 $2 $3" | awk '{ printf "%s %.3f %.3f %d\n", $1, ($3 - $2) / 1e9, $4 + $5, $6 }' >> ../figures
}
# least NAME: the least elapsed time, the least processor time and the most memory of its rounds.
least() {
    awk -v name="$1" '$1 == name {
        if (n++ == 0 || $2 < elapsed) elapsed = $2
        if (n == 1 || $3 < processor) processor = $3
        if ($4 > memory) memory = $4
    } END { print elapsed, processor, memory }' ../figures
}
show() {
    # shellcheck disable=SC2046  # three words
    set -- "$1" $(least "$1") "$(least "${2:-$1}" | cut -d ' ' -f 1)"
    echo "$2 $3 $4 $5" | awk -v name="$1" \
        '{ printf "%-28s %8.3f s, %5.2f times as long as above; %8.3f s of processor time, %7d KB\n", name, $1, $1 / $4, $2, $3 }'
}
: > ../figures
round=0
while [ "$round" -lt "$rounds" ]; do
    measure cat xargs -0 cat < ../names
    out=../out
    measure cat_into_a_file xargs -0 cat < ../names
    out=/dev/null
    measure summary_-j1 "$wlfmt" summary -j1 .
    measure summary_-j2 "$wlfmt" summary -j2 .
    measure two_processes_and_merge sh ../processes.sh "$wlfmt"
    measure merge_of_a_line_a_file "$wlfmt" merge ../lines.json
    round=$((round + 1))
done
show cat
show cat_into_a_file cat
show summary_-j1 cat
show summary_-j2 summary_-j1
show two_processes_and_merge summary_-j1
show merge_of_a_line_a_file
printf '%s lines of %s bytes\n' "$(wc -l < ../lines.json)" "$(wc -c < ../lines.json)"

mkdir ../some
find . -type f | sort | head -n 100 | while read -r file; do ln "$file" ../some/; done
measure summary_of_100_files "$wlfmt" summary -j1 ../some
show summary_of_100_files

[ "$large" -gt 0 ] || exit 0
rm -rf ../some
size=$((large * 1000000000))
free=$(df -P -k "$work" | awk 'NR == 2 { print $4 }')
[ $((free / 2)) -gt $((size / 1024)) ] || { echo "no room for $large GB in $work" >&2; exit 1; }
xargs -0 cat < ../names > ../part
have=0
while [ "$have" -lt "$size" ]; do
    cat ../part
    have=$((have + bytes))
done > ../large.txt
printf 'one log of %s bytes\n' "$(wc -c < ../large.txt)"
measure cat_of_one_log cat ../large.txt
out=../one
measure one_log_-j1 "$wlfmt" summary -j1 ../large.txt
out=../two
measure one_log_-j2 "$wlfmt" summary -j2 ../large.txt
cmp ../one ../two
show cat_of_one_log
show one_log_-j1 cat_of_one_log
show one_log_-j2 one_log_-j1
