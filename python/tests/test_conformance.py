"""The cases of conformance/: what reading makes of them, and what it says."""

import glob
import os
import re
import warnings

import pytest
from files import ROOT
from test_differential import READ, compare, interchange

import wlfmt

PLACE = re.compile(r"^<bytes>:([0-9]+):([0-9]+): (?:warning|error): (\w+)(?::|$)")


def tagged(value):
    """A value with all that two values can differ in, but for the order of members."""
    if isinstance(value, dict):
        return ["dict", sorted(([name, tagged(one)] for name, one in value.items()), key=repr)]
    if isinstance(value, list):
        return ["list", *map(tagged, value)]
    return [type(value).__name__, repr(value)]


def cases(kind):
    for path in sorted(glob.glob(os.path.join(ROOT, "conformance", "cases", kind, "*.txt"))):
        with open(path[:-len(".txt")] + ".json", encoding="utf-8") as file:
            # Of a known key that is there twice, Python has the first value, of a further one all.
            case = wlfmt._records._decoder(kind == "oplog")(file.read())
        with open(path, "rb") as file:
            yield os.path.basename(path), file.read(), case


def read_leniently(content, kind):
    """Its lines, and its problems, of which the last one may be an error."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", wlfmt.ParseWarning)
        try:
            lines = interchange(READ[kind](content, lenient=True))
            words = []
        except wlfmt.ParseError as e:
            lines, words = [], [str(e)]
    found = [PLACE.match(w) for w in [*(str(w.message) for w in told), *words]]
    return lines, sorted((int(m[1]), int(m[2]), m[3]) for m in found if m)


@pytest.mark.parametrize("kind, least", [("oplog", 200), ("workload", 100), ("table", 100)])
def test_cases_are_read_as_they_say(kind, least):
    count = 0
    statuses = set()
    for name, content, case in cases(kind):
        count += 1
        statuses.add(case["status"])
        lines, problems = read_leniently(content, kind)
        assert tagged(lines) == tagged(case["lines"]), name
        expected = sorted((*map(int, re.match(r"(\d+):(\d+)", p).groups()), p.split()[-1]) for p in case["problems"])
        # A damaged table is mended before it is read, as the command does without --strict.
        is_mended = any(p[2] == "mended_table" for p in problems)
        if content and not is_mended:  # the problem of an empty text has no place here
            # Which lines are in no table, and which names are doubtful, is no rule of the format.
            assert [p for p in problems if p[2] not in ("lost_lines", "doubtful_name") or p in expected] == expected, name
        if is_mended:
            continue
        errors = {p.kind for p in wlfmt.check(content, kind) if p.severity == "error"}
        # A table that is cut between two columns is read, and so are the lines beside a record after other text: only check
        # calls these an error.
        assert errors <= {"cut_column", "record_after_text", "lost_lines"} if case["status"] == "valid" else errors, name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wlfmt.ParseWarning)
            if case["status"] == "valid":
                assert tagged(interchange(READ[kind](content))) == tagged(case["lines"]), name
            else:
                with pytest.raises(wlfmt.ParseError):
                    READ[kind](content)
            compare(content)
    assert count >= least and statuses == {"valid", "tolerated", "refused"}
