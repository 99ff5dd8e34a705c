"""Queries for summaries and for the logs from which summaries are made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from prefrontal.graph.ids import Kind, floor_id
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.summaries.record import ActionLog, GoalLog, LogEntry, LogVersion, Summary, Witness
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx

_AN_INSTANT = timedelta(milliseconds=1)


async def goal_logs(tx: Tx, org_id: str | None, *, after: str, limit: int, most: int) -> list[GoalLog]:
    """Return up to `limit` goals with ids above `after`, with their figures and their unsummarised logs.

    Without an organisation, the goals of all organisations.
    """
    row = await tx.one("summaries/list_goal_logs", org_id=org_id, after=after, limit=limit, most=most)
    return [_goal_log(item) for item in row["items"]]


async def action_logs(
    tx: Tx, org_id: str | None, *, before: datetime, after: str, limit: int, most: int
) -> list[ActionLog]:
    """Return up to `limit` uncompacted actions with ids above `after` that were archived before a time.

    Without an organisation, the actions of all organisations.
    """
    row = await tx.one(
        "summaries/list_action_logs", org_id=org_id, before=before, after=after, limit=limit, most=most
    )
    return [
        ActionLog(**item["action"], versions=tuple(_version(v) for v in item["versions"]))
        for item in row["items"]
    ]


async def log_entries(tx: Tx, log: ActionLog) -> list[LogEntry]:
    """Return the trace entries about an action. They are searched at the times of the action's versions."""
    stretches = [
        {"low": floor_id(Kind.TRACE_EVENT, at), "high": floor_id(Kind.TRACE_EVENT, at + _AN_INSTANT)}
        for at in sorted({v.at for v in log.versions})
    ]
    row = await tx.one(
        "summaries/list_log_entries",
        org_id=log.org_id,
        scope_id=log.scope_id,
        uid=log.uid,
        stretches=stretches,
    )
    return [LogEntry.model_validate(item) for item in row["items"]]


async def create(tx: Tx, org_id: str, summaries: Sequence[Summary]) -> list[str]:
    """Store the summaries that do not exist yet, and return their ids."""
    rows: list[dict[str, Any]] = [
        {
            **summary.model_dump(),
            "kind": summary.kind.value,
            "refs": list(summary.refs),
            "name": short_name(summary.text or summary.label),
            # No caller asked for the summary, so the organisation itself is the actor.
            "by_uid": org_id,
        }
        for summary in summaries
    ]
    row = await tx.one("summaries/create_summaries", org_id=org_id, rows=rows)
    return [str(uid) for uid in row["made"]]


async def compact(tx: Tx, log: ActionLog, entries: Sequence[LogEntry], now: datetime) -> int | None:
    """Delete the log entries of a summarised action.

    Returns:
        The number of deleted entries, or None if the log was compacted before.
    """
    row = await tx.optional(
        "summaries/compact_log",
        org_id=log.org_id,
        uid=log.uid,
        entries=[entry.uid for entry in entries],
        now=now,
    )
    return int(row["deleted"]) if row else None


def _goal_log(item: Row) -> GoalLog:
    goal = item["goal"]
    return GoalLog(
        **{**goal, "milestones": tuple(json.loads(goal["milestones"] or "[]"))},
        steps=item["steps"],
        statuses={each["status"]: each["number"] for each in item["statuses"]},
        versions=tuple(_version(v) for v in item["versions"] if v["number"] is not None),
        actions=tuple(_version(v) for v in item["actions"] if v["number"] is not None),
        witnesses=tuple(Witness.model_validate(w) for w in item["witnesses"] if w["uid"]),
        summaries=tuple(_summary(s) for s in item["summaries"]),
    )


def _version(item: Row) -> LogVersion:
    changes = json.loads(item["changes"])
    if "title_now" in item:
        changes["title_now"] = item["title_now"]
    return LogVersion(number=item["number"], at=item["at"], turn=item["turn"], changes=changes)


def _summary(item: Row) -> Summary:
    return Summary.model_validate({name: item.get(name) for name in Summary.model_fields})


of_goals = RelatedList(
    "summaries/list_summaries_of_goals",
    "summaries/count_summaries_of_goals",
    lambda item, _: _summary(item["node"]),
    str,
    shared=False,
)
