"""Statements that take longer than any deadline, on a real server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from prefrontal.graph.storage.unit_of_work import Database

_BEFORE = "CYPHER 25\nUNWIND range(1, 2000000000) AS slow\nWITH count(slow) AS slow\n"


def slow(database: Database, *names: str, timeout_s: float = 0.2) -> None:
    """Let some statements of the database take longer than its deadline, which is `timeout_s` from now on."""
    database.queries = dict(database.queries)
    for name in names:
        query = database.queries[name]
        database.queries[name] = replace(query, text=query.text.replace("CYPHER 25\n", _BEFORE, 1))
    database.timeout_s = database.cold_s = timeout_s


@contextmanager
def slowed(database: Database, *names: str, timeout_s: float = 0.2) -> Iterator[None]:
    """Let some statements take longer than the deadline inside the block."""
    before = database.queries, database.timeout_s, database.cold_s
    slow(database, *names, timeout_s=timeout_s)
    try:
        yield
    finally:
        database.queries, database.timeout_s, database.cold_s = before
