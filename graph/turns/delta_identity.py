"""When two deltas of a turn are the same (source 003, §Testing Requirements: replay gives the same state).

with key     identified by the client's key, unique in a turn; the same key with another body is a conflict
without key  identified by its body (kind, fields as given, and space) and by how many equal ones stand
             before it in the same call: the same step twice in one call is two steps
repeated     the same delta is applied once in a turn, however often it is sent and with whatever other
             deltas; a refused delta is tried again when it is sent again
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from prefrontal.graph.cortex.actions.record import PendingActionUpsert
from prefrontal.graph.cortex.goals.record import ProgressDelta
from prefrontal.graph.memory.record import MemoryDraft
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.turns.record import Delta


def body_of(delta: Delta, scope_id: str) -> str:
    """Return the hash of a delta's body."""
    given = delta.body.model_dump(mode="json", exclude_unset=True, exclude={"key"})
    return _hash([delta.kind.value, scope_id, given])


def request_of(delta: Delta, body: str, deltas_of: str, before: int) -> str:
    """Return the key under which the result of a delta is stored.

    `body` is the hash of its body, `deltas_of` what identifies the deltas of its turn, and `before` the
    number of equal deltas before it in the same call.
    """
    name: list[str | int] = ["says", body] if delta.key is None else ["key", delta.key]
    if delta.key is None and before:
        name.append(before)
    return f"delta:{_hash([deltas_of, *name])}"


def runs_of(deltas: Sequence[Delta]) -> list[list[Delta]]:
    """Return the deltas in their order, grouped into runs that one use case applies together.

    An action that one delta names by id may be the action that another names by client key. So a run names
    actions either by id or by key, and each action once.
    """
    runs: list[list[Delta]] = []
    family: str | None = None
    seen: set[tuple[str, str]] = set()
    for delta in deltas:
        own, name = _family(delta), _name(delta)
        if not runs or own is None or own != family or (name is not None and _collides(name, seen)):
            runs.append([])
            seen = set()
        if name is not None:
            seen.add(name)
        family = own
        runs[-1].append(delta)
    return runs


def _family(delta: Delta) -> str | None:
    """Return the kind of run that a delta belongs to; None if the delta is applied alone."""
    match delta.body:
        case ProgressDelta():
            return "progress"
        case PendingActionUpsert():
            return "actions"
        case ObservationDraft():
            return "observations"
        case MemoryDraft():
            return "memories"
        case _:
            return None


def _name(delta: Delta) -> tuple[str, str] | None:
    """Return how a delta names its action: ("id", id) or ("key", key); None if it does not."""
    if not isinstance(delta.body, PendingActionUpsert):
        return None
    if delta.body.id is not None:
        return "id", delta.body.id
    key = delta.body.client_key
    return ("key", key) if key is not None else None


def _collides(name: tuple[str, str], seen: set[tuple[str, str]]) -> bool:
    return name in seen or any(how != name[0] for how, _ in seen)


def _hash(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, default=str, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
