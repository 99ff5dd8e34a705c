"""Value types of turns: assessment and deltas (source 003, §Interfaces, §Turn-level Behavior)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from prefrontal.graph.cortex.actions.record import (
    ActionDone,
    EntryResult,
    EvidenceRefs,
    PendingAction,
    PendingActionUpsert,
)
from prefrontal.graph.cortex.goals.record import Goal, GoalStatus, ProgressDelta
from prefrontal.graph.cortex.questions.record import PairDraft, Question, Story
from prefrontal.graph.journal.command import Command, TurnName, expected_version, space
from prefrontal.graph.memory.record import Memory, MemoryDraft
from prefrontal.graph.record import Id, Key, OneByOne, Record, Title
from prefrontal.graph.scratch.record import Observation, ObservationDraft, ObservationEntry, ObservationUpdate
from prefrontal.graph.sessions.record import InSession


class TurnStatus(StrEnum):
    """How far a turn is."""

    OPEN = "open"
    COMPLETE = "complete"
    ABANDONED = "abandoned"


class CommitStatus(StrEnum):
    """How much of a turn was committed."""

    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"


class Turn(Record):
    """A turn; `key` is the name that the client chose for it."""

    uid: str
    key: str
    handle: str
    """What it is known by: its name, or its id once the name stands for a later turn."""
    status: TurnStatus
    ended_at: datetime | None
    completed_at: datetime | None = None
    final_at: datetime | None = None
    commit_status: CommitStatus | None = None
    summary: str | None = None
    scope_id: str
    created_at: datetime
    by_uid: str


class Neighbours(Record):
    """The turns before and after a turn in its space."""

    previous: Turn | None
    next: Turn | None


class StartTurnSizes(Record):
    """The largest length of each list, 1 to 100; default: 20."""

    goals: int | None = None
    actions: int | None = Field(
        default=None, description="For the agent's actions and for the user's actions."
    )
    questions: int | None = None


class StartTurn(InSession, Command):
    """The turn to begin."""

    turn_id: TurnName
    most: StartTurnSizes | None = None


class OpenQuestion(Record):
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
    questions: tuple[OpenQuestion, ...]
    """Most urgent first."""


class DeltaKind(StrEnum):
    """The kinds of delta."""

    PROGRESS = "progress"
    NEW_ACTION = "new_action"
    UPDATED_ACTION = "updated_action"
    COMPLETED_ACTION = "completed_action"
    STORY_UPDATE = "story_update"
    OBSERVATION = "observation"
    MEMORY = "memory"
    GOAL_STATUS = "goal_status"
    ACTION_STATUS = "action_status"
    COMPLETED_GOAL = "completed_goal"
    UPDATED_OBSERVATION = "updated_observation"
    ARCHIVED_OBSERVATION = "archived_observation"
    CLEARED_OBSERVATION = "cleared_observation"


def _key() -> Any:
    return Field(
        default=None,
        description="Your own name for the delta, unique in the turn. Without a name the content "
        "identifies the delta: the same content in a later call of the turn is a repetition, and twice in "
        "one call it is two deltas.",
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


class TurnObservation(ObservationDraft):
    """Something that the turn noticed, as in `addObservations`."""

    key: str | None = _key()


class TurnMemory(MemoryDraft):
    """A mandate or capability to remember, as in `remember`."""

    key: str | None = _key()


class TurnObservationUpdate(ObservationUpdate):
    """An observation and its new values, as in `updateObservation`."""

    key: str | None = _key()


class TurnObservationEnd(ObservationEntry):
    """An observation to put away."""

    key: str | None = _key()


class TurnGoalStatus(Record):
    """A goal and its new status, as in `transitionGoal`."""

    id: Id
    status: GoalStatus
    reason: Title | None = None
    expected_version: int | None = expected_version()
    key: str | None = _key()


class TurnGoalDone(Record):
    """A goal to complete."""

    id: Id
    reason: Title | None = None
    expected_version: int | None = expected_version()
    key: str | None = _key()


class TurnActionStatus(ActionDone):
    """A pending action and its new status, as in `transitionPendingAction`."""

    status: Key = Field(description="One of the type's `allowedStatuses`.")
    key: str | None = _key()


class TurnReflection(Record):
    """An insight of the turn: a note with its evidence, and the progress and the story that follow from it.
    Progress and story are two separate deltas. A note that no progress takes is a delta too: it is stored as
    an observation of the type `reflection`.
    """  # noqa: D205 - one paragraph: it is the description of the input

    note: Title | None = Field(
        default=None,
        description="The note for the change of progress; without progress, or if that has a note of its "
        "own, the text of an observation.",
    )
    evidence_refs: EvidenceRefs = Field(
        default=(),
        description="Evidence that is added to the references of the progress and to the evidence of the "
        "story; of an observation, it is `evidenceRefs` of the metadata.",
    )
    progress: Annotated[TurnProgress | None, OneByOne()] = None
    story_update: Annotated[TurnStory | None, OneByOne()] = None

    def deltas(self, path: str) -> list[Delta]:
        """Return the deltas of the reflection, which stands at a path of the input."""
        found: list[Delta] = []
        note = self.note
        if (step := self.progress) is not None:
            told = {"note": step.note or note, "references": (*step.references, *self.evidence_refs)}
            note = note if step.note else None
            body = step.model_copy(update=told)
            found.append(Delta(kind=DeltaKind.PROGRESS, path=f"{path}.progress", body=body))
        if (pair := self.story_update) is not None:
            if pair.story is not None and self.evidence_refs:
                refs = (*pair.story.evidence_refs, *self.evidence_refs)
                story = pair.story.model_copy(update={"evidence_refs": refs})
                pair = pair.model_copy(update={"story": story})
            found.append(Delta(kind=DeltaKind.STORY_UPDATE, path=f"{path}.storyUpdate", body=pair))
        if note is not None:
            metadata = {"evidenceRefs": list(self.evidence_refs)} if self.evidence_refs else None
            noted = TurnObservation(content=note, type="reflection", metadata=metadata)
            where = f"{path}.note" if found else path
            found.append(Delta(kind=DeltaKind.OBSERVATION, path=where, body=noted))
        return found

    def keeps_its_evidence(self) -> bool:
        """Return whether there is something that the evidence is stored with."""
        story = self.story_update is not None and self.story_update.story is not None
        return not self.evidence_refs or story or self.note is not None or self.progress is not None


class Delta(Record):
    """One change that a turn reports at its end."""

    kind: DeltaKind
    path: str
    """The delta's path in the input, e.g. `completedActions[2]`."""
    body: (
        TurnProgress
        | TurnAction
        | TurnActionStatus
        | TurnCompletion
        | TurnStory
        | TurnObservation
        | TurnMemory
        | TurnObservationUpdate
        | TurnObservationEnd
        | TurnGoalStatus
        | TurnGoalDone
    )

    @property
    def key(self) -> str | None:
        """The client's own key, unique in a turn; without it, the body identifies the delta."""
        return self.body.key


class CommitAtTurnEnd(InSession, Command):
    """The results of a turn: at most 200 deltas. They are applied in the order of these fields. Each delta is
    checked separately, and applied once per turn.
    """  # noqa: D205 - one paragraph: it is the description of the input

    turn_id: TurnName
    observations: Annotated[tuple[TurnObservation, ...], OneByOne()] = ()
    memories: Annotated[tuple[TurnMemory, ...], OneByOne()] = ()
    goal_statuses: Annotated[tuple[TurnGoalStatus, ...], OneByOne()] = Field(
        default=(), description="Applied before the progress, so that a goal can be reopened first."
    )
    progress: Annotated[tuple[TurnProgress, ...], OneByOne()] = ()
    new_actions: Annotated[tuple[TurnAction, ...], OneByOne()] = ()
    updated_actions: Annotated[tuple[TurnAction, ...], OneByOne()] = Field(
        default=(), description="Existing actions, by `id` or `clientKey`; an unknown one is `not_found`."
    )
    action_statuses: Annotated[tuple[TurnActionStatus, ...], OneByOne()] = ()
    completed_actions: Annotated[tuple[TurnCompletion, ...], OneByOne()] = ()
    story_updates: Annotated[tuple[TurnStory, ...], OneByOne()] = ()
    reflections: tuple[TurnReflection, ...] = ()
    completed_goals: Annotated[tuple[TurnGoalDone, ...], OneByOne()] = Field(
        default=(), description="Goals to complete, after everything else."
    )
    updated_observations: Annotated[tuple[TurnObservationUpdate, ...], OneByOne()] = Field(
        default=(), description="Observations of earlier calls with new values."
    )
    archived_observations: Annotated[tuple[TurnObservationEnd, ...], OneByOne()] = Field(
        default=(), description="Observations to archive: they are settled, and stay readable."
    )
    cleared_observations: Annotated[tuple[TurnObservationEnd, ...], OneByOne()] = Field(
        default=(), description="Observations to take off the scratch page: they are done with."
    )
    space: Id | None = space()

    @property
    def deltas(self) -> list[Delta]:
        """The deltas in the order in which they are applied."""
        reflected = [
            delta
            for number, reflection in enumerate(self.reflections)
            for delta in reflection.deltas(f"reflections[{number}]")
        ]
        return [
            *_deltas(DeltaKind.OBSERVATION, "observations", self.observations),
            *_deltas(DeltaKind.MEMORY, "memories", self.memories),
            *_deltas(DeltaKind.GOAL_STATUS, "goalStatuses", self.goal_statuses),
            *_deltas(DeltaKind.PROGRESS, "progress", self.progress),
            *_deltas(DeltaKind.NEW_ACTION, "newActions", self.new_actions),
            *_deltas(DeltaKind.UPDATED_ACTION, "updatedActions", self.updated_actions),
            *_deltas(DeltaKind.ACTION_STATUS, "actionStatuses", self.action_statuses),
            *_deltas(DeltaKind.COMPLETED_ACTION, "completedActions", self.completed_actions),
            *_deltas(DeltaKind.STORY_UPDATE, "storyUpdates", self.story_updates),
            *reflected,
            *_deltas(DeltaKind.COMPLETED_GOAL, "completedGoals", self.completed_goals),
            *_deltas(DeltaKind.UPDATED_OBSERVATION, "updatedObservations", self.updated_observations),
            *_deltas(DeltaKind.ARCHIVED_OBSERVATION, "archivedObservations", self.archived_observations),
            *_deltas(DeltaKind.CLEARED_OBSERVATION, "clearedObservations", self.cleared_observations),
        ]


def _deltas(kind: DeltaKind, name: str, bodies: Sequence[Any]) -> list[Delta]:
    return [Delta(kind=kind, path=f"{name}[{number}]", body=body) for number, body in enumerate(bodies)]


class DeltaResult(EntryResult):
    """The result of one delta."""

    kind: DeltaKind
    path: str
    key: str | None
    repeated: bool
    """Whether the delta was sent earlier in this turn with this result, or the action was completed before.

    Then nothing was written now.
    """
    created: bool = False
    observation: Observation | None = None
    memory: Memory | None = None
    goal: Goal | None = None
    before: float | None = None
    after: float | None = None
    action: PendingAction | None = None
    question: Question | None = None
    story: Story | None = None
