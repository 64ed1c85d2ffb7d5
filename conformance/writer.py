"""A reference writer of the three formats: from the interchange form (6.5) to the layout of the original writers (1.7, 2.8,
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
    known, write_values = FORMATS[kind]
    form = known()
    for value in objects_of("\n".join(lines)):
        form.take(with_bytes(value))
    form.end()
    return write_values(form.values)


# --- 6.5 The interchange form -------------------------------------------------------------------------------------------

class Decimal(float):
    """A decimal, and its digits."""


class Large(str):
    """The digits of a number beyond 64 bits or a double."""


def integer_of(digits):
    is_small = len(digits) < 40 and reader.LEAST <= int(digits) <= reader.GREATEST
    return int(digits) if is_small else Large(digits)


def decimal_of(digits):
    value = Decimal(digits)
    value.digits = digits
    return Large(digits) if math.isinf(value) else value


def not_json(word):
    raise Refused("not_json")


DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_float=decimal_of, parse_int=integer_of, parse_constant=not_json)


def objects_of(text):
    """The objects of the text, one after the other (6.5-1)."""
    text = text[1:] if text.startswith("\ufeff") else text
    if re.search("[\ud800-\udfff]", text):
        raise Refused("not_json")  # a byte that is no UTF-8; an escaped surrogate is another thing
    at = 0
    while True:
        at = re.compile("[ \t\n\r]*").match(text, at).end()
        if at == len(text):
            return
        try:
            value, at = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise Refused("not_json")
        if not isinstance(value, Pairs):
            raise Refused("not_json")
        yield value


def with_bytes(value):
    """The value with stray bytes in the place of surrogates that are none (6.5-5)."""
    if isinstance(value, str) and not isinstance(value, Large):
        return re.sub("[\ud800-\udc7f\udd00-\udfff]",
                      lambda one: one.group().encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"), value)
    if isinstance(value, (Pairs, list, tuple)):
        return type(value)(with_bytes(one) for one in value)
    return value


def is_string(value):
    return isinstance(value, str) and not isinstance(value, Large)


def is_number(value):
    return isinstance(value, (int, float, Large)) and not isinstance(value, bool)


def demand(is_right, kind="wrong_type"):
    if not is_right:
        raise Refused(kind)


def string(value):
    demand(is_string(value))


def scalar(value):
    demand(not isinstance(value, list))


def digits_of(value):
    return value.digits if isinstance(value, Decimal) else str(value)


def whole(value):
    """A number without a fraction, in 64 bits."""
    demand(is_number(value))
    kind = reader.kind_of_number(digits_of(value), whole=True)
    demand(kind is None, kind)


def number(value):
    """An integer or a decimal that fits."""
    demand(is_number(value))
    demand(not isinstance(value, Large), "number_overflow")


def text_or_list(value):
    """What an attribute without a type may be: a scalar, or a list of integers."""
    demand(not isinstance(value, Pairs))
    if isinstance(value, list):
        for one in value:
            demand(is_number(one) and reader.INTEGER.match(digits_of(one)))


def list_of_strings(value):
    demand(isinstance(value, list) and not isinstance(value, Pairs))
    for one in value:
        string(one)


def members(value, known, needed, older=None):
    """An object of known members in any order: `known` has a function for each, and the first `needed` must be there."""
    demand(isinstance(value, Pairs))
    met = set()
    for name, one in value:
        name = (older or {}).get(name, name)
        demand(name in known, "unknown_member")
        demand(name not in met, "duplicate_key")
        met.add(name)
        known[name](one)
    demand(met.issuperset(list(known)[:needed]), "missing_member")


def attribute(name, value, met, known, names):
    """An attribute of an operation, or of a nested one; `met`: the known keys before it."""
    name = names.get(name, name)
    kind = known.get(name) if name not in met else None
    met.add(name)
    if kind == "list":
        nested_operations(value)
    elif kind in ("integer", "number"):
        scalar(value)
    else:
        text_or_list(value)


def nested_operations(value):
    demand(value is None or (isinstance(value, list) and not isinstance(value, Pairs)))
    for one in value or ():
        demand(is_string(one) or isinstance(one, Pairs))
        met = set()
        for name, inner in one if isinstance(one, Pairs) else ():
            attribute(name, inner, met, reader.NESTED, {})


class Form:
    """Checks the objects of one format in the order of the text, and keeps them."""

    def __init__(self):
        self.values = []

    def take(self, value):
        self.check(value)
        self.values.append(value)

    def end(self):
        pass


class Operations(Form):
    def check(self, value):
        """The first rank, or stage that is a number, is the head (6.5-2)."""
        origin, op, met = False, False, set()
        for name, one in value:
            if not origin and (name == "rank" or (name == "stage" and is_number(one))):
                origin = True
                demand(is_number(one))
                demand(reader.INTEGER.match(digits_of(one)), "not_an_integer")
                demand(isinstance(one, int), "number_overflow")
            elif name == "op" and not op:
                op = True
                string(one)
            else:
                attribute(name, one, met, reader.OPERATION, reader.NAMES)
        demand(origin and op, "missing_member")


class Layers(Form):
    def check(self, value):
        if self.values:
            members(value, LAYER, 6)
        else:
            members(value, HEADER, 2)

    def end(self):
        demand(self.values, "unwritable")
        declared = next((int(reader.whole_of(digits_of(one))) for name, one in self.values[0] if name == "declared_layers"), 0)
        demand(len(self.values) - 1 >= declared, "layer_count_mismatch")


def entries(value):
    demand(isinstance(value, Pairs))
    for name, one in value:
        if name in reader.INDEX_LISTS and isinstance(one, list) and not isinstance(one, Pairs):
            for index in one:
                whole(index)
        else:
            scalar(one)


def phase(value):
    members(value, {"compute": number, "comm": string, "bytes": whole}, 3, {"size": "bytes"})


def of_another_file(value):
    raise Refused("text_after_layers")


HEADER = {"policy": string, "header": entries, "declared_layers": whole}
LAYER = {"name": string, "dependency": whole, "forward": phase, "input_grad": phase, "weight_grad": phase,
         "update": number, "policy": string, "further": list_of_strings,
         "header": of_another_file, "declared_layers": of_another_file}


class Tables(Form):
    columns = None

    def check(self, value):
        if self.columns is None or any((name == "columns" and isinstance(one, list) and not isinstance(one, Pairs)) or
                                       (name == "totals" and isinstance(one, Pairs)) for name, one in value):
            members(value, {"columns": column_names, "totals": totals}, 1)
            self.columns = next(one for name, one in value if name == "columns")
            return
        left, stack = list(self.columns), None
        for name, one in value:
            demand(name in self.columns, "unknown_member")
            demand(name in left, "duplicate_key")
            left.remove(name)
            unit = reader.unit_of(name)
            if unit == "source":
                list_of_strings(one)
                demand(stack in (None, one[1:]), "unwritable")
                stack = one[1:]
            elif unit == "text":
                demand(one is None or is_string(one))
            else:
                cell(one)
        demand(not any(name in left for name, _ in value), "missing_member")


def column_names(value):
    list_of_strings(value)
    demand(len(value) <= reader.MOST_COLUMNS, "too_many_columns")


def cell(value):
    demand(value is None or is_string(value) or is_number(value))
    demand(value != "", "unwritable")  # it reads as a missing one


def totals(value):
    demand(isinstance(value, Pairs))
    for _, one in value:
        cell(one)


def text_of(value):
    """The text of a scalar or a list of integers."""
    if value is None:
        return "None"
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return value if isinstance(value, str) else repr(value)


def first_of(members, name):
    return next(value for key, value in members if key == name)


# --- 1.7 Rank op logs ---------------------------------------------------------------------------------------------------

def write_operations(records):
    return "".join(write_operation(record) for record in records)


def write_operation(members):
    origin, number, op, attributes = None, None, None, []
    for name, value in members:
        if origin is None and (name == "rank" or (name == "stage" and is_number(value))):
            origin, number = name, value
        elif name == "op" and op is None:
            op = value
        else:
            attributes.append((name, value))
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
    """The attributes with the numbers of known keys as they are written (6.5-3)."""
    texts = []
    for name, value in attributes:
        kind = known.get(names.get(name, name))
        if kind in ("integer", "number") and value is not None:
            text = text_of(value)
            if text == "None" or reader.Operations.wrong_number(text, kind, name):
                raise Refused("unwritable")
            value = text_of(reader.value_of_number(text)) if reader.NUMBER.match(text) else text
        texts.append((name, value))
    return texts


def raw(text):
    return text.encode("utf-8", "surrogateescape").decode("latin-1")


def reads_back(line, attributes):
    """Whether the line is a record with these attributes (1.7-6)."""
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
    return "[" + ", ".join(quoted(nested_of(item)) for item in items) + "]"


def nested_of(item):
    """The text of a nested operation, which must not read as another one: an empty text is none with attributes."""
    if isinstance(item, str):
        demand(not reader.KEY.match(raw(item)), "unwritable")
        return item
    demand(item, "unwritable")
    members = numbers_as_texts(item, reader.NESTED, {})
    demand(not any(key == "sub_operations" and text_of(value).startswith("[") for key, value in members), "unwritable")
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


# --- 2.8 Workload files -------------------------------------------------------------------------------------------------

def number_of(value, whole=False):
    """The text of a number of a layer (6.5-3); `whole`: one without a fraction."""
    return str(reader.whole_of(digits_of(value))) if whole else text_of(value)


def write_workload(values):
    head, layers = values[0], values[1:]
    policy, entries = first_of(head, "policy"), first_of(head, "header")
    words = [policy]
    if policy in ("HYBRID_DLRM", "HYBRID_DLRM_ENHANCED") and [key for key, _ in entries] == ["DLRM_LAST_BOTTOM_LAYER"] and \
            reader.INTEGER.match(text_of(entries[0][1])):
        words.append(text_of(entries[0][1]))
    else:
        for key, value in entries:
            words.append(key + ":")
            if isinstance(value, list):
                words += [str(len(value))] + [number_of(one, whole=True) for one in value]
            else:
                words += text_of(value).split(" ") if key in reader.INDEX_LISTS else [text_of(value)]
    rows = [words, [str(len(layers))]]
    for layer in layers:
        fields = [first_of(layer, "name"), number_of(first_of(layer, "dependency"), whole=True)]
        for phase in reader.PHASES:
            members = dict(first_of(layer, phase))
            size = members["bytes"] if "bytes" in members else members["size"]
            fields += [number_of(members["compute"]), members["comm"], number_of(size, whole=True)]
        fields.append(number_of(first_of(layer, "update")))
        further = dict(layer)
        if "policy" in further:
            fields.append(further["policy"])
        demand(further.get("further") != [], "unwritable")
        fields += further.get("further", [])
        rows.append(fields)
    text = " ".join(words) + "\n" + "".join("\t".join(fields) + "\n" for fields in rows[1:])
    again = reader.Reading(text.encode("utf-8", "surrogateescape"), "workload")
    is_same = [re.findall("[^ \t\v\f\r]+", line) for line in text.split("\n")[:-1]] == rows and not again.error and \
        first_of(with_bytes(json.loads(again.lines[0], object_pairs_hook=Pairs)), "policy") == policy
    demand(is_same, "unwritable")
    return text


# --- 3.9 Tables --------------------------------------------------------------------------------------------------------

def write_tables(values):
    tables = []
    for value in values:
        if any(name == "columns" and isinstance(one, list) for name, one in value):
            tables.append((value, []))
        else:
            tables[-1][1].append(value)
    return "\n".join(write_table(head, rows) for head, rows in tables)


BASE = {"time": "us", "percent": "%", "bytes": " B"}


def printed(unit, value):
    """A value in a column of that unit (3.9-7, 6.5-10)."""
    if value is None:
        return {"percent": "NaN", "flops": "--"}.get(unit, "")
    if isinstance(value, str):
        return value
    digits = digits_in(unit, value)
    return digits.rjust(8) if unit == "flops" else digits


def digits_in(unit, value):
    """A number in a column of that unit: as PyTorch prints it if no digit is lost."""
    short = short_of(unit, value)
    found, kind = reader.cell_of(short.strip(), unit)
    if kind is None and found == value and (value != 0 or isinstance(found, int) == isinstance(value, int)):
        return short
    if isinstance(value, int) and (value == 0 or unit == "flops"):
        return str(value)
    digits = repr(value)
    if unit in BASE and "e" in digits:
        digits = "%.400f" % value
        digits = digits.rstrip("0").rstrip(".")
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
        return repr(value) if isinstance(value, int) else "%.3f" % value
    return repr(value)


ABSENT = object()  # a column for which a row has no member: a cell without anything in it


def text_in(unit, value):
    """The text of a cell, or the texts of a stack."""
    if unit == "source":
        return [] if value is ABSENT else value
    if unit == "text":
        return value if isinstance(value, str) else ""
    return "" if value is ABSENT else printed(unit, value)


def cells_of(row, names):
    """The value of each column; of columns with one name each has its own."""
    left = list(row)
    for name in names:
        at = next((n for n, (key, _) in enumerate(left) if key == name), None)
        yield ABSENT if at is None else left.pop(at)[1]


def as_read(unit, value):
    """What a reader has to find for this value, with its type where that says something."""
    if unit == "text":
        return value if isinstance(value, str) else ""
    if unit == "source":
        return [] if value is ABSENT else list(value)
    if value is ABSENT or value is None or isinstance(value, str):
        return None if value in (ABSENT, None) else str(value)
    is_integer = isinstance(value, int) and (value == 0 or unit not in ("time", "percent", "bytes"))
    return (is_integer, value if is_integer else float(value))


def write_table(head, rows):
    names, totals = first_of(head, "columns"), next((value for key, value in head if key == "totals"), [])
    units = [reader.unit_of(name) for name in names]
    source = units.index("source") if "source" in units else None
    swaps = units[-2:] == ["source", "flops"]
    values = [list(cells_of(row, names)) for row in rows]
    cells, frames, numbers = [], [], []
    for row in values:
        texts = [text_in(unit, value) for unit, value in zip(units, row)]
        frames.append(next((text[1:] for text in texts if isinstance(text, list)), []))
        cells.append([text if isinstance(text, str) else text[0] if text else "" for text in texts])
        numbers.append([text if is_number(value) and not isinstance(value, Large) else "" for text, value in zip(cells[-1], row)])
    most = lambda texts: max((len(text) for text in texts), default=0)
    widths = []
    for n, (name, unit) in enumerate(zip(names, units)):
        longest = most([texts[n] for texts in cells])
        limit = 75 if unit == "source" else 80 if name == "Input Shapes" else 55
        if unit == "source":
            longest = max(longest, most([frame for stack in frames for frame in stack]))
        if name == "Overload Name" and n > 0 and longest <= limit:
            widths.append(12)
        elif unit in ("text", "source") or n == 0:
            widths.append(longest + 4 if longest > limit else min(longest + 4, limit))
        else:
            widths.append(max(12, most([texts[n] for texts in numbers])))
    padded = lambda texts: "".join(
        (text + " " * (width - len(text)) if unit == "source" else " " * (width - len(text)) + text) + "  "
        for text, width, unit in zip(texts, widths, units)) + "\n"
    rule = "".join("-" * width + "  " for width in widths) + "\n"
    out = rule + padded(names) + rule
    for texts, stack in zip(cells, frames):
        out += padded(texts[:-2] + texts[:-3:-1] if swaps else texts)
        for frame in stack:
            out += padded([""] * (len(names) - 1) + [frame])
        if source is not None:
            out += padded([""] * len(names))
    out += rule
    demand(len(totals) <= 8, "unwritable")
    for name, value in totals:
        demand(not isinstance(value, str), "unwritable")
        out += "%s: %s\n" % (name, "NaN" if value is None else printed("time", value))
    demand(reads_as(out, names, units, values, totals), "unwritable")
    return out


def reads_as(text, names, units, values, totals):
    """Whether the text is read as one table with these columns, cells and totals (3.9-8)."""
    again = reader.Reading(text.encode("utf-8", "surrogateescape"), "table", strict=True)
    if again.error or len(again.lines) != len(values) + 1:
        return False
    lines = [with_bytes(json.loads(line, object_pairs_hook=Pairs)) for line in again.lines]
    if first_of(lines[0], "columns") != names or [name for name, _ in first_of(lines[0], "totals")] != [name for name, _ in totals]:
        return False
    return all([as_read(unit, value) for unit, value in zip(units, row)] ==
               [as_read(unit, value) for unit, (_, value) in zip(units, line)] for row, line in zip(values, lines[1:]))


FORMATS = {"oplog": (Operations, write_operations), "workload": (Layers, write_workload), "table": (Tables, write_tables)}
