#!/bin/sh
# A program of which one source is compiled for AVX2 and without exceptions runs on a processor without AVX where the
# source for the older processor is linked first and the program calls nothing of the other one: what docs/versioning.md
# promises. In the other order, the linker takes the records' own functions from the newer source, and those of the
# standard library and of fast_float, but never a function of readers and writers.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
case $(uname -m) in x86_64 | amd64) ;; *) echo 'no x86: skipped'; exit 77 ;; esac
for tool in nm objdump c++filt; do command -v $tool > /dev/null || { echo "no $tool: skipped"; exit 77; }; done
rm -rf "$work"
mkdir -p "$work"
failed=0

# compile NAME FLAG...: optimised for debugging, which inlines little, so that more functions are shared.
compile() {
    name=$1
    shift
    "$cxx" -std=c++17 -Og "$@" -I"$root/include" -c "$root/tests/link/levels.cpp" -o "$work/$name.o"
}
compile main -DWLFMT_TEST_MAIN
compile older -DWLFMT_UNIT=older
compile newer -DWLFMT_UNIT=newer -mavx2 -fno-exceptions -fno-rtti
# GCC's start files hold none of wlfmt; the standard library comes as a shared one.
"$cxx" "$work/main.o" "$work/older.o" "$work/newer.o" -o "$work/older_first"
"$cxx" "$work/main.o" "$work/newer.o" "$work/older.o" -o "$work/newer_first"

# with_avx FILE: the functions of a program or object that hold instructions which only AVX has.
with_avx() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) }
        $2 ~ /^v[a-z]/ && $2 !~ /^ver[rw]$/ { print name }' | sort -u
}
nm "$work/older.o" | awk '$2 ~ /[WVu]/ { print $3 }' | sort -u > "$work/of_older"
with_avx "$work/older_first" > "$work/avx"
[ -s "$work/avx" ] || { echo 'no function holds AVX: nothing is tested'; failed=1; }
comm -12 "$work/of_older" "$work/avx" > "$work/shared"
if [ -s "$work/shared" ]; then
    echo 'linked first, the older source has functions of the newer one:'
    c++filt < "$work/shared"
    failed=1
fi
with_avx "$work/newer_first" | comm -12 "$work/of_older" - | c++filt > "$work/shared"
if grep -E '(base|sse42)_(with|no)_exceptions' "$work/shared" | grep -vE '^([a-z ]* )?(std|__gnu_cxx)::'; then
    echo 'linked last, the older source has readers or writers of the newer one: the above'
    failed=1
fi
echo "$(wc -l < "$work/shared") functions are shared where the newer source is linked first"

"$work/older_first" older "$root/tests/data" > "$work/expected"
if grep -qs avx2 /proc/cpuinfo; then
    for order in older_first newer_first; do
        "$work/$order" newer "$root/tests/data" | cmp - "$work/expected" || { echo "$order: another text"; failed=1; }
    done
fi
if command -v qemu-x86_64 > /dev/null; then
    qemu-x86_64 -cpu Nehalem "$work/older_first" older "$root/tests/data" 2> /dev/null | cmp - "$work/expected" ||
        { echo 'it does not run on a processor without AVX'; failed=1; }
fi
exit $failed
