"""Who asks: organisations, actors at their first use, roles, and where they may read and write."""

from __future__ import annotations

import asyncio

import pytest

from prefrontal.graph.access.record import GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, Permission, Principal, SpacePermission
from prefrontal.graph.errors import Duplicate, Forbidden, InvalidInput, NotFound, Unauthenticated
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import ObservationDraft, ObservationFilter
from tests.support.world import World


@pytest.mark.covers("SEC-12")
async def test_an_actor_appears_at_its_first_use_with_a_space_of_its_own(world: World) -> None:
    assert await world.counts() == {"Organisation": 1, "Space": 1}

    first = await world.caller("bot")
    ran = list(world.statements.names)
    world.statements.clear()
    again = await world.caller("bot")

    assert ran == ["access/find_caller", "access/ensure_actors", "access/find_caller"]
    assert world.statements.names == ["access/find_caller"]
    assert again == first
    assert (first.org_id, first.org_key) == (world.org_id, world.org)
    assert kind_of(first.actor_id) is Kind.AGENT
    assert (first.agent_id, first.person_id, first.device_id) == (first.actor_id, None, None)
    assert len(first.readable) == 2
    assert first.readable == first.writable
    assert first.administrable == (first.home,)
    assert await world.counts() == {"Organisation": 1, "Space": 2, "Actor": 1, "Agent": 1}


async def test_the_acting_actor_is_the_agent_then_the_person_then_the_device(world: World) -> None:
    all_three = await world.caller("bot", person="ann", device="phone")
    person = await world.caller(None, person="ann", device="phone")
    device = await world.caller(None, device="phone")

    assert (all_three.actor_id, person.actor_id, device.actor_id) == (
        all_three.agent_id,
        all_three.person_id,
        all_three.device_id,
    )
    assert len({all_three.home, person.home, device.home}) == 3
    assert set(all_three.readable) == {all_three.home, person.home, device.home} | (
        set(person.readable) & set(device.readable)
    )
    assert (await world.counts())["Actor"] == 3


async def test_an_agent_and_a_person_of_one_name_are_two(world: World) -> None:
    agent = await world.caller("sam")
    person = await world.caller(None, person="sam")

    assert agent.actor_id != person.actor_id
    assert agent.home != person.home
    assert set(agent.readable) & set(person.readable) == set(agent.readable) - {agent.home}


async def test_twenty_first_uses_at_once_make_one_actor(world: World) -> None:
    callers = await asyncio.gather(*(world.caller("bot", person="ann") for _ in range(20)))

    assert len(set(callers)) == 1
    assert await world.counts() == {
        "Organisation": 1,
        "Space": 3,
        "Actor": 2,
        "Agent": 1,
        "Person": 1,
    }


async def test_a_token_for_nobody_or_nowhere_is_not_valid(world: World) -> None:
    before = await world.counts()
    for principal in (
        Principal(org=world.org, roles=("writer",)),
        Principal(org=world.org + "-x", agent="bot", roles=("writer",)),
        Principal(org=world.org, agent="bot", roles=("emperor",)),
        Principal(org=world.org, agent="bot", roles=("writer", "emperor")),
    ):
        with pytest.raises(Unauthenticated):
            await world.services.access.caller(principal)

    assert await world.counts() == before


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ((), set()),
        (("reader",), {Permission.READ}),
        (("writer",), {Permission.READ, Permission.WRITE}),
        (("reader", "maintainer"), {Permission.READ, Permission.WRITE, Permission.MAINTAIN}),
        (("admin",), set(Permission)),
    ],
)
async def test_roles_say_what(world: World, roles: tuple[str, ...], expected: set[Permission]) -> None:
    caller = await world.caller(roles=roles)

    assert caller.permissions == expected


@pytest.mark.parametrize("key", ["", " ", "a b", "-a", "a-", "ä", "a" * 129, "a/b", "a\n", "half\ud800"])
async def test_an_organisation_has_a_plain_key(world: World, key: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        await world.services.access.create_organisation(key)

    assert caught.value.field == "key"


async def test_an_organisation_is_made_once(world: World) -> None:
    results = await asyncio.gather(
        *(world.services.access.create_organisation(world.org + "-two") for _ in range(5)),
        return_exceptions=True,
    )

    made = [result for result in results if isinstance(result, str)]
    assert len(made) == 1
    assert all(isinstance(result, Duplicate) for result in results if not isinstance(result, str))
    with pytest.raises(Duplicate):
        await world.services.access.create_organisation(world.org)


@pytest.mark.covers("SEC-11", "SEC-13")
async def test_all_conversations_of_an_agent_see_the_same(world: World) -> None:
    morning, evening = await world.caller("bot"), await world.caller("bot")

    (seen,) = await world.services.scratch.service.add(morning, [ObservationDraft(content="x")])

    assert await world.services.scratch.service.get(evening, [seen.uid]) == {seen.uid: seen}


@pytest.mark.covers("SEC-12")
async def test_an_agent_of_the_same_name_elsewhere_is_somebody_else(world: World) -> None:
    org = world.org + "-elsewhere"
    await world.services.access.create_organisation(org)
    here = await world.caller("bot")
    there = await world.services.access.caller(Principal(org=org, agent="bot", roles=("admin",)))
    (seen,) = await world.services.scratch.service.add(
        here, [ObservationDraft(content="secret", tags=("t",))]
    )

    assert there.actor_id != here.actor_id
    assert not set(there.readable) & set(here.readable)
    assert await world.services.scratch.service.get(there, [seen.uid]) == {}
    for space in here.readable:
        with pytest.raises(NotFound):
            await world.services.scratch.service.add(there, [ObservationDraft(content="x")], space=space)
    for wanted in (ObservationFilter(), ObservationFilter(tags=("t",))):
        assert (await world.services.scratch.service.find(there, wanted)).items == ()
        assert await world.services.scratch.service.count(there, wanted) == 0


async def test_an_administrator_of_roles_enters_no_private_space(world: World) -> None:
    bot, boss = await world.caller("bot"), await world.caller("boss", roles=("admin",))
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x")])

    assert await world.services.scratch.service.get(boss, [seen.uid]) == {}
    with pytest.raises(NotFound):
        await world.grant(
            boss,
            GrantAccess(
                space=bot.home, actor=Actor(kind=ActorKind.AGENT, key="boss"), permission=SpacePermission.READ
            ),
        )
    # The common space is everybody's; nobody administers it.
    (common,) = set(boss.readable) - {boss.home}
    with pytest.raises(Forbidden):
        await world.services.access.revoke_access(
            boss, RevokeAccess(space=common, actor=Actor(kind=ActorKind.AGENT, key="bot"))
        )
