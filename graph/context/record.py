"""Contexts and receipts as values (source 000, §API Contracts)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from prefrontal.graph.record import Record


class Section(StrEnum):
    """The parts of a context; every one is always there, empty when it has nothing."""

    CONSCIOUSNESS = "consciousness"
    FRONTAL_CORTEX = "frontal_cortex"
    EPISODIC_MEMORY = "episodic_memory"
    SEMANTIC_MEMORY = "semantic_memory"
    CONVERSATION_HISTORY = "conversation_history"
    SCRATCH_PAGE = "scratch_page"


class CandidateKind(StrEnum):
    """What a line of a context is."""

    MANDATE = "mandate"
    CAPABILITY = "capability"
    GOAL = "goal"
    OBSERVATION = "observation"


class Reason(StrEnum):
    """Why a candidate is in a context, or is not."""

    ESSENTIAL = "essential"
    ACTIVE = "active"
    MATCHING = "matching"
    RECENT = "recent"
    OVER_BUDGET = "over_budget"
    OVER_MAX_ITEMS = "over_max_items"
    BELOW_MIN_CONFIDENCE = "below_min_confidence"


class Candidate(Record):
    """Something that may go into a context, with the line it would be."""

    uid: str
    kind: CandidateKind
    section: Section
    line: str
    score: float
    essential: bool = False
    confidence: float | None = None
    reason: Reason


class Item(Record):
    """A line of a context."""

    uid: str
    kind: CandidateKind
    section: Section
    text: str
    tokens: int
    rank: int
    score: float
    reason: Reason


class Excluded(Record):
    """A candidate that was left out, and why."""

    uid: str
    section: Section
    tokens: int
    score: float
    reason: Reason


class Constraints(Record):
    """Limits a caller may set beside the budget."""

    max_items: Annotated[int, Field(ge=0)] | None = None
    """How many retrieved memories at most; mandates, capabilities and goals do not count (G-096)."""
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    """Leaves out memories below it; what has no confidence stays (G-097)."""


class Request(Record):
    """What a context is asked for with."""

    prompt: str
    budget: int
    constraints: Constraints = Constraints()


class Selection(Record):
    """What fits, in the order of the sections, and what does not."""

    items: tuple[Item, ...]
    excluded: tuple[Excluded, ...]
    text: str
    used: int
    missing_mandates: tuple[str, ...]

    @property
    def truncated(self) -> bool:
        """Whether something was left out for lack of budget."""
        return any(item.reason is Reason.OVER_BUDGET for item in self.excluded)


class ReceiptItem(Record):
    """What a turn saw."""

    uid: str
    section: Section
    tokens: int
    rank: int
    score: float
    reason: Reason


class Receipt(Record):
    """What a context was made of: kept 30 days, ids and numbers only."""

    uid: str
    turn_id: str
    budget: int
    used: int
    tokenizer: str
    created_at: datetime
    included: tuple[ReceiptItem, ...]
    excluded: tuple[Excluded, ...]
    excluded_counts: dict[str, int]
    """How many were left out for each reason, named or not."""


class Context(Record):
    """An assembled context."""

    selection: Selection
    budget: int
    timestamp: datetime
    tokenizer: str
    turn_id: str | None
    receipt: Receipt | None

    @property
    def budget_remaining(self) -> int:
        """The budget less the tokens of the text; never negative."""
        return self.budget - self.selection.used
