"""Contexts and receipts as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import strawberry

from prefrontal.api.graphql.input_types import input_type
from prefrontal.api.graphql.nodes import actor_field, ids_field, node_field, refs_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.graph.context.record import (
    CandidateKind,
    Context,
    ContextFormat,
    ExcludedCandidate,
    Item,
    Reason,
    Receipt,
    ReceiptItem,
    Request,
    ScoreParts,
    Section,
    SectionItems,
    Source,
)
from prefrontal.graph.ids import Kind

strawberry.enum(Section, name="ContextSection", description="A section of a context.")
strawberry.enum(CandidateKind, name="ContextItemKind", description="The kind of an item.")
strawberry.enum(
    Reason, name="ContextReason", description="The reason why an item was included in a context or left out."
)
strawberry.enum(
    Source,
    name="ContextSource",
    description="STANDING: mandates, capabilities, active goals, recent observations and messages. STEPS: "
    "pending actions, questions and stories. MEMORIES: what is searched for the prompt. CONTRADICTIONS: what "
    "contradicts the observations. SESSION: what the session of working memory holds, and what earlier "
    "ones left that it is related to. MEANING: the meaning of the prompt; memories were found by "
    "words alone, since its vector was late or the stored vectors are of another encoder.",
)

strawberry.enum(ContextFormat, description="How the text of a context is written.")

if TYPE_CHECKING:

    class ContextInput:
        """The input of `previewContext`, made from the request."""

else:
    ContextInput = input_type(Request, "ContextInput")


def via_field() -> Any:
    """Return the field of what led to an item."""
    return node_field(
        None,
        "via",
        "What led to the item: an entity that the prompt names, the found memory that is evidence for the "
        "goal, the goal of the action or question, the question that the story answers, an observation that "
        "it contradicts, the session that holds it, or the earlier session that left it unfinished; null if "
        "the prompt itself did.",
    )


def path_field() -> Any:
    """Return the field of the path by which an item came."""
    return ids_field(
        "path",
        "The ids of what led from the prompt to the item, in this order: e.g. an entity, a memory that "
        "mentions it, the goal that the memory is evidence for; or the session and an earlier one; without "
        "what you may not read. The last one is `via`.",
    )


def contradicts_field() -> Any:
    """Return the field of what contradicts an item."""
    return ids_field(
        "contradicts",
        "The ids of active observations that contradict the item, the newest three; its line names them.",
    )


@graphql_type_of(
    ScoreParts,
    "What the score of an item is the weighted sum of, each 0–1; null where a part does not count. Mandates "
    "and capabilities have no parts.",
)
class ScorePartsType(RecordType):
    """The parts of a score."""

    relevance: float | None = strawberry.field(
        description="How close it is to the prompt, or what led to it, against what is closest."
    )
    urgency: float | None = strawberry.field(
        description="The priority against the highest one; 1 for an urgent action."
    )
    recency: float | None = strawberry.field(description="How new it is; 1 where age does not count.")
    confidence: float | None


@graphql_type_of(Item, "An item of a context; each item is one line of the text.", name="ContextItem")
class ItemType(RecordType):
    """A line."""

    node = node_field(None, "uid", "What the line is about; null if it was deleted, and for a summary.")
    kind: CandidateKind
    space = node_field(
        Kind.SPACE, "scope_id", "The space that the item is from; null if you may not read it any more."
    )
    created_by = actor_field("by_uid", "Who wrote the item")
    text: str = strawberry.field(description="The item's line in the text of the context.")
    tokens: int
    rank: int = strawberry.field(description="The position of the item in the context, from 1.")
    score: float = strawberry.field(description="0–1.")
    parts: ScorePartsType = strawberry.field(description="What the score is made of.")
    reason: Reason
    via = via_field()
    path = path_field()
    contradicts = contradicts_field()


@graphql_type_of(
    SectionItems, "A section of a context with its items; may be empty.", name="ContextSectionContent"
)
class SectionType(RecordType):
    """A section."""

    name: Section
    items: list[ItemType]


@graphql_type_of(ReceiptItem, "An item that was included in a turn's context.")
class ReceiptItemType(RecordType):
    """An included item."""

    node = node_field(None, "uid", "What the line was about.")
    section: Section
    tokens: int
    rank: int
    score: float
    parts: ScorePartsType = strawberry.field(description="What the score is made of.")
    reason: Reason
    via = via_field()
    path = path_field()
    contradicts = contradicts_field()


@graphql_type_of(
    ExcludedCandidate, "An item that was left out of a context, with the reason.", name="ExcludedItem"
)
class ExcludedType(RecordType):
    """An excluded item."""

    node = node_field(None, "uid", "What was left out; null if it was deleted or is not readable any more.")
    section: Section
    tokens: int
    score: float
    parts: ScorePartsType = strawberry.field(description="What the score is made of.")
    reason: Reason
    via = via_field()
    path = path_field()


@strawberry.type(
    name="ExcludedCount",
    description="The number of all items left out for one reason, including those that the receipt does not "
    "list.",
)
class ExcludedCountType:
    """A count of excluded items."""

    reason: Reason
    count: int


@graphql_type_of(
    Receipt,
    "The record of an assembled context: ids and numbers only, kept for 30 days.",
    name="ContextReceipt",
)
class ReceiptType(RecordType):
    """A receipt."""

    id: strawberry.ID
    turn = node_field(
        Kind.TURN,
        "turn_uid",
        "The turn that the context was assembled for; null for a preview, whose receipt is not stored.",
    )
    budget: int
    used: int
    budget_remaining: int = strawberry.field(
        description="The budget minus the tokens of the text: what further steps of the turn may use."
    )
    tokenizer: str
    created_at: datetime
    included: list[ReceiptItemType]
    excluded: list[ExcludedType] = strawberry.field(
        description="The 100 items with the highest scores among those left out."
    )

    @strawberry.field
    def excluded_counts(self) -> list[ExcludedCountType]:
        """Return the counts in the order of the reasons."""
        counts = sorted(self.record.excluded_counts.items())
        return [ExcludedCountType(reason=Reason(reason), count=count) for reason, count in counts]


@graphql_type_of(
    Context,
    "A context: what an agent should have in mind for a prompt, within a token budget.",
    name="AssembledContext",
    rename={name: f"selection.{name}" for name in ("text", "sections", "truncated", "insufficient_budget")},
)
class ContextType(RecordType):
    """An assembled context."""

    text: str = strawberry.field(
        description="The text to put into a prompt. Each stored text is a JSON string on its own line, so "
        "that it cannot pose as another part of the context."
    )
    sections: list[SectionType] = strawberry.field(description="All sections, in the order of the text.")
    budget: int
    budget_remaining: int = strawberry.field(
        description="The budget minus the tokens of `text`; never negative."
    )
    tokenizer: str
    timestamp: datetime
    truncated: bool = strawberry.field(
        description="Whether items were left out because the budget was too small."
    )
    insufficient_budget: bool = strawberry.field(
        description="Whether an essential mandate was left out because the budget was too small."
    )
    missing_mandates = refs_field(
        Kind.MANDATE, "selection.missing_mandates", "The essential mandates that were left out."
    )
    partial: bool = strawberry.field(description="Whether something was not ready in time; see `late`.")
    late: list[Source] = strawberry.field(description="What was not ready in time, and is missing.")
    turn = node_field(Kind.TURN, "turn_uid", "The turn of the context; null for a preview.")
    receipt: ReceiptType = strawberry.field(
        description="What the context included and left out, and why. That of a preview is not stored."
    )


@strawberry.type(description="The context with its stored receipt.")
class AssembleContextPayload:
    """The result of `assembleContext`."""

    context: ContextType
