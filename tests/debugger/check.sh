#!/bin/sh
# gdb with tools/wlfmt_gdb.py shows values as they are written. tools/wlfmt.natvis is of this version and well-formed,
# and names members that exist. usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 cxx=$2 work=$3
command -v gdb > /dev/null || { echo 'no gdb here'; exit 77; }
gdb -nx -batch -ex 'python print(1)' > /dev/null 2>&1 || { echo 'gdb without Python here'; exit 77; }
rm -rf "$work"
mkdir -p "$work"
"$cxx" -std=c++17 -O0 -g "-I$root/include" "$root/tests/debugger/program.cpp" -o "$work/program"

cat > "$work/expected" <<'END'
$1 = missing
$2 = None
$3 = -3
$4 = 8.3
$5 = "not measured"
$6 = missing
$7 = 1e2
$8 = [2048, 2]
$9 = [4, 7]
$10 = 0.25
$11 = "1.500ms" = 1500.0
$12 = list of length 3 = {1, 2.5, None}
END
set --
for member in missing none integer decimal sentence absent found written given sub.duration cell numbers; do
    set -- "$@" -ex "print of.$member"
done
gdb -nx -batch -iex 'set debuginfod enabled off' -ex "source $root/tools/wlfmt_gdb.py" -ex 'break stop' -ex run "$@" \
    "$work/program" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
grep '^\$' "$work/log" > "$work/found" || true
diff "$work/expected" "$work/found" || { cat "$work/log"; exit 1; }

natvis=$root/tools/wlfmt.natvis
namespace=v$(sed -n 's/^#define WLFMT_VERSION_[A-Z]* //p' "$root/include/wlfmt/version.hpp" | paste -s -d _)
gdb -nx -batch -ex "python import xml.dom.minidom; xml.dom.minidom.parse('$natvis')" 2>&1 | grep . && exit 1
if grep -o 'wlfmt::v[0-9_]*' "$natvis" | grep -vE "::${namespace}_?$"; then
    echo "wlfmt.natvis: the above is not version $namespace"
    exit 1
fi
for member in $(grep -oE '\b[a-z]+_\b' "$natvis" | sort -u); do
    grep -qE "\b$member( =|;)" "$root"/include/wlfmt/*.hpp "$root"/include/wlfmt/types/*.hpp || { echo "wlfmt.natvis: no member $member"; exit 1; }
done
