"""Turns and their trace as GraphQL types."""

from __future__ import annotations

from datetime import datetime

import strawberry
from strawberry.scalars import JSON

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.input_types import takes
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.questions.inputs import QuestionInput, StoryInput
from prefrontal.api.graphql.questions.types import QuestionType, StoryType
from prefrontal.api.graphql.records import Shown, shows
from prefrontal.graph.cortex.questions.record import Named
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.record import TraceEntry, TraceKind
from prefrontal.graph.storage.paging import Page
from prefrontal.graph.turns.record import DeltaKind, DeltaResult, Turn, TurnStory

strawberry.enum(TraceKind, name="TraceKind", description="The kind of a trace entry.")
strawberry.enum(DeltaKind, name="DeltaKind", description="The kind of a delta.")


@shows(Turn, "A turn: one cycle of an agent's work, from assembling the context to the commit.")
class TurnType(Shown, Node):
    """A turn."""

    key: str = strawberry.field(description="The client's name for the turn.")
    space: strawberry.ID
    created_at: datetime
    created_by: strawberry.ID


@shows(TraceEntry, "An entry of a turn's trace.", rename={"turn_id": "turn"})
class TraceEntryType(Shown):
    """A trace entry."""

    id: strawberry.ID
    created_at: datetime
    turn_id: str | None
    kind: TraceKind
    message: str
    ids: list[strawberry.ID] = strawberry.field(description="The ids of the records that the entry concerns.")
    details: JSON = strawberry.field(description="Codes and numbers, never content.")


@strawberry.type(description="A page of a turn's trace, oldest first.")
class TraceConnection:
    """A page of a trace."""

    nodes: list[TraceEntryType]
    page_info: PageInfo

    @classmethod
    def from_page(cls, page: Page[TraceEntry]) -> TraceConnection:
        """Return the connection of a page."""
        return cls(
            nodes=[TraceEntryType.from_record(entry) for entry in page.items],
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )


@takes(TurnStory)
@strawberry.input(description="A question and a story that answers it, as in `upsertQuestionStory`.")
class TurnStoryInput:
    """An entry of `storyUpdates`."""

    question: QuestionInput
    story: StoryInput | None = None
    key: str | None = strawberry.field(default=None, description=TurnStory.model_fields["key"].description)

    def values(self, path: str) -> dict[str, object]:
        """Return the values of the record; raise `InvalidInput` for values of the wrong form."""
        try:
            question = self.question.changes()
            story = self.story.changes() if self.story else None
        except InvalidInput as error:
            error.field = f"{path}.{error.field}"
            raise
        return {
            "question_named": _named(self.question),
            "question": question,
            "story_named": _named(self.story) if self.story else Named(),
            "story": story,
            "key": self.key,
        }

    def spellings(self, path: str) -> dict[str, str]:
        """Return nothing: no field has an alias."""
        del path
        return {}


def _named(given: QuestionInput | StoryInput) -> Named:
    return Named(uid=given.id, client_key=given.client_key, expected_version=given.expected_version)


@strawberry.type(description="The state at the beginning of a turn; each list has a deterministic order.")
class StartTurnPayload:
    """The result of `startTurn`."""

    turn: TurnType
    goals: list[GoalType] = strawberry.field(description="The active goals, most urgent first.")
    agent_actions: list[PendingActionType] = strawberry.field(
        description="The agent's open actions, in descending order of utility."
    )
    user_actions: list[PendingActionType] = strawberry.field(
        description="The user's open actions, in the same order."
    )
    questions: list[QuestionType] = strawberry.field(
        description="The open questions, most urgent first, with their `stories`."
    )


@shows(DeltaResult, "The result of one delta.", name="TurnDeltaResult")
class DeltaResultType(Shown):
    """The result of one delta."""

    kind: DeltaKind
    path: str = strawberry.field(
        description="The path of the delta in the input, e.g. `completedActions[2]`."
    )
    repeated: bool = strawberry.field(
        description="Whether the delta was applied earlier in the turn. The result is then the earlier "
        "one, and nothing was written now."
    )
    created: bool = strawberry.field(
        description="Whether the delta created a record instead of changing one."
    )
    goal: GoalType | None = strawberry.field(
        description="The goal whose progress changed, in its present state."
    )
    before: float | None = strawberry.field(description="The goal's progress before the change.")
    after: float | None = strawberry.field(description="The goal's progress after the change.")
    action: PendingActionType | None
    question: QuestionType | None
    story: StoryType | None
    problem: Problem | None = strawberry.field(description="The reason why the delta was not applied.")


@strawberry.type(description="The result of each delta, in the order of application.")
class CommitAtTurnEndPayload:
    """The result of `commitAtTurnEnd`."""

    ok: bool = strawberry.field(description="Whether every delta was applied, now or earlier.")
    results: list[DeltaResultType]
