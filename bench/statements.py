"""The statements of an operation: their names and times, and their profiles on the server."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from prefrontal.graph.storage import unit_of_work
from prefrontal.graph.storage.queries import Query, Returns, one_parameter
from prefrontal.graph.storage.rows import Row, to_parameters, to_python


class Statements:
    """Records the names of executed statements and their total time; a `QueryObserver`."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.seconds = 0.0
        self.by_name: defaultdict[str, float] = defaultdict(float)
        """The seconds of each statement."""

    def __call__(self, query: Query, seconds: float, *, failed: bool) -> None:
        """Record a statement."""
        del failed
        self.names.append(query.name)
        self.seconds += seconds
        self.by_name[query.name] += seconds

    def clear(self) -> None:
        """Forget the recorded statements."""
        self.names.clear()
        self.seconds = 0.0
        self.by_name.clear()


@dataclass(frozen=True, slots=True)
class Profile:
    """The server's profile of one statement."""

    name: str
    db_hits: int
    rows: int
    table: str


def _hits(plan: dict[str, Any]) -> int:
    return int(plan.get("dbHits", 0)) + sum(_hits(child) for child in plan.get("children", ()))


@contextmanager
def profiled() -> Iterator[list[Profile]]:
    """Run every statement inside the block with `PROFILE` and collect the profiles.

    `PROFILE` changes a statement's text and slows it down, so it is never part of a measurement.
    """
    found: list[Profile] = []

    class ProfilingTx(unit_of_work.Tx):
        async def _rows(self, name: str, expected: Returns, params: dict[str, Any]) -> list[Row]:
            query = unit_of_work.check_call(self._queries, name, expected, params)
            text = one_parameter(query.text_for(params)).replace("CYPHER 25", "CYPHER 25 PROFILE", 1)
            result = await self._tx.run(text, to_parameters(params))
            rows = [to_python(record.data()) async for record in result]
            plan = (await result.consume()).profile or {}
            table = str(plan.get("args", {}).get("string-representation", ""))
            found.append(Profile(name, _hits(plan), len(rows), table))
            return rows

    with patch.object(unit_of_work, "Tx", ProfilingTx):
        yield found
