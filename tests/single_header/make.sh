#!/bin/sh
# Makes FOLDER/wlfmt.hpp, the single header, and beside it headers with the names of include/wlfmt that include it: what
# is compiled with -IFOLDER uses the single header whatever it includes. Headers that need a library of their own are
# not in the single header: those are copied. usage: make.sh ROOT FOLDER
set -eu
root=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
sh "$root/tools/single_header.sh" -o "$folder/wlfmt.hpp"
cd "$root/include"
find wlfmt -name '*.hpp' | while read -r header; do
    mkdir -p "$folder/$(dirname "$header")"
    case $header in
    */core/begin.hpp | */core/end.hpp | */chakra.hpp | */chakra/* | */from_json.hpp | */json/read.hpp | */json/records.hpp)
        cp "$header" "$folder/$header"
        ;;
    *)
        up=$(dirname "$header" | sed 's|[^/][^/]*|..|g')
        echo "#include \"$up/wlfmt.hpp\"" > "$folder/$header"
        ;;
    esac
done
