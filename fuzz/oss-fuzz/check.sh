#!/bin/bash
# Builds the fuzz targets as OSS-Fuzz does, by build.sh, with this machine's Clang and libraries in the place of the
# image's. usage: check.sh OUT [FLAG...]      OUT: where the fuzzers go, for ../run.sh; FLAG: in place of OSS-Fuzz's
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$1
shift
[ $# -gt 0 ] || set -- -O1 -gline-tables-only -fsanitize=address,undefined
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)

# The system's simdjson has no source to compile. This one in its place is needed by everything that includes simdjson,
# so that a target that is linked without it is not built.
stand_in=$(mktemp -d)
trap 'rm -r "$stand_in"' EXIT
mkdir "$stand_in/singleheader"
cat > "$stand_in/singleheader/simdjson.h" <<'END'
#pragma once
#include_next <simdjson.h>
int has_simdjson();
static const int needs_simdjson = has_simdjson();
END
echo 'int has_simdjson(); int has_simdjson() { return 1; }' > "$stand_in/singleheader/simdjson.cpp"

cd "$root"
SRC=/nowhere OUT=$out CXX=${CXX:-clang++} CXXFLAGS="$* -fsanitize=fuzzer-no-link" \
    LIB_FUZZING_ENGINE='-fsanitize=fuzzer -lsimdjson' SIMDJSON=$stand_in FAST_FLOAT=/usr PROTOZERO=/usr \
    fuzz/oss-fuzz/build.sh

for target in ${WLFMT_FUZZ_TARGETS:-$(ls fuzz/*.cpp | sed 's|^fuzz/||; s|\.cpp$||' | grep -vx -e replay -e mutations)}; do
    for part in "wlfmt_$target" "wlfmt_$target.options" "$target.dict" "wlfmt_${target}_seed_corpus.zip"; do
        [ -s "$out/$part" ] || { echo "$part is missing"; exit 1; }
    done
done
