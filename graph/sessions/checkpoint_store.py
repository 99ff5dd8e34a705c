"""Queries for checkpoints of sessions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.sessions.checkpoint_record import Checkpoint, KeptCheckpoint, KeptItem
from prefrontal.graph.sessions.store import owner_params, session_properties

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.sessions.record import Session
    from prefrontal.graph.storage.unit_of_work import Tx

NAME = "Checkpoint"
"""The caption of every checkpoint."""


async def share_texts(tx: Tx, caller: Caller, session: str) -> None:
    """Make whoever forgets a memory of a checkpoint wait for the commit, or wait for it.

    This comes before the session is locked: who forgets locks the texts first too, so that neither waits for
    the other one in turn.
    """
    await tx.one("sessions/share_kept_texts", session=session, **owner_params(caller))


async def write(
    tx: Tx, caller: Caller, checkpoint: Checkpoint, session: Session, most: int, now: datetime
) -> Checkpoint | None:
    """Keep what a locked session holds, and delete what is over `most` checkpoints, the oldest first.

    Returns the checkpoint with its items; None if the caller may not write to the session any more.
    """
    row = await tx.optional(
        "sessions/write_checkpoint",
        uid=session.uid,
        session=session_properties(session),
        checkpoint={
            "uid": checkpoint.uid,
            "key": checkpoint.key,
            "session_uid": session.uid,
            "org_id": caller.org_id,
            "scope_id": session.scope_id,
            "name": NAME,
            "task": checkpoint.task,
            "focus": list(checkpoint.focus),
            "created_at": now,
            "by_uid": caller.actor_id,
        },
        most=most,
        writable=list(caller.writable),
        readable=list(caller.readable),
        now=now,
    )
    return None if row is None else _checkpoint(row["checkpoint"])


async def read(
    tx: Tx, caller: Caller, session: str, checkpoint: str | None, now: datetime
) -> KeptCheckpoint | None:
    """Return a checkpoint of a session, by its id or name, else the newest; None if there is none."""
    row = await tx.optional(
        "sessions/read_checkpoint", session=session, checkpoint=checkpoint, **owner_params(caller), now=now
    )
    if row is None:
        return None
    return KeptCheckpoint(
        checkpoint=_checkpoint(row["checkpoint"]),
        items=tuple(KeptItem.model_validate(each) for each in row["items"]),
        task_vector=row["task_vector"],
        task_encoder=row["task_encoder"],
    )


async def find(tx: Tx, caller: Caller, session: str) -> list[Checkpoint] | None:
    """Return the checkpoints of a session, by its id or its key, newest first; None if it is not theirs."""
    row = await tx.optional("sessions/list_checkpoints", session=session, **owner_params(caller))
    return None if row is None else [_checkpoint(each) for each in row["items"]]


def _checkpoint(row: Mapping[str, Any]) -> Checkpoint:
    return Checkpoint.model_validate(row)
