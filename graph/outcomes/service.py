"""Use cases of outcomes: record one with its episode, and read them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import structlog

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.errors import (
    Duplicate,
    Forgotten,
    NotFound,
    PrefrontalError,
    TimedOut,
    Unavailable,
    code_of,
)
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, TurnRef, merged
from prefrontal.graph.lessons.outcome_record import Outcome, OutcomeFilter, RecordedOutcome, RecordOutcome
from prefrontal.graph.lessons.outcome_rules import digest_of, feedback_of
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind
from prefrontal.graph.outcomes import rules, store
from prefrontal.graph.outcomes.events import not_recorded, recorded
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.membership import enter
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.validation import found_or_gone, raise_all

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.lessons.service import LessonService, PreparedLessons
    from prefrontal.graph.memory.service import MemoryService
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.tools.service import ToolService

log = structlog.get_logger(__name__)

_NEWEST = f"{Kind.OUTCOME.value}_~"
"""Sorts after the id of every outcome."""


class _Taught(NamedTuple):
    """What an outcome teaches, and the id of the turn whose calls were looked at."""

    turn_uid: str | None
    lessons: PreparedLessons


class _OtherTurnError(Exception):
    """The outcome is one of another turn than the one whose calls were looked at; nothing was written."""

    def __init__(self, uid: str) -> None:
        super().__init__(uid)
        self.uid = uid


class OutcomeService:
    """Records the outcomes of turns, and lists them."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        *,
        memory: MemoryService,
        tools: ToolService,
        lessons: LessonService,
        embeddings: Embeddings,
        access_log: AccessLog,
    ) -> None:
        """Store the dependencies of the use cases.

        `of_turns` is the list of a turn's outcomes, and `of_lessons` that of the outcomes that taught or
        confirmed a lesson, both in the order in which they were recorded.
        """
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._memory = memory
        self._tools = tools
        self._lessons = lessons
        self._embeddings = embeddings
        self._access_log = access_log
        self.of_turns = RelatedReader(database, clock, store.of_turns, require_reader)
        self.of_lessons = RelatedReader(database, clock, store.of_lessons, require_reader)

    async def record(self, caller: Caller, command: RecordOutcome) -> RecordedOutcome:
        """Record an outcome of a turn, with an episode that tells it and with what it teaches.

        The lessons are learned from the feedback and from the turn's calls of tools since its last outcome,
        in the transaction that stores the outcome. If they cannot be extracted, the outcome is stored all the
        same. A new name begins the turn, and one that has ended takes the outcome, too. If the outcome cannot
        be stored, the log says so, and the trace of its turn where the database still takes that.

        Raises:
            InvalidInput: If a field is empty or a text too long.
            NotFound: If the session is unknown or not the caller's.
            Conflict: If the turn is in another session.
            IllegalTransition: If the session has ended, and the turn is not in it.
            Duplicate: If the `client_key` belongs to another outcome.
        """
        require(caller, Permission.WRITE)
        raise_all(limit_problems(command, self._catalog.limits))
        of: list[str | None] = [None]
        try:
            return await self._record(caller, command, of)
        except Exception as error:
            await self._missed(caller, command, of[-1], error)
            raise

    async def _record(self, caller: Caller, command: RecordOutcome, of: list[str | None]) -> RecordedOutcome:
        """Record a valid outcome; the id of its turn, if there is one already, is put at the end of `of`."""
        vectors = await self._embeddings.before_writing([passage_of(self.episode_text(command))])
        taught = await self._prepared(caller, command, command.turn_id)
        of.append(taught.turn_uid)

        async def work(tx: Tx, now: datetime) -> Change:
            turn = await enter(tx, caller, command.session_id, command.turn_id, now)
            if taught.turn_uid != turn.uid and turn.created_at < now:
                # In its session, or since a moment ago, the name stands for another turn.
                raise _OtherTurnError(turn.uid)
            return await self.record_in(tx, caller, command, turn, vectors, taught.lessons, now)

        async def run() -> dict[str, Any]:
            return await self._changes.run(caller, command, work, checked=True, once_more_if_duplicate=True)

        with self._access_log.access(caller, AccessOperation.JOIN_TURN, command.session_id):
            try:
                result = await run()
            except _OtherTurnError as other:
                of.append(other.uid)
                taught = await self._prepared(caller, command, other.uid)
                result = await run()
        uid = result["outcome"]
        found = await self.get(caller, [uid])
        return RecordedOutcome(outcome=found_or_gone(found, uid, "outcome"), created=result["created"])

    async def _missed(
        self, caller: Caller, command: RecordOutcome, turn_uid: str | None, error: Exception
    ) -> None:
        """Log that an outcome was not recorded, and say so in the trace of its turn if the database can.

        A refusal is the caller's to mend: it has its problem, and nothing is written.
        """
        refused = isinstance(error, PrefrontalError) and not isinstance(error, Unavailable | TimedOut)
        say, code = log.warning if refused else log.error, code_of(error)
        # Neither the name of the turn, which is the client's, nor a message, which may have content.
        say("outcome_not_recorded", code=code, turn=turn_uid, org=caller.org_key)
        if turn_uid is None or isinstance(error, PrefrontalError):
            return

        async def note(tx: Tx, now: datetime) -> Change:
            turn = await enter(tx, caller, command.session_id, command.turn_id, now)
            if turn.uid != turn_uid:
                # The name stands for another turn now, or would begin one.
                raise NotFound("no such turn", field="turnId")
            return not_recorded(code, turn.handle, caller.home)

        with suppress(PrefrontalError):
            await self._changes.write(caller, note, operation="recordOutcome")

    async def _prepared(self, caller: Caller, command: RecordOutcome, turn: str) -> _Taught:
        """Return what the outcome of a turn, by its name or its id, teaches."""
        turn_uid, calls = await self._tools.calls(caller, turn)
        finding = rules.finding_of(command, turn_uid or "", calls)
        return _Taught(turn_uid, await self._lessons.prepare(caller, finding, caller.home))

    async def record_in(
        self,
        tx: Tx,
        caller: Caller,
        command: RecordOutcome,
        turn: TurnRef,
        vectors: Vectors,
        lessons: PreparedLessons,
        now: datetime,
    ) -> Change:
        """Record a valid outcome of a turn inside a transaction, and store what it teaches.

        The result of the change has the id (`outcome`) and whether it is new (`created`).

        Raises:
            Duplicate: If the `client_key` belongs to another outcome.
        """
        digest = digest_of(command) if command.client_key is not None else None
        if command.client_key is not None:
            known = await store.find_known(tx, caller, caller.home, command.client_key)
            if known is not None and known[1] != digest:
                raise Duplicate("this clientKey belongs to another outcome", field="clientKey")
            if known is not None:
                return Change(result={"outcome": known[0], "created": False})
        uid = new_id(Kind.OUTCOME, now)
        told = await self._tell(tx, caller, command, uid, vectors, turn, now)
        outcome = self._new_outcome(caller, command, uid, turn.uid, told.result.get("memory"), lessons, now)
        await store.record(tx, caller, outcome, digest)
        await self._tools.count_in(tx, caller, turn.uid, uid, now)
        learned = await self._lessons.learn_in(tx, caller, lessons, uid, caller.home, turn.handle, now)
        return merged([recorded(outcome, turn.handle), told, learned], {"outcome": uid, "created": True})

    async def _tell(
        self,
        tx: Tx,
        caller: Caller,
        command: RecordOutcome,
        uid: str,
        vectors: Vectors,
        turn: TurnRef,
        now: datetime,
    ) -> Change:
        """Store the episode of an outcome; what was forgotten in the space stays forgotten."""
        draft = MemoryDraft(
            kind=MemoryKind.EPISODE,
            content=self.episode_text(command),
            tags=("outcome", "success" if command.outcome.success else "failure"),
            # One episode of an outcome, whoever else tells it.
            client_key=uid,
        )
        (done,) = await self._memory.remember_in(tx, caller, [draft], caller.home, vectors, now, turn.handle)
        if isinstance(done, Forgotten):
            return Change(result={})
        if isinstance(done, PrefrontalError):
            raise done
        return done

    def episode_text(self, command: RecordOutcome) -> str:
        """Return the text of the episode that tells an outcome."""
        text = rules.episode_of(command.turn_id, command.outcome, feedback_of(command))
        return text[: self._catalog.limits.content_characters]

    def _new_outcome(
        self,
        caller: Caller,
        command: RecordOutcome,
        uid: str,
        turn_uid: str,
        episode_uid: str | None,
        lessons: PreparedLessons,
        now: datetime,
    ) -> Outcome:
        feedback = feedback_of(command)
        return Outcome(
            uid=uid,
            scope_id=caller.home,
            turn_uid=turn_uid,
            success=command.outcome.success,
            result=command.outcome.result,
            user_satisfaction=command.outcome.user_satisfaction,
            what_worked=feedback.what_worked,
            what_could_improve=feedback.what_could_improve,
            conflicting=lessons.conflicting or rules.is_conflicting(command.outcome, feedback),
            episode_uid=episode_uid,
            client_key=command.client_key,
            created_at=now,
            by_uid=caller.actor_id,
        )

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Outcome]:
        """Return the readable outcomes among some ids, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Outcome]:
            return await store.find(tx, caller, uids)

        return await self._database.read(work)

    async def list(
        self,
        caller: Caller,
        wanted: OutcomeFilter,
        turn_uid: str | None = None,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[Outcome]:
        """Return a page of the readable outcomes that match a filter, newest first.

        `turn_uid` is the id of the turn, if the filter names one.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))
        limit = checked_first(first)
        (start,) = start_of(after, _NEWEST)

        async def work(tx: Tx) -> Sequence[Outcome]:
            return await store.list_page(
                tx, caller, _successes(wanted), turn_uid, before=start, limit=limit + 1
            )

        return page_of(await self._database.read(work), limit, lambda item: (item.uid,))

    async def count(self, caller: Caller, wanted: OutcomeFilter, turn_uid: str | None = None) -> int:
        """Return the number of outcomes that `list` gives on all pages together."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, _successes(wanted), turn_uid)

        return await self._database.read(work)


def _successes(wanted: OutcomeFilter) -> tuple[bool, ...]:
    return (True, False) if wanted.success is None else (wanted.success,)
