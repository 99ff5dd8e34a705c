"""Use cases of checkpoints: keep what a session holds, and put it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.embedding.embeddings import NO_VECTORS, Vectors
from prefrontal.graph.errors import Forbidden, IllegalTransition, NotFound
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.sessions import checkpoint_store, store
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.checkpoint_record import (
    Checkpoint,
    CheckpointSession,
    MissingItem,
    RestoreCheckpoint,
    RestoredSession,
)
from prefrontal.graph.sessions.events import session_checkpointed, session_restored
from prefrontal.graph.sessions.membership import UNKNOWN
from prefrontal.graph.sessions.record import EvictedItem, LockedSession, SessionStatus
from prefrontal.graph.sessions.restoring import restored
from prefrontal.graph.sessions.update import HAS_ENDED, tables_of
from prefrontal.graph.validation import found_or_gone

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.sessions.checkpoint_record import KeptCheckpoint
    from prefrontal.graph.storage.unit_of_work import Database, Tx

NOT_WRITABLE = "you may not write to this session any more"


class SessionCheckpoints:
    """Keeps and restores what sessions of an actor hold."""

    def __init__(
        self, database: Database, catalog: Catalog, changes: ChangeWriter, access_log: AccessLog
    ) -> None:
        self._database = database
        self._most = catalog.capacity.checkpoints
        self._tables = tables_of(catalog)
        self._changes = changes
        self._access_log = access_log

    async def keep(self, caller: Caller, command: CheckpointSession) -> Checkpoint:
        """Keep what a session holds now, as references; return the checkpoint.

        The oldest ones that are over the number of `operations/capacity.yaml` are deleted.

        Raises:
            InvalidInput: If a field is not valid.
            NotFound: If the session is unknown or not the caller's.
            IllegalTransition: If it has ended.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            held = await self._locked(tx, caller, command.session_id, now)
            uid = new_id(Kind.CHECKPOINT, now)
            before = held.session
            session = before.model_copy(
                update={"last_activity": now, "updated_at": now, "version": before.version + 1}
            )
            wanted = Checkpoint(
                uid=uid,
                key=command.name or uid,
                session_uid=session.uid,
                task=session.task,
                focus=session.focus,
                created_at=now,
            )
            kept = await checkpoint_store.write(tx, caller, wanted, session, self._most, now)
            if kept is None:
                raise Forbidden(NOT_WRITABLE, field="sessionId")
            journal = session_checkpointed(session, kept, now, turn_id=command.turn_id)
            return merged([journal], {"session": session.uid, "checkpoint": uid})

        with self._access_log.access(caller, AccessOperation.CHECKPOINT, command.session_id) as access:
            result = await self._changes.run(caller, command, work)
            access.session = result["session"]
        found = await self._find(caller, result["session"]) or []
        return found_or_gone({each.uid: each for each in found}, result["checkpoint"], "checkpoint")

    async def restore(self, caller: Caller, command: RestoreCheckpoint) -> RestoredSession:
        """Put back what a session held at a checkpoint; return what came back, what left and what is missing.

        Raises:
            InvalidInput: If a field is not valid.
            NotFound: If the session, or the checkpoint, is unknown or not the caller's.
            IllegalTransition: If the session has ended.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            await checkpoint_store.share_texts(tx, caller, command.session_id)
            held = await self._locked(tx, caller, command.session_id, now)
            kept = await checkpoint_store.read(tx, caller, held.session.uid, command.checkpoint, now)
            if kept is None:
                raise NotFound("the session has no such checkpoint", field="checkpoint")
            done = restored(held, kept, now, self._tables)
            written = await store.write(
                tx,
                caller,
                done.session,
                now,
                ended=done.left,
                added=done.back,
                changed=done.stayed,
                new_task=done.session.task,
                vectors=_task_vector(kept),
                redacted=[item.memory_uid for item in done.back if item.redacted],
            )
            if not written:
                raise Forbidden(NOT_WRITABLE, field="sessionId")
            back = [item.item_id for item in done.back]
            journal = session_restored(
                done.session,
                kept.checkpoint.uid,
                back,
                done.left,
                done.missing,
                now,
                turn_id=command.turn_id,
            )
            result = {
                "session": done.session.uid,
                "restored_items": back,
                "evicted_items": [each.model_dump(mode="json") for each in done.left],
                "missing_items": [each.model_dump(mode="json") for each in done.missing],
            }
            return merged([journal], result)

        with self._access_log.access(caller, AccessOperation.RESTORE, command.session_id) as access:
            result = await self._changes.run(caller, command, work)
            uid = access.session = result["session"]
            access.note_items(
                [*result["restored_items"], *(each["item_id"] for each in result["evicted_items"])]
            )
        sessions = await self._database.read(lambda tx: store.find(tx, caller, [uid]))
        return RestoredSession(
            session=found_or_gone(sessions, uid, "session"),
            restored_items=tuple(result["restored_items"]),
            evicted_items=tuple(EvictedItem.model_validate(each) for each in result["evicted_items"]),
            missing_items=tuple(MissingItem.model_validate(each) for each in result["missing_items"]),
        )

    async def find(self, caller: Caller, session: str) -> list[Checkpoint]:
        """Return the checkpoints of a session, by its id or its key, newest first; none of an unknown one."""
        with self._access_log.access(caller, AccessOperation.GET_CHECKPOINTS, session) as access:
            require(caller, Permission.READ)
            found = await self._find(caller, session)
            if found is None:
                access.finds_nothing()
        return found or []

    async def _find(self, caller: Caller, session: str) -> list[Checkpoint] | None:
        return await self._database.read(lambda tx: checkpoint_store.find(tx, caller, session))

    async def _locked(self, tx: Tx, caller: Caller, session: str, now: datetime) -> LockedSession:
        held = await store.lock(tx, caller, session, now)
        if held is None:
            raise NotFound(UNKNOWN, field="sessionId")
        if held.session.status is SessionStatus.ENDED:
            raise IllegalTransition(HAS_ENDED, field="sessionId")
        return held


def _task_vector(kept: KeptCheckpoint) -> Vectors:
    task, vector = kept.checkpoint.task, kept.task_vector
    return NO_VECTORS if task is None or vector is None else Vectors(kept.task_encoder, {task: list(vector)})
