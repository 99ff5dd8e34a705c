"""`prefrontal export organisation` and `prefrontal import organisation`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prefrontal.graph.cortex.goals.record import CreateGoal
from tests.cli.conftest import Cli
from tests.support.world import World, forget

pytestmark = pytest.mark.slow


async def test_an_organisation_goes_into_a_file_and_comes_back(
    cli: Cli, world: World, tmp_path: Path
) -> None:
    caller = await world.caller()
    goal = await world.services.goals.service.create(caller, CreateGoal(title="carry me"))
    path = tmp_path / "org.jsonl"
    done = cli("export", "organisation", str(path), "--org", world.org)
    assert done.returncode == 0, done.stderr
    assert "SHA-256" in done.stdout
    assert "Exporting" in done.stderr

    refused = cli("import", "organisation", str(path))
    assert refused.returncode == 1
    assert "this organisation already" in refused.stderr

    await forget(world.services.database.driver, world.org)
    done = cli("import", "organisation", str(path), "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert (said["id"], said["key"], said["resumed"]) == (world.org_id, world.org, False)
    found = await world.services.goals.service.get(await world.caller(), [goal.uid])
    assert found[goal.uid].title == "carry me"


def test_what_is_not_there_is_told(cli: Cli, tmp_path: Path) -> None:
    refused = cli("export", "organisation", str(tmp_path / "none.jsonl"), "--org", "nobody")
    assert refused.returncode == 1
    assert "there is no organisation 'nobody'" in refused.stderr
    assert not list(tmp_path.glob("none*"))
