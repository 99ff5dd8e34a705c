"""Use case of operators: check all sessions, and repair them beside a running service."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from prefrontal.graph.journal.store import append_rows
from prefrontal.graph.sessions import repair_store as store
from prefrontal.graph.sessions.events import session_repaired
from prefrontal.graph.sessions.integrity import mending_of
from prefrontal.graph.sessions.integrity_record import Fault, Finding, IntegrityReport
from prefrontal.graph.sessions.update import tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.sessions.integrity import RepairPlan
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_PAGE = 200
_MOST = 10_000
"""Texts, and checkpoints, that a check shows at most."""
_BATCH = 50
"""Sessions that are repaired in one transaction, which holds their locks."""


class SessionRepair:
    """Checks and repairs sessions."""

    def __init__(self, database: Database, clock: Clock, catalog: Catalog) -> None:
        self._database = database
        self._clock = clock
        self._tables = tables_of(catalog)

    async def check(self) -> IntegrityReport:
        """Return what is wrong with sessions of all organisations; nothing is written."""
        number, found = await self._look()
        findings = [finding for each in found.values() for finding in each]
        texts = await self._database.read(partial(store.stray_texts, limit=_MOST))
        findings += [Finding(fault=Fault.STRAY_TEXT, where=uid) for uid in texts]
        kept = await self._database.read(partial(store.stray_checkpoints, limit=_MOST))
        findings += [Finding(fault=Fault.STRAY_CHECKPOINT, where=uid) for uid in kept]
        return IntegrityReport(sessions=number, findings=tuple(findings))

    async def repair(self) -> IntegrityReport:
        """Repair the sessions of all organisations; return what was wrong, and what was done about it.

        Every session is looked at again under the lock that its updates take, so the service may run.
        """
        number, found = await self._look()
        findings: list[Finding] = []
        wrong = sorted(found)
        for place in range(0, len(wrong), _BATCH):
            uids = wrong[place : place + _BATCH]
            findings += await self._database.write(partial(self._mend_in, uids=uids))
        destroy = partial(store.destroy_texts, limit=_PAGE, now=self._clock.now())
        while texts := await self._database.write(destroy):
            findings += [Finding(fault=Fault.STRAY_TEXT, where=uid, done="destroyed") for uid in texts]
        while kept := await self._database.write(partial(store.delete_checkpoints, limit=_PAGE)):
            findings += [Finding(fault=Fault.STRAY_CHECKPOINT, where=uid, done="deleted") for uid in kept]
        return IntegrityReport(sessions=number, findings=tuple(findings))

    async def _look(self) -> tuple[int, dict[str, tuple[Finding, ...]]]:
        """Return the number of sessions, and what is wrong with those that have something wrong, by id."""
        after, number = "", 0
        found: dict[str, tuple[Finding, ...]] = {}
        while True:
            page = await self._database.read(partial(store.page, after=after, limit=_PAGE))
            for stored in page:
                mending = mending_of(stored, self._clock.now(), self._tables)
                if mending.findings:
                    found[stored.properties["uid"]] = tuple(
                        each.model_copy(update={"done": None}) for each in mending.findings
                    )
            number += len(page)
            if len(page) < _PAGE:
                return number, found
            after = page[-1].properties["uid"]

    async def _mend_in(self, tx: Tx, uids: Sequence[str]) -> list[Finding]:
        now = self._clock.now()
        mendings = {
            stored.properties["uid"]: mending_of(stored, now, self._tables)
            for stored in await store.lock(tx, uids, now)
        }
        mended = {uid: each for uid, each in mendings.items() if each.writes}
        if mended:
            await store.write(tx, mended, now)
        for each in mended.values():
            await self._journal_in(tx, each, now)
        return [finding for each in mendings.values() for finding in each.findings]

    async def _journal_in(self, tx: Tx, mending: RepairPlan, now: datetime) -> None:
        # No client asked for it, so the organisation itself is the actor.
        org_id = mending.session["org_id"]
        change = session_repaired(
            store.session_of(mending), mending.findings, [item for _, item in mending.left], now
        )
        await append_rows(tx, org_id=org_id, actor_id=org_id, home=org_id, change=change, now=now)
