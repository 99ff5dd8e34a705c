"""Mutations: a command in, a payload or a `Problem` out, for callers with the permission.

The result of a mutation is an interface of its own, `<Mutation>Result`, which its payload and `Problem`
implement. Each of these interfaces is a `MutationResult`, so `{ ok problem { code message field } }` is a
selection of every mutation, and `... on Problem` and `... on <Mutation>Payload` are too.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

import strawberry
from strawberry.extensions import FieldExtension
from strawberry.types import get_object_definition

from prefrontal.api.graphql.errors import MutationResult, Problem, problem_of
from prefrontal.api.graphql.input_types import input_type, record_of, rename_error_fields
from prefrontal.api.graphql.permissions import WRITES
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import existing_turn
from prefrontal.graph.errors import InvalidInput, PrefrontalError
from prefrontal.graph.journal.commits import COMMITS, Commits
from prefrontal.graph.sessions.record import InSession

Resolver = Callable[..., Awaitable[Any]]


class Answers(FieldExtension):
    """Answers with a `Problem` instead of raising an error of ours; has to be the last extension."""

    def __init__(self, payload: type) -> None:
        self.payload = payload

    async def resolve_async(self, next_: Resolver, source: Any, info: Context, **kwargs: Any) -> Any:
        """Return the payload or the problem."""
        try:
            return await next_(source, info, **kwargs)
        except PrefrontalError as error:
            return problem_of(error, info)


def payloads_of(mutations: type) -> list[type]:
    """Return the payloads of mutations, which the schema has to be told: fields lead to interfaces alone."""
    fields = get_object_definition(mutations, strict=True).fields
    return [each.payload for field in fields for each in field.extensions if isinstance(each, Answers)]


def _result_of(name: str, payload: type, description: str) -> type:
    """Return the interface of a mutation's result, and let its payload and `Problem` implement it.

    A class that names its interfaces as bases gets the same definition. Here the interface is made after the
    classes, and the fields of its base are added to a payload that does not have them.
    """

    class Result(MutationResult):
        @staticmethod
        def resolve_type(answer: Any, *_: Any) -> str:
            return get_object_definition(type(answer), strict=True).name

    result = strawberry.interface(Result, name=f"{name}Result", description=description)
    interface, shared = (get_object_definition(each, strict=True) for each in (result, MutationResult))
    for kind in (payload, Problem):
        own = get_object_definition(kind, strict=True)
        own.interfaces += [each for each in (interface, shared) if each not in own.interfaces]
        # In the same order whatever was imported first.
        own.interfaces.sort(key=lambda each: each.name)
        named = {field.python_name for field in own.fields}
        own.fields += [field for field in shared.fields if field.python_name not in named]
    return result


def mutation(
    description: str, result: str, *, requires: FieldExtension = WRITES, deprecated: str | None = None
) -> Callable[[Resolver], Any]:
    """Make a method that takes a command and returns a payload a mutation of the schema.

    The method is `async def transition_goal(self, info, command: TransitionGoal) -> TransitionGoalPayload`.
    The mutation is `transitionGoal(input: TransitionGoalInput!): TransitionGoalResult!`, where the input is
    made from the command and the result is the payload or a `Problem`, with `ok` and `problem`. If the method
    has a parameter `spellings`, it gets the fields that the client gave under an alias, as a map from path
    to path.

    Args:
        description: What the mutation does.
        result: What the result is, payload or problem.
        requires: The permission that the caller needs.
        deprecated: What to use in its place, and why; None if it is not deprecated.
    """

    def make(method: Resolver) -> Any:
        hints = get_type_hints(method, include_extras=True)
        kind, payload = hints["command"], hints["return"]
        name = "".join(word.capitalize() for word in method.__name__.split("_"))

        async def resolve(self: Any, info: Any, input: Any) -> Any:
            command, spellings = record_of(input, kind)
            more = {"spellings": spellings} if "spellings" in hints else {}
            info.context.mutates = True
            commits = Commits()
            token = COMMITS.set(commits)
            try:
                turn_id = getattr(command, "turn_id", None)
                if turn_id is not None and (handle := await existing_turn(info, turn_id)) != turn_id:
                    # In a session a name stands for another turn than elsewhere; an id always for the same.
                    in_session = isinstance(command, InSession) and command.session_id is not None
                    command = command.model_copy(update={"turn_id": turn_id if in_session else handle})
                return await method(self, info, command, **more)
            except InvalidInput as error:
                rename_error_fields(error, spellings)
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
            "return": _result_of(name, payload, result),
        }
        return strawberry.mutation(
            resolve,
            description=description,
            extensions=[requires, Answers(payload)],
            deprecation_reason=deprecated,
        )

    return make
