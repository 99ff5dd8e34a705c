"""Measured operations of recall: searches, contexts, and the ingest of messages with their vectors.

Aims for one client, as multiples of the unit (a Bolt `RETURN 1`): a search at most 12, an assembled context
at most 25, both without encoding the question; ingest at least 300 messages a second. The reads of an
operation share a transaction, as those of a request to the API do.
"""

from __future__ import annotations

from typing import Any, cast

from bench.operations import Operation, Prepare, WrongAnswer
from bench.tenants import BATCH, Question, Recall, memories
from bench.world import World
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember

SEARCH, CONTEXT = 12.0, 25.0
MESSAGES_PER_S = 300.0
BUDGET = 2_000
_TIMES = ("CTX-23", "CTX-28")


def _random_question(sort: str) -> Prepare:
    async def prepare(world: World) -> Question:
        return world.random.choice(cast("Recall", world).questions[sort])

    return prepare


async def _search(world: World, question: Any) -> None:
    async with world.services.database.read_transaction():
        found = await world.services.search.search(question.caller, question.text)
    if found.partial:
        raise WrongAnswer("searched without the vector of the question")


async def _preview(world: World, question: Any) -> None:
    request = AssembleContext(prompt=question.text, budget=BUDGET)
    async with world.services.database.read_transaction():
        context = await world.services.context.preview(question.caller, request)
    if context.late or not context.selection.items:
        raise WrongAnswer("an empty or partial context")


async def _assemble(world: World, question: Any) -> None:
    request = AssembleContext(prompt=question.text, budget=BUDGET)
    async with world.services.database.read_transaction():
        context = await world.services.context.assemble(question.caller, request)
    if context.late or not context.selection.items:
        raise WrongAnswer("an empty or partial context")


async def messages(world: World) -> list[MemoryDraft]:
    """Return a batch of new messages in conversations of their own."""
    recall = cast("Recall", world)
    recall.batches += 1
    drafts = memories(world.random, 2 * BATCH, f"new{recall.batches}")
    return [each for each in drafts if each.kind is MemoryKind.MESSAGE][:BATCH]


async def ingest(world: World, drafts: Any) -> None:
    """Remember a batch of messages with vectors of the encoder of the process."""
    services = cast("Recall", world).ingest
    if services is None:
        raise WrongAnswer("no encoder is set")
    await _remember(services, world, drafts)


async def _store(world: World, drafts: Any) -> None:
    """Remember a batch of messages with the vectors of the data set."""
    await _remember(world.services, world, drafts)


async def _remember(services: Services, world: World, drafts: Any) -> None:
    kept = await services.memory.remember(world.caller, Remember(memories=drafts))
    if len(kept.created) != len(drafts):
        raise WrongAnswer(f"{len(kept.created)} remembered of {len(drafts)}")


OPERATIONS: tuple[Operation, ...] = (
    Operation("search-short", "search, eight words", _search, _random_question("short"), aim=SEARCH),
    Operation("search-long", "search, a prompt of 60 words", _search, _random_question("long"), aim=SEARCH),
    Operation(
        "search-entity", "search, names the popular entity", _search, _random_question("entity"), aim=SEARCH
    ),
    Operation(
        "search-largest", "search, the largest tenant", _search, _random_question("largest"), aim=SEARCH
    ),
    Operation(
        "search-smallest", "search, the smallest tenant", _search, _random_question("smallest"), aim=SEARCH
    ),
    Operation(
        "preview", "previewContext, 60 words", _preview, _random_question("long"), aim=CONTEXT, covers=_TIMES
    ),
    Operation(
        "assemble",
        "assembleContext, 60 words",
        _assemble,
        _random_question("long"),
        aim=CONTEXT,
        covers=_TIMES,
        writes=True,
    ),
)

INGEST: tuple[Operation, ...] = (
    Operation(
        "ingest",
        f"remember {BATCH} messages, with the encoder",
        ingest,
        messages,
        rows=BATCH,
        rows_per_s=MESSAGES_PER_S,
        writes=True,
    ),
    Operation(
        "store",
        f"remember {BATCH} messages, vectors of the data set",
        _store,
        messages,
        rows=BATCH,
        rows_per_s=MESSAGES_PER_S,
        writes=True,
    ),
)
