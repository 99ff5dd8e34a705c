"""Every query starts at an index, and those that promise an order walk it."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.config.settings import ROOT, Settings
from prefrontal.graph.cortex.goals.record import CreateGoal, GoalDraft, ShareGoal
from prefrontal.graph.embedded import EmbeddedNeo4j
from prefrontal.graph.storage.queries import (
    Mode,
    Query,
    Returns,
    Scope,
    join_statements,
    load_queries,
    one_parameter,
)
from prefrontal.graph.storage.rows import to_parameters
from prefrontal.graph.text.encoder import HashEncoder
from prefrontal.graph.text.lucene import ordering_query
from tests.contract import plans_lock
from tests.contract.plans import ALLOWED, IN_ORDER, Plan, operator, operators, problems
from tests.contract.samples import SAMPLES, sample_params
from tests.fault.conftest import world_at
from tests.support.database import embedded, endpoint_of
from tests.support.profiling import hits
from tests.support.world import World

pytestmark = pytest.mark.slow

QUERIES = load_queries(ROOT / "cypher")

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
"""What `fill` makes was changed so many seconds later as its number says."""


async def explain(world: World, text: str, params: dict[str, Any]) -> Plan:
    # A plan is kept as long as the store stays alike: this one is made for the store as it is.
    text = one_parameter(text).replace("CYPHER 25", "CYPHER 25 replan=force")
    _, summary, _ = await world.services.database.driver.execute_query(
        "EXPLAIN " + text, to_parameters(params)
    )
    plan: Plan = summary.plan
    return plan


async def profile(world: World, query: Query, **params: Any) -> tuple[dict[str, Any], Plan]:
    records, summary, _ = await world.services.database.driver.execute_query(
        "PROFILE " + one_parameter(query.text), to_parameters(params)
    )
    plan: Plan = summary.profile
    return records[0].data(), plan


CALLER = QUERIES["access/find_caller"]
FOLLOWING = [q for q in QUERIES.values() if q.mode is Mode.READ and q.returns is Returns.ONE]


def texts_of(query: Query) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is sent for a query, with values: whole, without shares, and together with the caller's."""
    params = sample_params(query)
    yield query.text, params
    if query.text_without_blocks != query.text:
        yield query.text_without_blocks, params
    if query in FOLLOWING and not query.params & CALLER.params:
        columns = ("actors", "org_id", "registry_revision", "spaces", "stored")
        yield join_statements(CALLER.text, columns, query.text_without_blocks), params | sample_params(CALLER)


DIGESTS = {name: plans_lock.digest_of_statement(texts_of(query)) for name, query in QUERIES.items()}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MATCH (n) RETURN count(n.uid)", ["AllNodesScan n"]),
        ("MATCH (g:Goal) WHERE g.scope_id = 'x' AND g.status = 'y' RETURN g.uid", ["NodeByLabelScan g:Goal"]),
        ("MATCH ()-[r:EVIDENCES]->() RETURN r.note", ["DirectedRelationshipTypeScan ()-[r:EVIDENCES]->()"]),
        ("MATCH ()-[r:EVIDENCES]-() RETURN r.note", ["UndirectedRelationshipTypeScan ()-[r:EVIDENCES]-()"]),
        ("MATCH (g:Goal) WHERE g.uid IS NOT NULL RETURN g.title", ["NodeIndexScan RANGE INDEX g:Goal(uid)"]),
        (
            "MATCH (g:Goal {uid: 'x'})<-[:OF]-(v) MATCH (h:Goal {uid: 'y'})<-[:OF]-(w) RETURN count(*)",
            ["CartesianProduct of two sources"],
        ),
        (
            "MATCH (g:Goal {uid: 'x'}) MATCH (h:Goal {uid: 'y'})<-[:OF]-(w) RETURN count(*)",
            [],
        ),
        (
            "MATCH (g:Goal) WHERE g.uid IN ['a', 'b'] MATCH (h:Goal) WHERE h.uid IN ['c', 'd'] RETURN 1",
            ["CartesianProduct of two sources"],
        ),
        (
            "MATCH (o:Observation) WHERE o.status = 'active' AND o.expires_at > datetime() RETURN o.uid",
            ["NodeIndexSeek over all spaces, by status"],
        ),
    ],
)
async def test_a_plan_that_looks_at_too_much_is_found(world: World, text: str, found: list[str]) -> None:
    plan = await explain(world, "CYPHER 25 " + text, {})

    said = problems(plan, scoped=True)

    # Details go on in the planner's words.
    assert len(said) == len(found)
    assert [line[: len(want)] for line, want in zip(said, found, strict=True)] == found


LARGE = pytest.mark.nightly(
    "plans.lock.json has each statement whose plan was looked at, until its text changes"
)


@pytest.fixture
async def crowded(settings: Settings, server: EmbeddedNeo4j) -> AsyncIterator[World]:
    """A world on a server of these tests' own: filling it and making plans anew costs no other test."""
    async for world in world_at(settings, endpoint_of(server)):
        yield world


async def fill(world: World, space: str, number: int) -> None:
    """Many observations with one popular tag, and as many goals, in the space; ids rise with `i`."""
    await world.rows(
        "MERGE (t:Tag {scope_id: $space, key: 'tea'}) SET t.uid = 'tag_' + $space, t.org_id = $org "
        "WITH t UNWIND range(1, $number) AS i "
        "CREATE (o:Observation:Memory {uid: 'obs_' + $space + right('00000' + toString(i), 5), org_id: $org, "
        "scope_id: $space, status: 'active', content: 'c', tag_keys: ['tea'], confidence: 0.5, type: 't', "
        "source_turn_id: 'day', source_name: 'search', updated_at: $began + duration({seconds: i}), "
        "expires_at: $later}) "
        "CREATE (o)-[:TAGGED {tag_uid: t.uid, memory_uid: o.uid}]->(t) "
        "CREATE (:Goal {uid: 'goal_' + $space + right('00000' + toString(i), 5), org_id: $org, "
        "scope_id: $space, status: 'pending', priority_rank: 1 + i % 4, title: 't', "
        "updated_at: $began + duration({seconds: i})})",
        space=space,
        number=number,
        began=BEGAN,
        later=world.clock.now().replace(year=2999),
    )
    await settle(world)


async def settle(world: World) -> None:
    # Plans are made from samples of the indexes, which are taken beside, some time after the writes. Until
    # then a cursor may be left to a filter, and everything above it is read.
    await world.rows("CALL db.prepareForReplanning(60)")


async def test_a_query_starts_at_an_index_while_the_store_is_new_and_while_it_grows(
    world: World, settings: Settings, *, nightly: bool
) -> None:
    versions = await world.rows("CALL dbms.components() YIELD versions RETURN versions[0] AS version")
    neo4j = versions[0]["version"]
    names = sorted(QUERIES) if nightly else plans_lock.outdated(DIGESTS, neo4j)
    if not names:
        return
    wrong = []
    with embedded(settings, long_run=nightly) as server:
        async for crowded in world_at(settings, endpoint_of(server)):
            # A plan is chosen by how much there is, and stays for a while: it has to be a good one from the
            # start.
            for number in (0, 10, 3000) if nightly else (3000,):
                await fill(crowded, f"{crowded.org_id}{number}", number)
                for name in names:
                    wrong += await bad_plans(crowded, QUERIES[name])
    assert wrong == []
    if nightly:
        plans_lock.write(DIGESTS, neo4j)


async def bad_plans(world: World, query: Query) -> list[tuple[str, list[str], str]]:
    """The texts of a query whose plans look at too much, with the name and what is wrong."""
    wrong = []
    for text, params in texts_of(query):
        plan = await explain(world, text, params)
        said = problems(plan, scoped=query.scope is not Scope.SYSTEM)
        if said != ALLOWED.get(query.name, []):
            wrong.append((query.name, said, text))
        # In index order a LIMIT is a Limit; without it, it becomes a Top that has to see every match.
        if query.name in IN_ORDER and "Limit" not in map(operator, operators(plan)):
            wrong.append((query.name, ["sorts everything"], text))
    return wrong


def test_only_plans_of_queries_that_are_there_are_allowed_to_scan() -> None:
    assert ALLOWED.keys() <= QUERIES.keys()
    assert QUERIES.keys() >= IN_ORDER


def test_a_statement_that_changed_or_another_version_of_neo4j_is_planned_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans_lock, "PATH", tmp_path / "plans.lock.json")
    text = "MATCH (g) RETURN g LIMIT $most"
    statements = {"goals/list_goals": plans_lock.digest_of_statement([(text, {"most": 1})]), "b": "1"}
    assert plans_lock.outdated(statements, "2026.09.0") == ["b", "goals/list_goals"]

    plans_lock.write(statements, "2026.09.0")

    said = "MATCH (g)\n  // in another layout\n  RETURN g LIMIT $most"
    same, other = (plans_lock.digest_of_statement([(said, {"most": most})]) for most in (1, 2))
    assert plans_lock.outdated({**statements, "goals/list_goals": same}, "2026.09.0") == []
    assert plans_lock.outdated({**statements, "goals/list_goals": other}, "2026.09.0") == ["goals/list_goals"]
    assert plans_lock.outdated({**statements, "b": "2", "c": "1"}, "2026.09.0") == ["b", "c"]
    assert plans_lock.outdated(statements, "2026.10.0") == ["b", "goals/list_goals"]


def rows_read(plan: Plan) -> int:
    """How many rows the index seeks of the plan gave."""
    return sum(int(step["args"]["Rows"]) for step in operators(plan) if "Seek" in operator(step))


def called_rows(plan: Plan) -> int:
    """How many rows the procedures of the plan gave."""
    return sum(int(step["args"]["Rows"]) for step in operators(plan) if operator(step) == "ProcedureCall")


def near_rows(plan: Plan) -> int:
    """How many rows the searches of vectors gave."""
    return sum(
        int(step["args"]["Rows"]) for step in operators(plan) if operator(step) == "NodeVectorIndexSearch"
    )


def sorted_rows(plan: Plan) -> int:
    """How many rows went into a step that sorts."""
    return sum(
        int(step["children"][0]["args"]["Rows"])
        for step in operators(plan)
        if operator(step) in ("Top", "Sort", "PartialSort", "PartialTop")
    )


@LARGE
async def test_a_page_by_time_walks_the_index_and_stops_when_it_is_full(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    query = QUERIES["scratch/list_observations_by_time"]
    params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, "now": crowded.clock.now()}

    row, plan = await profile(crowded, query, **params)
    numbers = [int(item["uid"][-5:]) for item in row["items"]]
    deep, deep_plan = await profile(crowded, query, **{**params, "before": f"obs_{crowded.org_id}01000"})

    assert numbers == list(range(3000, 2979, -1))
    assert [int(item["uid"][-5:]) for item in deep["items"]] == list(range(999, 978, -1))
    for each in (plan, deep_plan):
        assert (rows_read(each), sorted_rows(each)) == (21, 21)


@LARGE
@pytest.mark.covers("OPS-46")
async def test_a_page_of_a_popular_entity_walks_the_index_and_stops_when_it_is_full(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    await crowded.rows(
        "CREATE (e:Entity {uid: 'ent_' + $org, org_id: $org, key: 'ann', scope_id: $org}) WITH e "
        "MATCH (o:Observation {org_id: $org}) SET o.entity_uids = [e.uid] "
        "CREATE (o)-[:MENTIONS {scope_id: $org, entity_uid: e.uid, from_uid: o.uid, count: 1}]->(e) "
        # Of another space: never looked at.
        "CREATE (:Memory)-[:MENTIONS {scope_id: 'else', entity_uid: e.uid, from_uid: o.uid, count: 1}]->(e)"
    )
    query = QUERIES["scratch/list_observations_by_entities"]
    params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, "now": crowded.clock.now()}
    params |= {"entity_uids": [f"ent_{crowded.org_id}"], "tag_keys": [], "without": []}

    row, plan = await profile(crowded, query, **params)
    deep, deep_plan = await profile(crowded, query, **{**params, "before": f"obs_{crowded.org_id}01000"})

    assert [int(item["uid"][-5:]) for item in row["items"]] == list(range(3000, 2979, -1))
    assert [int(item["uid"][-5:]) for item in deep["items"]] == list(range(999, 978, -1))
    for each in (plan, deep_plan):
        # One row more: the entity itself.
        assert (rows_read(each), sorted_rows(each)) == (22, 22)


@LARGE
async def test_a_page_of_names_walks_the_index_and_stops_when_it_is_full(crowded: World) -> None:
    # The number of a name says its place; each is mentioned by one memory.
    await crowded.rows(
        "UNWIND range(1, 3000) AS i WITH i, right('00000' + toString(i), 5) AS key "
        "CREATE (e:Entity {uid: 'ent_' + $org + key, org_id: $org, key: key, scope_id: $org}) "
        "CREATE (:Name {uid: 'name_' + $org + key, org_id: $org, scope_id: $org, key: key, name: key, "
        "entity_uid: e.uid, created_at: $now})-[:SPELLS]->(e) "
        "CREATE (:Memory)-[:MENTIONS {scope_id: $org, entity_uid: e.uid, from_uid: 'x', count: 1}]->(e)",
        now=crowded.clock.now(),
    )
    await settle(crowded)
    query = QUERIES["entities/list_entities"]
    params = {
        **sample_params(query),
        "readable": [crowded.org_id],
        "limit": 21,
        "prefix": "",
        "prefix_end": "~",
    }

    row, plan = await profile(crowded, query, **params)
    deep, deep_plan = await profile(crowded, query, **{**params, "after_key": "01000"})

    assert [int(item["key"]) for item in row["items"]] == list(range(1, 22))
    assert [int(item["key"]) for item in deep["items"]] == list(range(1001, 1022))
    for each in (plan, deep_plan):
        # Each name and the mention that keeps it visible.
        assert rows_read(each) == 2 * 21


@LARGE
async def test_names_in_a_question_are_sought_without_a_look_at_the_others(crowded: World) -> None:
    await crowded.rows(
        "UNWIND range(1, 3000) AS i CREATE (:Name {uid: 'name_' + $org + toString(i), org_id: $org, "
        "scope_id: $org, key: 'ann ' + toString(i), name: 'x', entity_uid: 'ent_' + toString(i), "
        "created_at: $now})",
        now=crowded.clock.now(),
    )
    await settle(crowded)
    query = QUERIES["search/find_names"]
    keys = ["ann", "ann 7", "ann 77", "7", "77"]

    row, plan = await profile(
        crowded, query, readable=[crowded.org_id, "else"], org_id=crowded.org_id, keys=keys
    )

    assert sorted(row["items"], key=lambda item: item["key"]) == [
        {"key": f"ann {number}", "entity_uid": f"ent_{number}"} for number in (7, 77)
    ]
    assert rows_read(plan) == 2


@LARGE
async def test_a_text_of_popular_words_looks_at_the_best_hits_only(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    await crowded.rows(
        "MATCH (o:Observation {org_id: $org}) SET o.searchable_in = o.scope_id, o.content = 'tea c'"
    )
    query = QUERIES["scratch/rank_observations_by_text"]
    params = {**sample_params(query), "readable": [crowded.org_id], "now": crowded.clock.now()}
    params |= {"goal_id": None, "goal_key": None, "tag_keys": [], "look": 50, "most": 10, "longest": 100}
    params["search"] = ordering_query("tea", [crowded.org_id], 8)

    row, plan = await profile(crowded, query, **params)
    _, filtered = await profile(crowded, query, **{**params, "types": ["none"]})

    assert len(row["items"]) == 10
    assert [called_rows(each) for each in (plan, filtered)] == [50, 50]


@LARGE
async def test_a_search_looks_at_the_best_hits_of_each_index_only(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    encoder = HashEncoder()
    vector = [0.5] * encoder.dimensions
    # All of them are as near as any, have the word, and mention the name.
    await crowded.rows(
        "MERGE (slots:Embedding {name: 'memory'}) SET slots.serving = 'a', slots.a = $encoder "
        "CREATE (e:Entity {uid: 'ent_' + $org, org_id: $org, key: 'ann', scope_id: $org}) WITH e "
        "MATCH (o:Observation {org_id: $org}) "
        "SET o.searchable_in = o.scope_id, o.content = 'tea c', o.kind = 'observation', "
        "o.created_at = o.updated_at, o.embedding_a = $vector, o.embedded_a = $encoder "
        "CREATE (o)-[:MENTIONS {scope_id: $org, entity_uid: e.uid, from_uid: o.uid, count: 1}]->(e)",
        vector=vector,
        encoder=encoder.name,
    )
    await settle(crowded)
    query = QUERIES["search/search_memory"]
    params = {
        **sample_params(query),
        "readable": [crowded.org_id],
        "org_id": crowded.org_id,
        "now": crowded.clock.now(),
    }
    params |= {"kinds": ["observation"], "vector": vector, "speech": vector, "encoder": encoder.name}
    spaces = [crowded.org_id]
    kinds = (["observation"], ["observation_passage"])
    params |= {"looks": [{"kinds": each, "sorts": [each], "spoken": False} for each in kinds]}
    params |= {"groups": [{"spaces": spaces, "text": ordering_query("tea", spaces, 8)}]}
    params |= {"entity_uids": [f"ent_{crowded.org_id}"]}
    params |= {"near": 30, "near_together": 30, "enough": 8}
    params |= {"look": 50, "pool": 20, "hub": 40, "tags": ["tea"], "about": []}

    row, plan = await profile(
        crowded, replace(query, text=query.text_without_blocks), **params | {"filtered": []}
    )
    filtered, filtered_plan = await profile(crowded, query, **params)
    none, none_plan = await profile(crowded, query, **params | {"tags": ["none"]})
    few, _ = await profile(
        crowded, replace(query, text=query.text_without_blocks), **params | {"filtered": [], "keep": 10}
    )

    newest = [f"obs_{crowded.org_id}{number:05}" for number in range(3000, 2980, -1)]
    for found in (row, filtered):
        assert set(newest) <= {item["uid"] for item in found["items"]}
        assert 20 <= len(found["items"]) <= 60
    assert none["items"] == []
    assert len(few["items"]) == 10
    for each in (plan, filtered_plan, none_plan):
        # The 40 mentions beside the node that says which vectors serve.
        assert (near_rows(each), called_rows(each), rows_read(each)) == (30, 50, 41)
    # Spaces that others push out of the nearest have a look of their own; those that have enough there none.
    shared, few, own = (f"{crowded.org_id}-{name}" for name in ("shared", "few", "own"))
    other = [0.5] * (encoder.dimensions - 1) + [0.0]
    await crowded.rows(
        "MATCH (o:Observation {org_id: $org}) WITH o ORDER BY o.uid WITH collect(o) AS every "
        "UNWIND range(0, size(every) - 1) AS n "
        "WITH every[n] AS o, CASE WHEN n < 8 THEN [$own, $other] WHEN n < 32 THEN [$few, $vector] "
        "ELSE [$shared, $vector] END AS new "
        "SET o.scope_id = new[0], o.searchable_in = new[0], o.embedding_a = new[1]",
        own=own,
        few=few,
        shared=shared,
        other=other,
        vector=vector,
    )
    await settle(crowded)
    params |= {"own": [own], "filtered": [], "entity_uids": [], "keep": 60, "near": 16, "near_together": 32}
    reduced = replace(query, text=query.text_without_blocks)
    for others, rows in ((shared, 32 + 8), (few, 32)):
        readable = [own, others]
        groups = [{"spaces": [each], "text": ""} for each in readable]
        found, plan = await profile(crowded, reduced, **params | {"readable": readable, "groups": groups})

        assert Counter(item["scope_id"] for item in found["items"]) == {own: 8, others: 20}
        assert near_rows(plan) == rows


@LARGE
async def test_a_search_of_goals_looks_at_the_best_hits_of_each_index_only(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    encoder = HashEncoder()
    vector = [0.5] * encoder.dimensions
    await crowded.rows(
        "MERGE (slots:Embedding {name: 'memory'}) SET slots.serving = 'a', slots.a = $encoder WITH slots "
        "MATCH (g:Goal {org_id: $org}) SET g.searchable_in = g.scope_id, g.kind = 'goal', g.content = 'tea', "
        "g.terms = 'tea', g.created_at = g.updated_at, g.embedding_a = $vector, g.embedded_a = $encoder",
        vector=vector,
        encoder=encoder.name,
    )
    await settle(crowded)
    query = QUERIES["search/search_plans"]
    params = {**sample_params(query), "readable": [crowded.org_id], "org_id": crowded.org_id, "grantees": []}
    params |= {"kinds": ["goal"], "vector": vector, "encoder": encoder.name}
    spaces = [crowded.org_id]
    params |= {"groups": [{"spaces": spaces, "text": ordering_query("tea", spaces, 8)}]}
    params |= {"near": 30, "look": 50, "pool": 20, "tags": []}
    query = replace(query, text=query.text_for(params))

    row, plan = await profile(crowded, query, **params)
    none, none_plan = await profile(crowded, query, **params | {"tags": ["none"]})

    assert 20 <= len(row["items"]) <= 40
    assert [item["cosine"] for item in row["items"]] == pytest.approx([1.0] * len(row["items"]), abs=1e-4)
    assert none["items"] == []
    for each in (plan, none_plan):
        # One row more: the node that says which vectors serve.
        assert (near_rows(each), called_rows(each), rows_read(each)) == (30, 50, 1)


@LARGE
async def test_a_page_of_a_popular_tag_walks_the_index_and_stops_when_it_is_full(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    query = QUERIES["scratch/list_observations_by_tags"]
    params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, "now": crowded.clock.now()}
    params["tag_keys"] = ["tea"]

    row, plan = await profile(crowded, query, **params)
    deep, deep_plan = await profile(crowded, query, **{**params, "before": f"obs_{crowded.org_id}01000"})

    assert [int(item["uid"][-5:]) for item in row["items"]] == list(range(3000, 2979, -1))
    assert [int(item["uid"][-5:]) for item in deep["items"]] == list(range(999, 978, -1))
    for each in (plan, deep_plan):
        # One row more: the tag itself.
        assert (rows_read(each), sorted_rows(each)) == (22, 22)


@LARGE
async def test_the_goals_of_a_popular_topic_are_walked_and_left_early(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    await crowded.rows(
        "CREATE (t:Topic {uid: 'topic_' + $org, org_id: $org, scope_id: $org, key: 'tea'}) WITH t "
        "MATCH (n:Observation|Goal {org_id: $org}) "
        "CREATE (n)-[:ON {scope_id: $org, topic_uid: t.uid, from_uid: n.uid}]->(t)"
    )
    await crowded.rows("MATCH (g:Goal {org_id: $org}) SET g.goal_type = 'chore'")
    await settle(crowded)
    query = QUERIES["goals/list_related"]
    params = {**sample_params(query), "readable": [crowded.org_id], "most": 21, "uids": [], "types": []}
    params |= {"statuses": ["pending", "blocked"], "topics": [{"scope_id": crowded.org_id, "key": "tea"}]}

    row, plan = await profile(crowded, query, **params)
    typed = {"topics": [], "types": [{"scope_id": crowded.org_id, "key": "chore"}]}
    by_type, typed_plan = await profile(crowded, query, **params | typed)

    numbers = sorted(int(item["uid"][-5:]) for item in row["active"])
    assert numbers == list(range(2980, 3001))
    # One row more: the topic itself. Its 3,000 observations are not read.
    assert (rows_read(plan), sorted_rows(plan)) == (22, 0)
    assert [int(item["uid"][-5:]) for item in by_type["active"]] == [1]
    assert (rows_read(typed_plan), sorted_rows(typed_plan)) == (1, 0)


@LARGE
@pytest.mark.parametrize(
    # Also the node that says where the vectors are.
    ("name", "looked_at"),
    [("scratch/create_observations", 22), ("scratch/end_conflicts", 23)],
)
async def test_what_has_a_popular_frame_is_not_all_read(crowded: World, name: str, looked_at: int) -> None:
    await fill(crowded, crowded.org_id, 3000)
    await crowded.rows("MATCH (o:Observation {org_id: $org}) SET o.frame_key = 'budget'")
    uid = f"obs_{crowded.org_id}03000"
    rows = [{"uid": uid, "frame_key": "budget"}]
    params = {
        **sample_params(QUERIES[name]),
        "frames": [{"scope_id": crowded.org_id, "key": "budget"}],
        "near": [],
        "rows": rows if name == "scratch/end_conflicts" else [],
        "uids": [uid],
        "tags": [],
        "topics": [],
        "writable": [crowded.org_id],
        "most": 20,
        "now": crowded.clock.now(),
    }

    _, plan = await profile(crowded, QUERIES[name], **{key: params[key] for key in QUERIES[name].params})

    assert (rows_read(plan), sorted_rows(plan)) == (looked_at, 0)


@LARGE
async def test_a_page_of_goals_walks_the_index_and_stops_when_it_is_full(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    query = QUERIES["goals/list_goals"]
    params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, "statuses": ["pending"]}
    query = replace(query, text=query.text_for(params))

    row, plan = await profile(crowded, query, **params)
    last = row["items"][-1]
    deep, deep_plan = await profile(
        crowded, query, **{**params, "before_rank": 3, "before_uid": f"goal_{crowded.org_id}00014"}
    )

    # Rank 4 has every i with i % 4 = 3, newest first.
    assert [int(item["uid"][-5:]) for item in row["items"]] == list(range(2999, 2915, -4))
    assert last["priority_rank"] == 4
    assert (rows_read(plan), sorted_rows(plan)) == (21, 21)
    # The rest of rank 3, then rank 2 from its newest: the cursor's rank is not walked again from its top.
    assert [int(item["uid"][-5:]) for item in deep["items"]] == [10, 6, 2, *range(2997, 2925, -4)]
    assert (rows_read(deep_plan), sorted_rows(deep_plan)) == (3 + 21, 3 + 21)


@LARGE
@pytest.mark.covers("GOAL-17")
async def test_own_goals_are_found_without_those_of_others(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    await crowded.rows(
        "MATCH (g:Goal) WHERE g.scope_id = $org SET g.by_uid = CASE WHEN g.uid ENDS WITH '77' THEN 'agent' "
        "ELSE 'another' END, g.person_id = CASE WHEN g.uid ENDS WITH '88' THEN 'person' ELSE 'nobody' END"
    )
    await settle(crowded)
    query = QUERIES["goals/list_own_goals"]
    params = {**sample_params(query), "readable": [crowded.org_id], "grantees": [], "limit": 20}
    params |= {"statuses": ["pending"], "actors": ["agent", "person"]}
    query = replace(query, text=query.text_for(params))

    row, plan = await profile(crowded, query, **params)

    # Rank 2 has every i with i % 4 = 1, which are those that end in 77; rank 1 those that end in 88.
    assert [int(item["uid"][-5:]) for item in row["items"]] == list(range(2977, 1076, -100))
    # The first 20 of 30 of each.
    assert (rows_read(plan), sorted_rows(plan)) == (20 + 20, 20 + 20)


@LARGE
@pytest.mark.covers("TURN-51")
async def test_an_erasure_looks_at_what_is_about_the_person_alone(crowded: World) -> None:
    home, org = f"{crowded.org_id}-home", crowded.org_id
    for space in (home, f"{org}-other"):
        await crowded.rows(
            "CREATE (:Space {uid: $space, org_id: $org, key: $space, scope_id: $space})", space=space
        )
    await fill(crowded, f"{org}-other", 3000)
    await crowded.rows(
        "MATCH (n:Goal|Observation {scope_id: $org + '-other'}) "
        "WITH n, toInteger(right(n.uid, 5)) AS i "
        "SET n.by_uid = CASE i WHEN 7 THEN $ann ELSE 'bot' END, "
        "n.user_id = CASE i % 100 WHEN 0 THEN 'Ann' END, "
        "n.person_id = CASE WHEN n:Goal AND i = 9 THEN $ann END",
        ann=f"{org}-ann",
    )
    await fill(crowded, home, 10)
    await crowded.rows("MATCH (n:Goal|Observation {scope_id: $home}) SET n.by_uid = 'bot'", home=home)
    await settle(crowded)
    query = QUERIES["erasure/find_data"]
    params = {"org_id": org, "person_id": f"{org}-ann", "home_id": home, "common": org}

    row, plan = await profile(crowded, query, **params, spellings=["Ann"], names=["ann"])

    # In its space ten of each and a tag; elsewhere one of each that it wrote, a goal for it, and 30 of each
    # that name it.
    assert len(row["refs"]) == 21 + 2 + 1 + 60
    # Besides, the spaces of the organisation.
    spaces = await crowded.rows("MATCH (s:Space {org_id: $org}) RETURN s.uid")
    assert rows_read(plan) == 21 + 2 + 1 + 60 + len(spaces)


@LARGE
async def test_a_page_of_memories_walks_the_index_and_stops_when_it_is_full(crowded: World) -> None:
    await crowded.rows(
        "UNWIND range(1, 3000) AS i CREATE (m:Memory:Remembered:Fact {org_id: $org, scope_id: $org, "
        "uid: 'fact_' + $org + right('00000' + toString(i), 5), kind: 'fact', live: i % 3 > 0, "
        "status: CASE WHEN i % 3 > 0 THEN 'active' ELSE 'forgotten' END, content: 'c', essential: false, "
        "tags: [], derived_from: [], text_key: toString(i)})"
    )
    await settle(crowded)
    query = QUERIES["memory/list_memories"]
    params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, "live": [True]}

    row, plan = await profile(crowded, query, **params)
    kinds = [{"name": "fact", "before": f"fact_{crowded.org_id}01000"}]
    deep, deep_plan = await profile(crowded, query, **params | {"kinds": kinds})

    for found, newest in ((row, 3000), (deep, 999)):
        numbers = [number for number in range(newest, newest - 40, -1) if number % 3]
        assert [int(item["uid"][-5:]) for item in found["items"]] == numbers[:21]
    assert [rows_read(each) for each in (plan, deep_plan)] == [21, 21]


@LARGE
async def test_pages_of_a_turn_of_a_source_and_by_change_walk_their_index_and_stop(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    observation, goal = f"obs_{crowded.org_id}", f"goal_{crowded.org_id}"
    end, middle = BEGAN + timedelta(days=1), BEGAN + timedelta(seconds=1000)
    nothing = {"client_key": None, "turn_key": None, "source_name": None}
    by_source = "scratch/list_observations_by_source"
    for name, given, deeper in (
        (by_source, {"by_turn_key": "day", "by_source_name": None}, {"before": f"{observation}01000"}),
        (by_source, {"by_source_name": "search"}, {"before": f"{observation}01000"}),
        ("scratch/list_observations_by_tags", {"any_tag_keys": ["tea"]}, {"before": f"{observation}01000"}),
        (
            "scratch/list_observations_by_update",
            {"before_at": end},
            {"before_at": middle, "before": f"{observation}01000"},
        ),
        (
            "goals/list_goals_by_time",
            {"before_at": None, "created_before": "goal_~"},
            {"created_before": f"{goal}01000"},
        ),
        (
            "goals/list_goals_by_time",
            {"before_at": end, "created_before": ""},
            {"before_at": middle, "before_uid": f"{goal}01000"},
        ),
    ):
        query = QUERIES[name]
        params = {**sample_params(query), **nothing, "readable": [crowded.org_id], "limit": 21}
        params |= {"now": crowded.clock.now(), "statuses": ["pending"], "grantees": [], "without": []}
        params |= {"tag_keys": [], "goal_id": None, "goal_key": None, **given}

        row, plan = await profile(crowded, query, **params)
        deep, deep_plan = await profile(crowded, query, **params | deeper)

        assert [int(item["uid"][-5:]) for item in row["items"]] == list(range(3000, 2979, -1)), name
        assert [int(item["uid"][-5:]) for item in deep["items"]] == list(range(999, 978, -1)), name
        # One row more: the tag itself.
        read = 22 if "tags" in name else 21
        assert [rows_read(each) for each in (plan, deep_plan)] == [read, read], name


@LARGE
async def test_what_was_added_in_a_time_is_found_and_counted_without_the_rest(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    span = {"since_uid": f"obs_{crowded.org_id}01000", "before": f"obs_{crowded.org_id}01011"}
    for way, more in (("time", 0), ("tags", 1)):
        for verb in ("list", "count"):
            query = QUERIES[f"scratch/{verb}_observations_by_{way}"]
            params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, **span}
            params |= {"now": crowded.clock.now(), "tag_keys": ["tea"], "without": []}

            row, plan = await profile(crowded, query, **params)

            assert (row["total"] if verb == "count" else len(row["items"])) == 10
            assert rows_read(plan) == 10 + more, (verb, way)


@LARGE
async def test_the_candidates_of_a_context_stop_at_their_limits(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 3000)
    query = QUERIES["context/read_candidates"]
    params = {
        **sample_params(query),
        "readable": [crowded.org_id],
        "org_id": crowded.org_id,
        "now": crowded.clock.now(),
    }
    params |= {"searches": [], "own": [crowded.org_id], "counted": 7}

    row, plan = await profile(crowded, query, **params)

    assert [int(item["uid"][-5:]) for item in row["recent_items"]] == [3000, 2999, 2998, 2997, 2996]
    assert [int(item["uid"][-5:]) for item in row["goal_items"]] == [2999, 2995, 2991, 2987, 2983]
    # The count of the goals stops too.
    assert row["goal_total"] == 7
    assert rows_read(plan) == SAMPLES["recent"] + SAMPLES["goals"] + 7


@LARGE
async def test_a_page_without_the_whole_order_is_found_to_sort_everything(crowded: World) -> None:
    await fill(crowded, crowded.org_id, 300)
    query = QUERIES["scratch/list_observations_by_time"]
    worse = query.text.replace("o.scope_id DESC, o.status DESC, o.uid DESC", "o.uid DESC")
    params = {**sample_params(query), "readable": [crowded.org_id], "limit": 21, "now": crowded.clock.now()}

    _, summary, _ = await crowded.services.database.driver.execute_query("PROFILE " + worse, params)

    assert rows_read(summary.profile) == 300
    assert sorted_rows(summary.profile) == 321


@LARGE
@pytest.mark.covers("ACT-32")
@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("actions/list_pending_actions_by_utility", "sort_key"),
        ("actions/list_pending_actions_by_due", "due_key"),
    ],
)
async def test_a_page_of_actions_walks_its_order_and_stops_when_it_is_full(
    crowded: World, name: str, key: str
) -> None:
    await crowded.rows(
        "UNWIND range(1, 3000) AS i CREATE (:PendingAction {uid: 'act_' + $org + toString(i), org_id: $org, "
        "scope_id: $org, open: i % 3 > 0, owner: 'agent', status: 'pending', type: 't', title: toString(i), "
        "sort_key: right('0000' + toString(i), 4), due_key: right('0000' + toString(i), 4)})"
    )
    await settle(crowded)
    query = QUERIES[name]
    params = {**sample_params(query), "readable": [crowded.org_id], "owners": ["agent"], "limit": 21}
    params |= {"types": None, "statuses": None, "blocking": None, "open": [True]}
    params |= {"due_after": None, "due_before": None}

    row, plan = await profile(crowded, query, **params)
    deep, deep_plan = await profile(crowded, query, **{**params, "after_key": "1000"})

    wanted = [i for i in range(1, 3001) if i % 3]
    assert [int(item["title"]) for item in row["items"]] == wanted[:21]
    assert [int(item["title"]) for item in deep["items"]] == [i for i in wanted if i > 1000][:21]
    for each in (plan, deep_plan):
        assert (rows_read(each), sorted_rows(each)) == (21, 21)


@LARGE
@pytest.mark.covers("ACT-30", "ACT-32")
async def test_the_best_actions_are_ranked_without_a_look_at_the_others(crowded: World) -> None:
    await crowded.rows(
        "CREATE (low:Goal {uid: 'goal_l' + $org, org_id: $org, scope_id: $org, status: 'pending', "
        "priority_rank: 1, progress: 0.0}) "
        "CREATE (high:Goal {uid: 'goal_h' + $org, org_id: $org, scope_id: $org, status: 'pending', "
        "priority_rank: 4, progress: 0.0}) "
        "WITH low, high UNWIND range(1, 3000) AS i "
        "WITH low, high, i, 'act_' + right('0000' + toString(i), 4) AS uid "
        "CREATE (a:PendingAction {uid: $org + uid, org_id: $org, scope_id: $org, open: true, owner: 'agent', "
        "title: toString(i), sort_key: 'same ' + $org + uid, due_key: uid}) "
        "WITH a, CASE WHEN i % 2 = 0 THEN high ELSE low END AS goal CREATE (a)-[:ADVANCES]->(goal)"
    )
    await settle(crowded)
    query = QUERIES["actions/rank_pending_actions"]
    params = {**sample_params(query), "readable": [crowded.org_id], "owners": ["agent"], "limit": 21}
    params |= {"statuses": None, "due_after": None, "due_before": None}

    row, plan = await profile(crowded, query, **params)

    assert [int(item["action"]["title"]) for item in row["items"]] == list(range(2, 44, 2))
    assert (row["full"], row["last"]) == (True, f"same {crowded.org_id}act_0200")
    # The best 200 are sorted twice: those of several spaces into one order, and by their goals.
    assert (rows_read(plan), sorted_rows(plan)) == (200, 400)


@LARGE
@pytest.mark.parametrize(
    "name",
    [
        "goals/find_goals",
        "goals/lock_goals",
        "goals/list_links",
        "goals/list_evidence",
        "goals/list_children",
        "goals/list_origins",
        "goals/find_parents",
        "actions/list_actions_of_goals",
        "goals/trace_lineage",
        "actions/list_pending_actions_by_goal",
    ],
)
async def test_shares_cost_nothing_where_the_space_is_readable(crowded: World, name: str) -> None:
    # On the server of these tests: what others store while it runs would change what a plan looks up.
    world = crowded
    caller = await world.caller()
    uids: list[str] = []
    for _ in range(5):
        draft = GoalDraft(title="t", parent_goal_id=uids[-1] if uids else None)
        uids.append((await world.services.goals.service.create(caller, CreateGoal(**dict(draft)))).uid)
    given: dict[str, Any] = {"uids": uids, "goal_ids": uids, "uid": uids[-1], "readable": [caller.home]}
    given["pages"] = [{"number": number, "uid": uid, "after": None} for number, uid in enumerate(uids)]
    query = QUERIES[name]

    async def cost(grantees: list[str]) -> int:
        _, plan = await profile(world, query, **{**sample_params(query), **given, "grantees": grantees})
        return hits(plan)

    actor = (ActorKind.AGENT, "bot")
    await world.services.goals.sharing.share(
        caller,
        ShareGoal(goal_id=uids[0], actor=Actor(kind=actor[0], key=actor[1]), permission=SpacePermission.READ),
    )
    # A plan from before a property was first stored looks its name up when it first runs, and there is a
    # plan for each type of the list: an empty one has no type of its own.
    for grantees in ([], caller.grantees):
        await cost(grantees)
    assert await cost(caller.grantees) == await cost([]) > 5
