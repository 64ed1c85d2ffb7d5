#!/bin/sh
# Makes FOLDER/wlfmt.hpp, the single header with all headers in it, and beside it headers with the names of include/wlfmt that include it: what
# is compiled with -IFOLDER uses the single header whatever it includes. usage: make.sh ROOT FOLDER
set -eu
root=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
# shellcheck disable=SC2046  # the headers are words
sh "$root/tools/single_header.sh" -o "$folder/wlfmt.hpp" wlfmt.hpp $(cd "$root/include/wlfmt" && LC_ALL=C && echo *.hpp)
cd "$root/include"
find wlfmt -name '*.hpp' ! -path '*/core/begin.hpp' ! -path '*/core/end.hpp' ! -path '*/chakra*' | while read -r header; do
    mkdir -p "$folder/$(dirname "$header")"
    up=$(dirname "$header" | sed 's|[^/][^/]*|..|g')
    echo "#include \"$up/wlfmt.hpp\"" > "$folder/$header"
done
