"""Reads and writes the evidence of goals: runs named queries and returns records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prefrontal.graph.cortex.goals.record import (
    Course,
    Evidence,
    EvidenceDraft,
    Goal,
    InCommon,
    KnownGoal,
    SupportedGoal,
)
from prefrontal.graph.cortex.goals.store import NO_MORE, goal_record, rows_of_topics
from prefrontal.graph.errors import Forbidden
from prefrontal.graph.scratch.rows import observation
from prefrontal.graph.scratch.rules import names_goal
from prefrontal.graph.storage.records import construct_unvalidated
from prefrontal.graph.storage.related import RelatedList

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.config.tables import GoalsTable
    from prefrontal.graph.scratch.record import Observation
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx


def _evidence(item: Row, now: datetime) -> Evidence:
    found = observation(item["node"], now)
    # Texts that were replaced before versions had texts are lost.
    content = json.loads(item["replaced"]).get("content") if item["replaced"] else found.content
    values = {"observation": found, "content": content, **_link(item)}
    return construct_unvalidated(Evidence, values, set(values))


def _supported(item: Row, _: datetime) -> SupportedGoal:
    values = {"goal": goal_record(item["node"]), **_link(item)}
    return construct_unvalidated(SupportedGoal, values, set(values))


def _link(item: Row) -> Row:
    since = datetime.fromisoformat(item["since"])
    return {"confidence": item["confidence"], "note": item["note"], "since": since}


evidence = RelatedList("goals/list_evidence", "goals/count_readable_evidence", _evidence, int, int, str)
supported = RelatedList("goals/list_goals_by_evidence", "goals/count_goals_by_evidence", _supported, int, str)


@dataclass(frozen=True, slots=True)
class ExistingLinks:
    """The existing links and conflicts of some observations at a goal."""

    gains: dict[str, float]
    """The progress that each linked observation adds to the goal, by observation."""
    drafts: dict[str, EvidenceDraft]
    """What each link was made with, by observation."""
    conflicts: tuple[tuple[str, str | None], ...]
    """Pairs of an observation and the one that contradicts it; None if the other one is not readable."""
    position: int
    """The position of the next link."""


async def find_evidence(
    tx: Tx, caller: Caller, goal_id: str, observation_ids: Sequence[str], now: datetime
) -> ExistingLinks:
    """Return what the linked observations add to a goal, and which observations contradict each other there.

    Raises:
        Forbidden: If the share that allowed the access has ended since the goal was locked.
    """
    row = await tx.optional(
        "goals/find_evidence",
        goal_id=goal_id,
        observation_ids=list(observation_ids),
        now=now,
        readable=list(caller.readable),
        grantees=caller.grantees,
    )
    if row is None:
        raise Forbidden(NO_MORE, field="goalId")
    return ExistingLinks(
        gains={item["observation_id"]: item["gain"] for item in row["links"]},
        drafts={
            item["observation_id"]: construct_unvalidated(
                EvidenceDraft, item, set(EvidenceDraft.model_fields)
            )
            for item in row["links"]
        },
        conflicts=tuple((item["observation_id"], item["other_id"]) for item in row["conflicts"]),
        position=row["position"],
    )


async def find_withholding(tx: Tx, caller: Caller, observation_ids: Sequence[str]) -> list[str]:
    """Return the writable goals where some observations, or those that they contradict, wait as evidence."""
    row = await tx.one(
        "goals/find_withholding_goals",
        observation_ids=list(observation_ids),
        writable=list(caller.writable),
        grantees=caller.grantees,
    )
    return list(row["goals"])


async def count_settled(
    tx: Tx, caller: Caller, progress: Mapping[str, float], now: datetime
) -> dict[str, dict[str, float]]:
    """Count evidence that is no longer contradicted; return what each adds, by goal and observation.

    `progress` is the progress of each goal before. What goes beyond 1 is in the answer, but not in the link.
    """
    row = await tx.one(
        "goals/count_settled_evidence",
        rows=[{"uid": uid, "progress": at} for uid, at in sorted(progress.items())],
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    gains: dict[str, dict[str, float]] = {}
    for item in row["items"]:
        gains.setdefault(item["goal_id"], {})[item["observation_id"]] = item["gain"]
    return gains


async def link(
    tx: Tx,
    caller: Caller,
    goal: Goal,
    evidence: Sequence[dict[str, Any]],
    *,
    topics: Iterable[str],
    most_topics: int,
    turn_id: str | None,
    now: datetime,
) -> int:
    """Make observations evidence of a goal and return how many links were created.

    The goal gets the topics of the observations too, until it has `most_topics` topics of evidence.

    Raises:
        Forbidden: If the share that allowed the access has ended since the goal was locked.
    """
    row = await tx.one(
        "goals/link_observations",
        goal_id=goal.uid,
        rows=list(evidence),
        topics=rows_of_topics(caller, goal, topics, now),
        most_topics=most_topics,
        turn_key=turn_id,
        actor_id=caller.actor_id,
        readable=list(caller.readable),
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    if row["linked"] != len(evidence):
        raise Forbidden(NO_MORE, field="goalId")
    return len(evidence)


async def unlink(tx: Tx, caller: Caller, goal_id: str, observation_id: str, now: datetime) -> Course:
    """End an observation's link to a goal and return what has moved the goal since it got its status."""
    row = await tx.one(
        "goals/unlink_observation",
        goal_id=goal_id,
        observation_id=observation_id,
        actor_id=caller.actor_id,
        writable=list(caller.writable),
        now=now,
        grantees=caller.grantees,
    )
    earlier = json.loads(row["earlier"]) if row["earlier"] else {}
    return Course(
        moves=tuple(frozenset(fields) for fields in row["moves"]), progress=earlier.get("progress", 0.0)
    )


async def count_evidence(tx: Tx, caller: Caller, uids: Sequence[str]) -> dict[str, int]:
    """Return the number of observations linked to each readable goal, unreadable ones included."""
    row = await tx.one(
        "goals/count_evidence", uids=list(uids), readable=list(caller.readable), grantees=caller.grantees
    )
    return {item["uid"]: item["number"] for item in row["items"]}


async def list_related(
    tx: Tx,
    caller: Caller,
    topics: Iterable[tuple[str, str]],
    types: Iterable[tuple[str, str]],
    uids: Sequence[str],
    table: GoalsTable,
) -> tuple[list[KnownGoal], list[KnownGoal]]:
    """Return the active goals about some topics or of some types, and the readable goals among some ids.

    Topics and types are pairs of a space's id and a key.
    """
    row = await tx.one(
        "goals/list_related",
        topics=_keys(topics),
        types=_keys(types),
        statuses=list(table.active_statuses),
        most=table.topics.most_goals,
        uids=list(uids),
        readable=list(caller.readable),
        writable=list(caller.writable),
        grantees=caller.grantees,
    )
    return [KnownGoal(**item) for item in row["active"]], [KnownGoal(**item) for item in row["named"]]


def _keys(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"scope_id": scope_id, "key": key} for scope_id, key in sorted(set(pairs))]


async def find_in_common(
    tx: Tx,
    caller: Caller,
    observation: Observation,
    *,
    topics: Mapping[str, str],
    near: Mapping[str, float],
    table: GoalsTable,
) -> list[InCommon]:
    """Return what an observation has in common with the active goals that it may be linked to.

    Args:
        tx: The transaction.
        caller: The caller.
        observation: The observation.
        topics: Its topics that are compared, each with how it spells it.
        near: Goals that are near to it, with their closeness.
        table: The tables of goals.
    """
    bounds, by_id = table.suggestions, names_goal(observation.context)
    scopes = {observation.scope_id, *caller.writable}
    row = await tx.one(
        "goals/suggest_goals",
        observation_id=observation.uid,
        topics=[{"scope_id": scope_id, "key": key} for scope_id in sorted(scopes) for key in topics],
        goal_key=observation.context.goal_key or (None if by_id else observation.context.goal_id),
        goal_id=observation.context.goal_id if by_id else None,
        near=list(near),
        statuses=list(table.active_statuses),
        user_id=observation.context.user_id,
        most=bounds.most_goals,
        hub=bounds.most_mentions,
        **caller.reads,
        writable=list(caller.writable),
    )
    return [
        InCommon(
            goal_id=item["uid"],
            topics=tuple(sorted(topics[topic] for topic in item["topics"])),
            entities=tuple(sorted(item["entities"])),
            named=item["named"],
            closeness=near.get(item["uid"]),
        )
        for item in row["items"]
    ]
