#!/bin/sh
# Builds wlfmt.html, a page that is the whole command in one file, and npm/, the package for JavaScript, from the
# command compiled for WebAssembly. Needs node, python3 and Debian's clang-16 lld-16 wasi-libc libclang-rt-16-dev-wasm32
# libc++-16-dev-wasm32 libc++abi-16-dev-wasm32 binaryen libfast-float-dev libprotozero-dev. usage: build.sh [FOLDER]
set -eu
case ${1:-} in -*) echo 'usage: build.sh [FOLDER]' >&2; exit 2 ;; esac
web=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$web")
out=${1:-build/web}
mkdir -p "$out/include" "$out/npm"
out=$(cd "$out" && pwd)
# The compiler must see two libraries of this machine, not the headers of its C library.
for library in fast_float protozero; do ln -sfn "/usr/include/$library" "$out/include/$library"; done
rm -rf "$out/objects"
mkdir "$out/objects"
cd "$root"
find analysis tools -name '*.cpp' | xargs -P "$(nproc)" -I SOURCE sh -c '
    object=$1/$(echo "$2" | tr / _).o
    shift 2
    "$@" -o "$object"' sh "$out/objects" SOURCE \
    clang++-16 --target=wasm32-wasi -std=c++17 -Oz -flto -fno-rtti -nostdinc++ \
    -isystem "$web/wasm" -isystem /usr/lib/llvm-16/include/wasm32-wasi/c++/v1 -isystem /usr/include/wasm32-wasi \
    -isystem "$out/include" -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -include "$web/wasm/wasi.h" \
    -Iinclude -I. -c SOURCE
# The linker's own stack has 64 KiB. With -O, clang would run wasm-opt without the features that it has to allow.
clang++-16 --target=wasm32-wasi "$out/objects"/*.o -o "$out/wlfmt.linked" -lwasi-emulated-signal -lwasi-emulated-getpid \
    -Wl,--strip-all,--stack-first,-z,stack-size=1048576
wasm-opt --enable-sign-ext --enable-mutable-globals --enable-bulk-memory -Oz "$out/wlfmt.linked" \
    -o "$out/npm/wlfmt.wasm"
cp "$web/names.mjs" "$web/wasi.mjs" "$web"/npm/* "$root/LICENSE" "$out/npm"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tests/answers/make_runs.py" "$out/examples"
node "$web/assemble.mjs" "$root" "$out"
