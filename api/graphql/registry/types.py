"""An organisation's own action types as GraphQL types and inputs."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from enum import Enum
from typing import Any

import strawberry

from prefrontal.api.graphql.input_types import register_input
from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.nodes import actor_field, space_field
from prefrontal.api.graphql.records import RecordType, graphql_type_of
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.definitions import CompletionGuard, DueHandler, EscalationHandler
from prefrontal.graph.registry.overrides.record import ActionTypeDraft, ActionTypeOverride, TypeWarning
from prefrontal.graph.registry.overrides.rules import name_problems
from prefrontal.graph.validation import raise_all


async def _in_force(self: RecordType, info: Context) -> ActionTypeType | None:
    types = info.context.services.registry.effective_types.of(await info.context.caller())
    override: ActionTypeOverride = self.record
    if override.definition is None:
        return None
    # `ActionTypeType` looks up the source of a type by object identity, so the object in force is shown.
    held = types.get(override.type_id)
    return ActionTypeType.from_record(
        held if held and held.keeping({}) == override.definition else override.definition, types
    )


async def _draft(self: RecordType, info: Context) -> ActionTypeType | None:
    types = info.context.services.registry.effective_types.of(await info.context.caller())
    draft = self.record.draft
    return None if draft is None else ActionTypeType.from_record(draft, types)


@graphql_type_of(
    ActionTypeOverride,
    "An organisation's own definition of an action type. Once approved, it overrides a file with "
    "the same id.",
)
class ActionTypeOverrideType(RecordType, Node):
    """An override."""

    type_id: strawberry.ID
    space = space_field()
    in_force: ActionTypeType | None = strawberry.field(
        resolver=_in_force, description="The approved definition."
    )
    draft: ActionTypeType | None = strawberry.field(
        resolver=_draft, description="A definition that is not approved yet; it has no effect."
    )
    since: datetime | None = strawberry.field(
        description="When the override made the type available to new actions; null if a file had made it "
        "available before."
    )
    created_at: datetime
    updated_at: datetime
    created_by = actor_field("by_uid", "Who defined the type first")
    version: int


@graphql_type_of(TypeWarning, "What the use of a deprecated action type did.", name="TypeWarning")
class TypeWarningType(RecordType):
    """A warning."""

    code: str = strawberry.field(
        description="`type_deprecated`, or `type_replaced`: the action got the type's successor."
    )
    message: str
    field: str | None = strawberry.field(description="The path of the field in the input.")
    policies: list[str] = strawberry.field(
        description="The policies and handlers of the requested type that the action does not have."
    )


@strawberry.input(description="When an open action escalates, and what the service then does.")
class EscalationPolicyInput:
    """An escalation policy."""

    after: str = strawberry.field(
        default="PT0S", description="ISO 8601 duration after the due time, e.g. `PT30M`."
    )
    policy: EscalationHandler = EscalationHandler.NOTIFY


@strawberry.input(description="The default policies that an action gets from its type.")
class DefaultPoliciesInput:
    """Default policies."""

    requires_confirmation: bool = False
    auto_complete: bool = False
    blocking: bool = False
    escalation: EscalationPolicyInput | None = None


@strawberry.input(description="The statuses that an action may change to from a status.")
class AllowedTransitionsInput:
    """The transitions from one status."""

    status: str
    to: list[str]


@strawberry.input(description="A status that the type no longer has.")
class FormerStatusInput:
    """A former status."""

    status: str
    now: str = strawberry.field(
        description="The present status that actions in the former status are treated as having."
    )


@strawberry.input(description="The generic handlers that apply to actions of the type.")
class PolicyHandlersInput:
    """Policy handlers."""

    escalation: EscalationHandler | None = strawberry.field(
        default=None, description="Omit it, or give the same value as `defaultPolicies.escalation.policy`."
    )
    completion_guard: CompletionGuard | None = None
    due: DueHandler | None = None


@register_input(ActionTypeDraft)
@strawberry.input(
    description="An action type, with the same keys as a file in `registry/action_types/`; see "
    "docs/spec/registry.md."
)
class ActionTypeInput:
    """The definition of an action type."""

    id: str = strawberry.field(description="a–z, 0–9 and _, starting with a letter; it can never be changed.")
    display_name: str
    description: str = ""
    allowed_owners: list[ActionOwner] = strawberry.field(
        description="The first one owns actions that are created without an owner."
    )
    allowed_statuses: list[str] = strawberry.field(
        description="The first one is the status of a new action; `completed` must be in the list."
    )
    allowed_transitions: list[AllowedTransitionsInput] = strawberry.field(
        description="`completed` and `cancelled` have no transitions; every other status needs at least one."
    )
    default_policies: DefaultPoliciesInput = strawberry.field(default_factory=DefaultPoliciesInput)
    policy_handlers: PolicyHandlersInput = strawberry.field(default_factory=PolicyHandlersInput)
    failure_status: str | None = strawberry.field(
        default=None,
        description="The open status of an action after a result that says it failed; default: the first of "
        "`allowedStatuses`.",
    )
    former_statuses: list[FormerStatusInput] = strawberry.field(default_factory=list)
    rollout_flag: str | None = strawberry.field(
        default=None,
        description="New actions can have the type only while this rollout flag is on for the organisation.",
    )

    def values(self, path: str) -> dict[str, Any]:
        """Return the definition with the keys of a registry file.

        Raises:
            InvalidInput: If a name has the wrong form or is given twice.
        """
        raise_all(self._name_problems(path))
        ways = [(way.status, tuple(way.to)) for way in self.allowed_transitions]
        former = [(former.status, former.now) for former in self.former_statuses]
        return {
            "keys": {
                **_file_keys(self),
                "allowed_transitions": _unique_keys(ways, f"{path}.allowedTransitions"),
                "former_statuses": _unique_keys(former, f"{path}.formerStatuses"),
            }
        }

    def spellings(self, _path: str) -> dict[str, str]:
        """Return no spellings: each field has one name."""
        return {}

    def _name_problems(self, path: str) -> list[InvalidInput]:
        """Return a problem for each invalid name, with the client's path."""
        named = [("id", self.id)]
        named += [(f"allowedStatuses[{n}]", status) for n, status in enumerate(self.allowed_statuses)]
        for n, way in enumerate(self.allowed_transitions):
            named.append((f"allowedTransitions[{n}].status", way.status))
            named += [(f"allowedTransitions[{n}].to[{m}]", status) for m, status in enumerate(way.to)]
        for n, former in enumerate(self.former_statuses):
            named.append((f"formerStatuses[{n}].status", former.status))
            named.append((f"formerStatuses[{n}].now", former.now))
        if self.failure_status is not None:
            named.append(("failureStatus", self.failure_status))
        if self.rollout_flag is not None:
            named.append(("rolloutFlag", self.rollout_flag))
        return [problem for field, text in named for problem in name_problems(text, f"{path}.{field}")]


def _file_keys(value: Any) -> Any:
    """Return an input as the keys of a registry file."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, list):
        return tuple(_file_keys(item) for item in value)
    if dataclasses.is_dataclass(value):
        return {field.name: _file_keys(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


def _unique_keys(pairs: list[tuple[str, Any]], path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, (key, value) in enumerate(pairs):
        if key in found:
            raise InvalidInput("is given twice", field=f"{path}[{number}].status")
        found[key] = value
    return found
