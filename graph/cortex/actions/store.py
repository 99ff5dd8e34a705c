"""Reads and writes pending actions: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.actions.escalation import has_escalated
from prefrontal.graph.cortex.actions.gates import holds_for_person
from prefrontal.graph.cortex.actions.outcomes import is_failed_result
from prefrontal.graph.cortex.actions.record import (
    ActionFilter,
    ActionOrder,
    ActionOwner,
    ActionRange,
    Blocker,
    Holds,
    PendingAction,
)
from prefrontal.graph.cortex.actions.usage import ActionCount, TypeUsage, usage_of
from prefrontal.graph.cortex.actions.utility import LAST, awaited, due_key, due_text, overdue_key, sort_key
from prefrontal.graph.cortex.endings import has_ended
from prefrontal.graph.history.repository import Repository
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.registry.definitions import CLOSED
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.text.folding import words_to_find

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import GoalsTable
    from prefrontal.graph.cortex.relevance import Weights
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


class _Actions(Repository[PendingAction]):
    """Pending actions, each with the properties by which lists and jobs find it."""

    def properties(self, record: PendingAction) -> dict[str, Any]:
        """Return the properties of an action's node."""
        is_open = record.status not in CLOSED
        event = awaited(record.metadata) if is_open and record.event_at is None else None
        return {
            **super().properties(record),
            # An empty result is a result.
            "result": json.dumps(record.result) if record.result is not None else None,
            "open": is_open,
            "escalated": has_escalated(record),
            "failed": is_failed_result(record.result),
            "overdue_from": record.due_at if is_open else None,
            "awaiting": True if event else None,
            "awaited_type": event[0] if event else None,
            "awaited_id": event[1] if event else None,
            "sort_key": sort_key(record),
            "due_key": due_key(record),
        }


_FOUND_BY = ("named", "goals", "spaces")
_actions = _Actions(
    RecordMapper(PendingAction),
    "pending action",
    caption="title",
    find="actions/find_pending_actions",
    lock="actions/lock_pending_actions",
    update="actions/update_pending_actions",
    own=True,
)
find, pending_action = _actions.find, _actions.record


async def update(
    tx: Tx,
    caller: Caller,
    changes: Sequence[tuple[PendingAction, PendingAction, Mapping[str, Any]]],
    *,
    turn_id: str | None,
) -> None:
    """Store changed actions as `Repository.update` does, and link the observations that they name now.

    The goals of actions that begin to hold them for a person are locked.
    """
    begun = [
        after for before, after, _ in changes if holds_for_person(after) and not holds_for_person(before)
    ]
    if begun:
        goals = [after.goal_id for after in begun if after.goal_id]
        await lock_goals(tx, caller, goals, begun[0].updated_at)
    await _actions.update(tx, caller, changes, turn_id=turn_id)
    moved = [after for before, after, _ in changes if before.evidence_refs != after.evidence_refs]
    await _link_evidence(tx, caller, moved)


async def lock_goals(tx: Tx, caller: Caller, uids: Sequence[str], now: datetime) -> None:
    """Lock the goals that actions begin to hold: who completes one waits, and then sees the action."""
    if uids:
        await tx.execute("actions/lock_goals", uids=sorted(set(uids)), org_id=caller.org_id, now=now)


def _action(item: Row, _: datetime) -> PendingAction:
    return pending_action(item["node"])


of_goals = RelatedList("actions/list_actions_of_goals", "actions/count_actions_of_goals", _action, str)
blockers = RelatedList("actions/list_blockers_of_goals", "actions/count_blockers_of_goals", _action, str)


async def create(
    tx: Tx, caller: Caller, actions: Sequence[PendingAction], *, untyped: Mapping[str, str]
) -> int:
    """Store new actions, each with its first version, and return how many were written.

    `untyped` has those for which no type was named, by id, with the requested owner or an empty text.
    """
    row = await tx.one(
        "actions/create_pending_actions",
        rows=[
            {
                "properties": _actions.properties(action)
                | {"org_id": caller.org_id, "untyped": untyped.get(action.uid)},
                "version": _actions.version(caller, None, action, action.created_from_turn_id),
            }
            for action in actions
        ],
        **caller.writes,
    )
    await _link_evidence(
        tx,
        caller,
        [each for each in actions if any(kind_of(ref) is Kind.OBSERVATION for ref in each.evidence_refs)],
    )
    return int(row["written"])


async def _link_evidence(tx: Tx, caller: Caller, actions: Sequence[PendingAction]) -> None:
    """Link to actions the readable observations that they name as evidence, and end the other links.

    The list stays on the action as the client gave it: it has the order and the other references, and the
    versions of the action contain it.
    """
    if actions:
        await tx.one(
            "actions/link_evidence",
            rows=[
                {"uid": each.uid, "refs": list(each.evidence_refs), "at": each.updated_at} for each in actions
            ],
            org_id=caller.org_id,
            readable=list(caller.readable),
            actor_id=caller.actor_id,
        )


async def list_by_goal(tx: Tx, caller: Caller, goal_ids: Sequence[str]) -> list[PendingAction]:
    """Return the readable actions of some goals, in order of creation."""
    row = await tx.one(
        "actions/list_pending_actions_by_goal",
        goal_ids=list(goal_ids),
        **caller.reads,
    )
    return [pending_action(item) for item in row["items"]]


@dataclass(frozen=True, slots=True)
class LockedActions:
    """The readable actions among some ids; those in `writable` are locked until the commit.

    `holds` tells what holds the writable actions of goals back.
    """

    actions: dict[str, PendingAction]
    writable: frozenset[str]
    holds: Mapping[str, Holds]

    def holds_of(self, uid: str) -> Holds:
        """Return what holds one of the writable actions back."""
        return self.holds.get(uid, Holds())


async def lock(
    tx: Tx, caller: Caller, uids: Iterable[str], now: datetime, table: GoalsTable
) -> LockedActions:
    """Return the readable actions among some ids and lock the writable ones until the commit."""
    row = await tx.one(
        "actions/lock_pending_actions",
        uids=sorted(set(uids)),
        writable=list(caller.writable),
        people=caller.people,
        **caller.reads,
        now=now,
    )
    actions = {item["uid"]: pending_action(item) for item in row["items"]}
    holds = {
        item["uid"]: Holds(
            goal_status=item["goal_status"],
            goal_ended=has_ended(item["goal_status"], table),
            goal_blocked=item["goal_status"] == table.blocked_status,
            goal_forbidden=item["goal_status"] == table.blocked_status and item["violates"],
            blockers=tuple(Blocker.model_validate(each) for each in item["blockers"]),
        )
        for item in row["holds"]
    }
    return LockedActions(actions, frozenset(row["writable"]), holds)


@dataclass(frozen=True, slots=True)
class Overdue:
    """A search for actions of a type that were due before a time, in one organisation or in all but some."""

    type: str
    before: datetime
    org_id: str | None = None
    excluded: tuple[str, ...] = ()


async def find_overdue(tx: Tx, wanted: Sequence[Overdue], batch: int) -> list[str]:
    """Return the ids of open actions that were due by the time of their type and have not escalated yet."""
    rows = [
        {"type": each.type, "before": each.before, "org_id": each.org_id, "without": list(each.excluded)}
        for each in wanted
    ]
    return list((await tx.one("actions/find_overdue_actions", types=rows, batch=batch))["uids"])


async def find_awaiting(
    tx: Tx, types: Sequence[str], after: str, batch: int
) -> list[tuple[str, datetime | None]]:
    """Return the next actions that wait for an event, each with the time of the event, or None."""
    row = await tx.one("actions/find_awaiting_actions", types=list(types), after=after, batch=batch)
    return [(item["uid"], item["at"]) for item in row["items"]]


@dataclass(frozen=True, slots=True)
class OrganisationActions:
    """Locked actions of one organisation, and who gets which of them if it is handed to the user."""

    actions: tuple[PendingAction, ...]
    heirs: dict[str, str]


async def lock_by_organisation(tx: Tx, uids: Iterable[str], now: datetime) -> dict[str, OrganisationActions]:
    """Lock some actions until the commit and return them, by organisation."""
    row = await tx.one("actions/lock_pending_actions_by_organisation", uids=sorted(set(uids)), now=now)
    of: dict[str, list[Row]] = {}
    for item in row["items"]:
        of.setdefault(item["org_id"], []).append(item)
    own = {"org_id", "heir"}
    return {
        org_id: OrganisationActions(
            tuple(
                pending_action({name: value for name, value in item.items() if name not in own})
                for item in items
            ),
            {item["uid"]: item["heir"] for item in items if item["heir"]},
        )
        for org_id, items in of.items()
    }


@dataclass(frozen=True, slots=True)
class People:
    """The ids of people: by their keys, by the goals that are for them, and by their private spaces."""

    by_key: dict[str, str]
    by_goal: dict[str, str]
    by_space: dict[str, str]


async def find_people(
    tx: Tx, caller: Caller, *, keys: Iterable[str], goal_ids: Iterable[str], scope_ids: Iterable[str]
) -> People:
    """Return the people of the caller's organisation whom some keys, goals and spaces name."""
    row = await tx.one(
        "actions/find_people",
        org_id=caller.org_id,
        keys=sorted(set(keys)),
        goal_ids=sorted(set(goal_ids)),
        scope_ids=sorted(set(scope_ids)),
    )
    named, goals, spaces = ({item["of"]: item["uid"] for item in row[name]} for name in _FOUND_BY)
    return People(named, goals, spaces)


async def count_overdue(tx: Tx, types: Sequence[str], now: datetime) -> dict[str, int]:
    """Return how many actions of each type are overdue."""
    row = await tx.one("actions/count_overdue_actions", types=list(types), now=now)
    return {item["type"]: item["overdue"] for item in row["items"]}


async def usage(
    tx: Tx, caller: Caller, types: Sequence[str], since: datetime, now: datetime
) -> dict[str, TypeUsage]:
    """Return what became of the readable actions of each type that were created since a time."""
    row = await tx.one(
        "actions/count_actions_by_type",
        readable=list(caller.readable),
        types=sorted(types),
        created_since=since,
        overdue_key=overdue_key(now),
    )
    made = [ActionCount(**item) for item in row["made"]]
    overdue = {item["type"]: item["number"] for item in row["overdue"]}
    return {name: usage_of(name, made, overdue.get(name, 0)) for name in types}


async def find_by_client_keys(
    tx: Tx, caller: Caller, scope_id: str, client_keys: Sequence[str]
) -> dict[str, str]:
    """Return the ids of the actions that have one of some client keys in a space, by key."""
    row = await tx.one(
        "actions/find_pending_actions_by_client_keys",
        scope_id=scope_id,
        client_keys=list(client_keys),
        writable=list(caller.writable),
    )
    return {item["client_key"]: item["uid"] for item in row["items"]}


@dataclass(frozen=True, slots=True)
class GoalOfActions:
    """The facts about a goal that decide about its actions.

    `writable` tells whether the caller may add actions to the goal.
    """

    scope_id: str
    status: str
    writable: bool


async def goals_of(
    tx: Tx, caller: Caller, goals: Iterable[tuple[str, bool]], now: datetime
) -> dict[str, GoalOfActions]:
    """Return the readable goals of new actions among some ids, by id.

    Each id comes with whether the action blocks the goal. Such a goal is locked before its status is read: if
    it is completed meanwhile, it gets no new action.
    """
    blocks = dict(sorted(goals))
    await lock_goals(tx, caller, [uid for uid, blocked in blocks.items() if blocked], now)
    row = await tx.one(
        "actions/find_goals_of_actions",
        uids=list(blocks),
        writable=list(caller.writable),
        **caller.reads,
    )
    return {
        item["uid"]: GoalOfActions(item["scope_id"], item["status"], item["writable"])
        for item in row["items"]
    }


def is_few(wanted: ActionFilter) -> bool:
    """Tell whether a filter finds so few actions that they are read without the index of an order."""
    return wanted.goal_id is not None or wanted.client_key is not None


async def list_page(
    tx: Tx,
    caller: Caller,
    wanted: ActionFilter,
    order: ActionOrder,
    table: GoalsTable,
    *,
    now: datetime,
    after: str,
    limit: int,
) -> list[PendingAction]:
    """Return up to `limit` actions after a key, in the given order."""
    by_due = order is ActionOrder.DUE_AT
    given = {**_filter(caller, wanted, table, now), "after_key": after, "limit": limit}
    if by_due:
        # The walk over the index begins at the first possible match.
        given["after_key"] = max(after, given["due_after"] or "")
    if is_few(wanted):
        row = await tx.one(
            "actions/list_pending_actions_by_goal_or_key", goal_id=wanted.goal_id, by_due=by_due, **given
        )
    elif by_due:
        # And it ends at the last one.
        until = given["due_before"] or LAST
        row = await tx.one("actions/list_pending_actions_by_due", until=until, **given)
    else:
        row = await tx.one("actions/list_pending_actions_by_utility", **given)
    return [pending_action(item) for item in row["items"]]


@dataclass(frozen=True, slots=True)
class RankedActions:
    """Some of the best actions with their alignment.

    `full` tells whether there may be more; `last` is the key where the best actions end.
    """

    items: tuple[tuple[PendingAction, float], ...]
    full: bool
    last: str


async def ranked(
    tx: Tx,
    caller: Caller,
    wanted: ActionFilter,
    table: GoalsTable,
    weights: Weights,
    *,
    now: datetime,
    until: str,
    best: int,
    after: tuple[str, float, str],
    limit: int,
) -> RankedActions:
    """Return up to `limit` of the best actions up to the key `until`.

    They come after a position: a place, an alignment and an id.
    """
    row = await tx.one(
        "actions/rank_pending_actions",
        **_filter(caller, wanted, table, now),
        until=until,
        best=best,
        per_rank=weights.per_rank,
        by_status=weights.by_status,
        by_progress=weights.by_progress,
        after_place=after[0],
        after_alignment=after[1],
        after_uid=after[2],
        limit=limit,
    )
    items = tuple((pending_action(item["action"]), item["alignment"]) for item in row["items"])
    return RankedActions(items, bool(row["full"]), row["last"] or "")


async def count(tx: Tx, caller: Caller, wanted: ActionFilter, table: GoalsTable, now: datetime) -> int:
    """Return the number of actions that match a filter."""
    given = _filter(caller, wanted, table, now)
    # Every key lies between these bounds: the index is used only if all of its properties have a condition.
    given |= {"due_after": given["due_after"] or "", "due_before": given["due_before"] or "~"}
    row = await tx.one("actions/count_pending_actions", goal_id=wanted.goal_id, **given)
    return int(row["total"])


def _filter(caller: Caller, wanted: ActionFilter, table: GoalsTable, now: datetime) -> dict[str, Any]:
    statuses = wanted.status
    open_ones = {True} if statuses is None else {status not in CLOSED for status in statuses}
    # An action without a due time sorts after every time and matches no range.
    due_before = due_text(wanted.due_before) if wanted.due_before or wanted.due_after else None
    if wanted.overdue:
        # So the walk over an index by due time ends at the last match.
        due_before = min(due_before or LAST, overdue_key(now))
        open_ones &= {True}
    mine = caller.person_id if wanted.mine else None
    return {
        # A person's own actions have an index of their own, whatever space they are in.
        "readable": [] if wanted.mine and caller.people else list(caller.readable),
        "people": caller.people,
        "grantees": [] if wanted.mine and caller.people else caller.grantees,
        "mine": (mine or "") if wanted.mine else None,
        "open": sorted(open_ones),
        "owners": [wanted.owner.value] if wanted.owner else [owner.value for owner in ActionOwner],
        "types": None if wanted.type is None else list(wanted.type),
        "statuses": None if statuses is None else list(statuses),
        "blocking": wanted.blocking,
        "blocked": wanted.blocked,
        "active_statuses": list(table.active_statuses),
        "blocked_status": table.blocked_status,
        "space": wanted.space,
        "due_after": due_text(wanted.due_after) if wanted.due_after else None,
        "due_before": due_before,
        "client_key": wanted.client_key,
        "overdue": wanted.overdue,
        "overdue_key": overdue_key(now),
        "words": words_to_find(wanted.text),
    }


async def last_move(tx: Tx, caller: Caller, uid: str) -> str:
    """Return who gave a locked action its present status and when, as a text for people."""
    row = await tx.optional("actions/find_last_move", uid=uid, org_id=caller.org_id)
    if row is None:
        return "somebody"
    who = f"{row['kind']} {row['key']} ({row['by_uid']})" if row["key"] else row["by_uid"]
    return f"{who}, since {row['at']},"


async def list_of_type(
    tx: Tx, caller: Caller, type_id: str, within: ActionRange, *, after: str, limit: int
) -> list[PendingAction]:
    """Return up to `limit` actions of a type after a sort key."""
    row = await tx.one(
        "actions/list_actions_of_type",
        scope_id=within.scope_id,
        readable=list(caller.readable),
        open=within.open,
        owner=within.owner.value,
        type_id=type_id,
        after_key=after,
        limit=limit,
    )
    return [pending_action(item) for item in row["items"]]
