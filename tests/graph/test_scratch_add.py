"""Adding observations: what is stored, what is refused, and that it happens once."""

from __future__ import annotations

from datetime import timedelta

import pytest

from graph.errors import InvalidInput
from graph.scratch.record import ObservationDraft, ObservationStatus
from tests.support.world import World


@pytest.mark.covers("OBS-05", "OBS-09", "OBS-10", "OBS-18", "OBS-20..22")
async def test_everything_but_content_has_a_default(world: World) -> None:
    caller = await world.caller()

    (stored,) = await world.services.scratch.add(caller, [ObservationDraft(content="User likes tea")])

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
        "TraceEvent": 1,
        "Unsequenced": 1,
    }


@pytest.mark.covers("OBS-07")
async def test_one_bad_observation_refuses_all_and_names_the_field(world: World) -> None:
    caller = await world.caller()
    before = await world.counts()
    drafts = [ObservationDraft(content="fine"), ObservationDraft(content="  ")]

    with pytest.raises(InvalidInput) as caught:
        await world.services.scratch.add(caller, drafts)

    assert caught.value.field == "observations[1].content"
    assert await world.counts() == before
