#!/bin/sh
# A program that uses all of wlfmt compiles without a warning, has no writable data, and calls nothing that prints, ends
# the program, asks the locale or, without exceptions, throws. It is compiled without optimisation, which would leave out
# calls that are never made. Prints the names of what is called. usage: check.sh ROOT CXX WORK_FOLDER [no_exceptions]
set -eu
root=$1 cxx=$2 work=$3 which=${4-default}
rm -rf "$work"
mkdir -p "$work"
failed=0
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror'
has_tools=true
for tool in nm readelf; do
    command -v $tool > /dev/null || { echo "no $tool here"; has_tools=false; }
done

# Names as they are demangled: C++ ones with their namespace, C ones alone.
forbidden='^(printf|fprintf|vfprintf|v?s?n?printf|puts|fputs|fputc|putc|putchar|fwrite|perror|write|__[a-z]*printf_chk)$'
forbidden="$forbidden"'|^std::(cout|cerr|clog|ostream|basic_ostream|locale|ios_base)|^std::basic_ostream|^std::operator<<'
forbidden="$forbidden"'|^(abort|exit|_exit|quick_exit|__assert_fail|std::terminate\(\)|raise|signal|sigaction)$'
forbidden="$forbidden"'|^(setlocale|localeconv|uselocale|newlocale|strtod|strtof|strtold|strtol|strtoll|strtoull|atoi|atof|isspace|isdigit|isalpha|tolower|toupper)$'
forbidden="$forbidden"'|^(getenv|rand|srand|time|strtok|strerror|__cxa_guard_acquire|__cxa_atexit|__tls_get_addr)$'

# check NAME FLAG...
check() {
    name=$1 object=$work/$1.o
    shift
    # shellcheck disable=SC2086  # the warnings are words
    "$cxx" -std=c++17 -O0 -fno-pic $warnings "$@" -I"$root/include" -c "$root/tests/compile/uses_everything.cpp" \
        -o "$object"
    $has_tools || return 0

    # fast_float keeps a constant in a variable, so that compilers do not fold it: the variable is read and never written.
    writable=$(readelf -SW "$object" | sed -n 's/^ *\[ *[0-9]*\] *//p' |
        awk '$7 ~ /W/ && $5 !~ /^0+$/ && $1 !~ /^\.data\.rel\.ro/ && $1 !~ /fast_float.*rounds_to_nearest.*fmin$/ { print $1 " of 0x" $5 " bytes" }')
    [ -z "$writable" ] || { printf '%s: writable data: %s\n' "$name" "$writable"; failed=1; }

    nm -Cu "$object" | sed 's/^ *[UwV] //' | sort -u > "$work/$name.calls"
    if grep -E "$forbidden" "$work/$name.calls"; then
        echo "$name: the above is called"
        failed=1
    fi
    printf '%s calls: ' "$name"
    tr '\n' ';' < "$work/$name.calls" | sed 's/;$//; s/;/; /g'
    echo
}

# fast_float has assertions unless NDEBUG is defined. Without fast_float and without NDEBUG, any assertion that is
# left would be wlfmt's own.
if [ "$which" = default ]; then
    check default -DNDEBUG
    # std::vector passes on (__cxa_rethrow) what copying its elements throws: std::bad_alloc, and nothing of wlfmt's.
    throwing='__cxa_(throw|allocate_exception)$'
else
    check no_exceptions -fno-exceptions -fno-rtti -DWLFMT_NO_FAST_FLOAT
    throwing='(__cxa_(throw|allocate_exception|begin_catch|rethrow)|__gxx_personality)'
fi
$has_tools || exit 77
if grep -E "^$throwing" "$work/$which.calls"; then
    echo 'the above throws'
    failed=1
fi
exit $failed
