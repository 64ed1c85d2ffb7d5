#!/bin/sh
# Every header compiles alone and without a warning. usage: check.sh ROOT CXX [FLAG...]
set -eu
cd "$1/include"
cxx=$2
shift 2
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
failed=0
# chakra.hpp needs a library, and exceptions.
chakra=
printf '#include <protozero/pbf_writer.hpp>\n#ifndef __cpp_exceptions\n#error\n#endif\n' |
    "$cxx" -std=c++17 "$@" -fsyntax-only -x c++ - 2> /dev/null || chakra='*/chakra*'
# Not headers of their own: begin.hpp and end.hpp, which open and close every other, and what implements the formats,
# which is the end of their headers.
for header in $(find wlfmt -name '*.hpp' ! -path '*/core/begin.hpp' ! -path '*/core/end.hpp' \
    ! -path '*/detail/oplog/*' ! -path '*/detail/workload/*' ! -path '*/detail/table/*' ! -path '*/detail/json/*' \
    ! -path '*/detail/pieces/*' ! -path '*/detail/csv/*' ! -path '*/detail/summary/*' ! -path '*/detail/trace/*' \
    ! -path '*/detail/diff/*' ! -path '*/detail/plot/*' ! -path "$chakra" |
    sort); do
    # shellcheck disable=SC2086  # the warnings are words
    echo "#include <$header>" | "$cxx" -std=c++17 $warnings "$@" -I. -fsyntax-only -x c++ - || {
        echo "$header does not compile alone"
        failed=1
    }
done
exit $failed
