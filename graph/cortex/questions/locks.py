"""Locks a question or a story until the commit and checks that the caller may change it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from prefrontal.graph.cortex.questions.record import Question, Story
from prefrontal.graph.errors import Forbidden, NotFound
from prefrontal.graph.history.repository import Repository

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx

T = TypeVar("T", Question, Story)


async def lock_writable(
    tx: Tx, caller: Caller, kept: Repository[T], uid: str, now: datetime, field: str
) -> T:
    """Lock a question or a story that the caller may change, and return it.

    Args:
        tx: The transaction.
        caller: The caller.
        kept: `store.questions` or `store.stories`.
        uid: The id.
        now: The time of the change.
        field: The field of the input that has the id, for errors.

    Raises:
        NotFound: If it is unknown or not readable.
        Forbidden: If it is readable but not writable.
    """
    return writable_of(await kept.lock(tx, caller, [uid], now), caller, kept.noun, uid, field)


def writable_of(locked: Mapping[str, T], caller: Caller, noun: str, uid: str, field: str) -> T:
    """Return one of the locked records, if the caller may change it; raises as `lock_writable` does."""
    found = locked.get(uid)
    if found is None:
        raise NotFound(f"no such {noun}", field=field)
    if found.scope_id not in caller.writable:
        raise Forbidden(f"you may read this {noun} but not change it", field=field)
    return found
