"""Queries and mutations of an organisation's own action types."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.errors import Problem
from prefrontal.api.graphql.inputs import key_field, turn_field, version_field
from prefrontal.api.graphql.permissions import MAINTAINS, READS
from prefrontal.api.graphql.registry.action_types import ActionTypeType
from prefrontal.api.graphql.registry.types import ActionTypeInput, ActionTypeOverrideType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.registry.overrides.record import ActionTypeOverride


@strawberry.input(description="An action type to register for the organisation.")
class RegisterActionTypeInput:
    """The input of `registerActionType`."""

    definition: ActionTypeInput
    approved: bool = strawberry.field(
        default=False,
        description="True puts the definition into force at once; it then overrides a file with the same id. "
        "False stores a draft, which the organisation can read and which has no effect.",
    )
    turn_id: str | None = turn_field()
    expected_version: int | None = version_field()
    idempotency_key: str | None = key_field()


@strawberry.input(description="An action type to deprecate.")
class DeprecateActionTypeInput:
    """The input of `deprecateActionType`."""

    id: str = strawberry.field(description="The type's id.")
    replaced_by: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="The type to use instead; it must be active. If omitted, the present value is kept.",
    )
    note: str | None = strawberry.field(
        default=strawberry.UNSET,
        description="Advice for people on what to do instead. If omitted, the present value is kept.",
    )
    block_new: bool = strawberry.field(
        default=True,
        description="True refuses new actions of this type and names the successor. False gives new "
        "actions the successor's type, or this type if there is no successor.",
    )
    turn_id: str | None = turn_field()
    expected_version: int | None = version_field()
    idempotency_key: str | None = key_field()


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


@strawberry.type
class RegistryQuery:
    """Queries of an organisation's own action types."""

    @strawberry.field(
        description="The organisation's own definitions of action types, in force or drafts, ordered by id.",
        extensions=[READS],
    )
    async def action_type_overrides(self, info: Context) -> list[ActionTypeOverrideType]:
        """Return the overrides."""
        caller = await info.context.caller()
        found = await info.context.services.registry.overrides.list_overrides(caller)
        types = info.context.services.registry.effective_types.of(caller)
        return [ActionTypeOverrideType.from_record(each, types) for each in found]


@strawberry.type
class RegistryMutation:
    """Mutations of an organisation's own action types."""

    @strawberry.mutation(
        description="Adds or changes an action type for your organisation only, without a file; for "
        "maintainers.",
        extensions=[MAINTAINS],
    )
    async def register_action_type(
        self, info: Context, input: RegisterActionTypeInput
    ) -> Annotated[
        RegisterActionTypePayload | Problem,
        strawberry.union("RegisterActionTypeResult", description="The definition, or the problem."),
    ]:
        """Register the type."""
        stored = await info.context.services.registry.overrides.register(
            await info.context.caller(),
            input.definition.values(),
            approve=input.approved,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        override, kind = await _stored_types(info, stored)
        return RegisterActionTypePayload(override=override, action_type=kind)

    @strawberry.mutation(
        description="Deprecates an action type for your organisation at once. The type's id and existing "
        "actions are kept. For maintainers.",
        extensions=[MAINTAINS],
    )
    async def deprecate_action_type(
        self, info: Context, input: DeprecateActionTypeInput
    ) -> Annotated[
        DeprecateActionTypePayload | Problem,
        strawberry.union("DeprecateActionTypeResult", description="The deprecated type, or the problem."),
    ]:
        """Deprecate the type."""
        given = {"replaced_by": input.replaced_by, "note": input.note}
        keep = frozenset(name for name, value in given.items() if value is strawberry.UNSET)
        stored = await info.context.services.registry.overrides.deprecate(
            await info.context.caller(),
            input.id,
            replaced_by=None if "replaced_by" in keep else input.replaced_by,
            note=None if "note" in keep else input.note,
            block_new=input.block_new,
            keep=keep,
            expected_version=input.expected_version,
            turn_id=input.turn_id,
            idempotency_key=input.idempotency_key,
        )
        override, kind = await _stored_types(info, stored)
        return DeprecateActionTypePayload(override=override, action_type=kind)


async def _stored_types(
    info: Context, stored: ActionTypeOverride
) -> tuple[ActionTypeOverrideType, ActionTypeType | None]:
    types = info.context.services.registry.effective_types.of(await info.context.caller())
    kind = types.get(stored.type_id)
    shown = ActionTypeType.from_record(kind, types) if kind else None
    return ActionTypeOverrideType.from_record(stored, types), shown
