"""Reads profiler tables as scripts do: re.split at two or more blanks."""
import re
import sys
import time

RULE = re.compile(r"-{3,}(\s+-{3,})+\s*$")
TOTAL = re.compile(r"(.* time total): (\S+)$")
GAP = re.compile(r"\s{2,}")
UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6, " kb": 1024.0, " mb": 1024.0**2, " gb": 1024.0**3}
MEASURE = re.compile(r"(-?[\d.]+)(us|ms|s|%| b| kb| mb| gb)?$", re.IGNORECASE)


def value_of(cell):
    match = MEASURE.match(cell)
    if match is None:
        return cell
    return float(match.group(1)) * UNITS.get((match.group(2) or "").lower(), 1.0)


def read(path):
    columns, rows, totals = [], [], []
    rules = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            if RULE.match(line):
                rules += 1
            elif rules % 3 == 1:
                columns.append(GAP.split(line.strip()))
            elif rules % 3 == 2:
                cells = GAP.split(line.strip())
                rows.append([cells[0]] + [value_of(cell) for cell in cells[1:]])
            else:
                match = TOTAL.match(line)
                if match:
                    totals.append((match.group(1), value_of(match.group(2))))
    return columns, rows, totals


def main():
    start = time.perf_counter()
    columns, rows, totals = read(sys.argv[1])
    seconds = time.perf_counter() - start
    text = sum(len(name) for names in columns for name in names)
    decimals = sum(value for _, value in totals)
    parts = 0
    for row in rows:
        text += len(row[0])
        parts += len(row)
        decimals += sum(row[1:])
    print(len(rows), parts, text, 0, repr(decimals), seconds)


main()
