#!/usr/bin/env python3
"""Holds how wide the intervals are that `wlfmt summary --json` gives of a damaged run against the narrowest that its logs
prove: a mixed integer program over the same texts, read without wlfmt. Each interval has to hold what the whole run had.

usage: widths.py WLFMT FOLDER COUNT [SEED]     COUNT random runs of 4 to 8 ranks, each damaged in every way; prints a table

What the program knows: a record that is missing lies between its neighbours, if it has two; its calls take a part of it;
all members of a blocking call leave it together, so that its transfer is the least time that it took any member; what the
ranks of a stage do is one program. What remedies would gain is held against what they gain in the runs that the logs may
be the rest of (completions.py). Skipped (77) without scipy.
"""
import collections
import difflib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
try:
    from scipy.optimize import linprog
except ImportError:
    print("no scipy")
    sys.exit(77)
from completions import gains  # noqa: E402
from damaged import exchange, garble, lose_end, lose_message, repeat, stretch_call, tear  # noqa: E402
from lost import ends  # noqa: E402
from random_runs import Pipeline  # noqa: E402
from replay import Replay  # noqa: E402

NOISE = 0.1      # ms, of the clocks
WIDER, BEYOND = 1.2, 0.05
BEYOND_OF_GAINS = 2.5  # ms: pieces that a remedy changes are enclosed one by one
LINE = re.compile(r"rank:(\d+):(\w+)\((.*?),sub_operations=\[(.*)\]\)$")
STEPS = ("get_batch", "forward_step", "loss_func", "backward_step")


# The damages: each changes the lines of one log.
def one(lines, rng, count=1):
    first = rng.randrange(1, len(lines) - count)
    del lines[first:first + count]


def change(pattern, by, nested=False):
    def damage(lines, rng):
        places = [n for n, line in enumerate(lines) if not nested or "'trace_src" in line]
        if places:
            n = rng.choice(places)
            lines[n] = re.sub(pattern, by, lines[n], count=1)
    return damage


def lose_call(lines, rng):
    change(r"'trace_src_func[^']*'(, )?", "", True)(lines, rng)


def shift(first, ms):
    def damage(lines, _):
        at = int(first * len(lines))
        lines[at:] = [re.sub(r"timestamp=([\d.]+)", lambda m: f"timestamp={round(float(m[1]) + ms, 4)}", line) for line in lines[at:]]
    return damage


def lose_gap(lines, rng):
    del lines[rng.randrange(1, len(lines) // 2)], lines[rng.randrange(len(lines) // 2, len(lines) - 1)]


def overlap(lines, rng):
    n = rng.randrange(1, len(lines))
    lines[n] = re.sub(r"duration=([\d.]+)", lambda m: f"duration={float(m[1]) + 3}", lines[n], count=1)


WAYS = {
    "record lost": one, "two in a row": lambda lines, rng: one(lines, rng, 2), "three in a row": lambda lines, rng: one(lines, rng, 3),
    "two apart": lose_gap, "first lost": lambda lines, _: lines.pop(0), "last lost": lambda lines, _: lines.pop(),
    "beginning lost": lambda lines, rng: lines.__delitem__(slice(rng.randrange(2, len(lines) // 2))), "end lost": lose_end,
    "middle lost": lambda lines, _: lines.__delitem__(slice(len(lines) // 3, len(lines) // 2)),
    "rank missing": lambda lines, _: lines.clear(), "message lost": lose_message, "call lost": lose_call,
    "unreadable": garble, "torn end": tear, "no duration": change(r"duration=[\d.]+", "duration=None"),
    "no timestamp": change(r"timestamp=[\d.]+(?=,sub_)", "timestamp=None"), "timestamp nan": change(r"timestamp=[\d.]+(?=,sub_)", "timestamp=nan"),
    "negative": change(r"duration=[\d.]+", "duration=-3.5"), "call untimed": change(r"(?<=')(trace_src_func=\w+,duration=)[\d.]+", r"\g<1>None", True),
    "repeated": repeat, "exchanged": exchange, "overlapping": overlap, "stretched call": stretch_call,
    "clock offset": shift(0, 5.0), "clock jump": shift(0.5, 86400000.0),
}

Record = collections.namedtuple("Record", "op batch start end calls bytes")
Call = collections.namedtuple("Call", "kind beside start end")


def number(text, key):
    m = re.search(rf"(?:^|,){key}=(-?[\d.]+)(?=,|$)", text)
    return float(m[1]) if m else None


def read(folder):
    """The records of each rank that have times which its calls do not contradict, in the order of time."""
    ranks = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name)) as f:
            for line in f:
                m = LINE.match(line.rstrip("\n"))
                records = ranks.setdefault(int(re.search(r"rank(\d+)_", name)[1]), [])
                took, end = (number(m[3], "duration"), number(m[3], "timestamp")) if m else (None, None)
                if took is None or end is None or took < 0:
                    continue
                calls = []
                for text in re.findall(r"'([^']*)'", m[4]):
                    d, t = number(text, "duration"), number(text, "timestamp")
                    if d is not None and t is not None:
                        calls.append(Call(re.search("group=(\\w+)", text)[1], "_async" in text, t - d, t))
                record = Record(m[2], int(re.search(r"batch_id=(-?\d+)", m[3])[1]), end - took, end, calls,
                                re.search(r"input__shape=(\[[^\]]*\])?", m[3])[1])
                if record not in records and sum(c.end - c.start for c in calls) <= took + 1:
                    records.append(record)
    for records in ranks.values():
        records.sort(key=lambda r: r.end)
        wrong = {k for n in range(1, len(records)) if records[n].start < records[n - 1].end - 0.05 for k in (n - 1, n)}
        records[:] = [r for n, r in enumerate(records) if n not in wrong]
    return {r: records for r, records in ranks.items() if records}


class Program:
    """What the logs of a run leave open, as variables with bounds and constraints; figures are sums over them."""

    def __init__(self, folder, sizes):
        self.sizes, self.ranks = sizes, read(folder)
        self.bounds, self.integer, self.rows, self.limits = [], [], [], []
        self.per = sizes["world"] // sizes["pp"]
        self.figures = collections.defaultdict(lambda: collections.defaultdict(float))
        self.calls, self.messages, self.steps = collections.defaultdict(dict), [], {}
        self.is_open = set()  # ranks without both neighbours of a record, or without a log
        for stage in range(sizes["pp"]):
            self.add_stage(range(stage * self.per, (stage + 1) * self.per))
        for key, members in sorted(self.calls.items()):
            self.add_call(key, members)
        self.add_messages()

    def variable(self, least=0.0, most=None, integer=0):
        self.bounds.append((least, most))
        self.integer.append(integer)
        return len(self.bounds) - 1

    def add(self, names, value):
        """Adds to figures a number, or variables with factors."""
        for name in names:
            for at, factor in (value.items() if isinstance(value, dict) else [(-1, value)]):
                self.figures[name][at] += factor

    def add_stage(self, ranks):
        here = [r for r in ranks if r in self.ranks]
        keys = {r: [(e.op, e.batch) for e in self.ranks[r]] for r in here}
        whole = max(here, key=lambda r: len(keys[r]), default=None)
        for r in ranks:
            records = self.ranks.get(r, [])
            counts = collections.Counter()
            own = [(e, None) for e in records]
            if r in keys and keys[r] != keys[whole]:
                own = []
                for tag, a, b, c, d in difflib.SequenceMatcher(None, keys[r], keys[whole], autojunk=False).get_opcodes():
                    own += [(records[n], None) for n in range(a, b)]
                    hole = (records[b - 1].end if b else None, records[b].start if b < len(records) else None)
                    if tag in ("insert", "replace"):
                        own += [(e, hole) for e in self.ranks[whole][c + (b - a if tag == "replace" else 0):d]]
            last = None
            for record, hole in own:
                self.add_record(r, record, hole, counts, whole, last if hole else None)
                last = (hole, self.took) if hole else None

    def add_record(self, r, record, hole, counts, whole, last):
        place = counts[record.op, record.batch]
        counts[record.op, record.batch] += 1
        self.took = None
        if hole is not None:
            if None in hole:
                self.is_open.add(r)
                hole = (0.0, 1e4)
            self.took = took = self.variable(0, max(0.0, hole[1] - hole[0]))
            if last and last[0] == hole:  # records in a row share the hole
                self.row = {**self.row, took: 1.0}
                self.rows.append(self.row)
                self.limits.append(hole[1] - hole[0])
            else:
                self.row = {took: 1.0}
        time = {took: 1.0} if hole is not None else record.end - record.start
        if record.op in STEPS:
            self.add([f"busy {r // self.per}"], {k: v / self.per for k, v in time.items()} if hole is not None else time / self.per)
        if record.op.startswith(("send_", "recv_")):
            return self.messages.append((r, time))
        own = list(enumerate(record.calls))
        typical = self.program_calls(r, record, place, whole)
        lost = [] if hole is not None or len(own) == len(typical) else self.lost_calls(own, typical)
        inside = {took: -1.0} if hole is not None else {}
        if record.op in ("dp_allreduce", "optimizer_step"):
            kind = "dp" if record.op == "dp_allreduce" else "model"
            self.calls[kind, self.group(kind, r), record.op, record.batch, place, 0][r] = (time, record.start, kind == "model", hole is not None)
            return None
        fixed = 0.0
        positions = [n for n in range(len(typical)) if n not in lost]
        for n, call in [(k, c) for k, (_, c) in zip(positions, own)] + [(n, typical[n]) for n in lost]:
            is_lost = hole is not None or n in lost
            most = None if hole is not None else time
            value = {self.variable(0, most): 1.0} if is_lost else call.end - call.start
            if not call.beside:
                if is_lost:
                    inside.update({k: 1.0 for k in value})
                else:
                    fixed += value
            self.calls[call.kind, self.group(call.kind, r), record.op, record.batch, place, n][r] = (value, call.start, call.beside, is_lost)
        # The calls take a part of the record; the rest is work.
        if inside and len(inside) > (hole is not None):
            self.rows.append(inside)
            self.limits.append(0.0 if hole is not None else time - fixed)
        self.add([f"work {r}", "work"], time if hole is not None else time - fixed)
        self.add([f"work {r}", "work"], {k: -1.0 for k in inside if hole is None or k != took})
        return None

    def program_calls(self, r, record, place, whole):
        def of(rank):
            same = [e for e in self.ranks.get(rank, []) if (e.op, e.batch) == (record.op, record.batch)]
            return same[place].calls if place < len(same) else []
        return max([record.calls, *(of(q) for q in range(r // self.per * self.per, (r // self.per + 1) * self.per))], key=len)

    @staticmethod
    def lost_calls(own, typical):
        """The places of the calls that are missing: kinds tell, else the last of a kind."""
        matched = difflib.SequenceMatcher(None, [(c.kind, c.beside) for _, c in own], [(c.kind, c.beside) for c in typical])
        there = {n for block in matched.get_matching_blocks() for n in range(block.b, block.b + block.size)}
        return [n for n in range(len(typical)) if n not in there]

    def group(self, kind, r):
        tp, inside = self.sizes["tp"], r % self.per
        return {"tp": r // tp, "dp": (r // self.per, r % tp), "exp": (r // self.per, r % tp), "model": inside // tp}[kind]

    def size_of(self, kind):
        return {"tp": self.sizes["tp"], "dp": self.sizes["dp"], "exp": self.sizes["dp"],
                "model": self.sizes["tp"] * self.sizes["pp"]}[kind]

    def add_call(self, key, members):
        kind = key[0]
        where = "pipeline" if kind == "model" else "in_stage"
        beside = next(iter(members.values()))[2]
        present = {r: m for r, m in members.items() if not m[3]}
        is_whole = len(present) == self.size_of(kind)
        names = lambda r, *which: [n for w in which for n in (f"{w} {r}", w)] + [f"exposed {kind}"]  # noqa: E731
        if self.size_of(kind) == 1:
            for r, m in members.items():
                self.add([f"work {r}", "work"], m[0])
            return
        least = min((m[0] for m in present.values()), default=None)
        latest = max((m[1] for m in present.values()), default=None)
        if beside:
            for r, (took, start, _, is_lost) in members.items():
                waits = 0.0 if is_lost else max(0.0, min(took - least, latest - start))
                value = waits
                if is_lost:
                    waited = self.variable(0, None)
                    value = {waited: 1.0}
                    self.rows.append({waited: 1.0, **{k: -1.0 for k in took}})
                    self.limits.append(0.0)
                elif not is_whole:
                    value = {self.variable(waits, took): 1.0}
                self.add(names(r, where), value)
                self.add([f"work {r}", "work"], {k: -v for k, v in value.items()} if isinstance(value, dict) else -value)
                if kind == "model":
                    self.add([f"work {r}", "work"], took)
            return
        transfer = least
        if not is_whole:
            transfer = {self.variable(0, least): 1.0}
            at = next(iter(transfer))
            for took, *_ in (m for m in members.values() if m[3]):
                d, = took
                self.rows.append({at: 1.0, d: -1.0})  # no longer than it took any member
                self.limits.append(0.0)
                if least is not None and len(present) + 1 == self.size_of(kind):
                    shorter = self.variable(0, 1, 1)  # and just as long as it took this one or the quickest other one
                    self.rows += [{at: -1.0, d: 1.0, shorter: -1e4}, {at: -1.0, shorter: least}]
                    self.limits += [0.0, 0.0]
        for r, (took, *_) in members.items():
            self.add([f"transfer {r}", "transfer", f"exposed {kind}"], transfer)
            self.add(names(r, where), took)
            self.add(names(r, where), {k: -v for k, v in transfer.items()} if isinstance(transfer, dict) else -transfer)

    def add_messages(self):
        there = [took for _, took in self.messages if not isinstance(took, dict)]
        lost = [took for _, took in self.messages if isinstance(took, dict)]
        if not self.messages:
            return
        floor = min(there, default=None)
        is_known = not lost and len(self.ranks) == self.sizes["world"]
        f = {self.variable(0, floor): 1.0} if not is_known else floor
        for took in lost:
            self.rows.append({next(iter(f)): 1.0, next(iter(took)): -1.0})
            self.limits.append(0.0)
        for r, took in self.messages:
            self.add([f"transfer {r}", "transfer", "exposed pp"], f)
            self.add([f"pipeline {r}", "pipeline", "exposed pp"], took)
            self.add([f"pipeline {r}", "pipeline", "exposed pp"], {k: -v for k, v in f.items()} if isinstance(f, dict) else -f)

    def interval(self, name):
        if len(self.ranks) < self.sizes["world"] and not name.split()[-1].isdigit():
            return 0.0, float("inf")  # nobody knows what a rank without a log did
        figure = self.figures[name]
        fixed = figure.get(-1, 0.0)
        free = {k: v for k, v in figure.items() if k >= 0 and v}
        if not free:
            return fixed, fixed
        found = []
        for sign in (1, -1):
            costs = [0.0] * len(self.bounds)
            for k, v in free.items():
                costs[k] = sign * v
            table = [[row.get(n, 0.0) for n in range(len(self.bounds))] for row in self.rows]
            done = linprog(costs, table or None, self.limits or None, bounds=self.bounds, integrality=self.integer, method="highs")
            found.append(fixed + sign * done.fun if done.status == 0 else sign * -float("inf"))
        return tuple(found)


def excess_of(works, per):
    """How much the work of each rank exceeds the lower median of that of the others of its stage."""
    found = {}
    for r, (least, most) in works.items():
        peers = [works[o] for o in range(r // per * per, (r // per + 1) * per) if o != r and o in works]
        if len(peers) == per - 1 and peers:
            found[f"excess {r}"] = (least - statistics.median_low(p[1] for p in peers),
                                    most - statistics.median_low(p[0] for p in peers))
    return found


def said_of(answers, per):
    """The same figures as the command gives them."""
    found = {}
    for r in answers["ranks"]:
        for key in ("work", "transfer", "in_stage", "pipeline"):
            found[f"{key} {r['rank']}"] = ends(r, key)
        if per > 1:
            found[f"excess {r['rank']}"] = ends(r, "excess")
    for key in ("work", "transfer", "in_stage", "pipeline"):
        found[key] = ends(answers["totals"], key)
    for g in answers["groups"]:
        found[f"exposed {g['group']}"] = ends(g, "exposed")
    for s in answers["stages"]:
        found[f"busy {s['stage']}"] = ends(s, "busy")
    return found


def summary(wlfmt, folder):
    return json.loads(subprocess.run([wlfmt, "summary", "--json", folder], capture_output=True, text=True, check=False).stdout)["answers"]


def gains_of(answers):
    return {(r["change"], r.get("rank")): ends(r, "gain") for r in answers["replay"]["remedies"]}


def words_of(headline):
    return re.sub(r"(>= |<= )?[\d.,]+( to [\d.,]+)?", "#", headline)


class Table:
    """How often an interval excludes the truth, and how much wider it is than what is proven, by figure and damage."""

    def __init__(self):
        self.wider, self.too_wide, self.wrong = collections.defaultdict(list), collections.Counter(), 0

    def hold(self, where, said, true, noise=NOISE):
        if not said[0] - noise <= true <= said[1] + noise:
            self.wrong += 1
            print(f"{where} is in {said[0]} to {said[1]}, and was {true}")

    def compare(self, figure, way, said, width):
        own = said[1] - said[0]
        self.wider[figure, way].append((own - width, own / max(width, 1e-9)))
        self.too_wide[figure, way] += own > max(WIDER * width, width + BEYOND)

    def print(self):
        """Returns how many medians are too wide."""
        figures, bad = sorted({f for f, _ in self.wider}), 0
        print(f"{'wider by (median), too wide':32}" + "".join(f"{f:>18}" for f in figures))
        for way in WAYS:
            cells = []
            for f in figures:
                found = self.wider[f, way]
                if not found:
                    cells.append(f"{'-':>18}")
                    continue
                beyond, ratio = statistics.median(b for b, _ in found), statistics.median(r for _, r in found)
                good = ratio <= WIDER or beyond <= (BEYOND_OF_GAINS if f == "gain" else BEYOND)
                bad += not good
                cells.append(f"{'1.00' if beyond <= 1e-6 else f'{beyond:+.2f} ms'} {self.too_wide[f, way]:>3}/{len(found):<4}"
                             f"{' ' if good else '!'}".rjust(18))
            print(f"{way:32}" + "".join(cells))
        return bad


def main(wlfmt, folder, count, seed="1"):
    table, completed, beyond, done, n = Table(), 0, 0, 0, 0
    while done != int(count):
        n += 1
        rng = random.Random(int(seed) * 7717 + n)
        run = Pipeline("whole", rng)
        if not 4 <= run.world <= 8:
            continue
        run.writes_exchanges = False
        done += 1
        shutil.rmtree(folder, ignore_errors=True)
        run.run().write(folder)
        whole = os.path.join(folder, "whole")
        os.remove(whole + ".json")
        sizes = dict(run.sizes, world=run.world)
        truth, of_whole = Program(whole, sizes), summary(wlfmt, whole)
        works = {r: truth.interval(f"work {r}") for r in truth.ranks}
        figures = {name: truth.interval(name)[0] for name in truth.figures if name != "exposed model"}
        figures.update((name, least) for name, (least, _) in excess_of(works, run.per).items())
        # What clocks leave open of the whole run they leave open of a damaged one.
        by_clocks = {name: most - least for name, (least, most) in said_of(of_whole, run.per).items()}
        slack = NOISE + max(by_clocks[f"work {r}"] for r in works)
        of_remedies = Replay(whole).answer()["remedies"]
        for way, damage in WAYS.items():
            copy = os.path.join(folder, "damaged")
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(whole, copy)
            path = os.path.join(copy, rng.choice(sorted(os.listdir(copy))))
            with open(path) as f:
                lines = f.read().splitlines()
            if len(lines) < 8:
                continue
            before = list(lines)
            damage(lines, rng)
            os.remove(path)
            if lines:
                with open(path, "w") as f:
                    f.write("\n".join(lines) + "\n")
            answers, program = summary(wlfmt, copy), Program(copy, sizes)
            where = f"run {n} {sizes}, {way} of {os.path.basename(path)}:"
            work = {r: program.interval(f"work {r}") for r in program.ranks}
            proven = excess_of(work, run.per)
            for name, said in said_of(answers, run.per).items():
                if name not in figures:
                    continue
                true = figures[name]
                table.hold(f"{where} {name}", said, true)
                if way in ("clock offset", "clock jump"):
                    low = high = true
                elif name.startswith("excess"):
                    low, high = proven.get(name, (0.0, float("inf")))
                else:
                    low, high = program.interval(name)
                if not low - NOISE <= true <= high + NOISE or high - low > 5e3:
                    continue  # the ends of a log are open; or nothing shows the loss
                table.compare(name.split()[0], way, said, high - low + by_clocks.get(name, 0))
            said = gains_of(answers)
            for (change, rank), interval in said.items():
                true = of_remedies.get(change)
                true = true.get(rank) if isinstance(true, dict) else true
                if true is not None:
                    table.hold(f"{where} the gain of {change} {rank or ''}", interval, true, slack)
            found = gains(whole, path, before, [k for k, line in enumerate(before) if line not in lines], rng) if said else {}
            for key, interval in said.items():
                if key in found and interval[0] > -float("inf"):
                    table.compare("gain", way, interval, found[key][1] - found[key][0])
                    completed += 1
                    beyond += not (interval[0] - slack <= found[key][0] and found[key][1] <= interval[1] + slack)
    bad = table.print()
    print(f"{done} runs, {table.wrong} wrong intervals, {bad} of {sum(bool(v) for v in table.wider.values())} medians too wide")
    print(f"{beyond} of {completed} gains may be beyond their intervals in runs of which the logs may be the rest")
    return table.wrong != 0 or bad != 0 or 50 * beyond > completed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
