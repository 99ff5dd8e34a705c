"""Entities: who and what memories mention, and that nobody learns of one that nothing readable mentions."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.entities.record import Entity, EntityFilter, EntityName
from prefrontal.graph.entities.rules import entity_id, fold_name
from prefrontal.graph.errors import Duplicate, InvalidInput
from prefrontal.graph.jobs.periodic import ExpireObservations
from prefrontal.graph.scratch.record import (
    Observation,
    ObservationContext,
    ObservationDraft,
    ObservationFilter,
    ObservationStatus,
    UpdateObservation,
)
from tests.support.lists import all_of
from tests.support.open_transaction import blocked, open_transaction
from tests.support.world import World


async def add(
    world: World, caller: Caller, content: str, *names: str | tuple[str, str], **more: Any
) -> Observation:
    space = more.pop("space", None)
    entities = tuple(
        EntityName(name=name) if isinstance(name, str) else EntityName(name=name[0], kind=name[1])
        for name in names
    )
    draft = ObservationDraft(content=content, entities=entities, **more)
    (stored,) = await world.services.scratch.service.add(caller, [draft], space=space)
    return stored


async def found(world: World, caller: Caller, *names: str, **more: Any) -> list[str]:
    """The contents of what mentions all the names; page and count must agree about it."""
    wanted = ObservationFilter(entities=names, **more)
    page = await world.services.scratch.service.find(caller, wanted, first=100)
    assert await world.services.scratch.service.count(caller, wanted) == len(page.items)
    return [item.content for item in page.items]


async def listed(world: World, caller: Caller, **wanted: Any) -> list[tuple[str, str | None]]:
    the_filter = EntityFilter(**wanted)
    page = await world.services.entities.list(caller, the_filter, first=100)
    assert await world.services.entities.count(caller, the_filter) == len(page.items)
    return [(entity.name, entity.kind) for entity in page.items]


async def mentions(world: World) -> list[tuple[str, str, int]]:
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org})-[m:MENTIONS {how: 'declared'}]->(e:Entity {org_id: $org}) "
        "WHERE m.scope_id = o.scope_id AND m.from_uid = o.uid AND m.entity_uid = e.uid "
        "RETURN o.content AS content, e.key AS key, m.count AS count ORDER BY content, key"
    )
    return [(row["content"], row["key"], row["count"]) for row in rows]


async def test_an_observation_mentions_entities_as_it_writes_them(world: World) -> None:
    caller = await world.caller()

    stored = await add(world, caller, "Ann met ann in Beaune", ("Ann", "person"), "BEAUNE", " ann ")
    await add(world, caller, "nobody")

    assert stored.entities == (EntityName(name="Ann", kind="person"), EntityName(name="BEAUNE"))
    assert (await world.services.scratch.service.get(caller, [stored.uid]))[stored.uid] == stored
    assert await mentions(world) == [
        ("Ann met ann in Beaune", "ann", 2),
        ("Ann met ann in Beaune", "beaune", 1),
    ]
    (common,) = set(caller.readable) - {caller.home}
    rows = await world.rows(
        "MATCH (e:Entity {org_id: $org}) RETURN e.key AS key, e.scope_id AS scope, e.uid AS uid, "
        "e.name AS name ORDER BY key"
    )
    assert rows == [
        {"key": key, "scope": common, "uid": entity_id(world.org_id, key), "name": key}
        for key in ("ann", "beaune")
    ]


async def test_every_entity_of_the_filter_must_be_mentioned(world: World) -> None:
    caller = await world.caller()
    await add(world, caller, "one", "Ann", "Beaune", tags=("t",), context=ObservationContext(goal_key="k"))
    await add(world, caller, "two", "ANN", confidence=0.9)
    await add(world, caller, "three", "Beaune", ttl_minutes=0)
    await add(world, caller, "four")

    assert await found(world, caller, "ann") == ["two", "one"]
    assert await found(world, caller, "Ann", " beaune", "ANN") == ["one"]
    assert await found(world, caller, "Ann", "unheard of") == []
    assert await found(world, caller, "unheard of") == []
    assert await found(world, caller) == ["four", "two", "one"]
    assert await found(world, caller, "ann", tags=("t",)) == ["one"]
    assert await found(world, caller, "beaune", goal_key="k") == ["one"]
    assert await found(world, caller, "ann", min_confidence=0.9) == ["two"]
    assert await found(world, caller, "beaune", status=tuple(ObservationStatus)) == ["three", "one"]
    assert await found(world, caller, "ann", query="one") == ["one", "two"]


async def test_pages_of_a_popular_entity_cover_it_once_while_more_are_added(world: World) -> None:
    caller = await world.caller()
    (common,) = set(caller.readable) - {caller.home}
    draft = ObservationDraft(content="x", entities=(EntityName(name="Ann"),))
    added: list[Observation] = []
    for number in range(5):
        added += await world.services.scratch.service.add(
            caller, [draft] * 20, space=common if number % 2 else None
        )
        world.clock.advance(seconds=1)
    wanted = ObservationFilter(entities=("ann",))

    seen: list[str] = []
    after = None
    while True:
        world.statements.clear()
        page = await world.services.scratch.service.find(caller, wanted, first=30, after=after)
        assert world.statements.names == ["scratch/list_observations_by_entities"]
        seen += [item.uid for item in page.items]
        if not page.has_next:
            break
        after = page.cursors[-1]
        world.clock.advance(seconds=1)
        await world.services.scratch.service.add(caller, [draft] * 3)

    assert seen == sorted((o.uid for o in added), reverse=True)


async def test_an_update_changes_the_entities_and_a_version_says_only_that(world: World) -> None:
    caller = await world.caller()
    stored = await add(world, caller, "Ann and Bob", "Ann", "Bob")

    async def update(**changes: Any) -> Observation:
        return await world.services.scratch.service.change(
            caller, UpdateObservation(id=stored.uid, **changes)
        )

    changed = await update(entities=(EntityName(name="Bob", kind="person"), EntityName(name="Cleo")))
    assert [entity.name for entity in changed.entities] == ["Bob", "Cleo"]
    assert await mentions(world) == [("Ann and Bob", "bob", 1), ("Ann and Bob", "cleo", 1)]
    assert await found(world, caller, "Ann") == []
    # Nothing mentions Ann any more, so she is not there; the kind of Bob is known since it was given.
    assert await listed(world, caller) == [("Bob", "person"), ("Cleo", None)]

    await update(content="Bob, Bob and Cleo")
    assert await mentions(world) == [("Bob, Bob and Cleo", "bob", 2), ("Bob, Bob and Cleo", "cleo", 1)]
    assert (await update(entities=())).entities == ()
    assert await mentions(world) == []
    versions = await world.rows(
        "MATCH (v:Version {org_id: $org}) RETURN v.changes AS changes ORDER BY v.number"
    )
    assert [json.loads(row["changes"]) for row in versions] == [
        {"entities": [{"name": "Bob", "kind": "person"}, {"name": "Cleo", "kind": None}]},
        {"content": "Bob, Bob and Cleo"},
        {"entities": []},
    ]


async def test_an_equal_draft_is_an_equal_draft_with_entities_and_without(world: World) -> None:
    caller = await world.caller()

    first = await add(world, caller, "x", "Ann", client_key="k")
    assert await add(world, caller, "x", "Ann", client_key="k") == first
    with pytest.raises(Duplicate):
        await add(world, caller, "x", "Bob", client_key="k")


async def private_and_common(world: World) -> tuple[Caller, Caller, str]:
    one, other = await world.caller("one"), await world.caller("other")
    (common,) = set(one.readable) - {one.home}
    return one, other, common


async def test_an_entity_is_there_only_for_who_may_read_what_mentions_it(world: World) -> None:
    one, other, _ = await private_and_common(world)
    await add(world, one, "mine", ("Secret Project", "project"))
    uid = entity_id(world.org_id, "secret project")

    assert await listed(world, one) == [("Secret Project", "project")]
    assert await world.services.entities.get(one, [uid]) == {
        uid: Entity(uid=uid, key="secret project", name="Secret Project", kind="project")
    }
    entities = world.services.entities
    assert await listed(world, other) == []
    assert await entities.get(other, [uid]) == await entities.get(other, ["ent_" + "0" * 26]) == {}
    assert await all_of(world.services.scratch.service.of_entities, other, [uid]) == {}
    assert await entities.count_mentions(other, [uid]) == {uid: 0}
    assert await found(world, other, "Secret Project") == []


async def test_a_spelling_comes_from_what_the_caller_reads(world: World) -> None:
    one, other, common = await private_and_common(world)
    await add(world, one, "mine", ("SeCrEt", "plan"))
    world.clock.advance(seconds=1)

    # What is new to one is new: neither id nor spelling nor kind tells that another named it before.
    stored = await add(world, other, "theirs", "secret")
    uid = entity_id(world.org_id, "secret")
    assert await listed(world, other) == [("secret", None)]
    assert await listed(world, one) == [("SeCrEt", "plan")]
    assert await all_of(world.services.scratch.service.of_entities, other, [uid]) == {uid: (stored,)}
    assert await world.services.entities.count_mentions(other, [uid]) == {uid: 1}

    world.clock.advance(seconds=1)
    await add(world, other, "all", "Secret", space=common)
    # The oldest spelling that is readable.
    assert await listed(world, one) == [("SeCrEt", "plan")]
    assert await listed(world, other) == [("secret", None)]
    assert await listed(world, await world.caller("third")) == [("Secret", None)]


@pytest.mark.alone
async def test_a_name_goes_with_access_and_with_what_mentioned_it(world: World) -> None:
    one = await world.caller("one")
    await world.caller("other")
    space = await world.services.access.create_space(one, CreateSpace(name="shared"))
    one = await world.caller("one")
    await add(world, one, "brief", "Ann", space=space, ttl_minutes=1)
    await world.grant(
        one,
        GrantAccess(
            space=space, actor=Actor(kind=ActorKind.AGENT, key="other"), permission=SpacePermission.READ
        ),
    )
    assert await listed(world, await world.caller("other")) == [("Ann", None)]
    await world.services.access.revoke_access(
        one, RevokeAccess(space=space, actor=Actor(kind=ActorKind.AGENT, key="other"))
    )
    assert await listed(world, await world.caller("other")) == []

    world.clock.advance(seconds=61)
    catalog = world.services.catalog
    scratch = catalog.scratch.model_copy(update={"on_expiry": "delete"})
    await world.services.jobs.run_once(ExpireObservations(catalog.model_copy(update={"scratch": scratch})))

    assert await listed(world, one) == []
    uid = entity_id(world.org_id, "ann")
    assert await world.services.entities.get(one, [uid]) == {}


async def test_another_organisation_has_entities_of_its_own(world: World) -> None:
    caller = await world.caller()
    await add(world, caller, "x", "Ann")
    org = f"{world.org}-b"
    await world.services.access.create_organisation(org)
    elsewhere = World(world.services, world.clock, world.statements, org, "")
    stranger = await elsewhere.caller()

    await add(elsewhere, stranger, "y", "ANN")

    assert await listed(elsewhere, stranger) == [("ANN", None)]
    assert await listed(world, caller) == [("Ann", None)]
    uid = entity_id(world.org_id, "ann")
    assert await world.services.entities.get(stranger, [uid]) == {}
    assert entity_id(stranger.org_id, "ann") != uid


async def test_entities_are_listed_by_name_in_pages(world: World) -> None:
    caller = await world.caller()
    (common,) = set(caller.readable) - {caller.home}
    names = [f"name {number:03}" for number in range(50)]
    for start in range(0, 50, 10):
        await add(world, caller, "x", *names[start : start + 10], space=common if start % 20 else None)
    await add(world, caller, "y", *names[5:15], ("Zoe", "person"), ("zebra", "animal"))

    seen: list[str] = []
    after = None
    while True:
        page = await world.services.entities.list(caller, EntityFilter(), first=7, after=after)
        seen += [entity.name for entity in page.items]
        if not page.has_next:
            break
        after = page.cursors[-1]

    assert seen == [*names, "zebra", "Zoe"]
    assert await listed(world, caller, prefix="Z") == [("zebra", "animal"), ("Zoe", "person")]
    assert await listed(world, caller, prefix=" NAME 04") == [(name, None) for name in names[40:]]
    assert await listed(world, caller, kinds=("person", "place")) == [("Zoe", "person")]
    assert await listed(world, caller, prefix="ze", kinds=("person",)) == []


async def test_the_newest_that_mention_it_come_first_page_by_page(world: World) -> None:
    caller = await world.caller()
    draft = ObservationDraft(content="x", entities=(EntityName(name="Ann"),))
    added = await world.services.scratch.service.add(caller, [draft] * 25)
    uid = entity_id(world.org_id, "ann")

    pages = await all_of(world.services.scratch.service.of_entities, caller, [uid], size=20)

    assert [o.uid for o in pages[uid]] == sorted((o.uid for o in added), reverse=True)
    assert await world.services.entities.count_mentions(caller, [uid]) == {uid: 25}


async def test_writers_that_name_the_same_entities_in_any_order_make_each_once(world: World) -> None:
    callers = [await world.caller(f"agent-{number}") for number in range(4)]
    names = [f"n{number}" for number in range(12)]

    await asyncio.gather(
        *(
            add(world, caller, "x", *(names if number % 2 else reversed(names)))
            for number, caller in enumerate(callers * 3)
        )
    )

    rows = await world.rows(
        "MATCH (e:Entity {org_id: $org}) "
        "RETURN e.key AS key, COUNT { (e)<-[:MENTIONS]-() } AS mentions, "
        "COUNT { (e)<-[:SPELLS]-(:Name) } AS spaces"
    )
    assert sorted((row["key"], row["mentions"], row["spaces"]) for row in rows) == sorted(
        (fold_name(name), 12, 4) for name in names
    )


async def test_writers_that_name_different_new_entities_in_a_space_do_not_wait(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()

    async with open_transaction(world, monkeypatch, add(world, caller, "x", "Ann")) as first:
        # Would the new name wait for the space, this call would run into the deadline of its transaction.
        assert (await add(world, caller, "y", "Bob")).content == "y"
        assert await listed(world, caller) == [("Bob", None)]
        assert not first.done()
    await first

    assert await listed(world, caller) == [("Ann", None), ("Bob", None)]


async def test_writers_that_name_the_same_new_entity_at_once_give_it_one_name(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = await world.caller()

    async with open_transaction(world, monkeypatch, add(world, caller, "x", ("Ann", "person"))) as first:
        second = asyncio.create_task(add(world, caller, "y", ("ANN", "band"), ("Bob", None)))
        assert await blocked(world, second, caller, "MERGE (named:Name")
    await asyncio.gather(first, second)

    assert await listed(world, caller) == [("Ann", "person"), ("Bob", None)]
    names = await world.rows(
        "MATCH (n:Name {org_id: $org})-[:SPELLS]->(e:Entity) "
        "RETURN n.key AS key, n.name AS name, e.key AS spelled, n.by_uid AS by_uid ORDER BY key"
    )
    assert [tuple(row.values()) for row in names] == [
        ("ann", "Ann", "ann", caller.actor_id),
        ("bob", "Bob", "bob", caller.actor_id),
    ]


@pytest.mark.parametrize(
    ("entities", "field"),
    [
        (({"name": " "},), "observations[0].entities[0].name"),
        (({"name": "x" * 201},), "observations[0].entities[0].name"),
        (({"name": "x"}, {"name": "y", "kind": ""}), "observations[0].entities[1].kind"),
        (({"name": "x"},) * 51, "observations[0].entities"),
    ],
    ids=["blank", "long", "no kind", "many"],
)
async def test_a_wrong_entity_names_its_field_and_stores_nothing(
    world: World, entities: tuple[dict[str, str], ...], field: str
) -> None:
    caller = await world.caller()
    before = await world.counts()
    draft = ObservationDraft(content="x", entities=tuple(EntityName(**given) for given in entities))

    with pytest.raises(InvalidInput) as error:
        await world.services.scratch.service.add(caller, [draft])

    assert error.value.field == field
    assert await world.counts() == before


async def test_a_wrong_filter_names_its_field(world: World) -> None:
    caller = await world.caller()
    for wanted, field in (
        (EntityFilter(prefix="x" * 201), "filter.prefix"),
        (EntityFilter(kinds=("",)), "filter.kinds[0]"),
    ):
        for call in (world.services.entities.list, world.services.entities.count):
            with pytest.raises(InvalidInput) as error:
                await call(caller, wanted)
            assert error.value.field == field
    with pytest.raises(InvalidInput) as error:
        await world.services.scratch.service.find(caller, ObservationFilter(entities=("",)))
    assert error.value.field == "filter.entities[0]"
