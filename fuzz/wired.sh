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
    [ -n "$(ls "corpus/$target" 2>/dev/null)" ] || { echo "fuzz/corpus/$target has no seed"; failed=1; }
done
for part in *.dict *.options corpus/*; do
    target=$(basename "$part" | sed 's/\..*//')
    [ -f "$target.cpp" ] || { echo "fuzz/$part belongs to no target"; failed=1; }
done
exit $failed
