"""The kit for Neo4j Browser: its queries on a real graph, who may read its files, and its signed guides."""

from __future__ import annotations

import html
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from neo4j import READ_ACCESS, AsyncDriver
from neo4j.graph import Node, Path, Relationship

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.browser.guides import GUIDES, Subject, guide
from prefrontal.api.browser.links import DEMO, QUERIES, browser_endpoint, lineage_query, query
from prefrontal.api.browser.signed import LIFETIME, GuideLinks
from prefrontal.api.demo.load import tell_story
from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, Principal, SpacePermission
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import InvalidInput, Unauthenticated
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.storage.schema_of_nodes import declared_schema, node_classes
from scripts import export_graph
from tests.support.world import World
from tests.web.conftest import SECRET

NAMES = sorted(name for each in GUIDES for name in each.queries)
PAGES = [f"/browser-kit/{each.name}.html" for each in GUIDES]
GUIDE = "/browser-kit/guide.html"
HOSTILE = "</h3><script>alert(1)</script><a exec-topic='clear'>x</a> {{slides}} {{org}} \" onclick=\"x"
AGAIN = "press “Open in Neo4j Browser” in the workbench again"
ASKS = "query ($id: ID!) { browserLink(id: $id) { url guideUrl expiresAt } }"


@pytest.fixture
async def http(world: World) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(world) as client:
        yield client


def serving(world: World) -> httpx.AsyncClient:
    app = create_app(world.services, tokens=Tokens(SECRET, world.services.settings, world.clock))
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://test")


async def link_of(
    world: World, http: httpx.AsyncClient, uid: str, agent: str = "bot"
) -> dict[str, str] | None:
    """What `browserLink` answers."""
    tokens = Tokens(SECRET, world.services.settings, world.clock)
    token, _ = tokens.issue(world.principal(agent), timedelta(hours=1))
    body = {"query": ASKS, "variables": {"id": uid}}
    answer = await http.post("/graphql", json=body, headers={"Authorization": f"Bearer {token}"})
    assert "errors" not in answer.json(), answer.text
    return answer.json()["data"]["browserLink"]


def drawn(value: object) -> set[Node | Relationship]:
    """Every node and relationship that a value of a row draws."""
    if isinstance(value, Node | Relationship):
        return {value}
    if isinstance(value, Path):
        return {*value.nodes, *value.relationships}
    if isinstance(value, list):
        return set().union(*(drawn(item) for item in value))
    return set()


async def run(driver: AsyncDriver, text: str) -> tuple[Counter[str], Counter[str], list[dict[str, object]]]:
    """The labels of the nodes and the types of the relationships that a query draws, and its rows.

    In a session that may only read.
    """
    async with driver.session(default_access_mode=READ_ACCESS) as session:
        result = await session.run(f"CYPHER 25 {text}")
        records = [record async for record in result]
    things = set().union(*(drawn(value) for record in records for value in record.values()))
    nodes = [each for each in things if isinstance(each, Node)]
    return (
        Counter(min(label for label in node.labels if label != "Memory") for node in nodes),
        Counter(each.type for each in things if isinstance(each, Relationship)),
        [dict(record) for record in records],
    )


def counted(**numbers: int) -> Counter[str]:
    return Counter(numbers)


DRAWN = {
    "goals": (counted(Goal=7), counted(CHILD_OF=6, DERIVED_FROM=3)),
    "newest_observations": (counted(Observation=24, Tag=14), counted(TAGGED=52)),
    "goal_lineage": (
        counted(Goal=5, Observation=13, PendingAction=6, Question=1, Story=1),
        counted(CHILD_OF=4, DERIVED_FROM=2, EVIDENCES=18, ADVANCES=6, ABOUT=1, ANSWERS=1),
    ),
    "goal_part_of": (counted(Goal=5, Observation=13), counted(CHILD_OF=4, DERIVED_FROM=2, EVIDENCES=15)),
    "goal_evidence": (counted(Goal=1, Observation=4, Entity=3), counted(EVIDENCES=4, MENTIONS=3)),
    "goal_turns": (counted(Goal=1, Turn=2), counted(MADE=2)),
    "turn_made": (
        counted(
            Turn=1,
            Goal=2,
            Question=2,
            Story=1,
            PendingAction=2,
            Observation=4,
            Episode=5,
            Lesson=3,
            Message=2,
        ),
        counted(MADE=21),
    ),
    "lessons": (
        counted(Lesson=3, Outcome=1, Turn=1, ToolInvocation=2),
        counted(TAUGHT=3, RESULTED_IN=1, INVOKED=2),
    ),
    "tool_failures": (counted(ToolInvocation=1, Turn=1, Goal=1), counted(INVOKED=1, ADVANCES=1)),
    "entities": (counted(Entity=10, Observation=28, Episode=1, Message=1), counted(MENTIONS=37)),
    "topics": (counted(Goal=6, Topic=12, Observation=32), counted(ON=68)),
    "sessions": (
        counted(Session=3, Fragment=1, Observation=4, Goal=1),
        counted(HOLDS=10, WORKED_ON=2, CORRELATES_WITH=1),
    ),
    "who_may_read": (counted(Actor=3, Space=4), counted(MAY=6)),
    "blocked_actions": (
        counted(PendingAction=2, Goal=1, RegistryProposal=1),
        counted(ADVANCES=2, AWAITS=1),
    ),
    # The story has nothing of these that is wrong.
    "goals_without_evidence": (counted(), counted()),
    "contradictions": (counted(), counted()),
    "expired_evidence": (counted(), counted()),
}
"""What each picture of the guides draws of the demo; what the context of a turn chose is counted there."""

TABLES = {"kinds": 6, "goal_history": 2, "turn_receipts": 1, "lesson_support": 3}
"""The rows of the tables."""


@pytest.mark.alone
@pytest.mark.nightly("test_a_query_shows_nothing_of_another_organisation runs each of them")
async def test_every_query_of_the_guides_draws_the_demo(world: World) -> None:
    key = f"{world.org}-story"
    await tell_story(world.services, key)
    jobs = world.services.jobs
    await jobs.run_once(jobs.named["link_included"])
    driver = world.services.database.driver
    found = {name: await run(driver, query(name, key).text) for name in NAMES}

    assert {name: (nodes, edges) for name, (nodes, edges, _) in found.items() if name in DRAWN} == DRAWN
    assert {name: len(rows) for name, (_, _, rows) in found.items() if name in TABLES} == TABLES

    nodes, edges, rows = found["turn_saw"]
    (receipt,) = found["turn_receipts"][2]
    assert receipt["turn"] == "ordering-3"
    assert edges == {"SAW": receipt["included"]}
    assert nodes["Turn"] == 1
    assert nodes["Goal"] >= 1
    assert nodes.total() == 1 + len(rows)
    reasons = found["turn_reasons"][2]
    assert [row["rank"] for row in reasons] == list(range(1, int(str(receipt["included"])) + 1))
    assert sum(int(str(row["tokens"])) for row in reasons) <= 600

    # The tables of jobs: how much is waiting changes.
    (waiting,) = await world.rows(
        "MATCH (o:Organisation {key: $key}) RETURN COUNT { MATCH (n:Unsequenced {org_id: o.uid}) } AS events,"
        " COUNT { MATCH (n:Unembedded {org_id: o.uid}) } AS texts",
        key=key,
    )
    assert len(found["unpublished_events"][2]) == min(waiting["events"], 100) > 0
    assert sum(int(str(row["number"])) for row in found["unembedded"][2]) == waiting["texts"]
    assert found.keys() == {
        *DRAWN, *TABLES, "turn_saw", "turn_reasons", "unpublished_events", "unembedded",
    }  # fmt: skip

    # Journal nodes stay out of the pictures, and out of a style that would show them.
    labels = {label for nodes, _, _ in found.values() for label in nodes}
    assert labels.isdisjoint(export_graph.JOURNAL)


async def test_what_is_wrong_is_drawn(world: World) -> None:
    caller = await world.caller()
    first, second = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="the cellar is cold"), ObservationDraft(content="it is warm")]
    )
    bare = await world.services.goals.service.create(caller, CreateGoal(title="no evidence"))
    drawing = EvidenceDraft(observation_id=first.uid)
    await world.services.goals.service.create(caller, CreateGoal(title="stale", evidence=(drawing,)))
    await world.rows(
        "MATCH (a:Observation {uid: $first}), (b:Observation {uid: $second}) SET a.status = 'archived' "
        "CREATE (b)-[:CONTRADICTS {since: datetime(), by: 'x', how: 'declared'}]->(a)",
        first=first.uid, second=second.uid,
    )  # fmt: skip
    driver = world.services.database.driver
    found = {name: await run(driver, query(name, world.org).text) for name in NAMES}
    assert found["goals_without_evidence"][0] == {"Goal": 1}
    assert found["goals_without_evidence"][2][0]["goal"]["uid"] == bare.uid
    assert found["expired_evidence"][:2] == ({"Goal": 1, "Observation": 1}, {"EVIDENCES": 1})
    assert found["contradictions"][:2] == (
        {"Goal": 1, "Observation": 2},
        {"CONTRADICTS": 1, "EVIDENCES": 1},
    )


@pytest.mark.parametrize("name", NAMES)
async def test_a_query_shows_nothing_of_another_organisation(world: World, name: str) -> None:
    rows = (await run(world.services.database.driver, query(name, world.org).text))[2]
    assert [row for row in rows if row.get("number") != 0] == []


async def test_a_query_of_one_goal_or_turn_finds_it_in_its_organisation_alone(world: World) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="mine", priority="low"))
    await world.services.goals.service.create(caller, CreateGoal(title="urgent", priority="critical"))
    driver = world.services.database.driver

    async def names(org: str) -> set[str]:
        _, _, rows = await run(driver, query("goal_part_of", org, goal.uid).text)
        return {node["name"] for row in rows for node in row["path"].nodes}

    assert await names(world.org) == {"mine"}
    assert await names(DEMO) == set()


def test_every_query_is_in_a_guide_and_names_its_organisation_once() -> None:
    assert sorted(path.stem for path in QUERIES.glob("*.cypher")) == NAMES
    for name in NAMES:
        shown = query(name, "acme")
        assert shown.text.count("'acme'") == 1
        assert "'demo'" not in shown.text
        assert "// which" not in shown.text
        assert shown.text.startswith(f"// {shown.title}\n")
        assert shown.description.endswith(".")
    assert lineage_query("acme") == query("goal_lineage", "acme").text


@pytest.mark.parametrize("uid", ["", "goal_1", "goal_01M80A5T5WY00YA708K922ZWZ8'}) DETACH DELETE (n",
                                 "obs_01M80A5T5WY00YA708K922ZWZ8"])  # fmt: skip
def test_what_is_no_id_of_a_goal_or_turn_gets_into_no_query(uid: str) -> None:
    with pytest.raises(InvalidInput):
        query("goal_lineage", "acme", uid)


@pytest.mark.parametrize("key", ["", "it's", "a'}) DETACH DELETE (n", "a b"])
def test_an_organisation_that_could_end_the_text_is_refused(key: str) -> None:
    with pytest.raises(InvalidInput):
        lineage_query(key)


def test_the_style_has_a_rule_for_each_label_and_type() -> None:
    schema = declared_schema(node_classes())
    text = export_graph.STYLE.read_text(encoding="utf-8")
    assert set(re.findall(r"^node\.(\w+) \{", text, re.MULTILINE)) == set(schema.labels)
    assert set(re.findall(r"^relationship\.(\w+) \{", text, re.MULTILINE)) == set(schema.relationships)


def texts(page: str) -> list[str]:
    return [html.unescape(text) for text in re.findall(r"runnable\">(.*?)</pre>", page, re.DOTALL)]


async def test_a_guide_has_a_slide_for_every_query_and_leads_to_the_others(http: httpx.AsyncClient) -> None:
    for each, path in zip(GUIDES, PAGES, strict=True):
        answer = await http.get(path, params={"org": "acme"})
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.text.startswith('<article class="guide">')
        assert texts(answer.text) == [query(name, "acme").text for name in each.queries]
        others = [f"http://test{other}?org=acme" for other in PAGES if other != path]
        assert re.findall(r'play-topic="(.*?)"', answer.text) == others
        assert re.findall(r'exec-topic="(.*?)"', answer.text) == ["style http://test/browser-kit/style.grass"]
        assert "{{" not in answer.text


async def test_favorites_are_every_query(http: httpx.AsyncClient) -> None:
    text = (await http.get("/browser-kit/favorites.cypher")).text
    parts = [part.strip() for part in text.split(";\n") if part.strip()]
    assert sorted(parts) == sorted(query(name).text for name in NAMES)
    # The first comment of each is its name.
    assert all(part.startswith("// ") for part in parts)


async def test_only_neo4j_browser_may_read_the_kit(http: httpx.AsyncClient, world: World) -> None:
    port = world.services.settings.browser_port
    files = (*PAGES, "/browser-kit/style.grass", "/browser-kit/favorites.cypher", "/browser-kit/about.html")
    for path in files:
        for host in ("127.0.0.1", "localhost"):
            origin = f"http://{host}:{port}"
            asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
            asked["Access-Control-Request-Headers"] = "cache-control,pragma,sentry-trace"
            before = await http.options(path, headers=asked)
            assert (before.status_code, before.headers["access-control-allow-origin"]) == (200, origin)
            answer = await http.get(path, headers={"Origin": origin})
            assert answer.status_code == (403 if path.endswith("about.html") else 200)
            assert answer.headers["access-control-allow-origin"] == origin
        for origin in (f"http://127.0.0.1:{port + 1}", "http://evil.example", "null"):
            answer = await http.get(path, headers={"Origin": origin})
            assert "access-control-allow-origin" not in answer.headers
            assert (await http.options(path, headers=asked | {"Origin": origin})).status_code == 400


async def test_a_wrong_organisation_is_refused_by_the_kit(http: httpx.AsyncClient) -> None:
    for path in (*PAGES, "/browser-kit/favorites.cypher"):
        assert (await http.get(path, params={"org": "it's"})).status_code == 400


async def goal_of(world: World, title: str = "order wine", **given: object) -> str:
    caller = await world.caller()
    (seen,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="noticed")])
    top = await world.services.goals.service.create(caller, CreateGoal(title="keep a <cellar>"))
    goal = CreateGoal(
        title=title, parent_goal_id=top.uid, evidence=(EvidenceDraft(observation_id=seen.uid),), **given
    )
    return (await world.services.goals.service.create(caller, goal)).uid


def path_of(link: dict[str, str] | None) -> str:
    assert link is not None
    return link["guideUrl"].removeprefix("http://test")


@pytest.mark.nightly("the guide itself is read by the other tests")
async def test_a_link_opens_the_guide_about_one_goal(world: World, http: httpx.AsyncClient) -> None:
    uid = await goal_of(world)
    link = await link_of(world, http, uid)
    assert link is not None
    place = browser_endpoint(world.services.settings)
    assert place is not None
    address = urlsplit(link["url"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{place.http_url}/browser/"
    asked = parse_qs(address.query)
    assert (asked["cmd"], asked["arg"]) == (["edit"], [f":play {link['guideUrl']}"])
    assert link["expiresAt"].startswith(f"{world.clock.now() + LIFETIME:%Y-%m-%dT%H:%M}")

    answer = await http.get(path_of(link))
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    assert "<h3>order wine</h3>" in answer.text
    assert "Part of: keep a &lt;cellar&gt;" in answer.text
    assert "Evidence: 1. Medium priority, pending, 0% done." in answer.text
    found = texts(answer.text)
    assert len(found) == 5
    assert all(text.count(f"'{uid}'") == 1 and text.count(f"'{world.org}'") == 1 for text in found)
    driver = world.services.database.driver
    assert (await run(driver, found[0]))[:2] == (
        {"Goal": 2, "Observation": 1},
        {"CHILD_OF": 1, "EVIDENCES": 1},
    )


async def test_a_link_opens_the_guide_about_one_turn(world: World, http: httpx.AsyncClient) -> None:
    caller = await world.caller()
    await world.services.context.assemble(caller, AssembleContext(prompt="x", budget=50, turn_id="t-<1>"))
    turn = await world.services.turns.trace.get(caller, "t-<1>")
    assert turn is not None
    answer = await http.get(path_of(await link_of(world, http, turn.uid)))
    assert "<h3>The turn t-&lt;1&gt;</h3>" in answer.text
    assert all(f"(turn:Turn {{uid: '{turn.uid}'}})" in text for text in texts(answer.text))


async def test_what_stands_in_the_memory_is_never_markup(world: World, http: httpx.AsyncClient) -> None:
    uid = await goal_of(world, HOSTILE)
    page = (await http.get(path_of(await link_of(world, http, uid)))).text
    assert f"<h3>{html.escape(HOSTILE)}</h3>" in page
    assert page.count("<script") == 0
    assert page.count("<slide") == 6
    assert page.count("exec-topic=") == 2  # ours, and the one that is text
    assert page.count('exec-topic="') == 1
    shown = guide(GUIDES[0], "http://test", about=Subject(uid, "{{slides}}", ("{{links}}",)))
    assert "<h3>{{slides}}</h3>" in shown
    assert "<p>{{links}}</p>" in shown


async def test_a_link_opens_for_ten_minutes(world: World, http: httpx.AsyncClient) -> None:
    path = path_of(await link_of(world, http, await goal_of(world)))
    world.clock.advance(seconds=LIFETIME.total_seconds() - 1)
    assert (await http.get(path)).status_code == 200
    world.clock.advance(seconds=1)
    answer = await http.get(path)
    assert (answer.status_code, answer.text) == (
        403,
        f"the link has expired; {AGAIN}",
    )


def part(claims: dict[str, object]) -> str:
    return urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


async def test_a_forged_or_altered_link_is_refused(world: World, http: httpx.AsyncClient) -> None:
    uid = await goal_of(world, "secret title")
    other = await goal_of(world, "another title")
    link = path_of(await link_of(world, http, uid)).partition("link=")[2]
    head, body, signature = link.split(".")
    claims = json.loads(urlsafe_b64decode(body + "=="))
    assert (claims["org"], claims["sub"]) == (world.org, uid)
    tokens = Tokens(SECRET, world.services.settings, world.clock)
    bearer, _ = tokens.issue(world.principal(), timedelta(minutes=5))
    wrong = [
        "", "x", link[:-4], f"{head}.{body}.", f"{part({'alg': 'none', 'typ': 'JWT'})}.{body}.", bearer,
        *(f"{head}.{part(claims | changed)}.{signature}" for changed in (
            {"sub": other}, {"org": "demo"}, {"exp": claims["exp"] + 9_000}, {"agent": "boss"},
        )),
    ]  # fmt: skip
    for each in wrong:
        answer = await http.get("/browser-kit/about.html", params={"link": each})
        assert (answer.status_code, answer.text) == (
            403,
            f"this link is not valid; {AGAIN}",
        )
    # And a link is no token.
    with pytest.raises(Unauthenticated):
        tokens.verify(f"Bearer {link}")


async def test_a_link_shows_what_its_reader_may_read_now(world: World, http: httpx.AsyncClient) -> None:
    owner = await world.caller()
    await world.caller("guest")
    space = await world.services.access.create_space(owner, CreateSpace(name="shared"))
    owner = await world.caller()
    await world.grant(
        owner,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="guest"), permission=SpacePermission.READ
        ),
    )
    goal = await world.services.goals.service.create(
        await world.caller(), CreateGoal(title="secret title", space=space)
    )
    assert await link_of(world, http, goal.uid, "stranger") is None
    path = path_of(await link_of(world, http, goal.uid, "guest"))
    assert (await http.get(path)).status_code == 200
    actor = Actor(kind=ActorKind.AGENT, key="guest")
    await world.services.access.revoke_access(owner, RevokeAccess(space=space, actor=actor))
    answer = await http.get(path)
    assert (answer.status_code, answer.text) == (
        404,
        f"what this link is about is gone, or you may not read it any more; {AGAIN}",
    )


async def test_a_link_of_another_organisation_finds_nothing(world: World, http: httpx.AsyncClient) -> None:
    uid = await goal_of(world, "secret title")
    stranger = Principal(org=f"{world.org}-other", agent="bot", roles=("writer",))
    await world.services.access.create_organisation(stranger.org)
    path, _ = GuideLinks(world.services).signed(stranger, uid)
    answer = await http.get(f"/{path}")
    assert answer.status_code == 404
    assert "secret" not in answer.text


async def test_there_is_no_link_to_what_is_no_goal_or_turn(world: World, http: httpx.AsyncClient) -> None:
    (seen,) = await world.services.scratch.service.add(
        await world.caller(), [ObservationDraft(content="noticed")]
    )
    assert [
        await link_of(world, http, uid) for uid in (seen.uid, "x", "goal_01M80A5T5WY00YA708K922ZWZ8")
    ] == [None] * 3


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({}, ("http://127.0.0.1:17474", "bolt://127.0.0.1:17687", "neo4j")),
        ({"production": True}, None),
        ({"browser_kit": False}, None),
        ({"browser_port": 0}, None),
        ({"neo4j_uri": "bolt://neo4j:7687"}, None),
        (
            {"neo4j_uri": "bolt://neo4j:7687", "browser_url": "http://127.0.0.1:7474"},
            ("http://127.0.0.1:7474", "bolt://neo4j:7687", "neo4j"),
        ),
        (
            {
                "neo4j_uri": "bolt://neo4j:7687",
                "browser_url": "http://127.0.0.1:7474",
                "browser_bolt_uri": "bolt://127.0.0.1:7687",
            },
            ("http://127.0.0.1:7474", "bolt://127.0.0.1:7687", "neo4j"),
        ),
    ],
)
def test_where_neo4j_browser_is(settings: dict[str, object], place: tuple[str, str, str] | None) -> None:
    usual: dict[str, object] = {"neo4j_uri": None, "browser_port": 17474, "bolt_port": 17687}
    found = browser_endpoint(Settings().model_copy(update=usual | settings))
    assert (found and (found.http_url, found.bolt_uri, found.user)) == place
