#!/bin/sh
# A key, a policy, a collective, a column and a unit take the lines that CONTRIBUTING.md shows, and an alias of a
# collective and a message one like these. All exits then have them: adds them to a copy of the headers, for program.cpp.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
sed --version 2> /dev/null | grep -q GNU || { echo 'no GNU sed here'; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cp -r "$root/include" "$work"

# add FILE AFTER LINE: adds the line after the only one that has that text.
add() {
    file=$work/include/wlfmt/$1
    [ "$(grep -cF -- "$2" "$file")" = 1 ] || { echo "$1: not one line has: $2"; exit 1; }
    sed -i "$(grep -nF -- "$2" "$file" | cut -d : -f 1)a\\
$3" "$file"
}

# example PATTERN: the one example of CONTRIBUTING.md that begins so.
tr -s '\n ' '  ' < "$root/CONTRIBUTING.md" | grep -o '`[^`]*`' | tr -d '`' > "$work/examples"
example() {
    [ "$(grep -c "^$1" "$work/examples")" = 1 ] || { echo "CONTRIBUTING.md has not one example: $1" >&2; exit 1; }
    grep "^$1" "$work/examples"
}
member=$(example 'number ')
key=$(example 'op("')
policy=$(example '{"[A-Z_]*", trace_policy::')
collective=$(example '{"[a-z_]*", "[A-Z]*", bus_share::')
column=$(example '{"[^"]*"sv, q::')
unit=$(example '{[0-9.e]*, "')

# A key that is not marked as one of variants is no key of the tracer's own, and does not compile.
add types/oplog.hpp '    number timestamp = {};       // milliseconds of a monotonic clock when' "$member"
add detail/oplog/schema.hpp 'op("sub_operations"sv, ' "$(echo "$key" | sed 's/\.of_variants()//')"
if "$cxx" -std=c++17 -fsyntax-only -I"$work/include" -I"$root" "$root/tests/rows/program.cpp" 2> "$work/errors"; then
    echo 'a key without .of_variants() compiles, and would not be written'
    exit 1
fi
grep -q 'any other key is .of_variants()' "$work/errors" || { cat "$work/errors"; exit 1; }
rm -rf "$work/include"
cp -r "$root/include" "$work"

# A key of operations, and one of nested operations.
add types/oplog.hpp '    number timestamp = {};       // milliseconds of a monotonic clock when' "$member"
add detail/oplog/schema.hpp 'op("sub_operations"sv, ' "$key"
add types/oplog.hpp '    wlfmt::text_view comm_func = {}; ' 'wlfmt::text_view algorithm = {};'
add detail/oplog/schema.hpp 'sub("sub_operations.comm_func"sv, ' \
    'sub("sub_operations.algorithm"sv, "how it is done"sv, \&oplog::sub_operation::algorithm).of_variants(),'
# What a collective is called, too.
add detail/oplog/schema.hpp '{"allgather"sv, oplog::collective::allgather},' '{"gatherall"sv, oplog::collective::allgather},'
# A policy.
add workload/policies.hpp '{"DATA", trace_policy::data, ' "$policy"
# A collective, whose row is the last one.
add types/workload.hpp '    broadcast,' 'scatter,'
sed -i "s/\(\"BROADCAST\", .*}\)};/\1, $collective};/" "$work/include/wlfmt/workload/policies.hpp"
# A column.
add detail/table/names.hpp '{"* time avg"sv, ' "$column"
# A message.
add types/error.hpp '    unknown_policy, ' 'new_kind,'
add detail/messages.hpp 'WLFMT_WORDS(unknown_policy, ' \
    'WLFMT_WORDS(new_kind, "$s$b is new"),'
# Units of times, one of them no power of ten, and of memory. Those that are only read change nothing that is written.
# Nanoseconds, which are only read, are left out first.
sed -i '/{1e-3, "ns"sv},/d' "$work/include/wlfmt/detail/table/cell.hpp"
add detail/table/cell.hpp ' other_time_units[] = {' "$unit"
sed -i 's/{1, "us"sv}};/{1, "us"sv}, {1e-3, "ns"sv}};/; s/ other_memory_units\[\] = {/&{0x1p50, " PB"sv, 2}, /' \
    "$work/include/wlfmt/detail/table/cell.hpp"
grep -q '"us"sv}, {1e-3' "$work/include/wlfmt/detail/table/cell.hpp" && grep -q '" PB"' "$work/include/wlfmt/detail/table/cell.hpp"

"$cxx" -std=c++17 -O0 -Wall -Wextra -Werror -I"$work/include" -I"$root" "$root/tests/rows/program.cpp" \
    "$root"/analysis/plot/*.cpp "$root"/analysis/*.cpp -o "$work/program"
"$work/program"
