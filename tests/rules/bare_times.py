"""Answers about a run are printed with the limits that they are: nothing there hands a bare double to a function that
makes a text of one, but a format that message() or its like calls, and where bare_times.txt says why. The compiler
finds the places: in a copy of the sources, all functions that make a text of a double are deprecated.
usage: bare_times.py ROOT CXX"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

root, compiler = Path(sys.argv[1]), sys.argv[2]
# Where answers about runs are printed and drawn.
ROOMS = re.compile(r"tools/(run/|(summary|report|diff|merge|timeline)\.)|analysis/((answers|report|timeline)/|plot/run\.)")
DRAWING = {"coordinate", "drawing", "finish"}
FORMAT = re.compile(r"^( *(?:template <[\w ,]+> )?)((?:inline |static )*(?:std::string|void) (\w+)\("
                    r"(?:Line& line, std::string_view key, )?double \w+)", re.MULTILINE)
# A template would take a double, too.
MEMBER = "    template <class Number> number_member(std::string_view name, const Number& v)"
OF_DOUBLE = "    [[deprecated]] number_member(std::string_view name, double v) : key(name), text(number_text(v)) {}\n"
# A format that is given to message() gets the number that comes after a sign.
GIVEN = re.compile(r"\[[\w, &]*\]\(double (\w+)\) \{.*\w\((?:100 \* )?\1\b|"
                   r"\b(?:message|shown|cell_of)\((?:[^()]|\([^()]*\))*, \w+\)")

names = set()


def deprecate(match):
    if match[3] in DRAWING or (" void " in f" {match[2]}" and match[3] != "put_decimal"):
        return match[0]
    names.add(match[3])
    return match[1] + "[[deprecated]] " + match[2]


def places():
    """Yields file and line of each call of a function that makes a text of a double."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("include", "analysis", "tools"):
            shutil.copytree(root / name, Path(folder) / name)
        for path in Path(folder).rglob("*.[ch]pp"):
            path.write_text(FORMAT.sub(deprecate, path.read_text()).replace(MEMBER, OF_DOUBLE + MEMBER))

        # All sources of a folder as one, as CMake compiles them: most of the time goes into their headers.
        def compile(name):
            sources = sorted(path.relative_to(folder) for path in (Path(folder) / name).rglob("*.cpp"))
            return subprocess.run([compiler, "-std=c++17", "-fsyntax-only", "-Iinclude", "-I.", "-xc++", "-"], cwd=folder,
                                  input="".join(f'#include "{source}"\n' for source in sources), capture_output=True, text=True)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            runs = list(pool.map(compile, ("analysis", "tools")))
    said = "".join(done.stderr for done in runs)
    if any(done.returncode for done in runs):
        sys.exit("".join(re.findall(r".*error:.*\n", said)))
    found = re.findall(r"^([\w/.]+):(\d+):\d+: warning: .*deprecated", said, re.MULTILINE)
    yield from sorted({(os.path.normpath(file), int(line)) for file, line in found})


allowed = [line.split(None, 1) for line in (root / "tests/rules/bare_times.txt").read_text().splitlines()
           if line and line[0] != "#"]
allowed = [(file, *rest.split("  ", 1)) for file, rest in allowed]
used, failed = set(), False
for file, number in places():
    line = (root / file).read_text().splitlines()[number - 1].strip()
    if not ROOMS.match(file) or GIVEN.search(line):
        continue
    entries = {entry for entry in allowed if entry[0] == file and (entry[1] == "*" or entry[1] in line)}
    used |= entries
    if not entries:
        failed = True
        print(f"a number without its limit: {file}:{number}: {line}")
for entry in allowed:
    if entry not in used:
        failed = True
        print("bare_times.txt has what is no such place:", *entry)
if not {"fixed", "fixed_text", "milliseconds_text", "put_decimal"} <= names:
    failed = True
    print("the functions that make a text of a double are not found")
sys.exit(failed)
