# A run of 12 ranks on three hosts, each with a clock of its own, whose true times are known.
# usage: hosts.py write FOLDER APART_MS; hosts.py check FOLDER TIMELINE.json MOST_MS
#
# `write` makes the op logs; each host's clock is APART_MS ahead of that of the one before it. Ranks are in two stages,
# tp 2, dp 3: data-parallel groups have a rank of each host. Members leave a collective within 0.05 ms. `check` holds
# the beginnings of all slices in the timeline against the true ones.
import json
import os
import random
import sys

WORLD, TENSOR, STAGES, HOSTS = 12, 2, 2, 3


def host_of(rank):
    return rank % (WORLD // STAGES) // TENSOR


def events():
    """By rank: (operation, stage, begin, end, nested), in true time. Nested: (group, begin, end)."""
    rng = random.Random(31)
    per_stage = WORLD // STAGES
    of = {rank: [] for rank in range(WORLD)}
    at = 5000.0
    for step in range(4):
        # What all members of a group leave at once, after each has come when it came.
        for stage in range(STAGES):
            for rank in range(stage * per_stage, (stage + 1) * per_stage):
                begin = at + 60 * stage + rng.uniform(0, 5)
                end = at + 60 * stage + 40 + rng.uniform(0, 5)
                left = at + 60 * stage + 30 + 3 * (rank // TENSOR % 3) + rng.uniform(0, 0.05)
                of[rank].append(("forward_step", stage, begin, end, ("tp", left - rng.uniform(1, 9), left)))
        at += 120
        for stage in range(STAGES):
            for rank in range(stage * per_stage, (stage + 1) * per_stage):
                left = at + 50 + 7 * (rank % TENSOR) + rng.uniform(0, 0.05)
                of[rank].append(("dp_allreduce", stage, left - rng.uniform(2, 45), left, None))
        at += 70
        for rank in range(WORLD):
            if rank // per_stage in (0, STAGES - 1):
                left = at + 20 + 4 * (rank % per_stage) + rng.uniform(0, 0.05)
                of[rank].append(("ep_allreduce", rank // per_stage, left - rng.uniform(2, 15), left, None))
        at += 50
    return of


def write(folder, apart):
    os.makedirs(folder, exist_ok=True)
    for rank, all_of_rank in events().items():
        clock = 1300000000 + apart * host_of(rank)
        with open("%s/wd12_tp2_pp2_rank%d_20250101000000.txt" % (folder, rank), "w") as to:
            for op, stage, begin, end, nested in all_of_rank:
                kind = {"dp_allreduce": "dp", "ep_allreduce": "ep"}.get(op, "None")
                subs = ""
                if nested:
                    subs = "'trace_src_func=_r,duration=%.4f,timestamp=%.4f,group=%s,comm_func=allreduce'" % (
                        nested[2] - nested[1], clock + nested[2], nested[0])
                to.write("rank:%d:%s(stage_id=%d,duration=%.4f,group_kind=%s,timestamp=%.4f,sub_operations=[%s])\n" % (
                    rank, op, stage, end - begin, kind, clock + end, subs))


def check(timeline, most):
    true = {rank: [e[2] for e in of_rank] for rank, of_rank in events().items()}
    first = min(min(begins) for begins in true.values())
    drawn = {rank: [] for rank in true}
    for e in json.load(open(timeline))["traceEvents"]:
        if e["ph"] == "X" and e["name"] in ("forward_step", "dp_allreduce", "ep_allreduce"):
            drawn[e["pid"]].append(e["ts"] / 1000)
    worst = 0
    # Which moment is 0 is decided by the slice that comes first as the clocks were moved.
    shift = min(sorted(drawn[0])) - (min(true[0]) - first)
    for rank, begins in true.items():
        assert len(begins) == len(drawn[rank]), (rank, len(begins), len(drawn[rank]))
        for want, got in zip(sorted(begins), sorted(drawn[rank])):
            worst = max(worst, abs(got - shift - (want - first)))
    print("%d ranks, at most %.4f ms from the truth" % (len(true), worst))
    return worst <= most


if sys.argv[1] == "write":
    write(sys.argv[2], float(sys.argv[3]))
elif not check(sys.argv[3], float(sys.argv[4])):
    sys.exit(1)
