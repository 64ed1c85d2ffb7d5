"""Plain objects, frames, lists of problems and the command, held against each other over the files of tests/data and
damaged copies of them: 200, of which a few are held against the command, too, or WLFMT_DAMAGED of these, and then each.
By hand over other files, and COUNT damaged copies of each: python test_differential.py FILE..."""

import collections
import glob
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

import consumer
import pytest
from files import COMMAND, ROOT, bytes_of

import wlfmt

FILES = sorted(glob.glob(os.path.join(ROOT, "tests", "data", "*.txt")) +
               glob.glob(os.path.join(ROOT, "tests", "data", "*", "*.txt")))
ROWS_OF = {"oplog": "operations", "workload": "layers", "table": "rows"}
READ = {"oplog": wlfmt.read_oplog, "workload": wlfmt.read_workload, "table": wlfmt.read_table}


def result_of(call):
    """What it returns, and the first line of its error."""
    try:
        return call(), ""
    except wlfmt.ParseError as e:
        assert e.file != "<bytes>" or place_in(str(e)) == (e.line, e.column), str(e)
        return None, str(e).split("\n")[0]
    except consumer.StreamError as e:
        return None, str(e).split("\n")[0]


def text(value):
    """A text as a frame has it: what is not UTF-8 is shown as U+FFFD."""
    return value and re.sub("[\udc80-\udcff]", "\ufffd", value)


def number(value):
    """A number as a frame has it; None for anything else, as an integer beyond 64 bits, which is in `further`."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    if isinstance(value, int) and not -2**63 <= value < 2**63:
        return None
    return "nan" if value != value else float(value)


PHASES = ("forward", "input_grad", "weight_grad")


def plain_rows(kind, found):
    if kind == "oplog":
        return [[next(iter(o.values())), text(o["op"]), len(o.get("sub_operations") or ()), number(o.get("duration")),
                 number(o.get("timestamp", o.get("time_stamp")))] for o in found]
    if kind == "workload":
        return [[text(one["name"]), text(one.get("policy")), one["dependency"], number(one["update"]),
                 *((text(one[p]["comm"]), number(one[p]["compute"])) for p in PHASES)] for one in found["layers"]]
    return [[t, r, *map(number, row.values())] for t, table in enumerate(found) for r, row in enumerate(table["rows"])]


def frame_rows(kind, rows):
    if kind == "oplog":
        return [[o["rank"], o["op"], o["sub_operations"] or 0, number(o["duration_ms"]), number(o["timestamp_ms"])]
                for o in rows]
    if kind == "workload":
        return [[one["name"], one["policy"], one["dependency"], number(one["update"]),
                 *((one[p + "_comm"], number(one[p + "_compute"])) for p in PHASES)] for one in rows]
    return [[row["table"], row["row"], *(number(v) for name, v in row.items() if name not in ("file", "table", "row", "further"))]
            for row in rows]


def agree(kind, one, two):
    """Two lists of rows. In frames of tables there are the columns of all tables of a text, and what is a number in a
    column of an unknown unit is a text."""
    if kind != "table":
        return one == two
    def numbers(row):
        return collections.Counter(v for v in row[2:] if v is not None)

    return len(one) == len(two) and all(a[:2] == b[:2] and not numbers(b) - numbers(a) for a, b in zip(one, two))


PLACE = re.compile(r"<bytes>:(\d+):(\d+): ")


def place_in(words):
    """The line and the column that a message begins with."""
    found = PLACE.match(words)
    return (int(found[1]), int(found[2])) if found else (None, None)


def compare(content):
    """What does not agree about a text."""
    for kind, read in READ.items():
        problems = wlfmt.check(content, kind=kind)
        errors = [p.kind for p in problems if p.severity == "error"]
        for problem in problems:
            # Lines with a record after other text are told in words, and an empty text has none.
            if problem.kind != "record_after_text" and content:
                assert place_in(str(problem)) == (problem.line, problem.column), problem
        for lenient in (False, True):
            found, words = result_of(lambda: read(content, lenient=lenient))
            rows, stream_words = result_of(lambda: consumer.read(wlfmt.scan(content, of=ROWS_OF[kind], lenient=lenient)))
            if lenient and found is None:
                assert kind == "workload" and rows == [] and errors  # there is no header that could be returned
                continue
            if kind == "oplog" and words != stream_words:
                # A scan decodes no more than its columns need: what is wrong elsewhere is told by a scan of these.
                of_nested = result_of(lambda: consumer.read(wlfmt.scan(content, of="sub_operations", lenient=lenient)))[1]
                assert {word.split(":")[1] for word in (stream_words, of_nested) if word} >= {words.split(":")[1]}
                continue
            assert words == stream_words, (kind, lenient)
            if not lenient:
                # Whatever reading refuses is an error of check, and the other way round.
                # (A table that is cut between two columns is read, and so are the records beside one after other text:
                # only check calls these an error.)
                if words or not {*errors} <= {"cut_column", "record_after_text"}:
                    assert bool(words) == bool(errors), (kind, words, errors)
                assert not words or any(f" error: {one}: " in words for one in errors), (kind, words, errors)
            # Of columns of one name, a dict has the first one.
            if found is not None and not (kind == "table" and any(len({*t["columns"]}) != len(t["columns"]) for t in found)):
                one, two = plain_rows(kind, found), frame_rows(kind, rows)
                assert agree(kind, one, two), (kind, lenient, one, two)


def compare_options(content, chance):
    """What a choice of columns, ranks, batches and functions gives, against all rows in one batch."""
    for kind, of in ROWS_OF.items():
        for canonical in (False, True) if kind == "table" else (False,):
            chosen = {"columns": "canonical"} if canonical else {}
            rows, words = result_of(lambda: consumer.read(wlfmt.scan(content, of=of, lenient=True, **chosen)))
            assert words == "", (kind, words)
            all_names = [name for name, _ in consumer.read_schema(wlfmt.scan(content, of=of, lenient=True, **chosen))]
            if len({*all_names}) != len(all_names):
                continue  # of columns of one name, a dict has only one
            batches = chance.choice([1, 2, 7])
            scan = wlfmt.scan(content, of=of, lenient=True, batch_rows=batches, **chosen)
            assert repr(scan.to_pylist()) == repr(consumer.read(scan)) == repr(rows), (kind, canonical, batches)
            count = chance.randrange(5)
            assert repr(scan.head(count)) == repr(wlfmt.Rows(rows[:count])), (kind, count)
            if canonical or not rows:
                continue
            names = chance.sample(all_names, chance.randrange(1, min(5, len(all_names)) + 1))
            few = consumer.read(wlfmt.scan(content, of=of, lenient=True, columns=names))
            assert repr(few) == repr([{name: row[name] for name in names} for row in rows]), (kind, names)
    ranks = [chance.randrange(9), 7]
    for of in ("operations", "sub_operations"):
        rows = consumer.read(wlfmt.scan(content, of=of, lenient=True))
        stages = {row["record"] for row in consumer.read(wlfmt.scan(content, lenient=True)) if row["origin"] != "rank"}
        expected = [row for row in rows if row["rank"] in ranks and row["record"] not in stages]
        assert repr(consumer.read(wlfmt.scan(content, of=of, lenient=True, ranks=ranks))) == repr(expected), (of, ranks)


def mutated(text, chance):
    """A copy with a few bytes or lines lost, repeated, exchanged or cut off, or with other text before or between them."""
    text = bytearray(text)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(text) + 1)
        size = chance.choice([1, 1, 2, 10, 200])
        how = chance.randrange(7)
        if how == 0:
            del text[at:at + size]
        elif how == 1:
            text[at:at] = text[at:at + size]
        elif how == 2:
            text[at:at] = chance.choice([b"'", b"]", b")", b"\n", b",", b"=", b"\\", b"nan", b"None", b"-", b"  ", b"\xff",
                                         b"\xe2\x80\xa8", b"1e999", b"duration=1,"])
        elif how == 3:
            text[at:at + 1] = bytes([chance.randrange(256)])
        elif how == 4:
            begin, end = text.rfind(b"\n", 0, at) + 1, text.find(b"\n", at) + 1
            text[begin:begin] = text[begin:end or len(text)]
        elif how == 5:
            begin = text.rfind(b"\n", 0, at) + 1
            text[begin:begin] = chance.choice([b"loss: 3.2 ", b"loss: 3.2\n", b"rank:0:f(", b"---------  ------\n"])
        else:
            del text[chance.randrange(len(text) + 1):]
    return bytes(text)


def compare_all(content, chance):
    compare(content)
    compare_options(content, chance)


@pytest.mark.parametrize("part", range(4))
def test_all_ways_of_reading_agree(part):
    files = [(path, bytes_of(path)) for path in FILES[part::4]]
    # Damaged copies of large files take as long as those of ten others.
    small = [(path, text) for path, text in files if len(text) < 20000]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        for path, text in files:
            compare_all(text, random.Random(path))
        for n in range(int(os.environ.get("WLFMT_DAMAGED", "200")) // 4):
            path, text = (files if n % 20 == 0 else small)[n % len(files if n % 20 == 0 else small)]
            seed = f"{os.path.basename(path)} {n}"
            damaged = mutated(text, random.Random(seed))
            try:
                compare_all(damaged, random.Random(seed))
                if n % 50 == 7 or "WLFMT_DAMAGED" in os.environ:
                    compare_with_command(damaged)
            except Exception as e:
                raise AssertionError(f"of {path}, {seed}, damaged: {damaged!r}") from e


# What reading says in other words: a guess at a text that is of no format, and that a text is of two.
OTHER_WORDS = re.compile(" unknown_format: | the file holds .*, too, which --kind=")


def said_by_command(command, path):
    done = subprocess.run([*COMMAND, *command, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def is_told(path, kind):
    """Whether each way to read what the command refuses fails, or warns."""
    def tells(call):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            return bool(result_of(call)[1] or told)

    scans = [ROWS_OF[kind], "sub_operations"] if kind == "oplog" else [ROWS_OF[kind]]
    return (tells(lambda: READ[kind](path)) and tells(lambda: READ[kind](path, lenient=True))
            and tells(lambda: [consumer.read(wlfmt.scan(path, of=of)) for of in scans])
            and tells(lambda: [wlfmt.scan(path, of=of, lenient=True)._gather() for of in scans]))


def interchange(found):
    """As lines of the interchange form: numbers that are not finite are texts, or missing cells."""
    if isinstance(found, dict):  # a workload file
        return [{k: v for k, v in found.items() if k != "layers"}, *found["layers"]]
    if found and "columns" in found[0]:
        lines = [line for t in found for line in ({k: v for k, v in t.items() if k != "rows"}, *t["rows"])]
        return [{k: None if v != v else v for k, v in line.items()} for line in lines]
    return [finite(o) for o in found]


def finite(value):
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def agrees_with_command(path):
    verdict, said = said_by_command(["check", "--limit=0"], path)
    lines = [line for line in said.split("\n") if line.startswith(path + ":")]
    found = wlfmt.check(path)
    assert lines == [os.fsencode(str(p).split("\n")[0]).decode("utf-8", "replace") for p in found]
    opened = wlfmt.open(path)
    assert opened.problems != [] or opened.files[0]["status"] != "read" or not any(" error: " in line for line in lines), path
    found_kind = verdict.rstrip("\n").rsplit(": ", 1)[-1].split(",")[0].strip()
    for kind, chosen in [(found_kind, []), *((one, ["--kind=" + one]) for one in READ)]:
        if kind not in READ:
            continue
        printed, said = said_by_command(["json", *chosen], path)
        errors = [line for line in said.split("\n") if ": error: " in line and not OTHER_WORDS.search(line)]
        assert not errors or is_told(path, kind), (errors, path)
        expected = list(map(wlfmt._records._decoder(kind == "oplog"), printed.split("\n")[:-1]))
        got, words = result_of(lambda: READ[kind](path, lenient=True))
        assert interchange(got) == expected if got is not None else words and (chosen or expected == []), (kind, words)


def compare_with_command(content):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "damaged_rank7_20250101000000.txt")
        with open(path, "wb") as file:
            file.write(content)
        agrees_with_command(path)


def test_the_command_agrees():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wlfmt.ParseWarning)
        for path in FILES:
            agrees_with_command(path)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    count = int(os.environ.get("COUNT", "20"))
    for name in sys.argv[1:]:
        content = bytes_of(name)
        for n in range(count):
            tried = content if n == 0 else mutated(content, random.Random(f"{name} {n}"))
            try:
                compare_all(tried, random.Random(n))
                compare_with_command(tried)
            except Exception as failed:
                print(name, n, repr(failed)[:1000])
                if count == 1: break
