"""`prefrontal compact`: what it says, what it writes, and that it can be run again."""

from __future__ import annotations

import json

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal, GoalStatus, TransitionGoal
from tests.cli.conftest import Cli
from tests.support.world import World

pytestmark = pytest.mark.alone


async def test_it_says_what_it_would_do_does_it_and_finds_nothing_more(cli: Cli, world: World) -> None:
    bot = await world.caller()
    goal = await world.services.goals.service.create(bot, CreateGoal(title="Plan"))
    await world.services.goals.transitions.transition(
        bot, TransitionGoal(id=goal.uid, status=GoalStatus.COMPLETED)
    )
    nothing = {"summaries": 0, "narratives": 0, "actions": 0, "entries": 0, "dry_run": False}
    before = await world.counts()

    dry = cli("compact", "--org", world.org, "--dry-run", "--json")
    assert json.loads(dry.stdout) == {**nothing, "summaries": 1, "narratives": 1, "dry_run": True}
    assert await world.counts() == before

    done = cli("compact", "--org", world.org)
    assert done.returncode == 0
    assert done.stdout.startswith("Written: 1 summary of goals, 1 narrative, and summaries of ")
    assert (await world.counts())["Summary"] == 2
    assert json.loads(cli("compact", "--org", world.org, "--json").stdout) == nothing


def test_an_unknown_organisation_is_told(cli: Cli) -> None:
    done = cli("compact", "--org", "nobody", "--json")

    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "not_found"
