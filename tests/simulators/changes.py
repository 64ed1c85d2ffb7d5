#!/usr/bin/env python3
"""Holds `wlfmt set --from` against changes made line by line: CSV and JSON Lines, quoted or not, with a title or without,
and what is wrong with a row is told by the row. Entries are added to a header, and removed from it, and every other byte
stays.

usage: changes.py WLFMT FOLDER
"""
import csv
import io
import json
import os
import random
import subprocess
import sys

wlfmt, folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.chdir(folder)
failures = []
HEAD = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2  vpp: 1 pp: 1 pp: 4 pp_comm 7\t\r\n"


def run(*arguments, given=None):
    done = subprocess.run([wlfmt, "set", *arguments], capture_output=True, input=given)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def write(name, text):
    with open(name, "w", encoding="utf-8", newline="") as file:
        file.write(text)


def expect(title, found, status, printed, said=""):
    if found[0] != status or (printed is not None and found[1] != printed) or said not in found[2] or bool(said) != bool(found[2]):
        failures.append(f"{title}: {found}, not {(status, printed, said)}")


chance = random.Random(5)
FIELDS = [f"{phase}.{field}" for phase in ("forward", "input_grad", "weight_grad") for field in ("compute", "comm", "bytes")]
for size in (1, 30, 3000):
    lines = [["l", "-1", "1", "NONE", "0", "2", "NONE", "0", "3", "ALLREDUCE", "8", "4"] for _ in range(size)]
    before = HEAD + f"{size}\n" + "".join("\t".join(line) + " \n" for line in lines)
    rows = []
    for place in sorted(chance.sample(range(9 * size), min(9 * size, 2 * size))):
        n, field = divmod(place, 9)
        value = chance.choice(("ALLGATHER_EP", "NONE")) if field % 3 == 1 else str(chance.randrange(10**6))
        rows.append((f"layers.{n}.{FIELDS[field]}", value))
        lines[n][2 + field] = value
    after = HEAD + f"{size}\n" + "".join("\t".join(line) + " \n" for line in lines)
    chance.shuffle(rows)
    write("before.txt", before)
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        text = io.StringIO()
        csv.writer(text, quoting=quoting).writerows([("path", "value")] * chance.randrange(2) + rows)
        write("changes.csv", text.getvalue())
        expect(f"CSV, {size}", run("before.txt", "--from=changes.csv"), 0, after)
    write("changes.jsonl", "".join(json.dumps(dict(path=path, value=int(value) if value.isdigit() else value)) + "\n"
                                   for path, value in rows))
    expect(f"JSON, {size}", run("before.txt", "--from=changes.jsonl"), 0, after)
    with open("changes.jsonl", "rb") as changes:
        expect(f"JSON from a pipe, {size}", run("before.txt", "--from=-", given=changes.read()), 0, after)

LAYER = "l -1 1 NONE 0 2 NONE 0 3 ALLREDUCE 8 4\n"
TEXT = HEAD + "1\n" + LAYER
write("one.txt", TEXT)
for title, changes, said in (
        ("a wrong path", "path,value\nlayers.0.update,5\nlayers.7.update,6\nlayers.0.updaet,6\n",
         "error: row 4 of changes.csv: layers.0.updaet=6: `layers.0` has no `updaet`; did you mean `update`?"),
        ("two wrong paths", "layers.7.update,6\nlayers.0.updaet,6\n", "row 1 of changes.csv: layers.7.update=6"),
        ("a value that does not read back", "layers.0.forward.bytes,5\nlayers.0.update,5 6\n",
         "row 2 of changes.csv: layers.0.update=5 6: with this value the file would not read back"),
        ("a row of one", "layers.0.update\n", "changes.csv:1:1: error: a row is a path and a value"),
        ("a row of three", "layers.0.update,1,2\n", "changes.csv:1:1: error: a row is a path and a value"),
        ("an open quote", 'layers.0.update,"1\n', "a quote is not closed"),
        ("text after a quote", '"layers.0.update"x,1\nlayers.0.update,1\n', "text follows a closing quote"),
        ("a place twice", "layers.0.update,1\nlayers.0.update,2\n", "another row changes the same place"),
        ("no object", '{"path":"layers.0.update"}\n', "changes.csv:1:1: error: a row is an object"),
        ("a nested object", '{"path":"layers.0.update","value":[1]}\n', "changes.csv:1:1: error: a row is an object"),
        ("another member", '{"path":"layers.0.update","value":1,"x":2}\n', "changes.csv:1:1: error: a row is an object")):
    write("changes.csv", changes)
    expect(title, run("one.txt", "--from=changes.csv"), 1, "", said)
expect("no such file", run("one.txt", "--from=none.csv"), 2, "", "none.csv: error: ")
write("changes.csv", "layers.0.update,9\r\n\r\n")
expect("a file and a value", run("one.txt", "--from=changes.csv", "layers.0.forward.bytes=6"), 0,
       TEXT.replace("8 4", "8 9").replace("NONE 0", "NONE 6", 1))

expect("entries are added", run("one.txt", "header.ep=1", "header.all_gpus=8"), 0,
       TEXT.replace("pp_comm 7", "pp_comm 7 ep: 1 all_gpus: 8"))
expect("an entry is added twice", run("one.txt", "header.ep=1", "header.ep=2"), 1, "", "header.ep=2")
expect("an unknown entry", run("one.txt", "header.epp=1"), 1, "", "`header` has no `epp`")
expect("the first entry is removed", run("one.txt", "header.pp="), 0, TEXT.replace(" pp: 1", ""))
expect("an entry without a colon is removed", run("one.txt", "header.pp_comm="), 0, TEXT.replace(" pp_comm 7", ""))
expect("no entry is removed", run("one.txt", "header.ep="), 1, "", "`header` has no `ep`")
expect("a value that adds a line", run("one.txt", "header.ep=1\n3"), 1, "", "would not read back")
expect("a value that adds an entry", run("one.txt", "header.ep=1 ga: 3"), 1, "", "would not read back")
write("bare.txt", "DATA\n1\n" + LAYER)
expect("an entry of a bare policy", run("bare.txt", "header.all_gpus=8"), 0, "DATA all_gpus: 8\n1\n" + LAYER)
print("\n".join(failures[:10]) or "changes of three sizes")
sys.exit(bool(failures))
