"""The registry's action types as GraphQL types."""

from __future__ import annotations

import strawberry

from graph.catalog import ActionType, ActionTypes
from graph.catalog.action_types import CompletionGuard, Deprecation, EscalationHandler, EscalationTable
from graph.cortex.actions.record import ActionOwner

strawberry.enum(Deprecation, name="DeprecationStatus", description="Whether a type is meant for new actions.")
strawberry.enum(EscalationHandler, name="EscalationHandler", description="What happens to an overdue action.")
strawberry.enum(
    CompletionGuard, name="CompletionGuard", description="What stands before the end of an action."
)


@strawberry.type(
    name="EscalationPolicy", description="When an open action is overdue, and what happens then."
)
class EscalationPolicyType:
    """An escalation policy."""

    after: str = strawberry.field(description="ISO 8601 duration, counted from the due time.")
    policy: EscalationHandler

    @classmethod
    def from_record(cls, e: EscalationTable) -> EscalationPolicyType:
        """Return the type of a registry entry."""
        return cls(after=e.after, policy=EscalationHandler(e.policy))


@strawberry.type(name="DefaultPolicies", description="What an action takes from its type.")
class DefaultPoliciesType:
    """Default policies."""

    requires_confirmation: bool
    auto_complete: bool
    escalation: EscalationPolicyType | None
    blocking: bool


@strawberry.type(name="AllowedTransitions", description="Where an action may go from a status.")
class AllowedTransitionsType:
    """The ways from one status."""

    status: str
    to: list[str]


@strawberry.type(name="PolicyHandlers", description="The generic handlers that apply.")
class PolicyHandlersType:
    """Policy handlers."""

    escalation: EscalationHandler | None
    completion_guard: CompletionGuard | None


@strawberry.type(name="ActionType", description="A kind of pending action, as the registry describes it.")
class ActionTypeType:
    """An action type."""

    id: strawberry.ID
    display_name: str
    description: str
    allowed_owners: list[ActionOwner]
    allowed_statuses: list[str] = strawberry.field(description="The first is where a new action starts.")
    allowed_transitions: list[AllowedTransitionsType]
    default_policies: DefaultPoliciesType
    policy_handlers: PolicyHandlersType
    requires_confirmation: bool
    blocking: bool
    deprecation_status: Deprecation
    replaced_by: strawberry.ID | None = strawberry.field(description="The type that new actions get instead.")
    note: str | None = strawberry.field(description="What to do instead of using a deprecated type.")
    block_new: bool = strawberry.field(description="It takes no new actions.")
    rollout_flag: str | None = strawberry.field(description="The flag that it waits for.")
    usable: bool = strawberry.field(description="A new action can have it now.")

    @classmethod
    def from_record(cls, t: ActionType, types: ActionTypes) -> ActionTypeType:
        """Return the type of a registry entry."""
        policies, handlers = t.default_policies, t.policy_handlers
        return cls(
            id=strawberry.ID(t.id),
            display_name=t.display_name,
            description=t.description,
            allowed_owners=[ActionOwner(owner) for owner in t.allowed_owners],
            allowed_statuses=list(t.allowed_statuses),
            allowed_transitions=[
                AllowedTransitionsType(status=status, to=list(t.ways_from(status)))
                for status in t.allowed_statuses
            ],
            default_policies=DefaultPoliciesType(
                requires_confirmation=policies.requires_confirmation,
                auto_complete=policies.auto_complete,
                escalation=EscalationPolicyType.from_record(policies.escalation)
                if policies.escalation
                else None,
                blocking=policies.blocking,
            ),
            policy_handlers=PolicyHandlersType(
                escalation=EscalationHandler(handlers.escalation) if handlers.escalation else None,
                completion_guard=CompletionGuard(handlers.completion_guard)
                if handlers.completion_guard
                else None,
            ),
            requires_confirmation=policies.requires_confirmation,
            blocking=policies.blocking,
            deprecation_status=Deprecation(t.deprecation_status),
            replaced_by=strawberry.ID(t.replaced_by) if t.replaced_by else None,
            note=t.note,
            block_new=t.block_new,
            rollout_flag=t.rollout_flag,
            usable=types.for_new(t.id) is t and not t.block_new,
        )


@strawberry.input(description="Which action types.")
class ActionTypeFilterInput:
    """The filter of `actionTypes`."""

    ids: list[strawberry.ID] | None = None
    owner: ActionOwner | None = strawberry.field(default=None, description="Those it may own.")
    deprecation_status: Deprecation | None = None
    usable: bool | None = strawberry.field(
        default=None, description="Those a new action can have now, or not."
    )

    def fits(self, t: ActionTypeType) -> bool:
        """Tell whether a type is wanted."""
        return (
            (self.ids is None or t.id in self.ids)
            and (self.owner is None or self.owner in t.allowed_owners)
            and (self.deprecation_status is None or self.deprecation_status == t.deprecation_status)
            and (self.usable is None or self.usable == t.usable)
        )
