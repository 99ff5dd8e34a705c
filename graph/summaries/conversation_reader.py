"""The use case that reads what is known of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefrontal.graph.caller import Permission, require
from prefrontal.graph.summaries import conversation_store as store
from prefrontal.graph.summaries.decisions import decisions_of, key_topics, spelt
from prefrontal.graph.summaries.record import ConversationState

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.storage.unit_of_work import Database, Tx


class ConversationReader:
    """Reads the summaries, key topics and decisions of conversations."""

    def __init__(self, database: Database, catalog: Catalog) -> None:
        self._database = database
        self._table = catalog.summaries

    async def read(self, caller: Caller, key: str, space: str | None = None) -> ConversationState | None:
        """Return what is known of a conversation; None if the caller may read none with this key.

        Key topics and decisions are those of now: the commit of a turn counts at once. Decisions about
        records that the caller may not read, and those of turns that it may not read, are left out.

        Args:
            caller: Who asks.
            key: The client's key of the conversation.
            space: The space of the conversation; by default the caller's own one.
        """
        require(caller, Permission.READ)
        table, scope_id = self._table, space or caller.home

        async def work(tx: Tx) -> ConversationState | None:
            found = await store.find_state(tx, caller, key, scope_id, newest=table.conversation_read)
            if found is None:
                return None
            topics = key_topics(found.named, table.conversation_topics)
            forgotten, said = await store.find_words(
                tx, caller, found.settled, sorted({topic.last_uid for topic in topics})
            )
            return ConversationState(
                key=key,
                scope_id=scope_id,
                text=found.text,
                key_topics=tuple(spelt(topic, said.get(topic.last_uid, "")) for topic in topics),
                decisions=decisions_of(
                    found.settled, forgotten, table.conversation_decisions, table.quote_characters
                ),
            )

        return await self._database.read(work)
