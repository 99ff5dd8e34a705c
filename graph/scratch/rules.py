"""What may become of an observation (source 001, §Decision Points 3 and 4; source 004, §Scratch Page Commit).

    resolve   active → resolved            archive   active, resolved, expired → archived, with the time
    pin       active: never fades          unpin     fades `ttl_minutes` from now on
    update    active, resolved: the given fields change, the others stay; a new TTL counts from now

What is so already stays as it is: no version, no event. An active observation past its time is expired.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from prefrontal.graph.clock import NEVER
from prefrontal.graph.entities.rules import unique_names
from prefrontal.graph.errors import Expired, IllegalTransition
from prefrontal.graph.scratch.record import Observation, ObservationChanges, ObservationStatus
from prefrontal.graph.scratch.validation import unique_tags

Step = Callable[[Observation, datetime], Observation]

_UNTOLD = frozenset({"content", "metadata", "entities"})


def resolve(o: Observation, now: datetime) -> Observation:
    """Return the observation as resolved.

    Raises:
        Expired: It has faded.
        IllegalTransition: It was put away.
    """
    if o.status is ObservationStatus.RESOLVED:
        return o
    _require(o, (ObservationStatus.ACTIVE,), "resolved")
    return _changed(o, now, status=ObservationStatus.RESOLVED)


def archive(o: Observation, now: datetime) -> Observation:
    """Return the observation as archived."""
    if o.status is ObservationStatus.ARCHIVED:
        return o
    return _changed(o, now, status=ObservationStatus.ARCHIVED, archived_at=now, pinned=False)


def fade(o: Observation, now: datetime) -> Observation:
    """Return an observation whose time is over as expired, put away."""
    if o.archived_at is not None:
        return o
    return _changed(o, now, status=ObservationStatus.EXPIRED, archived_at=now, pinned=False)


def pin(o: Observation, now: datetime) -> Observation:
    """Return the observation so that it does not fade.

    Raises:
        Expired: It has faded already.
        IllegalTransition: It is not active.
    """
    if o.pinned:
        return o
    _require(o, (ObservationStatus.ACTIVE,), "pinned")
    return _changed(o, now, pinned=True, expires_at=NEVER)


def unpin(o: Observation, now: datetime) -> Observation:
    """Return the observation so that it fades `ttl_minutes` from now."""
    if not o.pinned:
        return o
    return _changed(o, now, pinned=False, expires_at=now + timedelta(minutes=o.ttl_minutes))


def update(changes: ObservationChanges) -> Step:
    """Return the step that changes the given fields.

    Raises:
        Expired: The observation has faded.
        IllegalTransition: It was put away.
    """

    def step(o: Observation, now: datetime) -> Observation:
        _require(o, (ObservationStatus.ACTIVE, ObservationStatus.RESOLVED), "changed")
        given = changes.model_dump(exclude_none=True)
        fields: dict[str, Any] = {
            name: given[name] for name in ("content", "confidence", "type", "metadata") if name in given
        }
        if changes.tags is not None:
            fields["tags"] = unique_tags(changes.tags)
        if changes.entities is not None:
            fields["entities"] = unique_names(changes.entities)
        if changes.ttl_minutes is not None:
            fields["ttl_minutes"] = changes.ttl_minutes
            if not o.pinned:
                fields["expires_at"] = now + timedelta(minutes=changes.ttl_minutes)
        return _changed(o, now, **fields)

    return step


def minutes_left(o: Observation, now: datetime) -> float | None:
    """Return how long an observation stays active; None when it does not fade or is not active any more."""
    if o.pinned or o.status is not ObservationStatus.ACTIVE or o.expires_at <= now:
        return None
    return (o.expires_at - now).total_seconds() / 60


def event_details(before: Observation, after: Observation) -> dict[str, Any]:
    """Return what a version says of a change: the new values, and of contents only that they changed.

    An observation's text is kept in one place, so that forgetting it is forgetting it.
    """
    old, new = before.model_dump(mode="json"), after.model_dump(mode="json")
    changed = {name for name in new if new[name] != old[name]} - {"updated_at", "version"}
    said: dict[str, Any] = {name: new[name] for name in sorted(changed - _UNTOLD)}
    if changed & _UNTOLD:
        said["changed"] = sorted(changed & _UNTOLD)
    return said


def _require(o: Observation, allowed: tuple[ObservationStatus, ...], what: str) -> None:
    if o.status in allowed:
        return
    if o.status is ObservationStatus.EXPIRED:
        raise Expired(f"the observation has faded and cannot be {what}", field="id")
    raise IllegalTransition(f"an observation that is {o.status.value} cannot be {what}", field="id")


def _changed(o: Observation, now: datetime, **fields: Any) -> Observation:
    after = o.model_copy(update=fields)
    if after == o:
        return o
    return after.model_copy(update={"updated_at": now, "version": o.version + 1})
