"""Holds the command against the table in docs/wlfmt.1, "Problems". Every command that reads texts reads those of the suite, in each way of reading: each message is of
a row of the table, it is an error or a warning as the row says, and the exit status is the greatest of those of all
messages. Every cell of the table has a text in every command that can show it.

usage: contract.py ROOT WLFMT WORK_FOLDER [all]     without `all`, of the texts with the same problems the first one alone
"""
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys

root, wlfmt, work = (os.path.abspath(path) for path in sys.argv[1:4])
is_all = sys.argv[4:] == ["all"]
MODES = ("default", "--strict", "--lenient")
# Commands that read no texts of the three formats, or, as set and mend, keep every byte that they do not change.
WITHOUT = {"merge", "from-json", "completion", "set", "mend"}
READERS = re.findall(r"^  ([a-z][a-z-]*)  ", subprocess.run(
    [wlfmt, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout, re.M)
if len(READERS) < 15 or not WITHOUT < set(READERS):
    sys.exit(f"--help has other commands: {READERS}")
READERS = [command for command in READERS if command not in WITHOUT]
FORMATS = ("oplog", "workload", "table")
failures = []


def fail(words):
    failures.append(words)


# --- The table -------------------------------------------------------------------------------------------------------------

def rows_of_manual():
    text = open(root + "/docs/wlfmt.1", encoding="utf-8").read()
    lines = text[text.index("\nproblem|default"):text.index("\n.TE")].strip()
    lines = re.sub(r"T\{\n([^}]*)\nT\}", r"\1", lines).replace("\\-", "-")
    return [line.split("|") for line in lines.splitlines()]


head, *table = rows_of_manual()
if head[:4] != ["problem", *MODES]:
    fail("docs/wlfmt.1 has another table: %s" % head)
# What a cell says: (severity, exit status), or None where nothing is said.
cells = {(row[0], mode): (row[1 + n].split(", ")[0], int(row[1 + n].split(", ")[1])) if row[1 + n] else None
         for row in table for n, mode in enumerate(MODES)}

# --- The kinds of messages -------------------------------------------------------------------------------------------------

ROW_OF_KIND = {kind: row for row, kinds in {
    "odd": "not_utf8",
    "kept": "duplicate_key bad_escape missing_layer_count header_value header_mismatch",
    "lost": "text_after_record key_expected bad_list field_count row_mismatch missing_rule column_mismatch too_many_columns too_wide "
            "text_after_count text_after_layers bad_header bad_total",
    "cut": "unterminated_record unterminated_list unterminated_string unclosed_table",
    "nothing": "no_records unknown_format stage_mismatch trace_lacks untraceable schedule_mismatch micro_batch_mismatch",
    "unreadable": "cannot_open cannot_read is_directory",
    "after other text": "record_after_text",
}.items() for kind in kinds.split()}
ROW_OF_WORDS = (
    (r"looks? like a table's, and (is|are) in none|part of the lines was cut out here, perhaps with digits", "in no table"),
    (r"a part of this total's name was cut off|columns of two devices", "in no table"),
    (r"a part of the lines cut out here\?|web page has escaped|in other letters here", "odd"),
    (r"holds? a record after other text", "after other text"),
    (r"a notebook: what its cells|the lines of (the|a) table", "odd"),
    (r"mended_table: ", "mended"),
    (r"the file holds (a profiler table|rank op-log records), too", "other format"),
    (r"the first of \d+ tables is drawn", "lost"),
    (r"there is no file of rank|named more than once|of an earlier run|of earlier runs|is skipped$", "files"),
    (r"of none of the three formats and left out", "files"),
    (r"where a trace needs|there are logs of|records of several ranks|has a time that can be drawn|makes no trace", "nothing"),
    (r"reads back as something else, written as it is$", "reads otherwise"),
    (r"there is no timeline in it|do not say how many ranks", "nothing"),
)
MESSAGE = re.compile(r"^(?! )(.*?): (error|warning): (.*)$", re.M)


class Text:
    """A text of the suite, and which of its messages json reports as errors."""

    def __init__(self, path):
        self.path = path
        folder = os.path.basename(os.path.dirname(path))
        self.kind = folder if folder in FORMATS else None
        self.format = self.kind or next((one for one in FORMATS if os.path.basename(path).startswith(one)), None)
        self.options = []
        self.problems = None
        if os.path.exists(path[:-4] + ".json"):
            case = json.load(open(path[:-4] + ".json", encoding="utf-8"))
            self.problems = tuple(sorted({problem.split()[1] for problem in case.get("problems", [])}))
            self.format = self.format or case.get("format")
            self.options = ["--prefix=" + case["prefix"]] if case.get("prefix") else []
        self.said_by_json = {}

    def labels_of(self, mode, with_kind):
        """The messages of json, and whether they are errors or warnings."""
        if (mode, with_kind) not in self.said_by_json:
            done = start(self, "json", mode, with_kind, [self.path], [])
            found = MESSAGE.findall(done.stderr.decode("utf-8", "replace"))
            self.said_by_json[mode, with_kind] = {(place, words): label for place, label, words in found}
        return self.said_by_json[mode, with_kind]

    def row_of(self, message, command, with_kind):
        place, label, words = message
        line = place, words
        kind = words.split(":")[0]
        row = next((row for pattern, row in ROW_OF_WORDS if re.search(pattern, words)), None) or ROW_OF_KIND.get(kind)
        by_default = self.labels_of("default", with_kind).get(line)
        if row is None and kind in ("not_a_number", "not_an_integer", "number_overflow"):
            field = words.split(": ")[1]
            needed = r"layer count|dependency|update|.*\.(compute|bytes)|rank|stage"
            # The header has entries of these names, too.
            row = "lost" if re.fullmatch(needed, field) and by_default != "warning" else "kept"
        elif kind == "negative_value":
            row = "cut" if words.startswith("negative_value: layer count") else "odd"
        elif kind == "layer_count_mismatch":
            declared, found = re.search(r"declares (\d+) layers?, (\d+)", words).groups()
            row = "cut" if int(found) < int(declared) else "odd"
        elif kind == "cut_column":
            row = "cut"
        elif kind == "foreign_text":
            row = "lost" if by_default or self.labels_of("--lenient", with_kind).get(line) else "no record"
        elif kind == "related_format":  # no layer can be read, or this one cannot
            row = "nothing" if self.labels_of("--lenient", with_kind).get(line) == "error" else "lost"
        if row in (None, "kept", *(["lost"] if kind == "number_overflow" else [])) and not by_default and line not in self.labels_of("--strict", with_kind):
            if command == "check" or kind == "unknown_operation":
                row = "no sense"
            elif command == "chakra":
                # What it needs to know is not there, or cannot be traced.
                row = "no sense, in chakra of op logs" if self.format == "oplog" else "nothing"
        # A time below 0 is a warning of the reader, and cannot be traced.
        if command == "chakra" and kind == "negative_value" and label == "error" and by_default == "warning":
            row = "nothing"
        return row


def start(text, command, mode, with_kind, files, further):
    arguments = [wlfmt, command, *text.options, *([] if mode == "default" else [mode]),
                 *(["--kind=" + text.kind] if with_kind else []), *files, *further]
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True)


def cell_of(row, mode, command, kind, given_kind):
    """The cell for a message of a row: some commands have rows of their own."""
    if command == "check" and row == "kept":
        row += ", in check"
    if command == "check" and row == "in no table" and given_kind:
        row += ", in check with --kind"
    if command in ("csv", "format", "json") and row == "other format":
        row += ", in csv, format and json"
    if command == "chakra" and kind == "oplog" and row in ("kept", "lost", "cut"):
        row = "kept, lost or cut, in chakra of op logs"
    return row, cells.get((row, mode))


def options_of(command):
    said = subprocess.run([wlfmt, command, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    return [mode for mode in MODES if mode == "default" or "  " + mode in said]


seen = collections.Counter()


def run(text, command, mode, with_kind=False, files=None):
    """Runs a command over a text, and holds its messages and exit status against the table."""
    folder = os.path.join(work, str(os.getpid()), str(abs(hash((text.path, command, mode, with_kind)))))
    further = []
    if command == "chakra":
        os.makedirs(folder)
        further = ["-o", folder + "/trace", "--world-size=1"]
    done = start(text, command, mode, with_kind, files or [text.path] * (2 if command == "diff" else 1), further)
    shutil.rmtree(folder, ignore_errors=True)
    said = done.stderr.decode("utf-8", "replace")
    rows, worst = set(), 0
    messages = MESSAGE.findall(said)
    name = f"{command} {mode} {text.path.replace(root + '/', '')}{' --kind' if with_kind else ''}"
    for message in messages:
        line, label = ": ".join(message), message[1]
        row, cell = cell_of(text.row_of(message, command, with_kind), mode, command, text.format, with_kind)
        rows.add(row)
        if cell is None:
            fail(f"{name}: no cell ({row}) for: {line}")
            continue
        seen[row, mode, command] += 1
        if label != cell[0]:
            fail(f"{name}: {cell[0]} by the row `{row}`: {line}")
        worst = max(worst, cell[1])
    status = done.returncode
    if command == "diff":  # of a file with itself
        hard = any(row in ("lost", "cut", "kept", "no record") for row in rows) and mode == "--strict"
        # Nothing can be compared: nothing was read, or the tables have no times.
        # A difference that is not known counts as one.
        is_known = not any(word in done.stdout for word in (b"hold no number", b" ? ", b">= "))
        good = (status == 2 and (hard or "in common" in said or worst) or status == worst and not hard or
                status == 1 and not hard and not is_known)
    else:
        good = status == worst
    if not good:
        fail(f"{name}: exit status {status}, not {worst}: {said[:300]}")
    return rows, done.stdout


# What does not depend on the way of reading is the same in the output.
ENDS_READING = {"mended", "kept", "lost", "cut", "no record", "nothing"}


def hold(text, commands):
    outputs = {}
    for command in commands:
        for mode in [mode for mode in ("--lenient", "default", "--strict") if mode in MODES_OF[command]]:
            outputs[mode] = run(text, command, mode)
            if text.kind and (is_all or command in ("json", "check")):
                run(text, command, mode, with_kind=True)
        if command in ("json", "csv", "format", "summary", "plot", "timeline"):
            rows, printed = outputs["default"]
            if outputs["--lenient"][1] != printed:
                fail(f"{command} {text.path}: prints something else with --lenient")
            if not (rows | outputs["--strict"][0]) & ENDS_READING and outputs["--strict"][1] != printed:
                fail(f"{command} {text.path}: prints something else with --strict")


MODES_OF = {command: options_of(command) for command in READERS}
for command in READERS:
    if "--strict" not in MODES_OF[command]:
        fail(command + " does not take --strict")
shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
has_chakra = b"which Chakra traces need" not in subprocess.run(
    [wlfmt, "chakra", root + "/tests/data/chakra/micro.txt", "-o", work + "/probe", "--world-size=1"],
    capture_output=True).stderr
others = [command for command in READERS if command not in ("json", "check") and (command != "chakra" or has_chakra)]

paths = sorted(path for path in glob.glob(root + "/conformance/cases/*/*.txt") if "/write/" not in path)
paths += sorted(glob.glob(root + "/tests/data/**/*.txt", recursive=True))
# With `all`, json and check read all of them, and the others a few with the same problems.
chosen = collections.Counter()


def commands_for(text):
    said = frozenset(re.split(r"[:`\d]", words)[0] for _, words in text.labels_of("default", False))
    key = (text.kind, text.problems, said)
    chosen[key] += 1
    if not is_all:
        # What chakra cannot trace, json reads without a word.
        further = ["chakra"] if text.problems is None and has_chakra else []
        return ["json", "check", *others] if chosen[key] == 1 else further
    few = 2 if text.problems or said else 15
    return ["json", "check", *(others if text.problems is None or chosen[key] <= few else [])]


tasks = [(text, commands_for(text)) for text in map(Text, paths)]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for done in [pool.submit(hold, *task) for task in tasks]:
        done.result()

# --- What no text of the suite shows ---------------------------------------------------------------------------------------

os.chdir(work)
os.makedirs("run/folder")
RECORD = "rank:%d:forward_step(stage_id=0,batch_id=0,duration=2.0,timestamp=%d.0)\n"
for rank in (0, 1, 3):
    with open(f"run/wd4_tp1_pp1_exp1_rank{rank}_20250101000000.txt", "w", encoding="utf-8") as log:
        log.write(RECORD % (rank, 10) + RECORD % (rank, 20))
with open("run/notes.txt", "w", encoding="utf-8") as notes:
    notes.write("nothing of any format\n")
folder = Text("run")
folder.kind = None
for command in READERS:
    for mode in MODES_OF[command]:
        run(Text("none.txt"), command, mode)
        if command not in ("format", "chakra"):
            run(folder, command, mode, files=["run"] * (2 if command == "diff" else 1))

# The kinds of one format, and the commands that show it.
TABLES, ALL = ("json", "csv", "format", "check", "summary", "plot", "report", "diff"), tuple(command for command in READERS if command != "chakra")
COMMANDS_OF = {"odd": ALL, "mended": ALL, "kept": [c for c in ALL if c != "check"], "kept, in check": ["check"], "lost": ALL, "cut": ALL,
               "in no table": TABLES, "in no table, in check with --kind": ["check"], "after other text": [],
               "kept, lost or cut, in chakra of op logs": ["chakra"] if has_chakra else [],
               "no sense, in chakra of op logs": ["chakra"] if has_chakra else [],
               "other format": ("check", "summary", "plot", "report", "diff"),
               "other format, in csv, format and json": ("csv", "format", "json"), "no record": ALL,
               "no sense": ["check"], "files": [c for c in ALL if c != "format"], "nothing": ALL,
               "reads otherwise": ["format"], "unreadable": ALL}
# What the simulator of --for does not take.
with open("simulated.txt", "w", encoding="utf-8") as file:
    file.write("HYBRID_TRANSFORMER pp: 1\n1\nl -1 5 NONE 0 5 NONE 0 5 NONE 0 5\n")
for mode in MODES_OF["check"]:
    done = subprocess.run([wlfmt, "check", "--for=simai", *([] if mode == "default" else [mode]), "simulated.txt"],
                          capture_output=True, text=True)
    said = (MESSAGE.findall(done.stderr)[0][1], done.returncode)
    if said != cells["not simulated", mode]:
        fail(f"check --for {mode}: {said}, and the table says {cells['not simulated', mode]}")

for row, *_ in table:
    if row == "not simulated":
        continue
    if row not in COMMANDS_OF:
        fail(f"the row `{row}` is not tried")
    for command in COMMANDS_OF.get(row, []):
        for mode in MODES_OF[command]:
            # Strict reading ends at the first line that is in no table, as text that belongs to no record.
            if row.startswith("in no table") and mode == "--strict":
                continue
            if cells[row, mode] is not None and not seen[row, mode, command]:
                fail(f"no text shows `{row}`, {mode}, of {command}")

# --- Commands that read no texts, and the one that keeps every byte --------------------------------------------------------

def expect(status, label, arguments, **given):
    done = subprocess.run([wlfmt, *arguments], capture_output=True, **given)
    labels = {found for _, found, _ in MESSAGE.findall(done.stderr.decode())}
    if done.returncode != status or labels != ({label} if label else set()):
        fail(f"{arguments}: exit status {done.returncode}, {labels}, not {status}, {label}")
    return done.stdout


CUT = {"oplog.txt": (RECORD % (7, 10) + "rank:7:f(duration=1.5,desc", "operations.0.rank=8", "rank:8:"),
       "workload.txt": ("DATA\n3\nl -1 5 NONE 0 5 NONE 0 5 NONE 0 5\n", "layers.0.forward.compute=6", "l -1 6 ")}
for name, (text, change, expected) in CUT.items():
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    for mode, label, status in (([], "error", 1), (["--lenient"], "warning", 0)):
        if cells["cut", mode[0] if mode else "default"] != (label, status):
            fail("the row `cut` says something else of set")
        if expected.encode() not in expect(status, label, ["set", *mode, name, change]):
            fail(f"set {name}: the change is not in the output")
no_simdjson = b"not in this build" in subprocess.run([wlfmt, "from-json", "-"], input=b"", capture_output=True).stderr
with open("log.txt", "w", encoding="utf-8") as file:
    file.write(RECORD % (0, 10))
partial = expect(0, None, ["summary", "--partial", "log.txt"])
lines = {"merge": partial, "from-json": b'{"rank":0,"op":"a","k":1}\n'}
for command, good in lines.items():
    if command == "from-json" and no_simdjson:
        continue
    if expect(0, None, [command, "-"], input=good) == b"":
        fail(command + ": prints nothing")
    if expect(1, "error", [command, "-"], input=good + good[:20] + b"\n") == b"":
        fail(command + ": what can be read is not in the output")

shutil.rmtree(work, ignore_errors=True)
print("\n".join(sorted(set(failures))[:60]) or f"{sum(bool(commands) for _, commands in tasks)} texts, {sum(seen.values())} messages")
sys.exit(bool(failures))
