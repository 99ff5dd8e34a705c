"""Adding observations: what is stored and returned."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.scratch.record import (
    ObservationContext,
    ObservationDraft,
    ObservationFilter,
    ObservationStatus,
    Source,
    SourceKind,
)
from tests.support.clock import FixedClock
from tests.support.world import World


@pytest.mark.covers("OBS-05", "OBS-09", "OBS-10", "OBS-18", "OBS-20..22")
async def test_everything_but_content_has_a_default(world: World) -> None:
    caller = await world.caller()

    (stored,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="User likes tea")])

    assert stored.type == "contextual_insight"
    assert stored.confidence == 0.5
    assert stored.tags == ()
    assert stored.ttl_minutes == 1440
    assert stored.created_at == world.clock.now()
    assert stored.expires_at == world.clock.now() + timedelta(hours=24)
    assert stored.status is ObservationStatus.ACTIVE
    assert await world.counts() == {
        "Actor": 1,
        "Agent": 1,
        "Memory": 1,
        "Observation": 1,
        "Organisation": 1,
        "OutboxEvent": 1,
        "Space": 2,
        "Topic": 1,
        "TraceEvent": 1,
        "Unsequenced": 1,
    }


@pytest.mark.covers("OBS-04", "OBS-06", "OBS-08", "OBS-10..17", "OBS-19..21", "OBS-34", "OBS-35")
async def test_the_example_of_the_source_document_is_stored_field_by_field(world: World) -> None:
    caller = await world.caller()
    noticed = datetime(2025, 11, 5, 10, 30, tzinfo=UTC)
    draft = ObservationDraft(
        type="contextual_insight",
        content="User prefers Burgundy wines, especially 2020 Marcel La Pierre",
        confidence=0.95,
        tags=("wine", "preference", "user_profile"),
        source=Source(
            kind=SourceKind.TOOL, name="wine_search", turn_id="turn_20251105_001", timestamp=noticed
        ),
        context=ObservationContext(goal_key="find_wine_recommendation", user_id="user_123"),
        ttl_minutes=1440,
        metadata={"vintages": [2019, 2020], "nested": {"a": None, "b": 0.5}},
        client_key="obs_20251105_001",
    )

    (added,) = await world.services.scratch.service.add(caller, [draft])
    stored = (await world.services.scratch.service.get(caller, [added.uid]))[added.uid]

    assert stored == added
    assert kind_of(stored.uid) is Kind.OBSERVATION
    # What it contradicts is a link, not a field.
    for name in ObservationDraft.model_fields.keys() - {"contradicts"}:
        assert getattr(stored, name) == getattr(draft, name), name
    assert stored.created_at == world.clock.now()
    assert stored.expires_at - stored.created_at == timedelta(minutes=1440)
    assert (stored.by_uid, stored.scope_id, stored.version) == (caller.actor_id, caller.home, 1)


@pytest.mark.covers("OBS-21")
async def test_a_day_from_half_past_ten_is_half_past_ten(world: World) -> None:
    world.services.scratch.service._clock = world.services.scratch.service._changes._clock = FixedClock(
        datetime(2025, 11, 5, 10, 30, tzinfo=UTC)
    )
    caller = await world.caller()

    (stored,) = await world.services.scratch.service.add(
        caller, [ObservationDraft(content="User prefers Burgundy wines", ttl_minutes=1440)]
    )

    assert stored.expires_at == datetime(2025, 11, 6, 10, 30, tzinfo=UTC)


@pytest.mark.covers("OBS-01", "OBS-11", "OBS-12")
@pytest.mark.parametrize("kind", list(SourceKind))
async def test_the_record_says_what_noticed_it(world: World, kind: SourceKind) -> None:
    caller = await world.caller()
    draft = ObservationDraft(content="Something happened", source=Source(kind=kind, name="watcher"))

    (stored,) = await world.services.scratch.service.add(caller, [draft])

    assert (stored.source.kind, stored.source.name) == (kind, "watcher")


@pytest.mark.covers("OBS-04")
@pytest.mark.parametrize("kind", ["insight", "pattern", "alert", "Käse & Wein", "contextual_insight"])
async def test_any_type_is_stored_as_it_came(world: World, kind: str) -> None:
    caller = await world.caller()

    (stored,) = await world.services.scratch.service.add(caller, [ObservationDraft(content="x", type=kind)])

    assert stored.type == kind


@pytest.mark.covers("OBS-08", "OBS-38", "OBS-51")
async def test_the_confidences_at_both_ends_are_stored_and_found(world: World) -> None:
    caller = await world.caller()
    drafts = [ObservationDraft(content=f"at {value}", confidence=value) for value in (0.0, 0.6, 1.0)]

    added = await world.services.scratch.service.add(caller, drafts)
    page = await world.services.scratch.service.find(caller, ObservationFilter())

    assert [o.confidence for o in added] == [0.0, 0.6, 1.0]
    assert sorted(o.confidence for o in page.items) == [0.0, 0.6, 1.0]
    goals = await world.rows("MATCH (g:Goal {org_id: $org}) RETURN count(g) AS number")
    assert goals == [{"number": 0}]


@pytest.mark.nightly("what one observation costs in statements is counted with each change")
@pytest.mark.covers("OBS-03")
async def test_a_thousand_are_added_in_order_with_five_statements(world: World) -> None:
    caller = await world.caller()
    drafts = [ObservationDraft(content=f"number {n}", tags=(f"t{n % 7}", "all")) for n in range(1000)]
    world.statements.clear()

    added = await world.services.scratch.service.add(caller, drafts)

    assert [o.content for o in added] == [f"number {n}" for n in range(1000)]
    assert [o.uid for o in added] == sorted({o.uid for o in added})
    assert world.statements.names == [
        "scratch/create_observations",
        "journal/append_entries",
        "scratch/find_observations",
    ]
    counts = await world.counts()
    assert (counts["Observation"], counts["Tag"], counts["OutboxEvent"]) == (1000, 8, 1000)
    # One decision, one entry: who added a thousand reads one line, not a thousand.
    assert counts["TraceEvent"] == 1
    assert "Goal" not in counts
    assert "PendingAction" not in counts


async def test_a_client_key_costs_one_look_and_an_idempotency_key_one_claim(world: World) -> None:
    caller = await world.caller()
    world.statements.clear()

    await world.services.scratch.service.add(
        caller, [ObservationDraft(content="x", client_key="k")], idempotency_key="once"
    )

    assert world.statements.names == [
        "journal/claim_request",
        "scratch/find_observations_by_client_keys",
        "scratch/create_observations",
        "journal/append_entries",
        "scratch/find_observations",
    ]


@pytest.mark.covers("OBS-10")
async def test_spellings_of_a_tag_are_one_tag_of_the_space(world: World) -> None:
    caller = await world.caller()
    drafts = [
        ObservationDraft(content="one", tags=("Red  Wine", "red wine", "ＲＥＤ ＷＩＮＥ")),
        ObservationDraft(content="two", tags=(" RED WINE ",)),
    ]

    one, two = await world.services.scratch.service.add(caller, drafts)
    page = await world.services.scratch.service.find(caller, ObservationFilter(tags=("red wine",)))

    assert one.tags == ("Red  Wine",)
    assert two.tags == (" RED WINE ",)
    assert {o.content for o in page.items} == {"one", "two"}
    assert (await world.counts())["Tag"] == 1


async def test_an_added_observation_can_live_in_the_common_space(world: World) -> None:
    bot, other = await world.caller("bot"), await world.caller("other")
    (common,) = set(bot.readable) & set(other.readable)

    (stored,) = await world.services.scratch.service.add(
        bot, [ObservationDraft(content="for all")], space=common
    )

    assert stored.scope_id == common
    assert await world.services.scratch.service.get(other, [stored.uid]) == {stored.uid: stored}
