"""Use cases of tools: track an invocation, and read the execution log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.errors import Duplicate, InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.ids import Kind, floor_id, new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, EnteredTurn, merged
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.membership import enter
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.tools import rules, store
from prefrontal.graph.tools.events import tracked
from prefrontal.graph.tools.record import Invocation, InvocationDraft, InvocationFilter, ToolUse, Tracked
from prefrontal.graph.validation import at, found_or_gone, raise_all

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.sessions.access_log import AccessLog
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.tools.record import TrackToolInvocation

_NEWEST = f"{Kind.TOOL_INVOCATION.value}_~"
"""Sorts after the id of every invocation."""


class ToolService:
    """Tracks invocations of tools, and lists them."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        access_log: AccessLog,
    ) -> None:
        """Store the database, the clock, the tables, the change writer and the access log of sessions.

        `of_turns` is the list of a turn's invocations, in call order.
        """
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._access_log = access_log
        self.of_turns = RelatedReader(database, clock, store.of_turns, require_reader, oldest=self.oldest)

    async def track(self, caller: Caller, command: TrackToolInvocation) -> Tracked:
        """Record an invocation in a turn; a new name begins the turn, and one that has ended takes it, too.

        A failure of the tool is recorded and raises nothing.

        Raises:
            InvalidInput: If a field is empty or wrong, or a text too long.
            NotFound: If the session or the goal is unknown or not readable.
            Conflict: If the turn is in another session.
            IllegalTransition: If the session has ended, and the turn is not in it.
            Duplicate: If the `client_key` belongs to another invocation.
        """
        require(caller, Permission.WRITE)
        raise_all([*limit_problems(command, self._catalog.limits), *self.problems(command, "")])

        async def work(tx: Tx, now: datetime) -> Change:
            turn = await enter(tx, caller, command.session_id, command.turn_id, now)
            (done,) = await self.track_in(tx, caller, [command], turn, now)
            if isinstance(done, PrefrontalError):
                raise done
            return done

        with self._access_log.access(caller, AccessOperation.JOIN_TURN, command.session_id):
            result = await self._changes.run(caller, command, work, checked=True, once_more_if_duplicate=True)
        uid = result["invocation"]
        found = await self.get(caller, [uid])
        return Tracked(invocation=found_or_gone(found, uid, "invocation"), created=result["created"])

    def seen(self, draft: InvocationDraft) -> tuple[rules.Response, rules.StoredResult]:
        """Return how a valid draft counts, and its result as it will be stored."""
        table = self._catalog.turns
        response = rules.response_of(draft, self._catalog.limits)
        result = rules.stored(
            response.result, part=table.result_part_characters, preview=table.result_preview_characters
        )
        return response, result

    def problems(self, draft: InvocationDraft, path: str) -> list[InvalidInput]:
        """Return what is wrong with a draft besides its limits; what a tool did wrong is no problem."""
        return rules.result_problems(
            draft.result, at(path, "result"), self._catalog.limits.tool_result_characters
        )

    async def track_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[InvocationDraft],
        turn: EnteredTurn,
        now: datetime,
        *,
        uids: Sequence[str] | None = None,
    ) -> list[Change | PrefrontalError]:
        """Record valid drafts in a turn inside a transaction; return for each its change, or its error.

        `uids` are the ids of the new invocations, one for each draft; new ones are made without it.

        The result of a change has the id (`invocation`) and whether it is new (`created`). A refused draft
        writes nothing. The journal of all is in the first change.
        """
        scope_id = caller.home
        keys = [draft.client_key for draft in drafts if draft.client_key is not None]
        goals = [draft.goal_id for draft in drafts if draft.goal_id is not None]
        known = await store.find_known(tx, caller, scope_id, keys, goals) if keys or goals else None
        taken = dict(known.invocations) if known else {}
        readable = known.goals if known else frozenset()
        ids = new_ids(Kind.TOOL_INVOCATION, now, len(drafts)) if uids is None else uids
        done: list[Change | PrefrontalError] = []
        new: list[store.New] = []
        for draft, own in zip(drafts, ids, strict=True):
            digest = rules.digest_of(draft) if draft.client_key is not None else None
            if draft.goal_id is not None and draft.goal_id not in readable:
                done.append(NotFound("no such goal", field="goalId"))
            elif draft.client_key in taken:
                uid, earlier = taken[draft.client_key]
                done.append(
                    Change(result={"invocation": uid, "created": False})
                    if earlier == digest
                    else Duplicate("this clientKey belongs to another invocation", field="clientKey")
                )
            else:
                made = self._made(caller, draft, digest, own, turn.uid, now)
                if draft.client_key is not None and digest is not None:
                    taken[draft.client_key] = (made.invocation.uid, digest)
                new.append(made)
                done.append(Change(result={"invocation": made.invocation.uid, "created": True}))
        if new:
            await store.track(tx, caller, turn.uid, new, now)
        journal = tracked([each.invocation for each in new], turn.handle)
        first = next((number for number, each in enumerate(done) if isinstance(each, Change)), None)
        if first is not None:
            done[first] = merged([journal], done[first].result)  # type: ignore[union-attr]
        return done

    def _made(
        self,
        caller: Caller,
        draft: InvocationDraft,
        digest: str | None,
        uid: str,
        turn_uid: str,
        now: datetime,
    ) -> store.New:
        response, result = self.seen(draft)
        invocation = Invocation(
            uid=uid,
            scope_id=caller.home,
            turn_uid=turn_uid,
            tool=draft.tool,
            status=response.status,
            error=response.error,
            parameters=draft.parameters or {},
            execution_time_ms=draft.execution_time_ms or 0,
            execution_time_reported=draft.execution_time_ms is not None,
            called_at=draft.called_at or now,
            goal_uid=draft.goal_id,
            client_key=draft.client_key,
            result_preview=result.preview,
            result_bytes=result.size,
            result_digest=result.digest,
            created_at=now,
            by_uid=caller.actor_id,
        )
        return store.New(invocation, result, digest)

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Invocation]:
        """Return the readable invocations among some ids that are still kept, by id."""
        require(caller, Permission.READ)
        oldest = self.oldest()

        async def work(tx: Tx) -> dict[str, Invocation]:
            return await store.find(tx, caller, uids, oldest)

        return await self._database.read(work)

    async def results(self, caller: Caller, uids: Sequence[str]) -> dict[str, Any]:
        """Return the results of the readable invocations among some ids that are still kept, by id."""
        require(caller, Permission.READ)
        oldest = self.oldest()

        async def work(tx: Tx) -> dict[str, Any]:
            return await store.find_results(tx, caller, uids, oldest)

        return await self._database.read(work)

    async def list(
        self,
        caller: Caller,
        wanted: InvocationFilter,
        turn_uid: str | None = None,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> Page[Invocation]:
        """Return a page of the readable invocations that match a filter, newest first.

        Args:
            caller: Who reads.
            wanted: The conditions; `turn_uid` is the id of the turn that they name.
            turn_uid: The id of the turn, if the conditions name one.
            first: The size of the page.
            after: The cursor of the last item of the page before.

        Raises:
            InvalidInput: If the filter, the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))
        limit, oldest = checked_first(first), self.oldest()
        (start,) = start_of(after, _NEWEST)

        async def work(tx: Tx) -> Sequence[Invocation]:
            return await store.list_page(
                tx, caller, wanted, turn_uid, oldest=oldest, before=start, limit=limit + 1
            )

        return page_of(await self._database.read(work), limit, lambda item: (item.uid,))

    async def count(self, caller: Caller, wanted: InvocationFilter, turn_uid: str | None = None) -> int:
        """Return the number of invocations that `list` gives on all pages together."""
        require(caller, Permission.READ)
        oldest = self.oldest()

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, wanted, turn_uid, oldest)

        return await self._database.read(work)

    async def count_in(self, tx: Tx, caller: Caller, turn_uid: str, outcome_uid: str, now: datetime) -> None:
        """Count the calls of a turn since its last outcome as uses of their tools, inside a transaction."""
        await store.count_uses(tx, caller, turn_uid, outcome_uid, now)

    async def calls(self, caller: Caller, turn: str) -> tuple[str | None, Sequence[Invocation]]:
        """Return the id of the caller's turn with a name or an id, and its calls that no outcome has yet.

        They are in call order, and at most as many as one list may have. Without such a turn, the id is None.
        """
        require(caller, Permission.READ)
        oldest = self.oldest()

        async def work(tx: Tx) -> tuple[str | None, Sequence[Invocation]]:
            return await store.list_calls(
                tx, caller, turn, oldest=oldest, most=self._catalog.limits.list_items
            )

        return await self._database.read(work)

    async def uses(
        self, caller: Caller, *, first: int | None = None, after: str | None = None
    ) -> Page[ToolUse]:
        """Return a page of the tools of the readable spaces with their uses, by name.

        Raises:
            InvalidInput: If the page size or the cursor is not valid.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        name, uid = start_of(after, "", "")

        async def work(tx: Tx) -> Sequence[ToolUse]:
            return await store.list_uses(tx, caller, after=(name, uid), limit=limit + 1)

        return page_of(await self._database.read(work), limit, lambda item: (item.key, item.uid))

    def oldest(self) -> str:
        """Return what sorts before the ids of the invocations that are kept, after all others."""
        days = self._catalog.retention.invocation_days
        return floor_id(Kind.TOOL_INVOCATION, self._clock.now() - timedelta(days=days))
