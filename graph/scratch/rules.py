"""The changes of an observation's state.

Sources: 001, §Decision Points 3 and 4; 004, §Scratch Page Commit.

    change    allowed from                effect
    -------   -------------------------   ------------------------------------------------------------
    resolve   active                      status resolved
    archive   active, resolved, expired   status archived, with the time of archiving
    fade      expired, not archived yet   status expired, with the time of archiving
    pin       active                      the observation does not expire
    unpin     pinned                      the observation expires `ttl_minutes` from now
    update    active, resolved            the given fields change; a new TTL counts from now

A change that has no effect creates no version and no event. An active observation whose expiry time has
passed counts as expired.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from prefrontal.graph.clock import NEVER
from prefrontal.graph.entities.rules import unique_names
from prefrontal.graph.errors import Expired, IllegalTransition
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import (
    Observation,
    ObservationChanges,
    ObservationContext,
    ObservationStatus,
)
from prefrontal.graph.text.folding import unique_folded

Step = Callable[[Observation, datetime], Observation]


def resolve(o: Observation, now: datetime) -> Observation:
    """Return the observation with the status resolved.

    Raises:
        Expired: If the observation has expired.
        IllegalTransition: If the observation is archived.
    """
    if o.status is ObservationStatus.RESOLVED:
        return o
    _require(o, (ObservationStatus.ACTIVE,), "resolved")
    return _changed(o, now, status=ObservationStatus.RESOLVED)


def archive(o: Observation, now: datetime) -> Observation:
    """Return the observation with the status archived."""
    if o.status is ObservationStatus.ARCHIVED:
        return o
    return _changed(o, now, status=ObservationStatus.ARCHIVED, archived_at=now, pinned=False)


def fade(o: Observation, now: datetime) -> Observation:
    """Return an observation whose expiry time has passed, with status expired and the time of archiving."""
    if o.archived_at is not None:
        return o
    return _changed(o, now, status=ObservationStatus.EXPIRED, archived_at=now, pinned=False)


def pin(o: Observation, now: datetime) -> Observation:
    """Return the observation as pinned, so that it does not expire.

    Raises:
        Expired: If the observation has expired already.
        IllegalTransition: If the observation is not active.
    """
    if o.pinned:
        return o
    _require(o, (ObservationStatus.ACTIVE,), "pinned")
    return _changed(o, now, pinned=True, expires_at=NEVER)


def unpin(o: Observation, now: datetime) -> Observation:
    """Return the observation as unpinned, so that it expires `ttl_minutes` from now."""
    if not o.pinned:
        return o
    return _changed(o, now, pinned=False, expires_at=now + timedelta(minutes=o.ttl_minutes))


def update(changes: ObservationChanges) -> Step:
    """Return a step that changes the given fields of an observation; null clears metadata and lists.

    The step raises `Expired` if the observation has expired, and `IllegalTransition` if it is archived.
    """

    def step(o: Observation, now: datetime) -> Observation:
        _require(o, (ObservationStatus.ACTIVE, ObservationStatus.RESOLVED), "changed")
        given = changes.model_fields_set
        fields: dict[str, Any] = {
            name: value
            for name in ("content", "confidence", "type")
            if (value := getattr(changes, name)) is not None
        }
        if "metadata" in given:
            fields["metadata"] = changes.metadata or None
        if "tags" in given:
            fields["tags"] = unique_folded(changes.tags or ())
        if "entities" in given:
            fields["entities"] = unique_names(changes.entities or ())
        if changes.ttl_minutes is not None:
            fields["ttl_minutes"] = changes.ttl_minutes
            if not o.pinned:
                fields["expires_at"] = now + timedelta(minutes=changes.ttl_minutes)
        return _changed(o, now, **fields)

    return step


def may_be_evidence(o: Observation) -> bool:
    """Tell whether an observation may be linked as evidence: an expired or archived one may not."""
    return o.status in (ObservationStatus.ACTIVE, ObservationStatus.RESOLVED)


def names_goal(context: ObservationContext) -> bool:
    """Return whether a context names a goal by its id; any other `goal_id` counts as a key (G-021)."""
    return context.goal_id is not None and kind_of(context.goal_id) is Kind.GOAL


def minutes_left(o: Observation, now: datetime) -> float | None:
    """Return the minutes until an observation expires; None if it is pinned or no longer active."""
    if o.pinned or o.status is not ObservationStatus.ACTIVE or o.expires_at <= now:
        return None
    return (o.expires_at - now).total_seconds() / 60


def _require(o: Observation, allowed: tuple[ObservationStatus, ...], what: str) -> None:
    if o.status in allowed:
        return
    if o.status is ObservationStatus.EXPIRED:
        raise Expired(f"the observation has expired and cannot be {what}", field="id")
    raise IllegalTransition(f"an observation that is {o.status.value} cannot be {what}", field="id")


def _changed(o: Observation, now: datetime, **fields: Any) -> Observation:
    after = o.model_copy(update=fields)
    if after == o:
        return o
    return after.model_copy(update={"updated_at": now, "version": o.version + 1})
