#!/bin/bash -eu
# Builds every fuzz target into $OUT with its dictionary, options and seeds; the current folder is the repository.
# $CXX, $CXXFLAGS and $LIB_FUZZING_ENGINE are those of OSS-Fuzz, $SIMDJSON, $FAST_FLOAT and $PROTOZERO source folders.
# Everything is compiled here, simdjson too: the memory sanitizer must see all code. WLFMT_FUZZ_TARGETS: these alone.
: "${SIMDJSON:=$SRC/simdjson}" "${FAST_FLOAT:=$SRC/fast_float}" "${PROTOZERO:=$SRC/protozero}"
root=$PWD
objects=$(mktemp -d)
flags=(-O1 $CXXFLAGS -std=c++17 -UNDEBUG "-I$root/include" "-I$root" "-I$FAST_FLOAT/include" "-I$SIMDJSON/singleheader"
    "-I$PROTOZERO/include")

uses_analysis() { grep -q -e '"analysis/' -e '/into\.hpp"' "$root/fuzz/$1.cpp"; }
# Every source, with the object that it makes and its further flags, and as many compilers as there are processors. GNU's
# xargs ends with an error if one of them does.
sources() {
    echo "$objects/simdjson.o $SIMDJSON/singleheader/simdjson.cpp"
    case " $targets " in *[[:space:]]differential[[:space:]]*)
        echo "$objects/read_by_default.o $root/fuzz/differential/read.cpp -DWLFMT_FUZZ_READ=read_by_default"
        echo "$objects/read_portably.o $root/fuzz/differential/read.cpp -DWLFMT_FUZZ_READ=read_portably -DWLFMT_NO_SIMD"
        echo "$objects/read_on_slow_paths.o $root/fuzz/differential/read.cpp" \
            "-DWLFMT_FUZZ_READ=read_on_slow_paths -DWLFMT_NO_FAST_PATHS"
        ;;
    esac
    for target in $targets; do
        uses_analysis "$target" || continue
        (cd "$root" && find analysis -name '*.cpp') | while read -r source; do
            echo "$objects/${source//\//_}.o $root/$source"
        done
        break
    done
    for target in $targets; do echo "$objects/$target.o $root/fuzz/$target.cpp"; done
}
targets=${WLFMT_FUZZ_TARGETS:-$(cd "$root/fuzz" && ls ./*.cpp | sed 's|^\./||; s|\.cpp$||' | grep -vx -e replay -e mutations)}
sources | xargs -P "$(nproc)" -L 1 "$CXX" "${flags[@]}" -c -o

for target in $targets; do
    case $target in
    chakra_read | exits | from_json | json) more=("$objects/simdjson.o") ;;
    differential) more=("$objects"/read_*.o) ;;
    *) more=() ;;
    esac
    ! uses_analysis "$target" || more+=("$objects"/analysis_*.o)
    "$CXX" $CXXFLAGS "$objects/$target.o" "${more[@]}" $LIB_FUZZING_ENGINE -o "$OUT/wlfmt_$target"
    cp "$root/fuzz/$target.dict" "$OUT/"
    cp "$root/fuzz/$target.options" "$OUT/wlfmt_$target.options"
    cp "$root/fuzz/corpus/${target}_seed_corpus.zip" "$OUT/wlfmt_${target}_seed_corpus.zip"
    # It takes the readers' seeds, too.
    if [ "$target" = differential ]; then
        "$root/fuzz/seeds.sh" unpack "$objects/corpus" oplog table workload
        (cd "$objects/corpus" && zip -q -r "$OUT/wlfmt_${target}_seed_corpus.zip" oplog table workload)
    fi
done
rm -r "$objects"
