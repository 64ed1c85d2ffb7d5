#!/usr/bin/env python3
"""Writes random runs, the same for the same seed: pipelines of one forward and one backward pass in turn, in which ranks
meet in blocking and asynchronous collectives.

usage: random_runs.py FOLDER COUNT [SEED]           a folder for each run; of every third one a record is lost, a nested
                                                    call or a whole record
       random_runs.py --varied FOLDER COUNT [SEED]  whole runs of all kinds
"""
import os
import random
import re
import sys

sys.dont_write_bytecode = True
from make_runs import Run  # noqa: E402


class Pipeline(Run):
    MESSAGE = 0.5  # how long one takes
    SLOWER = 0.0   # and how much longer one may take
    scales = False  # whether gradients are scaled in groups of one

    def __init__(self, name, rng):
        tp, pp, dp = rng.choice([1, 2]), rng.choice([1, 2, 3, 4]), rng.choice([1, 1, 2])
        if tp * pp * dp == 1:
            tp = 2
        exp = dp if rng.random() < 0.5 else 1
        super().__init__(name, tp=tp, pp=pp, dp=dp, exp=exp)
        self.rng, self.per, self.sent = rng, tp * dp, {}
        self.batches = rng.choice([1, 2, 4, 5])
        self.slow = [rng.choice([1.0, 1.0, 1.1, 1.5]) for _ in range(self.world)]
        self.heavy = [rng.choice([1.0, 1.0, 1.4]) for _ in range(pp)]
        self.asynchronous = rng.random() < 0.5
        self.writes_exchanges = rng.random() < 0.3

    def work(self, rank, ms):
        return ms * self.slow[rank] * self.heavy[self.stage(rank)] * self.rng.uniform(0.97, 1.03)

    def message(self):
        return self.MESSAGE + (round(self.rng.uniform(0, self.SLOWER), 2) if self.SLOWER else 0)

    def members(self, stage):
        """The groups of a stage, as lists of ranks: tp groups, and groups of dp ranks (exp where experts are)."""
        ranks = range(stage * self.per, (stage + 1) * self.per)
        tp = self.sizes["tp"]
        return ([list(ranks[n:n + tp]) for n in range(0, self.per, tp)], [list(ranks[n::tp]) for n in range(tp)])

    def tell(self, rank, op, batch):
        """Posts a message."""
        begun = self.clock[rank]
        target = rank + (self.per if op == "send_forward" else -self.per)
        self.sent[rank, target, batch] = begun
        self.clock[rank] += self.message()
        self.record(rank, op, begun, batch=batch, group="pp", shape="[32, 4]", dtype="torch.float32")
        self.gap(rank, self.rng.uniform(0.05, 0.3))

    def hear(self, rank, op, batch):
        begun = self.clock[rank]
        source = rank + (-self.per if op == "recv_forward" else self.per)
        self.clock[rank] = max(begun, self.sent[source, rank, batch]) + self.message()
        self.record(rank, op, begun, batch=batch, group="pp", shape="[32, 4]", dtype="torch.float32")
        self.gap(rank, self.rng.uniform(0.05, 0.3))

    def compute(self, stage, op, ms, batch):
        tp, dp = self.members(stage)
        ranks = [r for group in tp for r in group]
        begun = {r: self.clock[r] for r in ranks}
        nested = {r: [] for r in ranks}
        for n in range(3):
            for r in ranks:
                self.clock[r] += self.work(r, ms) / 3
            beside = n == 1 and self.asynchronous and op == "backward_step"
            groups, kind, function = (dp, "exp", "all_to_all") if n == 2 and self.sizes["exp"] > 1 else (tp, "tp", "allreduce")
            for group in groups:
                if len(group) == 1:
                    continue
                if not beside:
                    for r, took in self.meet(group, self.rng.choice([0.4, 0.8]), "in_stage").items():
                        nested[r].append(self.nested(r, took, kind, function, 64))
                    continue
                launched = {r: self.clock[r] for r in group}
                for r in group:
                    self.clock[r] = max(launched[r] + self.work(r, 1.5), max(launched.values()) + 0.4)
                    nested[r].append(self.nested(r, self.clock[r] - launched[r], kind, function, 64, "linear_bwd_async"))
        for r in ranks:
            self.clock[r] += self.work(r, 0.3)
            self.record(r, op, begun[r], nested[r], batch)
            self.gap(r, self.rng.uniform(0.05, 0.3))

    def schedule(self, stage):
        """What the ranks of a stage do: (operation, micro-batch)."""
        pp, todo = self.sizes["pp"], []

        def forward(batch):
            todo.extend([("recv_forward", batch)] if stage else [("get_batch", batch)])
            todo.append(("forward_step", batch))
            todo.extend([("loss_func", batch)] if stage == pp - 1 else [("send_forward", batch)])

        def backward(batch):
            todo.extend([("recv_backward", batch)] if stage < pp - 1 else [])
            todo.append(("backward_step", batch))
            todo.extend([("send_backward", batch)] if stage else [])

        ahead = min(self.batches, pp - 1 - stage)
        for batch in range(ahead):
            forward(batch)
        for batch in range(self.batches):
            if ahead + batch < self.batches:
                forward(ahead + batch)
            backward(batch)
        return todo

    def run(self):
        pp = self.sizes["pp"]
        left = [self.schedule(stage) for stage in range(pp)]
        while any(left):
            for stage in range(pp):
                while left[stage] and self.can(stage, *left[stage][0]):
                    self.do(stage, *left[stage].pop(0))
        for stage in range(pp):
            for group in self.members(stage)[1] if self.sizes["dp"] > 1 or self.scales else ():
                begun = {r: self.clock[r] for r in group}
                self.meet(group, 1.2, "in_stage")
                for r in group:
                    self.record(r, "dp_allreduce", begun[r], group="dp", shape="[4096]", dtype="torch.float32")
        self.optimizer()
        return self

    def can(self, stage, op, batch):
        if not op.startswith("recv"):
            return True
        source = stage + (-1 if op == "recv_forward" else 1)
        return (source * self.per, stage * self.per, batch) in self.sent

    def do(self, stage, op, batch):
        if op in ("forward_step", "backward_step"):
            return self.compute(stage, op, 4.0 if op == "forward_step" else 8.0, batch)
        for r in range(stage * self.per, (stage + 1) * self.per):
            if op.startswith("send"):
                self.tell(r, op, batch)
            elif op.startswith("recv"):
                self.hear(r, op, batch)
            else:
                begun = self.clock[r]
                self.clock[r] += self.work(r, 0.4)
                self.record(r, op, begun, batch=batch)
        return None

    def optimizer(self, *_):
        """The ranks of a model, which are those with the same place in their stage's tp groups' order, wait for all."""
        tp = self.sizes["tp"]
        for first in range(0, self.per, tp):
            ranks = [r for r in range(self.world) if first <= r % self.per < first + tp]
            last = max(self.clock[r] for r in ranks)
            for r in ranks:
                begun = self.clock[r]
                self.clock[r] = last + self.work(r, 2.0)
                self.record(r, "optimizer_step", begun)

    def damage(self):
        """One record less: of the nested calls, or of the others."""
        with_calls = [(r, n) for r, lines in enumerate(self.lines) for n, line in enumerate(lines) if "comm_func" in line]
        if with_calls and self.rng.random() < 0.7:
            r, n = self.rng.choice(with_calls)
            head, calls = re.fullmatch(r"(.*sub_operations=)\[(.*)\]\)", self.lines[r][n]).groups()
            calls = re.findall(r"'[^']*'", calls)
            del calls[self.rng.randrange(len(calls))]
            self.lines[r][n] = f"{head}[{', '.join(calls)}])"
            return
        r = self.rng.randrange(self.world)
        del self.lines[r][self.rng.randrange(1, len(self.lines[r]) - 1)]


class Varied(Pipeline):
    """The same with several iterations, exchanges that are written twice, hosts with clocks of their own, and slow hosts."""

    def __init__(self, name, rng):
        super().__init__(name, rng)
        self.iterations = rng.choice([1, 1, 2, 3])
        self.writes_exchanges = rng.random() < 0.4
        hosts = rng.choice([1, 1, 2]) if self.world > 1 else 1
        self.ahead = [600000.0 * (r * hosts // self.world) for r in range(self.world)]
        self.scales = rng.random() < 0.5
        self.pause = [rng.choice([0.0, 0.0, 0.0, 2.0]) for _ in range(self.world)]

    def time(self, rank):
        return round(self.clock[rank] + self.ahead[rank], 4)

    def gap(self, rank, ms):
        super().gap(rank, ms + self.rng.uniform(0, self.pause[rank]))

    def schedule(self, stage):
        todo = super().schedule(stage)
        if not self.writes_exchanges:
            return todo
        joined = []
        for op, batch in todo:
            before = joined[-1][0] if joined else ""
            if (before, op) in (("send_forward", "recv_backward"), ("send_backward", "recv_forward")):
                joined[-1] = (before + "+" + op, (joined[-1][1], batch))
            else:
                joined.append((op, batch))
        return joined

    def can(self, stage, op, batch):
        if "+" not in op:
            return super().can(stage, op, batch)
        # Both sides post before they wait.
        for r in range(stage * self.per, (stage + 1) * self.per):
            target = r + (self.per if op.startswith("send_forward") else -self.per)
            self.sent.setdefault((r, target, op[:13], batch[0]), self.clock[r])
            self.sent.setdefault((r, target, batch[0]), self.clock[r])
        return super().can(stage, op.partition("+")[2], batch[1])

    def do(self, stage, op, batch):
        if "+" not in op:
            return super().do(stage, op, batch)
        for r in range(stage * self.per, (stage + 1) * self.per):
            begun = self.clock[r]
            source = r + (self.per if op.startswith("send_forward") else -self.per)
            self.clock[r] = max(begun, self.sent[source, r, batch[1]]) + self.message()
            for half, number in zip(op.split("+"), batch):
                self.record(r, half, begun, batch=number, group="pp", shape="[32, 4]", dtype="torch.float32")
            self.gap(r, self.rng.uniform(0.05, 0.3))
        return None

    def run(self):
        for _ in range(self.iterations):
            self.sent = {}
            super().run()
            for r in range(self.world):
                self.gap(r, self.rng.uniform(0.05, 0.3))
        return self


class Interleaved(Pipeline):
    """A virtual pipeline: each stage has two chunks of the layers, and the last one sends what the first one goes on with.
    All forward steps come before the backward ones."""
    CHUNKS = 2

    def __init__(self, name, rng):
        super().__init__(name, rng)
        while self.sizes["pp"] < 2:
            super().__init__(name, rng)
        self.batches = self.sizes["pp"] * rng.choice([1, 2])

    def schedule(self, stage):
        pp, todo = self.sizes["pp"], []
        order = [(first + n, chunk) for first in range(0, self.batches, pp) for chunk in range(self.CHUNKS)
                 for n in range(pp)]
        for batch, chunk in order:
            is_first, is_last = stage == 0 and chunk == 0, stage == pp - 1 and chunk == self.CHUNKS - 1
            todo.append(("get_batch" if is_first else "recv_forward", (batch, chunk - (stage == 0))))
            todo.append(("forward_step", (batch, chunk)))
            todo.append(("loss_func" if is_last else "send_forward", (batch, chunk)))
        for batch, chunk in reversed(order):
            is_first, is_last = stage == 0 and chunk == 0, stage == pp - 1 and chunk == self.CHUNKS - 1
            if not is_last:
                todo.append(("recv_backward", (batch, chunk + (stage == pp - 1))))
            todo.append(("backward_step", (batch, chunk)))
            if not is_first:
                todo.append(("send_backward", (batch, chunk)))
        return todo

    def neighbour(self, rank, forward):
        return (rank + (self.per if forward else -self.per)) % self.world

    def can(self, stage, op, batch):
        first = stage * self.per
        return not op.startswith("recv") or (self.neighbour(first, op == "recv_backward"), op[5:], batch) in self.sent

    def do(self, stage, op, batch):
        if op.endswith("_step"):
            return self.compute(stage, op, 2.0 if op == "forward_step" else 4.0, batch[0])
        if op in ("get_batch", "loss_func"):
            return super().do(stage, op, batch[0])
        for r in range(stage * self.per, (stage + 1) * self.per):
            begun = self.clock[r]
            if op.startswith("send"):
                self.sent[r, op[5:], batch] = begun
            else:
                self.clock[r] = max(begun, self.sent[self.neighbour(r, op == "recv_backward"), op[5:], batch])
            self.clock[r] += self.message()
            self.record(r, op, begun, batch=batch[0], group="pp", shape="[32, 4]", dtype="torch.float32")
            self.gap(r, self.rng.uniform(0.05, 0.3))
        return None


KINDS = (Pipeline, Varied, Interleaved)


def main(folder, count, seed=1, kinds=(Pipeline,)):
    for n in range(int(count)):
        run = kinds[n % len(kinds)](f"run{n:03}", random.Random(int(seed) * 100003 + n)).run()
        if n % 3 == 2 and len(kinds) == 1:
            run.damage()
        run.write(folder)
        os.remove(os.path.join(folder, run.name + ".json"))


if __name__ == "__main__":
    if sys.argv[1] == "--varied":
        main(*sys.argv[2:], kinds=KINDS)
    else:
        main(*sys.argv[1:])
