#!/usr/bin/env python3
"""Moves the clocks of random runs, and holds what `wlfmt summary --json` says then against what it says of the run as it
was: no number may exclude what the other says. Hosts with clocks of their own, a clock that is set, ranks of another run.

usage: clocks.py WLFMT FOLDER COUNT [SEED]
"""
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
from damage import shifted  # noqa: E402
from lost import answers, differences  # noqa: E402
from random_runs import KINDS  # noqa: E402

STEPS = (5.0, -5.0, 0.7, -2.2, 94000.0, 604781000.0)


def move_stage(logs, rng, per_stage):
    """The last stage is on a host of its own."""
    by = rng.choice(STEPS)
    return {rank: [shifted(line, by) for line in lines] if rank >= len(logs) - per_stage else lines for rank, lines in logs.items()}


def move_rank(logs, rng, _):
    by, moved = rng.choice(STEPS), rng.choice(sorted(logs))
    return {rank: [shifted(line, by) for line in lines] if rank == moved else lines for rank, lines in logs.items()}


def set_clock(logs, rng, _):
    by, moved = rng.choice(STEPS), rng.choice(sorted(logs))
    first = rng.randrange(1, len(logs[moved]))
    return {rank: lines[:first] + [shifted(line, by) for line in lines[first:]] if rank == moved else lines
            for rank, lines in logs.items()}


def write(folder, run, logs):
    os.makedirs(folder)
    for rank, lines in logs.items():
        name = f"wd{run.world}_tp{run.sizes['tp']}_pp{run.sizes['pp']}_exp{run.sizes['exp']}_rank{rank}_20250101000000.txt"
        with open(os.path.join(folder, name), "w") as f:
            f.write("\n".join(lines) + "\n")


def main(wlfmt, folder, count, seed="1"):
    bad = tried = apart = 0
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
            write(copy, run, way(logs, rng, run.world // run.sizes["pp"]))
            said = answers(wlfmt, copy)
            tried += 1
            apart += not said["together"]
            if not said["together"]:
                continue  # nothing is said of waiting then
            for one in (whole, said):  # how the ranks are named that are nearest to slow
                one.pop("slowest_rank", None)
            found = [one for one in differences("", whole, said) if ".waits" not in one]
            bad += bool(found)
            for one in found[:4]:
                print(f"run {n} {run.sizes} {way.__name__}: {one}")
    print(f"{tried} runs with other clocks, {apart} said to be of several runs, {bad} with a wrong number")
    return bad != 0 or 10 * apart > tried


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
