"""What a version holds: the fields that changed, as JSON, never embeddings.

    first version     every field of the record
    later versions    the fields whose value differs from the version before

The record at any time is its versions up to then, folded in order. An edit that changes nothing gives
no version (VER-08).
"""

from __future__ import annotations

import json
from typing import Any

from prefrontal.graph.record import Record

_BOOKKEEPING = frozenset({"version", "updated_at"})


def changed_fields(before: Record | None, after: Record) -> dict[str, Any]:
    """Return the JSON-able fields of `after` that differ from `before`; all of them without one."""
    new = after.model_dump(mode="json")
    if before is None:
        return {name: value for name, value in new.items() if name not in _BOOKKEEPING}
    old = before.model_dump(mode="json")
    return {
        name: value
        for name, value in new.items()
        if name not in _BOOKKEEPING and (name not in old or old[name] != value)
    }


def changes_json(before: Record | None, after: Record) -> str:
    """Return `changed_fields` as the text a `Version` node keeps."""
    return json.dumps(changed_fields(before, after), ensure_ascii=False, sort_keys=True)
