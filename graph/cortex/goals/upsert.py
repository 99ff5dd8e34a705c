"""The use case that creates a goal, or changes its fields and links: `upsert_goal` of source 003."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.caller import Permission, require, target_space
from prefrontal.graph.cortex.endings import has_ended, require_not_ended
from prefrontal.graph.cortex.goals import locks, store, tree_store
from prefrontal.graph.cortex.goals.events import event_payload
from prefrontal.graph.cortex.goals.patch import draft_of, next_version, revise
from prefrontal.graph.cortex.goals.record import Goal, GoalChanges, GoalLinks, UpsertGoal
from prefrontal.graph.cortex.goals.validation import draft_problems
from prefrontal.graph.errors import InvalidInput, NotFound, VersionConflict
from prefrontal.graph.history.versions import changed_fields
from prefrontal.graph.journal.record import Change, EventType, TraceKind, one_change
from prefrontal.graph.validation import camel, raise_all, require_version

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
        """Store the tables, the change writer and the service that creates goals."""
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
        scope_id = "" if command.id is not None else target_space(caller, command.space)

        async def work(tx: Tx, now: datetime) -> Change:
            known = command.id
            if known is None and command.client_key is not None:
                known = await store.find_by_client_key(tx, caller, scope_id, command.client_key)
            if known is not None:
                return await self._change(tx, caller, known, command, now)
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

    async def _change(
        self,
        tx: Tx,
        caller: Caller,
        uid: str,
        changes: UpsertGoal,
        now: datetime,
    ) -> Change:
        turn_id = changes.turn_id
        above = _above(changes)
        goals = await store.lock(tx, caller, [uid, *above], now)
        before = await locks.writable_of(tx, goals, caller, uid, "id")
        require_version(before.version, changes.expected_version)
        for other, field in above.items():
            if other not in goals:
                raise NotFound("no such goal", field=field)
        if changes.model_fields_set & set(_LINKS):
            await locks.require_movable(tx, caller, before, goals, changes)
        parent = goals[changes.parent_goal_id] if changes.parent_goal_id else None
        if parent is not None and has_ended(parent.status.value, self._catalog.goals):
            # A goal that is below the ended one already stays there.
            present = (await tree_store.links_of(tx, caller, [uid])).get(uid, GoalLinks())
            if present.parent_goal_id != parent.uid:
                require_not_ended(parent.status.value, self._catalog.goals, "parentGoalId")
        links: dict[str, Any] = {}
        if above:
            most = self._catalog.goals.lineage.max_tree_depth
            await locks.hold_place(tx, caller, uid, above, now, most)
        if changes.model_fields_set & set(_LINKS):
            links = await tree_store.relink(tx, caller, uid, changes, now)
        after = revise(before, changes, now, self._catalog.goals)
        if after == before and not links:
            return Change(result={"uid": uid, "created": False})
        if after == before:
            after = next_version(before, now)
        table = self._catalog.goals.topics
        await store.revise(tx, caller, before, after, links, table=table, turn_id=turn_id)
        return _journal(before, after, links, turn_id)


def _above(changes: GoalChanges) -> dict[str, str]:
    """Return the future parent and predecessors of a goal, each with the input field that names it."""
    above = {uid: f"derivedFrom[{number}]" for number, uid in enumerate(changes.derived_from or ())}
    if changes.parent_goal_id is not None:
        above[changes.parent_goal_id] = "parentGoalId"
    return above


def _journal(before: Goal, after: Goal, links: dict[str, Any], turn_id: str | None) -> Change:
    fields = [camel(name) for name in sorted([*changed_fields(before, after), *links])]
    return one_change(
        after,
        _UPDATED,
        turn_id,
        details={"fields": fields},
        data={**event_payload(after), "fields": fields},
        result={"uid": after.uid, "created": False},
    )
