#!/bin/sh
# With a standard library that writes no doubles, as GCC 9's and 10's, wlfmt writes what newer ones write, and all of it
# compiles (and the command, in the step `compile the rest` of .ci/run). usage: check.sh ROOT CXX WORK_FOLDER [COUNT]
set -eu
root=$1 cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
hidden="-isystem $root/tests/old_library/include"
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
# shellcheck disable=SC2086  # the warnings are words, and so is the option
{
    "$cxx" -std=c++17 -O1 $warnings $hidden -I"$root/include" -c "$root/tests/old_library/own.cpp" -o "$work/own.o"
    "$cxx" -std=c++17 -O1 $warnings -c "$root/tests/old_library/main.cpp" -o "$work/main.o"
    "$cxx" "$work/own.o" "$work/main.o" -o "$work/compare"
}
"$work/compare" "${4:-2000}"
