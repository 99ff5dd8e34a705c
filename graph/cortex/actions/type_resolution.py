"""How an action whose type was unknown comes to a type (source 003, §Unknown or missing types; G-042, G-043).

    which     the type it asked for, once the registry knows it, or any other that takes new actions
    when      its own only in a later turn: a type is never activated in the middle of one
    owner     named with the type, else the one that was asked for, else the first the type allows
    status    stays where the type has it, else the type's first
    policies  the type's, as with a new action; blocking stays where it was asked for

What is done with keeps its type. So does an action that never asked for an unknown one: only the service
says which did, so no metadata makes a user's task an agent's.
"""

from __future__ import annotations

from collections.abc import Iterable

from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction, PendingActionDraft
from prefrontal.graph.errors import IllegalTransition, InvalidInput
from prefrontal.graph.registry.definitions import CLOSED, ActionType, ActionTypes
from prefrontal.graph.registry.proposals.record import Awaited, UnknownUse


def unknown_uses(
    made: Iterable[tuple[PendingActionDraft, PendingAction]], types: ActionTypes
) -> list[UnknownUse]:
    """Return which new actions asked for a type nobody knows; one that named none asked for none."""
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


def require_later(action: PendingAction, awaited: Awaited, name: str, turn_id: str | None) -> None:
    """Return unless the action would get the type it asked for in the turn it was made in.

    Raises:
        IllegalTransition: It is that turn.
    """
    if name == awaited.name and turn_id is not None and turn_id == action.created_from_turn_id:
        raise IllegalTransition(f"{name} was unknown in this turn; take it in a later one", field="type")


def retyped(
    action: PendingAction, kind: ActionType, awaited: Awaited, owner: ActionOwner | None
) -> PendingAction:
    """Return the action with a type that the registry knows; it is still of the version it was.

    Raises:
        IllegalTransition: It is done with.
        InvalidInput: The type does not allow the owner, or takes no new actions.
    """
    if action.status in CLOSED:
        raise IllegalTransition(f"it is {action.status}, so it keeps its type", field="type")
    if kind.block_new:
        raise InvalidInput(f"{kind.id} takes no new actions", field="type")
    allowed = kind.allowed_owners
    if owner is not None and owner.value not in allowed:
        raise InvalidInput(f"a {kind.id} is owned by {' or '.join(allowed)}", field="owner")
    wished = awaited.owner if awaited.owner in allowed else allowed[0]
    policies = kind.default_policies
    return action.model_copy(
        update={
            "type": kind.id,
            "owner": owner or ActionOwner(wished),
            "status": action.status if action.status in kind.allowed_statuses else kind.initial_status,
            "requires_confirmation": policies.requires_confirmation,
            "auto_complete": policies.auto_complete,
            "blocking": action.blocking or policies.blocking,
        }
    )
