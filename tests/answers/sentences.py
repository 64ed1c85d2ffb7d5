#!/usr/bin/env python3
"""Holds the sentences that each output prints of a run against each other: what one of them says, no other may deny, and
what is not known is not said to be nothing. Reads the words alone; the numbers are held by others.

usage: sentences.py WLFMT FOLDER COUNT [SEED]     COUNT random runs, small ones among them, most of them damaged
       sentences.py WLFMT RUN...                  these runs
"""
import html
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from small_runs import write_run  # noqa: E402

NUMBER = r"(?:>= |<= |~ )?(-?[\d,]+(?:\.\d+)?)"
SURE = r"(?:>= )?([\d,]+\.\d+)"


def printed(wlfmt, command, run, stream="stdout"):
    done = subprocess.run([wlfmt, *command.split(), run], capture_output=True, text=True, check=False)
    return getattr(done, stream)


def words_of_page(wlfmt, run):
    """The text of a report: its heading, and the sentences below it."""
    page = printed(wlfmt, "report", run)
    page = re.sub(r"<(style|script|svg).*?</\1>", "", page, flags=re.S)
    title = re.search(r"<h1>(.*?)</h1>", page, re.S)
    text = re.sub(r"<[^>]+>", "", page)
    return html.unescape(title.group(1) if title else "").replace("\xa0", " "), html.unescape(text).replace("\xa0", " ")


class Said:
    """What the sentences of a text say."""

    def __init__(self, text):
        self.text = text
        first = text.splitlines()[0] if text else ""
        self.headline = first
        self.slow_in_headline = self.find(rf"^Rank (\d+) works {NUMBER} times as long as its peers", first)
        self.ratio_in_headline = self.find(rf"^Rank \d+ works {NUMBER} times", first)
        self.slow = self.find(r"slowest rank: (\d+)")
        self.ratio = self.find(rf"slowest rank: .* of work, {NUMBER} times the median")
        self.nobody_slow = "slowest rank: none" in text
        self.slow_unknown = "slowest rank: not known" in text
        self.stage_in_headline = self.find(r"^Stage (\d+) takes", first)
        self.stage = self.find(r"slowest stage: (\d+)")
        self.stage_none = "slowest stage: none" in text
        self.stage_because_of = self.find(r"slowest stage: .*: because of rank (\d+)")
        self.slow_in_each = self.find(r"rank (\d+) is the slowest in each")
        self.none_in_any = "no rank is slow in any" in text
        self.remedies = dict(re.findall(rf"^  (\S.*?)  +(?:-?[\d,.]+ to )?{NUMBER}  +(?:\S+ to )?\S+%$", self.part(text, "what would change"), re.M))
        self.gain = (self.find(rf"(?:save|peers:|times:) {NUMBER} ms, ", first)
                     or self.find(rf": {NUMBER} ms, [\d.,]+ % of the iterations?", first))

    def find(self, pattern, text=None):
        found = re.search(pattern, self.text if text is None else text, re.M)
        return found.group(1) if found else None

    @staticmethod
    def part(text, title):
        at = text.find("  " + title)
        return "" if at < 0 else text[at:].split("\n\n")[0]


def contradictions(wlfmt, run):
    text = printed(wlfmt, "summary", run)
    said = Said(text)
    checked = printed(wlfmt, "check", run, "stderr")
    records_missing = re.search(r"lacks the|no log of rank|could not be read", text) is not None
    doubtful = re.search(r"contradict each other|clock says is not trusted|do not fit together", text) is not None
    rules = [
        (said.slow_in_headline and said.slow and said.slow != said.slow_in_headline and "; even work" not in said.headline
         and not re.search(r"^  rank \d+ working as its peers", text, re.M), "two ranks are the slowest"),
        (said.slow_in_headline and said.nobody_slow, "a rank is slow, and none is"),
        (said.slow_in_headline and said.slow_unknown and "is not known" not in said.headline
         and "working as its peers" not in text, "a rank is slow, and it is not known which is"),
        (said.slow_in_headline == said.slow and said.slow
         and abs(float(said.ratio_in_headline.replace(",", "")) / float(said.ratio) - 1) > 0.0051, "two ratios of a rank"),
        (said.slow and said.none_in_any, "a rank is slow, and none is in any iteration"),
        (said.slow_in_headline and said.none_in_any, "a rank is slow, and none is in any iteration"),
        (said.slow_in_each and said.nobody_slow, "a rank is slow in each iteration, and none is"),
        (said.slow_in_each and said.slow and said.slow_in_each != said.slow, "another rank is slow in each iteration"),
        (said.none_in_any and said.slow_unknown, "none is slow in any iteration, and it is not known who is"),
        (said.stage_in_headline and said.stage != said.stage_in_headline, "two stages are the slowest"),
        (said.stage_because_of and said.nobody_slow, "a stage is slow because of a rank, and no rank is slow"),
        ("ecords are missing" in said.headline and not records_missing, "records are missing, and none is named"),
        ("as records are missing" in text and not records_missing and not re.search(r"no time|below 0|no duration", text),
         "records are missing, and none is named"),
        (said.headline.startswith("Times contradict") and not doubtful, "times contradict each other, and none is named"),
        ("traced separately" in text and re.search(r"pipeline bubble: [\d.]", text), "traced separately, with a bubble"),
        ("what a remedy would gain is not known" in text and said.remedies, "gains are not known, and listed"),
        ("would save" in said.headline and not said.remedies, "a gain that is not in the list"),
        ("no time of a rank is compared" in text and "one moment" in text, "clocks that differ and do not"),
        (re.search(r"(?<![\d.<~= -])\d{3,}(?:\.\d+)?%", text) is not None and "100.0%" not in text, "more than the whole"),
        (re.search(r"  -\d+\.\d+  ", Said.part(text, "rank   stage")) is not None, "a time below 0"),
        (re.search(r">= 0 % of", text) is not None, "a limit that says nothing"),
    ]
    # What a run is said to lack or to contradict, its check says, too.
    lacks = len(re.findall(r"^  rank \d+ lacks the", text, re.M))
    rules.append((lacks and "lacks the" not in checked, "the summary says what is missing, check does not"))
    rules.append((lacks == 0 and "missing_call" in checked and "more call" not in text and "traced separately" not in text
                  and "were traced together is not known" not in text, "check says what is missing, the summary does not"))
    rules.append(("not those of one run: what each" in text and "contradicting_logs" not in checked, "contradicting logs are not in check"))
    rules.append((re.search("clock of rank .* set", text) and "doubtful_time" not in checked, "a clock that was set is not in check"))
    rules.append(("clock says is not trusted" in text and "doubtful_time" not in checked, "a doubtful time is not in check"))
    if said.remedies:
        sizes = {name: float(gain.replace(",", "")) for name, gain in said.remedies.items()}
        whole = float(re.search(rf"the iterations? takes? {SURE} ms", text).group(1).replace(",", ""))
        rules.append((any(gain > whole + 0.01 for gain in sizes.values()), "a gain beyond the iteration"))
        listed = [line for line in Said.part(text, "what would change").splitlines()[1:] if "limit: " not in line]
        gains = [gain for name, gain in sizes.items() if not name.startswith("limit: ")]
        if said.gain and len(gains) == len(listed) and not any(re.search(r"[<>]=|~| to ", line) for line in listed):
            gain = float(said.gain.replace(",", ""))
            rules.append((abs(gain - max(gains)) > 0.006 * max(gains) + 0.006, "the headline's gain is not the greatest"))
        rank = re.search(r"^  rank (\d+) working as its peers", text, re.M)
        if rank and said.slow_in_headline and ": " in said.headline:
            rules.append((rank.group(1) != said.slow_in_headline, "the gain in the headline is another rank's"))
    # What is exposed is what the groups have, and what is hidden is what overlaps.
    groups = [line.split() for line in Said.part(text, "group ").splitlines()[1:] if "one rank" not in line]
    exposed = said.find(r"exposed communication of all kinds, .*: ([\d.]+) ms, ")
    titles = Said.part(text, "group ").split("\n")[0]
    if exposed and not re.search(r"[<>]=| to |unknown", Said.part(text, "group ")):
        shown = [line[-3:] for line in groups]
        rules.append((abs(sum(float(e) for e, _, _ in shown if e != "-") - float(exposed)) > 0.01 * len(shown) + 0.01,
                      "the groups' exposed communication is not that of all kinds"))
        hidden = sum(float(o) for *_, o in shown if o != "-")
        rules.append(((hidden > 0) == ("computation: none" in text), "hidden, and not"))
        rules.append(("overlapped" not in titles, "no column of what is hidden"))
    # The page and the picture say of the run what the summary says.
    title, words = words_of_page(wlfmt, run)
    if words:
        plain = said.headline.replace(">= ", "").replace("<= ", "")
        for pattern in (r"Rank (\d+) works", r"Stage (\d+) takes"):
            here, there = re.search(pattern, plain), re.search(pattern, title)
            rules.append((here and there and here.group(1) != there.group(1), "the page names another in its title"))
        rules.append((said.slow and f"Rank {said.slow}" not in words and f"rank {said.slow}" not in words
                      and "anks" not in words, "the page does not name the slowest rank"))
        rules.append((said.slow_unknown and "No rank works more than 5" in words, "the page says none is slow"))
        rules.append((said.slow and "No rank works more than 5" in words, "the page says none is slow"))
        rules.append(("not known" in said.headline and re.search(r"Greatest gain", words), "the page has a gain"))
        rules.append((re.search(r"\bnan\b|\binf\b", words), "a number that is none"))
    return [what for is_wrong, what in rules if is_wrong]


def main(wlfmt, *args):
    bad = tried = 0
    if os.path.isdir(args[-1]) and not args[-1].isdigit():
        runs = [(path, path) for path in args]
    else:
        folder, count, seed = args[0], int(args[1]), int(args[2]) if len(args) > 2 else 1
        runs = ((f"run {n}", (folder, n, seed)) for n in range(count))
    for name, run in runs:
        if isinstance(run, tuple):
            folder, n, seed = run
            rng = random.Random(seed * 7901 + n)
            run = os.path.join(folder, "run")
            write_run(run, rng, rng.random() < 0.3)
        tried += 1
        found = contradictions(wlfmt, run)
        bad += bool(found)
        if found:
            print(f"{name}: {'; '.join(found)}\n{printed(wlfmt, 'summary', run)[:1500]}")
    print(f"{tried} runs, {bad} of which are said to be two things")
    return bad != 0 or tried == 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
