"""The data set of `bench.turns`: agents of one organisation, each with goals, facts and turns of its own.

Turns are added one by one through the service, by several clients, as `bench.turns_operations` measures them.
Vectors are made without a model.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from neo4j import AsyncDriver

from bench import prose
from bench.clock import PastClock
from bench.statements import Statements
from bench.vectors import Observed
from bench.world import Advance, LoadedSpace, World
from prefrontal.graph.bootstrap.build import build_services
from prefrontal.graph.caller import Caller, Principal
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.lessons.outcome_record import FeedbackDraft, OutcomeDraft, RecordOutcome
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.tools.record import TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitTurn
from prefrontal.graph.turns.record import CommitAtTurnEnd, CommitStatus, TurnObservation, TurnProgress

AGENTS = 32
GOALS, FACTS = 10, 40
"""What each agent has."""
TOOLS = ("web_search", "calendar", "weather_api")
OBSERVATIONS, UPDATES = 4, 2
LOADERS = 8
STEP = 0.0001
"""What an update adds to a goal's progress: small, so that no goal is done after 10,000 turns."""


@dataclass
class Agent:
    """One agent, and its goals."""

    caller: Caller
    goals: list[str]


@dataclass
class Turns(World):
    """The data set; its size is the number of turns that the first agent has committed."""

    agents: list[Agent] = field(default_factory=list)
    names: Iterator[int] = field(default_factory=itertools.count)
    """Numbers for the names of turns."""
    phases: dict[str, list[float]] = field(default_factory=dict)
    """The milliseconds of each phase of the measured commits, by its name."""
    asked: Iterator[Agent] = field(default_factory=lambda: iter(()))
    """The agents again and again: who is next."""

    def name(self) -> str:
        """Return a name that no turn has yet."""
        return f"turn-{next(self.names)}"


async def make_turns(
    settings: Settings, driver: AsyncDriver, seed: int, encoder: Observed, *, agents: int = AGENTS
) -> Turns:
    """Return the data set with goals and facts, and without turns."""
    random, statements = Random(seed), Statements()
    catalog = load_catalog(settings.registry_dir)
    services = build_services(settings, driver, observers=[statements], encoder=encoder, catalog=catalog)
    loading = build_services(settings, driver, encoder=encoder, catalog=catalog)
    org = new_id(Kind.ORGANISATION, services.clock.now()).replace("_", "-").lower()
    await loading.access.create_organisation(org)
    made: list[Agent] = []
    principals = [Principal(org=org, agent=f"agent-{number}", roles=("writer",)) for number in range(agents)]
    for principal in principals:
        caller = await loading.access.caller(principal)
        facts = [MemoryDraft(kind=MemoryKind.FACT, content=prose.text(random)) for _ in range(FACTS)]
        await loading.memory.remember(caller, Remember(memories=tuple(facts)))
        goals = [
            await loading.goals.service.create(caller, CreateGoal(title=prose.text(random)[:100]))
            for _ in range(GOALS)
        ]
        made.append(Agent(caller, [goal.uid for goal in goals]))
    first = made[0]
    return Turns(
        services=services,
        loading=loading,
        past=PastClock(random),
        random=random,
        statements=statements,
        principal=principals[0],
        caller=first.caller,
        places=(LoadedSpace(first.caller, first.caller.home, 1.0),),
        agents=made,
        asked=itertools.cycle(made),
    )


def delta(world: Turns, agent: Agent) -> CommitTurn:
    """Return what a turn has come to: what was said, its outcome, four observations and two goals' steps."""
    goals = world.random.sample(agent.goals, UPDATES)
    return CommitTurn(
        turn_id=world.name(),
        user_input=prose.text(world.random),
        assistant_response=prose.text(world.random),
        outcome=came_of_it(world),
        observations=tuple(
            TurnObservation(
                key=f"seen-{number}",
                content=prose.text(world.random),
                confidence=0.5,
            )
            for number in range(OBSERVATIONS)
        ),
        progress=tuple(TurnProgress(key=goal, goal_id=goal, delta=STEP) for goal in goals),
    )


async def commit(world: Turns, agent: Agent, command: CommitTurn) -> bool:
    """Commit a turn whole, and return whether everything was applied."""
    done = await world.services.turns.finalization.commit(agent.caller, command)
    for each in done.phases:
        world.phases.setdefault(each.phase.value, []).append(each.milliseconds)
    return done.status is CommitStatus.OK and all(result.problem is None for result in done.results)


async def commit_deltas(world: Turns, agent: Agent, command: CommitTurn) -> bool:
    """Commit the deltas of a turn alone, and return whether everything was applied."""
    given = {name: getattr(command, name) for name in ("turn_id", "observations", "progress")}
    results = await world.services.turns.commit.commit(agent.caller, CommitAtTurnEnd(**given))
    return all(result.problem is None for result in results)


def invocation(world: Turns, turn: str, number: int) -> TrackToolInvocation:
    """Return a call of a tool with a result of a few hundred characters."""
    return TrackToolInvocation(
        turn_id=turn,
        tool=TOOLS[number % len(TOOLS)],
        parameters={"query": prose.text(world.random)[:80]},
        result={"found": [prose.text(world.random) for _ in range(3)]},
        execution_time_ms=200,
    )


def outcome(world: Turns, turn: str) -> RecordOutcome:
    """Return an outcome with feedback, from which a lesson can be learned."""
    return RecordOutcome(
        turn_id=turn,
        outcome=came_of_it(world),
    )


def came_of_it(world: Turns) -> OutcomeDraft:
    """Return what came of a turn, with feedback."""
    return OutcomeDraft(
        success=True,
        result=prose.text(world.random),
        feedback=FeedbackDraft(what_worked=prose.text(world.random)),
    )


async def grow_turns(world: Turns, size: int, advance: Advance) -> float:
    """Let the first agent commit turns until it has so many; return the turns per second."""
    missing = size - world.size
    begun, started = 0, time.perf_counter()
    agent = world.agents[0]

    async def loader() -> None:
        nonlocal begun
        while begun < missing:
            begun += 1
            await commit(world, agent, delta(world, agent))
            advance(1)

    await asyncio.gather(*(loader() for _ in range(LOADERS)))
    world.size = size
    return missing / (time.perf_counter() - started) if missing else 0.0


def noted(world: Turns) -> ObservationDraft:
    """Return an observation that founds no goal."""
    return ObservationDraft(content=prose.text(world.random), confidence=0.5)
