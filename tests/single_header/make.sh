#!/bin/sh
# Makes FOLDER/wlfmt.hpp, the single header, and beside it, under the names of all headers in include/wlfmt, headers
# that include it: a source that is compiled with -IFOLDER uses the single header whichever header it includes. Headers
# that are not part of the single header, as they need a library, are copied, and so is the configuration, which these
# define again. usage: make.sh ROOT FOLDER
set -eu
root=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
sh "$root/tools/single_header.sh" -o "$folder/wlfmt.hpp"
cd "$root/include"
find wlfmt -name '*.hpp' | while read -r header; do
    mkdir -p "$folder/$(dirname "$header")"
    guard=$(sed -n 's/^#ifndef \(WLFMT_[A-Z0-9_]*_HPP\)$/\1/p' "$header")
    if [ -n "$guard" ] && [ "$header" != wlfmt/detail/base/config.hpp ] && grep -qx "#ifndef $guard" "$folder/wlfmt.hpp"; then
        up=$(dirname "$header" | sed 's|[^/][^/]*|..|g')
        echo "#include \"$up/wlfmt.hpp\"" > "$folder/$header"
    else
        cp "$header" "$folder/$header"
    fi
done
