"""Use cases of tools: track an invocation, and read the execution log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.embedding.embeddings import NO_VECTORS
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.errors import Duplicate, InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.ids import Kind, floor_id, new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change, TurnRef, merged
from prefrontal.graph.sessions.access_record import AccessOperation
from prefrontal.graph.sessions.membership import enter
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.tools import rules, store
from prefrontal.graph.tools.events import tracked
from prefrontal.graph.tools.record import (
    Invocation,
    InvocationDraft,
    InvocationFilter,
    ToolUse,
    TrackedInvocation,
)
from prefrontal.graph.validation import found_or_gone, is_json, join_path, raise_all, with_path

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.journal.record import Trace
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.scratch.service import ScratchService
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
        scratch: ScratchService,
        embeddings: Embeddings,
    ) -> None:
        """Store the dependencies.

        `of_turns` is the list of a turn's invocations, in call order, `of_observations` that of the
        invocations that brought an observation, and `observations` that of the observations of an invocation.
        """
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._access_log = access_log
        self._scratch = scratch
        self._embeddings = embeddings
        self.of_observations = RelatedReader(
            database, clock, store.of_observations, require_reader, oldest=self.oldest
        )
        self.observations = RelatedReader(database, clock, store.observations, require_reader)
        self.of_turns = RelatedReader(database, clock, store.of_turns, require_reader, oldest=self.oldest)

    async def track(
        self,
        caller: Caller,
        command: TrackToolInvocation,
        *,
        also: Callable[[Sequence[Observation]], Sequence[Trace]] | None = None,
    ) -> TrackedInvocation:
        """Record an invocation in a turn, with the observations that it brings: all or nothing.

        A new name begins the turn, and one that has ended takes it, too. A failure of the tool is recorded
        and raises nothing. `also` returns further trace entries for the new observations.

        Raises:
            InvalidInput: If a field is empty or wrong, or a text too long.
            NotFound: If the session or a goal is unknown or not readable.
            Conflict: If the turn is in another session.
            IllegalTransition: If the session has ended, and the turn is not in it.
            Duplicate: If a `client_key` belongs to another invocation, or to another observation.
            Forgotten: If the text of an observation was forgotten in the space.
        """
        require(caller, Permission.WRITE)
        raise_all([*limit_problems(command, self._catalog.limits), *self.problems(command, "")])
        vectors = await self._embeddings.before_writing(self.texts(command))

        async def work(tx: Tx, now: datetime) -> Change:
            turn = await enter(tx, caller, command.session_id, command.turn_id, now)
            (done,) = await self.track_in(tx, caller, [command], turn, now, vectors=vectors, also=also)
            if isinstance(done, PrefrontalError):
                raise done
            return done.model_copy(update={"result": done.result | {"turn": turn.handle}})

        with self._access_log.access(caller, AccessOperation.JOIN_TURN, command.session_id):
            result = await self._changes.run(caller, command, work, checked=True, once_more_if_duplicate=True)
        uid = result["invocation"]
        found = await self.get(caller, [uid])
        noticed = result.get("observations", [])
        known = await self._scratch.get(caller, noticed) if noticed else {}
        return TrackedInvocation(
            invocation=found_or_gone(found, uid, "invocation"),
            created=result["created"],
            turn=result.get("turn", command.turn_id),
            observations=tuple(known[each] for each in noticed if each in known),
        )

    def texts(self, draft: InvocationDraft) -> list[str]:
        """Return the texts of a valid draft that are stored with vectors."""
        return [passage_of(each.content) for each in draft.observations]

    def prepared(self, draft: InvocationDraft) -> tuple[rules.Response, rules.StoredResult]:
        """Return how a valid draft counts, and its result as it will be stored."""
        table = self._catalog.turns
        response = rules.response_of(draft, self._catalog.limits)
        result = rules.stored(
            response.result, part=table.result_part_characters, preview=table.result_preview_characters
        )
        return response, result

    @property
    def most_observations(self) -> int:
        """How many observations a call may bring."""
        return self._catalog.limits.observations_per_call

    def storable(self, draft: InvocationDraft) -> InvocationDraft:
        """Return a valid draft that can be kept as JSON and counts as the given one does."""
        given = {
            name: getattr(draft, name) for name in draft.model_fields_set & {*InvocationDraft.model_fields}
        }
        if is_json(draft.result):
            return InvocationDraft(**given)
        response = rules.response_of(draft, self._catalog.limits)
        return InvocationDraft(
            **given | {"result": dict(response.result), "error": response.error, "timed_out": False}
        )

    def problems(self, draft: InvocationDraft, path: str) -> list[InvalidInput]:
        """Return what is wrong with a draft besides its limits; what a tool did wrong is no problem."""
        most, place = self._catalog.limits.tool_result_characters, join_path(path, "observations")
        found = rules.result_problems(draft.result, join_path(path, "result"), most)
        found += rules.source_problems(draft, place)
        for number, each in enumerate(draft.observations[: self._catalog.limits.observations_per_call]):
            found += self._scratch.problems(each, f"{place}[{number}]", checked=True)
        return found

    async def track_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[InvocationDraft],
        turn: TurnRef,
        now: datetime,
        *,
        uids: Sequence[str] | None = None,
        vectors: Vectors = NO_VECTORS,
        also: Callable[[Sequence[Observation]], Sequence[Trace]] | None = None,
    ) -> list[Change | PrefrontalError]:
        """Record valid drafts in a turn inside a transaction; return for each its change, or its error.

        The result of a change has the id (`invocation`), whether it is new (`created`), and the ids of its
        observations in ascending order (`observations`). The journal of all is in the first change. If there
        is an error, the caller has to give up the transaction: some of the observations may be written.

        Args:
            tx: The transaction.
            caller: Who records the calls.
            drafts: The calls.
            turn: The turn.
            now: The time of the change.
            uids: The ids of the new invocations, one for each draft; new ones are made without it.
            vectors: Those of the texts of the observations.
            also: A function that returns further trace entries for the new observations.
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
        places: list[int] = []
        for draft, own in zip(drafts, ids, strict=True):
            digest = rules.digest_of(draft) if draft.client_key is not None else None
            if draft.goal_id is not None and draft.goal_id not in readable:
                done.append(NotFound("no such goal", field="goalId"))
            elif draft.client_key in taken:
                earlier = taken[draft.client_key]
                result = {"invocation": earlier.uid, "created": False}
                done.append(
                    Change(result=result | {"observations": list(earlier.observations)})
                    if earlier.digest == digest
                    else Duplicate("this clientKey belongs to another invocation", field="clientKey")
                )
            else:
                made = self._new_invocation(caller, draft, digest, own, turn.uid, now)
                if draft.client_key is not None:
                    taken[draft.client_key] = store.Earlier(own, digest, ())
                new.append(made)
                places.append(len(done))
                done.append(Change(result={"invocation": own, "created": True}))
        if not new:
            return done
        stored = await self._noticed(
            tx, caller, [drafts[place] for place in places], turn, vectors, now, also
        )
        journal = [tracked([each.invocation for each in new], turn.handle)]
        for number, (place, each) in enumerate(zip(places, stored, strict=True)):
            if isinstance(each, PrefrontalError):
                done[place] = each
                continue
            new[number] = new[number]._replace(observations=tuple(each.result["observations"]))
            journal.append(each)
        brought = {each.invocation.uid: {"observations": list(each.observations)} for each in new}
        done = [
            each.model_copy(update={"result": each.result | brought.get(each.result["invocation"], {})})
            if isinstance(each, Change)
            else each
            for each in done
        ]
        await store.track(tx, caller, turn.uid, new, now)
        first = next((number for number, each in enumerate(done) if isinstance(each, Change)), None)
        if first is not None:
            done[first] = merged(journal, done[first].result)  # type: ignore[union-attr]
        return done

    async def _noticed(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[InvocationDraft],
        turn: TurnRef,
        vectors: Vectors,
        now: datetime,
        also: Callable[[Sequence[Observation]], Sequence[Trace]] | None,
    ) -> list[Change | PrefrontalError]:
        """Store the observations of calls; return for each call its change, or the error of the first."""
        noticed = [each for draft in drafts for each in rules.observations_of(draft)]
        if not noticed:
            return [Change(result={"observations": []}) for _ in drafts]
        added = iter(
            await self._scratch.add_in(
                tx, caller, noticed, caller.home, vectors, now, turn_id=turn.handle, also=also
            )
        )
        done: list[Change | PrefrontalError] = []
        for draft in drafts:
            changes: list[Change] = []
            error: PrefrontalError | None = None
            for number in range(len(draft.observations)):
                each = next(added)
                if isinstance(each, Change):
                    changes.append(each)
                elif error is None:
                    error = with_path(each, f"observations[{number}]")
            uids = sorted({change.result["observation"] for change in changes})
            done.append(error or merged(changes, {"observations": uids}))
        return done

    def _new_invocation(
        self,
        caller: Caller,
        draft: InvocationDraft,
        digest: str | None,
        uid: str,
        turn_uid: str,
        now: datetime,
    ) -> store.New:
        response, result = self.prepared(draft)
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
