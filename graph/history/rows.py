"""The row of a `Version` node: who made which version of what, when, and what changed in it.

Beside `prefrontal.graph.history.versions`, which is pure, since a version has an id of its own.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.request_key import REQUEST_KEY
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller


def version_row(
    caller: Caller,
    *,
    of_uid: str,
    number: int,
    scope_id: str,
    caption: str,
    changes: str,
    at: datetime,
    turn_id: str | None = None,
    before: str | None = None,
) -> dict[str, Any]:
    """Return the properties of a version that the caller makes at `at`; `changes` is JSON.

    A kind whose first version is not stored gives in `before`, as JSON, what the changed fields were.
    """
    return {
        "uid": new_id(Kind.VERSION, at),
        "org_id": caller.org_id,
        "scope_id": scope_id,
        "name": short_name(f"v{number} {caption}"),
        "created_at": at,
        "by_uid": caller.actor_id,
        "of_uid": of_uid,
        "number": number,
        "turn_key": turn_id,
        "changes": changes,
        # Which fields, so that the last change of one is found without reading what it became.
        "fields": sorted(json.loads(changes)),
        "before": before,
        "request_key": REQUEST_KEY.get(),
    }
