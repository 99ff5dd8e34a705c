"""Use cases of lessons: learn what outcomes teach, read, retire and restore.

Lessons are learned in two steps. `prepare` runs before the transaction of the outcome: it extracts, encodes
and compares by meaning. `learn_in` runs inside: it decides, under locks, what is new, and stores it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import structlog

from prefrontal.graph.caller import Permission, require, require_reader
from prefrontal.graph.embedding.embeddings import NO_VECTORS, Vectors
from prefrontal.graph.embedding.rules import passage_of
from prefrontal.graph.errors import Forbidden, NotFound, code_of
from prefrontal.graph.ids import Kind, new_ids
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.journal.record import Change
from prefrontal.graph.lessons import events, rules, store
from prefrontal.graph.lessons.extraction import admitted
from prefrontal.graph.lessons.merging import is_near, merge
from prefrontal.graph.lessons.record import Lesson, LessonDraft, LessonFilter, LessonSource
from prefrontal.graph.storage.paging import Page, checked_first, page_of, start_of
from prefrontal.graph.storage.related import RelatedReader
from prefrontal.graph.text.folding import text_key
from prefrontal.graph.validation import found_or_gone, raise_all, require_version

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.journal.record import JournalLabels
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.lessons.extraction import LessonExtractor
    from prefrontal.graph.lessons.merging import MergeResult
    from prefrontal.graph.lessons.record import RestoreLesson, RetireLesson, TurnEvidence
    from prefrontal.graph.storage.unit_of_work import Database, Tx

log = structlog.get_logger(__name__)

_LAST = "~"
"""Sorts after every id."""
_FOR = frozenset({"TAUGHT", "SUPPORTS"})
_AGAINST = "CONTRADICTS"


@dataclass(frozen=True, slots=True)
class PreparedLessons:
    """The lessons of an outcome, extracted and encoded, before the transaction that stores them."""

    drafts: tuple[LessonDraft, ...] = ()
    vectors: Vectors = NO_VECTORS
    near: Mapping[int, str] = field(default_factory=dict)
    """By the place of a draft the id of the lesson that says the same by meaning."""
    failed: bool = False
    code: str | None = None
    """Why it failed: the code of an error, or the name of its class."""

    @property
    def conflicting(self) -> bool:
        """Whether the lessons contradict each other, or a turn that failed is praised."""
        return any(draft.conflicting for draft in self.drafts)


class LessonService:
    """Learns lessons from outcomes; reads, retires and restores them."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        changes: ChangeWriter,
        embeddings: Embeddings,
        extractor: LessonExtractor,
    ) -> None:
        """Store the database, the registry, the change writer, what makes vectors, and the extractor.

        `of_outcomes` is the list of the lessons that an outcome taught or confirmed.
        """
        self.of_outcomes = RelatedReader(database, clock, store.of_outcomes, require_reader)
        self._database = database
        self._catalog = catalog
        self._changes = changes
        self._embeddings = embeddings
        self._extractor = extractor

    async def prepare(self, caller: Caller, finding: TurnEvidence, scope_id: str) -> PreparedLessons:
        """Return the lessons of an outcome that is about to be stored in a space.

        Raises nothing: an outcome is stored also if its lessons cannot be extracted. That is logged, and
        `failed` says so.
        """
        try:
            found = await self._extractor.extract(finding)
            drafts = admitted(found, self._catalog.lessons, self._catalog.limits, success=finding.success)
            vectors = await self._embeddings.before_writing(passage_of(each.statement) for each in drafts)
            near = await self._near(caller, scope_id, drafts, vectors)
        except Exception as error:  # noqa: BLE001 - whatever an extractor raises, the outcome is stored
            code = code_of(error)
            # The message could contain content.
            log.error(  # noqa: TRY400 - as could a traceback
                "lesson_extraction_failed",
                code=code,
                turn=finding.turn_uid,
                org=caller.org_key,
                actor=caller.actor_id,
            )
            return PreparedLessons(failed=True, code=code)
        return PreparedLessons(drafts=drafts, vectors=vectors, near=near)

    async def _near(
        self, caller: Caller, scope_id: str, drafts: Sequence[LessonDraft], vectors: Vectors
    ) -> dict[int, str]:
        table = self._catalog.lessons
        wanted = {
            place: vector
            for place, draft in enumerate(drafts)
            if draft.source is LessonSource.FEEDBACK
            and (vector := vectors.of(passage_of(draft.statement))) is not None
        }
        encoder = vectors.encoder
        if encoder is None or not wanted:
            return {}
        least = table.near.get(encoder, table.near["default"])

        async def work(tx: Tx) -> list[store.Near]:
            return await store.find_near(
                tx, caller, scope_id, wanted, encoder=encoder, least=least, compared=table.compared
            )

        near: dict[int, str] = {}
        for each in await self._database.read(work):
            if is_near(drafts[each.draft_index], each.lesson, each.cosine, least, table):
                near.setdefault(each.draft_index, each.lesson.uid)
        return near

    async def learn_in(
        self,
        tx: Tx,
        caller: Caller,
        prepared: PreparedLessons,
        outcome_uid: str,
        scope_id: str,
        turn_id: str | None,
        now: datetime,
    ) -> Change:
        """Store what an outcome teaches, inside the transaction that has stored the outcome.

        An outcome counts once for a lesson and once against it, however often it is learned from.

        Returns:
            The change. Its result has the ids of the lessons that the outcome teaches (`lessons`), the
            numbers of those `learned`, `supported` and `contradicted`, and whether the extraction `failed`.

        Raises:
            Forbidden: If the caller may not write to the space any more.
            NotFound: If the outcome is not there.
        """
        if prepared.failed:
            return events.failed(outcome_uid, scope_id, prepared.code or "unknown", turn_id)
        if not prepared.drafts:
            return events.extracted(outcome_uid, scope_id, turn_id)
        if scope_id not in caller.writable:
            raise Forbidden("you may not write to this space", field="space")
        locked = await store.lock_for_outcome(
            tx,
            caller,
            scope_id,
            prepared.drafts,
            near=prepared.near.values(),
            outcome_uid=outcome_uid,
            now=now,
        )
        kept = [
            (place, draft)
            for place, draft in enumerate(prepared.drafts)
            if text_key(scope_id, draft.statement) not in locked.forgotten
        ]
        drafts = [draft for _, draft in kept]
        near = {
            place: prepared.near[former] for place, (former, _) in enumerate(kept) if former in prepared.near
        }
        merged = merge(
            drafts, [rules.existing_lesson(lesson) for lesson in locked.lessons], near, key=rules.key_of
        )
        return await self._store(
            tx, caller, drafts, merged, locked, prepared.vectors, outcome_uid, scope_id, turn_id, now
        )

    async def _store(
        self,
        tx: Tx,
        caller: Caller,
        drafts: Sequence[LessonDraft],
        merged: MergeResult,
        locked: store.LockedLessons,
        vectors: Vectors,
        outcome_uid: str,
        scope_id: str,
        turn_id: str | None,
        now: datetime,
    ) -> Change:
        priors = self._catalog.lessons.priors
        uids = new_ids(Kind.LESSON, now, len(merged.new))
        new = {
            place: rules.learned(
                drafts[place],
                uid=uid,
                scope_id=scope_id,
                by_uid=caller.actor_id,
                contradicted=place in merged.against_new,
                now=now,
                priors=priors,
            )
            for place, uid in zip(merged.new, uids, strict=True)
        }
        taught = [
            store.Taught(lesson.uid, first=True, evidence=drafts[place].evidence)
            for place, lesson in new.items()
        ]
        supported, contradicted = [], []
        changed: list[tuple[Lesson, Lesson]] = []
        for lesson in locked.lessons:
            links = locked.link_types[lesson.uid]
            places = merged.confirmed.get(lesson.uid, ())
            same = [drafts[place] for place in places]
            counts_for = bool(places) and not links & _FOR
            counts_against = lesson.uid in merged.contradicted and _AGAINST not in links
            if not counts_for and not counts_against:
                continue
            after = rules.counted(
                lesson,
                same if counts_for else (),
                supported=counts_for,
                contradicted=counts_against,
                most_tags=self._catalog.limits.tags,
                now=now,
                priors=priors,
            )
            changed.append((lesson, after))
            if counts_for:
                evidence = tuple(dict.fromkeys(uid for draft in same for uid in draft.evidence))
                taught.append(store.Taught(lesson.uid, first=False, evidence=evidence))
                supported.append(after)
            else:
                contradicted.append(after)
        against = [
            *(new[place].uid for place in merged.against_new),
            *(before.uid for before, after in changed if after.contradiction > before.contradiction),
        ]
        uid_of = {place: uid for uid, places in merged.confirmed.items() for place in places}
        uid_of |= {place: lesson.uid for place, lesson in new.items()}
        if new or changed:
            done = await store.learn(
                tx,
                caller,
                outcome_uid,
                new=list(new.values()),
                changed=changed,
                taught=taught,
                against=against,
                conflicts=_conflicts(merged, uid_of),
                vectors=vectors,
                catalog=self._catalog,
                now=now,
                turn_id=turn_id,
            )
            if not done:
                raise NotFound("no such outcome in a space that you may write to", field="outcome")
        return events.extracted(
            outcome_uid,
            scope_id,
            turn_id,
            learned=list(new.values()),
            supported=supported,
            contradicted=contradicted,
            taught=sorted(set(uid_of.values())),
        )

    async def get(self, caller: Caller, uids: Sequence[str]) -> dict[str, Lesson]:
        """Return the lessons among `uids` that the caller may read, by id; retired ones too."""
        require(caller, Permission.READ)

        async def work(tx: Tx) -> dict[str, Lesson]:
            return await store.find(tx, caller, uids)

        return await self._database.read(work)

    async def list(
        self, caller: Caller, wanted: LessonFilter, *, first: int | None = None, after: str | None = None
    ) -> Page[Lesson]:
        """Return a page of the lessons that match a filter, newest first.

        Raises:
            InvalidInput: If the filter or the page size is invalid, or the cursor is not one of this list.
        """
        require(caller, Permission.READ)
        limit = checked_first(first)
        (before,) = start_of(after, _LAST)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))

        async def work(tx: Tx) -> Sequence[Lesson]:
            return await store.list_page(tx, caller, wanted, before=before, limit=limit + 1)

        return page_of(await self._database.read(work), limit, lambda lesson: (lesson.uid,))

    async def count(self, caller: Caller, wanted: LessonFilter) -> int:
        """Return the number of matching lessons on all pages."""
        require(caller, Permission.READ)
        raise_all(limit_problems(wanted, self._catalog.limits, "filter"))

        async def work(tx: Tx) -> int:
            return await store.count(tx, caller, wanted)

        return await self._database.read(work)

    async def retire(self, caller: Caller, command: RetireLesson) -> Lesson:
        """Stop showing a lesson in searches, contexts and lists; it stays readable by its id.

        Raises:
            NotFound: If the lesson is unknown or not readable.
            Forbidden: If the caller may not write to its space.
            VersionConflict: If the lesson has another version than expected.
            IllegalTransition: If it was forgotten.
        """

        def retired(lesson: Lesson, now: datetime) -> Lesson:
            return rules.retired(lesson, command.reason, now)

        return await self._changed(caller, command, retired, events.RETIRED)

    async def restore(self, caller: Caller, command: RestoreLesson) -> Lesson:
        """Show a retired lesson again.

        Raises:
            NotFound: If the lesson is unknown or not readable.
            Forbidden: If the caller may not write to its space.
            VersionConflict: If the lesson has another version than expected.
            IllegalTransition: If it was forgotten.
        """
        return await self._changed(caller, command, rules.restored, events.RESTORED)

    async def _changed(
        self,
        caller: Caller,
        command: RetireLesson | RestoreLesson,
        become: Callable[[Lesson, datetime], Lesson],
        labels: JournalLabels,
    ) -> Lesson:
        async def work(tx: Tx, now: datetime) -> Change:
            before = (await store.lock(tx, caller, [command.id], now)).get(command.id)
            if before is None:
                raise NotFound("no such lesson", field="id")
            if before.scope_id not in caller.writable:
                raise Forbidden("you may read this space but not write to it", field="id")
            require_version(before.version, command.expected_version)
            after = become(before, now)
            if after is before:
                return Change(result={"uid": before.uid})
            if not await store.update(tx, caller, [(before, after)], command.turn_id):
                raise Forbidden("you may not write to this space any more", field="id")
            journal = events.changed(labels, after, command.turn_id)
            return journal.model_copy(update={"result": {"uid": before.uid}})

        await self._changes.run(caller, command, work)
        return found_or_gone(await self.get(caller, [command.id]), command.id, "lesson")


def _conflicts(merged: MergeResult, uid_of: Mapping[int, str]) -> set[tuple[str, str]]:
    """Return the pairs of lessons that contradict each other, the newer one first."""
    pairs = {(uid_of[place], uid) for place, uid in merged.conflicts if place in uid_of}
    pairs |= {
        (uid_of[one], uid_of[other])
        for one, other in merged.conflicts_between
        if one in uid_of and other in uid_of
    }
    return {(max(pair), min(pair)) for pair in pairs if pair[0] != pair[1]}
