"""What of an event's data a caller may see: ids of what it may not read are left out.

    the id of the changed record                    seen: the event lies in a readable space
    ids of actors and of the organisation           seen, as in the audit log
    parts of a session, in an event of a session    seen: only the session's own caller gets the event
    all other ids                                   seen if the caller may read what they name

What a caller may not read and what is gone give the same answer: null, or one item less in a list. Everything
else is a code, a number, a time or a name that a client gave, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from prefrontal.graph.ids import Kind, kind_of

_ACTORS = frozenset({Kind.AGENT, Kind.PERSON, Kind.DEVICE, Kind.ORGANISATION})
_PARTS = frozenset({Kind.SESSION, Kind.FRAGMENT, Kind.CHECKPOINT})


def ids_in(data: object) -> Iterator[str]:
    """Return every id that the data of an event contains, at any depth."""
    if isinstance(data, str):
        if kind_of(data) is not None:
            yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from ids_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from ids_in(value)


def is_seen(uid: str, aggregate: str, readable: AbstractSet[str]) -> bool:
    """Return whether a caller sees an id in the data of an event about `aggregate`."""
    kind = kind_of(uid)
    if uid == aggregate or uid in readable or kind in _ACTORS:
        return True
    return kind in _PARTS and kind_of(aggregate) is Kind.SESSION


def visible(data: dict[str, Any], aggregate: str, readable: AbstractSet[str]) -> dict[str, Any]:
    """Return the data of an event without the ids that the caller does not see."""

    def redacted(value: Any) -> Any:
        if isinstance(value, str):
            return value if kind_of(value) is None or is_seen(value, aggregate, readable) else None
        if isinstance(value, dict):
            return {key: redacted(each) for key, each in value.items()}
        if isinstance(value, list):
            return [each for each in map(redacted, value) if each is not None]
        return value

    found: dict[str, Any] = redacted(data)
    return found
