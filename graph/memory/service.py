"""Use cases of durable memories: remember, read, supersede and forget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol

from prefrontal.graph.caller import Permission, is_maintainer, require, require_reader, target_space
from prefrontal.graph.errors import (
    Duplicate,
    Forbidden,
    Forgotten,
    InvalidInput,
    NotFound,
    PrefrontalError,
    combine_errors,
)
from prefrontal.graph.ids import new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import (
    Change,
    Event,
    EventType,
    Trace,
    TraceKind,
    merged,
    one_change,
)
from prefrontal.graph.memory import rules, store
from prefrontal.graph.memory.record import (
    Forget,
    ForgottenMemories,
    Mandate,
    Memory,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    Remember,
    RememberedMemories,
    RetentionPeriod,
    Room,
    Supersede,
    Supersession,
)
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.validation import error_path, found_or_gone, raise_all, require_version, with_path
from prefrontal.graph.wording import with_article

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.memory.store import DraftLookup
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_UNKNOWN = "no such memory"
_TAKEN = "this clientKey belongs to another memory"
Problems = list[InvalidInput]
_WORTH_ASKING = 8
"""From how many drafts with client keys on it is found out which are known: encoding a few costs less."""
_LAST = "~"
"""Sorts after every id."""


class ForgetObservations(Protocol):
    """Archives observations whose text is forgotten, inside the transaction that forgets it."""

    async def __call__(
        self, tx: Tx, caller: Caller, uids: Sequence[str], now: datetime, turn_id: str | None
    ) -> Change:
        """Return the change; its result has the ids of those that changed (`observations`)."""
        ...


class ForgetInSessions(Protocol):
    """Destroys what running sessions keep of forgotten memories, inside the transaction that forgets them."""

    async def __call__(
        self,
        tx: Tx,
        caller: Caller,
        uids: Iterable[str],
        texts: Iterable[tuple[str, str]],
        now: datetime,
    ) -> int:
        """Return the number of items; `texts` has each text that is forgotten, with its space."""
        ...


class ForgetInTurns(Protocol):
    """Takes forgotten memories from what turns keep, inside the transaction that forgets them."""

    async def __call__(
        self, tx: Tx, caller: Caller, uids: Iterable[str], texts: Iterable[str], now: datetime
    ) -> Change:
        """Return the change: an event for each export of a turn that is deleted."""
        ...


class MemoryService:
    """Stores, reads and ends durable memories."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        embeddings: Embeddings,
        forget_observations: ForgetObservations,
        forget_in_sessions: ForgetInSessions,
        forget_in_turns: ForgetInTurns,
    ) -> None:
        """Store the database, the clock, the registry, the change writer, and what makes vectors.

        `forget_observations` archives the observations that say what is forgotten, `forget_in_sessions` and
        `forget_in_turns` take it out of sessions and turns. `of_entities` is the list of the memories that
        mention an entity.
        """
        self.of_entities = RelatedReader(
            database, clock, store.of_entities, require_reader, read_at=clock.now
        )
        self._embeddings = embeddings
        self._forget_observations = forget_observations
        self._forget_in_sessions = forget_in_sessions
        self._forget_in_turns = forget_in_turns
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._changes = changes

    async def remember(self, caller: Caller, command: Remember) -> RememberedMemories:
        """Store memories in one transaction; return them in their order, with the ids of the new ones.

        If an equal draft with the same `client_key` was stored in the space before, that memory is returned.

        Raises:
            InvalidInput: If a draft is not valid; then nothing is stored, and `problems` has every problem.
            NotFound: If the space, or a memory that a draft was made from, is unknown or not readable.
            Forbidden: If the caller may not write to the space, or the space is the common one, a draft is of
                a kind for maintainers, and the caller is no maintainer.
            Duplicate: If a `client_key` already belongs to another memory.
            Forgotten: If a text was forgotten in the space.

        Of several entries that are refused in the last three ways, the error is that of the first, and
        `problems` has all.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(command))
        scope_id = target_space(caller, command.space)
        self._require_maintainer(caller, scope_id, [draft.kind for draft in command.memories], "space")
        vectors = await self._vectors(caller, scope_id, command.memories)

        async def work(tx: Tx, now: datetime) -> Change:
            done = await self.remember_in(
                tx, caller, command.memories, scope_id, vectors, now, command.turn_id
            )
            refused = [
                with_path(each, f"memories[{number}]")
                for number, each in enumerate(done)
                if isinstance(each, PrefrontalError)
            ]
            if refused:
                raise combine_errors(refused)
            right = [each for each in done if isinstance(each, Change)]
            uids = [each.result["memory"] for each in right]
            created = sorted({each.result["memory"] for each in right if each.result["created"]})
            return merged(right, {"uids": uids, "created": created})

        try:
            result = await self._changes.run(caller, command, work, checked=True)
        except Duplicate:
            # A concurrent transaction stored a client key after this one had looked it up. A second attempt
            # finds it.
            result = await self._changes.run(caller, command, work, checked=True)
        found = await self.get(caller, result["uids"])
        return RememberedMemories(
            memories=tuple(found[uid] for uid in result["uids"] if uid in found),
            # The result of a call that an earlier version of the service answered has the ids alone.
            created=frozenset(result.get("created", result["uids"])) & frozenset(found),
        )

    async def _vectors(self, caller: Caller, scope_id: str, drafts: Sequence[MemoryDraft]) -> Vectors:
        """Return the vectors of drafts; without those of known ones if the drafts are many."""
        keyed = sum(draft.client_key is not None for draft in drafts)
        known: frozenset[str] = frozenset()
        if keyed >= _WORTH_ASKING:
            known = await self._database.read(lambda tx: store.find_known_keys(tx, caller, scope_id, drafts))
        return await self._embeddings.before_writing(
            text
            for draft in drafts
            if draft.client_key not in known
            for text in rules.encoded(draft, self._catalog.memory)
        )

    async def remember_in(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[MemoryDraft],
        scope_id: str,
        vectors: Vectors,
        now: datetime,
        turn_id: str | None,
        kept: Sequence[RetentionPeriod | None] = (),
    ) -> list[Change | PrefrontalError]:
        """Store valid drafts inside a transaction; return for each its change, or its error.

        The result of a change has the id (`memory`) and whether it is new (`created`). A refused draft writes
        nothing, and the field of its error is relative to the draft. The journal of all is in the first
        change. `kept` says for each draft how long it is kept; without it, none fades.

        Raises:
            Forbidden: If the caller may not write to the space any more; then nothing was written.
        """
        known = await store.find_known(tx, caller, scope_id, drafts)
        return await self._store(tx, caller, drafts, known, scope_id, vectors, now, turn_id, kept)

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[MemoryDraft],
        known: DraftLookup,
        scope_id: str,
        vectors: Vectors,
        now: datetime,
        turn_id: str | None,
        kept: Sequence[RetentionPeriod | None] = (),
    ) -> list[Change | PrefrontalError]:
        done: list[Change | PrefrontalError] = []
        new: list[store.New] = []
        taken, roles = dict(known.memories), self._catalog.search.roles
        ids = _ids(drafts, now)
        for draft, keeping in zip_longest(drafts, kept):
            digest = rules.draft_hash(draft) if draft.client_key is not None else None
            error = self._refusal(caller, draft, scope_id, known, taken, digest)
            if error is not None:
                done.append(error)
                continue
            if draft.client_key in taken:
                done.append(Change(result={"memory": taken[draft.client_key][0], "created": False}))
                continue
            uid = next(ids[draft.kind])
            if draft.client_key is not None and digest is not None:
                taken[draft.client_key] = (uid, digest)
            memory = rules.memory_of(
                draft, uid=uid, scope_id=scope_id, by_uid=caller.actor_id, now=now, kept=keeping
            )
            new.append(store.New(memory, rules.mentioned(memory, roles), digest))
            done.append(Change(result={"memory": uid, "created": True}))
        if new:
            written = await store.remember(
                tx,
                caller,
                new,
                vectors,
                now,
                table=self._catalog.memory,
                topics=self._catalog.goals.topics,
                turn_id=turn_id,
            )
            if written != len(new):
                raise Forbidden("you may not write to this space any more", field="space")
            first = next(number for number, each in enumerate(done) if isinstance(each, Change))
            journal = _journal([each.memory for each in new], scope_id, turn_id)
            done[first] = journal.model_copy(update={"result": done[first].result})  # type: ignore[union-attr]
        return done

    def _refusal(
        self,
        caller: Caller,
        draft: MemoryDraft,
        scope_id: str,
        known: DraftLookup,
        taken: Mapping[str, tuple[str, str]],
        digest: str | None,
    ) -> PrefrontalError | None:
        """Return why a draft cannot be stored; None if it can, or if it is known."""
        try:
            self._require_maintainer(caller, scope_id, (draft.kind,), "space")
        except Forbidden as error:
            return error
        if text_key(scope_id, draft.content) in known.forgotten:
            return Forgotten("this text was forgotten in this space and does not come back", field="content")
        _, earlier = taken.get(draft.client_key or "", ("", digest))
        if earlier != digest:
            return Duplicate(_TAKEN, field="clientKey")
        for number, uid in enumerate(draft.derived_from):
            if uid not in known.sources:
                return NotFound(_UNKNOWN, field=f"derivedFrom[{number}]")
        return None

    async def supersede(self, caller: Caller, command: Supersede) -> Supersession:
        """Let a newer memory take the place of an older one of its kind and space, and return both.

        The newer one is stored, unless it is named (`by`). The older one is not recalled any more; its text
        and its history stay readable.

        Raises:
            InvalidInput: If the newer memory is not valid, or of another kind or space.
            NotFound: If the older or the newer memory, or one that the newer was made from, is unknown or not
                readable.
            Forbidden: If the caller may not write to its space, or it is for maintainers alone.
            IllegalTransition: If the older memory was superseded or forgotten before, or the newer one is not
                recalled any more.
            VersionConflict: If the older memory has another version than expected.
            Duplicate: If the `client_key` already belongs to another memory.
            Forgotten: If the text was forgotten in the space.
        """
        require(caller, Permission.WRITE)
        draft, by = command.memory, command.by
        raise_all([*limit_problems(command, self._catalog.limits), *rules.newer_problems(command)])
        texts = [] if draft is None else rules.encoded(draft, self._catalog.memory)
        vectors = await self._embeddings.before_writing(texts)

        async def work(tx: Tx, now: datetime) -> Change:
            older, newer = await self._locked(tx, caller, command.id, now, by)
            require_version(older.version, command.expected_version)
            if newer is not None:
                rules.require_successor(newer, older)
            rules.superseded(older, older, now)
            done = Change(result={"memory": by})
            if draft is not None:
                done = await self._newer(tx, caller, draft, older, vectors, now, command.turn_id)
            uid = done.result["memory"]
            after = rules.superseded(older, older.model_copy(update={"uid": uid}), now)
            written = await store.end(
                tx, caller, [(older, after)], tombstones=False, now=now, turn_id=command.turn_id
            )
            if not written:
                raise Forbidden("you may not write to this space any more", field="id")
            ended = _ended(after, TraceKind.SUPERSEDED, "superseded", command.turn_id, [uid])
            return merged([done, ended], {"older": older.uid, "newer": uid})

        result = await self._changes.run(caller, command, work, checked=True)
        found = await self.get(caller, [result["older"], result["newer"]])
        return Supersession(
            older=found_or_gone(found, result["older"], "memory"),
            newer=found_or_gone(found, result["newer"], "memory"),
        )

    async def _newer(
        self,
        tx: Tx,
        caller: Caller,
        draft: MemoryDraft,
        older: Memory,
        vectors: Vectors,
        now: datetime,
        turn_id: str | None,
    ) -> Change:
        """Store the draft that takes the place of a memory; the result has its id, as in `remember_in`."""
        if draft.kind is not older.kind:
            raise InvalidInput(f"it is {with_article(older.kind.value)}", field="memory.kind")
        known = await store.find_known(tx, caller, older.scope_id, [draft])
        if draft.client_key in known.memories:
            raise Duplicate(_TAKEN, field="memory.clientKey")
        (done,) = await self._store(tx, caller, [draft], known, older.scope_id, vectors, now, turn_id)
        if isinstance(done, PrefrontalError):
            with error_path("memory"):
                raise done
        return done

    async def forget(self, caller: Caller, command: Forget) -> ForgottenMemories:
        """Take a memory back, with its repetitions and with what was made from it; return them.

        None of them is recalled any more, and their texts are not stored again in their spaces. Observations
        with the same text are archived. A memory that was taken back already is returned as it is.

        Raises:
            NotFound: If the memory is unknown or not readable.
            Forbidden: If the caller may not write to its space, or it is for maintainers alone.
            VersionConflict: If the memory has another version than expected.
        """

        async def work(tx: Tx, now: datetime) -> Change:
            before, _ = await self._locked(tx, caller, command.id, now)
            require_version(before.version, command.expected_version)
            if before.status is rules.forgotten(before, now).status:
                return Change(result={"uid": before.uid, "others": []})
            await store.lock_text_key(tx, caller, before)
            uids, noted = await store.find_derived(tx, caller, before)
            others = await store.lock(tx, caller, uids, now)
            every = [before, *(each for _, each in sorted(others.items()) if rules.may_be_forgotten(each))]
            for memory in every:
                self._require_maintainer(caller, memory.scope_id, (memory.kind,), "id")
            changes = [(memory, rules.forgotten(memory, now)) for memory in every]
            written = await store.end(tx, caller, changes, tombstones=True, now=now, turn_id=command.turn_id)
            if written != len(changes):
                raise Forbidden("you may not write to this space any more", field="id")
            journals = [
                _ended(after, TraceKind.FORGOTTEN, "forgotten", command.turn_id) for _, after in changes
            ]
            archived = await self._forget_observations(tx, caller, noted, now, command.turn_id)
            await self._forget_in_sessions(
                tx,
                caller,
                [*(memory.uid for memory in every), *noted],
                [(memory.scope_id, memory.content) for memory in every],
                now,
            )
            in_turns = await self._forget_in_turns(
                tx,
                caller,
                [*(memory.uid for memory in every), *noted],
                [memory.content for memory in every],
                now,
            )
            result = {"uid": before.uid, "others": [after.uid for _, after in changes[1:]]}
            return merged([*journals, archived, in_turns], result | archived.result)

        result = await self._changes.run(caller, command, work)
        others = result.get("others", ())
        found = await self.get(caller, [command.id, *others])
        return ForgottenMemories(
            memory=found_or_gone(found, command.id, "memory"),
            others=tuple(found[uid] for uid in others if uid in found),
            observations=tuple(result.get("observations", ())),
        )

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Memory]:
        """Return the memories among `uids` that the caller may read, by id."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Memory]:
            return await store.find(tx, caller, uids, self._clock.now())

        return await self._database.read(work)

    async def mandates_in(self, tx: Tx, caller: Caller, scope_id: str) -> Sequence[Mandate]:
        """Return the active mandates that bind what the caller puts into a space, oldest first.

        They are those of that space, of the caller's own spaces and of the common one, as far as the caller
        may read them. What others who share a space with the caller have in theirs binds nobody else.
        """
        binding = {scope_id, *caller.own, caller.common}
        return await store.list_mandates(tx, caller, [uid for uid in caller.readable if uid in binding])

    async def remembered_in(
        self, tx: Tx, caller: Caller, scope_id: str, texts: Iterable[str], now: datetime
    ) -> frozenset[str]:
        """Return those of some texts that a space remembers already, folded; letter case does not count."""
        return await store.find_texts(tx, caller, scope_id, texts, now)

    async def room_in(
        self,
        tx: Tx,
        caller: Caller,
        scope_id: str,
        drafts: Sequence[MemoryDraft],
        now: datetime,
        *,
        most: int,
        spared: str,
    ) -> Room:
        """Hold the room of a space for episodes that are kept for a time until the commit, and return it.

        `drafts` are the new ones, `most` is how many the space may have. What is kept as `spared` never
        leaves and takes no room.
        """
        total, least = await store.reserve_capacity(
            tx, caller, scope_id, now, new=len(drafts), most=most, spared=spared
        )
        if total + len(drafts) <= most:
            return Room(left=most - total)
        found = await store.find_known(tx, caller, scope_id, drafts)
        known = frozenset(
            draft.client_key
            for draft in drafts
            if draft.client_key is not None
            and (draft.client_key in found.memories or text_key(scope_id, draft.content) in found.forgotten)
        )
        return Room(left=most - total, stored=tuple(least), known=known)

    async def archive_in(
        self, tx: Tx, caller: Caller, memories: Sequence[Memory], now: datetime, turn_id: str | None
    ) -> Change:
        """Take locked episodes out of recall, for more important ones."""
        if not memories:
            return Change(result={})
        changes = [(memory, rules.archived(memory, now)) for memory in memories]
        await store.end(tx, caller, changes, tombstones=False, now=now, turn_id=turn_id)
        return _archived([after for _, after in changes], turn_id)

    async def live_in(self, tx: Tx, caller: Caller, uids: Sequence[str]) -> Sequence[str]:
        """Return the ids of memories that are active, also of those that the caller may not read."""
        return await store.find_live(tx, caller, uids) if uids else ()

    async def list(
        self, caller: Caller, wanted: MemoryFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[Memory]:
        """Return a page of the memories that match a filter, newest first.

        Raises:
            InvalidInput: If the filter or the page size is invalid, or the cursor is not one of this list.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        (before,) = start_of(after, _LAST)
        self._check(wanted)

        async def work(tx: Tx) -> Sequence[Memory]:
            return await store.list_page(
                tx, caller, wanted, before=before, limit=limit + 1, now=self._clock.now()
            )

        return page_of(await self._database.read(work), limit, lambda memory: (memory.uid[-26:],))

    async def count(self, caller: Caller, wanted: MemoryFilter) -> int:
        """Return the number of matching memories on all pages."""
        require(caller, Permission.READ)
        self._check(wanted)

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, wanted, self._clock.now())

        return await self._database.read(work)

    def _check(self, wanted: MemoryFilter) -> None:
        problems = limit_problems(wanted, self._catalog.limits, "filter")
        if not wanted.statuses:
            problems.append(InvalidInput("name at least one status", field="filter.statuses"))
        if wanted.kinds is not None and not wanted.kinds:
            problems.append(InvalidInput("name at least one kind", field="filter.kinds"))
        raise_all(problems)

    def _problems(self, command: Remember) -> Problems:
        if not command.memories:
            return [InvalidInput("at least one memory", field="memories")]
        problems = limit_problems(command, self._catalog.limits)
        for number, draft in enumerate(command.memories):
            problems += rules.draft_problems(draft, f"memories[{number}]")
        return problems

    def problems(self, draft: MemoryDraft) -> Problems:
        """Return what is wrong with a draft, as far as the input alone shows it."""
        return [*limit_problems(draft, self._catalog.limits), *rules.draft_problems(draft, "")]

    async def _locked(
        self, tx: Tx, caller: Caller, uid: str, now: datetime, beside: str | None = None
    ) -> tuple[Memory, Memory | None]:
        """Lock and return a memory that the caller may end, and another one that it may read."""
        found = await store.lock(tx, caller, [uid] if beside is None else [uid, beside], now)
        memory = found.get(uid)
        if memory is None:
            raise NotFound(_UNKNOWN, field="id")
        if memory.scope_id not in caller.writable:
            raise Forbidden("you may read this space but not write to it", field="id")
        self._require_maintainer(caller, memory.scope_id, (memory.kind,), "id")
        if beside is not None and beside not in found:
            raise NotFound(_UNKNOWN, field="by")
        return memory, found.get(beside or "")

    def _require_maintainer(
        self, caller: Caller, scope_id: str, kinds: Sequence[MemoryKind], field: str
    ) -> None:
        """Check that the caller may say what everybody of its organisation must do or can do.

        Raises:
            Forbidden: If the space is the common one, a kind is for maintainers, and the caller is none.
        """
        if scope_id != caller.common or is_maintainer(caller):
            return
        if rules.maintained(kinds, self._catalog.memory):
            raise Forbidden(
                "mandates and capabilities of the common space need a role that allows 'maintain'; use a "
                "space of your own",
                field=field,
            )


def _ids(drafts: Sequence[MemoryDraft], now: datetime) -> dict[MemoryKind, Iterator[str]]:
    # The ids of each kind ascend, so that ordering by id keeps the order of the call.
    kinds = {draft.kind for draft in drafts}
    return {kind: iter(new_ids(store.ID_KIND[kind], now, len(drafts))) for kind in kinds}


def _of_many(
    memories: Sequence[Memory], scope_id: str, turn_id: str | None, *, kind: TraceKind, message: str, how: str
) -> Change:
    """Return the journal of what happened to memories of a space: an entry for all, an event for each."""
    uids = tuple(memory.uid for memory in memories)
    return Change(
        result={},
        traces=(
            Trace(
                kind=kind,
                message=message,
                ids=uids,
                details={"count": len(uids)},
                turn=turn_id,
                scope_id=scope_id,
            ),
        ),
        events=tuple(
            Event(
                type=_event(memory, how),
                aggregate=memory.uid,
                aggregate_version=memory.version,
                scope_id=scope_id,
                data={"memory_id": memory.uid, "kind": memory.kind.value},
                turn=turn_id,
            )
            for memory in memories
        ),
    )


def _journal(memories: Sequence[Memory], scope_id: str, turn_id: str | None) -> Change:
    message = f"Remembered {len(memories)}"
    return _of_many(memories, scope_id, turn_id, kind=TraceKind.REMEMBERED, message=message, how="remembered")


def _ended(memory: Memory, kind: TraceKind, how: str, turn_id: str | None, ids: Sequence[str] = ()) -> Change:
    verb = "Forgot" if kind is TraceKind.FORGOTTEN else "Superseded"
    said = (kind, _event(memory, how), f"{verb} {with_article(memory.kind.value)}")
    data = {"memory_id": memory.uid, "kind": memory.kind.value}
    return one_change(memory, said, turn_id, ids=ids, data=data)


def _archived(memories: Sequence[Memory], turn_id: str | None) -> Change:
    return _of_many(
        memories,
        memories[0].scope_id,
        turn_id,
        kind=TraceKind.MEMORIES_ARCHIVED,
        message=f"Archived {len(memories)} for more important ones",
        how="archived",
    )


def _event(memory: Memory, how: str) -> EventType:
    return EventType(f"{memory.kind.value}.{how}")
