"""What a turn wrote, and the turn that created a record, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.cortex.goals.record import CreateGoal, ProgressDelta, ShareGoal, UpdateProgress
from prefrontal.graph.scratch.record import ObservationDraft
from tests.api.conftest import Api, Client
from tests.api.schema_inputs import TAKEN, input_type, owned, problem_mutation
from tests.support.integrity import Graph, rows_of, turns_of

pytestmark = pytest.mark.nightly(
    "its rules are tested on the graph; each query and mutation over HTTP: the walks"
)

TURN = """query ($id: String!, $first: Int, $after: String) { turn(id: $id) { id
  made(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { __typename id }
    edges { node { __typename id
      ... on Goal { turn { key } } ... on Observation { turn { key } } ... on PendingAction { turn { key } }
      ... on Question { turn { key } } ... on Story { turn { key } }
      ... on RegistryProposal { turn { key } } } } } } }"""
COMMIT = """mutation ($input: CommitAtTurnEndInput!) { commitAtTurnEnd(input: $input) {
  ... on CommitAtTurnEndPayload { ok results { problem { code field } action { id } goal { id }
    question { id } story { id } } } } }"""
GOALS = "{ goals { nodes { id turn { key } } } }"


async def changed_records(client: Client, turn: str, **page: Any) -> Any:
    return (await client.run(TURN, id=turn, **page))["turn"]["made"]


async def write(api: Api) -> dict[str, str]:
    """A goal in turn-1; in turn-2 its progress, an action, a question with a story, and a proposal."""
    bot = await api.world.caller()
    goal = await api.world.services.goals.service.create(bot, CreateGoal(title="Tea", turn_id="turn-1"))
    api.world.clock.advance(seconds=1)
    (seen,) = await api.world.services.scratch.service.add(
        bot, [ObservationDraft(content="it boils")], turn_id="turn-2"
    )
    given = {
        "turnId": "turn-2",
        "progress": [{"goalId": goal.uid, "delta": 0.5, "references": [seen.uid]}],
        "newActions": [{"type": "odd", "title": "Pour", "goalId": goal.uid}],
        "storyUpdates": [{"question": {"text": "How hot?"}, "story": {"narrative": "Boiling"}}],
    }
    done = (await api.client().run(COMMIT, input=given))["commitAtTurnEnd"]
    assert done["ok"], done
    ids = {
        kind: each[kind]["id"]
        for each in done["results"]
        for kind in ("action", "question", "story")
        if each[kind]
    }
    proposals = await api.world.rows("MATCH (p:RegistryProposal {org_id: $org}) RETURN p.uid AS uid")
    return {"goal": goal.uid, "observation": seen.uid, "proposal": proposals[0]["uid"], **ids}


@pytest.mark.covers("TRC-10")
async def test_a_turn_leads_to_what_it_wrote_and_each_record_to_the_turn_that_created_it(api: Api) -> None:
    ids = await write(api)
    client = api.client()

    first = await changed_records(client, "turn-1")
    api.world.statements.clear()
    second = await changed_records(client, "turn-2")
    counts = dict(api.world.statements.counts)

    assert [edge["node"] for edge in first["edges"]] == [
        {"__typename": "Goal", "id": ids["goal"], "turn": {"key": "turn-1"}}
    ]
    assert first["totalCount"] == 1
    told = {
        node["__typename"]: (node["id"], node["turn"]["key"]) for node in (e["node"] for e in second["edges"])
    }
    assert told == {
        # Changed in turn-2, but created in turn-1.
        "Goal": (ids["goal"], "turn-1"),
        "Observation": (ids["observation"], "turn-2"),
        "PendingAction": (ids["action"], "turn-2"),
        "Question": (ids["question"], "turn-2"),
        "Story": (ids["story"], "turn-2"),
        "RegistryProposal": (ids["proposal"], "turn-2"),
    }
    assert second["totalCount"] == len(second["edges"]) == 6
    assert [node["id"] for node in second["nodes"]] == sorted(ids.values())
    # One statement for each kind of record, and one for all of their turns.
    assert counts["turns/list_made"] == counts["turns/count_made"] == counts["turns/find_turns_of"] == 1
    assert counts["goals/find_goals"] == counts["scratch/find_observations"] == 1


async def test_what_a_turn_wrote_comes_in_pages(api: Api) -> None:
    ids = await write(api)
    found: list[str] = []
    after = None
    for more in (True, True, False):
        page = await changed_records(api.client(), "turn-2", first=2, after=after)
        assert page["pageInfo"]["hasNextPage"] is more
        assert page["totalCount"] == 6
        found += [node["id"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
    assert found == sorted(ids.values())
    errors = await api.client().errors(TURN, id="turn-2", after="nonsense")
    assert errors[0]["extensions"]["code"] == "invalid"


@pytest.mark.covers("SEC-14")
async def test_a_turn_and_what_it_wrote_end_at_the_border(api: Api) -> None:
    world = api.world
    ids = await write(api)
    bot, other = await world.caller(), await world.caller("other")
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org, key: 'turn-2'}) RETURN t.uid AS uid")
    trace = world.services.turns.trace

    # The turn of another actor is unknown, also by its id and by what it wrote.
    assert (await api.client("other").run(TURN, id="turn-2"))["turn"] is None
    assert (await trace.made(other, turn["uid"])).items == ()
    assert await trace.count_made(other, turn["uid"]) == 0
    assert await trace.of(other, list(ids.values())) == {}

    # A shared goal is readable, the turn that created it is not.
    who = Actor(kind=ActorKind.AGENT, key="other")
    await world.services.goals.sharing.share(
        bot, ShareGoal(goal_id=ids["goal"], actor=who, permission=SpacePermission.WRITE)
    )
    assert (await api.client("other").run(GOALS))["goals"]["nodes"] == [{"id": ids["goal"], "turn": None}]

    # What other writes in a turn of its own is listed while the share lasts.
    await world.services.goals.transitions.update_progress(
        await world.caller("other"),
        UpdateProgress(deltas=[ProgressDelta(goal_id=ids["goal"], delta=0.1)], turn_id="mine"),
    )
    mine = await changed_records(api.client("other"), "mine")
    assert ([node["id"] for node in mine["nodes"]], mine["totalCount"]) == ([ids["goal"]], 1)
    await world.rows(
        "MATCH (:Goal {uid: $uid})<-[may:MAY]-() SET may.until = $now", uid=ids["goal"], now=world.clock.now()
    )
    mine = await changed_records(api.client("other"), "mine")
    assert (mine["nodes"], mine["edges"], mine["totalCount"]) == ([], [], 0)


IN_A_TURN = [name for name in TAKEN if "turnId" in input_type(name).fields]
WRITES_NO_RECORD = {
    # What a turn has of these is linked otherwise: the receipt, what the turn saw, and what it called.
    "assembleContext",
    "startTurn",
    # A session has no history: its trace entries name the turn.
    "startSession",
    "updateWorkingMemory",
    "endSession",
    "bridgeSession",
    "linkSessions",
    "checkpointSession",
    "restoreCheckpoint",
    # Nothing has expired, the action asks for no confirmation, and there is no such proposal.
    "sweepExpired",
    "confirmPendingAction",
    "reviewRegistryProposal",
    "exportProposalAsPr",
    "withdrawRegistryProposal",
    # It is not retired.
    "restoreLesson",
}


@pytest.mark.covers("VER-05")
async def test_whatever_a_mutation_writes_in_a_turn_names_the_turn_and_is_linked_to_it(api: Api) -> None:
    # Versions are written before the turn is known: none keeps the mark that stands for it.
    await api.world.caller(None, person="ann")
    client = api.client(roles=("maintainer",))
    for name in IN_A_TURN:
        own = await owned(client)
        if name in ("revert", "unlinkObservation", "updateEvidence"):
            before = "transitionGoal" if name == "revert" else "linkObservation"
            assert (await client.run(problem_mutation(before), input=TAKEN[before](own)))["it"][
                "__typename"
            ] != "Problem"
        given = TAKEN[name](own) | {"turnId": f"turn-{name}"}
        if name == "transitionPendingAction":
            given["status"] = "cancelled"
        said = (await client.run(problem_mutation(name), input=given))["it"]
        rows = await api.world.rows(
            "MATCH (:Turn {org_id: $org, key: $key})-[:MADE]->(n) RETURN n.uid AS uid", key=given["turnId"]
        )
        assert bool(rows) is (name not in WRITES_NO_RECORD), said
    assert turns_of(Graph(*await rows_of(api.world))) == []
