#!/usr/bin/env python3
"""Holds every number that `summary --markdown`, `plot` and `diff` print of a damaged run against what they print of the
whole run: it is the same, or has the sign of a limit that the whole run's number keeps.

usage: shown.py WLFMT FOLDER COUNT [SEED]     COUNT random runs, each damaged in every way
"""
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from damaged import WAYS  # noqa: E402
from random_runs import Pipeline  # noqa: E402

NUMBER = re.compile(r"(>= |<= |~ )?([+-]?\d+(?:\.\d+)?)( ?%| ms)?")
NOISE = {"%": 0.15, "ms": 0.11, "": 0.11}
KEYS = {"rank that waited": 3, "blocking calls": 4}  # how many cells name a row, if not one


def lose_measurement(lines, rng):
    n = rng.randrange(len(lines))
    lines[n] = re.sub(r"duration=[^,]*", "duration=nan", lines[n], count=1)


def lose_call(lines, rng):
    places = [n for n, line in enumerate(lines) if "'trace_src_func" in line]
    if places:
        n = rng.choice(places)
        lines[n] = re.sub(r"'trace_src_func[^']*'(, )?", "", lines[n], count=1)


def printed(wlfmt, *arguments):
    return subprocess.run([wlfmt, *arguments], capture_output=True, text=True, check=False).stdout


def keeps(whole, said):
    """Texts of two cells. What is unknown, or no number, says nothing."""
    a, b = NUMBER.fullmatch(whole), NUMBER.fullmatch(said)
    if b is None:
        return True
    if a is None:
        return b[1] is not None or abs(float(b[2])) < 0.11
    difference, noise = float(b[2]) - float(a[2]), NOISE[(b[3] or "").strip()]
    return b[1] == "~ " or abs(difference) <= noise or (
        b[1] == ">= " and difference < 0) or (b[1] == "<= " and difference > 0)


def tables(text):
    """{(first name of the columns, row, column): cell}"""
    cells, heads = {}, None
    for line in text.split("\n"):
        if not line.startswith("|"):
            heads = None
            continue
        row = [re.sub(r"\\(.)", r"\1", cell).strip() for cell in line.strip("|").split("|")]
        if heads is None:
            heads = [re.sub(r"(>= |<= |~ )?[\d.]+ ms", "all", head) for head in row]
        elif not row[0].startswith("---"):
            count = KEYS.get(heads[0], 1)
            name = tuple("all" if cell.startswith("all ") else cell for cell in row[:count])
            for head, cell in zip(heads[count:], row[count:]):
                # A stage has two tables: of its ranks, and of its records.
                cells.setdefault((heads[0], heads[1], name, head), cell)
    return cells


def lanes(text):
    cells = {}
    for rank, words in re.findall(r'class="lane"><title>rank (\d+)[^\n<]*\n?([^<]*)</title>', text):
        for name, value in re.findall(r"([\w ]+): (.*) ms", words):
            cells[rank, name] = value.replace("&gt;", ">").replace("&lt;", "<")
    return cells


def problems(wlfmt, whole, damaged):
    for words, read in ((("summary", "--markdown"), tables), (("plot",), lanes)):
        have, said = read(printed(wlfmt, *words, whole)), read(printed(wlfmt, *words, damaged))
        for place, cell in said.items():
            # How much is unknown is not known of the whole run, and how many ranks are there is no limit.
            if "unknown" in place or place[-1] == "ranks" or place not in have:
                continue
            if not keeps(have[place], cell):
                yield f"{words[0]} has {place} {cell}, and {have[place]} of the whole run"
    for (_, _, (item,), column), cell in tables(printed(wlfmt, "diff", "--markdown", whole, damaged)).items():
        if column == "by" and cell:
            yield f"diff says that {item} differs by {cell}"


def main(wlfmt, folder, count, seed="1"):
    bad = tried = 0
    ways = dict(WAYS, measurement=lose_measurement, call=lose_call)
    for n in range(int(count)):
        rng = random.Random(int(seed) * 6007 + n)
        shutil.rmtree(folder, ignore_errors=True)
        run = Pipeline("whole", rng).run()
        run.write(folder)
        whole = os.path.join(folder, "whole")
        os.remove(whole + ".json")
        for way, damage in ways.items():
            copy = os.path.join(folder, way)
            shutil.copytree(whole, copy)
            names = sorted(os.listdir(copy))
            path = os.path.join(copy, rng.choice(names))
            with open(path) as f:
                before = f.read().splitlines()
            lines = list(before)
            damage(lines, rng)
            if lines == before or (not lines and len(names) < 3):
                continue
            os.remove(path)
            if lines:
                with open(path, "w") as f:
                    f.write("\n".join(lines) + "\n")
            # Of a stage's only rank nothing may show that a record is lost, but for the sentence that counts the records
            # without a duration.
            text = printed(wlfmt, "summary", copy)
            is_alone = run.sizes["pp"] == run.world
            if not re.search(" lacks |no log of rank" if is_alone else " lacks |no log of rank|no duration", text):
                continue
            tried += 1
            found = list(problems(wlfmt, whole, copy))
            bad += bool(found)
            for one in found[:6]:
                print(f"run {n} {run.sizes}, {way} of {os.path.basename(path)}: {one}")
    print(f"{tried} damaged runs, {bad} with a wrong number")
    return bad != 0 or tried == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
