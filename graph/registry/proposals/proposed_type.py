"""The definition that a type would have if a proposal were applied.

    add        the proposed keys; all other keys as in the safe type, so a type with only a name is harmless
    modify     the present type with the proposed keys; null in `diff` removes a key
    deprecate  the present type, deprecated, with the proposed keys, e.g. `replaced_by`

A definition is validated like a file, so an approved proposal can be loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from prefrontal.graph.errors import Duplicate, InvalidInput, NotFound
from prefrontal.graph.registry.definition_problems import definition_problems
from prefrontal.graph.registry.definitions import (
    ActionType,
    ActionTypes,
    CompletionGuard,
    DueHandler,
    EscalationHandler,
    PolicyTable,
    TypeFixture,
    may_be_safe,
)
from prefrontal.graph.registry.fixture_generator import lives_of
from prefrontal.graph.registry.format import named_once
from prefrontal.graph.registry.proposals.record import (
    ProposalStatus,
    ProposalSubject,
    ProposalType,
    RegistryProposal,
)
from prefrontal.graph.registry.proposals.rules import name_key
from prefrontal.graph.validation import camel, raise_all

Complaints = Callable[[ActionType], Sequence[tuple[Sequence[str | int], str]]]
"""Returns where a type behaves otherwise than its fixtures say: the place in its file, and what is wrong."""

POLICIES = "default_policies"
_CLIENTS = {"defaultPolicies": "suggestedPolicies"}
HANDLERS = "policy_handlers"
OPEN = {POLICIES, HANDLERS}
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
    name, known = type_id_of(proposal), types.get(proposal.type_id or "")
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


def require_passing(proposal: RegistryProposal, types: ActionTypes, complaints: Complaints) -> None:
    """Check that the registry would take the proposed type, and that `prefrontal registry check` would.

    A type without proposed fixtures is checked with generated ones, as an export writes them.

    Raises:
        NotFound: If the type to modify or deprecate does not exist.
        Duplicate: If the type to add exists already.
        InvalidInput: If one thing is wrong with the type.
        SeveralProblems: If several things are wrong.
    """
    kind, problems = definition_of(proposal, types), list[InvalidInput]()
    if proposal.proposal_type is ProposalType.MODIFY and not proposed_keys(proposal):
        raise InvalidInput("names nothing to change", field="diff")
    before = types.get(kind.id)
    if lost := before.loses(kind) if before else ():
        said = f"loses statuses; name their successors in diff.former_statuses: {', '.join(lost)}"
        problems.append(InvalidInput(said, field="allowedStatuses"))
    if kind.id == types.table.safe_type and not may_be_safe(kind):
        said = "this is the safe type for unknown types: it must stay active, and allow a user as owner"
        problems.append(InvalidInput(said, field="typeId"))
    if kind.deprecated:
        heirs = sorted(name for name, other in types.items() if other.replaced_by == kind.id)
        if heirs:
            said = f"it is the successor of {', '.join(heirs)}, so it must stay active"
            problems.append(InvalidInput(said, field="typeId"))
    own = "fixtures" in proposed_keys(proposal)
    if not own:
        lives = tuple(TypeFixture.model_validate(_frozen(life)) for life in lives_of(kind))
        kind = kind.model_copy(update={"fixtures": lives})
    problems += [
        InvalidInput(message, field=_fixture_field(place) if own else "allowedTransitions")
        for place, message in complaints(kind)
    ]
    raise_all(problems)


def _fixture_field(place: Sequence[str | int]) -> str:
    return "diff" + "".join(f"[{part}]" if isinstance(part, int) else f".{camel(part)}" for part in place)


def type_id_of(proposal: RegistryProposal) -> str:
    """Return the id of the proposed type.

    Raises:
        InvalidInput: If the proposal has no id of a type yet.
    """
    if proposal.type_id is None:
        raise InvalidInput("has no id yet: revise the proposal with one", field="typeId")
    return proposal.type_id


def applied(base: Mapping[str, Any], keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return a file's keys with the proposed ones; keys that hold a map are merged entry by entry.

    A proposed escalation is named once, by its policy, and takes the handler of the present one with it.
    """
    found = without_handler(base) if sets_escalation(keys) else dict(base)
    for key, value in keys.items():
        if key in OPEN and isinstance(value, Mapping):
            joined = {**_map(found.get(key)), **value}
            found[key] = {name: each for name, each in joined.items() if each is not None}
        elif value is None:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def sets_escalation(keys: Mapping[str, Any]) -> bool:
    """Tell whether proposed keys set the escalation without naming its handler a second time."""
    return "escalation" in _map(keys.get(POLICIES)) and "escalation" not in _map(keys.get(HANDLERS))


def without_handler(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a definition without the second name of the escalation's handler."""
    handlers = {name: value for name, value in _map(keys.get(HANDLERS)).items() if name != "escalation"}
    return {**keys, HANDLERS: handlers} if HANDLERS in keys else dict(keys)


def checked(keys: Mapping[str, Any]) -> ActionType:
    """Return the type that a file's keys describe.

    Raises:
        InvalidInput: If one key is invalid.
        SeveralProblems: If several keys are invalid.
    """
    try:
        return ActionType.model_validate(_frozen(named_once(keys)))
    except ValidationError as error:
        problems = definition_problems(error)
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


def is_settled(proposal: RegistryProposal, types: ActionTypes) -> bool:
    """Tell whether the registry has what an undecided proposal asks for.

    For an approved one that is the proposed definition. An open one to add a type is settled by any type of
    its name, and one to release a type by its release.
    """
    if proposal.status is ProposalStatus.APPROVED:
        return is_loaded(proposal, types)
    if proposal.subject is not ProposalSubject.ACTION_TYPE:
        return False
    if proposal.proposal_type is ProposalType.ADD:
        return proposal.type_id in types or proposal.name_key in {name_key(name) for name in types}
    return proposal.requested_name is not None and types.for_new(proposal.type_id) is not None


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
