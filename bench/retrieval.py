"""Rankings of the service for the questions of a retrieval benchmark, asked through its GraphQL API.

    python -m bench.retrieval QUESTIONS.json FOLDER [--conversations N] [--questions N] [--set FILE.KEY=VALUE]

Each conversation is remembered by an agent of its own, so that a turn of another conversation in an answer is
a leak. `search.jsonl` has what `searchMemory` ranks, `context_1000.jsonl` and `context_2000.jsonl` what
`assembleContext` includes in so many tokens, best first. The texts of the benchmark go into a temporary
database only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TextIO

import httpx
from rich.progress import Progress

from bench import tuning
from bench.agent import Agent
from bench.server import provide_server
from bench.web import Served, serving
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Principal
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate

BUDGETS = (1000, 2000)
ORGANISATION = f"retrieval-{secrets.token_hex(4)}"
_BATCH = 200


def drafts(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the turns of a conversation as what `remember` takes."""
    return [
        {
            "kind": "MESSAGE",
            "content": turn["text"],
            "speaker": turn["speaker"],
            "conversation": session["id"],
            "happenedAt": f"{turn['at']}Z",
            "clientKey": turn["id"],
        }
        for session in conversation["sessions"]
        for turn in session["turns"]
    ]


@asynccontextmanager
async def service(
    settings: Settings, folder: Path
) -> AsyncIterator[tuple[httpx.AsyncClient, Served, Services]]:
    """Run the service on an empty database; provide a client, what issues tokens, and services of our own."""
    with provide_server(settings, heap="1g", page_cache="256m") as endpoint:
        async with connect(settings, endpoint.uri, endpoint.user, endpoint.password) as driver:
            services = build_services(settings, driver)
            await migrate(services.database, services.migrations, services.clock)
            await services.access.create_organisation(ORGANISATION)
            log = folder / "service.log"
            async with (
                serving("bench.web", "/readyz", settings, endpoint, _principal("nobody"), log) as api,
                httpx.AsyncClient(base_url=api.url, timeout=300.0) as http,
            ):
                yield http, api, services


def _principal(agent: str) -> Principal:
    return Principal(org=ORGANISATION, agent=agent, roles=("writer",))


async def run(data: Sequence[dict[str, Any]], folder: Path, *, most: int | None, contexts: bool) -> None:
    """Load the conversations, ask the questions and write the rankings."""
    names = ["search", *(f"context_{budget}" for budget in BUDGETS if contexts)]
    with ExitStack() as files, Progress() as progress:
        out = {name: files.enter_context((folder / f"{name}.jsonl").open("w")) for name in names}
        settings = load_settings().model_copy(update={"query_timeout_s": 60.0})
        async with service(settings, folder) as (http, api, services):
            for conversation in data:
                principal = _principal(conversation["id"])
                agent = Agent(http, api.issue(principal), services, principal)
                turns, asked = drafts(conversation), conversation["questions"][:most]
                task = progress.add_task(conversation["id"], total=len(turns) + len(asked))
                for start in range(0, len(turns), _BATCH):
                    await agent.remember(turns[start : start + _BATCH])
                    progress.advance(task, len(turns[start : start + _BATCH]))
                await agent.settle()
                for question in asked:
                    started = time.perf_counter()
                    found = await agent.search(question["text"], first=100, least=0.0)
                    spent = (time.perf_counter() - started) * 1000
                    _write(out["search"], question, [key for key, _ in found], ms=spent)
                    for budget in BUDGETS if contexts else ():
                        included = await agent.context(question["text"], budget, most=100)
                        _write(out[f"context_{budget}"], question, included.keys, tokens=included.tokens)
                    progress.advance(task)


def _write(out: TextIO, question: dict[str, Any], found: list[str], **measured: float) -> None:
    line = {"question_id": question["id"], "retrieved": found, **measured}
    out.write(json.dumps(line) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the rankings."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description=__doc__)
    parser.add_argument("questions", type=Path, help="the conversations with their questions")
    parser.add_argument("folder", type=Path, help="where the rankings are written")
    parser.add_argument("--conversations", type=int, help="only the first so many")
    parser.add_argument("--questions", type=int, dest="most", help="only the first so many of each")
    parser.add_argument("--no-contexts", action="store_false", dest="contexts", help="search only")
    tuning.add_option(parser)
    given = parser.parse_args(arguments)
    if not given.questions.exists():
        parser.error(f"there is no {given.questions}")
    data = json.loads(given.questions.read_text(encoding="utf-8"))["conversations"][: given.conversations]
    given.folder.mkdir(parents=True, exist_ok=True)
    configure_logs(load_settings().model_copy(update={"log_level": "error"}))
    with tuning.registry_of(parser, given.changes):
        asyncio.run(run(data, given.folder, most=given.most, contexts=given.contexts))


if __name__ == "__main__":
    main()
