# Shows Doxygen the public headers as their readers see them: comments before or beside a declaration document it, the
# inline namespaces are left out, and what is indented in a comment is shown as it is.
function quoted(text,    pieces, count, n, all) {
    count = split(text, pieces, "`")
    for (n = 1; n <= count; ++n) {
        # Outside of code. Doxygen's commands begin with the first two, its tags and references with the others.
        if (n % 2 == 1) gsub(/[\\@]/, "&&", pieces[n])
        if (n % 2 == 1) gsub(/[<>#%]/, "\\\\&", pieces[n])
        all = all (n == 1 ? "" : "`") pieces[n]
    }
    return all
}
# One line of a comment, without its slashes.
function put(indent, text,    example) {
    example = text ~ /^   /
    # What is indented by four blanks after an empty line is shown as it is.
    if (example != in_example) print indent "///"
    in_example = example
    print indent "///" (example ? "  " text : quoted(text))
}
# The first comment of a file documents the file; that of wlfmt.hpp, the tour, is the first page of the reference.
FNR == 1 {
    in_head = 1
    in_example = 0
    print FILENAME ~ /\/wlfmt\.hpp$/ ? "/// \\mainpage wlfmt/wlfmt.hpp\n///" : "/// \\file"
}
in_head && /^\/\// { put("", substr($0, 3)); next }
{ in_head = 0 }
/^ *inline namespace WLFMT_[A-Z]+ \{$/ || /^\}  \/\/ namespace WLFMT_[A-Z]+$/ { print ""; next }
/^ *\/\// {
    match($0, /\/\//)
    put(substr($0, 1, RSTART - 1), substr($0, RSTART + 2))
    next
}
{ in_example = 0 }
# A comment beside a member or an enumerator.
/[;,{}a-z)]  *\/\/ / && !/^ *#/ {
    match($0, /  \/\/ /)
    if (RSTART) {
        print substr($0, 1, RSTART - 1) "  ///< " quoted(substr($0, RSTART + 5))
        next
    }
}
{ print }
