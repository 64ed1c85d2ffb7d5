#!/usr/bin/env python3
"""Collects the macros of other people's headers that could be identifiers of wlfmt: names in lower case, and in capitals
of at most five letters. Writes tests/headers/names.txt, one name a line; `name(` is one with parameters.

It was run on the headers of MinGW 10 (Debian's mingw-w64-common), glibc 2.36 and Qt 5.15 (qtbase5-dev).
usage: collect.py FOLDER...
"""
import re
import sys
from pathlib import Path

DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z][A-Za-z0-9_]*)(\(?)", re.MULTILINE)
WANTED = re.compile(r"[a-z][a-z0-9_]*|[A-Z]{1,5}")

names = set()
for folder in sys.argv[1:]:
    for file in Path(folder).rglob("*"):
        if file.is_file() and file.suffix in {".h", ""}:
            for name, bracket in DEFINE.findall(file.read_text(errors="replace")):
                if WANTED.fullmatch(name) and not name.endswith("_"):
                    names.add(name + bracket)
(Path(__file__).parent / "names.txt").write_text("".join(name + "\n" for name in sorted(names)))
print(len(names), "names")
