#!/bin/sh
# What the cookbook says is true. Every program of examples/, a file or a folder with a main.cpp, compiles (all of them as
# one source, which takes a third of the time; with WLFMT_TEST_ALONE each by itself, too), and NAME.txt
# beside this script is what a terminal shows when it runs: each line `$ COMMAND` is run from the project's folder, and
# what it prints (standard error first) must be the lines that follow. The code and the terminal sessions of
# docs/cookbook.md are parts of these files.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work/bin"
cd "$root"
PATH=$work/bin:$PATH

compile() { "$cxx" -std=c++17 -O0 -Wall -Wextra -Wpedantic -Werror -Iinclude -pthread "$@"; }
name_of() {
    name=$(basename "$1" .cpp)
    [ "$name" != main ] || name=$(basename "$(dirname "$1")")
    echo "$name"
}
# Each in a namespace, after all headers; what their mains return at their end has to be said of other functions. The
# name of the program decides which of them runs.
grep -h '^#include <' examples/*.cpp examples/*/*.hpp examples/*/main.cpp | sort -u > "$work/all.cpp"
echo '#include <cstring>' >> "$work/all.cpp"
echo 'static int run(int (*f)(), int, char**) { return f(); }' > "$work/main.cpp"
echo 'static int run(int (*f)(int, char**), int count, char** arguments) { return f(count, arguments); }' >> "$work/main.cpp"
echo 'int main(int count, char** arguments) {' >> "$work/main.cpp"
for program in examples/*.cpp examples/*/main.cpp; do
    name=$(name_of "$program")
    [ "$name" != no_exceptions ] || continue
    [ -z "${WLFMT_TEST_ALONE-}" ] || compile -fsyntax-only "$program"
    sed '$ s/^}$/return 0; }/' "$program" > "$work/$name.cpp"
    printf '#define main %s_main\nnamespace from_%s {\n#include "%s.cpp"\n}\n#undef main\n' "$name" "$name" "$work/$name" >> "$work/all.cpp"
    printf '    if (std::strcmp(arguments[0], "%s") == 0) return run(from_%s::%s_main, count, arguments);\n' \
        "$name" "$name" "$name" >> "$work/main.cpp"
    ln -s "$work/all" "$work/bin/$name"
done
{ cat "$work/main.cpp"; echo '    return 3;'; echo '}'; } >> "$work/all.cpp"
compile -iquote examples/simulator "$work/all.cpp" -o "$work/all" -lsimdjson
compile -fno-exceptions -fno-rtti examples/no_exceptions.cpp -o "$work/bin/no_exceptions"

count=0
for program in examples/*.cpp examples/*/main.cpp; do
    name=$(name_of "$program")
    [ -s "tests/examples/$name.txt" ] || { echo "tests/examples/$name.txt is missing"; exit 1; }
    while IFS= read -r line; do
        case $line in
        '$ '*)
            printf '%s\n' "$line"
            status=0
            sh -c "${line#??}" > "$work/output" 2> "$work/errors" < /dev/null || status=$?
            cat "$work/errors" "$work/output"
            [ "$status" = 0 ] || echo "[exit status $status]"
            ;;
        esac
    done < "tests/examples/$name.txt" > "$work/$name.txt"
    diff "tests/examples/$name.txt" "$work/$name.txt" || { echo "$program does not print what it should"; exit 1; }
    count=$((count + 1))
done

# Every block of the cookbook is in one of these files, with the same words; only the indentation may differ.
cat examples/*.cpp examples/*/* tests/examples/*.txt | sed 's/^ *//' > "$work/all"
awk -v work="$work" '
    function trimmed(s) { sub(/^ */, "", s); return s }
    BEGIN { while ((getline line < (work "/all")) > 0) all = all "\n" line; all = all "\n" }
    /^```(cpp|text)$/ { inside = 1; block = "\n"; next }
    /^```$/ && inside {
        inside = 0
        ++blocks
        if (index(all, block) == 0) { print "docs/cookbook.md shows what is in no example:" block; bad = 1 }
        next
    }
    inside { block = block trimmed($0) "\n" }
    END { if (blocks == 0) { print "docs/cookbook.md shows nothing"; bad = 1 }; exit bad }
' docs/cookbook.md
for program in examples/*.cpp examples/*.py; do
    grep -qF "../$program" docs/cookbook.md || { echo "docs/cookbook.md does not link to $program"; exit 1; }
done
echo "$count programs"
