"""The use case that takes a pending action back to an earlier version."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from prefrontal.graph.access.record import Permission
from prefrontal.graph.checks import require_version
from prefrontal.graph.cortex.actions import holding, store
from prefrontal.graph.cortex.actions.restoring import (
    conflicts_with,
    require_type,
    require_user,
    restore,
    warnings_of,
)
from prefrontal.graph.cortex.actions.telling import about
from prefrontal.graph.errors import SeveralConflicts
from prefrontal.graph.history.journaling import result_of, reverted
from prefrontal.graph.history.record import Revert
from prefrontal.graph.history.rules import REVERTED_TO
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.versions import changed_fields

if TYPE_CHECKING:
    from prefrontal.graph.access.record import Caller
    from prefrontal.graph.catalog import Catalog
    from prefrontal.graph.catalog.tables import TypeTables
    from prefrontal.graph.history.service import HistoryService
    from prefrontal.graph.storage.unit_of_work import Tx


class ActionReverts:
    """Takes actions back, under the locks of any other change."""

    def __init__(self, catalog: Catalog, types: TypeTables, history: HistoryService) -> None:
        """Take what the use case needs."""
        self._catalog = catalog
        self._types = types
        self._history = history

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Give an action the content of an earlier version; see `history.reverting`."""
        before = await holding.lock_one(tx, caller, asked.uid, now)
        require_version(before.version, asked.expected_version)
        content = await self._history.content_in(tx, caller, asked.uid, asked.number)
        after = restore(before, content, now)
        goals = await store.goals_of(tx, caller, [before.goal_id]) if before.goal_id else {}
        status = next((goal.status for goal in goals.values()), None)
        warnings = warnings_of(after, content, status, self._catalog.goals.active_statuses)
        if after == before:
            return Change(result=result_of(before.version, warnings))
        blocked_by = await holding.blockers(tx, caller, before)
        problems = conflicts_with(before, after, self._types.of(caller), blocked_by)
        if problems:
            raise SeveralConflicts(problems)
        require_type(before, after, maintains=Permission.MAINTAIN in caller.permissions)
        require_user(before, after, by_user=holding.is_user(caller))
        said = {REVERTED_TO: asked.number}
        await store.update(tx, caller, [(before, after)], turn_id=asked.turn_id, more=said)
        return reverted(
            EventType.PENDING_ACTION_REVERTED,
            after,
            asked,
            fields=changed_fields(before, after),
            data=about(after),
            warnings=warnings,
        )
