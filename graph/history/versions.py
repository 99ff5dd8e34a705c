"""The content of a version: the changed fields as JSON, never embeddings.

    first version     every field of the record
    later versions    the fields whose values differ from the previous version

The state of a record at a time results from its versions up to that time, merged in order. A change that
leaves every field as it was creates no version (VER-08).
"""

from __future__ import annotations

import json
from typing import Any

from prefrontal.graph.record import Record

_BOOKKEEPING = frozenset({"version", "updated_at"})


def changed_fields(before: Record | None, after: Record) -> dict[str, Any]:
    """Return the JSON-able fields of `after` that differ from `before`; all fields if `before` is None."""
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
    """Return `changed_fields` as JSON text, as stored in `Version.changes`."""
    return json.dumps(changed_fields(before, after), ensure_ascii=False, sort_keys=True)
