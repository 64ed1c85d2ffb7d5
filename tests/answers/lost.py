#!/usr/bin/env python3
"""Removes records of a run one at a time, and holds what `wlfmt summary --json` says then against what it says of the
whole run: each number is the same, or a limit that the whole run's number keeps, or not there. `wlfmt check` names each
record that is removed.

usage: lost.py WLFMT FOLDER [EVERY]     every EVERY-th record of the newest files of the folder
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

RECORD = re.compile(r"rank:(\d+):(\w+)\(")
NAMES = {"groups": ["group"], "operations": ["operation"], "ranks": ["rank"], "stages": ["stage"],
         "waits": ["late", "waiting", "group"], "bandwidth": ["group", "function", "size", "where", "ranks"],
         "leave_spread": ["group"], "imbalance": ["group", "ranks"], "p2p_floor_ms": ["bytes"],
         "remedies": ["change", "rank"]}
# What says how much is not known, and what is said of the calls that are there, by which clocks are judged, too.
OF_THE_LOSS = {"unknown", "unknown_calls", "missing_calls", "missing_call_count", "missing_members",
               "differing_groups", "lost", "obstacle", "clocks", "same_clock", "common_moment", "missing", "missing_ranks", "headline",
               "near", "reason", "bandwidth", "imbalance", "leave_spread", "extent", "extent_spread", "contradictions", "unread", "overlaps", "untimed", "apart_groups", "clock", "slowest_rank_unknown"}
NOISE = 0.1  # ms: clocks are compared by the calls that are there


def ends(of, name):
    """The least and the greatest that a number of an object can be."""
    if name in of:
        return of[name], of[name]
    return of.get(f"{name}_least", -math.inf), of.get(f"{name}_most", math.inf)


def names_of(of):
    """The names of an object's members; of an interval, that without the end."""
    return {re.sub("_(least|most)$", "", name) for name in of}


def overlap(whole, said):
    noise = NOISE if isinstance(whole[0], float) or isinstance(whole[1], float) else 0
    return said[0] <= whole[1] + noise and whole[0] <= said[1] + noise


def differences(path, whole, said):
    if isinstance(whole, dict):
        for key in names_of(said) - OF_THE_LOSS:
            if key == "together" and not said[key] and "apart" not in said:
                continue  # too little is left to tell
            if key not in names_of(whole):
                yield f"{path}.{key} is {ends(said, key)}, and was not told of the whole run"
            elif key == "waiting_more":  # a limit by itself, which may be further away
                if ends(said, key)[1] < ends(whole, key)[0] - NOISE:
                    yield f"{path}.{key} is {ends(said, key)}, and {ends(whole, key)} of the whole run"
            elif isinstance(said.get(key, 0), (int, float)) and isinstance(whole.get(key, 0), (int, float)):
                if not overlap(ends(whole, key), ends(said, key)):
                    yield f"{path}.{key} is in {ends(said, key)}, and in {ends(whole, key)} of the whole run"
            elif key in said and said[key] is not None:
                yield from differences(f"{path}.{key}", whole[key], said[key])
    elif path.endswith("iterations"):
        for n, (own, other) in enumerate(zip(whole, said)):
            yield from differences(f"{path}[{n}]", own, other)
    elif isinstance(whole, list) and whole and isinstance(whole[0], dict):
        names = NAMES.get(path.rsplit(".", 1)[-1], [])
        of_whole = {str([one.get(n) for n in names]): one for one in whole}
        for one in said:
            name = str([one.get(n) for n in names])
            if name not in of_whole and re.match(r"\['(send|recv)_", name):
                pass  # half of an exchange has another name than the whole one
            elif name in of_whole:
                yield from differences(f"{path}{name}", of_whole[name], one)
            elif path.endswith("waits") and ends(one, "ms")[0] <= 0:
                pass  # nobody need have waited
            else:
                yield f"{path} has {name}, which the whole run has not"
    elif whole != said:
        yield f"{path} is {said}, and {whole} of the whole run"


def answers(wlfmt, folder):
    done = subprocess.run([wlfmt, "summary", "--json", folder], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["answers"]


def surely_first(said):
    """The change that surely gains more than each other one, and more than the replay's error; None if there is none."""
    replay = said.get("replay", {})
    remedies = [(*ends(one, "gain"), one["change"], one.get("rank")) for one in replay.get("remedies", []) if one["kind"] == "remedy"]
    best = max(remedies, default=None)
    if best is None or any(one is not best and one[1] >= best[0] for one in remedies):
        return None
    least = max(0.005, ends(replay, "error")[1] / 100) * ends(replay, "iteration")[1]
    return best[2:] if best[0] > least else None


def headlines(whole, said):
    """The headline stays where the same change surely gains the most."""
    # With even stages the work of all stages is even, too: both are one remedy.
    words = lambda one: re.split(" would save | works ", one["headline"].split("; ")[-1])[0].lower().replace("work of all ", "")
    if surely_first(said) and surely_first(said) == surely_first(whole) and words(said) != words(whole):
        yield f"the headline is '{said['headline']}', and '{whole['headline']}' of the whole run"


def main(wlfmt, folder, every="1"):
    newest = {int(re.search(r"rank(\d+)_", name).group(1)): name for name in sorted(os.listdir(folder))}
    bad = tried = records = same = 0
    with tempfile.TemporaryDirectory() as copy:
        for name in newest.values():
            shutil.copy(os.path.join(folder, name), copy)
        whole = answers(wlfmt, copy)
        assert whole["lost"] == 0
        for rank, name in newest.items():
            path = os.path.join(copy, name)
            with open(path) as f:
                lines = f.read().splitlines()
            for n, line in enumerate(lines):
                record = RECORD.match(line)
                records += bool(record)
                if not record or records % int(every):
                    continue
                tried += 1
                with open(path, "w") as f:
                    f.write("\n".join(lines[:n] + lines[n + 1:]) + "\n")
                said = answers(wlfmt, copy)
                found = [*differences("", whole, said), *headlines(whole, said)]
                same += surely_first(said) is not None
                if whole["together"]:
                    printed = subprocess.run([wlfmt, "check", copy], capture_output=True, text=True, check=False).stderr
                    if not re.search(rf"{re.escape(name)}:\d+: warning: missing_call: rank {rank} lacks the \d+\w\w "
                                     rf"{record.group(2)}(?: of batch|,)", printed):
                        found.append("check does not name it: " + printed)
                bad += bool(found)
                for one in found[:10]:
                    print(f"{name}:{n + 1} removed ({record.group(2)}): {one}")
            with open(path, "w") as f:
                f.write("\n".join(lines) + "\n")
    print(f"{os.path.basename(folder)}: {tried} records removed, {bad} with a wrong number; {same} times one change surely gains the most")
    return bad != 0 or tried == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2].rstrip("/"), *sys.argv[3:]))
