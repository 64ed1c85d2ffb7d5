#!/bin/sh
# The recipes for package registries are filled in from the version and an archive, and their registries can use them,
# as far as that can be told without the registries. usage: check.sh ROOT CXX WORK_FOLDER
set -eu
root=$1 work=$3
version=$(sed -n 's/^#define WLFMT_VERSION_[A-Z]* //p' "$root/include/wlfmt/version.hpp" | paste -s -d .)
rm -rf "$work"
mkdir -p "$work/wlfmt-$version"
cd "$work"
(cd "$root" && cp -R CMakeLists.txt LICENSE include meson.build meson_options.txt tools "$work/wlfmt-$version")
tar -czf "wlfmt-$version.tar.gz" "wlfmt-$version"
if command -v ninja > /dev/null; then export CMAKE_GENERATOR=Ninja; fi
cmake "-DARCHIVE=$work/wlfmt-$version.tar.gz" "-DTO=$work/recipes" -P "$root/tools/recipes.cmake"

fail() { echo "$1"; exit 1; }
if grep -rn '@[A-Z]' recipes | grep -v '@fast_float\|@rules_cc\|@wlfmt'; then fail 'left to be filled in'; fi
# The templates of the recipes name no version of wlfmt, so that there is only one place to change.
if grep -rnF "$version" "$root/tools/recipes"; then fail 'a version that does not come from version.hpp'; fi
# The lines that the documents tell users to write name this version.
if (cd "$root" && grep -nE 'wlfmt/archive/refs/tags/v|GIT_TAG v|find_package\(wlfmt [0-9]' README.md docs/*.md) |
    grep -vF -e "v$version" -e "find_package(wlfmt ${version%.*} "; then fail 'another version'; fi
for file in vcpkg/ports/wlfmt/vcpkg.json conan/recipes/wlfmt/config.yml conan/recipes/wlfmt/all/conandata.yml \
    wrapdb/subprojects/wlfmt.wrap wrapdb/releases.json bazel/modules/wlfmt/metadata.json \
    "bazel/modules/wlfmt/$version/MODULE.bazel" "bazel/modules/wlfmt/$version/source.json"; do
    grep -qF "$version" "recipes/$file" || fail "$file does not name version $version"
done
hash=$(cmake -E sha256sum "wlfmt-$version.tar.gz" | cut -d ' ' -f 1)
for file in wrapdb/subprojects/wlfmt.wrap conan/recipes/wlfmt/all/conandata.yml; do
    grep -qF "$hash" "recipes/$file" || fail "$file: another hash"
done

# The vcpkg port installs what it should; substitutes take the place of the functions of vcpkg.
cmake "-DPORT=$work/recipes/vcpkg/ports/wlfmt" "-DARCHIVE=$work/wlfmt-$version.tar.gz" "-DVERSION=$version" \
    "-DWORK=$work/vcpkg" -P "$root/tests/recipes/vcpkg.cmake"
[ -f vcpkg/packages/include/wlfmt/wlfmt.hpp ] || fail 'the port installs no headers'
[ -f vcpkg/packages/share/wlfmt/wlfmt-config.cmake ] || fail 'the port installs no package files'
for folder in bin debug lib; do
    [ ! -e vcpkg/packages/$folder ] || fail "the port installs what was not asked for: $folder"
done

command -v python3 > /dev/null || { echo 'no python3 here: JSON and Conan files are not looked at'; exit 0; }
python3 - "$work" "$version" "$root" << 'END'
import base64, hashlib, json, pathlib, sys
work, version, root = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
recipes = work / "recipes"
for file in recipes.rglob("*.json"):
    json.loads(file.read_text())
# The language of Bazel is so close to Python that a Python compiler finds a misplaced comma.
for file in [*recipes.rglob("*.py"), *recipes.rglob("*.bazel")]:
    compile(file.read_text(), str(file), "exec")
module = recipes / "bazel/modules/wlfmt" / version
source = json.loads((module / "source.json").read_text())
expected = {module / "overlay" / name: hash for name, hash in source["overlay"].items()}
expected[work / f"wlfmt-{version}.tar.gz"] = source["integrity"]
for file, integrity in expected.items():
    found = "sha256-" + base64.b64encode(hashlib.sha256(file.read_bytes()).digest()).decode()
    assert found == integrity, f"{file}: {found}, not {integrity}"
assert json.loads((recipes / "vcpkg/ports/wlfmt/vcpkg.json").read_text())["version"] == version
END
python3 "$root/tests/recipes/conan.py" recipes/conan/recipes/wlfmt/all "wlfmt-$version" "$work/conan"
for file in include/wlfmt/wlfmt.hpp include/wlfmt/wlfmt.cppm licenses/LICENSE; do
    [ -f "conan/$file" ] || fail "the Conan recipe does not package $file"
done
