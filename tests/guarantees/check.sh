#!/bin/sh
# The tests and presets that docs/guarantees.md names exist. usage: check.sh ROOT BUILD_FOLDER
set -eu
cd "$1"
failed=0
tests=$(ctest --test-dir "$2" -N | sed -n 's/^ *Test *#[0-9]*: //p')
presets=$(cmake --list-presets | sed -n 's/^ *"\([^"]*\)".*/\1/p')
[ -n "$tests" ] && [ -n "$presets" ] || { echo 'no tests, or no presets'; exit 1; }

# has WORD LINES: the word, in which `*` stands for anything, is one of the lines.
has() {
    pattern=$(echo "$1" | sed 's/\./\\./g; s/\*/.*/g')
    echo "$2" | grep -qx -e "$pattern"
}
# The names with a dot, wherever they are, and the first one after `Held by`.
words=$(tr '\n' ' ' < docs/guarantees.md)
for name in $(echo "$words" | grep -oE '`[a-z_]+\.[a-z_.*]+`|Held by `[a-z_]+`' | grep -o '`.*`' | tr -d '`' | sort -u); do
    case $name in *.hpp | *.md | *.txt | *.cpp) continue ;; esac
    has "$name" "$tests" || { echo "docs/guarantees.md names the test $name, which is not there"; failed=1; }
done
for name in $(echo "$words" | grep -oE 'preset +`[^`]+`' | grep -o '`.*`' | tr -d '`' | sort -u); do
    has "$name" "$presets" || { echo "docs/guarantees.md names the preset $name, which is not there"; failed=1; }
done
exit $failed
