"""The registry's action types as GraphQL types."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self

import strawberry

from prefrontal.api.graphql.permissions import READS
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionOwner
from prefrontal.graph.cortex.actions.usage import TypeUsage
from prefrontal.graph.registry.definitions import (
    ActionType,
    ActionTypes,
    CompletionGuard,
    Deprecation,
    DueHandler,
    EscalationHandler,
    EscalationTable,
    Origin,
    TypeSource,
)

strawberry.enum(
    TypeSource,
    name="ActionTypeSource",
    description="The source of an action type: a file of the registry, or an override of the organisation.",
)
strawberry.enum(
    Deprecation, name="DeprecationStatus", description="Whether an action type is active or deprecated."
)
strawberry.enum(
    EscalationHandler, name="EscalationHandler", description="What the service does with an overdue action."
)
strawberry.enum(DueHandler, name="DueHandler", description="What makes an action due, besides its due time.")
strawberry.enum(
    CompletionGuard,
    name="CompletionGuard",
    description="A condition that must hold before an action can be completed.",
)


@strawberry.type(
    name="EscalationPolicy", description="When an open action escalates, and what the service then does."
)
class EscalationPolicyType:
    """An escalation policy."""

    after: str = strawberry.field(description="ISO 8601 duration after the due time.")
    policy: EscalationHandler

    @classmethod
    def from_record(cls, e: EscalationTable) -> EscalationPolicyType:
        """Return the type of a registry entry."""
        return cls(after=e.after, policy=EscalationHandler(e.policy))


@strawberry.type(
    name="DefaultPolicies", description="The default policies that an action gets from its type."
)
class DefaultPoliciesType:
    """Default policies."""

    requires_confirmation: bool
    auto_complete: bool
    escalation: EscalationPolicyType | None
    blocking: bool


@strawberry.type(
    name="AllowedTransitions", description="The statuses that an action may change to from a status."
)
class AllowedTransitionsType:
    """The transitions from one status."""

    status: str
    to: list[str]


@strawberry.type(name="FormerStatus", description="A status that the type no longer has.")
class FormerStatusType:
    """A former status."""

    status: str
    now: str = strawberry.field(
        description="The present status that an action in the former status is treated as having."
    )


@strawberry.type(name="PolicyHandlers", description="The generic handlers that apply to actions of the type.")
class PolicyHandlersType:
    """Policy handlers."""

    escalation: EscalationHandler | None
    completion_guard: CompletionGuard | None
    due: DueHandler | None


@strawberry.type(name="FiledActionType", description="An action type as defined in the registry's files.")
class FiledActionTypeType:
    """An action type as defined in a file, without the organisation's override."""

    id: strawberry.ID
    display_name: str
    description: str
    allowed_owners: list[ActionOwner]
    allowed_statuses: list[str] = strawberry.field(description="The first one is the status of a new action.")
    allowed_transitions: list[AllowedTransitionsType]
    default_policies: DefaultPoliciesType
    policy_handlers: PolicyHandlersType
    requires_confirmation: bool
    blocking: bool
    deprecation_status: Deprecation
    successor: strawberry.Private[tuple[str | None, ActionTypes]]
    note: str | None = strawberry.field(description="What to do instead of using a deprecated type.")
    block_new: bool = strawberry.field(description="Whether new actions of this type are refused.")
    rollout_flag: str | None = strawberry.field(
        description="The rollout flag that must be on before new actions can have this type."
    )
    usable: bool = strawberry.field(description="Whether a new action can have this type now.")
    failure_status: str = strawberry.field(
        description="The status of an action after a result that says that it failed."
    )
    former_statuses: list[FormerStatusType]
    retired: bool = strawberry.field(
        description="Whether the type's file is gone: its actions can be moved and completed, new ones are "
        "refused."
    )
    retired_statuses: list[AllowedTransitionsType] = strawberry.field(
        description="Statuses that the type's file dropped without a successor, each with the statuses that "
        "may follow; no action can enter one."
    )
    source: TypeSource
    version: int | None = strawberry.field(
        description="The version of the override, or of the definition in the file; null if it has none yet."
    )
    since: datetime | None = strawberry.field(
        description="When the type became available to new actions; turns that began earlier do not know it. "
        "Null if the type has been available since the registry was recorded first."
    )

    @strawberry.field(description="The type that replaces a deprecated type.")
    def replaced_by(self) -> ActionTypeType | None:
        name, types = self.successor
        held = types.get(name) if name else None
        return None if held is None else ActionTypeType.from_record(held, types)

    @classmethod
    def from_record(cls, t: ActionType, types: ActionTypes) -> Self:
        """Return the type of a registry entry."""
        policies, handlers = t.default_policies, t.policy_handlers
        origin = types.origin(t.id) if types.get(t.id) is t else Origin()
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
                due=DueHandler(handlers.due) if handlers.due else None,
            ),
            requires_confirmation=policies.requires_confirmation,
            blocking=policies.blocking,
            deprecation_status=Deprecation(t.deprecation_status),
            successor=(t.replaced_by, types),
            note=t.note,
            block_new=t.block_new,
            rollout_flag=t.rollout_flag,
            usable=types.for_new(t.id) is t and not t.block_new,
            failure_status=t.status_after_failure,
            former_statuses=[FormerStatusType(status=s, now=now) for s, now in t.former_statuses.items()],
            retired=origin.retired,
            retired_statuses=[
                AllowedTransitionsType(status=status, to=list(to))
                for status, to in sorted(t.retired_statuses.items())
            ],
            source=origin.source,
            version=origin.version,
            since=origin.since,
        )


@strawberry.type(
    name="ActionTypeUsage",
    description="What became of the actions of a type in the spaces that you may read.",
)
class ActionTypeUsageType:
    """How a type is used."""

    created: int = strawberry.field(description="The actions that were created since the given time.")
    open: int = strawberry.field(description="Those of them that are neither completed nor cancelled.")
    completed: int = strawberry.field(description="Those of them that are completed.")
    cancelled: int = strawberry.field(description="Those of them that are cancelled.")
    failed: int = strawberry.field(
        description="Those of them of which a result has said, once at least, that they failed, whatever "
        "became of them afterwards."
    )
    completion_rate: float | None = strawberry.field(
        description="`completed` / `created`, 0 to 1; null if none was created."
    )
    error_rate: float | None = strawberry.field(
        description="`failed` / `created`, 0 to 1; null if none was created."
    )
    overdue: int = strawberry.field(
        description="All open actions of the type whose due time has passed, whenever they were created."
    )

    @classmethod
    def from_record(cls, u: TypeUsage) -> ActionTypeUsageType:
        return cls(
            created=u.created,
            open=u.open,
            completed=u.completed,
            cancelled=u.cancelled,
            failed=u.failed,
            completion_rate=u.completion_rate,
            error_rate=u.error_rate,
            overdue=u.overdue,
        )


@strawberry.type(
    name="ActionType",
    description="An action type: the owners, statuses, transitions and policies of a kind of pending action.",
)
class ActionTypeType(FiledActionTypeType):
    """An action type."""

    overrides: FiledActionTypeType | None = strawberry.field(
        default=None, description="The definition in the registry's files, if an override replaces it."
    )

    @strawberry.field(
        description="How many actions of the type were created in the spaces that you may read, and what "
        "became of them.",
        extensions=[READS],
    )
    async def usage(
        self,
        info: Context,
        since: Annotated[
            datetime | None,
            strawberry.argument(description="Only actions created at or after this time; default: all."),
        ] = None,
    ) -> ActionTypeUsageType:
        return ActionTypeUsageType.from_record(await info.context.loaders.type_usage.load((self.id, since)))

    @classmethod
    def from_record(cls, t: ActionType, types: ActionTypes) -> Self:
        """Return the type of a registry entry, with the file's definition that it overrides."""
        made = super().from_record(t, types)
        origin = types.origin(t.id) if types.get(t.id) is t else Origin()
        if origin.replaced:
            made.overrides = FiledActionTypeType.from_record(origin.replaced, types)
        return made


@strawberry.input(description="Conditions on action types; all given conditions must hold.")
class ActionTypeFilterInput:
    """The filter of `actionTypes`."""

    ids: list[strawberry.ID] | None = None
    owner: ActionOwner | None = strawberry.field(
        default=None, description="Types whose actions this owner may own."
    )
    deprecation_status: Deprecation | None = None
    usable: bool | None = strawberry.field(
        default=None, description="True: types that a new action can have now; false: the other types."
    )

    def fits(self, t: ActionTypeType) -> bool:
        """Return whether a type matches the filter."""
        return (
            (self.ids is None or t.id in self.ids)
            and (self.owner is None or self.owner in t.allowed_owners)
            and (self.deprecation_status is None or self.deprecation_status == t.deprecation_status)
            and (self.usable is None or self.usable == t.usable)
        )
