"""Use cases of permanent memories: store and read mandates and capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.errors import Forbidden, InvalidInput
from prefrontal.graph.ids import Kind, new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind
from prefrontal.graph.memory import store
from prefrontal.graph.memory.record import Memory, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_ID_KIND = {MemoryKind.MANDATE: Kind.MANDATE, MemoryKind.CAPABILITY: Kind.CAPABILITY}
_EVENT = {
    MemoryKind.MANDATE: EventType.MANDATE_REMEMBERED,
    MemoryKind.CAPABILITY: EventType.CAPABILITY_REMEMBERED,
}


class MemoryService:
    """Stores and reads mandates and capabilities."""

    def __init__(self, database: Database, catalog: Catalog, changes: ChangeWriter) -> None:
        """Store the database, the registry and the change writer."""
        self._database = database
        self._catalog = catalog
        self._changes = changes

    async def remember(self, caller: Caller, command: Remember) -> tuple[Memory, ...]:
        """Store mandates and capabilities in one transaction, and return them in their order.

        Raises:
            InvalidInput: If a draft is not valid; then nothing is stored, and `problems` has every problem.
            NotFound: If the space is unknown or not readable.
            Forbidden: If the caller may not write to the space.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(command))
        scope_id = target_space(caller, command.space)

        async def work(tx: Tx, now: datetime) -> Change:
            return await self.remember_in(tx, caller, command.memories, scope_id, now, command.turn_id)

        result = await self._changes.run(caller, command, work, checked=True)
        found = await self.get(caller, result["uids"])
        return tuple(found[uid] for uid in result["uids"] if uid in found)

    async def remember_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[MemoryDraft],
        scope_id: str,
        now: datetime,
        turn_id: str | None,
    ) -> Change:
        """Store valid drafts inside a transaction; the result of the change has the `uids`.

        Raises:
            Forbidden: If the caller may not write to the space any more; then nothing was written.
        """
        memories = _memories(drafts, scope_id, caller.actor_id, now)
        if await store.remember(tx, caller, memories, turn_id) != len(memories):
            raise Forbidden("you may not write to this space any more", field="space")
        return _journal(memories, scope_id, turn_id)

    def _problems(self, command: Remember) -> list[InvalidInput]:
        if not command.memories:
            return [InvalidInput("at least one memory", field="memories")]
        return limit_problems(command, self._catalog.limits)

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Memory]:
        """Return the mandates and capabilities among `uids` that the caller may read, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Memory]:
            return await store.find(tx, caller, uids)

        return await self._database.read(work)


def _memories(drafts: Sequence[MemoryDraft], scope_id: str, by_uid: str, now: datetime) -> list[Memory]:
    # The ids of each kind ascend, so that ordering by id keeps the order of the call.
    ids = {kind: iter(new_ids(_ID_KIND[kind], now, len(drafts))) for kind in MemoryKind}
    return [
        Memory(
            uid=next(ids[draft.kind]),
            scope_id=scope_id,
            kind=draft.kind,
            content=draft.content,
            essential=draft.essential if draft.kind is MemoryKind.MANDATE else False,
            created_at=now,
            updated_at=now,
            by_uid=by_uid,
            version=1,
        )
        for draft in drafts
    ]


def _journal(memories: Sequence[Memory], scope_id: str, turn_id: str | None) -> Change:
    uids = tuple(memory.uid for memory in memories)
    return Change(
        result={"uids": list(uids)},
        traces=(
            Trace(
                kind=TraceKind.REMEMBERED,
                message=f"Remembered {len(uids)}",
                ids=uids,
                details={"count": len(uids)},
                turn=turn_id,
                scope_id=scope_id,
            ),
        ),
        events=tuple(
            Event(
                type=_EVENT[memory.kind],
                aggregate=memory.uid,
                aggregate_version=1,
                scope_id=scope_id,
                data={"memory_id": memory.uid, "kind": memory.kind.value},
                turn=turn_id,
            )
            for memory in memories
        ),
    )
