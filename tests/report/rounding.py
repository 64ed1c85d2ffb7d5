# Checks how pages print numbers: a cell shows its own number with three significant digits, 0 and 100 % only where it is
# that, one unit in a column that is not sorted by value, no limit that says nothing, and no micro-batch of what has none.
# usage: rounding.py PAGE...
import html.parser
import json
import re
import sys

UNITS = {"": 1, "%": 1, "times": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
         "us": 1, "ms": 1, "s": 1}
SCALES = {"": (1, 1e3, 1e6), "ms": (1, 1e3), "us": (1, 1e-3), "s": (1, 1e6, 1e3)}
NUMBER = re.compile(r"^(?:mean )?([\u2265\u2264~]\s)?([+-]?[\d,]*\d(?:\.\d+)?)(\s?)([A-Za-z%]*)$")
WITHOUT_BATCH = re.compile(r"(before )?(\w*(all_?reduce|all_?gather|reduce_?scatter|all_?to_?all)|optimizer_step)\b")
CONSTANTS = {"5", "0.5"}  # of sentences: what counts as slow, or as a difference


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tables, self.cells, self.text, self.data, self.into, self.cell = [], [], "", {}, None, None
        self.heads, self.is_rest = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        if tag == "details":
            self.is_rest = a.get("class") == "rest"
        elif tag == "table":
            if not self.is_rest:
                self.tables.append([])
            self.is_rest = False
        elif tag == "tr":
            self.cells = []
        elif tag in ("th", "td"):
            self.cell = [a.get("data-v"), "", a.get("scope"), a.get("class", "")]
            self.cells.append(self.cell)
        elif tag in ("script", "style"):
            self.into = a.get("id", tag)
        if tag in ("li", "h1", "h2", "h3", "p", "summary", "dt"):
            self.text += "\n"

    def handle_data(self, text):
        if self.into:
            self.data[self.into] = self.data.get(self.into, "") + text
        elif self.cell:
            self.cell[1] += text
        else:
            self.text += text

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self.into = None
        elif tag in ("th", "td"):
            self.cell = None
        elif tag == "tr" and self.cells:
            if all(c[2] == "col" for c in self.cells):
                self.heads = [c[1] for c in self.cells]
            else:
                self.tables[-1].append(list(zip(self.heads, self.cells)))


def check_cell(head, value, text):
    """Returns what is wrong with a cell, and its unit."""
    text = text.replace("\u00a0", " ")
    # Of an interval the cell is sorted by the lower end, and the unit is after the upper one.
    ends = re.match(r"([-+]?[\d,.]+) to [-+]?[\d,.]+(.*)$", text)
    found = NUMBER.match(ends[1] + ends[2] if ends else text)
    if not found:
        return (None if text in ("\u2013", "unknown", "") or "over 1.8e308" in text else "no number"), None
    sign, digits, blank, unit = found.groups()
    if unit not in UNITS:
        return "no unit", unit
    shown, v = float(digits.replace(",", "")), float(value)
    if sign and sign[0] == "\u2264" and v == 0:
        v = shown * UNITS[unit] * SCALES.get(unit, (1,))[0]  # an interval that begins at 0, by which it is sorted
    is_source = not blank and unit in ("us", "ms", "s")  # three decimals, as in the source
    for scale in SCALES.get(unit, (1,)):
        scaled = v / scale / UNITS[unit]
        error = abs(shown - scaled)
        whole = unit == "B" or (abs(scaled) >= 999.5 and unit in ("", "ms"))
        if error <= max(0.00501 * abs(scaled), 0.5001 if whole else 0, 0.000501 if is_source else 0, 1e-6):
            break
    else:
        return "another number", unit
    if shown == 0 and abs(scaled) > 2e-6 and not is_source and unit != "B":
        return "not 0", unit
    if unit == "%" and abs(shown) == 100 and abs(abs(v) - 100) > 2e-6:
        return "not 100 %", unit
    # Decimals beyond three digits say nothing, except beside 100 %.
    decimals = len(digits.partition(".")[2])
    if not is_source and decimals > (0 if abs(shown) >= 99.95 else 1 if abs(shown) >= 9.995 else 2 if abs(shown) >= 0.9995 else 8):
        if unit != "%" or not 99.9 < abs(v) < 100.1:
            return "more than three digits", unit
    if sign and sign[0] == "\u2265" and shown == 0 and "B - A" not in head:
        return "a limit that says nothing", unit
    return None, unit


def check_columns(rows, problems):
    for place in range(len(rows[0]) if rows else 0):
        cells = [row[place] for row in rows if place < len(row)]
        units, values = set(), []
        for head, (value, text, _, _) in cells:
            if value is None:
                continue
            problem, unit = check_cell(head, value, text)
            if problem:
                problems.append((problem, head, value, text))
            if unit is not None and float(value) != 0:
                units.add(unit)
                values.append(float(value))
        if len(units) > 1 and values != sorted(values, reverse=True):
            problems.append(("several units in a column that is not sorted", cells[0][0], sorted(units)))


def check_batches(page, problems):
    count = 0
    for rows in page.tables:
        for row in rows:
            cells = {head: cell[1] for head, cell in row}
            if "micro-batch" in cells and WITHOUT_BATCH.match(cells.get("in", "")) and cells["micro-batch"] != "\u2013":
                problems.append(("a micro-batch", cells))
    steps = json.loads(page.data.get("steps", "{}") or "{}")
    for name, (labels, batches) in steps.get("lanes", {}).items():
        of_steps = [batch for batch, n in zip(batches[::2], batches[1::2]) for _ in range(n)]
        for (high, letter), batch in zip(re.findall(r"(\d*)(\D)", labels), of_steps):
            label = steps["labels"][52 * int(high or 0) + ord(letter) - (65 if ord(letter) < 91 else 71)]
            count += 1
            if batch is not None and WITHOUT_BATCH.match(steps["texts"][label[1]]):
                problems.append(("a micro-batch", name, steps["texts"][label[1]], batch))
    return count


def check_sentences(page, problems):
    count = 0
    for number in re.findall(r"([\d,]*\d(?:\.\d+)?)\u00a0%", page.text):
        count += 1
        digits = number.replace(",", "").replace(".", "")
        if number in CONSTANTS or number in ("0", "100"):
            continue
        if float(number.replace(",", "")) >= 1 and len(digits) < 3 or float(number.replace(",", "")) == 0:
            problems.append(("fewer than three digits", number + " %"))
    for limit in re.findall(r"\u2265\s0(?:\.0+)?\s(?:ms|B|[KMGT]iB|%)", page.text):
        problems.append(("a limit that says nothing", limit))
    return count


failed = False
for path in sys.argv[1:]:
    page, problems = Page(open(path, encoding="utf-8").read()), []
    for rows in page.tables:
        check_columns(rows, problems)
    numbers = sum(cell[0] is not None for rows in page.tables for row in rows for _, cell in row)
    counts = numbers, check_sentences(page, problems), check_batches(page, problems)
    print(f"{path}: {counts[0]} cells, {counts[1]} percentages, {counts[2]} steps")
    for problem in problems[:10]:
        print("   ", *problem)
    failed = failed or bool(problems)
sys.exit(failed)
