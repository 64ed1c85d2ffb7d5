"""What can be concluded of a run, as tables, and what their columns hold."""

from typing import Any, Dict, List, Tuple

from ._rows import Rows

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
_LIMIT = ("limit", "", "the numbers that are limits, each with least, most, or either")
_PLACE = (("rank", "", "the global rank"), ("stage", "", "its pipeline stage"))

# The units and contents of the columns of a run's tables. What is not known has no value.
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
        _LIMIT,
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
        _LIMIT,
    ),
    "waits": (
        ("late", "", "the rank that came last"), ("waiting", "", "the rank that waited for it"),
        ("group", "", "the kind of group"), ("ms", "ms", "how long"),
        _LIMIT,
    ),
    "groups": (
        ("group", "", "the kind of group: tp, dp, exp, pp, ..."),
        ("calls", "", "collectives and messages"),
        ("bytes", "bytes", "what they hold"),
        ("unknown", "ms", "cannot be told to be transfer or waiting"),
        ("unknown_calls", "", "calls of which that is so"),
        ("transfer", "ms", "moving bytes"),
        ("waiting", "ms", "waiting for other members"),
        ("exposed", "ms", "both, where no computation runs beside it"),
        ("share", "%", "of the ranks' time"),
        ("overlapped", "ms", "beside computation"),
        ("waiting_more", "ms", "so much more at most, of asynchronous calls"),
        ("waiting_least", "ms", "so much at least, by the sums of ranks alone"),
        _LIMIT,
    ),
    "bandwidth": (
        ("group", "", "the kind of group"), ("function", "", "the collective"), ("ranks", "", "members of a group"),
        ("where", "", "one host, several hosts, or unknown"), ("size", "bytes", "what a rank gives to a call"),
        ("calls", "", "blocking calls whose time is known"), ("bytes", "bytes", "of these"),
        ("transfer", "ms", "of these"), ("median_transfer", "ms", "of one"), ("least_transfer", "ms", "of one"),
        ("algorithm_gbs", "GB/s", "bytes by transfer"), ("bus_gbs", "GB/s", "the bus bandwidth, as nccl-tests have it"),
        _LIMIT,
    ),
    "remedies": (
        ("change", "", "what would be different"), ("kind", "", "remedy, or limit: nobody can reach it"),
        ("gain", "ms", "how much sooner the run would end"), ("rank", "", "of a change to one rank"),
        ("waiting_less", "ms", "how much less is waited inside its stage"), _LIMIT,
    ),
    "answers": (
        ("name", "", "what was read"), ("operations", "", "records"), ("nested", "", "nested operations"),
        ("planned", "", "records of plans"), ("unmeasured", "", "records without a duration"),
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
        ("missing_call_count", "", "these calls"), ("lost", "", "records and calls that ranks lack and others have"),
        ("micro_batches", "", "passes over the model"), ("pipe_ms", "ms", "the pipeline's time"),
        ("bubble_share", "%", "of it, what the stages do not fill"),
        ("bubble_equal_share", "%", "what it would be for stages of equal work"),
        ("pipe_least_ms", "ms", "the least time of the pipeline with this work"),
        ("pipe_least_even_ms", "ms", "the same with even work in each stage"),
        _LIMIT,
    ),
    "slowest_rank": (
        *_PLACE, ("reason", "", "why, as far as the logs tell"), ("work", "ms", "its work"),
        ("peers", "ms", "the median of the work of its peers"),
        ("excess", "ms", "its work beyond that of its peers"), ("ratio", "", "its work divided by that of its peers"),
        ("bytes_ratio", "", "the same of bytes"), ("calls_ratio", "", "the same of calls"),
        ("gap_ratio", "", "the same of gaps"), ("caused", "ms", "how long others waited for it"),
        ("last", "calls", "in how many calls it came last"), ("last_of", "calls", "of so many"),
        ("near", "", "ranks with nearly its excess"), _LIMIT,
    ),
}


class Answers(Dict[str, Any]):
    """What the command says of files, as `wlfmt summary --json` (docs/scale.md). Its members are attributes, too, and
    its lists of objects become frames: `answers.stages.to_pandas()`. Of a run, `answers.ranks`, `.stages`, `.groups` and
    whatever else can be concluded are the members of its member `answers`."""

    def __getattr__(self, name: str) -> Any:
        inner = self.get("answers")
        if name != "operations" and isinstance(inner, dict) and name in inner:
            return inner[name]
        try:
            return self[name]
        except KeyError:
            names = dict.fromkeys([*self, *(inner or ())])
            raise AttributeError(f"there is no {name!r}; there are {', '.join(names)}") from None

    def __dir__(self) -> List[str]:
        inner = self.get("answers")
        return [*super().__dir__(), *self, *(inner or ())]

    def __repr__(self) -> str:
        return f"<wlfmt.Answers: {', '.join(self)}>"

    def _repr_html_(self) -> str:
        return Rows({"": name, "value": value} for name, value in self.items()
                    if not isinstance(value, (dict, list)))._repr_html_()


def as_answers(value: Any) -> Any:
    """Objects as Answers, and lists of objects as Rows."""
    if isinstance(value, dict):
        return Answers((name, as_answers(member)) for name, member in value.items())
    if isinstance(value, list):
        items = [as_answers(item) for item in value]
        return Rows(items) if items and all(isinstance(item, dict) for item in items) else items
    return value


def table_of(answers: Answers, name: str) -> Rows:
    """One of the tables of a run, without the tables within its rows."""
    inner = answers.get("answers") or {}
    found = (inner.get("replay") or {}).get("remedies") if name == "remedies" else inner.get(name)
    rows = Rows({key: value for key, value in row.items() if not isinstance(value, Rows)} for row in found or ())
    if name != "ranks":
        return rows
    # What the sums have besides: an account of the same time without looking at other ranks.
    sums = {row["rank"]: row for row in answers.get("ranks") or ()}
    if not rows:
        return Rows(dict(row) for row in sums.values())
    for row in rows:
        for key in ("busy", "computation", "communication", "idle", "unmeasured"):
            if key in sums.get(row["rank"], {}):
                row.setdefault(key, sums[row["rank"]][key])
    return rows
