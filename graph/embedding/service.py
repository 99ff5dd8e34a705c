"""Use cases of stored vectors: making those that are missing, and changing the encoder.

A text is that of a memory, goal, question or story. Two slots hold vectors, and searches use one of them.
Another encoder's vectors are made in the other slot beside a running service, which goes on with the first
one. Then searches use the other slot, and the vectors of the first one are removed.

    begin    the other slot belongs to the new encoder: writers that have it store its vectors there at once
    fill     all texts are walked by their ids; the place is stored with each batch, so that a run that was
             killed is continued; what was written meanwhile is found by a second walk
    switch   in one write; a text that lacks the new vector then is labelled `Unembedded` by the next step
    clear    all texts are walked again, and the old vectors are removed
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from prefrontal.graph.embedding import store
from prefrontal.graph.errors import Conflict, InvalidInput
from prefrontal.graph.text.terms import VERSION
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.embedding.embeddings import Embeddings, Vectors
    from prefrontal.graph.embedding.rules import StoredText
    from prefrontal.graph.embedding.store import Slots
    from prefrontal.graph.storage.unit_of_work import Database, Tx

_BATCH = 64
_CLEARED = 500
_TIMEOUT_S = 60.0
Progress = Callable[[str, int, int], None]
"""Called with the name of the step, the number of texts that it has looked at, and that of all."""


class StoredVectors(NamedTuple):
    """What is known of the stored vectors."""

    encoder: str | None
    """The encoder whose vectors searches use; None if there are none yet."""
    filling: str | None
    """The encoder whose vectors the other slot holds; None if there are none."""
    dimensions: int | None
    """The length of the vectors that searches use; None if there are none."""
    texts: int
    """How many memories, goals, questions and stories there are."""
    unembedded: int
    """How many of those that can be found have no vector."""


class ReembedResult(NamedTuple):
    """What a run of `reembed` has done."""

    encoder: str
    written: int
    """How many vectors were written."""
    unembedded: int
    """How many texts have none, because they could not be encoded or were written meanwhile."""


class EmbeddingService:
    """Makes missing vectors, and replaces those of another encoder."""

    def __init__(self, database: Database, embeddings: Embeddings) -> None:
        self._database = database
        self._embeddings = embeddings

    async def describe(self) -> str:
        """Return in words what is stored.

        Raises:
            Conflict: If it does not fit this process's encoder.
        """
        stored, encoder = await self.vector_status(), self._embeddings.encoder
        self._compare(stored.encoder, stored.filling)
        vectors = f"vectors of {stored.encoder}"
        if encoder is None:
            return f"no encoder is set; {vectors} are stored" if stored.encoder else "no encoder is set"
        made = (await self._embeddings.later(["dimensions"])).of("dimensions")
        if made is not None and stored.dimensions not in (None, len(made)):
            raise Conflict(
                f"{vectors} have {stored.dimensions} dimensions, but now it makes {len(made)}: "
                "give the encoder another name, and run `prefrontal reembed`"
            )
        left = f", {stored.unembedded} of them without a vector" if stored.unembedded else ""
        return f"vectors of {encoder} for {counted(stored.texts, 'text')}{left}"

    async def check(self) -> None:
        """Compare the encoder whose vectors searches use with that of this process.

        Raises:
            Conflict: If they are two.
        """
        slots = await self._database.read(store.find_slots)
        if slots is not None:
            self._compare(slots.encoder, slots.other_encoder)

    def _compare(self, stored: str | None, filling: str | None) -> None:
        encoder = self._embeddings.encoder
        if encoder is None or stored in (None, encoder):
            return
        began = f"; a run for {filling} was begun" if filling else ""
        found = "what the run has not reached is" if filling == encoder else "memories are"
        raise Conflict(
            f"vectors of {stored} are stored, but {encoder} is set{began}: {found} found by words alone. "
            f"Run `prefrontal reembed`, or set PREFRONTAL_ENCODER={stored}"
        )

    async def vector_status(self) -> StoredVectors:
        """Return which encoder's vectors are stored, and how many texts lack one."""

        async def work(tx: Tx) -> StoredVectors:
            slots = await store.find_slots(tx)
            texts, unembedded, dimensions = await store.describe(tx)
            return StoredVectors(
                slots.encoder if slots else None,
                slots.other_encoder if slots else None,
                dimensions,
                texts,
                unembedded,
            )

        return await self._database.read(work, timeout_s=_TIMEOUT_S)

    async def due(self, *, after: str, limit: int) -> tuple[tuple[StoredText, ...], Vectors]:
        """Return up to `limit` texts with ids above `after` that lack a vector, and their vectors.

        There are none if searches use the vectors of another encoder, or this process has no encoder.
        """
        encoder = self._embeddings.encoder
        texts: tuple[StoredText, ...] = ()
        if encoder is not None:
            texts = await self._database.read(
                lambda tx: store.find_unembedded(tx, encoder, after=after, limit=limit)
            )
        return texts, await self._embeddings.later([text.passage for text in texts])

    async def claim(self) -> None:
        """Create the slots; give the one that searches use to this process's encoder if none has it."""
        encoder = self._embeddings.encoder
        stored = await self._database.read(store.find_slots, timeout_s=_TIMEOUT_S)
        if stored is None or (encoder is not None and stored.a is None and stored.b is None):
            await self._database.write(lambda tx: store.claim_slot(tx, encoder), timeout_s=_TIMEOUT_S)

    async def write_in(self, tx: Tx, texts: Sequence[StoredText], vectors: Vectors) -> int:
        """Store vectors inside a transaction, if the texts are still the same; return their number."""
        return await store.write_vectors(tx, texts, vectors) if vectors.by_text else 0

    async def renew_terms(self, tx: Tx, limit: int) -> int:
        """Inside a transaction, make the present terms of some texts that were stored with those of before.

        Returns:
            The number of texts that were looked at; fewer than `limit` if there are no more.
        """
        slots = await store.find_slots(tx)
        if slots is None or slots.terms >= VERSION:
            return 0
        return await store.renew_terms(tx, slots, limit)

    async def reembed(self, progress: Progress | None = None) -> ReembedResult:
        """Make the vectors of this process's encoder for all texts, and let searches use them.

        A run that was stopped half-way is continued. Vectors that are there are not made again.

        Raises:
            InvalidInput: If this process has no encoder.
            Conflict: If vectors of another encoder were begun meanwhile, or if the encoder fails.
        """
        encoder = self._embeddings.encoder
        if encoder is None:
            raise InvalidInput("no encoder is set: see PREFRONTAL_ENCODER", field="encoder")
        report = progress or _silent
        await self.claim()
        slots = await self._slots()
        written = 0
        if slots.encoder != encoder:
            await self._database.write(lambda tx: store.begin_filling(tx, encoder))
            written = await self._fill(encoder, report)
            if not await self._database.write(lambda tx: store.switch_slots(tx, encoder)):
                raise Conflict("another encoder's vectors were begun meanwhile; run it again")
        if (await self._slots()).other_encoder is not None:
            await self._clear(report)
        written += await self._drain(report)
        stored = await self.vector_status()
        return ReembedResult(encoder, written, stored.unembedded)

    async def _fill(self, encoder: str, report: Progress) -> int:
        """Walk all texts until a whole walk finds at most a batch without the vector, or can make none."""
        written = 0
        total = (await self.vector_status()).texts
        while True:
            slots = await self._slots()
            after, whole, missing, seen, before = slots.after, slots.after == "", 0, 0, written
            while True:
                find = partial(
                    store.find_other_vectors, slot=slots.other, encoder=encoder, after=after, limit=_BATCH
                )
                page = await self._database.read(find, timeout_s=_TIMEOUT_S)
                written += await self._write(page.texts, page.last_uid)
                missing, seen, after = missing + len(page.texts), seen + page.looked, page.last_uid
                report("encoding", seen, max(total, seen))
                if page.looked < _BATCH:
                    break
            await self._database.write(lambda tx: store.save_cursor(tx, ""))
            if whole and (missing <= _BATCH or written == before):
                return written

    async def _write(self, texts: Sequence[StoredText], last_uid: str) -> int:
        vectors = await self._embeddings.later([text.passage for text in texts])
        if texts and not vectors.by_text and not await self._embeddings.works():
            raise Conflict("the encoder fails: see the log")

        async def work(tx: Tx) -> int:
            number = await self.write_in(tx, texts, vectors)
            await store.save_cursor(tx, last_uid)
            return number

        return await self._database.write(work, timeout_s=_TIMEOUT_S)

    async def _clear(self, report: Progress) -> None:
        total = (await self.vector_status()).texts
        after, looked, seen = (await self._slots()).after, _CLEARED, 0
        while looked == _CLEARED:

            async def work(tx: Tx, after: str = after) -> tuple[int, str]:
                found = await store.clear_other_slot(tx, after=after, limit=_CLEARED)
                await store.save_cursor(tx, found[1])
                return found

            looked, after = await self._database.write(work, timeout_s=_TIMEOUT_S)
            seen += looked
            report("removing", seen, max(total, seen))
        await self._database.write(store.free_other_slot)

    async def _drain(self, report: Progress) -> int:
        """Make the vectors that are missing, each tried once."""
        written, seen, after = 0, 0, ""
        while True:
            texts, vectors = await self.due(after=after, limit=_BATCH)
            if texts:
                work = partial(self.write_in, texts=texts, vectors=vectors)
                written += await self._database.write(work, timeout_s=_TIMEOUT_S)
                seen, after = seen + len(texts), texts[-1].uid
                report("encoding", seen, seen)
            if len(texts) < _BATCH:
                return written

    async def _slots(self) -> Slots:
        slots = await self._database.read(store.find_slots)
        if slots is None:
            raise Conflict("the schema is not up to date: run `prefrontal migrate`")
        return slots


def _silent(step: str, seen: int, total: int) -> None:
    """Tell nobody."""
