"""The mutation that reverts a record to an earlier version."""

from __future__ import annotations

import strawberry

from prefrontal.api.graphql.history.types import RevertPayload, RevertWarningType
from prefrontal.api.graphql.mutation import mutation
from prefrontal.api.graphql.nodes import find_node
from prefrontal.api.graphql.request_context import Context
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.record import Revert


@strawberry.type
class HistoryMutation:
    """Mutations of history."""

    @mutation(
        "Restores the content of an earlier version of a record, as a new version. Later changes of other "
        "records that depend on it are not undone: the revert is refused with reasons, or returns warnings.",
        "The reverted record, or the problem.",
    )
    async def revert(self, info: Context, command: Revert) -> RevertPayload:
        """Revert the record."""
        version, found = await info.context.services.history.revert.revert(
            await info.context.caller(), command
        )
        # Another mutation of the same request may have read the record before.
        info.context.forget()
        node = await find_node(info.context.loaders, command.id)
        if node is None:
            raise NotFound("the record was reverted, but you may no longer read it", field="id")
        warnings = [RevertWarningType.from_record(warning) for warning in found]
        return RevertPayload(node=node, version=version, warnings=warnings)
