#!/bin/sh
# The command compiled for WebAssembly, and the page and the package that hold it, say what the native command says.
# Where what builds or runs them cannot be had, that is said, and nothing is tested.
# usage: check.sh ROOT COMMAND WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) command=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
"$root/tests/install_packages.sh" clang-16 lld-16 wasi-libc libclang-rt-16-dev-wasm32 libc++-16-dev-wasm32 \
    libc++abi-16-dev-wasm32 binaryen libfast-float-dev libprotozero-dev > "$work/packages.log" 2>&1 ||
    { echo 'no compiler for WebAssembly: the page and the package are not tested'; exit 0; }
command -v node > /dev/null || { echo 'no node: the page and the package are not tested'; exit 0; }
sh "$root/web/build.sh" "$work/build"
cd "$work"
cp -r "$root/tests/data" "$work/build/examples" .
mv examples runs
node "$root/tests/web/same.mjs" "$command" "$work/build"
# The package as it is installed, and what its README says.
npm pack --silent "$work/build/npm" > /dev/null
mkdir node_modules
tar -xzf wlfmt-*.tgz
mv package node_modules/wlfmt
awk '/^```js/ { inside = 1; next } /^```/ { inside = 0 } inside' "$root/web/npm/README.md" > readme.mjs
sed -n 's|.*);  // ||p' readme.mjs > expected.txt
node readme.mjs | diff expected.txt - || { echo 'the README of the package says something else'; exit 1; }
node "$root/tests/web/package.mjs" "$command"
# What bundlers make of it.
npm install --silent --no-audit --no-fund --prefix bundlers esbuild vite webpack > bundlers.log 2>&1 &&
    cp -r node_modules/wlfmt bundlers/node_modules || { echo 'nothing of npm: bundlers are not tested'; exit 0; }
chromium=$(command -v chromium || command -v google-chrome || true)
[ -n "$chromium" ] && npm install --silent --no-audit --no-fund --prefix . puppeteer-core axe-core > npm.log 2>&1 ||
    { echo 'no Chromium, or nothing of npm: the page is not tested'; chromium=; }
node "$root/tests/web/bundlers.mjs" $chromium
[ -n "$chromium" ] || exit 0
node "$root/tests/web/browser.mjs" "$command" "$work/build" "$chromium"
sh "$root/tests/pictures/check.sh" "$root" "$command" "$work/pictures" "$work/build/wlfmt.html"
