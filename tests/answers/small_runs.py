#!/usr/bin/env python3
"""Small random runs that are damaged in every way: logs of few records, clocks that are set, times that cannot be. Every
command reads them, and none dies of one.

usage: small_runs.py WLFMT FOLDER COUNT [SEED]     build WLFMT with the sanitizers to find more
"""
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import damage  # noqa: E402
import damaged  # noqa: E402
from random_runs import KINDS  # noqa: E402

COMMANDS = ["summary", "summary --json", "summary --partial", "summary --by=rank", "check", "check --strict", "timeline",
            "timeline --align=first", "timeline --align=collectives", "timeline --align=flows",
            "plot", "report", "csv", "json"]
DURATION = re.compile(r"duration=[^,]*")


def set_clock_back(lines, rng):
    """The clock of a host is set while it runs: all later times are earlier or later, by a little or a lot."""
    first, by = rng.randrange(len(lines)), rng.choice([-20.0, -0.3, 3.0, 250.0, 86400000.0, -4900.0])
    lines[first:] = [re.sub(r"timestamp=([\d.]+)", lambda m: f"timestamp={round(float(m.group(1)) + by, 4)}", line)
                     for line in lines[first:]]


def change_unit(lines, rng):
    factor = rng.choice([0.001, 1000.0])
    lines[:] = [re.sub(r"duration=([\d.]+)", lambda m: f"duration={float(m.group(1)) * factor}", line) for line in lines]


def change_time(lines, rng):
    n, value = rng.randrange(len(lines)), rng.choice(["-3.0", "None", "nan", "1e300", "1000000.0", "0", "0.0"])
    lines[n] = DURATION.sub("duration=" + value, lines[n], count=1)


def keep_few(lines, rng):
    """One to six records, in a row or picked."""
    count = rng.randrange(1, 7)
    first = rng.randrange(len(lines))
    keep = range(first, first + count) if rng.random() < 0.5 else sorted(rng.sample(range(len(lines)), min(count, len(lines))))
    lines[:] = [lines[n] for n in keep if n < len(lines)]


OF_A_LOG = [*damaged.WAYS.values(), *damaged.MORE_WAYS.values(), set_clock_back, set_clock_back, change_unit, change_time]


def write_run(folder, rng, few):
    """Writes a run with up to four damages. With `few`, each log keeps one to six of its records."""
    kind = rng.choice(KINDS)
    run = kind("run", rng)
    run.run()
    logs = dict(enumerate(run.lines))
    if few:
        seed = rng.random()
        for lines in logs.values():
            keep_few(lines, random.Random(seed) if rng.random() < 0.6 else rng)
    for _ in range(rng.randrange(0 if few else 1, 4)):
        if rng.random() < 0.3:
            rng.choice(damage.DAMAGE)({rank: lines for rank, lines in logs.items() if lines} or {0: [""]}, rng)
            continue
        lines = rng.choice(list(logs.values()))
        if len(lines) > 3:
            rng.choice(OF_A_LOG)(lines, rng)
        elif lines:
            rng.choice([set_clock_back, change_unit, change_time])(lines, rng)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    sizes = run.sizes
    for rank, lines in logs.items():
        name = f"wd{run.world}_tp{sizes['tp']}_pp{sizes['pp']}_exp{sizes['exp']}_rank{rank}_20250101000000.txt"
        if lines:
            with open(os.path.join(folder, name), "w") as f:
                f.write("\n".join(lines) + "\n")


def main(wlfmt, folder, count, seed="1"):
    bad = 0
    other = os.path.join(folder, "before")
    for n in range(int(count)):
        rng = random.Random(int(seed) * 7907 + n)
        where = os.path.join(folder, "run")
        write_run(where, rng, rng.random() < 0.7)
        commands = [c.split() + [where] for c in COMMANDS]
        if os.path.isdir(other):
            commands += [["diff", other, where], ["diff", "--json", other, where], ["report", other, where]]
        for command in commands:
            done = subprocess.run([wlfmt, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
            if done.returncode in (0, 1) and b"runtime error" not in done.stderr and b"Sanitizer" not in done.stderr:
                continue
            bad += 1
            print(f"run {n}: {' '.join(command)} ended with {done.returncode}:\n{done.stderr.decode()[-600:]}")
            shutil.copytree(where, f"{folder}-bad-{n}", dirs_exist_ok=True)
        shutil.rmtree(other, ignore_errors=True)
        os.rename(where, other)
    print(f"{count} small runs, {bad} commands that died")
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
