"""Use case of searching memories, goals, questions and stories by words, meaning and links."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import structlog

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.embedding.deadlines import DeadlineCalls
from prefrontal.graph.errors import TimedOut
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.search import rules, store
from prefrontal.graph.search.common_questions import CommonQuestions
from prefrontal.graph.search.newest_first import asks_for_past, newest_first, to_compare
from prefrontal.graph.search.record import (
    Parts,
    Passage,
    Replacement,
    Search,
    SearchFilter,
    SearchKind,
    SearchResult,
)
from prefrontal.graph.search.replacement import REPLACED, Note, is_other_value, older_than, replaced_by
from prefrontal.graph.search.reranking import clauses_of, reranked, text_of, to_read
from prefrontal.graph.storage.paging import Page, checked_first, encode_cursor, start_of, time_of, time_part
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import stems_of
from prefrontal.graph.validation import raise_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.clock import Clock
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import EncoderTable
    from prefrontal.graph.embedding.embeddings import Embeddings
    from prefrontal.graph.embedding.judge import Judge
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Database, Tx
    from prefrontal.graph.text.reranker import Reranker

log = structlog.get_logger(__name__)

_COMPARED = 8
"""How many older notes a note is compared with where nothing is read again."""


@dataclass(frozen=True, slots=True)
class FoundPage(Page[SearchResult]):
    """A page of what was found, best first."""

    weaker: int = 0
    """How many memories have something to do with the question and were held back as too weak an answer."""
    partial: bool = False
    """Whether it was searched for by words alone although the encoder may know the question: it was not
    encoded in time, or what is stored has the vectors of another encoder."""


class Ranking(NamedTuple):
    """What a search found, best first."""

    ranked: Sequence[rules.RankedHit]
    rows: Mapping[str, Row]
    """What is ranked, by id."""
    question: rules.ParsedQuery
    """What is asked."""
    encoder: EncoderTable | None
    """The constants of its cosines."""
    by_meaning: bool
    """Whether it was searched for by meaning, too."""
    partial: bool
    """Whether it should have been, and was not; see `FoundPage`."""
    plans: Mapping[str, float]
    """How close goals, questions and stories are that were looked for beside it, by id."""

    def results(self, ranked: Iterable[rules.RankedHit]) -> list[SearchResult]:
        """Return some of the ranked as they are shown. Only what is shown is made: a pool is large."""
        return [_result_of(self.rows[each.hit.uid], each) for each in ranked]


class SearchService:
    """Finds what answers a question among what the caller may read."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        catalog: Catalog,
        embeddings: Embeddings,
        reranker: Reranker | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._catalog = catalog
        self._embeddings = embeddings
        self._common = CommonQuestions(embeddings, catalog.search)
        name = embeddings.encoder
        by = None if name is None else catalog.search.encoder(name).reranker
        self._reranking = by if by is not None and by.best > 0 else None
        # What reads nothing is not loaded.
        self._reranker = None if self._reranking is None else reranker
        self._reading = DeadlineCalls(lambda: None if reranker is None else reranker.name)
        self._common_words = stems_of(" ".join(catalog.search.common_words))
        self._same_words = tuple(stems_of(" ".join(group)) for group in catalog.search.same_words)

    async def prepare(self) -> None:
        """Get ready to search by meaning, so that no first request has to wait for it. Raises nothing."""
        await self._common.mean()
        if self._reranker is not None:
            await self._reading.whenever(self._reranker.load)
        elif self._reranking is not None:
            log.warning("reranker_missing", encoder=self._embeddings.encoder)

    async def search(
        self,
        caller: Caller,
        text: str,
        wanted: SearchFilter | None = None,
        *,
        first: int | None = None,
        after: str | None = None,
    ) -> FoundPage:
        """Return a page of what answers a question, most relevant first: memories, unless the kinds say more.

        What is not relevant enough is left out, so the page may be empty. A later page searches again, at the
        time of the first one.

        Raises:
            InvalidInput: If the text is empty, the filter or the page size is invalid, or the cursor is not
                one of this list.
        """
        require(caller, Permission.READ)
        wanted = wanted or SearchFilter()
        limit = checked_first(first)
        limits = self._catalog.limits
        raise_all([*limit_problems(Search(text=text), limits), *limit_problems(wanted, limits, "filter")])
        started, *start = start_of(after, time_part(self._clock.now()), -1e9, "", 0.0, 0.0, 0.0, "")
        ranking = await self.ranked(caller, text, time_of(started), wanted)
        table = self._catalog.search
        again = await self.read_again(text, ranking)
        alike, changing = await self._alike(caller, text, ranking, again)
        past = asks_for_past(text, table)
        kept, weaker = rules.shown(again, wanted.min_relevance, ranking.encoder, table, alike, past=past)
        placed = newest_first(kept, changing)
        rest = [each for each in placed if each.place > tuple(start)]
        page = rest[:limit]
        return FoundPage(
            items=tuple(
                _result_of(ranking.rows[each.found.hit.uid], each.found, each.newer) for each in page
            ),
            cursors=tuple(encode_cursor(started, *each.place) for each in page),
            has_next=len(rest) > limit,
            weaker=weaker,
            partial=ranking.partial,
        )

    async def ranked(
        self,
        caller: Caller,
        text: str,
        now: datetime,
        wanted: SearchFilter | None = None,
        *,
        beside: tuple[SearchKind, ...] = (),
    ) -> Ranking:
        """Return the whole pool for a question, best first, also what a search would not show.

        Goals, questions and stories of the kinds `beside` are ranked by themselves, so that the memories are
        ranked as if there were none.
        """
        wanted, table = wanted or SearchFilter(), self._catalog.search
        known = await self._known_names(caller, text)
        names = {uid: frozenset(name for name, its in known.items() if its == uid) for uid in known.values()}
        question = rules.parse_search_query(
            text, self._common_words, now, self._same_words, names, table.conjunctions
        )
        vectors, encoder, late = await self._query_vectors(
            text, rules.without_names(text, list(known), question, table)
        )
        asking = store.IndexQuery(
            text=text,
            terms=question.terms,
            also=question.also,
            named=known,
            vectors=vectors,
            encoder=self._embeddings.encoder,
            identified=bool(question.identifiers),
        )

        async def work(tx: Tx) -> tuple[store.Candidates, list[Row]]:
            found = await store.find(tx, caller, asking, wanted, now, self._catalog)
            if not beside:
                return found, []
            others = await store.find(tx, caller, asking, SearchFilter(kinds=beside), now, self._catalog)
            return found, others.rows

        (rows, of_another_encoder), plans = await self._database.read(work)
        # The arithmetic of a large pool takes milliseconds, in which other requests go on.
        found = store.hits(rows, self._catalog)
        ranked = await asyncio.to_thread(rules.rank, question, found, encoder, table)
        others = store.hits(plans, self._catalog)
        planned = await asyncio.to_thread(rules.rank, question, others, encoder, table) if plans else ()
        return Ranking(
            ranked=ranked,
            rows={row["uid"]: row for row in rows},
            question=question,
            encoder=encoder,
            by_meaning=vectors is not None and not of_another_encoder,
            partial=of_another_encoder or late,
            plans={each.hit.uid: each.closeness for each in planned},
        )

    async def read_again(self, text: str, ranking: Ranking) -> Sequence[rules.RankedHit]:
        """Return what was found, ranked again if the best notes could be read in time."""
        by, table = self._reranking, self._catalog.search
        if self._reranker is None or by is None or not ranking.by_meaning:
            return ranking.ranked
        texts = {each.hit.uid: text_of(each) for each in to_read(ranking.ranked, by)}
        if not texts:
            return ranking.ranked
        clauses = clauses_of(ranking.question, texts, table)
        ask = partial(_logits, self._reranker, text, texts, clauses)
        seconds = table.bounds.deadline_ms / 1000
        logits = await self._reading.within(seconds, "logits", ask, list(texts))
        if logits is None:
            return ranking.ranked
        return reranked(ranking.ranked, logits, by, ranking.encoder, table, clauses)

    async def _alike(
        self, caller: Caller, text: str, ranking: Ranking, ranked: Sequence[rules.RankedHit]
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Return the ids of the best note and of those about the same, and which stand newest first.

        There are none if the best note is the only one.
        """
        by = None if ranking.encoder is None or not ranking.by_meaning else ranking.encoder.alike
        uids = to_compare(ranked, ranking.question, text, by, self._catalog.search)
        if by is None or not uids:
            return frozenset(), frozenset()

        near = await self._compared(caller, uids[1:], first=uids[0])
        hits = {each.hit.uid: each for each in ranked}
        alike = [
            hits[uid] for uid, each in near.items() if each.cosine is not None and each.cosine >= by.cosine
        ]
        changing = await self._changing(hits[uids[0]], alike, by.changes)
        return _with(uids[0], [each.hit.uid for each in alike]), _with(uids[0], changing)

    async def _changing(
        self, best: rules.RankedHit, alike: Sequence[rules.RankedHit], above: float | None
    ) -> list[str]:
        """Return the ids of the notes of which the newer of both may change the other, the best one.

        Of those that are not read in time none does.
        """
        table = self._catalog.search
        if above is None or self._reranker is None:
            return [each.hit.uid for each in alike]
        found = [
            each
            for each in alike
            if is_other_value(best.hit.content, each.hit.content, self._common_words, table)
        ]
        unread = [each for each in alike if each not in found]
        if unread:
            ask = partial(_changes, self._reranker, best, unread)
            uids = [each.hit.uid for each in unread]
            logits = await self._reading.within(table.bounds.deadline_ms / 1000, "changes", ask, uids)
            found += [each for each, logit in zip(unread, logits or (), strict=False) if logit > above]
        return [each.hit.uid for each in found]

    async def seems_to_replace(self, caller: Caller, notes: Sequence[Note]) -> list[Replacement] | None:
        """Return which older memories some notes seem to replace; None if that was not found out in time.

        The older ones are of the kind and space of the note. Only so many notes as the registry says are
        looked at, the first ones.
        """
        require(caller, Permission.READ)
        found: list[Replacement] = []
        most = self._catalog.search.replacement.notes
        for note in [each for each in notes if each.kind in REPLACED][:most]:
            try:
                replaced = await self._replaced_by(caller, note)
            except TimedOut:
                return None
            if replaced is None:
                return None
            found += replaced
        return found

    async def _replaced_by(self, caller: Caller, note: Note) -> list[Replacement] | None:
        table, by = self._catalog.search, self._reranking
        wanted = SearchFilter(kinds=(note.kind,), space=note.scope_id)
        ranking = await self.ranked(caller, note.content, self._clock.now(), wanted)
        older = older_than(note, ranking.ranked, _COMPARED if by is None else by.best)
        texts = {each.hit.uid: text_of(each) for each in older}
        changes = None if by is None else by.changes
        logits: Sequence[float] | None = ()
        if texts and self._reranker is not None and changes is not None and ranking.by_meaning:
            ask = partial(self._reranker.changes, note.content, list(texts.values()))
            logits = await self._reading.within(table.bounds.deadline_ms / 1000, "changes", ask, list(texts))
        if logits is None:
            return None
        read = dict(zip(texts, logits, strict=False))
        return replaced_by(note, older, read, changes, self._common_words, table)

    async def binding(self, caller: Caller, uids: Sequence[str], judge: Judge | None) -> frozenset[str]:
        """Return the ids of the memories that bind whoever knows them, by their labels and their vectors."""
        labels = self._catalog.evaluation.binding
        near = await self._compared(caller, uids, vector=None if judge is None else judge.direction)
        return frozenset(
            uid
            for uid, each in near.items()
            if not labels.isdisjoint(map(fold, each.labels))
            or (judge is not None and each.cosine is not None and judge.holds_at(each.cosine))
        )

    async def _compared(
        self,
        caller: Caller,
        uids: Sequence[str],
        *,
        first: str | None = None,
        vector: Sequence[float] | None = None,
    ) -> dict[str, store.Compared]:
        async def work(tx: Tx) -> dict[str, store.Compared]:
            encoder = self._embeddings.encoder
            return await store.compare(tx, caller, uids, encoder, first=first, vector=vector)

        return await self._database.read(work)

    async def _known_names(self, caller: Caller, text: str) -> dict[str, str]:
        """Return the names in a text that the caller's spaces know, with the ids of their entities."""
        table = self._catalog.search
        keys = store.names_in(text, table.bounds.name_words, table.bounds.names)

        async def work(tx: Tx) -> dict[str, str]:
            return await store.find_names(tx, caller, keys)

        return await self._database.read(work) if keys else {}

    async def _query_vectors(
        self, text: str, nameless: str
    ) -> tuple[store.QueryVectors | None, EncoderTable | None, bool]:
        """Return the vectors that a question is looked for with, and the constants of their cosines.

        There are none if the encoder knows nothing of the question, or if they are not ready in time; whether
        that is so comes last.
        """
        name, table = self._embeddings.encoder, self._catalog.search
        if name is None:
            return None, None, False
        encoder = table.encoder(name)
        ends = time.monotonic() + table.bounds.deadline_ms / 1000
        centred = any(aim.common for aim in (encoder.notes, encoder.of_speech))
        usual = await self._common.mean(ends - time.monotonic()) if centred else None
        texts = [text] if nameless == text else [text, nameless]
        made = await self._embeddings.of_questions(texts, ends - time.monotonic())
        if made is None or (centred and usual is None):
            return None, encoder, True
        whole, bare = made[0], made[-1]
        if whole is None:
            return None, encoder, False
        # Who says something is no part of what is said; what a note says of somebody names the one.
        spoken = whole if bare is None or bare is whole else rules.blended(whole, bare, table)
        usual = usual or [0.0] * len(whole)
        notes, of_notes = rules.query_vector(whole, usual, encoder.notes)
        if encoder.speech is None and spoken is whole:
            return store.QueryVectors(notes, notes), encoder.model_copy(update={"notes": of_notes}), False
        speech, of_speech = rules.query_vector(spoken, usual, encoder.of_speech)
        constants = encoder.model_copy(update={"notes": of_notes, "speech": of_speech})
        return store.QueryVectors(notes, speech), constants, False


async def _logits(
    reranker: Reranker, question: str, texts: Mapping[str, str], clauses: Mapping[str, str]
) -> dict[str, float]:
    """Return the greatest logit of each text, by its id: with a question, or with a clause of it."""
    found = dict(zip(texts, await reranker.logits(question, list(texts.values())), strict=True))
    for clause in dict.fromkeys(clauses.values()):
        uids = [uid for uid, its in clauses.items() if its == clause]
        logits = await reranker.logits(clause, [texts[uid] for uid in uids])
        for uid, logit in zip(uids, logits, strict=True):
            found[uid] = max(found[uid], logit)
    return found


def _with(best: str, uids: Sequence[str]) -> frozenset[str]:
    """Return some ids with that of the best one; none if there are none."""
    return frozenset({best, *uids}) if uids else frozenset()


async def _changes(
    reranker: Reranker, best: rules.RankedHit, others: Sequence[rules.RankedHit]
) -> list[float]:
    """Return for each of some notes the logit that the newer of it and the best one changes the other."""
    earlier = [text_of(each) for each in others if each.hit.at <= best.hit.at]
    changed = iter(await reranker.changes(text_of(best), earlier))
    return [
        next(changed)
        if each.hit.at <= best.hit.at
        else (await reranker.changes(text_of(each), [text_of(best)]))[0]
        for each in others
    ]


def _result_of(row: Row, ranked: rules.RankedHit, newer: str | None = None) -> SearchResult:
    return SearchResult(
        uid=row["uid"],
        scope_id=row["scope_id"],
        by_uid=row["by_uid"],
        kind=SearchKind(row["kind"]),
        content=row["content"],
        speaker=row["speaker"],
        conversation=row["conversation"],
        at=datetime.fromisoformat(row["at"]),
        confidence=row["confidence"],
        relevance=ranked.relevance,
        closeness=ranked.closeness,
        parts=Parts(**ranked.parts._asdict()),
        about=tuple(sorted(row["about"])),
        same=ranked.same,
        newer=newer,
        passage=None
        if ranked.best is None
        else Passage.model_validate(row["passages"][ranked.best]["passage"]),
    )
