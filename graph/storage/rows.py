"""Rows from the driver as plain Python values."""

from __future__ import annotations

from typing import Any

from neo4j import Record
from neo4j.time import Date, DateTime, Duration, Time

Row = dict[str, Any]


def row_of(record: Record) -> Row:
    """Return a record as a row; cheaper than the driver's `Record.data`, which visits every value again."""
    row: Row = plain(dict(record.items()))  # type: ignore[no-untyped-call]
    return row


def plain(value: Any) -> Any:
    """Return the value with the driver's temporal types replaced by Python's, at any depth."""
    kind = type(value)
    if kind is dict:
        return {key: item if type(item) in _AS_THEY_ARE else plain(item) for key, item in value.items()}
    if kind is list:
        return [item if type(item) in _AS_THEY_ARE else plain(item) for item in value]
    if kind in _NATIVE:
        return value.to_native()
    return value.iso_format() if kind is Duration else value


_AS_THEY_ARE = frozenset({str, int, float, bool, type(None)})
_NATIVE = frozenset({DateTime, Date, Time})
