"""Queries of pending actions and their types."""

from __future__ import annotations

from typing import Annotated

import strawberry

from prefrontal.api.graphql.actions.listing import PendingActionConnection, PendingActionFilterInput
from prefrontal.api.graphql.paging import After, First
from prefrontal.api.graphql.permissions import READS
from prefrontal.api.graphql.registry.action_types import ActionTypeFilterInput, ActionTypeType
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionOrder


@strawberry.type
class ActionQuery:
    """Queries of pending actions."""

    @strawberry.field(description="The action types of the registry, ordered by id.", extensions=[READS])
    async def action_types(
        self, info: Context, filter: ActionTypeFilterInput | None = None
    ) -> list[ActionTypeType]:
        """Return the types in order of their ids."""
        types = info.context.services.registry.effective_types.of(await info.context.caller())
        found = [ActionTypeType.from_record(types[name], types) for name in sorted(types)]
        return [kind for kind in found if filter is None or filter.fits(kind)]

    @strawberry.field(description="A page of pending actions, by default in descending order of utility.")
    async def pending_actions(
        self,
        info: Context,
        filter: PendingActionFilterInput | None = None,
        order_by: Annotated[
            ActionOrder, strawberry.argument(description="Default: UTILITY; see `PendingAction.score`.")
        ] = ActionOrder.UTILITY,
        first: First = None,
        after: After = None,
    ) -> PendingActionConnection:
        """Return the page."""
        most = info.context.services.catalog.limits
        wanted = filter.wanted(most) if filter else None
        page = await info.context.services.actions.service.list(
            await info.context.caller(), wanted, order_by, first=first, after=after
        )
        return PendingActionConnection.from_page(page, wanted)
