"""Adding the same thing again, or at the same time, stores it once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from prefrontal.graph.errors import Conflict, Duplicate, InvalidInput
from prefrontal.graph.scratch import store
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World


async def test_an_equal_draft_under_its_client_key_gives_the_stored_one(world: World) -> None:
    caller = await world.caller()
    draft = ObservationDraft(content="User likes tea", tags=("tea",), client_key="k-1")

    (first,) = await world.services.scratch.service.add(caller, [draft])
    before = await world.counts()
    world.clock.advance(hours=1)
    (again,) = await world.services.scratch.service.add(caller, [draft])

    assert again == first
    assert await world.counts() == before


async def test_a_batch_that_was_half_stored_stores_the_rest(world: World) -> None:
    caller = await world.caller()
    drafts = [ObservationDraft(content=f"n{n}", client_key=f"k{n}") for n in range(4)]

    first = await world.services.scratch.service.add(caller, drafts[:2])
    both = await world.services.scratch.service.add(caller, [*drafts, drafts[0]])

    assert [o.uid for o in both[:2]] == [o.uid for o in first]
    assert both[4].uid == both[0].uid
    assert (await world.counts())["Observation"] == 4


async def test_another_draft_under_a_taken_client_key_is_refused(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="first", client_key="k")])
    before = await world.counts()
    drafts = [ObservationDraft(content="fine"), ObservationDraft(content="second", client_key="k")]

    with pytest.raises(Duplicate) as caught:
        await world.services.scratch.service.add(caller, drafts)

    assert (caught.value.code, caught.value.field) == ("duplicate", "observations[1].clientKey")
    assert await world.counts() == before


async def test_a_client_key_belongs_to_its_space(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")

    (one,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="a", client_key="k")])
    (two,) = await world.services.scratch.service.add(other, [ObservationDraft(content="b", client_key="k")])

    assert one.uid != two.uid
    assert (await world.counts())["Observation"] == 2


@pytest.mark.parametrize("tags", [("seen", "twice"), ()], ids=["tags", "no tags"])
async def test_twenty_at_once_with_one_client_key_store_one(world: World, tags: tuple[str, ...]) -> None:
    caller = await world.caller()
    draft = ObservationDraft(content="Everybody saw it", tags=tags, client_key="same")

    answers = await asyncio.gather(*(world.services.scratch.service.add(caller, [draft]) for _ in range(20)))

    assert len({stored.uid for (stored,) in answers}) == 1
    counts = await world.counts()
    assert (counts["Observation"], counts["TraceEvent"], counts["OutboxEvent"]) == (1, 1, 1)
    assert counts.get("Tag", 0) == len(tags)


async def test_a_client_key_taken_between_look_and_write_gives_the_stored_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The look of the first attempt is made blind, as if the other writer had committed just after it."""
    caller = await world.caller()
    draft = ObservationDraft(content="Everybody saw it", client_key="same")
    (first,) = await world.services.scratch.service.add(caller, [draft])
    before = await world.counts()
    look = store.find_by_client_keys
    looks = 0

    async def blind_once(*args: Any) -> dict[str, tuple[str, str]]:
        nonlocal looks
        looks += 1
        return {} if looks == 1 else await look(*args)

    monkeypatch.setattr(store, "find_by_client_keys", blind_once)
    (again,) = await world.services.scratch.service.add(caller, [draft])

    assert (again, looks) == (first, 2)
    assert await world.counts() == before


async def test_twenty_at_once_that_share_tags_are_all_stored(world: World) -> None:
    caller = await world.caller()
    tags = tuple(f"t{n}" for n in range(10))

    # Some name the tags in the other direction: locks are taken in one order all the same.
    await asyncio.gather(
        *(
            world.services.scratch.service.add(
                caller, [ObservationDraft(content=f"n{n}", tags=tags if n % 2 else tags[::-1])]
            )
            for n in range(20)
        )
    )

    counts = await world.counts()
    assert (counts["Observation"], counts["Tag"]) == (20, 10)


async def test_an_idempotency_key_gives_the_first_answer_and_writes_nothing(world: World) -> None:
    caller = await world.caller()
    drafts = [ObservationDraft(content="a"), ObservationDraft(content="b")]

    first = await world.services.scratch.service.add(caller, drafts, idempotency_key="once")
    before = await world.counts()
    world.clock.advance(minutes=5)
    again = await world.services.scratch.service.add(caller, drafts, idempotency_key="once")

    assert again == first
    assert await world.counts() == before


async def test_an_idempotency_key_with_another_body_is_a_conflict(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(caller, [ObservationDraft(content="a")], idempotency_key="once")
    before = await world.counts()

    with pytest.raises(Conflict) as caught:
        await world.services.scratch.service.add(
            caller, [ObservationDraft(content="b")], idempotency_key="once"
        )

    assert (caught.value.code, caught.value.field) == ("conflict", "idempotencyKey")
    assert await world.counts() == before


async def test_an_idempotency_key_belongs_to_its_caller(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")

    (one,) = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="a")], idempotency_key="k"
    )
    (two,) = await world.services.scratch.service.add(
        other, [ObservationDraft(content="b")], idempotency_key="k"
    )

    assert (one.content, two.content) == ("a", "b")


@pytest.mark.parametrize("key", ["", "k" * 201, "half \ud800"])
async def test_an_odd_idempotency_key_is_refused(world: World, key: str) -> None:
    caller = await world.caller()
    before = await world.counts()

    with pytest.raises(InvalidInput) as caught:
        await world.services.scratch.service.add(caller, [ObservationDraft(content="a")], idempotency_key=key)

    assert caught.value.field == "idempotencyKey"
    assert await world.counts() == before


async def test_twenty_at_once_with_one_idempotency_key_store_one(world: World) -> None:
    caller = await world.caller()

    answers = await asyncio.gather(
        *(
            world.services.scratch.service.add(
                caller, [ObservationDraft(content="a")], idempotency_key="same"
            )
            for _ in range(20)
        )
    )

    assert len({stored.uid for (stored,) in answers}) == 1
    counts = await world.counts()
    assert (counts["Observation"], counts["Request"], counts["TraceEvent"]) == (1, 1, 1)
