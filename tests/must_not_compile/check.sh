#!/bin/sh
# A program with one bad line is refused, for the reason its first comment names, and compiles once that line is
# mended (-DFIXED). usage: check.sh ROOT CXX FILE
set -eu
root=$1 cxx=$2 file=$3
expected=$(sed -n 's|^// must not compile: ||p;q' "$file")
[ -n "$expected" ] || { echo "$file: the first line does not say '// must not compile: DIAGNOSTIC'"; exit 1; }

compile() { "$cxx" -std=c++17 -I"$root/include" -fsyntax-only "$@" "$file" 2>&1; }

if diagnostics=$(compile); then
    echo "$file compiles"
    exit 1
fi
echo "$diagnostics" | grep -qF -e "$expected" || { echo "refused, but not as '$expected':"; echo "$diagnostics"; exit 1; }
compile -DFIXED
