"""What is read: paths, folders, open files and texts; and what is wrong with it."""

import ast
import collections.abc
import contextlib
import dataclasses
import glob
import importlib
import io
import json
import operator
import os
import re
import stat
import sys
import warnings
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Set, TextIO, Tuple, Union

from . import _wlfmt

Path = Union[str, bytes, "os.PathLike[str]"]
Source = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO, TextIO]
Target = Union[str, bytes, "os.PathLike[str]", BinaryIO, TextIO]


class Input(NamedTuple):
    """A source as the module takes it."""

    name: bytes
    text: Optional[bytes] = None  # None: `name` is a path


# Callers of the package read through these, and a warning is about the caller's line.
_LIBRARIES = ("wlfmt", "pandas", "polars", "pyarrow", "duckdb", "narwhals")
FORMATS = ("oplog", "workload", "table")
# The modules that read compressed files: imported for these alone, as not every Python was built with all of them.
DECOMPRESSORS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
# What Python reads and not the module: notebooks, and texts in quotes, which are JSON, too.
READ_HERE = (*DECOMPRESSORS, ".ipynb", ".json")
# The kinds of problems that are of a file itself, of which the system says what is wrong.
OF_FILES = ("cannot_open", "cannot_read", "is_directory")


class ParseWarning(UserWarning):
    """A problem that reading passed over: `lenient=True`, or one that is no more than a warning."""


@dataclasses.dataclass(frozen=True)
class Problem:
    """Something that is wrong with a file. `str()` of it is the place, the message, and the line with a caret."""

    kind: str  #: the kind of error, such as 'layer_count_mismatch'
    severity: str  #: 'error' if something of the file is lost or is not what it was meant to be, or 'warning'
    file: str
    line: Optional[int]  #: from 1; None if the problem has no place in the text
    column: Optional[int]  #: in bytes, from 1
    field: str  #: such as 'weight_grad.bytes'; '' if the problem is in no field
    message: str
    text: str = dataclasses.field(repr=False)

    def __str__(self) -> str:
        return self.text


class ParseError(ValueError):
    """A file that is not what it should be: a Problem as an exception, with what this has but severity and text. str()
    of it is the place, the message, and the line with a caret."""

    kind = ""
    file = ""
    line: Optional[int] = None
    column: Optional[int] = None
    field = ""
    message = ""


ParseError.__module__ = "wlfmt"


def error_of(problem: Problem, words: str = "") -> Exception:
    """The exception for a problem: of the file itself, what the system says of it. `words`: in place of the problem's."""
    if problem.kind in OF_FILES:
        try:
            with io.open(problem.file, "rb") as file:
                file.read(1)
        except OSError as e:
            return e
    error = ParseError((words or problem.text).rstrip("\n"))
    error.file = "" if problem.file == "wlfmt" else problem.file
    error.kind, error.message, error.field = problem.kind, problem.message, problem.field
    error.line, error.column = problem.line, problem.column
    return error


class Instead:
    """Says what to write in place of what is obvious, and is not there."""

    _instead = ""

    if not TYPE_CHECKING:  # nothing that a checker does not know is there

        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"{type(self).__name__} has no {name!r}: {self._instead}")


class NoRows(Instead):
    """What is not itself the rows that it has."""

    def __bool__(self) -> bool:
        return True

    if not TYPE_CHECKING:

        def __len__(self) -> int:
            raise TypeError(f"{type(self).__name__} has no length, no items and no rows of its own: {self._instead}")

        def __iter__(self) -> Any:
            return self.__len__()

        def __getitem__(self, name: Any) -> Any:
            return self.__len__()


def warn(words: str) -> None:
    """A warning that points at the line which called the package, directly or through a library of frames."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _LIBRARIES:
        level, frame = level + 1, frame.f_back
    warnings.warn(words, ParseWarning, stacklevel=level)


def warn_of_repeated(names: List[str]) -> None:
    """Warns of columns of one name: a dict or a frame has the first of them."""
    seen: Set[str] = set()
    for name in names:
        if name in seen:
            return warn(f"several columns are called {name!r}: only the values of the first are kept")
        seen.add(name)


def warn_of_problem(problem: Problem) -> None:
    warn(problem.text.rstrip("\n"))


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def count_of(number: int, name: str) -> int:
    """A number that is at least 1, and no larger than the module takes."""
    if operator.index(number) < 1:
        raise ValueError(f"{name}: at least 1 is expected")
    return min(operator.index(number), sys.maxsize)


def prefix_of(prefix: Optional[str]) -> Optional[bytes]:
    """As the module takes it: None is whatever each line has."""
    if prefix is not None and not isinstance(prefix, str):
        raise TypeError(f"prefix: a text is expected, not {type(prefix).__name__}")
    return None if prefix is None or prefix == "auto" else b"" if prefix == "none" else encoded(prefix)


def _open(path: Path, mode: str) -> IO[bytes]:
    """A file, which is compressed if its name says so."""
    module = DECOMPRESSORS.get(os.path.splitext(os.fsdecode(path))[1])
    found: IO[bytes] = (importlib.import_module(module) if module else io).open(path, mode)
    return found


def put(text: bytes, to: Target) -> None:
    """Writes to a path, whose ending says whether it is compressed, or to an open file."""
    if isinstance(to, (str, bytes, os.PathLike)):
        with _open(to, "wb") as file:
            file.write(text)
    else:
        output: Any = to
        output.write(decoded(text) if isinstance(to, io.TextIOBase) else text)


def _is_profile(source: Any) -> bool:
    """Whether it is a profiler of PyTorch, or its key_averages()."""
    return hasattr(source, "key_averages") or (isinstance(source, list) and callable(getattr(source, "table", None)))


def _table_of(profile: Any) -> str:
    """All rows, under their whole names where this version of PyTorch prints these."""
    averages = profile.key_averages() if hasattr(profile, "key_averages") else profile
    with contextlib.suppress(TypeError):
        return str(averages.table(row_limit=-1, max_name_column_width=None))
    return str(averages.table(row_limit=-1))


def _outputs_of(notebook: Any) -> Iterator[Tuple[str, str]]:
    """The texts that the cells of a notebook have printed, each with the name of its cell."""
    for number, cell in enumerate(notebook.get("cells") or (), 1):
        printed: Dict[str, str] = {}
        values: List[str] = []
        for output in cell.get("outputs") or () if isinstance(cell, dict) else ():
            text = output.get("text") or (output.get("data") or {}).get("text/plain") or ""
            text = "".join(text) if isinstance(text, list) else str(text)
            if "name" in output:
                printed[output["name"]] = printed.get(output["name"], "") + text
            else:
                values.append(_unquoted(text) or text)
        for text in (*printed.values(), *values):
            yield f"cell {number}", text


def _unquoted(text: str) -> str:
    """The text of a string as Python or JSON write it, with \\n for its line ends; empty of anything else."""
    text = text.strip()
    if text[:1] not in ("'", '"') or "\n" in text or "\\n" not in text:
        return ""
    with contextlib.suppress(ValueError, SyntaxError):
        found = ast.literal_eval(text)
        return found if isinstance(found, str) else ""
    return ""


def _texts_in(name: bytes, text: bytes) -> List[Input]:
    """A notebook stands for what its cells have printed of the three formats, and a quoted text for the text."""
    start = text[:4096].lstrip()[:1]
    found: List[Input] = []
    if start in (b"'", b'"'):
        unquoted = _unquoted(decoded(text))
        found = [Input(name, encoded(unquoted))] if unquoted else []
    elif start == b"{" and b'"cells"' in text:
        with contextlib.suppress(ValueError, AttributeError, TypeError):  # what is no notebook
            printed = [Input(name + b": " + cell.encode(), encoded(words)) for cell, words in _outputs_of(json.loads(text))]
            found = [one for one, kind in zip(printed, _wlfmt.formats(printed)) if kind in FORMATS]
    return found or [Input(name, text)]


def is_text(source: Any) -> bool:
    """Whether it is the text itself: bytes, or a str with a line end, which may be quoted."""
    if isinstance(source, str):
        return "\n" in source or ("\\n" in source and _unquoted(source) != "")
    return isinstance(source, (bytes, bytearray, memoryview))


def is_frame(value: Any) -> bool:
    """Whether it is a frame of pandas or polars, a table of pyarrow, or what scan() returns."""
    return hasattr(type(value), "columns") and any(hasattr(value, name) for name in ("to_dict", "to_dicts", "to_pylist"))


def is_path(source: Any) -> bool:
    """Whether it names files."""
    return isinstance(source, os.PathLike) or (isinstance(source, str) and not is_text(source))


def _is_in_memory(source: Any) -> bool:
    return (isinstance(source, Input) or is_text(source) or _is_profile(source) or
            (hasattr(source, "read") and not isinstance(source, dict)))  # a Workload reads files, and is none


def _refuse_what_is_no_source(source: Any) -> None:
    """A URL or a frame is an error that says what to pass."""
    if is_frame(source):
        raise TypeError("a frame is no source: pass the files that it was made of, or the text of wlfmt.write_oplog(frame)")
    if isinstance(source, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", source) and "\n" not in source:
        raise ValueError(f"{source}: a URL is not opened here: pass an open file, such as urllib.request.urlopen(url) or "
                         "fsspec.open(url).open()")


def _in_memory(source: Any, number: str) -> List[Input]:
    """The texts in what is in memory. `number` tells sources apart that have no name."""
    if isinstance(source, Input):
        return [source]
    if isinstance(source, str):
        kind, text = "text", encoded(source)
    elif isinstance(source, (bytes, bytearray, memoryview)):
        kind, text = "bytes", bytes(source)
    elif _is_profile(source):
        kind, text = "profile", encoded(_table_of(source))
    else:
        kind, read = "file", source.read()
        text = encoded(read) if isinstance(read, str) else bytes(read)
    name: Any = getattr(source, "name", None)
    is_named = kind == "file" and isinstance(name, (str, bytes, os.PathLike))
    return _texts_in(os.fsencode(name) if is_named else f"<{kind}{number}>".encode(), text)


def each_of(sources: Any) -> List[Any]:
    """The sources, of which one alone needs no list."""
    _refuse_what_is_no_source(sources)
    if is_path(sources) or _is_in_memory(sources):
        return [sources]
    if hasattr(sources, "read") or not isinstance(sources, collections.abc.Iterable):
        raise TypeError("a path, an open file, the text as bytes, or several of these are expected, not "
                        f"{type(sources).__name__}")
    each = list(sources)
    if not each:
        raise ValueError("there are no files")
    return each


def files_of(folder: str) -> List[str]:
    """The files in a folder, without those whose names begin with a dot."""
    with os.scandir(folder) as entries:
        files = {e.name: e.is_file() for e in entries if not e.name.startswith(".")}
    names = sorted(name for name, is_file in files.items() if is_file)
    if not names:
        warn(f"{folder}: warning: the folder holds no file")
    for name in sorted(files.keys() - set(names)):
        warn(f"{os.path.join(folder, name)}: warning: only the files of a folder are read")
    return [os.path.join(folder, name) for name in names]


def _files_that_fit(pattern: str) -> List[str]:
    """The files that a pattern stands for, which is a name if it has nothing that makes it one."""
    if not glob.has_magic(pattern) or os.path.lexists(pattern):
        os.stat(pattern)  # says why it is no file
    found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise FileNotFoundError(2, "no file fits the pattern", pattern)
    files: Dict[str, None] = {}
    for name in found:
        inside = glob.glob(os.path.join(glob.escape(name), "*"))
        if not inside or not set(found).issuperset(inside):  # `**` finds a folder and what is in it
            files.update(dict.fromkeys(files_of(name) if os.path.isdir(name) else [name]))
    return list(files)


def inputs_of(sources: Any, reads_pipes: bool = False) -> Tuple[List[Input], bool]:
    """The inputs that sources stand for: of a folder, its files; of a pattern such as `run/*.txt`, what it fits. And
    whether there are no files but regular ones: a pipe can let its reader wait, whom Ctrl-C wakes if it is read here."""
    inputs: List[Input] = []
    all_regular = True
    each = each_of(sources)
    texts = sum(map(_is_in_memory, each))
    numbers = (f" {n}" if texts > 1 else "" for n in range(1, texts + 1))
    for one in each:
        if _is_in_memory(one):
            inputs += _in_memory(one, next(numbers))
            continue
        _refuse_what_is_no_source(one)
        if not is_path(one):
            raise TypeError(f"a path, an open file or the text as bytes is expected, not {type(one).__name__}")
        name = os.fsdecode(one)
        try:
            mode = os.stat(name).st_mode
        except OSError:
            mode = 0
        if not mode or stat.S_ISDIR(mode):
            for found in map(inputs_of, files_of(name) if mode else _files_that_fit(name)):
                inputs += found[0]
                all_regular = all_regular and found[1]
        elif name.endswith(READ_HERE) or (reads_pipes and not stat.S_ISREG(mode)):
            with _open(name, "rb") as file:
                inputs += _texts_in(os.fsencode(name), file.read())
        else:
            inputs.append(Input(os.fsencode(name)))
            all_regular = all_regular and stat.S_ISREG(mode)
    return inputs, all_regular


def texts_of(source: Any) -> List[Input]:
    """The inputs that a single source stands for."""
    if isinstance(source, collections.abc.Iterable) and not (is_path(source) or _is_in_memory(source) or is_frame(source)):
        raise TypeError(f"a path, an open file or the text as bytes is expected, not {type(source).__name__}; scan() and "
                        "open() take several")
    inputs = inputs_of(source, reads_pipes=True)[0]
    if is_path(source) and len(inputs) != 1 and not os.path.isfile(os.fsdecode(source)):  # a folder, or a pattern
        raise ValueError(f"{os.fsdecode(source)}: {len(inputs)} files; scan() and open() take several, this takes one")
    return inputs
