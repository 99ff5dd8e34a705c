"""Names that a space knows are found in the texts of its records, and say that they were not declared."""

from __future__ import annotations

import pytest

from prefrontal.graph.caller import Caller
from prefrontal.graph.entities.record import EntityFilter, EntityName
from prefrontal.graph.memory.record import MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter, UpdateObservation
from prefrontal.graph.search.record import SearchFilter
from tests.support.open_transaction import open_transaction
from tests.support.world import World

Found = tuple[str, str, str, float, int]


async def remember(world: World, caller: Caller, *texts: str, names: tuple[str, ...] = ()) -> None:
    drafts = tuple(
        MemoryDraft(
            kind=MemoryKind.FACT, content=text, entities=tuple(EntityName(name=name) for name in names)
        )
        for text in texts
    )
    await world.services.memory.remember(caller, Remember(memories=drafts))


async def mentions(world: World) -> list[Found]:
    rows = await world.rows(
        "MATCH (m:Memory {org_id: $org})-[by:MENTIONS]->(e:Entity) "
        "RETURN m.content AS text, e.key AS key, by.how AS how, by.confidence AS confidence, "
        "by.count AS number ORDER BY m.uid, key"
    )
    return [tuple(row.values()) for row in rows]  # type: ignore[misc]


async def test_a_known_name_is_found_in_later_texts_with_how_sure_it_is(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "The lake is deep", names=("Lake Garda", "Garda", "Redis"))

    await remember(world, caller, "We saw Lake Garda, and Lake Garda again; REDIS is slow")
    await world.services.scratch.service.add(caller, [ObservationDraft(content="so redis is down")])

    assert [each for each in await mentions(world) if each[2] == "extracted"] == [
        # The longer name counts where both stand.
        ("We saw Lake Garda, and Lake Garda again; REDIS is slow", "lake garda", "extracted", 0.9, 2),
        ("We saw Lake Garda, and Lake Garda again; REDIS is slow", "redis", "extracted", 0.6, 1),
        ("so redis is down", "redis", "extracted", 0.6, 1),
    ]


async def test_a_name_of_the_same_call_is_found_and_a_declared_one_is_not_found_again(world: World) -> None:
    caller = await world.caller()
    drafts = [
        ObservationDraft(content="The one is Ann", entities=(EntityName(name="Ann"),)),
        ObservationDraft(content="The other is Ann too"),
    ]

    await world.services.scratch.service.add(caller, drafts)

    assert await mentions(world) == [
        ("The one is Ann", "ann", "declared", 1.0, 1),
        ("The other is Ann too", "ann", "extracted", 0.9, 1),
    ]


async def test_a_changed_text_has_the_names_of_the_new_one(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "Two people", names=("Ann", "Bob"))
    scratch = world.services.scratch.service
    (note,) = await scratch.add(caller, [ObservationDraft(content="It was Ann")])

    await scratch.change(caller, UpdateObservation(id=note.uid, content="It was Bob"))
    await scratch.change(caller, UpdateObservation(id=note.uid, tags=("people",)))
    after = await mentions(world)
    await scratch.change(caller, UpdateObservation(id=note.uid, entities=(EntityName(name="Bob"),)))

    assert after[2:] == [("It was Bob", "bob", "extracted", 0.9, 1)]
    assert (await mentions(world))[2:] == [("It was Bob", "bob", "declared", 1.0, 1)]


async def test_what_filters_or_lists_takes_declared_mentions_unless_it_is_asked(world: World) -> None:
    caller = await world.caller()
    await remember(world, caller, "The boat is blue, says he", names=("Ann",))
    await remember(world, caller, "The boat of Ann is green", "The boat is red")
    scratch, entities = world.services.scratch.service, world.services.entities
    await scratch.add(caller, [ObservationDraft(content="The boat of Ann is gone")])

    async def searched(*, extracted: bool) -> set[str]:
        wanted = SearchFilter(entities=("Ann",), extracted=extracted, min_relevance=0)
        page = await world.services.search.search(caller, "Which colour has the boat?", wanted, first=10)
        return {found.content for found in page.items}

    assert await searched(extracted=False) == {"The boat is blue, says he"}
    assert await searched(extracted=True) == {
        "The boat is blue, says he",
        "The boat of Ann is green",
        "The boat of Ann is gone",
    }
    assert (await scratch.find(caller, ObservationFilter(entities=("Ann",)), first=10)).items == ()
    (ann,) = (await entities.list(caller, EntityFilter(), first=10)).items
    assert await entities.count_mentions(caller, [ann.uid]) == {ann.uid: 1}


async def test_a_name_of_a_space_is_found_in_no_other_one(world: World) -> None:
    alice, bob = await world.caller("alice"), await world.caller("bob")
    await remember(world, alice, "The boat is blue", names=("Ann",))

    await remember(world, bob, "The boat of Ann is green")

    assert [each[0] for each in await mentions(world)] == ["The boat is blue"]
    assert (await world.services.entities.list(bob, EntityFilter(), first=10)).items == ()


async def test_writers_whose_texts_have_the_same_known_name_do_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()
    # A popular entity, and no new topic, for which the writers would wait.
    texts = (f"{number}: Ann has a green boat and a red house" for number in range(60))
    await remember(world, caller, *texts, names=("Ann",))

    async with open_transaction(
        world, monkeypatch, remember(world, caller, "The boat of Ann is green")
    ) as first:
        # Who waited for the first would be late.
        await remember(world, caller, "The house of Ann is red")
        assert not first.done()
    await first

    assert [each[0] for each in await mentions(world) if each[2] == "extracted"] == [
        "The boat of Ann is green",
        "The house of Ann is red",
    ]
