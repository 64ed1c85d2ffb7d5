#!/bin/sh
# Makes one file out of the headers: out of all that need no library but fast_float, out of those named and what they
# include, or out of those for some formats and for what is done with them. The same sources give the same bytes.
# usage: single_header.sh [-o FILE] [--only=WORD,...] [HEADER...]
#     single_header.sh -o wlfmt.hpp
#     single_header.sh -o workload.hpp --only=workload,file       # workload files, also from disk
#     single_header.sh -o oplog.hpp --only=oplog,file,stream      # op logs, from disk and as they arrive
#     single_header.sh -o wlfmt.hpp wlfmt.hpp json.hpp json/read.hpp
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
output=
while [ $# -gt 0 ]; do
    case $1 in
    -o)
        output=$2
        shift 2
        ;;
    --only=*)
        words=$(echo "${1#*=}" | tr ',' ' ')
        shift
        # What there is for a single format has a header in the folder of that format, `workload/file.hpp`.
        for word in $words; do
            headers=
            for format in $words; do
                [ -e "$root/include/wlfmt/$format/$word.hpp" ] && headers="$headers $format/$word.hpp"
            done
            # shellcheck disable=SC2086  # the headers are words
            set -- "$@" ${headers:-"$word.hpp"}
        done
        ;;
    -*) sed -n '/^# *usage/s/^# *//p' "$0" >&2; exit 2 ;;
    *) break ;;
    esac
done
# A program may include files that are made of different headers: each has a guard of its own.
guard=WLFMT_SINGLE_HEADER_HPP
[ $# -eq 0 ] || guard=WLFMT_SINGLE_HEADER_OF_$(echo "$*" | tr 'a-z/. ' 'A-Z___')
# shellcheck disable=SC2046  # the headers are words
[ $# -gt 0 ] || set -- wlfmt.hpp $(cd "$root/include/wlfmt" && LC_ALL=C && grep -L 'include <simdjson' ./*.hpp oplog/*.hpp \
    table/*.hpp workload/*.hpp | sed 's|^./||')

# The archive of a release has no history, but git writes the revision into it: .gitattributes asks for that.
# shellcheck disable=SC2016  # not a variable
revision='$Format:%H$'
# shellcheck disable=SC2016
case $revision in
'$Format'*)
    revision=unknown
    # If the folder was copied into another project, the revision of that project is not wlfmt's.
    if [ -e "$root/.git" ]; then
        revision=$(git -C "$root" rev-parse HEAD)
        [ -z "$(git -C "$root" status --porcelain -- include LICENSE)" ] || revision="$revision, changed since"
    fi
    ;;
esac

single_header() {
    LC_ALL=C awk -v root="$root" -v revision="$revision" -v headers="$*" \
        -v file_guard="$guard" '
    function fail(why) { print "single_header.sh: " why > "/dev/stderr"; exit 1 }

    # folder/../x is x.
    function normalised(path) {
        while (match(path, /[^\/.]+\/\.\.\//)) path = substr(path, 1, RSTART - 1) substr(path, RSTART + RLENGTH)
        return path
    }
    # Prints a line; of several empty lines in a row, only the first one.
    function put(line) {
        if (line != "" || !after_empty) print line
        after_empty = line == ""
    }
    # Prints a header with the headers that it includes in place of their first inclusion. Each keeps its guard, so that
    # a source may include this file and one of those it was made from.
    function expand(path,    line, name, depth, guard, folder, raw) {
        if (path in seen) return
        seen[path] = 1
        folder = path
        sub(/[^\/]*$/, "", folder)
        if ((getline line < (root "/include/" path)) < 0) fail("no header " path)
        depth = guard = 0
        do {
            if (line ~ /^# *if/) {
                ++depth
                if (line ~ /^#ifndef WLFMT_([A-Z0-9_]*_HPP|CONFIG)$/) guard = 1
            }
            if (line ~ /^# *endif/) --depth
            if (line ~ /^# *include "/) {
                if (depth > guard) fail(path " includes under a condition: " line)
                name = line
                sub(/^[^"]*"/, "", name)
                sub(/".*$/, "", name)
                expand(normalised(folder name))
            } else if (line ~ /^#include </ && depth <= guard) {
                # A header of another library is needed only once, too.
                if (!(line in seen)) put(line)
                seen[line] = 1
            } else if (line != "" || raw || path !~ /\/detail\//) {
                put(line)
            }
            # Empty lines of private headers are left out, but for those of raw strings.
            raw = raw || line ~ /R"/
        } while ((getline line < (root "/include/" path)) > 0)
        close(root "/include/" path)
    }

    BEGIN {
        file = root "/include/wlfmt/version.hpp"
        while ((getline line < file) > 0)
            if (sub(/^#define WLFMT_VERSION_[A-Z]* /, "", line)) version = version (version == "" ? "" : ".") line
        close(file)
        put("// wlfmt " version " in one file: https://github.com/wlfmt/wlfmt")
        put("// Made by tools/single_header.sh from revision " revision ".")
        put("//")
        while ((getline line < (root "/LICENSE")) > 0) put("//" (line == "" ? "" : " ") line)
        # Before the guard: it tells a source of another version that was included before.
        expand("wlfmt/version.hpp")
        put("")
        put("#ifndef " file_guard)
        put("#define " file_guard)
        put("")
        # config.hpp and config_end.hpp, which every header includes, are needed once here.
        begin = "wlfmt/detail/base/config.hpp"
        end = "wlfmt/detail/base/config_end.hpp"
        expand(begin)
        seen[end] = 1
        put("")
        count = split(headers, header, " ")
        for (n = 1; n <= count; ++n) {
            expand("wlfmt/" header[n])
            put("")
        }
        delete seen[end]
        expand(end)
        put("")
        put("#endif")
    }'
}

if [ -n "$output" ]; then
    # If something is wrong, no part of the file is written.
    text=$(single_header "$@")
    printf '%s\n' "$text" > "$output"
else
    single_header "$@"
fi
