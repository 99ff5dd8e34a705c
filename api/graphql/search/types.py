"""What a search found as GraphQL types."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING

import strawberry

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import find_node, node_field, space_field
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.search.record import Parts, SearchFilter, SearchKind, SearchResult

strawberry.enum(
    SearchKind,
    name="SearchKind",
    description="What a search finds: the kind of memory, or a goal, question or story.",
)

if TYPE_CHECKING:
    from prefrontal.graph.search.service import FoundPage

    class SearchFilterInput:
        """The filter of `searchMemory`, made from the record."""

else:
    SearchFilterInput = input_type(SearchFilter, "SearchFilterInput")


@graphql_type_of(
    Parts,
    "The parts of the sum by which the results are ordered.",
    name="SearchParts",
    rename={"shared_words": "words"},
)
class PartsType(RecordType):
    """The parts of a relevance."""

    shared_words: float = strawberry.field(
        name="words", description="The words of the question that the memory has, rare ones most."
    )
    meaning: float | None = strawberry.field(
        description="How near its meaning is to that of the question; null without a vector."
    )
    neighbours: float = strawberry.field(description="What was said right before and after it.")
    conversation: float = strawberry.field(description="How well the best of its conversation answers.")
    subject: float = strawberry.field(
        description="Whether it is by or about somebody or something that the question names."
    )
    time: float = strawberry.field(description="Whether it is of the time that the question names.")
    doubt: float = strawberry.field(description="What its confidence takes away.")
    answer: float | None = strawberry.field(
        description="Above 0 if the note seems to answer the question, below 0 if not. A model reads the "
        "best notes together with the question. Null for a note that was not read, and for a result that "
        "is no note."
    )
    identifier: float = strawberry.field(
        description="Above 0 if it has an identifier or amount that the question names, in any spelling; "
        "below 0 if it has none or another one. 0 if the question names none."
    )


@strawberry.type(name="MemoryPassage", description="A part of a long memory.")
class PassageType:
    """A passage."""

    text: str
    place: int = strawberry.field(description="Which part of the memory it is, from 1.")
    total: int = strawberry.field(description="How many parts the memory has.")

    @classmethod
    def of(cls, found: SearchResult) -> PassageType | None:
        """Return the passage of a found memory; None if it has none."""
        passage = found.passage
        if passage is None:
            return None
        return cls(text=passage.of(found.content), place=passage.place, total=passage.total)


@strawberry.type(description="What a search found, and why.")
class FoundMemoryEdge:
    """A found memory, goal, question or story."""

    record: strawberry.Private[SearchResult]
    cursor: str
    node = node_field(None, "uid", "The memory, goal, question or story; null if it was deleted meanwhile.")
    newer = node_field(
        None,
        "newer",
        "The newest, by its `at`, of the notes that say nearly the same: what it says may hold instead. Null "
        "if there is no newer one, and if the question asks for what was before.",
    )
    relevance: float = strawberry.field(
        description="How likely it helps to answer the question, 0–1, whatever else is stored. Results are "
        "in the order of what answers best, which also looks at what else was found."
    )
    parts: PartsType = strawberry.field(
        description="The parts of the sum by which the results are ordered. The relevance follows from those "
        "that do not depend on what else was found."
    )
    kind: SearchKind
    text: str = strawberry.field(
        description="The text: of a goal its title and description, of a question its text, of a story its "
        "narrative."
    )
    passage: PassageType | None = strawberry.field(
        description="The part of a long memory that answers the question best; null for a short one."
    )
    at: datetime = strawberry.field(
        description="When it was noticed, said or happened; a goal, question or story, when it was created."
    )
    space = space_field()


@strawberry.type(description="What a search found, best first, and where the next page starts.")
class FoundMemoryConnection:
    """A page of found memories."""

    edges: list[FoundMemoryEdge]
    page_info: PageInfo
    weaker: int = strawberry.field(
        description="How many results were held back because they answer less: `minRelevance` in the filter "
        "shows them."
    )
    partial: bool = strawberry.field(
        description="Whether it was searched for by words alone although the encoder may know the question: "
        "its meaning could not be computed in time, or what is stored has the vectors of another encoder "
        "(`prefrontal doctor` tells)."
    )

    @strawberry.field(description="The found memories, goals, questions and stories.")
    async def nodes(self, info: Context) -> list[Node]:
        loaders = info.context.loaders
        found = await asyncio.gather(*(find_node(loaders, edge.record.uid) for edge in self.edges))
        return [node for node in found if node is not None]

    @classmethod
    def of(cls, page: FoundPage) -> FoundMemoryConnection:
        edges = [
            FoundMemoryEdge(
                record=found,
                cursor=cursor,
                relevance=found.relevance,
                parts=PartsType.from_record(found.parts),
                kind=found.kind,
                text=found.content,
                passage=PassageType.of(found),
                at=found.at,
            )
            for cursor, found in zip(page.cursors, page.items, strict=True)
        ]
        info = PageInfo.of(page.cursors, has_next=page.has_next)
        return cls(edges=edges, page_info=info, weaker=page.weaker, partial=page.partial)
