#!/bin/sh
# What a release offers works where nothing else of wlfmt is: each file of the folder is copied into an empty folder of
# its own and used there, with an empty environment. A page without Chromium and a package without npm are not tried,
# which is said. usage: check.sh FOLDER CXX WORK_FOLDER
set -eu
folder=$(cd "$1" && pwd) cxx=$2
rm -rf "$3"
mkdir -p "$3"
work=$(cd "$3" && pwd)
fail() { echo "release: $*"; exit 1; }

cd "$folder"
sha256sum --quiet -c SHA256SUMS
[ "$(ls | grep -vx SHA256SUMS)" = "$(sed 's/^[0-9a-f]*  //' SHA256SUMS)" ] || fail 'SHA256SUMS does not name each file'
version=$(sed -n '1s|^// wlfmt \([0-9.]*\) in one file.*|\1|p' wlfmt.hpp)
[ -n "$version" ] || fail 'wlfmt.hpp does not say its version'

# A log of one record, a workload file of one layer, a table of one row, and what they are called in each trial.
write_texts() {
    printf 'rank:0:forward_step(stage_id=0,batch_id=0,duration=1.5,timestamp=100.5,sub_operations=None)\n' > log.txt
    printf 'DATA\n1\nlayer0\t-1\t100\tNONE\t0\t100\tNONE\t0\t100\tALLREDUCE\t4096\t10\n' > workload.txt
    printf '%s\n' '----  ---------' 'Name   Self CPU' '----  ---------' ' mul   12.000us' '----  ---------' > table.txt
}
# alone NAME FILE...: goes into an empty folder that has these files of the release, and the texts.
alone() {
    mkdir "$work/$1" "$work/$1/home"
    cd "$work/$1"
    shift
    for file in "$@"; do cp "$folder"/$file .; done
    write_texts
}
# In an empty environment; what the sources of the Python package may take of it is passed on by name.
clean() { env -i PATH="$PATH" HOME="$PWD/home" LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 "$@"; }
# expect TEXT COMMAND...
expect() {
    expected=$1
    shift
    said=$("$@") || fail "fails in $PWD: $*"
    [ "$said" = "$expected" ] || fail "says '$said', not '$expected', in $PWD: $*"
}

# header NAME STATEMENTS: compiles without a warning, and says what it reads.
header() {
    alone "$1" "$1"
    printf '#include "%s"\n#include <cstdio>\nint main() {\n%s\n}\n' "$1" "$2" > program.cpp
    clean "$cxx" -std=c++17 -O0 -Wall -Wextra -Wpedantic -Werror program.cpp -o program
    expect "$3" clean ./program
}
oplog='const auto log = wlfmt::oplog::read_file("log.txt");
    if (!log) return 1;
    std::printf("%.1f ms\n", log->operations[0].duration.value_or(0.0));'
workload='const auto file = wlfmt::workload::read_file("workload.txt");
    if (!file) return 1;
    std::printf("%d bytes\n", file->layers[0].weight_grad.bytes.as<int>().value_or(0));'
table='const auto file = wlfmt::table::read_file("table.txt");
    if (!file) return 1;
    std::printf("%.1f us\n", file->tables[0].find_cell(0, "Self CPU").value_or(0.0));'
header wlfmt_oplog.hpp "$oplog" '1.5 ms'
header wlfmt_workload.hpp "$workload" '4096 bytes'
header wlfmt_table.hpp "$table" '12.0 us'
header wlfmt.hpp "{ $oplog } { $workload } { $table }" "1.5 ms
4096 bytes
12.0 us"

# The page: it asks for nothing of the network, and a browser, where one is there, starts it.
alone page wlfmt.html
[ "$(ls "$folder"/*.html)" = "$folder/wlfmt.html" ] || fail 'there is another page'
grep -qF "$version" wlfmt.html || fail 'the page is of another version'
if grep -oE '(src|href)="[^"]*"' wlfmt.html | grep -vE '"(#|data:|https://github.com/wlfmt/)'; then
    fail 'the page asks for more'
fi
browser=$(command -v chromium || command -v google-chrome || true)
if [ -n "$browser" ]; then
    clean timeout 60 "$browser" --headless --no-sandbox --disable-gpu --virtual-time-budget=10000 --dump-dom \
        "file://$PWD/wlfmt.html" > dom.html 2> errors.txt || fail 'the browser does not show the page'
    grep -q '<[^>]*id="status"[^>]*>This browser is too old' dom.html && fail 'the page does not start'
    grep -qE '<button[^>]*>A run</button>' dom.html || fail 'the page shows no examples'
else
    echo 'no Chromium: the page was not shown'
fi

if command -v npm > /dev/null; then
    alone npm "wlfmt-$version.tgz"
    clean npm install --silent --offline --no-audit --no-fund "./wlfmt-$version.tgz"
    # What its README says.
    awk '/^```js/ { inside = 1; next } /^```/ { inside = 0 } inside' node_modules/wlfmt/README.md > readme.mjs
    sed -n 's|.*);  // ||p' readme.mjs > expected.txt
    [ -s expected.txt ] || fail 'the README of the package promises nothing'
    clean node readme.mjs | diff expected.txt - || fail 'the README of the package says something else'
else
    echo 'no npm: the package was not tried'
fi

# python VENV: the package in an environment of its own, as a module and as a command.
python() {
    clean "$1/bin/python" -c 'import wlfmt; print(wlfmt.__version__)' > said
    expect "$version" cat said
    expect 1 clean "$1/bin/python" -c 'import wlfmt; print(wlfmt.summary("log.txt")["operations"])'
    clean "$1/bin/wlfmt" check log.txt workload.txt table.txt > said 2>&1 ||
        { cat said; fail 'the command finds problems'; }
}
alone wheel "wlfmt-$version-*.whl"
python3 -m venv venv
clean venv/bin/pip install -q --no-index --disable-pip-version-check ./*.whl
python "$PWD/venv"
wlfmt=$PWD/venv/bin/wlfmt
alone sdist "wlfmt-$version.tar.gz"
python3 -m venv venv
clean CXX="$cxx" CXXFLAGS=-O0 ${WLFMT_PYTHON_COMMAND:+WLFMT_PYTHON_COMMAND="$WLFMT_PYTHON_COMMAND"} \
    ${WLFMT_PYTHON_MODULE:+WLFMT_PYTHON_MODULE="$WLFMT_PYTHON_MODULE"} \
    venv/bin/pip install -q --no-index --disable-pip-version-check "./wlfmt-$version.tar.gz"
python "$PWD/venv"

# The suite judges the reader that comes with it, and the command of the wheel.
alone suite "wlfmt-conformance-$version.tar.gz"
tar -xzf ./*.tar.gz
cd "wlfmt-conformance-$version"
[ -s LICENSE ] && [ -s README.md ] && [ -s CHANGES.md ] || fail 'the suite lacks its licence or its documents'
clean ./run --batch 'python3 reader.py --batch' > said || { cat said; fail 'the reference reader does not pass'; }
clean ./run --only=oplog/escape --reader "$wlfmt json --lenient --kind={kind} {file}" > said ||
    { cat said; fail 'the command does not pass'; }

alone pictures "wlfmt-pictures-$version.tar.gz"
tar -xzf ./*.tar.gz
python3 - "wlfmt-pictures-$version" << 'END'
import pathlib, sys, xml.etree.ElementTree
pictures = sorted(pathlib.Path(sys.argv[1]).iterdir())
for picture in pictures:
    if picture.suffix == ".svg":
        assert xml.etree.ElementTree.parse(picture).getroot().tag.endswith("}svg"), picture
    elif picture.suffix == ".txt":
        assert picture.read_text().strip(), picture  # what the pictures show
    else:
        assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n", picture
assert len(pictures) > 4, pictures
END
echo "$(($(ls "$folder" | wc -l) - 1)) files of a release work alone"
