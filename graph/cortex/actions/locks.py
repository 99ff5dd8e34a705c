"""Locks actions until the commit and checks what the caller may do with them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.record import Holds, PendingAction
from prefrontal.graph.errors import Forbidden, IllegalTransition, NotFound
from prefrontal.graph.journal.store import turn_began
from prefrontal.graph.registry.definitions import ActionType, ActionTypes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import GoalsTable
    from prefrontal.graph.storage.unit_of_work import Tx


def is_user(caller: Caller) -> bool:
    """Tell whether the caller is a person, not an agent or a device that acts for one."""
    return caller.person_id is not None and caller.actor_id == caller.person_id


async def lock_one(
    tx: Tx, caller: Caller, uid: str, now: datetime, table: GoalsTable
) -> tuple[PendingAction, Holds]:
    """Lock an action that the caller may change; return it with what holds it back.

    The action stays unchanged until the commit.

    Raises:
        NotFound: If the action is unknown or not readable.
        Forbidden: If the action is readable but not writable.
    """
    held = await store.lock(tx, caller, [uid], now, table)
    return writable_of(held, uid, "id"), held.holds_of(uid)


def writable_of(held: store.LockedActions, uid: str, field: str) -> PendingAction:
    """Return one of the locked actions, if the caller may change it.

    Raises:
        NotFound: If the action is unknown or not readable.
        Forbidden: If the action is readable but not writable.
    """
    action = held.actions.get(uid)
    if action is None:
        raise NotFound("no such pending action", field=field)
    if uid not in held.writable:
        raise Forbidden("you may read this action but not change it", field=field)
    return action


async def types_in_turn(
    tx: Tx, caller: Caller, types: ActionTypes, turn_id: str | None, names: Iterable[str | None]
) -> ActionTypes:
    """Return the action types as the turn sees them: types newer than the turn are unknown.

    The beginning of the turn is read only if one of the named types came into use while processes ran.
    """
    if turn_id is None or not any(types.since(name) for name in names):
        return types
    began = await turn_began(tx, caller, turn_id)
    return types if began is None else types.at(began)


def kind_of_action(types: ActionTypes, action: PendingAction) -> ActionType:
    """Return the type of an action.

    Raises:
        IllegalTransition: If the registry no longer has the type.
    """
    kind = types.get(action.type)
    if kind is None:
        raise IllegalTransition(f"the registry does not know the type {action.type}", field="id")
    return kind
