"""The use case of erasure: what is about a person is deleted, in bounded transactions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Protocol

from prefrontal.graph.caller import Permission, is_maintainer, require
from prefrontal.graph.erasure import rules, store
from prefrontal.graph.erasure.events import person_erased, records_erased
from prefrontal.graph.erasure.record import ErasureResult
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.journal.store import append
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.erasure.record import EraseUserData
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_BATCH = 50
"""How many records a transaction erases, besides what was made from them."""
_ROUNDS = 2
_PATIENCE_S = 60.0


class EraseInTurns(Protocol):
    """Takes erased records from what turns keep, inside the transaction that erases them."""

    async def __call__(
        self,
        tx: Tx,
        spaces: Collection[str],
        now: datetime,
        *,
        uids: Iterable[str] = (),
        texts: Iterable[str] = (),
        names: Iterable[str] = (),
    ) -> Change:
        """Return the change: an event for each export of a turn that is deleted."""
        ...


class ErasureService:
    """Erases what is known about persons."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        erase_in_turns: EraseInTurns,
    ) -> None:
        self._erase_in_turns = erase_in_turns
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes

    async def erase(self, caller: Caller, command: EraseUserData) -> ErasureResult:
        """Erase what is about a person, with its versions, parts and what was made from it.

        Each transaction erases some records and tells of them in events; the last one writes the audit entry
        and the result of the idempotency key. After an interruption a repeated call erases the rest.

        Raises:
            InvalidInput: If a name is empty or too long, or there are too many.
            Forbidden: If the caller is neither a maintainer nor the person itself.
        """
        require(caller, Permission.WRITE)
        raise_all([*limit_problems(command, self._catalog.limits), *rules.name_problems(command.names)])
        person = await self._database.read(lambda tx: store.find_person(tx, caller, command.person))
        person_id = person[0] if person else None
        if not is_maintainer(caller) and (person_id is None or caller.actor_id != person_id):
            raise Forbidden(
                "only a maintainer, or the person itself, may erase a person's data", field="person"
            )
        earlier = await self._changes.earlier(caller, command)
        if earlier is not None:
            return ErasureResult.model_validate(earlier)
        names = rules.names_of(command.person, command.names)
        about = person_id or caller.org_id

        async def some(tx: Tx) -> int:
            now = self._clock.now()
            every = await store.find_whole(tx, caller, part)
            in_turns = await self._erase_in_turns(
                tx,
                spaces,
                now,
                uids=[item.uid for item in every if item.label is not None],
                texts=[item.text for item in every if item.text],
            )
            await store.erase(tx, caller, every, now)
            told = {item.uid for item in every}
            others = tuple(event for event in in_turns.events if event.aggregate not in told)
            erased = records_erased(every, about)
            journal = erased.model_copy(update={"events": (*erased.events, *others)})
            await append(tx, caller, journal, now)
            return sum(item.label is not None for item in every)

        async def announced(tx: Tx) -> None:
            # What a commit still has to bring is no record yet.
            now = self._clock.now()
            await append(tx, caller, await self._erase_in_turns(tx, spaces, now, names=names), now)

        async def find(tx: Tx) -> list[str]:
            return await store.find_data(tx, caller, person, names)

        done = 0
        spaces = await self._database.read(lambda tx: store.list_spaces(tx, caller))
        # Once more for what was written meanwhile.
        for _ in range(_ROUNDS):
            await self._database.write(announced, timeout_s=_PATIENCE_S)
            refs = await self._database.read(find, timeout_s=_PATIENCE_S)
            for start in range(0, len(refs), _BATCH):
                part = refs[start : start + _BATCH]
                done += await self._database.write(some, timeout_s=_PATIENCE_S)

        async def work(_tx: Tx, _now: datetime) -> Change:
            audit = person_erased(about, caller.common or caller.home, done)
            return merged([audit], {"person": about, "records": done})

        result = await self._changes.run(caller, command, work, checked=True)
        return ErasureResult.model_validate(result)
