"""The kit for Neo4j Browser: its queries on a real graph, and who may read its files."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator

import httpx
import pytest
from neo4j.graph import Node, Path

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.browser.links import lineage_query, queries
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.cortex.questions.record import (
    QuestionDraft,
    StoryDraft,
    UpsertQuestionStory,
)
from prefrontal.graph.errors import InvalidInput
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World
from tests.web.conftest import SECRET

NAMES = [
    "1_goal_lineage",
    "2_what_a_turn_saw",
    "3_newest_observations",
    "4_who_may_read",
    "5_history_of_a_goal",
    "6_unpublished_events",
]
GUIDE = "/browser-kit/guide.html"


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(world.services, tokens=Tokens(SECRET, world.services.settings, world.clock))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test") as client:
        yield client


async def tell(world: World) -> None:
    """Three levels of goals, each with evidence, a step and a question, and a turn that saw them."""
    caller = await world.caller()
    parent = None
    for level, priority in enumerate(("low", "medium", "critical")):
        (observation,) = await world.services.scratch.service.add(
            caller, [ObservationDraft(content=f"noticed {level}", tags=("shared", f"own {level}"))]
        )
        goal = await world.services.goals.service.create(
            caller,
            CreateGoal(
                title=f"goal {level}",
                priority=priority,
                parent_goal_id=parent,
                evidence=(EvidenceDraft(observation_id=observation.uid),),
                pending_actions=(PendingActionDraft(type="research", title=f"step {level}"),),
            ),
        )
        parent = goal.uid
        # The last one is not answered yet.
        draft = UpsertQuestionStory(
            question=QuestionDraft(text=f"asked {level}", goal_id=goal.uid),
            story=StoryDraft(narrative=f"told {level}") if level < 2 else None,
        )
        await world.services.questions.upsert.upsert(caller, draft)
    # Neither is its brother, nor what speaks for the brother.
    await world.services.goals.service.create(caller, CreateGoal(title="unrelated", priority="low"))
    await world.services.context.assemble(
        caller, AssembleContext(prompt="goal", budget=1_000, turn_id="turn_1")
    )


def drawn(value: object) -> set[Node]:
    """Every node that a value of a row draws."""
    if isinstance(value, Node):
        return {value}
    if isinstance(value, Path):
        return set(value.nodes)
    if isinstance(value, list):
        return set().union(*(drawn(item) for item in value))
    return set()


async def run(world: World, name: str) -> tuple[list[str], int]:
    """Names of the nodes that a query draws, and how many rows it has."""
    (text,) = [query.text for query in queries(world.org) if query.name == name]
    records, _, _ = await world.services.database.driver.execute_query(text)
    nodes = set().union(*(drawn(value) for record in records for value in record.values()))
    return sorted(node["name"] for node in nodes), len(records)


async def test_lineage_draws_three_levels_with_evidence_steps_questions_and_stories(world: World) -> None:
    await tell(world)
    names, _ = await run(world, "1_goal_lineage")
    assert names == [
        "asked 0", "asked 1", "asked 2", "goal 0", "goal 1", "goal 2", "noticed 0", "noticed 1", "noticed 2",
        "step 0", "step 1", "step 2", "told 0", "told 1",
    ]  # fmt: skip


@pytest.mark.alone
async def test_what_a_turn_saw(world: World) -> None:
    await tell(world)
    await world.services.jobs.run_once(world.services.jobs.named["link_included"])
    names, rows = await run(world, "2_what_a_turn_saw")
    assert names == [
        "asked 0", "asked 1", "asked 2", "goal 0", "goal 1", "goal 2", "noticed 0", "noticed 1", "noticed 2",
        "step 0", "step 1", "step 2", "told 0", "told 1", "turn_1", "unrelated",
    ]  # fmt: skip
    assert rows == 15


async def test_newest_observations_with_their_tags(world: World) -> None:
    await tell(world)
    names, rows = await run(world, "3_newest_observations")
    assert names == ["noticed 0", "noticed 1", "noticed 2", "own 0", "own 1", "own 2", "shared"]
    assert rows == 6


async def test_who_may_read(world: World) -> None:
    await tell(world)
    _, rows = await run(world, "4_who_may_read")
    assert rows == 2


async def test_history_of_the_newest_goal(world: World) -> None:
    await tell(world)
    names, rows = await run(world, "5_history_of_a_goal")
    assert len(names) == 2
    assert "unrelated" in names
    assert rows == 1


async def test_events_not_yet_published(world: World) -> None:
    await tell(world)
    (waiting,) = await world.rows("MATCH (n:Unsequenced {org_id: $org}) RETURN count(n) AS number")
    _, rows = await run(world, "6_unpublished_events")
    assert rows == waiting["number"] > 0


@pytest.mark.parametrize("name", NAMES)
async def test_a_query_shows_nothing_of_another_organisation(world: World, name: str) -> None:
    names, rows = await run(world, name)
    assert (names, rows) == ([], 0)


def test_a_query_names_its_organisation_once() -> None:
    assert [query.name for query in queries()] == NAMES
    for query in queries("acme"):
        assert query.text.count("'acme'") == 1
        assert "'demo'" not in query.text
        assert query.title
        assert query.description.endswith(".")
    assert lineage_query("acme") == queries("acme")[0].text


@pytest.mark.parametrize("key", ["", "it's", "a'}) DETACH DELETE (n", "a b"])
def test_an_organisation_that_could_end_the_text_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput):
        lineage_query(key)


async def test_the_guide_has_a_slide_for_every_query(http: httpx.AsyncClient) -> None:
    answer = await http.get(GUIDE, params={"org": "acme"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.text.startswith('<article class="guide">')
    code = [html.unescape(text) for text in re.findall(r"runnable\">(.*?)</pre>", answer.text, re.DOTALL)]
    assert code == [
        ":style http://test/browser-kit/style.grass",
        *(query.text for query in queries("acme")),
    ]
    assert "{{" not in answer.text


async def test_favorites_are_every_query(http: httpx.AsyncClient) -> None:
    text = (await http.get("/browser-kit/favorites.cypher")).text
    assert [part.strip() for part in text.split(";\n") if part.strip()] == [q.text for q in queries()]


async def test_only_neo4j_browser_may_read_the_kit(http: httpx.AsyncClient, world: World) -> None:
    port = world.services.settings.browser_port
    for path in (GUIDE, "/browser-kit/style.grass", "/browser-kit/favorites.cypher"):
        for host in ("127.0.0.1", "localhost"):
            origin = f"http://{host}:{port}"
            asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
            asked["Access-Control-Request-Headers"] = "cache-control,pragma"
            before = await http.options(path, headers=asked)
            assert (before.status_code, before.headers["access-control-allow-origin"]) == (200, origin)
            answer = await http.get(path, headers={"Origin": origin})
            assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)
        for origin in (f"http://127.0.0.1:{port + 1}", "http://evil.example", "null"):
            answer = await http.get(path, headers={"Origin": origin})
            assert "access-control-allow-origin" not in answer.headers
            assert (await http.options(path, headers=asked | {"Origin": origin})).status_code == 400


async def test_a_wrong_organisation_is_refused_by_the_kit(http: httpx.AsyncClient) -> None:
    for path in (GUIDE, "/browser-kit/favorites.cypher"):
        assert (await http.get(path, params={"org": "it's"})).status_code == 400
