"""Rules that rebuild records and changes from stored versions.

record at version n   the changes of versions 1 to n, merged in order; the latest value of a field counts
old value             the value of the field in the latest earlier version that contains the field
no first version      Observations are numerous, so their first version is not stored. Each of their versions
                      has the old values instead, and an earlier state is rebuilt backwards from the node.
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
POINTERS = ("parent_goal_id", "derived_from", "goal_id")
"""Fields with ids of other nodes.

A caller that may read the record may not be allowed to read these nodes.
"""

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
    return earlier


def remarks_of(kind: str) -> frozenset[str]:
    """Return the names of the remarks in versions of a kind of record. `kind` is the prefix of its ids."""
    extra = _ALSO_REMARK.get(kind)
    return _REMARKS | {extra} if extra else _REMARKS


def differences(
    version: StoredVersion, known: Mapping[str, Any], remarks: frozenset[str]
) -> tuple[FieldChange, ...]:
    """Return the fields that a version changed, ordered by name.

    Args:
        version: The version.
        known: The values of the fields before the version.
        remarks: The names of entries that are not fields.
    """
    was = {**known, **(version.before or {})}
    return tuple(
        FieldChange(name=name, before=was.get(name), after=after)
        for name, after in sorted(version.changes.items())
        if name not in remarks and was.get(name, _NOTHING) != after
    )


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


def pointers_in(changes: Mapping[str, Any]) -> set[str]:
    """Return the ids of other nodes in the changed fields."""
    found: set[str] = set()
    for name in (*POINTERS, *EVIDENCE):
        value = changes.get(name)
        found.update([value] if isinstance(value, str) else value or ())
    return found


def without_foreign(fields: Mapping[str, Any], readable: frozenset[str]) -> dict[str, Any]:
    """Return the fields without ids of unreadable nodes: such an id becomes None or leaves its list."""
    shown = dict(fields)
    for name in {*POINTERS, *EVIDENCE} & shown.keys():
        value = shown[name]
        if isinstance(value, str):
            shown[name] = value if value in readable else None
        elif value:
            shown[name] = [item for item in value if item in readable]
    return shown


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
    return {camel(key): item for key, item in value.items()} if isinstance(value, dict) else value
