#!/bin/sh
# Installs what the tests need where it is missing, builds them, and runs them. What takes long and seldom fails is left
# to the gate, .ci/run. usage: tests/run.sh
set -eu
[ $# -eq 0 ] || { echo 'usage: tests/run.sh' >&2; exit 2; }
cd "$(dirname "$0")/.."
tests/install_packages.sh cmake g++ ninja-build doctest-dev libsimdjson-dev libfast-float-dev libprotozero-dev locales
cmake --preset tests
cmake --build --preset tests --parallel "$(nproc)"
ctest --preset tests --parallel "$(nproc)"
