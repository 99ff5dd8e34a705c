"""Use cases of permanent memories: store, read and take back mandates and capabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, is_maintainer, require, target_space
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, VersionConflict
from prefrontal.graph.ids import Kind, new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, Event, EventType, Trace, TraceKind, one_change
from prefrontal.graph.memory import store
from prefrontal.graph.memory.record import Forget, Memory, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.validation import raise_all, require_version
from prefrontal.graph.wording import with_article

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

_FORGOTTEN = {
    MemoryKind.MANDATE: EventType.MANDATE_FORGOTTEN,
    MemoryKind.CAPABILITY: EventType.CAPABILITY_FORGOTTEN,
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
            Forbidden: If the caller may not write to the space, or the space is the common one and the caller
                is no maintainer.
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
            Forbidden: If the space is the common one and the caller is no maintainer, or the caller may not
                write to the space any more; then nothing was written.
        """
        _require_maintainer_of(caller, scope_id, "space")
        memories = _memories(drafts, scope_id, caller.actor_id, now)
        if await store.remember(tx, caller, memories, turn_id) != len(memories):
            raise Forbidden("you may not write to this space any more", field="space")
        return _journal(memories, scope_id, turn_id)

    async def forget(self, caller: Caller, command: Forget) -> Memory:
        """Take a mandate or capability back, and return it; contexts leave it out from now on.

        A memory that was taken back already is returned as it is.

        Raises:
            NotFound: If the memory is unknown or not readable.
            Forbidden: If the caller may not write to its space, or it is in the common space and the caller
                is no maintainer.
            VersionConflict: If the memory has another version than expected.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            before = (await store.find(tx, caller, [command.id])).get(command.id)
            if before is None:
                raise NotFound("no such mandate or capability", field="id")
            if before.scope_id not in caller.writable:
                raise Forbidden("you may read this space but not write to it", field="id")
            _require_maintainer_of(caller, before.scope_id, "id")
            require_version(before.version, command.expected_version)
            if not before.live:
                return Change(result={"uid": before.uid})
            after = before.model_copy(
                update={"live": False, "version": before.version + 1, "updated_at": now}
            )
            if not await store.forget(tx, caller, before, after, command.turn_id):
                raise VersionConflict("it has been changed just now; read it again", field="id")
            said = (TraceKind.FORGOTTEN, _FORGOTTEN[after.kind], f"Forgot {with_article(after.kind.value)}")
            return one_change(
                after,
                said,
                command.turn_id,
                data={"memory_id": after.uid, "kind": after.kind.value},
                result={"uid": after.uid},
            )

        await self._changes.run(caller, command, work)
        found = (await self.get(caller, [command.id])).get(command.id)
        if found is None:
            raise NotFound("no such mandate or capability", field="id")
        return found

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


def _require_maintainer_of(caller: Caller, scope_id: str, field: str) -> None:
    """Check that the caller may say what everybody of its organisation must do or can do.

    Raises:
        Forbidden: If the space is the common one, and the caller is no maintainer.
    """
    if scope_id == caller.common and not is_maintainer(caller):
        raise Forbidden(
            "mandates and capabilities of the common space need a role that allows 'maintain'; use a "
            "space of your own",
            field=field,
        )


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
