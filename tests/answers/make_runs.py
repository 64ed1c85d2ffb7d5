#!/usr/bin/env python3
"""Writes runs of which it is known beforehand what they are to be found to be.

usage: make_runs.py FOLDER     a folder for each run, with a log for each rank

A run is a list of ranks, each of which goes through a schedule of steps: work, collectives, messages, gaps. The ranks
meet in collectives: all members leave when the last one has arrived and the transfer is done.
"""
import json
import os
import sys


class Run:
    def __init__(self, name, tp=1, pp=1, dp=1, exp=1, skew=0.0):
        self.sizes = dict(tp=tp, pp=pp, dp=dp, exp=exp)
        self.name, self.world, self.skew = name, tp * pp * dp, skew
        self.clock = [5000.0 + 0.25 * r for r in range(self.world)]
        self.lines = [[] for _ in range(self.world)]
        self.truth = {r: dict(work=0.0, in_stage=0.0, pipeline=0.0, transfer=0.0, gap=0.0) for r in range(self.world)}
        self.pending = [0.0] * self.world
        self.said = {}

    def stage(self, rank):
        return rank // (self.world // self.sizes["pp"])

    def time(self, rank):
        return round(self.clock[rank] + self.skew * (rank + 1), 4)

    def gap(self, rank, ms):
        """Nothing is recorded for a while; what comes after the last record is in no span."""
        self.clock[rank] += ms
        self.pending[rank] += ms

    def meet(self, members, transfer, where):
        """All members leave together; returns how long the call took each of them."""
        last = max(self.clock[m] for m in members)
        took = {}
        for m in members:
            waited = last - self.clock[m]
            took[m] = waited + transfer
            self.truth[m][where] += waited
            self.truth[m]["transfer"] += transfer
            self.clock[m] = last + transfer
        return took

    def record(self, rank, op, begun, nested=(), batch=0, group="None", shape="None", dtype="None", took=None):
        took = self.clock[rank] - begun if took is None else took
        self.truth[rank]["gap"] += self.pending[rank] if self.lines[rank] else 0.0
        self.pending[rank] = 0.0
        self.lines[rank].append(
            f"rank:{rank}:{op}(stage_id={self.stage(rank)},batch_id={batch},mg_state=steady,duration={round(took, 4)},"
            f"description=None,group_kind={group},input__shape={shape},input__dtype={dtype},"
            f"timestamp={self.time(rank)},sub_operations={list(nested)!r})")

    def nested(self, rank, took, group, function, elements, source="x"):
        return (f"trace_src_func={source},duration={round(took, 4)},timestamp={self.time(rank)},"
                f"input__shape=[{elements}],input__dtype=torch.bfloat16,group={group},comm_func={function}")

    def step(self, members, op, work, batch, group, function, elements=lambda rank: 64):
        """A step of ranks that meet twice in a group: after its first half and at its end."""
        begun = {m: self.clock[m] for m in members}
        nested = {m: [] for m in members}
        for _ in range(2):
            for m in members:
                self.clock[m] += work(m) / 2
                self.truth[m]["work"] += work(m) / 2
            if len(members) == 1:
                continue
            for m, took in self.meet(members, 0.75, "in_stage").items():
                nested[m].append(self.nested(m, took, group, function, elements(m)))
        for m in members:
            self.record(m, op, begun[m], nested[m], batch)
            self.gap(m, 0.125)

    def send(self, source, target, forward, batch):
        """A message: the receiver waits until it is sent, the sender does not wait. Either takes 0.5 ms at least."""
        ops = ("send_forward", "recv_forward") if forward else ("send_backward", "recv_backward")
        for rank, op in ((source, ops[0]), (target, ops[1])):
            begun = self.clock[rank]
            waited = max(0.0, self.clock[source] - 0.5 - begun) if rank == target else 0.0
            self.truth[rank]["pipeline"] += waited
            self.truth[rank]["transfer"] += 0.5
            self.clock[rank] += waited + 0.5
            self.record(rank, op, begun, batch=batch, group="pp", shape="[32, 4]", dtype="torch.float32")
            self.gap(rank, 0.125)

    def exchange(self, a, b, batch):
        """Two stages send to each other at once: one span of time, which is written as two records."""
        begun = {a: self.clock[a], b: self.clock[b]}
        self.meet([a, b], 0.5, "pipeline")
        for rank, ops in ((a, ("send_forward", "recv_backward")), (b, ("send_backward", "recv_forward"))):
            for op in ops:
                self.record(rank, op, begun[rank], batch=batch, group="pp", shape="[32, 4]", dtype="torch.float32")
            self.gap(rank, 0.125)

    def beside(self, members, op, own, over, batch):
        """A step that launches a collective, computes beside it, and waits for its end."""
        begun = dict((m, self.clock[m]) for m in members)
        launched = {}
        for m in members:
            self.clock[m] += own(m)
            launched[m] = self.clock[m]
        arrived = max(launched.values())
        for m in members:
            end = max(launched[m] + over(m), arrived + 2.0)
            self.clock[m] = end
            took = end - launched[m]
            nested = [self.nested(m, took, "tp", "allreduce", 64, "linear_bwd_async")]
            self.record(m, op, begun[m], nested, batch)
            self.gap(m, 0.125)

    def optimizer(self, work):
        """It waits for the last of all ranks of the model to come, and then works."""
        begun = list(self.clock)
        last = max(self.clock)
        for rank in range(self.world):
            self.truth[rank]["pipeline"] += last - begun[rank]
            self.truth[rank]["work"] += work
            self.clock[rank] = last + work
            self.record(rank, "optimizer_step", begun[rank])

    def write(self, folder):
        where = os.path.join(folder, self.name)
        os.makedirs(where, exist_ok=True)
        s = self.sizes
        for rank, lines in enumerate(self.lines):
            name = f"wd{self.world}_tp{s['tp']}_pp{s['pp']}_exp{s['exp']}_rank{rank}_20250101000000.txt"
            with open(os.path.join(where, name), "w") as f:
                f.write("\n".join(lines) + "\n")
        truth = dict(ranks=self.truth, said=self.said)
        with open(os.path.join(folder, self.name + ".json"), "w") as f:
            json.dump(truth, f)


def pipelined(name, work, skew=0.0, batches=3, pp=3):
    """Two ranks a stage; each micro-batch goes forward through all stages, and back."""
    run = Run(name, tp=2, pp=pp, skew=skew)
    stages = [[2 * n, 2 * n + 1] for n in range(pp)]
    for batch in range(batches):
        for n, members in enumerate(stages):
            run.step(members, "forward_step", work, batch, "tp", "allreduce")
            for m in members if n + 1 < pp else ():
                run.send(m, m + 2, True, batch)
        for n, members in reversed(list(enumerate(stages))):
            run.step(members, "backward_step", lambda r: 2 * work(r), batch, "tp", "allreduce")
            for m in members if n > 0 else ():
                run.send(m, m - 2, False, batch)
    if not skew:  # where clocks differ, its waiting time is not known
        run.optimizer(20.0)
    return run


def exchanging(name):
    run = Run(name, pp=2)
    for batch in range(3):
        for rank in (0, 1):
            run.step([rank], "forward_step", lambda r: 5.0 + 3 * r, batch, "tp", "allreduce")
        run.exchange(0, 1, batch)
        for rank in (0, 1):
            run.step([rank], "backward_step", lambda r: 9.0, batch, "tp", "allreduce")
    return run


def overlapping(name, late):
    """What of an asynchronous collective is waiting has no truth but its definition."""
    run = Run(name, tp=2)
    for batch in range(3):
        run.step([0, 1], "forward_step", lambda r: 6.0, batch, "tp", "allreduce")
        run.beside([0, 1], "backward_step", lambda r: 6.0 + late * r, lambda r: 4.0, batch)
    run.truth = {0: {}, 1: {}}
    return run


def experts(name, elements):
    run = Run(name, dp=4, exp=4)
    for batch in range(3):
        run.step([0, 1, 2, 3], "forward_step", lambda r: 4 + elements[r] / 50, batch, "exp", "all_to_all",
                 lambda r: elements[r])
    return run


def separate(name):
    """Each rank on its own, one after the other, with stand-ins for collectives."""
    run = Run(name, tp=2, pp=2)
    for rank in range(4):
        run.clock[rank] = 5000.0 + 9000.0 * rank
        begun, nested = run.clock[rank], []
        for _ in range(2):
            run.clock[rank] += 7 + 3 * rank
            nested.append(run.nested(rank, 0.01, "tp", "allreduce", 64))
        run.record(rank, "forward_step", begun, nested)
    return run


def main(folder):
    runs = [
        pipelined("even", lambda r: 8.0),
        pipelined("slow_rank", lambda r: 8.0 + (5.0 if r == 3 else 0.0)),
        pipelined("slow_stage", lambda r: 16.0 if r // 2 == 2 else 8.0),
        pipelined("slow_rank_other_clocks", lambda r: 8.0 + (5.0 if r == 3 else 0.0), skew=700000.0),
        experts("experts", [100, 100, 400, 200]),
        separate("separate"),
        exchanging("exchanging"),
        overlapping("overlapping", 0.0),
        overlapping("overlapping_late", 5.0),
    ]
    for run, rank, stage in ((1, 3, 1), (2, None, 2), (3, 3, 1)):
        runs[run].said = dict(rank=rank, stage=stage)
    runs[4].said = dict(rank=2, ratio=2.0)
    for run in runs:
        run.write(folder)


if __name__ == "__main__":
    main(sys.argv[1])
