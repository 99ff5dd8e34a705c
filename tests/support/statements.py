"""Counts the statements that were run, by query name."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prefrontal.graph.storage.queries import Query


class StatementCounter:
    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, query: Query, _seconds: float, *, failed: bool) -> None:  # noqa: ARG002
        self.names.append(query.name)

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.names)

    def clear(self) -> None:
        self.names.clear()
