#!/usr/bin/env python3
"""Moves the clocks of random runs, and holds what `wlfmt summary --json` says then against what it says of the run as it
was: no number may exclude what the other says. Hosts with clocks of their own, and a clock that is set while a rank is
traced. A clock runs evenly, by assumption, where nothing in the logs shows that it was set (docs/scale.md): of such runs
nothing is held.

usage: clocks.py WLFMT FOLDER COUNT [SEED]
"""
import collections
import os
import random
import re
import shutil
import sys

sys.dont_write_bytecode = True
from damage import shifted  # noqa: E402
from lost import answers, differences  # noqa: E402
from random_runs import KINDS  # noqa: E402

NOISE, LATE = 0.6, 2.5  # ms: what the calls of a group, and a single call of it, show at least
STEPS = (5.0, -5.0, 0.7, -2.2, 94000.0, 604781000.0)


# These return the logs, and whether they show by how much a clock was moved.
def move_stage(logs, rng, sizes):
    """The last stage is on a host of its own."""
    by, per_stage = rng.choice(STEPS), len(logs) // sizes["pp"]
    return {rank: [shifted(line, by) for line in lines] if rank >= len(logs) - per_stage else lines
            for rank, lines in logs.items()}, True


def move_rank(logs, rng, _):
    by, moved = rng.choice(STEPS), rng.choice(sorted(logs))
    return {rank: [shifted(line, by) for line in lines] if rank == moved else lines for rank, lines in logs.items()}, True


def calls_of(lines, sizes):
    """How many blocking calls with other ranks these records have, by kind of group."""
    several = {kind for kind in ("tp", "dp", "exp") if sizes[kind] > 1}
    kinds = [m[1] for line in lines for m in re.finditer(r"'trace_src_func=(?!\w+_async)[^']*group=(\w+)", line)]
    kinds += ["dp" for line in lines if ":dp_allreduce(" in line]
    return collections.Counter(kind for kind in kinds if kind in several)


def is_shown(lines, first, by, sizes):
    """Whether the calls of a group show that a clock was set before this record: they leave as little apart as calls do
    where none was set, and a single one of them may be late."""
    before, after = calls_of(lines[:first], sizes), calls_of(lines[first:], sizes)
    few = {kind: min(before[kind], after[kind]) for kind in before}
    return any(abs(by) > (NOISE if count > 1 else LATE) for count in few.values() if count)


def set_clock(logs, rng, sizes):
    by, moved = rng.choice(STEPS), rng.choice(sorted(logs))
    first = rng.randrange(1, len(logs[moved]))
    return {rank: lines[:first] + [shifted(line, by) for line in lines[first:]] if rank == moved else lines
            for rank, lines in logs.items()}, is_shown(logs[moved], first, by, sizes)


def write(folder, run, logs):
    os.makedirs(folder)
    for rank, lines in logs.items():
        name = f"wd{run.world}_tp{run.sizes['tp']}_pp{run.sizes['pp']}_exp{run.sizes['exp']}_rank{rank}_20250101000000.txt"
        with open(os.path.join(folder, name), "w") as f:
            f.write("\n".join(lines) + "\n")


def main(wlfmt, folder, count, seed="1"):
    bad = tried = apart = unseen = 0
    for n in range(int(count)):
        rng = random.Random(int(seed) * 104729 + n)
        run = KINDS[n % len(KINDS)]("run", rng)
        run.run()
        logs = dict(enumerate(run.lines))
        shutil.rmtree(folder, ignore_errors=True)
        write(os.path.join(folder, "whole"), run, logs)
        whole = answers(wlfmt, os.path.join(folder, "whole"))
        for way in (move_stage, move_rank, set_clock):
            copy = os.path.join(folder, way.__name__)
            moved, shown = way(logs, rng, run.sizes)
            write(copy, run, moved)
            said = answers(wlfmt, copy)
            tried += 1
            apart += not said["together"]
            if not said["together"]:
                continue  # nothing is said of waiting then
            for one in (whole, said):  # how the ranks are named that are nearest to slow
                one.pop("slowest_rank", None)
            found = [one for one in differences("", whole, said) if ".waits" not in one]
            if not shown:
                unseen += bool(found)
                continue
            bad += bool(found)
            for one in found[:4]:
                print(f"run {n} {run.sizes} {way.__name__}: {one}")
    print(f"{tried} runs with other clocks, {apart} said to be of several runs, {bad} with a wrong number; of {unseen} more "
          "nothing shows that a clock was set")
    return bad != 0 or 10 * apart > tried


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
