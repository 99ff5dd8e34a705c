"""The query that finds what may answer a question."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.search.record import SearchFilter, SearchKind
from prefrontal.graph.search.rules import Hit
from prefrontal.graph.storage.rows import Row
from prefrontal.graph.text.lucene import terms_query, unspaced_pieces
from prefrontal.graph.text.words import words_of

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import SearchTable
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.text.encoder import Vector


class Asking(NamedTuple):
    """A question in the forms that the indexes take."""

    text: str
    terms: Mapping[str, float]
    """The terms with their weights."""
    entity_uids: Sequence[str]
    """The entities that it names."""
    vector: Vector | None
    encoder: str | None
    """The encoder of the vector."""


async def find_names(tx: Tx, caller: Caller, keys: Sequence[str]) -> dict[str, str]:
    """Return those of some folded names that the caller's spaces know, with the ids of their entities."""
    row = await tx.one("search/find_names", readable=list(caller.readable), keys=list(keys))
    return {item["key"]: item["entity_uid"] for item in row["items"]}


async def find(
    tx: Tx, caller: Caller, asking: Asking, wanted: SearchFilter, now: datetime, table: SearchTable
) -> list[Row]:
    """Return the memories that may answer a question, each once, with the messages beside them."""
    readable = [uid for uid in caller.readable if wanted.space in (None, uid)]
    kinds = SearchKind if wanted.kinds is None else sorted(set(wanted.kinds))
    bounds, filtered = table.bounds, _is_filtered(wanted)
    terms, pieces = _rarest(asking.terms, bounds.terms), unspaced_pieces(asking.text, bounds.terms)
    own = [uid for uid in readable if uid in caller.own]
    groups = [own, [uid for uid in readable if uid not in own]]
    row = await tx.one(
        "search/search_memory",
        readable=readable,
        groups=[
            {"spaces": spaces, "text": terms_query(terms, pieces, spaces)} for spaces in groups if spaces
        ],
        kinds=[kind.value for kind in kinds],
        now=now,
        vector=asking.vector,
        encoder=asking.encoder,
        entity_uids=list(asking.entity_uids),
        # The indexes know the spaces, the kinds and the time; of the other conditions they know nothing.
        near=bounds.look if filtered else bounds.pool,
        look=bounds.look,
        pool=bounds.pool,
        hub=bounds.hub,
        filtered=["filter"] if filtered else [],
        tags=[unicodedata.normalize("NFKC", tag).lower() for tag in wanted.tags],
        about=sorted({entity_id(caller.org_id, name) for name in wanted.entities}),
        since=wanted.since,
        until=wanted.until,
        conversation=wanted.conversation,
        min_confidence=wanted.min_confidence,
    )
    items: list[Row] = row["items"]
    return items


def hits(rows: Sequence[Row]) -> list[Hit]:
    """Return what was found in the form that the rule takes."""
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
            confidence=row["confidence"],
        )
        for row in rows
    ]


def names_in(text: str, longest: int, most: int) -> list[str]:
    """Return what may be a name in a text, folded: its runs of up to `longest` words, at most `most`."""
    words = words_of(text)
    bare = [word.removesuffix("'s").removesuffix("\u2019s") for word in words]
    runs = (
        " ".join(bare[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(bare) - length + 1)
    )
    return list(dict.fromkeys(runs))[:most]


def _rarest(terms: Mapping[str, float], most: int) -> dict[str, float]:
    return dict(sorted(terms.items(), key=lambda pair: -pair[1])[:most])


def _is_filtered(wanted: SearchFilter) -> bool:
    conditions = (wanted.since, wanted.until, wanted.conversation, wanted.min_confidence)
    return bool(wanted.tags or wanted.entities) or any(each is not None for each in conditions)
