"""Use cases of the scratch page: add, read, search and change observations."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import structlog

from prefrontal.graph.caller import Permission, require, require_reader, target_space
from prefrontal.graph.embedding.embeddings import NO_VECTORS
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.errors import (
    Duplicate,
    Expired,
    Forbidden,
    Forgotten,
    InvalidInput,
    NotFound,
    PrefrontalError,
    TimedOut,
    cause_of,
    combine_errors,
)
from prefrontal.graph.ids import Kind, new_ids
from prefrontal.graph.journal.command import entry_problems, limit_problems, paths_of
from prefrontal.graph.journal.record import Change, EventType, Trace, merged
from prefrontal.graph.scratch import rules, search, search_store, store
from prefrontal.graph.scratch.conflicts import ConflictFinder, DeclaredConflicts
from prefrontal.graph.scratch.contradiction import ContradictionDetector, WordingDetector
from prefrontal.graph.scratch.events import added, added_traces, step_journal
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    ArchiveObservations,
    Conflict,
    Observation,
    ObservationDraft,
    ObservationFilter,
    ObservationOrder,
    ObservationStatus,
    ObservationUpdate,
    PinObservation,
    ResolveObservation,
    ResolveObservations,
    Reviewable,
    UpdateObservation,
    UpdateObservations,
)
from prefrontal.graph.scratch.rules import Step, may_be_evidence, names_goal
from prefrontal.graph.scratch.search import ObservationPage
from prefrontal.graph.scratch.validation import (
    change_problems,
    draft_hash,
    draft_problems,
    observation_of,
)
from prefrontal.graph.storage.paging import checked_first
from prefrontal.graph.storage.related import PageOf, RelatedReader
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.validation import (
    error_path,
    found_or_gone,
    join_path,
    list_problems,
    raise_all,
    require_version,
    text_problems,
)
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.journal.command import ChangeEntry, TurnCommand
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

_NO_GOAL = "no such goal"
_TAKEN = "this clientKey belongs to another observation"
_FORGOTTEN = "this text was forgotten in this space and does not come back"
_LEAST_S = 0.001
_STEPS: dict[EventType, Step] = {
    EventType.OBSERVATION_RESOLVED: rules.resolve,
    EventType.OBSERVATION_ARCHIVED: rules.archive,
    EventType.OBSERVATION_PINNED: rules.pin,
    EventType.OBSERVATION_UNPINNED: rules.unpin,
}


class _StoredDrafts(NamedTuple):
    """What became of drafts: their change, the new observations, and the keys of forgotten texts.

    If a text was forgotten, nothing was stored.
    """

    change: Change
    new: list[Observation]
    forgotten: frozenset[str] = frozenset()


class ScratchService:
    """Adds, reads, searches and changes observations."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        embeddings: Embeddings,
        detector: ContradictionDetector | None = None,
    ) -> None:
        """Store the dependencies. The default detector of contradictions is `WordingDetector`.

        `conflicts` is the list of an observation's contradictions, `of_entities` the list of the observations
        that mention an entity.
        """
        self.conflicts = RelatedReader(database, clock, store.conflicts, require_reader)
        self.of_entities = RelatedReader(database, clock, store.of_entities, require_reader)
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes
        self._embeddings = embeddings
        table = catalog.contradiction
        self._conflicts = ConflictFinder(detector or WordingDetector(table), table)
        self._derived = store.TextTables(catalog.goals.topics, catalog.memory.extraction)

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
        """Store observations in one transaction, and return them in the order of `drafts`.

        If an equal draft with the same `client_key` was stored in the space before, that observation is
        returned.

        Args:
            caller: The caller that adds the observations.
            drafts: The drafts; 1 to `observations_per_call` of `registry/operations/limits.yaml`.
            space: The id of the space; the caller's private space when omitted.
            turn_id: The turn of the observations; a draft that names a turn keeps it.
            idempotency_key: Ensures that a request that is sent several times is executed once.
            path: The path of the list in the client's input, for problems (`observations[17].confidence`);
                empty when a single draft is the whole input.
            also: A function that returns further trace entries for the new observations.

        Raises:
            InvalidInput: If a draft is not valid; then nothing is stored, and `problems` has every problem.
            NotFound: If the space, or an observation that a draft contradicts, is unknown or not readable.
            Forbidden: If the caller may read the space but not write to it.
            Duplicate: If a `client_key` already belongs to another observation.
            Forgotten: If a text was forgotten in the space; `problems` has every such draft.
        """
        require(caller, Permission.WRITE)
        limits = self._catalog.limits
        if not drafts:
            raise InvalidInput("at least one observation", field=path)
        raise_all(list_problems(drafts, path, limits.observations_per_call))
        problems: list[InvalidInput] = []
        for number, draft in enumerate(drafts):
            where = _entry_path(path, number)
            problems += self.problems(draft, where)
        problems += text_problems(turn_id, "turnId", limits.key_characters)
        raise_all(problems)
        scope_id = target_space(caller, space)
        if turn_id is not None:
            drafts = [_in_turn(draft, turn_id) for draft in drafts]
        vectors = await self._embeddings.before_writing(passage_of(draft.content) for draft in drafts)

        async def work(tx: Tx, now: datetime) -> Change:
            taken = await _taken_keys(tx, caller, drafts, scope_id)
            fresh = [(n, draft) for n, draft in enumerate(drafts) if draft.client_key not in taken]
            goals = await _known_goals(tx, caller, [draft for _, draft in fresh])
            for number, draft in fresh:
                if _unknown_goal(draft, goals):
                    raise NotFound(_NO_GOAL, field=join_path(_entry_path(path, number), "context.goalId"))
            change, new, gone = await self._store(tx, caller, drafts, scope_id, vectors, now, taken, path)
            refused: list[PrefrontalError] = [
                Forgotten(_FORGOTTEN, field=join_path(_entry_path(path, number), "content"))
                for number, draft in fresh
                if text_key(scope_id, draft.content) in gone
            ]
            if refused:
                raise combine_errors(refused)
            if also is None or not new:
                return change
            return change.model_copy(update={"traces": (*change.traces, *also(new))})

        body = [[draft.model_dump(mode="json") for draft in drafts], scope_id]
        try:
            result = await self._changes.write(
                caller, work, operation="addObservations", body=body, idempotency_key=idempotency_key
            )
        except Duplicate:
            # A concurrent transaction stored a client key after this one had looked it up. A second attempt
            # finds it.
            result = await self._changes.write(
                caller, work, operation="addObservations", body=body, idempotency_key=idempotency_key
            )
        found = await self.get(caller, result["uids"])
        return tuple(found[uid] for uid in result["uids"] if uid in found)

    async def add_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[ObservationDraft],
        scope_id: str,
        vectors: Vectors,
        now: datetime,
        *,
        turn_id: str,
        also: Callable[[Sequence[Observation]], Sequence[Trace]] | None = None,
    ) -> list[Change | PrefrontalError]:
        """Store valid observations inside a transaction; return for each its change, or its error.

        The result of a change has the id and whether it is new. A refused draft writes nothing, and the field
        of its error is relative to the draft. The journal of all is in the first change.
        """
        taken = await _taken_keys(tx, caller, drafts, scope_id)
        named = sorted({uid for draft in drafts for uid in draft.contradicts})
        known = await store.find(tx, caller, named, now) if named else {}
        goals = await _known_goals(tx, caller, drafts)
        digests = {key: digest for key, (_, digest) in taken.items()}
        errors: list[PrefrontalError | None] = list(_refusals(drafts, digests, known, goals))

        async def rest_stored() -> _StoredDrafts:
            right = [
                _in_turn(draft, turn_id) for draft, error in zip(drafts, errors, strict=True) if error is None
            ]
            return await self._store(tx, caller, right, scope_id, vectors, now, dict(taken), "")

        whole, new, gone = await rest_stored()
        if gone:
            # Nothing was stored, and no other text is forgotten before the commit.
            for number, draft in enumerate(drafts):
                fresh = errors[number] is None and draft.client_key not in taken
                if fresh and text_key(scope_id, draft.content) in gone:
                    errors[number] = Forgotten(_FORGOTTEN, field="content")
            whole, new, _ = await rest_stored()
        traces = (*whole.traces, *also(new)) if also is not None and new else whole.traces
        made = {o.uid for o in new}
        rest = [Change(result={"observation": uid, "created": uid in made}) for uid in whole.result["uids"]]
        if rest:
            rest[0] = rest[0].model_copy(update={"traces": traces, "events": whole.events})
        done = iter(rest)
        return [next(done) if error is None else error for error in errors]

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[ObservationDraft],
        scope_id: str,
        vectors: Vectors,
        now: datetime,
        taken: dict[str, tuple[str, str]],
        path: str,
    ) -> _StoredDrafts:
        """Store drafts whose goals are known, unless a text was forgotten.

        `taken` has what `_taken_keys` found for them, and gets the client keys that are new.
        """
        uids: list[str] = []
        new: list[Observation] = []
        hashes: list[str | None] = []
        declared: dict[str, DeclaredConflicts] = {}
        for number, (draft, uid) in enumerate(
            zip(drafts, new_ids(Kind.OBSERVATION, now, len(drafts)), strict=True)
        ):
            digest = draft_hash(draft) if draft.client_key is not None else None
            if draft.client_key is not None and digest is not None:
                earlier = taken.get(draft.client_key)
                if earlier is not None:
                    if earlier[1] != digest:
                        raise Duplicate(
                            _TAKEN,
                            field=join_path(_entry_path(path, number), "clientKey"),
                        )
                    uids.append(earlier[0])
                    continue
                taken[draft.client_key] = (uid, digest)
            uids.append(uid)
            hashes.append(digest)
            if draft.contradicts:
                declared[uid] = DeclaredConflicts(draft.contradicts, _entry_path(path, number))
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
            return _StoredDrafts(Change(result={"uids": uids}), new)
        keys = [self._conflicts.frame_key(o) for o in new]
        finder = self._conflicts
        written, known, near, forgotten = await store.create(
            tx,
            caller,
            new,
            hashes,
            keys,
            vectors,
            tables=self._derived,
            stating=finder.stating(new),
            bounds=finder.bounds,
        )
        if forgotten:
            return _StoredDrafts(Change(result={"uids": []}), [], forgotten)
        if written != len(new):
            raise Forbidden("you may not write to this space any more", field="space")
        framed = list(zip(keys, new, strict=True))
        found = await finder.note(tx, caller, framed, known, now, near=near, declared=declared)
        change = Change(
            result={"uids": uids},
            traces=(*added_traces(new), *found.traces),
            events=(*(added(o) for o in new), *found.events),
        )
        return _StoredDrafts(change, new)

    def problems(
        self, draft: ObservationDraft, path: str = "", *, checked: bool = False
    ) -> list[InvalidInput]:
        """Return the problems of a draft without storing the draft; an empty list if it is valid.

        `checked` says that its limits were checked with those of the command that it stands in.
        """
        return draft_problems(draft, self._catalog.limits, self._catalog.scratch, path, checked=checked)

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Observation]:
        """Return the observations among `uids` that the caller may read, by id. Other ids are left out."""
        require(caller, Permission.READ)
        now = self._clock.now()

        async def work(tx: Tx) -> dict[str, Observation]:
            return await store.find(tx, caller, uids, now)

        return await self._database.read(work)

    async def find(
        self,
        caller: Caller,
        wanted: ObservationFilter,
        order: ObservationOrder = ObservationOrder.CREATED_AT,
        *,
        first: int | None = None,
        after: str | None = None,
        deadline_ms: int | None = None,
        with_total: bool = False,
    ) -> ObservationPage:
        """Return a page of the observations that match a filter.

        If the filter has a text, the best matches of the text come first. All others follow, newest first. If
        the query exceeds its deadline, the page has what was found until then (the best matches of a text, or
        nothing) and `partial` is true; this is not an error. The same holds for the number of matches.

        Args:
            caller: The caller.
            wanted: The filter.
            order: The order; one other than the usual only without a text in the filter.
            first: The size of the page.
            after: The cursor of the page before.
            deadline_ms: The deadline in milliseconds, at most `query_timeout_ms` of `scratch.yaml`,
                which is the default.
            with_total: Whether the page has the number of matches on all pages as its `total`.

        Raises:
            InvalidInput: If the filter, the order, the page size, the cursor or the deadline is not valid.
        """
        require(caller, Permission.READ)
        most_ms = self._catalog.scratch.query_timeout_ms
        if deadline_ms is not None and not 1 <= deadline_ms <= most_ms:
            raise InvalidInput(f"1 to {counted(most_ms, 'millisecond')}", field="deadlineMs")
        limit = checked_first(first)
        raise_all(search.filter_problems(wanted, self._catalog.limits, order))
        table = self._catalog.scratch.ranking
        place = search.page_start(after, wanted, table.most, order)
        now = self._clock.now()

        found: list[tuple[Observation, search.PageStart]] = []

        async def work(tx: Tx) -> None:
            found.clear()
            async for part in search.read_parts(
                tx, caller, wanted, place, limit=limit + 1, now=now, table=table
            ):
                found.extend(part)

        more = {"first_plan_counts": deadline_ms is not None}
        limit_s = (deadline_ms or most_ms) / 1000
        started = time.perf_counter()
        whole = partial = False
        total: int | None = None
        try:
            try:
                await self._database.read(work, timeout_s=limit_s, **more)
                whole = True
            finally:
                page_s = time.perf_counter() - started
            if with_total:
                # The deadline of a call is for the page and the number; the usual one is for each of them.
                left_s = limit_s if deadline_ms is None else max(limit_s - page_s, _LEAST_S)
                total = await self._database.read(
                    lambda tx: search_store.count(tx, caller, wanted, now), timeout_s=left_s, **more
                )
        except TimedOut as error:
            partial, total = True, min(len(found), limit)
            if deadline_ms is None:
                log.warning(error.code, operation="observations", cause=cause_of(error), org=caller.org_key)
        return ObservationPage(
            items=tuple(item for item, _ in found[:limit]),
            cursors=tuple(search.cursor_of(place, wanted) for _, place in found[:limit]),
            has_next=len(found) > limit or (not whole and bool(found)),
            query_time_ms=page_s * 1000,
            partial=partial,
            total=total,
        )

    async def count(self, caller: Caller, wanted: ObservationFilter) -> int:
        """Return the number of observations that match a filter, on all pages together."""
        require(caller, Permission.READ)
        raise_all(search.filter_problems(wanted, self._catalog.limits))
        now = self._clock.now()

        async def work(tx: Tx) -> int:
            return await search_store.count(tx, caller, wanted, now)

        return await self._database.read(work)

    async def linked_goals(self, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return, by observation id, the ids of the readable goals that the observation is evidence of."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, tuple[str, ...]]:
            return await store.linked_goals(tx, caller, uids)

        return await self._database.read(work)

    async def conflicts_of(self, caller: Caller, uids: Sequence[str]) -> dict[str, tuple[Conflict, ...]]:
        """Return, by observation id, the contradictions that have not ended, newest first.

        The caller must be able to read both observations. At most `list_items` contradictions of
        `registry/operations/limits.yaml` are returned for each observation.
        """
        if not uids:
            return {}
        most = self._catalog.limits.list_items
        pages = await self.conflicts.pages(caller, [PageOf(uid, most) for uid in uids])
        return {page.uid: found.items for page, found in pages.items()}

    async def change(
        self,
        caller: Caller,
        command: UpdateObservation | ResolveObservation | ArchiveObservation | PinObservation,
    ) -> Observation:
        """Update, resolve, archive, pin or unpin an observation, and return the changed observation.

        Raises:
            InvalidInput: If a field is not valid, or nothing is to be changed.
            NotFound: If the observation is unknown or not readable.
            Forbidden: If the caller may read the observation but not write to it.
            VersionConflict: If the observation has another version than expected.
            Expired: If the observation has expired.
            IllegalTransition: If the status of the observation does not allow the change.
            Forgotten: If the new text was forgotten in the space of the observation.
        """
        (changed,) = await self._change(caller, command, [command], [""], _event_of(command))
        return changed

    async def change_all(
        self, caller: Caller, command: UpdateObservations | ResolveObservations | ArchiveObservations
    ) -> tuple[Observation, ...]:
        """Update, resolve or archive observations, all or none; return them in the order of the command.

        The errors are those of `change`, and the field of each is under the path of its entry. All entries
        with a forgotten text are named at once.
        """
        entries = command.observations
        paths = paths_of("observations", entries)
        problems = entry_problems(entries, "observations")
        return await self._change(caller, command, entries, paths, _event_of(command), problems)

    async def _change(
        self,
        caller: Caller,
        command: TurnCommand,
        entries: Sequence[ChangeEntry],
        paths: Sequence[str],
        event: EventType,
        problems: Sequence[InvalidInput] = (),
    ) -> tuple[Observation, ...]:
        """Apply the change of each entry, all or none, and return the observations."""
        wrong = list(problems)
        for entry, path in zip(entries, paths, strict=True):
            if isinstance(entry, ObservationUpdate):
                wrong += change_problems(entry, self._catalog.scratch, path)
        vectors = NO_VECTORS
        if not wrong:
            vectors = await self._embeddings.before_writing(
                passage_of(entry.content)
                for entry in entries
                if isinstance(entry, ObservationUpdate) and entry.content is not None
            )

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._steps(tx, caller, entries, paths, event, vectors, now, command.turn_id)

        await self._changes.run(caller, command, work, problems=wrong)
        found = await self.get(caller, [entry.id for entry in entries])
        return tuple(
            found_or_gone(found, entry.id, "observation", join_path(path, "id"))
            for entry, path in zip(entries, paths, strict=True)
        )

    async def _steps(
        self,
        tx: Tx,
        caller: Caller,
        entries: Sequence[ChangeEntry],
        paths: Sequence[str],
        event: EventType,
        vectors: Vectors,
        now: datetime,
        turn_id: str | None,
    ) -> Change:
        """Apply the change of each entry to its observation, and return the journal."""
        locked = await store.lock(tx, caller, sorted(entry.id for entry in entries), now)
        changed: list[tuple[Observation, Observation, str]] = []
        for entry, path in zip(entries, paths, strict=True):
            with error_path(path):
                before = locked.get(entry.id)
                if before is None:
                    raise NotFound("no such observation", field="id")
                if before.scope_id not in caller.writable:
                    raise Forbidden("you may read this observation but not change it", field="id")
                require_version(before.version, entry.expected_version)
                after = _step_of(entry, event)(before, now)
            if after != before:
                changed.append((before, after, self._conflicts.frame_key(after)))
        result = {"uids": [entry.id for entry in entries]}
        if not changed:
            return Change(result=result)
        gone = await store.update(tx, caller, changed, vectors, now, tables=self._derived, turn_id=turn_id)
        if gone:
            spaces = {after.uid: after.scope_id for _, after, _ in changed}
            raise combine_errors(
                [
                    Forgotten(_FORGOTTEN, field=join_path(path, "content"))
                    for entry, path in zip(entries, paths, strict=True)
                    if isinstance(entry, ObservationUpdate)
                    and entry.content is not None
                    and text_key(spaces.get(entry.id, ""), entry.content) in gone
                ]
            )
        journal = [step_journal(after, event, turn_id) for _, after, _ in changed]
        reworded = [(key, after) for before, after, key in changed if after.content != before.content]
        if reworded:
            journal.append(await self._reworded(tx, caller, reworded, vectors, now, turn_id))
        return merged(journal, result)

    async def _reworded(
        self,
        tx: Tx,
        caller: Caller,
        reworded: Sequence[tuple[str, Observation]],
        vectors: Vectors,
        now: datetime,
        turn_id: str | None,
    ) -> Change:
        """End the contradictions of the old texts and store those of the new ones; return the journal."""
        finder = self._conflicts
        stating = finder.stating(o for _, o in reworded)
        known, near = await store.end_conflicts(
            tx, caller, reworded, vectors, now, stating=stating, bounds=finder.bounds
        )
        done: list[Change] = []
        # Only observations of one space are compared.
        for scope_id in dict.fromkeys(o.scope_id for _, o in reworded):
            here = [(key, o) for key, o in reworded if o.scope_id == scope_id]
            others = {key: known[o.uid] for key, o in here}
            found = await finder.note(tx, caller, here, others, now, near=near, turn_id=turn_id)
            done.append(Change(result={}, traces=found.traces, events=found.events))
        return merged(done)

    def change_problems(self, changes: ObservationUpdate) -> list[InvalidInput]:
        """Return what is wrong with new values of an observation, as far as the input alone shows it."""
        return [
            *limit_problems(changes, self._catalog.limits),
            *change_problems(changes, self._catalog.scratch, ""),
        ]

    async def change_in(
        self,
        tx: Tx,
        caller: Caller,
        entry: ChangeEntry,
        vectors: Vectors,
        now: datetime,
        *,
        turn_id: str | None,
    ) -> Change:
        """Update an observation inside a transaction if the entry has new values, else archive it.

        The errors are those of `change`; a refused change writes nothing.
        """
        event = (
            EventType.OBSERVATION_UPDATED
            if isinstance(entry, ObservationUpdate)
            else EventType.OBSERVATION_ARCHIVED
        )
        return await self._steps(tx, caller, [entry], [""], event, vectors, now, turn_id)

    async def settle_in(
        self, tx: Tx, caller: Caller, scope_id: str, now: datetime, *, most: int, turn_id: str | None
    ) -> Change:
        """Archive resolved observations of a space and expire those whose lifetime is over.

        It runs inside a transaction. Of both at most `most`, the oldest first. The result has the ids of
        those that changed (`observations`).
        """
        uids = await store.find_settled(tx, caller, scope_id, now, most=most)
        locked = await store.lock(tx, caller, sorted(uids), now) if uids else {}
        deletes = self._catalog.scratch.on_expiry == "delete"
        settled = [
            o
            for _, o in sorted(locked.items())
            # The job deletes the expired ones, if that is what becomes of them.
            if o.status is ObservationStatus.RESOLVED
            or (o.status is ObservationStatus.EXPIRED and not deletes)
        ]
        return await self._put_away(tx, caller, settled, now, turn_id, forget=False)

    async def candidates_in(
        self,
        tx: Tx,
        caller: Caller,
        uids: Sequence[str],
        now: datetime,
        *,
        encoder: str | None = None,
    ) -> list[Reviewable]:
        """Lock the observations among `uids` that the caller may write to, and return them for evaluation.

        With the name of an encoder, they have the vectors that it made of their texts. Which texts are
        repeated is known once the subjects of the decision are locked: see `lock_statement_keys`.
        """
        return await store.lock_candidates(tx, caller, uids, now, encoder=encoder)

    async def await_evaluation_in(
        self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime
    ) -> list[str]:
        """Mark observations whose evaluation failed; return the ids of the marked ones.

        The next turn of their space finds them. The next evaluation takes the mark away, in its transaction.
        """
        return await store.await_evaluation(tx, caller, uids, now)

    async def take_awaiting_in(self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> list[str]:
        """Lock observations until the commit; return the ids of those that wait for an evaluation still."""
        return await store.lock_awaiting(tx, caller, uids, now)

    async def lock_statement_keys(
        self, tx: Tx, caller: Caller, candidates: Sequence[Reviewable], keys: Iterable[tuple[str, str]]
    ) -> list[Reviewable]:
        """Lock keys of spaces until the commit; return the candidates with what is known of equal texts.

        Another transaction that locks one of the keys waits for the commit, and sees what this one wrote.
        """
        return await store.lock_statement_keys(tx, caller, candidates, keys)

    async def reviewable(
        self, caller: Caller, scope_ids: Sequence[str], *, after: str, limit: int
    ) -> list[str]:
        """Return the ids of up to `limit` active and resolved observations for a review, oldest first.

        Only observations with ids above `after`, in those of the spaces that the caller may write to.
        """

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
        """Archive locked observations inside a transaction, and return the change.

        Observations that have expired get the status expired instead of archived.
        """
        return await self._put_away(tx, caller, observations, now, turn_id, forget=False)

    async def forget_in(
        self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime, turn_id: str | None
    ) -> Change:
        """Archive observations whose text is forgotten, inside the transaction that forgets it.

        They lose their vectors, terms and topics. The result has the ids of those that changed
        (`observations`).
        """
        locked = await store.lock(tx, caller, sorted(uids), now) if uids else {}
        here = [o for _, o in sorted(locked.items())]
        return await self._put_away(tx, caller, here, now, turn_id, forget=True)

    async def _put_away(
        self,
        tx: Tx,
        caller: Caller,
        observations: Sequence[Observation],
        now: datetime,
        turn_id: str | None,
        *,
        forget: bool,
    ) -> Change:
        pairs = []
        changes = []
        for before in observations:
            faded = before.status is ObservationStatus.EXPIRED
            after = (rules.fade if faded else rules.archive)(before, now)
            if after != before:
                event = EventType.OBSERVATION_EXPIRED if faded else EventType.OBSERVATION_ARCHIVED
                pairs.append((before, after, self._conflicts.frame_key(after)))
                changes.append(step_journal(after, event, turn_id, reason="forgotten" if forget else None))
        if pairs:
            await store.update(
                tx, caller, pairs, NO_VECTORS, now, tables=self._derived, turn_id=turn_id, forget=forget
            )
        return merged(changes, {"observations": [after.uid for _, after, _ in pairs]})

    async def lock_evidence(
        self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime, *, fields: Sequence[str]
    ) -> dict[str, Observation]:
        """Lock observations inside the transaction that uses them as evidence, and return them by id.

        `fields` are the paths of the ids in the input, one for each.

        Raises:
            NotFound: If an observation is unknown or not readable.
            Expired: If an observation has expired or is archived.
        """
        if not uids:
            return {}
        found = await store.lock(tx, caller, sorted(uids), now)
        for uid, field in zip(uids, fields, strict=True):
            if uid not in found:
                raise NotFound("no such observation", field=field)
            status = found[uid].status
            if not may_be_evidence(found[uid]):
                raise Expired(
                    f"the observation is {status.value} and cannot be used as evidence; add it again",
                    field=field,
                )
        return found


def _event_of(command: TurnCommand) -> EventType:
    """Return the event of a change of observations."""
    match command:
        case UpdateObservation() | UpdateObservations():
            return EventType.OBSERVATION_UPDATED
        case ResolveObservation() | ResolveObservations():
            return EventType.OBSERVATION_RESOLVED
        case PinObservation(pinned=True):
            return EventType.OBSERVATION_PINNED
        case PinObservation():
            return EventType.OBSERVATION_UNPINNED
        case _:
            return EventType.OBSERVATION_ARCHIVED


def _step_of(entry: ChangeEntry, event: EventType) -> Step:
    """Return what an event does to the observation of an entry."""
    return rules.update(entry) if isinstance(entry, ObservationUpdate) else _STEPS[event]


def _entry_path(path: str, number: int) -> str:
    return f"{path}[{number}]" if path else ""


def _in_turn(draft: ObservationDraft, turn_id: str) -> ObservationDraft:
    if draft.source.turn_id is not None:
        return draft
    return draft.model_copy(update={"source": draft.source.model_copy(update={"turn_id": turn_id})})


async def _taken_keys(
    tx: Tx, caller: Caller, drafts: Sequence[ObservationDraft], scope_id: str
) -> dict[str, tuple[str, str]]:
    """Return the observations that have client keys of drafts already: id and digest by client key."""
    keyed = [(scope_id, draft.client_key) for draft in drafts if draft.client_key is not None]
    return await store.find_by_client_keys(tx, caller, keyed) if keyed else {}


async def _known_goals(tx: Tx, caller: Caller, drafts: Sequence[ObservationDraft]) -> frozenset[str]:
    """Return the ids of the goals that drafts name and that the caller may read."""
    named = {draft.context.goal_id for draft in drafts if names_goal(draft.context)}
    return await store.find_named_goals(tx, caller, sorted(filter(None, named))) if named else frozenset()


def _unknown_goal(draft: ObservationDraft, known: Container[str]) -> bool:
    return names_goal(draft.context) and draft.context.goal_id not in known


def _refusals(
    drafts: Sequence[ObservationDraft],
    digests: dict[str, str],
    known: Mapping[str, Observation],
    goals: Container[str],
) -> Iterator[Duplicate | NotFound | None]:
    """Give for each draft why it cannot be stored.

    `digests` are those of the client keys in the space, `known` and `goals` what of it the caller may read.
    """
    digests = dict(digests)
    for draft in drafts:
        if _unknown_goal(draft, goals):
            yield NotFound(_NO_GOAL, field="context.goalId")
            continue
        missing = [number for number, uid in enumerate(draft.contradicts) if uid not in known]
        if missing:
            yield NotFound("no such observation", field=f"contradicts[{missing[0]}]")
            continue
        key, digest = draft.client_key, draft_hash(draft)
        if key is not None and digests.setdefault(key, digest) != digest:
            yield Duplicate(_TAKEN, field="clientKey")
            continue
        yield None
