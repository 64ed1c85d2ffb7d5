#!/bin/sh
# Installs the package as its users do, without a network: from the checkout, also to be edited there, and from a source
# distribution in an empty virtual environment, with Debian's Python and its pip. Optimising would take longer than all
# the rest. The module is compiled once, from the source distribution: the checkout has the given one, if it is there.
# usage: install.sh CHECKOUT MODULE BUILD_FOLDER
set -eu
root=$(cd "$1" && pwd)
module=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
rm -rf "$3"
mkdir -p "$3"
build=$(cd "$3" && pwd)
python=/usr/bin/python3
"$python" -c 'import venv, ensurepip' || { echo "$python has no venv"; exit 77; }
export CXXFLAGS=-O0 PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1

# try VENV: the package is whole, and its examples run.
try() (
    cd "$root/python/tests"
    env -u PYTHONPATH WLFMT_ROOT="$root" PYTHONDONTWRITEBYTECODE=1 "$1/bin/python" without_pytest.py
    [ "$("$1/bin/wlfmt" --version)" = "$("$1/bin/python" -m wlfmt --version)" ]
    "$1/bin/python" -c 'import wlfmt; print(wlfmt.summary("'"$root"'/tests/data/oplog_rank7_pipeline_last_stage.txt")["operations"])'
)
cd "$build"
"$python" -m venv checkout
[ -e "$module" ] && WLFMT_PYTHON_MODULE=$module && export WLFMT_PYTHON_MODULE
checkout/bin/pip install -q "$root"
try "$build/checkout"

# A copy, as the module is put beside the files.
mkdir copy
cp -R "$root/pyproject.toml" "$root/LICENSE" "$root/include" "$root/analysis" "$root/tools" "$root/python" copy
"$python" -m venv editable
editable/bin/pip install -q -e copy
try "$build/editable"
echo 'changed = True' >> copy/python/wlfmt/__init__.py
editable/bin/python -c 'import wlfmt; assert wlfmt.changed'
unset WLFMT_PYTHON_MODULE

"$python" - "$root" <<'END'
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1] + "/python/build")
import wlfmt_build
print(wlfmt_build.build_sdist("."))
END
mkdir empty
"$python" -m venv sdist
# The module that was built for the checkout is not looked for.
sdist/bin/pip wheel -q --no-deps -w empty wlfmt-*.tar.gz
ls empty | grep -q '^wlfmt-[0-9.]*-cp38-abi3-linux_[a-z0-9_]*\.whl$' || { ls empty; exit 1; }
sdist/bin/pip install -q empty/*.whl
try "$build/sdist"
# What an index shows has no link that leads nowhere.
tar -xOzf wlfmt-*.tar.gz --wildcards '*/PKG-INFO' | grep -n '](\.\.\?/' && exit 1
echo 'installed from the checkout, to be edited there, and from a source distribution'
