#!/usr/bin/env python3
"""Holds what `wlfmt summary --json` says of a damaged run against what it says of the whole run, which the simulation
knows: each number is the same, or a limit that the whole run's number keeps, or not there; and a rank or a stage that is
said to be slow is the one that is slow.

usage: damaged.py WLFMT FOLDER COUNT [SEED]     COUNT random runs, each damaged in every way
"""
import os
import random
import re
import shutil
import sys

sys.dont_write_bytecode = True
from lost import NOISE, answers, differences, ends, headlines  # noqa: E402
from random_runs import KINDS, Interleaved, Pipeline  # noqa: E402


def lose_beginning(lines, rng):
    del lines[:rng.randrange(1, len(lines) // 2)]


def lose_end(lines, rng):
    del lines[-rng.randrange(1, len(lines) // 2):]


def lose_half(lines, rng):
    half = len(lines) // 2
    lines[:] = lines[half:] if rng.random() < 0.5 else lines[:half]


def lose_middle(lines, rng):
    first = rng.randrange(1, len(lines) - 2)
    del lines[first:first + rng.randrange(1, 4)]


def lose_rank(lines, _):
    lines.clear()


def lose_message(lines, rng):
    places = [n for n, line in enumerate(lines) if ":send_" in line or ":recv_" in line]
    if places:
        del lines[rng.choice(places)]


def repeat(lines, rng):
    n = rng.randrange(len(lines))
    lines.insert(n, lines[n])


def repeat_end(lines, rng):
    """A buffer that was flushed twice."""
    lines += lines[-rng.randrange(1, 4):]


def lose_all_calls(lines, _):
    lines[:] = [re.sub(r"sub_operations=\[.*\]", "sub_operations=[]", line) for line in lines]


def number_no_batches(lines, rng):
    batch = rng.choice(["0", "None"])
    lines[:] = [re.sub(r"batch_id=\d+", "batch_id=" + batch, line) for line in lines]


def stretch_call(lines, rng):
    places = [n for n, line in enumerate(lines) if "'trace_src_func" in line]
    if places:
        n = rng.choice(places)
        lines[n] = re.sub(r"('trace_src_func=\w+,duration=)[\d.]+", r"\g<1>1000000.0", lines[n], count=1)


def exchange(lines, rng):
    n = rng.randrange(len(lines) - 1)
    lines[n], lines[n + 1] = lines[n + 1], lines[n]


def tear(lines, rng):
    del lines[rng.randrange(1, len(lines)):]
    lines[-1] = lines[-1][:rng.randrange(1, len(lines[-1]))]


def stamp(lines, rng):
    n = rng.randrange(len(lines))
    lines[n] = re.sub(r"timestamp=[\d.]+(,sub_)", rf"timestamp={rng.choice(['nan', '1.0', '1e9'])}\1", lines[n])


WAYS = {"beginning": lose_beginning, "end": lose_end, "half": lose_half, "middle": lose_middle, "rank": lose_rank,
        "message": lose_message, "repeat": repeat, "stretched call": stretch_call}


def garble(lines, rng):
    """Another program writes into a record, of which nothing can be read then."""
    n = rng.randrange(len(lines))
    lines[n] = re.sub(r"^rank:\d+:\w\w", r"\g<0>WARNING: timeout ", lines[n])


def forget_time(lines, rng):
    """A record has no duration, and perhaps no timestamp."""
    n = rng.randrange(len(lines))
    lines[n] = re.sub(r"duration=[\d.]+", "duration=None", lines[n], count=1)
    if rng.random() < 0.3:
        lines[n] = re.sub(r"timestamp=[\d.]+(,sub_)", r"timestamp=None\1", lines[n])


def forget_calls(lines, rng):
    """The first calls of some records, or all of them, have no duration."""
    count, part = rng.randrange(2), rng.random()
    for n, line in enumerate(lines):
        if rng.random() < part:
            lines[n] = re.sub(r"('trace_src_func=\w+,duration=)[\d.]+", r"\1None", line, count=count)


def lose_calls(lines, rng):
    places = [n for n, line in enumerate(lines) if "'trace_src_func" in line]
    if places:
        n = rng.choice(places)
        lines[n] = re.sub(r"sub_operations=\[.*\]", "sub_operations=[]", lines[n])


def forget_shape(lines, rng):
    places = [(n, m.span()) for n, line in enumerate(lines) for m in re.finditer(r"(?<=input__shape=)\[[^\]]*\]", line)]
    if places:
        n, (begin, end) = rng.choice(places)
        lines[n] = lines[n][:begin] + "None" + lines[n][end:]


def stamp_half(lines, rng):
    """One of the two records of an exchange says another time."""
    times = [re.search(r"(?:send|recv)_.*duration=([\d.]+).*timestamp=([\d.]+),sub_", line) for line in lines]
    places = [n for n in range(1, len(lines)) if times[n] and times[n - 1] and times[n].groups() == times[n - 1].groups()]
    if places:
        half = [lines[rng.choice(places) - rng.randrange(2)]]
        n = lines.index(half[0])
        stamp(half, rng)
        lines[n] = half[0]


# What leaves all records where they are in time, or one that is somewhere else.
MORE_WAYS = {"unreadable record": garble, "a record in each log": garble, "order": exchange, "rest of a record": tear, "timestamp": stamp,
             "repeated end": repeat_end, "all calls": lose_all_calls, "numbers of micro-batches": number_no_batches,
             "time": forget_time, "time in each log": forget_time, "calls' times in each log": forget_calls,
             "calls of a record": lose_calls, "shape": forget_shape, "timestamp of a half": stamp_half,
             "all calls of a group": lose_all_calls}
IN_EACH_LOG = ("a record in each log", "numbers of micro-batches", "time in each log", "calls' times in each log")


def verdicts(whole, said):
    """A slow rank that is named has the excess that it is said to have at least; so has a stage."""
    slow = said.get("slowest_rank")
    if slow and slow["reason"] not in ("none", "no other rank in its stage"):
        excess = {r["rank"]: ends(r, "excess") for r in whole["ranks"] if len([o for o in whole["ranks"] if o["stage"] == r["stage"]]) > 1}
        if excess[slow["rank"]][1] < max(least for least, _ in excess.values()) - NOISE:
            yield f"the slowest rank is said to be {slow['rank']}, and {excess} is the excess"
    stage = said.get("slowest_stage")
    if stage and stage["reason"] != "none":
        times = {s["stage"]: ends(s, "per_batch") for s in whole["stages"]}
        if times[stage["stage"]][1] < max(least for least, _ in times.values()) - NOISE:
            yield f"the slowest stage is said to be {stage['stage']}: {times}"


def main(wlfmt, folder, count, seed="1"):
    bad = tried = unseen = 0
    # The quickest message may be one that is lost. In a virtual pipeline, a replay of such messages is not exact.
    Pipeline.SLOWER, Interleaved.SLOWER = 0.5, 0.0
    for n in range(int(count)):
        rng = random.Random(int(seed) * 7919 + n)
        shutil.rmtree(folder, ignore_errors=True)
        kind = KINDS[n % len(KINDS)]
        run = kind("whole", rng).run()
        run.write(folder)
        os.remove(os.path.join(folder, "whole.json"))
        whole = answers(wlfmt, os.path.join(folder, "whole"))
        if whole["lost"] != 0:
            print(f"run {n}: {whole['lost']} lost records in a whole run")
            bad += 1
            continue
        for way, damage in {**WAYS, **MORE_WAYS}.items():
            copy = os.path.join(folder, way)
            shutil.copytree(os.path.join(folder, "whole"), copy)
            names = sorted(os.listdir(copy))
            # The ranks of a stage have one program, and lack the same record where the choice is the same.
            choice = rng.random()
            damaged = names if way in IN_EACH_LOG else [rng.choice(names)]
            if way == "all calls of a group":  # of which others in the run have such calls
                tp = run.sizes["tp"]
                first = rng.randrange(0, run.world, tp)
                damaged = [name for name in names if first <= int(re.search(r"rank(\d+)_", name)[1]) < first + tp]
                if tp == 1 or tp == run.world or run.sizes["exp"] > 1:
                    continue
            for path in [os.path.join(copy, name) for name in damaged]:
                with open(path) as f:
                    lines = f.read().splitlines()
                damage(lines, random.Random(choice) if way in IN_EACH_LOG else rng)
                if lines or len(names) >= 3:
                    os.remove(path)
                if lines:
                    with open(path, "w") as f:
                        f.write("\n".join(lines) + "\n")
            if not lines and len(names) < 3:
                continue
            said = answers(wlfmt, copy)
            # Where one of two logs was cut off between iterations, neither is known to be of the run.
            expected = dict(whole, left_out=said["left_out"])
            if way == "all calls of a group":  # nothing compares the clocks of its ranks then
                said["waits"] = []
            for stage in said["stages"] + whole["stages"]:  # how many are there, which is no limit of anything
                stage["ranks"] = 0
            nobody = ("none", "no other rank in its stage")
            if said.get("slowest_rank", {}).get("reason") in nobody:  # which rank is nearest to slow does not matter
                reason = expected.get("slowest_rank", said["slowest_rank"])["reason"]
                assert reason in nobody or said["slowest_rank"]["reason"] != "none", (n, way)
                if reason in nobody:
                    expected.pop("slowest_rank", None)
                    said.pop("slowest_rank")
            # These names come from the records that can be read: a missing name claims nothing.
            if set(said["local_collectives"]) <= set(whole["local_collectives"]):
                expected["local_collectives"] = said["local_collectives"]
            found = [*differences("", expected, said), *verdicts(whole, said), *headlines(whole, said)]
            # A stage's only rank that has one batch has it or not: nothing shows that it is lost.
            if len(lines) and said["lost"] == 0 and "contradictions" not in said["totals"] and not said["totals"]["overlaps"] and found \
                    and damage is not number_no_batches:
                unseen += 1
                print(f"run {n} {run.sizes}: nothing shows the loss of {way} of {os.path.basename(path)}: {found[0]}")
                continue
            tried += 1
            bad += bool(found)
            for one in found[:6]:
                print(f"run {n} {run.sizes} without {way} of {os.path.basename(path)}: {one}")
    print(f"{tried} damaged runs, {bad} with a wrong number; of {unseen} more nothing shows that records are lost")
    return bad != 0 or tried == 0 or 50 * unseen > tried


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
