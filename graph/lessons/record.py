"""Records of lessons (source 000, §Lesson Extraction; decisions G-112, G-113, G-115 and G-116)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.journal.command import ChangeCommand
from prefrontal.graph.memory.record import Memory
from prefrontal.graph.record import Key, Limit, Record, Reference, Title


class LessonKind(StrEnum):
    """What a lesson says."""

    WORKED = "worked"
    IMPROVE = "improve"
    RELIABLE = "reliable"
    SEVERAL = "several"
    FAILURE = "failure"
    FALLBACK = "fallback"
    RETRY = "retry"


class LessonSource(StrEnum):
    """What a lesson was learned from."""

    FEEDBACK = "feedback"
    LOG = "log"


class Call(Record):
    """A call of a tool in a turn."""

    invocation_uid: str
    tool: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    failed: bool = False
    error: str | None = None
    """The message of the error, if it failed."""


class TurnEvidence(Record):
    """What is known of a turn once its outcome is recorded: all that a lesson can be learned from."""

    turn_uid: str
    turn_name: str | None = None
    """The client's name for the turn."""
    outcome_uid: str = ""
    """Empty as long as the outcome has no id yet."""
    success: bool
    result: str | None = None
    what_worked: tuple[str, ...] = ()
    what_could_improve: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    """In the order in which they were made."""


class Claim(Record):
    """What evidence says about a subject: that it holds, or that it does not."""

    subject: str
    holds: bool


class LessonDraft(Record):
    """A lesson that an extractor has found."""

    statement: str
    """A general text, without ids, times and values of the one turn."""
    says: LessonKind
    source: LessonSource
    subject: str
    """What it is about; two lessons about one subject of which one `holds` contradict each other."""
    holds: bool = True
    aspect: str = ""
    """What of the subject it is about. With `says` and `subject` it identifies the lesson."""
    implied: tuple[Claim, ...] = ()
    """What else the evidence shows, besides that the lesson holds: it contradicts other lessons."""
    tags: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    """The ids of the calls that it was learned from."""
    conflicting: bool = False
    """Whether its outcome also says the opposite."""

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that the evidence shows."""
        return (Claim(subject=self.subject, holds=self.holds), *self.implied)

    @property
    def key(self) -> str:
        """What identifies the lesson in its space."""
        return "\n".join((self.says.value, self.subject, self.aspect, str(self.holds)))


class Issue(Record):
    """Something that did not go well in a turn."""

    code: str
    """`tool_failed`, `could_improve`, `conflicting_feedback` or `failed`."""
    message: str
    tool: str | None = None
    error: str | None = None
    """The kind of the error, by the registry."""
    recovered: bool = False
    """Whether a later call made up for it."""


class Evaluation(Record):
    """What an evaluator finds in a turn."""

    success: bool
    issues: tuple[Issue, ...] = ()
    needs_follow_up: bool = False
    follow_up: str | None = None
    """What is to be done, as the title of an action."""


class PatternKind(StrEnum):
    """What happens again and again."""

    REPEATED_FAILURE = "repeated_failure"
    REPEATED_FALLBACK = "repeated_fallback"


class Pattern(Record):
    """Something that happened in several of the recent turns."""

    kind: PatternKind
    tool: str
    other: str | None = None
    """The tool that took its place, for a fallback."""
    error: str
    """The kind of the error, by the registry."""
    turns: int
    """In how many turns it happened."""
    calls: int
    """How many calls failed so."""
    statement: str


class Lesson(Memory):
    """A stored lesson: a durable memory with the outcomes that speak for it and against it."""

    says: LessonKind
    source: LessonSource
    subject: str
    holds: bool
    aspect: str
    lesson_key: str
    tools: tuple[str, ...] = ()
    support: int
    contradiction: int
    conflicting: bool
    retired_at: datetime | None = None
    retired_reason: str | None = None
    contradicts: tuple[str, ...] = ()
    """The ids of the lessons of its space that say the opposite."""


class LessonFilter(Record):
    """Conditions on lessons; all given conditions must hold."""

    tags: Annotated[tuple[Annotated[str, Limit("tag_characters")], ...], Limit("tags")] = Field(
        default=(), description="All of these tags, without regard to case."
    )
    tool: Key | None = Field(default=None, description="Lessons about the tool with this name.")
    min_support: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="At least so many outcomes speak for it."
    )
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        default=None, description="0–1: at least so sure."
    )
    include_retired: bool = Field(default=False, description="Whether retired lessons are listed too.")
    space: Reference | None = Field(default=None, description="Lessons of this space.")


class RetireLesson(ChangeCommand):
    """A lesson that is not to be shown any more, and why."""

    reason: Title


class RestoreLesson(ChangeCommand):
    """A retired lesson that is to be shown again."""
