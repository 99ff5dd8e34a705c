"""Agents that remember texts and ask for them through the GraphQL API, for the retrieval benchmarks."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import httpx

from bench.server import provide_server
from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.warmup import ready_to_encode
from prefrontal.graph.caller import Principal
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate

if TYPE_CHECKING:
    from prefrontal.graph.bootstrap.services import Services
    from prefrontal.graph.search.rules import RankedHit

_SEARCH = """query Search($text: String!, $first: Int!, $least: Float) {
  searchMemory(text: $text, first: $first, filter: {minRelevance: $least}) {
    partial edges { relevance node { ... on RememberedMemory { clientKey } } } } }"""
_CONTEXT = """query Context($input: ContextInput!) { previewContext(input: $input) { partial budgetRemaining
  sections { items { score reason node { ... on RememberedMemory { clientKey } } } } } }"""


_TRIES = 5


class Failed(Exception):
    """The service answered a request with a problem, or only in part."""


@dataclass(frozen=True, slots=True)
class Included:
    """The memories that a context includes by their client's keys, best first, and the tokens of its text."""

    keys: list[str]
    found: list[str]
    """Those that are close to the prompt; the others are merely recent."""
    tokens: int


@dataclass(frozen=True, slots=True)
class Still:
    """A clock that stands still."""

    at: datetime

    def now(self) -> datetime:
        return self.at


class Agent:
    """One agent's requests."""

    def __init__(self, http: httpx.AsyncClient, token: str, services: Services, principal: Principal) -> None:
        self._http = http
        self._headers = {"Authorization": f"Bearer {token}"}
        self._services, self._principal = services, principal

    async def remember(self, memories: Sequence[dict[str, Any]]) -> None:
        await self.run("remember", "Remember", "created", {"memories": memories})

    async def seems_to_replace(self, memory: dict[str, Any]) -> list[str]:
        """Remember a memory; return the texts of those that it seems to replace."""
        shown = "seemsToReplace { older { ... on RememberedMemory { content } } }"
        found = (await self.run("remember", "Remember", shown, {"memories": [memory]}))["seemsToReplace"]
        if found is None:
            raise Failed("what a memory replaces was not found out in time")
        return [each["older"]["content"] for each in found]

    async def settle(self) -> None:
        """Make the vectors that missed their deadline: the jobs are off."""
        await self._services.embedding.reembed()

    async def run(self, name: str, kind: str, shown: str, given: dict[str, Any]) -> dict[str, Any]:
        """Run a mutation; return what is shown of its payload."""
        query = (
            f"mutation Run($input: {kind}Input!) {{ {name}(input: $input) {{"
            f" ... on {kind}Payload {{ {shown} }} ... on Problem {{ code message field }} }} }}"
        )
        found: dict[str, Any] = (await self._ask(query, {"input": given}))[name]
        if "code" in found:
            raise Failed(str(found))
        return found

    async def search(self, text: str, *, first: int, least: float | None = None) -> list[tuple[str, float]]:
        """Return the keys of what was found with their relevances, best first."""
        given = {"text": text, "first": first, "least": least}
        edges = (await self._whole("searchMemory", _SEARCH, given))["edges"]
        return [(edge["node"]["clientKey"], edge["relevance"]) for edge in edges]

    async def ranked(self, text: str) -> list[RankedHit]:
        """Return the whole pool of a question, best first, after the best notes were read again."""
        search = self._services.search
        caller = await self._services.access.caller(self._principal)
        for _ in range(_TRIES):
            ranking = await search.ranked(caller, text, self._services.clock.now())
            if not ranking.partial:
                return list(await search.read_again(text, ranking))
        raise Failed("the service did not answer a question in time")

    async def context(self, prompt: str, budget: int, *, most: int | None = None) -> Included:
        given: dict[str, Any] = {"prompt": prompt, "budget": budget}
        if most is not None:
            given["constraints"] = {"maxItems": most}
        found = await self._whole("previewContext", _CONTEXT, {"input": given})
        items = [item for section in found["sections"] for item in section["items"] if item["node"]]
        items.sort(key=lambda item: -item["score"])
        return Included(
            [item["node"]["clientKey"] for item in items],
            [item["node"]["clientKey"] for item in items if item["reason"] == "MATCHING"],
            budget - found["budgetRemaining"],
        )

    async def context_text(self, prompt: str, budget: int) -> str:
        """Return the text of a context."""
        query = "query Text($input: ContextInput!) { previewContext(input: $input) { partial text } }"
        given = {"input": {"prompt": prompt, "budget": budget}}
        return str((await self._whole("previewContext", query, given))["text"])

    async def _whole(self, name: str, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """Return an answer that is not partial: on a busy machine a question may have to be asked again."""
        for _ in range(_TRIES):
            found: dict[str, Any] = (await self._ask(query, variables))[name]
            if not found["partial"]:
                return found
        raise Failed("the service did not answer a question in time")

    async def _ask(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        body = {"query": query, "variables": variables}
        answer = (await self._http.post("/graphql", json=body, headers=self._headers)).json()
        if answer.get("errors"):
            raise Failed(str(answer["errors"][0]))
        found: dict[str, Any] = answer["data"]
        return found


class Agents:
    """Makes agents of one organisation."""

    def __init__(self, http: httpx.AsyncClient, tokens: Tokens, services: Services, org: str) -> None:
        self._http, self._tokens, self._services, self._org = http, tokens, services, org

    def make(self, name: str) -> Agent:
        principal = Principal(org=self._org, agent=name, roles=("writer",))
        token, _ = self._tokens.issue(principal, timedelta(days=1))
        return Agent(self._http, token, self._services, principal)


@asynccontextmanager
async def agents_at(now: datetime) -> AsyncIterator[Agents]:
    """Start the service in this process, at a time that stands still, with a new organisation."""
    settings = load_settings().model_copy(
        update={"jobs": False, "log_level": "error", "query_timeout_s": 60.0}
    )
    configure_logs(settings)
    clock = Still(now)
    with provide_server(settings, heap="1g", page_cache="256m") as endpoint:
        driver = connect(settings, endpoint.uri, endpoint.user, endpoint.password)
        services = build_services(settings, driver, clock=clock)
        await migrate(services.database, services.migrations, clock)
        # The server may be one that has been measured before.
        org = f"agents-{secrets.token_hex(4)}"
        await services.access.create_organisation(org)
        await ready_to_encode(services)
        tokens = Tokens(secrets.token_hex(32), settings, clock)
        transport = httpx.ASGITransport(create_app(services, tokens=tokens))
        async with httpx.AsyncClient(transport=transport, base_url="http://bench", timeout=300.0) as http:
            yield Agents(http, tokens, services, org)
        await services.close()
