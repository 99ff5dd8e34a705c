"""Outcomes that teach lessons, for tests."""

from __future__ import annotations

from typing import Any

from prefrontal.graph.caller import Caller
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.journal.command import TurnCommand
from prefrontal.graph.journal.record import Change
from prefrontal.graph.lessons.record import Call, TurnEvidence
from prefrontal.graph.lessons.service import PreparedLessons
from prefrontal.graph.storage.unit_of_work import Tx
from tests.support.world import World


class Learn(TurnCommand):
    """An outcome from which lessons are learned."""

    outcome: str


def call(tool: str, error: str | None = None, **parameters: Any) -> Call:
    """Return a call of a tool, which failed if there is an error."""
    uid = "-".join([tool, *map(str, parameters.values()), error or "ok"])
    return Call(invocation_uid=uid, tool=tool, parameters=parameters, failed=error is not None, error=error)


async def outcome(world: World, caller: Caller) -> str:
    """Store an outcome in the caller's own space; return its id."""
    uid = new_id(Kind.OUTCOME, world.clock.now())
    await world.rows(
        "CREATE (o:Outcome {uid: $uid, org_id: $org, scope_id: $space, name: 'outcome', created_at: $now, "
        "by_uid: $by, turn_uid: 'turn', success: true, conflicting: false})",
        uid=uid,
        space=caller.home,
        now=world.clock.now(),
        by=caller.actor_id,
    )
    return uid


async def prepared(
    world: World, caller: Caller, uid: str, *calls: Call, success: bool = True, **said: Any
) -> PreparedLessons:
    """Return the lessons of an outcome, not stored yet."""
    fields = {name: tuple(text for text in (texts,) if text) for name, texts in said.items()}
    finding = TurnEvidence(turn_uid="turn", outcome_uid=uid, success=success, calls=calls, **fields)
    return await world.services.lessons.prepare(caller, finding, caller.home)


async def learn(
    world: World, caller: Caller, uid: str, ready: PreparedLessons, turn: str | None = None
) -> dict[str, Any]:
    """Store the lessons of an outcome as the transaction of the outcome does; return the result."""
    command = Learn(outcome=uid, turn_id=turn)

    async def work(tx: Tx, now: Any) -> Change:
        return await world.services.lessons.learn_in(tx, caller, ready, uid, caller.home, turn, now)

    return await world.services.lessons._changes.run(caller, command, work)


async def taught(
    world: World, caller: Caller, *calls: Call, success: bool = True, turn: str | None = None, **said: Any
) -> dict[str, Any]:
    """Store an outcome and its lessons; return the result: the ids of the lessons, and the numbers."""
    uid = await outcome(world, caller)
    ready = await prepared(world, caller, uid, *calls, success=success, **said)
    return await learn(world, caller, uid, ready, turn)
