"""What every change writes beside itself: exactly its traces, events, versions and turns, and no content."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import AssembleContext, Request
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, Milestone
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationContext, ObservationDraft, Source
from tests.support.world import World

SECRET = "xyzzy"
"""Is in every text that a client gives as content."""


async def add(world: World, caller: Caller) -> None:
    await world.services.scratch.service.add(
        caller,
        [
            ObservationDraft(
                content=f"{SECRET} one",
                type=SECRET,
                tags=(f"{SECRET} tag",),
                source=Source(name=SECRET),
                context=ObservationContext(goal_key=SECRET, user_id=SECRET),
                metadata={SECRET: SECRET},
                client_key=SECRET,
            ),
            ObservationDraft(content=f"{SECRET} two"),
        ],
        turn_id="turn-1",
        idempotency_key="key-1",
    )


async def create_goal(world: World, caller: Caller) -> None:
    (observation,) = await world.services.scratch.service.add(caller, [ObservationDraft(content=SECRET)])
    await world.rows("MATCH (n:TraceEvent|OutboxEvent {org_id: $org}) DETACH DELETE n")
    await world.services.goals.service.create(
        caller,
        CreateGoal(
            title=f"{SECRET} goal",
            description=SECRET,
            goal_type=SECRET,
            metrics={SECRET: 1},
            constraints=(SECRET,),
            milestones=(Milestone(title=SECRET),),
            evidence=(EvidenceDraft(observation_id=observation.uid, note=SECRET),),
            pending_actions=(
                PendingActionDraft(type="research", title=SECRET, metadata={"a": SECRET}),
                PendingActionDraft(type=f"{SECRET}_type", title=SECRET, description=SECRET),
            ),
            turn_id="turn-1",
            idempotency_key="key-1",
        ),
    )


async def remember(world: World, caller: Caller) -> None:
    drafts = [
        MemoryDraft(kind=MemoryKind.MANDATE, content=SECRET),
        MemoryDraft(kind=MemoryKind.CAPABILITY, content=SECRET),
    ]
    await world.services.memory.remember(
        caller, Remember(memories=drafts, turn_id="turn-1", idempotency_key="key-1")
    )


async def assemble(world: World, caller: Caller) -> None:
    await world.services.memory.remember(
        caller, Remember(memories=[MemoryDraft(kind=MemoryKind.MANDATE, content=SECRET)])
    )
    await world.rows("MATCH (n:TraceEvent|OutboxEvent|Version {org_id: $org}) DETACH DELETE n")
    request = Request(prompt=f"{SECRET}?", budget=1000)
    await world.services.context.assemble(
        caller, AssembleContext(**dict(request), turn_id="turn-1", idempotency_key="key-1")
    )


async def create_space(world: World, caller: Caller) -> None:
    await world.services.access.create_space(
        caller, CreateSpace(name=f"{SECRET} space", idempotency_key="key-1")
    )


async def grant(world: World, caller: Caller) -> None:
    await world.caller("other")
    await world.services.access.grant_access(
        caller,
        GrantAccess(
            space=caller.home,
            actor=Actor(kind=ActorKind.AGENT, key="other"),
            permission=SpacePermission.READ,
            idempotency_key="key-1",
        ),
    )


async def revoke(world: World, caller: Caller) -> None:
    await grant(world, caller)
    await world.rows("MATCH (n:TraceEvent|OutboxEvent|Request {org_id: $org}) DETACH DELETE n")
    await world.services.access.revoke_access(
        caller,
        RevokeAccess(
            space=caller.home, actor=Actor(kind=ActorKind.AGENT, key="other"), idempotency_key="key-1"
        ),
    )


NO_RECORD = {"context.assembled", "space.created", "access.offered", "access.revoked"}
"""Events of what no turn is linked to: a receipt has its own link, spaces and grants belong to no turn."""

CHANGES: list[tuple[Callable[[World, Caller], Awaitable[None]], list[str], list[str], int, int]] = [
    # use case, kinds of traces, types of events, versions, turns
    (add, ["observations_added"], ["observation.added"] * 2, 0, 1),
    (
        create_goal,
        ["action_type_coerced", "goal_created", "registry_proposal_submitted"],
        ["goal.created", "pending_action.created", "pending_action.created", "registry_proposal.submitted"],
        4,
        1,
    ),
    (remember, ["remembered"], ["capability.remembered", "mandate.remembered"], 2, 1),
    (assemble, ["context_assembled"], ["context.assembled"], 0, 1),
    (create_space, ["space_created"], ["space.created"], 0, 0),
    (grant, ["access_changed"], ["access.offered"], 0, 0),
    (revoke, ["access_changed"], ["access.revoked"], 0, 0),
]


async def journal(world: World, label: str) -> list[dict[str, Any]]:
    rows = await world.rows(f"MATCH (n:{label} {{org_id: $org}}) RETURN properties(n) AS n ORDER BY n.uid")
    return [row["n"] for row in rows]


async def known_ids(world: World) -> set[str]:
    rows = await world.rows("MATCH (n {org_id: $org}) RETURN collect(n.uid) AS uids")
    return set(rows[0]["uids"])


@pytest.mark.parametrize(
    ("change", "traces", "events", "versions", "turns"), CHANGES, ids=[row[0].__name__ for row in CHANGES]
)
@pytest.mark.covers("TRC-01", "TRC-10", "TRC-14")
async def test_a_change_writes_exactly_its_journal(
    world: World, change: Any, traces: list[str], events: list[str], versions: int, turns: int
) -> None:
    caller = await world.caller()

    await change(world, caller)

    found = {label: await journal(world, label) for label in ("TraceEvent", "OutboxEvent", "Version", "Turn")}
    ids = await known_ids(world)
    assert sorted(entry["kind"] for entry in found["TraceEvent"]) == traces
    assert sorted(event["type"] for event in found["OutboxEvent"]) == events
    assert len(found["Version"]) == versions
    assert len(found["Turn"]) == turns
    assert [turn["key"] for turn in found["Turn"]] == ["turn-1"] * turns
    turn = found["Turn"][0]["uid"] if turns else None
    for entry in found["TraceEvent"]:
        assert set(entry["ids"]) <= ids
        assert entry["ids"]
        assert entry.get("turn_uid") == turn
    # Granting and revoking are the second and third change of the space they concern.
    version_of = {"access.offered": 2, "access.revoked": 3}
    for event in found["OutboxEvent"]:
        assert event["aggregate"] in ids
        assert event["aggregate_version"] == version_of.get(event["type"], 1)
        assert event.get("turn_uid") == turn
    for version in found["Version"]:
        assert (version["number"], version["of_uid"] in ids) == (1, True)
        assert version.get("turn_uid") == turn
    made = await world.rows(
        "MATCH (t:Turn {org_id: $org})-[made:MADE]->(n) "
        "RETURN n.uid AS uid, made.operation AS operation, made.since AS since"
    )
    written = [event for event in found["OutboxEvent"] if event["type"] not in NO_RECORD]
    assert sorted((row["uid"], row["operation"]) for row in made) == sorted(
        (event["aggregate"], event["type"]) for event in written
    )
    assert all(row["since"].to_native() == world.clock.now() for row in made)
    for node in (*found["TraceEvent"], *found["OutboxEvent"], *found["Version"]):
        assert node["by_uid"] == caller.actor_id
        assert node["created_at"].to_native() == world.clock.now()
    (request,) = await journal(world, "Request")
    assert request["key"] == "key-1"
    logged = await world.rows(
        "MATCH (:Turn {org_id: $org})-[:LOGGED]->(t:TraceEvent) RETURN count(t) AS number"
    )
    assert logged == [{"number": len(traces) if turns else 0}]


@pytest.mark.parametrize("change", [row[0] for row in CHANGES], ids=[row[0].__name__ for row in CHANGES])
async def test_traces_events_requests_and_receipts_hold_no_content(world: World, change: Any) -> None:
    caller = await world.caller()

    await change(world, caller)

    for label in ("TraceEvent", "OutboxEvent", "Request", "ContextReceipt", "Turn"):
        for node in await journal(world, label):
            assert SECRET not in json.dumps(node, default=str), label
    # The search would find it: it is where content belongs.
    everywhere = await world.rows("MATCH (n {org_id: $org}) RETURN properties(n) AS n")
    if change not in (grant, revoke):
        assert SECRET in json.dumps(everywhere, default=str)


async def test_a_refused_change_writes_no_journal(world: World) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(PrefrontalError):
        await world.services.goals.service.create(
            caller,
            CreateGoal(
                title="x",
                evidence=(EvidenceDraft(observation_id="obs_none"),),
                turn_id="turn-1",
                idempotency_key="key-1",
            ),
        )

    assert await world.counts() == before


async def test_a_turn_appears_once_however_many_changes_name_it(world: World) -> None:
    caller = await world.caller()
    scratch = world.services.scratch.service

    async def name_turns(number: int) -> None:
        # In different orders, so that locks taken in input order would deadlock.
        turns = ["turn-a", "turn-b", "turn-c"]
        turns = turns[number % 3 :] + turns[: number % 3]
        drafts = [ObservationDraft(content="x", source=Source(turn_id=turn)) for turn in turns]
        await scratch.add(caller, drafts)

    await asyncio.gather(*(name_turns(number) for number in range(12)))

    turns = await journal(world, "Turn")
    assert sorted(turn["key"] for turn in turns) == ["turn-a", "turn-b", "turn-c"]
    assert {turn["scope_id"] for turn in turns} == {caller.home}
    logged = await world.rows(
        "MATCH (t:Turn {org_id: $org})-[:LOGGED]->(e) RETURN t.key AS key, count(e) AS number ORDER BY key"
    )
    assert [row["number"] for row in logged] == [12, 12, 12]


async def test_a_turn_of_the_same_name_belongs_to_its_caller(world: World) -> None:
    for agent in ("bot", "other"):
        caller = await world.caller(agent)
        await world.services.scratch.service.add(caller, [ObservationDraft(content="x")], turn_id="turn-1")

    assert len(await journal(world, "Turn")) == 2


async def test_no_turn_appears_unless_one_is_named(world: World) -> None:
    caller = await world.caller()

    await world.services.scratch.service.add(caller, [ObservationDraft(content="x")])
    await world.services.goals.service.create(caller, CreateGoal(title="x"))

    assert await journal(world, "Turn") == []
