"""A call of a tool that the database does not take is kept and stored once (source 000, §Test Scenario 7)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.caller import Caller
from prefrontal.graph.errors import Unavailable
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.tools.record import InvocationDraft, TrackToolInvocation
from prefrontal.graph.turns.commit_record import CallStore, CommitTurn
from prefrontal.graph.turns.record import CommitStatus
from prefrontal.graph.turns.tracking import TrackedCall
from tests.support.failing import failing, refusing
from tests.support.thinned import first_by_day
from tests.support.world import World

NEEDS = ObservationDraft(content="Ann needs a cake by Friday", confidence=0.95)


async def track(world: World, caller: Caller, **given: Any) -> TrackedCall:
    usual = {"turn_id": "t", "tool": "calendar", "parameters": {"pin": "1234"}, "result": {"day": "secret"}}
    return await world.services.turns.tracking.track(caller, TrackToolInvocation(**{**usual, **given}))


async def commit(world: World, **given: Any) -> Any:
    command = CommitTurn(**{"turn_id": "t", **given})
    return await world.services.turns.finalization.commit(await world.caller(), command)


async def stored(world: World) -> dict[str, int]:
    counts = await world.counts()
    return {label: counts.get(label, 0) for label in ("ToolInvocation", "Observation", "Goal")}


@pytest.mark.covers("TOOL-28")
@pytest.mark.parametrize("key", first_by_day([None, "c"], "a call without a key"))
async def test_a_call_that_is_refused_is_kept_and_stored_once_by_the_next_commit(
    world: World, key: str | None
) -> None:
    bot = await world.caller()
    with refusing(world.services.tools, "track_in", times=4), capture_logs() as logs:
        done = await track(world, bot, observations=(NEEDS,), client_key=key, idempotency_key="k")
        # Nothing is readable yet, and the answer says so; a repeated call keeps it once.
        assert done == TrackedCall(None, created=True)
        assert await track(world, bot, observations=(NEEDS,), client_key=key, idempotency_key="k") == done
    assert await stored(world) == {"ToolInvocation": 0, "Observation": 0, "Goal": 0}
    (kept,) = await world.rows(
        "MATCH (p:PendingCommit {org_id: $org})-[:FAILED_IN]->(t:Turn) "
        "RETURN p.store AS store, p.status AS status, p.attempts AS attempts, t.key AS turn, "
        "t.ended_at AS ended"
    )
    assert kept == {
        "store": "execution_log",
        "status": "escalated",
        "attempts": 4,
        "turn": "t",
        "ended": None,
    }
    (said,) = [each for each in logs if each["event"] == "invocation_not_recorded"]
    assert (said["log_level"], "calendar" in str(said)) == ("error", False)
    traces = await world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: 'store_failed'}) RETURN e.details AS d ORDER BY e.uid"
    )
    assert [json.loads(each["d"])["attempt"] for each in traces] == [1, 2, 3, 4]
    entries = await world.rows("MATCH (e:TraceEvent {org_id: $org}) RETURN e.message + e.details AS said")
    assert not [each for each in (*logs, *entries) if "1234" in str(each) or "secret" in str(each)]

    world.clock.advance(seconds=1)
    ended = await commit(world)
    assert ended.status is CommitStatus.OK
    assert (await stored(world))["ToolInvocation"] == 1
    assert (await stored(world))["Observation"] == 1
    answer = await track(world, bot, observations=(NEEDS,), client_key=key, idempotency_key="k")
    assert answer.invocation is not None
    assert answer.invocation.parameters == {"pin": "1234"}
    assert len(answer.evaluations) == 1
    if key is not None:
        again = await track(world, bot, observations=(NEEDS,), client_key=key)
        assert (again.created, again.invocation) == (False, answer.invocation)
    before = await stored(world)
    await commit(world, turn_id="next")
    assert await stored(world) == before
    left = await world.rows("MATCH (p:PendingCommit {org_id: $org}) RETURN p.status AS s, p.payload AS p")
    assert left == [{"s": "committed", "p": None}]


@pytest.mark.covers("TOOL-28")
async def test_a_call_that_is_refused_once_is_stored_at_once(world: World) -> None:
    bot = await world.caller()
    with refusing(world.services.tools, "track_in", times=1):
        done = await track(world, bot, observations=(NEEDS,))
    assert done.invocation is not None
    assert len(done.evaluations) == 1
    assert await stored(world) == {"ToolInvocation": 1, "Observation": 1, "Goal": 1}
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org}) RETURN t.commit_status AS status")
    assert turn == {"status": None}


@pytest.mark.covers("TOOL-28")
async def test_a_kept_call_that_was_sent_again_is_stored_once(world: World) -> None:
    bot = await world.caller()
    with refusing(world.services.tools, "track_in", times=4):
        await track(world, bot, client_key="c")
    again = await track(world, bot, client_key="c")
    assert again.created
    await commit(world, tool_invocations=[InvocationDraft(tool="other", result={})])
    assert (await stored(world))["ToolInvocation"] == 2
    left = await world.rows("MATCH (p:PendingCommit {org_id: $org}) RETURN p.status AS status")
    assert left == [{"status": "committed"}]


@pytest.mark.covers("TOOL-28")
async def test_a_result_that_is_no_json_is_kept_too(world: World) -> None:
    bot = await world.caller()
    with refusing(world.services.tools, "track_in", times=1):
        done = await track(world, bot, result={"x": float("nan"), "y": "\ud800"})
    assert done.invocation is not None
    assert done.invocation.error == "invalid response: it is not JSON"


@pytest.mark.covers("TOOL-28")
async def test_a_turn_whose_kept_call_fails_again_is_committed_in_part(world: World) -> None:
    bot = await world.caller()
    with refusing(world.services.tools, "track_in", times=4):
        await track(world, bot)
    with failing(world.services, CallStore.EXECUTION_LOG, times=1):
        done = await commit(world)
    assert (done.status, done.turn.commit_status) == (CommitStatus.PARTIAL, CommitStatus.PARTIAL)
    await commit(world, turn_id="next")
    (turn,) = await world.rows("MATCH (t:Turn {org_id: $org, key: 't'}) RETURN t.commit_status AS status")
    assert (turn, (await stored(world))["ToolInvocation"]) == ({"status": "ok"}, 1)


@pytest.mark.covers("TOOL-28")
async def test_without_a_database_the_caller_is_told_that_the_turn_can_go_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = await world.caller()
    before = await world.counts()

    async def away(*_: object, **__: object) -> None:
        raise Unavailable("the database is away")

    monkeypatch.setattr(world.services.database, "write", away)
    with pytest.raises(Unavailable, match=r"The turn can go on: .* clientKey, or give it to commitTurn"):
        await track(world, bot)
    monkeypatch.undo()
    assert await world.counts() == before
