"""The validation of new observations, and their defaults (source 001, §Request: Add Observation).

type         as given, else contextual_insight
confidence   as given, else 0.5
expires_at   created_at + ttl_minutes, 1440 minutes if omitted; a TTL of 0 means expired from the start
tag key      the tag in NFKC form, case-folded, with white space collapsed; tags with equal keys are one tag
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime, timedelta

from prefrontal.graph.config.tables import LimitsTable, ScratchTable
from prefrontal.graph.entities.rules import unique_names
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.scratch.record import (
    Observation,
    ObservationChanges,
    ObservationDraft,
    ObservationStatus,
)
from prefrontal.graph.text.folding import fold, unique_folded
from prefrontal.graph.validation import cleared_problems, join_path, repeated
from prefrontal.graph.wording import counted

_REQUIRED = ("content", "type", "confidence", "ttl_minutes")
"""What every observation has, so that an update cannot clear it."""


def fold_tag(tag: str) -> str:
    """Return the key of a tag: ` Red  Wine` and `red wine` have the same key."""
    return fold(tag)


def draft_problems(
    draft: ObservationDraft, limits: LimitsTable, scratch: ScratchTable, path: str, *, checked: bool = False
) -> list[InvalidInput]:
    """Return all problems of a draft, each with the path of its field under `path`.

    `checked` says that its limits were checked with those of the command that it stands in.
    """
    problems = [] if checked else limit_problems(draft, limits, path)
    problems += ttl_problems(draft.ttl_minutes, scratch, path)
    return problems + repeated(draft.contradicts[: limits.list_items], join_path(path, "contradicts[{}]"))


def change_problems(changes: ObservationChanges, scratch: ScratchTable, path: str = "") -> list[InvalidInput]:
    """Return the problems of a change, apart from those of its limits."""
    if not changes.model_fields_set & ObservationChanges.model_fields.keys():
        return [InvalidInput("nothing to change; give at least one field", field=path or None)]
    problems = cleared_problems(changes, _REQUIRED, path)
    return problems + ttl_problems(changes.ttl_minutes, scratch, path)


def ttl_problems(ttl_minutes: float | None, scratch: ScratchTable, path: str = "") -> list[InvalidInput]:
    """Return a problem if a time to live is too long."""
    if ttl_minutes is None or ttl_minutes <= scratch.max_ttl_minutes:
        return []
    return [
        InvalidInput(
            f"at most {counted(scratch.max_ttl_minutes, 'minute')}", field=join_path(path, "ttlMinutes")
        )
    ]


def observation_of(
    draft: ObservationDraft, *, uid: str, scope_id: str, by_uid: str, now: datetime, scratch: ScratchTable
) -> Observation:
    """Return the observation of a valid draft that is added at `now`."""
    ttl = scratch.default_ttl_minutes if draft.ttl_minutes is None else draft.ttl_minutes
    return Observation(
        uid=uid,
        scope_id=scope_id,
        type=draft.type or scratch.default_type,
        content=draft.content,
        confidence=scratch.default_confidence if draft.confidence is None else draft.confidence,
        tags=unique_folded(draft.tags),
        status=ObservationStatus.ACTIVE if ttl > 0 else ObservationStatus.EXPIRED,
        source=draft.source,
        context=draft.context,
        ttl_minutes=ttl,
        metadata=draft.metadata or None,
        client_key=draft.client_key,
        created_at=now,
        updated_at=now,
        expires_at=now + timedelta(minutes=ttl),
        archived_at=None if ttl > 0 else now,
        pinned=False,
        by_uid=by_uid,
        version=1,
        entities=unique_names(draft.entities),
    )


def effective_status(stored: ObservationStatus, expires_at: datetime, now: datetime) -> ObservationStatus:
    """Return the status that a reader sees: an active observation past its expiry time reads as expired."""
    if stored is ObservationStatus.ACTIVE and expires_at <= now:
        return ObservationStatus.EXPIRED
    return stored


def stored_slices(statuses: Iterable[ObservationStatus]) -> list[dict[str, object]]:
    """Return the conditions on stored data that find observations with the wanted effective statuses.

    Each condition has the stored `status`, and `alive`: True for observations before their expiry time, False
    for those after it, None for both.
    """
    wanted = set(statuses)
    slices: list[dict[str, object]] = [
        {"status": status.value, "alive": None}
        for status in (ObservationStatus.RESOLVED, ObservationStatus.ARCHIVED, ObservationStatus.EXPIRED)
        if status in wanted
    ]
    alive, faded = ObservationStatus.ACTIVE in wanted, ObservationStatus.EXPIRED in wanted
    if alive or faded:
        both = alive and faded
        slices.append({"status": ObservationStatus.ACTIVE.value, "alive": None if both else alive})
    return slices


def draft_hash(draft: ObservationDraft) -> str:
    """Return a digest of a draft. It tells a repeated request from another draft with the same client key."""
    # These fields are newer than stored digests, so they are part of the digest only when given.
    without = {name for name in ("contradicts", "entities") if not getattr(draft, name)}
    text = json.dumps(draft.model_dump(mode="json", exclude=without), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
