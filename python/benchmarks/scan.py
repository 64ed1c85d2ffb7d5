"""How long it takes to get op logs and profiler tables into columns: wlfmt.scan beside what Python programs do today.

    PYTHONPATH=build/python python3 python/benchmarks/scan.py LOG... [--files N] [--large MB] [--tables TABLE...]
        [--duckdb LIBDUCKDB.SO]

Each way reads the same files in turn, three times (once if they are more than 100 MB); the shortest time of each counts.
There are two times: processor time, of all threads and of what the way starts, on which what else runs on the machine has
less influence, beside that of `scan` with one thread; and elapsed time, beside that of `scan` with as many threads as it
takes by itself. Ways that take minutes are left out: scripts but for the tuned one above 60 MB, JSON above 200 MB.

Every way yields the same rows with the same columns, with numbers as int and float and shapes as lists of int:

    scan                     all columns, drained as a consumer of Arrow streams drains them
    scan, one thread         the same with threads=1
    script                   what public scripts do: a regular expression for the line, another one for its fields,
                             ast.literal_eval for the nested list and the shapes, a dict for each row
    script, to a DataFrame   the same, and pandas.DataFrame of the dicts, as these scripts go on
    read_oplog, DataFrame    wlfmt.read_oplog of each file, and pandas.DataFrame of its dicts: the way of a user whose
                             pandas takes no Arrow streams, as those before 3.0
    tuned script             the fastest that its author knows in Python alone: one regular expression for all fields of a
                             usual record, none for the nested list, shapes and sizes remembered
    ast.literal_eval         every value of every field by ast.literal_eval, after a split
    json.loads               of what `wlfmt json` prints, which is not counted
    pandas.read_csv          of what `wlfmt csv` prints, which is not counted
    scan, to_pandas          a DataFrame of all columns
    wlfmt csv, read_csv      both: the way to such a DataFrame without the package
    DuckDB                   scan into a table of a new database in memory
    wlfmt summary            the command, for comparison with the way to DuckDB

The rows of each file are dropped before the next file, except for pandas and DuckDB. `few columns` asks for the rank, the
name and the time (and the bytes of nested operations) alone: the script then has a regular expression for these, and
pandas has `usecols`.
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
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tests"))
import consumer  # noqa: E402
from files import COMMAND  # noqa: E402

import wlfmt  # noqa: E402

RECORD = re.compile(r"rank:(\d+):(\w+)\((.*?),sub_operations=(\[.*\])\)$")
FIELD = re.compile(r"(\w+)=(\[[^\]]*\]|.*?)(?:,(?=\w+=)|$)")
USUAL = re.compile(r"rank:(\d+):(\w+)\(stage_id=(\d+|None),batch_id=(\d+|None),mg_state=(\w+),duration=([\d.e+-]+|None),"
                   r"description=([^=]*),group_kind=(\w+),input__shape=(\[[^\]]*\]|None),input__dtype=([\w.]+),"
                   r"timestamp=([\d.e+-]+),sub_operations=\[(.*)\]\)$")
USUAL_NESTED = re.compile(r"'trace_src_func=(\w+),duration=([\d.e+-]+|None),timestamp=([\d.e+-]+),input__shape=(\[[^\]]*\]|None)"
                          r",input__dtype=([\w.]+)(?:,func_name=(\w+))?,group=(\w+),comm_func=(\w+)'")
FEW = re.compile(r"rank:(\d+):(\w+)\(.*?,duration=([\d.e+-]+|None),")
FEW_NESTED = re.compile(r"duration=([\d.e+-]+|None),timestamp=[\d.e+-]+,input__shape=(\[[^\]]*\]|None),input__dtype=([\w.]+),"
                        r"[^']*?comm_func=(\w+)'")
SIZES = {"torch.float32": 4, "torch.bfloat16": 2, "torch.float16": 2, "torch.int64": 8, "torch.int32": 4, "torch.bool": 1}
FEW_COLUMNS = {"operations": ["rank", "op", "duration_ms"],
               "sub_operations": ["rank", "comm_func", "sub_duration_ms", "sub_input__dtype"]}


def drain(paths, of, columns=None, threads=None):
    capsule = wlfmt.scan(paths, of=of, columns=columns, threads=threads).__arrow_c_stream__()
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


def typed(text, literal=ast.literal_eval):
    fields = dict(FIELD.findall(text))
    for key in ("stage_id", "batch_id"):
        if key in fields:
            fields[key] = None if fields[key] == "None" else int(fields[key])
    for key in ("duration", "timestamp"):
        fields[key] = None if fields[key] == "None" else float(fields[key])
    shape = fields["input__shape"] = literal(fields["input__shape"])
    fields["bytes"] = bytes_of(shape, fields["input__dtype"])
    return fields


def bytes_of(shape, dtype):
    if shape is None or dtype not in SIZES:
        return None
    size = SIZES[dtype]
    for dim in shape:
        size *= dim
    return size


def script_rows(path, of):
    rows = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file):
            found = RECORD.match(line)
            if found is None:
                continue
            row = typed(found.group(3))
            rank, op = int(found.group(1)), found.group(2)
            nested = ast.literal_eval(found.group(4))
            if of == "operations":
                row.update(file=path, record=number, rank=rank, op=op, sub_operations=len(nested))
                rows.append(row)
                continue
            for index, text in enumerate(nested):
                sub = typed(text)
                sub.update(file=path, record=number, index=index, rank=rank, op=op, stage_id=row["stage_id"],
                           batch_id=row["batch_id"])
                rows.append(sub)
    return rows


def by_script(paths, of):
    return sum(len(script_rows(path, of)) for path in paths)


def by_script_to_frame(paths, of):
    import pandas
    rows = []
    for path in paths:
        rows += script_rows(path, of)
    return len(pandas.DataFrame(rows))


def by_objects_to_frame(paths, of):
    import pandas
    rows = []
    for path in paths:
        operations = wlfmt.read_oplog(path)
        if of == "operations":
            rows += [{**op, "file": path, "sub_operations": len(op["sub_operations"])} for op in operations]
        else:
            rows += [{**sub, "file": path, "rank": op["rank"], "op": op["op"]}
                     for op in operations for sub in op["sub_operations"]]
    return len(pandas.DataFrame(rows))


class Remembered(dict):
    """What a shape and a dtype mean, worked out once for each."""

    def __missing__(self, key):
        shape = None if key[0] == "None" else [int(dim) for dim in key[0][1:-1].split(",") if dim]
        self[key] = shape, bytes_of(shape, key[1])
        return self[key]


def none_or(make, text):
    return None if text == "None" else make(text)


def by_tuned_script(paths, of):
    count = 0
    tensors = Remembered()
    for path in paths:
        rows = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file):
                found = USUAL.match(line)
                if found is None:
                    continue
                rank, op, stage, batch, state, duration, words, group, shape, dtype, timestamp, nested = found.groups()
                rank, stage, batch = int(rank), none_or(int, stage), none_or(int, batch)
                if of == "operations":
                    shape, size = tensors[shape, dtype]
                    rows.append((path, number, rank, op, stage, batch, state, none_or(float, duration), words, group, shape,
                                 dtype, size, float(timestamp), nested.count("trace_src_func=")))
                    continue
                index = 0
                for source, ms, when, shape, dtype, name, kind, comm in USUAL_NESTED.findall(nested):
                    shape, size = tensors[shape, dtype]
                    rows.append((path, number, index, rank, op, stage, batch, source, none_or(float, ms), float(when), shape,
                                 dtype, size, name or None, kind, comm))
                    index += 1
        count += len(rows)
    return count


def few_by_script(paths, of):
    count = 0
    tensors = Remembered()
    for path in paths:
        rows = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                found = FEW.match(line)
                if found is None:
                    continue
                rank = int(found.group(1))
                if of == "operations":
                    rows.append((rank, found.group(2), none_or(float, found.group(3))))
                    continue
                rows += [(rank, comm, none_or(float, ms), tensors[shape, dtype][1])
                         for ms, shape, dtype, comm in FEW_NESTED.findall(line)]
        count += len(rows)
    return count


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def by_literal_eval(paths, of):
    count = 0
    split = re.compile(r",(?=\w+=)").split
    fields = lambda text: {key: literal(value) for key, value in (f.split("=", 1) for f in split(text))}  # noqa: E731
    for path in paths:
        rows = []
        with open(path, encoding="utf-8") as file:
            for line in file:
                prefix, _, rest = line.partition("(")
                text, _, nested = rest.rpartition(")")[0].partition(",sub_operations=")
                head = dict(zip(("kind", "rank", "op"), prefix.split(":")), **fields(text))
                items = ast.literal_eval(nested)
                if of == "operations":
                    rows.append(dict(head, sub_operations=len(items)))
                else:
                    rows += [dict(fields(item), rank=head["rank"], op=head["op"]) for item in items]
        count += len(rows)
    return count


def by_json(path, of):
    count = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            count += 1 if of == "operations" else len(record["sub_operations"] or ())
    return count


def by_csv(path, columns=None):
    import pandas
    return len(pandas.read_csv(path, usecols=columns))


def to_frame(paths, of, threads=None):
    return len(wlfmt.scan(paths, of=of, threads=threads).to_pandas())


def by_command_and_csv(arguments, path):
    printed(arguments, path)
    return by_csv(path)


def table_rows(path):
    """Rows of a profiler table as scripts read it: cells where two blanks are, times in microseconds."""
    scale = {"us": 1.0, "ms": 1e3, "s": 1e6}
    cell = re.compile(r"(-?[\d.]+)(us|ms|s|%)?$").match
    rows = []
    titles, rules = [], 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("---"):
                rules += 1
            elif rules == 1:
                titles = re.split(r"\s{2,}", line.strip())
            elif rules == 2:
                values = []
                for text in re.split(r"\s{2,}", line.strip()):
                    found = cell(text)
                    values.append(float(found[1]) * scale.get(found[2], 1.0) if found else text)
                rows.append(dict(zip(titles, values)))
    return rows


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


def open_duckdb(lib):
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    lib.duckdb_open(None, ctypes.byref(database))
    lib.duckdb_connect(database, ctypes.byref(connection))
    lib.duckdb_disconnect(ctypes.byref(connection))
    lib.duckdb_close(ctypes.byref(database))


def processor_time():
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def shortest(ways, rounds=3):
    """Of each way, the processor time and the elapsed time."""
    best = {}
    for _ in range(rounds):
        for name, way in ways.items():
            times, begin, elapsed = 0, processor_time(), float("inf")
            while times == 0 or processor_time() - begin < 0.3:  # the system counts it in hundredths of a second
                start = time.perf_counter()
                way()
                elapsed = min(elapsed, time.perf_counter() - start)
                times += 1
            before = best.get(name, (float("inf"), float("inf")))
            best[name] = (min(before[0], (processor_time() - begin) / times), min(before[1], elapsed))
    return best


def show(title, best):
    print(title)
    print(f"    {'':32} {'processor':>13} {'':9}   {'elapsed':>13}")
    for name, (processor, elapsed) in best.items():
        few = ", few columns" if "few columns" in name else ""
        bases = best[f"scan{few}, one thread"][0], best["scan" + few][1]
        print(f"    {name:32} {processor * 1000:10.2f} ms {processor / bases[0]:8.1f}x   "
              f"{elapsed * 1000:10.2f} ms {elapsed / bases[1]:8.1f}x")
    sys.stdout.flush()


def copies(paths, count, folder, renamed):
    """That many files, of the texts of `paths` in turn; `renamed(text, n)` makes the n-th text."""
    texts = []
    for path in paths:
        with open(path, "rb") as file:
            texts.append(file.read())
    made = []
    for n in range(count):
        made.append(os.path.join(folder, f"wd{count}_rank{n}_20250101000000.txt"))
        with open(made[-1], "wb") as file:
            file.write(renamed(texts[n % len(texts)], n))
    return made


def printed(arguments, to):
    with open(to, "wb") as file:
        subprocess.run([*COMMAND, *arguments], stdout=file, check=True)


def has_pandas():
    try:
        import pandas  # noqa: F401
        return True
    except ImportError:
        return False


def compare_logs(title, paths, folder, lib):
    # Names of files on a command line have an end: a folder stands for them.
    given = [folder] if len(paths) > 1000 else paths
    megabytes = sum(os.path.getsize(p) for p in paths) / 1e6
    for of, named in (("operations", "records"), ("sub_operations", "sub-operations")):
        ways = {"scan": lambda: drain(paths, of), "scan, one thread": lambda: drain(paths, of, threads=1),
                "tuned script": lambda: by_tuned_script(paths, of)}
        if megabytes < 60:
            ways["script"] = lambda: by_script(paths, of)
        rows = {name: way() for name, way in ways.items()}
        assert len(set(rows.values())) == 1, rows
        csv = os.path.join(folder, ".csv")
        print_csv = ["csv", "--of=" + named, *given]
        printed(print_csv, csv)
        if megabytes < 60:
            if has_pandas():
                ways["script, to a DataFrame"] = lambda: by_script_to_frame(paths, of)
                ways["read_oplog, to a DataFrame"] = lambda: by_objects_to_frame(paths, of)
            ways["ast.literal_eval"] = lambda: by_literal_eval(paths, of)
        if megabytes < 200:
            lines = os.path.join(folder, ".json")
            with open(lines, "wb") as file:
                for n in range(0, len(paths), 500):
                    subprocess.run([*COMMAND, "json", *paths[n:n + 500]], stdout=file, check=True)
            ways["json.loads"] = lambda: by_json(lines, of)
        if has_pandas():
            ways["pandas.read_csv"] = lambda: by_csv(csv)
            ways["scan, to_pandas"] = lambda: to_frame(paths, of)
            ways["wlfmt csv, read_csv"] = lambda: by_command_and_csv(print_csv, csv)
        few = FEW_COLUMNS[of]
        ways["scan, few columns"] = lambda: drain(paths, of, few)
        ways["scan, few columns, one thread"] = lambda: drain(paths, of, few, threads=1)
        ways["script, few columns"] = lambda: few_by_script(paths, of)
        if has_pandas():
            ways["pandas.read_csv, few columns"] = lambda: by_csv(csv, few)
        if lib:
            ways["an empty database of DuckDB"] = lambda: open_duckdb(lib)
            ways["DuckDB"] = lambda: to_duckdb(lib, paths, of)
        ways["wlfmt summary"] = lambda: subprocess.run(
            [*COMMAND, "summary", "--json", *given], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        show(f"{title}, {megabytes:.1f} MB, {rows['scan']} {of}", shortest(ways, 3 if megabytes < 100 else 1))


def compare_tables(paths, folder):
    csv = os.path.join(folder, ".csv")
    printed(["csv", *paths], csv)
    megabytes = sum(os.path.getsize(p) for p in paths) / 1e6
    ways = {"scan": lambda: drain(paths, "rows"), "scan, one thread": lambda: drain(paths, "rows", threads=1),
            "script": lambda: sum(len(table_rows(p)) for p in paths)}
    rows = {name: way() for name, way in ways.items()}
    assert len(set(rows.values())) == 1, rows
    if has_pandas():
        ways["pandas.read_csv"] = lambda: by_csv(csv)
    show(f"{len(paths)} tables, {megabytes:.1f} MB, {rows['scan']} rows", shortest(ways))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("logs", nargs="*")
    arguments.add_argument("--files", type=int, default=0, help="also that many copies of the logs, as ranks of a run")
    arguments.add_argument("--large", type=int, default=0, help="also one log of that many MB")
    arguments.add_argument("--tables", nargs="*", default=[], help="also 1,000 copies of these profiler tables")
    arguments.add_argument("--duckdb", default="")
    given = arguments.parse_args()
    lib = ctypes.CDLL(given.duckdb) if given.duckdb else None
    if given.logs and not (given.files or given.large):
        with tempfile.TemporaryDirectory() as folder:
            compare_logs(f"{len(given.logs)} logs", given.logs, folder, lib)
    if given.files:
        with tempfile.TemporaryDirectory() as folder:
            many = copies(given.logs, given.files, folder,
                          lambda text, n: re.sub(rb"^rank:\d+:", b"rank:%d:" % n, text, flags=re.M))
            compare_logs(f"{given.files} logs", many, folder, lib)
    if given.large:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "large.txt")
            with open(path, "wb") as file:
                while file.tell() < given.large * 1000000:
                    for log in given.logs:
                        with open(log, "rb") as part:
                            file.write(part.read())
            compare_logs("one log", [path], folder, lib)
    if given.tables:
        with tempfile.TemporaryDirectory() as folder:
            compare_tables(copies(given.tables, 1000, folder, lambda text, n: text), folder)


main()
