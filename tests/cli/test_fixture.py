"""`prefrontal fixture`: check without a database, load to look at, the schema for editors."""

from __future__ import annotations

import json
import secrets

from prefrontal.api.fixtures.json_schema import file_schema
from prefrontal.graph.config.settings import ROOT
from tests.cli.conftest import Cli
from tests.support.world import World

GOOD = """\
name: Tea
now: 2025-11-05T12:00:00Z
actors:
  bot: {agent: bot, person: ann, roles: [reader, writer]}
nodes:
  tea: {label: Observation, at: 1h ago, content: Tea is low}
  buy: {label: Goal, title: Buy tea}
edges: [tea -EVIDENCES-> buy]
steps:
  - exists: [tea -EVIDENCES-> buy]
"""


def test_check_needs_no_database_and_names_every_file(cli: Cli, tmp_path):
    good, bad = tmp_path / "good.fixture.yaml", tmp_path / "bad.fixture.yaml"
    good.write_text(GOOD)
    bad.write_text(GOOD.replace("content", "contents"))

    done = cli("fixture", "check", str(good), NEO4J_URI="bolt://127.0.0.1:9")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{good}: 2 nodes, 1 step" in done.stdout

    done = cli("fixture", "check", str(good), str(bad), NEO4J_URI="bolt://127.0.0.1:9")
    assert done.returncode == 1
    assert f"{bad}:6: nodes.tea.contents: there is no such key here" in done.stderr
    assert "Traceback" not in done.stderr

    done = cli("fixture", "check", str(bad), "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "fixture"


async def test_load_builds_the_graph_now_and_says_how_to_look_at_it(cli: Cli, world: World, tmp_path):
    file = tmp_path / "tea_time.fixture.yaml"
    file.write_text(GOOD)
    org = f"tea-{secrets.token_hex(6)}"

    done = cli("fixture", "load", str(file), "--org", org, "--json")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["org"] == org
    assert value["tokens"] == {
        "bot": f"prefrontal token --org {org} --agent bot --person ann --role reader --role writer"
    }
    rows = await world.rows(
        "MATCH (:Organisation {key: $key}) "
        "MATCH (o:Observation {uid: $tea})-[:EVIDENCES]->(g:Goal {uid: $buy}) "
        "RETURN g.created_at - duration('PT1H') = o.created_at AS distance, "
        "duration.between(g.created_at, datetime()).minutes < 10 AS now",
        key=org,
        tea=value["ids"]["tea"],
        buy=value["ids"]["buy"],
    )
    assert rows == [{"distance": True, "now": True}]

    again = cli("fixture", "load", str(file), "--org", org)
    assert again.returncode == 1
    assert f"there is an organisation '{org}' already" in again.stderr
    assert "Traceback" not in again.stderr


async def test_load_of_a_wrong_file_writes_nothing(cli: Cli, world: World, tmp_path):
    file = tmp_path / "bad.fixture.yaml"
    file.write_text(GOOD.replace("bot, person", "bot, human"))
    org = f"tea-{secrets.token_hex(6)}"
    done = cli("fixture", "load", str(file), "--org", org)
    assert done.returncode == 1
    assert "4: actors.bot.human: there is no such key here" in done.stderr
    assert await world.rows("MATCH (o:Organisation {key: $key}) RETURN o", key=org) == []


def test_the_schema_is_printed(cli: Cli):
    done = cli("fixture", "schema")
    assert json.loads(done.stdout) == file_schema()
    assert done.stdout == (ROOT / "docs" / "fixtures.schema.json").read_text(encoding="utf-8")
