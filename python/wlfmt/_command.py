"""The command, which the module has in it: called in this process."""

import operator
import os
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _wlfmt
from ._progress import Progress, reporter
from ._sources import READ_HERE, Input, Problem, count_of, decoded, each_of, error_of, files_of, inputs_of, is_path, warn

Options = Union[None, bool, int, float, str, Iterable[Any]]


def _path(path: str) -> str:
    """The command takes "-" for its input."""
    return os.path.join(".", path) if path == "-" else path


def _is_read_by_command(folder: str) -> bool:
    """Whether the command can read the files of a folder itself."""
    with os.scandir(folder) as entries:
        return not any(entry.name.endswith(READ_HERE) for entry in entries)


class Files:
    """Sources as the command takes them: the names of files and folders, of which some stand for a text, or for several
    files."""

    def __init__(self, sources: Any = None) -> None:
        self.names: List[str] = []
        self.texts: Dict[bytes, bytes] = {}
        self.folders: Dict[bytes, List[bytes]] = {}
        if sources is not None:
            self.add(sources)

    def add(self, sources: Any) -> None:
        for one in each_of(sources.inputs if hasattr(type(sources), "inputs") else sources):
            name = os.fsdecode(one) if is_path(one) else ""
            if os.path.isdir(name) and _is_read_by_command(name):
                self.names.append(_path(name))
            else:
                self.names += map(self._name_of, inputs_of([one])[0])

    def add_one(self, sources: Any) -> None:
        """Adds what is a single file, or a run: several files are a folder. Of a folder that holds a single file this is
        added, whatever it is."""
        before, self.names = self.names, []
        files = files_of(os.fsdecode(sources)) if is_path(sources) and os.path.isdir(sources) else []
        self.add(files if len(files) == 1 else sources)
        if len(self.names) > 1:
            name = f"{len(self.names)} files" + " too" * (len(self.folders) != 0)
            self.folders[name.encode()] = [os.fsencode(one) for one in self.names]
            self.names = [name]
        self.names = before + self.names

    def _name_of(self, one: Input) -> str:
        """Each text has a name of its own."""
        name = os.fsdecode(one.name)
        if one.text is None:
            return _path(name)
        tried, number = name, 1
        while self.texts.setdefault(os.fsencode(tried), one.text) != one.text:
            number += 1
            tried = f"{name} ({number})"
        return tried


def call_command(command: str, options: Sequence[str], files: Files, words: Sequence[str] = (), progress: Progress = None,
                 take: Optional[Callable[[bytes], Any]] = None,
                 ends_at_error: bool = False) -> Tuple[int, bytes, List[Problem]]:
    """The status of a command, what it prints, and what it says beside it. `words` follow the names of the files. `take`
    is called with whole lines of what is printed, which is then not returned."""
    arguments = [os.fsencode(word) for word in (command, *options, "--", *files.names, *words)]
    if any(b"\0" in argument for argument in arguments):
        raise ValueError("embedded null byte")
    with reporter(progress) as report:
        return _wlfmt.run(arguments, [*files.texts.items()], [*files.folders.items()], ends_at_error, report, take)


def run_to_end(command: str, options: Sequence[str], files: Files, words: Sequence[str] = (), lenient: bool = False,
               fine: Sequence[int] = (0,), progress: Progress = None) -> Tuple[str, int, bool]:
    """What the command prints, its status, and whether it has told of an error, which `lenient` passes over."""
    status, printed, said = call_command(command, options, files, words, progress)
    has_error = any(one.severity == "error" for one in said)
    # The status of a comparison says that there are differences, too.
    good = (status in fine and not has_error) or (lenient and (status in fine or (status == 1 and printed != b"")))
    told = "".join(one.text for one in said).rstrip("\n")
    if not good:
        for one in said:
            if one.severity == "error":
                raise error_of(one, told)
        # Sentences alone are about the arguments.
        raise ValueError("\n".join(one.message for one in said) or "the command has failed")
    if told:
        warn(told)
    return decoded(printed), status, has_error


def options_of(**options: Any) -> List[str]:
    """Options of the command: top=3 is --top=3, only_ranks=[1, 2] is --only-ranks=1,2, strict=True is --strict, threads=2
    is -j2, and a table, which is counted from 0 here, is counted from 1."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is not None and name in ("threads", "table"):
            words.append(f"-j{count_of(value, name)}" if name == "threads" else f"{option}={operator.index(value) + 1}")
        elif isinstance(value, bool):
            words += [option] * value
        elif isinstance(value, (str, float)):
            words.append(f"{option}={value}")
        elif hasattr(value, "__iter__"):
            words.append(f"{option}={','.join(map(str, value))}")
        elif value is not None:
            words.append(f"{option}={operator.index(value)}")
    return words


def printed_by(command: str, sources: Any, lenient: bool, options: Sequence[str], progress: Progress = None) -> str:
    """What the command prints of sources."""
    return run_to_end(command, options, Files(sources), lenient=lenient, progress=progress)[0]
