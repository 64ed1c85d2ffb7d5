#!/bin/sh
# A program with one bad line is refused, for the reason its first comment names (one of several, parted by `|`, where
# compilers differ), and compiles once that line is mended (-DFIXED). A second comment `// flags: ...` names further
# flags. usage: check.sh ROOT CXX FILE
set -eu
root=$1 cxx=$2 file=$3
expected=$(sed -n 's|^// must not compile: ||p;q' "$file")
[ -n "$expected" ] || { echo "$file: the first line does not say '// must not compile: DIAGNOSTIC'"; exit 1; }
flags=$(sed -n '2s|^// flags: ||p' "$file")

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
