#!/bin/sh
# Every header compiles alone and without a warning, with the first compiler as it is and with the second one without
# exceptions. The other way round all headers are compiled as one source, which takes a tenth of the time.
# usage: check.sh ROOT CXX [CXX]
set -eu
cd "$1/include"
shift
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
no_exceptions='-fno-exceptions -fno-rtti'
failed=0

# compiles HEADER...: as one source, with $cxx and $flags.
compiles() {
    # shellcheck disable=SC2086  # the flags are words
    for header in "$@"; do echo "#include <$header>"; done |
        "$cxx" -std=c++17 $warnings $flags -I. -fsyntax-only -x c++ - ||
        { echo "not compiled by $cxx $flags: $*"; failed=1; }
}

alone='' together=$no_exceptions
for cxx in "$@"; do
    # Not headers of their own: config.hpp and config_end.hpp, which every other one includes, and the implementations,
    # which are included by the headers that they implement. chakra.hpp needs a library, and exceptions.
    headers=$(find wlfmt -name '*.hpp' ! -path '*/base/config.hpp' ! -path '*/base/config_end.hpp' \
        ! -path '*/detail/oplog/*' ! -path '*/detail/workload/*' ! -path '*/detail/table/*' ! -path '*/detail/json/*' \
        ! -path '*/detail/pieces/*' ! -path '*/detail/csv/*' ! -path '*/detail/summary/*' ! -path '*/detail/trace/*' \
        ! -path '*/detail/diff/*' ! -path '*/detail/plot/*' ! -path '*/chakra*' | sort)
    chakra=
    ! echo '#include <protozero/pbf_writer.hpp>' | "$cxx" -std=c++17 -fsyntax-only -x c++ - 2> /dev/null ||
        chakra=$(find wlfmt -path '*/chakra*' -name '*.hpp')

    flags=$alone
    for header in $headers; do compiles "$header"; done
    flags=$together
    # shellcheck disable=SC2086  # the headers are words
    compiles $headers
    flags=
    # shellcheck disable=SC2086
    [ -z "$chakra" ] || for header in $chakra; do compiles "$header"; done
    alone=$no_exceptions together=''
done
exit $failed
