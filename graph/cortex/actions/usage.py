"""The rule for how a type of action is used (source 003, §Planner Suggestion Pathway – Observability).

    created          the actions of the type that were created since a time
    open             those of them that are neither completed nor cancelled
    failed           those of them of which a result said, once at least, that they failed
    completion rate  completed / created
    error rate       failed / created
    overdue          all open actions of the type whose due time has passed, whenever they were created

A rate of no action is none. The rates are of the same actions as `created`, so they are never above 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from prefrontal.graph.record import Record
from prefrontal.graph.registry.definitions import CANCELLED, COMPLETED

EVER = datetime(1, 1, 1, tzinfo=UTC)
"""Before all actions."""


class ActionCount(Record):
    """How many actions have a type and a status, and have failed or not."""

    type: str
    status: str
    failed: bool
    number: int


class TypeUsage(Record):
    """What became of the actions of a type."""

    created: int
    completed: int
    cancelled: int
    failed: int
    overdue: int

    @property
    def open(self) -> int:
        """The created actions that are neither completed nor cancelled."""
        return self.created - self.completed - self.cancelled

    @property
    def completion_rate(self) -> float | None:
        """The share of the created actions that are completed; none of no action."""
        return self.completed / self.created if self.created else None

    @property
    def error_rate(self) -> float | None:
        """The share of the created actions that have failed; none of no action."""
        return self.failed / self.created if self.created else None


def usage_of(name: str, made: Iterable[ActionCount], overdue: int) -> TypeUsage:
    """Return how a type is used, from the numbers of its actions and the number that is overdue."""
    own = [each for each in made if each.type == name]
    return TypeUsage(
        created=sum(each.number for each in own),
        completed=sum(each.number for each in own if each.status == COMPLETED),
        cancelled=sum(each.number for each in own if each.status == CANCELLED),
        failed=sum(each.number for each in own if each.failed),
        overdue=overdue,
    )
