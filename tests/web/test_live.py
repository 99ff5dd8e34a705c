"""The workbench is told of changes: it reads when something happened, and asks only without a socket."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Page, WebSocketRoute

from prefrontal.graph.cortex.goals.record import CreateGoal
from tests.support.world import World
from tests.web.conftest import Opener, Site, Watched
from tests.web.looking import findings

NIGHTLY = pytest.mark.nightly("a change that is shown as it happens is tried with each change")

pytestmark = [pytest.mark.alone, pytest.mark.usefixtures("relay")]


async def a_goal(world: World, title: str, parent: str | None = None) -> str:
    caller = await world.caller("bot", person="ann")
    goal = await world.services.goals.service.create(caller, CreateGoal(title=title, parent_goal_id=parent))
    return goal.uid


@dataclass
class Line:
    """What goes through the sockets of a page, which a test may cut."""

    cut: bool = False
    holding: bool = False
    """Whether the server gets no subscription yet."""
    sockets: list[WebSocketRoute] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    heard: list[int] = field(default_factory=list)
    """The places of the events that the server has told the page."""
    _kept_back: list[Callable[[], None]] = field(default_factory=list)

    def __call__(self, page_side: WebSocketRoute) -> None:
        if self.cut:
            asyncio.ensure_future(page_side.close(code=1011, reason="cut"))  # noqa: RUF006 - it is awaited by none
            return
        self.sockets.append(page_side)
        server_side = page_side.connect_to_server()

        def to_server(message: str | bytes) -> None:
            self.sent.append(json.loads(message))
            if self.holding and self.sent[-1]["type"] == "subscribe":
                self._kept_back.append(lambda: server_side.send(message))
            else:
                server_side.send(message)

        def to_page(message: str | bytes) -> None:
            told = json.loads(message)
            if told["type"] == "next" and told["payload"].get("data"):
                self.heard.append(told["payload"]["data"]["events"]["seq"])
            page_side.send(message)

        page_side.on_message(to_server)
        server_side.on_message(to_page)

    async def break_off(self) -> None:
        for each in self.sockets:
            await each.close(code=1011, reason="cut")
        self.sockets.clear()

    def release(self) -> None:
        self.holding = False
        for send in self._kept_back:
            send()

    @property
    def subscribed(self) -> list[Any]:
        """The places behind which the page has asked for events."""
        return [each["payload"]["variables"]["after"] for each in self.sent if each["type"] == "subscribe"]


async def opened(site: Site, open_page: Opener, line: Line, goal: str, **how: Any) -> Watched:
    """The lineage of a goal, with a clock that the test may move on."""
    watched = await open_page("about:blank", **how)
    await watched.page.clock.install()
    await watched.page.route_web_socket("**/graphql", line)
    await watched.page.goto(f"{site.url}/lineage/{goal}#token={site.token()}")
    return watched


async def live(page: Page, *, told: bool = True) -> None:
    await page.wait_for_selector(f".pulse[data-live={str(told).lower()}]", state="attached")


async def quiet(watched: Watched) -> list[str]:
    """What the page has asked once it asks no more: no request begins in ten looks.

    Playwright tells of an idle network only once for each page that is loaded.
    """
    before, looks = [""], 0
    while looks < 10:
        await watched.page.evaluate("document.fonts.ready.then(() => 0)")
        await asyncio.sleep(0.05)
        now = [*watched.asked]
        before, looks = now, looks + 1 if now == before else 0
    return before


async def settled(watched: Watched) -> list[str]:
    """What the page has asked once it has read all that it reads in its first seconds."""
    before = [""]
    while (now := await quiet(watched)) != before:
        before = now
        await watched.page.clock.fast_forward(3_000)
    return before


async def asked_every_few_seconds(watched: Watched) -> list[str]:
    """What the page asks in the half minute that follows more than once.

    Once is right: a minute may be over, in which every view reads, or an event of before be told late.
    """
    before = len(watched.asked)
    for _ in range(3):
        await watched.page.clock.fast_forward(10_000)
        await quiet(watched)
    return sorted(name for name, times in Counter(watched.asked[before:]).items() if times > 1)


async def test_a_change_elsewhere_is_shown_as_it_happens_and_nothing_is_asked_without_one(
    site: Site, open_page: Opener
) -> None:
    cellar = await a_goal(site.world, "Keep a cellar")
    line = Line()
    watched = await opened(site, open_page, line, cellar)
    page = watched.page
    await live(page)
    # Once the socket is open, the views read again.
    await settled(watched)

    assert await asked_every_few_seconds(watched) == []
    before = await settled(watched)
    await a_goal(site.world, "Choose the wines", cellar)
    await page.wait_for_selector(".nodes >> text=Choose the wines")

    assert len(watched.asked) > len(before)
    (place,) = line.subscribed
    assert isinstance(place, int)
    assert watched.complaints == []
    assert await findings(page) == []
    await watched.keep("workbench-live.png")


@pytest.mark.nightly("one view is looked at above")
async def test_no_view_asks_every_few_seconds_while_changes_are_told(site: Site, open_page: Opener) -> None:
    cellar = await a_goal(site.world, "Keep a cellar")
    watched = await opened(site, open_page, Line(), cellar)
    page = watched.page
    await live(page)
    links = await page.locator("nav a").evaluate_all("links => links.map(link => link.pathname)")
    assert len(links) > 6

    asks: dict[str, list[str]] = {}
    for path in links:
        await page.click(f"nav a[href='{path}']")
        await settled(watched)
        if again := await asked_every_few_seconds(watched):
            asks[path] = again

    assert asks == {}


@pytest.mark.nightly("a change elsewhere is shown by another test")
async def test_a_change_between_the_read_and_the_beginning_of_the_stream_is_shown(
    site: Site, open_page: Opener
) -> None:
    cellar = await a_goal(site.world, "Keep a cellar")
    line = Line(holding=True)
    watched = await opened(site, open_page, line, cellar)
    await live(watched.page)
    await watched.page.clock.fast_forward(10_000)
    await quiet(watched)
    (place,) = line.subscribed

    await a_goal(site.world, "Choose the wines", cellar)
    caller, events = await site.world.caller("bot", person="ann"), site.world.services.outbox.events
    while await events.now(caller) == place:
        await site.world.rows("RETURN 1")
    line.release()

    await watched.page.wait_for_selector(".nodes >> text=Choose the wines")


@NIGHTLY
async def test_without_a_socket_the_views_ask_by_themselves(site: Site, open_page: Opener) -> None:
    cellar = await a_goal(site.world, "Keep a cellar")
    line = Line(cut=True)
    watched = await opened(site, open_page, line, cellar)
    page = watched.page
    await page.wait_for_selector(".nodes >> text=Keep a cellar")
    await live(page, told=False)
    before = await quiet(watched)

    await a_goal(site.world, "Choose the wines", cellar)
    await page.clock.fast_forward(6_000)
    await page.wait_for_selector(".nodes >> text=Choose the wines")

    assert len(watched.asked) > len(before)
    assert await page.locator(".pulse").inner_text() == "every 5 s"
    await watched.keep("workbench-polling.png")


@NIGHTLY
async def test_a_page_that_was_cut_off_reads_again_and_goes_on_behind_the_last_event(
    site: Site, open_page: Opener
) -> None:
    cellar = await a_goal(site.world, "Keep a cellar")
    line = Line()
    watched = await opened(site, open_page, line, cellar)
    page = watched.page
    await live(page)
    await a_goal(site.world, "Choose the wines", cellar)
    await page.wait_for_selector(".nodes >> text=Choose the wines")
    # A view that reads for another reason may show the goal before its event is told.
    (last,) = await site.world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN max(e.seq) AS seq")
    while last["seq"] not in line.heard:
        await quiet(watched)

    line.cut = True
    await line.break_off()
    await live(page, told=False)
    await a_goal(site.world, "While it was away", cellar)
    line.cut = False
    # The longest pause between two attempts.
    await page.clock.fast_forward(31_000)
    await live(page)
    await page.wait_for_selector(".nodes >> text=While it was away")

    assert line.subscribed[1:] == [last["seq"]]
    await a_goal(site.world, "And once it is back", cellar)
    await page.wait_for_selector(".nodes >> text=And once it is back")


@pytest.mark.nightly("the same in one window")
async def test_in_a_narrow_dark_window_it_is_live_too(site: Site, open_page: Opener) -> None:
    cellar = await a_goal(site.world, "Keep a cellar")
    watched = await opened(site, open_page, Line(), cellar, width=420, height=800, scheme="dark")
    await live(watched.page)

    await a_goal(site.world, "Choose the wines", cellar)
    await watched.page.wait_for_selector(".nodes >> text=Choose the wines", state="attached")

    assert watched.complaints == []
    assert await findings(watched.page) == []
    await watched.keep("workbench-live-narrow-dark.png")
