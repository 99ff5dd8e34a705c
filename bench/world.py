"""The data set of a benchmark: several organisations and spaces, loaded through the services.

share   space of the observations                     readable by the measured caller
45 %    private space of the caller's agent           yes
10 %    private space of the caller's person          yes
15 %    common space of the organisation              yes
10 %    a shared space                                yes
 8 %    private space of another agent                no
12 %    spaces of two other organisations             no
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import httpx
from neo4j import AsyncDriver

from bench.clock import PastClock
from bench.statements import Statements
from bench.words import draft, text
from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Caller, Principal
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember

BATCH = 500
GOALS = 1_000
CHAIN = 20
"""The length of a line of goals below a first one: the largest depth of a lineage."""
CHILDREN = 3
"""The other goals form trees of three levels: a root, three children, nine grandchildren."""
MANDATES, CAPABILITIES = 12, 20

Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class LoadedSpace:
    """A space to load: the caller that writes to it, and its share of all observations."""

    caller: Caller
    space: str
    share: float


@dataclass
class World:
    """The data set and the services that the operations use."""

    services: Services
    """The measured services, with the system clock; their statements are recorded."""
    loading: Services
    """The services that load data, with the clock `past`."""
    past: PastClock
    random: Random
    statements: Statements
    principal: Principal
    caller: Caller
    places: tuple[LoadedSpace, ...]
    http: httpx.AsyncClient | None = None
    """A client with a token of `principal`, while the API is served."""
    size: int = 0
    roots: list[str] = field(default_factory=list)
    chain: list[str] = field(default_factory=list)
    """Goals in one line, the top one first."""
    goal_ids: list[str] = field(default_factory=list)
    changed: str = ""
    """A goal with very many versions."""
    action_number: int = 0
    action_uids: list[str] = field(default_factory=list)
    """Some pending actions of the caller's own space."""
    uids: list[str] = field(default_factory=list)
    """Some active observations of the caller's own space."""

    @property
    def org_ids(self) -> list[str]:
        """The ids of the organisations that were created for this run."""
        return sorted({place.caller.org_id for place in self.places})


async def make_world(settings: Settings, driver: AsyncDriver, seed: int) -> World:
    """Return a data set without observations: three organisations with actors, spaces and mandates."""
    random = Random(seed)
    past = PastClock(random)
    statements = Statements()
    services = build_services(settings, driver, observers=[statements])
    loading = build_services(settings, driver, clock=past)
    prefix = new_id(Kind.ORGANISATION, services.clock.now()).replace("_", "-").lower()
    keys = [f"{prefix}-{number}" for number in range(3)]
    for key in keys:
        await loading.access.create_organisation(key, f"Bench {key[-1]}")
    principal = Principal(org=keys[0], agent="planner", person="ada", roles=("writer",))
    caller = await loading.access.caller(principal)
    team = await loading.access.create_space(caller, CreateSpace(name="team"))
    caller = await loading.access.caller(principal)
    person = await loading.access.caller(Principal(org=keys[0], person="ada", roles=("writer",)))
    other, second, third = [
        await loading.access.caller(Principal(org=org, agent="scout", roles=("writer",))) for org in keys
    ]
    (common,) = set(caller.readable) - {caller.home, person.home, team}
    world = World(
        services=services,
        loading=loading,
        past=past,
        random=random,
        statements=statements,
        principal=principal,
        caller=caller,
        places=(
            LoadedSpace(caller, caller.home, 0.45),
            LoadedSpace(caller, person.home, 0.10),
            LoadedSpace(caller, common, 0.15),
            LoadedSpace(caller, team, 0.10),
            LoadedSpace(other, other.home, 0.08),
            LoadedSpace(second, second.home, 0.07),
            LoadedSpace(third, third.home, 0.05),
        ),
    )
    await loading.memory.remember(caller, Remember(memories=_memories(random)))
    return world


async def grow(world: World, size: int, advance: Advance) -> float:
    """Add observations until there are `size`, and the goals once there is evidence for them.

    Return the observations added per second by one client, in batches of up to 500; the time for goals is
    not counted.
    """
    seconds = 0.0
    added = 0
    for place, number in _batches(world, size - world.size):
        world.past.move()
        # Only what the caller may read may be the goal that an observation is about.
        known = world.goal_ids if place.caller is world.caller else []
        drafts = [draft(world.random, known) for _ in range(number)]
        started = time.perf_counter()
        stored = await world.loading.scratch.service.add(place.caller, drafts, space=place.space)
        seconds += time.perf_counter() - started
        added += number
        world.size += number
        if place.space == world.caller.home and len(world.uids) < 5_000:
            world.uids += [o.uid for o in stored if o.ttl_minutes]
        advance(number)
        if not world.goal_ids and len(world.uids) >= 50:
            await _add_goals(world, advance)
    return added / seconds if seconds else 0.0


def _batches(world: World, missing: int) -> list[tuple[LoadedSpace, int]]:
    batches: list[tuple[LoadedSpace, int]] = []
    # Small data sets use small batches, so that the goals are created before half of the observations.
    most = max(1, min(BATCH, missing // 4))
    for place in world.places:
        left = round(missing * place.share)
        while left > 0:
            batches.append((place, min(most, left)))
            left -= most
    rest = missing - sum(number for _, number in batches)
    if rest > 0:
        batches.append((world.places[0], rest))
    first, *others = batches
    world.random.shuffle(others)
    return [first, *others]


async def _add_goals(world: World, advance: Advance) -> None:
    """Create the goals, each tree in one space that the caller may write to."""
    spaces = [place.space for place in world.places if place.caller is world.caller]
    for number in range(CHAIN + 1):
        above = world.chain[-1] if number else None
        world.chain.append(await _add_goal(world, above, world.caller.home, advance))
    while len(world.goal_ids) < GOALS:
        space = spaces[len(world.roots) % len(spaces)]
        level: list[str | None] = [None]
        for width in (1, CHILDREN, CHILDREN):
            level = [await _add_goal(world, parent, space, advance) for parent in level for _ in range(width)]
            if width == 1:
                world.roots.append(str(level[0]))


async def _add_goal(world: World, parent: str | None, space: str, advance: Advance) -> str:
    random = world.random
    world.past.move()
    goal = await world.loading.goals.service.create(
        world.caller,
        CreateGoal(
            title=text(random, 3, 8),
            description=text(random, 10, 40),
            priority=random.choice(("low", "medium", "high", "critical")),
            goal_type="work",
            parent_goal_id=parent,
            evidence=(EvidenceDraft(observation_id=random.choice(world.uids), note="why"),),
            pending_actions=(action(random),),
            space=space,
        ),
    )
    world.goal_ids.append(goal.uid)
    advance(0)
    return goal.uid


def action(random: Random) -> PendingActionDraft:
    """Return a pending action of a known type."""
    return PendingActionDraft(
        type="agent_task", title=text(random, 3, 6), owner=ActionOwner.AGENT, priority="high"
    )


def _memories(random: Random) -> list[MemoryDraft]:
    mandates = [
        MemoryDraft(kind=MemoryKind.MANDATE, content=text(random), essential=number < MANDATES // 3)
        for number in range(MANDATES)
    ]
    able = [MemoryDraft(kind=MemoryKind.CAPABILITY, content=text(random)) for _ in range(CAPABILITIES)]
    return [*mandates, *able]
