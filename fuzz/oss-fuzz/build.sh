#!/bin/bash -eu
# Builds every fuzz target into $OUT with its dictionary, options and seeds; the current folder is the repository.
# $CXX, $CXXFLAGS and $LIB_FUZZING_ENGINE are those of OSS-Fuzz, $SIMDJSON and $FAST_FLOAT are source folders.
# Everything is compiled here, simdjson too: the memory sanitizer must see all code.
: "${SIMDJSON:=$SRC/simdjson}" "${FAST_FLOAT:=$SRC/fast_float}"
root=$PWD
objects=$(mktemp -d)
flags=($CXXFLAGS -std=c++17 -O1 -UNDEBUG "-I$root/include" "-I$FAST_FLOAT/include" "-I$SIMDJSON/singleheader")

"$CXX" "${flags[@]}" -c "$SIMDJSON/singleheader/simdjson.cpp" -o "$objects/simdjson.o"
kernel() {
    "$CXX" "${flags[@]}" "-DWLFMT_FUZZ_READ=read_with_$1" "${@:2}" -c "$root/fuzz/kernels/read.cpp" -o "$objects/$1.o"
}
kernel default
kernel portable -DWLFMT_NO_SIMD
kernels=("$objects/default.o" "$objects/portable.o")
if [ "$(uname -m)" = x86_64 ]; then
    kernel sse41 -march=x86-64-v2
    kernels+=("$objects/sse41.o" -DWLFMT_FUZZ_SSE41)
fi

for source in "$root"/fuzz/*.cpp; do
    target=$(basename "$source" .cpp)
    case $target in
    replay | mutations) continue ;;
    json) more=("$objects/simdjson.o") ;;
    kernels) more=("${kernels[@]}") ;;
    *) more=() ;;
    esac
    "$CXX" "${flags[@]}" "$source" "${more[@]}" $LIB_FUZZING_ENGINE -o "$OUT/wlfmt_$target"
    cp "$root/fuzz/$target.dict" "$OUT/"
    cp "$root/fuzz/$target.options" "$OUT/wlfmt_$target.options"
    (cd "$root/fuzz/corpus/$target" && zip -q -r "$OUT/wlfmt_${target}_seed_corpus.zip" .)
done
rm -r "$objects"
