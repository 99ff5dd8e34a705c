"""Shared spaces: made by anyone, opened and closed by who administers them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from prefrontal.graph.access.record import (
    AcceptGrant,
    CreateSpace,
    GrantAccess,
    GrantResult,
    OfferedGrant,
    RevokeAccess,
    Space,
)
from prefrontal.graph.caller import Actor, ActorKind, SpacePermission
from prefrontal.graph.errors import Conflict, Forbidden, InvalidInput, NotFound
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World

OTHER = Actor(kind=ActorKind.AGENT, key="other")
READ, WRITE, ADMIN = SpacePermission.READ, SpacePermission.WRITE, SpacePermission.ADMIN


async def test_spaces_are_listed_with_what_may_be_done_there(world: World) -> None:
    bot = await world.caller("bot")
    team = await world.services.access.create_space(bot, CreateSpace(name="Team room"))
    bot = await world.caller("bot")
    world.statements.clear()

    spaces = await world.services.access.spaces(bot, bot.readable)

    assert world.statements.names == ["access/find_spaces"]
    assert sorted(spaces) == sorted(bot.readable)
    by_kind = {space.kind: space for space in spaces.values()}
    assert by_kind["private"] == Space(
        uid=bot.home, key="agent:bot", name="bot", kind="private", permission=ADMIN, owner_id=bot.actor_id
    )
    assert by_kind["shared"] == Space(
        uid=team, key=f"shared:{team}", name="Team room", kind="shared", permission=ADMIN
    )
    assert (by_kind["common"].key, by_kind["common"].permission) == ("common", WRITE)


@pytest.mark.covers("SEC-14")
async def test_a_grant_opens_a_space_and_its_end_closes_it(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")
    access, scratch = world.services.access, world.services.scratch.service
    team = await access.create_space(bot, CreateSpace(name="Team room"))
    bot = await world.caller("bot")
    (seen,) = await scratch.add(bot, [ObservationDraft(content="x")], space=team)
    draft = [ObservationDraft(content="y")]
    assert await scratch.get(other, [seen.uid]) == {}

    world.statements.clear()
    offered = await access.grant_access(bot, GrantAccess(space=team, actor=OTHER, permission=READ))
    assert offered == GrantResult(actor_id=other.actor_id, accepted=False)
    assert world.statements.names == ["access/grant_access", "journal/append_entries"]
    # Nothing opens before the other one accepts it.
    assert await world.caller("other") == other
    page, total = await access.offered_grants(other)
    assert (page.items, total) == (
        (
            OfferedGrant(
                space_id=team,
                space_name="Team room",
                actor_id=other.actor_id,
                permission=READ,
                granted_by=bot.actor_id,
                since=world.clock.now(),
            ),
        ),
        1,
    )
    world.statements.clear()
    assert await access.accept_grant(other, AcceptGrant(space=team)) == team
    assert world.statements.names == ["access/accept_grant", "journal/append_entries"]
    assert (await access.offered_grants(other))[1] == 0
    reading = await world.caller("other")
    assert await scratch.get(reading, [seen.uid]) == {seen.uid: seen}
    before = await world.counts()
    with pytest.raises(Forbidden) as caught:
        await scratch.add(reading, draft, space=team)
    assert caught.value.field == "space"
    assert await world.counts() == before

    await access.grant_access(bot, GrantAccess(space=team, actor=OTHER, permission=WRITE))
    writing = await world.caller("other")
    (theirs,) = await scratch.add(writing, draft, space=team)
    assert (theirs.scope_id, theirs.by_uid) == (team, other.actor_id)
    with pytest.raises(Forbidden):
        await access.grant_access(
            writing, GrantAccess(space=team, actor=Actor(kind=ActorKind.AGENT, key="third"), permission=READ)
        )

    assert await access.revoke_access(bot, RevokeAccess(space=team, actor=OTHER)) == other.actor_id
    closed = await world.caller("other")
    assert closed == other
    assert await scratch.get(closed, [seen.uid, theirs.uid]) == {}
    with pytest.raises(NotFound):
        await scratch.add(closed, draft, space=team)


@pytest.mark.covers("SEC-14")
async def test_a_weaker_grant_replaces_a_stronger_one_and_history_stays(world: World) -> None:
    bot, _ = await world.caller("bot"), await world.caller("other")
    team = await world.services.access.create_space(bot, CreateSpace(name="Team"))
    bot = await world.caller("bot")
    for permission in (WRITE, ADMIN, READ):
        world.clock.advance(seconds=1)
        await world.grant(bot, GrantAccess(space=team, actor=OTHER, permission=permission))

    other = await world.caller("other")
    rows = await world.rows(
        "MATCH (:Actor {org_id: $org, key: 'other'})-[may:MAY]->(:Space {uid: $team}) "
        "RETURN may.permission AS permission, may.until IS NULL AS holds ORDER BY may.since",
        team=team,
    )

    assert team in other.readable
    assert team not in other.writable
    assert rows == [
        {"permission": "write", "holds": False},
        {"permission": "admin", "holds": False},
        {"permission": "read", "holds": True},
    ]


async def test_two_grants_at_once_leave_one_in_force(world: World) -> None:
    bot, _ = await world.caller("bot"), await world.caller("other")
    team = await world.services.access.create_space(bot, CreateSpace(name="Team"))
    bot = await world.caller("bot")

    async def at_once() -> None:
        commands = [
            GrantAccess(space=team, actor=OTHER, permission=READ if n % 2 else WRITE) for n in range(8)
        ]
        await asyncio.gather(*(world.services.access.grant_access(bot, command) for command in commands))

    # The first ones are offers, the later ones grants.
    await at_once()
    other = await world.caller("other")
    assert (await world.services.access.offered_grants(other))[1] == 1
    await world.services.access.accept_grant(other, AcceptGrant(space=team))
    await at_once()

    rows = await world.rows(
        "MATCH (:Actor {org_id: $org, key: 'other'})-[may:MAY]->(:Space {uid: $team}) "
        "WHERE may.until IS NULL RETURN count(may) AS number",
        team=team,
    )
    assert rows == [{"number": 1}]


async def test_an_agent_may_open_its_private_space(world: World) -> None:
    bot, _ = await world.caller("bot"), await world.caller("other")
    (seen,) = await world.services.scratch.service.add(bot, [ObservationDraft(content="x")])

    await world.grant(bot, GrantAccess(space=bot.home, actor=OTHER, permission=READ))
    other = await world.caller("other")

    assert await world.services.scratch.service.get(other, [seen.uid]) == {seen.uid: seen}
    assert bot.home not in other.writable
    assert other.home != bot.home


async def test_the_stronger_of_two_grants_counts_for_an_agent_with_its_person(world: World) -> None:
    bot = await world.caller("bot")
    await world.caller("other", person="ann")
    team = await world.services.access.create_space(bot, CreateSpace(name="Team"))
    bot = await world.caller("bot")
    await world.grant(bot, GrantAccess(space=team, actor=OTHER, permission=READ))
    await world.grant(
        bot, GrantAccess(space=team, actor=Actor(kind=ActorKind.PERSON, key="ann"), permission=WRITE)
    )

    both = await world.caller("other", person="ann")
    alone = await world.caller("other")

    assert team in both.writable
    assert team not in alone.writable
    assert (await world.services.access.spaces(both, [team]))[team].permission is WRITE


@pytest.mark.covers("SEC-12", "SEC-14")
async def test_unknown_and_foreign_spaces_and_actors_are_refused_alike(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")
    await world.services.access.create_organisation(world.org + "-b")
    elsewhere = world.principal("stranger").model_copy(update={"org": world.org + "-b"})
    stranger = await world.services.access.caller(elsewhere)
    before = await world.counts()

    async def refused(call: Awaitable[object]) -> tuple[str, str, str | None]:
        with pytest.raises(NotFound) as caught:
            await call
        return caught.value.code, caught.value.message, caught.value.field

    async def grant(space: str, actor: Actor) -> tuple[str, str, str | None]:
        command = GrantAccess(space=space, actor=actor, permission=READ)
        return await refused(world.services.access.grant_access(bot, command))

    async def revoke(space: str, actor: Actor) -> tuple[str, str, str | None]:
        command = RevokeAccess(space=space, actor=actor)
        return await refused(world.services.access.revoke_access(bot, command))

    spaces = [other.home, stranger.home, "spc_01JBXM3Z8K0QF3W4T9V2C7H5RD", "x"]
    assert {await grant(space, OTHER) for space in spaces} == {("not_found", "no such space", "space")}
    assert {await revoke(space, OTHER) for space in spaces} == {("not_found", "no such space", "space")}
    names = [(ActorKind.AGENT, "stranger"), (ActorKind.AGENT, "nobody"), (ActorKind.PERSON, "other")]
    actors = [Actor(kind=kind, key=key) for kind, key in names]
    assert {await grant(bot.home, actor) for actor in actors} == {
        ("not_found", "no such actor; it appears with its first request", "actor")
    }
    assert {await revoke(bot.home, actor) for actor in [*actors, OTHER]} == {
        ("not_found", "this actor has no access to the space", "actor")
    }
    assert await world.counts() == before


async def test_who_may_only_read_changes_no_access(world: World) -> None:
    await world.caller("other")
    reader = await world.caller("bot", roles=("reader",))
    nobody = await world.caller("bot", roles=())
    before = await world.counts()
    access = world.services.access
    world.statements.clear()

    for ask in (
        lambda: access.create_space(reader, CreateSpace(name="x")),
        lambda: access.grant_access(reader, GrantAccess(space=reader.home, actor=OTHER, permission=READ)),
        lambda: access.revoke_access(reader, RevokeAccess(space=reader.home, actor=OTHER)),
        lambda: access.spaces(nobody, nobody.readable),
        lambda: access.actors(nobody, [nobody.actor_id]),
    ):
        with pytest.raises(Forbidden):
            await ask()

    assert world.statements.names == []
    assert await world.counts() == before


@pytest.mark.parametrize("name", ["", " ", "n" * 61, "\ud800"])
async def test_an_odd_name_makes_no_space(world: World, name: str) -> None:
    bot = await world.caller("bot")
    before = await world.counts()

    with pytest.raises(InvalidInput) as caught:
        await world.services.access.create_space(bot, CreateSpace(name=name))

    assert caught.value.field == "name"
    assert await world.counts() == before


async def test_the_same_request_makes_one_space_and_one_grant(world: World) -> None:
    bot, _ = await world.caller("bot"), await world.caller("other")
    access = world.services.access

    spaces = [await access.create_space(bot, CreateSpace(name="Team", idempotency_key="s")) for _ in range(3)]
    bot = await world.caller("bot")
    grants = [
        await access.grant_access(
            bot,
            GrantAccess(
                space=spaces[0],
                actor=OTHER,
                permission=READ,
                idempotency_key="g",
            ),
        )
        for _ in range(3)
    ]
    ends = [
        await access.revoke_access(bot, RevokeAccess(space=spaces[0], actor=OTHER, idempotency_key="r"))
        for _ in range(3)
    ]

    assert len(set(spaces)) == 1
    assert {(granted.actor_id, granted.accepted) for granted in grants} == {(ends[0], False)}
    assert len(set(ends)) == 1
    with pytest.raises(Conflict):
        await access.create_space(bot, CreateSpace(name="Other", idempotency_key="s"))
    events = await world.rows("MATCH (e:OutboxEvent {org_id: $org}) RETURN e.type AS type ORDER BY e.uid")
    assert sorted(row["type"] for row in events) == ["access.offered", "access.revoked", "space.created"]
