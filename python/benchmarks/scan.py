"""How long it takes to get op logs into columns: wlfmt.scan beside what Python programs do today.

    PYTHONPATH=build/python python3 python/benchmarks/scan.py LOG... [--files N] [--large MB] [--duckdb LIBDUCKDB.SO]

Each way reads the same files in turn, three times; the shortest time of each counts. It is processor time, of all threads
and of what the way starts, so that what else runs on the machine counts less. `scan` is drained as a consumer of
Arrow streams drains it, and copies nothing more.
"""

import argparse
import ast
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
import consumer  # noqa: E402

import wlfmt  # noqa: E402

RECORD = re.compile(r"rank:(\d+):(\w+)\((.*),sub_operations=(\[.*\])\)")
FIELD = re.compile(r"(?:^|,)(\w+)=(.*?)(?=,\w+=|$)")


def drain(paths, of):
    capsule = wlfmt.scan(paths, of=of).__arrow_c_stream__()
    stream = consumer.Stream.from_address(consumer.pointer_of(capsule, b"arrow_array_stream"))
    rows = 0
    while True:
        array = consumer.Array()
        assert stream.get_next(ctypes.byref(stream), ctypes.byref(array)) == 0, stream.get_last_error(
            ctypes.byref(stream))
        if not array.release:
            return rows
        rows += array.length
        array.release(ctypes.byref(array))


def by_expression(paths, of):
    """The regular expression that scripts use, and a list of dicts."""
    rows = []
    for path in paths:
        with open(path) as file:
            for line in file:
                found = RECORD.match(line)
                if not found:
                    continue
                if of == "operations":
                    rows.append(dict(FIELD.findall(found.group(3)), rank=int(found.group(1)), op=found.group(2)))
                else:
                    rows += [dict(FIELD.findall(s)) for s in ast.literal_eval(found.group(4))]
    return len(rows)


def by_json(texts, of):
    records = [json.loads(line) for text in texts for line in text.splitlines()]
    return len(records) if of == "operations" else sum(len(r["sub_operations"]) for r in records)


def by_csv(path):
    import pandas
    return len(pandas.read_csv(path))


def to_duckdb(lib, paths, of):
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    lib.duckdb_open(None, ctypes.byref(database))
    lib.duckdb_connect(database, ctypes.byref(connection))
    capsule = wlfmt.scan(paths, of=of).__arrow_c_stream__()
    stream = ctypes.c_void_p(consumer.pointer_of(capsule, b"arrow_array_stream"))
    assert lib.duckdb_arrow_scan(connection, b"v", stream) == 0
    result = (ctypes.c_uint64 * 8)()
    assert lib.duckdb_query(connection, b"CREATE TABLE t AS SELECT * FROM v", result) == 0
    lib.duckdb_destroy_result(result)
    lib.duckdb_disconnect(ctypes.byref(connection))
    lib.duckdb_close(ctypes.byref(database))


def processor_time():
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def shortest(ways, rounds=3):
    best = {}
    for _ in range(rounds):
        for name, way in ways.items():
            times, begin = 0, processor_time()
            while times == 0 or processor_time() - begin < 0.2:  # the system counts it in hundredths of a second
                way()
                times += 1
            best[name] = min(best.get(name, float("inf")), (processor_time() - begin) / times)
    return best


def show(title, best):
    base = best["wlfmt.scan"]
    print(title)
    for name, seconds in sorted(best.items(), key=lambda item: item[1]):
        print(f"    {name:32} {seconds * 1000:10.1f} ms   {seconds / base:8.1f}x")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("logs", nargs="+")
    arguments.add_argument("--files", type=int, default=0, help="also that many copies of the logs, as ranks of a run")
    arguments.add_argument("--large", type=int, default=0, help="also one log of that many MB")
    arguments.add_argument("--duckdb", default="")
    given = arguments.parse_args()
    command = wlfmt._command()
    lib = ctypes.CDLL(given.duckdb) if given.duckdb else None
    with tempfile.TemporaryDirectory() as folder:
        sets = [(f"{len(given.logs)} logs", given.logs)]
        if given.files:
            many = []
            for n in range(given.files):
                with open(given.logs[n % len(given.logs)], "rb") as file:
                    text = re.sub(rb"^rank:\d+:", b"rank:%d:" % n, file.read(), flags=re.M)
                many.append(os.path.join(folder, f"wd{given.files}_rank{n}_20250101000000.txt"))
                with open(many[-1], "wb") as file:
                    file.write(text)
            sets.append((f"{given.files} logs", many))
        if given.large:
            path = os.path.join(folder, "large.txt")
            texts = [open(p, "rb").read() for p in given.logs]
            with open(path, "wb") as file:
                size = 0
                while size < given.large * 1000000:
                    for text in texts:
                        size += file.write(text)
            sets.append((f"one log of {given.large} MB", [path]))
        for title, paths in sets:
            megabytes = sum(os.path.getsize(p) for p in paths) / 1e6
            for of in ("operations", "sub_operations"):
                ways = {"wlfmt.scan": lambda: drain(paths, of)}
                if megabytes < 400:
                    ways["regular expression"] = lambda: by_expression(paths, of)
                    texts = [subprocess.run([command, "json", p], stdout=subprocess.PIPE).stdout.decode() for p in paths]
                    ways["json.loads of the JSON form"] = lambda: by_json(texts, of)
                csv = os.path.join(folder, "all.csv")
                with open(csv, "wb") as file:
                    subprocess.run([command, "csv", "--of=" + of.replace("sub_o", "sub-o").replace("operations", (
                        "operations" if of.startswith("sub") else "records")), *paths], stdout=file)
                try:
                    import pandas  # noqa: F401
                    ways["pandas.read_csv of the CSV"] = lambda: by_csv(csv)
                except ImportError:
                    pass
                if lib:
                    ways["scan into a table of DuckDB"] = lambda: to_duckdb(lib, paths, of)
                ways["the command wlfmt summary"] = lambda: subprocess.run(
                    [command, "summary", "--json", *paths], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                show(f"{title}, {megabytes:.1f} MB, {of}", shortest(ways, 1 if megabytes > 100 else 3))


main()
