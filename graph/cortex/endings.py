"""The rule for goals that have ended: nothing is added to them until they are reopened (source 003, G-147).

An ended goal gets no new actions, children, progress or evidence. What it has stays as it is: its fields can
be corrected, evidence can be unlinked, open actions can be completed or cancelled.
"""

from __future__ import annotations

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.errors import IllegalTransition


def has_ended(status: str, table: GoalsTable) -> bool:
    return status not in table.active_statuses


def ended_message(status: str | None) -> str:
    """Return the message of what an ended goal refuses, with the way out."""
    return f"the goal is {status}; reopen it with transitionGoal first"


def require_not_ended(status: str, table: GoalsTable, field: str) -> None:
    """Check that something may be added to a goal with that status.

    Raises:
        IllegalTransition: If the goal has ended; the message names the way out.
    """
    if has_ended(status, table):
        raise IllegalTransition(ended_message(status), field=field)
