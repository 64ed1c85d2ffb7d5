#!/usr/bin/env python3
"""Damages cells of random profiler tables, and holds each sum of each output against the sums of the whole table, which
this program computes by itself: an exact number is the true one, a lower limit is no greater, an upper one no less.
`diff --fail-above` never passes where the whole tables do not. A cell in another spelling changes nothing.

usage: unread_cells.py WLFMT [SEED [TABLES]]
"""
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HOST = ["aten::mm", "aten::add_", "cudaLaunchKernel", "Optimizer.step#SGD.step", "ProfilerStep*", "aten::copy_"]
DEVICE = ["void gemm<4>(int*, int*)", "Memcpy HtoD (Pinned -> Device)", "ampere_sgemm_128x64_tn", "ProfilerStep*", "k"]
TEXTS = ["8,000ms", "...", "n/a", "8.000sec", "8.000MS", "1e999us", "8.00.0us", "?", "12", "--", "NaN"]
SCALE = {"us": 1, "ms": 1e3, "s": 1e6}
BYTES = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
UNITS = {"Self CPU": "time", "CPU total": "time", "Self CUDA": "time", "CUDA total": "time", "CPU Mem": "bytes",
         "Self CPU Mem": "bytes", "CUDA Mem": "bytes", "Self CUDA Mem": "bytes", "# of Calls": "count"}
CANONICAL = {"self_device_time_us": "Self CUDA", "self_cpu_time_us": "Self CPU", "device_time_us": "CUDA total",
             "cpu_time_us": "CPU total", "calls": "# of Calls", "self_device_memory_bytes": "Self CUDA Mem",
             "self_cpu_memory_bytes": "Self CPU Mem", "device_memory_bytes": "CUDA Mem", "cpu_memory_bytes": "CPU Mem"}
KINDS = {"operators": "operator", "kernels": "kernel", "device_rows": "device row", "annotations": "annotation",
         "spans": "span"}
TITLES = ["operators", "kernels", "device rows", "annotations on the device", "spans of the program"]


def time(rng):
    unit = rng.choice(list(SCALE)[:2])
    return f"{rng.randrange(1000, 999999) / 1000:.3f}{unit}"


def memory(rng):
    unit = rng.choice(list(BYTES))
    return f"{rng.choice(['', '', '-'])}{rng.randrange(1, 900)}{'' if unit == 'B' else '.50'} {unit}"


def value(cell, unit):
    if cell == "0" or unit == "count":
        return float(cell)
    number, suffix = re.fullmatch(r"(-?[0-9.]+) ?([A-Za-z]+)", cell).groups()
    return float(number) * (SCALE[suffix] if unit == "time" else BYTES[suffix])


class Table:
    """A random table: rows of cells by column, and whether each was launched."""

    def __init__(self, rng):
        self.device = rng.random() < 0.7
        self.columns = ["Self CPU", "CPU total"] + (["Self CUDA", "CUDA total"] if self.device else [])
        if rng.random() < 0.5:
            self.columns += [c for c in UNITS if c.endswith("Mem") and (self.device or "CUDA" not in c)]
        self.columns.append("# of Calls")
        self.rows = [self.row(rng, rng.choice(HOST), False) for _ in range(rng.randrange(1, 6))]
        if self.device:
            self.rows += [self.row(rng, rng.choice(DEVICE), True) for _ in range(rng.randrange(0, 5))]
        self.total = rng.random() < 0.5
        self.totals = self.own_times()

    def row(self, rng, name, launched):
        cells = {"Name": name, "launched": launched}
        for column in self.columns:
            unit = UNITS[column]
            cells[column] = str(rng.randrange(1, 99)) if unit == "count" else memory(rng) if unit == "bytes" else \
                "0.000us" if launched and "CPU" in column or not launched and column == "Self CUDA" else time(rng)
        if not launched:
            cells["CPU total"] = cells["Self CPU"]
        return cells

    def changed(self, rng):
        """Another table, of which some times and sizes are other ones."""
        other = object.__new__(Table)
        other.__dict__ = dict(self.__dict__, rows=[dict(row) for row in self.rows])
        for row in other.rows:
            for column in self.columns:
                if rng.random() < 0.1 and row[column] != "0.000us":
                    row[column] = self.row(rng, row["Name"], False)[column]
                    if row[column] == "0.000us":
                        row[column] = time(rng)
        other.totals = other.own_times()
        return other

    def damaged(self, rng, texts):
        other = object.__new__(Table)
        other.__dict__ = dict(self.__dict__, rows=[dict(row) for row in self.rows])
        for _ in range(rng.randrange(1, 4)):
            row, column = rng.choice(other.rows), rng.choice(self.columns)
            row[column] = texts(rng, row[column], UNITS[column])
        return other

    def text(self):
        rule = "  ".join(["-" * 34] + ["-" * 13] * len(self.columns)) + "  "
        line = lambda cells: "  ".join(c.rjust(13 if n else 34) for n, c in enumerate(cells)) + "  "
        lines = [rule, line(["Name", *self.columns]), rule]
        lines += [line([row["Name"]] + [row[c] for c in self.columns]) for row in self.rows]
        lines.append(rule)
        if self.total:
            for column in [c for c in ("Self CPU", "Self CUDA") if c in self.columns]:
                lines.append(f"{column} time total: {self.totals[column] / 1000:.3f}ms")
        return "\n".join(lines) + "\n"

    def own_times(self):
        """The totals of the columns of own times, rounded as the text has them."""
        return {column: round(sum(value(row[column], "time") for row in self.rows
                                  if row["launched"] == (column == "Self CUDA")))
                for column in ("Self CPU", "Self CUDA") if column in self.columns}

    def sums(self):
        """By name, whether it was launched, and column: the sum."""
        found = {}
        for row in self.rows:
            sums = found.setdefault((row["Name"], row["launched"]), dict.fromkeys(self.columns, 0.0))
            for column in self.columns:
                sums[column] += value(row[column], UNITS[column])
        return found


def unreadable(rng, cell, unit):
    text = rng.choice(TEXTS)
    return text if unit != "count" or text != "12" else "1.5"


def respelled(rng, cell, unit):
    if unit != "time" or cell == "0.000us":
        return cell
    number, suffix = re.fullmatch(r"([0-9.]+)(us|ms|s)", cell).groups()
    if suffix == "us" and rng.random() < 0.7:
        return rng.choice([number + "\u00b5s", number + "\u03bcs", number + " \u00b5s", number.replace(".", "") + "ns"])
    return number + rng.choice([" ", "\u00a0"]) + suffix


def close(a, b):
    return abs(a - b) <= 1e-6 * max(1, abs(a), abs(b))


def holds(shown, limit, true):
    """Whether a number that is shown as this kind of limit holds of the true one."""
    return close(shown, true) or limit == "least" and shown < true or limit == "most" and shown > true


class Test:
    def __init__(self, wlfmt, folder):
        self.wlfmt, self.folder, self.bad, self.checked = wlfmt, folder, 0, 0

    def run(self, *args):
        done = subprocess.run([self.wlfmt, *args], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def write(self, name, table):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(table.text())

    def expect(self, good, *what):
        self.checked += 1
        if not good:
            self.bad += 1
            print(*what)

    def summary(self, table, damaged):
        true = table.sums()
        told = json.loads(self.run("summary", "--json", "damaged")[1])["tables"][0]
        for key in KINDS:
            for entry in told[key]:
                launched = key in ("kernels", "device_rows", "annotations")
                for column in table.columns:
                    if column not in entry:
                        continue
                    limit = entry.get("limit", {}).get(column)
                    sum_of_name = true.get((entry["name"], launched), {}).get(column, 0.0)
                    self.expect(holds(entry[column], limit, sum_of_name), "summary:", key, entry, column, sum_of_name)
        names = {entry["name"] for key in KINDS for entry in told[key]}
        self.expect("weight" not in told or names == {name for name, _ in true}, "summary: names", names)
        text = self.run("summary", "--top=99", "damaged")[1]
        for key in KINDS:
            for entry in told[key]:
                sign = ">= " if told["weight"] in entry.get("limit", {}) else ""
                found = [line for line in text.splitlines() if line.startswith("  " + entry["name"] + "  ")]
                self.expect(any(re.match(r" +" + sign + r"[0-9]", line[len(entry["name"]) + 2:]) for line in found),
                            "summary: text", entry, found)
        kernels = re.search(r"kernels take (>= )?([0-9.]+)(us|ms|s) of", text)
        if kernels:
            weight = [name for name in true if name[1]]
            work = sum(true[name]["Self CUDA"] for name in weight if "gemm" in name[0] or "Memcpy" in name[0])
            number = float(kernels.group(2)) * SCALE[kernels.group(3)]
            self.expect(abs(number - work) < 1.1e-3 * work if not kernels.group(1) else number < work * 1.001 + 1,
                        "summary:", kernels.group(0), work)
        return told

    def pictures(self, told):
        page = html.unescape(self.run("report", "damaged")[1])
        picture = html.unescape(self.run("plot", "damaged")[1])
        for key in KINDS:
            section = page.split(f'id="{key.replace("_", "-")}"')
            for entry in told[key]:
                is_limit = told["weight"] in entry.get("limit", {})
                row = re.search(">" + re.escape(entry["name"]) + r'</td>.*?<td class="n"[^>]*>([^<]*)<', section[-1], re.S)
                # That a time is no less than 0 says nothing.
                shown = "unknown" if is_limit and entry[told["weight"]] == 0 else "\u2265\u00a0" if is_limit else ""
                self.expect(row and (row.group(1).startswith(shown) if is_limit else row.group(1)[:1].isdigit()), "page:",
                            entry, row and row.group(0))
                self.expect(f'{entry["name"]}\nself ' + (">= " if is_limit else "") in picture, "plot:", entry)

    def diff(self, before, after, files):
        status, out = self.run("diff", "--json", *files)
        if not out:
            return
        head, *lines = map(json.loads, out.splitlines())
        true = [before.sums(), after.sums()]
        for line in lines:
            name = (line["name"], line["kind"] in ("kernel", "device row", "annotation"))
            for column, sums in line.items():
                if not isinstance(sums, dict):
                    continue
                numbers = [side.get(name, {}).get(CANONICAL[column], 0.0) for side in true]
                numbers.append(numbers[1] - numbers[0])
                for key, number in zip(("before", "after", "difference"), numbers):
                    if key in sums:
                        self.expect(holds(sums[key], sums.get("limit", {}).get(key), number), "diff:", line, column, key,
                                    number)
        for key, table in (("before", before), ("after", after)):
            column = CANONICAL[head["columns"][0]]
            told = head[key]
            if "total" not in told:
                continue
            kernels = [row for row in table.rows if row["launched"] and row["Name"] != "ProfilerStep*"]
            hosts = [row for row in table.rows if not row["launched"]]
            rows = kernels if sum(value(row[column], UNITS[column]) for row in kernels) else hosts
            total = table.totals[column] if told["total_is_named"] else sum(value(row[column], UNITS[column]) for row in rows)
            self.expect(holds(told["total"], told.get("limit"), total), "diff: the total", told, total)
        known = {(line["name"], line["kind"] in ("kernel", "device row", "annotation")) for line in lines}
        for name in {*true[0], *true[1]} - known:
            for column in head["columns"]:
                numbers = [side.get(name, {}).get(CANONICAL[column], 0.0) for side in true]
                self.expect(close(*numbers) or known & {(name[0], not name[1])}, "diff: the same?", name, column, numbers)

    def gate(self, whole, damaged):
        expected, status = (self.run("diff", "--fail-above=20%", *files)[0] for files in (whole, damaged))
        self.expect(status == 1 or status == expected or status == 2, "gate:", status, "of", expected, damaged)


def main(wlfmt, seed=1, tables=60):
    with tempfile.TemporaryDirectory() as folder:
        test = Test(os.path.abspath(wlfmt), folder)
        for number in range(int(tables)):
            rng = random.Random(int(seed) * 1000003 + number)
            table = Table(rng)
            other = table.changed(rng)
            damaged = table.damaged(rng, unreadable)
            for name, content in (("whole", table), ("other", other), ("damaged", damaged),
                                  ("spelled", table.damaged(rng, respelled))):
                test.write(name, content)
            before = test.bad
            told = test.summary(table, damaged)
            test.pictures(told)
            test.diff(other, table, ("other", "damaged"))
            test.diff(table, other, ("damaged", "other"))
            test.gate(("other", "whole"), ("other", "damaged"))
            test.gate(("whole", "other"), ("damaged", "other"))
            status, out = test.run("diff", "whole", "spelled")
            test.expect((status, out) == (0, ""), "another spelling:", out)
            if test.bad != before:
                print(f"table {number} of seed {seed}:\n{damaged.text()}whole:\n{table.text()}other:\n{other.text()}")
                return 1
        print(f"{tables} tables, {test.checked} sentences")
        return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
