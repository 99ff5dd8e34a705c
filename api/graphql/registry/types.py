"""An organisation's own action types as GraphQL types and inputs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import strawberry

from prefrontal.api.graphql.node import Node
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.registry.definitions import ActionTypes, CompletionGuard, DueHandler, EscalationHandler
from prefrontal.graph.registry.overrides.record import ActionTypeOverride
from prefrontal.graph.registry.overrides.rules import name_problems
from prefrontal.graph.validation import raise_all


@strawberry.type(
    name="ActionTypeOverride",
    description="An organisation's own definition of an action type. Once approved, it overrides a file with "
    "the same id.",
)
class ActionTypeOverrideType(Node):
    """An override."""

    type_id: strawberry.ID
    space: strawberry.ID = strawberry.field(description="The organisation's common space.")
    in_force: ActionTypeType | None = strawberry.field(description="The approved definition.")
    draft: ActionTypeType | None = strawberry.field(
        description="A definition that is not approved yet; it has no effect."
    )
    since: datetime | None = strawberry.field(
        description="When the override made the type available to new actions; null if a file had made it "
        "available before."
    )
    created_at: datetime
    updated_at: datetime
    created_by: strawberry.ID
    version: int

    @classmethod
    def from_record(cls, o: ActionTypeOverride, types: ActionTypes) -> ActionTypeOverrideType:
        """Return the type of a record."""
        # `ActionTypeType` looks up the source of a type by object identity, so use the object in force.
        held = types.get(o.type_id)
        in_force = held if held is not None and held == o.definition else o.definition
        return cls(
            id=strawberry.ID(o.uid),
            type_id=strawberry.ID(o.type_id),
            space=strawberry.ID(o.scope_id),
            in_force=ActionTypeType.from_record(in_force, types) if in_force else None,
            draft=ActionTypeType.from_record(o.draft, types) if o.draft else None,
            since=o.since,
            created_at=o.created_at,
            updated_at=o.updated_at,
            created_by=strawberry.ID(o.by_uid),
            version=o.version,
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
    former_statuses: list[FormerStatusInput] = strawberry.field(default_factory=list)
    rollout_flag: str | None = strawberry.field(
        default=None,
        description="New actions can have the type only while this rollout flag is on for the organisation.",
    )

    def values(self) -> dict[str, Any]:
        """Return the definition with the keys of a registry file.

        Raises:
            InvalidInput: If a name has the wrong form or is given twice.
        """
        raise_all(self._name_problems("definition"))
        policies, handlers = self.default_policies, self.policy_handlers
        escalation = policies.escalation
        return {
            "id": self.id,
            "display_name": self.display_name,
            "description": self.description,
            "allowed_owners": tuple(owner.value for owner in self.allowed_owners),
            "allowed_statuses": tuple(self.allowed_statuses),
            "allowed_transitions": _once(
                [(way.status, tuple(way.to)) for way in self.allowed_transitions], "allowedTransitions"
            ),
            "default_policies": {
                "requires_confirmation": policies.requires_confirmation,
                "auto_complete": policies.auto_complete,
                "blocking": policies.blocking,
                "escalation": {"after": escalation.after, "policy": escalation.policy.value}
                if escalation
                else None,
            },
            "policy_handlers": {
                "escalation": handlers.escalation.value if handlers.escalation else None,
                "completion_guard": handlers.completion_guard.value if handlers.completion_guard else None,
                "due": handlers.due.value if handlers.due else None,
            },
            "former_statuses": _once(
                [(former.status, former.now) for former in self.former_statuses], "formerStatuses"
            ),
            "rollout_flag": self.rollout_flag,
        }

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
        if self.rollout_flag is not None:
            named.append(("rolloutFlag", self.rollout_flag))
        return [problem for field, text in named for problem in name_problems(text, f"{path}.{field}")]


def _once(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, (key, value) in enumerate(pairs):
        if key in found:
            raise InvalidInput("is given twice", field=f"definition.{name}[{number}].status")
        found[key] = value
    return found
