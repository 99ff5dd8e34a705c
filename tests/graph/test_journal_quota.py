"""What an organisation may store: counted by a job, added up meanwhile, and refused as a whole."""

from __future__ import annotations

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.errors import QuotaExceeded
from prefrontal.graph.jobs.periodic import CountItems
from prefrontal.graph.journal.quota import Quota
from prefrontal.graph.memory.record import Forget, MemoryDraft, MemoryKind, Remember
from prefrontal.graph.scratch.record import ArchiveObservation, ObservationDraft
from tests.support.world import World


async def count(world: World, most: int) -> int:
    """Run the job for this organisation alone; return the number that a caller then knows."""
    job = CountItems(world.services.catalog, most)
    # The ids are in order of time: what comes before this organisation's does not matter.
    job._after = world.org_id[:-1]
    await world.services.database.write(lambda tx: job.batch(tx, world.clock.now()))
    return (await world.caller()).stored


@pytest.mark.alone
async def test_over_the_limit_nothing_is_created_and_the_rest_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = world.services.goals.service._changes
    monkeypatch.setattr(changes, "_quota", Quota(6))
    scratch, caller = world.services.scratch.service, await world.caller()
    notes = [ObservationDraft(content=f"note {number}") for number in range(3)]
    (first, *_) = await scratch.add(caller, notes)
    drafts = [
        MemoryDraft(kind=MemoryKind.MANDATE, content="m"),
        MemoryDraft(kind=MemoryKind.CAPABILITY, content="c"),
    ]
    (mandate, _) = (await world.services.memory.remember(caller, Remember(memories=drafts))).memories
    before = await world.counts()

    # Five are stored: of two notes none is, and one goal still is.
    with pytest.raises(QuotaExceeded) as caught:
        await scratch.add(caller, notes[:2])
    assert caught.value.message.startswith("your organisation may store 6 records and has 5;")
    assert await world.counts() == before
    await world.services.goals.service.create(caller, CreateGoal(title="g"))
    before = await world.counts()
    with pytest.raises(QuotaExceeded):
        await world.services.goals.service.create(caller, CreateGoal(title="h", idempotency_key="k"))
    assert await world.counts() == before

    # What creates nothing goes on, and so does another organisation.
    await scratch.change(caller, ArchiveObservation(id=first.uid))
    await world.services.memory.forget(caller, Forget(id=mandate.uid))
    await world.services.access.create_organisation(world.org + "-b")
    other = await world.services.access.caller(world.principal().model_copy(update={"org": world.org + "-b"}))
    await scratch.add(other, notes)

    # The job finds six. Then three are gone, and as many can be stored again.
    assert await count(world, 100) == 6
    assert await count(world, 3) == 3 + 1 + 1 + 1
    await world.rows("MATCH (o:Observation {org_id: $org}) DETACH DELETE o")
    assert await count(world, 100) == 3
    caller = await world.caller()
    await scratch.add(caller, notes)
    with pytest.raises(QuotaExceeded):
        await scratch.add(caller, notes[:1])
