"""Rank op logs, workload files and profiler tables of distributed training, as data frames and as Python objects.

    >>> import wlfmt
    >>> log = b"rank:3:forward_step(stage_id=1,batch_id=0,duration=8.3,timestamp=1000.5,sub_operations=[])"
    >>> wlfmt.read_oplog(log)[0]["duration"]
    8.3

`scan` gives what pandas, polars, pyarrow and DuckDB take as it is, through the Arrow C stream interface:

    pl.DataFrame(wlfmt.scan("run/"))
    pd.DataFrame.from_arrow(wlfmt.scan("run/", of="sub_operations"))
    calls = wlfmt.scan("run/", of="sub_operations"); duckdb.sql("select comm_func, sum(sub_duration_ms) from calls group by 1")

Wherever a function takes a source, it is a path, an open file, or the text itself as bytes.
"""

import atexit
import collections.abc
import dataclasses
import io
import json
import math
import operator
import os
import re
import stat
import subprocess
import warnings
from typing import Any, BinaryIO, Dict, Iterable, List, Optional, Sequence, TextIO, Tuple, Union

from . import _wlfmt
from ._wlfmt import ParseError

__version__: str = _wlfmt.version
atexit.register(_wlfmt.end)
__all__ = [
    "ParseError",
    "ParseWarning",
    "Problem",
    "Scan",
    "Summary",
    "check",
    "merge",
    "read_oplog",
    "read_table",
    "read_workload",
    "scan",
    "summary",
    "write_oplog",
    "write_table",
    "write_workload",
]

Source = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO, TextIO]
Path = Union[str, bytes, "os.PathLike[str]"]
Target = Union[None, str, bytes, "os.PathLike[str]", BinaryIO, TextIO]
Record = Dict[str, Any]

_CONTENTS = ("operations", "sub_operations", "layers", "headers", "rows")
_OPLOG, _WORKLOAD, _TABLE = 1, 2, 3


class ParseWarning(UserWarning):
    """A problem that reading passed over: `lenient=True`, or one that is no more than a warning."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """Something that is wrong with a file. `str()` of it is the place, the message, and the line with a caret."""

    kind: str  #: the kind of error, such as 'layer_count_mismatch'
    severity: str  #: 'error' or 'warning'
    file: str
    line: Optional[int]  #: from 1; None if the problem has no place in the text
    column: Optional[int]  #: in bytes, from 1
    field: str  #: such as 'weight_grad.bytes'; '' if the problem is in no field
    message: str
    text: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return self.text


def _input(source: Source) -> Tuple[bytes, Optional[bytes]]:
    """The name of a source, and its text where it is no path."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return b"<bytes>", bytes(source)
    if hasattr(source, "read"):
        text = source.read()
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogateescape")
        name = getattr(source, "name", "<file>")
        return os.fsencode(name) if isinstance(name, (str, bytes, os.PathLike)) else b"<file>", bytes(text)
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a path, an open file or the text as bytes is expected, not {type(source).__name__}")
    path = os.fspath(source)
    # A file that is missing is an OSError with its name. A pipe can let its reader wait, whom Ctrl-C wakes in Python.
    if stat.S_ISREG(os.stat(path).st_mode):
        return os.fsencode(path), None
    with open(path, "rb") as file:
        return os.fsencode(path), file.read()


def _each(sources: Any) -> List[Any]:
    """The sources, of which one alone needs no list."""
    if isinstance(sources, (str, bytes, bytearray, memoryview, os.PathLike)) or hasattr(sources, "read"):
        return [sources]
    if not isinstance(sources, collections.abc.Iterable):
        raise TypeError("a path, an open file, the text as bytes, or several of these are expected, not "
                        f"{type(sources).__name__}")
    return list(sources)


def _inputs(sources: Union[Source, Iterable[Source]]) -> Tuple[List[Tuple[bytes, Optional[bytes]]], bool]:
    """Of a folder, the files that are in it, without those whose names begin with a dot; and whether there are no files
    but regular ones: a pipe can let its reader wait."""
    inputs: List[Tuple[bytes, Optional[bytes]]] = []
    all_regular = True
    each = _each(sources)
    paths = [os.fsencode(one) if isinstance(one, (str, os.PathLike)) else b"" for one in each]
    for one, encoded, is_regular in zip(each, paths, _wlfmt.regular(paths)):
        if is_regular:
            inputs.append((encoded, None))
            continue
        if not isinstance(one, (str, os.PathLike)):
            inputs.append(_input(one))
            continue
        path = os.fsdecode(one)
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            with os.scandir(path) as entries:
                files = {e.name: e.is_file() for e in entries if not e.name.startswith(".")}
            names = sorted(name for name, is_file in files.items() if is_file)
            if not names:
                _warn_of(path, "the folder holds no file")
            for name in sorted(files.keys() - set(names)):
                _warn_of(os.path.join(path, name), "only the files of a folder are read")
            inputs += [(os.fsencode(os.path.join(path, name)), None) for name in names]
        else:
            inputs.append((encoded, None))
            all_regular = all_regular and stat.S_ISREG(mode)
    return inputs, all_regular


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _warn(problem: Tuple[Any, ...]) -> None:
    warnings.warn(str(Problem(*problem)).rstrip("\n"), ParseWarning, stacklevel=3)


def _warn_of(path: str, words: str) -> None:
    warnings.warn(f"{path}: warning: {words}", ParseWarning, stacklevel=4)


class Scan:
    """Files as a stream of Arrow record batches: what `scan` returns. Every use reads the files anew."""

    def __init__(self, inputs: List[Tuple[bytes, Optional[bytes]]], of: int, columns: List[str], ranks: List[int],
                 lenient: bool, batch_rows: int, threads: int) -> None:
        names = [c.encode("utf-8") for c in columns]
        self._request = (inputs, of, names, ranks, lenient, batch_rows, threads, _warn)

    def _check_columns(self) -> None:
        """A column that there is not is a ValueError; of tables, which have their own columns, when they are read."""
        _wlfmt.schema([], *self._request[1:])

    def __repr__(self) -> str:
        inputs, of = self._request[:2]
        return f"<wlfmt.Scan: {_CONTENTS[of]} of {len(inputs)} {'file' if len(inputs) == 1 else 'files'}>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A fresh stream, as the Arrow PyCapsule interface has it. The schema is always that of __arrow_c_schema__."""
        return _wlfmt.stream(*self._request)

    def __arrow_c_schema__(self) -> Any:
        return _wlfmt.schema(*self._request)


def scan(sources: Union[Source, Iterable[Source]], of: str = "operations", columns: Optional[Sequence[str]] = None,
         ranks: Optional[Iterable[int]] = None, *, lenient: bool = False, batch_rows: int = 16384,
         threads: Optional[int] = None) -> Scan:
    """Reads files as tables, lazily, in batches of rows.

    sources  one source or many; a folder stands for the files in it
    of       what a row is: "operations" or "sub_operations" of op logs, "layers" or "headers" of workload files,
             "rows" of profiler tables
    columns  the names of the columns that are wanted; the others are not decoded. None: all columns
    ranks    of op logs, the ranks whose operations are wanted; of an empty list there are no rows. None: all ranks
    lenient  problems are warnings (ParseWarning), and what can be read is read
    batch_rows  how many rows a batch has at most; of nested operations, up to the last one of an operation
    threads  how many threads read many files; None: one for each processor, but 8 at most. The rows come in the order of
             the files, whatever the number. (Tables are read by one thread.)

    What the columns are: include/wlfmt/arrow.hpp. What is wrong in a file is an error of whatever reads the stream, with
    the file, line and column in its message; a missing file is an OSError at once.

    >>> scan(b"rank:0:forward_step(stage_id=0,duration=1.5)", columns=["rank", "duration_ms"])
    <wlfmt.Scan: operations of 1 file>
    """
    if of not in _CONTENTS:
        raise ValueError(f"of={of!r}: one of {', '.join(_CONTENTS)} is expected")
    if isinstance(columns, (str, bytes)):
        raise TypeError("columns: a list of names is expected, not a single text")
    names = [] if columns is None else list(columns)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("columns: names are texts")
    if columns is not None and not names:
        raise ValueError("columns: at least one name is expected, or None for all columns")
    chosen = [] if ranks is None else [operator.index(rank) for rank in ranks]
    if ranks is not None and of not in ("operations", "sub_operations"):
        raise ValueError(f"ranks: {of} have no rank")
    rows = operator.index(batch_rows)
    if rows < 1:
        raise ValueError("batch_rows: at least 1 is expected")
    if threads is not None and operator.index(threads) < 1:
        raise ValueError("threads: at least 1 is expected")
    inputs, all_regular = _inputs(sources)
    if not all_regular:
        threads = 1
    elif threads is None:
        threads = min(8, _processors())
    if ranks is not None and not chosen:
        inputs = []  # an empty list of the module means all ranks
    found = Scan(inputs, _CONTENTS.index(of), names, chosen, lenient, rows, operator.index(threads))
    if names and of != "rows":
        found._check_columns()
    return found


def _read(source: Source, kind: int, lenient: bool) -> List[Record]:
    lines, problems = _wlfmt.read(_input(source), kind, lenient)
    for problem in problems:
        _warn(problem)
    return [json.loads(line) for line in lines.decode("utf-8").splitlines() if line]


def read_oplog(source: Source, *, lenient: bool = False) -> List[Record]:
    """The operations of a rank op log, each as a dict in the interchange form (docs/formats.md, 4.1).

    >>> read_oplog(b"rank:7:send_forward(stage_id=1,batch_id=None,duration=0.25)")
    [{'rank': 7, 'op': 'send_forward', 'stage_id': 1, 'batch_id': None, 'duration': 0.25}]
    """
    return _read(source, _OPLOG, lenient)


def read_workload(source: Source, *, lenient: bool = False) -> Record:
    """A workload file: {"policy": ..., "header": {...}, "declared_layers": ..., "layers": [{...}, ...]}.

    >>> file = read_workload(b"DATA\\n1\\nfc\\t-1\\t5\\tNONE\\t0\\t6\\tNONE\\t0\\t7\\tALLREDUCE\\t4096\\t10\\n")
    >>> file["layers"][0]["weight_grad"]
    {'compute': 7, 'comm': 'ALLREDUCE', 'size': 4096}
    """
    head, *layers = _read(source, _WORKLOAD, lenient)
    return {**head, "layers": layers}


def read_table(source: Source, *, lenient: bool = False) -> List[Record]:
    """The profiler tables of a text: each {"columns": [...], "totals": {...}, "rows": [{...}, ...]}, with "titles" where
    there are any. Times are in microseconds, memory is in bytes."""
    tables: List[Record] = []
    for line in _read(source, _TABLE, lenient):
        if "columns" in line:
            tables.append({**line, "rows": []})
        else:
            tables[-1]["rows"].append(line)
    return tables


def _plain(value: Any) -> Any:
    """JSON has no nan and no infinities: the interchange form has them as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _many(records: Iterable[Record], what: str) -> Iterable[Record]:
    """Of a dict the keys would be taken for the records, and of a text its characters."""
    if isinstance(records, (dict, str, bytes)):
        raise TypeError(f"a list of {what} is expected, not a single {type(records).__name__}")
    return records


def _number(value: Any) -> Union[int, float]:
    """Numbers of other libraries, such as numpy.int64."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    if hasattr(value, "__float__"):
        return float(value)
    raise TypeError(f"{type(value).__name__}: a text, a number, None, a list or a dict is expected")


def _write(records: Iterable[Record], kind: int, to: Target) -> Optional[str]:
    lines = "".join(json.dumps(_plain(r), default=_number) + "\n" for r in records)
    text: bytes = _wlfmt.write(lines.encode("ascii"), kind)
    if to is None or isinstance(to, io.TextIOBase):
        words = text.decode("utf-8", "surrogateescape")
        if to is None:
            return words
        to.write(words)
    elif hasattr(to, "write"):
        to.write(text)  # type: ignore[arg-type]
    else:
        with open(to, "wb") as file:
            file.write(text)
    return None


def write_oplog(operations: Iterable[Record], to: Target = None) -> Optional[str]:
    """The text of operations, as the tracer writes it: returned, or written to a path or an open file.

    >>> write_oplog([{"rank": 0, "op": "loss_func", "duration": 0.5}])
    'rank:0:loss_func(duration=0.5)\\n'
    """
    return _write(_many(operations, "operations"), _OPLOG, to)


def write_workload(file: Record, to: Target = None) -> Optional[str]:
    """The text of a workload file, with the number of its layers, whatever "declared_layers" says."""
    if not isinstance(file, dict) or "layers" not in file:
        raise TypeError('a workload file is a dict with "layers", as read_workload gives it')
    layers = list(file["layers"])
    head = {k: v for k, v in file.items() if k != "layers"}
    head["declared_layers"] = len(layers)
    return _write([head, *layers], _WORKLOAD, to)


def write_table(tables: Iterable[Record], to: Target = None) -> Optional[str]:
    """The text of profiler tables, as PyTorch prints it."""
    lines: List[Record] = []
    for table in _many(tables, "tables"):
        if not isinstance(table, dict) or "rows" not in table:
            raise TypeError('a table is a dict with "rows", as read_table gives it')
        lines.append({k: v for k, v in table.items() if k != "rows"})
        lines += table["rows"]
    return _write(lines, _TABLE, to)


def check(source: Source, kind: Optional[str] = None) -> List[Problem]:
    """Everything that is wrong with a file: an empty list if it is fine.

    kind  "oplog", "workload" or "table"; None finds out which of them it is

    >>> [p.kind for p in check(b"DATA\\n2\\nfc\\t-1\\t5\\tNONE\\t0\\t6\\tNONE\\t0\\t7\\tNONE\\t0\\t10\\n")]
    ['layer_count_mismatch']
    """
    kinds = (None, "oplog", "workload", "table")
    if kind not in kinds:
        raise ValueError(f"kind={kind!r}: one of 'oplog', 'workload', 'table' is expected")
    return [Problem(*p) for p in _wlfmt.check(_input(source), kinds.index(kind))]


def _command() -> str:
    name = "wlfmt.exe" if os.name == "nt" else "wlfmt"
    return os.path.join(os.path.dirname(__file__), "_bin", name)


class Summary(dict):  # type: ignore[type-arg]
    """A summary as a dict. Its sums can have more digits than a float: `line` is the JSON text with all of them."""

    line: str = ""

    def exact(self) -> str:
        """The JSON text: `line`, unless the dict was changed since."""
        if self.line and json.loads(self.line) == self:
            return self.line
        return _line(self)


def _line(summary: Record) -> str:
    return json.dumps(summary, separators=(",", ":"), ensure_ascii=False)


def _run(arguments: Sequence[str], text: Optional[bytes] = None) -> Summary:
    done = subprocess.run([_command(), *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode < 0 or (done.returncode != 0 and not said):  # a signal
        raise subprocess.CalledProcessError(done.returncode, arguments[0], done.stdout, done.stderr)
    if done.returncode != 0:
        error = ParseError(said)
        error.message = said
        place = re.match(r"(.*?)(?::(\d+):(\d+))?: error: (?:(\w+): )?(.*)", said)
        if place:
            error.file, error.kind, error.message = place[1], place[4] or "", place[5]
            error.line, error.column = (int(place[2]), int(place[3])) if place[2] else (None, None)
        raise error
    if said:
        warnings.warn(said, ParseWarning, stacklevel=3)
    line = done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")
    result = Summary(json.loads(line))
    result.line = line
    return result


def summary(sources: Union[Path, Iterable[Path]], *, share: Optional[Tuple[int, int]] = None,
            threads: Optional[int] = None) -> Summary:
    """What the op logs of a run say in sum, as `wlfmt summary --partial` does: a dict that `merge` takes (docs/scale.md
    says what is in it). Of a folder, the newest file of each rank.

    share    (n, m): of the files that are chosen among all, every m-th from the n-th on (from 0), which is the part of
             one of m tasks
    threads  how many threads read; None: one for each processor
    """
    paths = [os.fsdecode(p) for p in _each(sources)]
    if not paths:
        raise ValueError("there are no files to sum up")
    for path in paths:
        os.stat(path)
    how = []
    if share is not None:
        part, parts = (operator.index(n) for n in share)
        if not 0 <= part < parts:
            raise ValueError(f"share=({part}, {parts}): (n, m) with 0 <= n < m is expected")
        how.append(f"--share={part}/{parts}")
    if threads is not None:
        if operator.index(threads) < 1:
            raise ValueError("threads: at least 1 is expected")
        how.append(f"-j{operator.index(threads)}")
    # A name that begins with a dash is not an option.
    return _run(["summary", "--partial", *how, *(os.path.join(".", p) if p.startswith("-") else p for p in paths)])


def merge(summaries: Iterable[Record]) -> Summary:
    """The sum of summaries of different ranks, or of different parts of a log, in any order."""
    lines = "".join((s.exact() if isinstance(s, Summary) else _line(s)) + "\n" for s in _many(summaries, "summaries"))
    if not lines:
        raise ValueError("there are no summaries to merge")
    return _run(["merge", "--partial", "-"], lines.encode("utf-8", "surrogateescape"))
