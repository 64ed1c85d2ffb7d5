#!/bin/sh
# One file that uses every public name compiles without a warning in the newest language standard that the compiler knows
# (tests/symbols compiles it in C++17, with and without exceptions, and embedding.module in C++20); other files compile with the macros min and max, and
# with the concepts of C++20. No code is generated: the suite has the warnings that need it.
# usage: check.sh ROOT CXX
set -eu
root=$1 cxx=$2
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
failed=0

# compiles SOURCE STANDARD [FLAG...]
compiles() {
    source=$1 standard=$2
    shift 2
    if ! echo | "$cxx" "-std=$standard" -fsyntax-only -x c++ - 2> /dev/null; then
        echo "$cxx does not know $standard: $source is left out"
        return
    fi
    # shellcheck disable=SC2086  # the warnings are words
    "$cxx" "-std=$standard" $warnings "$@" "-I$root/include" -fsyntax-only "$root/tests/compile/$source.cpp" || {
        echo "$source does not compile as $standard $*"
        failed=1
    }
}

# With sanitizers, fewer expressions are constants to GCC.
compiles uses_everything c++2b -fsanitize=address,undefined
compiles min_max c++17
compiles ranges c++20
# Where the library has no <format> yet, one that has what wlfmt needs of it stands in for it.
if echo '#include <format>' | "$cxx" -std=c++20 -fsyntax-only -x c++ - 2> /dev/null; then compiles formatter c++20
else compiles formatter c++20 "-isystem$root/tests/compile/standard"; fi
exit $failed
