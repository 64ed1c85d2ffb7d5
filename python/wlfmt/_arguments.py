"""What the arguments are that several functions have."""

import re
from typing import Any, Callable, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ARGUMENTS = {
    "source": """a path (.gz, .bz2 and .xz are decompressed), an open file, the text as bytes, or as a str with a line
end; a notebook stands for what its cells have printed""",
    "sources": "one source or many; a folder stands for the files in it, a pattern such as run/*.txt for what it fits",
    "to": "a path, which is compressed if it ends with .gz, .bz2 or .xz, or an open file: what is written to",
    "kind": '"oplog", "workload" or "table"; None finds out which of them a file is',
    "prefix": 'what a launcher wrote before every line: None for whatever each line has, a text, or "none"',
    "strict": "text that belongs to no record is an error",
    "lenient": "problems are warnings (ParseWarning), and what can be read is read",
    "threads": "how many threads read; None: one for each processor",
    "expect": "how many ranks there have to be: one that is missing is an error",
    "world_size": """the number of ranks, the tensor parallel size, that of stages, and the expert parallel
size, where the names of the files, or a workload's header, do not say them""",
    "progress": """True: a bar on a terminal or in a notebook; or a function that is called with (done, total): files, or
the bytes of a single file""",
}
_TITLES = {"world_size": "world_size, tp, pp, ep"}


def described(function: _Function) -> _Function:
    """Adds to the docstring, before its examples, the arguments that it does not describe itself."""
    code: Any = function.__code__
    words, mark, examples = (function.__doc__ or "").partition("\n    >>> ")
    own = re.search(r"\n\n(    \w+(, \w+)*  +)", words)
    width = len(own[1]) if own else 13
    lines = [f"    {_TITLES.get(name, name)}  ".ljust(width) + _ARGUMENTS[name].replace("\n", "\n" + " " * width)
             for name in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
             if name in _ARGUMENTS and f"\n    {name} " not in words]
    if words:  # which an option of Python leaves out
        function.__doc__ = "\n".join([words.rstrip(), *([] if own else [""]), *lines, ""]) + mark + examples
    return function
