"""Priorities of goals, actions and questions: a name from `registry/goals.yaml` or its number."""

from __future__ import annotations

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.validation import short_name


def priority_of(given: str | None, table: GoalsTable) -> tuple[str, int] | None:
    """Return the priority's name and number; None if `given` is neither a name nor a number."""
    if given is None:
        return table.default_priority, table.priorities[table.default_priority]
    folded = given.strip().casefold()
    for name, rank in table.priorities.items():
        if folded in (name, str(rank)):
            return name, rank
    return None


def priority_problems(given: str | None, table: GoalsTable, field: str) -> list[InvalidInput]:
    """Return the problem of a priority that the registry does not know, or an empty list."""
    if given is None or priority_of(given, table) is not None:
        return []
    known = ", ".join(f"{name} ({rank})" for name, rank in table.priorities.items())
    return [InvalidInput(f"{short_name(given)!r} is not a priority; known: {known}", field=field)]
