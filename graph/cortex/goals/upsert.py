"""The use case that creates a goal, or changes its fields and links: `upsert_goal` of source 003."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.cortex.endings import has_ended, require_not_ended
from prefrontal.graph.cortex.goals import locks, store, tree_store
from prefrontal.graph.cortex.goals.events import blocked_traces, event_payload
from prefrontal.graph.cortex.goals.patch import draft_of, next_version, revise, update_of
from prefrontal.graph.cortex.goals.record import (
    Goal,
    GoalChanges,
    GoalLinks,
    GoalUpdate,
    UpdateGoals,
    UpsertGoal,
)
from prefrontal.graph.cortex.goals.validation import change_problems, draft_problems
from prefrontal.graph.errors import InvalidInput, NotFound, VersionConflict
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.journal.command import entry_problems, limit_problems, paths_of
from prefrontal.graph.journal.record import Change, EventType, TraceKind, merged, one_change
from prefrontal.graph.validation import camel, error_path, raise_all, require_version

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config import Catalog
    from prefrontal.graph.cortex.goals.service import GoalService
    from prefrontal.graph.journal.service import ChangeWriter
    from prefrontal.graph.storage.unit_of_work import Tx

_LINKS = ("parent_goal_id", "derived_from")
_UPDATED = (TraceKind.GOAL_UPDATED, EventType.GOAL_UPDATED, "Goal changed")


class GoalUpserts:
    """Creates and changes goals, named by their id or by the client's own key."""

    def __init__(self, catalog: Catalog, changes: ChangeWriter, goals: GoalService) -> None:
        self._catalog = catalog
        self._changes = changes
        self._goals = goals

    async def upsert(self, caller: Caller, command: UpsertGoal) -> tuple[Goal, bool]:
        """Change the named goal, or create one; return the goal and whether it was created.

        A goal is created if it is named neither by id nor by client key, or if none has the client key. The
        space is the one of a new goal and of the client key; the caller's own space if omitted.

        Raises:
            InvalidInput: If a field is invalid, the goal would be its own ancestor, or the tree too deep.
            NotFound: If the goal, a parent or a predecessor is unknown or not readable.
            Forbidden: If the goal or the space is readable but not writable.
            IllegalTransition: If the new parent has ended.
            VersionConflict: If the goal has another version than expected, or does not exist.
        """
        require(caller, Permission.WRITE)
        raise_all(self._problems(command))
        space = "" if command.id is not None else target_space(caller, command.space)

        async def work(tx: Tx, now: datetime) -> Change:
            known, scope_id = command.id, space
            if known is None and command.space is None:
                scope_id = await locks.space_beside(tx, caller, command.parent_goal_id, space)
            if known is None and command.client_key is not None:
                known = await store.find_by_client_key(tx, caller, scope_id, command.client_key)
            if known is not None:
                entry = update_of(command, known)
                return await self._change(tx, caller, [entry], [""], now, command.turn_id)
            if command.expected_version is not None:
                raise VersionConflict("there is no such goal yet", field="expectedVersion")
            draft = draft_of(command)
            if not draft.title:
                raise InvalidInput("a new goal needs a title", field="title")
            made = await self._goals.create_in(
                tx, caller, draft, scope_id, command.turn_id, now, client_key=command.client_key
            )
            return made.model_copy(update={"result": made.result | {"created": True}})

        result = await self._changes.run(caller, command, work, checked=True, once_more_if_duplicate=True)
        found = (await self._goals.get(caller, [result["uid"]])).get(result["uid"])
        if found is None:
            raise NotFound("no such goal", field="id")
        return found, bool(result["created"])

    def _problems(self, command: UpsertGoal) -> list[InvalidInput]:
        problems = draft_problems(command, self._catalog.limits, self._catalog.goals)
        if command.id is not None and command.client_key is not None:
            problems.append(InvalidInput("name the goal by `id` or by `clientKey`", field="clientKey"))
        if command.id is not None and command.space is not None:
            problems.append(
                InvalidInput(
                    "a goal stays in its space; name `space` only with `clientKey` or for a new goal",
                    field="space",
                )
            )
        return problems

    async def update_all(self, caller: Caller, command: UpdateGoals) -> tuple[Goal, ...]:
        """Change goals, all or none; return them in the order of the command.

        The errors are those of `upsert`, and the field of each is under the path of its entry.
        """
        require(caller, Permission.WRITE)
        entries = command.goals
        paths = paths_of("goals", entries)
        problems = limit_problems(command, self._catalog.limits) + entry_problems(entries, "goals")
        for entry, path in zip(entries, paths, strict=True):
            problems += change_problems(entry, self._catalog.goals, path)
        raise_all(problems)

        async def work(tx: Tx, now: datetime) -> Change:
            return await self._change(tx, caller, entries, paths, now, command.turn_id)

        await self._changes.run(caller, command, work, checked=True)
        return await self._goals.changed_goals(caller, [entry.id for entry in entries], paths)

    async def _change(
        self,
        tx: Tx,
        caller: Caller,
        entries: Sequence[GoalUpdate],
        paths: Sequence[str],
        now: datetime,
        turn_id: str | None,
    ) -> Change:
        """Change existing goals, each under its path in the input, and return the journal."""
        named = {uid for entry in entries for uid in (entry.id, *_above(entry))}
        goals = await store.lock(tx, caller, named, now)
        changed: list[tuple[Goal, Goal, dict[str, Any]]] = []
        for entry, path in zip(entries, paths, strict=True):
            with error_path(path):
                before = await locks.writable_of(tx, goals, caller, entry.id, "id")
                require_version(before.version, entry.expected_version)
                links = await self._relinked(tx, caller, before, goals, entry, now)
                after = revise(before, entry, now, self._catalog.goals)
            if after == before and links:
                after = next_version(before, now)
            if after != before:
                changed.append((before, after, links))
        if changed:
            changed = await self._goals.judge_texts(tx, caller, changed)
            table = self._catalog.goals.topics
            await store.revise(tx, caller, changed, table=table, turn_id=turn_id)
        journal = [_journal(before, after, links, turn_id) for before, after, links in changed]
        return merged(journal, {"uid": entries[0].id, "created": False})

    async def _relinked(
        self,
        tx: Tx,
        caller: Caller,
        goal: Goal,
        goals: Mapping[str, Goal],
        changes: GoalUpdate,
        now: datetime,
    ) -> dict[str, Any]:
        """Give a locked goal its new parent and predecessors; return the links that changed."""
        changes = await _without_same_parent(tx, caller, goal, changes)
        above = _above(changes)
        for other, field in above.items():
            if other not in goals:
                raise NotFound("no such goal", field=field)
        if not changes.model_fields_set & set(_LINKS):
            return {}
        await locks.require_movable(tx, caller, goal, goals, changes)
        parent = goals[changes.parent_goal_id] if changes.parent_goal_id else None
        if parent is not None and has_ended(parent.status.value, self._catalog.goals):
            # A goal that is below the ended one already stays there.
            present = (await tree_store.links_of(tx, caller, [goal.uid])).get(goal.uid, GoalLinks())
            if present.parent_goal_id != parent.uid:
                require_not_ended(parent.status.value, self._catalog.goals, "parentGoalId")
        if above:
            most = self._catalog.goals.lineage.max_tree_depth
            await locks.lock_new_ancestors(tx, caller, goal.uid, above, now, most)
        return await tree_store.relink(tx, caller, goal.uid, changes, now)


async def _without_same_parent(tx: Tx, caller: Caller, goal: Goal, changes: GoalUpdate) -> GoalUpdate:
    """Return the changes of a goal, without the parent if a grantee repeats what it added the goal with."""
    if not await locks.is_there(tx, caller, goal, changes):
        return changes
    kept = changes.model_fields_set - {"parent_goal_id"}
    return GoalUpdate(**{name: getattr(changes, name) for name in kept})


def _above(changes: GoalChanges) -> dict[str, str]:
    """Return the future parent and predecessors of a goal, each with the input field that names it."""
    above = {uid: f"derivedFrom[{number}]" for number, uid in enumerate(changes.derived_from or ())}
    if changes.parent_goal_id is not None:
        above[changes.parent_goal_id] = "parentGoalId"
    return above


def _journal(before: Goal, after: Goal, links: dict[str, Any], turn_id: str | None) -> Change:
    fields = [camel(name) for name in sorted([*changed_fields(before, after), *links])]
    change = one_change(
        after,
        _UPDATED,
        turn_id,
        details={"fields": fields},
        data={**event_payload(after), "fields": fields},
    )
    blocked = blocked_traces(after, before.status.value, turn_id)
    return change.model_copy(update={"traces": (*change.traces, *blocked)}) if blocked else change
