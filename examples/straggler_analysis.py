"""Makes of `wlfmt csv run/` the table of operations that StragglerAnalysis (ByteDance-Seed) reads.

usage: wlfmt csv run/ | python3 straggler_analysis.py TENSOR_PARALLEL_SIZE > trace.csv
       python3 -c 'import pandas; pandas.read_csv("trace.csv").to_parquet("trace.parquet")'

Times are seconds. A log holds one step, 0. The ranks of a stage are numbered in their order: those of one tensor
parallel group follow each other. Operations that have no type there keep their own name.
"""
import csv
import sys

OPTYPES = {
    "forward_step": "forward-compute",
    "backward_step": "backward-compute",
    "send_forward": "forward-send",
    "recv_forward": "forward-recv",
    "send_backward": "backward-send",
    "recv_backward": "backward-recv",
    "dp_allreduce": "grads-reduce-scatter",
    "ep_allreduce": "embedding-grads-all-reduce",
    "optimizer_step": "optimizer",
}

tensor = int(sys.argv[1])
rows = [row for row in csv.DictReader(sys.stdin) if row["duration_ms"] and row["timestamp_ms"]]
ranks_of = {}
for row in rows:
    ranks_of.setdefault(row["stage_id"], set()).add(int(row["rank"]))
place_of = {rank: place for ranks in ranks_of.values() for place, rank in enumerate(sorted(ranks))}

out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow("dp_rank stage tp_rank rank step optype start_ts duration seq_id mc gmc mb_id".split())
seen = {}
# A timestamp is the end of its operation.
for row in sorted(rows, key=lambda row: float(row["timestamp_ms"]) - float(row["duration_ms"])):
    rank, stage = int(row["rank"]), int(row["stage_id"])
    optype = OPTYPES.get(row["op"], row["op"])
    duration = float(row["duration_ms"]) / 1000
    number = seen[rank, optype] = seen.get((rank, optype), -1) + 1
    batch = row["batch_id"] if optype in ("forward-compute", "backward-compute") else ""
    start = float(row["timestamp_ms"]) / 1000 - duration
    out.writerow([place_of[rank] // tensor, stage, place_of[rank] % tensor, rank, 0, optype, f"{start:.6f}",
                  f"{duration:.6f}", number, 0, stage, batch])
