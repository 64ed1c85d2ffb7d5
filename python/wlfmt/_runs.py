"""What the command says of files: sums, answers, pictures, comparisons. The package brings the command, and runs it."""

import base64
import contextlib
import io
import json
import operator
import os
import re
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NoReturn, Optional, Sequence, Tuple, Union

from . import _wlfmt
from ._records import Record, Target, _many, read_table
from ._rows import Rows
from ._scan import _CONTENTS, Scan, count_of, processors
from ._sources import _DECOMPRESSORS, Input, Path, Problem, Source, each_of, inputs_of, warn
from ._wlfmt import ParseError


# Longer lists of names might not fit on a command line: a folder of links to the files takes their place.
_MOST_CHARACTERS = 100000


def _command() -> str:
    name = "wlfmt.exe" if os.name == "nt" else "wlfmt"
    return os.path.join(os.path.dirname(__file__), "_bin", name)


def _raise(said: str) -> NoReturn:
    error = ParseError(said)
    error.message = said
    place = re.match(r"(.*?)(?::(\d+):(\d+))?: error: (?:(\w+): )?(.*)", said)
    if place:
        error.file, error.kind, error.message = place[1], place[4] or "", place[5]
        error.line, error.column = (int(place[2]), int(place[3])) if place[2] else (None, None)
    raise error


def _run(command: str, options: Sequence[str], words: Sequence[str], text: bytes = b"", lenient: bool = False,
         names: Mapping[str, str] = {}, fine: Sequence[int] = (0,)) -> str:
    """What the command prints. `words` are names of files, and other words that are no options whatever they begin with;
    `names` are those of the files that stand for texts."""
    import subprocess  # not with the package, which would take longer to import

    done = subprocess.run([_command(), command, *options, "--", *words], input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "replace").strip()
    for path, name in names.items() if said else ():
        said = said.replace(path, name)
    good = done.returncode in fine or (lenient and done.returncode == 1 and done.stdout)
    if not lenient and re.search(r"^[^\n]*: error: ", said, re.M):
        good = False  # of a comparison, whose status says that there are differences, too
    if not good and (done.returncode < 0 or not said):  # a signal
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    if not good:
        _raise(said)
    if said:
        warn(said)
    return done.stdout.decode("utf-8", "surrogateescape")


def _options(options: Mapping[str, Any]) -> List[str]:
    """Options of the command: top=3 is --top=3, only_ranks=[1, 2] is --only-ranks=1,2, strict=True is --strict."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            words.append(option)
        elif isinstance(value, (list, tuple, range)):
            words.append(f"{option}={','.join(map(str, value))}")
        elif value is not None and value is not False:
            words.append(f"{option}={value}")
    return words


def _path(path: str) -> str:
    """The command takes "-" for its input."""
    return os.path.join(".", path) if path == "-" else path


@contextlib.contextmanager
def _as_files(sources: Any) -> Iterator[Tuple[List[str], Dict[str, str]]]:
    """Paths of the sources; texts are written to files. And the names of these."""
    each = each_of(sources.inputs if isinstance(sources, Run) else sources)
    paths: List[str] = []
    names: Dict[str, str] = {}
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for one in each:
            is_path = isinstance(one, (str, os.PathLike)) and not (isinstance(one, str) and "\n" in one)
            if is_path and os.path.isdir(os.fsdecode(one)):
                paths.append(_path(os.fsdecode(one)))
                continue
            inputs: List[Any] = [one] if isinstance(one, tuple) else inputs_of([one])[0]
            for name, text in inputs:
                path = os.fsdecode(name)
                if text is not None:
                    stem, suffix = os.path.splitext(os.path.basename(path))
                    base = stem if suffix in _DECOMPRESSORS else stem + suffix
                    base = "text" if base in ("", ".", "..") else base
                    os.mkdir(os.path.join(folder, str(len(names))))
                    path = os.path.join(folder, str(len(names)), base)
                    names[path] = os.fsdecode(name)
                    with open(path, "wb") as file:
                        file.write(text)
                paths.append(_path(path))
        if not paths:
            raise ValueError("there are no files")
        bases = {os.path.basename(path): path for path in paths}
        if sum(map(len, paths)) > _MOST_CHARACTERS and len(bases) == len(paths):
            run = os.path.join(folder, "run")
            os.mkdir(run)
            for base, path in bases.items():
                os.symlink(os.path.abspath(path), os.path.join(run, base))
                names[os.path.join(run, base)] = names.get(path, path)
            paths = [run]
        yield paths, names


class Answers(Dict[str, Any]):
    """What the command says of files, as `wlfmt summary --json` (docs/scale.md). Its members are attributes, too, and
    its lists of objects, such as `ranks` and `stages`, become frames: `answers.ranks.to_pandas()`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; there are {', '.join(self)}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]

    def __repr__(self) -> str:
        return f"<wlfmt.Answers: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        return Rows({"": name, "value": value} for name, value in self.items()
                    if not isinstance(value, (dict, list)))._repr_html_()


def _as_answers(value: Any) -> Any:
    if isinstance(value, dict):
        return Answers((name, _as_answers(member)) for name, member in value.items())
    if isinstance(value, list):
        items = [_as_answers(item) for item in value]
        return Rows(items) if items and all(isinstance(item, dict) for item in items) else items
    return value


def _rows_of(lines: str) -> Rows:
    return Rows(_as_answers(json.loads(line)) for line in lines.split("\n") if line)


def _answers_of(lines: str) -> Any:
    """Of one run, or one file, its answers; of several files, those of each."""
    found = _rows_of(lines)
    return found[0] if len(found) == 1 else found


class Summary(Dict[str, Any]):
    """A summary as a dict. Its sums can have more digits than a float: `line` is the JSON text with all of them."""

    line: str = ""

    def exact(self) -> str:
        """The JSON text: `line`, unless the dict was changed since."""
        if self.line and json.loads(self.line) == self:
            return self.line
        return _line(self)

    @property
    def answers(self) -> Any:
        """Every number of `wlfmt summary --json`: work, waiting and what cannot be told, by rank, stage and group."""
        return _answers_of(_run("merge", ["--json"], ["-"], (self.exact() + "\n").encode("utf-8", "surrogateescape")))

    def __repr__(self) -> str:
        return f"<wlfmt.Summary: {', '.join(f'{k}={v}' for k, v in self.items() if isinstance(v, (int, float)))}>"


def _line(summary: Record) -> str:
    return json.dumps(summary, separators=(",", ":"), ensure_ascii=False)


def _summary_of(printed: str) -> Summary:
    line = printed.rstrip("\n")
    result = Summary(json.loads(line))
    result.line = line
    return result


def summary(sources: Union[Path, Iterable[Path]], *, share: Optional[Tuple[int, int]] = None,
            threads: Optional[int] = None, lenient: bool = False) -> Summary:
    """What the op logs of a run say in sum, as `wlfmt summary --partial` does: a dict that `merge` takes (docs/scale.md
    says what is in it). Of a folder, the newest file of each rank. `.answers` has what can be concluded.

    share    (n, m): of the files that are chosen among all, every m-th from the n-th on (from 0), which is the part of
             one of m tasks
    threads  how many threads read; None: one for each processor
    lenient  what cannot be read is a warning, and the sums are those of the rest
    """
    paths = [os.fsdecode(p) for p in each_of(sources)]
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
        how.append(f"-j{count_of(threads, 'threads')}")
    return _summary_of(_run("summary", ["--partial", *how], [_path(path) for path in paths], lenient=lenient))


def merge(summaries: Iterable[Record]) -> Summary:
    """The sum of summaries of different ranks, or of different parts of a log, in any order."""
    lines = "".join((s.exact() if isinstance(s, Summary) else _line(s)) + "\n" for s in _many(summaries, "summaries"))
    if not lines:
        raise ValueError("there are no summaries to merge")
    return _summary_of(_run("merge", ["--partial"], ["-"], lines.encode("utf-8", "surrogateescape")))


class Picture(str):
    """A picture as SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<wlfmt.Picture: {len(self)} characters of SVG>"


class Page(str):
    """A page as HTML, which notebooks show in a frame of its own."""

    def _repr_html_(self) -> str:
        page = base64.b64encode(self.encode("utf-8", "surrogateescape")).decode()
        return f'<iframe src="data:text/html;base64,{page}" style="width:100%;height:900px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<wlfmt.Page: {len(self)} characters of HTML>"


def _put(text: str, to: Target) -> str:
    if to is None:
        return text
    if isinstance(to, (str, bytes, os.PathLike)):
        with open(to, "wb") as file:
            file.write(text.encode("utf-8", "surrogateescape"))
    else:
        output: Any = to
        output.write(text if isinstance(to, io.TextIOBase) else text.encode("utf-8", "surrogateescape"))
    return text


def _printed(command: str, sources: Any, lenient: bool, options: Mapping[str, Any]) -> str:
    with _as_files(sources) as (paths, names):
        return _run(command, _options(options), paths, lenient=lenient, names=names)


def plot(sources: Any, to: Target = None, *, lenient: bool = False, **options: Any) -> Picture:
    """A picture of a run, a workload file or a table, as `wlfmt plot` draws it, whose options it takes."""
    return Picture(_put(_printed("plot", sources, lenient, options), to))


def report(sources: Any, to: Target = None, *, lenient: bool = False, **options: Any) -> Page:
    """A page that explains a run, a workload file or tables, as `wlfmt report` writes it, whose options it takes."""
    return Page(_put(_printed("report", sources, lenient, options), to))


def timeline(sources: Any, to: Target = None, *, lenient: bool = False, **options: Any) -> str:
    """Op logs or a workload file as Trace Event JSON, for Perfetto, as `wlfmt timeline` writes it, whose options it
    takes."""
    return _put(_printed("timeline", sources, lenient, options), to)


def diff(before: Any, after: Any, *, lenient: bool = False, **options: Any) -> Rows:
    """What is different in the second one: what `wlfmt diff --json` says, whose options it takes. `before` and `after`
    are folders, files or texts."""
    with _as_files(before) as (a, names), _as_files(after) as (b, more):
        if len(a) != 1 or len(b) != 1:
            raise ValueError("two files or two folders are compared")
        return _rows_of(_run("diff", ["--json", *_options(options)], [*a, *b], names={**names, **more}, fine=(0, 1),
                             lenient=lenient))


def chakra(sources: Any, prefix: Path, *, lenient: bool = False, **options: Any) -> str:
    """Writes Chakra execution traces for ASTRA-sim 2, prefix.N.et for each rank and what configures the simulator, as
    `wlfmt chakra` does, whose options it takes. Returns the commands that simulate them."""
    with _as_files(sources) as (paths, names):
        return _run("chakra", [*_options(options), "-o", os.fsdecode(prefix)], paths, lenient=lenient, names=names)


def set_values(source: Source, values: Mapping[str, Any], to: Target = None) -> str:
    """The text of a file with other values, every other byte as it is.

    >>> set_values("DATA\\n1\\nfc -1 5 NONE 0 6 NONE 0 7 NONE 0 10\\n", {"layers.0.forward.compute": 9}).split()[4]
    '9'
    """
    for path in values:
        if "=" in path:
            raise ValueError(f"{path!r}: a path has no =")
    words = [f"{path}={'None' if value is None else value}" for path, value in values.items()]
    with _as_files([source]) as (paths, names):
        if len(paths) != 1 or os.path.isdir(paths[0]):
            raise ValueError("values are set in a single file")
        return _put(_run("set", [], [*paths, *words], names=names), to)


class Run:
    """Files as one: what `open` returns.

    files       a status for each file: "read", "damaged" (read as far as it can be), "older" (a newer run has the same
                rank), "repeated", "foreign" (none of the three formats), "empty", "unreadable"
    operations, sub_operations, layers, headers, rows   frames of what is read, as scan() gives them
    tables      the profiler tables, as read_table() gives them
    problems    what is wrong with the files, and with the run: calls that a rank lacks and others have, messages between
                stages without another end
    answers     what can be concluded, as `wlfmt summary --json` says it
    """

    def __init__(self, inputs: List[Input], threads: int) -> None:
        self._threads = threads
        formats = _wlfmt.formats(inputs)
        # A compressed file is a text with the name of a file.
        logs = [n for n, kind in enumerate(formats)
                if kind == "oplog" and (inputs[n][1] is None or _wlfmt.facts(inputs[n][0])[0] is not None)]
        named = [inputs[n][0] for n in logs]
        chosen, older, repeated, missing, contradictions = _wlfmt.choose(named)
        self._status = ["read" if kind in ("oplog", "workload", "table") else "foreign" if kind == "unknown" else kind
                        for kind in formats]
        for positions, status in ((older, "older"), (repeated, "repeated")):
            for n in positions:
                self._status[logs[n]] = status
        # An op log that is empty is one of a rank all the same.
        self._all = inputs
        self._formats = formats
        self._problems: Optional[List[Problem]] = None
        told = [(status, [os.fsdecode(name) for (name, _), s in zip(inputs, self._status) if s == status])
                for status in ("older", "repeated", "foreign", "empty", "unreadable")]
        words = {"older": "of an earlier run", "repeated": "named twice", "foreign": "of none of the three formats",
                 "empty": "empty", "unreadable": "not readable"}
        for status, paths in told:
            if paths:
                some = ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else "")
                warn(f"left out as {'it is' if len(paths) == 1 else 'they are'} {words[status]}: {some}")
        for sentence in contradictions:
            warn(f"file names: {sentence}")
        if missing and len(chosen) > 1:
            ranges = ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in missing)
            warn(f"there is no file of rank {ranges}")

    @property
    def inputs(self) -> List[Input]:
        """The names of what is read, each with its text where it is no path."""
        return [one for one, status in zip(self._all, self._status) if status == "read"]

    def _of(self, kind: str) -> List[Input]:
        return [one for one, status, k in zip(self._all, self._status, self._formats) if (status, k) == ("read", kind)]

    def _scan(self, of: str, kind: str) -> Scan:
        return Scan(self._of(kind), _CONTENTS.index(of), [], [], True, 16384, self._threads, False)

    @property
    def operations(self) -> Scan:
        return self._scan("operations", "oplog")

    @property
    def sub_operations(self) -> Scan:
        return self._scan("sub_operations", "oplog")

    @property
    def layers(self) -> Scan:
        return self._scan("layers", "workload")

    @property
    def headers(self) -> Scan:
        return self._scan("headers", "workload")

    @property
    def rows(self) -> Scan:
        return self._scan("rows", "table")

    @property
    def tables(self) -> List[Record]:
        return [table for name, text in self._of("table")
                for table in read_table(os.fsdecode(name) if text is None else text, lenient=True)]

    @property
    def problems(self) -> List[Problem]:
        if self._problems is None:
            self._problems = [Problem(*problem) for problem in _wlfmt.check(self.inputs, 0)]
        return self._problems

    @property
    def files(self) -> Rows:
        damaged = {p.file for p in self.problems if p.severity == "error"}
        rows = Rows()
        for (name, _), kind, status in zip(self._all, self._formats, self._status):
            path = os.fsdecode(name)
            rank, time = _wlfmt.facts(name)
            rows.append({"file": path, "format": kind, "rank": rank, "run": time,
                         "status": "damaged" if status == "read" and path in damaged else status})
        return rows

    @property
    def answers(self) -> Any:
        return _answers_of(self._printed("summary", {"json": True}))

    def _printed(self, command: str, options: Mapping[str, Any]) -> str:
        return _printed(command, self, True, options)

    def plot(self, to: Target = None, **options: Any) -> Picture:
        return plot(self, to, lenient=True, **options)

    def report(self, to: Target = None, **options: Any) -> Page:
        return report(self, to, lenient=True, **options)

    def timeline(self, to: Target = None, **options: Any) -> str:
        return timeline(self, to, lenient=True, **options)

    def __repr__(self) -> str:
        counts = [(sum(1 for kind, s in zip(self._formats, self._status) if (kind, s) == (k, "read")), k)
                  for k in ("oplog", "workload", "table")]
        out = sum(1 for status in self._status if status != "read")
        words = [f"{count} {kind}" for count, kind in counts if count] + ([f"{out} left out"] if out else [])
        return f"<wlfmt.Run: {', '.join(words) or 'no files'}>"

    def _repr_html_(self) -> str:
        return f"<p>{repr(self)[1:-1]}</p>" + self.files._repr_html_()


def open_run(sources: Any, *, threads: Optional[int] = None) -> Run:
    """A folder, files, patterns such as run/*.txt, compressed files, texts, or several of these as one object.

    Of repeated runs the newest is read; what is none of the three formats, or empty, is left out; a warning tells both.
    Whatever of a file can be read is read: `.problems` and `.files` say what is wrong.

    >>> run = open_run(b"rank:0:forward_step(stage_id=0,duration=1.5)")
    >>> run, run.operations.to_pylist()[0]["duration_ms"], run.files[0]["status"]
    (<wlfmt.Run: 1 oplog>, 1.5, 'read')
    """
    inputs, all_regular = inputs_of(sources)
    if threads is not None:
        threads = count_of(threads, "threads")
    return Run(inputs, 1 if not all_regular else min(8, processors()) if threads is None else threads)
