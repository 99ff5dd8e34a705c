"""Tools are tracked, whatever came of the call (source 000, §Test Scenarios 3, 6 and 7)."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import Duplicate, InvalidInput, NotFound, TooLarge
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import TraceKind
from prefrontal.graph.tools.record import (
    Invocation,
    InvocationFilter,
    InvocationStatus,
    TrackToolInvocation,
)
from prefrontal.graph.turns.record import StartTurn
from tests.support.world import World

SUCCESS, FAILED = InvocationStatus.SUCCESS, InvocationStatus.FAILED


async def track(
    world: World, caller: Caller, tool: str = "weather_api", turn: str = "t", **fields: Any
) -> Invocation:
    given = {"result": {}, **fields}
    # Two calls of one client are further apart than a millisecond, to which ids tell times.
    world.clock.advance(seconds=0.001)
    done = await world.services.tools.track(caller, TrackToolInvocation(turn_id=turn, tool=tool, **given))
    return done.invocation


async def log(world: World, caller: Caller, **wanted: Any) -> list[Invocation]:
    """The execution log, newest first."""
    turn = None
    if key := wanted.get("turn_id"):
        found = await world.services.turns.trace.get(caller, key)
        turn = found.uid if found else ""
    return [*(await world.services.tools.list(caller, InvocationFilter(**wanted), turn)).items]


async def calls_of(world: World, caller: Caller, turn: str) -> list[Invocation]:
    """The invocations of a turn, in call order."""
    found = await world.services.turns.trace.get(caller, turn)
    assert found
    page = world.services.tools.of_turns.page_of(found.uid, 100, None)
    return [*(await world.services.tools.of_turns.pages(caller, [page]))[page].items]


@pytest.mark.covers("TOOL-01..08", "TRC-03")
async def test_scenario_3_an_invocation_is_recorded_with_all_its_details(world: World) -> None:
    bot = await world.caller()
    began = await world.services.turns.start.start(bot, StartTurn(turn_id="t"))
    world.statements.clear()

    made = await track(
        world,
        bot,
        parameters={"location": "Paris", "units": "celsius"},
        result={"temperature": 15, "condition": "cloudy", "humidity": 65},
        execution_time_ms=234,
    )

    assert world.statements.names == [
        "journal/enter_turn",
        "tools/track_invocations",
        "journal/append_entries",
        "tools/find_invocations",
    ]
    assert (made.tool, made.status, made.error) == ("weather_api", SUCCESS, None)
    assert made.parameters == {"location": "Paris", "units": "celsius"}
    result = (await world.services.tools.results(bot, [made.uid]))[made.uid]
    assert result == {"temperature": 15, "condition": "cloudy", "humidity": 65}
    assert (made.execution_time_ms, made.execution_time_reported) == (234, True)
    assert kind_of(made.uid) is Kind.TOOL_INVOCATION
    assert (made.turn_uid, made.created_at, made.called_at) == (
        began.turn.uid,
        world.clock.now(),
        world.clock.now(),
    )
    assert await log(world, bot) == [made]
    (started, entry) = (await world.services.turns.trace.trace(bot, "t")).items
    assert started.kind is TraceKind.TURN_STARTED
    assert (entry.kind, entry.message, entry.ids) == (TraceKind.TOOL_INVOKED, "Tool invoked", (made.uid,))
    assert entry.details == {"tool": "weather_api", "status": "success", "executionTimeMs": 234}


@pytest.mark.covers("TOOL-04", "TOOL-09")
async def test_a_tool_without_parameters_has_an_empty_object_and_a_time_of_0(world: World) -> None:
    bot = await world.caller()
    made = await track(world, bot)
    assert (made.parameters, made.execution_time_ms, made.execution_time_reported) == ({}, 0, False)


@pytest.mark.covers("TOOL-05", "TOOL-10")
async def test_a_large_result_is_stored_whole_and_is_not_in_the_lists(world: World) -> None:
    bot, table = await world.caller(), world.services.catalog.turns
    rows = [{"name": f"città {number}", "temperature": number / 7} for number in range(4000)]
    made = await track(world, bot, result={"rows": rows})

    assert (await world.services.tools.results(bot, [made.uid]))[made.uid] == {"rows": rows}
    text = json.dumps({"rows": rows}, ensure_ascii=False)
    assert made.result_bytes == len(text.encode())
    assert made.result_preview == text[: table.result_preview_characters]
    (stored,) = await world.rows(
        "MATCH (i:ToolInvocation {org_id: $org})<-[:PART_OF]-(p:ResultPart) "
        "WITH i, p ORDER BY p.place RETURN i.result AS whole, collect(size(p.text)) AS sizes"
    )
    assert stored["whole"] is None
    assert sum(stored["sizes"]) == len(text)
    assert {*stored["sizes"][:-1]} == {table.result_part_characters}
    assert len(stored["sizes"]) > 2


@pytest.mark.covers("TOOL-21")
@pytest.mark.parametrize("result", [{"\ud800": 1}, {"x": "\ud800"}, {"x": float("nan")}, "\ud800"])
async def test_what_is_no_json_is_recorded_once_under_its_keys(world: World, result: Any) -> None:
    bot, tools = await world.caller(), world.services.tools
    command = TrackToolInvocation(turn_id="t", tool="x", result=result, client_key="c", idempotency_key="k")
    made = [await tools.track(bot, command) for _ in range(2)]
    later = await tools.track(bot, command.model_copy(update={"idempotency_key": None}))
    assert {each.invocation.uid for each in (*made, later)} == {made[0].invocation.uid}
    assert made[0].invocation.error == "invalid response: it is not JSON"
    stored = (await tools.results(bot, [made[0].invocation.uid]))[made[0].invocation.uid]
    assert stored["raw"] == ascii(result)


async def test_a_result_over_the_limit_is_refused_and_nothing_is_written(world: World) -> None:
    bot = await world.caller()
    before = await world.counts()
    most = world.services.catalog.limits.tool_result_characters
    with pytest.raises(TooLarge) as caught:
        await track(world, bot, result={"text": "x" * most})
    assert caught.value.field == "result"
    with pytest.raises(InvalidInput) as empty:
        await track(world, bot, tool=" ")
    assert empty.value.field == "tool"
    assert await world.counts() == before


@pytest.mark.covers("TOOL-11", "TOOL-12", "TOOL-24", "TRC-07")
async def test_equal_calls_are_records_of_their_own_in_call_order(world: World) -> None:
    bot = await world.caller()
    cities = ["Paris", "London", "Tokyo", "Paris", "Paris"]
    made = [await track(world, bot, parameters={"location": city}) for city in cities]
    calls = await calls_of(world, bot, "t")
    assert [call.parameters["location"] for call in calls] == cities
    assert calls == made
    assert len({call.uid for call in calls}) == 5
    entries = (await world.services.turns.trace.trace(bot, "t")).items
    assert [entry.ids for entry in entries] == [(call.uid,) for call in made]


@pytest.mark.covers("TOOL-14..19", "TOOL-22", "TOOL-23", "TRC-06")
async def test_scenario_6_failures_are_recorded_and_the_turn_goes_on(world: World) -> None:
    bot = await world.caller()
    failed = await track(world, bot, result={"error": "Rate limit exceeded"})
    late = await track(world, bot, timed_out=True)
    worked = await track(world, bot, "web_search", result={"answer": "15 degrees"})

    assert (failed.status, failed.error) == (FAILED, "Rate limit exceeded")
    results = await world.services.tools.results(bot, [failed.uid, late.uid])
    assert results[failed.uid] == {"error": "Rate limit exceeded"}
    assert results[late.uid] == {"error": "timeout: no answer"}
    assert [(c.tool, c.status) for c in await calls_of(world, bot, "t")] == [
        ("weather_api", FAILED),
        ("weather_api", FAILED),
        ("web_search", SUCCESS),
    ]
    assert await log(world, bot, status=FAILED) == [late, failed]
    assert await log(world, bot, status=FAILED, tool="web_search") == []
    assert await log(world, bot) == [worked, late, failed]
    entries = (await world.services.turns.trace.trace(bot, "t", kinds=[TraceKind.TOOL_FAILED])).items
    assert [(entry.message, entry.ids) for entry in entries] == [
        ("Tool failed", (failed.uid,)),
        ("Tool failed", (late.uid,)),
    ]


@pytest.mark.covers("TOOL-08", "TOOL-30")
async def test_the_log_is_filtered_by_tool_status_turn_goal_and_time(world: World) -> None:
    bot = await world.caller()
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Know the weather"))
    start = world.clock.now()
    first = await track(world, bot, turn="one", goal_id=goal.uid)
    world.clock.advance(minutes=1)
    second = await track(world, bot, "web_search", turn="one", error="no")
    world.clock.advance(minutes=1)
    third = await track(world, bot, turn="two", error="no", goal_id=goal.uid)
    cases: list[tuple[dict[str, Any], list[Invocation]]] = [
        ({}, [third, second, first]),
        ({"tool": "weather_api"}, [third, first]),
        ({"tool": "weather"}, []),
        ({"status": FAILED}, [third, second]),
        ({"status": SUCCESS}, [first]),
        ({"turn_id": "one"}, [second, first]),
        ({"turn_id": "one", "status": FAILED}, [second]),
        ({"turn_id": "none"}, []),
        ({"goal_id": goal.uid}, [third, first]),
        ({"goal_id": goal.uid, "tool": "weather_api", "status": FAILED}, [third]),
        ({"goal_id": "goal_x"}, []),
        ({"since": start + timedelta(minutes=1)}, [third, second]),
        ({"until": start + timedelta(minutes=1)}, [first]),
        ({"since": start + timedelta(minutes=1), "until": start + timedelta(minutes=2)}, [second]),
    ]
    for wanted, found in cases:
        for _ in range(2):
            assert await log(world, bot, **wanted) == found, wanted
        turn = None
        if key := wanted.get("turn_id"):
            named = await world.services.turns.trace.get(bot, key)
            turn = named.uid if named else ""
        counted = await world.services.tools.count(bot, InvocationFilter(**wanted), turn)
        assert counted == len(found), wanted
    page = await world.services.tools.list(bot, InvocationFilter(), first=2)
    rest = await world.services.tools.list(bot, InvocationFilter(), first=2, after=page.cursors[-1])
    assert ([*page.items, *rest.items], page.has_next, rest.has_next) == ([third, second, first], True, False)
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org})-[:INVOKED]->(i:ToolInvocation) "
        "OPTIONAL MATCH (i)-[:ADVANCES]->(g:Goal) RETURN t.key AS turn, g.uid AS goal ORDER BY i.uid"
    )
    assert [(row["turn"], row["goal"]) for row in rows] == [
        ("one", goal.uid),
        ("one", None),
        ("two", goal.uid),
    ]


@pytest.mark.covers("TOOL-26")
async def test_an_invocation_that_is_tracked_again_is_one_record(world: World) -> None:
    bot, tools = await world.caller(), world.services.tools
    command = TrackToolInvocation(turn_id="t", tool="search", result={"n": 1}, client_key="call-1")
    first = await tools.track(bot, command)
    before = await world.counts()
    again = await tools.track(bot, command)
    # In another turn, too: it is the same call.
    later = await tools.track(bot, command.model_copy(update={"turn_id": "t"}))

    assert (first.created, again.created, later.created) == (True, False, False)
    assert first.invocation == again.invocation == later.invocation
    assert await world.counts() == before
    with pytest.raises(Duplicate) as caught:
        await tools.track(bot, command.model_copy(update={"result": {"n": 2}}))
    assert caught.value.field == "clientKey"
    assert await world.counts() == before
    keyed = TrackToolInvocation(turn_id="t", tool="search", result={}, idempotency_key="k")
    assert await tools.track(bot, keyed) == await tools.track(bot, keyed)
    assert len(await log(world, bot)) == 2


@pytest.mark.covers("TOOL-27", "TOOL-29")
async def test_concurrent_invocations_are_each_recorded_once_while_others_read(world: World) -> None:
    bot = await world.caller()

    async def one(number: int) -> Invocation:
        # Two of each, as of a client that sends again.
        return await track(world, bot, parameters={"n": number // 2}, client_key=f"call-{number // 2}")

    async def read() -> None:
        for _ in range(10):
            found = await log(world, bot)
            assert all(call.parameters.keys() == {"n"} for call in found)

    *made, _ = await asyncio.gather(*(one(number) for number in range(20)), read())

    assert len({call.uid for call in made if call}) == 10
    assert sorted(call.parameters["n"] for call in await calls_of(world, bot, "t")) == [*range(10)]
    counts = await world.counts()
    assert (counts["ToolInvocation"], counts["Turn"]) == (10, 1)


async def test_others_see_nothing_of_it_and_a_foreign_goal_is_unknown(world: World) -> None:
    bot, other = await world.caller(), await world.caller("other")
    goal = await world.services.goals.service.create(other, CreateGoal(title="Private"))
    made = await track(world, bot, client_key="k")
    assert await log(world, other) == []
    assert await world.services.tools.get(other, [made.uid]) == {}
    assert await world.services.tools.results(other, [made.uid]) == {}
    assert await log(world, other, tool="weather_api") == []
    assert await world.services.tools.count(other, InvocationFilter()) == 0
    turn = await world.services.turns.trace.get(bot, "t")
    assert turn
    for reader, number in ((bot, 1), (other, 0)):
        assert (await world.services.tools.of_turns.counts(reader, [turn.uid])).get(turn.uid, 0) == number
    # The key of another space is free.
    assert (await track(world, other, client_key="k")).uid != made.uid
    before = await world.counts()
    for unknown in (goal.uid, "goal_x"):
        with pytest.raises(NotFound) as caught:
            await track(world, bot, goal_id=unknown)
        assert caught.value.field == "goalId"
    assert await world.counts() == before


@pytest.mark.alone
@pytest.mark.covers("TOOL-25")
async def test_the_log_keeps_every_invocation_for_its_time(world: World) -> None:
    bot, days = await world.caller(), world.services.catalog.retention.invocation_days
    old = await track(world, bot, result={"rows": ["x" * 70_000]})
    world.clock.advance(days=days - 1)
    new = await track(world, bot)
    job = world.services.jobs.named["delete_invocations"]
    await world.services.jobs.run_once(job)
    assert await log(world, bot) == [new, old]

    world.clock.advance(days=1, seconds=1)

    # Gone for readers before the job runs, and then from the graph.
    assert await log(world, bot) == [new]
    assert await world.services.tools.get(bot, [old.uid]) == {}
    assert await world.services.tools.results(bot, [old.uid]) == {}
    assert (await world.counts())["ResultPart"] == 3
    await world.services.jobs.run_once(job)
    counts = await world.counts()
    assert (counts["ToolInvocation"], counts.get("ResultPart")) == (1, None)
    assert await log(world, bot) == [new]
