#!/bin/sh
# Tests the Python package with its module under AddressSanitizer and UndefinedBehaviorSanitizer, and the threads that
# read many files under ThreadSanitizer.
# usage: sanitizers.sh CHECKOUT BUILD_FOLDER
set -eu
root=$(cd "$1" && pwd)
mkdir -p "$2/wlfmt"
build=$(cd "$2" && pwd)
cp "$root"/python/wlfmt/*.py* "$root"/python/wlfmt/py.typed "$build/wlfmt"
python=/usr/bin/python3
"$python" -c 'import pytest' || { echo "$python has no pytest"; exit 77; }
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
# The threads, at the same time as all that follows.
(g++ -std=c++17 -O0 -fsanitize=thread -I"$root/include" -I"$root" \
    -DWLFMT_TEST_DATA="\"$root/tests/data\"" "$root/python/tests/parallel.cpp" -pthread \
    -o "$build/parallel" && cd "$build" && ./parallel) &
parallel=$!
# The command is in the module, too.
mkdir -p "$build/objects"
(cd "$root" && find python analysis tools -name '*.cpp' ! -path python/tests/\* ! -path tools/main.cpp) |
    xargs -P "$(nproc)" -I '{}' sh -c 'g++ -std=c++17 -O0 -fPIC -fvisibility=hidden -fsanitize=address,undefined \
        -fno-sanitize-recover=undefined -I"$0/include" -I"$0" -I"$0/python/json" -isystem "$1" -c "$0/{}" \
        -o "$2/objects/$(echo {} | tr / _).o"' "$root" "$headers" "$build"
g++ -shared -fsanitize=address,undefined -fno-sanitize-recover=undefined "$build"/objects/*.o -pthread \
    -o "$build/wlfmt/_wlfmt.abi3.so"
# The interpreter is not built with the sanitizers: its run-time library is loaded before it, and all of its own memory
# comes from malloc. It leaks on purpose; the memory of the package is looked at without the sanitizers. In a forked child
# the lock of the sanitizer's allocator may be held for ever. Left out, too, are texts that the suite in C++ reads, and
# the larger numbers of what is read in fewer as well.
cd "$root/python/tests"
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libstdc++.so.6)" ASAN_OPTIONS=detect_leaks=0 \
    PYTHONMALLOC=malloc PYTHONPATH="$build" PYTHONDONTWRITEBYTECODE=1 WLFMT_ROOT="$root" \
    "$python" -m pytest -q -p no:cacheprovider \
    -k 'not memory_behind and not types and not cluster and not forked and not test_conformance and not 40000 and not 33000 and not agree[1] and not agree[2] and not agree[3]' .
wait $parallel
