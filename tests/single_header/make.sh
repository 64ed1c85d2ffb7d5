#!/bin/sh
# Makes FOLDER/wlfmt.hpp, the single header, and beside it headers with the names of include/wlfmt that include it: what
# is compiled with -IFOLDER uses the single header whatever it includes. usage: make.sh ROOT FOLDER
set -eu
root=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
sh "$root/tools/single_header.sh" -o "$folder/wlfmt.hpp"
cd "$root/include"
find wlfmt -name '*.hpp' ! -path '*/core/begin.hpp' ! -path '*/core/end.hpp' ! -path '*/chakra*' | while read -r header; do
    mkdir -p "$folder/$(dirname "$header")"
    up=$(dirname "$header" | sed 's|[^/][^/]*|..|g')
    echo "#include \"$up/wlfmt.hpp\"" > "$folder/$header"
done
