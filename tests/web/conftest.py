"""The app over real HTTP, and a real Chromium in front of it."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from playwright.async_api import Browser, Page, Request, async_playwright

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.browser.links import BrowserEndpoint
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.embedded.processes import free_port
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate
from tests.support.chromium import installed
from tests.support.database import embedded, endpoint_of
from tests.support.events import relaying
from tests.support.world import World

SECRET = "a secret of a test, of at least 32 bytes"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


PATIENCE_S = 60
"""How long a test waits for a page: Neo4j Browser starts slowly on a busy machine."""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Ctrl-C belongs to pytest.
        yield


@contextlib.asynccontextmanager
async def serving(services: Services, tokens: Tokens, port: int = 0) -> AsyncIterator[str]:
    """Serve the app, on a free port by default, and give its address."""
    # Without its lifespan: that would close the driver that all tests share.
    config = uvicorn.Config(
        create_app(services, tokens=tokens),
        host="127.0.0.1",
        port=port,
        lifespan="off",
        ws="websockets-sansio",
        log_config=None,
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve())
    try:
        while not server.started:
            assert not running.done(), "the server did not start"
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        # As a process does that stops: uvicorn waits for what is under way.
        services.outbox.streams.close()
        server.should_exit = True
        await running


@dataclass
class Site:
    """The app of one test's organisation."""

    world: World
    url: str
    tokens: Tokens

    @property
    def page(self) -> str:
        return f"{self.url}/graphiql"

    def token(self, lifetime: timedelta = timedelta(hours=1)) -> str:
        return self.tokens.issue(self.world.principal("bot", person="ann"), lifetime)[0]


@pytest.fixture
async def site(world: World) -> AsyncIterator[Site]:
    tokens = Tokens(SECRET, world.services.settings, world.clock)
    async with serving(world.services, tokens) as url:
        yield Site(world, url, tokens)


@pytest.fixture
async def relay(world: World) -> AsyncIterator[None]:
    """A relay, which tells open pages of changes."""
    async with relaying(world.services, world.clock):
        yield


@dataclass
class Watched:
    """A page, every request it made, and every complaint in its console."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """The names of the operations that it has sent to the API, in their order."""

    def note(self, request: Request) -> None:
        self.requests.append(request.url)
        if found := re.search(r"(?:query|mutation) (\w+)", request.post_data or ""):
            self.asked.append(found[1])

    @property
    def foreign(self) -> list[str]:
        inside = ("data", "blob", "about")
        return [
            url
            for url in self.requests
            if urlsplit(url).scheme not in inside and urlsplit(url).hostname != "127.0.0.1"
        ]

    async def until(self, expression: str) -> None:
        """Wait until an expression is true; the page's policy forbids playwright's own way, which is eval."""
        async with asyncio.timeout(PATIENCE_S):
            while not await self.page.evaluate(expression):  # noqa: ASYNC110 - only the page knows
                await asyncio.sleep(0.05)

    async def keep(self, name: str) -> None:
        """Keep a picture for people, in the folder named by PREFRONTAL_SCREENSHOTS."""
        if folder := os.environ.get("PREFRONTAL_SCREENSHOTS"):
            await self.page.screenshot(path=Path(folder) / name)


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        executable = installed(playwright.chromium.executable_path)
        if not executable:
            pytest.fail("these tests need Chromium; get it with: make deps")
        browser = await playwright.chromium.launch(executable_path=executable, headless=True, args=FLAGS)
        yield browser
        await browser.close()


class Opener:
    """Opens pages, each in a profile of its own."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list = []

    async def __call__(
        self, url: str, *, width: int = 1440, height: int = 900, scheme: str = "light", touch: bool = False
    ) -> Watched:
        context = await self._browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=touch
        )
        self._contexts.append(context)
        page = await context.new_page()
        page.set_default_timeout(PATIENCE_S * 1000)
        watched = Watched(page)
        page.on("request", watched.note)
        page.on(
            "console",
            lambda message: (
                watched.complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: watched.complaints.append(str(error)))
        # Whatever asks for another machine is written down above and goes nowhere.
        await context.route(
            lambda address: urlsplit(address).hostname != "127.0.0.1", lambda route: route.abort()
        )
        await page.goto(url)
        return watched

    async def close(self) -> None:
        for context in self._contexts:
            await context.close()


@pytest.fixture
async def open_page(browser: Browser) -> AsyncIterator[Opener]:
    opener = Opener(browser)
    yield opener
    await opener.close()


@dataclass
class Drawing:
    """A Neo4j whose Browser is served, with our services over it and the app on HTTP."""

    endpoint: Endpoint
    services: Services
    app_url: str
    tokens: Tokens

    @property
    def place(self) -> BrowserEndpoint:
        assert self.endpoint.browser_url is not None
        return BrowserEndpoint(self.endpoint.browser_url, self.endpoint.uri, self.endpoint.user)


@pytest.fixture(scope="module")
async def drawing(settings: Settings) -> AsyncIterator[Drawing]:
    # A server of its own: it tells its Browser where this app is.
    app_port = free_port()
    async with contextlib.AsyncExitStack() as stack:
        kit = f"http://127.0.0.1:{app_port}/browser-kit"
        server = stack.enter_context(embedded(settings, kit_url=kit))
        endpoint = endpoint_of(server)
        driver = await stack.enter_async_context(
            connect(settings, endpoint.uri, endpoint.user, endpoint.password)
        )
        place = {
            "browser_port": urlsplit(server.http_url).port,
            "browser_url": server.http_url,
            "browser_bolt_uri": server.bolt_uri,
        }
        services = build_services(settings.model_copy(update=place), driver)
        await migrate(services.database, services.migrations, services.clock)
        tokens = Tokens(SECRET, services.settings, services.clock)
        url = await stack.enter_async_context(serving(services, tokens, app_port))
        yield Drawing(endpoint, services, url, tokens)


def in_production(services: Services) -> Services:
    production = services.settings.model_copy(update={"production": True})
    return dataclasses.replace(services, settings=production)
