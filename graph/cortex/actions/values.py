"""Where an action stands among others (source 003, §Prioritization; G-050).

    density    priority / effort, a missing effort counting as the registry's `default_effort`
    sort_key   density descending, due time ascending with none last, blocking first, id
    due_key    due time ascending with none last, id

A key is text whose order is the order of actions, so one index serves it, and a page begins where the one
before ended. A density is the hexadecimal form of its 64 bits, turned round: positive floating-point numbers
have the order of their bits.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.cortex.actions.record import PendingAction

NEVER = "9999-12-31T23:59:59.999999"


def density(priority_rank: int, effort: float | None, default_effort: float) -> float:
    """Return the utility density of an action."""
    return priority_rank / (default_effort if effort is None else effort)


def sort_key(action: PendingAction) -> str:
    """Return the action's place among others by utility."""
    first = "0" if action.blocking else "1"
    return f"{_descending(action.density)} {due_text(action.due_at)} {first} {action.uid}"


def due_key(action: PendingAction) -> str:
    """Return the action's place among others by due time."""
    return f"{due_text(action.due_at)} {action.uid}"


def due_text(due_at: datetime | None) -> str:
    """Return a due time as text that sorts, none after every other."""
    return (
        NEVER
        if due_at is None
        else due_at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    )


def _descending(value: float) -> str:
    (bits,) = struct.unpack(">Q", struct.pack(">d", value))
    return f"{2**64 - 1 - bits:016x}"
