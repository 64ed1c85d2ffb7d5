#!/bin/sh
# Tests the Python package with pytest, and what does not need pytest with the oldest and the newest other Python that is
# there, or with `all` of them.
# usage: check.sh CHECKOUT BUILD_FOLDER [all]
set -eu
root=$1
build=$2
export PYTHONPATH="$build" PYTHONDONTWRITEBYTECODE=1 WLFMT_ROOT="$root"

# DuckDB reads Arrow streams, and nobody here wrote it. Its library comes in a package of npm.
duckdb="$build/duckdb/node_modules/@duckdb/node-bindings-linux-x64/libduckdb.so"
if [ "$(uname -sm)" = 'Linux x86_64' ] && command -v npm > /dev/null && [ ! -e "$duckdb" ]; then
    mkdir -p "$build/duckdb"
    (cd "$build/duckdb" && timeout 120 npm install --no-save --ignore-scripts --silent @duckdb/node-bindings-linux-x64) ||
        echo 'DuckDB cannot be installed: it is left out'
fi
export WLFMT_DUCKDB="$duckdb"

# version PYTHON: its version, if it is new enough, as 3.08, so that versions sort.
version() { "$1" -c 'import sys; v = sys.version_info; print("%d.%02d" % v[:2]); sys.exit(v < (3, 8))' 2> /dev/null; }
: > "$build/pythons"
for python in /usr/bin/python3 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python; do
    python=$(command -v "$python") && version=$(version "$python") || continue
    grep -q "^$version " "$build/pythons" || echo "$version $python" >> "$build/pythons"
done
[ -s "$build/pythons" ] || { echo 'there is no Python 3.8 or newer'; exit 77; }

others=
while read -r version python; do
    if "$python" -c 'import pytest' 2> /dev/null; then
        echo "Python $version $python"
        (cd "$root/python/tests" && "$python" -m pytest -q -p no:cacheprovider . < /dev/null)
    else
        others="$others $version:$python"
    fi
done < "$build/pythons"
for python in $(echo "$others" | tr ' ' '\n' | sort | grep . | { [ "${3-}" = all ] && cat || sed -n '1p; $p' | uniq; }); do
    echo "Python ${python%%:*} ${python#*:}"
    (cd "$root/python/tests" && "${python#*:}" without_pytest.py)
done
