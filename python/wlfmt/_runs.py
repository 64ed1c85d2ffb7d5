"""What the command says of files: sums, answers, pictures, comparisons."""

import base64
import functools
import io
import json
import operator
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import _wlfmt
from ._answers import Answers, as_answers, table_of
from ._arguments import described
from ._command import Files, Options, options_of, printed_by, run_to_end
from ._progress import Progress
from ._records import Record, _is_missing, _many, problems_of, read_table, write_table
from ._rows import Rows
from ._scan import Of, Scan, inputs_and_threads
from ._sources import (DECOMPRESSORS, FORMATS, Input, Instead, NoRows, Path, Problem, Target, decoded, encoded, put,
                       texts_of, warn)

# `open` and `set` are the package's own here.


def _answers_of(lines: str) -> List[Answers]:
    return [as_answers(json.loads(line)) for line in lines.split("\n") if line]


class Summary(Instead, Dict[str, Any]):
    """A summary as a dict. Its sums can have more digits than a float: `line` is the JSON text with all of them."""

    _instead = 'summary["operations"] is one of its sums, and summary.answers has the tables: summary.answers.ranks'
    def __init__(self, line: str = "{}", sizes: Sequence[str] = ()) -> None:
        super().__init__(json.loads(line))
        self.line = line
        self._sizes = sizes

    def exact(self) -> str:
        """The JSON text: `line`, unless the dict was changed since."""
        return self.line if json.loads(self.line) == self else _as_line(self)

    @property
    def answers(self) -> Answers:
        """Every number of `wlfmt summary --json`: work, waiting and what cannot be told, by rank, stage and group. Ranks
        that are missing are a warning."""
        (found,) = _answers_of(printed_by("merge", [Input(b"<summary>", encoded(self.exact() + "\n"))], True, ["--json", *self._sizes]))
        return found

    def __repr__(self) -> str:
        return f"<wlfmt.Summary: {', '.join(f'{k}={v}' for k, v in self.items() if isinstance(v, (int, float)))}>"


def _as_line(summary: Record) -> str:
    return json.dumps(summary, separators=(",", ":"), ensure_ascii=False)


@described
def summary(sources: Any, *, by: Iterable[str] = (), share: Optional[Tuple[int, int]] = None,
            expect: Optional[int] = None, world_size: Optional[int] = None, tp: Optional[int] = None,
            pp: Optional[int] = None, ep: Optional[int] = None, threads: Optional[int] = None,
            prefix: Optional[str] = None, strict: bool = False, lenient: bool = False,
            progress: Progress = None) -> Summary:
    """What the op logs of a run say in sum, as `wlfmt summary --partial` does: a dict that `merge` takes (docs/scale.md
    says what is in it). Of a folder, the newest file of each rank. `.answers` has what can be concluded.

    by        the breakdowns, each several of operation, collective, group, stage, state, rank, joined with commas:
              ["operation", "rank,stage"]; none: operation, collective with its group, and stage
    share     (n, m): of the files that are chosen among all, every m-th from the n-th on (from 0), which is the part of
              one of m tasks
    """
    dimensions = [by] if isinstance(by, str) else by
    how = ["--partial", *(f"--by={one}" for one in dimensions)]
    if share is not None:
        part, parts = (operator.index(n) for n in share)
        if not 0 <= part < parts:
            raise ValueError(f"share=({part}, {parts}): (n, m) with 0 <= n < m is expected")
        how.append(f"--share={part}/{parts}")
    how += options_of(expect=expect, threads=threads, prefix=prefix, strict=strict)
    printed = printed_by("summary", sources, lenient, how, progress)
    return Summary(printed.rstrip("\n"), options_of(world_size=world_size, tp=tp, pp=pp, ep=ep))


def merge(summaries: Iterable[Record], *, expect: Optional[int] = None, lenient: bool = False) -> Summary:
    """The sum of summaries of different ranks, or of different parts of a log, in any order.

    expect   how many ranks there have to be; None: as many as the names of the files say
    lenient  ranks that are missing, and summaries that do not add up, are warnings
    """
    lines = "".join((s.exact() if isinstance(s, Summary) else _as_line(s)) + "\n" for s in _many(summaries, "summaries"))
    if not lines:
        raise ValueError("there are no summaries to merge")
    how = options_of(partial=True, expect=expect)
    return Summary(printed_by("merge", [Input(b"<summaries>", encoded(lines))], lenient, how).rstrip("\n"))


class Picture(str):
    """A picture as SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<wlfmt.Picture: {len(self)} characters of SVG>"


class Page(str):
    """A page as HTML, which notebooks show in a frame of its own."""

    def _repr_html_(self) -> str:
        page = base64.b64encode(encoded(self)).decode()
        return f'<iframe src="data:text/html;base64,{page}" style="width:100%;height:900px;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<wlfmt.Page: {len(self)} characters of HTML>"


def _refuse_ending(to: Optional[Target], what: str, *endings: str) -> None:
    """A path whose ending says that it holds something else."""
    if isinstance(to, (str, bytes, os.PathLike)):
        name = os.fsdecode(to)
        stem, ending = os.path.splitext(name)
        ending = os.path.splitext(stem)[1] if ending in DECOMPRESSORS else ending
        if ending.lower() not in ("", *endings):
            raise ValueError(f"{name}: what is written is {what}, to a path that ends with {endings[0]}")


def _put(text: str, to: Optional[Target]) -> str:
    if to is not None:
        put(encoded(text), to)
    return text


@described
def plot(sources: Any, to: Optional[Target] = None, *, ranks: Options = None, table: Optional[int] = None,
         kind: Optional[str] = None, prefix: Optional[str] = None, strict: bool = False, lenient: bool = False,
         progress: Progress = None) -> Picture:
    """A picture of a run, a workload file or a table, as `wlfmt plot` draws it: SVG, which notebooks show.

    ranks    of a run, only these: [0, 1, 16], or "0-7,16"
    table    which table of a file, counted from 0; None: the first, and an error if there are more
    """
    _refuse_ending(to, "SVG", ".svg")
    how = options_of(ranks=ranks, table=table, kind=kind, prefix=prefix, strict=strict)
    return Picture(_put(printed_by("plot", sources, lenient, how, progress), to))


@described
def report(sources: Any, to: Optional[Target] = None, *, expect: Optional[int] = None, world_size: Optional[int] = None,
           tp: Optional[int] = None, pp: Optional[int] = None, ep: Optional[int] = None, threads: Optional[int] = None,
           table: Optional[int] = None, kind: Optional[str] = None, prefix: Optional[str] = None, strict: bool = False,
           lenient: bool = False, progress: Progress = None) -> Page:
    """A page that explains a run, a workload file or tables, as `wlfmt report` writes it: HTML, which notebooks show.

    table    which table of a file alone, counted from 0; None: all of them
    """
    _refuse_ending(to, "HTML", ".html", ".htm")
    how = options_of(expect=expect, world_size=world_size, tp=tp, pp=pp, ep=ep, threads=threads, table=table, kind=kind,
                     prefix=prefix, strict=strict)
    return Page(_put(printed_by("report", sources, lenient, how, progress), to))


@described
def timeline(sources: Any, to: Optional[Target] = None, *, align: Optional[str] = None, ranks: Options = None,
             kind: Optional[str] = None, prefix: Optional[str] = None, strict: bool = False, lenient: bool = False,
             progress: Progress = None) -> str:
    """Op logs or a workload file as Trace Event JSON, for Perfetto, as `wlfmt timeline` writes it.

    align    how the clocks of different machines are aligned: "first" (all ranks begin at once), "flows" (no message
             arrives before it was sent), "collectives" (members leave one at once), the name of an operation that ends at
             once, or "none"; None moves clocks that cannot be compared
    ranks    only these: [0, 1, 16], or "0-7,16"
    """
    _refuse_ending(to, "JSON", ".json")
    how = options_of(align=align, ranks=ranks, kind=kind, prefix=prefix, strict=strict)
    return _put(printed_by("timeline", sources, lenient, how, progress), to)


def _tables_of(source: Any, numbers: Tuple[int, int], how: Mapping[str, Any]) -> List[Input]:
    """Two tables of one text, each as a text."""
    inputs = texts_of(source)
    found = [table for one in inputs for table in read_table(one, **how)]
    if not all(0 <= operator.index(n) < len(found) for n in numbers):
        raise ValueError(f"the text holds {len(found)} tables, and its tables {numbers[0]} and {numbers[1]}, counted "
                         "from 0, are to be compared: give `after`, or other `tables`")
    base = os.path.basename(os.fsdecode(inputs[0].name))
    return [Input(os.fsencode(f"table {n} of {base}"), encoded(write_table([found[n]]))) for n in numbers]


class Differences(Rows):
    """What `diff` has found: true if anything differs, whatever rows say of what is the same."""

    any = False

    def __bool__(self) -> bool:
        return self.any


def _says_difference(found: Any) -> bool:
    if isinstance(found, dict):
        return any(_says_difference(value) or (name in ("change", "difference", "reordered", "renumbered") and value)
                   for name, value in found.items())
    return isinstance(found, list) and any(isinstance(one, dict) for one in found)


@described
def diff(before: Any, after: Any = None, *, tables: Tuple[int, int] = (0, 1), tolerance: Union[None, float, str] = None,
         by: Options = None, only: Optional[str] = None, columns: Options = None, top: Optional[int] = None,
         fold_names: bool = False, kind: Optional[str] = None, prefix: Optional[str] = None, strict: bool = False,
         lenient: bool = False, progress: Progress = None) -> Differences:
    """What is different in the second one, the greatest effect first: what `wlfmt diff --json` says. It is true if
    anything is.

    before, after  two runs, workload files or tables: each a folder, files, a pattern, an open file or a text; without
                the second one, two tables of the first
    tables      which tables of a single text these are, counted from 0
    tolerance   numbers this close are the same: 0.05, or "5%"
    by          tells the operations of op logs apart by these: operation, collective, group, stage, state, rank
                (["rank", "operation"] if nothing is said); of tables, compares all names ("name"), those of kernels or
                operators alone ("kernel", "operator"), or each cell of each row ("row"); of workload files, each field
                of each layer ("layer")
    only        of workload files, compares "communication", "compute" or "header" alone
    columns     of tables, compares these columns, and sorts by the first of them: ["self_cpu_time_us", "calls"]
    top         how many rows each list has at most
    fold_names  of tables, takes names for the same that differ in arguments of templates, parameters, or a number at
                their end
    """
    how = options_of(json=True, tolerance=tolerance, by=by, only=only, columns=columns, top=top, fold_names=fold_names,
                   kind=kind, prefix=prefix, strict=strict)
    if after is None:
        before, after = _tables_of(before, tables, {"lenient": lenient, "strict": strict, "prefix": prefix})
        how = [word for word in how if not word.startswith(("--prefix", "--strict"))]
    files = Files()
    files.add_one(before)
    files.add_one(after)
    printed, status, has_error = run_to_end("diff", how, files, fine=(0, 1), lenient=lenient, progress=progress)
    found = Differences(_answers_of(printed))
    # The status says, too, that what could not be read was left out.
    found.any = any(map(_says_difference, found)) if has_error else status == 1
    return found


@described
def chakra(sources: Any, to: Path, *, tick: Optional[float] = None, passes: Optional[int] = None,
           order: Optional[str] = None, world_size: Optional[int] = None, tp: Optional[int] = None,
           pp: Optional[int] = None, ep: Optional[int] = None, all_gather: Optional[str] = None,
           splits: Optional[int] = None, active_chunks: Optional[int] = None, schedule: Optional[str] = None,
           vpp: Optional[int] = None, balance: bool = False, only_ranks: Options = None, network: Optional[Path] = None,
           link: bool = False, check: bool = False, kind: Optional[str] = None, prefix: Optional[str] = None,
           strict: bool = False, lenient: bool = False, progress: Progress = None) -> str:
    """Writes Chakra execution traces for ASTRA-sim 2, as `wlfmt chakra` does: to.N.et for each rank, and what configures
    the simulator. Returns the commands that simulate them.

    to          what the names of the traces begin with
    tick        nanoseconds per unit of a workload's times (1)
    passes      the number of passes over a workload's layers (1)
    order       how ranks are numbered, the axis that varies fastest first ("tp-cp-ep-dp-pp")
    all_gather  what the size of an ALLGATHER in a workload file is: "whole", the buffer of all ranks of its group, or
                "share", that of one rank
    splits      into how many pieces the simulator splits a collective (4)
    active_chunks  how many of these pieces the simulator takes at a time in each dimension (1)
    schedule    in which order a stage computes the micro-batches of a workload: "gpipe", "1f1b" or "interleaved"
    vpp         the model chunks of a stage for schedule="interleaved", instead of the header's
    balance     gives all ranks of an all-to-all the mean of their bytes
    only_ranks  writes the traces of these ranks alone: [0, 1], or "0-7,16"
    network     a folder of op logs: the network has the bandwidth and latency of the machine that this run was traced on
    link        writes a trace that several ranks share once, and makes the others links to it
    check       reads the log of a simulation of these traces, and says whether all ranks have finished
    """
    how = options_of(tick=tick, passes=passes, order=order, world_size=world_size, tp=tp, pp=pp, ep=ep, all_gather=all_gather,
                   splits=splits, active_chunks=active_chunks, schedule=schedule, vpp=vpp, balance=balance, only_ranks=only_ranks,
                   network=None if network is None else os.fsdecode(network), link=link, check=check, kind=kind,
                   prefix=prefix, strict=strict)
    return printed_by("chakra", sources, lenient, [*how, "-o", os.fsdecode(to)], progress)


@described
def set(source: Any, values: Mapping[str, Any], to: Optional[Target] = None, *, kind: Optional[str] = None,
        prefix: Optional[str] = None) -> str:
    """The text of a file with other values, every other byte as it is.

    values  for each path its value: {"layers.3.forward.bytes": 4096, "header.pp": 2, "operations.2.duration": 1.5,
            "operations.2.sub_operations.0.comm_func": "allreduce", "tables.0.5.Self CPU": "1.5ms"}; positions count
            from 0

    >>> set("DATA\\n1\\nfc -1 5 NONE 0 6 NONE 0 7 NONE 0 10\\n", {"layers.0.forward.compute": 9}).split()[4]
    '9'
    """
    for path, value in values.items():
        if "=" in path:
            raise ValueError(f"{path!r}: a path has no =")
        if _is_missing(value):
            raise ValueError(f"{path}: NaN is what is missing: pass None, or 'nan' as a text")
    words = [f"{path}={getattr(value, 'tolist', lambda: value)()}" for path, value in values.items()]
    files = Files([source])
    if len(files.names) != 1 or os.path.isdir(files.names[0]):
        raise ValueError("values are set in a single file")
    if words:
        return _put(run_to_end("set", options_of(kind=kind, prefix=prefix), files, words)[0], to)
    for text in files.texts.values():
        return _put(decoded(text), to)
    with io.open(files.names[0], "rb") as file:
        return _put(decoded(file.read()), to)


def _frame(of: Of, kind: str, words: str) -> Any:
    """A property of a run that is a frame of its files of this kind."""
    return property(lambda run: Scan(run._of(kind), of, lenient=True, threads=run._threads), doc=words)


def _table(name: str, words: str) -> Any:
    """A property of a run that is one of the tables of what can be concluded of it."""
    return property(lambda run: table_of(run._conclusions, name), doc=words)


class Run(NoRows):
    """Files as one: what `open` returns. Its tables, frames and pictures are computed when they are asked for; of what
    can be concluded, wlfmt.columns("ranks") says what each column holds, and its unit."""

    _instead = ("a run has several tables, each with to_pandas(), to_polars() and to_pylist(): run.operations, "
                "run.sub_operations, run.layers, run.rows, run.ranks, run.stages, ...; run.files has a row for each file")

    def __init__(self, inputs: List[Input], threads: int, progress: Progress = None) -> None:
        self._threads = threads
        self._progress = progress
        self._all = inputs
        self._formats = _wlfmt.formats(inputs)
        self._status = ["read" if kind in FORMATS else "foreign" if kind == "unknown" else kind for kind in self._formats]
        # A compressed file is a text with the name of a file.
        logs = [n for n, (name, text) in enumerate(inputs)
                if self._formats[n] == "oplog" and (text is None or _wlfmt.facts(name)[0] is not None)]
        chosen, older, repeated, missing, contradictions = _wlfmt.choose([inputs[n].name for n in logs])
        for positions, status in ((older, "older"), (repeated, "repeated")):
            for n in positions:
                self._status[logs[n]] = status
        for status, words in (("older", "of an earlier run"), ("repeated", "named twice"),
                              ("foreign", "of none of the three formats"), ("empty", "empty"), ("unreadable", "not readable")):
            paths = [os.fsdecode(one.name) for one, own in zip(inputs, self._status) if own == status]
            if paths:
                some = ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else "")
                warn(f"left out as {'it is' if len(paths) == 1 else 'they are'} {words}: {some}")
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

    operations: Scan = _frame("operations", "oplog", "The operations of the op logs, a row each.")
    sub_operations: Scan = _frame("sub_operations", "oplog", "The nested operations of the op logs, a row each.")
    layers: Scan = _frame("layers", "workload", "The layers of the workload files, a row each.")
    headers: Scan = _frame("headers", "workload", "The headers of the workload files, a row each.")
    rows: Scan = _frame("rows", "table", "The rows of the profiler tables.")

    @property
    def tables(self) -> List[Record]:
        """The profiler tables, as read_table() gives them."""
        return [table for one in self._of("table") for table in read_table(one, lenient=True)]

    @functools.cached_property
    def problems(self) -> List[Problem]:
        """What is wrong with the files, each by itself and together as a run, as check() says it."""
        return problems_of(self.inputs, [], self._progress) if self.inputs else []

    @property
    def files(self) -> Rows:
        """A status for each file that was given, with its format, its rank, and the time of its run: "read", "damaged"
        (read as far as it can be), "older" (a newer run has the same rank), "repeated", "foreign" (none of the three
        formats), "empty", "unreadable"."""
        damaged = {p.file for p in self.problems if p.severity == "error"}
        rows = Rows()
        for (name, _), kind, status in zip(self._all, self._formats, self._status):
            path = os.fsdecode(name)
            rank, time = _wlfmt.facts(name)
            rows.append({"file": path, "format": kind, "rank": rank, "run": time,
                         "status": "damaged" if status == "read" and path in damaged else status})
        return rows

    @functools.cached_property
    def answers(self) -> Union[Answers, Rows]:
        """What can be concluded, as `wlfmt summary --json` says it: Answers of the run, or of the only file; of a run
        beside other files, or of several of these, Rows of all. Computed once."""
        found = [self._conclusions] if self._of("oplog") else []
        found += self._summed_up(self._of("workload") + self._of("table"))
        return found[0] if len(found) == 1 else Rows(found)

    @functools.cached_property
    def _conclusions(self) -> Answers:
        """Of the op logs alone."""
        found = self._summed_up(self._of("oplog"))
        return found[0] if len(found) == 1 else Answers()

    def _summed_up(self, inputs: List[Input]) -> List[Answers]:
        return _answers_of(printed_by("summary", inputs, True, ["--json"], self._progress)) if inputs else []

    ranks: Rows = _table("ranks", "Where the time of each rank went: work, transfer, waiting, gaps, what cannot be told.")
    stages: Rows = _table("stages", "The means of the ranks of each pipeline stage, and its share of the bubble.")
    groups: Rows = _table("groups", "Calls, bytes, transfer and waiting by kind of group: tp, dp, exp, pp, ...")
    waits: Rows = _table("waits", "How long each rank waited for each other one, the longest first.")
    bandwidth: Rows = _table("bandwidth", "How fast bytes move: blocking calls by kind of group, collective and size.")
    remedies: Rows = _table("remedies", "What would end the run sooner, and by how much, the greatest gain first.")

    @property
    def slowest_rank(self) -> Optional[Answers]:
        """The rank that works most beyond its peers, and why; None if that cannot be told."""
        found: Optional[Answers] = (self._conclusions.get("answers") or {}).get("slowest_rank")
        return found

    def plot(self, to: Optional[Target] = None, *, ranks: Options = None) -> Picture:
        """A picture, as plot() draws it."""
        return plot(self, to, lenient=True, ranks=ranks, progress=self._progress)

    def report(self, to: Optional[Target] = None, *, world_size: Optional[int] = None, tp: Optional[int] = None,
               pp: Optional[int] = None, ep: Optional[int] = None) -> Page:
        """A page, as report() writes it."""
        return report(self, to, lenient=True, world_size=world_size, tp=tp, pp=pp, ep=ep, progress=self._progress)

    def timeline(self, to: Optional[Target] = None, *, align: Optional[str] = None, ranks: Options = None) -> str:
        """Trace Event JSON, as timeline() writes it."""
        return timeline(self, to, lenient=True, align=align, ranks=ranks, progress=self._progress)

    def __repr__(self) -> str:
        read = [kind for kind, status in zip(self._formats, self._status) if status == "read"]
        words = [f"{read.count(kind)} {kind}" for kind in FORMATS if kind in read]
        words += [f"{len(self._all) - len(read)} left out"] * (len(read) != len(self._all))
        return f"<wlfmt.Run: {', '.join(words) or 'no files'}>"

    def _repr_html_(self) -> str:
        return f"<p>{repr(self)[1:-1]}</p>" + self.files._repr_html_()


@described
def open(sources: Any, *, threads: Optional[int] = None, progress: Progress = None) -> Run:
    """A folder, files, patterns such as run/*.txt, compressed files, texts, notebooks, or several of these as one object.

    Of repeated runs the newest is read; what is none of the three formats, or empty, is left out; a warning tells both.
    Whatever of a file can be read is read: `.problems` and `.files` say what is wrong.

    threads   how many threads read; None: one for each processor, but 8 at most
    progress  of its answers, pictures and problems: True shows a bar on a terminal or in a notebook; a function is called
              with (done, total), files or the bytes of a single file

    >>> run = open(b"rank:0:forward_step(stage_id=0,duration=1.5)")
    >>> run, run.operations.to_pylist()[0]["duration_ms"], run.files[0]["status"]
    (<wlfmt.Run: 1 oplog>, 1.5, 'read')
    """
    return Run(*inputs_and_threads(sources, threads), progress)
