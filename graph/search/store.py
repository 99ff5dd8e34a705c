"""The queries that find what may answer a question: of memories, and of goals, questions and stories."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.embedding.rules import kind_of_passages
from prefrontal.graph.entities.rules import entity_id, fold_name
from prefrontal.graph.search.record import MEMORIES, PLANS, Passage, SearchFilter
from prefrontal.graph.search.rules import Hit, Part
from prefrontal.graph.storage.rows import Row
from prefrontal.graph.text.identifiers import identifier_terms
from prefrontal.graph.text.lucene import terms_query
from prefrontal.graph.text.terms import index_form
from prefrontal.graph.text.words import WORD, bare, bare_words_of

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.config.tables import SearchTable
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.text.encoder import Vector


class QueryVectors(NamedTuple):
    """The vectors that a question is looked for with."""

    notes: Vector
    speech: Vector
    """Among what people say to each other."""

    @property
    def alike(self) -> bool:
        """Whether notes and speech are looked for with the same vector."""
        return self.notes == self.speech


class IndexQuery(NamedTuple):
    """A question in the forms that the indexes take."""

    text: str
    terms: Mapping[str, float]
    """The terms with their weights."""
    also: Mapping[str, str]
    """Other stems that mean the same as a term, each with the term."""
    named: Mapping[str, str]
    """The names in it that the caller's spaces know, folded, with the ids of their entities."""
    vectors: QueryVectors | None
    encoder: str | None
    """The encoder of the vectors."""
    identified: bool
    """Whether it names an identifier or amount."""

    @property
    def entity_uids(self) -> list[str]:
        """The entities that it names."""
        return sorted(set(self.named.values()))

    def named_in(self, text: str) -> list[str]:
        """Return those of them that a text has by the name in the question: plans mention no entity."""
        said = f" {' '.join(bare_words_of(text))} "
        return sorted({uid for name, uid in self.named.items() if f" {name} " in said})


async def find_names(tx: Tx, caller: Caller, keys: Sequence[str]) -> dict[str, str]:
    """Return those of some folded names that the caller's spaces know, with the ids of their entities."""
    row = await tx.one(
        "search/find_names", readable=list(caller.readable), org_id=caller.org_id, keys=list(keys)
    )
    return {item["key"]: item["entity_uid"] for item in row["items"]}


class Compared(NamedTuple):
    """What a memory is beside its text."""

    cosine: float | None
    """That of its vector and the one that it was compared with; None without a vector of the encoder."""
    labels: Sequence[str]
    """Its tags and its type, if it has one."""


async def compare(
    tx: Tx,
    caller: Caller,
    uids: Sequence[str],
    encoder: str | None,
    *,
    first: str | None = None,
    vector: Sequence[float] | None = None,
) -> dict[str, Compared]:
    """Return what some memories are, by id, compared with a vector, or that of the memory `first`."""
    row = await tx.one(
        "search/compare_memories",
        readable=list(caller.readable),
        org_id=caller.org_id,
        first=first,
        vector=None if vector is None else list(vector),
        uids=list(uids),
        encoder=encoder,
    )
    return {item["uid"]: Compared(item["cosine"], item["labels"]) for item in row["items"]}


class Candidates(NamedTuple):
    """What may answer a question."""

    rows: list[Row]
    of_another_encoder: bool
    """Whether all stored vectors are of another encoder, so that only words found something."""


async def find(
    tx: Tx, caller: Caller, asking: IndexQuery, wanted: SearchFilter, now: datetime, catalog: Catalog
) -> Candidates:
    """Return what may answer a question, each once, with the messages beside the memories."""
    kinds = sorted(set(MEMORIES if wanted.kinds is None else wanted.kinds))
    memories = [kind.value for kind in kinds if kind not in PLANS]
    plans = [kind.value for kind in kinds if kind in PLANS]
    found: list[Row] = []
    if memories:
        found.append(await _memories(tx, caller, asking, wanted, memories, now, catalog))
    # No goal, question or story mentions an entity or belongs to a conversation.
    if plans and not wanted.entities and wanted.conversation is None:
        found.append(await _plans(tx, caller, asking, wanted, plans, catalog.search))
    return Candidates(
        rows=[item for row in found for item in row["items"]],
        of_another_encoder=any(row["of_another_encoder"] for row in found),
    )


async def _memories(
    tx: Tx,
    caller: Caller,
    asking: IndexQuery,
    wanted: SearchFilter,
    kinds: Sequence[str],
    now: datetime,
    catalog: Catalog,
) -> Row:
    table, spoken = catalog.search, catalog.memory.spoken
    bounds, filtered = table.bounds, _is_filtered(wanted)
    readable = _readable(caller, wanted)
    groups = _groups(caller, readable, asking, table)
    # The indexes know the spaces, the kinds and the time; of the other conditions they know nothing.
    near = bounds.look if filtered else bounds.pool
    joined = not filtered and (asking.vectors is None or asking.vectors.alike)
    return await tx.one(
        "search/search_memory",
        readable=readable,
        org_id=caller.org_id,
        groups=groups,
        looks=_looks(kinds, spoken, joined=joined),
        kinds=list(kinds),
        spoken=[*spoken, *(kind_of_passages(kind) for kind in spoken)],
        now=now,
        vector=asking.vectors and asking.vectors.notes,
        speech=asking.vectors and asking.vectors.speech,
        encoder=asking.encoder,
        entity_uids=asking.entity_uids,
        identified=asking.identified,
        near=near,
        near_together=near * len(groups),
        enough=near // 2 if filtered else bounds.enough,
        # That of words knows no kinds either.
        look=bounds.look if filtered or wanted.kinds is not None else bounds.look_words,
        pool=bounds.pool,
        own=caller.own,
        keep=bounds.keep,
        expand=bounds.expand,
        offset=bounds.rank_offset,
        hub=bounds.hub,
        filtered=["filter"] if filtered else [],
        tags=_folded(wanted.tags),
        about=sorted({entity_id(caller.org_id, name) for name in wanted.entities}),
        mentions=["declared", "extracted"] if wanted.extracted else ["declared"],
        since=wanted.since,
        until=wanted.until,
        conversation=wanted.conversation,
        min_confidence=wanted.min_confidence,
    )


async def _plans(
    tx: Tx, caller: Caller, asking: IndexQuery, wanted: SearchFilter, kinds: Sequence[str], table: SearchTable
) -> Row:
    """Return the goals, questions and stories that may answer a question, in the form of memories."""
    bounds = table.bounds
    readable = _readable(caller, wanted)
    terms = _query_terms(asking, table)
    row = await tx.one(
        "search/search_plans",
        readable=readable,
        org_id=caller.org_id,
        grantees=caller.grantees,
        groups=_groups(caller, readable, asking, table),
        kinds=list(kinds),
        vector=asking.vectors and asking.vectors.notes,
        encoder=asking.encoder,
        near=bounds.look if _is_filtered(wanted) else bounds.pool,
        look=bounds.look,
        pool=bounds.pool,
        terms=[{"key": key, "weight": weight} for key, weight in terms.items()],
        space=wanted.space,
        tags=_folded(wanted.tags),
        since=wanted.since,
        until=wanted.until,
    )
    items = [item | _NO_MEMORY | {"about": asking.named_in(item["content"])} for item in row["items"]]
    return {**row, "items": items}


_NO_MEMORY: dict[str, Any] = {
    "speaker": None,
    "conversation": None,
    "confidence": None,
    "after": [],
    "names": [],
}
"""What only memories have."""


def _readable(caller: Caller, wanted: SearchFilter) -> list[str]:
    return [uid for uid in caller.readable if wanted.space in (None, uid)]


def _query_terms(asking: IndexQuery, table: SearchTable) -> dict[str, float]:
    """Return the rarest terms of a question with their weights, as the index has them."""
    most = table.bounds.terms
    rarest = dict(sorted(asking.terms.items(), key=lambda pair: -pair[1])[:most])
    same = {other: rarest[term] for other, term in sorted(asking.also.items()) if term in rarest}
    coded = dict.fromkeys(identifier_terms(asking.text)[:most], 1.0)
    return {index_form(term): weight for term, weight in (rarest | same).items()} | coded


def _groups(
    caller: Caller, readable: Sequence[str], asking: IndexQuery, table: SearchTable
) -> list[dict[str, Any]]:
    """Return the caller's own spaces and all others, each with its full-text query."""
    terms = _query_terms(asking, table)
    own = [uid for uid in readable if uid in caller.own]
    groups = [own, [uid for uid in readable if uid not in own]]
    return [{"spaces": spaces, "text": terms_query(terms, spaces)} for spaces in groups if spaces]


def _folded(tags: Sequence[str]) -> list[str]:
    return [unicodedata.normalize("NFKC", tag).lower() for tag in tags]


def _looks(kinds: Sequence[str], spoken: Collection[str], *, joined: bool) -> list[Row]:
    """Return what the index of vectors is asked for: notes, speech, and the passages of either.

    Notes and speech that are looked for with the same vector may be looked for `joined`.
    """
    notes = [kind for kind in kinds if kind not in spoken]
    speech = [kind for kind in kinds if kind in spoken]
    asked = [([notes, speech], False)] if joined else [([notes], False), ([speech], True)]
    return [
        {"kinds": [kind for sort in sorts for kind in sort], "sorts": sorts, "spoken": said}
        for wholes, said in asked
        if (whole := [sort for sort in wholes if sort])
        for sorts in (whole, [[kind_of_passages(kind) for kind in sort] for sort in whole])
    ]


def hits(rows: Sequence[Row], catalog: Catalog) -> list[Hit]:
    """Return what was found in the form that the rule takes."""
    spoken = catalog.memory.spoken
    beside: dict[str, list[str]] = {row["uid"]: [] for row in rows}
    for row in rows:
        for before in row["after"]:
            # It may have been said before and not be in the pool.
            if before in beside:
                beside[row["uid"]].append(before)
                beside[before].append(row["uid"])
    return [
        Hit(
            uid=row["uid"],
            content=row["content"],
            at=datetime.fromisoformat(row["at"]),
            cosine=row["cosine"],
            speaker=row["speaker"],
            conversation=row["conversation"],
            beside=beside[row["uid"]],
            about=row["about"],
            tags=row["tags"] or (),
            names=row["names"],
            confidence=row["confidence"],
            kind=row["kind"] if row["kind"] in PLANS else "",
            spoken=row["kind"] in spoken,
            passages=[
                Part(Passage.model_validate(part["passage"]).of(row["content"]), part["cosine"])
                for part in row.get("passages", ())
            ],
        )
        for row in rows
    ]


def names_in(text: str, longest: int, most: int) -> list[str]:
    """Return what may be a name in a text, folded: its runs of up to `longest` words, at most `most`.

    A run is given with single spaces between its words, and as it stands in the text: `OPS-1187`.
    """
    folded = fold_name(text)
    words = list(WORD.finditer(folded))
    runs = (
        run
        for length in range(1, longest + 1)
        for first, last in zip(words, words[length - 1 :], strict=False)
        for run in (
            " ".join(bare_words_of(folded[first.start() : last.end()])),
            bare(folded[first.start() : last.end()]),
        )
    )
    return list(dict.fromkeys(runs))[:most]


def _is_filtered(wanted: SearchFilter) -> bool:
    conditions = (wanted.since, wanted.until, wanted.conversation, wanted.min_confidence)
    return bool(wanted.tags or wanted.entities) or any(each is not None for each in conditions)
