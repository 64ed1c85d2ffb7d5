#!/bin/sh
# Each rule of docs/formats.md has a case of conformance/ that notices if the reference breaks it. usage: rules.sh ROOT
set -eu
command -v python3 > /dev/null || { echo 'no python3: skipped'; exit 77; }
"$1/conformance/mutants"
