"""The package, held against readings that do not use it: regular expressions, literal_eval, and the files themselves."""

import ast
import bz2
import ctypes
import doctest
import gc
import glob
import gzip
import importlib.util
import io
import lzma
import math
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
from random import Random

import consumer
import pytest
from files import DATA, DENSE, LOG, MOE, MOE_LOG, ROOT, TABLE, bytes_of

import wlfmt

# Reading without wlfmt

SIZES = {"torch.float32": 4, "torch.bfloat16": 2, "torch.float16": 2, "torch.int64": 8, "torch.int32": 4, "torch.bool": 1}


def value(text):
    return None if text in (None, "None") else ast.literal_eval(text)


def fields(text):
    """key=value pairs at commas that are followed by a key."""
    return dict(re.findall(r"(?:^|,)(\w+)=(.*?)(?=,\w+=|$)", text))


def plain_records(path):
    for line in bytes_of(path).decode().splitlines():
        found = re.fullmatch(r"rank:(\d+):(\w+)\((.*),sub_operations=(\[.*\])\)", line)
        rank, op, rest, nested = found.groups()
        yield int(rank), op, fields(rest), [fields(s) for s in ast.literal_eval(nested)]


def size_of(shape, dtype):
    if shape is None or dtype not in SIZES:
        return None
    size = SIZES[dtype]
    for dim in shape:
        size *= dim
    return size


def text_or_none(text):
    return None if text in (None, "None") else text


@pytest.mark.parametrize("path", [LOG, MOE_LOG])
def test_operations_are_those_of_a_regular_expression(path):
    expected = []
    for n, (rank, op, f, nested) in enumerate(plain_records(path)):
        shape = value(f["input__shape"])
        expected.append({
            "file": path, "run": None, "record": n, "origin": "rank", "rank": rank, "op": op, "stage_id": value(f["stage_id"]),
            "batch_id": value(f["batch_id"]), "mg_state": text_or_none(f["mg_state"]),
            "duration_ms": value(f["duration"]), "description": text_or_none(f["description"]),
            "group_kind": text_or_none(f["group_kind"]), "input__shape": shape,
            "input__dtype": text_or_none(f["input__dtype"]), "bytes": size_of(shape, f["input__dtype"]),
            "timestamp_ms": value(f["timestamp"]), "sub_operations": len(nested),
            "none": ",".join(name for name, key in [
                ("stage_id", "stage_id"), ("batch_id", "batch_id"), ("mg_state", "mg_state"),
                ("duration_ms", "duration"), ("description", "description"), ("group_kind", "group_kind"),
                ("input__shape", "input__shape"), ("input__dtype", "input__dtype")] if f[key] == "None") or None,
            # Times that are integers, with all their digits.
            "further": ",".join(f'"{k}":{f[k]}' for k in ("duration", "timestamp") if f[k].isdigit()) or None,
            "keys": None, "copy": 0})
        if expected[-1]["further"]:
            expected[-1]["further"] = "{" + expected[-1]["further"] + "}"
        before = expected[-2] if n else {"op": "", "duration_ms": None, "timestamp_ms": None}
        pair = {before["op"], op}
        expected[-1]["copy"] = int(
            (pair == {"send_forward", "recv_backward"} or pair == {"send_backward", "recv_forward"}) and not before["copy"]
            and [before[k] for k in ("duration_ms", "timestamp_ms")] == [value(f["duration"]), value(f["timestamp"])])
    assert consumer.read(wlfmt.scan(path)) == expected


@pytest.mark.parametrize("path", [LOG, MOE_LOG])
def test_nested_operations_are_those_of_a_regular_expression(path):
    expected = []
    for n, (rank, op, f, nested) in enumerate(plain_records(path)):
        for index, s in enumerate(nested):
            shape = value(s["input__shape"])
            expected.append({
                "file": path, "run": None, "record": n, "index": index, "rank": rank, "op": op, "stage_id": value(f["stage_id"]),
                "batch_id": value(f["batch_id"]), "trace_src_func": s["trace_src_func"],
                "sub_duration_ms": value(s["duration"]), "sub_timestamp_ms": value(s["timestamp"]),
                "sub_input__shape": shape, "sub_input__dtype": s["input__dtype"],
                "sub_bytes": size_of(shape, s["input__dtype"]), "func_name": text_or_none(s.get("func_name")),
                "group": s["group"], "comm_func": s["comm_func"], "text": None,
                "none": None, "further": None, "keys": None})
    got = consumer.read(wlfmt.scan(path, of="sub_operations"))
    for row in got:
        row["none"] = None  # whatever is None is missing here
    assert got == expected


@pytest.mark.parametrize("columns", [["sub_duration_ms"], ["comm_func", "rank", "sub_bytes"], ["func_name", "record"],
                                     ["sub_timestamp_ms", "group", "sub_input__shape", "file"]])
def test_chosen_columns_are_those_of_a_whole_scan(columns):
    whole = consumer.read(wlfmt.scan([LOG, MOE_LOG], of="sub_operations"))
    chosen = consumer.read(wlfmt.scan([LOG, MOE_LOG], of="sub_operations", columns=columns))
    assert chosen == [{c: row[c] for c in columns} for row in whole]
    assert [list(row) for row in chosen[:1]] == [columns]


@pytest.mark.parametrize("rows", [1, 3, 10, 1 << 20])
def test_batches_of_any_size_hold_the_same_rows(rows):
    whole = consumer.read(wlfmt.scan([LOG, MOE_LOG]))
    got = list(consumer.batches(wlfmt.scan([LOG, MOE_LOG], batch_rows=rows)))
    assert [dict(zip(b, r)) for b in got for r in zip(*b.values())] == whole
    assert all(len(b["rank"]) == rows for b in got[:-1])


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 64, 1 << 20])
@pytest.mark.parametrize("given", [0, 0.03, 0.5, 0.97, 1])
def test_nulls_in_any_order_are_where_the_file_has_them(given, rows):
    random = Random(f"{given}")
    words = ["steady", "warmup", "a state of more than sixteen bytes", "x" * 40, "y" * 70, "\u00e9"]
    lines, expected, nested = [], [], []
    for n in range(200):
        one = {"stage_id": random.randrange(9), "mg_state": random.choice(words), "duration": n + 0.25,
               "input__shape": [random.randrange(9) for _ in range(random.randrange(4))]}
        for key in one:
            if random.random() >= given:
                one[key] = random.choice([None, ""])  # None, or missing
        text = ",".join(f"{k}={v}" for k, v in one.items() if v != "")
        subs = random.randrange(4)
        calls = ", ".join(f"'duration={m},group=tp'" if m % 2 else "'group=tp'" for m in range(subs))
        lines.append(f"rank:{n}:f({text},sub_operations=[{calls}])\n")
        names = {"stage_id": "stage_id", "mg_state": "mg_state", "duration": "duration_ms", "input__shape": "input__shape"}
        row = {names[k]: None if v == "" else v for k, v in one.items()}
        row["none"] = ",".join(names[k] for k in names if one[k] is None) or None
        row["sub_operations"] = subs
        expected.append(row)
        nested += [{"rank": n, "stage_id": row["stage_id"], "index": m, "sub_duration_ms": m if m % 2 else None}
                   for m in range(subs)]
    log = "".join(lines).replace("(,", "(").encode()
    for want, of in ((expected, "operations"), (nested, "sub_operations")):
        assert consumer.read(wlfmt.scan(log, of=of, columns=list(want[0]), batch_rows=rows)) == want


def test_layers_and_headers_are_those_of_split():
    lines = bytes_of(DENSE).decode().splitlines()
    names = ["name", "dependency", "forward_compute", "forward_comm", "forward_bytes", "input_grad_compute",
             "input_grad_comm", "input_grad_bytes", "weight_grad_compute", "weight_grad_comm", "weight_grad_bytes",
             "update"]
    expected = []
    for n, line in enumerate(lines[2:]):
        parts = line.split()
        row = {"file": DENSE, "layer": n}
        row.update((k, v if k == "name" or k.endswith("comm") else int(v)) for k, v in zip(names, parts))
        expected.append({**row, "policy": None, "further": None})
    assert consumer.read(wlfmt.scan(DENSE, of="layers")) == expected
    (head,) = consumer.read(wlfmt.scan(DENSE, of="headers"))
    entries = dict(re.findall(r"(\w+): (-?\d+)", lines[0]))
    assert head["policy"] == lines[0].split()[0]
    assert head["declared_layers"] == int(lines[1]) == head["layers"] == len(expected)
    assert head["tensor_parallel"] == int(entries["model_parallel_NPU_group"])
    assert head["pipeline_parallel"] == int(entries["pp"]) and head["all_gpus"] == int(entries["all_gpus"])
    assert head["virtual_pipeline"] is None and head["checkpoints"] == []


def test_rows_are_those_of_the_rule():
    lines = bytes_of(TABLE).decode().splitlines()
    rules = [n for n, line in enumerate(lines) if line.startswith("---")]
    titles = re.split(r"\s{2,}", lines[rules[0] + 1].strip())
    got = consumer.read(wlfmt.scan(TABLE, of="rows"))
    rows = [re.split(r"\s{2,}", line.strip()) for line in lines[rules[1] + 1:rules[2]]]
    assert len(got) == len(rows)
    scale = {"us": 1, "ms": 1e3, "s": 1e6}
    for row, cells in zip(got, rows):
        for title, cell in zip(titles, cells):
            time = re.fullmatch(r"(-?[\d.]+)(us|ms|s)", cell)
            if title == "Name":
                assert row[title] == cell
            elif time:
                assert row[title + " (us)"] == pytest.approx(float(time[1]) * scale[time[2]], rel=1e-12)
            else:
                assert row[title] == float(cell.rstrip("%"))


def test_the_columns_of_different_tables_are_put_together():
    small = b"----  ----------  \nName    # of Calls  \n----  ----------  \n   a           7  \n----  ----------  \n"
    scan = wlfmt.scan([TABLE, small], of="rows")
    got = consumer.read(scan)
    assert got[-1]["# of Calls"] == 7 and got[-1]["Self CPU (us)"] is None and got[-1]["Name"] == "a"
    assert [name for name, _ in consumer.read_schema(scan)] == list(got[0])


def test_what_has_no_column_is_kept():
    log = (b"rank:1:f(cmd_uid=u-1,duration=Async operation, not measured,stage_id=2.5,mg_state=None,x=\\x41)\n"
           b"stage:2:g(duration=nan)\n")
    with pytest.warns(wlfmt.ParseWarning, match="not_a_number: duration"):
        one, two = consumer.read(wlfmt.scan(log, lenient=True))
    assert one["duration_ms"] is None and one["stage_id"] is None and one["mg_state"] is None
    assert one["none"] == "mg_state" and two["none"] is None
    assert ast.literal_eval(one["further"]) == {
        "stage_id": 2.5, "duration": "Async operation, not measured", "cmd_uid": "u-1", "x": "\\x41"}
    assert two["origin"] == "stage" and two["rank"] == 2 and two["duration_ms"] != two["duration_ms"]


def test_ranks_are_chosen():
    log = b"rank:0:f()\nrank:2:g()\nstage:2:h()\nrank:1:i()\nrank:2:j()\n"
    rows = consumer.read(wlfmt.scan(log, columns=["op", "record"], ranks=[2, 1]))
    assert rows == [{"op": "g", "record": 1}, {"op": "i", "record": 3}, {"op": "j", "record": 4}]


def test_escapes_of_nested_operations_are_read():
    log = rb"rank:0:f(sub_operations=['func_name=it\'s \u00e9,comm_func=allreduce', 'plain \\ text'])"
    one, two = consumer.read(wlfmt.scan(log, of="sub_operations", columns=["func_name", "comm_func", "text"]))
    assert one == {"func_name": "it's \u00e9", "comm_func": "allreduce", "text": None}
    assert two == {"func_name": None, "comm_func": None, "text": "plain \\ text"}


def test_bytes_that_are_no_utf8_are_told():
    log = b"rank:0:f(description=a\xffb)\nrank:1:f(description=a\xffb)\n"
    with pytest.warns(wlfmt.ParseWarning, match="<bytes>:1:1: warning: not_utf8"):
        rows = consumer.read(wlfmt.scan(log))
    assert [r["description"] for r in rows] == ["a\ufffdb", "a\ufffdb"]
    assert wlfmt.read_oplog(log)[0]["description"] == "a\udcffb"
    assert wlfmt.write_oplog(wlfmt.read_oplog(log)).encode("utf-8", "surrogateescape") == log


def test_rows_before_an_error_are_handed_out(tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"rank:0:f(duration=1.5)\nrank:1:f(duration=2.5\n")
    got = consumer.batches(wlfmt.scan([MOE_LOG, bad]))
    assert len(next(got)["rank"]) == len(list(plain_records(MOE_LOG))) + 1
    with pytest.raises(consumer.StreamError, match="bad.txt:2:.*unterminated_record") as e:
        next(got)
    assert e.value.code == 22
    with pytest.warns(wlfmt.ParseWarning, match="bad.txt:2:"):
        consumer.read(wlfmt.scan(bad, lenient=True))


@pytest.mark.parametrize("name, compress", [("gzip", gzip.compress), ("bz2", bz2.compress), ("lzma", lzma.compress)])
def test_a_compressed_file_is_called_so(name, compress, tmp_path):
    path = tmp_path / "log.z"
    path.write_bytes(compress(bytes_of(LOG)))
    words = re.escape(f"log.z: error: unknown_format: the file is compressed by ") + r"\w+: pass " + name + r"\.open"
    for read in (wlfmt.read_oplog, wlfmt.read_workload, wlfmt.read_table):
        for lenient in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", wlfmt.ParseWarning)
                with pytest.raises(wlfmt.ParseError, match=words) as e:
                    read(path, lenient=lenient)
            assert (e.value.kind, e.value.file, e.value.line) == ("unknown_format", str(path), None)
    for of in ("operations", "layers", "rows"):
        with pytest.raises(consumer.StreamError, match=words):
            consumer.read(wlfmt.scan([LOG if of == "operations" else DENSE if of == "layers" else TABLE, path], of=of))
    (problem,) = wlfmt.check(path)
    assert problem.kind == "unknown_format" and problem.message.startswith("the file is compressed: ")
    with {"gzip": gzip, "bz2": bz2, "lzma": lzma}[name].open(str(path)) as file:
        assert wlfmt.read_oplog(file) == wlfmt.read_oplog(LOG)


def test_errors_say_where(tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(bytes_of(DENSE).replace(b"\t2456804\t", b"\t1x00\t", 1))
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.read_workload(bad)
    assert isinstance(e.value, ValueError)
    line = bad.read_bytes()[:bad.read_bytes().index(b"1x00")].count(b"\n") + 1
    assert (e.value.kind, e.value.file, e.value.line) == ("not_a_number", str(bad), line)
    assert e.value.field == "forward.compute" and "`1x00`" in e.value.message and "^" in str(e.value)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        wlfmt.scan("nowhere")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        wlfmt.read_oplog("nowhere")
    with pytest.raises(ValueError, match="no_such"):
        wlfmt.scan(LOG, columns=["no_such"])
    for wrong in ({"of": "lines"}, {"batch_rows": 0}, {"threads": 0}):
        with pytest.raises(ValueError):
            wlfmt.scan(LOG, **wrong)
    with pytest.raises(TypeError):
        wlfmt.scan(LOG, columns="rank")


def test_a_file_that_vanishes_is_an_error_of_the_stream(tmp_path):
    path = tmp_path / "gone.txt"
    path.write_bytes(bytes_of(LOG))
    scan = wlfmt.scan(path)
    path.unlink()
    with pytest.raises(consumer.StreamError, match="gone.txt") as e:
        consumer.read(scan)
    assert e.value.code == 2


@pytest.mark.parametrize("path", [LOG, MOE_LOG])
def test_op_logs_come_back_byte_for_byte(path, tmp_path):
    assert wlfmt.write_oplog(wlfmt.read_oplog(path)).encode() == bytes_of(path)
    wlfmt.write_oplog(wlfmt.read_oplog(path), tmp_path / "again.txt")
    assert (tmp_path / "again.txt").read_bytes() == bytes_of(path)


def test_workloads_and_tables_come_back_as_they_were():
    file = wlfmt.read_workload(DENSE)
    assert wlfmt.read_workload(wlfmt.write_workload(file).encode()) == file
    file["layers"] = file["layers"][:2]
    assert wlfmt.read_workload(wlfmt.write_workload(file).encode())["declared_layers"] == 2
    tables = wlfmt.read_table(TABLE)
    assert len(tables) == 1 and wlfmt.read_table(wlfmt.write_table(tables).encode()) == tables


def test_a_table_that_a_terminal_wrapped_is_read_joined():
    lines = bytes_of(TABLE).decode().splitlines()
    wrapped = "\n".join(line[at : at + 100] for line in lines for at in range(0, max(len(line), 1), 100))
    with pytest.warns(wlfmt.ParseWarning, match="was wrapped at 100 columns"):
        assert wlfmt.read_table(wrapped.encode()) == wlfmt.read_table(TABLE)
    with pytest.warns(wlfmt.ParseWarning, match="was wrapped at 100 columns") as told:
        frames = [[row for row in wlfmt.scan(text.encode(), of="rows").to_pylist() if row.pop("file")]
                  for text in (wrapped, bytes_of(TABLE).decode())]
    assert len(told) == 1
    assert frames[0] == frames[1] and len(frames[0]) == 84


def test_of_columns_of_one_name_the_first_is_kept_and_told():
    rule = "----  ---------  ---------\n"
    text = f"{rule}Name  CPU total  CPU total\n{rule}a     1.000us    2.000us\n{rule}"
    with pytest.warns(wlfmt.ParseWarning, match="several columns are called 'CPU total'"):
        assert [t["rows"] for t in wlfmt.read_table(text)] == [[{"Name": "a", "CPU total": 1.0}]]
    with pytest.warns(wlfmt.ParseWarning, match="several columns are called"):
        row, = wlfmt.scan(text, of="rows").to_pylist()
    assert (row["Name"], row["CPU total (us)"]) == ("a", 1.0)


def test_numbers_that_json_does_not_have_are_written():
    assert wlfmt.write_oplog([{"rank": 0, "op": "f", "duration": -math.inf}]) == "rank:0:f(duration=-inf)\n"
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.write_oplog([{"rank": 0, "op": "f", "description": "two\nlines"}])
    assert e.value.kind == "unwritable" and e.value.field == "description"


def test_sources_of_every_kind_are_read():
    expected = wlfmt.read_oplog(LOG)
    assert wlfmt.read_oplog(bytes_of(LOG)) == expected
    assert wlfmt.read_oplog(memoryview(bytes_of(LOG))) == expected
    assert wlfmt.read_oplog(io.BytesIO(bytes_of(LOG))) == expected
    assert wlfmt.read_oplog(io.StringIO(bytes_of(LOG).decode())) == expected
    with open(LOG, "rb") as file:
        assert wlfmt.read_oplog(file) == expected
    with open(LOG, "rb") as file:
        assert consumer.read(wlfmt.scan(file))[0]["file"] == LOG


def test_a_named_pipe_is_opened_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes")
    pipe = tmp_path / "pipe"
    os.mkfifo(str(pipe))

    def write(path):
        with open(str(pipe), "wb") as file:
            file.write(bytes_of(path) * 20)  # more than a pipe holds

    for path, expected, read in ((LOG, 20 * 9, lambda: consumer.read(wlfmt.scan(pipe))),
                                 (LOG, 20 * 9, lambda: wlfmt.read_oplog(pipe)),
                                 (TABLE, 20 * 84, lambda: consumer.read(wlfmt.scan(pipe, of="rows")))):
        writer = threading.Thread(target=write, args=(path,))
        writer.start()
        assert len(read()) == expected
        writer.join()


def test_a_file_that_is_cut_short_while_it_is_read_does_no_harm(tmp_path):
    program = """if True:
        import os, sys
        import consumer, wlfmt
        from wlfmt import _wlfmt
        path, log = sys.argv[1:]
        with open(log, "rb") as file:
            text = file.read() * 400  # 4 MB
        def write():
            with open(path, "wb") as file:
                file.write(text)
            return os.fsencode(path)
        write()
        batches = consumer.batches(wlfmt.scan(path, batch_rows=10))
        next(batches)
        os.truncate(path, 0)
        print(10 + sum(len(b["rank"]) for b in batches))
        parts = []
        def cut(part):
            os.truncate(path, 0)
            parts.append(part)
        status, rest, said = _wlfmt.run([b"json", b"--kind=oplog", write()], [], [], True, None, cut)
        parts.append(rest)
        print(*(one.kind for one in said))
        print(b"".join(parts).count(b"\\n") > 100)
    """
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path / "log.txt"), LOG], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=os.path.dirname(os.path.abspath(__file__)))
    assert done.returncode == 0, done.stderr.decode()
    rows, *kind, many = done.stdout.decode().split()
    assert rows == str(400 * 9) and kind[0].startswith("unterminated_") and many == "True"


def test_a_log_is_read_in_parts(tmp_path):
    pytest.importorskip("resource")
    path = tmp_path / "console.txt"
    with open(str(path), "wb") as file:
        for _ in range(64):
            file.write(b"a line of the console\n" * 50000)
        file.write(b"rank:1:f(duration=2.5)\n")
    # What is its format is found from its beginning.
    (tmp_path / "log.txt").write_bytes(b"rank:1:f(duration=2.5)\n" + b"a line of the console\n" * 3200000)
    program = """if True:
        import resource, sys, wlfmt
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert wlfmt.read_oplog(sys.argv[1]) == [{"rank": 1, "op": "f", "duration": 2.5}]
        assert [p.severity for p in wlfmt.check(sys.argv[2])] in ([], ['warning'])
        try:
            wlfmt.read_oplog(sys.argv[3])
        except wlfmt.ParseError as e:
            assert (e.kind, e.line, e.column, e.field) == ("not_a_number", 2, 19, "duration")
        else:
            raise AssertionError("a problem is passed over")
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
    """
    # The first error ends the reading, whatever follows.
    (tmp_path / "wrong.txt").write_bytes(b"rank:1:f(duration=2.5)\n" + b"rank:1:f(duration=soon)\n" * 500000)
    files = [str(path), str(tmp_path / "log.txt"), str(tmp_path / "wrong.txt")]
    grown = int(subprocess.run([sys.executable, "-c", program, *files],
                               stdout=subprocess.PIPE, check=True).stdout)
    assert grown < 20  # MB, of files of 70


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e"])
def test_only_line_feeds_end_lines(end):
    log = f"rank:0:f(description=a{end}b,sub_operations=['func_name=c{end}d'])\n".encode()
    for read in (log, io.BytesIO(log)):
        (operation,) = wlfmt.read_oplog(read)
        assert operation["description"] == f"a{end}b"
        assert operation["sub_operations"] == [{"func_name": f"c{end}d"}]
    assert consumer.read(wlfmt.scan(log, columns=["description"])) == [{"description": f"a{end}b"}]
    assert wlfmt.read_oplog(wlfmt.write_oplog([operation]).encode()) == [operation]


def test_a_folder_stands_for_its_files(tmp_path):
    for n in range(3):
        (tmp_path / f"r{n}.txt").write_bytes(b"rank:%d:f(duration=%d.5)\n" % (n, n))
    (tmp_path / ".hidden").write_bytes(b"x")
    (tmp_path / "below").mkdir()
    with pytest.warns(wlfmt.ParseWarning, match="below: warning: only the files of a folder are read") as told:
        rows = consumer.read(wlfmt.scan(tmp_path, columns=["rank", "duration_ms"]))
    assert len(told) == 1 and told[0].filename == __file__
    assert rows == [{"rank": n, "duration_ms": n + 0.5} for n in range(3)]


def test_a_folder_without_files_is_told(tmp_path):
    with pytest.warns(wlfmt.ParseWarning, match="the folder holds no file"):
        assert consumer.read(wlfmt.scan(tmp_path)) == []
    with pytest.warns(wlfmt.ParseWarning, match="the folder holds no file"), pytest.raises(ValueError, match="there are no files"):
        wlfmt.check(tmp_path)  # of which nothing is fine


@pytest.mark.parametrize("call", [
    wlfmt.check, wlfmt.scan, wlfmt.open, wlfmt.summary, wlfmt.plot, wlfmt.report, wlfmt.timeline,
    lambda none: wlfmt.scan(none, "layers"), lambda none: wlfmt.diff(none, LOG), lambda none: wlfmt.diff(LOG, none),
    lambda none: wlfmt.chakra(none, "traces")])
def test_no_sources_are_an_error(call):
    for none in ([], (), iter([]), {}):
        with pytest.raises(ValueError, match="there are no files"):
            call(none)


def test_a_pattern_of_any_depth_fits_each_file_once(tmp_path):
    names = ["x.txt", "a/x.txt", "a/b/x.txt", "a/b/y.log"]
    for rank, name in enumerate(names):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"rank:{rank}:f(duration=1.5)\n")
    for pattern, ranks in (("**/*.txt", [0, 1, 2]), ("**", [0, 1, 2, 3]), ("**/*", [0, 1, 2, 3]), ("a/**", [1, 2, 3]),
                           ("**/b", [2, 3]), ("**/y*", [3]), ("*/*.txt", [1]), ("*.txt", [0]), ("*/", [1]),
                           ("a", [1]), ("**/", [0, 1, 2, 3]), ("**/[ab]", [1, 2, 3]), ("a/**/", [1, 2, 3])):
        pattern = f"{tmp_path}/{pattern}"
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", wlfmt.ParseWarning)
            assert sorted(row["rank"] for row in wlfmt.scan(pattern).to_pylist()) == ranks, pattern
        said = [str(one.message) for one in told]
        assert bool(said) == pattern.endswith(("*/", "/a", "/[ab]")) and all("only the files" in one for one in said), said
    assert wlfmt.summary(str(tmp_path / "**"))["operations"] == 4


def test_many_sources_are_given_in_any_iterable():
    expected = consumer.read(wlfmt.scan([LOG, MOE_LOG]))
    for many in ((LOG, MOE_LOG), iter([LOG, MOE_LOG]), (p for p in (LOG, MOE_LOG)), {LOG: 1, MOE_LOG: 2},
                 [pathlib.Path(LOG), MOE_LOG]):
        assert consumer.read(wlfmt.scan(many)) == expected
    assert consumer.read(wlfmt.scan(sorted(pathlib.Path(DATA).glob("oplog_rank7_*.txt")))) == (
        consumer.read(wlfmt.scan(sorted(glob.glob(os.path.join(DATA, "oplog_rank7_*.txt"))))))
    with open(MOE_LOG, "rb") as file:
        assert consumer.read(wlfmt.scan([pathlib.Path(LOG), file])) == expected
    for wrong in (None, 3, 2.5, [None], [[LOG]], [3]):
        with pytest.raises(TypeError, match="a path, an open file"):
            wlfmt.scan(wrong)
    for wrong in (None, 3, [LOG], {}):
        with pytest.raises(TypeError, match="a path, an open file"):
            wlfmt.read_oplog(wrong)


def test_what_is_no_record_is_refused():
    for wrong in (lambda: wlfmt.write_oplog("text"), lambda: wlfmt.write_workload({"policy": "DATA"}),
                  lambda: wlfmt.write_table([{"columns": []}]), lambda: wlfmt.merge("text"), lambda: wlfmt.write_oplog(b"")):
        with pytest.raises(TypeError):
            wrong()
    for how in ({"share": (2, 2)}, {"share": (-1, 2)}, {"threads": 0}):
        with pytest.raises(ValueError) as e:
            wlfmt.summary(LOG, **how)
        assert not isinstance(e.value, wlfmt.ParseError)


def test_objects_can_be_sent_to_other_processes():
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.read_workload(b"DATA\n1\nfc\t-1\tx\n")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        error = pickle.loads(pickle.dumps(e.value, protocol))
        assert type(error) is wlfmt.ParseError and str(error) == str(e.value)
        assert vars(error) == vars(e.value) and error.line == 3
        scan = pickle.loads(pickle.dumps(wlfmt.scan(LOG, ranks=[7]), protocol))
        assert consumer.read(scan) == consumer.read(wlfmt.scan(LOG))
        assert pickle.loads(pickle.dumps(wlfmt.check(MOE), protocol)) == wlfmt.check(MOE)
        summary = pickle.loads(pickle.dumps(wlfmt.summary(LOG), protocol))
        assert summary == wlfmt.summary(LOG) and summary.line == wlfmt.summary(LOG).line


def test_problems_are_found():
    assert wlfmt.check(LOG) == []
    (problem,) = [p for p in wlfmt.check(MOE) if p.kind == "layer_count_mismatch"]
    assert (problem.line, problem.column, problem.severity, problem.field) == (2, 1, "warning", "layer count")
    assert "96" in problem.message and "98" in problem.message and str(problem).startswith(MOE + ":2:1:")
    assert [p.kind for p in wlfmt.check(b"no format at all")] == ["unknown_format"]
    with pytest.raises(ValueError):
        wlfmt.check(LOG, kind="csv")


def test_what_is_not_chosen_is_not_there():
    assert consumer.read(wlfmt.scan(LOG, ranks=[])) == []
    assert [name for name, _ in consumer.read_schema(wlfmt.scan(LOG, ranks=[]))][:3] == ["file", "run", "record"]
    assert len(consumer.read(wlfmt.scan(LOG, ranks=iter([3, 7])))) == len(list(plain_records(LOG)))
    with pytest.raises(ValueError, match="at least one name"):
        wlfmt.scan(LOG, columns=[])
    for wrong in ({"columns": [1]}, {"columns": b"rank"}, {"ranks": ["7"]}, {"ranks": "7"}, {"batch_rows": 2.5}):
        with pytest.raises(TypeError):
            wlfmt.scan(LOG, **wrong)
    with pytest.raises(ValueError, match="no column `rnak`; the columns are file, run, record, origin, rank, "):
        wlfmt.scan(LOG, columns=["rank", "rnak"])
    with pytest.raises(ValueError, match="`rank` is asked for twice"):
        wlfmt.scan(LOG, columns=["rank", "rank"])
    with pytest.raises(ValueError, match="no column `Nmae`; the columns are file, table, row, Name, "):
        wlfmt.scan(TABLE, of="rows", columns=["Nmae"]).__arrow_c_schema__()
    for of, path in (("layers", DENSE), ("headers", DENSE), ("rows", TABLE)):
        with pytest.raises(ValueError, match="ranks: "):
            wlfmt.scan(path, of=of, ranks=[7])


def test_one_record_is_not_taken_for_many():
    for wrong in (lambda: wlfmt.write_oplog({"rank": 0, "op": "f"}), lambda: wlfmt.write_table({"columns": []}),
                  lambda: wlfmt.write_workload([]), lambda: wlfmt.merge(wlfmt.summary(LOG))):
        with pytest.raises(TypeError):
            wrong()
    for nothing in (lambda: wlfmt.merge([]), lambda: wlfmt.summary([])):
        with pytest.raises(ValueError, match="there are no"):
            nothing()


class Number:
    """As numpy's integers are numbers, and no int."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_records_are_written_to_files_of_both_kinds_and_from_numbers_of_other_libraries():
    text, raw = io.StringIO(), io.BytesIO()
    for file in (text, raw):
        assert wlfmt.write_oplog([{"rank": Number(3), "op": "f", "duration": 0.5}], file) is None
    assert text.getvalue() == "rank:3:f(duration=0.5)\n" == raw.getvalue().decode()
    with pytest.raises(TypeError, match="bytes: a text, a number"):
        wlfmt.write_oplog([{"rank": 0, "op": b"f"}])


def test_every_error_has_its_attributes():
    error = wlfmt.ParseError("mine")
    assert (error.kind, error.file, error.line, error.column, error.field, error.message) == ("", "", None, None, "", "")
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.merge([{"a": 1}])
    assert (e.value.kind, e.value.file, e.value.line, e.value.column) == ("bad_summary", "<summaries>", 1, 2)
    assert e.value.message.startswith("`\"a\":1}` where ") and str(e.value).endswith("^~~~~~")
    with pytest.raises(wlfmt.ParseError) as e:
        wlfmt.summary(os.path.join(ROOT, "LICENSE"))
    assert (e.value.file, e.value.line) == (os.path.join(ROOT, "LICENSE"), None) and "workload" in e.value.message


def test_a_warning_that_is_made_an_error_ends_the_stream():
    scan = wlfmt.scan(b"rank:0:f(duration=soon)\nrank:1:f(duration=1)\n", lenient=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", wlfmt.ParseWarning)
        with pytest.raises(consumer.StreamError, match="<bytes>:1:19: warning: not_a_number"):
            consumer.read(scan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        assert len(consumer.read(scan)) == 2


def test_streams_survive_a_fork_and_the_end_of_the_interpreter():
    program = """if True:
        import ctypes, os, threading, warnings
        import consumer, wlfmt
        LOG = os.sys.argv[1]
        open_at_the_end = wlfmt.scan([LOG] * 50, batch_rows=1).__arrow_c_stream__()
        stream = consumer.Stream.from_address(consumer.pointer_of(open_at_the_end, b"arrow_array_stream"))
        held = consumer.Array()
        assert stream.get_next(ctypes.byref(stream), ctypes.byref(held)) == 0
        if os.fork() == 0:  # the child goes on with its own copy of the stream
            again = consumer.Array()
            assert stream.get_next(ctypes.byref(stream), ctypes.byref(again)) == 0 and again.length == 1
            again.release(ctypes.byref(again))
            os._exit(7)
        assert os.WEXITSTATUS(os.wait()[1]) == 7
        def read_for_ever():
            while True:
                consumer.read(wlfmt.scan([LOG] * 50))
        def check_for_ever():
            text = b"rank:0:f(duration=1)\\n" * 100
            while True:
                wlfmt.read_oplog(text), wlfmt.check(text), wlfmt.scan(LOG).__arrow_c_schema__()
        def warn_for_ever():
            text = b"rank:0:f(duration=soon)\\n" * 100
            warnings.simplefilter("ignore")
            while True:
                consumer.read(wlfmt.scan(text, lenient=True))
        for work in (read_for_ever, check_for_ever, warn_for_ever):
            threading.Thread(target=work, daemon=True).start()
        print("done")
    """
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    done = subprocess.run([sys.executable, "-c", program, LOG], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          cwd=os.path.dirname(os.path.abspath(__file__)), timeout=60)
    assert (done.returncode, done.stdout.decode().strip()) == (0, "done"), done.stderr.decode()


@pytest.mark.parametrize("first", ["", "import wlfmt"])
def test_a_subinterpreter_is_told_that_it_cannot_import_the_package(first):
    """It waited for ever in the first scan."""
    program = f"""if True:
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        {first or 'pass'}
        # One that shares the main interpreter's lock, as mod_wsgi's do.
        made = interpreters.create(*["legacy"] * hasattr(interpreters, "whence"))
        try:
            failed = interpreters.run_string(made, "import wlfmt; wlfmt.scan(b'rank:0:f(a=1)').to_pylist()")
        except interpreters.RunFailedError as e:
            failed = e
        print(getattr(failed, "formatted", failed))
    """
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    if b"No module named '_xxsubinterpreters'" in done.stderr:
        pytest.skip("subinterpreters cannot be made")
    assert done.returncode == 0 and "ImportError" in done.stdout.decode(), done.stderr.decode()
    # Python itself says it of subinterpreters with a lock of their own.
    assert "in the main interpreter alone" in done.stdout.decode() or "support loading in sub" in done.stdout.decode()


@pytest.mark.parametrize("what", ["stream", "filtered stream", "threads", "duckdb", "schema", "read_oplog", "read_workload", "check",
                                  "check of a file", "summary", "pipe"])
def test_an_interrupt_ends_long_work_soon(what, tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no signals of that kind")
    if what == "duckdb" and not os.path.exists(DUCKDB):
        pytest.skip("no libduckdb.so in WLFMT_DUCKDB")
    program = """if True:
        import ctypes, os, signal, threading, time
        import consumer, wlfmt
        what, log, table, dense, folder, duckdb = os.sys.argv[1:]

        def content(path):
            with open(path, "rb") as file:
                return file.read()

        def drain(**how):  # in one call, which comes back to Python at the end
            capsule = wlfmt.scan([log] * 1000000, batch_rows=10 ** 9, **how).__arrow_c_stream__()
            stream = consumer.Stream.from_address(consumer.pointer_of(capsule, b"arrow_array_stream"))
            stream.get_next(ctypes.byref(stream), ctypes.byref(consumer.Array()))

        def to_duckdb():
            lib = ctypes.CDLL(duckdb)
            database, connection = ctypes.c_void_p(), ctypes.c_void_p()
            lib.duckdb_open(None, ctypes.byref(database))
            lib.duckdb_connect(database, ctypes.byref(connection))
            lib.duckdb_query(connection, b"SET threads = 1", None)
            capsule = wlfmt.scan([log] * 1000000).__arrow_c_stream__()
            stream = ctypes.c_void_p(consumer.pointer_of(capsule, b"arrow_array_stream"))
            lib.duckdb_arrow_scan(connection, b"v", stream)
            lib.duckdb_query(connection, b"SELECT sum(rank) FROM v", None)

        if what == "summary":
            for n in range(3000):
                os.symlink(log, os.path.join(folder, "wd3000_rank%d_20250101000000.txt" % n))
            text = content(log) * 100
            for n in range(20):
                with open(os.path.join(folder, "wd3000_rank%d_20250101000000.txt" % (9000 + n)), "wb") as file:
                    file.write(text)
        if what == "pipe":
            os.mkfifo(os.path.join(folder, "pipe"))
            keep = os.open(os.path.join(folder, "pipe"), os.O_RDWR)  # a writer that writes nothing
        text = b""
        if what in ("read_oplog", "check"):
            text = content(log) * 10000
        if what == "check of a file":
            with open(os.path.join(folder, "log"), "wb") as file:
                file.write(content(log) * 10000)
        if what == "read_workload":
            text = content(dense) + b"\\n".join(content(dense).splitlines()[2:] * 3000) + b"\\n"
        work = {
            "stream": lambda: drain(threads=1),
            "filtered stream": lambda: drain(ranks=[12345], threads=1),
            "threads": lambda: drain(ranks=[12345], threads=2),
            "duckdb": to_duckdb,
            "schema": lambda: wlfmt.scan([table] * 1000000, of="rows").__arrow_c_schema__(),
            "read_oplog": lambda: wlfmt.read_oplog(text),
            "read_workload": lambda: wlfmt.read_workload(text, lenient=True),
            "check": lambda: wlfmt.check(text),
            "check of a file": lambda: wlfmt.check(os.path.join(folder, "log")),
            "summary": lambda: wlfmt.summary(folder),
            "pipe": lambda: wlfmt.read_oplog(os.path.join(folder, "pipe")),
        }[what]

        # A shell starts what it does not wait for with interrupts ignored.
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def interrupt():
            time.sleep(0.05)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            work()
        except KeyboardInterrupt:
            print("interrupted")
        # Nothing of it is left: the next work is done.
        print(len(wlfmt.read_oplog(log)), wlfmt.check(log))
    """
    done = subprocess.run([sys.executable, "-c", program, what, LOG, TABLE, DENSE, str(tmp_path), DUCKDB],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                          cwd=os.path.dirname(os.path.abspath(__file__)))
    assert done.returncode == 0, done.stderr.decode()
    # All of the work would take far longer than the program may take.
    assert done.stdout.decode().split() == ["interrupted", str(len(list(plain_records(LOG)))), "[]"]


def test_scans_leave_no_memory_behind():
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the size of the process is not known")

    def use(times):
        for _ in range(times):
            scan = wlfmt.scan(LOG, of="sub_operations")
            streams = scan.__arrow_c_stream__(), scan.__arrow_c_stream__()
            scan.__arrow_c_schema__()
            stream = consumer.Stream.from_address(consumer.pointer_of(streams[0], b"arrow_array_stream"))
            array = consumer.Array()
            assert stream.get_next(ctypes.byref(stream), ctypes.byref(array)) == 0
            array.release(ctypes.byref(array))
            with pytest.raises(wlfmt.ParseError):
                wlfmt.read_oplog(b"rank:0:f(\n")
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = use(200)
    assert use(400) < before + 2000000  # 400 streams that leaked would have 10 MB


@pytest.mark.parametrize("how", ["interrupt", "warning", "consumer"])
def test_an_exception_in_a_stream_leaves_no_memory_behind(how, tmp_path):
    """Whoever keeps the exception keeps the frames that it came through, as notebooks do."""
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the size of the process is not known")
    if how == "interrupt":
        (tmp_path / "large.txt").write_bytes(bytes_of(LOG) * 4000)
        scan = wlfmt.scan([tmp_path / "large.txt"] * 100, threads=1)
    else:  # one batch, which holds all rows when the exception comes
        scan = wlfmt.scan([*[LOG] * 4000, b"rank:0:f(duration=soon)\n"], lenient=True, batch_rows=10**9, threads=1)

    def interrupt(*_):
        raise KeyboardInterrupt

    def use(call):
        try:
            call()
        except (KeyboardInterrupt, wlfmt.ParseWarning, consumer.StreamError) as e:
            kept.append(e)

    def memory():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    kept = []
    sizes = []
    handler = signal.signal(signal.SIGALRM, interrupt)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", wlfmt.ParseWarning)
            for _ in range(6):
                if how == "interrupt":
                    signal.setitimer(signal.ITIMER_REAL, 0.15)
                use(scan.to_numpy if how != "consumer" else lambda: consumer.read(scan))
                sizes.append(memory())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert len(kept) == 6
    assert sizes[-1] < sizes[0] + 15_000_000  # a stream that is kept has 5 MB and more each time


def test_what_lenient_reading_passes_over_is_a_warning():
    with pytest.warns(wlfmt.ParseWarning, match="layer_count_mismatch"):
        assert len(wlfmt.read_workload(MOE, lenient=True)["layers"]) == 98
    with warnings.catch_warnings():
        warnings.simplefilter("error", wlfmt.ParseWarning)
        with pytest.raises(wlfmt.ParseWarning):
            wlfmt.read_workload(MOE, lenient=True)


def test_summaries_add_up(tmp_path):
    paths = []
    for n in range(4):
        paths.append(tmp_path / f"wd4_tp1_pp4_rank{n}_20250101000000.txt")
        paths[-1].write_bytes(bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % n))
    whole = wlfmt.summary(tmp_path)
    assert wlfmt.merge([wlfmt.summary(paths[3:]), wlfmt.summary(paths[:3])]) == whole
    assert whole["operations"] == 4 * len(list(plain_records(LOG)))
    with pytest.raises(FileNotFoundError):
        wlfmt.summary(tmp_path / "nowhere")


def test_the_types_are_those_of_the_code(tmp_path):
    pytest.importorskip("mypy")
    package = os.path.dirname(os.path.dirname(os.path.abspath(wlfmt.__file__)))
    (tmp_path / "program.py").write_text("""if True:
        import wlfmt
        run: wlfmt.Run = wlfmt.open("run/")
        text: str = wlfmt.write_oplog(wlfmt.read_oplog("rank7.txt"))
        nothing: None = wlfmt.write_workload({}, "moe.txt")
        table: str = wlfmt.write_table([])
        changed: str = wlfmt.set("moe.txt", {"layers.3.forward.bytes": 4096})
        first: wlfmt.Rows = run.ranks[:3]
        name: str = str(run.slowest_rank.reason if run.slowest_rank else "")
        build: str = wlfmt.Workload("DATA").write()
        name = wlfmt.scan("rank7.txt", of="sub_operations").columns[0]
        if isinstance(run.answers, wlfmt.Answers):
            sums: int = run.answers.operations
        same: bool = not wlfmt.diff("a.txt", "b.txt")
    """)
    (tmp_path / "wrong.py").write_text("""if True:
        import wlfmt
        wlfmt.scan("rank7.txt", of="operatoins")
        wlfmt.columns("rank")
        wlfmt.read("rank7.txt")
        wlfmt.open("run/").to_pandas()
        len(wlfmt.scan("rank7.txt"))
        wlfmt.open("run/").answers.no_such
        wlfmt.summary("run/").ranks
    """)
    for command in (["mypy", "--strict", "--cache-dir", str(tmp_path), "-p", "wlfmt"],
                    ["mypy", "--strict", "--cache-dir", str(tmp_path), "program.py", "wrong.py"],
                    ["mypy.stubtest", "wlfmt._wlfmt"]):
        done = subprocess.run([sys.executable, "-m", *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, MYPYPATH=package, PYTHONPATH=package), cwd=str(tmp_path))
        said = done.stdout.decode()
        if "wrong.py" in command:
            wrong = [f"wrong.py:{line}" for line in range(3, 10)]
            assert re.findall(r"^(.*:\d+): error", said, re.M) == wrong, said
        else:
            assert done.returncode == 0, said


def has_dask():
    return subprocess.run([sys.executable, "-c", "import distributed"], stderr=subprocess.DEVNULL).returncode == 0


@pytest.mark.parametrize("how", [["--processes"], []])
def test_the_cluster_example_prints_what_one_process_prints(how, tmp_path):
    if not how and not has_dask():
        pytest.skip("there is no Dask")
    paths = []
    for n in range(7):
        text = bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % n)
        paths.append(str(tmp_path / f"wd7_tp1_pp7_rank{n}_20250102000000.txt"))
        with open(paths[-1], "wb") as file:
            file.write(text)
        if n % 3 != 1:  # an earlier run of some ranks, with other times
            paths.append(str(tmp_path / f"wd7_tp1_pp7_rank{n}_20250101000000.txt"))
            with open(paths[-1], "wb") as file:
                file.write(text.replace(b"duration=", b"duration=9"))
    example = os.path.join(ROOT, "examples", "cluster", "dask_summary.py")
    done = subprocess.run([sys.executable, example, *how, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr.decode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        assert done.stdout.decode() == wlfmt.summary(tmp_path).line + "\n"
        assert wlfmt.summary(tmp_path, share=(0, 7), threads=2)["operations"] == len(list(plain_records(LOG)))
    if not how:
        return  # what a share that is lost does is the same everywhere
    # A package whose command has no memory where it reads the second share.
    package = tmp_path / "package" / "wlfmt"
    package.mkdir(parents=True)
    for name in os.listdir(os.path.dirname(wlfmt.__file__)):
        if name != "_command.py":
            os.symlink(os.path.join(os.path.dirname(wlfmt.__file__), name), str(package / name))
    (package / "_command.py").write_text(bytes_of(wlfmt._command.__file__).decode() + """

_start = call_command


def call_command(command, options, *how, **further):
    if any(option.startswith("--share=1/") for option in options):
        raise MemoryError("no memory")
    return _start(command, options, *how, **further)
""")
    done = subprocess.run([sys.executable, example, *how, *paths], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, PYTHONPATH=str(package.parent)))
    assert done.returncode == 1
    assert "share 1 of 8: " in done.stderr.decode() and "the sums lack rank 1" in done.stderr.decode()


def test_the_command_is_there():
    command = [sys.executable, "-m", "wlfmt"]
    said = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, check=True).stdout.decode()
    assert said.split() == ["wlfmt", wlfmt.__version__]
    assert subprocess.run([*command, "check", "/nowhere"], stderr=subprocess.PIPE).returncode == 2


def test_streams_outlive_what_they_came_from_and_threads_share_nothing():
    scans = [wlfmt.scan([LOG] * n, of="sub_operations") for n in range(1, 5)]
    expected = [len(consumer.read(s)) for s in scans]
    streams = [s.__arrow_c_stream__() for s in scans]
    del scans
    gc.collect()
    assert len(streams) == 4  # released without being read
    del streams
    got = [0] * 4

    def work(n):
        got[n] = len(consumer.read(wlfmt.scan([LOG] * (n + 1), of="sub_operations")))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == expected


def test_threads_share_a_scan_and_let_go_of_streams_and_batches_in_any_order():
    scan = wlfmt.scan([LOG] * 10, of="sub_operations", batch_rows=5)
    expected = len(consumer.read(scan))
    counts = []

    def work(seed):
        random = Random(seed)
        for _ in range(5):
            counts.append(len(consumer.read(scan)))
            capsules = [scan.__arrow_c_stream__() for _ in range(3)]
            batches = []
            for capsule in capsules:
                stream = consumer.Stream.from_address(consumer.pointer_of(capsule, b"arrow_array_stream"))
                for _ in range(random.randrange(4)):
                    batches.append(consumer.Array())
                    assert stream.get_next(ctypes.byref(stream), ctypes.byref(batches[-1])) == 0
            random.shuffle(capsules)
            random.shuffle(batches)
            del capsule
            while capsules or batches:
                if capsules and random.random() < 0.5:
                    capsules.pop()  # not read to its end
                elif batches:
                    batch = batches.pop()
                    assert batch.length > 0
                    batch.release(ctypes.byref(batch))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert counts == [expected] * 20


# Many files, which several threads read


def many_logs(folder, count=24):
    """Files that are large enough for threads to pay, each of another rank."""
    paths = []
    for n in range(count):
        paths.append(os.path.join(str(folder), f"rank{n:03}.txt"))
        with open(paths[-1], "wb") as file:
            file.write(bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % n) * 10)
    return paths


def drained(scan):
    """All rows, and the code and the words of the error that ended the stream."""
    rows = []
    try:
        for batch in consumer.batches(scan):
            rows += zip(*batch.values())
    except consumer.StreamError as e:
        return rows, e.code, str(e)
    return rows, 0, ""


@pytest.mark.parametrize("threads", [2, 5, None])
def test_threads_read_what_one_thread_reads(threads, tmp_path):
    logs = many_logs(tmp_path)
    for of in ("operations", "sub_operations"):
        expected = drained(wlfmt.scan(logs, of=of, threads=1))
        assert len(expected[0]) == 240 * sum(1 if of == "operations" else len(nested)
                                             for _, _, _, nested in plain_records(LOG))
        assert drained(wlfmt.scan(logs, of=of, threads=threads, batch_rows=100)) == expected
    chosen = dict(columns=["duration_ms", "rank"], ranks=[3, 11, 23])
    assert drained(wlfmt.scan(tmp_path, threads=threads, **chosen)) == drained(wlfmt.scan(logs, threads=1, **chosen))
    for of, path in (("layers", DENSE), ("headers", DENSE), ("rows", TABLE)):
        count = 50 if of != "rows" else 5
        expected = drained(wlfmt.scan([path] * count, of=of, threads=1))
        assert drained(wlfmt.scan([path] * count, of=of, threads=threads)) == expected
        assert expected[1] == 0 and len(expected[0]) >= count
    mixed = [bytes_of(LOG), *logs]  # a text among the files
    assert drained(wlfmt.scan(mixed, threads=threads)) == drained(wlfmt.scan(mixed, threads=1))


def test_a_large_log_is_read_in_pieces(tmp_path):
    path = tmp_path / "wd8_rank3_20250102000000.txt"
    long = b"x" * 9000
    with open(path, "wb") as file:
        for n in range(1000):
            more = b",x=1,x=2)" if n % 250 == 99 else b")\n\nno record" if n % 70 == 0 else b")"
            file.write(b"rank:%d:f(batch_id=%d,duration=%d.5,description=%s,sub_operations=['duration=%d','group=tp']%s\n"
                       % (n % 5, n, n, long, n, more))
        file.write(b"rank:1:g(duration=soon)\nrank:1:h(duration=1")
    columns = ["record", "run", "rank", "batch_id", "duration_ms"]
    for of in ("operations", "sub_operations"):
        names = columns if of == "operations" else ["index", *columns[:-1], "sub_duration_ms"]
        for ranks in (None, [2, 4]):
            scans = [wlfmt.scan(path, of=of, columns=names, ranks=ranks, lenient=True, threads=n) for n in (1, 2, 5)]
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always", wlfmt.ParseWarning)
                one, *others = [(scan.to_pylist(), len(told), [str(w.message) for w in told], told.clear()) for scan in scans]
            assert others == [one] * 2 and one[1] >= 2 and {"wd8_rank3"} == {os.path.basename(w)[:9] for w in one[2]}
            assert one[0][-1]["record"] == (1000 if of == "operations" and ranks is None else 999)
            assert "txt:1032:" in one[2][-1] and "unterminated_record" in one[2][-1]
    assert all(row["batch_id"] is None or row["batch_id"] == row["record"] for row in one[0])
    expected, *others = [drained(wlfmt.scan(path, columns=["rank"], threads=n)) for n in (1, 2, 5)]
    assert others == [expected] * 2 and expected[1] == 22
    # Other threads of Python run meanwhile: at some time there is a tick within a call.
    ticks = []
    done = threading.Event()
    ticking = threading.Thread(target=lambda: [ticks.append(time.perf_counter()) for _ in iter(lambda: done.wait(0.0005), True)])
    ticking.start()
    any_within = False
    for _ in range(1000):
        begin = time.perf_counter()
        assert len(wlfmt.scan(path, columns=["op"], lenient=True, threads=2, ranks=[1, 2, 3])._gather()) == 1
        end = time.perf_counter()
        middle = begin + (end - begin) / 4, end - (end - begin) / 4
        any_within = any_within or any(middle[0] < tick < middle[1] for tick in ticks)
        if any_within:
            break
    done.set()
    ticking.join()
    assert any_within
    for text in ((b"no record " * 1000 + b"\n") * 1000, gzip.compress(os.urandom(9000000), 0)):
        path.write_bytes(text)
        for lenient in (False, True):
            with warnings.catch_warnings():
                warnings.simplefilter("error", wlfmt.ParseWarning)
                expected, *others = [drained(wlfmt.scan(path, lenient=lenient, threads=n))[1:] for n in (1, 3)]
            assert others == [expected] and expected[0] == 22 and expected[1]


def test_copies_are_found_across_pieces(tmp_path):
    path = tmp_path / "run.txt"
    long = "x" * 900
    before, ranks, right = {}, [], []
    with open(path, "w") as file:
        for n in range(10000):
            # Of rank 5, the halves of an exchange are 100 records apart; of the others, three.
            rank = 5 if n % 100 == 0 else n % 3
            op = "recv_backward" if (n // 100 if rank == 5 else n // 3) % 2 else "send_forward"
            time = ((n // 100 + 1) // 2 + 1) * 1000.5 if rank == 5 else (n // 6 + 1) * 10.25
            file.write(f"rank:{rank}:{op}(duration=1.5,description={long},timestamp={time})\n")
            other, same = before.get(rank, ("", 0))
            ranks.append(rank)
            right.append(int(other != op and same == time))
            before[rank] = op, time
    assert sum(right) > 4000 and os.path.getsize(path) > 9000000
    for columns in (["copy"], None):
        for threads in (1, 2, 5):
            rows = wlfmt.scan(path, columns=columns, threads=threads, batch_rows=77).to_pylist()
            assert [row["copy"] for row in rows] == right
            some = wlfmt.scan(path, columns=columns, threads=threads, ranks=[5]).to_pylist()
            assert [row["copy"] for row in some] == [mark for mark, rank in zip(right, ranks) if rank == 5]


def test_threads_meet_the_first_error_first(tmp_path):
    logs = many_logs(tmp_path)
    for wrong in (b"rank:0:f(duration=1.5\n", b"rank:0:f(duration=soon)\n", b"", gzip.compress(b"rank"), None):
        for at in (0, 11, 23):
            files = list(logs)
            for n in (at, 23):
                files[n] = str(tmp_path / "wrong")
            with open(files[at], "wb") as file:
                file.write(bytes_of(LOG) + wrong if wrong and wrong[:4] == b"rank" else wrong or b"")
            scans = [wlfmt.scan(files, threads=n) for n in (1, 2, 5)]
            if wrong is None:
                os.unlink(files[at])
            one, *others = [drained(scan) for scan in scans]
            assert one[1] == (2 if wrong is None else 22) and "wrong" in one[2]
            assert one[0][:at * 90] == drained(wlfmt.scan(logs, threads=1))[0][:at * 90]
            assert others == [one] * 2
    (tmp_path / "wrong").write_bytes(gzip.compress(bytes_of(LOG)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        one, two = [drained(wlfmt.scan([*logs, tmp_path / "wrong"], lenient=True, threads=n))[1:] for n in (1, 2)]
    assert one == two and one[0] == 22 and "gzip.open" in one[1]


def test_warnings_of_threads_come_in_the_order_of_the_files(tmp_path):
    logs = many_logs(tmp_path)
    for n in range(0, 24, 3):
        with open(logs[n], "ab") as file:
            file.write(b"rank:0:f(duration=soon)\n" * (n % 3 + 1))
    told = []
    for threads in (1, 2, 5):
        with warnings.catch_warnings(record=True) as all_warnings:
            warnings.simplefilter("always")
            rows = drained(wlfmt.scan(logs, lenient=True, threads=threads))
        told.append((rows, [str(w.message) for w in all_warnings]))
    assert len(told[0][1]) == sum(n % 3 + 1 for n in range(0, 24, 3)) and told[0][0][1] == 0
    assert told[1] == told[0] and told[2] == told[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", wlfmt.ParseWarning)
        ended = [drained(wlfmt.scan(logs, lenient=True, threads=threads)) for threads in (1, 2)]
    assert ended[0][1:] == ended[1][1:] == (22, told[0][1][0])


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="the threads of the process are not known")
def test_threads_end_with_their_stream(tmp_path):
    logs = many_logs(tmp_path)

    def threads():
        return len(os.listdir("/proc/self/task"))

    before = threads()
    random = Random(1)
    for n in range(20):
        capsule = wlfmt.scan(logs, threads=3, batch_rows=50).__arrow_c_stream__()
        assert threads() == before  # nothing is read before a batch is asked for
        stream = consumer.Stream.from_address(consumer.pointer_of(capsule, b"arrow_array_stream"))
        held = []
        for _ in range(random.randrange(1, 20)):
            held.append(consumer.Array())
            assert stream.get_next(ctypes.byref(stream), ctypes.byref(held[-1])) == 0
        assert n != 0 or threads() == before + 3
        del capsule
        assert threads() == before
        for array in held:
            assert array.length == 50
            array.release(ctypes.byref(array))


def test_a_forked_child_goes_on_with_a_stream_that_threads_read(tmp_path):
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    program = """if True:
        import os, sys, warnings
        import consumer, wlfmt
        folder, logs = sys.argv[1], sys.argv[2:]
        warnings.simplefilter("ignore")
        expected = consumer.read(wlfmt.scan(logs, lenient=True, threads=1))
        for taken in (0, 1, 5, 30):
            got = consumer.batches(wlfmt.scan(logs, lenient=True, threads=2, batch_rows=100))
            rows = []
            for _, batch in zip(range(taken), got):
                rows += [dict(zip(batch, row)) for row in zip(*batch.values())]
            child = os.fork()
            for batch in got:
                rows += [dict(zip(batch, row)) for row in zip(*batch.values())]
            if child == 0:
                os._exit(7 if rows == expected else 1)
            assert rows == expected
            assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
        # A child that lets go of a stream which its parent reads.
        got = consumer.batches(wlfmt.scan(logs, lenient=True, threads=2, batch_rows=100))
        next(got)
        child = os.fork()
        del got
        if child == 0:
            os._exit(7)
        assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7
        print("done")
    """
    logs = many_logs(tmp_path)
    with open(logs[0], "ab") as file:
        file.write(b"rank:0:f(duration=soon)\n" * 3)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path), *logs], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=os.path.dirname(os.path.abspath(__file__)), timeout=100)
    assert (done.returncode, done.stdout.decode().strip()) == (0, "done"), done.stderr.decode()


def test_the_examples_of_the_documentation_run():
    for module in (wlfmt, wlfmt._records, wlfmt._runs, wlfmt._scan, wlfmt._workload):
        assert doctest.testmod(module).failed == 0


def test_the_cookbook_of_the_readme_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    for name in os.listdir(DATA):
        if name.endswith(".txt"):
            os.symlink(os.path.join(os.path.abspath(DATA), name), str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    readme = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "README.md"))
    result = doctest.testfile(readme, module_relative=False)
    assert result.failed == 0 and result.attempted >= 10


def test_equal_texts_of_plain_objects_are_one_object():
    """A log of 100 MB took 440 MB."""
    log = b"".join(b"rank:0:f%d(description=text %d,mg_state=steady)\n" % (n, n) for n in range(30000))
    operations = wlfmt.read_oplog(log)
    assert [op["description"] for op in operations] == [f"text {n}" for n in range(30000)]
    # The texts that are known are forgotten when there are too many.
    assert len({id(op["mg_state"]) for op in operations}) < 20
    tracemalloc.start()
    try:
        operations = wlfmt.read_oplog(bytes_of(MOE_LOG) * 100)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(operations) % 100 == 0 and used < 3.3 * 100 * os.path.getsize(MOE_LOG)


def test_each_other_example_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    """Those that are no sessions, in a folder with the files that they name. Lines that need a library that is not here
    are left out."""
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    for folder, count in (("run", 4), ("before", 2), ("after", 2)):
        os.mkdir(folder)
        for n in range(count):
            (tmp_path / folder / f"wd{count}_rank{n}_20250102000000.txt").write_bytes(
                bytes_of(LOG).replace(b"rank:7:", b"rank:%d:" % n))
    node_0, node_1 = (wlfmt.summary([os.path.join("run", f"wd4_rank{n}_20250102000000.txt") for n in part])
                      for part in ((0, 1), (2, 3)))
    for name, text in (("rank7.txt", bytes_of(LOG)), ("moe.txt", bytes_of(MOE)), ("profile.txt", bytes_of(TABLE)),
                       ("profile_after.txt", bytes_of(TABLE).replace(b"3.916s", b"4.916s")),
                       ("cut.txt", b"".join(bytes_of(DENSE).splitlines(True)[:40]))):
        (tmp_path / name).write_bytes(text)
    (tmp_path / "traces").mkdir()

    class Profile:
        def key_averages(self):
            return self

        def table(self):
            return bytes_of(TABLE).decode()

    names = {"wlfmt": wlfmt, "prof": Profile(), "summary_of_node_0": node_0, "summary_of_node_1": node_1}
    for name, module in (("pd", "pandas"), ("pl", "polars"), ("pa", "pyarrow"), ("duckdb", "duckdb")):
        found = importlib.util.find_spec(module)
        if found and found.origin:  # not a folder that has the module's name
            names[name] = importlib.import_module(module)
    absent = {"to_polars": "pl" not in names, "pa.table": "pa" not in names, "duckdb.sql": "duckdb" not in names,
              "DataFrame.from_arrow": not hasattr(names["pd"].DataFrame, "from_arrow")}
    readme = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "README.md")
    with open(readme, encoding="utf-8") as file:
        examples = [e for e in re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S) if ">>>" not in e]
    for example in examples:
        for words, is_absent in absent.items():
            if is_absent:
                example = re.sub(rf"^.*{re.escape(words)}.*$", "", example, flags=re.M)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wlfmt.ParseWarning)
            exec(compile(example, readme, "exec"), names)
    assert len(examples) >= 6
    assert len(names["calls"].to_pandas()) == 4 * sum(len(nested) for _, _, _, nested in plain_records(LOG))
    assert "cut.txt:2:1: error: layer_count_mismatch: the header declares " in capsys.readouterr().out
    assert wlfmt.read_workload("twice.txt")["layers"][0]["weight_grad"]["bytes"] == 2 * (
        wlfmt.read_workload(MOE)["layers"][0]["weight_grad"]["bytes"])


# What nobody here wrote

DUCKDB = os.environ.get("WLFMT_DUCKDB", "")


def test_pandas_takes_a_scan():
    pd = pytest.importorskip("pandas")
    if not hasattr(pd.DataFrame, "from_arrow"):
        pytest.skip("pandas before 3.0 has no from_arrow")
    frame = pd.DataFrame.from_arrow(wlfmt.scan(LOG))
    assert frame["duration_ms"].sum() == pytest.approx(sum(value(f["duration"]) for _, _, f, _ in plain_records(LOG)))


def test_pyarrow_takes_a_scan():
    pa = pytest.importorskip("pyarrow")
    table = pa.table(wlfmt.scan(LOG))
    table.validate(full=True)
    assert table["op"].to_pylist() == [op for _, op, _, _ in plain_records(LOG)]


def test_polars_takes_a_scan():
    pl = pytest.importorskip("polars")
    scan = wlfmt.scan(LOG, of="sub_operations", columns=["comm_func", "sub_duration_ms"])
    for frame in (pl.DataFrame(scan), scan.to_polars()):
        assert frame.to_dicts() == scan.to_pylist()


@pytest.mark.skipif(not os.path.exists(DUCKDB), reason="no libduckdb.so in WLFMT_DUCKDB")
def test_duckdb_takes_a_scan():
    lib = ctypes.CDLL(DUCKDB)
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    assert lib.duckdb_open(None, ctypes.byref(database)) == 0
    assert lib.duckdb_connect(database, ctypes.byref(connection)) == 0

    class Result(ctypes.Structure):
        _fields_ = [("counts", ctypes.c_uint64 * 3), ("columns", ctypes.c_void_p), ("error", ctypes.c_char_p),
                    ("internal", ctypes.c_void_p)]

    lib.duckdb_value_varchar.restype = ctypes.c_void_p
    lib.duckdb_column_count.restype = lib.duckdb_row_count.restype = ctypes.c_uint64
    lib.duckdb_result_error.restype = ctypes.c_char_p
    lib.duckdb_free.argtypes = [ctypes.c_void_p]

    def sql(query):
        result = Result()
        state = lib.duckdb_query(connection, query.encode(), ctypes.byref(result))
        assert state == 0, lib.duckdb_result_error(ctypes.byref(result))
        at = ctypes.byref(result)
        rows = []
        for r in range(lib.duckdb_row_count(at)):
            row = []
            for c in range(lib.duckdb_column_count(at)):
                text = lib.duckdb_value_varchar(at, ctypes.c_uint64(c), ctypes.c_uint64(r))
                row.append(ctypes.string_at(text).decode() if text else None)
                lib.duckdb_free(text)
            rows.append(row)
        lib.duckdb_destroy_result(at)
        return rows

    for of, path in (("operations", LOG), ("sub_operations", LOG), ("layers", DENSE), ("headers", DENSE),
                     ("rows", TABLE)):
        capsule = wlfmt.scan([path] * 3, of=of, batch_rows=7).__arrow_c_stream__()
        stream = ctypes.c_void_p(consumer.pointer_of(capsule, b"arrow_array_stream"))
        assert lib.duckdb_arrow_scan(connection, ("v_" + of).encode(), stream) == 0
        sql(f"CREATE TABLE {of} AS SELECT * FROM v_{of}")
        expected = consumer.read(wlfmt.scan([path] * 3, of=of))
        assert sql(f"SELECT count(*) FROM {of}") == [[str(len(expected))]]
    total = sum(value(f["duration"]) for _, _, f, _ in plain_records(LOG)) * 3
    ((got,),) = sql("SELECT sum(duration_ms) FROM operations")
    assert float(got) == pytest.approx(total)
    by_name = {}
    for _, _, _, nested in plain_records(LOG):
        for s in nested:
            size = size_of(value(s["input__shape"]), s["input__dtype"])
            by_name.setdefault(s["comm_func"], []).append((value(s["duration"]), size))
    got = sql("SELECT comm_func, count(*), sum(sub_duration_ms), sum(sub_bytes)::BIGINT FROM sub_operations "
              "GROUP BY 1 ORDER BY 1")
    for (name, count, ms, size), (key, values) in zip(got, sorted(by_name.items())):
        assert (name, int(count), int(size)) == (key, 3 * len(values), 3 * sum(b for _, b in values))
        assert float(ms) == pytest.approx(3 * sum(d for d, _ in values))
    assert sql("SELECT count(DISTINCT op), max(list_product(input__shape)) FROM operations")[0][0] == str(
        len({op for _, op, _, _ in plain_records(LOG)}))
    lib.duckdb_disconnect(ctypes.byref(connection))
    lib.duckdb_close(ctypes.byref(database))
