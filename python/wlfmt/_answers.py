"""What can be concluded of a run, as tables, and what their columns hold."""

from typing import Any, Dict, Iterable, List, Tuple

from ._rows import Rows, _shown_cell

_ACCOUNT = (
    ("span", "ms", "from the beginning of the first operation to the end of the last one"),
    ("work", "ms", "computation, and what is no communication with other ranks"),
    ("transfer", "ms", "moving bytes: the least time that a call takes any member"),
    ("waiting", "ms", "waiting for other ranks: in_stage and pipeline"),
    ("in_stage", "ms", "waiting for ranks of the same stage"),
    ("pipeline", "ms", "waiting for other stages"),
    ("gap", "ms", "nothing is logged"),
    ("unknown", "ms", "cannot be told to be transfer or waiting"),
)
_PLACE = (("rank", "", "the global rank"), ("stage", "", "its pipeline stage"))

_SUMS = ("busy", "computation", "communication", "idle", "unmeasured")

# The units and contents of the columns of a run's tables. What is not known has no value. The type of a column follows
# from its unit, but for these.
_TEXTS = frozenset(("group", "function", "where", "change", "kind", "reason", "name", "headline"))
_TRUTHS = frozenset(("together", "same_clock", "common_moment", "too_many_calls", "repeated_ranks", "unfinished"))
_LISTS = frozenset(("missing", "near"))
# Numbers that say which row it is, and are no measurements.
_PLACES = frozenset(("rank", "stage", "ranks", "late", "waiting", "size", "clock", "clocks"))
COLUMNS: Dict[str, Tuple[Tuple[str, str, str], ...]] = {
    "ranks": (
        *_PLACE, *_ACCOUNT,
        ("caused", "ms", "how long other ranks waited for this one"),
        ("last", "calls", "in how many calls it came last"),
        ("last_of", "calls", "of so many"),
        ("uneven", "ms", "waiting in the stage, in the pipeline's passes"),
        ("alone", "ms", "in groups of this rank alone, which are work"),
        ("excess", "ms", "its work beyond that of its peers"),
        ("ratio", "", "its work divided by that of its peers"),
        ("nested_calls", "calls", "nested operations"),
        ("nested_bytes", "bytes", "what these hold"),
        ("records", "", "operations"),
        ("lost", "", "records and calls that it lacks and others have"),
        ("doubles", "", "records that are copies of the one before"),
        ("double_ms", "ms", "the time of these, which is in no sum"),
        ("untimed", "", "records without a time"),
        ("negative", "", "of these, those with a duration below 0"),
        ("contradictions", "", "of these, those whose times contradict each other"),
        ("overlaps", "", "records that begin before the one before has ended"),
        ("clock", "", "the number of the host, as far as clocks tell"),
        ("m", "", "micro-batches"),
        ("pipe", "ms", "work of the pipeline's passes"),
        ("pipe_span", "ms", "from the first pass to the last one"),
        ("first_forward", "ms", "until the first forward pass begins"),
        ("busy", "ms", "the time of all operations, copies left out"),
        ("computation", "ms", "of these, without collectives"),
        ("communication", "ms", "of these, messages and collectives, waiting included"),
        ("idle", "ms", "the span that no operation fills"),
        ("unmeasured", "", "operations without a duration"),
    ),
    "stages": (
        ("stage", "", "the pipeline stage"), ("ranks", "", "how many ranks it has"), *_ACCOUNT,
        ("least_work", "ms", "of the rank that works least"),
        ("greatest_work", "ms", "of the rank that works most"),
        ("missing", "", "its ranks without a log"),
        ("busy", "ms", "in the pipeline's passes"),
        ("per_batch", "ms", "of these, for each micro-batch"),
        ("per_batch_without_waiting", "ms", "the same without waiting in the stage"),
        ("bubble", "ms", "the pipeline's time that the stage does not fill"),
        ("share", "%", "the bubble's share of the pipeline's time"),
        ("fill", "ms", "before the first pass"),
        ("drain", "ms", "after the last pass"),
    ),
    "waits": (
        ("late", "", "the rank that came last"), ("waiting", "", "the rank that waited for it"),
        ("group", "", "the kind of group"), ("ms", "ms", "how long"),
    ),
    "groups": (
        ("group", "", "the kind of group: tp, dp, exp, pp, ..."),
        ("calls", "calls", "collectives and messages"),
        ("bytes", "bytes", "what they hold"),
        ("unknown", "ms", "cannot be told to be transfer or waiting"),
        ("unknown_calls", "calls", "calls of which that is so"),
        ("transfer", "ms", "moving bytes"),
        ("waiting", "ms", "waiting for other members"),
        ("exposed", "ms", "both, where no computation runs beside it"),
        ("share", "%", "of the ranks' time"),
        ("overlapped", "ms", "beside computation"),
        ("waiting_more", "ms", "so much more at most, of asynchronous calls"),
    ),
    "bandwidth": (
        ("group", "", "the kind of group"), ("function", "", "the collective"), ("ranks", "", "members of a group"),
        ("where", "", "one host, several hosts, or unknown"), ("size", "bytes", "what a rank gives to a call"),
        ("calls", "calls", "blocking calls whose time is known"), ("bytes", "bytes", "of these"),
        ("transfer", "ms", "of these"), ("median_transfer", "ms", "of one"), ("least_transfer", "ms", "of one"),
        ("algorithm_gbs", "GB/s", "bytes by transfer"), ("bus_gbs", "GB/s", "the bus bandwidth, as nccl-tests have it"),
    ),
    "remedies": (
        ("change", "", "what would be different"), ("kind", "", "remedy, or limit: nobody can reach it"),
        ("gain", "ms", "how much sooner the run would end"), ("rank", "", "of a change to one rank"),
        ("waiting_less", "ms", "how much less is waited inside its stage"),
    ),
    "answers": (
        ("name", "", "what was read"), ("operations", "", "records"), ("nested", "", "nested operations"),
        ("planned", "", "records of plans"), ("unmeasured", "", "records without a duration"),
        ("beyond", "", "records with times that are too great for milliseconds"),
        ("doubles", "", "records that are copies of the one before"),
        ("busy", "ms", "the time of all operations, copies left out"),
        ("computation", "ms", "of these, without collectives"),
        ("communication", "ms", "of these, messages and collectives"), ("idle", "ms", "that no operation fills"),
        ("together", "", "whether the ranks were traced together"), ("same_clock", "", "whether they have one clock"),
        ("common_moment", "", "whether their spans share a moment"),
        ("extent", "ms", "from a group's first blocking call to its last, the median"),
        ("extent_spread", "ms", "how much it differs between members"), ("clocks", "", "hosts, as far as clocks tell"),
        ("missing_members", "", "groups that lack members"),
        ("differing_groups", "", "groups in which a member lacks calls"),
        ("apart_groups", "", "groups with members whose calls do not fit together"),
        ("headline", "", "the most that can be said in a sentence"),
        ("too_many_calls", "", "whether there are too many calls to keep"),
        ("repeated_ranks", "", "whether ranks are in several files"),
        ("unfinished", "", "whether an iteration is not whole"),
        ("missing_call_count", "", "these calls"), ("lost", "", "records and calls that ranks lack and others have"),
        ("micro_batches", "", "passes over the model"),
        ("chunks", "", "model chunks of a stage of a virtual pipeline"), ("pipe_ms", "ms", "the pipeline's time"),
        ("bubble_share", "%", "of it, what the stages do not fill"),
        ("bubble_equal_share", "%", "what it would be for stages of equal work"),
        ("pipe_least_ms", "ms", "the least time of the pipeline with this work"),
        ("pipe_least_even_ms", "ms", "the same with even work in each stage"),
    ),
    "slowest_rank": (
        *_PLACE, ("reason", "", "why, as far as the logs tell"), ("work", "ms", "its work"),
        ("peers", "ms", "the median of the work of its peers"),
        ("excess", "ms", "its work beyond that of its peers"), ("ratio", "", "its work divided by that of its peers"),
        ("bytes_ratio", "", "the same of bytes"), ("calls_ratio", "", "the same of calls"),
        ("gap_ratio", "", "the same of gaps"), ("caused", "ms", "how long others waited for it"),
        ("last", "calls", "in how many calls it came last"), ("last_of", "calls", "of so many"),
        ("near", "", "ranks with nearly its excess"),
    ),
}


def _type_of(name: str, unit: str) -> str:
    if name in _TEXTS:
        return "str"
    if name in _TRUTHS:
        return "bool"
    if name in _LISTS:
        return "object"
    return "float64" if unit in ("ms", "%", "GB/s") or name.endswith("ratio") else "int64"


def _may_be_limit(name: str, unit: str) -> bool:
    return _type_of(name, unit) in ("int64", "float64") and (name not in _PLACES or unit == "ms")


def columns_of(table: str) -> List[Tuple[str, str, str, str]]:
    """The columns of a table of a run, each with its unit, what it holds, and its type: what may be a limit has two more,
    between which it is."""
    found = []
    for name, unit, meaning in COLUMNS.get(table, ()):
        of_type = _type_of(name, unit)
        found.append((name, unit, meaning, of_type))
        if _may_be_limit(name, unit):
            found += [(f"{name}_least", unit, f"{name} is no less; missing where that is not known", of_type),
                      (f"{name}_most", unit, f"{name} is no more; missing where that is not known", of_type)]
    return found


def _with_bounds(row: Dict[str, Any], names: Iterable[str]) -> Dict[str, Any]:
    """A number that is a limit is none: what is known of it is in two members beside it. `names`: of what may be one."""
    limits = row.get("limit")  # of sums of tables, which are exact or no more than the least that they can be
    limits = dict(limits) if isinstance(limits, dict) else {}
    found: Dict[str, Any] = {}
    for name, value in row.items():
        base, _, end = name.rpartition("_")
        if base and end in ("least", "most") and base not in row:
            for one in (base, f"{base}_least", f"{base}_most"):
                found.setdefault(one, row.get(one))
        elif name in (*names, *limits) and not isinstance(value, (dict, list)):
            kind = limits.pop(name, None)
            found[name] = value if kind is None else None
            found[f"{name}_least"] = value if kind in (None, "least") else None
            found[f"{name}_most"] = value if kind in (None, "most") else None
        elif name != "limit":
            found[name] = value
    return {**found, "limit": Answers(limits)} if limits else found


class Answers(Dict[str, Any]):
    """What the command says of files, as `wlfmt summary --json` (docs/scale.md). Its members are attributes, too, and
    its lists of objects are Rows, which become frames: `answers.stages.to_pandas()`. Of a run, the members of its member
    `answers` are its own: `answers.stages` and `answers["stages"]` are one table. A number that is a limit is missing:
    `work_least` and `work_most` say what is known of `work`."""

    def __missing__(self, name: str) -> Any:
        inner = self.get("answers")
        if isinstance(inner, dict) and name in inner:
            return inner[name]
        raise KeyError(name)

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            names = dict.fromkeys([*self, *(self.get("answers") or ())])
            raise AttributeError(f"there is no {name!r}; there are {', '.join(names)}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self, *(self.get("answers") or ())]

    def __repr__(self) -> str:
        return f"<wlfmt.Answers: {', '.join(name for name in self if not name.endswith(('_least', '_most')))}>"

    def _repr_html_(self) -> str:
        return Rows({"": name, "value": _shown_cell(self, name)} for name, value in self.items()
                    if not (isinstance(value, (dict, list)) or name.endswith(("_least", "_most"))))._repr_html_()


def _as_answers(value: Any, table: str) -> Any:
    """Objects as Answers, and lists of objects as Rows, both with the columns of this table of COLUMNS, if any."""
    if isinstance(value, dict):
        is_open = table in ("answers", "replay")
        members = {name: _as_answers(member, name if is_open and name in (*COLUMNS, "replay") else "")
                   for name, member in value.items()}
        names = [name for name, unit, _ in COLUMNS.get(table, ()) if _may_be_limit(name, unit)]
        return Answers(_with_bounds(members, names))
    if isinstance(value, list):
        items = [_as_answers(item, table) for item in value]
        if items and all(isinstance(item, dict) for item in items):
            return _typed(items, table)
        return _typed([], table) if not items and table in COLUMNS else items
    return value


def _typed(rows: Iterable[Dict[str, Any]], table: str) -> Rows:
    """Rows with each column of the table in its order, and whatever else they have."""
    types = {name: of_type for name, _, _, of_type in columns_of(table)}
    return Rows((Answers({**dict.fromkeys(types), **row}) for row in rows), types)


def as_answers(value: Any) -> Any:
    """A line of JSON that the command has printed. Of a run, its ranks are one table, in which is what the sums have
    besides, an account of the same time without looking at other ranks."""
    found = _as_answers(value, "answers" if "answers" in value else "")
    inner = found.get("answers")
    if isinstance(inner, Answers):
        sums = {row["rank"]: row for row in found.get("ranks") or ()}
        for row in inner.setdefault("ranks", _typed(found.get("ranks") or (), "ranks")):
            row.update((name, value) for name, value in sums.get(row["rank"], {}).items()
                       if name.startswith(_SUMS) and row.get(name) is None)
        found["ranks"] = inner["ranks"]
    return found


def table_of(answers: Answers, name: str) -> Rows:
    """One of the tables of a run."""
    inner = answers.get("answers") or {}
    found = (inner.get("replay") or {}).get("remedies") if name == "remedies" else inner.get(name)
    return found if isinstance(found, Rows) else _typed((), name)
