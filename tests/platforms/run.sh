#!/bin/sh
# Builds the suite and the command for other machines and runs them: 32 bits, with the floating-point unit of SSE2 and with the older one;
# 64 bits big-endian, and ARM with its vector kernel, under an emulator; Windows, by MinGW and Wine; and with libc++, which
# has std::format.
# Takes minutes. usage: run.sh [m32|x87|s390x|aarch64|windows|libcxx]...
# Tests that need a compiled library of the other machine (simdjson) are left out.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- m32 x87 s390x aarch64 windows libcxx
work=build/platforms
data=$(pwd)/tests/data

tests/install_packages.sh g++ doctest-dev libfast-float-dev
for wanted in "$@"; do
    case $wanted in
    # g++-multilib itself cannot be installed beside a cross compiler, the versioned package can.
    m32 | x87) tests/install_packages.sh "g++-$(g++ -dumpversion)-multilib" qemu-user ;;
    s390x) tests/install_packages.sh g++-s390x-linux-gnu qemu-user ;;
    aarch64) tests/install_packages.sh g++-aarch64-linux-gnu qemu-user ;;
    windows) tests/install_packages.sh g++-mingw-w64-x86-64-posix wine64 ;;
    libcxx) tests/install_packages.sh clang-19 libc++-19-dev libc++abi-19-dev ;;
    *) echo "no platform $wanted: m32, x87, s390x, aarch64, windows or libcxx"; exit 2 ;;
    esac
done

# The headers of the Linux kernel, to which g++-multilib would link from /usr/include.
multiarch="-idirafter /usr/include/$(g++ -print-multiarch)"

topics=$(grep -L -e simdjson -e json/read.hpp tests/*.cpp)
analysis=$(find analysis -name '*.cpp')
tools=$(find tools -name '*.cpp')
failed=

# compile SOURCE...: with the compiler and its flags in $compiler, one source on each processor, through the launcher that
# CMake reads from the environment, if any (a compiler cache). Adds the objects to $objects.
compile() {
    made=
    for source in "$@"; do made="$made $work/$name/$(echo "${source%.cpp}" | tr / _).o"; done
    export compiler work name data
    # shellcheck disable=SC2016  # the inner shell's words
    printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' sh -c '
        object=$work/$name/$(echo "${1%.cpp}" | tr / _).o
        [ -n "$(find "$object" -newer "$1" 2> /dev/null)" ] &&
            [ -z "$(find include analysis tools tests -name "*.hpp" -newer "$object")" ] && exit
        ${CMAKE_CXX_COMPILER_LAUNCHER:-} $compiler -std=c++17 -Iinclude -I. -isystem "$work/$name/include" \
            "-DWLFMT_TEST_DATA=\"$data\"" -c "$1" -o "$object" || rm -f "$object"' - '{}'
    for object in $made; do [ -e "$object" ] || failed="$failed $object"; done
    objects="$objects$made"
}

# platform NAME RUNNER COMPILER [FLAG...]
platform() {
    name=$1 runner=$2
    shift 2
    compiler=$*
    start=$(date +%s)
    mkdir -p "$work/$name/run" "$work/$name/include"
    # A cross compiler does not search /usr/include, and must not: headers of this machine's C library are there.
    for library in doctest fast_float; do ln -sfn "/usr/include/$library" "$work/$name/include/$library"; done
    # shellcheck disable=SC2086  # sources are words
    { objects='' && compile $topics && suite=$objects && objects='' && compile $analysis && library=$objects &&
        objects='' && compile $tools && command=$objects; }
    # Each header by itself: a topic may include what one of them lacks before it.
    for header in include/wlfmt/*.hpp; do
        "$@" -std=c++17 -fsyntax-only -isystem "$work/$name/include" -x c++ "$header" || failed="$failed $name($header)"
    done
    # shellcheck disable=SC2086
    "$@" $command $library -pthread -o "$work/$name/wlfmt.exe" || failed="$failed $name(command)"
    built=$(date +%s)
    # shellcheck disable=SC2086
    "$@" $suite $library -pthread -o "$work/$name/suite.exe" && (cd "$work/$name/run" && $runner ../suite.exe) || failed="$failed $name"
    for file in oplog_rank7_moe_simulation profiler_table_moe_train_step; do
        $runner "$work/$name/wlfmt.exe" summary --json "$data/$file.txt" > "$work/$name/summary.json" &&
            python3 -m json.tool "$work/$name/summary.json" > /dev/null || failed="$failed $name(summary)"
    done
    echo "$name: built in $((built - start)) s, run in $(($(date +%s) - built)) s"
}

# Prints what runs programs of 32 bits: nothing, or an emulator where the kernel does not run them.
runner_of_32_bits() {
    mkdir -p "$work/$wanted"
    # shellcheck disable=SC2086  # an option and its argument
    echo 'int main() {}' | g++ -m32 $multiarch -x c++ - -o "$work/$wanted/program32"
    "$work/$wanted/program32" 2> /dev/null || echo qemu-i386
}
for wanted in "$@"; do
    # shellcheck disable=SC2086
    case $wanted in
    m32) platform m32 "$(runner_of_32_bits)" g++ -m32 $multiarch -msse2 -mfpmath=sse ;;
    # Optimised, as values stay in the registers of 80 bits only then.
    x87) platform x87 "$(runner_of_32_bits)" g++ -m32 $multiarch -O1 ;;
    s390x) platform s390x 'qemu-s390x -L /usr/s390x-linux-gnu' s390x-linux-gnu-g++ ;;
    aarch64) platform aarch64 'qemu-aarch64 -L /usr/aarch64-linux-gnu' aarch64-linux-gnu-g++ ;;
    # Linked statically, as Wine does not know where the compiler's libraries are; what is not optimised has more
    # sections than a usual object file.
    windows)
        export WINEPREFIX="$PWD/$work/wine" WINEDEBUG=-all
        platform windows "$(command -v wine64 || echo /usr/lib/wine/wine64)" x86_64-w64-mingw32-g++-posix -static -Wa,-mbig-obj
        ;;
    libcxx)
        platform libcxx '' clang++-19 -stdlib=libc++
        cat > "$work/libcxx/format.cpp" <<'END'
#include <cstdio>
#include <wlfmt/oplog.hpp>
#include <wlfmt/types/std_format.hpp>
int main() {
    const auto none = wlfmt::oplog::read("x");
    const wlfmt::number n = 8.3;
    std::puts(std::format("{:>5} {} {}", n, none.error().kind, wlfmt::value(n)).c_str());
}
END
        clang++-19 -stdlib=libc++ -std=c++20 -Iinclude "$work/libcxx/format.cpp" -o "$work/libcxx/format" &&
            [ "$("$work/libcxx/format")" = '  8.3 no_records 8.3' ] || failed="$failed libcxx(format)"
        ;;
    esac
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
