"""Files as plain objects, and back."""

import dataclasses
import errno
import gc
import json
import math
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, overload

from . import _wlfmt
from ._arguments import described
from ._command import Files, call_command, options_of
from ._progress import Progress
from ._rows import Rows
from ._scan import Of, Scan
from ._sources import (FORMATS, OF_FILES, Input, Problem, Source, Target, decoded, encoded, error_of, inputs_of, is_frame,
                       prefix_of, put, texts_of, warn, warn_of_problem, warn_of_repeated)

Record = Dict[str, Any]

_OPLOG, _WORKLOAD, _TABLE = 1, 2, 3
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
    if other and (kind != _WORKLOAD or other.line is None):
        records.clear()
        name = first if kind == _WORKLOAD else other.kind
        found = found[:found.index(errors[0])] if errors else []
        found.append(dataclasses.replace(other, kind=name, text=other.text.replace(f" {other.kind}: ", f" {name}: ", 1)))
    for problem in found:
        is_error = problem.severity == "error" and problem.kind != "record_after_text"
        if is_error and (not lenient or is_packed or problem.kind in OF_FILES or (kind == _WORKLOAD and not records)):
            raise error_of(problem)
        yield problem.text.replace(": error: ", ": warning: ", 1).rstrip("\n")


def _read(inputs: List[Input], kind: int, lenient: bool, strict: bool, prefix: Optional[str],
          canonical: bool = False, progress: Progress = None) -> List[Any]:
    if strict and lenient:
        raise ValueError("strict and lenient exclude each other")
    prefix_of(prefix)
    records: List[Any] = []
    read: List[Any] = []  # those of all inputs
    decode = _decoder(kind == _OPLOG)
    how = options_of(kind=FORMATS[kind - 1], lenient=lenient, strict=strict, prefix=prefix, canonical=canonical)

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
                if one.text is None and os.path.isdir(one.name):  # which the command would read
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fsdecode(one.name))
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
    """The operations of a rank op log, each as a dict in the interchange form (docs/formats.md, 6.2). A further key
    that an operation has several times has a `Repeated` of its values.

    >>> read_oplog(b"rank:7:send_forward(stage_id=1,batch_id=None,duration=0.25)")
    [{'rank': 7, 'op': 'send_forward', 'stage_id': 1, 'batch_id': None, 'duration': 0.25}]
    """
    return _read(texts_of(source), _OPLOG, lenient, strict, prefix, progress=progress)


@described
def read_workload(source: Source, *, lenient: bool = False, progress: Progress = None) -> Record:
    """A workload file: {"policy": ..., "header": {...}, "declared_layers": ..., "layers": [{...}, ...]}.

    >>> file = read_workload(b"DATA\\n1\\nfc\\t-1\\t5\\tNONE\\t0\\t6\\tNONE\\t0\\t7\\tALLREDUCE\\t4096\\t10\\n")
    >>> file["layers"][0]["weight_grad"]
    {'compute': 7, 'comm': 'ALLREDUCE', 'bytes': 4096}
    """
    inputs = texts_of(source)
    if len(inputs) > 1:
        raise ValueError("the notebook holds several texts: pass one of them")
    head, *layers = _read(inputs, _WORKLOAD, lenient, False, None, progress=progress)
    return {**head, "layers": layers}


def _set_nans(rows: List[List[Record]], one: Input, prefix: Optional[str], canonical: bool) -> None:
    """JSON has null for NaN, too, which a frame tells from what is missing."""
    columns: Dict[str, List[Any]] = {}
    for column in Scan([one], "rows", lenient=True, canonical=canonical, prefix=prefix_of(prefix), report=bool)._gather():
        columns.setdefault(column.name, column.to_list())
    for name, values in columns.items():
        for t, r, value in zip(columns["table"], columns["row"], values):
            if value != value:
                row = rows[t][r]
                key = name if name in row else name.rpartition(" (")[0]  # without the unit
                if row.get(key, value) is None:
                    row[key] = value


@described
def read_table(source: Any, *, lenient: bool = False, strict: bool = False, prefix: Optional[str] = None,
               canonical: bool = False, progress: Progress = None) -> List[Record]:
    """The profiler tables of a text: each {"columns": [...], "totals": {...}, "rows": Rows of {...}}. Times are in
    microseconds, memory is in bytes. Of columns of one name a row has the first, and a ParseWarning says so.

    source     also a profiler of PyTorch, for the table of its key_averages() with all rows: wlfmt.read_table(prof)
    canonical  one name and one unit for each quantity, whatever a version of PyTorch calls it (docs/formats.md, 7.1):
               self_device_time_us, calls, flops, ...
    """
    tables: List[Record] = []
    for one in texts_of(source):
        first = len(tables)
        for line in _read([one], _TABLE, lenient, strict, prefix, canonical, progress):
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
    """Whether a frame has it for what is missing: NaN of any type, or pandas.NA."""
    differs = value != value
    return differs is not False and not hasattr(value, "__len__") and (type(value).__name__ == "NAType" or bool(differs))


def _known(value: Any) -> Any:
    return None if _is_missing(value) else value


class _Again(str):
    """A key that a dict has once more, as JSON may."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def _plain(value: Any, kind: int) -> Any:
    """As JSON has it: texts for infinities, null for NaN, and each value of a repeated key under this key. Of operations
    what is NaN is left out, but for a time that is math.nan itself, which reading has for `nan`."""
    if isinstance(value, dict):
        return {_Again(key) if n else key: "nan" if kind == _OPLOG and one is math.nan else _plain(one, kind)
                for key, found in value.items()
                for n, one in enumerate(found if isinstance(found, Repeated) else (found,))
                if kind != _OPLOG or (one is math.nan and key in _TIMES) or not _is_missing(one)}
    if isinstance(value, (list, tuple)):
        return [_plain(one, kind) for one in value]
    if isinstance(value, float) and math.isinf(value):
        return repr(float(value))
    return _known(value)


def _many(records: Iterable[Record], what: str) -> Iterable[Record]:
    """Of a dict the keys would be taken for the records, and of a text its characters."""
    if isinstance(records, (dict, str, bytes)):
        raise TypeError(f"a list of {what} is expected, not a single {type(records).__name__}")
    return records


def _number(value: Any) -> Any:
    """Numbers and arrays of other libraries, such as numpy.int64, as Python has them."""
    for name in ("tolist", "__index__", "__float__"):
        found = getattr(value, name, lambda: value)()
        if type(found) is not type(value):  # numpy.longdouble is its own list
            return found
    raise TypeError(f"{type(value).__name__}: a text, a number, None, a list or a dict is expected")


def _text_of(records: Iterable[Record], kind: int) -> bytes:
    write = json.JSONEncoder(default=lambda value: _plain(_number(value), kind)).encode
    lines = "".join(write(_plain(record, kind)) + "\n" for record in records)
    text, warnings = _wlfmt.write(lines.encode("ascii"), kind)
    for problem in warnings:
        warn_of_problem(problem)
    return text


def _given(text: bytes, to: Optional[Target]) -> Optional[str]:
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
# The column of each key, and those that are of the other kind, for operations and for nested ones.
_COLUMNS = [{name: column for name, _, column, _ in keys} for keys in (_KEYS, _NESTED_KEYS)]
_OF_OTHERS = [[name for name in (*_NO_KEYS, *_OF_OPERATION, *_OF_SCAN) if name not in next(zip(*columns))]
              for columns in map(_wlfmt.columns_of, (0, 1))]
# What columns follow from that are not written.
_FOLLOWS_FROM = {"run": "the name of the file", "copy": "the records", "bytes": "the shape and the type of the tensor",
                 "sub_bytes": "the shape and the type of the tensor"}
_NOT_WRITTEN = ("file", "record", "index", *_FOLLOWS_FROM, *_OF_OPERATION)


def _is_frame(records: Any) -> bool:
    """Whether these are rows of columns: a frame, what scan() returns, or dicts that scan(...).to_pylist() has made."""
    first = records[0] if isinstance(records, list) and records else None
    is_row = isinstance(first, dict) and "record" in first and any(name in first for name in ("further", *_ONLY_OF_SCAN[1:]))
    return is_row or isinstance(records, Rows) or is_frame(records)


def _rows_of_frame(frame: Any) -> Iterator[Record]:
    if isinstance(frame, list):
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


def _whole(key: str, value: Any) -> Any:
    """pandas has floats for whole numbers where some are missing."""
    return int(value) if key in _WHOLE and isinstance(value, float) and value.is_integer() else value


def _keys_of(row: Record, is_nested: bool = False) -> Record:
    """The keys of a row of a frame with their values, the missing ones left out."""
    if not any(name in row for name in _ONLY_OF_SCAN):
        return {key: _whole(key, value) for key, value in row.items()}
    others = [name for name in _OF_OTHERS[is_nested] if name in row]
    others += [key for key, column in _COLUMNS[is_nested].items() if key != column and key in row and column in row]
    if others:
        raise ValueError(f"{', '.join(others)}: such columns of a frame of {'nested ' * is_nested}operations are not written: "
                         "pass nested operations as sub_operations=, and leave out what was added, such as the index of "
                         "pandas' reset_index()")
    left_out = (*_NO_KEYS, *_OF_OPERATION) if is_nested else _NO_KEYS
    nones = (_known(row.get("none")) or "").split(",")
    keys = {_OF_SCAN.get(name, name): _whole(name, known) for name, value in row.items()
            if name not in left_out and ((known := _known(value)) is not None or name in nones)}
    if keys.pop("origin", "rank") == "stage":
        keys = {"stage": keys.pop("rank"), **keys}
    further, written = row.get("further"), row.get("keys")
    if isinstance(further, str):
        for key, value in _decoder(True)(further).items():
            column = _COLUMNS[is_nested].get(key, "further")
            if column not in row:
                continue
            is_shown = key in _TIMES and _is_in_column(value)
            # Columns of pandas have NaN for what is missing, too.
            if not is_shown or (value == "nan" and row[column] is not None):
                keys.setdefault(key, value)
            elif keys.get(key) == float(value):
                keys[key] = value  # as an integer
    if isinstance(written, str):
        return _as_written(keys, written.split(","))
    return _as_written(keys, _NESTED_ORDER if is_nested else _ORDER) if isinstance(further, str) else keys


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


def _place_of(row: Record) -> str:
    number = "" if _known(row.get("index")) is None else f", nested operation {row['index']:.0f}"
    return f"{row.get('file')}: record {row.get('record')}{number}: "


def _with_nested(rows: Iterator[Record], nested: List[Record]) -> Iterator[Tuple[Record, Record, List[Record]]]:
    """The rows of operations, each with its keys, and with those of the rows `nested` that belong to it."""
    if not all("record" in row for row in nested):
        raise ValueError("the frame in sub_operations= lacks the column record, which says to which operation each row belongs")
    calls: Dict[Any, List[Record]] = {}
    for row in nested:
        calls.setdefault((row.get("file"), row["record"]), []).append(row)
    for row in rows:
        if nested and "record" not in row:
            raise ValueError("the frame of operations lacks the column record, by which their nested ones are found")
        keys = _keys_of(row)
        found = calls.get((row.get("file"), row["record"]), []) if "record" in row else []
        count = keys.get("sub_operations")
        if count is None and found:
            raise ValueError(f"{row.get('file')}: record {row['record']} has nested operations, but no number in the column "
                             "sub_operations")
        if "record" in row and count is not None:
            if len(found) != count:
                raise ValueError(f"{row.get('file')}: record {row['record']} has {count:.0f} nested operations: pass "
                                 "the frame that has them as sub_operations=")
            keys["sub_operations"] = [_nested_of(one) for one in found]
        yield row, keys, found


def _nested_of(row: Record) -> Any:
    """A nested operation, which may be a text."""
    keys = _keys_of(row, True)
    if not isinstance(row.get("text"), str):
        return keys
    if keys:
        raise ValueError(f"{_place_of(row)}it is a text, and has no values beside it: {', '.join(keys)}")
    return row["text"]


def _hold_against(rows: List[Record], text: bytes, of: Of, names: Iterable[str]) -> None:
    """What rows hold in these columns, which are not written, is to be what is read in their place from the text."""
    names = [name for name in names if rows and name in rows[0]]
    written = Scan([Input(b"<frame>", text)], of, names, lenient=True, prefix=b"", report=bool).to_pylist() if names else []
    last: Dict[Any, Any] = {}  # the record of each file, as long as none was left out or moved
    for row, read in zip(rows, written):
        file, record = row.get("file"), row.get("record")
        is_whole = record == last.get(file, -1) + 1
        last[file] = record if is_whole else -2
        for name in names:
            one, two = _known(row[name]), read[name]
            if name == "run":
                two = _wlfmt.facts(encoded(file))[1] if isinstance(file, str) else one
            elif name == "copy" and not is_whole and one in (0, 1):
                continue  # the other record of the exchange is perhaps not before it
            if one != two and not (one is None and name in _FOLLOWS_FROM):
                source = _FOLLOWS_FROM.get(name, "the frame of operations")
                raise ValueError(f"{_place_of(row)}{name} is {one}, and {two} as it follows from {source}: it is not "
                                 "written itself: change that too, or leave out the column")


def _text_of_frame(frame: Any, nested: Any) -> bytes:
    rows: List[Record] = []
    calls: List[Record] = []

    def operations() -> Iterator[Record]:
        for row, keys, found in _with_nested(_rows_of_frame(frame), [] if nested is None else [*_rows_of_frame(nested)]):
            rows.append({name: row[name] for name in _NOT_WRITTEN if name in row})
            calls.extend(found)
            yield keys

    text = _text_of(operations(), _OPLOG)
    _hold_against(rows, text, "operations", ["run", "bytes", "copy"])
    _hold_against(calls, text, "sub_operations",
                  ["run", "sub_bytes", *(name for name in _OF_OPERATION[1:] if rows and name in rows[0])])
    return text


@overload
def write_oplog(operations: Any, to: None = None, *, sub_operations: Any = None) -> str: ...
@overload
def write_oplog(operations: Any, to: Target, *, sub_operations: Any = None) -> None: ...
@described
def write_oplog(operations: Any, to: Optional[Target] = None, *, sub_operations: Any = None) -> Optional[str]:
    """The text of operations, as the tracer writes it: returned, or written.

    operations      dicts, as read_oplog gives them; or what scan() returns; or a frame of pandas or polars, made of
                    either. NaN and NA are what is missing, but for math.nan itself, which read_oplog has for `nan`
    sub_operations  the nested operations, scan(..., "sub_operations") or its frame, for operations that scan() has made

    >>> write_oplog([{"rank": 0, "op": "loss_func", "duration": 0.5}])
    'rank:0:loss_func(duration=0.5)\\n'
    """
    if _is_frame(operations):
        return _given(_text_of_frame(operations, sub_operations), to)
    if sub_operations is not None:
        raise TypeError("sub_operations= belongs to a frame of operations: dicts have their nested operations themselves")
    return _given(_text_of(_many(operations, "operations"), _OPLOG), to)


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
    return _given(_text_of([head, *layers], _WORKLOAD), to)


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
        lines += table["rows"]
    return _given(_text_of(lines, _TABLE), to)


@described
def check(sources: Any, kind: Optional[str] = None, *, strict: bool = False,
          prefix: Optional[str] = None, progress: Progress = None) -> List[Problem]:
    """Everything that is wrong with files, each by itself and together as a run: an empty list if all is fine.

    strict    text that belongs to no record is an error, and so is what makes no sense to a simulator

    >>> [p.kind for p in check(b"DATA\\n2\\nfc\\t-1\\t5\\tNONE\\t0\\t6\\tNONE\\t0\\t7\\tNONE\\t0\\t10\\n")]
    ['layer_count_mismatch']
    """
    if kind not in (None, *FORMATS):
        raise ValueError(f"kind={kind!r}: one of 'oplog', 'workload', 'table' is expected")
    prefix_of(prefix)
    return problems_of(inputs_of(sources)[0], options_of(kind=kind, strict=strict, prefix=prefix), progress)


def problems_of(inputs: List[Input], options: List[str], progress: Progress = None) -> List[Problem]:
    _, _, found = call_command("check", ["--limit=0", *options], Files(inputs), progress=progress)
    for problem in found:
        if problem.kind in OF_FILES:
            raise error_of(problem)
    return [problem for problem in found if problem.severity in ("error", "warning")]
