"""What is deleted after its time, and what stays because a history needs it."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.config import Catalog
from prefrontal.graph.context.record import AssembleContext
from prefrontal.graph.cortex.goals.record import CreateGoal, EvidenceDraft, UnlinkObservation
from prefrontal.graph.errors import NotFound
from prefrontal.graph.history.record import AuditFilter
from prefrontal.graph.jobs.periodic import DeleteOutdated, ExpireObservations
from prefrontal.graph.jobs.retention import DeleteArchived, DeleteEvents, DeleteTraces
from prefrontal.graph.scratch.record import ObservationDraft
from tests.support.world import World

pytestmark = pytest.mark.alone


@pytest.fixture(autouse=True)
async def long_ago(world: World) -> None:
    """Retention works for every organisation: let everything here be older than what other tests left."""
    world.clock.advance(days=-3650)


def with_batch(world: World, job: str, batch: int, **retention: Any) -> Catalog:
    catalog = world.services.catalog
    table = getattr(catalog.jobs, job).model_copy(update={"batch": batch})
    return catalog.model_copy(
        update={
            "jobs": catalog.jobs.model_copy(update={job: table}),
            "retention": catalog.retention.model_copy(update=retention),
        }
    )


async def noted(world: World, *contents: str, **more: Any) -> dict[str, str]:
    """Store observations that live for a minute; return their ids by their texts."""
    drafts = [ObservationDraft(content=content, ttl_minutes=1, **more) for content in contents]
    stored = await world.services.scratch.service.add(await world.caller(), drafts)
    return {o.content: o.uid for o in stored}


async def left(world: World) -> list[str]:
    rows = await world.rows("MATCH (o:Observation {org_id: $org}) RETURN o.content AS text ORDER BY text")
    return [row["text"] for row in rows]


async def archived(world: World) -> None:
    """Let every observation expire, and put it into the archive."""
    world.clock.advance(minutes=1)
    await world.services.jobs.run_once(ExpireObservations(world.services.catalog))


async def test_no_word_of_a_deleted_observation_stays_in_a_topic(world: World) -> None:
    await noted(world, "Secret wine", "Secret merger", tags=("cellar",))
    await archived(world)
    await noted(world, "Public wine")

    world.clock.advance(days=7)
    await world.services.jobs.run_once(DeleteArchived(world.services.catalog))

    assert await left(world) == ["Public wine"]
    rows = await world.rows("MATCH (t:Topic {org_id: $org}) RETURN t.key AS key ORDER BY key")
    assert [row["key"] for row in rows] == ["public", "wine"]


@pytest.mark.covers("TURN-59")
async def test_an_archived_observation_is_deleted_after_its_days(world: World) -> None:
    uids = await noted(world, "old")
    await archived(world)
    job = DeleteArchived(world.services.catalog)
    assert world.services.catalog.scratch.archive_days == 7

    world.clock.advance(days=7, microseconds=-1)
    early = await world.services.jobs.run_once(job)
    await noted(world, "young")
    await archived(world)
    with capture_logs() as logs:
        due = await world.services.jobs.run_once(job)

    assert (early, due) == (0, 1)
    assert await left(world) == ["young"]
    assert [e for e in logs if e["event"] == "outdated_deleted"] == [
        {"event": "outdated_deleted", "job": "delete_archived", "deleted": 1, "log_level": "info"}
    ]
    # The audit log still says who changed what, and that it was deleted.
    page = await world.services.history.audit.page(
        await world.caller(), AuditFilter(entity_id=uids["old"]), first=10
    )
    assert [(entry.operation, entry.version) for entry in page.items] == [
        ("observation.deleted", 3),
        ("observation.expired", 2),
        ("observation.added", 1),
    ]
    assert await world.services.jobs.run_once(job) == 0


async def test_what_a_history_needs_is_kept(world: World) -> None:
    caller, goals = await world.caller(), world.services.goals
    uids = await noted(world, "evidence", "was evidence", "budget is 10", "alone", "pinned", "summary")
    goal = await goals.service.create(
        caller,
        CreateGoal(
            title="Goal",
            evidence=tuple(EvidenceDraft(observation_id=uids[name]) for name in ("evidence", "was evidence")),
        ),
    )
    await goals.evidence.unlink(
        caller, UnlinkObservation(goal_id=goal.uid, observation_id=uids["was evidence"])
    )
    (kept,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="budget is 20", contradicts=(uids["budget is 10"],))]
    )
    await archived(world)
    await world.rows(
        "MATCH (o:Observation {org_id: $org}) "
        "FOREACH (_ IN CASE o.content WHEN 'pinned' THEN [1] ELSE [] END | SET o.pinned = true) "
        "FOREACH (_ IN CASE o.content WHEN 'summary' THEN [1] ELSE [] END | "
        "CREATE (:Summary {uid: 'sum_' + $org, org_id: $org, of_uid: $org, kind: 'meso', label: 'v1'})"
        "-[:RESTS_ON]->(o))"
    )
    world.clock.advance(days=7)

    # In batches of one: what is kept is passed by.
    job = DeleteArchived(with_batch(world, "delete_archived", 1))
    assert await world.services.jobs.run_once(job) == 6
    assert await left(world) == [
        "budget is 10",
        "budget is 20",
        "evidence",
        "pinned",
        "summary",
        "was evidence",
    ]
    # Once the other side has been in the archive for its time, both sides go.
    world.clock.advance(days=1)
    await world.services.jobs.run_once(ExpireObservations(world.services.catalog))
    world.clock.advance(days=7)
    await world.services.jobs.run_once(job)
    assert await left(world) == ["evidence", "pinned", "summary", "was evidence"]
    assert kept.uid not in await world.services.scratch.service.get(caller, [kept.uid])


async def test_a_run_that_ended_half_way_is_completed_by_the_next(world: World) -> None:
    await noted(world, *(f"n{number:02}" for number in range(10)))
    await archived(world)
    world.clock.advance(days=7)
    jobs, job = world.services.jobs, DeleteArchived(with_batch(world, "delete_archived", 4))

    lease = await jobs.acquire(job)
    assert lease is not None
    half = await jobs.run_batch(job, lease)
    assert len(await left(world)) == 6
    # The next run is of another process, which begins from the start.
    rest = await jobs.run_once(DeleteArchived(with_batch(world, "delete_archived", 4)))

    assert (half, rest) == (4, 6)
    assert await left(world) == []
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $org, type: 'observation.deleted'}) "
        "RETURN count(*) AS events, count(DISTINCT e.aggregate) AS observations"
    )
    assert rows == [{"events": 10, "observations": 10}]


@pytest.mark.parametrize("batch", [1, 500])
async def test_trace_entries_go_after_their_days_and_the_log_of_an_action_stays(
    world: World, batch: int
) -> None:
    await world.services.access.create_organisation(f"{world.org}-b")
    elsewhere = World(world.services, world.clock, world.statements, f"{world.org}-b", "")
    for number in range(3):
        await world.services.scratch.service.add(
            await world.caller(), [ObservationDraft(content=f"{number}")], turn_id="t"
        )
    await world.rows(
        "UNWIND [['a', null], ['b', $now]] AS row "
        "CREATE (:PendingAction {uid: 'act_' + $org + row[0], org_id: $org, compacted_at: row[1]}) "
        "CREATE (:TraceEvent {uid: 'trc_00' + $org + row[0], org_id: $org, scope_id: $org, "
        "kind: 'action_created', message: row[0], ids: ['act_' + $org + row[0]], details: '{}'})",
        now=world.clock.now(),
    )
    job = DeleteTraces(with_batch(world, "delete_traces", batch, trace_days=30))

    async def entries() -> int:
        await world.services.jobs.run_once(job)
        return (await world.counts()).get("TraceEvent", 0)

    world.clock.advance(days=30)
    # What the action's log had from long before is gone, if it was compacted.
    assert await entries() == 4
    await elsewhere.services.scratch.service.add(
        await elsewhere.caller(), [ObservationDraft(content="young")], turn_id="t"
    )
    world.clock.advance(microseconds=1000)
    assert await entries() == 1
    rows = await world.rows("MATCH (e:TraceEvent {org_id: $org}) RETURN e.message AS message")
    assert rows == [{"message": "a"}]
    # Younger entries of another organisation stay, and so does the turn.
    page = await world.services.turns.trace.trace(await elsewhere.caller(), "t", first=10)
    assert [entry.message for entry in page.items] == ["Observation added"]
    assert await world.services.turns.trace.get(await world.caller(), "t") is not None


@pytest.mark.parametrize("batch", [1, 500])
async def test_delivered_events_go_after_their_days_if_a_number_is_given(world: World, batch: int) -> None:
    await world.services.access.create_organisation(f"{world.org}-b")
    elsewhere = World(world.services, world.clock, world.statements, f"{world.org}-b", "")
    await noted(world, "one", "two", "not delivered")
    await world.rows(
        "MATCH (e:Unsequenced {org_id: $org}) "
        "WHERE NOT EXISTS { MATCH (o:Observation {uid: e.aggregate}) WHERE o.content = 'not delivered' } "
        "REMOVE e:Unsequenced"
    )
    before = (await world.counts())["OutboxEvent"]
    world.clock.advance(days=10, microseconds=1000)
    other = await elsewhere.caller()
    await elsewhere.services.scratch.service.add(other, [ObservationDraft(content="young")])
    await world.rows("MATCH (e:Unsequenced {org_id: $other}) REMOVE e:Unsequenced", other=other.org_id)

    forever = DeleteEvents(with_batch(world, "delete_events", batch))
    assert await world.services.jobs.run_once(forever) == 0
    assert (await world.counts())["OutboxEvent"] == before
    longer = DeleteEvents(with_batch(world, "delete_events", batch, event_days=11))
    await world.services.jobs.run_once(longer)
    assert (await world.counts())["OutboxEvent"] == before

    await world.services.jobs.run_once(DeleteEvents(with_batch(world, "delete_events", batch, event_days=10)))

    counts = await world.counts()
    assert (counts["OutboxEvent"], counts["Unsequenced"]) == (1, 1)
    rows = await world.rows(
        "MATCH (e:OutboxEvent {org_id: $other, type: 'observation.added'}) RETURN count(*) AS number",
        other=other.org_id,
    )
    assert rows == [{"number": 1}]


async def test_what_a_turn_saw_goes_with_its_receipt(world: World) -> None:
    caller = await world.caller()
    await world.services.scratch.service.add(
        caller, [ObservationDraft(content=f"tea {n}", ttl_minutes=100_000) for n in range(3)]
    )
    old = AssembleContext(prompt="tea", budget=1000, turn_id="t")
    await world.services.context.assemble(caller, old)
    world.clock.advance(days=1)
    await world.services.context.assemble(caller, old)
    await world.services.jobs.run_once(world.services.jobs.named["link_included"])

    async def seen() -> tuple[int, int]:
        # In batches of two: the receipt stays until the last of its edges is gone.
        await world.services.jobs.run_once(DeleteOutdated(with_batch(world, "delete_outdated", 2)))
        (row,) = await world.rows("MATCH (t:Turn {org_id: $org})-[saw:SAW]->() RETURN count(saw) AS number")
        return (await world.counts()).get("ContextReceipt", 0), row["number"]

    assert await seen() == (2, 6)
    world.clock.advance(days=29)
    assert await seen() == (1, 3)
    assert await world.services.context.receipt(caller, "t") is not None
    world.clock.advance(days=1)
    assert await seen() == (0, 0)
    with pytest.raises(NotFound):
        await world.services.context.receipt(caller, "t")
