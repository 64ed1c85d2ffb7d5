#!/bin/sh
# Every fuzz target has its dictionary, its options, its number of executions and seeds, and none of these is left without a target.
set -eu
cd "$(dirname "$0")"
failed=0
targets=$(ls ./*.cpp | sed 's|^\./||; s|\.cpp$||' | grep -vx -e replay -e mutations)
for target in $targets; do
    for part in "$target.dict" "$target.options"; do
        [ -s "$part" ] || { echo "fuzz/$part is missing"; failed=1; }
    done
    grep -qx "dict = $target.dict" "$target.options" || { echo "fuzz/$target.options does not name $target.dict"; failed=1; }
    grep -qx "$target [1-9][0-9]*" executions.txt || { echo "fuzz/executions.txt does not name $target"; failed=1; }
    [ -s "corpus/${target}_seed_corpus.zip" ] || { echo "fuzz/corpus has no seeds of $target"; failed=1; }
done
for part in *.dict *.options corpus/*; do
    target=$(basename "$part" | sed 's/_seed_corpus\.zip$//; s/\..*//')
    [ ! -d "$part" ] || { echo "fuzz/$part is to be packed: fuzz/seeds.sh pack fuzz/corpus $target"; failed=1; }
    [ -f "$target.cpp" ] || { echo "fuzz/$part belongs to no target"; failed=1; }
done
exit $failed
