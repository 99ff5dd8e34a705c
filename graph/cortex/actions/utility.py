"""The order of actions (source 003, §Prioritization; G-050), and the event that an action waits for.

    density    priority / effort; a missing effort counts as `default_effort` of the registry
    sort_key   density descending, due time ascending with none last, blocking first, id
    due_key    due time ascending with none last, id

Both keys are strings that sort like the actions, so one index serves each order, and a page begins where the
page before ended. The density is stored as the inverted hexadecimal form of its 64 bits: positive
floating-point numbers have the same order as their bits.

    options    `metadata.options` of an action whose completion names one of them: two or more different texts
    awaited    `metadata.event` of an action whose type is due after an event: {type, id}, an event type of
               the journal and the id of the node that the event is about
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import datetime
from sys import float_info
from typing import TYPE_CHECKING, Any

from prefrontal.graph.clock import sortable
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.record import EventType

if TYPE_CHECKING:
    from prefrontal.graph.cortex.actions.record import PendingAction
    from prefrontal.graph.registry.definitions import ActionType

NEVER = "9999-12-31T23:59:59.999999"
LAST = "~"
"""A key that sorts after every other key."""

EVENT = "event"
OPTIONS = "options"
LEAST_OPTIONS = 2
"""With one option there is nothing to choose."""
_EVENTS = frozenset(EventType)


def density(priority_rank: int, effort: float | None, default_effort: float) -> float:
    """Return the utility density of an action: priority divided by effort, and never infinite."""
    return min(priority_rank / (default_effort if effort is None else effort), float_info.max)


def sort_key(action: PendingAction) -> str:
    """Return the key that sorts the action by utility."""
    first = "0" if action.blocking else "1"
    return f"{_descending(action.density)} {due_text(action.due_at)} {first} {action.uid}"


def rank_key(key: str) -> str:
    """Return a sort key without the id at its end; actions with equal places differ only in their ids."""
    return key[: key.rindex(" ") + 1] if " " in key else ""


def due_key(action: PendingAction) -> str:
    """Return the key that sorts the action by due time."""
    return f"{due_text(action.due_at)} {action.uid}"


def due_text(due_at: datetime | None) -> str:
    """Return a due time as text that sorts; no due time sorts after every other."""
    return NEVER if due_at is None else sortable(due_at)


def overdue_key(now: datetime) -> str:
    """Return the key below which the keys of all actions are that were due by `now`."""
    return f"{due_text(now)} {LAST}"


def awaited(metadata: Mapping[str, Any] | None) -> tuple[str, str] | None:
    """Return the event that the metadata names, as event type and node id; None if it is not valid."""
    event = (metadata or {}).get(EVENT)
    if not isinstance(event, Mapping) or event.keys() != {"type", "id"}:
        return None
    kind, uid = event["type"], event["id"]
    if not isinstance(kind, str) or kind not in _EVENTS or not isinstance(uid, str) or not uid:
        return None
    return kind, uid


def event_problems(metadata: Mapping[str, Any] | None, kind: ActionType, field: str) -> list[InvalidInput]:
    """Return what is wrong with the event that an action of a type waits for; the event may be left out."""
    if kind.policy_handlers.due != "after_event" or (metadata or {}).get(EVENT) is None:
        return []
    if awaited(metadata) is not None:
        return []
    example = '{"type": "goal.transitioned", "id": "goal_…"}'
    return [InvalidInput(f"must name an event and the node that it is about, e.g. {example}", field=field)]


def option_problems(metadata: Mapping[str, Any] | None, kind: ActionType, field: str) -> list[InvalidInput]:
    """Return what is wrong with the options of an action whose completion names one of them."""
    if kind.policy_handlers.completion_guard != "choice_required":
        return []
    options = (metadata or {}).get(OPTIONS)
    texts = options if isinstance(options, list | tuple) else []
    named = {text for text in texts if isinstance(text, str) and text.strip()}
    if len(named) == len(texts) >= LEAST_OPTIONS:
        return []
    return [InvalidInput("must list two or more different texts to choose from", field=field)]


def _descending(value: float) -> str:
    (bits,) = struct.unpack(">Q", struct.pack(">d", value))
    return f"{2**64 - 1 - bits:016x}"
