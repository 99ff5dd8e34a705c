"""The use case that takes a goal back to an earlier version."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.checks import require_version
from prefrontal.graph.cortex.goals import holding, store, tree_store
from prefrontal.graph.cortex.goals.record import Goal, GoalChanges, GoalLinks
from prefrontal.graph.cortex.goals.restoring import conflicts_with, gone, place_of, restore, warnings_of
from prefrontal.graph.cortex.goals.revising import renewed
from prefrontal.graph.cortex.goals.telling import about
from prefrontal.graph.errors import Conflict, InvalidInput, NotFound, SeveralConflicts
from prefrontal.graph.history.journaling import result_of, reverted
from prefrontal.graph.history.record import Revert, RevertWarning
from prefrontal.graph.history.rules import REVERTED_TO
from prefrontal.graph.journal.record import Change, EventType
from prefrontal.graph.versions import changed_fields

if TYPE_CHECKING:
    from prefrontal.graph.access.record import Caller
    from prefrontal.graph.catalog import Catalog
    from prefrontal.graph.history.service import HistoryService
    from prefrontal.graph.storage.unit_of_work import Tx


class GoalReverts:
    """Takes goals back, under the locks of any other change."""

    def __init__(self, catalog: Catalog, history: HistoryService) -> None:
        """Take what the use case needs."""
        self._catalog = catalog
        self._history = history

    async def revert_in(self, tx: Tx, caller: Caller, asked: Revert, now: datetime) -> Change:
        """Give a goal the content and the place of an earlier version; see `history.reverting`."""
        uid = asked.uid
        if not await store.find(tx, caller, [uid]):
            raise NotFound("no such goal", field="id")
        # A version never changes, so it is read before the lock: it names the goals to lock.
        content = await self._history.content_in(tx, caller, uid, asked.number)
        named = {content.fields.get("parent_goal_id"), *(content.fields.get("derived_from") or ())}
        goals = await store.lock(tx, caller, [uid, *(other for other in named if other)], now)
        before = await holding.writable_of(tx, goals, caller, uid, "id")
        require_version(before.version, asked.expected_version)
        links = (await tree_store.links_of(tx, caller, [uid])).get(uid, GoalLinks())
        place = place_of(links, content)
        after = restore(before, content, now)
        active = self._catalog.goals.active_statuses
        built = await tree_store.built_on(tx, caller, uid, content.at, active)
        problems = [*conflicts_with(before, after, built, self._catalog.goals), *gone(place, goals)]
        if place.model_fields_set and not problems:
            problems += await self._place_problems(tx, caller, before, place, goals, now)
        if problems:
            raise SeveralConflicts(problems)
        moved = await tree_store.relink(tx, caller, uid, place, now) if place.model_fields_set else {}
        parent = goals.get(content.fields.get("parent_goal_id") or "")
        warnings = warnings_of(before, content, built, parent, self._catalog.goals)
        if after == before and not moved:
            return Change(result=result_of(before.version, warnings))
        if after == before:
            after = renewed(before, now)
        said = {**moved, REVERTED_TO: asked.number}
        await store.update(tx, caller, [(before, after, said)], turn_id=asked.turn_id)
        return self._told(before, after, moved, asked, warnings)

    async def _place_problems(
        self,
        tx: Tx,
        caller: Caller,
        goal: Goal,
        place: GoalChanges,
        goals: dict[str, Goal],
        now: datetime,
    ) -> list[Conflict]:
        await holding.require_movable(tx, caller, goal, goals, place)
        above = {uid: f"derivedFrom[{number}]" for number, uid in enumerate(place.derived_from or ())}
        if place.parent_goal_id is not None:
            above[place.parent_goal_id] = "parentGoalId"
        most = self._catalog.goals.lineage.max_tree_depth
        try:
            if above:
                await holding.hold_place(tx, caller, goal.uid, above, now, most)
        except InvalidInput as error:
            return [Conflict(error.message, field=error.field)]
        return []

    @staticmethod
    def _told(
        before: Goal,
        after: Goal,
        moved: dict[str, Any],
        asked: Revert,
        warnings: list[RevertWarning],
    ) -> Change:
        return reverted(
            EventType.GOAL_REVERTED,
            after,
            asked,
            fields=[*changed_fields(before, after), *moved],
            data=about(after),
            warnings=warnings,
        )
