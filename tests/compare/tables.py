#!/usr/bin/env python3
"""Holds what `wlfmt diff --json` says of two files of profiler tables against this program's own reading of them.

usage: tables.py WLFMT FOLDER [FILE...]   FOLDER: for the tables that are made here; FILE: real tables, each compared
with the next and with itself
"""
import json
import math
import os
import random
import re
import subprocess
import sys

TIME = {"us": 1.0, "ms": 1e3, "s": 1e6}
SIZE = {"b": 1, "kb": 1024, "mb": 1024**2, "gb": 1024**3}
SCALE = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}


def meaning(title):
    """The canonical name of a column whose values add up, and what they are to be multiplied with."""
    if title in ("# of Calls", "Number of Calls", "Calls", "# Calls"):
        return "calls", 1
    found = re.fullmatch(r"Total ([KMGTP]?)FLOPs", title)
    if found:
        return "flops", SCALE[found.group(1)]
    found = re.fullmatch(r"(Self )?([A-Z][A-Z0-9_]*|PrivateUse1)( total| time total| Mem)?( %)?", title)
    if not found or (not found.group(1) and not found.group(3)):
        return None, 1
    own, device, what, percent = found.groups()
    name = ("self_" if own else "") + ("cpu" if device == "CPU" else "device")
    if what == " Mem":
        return name + "_memory_bytes", 1
    return name + ("_time_percent" if percent else "_time_us"), 1


def number(cell, title):
    cell = cell.strip()
    if cell in ("", "--", "NaN", "nan"):
        return None
    found = re.fullmatch(r"(-?[0-9.]+)(us|ms|s|%| [KMGkmg]?[Bb])?", cell)
    if not found:
        raise ValueError(cell)
    digits, unit = found.groups()
    unit = (unit or "").strip()
    return float(digits) * (TIME.get(unit) or SIZE.get(unit.lower()) or 1)


class Unsure(Exception):
    """A table that this program does not read."""


def tables_of(text):
    """[(titles, rows, totals, closed)]"""
    lines = text.replace("\r\n", "\n").split("\n")
    is_rule = lambda l: re.fullmatch(r"\s*-{3,}(\s+-{3,})+\s*", l) is not None
    found, n = [], 0
    while n + 2 < len(lines):
        if not (is_rule(lines[n]) and is_rule(lines[n + 2]) and not is_rule(lines[n + 1])):
            n += 1
            continue
        spans = [m.span() for m in re.finditer("-+", lines[n])]
        titles = re.split(r"\s{2,}", lines[n + 1].strip())
        if len(titles) != len(spans) or "Source Location" in titles:
            raise Unsure("header")
        n += 3
        rows, totals, closed = [], {}, False
        while n < len(lines):
            line = lines[n]
            n += 1
            if is_rule(line):
                closed = True
                break
            if not line.strip():
                if any(rest.strip() for rest in lines[n:]):
                    raise Unsure("a blank line in a table")
                break
            cells = re.split(r"\s{2,}", line.strip())
            if len(cells) != len(titles):
                cells = [line[a:b].strip() for a, b in spans]
                if "".join(cells) != "".join(re.sub(r"\s{2,}", "", line.strip()).split("  ")) or line[spans[-1][1]:].strip():
                    raise Unsure("a row of other cells")
            rows.append(cells)
        while closed and n < len(lines):
            total = re.fullmatch(r"\s*((?:Self )?\w+ time total): (\S+)\s*", lines[n])
            if not total:
                break
            totals[total.group(1)] = total.group(2)
            n += 1
        found.append((titles, rows, totals, closed))
    return found


def is_cut(name):
    return name.endswith("...") and len(name) > 3


class Profile:
    """The sums of a table by (launched, name): {column: value}, and its totals."""

    def __init__(self, titles, rows, totals, closed):
        self.cut = not closed and "Calls" not in titles
        self.lacks = False  # one of several profiles lacks rows
        self.grouped = bool({"Input Shapes", "Overload Name", "Source Location", "Node ID"} & set(titles))
        seen = set()
        self.columns = {meaning(t)[0] for t in titles} - {None}
        self.names = {}
        self.totals = {}
        self.key = tuple(totals.items())
        for title, value in totals.items():
            self.totals[meaning(title)[0]] = self.totals.get(meaning(title)[0], 0) + number(value, title)
        for cells in rows:
            sums = {}
            for title, cell in zip(titles, cells):
                column, scale = meaning(title)
                v = number(cell, title) if column else None
                if v is not None and not math.isnan(v):
                    sums[column] = sums.get(column, 0) + v * scale
            device = "self_device_time_us" if "self_device_time_us" in self.columns else "device_time_us"
            has_cpu = self.columns & {"self_cpu_time_us", "cpu_time_us"}
            launched = bool(has_cpu and not sums.get("self_cpu_time_us", 0) > 0 and
                            not sums.get("cpu_time_us", 0) > 0 and sums.get(device, 0) > 0)
            key = launched, cells[titles.index("Name")]
            self.grouped = self.grouped or (key in seen and not is_cut(key[1]))
            seen.add(key)
            to = self.names.setdefault(key, {})
            for column, v in sums.items():
                to[column] = to.get(column, 0) + v

    def lacks_rows(self):
        """Whether the rows add up to less than a total."""
        def rows(column):
            kernels = self.sum(column, "kernel") + self.sum(column, "device row")
            operators = self.sum(column, "operator") + self.sum(column, "span")
            if column == "self_device_time_us":
                total, spans = self.totals[column], self.sum(column, "annotation")
                rounding, host = 0.001 * abs(total), self.totals.get("self_cpu_time_us")
                # The total may count annotations: that is certain where no operator's row or kernel is missing.
                counts = (kernels and spans and abs(kernels + spans - total) <= rounding and
                          operators - kernels <= rounding and host is not None and
                          host - rows("self_cpu_time_us") <= 0.001 * abs(host))
                return kernels + spans if counts else kernels or operators
            return kernels + operators + self.sum(column, "annotation")

        return self.lacks or any(v - rows(c) > 0.001 * abs(v) for c, v in self.totals.items())

    def limits(self, key):
        """Whether a row of a name that has one may be missing."""
        return self.lacking and (self.grouped or is_cut(key[1]))

    def join(self, other, same):
        self.grouped = self.grouped or other.grouped or not same
        self.lacks = self.lacks or not same and (self.lacks_rows() or other.lacks_rows())
        self.cut = self.cut or other.cut
        self.columns |= other.columns
        for mine, theirs in [(self.totals, other.totals)] + [
                (self.names.setdefault(k, {}), v) for k, v in other.names.items()]:
            for column, v in theirs.items():
                if same:
                    mine[column] = max(mine.get(column, 0), v, key=abs)
                else:
                    mine[column] = mine.get(column, 0) + v

    def kind(self, key):
        launched, name = key
        parts = ("ProfilerStep", "Optimizer.", "##", "nn.Module", "DistributedDataParallel.", "[")
        if not launched:
            return "span" if name.startswith(parts) and name != "[memory]" else "operator"
        host = self.names.get((False, name), {})
        spans = host.get("self_cpu_time_us", 0) > 0 or host.get("cpu_time_us", 0) > 0
        known = name.startswith(parts + ("nccl:",)) or ": " in name
        if spans or known:
            return "annotation"
        return "kernel" if re.search(r"void |::|<|\(|[kK]ernel|gemm|triton_", name) else "device row"

    def sum(self, column, kind):
        return sum(v.get(column, 0) for k, v in self.names.items() if self.kind(k) == kind)

    def measured(self, column):
        return any(v.get(column, 0) != 0 for v in self.names.values())


def repeats(a, b):
    less, more = (a, b) if len(a.names) <= len(b.names) else (b, a)
    return bool(less.names) and all(
        k in more.names and all(more.names[k][c] == v for c, v in sums.items() if c in more.names[k])
        for k, sums in less.names.items())


def profile_of(text):
    profiles = []
    for one in (Profile(*t) for t in tables_of(text)):
        same = next((p for p in profiles if p.key and p.key == one.key), None)
        if same is None and not one.key and profiles and repeats(one, profiles[-1]):
            same = profiles[-1]
        if same:
            same.join(one, True)
        else:
            profiles.append(one)
    if not profiles:
        raise Unsure("no table")
    for other in profiles[1:]:
        profiles[0].join(other, False)
    return profiles[0]


def expected(a, b):
    """The column, the totals, and by (kind, name) the values before and after: None where it is not known."""
    times = ["self_device_time_us", "self_cpu_time_us", "device_time_us", "cpu_time_us"]
    column = next((t for t in times if a.measured(t) and b.measured(t)),
                  next((t for t in times if t in a.columns and t in b.columns), None))
    if column is None:
        return None
    totals, whole = [], []
    for one in a, b:
        rows = (one.sum(column, "kernel") + one.sum(column, "device row") or
                one.sum(column, "operator") + one.sum(column, "span"))
        # Times with those of what is called do not add up.
        totals.append(one.totals.get(column, rows if column in times[:2] else None))
        one.lacking = one.cut or one.lacks_rows()
        whole.append(not one.lacking)
    lines, alike = {}, 0
    pairs = [(k, k) for k in a.names if k in b.names]
    for launched in False, True:
        only = [[k for k in one.names if k not in other.names and k[0] == launched] for one, other in ((a, b), (b, a))]
        for mine, theirs, swapped in ((only[0], only[1], False), (only[1], only[0], True)):
            # A cut name stands for all that begin so, unless another one may stand for one of them.
            fits = {k: sorted(o for o in theirs if o[1].startswith(k[1][:-3])) for k in mine if is_cut(k[1])}
            claims = [o for found in fits.values() for o in found]
            for k, found in fits.items():
                if not found or any(claims.count(o) > 1 for o in found):
                    continue
                for_all = launched, " + ".join(o[1] for o in found)
                owner = a if swapped else b
                columns = {c for o in found for c in owner.names[o]}
                owner.names[for_all] = {c: sum(owner.names[o].get(c, 0) for o in found) for c in columns}
                pairs.append((for_all, k) if swapped else (k, for_all))
                mine.remove(k)
                for o in found:
                    theirs.remove(o)
        pairs += [(k, None) for k in only[0]] + [(None, k) for k in only[1]]
    for k, o in pairs:
        values = []
        for key, one, is_whole in ((k, a, whole[0]), (o, b, whole[1])):
            for c in column, "calls":
                values.append(one.names[key].get(c, 0) if key else 0 if is_whole else None)
        one_cut = bool(k and is_cut(k[1]) or o and is_cut(o[1]))
        limits = [bool(key and (one.limits(key) or one_cut and one.lacking)) for key, one in ((k, a), (o, b))]
        if values[0] == values[2] and values[1] == values[3] and k and o:
            if not any(limits):
                continue
            alike += 1
        # Of a cut name and a whole one, the whole one may tell.
        kinds = [one.kind(key) for key, one in ((o, b), (k, a)) if key]
        lines[kinds[-1] if kinds[0] == "device row" else kinds[0], (k or o)[1]] = values + list(limits)
    # Tables with the same totals and rows lack the same rows.
    if a.totals == b.totals and alike == len(lines):
        lines = {}
    return column, totals, lines


def close(a, b):
    return a is b or (a is None) == (b is None) and (a is None or abs(a - b) <= 1e-6 * max(1, abs(a), abs(b)))


def check(wlfmt, a_path, b_path):
    """True if wlfmt says what is expected, None if this program does not read the files."""
    try:
        a, b = (profile_of(open(p, encoding="utf-8", newline="").read()) for p in (a_path, b_path))
        want = expected(a, b)
    except (Unsure, ValueError, UnicodeDecodeError):
        return None
    run = subprocess.run([wlfmt, "diff", "--json", "--kind=table", a_path, b_path], capture_output=True, text=True, check=False)
    if want is None:
        return run.returncode == 2
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    if not lines:
        print(a_path, b_path, run.returncode, run.stderr)
        return False
    head, column = lines[0], want[0]
    good = head["columns"][0] == column and close(head["before"].get("total"), want[1][0]) and close(head["after"].get("total"), want[1][1])
    have = {}
    for line in lines[1:]:
        sides = line[column], line["calls"]
        have[(line["kind"], line["name"])] = [s.get(k) for k in ("before", "after") for s in sides] + [
            sides[0].get("limit", {}).get(k) == "least" for k in ("before", "after")]
        if "share" in line and abs(line["share"] - sides[0]["difference"] / (want[1][1] - want[1][0])) > 1e-6:
            good = False
    good = good and have.keys() == want[2].keys() and all(close(x, y) for k in have for x, y in zip(have[k], want[2][k]))
    known = [abs(l[column]["difference"]) for l in lines[1:] if "difference" in l[column] and "limit" not in l[column]]
    good = good and known == sorted(known, reverse=True)
    differs = bool(want[2]) or want[1][0] != want[1][1] or a.cut or b.cut
    good = good and run.returncode == (1 if differs else 0)
    if not good:
        print("wrong:", a_path, b_path, "exit", run.returncode, "of", differs, head, "totals", want[1], "order", known[:9])
        for key in sorted(set(have) | set(want[2])):
            if key not in have or key not in want[2] or not all(close(x, y) for x, y in zip(have[key], want[2][key])):
                print("  ", key, "have", have.get(key), "want", want[2].get(key))
    return good


def printed(us):
    return f"{us / 1e6:.3f}s" if us >= 1e6 else f"{us / 1e3:.3f}ms" if us >= 1e3 else f"{us:.3f}us"


def made(rng, device, old=False, shapes=False, rows=30, limit=None):
    """One file: a profile, printed once, or twice in different orders. The names overlap with those of other files."""
    ops = []
    for n in range(rows):
        name = rng.choice(["aten::op", "a_step", "ProfilerStep#", "void k<float, ", "x" * 52 + "."]) + str(rng.randrange(rows))
        host = rng.random() < 0.6
        cpu = rng.randrange(1, 3000000) if host else 0
        ops.append((name, cpu, cpu + rng.randrange(5000) if host else 0, rng.randrange(0 if host else 1, 900000),
                    rng.randrange(1, 2000)))
    calls = "Number of Calls" if old else "# of Calls"
    titles = ["Name", "Self CPU total" if old else "Self CPU", "CPU total"] + ([f"Self {device}"] if device else []) + [calls]
    if shapes:
        titles.append("Input Shapes")
    widths = [max(len(titles[0]), max(len(o[0]) for o in ops)) + 4] + [15] * (len(titles) - 1)
    rule = "  ".join("-" * w for w in widths) + "  "
    line = lambda cells: "  ".join(c.rjust(w) for c, w in zip(cells, widths)) + "  "
    body = []
    for order in rng.sample([1, 3], rng.choice([1, 2])):
        body += [rule, line(titles), rule]
        for name, cpu, total, gpu, count in sorted(ops, key=lambda o: -o[order])[:limit]:
            cells = [name, printed(cpu), printed(total)] + ([printed(gpu)] if device else []) + [str(count)]
            body.append(line(cells + (["[]"] if shapes else [])))
        body += [rule, f"Self CPU time total: {printed(sum(o[1] for o in ops))}"]
        if device:
            body.append(f"Self {device} time total: {printed(sum(o[3] for o in ops))}")
        body.append("")
    return "\n".join(body) + "\n"


def main(wlfmt, folder, files):
    rng = random.Random(20240831)
    os.makedirs(folder, exist_ok=True)
    pairs = []
    for n in range(60):
        paths = []
        for side in "ab":
            text = made(rng, rng.choice([None, "CUDA", "XPU", "NPU"]), rng.random() < 0.3, rng.random() < 0.3,
                        rng.randrange(2, 40), rng.choice([None, None, 10]))
            if rng.random() < 0.2:
                text = "\n".join(text.split("\n")[:rng.randrange(4, 12)]) + "\n"
            paths.append(os.path.join(folder, f"{n}{side}.txt"))
            with open(paths[-1], "w", encoding="utf-8") as f:
                f.write(text)
        pairs.append(tuple(paths))
    made_here = len(pairs)
    pairs += list(zip(files, files[1:])) + [(f, f) for f in files]
    results = [check(wlfmt, a, b) for a, b in pairs]
    print(f"{results.count(True)} pairs of {len(pairs)} right, {results.count(False)} wrong, {results.count(None)} not read here")
    return results.count(False) != 0 or results[:made_here].count(None) > made_here // 10


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
