#!/bin/bash -eu
# Builds every fuzz target into $OUT with its dictionary, options and seeds; the current folder is the repository.
# $CXX, $CXXFLAGS and $LIB_FUZZING_ENGINE are those of OSS-Fuzz, $SIMDJSON and $FAST_FLOAT are source folders.
# Everything is compiled here, simdjson too: the memory sanitizer must see all code.
: "${SIMDJSON:=$SRC/simdjson}" "${FAST_FLOAT:=$SRC/fast_float}"
root=$PWD
objects=$(mktemp -d)
flags=($CXXFLAGS -std=c++17 -O1 -UNDEBUG "-I$root/include" "-I$FAST_FLOAT/include" "-I$SIMDJSON/singleheader")

"$CXX" "${flags[@]}" -c "$SIMDJSON/singleheader/simdjson.cpp" -o "$objects/simdjson.o"
way() {
    "$CXX" "${flags[@]}" "-DWLFMT_FUZZ_READ=$1" "${@:2}" -c "$root/fuzz/differential/read.cpp" -o "$objects/$1.o"
}
way read_by_default
way read_portably -DWLFMT_NO_SIMD
way read_on_general_paths -DWLFMT_NO_PLAIN_PATHS

for source in "$root"/fuzz/*.cpp; do
    target=$(basename "$source" .cpp)
    case $target in
    replay | mutations) continue ;;
    exits | from_json | json) more=("$objects/simdjson.o") ;;
    differential) more=("$objects"/read_*.o) ;;
    *) more=() ;;
    esac
    "$CXX" "${flags[@]}" "$source" "${more[@]}" $LIB_FUZZING_ENGINE -o "$OUT/wlfmt_$target"
    cp "$root/fuzz/$target.dict" "$OUT/"
    cp "$root/fuzz/$target.options" "$OUT/wlfmt_$target.options"
    (cd "$root/fuzz/corpus/$target" && zip -q -r "$OUT/wlfmt_${target}_seed_corpus.zip" .)
done
rm -r "$objects"
