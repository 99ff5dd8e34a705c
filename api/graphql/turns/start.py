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


@strawberry.input(description="The largest length of each list, 1 to 100; default: 20.")
class StartTurnSizesInput:
    """The sizes of `startTurn`."""

    goals: int | None = None
    actions: int | None = strawberry.field(
        default=None, description="For the agent's actions and for the user's actions."
    )
    questions: int | None = None


@strawberry.input(description="The turn to begin.")
class StartTurnInput:
    """The input of `startTurn`."""

    turn_id: str = strawberry.field(description="Your name for the turn; a new name creates the turn.")
    most: StartTurnSizesInput | None = None
    idempotency_key: str | None = key_field()

    def sizes(self) -> Sizes:
        """Return the sizes that are given."""
        given = self.most or StartTurnSizesInput()
        return Sizes(goals=given.goals, actions=given.actions, questions=given.questions)


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


@strawberry.type
class TurnMutation:
    """Mutations of turns."""

    @strawberry.mutation(
        description="Begins a turn; returns the active goals, the pending actions and the open questions.",
        extensions=[WRITES],
    )
    async def start_turn(
        self, info: Context, input: StartTurnInput
    ) -> Annotated[
        StartTurnPayload | Problem,
        strawberry.union(
            "StartTurnResult", description="The state at the beginning of the turn, or the problem."
        ),
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
