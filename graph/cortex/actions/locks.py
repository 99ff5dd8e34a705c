"""Locks actions until the commit and checks what the caller may do with them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.record import PendingAction
from prefrontal.graph.cortex.actions.rules import blocking_of
from prefrontal.graph.errors import Forbidden, IllegalTransition, NotFound
from prefrontal.graph.registry.definitions import ActionType, ActionTypes

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


def is_user(caller: Caller) -> bool:
    """Tell whether the caller is a person, not an agent or a device that acts for one."""
    return caller.person_id is not None and caller.actor_id == caller.person_id


async def lock_one(tx: Tx, caller: Caller, uid: str, now: datetime) -> PendingAction:
    """Lock an action that the caller may change, and return it; it stays unchanged until the commit.

    Raises:
        NotFound: If the action is unknown or not readable.
        Forbidden: If the action is readable but not writable.
    """
    return writable_of(await store.lock(tx, caller, [uid], now), uid, "id")


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


async def blockers(tx: Tx, caller: Caller, action: PendingAction) -> tuple[str, ...]:
    """Return the ids of the open blocking actions of the action's goal."""
    if action.goal_id is None:
        return ()
    return blocking_of(await store.list_by_goal(tx, caller, [action.goal_id]))


def kind_of_action(types: ActionTypes, action: PendingAction) -> ActionType:
    """Return the type of an action.

    Raises:
        IllegalTransition: If the registry no longer has the type.
    """
    kind = types.get(action.type)
    if kind is None:
        raise IllegalTransition(f"the registry does not know the type {action.type}", field="id")
    return kind
