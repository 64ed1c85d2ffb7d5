#!/bin/sh
# Makes seeds of what fuzz/run.sh found: as few inputs as can be that together reach every edge that all inputs reach.
# They are named by their hash; the input of a bug that was fixed gets its name by hand.
# The archives in corpus/ are packed anew. usage: fuzz/minimise.sh BUILD [TARGET...]      BUILD: the folder that
# fuzz/run.sh was given
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
shift
# shellcheck disable=SC2046  # the targets are words
[ $# -gt 0 ] || set -- $(cd "$here/corpus" && ls ./*_seed_corpus.zip | sed 's|^\./||; s|_seed_corpus\.zip$||')
corpus=$build/fuzz/corpus
"$here/seeds.sh" unpack "$corpus" "$@"

for target in "$@"; do
    log="$build/fuzz/$target.minimise.log"
    "$build/fuzz/wlfmt_fuzz_$target" -set_cover_merge=1 -use_counters=0 -max_len=1024 "$corpus/$target" \
        "$build/fuzz/found/$target" > "$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
    echo "$target: $(ls "$corpus/$target" | wc -l) seeds"
done
"$here/seeds.sh" pack "$corpus" "$@"
