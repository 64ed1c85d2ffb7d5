#!/bin/sh
# The house rules that a compiler does not know. usage: check.sh ROOT CXX
set -eu
cd "$1"
cxx=$2
failed=0

# none TITLE: standard input must have no line; otherwise prints its lines under the title, and the test fails.
none() {
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s:\n%s\n' "$1" "$found"
    failed=1
}
# Prints `file:line:text` for every line of code under include/, without comments.
code() { find include -name '*.hpp' | sort | xargs awk '{ sub("//.*", ""); print FILENAME ":" FNR ":" $0 }'; }
sources() { find include analysis tools tests fuzz benchmarks examples -name '*.hpp' -o -name '*.cpp'; }

none 'not ASCII' <<END
$(sources | LC_ALL=C xargs grep -n '[^ -~]' | grep -v "$(printf '\t')" || true)
END
none 'longer than 120 columns' <<END
$(sources | xargs awk 'length($0) > 120 { print FILENAME ":" FNR }')
END
none 'a library neither throws, ends the program nor prints' <<END
$(code | grep -E '(^|[^_[:alnum:]])(throw|abort *\(|(exit|terminate) *\(|assert *\(|std::(cout|cerr|clog)|[a-z]*printf *\(|puts *\()' || true)
END
none 'a file beside the folders that no one looks for there' <<END
$(git ls-files -- ':(glob)*' 2> /dev/null | grep -vxE '\..*|[A-Z]+(\.md)?|CMakeLists\.txt|CMakePresets\.json|meson\.build|meson_options\.txt|pyproject\.toml' || true)
END
none 'too costly to include, or forbidden' <<END
$(code | grep -E '# *include *<(iostream|fstream|sstream|regex|functional|cassert|locale|clocale|immintrin\.h)>' || true)
END
none 'names of operations beside their table, oplog/operations.hpp' <<END
$(code | grep -v '^include/wlfmt/oplog/operations.hpp:' |
    grep -E '"((forward|backward|optimizer)_step|loss_func|get_batch|(send|recv)_(forward|backward)|[a-z_]*_all_?reduce)"' || true)
END
none 'a run, which is a training run, among what reads tables' <<END
$(grep -rniE '(^|[^[:alpha:]])runs?([^[:alpha:]]|$)' include/wlfmt/table* include/wlfmt/types/table.hpp include/wlfmt/detail/table || true)
END
# A comparison of one's own may leave ties, which each standard library breaks in its own way: stable sorts are in
# base/order.hpp and tools/general/order.hpp.
none 'a sort that may leave ties to the standard library' <<END
$(find include analysis tools -name '*.hpp' -o -name '*.cpp' | sort | xargs grep -nE 'std::(partial_sort|sort_heap|sort\()' |
    grep -vE 'std::sort\(([a-z_.]+)\.begin\(\), \1\.end\(\)\);$' || true)
END
# Prints `file included` for every line that includes a header of this tree.
inclusions() {
    find include -name '*.hpp' | xargs awk '/^# *include "/ {
        path = FILENAME
        sub("[^/]*$", "", path)
        sub("^[^\"]*\"", "")
        path = path substr($0, 1, index($0, "\"") - 1)
        while (match(path, "[^/.]+/[.][.]/")) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
        print FILENAME, path
    }'
}
none 'headers that include each other' <<END
$(inclusions | LC_ALL=C tsort 2>&1 > /dev/null || true)
END
none 'what simulators cannot take, and docs/simulators.md does not say' <<END
$({ grep -o '"[^"]*"' analysis/simulators/rows.hpp
    sed -n '/simulator_limits\[\]/,/^};/p' include/wlfmt/detail/messages.hpp | grep -o '"[^"]*"sv' | sed 's/sv$//'; } | sed 's/^"//; s/"$//' | grep -vE '^(for|to) |^[a-z]+\.hpp$|/' |
    while read -r words; do grep -qF "$words" docs/simulators.md || echo "$words"; done)
END
none 'what is private to the library, in the command or in the analysis' <<END
$(find tools analysis -name '*.hpp' -o -name '*.cpp' | sort | xargs awk '{ sub("//.*", ""); print FILENAME ":" FNR ":" $0 }' |
    grep -E 'wlfmt(::|/)detail|^analysis/.*[^a-z_:]detail::' || true)
END
none 'public headers that wlfmt.hpp does not name' <<END
$(cd include/wlfmt && for header in $(ls *.hpp oplog/*.hpp table/*.hpp); do
    [ "$header" = wlfmt.hpp ] || grep -qE "(\"|wlfmt/)$header" wlfmt.hpp || echo "$header"
done)
END
none 'lines of tests/mutants/equivalent.txt that are in no source any more' <<END
$(while IFS='	' read -r file line rest; do
    grep -qF -e "$line" "$file" || printf '%s: %s\n' "$file" "$line"
done < tests/mutants/equivalent.txt)
END
none 'a command without exceptions that does not say what it lacks' <<END
$("$cxx" -std=c++17 -fno-exceptions -Iinclude -I. -E -x c++ tools/chakra.hpp | grep -q '"compiled without exceptions"' || echo tools/chakra.hpp)
END
for header in $(cd include && find wlfmt -name '*.hpp' ! -path '*/detail/*' | sort); do
    macros=$(echo "#include <$header>" | "$cxx" -std=c++17 -w -Iinclude -dM -E -x c++ -) || failed=1
    none "macros that reach the user of $header" <<END
$(echo "$macros" | awk '$2 ~ /^WLFMT_/ && $2 !~ /^WLFMT_([A-Z0-9_]*_HPP|VERSION_(MAJOR|MINOR|PATCH))$/ { print $2 }')
END
done
# What they do takes minutes, or makes files: who asks for help must not start it.
for script in .ci/run tests/run.sh tests/platforms/run.sh benchmarks/instructions.sh benchmarks/run.sh \
    benchmarks/runs.sh benchmarks/weight.sh docs/site/make.sh tools/release.sh tools/single_header.sh web/build.sh; do
    status=0
    timeout 10 bash "$script" --help < /dev/null > /dev/null 2>&1 || status=$?
    [ $status -eq 2 ] || { echo "$script takes any argument"; failed=1; }
done
PYTHONDONTWRITEBYTECODE=1 python3 tests/rules/surface.py . || failed=1
PYTHONDONTWRITEBYTECODE=1 python3 tests/rules/interface.py . || failed=1
PYTHONDONTWRITEBYTECODE=1 python3 tests/rules/module.py . || failed=1
PYTHONDONTWRITEBYTECODE=1 python3 tests/rules/includes.py . || failed=1
PYTHONDONTWRITEBYTECODE=1 python3 tests/headers/names.py . || failed=1
exit $failed
