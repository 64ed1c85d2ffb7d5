#!/bin/sh
# A program with one bad line is refused, for the reason its first comment names (one of several, parted by `|`, where
# compilers differ), and compiles once that line is mended (-DFIXED). A second comment `// flags: ...` names further
# flags. Programs without flags of their own have the headers from a precompiled one in WORK_FOLDER.
# usage: check.sh ROOT CXX WORK_FOLDER FILE
set -eu
root=$1 cxx=$2 work=$3 file=$4
expected=$(sed -n 's|^// must not compile: ||p;q' "$file")
[ -n "$expected" ] || { echo "$file: the first line does not say '// must not compile: DIAGNOSTIC'"; exit 1; }
flags=$(sed -n '2s|^// flags: ||p' "$file")

# Tests that run at the same time may each make it. The first header stays, as Clang looks at its time; the last
# compiled one stays.
prepared=$work/$(basename "$cxx").hpp
if [ -z "$flags" ]; then
    if [ ! -e "$prepared.gch" ] || [ -n "$(find "$root/include" -newer "$prepared.gch" -name '*.hpp')" ]; then
        mkdir -p "$work"
        for header in wlfmt edit file json parallelism pieces stream; do echo "#include <wlfmt/$header.hpp>"; done > "$prepared.$$"
        ln "$prepared.$$" "$prepared" 2> /dev/null || true
        "$cxx" -std=c++17 -I"$root/include" -x c++-header "$prepared" -o "$prepared.$$"
        mv "$prepared.$$" "$prepared.gch"
    fi
    flags="-include $prepared"
fi

# shellcheck disable=SC2086  # the flags are words
compile() { "$cxx" -std=c++17 -I"$root/include" $flags -fsyntax-only "$@" "$file" 2>&1; }

if diagnostics=$(compile); then
    echo "$file compiles"
    exit 1
fi
echo "$diagnostics" | grep -qE -e "$expected" || {
    echo "refused, but not as '$expected':"
    echo "$diagnostics"
    exit 1
}
compile -DFIXED
