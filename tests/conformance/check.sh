#!/bin/sh
# The command, and the reference reader that was written from the specification, answer the cases of conformance/ as these
# say; the suite conformance.cpp holds the library against all of them. usage: check.sh ROOT WLFMT
set -eu
root=$1 wlfmt=$2
command -v python3 > /dev/null || { echo 'no python3: skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# As whoever copies the folder has it, one process for all cases.
cp -R "$root/conformance" "$work"
"$work/conformance/run" --recovery --exact --batch "python3 $work/conformance/reader.py --batch"
"$work/conformance/run" --recovery --reader "$wlfmt json --lenient --kind={kind} {file}"
# A runner that finds no difference anywhere would be of no use: a reader that prints nothing fails each case but those
# of texts without anything.
"$work/conformance/run" --reader true --only=oplog/list > /dev/null && { echo 'a reader that reads nothing passes'; exit 1; }
"$work/conformance/run" --batch 'yes {}' --only=oplog/list > /dev/null && { echo 'an answer without lines passes'; exit 1; }
# Programs that must fail: each answers a request a line.
fails() { # fails EXPECTED COMMAND [OPTION]...
    expected=$1 command=$2
    shift 2
    if "$work/conformance/run" --batch "$command" "$@" > "$work/said" 2>&1; then echo "passes: $command"; exit 1; fi
    grep -q -e "$expected" "$work/said" || { echo "$command: no '$expected' in"; cat "$work/said"; exit 1; }
}
cat > "$work/program.py" << 'end'
import json, sys, time
sys.path.insert(0, sys.argv[2])
sys.dont_write_bytecode = True
import reader
for line in sys.stdin:
    request = json.loads(line)
    answer = reader.answer(request)
    if sys.argv[1] == 'silent':
        answer = {name: one for name, one in answer.items() if name not in ('problems', 'error', 'status')}
    elif sys.argv[1] == 'both' and request['task'] == 'write':
        answer = {'text': '', 'error': 'unwritable', **answer}
    elif sys.argv[1] == 'lazy' and request['task'] == 'write':
        answer = {'unsupported': True}
    elif sys.argv[1] == 'slow' and 'escape' in request.get('text', ''):
        time.sleep(1000)
    print(json.dumps(answer), flush=True)
end
program="python3 $work/program.py"
silent="$program silent $work/conformance"
fails '^level 1: failed .* not supported' "sh -c 'while read -r line; do echo \"{\\\"unsupported\\\": true}\"; done'"
fails '^level 1: failed .* not supported' "$program lazy $work/conformance"
fails '^level 1: passed' "$silent" --task=read
fails '^level 3: failed .* not compared in the error of default reading and .*the problems and the status' "$silent" --task=read
"$work/conformance/run" --batch "$silent" --task=read --level=2 > /dev/null || { echo 'level 2 needs problems'; exit 1; }
fails 'must not have the error, too' "$program both $work/conformance" --task=write
fails 'gave no answer within 0.5 seconds' "$program slow $work/conformance" --timeout=0.5 --only=oplog/escape_at_end
fails 'gave no answer within 0.2 seconds at three requests in a row' 'sleep 1000' --timeout=0.2
fails 'lacks the format' 'yes {}' --task=detect
# Each report says the same.
"$work/conformance/run" --tap > "$work/tap"
grep -q '^ok 1 - detect/' "$work/tap" || { echo 'no TAP'; exit 1; }
"$work/conformance/run" --tap --batch "$silent" --task=read > "$work/tap" || :
grep -q '^not ok 2 - ' "$work/tap" || { echo 'no TAP of failures'; exit 1; }
"$work/conformance/run" --junit --batch "$silent" --task=read 2> /dev/null > "$work/junit.xml" || :
python3 - "$work/junit.xml" << 'end'
import sys, xml.etree.ElementTree
suite = xml.etree.ElementTree.parse(sys.argv[1]).getroot()
assert int(suite.get("tests")) == len(suite) > 1000 and int(suite.get("failures")) == len(suite.findall("*/failure")) > 1000
end
# A program that ends fails the case at which it did, and the others are asked of a new one.
died=$("$work/conformance/run" --batch 'head -n 1' --only=oplog/list_nested || :)
case $died in
*'oplog/list_nested_duplicate ('*'the program ended with status 0 without an answer'*'cases, '*) ;;
*) echo "a program that ends is not reported: $died"; exit 1 ;;
esac
"$work/conformance/run" --batch false 2>&1 > /dev/null | grep -q 'false ended with status 1 at three requests in a row' ||
    { echo 'a program that ends at once is not told'; exit 1; }
# What the cases say is what the reference says, in the form in which --update writes it.
"$work/conformance/run" --update
diff -r "$root/conformance/cases" "$work/conformance/cases"
diff "$root/conformance/index.json" "$work/conformance/index.json"
# The folder stands alone: its licence is the project's, and its changes name its version.
diff "$root/LICENSE" "$work/conformance/LICENSE"
version=$("$work/conformance/run" --version)
grep -q "^## $(echo "$version" | grep -o '[0-9]*\.[0-9]*\.[0-9]*')$" "$root/conformance/CHANGES.md" ||
    { echo "CHANGES.md lacks $version"; exit 1; }
grep -q "^Version $(echo "$version" | sed 's/.*version \([0-9.]*\) of.*/\1/')," "$root/docs/formats.md" ||
    { echo "$version is of another specification"; exit 1; }
