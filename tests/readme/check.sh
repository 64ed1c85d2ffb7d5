#!/bin/sh
# The programs of README.md do what it says: every ```cpp block with a main compiles and, run from the project's folder
# on the file of tests/data that it names, succeeds and prints the ```text block that follows it, or, where no such
# block follows, any text. Without an argument, and with the name of a missing file, it prints an error and exits with
# 2. The lines of files that README.md shows, with ` ...` for what is left out, are
# lines of tests/data. The documents are of this version, and their links to files and headings of the project lead
# somewhere.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
awk -v work="$work" '
    /^```/ && !inside { inside = 1; language = substr($0, 4); text = ""; next }
    /^```$/ {
        inside = 0
        if (language == "cpp" && text ~ /int main/) {
            file = work "/program" ++count; printf "%s", text > (file ".cpp"); close(file ".cpp")
        } else if (language == "text" && after_program) {
            printf "%s", text > (file ".expected"); close(file ".expected")
        }
        after_program = language == "cpp"
        next
    }
    inside { text = text $0 "\n" }
    !inside && NF { after_program = 0 }
' "$root/README.md"

cd "$root"
count=0
for source in "$work"/program*.cpp; do
    [ -e "$source" ] || { echo "README.md holds no program"; exit 1; }
    program=${source%.cpp}
    sample=$(grep -o 'tests/data/[[:alnum:]_.]*' "$source" | head -n 1)
    [ -f "$sample" ] || { echo "$source names no file of tests/data:"; cat "$source"; exit 1; }
    "$cxx" -std=c++17 -Wall -Wextra -Werror -Iinclude "$source" -o "$program"
    "$program" "$sample" > "$program.output" || { echo "$source fails on $sample"; cat "$program.output"; exit 1; }
    [ -s "$program.output" ] || { echo "$source prints nothing for $sample"; exit 1; }
    [ ! -e "$program.expected" ] || diff "$program.expected" "$program.output" ||
        { echo "$source prints something else than README.md says"; exit 1; }
    for argument in '' "$work/no_such_file"; do
        status=0
        # shellcheck disable=SC2086  # no argument, or one
        "$program" $argument > /dev/null 2> "$program.errors" || status=$?
        [ "$status" = 2 ] && [ -s "$program.errors" ] ||
            { echo "$source exits with $status for the argument '$argument'"; cat "$program.errors"; exit 1; }
    done
    count=$((count + 1))
done
echo "$count programs"

# The first program is an example, and a command compiles and runs it: with the compiler of the test, in a copy.
cmp "$work/program1.cpp" examples/allreduces.cpp
command=$(grep '^g++ ' README.md)
mkdir "$work/first"
ln -s "$PWD/include" "$PWD/examples" "$PWD/tests" "$work/first/"
(cd "$work/first" && sh -c "$cxx ${command#g++ }") | diff "$work/program1.expected" -

# The run to try is one that a script makes, whose slow rank is known.
if command -v python3 > /dev/null; then
    PYTHONDONTWRITEBYTECODE=1 python3 tests/answers/make_runs.py "$work/runs"
    diff -r "$work/runs/slow_rank" examples/run
fi

# The blocks of "The formats".
awk '
    function escaped(s) { gsub(/[][\\.^$*+?(){}|]/, "\\\\&", s); return s }
    FILENAME != "README.md" { lines[++count] = $0; next }
    /^```cpp/ { exit }
    /^```/ { inside = !inside; next }
    /^## The formats/ { formats = 1 }
    inside && formats {
        shown = escaped($0)
        gsub(/ \\\.\\\.\\\.( |$)/, ".*", shown)
        for (n = 1; n <= count && lines[n] !~ ("^" shown "$"); ++n) continue
        if (n > count) { print "README.md shows a line that no file has: " $0; bad = 1 }
        ++blocks
    }
    END { if (blocks != 9) { print "README.md shows " blocks " lines of files"; bad = 1 }; exit bad }
' tests/data/*.txt README.md

# Each `FILE#HEADING` that a document links to.
documents=$(ls ./*.md docs/*.md)
for document in $documents; do
    awk '/^```/ { inside = !inside; next } !inside' "$document" |
        grep -o ']([^)]*)' | sed 's/^](//; s/)$//' | grep -v '^https\{0,1\}:' | sort -u > "$work/links" || true
    while IFS= read -r link; do
        file=${link%%#*} heading=
        [ "$file" = "$link" ] || heading=${link#*#}
        if [ -z "$file" ]; then target=$document; else target=$(dirname "$document")/$file; fi
        [ -e "$target" ] || { echo "$document links to $link, which is not there"; exit 1; }
        [ -n "$heading" ] || continue
        # The name that GitHub gives to a heading.
        awk '/^```/ { inside = !inside; next } !inside && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$target" |
            sed 's/[^a-z0-9 _-]//g; s/ /-/g' | grep -qxF -- "$heading" ||
            { echo "$document links to $link, a heading that is not there"; exit 1; }
    done < "$work/links"
done
