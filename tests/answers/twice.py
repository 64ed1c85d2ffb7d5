#!/usr/bin/env python3
"""Holds what `wlfmt summary` promises of other schedules of a pipeline against the simulated run that has them: of twice
the micro-batches with the same work for each, and of passes in turn, for runs with other orders of passes. In the steady
phase there are exchanges of a send and a receive at once, as the tracer's programs have them.

usage: twice.py WLFMT FOLDER COUNT
"""
import os
import random
import shutil
import statistics
import sys

sys.dont_write_bytecode = True
from lost import answers  # noqa: E402
from random_runs import Pipeline  # noqa: E402


MOST = 0.025


class Exchanging(Pipeline):
    """`batches` micro-batches, of which those from `traced` on repeat the first ones."""

    def __init__(self, name, seed, times):
        super().__init__(name, random.Random(seed))
        self.traced, self.seed, self.batch = self.batches, seed, 0
        self.batches *= times
        self.asynchronous = False

    def work(self, rank, ms):
        jitter = random.Random(f"{self.seed} {rank} {ms} {self.batch % self.traced}")
        return ms * self.slow[rank] * self.heavy[self.stage(rank)] * jitter.uniform(0.97, 1.03)

    def gap(self, rank, ms):
        super().gap(rank, 0.1)

    def schedule(self, stage):
        pp, todo, count = self.sizes["pp"], [], self.batches
        first, last, ahead = stage == 0, stage == pp - 1, min(self.batches, pp - 1 - stage)

        def step(op, batch):
            todo.append((op, batch))

        def forward(batch):
            if first:
                step("get_batch", batch)
            step("forward_step", batch)
            if last:
                step("loss_func", batch)

        for n in range(ahead):
            if not first:
                step("recv_forward", n)
            forward(n)
            if not last:
                step("send_forward", n)
        for n in range(count - ahead):
            if n == 0 and not first:
                step("recv_forward", ahead)
            forward(ahead + n)
            if not last:
                step("forward_exchange", (ahead + n, n))
            step("backward_step", n)
            if first:
                continue
            if n + 1 == count - ahead:
                step("send_backward", n)
            else:
                step("backward_exchange", (n, ahead + n + 1))
        for n in range(count - ahead, count):
            if not last:
                step("recv_backward", n)
            step("backward_step", n)
            if not first:
                step("send_backward", n)
        return todo

    def can(self, stage, op, batch):
        if op.endswith("exchange"):  # posted first, so that the other side can go on; then it waits for the other
            towards = 1 if op == "forward_exchange" else -1
            for r in range(stage * self.per, (stage + 1) * self.per):
                self.sent.setdefault((r, r + towards * self.per, ("f" if towards > 0 else "b", batch[0])), self.clock[r])
            other = (stage + towards) * self.per
            return (other, stage * self.per, ("b" if towards > 0 else "f", batch[1])) in self.sent
        if not op.startswith("recv"):
            return True
        source = stage + (-1 if op == "recv_forward" else 1)
        return (source * self.per, stage * self.per, (op[5], batch)) in self.sent

    def do(self, stage, op, batch):
        self.batch = batch[0] if isinstance(batch, tuple) else batch
        if not op.endswith("exchange"):
            return super().do(stage, op, batch)
        towards = 1 if op == "forward_exchange" else -1
        for r in range(stage * self.per, (stage + 1) * self.per):
            begun = self.clock[r]
            came = self.sent[r + towards * self.per, r, ("b" if towards > 0 else "f", batch[1])]
            self.clock[r] = max(begun, came) + 0.5
            ops = ("send_forward", "recv_backward") if towards > 0 else ("send_backward", "recv_forward")
            for one, n in zip(ops, batch):
                self.record(r, one, begun, batch=n, group="pp", shape="[32, 4]", dtype="torch.float32")
            self.gap(r, 0.1)
        return None

    def tell(self, rank, op, batch):
        begun = self.clock[rank]
        self.sent[rank, rank + (self.per if op == "send_forward" else -self.per), (op[5], batch)] = begun
        self.clock[rank] += 0.5
        self.record(rank, op, begun, batch=batch, group="pp", shape="[32, 4]", dtype="torch.float32")
        self.gap(rank, 0.1)

    def hear(self, rank, op, batch):
        begun = self.clock[rank]
        source = rank + (-self.per if op == "recv_forward" else self.per)
        self.clock[rank] = max(begun, self.sent[source, rank, (op[5], batch)]) + 0.5
        self.record(rank, op, begun, batch=batch, group="pp", shape="[32, 4]", dtype="torch.float32")
        self.gap(rank, 0.1)


class Serial(Exchanging):
    """Each micro-batch goes forward and backward before the next one begins."""
    order = staticmethod(lambda count: [(way, n) for n in range(count) for way in ("forward", "backward")])

    def schedule(self, stage):
        first, last, todo = stage == 0, stage == self.sizes["pp"] - 1, []
        for way, n in self.order(self.batches):
            if way == "forward":
                todo.append(("get_batch" if first else "recv_forward", n))
                todo.append(("forward_step", n))
                todo.append(("loss_func" if last else "send_forward", n))
            else:
                todo += [] if last else [("recv_backward", n)]
                todo.append(("backward_step", n))
                todo += [] if first else [("send_backward", n)]
        return todo


class AllForward(Serial):
    """All forward passes, then all backward passes, as GPipe has them."""
    order = staticmethod(lambda count: [(way, n) for way in ("forward", "backward") for n in range(count)])


def in_turn(wlfmt, folder, count):
    """The greatest error of what is promised of passes in turn."""
    errors = []
    for seed in range(count):
        for kind in Serial, AllForward:
            shutil.rmtree(folder, ignore_errors=True)
            said = []
            for name, order in (("now", kind), ("then", Exchanging)):
                order(name, seed, 1).run().write(folder)
                os.remove(os.path.join(folder, name + ".json"))
                said.append(answers(wlfmt, os.path.join(folder, name)))
            gains = {r["change"]: r["gain"] for r in said[0]["replay"]["remedies"] if r["kind"] == "remedy"}
            pp, batches = said[0]["sizes"]["pp"], said[0]["micro_batches"]
            # One micro-batch has no other order, and passes that are in turn by themselves need no remedy.
            differs = pp > 1 and batches > 1
            if ("passes_in_turn" in gains) != differs:
                print(f"seed {seed}: {kind.__name__}, {pp} stages, {batches} micro-batches: {sorted(gains)}")
                return 1
            if not differs:
                continue
            then = said[1]["replay"]["iteration"]
            promised = said[0]["replay"]["replayed"] - gains["passes_in_turn"]
            errors.append(abs(promised - then) / then)
            if errors[-1] > MOST:
                print(f"seed {seed}: {kind.__name__}, {said[0]['sizes']}, {batches} micro-batches: "
                      f"{said[0]['replay']['iteration']} ms, in turn {then}, and {promised:.2f} is promised")
    print(f"{len(errors)} other orders: median error {100 * statistics.median(errors):.2f} %, "
          f"greatest {100 * max(errors):.2f} %")
    return max(errors)


def main(wlfmt, folder, count):
    errors = []
    for seed in range(int(count)):
        shutil.rmtree(folder, ignore_errors=True)
        said = []
        for name, times in (("once", 1), ("twice", 2)):
            Exchanging(name, seed, times).run().write(folder)
            os.remove(os.path.join(folder, name + ".json"))
            said.append(answers(wlfmt, os.path.join(folder, name)))
        gains = [r["gain"] for r in said[0]["replay"]["remedies"] if r["change"] == "twice_the_micro_batches"]
        if not gains:
            continue
        once, twice = (a["replay"]["iteration"] for a in said)
        promised = 2 * (said[0]["replay"]["replayed"] - gains[0])
        errors.append(abs(promised - twice) / twice)
        if errors[-1] > MOST:
            print(f"seed {seed}: {said[0]['sizes']}, {said[0]['micro_batches']} micro-batches: {once} ms, twice as many "
                  f"{twice}, and {promised:.2f} is promised")
    print(f"{len(errors)} runs: median error {100 * statistics.median(errors):.2f} %, greatest {100 * max(errors):.2f} %")
    return in_turn(wlfmt, folder, int(count)) > MOST or max(errors) > MOST or len(errors) < int(count) / 3


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
