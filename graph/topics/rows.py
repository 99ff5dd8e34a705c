"""Query parameters that write topics. The query that stores a record links it to its topics too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from datetime import datetime


def topic_rows(
    keys: Iterable[tuple[str, str]], *, org_id: str, by_uid: str, now: datetime
) -> list[dict[str, Any]]:
    """Return one row per topic, with the properties of a new node.

    The rows are sorted, so that concurrent transactions lock topics in the same order.

    Args:
        keys: Ids of spaces, each with the key of a topic.
        org_id: The organisation of the spaces.
        by_uid: The actor that creates the topics that are new.
        now: The time of the change.
    """
    return [
        {
            "scope_id": scope_id,
            "key": key,
            "uid": new_id(Kind.TOPIC, now),
            "org_id": org_id,
            "name": short_name(key),
            "created_at": now,
            "by_uid": by_uid,
        }
        for scope_id, key in sorted(set(keys))
    ]
