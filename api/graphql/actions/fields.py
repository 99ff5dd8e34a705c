"""Queries of pending actions and their types."""

from __future__ import annotations

import strawberry

from api.graphql.actions.types import ActionTypeType
from api.graphql.permissions import READS
from api.graphql.state import Context


@strawberry.type
class ActionQuery:
    """Queries of pending actions."""

    @strawberry.field(description="Every kind of pending action that the registry knows.", extensions=[READS])
    async def action_types(self, info: Context) -> list[ActionTypeType]:
        """Return the types in order of their ids."""
        types = info.context.services.catalog.action_types
        return [ActionTypeType.from_record(types[name]) for name in sorted(types)]
