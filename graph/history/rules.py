"""What versions say when they are put together.

record at version n   the changes of versions 1 to n, folded in order: the last word about a field counts
before                what the field was said to be by the last earlier version that names it
no first version      observations come in masses: of them the node is kept and each version has what the
                      fields were, so an earlier record is the present one, folded backwards
remarks               what a version says beside fields: a note, the evidence that moved it, what it
                      went back to
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
"""Of a goal the references of a step; of a story its own field."""
POINTERS = ("parent_goal_id", "derived_from", "goal_id")
"""Fields with ids of other nodes, which not everybody who reads the record may read."""

_PUBLIC = {"uid": "id", "scope_id": "space", "by_uid": "createdBy"}
_NESTED = frozenset({"milestones", "context", "source"})


def fold(versions: Iterable[StoredVersion]) -> dict[str, Any]:
    """Return the fields after some versions, given oldest first."""
    fields: dict[str, Any] = {}
    for version in versions:
        fields |= version.changes
    return fields


def unfold(fields: Mapping[str, Any], later: Sequence[StoredVersion]) -> dict[str, Any]:
    """Return what the fields were before some versions that have happened since, given oldest first."""
    earlier = dict(fields)
    for version in reversed(later):
        earlier |= version.before or {}
    return earlier


def remarks_of(kind: str) -> frozenset[str]:
    """Return what versions of a kind say beside fields."""
    extra = _ALSO_REMARK.get(kind)
    return _REMARKS | {extra} if extra else _REMARKS


def differences(
    version: StoredVersion, known: Mapping[str, Any], remarks: frozenset[str]
) -> tuple[FieldChange, ...]:
    """Return what a version changed, by the name of the field; `known` is what the fields were before."""
    was = {**known, **(version.before or {})}
    return tuple(
        FieldChange(name=name, before=was.get(name), after=after)
        for name, after in sorted(version.changes.items())
        if name not in remarks and was.get(name, _NOTHING) != after
    )


_NOTHING: Any = object()


def references_of(version: StoredVersion, known: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the evidence that a version names and that was not named before."""
    found: list[str] = []
    for name in REFERENCES:
        earlier = known.get(name) or ()
        # A step's references are its own; a list that is a field holds those from before as well.
        found += [item for item in version.changes.get(name) or () if item not in earlier]
    for name in EVIDENCE:
        found += version.changes.get(name) or ()
    return tuple(dict.fromkeys(found))


def operations_of(kind: str | None, operations: Sequence[EventType]) -> tuple[EventType, ...] | None:
    """Return the operations that are asked for, of one kind of record if it is named; None for all."""
    if kind is None:
        return tuple(operations) or None
    own = tuple(each for each in EventType if each.value.split(".", 1)[0] == kind)
    return tuple(each for each in own if each in operations) if operations else own


def pointers_in(changes: Mapping[str, Any]) -> set[str]:
    """Return the ids of other nodes that some fields hold."""
    found: set[str] = set()
    for name in (*POINTERS, *EVIDENCE):
        value = changes.get(name)
        found.update([value] if isinstance(value, str) else value or ())
    return found


def without_foreign(fields: Mapping[str, Any], readable: frozenset[str]) -> dict[str, Any]:
    """Return the fields without ids of nodes that are not readable: null, or left out of a list."""
    shown = dict(fields)
    for name in {*POINTERS, *EVIDENCE} & shown.keys():
        value = shown[name]
        if isinstance(value, str):
            shown[name] = value if value in readable else None
        elif value:
            shown[name] = [item for item in value if item in readable]
    return shown


def public(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields under the names and in the form that clients know."""
    return {public_name(name): _public_value(name, value) for name, value in sorted(fields.items())}


def public_change(change: FieldChange) -> FieldChange:
    """Return the change under the name and in the form that clients know."""
    return FieldChange(
        name=public_name(change.name),
        before=_public_value(change.name, change.before),
        after=_public_value(change.name, change.after),
    )


def public_name(name: str) -> str:
    """Return a field's name as clients know it."""
    return _PUBLIC.get(name, camel(name))


def _public_value(name: str, value: Any) -> Any:
    if name not in _NESTED:
        return value
    if isinstance(value, list):
        return [_public_value(name, item) for item in value]
    return {camel(key): item for key, item in value.items()} if isinstance(value, dict) else value
