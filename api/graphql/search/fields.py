"""The query that searches memories, goals, questions and stories."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.search.types import FoundMemoryConnection, SearchFilterInput
from prefrontal.graph.search.record import SearchFilter


@strawberry.type
class SearchQuery:
    """Queries that search."""

    @strawberry.field(
        description="The memories and observations that answer a question, most relevant first: by words, by "
        "meaning, by the names in it and by its time; with `filter.kinds` goals, questions and stories too. "
        "What is not relevant enough is left out, so that a question that nothing answers finds nothing."
    )
    async def search_memory(
        self,
        info: Context,
        text: Annotated[str, strawberry.argument(description="A question, or words to look for.")],
        filter: SearchFilterInput | None = None,
        first: First = None,
        after: After = None,
    ) -> FoundMemoryConnection:
        search, caller = info.context.services.search, await info.context.caller()
        wanted = filter_of(filter, SearchFilter)
        return FoundMemoryConnection.of(await search.search(caller, text, wanted, first=first, after=after))
