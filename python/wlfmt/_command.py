"""The command, which the module has in it: called in this process."""

import contextlib
import dataclasses
import io
import operator
import os
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from . import _wlfmt
from ._progress import Progress, reporter
from ._sources import _READ_HERE, Problem, count_of, decoded, each_of, files_of, inputs_of, is_text, warn
from ._wlfmt import ParseError

Options = Union[None, bool, int, float, str, Iterable[Any]]


def _raise(said: Sequence[Problem]) -> NoReturn:
    """The first error that the command has told, with all that it has said; a sentence alone is about the arguments."""
    words = "".join(one.text for one in said).rstrip("\n")
    for one in said:
        if one.severity == "error":
            error = ParseError(words)
            error.file = "" if one.file == "wlfmt" else one.file
            error.kind, error.message, error.field = one.kind, one.message, one.field
            error.line, error.column = one.line, one.column
            raise error
    raise ValueError("\n".join(one.message for one in said) or "the command has failed")


def run_command(command: str, options: Sequence[str], words: Sequence[str], names: Mapping[str, str] = {},
                progress: Progress = None) -> Tuple[int, str, List[Problem]]:
    """The status of a command, what it prints, and what it says beside it. `words` are names of files, and other words
    that are no options whatever they begin with; `names` are those of the files that stand for texts, which nobody is to
    see by the names that they have meanwhile."""
    arguments = [os.fsencode(word) for word in (command, *options, "--", *words)]
    if any(b"\0" in argument for argument in arguments):
        raise ValueError("embedded null byte")
    with reporter(progress) as report:
        status, output, said = _wlfmt.run(arguments, report)
    printed = decoded(output)
    found = [Problem(*one) for one in said]
    for path, name in names.items():
        found = [dataclasses.replace(one, file=one.file.replace(path, name), message=one.message.replace(path, name),
                                     text=one.text.replace(path, name)) for one in found]
        # What is printed may have the rest of the name in another spelling.
        printed = printed.replace(os.path.dirname(path) + os.sep, os.path.join(os.path.dirname(name), ""))
    return status, printed, found


def run(command: str, options: Sequence[str], words: Sequence[str], lenient: bool = False,
        names: Mapping[str, str] = {}, progress: Progress = None) -> str:
    """What the command prints."""
    return run_to_end(command, options, words, lenient, names, progress=progress)[0]


def run_to_end(command: str, options: Sequence[str], words: Sequence[str], lenient: bool = False,
               names: Mapping[str, str] = {}, fine: Sequence[int] = (0,),
               progress: Progress = None) -> Tuple[str, int, bool]:
    """What the command prints, its status, and whether it has told of an error, which `lenient` passes over."""
    status, printed, said = run_command(command, options, words, names, progress)
    has_error = any(one.severity == "error" for one in said)
    # The status of a comparison says that there are differences, too.
    good = (status in fine and not has_error) or (lenient and (status in fine or (status == 1 and printed != "")))
    if not good:
        _raise(said)
    if said:
        warn("".join(one.text for one in said).rstrip("\n"))
    return printed, status, has_error


def options_of(**options: Any) -> List[str]:
    """Options of the command: top=3 is --top=3, only_ranks=[1, 2] is --only-ranks=1,2, strict=True is --strict."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, bool):
            words += [option] * value
        elif isinstance(value, (str, float)):
            words.append(f"{option}={value}")
        elif hasattr(value, "__iter__"):
            words.append(f"{option}={','.join(map(str, value))}")
        elif value is not None:
            words.append(f"{option}={operator.index(value)}")
    return words


def threads_of(threads: Optional[int]) -> List[str]:
    return [] if threads is None else [f"-j{count_of(threads, 'threads')}"]


def _path(path: str) -> str:
    """The command takes "-" for its input."""
    return os.path.join(".", path) if path == "-" else path


def _is_read_by_command(folder: str) -> bool:
    """Whether the command can read the files of a folder itself."""
    with os.scandir(folder) as entries:
        return not any(entry.name.endswith(_READ_HERE) for entry in entries)


@contextlib.contextmanager
def as_files(sources: Any, as_one: bool = False) -> Iterator[Tuple[List[str], Dict[str, str]]]:
    """Paths of the sources; texts are written to files. And the names of these. `as_one`: a single file or folder."""
    each = each_of(sources.inputs if hasattr(type(sources), "inputs") else sources)
    paths: List[str] = []
    names: Dict[str, str] = {}
    import tempfile  # not with the package, which would take longer to import

    with tempfile.TemporaryDirectory() as folder:
        for one in each:
            is_path = isinstance(one, (str, os.PathLike)) and not is_text(one)
            name = os.fsdecode(one) if is_path else ""
            if as_one and os.path.isdir(name):
                only = files_of(name)  # of a folder that holds a single file, this, whatever it is
                name = only[0] if len(only) == 1 else name
            is_file = os.path.isfile(name) and not name.endswith(_READ_HERE)
            if is_file or (os.path.isdir(name) and _is_read_by_command(name)):
                paths.append(_path(name))
                continue
            inputs: List[Any] = [one] if isinstance(one, tuple) else inputs_of([name or one])[0]
            for encoded_name, text in inputs:
                path = os.fsdecode(encoded_name)
                if text is not None:
                    stem, suffix = os.path.splitext(os.path.basename(path))
                    base = stem if suffix in _READ_HERE else stem + suffix
                    base = "text" if base in ("", ".", "..") else base
                    os.mkdir(os.path.join(folder, str(len(names))))
                    path = os.path.join(folder, str(len(names)), base)
                    names[path] = os.fsdecode(encoded_name)
                    with io.open(path, "wb") as file:
                        file.write(text)
                paths.append(_path(path))
        if not paths:
            raise ValueError("there are no files")
        bases = {os.path.basename(path): path for path in paths}
        if as_one and len(paths) > 1 and len(bases) != len(paths):
            raise ValueError("several files have one name: pass one file or one folder")
        if as_one and len(paths) > 1:
            run = os.path.join(folder, "run")
            os.mkdir(run)
            for base, path in bases.items():
                os.symlink(os.path.abspath(path), os.path.join(run, base))
                names[os.path.join(run, base)] = names.get(path, path)
            names[run] = f"{len(paths)} files"
            paths = [run]
        yield paths, names


def printed_by(command: str, sources: Any, lenient: bool, options: Sequence[str], progress: Progress = None) -> str:
    """What the command prints of sources."""
    with as_files(sources) as (paths, names):
        return run(command, options, paths, lenient=lenient, names=names, progress=progress)
