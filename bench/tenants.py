"""The data set of `bench.recall`: ten organisations of unequal size, each with agents, spaces and memories.

The n-th organisation has a share of all memories that is proportional to 1 / n. Each has 10 goals with
evidence and actions, mandates and capabilities, and its memories in these spaces:

    40 %  private space of the agent that asks        15 %  private space of another agent
    30 %  a space that the agents share               15 %  common space of the organisation

The agent that asks cannot read the private space of the other one. Of a hundred memories 60 are messages in
conversations, 15 facts, 5 episodes and 20 observations. Everything is added through the services, as a client
would add it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from random import Random

from neo4j import AsyncDriver

from bench import prose
from bench.clock import PastClock
from bench.statements import Statements
from bench.vectors import Observed
from bench.words import LONG_LIFE_MINUTES
from bench.world import Advance, LoadedSpace, World, action
from prefrontal.graph.access.record import CreateSpace
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.caller import Caller, Principal
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.entities.record import EntityName
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter

TENANTS = 10
BATCH = 200
GOALS = 10
QUESTIONS = 40
"""How many questions of each sort are asked in turn."""
_OBSERVATIONS = 0.2
_KINDS = ((MemoryKind.MESSAGE,) * 12, (MemoryKind.FACT,) * 3, (MemoryKind.EPISODE,))
_DRAWN = [kind for kinds in _KINDS for kind in kinds]
_SPEAKERS = 6
_CONVERSATION = 25
"""How many messages of a batch belong to one conversation."""
_KEPT = 400
"""How many texts of a tenant are kept to ask about."""


@dataclass
class Tenant:
    """An organisation of the data set."""

    caller: Caller
    """The agent that asks."""
    places: tuple[LoadedSpace, ...]
    """Where its memories are, with the share of each place in those of the tenant."""
    share: float
    """Its share of all memories."""
    texts: list[str] = field(default_factory=list)
    """Some texts that the caller may read."""
    goals: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """A question and who asks it."""

    caller: Caller
    text: str


@dataclass
class Recall(World):
    """The data set; `caller` is the agent that asks of the largest tenant."""

    tenants: list[Tenant] = field(default_factory=list)
    ingest: Services | None = None
    """Services with the encoder of the process and the system clock; None without an encoder."""
    passages: Observed | None = None
    """The encoder of `ingest`."""
    questions: dict[str, list[Question]] = field(default_factory=dict)
    """The questions of each sort, made anew at each size."""
    batches: int = 0


async def make_recall(settings: Settings, driver: AsyncDriver, seed: int, encoder: Observed) -> Recall:
    """Return the data set without memories; `encoder` makes the vectors of what is loaded and asked."""
    random, statements = Random(seed), Statements()
    past = PastClock(random)
    catalog = load_catalog(settings.registry_dir)
    # A text without its vector would be found by its words alone, and cost less to store.
    patient = catalog.memory.model_copy(update={"embedding_deadline_ms": 600_000})
    catalog = catalog.model_copy(update={"memory": patient})
    services = build_services(settings, driver, observers=[statements], encoder=encoder, catalog=catalog)
    loading = build_services(settings, driver, clock=past, encoder=encoder, catalog=catalog)
    ingest = build_services(settings, driver, observers=[statements], catalog=catalog)
    passages = None
    if ingest.encoder is not None:
        passages = Observed(ingest.encoder)
        ingest = build_services(settings, driver, observers=[statements], catalog=catalog, encoder=passages)
    total = sum(1 / rank for rank in range(1, TENANTS + 1))
    prefix = new_id(Kind.ORGANISATION, services.clock.now()).replace("_", "-").lower()
    tenants = [
        await _tenant(loading, f"{prefix}-{rank}", 1 / rank / total, random) for rank in range(1, TENANTS + 1)
    ]
    return Recall(
        services=services,
        loading=loading,
        past=past,
        random=random,
        statements=statements,
        principal=Principal(org=f"{prefix}-1", agent="planner", roles=("writer",)),
        caller=tenants[0].caller,
        places=tuple(place for tenant in tenants for place in tenant.places),
        tenants=tenants,
        ingest=ingest if passages is not None else None,
        passages=passages,
    )


async def _tenant(services: Services, key: str, share: float, random: Random) -> Tenant:
    await services.access.create_organisation(key)
    principal = Principal(org=key, agent="planner", roles=("writer",))
    caller = await services.access.caller(principal)
    team = await services.access.create_space(caller, CreateSpace(name="team"))
    caller = await services.access.caller(principal)
    common = caller.common
    assert common is not None  # noqa: S101 - an agent reads the common space
    scout = await services.access.caller(Principal(org=key, agent="scout", roles=("writer",)))
    drafts = [
        MemoryDraft(kind=kind, content=prose.text(random), essential=number == 0)
        for kind in (MemoryKind.MANDATE, MemoryKind.CAPABILITY)
        for number in range(5)
    ]
    await services.memory.remember(caller, Remember(memories=drafts))
    places = (
        LoadedSpace(caller, caller.home, 0.40),
        LoadedSpace(caller, team, 0.30),
        LoadedSpace(caller, common, 0.15),
        LoadedSpace(scout, scout.home, 0.15),
    )
    return Tenant(caller, places, share)


async def grow_recall(world: Recall, size: int, advance: Advance) -> float:
    """Add memories until there are `size`; return how many one client added per second."""
    seconds, added = 0.0, 0
    batches = [
        (tenant, place, number)
        for tenant, place, missing in _missing(world, size - world.size)
        for number in _portions(missing)
    ]
    # The tenants' memories mix in the indexes, as those of tenants that write at the same time do.
    world.random.shuffle(batches)
    for tenant, place, number in batches:
        world.past.move()
        world.batches += 1
        seconds += await _add(world, tenant, place, number)
        added += number
        world.size += number
        advance(number)
        await _add_goals(world, tenant)
    _ask(world)
    return added / seconds if seconds else 0.0


def _missing(world: Recall, missing: int) -> list[tuple[Tenant, LoadedSpace, int]]:
    """Return how many memories each place gets; the rest of the rounding goes to the largest place."""
    found = [
        (tenant, place, int(missing * tenant.share * place.share))
        for tenant in world.tenants
        for place in tenant.places
    ]
    (tenant, place, number), *others = found
    rest = missing - sum(number for _, _, number in found)
    return [(tenant, place, number + rest), *others]


def _portions(missing: int) -> list[int]:
    return [min(BATCH, missing - start) for start in range(0, missing, BATCH)]


async def _add(world: Recall, tenant: Tenant, place: LoadedSpace, number: int) -> float:
    """Add memories to a place; return the seconds of the calls."""
    random, services = world.random, world.loading
    noticed = [observation(random) for _ in range(round(number * _OBSERVATIONS))]
    drafts = memories(random, number - len(noticed), f"c{world.batches}")
    started = time.perf_counter()
    if drafts:
        await services.memory.remember(place.caller, Remember(memories=drafts, space=place.space))
    uids = []
    if noticed:
        stored = await services.scratch.service.add(place.caller, noticed, space=place.space)
        uids = [each.uid for each in stored]
    seconds = time.perf_counter() - started
    if place.caller is tenant.caller:
        contents = [each.content for each in drafts] + [each.content for each in noticed]
        tenant.texts = [*tenant.texts, *contents][-_KEPT:]
        if place.space == tenant.caller.home:
            world.uids = uids or world.uids
    return seconds


def memories(random: Random, number: int, conversation: str) -> list[MemoryDraft]:
    """Return drafts of messages in conversations, of facts and of episodes."""
    drafts, said = [], 0
    for _ in range(number):
        kind, who = random.choice(_DRAWN), prose.name(random)
        message = kind is MemoryKind.MESSAGE
        drafts.append(
            MemoryDraft(
                kind=kind,
                content=prose.text(random, who),
                entities=(EntityName(name=who),),
                speaker=random.choice(prose.NAMES[:_SPEAKERS]) if message else None,
                conversation=f"{conversation}-{said // _CONVERSATION}" if message else None,
            )
        )
        said += message
    return drafts


def observation(random: Random) -> ObservationDraft:
    who = prose.name(random)
    return ObservationDraft(
        content=prose.text(random, who),
        confidence=round(random.random(), 2),
        entities=(EntityName(name=who),),
        ttl_minutes=LONG_LIFE_MINUTES,
    )


async def _add_goals(world: Recall, tenant: Tenant) -> None:
    """Create the goals of a tenant, once there is evidence for them in its own space."""
    random = world.random
    while tenant.goals < GOALS:
        own = await world.loading.scratch.service.find(
            tenant.caller, ObservationFilter(space=tenant.caller.home)
        )
        if not own.items:
            return
        evidence = random.sample(own.items, min(2, len(own.items)))
        await world.loading.goals.service.create(
            tenant.caller,
            CreateGoal(
                title=prose.text(random)[:80],
                description=prose.text(random),
                priority=random.choice(("low", "medium", "high", "critical")),
                evidence=tuple(EvidenceDraft(observation_id=each.uid) for each in evidence),
                pending_actions=(action(random), action(random)),
            ),
        )
        tenant.goals += 1


def _ask(world: Recall) -> None:
    """Make the questions for the present size: the tenants ask as often as they are large."""
    random = world.random
    known = [tenant for tenant in world.tenants if tenant.texts]
    weights = [tenant.share for tenant in known]

    def make_questions(tenants: list[Tenant]) -> dict[str, list[Question]]:
        asking = random.choices(tenants, weights[: len(tenants)], k=QUESTIONS)
        return {
            "short": [
                Question(t.caller, prose.short_question(random, random.choice(t.texts))) for t in asking
            ],
            "long": [Question(t.caller, prose.long_prompt(random.choices(t.texts, k=6))) for t in asking],
            "entity": [
                Question(t.caller, prose.question_about(random, prose.NAMES[0], random.choice(t.texts)))
                for t in asking
            ],
        }

    world.questions = make_questions(known)
    for name, tenants in (("largest", known[:1]), ("smallest", known[-1:])):
        every = make_questions(tenants)
        world.questions[name] = [each for several in zip(*every.values(), strict=True) for each in several]
