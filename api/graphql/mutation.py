"""Mutations: a command in, a payload or a `Problem` out, for callers with the permission."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, get_type_hints

import strawberry
from strawberry.extensions import FieldExtension

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.input_types import input_type, record_of, respell
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import existing_turn
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.journal.commits import COMMITS, Commits

Resolver = Callable[..., Awaitable[Any]]


def mutation(
    description: str, result: str, *, requires: FieldExtension = WRITES
) -> Callable[[Resolver], Any]:
    """Make a method that takes a command and returns a payload a mutation of the schema.

    The method is `async def transition_goal(self, info, command: TransitionGoal) -> TransitionGoalPayload`.
    The mutation is `transitionGoal(input: TransitionGoalInput!): TransitionGoalResult!`, where the input is
    made from the command and the result is the payload or a `Problem`. If the method has a parameter
    `spellings`, it gets the fields that the client gave under an alias, as a map from path to path.

    Args:
        description: What the mutation does.
        result: What the union of payload and problem is.
        requires: The permission that the caller needs.
    """

    def make(method: Resolver) -> Any:
        hints = get_type_hints(method, include_extras=True)
        kind, payload = hints["command"], hints["return"]
        name = "".join(word.capitalize() for word in method.__name__.split("_"))

        async def resolve(self: Any, info: Any, input: Any) -> Any:
            command, spellings = record_of(input, kind)
            more = {"spellings": spellings} if "spellings" in hints else {}
            commits = Commits()
            token = COMMITS.set(commits)
            try:
                turn_id = getattr(command, "turn_id", None)
                if turn_id is not None and (handle := await existing_turn(info, turn_id)) != turn_id:
                    command = command.model_copy(update={"turn_id": handle})
                return await method(self, info, command, **more)
            except InvalidInput as error:
                respell(error, spellings)
                raise
            finally:
                COMMITS.reset(token)
                if commits.number:
                    info.context.committed.add(info.path.key)

        resolve.__name__, resolve.__doc__, resolve.__module__ = (
            method.__name__,
            method.__doc__,
            method.__module__,
        )
        resolve.__annotations__ = {
            "info": Context,
            "input": input_type(kind),
            "return": Annotated[payload | Problem, strawberry.union(f"{name}Result", description=result)],
        }
        return strawberry.mutation(resolve, description=description, extensions=[requires])

    return make
