#!/usr/bin/env python3
"""Holds `wlfmt summary --json` against what this program computes from the logs by itself: regular expressions and
ast.literal_eval, no wlfmt.

usage: compute.py WLFMT FOLDER [TRUTH.json]

Works from the definitions in docs/scale.md: work and waiting by the shortest member of each call. TRUTH is what a run
was made to be (make_runs.py).
"""
import ast
import glob
import json
import os
import re
import statistics
import subprocess
import sys

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


class Rank:
    def __init__(self, path):
        self.spans, self.calls, self.messages, self.nested_bytes, self.doubles = [], [], [], 0, 0
        before = None
        for line in open(path):
            m = RECORD.match(line.strip())
            if not m:
                continue
            op, of, nested = m.group(2), fields(m.group(3)), ast.literal_eval(m.group(4))
            self.stage = int(of["stage_id"])
            span = (float(of["timestamp"]) - float(of["duration"]), float(of["timestamp"]))
            both = {op, before[0]} if before else set()
            if before and (of["duration"], of["timestamp"]) == before[1:] and both in (
                    {"send_forward", "recv_backward"}, {"send_backward", "recv_forward"}):
                self.doubles += 1
                continue
            before = (op, of["duration"], of["timestamp"])
            self.spans.append((op, *span, of["batch_id"]))
            took = float(of["duration"])
            if op.startswith(("send_", "recv_")):
                self.messages.append((size(of), took))
            elif op.endswith("allreduce"):
                kind = "embedding" if of["group_kind"] == "ep" else of["group_kind"]
                self.calls.append((kind, op, None, took, span[1], False))
            else:
                if op == "optimizer_step":
                    self.calls.append(("model", op, None, took, span[1], True))
                for text in nested:
                    sub = fields(text)
                    if "duration" not in sub or "timestamp" not in sub:
                        continue
                    self.nested_bytes += size(sub)
                    self.calls.append((sub.get("group"), op, sub.get("comm_func"), float(sub["duration"]),
                                       float(sub["timestamp"]), sub.get("trace_src_func", "").endswith("_async")))


class Computation:
    def __init__(self, folder):
        paths = newest(folder)
        name = os.path.basename(next(iter(paths.values())))
        known = {k: int(v) for k, v in re.findall(r"(wd|tp|pp|exp)(\d+)_", name)}
        self.world, self.tp, self.pp = known["wd"], known.get("tp", 1), known.get("pp", 1)
        self.exp, self.dp = known.get("exp", 1), known["wd"] // (known.get("tp", 1) * known.get("pp", 1))
        self.ranks = {r: Rank(path) for r, path in sorted(paths.items())}
        self.waiting = {r: {} for r in self.ranks}     # by kind
        self.transfer = {r: 0.0 for r in self.ranks}
        self.not_work = {r: 0.0 for r in self.ranks}   # of records of computation
        self.alone = {r: 0.0 for r in self.ranks}      # records of groups of one
        self.caused = {r: 0.0 for r in self.ranks}
        self.uneven = {r: 0.0 for r in self.ranks}
        groups = {}
        for r, rank in self.ranks.items():
            for call in rank.calls:
                groups.setdefault(self.group(call[0], r), {}).setdefault(r, []).append(call)
        self.common = max(v.spans[0][1] for v in self.ranks.values()) < min(v.spans[-1][2] for v in self.ranks.values())
        self.judge(groups)
        for (kind, _, members), calls in groups.items():
            self.add_group(kind, members, calls)
        floors = {}
        for rank in self.ranks.values():
            for bytes_, took in rank.messages:
                floors[bytes_] = min(took, floors.get(bytes_, took))
        for r, rank in self.ranks.items():
            for bytes_, took in rank.messages:
                wait = took - floors[bytes_] if self.together else 0.0
                self.add_waiting(r, "pp", wait)
                self.transfer[r] += took - wait

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

    def judge(self, groups):
        """Were the ranks traced together, and do their clocks agree?"""
        spreads, extents, far = [], [], 0.0
        self.offsets = {}
        for key, calls in groups.items():
            if key[2] < 2 or len(calls) < 2:
                continue
            least = min(len(c) for c in calls.values())
            first = next(iter(calls.values()))
            blocking = [k for k in range(least) if not first[k][5]]
            if not blocking:
                continue
            self.offsets[key[:2]] = {r: statistics.median_low([c[k][4] - first[k][4] for k in blocking])
                                     for r, c in calls.items()}
            far = max([far, *map(abs, self.offsets[key[:2]].values())])
            if len(blocking) > 1:
                lengths = [c[blocking[-1]][4] - c[blocking[0]][4] for c in calls.values()]
                spreads.append(max(lengths) - min(lengths))
                extents.append(max(lengths))
        self.together = self.common or any(rank.messages for rank in self.ranks.values())
        if spreads:
            self.together = statistics.median_low(spreads) <= 0.1 + 0.01 * statistics.median_low(extents)
        self.same_clock = self.common and far < 1

    def add_waiting(self, r, kind, ms):
        self.waiting[r][kind] = self.waiting[r].get(kind, 0.0) + ms

    def add_group(self, kind, size_, calls):
        key = next(k for k in [self.group(kind, next(iter(calls)))])
        least = min(len(c) for c in calls.values())
        offset = self.offsets.get(key[:2]) or ({r: 0.0 for r in calls} if self.same_clock else None)
        for r, own in calls.items():
            for k, (_, op, function, took, end, beside) in enumerate(own):
                wait = 0.0
                late = min(calls, key=lambda o: (calls[o][min(k, len(calls[o]) - 1)][3], o))
                if size_ > 1 and len(calls) > 1 and self.together and k < least:
                    wait = took - min(c[k][3] for c in calls.values())
                    if beside and offset:
                        starts = {o: round(c[k][4] - c[k][3] - offset[o], 6) for o, c in calls.items()}
                        late = max(starts, key=lambda o: (starts[o], -o))
                        wait = min(wait, max(0.0, starts[late] - (end - took - offset[r])))
                    if kind in STAGE_GROUPS and (offset or not beside):
                        self.caused[late] += wait
                if kind in STAGE_GROUPS and op in STEPS:
                    self.uneven[r] += wait
                if size_ == 1:
                    self.alone[r] += took if function is None else 0.0
                    continue
                self.add_waiting(r, kind, wait)
                if beside:
                    self.not_work[r] += wait
                else:
                    self.transfer[r] += took - wait
                    self.not_work[r] += took if function is not None else 0.0

    def answer(self):
        ranks = {}
        for r, rank in self.ranks.items():
            spans = rank.spans
            time = sum(end - begin for _, begin, end, _ in spans)
            computed = sum(end - begin for op, begin, end, _ in spans
                           if not op.startswith(("send_", "recv_")) and not op.endswith("allreduce"))
            within = sum(w for kind, w in self.waiting[r].items() if kind in STAGE_GROUPS)
            ends = [end for op, _, end, _ in spans if op == "backward_step"]
            ranks[r] = dict(span=max(s[2] for s in spans) - min(s[1] for s in spans),
                            work=computed - self.not_work[r] + self.alone[r], transfer=self.transfer[r],
                            in_stage=within, pipeline=sum(self.waiting[r].values()) - within, caused=self.caused[r],
                            pipe=sum(end - begin for op, begin, end, _ in spans if op in STEPS),
                            doubles=rank.doubles, nested_bytes=rank.nested_bytes, uneven=self.uneven[r],
                            pipe_span=ends[-1] - spans[0][1] if ends else None,
                            m=len({b for op, _, _, b in spans if op == "forward_step"}))
            ranks[r]["gap"] = ranks[r]["span"] - time
        out = dict(together=self.together, same_clock=self.same_clock, ranks=ranks)
        batches = max(r["m"] for r in ranks.values())
        stages = {}
        for r, rank in self.ranks.items():
            stages.setdefault(rank.stage, []).append(r)
        busy = {s: sum(ranks[r]["pipe"] for r in members) / len(members) for s, members in stages.items()}
        out["per_batch"] = {s: b / batches for s, b in busy.items()}
        longest = [r["pipe_span"] for r in ranks.values() if r["pipe_span"] is not None]
        if self.together and self.pp > 1 and longest and 0 in stages:
            out["pipe_ms"] = max(longest)
        if "pipe_ms" in out and len(stages) == self.pp:
            out["bubble_share"] = 100 * sum(1 - b / max(longest) for b in busy.values()) / len(busy)
            out["bubble_equal_share"] = 100 * (self.pp - 1) / (batches + self.pp - 1)
            for key, saved in (("pipe_least_ms", 0), ("pipe_least_even_ms", 1)):
                t = [(busy[s] - saved * sum(ranks[r]["uneven"] for r in stages[s]) / len(stages[s])) / batches
                     for s in sorted(stages)]
                out[key] = max(sum(t[:n]) + batches * t[n] for n in range(len(t)))
        return out


def close(a, b):
    return a is not None and abs(a - b) <= 0.02


def main(wlfmt, folder, truth_path=None):
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
            elif value is not None:
                expect(f"rank {r['rank']}: {key}", r.get(key), value)
        parts = ("work", "transfer", "communication", "in_stage", "pipeline", "gap")
        if abs(r["span"] - sum(r.get(part, 0) for part in parts)) > 1e-5:
            bad.append(f"{folder}: the account of rank {r['rank']} does not add up")
    for s in said["stages"]:
        expect(f"stage {s['stage']}: a micro-batch", s["per_batch"], own["per_batch"][s["stage"]])
    for key in ("pipe_ms", "bubble_share", "bubble_equal_share", "pipe_least_ms", "pipe_least_even_ms"):
        if key in own:
            expect(key, said.get(key), own[key])
        elif key in said and not (key == "bubble_equal_share" and own["together"]):
            bad.append(f"{folder}: {key} is told, and cannot be known")
    if truth_path:
        with open(truth_path) as f:
            truth = json.load(f)
        for r in said["ranks"]:
            for key, value in truth["ranks"][str(r["rank"])].items():
                if own["together"]:
                    expect(f"rank {r['rank']}: {key} as it was made", r[key], value)
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
    print("\n".join(bad[:20]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
