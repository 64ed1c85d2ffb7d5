#!/bin/sh
# Takes wlfmt into a project in one of the ways that docs/integration.md describes, and builds and runs main.cpp there.
# usage: check.sh ROOT CXX WORK_FOLDER WAY
set -eu
root=$1 cxx=$2 work=$3/$4 way=$4
here=$root/tests/embedding
version=$(sed -n 's/^#define WLFMT_VERSION_[A-Z]* //p' "$root/include/wlfmt/version.hpp" | paste -s -d .)
rm -rf "$work"
mkdir -p "$work"
cd "$work"
export CXX="$cxx"
if command -v ninja > /dev/null; then export CMAKE_GENERATOR=Ninja; fi

fail() { echo "$1"; exit 1; }
# needs TOOL: skips the test where the tool is missing.
needs() { command -v "$1" > /dev/null || { echo "no $1 here"; exit 77; }; }
quietly() { "$@" > log 2>&1 || { cat log; fail "$* failed"; }; }
run() { [ "$("$1")" = '1 layer' ] || fail "$1 prints something else"; }

case $way in
embedded)
    needs cmake
    # As a folder of the project, and fetched, here from a local path.
    for fetch in OFF ON; do
        quietly cmake -S "$here/subdirectory" -B $fetch "-DWLFMT_ROOT=$root" -DWLFMT_FETCH=$fetch
        quietly cmake --build $fetch
        run $fetch/program
    done
    ;;
installed)
    needs cmake
    # Installed to a prefix with a space in its name and with another folder for headers, and then moved, as packages
    # are.
    quietly cmake -S "$root" -B build -DWLFMT_BUILD_TOOLS=OFF \
        "-DCMAKE_INSTALL_INCLUDEDIR=headers/wlfmt-$version"
    quietly cmake --install build --prefix "$work/a prefix"
    mv 'a prefix' 'another prefix'
    prefix="$work/another prefix"
    (cd "$prefix" && find . -type f ! -path './headers/*' | LC_ALL=C sort) > files
    diff - files << END
./share/cmake/wlfmt/wlfmt-config-version.cmake
./share/cmake/wlfmt/wlfmt-config.cmake
./share/pkgconfig/wlfmt.pc
./share/wlfmt/wlfmt.natvis
./share/wlfmt/wlfmt_gdb.py
END
    quietly cmake -S "$here/package" -B package "-DCMAKE_PREFIX_PATH=$prefix" "-DWLFMT_EXPECTED_VERSION=$version"
    quietly cmake --build package
    run package/program

    for tool in pkg-config make; do
        command -v $tool > /dev/null || { echo "no $tool here: that way is left out"; exit 0; }
    done
    export PKG_CONFIG_PATH="$prefix/share/pkgconfig"
    [ "$(pkg-config --modversion wlfmt)" = "$version" ] || fail 'wlfmt.pc is of another version'
    quietly make -C "$here/make" "OUT=$work"
    run ./program
    ;;
meson)
    needs meson
    needs cmake
    # The wrap as it is sent to WrapDB; its archive is in the cache in which Meson looks before it downloads.
    mkdir -p "wlfmt-$version" project/subprojects/packagecache
    (cd "$root" && cp -R LICENSE include meson.build meson_options.txt tools "$work/wlfmt-$version")
    tar -czf "project/subprojects/packagecache/wlfmt-$version.tar.gz" "wlfmt-$version"
    quietly cmake "-DARCHIVE=$work/project/subprojects/packagecache/wlfmt-$version.tar.gz" "-DTO=$work/recipes" \
        -P "$root/tools/recipes.cmake"
    cp recipes/wrapdb/subprojects/wlfmt.wrap project/subprojects
    cp "$here/meson/meson.build" "$here/meson/meson_options.txt" "$here/main.cpp" project
    quietly meson setup --wrap-mode=forcefallback "-Dwlfmt_version==$version" subproject project
    targets=$(meson introspect --targets subproject | grep -c '"id"')
    [ "$targets" = 1 ] || fail "wlfmt brings targets that were not asked for: $targets in all"
    quietly meson compile -C subproject
    run subproject/program

    needs pkg-config
    quietly meson setup -Dtools=disabled "--prefix=$work/a prefix" --includedir=headers build \
        "wlfmt-$version"
    quietly meson install -C build
    quietly env "PKG_CONFIG_PATH=$work/a prefix/share/pkgconfig" \
        meson setup --wrap-mode=nofallback "-Dwlfmt_version==$version" package project
    quietly meson compile -C package
    run package/program
    ;;
folder)
    # The copied folder: found on the include path, and included by a relative path, which needs no include path.
    mkdir -p third_party source
    cp -R "$root/include/wlfmt" third_party
    quietly "$cxx" -std=c++17 -Wall -Wextra -Ithird_party "$here/main.cpp" -o on_the_path
    run ./on_the_path
    sed 's|<wlfmt/wlfmt.hpp>|"../third_party/wlfmt/wlfmt.hpp"|' "$here/main.cpp" > source/main.cpp
    quietly "$cxx" -std=c++17 -Wall -Wextra -DWLFMT_NO_FAST_FLOAT source/main.cpp -o by_its_place
    run ./by_its_place
    ;;
single_header)
    warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
    quietly sh "$root/tools/single_header.sh" -o wlfmt.hpp
    (cd / && sh "$root/tools/single_header.sh") | cmp - wlfmt.hpp || fail 'the single header is not the same twice'
    sed -n 1p wlfmt.hpp | grep -qF "wlfmt $version" || fail 'the single header is of another version'
    sed -n 2p wlfmt.hpp | grep -qE 'revision ([0-9a-f]{40}|unknown)' || fail 'the single header names no revision'
    grep -q 'Permission is hereby granted' wlfmt.hpp || fail 'the single header has no licence'
    if grep -n '# *include "' wlfmt.hpp; then fail 'the single header includes another file'; fi
    macros=$(echo '#include "wlfmt.hpp"' | "$cxx" -std=c++17 -I. -dM -E -x c++ - |
        awk '$2 ~ /^WLFMT_/ && $2 !~ /_HPP$/ { print $2 }' | sort | paste -s -d ' ')
    [ "$macros" = 'WLFMT_VERSION_MAJOR WLFMT_VERSION_MINOR WLFMT_VERSION_PATCH' ] || fail "macros: $macros"
    # Together with headers of the folder, before and after the single one, as two libraries of a program may bring one
    # each.
    {
        echo '#include <wlfmt/oplog.hpp>'
        sed 's|<wlfmt/wlfmt.hpp>|"wlfmt.hpp"|' "$here/main.cpp"
        echo '#include <wlfmt/workload.hpp>'
    } > main.cpp
    # shellcheck disable=SC2086  # the warnings are words
    quietly "$cxx" -std=c++17 $warnings "-I$root/include" main.cpp -o program
    run ./program
    # One format alone.
    quietly sh "$root/tools/single_header.sh" -o table.hpp table.hpp
    # shellcheck disable=SC2086
    quietly "$cxx" -std=c++17 $warnings -DWLFMT_NO_FAST_FLOAT -fsyntax-only -x c++ table.hpp
    ;;
module)
    # GCC 12 cannot compile the module; Clang can from version 16 on.
    for compiler in "$cxx" clang++ clang++-19 clang++-18 clang++-17 clang++-16; do
        clang=$("$compiler" -dM -E -x c++ /dev/null 2> /dev/null | sed -n 's/^#define __clang_major__ //p')
        [ "${clang:-0}" -lt 16 ] || break
    done
    [ "${clang:-0}" -ge 16 ] || { echo 'no compiler here that knows modules'; exit 77; }
    # The file that uses every name, with `import wlfmt;` in place of the headers; and a program of one source that
    # imports wlfmt and one that includes it.
    awk '/^#include <wlfmt\// { if (!imported++) print "import wlfmt;"; next } { print }' \
        "$root/tests/compile/uses_everything.cpp" > uses_everything.cpp
    quietly "$compiler" -std=c++20 "-I$root/include" --precompile "$root/include/wlfmt/wlfmt.cppm" -o wlfmt.pcm
    quietly "$compiler" -std=c++20 -fmodule-file=wlfmt=wlfmt.pcm -c uses_everything.cpp
    quietly "$compiler" -std=c++20 -fmodule-file=wlfmt=wlfmt.pcm "-I$root/include" "$here/module/imports.cpp" \
        "$here/module/includes.cpp" wlfmt.pcm -o program
    run ./program
    ;;
*)
    fail "no way $way"
    ;;
esac
