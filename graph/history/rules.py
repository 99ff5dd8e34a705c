"""Rules that rebuild records and changes from stored versions.

record at version n   the changes of versions 1 to n, merged in order; the latest value of a field counts
old value             the value of the field in the latest earlier version that contains the field
no first version      Observations are numerous, so their first version is not stored. Each of their versions
                      has the old values instead, and an earlier state is rebuilt backwards from the node.
lost texts            Early versions of observations have no texts, only the names of the changed ones, under
                      `changed`; the values of those are unknown
remarks               entries of a version that are not fields: a note, the evidence for the change, and the
                      version that a revert went back to
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prefrontal.graph.history.record import FieldChange, StoredVersion
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.validation import camel

NOTE = "note"
REVERTED_TO = "reverted_to"
EVIDENCE = ("evidence_linked", "evidence_unlinked", "evidence_counted")
REFERENCES = ("references", "evidence_refs")
_REMARKS = frozenset({NOTE, REVERTED_TO, *EVIDENCE})
_ALSO_REMARK = {"goal": "references"}
"""For a goal, `references` belong to one change and are a remark. For a story, `references` is a field."""
POINTERS = ("parent_goal_id", "derived_from", "goal_id", "superseded_by", "violates")
"""Fields with ids of other nodes.

A caller that may read the record may not be allowed to read these nodes.
"""

_LOST = "changed"
_CONTEXT = "context"
_EVIDENCE = "evidence"
_PUBLIC = {"uid": "id", "scope_id": "space", "by_uid": "createdBy", "person_id": "person"}
_NESTED = frozenset({"milestones", "context", "source"})


def fold(versions: Iterable[StoredVersion]) -> dict[str, Any]:
    """Return the fields of a record after the given versions, which are in order, oldest first."""
    fields: dict[str, Any] = {}
    for version in versions:
        fields |= version.changes
    return fields


def unfold(fields: Mapping[str, Any], later: Sequence[StoredVersion]) -> dict[str, Any]:
    """Return the fields of a record before the `later` versions, which are in order, oldest first.

    `fields` are the fields after these versions.
    """
    earlier = dict(fields)
    for version in reversed(later):
        earlier |= version.before or {}
        for name in (_LOST, *lost_in(version)):
            earlier.pop(name, None)
    return earlier


def lost_in(version: StoredVersion) -> tuple[str, ...]:
    """Return the names of the fields that a version changed, but whose values were not stored."""
    return tuple(version.changes.get(_LOST) or ())


def remarks_of(kind: str) -> frozenset[str]:
    """Return the names of the remarks in versions of a kind of record. `kind` is the prefix of its ids."""
    extra = _ALSO_REMARK.get(kind)
    return _REMARKS | {extra} if extra else _REMARKS


def differences(
    version: StoredVersion, known: Mapping[str, Any], remarks: frozenset[str]
) -> tuple[FieldChange, ...]:
    """Return the fields that a version changed, ordered by name; `evidence` has what was linked and unlinked.

    Args:
        version: The version.
        known: The values of the fields before the version.
        remarks: The names of entries that are not fields.
    """
    was = {**known, **(version.before or {})}
    found = [
        FieldChange(name=name, before=was.get(name), after=after)
        for name, after in version.changes.items()
        if name not in remarks and name != _LOST and was.get(name, _NOTHING) != after
    ]
    found += [FieldChange(name=name, before=None, after=None) for name in lost_in(version)]
    linked, unlinked = (version.changes.get(name) for name in EVIDENCE[:2])
    if linked or unlinked:
        found.append(FieldChange(name=_EVIDENCE, before=list(unlinked or ()), after=list(linked or ())))
    return tuple(sorted(found, key=lambda change: change.name))


_NOTHING: Any = object()


def references_of(version: StoredVersion, known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of the evidence that a version adds.

    `known` are the values of the fields before the version.
    """
    found: list[str] = []
    for name in REFERENCES:
        earlier = known.get(name) or ()
        # A list that is a field also contains the references of earlier versions.
        found += [item for item in version.changes.get(name) or () if item not in earlier]
    for name in EVIDENCE:
        found += version.changes.get(name) or ()
    return tuple(dict.fromkeys(found))


def operations_of(kind: str | None, operations: Sequence[EventType]) -> tuple[EventType, ...] | None:
    """Return the operations that match a filter, or None if all operations match.

    Args:
        kind: Keep only operations on this kind of record.
        operations: Keep only these operations; empty for all.
    """
    if kind is None:
        return tuple(operations) or None
    own = tuple(each for each in EventType if each.value.split(".", 1)[0] == kind)
    return tuple(each for each in own if each in operations) if operations else own


_EVENT_FIELDS: dict[EventType, tuple[str, ...]] = {
    EventType.OBSERVATION_ADDED: (
        "uid",
        "scope_id",
        "type",
        "content",
        "confidence",
        "tags",
        "status",
        "source",
        "context",
        "ttl_minutes",
        "metadata",
        "client_key",
        "created_at",
        "expires_at",
        "archived_at",
        "pinned",
        "by_uid",
        "entities",
    ),
    EventType.OBSERVATION_CONFLICTED: ("conflicts",),
    EventType.OBSERVATION_PROMOTED: ("goals",),
    EventType.OBSERVATION_DELETED: (),
    EventType.GOAL_SHARED: ("shared_with",),
    EventType.GOAL_UNSHARED: ("shared_with",),
    EventType.GOAL_EVIDENCE_LINKED: ("evidence",),
    EventType.GOAL_EVIDENCE_UNLINKED: ("evidence",),
    EventType.SPACE_CREATED: ("uid", "key", "name", "kind"),
    EventType.DEVICES_LINKED: ("links_devices",),
    EventType.ACCESS_OFFERED: ("permission",),
    EventType.ACCESS_GRANTED: ("permission",),
    EventType.ACCESS_REVOKED: ("permission",),
    # An erasure says of nothing what it was.
    EventType.RECORD_ERASED: (),
    EventType.PERSON_ERASED: (),
    # Sessions have no versions.
    EventType.SESSION_STARTED: (
        "uid",
        "key",
        "session_type",
        "status",
        "capacity",
        "task",
        "focus",
        "created_at",
    ),
    EventType.SESSION_ENDED: ("status", "ended_at", "capacity"),
    EventType.SESSION_CHECKPOINTED: ("last_activity",),
    EventType.SESSION_RESTORED: ("capacity", "task", "focus", "dominant_themes", "coherence"),
    EventType.SESSION_REPAIRED: ("capacity", "dominant_themes", "coherence"),
    EventType.WORKING_MEMORY_UPDATED: (
        "capacity",
        "dominant_themes",
        "coherence",
        "items_processed",
        "last_activity",
    ),
    EventType.WORKING_MEMORY_EVICTED: ("capacity", "dominant_themes", "coherence"),
    EventType.TOOL_INVOCATION_TRACKED: (
        "uid",
        "tool",
        "status",
        "error",
        "parameters",
        "result",
        "execution_time_ms",
        "called_at",
        "created_at",
    ),
    EventType.OUTCOME_RECORDED: (
        "uid",
        "success",
        "result",
        "user_satisfaction",
        "feedback",
        "conflicting",
        "created_at",
    ),
    EventType.TURN_ABANDONED: ("status", "ended_at"),
    EventType.TURN_EXPORTED: ("uid", "text", "digest", "created_at"),
    EventType.TURN_COMMIT_ESCALATED: ("status", "attempts", "code"),
    EventType.TURN_COMMIT_RECOVERED: ("status", "attempts", "code"),
    EventType.EPISODE_DELETED: (),
    EventType.CONTEXT_ASSEMBLED: ("uid", "budget", "used", "tokenizer", "created_at", "included", "excluded"),
}
"""What events without a version of their own have changed.

Such an event has the number of the version before, which another change made.
"""


def fields_of(operation: EventType, stored: Sequence[str], remarks: frozenset[str]) -> tuple[str, ...]:
    """Return the public names of the fields that a change changed, in order.

    Args:
        operation: The type of the change's event.
        stored: The names in the version with the number of the event; remarks among them are no fields.
        remarks: The names of entries that are not fields.
    """
    names = _EVENT_FIELDS.get(operation, [name for name in stored if name not in remarks])
    return tuple(sorted(public_name(name) for name in names))


def pointers_in(changes: Mapping[str, Any]) -> set[str]:
    """Return the ids of other nodes in the changed fields."""
    found: set[str] = set()
    for name in (*POINTERS, *EVIDENCE):
        value = changes.get(name)
        found.update([value] if isinstance(value, str) else value or ())
    context = changes.get(_CONTEXT) or {}
    return found | ({context["goal_id"]} if context.get("goal_id") else set())


def without_foreign(fields: Mapping[str, Any], readable: frozenset[str]) -> dict[str, Any]:
    """Return the fields without ids of unreadable nodes: such an id becomes None or leaves its list."""
    shown = dict(fields)
    for name in {*POINTERS, *EVIDENCE, _CONTEXT} & shown.keys():
        shown[name] = _readable_value(name, shown[name], readable)
    return shown


def readable_change(change: FieldChange, readable: frozenset[str]) -> FieldChange:
    """Return the change of a field without ids of unreadable nodes."""
    if change.name not in {*POINTERS, _CONTEXT, _EVIDENCE}:
        return change
    before, after = (_readable_value(change.name, value, readable) for value in (change.before, change.after))
    return FieldChange(name=change.name, before=before, after=after)


def _readable_value(name: str, value: Any, readable: frozenset[str]) -> Any:
    if name == _CONTEXT:
        known = value and value.get("goal_id") in readable
        return value if known or not value else {**value, "goal_id": None}
    if isinstance(value, str):
        return value if value in readable else None
    return [item for item in value if item in readable] if value else value


def public(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with the names and value formats of the public API."""
    return {public_name(name): _public_value(name, value) for name, value in sorted(fields.items())}


def public_change(change: FieldChange) -> FieldChange:
    """Return the change of a field with the name and value format of the public API."""
    return FieldChange(
        name=public_name(change.name),
        before=_public_value(change.name, change.before),
        after=_public_value(change.name, change.after),
    )


def public_name(name: str) -> str:
    """Return the name of a field in the public API."""
    return _PUBLIC.get(name, camel(name))


def _public_value(name: str, value: Any) -> Any:
    if name not in _NESTED:
        return value
    if isinstance(value, list):
        return [_public_value(name, item) for item in value]
    if not isinstance(value, dict):
        return value
    words = {"goal_id": "goal"} if name == _CONTEXT else {}
    return {words.get(key, camel(key)): item for key, item in value.items()}
