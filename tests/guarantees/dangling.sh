#!/bin/sh
# Clang warns of each line of dangling.cpp that says so, and of no other. usage: dangling.sh ROOT WORK_FOLDER
set -eu
root=$1 work=$2
mkdir -p "$work"
for cxx in clang++ clang++-16 clang++-14; do
    command -v "$cxx" > /dev/null && break
done
command -v "$cxx" > /dev/null || { echo 'no clang++'; exit 77; }
"$cxx" -std=c++17 -fsyntax-only -Wall -Wextra "-I$root/include" "$root/tests/guarantees/dangling.cpp" 2> "$work/said" || {
    cat "$work/said"
    exit 1
}
sed -n 's/.*dangling\.cpp:\([0-9]*\):[0-9]*: warning: .*/\1/p' "$work/said" | sort -un > "$work/warned"
grep -n '// warned$' "$root/tests/guarantees/dangling.cpp" | cut -d: -f1 > "$work/expected"
[ -s "$work/expected" ] || { echo 'no line says that it is warned of'; exit 1; }
diff "$work/expected" "$work/warned" || { echo '<: a line that is not warned of; >: a line that is'; exit 1; }
if grep 'include/wlfmt.*: warning: ' "$work/said"; then exit 1; fi
