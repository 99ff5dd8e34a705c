"""How the access log is written: exactly once, within the organisation, for a time."""

from __future__ import annotations

from datetime import timedelta

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.caller import Principal
from prefrontal.graph.errors import NotFound, TimedOut
from prefrontal.graph.ids import Kind, new_id
from prefrontal.graph.jobs.periodic import DeleteOutdated
from prefrontal.graph.sessions import access_store
from prefrontal.graph.sessions.access_log import MOST_ITEMS, AccessLog
from prefrontal.graph.sessions.access_record import AccessOperation, AccessOutcome, SessionAccess
from prefrontal.graph.sessions.record import EndSession
from tests.graph.test_sessions import number, offer, person, start
from tests.support.slowing import slowed
from tests.support.world import World

ENTRIES = "MATCH (a:AccessLog {org_id: $org}) RETURN count(a)"
START = AccessOperation.START


def log_of(world: World, most: int, counted: list[tuple[str, int]]) -> AccessLog:
    catalog = world.services.catalog
    table = catalog.capacity.access_log.model_copy(update={"most": most, "batch": 2})
    capacity = catalog.capacity.model_copy(update={"access_log": table})
    return AccessLog(
        world.services.database,
        world.clock,
        catalog.model_copy(update={"capacity": capacity}),
        on_counted=lambda outcome, of: counted.append((outcome, of)),
    )


@pytest.mark.covers("SEC-06")
async def test_what_is_too_much_to_remember_is_dropped_counted_and_said(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    counted: list[tuple[str, int]] = []
    log = log_of(world, 3, counted)
    with capture_logs() as logs:
        for _ in range(5):
            log.note(caller, START, session.uid)
        assert await log.batcher.flush() == 3

    assert counted == [("dropped", 1), ("dropped", 1), ("written", 2), ("written", 1)]
    said = [(each["event"], each["notes"], each["number"]) for each in logs if "notes" in each]
    assert said == [("notes_dropped", "access_log", 2)]
    assert await number(world, ENTRIES) == 3


@pytest.mark.covers("SEC-06")
async def test_what_cannot_be_written_is_written_later_and_once(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    log = log_of(world, 10, [])
    log.note(caller, START, session.uid)
    with slowed(world.services.database, "sessions/append_accesses"), pytest.raises(TimedOut):
        await log.batcher.flush()
    assert await log.batcher.flush() == 1
    # Its answer may be lost although it was written.
    entries = []
    entries = [
        SessionAccess(
            uid=new_id(Kind.ACCESS_LOG, world.clock.now()),
            operation=START,
            session=session.uid,
            org_id=caller.org_id,
            scope_id=session.scope_id,
            by_uid=caller.actor_id,
            at=world.clock.now(),
        )
    ]
    until = world.clock.now() + timedelta(days=1)
    for _ in range(2):
        await world.services.database.write(lambda tx: access_store.append(tx, entries, until))
    assert await number(world, ENTRIES) == 2


@pytest.mark.covers("SEC-05")
async def test_an_entry_keeps_a_hundred_ids_and_the_number_of_all(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    log = log_of(world, 10, [])
    log.note(caller, START, session.uid, (str(place) for place in range(MOST_ITEMS + 7)))
    await log.batcher.flush()
    page = await log.page(caller, session.uid)
    assert page is not None
    assert [(each.items, len(each.item_ids)) for each in page.items] == [(MOST_ITEMS + 7, MOST_ITEMS)]


@pytest.mark.covers("SEC-05", "SEC-12")
async def test_an_attempt_of_another_organisation_does_not_cross_the_border(world: World) -> None:
    alice, bob = await person(world), await person(world, "bob")
    key = f"{world.org}-b"
    other = await world.services.access.create_organisation(key)
    mallory = await world.services.access.caller(Principal(org=key, person="mallory", roles=("writer",)))
    session = await start(world, alice)
    for stranger in (mallory, bob):
        for named in (session.uid, "a key"):
            with pytest.raises(NotFound):
                await world.services.sessions.end(stranger, EndSession(id=named))
    await world.services.access_log.batcher.flush()

    page = await world.services.access_log.page(alice, session.uid, outcome=AccessOutcome.REFUSED)

    assert page is not None
    assert [entry.person_id for entry in page.items] == [bob.person_id]
    # The attempt is in the organisation that it came from, and a key that nobody has is not kept.
    rows = await world.rows(
        "MATCH (a:AccessLog {org_id: $other}) "
        "RETURN a.scope_id AS scope, a.session_uid AS session ORDER BY session",
        other=other,
    )
    assert [(row["scope"], row["session"]) for row in rows] == [
        (mallory.person_home, session.uid),
        (mallory.person_home, None),
    ]


@pytest.mark.alone
@pytest.mark.covers("SEC-04")
async def test_an_access_is_kept_for_its_days(world: World) -> None:
    caller = await person(world)
    session = await start(world, caller)
    await offer(world, caller, session.uid, "The boat")
    await world.services.access_log.batcher.flush()
    assert await number(world, ENTRIES) == 2
    job, days = DeleteOutdated(world.services.catalog), world.services.catalog.retention.access_days

    for passed, left in ((timedelta(days=days) - timedelta(seconds=1), 2), (timedelta(seconds=1), 0)):
        now = world.clock.advance(seconds=int(passed.total_seconds()))
        while await world.services.database.write(lambda tx, at=now: job.batch(tx, at)):
            pass
        assert await number(world, ENTRIES) == left
