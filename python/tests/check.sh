#!/bin/sh
# Tests the Python package with pytest, and with every other Python that is there what does not need pytest. Only with
# `all`: mypy, each function in each way to name what it reads, memory after exceptions, many rows, all ways of reading held
# against each other, the cases of the specification, the example of a cluster.
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

chosen='not takes_each_way and not memory_behind and not 40000 and not 33000 and not agree'
chosen="$chosen and not cluster and not test_conformance and not types_are_those"
[ "${3-}" != all ] || chosen=
tested=
for python in /usr/bin/python3 python3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python; do
    command -v "$python" > /dev/null || continue
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.executable)' 2> /dev/null) || continue
    case " $tested " in *" ${version%% *} "*) continue ;; esac
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 8))' || continue
    tested="$tested ${version%% *}"
    echo "Python $version"
    if "$python" -c 'import pytest' 2> /dev/null; then
        (cd "$root/python/tests" && "$python" -m pytest -q -p no:cacheprovider -k "$chosen" .)
    else
        (cd "$root/python/tests" && "$python" without_pytest.py)
    fi
done
[ -n "$tested" ] || { echo 'there is no Python 3.8 or newer'; exit 77; }
