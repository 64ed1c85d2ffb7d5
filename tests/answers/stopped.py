#!/usr/bin/env python3
"""Stops runs at random instants: `wlfmt summary` says that an iteration is not whole, and no time of whole iterations.

usage: stopped.py WLFMT COUNT RUN...
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

WHOLE = {"pipe_ms", "bubble_share", "bubble_equal_share", "pipe_least_ms", "pipe_least_even_ms", "micro_batches",
         "slowest_stage"}
END = re.compile(r",timestamp=([0-9.]+),sub_operations=")
PASS = {"forward_step": 1, "backward_step": -1}


def answers(wlfmt, folder):
    out = subprocess.run([wlfmt, "summary", "--json", folder], stdout=subprocess.PIPE, check=False).stdout
    return json.loads(out)["answers"]


def is_whole(lines):
    """Whether each iteration of a log has as many passes forward as backward, and ends with its optimizer_step."""
    names = [line.split(":")[2].split("(")[0] for line in lines]
    if any(sum(PASS.get(name, 0) for name in names[:n]) for n, name in enumerate(names) if name == "optimizer_step"):
        return False
    ended = max((n for n, name in enumerate(names) if name == "optimizer_step"), default=None)
    return sum(PASS.get(name, 0) for name in names) == 0 and not (
        ended is not None and any(name in PASS for name in names[ended:]))


def main():
    wlfmt, count, runs = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    chosen = random.Random(5)
    stopped = wrong = 0
    for run in runs:
        logs = {path.name: path.read_text().splitlines() for path in sorted(pathlib.Path(run).glob("*.txt"))}
        if "unfinished" in answers(wlfmt, run):
            print(f"{run}: the whole run is not whole")
            wrong += 1
        ends = sorted(float(END.search(line)[1]) for lines in logs.values() for line in lines)
        late = ends[len(ends) // 4:]
        for instant in chosen.sample(late, min(count, len(late))):
            with tempfile.TemporaryDirectory() as folder:
                kept = {name: [line for line in lines if float(END.search(line)[1]) <= instant]
                        for name, lines in logs.items()}
                if not all(kept.values()):
                    continue
                for name, lines in kept.items():
                    pathlib.Path(folder, name).write_text("".join(line + "\n" for line in lines))
                said = answers(wlfmt, folder)
            stopped += 1
            said_so = said.get("unfinished", False)
            problem = []
            # Without a backward pass it may be a run that only evaluates.
            has_backward = any("backward_step(" in line for lines in kept.values() for line in lines)
            if has_backward and not said_so and not said["lost"] and not all(map(is_whole, kept.values())):
                problem.append("nothing is said")
            if said_so and all(map(is_whole, kept.values())):
                problem.append("each log is whole")
            if said_so and (WHOLE & said.keys() or said["replay"].get("remedies")):
                problem.append("it has " + ", ".join(sorted(WHOLE & said.keys()) or ["remedies"]))
            if problem:
                print(f"{run}, stopped at {instant}: {'; '.join(problem)}")
                wrong += 1
    print(f"{stopped} stopped runs, {wrong} wrong")
    return 1 if wrong or stopped < len(runs) else 0


sys.exit(main())
