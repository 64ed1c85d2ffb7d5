"""Two rules of the public functions that a compiler does not know. usage: surface.py ROOT

A member function that returns a reference, a pointer, an iterator or a view has a row in views.txt: the program of
tests/must_not_compile that uses it on a temporary; `returns a copy`, if there is an overload for temporaries that does;
or why the object that it is called on need not live.

A function that takes a std::string_view has an overload, deleted, that 0, NULL and nullptr prefer."""
import re
import sys
from pathlib import Path

from functions import functions

root = Path(sys.argv[1])
everything = functions(root)
problems = []


def shows_members(f):
    if not f.in_class or f.deleted or f.is_constructor or re.search(r"\b(static|friend)\b", f.returns):
        return False
    if re.fullmatch(r"operator([-+*/]?=|\+\+|--)|set", f.name):  # changes the object, and returns it
        return False
    return f.returns.endswith(("&", "*")) or re.search(r"iterator|_view$|_range$|chosen_", f.returns)


def qualified_for_const(found):
    return any(f.rest.replace(" ", "").startswith("const&") for f in found)


rows = {}
for row in (root / "tests/rules/views.txt").read_text().splitlines():
    if not row.startswith("#"):
        key, _, reason = row.partition("  ")
        rows[key] = reason.strip()
shown = {}
for f in filter(shows_members, everything):
    shown.setdefault(f.key, []).append(f)
for key, found in shown.items():
    place, reason = f"{found[0].header}:{found[0].line}: {key}", rows.pop(key, None)
    of_temporaries = [f for f in everything if f.key == key and re.match(r"(const)?&&", f.rest.replace(" ", ""))]
    qualified = all(re.match(r"(const)?&", f.rest.replace(" ", "")) for f in found)
    if reason is None:
        problems.append(f"{place} has no row in views.txt")
    elif reason.endswith(".cpp"):
        program = root / "tests/must_not_compile" / reason
        word = re.sub(r"operator\s*", "", found[0].name)
        if not program.is_file() or word not in program.read_text() and not found[0].name.startswith("operator"):
            problems.append(f"{place}: {reason} does not use it")
        if not qualified:
            problems.append(f"{place} can be called on a temporary")
    elif reason == "returns a copy" and not (qualified and any(not f.deleted for f in of_temporaries)):
        problems.append(f"{place} does not return a copy of a temporary's")
    if qualified_for_const(found) and of_temporaries and not any(
        re.match(r"const&&", f.rest.replace(" ", "")) for f in of_temporaries
    ):
        problems.append(f"{place} shows what is in a constant temporary")
problems += [f"views.txt: there is no {key}" for key in rows]

# Of these nullptr and 0 are numbers, have a size beside them, or the text is not looked at where it has no data.
numbers = {"number::number", "table::cell::cell", "is_written", "text_view::text_view", "json::line::is_written_as"}
literals = re.compile(r"if_null_literal|nullptr_t")
for f in everything:
    if f.deleted or f.key in numbers or not re.search(r"std::string_view\b(?! \w+ =)(?!>)|const char\*", f.parameters):
        continue
    if f.in_class and re.search(r"^private", f.text) or "friend" in f.text.split("(")[0]:
        continue
    if not any(g.deleted and g.key == f.key and literals.search(g.text) for g in everything):
        problems.append(f"{f.header}:{f.line}: {f.key} takes 0 for a text")

print("\n".join(problems) or f"{len(everything)} functions, {len(shown)} of which show what an object holds")
sys.exit(bool(problems))
