"""Files as frames."""

import dataclasses
import html
import importlib
import operator
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Literal, Optional, Sequence, Tuple, Union

from . import _wlfmt
from ._answers import COLUMNS, columns_of
from ._arguments import described
from ._rows import Rows
from ._sources import Input, NoRows, Problem, Source, count_of, inputs_of, prefix_of, warn_of_problem, warn_of_repeated

if TYPE_CHECKING:
    import numpy
    import pandas  # type: ignore
    import polars  # type: ignore

Of = Literal["operations", "sub_operations", "layers", "headers", "rows"]
OfColumns = Literal[Of, "oplog", "workload", "table", "ranks", "stages", "waits", "groups", "bandwidth", "remedies", "answers",
                    "slowest_rank"]
_CONTENTS: Tuple[Of, ...] = ("operations", "sub_operations", "layers", "headers", "rows")
_OF_FORMAT: Dict[str, Of] = {"oplog": "operations", "workload": "layers", "table": "rows"}
_TYPES = {"l": "int64", "g": "float64", "i": "str", "u": "str", "+l": "list<int64>"}
_POSITIONS = {1: "b", 2: "h", 4: "i"}  # what arrays call numbers of so many bytes
_ALL_ROWS = 2**63 - 1
# The integers that every row has; a frame of pandas has all others as Int64, whatever the data.
_IN_EACH_ROW = frozenset(("record", "index", "rank", "layer", "layers", "copy", "table", "row"))


@dataclasses.dataclass(frozen=True)
class _Gathered:
    """A column of all rows, in memory that arrays can share."""

    name: str
    format: str
    width: int  # of a value, in bytes
    values: bytearray
    valid: Optional[bytearray]  # a byte for each row, if some numbers are null
    words: Optional[List[Any]]  # the texts or lists, of which `values` has positions; -1 is null

    def to_list(self) -> List[Any]:
        if self.words is not None:
            words: List[Any] = [*self.words, None]
            found = [words[n] for n in memoryview(self.values).cast(_POSITIONS[self.width]).tolist()]
            return [None if one is None else list(one) for one in found] if self.format == "+l" else found
        values: List[Any] = memoryview(self.values).cast("q" if self.format == "l" else "d").tolist()
        if self.valid is None:
            return values
        return [value if valid else None for value, valid in zip(values, self.valid)]

    def to_numpy(self) -> Any:
        numpy = importlib.import_module("numpy")
        if self.words is not None:
            if not self.words:
                return numpy.full(len(self.values) // self.width, None)
            words = numpy.empty(len(self.words) + 1, dtype=object)
            for n, word in enumerate(self.words):
                words[n] = word
            return words[self.positions(numpy).astype(numpy.intp)]
        values = numpy.frombuffer(self.values, dtype=numpy.int64 if self.format == "l" else numpy.float64)
        if self.format == "g" or self.valid is None:
            return values
        return numpy.ma.masked_array(values, mask=~self.mask(numpy))

    def positions(self, numpy: Any) -> Any:
        return numpy.frombuffer(self.values, dtype=_POSITIONS[self.width])

    def mask(self, numpy: Any) -> Any:
        """Whether each row has a value."""
        return numpy.frombuffer(self.valid, dtype=numpy.bool_)

    def to_series(self, pandas: Any, numpy: Any, categories: bool, index: Any) -> Any:
        """What a frame of pandas takes as a column. Texts stay objects, which pandas need not look through."""
        if self.format == "i" and categories:
            return pandas.Categorical.from_codes(self.positions(numpy), self.words)
        if self.format == "l" and not (self.name in _IN_EACH_ROW and self.valid is None):
            values = numpy.frombuffer(self.values, dtype=numpy.int64)
            missing = numpy.zeros(len(values), dtype=numpy.bool_) if self.valid is None else ~self.mask(numpy)
            return pandas.arrays.IntegerArray(values, missing)
        array = self.to_numpy()
        return array if self.words is None else pandas.Series(array, index=index, dtype=object, copy=False)


class Scan(NoRows):
    """Files as a stream of Arrow record batches: what `scan` returns. Every use reads the files anew."""

    _instead = ("scan.to_pandas() and scan.to_polars() are frames, scan.to_pylist() is a list of dicts, scan.head() the "
                "first rows, scan.columns the names of the columns; each reads the files")

    def __init__(self, inputs: List[Input], of: Of, columns: Iterable[str] = (), ranks: Iterable[int] = (),
                 lenient: bool = False, batch_rows: int = 16384, threads: int = 1, mmap: bool = False, canonical: bool = False,
                 strict: bool = False, prefix: Optional[bytes] = None,
                 report: Callable[[Problem], Any] = warn_of_problem) -> None:
        names = [name.encode("utf-8") for name in columns]
        self._request = (inputs, _CONTENTS.index(of), names, list(ranks), lenient, batch_rows, threads, mmap, canonical,
                         strict, prefix, report)
        if names and of != "rows":  # tables have columns of their own
            self._schema([])  # a column that there is not is a ValueError

    def _schema(self, inputs: List[Input]) -> Any:
        return _wlfmt.schema(_wlfmt.stream(inputs, *self._request[1:-1], bool))  # reading tells the problems

    def __repr__(self) -> str:
        inputs, of = self._request[:2]
        return f"<wlfmt.Scan: {_CONTENTS[of]} of {len(inputs)} {'file' if len(inputs) == 1 else 'files'}>"

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A fresh stream, as the Arrow PyCapsule interface has it. The schema is always that of __arrow_c_schema__."""
        return _wlfmt.stream(*self._request)

    def __arrow_c_schema__(self) -> Any:
        return self._schema(self._request[0])

    def _gather(self, most: int = _ALL_ROWS) -> List[_Gathered]:
        request: List[Any] = [*self._request]
        if most < request[5]:  # few rows need no large batch and no threads
            request[5:7] = max(1, most), 1
        # No variable holds the stream: an exception keeps the variables of its frames.
        return [_Gathered(*column) for column in _wlfmt.gather(_wlfmt.stream(*request), most)]

    def _columns(self, most: int = _ALL_ROWS) -> Dict[str, _Gathered]:
        """Of columns of one name the first."""
        columns: Dict[str, _Gathered] = {}
        found = self._gather(most)
        warn_of_repeated([column.name for column in found])
        for column in found:
            columns.setdefault(column.name, column)
        return columns

    @property
    def schema(self) -> Dict[str, str]:
        """The names of the columns with their types: 'int64', 'float64', 'str', 'list<int64>'. Every value may be
        missing."""
        return {name: _TYPES[column.format] for name, column in self._columns(0).items()}

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return list(self.schema)

    def to_pandas(self, *, categories: bool = False) -> "pandas.DataFrame":
        """A pandas.DataFrame, without pyarrow. The types are the same whatever the data: texts are objects, or
        categories, lists are tuples, decimals float64; whole numbers are int64 where each row has one (rank, record,
        index, layer, table, row, copy), else Int64. A missing decimal is NaN, a missing text or list None."""
        pandas = importlib.import_module("pandas")
        numpy = importlib.import_module("numpy")

        columns = self._columns()
        first = next(iter(columns.values()))
        index = pandas.RangeIndex(len(first.values) // first.width)
        series = {name: column.to_series(pandas, numpy, categories, index) for name, column in columns.items()}
        return pandas.DataFrame(series, index=index, copy=False)

    def to_polars(self) -> "polars.DataFrame":
        """A polars.DataFrame (polars 1.3 or newer)."""
        polars = importlib.import_module("polars")

        return polars.DataFrame(self)

    def to_numpy(self) -> Dict[str, "numpy.ndarray[Any, Any]"]:
        """An array for each column: of int64, masked where some are missing; of float64, missing ones being NaN; of
        objects for texts, and tuples for lists."""
        return {name: column.to_numpy() for name, column in self._columns().items()}

    def to_pylist(self) -> List[Dict[str, Any]]:
        """A dict for each row. None is what is missing; NaN is NaN."""
        return list(self._rows(_ALL_ROWS))

    def head(self, n: int = 5) -> Rows:
        """The first rows. The rest of the files is not read (but of tables, to know their columns). head(-n) gives all
        rows but the last n, as in pandas."""
        n = operator.index(n)
        return self._rows(min(n, _ALL_ROWS)) if n >= 0 else Rows(self._rows(_ALL_ROWS)[:n])

    def _rows(self, most: int) -> Rows:
        columns = self._columns(most)
        return Rows(dict(zip(columns, row)) for row in zip(*(column.to_list() for column in columns.values())))

    def _repr_html_(self) -> str:
        try:
            return f"<p>{html.escape(repr(self))}</p>" + self.head(10)._repr_html_()
        except (ValueError, OSError) as e:
            return f"<p>{html.escape(repr(self))}</p><pre>{html.escape(str(e))}</pre>"


def columns(of: OfColumns = "operations") -> Rows:
    """The columns of a scan, or of one of the tables of a run ("ranks", "stages", "groups", "waits", "bandwidth",
    "remedies", "slowest_rank", and "answers" for its numbers as a whole), with their units and what they hold. Of the
    rows of profiler tables, these are the ones that are not the tables' own.

    >>> columns("sub_operations")[9]
    {'name': 'sub_duration_ms', 'unit': 'ms', 'meaning': 'how long the nested operation took'}
    """
    of = _OF_FORMAT.get(of, of)
    if of not in (*_CONTENTS, *COLUMNS):
        raise ValueError(f"{of!r}: one of {', '.join((*_CONTENTS, *_OF_FORMAT, *COLUMNS))} is expected")
    found: Any = columns_of(of) if of in COLUMNS else _wlfmt.columns_of(_CONTENTS.index(of))
    return Rows(dict(zip(("name", "unit", "meaning"), column)) for column in found)


def inputs_and_threads(sources: Any, threads: Optional[int]) -> Tuple[List[Input], int]:
    """The inputs, and how many threads read them: one, if there may be a pipe among them."""
    given = None if threads is None else count_of(threads, "threads")
    inputs, all_regular = inputs_of(sources)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return inputs, 1 if not all_regular else min(8, processors) if given is None else given


@described
def scan(sources: Union[Source, Iterable[Source]], of: Of = "operations",
         columns: Union[None, str, Sequence[str]] = None, ranks: Union[None, int, Iterable[int]] = None, *,
         lenient: bool = False, strict: bool = False, prefix: Optional[str] = None, batch_rows: int = 16384,
         threads: Optional[int] = None, mmap: bool = False) -> Scan:
    """Reads files as tables, lazily, in batches of rows.

    of       what a row is: "operations" or "sub_operations" of op logs, "layers" or "headers" of workload files,
             "rows" of profiler tables
    columns  the names of the columns that are wanted; the others are not decoded. None: all columns, which
             wlfmt.columns(of) describes. "canonical", of tables: one name and one unit for each quantity, whatever a
             version of PyTorch calls it (docs/formats.md, 7.1): self_device_time_us, calls, flops, ...
    ranks    of op logs, the ranks, or the rank, whose operations are wanted; of an empty list there are no rows. None:
             all ranks
    batch_rows  how many rows a batch has at most; of nested operations, up to the last one of an operation
    threads  how many threads read many files, or the pieces of a large op log; None: one for each processor, but 8 at
             most. The rows come in the order of the files, whatever the number. (Tables are read by one thread.)
    mmap     maps large files into memory in place of reading them, which takes a little less time and memory; but if
             another program cuts such a file short meanwhile, the system ends this process (SIGBUS)

    What is wrong in a file is an error of whatever reads the stream, with the file, line and column in its message; a
    missing file is an OSError at once.

    >>> scan(b"rank:0:forward_step(stage_id=0,duration=1.5)", columns=["rank", "duration_ms"]).to_pylist()
    [{'rank': 0, 'duration_ms': 1.5}]
    """
    if of not in _CONTENTS:
        raise ValueError(f"of={of!r}: one of {', '.join(_CONTENTS)} is expected")
    if strict and lenient:
        raise ValueError("strict and lenient exclude each other")
    canonical = columns == "canonical"
    if canonical and of != "rows":
        raise ValueError('columns="canonical": the columns of tables have other names; those of the rest do not')
    if isinstance(columns, (str, bytes)) and not canonical:
        raise TypeError("columns: a list of names is expected, not a single text")
    names = [] if columns is None or canonical else list(columns)
    if not all(isinstance(name, str) for name in names):
        raise TypeError("columns: names are texts")
    if not (names or columns is None or canonical):
        raise ValueError("columns: at least one name is expected, or None for all columns")
    given: Any = () if ranks is None else ranks if hasattr(ranks, "__iter__") else [ranks]
    # No record has a rank of more than 64 bits.
    chosen = [rank for rank in map(operator.index, given) if -_ALL_ROWS <= rank <= _ALL_ROWS]
    if ranks is not None and of not in ("operations", "sub_operations"):
        raise ValueError(f"ranks: {of} have no rank")
    inputs, most_threads = inputs_and_threads(sources, threads)
    if ranks is not None and not chosen:
        inputs = []  # an empty list of the module means all ranks
    return Scan(inputs, of, names, chosen, lenient, count_of(batch_rows, "batch_rows"), most_threads, mmap, canonical, strict,
                prefix_of(prefix))
