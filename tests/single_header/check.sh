#!/bin/sh
# One format alone, as one file: small, without another include path, also beside the file of another format.
# usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) cxx=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
failed=0
fail() {
    echo "$*"
    failed=1
}
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'

# The formats of a release: tools/release.sh makes the same files.
for format in oplog workload table; do
    sh "$root/tools/single_header.sh" "--only=$format,file" -o "$format.hpp"
    for other in oplog workload table; do
        [ $other = $format ] || ! grep -q "struct ${other}_state {" "$format.hpp" || fail "the file of $format has $other"
    done
done
lines=$(wc -l < workload.hpp)
[ "$lines" -le 6300 ] || fail "reading workload files from a disk brings $lines lines"

cat > program.cpp <<'END'
#include "workload.hpp"
// After the first one, in any order.
#include "oplog.hpp"

#include <cstdio>
#include <string>

int main(int, char** paths) {
    auto file = wlfmt::workload::read_file(paths[1]);
    const auto log = wlfmt::oplog::read_file(paths[2]);
    if (!file || !log) return 1;
    std::string written;
    if (wlfmt::workload::write(written, *file) || written != file.text()) return 1;
    std::printf("%zu layers, %zu operations\n", file->layers.size(), log->operations.size());
    return 0;
}
END
data=$root/tests/data
for choice in -DWLFMT_NO_FAST_FLOAT -DWLFMT_NO_MMAP; do
    # shellcheck disable=SC2086  # the warnings are words
    "$cxx" -std=c++17 $warnings $choice program.cpp -o program || { fail "does not compile with $choice"; continue; }
    said=$(./program "$data/workload_dense_1024gpus.txt" "$data/oplog_rank7_moe_simulation.txt") || fail "fails: $choice"
    [ "$said" = '557 layers, 4 operations' ] || fail "$choice: $said"
done
! sh "$root/tools/single_header.sh" --only=workloads -o none.hpp 2> said || fail 'there is a header of workloads'
[ ! -e none.hpp ] || fail 'a file is made of a header that is not there'

# It reads nothing, so that it does not wait on a terminal, here a pipe to which nobody writes.
mkfifo nobody
timeout 30 sh "$root/tools/single_header.sh" --only=types -o waited.hpp 3<> nobody <&3 || fail 'waits for what is typed'
exit $failed
