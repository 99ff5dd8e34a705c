"""A fixture's graph is what clients would have made: at its times, by its actors, with its journal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from prefrontal.api.fixtures.build import build_graph
from prefrontal.api.fixtures.clear import clear_organisation
from prefrontal.api.fixtures.load import load_fixture
from prefrontal.graph.errors import Duplicate, FixtureError
from prefrontal.graph.ids import Kind, kind_of, new_id
from tests.support.lists import evidence_of
from tests.support.world import World

STORY = """\
name: Two days
now: 2025-11-05T12:00:00Z
actors:
  bot: {agent: bot, person: ann}
  kitchen: {agent: kitchen}
spaces:
  house: {name: The house, by: bot, grants: {kitchen: write}}
nodes:
  buy: {label: Goal, at: 1d ago, title: Buy tea, turn: t2}
  shop: {label: PendingAction, type: research, title: Go, due_at: 2025-11-06T12:00:00Z}
  tea: {label: Observation, at: 2d ago, by: kitchen, space: house, turn: t1, content: Low, tags: [T], ttl: 9d}
  milk: {label: Observation, at: 2d ago, by: kitchen, space: house, turn: t1, content: Milk too, ttl: 9d}
  live: {label: Goal, at: 1d ago, title: Live well}
  careful: {label: Mandate, at: 3d ago, content: Spend little}
  late: {label: Observation, content: Tea is there, context: {goal: buy, user_id: ann}}
edges:
  - buy -CHILD_OF-> live
  - milk -EVIDENCES-> buy
  - {from: tea, type: EVIDENCES, to: buy, confidence: 0.7, note: for sure}
  - shop -ADVANCES-> buy
"""
NOW = datetime(2025, 11, 5, 12, tzinfo=UTC)


async def build_story(world: World, tmp_path, text: str = STORY, **kwargs):
    path = tmp_path / "story.fixture.yaml"
    path.write_text(text)
    key = new_id(Kind.ORGANISATION, world.clock.now()).replace("_", "-").lower()
    return await build_graph(world.services, load_fixture(path), key, **kwargs)


async def stored(world: World, org_id: str) -> dict[str, dict]:
    rows = await world.rows("MATCH (n {org_id: $id}) RETURN n.uid AS uid, properties(n) AS n", id=org_id)
    return {row["uid"]: row["n"] for row in rows}


async def test_every_node_is_made_at_its_time_by_its_actor_in_its_space_and_turn(world: World, tmp_path):
    story = await build_story(world, tmp_path)
    uids, nodes = story.keys.uids, await stored(world, story.org_id)

    tea, late, buy = nodes[uids["tea"]], nodes[uids["late"]], nodes[uids["buy"]]
    assert tea["created_at"].to_native() == NOW - timedelta(days=2)
    assert tea["expires_at"].to_native() == NOW + timedelta(days=7)
    assert (tea["by_uid"], tea["scope_id"], tea["source_turn_id"]) == (uids["kitchen"], uids["house"], "t1")
    assert (late["by_uid"], late["scope_id"]) == (uids["bot"], uids["bot.home"])
    assert (late["context_goal_id"], late["user_id"]) == (uids["buy"], "ann")
    assert (buy["created_at"].to_native(), buy["version"]) == (NOW - timedelta(days=1), 1)
    assert nodes[uids["shop"]]["due_at"].to_native() == NOW + timedelta(days=1)
    assert {key: kind_of(uid) for key, uid in uids.items() if key in ("tea", "buy", "shop", "careful")} == {
        "tea": Kind.OBSERVATION,
        "buy": Kind.GOAL,
        "shop": Kind.PENDING_ACTION,
        "careful": Kind.MANDATE,
    }


async def test_edges_carry_what_is_said_and_evidence_keeps_its_order(world: World, tmp_path):
    story = await build_story(world, tmp_path)
    uids = story.keys.uids
    edges = await world.rows(
        "MATCH (n {org_id: $id})-[r:EVIDENCES|CHILD_OF|ADVANCES]->(m) "
        "RETURN n.uid AS source, type(r) AS type, m.uid AS target, "
        "r.confidence AS confidence, r.note AS note",
        id=story.org_id,
    )
    found = {(e["source"], e["type"], e["target"]): (e["confidence"], e["note"]) for e in edges}
    assert found == {
        (uids["buy"], "CHILD_OF", uids["live"]): (None, None),
        (uids["milk"], "EVIDENCES", uids["buy"]): (0.5, None),
        (uids["tea"], "EVIDENCES", uids["buy"]): (0.7, "for sure"),
        (uids["shop"], "ADVANCES", uids["buy"]): (None, None),
    }
    caller = await story.caller()
    evidence = await evidence_of(story.services, caller, [uids["buy"]])
    assert [item.observation_id for item in evidence[uids["buy"]]] == [uids["milk"], uids["tea"]]


async def test_the_journal_is_written_as_for_any_client(world: World, tmp_path):
    story = await build_story(world, tmp_path)
    rows = await world.rows(
        "MATCH (n {org_id: $id}) UNWIND labels(n) AS label RETURN label, count(*) AS number", id=story.org_id
    )
    counts = {row["label"]: row["number"] for row in rows}
    assert (counts["Observation"], counts["Goal"], counts["PendingAction"], counts["Mandate"]) == (3, 2, 1, 1)
    # Two goals, the action and the mandate have a history from their beginning.
    assert (counts["Version"], counts["Turn"], counts["Tag"]) == (4, 2, 1)
    trace = await world.rows(
        "MATCH (t:Turn {org_id: $id, key: 't1'})-[:LOGGED]->(e) RETURN e.message AS m", id=story.org_id
    )
    # Nodes that have everything in common are one call.
    assert [row["m"] for row in trace] == ["2 observations added"]


TALK = """\
name: A talk
now: 2025-11-05T12:00:00Z
actors:
  laptop: {agent: bot, person: ann, device: laptop}
nodes:
  talk:
    label: Session
    at: 2h ago
    turn: t1
    key: tea-time
    session_type: meeting
    max_capacity: 5
    task: buy tea
    focus: [tea]
    items:
      - {at: 110m ago, memory: tea, pinned: true, salience: {relevance_score: 0.9, user_attention: 0.8}}
      - {content: Ask Mom, item_id: ask, entities: [Mom], salience: {relevance_score: 0.9, recency: 1}}
    ended_at: 1h ago
  on: {label: Session, at: 50m ago, task: buy tea, focus: [tea, Mom]}
  tea: {label: Fact, at: 110m ago, content: Mom likes tea, entities: [tea]}
"""


async def test_a_session_starts_gets_its_items_and_ends_at_their_times(world: World, tmp_path):
    story = await build_story(world, tmp_path, TALK)
    uids, nodes = story.keys.uids, await stored(world, story.org_id)
    talk = nodes[uids["talk"]]
    assert {name: talk[name] for name in ("key", "session_type", "max_capacity", "task", "focus")} == {
        "key": "tea-time", "session_type": "meeting", "max_capacity": 5, "task": "buy tea", "focus": ["tea"],
    }  # fmt: skip
    caller = await story.caller()
    assert (talk["person_id"], talk["device_id"]) == (caller.person_id, caller.device_id)
    assert None not in (caller.person_id, caller.device_id)
    assert [talk[name].to_native() for name in ("created_at", "ended_at")] == [
        NOW - timedelta(hours=2), NOW - timedelta(hours=1),
    ]  # fmt: skip
    assert (nodes[uids["on"]]["status"], nodes[uids["on"]]["items"]) == ("active", 0)

    slots = await world.rows(
        "MATCH (:Session {uid: $talk})-[h:HOLDS]->(m) "
        "RETURN m.uid AS uid, h.item_id AS item, h.since AS since, h.until AS until",
        talk=uids["talk"],
    )
    assert {row["item"] for row in slots} == {uids["tea"], "ask"}
    assert {row["since"].to_native() for row in slots} == {NOW - timedelta(minutes=110)}
    assert {row["until"].to_native() for row in slots} == {NOW - timedelta(hours=1)}
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $id}) WHERE e.type STARTS WITH 'cognitive.working_memory' "
        "RETURN e.type AS type ORDER BY type",
        id=story.org_id,
    )
    assert [row["type"].removeprefix("cognitive.working_memory.") for row in events] == [
        "evicted", "evicted", "session.ended", "session.started", "session.started", "updated", "updated",
    ]  # fmt: skip
    # It is compared as it goes on, without the job, which would compare the sessions of everybody.
    found = await story.services.session_correlations.related(await story.caller(), uids["on"])
    assert [each.session.uid for each in found] == [uids["talk"]]
    assert found[0].temporal_proximity == pytest.approx(1 - 10 / (24 * 60))


async def test_an_item_that_is_not_admitted_is_named_by_its_line(world: World, tmp_path):
    low = "salience: {relevance_score: 0, urgency: 0, recency: 0, user_attention: 0}"
    text = TALK.replace("salience: {relevance_score: 0.9, recency: 1}", low)
    with pytest.raises(FixtureError, match=r"17: nodes\.talk\.items\.1: is not admitted: its score 0\.000"):
        await build_story(world, tmp_path, text)
    with pytest.raises(
        FixtureError, match=r"nodes\.talk: cannot be made: a session holds .* \(maxCapacity\)"
    ):
        await build_story(world, tmp_path, TALK.replace("max_capacity: 5", "max_capacity: 50"))


async def test_a_story_is_moved_as_a_whole(world: World, tmp_path):
    now = datetime(2026, 1, 1, tzinfo=UTC)
    story = await build_story(world, tmp_path, now=now)
    nodes = await stored(world, story.org_id)
    assert nodes[story.keys.uids["tea"]]["created_at"].to_native() == now - timedelta(days=2)
    assert nodes[story.keys.uids["shop"]]["due_at"].to_native() == now + timedelta(days=1)


@pytest.mark.alone
async def test_what_the_services_refuse_is_named_by_its_line(world: World, tmp_path):
    before = await world.rows("MATCH (o:Organisation) RETURN count(o) AS number")
    for old, new, said in (
        (
            "content: Milk too",
            "content: ''",
            "12: nodes.milk: cannot be made: must not be empty (observations[1].content)",
        ),
        ("ttl: 9d}\n  live", "ttl: 1h}\n  live", "9: nodes.buy: cannot be made: the observation is expired"),
        ("{kitchen: write}", "{}", "11: nodes.tea: cannot be made: no such space (space)"),
        (
            "type: research",
            "type: research, owner: user",
            "9: nodes.buy: cannot be made: an action of type research can be owned by",
        ),
    ):
        with pytest.raises(FixtureError) as caught:
            await build_story(world, tmp_path, STORY.replace(old, new, 1))
        assert f"story.fixture.yaml:{said}" in caught.value.message
    # Half a story would look like a whole one to whoever comes next.
    assert await world.rows("MATCH (o:Organisation) RETURN count(o) AS number") == before


async def test_a_registry_entry_holds_in_the_fixture_only(world: World, tmp_path):
    changed = "registry:\n  scratch: {default_confidence: 0.25}\nnodes:"
    story = await build_story(world, tmp_path, STORY.replace("nodes:", changed, 1))
    nodes = await stored(world, story.org_id)
    assert nodes[story.keys.uids["milk"]]["confidence"] == 0.25
    assert world.services.catalog.scratch.default_confidence == 0.5

    with pytest.raises(FixtureError, match=r"9: registry\.scratch\.default_confidence: must be"):
        await build_story(world, tmp_path, STORY.replace("nodes:", changed.replace("0.25", "2"), 1))
    with pytest.raises(FixtureError, match=r"registry\.scribble: there is no such table"):
        await build_story(world, tmp_path, STORY.replace("nodes:", "registry: {scribble: {}}\nnodes:", 1))


async def test_an_organisation_is_told_once_and_cleared_whole(world: World, tmp_path):
    story = await build_story(world, tmp_path)
    with pytest.raises(Duplicate):
        await build_graph(world.services, story.file, story.org_key)
    assert await clear_organisation(world.services, story.org_key) > 30
    assert await stored(world, story.org_id) == {}
