"""The query of the summary of a conversation."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.summaries.types import ConversationSummaryType


@strawberry.type
class SummaryQuery:
    """Queries of summaries."""

    @strawberry.field(
        description="What a conversation was about so far: the summary of its older messages, key topics and "
        "decisions; null if there is none that you may read. `space` is by default your own one."
    )
    async def conversation_summary(
        self, info: Context, conversation: str, space: strawberry.ID | None = None
    ) -> ConversationSummaryType | None:
        reader, caller = info.context.services.conversations, await info.context.caller()
        return ConversationSummaryType.maybe(await reader.read(caller, conversation, space))
