"""Tries parts of commits again that failed (source 004, §Error Handling; decisions G-134 and G-135).

Each attempt is a transaction of its own: it locks the part, writes it and marks it as done, or nothing. A
part that fails is counted and logged in another one. After the last attempt somebody is told; the next commit
of the space tries it again.

Whatever an attempt raises is a failed attempt of its part, and never the answer of the commit that made it:
that commit was written before, or is yet to be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.caller import target_space
from prefrontal.graph.errors import TimedOut, Unavailable, code_of
from prefrontal.graph.journal.commits import of_earlier_calls
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.turns import commit_events as events
from prefrontal.graph.turns import store
from prefrontal.graph.turns.apply import CommitContext
from prefrontal.graph.turns.commit_record import CommitStore, PendingCommit, StoreStatus, store_named
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
class RecoveryResult:
    """What became of a part."""

    store: str
    status: StoreStatus
    attempts: int
    code: str | None = None
    """Why the last attempt failed: the code of an error, or the name of its class."""
    late: bool = False
    """Whether the database did not answer, or not in time: another attempt would have no other answer now."""
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
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
        self._lessons = lessons
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._parts = parts
        self._embeddings = embeddings

    async def retry(self, caller: Caller, uids: Sequence[str]) -> list[RecoveryResult]:
        """Try parts of a commit again that failed just now, some times each; return what became of them."""
        if not uids:
            return []
        found = await self._database.read(lambda tx: store.find_pending(tx, caller, uids))
        return [await self._retried(caller, found[uid]) for uid in uids if uid in found]

    async def recover(self, caller: Caller, pending: Iterable[PendingCommit]) -> set[str]:
        """Try failed parts of earlier commits again, once each; return the ids of turns that lack one still.

        Raises nothing. Once the database is late, no further part is tried: the commit that comes next has
        its own deadline. The parts left are the first ones of the commit after it.
        """
        left, late = set(), False
        with of_earlier_calls():
            for each in pending:
                done = None if late else await self._tried(caller, each)
                if done is None or done.status is not StoreStatus.COMMITTED:
                    left.add(each.turn_uid)
                late = late or (done is not None and done.late)
        return left

    async def _retried(self, caller: Caller, pending: PendingCommit) -> RecoveryResult:
        table = self._catalog.turns
        done = _as_it_was(pending)
        if done.status is StoreStatus.COMMITTED:
            return done
        wait = table.retry_wait_ms / 1000
        for _ in range(table.retries):
            await asyncio.sleep(wait)
            wait *= 2
            done = await self._tried(caller, pending)
            if done.status is not StoreStatus.PENDING or done.late:
                break
        return done

    async def _tried(self, caller: Caller, pending: PendingCommit) -> RecoveryResult:
        """Try a part once, and note it if that fails; raises nothing."""
        try:
            return await self._committed(caller, pending)
        except StoreFailed as failed:
            # Logged where it failed.
            code, late = failed.code, False
        except Exception as error:  # noqa: BLE001 - whatever it is, it is this part that failed
            code, late = code_of(error), _is_late(error)
            # The message of an error, and its traceback, could contain content.
            log.error(  # noqa: TRY400
                "store_not_committed",
                store=pending.store,
                code=code,
                turn=pending.turn_uid,
                org=caller.org_key,
            )
        try:
            done = await self._failed(caller, pending, code)
        except Exception as error:  # noqa: BLE001 - the part is as it was, and tried again
            log.error(  # noqa: TRY400
                "attempt_not_noted",
                store=pending.store,
                code=code_of(error),
                turn=pending.turn_uid,
                org=caller.org_key,
            )
            done = replace(_as_it_was(pending), code=code, late=_is_late(error))
        return replace(done, late=late or done.late)

    async def _committed(self, caller: Caller, pending: PendingCommit) -> RecoveryResult:
        """Commit a part, or find it committed.

        Raises:
            StoreFailed: If the part cannot be written.
            Exception: Whatever else keeps it from being committed.
        """
        kind = store_named(pending.store)
        part, deltas, space = Part.of(pending.payload, kind)
        # Without the right to its space each delta would be refused, and with that done for good.
        target_space(caller, space)
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
            end = CommitContext(tx, caller, space, turn.handle, now, vectors)
            change = await self._parts.commit(kind, end, turn, part, deltas, again=True)
            later = None
            if kind is CommitStore.FRONTAL_CORTEX and summary is not None:
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
            return await self._committed(caller, other.pending)
        return RecoveryResult(
            pending.store,
            StoreStatus.COMMITTED,
            result["attempts"],
            results={
                delta.path: each for delta, each in zip(deltas, result.get("results", ()), strict=False)
            },
            result_of_part=result,
        )

    async def _failed(self, caller: Caller, pending: PendingCommit, code: str) -> RecoveryResult:
        """Note an attempt that failed, and tell somebody if it was the last one."""

        async def note(tx: Tx, now: datetime) -> Change:
            locked = await store.lock_pending(tx, caller, pending.uid, now)
            if locked is None:
                return Change(result={"attempts": pending.attempts, "status": StoreStatus.COMMITTED.value})
            held, turn, _ = locked
            last = held.attempts >= self._catalog.turns.retries
            status = StoreStatus.ESCALATED if last else StoreStatus.PENDING
            attempts = await store.settle_pending(tx, caller, pending.uid, status, code, now)
            held = held.model_copy(update={"turn_id": turn.handle})
            trace = events.failed(pending.store, code, attempts, turn.handle, pending.scope_id)
            journal = [Change(result={}, traces=(trace,))]
            if last:
                journal.append(events.escalated(held, code, attempts))
            return merged(journal, {"attempts": attempts, "status": status.value})

        result = await self._changes.write(caller, note, operation="recoverCommit")
        status = StoreStatus(result["status"])
        if status is StoreStatus.ESCALATED:
            log.error(
                "commit_escalated",
                store=pending.store,
                code=code,
                attempts=result["attempts"],
                turn=pending.turn_uid,
                org=caller.org_key,
            )
        return RecoveryResult(
            pending.store,
            status,
            result["attempts"],
            None if status is StoreStatus.COMMITTED else code,
        )


def _as_it_was(pending: PendingCommit) -> RecoveryResult:
    code = None if pending.status is StoreStatus.COMMITTED else pending.code
    return RecoveryResult(pending.store, pending.status, pending.attempts, code)


def _is_late(error: Exception) -> bool:
    return isinstance(error, TimedOut | Unavailable)
