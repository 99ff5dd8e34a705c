"""How an action of an unknown type gets a known type (source 003, §Unknown or missing types; G-042, G-043).

    which     the requested type, once the registry has it, or any other type that takes new actions
    when      the requested type only in a later turn: a type never becomes active in the middle of a turn
    owner     the owner named together with the type, else the one requested first, else the type's first
              owner
    status    the present status if the type has it, else the first status of the type
    policies  those of the type, as with a new action; a requested `blocking` stays, and so does a
              confirmation that somebody asked for, or that the requested type asks for if it is known

A completed or cancelled action keeps its type, and so does an action that never asked for an unknown type.
An action for which no type was named gets any type in use, in any turn. Only the service records which
actions asked for an unknown type or for none, so no metadata can turn a user's task into an agent's.
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
)
from prefrontal.graph.errors import IllegalTransition, InvalidInput
from prefrontal.graph.registry.definitions import CLOSED, ActionType, ActionTypes
from prefrontal.graph.registry.proposals.record import AwaitedType, UnknownUse
from prefrontal.graph.wording import with_article


def unknown_uses(
    made: Iterable[tuple[PendingActionDraft | PendingActionUpsert, PendingAction]], types: ActionTypes
) -> list[UnknownUse]:
    """Return the new actions that asked for an unknown type; actions that named no type are left out."""
    return [
        UnknownUse(
            action_id=action.uid,
            name=draft.type,
            owner=draft.owner.value if draft.owner else None,
            staged=draft.type in types,
        )
        for draft, action in made
        if draft.type and types.for_new(draft.type) is None
    ]


def untyped_uses(
    made: Iterable[tuple[PendingActionDraft | PendingActionUpsert, PendingAction]],
) -> dict[str, str]:
    """Return the ids of new actions without a type, each with the requested owner or an empty text."""
    return {action.uid: draft.owner.value if draft.owner else "" for draft, action in made if not draft.type}


def require_usable(name: str, types: ActionTypes, awaited: AwaitedType) -> None:
    """Check that an action can get the type that it asks for.

    Raises:
        IllegalTransition: If the type is not in use yet, or no longer.
    """
    if types.for_new(name) is not None:
        return
    if name in types:
        said = f"{name} is not in use yet: its rollout flag is off, or it is newer than the turn"
    elif name == awaited.name:
        said = f"{name} is not in use yet; name another type, or set it once it is in use"
    else:
        said = f"there is no type {name}"
    raise IllegalTransition(said, field="type")


def require_later(action: PendingAction, awaited: AwaitedType, name: str, turn_id: str | None) -> None:
    """Check that the action does not get its requested type in the turn in which it was created.

    Raises:
        IllegalTransition: If the turn is the one in which the action was created.
    """
    if name == awaited.name and turn_id is not None and turn_id == action.created_from_turn_id:
        raise IllegalTransition(
            f"{name} was unknown when this turn began; set it in a later turn", field="type"
        )


def retyped(
    action: PendingAction,
    kind: ActionType,
    awaited: AwaitedType,
    owner: ActionOwner | None,
    *,
    requested: ActionType | None,
) -> PendingAction:
    """Return the action with a type that the registry knows; the version number is not raised yet.

    `requested` is the type that the action asked for, if the registry has it, e.g. without its rollout flag.

    Raises:
        IllegalTransition: If the action is completed or cancelled.
        InvalidInput: If the type does not allow the owner, or takes no new actions.
    """
    if action.status in CLOSED:
        raise IllegalTransition(f"it is {action.status}, so it keeps its type", field="type")
    if kind.block_new:
        raise InvalidInput(f"{kind.id} takes no new actions", field="type")
    allowed = kind.allowed_owners
    if owner is not None and owner.value not in allowed:
        raise InvalidInput(f"{with_article(kind.id)} is owned by {' or '.join(allowed)}", field="owner")
    becomes = owner or ActionOwner(awaited.owner if awaited.owner in allowed else allowed[0])
    policies = kind.default_policies
    asks = [each.asks_for_confirmation for each in (kind, requested) if each is not None]
    return action.model_copy(
        update={
            "type": kind.id,
            "owner": becomes,
            "person_id": action.person_id if becomes is ActionOwner.USER else None,
            "status": action.status if action.status in kind.allowed_statuses else kind.initial_status,
            "requires_confirmation": action.confirmation_requested or any(asks),
            "auto_complete": policies.auto_complete,
            "blocking": action.blocking or policies.blocking,
        }
    )
