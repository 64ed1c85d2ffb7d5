#!/usr/bin/env python3
"""Holds what `wlfmt diff --json` says of two runs against `wlfmt summary --json` of each (accounts), and against this
program's own sums of their logs (operations, in which an exchange that was written twice takes its time once), and what
`wlfmt diff --fail-above` names.

usage: runs.py WLFMT RUN RUN...    each run a folder of op logs, compared with the next
"""
import json
import os
import re
import subprocess
import sys

FIELDS = {"span_ms": "span", "work_ms": "work", "transfer_ms": "transfer", "stage_waiting_ms": "in_stage",
          "pipeline_waiting_ms": "pipeline", "gaps_ms": "gap", "unknown_ms": "unknown"}
HALVES = [{"send_forward", "recv_backward"}, {"send_backward", "recv_forward"}]


def number(of, key):
    """An exact number, or an end of one that is not known exactly."""
    return next((of[name] for name in (key, f"{key}_least", f"{key}_most") if of.get(name) is not None), None)


def accounts(wlfmt, run):
    out = subprocess.run([wlfmt, "summary", "--json", run], capture_output=True, text=True, check=False).stdout
    answers = json.loads(out)["answers"]
    found = {}
    for kind in "rank", "stage":
        for one in answers[kind + "s"]:
            for field, key in FIELDS.items():
                found[f"{kind} {one[kind]}", field] = number(one, key)
    return found if answers.get("sizes") and len(answers["ranks"]) > 1 else {}


def limits(wlfmt, run):
    """The fields of accounts that are known to be between two numbers, with these."""
    out = subprocess.run([wlfmt, "summary", "--json", run], capture_output=True, text=True, check=False).stdout
    answers = json.loads(out)["answers"]
    return {(f"{kind} {one[kind]}", field): ends for kind in ("rank", "stage") for one in answers[kind + "s"]
            for field, key in FIELDS.items() if any(ends := (one.get(f"{key}_least"), one.get(f"{key}_most")))}


def grown(wlfmt, a, b, share):
    """What `--fail-above` names, and what it should name: of operations by rank, and of the accounts of ranks and stages."""
    run = subprocess.run([wlfmt, "diff", f"--fail-above={100 * share:g}%", a, b], capture_output=True, text=True, check=False)
    have = {what for what in re.findall("^wlfmt: (.*) grew by ", run.stderr, re.M)
            if re.fullmatch(r"rank \d+: \w+|(rank|stage) \d+, \w+|the time of all operations", what)}
    (was, _), (now, _) = operations(a), operations(b)
    totals = [sum(time for _, time in side.values()) for side in (was, now)]
    parts = [total / len({rank for rank, _ in side}) for total, side in zip(totals, (was, now))]
    exceeds = lambda x, y, wholes: y - x > share * x and (x >= share * wholes[0] or y >= share * wholes[1])
    want = {"the time of all operations"} if exceeds(*totals, totals) else set()
    for rank, op in now:
        if exceeds(was.get((rank, op), (0, 0))[1], now[rank, op][1], parts):
            want.add(f"rank {rank}: {op}")
    x, y = accounts(wlfmt, a), accounts(wlfmt, b)
    ends = limits(wlfmt, a), limits(wlfmt, b)
    for item, field in (x.keys() & y.keys() if x and y else []):
        spans = x[item, "span_ms"], y[item, "span_ms"]
        before = ends[0].get((item, field), (0, x[item, field]))[1]
        after = ends[1].get((item, field), (y[item, field], 0))[0]
        if None not in (before, after) and field != "unknown_ms" and after - before > 1e-6 and exceeds(before, after, spans):
            want.add(f"{item}, {field}")
    return run.returncode, have, want


def operations(run):
    """By (rank, operation): how many there are, and nanoseconds."""
    sums, copies = {}, 0
    for name in sorted(os.listdir(run)):
        before = None
        for line in open(os.path.join(run, name), encoding="utf-8"):
            head = re.match(r"rank:(\d+):(\w+)\(", line)
            if not head:
                continue
            record = line[:line.index("sub_operations=")] if "sub_operations=" in line else line
            duration = re.search(r"[(,]duration=([0-9.]+)", record)
            end = re.search(r"[(,]timestamp=([0-9.]+)", record)
            rank, op = int(head.group(1)), head.group(2)
            now = (op, duration and duration.group(1), end and end.group(1))
            copy = (before is not None and now[1] and float(now[2] or 0) != 0 and {op, before[0]} in HALVES and
                    before[1] and float(before[1]) == float(now[1]) and float(before[2]) == float(now[2]))
            before = now
            copies += bool(copy)
            count, time = sums.get((rank, op), (0, 0))
            sums[rank, op] = count + 1, time + (0 if copy or not duration else round(float(duration.group(1)) * 1e6))
    return sums, copies


def main(wlfmt, runs):
    wrong = checked = copies = 0
    for a, b in zip(runs, runs[1:]):
        out = subprocess.run([wlfmt, "diff", "--json", a, b], capture_output=True, text=True, check=False).stdout
        lines = [json.loads(l) for l in out.splitlines()]
        have = {(d["item"], d["field"]): (number(d, "before"), number(d, "after")) for d in lines}
        want = {}
        was, now = accounts(wlfmt, a), accounts(wlfmt, b)
        for key in (was.keys() & now.keys() if was and now else []):
            if None not in (was[key], now[key]) and abs(was[key] - now[key]) > 1e-6:
                want[key] = was[key], now[key]
        (was, found), (now, more) = operations(a), operations(b)
        copies += found + more
        for rank, op in was.keys() & now.keys():
            (n, x), (m, y) = was[rank, op], now[rank, op]
            if n != m:
                want[f"rank {rank}: {op}", "count"] = n, m
            if x != y and x and y:
                want[f"rank {rank}: {op}", "duration_ms"] = x / 1e6, y / 1e6
        # What is a limit in an account is one in the comparison, whose ratio is not known then.
        unsure = limits(wlfmt, a), limits(wlfmt, b)
        for d in lines:
            key = d["item"], d["field"]
            told = {side: of[key] for side, of in zip(("before", "after"), unsure) if key in of}
            have_ends = {side: ends for side in ("before", "after") if any(ends := (d.get(f"{side}_least"), d.get(f"{side}_most")))}
            if re.fullmatch(r"(rank|stage) \d+", d["item"]) and (have_ends != told or
                                                                (d["ratio"] is None) != bool(told or not have[key][0])):
                wrong += 1
                print(a, b, key, "ends have", have_ends, "want", told, "ratio", d["ratio"])
        for key, (x, y) in want.items():
            checked += 1
            if key not in have or abs(have[key][0] - x) > 2e-6 or abs(have[key][1] - y) > 2e-6:
                wrong += 1
                print(a, b, key, "have", have.get(key), "want", (x, y))
        for key in have:
            if re.fullmatch(r"(rank|stage) \d+", key[0]) and key not in want:
                wrong += 1
                print(a, b, key, "have", have[key], "and should be the same")
    named = 0
    for a, b in list(zip(runs, runs[1:])) + list(zip(runs[1:], runs)):
        for share in (0.03, 0.2, 0.6):
            status, have, want = grown(wlfmt, a, b, share)
            named += len(want)
            if have != want or (want and status != 3):
                wrong += 1
                print(a, b, share, status, "named", sorted(have - want), "not named", sorted(want - have))
    print(f"{checked} differences, {wrong} wrong; {copies} copies of exchanges; {named} that grew")
    return wrong != 0 or checked < 100 or copies == 0 or named < 100


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
