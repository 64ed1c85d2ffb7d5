#!/bin/sh
# What docs/versioning.md promises of sources that are compiled in different ways: no function of wlfmt is in two of
# them, a record that one passes to another does not link, and a program of which one source is compiled for a newer
# processor runs on an older one where it calls nothing of that source and the older ones are linked first. (fast_float
# and the standard library have functions that the linker takes from whichever source comes first.)
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
case $(uname -m) in x86_64 | amd64) ;; *) echo 'no x86: skipped'; exit 77 ;; esac
for tool in nm objdump c++filt; do command -v $tool > /dev/null || { echo "no $tool: skipped"; exit 77; }; done
rm -rf "$work"
mkdir -p "$work"
failed=0

# Configurations have namespaces of their own.
name_of() { # name_of FLAG...: of its inline namespace
    echo '#include <wlfmt/version.hpp>
#include <wlfmt/detail/base/config.hpp>
name: WLFMT_ABI' | "$cxx" -std=c++17 "$@" "-I$root/include" -E -P -x c++ - | sed -n 's/^name: //p'
}
for flag in -O2 -msse4.2 -mavx -mavx2 -mfma -mbmi -mbmi2 -march=x86-64-v3 -march=x86-64-v4 -fno-exceptions \
    -DWLFMT_NO_SIMD -DWLFMT_NO_MMAP -DWLFMT_NO_FAST_FLOAT -ffast-math; do
    name_of "$flag"
done > "$work/names"
if [ "$(grep -c '^v[0-9]' "$work/names")" -ne 14 ] || sort "$work/names" | uniq -d | grep .; then
    echo 'two configurations have the above name:'
    cat "$work/names"
    failed=1
fi
# Each option of GCC for single instructions has a name of its own, but for those that only intrinsics use.
intrinsics='3dNOW|3dNOW_A|AES|VAES|PCLMUL|VPCLMULQDQ|SHA|RD(PID|RND|SEED)|XSAVE(|C|S|OPT)|FSGSBASE|PRFCHW|PREFETCHWT1|SSE2?'
intrinsics="$intrinsics|CL(DEMOTE|FLUSHOPT|WB|ZERO)|MOVDIR(I|64B)|AMX_.*|AVX5124.*|AVX512VP2INTERSECT|CRC32|ENQCMD|HRESET|KL"
intrinsics="$intrinsics|LWP|MWAITX|PCONFIG|PKU|PTWRITE|RTM|SERIALIZE|SGX|SHSTK|TSXLDTRK|UINTR|WAITPKG|WBNOINVD|WIDEKL|ABM|ANDROID"
macros_of() { "$cxx" "$@" -dM -E -x c++ /dev/null | sed -n 's/^#define __\([A-Z0-9_]*\)__ 1$/\1/p' | sort; }
macros_of > "$work/usual"
for flag in $("$cxx" -Q --help=target 2> /dev/null | awk '$1 ~ /^-m/ && /disabled/ { print $1 }'); do
    macros_of "$flag" > "$work/macros" 2> /dev/null && grep -q SSE2 "$work/macros" && grep -q LP64 "$work/macros" || continue
    # What every processor with 64 bits has, and what is no instruction.
    new=$(comm -13 "$work/usual" "$work/macros" | grep -vxE "$intrinsics|(FLT|DBL|LDBL|FP|GCC|GXX|LONG)_.*" | paste -sd,)
    echo "$new $(name_of "$flag")"
done | sort -u > "$work/options"
for part in 1 2; do
    if cut -d ' ' -f $part "$work/options" | sort | uniq -d | grep .; then
        echo 'options that allow different instructions make one namespace, or alike ones make two:'
        cat "$work/options"
        failed=1
    fi
done
echo "$(grep -c . "$work/options") sets of instructions, each with its name"
[ "$(name_of -O0)" = "$(name_of -O2)" ] || { echo 'optimisation alone makes a namespace'; failed=1; }

# Everything is in that namespace. Not optimised, so that all functions are there which the linker may take from either.
# compile NAME FLAG...
compile() {
    name=$1
    shift
    "$cxx" -std=c++17 -O0 "$@" "-DWLFMT_UNIT=$name" "-I$root/include" -c "$root/tests/link/unit.cpp" -o "$work/$name.o"
    nm "$work/$name.o" | awk '$2 ~ /[WVu]/ { print $3 }' | sort -u > "$work/$name.weak"
}
compile older
shares_nothing() { # shares_nothing NAME FLAG...: with the usual configuration
    compile "$@"
    comm -12 "$work/older.weak" "$work/$1.weak" | c++filt > "$work/shared"
    if grep 'wlfmt::' "$work/shared"; then
        echo "the usual configuration and $* share the above"
        failed=1
    fi
    echo "$*: $(grep -c . "$work/shared") functions are shared, of $(grep -c . "$work/older.weak")"
}
shares_nothing bits -mbmi2
shares_nothing sse3 -msse3
shares_nothing sse41 -msse4.1
! comm -12 "$work/sse3.weak" "$work/sse41.weak" | c++filt | grep 'wlfmt::' ||
    { echo 'sources for SSE3 and for SSE4.1 share the above'; failed=1; }
shares_nothing portable -DWLFMT_NO_SIMD -DWLFMT_NO_MMAP
shares_nothing charconv -DWLFMT_NO_FAST_FLOAT
shares_nothing inexact -ffast-math
shares_nothing newer -march=x86-64-v3 -fno-exceptions -fno-rtti

# passes FLAG...: whether a source passes a record to one that is compiled with these flags.
cat > "$work/takes.cpp" <<'END'
#include <wlfmt/types.hpp>
std::size_t operations_of(const wlfmt::oplog::document& doc) { return doc.operations.size(); }
END
cat > "$work/passes.cpp" <<'END'
#include <wlfmt/types.hpp>
std::size_t operations_of(const wlfmt::oplog::document& doc);
int main() { return operations_of({}) == 0 ? 0 : 1; }
END
passes() {
    "$cxx" -std=c++17 "$@" -I"$root/include" -c "$work/takes.cpp" -o "$work/takes.o"
    "$cxx" -std=c++17 -I"$root/include" "$work/passes.cpp" "$work/takes.o" -o "$work/passes" 2> "$work/messages"
}
passes -O2 || { cat "$work/messages"; echo 'a record cannot be passed between sources of one configuration'; failed=1; }
for flag in -mavx2 -fno-exceptions -DWLFMT_NO_FAST_FLOAT; do
    ! passes "$flag" || { echo "a record is passed to a source with $flag"; failed=1; }
    grep -q 'undefined reference.*operations_of' "$work/messages" || { cat "$work/messages"; failed=1; }
done

# with_avx FILE: the functions of a program that hold instructions which only AVX has.
with_avx() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name) }
        $2 ~ /^v[a-z]/ && $2 !~ /^ver[rw]$/ { print name }' | sort -u
}
"$cxx" -std=c++17 -DWLFMT_TEST_LEVELS "-I$root/include" -c "$root/tests/link/main.cpp" -o "$work/main.o"
"$cxx" "$work/main.o" "$work/older.o" "$work/newer.o" -o "$work/older_first"
"$cxx" "$work/main.o" "$work/newer.o" "$work/older.o" -o "$work/newer_first"
for order in older_first newer_first; do
    with_avx "$work/$order" > "$work/avx"
    [ "$(grep -c wlfmt "$work/avx")" -gt 100 ] || { echo 'hardly any function holds AVX: nothing is tested'; failed=1; }
    comm -12 "$work/older.weak" "$work/avx" | c++filt > "$work/$order.shared"
done
if [ -s "$work/older_first.shared" ]; then
    echo 'linked first, the older source has functions of the newer one:'
    cat "$work/older_first.shared"
    failed=1
fi

"$work/older_first" "$root/tests/data" older > "$work/expected" || failed=1
if grep -qs avx2 /proc/cpuinfo; then
    for order in older_first newer_first; do
        "$work/$order" "$root/tests/data" newer | cmp - "$work/expected" || { echo "$order: another text"; failed=1; }
    done
fi
if command -v qemu-x86_64 > /dev/null; then
    qemu-x86_64 -cpu Nehalem "$work/older_first" "$root/tests/data" older 2> /dev/null | cmp - "$work/expected" ||
        { echo 'it does not run on a processor without AVX'; failed=1; }
fi
exit $failed
