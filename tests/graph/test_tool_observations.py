"""A call of a tool brings observations along (source 000 and 001, §Related Integrations)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import Duplicate, InvalidInput, NotFound, PrefrontalError
from prefrontal.graph.evaluation.record import Decision, Reason
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.scratch.record import (
    ArchiveObservation,
    Observation,
    ObservationContext,
    ObservationDraft,
    ResolveObservation,
    Source,
    SourceKind,
)
from prefrontal.graph.storage.related import PageOf
from prefrontal.graph.tools.record import InvocationDraft, TrackToolInvocation
from prefrontal.graph.turns.commit_record import CommitTurn
from prefrontal.graph.turns.tracking import TrackedCall
from tests.support.world import World

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NEEDS = ObservationDraft(content="Ann needs a cake by Friday", confidence=0.95, tags=("cake",))
SAYS = ObservationDraft(content="The bakery opens at nine")


async def track(world: World, caller: Caller, *noticed: ObservationDraft, **given: Any) -> TrackedCall:
    command = TrackToolInvocation(
        **{"turn_id": "t", "tool": "calendar", "result": {}, "observations": noticed, **given}
    )
    return await world.services.turns.tracking.track(caller, command)


async def brought_by(world: World, caller: Caller, uid: str) -> tuple[Observation, ...]:
    page = PageOf(uid, 10)
    found = await world.services.tools.observations.pages(caller, [page])
    return tuple(found[page].items) if page in found else ()


@pytest.mark.covers("TOOL-32")
async def test_observations_of_a_call_are_stored_with_it_and_evaluated(world: World) -> None:
    bot = await world.caller()

    done = await track(world, bot, NEEDS, SAYS)

    stored = await brought_by(world, bot, done.invocation.uid)
    assert [each.content for each in stored] == [NEEDS.content, SAYS.content]
    assert {each.source for each in stored} == {Source(kind=SourceKind.TOOL, name="calendar", turn_id="t")}
    assert [(each.observation.uid, each.decision, each.reason) for each in done.evaluations] == [
        (stored[0].uid, Decision.PROMOTE, Reason.FOUNDED_GOAL),
        (stored[1].uid, Decision.KEEP, Reason.BELOW_THRESHOLD),
    ]
    counts = await world.counts()
    assert {label: counts[label] for label in ("ToolInvocation", "Observation", "Goal", "Turn")} == {
        "ToolInvocation": 1,
        "Observation": 2,
        "Goal": 1,
        "Turn": 1,
    }
    # And the other way round.
    page = PageOf(stored[1].uid, 10)
    tools = world.services.tools
    found = await tools.of_observations.pages(bot, [page])
    assert found[page].items == (done.invocation,)
    assert await tools.of_observations.counts(bot, [stored[0].uid]) == {stored[0].uid: 1}
    assert await tools.observations.counts(bot, [done.invocation.uid]) == {done.invocation.uid: 2}
    # All in one transaction: the journal of both is the same.
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org})-[:LOGGED]->(e:TraceEvent) RETURN e.kind AS kind ORDER BY e.uid"
    )
    assert [row["kind"] for row in rows][:3] == [
        "tool_invoked",
        "observations_added",
        "observation_kept",
    ]


@pytest.mark.covers("TOOL-32")
async def test_a_repeated_call_answers_the_same_and_adds_nothing(world: World) -> None:
    bot = await world.caller()
    first = await track(world, bot, NEEDS, SAYS, client_key="c")
    before = await world.counts()
    world.clock.advance(minutes=1)
    again = await track(world, bot, NEEDS, SAYS, client_key="c")
    assert await world.counts() == before
    assert (again.created, again.invocation) == (False, first.invocation)
    assert again.evaluations == first.evaluations
    assert first.evaluations[0].goal_id is not None

    with pytest.raises(Duplicate) as refused:
        await track(world, bot, SAYS, client_key="c")
    assert (refused.value.field, await world.counts()) == ("clientKey", before)
    # What somebody has changed meanwhile is evaluated as it is now.
    uid = first.evaluations[1].observation.uid
    await world.services.scratch.service.change(bot, ArchiveObservation(id=uid))
    changed = await track(world, bot, NEEDS, SAYS, client_key="c")
    assert [each.reason for each in changed.evaluations] == [Reason.ALREADY_LINKED, Reason.BELOW_THRESHOLD]


@pytest.mark.covers("TOOL-32")
@pytest.mark.parametrize(
    ("wrong", "field", "error"),
    [
        ({"content": ""}, "observations[1].content", InvalidInput),
        ({"ttl_minutes": 10**9}, "observations[1].ttlMinutes", InvalidInput),
        ({"source": Source(kind=SourceKind.DAEMON)}, "observations[1].source", InvalidInput),
        ({"source": Source(name="mail")}, "observations[1].source", InvalidInput),
        (
            {"context": ObservationContext(goal_id=new_id(Kind.GOAL, NOW))},
            "observations[1].context.goalId",
            NotFound,
        ),
        ({"contradicts": ("obs_1",)}, "observations[1].contradicts[0]", NotFound),
    ],
)
async def test_one_bad_observation_refuses_the_call_and_nothing_is_written(
    world: World, wrong: dict[str, Any], field: str, error: type[PrefrontalError]
) -> None:
    bot = await world.caller()
    before = await world.counts()
    with pytest.raises(error) as refused:
        await track(world, bot, NEEDS, SAYS.model_copy(update=wrong))
    assert (refused.value.field, await world.counts()) == (field, before)
    # The same in the commit of a turn, under the place of the call.
    draft = InvocationDraft(tool="x", result={}, observations=(NEEDS, SAYS.model_copy(update=wrong)))
    command = CommitTurn(turn_id="t", tool_invocations=(InvocationDraft(tool="y", result={}), draft))
    with pytest.raises(error) as refused:
        await world.services.turns.finalization.commit(bot, command)
    assert (refused.value.field, await world.counts()) == (f"toolInvocations[1].{field}", before)


@pytest.mark.covers("TOOL-32")
async def test_a_call_brings_at_most_as_many_as_addobservations(world: World) -> None:
    bot = await world.caller()
    most = world.services.catalog.limits.observations_per_call
    with pytest.raises(InvalidInput) as refused:
        await track(world, bot, *[SAYS] * (most + 1))
    assert refused.value.field == "observations"


@pytest.mark.covers("TOOL-32")
async def test_the_calls_of_a_commit_bring_observations_too(world: World) -> None:
    bot = await world.caller()
    # In one commit: a new call, one that is repeated in it, and another that names an observation again.
    known = SAYS.model_copy(update={"client_key": "nine"})
    calls = (
        InvocationDraft(tool="calendar", result={}, observations=(NEEDS, known), client_key="c"),
        InvocationDraft(tool="calendar", result={}, observations=(NEEDS, known), client_key="c"),
        InvocationDraft(tool="calendar", result={}, observations=(known,)),
    )
    command = CommitTurn(turn_id="t", tool_invocations=calls, idempotency_key="k")
    await world.services.turns.finalization.commit(bot, command)
    counts = await world.counts()
    assert {label: counts[label] for label in ("ToolInvocation", "Observation", "Goal")} == {
        "ToolInvocation": 2,
        "Observation": 2,
        "Goal": 1,
    }
    rows = await world.rows(
        "MATCH (i:ToolInvocation {org_id: $org})-[:RESULTED_IN]->(o:Observation) "
        "WITH i, o ORDER BY o.uid WITH i, collect(o.content) AS texts RETURN texts ORDER BY i.uid"
    )
    assert [row["texts"] for row in rows] == [[NEEDS.content, SAYS.content], [SAYS.content]]
    # Again, with its key and without: nothing more.
    await world.services.turns.finalization.commit(bot, command)
    assert await world.counts() == counts
    again = await track(world, bot, NEEDS, known, client_key="c")
    assert (again.created, len(again.evaluations)) == (False, 2)
    assert (await world.counts())["Observation"] == 2


async def test_a_reader_without_the_space_sees_neither(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    done = await track(world, bot, NEEDS)
    (stored,) = await brought_by(world, bot, done.invocation.uid)
    assert await brought_by(world, other, done.invocation.uid) == ()
    counts = world.services.tools.of_observations.counts
    assert await counts(other, [stored.uid]) == {}
    assert await counts(bot, [stored.uid]) == {stored.uid: 1}
    # A resolved observation is still one that the call brought.
    await world.services.scratch.service.change(bot, ResolveObservation(id=stored.uid))
    assert [each.uid for each in await brought_by(world, bot, done.invocation.uid)] == [stored.uid]
