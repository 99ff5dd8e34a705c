"""Queries for the slots of vectors, and for the vectors and terms of what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.embedding.embeddings import Vectors
from prefrontal.graph.embedding.rules import StoredText, renewed_terms
from prefrontal.graph.text.terms import VERSION, is_latin

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class Slots(NamedTuple):
    """The slot that searches use, the encoder of each slot, and how far a walk through all texts is."""

    serving: str
    a: str | None
    b: str | None
    after: str
    terms: int
    """The version of the terms of all that is stored (`graph.text.terms`)."""
    terms_after: str
    """How far the walk is that makes those of the present version."""

    @property
    def encoder(self) -> str | None:
        """The name of the encoder whose vectors searches use."""
        return self.b if self.serving == "b" else self.a

    @property
    def other(self) -> str:
        """The slot that searches do not use."""
        return "a" if self.serving == "b" else "b"

    @property
    def other_encoder(self) -> str | None:
        """The name of the encoder whose vectors the other slot holds."""
        return self.a if self.serving == "b" else self.b


class Page(NamedTuple):
    """Some of a page of texts, the number that was looked at, and the id of the last one."""

    texts: tuple[StoredText, ...]
    looked: int
    last_uid: str


async def find_slots(tx: Tx) -> Slots | None:
    """Return the slots; None before the first migration of them."""
    row = await tx.optional("embedding/find_slots")
    return None if row is None else Slots(**row)


async def claim_slot(tx: Tx, encoder: str | None) -> None:
    """Create the slots; give the one that searches use to an encoder if none has it."""
    await tx.execute("embedding/claim_slot", encoder=encoder, terms=VERSION)


async def find_unembedded(tx: Tx, encoder: str, *, after: str, limit: int) -> tuple[StoredText, ...]:
    """Return up to `limit` texts with ids above `after` that lack a vector.

    There are none if searches use the vectors of another encoder.
    """
    row = await tx.one("embedding/find_unembedded", encoder=encoder, after=after, limit=limit)
    return _texts(row)


async def write_vectors(tx: Tx, texts: Sequence[StoredText], vectors: Vectors) -> int:
    """Store those vectors whose texts are still the same; return their number.

    A text of which the encoder knows nothing counts as encoded, and has no vector.
    """
    rows = [
        {"uid": text.uid, "content": text.content, "vector": vectors.of(text.passage)}
        for text in sorted(texts)
        if text.passage in vectors.by_text
    ]
    row = await tx.one("embedding/write_vectors", rows=rows, encoder=vectors.encoder)
    return int(row["written"])


async def find_other_vectors(tx: Tx, *, slot: str, encoder: str, after: str, limit: int) -> Page:
    """Return a page of texts; those that lack the encoder's vector in a slot."""
    row = await tx.one("embedding/find_other_vectors", slot=slot, encoder=encoder, after=after, limit=limit)
    return Page(_texts(row), int(row["looked"]), row["last_uid"] or "")


async def begin_filling(tx: Tx, encoder: str) -> None:
    """Give the slot that searches do not use to an encoder."""
    await tx.execute("embedding/begin_filling", encoder=encoder)


async def save_cursor(tx: Tx, after: str) -> None:
    """Store how far the walk through all texts has come."""
    await tx.execute("embedding/save_cursor", after=after)


async def switch_slots(tx: Tx, encoder: str) -> bool:
    """Let searches use the other slot; return False if it belongs to another encoder now."""
    row = await tx.one("embedding/switch_slots", encoder=encoder)
    return bool(row["switched"])


async def clear_other_slot(tx: Tx, *, after: str, limit: int) -> tuple[int, str]:
    """Remove a page of vectors from the slot that searches do not use.

    Returns:
        The number of texts that were looked at, and the id of the last one.
    """
    row = await tx.one("embedding/clear_other_slot", after=after, limit=limit)
    return int(row["looked"]), row["last_uid"] or ""


async def free_other_slot(tx: Tx) -> None:
    """Store that the slot that searches do not use holds nothing."""
    await tx.execute("embedding/free_other_slot")


async def describe(tx: Tx) -> tuple[int, int, int | None]:
    """Return the number of all texts, of those that lack a vector, and the length of a vector."""
    row = await tx.one("embedding/describe_vectors")
    return int(row["texts"]), int(row["unembedded"]), row["dimensions"]


async def renew_terms(tx: Tx, slots: Slots, limit: int) -> int:
    """Make the terms of the present version for a page of texts, and store how far the walk is.

    A text that an encoder may not know is encoded again.

    Returns:
        The number of texts that were looked at.
    """
    page = await tx.one("embedding/find_terms", after=slots.terms_after, limit=limit)
    made = (
        (item, renewed_terms(item["terms"], item["content"], item["speaker"], item["tags"] or ()))
        for item in page["items"]
    )
    rows = [
        {
            "uid": item["uid"],
            "content": item["content"],
            "terms": terms,
            "again": not is_latin(item["content"]),
        }
        for item, terms in made
        if terms != item["terms"]
    ]
    done = int(page["looked"]) < limit
    await tx.one(
        "embedding/write_terms",
        rows=rows,
        after=None if done else page["last_uid"],
        version=VERSION if done else None,
    )
    return int(page["looked"])


def _texts(row: Row) -> tuple[StoredText, ...]:
    return tuple(StoredText(item["uid"], item["content"], item["speaker"]) for item in row["items"])
