"""Measured operations: one entry per use case, with its aim and the timing promises that it covers.

Aims: a read takes at most 4 times the unit (a Bolt `RETURN 1`), a write of one record at most 10 times, and a
bulk write handles at least 500 rows a second. The option `--only` selects operations by name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from bench.words import GOAL_KEY, HALF, PROMPT, RARE, TAGS, THIRD, draft, text
from bench.world import CHAIN, World, action
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, GoalDraft
from prefrontal.graph.evaluation.record import Reason
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.jobs.runner import Lease
from prefrontal.graph.scratch.record import ObservationContext, ObservationDraft, ObservationFilter

READ, WRITE = 4.0, 10.0
BULK_ROWS_PER_S = 500.0
BULK = 100

Prepare = Callable[[World], Awaitable[Any]]
Run = Callable[[World, Any], Awaitable[Any]]


class WrongAnswer(Exception):
    """An operation returned a wrong result, so its time is meaningless."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A use case that is measured."""

    name: str
    title: str
    run: Run
    prepare: Prepare | None = None
    """Prepares one run; not measured."""
    aim: float | None = None
    """The largest acceptable multiple of the unit's median."""
    rows: int = 0
    """How many records one run writes, for bulk operations."""
    rows_per_s: float | None = None
    """The smallest acceptable rate, for bulk operations."""
    covers: tuple[str, ...] = ()
    """Ids of the timing requirements that this operation measures."""
    writes: bool = False
    http: bool = False
    """Whether it runs over HTTP; the statements in the API's process cannot be timed from here."""


def fresh(number: int) -> Prepare:
    async def prepare(world: World) -> Any:
        drafts = [draft(world.random, world.goal_ids) for _ in range(number)]
        # Most clients add observations without a confidence.
        usual = {"confidence": ObservationDraft.model_fields["confidence"].default}
        return [each.model_copy(update=usual) for each in drafts]

    return prepare


async def _add(world: World, drafts: Any) -> None:
    stored = await world.services.scratch.service.add(world.caller, drafts)
    if len(stored) != len(drafts):
        raise WrongAnswer(f"{len(stored)} stored of {len(drafts)}")


async def _names_a_goal(world: World) -> Any:
    """Return an observation with high confidence that names a goal."""
    (one,) = await fresh(1)(world)
    context = ObservationContext(goal_id=world.random.choice(world.goal_ids))
    return one.model_copy(update={"confidence": 0.95, "context": context, "ttl_minutes": None})


async def _names_a_new_key(world: World) -> Any:
    """Return an observation with high confidence that names a goal key without a goal."""
    (one,) = await fresh(1)(world)
    context = ObservationContext(goal_key=f"key_{world.random.getrandbits(64):x}")
    return one.model_copy(update={"confidence": 0.95, "context": context, "ttl_minutes": None})


def _evaluated(reason: Reason) -> Run:
    async def run(world: World, one: Any) -> None:
        (made,) = await world.services.evaluation.add(world.caller, [one], evaluate=True)
        if made.reason is not reason:
            raise WrongAnswer(f"{made.reason} instead of {reason}")

    return run


def _page(wanted: ObservationFilter) -> Run:
    async def run(world: World, _: Any) -> None:
        page = await world.services.scratch.service.find(world.caller, wanted)
        if page.partial or not page.items:
            raise WrongAnswer("a partial or empty page")

    return run


def _count(wanted: ObservationFilter) -> Run:
    async def run(world: World, _: Any) -> None:
        if not await world.services.scratch.service.count(world.caller, wanted):
            raise WrongAnswer("nothing counted")

    return run


async def _some_goal(world: World) -> ObservationFilter:
    return ObservationFilter(goal_id=world.random.choice(world.goal_ids))


async def _by_goal(world: World, wanted: Any) -> None:
    page = await world.services.scratch.service.find(world.caller, wanted)
    if page.partial or not page.items:
        raise WrongAnswer("a goal without its evidence")


async def goal_draft(world: World) -> Any:
    random = world.random
    return GoalDraft(
        title=text(random, 3, 8),
        description=text(random, 10, 40),
        priority="high",
        evidence=tuple(EvidenceDraft(observation_id=uid) for uid in random.sample(world.uids, 2)),
        pending_actions=(action(random), action(random)),
    )


async def _create_goal(world: World, wanted: Any) -> None:
    await world.services.goals.service.create(world.caller, CreateGoal(**dict(wanted)))


async def _goals_page(world: World, _: Any) -> None:
    if len((await world.services.goals.service.list(world.caller)).items) != 20:
        raise WrongAnswer("not a full page of goals")


async def _some_root(world: World) -> Any:
    return world.random.choice(world.roots)


async def _deep_lineage(world: World, _: Any) -> None:
    found = await world.services.goals.service.lineage(world.caller, world.chain[0], CHAIN)
    # Each goal of the line has one observation as evidence and one action.
    if not 3 * CHAIN <= len(found.nodes) <= 4 * CHAIN:
        raise WrongAnswer(f"a line of {len(found.nodes)} nodes")


async def _lineage(world: World, root: Any) -> None:
    found = await world.services.goals.service.lineage(world.caller, root)
    if not 30 <= len(found.nodes) <= 50:
        raise WrongAnswer(f"a tree of {len(found.nodes)} nodes")


_REQUEST = AssembleContext(prompt=PROMPT, budget=2_000)


async def _assemble(world: World, _: Any) -> None:
    if not (await world.services.context.assemble(world.caller, _REQUEST)).selection.items:
        raise WrongAnswer("an empty context")


async def _preview(world: World, _: Any) -> None:
    if not (await world.services.context.preview(world.caller, _REQUEST)).selection.items:
        raise WrongAnswer("an empty context")


async def _faded(world: World) -> Any:
    """Add a batch of observations that expire at once, and acquire the job's lease."""
    job = ExpireObservations(world.services.catalog)
    drafts = [one.model_copy(update={"ttl_minutes": 0.001}) for one in await fresh(job.table.batch)(world)]
    await world.services.scratch.service.add(world.caller, drafts)
    await asyncio.sleep(0.1)
    for _ in range(job.table.lease_seconds + 1):
        lease = await world.services.jobs.acquire(job)
        if lease is not None:
            return job, lease
        # An interrupted earlier run may still hold the lease until it expires.
        await asyncio.sleep(1)
    raise WrongAnswer("another process runs the expiry job")


async def _expire(world: World, prepared: tuple[ExpireObservations, Lease]) -> None:
    job, lease = prepared
    if await world.services.jobs.run_batch(job, lease) != job.table.batch:
        raise WrongAnswer("not a full batch")


async def _caller(world: World, _: Any) -> None:
    if (await world.services.access.caller(world.principal)).home != world.caller.home:
        raise WrongAnswer("another caller")


_RARE_PAIR = ObservationFilter(tags=(HALF, RARE))
_POPULAR_PAIR = ObservationFilter(tags=(HALF, THIRD))

OPERATIONS: tuple[Operation, ...] = (
    Operation("resolve-caller", "resolve a caller", _caller, aim=READ),
    Operation("page-by-time", "page of 20 by time", _page(ObservationFilter()), aim=READ),
    Operation(
        "page-by-rare-tags",
        "page of 20 by two tags, 50 % and 1 %",
        _page(_RARE_PAIR),
        aim=READ,
        covers=("OBS-37",),
    ),
    Operation(
        "page-by-popular-tags",
        "page of 20 by two tags, 50 % and 33 %",
        _page(_POPULAR_PAIR),
        aim=READ,
        covers=("OBS-37",),
    ),
    Operation(
        "page-by-popular-tag",
        "page of 20 by one tag, 50 %",
        _page(ObservationFilter(tags=(HALF,))),
        aim=READ,
        covers=("OBS-37",),
    ),
    Operation(
        "page-by-topic",
        "page of 20 by one tag, Zipf's tenth",
        _page(ObservationFilter(tags=(TAGS[9],))),
        aim=READ,
    ),
    Operation("page-by-goal", "page by a goal's id", _by_goal, _some_goal, aim=READ),
    Operation(
        "page-by-goal-key",
        "page of 20 by a goal key, 5 %",
        _page(ObservationFilter(goal_key=GOAL_KEY)),
        aim=READ,
    ),
    Operation("count-by-rare-tags", "totalCount of two tags, 50 % and 1 %", _count(_RARE_PAIR), aim=READ),
    Operation(
        "count-by-popular-tags", "totalCount of two tags, 50 % and 33 %", _count(_POPULAR_PAIR), aim=READ
    ),
    Operation("page-of-goals", "page of 20 goals", _goals_page, aim=READ),
    Operation("lineage", "lineage of a tree, 3 levels and 39 nodes", _lineage, _some_root, aim=READ),
    Operation("lineage-deep", f"lineage of a line of {CHAIN} levels, 63 nodes", _deep_lineage, aim=READ),
    Operation(
        "preview-context", "previewContext, 2,000 tokens", _preview, aim=READ, covers=("CTX-23", "CTX-28")
    ),
    Operation(
        "assemble-context",
        "assembleContext, 2,000 tokens",
        _assemble,
        aim=WRITE,
        covers=("CTX-23", "CTX-28"),
        writes=True,
    ),
    Operation("add-one", "add one observation", _add, fresh(1), aim=WRITE, writes=True),
    Operation(
        "add-joining",
        "add one that joins a goal: added, then evaluated",
        _evaluated(Reason.JOINED_GOAL),
        _names_a_goal,
        aim=2 * WRITE,
        writes=True,
    ),
    Operation(
        "add-founding",
        "add one that founds a goal: added, then evaluated",
        _evaluated(Reason.FOUNDED_GOAL),
        _names_a_new_key,
        aim=2 * WRITE,
        writes=True,
    ),
    Operation(
        "create-goal",
        "create a goal, 2 evidences, 2 actions",
        _create_goal,
        goal_draft,
        aim=WRITE,
        writes=True,
    ),
    Operation(
        "add-bulk",
        f"add {BULK} observations in one call",
        _add,
        fresh(BULK),
        rows=BULK,
        rows_per_s=BULK_ROWS_PER_S,
        writes=True,
    ),
    Operation(
        "expire-batch",
        "expiry job, a batch of 500",
        _expire,
        _faded,
        rows=500,
        rows_per_s=BULK_ROWS_PER_S,
        writes=True,
    ),
)
