"""The C++20 module exports each public name of the headers. (That there is no other name in it a compiler tells.)
usage: module.py ROOT"""
import re
import sys
from pathlib import Path

from functions import functions, public_headers

root = Path(sys.argv[1])
folder = root / "include/wlfmt"

# These need a library of their own.
LEFT_OUT = {"json/read.hpp", "types/fmt.hpp"}
# What is declared at the scope of a namespace begins at the line's start.
NAME = re.compile(
    r"(?:template <.*> )?(?:(?:class|struct|enum class) (?:\[\[.*?\]\] )?(\w+)(?=[ :{]*(?:\{|:|$))|using (\w+) =|"
    r"inline constexpr [\w:<> ]+ (\w+)(?:\[\w*\])? =)")


def names_of(path):
    """Yields each type, alias and variable of a public namespace."""
    scopes, inside = [], False
    for line in path.read_text().splitlines():
        if re.match(r"(inline )?namespace \w+ \{", line) and "}" not in line:
            inside = True
            scopes += [name for name in re.findall(r"namespace (\w+)", line) if name not in ("wlfmt", "WLFMT_ABI")]
        elif line.startswith("}") and "// namespace wlfmt" in line:
            scopes, inside = [], False
        elif re.match(r"\}  // namespace", line):
            scopes.pop()
        elif (found := NAME.match(line)) and inside and "detail" not in scopes:
            yield "::".join(["wlfmt", *scopes, *filter(None, found.groups())])


headers = {f"include/wlfmt/{path.relative_to(folder)}": path for path in public_headers(root)
           if str(path.relative_to(folder)) not in LEFT_OUT}
public = {name for path in headers.values() for name in names_of(path)}
public |= {f"wlfmt::{f.key}" for f in functions(root)
           if str(f.header) in headers and not (f.in_class or f.deleted or f.returns.endswith("::"))}
exported, scopes = set(), []
for line in (folder / "wlfmt.cppm").read_text().splitlines():
    if opened := re.match(r"(?:export )?namespace (\w+) \{", line):
        scopes.append(opened.group(1))
    elif line.startswith("}"):
        scopes.pop()
    elif used := re.match(r"using (wlfmt::.*);$", line):
        exported.add("::".join([*scopes, re.search(r"::((?:operator)?[^:]+)$", used.group(1)).group(1)]))
print("\n".join(f"wlfmt.cppm lacks {name}" for name in sorted(public - exported)) or f"{len(public)} names are exported")
sys.exit(not public <= exported or len(public) < 190)
