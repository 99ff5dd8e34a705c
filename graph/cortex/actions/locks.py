"""Holds an action while something is decided about it, and says who decides."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.record import PendingAction
from prefrontal.graph.cortex.actions.rules import blocking_of
from prefrontal.graph.errors import Forbidden, IllegalTransition, NotFound
from prefrontal.graph.journal.store import turn_began
from prefrontal.graph.registry.definitions import ActionType, ActionTypes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.unit_of_work import Tx


def is_user(caller: Caller) -> bool:
    """Tell whether a person acts, not an agent or a device on behalf of one."""
    return caller.person_id is not None and caller.actor_id == caller.person_id


async def lock_one(tx: Tx, caller: Caller, uid: str, now: datetime) -> PendingAction:
    """Return an action that the caller may change, as it is until the commit.

    Raises:
        NotFound: It is unknown or not readable.
        Forbidden: It is readable but not writable.
    """
    return writable_of(await store.lock(tx, caller, [uid], now), uid, "id")


def writable_of(held: store.LockedActions, uid: str, field: str) -> PendingAction:
    """Return one of the actions that were found, if the caller may change it; else raise as `lock_one`."""
    action = held.actions.get(uid)
    if action is None:
        raise NotFound("no such pending action", field=field)
    if uid not in held.writable:
        raise Forbidden("you may read this action but not change it", field=field)
    return action


async def blockers(tx: Tx, caller: Caller, action: PendingAction) -> tuple[str, ...]:
    """Return the open blocking actions of the action's goal."""
    if action.goal_id is None:
        return ()
    return blocking_of(await store.list_by_goal(tx, caller, [action.goal_id]))


async def types_in_turn(
    tx: Tx, caller: Caller, types: ActionTypes, turn_id: str | None, names: Iterable[str | None]
) -> ActionTypes:
    """Return the types as new actions of a turn may have them: what came into use later is unknown in it.

    The turn's beginning is read only when one of the types that are asked for came into use at some time.
    """
    if turn_id is None or not any(types.since(name) for name in names):
        return types
    began = await turn_began(tx, caller, turn_id)
    return types if began is None else types.at(began)


def kind_of_action(types: ActionTypes, action: PendingAction) -> ActionType:
    """Return the type of an action.

    Raises:
        IllegalTransition: The registry does not know it any more.
    """
    kind = types.get(action.type)
    if kind is None:
        raise IllegalTransition(f"the registry does not know the type {action.type}", field="id")
    return kind
