#!/usr/bin/env python3
"""Whatever shows waiting shows the same: for each rank the waiting that a picture draws, that the slices of a timeline
carry and that a summary prints are equal to the last digit, and so is what is unknown. Where the summary knows of none,
nothing shows any.

usage: one_object.py WLFMT FOLDER...
"""
import collections
import decimal
import json
import os
import re
import subprocess
import sys

LANE = re.compile(r'class="lane"><title>rank (\d+)[^\n<]*\n?([^<]*)</title>')
D = decimal.Decimal
SIGNS = {}  # of each rank's waiting in the last picture


def said(wlfmt, *arguments):
    return subprocess.run([wlfmt, *arguments], capture_output=True, text=True, check=False).stdout


def of_summary(text):
    answers = json.loads(text, parse_float=D, parse_int=D)["answers"]
    return {int(r["rank"]): (r.get("waiting", D(0)), r.get("unknown", D(0))) for r in answers["ranks"]}


def of_timeline(text):
    sums = collections.defaultdict(lambda: [D(0), D(0)])
    for event in json.loads(text, parse_float=D)["traceEvents"]:
        for n, key in enumerate(("waiting_ms", "unknown_ms")):
            sums[event["pid"]][n] += D(event["args"].get(key, 0) if event["ph"] == "X" else 0)
    return {rank: tuple(both) for rank, both in sums.items()}


def of_picture(text):
    out = {}
    for rank, words in LANE.findall(text):
        told = {what: (D(ms), sign) for what, sign, ms in re.findall(r"(waiting|unknown): ((?:&[gl]t;= |~ )?)([\d.]+) ms", words)}
        out[int(rank)] = told.get("waiting", (D(0), ""))[0], told.get("unknown", (D(0), ""))[0]
        SIGNS[int(rank)] = told.get("waiting", (D(0), ""))[1]
    return out


def main(wlfmt, folders):
    bad = waiting = unknown = 0
    for folder in folders:
        text = said(wlfmt, "summary", "--json", folder)
        summary = of_summary(text)
        limits = {r["rank"]: r.get("limit", {}).get("waiting") for r in json.loads(text)["answers"]["ranks"]}
        SIGNS.clear()
        for name, have in (("timeline", of_timeline(said(wlfmt, "timeline", folder))),
                           ("plot", of_picture(said(wlfmt, "plot", folder)))):
            if name == "plot":
                said_signs = {r: {"least": "&gt;= ", "most": "&lt;= ", "either": "~ ", None: ""}[limit]
                              for r, limit in limits.items()}
                if {r: s for r, s in SIGNS.items() if s} != {r: s for r, s in said_signs.items() if s and r in SIGNS}:
                    bad = 1
                    print(f"{os.path.basename(folder)}: limits {SIGNS} in the picture, {said_signs} in the summary")
            if have != summary:
                bad = 1
                print(f"{os.path.basename(folder)}: {name} shows {have}, the summary {summary}")
        waiting += any(w for w, _ in summary.values())
        unknown += any(u for _, u in summary.values())
    print(f"{len(folders)} runs, {waiting} with waiting, {unknown} with something unknown")
    return bad or (len(folders) > 20 and not (waiting > len(folders) / 2 and unknown > len(folders) / 10))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
