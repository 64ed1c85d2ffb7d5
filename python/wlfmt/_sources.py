"""What is read: paths, folders, open files and texts; and what is wrong with it."""

import collections.abc
import dataclasses
import glob
import importlib
import io
import os
import stat
import sys
import warnings
from typing import Any, BinaryIO, Dict, Iterable, List, Optional, Set, TextIO, Tuple, Union

from . import _wlfmt

Path = Union[str, bytes, "os.PathLike[str]"]
Source = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]", BinaryIO, TextIO]
Input = Tuple[bytes, Optional[bytes]]  # a name, and the text where it is no path

# Callers of the package read through these, and a warning is about the caller's line.
_LIBRARIES = ("wlfmt", "pandas", "polars", "pyarrow", "duckdb", "narwhals")
# The modules that read compressed files: imported for these alone, as not every Python was built with all of them.
_DECOMPRESSORS = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
_COMPRESSED = [suffix.encode() for suffix in _DECOMPRESSORS]
_ENCODING, _ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


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


def warn_of_problem(problem: Tuple[Any, ...]) -> None:
    warn(str(Problem(*problem)).rstrip("\n"))


def is_text(source: Any) -> bool:
    """Whether it is the text itself: bytes, or a str with a line end."""
    return isinstance(source, (bytes, bytearray, memoryview)) or (isinstance(source, str) and "\n" in source)


def input_of(source: Source, number: str = "") -> Input:
    """A source as the module takes it. `number` tells texts apart that have no name."""
    if isinstance(source, str) and "\n" in source:
        return f"<text{number}>".encode(), source.encode("utf-8", "surrogateescape")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return f"<bytes{number}>".encode(), bytes(source)
    if hasattr(source, "read") and not isinstance(source, dict):  # a Workload reads files, and is none
        text = source.read()
        if isinstance(text, str):
            text = text.encode("utf-8", "surrogateescape")
        name = getattr(source, "name", None)
        named = isinstance(name, (str, bytes, os.PathLike))
        return os.fsencode(name) if named else f"<file{number}>".encode(), bytes(text)  # type: ignore[arg-type]
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a path, an open file or the text as bytes is expected, not {type(source).__name__}")
    path = os.fspath(source)
    # A file that is missing is an OSError with its name. A pipe can let its reader wait, whom Ctrl-C wakes in Python.
    is_regular = stat.S_ISREG(os.stat(path).st_mode)
    module = _DECOMPRESSORS.get(os.path.splitext(path)[1])
    if is_regular and module is None:
        return os.fsencode(path), None
    with (importlib.import_module(module) if module else io).open(path, "rb") as file:
        return os.fsencode(path), file.read()


def _path_of(source: Any) -> bytes:
    """The path, as the system has it; empty of what is no path."""
    return os.fsencode(source) if isinstance(source, (str, os.PathLike)) and not is_text(source) else b""


def each_of(sources: Any) -> List[Any]:
    """The sources, of which one alone needs no list."""
    if isinstance(sources, (str, bytes, bytearray, memoryview, os.PathLike)) or hasattr(sources, "read"):
        return [sources]
    if not isinstance(sources, collections.abc.Iterable):
        raise TypeError("a path, an open file, the text as bytes, or several of these are expected, not "
                        f"{type(sources).__name__}")
    return list(sources)


def _files_of(folder: str) -> List[str]:
    """The files in a folder, without those whose names begin with a dot."""
    with os.scandir(folder) as entries:
        files = {e.name: e.is_file() for e in entries if not e.name.startswith(".")}
    names = sorted(name for name, is_file in files.items() if is_file)
    if not names:
        warn(f"{folder}: warning: the folder holds no file")
    for name in sorted(files.keys() - set(names)):
        warn(f"{os.path.join(folder, name)}: warning: only the files of a folder are read")
    return [os.path.join(folder, name) for name in names]


def inputs_of(sources: Union[Source, Iterable[Source]]) -> Tuple[List[Input], bool]:
    """The inputs that sources stand for: of a folder, its files; of a pattern such as `run/*.txt`, what it fits. And
    whether there are no files but regular ones: a pipe can let its reader wait."""
    inputs: List[Input] = []
    all_regular = True
    each = each_of(sources)
    paths = [one.encode(_ENCODING, _ERRORS) if type(one) is str and "\n" not in one else _path_of(one) for one in each]
    flags = _wlfmt.regular(paths, _COMPRESSED)
    # Runs have thousands of files, for each of which as little is done as can be.
    if b"\0" not in flags:
        return [(path, None) for path in paths], True
    texts = sum(1 for one in each if is_text(one) or hasattr(one, "read"))
    numbers = (f" {n}" if texts > 1 else "" for n in range(1, texts + 1))
    for one, encoded, is_regular in zip(each, paths, flags):
        if is_regular:
            inputs.append((encoded, None))
        elif is_text(one) or hasattr(one, "read"):
            inputs.append(input_of(one, next(numbers)))
        elif not isinstance(one, (str, os.PathLike)) or os.path.isfile(one):
            inputs.append(input_of(one))
        else:
            name = os.fsdecode(one)
            if glob.has_magic(name) and not os.path.lexists(name):
                found = sorted(glob.glob(name))
                if not found:
                    raise FileNotFoundError(2, "no file fits the pattern", name)
                more, regular = inputs_of(found)
                inputs += more
                all_regular = all_regular and regular
                continue
            mode = os.stat(name).st_mode
            if stat.S_ISDIR(mode):
                more, regular = inputs_of(_files_of(name))
                inputs += more
                all_regular = all_regular and regular
            else:
                inputs.append((encoded, None))
                all_regular = all_regular and stat.S_ISREG(mode)
    return inputs, all_regular
