#!/usr/bin/env python3
"""Holds `wlfmt summary --json` against what this program computes from the logs by itself: regular expressions and
ast.literal_eval, no wlfmt.

usage: compute.py WLFMT FOLDER...

Works from the definitions in docs/scale.md: work and waiting by the shortest member of each call, calls aligned within
their records. Where FOLDER.json is beside a folder, it is what the run was made to be (make_runs.py).
"""
import ast
import glob
import json
import os
import re
import statistics
import subprocess
import sys
from collections import namedtuple

RECORD = re.compile(r"rank:(\d+):(\w+)\((.*?),sub_operations=(\[.*\])\)$")
WIDTH = {"float32": 4, "bfloat16": 2, "float16": 2, "int64": 8, "bool": 1, "uint8": 1, "int32": 4, "float64": 8}
STEPS = ("get_batch", "forward_step", "loss_func", "backward_step")
STAGE_GROUPS = ("tp", "dp", "exp", "ep_dp", "exp_dp")


def fields(text):
    return dict(re.findall(r"(\w+)=(\[[^\]]*\]|torch\.Size\(\[[^\]]*\]\)|[^,]*)(?:,|$)", text))


def size(of):
    dims = re.findall(r"\d+", of.get("input__shape", "")) if "[" in of.get("input__shape", "") else []
    if not dims:
        return 0
    bytes_ = WIDTH.get(of.get("input__dtype", "").split(".")[-1], 0)
    for dim in dims:
        bytes_ *= int(dim)
    return bytes_


def newest(folder):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*rank*.txt"))):
        rank, time = re.search(r"rank(\d+)_(\d+)\.txt$", path).groups()
        found[int(rank)] = max(found.get(int(rank), ("", "")), (time, path))
    return {rank: path for rank, (_, path) in found.items()}


Call = namedtuple("Call", "kind op batch function source took end beside record nested bytes")
NOISE, MILLISECOND = 0.07, 1.0


def number(text):
    try:
        value = float(text)
    except (TypeError, ValueError):
        return None
    return value if value == value and abs(value) != float("inf") else None


class Rank:
    def __init__(self, path):
        self.spans, self.calls, self.messages, self.nested_bytes, self.doubles = [], [], [], 0, 0
        self.untimed, self.negative, self.stage = 0, 0, None
        before, batch, record = None, None, -1
        for line in open(path):
            m = RECORD.match(line.strip())
            if not m:
                continue
            record += 1
            op, of, nested = m.group(2), fields(m.group(3)), ast.literal_eval(m.group(4))
            self.stage = int(of["stage_id"])
            took, end = number(of["duration"]), number(of["timestamp"])
            if took is None or end is None or took < 0 or took == end == 0:
                self.untimed += 1
                self.negative += took is not None and took < 0
                before = None
                continue
            if before and (op, of["duration"], of["timestamp"]) == before and of["batch_id"] == batch:
                continue  # a record that is there twice
            batch = of["batch_id"]
            both = {op, before[0]} if before else set()
            if before and (of["duration"], of["timestamp"]) == before[1:] and both in (
                    {"send_forward", "recv_backward"}, {"send_backward", "recv_forward"}):
                self.doubles += 1
                before = (op, of["duration"], of["timestamp"])
                continue
            before = (op, of["duration"], of["timestamp"])
            self.spans.append((op, end - took, end, of["batch_id"]))
            if op.startswith(("send_", "recv_")):
                self.messages.append((size(of), took))
                continue
            if op.endswith("allreduce"):
                kind = "embedding" if of["group_kind"] == "ep" else of["group_kind"]
                self.calls.append(Call(kind, op, of["batch_id"], op, "", took, end, False, record, False, size(of)))
                continue
            if op == "optimizer_step":
                self.calls.append(Call("model", op, of["batch_id"], op, "", took, end, True, record, False, 0))
            for text in nested:
                sub = fields(text)
                took, end = number(sub.get("duration")), number(sub.get("timestamp"))
                if took is None or end is None or took < 0:
                    continue
                self.nested_bytes += size(sub)
                source = sub.get("trace_src_func", "")
                self.calls.append(Call(sub.get("group"), op, of["batch_id"], sub.get("comm_func"), source, took, end,
                                       source.endswith("_async"), record, True, size(sub)))


def like(a, b):
    return (a.function, a.source, a.beside, a.nested) == (b.function, b.source, b.beside, b.nested)


def path(a, b, offset, any_function):
    """The longest common subsequence of two lists of calls, of those the one whose ends are nearest."""
    best = [[(0, 0.0, None)] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            choices = [(0, 0.0, None)] if i == j == 0 else []
            if i:
                choices.append(best[i - 1][j][:2] + ("a",))
            if j:
                choices.append(best[i][j - 1][:2] + ("b",))
            if i and j and (any_function or like(a[i - 1], b[j - 1])):
                count, apart, _ = best[i - 1][j - 1]
                apart += abs(b[j - 1].end - a[i - 1].end - offset)
                apart += MILLISECOND if not any_function and a[i - 1].bytes != b[j - 1].bytes else 0.0
                choices.append((count + 1, apart, "both"))
            best[i][j] = max(choices, key=lambda c: (c[0], -c[1]))
    found, i, j = {}, len(a), len(b)
    while i or j:
        step = best[i][j][2]
        if step == "both":
            found[i - 1] = j - 1
        i, j = i - (step != "b"), j - (step != "a")
    return best[-1][-1][:2], found


def matched(a, b, offset, any_function):
    if len(a) == len(b) and (any_function or all(map(like, a, b))):
        return {k: k for k in range(len(a))}
    if not b:
        return {}
    if offset is not None:
        return path(a, b, offset, any_function)[1]
    surplus = len(a) - len(b)
    found = [path(a, b, statistics.median_low([y.end - x.end for x, y in zip(a[skip:], b)]), any_function)
             for skip in (0, surplus)]
    (count, apart), best = max(found, key=lambda f: (f[0][0], -f[0][1]))
    return best if apart <= MILLISECOND * count else {}


def align(calls):
    """Rows of calls: of each member that has the call, its place."""
    ranks = sorted(calls)
    keys = {r: [(c.op, c.batch, c.function, c.source, c.beside, c.nested) for c in own] for r, own in calls.items()}
    if all(keys[r] == keys[ranks[0]] for r in ranks):
        return [{r: k for r in ranks} for k in range(len(keys[ranks[0]]))]
    units = {}
    for r in ranks:
        for k, call in enumerate(calls[r]):
            of = units.setdefault((call.op, call.batch, call.nested), {}).setdefault(r, [])
            if of and call.nested and calls[r][of[-1][-1]].record == call.record:
                of[-1].append(k)
            else:
                of.append([k])
    units = [{r: u.get(r, []) for r in ranks} for u in units.values() if 2 * len(u) >= len(ranks)]
    offsets = {ranks[0]: 0.0}
    for r in ranks[1:]:
        apart = []
        for u in units:
            for a, b in zip(u[ranks[0]], u[r]) if len(u[r]) == len(u[ranks[0]]) else ():
                if [keys[ranks[0]][k] for k in a] == [keys[r][k] for k in b]:
                    apart += [calls[r][y].end - calls[ranks[0]][x].end for x, y in zip(a, b)
                              if not calls[r][y].beside]
        if apart:
            offsets[r] = statistics.median_low(apart)

    def between(a, b):
        return offsets[b] - offsets[a] if a in offsets and b in offsets else None

    rows = []
    for u in units:
        longest = max(ranks, key=lambda r: (len(u[r]), -r))
        first = {r: [calls[r][k[0]] for k in u[r]] for r in ranks}
        partner = {r: matched(first[longest], first[r], between(longest, r), True) for r in ranks}
        for n in range(len(u[longest])):
            lists = {r: u[r][partner[r][n]] for r in ranks if n in partner[r]}
            most = max(lists, key=lambda r: (len(lists[r]), r == longest, -r))
            own = {r: [calls[r][k] for k in lists[r]] for r in lists}
            pairs = {r: matched(own[most], own[r], between(most, r), False) for r in lists}
            rows += [{r: lists[r][pairs[r][k]] for r in lists if k in pairs[r]} for k in range(len(lists[most]))]
    return rows


class Computation:
    def __init__(self, folder):
        paths = newest(folder)
        name = os.path.basename(next(iter(paths.values())))
        known = {k: int(v) for k, v in re.findall(r"(wd|tp|pp|exp)(\d+)_", name)}
        self.world, self.tp, self.pp = known["wd"], known.get("tp", 1), known.get("pp", 1)
        self.exp, self.dp = known.get("exp", 1), known["wd"] // (known.get("tp", 1) * known.get("pp", 1))
        self.ranks = {r: Rank(path) for r, path in sorted(paths.items())}
        self.ranks = {r: rank for r, rank in self.ranks.items() if rank.spans}
        self.waiting = {r: {} for r in self.ranks}     # by kind
        self.transfer = {r: 0.0 for r in self.ranks}
        self.unknown = {r: 0.0 for r in self.ranks}
        self.not_work = {r: 0.0 for r in self.ranks}   # of records of computation
        self.alone = {r: 0.0 for r in self.ranks}      # records of groups of one
        self.caused = {r: 0.0 for r in self.ranks}
        self.uneven = {r: 0.0 for r in self.ranks}
        groups = {}
        for r, rank in self.ranks.items():
            for call in rank.calls:
                key = self.group(call.kind, r)
                groups.setdefault(key, {}).setdefault(r, []).append(call)
        begins = {r: min(s[1] for s in v.spans) for r, v in self.ranks.items()}
        ends = {r: max(s[2] for s in v.spans) for r, v in self.ranks.items()}
        self.common = max(begins.values()) < min(ends.values())
        rows = {key: align(calls) for key, calls in groups.items() if key[2] > 1}
        self.judge(groups, rows)
        self.find_clocks(begins, ends)
        for key, calls in groups.items():
            self.add_group(key, calls, rows.get(key, []))
        floors = {}
        for rank in self.ranks.values():
            for bytes_, took in rank.messages:
                floors[bytes_] = min(took, floors.get(bytes_, took))
        for r, rank in self.ranks.items():
            for bytes_, took in rank.messages:
                if not self.together:
                    self.unknown[r] += took
                    continue
                self.add_waiting(r, "pp", took - floors[bytes_])
                self.transfer[r] += floors[bytes_]

    def group(self, kind, r):
        inside = r % (self.world // self.pp)
        stage = r // (self.world // self.pp)
        if kind == "tp":
            return kind, r // self.tp, self.tp
        if kind == "dp":
            return kind, (stage, r % self.tp), self.dp
        if kind == "exp":
            return kind, (stage, inside // (self.tp * self.exp), r % self.tp), self.exp
        if kind in ("ep_dp", "exp_dp"):
            return kind, (stage, inside % (self.tp * self.exp)), self.dp // self.exp
        if kind == "embedding":
            return kind, inside, 2 if self.pp > 1 else 1
        return kind, inside // self.tp, self.tp * self.pp  # model

    def judge(self, groups, rows):
        """Were the ranks traced together, and do their clocks agree?"""
        spreads, extents, far = [], [], 0.0
        self.offsets, self.deviations = {}, {}
        for key, calls in groups.items():
            if key[2] < 2 or len(calls) < 2:
                continue
            ranks = sorted(calls)
            blocking = [row for row in rows[key] if len(row) == len(ranks) and not calls[ranks[0]][row[ranks[0]]].beside]
            blocking.sort(key=lambda row: row[ranks[0]])
            if not blocking:
                continue
            end = {r: [calls[r][row[r]].end for row in blocking] for r in ranks}
            self.offsets[key] = {r: statistics.median_low([b - a for a, b in zip(end[ranks[0]], end[r])])
                                 for r in ranks}
            self.deviations[key] = {r: statistics.median_low([abs(b - a - self.offsets[key][r])
                                                              for a, b in zip(end[ranks[0]], end[r])]) for r in ranks}
            # Where calls are lost, those that are left may be broadcasts, whose source leaves before the others.
            if (any(len(row) < len(ranks) for row in rows[key]) and max(self.deviations[key].values()) > NOISE):
                del self.offsets[key], self.deviations[key]
                continue
            far = max([far, *map(abs, self.offsets[key].values())])
            if len(blocking) > 1:
                lengths = [e[-1] - e[0] for e in end.values()]
                spreads.append(max(lengths) - min(lengths))
                extents.append(max(lengths))
        self.together = self.common or any(rank.messages for rank in self.ranks.values())
        if spreads:
            self.together = statistics.median_low(spreads) <= 0.1 + 0.01 * statistics.median_low(extents)
        self.same_clock = self.common and far < 1

    def find_clocks(self, begins, ends):
        """Ranks that leave calls together have one clock; of others, those whose spans overlap."""
        self.clock = {r: r for r in self.ranks}

        def join(a, b):
            old, new = self.clock[a], self.clock[b]
            self.clock = {r: new if c == old else c for r, c in self.clock.items()}

        apart = []
        for key, of in self.offsets.items() if self.together else ():
            order = sorted(of, key=lambda r: of[r])
            for a, b in zip(order, order[1:]):
                if of[b] - of[a] < 1:
                    join(a, b)
                elif max(self.deviations[key][a], self.deviations[key][b]) < MILLISECOND / 10:
                    apart.append({a, b})
        order = sorted(self.ranks, key=lambda r: begins[r])
        clusters = []
        for r in order if self.together else ():
            if clusters and begins[r] < max(ends[o] for o in clusters[-1]):
                clusters[-1].append(r)
            else:
                clusters.append([r])
        for cluster in clusters:
            if not any(pair <= set(cluster) for pair in apart):
                for r in cluster[1:]:
                    join(r, cluster[0])

    def add_waiting(self, r, kind, ms):
        self.waiting[r][kind] = self.waiting[r].get(kind, 0.0) + ms

    def add_group(self, key, calls, rows):
        kind, _, size_ = key
        known = {}
        for row in rows:
            if self.together and len(calls) == size_ and len(row) == size_:
                self.add_call(key, calls, row)
                known.update({(r, k): True for r, k in row.items()})
        for r, own in calls.items():
            for k, call in enumerate(own):
                if (r, k) in known:
                    continue
                if size_ == 1:
                    self.alone[r] += 0.0 if call.nested or kind == "model" else call.took
                elif call.beside and not (kind == "model" and self.together):
                    continue
                else:
                    self.unknown[r] += call.took
                    self.not_work[r] += call.took if call.nested or kind == "model" else 0.0

    def add_call(self, key, calls, row):
        kind = key[0]
        own = {r: calls[r][k] for r, k in row.items()}
        beside = next(iter(own.values())).beside
        least = min(c.took for c in own.values())
        one_clock = len({self.clock[r] for r in own}) == 1
        offset = self.offsets.get(key) or ({r: 0.0 for r in own} if one_clock else None)
        start = {r: round(c.end - c.took - offset[r], 6) for r, c in own.items()} if offset else None
        if not beside:
            late = [r for r, c in own.items() if round(c.took - least, 6) <= NOISE]
        else:
            late = [r for r in own if round(max(start.values()) - start[r], 6) <= NOISE] if offset else []
        for r, call in own.items():
            wait = call.took - least
            if offset:
                grain = 0.0 if beside else MILLISECOND
                left = round(start[r] + call.took + grain, 6)
                bound = max(0.0, max(s for s in start.values() if s <= left) - start[r])
                if wait - bound > grain and (beside or any(s > left for s in start.values())):
                    wait = bound
            others = [o for o in late if o != r]
            for o in others if kind in STAGE_GROUPS else ():
                self.caused[o] += wait / len(others)
            if kind in STAGE_GROUPS and call.op in STEPS:
                self.uneven[r] += wait
            self.add_waiting(r, kind, wait)
            if beside:
                self.not_work[r] += wait
            else:
                self.transfer[r] += call.took - wait
                self.not_work[r] += call.took if call.nested else 0.0

    def steps(self):
        """How many iterations there are."""
        return max(1, *(sum(s[0] == "optimizer_step" for s in rank.spans) for rank in self.ranks.values()))

    def known(self, batches, passes):
        """The number of micro-batches; None if several passes of one show that the logs do not number them."""
        several = self.is_interleaved() and batches > self.steps()
        return batches if passes <= batches or several else None

    @staticmethod
    def passes(spans):
        return sum(op == "forward_step" for op, *_ in spans)

    @staticmethod
    def batches(spans):
        """Micro-batches of all iterations, each of which its optimizer_step ends."""
        found, iteration = set(), 0
        for op, _, _, batch in spans:
            if op == "forward_step":
                found.add((iteration, batch))
            iteration += op == "optimizer_step"
        return len(found)

    @staticmethod
    def pipe_span(spans):
        """From the first record of each iteration to the end of its last backward step."""
        found, begin, end = None, None, None
        for op, start, stop, _ in [*spans, ("optimizer_step", None, None, None)]:
            begin = start if begin is None else begin
            end = stop if op == "backward_step" else end
            if op == "optimizer_step":
                found = found if end is None else (found or 0.0) + end - begin
                begin = end = None
        return found

    def chunks(self):
        """How many forward steps each rank has of each micro-batch; 0 if they differ."""
        passes = {}
        for r, rank in self.ranks.items():
            iteration = 0
            for op, _, _, batch in rank.spans:
                if op == "forward_step":
                    passes[r, iteration, batch] = passes.get((r, iteration, batch), 0) + 1
                iteration += op == "optimizer_step"
        counts = set(passes.values())
        return counts.pop() if len(counts) == 1 else 0

    def is_interleaved(self):
        """The last stage of a virtual pipeline sends forward."""
        return any(op.startswith("send_forward") for r, rank in self.ranks.items() if r // (self.world // self.pp) == self.pp - 1
                   for op, *_ in rank.spans)

    def answer(self):
        ranks = {}
        for r, rank in self.ranks.items():
            spans = rank.spans
            time = sum(end - begin for _, begin, end, _ in spans)
            computed = sum(end - begin for op, begin, end, _ in spans
                           if not op.startswith(("send_", "recv_")) and not op.endswith("allreduce"))
            within = sum(w for kind, w in self.waiting[r].items() if kind in STAGE_GROUPS)
            begin = min(s[1] for s in spans)
            ranks[r] = dict(span=max(s[2] for s in spans) - begin,
                            work=computed - self.not_work[r] + self.alone[r], transfer=self.transfer[r],
                            in_stage=within, pipeline=sum(self.waiting[r].values()) - within, caused=self.caused[r],
                            unknown=self.unknown[r], untimed=rank.untimed, negative=rank.negative,
                            pipe=sum(end - begin for op, begin, end, _ in spans if op in STEPS),
                            doubles=rank.doubles, nested_bytes=rank.nested_bytes, uneven=self.uneven[r],
                            pipe_span=self.pipe_span(spans),
                            m=self.known(self.batches(spans), self.passes(spans)))
            ranks[r]["gap"] = ranks[r]["span"] - time
        out = dict(together=self.together, same_clock=self.same_clock, ranks=ranks)
        batches = self.known(*(max(count(rank.spans) for rank in self.ranks.values()) for count in (self.batches, self.passes)))
        stages = {}
        for r, rank in self.ranks.items():
            stages.setdefault(rank.stage, []).append(r)
        busy = {s: sum(ranks[r]["pipe"] for r in members) / len(members) for s, members in stages.items()}
        out["per_batch"] = {s: b / max(1, batches or 0) for s, b in busy.items()}
        longest = [r["pipe_span"] for r in ranks.values() if r["pipe_span"] is not None]
        if self.together and self.pp > 1 and longest and 0 in stages:
            out["pipe_ms"] = max(longest)
        if "pipe_ms" in out and len(stages) == self.pp:
            out["bubble_share"] = 100 * sum(1 - b / max(longest) for b in busy.values()) / len(busy)
            if not batches:
                return out
            steps, chunks = self.steps(), self.chunks()
            if not self.is_interleaved() or (chunks > 1 and batches / steps % self.pp == 0):
                out["bubble_equal_share"] = 100 * (self.pp - 1) / (max(chunks, 1) * batches / steps + self.pp - 1)
            if self.is_interleaved():
                return out
            for key, saved in (("pipe_least_ms", 0), ("pipe_least_even_ms", 1)):
                t = [(busy[s] - saved * sum(ranks[r]["uneven"] for r in stages[s]) / len(stages[s])) / batches
                     for s in sorted(stages)]
                out[key] = steps * max(sum(t[:n]) + batches / steps * t[n] for n in range(len(t)))
            if out["pipe_least_ms"] > out["pipe_ms"]:  # the first micro-batch was quicker than their mean
                del out["pipe_least_ms"], out["pipe_least_even_ms"]
        return out


def close(a, b):
    return a is not None and abs(a - b) <= 0.02


def differences(wlfmt, folder):
    done = subprocess.run([wlfmt, "summary", "--json", folder], capture_output=True, check=False)
    said = json.loads(done.stdout)["answers"]
    own = Computation(folder).answer()
    bad = []

    def expect(what, have, want):
        if (have != want) if isinstance(want, (bool, str, list)) else not close(have, want):
            bad.append(f"{os.path.basename(folder)}: {what}: the command says {have}, not {want}")

    expect("together", said["together"], own["together"])
    expect("same_clock", said["same_clock"], own["same_clock"])
    if [r["rank"] for r in said["ranks"]] != list(own["ranks"]):
        bad.append(f"{folder}: other ranks")
    for r in said["ranks"]:
        want = own["ranks"][r["rank"]]
        unknown = () if own["together"] else ("transfer", "in_stage", "pipeline", "caused", "uneven")
        for key, value in want.items():
            if key in unknown:
                if key in r:
                    bad.append(f"{folder}: {key} is told of ranks that were traced separately")
            elif f"{key}_least" in r or f"{key}_most" in r:
                # What is lost is in no sum of what is there. Durations alone bound the waiting in optimizer_step from above.
                if value is None or said["lost"]:
                    continue
                low = high = value
                if key != "work":
                    high += want["unknown"] or 0.0
                if not own["same_clock"] and key in ("work", "pipeline"):
                    low, high = (low, float("inf")) if key == "work" else (0.0, high)
                if r.get(f"{key}_least", high) - 0.02 > high or r.get(f"{key}_most", low) + 0.02 < low:
                    bad.append(f"{folder}: {key} of rank {r['rank']} is not in {low} to {high}")
            elif key in ("work", "pipeline") and not own["same_clock"] and {"work", "pipeline"} <= r.keys() and want["pipeline"] is not None:
                # Durations alone bound the waiting in optimizer_step; messages between two hosts may bound it more.
                if r["pipeline"] > want["pipeline"] + 0.02 or not close(r["work"] + r["pipeline"], want["work"] + want["pipeline"]):
                    bad.append(f"{folder}: {key} of rank {r['rank']} is {r[key]}, and {value} by durations alone")
            elif key == "unknown" and r[key] < value:
                pass  # members waited in an incomplete call for all but the least that it took any of them
            elif value is None and key == "m" and key in r:
                bad.append(f"{folder}: {key} of rank {r['rank']} is told, and cannot be known")
            elif value is not None:
                expect(f"rank {r['rank']}: {key}", r.get(key), value)
        parts = ("work", "transfer", "in_stage", "pipeline", "gap", "unknown")
        if all(part in r for part in parts) and abs(r["span"] - sum(r[part] for part in parts)) > 1e-5:
            bad.append(f"{folder}: the account of rank {r['rank']} does not add up")
    for s in said["stages"]:
        if "per_batch" in s:
            expect(f"stage {s['stage']}: a micro-batch", s["per_batch"], own["per_batch"][s["stage"]])
    for key in ("pipe_ms", "bubble_share", "bubble_equal_share", "pipe_least_ms", "pipe_least_even_ms"):
        is_part = said["lost"] or said["missing_ranks"]
        if key in own and key not in said and is_part:
            pass  # what is lost is in none of what is there
        elif key in own:
            expect(key, said.get(key), own[key])
        elif key in said and not (key == "bubble_equal_share" and own["together"]) and not (key.startswith("pipe_least") and is_part):
            bad.append(f"{folder}: {key} is told, and cannot be known")
    if os.path.exists(folder + ".json"):
        with open(folder + ".json") as f:
            truth = json.load(f)
        for r in said["ranks"]:
            for key, value in truth["ranks"][str(r["rank"])].items():
                least, most = (r.get(f"{key}_{end}", r.get(key)) for end in ("least", "most"))
                if own["together"] and not (least is not None and most is not None and least - 0.02 <= value <= most + 0.02):
                    bad.append(f"{folder}: rank {r['rank']}: {key} is in {least} to {most}, and was made to be {value}")
        slow, told = said["slowest_rank"], truth["said"]
        if "ratio" in told:
            expect("the slowest rank's reason", slow["reason"], "more bytes")
            expect("the slowest rank", slow["rank"], told["rank"])
            expect("imbalance", said["imbalance"][0]["ratio"], told["ratio"])
            expect("its rank", said["imbalance"][0]["greatest_rank"], told["rank"])
        elif told:
            expect("the slowest stage", said["slowest_stage"]["stage"], told["stage"])
            reason = "more work in all its ranks" if told["rank"] is None else f"rank {told['rank']}"
            expect("the slowest stage's reason", said["slowest_stage"]["reason"], reason)
            if told["rank"] is not None:
                expect("the slowest rank", slow["rank"], told["rank"])
                expect("its reason", slow["reason"], "same operations and bytes, longer")
    return bad


def main(wlfmt, folders):
    bad = [one for folder in folders for one in differences(wlfmt, folder.rstrip("/"))[:20]]
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
