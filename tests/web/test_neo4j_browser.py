"""Neo4j Browser, opened by the link we print: it connects and draws the demo's lineage."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import pytest
from neo4j import AsyncResult
from playwright.async_api import Page
from playwright.async_api import TimeoutError as PageTimeout

from prefrontal.api import demo
from prefrontal.api.browser.links import browser_url, guide_url, lineage_query
from tests.web.conftest import PATIENCE_S, Drawing, Opener, Watched

EDITOR = ".monaco-editor .view-lines"
GOALS = ("Order by", "Choose the", "Learn Ann", "Keep a")
# An observation is also a memory, whose style it must not get.
COLOURS = {"Goal": "#C8553D", "Observation": "#2F6690"}


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


async def run_until(page: Page, text: str, selector: str) -> None:
    """Run a command until its result is seen: just connected, the Browser may draw its editor anew."""
    for _ in range(3):
        await run(page, text)
        with suppress(PageTimeout):
            await page.wait_for_selector(selector, timeout=PATIENCE_S * 1000 / 3)
            return
    shown = await page.inner_text("body")
    pytest.fail(f"{selector!r} was not seen after {text!r}; the page shows:\n{shown}")


async def drawn(drawing: Drawing) -> tuple[Counter[str], Counter[str]]:
    """What the query of the link finds: nodes by label and relationships by type."""
    graph = await drawing.services.database.driver.execute_query(
        "CYPHER 25 " + lineage_query(), result_transformer_=AsyncResult.graph
    )
    nodes = Counter(label for node in graph.nodes for label in node.labels)
    return nodes, Counter(relationship.type for relationship in graph.relationships)


@pytest.mark.alone
async def test_the_link_draws_the_lineage_of_the_demo(drawing: Drawing, open_page: Opener) -> None:
    endpoint = drawing.endpoint
    if await demo.is_loaded(drawing.services):
        await demo.clear(drawing.services)
    await demo.load(drawing.services)
    try:
        link = browser_url(endpoint.browser_url, endpoint.uri, endpoint.user, lineage_query())
        assert endpoint.password not in link
        watched = await open_page(link)
        page = watched.page
        await page.wait_for_selector("[data-testid=password]")
        # The editor draws spaces that do not break.
        shown = (await page.inner_text(EDITOR)).replace("\N{NO-BREAK SPACE}", " ")
        assert "// Lineage of the most urgent goal" in shown
        assert "MATCH (org:Organisation {key: 'demo'})" in shown

        await connect(watched, endpoint.password)
        await run(page)
        nodes, relationships = await drawn(drawing)
        assert nodes["Goal"] == 5
        total = sum(nodes[label] for label in SHOWN)
        await watched.until(f"document.querySelectorAll('g.node').length === {total}")
        assert await page.locator("g.relationship").count() == relationships.total()
        for label in SHOWN:
            number = nodes[label]
            tag = page.get_by_test_id(f"property-details-overview-node-label-{label}")
            assert await tag.inner_text() == f"{label} ({number})"
        assert relationships.keys() == {
            "CHILD_OF",
            "DERIVED_FROM",
            "EVIDENCES",
            "ADVANCES",
            "ABOUT",
            "ANSWERS",
        }
        for kind, number in relationships.items():
            tag = page.get_by_test_id(f"property-details-overview-relationship-type-{kind}")
            assert await tag.inner_text() == f"{kind} ({number})"
        captions = [text.strip() for text in await page.locator("g.node").all_text_contents()]
        assert all(any(caption.startswith(goal) for caption in captions) for goal in GOALS), captions

        # The style of the kit gives each kind its colour.
        style = f":style {drawing.app_url}/browser-kit/style.grass"
        await run_until(page, style, "text=relationship.DERIVED_FROM")
        coloured = {
            label: f"document.querySelectorAll('g.node circle[fill=\"{colour}\"]')"
            for label, colour in COLOURS.items()
        }
        for label, circles in coloured.items():
            await watched.until(f"{circles}.length === {nodes[label]}")
        await run(page, lineage_query())
        for label, circles in coloured.items():
            await watched.until(f"{circles}.length === {2 * nodes[label]}")
        await page.mouse.move(900, 850)
        await watched.keep("lineage.png")
    finally:
        await demo.clear(drawing.services)


async def test_the_guide_opens_in_neo4j_browser(drawing: Drawing, open_page: Opener) -> None:
    endpoint = drawing.endpoint
    watched = await open_page(guide_url(endpoint.browser_url, endpoint.uri, endpoint.user, drawing.app_url))
    await watched.page.wait_for_selector("[data-testid=password]")
    await connect(watched, endpoint.password)
    guide = f":play {drawing.app_url}/browser-kit/guide.html"
    await run_until(watched.page, guide, "text=An agent's mind as a graph")
    await watched.page.wait_for_selector(f"text=:style {drawing.app_url}/browser-kit/style.grass")
    await watched.keep("guide.png")


def test_a_link_has_server_and_user_and_query_but_never_a_password() -> None:
    link = browser_url(
        "http://127.0.0.1:17474/", "bolt://neo4j:hidden@127.0.0.1:17687", "neo4j", "RETURN 1 + 1"
    )
    assert link == (
        "http://127.0.0.1:17474/browser/?dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A17687"
        "&cmd=edit&arg=RETURN%201%20%2B%201"
    )
    assert parse_qs(urlsplit(link).query)["arg"] == ["RETURN 1 + 1"]
    assert browser_url("http://127.0.0.1:1", "bolt://127.0.0.1:2", "neo4j") == (
        "http://127.0.0.1:1/browser/?dbms=bolt%3A%2F%2Fneo4j%40127.0.0.1%3A2"
    )
