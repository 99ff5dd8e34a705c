"""A caller reads the events of its spaces in their order, and nothing else, as a list and as a stream."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from prefrontal.graph.access.record import CreateSpace, GrantAccess, RevokeAccess
from prefrontal.graph.caller import Actor, ActorKind, Caller, SpacePermission
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft
from prefrontal.graph.errors import Forbidden, InvalidInput, RateLimited, Unauthenticated, Unavailable
from prefrontal.graph.journal.record import EventType
from prefrontal.graph.outbox.record import PublishedEvent
from prefrontal.graph.outbox.stream import EventStreams
from prefrontal.graph.scratch.record import ObservationDraft
from prefrontal.graph.sessions.record import StartSession
from tests.support.events import relayed, relaying
from tests.support.world import World

pytestmark = pytest.mark.alone


async def noted(world: World, *contents: str, agent: str = "bot", space: str | None = None) -> list[str]:
    drafts = [ObservationDraft(content=content) for content in contents]
    stored = await world.services.scratch.service.add(await world.caller(agent), drafts, space=space)
    return [o.uid for o in stored]


async def read(world: World, caller: Caller, **given: Any) -> list[PublishedEvent]:
    return list((await world.services.outbox.events.page(caller, **given)).items)


def streams_of(world: World, *, most: int = 0, silent_seconds: float = 60.0, page: int = 100) -> EventStreams:
    table = world.services.catalog.outbox.model_copy(update={"silent_seconds": silent_seconds, "page": page})
    return EventStreams(world.services.outbox.events, world.services.outbox.positions, table, most=most)


async def elsewhere(world: World) -> World:
    org = f"{world.org}-b"
    org_id = await world.services.access.create_organisation(org)
    return World(world.services, world.clock, world.statements, org, org_id)


async def test_events_are_read_in_their_order_from_any_place_on(world: World) -> None:
    uids = await noted(world, "one", "two", "three")
    caller = await world.caller()
    before = await read(world, caller)
    await relayed(world)

    every = await read(world, caller)
    paged: list[PublishedEvent] = []
    while page := await read(world, caller, after=paged[-1].seq if paged else 0, first=2):
        paged += page

    # What has no place yet is not published.
    assert before == []
    assert [event.seq for event in every] == [1, 2, 3]
    assert [event.subject for event in every] == uids
    assert {event.type for event in every} == {EventType.OBSERVATION_ADDED}
    assert every[0].data == {"observation_id": uids[0], "status": "active"}
    assert every[0].source == f"/organisations/{world.org}"
    assert paged == every


async def test_only_the_kinds_that_were_asked_for_come(world: World) -> None:
    await noted(world, "one")
    goal = await world.services.goals.service.create(await world.caller(), CreateGoal(title="Ship"))
    await noted(world, "two")
    await relayed(world)

    found = await read(world, await world.caller(), types=[EventType.GOAL_CREATED])

    assert [(event.seq, event.subject) for event in found] == [(2, goal.uid)]
    assert await read(world, await world.caller(), types=[EventType.GOAL_CREATED], after=2) == []


@pytest.mark.covers("SEC-12", "SEC-14")
async def test_events_of_others_leave_gaps_and_nothing_else(world: World) -> None:
    other = await elsewhere(world)
    await noted(world, "mine")
    await noted(world, "theirs", agent="another")
    await noted(other, "of another organisation")
    await noted(world, "mine again")
    await relayed(world)

    mine, theirs = await read(world, await world.caller()), await read(world, await world.caller("another"))
    foreign = await read(world, await other.caller())

    assert [event.seq for event in mine] == [1, 3]
    assert [event.seq for event in theirs] == [2]
    assert [event.seq for event in foreign] == [1]
    assert not {event.uid for event in mine} & {event.uid for event in theirs + foreign}


@pytest.mark.covers("SEC-14")
async def test_an_id_in_the_data_that_is_not_readable_is_not_told(world: World) -> None:
    access = world.services.access
    bot, actor = await world.caller(), Actor(kind=ActorKind.AGENT, key="other")
    await world.caller("other")
    space = await access.create_space(bot, CreateSpace(name="shared"))
    grant = GrantAccess(space=space, actor=actor, permission=SpacePermission.READ)
    await world.grant(await world.caller(), grant)
    # The evidence lies in the bot's own space, the goal in one that both read.
    (secret,) = await noted(world, "secret")
    bot = await world.caller()
    await world.services.goals.service.create(
        bot, CreateGoal(title="Ship", space=space, evidence=[EvidenceDraft(observation_id=secret)])
    )
    await relayed(world)

    of_bot = [event for event in await read(world, bot) if event.scope_id == space]
    of_other = [event for event in await read(world, await world.caller("other")) if event.scope_id == space]

    assert [event.seq for event in of_bot] == [event.seq for event in of_other]
    assert secret in str([event.data for event in of_bot])
    assert secret not in str(of_other)


@pytest.mark.covers("SEC-01", "SEC-02")
async def test_events_of_a_session_are_for_its_own_device_alone(world: World) -> None:
    phone = await world.caller(None, person="ann", device="phone")
    started = await world.services.sessions.start(phone, StartSession(task="tea"))
    await relayed(world)

    async def about(caller: Caller) -> list[str]:
        return [e.subject for e in await read(world, caller) if e.subject == started.uid]

    assert await about(phone) == [started.uid]
    laptop = await world.caller(None, person="ann", device="laptop")
    # Both read the same space.
    assert phone.session_space == laptop.session_space in laptop.readable
    assert await about(laptop) == []


@pytest.mark.parametrize("after", [-1, 2**53])
async def test_a_place_that_is_none_is_refused(world: World, after: int) -> None:
    with pytest.raises(InvalidInput):
        await read(world, await world.caller(), after=after)


async def test_who_may_not_read_gets_nothing(world: World) -> None:
    nobody = (await world.caller()).model_copy(update={"permissions": frozenset()})

    with pytest.raises(Forbidden):
        await read(world, nobody)


async def test_a_reader_never_goes_beyond_what_it_was_told(world: World) -> None:
    """Of a commit that is under way an index may show a later event and not yet an earlier one."""
    await noted(world, "one", "two")

    async def stamp(tx: Any) -> None:
        await world.services.outbox.relay.stamp_in(tx, world.clock.now(), 10)

    await world.services.database.write(stamp)
    stamped = await read(world, await world.caller())
    page = await world.services.outbox.events.page(await world.caller())
    await world.services.database.write(stamp)

    assert (stamped, page.upto) == ([], 0)
    assert [event.seq for event in await read(world, await world.caller())] == [1, 2]


class Follower:
    """Follows events, and keeps what has come."""

    def __init__(self, world: World, streams: EventStreams, agent: str = "bot", **given: Any) -> None:
        self.seen: list[PublishedEvent] = []
        self.alive = 0
        self._more = asyncio.Condition()

        async def who() -> Caller:
            return await world.caller(agent)

        async def follow() -> None:
            async with aclosing(streams.follow(who, **given)) as found:
                async for event in found:
                    async with self._more:
                        if event is None:
                            self.alive += 1
                        else:
                            self.seen.append(event)
                        self._more.notify_all()

        self.task = asyncio.create_task(follow())

    async def until(self, seen: int = 0, alive: int = 0) -> None:
        async def enough() -> None:
            async with self._more:
                await self._more.wait_for(lambda: len(self.seen) >= seen and self.alive >= alive)

        waiting = asyncio.create_task(enough())
        await asyncio.wait([waiting, self.task], return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            waiting.cancel()
            await self.task
        await waiting

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)


async def test_a_stream_brings_each_event_once_while_others_write(world: World) -> None:
    streams = streams_of(world, page=3)
    follower = Follower(world, streams)
    await follower.until(alive=1)
    async with relaying(world.services, world.clock):
        for number in range(10):
            await asyncio.gather(noted(world, f"mine {number}"), noted(world, f"x {number}", agent="another"))
        await follower.until(seen=10)
    await follower.stop()

    places = [event.seq for event in follower.seen]
    assert places == sorted(set(places))
    assert places == [event.seq for event in await read(world, await world.caller(), first=100)]
    assert streams.number == 0


async def test_who_comes_back_goes_on_behind_the_last_event(world: World) -> None:
    await noted(world, "one", "two")
    await relayed(world)
    first = Follower(world, streams_of(world), after=0)
    await first.until(seen=2)
    await first.stop()
    await noted(world, "while away", "still away")
    await relayed(world)

    again = Follower(world, streams_of(world), after=first.seen[-1].seq)
    await again.until(seen=2)
    await again.stop()

    assert [event.seq for event in first.seen + again.seen] == [1, 2, 3, 4]


async def test_without_a_place_only_what_comes_is_followed(world: World) -> None:
    await noted(world, "before")
    await relayed(world)
    follower = Follower(world, streams_of(world))
    await follower.until(alive=1)
    await noted(world, "after")
    await relayed(world)
    await follower.until(seen=1)
    await follower.stop()

    assert [event.seq for event in follower.seen] == [2]


@pytest.mark.covers("SEC-14")
async def test_a_grant_that_ends_ends_its_events_in_a_running_stream(world: World) -> None:
    access = world.services.access
    actor = Actor(kind=ActorKind.AGENT, key="other")
    await world.caller("other")
    space = await access.create_space(await world.caller(), CreateSpace(name="shared"))
    grant = GrantAccess(space=space, actor=actor, permission=SpacePermission.READ)
    await world.grant(await world.caller(), grant)
    await relayed(world)
    follower = Follower(world, streams_of(world), agent="other")
    await follower.until(alive=1)

    await noted(world, "shared", space=space)
    await relayed(world)
    await follower.until(seen=1)
    await access.revoke_access(await world.caller(), RevokeAccess(space=space, actor=actor))
    await noted(world, "not any more", space=space)
    await noted(world, "own", agent="other")
    await relayed(world)
    await follower.until(seen=2)
    await follower.stop()

    assert [event.scope_id for event in follower.seen] == [space, (await world.caller("other")).home]


async def test_a_silent_stream_says_that_it_is_alive_and_asks_who_follows(world: World) -> None:
    asked: list[int] = []

    async def who() -> Caller:
        asked.append(1)
        if len(asked) > 3:
            raise Unauthenticated("the token has expired")
        return await world.caller()

    following = streams_of(world, silent_seconds=0.001).follow(who)
    found = [await anext(following) for _ in range(4)]
    with pytest.raises(Unauthenticated):
        await anext(following)

    assert found == [None] * 4
    assert len(asked) == 4


async def test_a_caller_has_a_bounded_number_of_streams(world: World) -> None:
    streams = streams_of(world, most=2)
    two = [Follower(world, streams) for _ in range(2)]
    for each in two:
        await each.until(alive=1)

    with pytest.raises(RateLimited):
        await Follower(world, streams).until(alive=1)
    # Another caller has streams of its own, and one that ends makes room.
    other = Follower(world, streams, agent="another")
    await other.until(alive=1)
    await two[0].stop()
    again = Follower(world, streams)
    await again.until(alive=1)

    assert streams.number == 3
    for each in (*two, other, again):
        await each.stop()
    assert streams.number == 0


async def test_all_streams_end_when_the_process_stops(world: World) -> None:
    streams = streams_of(world)
    followers = [Follower(world, streams) for _ in range(3)]
    for each in followers:
        await each.until(alive=1)

    streams.close()

    for each in followers:
        with pytest.raises(Unavailable):
            await each.task
    with pytest.raises(Unavailable):
        await Follower(world, streams).until(alive=1)


async def test_what_another_process_has_stamped_is_found_by_a_look(world: World) -> None:
    follower = Follower(world, streams_of(world))
    await follower.until(alive=1)
    await noted(world, "one")

    async def stamp(tx: Any) -> int:
        return (await world.services.outbox.relay.stamp_in(tx, world.clock.now(), 10))[0]

    # As another process does: nothing rings here.
    while await world.services.database.write(stamp):
        pass
    await world.services.outbox.positions.look()
    await follower.until(seen=1)
    await follower.stop()

    assert [event.seq for event in follower.seen] == [1]
