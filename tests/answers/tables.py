#!/usr/bin/env python3
"""Holds what `wlfmt summary` says of profiler tables against this program's own reading of them: the share of a name is
the sum of the table's percentages, and never that of the rows' times.

usage: tables.py WLFMT FILE...    each a table that fits its columns; without files, one that is made here
"""
import json
import os
import re
import subprocess
import sys
import tempfile

MADE = [
    # name, Self CPU %, Self CPU, CPU total, Self CUDA, Self CUDA %, calls
    ("aten::mm", "40.00%", "4.000ms", "5.000ms", "6.000ms", "60.00%", 3),
    ("aten::mm", "10.00%", "1.000ms", "2.000ms", "2.500ms", "25.00%", 4),
    ("aten::add_", "20.00%", "2.000ms", "2.000ms", "1.500ms", "15.00%", 5),
    ("a_step", "30.00%", "3.000ms", "9.000ms", "0.000us", "0.00%", 1),
    ("void gemm_kernel", "0.00%", "0.000us", "0.000us", "8.500ms", "85.00%", 7),
    ("void add_kernel", "0.00%", "0.000us", "0.000us", "1.500ms", "15.00%", 5),
    ("a_step", "0.00%", "0.000us", "0.000us", "9.750ms", "97.50%", 1),
]
KINDS = {"heaviest operators": [("aten::mm", "8.500ms", "85.00%", "2"), ("aten::add_", "1.500ms", "15.00%", "1"),
                                ("a_step", "0.000us", "0.00%", "1")],
         "heaviest kernels": [("void gemm_kernel", "8.500ms", "85.00%", "1"), ("void add_kernel", "1.500ms", "15.00%", "1")],
         "annotations on the device": [("a_step", "9.750ms", "97.50%", "1")]}


def made(with_percent=True):
    titles = ["Name", "Self CPU %", "Self CPU", "CPU total", "Self CUDA", "Self CUDA %", "# of Calls"]
    rows = [[str(cell) for cell in row] for row in MADE]
    if not with_percent:
        for cells in [titles, *rows]:
            del cells[5]
    rule = "  ".join("-" * (20 if n == 0 else 12) for n in range(len(titles))) + "  "
    line = lambda cells: "  ".join(c.rjust(20 if n == 0 else 12) for n, c in enumerate(cells)) + "  "
    return "\n".join([rule, line(titles), rule, *map(line, rows), rule, "Self CPU time total: 10.000ms",
                      "Self CUDA time total: 10.000ms", ""])


def sections(text):
    """By title of a section, its rows: name, weight, share, rows."""
    found, now = {}, None
    for line in text.splitlines():
        title = next((k for k in KINDS if line.strip().startswith(k)), None)
        if title:
            now = found.setdefault(title, [])
        elif now is not None and line.startswith("  ") and not line.startswith("  and "):
            cells = re.split(r"\s{2,}", line.strip())
            now.append((cells[0], cells[1], cells[2], cells[-1]))
        else:
            now = None
    return found


def main(wlfmt, files):
    bad = 0
    for with_percent in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "table.txt")
            with open(path, "w") as f:
                f.write(made(with_percent))
            said = subprocess.run([wlfmt, "summary", path], capture_output=True, text=True, check=False).stdout
            data = json.loads(subprocess.run([wlfmt, "summary", "--json", path], capture_output=True, text=True,
                                             check=False).stdout)["tables"][0]
        if sections(said) != KINDS:
            print(said, "\nis not what the table says:", KINDS)
            bad = 1
        for key, rows in zip(("operators", "kernels", "annotations"), KINDS.values()):
            have = [(n["name"], f"{n['Self CUDA'] / 1000:.3f}ms" if n["Self CUDA"] else "0.000us", f"{n['share']:.2f}%",
                     str(n["rows"])) for n in data[key]]
            if have != rows or data["rows"] != len(MADE) or data["totals"]["Self CPU time total"] != 10000:
                print("JSON:", have, "is not", rows)
                bad = 1
    for path in files:
        said = subprocess.run([wlfmt, "summary", path], capture_output=True, text=True, check=False).stdout
        with open(path) as f:
            lines = [line.rstrip("\n") for line in f]
        header = next(n for n, line in enumerate(lines) if "Self CPU %" in line and "Name" in line)
        titles = re.split(r"\s{2,}", lines[header].strip())
        weight = re.search(r"heaviest operators +(\S+ \S+)", said).group(1)
        shares = {}
        for line in lines[header + 2:]:
            cells = re.split(r"\s{2,}", line.strip())
            if len(cells) == len(titles) and not cells[0].startswith("---"):
                shares.setdefault(cells[0], []).append(float(cells[titles.index(weight + " %")].rstrip("%")))
        for rows in sections(said).values():
            for name, _, share, _ in rows:
                if all(abs(float(share.rstrip("%")) - of) > 0.005 for of in [sum(shares[name]), *shares[name]]):
                    print(f"{path}: {name}: {share}, the table says {shares[name]}")
                    bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
