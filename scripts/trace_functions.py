"""Prints as JSON how many functions of this project one request of each traced mutation calls.

`scripts/code_figures.py` runs it, also on the code of earlier commits: it uses only what they have in common.
The database is the one of `NEO4J_URI`.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from datetime import timedelta
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Self

import httpx

from prefrontal.api.app import create_app
from prefrontal.api.auth import Tokens
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Principal
from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate

FOLDERS = tuple(str(Path.cwd().resolve() / name) + "/" for name in ("graph", "api"))
_ADD = """mutation ($texts: [ObservationInput!]!) {
  addObservations(input: {evaluate: false, observations: $texts}) {
    ... on AddObservationsPayload { observations { id } } } }"""
_CREATE = """mutation ($input: CreateGoalInput!) { createGoal(input: $input) {
  ... on CreateGoalPayload { goal { id } } ... on Problem { code message } } }"""
_PROGRESS = """mutation ($input: UpdateProgressInput!) { updateProgress(input: $input) {
  ... on UpdateProgressPayload { __typename } ... on Problem { code message } } }"""


async def main() -> None:
    """Count the functions and print them."""
    settings = load_settings()
    configure_logs(settings)
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
    async with connect(settings, str(settings.neo4j_uri), settings.neo4j_user, password) as driver:
        services = build_services(settings, driver)
        await migrate(services.database, services.migrations, services.clock)
        key = f"figures-{secrets.token_hex(8)}"
        await services.access.create_organisation(key, "Figures")
        tokens = Tokens(secrets.token_hex(32), settings, services.clock)
        token, _ = tokens.issue(Principal(org=key, agent="bot", roles=("writer",)), timedelta(hours=1))
        transport = httpx.ASGITransport(app=create_app(services, tokens=tokens))
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://api", headers=headers, timeout=120
        ) as http:
            print(json.dumps(await count(http)))


async def count(http: httpx.AsyncClient) -> dict[str, int]:
    """Return the number of functions by operation; each runs once before it is counted."""
    texts = [{"content": f"text {number}"} for number in range(6)]
    seen = (await ask(http, _ADD, {"texts": texts}))["addObservations"]["observations"]
    ids = [each["id"] for each in seen]
    counted: dict[str, int] = {}
    goal_id = ""
    for number in range(2):
        goal = {
            "title": "Order tea",
            "evidence": [{"observationId": uid} for uid in ids[:2]],
            "pendingActions": [{"type": "execute_tool", "title": f"Order {number}"}],
        }
        with Functions() as functions:
            made = await ask(http, _CREATE, {"input": goal})
        goal_id = made["createGoal"]["goal"]["id"]
        counted["createGoal"] = len(functions.called)
    for delta in (0.1, 0.2):
        with Functions() as functions:
            changes = {"deltas": [{"goalId": goal_id, "delta": delta}]}
            made = await ask(http, _PROGRESS, {"input": changes})
        if made["updateProgress"] != {"__typename": "UpdateProgressPayload"}:
            raise SystemExit(str(made))
        counted["updateProgress"] = len(functions.called)
    return counted


async def ask(http: httpx.AsyncClient, query: str, variables: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a GraphQL operation."""
    body = (await http.post("/graphql", json={"query": query, "variables": variables})).json()
    if "errors" in body:
        raise SystemExit(str(body["errors"]))
    data: dict[str, Any] = body["data"]
    return data


@cache
def is_ours(path: str) -> bool:
    """Return whether a file belongs to this project."""
    return str(Path(path).resolve()).startswith(FOLDERS)


class Functions:
    """Collects the functions of this project that are called within a `with` block."""

    def __init__(self) -> None:
        """Start empty."""
        self.called: set[CodeType] = set()

    def __enter__(self) -> Self:
        """Start to collect."""
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop to collect."""
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        # Comprehensions and lambdas are part of the function that they stand in.
        if event == "call" and not code.co_name.startswith("<") and is_ours(code.co_filename):
            self.called.add(code)


if __name__ == "__main__":
    asyncio.run(main())
