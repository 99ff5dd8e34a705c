"""Use cases of working-memory sessions: start, update, end, and read."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import structlog

from prefrontal.graph.caller import Caller, Permission, require
from prefrontal.graph.config.session_tables import DEFAULT_SESSION_TYPE
from prefrontal.graph.errors import Duplicate, Forbidden, Forgotten, InvalidInput, NotFound
from prefrontal.graph.ids import Kind, kind_of, new_id
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, merged
from prefrontal.graph.sessions import store
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.accesses import AccessCounts, Delivery
from prefrontal.graph.sessions.events import session_ended, session_started, working_memory_updated
from prefrontal.graph.sessions.matching import matching
from prefrontal.graph.sessions.membership import UNKNOWN
from prefrontal.graph.sessions.record import (
    ActiveContext,
    ActiveContextFilter,
    Admission,
    EndSession,
    EvictedItem,
    Item,
    LockedSession,
    OperationResult,
    PastItem,
    Session,
    SessionContents,
    SessionFilter,
    SessionStatus,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
    WorkingMemorySearch,
    WorkingMemoryUpdate,
)
from prefrontal.graph.sessions.update import ended, ranked, tables_of, updated
from prefrontal.graph.storage.paging import (
    LATEST,
    Page,
    checked_first,
    page_of,
    start_of,
    time_of,
    time_part,
)
from prefrontal.graph.validation import found_or_gone, raise_all, require_version

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence
    from datetime import datetime

    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.sessions.correlation_service import SessionCorrelations
    from prefrontal.graph.sessions.update import Outcome
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

_LAST = "~"
"""Sorts after every id."""


class SessionService:
    """Starts, changes, ends and reads the sessions of an actor: a person on a device, or an agent."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        embeddings: Embeddings,
        correlations: SessionCorrelations,
        access_log: AccessLog,
        *,
        on_accesses: Callable[[str, int], None] | None = None,
    ) -> None:
        """Store the database, the clock, the registry, the change writer, what makes vectors and compares.

        `access_log` notes each access. `accesses` counts what is delivered; `on_accesses` is called with what
        became of how many, for a metric.
        """
        self._correlations = correlations
        self._access_log = access_log
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._embeddings = embeddings
        self.accesses = AccessCounts(database, clock, catalog.capacity.accesses, on_counted=on_accesses)
        self._tables = tables_of(catalog)

    async def start(self, caller: Caller, command: StartSession) -> Session:
        """Start a session in the private space of the caller's person, else of its agent; return it.

        Raises:
            InvalidInput: If a field is not valid, or the capacity is over the hard limit.
            Duplicate: If the key belongs to another session of the space.
            Forbidden: If the caller may not write to the space any more.
        """
        problems = self._capacity_problems(command.max_capacity)
        vectors = await self._vectors_of(command.task)

        async def work(tx: Tx, now: datetime) -> Change:
            if command.key is not None and await store.read_active(tx, caller, command.key, now) is not None:
                raise Duplicate(
                    "this key belongs to another session, also once it has ended; take another", field="key"
                )
            session = self._new(caller, command, now)
            if not self._catalog.capacity.is_recommended(session.max_capacity):
                log.warning("session_capacity_unusual", session=session.uid, capacity=session.max_capacity)
            change = await self._start_in(tx, caller, session, vectors, now, command.turn_id, None)
            if command.task is not None or command.focus:
                # What it continues is known before it holds anything.
                await self._correlations.compare_in(tx, caller, session, [], now)
            return change

        with self._access_log.access(caller, AccessOperation.START, command.key) as access:
            result = await self._changes.run(caller, command, work, problems=problems)
            access.session = result["session"]
        return await self.present(caller, result["session"])

    async def update(self, caller: Caller, command: UpdateWorkingMemory) -> WorkingMemoryUpdate:
        """Add, update, evict or refresh one item of a session; return what came of it.

        A key that no session of the space has starts one, if an item is added.

        Raises:
            InvalidInput: If a field is not valid, a new item has neither text nor a memory, or the text of a
                memory would change.
            NotFound: If the session, or the memory that an item names, is unknown or not the caller's.
            IllegalTransition: If the session has ended.
            CapacityReached: If another item would be pinned and all places but one are.
            Forgotten: If the text was forgotten in the space.
        """
        operation = AccessOperation(command.operation.value)
        with self._access_log.access(caller, operation, command.session_id) as access:
            done = await self._update(caller, command)
            access.session = done.session_id
            access.note_items([done.item_id, *(each.item_id for each in done.evicted_items)])
        return done

    async def _update(self, caller: Caller, command: UpdateWorkingMemory) -> WorkingMemoryUpdate:
        require(caller, Permission.WRITE)
        raise_all([*limit_problems(command, self._catalog.limits), *_problems(command)])
        text = command.content.content
        named = _named_memory(command)
        task = command.session_context.current_task
        vectors = await self._vectors_of(text if named is None else None, task)
        done: dict[str, Outcome] = {}

        async def work(tx: Tx, now: datetime) -> Change:
            outcome, change = await self.apply_in(tx, caller, command, vectors, now)
            done["outcome"] = outcome
            return change

        try:
            result = await self._changes.run(caller, command, work, checked=True)
        except Duplicate:
            # Another transaction started the session of this key meanwhile; a second attempt finds it.
            result = await self._changes.run(caller, command, work, checked=True)
        outcome = done.get("outcome")
        session = await self.present(caller, result["session"]) if outcome is None else outcome.session
        return update_of(command.request_id, session, result)

    async def apply_in(
        self, tx: Tx, caller: Caller, command: UpdateWorkingMemory, vectors: Vectors, now: datetime
    ) -> tuple[Outcome, Change]:
        """Do what an update says in a transaction; return what came of it, and its journal.

        Raises what `update` raises.
        """
        named, task = _named_memory(command), command.session_context.current_task
        contents, begun = await self._locked(tx, caller, command, vectors, now)
        if named is not None and contents.named is None and not _holds(contents, named):
            raise NotFound("no such memory", field="content.itemId")
        if named is None and contents.is_forgotten:
            raise Forgotten(
                "this text was forgotten in this space and does not come back",
                field="content.content",
            )
        outcome = updated(
            contents,
            command,
            uid=new_id(Kind.FRAGMENT, now),
            encoder=self._embeddings.encoder,
            now=now,
            tables=self._tables,
        )
        result = _result(outcome)
        if not outcome.writes:
            return outcome, merged(begun, result)
        written = await store.write(
            tx,
            caller,
            outcome.session,
            now,
            ended=outcome.left,
            added=() if outcome.added is None else (outcome.added,),
            changed=() if outcome.changed is None else (outcome.changed,),
            new_text=outcome.new_text,
            new_task=task,
            vectors=vectors,
            topics_may_differ=outcome.topics_may_differ or _context_differs(command),
            redacted=outcome.redacted,
        )
        if not written:
            raise Forbidden("you may not write to this session any more", field="sessionId")
        journal = working_memory_updated(
            outcome.session,
            command,
            outcome.item_id,
            outcome.result,
            outcome.left,
            now,
            focus_changed=outcome.session.focus != contents.session.focus,
        )
        return outcome, merged([*begun, journal], result)

    async def end(self, caller: Caller, command: EndSession) -> Session:
        """End a session; what it holds leaves it, and texts that live in it alone are destroyed.

        Raises:
            NotFound: If the session is unknown or not the caller's.
            IllegalTransition: If it has ended before.
            VersionConflict: If it has another version than expected.
        """
        ending: list[str] = []

        async def work(tx: Tx, now: datetime) -> Change:
            contents = await store.lock(tx, caller, command.id, now)
            if contents is None:
                raise NotFound(UNKNOWN, field="id")
            require_version(contents.session.version, command.expected_version)
            after, left = ended(contents, now)
            await self._correlations.keep_in(tx, caller, after, now)
            if not await store.write(tx, caller, after, now, ended=left):
                raise Forbidden("you may not write to this session any more", field="id")
            journal = session_ended(after, left, now, turn_id=command.turn_id)
            ending[:] = [each.item_id for each in left]
            return merged([journal], {"session": after.uid})

        with self._access_log.access(caller, AccessOperation.END, command.id) as access:
            result = await self._changes.run(caller, command, work)
            access.note_items(ending)
        return await self.present(caller, result["session"])

    async def end_idle_in(self, tx: Tx, now: datetime, batch: int) -> Sequence[tuple[str, Change]]:
        """End up to `batch` idle sessions of all organisations; return the organisation and journal of each.

        Such a session ended with its last activity (decision G-079). One that started under a longer limit
        keeps it.
        """
        done = []
        before = now - timedelta(minutes=self._catalog.capacity.idle_timeout_minutes)
        found = await store.list_idle(tx, before, now, batch)
        for row in sorted(found, key=lambda each: str(each["uid"])):
            # No client asked for it, so the organisation itself is the actor.
            owner = Caller.organisation(row["org_id"], [row["scope_id"]]).model_copy(
                update={"home": row["scope_id"], "device_id": row["device_id"]}
            )
            contents = await store.lock(tx, owner, row["uid"], now)
            # Somebody may have used or ended it meanwhile.
            if contents is None or contents.session.status is SessionStatus.ENDED:
                continue
            if contents.session.last_activity > row["last_activity"]:
                continue
            after, left = ended(contents, now, at=contents.session.last_activity)
            await self._correlations.keep_in(tx, owner, after, now)
            await store.write(tx, owner, after, now, ended=left)
            done.append((owner.org_id, session_ended(after, left, now, turn_id=None)))
        return done

    async def forget_in(
        self,
        tx: Tx,
        caller: Caller,
        uids: Iterable[str],
        texts: Iterable[tuple[str, str]],
        now: datetime,
    ) -> int:
        """Destroy what running sessions keep of forgotten memories, inside the transaction that forgets them.

        The same texts in sessions of the same spaces are destroyed too. `texts` has each text with its space.
        """
        return await store.forget_in_sessions(tx, caller, uids, texts, now)

    async def active_context(
        self, caller: Caller, session: str, wanted: ActiveContextFilter
    ) -> ActiveContext | None:
        """Return what a session of the caller holds now, by its id or its key, the highest priority first.

        None if the session is unknown or not the caller's. A `WorkingMemorySearch` returns what matches it,
        the best match first.

        Raises:
            InvalidInput: If the filter is not valid.
        """
        is_search = isinstance(wanted, WorkingMemorySearch)
        operation = AccessOperation.SEARCH_WORKING_MEMORY if is_search else AccessOperation.GET_ACTIVE_CONTEXT
        with self._access_log.access(caller, operation, session) as access:
            found = await self._active_context(caller, session, wanted)
            if found is None:
                access.finds_nothing()
            else:
                access.note_items(item.item_id for item in found.items)
        return found

    async def _active_context(
        self, caller: Caller, session: str, wanted: ActiveContextFilter
    ) -> ActiveContext | None:
        require(caller, Permission.READ)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))
        now = self._clock.now()
        found = await self._database.read(lambda tx: store.read_active(tx, caller, session, now))
        if found is None:
            return None
        kept, items = found
        shown = [item for item in ranked(items) if _matches(item, wanted, now)]
        if isinstance(wanted, WorkingMemorySearch):
            shown = matching(shown, wanted.text, wanted.entities, self._tables.stop_words)
        shown = shown[: wanted.max_results]
        self.accesses.note((Delivery(kept.uid, item.item_id, item.admission_time) for item in shown), now)
        return ActiveContext(session=kept, items=tuple(shown))

    async def contents(self, caller: Caller, session: str, turn: str | None = None) -> SessionContents:
        """Return what a session of the caller holds now, as memories, by its id or its key.

        What earlier sessions left unfinished that it is related to comes with it. With a turn by its name or
        its id, the answer says what that turn is known by in the session.

        Raises:
            NotFound: If the session is unknown or not the caller's.
        """
        require(caller, Permission.READ)
        now = self._clock.now()
        found = await self._database.read(
            lambda tx: store.read_contents(tx, caller, session, turn, self._catalog.context.candidates, now)
        )
        if found is None:
            refused = NotFound(UNKNOWN, field="sessionId")
            self._access_log.note(caller, AccessOperation.ASSEMBLE_CONTEXT, session, problem=refused.code)
            raise refused
        return found

    def log_shown(self, caller: Caller, contents: SessionContents, uids: Collection[str]) -> None:
        """Log that a context showed the caller memories of a session, and of those that it is related to."""
        items: dict[str, list[str]] = {contents.session: []}
        for each in contents.memories:
            if each.uid in uids:
                items[contents.session].append(each.item_id)
        for other in contents.related:
            if other.uid in uids:
                items.setdefault(other.session, []).append(other.item_id)
        for session, names in items.items():
            self._access_log.note(caller, AccessOperation.ASSEMBLE_CONTEXT, session, names)

    def delivered(self, contents: SessionContents, uids: Collection[str], at: datetime) -> None:
        """Count the memories among those that a session held which somebody was shown."""
        self.accesses.note(
            (
                Delivery(contents.session, each.item_id, each.admission_time)
                for each in contents.memories
                if each.uid in uids
            ),
            at,
        )

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Session]:
        """Return the caller's sessions among some ids, by id."""
        require(caller, Permission.READ)
        found = await self._database.read(lambda tx: store.find(tx, caller, uids))
        for uid in uids:
            if kind_of(uid) is Kind.SESSION:
                problem = None if uid in found else NotFound.code
                self._access_log.note(caller, AccessOperation.GET_SESSION, uid, problem=problem)
        return found

    async def of_turns(self, caller: Caller, uids: Sequence[str]) -> dict[str, Session]:
        """Return the caller's sessions that some turns are in, by the id of the turn."""
        require(caller, Permission.READ)
        found = await self._database.read(lambda tx: store.find_of_turns(tx, caller, uids))
        self._log_seen(caller, found.values())
        return found

    async def list(
        self, caller: Caller, wanted: SessionFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[Session]:
        """Return a page of the caller's sessions, newest first.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))
        (before,) = start_of(after, _LAST)
        found = await self._database.read(
            lambda tx: store.list_page(tx, caller, wanted, before=before, limit=limit + 1)
        )
        page = page_of(found, limit, lambda session: (session.uid,))
        self._log_seen(caller, page.items)
        return page

    async def history(
        self, caller: Caller, session: str, *, first: int | None = None, after: str | None = None
    ) -> Page[PastItem]:
        """Return a page of what a session, by its id or its key, holds and held, the last admitted first.

        It has ids, times and numbers, no content. The history of an unknown session is empty.

        Raises:
            InvalidInput: If the page size or the cursor is not valid.
        """
        with self._access_log.access(caller, AccessOperation.GET_SESSION_HISTORY, session) as access:
            require(caller, Permission.READ)
            limit = checked_first(first)
            at, memory = start_of(after, LATEST, _LAST)
            before = (time_of(at), memory)
            found = await self._database.read(
                lambda tx: store.list_slots(tx, caller, session, before=before, limit=limit + 1)
            )
            if found is None:
                access.finds_nothing()
            page = page_of(found or [], limit, lambda item: (time_part(item.admission_time), item.memory_uid))
            access.note_items(item.item_id for item in page.items)
        return page

    async def count_history(self, caller: Caller, session: str) -> int:
        """Return how many items a session of the caller holds and held."""
        require(caller, Permission.READ)
        return await self._database.read(lambda tx: store.count_slots(tx, caller, session))

    async def count(self, caller: Caller, wanted: SessionFilter) -> int:
        """Return the number of the caller's sessions that match a filter."""
        require(caller, Permission.READ)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))
        return await self._database.read(lambda tx: store.count(tx, caller, wanted))

    def _log_seen(self, caller: Caller, sessions: Iterable[Session]) -> None:
        for session in sessions:
            self._access_log.note(caller, AccessOperation.GET_SESSION, session.uid)

    async def present(self, caller: Caller, uid: str) -> Session:
        """Return a session of the caller that a use case has accessed, as it is now."""
        found = await self._database.read(lambda tx: store.find(tx, caller, [uid]))
        return found_or_gone(found, uid, "session")

    async def _vectors_of(self, *texts: str | None) -> Vectors:
        return await self._embeddings.before_writing(text for text in texts if text is not None)

    async def _locked(
        self, tx: Tx, caller: Caller, command: UpdateWorkingMemory, vectors: Vectors, now: datetime
    ) -> tuple[LockedSession, Sequence[Change]]:
        """Return the locked session of an update, and the journal of its start if the update starts it."""
        lock = partial(
            store.lock,
            tx,
            caller,
            now=now,
            item=command.content.item_id,
            text=command.content.content,
            task=command.session_context.current_task,
            vectors=vectors,
        )
        contents = await lock(command.session_id)
        if contents is not None:
            return contents, []
        if _is_id(command.session_id) or command.operation is not WorkingMemoryOperation.ADD:
            raise NotFound(UNKNOWN, field="sessionId")
        session = self._new(caller, StartSession(key=command.session_id), now)
        begun = await self._start_in(tx, caller, session, vectors, now, command.turn_id, command.trace_id)
        contents = await lock(session.uid)
        if contents is None:
            raise Forbidden("you may not write to your own space any more", field="sessionId")
        return contents, [begun]

    async def _start_in(
        self,
        tx: Tx,
        caller: Caller,
        session: Session,
        vectors: Vectors,
        now: datetime,
        turn_id: str | None,
        trace_id: str | None,
    ) -> Change:
        idle_minutes = self._catalog.capacity.idle_timeout_minutes
        if not await store.start(tx, caller, session, vectors, idle_minutes=idle_minutes):
            raise Forbidden("you may not write to your own space any more")
        journal = session_started(session, now, turn_id=turn_id, trace_id=trace_id)
        return merged([journal], {"session": session.uid})

    def _new(self, caller: Caller, command: StartSession, now: datetime) -> Session:
        uid = new_id(Kind.SESSION, now)
        table = self._catalog.capacity
        kind = command.session_type or DEFAULT_SESSION_TYPE
        return Session(
            uid=uid,
            scope_id=caller.session_space,
            key=command.key or uid,
            session_type=kind,
            status=SessionStatus.ACTIVE,
            max_capacity=command.max_capacity or table.of(command.session_type),
            task=command.task,
            focus=command.focus,
            person_id=caller.person_id,
            device_id=caller.device_id,
            last_activity=now,
            created_at=now,
            updated_at=now,
            by_uid=caller.actor_id,
            version=1,
        )

    def _capacity_problems(self, wanted: int | None) -> Sequence[InvalidInput]:
        table = self._catalog.capacity
        if wanted is None or table.least <= wanted <= table.hard_limit:
            return []
        return [
            InvalidInput(f"a session holds {table.least} to {table.hard_limit} items", field="maxCapacity")
        ]


def _is_id(session: str) -> bool:
    """Tell whether a text has the form of an id, so that it is no key of a client."""
    return kind_of(session) is not None


def _named_memory(command: UpdateWorkingMemory) -> str | None:
    """Return the memory that an update names: what has the form of an id, and not that of a text here."""
    item = command.content.item_id
    return item if item is not None and kind_of(item) not in (None, Kind.FRAGMENT) else None


def _holds(locked: LockedSession, item_id: str) -> bool:
    return item_id in locked.gone or any(item.item_id == item_id for item in locked.items)


def _problems(command: UpdateWorkingMemory) -> list[InvalidInput]:
    content, wanted = command.content, command.operation
    if wanted is WorkingMemoryOperation.ADD:
        if content.item_id is None and content.content is None:
            return [InvalidInput("name a memory, or give a text", field="content")]
    elif content.item_id is None:
        return [InvalidInput("name the item", field="content.itemId")]
    return []


def _result(outcome: Outcome) -> dict[str, Any]:
    """Return what a repetition of the call gets: ids, codes and numbers."""
    return {
        "session": outcome.session.uid,
        "item_id": outcome.item_id,
        "operation_result": outcome.result.value,
        "evicted_items": [each.model_dump(mode="json") for each in outcome.left],
        "admission": None if outcome.admission is None else outcome.admission.model_dump(mode="json"),
    }


def _context_differs(command: UpdateWorkingMemory) -> bool:
    """Tell whether an update brings a task or a focus, which are the themes of a session without items."""
    given = command.session_context
    return given.current_task is not None or given.attention_focus is not None


def update_of(request_id: str | None, session: Session, result: dict[str, Any]) -> WorkingMemoryUpdate:
    """Return what came of an update, from what a repetition of the call gets."""
    return WorkingMemoryUpdate(
        request_id=request_id,
        session=session,
        item_id=result["item_id"],
        operation_result=OperationResult(result["operation_result"]),
        evicted_items=tuple(EvictedItem.model_validate(each) for each in result["evicted_items"]),
        admission=None if result["admission"] is None else Admission.model_validate(result["admission"]),
    )


def _matches(item: Item, wanted: ActiveContextFilter, now: datetime) -> bool:
    """Tell whether an item meets every condition that is given."""
    window = wanted.time_window_minutes
    return (
        (wanted.content_types is None or item.content_type in wanted.content_types)
        and (wanted.min_salience is None or item.salience >= wanted.min_salience)
        and (window is None or now - item.last_access <= timedelta(minutes=window))
    )
