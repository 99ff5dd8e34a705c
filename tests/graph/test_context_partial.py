"""Contexts when something is not read in time: what is there is returned, and what is missing is named."""

from __future__ import annotations

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.context.record import AssembleContext, CandidateKind, Context, Request, Source
from prefrontal.graph.cortex.actions.record import PendingActionDraft
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import TimedOut
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.sessions.record import StartSession
from tests.support.slowing import slowed
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("what is late is left out and named with each change")

KIND = CandidateKind
REQUEST = Request(prompt="Which wine goes with the dinner?", budget=5000)
STANDING = {KIND.MANDATE, KIND.GOAL}
STEPS = {KIND.PENDING_ACTION}
FOUND = {KIND.FACT}


async def caller_with_memories(world: World) -> Caller:
    caller = await world.caller()
    remembered = Remember(
        memories=[
            MemoryDraft(kind=MemoryKind.MANDATE, content="Never order without asking"),
            MemoryDraft(kind=MemoryKind.FACT, content="Burgundy is the wine for the dinner"),
        ]
    )
    await world.services.memory.remember(caller, remembered)
    order = PendingActionDraft(type="research", title="Compare shops", effort=1.0, priority="medium")
    await world.services.goals.service.create(
        caller, CreateGoal(title="Order the wine", pending_actions=(order,))
    )
    return caller


def kinds(context: Context) -> set[CandidateKind]:
    return {item.kind for item in context.selection.items}


@pytest.mark.covers("CTX-43", "CTX-44")
@pytest.mark.parametrize(
    ("statement", "late", "left"),
    [
        ("context/read_candidates", Source.STANDING, FOUND | STEPS),
        ("context/read_steps", Source.STEPS, FOUND | STANDING),
        ("search/search_memory", Source.MEMORIES, STANDING | STEPS),
    ],
)
async def test_what_is_late_is_left_out_and_named_and_a_later_call_has_it(
    world: World, statement: str, late: Source, left: set[CandidateKind]
) -> None:
    caller = await caller_with_memories(world)
    service = world.services.context
    whole = await service.preview(caller, REQUEST)
    assert (whole.partial, whole.late, kinds(whole)) == (False, (), STANDING | STEPS | FOUND)

    with slowed(world.services.database, statement, timeout_s=1.0):
        partial = await service.preview(caller, REQUEST)

    assert (partial.partial, partial.late, kinds(partial)) == (True, (late,), left)
    assert "# Incomplete\n- Not ready in time" in partial.selection.text
    again = await service.preview(caller, REQUEST)
    assert again.selection == whole.selection


@pytest.mark.covers("CTX-43", "TRC-08")
async def test_a_partial_context_leaves_a_receipt_and_a_trace_of_what_it_has(world: World) -> None:
    caller = await caller_with_memories(world)
    command = AssembleContext(**dict(REQUEST), turn_id="t")
    # The statements are planned, and the write is as fast as it is going to be.
    await world.services.context.assemble(caller, command)

    with slowed(world.services.database, "search/search_memory", timeout_s=1.0):
        context = await world.services.context.assemble(caller, command)

    assert context.late == (Source.MEMORIES,)
    receipt = await world.services.context.receipt(caller, "t")
    assert receipt == context.receipt
    assert [each.uid for each in receipt.included] == [each.uid for each in context.selection.items]
    page = await world.services.turns.trace.trace(caller, "t", kinds=[TraceKind.CONTEXT_ASSEMBLED])
    assert [(each.message, each.details["late"]) for each in page.items] == [
        ("Context assembled", []),
        ("Context assembled, without what was late", ["memories"]),
    ]
    assert page.items[1].details["included"] == len(receipt.included)


@NIGHTLY
@pytest.mark.covers("CTX-43")
async def test_what_a_session_holds_may_be_late(world: World) -> None:
    caller = await caller_with_memories(world)
    await world.services.sessions.start(caller, StartSession(key="trip"))
    request = REQUEST.model_copy(update={"session_id": "trip"})

    with slowed(world.services.database, "sessions/read_contents", timeout_s=1.0):
        partial = await world.services.context.preview(caller, request)

    assert (partial.late, kinds(partial)) == ((Source.SESSION,), STANDING | STEPS | FOUND)


@NIGHTLY
@pytest.mark.covers("CTX-43")
async def test_if_everything_is_late_the_call_fails_and_writes_nothing(world: World) -> None:
    caller = await caller_with_memories(world)
    before = await world.counts()

    with (
        slowed(world.services.database, "context/read_candidates", "search/search_memory", timeout_s=0.5),
        pytest.raises(TimedOut),
    ):
        await world.services.context.assemble(caller, AssembleContext(**dict(REQUEST)))

    # The mandates alone are enough to refuse a strict context.
    with (
        slowed(world.services.database, "context/read_candidates", timeout_s=0.5),
        pytest.raises(TimedOut),
    ):
        await world.services.context.assemble(caller, AssembleContext(**{**dict(REQUEST), "strict": True}))

    assert await world.counts() == before
