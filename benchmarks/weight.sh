#!/bin/sh
# What an include costs: the instructions of g++ -fsyntax-only under cachegrind, fast_float alone = 1.00.
# Usage: benchmarks/weight.sh [--root FOLDER], where FOLDER/include is the wlfmt to measure (default: this one), for a
# table before and after a change. Needs g++, valgrind and fast_float; simdjson and nlohmann/json where they are there.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
case ${1-}:$# in
:0) ;;
--root:2) root=$(cd "$2" && pwd) ;;
*) echo 'usage: benchmarks/weight.sh [--root FOLDER]' >&2; exit 2 ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
one=0

# The instructions for the source in $dir/t.cpp, compiled with the flags; nothing where it does not compile.
instructions() {
    g++ -std=c++17 -fsyntax-only -I"$root/include" "$@" "$dir/t.cpp" 2>/dev/null || return 0
    # The driver's own call of the compiler proper, so that the include folders are those of every build.
    call=$(g++ -### -std=c++17 -fsyntax-only -I"$root/include" "$@" "$dir/t.cpp" 2>&1 | grep cc1plus | head -1)
    eval "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null $call" 2>&1 |
        awk '/I +refs/ { gsub(",", "", $NF); print $NF }'
}
row() {
    name=$1
    shift
    count=$(instructions "$@")
    if [ -z "$count" ]; then
        printf '%-44s %8s\n' "$name" -
        return
    fi
    if [ "$one" = 0 ]; then one=$count; fi
    awk -v n="$count" -v one="$one" -v name="$name" 'BEGIN { printf "%-44s %8.2f\n", name, n / one }'
}
header() {
    name=$1
    file=$2
    shift 2
    printf '#include <%s>\nint main() {}\n' "$file" > "$dir/t.cpp"
    row "$name" "$@"
}
# The size of the code at -O0 that a program gets from wlfmt, in bytes.
code() {
    g++ -std=c++17 -O0 -c -I"$root/include" -o "$dir/t.o" "$dir/t.cpp"
    nm --print-size --demangle --radix=d "$dir/t.o" |
        awk '$3 ~ /^[TtWw]$/ && /wlfmt::/ { n += $2 } END { printf "%-44s %8.0f bytes\n", "  its code from wlfmt at -O0", n }'
}

# The source on standard input: what it costs to compile, and what code it gets.
program() {
    cat > "$dir/t.cpp"
    row "$1"
    code
}

header fast_float fast_float/fast_float.h
for file in wlfmt oplog workload table types error number; do
    header "wlfmt/$file.hpp" "wlfmt/$file.hpp"
done
for file in wlfmt oplog workload table; do
    header "wlfmt/$file.hpp, without fast_float" "wlfmt/$file.hpp" -DWLFMT_NO_FAST_FLOAT
done

program 'a program that reads an op log' <<'PROGRAM'
#include <wlfmt/oplog.hpp>
double total(std::string_view text) {
    double ms = 0;
    wlfmt::oplog::reader log(text);
    while (const auto* op = log.next())
        for (const auto& sub : op->sub_operations) ms += sub.duration.value_or(0.0);
    return log.ok() ? ms : -1;
}
PROGRAM
program 'a program that reads a workload' <<'PROGRAM'
#include <wlfmt/workload.hpp>
double total(std::string_view text) {
    double cycles = 0;
    wlfmt::workload::reader file(text);
    while (const auto* layer = file.next()) cycles += layer->forward.compute.value_or(0.0);
    return file.ok() ? cycles : -1;
}
PROGRAM
program 'a program that reads tables' <<'PROGRAM'
#include <wlfmt/table.hpp>
double total(std::string_view text) {
    double calls = 0;
    wlfmt::table::reader tables(text);
    while (tables.next_table())
        while (const auto* row = tables.next()) calls += row->find("# of Calls").value_or(0.0);
    return tables.ok() ? calls : -1;
}
PROGRAM
header simdjson simdjson.h
header nlohmann/json nlohmann/json.hpp
