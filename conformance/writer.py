"""A reference writer of the three formats: from the interchange form (4.5) to the layout of the original writers (1.8, 2.9,
3.10), written from docs/formats.md and from nothing else. Like reader.py, it is short rather than fast."""

import json
import math
import re

import reader
from reader import Pairs


class Refused(Exception):
    """What cannot be written: the kind of its error."""


def write(kind, lines):
    """The text of these lines of the interchange form, with a lone surrogate in the place of each stray byte."""
    values = [with_bytes(json.loads(line, object_pairs_hook=Pairs, parse_float=decimal_of)) for line in lines]
    return {"oplog": write_operations, "workload": write_workload, "table": write_tables}[kind](values)


def with_bytes(value):
    """The value with stray bytes in the place of surrogates that are none (4.5-5)."""
    if isinstance(value, str) and not isinstance(value, Large):
        return re.sub("[\ud800-\udc7f\udd00-\udfff]",
                      lambda one: one.group().encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"), value)
    if isinstance(value, (Pairs, list, tuple)):
        return type(value)(with_bytes(one) for one in value)
    return value


class Large(str):
    """The digits of a decimal beyond a double."""


def decimal_of(digits):
    return Large(digits) if math.isinf(float(digits)) else float(digits)


def text_of(value):
    """The text of a scalar or a list of integers."""
    if value is None:
        return "None"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return value if isinstance(value, str) else repr(value)


def first_of(members, name):
    found = next((value for key, value in members if key == name), Refused)
    if found is Refused:
        raise Refused("missing_member")
    return found


# --- 1.8 Rank op logs ---------------------------------------------------------------------------------------------------

def write_operations(records):
    return "".join(write_operation(record) for record in records)


def write_operation(members):
    origin, number, op, attributes = None, None, None, []
    for name, value in members:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if origin is None and (name == "rank" or (name == "stage" and is_number)):
            origin, number = name, value
            if not is_number:
                raise Refused("not_an_integer" if isinstance(value, float) else "wrong_type")
            if not 0 <= number <= reader.GREATEST:
                raise Refused("unwritable" if number < 0 else "number_overflow")
        elif name == "op" and op is None:
            op = value
        else:
            attributes.append((name, value))
    if origin is None or op is None:
        raise Refused("missing_member")
    attributes = numbers_as_texts(attributes, reader.OPERATION, reader.NAMES)
    own = ", " if origin == "stage" else ","
    for separator in (own, "," if own == ", " else ", "):
        line = "%s:%d:%s(%s)" % (origin, number, op, separator.join(
            key + "=" + (list_of(value) if key == "sub_operations" and isinstance(value, list) else text_of(value))
            for key, value in attributes))
        if reads_back(line, attributes):
            return line + "\n"
    raise Refused("unwritable")


def numbers_as_texts(attributes, known, names):
    """The attributes with the numbers of known keys as they are written (4.5-3)."""
    texts = []
    for name, value in attributes:
        kind = known.get(names.get(name, name))
        if kind in ("integer", "number") and value is not None:
            if isinstance(value, list):
                raise Refused("wrong_type")
            text = text_of(value)
            if text == "None" or reader.Operations.wrong_number(text, kind, name):
                raise Refused("unwritable")
            value = text_of(reader.value_of_number(text)) if reader.NUMBER.match(text) else text
        texts.append((name, value))
    return texts


def raw(text):
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def reads_back(line, attributes):
    """Whether the line is a record with these attributes (1.8-6)."""
    line = raw(line)
    head = reader.HEAD.match(line)
    if not head or "\n" in line or not line.endswith(")"):
        return False
    log = reader.Operations.__new__(reader.Operations)
    found = []
    keys = list(log.split(line, head.end(), len(line) - 1, lambda kind, at: found.append(kind)))
    if found or [raw(key) for key, _ in attributes] != [name for name, _, _, _ in keys]:
        return False
    for (key, value), (_, _, first, last) in zip(attributes, keys):
        if not (key == "sub_operations" and isinstance(value, list)) and raw(text_of(value)) != line[first:last]:
            return False
    problems = []
    log.values_of(line, keys, len(line) - 1, reader.OPERATION, reader.NAMES, lambda kind, at: problems.append(kind), [])
    lost = ("bad_list", "unterminated_list", "unterminated_string", "text_after_record", "duplicate_key")
    return not any(kind in lost for kind in problems)


def list_of(items):
    return "[" + ", ".join(quoted(item if isinstance(item, str) else nested_of(item)) for item in items) + "]"


def nested_of(members):
    members = numbers_as_texts(members, reader.NESTED, {})
    for separator in (",", ", "):
        text = separator.join(key + "=" + text_of(value) for key, value in members)
        line = raw(text)
        keys = list(reader.Operations.__new__(reader.Operations).split(line, 0, len(line), lambda kind, at: None))
        if [(name, line[first:last]) for name, _, first, last in keys] == \
                [(raw(key), raw(text_of(value))) for key, value in members]:
            return text
    raise Refused("unwritable")


def quoted(text):
    """A string of the list, as Python's repr has it (1.5.2-6)."""
    quote = '"' if "'" in text and '"' not in text else "'"
    escaped = {"\\": "\\\\", quote: "\\" + quote, "\t": "\\t", "\n": "\\n", "\r": "\\r"}
    return quote + "".join(escaped.get(c, "\\x%02x" % ord(c) if c < " " or c == "\x7f" else c) for c in text) + quote


# --- 2.9 Workload files -------------------------------------------------------------------------------------------------

def word_of(text):
    if text == "" or re.search("[ \t\v\f\r\n]", text):
        raise Refused("unwritable")
    return text


def number_of(value, whole=False):
    """The text of a number of a layer (4.5-3); `whole`: one without a fraction."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Large)):
        raise Refused("wrong_type")
    kind = reader.kind_of_number(text_of(value), whole)
    if kind:
        raise Refused(kind)
    return str(int(value)) if whole else text_of(value)


def write_workload(values):
    head, layers = values[0], values[1:]
    if any(key in ("header", "declared_layers") for layer in layers for key, _ in layer):
        raise Refused("text_after_layers")
    policy, entries = word_of(first_of(head, "policy")), first_of(head, "header")
    declared = next((value for key, value in head if key == "declared_layers"), None)
    if declared is not None and len(layers) < declared:
        raise Refused("layer_count_mismatch")
    if policy in ("HYBRID_DLRM", "HYBRID_DLRM_ENHANCED") and [key for key, _ in entries] == ["DLRM_LAST_BOTTOM_LAYER"] and \
            reader.INTEGER.match(text_of(entries[0][1])):
        words = [policy, text_of(entries[0][1])]
    else:
        words = [policy]
        for key, value in entries:
            if isinstance(value, list):
                value = " ".join(map(str, [len(value)] + value))
            elif key in reader.INDEX_LISTS or re.search("[ \t\v\f\r\n]", text_of(value)) or \
                    (key in reader.NUMBERS and reader.kind_of_number(text_of(value))):
                raise Refused("unwritable")
            words.append(word_of(key) + ": " + text_of(value))
    targets = [next((text_of(value) for key, value in entries if key == name), None) for name in reader.TARGETS]
    out = [" ".join(words), str(len(layers))]
    for layer in layers:
        fields = [word_of(first_of(layer, "name")), number_of(first_of(layer, "dependency"), whole=True)]
        for phase in reader.PHASES:
            members = first_of(layer, phase)
            size = [value for key, value in members if key in ("bytes", "size")]
            fields += [number_of(first_of(members, "compute")), word_of(first_of(members, "comm")), number_of(size[0], whole=True)]
        fields.append(number_of(first_of(layer, "update")))
        for key, value in layer:
            if key == "policy":
                if policy != "HYBRID_CUSTOMIZED":
                    raise Refused("unwritable")
                fields.append(word_of(value))
            elif key == "further":
                if value != targets:
                    raise Refused("unwritable")
                fields += value
            elif key not in ["name", "dependency", "update"] + reader.PHASES:
                raise Refused("unknown_member")
        out.append("\t".join(fields))
    return "".join(line + "\n" for line in out)


# --- 3.10 Tables --------------------------------------------------------------------------------------------------------

def write_tables(values):
    tables = []
    for value in values:
        if any(name == "columns" for name, _ in value):
            tables.append((value, []))
        else:
            tables[-1][1].append(value)
    return "\n".join(write_table(head, rows) for head, rows in tables)


BASE = {"time": "us", "percent": "%", "bytes": " B"}


def printed(unit, value):
    """A value in a column of that unit (3.10-7, 4.5-10)."""
    if value is None:
        return {"percent": "NaN", "flops": "--"}.get(unit, "")
    if isinstance(value, str):
        return value
    short = short_of(unit, value)
    found, kind = reader.cell_of(short.strip(), unit)
    if kind is None and found == value and (value != 0 or isinstance(found, int) == isinstance(value, int)):
        return short
    if isinstance(value, int) and (value == 0 or unit == "flops"):
        return str(value)
    digits = repr(value)
    if unit in BASE and "e" in digits:
        digits = "%.400f" % value
        digits = digits.rstrip("0")
    return digits + BASE.get(unit, "")


def short_of(unit, value):
    if unit in ("time", "percent") and isinstance(value, int) and value == 0:
        return "0"
    if unit == "time":
        scale, suffix = next(((s, u) for s, u in ((1e6, "s"), (1e3, "ms")) if value >= s), (1, "us"))
        return "%.3f%s" % (value / scale, suffix)
    if unit == "percent":
        return "%.2f%%" % value
    if unit == "bytes":
        for power, suffix in ((3, " GB"), (2, " MB"), (1, " KB")):
            if abs(value) >= 1024 ** power:
                return "%.2f%s" % (value / 1024 ** power, suffix)
        return ("%d B" % value) if value == int(value) and repr(value) != "-0.0" else repr(value) + " B"
    if unit == "flops":
        return repr(value) if isinstance(value, int) else "%8.3f" % value
    return repr(value)


def write_table(head, rows):
    names = first_of(head, "columns")
    units = [reader.unit_of(name) for name in names]
    source = units.index("source") if "source" in units else None
    swaps = units[-2:] == ["source", "flops"]
    cells, frames = [], []
    for row in rows:
        texts, further = [], []
        if any(name not in names for name, _ in row):
            raise Refused("unknown_member")
        for name, unit in zip(names, units):
            value = next((value for key, value in row if key == name), None)
            if unit == "source":
                texts.append(value[0] if value else "")
                further = value[1:] if value else []
            elif unit in ("text", "source") and not isinstance(value, str):
                raise Refused("unwritable")
            elif unit not in ("text", "source") and isinstance(value, str) and \
                    not isinstance(reader.cell_of(value, unit)[0], str):
                raise Refused("unwritable")
            else:
                texts.append(printed(unit, value))
        cells.append(texts)
        frames.append(further)
    most = lambda texts: max((len(text) for text in texts), default=0)
    widths = []
    for n, (name, unit) in enumerate(zip(names, units)):
        longest = most([texts[n] for texts in cells])
        limit = 80 if name == "Input Shapes" else 55
        if unit == "source":
            longest, limit = max(longest, most([frame for stack in frames for frame in stack])), 75
        if unit in ("text", "source") or n == 0:
            widths.append(longest + 4 if longest + 4 <= limit or longest > limit else min(longest + 4, limit))
        else:
            widths.append(max(12, longest))
    padded = lambda texts: "".join(
        (text + " " * (width - len(text)) if unit == "source" else " " * (width - len(text)) + text) + "  "
        for text, width, unit in zip(texts, widths, units)) + "\n"
    rule = "".join("-" * width + "  " for width in widths) + "\n"
    out = rule + padded(names) + rule
    for texts, stack in zip(cells, frames):
        out += padded(texts[:-2] + texts[:-3:-1] if swaps else texts)
        at = len(names) - 1 if swaps else source
        for frame in stack:
            out += padded([frame if n == at else "" for n in range(len(names))])
        if source is not None:
            out += padded([""] * len(names))
    out += rule
    for name, value in next((value for key, value in head if key == "totals"), []):
        if isinstance(value, str):
            raise Refused("unwritable")
        out += "%s: %s\n" % (name, "NaN" if value is None else printed("time", value))
    again = reader.Reading(out.encode("utf-8", "surrogateescape"), "table")
    totals = next((value for key, value in head if key == "totals"), [])
    read = json.loads(again.lines[0], object_pairs_hook=Pairs) if again.lines else Pairs()
    if again.error or len(again.lines) != len(rows) + 1 or [name for name, _ in totals] != \
            [name for name, _ in first_of(read, "totals")]:
        raise Refused("unwritable")
    for texts in cells:
        if any(text != " ".join(text.split(" ")).strip() or re.search(r"  |[\t\v\f\r]", text) for text in texts):
            if not any(unit == "flops" for unit in units):
                raise Refused("unwritable")
    return out
