#!/bin/sh
# Makes what a release offers beside its sources: the single headers, of everything and of each format, the page, the
# package for JavaScript, the Python package as a wheel and as sources, the suite of the specification, the pictures of
# the documents, and the hashes of all these. tests/release/check.sh tries each of them. Needs what web/build.sh needs,
# and npm. $WLFMT_WEB names a folder that web/build.sh has filled already; $WLFMT_PYTHON_COMMAND and
# $WLFMT_PYTHON_MODULE are as pip takes them.
# usage: release.sh FOLDER
set -eu
case $#:${1:-} in
1:-* | 0: | [2-9]*) sed -n '/^# *usage/s/^# *//p' "$0" >&2; exit 2 ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$1"
mkdir -p "$1"
to=$(cd "$1" && pwd)
web=${WLFMT_WEB:-}
[ -z "$web" ] || web=$(cd "$web" && pwd)
cd "$root"
version=$(sed -n 's/^#define WLFMT_VERSION_[A-Z]* //p' include/wlfmt/version.hpp | paste -s -d .)

# archive NAME FOLDER: the files of a folder, the same bytes whenever it is made.
archive() {
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --exclude=__pycache__ --transform "s|^\.|$1|" \
        -C "$2" -cf - . | gzip -n -9 > "$to/$1.tar.gz"
}

sh tools/single_header.sh -o "$to/wlfmt.hpp"
for format in oplog workload table; do
    sh tools/single_header.sh "--only=$format,file" -o "$to/wlfmt_$format.hpp"
done
if [ -z "$web" ]; then
    web=$root/build/release_web
    sh web/build.sh "$web"
fi
cp "$web/wlfmt.html" "$to"
(cd "$to" && npm pack --silent "$web/npm" > /dev/null)
PYTHONDONTWRITEBYTECODE=1 python3 - "$to" << 'END'
import sys
sys.path.insert(0, "python/build")
import wlfmt_build
wlfmt_build.build_sdist(sys.argv[1])
wlfmt_build.build_wheel(sys.argv[1])
END
archive "wlfmt-conformance-$version" conformance
archive "wlfmt-pictures-$version" docs/pictures
cd "$to"
sha256sum -- * > SHA256SUMS
