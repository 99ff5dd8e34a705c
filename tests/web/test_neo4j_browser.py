"""Neo4j Browser itself: the links connect, guides open, colours are there, queries draw the demo."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from neo4j import AsyncResult
from playwright.async_api import Page
from typer.testing import CliRunner

from prefrontal.api import demo
from prefrontal.api.browser.links import BrowserEndpoint, browser_url, guide_url, lineage_query
from prefrontal.api.cli.main import app
from prefrontal.graph.caller import Principal
from scripts.export_graph import LABELS
from tests.web.conftest import PATIENCE_S, Drawing, Opener, Watched

EDITOR = ".monaco-editor .view-lines"


async def connect(watched: Watched, password: str) -> None:
    """Type the password, which the link does not have."""
    await watched.page.fill("[data-testid=password]", password)
    await watched.page.keyboard.press("Enter")
    await watched.page.wait_for_selector("[data-testid=password]", state="detached")


SHOWN = ("Goal", "Observation", "PendingAction", "Question", "Story")


async def run(page: Page, text: str | None = None) -> None:
    await page.click(EDITOR)
    if text:
        await page.keyboard.press("Control+A")
        await page.keyboard.insert_text(text)
    await page.keyboard.press("Control+Enter")


async def drawn(drawing: Drawing) -> tuple[Counter[str], Counter[str]]:
    """What the query of the link finds: nodes by label and relationships by type."""
    graph = await drawing.services.database.driver.execute_query(
        "CYPHER 25 " + lineage_query(), result_transformer_=AsyncResult.graph
    )
    nodes = Counter(label for node in graph.nodes for label in node.labels)
    return nodes, Counter(relationship.type for relationship in graph.relationships)


IN_BROWSER = pytest.mark.nightly("test_browser_kit.py has what Neo4j Browser gets, and runs each statement")


@pytest.fixture(scope="module")
async def demo_drawing(drawing: Drawing) -> AsyncIterator[Drawing]:
    """The demo on a server of this module's own, with what its last turn saw."""
    await demo.load(drawing.services)
    await drawing.services.jobs.run_once(drawing.services.jobs.named["link_included"])
    yield drawing
    await demo.clear(drawing.services)


CAPTIONS = """Array.from(document.querySelectorAll('g.node')).map(node => [
    Array.from(node.querySelectorAll('text.caption')).map(line => line.textContent.trim()).join(' '),
    getComputedStyle(node.querySelector('circle.b-outline')).fill])"""


def rgb(colour: str) -> str:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


async def captions(watched: Watched, nodes: int) -> list[list[str]]:
    """The caption and the computed colour of each node of the only picture."""
    await watched.until(f"document.querySelectorAll('g.node').length === {nodes}")
    return await watched.page.evaluate(CAPTIONS)


@IN_BROWSER
async def test_on_arrival_the_colours_and_the_guide_are_there(
    demo_drawing: Drawing, open_page: Opener
) -> None:
    link = guide_url(demo_drawing.place, demo_drawing.app_url)
    assert demo_drawing.endpoint.password not in link
    watched = await open_page(link)
    page = watched.page
    await page.wait_for_selector("[data-testid=password]")
    await connect(watched, demo_drawing.endpoint.password)
    # Nobody typed a command, and nothing was clicked.
    await page.wait_for_selector("h3:has-text('Start here')")
    await page.wait_for_selector("text=relationship.DERIVED_FROM")
    await watched.keep("guide.png")

    # Another guide is one click away, and a click on its query puts it into the editor.
    await page.click("a[play-topic*='problems.html']")
    await page.wait_for_selector("h3:has-text('Find what is wrong')")
    await page.click("a[play-topic*='lineage.html']")
    await page.wait_for_selector("h3:has-text('Why a goal exists')")
    await run(page, lineage_query())
    nodes, relationships = await drawn(demo_drawing)
    total = sum(nodes[label] for label in SHOWN)
    found = await captions(watched, total)
    assert await page.locator("g.relationship").count() == relationships.total()
    assert Counter(colour for _, colour in found) == Counter(
        {rgb(LABELS[label].colour): nodes[label] for label in SHOWN}
    )
    for label in SHOWN:
        tag = page.get_by_test_id(f"property-details-overview-node-label-{label}")
        assert await tag.inner_text() == f"{label} ({nodes[label]})"
    # Neo4j Browser cuts no caption: each is the whole name that is stored.
    names = await demo_drawing.services.database.driver.execute_query(
        "CYPHER 25 " + lineage_query(), result_transformer_=AsyncResult.graph
    )
    assert sorted(caption for caption, _ in found) == sorted(
        " ".join(node["name"].split()) for node in names.nodes
    )
    await page.mouse.move(900, 850)
    await watched.keep("lineage.png")


@IN_BROWSER
async def test_the_longest_caption_is_not_cut(demo_drawing: Drawing, open_page: Opener) -> None:
    name = "Wholesome Mediterranean wines, mostly organic ones from Maro"
    assert len(name) == 60
    watched = await open_page(guide_url(demo_drawing.place, demo_drawing.app_url))
    await watched.page.wait_for_selector("[data-testid=password]")
    await connect(watched, demo_drawing.endpoint.password)
    await watched.page.wait_for_selector("h3:has-text('Start here')")
    labels = ("Goal", "Observation", "PendingAction", "Question", "Story", "Mandate", "Summary")
    # Virtual nodes need a plugin; these are stored for a moment.
    driver = demo_drawing.services.database.driver
    made = " ".join(f"CREATE (:{label}:Picture {{name: $name, uid: '{label}'}})" for label in labels)
    await driver.execute_query(made, name=name)
    try:
        await run(watched.page, "MATCH (n:Picture) RETURN n")
        assert [caption for caption, _ in await captions(watched, len(labels))] == [name] * len(labels)
    finally:
        await driver.execute_query("MATCH (n:Picture) DETACH DELETE n")


@IN_BROWSER
async def test_a_printed_statement_and_its_parameters_can_be_pasted(
    demo_drawing: Drawing, open_page: Opener
) -> None:
    watched = await open_page(guide_url(demo_drawing.place, demo_drawing.app_url))
    page = watched.page
    await page.wait_for_selector("[data-testid=password]")
    await connect(watched, demo_drawing.endpoint.password)
    await page.wait_for_selector("h3:has-text('Start here')")
    (row,), _, _ = await demo_drawing.services.database.driver.execute_query(
        "MATCH (g:Goal {title: 'Order by Friday noon'}) RETURN g.scope_id AS space, g.status AS status"
    )

    async def paste(name: str, shown: str, **values: str) -> None:
        printed = CliRunner().invoke(app, ["query", "show", name]).stdout
        for param, value in values.items():
            assert f":param {param} => null;" in printed
            printed = printed.replace(f":param {param} => null;", f":param {param} => {value};")
        params, _, statement = printed.partition("\n\n")
        await run(page, params)
        # One command has a frame that shows the value, several have a frame with a mark for each.
        done = "document.querySelectorAll('article:first-of-type li[title=\"Status: success\"]').length"
        number = len(params.splitlines())
        told_one = "document.querySelector('article').innerText.includes('\"org_key\": \"demo\"')"
        await watched.until(f"{done} === {number}" if number > 1 else told_one)
        await run(page, statement)
        await watched.until(f"document.querySelector('article').innerText.includes({shown!r})")

    await paste("find_operator", row["space"], org_key="'demo'")
    await paste(
        "list_goals",
        "Order by Friday noon",
        readable=f"['{row['space']}']",
        statuses=f"['{row['status']}']",
        # A whole number: LIMIT takes no other.
        limit="20",
        before_rank="99",
        before_uid="'goal_~'",
        words="[]",
        grantees="[]",
    )
    await watched.keep("printed-statement.png")


@IN_BROWSER
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_workbenchs_link_opens_the_guide_about_one_goal(
    demo_drawing: Drawing, open_page: Opener, scheme: str
) -> None:
    agent, person = demo.ACTORS
    principal = Principal(org=demo.ORGANISATION, agent=agent, person=person, roles=("writer",))
    token, _ = demo_drawing.tokens.issue(principal, timedelta(hours=1))
    (row,), _, _ = await demo_drawing.services.database.driver.execute_query(
        "MATCH (g:Goal {title: 'Order by Friday noon'}) RETURN g.uid AS uid"
    )
    workbench = await open_page(f"{demo_drawing.app_url}/lineage/{row['uid']}#token={token}", scheme=scheme)
    await workbench.page.click(".nodes button:has-text('Order by Friday noon')")
    async with workbench.page.context.expect_page() as opening:
        await workbench.page.click("text=Open in Neo4j Browser")
    page = await opening.value
    assert await page.evaluate("window.opener") is None
    await workbench.page.wait_for_selector("text=type the password, then press Ctrl+Enter")
    await workbench.keep(f"open-in-browser-{scheme}.png")

    watched = Watched(page)
    page.set_default_timeout(PATIENCE_S * 1000)
    await page.wait_for_selector("[data-testid=password]")
    await connect(watched, demo_drawing.endpoint.password)
    await page.wait_for_selector("h3:has-text('Start here')")
    await run(page)
    await page.wait_for_selector("h3:has-text('Order by Friday noon')")
    await page.wait_for_selector("text=Part of: ")
    await watched.keep(f"guide-of-a-goal-{scheme}.png")
    await page.set_viewport_size({"width": 600, "height": 900})
    await watched.keep(f"guide-of-a-goal-{scheme}-narrow.png")


def test_a_link_has_server_and_user_and_query_but_never_a_password() -> None:
    place = BrowserEndpoint("http://127.0.0.1:17474/", "bolt://neo4j:hidden@127.0.0.1:17687", "neo4j")
    link = browser_url(place, "RETURN 1 + 1")
    assert link == (
        "http://127.0.0.1:17474/browser/?dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A17687"
        "&cmd=edit&arg=RETURN%201%20%2B%201"
    )
    assert parse_qs(urlsplit(link).query)["arg"] == ["RETURN 1 + 1"]
    assert browser_url(BrowserEndpoint("http://127.0.0.1:1", "bolt://127.0.0.1:2", "neo4j")) == (
        "http://127.0.0.1:1/browser/?dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A2"
    )
    # A link with `play` would switch off for good what the server tells Browser to run after a login.
    assert "cmd=edit&arg=%3Aplay%20http" in guide_url(place, "http://127.0.0.1:3")
    assert browser_url(BrowserEndpoint("http://127.0.0.1:1", "bolt://127.0.0.1:2", "")) == (
        "http://127.0.0.1:1/browser/?dbms=bolt%3A%2F%2F127.0.0.1%3A2&preselectAuthMethod=NO_AUTH"
    )
