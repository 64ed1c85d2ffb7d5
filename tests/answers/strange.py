#!/usr/bin/env python3
"""Puts into random runs a log that is not of the run: in another unit, of other numbers of iterations or micro-batches, or
a copy of another rank's. `wlfmt check` tells of it and of none in a whole run, and what `wlfmt summary --json` says then is
true of the whole run.

usage: strange.py WLFMT FOLDER COUNT [SEED]     COUNT random runs
"""
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from damaged import verdicts  # noqa: E402
from lost import answers, differences  # noqa: E402
from random_runs import KINDS  # noqa: E402


def in_unit(name, factor, digits):
    """All numbers of that name in another unit."""
    return lambda lines, *_: [re.sub(rf"{name}=([\d.]+)", lambda m: f"{name}={float(m.group(1)) * factor:.{digits}f}", line)
                              for line in lines]


def later(line, ms):
    return re.sub(r"timestamp=([\d.]+)", lambda m: f"timestamp={float(m.group(1)) + ms:.4f}", line)


def more_iterations(lines, *_):
    times = [float(t) for t in re.findall(r"timestamp=([\d.]+)", "".join(lines))]
    return lines + [later(line, max(times) - min(times) + 20) for line in lines]


def fewer_batches(lines, *_):
    """The log of a run of half the micro-batches."""
    batches = sorted({int(b) for b in re.findall(r":forward_step\([^)]*?batch_id=(\d+)", "".join(lines))})
    kept = batches[:len(batches) // 2]
    if not kept:
        return None
    return [line for line in lines if not re.match(r"rank:\d+:(get_batch|forward_step|backward_step|loss_func|send_|recv_)", line)
            or int(re.search(r"batch_id=(\d+)", line).group(1)) in kept]


def copied_as_it_is(_, rank, others, rng):
    """Under another name, while its records still name their rank."""
    return list(rng.choice(others))


def copied(_, rank, others, rng):
    return [re.sub(r"^rank:\d+:", f"rank:{rank}:", line) for line in rng.choice(others)]


def with_a_line(lines, rank, others, rng):
    """A log in which a record of another rank is."""
    n = rng.randrange(len(lines) + 1)
    return lines[:n] + [rng.choice(rng.choice(others))] + lines[n:]


# What a log becomes, and of how many of a hundred such logs check tells at least.
WAYS = {"durations in s": (in_unit("duration", 1e-3, 7), 100), "durations in us": (in_unit("duration", 1e3, 1), 100),
        "timestamps in us": (in_unit("timestamp", 1e3, 1), 100), "timestamps in s": (in_unit("timestamp", 1e-3, 7), 100),
        "iterations": (more_iterations, 95), "micro-batches": (fewer_batches, 70), "copy": (copied, 40), "copy of a file": (copied_as_it_is, 100),
        "line of another rank": (with_a_line, 100)}


def told(wlfmt, folder):
    done = subprocess.run([wlfmt, "check", folder], capture_output=True, text=True, check=False)
    return {int(rank) for rank in re.findall(r"rank(\d+)_\d+\.txt: warning: strange_log: ", done.stderr)}


def main(wlfmt, folder, count, seed="1"):
    bad = 0
    tried = dict.fromkeys(WAYS, 0)
    untold = dict.fromkeys(WAYS, 0)
    for n in range(int(count)):
        rng = random.Random(int(seed) * 6101 + n)
        shutil.rmtree(folder, ignore_errors=True)
        run = KINDS[n % len(KINDS)]("whole", rng).run()
        run.write(folder)
        os.remove(os.path.join(folder, "whole.json"))
        whole_folder = os.path.join(folder, "whole")
        whole = answers(wlfmt, whole_folder)
        if told(wlfmt, whole_folder):
            print(f"run {n} {run.sizes}: a whole run is told")
            bad += 1
        if run.world < 3:  # of two logs, none is known to be right
            continue
        for way, (change, _) in WAYS.items():
            rank = rng.randrange(run.world)
            lines = change(run.lines[rank], rank, [lines for r, lines in enumerate(run.lines) if r != rank], rng)
            if lines is None:
                continue
            tried[way] += 1
            copy = os.path.join(folder, way)
            shutil.copytree(whole_folder, copy)
            with open(os.path.join(copy, next(name for name in os.listdir(copy) if f"_rank{rank}_" in name)), "w") as f:
                f.write("\n".join(lines) + "\n")
            ranks = told(wlfmt, copy)
            if rank not in ranks:
                untold[way] += 1
                continue
            said = answers(wlfmt, copy)
            for stage in said["stages"] + whole["stages"]:
                stage["ranks"] = 0
            expected = dict(whole, local_collectives=said["local_collectives"], left_out=said["left_out"],
                            missing_ranks=said["missing_ranks"])
            if said.get("slowest_rank", {}).get("reason") in ("none", "no other rank in its stage"):
                said.pop("slowest_rank")
            found = [*differences("", expected, said), *verdicts(whole, said)]
            if way == "line of another rank":
                if said["left_out"] or said["missing_ranks"] or said["totals"] != whole["totals"]:
                    found.append("what is left is not the whole run")
            elif not ranks <= {*said["left_out"], *said["missing_ranks"]}:
                found.append(f"{ranks} are told, {said['left_out']} are left out")
            if way != "copy" and ranks != {rank}:
                found.append(f"{ranks} are told")
            bad += bool(found)
            for one in found[:6]:
                print(f"run {n} {run.sizes}, {way} in rank {rank}: {one}")
    for way, (_, least) in WAYS.items():
        print(f"{way}: {untold[way]} of {tried[way]} not told")
        bad += 100 * untold[way] > (100 - least) * tried[way]
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
