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
    if isinstance(value, DateTime | Date | Time):
        return value.to_native()
    if isinstance(value, Duration):
        return value.iso_format()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value
