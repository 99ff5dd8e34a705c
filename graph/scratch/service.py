"""Use cases of the scratch page."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.errors import Duplicate, Expired, Forbidden, InvalidInput, NotFound, TimedOut
from prefrontal.graph.ids import Kind, new_ids
from prefrontal.graph.journal.record import Change, EventType, Trace, merged
from prefrontal.graph.scratch import rules, search, search_store, store
from prefrontal.graph.scratch.conflicts import ConflictFinder, Declared
from prefrontal.graph.scratch.contradiction import ContradictionDetector, WordingDetector
from prefrontal.graph.scratch.events import added, added_traces, step_journal
from prefrontal.graph.scratch.record import (
    Conflict,
    Observation,
    ObservationChanges,
    ObservationDraft,
    ObservationFilter,
    ObservationPage,
    ObservationStatus,
    Reviewable,
)
from prefrontal.graph.scratch.rules import Step
from prefrontal.graph.scratch.validation import draft_hash, draft_problems, observation_of
from prefrontal.graph.storage.paging import checked_first
from prefrontal.graph.validation import at, list_problems, raise_all, require_version, text_problems

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class ScratchService:
    """Adds observations and finds them again."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        detector: ContradictionDetector | None = None,
    ) -> None:
        """Take what every use case needs; without a detector the one that compares wordings."""
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        table = catalog.contradiction
        self._conflicts = ConflictFinder(detector or WordingDetector(table), table)

    async def add(
        self,
        caller: Caller,
        drafts: Sequence[ObservationDraft],
        *,
        space: str | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
        path: str = "observations",
        also: Callable[[Sequence[Observation]], Sequence[Trace]] | None = None,
    ) -> tuple[Observation, ...]:
        """Store observations, all or none, and return them in the order given.

        A draft whose `client_key` is taken in the space by an equal draft gives the stored observation.

        Args:
            caller: Who adds.
            drafts: What to store: 1 to `observations_per_call` of `registry/limits.yaml`.
            space: Where to; the caller's own space when omitted.
            turn_id: The turn they were noticed in, for those that name none themselves.
            idempotency_key: Makes the call happen once, however often it is sent.
            path: The name of the list in the caller's input, for problems (`observations[17].confidence`);
                empty when the one draft is the input itself.
            also: What the trace says of the new observations beside that they were added.

        Raises:
            InvalidInput: Some drafts are wrong; all complaints are in `problems`.
            NotFound: One that a draft contradicts is unknown or not readable.
            Duplicate: A `client_key` is taken by another observation.
        """
        require(caller, Permission.WRITE)
        limits = self._catalog.limits
        if not drafts:
            raise InvalidInput("at least one observation", field=path)
        raise_all(list_problems(drafts, path, limits.observations_per_call))
        problems: list[InvalidInput] = []
        for number, draft in enumerate(drafts):
            where = _place(path, number)
            problems += self.problems(draft, where)
        problems += text_problems(turn_id, "turnId", limits.key_characters)
        raise_all(problems)
        scope_id = target_space(caller, space)
        if turn_id is not None:
            drafts = [_in_turn(draft, turn_id) for draft in drafts]

        async def work(tx: Tx, now: datetime) -> Change:
            change, new = await self._store(tx, caller, drafts, scope_id, now, path)
            if also is None or not new:
                return change
            return change.model_copy(update={"traces": (*change.traces, *also(new))})

        body = [[draft.model_dump(mode="json") for draft in drafts], scope_id]
        try:
            result = await self._changes.write(
                caller, work, operation="addObservations", body=body, idempotency_key=idempotency_key
            )
        except Duplicate:
            # Another writer took a client key between our look and our write; now it can be seen.
            result = await self._changes.write(
                caller, work, operation="addObservations", body=body, idempotency_key=idempotency_key
            )
        found = await self.get(caller, result["uids"])
        return tuple(found[uid] for uid in result["uids"] if uid in found)

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[ObservationDraft],
        scope_id: str,
        now: datetime,
        path: str,
    ) -> tuple[Change, list[Observation]]:
        keyed = [(scope_id, draft.client_key) for draft in drafts if draft.client_key is not None]
        taken = await store.find_by_client_keys(tx, caller, keyed) if keyed else {}
        uids: list[str] = []
        new: list[Observation] = []
        hashes: list[str | None] = []
        declared: dict[str, Declared] = {}
        for number, (draft, uid) in enumerate(
            zip(drafts, new_ids(Kind.OBSERVATION, now, len(drafts)), strict=True)
        ):
            digest = draft_hash(draft) if draft.client_key is not None else None
            if draft.client_key is not None and digest is not None:
                earlier = taken.get(draft.client_key)
                if earlier is not None:
                    if earlier[1] != digest:
                        raise Duplicate(
                            "this clientKey belongs to another observation",
                            field=at(_place(path, number), "clientKey"),
                        )
                    uids.append(earlier[0])
                    continue
                taken[draft.client_key] = (uid, digest)
            uids.append(uid)
            hashes.append(digest)
            if draft.contradicts:
                declared[uid] = Declared(draft.contradicts, _place(path, number))
            new.append(
                observation_of(
                    draft,
                    uid=uid,
                    scope_id=scope_id,
                    by_uid=caller.actor_id,
                    now=now,
                    scratch=self._catalog.scratch,
                )
            )
        if not new:
            return Change(result={"uids": uids}), new
        keys = [self._conflicts.frame_key(o) for o in new]
        written, known = await store.create(tx, caller, new, hashes, keys, **self._conflicts.bounds)
        if written != len(new):
            raise Forbidden("you may not write to this space any more", field="space")
        framed = list(zip(keys, new, strict=True))
        found = await self._conflicts.note(tx, caller, framed, known, now, declared=declared)
        change = Change(
            result={"uids": uids},
            traces=(*added_traces(new), *found.traces),
            events=(*(added(o) for o in new), *found.events),
        )
        return change, new

    def problems(self, draft: ObservationDraft, path: str = "") -> list[InvalidInput]:
        """Return what is wrong with a draft without storing it; empty when nothing is."""
        return draft_problems(draft, self._catalog.limits, self._catalog.scratch, path)

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Observation]:
        """Return the readable ones of some observations by id; foreign and unknown ids are left out."""
        require(caller, Permission.READ)
        now = self._clock.now()

        async def work(tx: Tx) -> dict[str, Observation]:
            return await store.find(tx, caller, uids, now)

        return await self._database.read(work)

    async def find(
        self,
        caller: Caller,
        wanted: ObservationFilter,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> ObservationPage:
        """Return a page of matching observations: the best matches of the filter's text, then newest first.

        A query that takes longer than its deadline gives an empty page marked `partial`, not an error.

        Raises:
            InvalidInput: The filter, the page size or the cursor is wrong.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        raise_all(search.filter_problems(wanted, self._catalog.limits))
        table = self._catalog.scratch.ranking
        place = search.place_of(after, wanted, table.most)
        now = self._clock.now()

        async def work(tx: Tx) -> list[tuple[Observation, search.Place]]:
            return await search.read_page(tx, caller, wanted, place, limit=limit + 1, now=now, table=table)

        started = time.perf_counter()
        partial = False
        try:
            found = await self._database.read(work, timeout_s=self._catalog.scratch.query_timeout_ms / 1000)
        except TimedOut:
            found, partial = [], True
        return ObservationPage(
            items=tuple(item for item, _ in found[:limit]),
            cursors=tuple(search.cursor_of(place, wanted) for _, place in found[:limit]),
            has_next=len(found) > limit,
            query_time_ms=(time.perf_counter() - started) * 1000,
            partial=partial,
        )

    async def count(self, caller: Caller, wanted: ObservationFilter) -> int:
        """Return how many observations match, whatever the page."""
        require(caller, Permission.READ)
        raise_all(search.filter_problems(wanted, self._catalog.limits))
        now = self._clock.now()

        async def work(tx: Tx) -> int:
            return await search_store.count(tx, caller, wanted, now)

        return await self._database.read(work)

    async def linked_goals(self, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the ids of the readable goals that each observation is evidence of."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, tuple[str, ...]]:
            return await store.linked_goals(tx, caller, uids)

        return await self._database.read(work)

    async def conflicts_of(self, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[Conflict, ...]]:
        """Return the contradictions of each observation that have not ended, newest first.

        Only those of which both sides are readable; of many the newest `list_items`.
        """
        require(caller, Permission.READ)
        now = self._clock.now()

        async def work(tx: Tx) -> dict[str, tuple[Conflict, ...]]:
            return await store.list_conflicts(tx, caller, uids, now, self._catalog.limits.list_items)

        return await self._database.read(work)

    async def change(
        self,
        caller: Caller,
        uid: str,
        step: Step,
        *,
        operation: str,
        event: EventType,
        body: Any = None,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Observation:
        """Take one step in an observation's life and return it as it is then.

        Args:
            caller: Who changes it; needs to write where it is.
            uid: The observation.
            step: A rule of `rules`.
            operation: The use case's name.
            event: What subscribers are told when something changed.
            body: The input beside the id, for the idempotency key.
            expected_version: Refuse when somebody changed it meanwhile.
            turn_id: The turn in which it happens.
            idempotency_key: Makes the call happen once, however often it is sent.

        Raises:
            NotFound: It is unknown or not readable.
            Forbidden: It is readable but not writable.
            VersionConflict: It has another version than expected.
            Expired: It has faded.
            IllegalTransition: The step does not lead on from where it is.
        """
        require(caller, Permission.WRITE)
        raise_all(text_problems(turn_id, "turnId", self._catalog.limits.key_characters))

        async def work(tx: Tx, now: datetime) -> Change:
            before = (await store.lock(tx, caller, [uid], now)).get(uid)
            if before is None:
                raise NotFound("no such observation", field="id")
            if before.scope_id not in caller.writable:
                raise Forbidden("you may read this observation but not change it", field="id")
            require_version(before.version, expected_version)
            after = step(before, now)
            if after == before:
                return Change(result={"uid": uid})
            key = self._conflicts.frame_key(after)
            await store.update(tx, caller, [(before, after, key)], now)
            change = step_journal(after, event, turn_id)
            if after.content == before.content:
                return change
            known = await store.end_conflicts(tx, caller, uid, key, now, **self._conflicts.bounds)
            found = await self._conflicts.note(tx, caller, [(key, after)], {key: known}, now, turn_id=turn_id)
            return change.model_copy(
                update={
                    "traces": (*change.traces, *found.traces),
                    "events": (*change.events, *found.events),
                }
            )

        result = await self._changes.write(
            caller,
            work,
            operation=operation,
            body=[uid, body, expected_version, turn_id],
            idempotency_key=idempotency_key,
        )
        return (await self.get(caller, [uid]))[str(result["uid"])]

    async def update(
        self,
        caller: Caller,
        uid: str,
        changes: ObservationChanges,
        *,
        expected_version: int | None = None,
        turn_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Observation:
        """Change the given fields of an observation and return it.

        Raises:
            InvalidInput: A field is wrong, or none is given.
            NotFound: It is unknown or not readable.
            Forbidden: It is readable but not writable.
            VersionConflict: It has another version than expected.
            Expired: It has faded.
        """
        given = changes.model_dump(exclude_none=True)
        if not given:
            raise InvalidInput("nothing to change; give at least one field")
        checked = ObservationDraft.model_validate({"content": "unchanged", **given})
        raise_all(self.problems(checked))
        return await self.change(
            caller,
            uid,
            rules.update(changes),
            operation="updateObservation",
            event=EventType.OBSERVATION_UPDATED,
            body=changes.model_dump(mode="json"),
            expected_version=expected_version,
            turn_id=turn_id,
            idempotency_key=idempotency_key,
        )

    async def candidates_in(
        self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime
    ) -> list[Reviewable]:
        """Lock the writable ones of some observations; return them with what evaluation needs to know."""
        return await store.lock_candidates(tx, caller, uids, now)

    async def reviewable(
        self, caller: Caller, scope_ids: Sequence[str], *, after: str, limit: int
    ) -> list[str]:
        """Return the ids of up to `limit` writable observations that are active or resolved, oldest first."""

        async def work(tx: Tx) -> list[str]:
            return await store.list_reviewable(tx, caller, scope_ids, after=after, limit=limit)

        return await self._database.read(work)

    async def put_away_in(
        self,
        tx: Tx,
        caller: Caller,
        observations: Sequence[Observation],
        now: datetime,
        *,
        turn_id: str | None,
    ) -> Change:
        """Archive locked observations inside a transaction; those whose time is over become expired."""
        pairs = []
        changes = []
        for before in observations:
            faded = before.status is ObservationStatus.EXPIRED
            after = (rules.fade if faded else rules.archive)(before, now)
            if after != before:
                event = EventType.OBSERVATION_EXPIRED if faded else EventType.OBSERVATION_ARCHIVED
                pairs.append((before, after, self._conflicts.frame_key(after)))
                changes.append(step_journal(after, event, turn_id))
        if pairs:
            await store.update(tx, caller, pairs, now)
        return merged(changes)

    async def lock_evidence(
        self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime, *, path: str
    ) -> dict[str, Observation]:
        """Lock observations inside the transaction that builds on them; return them by id.

        Raises:
            NotFound: One is unknown or not readable.
            Expired: One has faded, or was put away.
        """
        if not uids:
            return {}
        found = await store.lock(tx, caller, sorted(uids), now)
        for number, uid in enumerate(uids):
            field = at(_place(path, number), "observationId")
            if uid not in found:
                raise NotFound("no such observation", field=field)
            status = found[uid].status
            if status not in (ObservationStatus.ACTIVE, ObservationStatus.RESOLVED):
                raise Expired(f"the observation is {status.value}; nothing can be built on it", field=field)
        return found


def _place(path: str, number: int) -> str:
    return f"{path}[{number}]" if path else ""


def _in_turn(draft: ObservationDraft, turn_id: str) -> ObservationDraft:
    if draft.source.turn_id is not None:
        return draft
    return draft.model_copy(update={"source": draft.source.model_copy(update={"turn_id": turn_id})})
