#!/usr/bin/env python3
"""Holds every number that an output prints of a damaged run, and of a damaged run beside another one, against what the same
output prints of the whole run: it is the same, or has the sign of a limit that the whole run's number keeps.

usage: shown.py WLFMT FOLDER COUNT [SEED]     COUNT random runs, each damaged in every way
"""
import os
import random
import math
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from damaged import WAYS  # noqa: E402
from outputs import OF_ONE, OF_TWO, tables  # noqa: E402
from random_runs import KINDS  # noqa: E402

NUMBER = re.compile(r"(?:([+-]?[\d,]+(?:\.\d+)?) to )?(>= |<= |~ )?([+-]?[\d,]+(?:\.\d+)?(?:e-?\d+)?)( ?%| ?ms| [KMG]iB| B)?(?: times)?")
UNITS = {"KiB": 2 ** 10, "MiB": 2 ** 20, "GiB": 2 ** 30}
NOISE = 0.1  # ms: clocks are compared by the calls that are there
# How much is unknown, missing, and there, is no limit of anything.
OF_THE_LOSS = re.compile(r"unknown|'ranks'|[('\"]# (of # |more )?(records?|sub-operations?|calls?|checks|groups?|ranks?)\b|"
                         r"\('(works|waits inside its stage|waits for the pipeline|transfers) #'|"  # of the greatest known change
                         r"Up to # more of asynchronous|"  # a limit by itself
                         r"\('# of the iterations?', 0\)|"  # in the first line, of the remedy that surely gains most
                         r"lacks?\b|members|without (all|a time)|ranks . #|not (known to )?differ|What differs most|duration that")


def lose_measurement(lines, rng):
    n = rng.randrange(len(lines))
    lines[n] = re.sub(r"duration=[^,]*", "duration=nan", lines[n], count=1)


def lose_call(lines, rng):
    places = [n for n, line in enumerate(lines) if "'trace_src_func" in line]
    if places:
        n = rng.choice(places)
        lines[n] = re.sub(r"'trace_src_func[^']*'(, )?", "", lines[n], count=1)


def printed(wlfmt, words, *runs):
    return subprocess.run([wlfmt, *words.split(), *runs], capture_output=True, text=True, check=False)


def parsed(text):
    """The least and the greatest that the number can be, how exactly it is printed, and its unit."""
    number = NUMBER.fullmatch(text)
    if number is None:
        return None
    digits, unit = number[3].replace(",", ""), (number[4] or "").strip()
    scale = UNITS.get(unit, 1)
    decimals = len(digits.partition(".")[2]) if "e" not in digits else 0
    most = scale * float(digits)
    least = scale * float(number[1].replace(",", "")) if number[1] else most
    return (least if number[2] in (None, ">= ") else -math.inf, most if number[2] in (None, "<= ") else math.inf,
            0.51 * scale * 10 ** -decimals, unit)


def keeps(whole, said):
    """Texts of two cells. What is unknown, or no number, says nothing."""
    a, b = parsed(whole), parsed(said)
    if b is None:
        return True
    if a is None:
        return b[0] != b[1] or abs(b[1]) < 0.11
    if a[3] != b[3]:
        return True  # a part of a whole, or a time
    noise = a[2] + b[2] + NOISE
    return b[0] <= a[1] + noise and a[0] <= b[1] + noise


def read(wlfmt, outputs, *runs):
    return {words: take(printed(wlfmt, words, *runs).stdout) for words, take in outputs}


def problems(of_whole, of_damaged):
    for words, said in of_damaged.items():
        for place, cell in said.items():
            have = of_whole[words].get(place)
            if words == "csv --of=bandwidth" or re.search("'bytes of a rank'|'group', \\('(tp|dp|exp|ep_dp|exp_dp)', '\\w+', ", str(place)):
                continue  # exact of the calls that are there
            if have is not None and not OF_THE_LOSS.search(str(place)) and not keeps(have, cell):
                yield f"{words} has {place} {cell}, and {have} of the whole run"


def differing(wlfmt, whole, damaged, other):
    """Nothing of a run surely differs from itself, or grew. What grew is not said to be as before."""
    for pair in ((whole, other), (other, whole)):
        grew, said = (printed(wlfmt, "diff --fail-above=5%", *runs) for runs in
                      (pair, (damaged if run == whole else run for run in pair)))
        if said.returncode == 0 and grew.returncode == 3:
            yield f"diff --fail-above has the status 0, and says of the whole run: {grew.stderr[:200]}"
        if said.returncode == 1 and "growth above 5% is not ruled out" not in said.stderr:
            yield "diff --fail-above does not say why its status is 1"
    # Clocks that cannot be compared make limits of a whole run's times.
    if printed(wlfmt, "diff --fail-above=5%", whole, whole).returncode != 0:
        yield "diff --fail-above has not the status 0 for a run and itself"
    for words in (word for word, take in OF_TWO if take is tables):
        for (_, _, (item, _, field), column), cell in tables(printed(wlfmt, words, whole, damaged).stdout).items():
            if column == "by" and cell and field != "not_a_number":
                yield f"{words} says that {item} differs by {cell}"
    for words in ("diff --fail-above=5%", "diff --fail-above=5% --by=operation", "diff --fail-above=5% --by=stage"):
        for pair in ((whole, damaged), (damaged, whole)):
            for one in re.findall(" grew by .*", printed(wlfmt, words, *pair).stderr):
                yield f"{words} says: {one}"


def main(wlfmt, folder, count, seed="1"):
    bad = tried = numbers = 0
    ways = dict(WAYS, measurement=lose_measurement, call=lose_call)
    for n in range(int(count)):
        rng = random.Random(int(seed) * 6007 + n)
        shutil.rmtree(folder, ignore_errors=True)
        kind = KINDS[n % len(KINDS)]
        run = kind("whole", rng).run()
        run.write(folder)
        whole, other = (os.path.join(folder, name) for name in ("whole", "other"))
        another = kind("other", random.Random(int(seed) * 6007 + n))  # the same sizes
        another.rng = random.Random(n)
        another.slow = [another.rng.choice([1.0, 1.2, 1.5]) for _ in another.slow]
        another.run().write(folder)
        for path in (whole, other):
            os.remove(path + ".json")
        of_whole = (read(wlfmt, OF_ONE, whole), read(wlfmt, OF_TWO, other, whole), read(wlfmt, OF_TWO, whole, other))
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
            text = printed(wlfmt, "summary", copy).stdout
            is_alone = run.sizes["pp"] == run.world
            if not re.search(" lacks |no log of rank|contradict" if is_alone else " lacks |no log of rank|contradict|no duration", text):
                continue
            tried += 1
            said = (read(wlfmt, OF_ONE, copy), read(wlfmt, OF_TWO, other, copy), read(wlfmt, OF_TWO, copy, other))
            numbers += sum(len(cells) for pair in said for cells in pair.values())
            found = [one for pair in zip(of_whole, said) for one in problems(*pair)] + list(differing(wlfmt, whole, copy, other))
            bad += bool(found)
            for one in found[:6]:
                print(f"run {n} {run.sizes}, {way} of {os.path.basename(path)}: {one}")
    print(f"{tried} damaged runs with {numbers} numbers, {bad} with a wrong number")
    return bad != 0 or numbers < 1000 * tried or tried == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
