"""The process is killed between every two statements of a turn's commit (issue 17, part 3).

A process of its own commits a turn and kills itself after its n-th statement, for every n. Then the client,
which has got no answer, sends the same commit again. The space is afterwards as if nothing had happened.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from datetime import datetime
from typing import Any

import pytest

from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Caller, Principal
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.tools.record import InvocationDraft, TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft
from prefrontal.graph.turns.record import TurnAction, TurnObservation, TurnProgress
from tests.support.canonical import canonical, nodes_and_edges
from tests.support.clock import FixedClock
from tests.support.failing import failing
from tests.support.forked import forked
from tests.support.registry import registry_of
from tests.support.world import World

NOT_COMPARED = {
    # A digest of a draft that names its turn.
    "Memory": {"client_hash"},
    "Outcome": {"client_hash"},
    "ToolInvocation": {"client_hash"},
    # An organisation's events have places that depend on what else happens in it.
    "OutboxEvent": {"seq", "told", "name"},
    # How long it took, and when.
    "TraceEvent": {"details"},
    "StateExport": {"body", "digest"},
}


JOURNAL = ("PendingCommit", "TraceEvent", "OutboxEvent", "StateExport", "Request")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.]*(?:Z|\+00:00)?(?:\[UTC\])?")


def whole(goal: str) -> CommitTurn:
    """A commit with something for each store."""
    return CommitTurn(
        turn_id="t",
        idempotency_key="commit-1",
        user_input="Is it hot?",
        assistant_response="Yes",
        outcome=OutcomeDraft(success=True, result="answered"),
        feedback=FeedbackDraft(what_worked="Asking twice"),
        tool_invocations=[InvocationDraft(tool="clock", result={"h": 3})],
        events=[StateDraft(content="It was hot", importance=0.9)],
        progress=[TurnProgress(goal_id=goal, delta=0.25)],
        new_actions=[TurnAction(title="Buy water", type="agent_task")],
        observations=[TurnObservation(content="The fan is broken")],
    )


def _kill_after(
    endpoint: tuple[str, str, str | None],
    org: str,
    agent: str,
    now: datetime,
    goal: str,
    stores: tuple[CommitStore, ...],
    limit: int,
) -> None:
    """Commit the turn of an agent; be killed after so many statements."""

    async def run() -> None:
        settings = Settings()
        counted = 0

        def count(*_: Any, **__: Any) -> None:
            nonlocal counted
            counted += 1
            if counted == limit:
                os.kill(os.getpid(), signal.SIGKILL)

        uri, user, password = endpoint
        async with connect(settings, uri, user, password) as driver:
            services = build_services(
                settings, driver, clock=FixedClock(now), observers=[count], **registry_of(settings)
            )
            caller = await services.access.caller(Principal(org=org, agent=agent, roles=("writer",)))
            counted = 0
            with failing(services, *stores, times=1):
                await services.turns.finalization.commit(caller, whole(goal))

    asyncio.run(run())


async def prepared(world: World, agent: str) -> tuple[Caller, str]:
    """An agent with a goal and with a call of a tool in its turn; its id and that of the goal."""
    caller = await world.caller(agent)
    goal = await world.services.goals.service.create(caller, CreateGoal(title="Keep cool"))
    call = TrackToolInvocation(turn_id="t", tool="thermometer", result={"t": 30}, goal_id=goal.uid)
    await world.services.tools.track(caller, call)
    return caller, goal.uid


async def space_contents(world: World, caller: Caller, *, journal: bool) -> Any:
    """The space of a caller; without the journal, only what the turn was to leave behind."""
    nodes, edges = await nodes_and_edges(world, caller.home)
    # A part that was tried again has further entries, events and results, and no key of a request.
    hidden = (
        {"PendingCommit", "TraceEvent", "OutboxEvent", "StateExport", "Request"} if not journal else set()
    )
    kept = [item for item in nodes if not hidden & set(item["labels"])]
    for item in kept:
        for label in item["labels"]:
            for name in NOT_COMPARED.get(label, ()):
                item["node"].pop(name, None)
        if not journal:
            item["node"].pop("request_key", None)
        if not journal and "Turn" in item["labels"]:
            item["node"].pop("version")
        if "Request" in item["labels"]:
            result = json.loads(item["node"]["result"])
            item["node"]["result"] = json.dumps(
                {k: v for k, v in result.items() if k not in ("phases", "pending")}
            )
        if "OutboxEvent" in item["labels"]:
            data = json.loads(item["node"]["data"])
            data.pop("digest", None)
            item["node"]["data"] = json.dumps(data)
        # The relay gives each event its place when it comes by.
        item["labels"] = sorted(set(item["labels"]) - {"Unsequenced", "Untold"})
        # The agents commit one after the other.
        item["node"] = {name: _timeless(value) for name, value in item["node"].items()}
    for edge in edges:
        edge["edge"] = {name: _timeless(value) for name, value in edge["edge"].items()}
    uids = {item["node"]["uid"] for item in kept}
    linked = [edge for edge in edges if {edge["start"], edge["end"]} <= uids]
    known = {caller.home: "home", caller.actor_id: "bot", caller.org_id: "org"}
    return canonical(kept, linked, known)


def _timeless(value: Any) -> Any:
    if isinstance(value, str):
        return TIME.sub("T", value)
    return "T" if hasattr(value, "iso_format") else value


async def killed_after(
    neo4j: Endpoint, world: World, agent: str, goal: str, stores: tuple[CommitStore, ...], limit: int
) -> bool:
    """Whether the process was killed before it was done."""
    process = forked.Process(
        target=_kill_after,
        args=(
            (neo4j.uri, neo4j.user, neo4j.password),
            world.org,
            agent,
            world.clock.now(),
            goal,
            stores,
            limit,
        ),
    )
    process.start()
    await asyncio.to_thread(process.join, 60)
    assert process.exitcode in (0, -signal.SIGKILL), process.exitcode
    return process.exitcode != 0


async def finish(world: World, caller: Caller, goal: str) -> None:
    """What the client does that got no answer, and then the next turn."""
    commit = world.services.turns.finalization.commit
    await commit(caller, whole(goal))
    # Turns that begin at once have no order.
    world.clock.advance(seconds=1)
    await commit(caller, CommitTurn(turn_id="next"))


@pytest.mark.covers("TURN-145", "TURN-146")
@pytest.mark.parametrize(
    ("stores", "least"),
    [
        ((), 15),
        pytest.param(
            (CommitStore.EPISODIC, CommitStore.CONVERSATION),
            30,
            marks=pytest.mark.nightly("a part that is tried again: tests/graph/test_commit_recovery.py"),
        ),
    ],
)
async def test_a_commit_that_is_killed_anywhere_is_finished_by_the_same_commit(
    settings: Settings,
    neo4j: Endpoint,
    world: World,
    stores: tuple[CommitStore, ...],
    least: int,
    *,
    nightly: bool,
) -> None:
    caller, goal = await prepared(world, "whole")
    with failing(world.services, *stores, times=1):
        await finish(world, caller, goal)
    expected = await space_contents(world, caller, journal=not stores)

    limit = 0
    while True:
        limit += 1 if nightly else 5
        agent = f"bot-{limit}"
        caller, goal = await prepared(world, agent)
        killed = await killed_after(neo4j, world, agent, goal, stores, limit)
        await finish(world, caller, goal)
        found = await space_contents(world, caller, journal=not stores)
        assert sorted((found - expected).elements()) == sorted((expected - found).elements()), limit
        if not killed:
            break
    assert limit > least
