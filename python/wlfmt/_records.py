"""Files as plain objects, and back."""

import errno
import gc
import json
import math
import operator
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union, overload

from . import _wlfmt
from ._arguments import described
from ._command import _OF_FILES, Files, call_command, error_of, options_of
from ._progress import Progress
from ._rows import Rows
from ._sources import (Input, Problem, Source, Target, decoded, inputs_of, is_frame, prefix_of, put, texts_of, warn, warn_of_problem,
                       warn_of_repeated)

Record = Dict[str, Any]

_OPLOG, _WORKLOAD, _TABLE = 1, 2, 3
_KINDS = {_OPLOG: "oplog", _WORKLOAD: "workload", _TABLE: "table"}
_MOST_TEXTS = 10000  # that are known at a time
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_TIMES = ("duration", "timestamp")
# The known keys, in the tracer's order: (name, what variants of the tracer call it, its column in scan(), is an index).
_KEYS, _NESTED_KEYS = ([(name, other, column, is_index) for (name, other, column), is_index in _wlfmt.keys(nested)]
                       for nested in (False, True))
_WHOLE = ("rank", "stage", *(name for name, _, _, is_index in _KEYS if is_index))


class Repeated(Tuple[Any, ...]):
    """The values of a further key that an operation has several times: `f(tag=a,tag=b)`."""


# The keys that have a meaning: of one that occurs twice the first value counts (docs/formats.md, 5.3).
_KNOWN = frozenset(("rank", "op", *(name for key in _KEYS + _NESTED_KEYS for name in key[:2] if name)))


def _members(pairs: List[Tuple[str, Any]], keeps_all: bool) -> Record:
    """Pairs of which some have one key."""
    members: Record = {}
    for key, value in pairs:
        if key not in members:
            members[key] = value
        elif keeps_all and key not in _KNOWN:
            before = members[key]
            members[key] = Repeated((*(before if isinstance(before, Repeated) else (before,)), value))
    return members


def _decoder(keeps_all: bool = False) -> Callable[[str], Any]:
    """Equal texts are one object, which takes a third less memory: logs repeat themselves."""
    texts: Dict[str, str] = {}

    def make(pairs: List[Tuple[str, Any]]) -> Record:
        if len(texts) > _MOST_TEXTS:
            texts.clear()
        members = {key: texts.setdefault(value, value) if type(value) is str else value for key, value in pairs}
        return members if len(members) == len(pairs) else _members(pairs, keeps_all)

    return json.JSONDecoder(object_pairs_hook=make).decode


def _with_not_finite(operation: Record) -> Record:
    """JSON has texts for numbers that are not finite."""
    for one in (operation, *(operation.get("sub_operations") or ())):
        if isinstance(one, dict):
            for key in _TIMES:
                if isinstance(one.get(key), str):
                    one[key] = _NOT_FINITE.get(one[key], one[key])
    return operation


def _passed_over(found: List[Problem], one: Input, kind: int, lenient: bool, records: List[Any]) -> Iterator[str]:
    """What is said of problems that reading passes over; the first error that it does not pass over is raised."""
    errors = [problem for problem in found if problem.severity == "error"]
    first = errors[0].kind if errors else ""
    is_packed = first == "unknown_format"
    is_refused = is_packed or first == "no_records"
    if kind == _WORKLOAD and errors and not (lenient and records[1:]):
        is_refused = is_refused or (errors[0].line or 0) <= 2
    # A text of another format, or of another profiler, is called so. (A workload file is refused at its beginning.)
    other = _wlfmt.refusal(one, kind, not is_refused) if is_refused or (found and kind == _TABLE) else None
    if other and (kind != _WORKLOAD or other[3] is None):
        records.clear()
        name = first if kind == _WORKLOAD else other[0]
        found = found[:found.index(errors[0])] if errors else []
        found.append(Problem(name, *other[1:-1], other[-1].replace(f" {other[0]}: ", f" {name}: ", 1)))
    for problem in found:
        is_error = problem.severity == "error" and problem.kind != "record_after_text"
        if is_error and (not lenient or is_packed or problem.kind in _OF_FILES or (kind == _WORKLOAD and not records)):
            raise error_of(problem, problem.text.rstrip("\n"))
        yield problem.text.replace(": error: ", ": warning: ", 1).rstrip("\n")


def _read(inputs: List[Input], kind: int, lenient: bool, strict: bool, prefix: Optional[str],
          canonical: bool = False, progress: Progress = None) -> List[Any]:
    if strict and lenient:
        raise ValueError("strict and lenient exclude each other")
    prefix_of(prefix)
    records: List[Any] = []
    read: List[Any] = []  # those of all inputs
    decode = _decoder(kind == _OPLOG)
    how = options_of(kind=_KINDS[kind], lenient=lenient, strict=strict, prefix=prefix, canonical=canonical)

    def take(part: bytes) -> None:
        # Lines that are decoded together share their keys, which halves the memory.
        lines: Iterable[Any] = decode("[" + decoded(part)[:-1].replace("\n", ",") + "]")
        if kind == _OPLOG and (b'"nan"' in part or b'inf"' in part):
            lines = map(_with_not_finite, lines)
        records.extend(lines)
        if collects:
            gc.collect(1)  # looks at the new objects alone

    # None of the new objects is garbage: to look at all of them again and again would double the time, and other threads
    # would wait for it.
    collects = gc.isenabled()
    gc.disable()
    try:
        try:
            said: List[str] = []
            for one in inputs:
                if one[1] is None and os.path.isdir(one[0]):  # which the command would read
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fsdecode(one[0]))
                found = call_command("json", how, Files([one]), (), progress, take, not lenient)[2]
                said += _passed_over(found, one, kind, lenient, records)
                read += records
                records.clear()
        finally:
            if collects:
                gc.enable()
        for words in said:
            warn(words)
    except BaseException:
        records.clear()  # an exception keeps the variables of its frames, and a notebook the last exception
        read.clear()
        raise
    return read


@described
def read_oplog(source: Source, *, lenient: bool = False, strict: bool = False,
               prefix: Optional[str] = None, progress: Progress = None) -> List[Record]:
    """The operations of a rank op log, each as a dict in the interchange form (docs/formats.md, 6.1). A further key
    that an operation has several times has a `Repeated` of its values.

    >>> read_oplog(b"rank:7:send_forward(stage_id=1,batch_id=None,duration=0.25)")
    [{'rank': 7, 'op': 'send_forward', 'stage_id': 1, 'batch_id': None, 'duration': 0.25}]
    """
    return _read(texts_of(source), _OPLOG, lenient, strict, prefix, progress=progress)


@described
def read_workload(source: Source, *, lenient: bool = False) -> Record:
    """A workload file: {"policy": ..., "header": {...}, "declared_layers": ..., "layers": [{...}, ...]}.

    >>> file = read_workload(b"DATA\\n1\\nfc\\t-1\\t5\\tNONE\\t0\\t6\\tNONE\\t0\\t7\\tALLREDUCE\\t4096\\t10\\n")
    >>> file["layers"][0]["weight_grad"]
    {'compute': 7, 'comm': 'ALLREDUCE', 'bytes': 4096}
    """
    inputs = texts_of(source)
    if len(inputs) > 1:
        raise ValueError("the notebook holds several texts: pass one of them")
    head, *layers = _read(inputs, _WORKLOAD, lenient, False, None)
    return {**head, "layers": layers}


def _set_nans(rows: List[List[Record]], one: Input, prefix: Optional[str], canonical: bool) -> None:
    """JSON has null for NaN, too, which a frame tells from what is missing."""
    from ._scan import _ALL_ROWS, _CONTENTS, _Gathered  # which imports this file

    stream: Any = (_CONTENTS.index("rows"), [], [], True, 16384, 1, False, canonical, False, prefix_of(prefix), bool)
    columns: Dict[str, List[Any]] = {}
    for column in _wlfmt.gather(_wlfmt.stream([one], *stream), _ALL_ROWS):
        columns.setdefault(column[0], _Gathered(*column).to_list())
    for name, values in columns.items():
        for t, r, value in zip(columns["table"], columns["row"], values):
            if value != value:
                row = rows[t][r]
                key = name if name in row else name.rpartition(" (")[0]  # without the unit
                if row.get(key, value) is None:
                    row[key] = value


@described
def read_table(source: Any, *, lenient: bool = False, strict: bool = False, prefix: Optional[str] = None,
               canonical: bool = False) -> List[Record]:
    """The profiler tables of a text: each {"columns": [...], "totals": {...}, "rows": Rows of {...}}. Times are in
    microseconds, memory is in bytes. Of columns of one name a row has the first, and a ParseWarning says so.

    source     also a profiler of PyTorch, for the table of its key_averages() with all rows: wlfmt.read_table(prof)
    canonical  one name and one unit for each quantity, whatever a version of PyTorch calls it (docs/formats.md, 7.1):
               self_device_time_us, calls, flops, ...
    """
    tables: List[Record] = []
    for one in texts_of(source):
        first = len(tables)
        for line in _read([one], _TABLE, lenient, strict, prefix, canonical):
            if isinstance(line.get("totals"), dict):
                tables.append({**line, "rows": Rows()})
            else:
                tables[-1]["rows"].append(line)
        rows = [table["rows"] for table in tables[first:]]
        if any(None in row.values() for some in rows for row in some):
            _set_nans(rows, one, prefix, canonical)
    for table in tables:
        warn_of_repeated(table["columns"])
    return tables


def _is_missing(value: Any) -> bool:
    """Whether a frame has it for what is missing: NaN, or pandas.NA."""
    return (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType")


def _plain(value: Any) -> Any:
    """JSON has no nan and no infinities: the interchange form has them as texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return repr(float(value))
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, Repeated):
        return Repeated(_plain(v) for v in value)
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _without_missing(operation: Any) -> Any:
    """Where it is no time, NaN is what pandas has for a key that is missing."""
    if not isinstance(operation, dict):
        return operation
    kept = {k: v for k, v in operation.items() if k in _TIMES or not _is_missing(v)}
    nested = kept.get("sub_operations")
    if isinstance(nested, (list, tuple)):
        kept["sub_operations"] = [_without_missing(s) for s in nested]
    return kept


def _many(records: Iterable[Record], what: str) -> Iterable[Record]:
    """Of a dict the keys would be taken for the records, and of a text its characters."""
    if isinstance(records, (dict, str, bytes)):
        raise TypeError(f"a list of {what} is expected, not a single {type(records).__name__}")
    return records


def _number(value: Any) -> Any:
    """Numbers and arrays of other libraries, such as numpy.int64."""
    if hasattr(value, "__index__"):
        return operator.index(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "__float__"):
        return _plain(float(value))
    raise TypeError(f"{type(value).__name__}: a text, a number, None, a list or a dict is expected")


def _has_repeated(value: Any) -> bool:
    if type(value) is dict:
        return any(map(_has_repeated, value.values()))
    return type(value) is Repeated or (type(value) is list and any(map(_has_repeated, value)))


def _line(value: Any) -> str:
    """A record as JSON, in which the values of a repeated key are members of one name."""
    if not _has_repeated(value):
        return json.dumps(value, default=_number)
    if isinstance(value, dict):
        members = [(key, one) for key, found in value.items()
                   for one in (found if isinstance(found, Repeated) else (found,))]
        return "{" + ",".join(f"{json.dumps(str(key))}:{_line(one)}" for key, one in members) + "}"
    return "[" + ",".join(map(_line, value)) + "]"


def _write(records: Iterable[Record], kind: int, to: Optional[Target]) -> Optional[str]:
    lines = "".join(_line(_plain(r)) + "\n" for r in records)
    text, warnings = _wlfmt.write(lines.encode("ascii"), kind)
    for problem in warnings:
        warn_of_problem(problem)
    if to is None:
        return decoded(text)
    put(text, to)
    return None


# Frames of operations. Those of scan() have columns that are not keys, and tell None from what is missing.
_OF_SCAN = {column: name for name, _, column, _ in _KEYS + _NESTED_KEYS if column != name}
_ONLY_OF_SCAN = ("record", "none", "keys", *_OF_SCAN)
_NO_KEYS = ("file", "run", "record", "index", "bytes", "sub_bytes", "none", "further", "keys", "text", "copy")
_ORDER = [name for name, _, _, _ in _KEYS if name != "sub_operations"]  # an operation has its nested ones last
_NESTED_ORDER = [name for name, _, _, _ in _NESTED_KEYS]
_OTHER_NAMES = {other: name for name, other, _, _ in _KEYS if other}
_OF_OPERATION = ("origin", "rank", "op", "stage_id", "batch_id")  # in a frame of nested operations


def _is_frame(records: Any) -> bool:
    """Whether these are rows of columns: a frame, what scan() returns, or dicts that scan(...).to_pylist() has made."""
    if isinstance(records, list) and not isinstance(records, Rows):
        first = records[0] if records else None
        return isinstance(first, dict) and "record" in first and ("duration_ms" in first or "sub_duration_ms" in first)
    return (isinstance(records, Rows) or hasattr(records, "to_pylist") or
            is_frame(records))


def _rows_of_frame(frame: Any) -> Iterator[Record]:
    if isinstance(frame, (Rows, list)):
        return iter(frame)
    if hasattr(frame, "to_pylist"):
        return iter(frame.to_pylist())
    names = [str(name) for name in frame.columns]
    lists = [frame[name].to_list() for name in frame.columns]
    return (dict(zip(names, row)) for row in zip(*lists))


def _is_in_column(time: Any) -> bool:
    """Whether a time in the column `further` is in its own column, too, where it may have been changed or removed: an
    integer is one of the decimals there."""
    return time == "nan" or (type(time) is int and -2**63 <= time < 2**63)


def _key_values(row: Record, left_out: Tuple[str, ...] = ()) -> Record:
    """The keys of a row of a frame with their values, the missing ones left out."""
    is_of_scan = any(name in row for name in _ONLY_OF_SCAN)
    nones = (row.get("none") or "") if not _is_missing(row.get("none")) else ""
    none_names = nones.split(",")
    keys: Record = {}
    for name, value in row.items():
        if is_of_scan and (name in _NO_KEYS or name in left_out):
            continue
        key = _OF_SCAN.get(name, name) if is_of_scan else name
        if _is_missing(value) or (is_of_scan and value is None):
            if name in none_names:
                keys[key] = None
        elif key in _WHOLE and isinstance(value, float) and value.is_integer():
            keys[key] = int(value)  # pandas has floats for whole numbers where some are missing
        else:
            keys[key] = value
    if is_of_scan and keys.pop("origin", "rank") == "stage":
        keys = {"stage": keys.pop("rank"), **keys}
    further = row.get("further") if is_of_scan else None
    if isinstance(further, str):
        shown = {_OF_SCAN[name]: value for name, value in row.items() if name in _OF_SCAN}
        for key, value in _decoder(True)(further).items():
            if not (key in _TIMES and key in shown and _is_in_column(value)):
                keys.setdefault(key, value)  # what no column can show
            elif shown[key] is not None and value == "nan":
                keys.setdefault(key, value)  # of pandas, whose columns have NaN for what is missing, too
            elif key in keys and keys[key] == float(value):
                keys[key] = value  # as an integer
    written = row.get("keys") if is_of_scan else None
    if isinstance(written, str):
        return _as_written(keys, written.split(","))
    return _as_written(keys, _NESTED_ORDER if left_out else _ORDER) if isinstance(further, str) else keys


def _as_written(keys: Record, written: List[str]) -> Record:
    """Keys under the names and in the order that the file has; then those that it has not, the nested operations last."""
    found: Record = {}
    for name in written:
        key = name if name in keys else _OTHER_NAMES.get(name, name)
        if key in keys:
            found[name] = keys.pop(key)
    nested = {"sub_operations": keys.pop("sub_operations")} if "sub_operations" in keys else {}
    head = {key: keys.pop(key) for key in ("rank", "stage", "op") if key in keys}
    return {**head, **found, **keys, **nested}


class _Derived:
    """The cells of columns that are not written, as they follow from others: those that do not are errors."""

    def __init__(self) -> None:
        self._bytes: List[Tuple[str, int, Record]] = []  # the place, the number, and what it follows from

    @staticmethod
    def place(row: Record) -> str:
        number = f", nested operation {row['index']:.0f}" if not _is_missing(row.get("index")) and "index" in row else ""
        return f"{row.get('file')}: record {row.get('record')}{number}: "

    def add_bytes(self, row: Record, keys: Record, name: str) -> None:
        value = row.get(name)
        if value is None or _is_missing(value):
            return
        shape = keys.get("input__shape")
        tensor = {} if shape is None else {"input__shape": shape if isinstance(shape, str) else list(shape)}
        dtype = keys.get("input__dtype")
        if dtype is not None:
            tensor["input__dtype"] = dtype
        self._bytes.append((f"{self.place(row)}{name} is {value}", value, tensor))

    def compare(self, row: Record, operation: Record) -> None:
        """The columns that a frame of nested operations repeats of their operation."""
        for name in _OF_OPERATION:
            if name in row and name in operation:
                one, two = row[name], operation[name]
                missing = [value is None or _is_missing(value) for value in (one, two)]
                if missing[0] != missing[1] or not (missing[0] or one == two):
                    raise ValueError(f"{self.place(row)}{name} is {one} in sub_operations=, and {two} in the frame of operations, "
                                     "which is written: change it there too, or leave out the column")

    def check(self) -> None:
        from ._scan import scan  # which imports this file

        tensors: Dict[str, Record] = {_line(_plain(tensor)): tensor for _, _, tensor in self._bytes}
        if not tensors:
            return
        text = write_oplog([{"rank": 0, "op": "f", **tensor} for tensor in tensors.values()])
        known = dict(zip(tensors, (row["bytes"] for row in scan(text, columns=["bytes"]).to_pylist())))
        for words, value, tensor in self._bytes:
            if known[_line(_plain(tensor))] != value:
                raise ValueError(f"{words}, which does not follow from the shape and the type of the tensor, and only these "
                                 "are written: change them too, or leave out the column")


def _operations_of_frame(frame: Any, nested: Any) -> Iterator[Record]:
    derived = _Derived()
    calls: Dict[Any, List[Any]] = {}
    for row in _rows_of_frame(nested) if nested is not None else ():
        if "record" not in row:
            raise ValueError("the frame in sub_operations= lacks the column record, which says to which operation each row belongs")
        text = row.get("text")
        one = _key_values(row, _OF_OPERATION)
        if isinstance(text, str) and one:
            raise ValueError(f"{derived.place(row)}it is a text, and has no values beside it: {', '.join(one)}")
        derived.add_bytes(row, one, "sub_bytes")
        calls.setdefault((row.get("file"), row.get("record")), []).append((row, text if isinstance(text, str) else one))
    for row in _rows_of_frame(frame):
        if "record" in row and "index" in row:
            raise ValueError("these are nested operations: pass the frame of the operations, and this one as sub_operations=")
        if nested is not None and "record" not in row:
            raise ValueError("the frame of operations lacks the column record, by which their nested ones are found")
        keys = _key_values(row)
        derived.add_bytes(row, keys, "bytes")
        if "record" in row:
            count = keys.get("sub_operations")
            rows = calls.get((row.get("file"), row["record"]), [])
            for one, _ in rows:
                derived.compare(one, row)
            found = [one for _, one in rows]
            if count is None and found:
                raise ValueError(f"{row.get('file')}: record {row['record']} has nested operations, but no number in the column "
                                 "sub_operations")
            if count is not None:
                keys["sub_operations"] = found
                if len(found) != count:
                    raise ValueError(f"{row.get('file')}: record {row['record']} has {count:.0f} nested operations: pass "
                                     "the frame that has them as sub_operations=")
        yield keys
    derived.check()


@overload
def write_oplog(operations: Any, to: None = None, *, sub_operations: Any = None) -> str: ...
@overload
def write_oplog(operations: Any, to: Target, *, sub_operations: Any = None) -> None: ...
@described
def write_oplog(operations: Any, to: Optional[Target] = None, *, sub_operations: Any = None) -> Optional[str]:
    """The text of operations, as the tracer writes it: returned, or written.

    operations      dicts, as read_oplog gives them; or what scan() returns; or a frame of pandas or polars, made of
                    either, in which NaN and NA are what is missing
    sub_operations  the nested operations, scan(..., "sub_operations") or its frame, for operations that scan() has made

    >>> write_oplog([{"rank": 0, "op": "loss_func", "duration": 0.5}])
    'rank:0:loss_func(duration=0.5)\\n'
    """
    if _is_frame(operations):
        return _write(_operations_of_frame(operations, sub_operations), _OPLOG, to)
    if sub_operations is not None:
        raise TypeError("sub_operations= belongs to a frame of operations: dicts have their nested operations themselves")
    return _write(map(_without_missing, _many(operations, "operations")), _OPLOG, to)


@overload
def write_workload(file: Record, to: None = None) -> str: ...
@overload
def write_workload(file: Record, to: Target) -> None: ...
@described
def write_workload(file: Record, to: Optional[Target] = None) -> Optional[str]:
    """The text of a workload file, with the number of its layers, whatever "declared_layers" says: returned, or written."""
    if not isinstance(file, dict) or "layers" not in file:
        raise TypeError('a workload file is a dict with "layers", as read_workload gives it; frames lack a part of it')
    layers = list(file["layers"])
    head = {k: v for k, v in file.items() if k != "layers"}
    head["declared_layers"] = len(layers)
    return _write([head, *layers], _WORKLOAD, to)


@overload
def write_table(tables: Iterable[Record], to: None = None) -> str: ...
@overload
def write_table(tables: Iterable[Record], to: Target) -> None: ...
@described
def write_table(tables: Iterable[Record], to: Optional[Target] = None) -> Optional[str]:
    """The text of profiler tables, as PyTorch prints it: returned, or written."""
    lines: List[Record] = []
    for table in [tables] if _is_frame(tables) else _many(tables, "tables"):
        if not isinstance(table, dict) or "rows" not in table:
            raise TypeError('a table is a dict with "rows", as read_table gives it; frames lack its totals')
        lines.append({k: v for k, v in table.items() if k != "rows"})
        lines += ({k: None if _is_missing(v) else v for k, v in row.items()} for row in table["rows"])
    return _write(lines, _TABLE, to)


@described
def check(sources: Union[Any, Iterable[Any]], kind: Optional[str] = None, *, strict: bool = False,
          prefix: Optional[str] = None, progress: Progress = None) -> List[Problem]:
    """Everything that is wrong with files, each by itself and together as a run: an empty list if all is fine.

    strict    text that belongs to no record is an error, and so is what makes no sense to a simulator

    >>> [p.kind for p in check(b"DATA\\n2\\nfc\\t-1\\t5\\tNONE\\t0\\t6\\tNONE\\t0\\t7\\tNONE\\t0\\t10\\n")]
    ['layer_count_mismatch']
    """
    if kind not in (None, "oplog", "workload", "table"):
        raise ValueError(f"kind={kind!r}: one of 'oplog', 'workload', 'table' is expected")
    prefix_of(prefix)
    return problems_of(inputs_of(sources)[0], options_of(kind=kind, strict=strict, prefix=prefix), progress)


def problems_of(inputs: List[Input], options: List[str], progress: Progress = None) -> List[Problem]:
    if not inputs:
        return []
    _, _, found = call_command("check", ["--limit=0", *options], Files(inputs), progress=progress)
    for problem in found:
        if problem.kind in _OF_FILES:
            raise error_of(problem, problem.text)
    return [problem for problem in found if problem.severity in ("error", "warning")]
