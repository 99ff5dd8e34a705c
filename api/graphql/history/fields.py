"""Queries of history."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import strawberry

from prefrontal.api.graphql.history.types import (
    AuditEntryType,
    AuditFilterInput,
    RecordAsOf,
    VersionType,
)
from prefrontal.api.graphql.input_types import filter_of
from prefrontal.api.graphql.paging import After, Connection, First, UncountedPage
from prefrontal.api.graphql.request_context import Context
from prefrontal.api.graphql.turn_names import with_turn
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.record import AuditFilter


@strawberry.type
class HistoryQuery:
    """Queries of versions, earlier states and the audit log."""

    @strawberry.field(
        description="A page of the versions of a goal, a pending action, a question, a story, an "
        "observation or a memory, newest first; null if the id is unknown or not readable."
    )
    async def history(
        self, info: Context, id: strawberry.ID, first: First = None, after: After = None
    ) -> Connection[VersionType] | None:
        try:
            page = await info.context.services.history.service.history(
                await info.context.caller(), id, first=first, after=after
            )
        except NotFound:
            return None

        async def counted() -> int:
            return page.total

        return Connection.of(VersionType, page, counted)

    @strawberry.field(
        description="A record as it was at a time, with the links that existed then; null before its "
        "creation, and if the id is unknown or not readable."
    )
    async def as_of(
        self,
        info: Context,
        id: strawberry.ID,
        at: Annotated[datetime, strawberry.argument(description="A time with its time zone.")],
    ) -> RecordAsOf | None:
        try:
            state = await info.context.services.history.service.as_of(await info.context.caller(), id, at)
        except NotFound:
            return None
        return RecordAsOf.maybe(state)

    @strawberry.field(
        description="A page of the audit log, newest first: the changes in the spaces that you may read, "
        "or of one readable record."
    )
    async def audit_log(
        self, info: Context, filter: AuditFilterInput | None = None, first: First = None, after: After = None
    ) -> UncountedPage[AuditEntryType]:
        page = await info.context.services.history.audit.page(
            await info.context.caller(),
            await with_turn(info, filter_of(filter, AuditFilter)),
            first=first,
            after=after,
        )
        return UncountedPage.of_page(AuditEntryType, page)
