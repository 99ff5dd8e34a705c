"""The jobs that make vectors and terms of memories, goals, questions and stories where they are missing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.embedding.embeddings import NO_VECTORS
from prefrontal.graph.jobs.table_job import TableJob

if TYPE_CHECKING:
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.embedding.rules import StoredText
    from prefrontal.graph.embedding.service import EmbeddingService
    from prefrontal.graph.storage.unit_of_work import Tx


class EmbedMemories(TableJob):
    """Stores the vectors of texts that lack one, which were encoded before the transaction.

    A text that cannot be encoded is left behind, and tried again in a later run. While none of a batch can
    be encoded, the encoder is at fault, and the run ends.
    """

    name = "embed_memories"

    def __init__(self, catalog: Catalog, service: EmbeddingService) -> None:
        super().__init__(catalog)
        self._service = service
        self._after = ""
        self._texts: Sequence[StoredText] = ()
        self._vectors = NO_VECTORS

    async def prepare(self) -> None:
        """Encode the next texts."""
        await self._service.claim()
        self._texts, self._vectors = await self._service.due(after=self._after, limit=self.table.batch)

    async def batch(self, tx: Tx, now: datetime) -> int:  # noqa: ARG002 - a vector has no time
        """Store the vectors; return the number of texts that were looked at."""
        await self._service.write_in(tx, self._texts, self._vectors)
        return len(self._texts) if self._vectors.by_text else 0

    def committed(self) -> None:
        """Move the position behind the last text, or back to the start after the last page."""
        self._after = self._texts[-1].uid if len(self._texts) == self.table.batch else ""


class RenewTerms(TableJob):
    """Makes the terms of all texts anew where they are those of an earlier version of the service.

    How far it has come is stored with each batch, so a run that was killed is continued.
    """

    name = "renew_terms"

    def __init__(self, catalog: Catalog, service: EmbeddingService) -> None:
        super().__init__(catalog)
        self._service = service

    async def batch(self, tx: Tx, now: datetime) -> int:  # noqa: ARG002 - terms have no time
        """Renew the terms of a page of texts; return the number of texts that were looked at."""
        return await self._service.renew_terms(tx, self.table.batch)
