"""Value types of turns: assessment and deltas (source 003, §Interfaces, §Turn-level Behavior)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.context.record import Reason, Section
from prefrontal.graph.cortex.actions.record import (
    ActionDone,
    EntryProblem,
    EvidenceRefs,
    PendingAction,
    PendingActionUpsert,
)
from prefrontal.graph.cortex.goals.record import Goal, ProgressDelta
from prefrontal.graph.cortex.questions.record import PairDraft, Question, Story
from prefrontal.graph.journal.command import Command, space
from prefrontal.graph.record import Id, Key, OneByOne, Record, Title


class Turn(Record):
    """A turn; `key` is the client's id of the turn."""

    uid: str
    key: str
    scope_id: str
    created_at: datetime
    by_uid: str


class Seen(Record):
    """A memory or a goal that a context of a turn included."""

    uid: str
    section: Section
    rank: int
    tokens: int
    score: float
    reason: Reason


TurnName = Annotated[Key, Field(description="Your name for the turn; a new name creates the turn.")]


class StartTurnSizes(Record):
    """The largest length of each list, 1 to 100; default: 20."""

    goals: int | None = None
    actions: int | None = Field(
        default=None, description="For the agent's actions and for the user's actions."
    )
    questions: int | None = None


class StartTurn(Command):
    """The turn to begin."""

    turn_id: TurnName
    most: StartTurnSizes | None = None


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


def _key() -> Any:
    return Field(
        default=None,
        description="Your own name for the delta, unique in the turn. Without a name the content "
        "identifies the delta: the same content twice in a turn is applied once.",
    )


class TurnProgress(ProgressDelta):
    """A change of a goal's progress."""

    key: str | None = _key()


class TurnAction(PendingActionUpsert):
    """A pending action, as in `upsertPendingActions`."""

    key: str | None = _key()


class TurnCompletion(ActionDone):
    """A pending action to complete."""

    client_key: str | None = Field(
        default=None,
        description="Your own name for the action, instead of `id`; it may be an action that this turn "
        "creates.",
    )
    key: str | None = _key()


class TurnStory(PairDraft):
    """A question and a story that answers it, as in `upsertQuestionStory`."""

    key: str | None = _key()


class TurnReflection(Record):
    """An insight of the turn: a note with its evidence, and the progress and the story that follow from it.
    Progress and story are two separate deltas.
    """  # noqa: D205 - one paragraph: it is the description of the input

    note: Title | None = Field(default=None, description="The note for the change of progress.")
    evidence_refs: EvidenceRefs = Field(
        default=(),
        description="Evidence that is added to the references of the progress and to the evidence of the "
        "story.",
    )
    progress: Annotated[TurnProgress | None, OneByOne()] = None
    story_update: Annotated[TurnStory | None, OneByOne()] = None

    def deltas(self, path: str) -> list[Delta]:
        """Return the deltas of the reflection, which stands at a path of the input."""
        found: list[Delta] = []
        if (step := self.progress) is not None:
            told = {"note": step.note or self.note, "references": (*step.references, *self.evidence_refs)}
            body = step.model_copy(update=told)
            found.append(Delta(kind=DeltaKind.PROGRESS, path=f"{path}.progress", body=body))
        if (pair := self.story_update) is not None:
            if pair.story is not None and self.evidence_refs:
                refs = (*pair.story.evidence_refs, *self.evidence_refs)
                story = pair.story.model_copy(update={"evidence_refs": refs})
                pair = pair.model_copy(update={"story": story})
            found.append(Delta(kind=DeltaKind.STORY_UPDATE, path=f"{path}.storyUpdate", body=pair))
        return found


class Delta(Record):
    """One change that a turn reports at its end."""

    kind: DeltaKind
    path: str
    """The delta's path in the input, e.g. `completedActions[2]`."""
    body: TurnProgress | TurnAction | TurnCompletion | TurnStory

    @property
    def key(self) -> str | None:
        """The client's own key, unique in a turn; without it, the body identifies the delta."""
        return self.body.key


class CommitAtTurnEnd(Command):
    """The results of a turn: at most 200 deltas. They are applied in the order of these fields. Each delta is
    checked separately, and applied once per turn.
    """  # noqa: D205 - one paragraph: it is the description of the input

    turn_id: TurnName
    progress: Annotated[tuple[TurnProgress, ...], OneByOne()] = ()
    new_actions: Annotated[tuple[TurnAction, ...], OneByOne()] = ()
    updated_actions: Annotated[tuple[TurnAction, ...], OneByOne()] = ()
    completed_actions: Annotated[tuple[TurnCompletion, ...], OneByOne()] = ()
    story_updates: Annotated[tuple[TurnStory, ...], OneByOne()] = ()
    reflections: tuple[TurnReflection, ...] = ()
    space: Id | None = space()

    @property
    def deltas(self) -> list[Delta]:
        """The deltas in the order in which they are applied."""
        lists = (
            (DeltaKind.PROGRESS, "progress", self.progress),
            (DeltaKind.NEW_ACTION, "newActions", self.new_actions),
            (DeltaKind.UPDATED_ACTION, "updatedActions", self.updated_actions),
            (DeltaKind.COMPLETED_ACTION, "completedActions", self.completed_actions),
            (DeltaKind.STORY_UPDATE, "storyUpdates", self.story_updates),
        )
        found = [
            Delta(kind=kind, path=f"{name}[{number}]", body=body)
            for kind, name, bodies in lists
            for number, body in enumerate(bodies)
        ]
        for number, reflection in enumerate(self.reflections):
            found += reflection.deltas(f"reflections[{number}]")
        return found


class DeltaResult(Record):
    """The result of one delta."""

    kind: DeltaKind
    path: str
    repeated: bool
    """Whether the delta was applied earlier in this turn, or the action was completed before.

    Then this is the earlier result.
    """
    created: bool = False
    goal: Goal | None = None
    before: float | None = None
    after: float | None = None
    action: PendingAction | None = None
    question: Question | None = None
    story: Story | None = None
    problem: EntryProblem | None = None

    def respelled(self, names: Mapping[str, str]) -> DeltaResult:
        """Return the result with other names for the fields of its problem, where `names` has some."""
        if self.problem is None:
            return self
        return self.model_copy(update={"problem": self.problem.respelled(names)})
