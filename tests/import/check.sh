#!/bin/sh
# What `wlfmt csv` prints is opened by SQLite and by pandas, and holds what `wlfmt json` says. A program that is not
# installed is left out; without both, the test is skipped. usage: check.sh ROOT WLFMT WORK_FOLDER
set -eu
root=$(cd "$1" && pwd) wlfmt=$(cd "$(dirname "$2")" && pwd)/$(basename "$2") work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$root/tests/data"
"$wlfmt" csv oplog_*.txt > "$work/records.csv"
"$wlfmt" csv --of=sub-operations oplog_*.txt > "$work/subs.csv"
"$wlfmt" csv workload_dense_1024gpus.txt > "$work/layers.csv"
"$wlfmt" csv profiler_table_*.txt > "$work/rows.csv"
printf '%s\n' 'rank:0:a(description=x, "y", z,group_kind=None,timestamp=9007199254740993,sub_operations=["it'"'"'s\na line", '"'k=v']"',uid=a"b)' > "$work/odd.txt"
"$wlfmt" csv "$work/odd.txt" > "$work/odd.csv"
"$wlfmt" csv --of=sub-operations "$work/odd.txt" > "$work/odd_subs.csv"
"$wlfmt" json oplog_*.txt > "$work/oplog.json"
"$wlfmt" json workload_dense_1024gpus.txt > "$work/workload.json"
"$wlfmt" json profiler_table_*.txt > "$work/table.json"
tried=

# The table for StragglerAnalysis: what its columns hold, computed from the JSON.
if command -v python3 > /dev/null; then
    "$wlfmt" csv oplog_*.txt | python3 "$root/examples/straggler_analysis.py" 2 > "$work/straggler.csv"
    python3 - "$work" << 'END'
import csv
import json
import sys

ops = [json.loads(line) for line in open(f"{sys.argv[1]}/oplog.json", encoding="utf-8")]
rows = list(csv.DictReader(open(f"{sys.argv[1]}/straggler.csv")))
assert len(rows) == len(ops) > 10
have = sorted((int(r["rank"]), int(r["stage"]), int(r["step"]), float(r["start_ts"]), float(r["duration"])) for r in rows)
want = sorted((op["rank"], op["stage_id"], 0, round((op["timestamp"] - op["duration"]) / 1000, 6), op["duration"] / 1000)
              for op in ops)
assert all(all(abs(x - y) < 2e-6 for x, y in zip(a, b)) for a, b in zip(have, want)), "other times"
assert {r["optype"] for r in rows} >= {"forward-compute", "backward-compute", "optimizer"}
assert all((r["mb_id"] != "") == r["optype"].endswith("-compute") for r in rows)
assert list(rows[0])[:5] == ["dp_rank", "stage", "tp_rank", "rank", "step"]
END
fi

if command -v sqlite3 > /dev/null; then
    tried="$tried sqlite3"
    (cd "$work" && sqlite3 -bail ':memory:' '.mode csv' '.import records.csv records' '.import subs.csv subs' \
        '.import layers.csv layers' '.import rows.csv tables' '.import odd.csv odd' '.import odd_subs.csv odd_subs' \
        '.mode list' \
        'SELECT count(*), round(sum(duration_ms), 2), sum(sub_operations), count(DISTINCT file) FROM records;' \
        'SELECT count(*), round(sum(sub_duration_ms), 2) FROM subs WHERE comm_func = "allreduce";' \
        'SELECT count(*) FROM subs JOIN records ON subs.file = records.file AND subs.record = records.record
             AND subs.op = records.op;' \
        'SELECT count(*), sum(weight_grad_bytes), sum(forward_compute) FROM layers;' \
        'SELECT count(*), sum("# of Calls"), round(sum("Self CPU (us)"), 3) FROM tables;' \
        'SELECT description, timestamp_ms, further, replace(op, char(13), "CR") FROM odd;' \
        'SELECT hex(text), further FROM odd_subs;') > "$work/sqlite.txt"
    python3 - "$work" > "$work/expected.txt" << 'END'
import json
import sys

def lines(name):
    return [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.json", encoding="utf-8")]

def plain(x):
    return int(x) if x == int(x) else x

ops = lines("oplog")
subs = [s for op in ops for s in op["sub_operations"]]
print(len(ops), round(sum(op["duration"] or 0 for op in ops), 2), len(subs), 2, sep="|")
sums = [s for s in subs if s["comm_func"] == "allreduce"]
print(len(sums), round(sum(s["duration"] for s in sums), 2), sep="|")
print(len(subs))
layers = lines("workload")[1:]
print(len(layers), sum(l["weight_grad"]["bytes"] for l in layers), plain(sum(l["forward"]["compute"] for l in layers)), sep="|")
rows = lines("table")[1:]
print(len(rows), sum(r["# of Calls"] for r in rows), round(sum(r["Self CPU"] for r in rows), 3), sep="|")
print('x, "y", z|9007199254740993|{"uid":"a\\"b"}|a')
print("it's\na line".encode().hex().upper(), "", sep="|")
print("", '{"k":"v"}', sep="|")
END
    # SQLite decides whether the sum of texts that are whole numbers has a point.
    for name in sqlite expected; do
        sed -E 's/([0-9])\.0(\||$)/\1\2/g' "$work/$name.txt" > "$work/$name.sums"
    done
    diff "$work/expected.sums" "$work/sqlite.sums" || { echo "SQLite has other values"; exit 1; }

    # The cookbook's recipe, word for word: numbers are compared as numbers, and an empty field is no value.
    (cd "$work" && cp subs.csv sub_operations.csv && sed -n '/^into() {/,/^into sub_operations/p' "$root/docs/cookbook.md" > into.sh &&
        . ./into.sh && sqlite3 run.db 'SELECT max(duration_ms), min(duration_ms), typeof(max(duration_ms)) FROM records' \
        'SELECT max(bytes), count(*) FROM records WHERE bytes IS NOT NULL' \
        'SELECT comm_func, max(sub_duration_ms) FROM subs GROUP BY 1 ORDER BY 2 DESC LIMIT 1') > "$work/recipe.txt"
    python3 - "$work" > "$work/recipe.expected" << 'END'
import json
import sys

ops = [json.loads(line) for line in open(f"{sys.argv[1]}/oplog.json", encoding="utf-8")]
times = [op["duration"] for op in ops]
print(max(times), min(times), "real", sep="|")
def size(op):
    bytes = {"torch.float32": 4, "torch.bfloat16": 2, "torch.float16": 2, "torch.int64": 8}[op["input__dtype"]]
    for dim in op["input__shape"]:
        bytes *= dim
    return bytes
sizes = [size(op) for op in ops if op["input__shape"] is not None]
print(max(sizes), len(sizes), sep="|")
longest = max((s for op in ops for s in op["sub_operations"]), key=lambda s: s["duration"])
print(longest["comm_func"], longest["duration"], sep="|")
END
    diff "$work/recipe.expected" "$work/recipe.txt" || { echo "the cookbook's recipe for SQLite has other values"; exit 1; }
fi

# Debian's pandas is for Debian's Python.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import pandas' 2> /dev/null || continue
    tried="$tried pandas"
    "$python" - "$work" << 'END'
import json
import sys

import pandas

def lines(name):
    return [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.json", encoding="utf-8")]

def frame(name):
    return pandas.read_csv(f"{sys.argv[1]}/{name}.csv")

ops, records = lines("oplog"), frame("records")
assert list(records["op"]) == [op["op"] for op in ops]
assert list(records["duration_ms"]) == [op["duration"] for op in ops] and records["duration_ms"].dtype == float
assert list(records["timestamp_ms"]) == [op["timestamp"] for op in ops]
assert records["sub_operations"].dtype == "int64"
subs = frame("subs")
assert list(subs["comm_func"]) == [s["comm_func"] for op in ops for s in op["sub_operations"]]
merged = subs.merge(records, on=["file", "record"])
assert len(merged) == len(subs) and (merged["op_x"] == merged["op_y"]).all()
layers, table = lines("workload")[1:], frame("layers")
assert list(table["weight_grad_bytes"]) == [l["weight_grad"]["bytes"] for l in layers]
assert list(table["forward_comm"]) == [l["forward"]["comm"] for l in layers]
rows, table = lines("table")[1:], frame("rows")
assert list(table["Name"]) == [r["Name"] for r in rows]
assert list(table["CUDA total (us)"]) == [r["CUDA total"] for r in rows]
odd = frame("odd")
assert odd["description"][0] == 'x, "y", z' and odd["timestamp_ms"][0] == 9007199254740993
assert json.loads(odd["further"][0]) == {"uid": 'a"b'}
assert frame("odd_subs")["text"][0] == "it's\na line"
END
    break
done
[ -n "$tried" ] || exit 77
echo "opened by$tried"
