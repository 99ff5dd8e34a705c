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

strawberry.enum(Section, name="ContextSection", description="A part of a context.")
strawberry.enum(CandidateKind, name="ContextItemKind", description="What a line is.")
strawberry.enum(Reason, name="ContextReason", description="Why something is in a context, or is not.")


@strawberry.type(name="ContextItem", description="A line of a context.")
class ItemType:
    """A line."""

    id: strawberry.ID
    kind: CandidateKind
    text: str = strawberry.field(description="The line as it stands in the context's text.")
    tokens: int
    rank: int = strawberry.field(description="Its place in the context, from 1.")
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
    name="ContextSectionContent", description="A section of a context; empty when it has nothing."
)
class SectionType:
    """A section."""

    name: Section
    items: list[ItemType]


@strawberry.type(name="ReceiptItem", description="Something a turn saw.")
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


@strawberry.type(name="ExcludedItem", description="Something that was left out, and why.")
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


@strawberry.type(name="ExcludedCount", description="How many were left out for one reason, named or not.")
class ExcludedCountType:
    """A count of excluded items."""

    reason: Reason
    count: int


@strawberry.type(
    name="ContextReceipt", description="What a context was made of; ids and numbers only, kept 30 days."
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
    excluded: list[ExcludedType] = strawberry.field(description="The best 100 of what was left out.")
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


@strawberry.type(name="AssembledContext", description="What to have in mind for a prompt, within the budget.")
class ContextType:
    """An assembled context."""

    text: str = strawberry.field(
        description="Ready for a prompt. Stored texts are JSON strings on lines of their own, so that none "
        "of them can pose as anything else."
    )
    sections: list[SectionType] = strawberry.field(description="Every section, in the order of the text.")
    budget: int
    budget_remaining: int = strawberry.field(
        description="The budget less the tokens of `text`; never negative."
    )
    tokenizer: str
    timestamp: datetime
    truncated: bool = strawberry.field(description="Something was left out for lack of budget.")
    insufficient_budget: bool = strawberry.field(description="An essential mandate was.")
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


@strawberry.input(description="Limits beside the budget.")
class ConstraintsInput:
    """Constraints of a context."""

    max_items: int | None = strawberry.field(
        default=None, description="At most so many observations; default 10, mandates and goals do not count."
    )
    min_confidence: float | None = strawberry.field(
        default=None, description="Leaves out what is less certain; inclusive."
    )


@strawberry.input(description="What a context is wanted for.")
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


@strawberry.input(description="What a context is wanted for, and in which turn.")
class AssembleContextInput(ContextInput):
    """The input of `assembleContext`."""

    turn_id: str | None = strawberry.field(
        default=None, description="Your name for the turn; made when it is named first. Default: a new one."
    )
    idempotency_key: str | None = key_field()


@strawberry.type(description="The context, and the receipt that was kept of it.")
class AssembleContextPayload:
    """The result of `assembleContext`."""

    context: ContextType
