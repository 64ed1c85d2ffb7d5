#!/usr/bin/env python3
"""Copies runs with damage: calls and records that are lost, not measured or written twice, ranks without a log, clocks
that are apart, a second iteration.

usage: damage.py FOLDER RUN...     writes RUN-1 to RUN-4 beside each run of the folder
"""
import ast
import itertools
import os
import random
import re
import sys

LINE = re.compile(r"(.*,sub_operations=)(\[.*\])\)$")


def split(line):
    m = LINE.match(line)
    return m.group(1), ast.literal_eval(m.group(2))


def joined(head, nested):
    return f"{head}{nested!r})"


def with_nested(lines, rng):
    """The place of a line that has nested operations; None if there is no such line."""
    places = [n for n, line in enumerate(lines) if LINE.match(line) and split(line)[1]]
    return rng.choice(places) if places else None


def lose_call(logs, rng):
    lines = logs[rng.choice(sorted(logs))]
    if (n := with_nested(lines, rng)) is not None:
        head, nested = split(lines[n])
        del nested[rng.randrange(len(nested))]
        lines[n] = joined(head, nested)


def lose_measurement_of_call(logs, rng):
    lines = logs[rng.choice(sorted(logs))]
    if (n := with_nested(lines, rng)) is not None:
        head, nested = split(lines[n])
        k = rng.randrange(len(nested))
        nested[k] = re.sub(r"duration=[^,]*", "duration=None", nested[k])
        lines[n] = joined(head, nested)


def lose_record(logs, rng):
    lines = logs[rng.choice(sorted(logs))]
    del lines[rng.randrange(len(lines))]


def change_duration(logs, rng):
    lines = logs[rng.choice(sorted(logs))]
    n = rng.randrange(len(lines))
    lines[n] = re.sub(r"duration=[^,]*", "duration=" + rng.choice(["None", "-3.5", "nan"]), lines[n], count=1)


def repeat_record(logs, rng):
    lines = logs[rng.choice(sorted(logs))]
    n = rng.randrange(len(lines))
    lines.insert(n, lines[n])


def lose_rank(logs, rng):
    if len(logs) > 2:
        del logs[rng.choice(sorted(logs))]


def shifted(line, ms):
    return re.sub(r"timestamp=([\d.]+)", lambda m: f"timestamp={round(float(m.group(1)) + ms, 4)}", line)


def move_clock(logs, rng):
    rank = rng.choice(sorted(logs))
    by = rng.choice([0.01, 0.5, 7.0, 700000.0])
    logs[rank] = [shifted(line, by) for line in logs[rank]]


def repeat_iteration(logs, rng):
    # The second iteration begins soon after all ranks have ended the first one, as a longer gap would not be trusted.
    by = 0.0
    for lines in logs.values():
        times = [tuple(map(float, re.findall(r"duration=([\d.]+),.*timestamp=([\d.]+),sub_", line)[0])) for line in lines
                 if re.search(r"duration=[\d.]+,.*timestamp=[\d.]+,sub_", line)]
        if times:
            by = max(by, max(end for _, end in times) - min(end - took for took, end in times) + rng.random())
    for rank in logs:
        logs[rank] += [shifted(line, by) for line in logs[rank]]


DAMAGE = (lose_call, lose_call, lose_measurement_of_call, lose_record, change_duration, repeat_record, lose_rank,
          move_clock, repeat_iteration)


def main(folder, runs):
    for run, seed in itertools.product(runs, (1, 2, 3, 4)):
        source = os.path.join(folder, run)
        rng = random.Random(f"{run} {seed}")
        names = {int(re.search(r"rank(\d+)_", name).group(1)): name for name in sorted(os.listdir(source))}
        logs = {}
        for rank, name in names.items():
            with open(os.path.join(source, name)) as f:
                logs[rank] = f.read().splitlines()
        for _ in range(rng.randrange(1, 4)):
            rng.choice(DAMAGE)(logs, rng)
        target = f"{source}-{seed}"
        os.makedirs(target, exist_ok=True)
        for rank, lines in logs.items():
            with open(os.path.join(target, names[rank]), "w") as f:
                f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
