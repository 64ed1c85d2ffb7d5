"""Rows as people look at them and as frames."""

import html
import importlib
import operator
from typing import Any, Dict, List, SupportsIndex, Union, overload

_MOST_SHOWN = 20


def _cell(value: Any) -> str:
    if value is None:
        return ""
    words = f"{value:.6g}" if isinstance(value, float) else str(value)
    return words if len(words) <= 60 else words[:28] + "..." + words[-29:]


def _shown(rows: List[Dict[str, Any]]) -> List[str]:
    """The names of the columns in which some row has a value."""
    names: Dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(name for name, value in row.items() if value is not None))
    return list(names)


class Rows(List[Dict[str, Any]]):
    """A list of dicts that a notebook shows as a table, and that becomes a frame. A slice of it is Rows, too."""

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a column for each key."""
        pandas = importlib.import_module("pandas")

        return pandas.DataFrame(list(self))

    def to_polars(self) -> Any:
        """A polars.DataFrame with a column for each key."""
        polars = importlib.import_module("polars")

        return polars.DataFrame(list(self))

    def to_pylist(self) -> List[Dict[str, Any]]:
        """A plain list of the same dicts."""
        return list(self)

    def head(self, n: int = 5) -> "Rows":
        """The first rows; head(-n) gives all but the last n, as in pandas."""
        n = operator.index(n)
        return Rows(list(self)[:n])

    @overload
    def __getitem__(self, index: SupportsIndex) -> Dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> "Rows": ...
    def __getitem__(self, index: Union[SupportsIndex, slice]) -> Union[Dict[str, Any], "Rows"]:
        found: Any = super().__getitem__(index)
        return Rows(found) if isinstance(index, slice) else found

    def copy(self) -> "Rows":
        """The same dicts in other Rows."""
        return Rows(self)

    def __repr__(self) -> str:
        if not self:
            return "<wlfmt.Rows: no rows>"
        top = self[:_MOST_SHOWN]
        names = _shown(top)
        lines = [names, *([_cell(row.get(name)) for name in names] for row in top)]
        widths = [max(len(line[n]) for line in lines) for n in range(len(names))]
        text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
        return "\n".join([*text, *([f"... {len(self) - len(top)} more rows"] if len(self) > len(top) else [])])

    def _repr_html_(self) -> str:
        top = self[:_MOST_SHOWN]
        names = _shown(top)
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_cell(row.get(name)))}</td>" for name in names) + "</tr>"
                       for row in top)
        more = f"<p>{len(self) - len(top)} more rows</p>" if len(self) > len(top) else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
