#!/bin/sh
# Meson runs the scripts that CTest runs, under the same names. usage: check.sh ROOT BUILD_FOLDER
set -u
cd "$1"
failed=0 count=0
# What CMake alone has: the suite in its configurations, the fuzz targets, the benchmarks, the Python package, and what asks
# a CMake build.
for name in $(ctest --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: //p' |
    grep -vE '^(default|other|fuzz|benchmark)\.|^(builds|guarantees|python)$'); do
    count=$((count + 1))
    # In a loop over the last part of the name, the list of these has it, or the machine's compilers are it.
    case $name in
    embedding.*) in="'embedding.' + way" part="'${name#*.}'" ;;
    must_not_compile.*) in="'must_not_compile.' +" part='compilers' ;;
    *) in="'$name'" part=$in ;;
    esac
    grep -qF -- "$in" tests/meson.build && grep -qF -- "$part" tests/meson.build ||
        { echo "tests/meson.build lacks the test $name"; failed=1; }
done
[ $count -gt 20 ] || { echo "only $count tests"; failed=1; }
echo "$count tests"
exit $failed
