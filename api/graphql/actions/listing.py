"""Pages of pending actions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import strawberry

from prefrontal.api.graphql.actions.types import PendingActionType
from prefrontal.api.graphql.inputs import draft
from prefrontal.api.graphql.paging import PageInfo
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.cortex.actions.record import ActionFilter, ActionOrder, ActionOwner, ActionPage
from prefrontal.graph.validation import list_problems, raise_all, text_problems

if TYPE_CHECKING:
    from prefrontal.graph.config.tables import LimitsTable

strawberry.enum(ActionOrder, name="PendingActionOrder", description="The order of a list of actions.")


@strawberry.input(description="Conditions on pending actions; all given conditions must hold.")
class PendingActionFilterInput:
    """The filter of `pendingActions`."""

    owner: ActionOwner | None = None
    status: list[str] | None = strawberry.field(
        default=None, description="Any of these; default: all but completed and cancelled."
    )
    type: list[str] | None = strawberry.field(default=None, description="Any of these types.")
    goal_id: strawberry.ID | None = None
    space: strawberry.ID | None = None
    due_after: datetime | None = strawberry.field(
        default=None, description="Due at this time or later; excludes actions without a due time."
    )
    due_before: datetime | None = strawberry.field(default=None, description="Due before this time.")
    blocking: bool | None = None

    def wanted(self, limits: LimitsTable) -> ActionFilter:
        """Return the filter; raise `InvalidInput` for values of the wrong form."""
        for name, given in (("status", self.status), ("type", self.type)):
            problems = list_problems(given or (), f"filter.{name}", limits.list_items)
            for number, text in enumerate((given or ())[: limits.list_items]):
                problems += text_problems(text, f"filter.{name}[{number}]", limits.key_characters)
            raise_all(problems)
        for name, uid in (("goalId", self.goal_id), ("space", self.space)):
            raise_all(text_problems(uid, f"filter.{name}", limits.key_characters, required=False))
        return draft(
            ActionFilter,
            {
                "owner": self.owner,
                "statuses": None if self.status is None else tuple(self.status),
                "types": None if self.type is None else tuple(self.type),
                "goal_id": self.goal_id,
                "space": self.space,
                "due_after": self.due_after,
                "due_before": self.due_before,
                "blocking": self.blocking,
            },
            "filter",
        )


@strawberry.type(description="A pending action in a page.")
class PendingActionEdge:
    """An edge of the connection."""

    cursor: str
    node: PendingActionType


@strawberry.type(description="A page of pending actions.")
class PendingActionConnection:
    """A page of pending actions."""

    wanted: strawberry.Private[ActionFilter | None]
    edges: list[PendingActionEdge]
    nodes: list[PendingActionType]
    page_info: PageInfo

    @strawberry.field(
        description="The number of all matches, not only of this page; counted only if the field is selected."
    )
    async def total_count(self, info: Context) -> int:
        """Return the number of matches."""
        return await info.context.services.actions.service.count(await info.context.caller(), self.wanted)

    @classmethod
    def from_page(cls, page: ActionPage, wanted: ActionFilter | None) -> PendingActionConnection:
        """Return the connection of a page."""
        nodes = [PendingActionType.from_record(action) for action in page.items]
        return cls(
            wanted=wanted,
            edges=[PendingActionEdge(cursor=c, node=n) for c, n in zip(page.cursors, nodes, strict=True)],
            nodes=nodes,
            page_info=PageInfo.of(page.cursors, has_next=page.has_next),
        )
