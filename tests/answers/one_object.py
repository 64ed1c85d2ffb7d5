#!/usr/bin/env python3
"""Whatever shows waiting shows the same: for each rank the waiting that a picture draws, that the slices of a timeline
carry and that a summary prints are equal to the last digit, if it is known exactly, and so is what is unknown.

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


def said(wlfmt, *arguments):
    return subprocess.run([wlfmt, *arguments], capture_output=True, text=True, check=False).stdout


def of_summary(text):
    answers = json.loads(text, parse_float=D, parse_int=D)["answers"]
    return {int(r["rank"]): (None if {"waiting_least", "waiting_most"} & r.keys() else r.get("waiting", D(0)), r.get("unknown", D(0)))
            for r in answers["ranks"]}


def of_timeline(text):
    sums = collections.defaultdict(lambda: [D(0), D(0)])
    for event in json.loads(text, parse_float=D)["traceEvents"]:
        args = event["args"] if event["ph"] == "X" else {}
        sums[event["pid"]][0] += D(args.get("waiting_ms", args.get("waiting_least_ms", 0)))
        sums[event["pid"]][1] += D(args.get("unknown_ms", 0))
    return {rank: tuple(both) for rank, both in sums.items()}


def of_picture(text):
    out = {}
    for rank, words in LANE.findall(text):
        told = {what: D(ms) for what, ms in re.findall(r"(waiting|unknown): ([\d.]+) ms", words)}
        out[int(rank)] = told.get("waiting", D(0)), told.get("unknown", D(0))
    return out


def main(wlfmt, folders):
    bad = waiting = unknown = 0
    for folder in folders:
        text = said(wlfmt, "summary", "--json", folder)
        summary = of_summary(text)
        for name, have in (("timeline", of_timeline(said(wlfmt, "timeline", folder))),
                           ("plot", of_picture(said(wlfmt, "plot", folder)))):
            have = {rank: (None if summary[rank][0] is None else own[0], own[1]) for rank, own in have.items() if rank in summary}
            if have != summary:
                bad = 1
                print(f"{os.path.basename(folder)}: {name} shows {have}, the summary {summary}")
        waiting += any(w for w, _ in summary.values())
        unknown += any(u for _, u in summary.values())
    print(f"{len(folders)} runs, {waiting} with waiting, {unknown} with something unknown")
    return bad or (len(folders) > 20 and not (waiting > len(folders) / 2 and unknown > len(folders) / 10))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
