"""Turns, what each begins with and what it leaves behind (source 003, §Interfaces, §Turn-level Behavior)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.cortex.actions.record import ActionDone, ActionUpsert, EntryProblem, PendingAction
from prefrontal.graph.cortex.goals.record import Goal, ProgressDelta
from prefrontal.graph.cortex.questions.record import PairDraft, Question, Story
from prefrontal.graph.record import Record


class Turn(Record):
    """A turn: `key` is the id its client calls it by."""

    uid: str
    key: str
    scope_id: str
    created_at: datetime
    by_uid: str


class Sizes(Record):
    """How long each list of an assessment is at most; the usual length of a page when left out."""

    goals: int | None = None
    actions: int | None = None
    questions: int | None = None


class Asked(Record):
    """A question that waits for an answer, with its stories that are not archived, newest first."""

    question: Question
    stories: tuple[Story, ...]


class Assessment(Record):
    """What a turn begins with."""

    turn: Turn
    goals: tuple[Goal, ...]
    """Those being worked on, most urgent first."""
    agent_actions: tuple[PendingAction, ...]
    user_actions: tuple[PendingAction, ...]
    questions: tuple[Asked, ...]
    """Most urgent first."""


class DeltaKind(StrEnum):
    """What a delta does."""

    PROGRESS = "progress"
    NEW_ACTION = "new_action"
    UPDATED_ACTION = "updated_action"
    COMPLETED_ACTION = "completed_action"
    STORY_UPDATE = "story_update"


class Delta(Record):
    """One thing that a turn leaves behind."""

    kind: DeltaKind
    path: str
    """Where it stands in the input, e.g. `completedActions[2]`."""
    key: str | None = None
    """The client's own name for it, once in a turn; without one it is what it says."""
    body: ProgressDelta | ActionUpsert | ActionDone | PairDraft


class DeltaResult(Record):
    """What became of one delta."""

    kind: DeltaKind
    path: str
    repeated: bool
    """It was there before in this turn: this is what became of it then, and nothing was written now."""
    created: bool = False
    goal: Goal | None = None
    before: float | None = None
    after: float | None = None
    action: PendingAction | None = None
    question: Question | None = None
    story: Story | None = None
    problem: EntryProblem | None = None
