"""Contexts and receipts as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry

from prefrontal.api.graphql.inputs import draft, key_field
from prefrontal.graph.context.record import (
    CandidateKind,
    Context,
    Excluded,
    Item,
    Reason,
    Receipt,
    ReceiptItem,
    Request,
    Section,
)

strawberry.enum(Section, name="ContextSection", description="A section of a context.")
strawberry.enum(CandidateKind, name="ContextItemKind", description="The kind of an item.")
strawberry.enum(
    Reason, name="ContextReason", description="The reason why an item was included in a context or left out."
)


@strawberry.type(name="ContextItem", description="An item of a context; each item is one line of the text.")
class ItemType:
    """A line."""

    id: strawberry.ID
    kind: CandidateKind
    text: str = strawberry.field(description="The item's line in the text of the context.")
    tokens: int
    rank: int = strawberry.field(description="The position of the item in the context, from 1.")
    score: float = strawberry.field(description="0–1.")
    reason: Reason

    @classmethod
    def from_record(cls, item: Item) -> ItemType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(item.uid),
            kind=item.kind,
            text=item.text,
            tokens=item.tokens,
            rank=item.rank,
            score=item.score,
            reason=item.reason,
        )


@strawberry.type(
    name="ContextSectionContent", description="A section of a context with its items; may be empty."
)
class SectionType:
    """A section."""

    name: Section
    items: list[ItemType]


@strawberry.type(name="ReceiptItem", description="An item that was included in a turn's context.")
class ReceiptItemType:
    """An included item."""

    id: strawberry.ID
    section: Section
    tokens: int
    rank: int
    score: float
    reason: Reason

    @classmethod
    def from_record(cls, item: ReceiptItem) -> ReceiptItemType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(item.uid),
            section=item.section,
            tokens=item.tokens,
            rank=item.rank,
            score=item.score,
            reason=item.reason,
        )


@strawberry.type(name="ExcludedItem", description="An item that was left out of a context, with the reason.")
class ExcludedType:
    """An excluded item."""

    id: strawberry.ID
    section: Section
    tokens: int
    score: float
    reason: Reason

    @classmethod
    def from_record(cls, item: Excluded) -> ExcludedType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(item.uid),
            section=item.section,
            tokens=item.tokens,
            score=item.score,
            reason=item.reason,
        )


@strawberry.type(
    name="ExcludedCount",
    description="The number of all items left out for one reason, including those that the receipt does not "
    "list.",
)
class ExcludedCountType:
    """A count of excluded items."""

    reason: Reason
    count: int


@strawberry.type(
    name="ContextReceipt",
    description="The record of an assembled context: ids and numbers only, kept for 30 days.",
)
class ReceiptType:
    """A receipt."""

    id: strawberry.ID
    turn_id: str
    budget: int
    used: int
    tokenizer: str
    created_at: datetime
    included: list[ReceiptItemType]
    excluded: list[ExcludedType] = strawberry.field(
        description="The 100 items with the highest scores among those left out."
    )
    excluded_counts: list[ExcludedCountType]

    @classmethod
    def from_record(cls, r: Receipt) -> ReceiptType:
        """Return the type of a record."""
        return cls(
            id=strawberry.ID(r.uid),
            turn_id=r.turn_id,
            budget=r.budget,
            used=r.used,
            tokenizer=r.tokenizer,
            created_at=r.created_at,
            included=[ReceiptItemType.from_record(item) for item in r.included],
            excluded=[ExcludedType.from_record(item) for item in r.excluded],
            excluded_counts=[
                ExcludedCountType(reason=Reason(reason), count=count)
                for reason, count in sorted(r.excluded_counts.items())
            ],
        )


@strawberry.type(
    name="AssembledContext",
    description="A context: what an agent should have in mind for a prompt, within a token budget.",
)
class ContextType:
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
    missing_mandates: list[strawberry.ID]
    turn_id: str | None
    receipt: ReceiptType | None

    @classmethod
    def from_record(cls, context: Context) -> ContextType:
        """Return the type of a record."""
        selection = context.selection
        return cls(
            text=selection.text,
            sections=[
                SectionType(
                    name=section,
                    items=[ItemType.from_record(i) for i in selection.items if i.section is section],
                )
                for section in Section
            ],
            budget=context.budget,
            budget_remaining=context.budget_remaining,
            tokenizer=context.tokenizer,
            timestamp=context.timestamp,
            truncated=selection.truncated,
            insufficient_budget=bool(selection.missing_mandates),
            missing_mandates=[strawberry.ID(uid) for uid in selection.missing_mandates],
            turn_id=context.turn_id,
            receipt=ReceiptType.from_record(context.receipt) if context.receipt else None,
        )


@strawberry.input(description="Limits besides the budget.")
class ConstraintsInput:
    """Constraints of a context."""

    max_items: int | None = strawberry.field(
        default=None,
        description="The largest number of observations; default 10. Mandates and goals are not counted.",
    )
    min_confidence: float | None = strawberry.field(
        default=None, description="The lowest confidence of included observations (inclusive)."
    )


@strawberry.input(description="The prompt and the limits of a context.")
class ContextInput:
    """The input of `previewContext`."""

    prompt: str
    budget: int = strawberry.field(description="Tokens, 0 to 200,000.")
    constraints: ConstraintsInput | None = None

    def request(self) -> Request:
        """Return the request; raise `InvalidInput` for values out of range."""
        return draft(
            Request,
            {
                "prompt": self.prompt,
                "budget": self.budget,
                "constraints": {
                    "max_items": self.constraints.max_items,
                    "min_confidence": self.constraints.min_confidence,
                }
                if self.constraints
                else {},
            },
        )


@strawberry.input(description="The prompt and the limits of a context, and its turn.")
class AssembleContextInput(ContextInput):
    """The input of `assembleContext`."""

    turn_id: str | None = strawberry.field(
        default=None, description="Your name for the turn; a new name creates the turn. Default: a new turn."
    )
    idempotency_key: str | None = key_field()


@strawberry.type(description="The context with its stored receipt.")
class AssembleContextPayload:
    """The result of `assembleContext`."""

    context: ContextType
