#!/usr/bin/env python3
"""Validates the timelines of random runs, whole and damaged, aligned as the command does it, and in another way in turn.

usage: arrows.py WLFMT FOLDER COUNT [SEED]
"""
import os
import random
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "answers"), HERE]
from small_runs import write_run  # noqa: E402
from random_runs import KINDS  # noqa: E402
from validate import check  # noqa: E402


def main(wlfmt, folder, count, seed="1"):
    arrows = bad = 0
    for n in range(int(count)):
        rng = random.Random(int(seed) * 7927 + n)
        run = os.path.join(folder, f"run{n}")
        if n % 2:
            write_run(run, rng, n % 4 == 3)
        else:
            KINDS[n // 2 % len(KINDS)](f"run{n}", rng).run().write(folder)
            os.remove(run + ".json")
        for align in ("", ("--align=none", "--align=first", "--align=flows", "--align=collectives")[n // 4 % 4]):
            trace = os.path.join(folder, "trace.json")
            done = subprocess.run([wlfmt, "timeline", *align.split(), run, "-o", trace], capture_output=True, check=False)
            if done.returncode != 0:  # what cannot be aligned that way
                continue
            found = check(trace)
            if found is None:
                bad += 1
                print(f"run {n} {align} is not valid")
            arrows += found or 0
        shutil.rmtree(run)
    print(f"{count} runs with {arrows} arrows, {bad} of which are not valid")
    return bad != 0 or arrows == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
