"""Queries for tool invocations."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from prefrontal.graph.ids import Kind, new_id, new_ids
from prefrontal.graph.scratch.rows import observation
from prefrontal.graph.storage.records import RecordMapper
from prefrontal.graph.storage.related import RelatedList
from prefrontal.graph.tools.record import Invocation, InvocationFilter, ToolUse
from prefrontal.graph.validation import short_name

if TYPE_CHECKING:
    from prefrontal.graph.caller import Caller
    from prefrontal.graph.storage.rows import Row
    from prefrontal.graph.storage.unit_of_work import Tx
    from prefrontal.graph.tools.rules import StoredResult

_invocations, _uses = RecordMapper(Invocation), RecordMapper(ToolUse)


class Earlier(NamedTuple):
    """An invocation that was stored before: its id, the digest of its draft, and its observations."""

    uid: str
    digest: str | None
    observations: tuple[str, ...]


class DraftLookup(NamedTuple):
    """What is known of drafts: invocations by client key, and the readable goals."""

    invocations: Mapping[str, Earlier]
    goals: frozenset[str]


class New(NamedTuple):
    """An invocation to store."""

    invocation: Invocation
    result: StoredResult
    digest: str | None
    """The digest of its draft, if it has a client key."""
    observations: tuple[str, ...] = ()
    """The ids of the observations that it brings, which are stored."""


def _record(row: Row, _: datetime) -> Invocation:
    return _invocations.record(row)


of_turns = RelatedList(
    "tools/list_invocations_of_turns", "tools/count_invocations_of_turns", _record, str, shared=False
)


of_observations = RelatedList(
    "tools/list_invocations_of_observations",
    "tools/count_invocations_of_observations",
    _record,
    str,
    shared=False,
)
observations = RelatedList(
    "tools/list_observations_of_invocations",
    "tools/count_observations_of_invocations",
    lambda item, now: observation(item["node"], now),
    str,
    shared=False,
)


async def find_known(
    tx: Tx, caller: Caller, scope_id: str, keys: Sequence[str], goals: Sequence[str]
) -> DraftLookup:
    """Return which client keys a space has, and which goals are readable."""
    row = await tx.one(
        "tools/find_known",
        scope_id=scope_id,
        client_keys=sorted({*keys}),
        goals=sorted({*goals}),
        writable=list(caller.writable),
        **caller.reads,
    )
    known = {
        item["client_key"]: Earlier(item["uid"], item["client_hash"], tuple(item["observations"]))
        for item in row["known"]
    }
    return DraftLookup(known, frozenset(row["goals"]))


async def track(tx: Tx, caller: Caller, turn_uid: str, new: Sequence[New], now: datetime) -> int:
    """Store invocations of a turn in call order; return the number stored."""
    row = await tx.one(
        "tools/track_invocations",
        turn_uid=turn_uid,
        rows=[_row(caller, each, now) for each in new],
        writable=list(caller.writable),
    )
    return int(row["stored"])


def _row(caller: Caller, new: New, now: datetime) -> dict[str, Any]:
    invocation, result, digest, observations = new
    return {
        "properties": {
            **_invocations.properties(invocation),
            "org_id": caller.org_id,
            "name": short_name(f"{invocation.tool}: {invocation.error or 'done'}"),
            "client_hash": digest,
            "result": None if result.parts else result.text,
        },
        "observations": list(observations),
        "parts": [
            {
                "uid": uid,
                "org_id": caller.org_id,
                "scope_id": invocation.scope_id,
                "name": short_name(f"{invocation.tool} {place}"),
                "created_at": now,
                "by_uid": caller.actor_id,
                "place": place,
                "text": text,
            }
            for place, (uid, text) in enumerate(
                zip(new_ids(Kind.RESULT_PART, now, len(result.parts)), result.parts, strict=True), start=1
            )
        ],
    }


async def find(tx: Tx, caller: Caller, uids: Sequence[str], oldest: str) -> dict[str, Invocation]:
    """Return the readable invocations among some ids from `oldest` on, by id."""
    row = await tx.one(
        "tools/find_invocations", uids=list(uids), readable=list(caller.readable), oldest=oldest
    )
    return {item["uid"]: _invocations.record(item) for item in row["items"]}


async def find_results(tx: Tx, caller: Caller, uids: Sequence[str], oldest: str) -> dict[str, Any]:
    """Return the results of the readable invocations among some ids from `oldest` on, by id."""
    row = await tx.one("tools/find_results", uids=list(uids), readable=list(caller.readable), oldest=oldest)
    return {item["uid"]: json.loads(item["result"] or "".join(item["parts"])) for item in row["items"]}


async def list_page(
    tx: Tx,
    caller: Caller,
    wanted: InvocationFilter,
    turn_uid: str | None,
    *,
    oldest: str,
    before: str,
    limit: int,
) -> list[Invocation]:
    """Return up to `limit` matching invocations, from `oldest` on and before `before`, newest first."""
    row = await tx.one(
        _query_for(wanted, turn_uid),
        before_uid=before,
        limit=limit,
        oldest=oldest,
        **_conditions(caller, wanted, turn_uid),
    )
    return [_invocations.record(item) for item in row["items"]]


def _query_for(wanted: InvocationFilter, turn_uid: str | None) -> str:
    """Return the query by the rarest condition: a turn has few invocations, a status has many."""
    if turn_uid is not None:
        return "tools/list_invocations_by_turn"
    if wanted.goal_id is not None:
        return "tools/list_invocations_by_goal"
    if wanted.tool is not None:
        return "tools/list_invocations_by_tool"
    if wanted.status is not None:
        return "tools/list_invocations_by_status"
    return "tools/list_invocations_by_time"


async def count(tx: Tx, caller: Caller, wanted: InvocationFilter, turn_uid: str | None, oldest: str) -> int:
    """Return the number of readable invocations that match, from `oldest` on."""
    row = await tx.one("tools/count_invocations", oldest=oldest, **_conditions(caller, wanted, turn_uid))
    return int(row["total"])


async def count_uses(tx: Tx, caller: Caller, turn_uid: str, outcome_uid: str, now: datetime) -> int:
    """Add the invocations of a turn that no outcome has yet to the uses of their tools, for an outcome.

    Returns the number of tools.
    """
    row = await tx.one(
        "tools/assign_invocations",
        turn_uid=turn_uid,
        outcome_uid=outcome_uid,
        writable=list(caller.writable),
    )
    if not row["items"]:
        return 0
    counted = await tx.one(
        "tools/count_uses",
        rows=[
            {
                "uid": new_id(Kind.TOOL, now),
                "org_id": caller.org_id,
                "scope_id": caller.home,
                "key": item["tool"],
                "name": short_name(item["tool"]),
                "by_uid": caller.actor_id,
                "uses": item["uses"],
                "successes": item["successes"],
                "now": now,
            }
            for item in sorted(row["items"], key=lambda item: str(item["tool"]))
        ],
        writable=list(caller.writable),
    )
    return int(counted["counted"])


async def list_calls(
    tx: Tx, caller: Caller, turn: str, *, oldest: str, most: int
) -> tuple[str | None, list[Invocation]]:
    """Return the id of the caller's turn with a name or an id, and its calls that no outcome has yet."""
    row = await tx.one(
        "tools/list_calls",
        turn_key=turn,
        home=caller.home,
        oldest=oldest,
        most=most,
        readable=list(caller.readable),
    )
    return row["turn_uid"], [_invocations.record(item) for item in row["items"]]


async def list_uses(tx: Tx, caller: Caller, *, after: tuple[str, str], limit: int) -> list[ToolUse]:
    """Return up to `limit` tools of the readable spaces after a name and an id, by name."""
    row = await tx.one(
        "tools/list_tools",
        readable=list(caller.readable),
        after_key=after[0],
        after_uid=after[1],
        limit=limit,
    )
    return [_uses.record(item) for item in row["items"]]


def _conditions(caller: Caller, wanted: InvocationFilter, turn_uid: str | None) -> dict[str, Any]:
    return {
        "readable": list(caller.readable),
        "tool": wanted.tool,
        "status": wanted.status.value if wanted.status else None,
        "turn_uid": turn_uid,
        "goal_uid": wanted.goal_id,
        "since": wanted.since,
        "until": wanted.until,
    }
