# What scripts that run the command share: an empty folder to work in, and what is expected of one. A script sets `work`
# before it reads this file, and `title` where it says what its next commands show.
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
failed=0 count=0 title=
fail() { echo "${title:+$title: }$*"; failed=1; }
# expect STATUS COMMAND...: its exit status; what it prints is in out and err.
expect() {
    status=$1
    shift
    "$@" > "$work/out" 2> "$work/err" < /dev/null
    have=$?
    count=$((count + 1))
    [ "$have" -eq "$status" ] || { fail "$*: exit status $have, not $status"; head -5 "$work/out" "$work/err"; }
}
# holds WORDS...: a line of the last standard output or standard error has the words.
holds() {
    for words in "$@"; do
        grep -qF -- "$words" "$work/out" "$work/err" || { fail "no \"$words\" in:"; cat "$work/out" "$work/err"; }
    done
}
