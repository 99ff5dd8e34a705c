"""Value types of turns: assessment and deltas (source 003, §Interfaces, §Turn-level Behavior)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from prefrontal.graph.cortex.actions.record import ActionDone, ActionUpsert, EntryProblem, PendingAction
from prefrontal.graph.cortex.goals.record import Goal, ProgressDelta
from prefrontal.graph.cortex.questions.record import PairDraft, Question, Story
from prefrontal.graph.record import Record


class Turn(Record):
    """A turn; `key` is the client's id of the turn."""

    uid: str
    key: str
    scope_id: str
    created_at: datetime
    by_uid: str


class Sizes(Record):
    """The maximum length of each list of an assessment; the default page size if None."""

    goals: int | None = None
    actions: int | None = None
    questions: int | None = None


class Asked(Record):
    """An open question, with its stories that are not archived, newest first."""

    question: Question
    stories: tuple[Story, ...]


class Assessment(Record):
    """The goals, actions and questions with which a turn begins."""

    turn: Turn
    goals: tuple[Goal, ...]
    """The active goals, most urgent first."""
    agent_actions: tuple[PendingAction, ...]
    user_actions: tuple[PendingAction, ...]
    questions: tuple[Asked, ...]
    """Most urgent first."""


class DeltaKind(StrEnum):
    """The kinds of delta."""

    PROGRESS = "progress"
    NEW_ACTION = "new_action"
    UPDATED_ACTION = "updated_action"
    COMPLETED_ACTION = "completed_action"
    STORY_UPDATE = "story_update"


class Delta(Record):
    """One change that a turn reports at its end."""

    kind: DeltaKind
    path: str
    """The delta's path in the input, e.g. `completedActions[2]`."""
    key: str | None = None
    """The client's own key, unique in a turn; without it, the body identifies the delta."""
    body: ProgressDelta | ActionUpsert | ActionDone | PairDraft


class DeltaResult(Record):
    """The result of one delta."""

    kind: DeltaKind
    path: str
    repeated: bool
    """Whether the delta was applied earlier in this turn; then this is the earlier result."""
    created: bool = False
    goal: Goal | None = None
    before: float | None = None
    after: float | None = None
    action: PendingAction | None = None
    question: Question | None = None
    story: Story | None = None
    problem: EntryProblem | None = None
