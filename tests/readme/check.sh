#!/bin/sh
# The programs of README.md are what it says: every ```cpp block with a main compiles and, run from the project's
# folder on the file of tests/data it names, succeeds and prints something. usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
awk -v work="$work" '
    /^```cpp$/ { inside = 1; text = ""; next }
    /^```$/ && inside {
        if (text ~ /int main/) { file = work "/program" ++count ".cpp"; printf "%s", text > file; close(file) }
        inside = 0
    }
    inside { text = text $0 "\n" }
' "$root/README.md"

cd "$root"
count=0
for program in "$work"/program*.cpp; do
    [ -e "$program" ] || { echo "README.md holds no program"; exit 1; }
    sample=$(grep -o 'tests/data/[[:alnum:]_.]*' "$program" | head -n 1)
    [ -f "$sample" ] || { echo "$program names no file of tests/data:"; cat "$program"; exit 1; }
    "$cxx" -std=c++17 -Wall -Wextra -Werror -Iinclude "$program" -o "${program%.cpp}"
    output=$("${program%.cpp}" "$sample") || { echo "$program fails on $sample"; echo "$output"; exit 1; }
    [ -n "$output" ] || { echo "$program prints nothing for $sample"; exit 1; }
    count=$((count + 1))
done
echo "$count programs"
