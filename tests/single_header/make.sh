#!/bin/sh
# Makes FOLDER/wlfmt.hpp, the single header, and beside it, under the names of all headers in include/wlfmt, headers
# that include it: a source that is compiled with -IFOLDER uses the single header whichever header it includes. Headers
# that need a library are not part of the single header and are copied. usage: make.sh ROOT FOLDER
set -eu
root=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
sh "$root/tools/single_header.sh" -o "$folder/wlfmt.hpp"
cd "$root/include"
find wlfmt -name '*.hpp' | while read -r header; do
    mkdir -p "$folder/$(dirname "$header")"
    case $header in
    */base/config.hpp | */base/config_end.hpp | */chakra.hpp | */chakra/* | */from_json.hpp | */types/json.hpp | \
        */json/texts.hpp | */json/records.hpp | */json/value.hpp | */json/operation.hpp | */json/workload.hpp | \
        */json/table.hpp)
        cp "$header" "$folder/$header"
        ;;
    *)
        up=$(dirname "$header" | sed 's|[^/][^/]*|..|g')
        echo "#include \"$up/wlfmt.hpp\"" > "$folder/$header"
        ;;
    esac
done
