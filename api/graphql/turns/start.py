"""The mutation that begins a turn."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.goals.types import GoalType
from prefrontal.api.graphql.inputs import key_field
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.questions.types import QuestionType
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turns.types import TurnType
from prefrontal.graph.turns.record import Sizes


@strawberry.input(description="How long each list is at most, 1 to 100; 20 when left out.")
class StartTurnSizesInput:
    """The sizes of `startTurn`."""

    goals: int | None = None
    actions: int | None = strawberry.field(default=None, description="Of the agent's and of the user's.")
    questions: int | None = None


@strawberry.input(description="A turn that begins.")
class StartTurnInput:
    """The input of `startTurn`."""

    turn_id: str = strawberry.field(description="Your name for the turn; it is made when it is new.")
    most: StartTurnSizesInput | None = None
    idempotency_key: str | None = key_field()

    def sizes(self) -> Sizes:
        """Return the sizes that are given."""
        given = self.most or StartTurnSizesInput()
        return Sizes(goals=given.goals, actions=given.actions, questions=given.questions)


@strawberry.type(description="What the turn begins with, each list in an order that is always the same.")
class StartTurnPayload:
    """The result of `startTurn`."""

    turn: TurnType
    goals: list[GoalType] = strawberry.field(description="Those being worked on, most urgent first.")
    agent_actions: list[PendingActionType] = strawberry.field(
        description="The agent's open actions, those first that are most worth doing."
    )
    user_actions: list[PendingActionType] = strawberry.field(
        description="The user's open actions, in the same order."
    )
    questions: list[QuestionType] = strawberry.field(
        description="Those that wait for an answer, most urgent first, with their `stories`."
    )


@strawberry.type
class TurnMutation:
    """Mutations of turns."""

    @strawberry.mutation(
        description="Begins a turn: its goals, the actions that are pending, and the open questions.",
        extensions=[WRITES],
    )
    async def start_turn(
        self, info: Context, input: StartTurnInput
    ) -> Annotated[
        StartTurnPayload | Problem,
        strawberry.union("StartTurnResult", description="What the turn begins with, or why it does not."),
    ]:
        """Begin the turn."""
        found = await info.context.services.turns.start.start(
            await info.context.caller(), input.turn_id, input.sizes(), idempotency_key=input.idempotency_key
        )
        for asked in found.questions:
            info.context.loaders.question_stories.prime(asked.question.uid, asked.stories, force=True)
        return StartTurnPayload(
            turn=TurnType.from_record(found.turn),
            goals=[GoalType.from_record(goal) for goal in found.goals],
            agent_actions=[PendingActionType.from_record(action) for action in found.agent_actions],
            user_actions=[PendingActionType.from_record(action) for action in found.user_actions],
            questions=[QuestionType.from_record(asked.question) for asked in found.questions],
        )
