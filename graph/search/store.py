"""The query that finds what may answer a question."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.entities.rules import entity_id
from prefrontal.graph.search.record import SearchFilter, SearchKind
from prefrontal.graph.storage.rows import Row
from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.lucene import terms_query, unspaced_pieces

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import SearchTable
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.text.encoder import Vector


class Asking(NamedTuple):
    """A question in the forms that the indexes take."""

    text: str
    terms: dict[str, float]
    """The terms with their weights."""
    names: Sequence[str]
    """What may be the name of an entity."""
    vector: Vector | None


async def find(
    tx: Tx, caller: Caller, asking: Asking, wanted: SearchFilter, now: datetime, table: SearchTable
) -> list[Row]:
    """Return the memories that may answer a question, each once, with the messages beside them."""
    readable = [uid for uid in caller.readable if wanted.space in (None, uid)]
    kinds = SearchKind if wanted.kinds is None else sorted(set(wanted.kinds))
    pool, filtered = table.pool, _is_filtered(wanted)
    row = await tx.one(
        "search/search_memory",
        readable=readable,
        kinds=[kind.value for kind in kinds],
        now=now,
        vector=asking.vector,
        text=terms_query(asking.terms, unspaced_pieces(asking.text, table.terms), readable),
        entity_uids=sorted({entity_id(caller.org_id, name) for name in asking.names}),
        # The indexes know the spaces, the kinds and the time; of the other conditions they know nothing.
        near=table.look if filtered else pool,
        look=table.look,
        pool=pool,
        hub=table.hub,
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


def _is_filtered(wanted: SearchFilter) -> bool:
    conditions = (wanted.since, wanted.until, wanted.conversation, wanted.min_confidence)
    return bool(wanted.tags or wanted.entities) or any(each is not None for each in conditions)


def names_in(text: str, longest: int, most: int) -> list[str]:
    """Return what may be a name in a text: its runs of up to `longest` words, at most `most`."""
    words = fold(text).split()
    bare = [word.strip("".join(sign for sign in word if not sign.isalnum())) for word in words]
    runs = (
        " ".join(bare[start : start + length])
        for length in range(longest, 0, -1)
        for start in range(len(bare) - length + 1)
    )
    return list(dict.fromkeys(run for run in runs if run))[:most]
