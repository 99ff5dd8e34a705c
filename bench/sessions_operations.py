"""Measured operations of sessions: what is added, what is read, and how related sessions are found.

Aims for one client, as multiples of the unit (a Bolt `RETURN 1`), without making vectors: an item that is
added to a full session at most 15, the active context at most 5. Related sessions should take as long
however many unrelated ones there are.

    compare ...   a session is compared, as the job does it: lock, what it is about, walk, relations
    walk ...      the one statement that finds what it may be related to, `sessions/find_correlated`
    evict ...     the rule alone: which one of so many items leaves
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

from bench.operations import Operation, Prepare, WrongAnswer
from bench.sessions_world import HUB, Sessions, alone, full, named, offer, project, started, text
from bench.world import World
from prefrontal.graph.sessions import correlation_store
from prefrontal.graph.sessions.eviction import to_evict
from prefrontal.graph.sessions.record import (
    ActiveContextFilter,
    ItemContent,
    OperationResult,
    Session,
    StartSession,
)
from prefrontal.graph.sessions.slot import Slot

ADD, ACTIVE = 15.0, 5.0

Content = Callable[[Sessions], ItemContent]


async def _full(world: World) -> Any:
    sessions = cast("Sessions", world)
    return (await full(sessions)).uid, text(sessions)


async def _old(world: World) -> Any:
    sessions = cast("Sessions", world)
    return sessions.old, text(sessions)


async def _any(world: World) -> Any:
    sessions = cast("Sessions", world)
    return world.random.choice(sessions.running), text(sessions)


async def _add(world: World, prepared: Any) -> None:
    update = await offer(world.services, world.caller, *prepared)
    if update.operation_result is not OperationResult.ADDED or len(update.evicted_items) != 1:
        raise WrongAnswer(f"{update.operation_result}, {len(update.evicted_items)} left")


async def _active(world: World, prepared: Any) -> None:
    session, _ = prepared
    async with world.services.database.read_transaction():
        found = await world.services.sessions.active_context(world.caller, session, ActiveContextFilter())
    if found is None or len(found.items) != found.session.max_capacity:
        raise WrongAnswer("the session does not hold what it should")


async def _linked(world: World, prepared: Any) -> None:
    session, _ = prepared
    async with world.services.database.read_transaction():
        await world.services.sessions.active_context(world.caller, session, ActiveContextFilter())
        await world.services.session_correlations.related(world.caller, session, only_earlier=True)


async def _start(world: World, _: Any) -> None:
    await world.services.sessions.start(
        world.caller, StartSession(task="zzyzx qwghlm", focus=(HUB, project(1)))
    )


async def _compare(world: World, session: Any) -> None:
    services, caller = world.services, world.caller
    now = services.clock.now()
    await services.database.write(
        lambda tx: services.session_correlations.compare_now_in(tx, caller.org_id, session.uid, now)
    )


async def _walk(world: World, session: Any) -> None:
    services = world.services
    since = services.session_correlations.since(session.created_at)
    table = services.catalog.correlation
    found = await services.database.read(
        lambda tx: correlation_store.find_correlated(tx, session, since, table)
    )
    if len(found) > table.candidates:
        raise WrongAnswer(f"{len(found)} candidates")


def _items(number: int) -> Prepare:
    """Return what makes so many items that a session may hold, one of them too many."""

    async def prepare(world: World) -> list[Slot]:
        now, random = world.services.clock.now(), world.random
        names = [f"name {each}" for each in range(number)]
        return [
            Slot(
                item_uid=str(each),
                salience=random.random(),
                confidence=random.random(),
                admitted_at=now - timedelta(hours=2),
                last_access=now - timedelta(minutes=random.randrange(120)),
                access_count=random.randrange(10),
                entities=frozenset(random.sample(names, 3)),
                themes=tuple(random.sample(names, 3)),
            )
            for each in range(number)
        ]

    return prepare


async def _evict(world: World, slots: Any) -> None:
    catalog = world.services.catalog
    left = to_evict(
        slots,
        limit=len(slots) - 1,
        now=world.services.clock.now(),
        table=catalog.eviction,
        coherence=catalog.coherence,
    )
    if len(left) != 1:
        raise WrongAnswer(f"{len(left)} left")


def _new(content: Content) -> Prepare:
    """Return what starts a session that holds a text, and is not compared yet."""

    async def prepare(world: World) -> Session:
        held = content(cast("Sessions", world))
        return await started(world.services, world.caller, [held])

    return prepare


def _same(sort: str, content: Content) -> Prepare:
    """Return what gives the same compared session each time, so that a walk always finds the same.

    What earlier operations wrote is deleted, also such a session: then there is a new one.
    """

    async def prepare(world: World) -> Session:
        kept = cast("Sessions", world).walked
        known = kept.get(sort)
        if known is None or not await world.services.sessions.get(world.caller, [known.uid]):
            kept[sort] = await _new(content)(world)
            await _compare(world, kept[sort])
        return kept[sort]

    return prepare


_SORTS = (
    ("unrelated", "that shares nothing", alone),
    ("hub", "that names whom half of all name, and a project", named),
    ("usual", "about a topic, like the others", text),
)

OPERATIONS: tuple[Operation, ...] = (
    Operation("add-full", "add to a full session", _add, _full, aim=ADD, writes=True, covers=("OPS-55",)),
    Operation("add-old", "add to a full session that many items have left", _add, _old, aim=ADD),
    *(
        Operation(
            f"evict-{number}", f"which of {number:,} items leaves", _evict, _items(number), covers=("OPS-55",)
        )
        for number in (7, 1000)
    ),
    Operation(
        "active-context", "active context of a full session", _active, _any, aim=ACTIVE, covers=("OPS-54",)
    ),
    Operation("active-linked", "active context with its links", _linked, _any),
    Operation("start", "start a session with a task, which is compared", _start, writes=True),
    *(
        Operation(
            f"compare-{name}",
            f"compare a session {what}",
            _compare,
            _new(content),
            writes=True,
        )
        for name, what, content in _SORTS
    ),
    *(
        Operation(
            f"walk-{name}",
            f"walk from a session {what}",
            _walk,
            _same(name, content),
            writes=True,
        )
        for name, what, content in _SORTS
    ),
)

MANY = (Operation("update-many", "add to any of many full sessions", _add, _any, covers=("OPS-56",)),)
