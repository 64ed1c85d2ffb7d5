# Checks that the numbers of a report are those of summary --json, and that the page asks for nothing.
# usage: numbers.py WLFMT RUN_FOLDER...     writes NAME.html for each
import html.parser
import json
import os
import re
import subprocess
import sys

# What a column of a page is called, and in the summary.
OF_RANKS = {"work": ["work"], "transfer": ["transfer"], "waiting in the stage": ["in_stage"],
            "waiting for the pipeline": ["pipeline"], "gaps": ["gap"], "unknown": ["unknown", "communication"],
            "span": ["span"], "others waited for it": ["caused"]}
OF_STAGES = {"mean busy, ms": ["busy"], "a micro-batch": ["per_batch"], "bubble": ["bubble"],
             "before its first forward step": ["fill"], "after its last backward step": ["drain"]}
OF_GROUPS = {"calls": ["calls"], "bytes": ["bytes"], "transfer": ["transfer"], "waiting": ["waiting"],
             "unknown": ["unknown", "communication"], "hidden by work": ["overlapped"]}


class Tables(html.parser.HTMLParser):
    """Collects rows of tables: (attributes, {head of the column: data-v or text})."""
    def __init__(self):
        super().__init__()
        self.rows, self.data, self.heads, self.cells, self.into = {}, {}, [], [], None
        self.all, self.kind, self.sentences, self.is_sentence = [], "", [], False

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        assert "style" not in a and not any(k.startswith("on") for k in a), (tag, a)
        for key in ("href", "src", "srcset"):
            assert a.get(key, "#").startswith(("#", "data:image/png;")), a
        if tag == "table":
            self.heads, self.kind = [], a.get("class", "")
        elif tag == "tr":
            self.cells, self.row = [], a
        elif tag in ("th", "td"):
            self.cells.append([a.get("data-v"), "", a.get("scope")])
            self.into = "cell"
        elif tag == "script":
            self.into = a.get("id")
        elif tag in ("h1", "h2", "li"):
            self.sentences.append("")
            self.is_sentence = True

    def handle_data(self, text):
        if self.is_sentence:
            self.sentences[-1] += text
        if self.into == "cell":
            self.cells[-1][1] += text
        elif self.into:
            self.data[self.into] = self.data.get(self.into, "") + text

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "li"):
            self.is_sentence = False
        if tag in ("th", "td", "script"):
            self.into = None
        if tag == "tr" and self.cells and all(c[2] == "col" for c in self.cells):
            self.heads = [c[1] for c in self.cells]
        elif tag == "tr":
            values = {h: c[1] if c[0] is None else float(c[0]) for h, c in zip(self.heads, self.cells)}
            self.all += [(self.kind, h, c) for h, c in values.items() if isinstance(c, float)]
            for kind in ("data-rank", "data-group", "data-stage", "data-expert"):
                if kind in self.row:
                    self.rows[kind, self.row[kind]] = values


def compare(where, columns, shown, said):
    """Returns how many numbers are compared."""
    compared = 0
    for head, keys in columns.items():
        found = [v for h, v in shown.items() if h.lstrip("~\u2265\u2264\u00a0") == head]
        for key in keys:
            # A number that is not exact has its ends, of which the cell is sorted by one.
            ends = [said[end] for end in (key, key + "_least", key + "_most") if end in said]
            if not ends or not found:
                continue
            # A lower limit of 0 says nothing.
            assert found[0] in ends or (found[0] == "unknown" and ends[0] == 0), (where, head, found[0], ends)
            compared += 1
            break
        else:
            # What the summary does not know, the page does not show.
            assert not found or found[0] in (0, "", "\u2013", "unknown") or head == "unknown", (where, head, found[0])
    return compared


def compare_summaries(embedded, summary):
    said, whole = json.loads(embedded), json.loads(summary)
    if len(whole["answers"]["ranks"]) <= 64:
        assert embedded.strip() == summary.strip().replace("<", "\\u003c"), "the embedded summary differs"
        return
    # What grows with pairs of ranks is not on the page, which says so.
    left_out = said["answers"].pop("not_on_this_page")
    assert left_out == ["waits", "ranks.groups", "ranks.operations"], left_out
    del whole["answers"]["waits"]
    for rank in whole["answers"]["ranks"]:
        del rank["groups"], rank["operations"]
    assert said == whole, "the embedded summary differs"


def numbers(of):
    if isinstance(of, dict):
        of = list(of.values())
    if isinstance(of, list):
        for one in of:
            yield from numbers(one)
    elif isinstance(of, (int, float)) and not isinstance(of, bool):
        yield round(float(of), 4)


def at_end(of, end):
    """The answers with each number that is not exact at one of its ends; at the other one where that alone is known."""
    if isinstance(of, list):
        return [at_end(one, end) for one in of]
    if not isinstance(of, dict):
        return of
    filled = {key: at_end(value, end) for key, value in of.items()}
    for key in of:
        for known in ("_most", "_least"):
            name = key[:-len(known)]
            if key.endswith(known) and name not in of:
                filled[name] = of.get(name + end, of[key])
    return filled


def is_exact(of):
    return not any(key.endswith(("_least", "_most")) for key in of)


def compare_all(shown, answers):
    """Every number of a table is one of the answers, but for sums of pairs of ranks, times of single steps, and what is
    left of the iteration or of a call's bytes."""
    known = set(numbers(answers))
    for kind, head, value in shown:
        if kind == "matrix" or head in ("ms", "from, ms", "would take, ms", "bytes a call", "stage", "all",
                                        "of all", "of the iteration"):
            continue
        assert {round(value + d, 4) for d in (-1e-4, 0, 1e-4)} & known, (kind, head, value)
    # Who waited for whom adds up to what the answers have of waiting for a rank.
    of_all = len(answers["stages"]) > 1  # of one stage, the ranks' waiting in optimizer_step is a sentence
    if not all(map(is_exact, answers["waits"])):
        return
    waits = sum(w["ms"] for w in answers["waits"] if of_all or w["group"] != "model")
    in_matrices = sum(v for kind, head, v in shown if kind == "matrix" and head == "waited") / 2
    assert not in_matrices or abs(in_matrices - waits) < 1e-3 * max(1, len(answers["waits"])), (in_matrices, waits)


def digits(v):
    """Three significant digits, or those of a longer whole part."""
    if abs(v) < 1e-6:
        return "0"
    decimals = next((n for n in range(8) if abs(v) >= 99.95 / 10 ** n), 8)
    text = f"{v:,.{decimals}f}"
    while decimals > 2 and text.endswith("0"):
        text, decimals = text[:-1], decimals - 1
    return text


def percent(v):
    """What is not 100 % is not shown as such."""
    if digits(v) != "100" or abs(v - 100) < 1e-6:
        return digits(v)
    return next((text for text in (f"{v:.{n}f}" for n in range(1, 6)) if float(text) != 100), "100.00000")


def known_of(answers):
    """The times of the answers, and which of them are shown as parts of which others; and the bubble's shares."""
    totals, slow, replay = answers["totals"], answers.get("slowest_rank", {}), answers["replay"]
    times = set(numbers(answers))
    # Of a run that lacks a rank, the longest span that is there.
    times |= {max((r["span"] for r in answers["ranks"]), default=0)}
    caused = [0]
    for ms in sorted((r.get("caused", 0) for r in answers["ranks"]), reverse=True):
        caused.append(caused[-1] + ms)
    times |= set(caused)
    waiting = totals.get("waiting", 0)
    # What is unknown may be either, or neither.
    times |= {waiting + totals.get("transfer", 0), sum(g.get("exposed", 0) for g in answers["groups"])}
    exposed = waiting + totals.get("transfer", 0) + totals["unknown"]
    parts = [(v, totals["span"]) for v in (*(totals.get(k, 0) for k in ("work", "transfer", "in_stage", "pipeline", "gap",
                                                                       "unknown")), exposed)]
    rest = totals["span"] - totals.get("work", 0) - totals.get("gap", 0)
    parts += [(waiting, exposed), (totals["unknown"], exposed), (rest, totals["span"]), (waiting, rest)]
    parts += [(totals["unknown"], rest), *((c, totals.get("in_stage", 0)) for c in caused)]
    parts += [(s.get("busy", 0), answers.get("pipe_ms", 0)) for s in answers["stages"]]
    parts += [(r["gain"], replay["iteration"]) for r in replay["remedies"]]
    if "replayed" in replay:
        parts += [(abs(replay["replayed"] - replay["iteration"]), replay["iteration"])]
    return times, parts, [answers[k] for k in ("bubble_share", "bubble_equal_share") if k in answers]


def compare_sentences(sentences, answers):
    """Milliseconds and per cent of headings and of the verdict are answers, or what one is of another."""
    times, parts, ratios = known_of(at_end(answers, "_least"))
    more_times, more_parts, more_ratios = known_of(at_end(answers, "_most"))
    times |= more_times
    ratios += more_ratios
    for (a, b), (c, d) in zip(parts, more_parts):
        ratios += [min(100, 100 * part / of) if a < c or b < d else 100 * part / of for part in (a, c) for of in (b, d) if of > 0]
    # The last digit may be rounded from digits that JSON does not have.
    near = lambda v: (v * (1 - 1e-9) - 1e-4, v, v * (1 + 1e-9) + 1e-4)
    small = [v for v in (*times, *ratios) if abs(v) < 1]
    times = {digits(x) for v in times for x in near(v)}
    ratios = {percent(x) for v in ratios for x in near(v)} | {"0.5", "5"}
    count = 0
    for sentence in sentences:
        for value, unit in re.findall(r"([\d,]*\d(?:\.\d+)?)\u00a0(ms|%)", sentence):
            known = value in (times if unit == "ms" else ratios) or any(abs(float(value) - v) <= 1e-4 for v in small
                                                                        if value.startswith("0."))
            assert known, (value, unit, sentence)
            count += 1
    return count


def compare_lanes(page, answers):
    """What a lane draws of each class is what the answers have of it, to the hundredth of a millisecond of each stroke."""
    count = 0
    lanes = dict(re.findall(r'data-name="rank (\d+)".*?<svg class="time"[^>]*>(.*?)</svg>', page, re.S))
    for rank in answers["ranks"] if lanes else ():
        drawn = {}
        for path, dashes, kind in re.findall(r'<path d="M0 5([^"]*)"(?: stroke-dasharray="0([^"]*)")? class="(\w+)"',
                                             lanes[str(rank["rank"])]):
            strokes = re.findall(r" \d+ (\d+)", dashes) or re.findall(r"m\d+ 0h(\d+)", path)
            drawn[kind] = sum(map(int, strokes)) / 100, 0.01 * len(strokes) + 0.01
        for kind, key in (("work", "work"), ("transfer", "transfer"), ("stage", "in_stage"), ("pipeline", "pipeline"),
                          ("unknown", "unknown"), ("gap", "span")):
            ms, error = drawn.get(kind, (0, 0.01))
            if key + "_least" in rank or key + "_most" in rank:
                continue
            assert abs(ms - rank.get(key, 0)) <= error, (rank["rank"], kind, ms, rank.get(key, 0))
            count += 1
    return count


def check(wlfmt, run, path):
    subprocess.run([wlfmt, "report", run, "-o", path], stderr=subprocess.DEVNULL)
    summary = subprocess.run([wlfmt, "summary", "--json", run], capture_output=True, text=True).stdout
    page = open(path, encoding="utf-8").read()
    tables = Tables()
    tables.feed(page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", ""), "an address"
    if not summary:
        assert "summary" not in tables.data
        return
    answers = json.loads(summary)["answers"]
    compare_summaries(tables.data["summary"], summary)
    compared = 0
    for rank in answers["ranks"]:
        shown = tables.rows["data-rank", str(rank["rank"])]
        compared += compare(rank["rank"], OF_RANKS, shown, rank)
        parts = sum(v for h, v in shown.items() if isinstance(v, float) and h.lstrip("~\u2265\u2264\u00a0") in list(OF_RANKS)[:6])
        # Of intervals the cells are sorted by ends, which need not add up.
        exact = not any(key + end in rank for head in list(OF_RANKS)[:6] for key in OF_RANKS[head] for end in ("_least", "_most"))
        assert not exact or abs(parts - shown["span"]) < 1e-3 * max(1, len(answers["ranks"])), (rank["rank"], parts, shown["span"])
    if answers["ranks"]:
        compared += compare("all", OF_RANKS, tables.rows["data-rank", "all"], answers["totals"])
    for group in answers["groups"]:
        shown = tables.rows.get(("data-group", group["group"]))
        if shown:
            compared += compare(group["group"], OF_GROUPS, shown, group)
    for stage in answers["stages"]:
        shown = tables.rows.get(("data-stage", str(stage["stage"])))
        if shown:
            compared += compare(stage["stage"], OF_STAGES, shown, stage)
    if len(answers["imbalance"]) == 1:
        for rank, sent in zip(answers["imbalance"][0]["ranks"], answers["imbalance"][0]["bytes"]):
            shown = tables.rows.get(("data-expert", str(rank)))
            if shown:
                compared += compare(rank, {"bytes": ["bytes"]}, shown, {"bytes": sent})
    compare_all(tables.all, answers)
    compared += compare_sentences(tables.sentences, answers) + compare_lanes(page, answers)
    # The words of an unknown are not those of a number.
    if not answers["together"] and len(answers["ranks"]) > 1:
        assert "waiting in the stage" not in "".join(h for r in tables.rows.values() for h in r), "waiting is shown"
    print(f"{path}: {compared} numbers")


for folder in sys.argv[2:]:
    name = os.path.basename(folder.rstrip("/"))
    try:
        check(sys.argv[1], folder, name + ".html")
    except AssertionError:
        print(folder)
        raise
