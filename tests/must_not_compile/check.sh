#!/bin/sh
# Each program beside this script has one bad line: it is refused for the reason that its first comment names (one of
# several, separated by `|`, where compilers differ), and compiles once that line is mended (-DFIXED). A second comment
# `// flags: ...` names further flags; `// each WORD: VALUE...` makes a program for each value, which replaces the word.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work/programs"
cp "$root"/tests/must_not_compile/*.cpp "$work/programs"
cd "$work/programs"

while file=$(grep -l -m 1 '^// each ' ./*.cpp | head -n 1) && [ -n "$file" ]; do
    # shellcheck disable=SC2046  # the word and its values
    set -- $(awk '/^\/\/ each / { if (seen++) exit; sub("// each ", ""); sub(":", ""); print; next }
                  seen { if (!sub("^// ", "")) exit; print }' "$file")
    word=$1
    shift
    for value; do
        sed -e "/^\/\/ each $word:/d" -e "s|$word|$value|g" "$file" > "${file%.cpp}_$(echo "$value" | tr -cs '[:alnum:]\n' _).cpp"
    done
    rm "$file"
done

compile() { "$cxx" -std=c++17 "-I$root/include" -fsyntax-only $unlimited "$@" 2>&1; }
case $("$cxx" --version) in *clang*) unlimited=-ferror-limit=0 ;; *) unlimited=-fmax-errors=0 ;; esac
flags_of() { sed -n '2s|^// flags: ||p' "$1"; }

# The programs without flags of their own are compiled as one, each in a namespace, which takes a tenth of the time.
# unite PROGRAM...: as a source on standard output.
unite() {
    grep -h '^#include' "$@" | sort -u
    for file; do
        [ -n "$(flags_of "$file")" ] || printf 'namespace %s {\n#include "%s"\n}\n' "${file%.cpp}" "$PWD/$file"
    done
}
expected_of() { sed -n 's|^// must not compile: ||p;q' "$1"; }
# Whether a compiler that had all of them said of this one what it should.
is_refused() { grep -qE -e "/$1:[0-9]+:[0-9]+: error: .*($(expected_of "$1"))" "$work/diagnostics"; }
# GCC gives up at one of the views, before it comes to what it instantiates last: the other programs of which it has said
# nothing are compiled as one again, without the views.
# shellcheck disable=SC2046  # names of files
set -- $(ls ./*.cpp | grep -v /view_ | sed 's|^\./||') view_*.cpp
unite "$@" > "$work/all.cpp"
compile -DFIXED "$work/all.cpp" || { echo 'the above does not compile although it is mended'; exit 1; }
compile "$work/all.cpp" > "$work/diagnostics" || true
# shellcheck disable=SC2046
set -- $(for file; do is_refused "$file" || echo "$file"; done | grep -v '^view_')
unite "$@" > "$work/others.cpp"
compile "$work/others.cpp" >> "$work/diagnostics" || true

failed=0 count=0
for file in *.cpp; do
    expected=$(expected_of "$file")
    [ -n "$expected" ] || { echo "$file: the first line does not say '// must not compile: DIAGNOSTIC'"; exit 1; }
    count=$((count + 1))
    flags=$(flags_of "$file")
    if [ -z "$flags" ]; then
        ! is_refused "$file" || continue
    fi
    # With flags, or an error that is reported elsewhere: alone.
    # shellcheck disable=SC2086  # the flags are words
    if compile $flags "$file" > "$work/alone"; then
        echo "$file compiles"
        failed=1
    elif ! grep -qE -e "$expected" "$work/alone"; then
        echo "$file is refused, but not as '$expected':"
        cat "$work/alone"
        failed=1
    fi
    # shellcheck disable=SC2086
    [ -z "$flags" ] || compile $flags -DFIXED "$file" || { echo "$file does not compile although it is mended"; failed=1; }
done
[ "$count" -gt 0 ] || { echo 'no programs'; exit 1; }
echo "$count programs"
exit $failed
