"""Turns as clients name them: by the name that they chose, or by the id that the service gave."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from prefrontal.api.graphql.inputs import checked_name
from prefrontal.graph.errors import NotFound
from prefrontal.graph.record import Record

if TYPE_CHECKING:
    from prefrontal.api.graphql.request_context import Context

R = TypeVar("R", bound=Record)


async def turn_named(info: Context, turn_id: str, field: str = "turnId") -> str:
    """Return what the statements know a turn by that a client names; the id of no readable turn stays.

    Raises:
        InvalidInput: If the name is too long, or not valid text.
    """
    services = info.context.services
    checked_name(turn_id, field, services.catalog.limits.key_characters)
    return await services.turns.trace.handle(await info.context.caller(), turn_id) or turn_id


async def with_turn(info: Context, wanted: R) -> R:
    """Return a filter that names its turn, if it has one, by what the statements know it by."""
    turn_id = getattr(wanted, "turn_id", None)
    if turn_id is None:
        return wanted
    return wanted.model_copy(update={"turn_id": await turn_named(info, turn_id, "filter.turnId")})


async def turn_uid_of(info: Context, turn_id: str | None) -> str | None:
    """Return the id of the turn that a filter names; an empty text, which is no id, if there is no such turn.

    None stays None: the filter names no turn.
    """
    if turn_id is None:
        return None
    found = await info.context.services.turns.trace.get(await info.context.caller(), turn_id)
    return found.uid if found else ""


async def existing_turn(info: Context, turn_id: str) -> str:
    """Return what the statements know a turn by that a write belongs to; a new name stays as it is.

    Raises:
        NotFound: If it is the id of no readable turn.
    """
    handle = await info.context.services.turns.trace.handle(await info.context.caller(), turn_id)
    if handle is None:
        raise NotFound("no such turn; a name of your own begins one", field="turnId")
    return handle
