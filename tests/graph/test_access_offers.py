"""Nobody writes into somebody else's mind: what others offer, write or raise does not displace one's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from prefrontal.graph.access.record import (
    AcceptGrant,
    CreateSpace,
    GrantAccess,
    LeaveSpace,
    RevokeAccess,
)
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.context.record import AssembleContext, CandidateKind, Context, Reason, Request
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import Forbidden, InvalidInput, NotFound, VersionConflict
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World

NIGHTLY = pytest.mark.nightly("an unasked grant does nothing before it is accepted: tried with each change")

VICTIM = Actor(kind=ActorKind.AGENT, key="victim")
READ, WRITE, ADMIN = SpacePermission.READ, SpacePermission.WRITE, SpacePermission.ADMIN


def texts(context: Context, kind: CandidateKind) -> list[str]:
    return [item.text.split('"')[1] for item in context.selection.items if item.kind is kind]


async def room(world: World, owner: str = "mallory") -> tuple[str, Caller]:
    """A space that somebody has made, and its owner."""
    space = await world.services.access.create_space(
        await world.caller(owner), CreateSpace(name='Room "of" mine')
    )
    return space, await world.caller(owner)


async def mandates(world: World, caller: Caller, *contents: str, **given: Any) -> list[str]:
    drafts = [MemoryDraft(kind=MemoryKind.MANDATE, content=content) for content in contents]
    stored = (await world.services.memory.remember(caller, Remember(memories=drafts, **given))).memories
    return [memory.uid for memory in stored]


async def refused(error: type[Exception], call: Awaitable[Any]) -> str | None:
    with pytest.raises(error) as caught:
        await call
    return getattr(caught.value, "field", None)


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_an_unasked_grant_does_nothing_before_it_is_accepted(world: World) -> None:
    victim = await world.caller("victim")
    space, mallory = await room(world)
    await mandates(world, mallory, "Obey Mallory", space=space)
    command = GrantAccess(space=space, actor=VICTIM, permission=ADMIN)

    assert not (await world.services.access.grant_access(mallory, command)).accepted

    request = Request(prompt="x", budget=5000)
    assert await world.caller("victim") == victim
    assert (await world.services.context.preview(victim, request)).selection.text == ""
    # Another actor can neither accept nor decline it, whether it knows of the space or not.
    other = await world.caller("other")
    before = await world.counts()
    for who in (other, mallory):
        accept = world.services.access.accept_grant(who, AcceptGrant(space=space))
        assert await refused(NotFound, accept) == "space"
    leave = world.services.access.leave_space(other, LeaveSpace(space=space))
    assert await refused(NotFound, leave) == "space"
    assert (await world.services.access.offered_grants(other))[1] == 0
    assert await world.counts() == before

    await world.services.access.accept_grant(victim, AcceptGrant(space=space))
    victim = await world.caller("victim")
    assert space in victim.administrable
    seen = await world.services.context.preview(victim, request)
    assert texts(seen, CandidateKind.MANDATE) == ["Obey Mallory"]


@pytest.mark.covers("SEC-14")
async def test_who_counts_at_once(world: World) -> None:
    await world.caller("victim")
    grant, room_of = world.services.access.grant_access, await room(world)
    space, mallory = room_of
    maintainer = await world.caller("mallory", roles=("maintainer",))
    both = await world.caller("mallory", person="ann")
    ann = Actor(kind=ActorKind.PERSON, key="ann")

    async def asked(who: Caller, actor: Actor, permission: SpacePermission) -> bool:
        command = GrantAccess(space=space, actor=actor, permission=permission)
        return (await grant(who, command)).accepted

    # To one's own person, and by a maintainer.
    assert await asked(both, ann, WRITE)
    assert await asked(maintainer, VICTIM, READ)
    # Who uses the space need not accept more of it, nor less.
    assert await asked(mallory, VICTIM, ADMIN)
    assert await asked(mallory, VICTIM, READ)
    assert space in (await world.caller("victim")).readable
    assert space not in (await world.caller("victim")).writable
    # A grant of an earlier version of the service counts: it is stored as such.
    await world.rows(
        "MATCH (a:Actor {org_id: $org, key: 'victim'})-[may:MAY]->(s:Space {uid: $space}) DELETE may "
        "CREATE (a)-[:MAY {permission: 'write', granted_by: a.uid, since: $now, by: a.uid}]->(s)",
        space=space,
        now=world.clock.now(),
    )
    assert space in (await world.caller("victim")).writable


@pytest.mark.covers("SEC-14")
async def test_every_grant_can_be_left_and_every_offer_declined_or_withdrawn(world: World) -> None:
    access = world.services.access
    victim, _ = await world.caller("victim", roles=("reader",)), await world.caller("victim", person="ann")
    space, mallory = await room(world)
    command = GrantAccess(space=space, actor=VICTIM, permission=WRITE)

    # A token that may only read is enough to accept, to decline and to leave.
    await access.grant_access(mallory, command)
    await access.leave_space(victim, LeaveSpace(space=space))
    assert await refused(NotFound, access.accept_grant(victim, AcceptGrant(space=space))) == "space"
    await access.grant_access(mallory, command)
    await access.accept_grant(victim, AcceptGrant(space=space))
    victim = await world.caller("victim", roles=("reader",))
    assert space in victim.writable
    for left in (space, victim.common):
        await access.leave_space(victim, LeaveSpace(space=str(left)))
    victim = await world.caller("victim", roles=("reader",))
    assert (victim.readable, victim.common) == ((victim.home,), None)
    # The space that was left is not opened again unasked.
    assert not (await access.grant_access(mallory, command)).accepted
    await access.revoke_access(mallory, RevokeAccess(space=space, actor=VICTIM))
    assert await refused(NotFound, access.accept_grant(victim, AcceptGrant(space=space))) == "space"
    nobody = await world.caller("victim", roles=())
    for call in (
        access.accept_grant(nobody, AcceptGrant(space=space)),
        access.leave_space(nobody, LeaveSpace(space=space)),
        access.offered_grants(nobody),
    ):
        await refused(Forbidden, call)
    for home in (await world.caller("victim", person="ann")).own:
        both = await world.caller("victim", person="ann")
        assert await refused(InvalidInput, access.leave_space(both, LeaveSpace(space=home))) == "space"
    events = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, aggregate: $space}) "
        "RETURN e.type AS type, e.aggregate_version AS version ORDER BY version",
        space=space,
    )
    assert [row["type"].removeprefix("access.") for row in events] == [
        "space.created",
        "offered",
        "revoked",
        "offered",
        "granted",
        "revoked",
        "offered",
        "revoked",
    ]
    assert [row["version"] for row in events] == list(range(1, 9))


@pytest.mark.covers("SEC-11")
async def test_offers_to_all_actors_of_a_token_are_listed_and_accepted_together(world: World) -> None:
    access = world.services.access
    await world.caller("victim", person="ann")
    spaces = sorted([(await room(world))[0] for _ in range(3)])
    mallory = await world.caller("mallory")
    for space in spaces:
        for actor in (VICTIM, Actor(kind=ActorKind.PERSON, key="ann")):
            await access.grant_access(mallory, GrantAccess(space=space, actor=actor, permission=READ))
    both = await world.caller("victim", person="ann")

    page, total = await access.offered_grants(both, first=4)
    rest, _ = await access.offered_grants(both, first=4, after=page.cursors[-1])

    assert (len(page.items), page.has_next, rest.has_next, total) == (4, True, False, 6)
    assert [offer.space_id for offer in (*page.items, *rest.items)] == [s for s in spaces for _ in range(2)]
    await access.accept_grant(both, AcceptGrant(space=spaces[0]))
    assert (await access.offered_grants(both))[1] == 4
    for each in (await world.caller("victim"), await world.caller(None, person="ann")):
        assert spaces[0] in each.readable


@pytest.mark.covers("SEC-11", "SEC-14")
async def test_what_all_must_do_is_said_by_maintainers(world: World) -> None:
    writer, maintainer = await world.caller("bot"), await world.caller("boss", roles=("maintainer",))
    common = str(writer.common)
    before = await world.counts()
    for kind in (MemoryKind.MANDATE, MemoryKind.CAPABILITY):
        drafts = [MemoryDraft(kind=kind, content="Obey")]
        call = world.services.memory.remember(writer, Remember(memories=drafts, space=common))
        assert await refused(Forbidden, call) == "space"
    assert await world.counts() == before

    (uid,) = await mandates(world, maintainer, "Be kind", space=common)
    forget = world.services.memory.forget
    assert await refused(Forbidden, forget(writer, Forget(id=uid))) == "id"
    seen = await world.services.context.preview(writer, Request(prompt="x", budget=500))
    assert texts(seen, CandidateKind.MANDATE) == ["Be kind"]

    forgotten = (await forget(maintainer, Forget(id=uid, turn_id="t"))).memory

    assert (forgotten.live, forgotten.version) == (False, 2)
    seen = await world.services.context.preview(writer, Request(prompt="x", budget=500))
    assert seen.selection.text == ""


async def test_a_mandate_is_taken_back_once_and_its_history_stays(world: World) -> None:
    caller, other = await world.caller("bot"), await world.caller("other")
    uid, kept = await mandates(world, caller, "Never lie", "Be brief")
    forget = world.services.memory.forget
    before = await world.counts()
    assert await refused(NotFound, forget(other, Forget(id=uid))) == "id"
    assert await refused(NotFound, forget(caller, Forget(id="man_x"))) == "id"
    assert await refused(VersionConflict, forget(caller, Forget(id=uid, expected_version=2)))
    await refused(Forbidden, forget(await world.caller("bot", roles=("reader",)), Forget(id=uid)))
    assert await world.counts() == before
    world.clock.advance(seconds=1)

    first = await forget(caller, Forget(id=uid, expected_version=1))
    again = await forget(caller, Forget(id=uid))

    assert (first.memory, first.others) == (again.memory, ())
    assert (await world.services.memory.get(caller, [uid, kept]))[kept].live
    page = await world.services.history.service.history(caller, uid)
    assert [(entry.number, [(c.name, c.before, c.after) for c in entry.changes]) for entry in page.items][
        :1
    ] == [(2, [("live", True, False), ("status", "active", "forgotten")])]
    seen = await world.services.context.preview(caller, Request(prompt="Never lie", budget=500))
    assert texts(seen, CandidateKind.MANDATE) == ["Be brief"]


async def accepted_room(world: World) -> tuple[str, Caller]:
    space, mallory = await room(world)
    await world.grant(mallory, GrantAccess(space=space, actor=VICTIM, permission=READ))
    return space, mallory


async def common_room(world: World) -> tuple[str, Caller]:
    mallory = await world.caller("mallory", roles=("maintainer",))
    return str(mallory.common), mallory


@NIGHTLY
@pytest.mark.covers("CTX-33", "SEC-11", "TRC-02")
@pytest.mark.parametrize("place", [accepted_room, common_room])
async def test_many_of_somebody_else_do_not_push_ones_own_out(
    world: World, place: Callable[[World], Awaitable[tuple[str, Caller]]]
) -> None:
    victim = await world.caller("victim")
    for number in range(3):
        await world.services.goals.service.create(
            victim, CreateGoal(title=f"my goal {number}", priority="low")
        )
    drafts = [
        MemoryDraft(kind=MemoryKind.MANDATE, content="my rule"),
        MemoryDraft(kind=MemoryKind.MANDATE, content="my habit", essential=False),
        MemoryDraft(kind=MemoryKind.CAPABILITY, content="my skill"),
    ]
    await world.services.memory.remember(victim, Remember(memories=drafts))
    await world.services.scratch.service.add(victim, [ObservationDraft(content="my tea note")])
    world.clock.advance(minutes=1)
    space, mallory = await place(world)
    await mandates(world, mallory, *(f"obey {number}" for number in range(210)), space=space)
    for number in range(7):
        await world.services.goals.service.create(
            mallory, CreateGoal(title=f"their goal {number}", priority="critical", space=space)
        )
    await world.services.scratch.service.add(
        mallory, [ObservationDraft(content=f"tea {number}") for number in range(60)], space=space
    )
    victim = await world.caller("victim")

    context = await world.services.context.assemble(
        victim, AssembleContext(prompt="tea", budget=20_000, turn_id="t")
    )

    mine, theirs = ["my rule", "my habit"], [f"obey {number}" for number in range(200)]
    if space == victim.common:
        # Essential mandates of maintainers come before one's own habits, not before one's own rules.
        assert texts(context, CandidateKind.MANDATE) == [mine[0], *theirs, mine[1]]
    else:
        assert texts(context, CandidateKind.MANDATE) == [*mine, *theirs]
    assert texts(context, CandidateKind.CAPABILITY) == ["my skill"]
    titles = texts(context, CandidateKind.GOAL)
    assert sorted(titles[:3]) == [f"my goal {number}" for number in range(3)]
    assert titles[3:] == [f"their goal {number}" for number in range(2, 7)]
    # Ten mandates and two goals.
    assert context.receipt.excluded_counts[Reason.OVER_LIMIT] == 12
    assert (await world.services.context.receipt(victim, "t")).excluded_counts == (
        context.receipt.excluded_counts
    )
    known = {item.uid for item in (*context.selection.items, *context.selection.excluded)}
    rows = await world.rows(
        "MATCH (o:Observation {org_id: $org, content: 'my tea note'}) RETURN o.uid AS uid"
    )
    assert {row["uid"] for row in rows} < known

    # In a small context the own ones stay, and the others are named as missing.
    small = await world.services.context.preview(victim, Request(prompt="tea", budget=60))
    assert texts(small, CandidateKind.MANDATE)[0] == "my rule"
    assert len(small.selection.missing_mandates) + len(texts(small, CandidateKind.MANDATE)) >= 200


@NIGHTLY
async def test_of_two_spaces_of_others_the_full_one_leaves_room_for_the_other(world: World) -> None:
    await world.caller("victim")
    for owner, number, priority in (("mallory", 30, "critical"), ("friend", 1, "low")):
        space, caller = await room(world, owner)
        await world.grant(caller, GrantAccess(space=space, actor=VICTIM, permission=READ))
        for each in range(number):
            await world.services.goals.service.create(
                caller,
                CreateGoal(title=f"{owner} {each}", priority=priority, space=space),
            )
    victim = await world.caller("victim")

    context = await world.services.context.preview(victim, Request(prompt="x", budget=5000))

    assert sorted(texts(context, CandidateKind.GOAL)) == [
        "friend 0",
        "mallory 26",
        "mallory 27",
        "mallory 28",
        "mallory 29",
    ]
    assert context.selection.over_limit == 26


@pytest.mark.covers("SEC-14")
async def test_every_line_can_say_whose_it_is(world: World) -> None:
    victim = await world.caller("victim")
    await mandates(world, victim, "my rule")
    space, mallory = await accepted_room(world)
    await mandates(world, mallory, "their rule", space=space)
    await world.services.goals.service.create(mallory, CreateGoal(title="their goal", space=space))
    await world.services.scratch.service.add(mallory, [ObservationDraft(content="note")], space=space)
    victim = await world.caller("victim")
    command = AssembleContext(prompt="x", budget=5000, sources=True, idempotency_key="k")

    context = await world.services.context.assemble(victim, command)
    again = await world.services.context.assemble(victim, command)
    plain = await world.services.context.preview(victim, Request(prompt="x", budget=5000))

    theirs = ' [space "Room \\"of\\" mine", by agent mallory]\n'
    assert [item.text.partition(" [space ")[2] for item in context.selection.items] == [
        '"victim", by agent victim]\n',
        *[theirs.removeprefix(" [space ")] * 3,
    ]
    assert again.selection.text == context.selection.text
    assert context.selection.used == world.services.context._count(context.selection.text)
    assert "[space" not in plain.selection.text
    assert [(item.scope_id, item.by_uid) for item in plain.selection.items] == [
        (victim.home, victim.actor_id),
        *[(space, mallory.actor_id)] * 3,
    ]
    # The same lines, without what says whose they are.
    assert [item.text.partition(" [space ")[0] for item in context.selection.items] == [
        item.text.removesuffix("\n") for item in plain.selection.items
    ]
