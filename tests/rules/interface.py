"""The public interface of the headers is what interface.txt says: from 1.0 on, nothing in it changes or goes before the
next MAJOR (docs/versioning.md). A line has the header, the scope in namespace wlfmt, and the declaration without its
body. What is deleted, private or in a namespace detail is left out, and so are attributes and texts in quotes.
usage: interface.py ROOT            compares
       interface.py ROOT --update   writes interface.txt anew"""
import re
import sys
from pathlib import Path

from functions import NAMED_ELSEWHERE, declarations, public_headers

root = Path(sys.argv[1])
listed = Path(__file__).with_name("interface.txt")
NO_PART = re.compile(r"friend |using namespace |static_assert|extern |asm\b")
NO_SCOPE = re.compile(r"WLFMT_\w+|wlfmt|SIMDJSON_\w+")


def told(words):
    """A declaration without what a program does not depend on."""
    words = re.sub(r"\[\[.*?\]\]|\bWLFMT_(LIFETIMEBOUND|INLINE|[A-Z]*INLINE)\b|\binline\b", "", words)
    words = re.sub(r"^((?:template <.*> )?(?:constexpr |explicit )*\w+\(.*?\)(?: noexcept)?)\s*:\s.*", r"\1", words)
    words = re.sub(r" =$", " = {}", re.sub(r"\s+", " ", words).strip())
    return re.sub(r" ([,)&*])|(\() ", r"\1\2", words)


def interface():
    folder = root / "include" / "wlfmt"
    lines = []
    for path in [*public_headers(root), *(folder / header for header in NAMED_ELSEWHERE.values())]:
        header = path.relative_to(folder)
        for macro in re.findall(r"(?m)^#define (WLFMT_VERSION_\w+) ", path.read_text()):
            lines.append(f"{header}  #define {macro}")
        for _, scopes, _, public, words in declarations(path):
            names = [s[1] for s in scopes if not NO_SCOPE.fullmatch(s[1])]
            name = re.search(r"\b(?:class|struct) (?:\[\[.*?\]\] ?)?(\w+)", words)
            renamed = names and names[-1] in NAMED_ELSEWHERE or name and name.group(1) in NAMED_ELSEWHERE
            if not public or "detail" in names and not renamed or NO_PART.match(words) or words.endswith("= delete"):
                continue
            scope, declaration = "::".join([*names, ""]), told(words)
            enumeration = re.match(r"enum (?:class )?(\w+).*? { (.*)", declaration)
            lines.append(f"{header}  {scope}  {declaration.partition(' { ')[0] if enumeration else declaration}")
            for enumerator in re.findall(r"(?:^|,) ?(\w+)", enumeration.group(2)) if enumeration else []:
                lines.append(f"{header}  {scope}  {enumeration.group(1)}::{enumerator}")
    return sorted(set(lines))


now = interface()
if sys.argv[2:] == ["--update"]:
    listed.write_text("\n".join(now) + "\n")
before = listed.read_text().splitlines()
gone, new = sorted(set(before) - set(now)), sorted(set(now) - set(before))
if gone or new:
    print("the public interface is not the one of tests/rules/interface.txt:")
    print("\n".join([f"- {line}" for line in gone] + [f"+ {line}" for line in new]))
    print("a line that only went or changed needs the next MAJOR; with --update the file is written anew")
    sys.exit(1)
print(f"{len(now)} declarations are public")
