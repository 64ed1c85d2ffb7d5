"""Reads what each output of the command says of runs into {place: number with its sign and unit}.

Sentences are places, too: a sentence without its numbers, and the position of a number in it.
"""
import csv
import html.parser
import io
import json
import re

SIGN = r"(?:>= |<= |~ )?"
# What is a name, though it has digits.
NAMES = re.compile(r"\b(?:[Rr]anks?|[Ss]tages?|batch) \d+(?:(?:, | and | to |-)\d+)*|\d+(?:st|nd|rd|th)\b")
NUMBERS = re.compile(rf"{SIGN}(?<![\w@.])(?:[+-]?\d[\d,]*(?:\.\d+)? to )?[+-]?\d[\d,]*(?:\.\d+)?(?: ?(?:%|ms|[KMG]iB|B)(?!\w))?")
KEYS = {"rank that waited": 3, "blocking calls": 4, "what": 3}  # how many cells name a row, if not one
KEYS_OF_PAGE = {("group", "call"): 3, ("rank", "waited for"): 5}


def plain(text):
    for escaped, character in (("\xa0", " "), ("\u2265", ">="), ("\u2264", "<="), ("\u2013", "-"), ("\u2212", "-")):
        text = text.replace(escaped, character)
    return text


def interval(of, name):
    """A number, or both ends of one that is not known exactly, as the command prints them."""
    least, most = of.get(f"{name}_least"), of.get(f"{name}_most")
    if least not in (None, "") or most not in (None, ""):
        return f">= {least}" if most in (None, "") else f"<= {most}" if least in (None, "") else f"{least} to {most}"
    return "unknown" if of.get(name) in (None, "") else str(of[name])


def sentences(text):
    """A sentence that is there twice is about different things."""
    found, seen = {}, set()
    for line in plain(text).split("\n"):
        if re.search(r"\S   ?\S", line) or re.match(r"  (all|rank|stage) ", line):
            continue  # a row of a table
        names = []
        line = NAMES.sub(lambda m: names.append(m[0]) or f"@{len(names) - 1}@", line)
        for clause in re.split(r"(?<=[;:.)])\s+|, | \(|\)", line):
            clause = clause.strip(" ;:.")
            numbers = NUMBERS.findall(clause)
            clause = re.sub(r"@(\d+)@", lambda m, names=names: names[int(m[1])], NUMBERS.sub("#", clause))
            for n, number in enumerate(numbers if re.search("[a-z]", clause) else ()):
                found[clause, n] = None if clause in seen else number
            seen.add(clause)
    return {place: number for place, number in found.items() if number}


def tables(text):
    """{(first name of the columns, row, column): cell}, of Markdown"""
    cells, heads = {}, None
    for line in text.split("\n"):
        if not line.startswith("|"):
            heads = None
            continue
        row = [re.sub(r"\\(.)", r"\1", cell).strip() for cell in line.strip("|").split("|")]
        if heads is None:
            heads = [re.sub(r"(>= |<= |~ )?[\d.]+ ms", "all", head) for head in row]
        elif not row[0].startswith("---"):
            count = KEYS.get(heads[0], 1)
            name = tuple("all" if cell.startswith("all ") else cell for cell in row[:count])
            for head, cell in zip(heads[count:], row[count:]):
                # A stage has two tables: of its ranks, and of its records.
                cells.setdefault((heads[0], heads[1], name, head), cell)
    return cells


class Page(html.parser.HTMLParser):
    BLOCKS = ("h1", "h2", "h3", "p", "li", "td", "th", "caption", "text", "title", "summary")

    def __init__(self, text):
        super().__init__()
        self.cells, self.lines, self.line, self.skip = {}, [], "", 0
        self.section = self.caption = ""
        self.rows = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.skip += tag in ("style", "script")
        if tag == "section":
            self.section = attributes.get("id")
        elif tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        if tag in self.BLOCKS:
            self.end_line()
        if attributes.get("aria-label"):
            self.lines.append(attributes["aria-label"])

    def handle_endtag(self, tag):
        self.skip -= tag in ("style", "script")
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append(plain(self.line).strip())
            self.end_line()
        elif tag == "caption":
            self.caption = self.line.strip()
            self.end_line()
        elif tag == "table":
            self.end_table()
        elif tag in self.BLOCKS:
            self.end_line()

    def handle_data(self, data):
        self.line += "" if self.skip else data

    def end_line(self):
        if self.line.strip():
            self.lines.append(re.sub(r"\s+", " ", self.line))
        self.line = ""

    def end_table(self):
        heads = self.rows[0]
        count = KEYS_OF_PAGE.get(tuple(heads[:2]), 1)
        for row in self.rows[1:]:
            for head, cell in zip(heads[count:], row[count:]):
                place = self.section, self.caption, heads[0], tuple(row[:count]), head
                self.cells[place] = None if place in self.cells else cell
        self.rows = []


def page(text):
    read = Page(text)
    return {**{place: cell for place, cell in read.cells.items() if cell}, **sentences("\n".join(read.lines))}


def picture(text):
    """The sums of all lanes, and what the account of each lane is."""
    words = [m[1].replace("&gt;", ">").replace("&lt;", "<") for m in re.finditer(r'<text[^>]*>(.*?)</text>', text)]
    cells = {("all", m[1]): m[2] for m in map(re.compile(rf"([a-z ]+) ({SIGN}[\d.]+)").fullmatch, words) if m}
    rank = None
    for title in re.findall(r"<title>([^<]*)</title>", text):
        title = title.replace("&gt;", ">").replace("&lt;", "<")
        if lane := re.match(r"rank (\d+)", title):
            rank = lane[1]
            for name, value in re.findall(r"([\w ]+): (.*) ms", title):
                cells[rank, name] = value
        elif part := re.match(rf"([a-z ]+) ({SIGN}[\d.]+) ms(?:, for .*)?\n(.*)\nfrom (.*) ms on", title):
            cells[rank, part[1], part[3], part[4]] = part[2]
    return cells


def waits(text):
    return {(row["late_rank"], row["waiting_rank"], row["group"]): interval(row, "waiting_ms")
            for row in csv.DictReader(io.StringIO(text))}


def bandwidth(text):
    found = {}
    for row in csv.DictReader(io.StringIO(text)):
        key = tuple(row.pop(name) for name in ("group", "function", "ranks", "where", "size_bytes"))
        for name in row:
            if not name.endswith(("_least", "_most")):
                found[key + (name,)] = interval(row, name)
    return found


def timeline(text):
    """What each slice waited. Slices that are alike are told apart by their duration."""
    found = {}
    for event in json.loads(text)["traceEvents"]:
        of = event.get("args", {})
        if event["ph"] == "X" and of.keys() & {"waiting_ms", "waiting_most_ms"}:
            key = event["pid"], event["name"], event["cat"], of.get("batch_id"), of["duration"]
            found[key] = interval({name.replace("_ms", ""): value for name, value in of.items()}, "waiting")
    return found


def arrows(text):
    """How long each arrow is, by the slices in which it ends. Without alignment, lost records move no clock."""
    slices, ends, found = {}, {}, {}
    events = json.loads(text)["traceEvents"]
    for event in events:
        if event["ph"] == "X":
            slices.setdefault((event["pid"], event["tid"]), []).append(event)
    for event in events:
        if event["ph"] in "sf":
            ends.setdefault((event["name"], event["id"]), {})[event["ph"]] = event
    for (name, _), arrow in ends.items():
        begin, end = arrow["s"], arrow["f"]  # neither is without the other
        around = [(x["name"], x["args"].get("batch_id"), round(x["dur"], 1)) for x in slices[end["pid"], end["tid"]]
                  if x["ts"] <= end["ts"] <= x["ts"] + x["dur"] + 0.001]
        place = name, end["pid"], tuple(around)
        found[place] = None if place in found else f"{(end['ts'] - begin['ts']) / 1e3:.3f} ms"
    return {place: length for place, length in found.items() if length}


def differences(text):
    found = {}
    for one in map(json.loads, text.splitlines()):
        for field in ("before", "after", "effect"):
            if one[field] is not None:
                found[one["item"], one["field"], field] = interval(one, field)
        if one["ratio"] is not None:
            found[one["item"], one["field"], "ratio"] = str(one["ratio"])
    return found


OF_ONE = (("summary --markdown", tables), ("summary", sentences), ("plot", picture), ("csv --of=waits", waits),
          ("csv --of=bandwidth", bandwidth), ("timeline", timeline), ("timeline --align=none", arrows), ("report", page))
OF_TWO = (("diff --markdown", tables), ("diff --json", differences), ("diff --markdown --by=operation", tables),
          ("diff --markdown --by=rank,group", tables), ("diff --markdown --by=stage", tables), ("report", page))
