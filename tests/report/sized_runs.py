#!/usr/bin/env python3
"""Writes a run of each given size, which has the shapes of large runs: stages, tensor and expert groups, a slow rank.

usage: sized_runs.py FOLDER RANKS [RECORDS]    the folder FOLDER/ranksN, with a log of about RECORDS records a rank
"""
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "answers"))
from make_runs import Run  # noqa: E402
from random_runs import Pipeline  # noqa: E402


class Sized(Pipeline):
    def __init__(self, world, records):
        tp = 1 if world == 1 else 2
        pp = 1 if world < 4 else 2 if world < 16 else 4 if world < 1024 else 8
        dp = world // (tp * pp)
        Run.__init__(self, f"ranks{world}", tp=tp, pp=pp, dp=dp, exp=dp)
        self.clock = [5000.0 + 0.25 * (r % 4) for r in range(self.world)]
        self.rng, self.per, self.sent = random.Random(world), tp * dp, {}
        self.batches = max(1, records // 6)
        self.slow = [1.0] * self.world
        self.slow[world - 1] = 1.4
        self.heavy = [1.0] * (pp - 1) + [1.15]
        self.asynchronous, self.writes_exchanges = True, False

    def nested(self, rank, took, group, function, elements, source="x"):
        # The last ranks of a group have the popular experts.
        sent = elements * (200 + rank % 8 * 40) * 64 if function == "all_to_all" else elements * 65536
        return super().nested(rank, took, group, function, sent, source)


if __name__ == "__main__":
    run = Sized(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 300).run()
    run.write(sys.argv[1])
    os.remove(os.path.join(sys.argv[1], run.name + ".json"))
