"""Rank op logs, workload files and profiler tables of distributed training, as data frames and as Python objects.

    >>> import wlfmt
    >>> log = b"rank:3:forward_step(stage_id=1,batch_id=0,duration=8.3,timestamp=1000.5,sub_operations=[])"
    >>> wlfmt.read_oplog(log)[0]["duration"]
    8.3

`scan` gives what pandas, polars, pyarrow and DuckDB take as it is, through the Arrow C stream interface. Wherever a function
takes a source, it is a path, an open file, or the text itself as bytes.
"""

import atexit
import os
import re
import shlex
import sys
from typing import TYPE_CHECKING

from . import _wlfmt
from ._answers import Answers
from ._records import (Repeated, check, read_oplog, read_table, read_workload, write_oplog, write_table,
                       write_workload)
from ._rows import Rows
from ._runs import Differences, Page, Picture, Run, Summary, chakra, diff, merge, plot, report, summary, timeline
from ._runs import open as open
from ._runs import set as set
from ._scan import Scan, columns, scan
from ._sources import ParseError, ParseWarning, Problem, error_of
from ._workload import Phase, Workload, group_of

# What is obvious, and has another name: the first pattern that fits the beginning of a name.
_INSTEAD = (
    ("(read|load|parse|open)_?(run|folder|dir)", "open"),
    ("(read|load|parse)_.*(profile|table)", "read_table"),
    ("(read|load|parse)_.*(workload|layer)", "read_workload"),
    ("(read|load|parse)_.*(log|rank)", "read_oplog, or scan for a frame"),
    ("read|load|parse|from_", "read_oplog, read_workload or read_table for objects, scan for a frame, open for a run"),
    ("write|dump|save|to_(file|text|csv)", "write_oplog, write_workload or write_table"),
    ("to_|DataFrame", "scan(...).to_pandas() or .to_polars()"),
    ("summar|stats|describe", "summary, or open(...).ranks"),
    ("valid|lint|verify", "check"),
    ("compar", "diff"),
)

if not TYPE_CHECKING:  # for a checker there is no such name

    def __getattr__(name: str) -> None:
        instead = next((f"; use {words}" for pattern, words in _INSTEAD if re.match(pattern, name)), "")
        raise AttributeError(f"module 'wlfmt' has no attribute {name!r}{instead}")


_wlfmt.begin(os.fsencode(f"{shlex.quote(sys.executable)} -m wlfmt" if sys.executable else "wlfmt"), Problem, error_of)
__version__: str = _wlfmt.version
atexit.register(_wlfmt.end)
# `open` and `set` are not in it: `from wlfmt import *` leaves Python's own ones alone.
__all__ = [
    "Answers", "Differences", "Page", "ParseError", "ParseWarning", "Phase", "Picture", "Problem", "Repeated",
    "Rows", "Run", "Scan", "Summary", "Workload", "chakra", "check", "columns", "diff", "group_of", "merge", "plot",
    "read_oplog", "read_table", "read_workload", "report", "scan", "summary", "timeline", "write_oplog",
    "write_table", "write_workload",
]
