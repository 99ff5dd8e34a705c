"""Requests per second of the API in one process, compared with a plain strawberry server.

All servers run with the same web server settings. For each query they are loaded in turn for several rounds,
so that all see the machine in the same state. Before each round one response is checked exactly. The plain
server has no lists. With `--before FOLDER`, a checkout of an earlier commit is loaded in turn as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from bench.loadtool import Load, find_wrk, load
from bench.server import provide_server
from bench.web import Served, serving
from bench.words import draft, text
from bench.world import action
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Caller, Principal
from prefrontal.graph.config.settings import ROOT, Settings, load_settings
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.embedded.endpoint import Endpoint
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import Observation
from prefrontal.graph.storage.driver import connect
from prefrontal.graph.storage.schema import migrate

LOGS = Path(__file__).parent / "results"
AIM_PER_S = 3_000
OURS, STOCK, BEFORE = "prefrontal", "strawberry", "before"
_PAGE = 20
_NODE = "query Node($id: ID!) { node(id: $id) { ... on Observation { id content confidence tags } } }"
_OBSERVATIONS = f"""{{ observations(first: {_PAGE}) {{ nodes {{
  id type content confidence tags status ttlMinutes metadata clientKey
  createdAt updatedAt expiresAt pinned version
}} pageInfo {{ hasNextPage }} }} }}"""
_GOALS = f"""{{ goals(first: {_PAGE}) {{ nodes {{
  id title description priority status progress createdAt version
  evidence {{ edges {{ confidence node {{ content }} }} }}
  actions {{ nodes {{ id type title status owner blocking }} }}
}} }} }}"""


_GOALS_EARLIER = f"""{{ goals(first: {_PAGE}) {{ nodes {{
  id title description priority status progress createdAt version
  evidence {{ content confidence }} pendingActions {{ id type title status owner blocking }}
}} }} }}"""


@dataclass(frozen=True, slots=True)
class Query:
    """A GraphQL request and the data that it must return."""

    title: str
    body: dict[str, Any]
    answer: dict[str, Any]
    aim: float | None = None
    stock: bool = True
    """Whether the plain server can answer it."""
    earlier: tuple[dict[str, Any], dict[str, Any]] | None = None
    """The request and the answer of commits whose lists of nodes were no connections yet."""


@dataclass
class Outcome:
    """The results of one query: a load for each round, by server."""

    query: Query
    loads: dict[str, list[Load]] = field(default_factory=dict)

    def per_s(self, server: str) -> float:
        """Return the median of the rounds' requests per second."""
        return median(each.per_s for each in self.loads[server])

    def ratio(self, other: str) -> float | None:
        """Return the median of the rounds' ratios to another server, None if it does not answer the query.

        The measurements of a round follow each other.
        """
        if other not in self.loads:
            return None
        pairs = zip(self.loads[OURS], self.loads[other], strict=True)
        return median(ours.per_s / theirs.per_s for ours, theirs in pairs)


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options of a run."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds of every query and server (default 5)")
    parser.add_argument("--seconds", type=int, default=3, help="seconds of each round (default 3)")
    parser.add_argument(
        "--warmup", type=int, default=5, help="seconds of warm-up of every query and server (default 5)"
    )
    parser.add_argument("--connections", type=int, default=16, help="concurrent connections (default 16)")
    parser.add_argument(
        "--before", type=Path, metavar="FOLDER", help="a checkout of an earlier commit, loaded in turn"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args(arguments)


async def queries(services: Services, principal: Principal) -> list[Query]:
    """Return the queries, after creating the data they read: an organisation with some observations."""
    await services.access.create_organisation(principal.org, "Load")
    caller = await services.access.caller(principal)
    random = Random(1)
    stored = await services.scratch.service.add(caller, [draft(random, []) for _ in range(100)])
    active = [each for each in stored if each.ttl_minutes > 0]
    one = {name: getattr(active[50], name) for name in ("content", "confidence")}
    seen = {"id": active[50].uid, **one, "tags": list(active[50].tags)}
    newest = sorted(active, key=lambda each: each.uid, reverse=True)[:_PAGE]
    goals = {
        goal["id"]: goal for goal in [await _goal(services, caller, random, active) for _ in range(_PAGE)]
    }
    listed = await services.goals.service.list(caller)
    return [
        Query("`{ __typename }`", {"query": "{ __typename }"}, {"__typename": "Query"}, AIM_PER_S),
        Query(
            "a field that needs no database",
            {"query": _NODE, "variables": {"id": "none"}},
            {"node": None},
            AIM_PER_S,
        ),
        Query("one observation by id", {"query": _NODE, "variables": {"id": active[50].uid}}, {"node": seen}),
        Query(
            f"a page of {_PAGE} observations",
            {"query": _OBSERVATIONS},
            {
                "observations": {
                    "nodes": [_observation(each) for each in newest],
                    "pageInfo": {"hasNextPage": True},
                }
            },
            stock=False,
        ),
        Query(
            f"{_PAGE} goals with evidence and actions",
            {"query": _GOALS},
            {"goals": {"nodes": [goals[goal.uid] for goal in listed.items]}},
            stock=False,
            earlier=(
                {"query": _GOALS_EARLIER},
                {"goals": {"nodes": [_earlier(goals[goal.uid]) for goal in listed.items]}},
            ),
        ),
    ]


def _observation(stored: Observation) -> dict[str, Any]:
    """Return an observation as the API answers it."""
    given = stored.model_dump(
        mode="json", include={"type", "content", "confidence", "metadata", "pinned", "version"}
    )
    return {
        "id": stored.uid,
        **given,
        "status": stored.status.name,
        "tags": list(stored.tags),
        "ttlMinutes": stored.ttl_minutes,
        "clientKey": stored.client_key,
        "createdAt": stored.created_at.isoformat(),
        "updatedAt": stored.updated_at.isoformat(),
        "expiresAt": stored.expires_at.isoformat(),
    }


async def _goal(
    services: Services, caller: Caller, random: Random, seen: Sequence[Observation]
) -> dict[str, Any]:
    """Create a goal with two pieces of evidence and two actions; return it as the API answers it."""
    evidence = random.sample(seen, 2)
    goal = await services.goals.service.create(
        caller,
        CreateGoal(
            title=text(random, 3, 8),
            description=text(random, 10, 40),
            evidence=tuple(EvidenceDraft(observation_id=each.uid) for each in evidence),
            pending_actions=(action(random), action(random)),
        ),
    )
    actions = (await services.actions.service.of_goals(caller, [goal.uid]))[goal.uid]
    return {
        "id": goal.uid,
        **goal.model_dump(mode="json", include={"title", "description", "priority", "progress", "version"}),
        "status": goal.status.name,
        "createdAt": goal.created_at.isoformat(),
        "evidence": {
            "edges": [{"confidence": each.confidence, "node": {"content": each.content}} for each in evidence]
        },
        "actions": {
            "nodes": [
                {
                    "id": each.uid,
                    "type": each.type,
                    "title": each.title,
                    "status": each.status,
                    "owner": each.owner.name,
                    "blocking": each.blocking,
                }
                for each in actions
            ]
        },
    }


def _earlier(goal: dict[str, Any]) -> dict[str, Any]:
    """Return a goal as commits answer it whose lists of nodes were no connections yet."""
    plain = {name: value for name, value in goal.items() if name not in ("evidence", "actions")}
    evidence = [{**edge["node"], "confidence": edge["confidence"]} for edge in goal["evidence"]["edges"]]
    return {**plain, "evidence": evidence, "pendingActions": goal["actions"]["nodes"]}


async def checked(server: Served, query: Query) -> dict[str, Any]:
    """Send the query once and return its request, or the earlier one; exit if the answers are wrong."""
    headers = {"Authorization": f"Bearer {server.token}"}
    answer: Any = None
    known = [(query.body, query.answer), *([query.earlier] if query.earlier else [])]
    async with httpx.AsyncClient(headers=headers, timeout=10) as http:
        for body, expected in known:
            answer = (await http.post(f"{server.url}/graphql", json=body)).json()
            if answer == {"data": expected}:
                return body
    raise SystemExit(f"{query.title}: a wrong answer: {answer}")


async def bench(
    options: argparse.Namespace, settings: Settings, endpoint: Endpoint, console: Console
) -> list[Outcome]:
    """Start both servers, load them in turn, and return the results."""
    async with connect(settings, endpoint.uri, endpoint.user, endpoint.password) as driver:
        services = build_services(settings, driver)
        await migrate(services.database, services.migrations, services.clock)
        key = new_id(Kind.ORGANISATION, services.clock.now()).replace("_", "-").lower()
        principal = Principal(org=key, agent="planner", person="ada", roles=("writer",))
        outcomes = [Outcome(query) for query in await queries(services, principal)]
    kinds = [
        (OURS, "bench.web", "/readyz", ROOT),
        (STOCK, "bench.stock", "/graphql?query={__typename}", ROOT),
    ]
    if options.before:
        # An earlier commit is not ready for the migrations of this one, and answers all the same.
        kinds.append((BEFORE, "bench.web", "/healthz", options.before.resolve()))
    async with AsyncExitStack() as stack:
        servers: dict[str, Served] = {}
        for name, module, ready, folder in kinds:
            log = LOGS / f"{module}-{name}.log"
            servers[name] = await stack.enter_async_context(
                serving(module, ready, settings, endpoint, principal, log, folder)
            )
        for number in range(options.rounds + 1):
            seconds = options.seconds if number else options.warmup
            for outcome in outcomes:
                await one_round(outcome, servers, options.connections, seconds, measured=number > 0)
            console.print(f"round {number} of {options.rounds}" if number else "warm")
    return outcomes


async def one_round(
    outcome: Outcome, servers: dict[str, Served], connections: int, seconds: int, *, measured: bool
) -> None:
    """Load the servers with one query, one after the other."""
    for name, server in servers.items():
        if name == STOCK and not outcome.query.stock:
            continue
        body = await checked(server, outcome.query)
        url = f"{server.url}/graphql"
        found = await load(
            url,
            server.token,
            body,
            pid=server.pid,
            connections=connections,
            seconds=seconds,
        )
        if found.failed:
            raise SystemExit(f"{outcome.query.title}: {name} failed {found.failed} requests")
        if measured:
            outcome.loads.setdefault(name, []).append(found)


_COLUMNS = (
    "query",
    "server",
    "requests/s",
    "p50 ms",
    "p99 ms",
    "CPU ms",
    "ours / stock",
    "ours / before",
    "aim",
    "kept",
)


def rows(outcomes: Sequence[Outcome]) -> list[tuple[str, ...]]:
    """Return the cells of the table."""
    cells: list[tuple[str, ...]] = []
    for outcome in outcomes:
        for name, loads in outcome.loads.items():
            ours = name == OURS
            aim = outcome.query.aim if ours else None
            cells.append(
                (
                    outcome.query.title,
                    name,
                    f"{outcome.per_s(name):,.0f}",
                    f"{median(each.p50_ms for each in loads):.2f}",
                    f"{median(each.p99_ms for each in loads):.2f}",
                    f"{median(each.cpu_ms for each in loads):.2f}",
                    *(
                        f"{ratio:.2f}" if ours and (ratio := outcome.ratio(other)) else ""
                        for other in (STOCK, BEFORE)
                    ),
                    f"≥ {aim:,.0f}/s" if aim else "",
                    "" if not aim else "yes" if outcome.per_s(name) >= aim else "no",
                )
            )
    return cells


def show(outcomes: Sequence[Outcome], console: Console, *, as_markdown: bool) -> None:
    """Print the table."""
    if as_markdown:
        print("| " + " | ".join(_COLUMNS) + " |")
        print("|---|---|" + "---:|" * (len(_COLUMNS) - 2))
        for cells in rows(outcomes):
            print("| " + " | ".join(cells) + " |")
        return
    table = Table()
    for number, name in enumerate(_COLUMNS):
        table.add_column(name, justify="left" if number < 2 else "right")
    for cells in rows(outcomes):
        table.add_row(*cells)
    console.print(table)


def document(outcomes: Sequence[Outcome], options: argparse.Namespace) -> dict[str, Any]:
    """Return the environment, the options and all results for the JSON file."""
    return {
        "environment": {
            "python": platform.python_version(),
            "platform": platform.platform(terse=True),
            "cores": os.cpu_count(),
            "load_average": os.getloadavg()[0],
        },
        "run": {name: getattr(options, name) for name in ("rounds", "seconds", "warmup", "connections")},
        "queries": [
            {
                "title": outcome.query.title,
                "body": outcome.query.body,
                "ratios": {other: outcome.ratio(other) for other in (STOCK, BEFORE)},
                "aim_per_s": outcome.query.aim,
                "servers": {
                    name: {"per_s": outcome.per_s(name), "rounds": [asdict(each) for each in loads]}
                    for name, loads in outcome.loads.items()
                },
            }
            for outcome in outcomes
        ],
    }


def main() -> int:
    """Run from the command line."""
    options = parse()
    find_wrk()
    console = Console()
    # The first run of a statement is planned, which takes long on a busy machine.
    settings = load_settings().model_copy(update={"query_timeout_s": 120.0})
    configure_logs(settings)
    with provide_server(settings, heap="1g", page_cache="128m") as endpoint:
        outcomes = asyncio.run(bench(options, settings, endpoint, console))
    show(outcomes, console, as_markdown=options.markdown)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(document(outcomes, options), indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
