#!/bin/sh
# Every header compiles alone and without a warning with the first compiler: `public` ones, which users include, or `all`
# the others. With each further compiler, `all` headers compile as one source, with and without exceptions, which takes a
# tenth of the time: what a header lacks, the first compiler finds, as both have the same standard library, and of the
# second one only the warnings differ. (tests/symbols compiles what includes all headers with the first one.)
# usage: check.sh ROOT public|all CXX [CXX]
set -eu
cd "$1/include"
which=$2
shift 2
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
no_exceptions='-fno-exceptions -fno-rtti'
failed=0

# compiles CXX FLAGS HEADER...: as one source.
compiles() {
    cxx=$1 flags=$2
    shift 2
    # shellcheck disable=SC2086  # the flags are words
    for header in "$@"; do echo "#include <$header>"; done |
        "$cxx" -std=c++17 $warnings $flags -I. -fsyntax-only -x c++ - ||
        { echo "not compiled by $cxx $flags: $*"; failed=1; }
}
alone() {
    cxx=$1 flags=$2
    shift 2
    for header in "$@"; do compiles "$cxx" "$flags" "$header"; done
}

# Not headers of their own: config.hpp and config_end.hpp, which every other one includes.
public=$(find wlfmt -name '*.hpp' ! -path '*/detail/*' | sort)
private=$(find wlfmt -path '*/detail/*' -name '*.hpp' ! -path '*/base/config.hpp' ! -path '*/base/config_end.hpp' | sort)
# These need a library, and exceptions.
chakra=
if echo '#include <protozero/pbf_writer.hpp>' | "$1" -std=c++17 -fsyntax-only -x c++ - 2> /dev/null; then
    chakra=$(echo "$public $private" | tr ' ' '\n' | grep chakra)
fi
public=$(echo "$public" | grep -v chakra)
private=$(echo "$private" | grep -v chakra)

# shellcheck disable=SC2086  # the headers are words
if [ "$which" = public ]; then
    alone "$1" '' $public
    [ -z "$chakra" ] || alone "$1" '' wlfmt/chakra.hpp
else
    alone "$1" '' $private $chakra
    shift
    for cxx in "$@"; do
        compiles "$cxx" '' $public $private $chakra
        compiles "$cxx" "$no_exceptions" $public $private
    done
fi
exit $failed
