"""The properties of a new `Version` node, as a query parameter.

This module is separate from `prefrontal.graph.history.versions`, which is pure: a row needs a new id.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from prefrontal.graph.history.versions import changes_json
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.record import turn_mark
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
    turn_id: str | None,
    before: str | None = None,
) -> dict[str, Any]:
    """Return the properties of a `Version` node that the caller creates at `at`.

    Args:
        caller: The caller that makes the change.
        of_uid: The id of the changed record.
        number: The number of the version.
        scope_id: The space of the record.
        caption: The text of the node's caption, after the version's number.
        changes: The changed fields with their new values, as JSON.
        at: The time of the change.
        turn_id: The turn in which the change happens.
        before: The old values of the changed fields, as JSON. Needed for kinds without a stored first
            version.
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
        "turn_uid": turn_mark(turn_id),
        "changes": changes,
        # A query finds the last change of a field by this list, without parsing the JSON in `changes`.
        "fields": sorted(json.loads(changes)),
        "before": before,
        "request_key": REQUEST_KEY.get(),
    }


def record_version_row(
    caller: Caller, before: Any, after: Any, *, caption: str, turn_id: str | None
) -> dict[str, Any]:
    """Return the properties of the version of a record that has its first version stored too.

    `before` is None for the first one. The version has every field that the change gave another value.
    """
    return version_row(
        caller,
        of_uid=after.uid,
        number=after.version,
        scope_id=after.scope_id,
        caption=caption,
        changes=changes_json(before, after),
        at=after.updated_at,
        turn_id=turn_id,
    )
