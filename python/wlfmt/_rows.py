"""Rows as people look at them and as frames."""

import html
import importlib
import operator
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, SupportsIndex, Tuple, Union, overload

if TYPE_CHECKING:
    import pandas  # type: ignore
    import polars  # type: ignore

_MOST_SHOWN = 20
_PLAIN = {"int64": int, "float64": float, "str": str, "bool": bool}


def _cell(value: Any) -> str:
    if value is None:
        return ""
    words = f"{value:.6g}" if isinstance(value, float) else str(value)
    return words if len(words) <= 60 else words[:28] + "..." + words[-29:]


def _is_bounded(row: Mapping[str, Any], name: str) -> bool:
    return f"{name}_least" in row and f"{name}_most" in row


def _shown_cell(row: Mapping[str, Any], name: str) -> str:
    """A value, or what is known of it."""
    if row.get(name) is not None or not _is_bounded(row, name):
        return _cell(row.get(name))
    least, most = _cell(row[f"{name}_least"]), _cell(row[f"{name}_most"])
    if least and most:
        return f"{least} to {most}"
    return f"at least {least}" if least else f"at most {most}" if most else ""


def _shown(rows: List[Dict[str, Any]]) -> Tuple[List[str], List[List[str]]]:
    """The names of the columns in which some row has a value, and the cells of each row. Tables in rows are left out."""
    names = dict.fromkeys(name for row in rows for name, value in row.items()
                          if not isinstance(value, Rows) and not (name.endswith(("_least", "_most")) and
                                                                  _is_bounded(row, name[:name.rindex("_")])))
    cells = {name: [_shown_cell(row, name) for row in rows] for name in names}
    kept = [name for name in names if any(cells[name])]
    return kept, [[cells[name][n] for name in kept] for n in range(len(rows))]


def _left_out(row: Mapping[str, Any], names: Iterable[str]) -> List[str]:
    """A line about the columns that are not shown, as the cells of others say what is in them."""
    bounded = [name for name in names if _is_bounded(row, name)]
    return [f"Not shown: {bounded[0]}_least, {bounded[0]}_most and their like"] if bounded else []


def _type_of(values: List[Any]) -> str:
    """The type that all these values have: one of _PLAIN, or "object"."""
    given = [value for value in values if value is not None]
    kinds = {*map(type, given)}
    # Of integers beside decimals, and of larger ones, no digit is to be lost.
    most = 2**53 if float in kinds else 2**63 - 1
    if int in kinds and kinds <= {int, float} and not all(type(value) is float or abs(value) <= most for value in given):
        return "object"
    if kinds == {int, float}:
        return "float64"
    return next((name for name, kind in _PLAIN.items() if kinds == {kind}), "object")


class Rows(List[Dict[str, Any]]):
    """A list of dicts that a notebook shows as a table, and that becomes a frame. A slice of it is Rows, too.

    types  the columns that the frame has, whatever the rows, with their types: "int64", "float64", "str", "bool" or
           "object"; columns that only rows have follow, with the type that all their values have
    """

    def __init__(self, rows: Iterable[Dict[str, Any]] = (), types: Mapping[str, str] = {}) -> None:
        super().__init__(rows)
        self.types = dict(types)

    @property
    def schema(self) -> Dict[str, str]:
        """The names of the columns with their types. Of what has types, tables within a row are no column."""
        found = dict(self.types)
        for name, values in self._columns(dict.fromkeys(name for row in self for name in row)).items():
            if name not in found and not (self.types and any(isinstance(value, (dict, Rows)) for value in values)):
                found[name] = _type_of(values)
        return found

    def _columns(self, names: Iterable[str]) -> Dict[str, List[Any]]:
        return {name: [row.get(name) for row in self] for name in names}

    def to_pandas(self) -> "pandas.DataFrame":
        """A pandas.DataFrame with a column for each key: whole numbers are Int64 where some are missing, and in what
        has types."""
        pandas = importlib.import_module("pandas")

        series = {}
        schema = self.schema
        for name, values in self._columns(schema).items():
            may_lack = bool(self.types) or None in values
            kinds = {"float64": "float64", "int64": "Int64" if may_lack else "int64",
                     "bool": "boolean" if may_lack else "bool"}
            series[name] = pandas.Series(values, dtype=kinds.get(schema[name], object))
        return pandas.DataFrame(series, columns=list(schema))

    def to_polars(self) -> "polars.DataFrame":
        """A polars.DataFrame with a column for each key."""
        polars = importlib.import_module("polars")

        schema = self.schema
        return polars.DataFrame(self._columns(schema), schema={name: _PLAIN.get(kind) for name, kind in schema.items()},
                                strict=False, infer_schema_length=None)

    def to_pylist(self) -> List[Dict[str, Any]]:
        """A plain list of the same dicts."""
        return list(self)

    def head(self, n: int = 5) -> "Rows":
        """The first rows; head(-n) gives all but the last n, as in pandas."""
        return self[:operator.index(n)]

    @overload
    def __getitem__(self, index: SupportsIndex) -> Dict[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> "Rows": ...
    def __getitem__(self, index: Union[SupportsIndex, slice]) -> Union[Dict[str, Any], "Rows"]:
        found: Any = super().__getitem__(index)
        return Rows(found, self.types) if isinstance(index, slice) else found

    def copy(self) -> "Rows":
        """The same dicts in other Rows."""
        return Rows(self, self.types)

    def __repr__(self) -> str:
        if not self:
            return "<wlfmt.Rows: no rows>"
        names, cells = _shown(self[:_MOST_SHOWN])
        lines = [names, *cells]
        widths = [max(len(line[n]) for line in lines) for n in range(len(names))]
        text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
        more = [f"... {len(self) - len(cells)} more rows"] if len(self) > len(cells) else []
        return "\n".join([*text, *more, *_left_out(self[0], names)])

    def _repr_html_(self) -> str:
        names, cells = _shown(self[:_MOST_SHOWN])
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in cells)
        more = [f"{len(self) - _MOST_SHOWN} more rows"] if len(self) > _MOST_SHOWN else []
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in (*more, *(_left_out(self[0], names) if self else ())))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"
