# Shows Doxygen the public headers as their readers see them: comments that stand before or beside a declaration document
# it, the inline namespaces and what is private are left out, and text in backquotes is code.
function quoted(text,    pieces, count, n, all) {
    if (text ~ /^     /) return text  # an example
    count = split(text, pieces, "`")
    for (n = 1; n <= count; ++n) {
        # Outside of code. Doxygen's commands begin with these, its tags and references with those.
        if (n % 2 == 1) gsub(/[\\@]/, "&&", pieces[n])
        if (n % 2 == 1) gsub(/[<>#%]/, "\\\\&", pieces[n])
        all = all (n == 1 ? "" : "`") pieces[n]
    }
    return all
}
FNR == 1 { in_head = 1 }
/^ *inline namespace WLFMT_[A-Z]+ \{$/ { print ""; ++inline_depth; next }
/^\}  \/\/ namespace WLFMT_[A-Z]+$/ { print ""; next }
# The first comment of a file documents the file.
in_head && /^\/\// {
    text = substr($0, 3)
    if (FNR == 1) printf "/// \\file\n"
    print "///" quoted(text)
    next
}
in_head { in_head = 0 }
/^ *\/\/ / || /^ *\/\/$/ {
    match($0, /\/\//)
    print substr($0, 1, RSTART - 1) "///" quoted(substr($0, RSTART + 2))
    next
}
# A comment beside a member or an enumerator.
/[;,{}a-z)]  *\/\/ / && !/^ *#/ {
    match($0, /  \/\/ /)
    if (RSTART) {
        print substr($0, 1, RSTART - 1) "  ///< " quoted(substr($0, RSTART + 5))
        next
    }
}
{ print }
