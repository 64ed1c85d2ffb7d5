#!/usr/bin/env python3
"""A reference reader of the three formats, written from docs/formats.md and from nothing else.

It is short rather than fast, and follows the order of the document: each function names the section that it implements.
It reads leniently (5.2), prints the interchange form (6) to standard output, and reports each problem on standard error
in a line `LINE:COLUMN: KIND`. The exit status is 0 if there was no problem, 1 if there was, and 2 if the arguments are
wrong. With --batch it answers requests, as README.md says.

usage: reader.py --kind=oplog|workload|table FILE
       reader.py --batch
"""

import json
import math
import re
import sys
from fractions import Fraction

# Texts are handled as one character a byte, so that positions are byte offsets (5.1).

BLANK = " \t\v\f\r"  # 0.2
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z|[+-]?[0-9]+[eE][+-]?[0-9]+\Z|[+-]?[0-9]+\Z")
INTEGER = re.compile(r"[+-]?[0-9]+\Z")
LEAST, GREATEST = -(2 ** 63), 2 ** 63 - 1


class Report:
    """The problems of a text, each with its place."""

    def __init__(self, text):
        self.text, self.found = text, []
        self.first, self.refused = None, False  # the error with which default reading ends
        self.begins = [0] + [n + 1 for n, byte in enumerate(text) if byte == "\n"]

    def add(self, kind, offset, warning=False):
        line = 0
        low, high = 0, len(self.begins)
        while high - low > 1:
            line = (low + high) // 2
            if self.begins[line] <= offset:
                low = line
            else:
                high = line
        self.found.append((low + 1, offset - self.begins[low] + 1, kind))
        if not warning and self.first is None:
            self.first = self.found[-1]

    def refuse(self, kind, offset):
        """Lenient reading ends with this error, too (5.2)."""
        self.add(kind, offset)
        self.refused = True


def unicode_of(text):
    """The text of these bytes; stray bytes become lone surrogates (6.1)."""
    return text.encode("latin-1").decode("utf-8", "surrogateescape")


def size_in_bytes(text):
    return len(text.encode("utf-8", "surrogateescape"))


class Digits(float):
    """An integer of more than 64 bits, or any other number that is printed by its digits."""

    def __new__(cls, digits):
        self = super().__new__(cls, 0.0)
        self.digits = digits
        return self

    def __repr__(self):
        return self.digits


def lines_of(text):
    """(begin, line without its LF) of each line; a byte order mark at the very beginning is no part of the text (0.2)."""
    begin = 3 if text.startswith("\xef\xbb\xbf") else 0
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield begin, text[begin:end], end < len(text)
        begin = end + 1


def kind_of_number(word, whole=False):
    """None if the word is a number of 0.3 that fits, else the kind of its error; `whole`: without a fraction."""
    if INTEGER.match(word):
        return None if LEAST <= int(word) <= GREATEST else "number_overflow"
    if not NUMBER.match(word):
        return "not_an_integer" if whole else "not_a_number"
    value = float(word)
    if math.isinf(value):
        return "number_overflow"
    if whole:
        exact = whole_of(word) if LEAST <= value <= GREATEST + 1 else None
        if exact is None:
            return "not_an_integer" if LEAST <= value <= GREATEST else "number_overflow"
        return None if LEAST <= exact <= GREATEST else "number_overflow"
    return None


def whole_of(word):
    """The integer that a number is by its digits; None if it has a fraction (2.6)."""
    mantissa, _, exponent = word.lower().partition("e")
    integer, _, fraction = mantissa.partition(".")
    digits = (integer + fraction).lstrip("+-").lstrip("0")
    zeros = int(exponent or 0) - len(fraction)
    if digits == "":
        return 0
    if zeros < 0:
        if digits[zeros:].strip("0") != "" or len(digits) + zeros <= 0:
            return None
        digits, zeros = digits[:zeros], 0
    return int(digits) * 10 ** zeros * (-1 if word.startswith("-") else 1)


def is_plain(text):
    """Whether writing the number of this text gives the same characters (6.1-7)."""
    if INTEGER.match(text):
        return str(int(text)) == text
    return repr(float(text)) == text


def value_of_number(word):
    """The value of a word that is a number: an int, or a float."""
    return int(word) if INTEGER.match(word) else float(word)


def is_rounded(word):
    """Whether the word is a decimal that a double may not hold (2.4)."""
    return not INTEGER.match(word) and abs(float(word)) >= 2 ** 53


# --- 1 Rank op logs -----------------------------------------------------------------------------------------------------

RANK = "[0-9]+"  # 1.3-9
HEAD = re.compile(r"(rank|stage):(" + RANK + r"):([A-Za-z_][A-Za-z0-9_:.-]*)\(")
KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)=")
SEPARATOR = re.compile(r",( ?)(?=[A-Za-z_][A-Za-z0-9_.]*=)")
NAMES = {"time_stamp": "timestamp", "stage": "mg_state"}  # 1.4
OPERATION = {"stage_id": "integer", "batch_id": "integer", "mg_state": "", "duration": "number", "description": "",
             "group_kind": "", "input__shape": "shape", "input__dtype": "", "timestamp": "number",
             "sub_operations": "list"}
NESTED = {"trace_src_func": "", "duration": "number", "timestamp": "number", "input__shape": "shape", "input__dtype": "",
          "func_name": "", "group": "", "comm_func": ""}
UNMEASURED = "Async operation, duration not measured"  # 1.4.1
LEVELS = "DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL"
# 0.7.2: a time or a date.
MOMENT = re.compile(r"(?<![A-Za-z0-9_.])[0-9]+(?:[.,T+][0-9]+)*[:/-][0-9]+(?:[:/.,T+-][0-9]+)*Z?")
# 0.7.2: a piece of a launcher's prefix, with the colon and the blanks after it.
PIECE = re.compile(r"(?:\[[^\]\n]{1,94}\]|\([^)\n]{1,94}\)|<[^>\n]{1,94}>|" + MOMENT.pattern + r"|[0-9]+(?=:)"
                   r"|(?:" + LEVELS + r"|std(?:out|err) [FP])(?![A-Za-z0-9_])|\x1b\[[0-9;]*\x1d):?[ \t\v\f\r]*")
TAIL = r"[ \t\v\f\r]*(?:\x1b\[[0-9;]*[mK][ \t\v\f\r]*)*\Z"
MARKED = re.compile(r"(?s).*(?:[:|\])>#-]|==|\xe2\x94\x82|\t" + MOMENT.pattern + ")" + TAIL +
                    r"|[ \t\v\f\r]*(?://|\*|\+)" + TAIL +
                    r"| *[0-9]+ *(?:\xe2\x94\x82|\xe2\x86\x92|->|\t)" + TAIL)


def with_ends(text):
    """The text with another byte in the place of the letter that ends a colour, which is no name's byte (4.2-2)."""
    return re.sub(r"(\x1b\[[0-9;]*)[mK]", "\\1\x1d", text)


def end_of_launcher(line, end):
    """The end of the pieces of a launcher's prefix (4.2), of which none is beyond `end`."""
    at, shown = 0, with_ends(line)
    for _ in range(16):
        piece = PIECE.match(shown, at) if at != end else None
        if not piece:
            break
        at = piece.end()
    return at


def is_prefix(line, end):
    """Whether line[:end] is a prefix before a record (4.2-3)."""
    return end_of_launcher(line, end) == end or (end <= 256 and MARKED.match(line[:end]) is not None)


def pattern_of(prefix):
    """The pattern of a given prefix, whose numbers may differ between lines (4.2-4 to 8.1-1)."""
    bare = prefix.rstrip(BLANK)
    blanks = "".join("(?:" + re.escape(blank) for blank in prefix[len(bare):])
    blanks += r"|[ \t\v\f\r]*\Z)" * (len(prefix) - len(bare))
    marked = re.match(r" *[0-9]+(?= *(?:\xe2\x94\x82|\xe2\x86\x92|->|\t)[ \t\v\f\r]*\Z)", prefix)
    if marked:
        return re.compile(" *[0-9]+" + re.escape(bare[marked.end():]) + blanks)
    grep = re.fullmatch(r"(?s)(?:(.*)([:-]))?[0-9]+([:-])", prefix)
    if grep and grep.group(2) in (None, grep.group(3)):
        mark = grep.group(3)
        return re.compile(digits_of(prefix, grep.end(1)) + mark + "[0-9]+" + mark if grep.group(2) else "[0-9]+" + mark)
    return re.compile(digits_of(prefix, len(bare)) + blanks)


def digits_of(prefix, end):
    """The pattern of the prefix up to that place; other digits may be in its moments."""
    pattern, at = "", 0
    for moment in MOMENT.finditer(with_ends(prefix)):
        first, last = min(moment.start(), end), min(moment.end(), end)
        pattern += re.escape(prefix[at:first]) + re.sub("[0-9]+", "[0-9]+", re.escape(prefix[first:last]))
        at = last
    return pattern + re.escape(prefix[at:end])


def end_of_list(text, begin, end):
    """The place of the `]` that ends the list at `begin`, or the kind and the place of what has no end (1.3, rule 3)."""
    at = begin + 1
    while at < end:
        if text[at] == "]":
            return at
        if text[at] in "'\"":
            close = end_of_string(text, at, end)
            if close is None:
                return "unterminated_string", at
            at = close
        at += 1
    return "unterminated_list", end


def end_of_string(text, quote, end):
    """The place of the quote that closes the string at `quote`."""
    at = quote + 1
    while at < end:
        if text[at] == "\\":
            at += 2
            continue
        if text[at] == text[quote]:
            return at
        at += 1
    return None


def next_separator(text, at, end, form=None):
    """The next separator (1.3, rule 2) of this form, or of either form."""
    for found in SEPARATOR.finditer(text, at, end):
        if form is None or found.group(1) == form:
            return found
    return None


def typed(text, written, kind=""):
    """The value of an attribute by its looks (6.1); `written` is the text before its escapes are read. `kind`: what the format
    says that it is; another number or list is one only if writing it gives the same characters (6.1-7)."""
    if written == "None":
        return None
    if written in ("True", "False"):
        return written == "True"
    if NUMBER.match(written):
        if kind not in ("integer", "number") and not is_plain(written):
            return unicode_of(text)
        value = value_of_number(written)
        if isinstance(value, int):
            return value if LEAST <= value <= GREATEST else Digits(str(value))
        return unicode_of(text) if math.isinf(value) else value
    items = shape_of(written)
    if items is None or (kind != "shape" and not all(is_plain(item) for item in re.findall("[+0-9-]+", written))):
        return unicode_of(text)
    return items


def shape_of(text):
    """The integers of a shape (1.4.1-4); None for any other text."""
    inside = re.fullmatch(r"(?:torch\.Size\()?\[( *[+-]?[0-9]+ *(?:, *[+-]?[0-9]+ *)*| *)\](\))?", text)
    if not inside or (inside.group(2) is not None) != text.startswith("torch"):
        return None
    items = [int(n) for n in inside.group(1).split(",")] if inside.group(1).strip() else []
    return items if all(LEAST <= n <= GREATEST for n in items) else None


ESCAPE = re.compile(r"\\(?:([\\'\"abtnvfr])|([0-7]{1,3})|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.S)
LETTERS = {"a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}


def unescape(text):
    """What a quoted string means, and the place of its first bad escape or None (1.5.2)."""
    out, at, bad = [], 0, None
    for found in ESCAPE.finditer(text):
        out.append(unicode_of(text[at:found.start()]))
        letter, octal, x, u, big, other = found.groups()
        point = int(octal, 8) if octal else int(x or u or big or "0", 16)
        if letter:
            out.append(LETTERS.get(letter, letter))
        elif other is None and point <= 0x10FFFF:
            out.append(unicode_of(chr(point).encode("utf-8", "surrogatepass").decode("latin-1")))
        else:
            if (other is None or other in "xuUN") and bad is None:
                bad = found.start()
            out.append("\\")
            at = found.start() + 1  # the character after it may have several bytes
            continue
        at = found.end()
    return "".join(out) + unicode_of(text[at:]), bad


def is_meant(line, place):
    """Whether the line is meant to be a record from there on, and has no head (5.3-2)."""
    return re.match(r"(?:rank|stage):" + RANK + r":[^ \t\v\f\r]", line[place:]) is not None and "(" in line[place:] and \
        line.rstrip(BLANK).endswith(")")


def place_of_record(line):
    """Where a record, or what is meant to be one, begins in the line after any prefix (4.2-8)."""
    for found in re.finditer("(?:rank|stage):" + RANK + ":", line):
        place = found.start()
        if (HEAD.match(line, place) or is_meant(line, place)) and (place == 0 or is_prefix(line, place)):
            return place
    return None


class Operations:
    """Reads the lines of an op log (5.3)."""

    def __init__(self, text, report, prefix=None, strict=False):
        self.text, self.report, self.records = text, report, []
        self.pattern, self.strict = pattern_of(prefix) if prefix else None, strict
        any_line = False
        for begin, line, _ in lines_of(text):
            any_line = self.read_line(begin, line) or any_line
        if not any_line:
            report.refuse("no_records", len(text))

    def read_line(self, begin, line):
        """Whether the line is a record, a refused one too."""
        place = self.place_of_given(line) if self.pattern else place_of_record(line)
        head = HEAD.match(line, place) if place is not None else None
        if head:
            self.read_record(begin, line.rstrip(BLANK), head)
        elif (place is not None and is_meant(line, place)) or (self.strict and not self.is_blank(line, place)):
            self.report.add("foreign_text", begin)
        return head is not None

    def is_blank(self, line, place):
        """Whether the line has nothing but a prefix (5.3-3)."""
        rest = line.rstrip(BLANK)
        after = (place or 0) if self.pattern else end_of_launcher(rest, len(rest))
        return len(rest) <= after

    def place_of_given(self, line):
        found = self.pattern.match(line)
        return found.end() if found else None

    def read_record(self, begin, line, head):
        add = lambda kind, at: self.report.add(kind, begin + at)
        record = [(head.group(1), int(head.group(2))), ("op", head.group(3))]
        if int(head.group(2)) > GREATEST:
            return add("number_overflow", head.start(2))
        at, end = head.end(), len(line)
        if not line.endswith(")"):  # 5.3.1, step 2
            end = self.end_of_cut(line, at, add)
            if end is None:
                return None
        else:
            end -= 1
        attributes = []
        for name, key, first, last in self.split(line, at, end, add):
            attributes.append((name, key, first, last))
        values, lost = self.values_of(line, attributes, end, OPERATION, NAMES, add, record)
        if not lost:
            self.records.append(values)
        return None

    def end_of_cut(self, line, at, add):
        """The place of the `)` that ends a record which more text follows, or None (5.3.1, step 2)."""
        for name, key, first, _ in self.split(line, at, len(line), lambda kind, place: None):
            if name == "sub_operations" and line[first:first + 1] == "[":
                found = end_of_list(line, first, len(line))
                if isinstance(found, tuple):
                    add(*found)
                    return None
                if line[found + 1:found + 2] == ")":
                    after = found + 2
                    while line[after] in BLANK:
                        after += 1
                    add("text_after_record", after)
                    return found + 1
                break
        add("unterminated_record", len(line))
        return None

    def split(self, line, at, end, add):
        """The attributes of line[at:end]: name, place of the key, begin and end of the value (1.3, rule 2)."""
        if at == end:
            return
        form = None
        if not KEY.match(line, at, end):  # 5.3.2
            add("key_expected", at)
            found = next_separator(line, at, end)
            if not found or re.search(r"\[['\"]", line[at:found.start()]):
                return
            form, at = found.group(1), found.end()
        while True:
            key = KEY.match(line, at, end)
            first = key.end()
            look_from = first
            if key.group(1) == "sub_operations" and line[first:first + 1] == "[":
                if re.search(r"['\"]\]\Z", line[first:end]) or line[first:end] == "[]":
                    yield key.group(1), key.start(), first, end
                    return
                found = end_of_list(line, first, min(end + 1, len(line)))
                look_from = end if isinstance(found, tuple) else found + 1
            separator = next_separator(line, look_from, end, form)
            last = separator.start() if separator else end
            yield key.group(1), key.start(), first, last
            if not separator:
                return
            form, at = separator.group(1), separator.end()

    def values_of(self, line, attributes, end, known, names, add, values, escaped=False):
        """Types the attributes (5.3.1, steps 4 to 7). Returns the values, and whether the line is lost."""
        seen, strings = set(), None
        for name, key, first, last in attributes:
            known_as = names.get(name, name)
            kind, written = known.get(known_as), line[first:last]
            text = unescape(written)[0] if escaped else written
            if kind is not None and known_as in seen:
                add("duplicate_key", key)
                kind = None
            elif kind is not None:
                seen.add(known_as)
            if kind == "list":
                close, lost = self.end_of_list(line, first, last, end, add)
                if lost:
                    return values, True
                items = None if close is None else []
                values.append((name, items))
                if close is not None:
                    strings = (items, first + 1, close)
                    if line[close + 1:close + 2] == ")" and close + 1 < end:
                        break
                continue
            wrong = kind in ("integer", "number") and written != "None" and self.wrong_number(written, kind, known_as)
            if wrong:
                add(wrong, first)
            kind = None if wrong == "number_overflow" else kind
            values.append((name, typed_text(text, written, kind) if escaped else typed(text, written, kind)))
        if strings:
            strings[0].extend(self.strings_of(line, strings[1], strings[2], add))
        return values, False

    @staticmethod
    def wrong_number(written, kind, name):
        if kind == "integer":
            if INTEGER.match(written):
                return None if LEAST <= int(written) <= GREATEST else "number_overflow"
            if NUMBER.match(written) and math.isinf(float(written)):
                return "number_overflow"
            return "not_an_integer"
        if written in ("nan", "inf", "-inf") or (name == "duration" and written == UNMEASURED):
            return None
        return kind_of_number(written)

    def end_of_list(self, line, first, last, end, add):
        """The `]` of sub_operations, None for None, and whether the line is lost (5.3.1-5)."""
        if line[first:last] == "None":
            return None, False
        if line[first:first + 1] != "[":
            add("bad_list", first)
            return None, True
        if re.search(r"['\"]\]\Z", line[first:end]) or line[first:end] == "[]":
            return end - 1, False
        close = end_of_list(line, first, min(end + 1, len(line)))
        if isinstance(close, tuple):
            add(*close)
            return None, True
        rest = line[close + 1:last]
        after = len(rest) - len(rest.lstrip(BLANK))
        if rest.startswith(")"):
            after = close + 2
            while after < len(line) - 1 and line[after] in BLANK:
                after += 1
            add("text_after_record", after)
        elif rest.strip(BLANK):
            add("bad_list", close + 1 + after)
            return None, True
        return close, False

    def strings_of(self, line, at, close, add):
        items = []
        while True:
            while at < close and line[at] in BLANK:
                at += 1
            if at == close:
                return items
            if line[at] not in "'\"":
                add("bad_list", at)
                return items
            last = end_of_string(line, at, close)
            if last is None:
                add("unterminated_string", at)
                return items
            items.append(self.nested(line, at + 1, last, add))
            at = last + 1
            while at < close and line[at] in BLANK:
                at += 1
            if at == close:
                return items
            if line[at] != ",":
                add("bad_list", at)
                return items
            at += 1

    def nested(self, line, first, last, add):
        """One string of the list (1.5)."""
        text, bad = unescape(line[first:last])
        if bad is not None:
            add("bad_escape", first + bad)
        if not KEY.match(line, first, last):
            return text
        attributes = list(self.split(line, first, last, add))
        return Pairs(self.values_of(line, attributes, last, NESTED, {}, add, [], escaped=True)[0])

    def lines(self):
        return [Pairs(record) for record in self.records]


def typed_text(text, written, kind):
    """The value of an attribute of a nested operation: typed as it is written, escapes read where it is a text."""
    value = typed(written, written, kind)
    return text if isinstance(value, str) else value


class Pairs(list):
    """The members of an object in their order; a name may repeat."""




# --- 2 Workload files ---------------------------------------------------------------------------------------------------

TARGETS = ["target_model_sha256", "target_step_sha256", "target_routing_sha256", "target_memory_event_plan_sha256",
           "target_workload_sha256"]
COUNTED = {"model_parallel_NPU_group", "ep", "expert_parallel_npu_group", "pp", "vpp", "ga", "all_gpus"}
NUMBERS = COUNTED | {"pp_comm", "DLRM_LAST_BOTTOM_LAYER"}
BELOW_ZERO = COUNTED | {"pp_comm"}
INDEX_LISTS = {"checkpoints", "checkpoint_initiates"}
TARGET = re.compile(r"sha256:[0-9a-f]{64}\Z")
WORD = re.compile(r"[^ \t\v\f\r]+")
PHASES = ["forward", "input_grad", "weight_grad"]


def words_of(begin, line):
    return [(begin + word.start(), word.group()) for word in WORD.finditer(line)]


class Workload:
    """Reads a workload file (5.4)."""

    def __init__(self, text, report, prefix=None, strict=False):
        self.report, self.out, self.header, self.targets = report, [], Pairs(), []
        lines = [(begin, words_of(begin, line)) for begin, line, _ in lines_of(text)]
        lines = [(begin, words) for begin, words in lines if words]
        if not lines:
            return report.refuse("no_records", len(text))
        self.policy = lines[0][1][0][1]
        self.read_header(lines[0][1])
        self.head = Pairs([("policy", unicode_of(self.policy)), ("header", self.header)])
        self.out.append(self.head)
        self.declared, rest = None, lines[1:]
        if not rest:
            report.add("missing_layer_count", len(text))
        elif len(rest[0][1]) in (12, 13) or self.has_targets(rest[0][1]):
            report.add("missing_layer_count", rest[0][1][0][0])
        else:
            self.read_count(rest[0][1])
            rest = rest[1:]
        self.read_layers(rest)

    def add(self, kind, at):
        self.report.add(kind, at)

    def read_header(self, words):
        at, policy = words[0]
        if policy.startswith("\xef\xbb\xbf"):
            self.add("header_value", at)
        elif NUMBER.match(policy):
            self.add("header_value", at)
        end = words[-1][0] + len(words[-1][1])
        words = words[1:]
        if policy in ("HYBRID_DLRM", "HYBRID_DLRM_ENHANCED") and words and INTEGER.match(words[0][1]):
            self.take_number("DLRM_LAST_BOTTOM_LAYER", *words.pop(0))
        self.reported = None  # a colon that was reported with the key before it (5.4.2-2)
        while words:
            words = self.read_entry(words)
        present = [name for name in TARGETS if any(name == key for key, _ in self.header)]
        if present and len(present) < 5:
            self.add("header_value", end)
        if len(present) == 5:
            self.targets = [next(value for key, value in self.header if key == name) for name in TARGETS]

    def report_colon(self, at, word):
        if at != self.reported:
            self.add("header_value", at)
        self.reported = at if word == ":" else None

    def read_entry(self, words):
        at, word = words[0]
        words = words[1:]
        key = word[:-1] if word.endswith(":") else word
        number = key in NUMBERS or key in INDEX_LISTS
        if words and words[0][1] == ":":
            self.report_colon(*(words[0] if key else (at, word)))
            self.header.append((unicode_of(key), ""))
            return words
        if not words or (number and words[0][1].endswith(":")):
            self.add("header_value", at + len(word))
            self.reported = None
            self.header.append((unicode_of(key), ""))
            return words
        if key == "" or key.endswith(":"):
            self.report_colon(at, word)
        self.reported = None
        if key in INDEX_LISTS:
            return self.read_list(key, words)
        if key in NUMBERS:
            self.take_number(key, *words[0])
        elif key in TARGETS:
            if not TARGET.match(words[0][1]):
                self.add("header_value", words[0][0])
            self.header.append((key, unicode_of(words[0][1])))
        else:
            self.header.append((unicode_of(key), self.value_of(words[0][1])))
        return words[1:]

    @staticmethod
    def value_of(word, exact=True):
        """A value of the header; `exact`: one that the format does not define (6.3-3)."""
        if exact and INTEGER.match(word) and is_plain(word):
            return int(word) if LEAST <= int(word) <= GREATEST else Digits(word)  # beyond 64 bits, too (6.1-3)
        if not NUMBER.match(word) or kind_of_number(word) is not None:
            return unicode_of(word)
        if is_rounded(word):
            whole = None if exact or kind_of_number(word, whole=True) is not None else whole_of(word)
            return unicode_of(word) if whole is None else whole
        return value_of_number(word) if not exact or is_plain(word) else unicode_of(word)

    def take_number(self, key, at, word):
        kind = kind_of_number(word)
        if kind is None and is_rounded(word):
            kind = kind_of_number(word, whole=True)
        if kind:
            self.add(kind, at)
        elif key in BELOW_ZERO and value_of_number(word) < 0:
            self.report.add("negative_value", at, warning=True)
        self.header.append((key, self.value_of(word, exact=False)))

    def read_list(self, key, words):
        at, word = words[0]
        kind = "not_an_integer" if not INTEGER.match(word) else kind_of_number(word)
        if kind is None and int(word) < 0:
            kind = "not_an_integer"
        if kind:
            self.add(kind, at)
            self.header.append((key, self.value_of(word)))
            return words[1:]
        count, end = int(word), at + len(word)
        indices = []
        while len(indices) < count and len(indices) + 1 < len(words):
            n = words[len(indices) + 1]
            if not INTEGER.match(n[1]) or kind_of_number(n[1]):
                break
            indices.append(n)
            end = n[0] + len(n[1])
        if len(indices) == count:
            self.header.append((key, [int(n[1]) for n in indices]))
        else:
            rest = words[len(indices) + 1:]
            self.add("header_value", rest[0][0] if rest else end)
            self.reported = rest[0][0] if rest and rest[0][1] == ":" else None
            self.header.append((key, self.value_of(self.report.text[at:end])))
        return words[len(indices) + 1:]

    def read_count(self, words):
        at, word = words[0]
        kind = kind_of_number(word, whole=True)
        if kind:
            self.add(kind, at)
        elif float(word) < 0:
            self.add("negative_value", at)
        else:
            self.declared, self.declared_at = whole_of(word), at
            self.head.append(("declared_layers", self.declared))
        if len(words) > 1:
            self.add("text_after_count", words[1][0])

    def wrong_field(self, n, word):
        """The kind of the error of the field, or None (2.6)."""
        if n in (1, 4, 7, 10):
            return kind_of_number(word, whole=True)
        if n in (2, 5, 8, 11):
            return kind_of_number(word)
        return None

    def is_readable(self, fields):
        """Whether the first twelve fields are of their types."""
        return len(fields) >= 12 and all(self.wrong_field(n, fields[n]) is None for n in range(12))

    def looks_like_layer(self, words):
        """5.4.1-1"""
        fields = [word for _, word in words]
        is_sized = len(fields) in (12, 13) or self.has_targets(words)
        return self.is_readable(fields) or (is_sized and self.wrong_field(1, fields[1]) is None)

    def is_related(self, words):
        """Whether the first layer is one of a near relative (5.5)."""
        fields = [word for _, word in words]
        if len(self.targets) == 5 or self.has_targets(words):
            return False
        if len(fields) in (17, 21, 24):
            return True
        if self.is_readable(fields):
            return False
        return fields[0] == "Layername" or (len(fields) >= 11 and not any(NUMBER.match(word) for word in fields[:12]))

    def read_layers(self, lines):
        seen, told = 0, False
        for _, words in lines:
            past = self.declared is not None and seen >= self.declared
            if past and not self.looks_like_layer(words):
                if not told:
                    self.add("text_after_layers", words[0][0])
                told = True
                continue
            if seen == 0 and not past and self.is_related(words):
                return self.report.refuse("related_format", words[0][0])
            seen += 1
            self.read_layer(words)
        if self.declared is not None and seen != self.declared:
            self.report.add("layer_count_mismatch", self.declared_at, warning=seen > self.declared)
        return None

    def has_targets(self, words):
        """2.6.1-2"""
        if len(words) in (17, 18) and all(TARGET.match(word) for _, word in words[-5:]):
            return True
        return len(self.targets) == 5 and len(words) == self.own_fields() + 5

    def own_fields(self):
        return 13 if self.policy == "HYBRID_CUSTOMIZED" else 12

    def read_layer(self, words):
        with_targets = self.has_targets(words)
        right = len(words) == self.own_fields() + (5 if with_targets or self.targets else 0)
        if not right:
            self.add("field_count", words[0][0])
        for n, (at, word) in enumerate(words[:12]):
            kind = self.wrong_field(n, word)
            if kind:
                if right:
                    self.add(kind, at)
                return
        if len(words) < 12:
            return
        for n, (at, word) in enumerate(words[:12]):
            if n in (3, 6, 9) and NUMBER.match(word):
                self.add("related_format", at)
            if n in (2, 4, 5, 7, 8, 10, 11) and float(word) < 0:
                self.report.add("negative_value", at, warning=True)
        values = [word for _, word in words]
        layer = Pairs([("name", unicode_of(values[0])), ("dependency", whole_of(values[1]))])
        for n, phase in enumerate(PHASES):
            time, collective, size = values[2 + 3 * n:5 + 3 * n]
            layer.append((phase, Pairs([("compute", value_of_number(time)), ("comm", unicode_of(collective)),
                                        ("bytes", whole_of(size))])))
        layer.append(("update", value_of_number(values[11])))
        own = len(values) - 5 if with_targets else len(values)
        if own > 12:
            layer.append(("policy", unicode_of(values[12])))
        if with_targets:
            for (at, word), name in zip(words[-5:], TARGETS):
                if unicode_of(word) != next((value for key, value in self.header if key == name), None):
                    self.add("header_mismatch", at)
            layer.append(("further", [unicode_of(word) for word in values[-5:]]))
        self.out.append(layer)

    def lines(self):
        return self.out


# --- 3 Profiler summary tables ------------------------------------------------------------------------------------------

GROUP = re.compile(r"[-=]+")
COLOUR = r"(?:\x1b\[[0-9;]*[mK]|\x1b(?:\[[0-9;]*)?(?=\s*\Z))"  # at a line's end one may be cut off (8.4-3)
COLOURS = re.compile(COLOUR)
RULE = re.compile(r"(?:\s|C)*[-=]{3,}(?:C*\s(?:\s|C)*[-=]{3,})+(?:\s|C)*\Z".replace("C", COLOUR))
CUT_RULE = re.compile(r"(?:\s|C)*[-=]{3,}(?:C*\s(?:\s|C)*[-=]{3,})*C*\s(?:\s|C)*[-=]{1,2}C*\r?\Z".replace("C", COLOUR))
OWN = re.compile(r"(?:[-=]|\s|C)*".replace("C", COLOUR))  # before a table: what is no prefix (4.2-10)
AT_ENDS = re.compile(r"\A(?:\s|C)+|(?:\s|C)+\Z".replace("C", COLOUR))
PHRASE = re.compile(r"\S+(?:[ \u00a0]\S+)*")
NAME = re.compile(r"\S+(?:\s\S+)*")
TOTAL = re.compile(r"\s*((?:Self[ \u00a0])?(?:[A-Za-z0-9_]|[^\x00-\x7f\s])+[ \u00a0]time[ \u00a0]total):\s*(\S+)\s*\Z")
FIGURE = r"[+-]?[0-9]+(?:\.[0-9]+)?"
TIME = re.compile(FIGURE + r"[ \u00a0]?(ns|us|\u00b5s|\u03bcs|ms|s|min)\Z")
PERCENT = re.compile(FIGURE + r"[ \u00a0]?%\Z")
MEMORY = re.compile(FIGURE + r"[ \u00a0]?([KMGTkmgt]?)[Bb]\Z")
MISSING = ("", "--", "NaN", "nan", "NaN%", "nan%")
DEVICE = r"(?:[A-Z][A-Z0-9_]*|PrivateUse1)"
KNOWN = re.compile(r"(?:Name|Overload Name|Full Name|# of Calls|# Calls|Number of Calls|Calls|Node ID|Input Shapes|"
                   r"Source Location|Total [KMGTP]?FLOPs|[KMGTP]?FLOPS(?:/s)?|"
                   r"(?:Self )?DEV(?: Mem| total| total %| time total)|Self DEV(?: %)?|DEV time(?: avg)?)\Z"
                   .replace("DEV", DEVICE))
PYTORCH = re.compile(KNOWN.pattern.replace(DEVICE, "(?:CPU|CUDA|XPU|HPU|NPU|MTIA|MUSA|PRIVATEUSE1)"))


def spelled(name):
    """A name of PyTorch's in which no-break spaces are in the place of spaces (3.4)."""
    plain = name.replace("\u00a0", " ")
    return plain if PYTORCH.match(plain) else name


def total_of(line):
    """The name and the begin and text of the value of a line that is a total, or None; no-break spaces may be in the name of
    one that PyTorch prints."""
    total = TOTAL.match(line.text)
    name, value = (line.part(total.start(1), total.end(1) + 1)[:-1], line.part(*total.span(2))) if total else (" ", None)
    return (spelled(name), total.start(2), value) if TOTAL.match(name + ": 0") and "\u00a0" not in spelled(name) else None


FENCE = re.compile(r"\s*(`|~)\1\1")
SCALE = {"ns": Fraction(1, 1000), "us": 1, "\u00b5s": 1, "\u03bcs": 1, "ms": 1000, "s": 1000000, "min": 60000000}


def unit_of(name):
    """What the cells of a column are, by its name (3.6)."""
    if name in ("Name", "Overload Name", "Input Shapes"):
        return "text"
    if name == "Source Location":
        return "source"
    for part, unit in (("Mem", "bytes"), ("%", "percent"), ("FLOP", "flops"), ("Calls", "count")):
        if part in name:
            return unit
    if name == "Node ID":
        return "count"
    if "time" in name or "total" in name or name.startswith("Self "):
        return "time"
    return "other"


MOST_COLUMNS = 128  # 3.3-5
MEASURED = ("time", "percent", "bytes", "count", "flops")


def scaled(text, unit, factor):
    """The figure times the factor, rounded once."""
    figure = text[:-len(unit)].rstrip() if unit else text
    value = Fraction(figure) * factor
    try:
        result = float(value)
    except OverflowError:
        return math.inf
    return -0.0 if result == 0 and figure.startswith("-") else result


def cell_of(text, unit):
    """The value of a cell, and the kind of its error or None."""
    if unit == "text":
        return text, None
    if text in MISSING:
        return None, None
    if unit == "other":
        for one in ("percent", "time"):
            value, kind = cell_of(text, one)
            if kind is None and text != "0":
                return value, None
        kind = kind_of_number(text)
        return (value_of_number(text), None) if kind is None else (text, None)
    value = 0 if text == "0" and unit in ("time", "percent", "bytes") else measure_of(text, unit)
    if unit == "count" and INTEGER.match(text) or unit == "flops":
        value = value_of_number(text) if kind_of_number(text) is None else None
    if value is not None and not math.isinf(value):
        return value, None
    if kind_of_number(text) == "number_overflow" or math.inf in [measure_of(text, one) for one in ("time", "percent", "bytes")]:
        return text, "number_overflow"
    return text, "not_an_integer" if unit == "count" else "not_a_number"


def measure_of(text, unit):
    """The figure of a cell of this unit times the cell's own, beyond a double infinity; None if it is no such cell."""
    if unit == "time" and TIME.match(text):
        suffix = TIME.match(text).group(1)
        value = scaled(text, suffix, SCALE[suffix])
    elif unit == "percent" and PERCENT.match(text):
        value = scaled(text, "%", 1)
    elif unit == "bytes" and MEMORY.match(text):
        letter = MEMORY.match(text).group(1)
        value = scaled(text, text[-1 - len(letter):], 1024 ** " KMGT".index(letter.upper() or " "))
    else:
        return None
    return value


# What may follow each column in the order of PyTorch's (8.6); `*` is a device, `+` a multiple.
LAST = ["Node ID", "Input Shapes", "Source Location", "Total +FLOPs"]
ORDER = {
    "Name": ["Self CPU %", "Overload Name", "Self CPU total %", "CPU time"], "Overload Name": ["Self CPU %"],
    "Self CPU %": ["Self CPU"], "Self CPU": ["CPU total %"], "CPU total %": ["CPU total"], "CPU total": ["CPU time avg"],
    "CPU time avg": ["Self *", "* total %", "CPU Mem", "# of Calls", "Number of Calls"],
    "Self *": ["Self * %"], "Self * %": ["* total"], "* total": ["* time avg"],
    "* time avg": ["CPU Mem", "# of Calls", "Number of Calls"], "CPU Mem": ["Self CPU Mem"],
    "Self CPU Mem": ["# of Calls", "* Mem"], "* Mem": ["Self * Mem"], "Self * Mem": ["# of Calls"],
    "# of Calls": LAST, "Node ID": LAST[1:], "Input Shapes": LAST[2:], "Source Location": LAST[3:], "Total +FLOPs": [],
    "Number of Calls": ["Input Shapes"], "Self CPU total %": ["Self CPU total"], "Self CPU total": ["CPU total %"],
    "* total %": ["* total"], "CPU time": ["* time"], "* time": ["Calls"], "Calls": ["CPU total of 1.0"],
    "CPU total of 1.0": ["* total of 1.0"], "* total of 1.0": [],
}
BLANKS = (" of 1.0", "")


def pattern_of_name(printed):
    text = re.escape(printed.replace(*BLANKS)).replace("\\*", "[A-Z][A-Za-z0-9_]*").replace("\\+", "[KMGTP]?")
    return re.compile(text)


def is_beginning(name, printed):
    """Whether the name is the beginning of one that is printed so."""
    at = 0
    for letter in printed.replace(*BLANKS):
        if at == len(name):
            return True
        if letter == "*":
            device = re.compile("[A-Z][A-Za-z0-9_]*").match(name, at)
            if not device:
                return False
            at = device.end()
        elif letter == "+":
            at += name[at] in "KMGTP"
        elif name[at] == letter:
            at += 1
        else:
            return False
    return False


DEVICES = ("CUDA", "XPU", "HPU", "NPU", "MTIA", "MUSA", "PRIVATEUSE1")
OWN_DEVICE = re.compile(r"(?:Self (DEV)(?: %| Mem| total| total %| time total)?|(DEV) (?:Mem|total|total %|time total|time|time avg))\Z"
                        .replace("DEV", DEVICE))


def wholes_of(printed, device):
    """The names that are printed so, for one device or for all."""
    fills = [device] if device else DEVICES
    scales = ("", "K", "M", "G", "T", "P")
    printed = printed.replace(*BLANKS)
    return [printed.replace("*", fill) for fill in fills] if "*" in printed else [printed.replace("+", one) for one in scales]


class Line:
    """A line of a table: characters, not bytes (3.3)."""

    def __init__(self, begin, skipped, line, ended):
        self.begin, self.skipped, self.ended = begin, skipped, ended  # skipped: bytes of its prefix
        self.gap = None  # the blank line after it that is passed over (8.3-7)
        self.all = unicode_of(line[skipped:])
        # Colours take no place: the text has none. `at`: where its characters are in the line (8.4-3).
        self.text, self.at, end = "", [], 0
        for colour in list(COLOURS.finditer(self.all)) + [None]:
            begin, end = end, colour.start() if colour else len(self.all)
            self.text, self.at = self.text + self.all[begin:end], self.at + list(range(begin, end))
            end = colour.end() if colour else end
        self.at.append(len(self.all))
        self.width = len(self.text) - len(self.all) + len(self.bytes())  # in characters, as a terminal shows them

    def part(self, begin, end):
        """A part of the text with the colours that are within it."""
        return self.all[self.at[begin]:self.at[end - 1] + 1]

    def bytes(self):
        """The line without a carriage return at its end."""
        return self.all[:-1] if self.all.endswith("\r") else self.all

    def bare(self):
        """The line without the blanks and colours at its ends."""
        return AT_ENDS.sub("", self.all)

    def offset(self, position):
        return self.begin + self.skipped + size_in_bytes(self.all[:self.at[position]])

    def end(self):
        return self.begin + self.skipped + size_in_bytes(self.bytes())

    def is_rule(self):
        return RULE.match(self.all) is not None

    def is_dashes(self):
        """Phrases of dashes of any kind, as editors make them of a rule (8.2-9)."""
        phrases = [text for _, _, text in self.phrases()]
        return len(phrases) > 1 and all(size_in_bytes(text) > 2 and
                                        re.fullmatch("[-=_*~\u00ad\u2010-\u2015\u2212\u2500-\u257f]+", text) for text in phrases)

    def may_be_rule(self):
        """A rule, perhaps with only one or two dashes in its last group (8.6-6)."""
        return self.is_rule() or CUT_RULE.match(self.all) is not None

    def is_blank(self):
        return not self.text.strip()

    def is_known_header(self):
        """Whether this is the header of a table of PyTorch's, with rules around it or without (3.4)."""
        names = [text for _, _, text in self.names()]
        return 1 < len(names) <= MOST_COLUMNS and names[0] == "Name" and any(KNOWN.match(name) for name in names[1:]) and \
            "\u2502" not in self.text

    def may_be_first_row(self, names, has_rule):
        """Whether this, below a known header of so many names that has no rule below it, is a row (3.4)."""
        phrases = len(self.phrases())
        abridged = not has_rule and phrases == names and self.phrases()[0][2].strip("-=") == ""
        return not self.is_known_header() and not abridged and (phrases > 1 if has_rule else phrases == names)

    def phrases(self):
        return [(*phrase.span(), self.part(*phrase.span())) for phrase in PHRASE.finditer(self.text)]

    def names(self):
        return [(*name.span(), spelled(self.part(*name.span()))) for name in NAME.finditer(self.text)]

    def spans(self):
        return [(group.start(), group.end()) for group in GROUP.finditer(self.text)]


class Table:
    """The columns of a table, and how its rows are given to them (3.4, 3.5)."""

    def __init__(self, rule, header, lines, dashes):
        names = header.names()
        self.refused, self.counted = None, rule is None
        self.spans = self.spans_of_names(names, lines, dashes) if self.counted else rule.spans()
        if len(self.spans) > MOST_COLUMNS:
            self.refused = ("too_many_columns", rule.offset(self.spans[MOST_COLUMNS][0]))
            return
        if len(names) == len(self.spans):
            cells = names
            self.names = [text for _, _, text in names]
            self.right = self.alignment(names)
        else:
            self.right = [False] * len(self.spans)
            phrases = header.phrases()
            is_collapsed = phrases[0][2].startswith("Name ") or len(phrases) == 1 and " " in phrases[0][2]
            cells = None if is_collapsed else self.assign(phrases, aligned=False)
            if cells is None:
                self.refused = ("column_mismatch", header.offset(header.phrases()[0][0]))
                return
            self.names = [spelled(cell[2]) if cell else "" for cell in cells]
            self.right = self.alignment([cell or (None, None, "") for cell in cells])
        self.edge = self.cut_from = self.width = None
        self.known = header.is_known_header()
        self.usual = False
        self.rule = None if self.counted else rule.bytes()
        if not self.counted and self.names[0] == "Name":
            self.find_edge(rule, header, cells, lines)
        self.units = [unit_of(name) for name in self.names]
        for n in range(len(self.names) if self.cut_from is None else self.cut_from, len(self.names)):
            is_source = "count" in self.units[:n] and "Source Location".startswith(self.names[n])
            self.units[n] = "source" if is_source else "text" if self.units[n] == "text" else "cut"
            self.right[n] = False
        self.source = self.units.index("source") if "source" in self.units else None
        self.source_place = header.offset(cells[self.source][0]) if self.source is not None and cells[self.source] else None
        self.older = "Calls" in self.names and self.source is None
        self.totals, self.rows = Pairs(), []
        # With stacks and FLOPs the last two cells of a row are in the wrong order (3.7).
        self.swaps = self.units[-2:] in (["source", "flops"], ["source", "cut"])

    def find_edge(self, rule, header, cells, lines):
        """Whether the table was cut at its right edge (8.6): where that is told, and the first column of texts."""
        last, named = len(self.names) - 1, len(self.names)
        while named > 1 and not self.names[named - 1]:
            named -= 1
        stages, ordered, begun = self.in_order(named)
        self.width, self.last_name = rule.width, header.offset(cells[last][0]) if cells[last] else header.end()
        if named <= last:
            whole = named - 1 if begun else named
            if all(KNOWN.match(name) for name in self.names[:whole]):
                self.cut_from, self.edge = whole, header.end()
        elif self.spans[last][1] - self.spans[last][0] < 3 or self.is_last_cut(rule, header, cells, lines):
            self.cut_from, self.edge = last, header.offset(cells[last][0])
        else:
            self.usual = ordered == named and self.common_width(named) in (12, 15)

    def common_width(self, count):
        """The width of the columns of measures among so many; 0 without any, None if they differ."""
        widths = {end - begin for name, (begin, end) in list(zip(self.names, self.spans))[1:count] if unit_of(name) in MEASURED}
        return None if len(widths) > 1 else widths.pop() if widths else 0

    def is_last_cut(self, rule, header, cells, lines):
        """Whether the last column was cut: by its name, or by its width and its cells (8.6-2 to 8.6-4)."""
        if None in cells:
            return False
        last, name = len(self.names) - 1, self.names[-1]
        begin, end, _ = cells[last]
        shift, left = 0, True
        for (first, beyond, _), span in zip(cells[:last], self.spans):
            left = left and first <= span[0] + shift
            shift = max(shift, beyond - span[1])
        bare = rule.width == self.spans[last][1]
        if not bare and end < rule.width:
            return False
        edge, gap = max(end, rule.width), cells[last - 1][1] + 2
        if header.width > edge:
            return False
        common = self.common_width(last)
        known, all_known = PYTORCH.match(name), all(KNOWN.match(one) for one in self.names[:last])
        narrow = bare and (common is None or self.spans[last][1] - self.spans[last][0] < common)
        pieces = self.pieces(lines)
        if known and all_known and narrow and common is not None and last > 2 and unit_of(name) in MEASURED and \
                pieces == "some":
            return True
        device = next((a or b for a, b in (one.groups() for one in map(OWN_DEVICE.match, self.names[1:last]) if one)
                       if (a or b) != "CPU"), None)
        widths = {12, 15} | {beyond - first for one, (first, beyond) in list(zip(self.names, self.spans))[1:last]
                             if unit_of(one) in MEASURED}

        def rest_of(printed):
            """How the last name is what the edge leaves of this one, printed where PyTorch prints it, or None."""
            span, found = self.spans[last][0] + shift, None
            shown = name.replace("\u00a0", " ")
            for whole in wholes_of(printed, device):
                if whole == shown or edge - begin >= len(whole) or whole[:edge - begin].rstrip() != shown:
                    continue
                within = whole[end - begin] != " "
                if unit_of(whole) in ("text", "source") or (left and begin == span) or \
                        (within and narrow and common is not None) or \
                        any(begin + len(whole) - max(width, len(whole)) in (span, gap) for width in widths):
                    found = "within a word" if within or found == "within a word" else "words"
            return found

        stages, ordered, _ = self.in_order(last)
        if ordered == last:
            for printed in {one for stage in stages for one in ORDER[stage]}:
                if rest_of(printed):
                    if last > 1 and (not known or (narrow and (left or pieces != "none"))):
                        return True
                    if unit_of(printed) in ("text", "source"):
                        return len(name) > 1
        if not all_known or not bare:
            return False
        units = MEASURED if last > 1 else ("time", "percent", "bytes")
        rests = {(rest_of(one), unit_of(one) in units) for one in ORDER if one != "Name"}
        if any(rest == "within a word" for rest, _ in rests) and not KNOWN.match(name) and len(name) > 1:
            return True
        return any(rest and counts for rest, counts in rests) and (pieces == "some" or (pieces == "no cells" and not known))

    def pieces(self, lines):
        """What the cells of the last column are: a piece is the beginning of a number without its unit."""
        unit, found = unit_of(self.names[-1]), "no rows"
        for line in lines[:32]:
            if line.may_be_rule() or not line.phrases():
                break
            cells = self.assign(line.phrases(), aligned=False)
            if not cells:
                continue
            found = "no cells" if found == "no rows" else found
            text = cells[-1][2] if cells[-1] else "0"
            bare = cells[-1] is not None and kind_of_number(text) is None
            begun = text != "0" and text[0] in "-0123456789" and cell_of(text, unit)[1] is not None
            if bare if unit == "other" else begun:
                return "some"
            found = found if text == "0" else "none"
        return found

    def in_order(self, named):
        """How many names follow each other in the order, and whether the next one was cut (8.6-1)."""
        stages, ordered = {"Name"}, 1
        for name in self.names[1:named]:
            nexts = {one for stage in stages for one in ORDER[stage]}
            whole = {one for one in nexts if pattern_of_name(one).fullmatch(name)}
            if not whole:
                return stages, ordered, ordered + 1 == named and any(is_beginning(name, one) for one in nexts)
            stages, ordered = whole, ordered + 1
        return stages, ordered, False

    def alignment(self, names):
        right, shift = [], 0
        for (begin, end, text), (first, last) in zip(names, self.spans):
            if begin is None:
                right.append(True)
                continue
            source = unit_of(text) == "source"
            is_left = begin == first + shift and end < last + shift
            is_right = end == last + shift and begin != first + shift
            right.append(is_right or (not is_left and not source))
            if end > last + shift:
                shift = end - last
        return right

    @staticmethod
    def spans_of_names(names, lines, dashes):
        """The spans of a table without rules: those of its names, as wide as cells that end or begin with them (8.2-6)."""
        drawn = [phrase[:2] for phrase in dashes.phrases()] if dashes else []
        if len(drawn) == len(names) and all(span[0] <= name[0] and name[1] <= span[1] for span, name in zip(drawn, names)):
            return drawn
        spans = [(begin, end) for begin, end, _ in names]
        rows = []
        for line in lines[:256]:
            phrases = line.phrases()
            if not phrases or phrases[0][2] == "Name":
                break
            if len(phrases) == len(names):
                rows.append(phrases)
        drawn = []
        for n, (begin, end) in enumerate(spans):
            first = min([begin] + [phrases[n][0] for phrases in rows])
            last = max([end] + [phrases[n][1] for phrases in rows])
            after = spans[n + 1][0] if n + 1 < len(spans) else None
            if (names[n][2] == "Source Location" or all(phrases[n][1] == end for phrases in rows)) and first >= (drawn[-1][1] + 1 if drawn else 0):
                begin = first
            elif all(phrases[n][0] == begin for phrases in rows) and (after is None or last < after):
                end = last
            drawn.append((begin, max(end, begin + 3)))
        return drawn

    def assign(self, phrases, aligned=True):
        """The cells of a row: a phrase or None for each column, or None if no reading of 3.5 fits."""
        for reading in (self.by_spans, self.by_count, self.by_shifted_spans):
            cells = reading(phrases, aligned)
            if cells is not None:
                return cells
        return None

    def span_of(self, begin, end, shift=0):
        for n, (first, last) in enumerate(self.spans):
            is_last = n + 1 == len(self.spans)
            if first + shift <= begin and (end <= last + shift or (is_last and begin < last + shift)):
                return n
        return None

    def by_spans(self, phrases, aligned):
        cells = [None] * len(self.spans)
        for phrase in phrases:
            n = self.span_of(phrase[0], phrase[1])
            if n is None or cells[n] is not None:
                return None
            cells[n] = phrase
        return cells

    def by_count(self, phrases, aligned):
        changed = phrases and phrases[0][0] == 0 < self.spans[0][0] and phrases[0][2][0] in "+-"  # a line of a diff
        return list(phrases) if len(phrases) == len(self.spans) and not changed else None

    def by_shifted_spans(self, phrases, aligned):
        if len(phrases) < 2:
            return None
        cells, shift, next_column = [None] * len(self.spans), 0, 0
        for phrase in phrases:
            for n in range(next_column, len(self.spans)):
                first, last = self.spans[n][0] + shift, self.spans[n][1] + shift
                if phrase[0] == first and phrase[1] > last:
                    cells[n] = phrase
                    shift += phrase[1] - last
                    break
                if first <= phrase[0] and phrase[1] <= last:
                    if aligned and self.right[n] and phrase[1] != last:
                        return None
                    cells[n] = phrase
                    break
            else:
                return None
            next_column = n + 1
        return cells

    def place_of_mismatch(self, phrases):
        used = set()
        for begin, end, _ in phrases:
            n = self.span_of(begin, end)
            if n is None or n in used:
                return begin
            used.add(n)
        return phrases[-1][0]

    def is_frame(self, line):
        """Whether the line is a further frame of a call stack (3.7)."""
        phrases = line.phrases()
        if self.source is None or len(phrases) != 1:
            return False
        begin, end, _ = phrases[0]
        n = self.span_of(begin, end)
        return n != 0 and begin > 0 and (begin >= self.spans[self.source][0] or n is not None)

    def is_name_alone(self, phrases):
        cells = self.assign(phrases)
        return len(phrases) == 1 and self.units[0] == "text" and any(unit in MEASURED for unit in self.units[1:]) and \
            (cells is None or cells[0] is not None)

    def is_cut(self, line):
        """Whether the table was cut within its last row (3.5, the end)."""
        if self.source is not None or self.counted or self.edge is not None:
            return False
        phrases = line.phrases()
        cells = self.assign(phrases)
        if cells is None or not any(unit in MEASURED for unit in self.units[1:]):
            return False
        if cells[-1] is None:
            return True
        return not line.ended and self.right[-1] and phrases[-1][1] == len(line.text) and phrases[-1][1] < self.spans[-1][1]

    def read_row(self, line, report):
        phrases = line.phrases()
        cells = self.assign(phrases)
        if cells is None or self.is_name_alone(phrases):
            report.add("row_mismatch", line.offset(self.place_of_mismatch(phrases)))
            self.rows.append(None)
            return
        cells = [cell or (0, 0, "") for cell in cells]
        if self.swaps:
            cells[-2], cells[-1] = cells[-1], cells[-2]
        row = Pairs()
        for name, unit, (begin, _, text) in zip(self.names, self.units, cells):
            if unit == "source":
                row.append((name, [text] if text else []))
                continue
            value, kind = (None if text in MISSING else text, None) if unit == "cut" else cell_of(text, unit)
            if kind:
                report.add(kind, line.offset(begin))
            row.append((name, value))
        self.rows.append(row)
        if self.source is not None and cells[self.source][2]:
            self.look_at_source(line, cells[self.source][2], False)

    def look_at_source(self, line, text, is_frame):
        """Whether a source shows that its line was cut at the right edge (8.6-6)."""
        if not self.usual or self.rows[-1] is None:
            return
        first, last = self.spans[self.source]
        begin, end, _ = line.phrases()[-1]
        after = len(line.bytes()) - line.at[end - 1] - 1
        if self.source + 1 == len(self.spans):
            whole = last - first == 75 or text.startswith("...")
            cut = not whole and after == 0 and end == last == self.width or \
                not is_frame and (text in MISSING or kind_of_number(text) is None)
        else:
            cut = self.source + 2 == len(self.spans) and self.width == self.spans[-1][1] + 2 and after < 2
        cut = cut or text.startswith("...") and after == 0 and end - begin < last - first
        if cut and self.edge is None:
            self.edge = self.source_place

    def add_frame(self, text):
        if self.rows[-1] is None:
            return
        for _, value in self.rows[-1]:
            if isinstance(value, list):
                value.extend([text] if value else ["", text])

    def add_total(self, line, report):
        total, begin, text = total_of(line)
        value, kind = cell_of(text, "time")
        if kind:
            report.add(kind, line.offset(begin))
        for n, (name, _) in enumerate(self.totals):
            if name == total:
                self.totals[n] = (name, value)
                return
        self.totals.append((total, value))

    def lines(self):
        return [Pairs([("columns", self.names), ("totals", self.totals)])] + [row for row in self.rows if row is not None]


class Tables:
    """Finds the tables of a text and reads them (5.6)."""

    def __init__(self, text, report, prefix=None, strict=False):
        self.report, self.tables, self.any, self.strict = report, [], False, strict
        lines = list(lines_of(text))
        for pattern in [pattern_of(prefix)] if prefix else self.prefixes(lines):
            self.read(self.own_lines(pattern, lines))
        if not self.any:
            report.refuse("no_records", len(text))

    def prefixes(self, lines):
        """The patterns of the prefixes before rules and tables; None for no prefix (4.2-9 to 4.2-13)."""
        found, texts = [], []
        for n, (_, line, _) in enumerate(lines):
            place = re.search(r"[-=]{3}|Name[ \t\v\f\r]", line)
            before = line[:place.start()] if place else ""
            whole = Line(0, 0, line, True)
            if whole.text.lstrip().startswith("Name") or (place and OWN.fullmatch(unicode_of(before))):
                if None not in found and (whole.may_be_rule() or (whole.is_known_header() and
                                                                  self.begins_with(None, lines[n:]))):
                    found.append(None)
                    texts.append("")
                continue
            after = Line(0, place.start(), line, True) if place else None
            if not place or not (after.may_be_rule() or after.is_known_header()):
                continue
            # Colours right before the table, or between blanks before it, are the table's (8.4-3).
            before = re.sub(r"(?:(?<![^%s])(?:\x1b\[[0-9;]*[mK])+[%s]*)+\Z|(?:\x1b\[[0-9;]*[mK])+\Z" % (BLANK, BLANK), "", before)
            # Of the blanks that end a prefix, one belongs to it.
            bare = before.rstrip(BLANK)
            blank = before[len(bare):len(bare) + 1]
            if end_of_launcher(line, len(before)) != len(before) and not MARKED.match(bare + blank):
                continue
            # Of prefixes that differ in their last blanks and colours alone, the shortest counts.
            same = self.number_of_like(bare + blank, found, texts)
            if after.is_known_header() and self.has_bare_rows(pattern_of(bare), len(after.names()), lines[n + 1:]):
                blank = ""
            same = self.number_of_like(bare + blank, found, texts) if same is None else same
            if same is not None and self.size_of_ending(bare + blank) >= self.size_of_ending(texts[same]):
                continue
            pattern = pattern_of(bare + blank)
            # The prefix of a rule is known, whether a table begins with it or not.
            if after.may_be_rule() or self.begins_with(pattern, lines[n:]):
                same = len(found) if same is None else same
                found[same:same + 1], texts[same:same + 1] = [pattern], [bare + blank]
        return sorted(found, key=lambda one: self.first_of(one, lines)) if len(found) > 1 else found or [None]

    def number_of_like(self, prefix, found, texts):
        """Which of the prefixes found differs from this one in its last blanks and colours alone (4.2-12)."""
        pattern = pattern_of(prefix)
        return next((k for k, one in enumerate(found) if one and
                     (self.extends(prefix, one) or self.extends(texts[k], pattern))), None)

    def first_of(self, prefix, lines):
        """The first line that is a rule after the prefix, or with which a table begins (4.2-13)."""
        for n, (_, line, _) in enumerate(lines):
            size = prefix.match(line) if prefix else None
            after = Line(0, size.end() if size else 0, line, True)
            if (size or not prefix) and (after.may_be_rule() or
                                         (after.is_known_header() and self.begins_with(prefix, lines[n:]))):
                return n
        return len(lines)

    @staticmethod
    def size_of_ending(prefix):
        """How many bytes of a prefix are the blanks and colours at its end."""
        return len(prefix) - re.search(r"(?:[%s]|\x1b\[[0-9;]*[mK])*\Z" % BLANK, prefix).start()

    @staticmethod
    def extends(prefix, pattern):
        """Whether a prefix has another one's pattern and nothing after it but blanks and colours."""
        matched = pattern.match(prefix)
        return matched is not None and Tables.size_of_ending(prefix) >= len(prefix) - matched.end()

    def first_line_after_header(self, lines):
        """Where the first line begins that comes after the header of a table; None without a table (4.1-2)."""
        found = []
        for pattern in self.prefixes(lines):
            mine = self.own_lines(pattern, lines)
            begins = next(filter(None, (self.beginning(mine, at) for at in range(len(mine) - 1))), None)
            if begins:
                found.append(mine[begins[1] + 1].begin)
        return min(found, default=None)

    @staticmethod
    def has_bare_rows(pattern, names, lines):
        """Whether a row or total comes right after a prefix, before the table of so many names ends (8.1-2)."""
        mine = [Line(0, prefix.end(), line, True) for prefix, line in ((pattern.match(one[1]), one[1]) for one in lines) if prefix]
        for line in mine[:256]:
            if line.is_blank() or line.is_rule() or (line.all[0] in BLANK and line.is_known_header()):
                return False
            if line.all[0] not in BLANK and (len(line.phrases()) == names or total_of(line)):
                return True
        return False

    @staticmethod
    def without_gaps(lines, at):
        """The lines from there on without one blank line after each (8.3-7)."""
        close = []
        while at < len(lines):
            close.append(lines[at])
            at += 2 if at + 1 < len(lines) and lines[at + 1].is_blank() else 1
        return close

    @staticmethod
    def spaced(lines, at):
        """Whether a blank line comes after each of three lines (8.3-7)."""
        return at + 5 < len(lines) and all(lines[at + n].is_blank() == (n % 2 == 1) for n in range(6))

    def read(self, lines):
        at = 0
        refused = None  # the rule of the table that was refused last, until its closing rule
        while at + 1 < len(lines):
            if re.match(r"\s*(?:[-=]|Name)", lines[at].text):
                same, refused = lines[at].bytes() == refused, None
                if same and not self.begins_table(lines, at):
                    at = self.pass_over(lines, at)
                    continue
            close = self.without_gaps(lines, at) if self.spaced(lines, at) and not self.strict else None
            begins = close and self.beginning(close, 0)
            if begins and close[begins[1]].is_known_header():
                for line, gap in zip(lines[at:], lines[at + 1:]):
                    line.gap = gap if gap not in close else None
                after, refused = self.read_table(close, 0)
                at = lines.index(close[after]) if after < len(close) else len(lines)
                for line in lines[at:]:
                    line.gap = None
            elif self.beginning(lines, at) is not None:
                at, refused = self.read_table(lines, at)
            else:
                at = self.pass_over(lines, at)
        if at < len(lines):
            self.pass_over(lines, at)

    def read_table(self, lines, at):
        """Reads the table that begins there. Returns the line after it, and its rule if it was refused and not closed."""
        self.any = True
        rule, header, below, rows = self.beginning(lines, at)
        lacks_rule = rule != at or below is None
        if lacks_rule and (self.strict or not self.is_mended(lines, rule, header, below, rows)):
            self.report.add("missing_rule", lines[header].offset(lines[header].names()[0][0]))
            return header + 1 if below is None else rows, None if rule is None else lines[rule].bytes()
        table, rule, header, below, rows = self.table_at(lines, at)
        if table.refused:
            self.report.add(*table.refused)
            same = below is not None and lines[below].bytes() == lines[rule].bytes()
            return header + 1 if below is None else rows if same else below, lines[rule].bytes() if same else None
        if header == at or below is None:
            self.report.add("mended_table", lines[header].offset(lines[header].names()[0][0]), warning=True)
        at = self.read_body(table, lines, rows)
        if table.edge is not None:
            self.report.add("cut_column", table.edge)
        self.tables.append(table)
        return at, None

    def table_at(self, lines, at):
        """The table that begins there, without rows, and the places of its first lines."""
        rule, header, below, rows = self.beginning(lines, at)
        above = next((line for line in reversed(lines[:header]) if not line.is_blank()), None)
        dashed = above is not None and below is None and rows == header + 2 and lines[header + 1].bytes() == above.bytes()
        rule, below = self.rule_that_fits(rule, header, below, rows, lines)
        table = Table(None if rule is None else lines[rule], lines[header], lines[rows:],
                      lines[header + 1] if rows == header + 2 else None)
        if not table.refused:
            table.closes = not table.older and (not table.counted or dashed)  # a closing rule is expected (8.5-1)
        return table, rule, header, below, rows

    def pass_over(self, lines, at):
        """Passes over a line of foreign text, or the titles of a table (3.4-4). Returns the next line."""
        after = at
        while after < at + 4 and after + 2 < len(lines) and re.fullmatch("={3,}", lines[after].bare()) and \
                not lines[after + 1].is_rule() and not re.fullmatch("(?:={3,})?", lines[after + 1].bare()):
            after += 2
        if after != at and self.beginning(lines, after) and not self.table_at(lines, after)[0].refused:
            return after
        if self.strict and not lines[at].is_blank():
            self.report.add("foreign_text", lines[at].offset(lines[at].phrases()[0][0]))
        return at + 1

    @staticmethod
    def rule_that_fits(rule, header, below, rows, lines):
        """Of two rules that do not fit a known header the one that does, or neither (8.2-8)."""
        names = len(lines[header].names())
        if rule is None or below is None or header == 0 or rule == below or not lines[header].is_known_header():
            return rule, below
        groups = len(lines[rule].spans())
        if names == groups or len(lines[below].spans()) == names:
            return (rule if names == groups else below), below
        counted = names > groups and rows < len(lines) and len(lines[rows].phrases()) == names and \
            not lines[rows].is_known_header()
        return (None, None) if counted else (rule, below)

    @staticmethod
    def own_lines(prefix, lines):
        """The lines that have the prefix, after it; a prefix at the text's end is no line."""
        mine = []
        for begin, line, ended in lines:
            found = prefix.match(line) if prefix else None
            size = found.end() if found else 0
            if not prefix or (found and (ended or size < len(line))):
                mine.append(Line(begin, size, line, ended))
        return mine

    def begins_with(self, prefix, lines):
        """Whether a table begins at the first line, read with this prefix (4.2)."""
        mine = self.own_lines(prefix, lines)
        if len(mine) < 2 or mine[0].begin != lines[0][0]:
            return False
        close = self.without_gaps(mine, 0) if self.spaced(mine, 0) else mine
        return self.beginning(close, 0) is not None or self.beginning(mine, 0) is not None

    @staticmethod
    def beginning(lines, at):
        """The rule of the columns, the header, the rule below it and the first row of a table that begins here (3.4)."""
        if at + 2 < len(lines) and lines[at].may_be_rule() and lines[at].bytes() == lines[at + 2].bytes() and \
                [name for _, _, name in lines[at + 1].names()[:1]] == ["Name"]:
            return at, at + 1, at + 2, at + 3
        header = at + 1 if lines[at].may_be_rule() else at
        if header + 1 >= len(lines) or re.fullmatch(r"[-=\s]*", lines[header].text):
            return None
        known = lines[header].is_known_header()
        if not known and not (lines[at].is_rule() and lines[header + 1].is_rule()):
            return None
        below = header + 1 if lines[header + 1].may_be_rule() else None
        rule = at if header != at else below
        if below is None and lines[header + 1].is_dashes() and header + 2 < len(lines):
            return rule, header, None, header + 2
        rows = header + (1 if below is None else 2)
        if below is None and not lines[rows].may_be_first_row(len(lines[header].names()), rule is not None):
            return None
        return rule, header, below, rows

    @staticmethod
    def is_mended(lines, rule, header, below, rows):
        """Whether a table that lacks a rule is read with it (8.2-3 to 8.2-5)."""
        if rule is not None:
            return len(lines[rule].spans()) == len(lines[header].names())
        return rows == header + 2 or not lines[header + 1].is_dashes()

    @staticmethod
    def begins_table(lines, at):
        """Whether a rule within a table's rows begins the next table (3.5, the end)."""
        if at + 2 >= len(lines) or [line.is_rule() for line in lines[at:at + 3]] != [True, False, True]:
            return False
        return len(lines[at + 1].names()) == len(lines[at].spans())

    def read_body(self, table, lines, at):
        """The rows, the closing rule and the totals of a table; the index of the line after it."""
        last = None  # the last row, which is read when what follows it is known
        closed = False
        own = at - 1
        while at < len(lines):
            line = lines[at]
            if line.is_rule() or line.bytes() == table.rule or (table.counted and line.is_dashes()):
                closed = not self.begins_table(lines, at)
                break
            if line.is_blank():
                if table.source is None and not self.goes_on(table, lines, at, self.strict):
                    break
                own = at
                at += 1
                continue
            if self.ends(table, lines, at):
                if total_of(line):
                    last = self.take(table, last)
                    if table.closes:
                        self.report.add("unclosed_table", self.end_of(lines[own]))
                    return self.totals(table, lines, at)
                break
            if table.is_frame(line) and (table.rows or last is not None):
                last = self.take(table, last)
                table.look_at_source(line, line.phrases()[0][2], True)
                table.add_frame(line.phrases()[0][2])
            else:
                last = self.take(table, last)
                last = line
            own = at
            at += 1
        cut = last is not None and not closed and table.is_cut(last)
        if cut:
            self.report.add("row_mismatch", last.offset(last.phrases()[-1][0]))
        else:
            self.take(table, last)
        if closed:
            return self.totals(table, lines, at + 1)
        if not cut and table.closes:
            self.report.add("unclosed_table", self.end_of(lines[own]))
        return at

    def totals(self, table, lines, at):
        while True:
            after = at
            while after < len(lines) and lines[after].is_blank():
                after += 1
            if after == len(lines) or not total_of(lines[after]):
                return at
            table.add_total(lines[after], self.report)
            at = after + 1

    def ends(self, table, lines, at):
        """Whether a table without a closing rule ends before this line (3.5, the end)."""
        if lines[at].is_known_header():
            return True
        if total_of(lines[at]) and not table.is_frame(lines[at]):
            return True
        if not self.is_alone(table, lines[at]):
            return False
        if FENCE.match(lines[at].phrases()[0][2]):
            return True
        if not table.counted:
            return False
        at += 1
        while at < len(lines) and lines[at].is_blank():
            at += 1
        return at < len(lines) and self.is_alone(table, lines[at]) and not total_of(lines[at]) and \
            not lines[at].is_rule()

    @staticmethod
    def is_alone(table, line):
        """Whether the line is a single phrase that is no frame."""
        return len(line.phrases()) == 1 and not table.is_frame(line)

    @staticmethod
    def end_of(line):
        last = line.gap or line
        return last.begin + last.skipped + size_in_bytes(last.all) + (1 if last.ended else 0)

    def take(self, table, line):
        if line is not None:
            table.read_row(line, self.report)

    @staticmethod
    def goes_on(table, lines, at, strict):
        while at < len(lines) and lines[at].is_blank():
            if table.edge is None and size_in_bytes(lines[at].bytes()) == table.width:
                table.edge = table.last_name  # the sources were cut off, below which there are such lines (8.6-6)
            at += 1
        if at == len(lines) or lines[at].is_known_header():
            return False
        if table.edge is None and (strict or not table.known):
            return False
        if lines[at].is_rule() or (table.counted and lines[at].is_dashes()):
            return not Tables.begins_table(lines, at)
        if total_of(lines[at]):
            return True
        cells = table.assign(lines[at].phrases())
        few = table.edge is not None and len(lines[at].phrases()) >= min(2, len(table.names) - 1)
        return few or (cells is not None and all(cells))

    def lines(self):
        return [line for table in self.tables for line in table.lines()]


# --- 4 Interchange form -------------------------------------------------------------------------------------------------

def quoted(text):
    """A text as JSON: UTF-8, but for surrogates, which are written as escapes."""
    text = json.dumps(text, ensure_ascii=False)
    text = re.sub(r"\\.", lambda one: {"\\b": "\\u0008", "\\f": "\\u000c"}.get(one.group(), one.group()), text)
    return re.sub("[\ud800-\udfff]", lambda one: "\\u%04x" % ord(one.group()), text)


def printed(value):
    """The JSON of a value (6.1)."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Pairs):
        return "{" + ",".join(quoted(name) + ":" + printed(one) for name, one in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(printed(one) for one in value) + "]"
    if isinstance(value, Digits):
        return value.digits
    if isinstance(value, float) and not math.isfinite(value):
        return '"%r"' % value
    return json.dumps(value)


def is_mixed_diff(lines, n, is_first):
    """Whether the head of a diff of two files begins at line n (4.1-4); `is_first`: no line before it has text."""
    begins = lambda at, mark: at < len(lines) and lines[at][1].startswith(mark)
    if begins(n, "--- ") and begins(n + 1, "+++ ") and begins(n + 2, "@@ -"):
        n += 3
    elif is_first and begins(n, "@@ -"):
        n += 1
    else:
        return False
    while n < len(lines) and (lines[n][1].rstrip("\r") == "" or lines[n][1][0] in "+\\"):
        n += 1
    return n < len(lines) and lines[n][1][0] in "- "


def detect(text):
    """The format of the bytes, or None (4.1)."""
    text = text.decode("latin-1")
    lines = list(lines_of(text))
    tables = Tables.__new__(Tables)
    table = tables.first_line_after_header(lines)
    filled, is_workload = 0, False
    for n, (begin, line, _) in enumerate(lines):
        if table is not None and begin >= table:
            return "table"
        words = [word for _, word in words_of(0, line)]
        if words:
            filled += 1
            if filled == 1:
                is_policy = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", words[0]) is not None
            elif filled == 2:
                is_workload = is_policy and NUMBER.match(words[0]) is not None
            elif filled == 3 and is_workload and len(words) >= 10:
                return "workload"
        if is_mixed_diff(lines, n, filled == (1 if words else 0)):
            return None
        if place_of_record(line) is not None:
            return "oplog"
    return "workload" if is_workload and filled == 2 else None


READERS = {"oplog": Operations, "workload": Workload, "table": Tables}


class Reading:
    """What reading makes of the bytes of a text: the interchange form as `lines`, the `problems` as (line, column, kind),
    the `error` with which default reading ends or None, and the `status` of the text."""

    def __init__(self, text, kind, prefix=None, strict=False):
        text = text.decode("latin-1")
        report = Report(text)
        read = READERS[kind](text, report, prefix and prefix.decode("latin-1"), strict)
        self.lines = [printed(line) for line in read.lines()]
        self.problems, self.error = sorted(report.found), report.first
        self.status = "valid" if not report.first else "tolerated" if self.lines and not report.refused else "refused"


def read(text, kind):
    """The interchange form of the bytes, as a list of lines, and their problems as (line, column, kind)."""
    reading = Reading(text, kind)
    return reading.lines, reading.problems


def answer(request):
    """The answer to a request of README.md's protocol."""
    if request["task"] == "write":
        import writer  # which includes this file
        try:
            return {"text": writer.write(request["format"], request["lines"])}
        except writer.Refused as error:
            return {"error": str(error)}
    with open(request["text"], "rb") as file:
        text = file.read()
    if request["task"] == "detect":
        return {"format": detect(text)}
    prefix = request.get("prefix")
    reading = Reading(text, request["format"], prefix and prefix.encode("utf-8", "surrogateescape"),
                      request.get("strict", False))
    place = lambda problem: "%d:%d %s" % problem
    return {"lines": reading.lines, "problems": [place(one) for one in reading.problems], "status": reading.status,
            "error": reading.error and place(reading.error)}


def main(arguments):
    if arguments == ["--batch"]:
        for line in sys.stdin:
            print(json.dumps(answer(json.loads(line))), flush=True)
        return 0
    kind = next((one[len("--kind="):] for one in arguments if one.startswith("--kind=")), None)
    files = [one for one in arguments if not one.startswith("--")]
    if kind not in READERS or len(files) != 1:
        print("usage: reader.py --kind=oplog|workload|table FILE", file=sys.stderr)
        return 2
    with open(files[0], "rb") as file:
        lines, problems = read(file.read(), kind)
    sys.stdout.buffer.write("".join(line + "\n" for line in lines).encode("utf-8"))
    for line, column, name in problems:
        print("%d:%d: %s" % (line, column, name), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
