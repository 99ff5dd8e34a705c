"""Queries of pending actions and their types."""

from __future__ import annotations

import strawberry

from api.graphql.actions.action_types import ActionTypeFilterInput, ActionTypeType
from api.graphql.permissions import READS
from api.graphql.state import Context


@strawberry.type
class ActionQuery:
    """Queries of pending actions."""

    @strawberry.field(
        description="The kinds of pending actions that the registry knows, by id.", extensions=[READS]
    )
    async def action_types(
        self, info: Context, filter: ActionTypeFilterInput | None = None
    ) -> list[ActionTypeType]:
        """Return the types in order of their ids."""
        types = info.context.services.catalog.action_types.snapshot()
        found = [ActionTypeType.from_record(types[name], types) for name in sorted(types)]
        return [kind for kind in found if filter is None or filter.fits(kind)]
