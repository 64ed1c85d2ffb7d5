#!/bin/sh
# Every header compiles alone and without a warning with the first compiler: `public` ones, which users include, with some
# of the others, or `all` the rest. With each further compiler, `all` headers compile as one source, without exceptions,
# which takes a tenth of the time: what a header lacks, the first compiler finds, as both have the same
# standard library, and of the second one only the warnings differ. (tests/symbols compiles what includes all headers with
# the first one, and the sanitizers have the second one with exceptions.)
# usage: check.sh ROOT public|all CXX [CXX]
set -eu
cd "$1/include"
which=$2
shift 2
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
no_exceptions='-fno-exceptions -fno-rtti'
failed=0
chains=$(mktemp)
trap 'rm "$chains"' EXIT

# compiles CXX FLAGS HEADER...: as one source.
compiles() {
    cxx=$1 flags=$2
    shift 2
    # shellcheck disable=SC2086  # the flags are words
    for header in "$@"; do echo "#include <$header>"; done |
        "$cxx" -std=c++17 $warnings $flags -I. -fsyntax-only -x c++ - ||
        { echo "not compiled by $cxx $flags: $*"; failed=1; }
}

# To compile each header by itself would be to parse the same ones again and again. A header lacks nothing either if it
# compiles after others that it includes anyway, and that lack nothing themselves. So they are compiled in chains, in which
# each header includes all those before it. chains HEADER...: prints a line for each chain that ends in a public header,
# or, where `all` is asked for, in another one. The public ones are the first arguments.
chains() {
    { echo "$*" | tr ' ' '\n'; grep -o '^#include "[^"]*' "$@"; } | awk -F ':#include "' -v which="$which" '
        NF == 1 { name[++count] = $1; number[$1] = count }
        NF == 2 {
            path = $1
            sub(/[^\/]*$/, $2, path)
            while (sub(/[^\/]+\/\.\.\//, "", path)) continue
            if (path in number) included[number[$1], ++includes[number[$1]]] = number[path]
        }
        # Notes all that HEADER includes as within TOP.
        function reach(top, header,    n) {
            for (n = 1; n <= includes[header]; ++n) {
                if ((top, included[header, n]) in within) continue
                within[top, included[header, n]] = 1
                ++size[top]
                reach(top, included[header, n])
            }
        }
        # Takes, of the headers from FIRST on that are within TOP if there is one, the one that includes most.
        function take(top, first, last,    n, best) {
            for (n = first; n <= last; ++n)
                if (!(n in taken) && (!top || (top, n) in within) && (!best || size[n] > size[best])) best = n
            if (best) taken[best] = 1
            return best
        }
        function make_chains(first, last, wanted,    top, chain) {
            while (top = take(0, first, last)) {
                chain = name[top]
                while (top = take(top, 1, count)) chain = name[top] " " chain
                if (wanted) print chain
            }
        }
        END {
            for (n = 1; n <= count; ++n) {
                reach(n, n)
                if (name[n] !~ /\/detail\//) public = n
            }
            make_chains(1, public, which == "public")
            make_chains(public + 1, count, which == "all")
        }'
}

# Not headers of their own: config.hpp and config_end.hpp, which every other one includes.
public=$(find wlfmt -name '*.hpp' ! -path '*/detail/*' | sort)
private=$(find wlfmt -path '*/detail/*' -name '*.hpp' ! -path '*/base/config.hpp' ! -path '*/base/config_end.hpp' | sort)

if ! echo '#include <fmt/format.h>' | "$1" -std=c++17 -fsyntax-only -x c++ - 2> /dev/null; then
    public=$(echo "$public" | grep -v types/fmt.hpp)
fi

# shellcheck disable=SC2086  # the headers are words
{
    chains $public $private > "$chains"
    while read -r chain; do compiles "$1" '' $chain; done < "$chains"
    if [ "$which" = all ]; then
        # After the standard library's, with macros that other people's headers define.
        { sed -n 's/^\(#include <[a-z_/0-9.]*>\).*/\1/p' $public $private | grep -vE 'windows|intrin|neon|io\.h|module|<format>' | sort -u
          echo '#include "../tests/headers/macros.hpp"'
          for header in $public; do echo "#include <$header>"; done; } > "$chains.cpp"
        "$1" -std=c++17 $warnings -I. -I"$PWD" -iquote "$PWD" -fsyntax-only "$chains.cpp" ||
            { echo 'an identifier is a macro of other headers: tests/headers/macros.hpp'; failed=1; }
        rm "$chains.cpp"
        shift
        for cxx in "$@"; do
            compiles "$cxx" "$no_exceptions" $public $private
        done
    fi
}
exit $failed
