"""The use case that summarises the older messages of conversations, as these go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.summaries import conversation_store as store
from prefrontal.graph.summaries.conversation import rolled, text_of
from prefrontal.graph.text.words import stems_of

if TYPE_CHECKING:
    from datetime import datetime

    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Tx


class ConversationSummaries:
    """Makes and rolls on the summaries of conversations."""

    def __init__(self, catalog: Catalog) -> None:
        self._table = catalog.summaries
        self._stops = stems_of(catalog.goals.topics.stop_words)

    async def roll_in(self, tx: Tx, now: datetime, batch: int) -> int:
        """Summarise up to `batch` conversations that have gone on, inside a transaction.

        They are locked meanwhile, so that nobody forgets what is being read. The texts are made by the rule
        alone, and not by a summariser that could be slow.

        Returns:
            How many were looked at; the whole batch if one of them has more than was read at once.
        """
        table, made = self._table, []
        for old in await store.lock_due(tx, table, batch):
            if len(old.messages) < table.conversation_every:
                # Some of what was said is not there any more.
                made.append(old.model_copy(update={"left": old.left + len(old.messages)}))
            else:
                summary = rolled(old.earlier, old.messages, table, self._stops)
                made.append(old.model_copy(update={"summary": summary, "text": text_of(summary, table)}))
        if made:
            await store.write(tx, made, now)
        due = table.conversation_every + table.conversation_newest
        return batch if any(old.left >= due for old in made) else len(made)
