"""An agent that remembers texts and asks for them through the GraphQL API, for the retrieval benchmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

_REMEMBER = """mutation Remember($input: RememberInput!) { remember(input: $input) {
  ... on RememberPayload { created } ... on Problem { code message field } } }"""
_SEARCH = """query Search($text: String!, $first: Int!, $least: Float) {
  searchMemory(text: $text, first: $first, filter: {minRelevance: $least}) {
    partial edges { relevance node { ... on RememberedMemory { clientKey } } } } }"""
_CONTEXT = """query Context($input: ContextInput!) { previewContext(input: $input) { partial budgetRemaining
  sections { items { score reason node { ... on RememberedMemory { clientKey } } } } } }"""


class Failed(Exception):
    """The service answered a request with a problem, or only in part."""


@dataclass(frozen=True, slots=True)
class Included:
    """The memories that a context includes by their client's keys, best first, and the tokens of its text."""

    keys: list[str]
    found: list[str]
    """Those that are close to the prompt; the others are merely recent."""
    tokens: int


class Agent:
    """One agent's requests."""

    def __init__(self, http: httpx.AsyncClient, token: str) -> None:
        self._http = http
        self._headers = {"Authorization": f"Bearer {token}"}

    async def remember(self, memories: Sequence[dict[str, Any]]) -> None:
        found = await self._ask(_REMEMBER, {"input": {"memories": memories}})
        if "code" in found["remember"]:
            raise Failed(str(found["remember"]))

    async def search(self, text: str, *, first: int, least: float | None = None) -> list[tuple[str, float]]:
        """Return the keys of what was found with their relevances, best first."""
        found = await self._ask(_SEARCH, {"text": text, "first": first, "least": least})
        edges = _whole(found["searchMemory"])["edges"]
        return [(edge["node"]["clientKey"], edge["relevance"]) for edge in edges]

    async def context(self, prompt: str, budget: int, *, most: int | None = None) -> Included:
        given: dict[str, Any] = {"prompt": prompt, "budget": budget}
        if most is not None:
            given["constraints"] = {"maxItems": most}
        found = _whole((await self._ask(_CONTEXT, {"input": given}))["previewContext"])
        items = [item for section in found["sections"] for item in section["items"] if item["node"]]
        items.sort(key=lambda item: -item["score"])
        return Included(
            [item["node"]["clientKey"] for item in items],
            [item["node"]["clientKey"] for item in items if item["reason"] == "MATCHING"],
            budget - found["budgetRemaining"],
        )

    async def _ask(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        body = {"query": query, "variables": variables}
        answer = (await self._http.post("/graphql", json=body, headers=self._headers)).json()
        if answer.get("errors"):
            raise Failed(str(answer["errors"][0]))
        found: dict[str, Any] = answer["data"]
        return found


def _whole(found: dict[str, Any]) -> dict[str, Any]:
    if found["partial"]:
        raise Failed("the service did not answer a question in time")
    return found
