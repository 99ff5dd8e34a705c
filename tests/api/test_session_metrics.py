"""What /metrics says of working memory (source 002 §9.1)."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from prefrontal.graph.jobs.sessions import EndIdleSessions, MeasureSessions
from tests.api.conftest import Api

pytestmark = pytest.mark.alone

NIGHTLY = pytest.mark.nightly("sessions: tests/graph/test_sessions_*.py; each mutation over HTTP: the walks")

SCORES = ("relevanceScore", "urgency", "recency", "userAttention")


def samples(text: str) -> dict[str, float]:
    """Return the samples of working memory by the names of the source, without times of creation."""
    lines = [line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("working_memory_")]
    return {name: float(value) for name, value in lines if "_created{" not in name}


async def call(api: Api, name: str, **given: Any) -> None:
    kind = name[0].upper() + name[1:]
    query = (
        f"mutation ($input: {kind}Input!) {{ {name}(input: $input) {{ __typename "
        "... on Problem { code message field } } }"
    )
    done = (await api.client().run(query, input=given))[name]
    assert done["__typename"] == f"{kind}Payload", done


async def set_aside(api: Api) -> None:
    """End the sessions of other tests, which the jobs would see."""
    await api.world.rows(
        "MATCH (s:Session {status: 'active'}) WHERE s.org_id <> $org "
        "SET s.status = 'ended', s.ended_at = s.last_activity"
    )


async def scraped(api: Api) -> dict[str, float]:
    return samples((await api.http.get("/metrics")).text)


async def add(api: Api, session: str, item: str, score: float = 0.9, **more: Any) -> None:
    await call(
        api,
        "updateWorkingMemory",
        sessionId=session,
        operation="ADD",
        content={"itemId": item, "content": f"The plan {item}"},
        salience=dict.fromkeys(SCORES, score),
        **more,
    )


@pytest.mark.covers("OPS-02", "OPS-03", "WMS-129")
async def test_each_decision_and_each_eviction_is_counted_once(api: Api) -> None:
    await call(api, "startSession", key="s", maxCapacity=2)
    for _ in range(2):
        # What is sent again is not counted again.
        await add(api, "s", "a", idempotencyKey="once")
    await add(api, "s", "b")
    await add(api, "s", "c")
    await add(api, "s", "dull", 0.1)
    await call(api, "updateWorkingMemory", sessionId="s", operation="EVICT", content={"itemId": "c"})
    await call(api, "updateWorkingMemory", sessionId="s", operation="REFRESH", content={"itemId": "b"})
    await call(api, "endSession", id="s")

    found = await scraped(api)

    assert {name: value for name, value in found.items() if "decisions" in name or "evictions" in name} == {
        'working_memory_admission_decisions{outcome="accept"}': 3,
        'working_memory_admission_decisions{outcome="reject"}': 1,
        'working_memory_evictions_total{reason="capacity"}': 1,
        'working_memory_evictions_total{reason="emergency"}': 0,
        'working_memory_evictions_total{reason="requested"}': 1,
        'working_memory_evictions_total{reason="gone"}': 0,
        'working_memory_evictions_total{reason="restored"}': 0,
        'working_memory_evictions_total{reason="repaired"}': 0,
        'working_memory_evictions_total{reason="session_ended"}': 1,
    }


@pytest.mark.covers("OPS-03", "WMS-78", "WMS-79")
async def test_an_emergency_is_counted_with_its_own_reason_and_logged(api: Api) -> None:
    await call(api, "startSession", key="s", maxCapacity=12)
    for number in range(12):
        await add(api, "s", f"i{number}")
    # Somebody wrote past the service: more than any session may hold.
    await api.world.rows(
        "MATCH (s:Session {org_id: $org})-[h:HOLDS {item_id: 'i0'}]->(m) "
        "UNWIND range(1, 3) AS n CREATE (s)-[more:HOLDS]->(f:Memory:Fragment) "
        "SET f = m {.*, uid: m.uid + n} "
        "SET more = h {.*, memory_uid: f.uid, item_id: 'over' + n, salience: 0.1 * n}"
    )

    with capture_logs() as logs:
        await add(api, "s", "last")

    found = await scraped(api)
    assert found['working_memory_evictions_total{reason="emergency"}'] == 4
    assert found['working_memory_evictions_total{reason="capacity"}'] == 0
    (said,) = [entry for entry in logs if entry["event"] == "emergency_eviction"]
    assert (said["log_level"], said["items"]) == ("warning", 4)
    left = await api.world.rows(
        "MATCH (:Session {org_id: $org})-[h:HOLDS]->() WHERE h.left_because = 'emergency' "
        "RETURN h.item_id AS item ORDER BY h.eviction_score DESC, item"
    )
    # The least salient ones go.
    assert [row["item"] for row in left][:3] == ["over1", "over2", "over3"]
    held = await api.world.rows("MATCH (s:Session {org_id: $org}) RETURN s.items AS items")
    assert held == [{"items": 12}]


@pytest.mark.covers("WMS-77", "WMS-78")
@pytest.mark.parametrize("operation", ["REFRESH", "UPDATE", "EVICT"])
@NIGHTLY
async def test_every_operation_brings_a_session_back_within_its_capacity(api: Api, operation: str) -> None:
    await call(api, "startSession", key="s", maxCapacity=2)
    for item in ("a", "b"):
        await add(api, "s", item)
    await api.world.rows(
        "MATCH (s:Session {org_id: $org})-[h:HOLDS {item_id: 'a'}]->(m) "
        "UNWIND range(1, 11) AS n CREATE (s)-[more:HOLDS]->(f:Memory:Fragment) "
        "SET f = m {.*, uid: m.uid + n}, more = h {.*, memory_uid: f.uid, item_id: 'over' + n, salience: 0.1}"
    )

    await call(api, "updateWorkingMemory", sessionId="s", operation=operation, content={"itemId": "b"})

    (found,) = await api.world.rows(
        "MATCH (s:Session {org_id: $org}) RETURN s.items AS items, "
        "COUNT { (s)-[h:HOLDS]->() WHERE h.until IS NULL } AS held, "
        "COUNT { (s)-[h:HOLDS]->() WHERE h.left_because = 'emergency' } AS emergency, "
        "COUNT { (s)-[h:HOLDS]->() WHERE h.left_because = 'capacity' } AS capacity"
    )
    # Twelve are within the hard limit, once one of the thirteen was taken out on request.
    urgent = (0, 10) if operation == "EVICT" else (11, 0)
    assert found == {"items": 2, "held": 2, "emergency": urgent[0], "capacity": urgent[1]}


@pytest.mark.covers("OPS-01", "OPS-04", "OPS-05", "OPS-07")
async def test_what_active_sessions_hold_is_a_gauge_that_no_scrape_reads(api: Api) -> None:
    services = api.world.services
    # The job serves all organisations of the test's database.
    await set_aside(api)
    show = services.metrics.sessions.record_active
    job = MeasureSessions(services.catalog, services.session_monitor, on_measured=show)
    await services.jobs.run_once(job)
    assert (await scraped(api))["working_memory_capacity_utilization"] == 0
    await call(api, "startSession", key="s", maxCapacity=5)
    await call(api, "startSession", key="private", sessionType="mothers_tax", maxCapacity=3)
    await call(api, "startSession", key="empty", maxCapacity=2)
    for key, item in (("s", "a"), ("s", "b"), ("private", "c")):
        await add(api, key, item)
    coherence = await api.world.rows(
        "MATCH (s:Session {org_id: $org}) WHERE s.items > 0 RETURN avg(s.coherence) AS mean"
    )

    before = await scraped(api)
    await services.jobs.run_once(job)
    found = await scraped(api)

    assert before["working_memory_capacity_utilization"] == 0
    assert found['working_memory_items_total{session_type="default"}'] == 2
    # A type that only a client knows is no label.
    assert found['working_memory_items_total{session_type="other"}'] == 1
    assert not any("mothers_tax" in name for name in found)
    assert found["working_memory_capacity_utilization"] == pytest.approx(3 / 10)
    assert found["working_memory_session_coherence"] == pytest.approx(coherence[0]["mean"])
    await call(api, "endSession", id="private")
    await services.jobs.run_once(job)
    assert (await scraped(api))['working_memory_items_total{session_type="other"}'] == 0


@pytest.mark.covers("OPS-03")
@NIGHTLY
async def test_what_left_an_idle_session_is_counted_once(api: Api) -> None:
    services = api.world.services
    await set_aside(api)
    await add(api, "s", "a")
    api.world.clock.advance(minutes=31)
    job = EndIdleSessions(services.catalog, services.sessions, on_change=services.metrics.changed)

    await services.jobs.run_once(job)
    await services.jobs.run_once(job)

    assert (await scraped(api))['working_memory_evictions_total{reason="session_ended"}'] == 1
