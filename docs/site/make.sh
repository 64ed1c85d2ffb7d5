#!/bin/sh
# Makes the documentation as a static site: the pages of docs/, and the reference of the headers. Warnings are errors,
# and so are links that lead nowhere. Needs doxygen and cmark-gfm, which it installs on Debian where they are missing.
# usage: docs/site/make.sh [FOLDER]     (build/site)
set -eu
case ${1:-} in -*) sed -n '/^# *usage/s/^# *//p' "$0" >&2; exit 2 ;; esac
root=$(cd "$(dirname "$0")/../.." && pwd)
site=${1:-$root/build/site}
"$root/tests/install_packages.sh" doxygen cmark-gfm
version=$(sed -n 's/^#define WLFMT_VERSION_[A-Z]* //p' "$root/include/wlfmt/version.hpp" | paste -sd.)
rm -rf "$site"
mkdir -p "$site/docs" "$site/python" "$site/conformance" "$site/web/npm"

WLFMT_ROOT=$root WLFMT_SITE=$site WLFMT_VERSION=$version doxygen "$root/docs/site/Doxyfile"

# page SOURCE TARGET: a document as a page. Headings get the names that links use, and links to documents go to pages.
page() {
    folder=$(dirname "$2")
    up=$([ "$folder" = . ] || echo "$folder/" | sed 's|[^/]*/|../|g')
    title=$(sed -n 's/^# //p' "$root/$1" | head -n 1)
    {
        printf '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>%s</title>\n' "$title"
        printf '<link rel="stylesheet" href="%sstyle.css">\n<nav>\n' "$up"
        for entry in 'index.html wlfmt' 'docs/integration.html Integration' 'docs/cookbook.html Cookbook' 'docs/formats.html Formats' \
            'docs/parallelism.html Groups' 'docs/simulators.html Simulators' 'docs/chakra.html Chakra' \
            'docs/guarantees.html Guarantees' 'docs/performance.html Performance' 'docs/platforms.html Platforms' \
            'docs/scale.html Scale' 'python/index.html Python' 'docs/versioning.html Versions' 'reference/index.html Reference' 'changelog.html Changelog' \
            'contributing.html Contributing' 'security.html Security'; do
            printf '<a href="%s%s">%s</a>\n' "$up" "${entry%% *}" "${entry#* }"
        done
        printf '</nav>\n<main>\n'
        cmark-gfm --unsafe --extension table --extension autolink "$root/$1" | awk '
            match($0, /^<h[1-6]>/) {
                name = tolower($0)
                gsub(/<[^>]*>/, "", name)
                gsub(/&[a-z]*;/, "", name)
                gsub(/[^a-z0-9 _-]/, "", name)
                gsub(/ /, "-", name)
                $0 = substr($0, 1, 3) " id=\"" name "\"" substr($0, 4)
            }
            { print }' |
            sed -e 's/href="\([^":]*\)README\.md/href="\1index.html/g' \
                -e 's/href="\([^":]*\)CHANGELOG\.md/href="\1changelog.html/g' \
                -e 's/href="\([^":]*\)CONTRIBUTING\.md/href="\1contributing.html/g' \
                -e 's/href="\([^":]*\)SECURITY\.md/href="\1security.html/g' \
                -e 's/href="\([^":]*\)\.md/href="\1.html/g'
        printf '</main>\n</html>\n'
    } > "$site/$2"
}
page README.md index.html
page CHANGELOG.md changelog.html
page CONTRIBUTING.md contributing.html
page SECURITY.md security.html
page python/README.md python/index.html
page conformance/README.md conformance/index.html
page web/npm/README.md web/npm/index.html
for document in "$root"/docs/*.md; do
    name=$(basename "$document" .md)
    page "docs/$name.md" "docs/$name.html"
    grep -q "<a href=\"docs/$name.html\">" "$site/index.html" || { echo "no page links to docs/$name.html"; exit 1; }
done
cp "$root/docs/site/style.css" "$root/LICENSE" "$site/"
cp -r "$root/docs/pictures" "$root"/docs/*.schema.json "$root/docs/wlfmt.1" "$site/docs/"
# Documents link to these source files.
cp -r "$root/examples" "$root/fuzz" "$site/" 2> /dev/null
rm -rf "$site/fuzz/corpus"

# Every link on a page leads to a file of the site, and to a place that exists in it.
cd "$site"
bad=0
for file in *.html docs/*.html; do
    grep -o 'href="[^"]*"' "$file" | sed 's/^href="//; s/"$//' | grep -v '^[a-z]*:' | sort -u > links.tmp || true
    while IFS= read -r link; do
        path=${link%%#*} place=
        [ "$path" = "$link" ] || place=${link#*#}
        target=$file
        [ -z "$path" ] || target=$(dirname "$file")/$path
        if [ ! -e "$target" ]; then
            echo "$file: no file for the link $link"
            bad=1
        elif [ -n "$place" ] && ! grep -q "id=\"$place\"" "$target"; then
            echo "$file: no place for the link $link"
            bad=1
        fi
    done < links.tmp
done
rm -f links.tmp
[ "$bad" = 0 ] || exit 1
echo "$site/index.html"
