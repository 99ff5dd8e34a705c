"""Each operation of `bench.turns` on the real database, as the bench runs it: a few rounds, no times."""

from __future__ import annotations

import pytest
from neo4j import AsyncDriver

from bench.disk import Bytes
from bench.measure import measure
from bench.turns import parse, per_turn
from bench.turns_operations import COMMIT, EVENTS, OPERATIONS, TURN
from bench.turns_world import OBSERVATIONS, Turns, grow_turns, make_turns
from bench.vectors import Observed, SyntheticVectors
from prefrontal.graph.config.settings import Settings
from tests.support.world import forget, with_long_queries


@pytest.fixture
async def turns(settings: Settings, driver: AsyncDriver):
    world = await make_turns(settings, driver, 1, Observed(SyntheticVectors("hash")), agents=4)
    with_long_queries(world.services)
    yield world
    await forget(driver, world.principal.org)


async def number_of(world: Turns, label: str) -> int:
    records, _, _ = await world.services.database.driver.execute_query(
        f"MATCH (n:{label} {{org_id: $org}}) RETURN count(n) AS n", org=world.caller.org_id
    )
    return int(records[0]["n"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
@pytest.mark.nightly("what is measured, which no change of the service touches")
async def test_an_operation_runs_and_leaves_nothing(turns: Turns, operation) -> None:
    await grow_turns(turns, 2, lambda _: None)
    before = {
        label: await number_of(turns, label) for label in ("Memory", "Turn", "ToolInvocation", "Outcome")
    }
    assert before["Turn"] == 2

    result, _ = await measure(turns, operation, rounds=2, seconds=600)

    assert result.n == 2
    assert result.statements > 0
    assert before == {label: await number_of(turns, label) for label in before}
    if operation.name == "relay":
        assert result.rows_per_s == pytest.approx(EVENTS / (result.p50_ms / 1000))


@pytest.mark.nightly("what is measured, which no change of the service touches")
async def test_several_agents_run_turns_at_once(turns: Turns) -> None:
    result, _ = await measure(turns, TURN, rounds=2, seconds=600, clients=4)
    assert (result.n, result.clients) == (8, 4)


@pytest.mark.nightly("what is measured, which no change of the service touches")
async def test_a_turn_that_is_loaded_has_what_a_committed_turn_has(turns: Turns) -> None:
    before = await number_of(turns, "Observation")
    await grow_turns(turns, 3, lambda _: None)
    assert await number_of(turns, "Observation") - before == 3 * OBSERVATIONS
    assert turns.size == 3


def test_the_aim_of_the_commit_is_that_of_the_issue_and_bytes_are_those_of_a_turn() -> None:
    aims = {each.name: each.aim for each in OPERATIONS if each.aim is not None}
    assert aims == {"commit": COMMIT, "track-tool": 10}
    assert COMMIT == 25
    assert per_turn(Bytes(1000, 100), Bytes(3000, 200), 10) == Bytes(200, 10)
    assert parse([]).sizes == "1,1000,10000"
