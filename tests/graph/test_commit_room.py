"""What happens when the space has no room for the episodes of a turn: what is less important leaves."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.errors import IllegalTransition
from prefrontal.graph.memory.record import (
    Forget,
    MemoryDraft,
    MemoryFilter,
    MemoryKind,
    MemoryStatus,
    Remember,
    Supersede,
)
from prefrontal.graph.turns.commit_record import CommitStore, CommitTurn, Rule, StateDraft
from prefrontal.graph.turns.export_record import StateExport
from tests.support.failing import failing
from tests.support.world import World

QUOTA = 3


@pytest.fixture(autouse=True)
def quota(world: World) -> None:
    catalog = world.services.catalog
    table = catalog.retention.model_copy(update={"episodes_per_space": QUOTA})
    object.__setattr__(catalog, "retention", table)


def event(content: str, importance: float, *tags: str) -> StateDraft:
    return StateDraft(content=content, importance=importance, tags=tags)


async def commit(world: World, turn: str, *events: StateDraft, agent: str = "bot") -> Any:
    world.clock.advance(seconds=1)
    command = CommitTurn(turn_id=turn, events=list(events))
    return await world.services.turns.finalization.commit(await world.caller(agent), command)


async def stored(world: World, *statuses: MemoryStatus, agent: str = "bot") -> dict[str, Any]:
    wanted = MemoryFilter(kinds=(MemoryKind.EPISODE,), statuses=statuses or (MemoryStatus.ACTIVE,))
    page = await world.services.memory.list(await world.caller(agent), wanted, first=50)
    return {each.content: each for each in page.items}


async def export_of(world: World, done: Any) -> StateExport:
    found = await world.services.turns.trace.exports(await world.caller(), [done.export_id])
    return StateExport.model_validate_json(found[done.export_id].body)


async def trace(world: World, kind: str) -> list[tuple[list[str], dict[str, Any]]]:
    rows = await world.rows(
        "MATCH (e:TraceEvent {org_id: $org, kind: $kind}) RETURN e.ids AS ids, e.details AS details "
        "ORDER BY e.uid",
        kind=kind,
    )
    return [(row["ids"], json.loads(row["details"])) for row in rows]


@pytest.mark.covers("TURN-34..36")
async def test_the_least_important_episodes_are_archived_for_more_important_ones(world: World) -> None:
    bot = await world.caller()
    await commit(
        world,
        "a",
        event("The boiler hums", 0.4),
        event("The boiler leaks", 0.6),
        event("Nuts", 0.0, "user_data"),
    )
    await commit(world, "b", event("The boiler was cleaned", 0.4))
    before = await stored(world)
    assert sorted(before) == ["Nuts", "The boiler hums", "The boiler leaks", "The boiler was cleaned"]

    done = await commit(world, "c", event("The boiler is cold", 0.5), event("The boiler glows", 0.4))

    hums = before["The boiler hums"]
    cold, glows = done.selection
    assert (cold.rule, cold.archived, glows.rule, glows.memory, glows.archived) == (
        None,
        (hums.uid,),
        Rule.QUOTA,
        None,
        (),
    )
    after = await stored(world)
    assert sorted(after) == ["Nuts", "The boiler is cold", "The boiler leaks", "The boiler was cleaned"]
    # It is kept, with its history, and deleted when its time is over.
    (gone,) = (await stored(world, MemoryStatus.ARCHIVED)).values()
    assert (gone.uid, gone.live, gone.version) == (hums.uid, False, 2)
    assert gone.retained_until == hums.retained_until == hums.created_at + timedelta(days=30)
    versions = (await world.services.history.service.history(bot, hums.uid)).items
    assert [change.name for change in versions[0].changes] == ["live", "status"]
    # No search and no context has it.
    found = [hit.uid for hit in (await world.services.search.search(bot, "boiler")).items]
    assert hums.uid not in found
    assert cold.memory in found
    context = await world.services.context.assemble(
        bot, AssembleContext(prompt="Why is the boiler cold?", budget=1000)
    )
    assert "hums" not in context.selection.text
    assert "is cold" in context.selection.text
    # The trace, the events and the export say so.
    assert (await trace(world, "memories_archived")) == [([hums.uid], {"count": 1})]
    assert (await trace(world, "state_selected"))[-1][1] == {
        "selected": 1,
        "discarded": {"quota": 1},
        "archived": 1,
    }
    export = await export_of(world, done)
    assert [(each.id, each.importance) for each in export.metadata.archived] == [(hums.uid, 0.4)]
    assert [(each.origin, each.rule) for each in export.metadata.discarded] == [("events[1]", "quota")]
    assert [each.data["content"] for each in export.episodic_exports] == ["The boiler is cold"]
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'episode.archived'}) RETURN e.aggregate AS uid"
    )
    assert events == [{"uid": hums.uid}]


@pytest.mark.covers("TURN-36")
async def test_user_data_and_what_is_still_needed_stay(world: World) -> None:
    bot = await world.caller()
    await commit(world, "a", event("Nuts", 0.0, "user_data"), event("Rain", 0.31), event("Snow", 0.4))
    rain = (await stored(world))["Rain"]
    # A fact rests on it.
    await world.services.memory.remember(
        bot, Remember(memories=[MemoryDraft(kind=MemoryKind.FACT, content="Wet", derived_from=(rain.uid,))])
    )
    done = await commit(world, "b", event("Hail", 0.8), event("Storm", 0.9), event("Wind", 0.7))
    assert sorted(await stored(world)) == ["Hail", "Nuts", "Rain", "Storm"]
    assert [each.rule for each in done.selection] == [None, None, Rule.QUOTA]
    # One takes the free room, the other one that of the snow.
    assert [len(each.archived) for each in done.selection] == [1, 0, 0]
    # Another space has room of its own.
    await commit(world, "c", event("Sun", 0.31), agent="other")
    assert sorted(await stored(world, agent="other")) == ["Sun"]


@pytest.mark.covers("TURN-36")
async def test_what_the_turn_has_stored_already_takes_no_room_twice(world: World) -> None:
    events = [event("one", 0.5), event("two", 0.6), event("three", 0.7)]
    await commit(world, "a", *events)
    again = await commit(world, "a", *events)
    assert [(each.rule, each.archived) for each in again.selection] == [(None, ())] * 3
    assert sorted(await stored(world)) == ["one", "three", "two"]
    assert await stored(world, MemoryStatus.ARCHIVED) == {}


@pytest.mark.covers("TURN-34", "TURN-36")
async def test_commits_at_once_do_not_pass_the_quota(world: World) -> None:
    await commit(world, "first", event("0", 0.31))
    numbers = range(1, 9)
    done = await asyncio.gather(
        *(commit(world, f"t{number}", event(str(number), 0.4 + number / 20)) for number in numbers)
    )
    # Whatever the order, the most important ones are there at the end; each other was archived or left out.
    assert sorted(await stored(world)) == ["6", "7", "8"]
    archived = await stored(world, MemoryStatus.ARCHIVED)
    left = [number for number, each in zip(numbers, done, strict=True) if each.selection[0].rule]
    assert sorted([*archived, *map(str, left)]) == [str(number) for number in range(6)]


@pytest.mark.covers("TURN-36")
async def test_a_part_that_is_tried_again_makes_room_then(world: World) -> None:
    await commit(world, "a", event("one", 0.5), event("two", 0.6), event("three", 0.7))
    with failing(world.services, CommitStore.EPISODIC, times=1):
        done = await commit(world, "b", event("four", 0.65), event("five", 0.4))
    four, five = done.selection
    assert (four.rule, len(four.archived), five.rule, five.memory) == (None, 1, Rule.QUOTA, None)
    assert sorted(await stored(world)) == ["four", "three", "two"]


@pytest.mark.covers("TURN-36")
async def test_a_quota_that_was_lowered_is_kept_by_the_next_episode(world: World) -> None:
    for turn in ("a", "b"):
        await commit(world, turn, *(event(f"{turn}{number}", 0.4) for number in range(3)))
    catalog = world.services.catalog
    table = catalog.retention.model_copy(update={"episodes_per_space": 1})
    object.__setattr__(catalog, "retention", table)
    done = await commit(world, "c", event("c", 0.5))
    assert len(done.selection[0].archived) == 3
    assert sorted(await stored(world)) == ["c"]


@pytest.mark.covers("TURN-36", "TURN-51")
async def test_what_was_archived_is_forgotten_with_its_text_and_takes_no_place_again(world: World) -> None:
    bot, memory = await world.caller(), world.services.memory
    await commit(world, "a", event("secret", 0.31), event("two", 0.6), event("three", 0.7))
    await commit(world, "b", event("four", 0.5))
    (secret,) = (await stored(world, MemoryStatus.ARCHIVED)).values()
    newer = MemoryDraft(kind=MemoryKind.EPISODE, content="newer")
    with pytest.raises(IllegalTransition):
        await memory.supersede(bot, Supersede(id=secret.uid, memory=newer))
    (told,) = (
        await memory.remember(bot, Remember(memories=[MemoryDraft(kind=MemoryKind.FACT, content="secret")]))
    ).memories
    done = await memory.forget(bot, Forget(id=told.uid))
    assert [each.uid for each in done.others] == [secret.uid]
    assert await stored(world, MemoryStatus.ARCHIVED) == {}
