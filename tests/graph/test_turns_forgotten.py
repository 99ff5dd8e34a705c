"""What turns keep of a text goes when it is forgotten: exports, summaries, and failed parts of commits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prefrontal.graph.memory.record import Forget, MemoryFilter, MemoryKind
from prefrontal.graph.turns import recovery
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, StateDraft
from prefrontal.graph.turns.record import TurnAction
from tests.support.failing import failing
from tests.support.thinned import first_by_day
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("an export and a summary go with what they say: tried with each change")

SECRET = 'The "PIN" is\n4711'


async def commit(world: World, turn: str, **given: Any) -> Any:
    return await world.services.turns.finalization.commit(
        await world.caller(), CommitTurn(turn_id=turn, **given)
    )


async def memory_of(world: World, kind: MemoryKind, text: str) -> str:
    page = await world.services.memory.list(await world.caller(), MemoryFilter(kinds=(kind,)), first=50)
    (found,) = (each.uid for each in page.items if each.content == text)
    return found


async def kept(world: World) -> dict[str, tuple[int, bool]]:
    """Of each turn the number of its exports, and whether it has a summary."""
    rows = await world.rows(
        "MATCH (t:Turn {org_id: $org}) RETURN t.key AS key, COUNT { (t)-[:EXPORTED]->() } AS exports, "
        "t.summary IS NOT NULL AS summary"
    )
    return {row["key"]: (row["exports"], row["summary"]) for row in rows}


async def payloads(world: World) -> list[dict[str, Any]]:
    rows = await world.rows(
        "MATCH (p:PendingCommit {org_id: $org}) WHERE p.payload IS NOT NULL "
        "RETURN p.payload AS payload ORDER BY p.uid"
    )
    return [json.loads(row["payload"]) for row in rows]


@pytest.mark.covers("TURN-51")
@pytest.mark.parametrize("kind", first_by_day([MemoryKind.EPISODE, MemoryKind.MESSAGE], "an episode"))
async def test_an_export_and_a_summary_go_with_what_they_say(world: World, kind: MemoryKind) -> None:
    said = {"user_input": SECRET} if kind is MemoryKind.MESSAGE else {}
    happened = [StateDraft(content=SECRET, importance=1)] if kind is MemoryKind.EPISODE else []
    first = await commit(world, "t", events=happened, **said)
    await commit(world, "u", user_input="Hi", events=[StateDraft(content="Low tide", importance=1)])
    # The words of another turn that says the same are in no memory of its own.
    await commit(world, "v", warnings=[SECRET.upper()])

    bot = await world.caller()
    await world.services.memory.forget(bot, Forget(id=await memory_of(world, kind, SECRET)))

    assert await kept(world) == {"t": (0, False), "u": (1, True), "v": (0, False)}
    assert await world.services.turns.trace.exports(bot, [first.export_id]) == {}
    erased = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'record.erased'}) "
        "RETURN e.aggregate AS uid, e.data AS data"
    )
    assert len(erased) == 2
    assert {"uid": first.export_id, "data": json.dumps({"record_id": first.export_id})} in [
        {"uid": each["uid"], "data": json.dumps(json.loads(each["data"]))} for each in erased
    ]


@NIGHTLY
@pytest.mark.covers("TURN-51")
async def test_a_part_of_a_commit_that_failed_loses_what_was_forgotten_and_brings_the_rest(
    world: World,
) -> None:
    await commit(world, "s", events=[StateDraft(content=SECRET, importance=1)])
    secret = await memory_of(world, MemoryKind.EPISODE, SECRET)
    with failing(world.services, *CommitStore, times=4):
        await commit(
            world,
            "t",
            user_input=SECRET,
            assistant_response="Noted",
            events=[
                StateDraft(content=SECRET.lower(), importance=1),
                StateDraft(content="Low tide", importance=1),
            ],
            new_actions=[TurnAction(title="Row", type="agent_task")],
        )
    assert "4711" in json.dumps(await payloads(world))

    await world.services.memory.forget(await world.caller(), Forget(id=secret))

    left = await payloads(world)
    assert len(left) == len(CommitStore)
    assert "4711" not in json.dumps(left)
    world.clock.advance(seconds=1)
    await commit(world, "u")
    assert await payloads(world) == []
    live = await world.rows(
        "MATCH (m:Remembered {org_id: $org}) WHERE m.live RETURN m.content AS text ORDER BY text"
    )
    assert [row["text"] for row in live] == ["Low tide", "Noted"]
    actions = await world.rows("MATCH (a:PendingAction {org_id: $org}) RETURN a.title AS title")
    assert actions == [{"title": "Row"}]


@NIGHTLY
async def test_a_part_that_changed_while_it_was_prepared_is_prepared_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await commit(world, "s", events=[StateDraft(content=SECRET, importance=1)])
    secret = await memory_of(world, MemoryKind.EPISODE, SECRET)
    with failing(world.services, CommitStore.EPISODIC, times=4):
        await commit(
            world,
            "t",
            events=[
                StateDraft(content=SECRET.lower(), importance=1),
                StateDraft(content="Low tide", importance=1),
            ],
        )
    lock, times = recovery.store.lock_pending, []

    async def forgotten_first(*given: Any) -> Any:
        times.append(1)
        if len(times) == 1:
            await world.services.memory.forget(await world.caller(), Forget(id=secret))
        return await lock(*given)

    monkeypatch.setattr(recovery.store, "lock_pending", forgotten_first)
    world.clock.advance(seconds=1)
    await commit(world, "u")
    assert len(times) == 2
    live = await world.rows("MATCH (m:Remembered {org_id: $org}) WHERE m.live RETURN m.content AS text")
    assert live == [{"text": "Low tide"}]
    assert await payloads(world) == []
