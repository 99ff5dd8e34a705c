"""The definition that a type would have if a proposal were applied.

    add        the proposed keys; all other keys as in the safe type, so a type with only a name is harmless
    modify     the present type with the proposed keys; null in `diff` removes a key
    deprecate  the present type, deprecated, with the proposed keys, e.g. `replaced_by`

A definition is validated like a file, so an approved proposal can be loaded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.errors import Duplicate, InvalidInput, NotFound
from prefrontal.graph.registry.definitions import (
    ActionType,
    ActionTypes,
    CompletionGuard,
    DueHandler,
    EscalationHandler,
    PolicyTable,
)
from prefrontal.graph.registry.proposals.record import ProposalSubject, ProposalType, RegistryProposal
from prefrontal.graph.validation import raise_all, shape_problems

POLICIES = "default_policies"
_CLIENTS = {"defaultPolicies": "suggestedPolicies"}
OPEN = {POLICIES, "policy_handlers"}
"""Keys that hold a map: a proposal may name some of its entries, and the other entries stay."""


def proposed_keys(proposal: RegistryProposal) -> dict[str, Any]:
    """Return the keys of a type's file that a proposal sets, with their values as in JSON."""
    found: dict[str, Any] = dict(proposal.diff or {})
    if proposal.display_name is not None:
        found["display_name"] = proposal.display_name
    if proposal.description is not None:
        found["description"] = proposal.description
    if proposal.suggested_policies is not None:
        found[POLICIES] = {**_map(found.get(POLICIES)), **proposal.suggested_policies}
    if proposal.allowed_statuses is not None:
        found["allowed_statuses"] = list(proposal.allowed_statuses)
    if proposal.allowed_transitions is not None:
        found["allowed_transitions"] = proposal.allowed_transitions
    if proposal.proposal_type is ProposalType.DEPRECATE:
        found["deprecation_status"] = "deprecated"
    return found


def definition_of(proposal: RegistryProposal, types: ActionTypes) -> ActionType:
    """Return the type as the registry would load it.

    Raises:
        NotFound: If the type to modify or deprecate does not exist.
        Duplicate: If the type to add exists already.
        InvalidInput: If the type has no id yet, or the registry would refuse it.
    """
    name, known = named(proposal), types.get(proposal.type_id or "")
    if proposal.proposal_type is ProposalType.ADD:
        if known is not None:
            raise Duplicate(f"there is a type {name} already; propose to modify it", field="typeId")
        base: dict[str, Any] = new_keys(name, types.safe)
    else:
        if known is None:
            raise NotFound("no such action type", field="typeId")
        base = known.model_dump(mode="json")
    found = checked({**applied(base, proposed_keys(proposal)), "id": name})
    if found.replaced_by is not None:
        successor = types.get(found.replaced_by)
        if successor is None or successor.deprecated or successor.id == name:
            raise InvalidInput("is not an active type", field="diff.replacedBy")
    return found


def named(proposal: RegistryProposal) -> str:
    """Return the id of the proposed type.

    Raises:
        InvalidInput: If the proposal has no id of a type yet.
    """
    if proposal.type_id is None:
        raise InvalidInput("has no id yet: revise the proposal with one", field="typeId")
    return proposal.type_id


def applied(base: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's keys with the proposed ones; keys that hold a map are merged entry by entry."""
    found = dict(base)
    for key, value in keys.items():
        if key in OPEN and isinstance(value, Mapping):
            joined = {**_map(found.get(key)), **value}
            found[key] = {name: each for name, each in joined.items() if each is not None}
        elif value is None:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def checked(keys: Mapping[str, Any]) -> ActionType:
    """Return the type that a file's keys describe.

    Raises:
        InvalidInput: If one key is invalid.
        SeveralProblems: If several keys are invalid.
    """
    try:
        return ActionType.model_validate(_frozen(keys))
    except ValidationError as error:
        problems = shape_problems(error)
        for problem in problems:
            first, dot, rest = (problem.field or "").partition(".")
            problem.field = f"{_CLIENTS.get(first, first)}{dot}{rest}" or None
        raise_all(problems)
        raise


def is_loaded(proposal: RegistryProposal, types: ActionTypes) -> bool:
    """Tell whether the registry contains the proposed change, with every proposed key and value.

    Keys that were not proposed may differ: somebody may have changed them before the merge.
    """
    if proposal.subject is ProposalSubject.POLICY:
        return proposal.type_id in PolicyTable.model_fields
    if proposal.subject is ProposalSubject.HANDLER:
        return proposal.type_id in {*EscalationHandler, *CompletionGuard, *DueHandler}
    known = types.get(proposal.type_id or "")
    if known is None:
        return False
    keys = known.model_dump(mode="json")
    # Proposed and loaded keys may be written differently, e.g. without a default: the models are compared.
    try:
        wanted = checked({**applied(keys, proposed_keys(proposal)), "id": known.id})
    except InvalidInput:
        return False
    return wanted.keeping(known.retired_statuses) == known


def new_keys(name: str, safe: ActionType) -> dict[str, Any]:
    """Return the keys of a new type for which nothing is proposed."""
    copied = safe.model_dump(
        mode="json", include={"allowed_owners", POLICIES, "allowed_statuses", "allowed_transitions"}
    )
    return {"display_name": name.replace("_", " ").capitalize(), "description": "", **copied}


def _map(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _frozen(value: Any) -> Any:
    """Return JSON with tuples in place of lists, as the registry's models require."""
    if isinstance(value, Mapping):
        return {str(key): _frozen(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_frozen(each) for each in value)
    return value
