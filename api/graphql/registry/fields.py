"""Queries and mutations of an organisation's own action types."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.paging import After, Connection, First, loaded_page
from prefrontal.api.graphql.permissions import MAINTAINS, READS
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.api.graphql.registry.types import ActionTypeOverrideType, TypeWarningType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.registry.overrides.record import (
    DeprecateActionType,
    RegisterActionType,
    WithdrawActionTypeOverride,
)
from prefrontal.graph.registry.overrides.rules import deprecation_effects


@strawberry.type(description="The organisation's own definition of the type.")
class RegisterActionTypePayload:
    """The result of `registerActionType`."""

    override: ActionTypeOverrideType
    action_type: ActionTypeType | None = strawberry.field(
        description="The type in force for new actions; null while there is only a draft."
    )


@strawberry.type(description="The deprecated type.")
class DeprecateActionTypePayload:
    """The result of `deprecateActionType`."""

    override: ActionTypeOverrideType
    action_type: ActionTypeType | None
    warnings: list[TypeWarningType] = strawberry.field(
        description="What becomes of new actions that ask for the type."
    )


@strawberry.type(description="The type without the organisation's own definition.")
class WithdrawActionTypeOverridePayload:
    """The result of `withdrawActionTypeOverride`."""

    action_type: ActionTypeType | None = strawberry.field(
        description="The definition of the registry's files, which is in force again; null if only a draft "
        "was removed and no file has the type."
    )


@strawberry.type
class RegistryQuery:
    """Queries of an organisation's own action types."""

    @strawberry.field(
        description="A page of the organisation's own definitions of action types, in force or drafts, "
        "ordered by the id of the type.",
        extensions=[READS],
    )
    async def action_type_overrides(
        self, info: Context, first: First = None, after: After = None
    ) -> Connection[ActionTypeOverrideType]:
        caller = await info.context.caller()
        # An organisation has few definitions of its own, so they are read at once.
        found = await info.context.services.registry.overrides.list_overrides(caller)
        loader = info.context.loaders.overrides
        for override in found:
            loader.prime(override.uid, override)
        page = await loaded_page(loader, [override.uid for override in found], first, after)

        async def counted() -> int:
            return len(found)

        return Connection.of(ActionTypeOverrideType, page, counted)


@strawberry.type
class RegistryMutation:
    """Mutations of an organisation's own action types."""

    @mutation(
        "Adds or changes an action type for your organisation only, without a file; for maintainers.",
        "The definition, or the problem.",
        requires=MAINTAINS,
    )
    async def register_action_type(
        self, info: Context, command: RegisterActionType
    ) -> RegisterActionTypePayload:
        caller = await info.context.caller()
        stored = await info.context.services.registry.overrides.register(caller, command)
        return RegisterActionTypePayload(
            override=ActionTypeOverrideType.from_record(stored),
            action_type=await _type_in_force(info, stored.type_id),
        )

    @mutation(
        "Deprecates an action type for your organisation, from the next turn on. The type's id and existing "
        "actions are kept. For maintainers.",
        "The deprecated type, or the problem.",
        requires=MAINTAINS,
    )
    async def deprecate_action_type(
        self, info: Context, command: DeprecateActionType
    ) -> DeprecateActionTypePayload:
        caller = await info.context.caller()
        stored = await info.context.services.registry.overrides.deprecate(caller, command)
        types = info.context.services.registry.effective_types.of(caller)
        kind = types.get(stored.type_id)
        return DeprecateActionTypePayload(
            override=ActionTypeOverrideType.from_record(stored),
            action_type=ActionTypeType.from_record(kind, types) if kind else None,
            warnings=[
                TypeWarningType.from_record(each)
                for each in (deprecation_effects(kind, types) if kind else ())
            ],
        )

    @mutation(
        "Removes your organisation's own definition of an action type, and its draft; the definition of the "
        "registry's files is in force again. For maintainers.",
        "The type as it is now, or the problem.",
        requires=MAINTAINS,
    )
    async def withdraw_action_type_override(
        self, info: Context, command: WithdrawActionTypeOverride
    ) -> WithdrawActionTypeOverridePayload:
        """Remove the definition."""
        overrides = info.context.services.registry.overrides
        type_id = await overrides.remove(await info.context.caller(), command)
        return WithdrawActionTypeOverridePayload(action_type=await _type_in_force(info, type_id))


async def _type_in_force(info: Context, type_id: str) -> ActionTypeType | None:
    types = info.context.services.registry.effective_types.of(await info.context.caller())
    kind = types.get(type_id)
    return ActionTypeType.from_record(kind, types) if kind else None
