"""The use case that reverts a goal to an earlier version.

restored  all descriptive fields from title to milestones; the status with its reason and times; parent and
          predecessors
progress  restored if only progress steps changed it; if evidence was linked, unlinked or counted since, the
          progress stays, and a warning reports that
kept      id, space, authors, client key and version number; evidence, actions, children, shares
begun     a goal that would be pending, but has progress by evidence, is in_progress, and a warning reports
          that
gates     only a user reverts a goal that waits for a user to the status completed
refused   if a mandate forbids what it would say again, or do; if the goal would be ended although open goals
          or actions were added to it since; if a parent or predecessor is gone, or the goal would become its
          own ancestor
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.config.tables import GoalsTable
from prefrontal.graph.cortex.goals import locks, store, tree_store
from prefrontal.graph.cortex.goals.events import event_payload
from prefrontal.graph.cortex.goals.mandates import goes_on, has_other_texts, is_active
from prefrontal.graph.cortex.goals.patch import next_version
from prefrontal.graph.cortex.goals.record import BuiltOn, Goal, GoalChanges, GoalLinks
from prefrontal.graph.errors import Conflict, InvalidInput
from prefrontal.graph.history.record import Content, RevertWarning
from prefrontal.graph.history.revert import LockedRecord, RestoredRecord, Reverter
from prefrontal.graph.history.rules import EVIDENCE
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.wording import counted

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.storage.unit_of_work import Tx

_CONTENT = (
    "title",
    "description",
    "goal_type",
    "priority",
    "priority_rank",
    "horizon",
    "metrics",
    "constraints",
    "milestones",
    "status",
    "status_reason",
    "violates",
    "completed_at",
    "archived_at",
)


def restore(goal: Goal, content: Content, now: datetime, table: GoalsTable) -> Goal:
    """Return the goal with the content of an earlier version; it is the next version if that differs."""
    names = [*_CONTENT] if progress_is_kept(content) else [*_CONTENT, "progress"]
    fields: dict[str, Any] = {name: content.fields[name] for name in names if name in content.fields}
    if is_begun(goal, content, table):
        fields["status"] = table.progress.first_progress_status
    if fields.get("status", goal.status) != table.blocked_status:
        fields["violates"] = ()
    after = Goal.model_validate({**goal.model_dump(), **fields})
    return goal if after == goal else next_version(after, now)


def progress_is_kept(content: Content) -> bool:
    """Tell whether evidence has changed the progress since; evidence is not reverted."""
    return bool(content.since & {*EVIDENCE})


def is_begun(goal: Goal, content: Content, table: GoalsTable) -> bool:
    """Tell whether the goal was pending in the earlier version, and evidence has begun it since."""
    pending = table.initial_status
    return (
        content.fields.get("status") == pending
        and goal.status.value != pending
        and progress_is_kept(content)
        and goal.progress > 0
    )


def former_links(links: GoalLinks, content: Content) -> GoalChanges:
    """Return the former parent and predecessors, as far as they differ from the present ones."""
    former: dict[str, Any] = {}
    if content.fields.get("parent_goal_id", links.parent_goal_id) != links.parent_goal_id:
        former["parent_goal_id"] = content.fields["parent_goal_id"]
    sources = content.fields.get("derived_from", links.derived_from)
    if set(sources) != set(links.derived_from):
        former["derived_from"] = tuple(sources)
    return GoalChanges.model_validate(former)


def conflicts_with(before: Goal, after: Goal, built: BuiltOn, table: GoalsTable) -> list[Conflict]:
    """Return the conflicts with open goals and actions that were added to the goal since."""
    active = set(table.active_statuses)
    found: list[Conflict] = []
    if before.status.value in active and after.status.value not in active:
        found += [
            Conflict(
                f"it would be {after.status.value}, but {number} open {what} since; end or move them first",
                field="version",
            )
            for number, what in (
                (built.goals, "goals were put below it"),
                (built.actions, "actions were added to it"),
            )
            if number
        ]
    return found


def warnings_of(
    goal: Goal, content: Content, built: BuiltOn, parent: Goal | None, table: GoalsTable
) -> list[RevertWarning]:
    """Return warnings about everything that the revert does not restore."""
    found: list[RevertWarning] = []
    if progress_is_kept(content) and goal.progress != content.fields.get("progress"):
        said = f"evidence has changed the progress since, so it stays at {goal.progress:g}"
        found.append(RevertWarning(code="progress_kept", message=said))
    if is_begun(goal, content, table):
        begun = table.progress.first_progress_status
        said = f"it was {table.initial_status} then; evidence has begun it since, so it is {begun}"
        found.append(RevertWarning(code="goal_begun", message=said))
    if built.evidence:
        said = counted(
            built.evidence,
            "observation that was linked since stays linked",
            "observations that were linked since stay linked",
        )
        found.append(RevertWarning(code="evidence_kept", message=said))
    if parent is not None and parent.status.value not in table.active_statuses:
        found.append(RevertWarning(code="parent_ended", message=f"its parent is {parent.status.value}"))
    return found


def missing_links(former: GoalChanges, goals: Mapping[str, Goal]) -> list[Conflict]:
    """Return a conflict for each former parent or predecessor that no longer exists or is not readable."""
    found: list[Conflict] = []
    if former.parent_goal_id is not None and former.parent_goal_id not in goals:
        found.append(Conflict("the goal it was part of is gone", field="parentGoalId"))
    found += [
        Conflict("a goal it was derived from is gone", field=f"derivedFrom[{number}]")
        for number, uid in enumerate(former.derived_from or ())
        if uid not in goals
    ]
    return found


class GoalReverts(Reverter[Goal]):
    """Reverts goals."""

    event = EventType.GOAL_REVERTED

    def __init__(self, catalog: Catalog, goals: GoalService) -> None:
        self._catalog = catalog
        self._goals = goals

    async def lock(
        self, tx: Tx, caller: Caller, uid: str, content: Content | None, now: datetime
    ) -> LockedRecord[Goal]:
        """Lock the goal, and the parent and the predecessors that it had."""
        goals = await store.lock(tx, caller, [uid, *(_linked_goals(content) if content else ())], now)
        return LockedRecord(await locks.writable_of(tx, goals, caller, uid, "id"), goals)

    async def restored(
        self, tx: Tx, caller: Caller, locked: LockedRecord[Goal], content: Content, now: datetime
    ) -> RestoredRecord[Goal]:
        """Return the goal with the fields, and give it the parent and predecessors, of an earlier version."""
        before, goals, table = locked.record, locked.beside, self._catalog.goals
        uid = before.uid
        links = (await tree_store.links_of(tx, caller, [uid])).get(uid, GoalLinks())
        former = former_links(links, content)
        after = restore(before, content, now, table)
        built = await tree_store.built_on(tx, caller, uid, content.at, table.active_statuses)
        problems = [*conflicts_with(before, after, built, table), *missing_links(former, goals)]
        if goes_on(before, after, table) or (has_other_texts(before, after) and is_active(after, table)):
            obstacle = await self._goals.obstacle(
                tx, caller, after.model_copy(update={"violates": before.violates})
            )
            if obstacle is not None and after.status.value != table.blocked_status:
                problems.append(Conflict(f"it {obstacle}", field="version"))
        if former.model_fields_set and not problems:
            problems += await self._link_problems(tx, caller, before, former, goals, now)
        if problems:
            return RestoredRecord(after, conflicts=problems)
        moved = await tree_store.relink(tx, caller, uid, former, now) if former.model_fields_set else {}
        parent = goals.get(content.fields.get("parent_goal_id") or "")
        if moved and after == before:
            after = next_version(before, now)
        return RestoredRecord(after, warnings_of(before, content, built, parent, table), links=moved)

    async def save(
        self, tx: Tx, caller: Caller, before: Goal, after: Goal, more: Mapping[str, Any], turn_id: str | None
    ) -> None:
        """Store the next version of the goal."""
        table = self._catalog.goals.topics
        change = (before, after, more)
        await store.revise(tx, caller, [change], table=table, turn_id=turn_id, fields=["version"])

    def data(self, after: Goal) -> dict[str, Any]:
        """Return the data of the event."""
        return event_payload(after)

    async def _link_problems(
        self,
        tx: Tx,
        caller: Caller,
        goal: Goal,
        former: GoalChanges,
        goals: Mapping[str, Goal],
        now: datetime,
    ) -> list[Conflict]:
        await locks.require_movable(tx, caller, goal, goals, former)
        above = {uid: f"derivedFrom[{number}]" for number, uid in enumerate(former.derived_from or ())}
        if former.parent_goal_id is not None:
            above[former.parent_goal_id] = "parentGoalId"
        most = self._catalog.goals.lineage.max_tree_depth
        try:
            if above:
                await locks.lock_new_ancestors(tx, caller, goal.uid, above, now, most)
        except InvalidInput as error:
            return [Conflict(error.message, field=error.field)]
        return []


def _linked_goals(content: Content) -> set[str]:
    """Return the parent and the predecessors of an earlier version."""
    named = (content.fields.get("parent_goal_id"), *(content.fields.get("derived_from") or ()))
    return {uid for uid in named if uid}
