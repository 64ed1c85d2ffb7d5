#!/usr/bin/env python3
"""Simulates virtual pipelines of equal chunks, whose messages take next to no time, and holds the bubble of equal stages
that `wlfmt summary --json` names against the one that the simulation has.

usage: chunks.py WLFMT FOLDER
"""
import os
import random
import sys

sys.dont_write_bytecode = True
from lost import answers  # noqa: E402
from random_runs import Interleaved  # noqa: E402


class Equal(Interleaved):
    MESSAGE = 0.001

    def __init__(self, name, pp, chunks, batches):
        self.CHUNKS = chunks
        super().__init__(name, random.Random(1))
        self.sizes = dict(tp=1, pp=pp, dp=1, exp=1)
        self.world, self.per, self.batches = pp, 1, batches
        self.clock, self.lines, self.pending = [5000.0] * pp, [[] for _ in range(pp)], [0.0] * pp
        self.truth = {r: dict(work=0.0, in_stage=0.0, pipeline=0.0, transfer=0.0, gap=0.0) for r in range(pp)}

    def work(self, rank, ms):
        return ms if ms >= 1 else 0.001

    def gap(self, rank, ms):
        pass


def main(wlfmt, folder):
    bad = 0
    for pp, chunks, batches in ((2, 2, 4), (4, 2, 4), (4, 2, 8), (3, 3, 6), (2, 4, 2)):
        name = f"pp{pp}_v{chunks}_m{batches}"
        Equal(name, pp, chunks, batches).run().write(folder)
        os.remove(os.path.join(folder, name + ".json"))
        said = answers(wlfmt, os.path.join(folder, name))
        expected = 100 * (pp - 1) / (chunks * batches + pp - 1)
        equal, bubble = said.get("bubble_equal_share"), said.get("bubble_share")
        if equal is None or said.get("chunks") != chunks or abs(equal - expected) > 1e-6 or abs(equal - bubble) > 0.2:
            print(f"{name}: {equal} % for equal stages, expected {expected}; the run has {bubble} %")
            bad += 1
    return bad != 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
