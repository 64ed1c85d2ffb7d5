"""Shows wlfmt's values in gdb as they are written: a number is 8.3, not a tag and a union.

In gdb, or in ~/.gdbinit:  source /path/to/wlfmt_gdb.py
"""

import re

import gdb
import gdb.printing

MISSING, NONE, INTEGER, DECIMAL, TEXT = range(5)  # wlfmt::number_kind


def text(data, size):
    return data.string("utf-8", "backslashreplace", int(size)) if data else ""


def view_text(view):
    """The text of a std::string_view of libstdc++, libc++ or the library of MSVC."""
    for data, size in (("_M_str", "_M_len"), ("__data_", "__size_"), ("_Mydata", "_Mysize")):
        try:
            return text(view[data], view[size])
        except gdb.error:
            pass
    return "<unknown string_view>"


def quoted(string):
    return '"' + string.replace("\\", "\\\\").replace('"', '\\"') + '"'


def number_text(number):
    tag = int(number["tag_"])
    kind = tag & 0xFF
    if kind == NONE:
        return "None"
    if kind == INTEGER:
        return str(int(number["integer_"]))
    if kind == DECIMAL:
        return repr(float(number["decimal_"]))
    if kind == TEXT:
        return quoted(text(number["text_"], tag >> 8))
    return "missing"


class Number:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return number_text(self.value)


class Value:
    """What find() returns: the text, or the number if there is no text."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        if self.value["missing_"]:
            return "missing"
        return view_text(self.value["text_"]) or number_text(self.value["number_"])


class Cell:
    """A table's cell: as it was printed, and its value if it has one."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        printed = view_text(self.value["text_"])
        number = number_text(self.value["value_"])
        if number == "missing":
            return quoted(printed) if printed else "missing"
        return "%s = %s" % (quoted(printed), number) if printed else number


class List:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "list of length %d" % int(self.value["size_"])

    def children(self):
        for n in range(int(self.value["size_"])):
            yield "[%d]" % n, (self.value["items_"] + n).dereference()

    def display_hint(self):
        return "array"


class Shape:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        dims = self.value["dims_"]
        if dims:
            return "[%s]" % ", ".join(str(int(dims[n])) for n in range(int(self.value["count_"])))
        return view_text(self.value["text_"]) or "missing"


PRINTERS = gdb.printing.RegexpCollectionPrettyPrinter("wlfmt")
for name, printer in (
    ("number", Number),
    ("value", Value),
    ("item_list<.*>", List),
    ("oplog::shape", Shape),
    ("table::cell", Cell),
):
    # The inline namespace of the version and configuration may be in the name.
    PRINTERS.add_printer(re.sub("<.*", "", name), r"^wlfmt::(v\w+::)?%s$" % name, printer)
gdb.printing.register_pretty_printer(gdb.current_objfile(), PRINTERS, replace=True)
