"""Locks actions until the commit and checks what the caller may do with them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.cortex.actions import store
from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    Holds,
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
)
from prefrontal.graph.cortex.actions.rules import person_of
from prefrontal.graph.cortex.actions.validation import owner_of
from prefrontal.graph.errors import Forbidden, IllegalTransition, NotFound
from prefrontal.graph.registry.definitions import ActionType, ActionTypes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import GoalsTable
    from prefrontal.graph.storage.unit_of_work import Tx


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


def writable_of(locked: store.LockedActions, uid: str, field: str) -> PendingAction:
    """Return one of the locked actions, if the caller may change it.

    Raises:
        NotFound: If the action is unknown or not readable.
        Forbidden: If the action is readable but not writable.
    """
    action = locked.actions.get(uid)
    if action is None:
        raise NotFound("no such pending action", field=field)
    if uid not in locked.writable:
        raise Forbidden("you may read this action but not change it", field=field)
    return action


async def people_for(
    tx: Tx,
    caller: Caller,
    drafts: Iterable[PendingActionDraft | PendingActionUpsert],
    types: ActionTypes,
    *,
    new: Iterable[tuple[PendingActionDraft | PendingActionUpsert, str | None, str]],
) -> store.People:
    """Return the people whom some drafts name, and those whom new actions may be for.

    `new` has for each new action its draft, the goal that exists already, and its space. The people are read
    only if a draft names one, or if a user owns a new action outside of the caller's own space and the token
    names no person.
    """
    keys = [draft.person for draft in drafts if draft.person]
    open_ones = [
        (goal_id, scope_id)
        for draft, goal_id, scope_id in new
        if caller.person_id is None
        and owner_of(draft, types) is ActionOwner.USER
        and (goal_id is not None or scope_id != caller.home)
    ]
    if not keys and not open_ones:
        return store.People({}, {}, {})
    return await store.find_people(
        tx,
        caller,
        keys=keys,
        goal_ids=[goal_id for goal_id, _ in open_ones if goal_id],
        scope_ids=[scope_id for _, scope_id in open_ones],
    )


def named_person(people: store.People, key: str | None, field: str) -> str | None:
    """Return the id of the person with a key, or None without a key.

    Raises:
        NotFound: If the organisation has no such person.
    """
    if key is None:
        return None
    if key not in people.by_key:
        raise NotFound("no such person; a person appears with its first request", field=field)
    return people.by_key[key]


def person_for(
    caller: Caller,
    people: store.People,
    draft: PendingActionDraft | PendingActionUpsert,
    types: ActionTypes,
    *,
    goal_id: str | None,
    scope_id: str,
    path: str,
) -> str | None:
    """Return the id of the person whose a new action is, or None.

    Raises:
        NotFound: If the draft names a person that the organisation does not have.
    """
    return person_of(
        owner_of(draft, types),
        named_person(people, draft.person, f"{path}.person"),
        caller.person_id,
        people.by_goal.get(goal_id or ""),
        people.by_space.get(scope_id),
    )


def kind_of_action(types: ActionTypes, action: PendingAction) -> ActionType:
    """Return the type of an action.

    Raises:
        IllegalTransition: If the registry no longer has the type.
    """
    kind = types.get(action.type)
    if kind is None:
        raise IllegalTransition(f"the registry does not know the type {action.type}", field="id")
    return kind
