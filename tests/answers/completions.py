"""What remedies would gain in the runs of which a damaged one may be the rest: records in a row that a log lacks are put
back with other times, as often as they may have been, and each whole run is replayed (replay.py)."""
import collections
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
from replay import Replay, Unknown  # noqa: E402

RECORD = re.compile(r"(rank:\d+:(\w+)\()(.*?),sub_operations=\[(.*)\]\)$")
KINDS = ("gap", "work", "wait")
RANDOM = 8  # how many times of each kind are chosen at random


def number(text, key):
    return float(re.search(rf"(?:^|,){key}=(-?[\d.]+)", text)[1])


def at_times(text, start, end):
    text = re.sub(r"(^|,)duration=[^,]*", rf"\g<1>duration={round(end - start, 4)}", text, count=1)
    return re.sub(r"(^|,)timestamp=[^,]*", rf"\g<1>timestamp={round(end, 4)}", text, count=1)


class Row:
    """The records first to last of a log, which are missing. The ends of their blocking calls are those of other members;
    a message is received after it was sent."""

    def __init__(self, whole, rank, lines, first, last):
        self.lines = [RECORD.match(line).groups() for line in lines[first:last + 1]]
        self.begin = number(RECORD.match(lines[first - 1])[3], "timestamp")
        after = RECORD.match(lines[last + 1])[3]
        self.end = number(after, "timestamp") - number(after, "duration")
        replay = Replay(whole)
        ends = number(self.lines[0][2], "timestamp") - 1e-3, number(self.lines[-1][2], "timestamp") + 1e-3
        mine = [item for item in replay.programs[rank] if item[0] == "message" and ends[0] <= item[2].end <= ends[1]]
        others = [item for r in replay.programs for item in replay.programs[r] if item[0] == "message" and item not in mine]
        floor = min((item[2].ms for item in others), default=0.0)
        sent, received = ({m: item[2] for item in others for m in item[side]} for side in (3, 4))
        # The times that are not known, in their order, each with what comes before it: least, most, or exactly.
        self.points = []
        for n, (_, op, head, calls) in enumerate(self.lines):
            item = next((i for i in mine if abs(i[2].end - number(head, "timestamp")) < 1e-3 and i[2].op == op), None)
            most = min((received[m].end - floor for m in item[3] if m in received), default=None) if item else None
            self.points.append(((n, None, 0), "gap", None, most))
            for k, call in enumerate(re.findall("'([^']*)'", calls)):
                exact = None if "_async" in call else number(call, "timestamp")
                self.points.append(((n, k, 0), "work", None, None))
                self.points.append(((n, k, 1), "wait" if exact else "work", exact, exact))
            least = max((sent[m].start + floor for m in item[4] if m in sent), default=None) if item else None
            exact = number(head, "timestamp") if op == "dp_allreduce" and replay.dp > 1 else None
            self.points.append(((n, None, 1), "wait" if item or exact else "work", exact or least, exact))

    def written(self, choose):
        """The records with times that choose(kind, least, most) chooses one after the other."""
        most, limits = self.end, []
        for *_, end in reversed(self.points):
            most = min(most, self.end if end is None else end)
            limits.insert(0, most)
        at, times = self.begin, {}
        for (key, kind, least, _), most in zip(self.points, limits):
            least = max(at, self.begin if least is None else least)
            at = times[key] = choose(kind, min(least, most), most)
        lines = []
        for n, (name, _, head, calls) in enumerate(self.lines):
            own = [at_times(c, times[n, k, 0], times[n, k, 1]) for k, c in enumerate(re.findall("'([^']*)'", calls))]
            lines.append(f"{name}{at_times(head, times[n, None, 0], times[n, None, 1])},sub_operations={own!r})")
        return lines


def choices(rng):
    """All of the time in the first piece of a kind; in one kind, and after it in another; at random."""
    for kind in KINDS:
        yield lambda k, least, most, kind=kind: most if k == kind else least
    for _ in range(RANDOM):
        yield lambda k, least, most, kinds=rng.sample(KINDS, 2): most if k in kinds and rng.random() < 0.5 else least
        yield lambda _, least, most: rng.uniform(least, most)


def gains(whole, path, lines, missing, rng):
    """The least and the greatest gain of each remedy, by its name and rank. `path`: the log that lacks the lines with these
    numbers. Nothing if they are not one row between two others."""
    if not missing or missing[0] == 0 or missing[-1] == len(lines) - 1 or missing != list(range(missing[0], missing[-1] + 1)):
        return {}
    first, last = missing[0], missing[-1]
    folder = os.path.join(os.path.dirname(os.path.dirname(path)), "completed")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    found = collections.defaultdict(list)
    row = Row(whole, int(re.search(r"rank(\d+)_", path)[1]), lines, first, last)
    for choose in [None, *choices(rng)]:
        own = lines[first:last + 1] if choose is None else row.written(choose)
        with open(os.path.join(folder, os.path.basename(path)), "w") as f:
            f.write("\n".join(lines[:first] + own + lines[last + 1:]) + "\n")
        try:
            remedies = Replay(folder).answer()["remedies"]
        except Unknown:
            continue
        for change, gain in remedies.items():
            for rank, ms in (gain.items() if isinstance(gain, dict) else [(None, gain)]):
                found[change, rank].append(ms)
    return {key: (min(of), max(of)) for key, of in found.items()}
