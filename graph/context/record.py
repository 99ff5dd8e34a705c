"""Records of contexts and receipts (source 000, §API Contracts)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Any, Self

from pydantic import Field

from prefrontal.graph.context.enums import ContextFormat as ContextFormat  # noqa: PLC0414 - a part of the records
from prefrontal.graph.journal.command import TurnCommand
from prefrontal.graph.record import Key, Limit, Record
from prefrontal.graph.search.record import Passage
from prefrontal.graph.sessions.record import InSession


class Section(StrEnum):
    """The sections of a context. Every section is always present; a section without items is empty."""

    CONSCIOUSNESS = "consciousness"
    FRONTAL_CORTEX = "frontal_cortex"
    EPISODIC_MEMORY = "episodic_memory"
    SEMANTIC_MEMORY = "semantic_memory"
    CONVERSATION_HISTORY = "conversation_history"
    SCRATCH_PAGE = "scratch_page"


class CandidateKind(StrEnum):
    """The kind of an item in a context."""

    MANDATE = "mandate"
    CAPABILITY = "capability"
    GOAL = "goal"
    PENDING_ACTION = "pending_action"
    QUESTION = "question"
    STORY = "story"
    EPISODE = "episode"
    FACT = "fact"
    SKILL = "skill"
    LESSON = "lesson"
    SUMMARY = "summary"
    MESSAGE = "message"
    FRAGMENT = "fragment"
    OBSERVATION = "observation"

    @property
    def retrieved(self) -> bool:
        """Whether candidates of the kind are memories chosen for the prompt, which count for `maxItems`."""
        return self not in _STANDING

    @property
    def planned(self) -> bool:
        """Whether candidates of the kind are part of a plan: what is to be done, found out or told."""
        return self in _PLANNED


_PLANNED = frozenset(
    {CandidateKind.GOAL, CandidateKind.PENDING_ACTION, CandidateKind.QUESTION, CandidateKind.STORY}
)
_STANDING = _PLANNED | {CandidateKind.MANDATE, CandidateKind.CAPABILITY, CandidateKind.SUMMARY}


class Distance(IntEnum):
    """How far the space of a candidate is from the caller."""

    OWN = 0
    """A private space of one of the caller's actors."""
    COMMON = 1
    """The organisation's common space."""
    OTHER = 2
    """A space that somebody else has shared."""


class Reason(StrEnum):
    """Why a candidate was included in a context or left out."""

    ESSENTIAL = "essential"
    ACTIVE = "active"
    URGENT = "urgent"
    MATCHING = "matching"
    RECENT = "recent"
    HELD = "held"
    RELATED = "related"
    OVER_BUDGET = "over_budget"
    OVER_MAX_ITEMS = "over_max_items"
    OVER_LIMIT = "over_limit"
    BELOW_MIN_CONFIDENCE = "below_min_confidence"
    BELOW_RELEVANCE = "below_relevance"
    DUPLICATE = "duplicate"
    SEEN = "seen"


class Source(StrEnum):
    """What a context is made of, as far as it may be late."""

    STANDING = "standing"
    """Mandates, capabilities, active goals, and recent observations and messages."""
    MEMORIES = "memories"
    """The memories that a search finds for the prompt."""
    STEPS = "steps"
    """Pending actions, questions and stories."""
    CONTRADICTIONS = "contradictions"
    """What contradicts the observations."""
    SESSION = "session"
    """What the session of working memory holds, and what earlier ones left that it is related to."""
    MEANING = "meaning"
    """The meaning of the prompt; without it memories are found by words alone."""


class ScoreParts(Record):
    """What a score is the weighted sum of, each 0 to 1. A part is None where it does not count."""

    relevance: float | None = None
    urgency: float | None = None
    recency: float | None = None
    confidence: float | None = None


class ScoredCandidate(Record):
    """What a context considered: its score, and what that came of."""

    uid: str
    section: Section
    score: float
    parts: ScoreParts = ScoreParts()
    reason: Reason
    via: str | None = None
    """The id of what led to it; None if the prompt itself did."""
    passage: Passage | None = None
    """The part of a long memory that is shown; None if it is shown as a whole."""
    path: tuple[str, ...] = ()
    """The ids of what led from the prompt to it, in this order; the last one is `via`."""
    contradicts: tuple[str, ...] = ()
    """The ids of the observations that contradict it."""


class Candidate(ScoredCandidate):
    """What may be included in a context, with its rendered line."""

    kind: CandidateKind
    line: str
    list_rank: int = 0
    """Its place in a list that is chosen as a whole, which counts before its score."""
    essential: bool = False
    urgent: bool = False
    confidence: float | None = None
    said_at: datetime | None = None
    """When a message was said: a conversation is shown in its order."""
    beside: tuple[str, ...] = ()
    """The ids of other candidates, the newest first; if there are any, it is included only with one."""
    scope_id: str
    by_uid: str
    distance: Distance


class StandingCandidates(Record):
    """The candidates of every context, whatever its prompt, and how many more there are than it considers."""

    items: tuple[Candidate, ...]
    recent: tuple[Candidate, ...]
    """The newest observations and messages."""
    summaries: tuple[Candidate, ...] = ()
    """The summaries of what was said before these messages."""
    goals: Mapping[str, float]
    """How relevant the goals among `items` are for the prompt, by id."""
    over_limit: int
    """The mandates, capabilities and active goals that the limits of `context.yaml` cut."""


class ReceiptItem(ScoredCandidate):
    """An item that a context included, without its text."""

    tokens: int
    rank: int

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """Return the item of a row. Older receipts have no `via`, and nothing of what is JSON."""
        given = {name: row[name] for name in cls.model_fields}
        lists = {name: tuple(json.loads(row[name] or "[]")) for name in ("path", "contradicts")}
        said = {"parts": json.loads(row["parts"] or "{}"), "passage": json.loads(row["passage"] or "null")}
        return cls.model_validate({**given, **lists, **said, "via": row["via"] or None})


class Item(ReceiptItem):
    """An item of a context: a rendered line, with its rank, score and number of tokens."""

    scope_id: str
    by_uid: str
    kind: CandidateKind
    text: str


class ExcludedCandidate(ScoredCandidate):
    """A candidate that was left out, with the reason."""

    tokens: int


class Constraints(Record):
    """Limits besides the budget."""

    max_items: Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="The largest number of retrieved memories (observations, facts, skills, episodes and "
        "messages). Without it the budget alone limits what is close to the prompt, and what is merely "
        "recent is added as long as there are fewer than ten. Mandates and goals are not counted.",
    )
    """Capabilities are not counted either (G-096)."""
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="The lowest confidence of included memories (inclusive)."
    )
    """Candidates with a lower confidence are left out; candidates without a confidence are kept (G-097)."""


class Request(InSession):
    """The prompt and the limits of a context."""

    prompt: Annotated[str, Limit("prompt_characters")]
    budget: int = Field(description="Tokens, 0 to 200,000.")
    constraints: Constraints = Constraints()
    sources: bool = Field(
        default=False,
        description="Whether each line of the text also says from which space it is and who wrote it.",
    )
    strict: bool = Field(
        default=False,
        description="Whether a budget without room for an essential mandate is refused (`budget_too_small`) "
        "instead of answered with what fits.",
    )
    format: ContextFormat = Field(
        default=ContextFormat.MARKDOWN,
        description="MARKDOWN: a heading for each kind of items and a line for each item. XML: an element "
        "for each kind, and in it one for each item, with its id. The budget counts what is written.",
    )


class AssembleContext(Request, TurnCommand):
    """The prompt and the limits of a context, and its turn."""

    turn_id: Key | None = Field(
        default=None, description="Your name for the turn; a new name creates the turn. Default: a new turn."
    )
    skip_seen: bool = Field(
        default=False,
        description="Whether what earlier contexts of the turn included is left out (`SEEN`), mandates too: "
        "for a further step, with the budget that remains.",
    )


class SectionItems(Record):
    """A section of a context with its items."""

    name: Section
    items: tuple[Item, ...]


class Selection(Record):
    """The items that fit into the budget, in the order of the sections, and the excluded candidates."""

    items: tuple[Item, ...]
    excluded: tuple[ExcludedCandidate, ...]
    text: str
    used: int
    missing_mandates: tuple[str, ...]
    mandates_need: int = 0
    """The budget from which on every essential mandate has room."""
    over_limit: int = 0
    """How many candidates were not considered, because there are more than the limits of `context.yaml`."""

    @property
    def truncated(self) -> bool:
        """Whether a candidate was left out because it did not fit into the budget."""
        return any(item.reason is Reason.OVER_BUDGET for item in self.excluded)

    @property
    def insufficient_budget(self) -> bool:
        """Whether an essential mandate was left out."""
        return bool(self.missing_mandates)

    @property
    def sections(self) -> tuple[SectionItems, ...]:
        """All sections in their order."""
        return tuple(
            SectionItems(name=section, items=tuple(item for item in self.items if item.section is section))
            for section in Section
        )


class Receipt(Record):
    """What a context included and left out, as ids and numbers only. Receipts are kept for 30 days."""

    uid: str
    turn_id: str | None
    """None for a preview, whose receipt is not stored."""
    turn_uid: str | None = None
    """The id of the turn's node; unknown until the receipt is stored."""
    budget: int
    used: int
    tokenizer: str
    created_at: datetime
    included: tuple[ReceiptItem, ...]
    excluded: tuple[ExcludedCandidate, ...]
    excluded_counts: dict[str, int]
    """The number of candidates left out, by reason. It includes those that are not listed in `excluded`."""

    @property
    def budget_remaining(self) -> int:
        """The budget minus the tokens of the text: what further steps of the turn may use."""
        return self.budget - self.used


class Context(Record):
    """An assembled context."""

    selection: Selection
    budget: int
    timestamp: datetime
    tokenizer: str
    turn_id: str | None
    receipt: Receipt
    late: tuple[Source, ...] = ()
    """What could not be read or computed in time, and is missing."""

    @property
    def partial(self) -> bool:
        """Whether something was not ready in time."""
        return bool(self.late)

    @property
    def turn_uid(self) -> str | None:
        """The id of the turn's node; None for a preview."""
        return self.receipt.turn_uid

    @property
    def budget_remaining(self) -> int:
        """The budget minus the tokens of the text. It is never negative."""
        return self.budget - self.selection.used
