#!/bin/sh
# No text makes reading, writing or explaining take more than linear time: counts the instructions of everything that
# work.cpp does at a size and at four times that size, which may take four and a half times as many.
# usage: check.sh ROOT CXX WORK_FOLDER. Exits with 77 where there is no valgrind to count with.
set -eu
root=$1 cxx=$2 work=$3
command -v valgrind > /dev/null || { echo 'no valgrind here'; exit 77; }
rm -rf "$work"
mkdir -p "$work"
# shellcheck disable=SC2046  # plain names
"$cxx" -std=c++17 -O1 -I"$root/include" -I"$root" "$root/tests/linear/work.cpp" $(find "$root/analysis" -name '*.cpp') \
    -o "$work/work" -lsimdjson
cd "$work"

# There is a dump for each call; the dumps are numbered in the order of the calls.
valgrind --tool=callgrind --collect-atstart=no --toggle-collect=measured --dump-after=measured --dump-line=no \
    --callgrind-out-file=counts ./work > cases 2> valgrind.log || { cat valgrind.log; exit 1; }

# The ratio of calls with few instructions says little: all calls may take a fixed number more.
awk -v noise=40000 '
    FILENAME == "cases" { size[FNR] = $NF; sub(/ [^ ]*$/, ""); name[FNR] = $0; calls = FNR; next }
    /^totals:/ { file = FILENAME; sub(/.*\./, "", file); count[file + 0] = $2; ++dumps }
    END {
        if (calls == 0 || calls % 2 != 0) { print calls " calls"; exit 1 }
        for (n = 2; n <= calls; n += 2) {
            if (!((n - 1) in count) || !(n in count) || size[n] != "4n") { print "no count of " name[n]; exit 1 }
            ratio = count[n] / (count[n - 1] + 1)
            if (count[n] > 4.5 * count[n - 1] + noise) {
                printf "%s: %.0f instructions, of four times the text %.0f: %.2f times as many\n",
                    name[n], count[n - 1], count[n], ratio
                ++failed
            }
            if (count[n] > noise && ratio > most) { most = ratio; which = name[n] }
        }
        printf "%d readings, at most %.2f times the instructions for four times the text (%s)\n",
            calls / 2, most, which
        exit failed > 0
    }' cases $(ls counts.* | sort -t. -k2 -n)
