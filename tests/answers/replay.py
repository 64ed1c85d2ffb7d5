#!/usr/bin/env python3
"""Holds the remedies that `wlfmt summary --json` prints against a replay of the logs by this program, which knows
nothing of wlfmt: only of regular expressions and the definitions in docs/scale.md.

usage: replay.py WLFMT FOLDER...
"""
import collections
import glob
import json
import os
import re
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
from lost import ends  # noqa: E402

STEPS = ("get_batch", "forward_step", "loss_func", "backward_step")
IN_STAGE = ("tp", "dp", "exp", "ep_dp", "exp_dp")
PAIRS = ({"send_forward", "recv_backward"}, {"send_backward", "recv_forward"})
KEY = re.compile(r"(\w+)=(\[[^\]]*\]|[^,]*)(?:,|$)")
WIDTH = {"float32": 4, "bfloat16": 2, "float16": 2, "int64": 8, "bool": 1, "uint8": 1, "int32": 4, "float64": 8}
MOST_ERROR = 0.05


class Event:
    """A record, or a nested call."""

    def __init__(self, rank, op, of, kind=None, asynchronous=False):
        self.function = of.get("comm_func", op)
        self.rank, self.op, self.kind, self.asynchronous = rank, op, kind, asynchronous
        self.ms, self.end = float(of["duration"]), float(of["timestamp"])
        self.start, self.wait, self.subs, self.also = self.end - self.ms, 0.0, [], None
        dims = re.findall(r"\d+", of.get("input__shape", "")) if "[" in of.get("input__shape", "") else []
        self.bytes = WIDTH.get(of.get("input__dtype", "").split(".")[-1], 0) if dims else -1
        for dim in dims:
            self.bytes *= int(dim)


def read(path):
    rank, out = int(re.search(r"rank(\d+)_", path).group(1)), []
    for line in open(path):
        m = re.match(r"rank:\d+:(\w+)\((.*?),sub_operations=\[(.*)\]\)$", line.strip())
        op, of = m.group(1), dict(KEY.findall(m.group(2)))
        kind = ("model" if op == "optimizer_step" else None if not op.endswith("allreduce")
                else "embedding" if of["group_kind"] == "ep" else of["group_kind"])
        one = Event(rank, op, of, kind, op == "optimizer_step")
        before = out[-1] if out else None
        if before and {before.op, op} in PAIRS and (before.ms, before.end) == (one.ms, one.end):
            before.also = op
            continue
        for text in re.findall(r"'([^']*)'", m.group(3)):
            sub = dict(KEY.findall(text))
            one.subs.append(Event(rank, op, sub, sub["group"], sub["trace_src_func"].endswith("_async")))
        out.append(one)
    return rank, out


class Unknown(Exception):
    pass


class Replay:
    def __init__(self, folder):
        newest = {}
        for path in glob.glob(os.path.join(folder, "*rank*.txt")):
            rank, time = re.search(r"rank(\d+)_(\d+)\.txt$", path).groups()
            newest[int(rank)] = max(newest.get(int(rank), ("", "")), (time, path))
        name = os.path.basename(next(iter(newest.values()))[1])
        size = {k: int(v) for k, v in re.findall(r"(wd|tp|pp|exp)(\d+)_", name)}
        self.world, self.tp, self.pp, self.exp = size["wd"], size.get("tp", 1), size.get("pp", 1), size.get("exp", 1)
        self.dp, self.per = self.world // (self.tp * self.pp), self.world // self.pp
        if sorted(newest) != list(range(self.world)):
            raise Unknown
        self.ranks = dict(read(newest[r][1]) for r in range(self.world))
        if len({tuple(sum(e.op == op for e in events) for op in ("forward_step", "backward_step"))
                for events in self.ranks.values()}) > 1:
            raise Unknown
        stages = collections.defaultdict(set)
        for r, events in self.ranks.items():
            stages[r // self.per].add(tuple(sorted(collections.Counter(e.op for e in events).items())))
        if max(map(len, stages.values())) > 1:
            raise Unknown
        self.calls = collections.defaultdict(dict)   # (kind, group, number): by rank
        for r, events in self.ranks.items():
            count = collections.Counter()
            for event in (e for record in events for e in [record] * (record.kind is not None) + record.subs):
                group, n = self.group(event.kind, r)
                event.key = None if n == 1 else (event.kind, group, count[event.kind], n)
                if event.key:
                    self.calls[event.key][r] = event
                    count[event.kind] += 1
        for key, members in self.calls.items():
            if len(members) != key[3] or len({(e.op, e.asynchronous) for e in members.values()}) > 1:
                raise Unknown
        self.floors, alike = {}, {}
        for events in self.ranks.values():
            for e in events:
                if e.op.startswith(("send_", "recv_")):
                    self.floors[e.bytes] = min(e.ms, self.floors.get(e.bytes, e.ms))
        for key, members in self.calls.items():
            for e in members.values():
                if not e.asynchronous:
                    alike[e.kind, e.bytes] = min(e.ms, alike.get((e.kind, e.bytes), e.ms))
        self.least = {}
        for key, members in self.calls.items():
            least = min(e.ms for e in members.values())
            self.least[key] = least
            if not next(iter(members.values())).asynchronous:
                continue
            begun = {r: e.start - self.ahead(key, r) for r, e in members.items()}
            for r, e in members.items():
                e.wait = max(0.0, min(e.ms - least, max(begun.values()) - begun[r]))
            self.least[key] = 0.0 if key[0] == "model" else min(
                min(e.ms, alike.get((e.kind, e.bytes), e.ms)) for e in members.values())
        self.programs = {r: self.program(r) for r in self.ranks}
        ends = [collections.Counter(m for p in self.programs.values() for i in p if i[0] == "message" for m in i[side])
                for side in (3, 4)]
        if ends[0] != ends[1]:
            raise Unknown
        self.spans = {r: v[-1].end - v[0].start for r, v in self.ranks.items()}
        self.work = {r: sum(i[1] for i in p if i[0] in ("work", "async")) for r, p in self.programs.items()}

    def group(self, kind, r):
        inside, stage = r % self.per, r // self.per
        return {"tp": (r // self.tp, self.tp), "dp": ((stage, r % self.tp), self.dp),
                "exp": ((stage, inside // (self.tp * self.exp), r % self.tp), self.exp),
                "ep_dp": ((stage, inside % (self.tp * self.exp)), max(1, self.dp // self.exp)),
                "exp_dp": ((stage, inside % (self.tp * self.exp)), max(1, self.dp // self.exp)),
                "embedding": (inside, 2 if self.pp > 1 else 1), "model": (inside // self.tp, self.tp * self.pp)}[kind]

    def ahead(self, key, r):
        """By how much a member's clock is ahead of the first one's, by the ends of the group's blocking calls."""
        same = [m for k, m in self.calls.items() if k[:2] == key[:2] and not m[r].asynchronous]
        return statistics.median_low(m[r].end - m[min(m)].end for m in same) if same else 0.0

    def width(self):
        """How exactly the clocks tell when members arrive at a call: the greatest time by which members leave a blocking
        call apart, as they leave it together."""
        ahead = {}
        for key, members in self.calls.items():
            for r in members:
                ahead.setdefault((key[:2], r), self.ahead(key, r))
        return max((abs(e.end - m[min(m)].end - ahead[k[:2], r]) for k, m in self.calls.items() for r, e in m.items()
                    if not e.asynchronous and e.function != "broadcast"), default=0.0)

    def program(self, r):
        """Items: (what, ms, what it meets in or sends, what it receives)."""
        out, gone = [], self.ranks[r][0].start
        number = collections.Counter()

        def message(op):
            to = self.per if op in ("send_forward", "recv_backward") else -self.per
            ends = (r, r + to) if op.startswith("send") else (r + to, r)
            number[ends, op.endswith("forward")] += 1
            return ends, op.endswith("forward"), number[ends, op.endswith("forward")]

        for e in self.ranks[r]:
            out.append(("gap", max(0.0, e.start - gone), e))
            gone = e.end
            if e.op.startswith(("send_", "recv_")):
                ops = [e.op] + [e.also] * (e.also is not None)
                out.append(("message", self.floors[e.bytes], e, [message(o) for o in ops if o.startswith("send")],
                            [message(o) for o in ops if o.startswith("recv")]))
                continue
            if e.kind is not None and e.key:
                out.append(("meet", 0.0, e, e.key))
                if e.op == "optimizer_step":
                    out.append(("work", e.ms - e.wait, e))
                continue
            at = e.start
            for sub in e.subs:
                if sub.key:
                    out.append(("work", max(0.0, sub.start - at), e))
                    out.append(("async", sub.ms - sub.wait, e, sub.key) if sub.asynchronous else ("meet", 0.0, e, sub.key))
                    at = sub.end
            out.append(("work", max(0.0, e.end - at), e))
        return out

    def end(self, ms=lambda r, n, item: item[1], moves=True, programs=None):
        """When the last rank ends: all go on until none can."""
        programs = programs or self.programs
        now, at, came, sent = {r: 0.0 for r in programs}, {r: 0 for r in programs}, collections.defaultdict(dict), {}
        moved = True
        while moved:
            moved = False
            for r, items in programs.items():
                while at[r] < len(items):
                    item = items[at[r]]
                    if item[0] in ("work", "gap"):
                        now[r] += ms(r, at[r], item)
                    elif item[0] == "message":
                        for message in item[3]:
                            moved = moved or message not in sent
                            sent.setdefault(message, now[r])
                        if any(message not in sent for message in item[4]):
                            break
                        now[r] = max([now[r]] + [sent[m] for m in item[4]]) + (item[1] if moves else 0.0)
                    else:
                        key = item[3]
                        moved = moved or r not in came[key]
                        came[key].setdefault(r, now[r])
                        if len(came[key]) < key[3]:
                            break
                        last = max(came[key].values())
                        if item[0] == "meet":
                            now[r] = last + (self.least[key[:4]] if moves else 0.0)
                        else:
                            now[r] = max(now[r] + ms(r, at[r], item), last + self.least[key[:4]])
                    at[r] += 1
                    moved = True
        if any(at[r] < len(items) for r, items in programs.items()):
            raise Unknown
        return max(now.values())

    def stages(self):
        return [range(s * self.per, (s + 1) * self.per) for s in range(self.pp)]

    def remedies(self):
        base, work = self.replayed, self.work
        middle, mean, alike = {}, {}, True
        for ranks in self.stages():
            same = len({tuple(i[0] for i in self.programs[r]) for r in ranks}) == 1
            alike = alike and same
            for r in ranks:
                others = [work[o] for o in ranks if o != r]
                peer = statistics.median_low(others) if others else work[r]
                middle[r] = [i[1] * min(1.0, peer / work[r] if work[r] else 1.0) for i in self.programs[r]]
                mean[r] = [i[1] for i in self.programs[r]]
            for n, column in enumerate(zip(*(self.programs[r] for r in ranks)) if same else ()):
                for r, item in zip(ranks, column):
                    middle[r][n] = min(item[1], statistics.median_low(i[1] for i in column))
                    mean[r][n] = sum(i[1] for i in column) / len(column)
        peers = {r: [work[o] for o in range(r // self.per * self.per, (r // self.per + 1) * self.per) if o != r] for r in work}
        slow = [r for r in work if peers[r] and work[r] > 1.05 * statistics.median_low(peers[r])]

        def changed(which, by):
            return lambda r, n, item: by[r][n] if r in which and item[0] in ("work", "async") else item[1]

        out = {}
        if slow:
            out["rank_as_peers"] = {r: base - self.end(changed({r}, middle)) for r in slow}
        if len(slow) > 1:
            out["all_ranks_as_peers"] = base - self.end(changed(set(slow), middle))
        if self.per > 1 and alike:  # it is defined for pieces that all ranks of a stage have
            out["even_work_in_stages"] = base - self.end(changed(set(work), mean))
        if self.pp > 1:
            each = [sum(work[r] for r in ranks) for ranks in self.stages()]
            factor = [sum(each) / self.pp / one for one in each]
            out["even_stages"] = base - self.end(
                lambda r, n, item: item[1] * (factor[r // self.per] if item[0] in ("work", "async") else 1.0))
        out["no_gaps"] = base - self.end(lambda r, n, item: 0.0 if item[0] == "gap" else item[1])
        out["no_transfer"] = base - self.end(moves=False)
        twice = self.twice() if self.pp > 1 else None
        if twice is not None:
            out["twice_the_micro_batches"] = base - (base + twice) / 2
        return out

    def twice(self):
        """What twice the micro-batches add: both as one forward and one backward pass in turn."""
        passes, floor = {}, max(self.floors.values(), default=0.0)
        for r, items in self.programs.items():
            forward, backward, which = [], [], None
            for item in items:
                op = item[2].op
                if item[0] == "gap":
                    if op in ("get_batch", "backward_step") or (
                            op == "forward_step" and not (which is not None and which and which[-1][2].op == "get_batch")):
                        which = []
                        (backward if op == "backward_step" else forward).append(which)
                elif op in STEPS and which is not None:
                    which.append(item)
            passes[r] = forward, backward
        if len({len(p) for both in passes.values() for p in both}) != 1 or not passes[0][0]:
            return None
        count = len(passes[0][0])
        # With one micro-batch there is no steady phase, of which it could be seen.
        exchanges = count == 1 or any(i[0] == "message" and i[3] and i[4] for p in self.programs.values() for i in p)

        def program(r, batches):
            stage, items = r // self.per, self.programs[r]
            pause = ("gap", statistics.median_low(i[1] for i in items if i[0] == "gap"), None)
            busy = [n for n, i in enumerate(items) if i[2].op in STEPS or i[0] == "message"]
            first = next(n for n, i in enumerate(items) if i[2] is items[busy[0]][2])
            out = items[:first]

            def has(other):
                return 0 <= other < self.world

            def message(sends, receives):
                sends = [s for s in sends if has(r + (-self.per if s[1] else self.per))]
                receives = [m for m in receives if has(m[0])]
                if sends or receives:
                    out.extend([("message", floor, None, sends, receives), pause])

            def exchange(sends, receives):
                """Of a steady phase a send and the receive after it are one, where the run has such."""
                if exchanges:
                    return message(sends, receives)
                message(sends, [])
                return message([], receives)

            def one(backward, batch):
                for item in passes[r][backward][batch % count]:
                    out.append(item[:3] + (item[3] + (batch // count,),) if item[0] in ("meet", "async") else item)
                out.append(pause)

            def sent(backward, batch):
                return [(r, backward, batch)]

            def received(backward, batch):
                return [(r + (self.per if backward else -self.per), backward, batch)]

            ahead = min(batches, self.pp - 1 - stage)
            for n in range(ahead):
                message([], received(0, n))
                one(0, n)
                message(sent(0, n), [])
            for n in range(batches - ahead):
                if n == 0:
                    message([], received(0, ahead))
                one(0, ahead + n)
                exchange(sent(0, ahead + n), received(1, n))
                one(1, n)
                if n + 1 == batches - ahead:
                    message(sent(1, n), [])
                else:
                    exchange(sent(1, n), received(0, ahead + n + 1))
            for n in range(batches - ahead, batches):
                message([], received(1, n))
                one(1, n)
                message(sent(1, n), [])
            return out + items[busy[-1] + 1:]

        ends = [self.end(programs={r: program(r, n) for r in self.programs}) for n in (count, 2 * count)]
        return ends[1] - ends[0] if abs(ends[0] - self.replayed) <= MOST_ERROR * self.replayed else None

    def bandwidth(self):
        """By kind, collective and size (None: sizes differ): ranks, calls, bytes, all, median and least transfer, GB/s."""
        rows = collections.defaultdict(list)
        for key, members in self.calls.items():
            some = next(iter(members.values()))
            if not some.asynchronous:
                sizes = {e.bytes for e in members.values()}
                mean = sum(e.bytes for e in members.values()) / len(members)
                rows[key[0], some.function, sizes.pop() if len(sizes) == 1 else None].append((key[3], mean, self.least[key]))
        out = {}
        for (kind, function, size), calls in rows.items():
            n, bytes_, ms = calls[0][0], sum(c[1] for c in calls), [c[2] for c in calls]
            bus = {"allreduce": 2 * (n - 1) / n, "all_to_all": (n - 1) / n, "allgather": n - 1, "broadcast": 1}
            speed = bytes_ / sum(ms) / 1e6
            out[kind, function, size] = [n, len(calls), bytes_, sum(ms), statistics.median_low(ms), min(ms), speed,
                                         speed * bus[function.split("_", 1)[1] if function.endswith("_allreduce") else function]]
        return out

    def answer(self):
        iteration = max(self.spans.values())
        self.replayed = self.end()
        error = abs(self.replayed - iteration) / iteration
        return dict(iteration=iteration, replayed=self.replayed, error=100 * error, bandwidth=self.bandwidth(),
                    remedies=self.remedies() if error <= MOST_ERROR else {})


def main(wlfmt, folders):
    bad, count = 0, collections.Counter()
    for folder in folders:
        said = json.loads(subprocess.run([wlfmt, "summary", "--json", folder], capture_output=True, check=False).stdout)
        answers, said = said["answers"], said["answers"]["replay"]
        try:
            run = Replay(folder)
            own = dict(run.answer(), width=run.width())
        except Unknown:
            own = dict(remedies={})
        # Where clocks leave an interval of the work in optimizer_step, each program takes a number of it.
        slack = 0.02 + max(most - least for most, least in (reversed(ends(rank, "work")) for rank in answers["ranks"]))
        # What hosts' clocks do not tell, the two programs may take to be different.
        slack += own.get("width", 0) if answers["clocks"] > 1 else 0
        differences = [f"{key}: {said.get(key)}, not {own[key]}" for key in ("iteration", "replayed", "error")
                       if key in own and abs(said.get(key, -1) - own[key]) > (0.02 if key == "iteration" else slack)]
        if own["remedies"]:
            have = {(b["group"], b["function"], b.get("size")): [
                b["ranks"], b["calls"], b["bytes"], b["transfer"], b["median_transfer"], b["least_transfer"],
                b["algorithm_gbs"], b["bus_gbs"]] for b in answers["bandwidth"]}
            if set(have) != set(own["bandwidth"]) or any(
                    abs(h - o) > 1e-3 + 1e-6 * abs(o) for key, row in own["bandwidth"].items() for h, o in zip(have[key], row)):
                differences.append(f"bandwidth: {have}, not {own['bandwidth']}")
            for rank in answers["ranks"]:
                of_others = [ends(w, "ms") for w in answers["waits"] if w["waiting"] == rank["rank"]]
                waited = sum(least for least, _ in of_others), sum(most for _, most in of_others)
                waiting = ends(rank, "waiting")
                # Where all members come at once, or clocks do not tell, nobody was waited for.
                if waited[0] > waiting[1] + 0.01 or waited[1] < 0.99 * waiting[0] - 0.01:
                    differences.append(f"rank {rank['rank']} waited {waiting}, for others {waited}")
        gains = {one["change"]: one for one in said["remedies"]}
        # Who is slow is not said where that depends on what is not known exactly.
        unsaid = {"rank_as_peers", "all_ranks_as_peers"} if slack > 0.02 and "rank_as_peers" not in gains else set()
        if answers["lost"] and not own["remedies"]:
            pass  # what a missing record may have been makes intervals of gains, which damaged.py holds
        elif set(gains) - unsaid != set(own["remedies"]) - unsaid:
            differences.append(f"{sorted(gains)}, not {sorted(own['remedies'])}")
        # Of these the limit of all slow ranks holds those, too, that may be slow.
        ratios = [ends(rank, "ratio") for rank in answers["ranks"]]
        is_wider = {"all_ranks_as_peers"} if any(least <= 1.05 < most for least, most in ratios) else set()
        for change, gain in own["remedies"].items():
            have = gains.get(change)
            if have is None:
                continue
            count[change] += 1
            if change == "rank_as_peers":
                gain = max(gain.values()) if abs(max(gain.values()) - gain.get(have["rank"], -1)) < 0.01 else -1
            least, most = ends(have, "gain")
            if not least - slack <= gain <= most + slack or (
                    have["kind"] == "limit" and change not in is_wider and gain < most - slack):
                differences.append(f"{change}: {have}, not {gain}")
            if (have["kind"] == "limit") != (change in ("no_transfer", "all_ranks_as_peers")):
                differences.append(f"{change} is a {have['kind']}")
        if said["remedies"] and [r["kind"] for r in said["remedies"]] != sorted((r["kind"] for r in said["remedies"]), reverse=True):
            differences.append("limits are not last")
        for one in differences:
            bad = 1
            print(f"{folder}: {one}")
    print(", ".join(f"{n} of {change}" for change, n in sorted(count.items())))
    return bad or (len(folders) > 20 and len(count) < 7)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
