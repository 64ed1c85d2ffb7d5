"""Each function of the package, over each way to name what it reads, strict, plain and lenient: one table of ways."""

import gzip
import inspect
import io
import json
import os
import pickle
import re
import signal
import subprocess
import warnings

import pytest
from files import COMMAND, DENSE, LOG, MOE, TABLE, bytes_of

import wlfmt

# What is read: whole texts, and damaged ones, whose names say nothing of a rank or a run.
WHOLE = {"oplog": bytes_of(LOG), "workload": bytes_of(DENSE), "table": bytes_of(TABLE)}
DAMAGED = {"oplog": bytes_of(LOG) + b"rank:7:f(duration=soon)\nrank:7:g(duration=1.5\n",
           "workload": bytes_of(MOE), "table": bytes_of(TABLE)[:-200]}
FOREIGN = {"oplog": b"some words\n" + bytes_of(LOG), "table": b"some words\n" + bytes_of(TABLE)}

# The ways to name a text that is in `folder`, as its only file. Those that stand for many files have `many`.
WAYS = {
    "str": lambda folder: str(folder / "qqq.txt"),
    "Path": lambda folder: folder / "qqq.txt",
    "bytes": lambda folder: bytes_of(folder / "qqq.txt"),
    "bytearray": lambda folder: bytearray(bytes_of(folder / "qqq.txt")),
    "memoryview": lambda folder: memoryview(bytes_of(folder / "qqq.txt")),
    "text": lambda folder: bytes_of(folder / "qqq.txt").decode(),
    "binary file": lambda folder: open(folder / "qqq.txt", "rb"),
    "text file": lambda folder: open(folder / "qqq.txt", encoding="utf-8", newline=""),
    "BytesIO": lambda folder: io.BytesIO(bytes_of(folder / "qqq.txt")),
    "StringIO": lambda folder: io.StringIO(bytes_of(folder / "qqq.txt").decode(), newline=""),
    "gzip": lambda folder: str(folder.parent / "gz" / "qqq.txt.gz"),
    "gzip file": lambda folder: gzip.open(folder.parent / "gz" / "qqq.txt.gz"),
}
MANY = {
    "folder": lambda folder: folder,
    "folder as a str": lambda folder: str(folder),
    "folder of gzip": lambda folder: folder.parent / "gz",
    "pattern": lambda folder: str(folder / "*.txt"),
    "list": lambda folder: [str(folder / "qqq.txt")],
    "tuple of bytes": lambda folder: (bytes_of(folder / "qqq.txt"),),
}

OTHER = {"oplog": bytes_of(LOG).replace(b"duration=629.77", b"duration=999.5"), "workload": bytes_of(DENSE).replace(b"ALLGATHER", b"ALLREDUCE", 3),
         "table": bytes_of(TABLE).replace(b"3.916s", b"9.916s")}
SET = {"oplog": {"operations.0.duration": 1.5}, "workload": {"layers.3.forward.bytes": 4}, "table": {"tables.0.0.# of Calls": 7}}


def rows_of(kind):
    return {"oplog": "operations", "workload": "layers", "table": "rows"}[kind]


# name -> (the formats that it takes, whether it takes many files, how it is called, whether it has strict and prefix)
FUNCTIONS = {
    "read_oplog": ("oplog", False, wlfmt.read_oplog, True),
    "read_workload": ("workload", False, wlfmt.read_workload, False),
    "read_table": ("table", False, wlfmt.read_table, True),
    "read_table canonical": ("table", False, lambda s, **how: wlfmt.read_table(s, canonical=True, **how), True),
    "Workload.read": ("workload", False, wlfmt.Workload.read, False),
    "write back": ("oplog", False, lambda s, **how: wlfmt.write_oplog(wlfmt.read_oplog(s, **how)[:-1]), True),
    "write a workload back": ("workload", False, lambda s, **how: wlfmt.write_workload(wlfmt.read_workload(s, **how)), False),
    "write a table back": ("table", False, lambda s, **how: wlfmt.write_table(wlfmt.read_table(s, **how)), True),
    "scan": ("oplog workload table", True, lambda s, kind, **how: wlfmt.scan(s, rows_of(kind), **how).to_pylist(), True),
    "scan sub_operations": ("oplog", True, lambda s, **how: wlfmt.scan(s, "sub_operations", **how).to_pylist(), True),
    "scan headers": ("workload", True, lambda s, **how: wlfmt.scan(s, "headers", **how).to_pylist(), False),
    "scan canonical": ("table", True, lambda s, **how: wlfmt.scan(s, "rows", "canonical", **how).to_pylist(), True),
    "head": ("oplog workload table", True, lambda s, kind, **how: wlfmt.scan(s, rows_of(kind), **how).head(2), True),
    "all but the last": ("oplog workload table", True, lambda s, kind, **how: wlfmt.scan(s, rows_of(kind), **how).head(-1), True),
    "slice": ("oplog workload table", True, lambda s, kind, **how: wlfmt.scan(s, rows_of(kind), **how).head(9)[1:5:2], True),
    "schema": ("oplog workload table", True, lambda s, kind, **how: wlfmt.scan(s, rows_of(kind), **how).schema, True),
    "sum": ("oplog", True, lambda s, **how: wlfmt.scan(s, **how).to_numpy()["duration_ms"].sum(), True),
    "sum of a frame": ("oplog", True, lambda s, **how: wlfmt.scan(s, **how).to_pandas().groupby("op")["duration_ms"].sum().to_dict(), True),
    "frame": ("oplog workload table", True, lambda s, kind, **how: str(wlfmt.scan(s, rows_of(kind), **how).to_pandas().to_dict("list")), True),
    "frame written back": ("oplog", True, lambda s, **how: frame_back(s, **how), True),
    "check": ("oplog workload table", True, lambda s, kind, lenient=0, **how: [str(p) for p in wlfmt.check(s, **how)], True),
    "open": ("oplog workload table", True, lambda s, kind, **how: opened(wlfmt.open(s)), False),
    "summary": ("oplog", True, lambda s, **how: wlfmt.summary(s, **how), True),
    "summary answers": ("oplog", True, lambda s, **how: wlfmt.summary(s, **how).answers, True),
    "merge": ("oplog", True, lambda s, **how: wlfmt.merge([wlfmt.summary(s, **how)]), True),
    "diff": ("oplog workload table", True, lambda s, kind, **how: wlfmt.diff(s, OTHER[kind], **how), True),
    "diff of another": ("oplog workload table", True, lambda s, kind, **how: wlfmt.diff(OTHER[kind], s, **how), True),
    "plot": ("oplog workload table", True, lambda s, kind, **how: wlfmt.plot(s, **how), True),
    "report": ("oplog workload table", True, lambda s, kind, **how: wlfmt.report(s, **how), True),
    "timeline": ("oplog workload", True, lambda s, kind, **how: wlfmt.timeline(s, **how), True),
    "set": ("oplog workload table", False, lambda s, kind, lenient=0, strict=0, **how: wlfmt.set(s, SET[kind], **how), True),
}


def frame_back(source, **how):
    if hasattr(source, "read"):
        source = source.read()
    frames = [wlfmt.scan(source, of, **how).to_pandas() for of in ("operations", "sub_operations")]
    return wlfmt.write_oplog(frames[0][:-1], sub_operations=frames[1])


def opened(run):
    files = [{k: v for k, v in row.items() if k != "file"} for row in run.files]
    frames = [getattr(run, name).to_pylist() for name in ("operations", "sub_operations", "layers", "headers", "rows")]
    tables = [run.ranks, run.stages, run.groups, run.waits, run.bandwidth, run.remedies, run.slowest_rank]
    return [files, frames, tables, run.tables, run.answers, list(map(str, run.problems))]


def plain(result, folder):
    """A result as a text in which the name of its source is `SOURCE`."""
    words = result if isinstance(result, str) else json.dumps(result, default=str)
    for name in ("<text>", "<bytes>", "<file>", str(folder / "qqq.txt"), str(folder.parent / "gz" / "qqq.txt.gz"),
                 str(folder.parent / "gz" / "qqq.txt"), "qqq.txt.gz", "qqq.txt", "qqq"):
        for form in (name, name.replace("<", "&lt;").replace(">", "&gt;"), name.replace("<", "\\u003c")):
            words = words.replace(form, "SOURCE")
    return words.replace("SOURCE (2)", "SOURCE")  # the second of two texts


def result_of(call, folder):
    """What it returns or raises, and how many warnings it gives."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", wlfmt.ParseWarning)
        try:
            found = plain(call(), folder)
        except wlfmt.ParseError as e:
            found = ["ParseError", e.kind, e.line, e.column, e.field, e.message]
    said = [plain(str(w.message).split("\n")[0], folder) for w in told if issubclass(w.category, wlfmt.ParseWarning)]
    assert len(said) == len(told), [str(w.message) for w in told]
    return found, said


@pytest.fixture
def text(tmp_path):
    def put(content):
        for folder in ("plain", "gz"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / "plain" / "qqq.txt").write_bytes(content)
        (tmp_path / "gz" / "qqq.txt.gz").write_bytes(gzip.compress(content))
        return tmp_path / "plain"

    return put


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_function_takes_each_way(name, text):
    pytest.importorskip("pandas")
    formats, many, call, has_strict = FUNCTIONS[name]
    for kind in formats.split():
        extra = {"kind": kind} if " " in formats else {}
        for content, is_whole in ((WHOLE, True), (DAMAGED, False), (FOREIGN, None)):
            if kind not in content:
                continue
            folder = text(content[kind])
            for how in ({}, {"lenient": True}, {"strict": True}, {"prefix": "none"}):
                if not has_strict and how and "lenient" not in how:
                    continue
                right = result_of(lambda: call(str(folder / "qqq.txt"), **extra, **how), folder)
                if is_whole and not (name == "set" and kind == "table"):
                    assert right[0][0] != "ParseError", right
                ways = {**WAYS, **(MANY if many else {})}
                # Each way for what is whole, as plain as it can be said; of the rest one of each kind.
                few = [way for way in ("text", "gzip", "BytesIO", "folder of gzip") if way in ways]
                for way in ways if is_whole and not how else few:
                    source = ways[way]
                    given = source(folder)
                    got = result_of(lambda: call(given, **extra, **how), folder)
                    if hasattr(given, "close") and hasattr(given, "read"):
                        given.close()
                    assert got == right, (kind, way, how)
            # Where something is lost, plain reading raises, and lenient reading warns.
            if is_whole is False and name in ("scan", "read_oplog", "read_workload", "read_table", "frame", "summary"):
                loses = kind != "workload"
                raised = result_of(lambda: call(str(folder / "qqq.txt"), **extra), folder)
                lenient = result_of(lambda: call(str(folder / "qqq.txt"), **extra, lenient=True), folder)
                assert not loses or raised[0][0] == "ParseError"
                assert lenient[0][0] != "ParseError" and lenient[1]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("check", "open")])
def test_each_function_is_interrupted_forked_and_pickled(name, text):
    """A signal's handler that raises ends it; a forked child does the same; what it returns can be sent to others."""
    pytest.importorskip("pandas")
    formats, _, call, _ = FUNCTIONS[name]
    kind = formats.split()[0]
    folder = text(WHOLE[kind])
    extra = {"kind": kind} if " " in formats else {}
    right = call(str(folder / "qqq.txt"), **extra)
    again = pickle.loads(pickle.dumps(right))
    assert type(again) is type(right) and plain(again, folder) == plain(right, folder)
    if not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        try:
            os._exit(7 if plain(call(str(folder / "qqq.txt"), **extra), folder) == plain(right, folder) else 1)
        finally:
            os._exit(2)
    assert os.WEXITSTATUS(os.waitpid(child, 0)[1]) == 7

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            while True:
                call(str(folder / "qqq.txt"), **extra)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert plain(call(str(folder / "qqq.txt"), **extra), folder) == plain(right, folder)


# Which options of a command have another spelling in Python, or none.
SPELT = {"-j": "threads", "--partial": None, "--per-file": None, "--json": None, "--markdown": None, "--top": "top",
         "--help": None, "-h": None, "-o": None, "--fail-above": None, "--ranks-per-file": None, "--limit": None, "--of": None,
         "--color": None, "--wide": None, "--from": None, "--show": None}
LACKS = {"summary": {"--top", "--kind"}, "diff": {"--table"}}  # diff() has `tables`, which counts from 0


@pytest.mark.parametrize("name", ["plot", "report", "timeline", "diff", "chakra", "summary", "set"])
def test_signatures_have_the_options_of_the_command(name):
    done = subprocess.run([*COMMAND, name, "--help"], stdout=subprocess.PIPE, check=True)
    options = set(re.findall(r"^  (--?[a-z][a-z-]*)", done.stdout.decode(), re.M)) - LACKS.get(name, set())
    expected = {SPELT.get(option, option[2:].replace("-", "_")) for option in options} - {None}
    function = getattr(wlfmt, name)
    has = {p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert has - {"lenient", "tables", "progress"} == expected - {"lenient"}
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"^ +(?:\w+, )*{parameter}(?:, \w+)*  ", function.__doc__, re.M), parameter


def test_everything_has_words():
    for name in (*wlfmt.__all__, "open", "set"):
        thing = getattr(wlfmt, name)
        assert thing.__doc__ and getattr(thing, "__name__", name) == name, name
        if not inspect.isclass(thing) or issubclass(thing, Exception) or name in ("Phase", "Problem"):
            continue
        for member, value in vars(thing).items():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod))):
                assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"
