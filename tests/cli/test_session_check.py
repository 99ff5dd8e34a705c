"""`doctor --sessions` and `--repair`: what they print, and their exit status."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli
from tests.graph.test_sessions import offer, person, start
from tests.support.world import World


@pytest.mark.nightly("test_sessions_repair finds and repairs the same")
@pytest.mark.covers("OPS-38..40")
async def test_corrupt_sessions_are_shown_repaired_and_then_sound(cli: Cli, world: World) -> None:
    caller = await person(world)
    session = await start(world, caller, key="s")
    await offer(world, caller, session.uid, "The plan of the vacation")
    # What other tests left.
    await world.services.session_repair.repair()
    await world.rows("MATCH (s:Session {uid: $uid}) SET s.items = 5", uid=session.uid)

    shown = cli("doctor", "--sessions")
    repaired = cli("doctor", "--sessions", "--repair", "--json")
    again = cli("doctor", "--sessions", "--json")

    assert (shown.returncode, repaired.returncode, again.returncode) == (1, 0, 0)
    assert session.uid in shown.stdout
    assert "doctor --sessions --repair" in shown.stdout
    said = json.loads(repaired.stdout)
    assert said["sound"] is True
    assert [(each["fault"], each["where"], each["done"]) for each in said["findings"]] == [
        ("count", session.uid, "counted")
    ]
    assert json.loads(again.stdout)["findings"] == []
    assert "The plan" not in shown.stdout + repaired.stdout + again.stdout


def test_what_to_repair_has_to_be_named(cli: Cli) -> None:
    done = cli("doctor", "--repair")
    assert done.returncode == 2
    assert "--sessions --repair" in done.stderr
