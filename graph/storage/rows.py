"""What the driver is given and gives: the parameters of statements, and rows as plain Python values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neo4j import Record
from neo4j.time import Date, DateTime, Duration, Time

from prefrontal.graph.wording import counted

Row = dict[str, Any]


class _AbbreviatedList(list[Any]):
    """A list that prints as its length alone."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{counted(len(self), 'item')}]"


def to_parameters(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the one parameter of `queries.one_parameter`, with the parameters of a statement as its entries.

    The driver prints the parameters of each statement for its debug log, even while that log is off, and a
    vector has hundreds of numbers. Of a list it prints the length here.
    """
    return {
        "p": {
            name: _AbbreviatedList(value) if type(value) is list else value for name, value in params.items()
        }
    }


def row_of(record: Record) -> Row:
    """Return a record as a row; cheaper than the driver's `Record.data`, which visits every value again."""
    row: Row = to_python(dict(record.items()))  # type: ignore[no-untyped-call]
    return row


def to_python(value: Any) -> Any:
    """Return the value with the driver's temporal types replaced by Python's, at any depth."""
    kind = type(value)
    if kind is dict:
        return {key: item if type(item) in _AS_THEY_ARE else to_python(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in _AS_THEY_ARE else to_python(item) for item in value]
    if kind in _NATIVE:
        return value.to_native()
    return value.iso_format() if kind is Duration else value


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})
_NATIVE = frozenset({DateTime, Date, Time})
