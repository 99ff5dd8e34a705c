"""The data set of `bench.sessions_speed`: the sessions of one person on one device, all within the look-back.

The past sessions ended in the last twenty hours. Each held a text about a topic, with the names that it
declared: half of them the same popular person, all of them a project that five sessions share. They are
started, filled and ended through the service, by several clients at once, and are not compared with each
other while they are loaded: what is measured reads what they were about, not how they are related.

Besides there are sessions that go on, each full: what is measured adds to them and reads them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

from neo4j import AsyncDriver

from bench import prose
from bench.clock import PastClock
from bench.statements import Statements
from bench.vectors import Observed
from bench.world import Advance, LoadedSpace, World
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Caller, Principal
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.sessions.record import (
    EndSession,
    ItemContent,
    Salience,
    Session,
    StartSession,
    UpdateWorkingMemory,
    WorkingMemoryOperation,
    WorkingMemoryUpdate,
)

HUB = prose.NAMES[0]
"""The person that half of all sessions mention."""
FAMILY = 5
"""How many past sessions share a project."""
HIGH = Salience(relevance_score=0.9, urgency=0.9, recency=0.9, user_attention=0.9)
"""What is offered with it is admitted, also by a full session."""
LOADERS = 8
_OLDEST, _NEWEST = timedelta(hours=20), timedelta(hours=1)


class TodaysClock(PastClock):
    """A clock that stands still at a moment of the last hours until `move` is called."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._start = self._now = datetime.now(UTC) - _OLDEST

    def move(self) -> None:
        """Move to a random moment."""
        self._now = self._start + (_OLDEST - _NEWEST) * self._random.random()


@dataclass
class Sessions(World):
    """The data set; its size is the number of past sessions."""

    running: list[str] = field(default_factory=list)
    """Full sessions that go on."""
    old: str = ""
    """A full session that many items have left."""
    number: int = 0
    """How many texts were made so far."""
    walked: dict[str, Session] = field(default_factory=dict)
    """The sessions that walks begin at, by their sort."""


async def make_sessions(settings: Settings, driver: AsyncDriver, seed: int, encoder: Observed) -> Sessions:
    """Return the data set without sessions; `encoder` makes the vectors of what is offered."""
    random, statements = Random(seed), Statements()
    past = TodaysClock(random)
    catalog = load_catalog(settings.registry_dir)
    services = build_services(settings, driver, observers=[statements], encoder=encoder, catalog=catalog)
    loading = build_services(settings, driver, clock=past, encoder=encoder, catalog=catalog)
    org = new_id(Kind.ORGANISATION, services.clock.now()).replace("_", "-").lower()
    await loading.access.create_organisation(org)
    principal = Principal(org=org, agent="planner", person="ada", device="laptop", roles=("writer",))
    caller = await services.access.caller(principal)
    return Sessions(
        services=services,
        loading=loading,
        past=past,
        random=random,
        statements=statements,
        principal=principal,
        caller=caller,
        places=(LoadedSpace(caller, caller.home, 1.0),),
    )


def text(world: Sessions) -> ItemContent:
    """Return a text about some topic that mentions the popular person, or not, and a project."""
    world.number += 1
    names = (project(world.number // FAMILY), *((HUB,) if world.number % 2 else ()))
    return ItemContent(content=prose.text(world.random), entities=names)


def alone(world: Sessions) -> ItemContent:
    """Return a text that shares no word and no name with any other."""
    world.number += 1
    word = "".join(chr(ord("a") + int(digit)) for digit in str(world.number))
    return ItemContent(content=f"zq{word} xj{word}", entities=(f"Vk{word}",))


def named(world: Sessions) -> ItemContent:
    """Return a text of words of its own that mentions the popular person and the first project."""
    return alone(world).model_copy(update={"entities": (HUB, project(1))})


def project(number: int) -> str:
    """Return the name of a project."""
    return f"Project {number}"


async def offer(
    services: Services, caller: Caller, session: str, content: ItemContent
) -> WorkingMemoryUpdate:
    """Add an item to a session."""
    command = UpdateWorkingMemory(
        session_id=session, operation=WorkingMemoryOperation.ADD, content=content, salience=HIGH
    )
    return await services.sessions.update(caller, command)


async def started(services: Services, caller: Caller, contents: Sequence[ItemContent]) -> Session:
    """Start a session that gets some items, and return it."""
    session = await services.sessions.start(caller, StartSession())
    for content in contents:
        await offer(services, caller, session.uid, content)
    return (await services.sessions.get(caller, [session.uid]))[session.uid]


async def full(world: Sessions) -> Session:
    """Start a session now that is full."""
    places = world.services.catalog.capacity.of(None)
    return await started(world.services, world.caller, [text(world) for _ in range(places)])


async def grow_sessions(world: Sessions, size: int, advance: Advance) -> float:
    """Add past sessions until there are `size`; return how many were added per second by all clients."""
    missing = size - world.size
    began = time.perf_counter()

    async def add() -> None:
        session = await started(world.loading, world.caller, [text(world)])
        await world.loading.sessions.end(world.caller, EndSession(id=session.uid))
        advance(1)

    for start in range(0, missing, LOADERS):
        # Between the portions only: no session may end before it starts.
        world.past.move()
        await asyncio.gather(*(add() for _ in range(min(LOADERS, missing - start))))
    world.size = size
    return missing / (time.perf_counter() - began) if missing else 0.0


async def add_running(world: Sessions, number: int, left: int, advance: Advance) -> None:
    """Add full sessions that go on until there are `number`, and one that `left` items have left."""

    async def client() -> None:
        while len(world.running) < number:
            world.running.append("")
            place = len(world.running) - 1
            world.running[place] = (await full(world)).uid
            advance(1)

    await asyncio.gather(*(client() for _ in range(LOADERS)))
    if not world.old:
        world.old = (await full(world)).uid
        for _ in range(left):
            await offer(world.services, world.caller, world.old, text(world))
