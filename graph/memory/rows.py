"""The properties of new nodes of forgotten texts, as a query parameter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from prefrontal.graph.caller import Caller


def tombstone_rows(caller: Caller, keys: Iterable[tuple[str, str]], now: datetime) -> list[dict[str, Any]]:
    """Return one `Tombstone` for each space and text key that must not be stored again."""
    return [
        {
            "uid": new_id(Kind.TOMBSTONE, now),
            "org_id": caller.org_id,
            "scope_id": scope_id,
            "text_key": key,
            "name": "forgotten",
            "created_at": now,
            "by_uid": caller.actor_id,
        }
        for scope_id, key in sorted(set(keys))
    ]
