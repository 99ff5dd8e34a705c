"""Tries parts of commits again that failed (source 004, §Error Handling; decisions G-134 and G-135).

Each attempt is a transaction of its own: it locks the part, writes it and marks it as done, or nothing. A
part that fails is counted and logged in another one. After the last attempt somebody is told; the next commit
of the space tries it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.turns import commit_events as events
from prefrontal.graph.turns import store
from prefrontal.graph.turns.apply import Ending
from prefrontal.graph.turns.commit_record import CommitStore, PendingCommit, StoreResult, StoreStatus
from prefrontal.graph.turns.exporting import caught_up
from prefrontal.graph.turns.parts import CommitParts, Part, StoreFailed

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.lessons.service import LessonService
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Recovered:
    """What became of a part."""

    result: StoreResult
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The results of its deltas by their paths."""
    result_of_part: Mapping[str, Any] = field(default_factory=dict)
    """The result of the part, as `CommitParts.commit` says."""


class _OtherPayloadError(Exception):
    """A part of a commit has another payload by now than was prepared."""

    def __init__(self, pending: PendingCommit) -> None:
        super().__init__(pending.uid)
        self.pending = pending


class CommitRecovery:
    """Tries parts of commits again."""

    def __init__(
        self,
        database: Database,
        catalog: Catalog,
        changes: ChangeWriter,
        parts: CommitParts,
        lessons: LessonService,
        embeddings: Embeddings,
    ) -> None:
        """Store the database, the tables, the change writer, the stores, and what makes vectors."""
        self._lessons = lessons
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._parts = parts
        self._embeddings = embeddings

    async def retry(self, caller: Caller, uids: Sequence[str]) -> list[Recovered]:
        """Try parts of a commit again that failed just now, some times each; return what became of them."""
        if not uids:
            return []
        found = await self._database.read(lambda tx: store.find_pending(tx, caller, uids))
        return [await self._retried(caller, found[uid]) for uid in uids if uid in found]

    async def recover(self, caller: Caller, pending: Sequence[PendingCommit]) -> list[PendingCommit]:
        """Try failed parts of earlier commits again, once each, the oldest first; return those that fail."""
        left = []
        for each in pending:
            done = await self._tried(caller, each, last=each.status is StoreStatus.ESCALATED)
            if done.result.status is not StoreStatus.COMMITTED:
                left.append(each)
        return left

    async def _retried(self, caller: Caller, pending: PendingCommit) -> Recovered:
        table = self._catalog.turns
        if pending.status is StoreStatus.COMMITTED:
            return Recovered(_result(pending, StoreStatus.COMMITTED, pending.attempts))
        wait = table.retry_wait_ms / 1000
        done = Recovered(_result(pending, pending.status, pending.attempts))
        for number in range(table.retries):
            await asyncio.sleep(wait)
            wait *= 2
            done = await self._tried(caller, pending, last=number == table.retries - 1)
            if done.result.status is not StoreStatus.PENDING:
                break
        return done

    async def _tried(self, caller: Caller, pending: PendingCommit, *, last: bool) -> Recovered:
        """Try a part once; `last` says that somebody is told if it fails again."""
        part, deltas = Part.of(pending.payload, pending.store)
        if part.finding is not None:
            lessons = await self._lessons.prepare(caller, part.finding, caller.home)
            part = replace(part, lessons=lessons)
        vectors = await self._embeddings.before_writing(self._parts.texts(part, deltas))

        async def work(tx: Tx, now: datetime) -> Change:
            locked = await store.lock_pending(tx, caller, pending.uid, now)
            if locked is None:
                return Change(result={"attempts": pending.attempts})
            held, turn, summary = locked
            if held.payload != pending.payload:
                # Something of it was forgotten or erased meanwhile: it must not be written any more.
                raise _OtherPayloadError(held)
            end = Ending(tx, caller, pending.payload["space"], turn.handle, now, vectors)
            change = await self._parts.commit(pending.store, end, turn, part, deltas)
            later = None
            if pending.store is CommitStore.FRONTAL_CORTEX and summary is not None:
                most = self._catalog.turns.summary_characters
                later = summary, caught_up(summary, deltas, change.result["results"], most=most)
            attempts = await store.settle_pending(
                tx, caller, pending.uid, StoreStatus.COMMITTED, None, now, later
            )
            told = events.recovered(held.model_copy(update={"turn_id": turn.handle}))
            return merged([change, told], change.result | {"attempts": attempts})

        try:
            result = await self._changes.write(caller, work, operation="recoverCommit")
        except _OtherPayloadError as other:
            return await self._tried(caller, other.pending, last=last)
        except StoreFailed as failed:
            return await self._failed(caller, pending, failed.code, last=last)
        told = {delta.path: each for delta, each in zip(deltas, result.get("results", ()), strict=False)}
        return Recovered(
            _result(pending, StoreStatus.COMMITTED, result["attempts"]),
            told,
            result,
        )

    async def _failed(self, caller: Caller, pending: PendingCommit, code: str, *, last: bool) -> Recovered:
        status = StoreStatus.ESCALATED if last else StoreStatus.PENDING

        async def note(tx: Tx, now: datetime) -> Change:
            locked = await store.lock_pending(tx, caller, pending.uid, now)
            if locked is None:
                return Change(result={"attempts": pending.attempts, "status": StoreStatus.COMMITTED.value})
            attempts = await store.settle_pending(tx, caller, pending.uid, status, code, now)
            held, turn, _ = locked
            held = held.model_copy(update={"turn_id": turn.handle})
            trace = events.failed(pending.store, code, attempts, turn.handle, pending.scope_id)
            journal = [Change(result={}, traces=(trace,))]
            if last:
                journal.append(events.escalated(held, code, attempts))
            return merged(journal, {"attempts": attempts, "status": status.value})

        result = await self._changes.write(caller, note, operation="recoverCommit")
        if last:
            log.error(
                "commit_escalated",
                store=pending.store.value,
                code=code,
                attempts=result["attempts"],
                turn=pending.turn_uid,
                org=caller.org_key,
            )
        return Recovered(_result(pending, StoreStatus(result["status"]), result["attempts"], code))


def _result(
    pending: PendingCommit, status: StoreStatus, attempts: int, code: str | None = None
) -> StoreResult:
    return StoreResult(
        store=pending.store,
        status=status,
        attempts=attempts,
        code=None if status is StoreStatus.COMMITTED else code or pending.code,
    )
