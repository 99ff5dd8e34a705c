"""What `bench.turns` measures: a turn and its parts, and how everyone is told."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, cast

from bench.operations import WRITE, Operation, WrongAnswer
from bench.turns_world import TOOLS, Agent, Turns, commit, commit_deltas, delta, invocation, noted, outcome
from bench.world import World
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.jobs.runner import JobRunner
from prefrontal.graph.turns.commit_record import CommitTurn
from prefrontal.graph.turns.record import StartTurn

COMMIT = 25.0
"""The aim of a commit of a turn, in units."""
BUDGET = 2_000
EVENTS = 500
PATIENCE_S = 30.0


def _turns(world: World) -> Turns:
    return cast("Turns", world)


async def _next(world: World) -> Agent:
    return next(_turns(world).asked)


async def _first(world: World) -> Agent:
    return _turns(world).agents[0]


async def _delta(world: World) -> tuple[Agent, CommitTurn]:
    turns = _turns(world)
    return turns.agents[0], delta(turns, turns.agents[0])


async def _commit(world: World, prepared: Any) -> None:
    agent, command = prepared
    if not await commit(_turns(world), agent, command):
        raise WrongAnswer("a part of the turn was refused")


async def _deltas(world: World, prepared: Any) -> None:
    agent, command = prepared
    if not await commit_deltas(_turns(world), agent, command):
        raise WrongAnswer("a delta was refused")


async def _turn(world: World, agent: Any) -> None:
    turns, services, caller = _turns(world), world.services, agent.caller
    ending = delta(turns, agent)
    turn = ending.turn_id
    await services.turns.start.start(caller, StartTurn(turn_id=turn))
    prompt = ending.observations[0].content
    context = await services.context.assemble(
        caller, AssembleContext(prompt=prompt, budget=BUDGET, turn_id=turn)
    )
    if not context.selection.items:
        raise WrongAnswer("the context is empty")
    for number in range(len(TOOLS)):
        await services.tools.track(caller, invocation(turns, turn, number))
    await _commit(world, (agent, ending))


async def _track(world: World, agent: Any) -> None:
    turns = _turns(world)
    await world.services.tools.track(agent.caller, invocation(turns, turns.name(), 0))


async def _outcome(world: World, agent: Any) -> None:
    turns = _turns(world)
    recorded = await world.services.outcomes.record(agent.caller, outcome(turns, turns.name()))
    if not recorded.created:
        raise WrongAnswer("the outcome was known")


async def _relay_all(world: World) -> int:
    jobs = world.services.jobs
    return await jobs.run_once(jobs.named["relay_events"]) or 0


async def _backlog(world: World) -> None:
    """Leave nothing to stamp but the events of so many observations."""
    await _relay_all(world)
    turns = _turns(world)
    await world.services.scratch.service.add(world.caller, [noted(turns) for _ in range(EVENTS)])


async def _relay(world: World, _: Any) -> None:
    if await _relay_all(world) < EVENTS:
        raise WrongAnswer("fewer events were stamped than were written")


async def _relayed(world: World, _: Any) -> None:
    services = world.services
    relay = JobRunner(services.database, services.clock, [services.jobs.named["relay_events"]])
    running = asyncio.create_task(relay.run_forever())
    try:
        with services.outbox.positions.listening(world.caller.org_id) as bell:
            await services.scratch.service.add(world.caller, [noted(_turns(world))])
            if not await bell.wait(PATIENCE_S):
                raise WrongAnswer("nobody was told")
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def _quiet(world: World) -> None:
    await _relay_all(world)


TURN = Operation(
    "turn", "a typical turn: start, context, 3 tools, commit with its outcome", _turn, _next, writes=True
)
OPERATIONS = (
    Operation(
        "commit",
        "commitTurn: 2 messages, outcome, 4 observations, 2 goals",
        _commit,
        _delta,
        COMMIT,
        covers=("TURN-150..156",),
        writes=True,
    ),
    Operation("deltas", "commitAtTurnEnd: 4 observations, 2 goals", _deltas, _delta, writes=True),
    TURN,
    Operation("track-tool", "trackToolInvocation", _track, _first, WRITE, writes=True),
    Operation("record-outcome", "recordOutcome, with what it teaches", _outcome, _first, writes=True),
    Operation(
        "relay", f"relay: {EVENTS} events get their places", _relay, _backlog, rows=EVENTS, writes=True
    ),
    Operation(
        "told", "from sending an observation until its readers are told", _relayed, _quiet, writes=True
    ),
)
