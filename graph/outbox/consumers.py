"""The use cases of named consumers: a reader of events whose place the service keeps.

    whose       an actor has consumers of its own: what may be read differs from actor to actor, so a place
                that two of them move would let one miss what only it may read
    begins      a name that was never acknowledged stands for the beginning; reading writes nothing
    moves       forward alone, by an acknowledgement; one that comes late changes nothing
    goes back   only by a reset, which says so

Whoever reads as a consumer gets what is behind its place, also when two processes do so at once: each event
comes at least once, and none is lost as long as a process acknowledges only what it has dealt with.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.errors import CapacityReached, InvalidInput, NotFound
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change
from prefrontal.graph.outbox import store
from prefrontal.graph.outbox.record import AcknowledgeEvents, Consumer, ResetEventConsumer
from prefrontal.graph.validation import raise_all, text_problems
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter, Work
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class ConsumerService:
    """Keeps the places of named consumers."""

    def __init__(self, database: Database, catalog: Catalog, changes: ChangeWriter) -> None:
        self._database = database
        self._catalog = catalog
        self._changes = changes

    async def acknowledged_seq(self, caller: Caller, name: str) -> int:
        """Return the place up to which a consumer of the caller has acknowledged; 0 if it never has.

        Raises:
            InvalidInput: If the name is empty or too long.
        """
        require(caller, Permission.READ)
        raise_all(text_problems(name, "consumer", self._catalog.limits.key_characters))

        async def work(tx: Tx) -> int:
            return await store.acknowledged_seq(tx, caller, name)

        return await self._database.read(work)

    async def list(self, caller: Caller) -> list[Consumer]:
        """Return the consumers of the caller that have acknowledged something, by name."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> list[Consumer]:
            return await store.list_consumers(tx, caller)

        return await self._database.read(work)

    async def acknowledge(self, caller: Caller, command: AcknowledgeEvents) -> Consumer:
        """Move a consumer forward to an event that it has dealt with, and return it.

        A place behind its own changes nothing: it never goes back. A new name begins a consumer.

        Raises:
            InvalidInput: If the name is empty or too long, or there is no event at the place yet.
            CapacityReached: If the name is new and the caller has as many consumers as it may.
        """
        self._checked(caller, command)
        most = self._catalog.outbox.most_consumers

        async def work(tx: Tx, now: datetime) -> Change:
            head, others, consumer = await store.acknowledge(
                tx, caller, command.consumer, command.seq, most=most, now=now
            )
            if command.seq > head:
                raise _beyond(head)
            if consumer is None:
                raise CapacityReached(
                    f"you have {counted(others, 'consumer')}, which is the limit; forget one with "
                    "`resetEventConsumer` and the `seq` 0"
                )
            return Change(result=consumer.model_dump(mode="json"))

        return await self._done(caller, command, work)

    async def reset(self, caller: Caller, command: ResetEventConsumer) -> Consumer:
        """Move a consumer to a place on purpose, forward or back, and return it; the place 0 forgets it.

        Raises:
            InvalidInput: If the name is empty or too long, or there is no event at the place yet.
            NotFound: If the caller has no consumer with the name.
        """
        self._checked(caller, command)

        async def work(tx: Tx, now: datetime) -> Change:
            head, consumer = await store.reset(tx, caller, command.consumer, command.seq, now)
            if command.seq > head:
                raise _beyond(head)
            if consumer is None:
                raise NotFound("you have no consumer with this name", field="consumer")
            return Change(result=consumer.model_dump(mode="json"))

        return await self._done(caller, command, work)

    def _checked(self, caller: Caller, command: AcknowledgeEvents | ResetEventConsumer) -> None:
        # Who may read events may say which of them it has.
        require(caller, Permission.READ)
        raise_all(limit_problems(command, self._catalog.limits))

    async def _done(
        self, caller: Caller, command: AcknowledgeEvents | ResetEventConsumer, work: Work
    ) -> Consumer:
        return Consumer.model_validate(await self._changes.run(caller, command, work, checked=True))


def _beyond(head: int) -> InvalidInput:
    return InvalidInput(f"the `seq` of an event that has come; the last one is {head}", field="seq")
