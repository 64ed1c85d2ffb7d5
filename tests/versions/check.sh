#!/bin/sh
# One version is one layout: what the version, the change log and the history say agrees, a source that includes two
# versions does not compile, and a program links two versions beside each other without mixing them up.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$root"
failed=0
fail() {
    echo "$*"
    failed=1
}

version_file=include/wlfmt/version.hpp
version=$(sed -n 's/^#define WLFMT_VERSION_[A-Z]* //p' $version_file | paste -s -d .)
compared=$(sed -n 's/^#elif .*MAJOR != \([0-9]*\) .*MINOR != \([0-9]*\) .*PATCH != \([0-9]*\)$/\1.\2.\3/p' $version_file)
[ "$version" = "$compared" ] || fail "$version_file defines $version and compares with $compared"
for header in $(find include -name '*.hpp' ! -path '*/detail/*' | sort); do
    [ "$header" = $version_file ] ||
        awk '/^#ifndef WLFMT_/ { exit 1 } /^#include "(\.\.\/)?version.hpp"$/ { exit 0 }' "$header" ||
        fail "$header does not include version.hpp before its guard"
done

# The version rises with the first change after a release: nothing is unreleased under the number of a release.
released() { grep -q "^## $version " CHANGELOG.md; }
unreleased=$(awk '/^## / { inside = $2 == "Unreleased"; next } inside && /^- /' CHANGELOG.md | wc -l)
! released || [ "$unreleased" -eq 0 ] ||
    fail "CHANGELOG.md has $unreleased unreleased changes, but $version is released: raise the version"

# Two versions in one source: a copy of these headers that says to be another version. (An earlier one that lacks the
# check may only come first.)
mkdir "$work/other"
cp -r include/wlfmt "$work/other/"
sed -i 's/^\(#define WLFMT_VERSION_MAJOR \).*/\199/; s/MAJOR != [0-9]*/MAJOR != 99/' "$work/other/wlfmt/version.hpp"
# refuses NAME: the source on standard input does not compile, and the message says why.
refuses() {
    if "$cxx" -std=c++17 -fsyntax-only -I"$root" -I"$work" -x c++ - > "$work/messages" 2>&1; then
        fail "two versions in one source compile: $1"
    elif ! grep -q 'error: .*two versions of wlfmt' "$work/messages"; then
        fail "two versions in one source, but the message does not say so: $1: $(cat "$work/messages")"
    fi
}
for names in 'wlfmt wlfmt' 'oplog table' 'table oplog' 'types oplog' 'error types/workload'; do
    printf '#include <include/wlfmt/%s.hpp>\n#include <other/wlfmt/%s.hpp>\n' ${names% *} ${names#* } | refuses "$names"
done
sh tools/single_header.sh -o "$work/single.hpp" oplog.hpp
printf '#include <other/wlfmt/oplog.hpp>\n#include <single.hpp>\n' | refuses 'a single header'

# The last commit of another version, where the history is here.
if [ ! -e .git ] || ! command -v git > /dev/null; then
    echo 'no history here: no earlier version to link with'
    exit $failed
fi
raised=$(git log -1 --format=%H -G'^#define WLFMT_VERSION_' -- $version_file)
if ! git rev-parse -q --verify "$raised^" > /dev/null; then
    echo 'the history here does not reach back to an earlier version to link with'
    exit $failed
fi
if released; then
    release=$(git log -1 --format=%H -S"## $version (" -- CHANGELOG.md)
    git diff --quiet "$release" -- include || fail "include/ has changed since $version was released: raise the version"
fi
compiles() { # compiles NAME INCLUDE_FOLDER
    "$cxx" -std=c++17 -O0 "-DWLFMT_TEST_LIBRARY=$1" -I"$2" -c tests/versions/library.cpp -o "$work/$1.o"
}
compiles present include &
# A commit before it may be one of several that only together are whole.
for earlier in $(git rev-list -n 5 "$raised^" -- include); do
    rm -rf "$work/earlier"
    mkdir "$work/earlier"
    git archive "$earlier" include | tar -x -C "$work/earlier"
    ! compiles earlier "$work/earlier/include" 2> "$work/messages" || break
done
wait
[ -e "$work/earlier.o" ] || { cat "$work/messages"; echo 'no earlier version compiles'; exit 1; }
"$cxx" -std=c++17 -O0 tests/versions/main.cpp "$work/earlier.o" "$work/present.o" -o "$work/program"
"$work/program" tests/data/oplog_rank7_moe_simulation.txt tests/data/workload_dense_1024gpus.txt \
    tests/data/profiler_table_moe_train_step.txt || failed=1
exit $failed
