"""The commands of the registry."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML
from typer.testing import CliRunner

from prefrontal.api.cli.main import app
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.record import (
    PendingActionUpsert,
    UpsertPendingActions,
)
from tests.cli.conftest import Cli
from tests.support.first_format import first_text
from tests.support.world import World

runner = CliRunner()


@pytest.fixture
def registry(tmp_path):
    return shutil.copytree(ROOT / "registry", tmp_path / "registry")


def run(*words, status=0):
    done = runner.invoke(app, ["registry", *map(str, words)])
    assert done.exit_code == status, done.output
    return done


def test_a_type_is_made_checked_listed_and_shown(registry):
    made = run(
        "new",
        "site_visit",
        "--name",
        'Visit "there": on site',
        "--owner",
        "user",
        "--folder",
        registry,
        "--json",
    )
    assert json.loads(made.stdout) == {"file": str(registry / "action_types" / "site_visit.yaml")}
    checked = json.loads(run("check", "--folder", registry, "--json").stdout)
    assert (len(checked["action_types"]), checked["drafts"]) == (9, ["site_visit"])
    listed = json.loads(run("list", "--folder", registry, "--json").stdout)["drafts"]
    shown = json.loads(run("show", "site_visit", "--folder", registry, "--json").stdout)
    assert shown in listed
    assert (shown["display_name"], shown["allowed_owners"]) == ('Visit "there": on site', ["user"])
    assert (shown["default_policies"]["blocking"], shown["draft"]) == (False, True)
    (row,) = (line for line in run("list", "--folder", registry).stdout.splitlines() if "site_visit" in line)
    assert "no: a draft" in row
    assert '"id": "site_visit"' in run("show", "site_visit", "--folder", registry).stdout


def test_the_shipped_registry_is_the_default():
    assert "9 action types" in run("check").stdout


@pytest.mark.covers("REG-31")
def test_what_is_wrong_is_named(registry):
    path = registry / "action_types" / "research.yaml"
    path.write_text(path.read_text().replace("owners: [agent]", "owners: [robot]"))

    done = run("check", "--folder", registry, "--json", status=1)

    error = json.loads(done.stdout)["error"]
    assert error["code"] == "catalog"
    assert "research.yaml:6: allowed_owners.0" in error["message"]


@pytest.mark.covers("REG-17", "REG-20")
def test_what_a_branch_would_remove_is_refused_before_it_is_merged(registry):
    def git(*words):
        subprocess.run(["git", "-C", str(registry), *words], check=True, capture_output=True)

    text = first_text("research")
    (registry / "action_types" / "research.yaml").write_text(text)
    git("init", "-b", "main")
    git("add", ".")
    git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-m", "first")
    folder = registry / "action_types"
    run("check", registry, "--against", "main")
    (folder / "research.yaml").write_text(text.replace("awaiting_confirmation", "asked"))
    (folder / "reminder.yaml").unlink()

    run("check", registry)
    said = json.loads(run("check", registry, "--against", "main", "--json", status=1).stdout)["error"]

    gone = "a type in force can be deprecated, but not removed or made a draft"
    lost = "research loses statuses; name their successors in former_statuses"
    assert said["message"].splitlines() == [
        "compared with main, the registry loses something:",
        f"  {folder}/reminder.yaml: {gone}: reminder",
        f"  {folder}/research.yaml: {lost}: awaiting_confirmation",
    ]
    (folder / "research.yaml").write_text(text)
    git("checkout", "--", "action_types/reminder.yaml")
    run("check", registry, "--against", "main")
    assert "cannot be read at odd" in run("check", registry, "--against", "odd", status=1).stderr


@pytest.mark.covers("REG-56")
def test_a_type_that_does_otherwise_than_its_fixtures_say_does_not_pass(registry):
    path = registry / "action_types" / "research.yaml"
    path.write_text(path.read_text() + "default_policies: {auto_complete: true}\n")

    done = run("check", registry, "--json", status=1)

    assert "research.yaml:10: fixtures.0.starts.auto_complete" in json.loads(done.stdout)["error"]["message"]
    assert "10 action types" not in run("list", "--folder", registry).stdout


def test_a_new_file_passes_the_check(registry):
    for owner in (["--owner", "user"], ["--owner", "agent", "--owner", "user"], []):
        run("new", f"visit_{len(owner)}", *owner, "--folder", registry)

    said = run("check", registry).stdout
    assert "9 action types. Drafts, not in force: visit_0, visit_2, visit_4. Nothing is wrong." in said
    path = registry / "action_types" / "visit_0.yaml"
    path.write_text(path.read_text().replace("draft: true\n", ""))
    assert "10 action types. Drafts, not in force: visit_2, visit_4." in run("check", registry).stdout


def test_one_file_is_no_registry_and_a_yml_is_not_passed_over(registry):
    path = registry / "action_types" / "research.yaml"
    said = json.loads(run("check", path, "--json", status=1).stdout)["error"]["message"]
    assert said == f"{path}: a registry is checked as a whole; name its folder, not one file"

    other = path.with_name("survey.yml")
    other.write_text(path.read_text())
    said = json.loads(run("check", registry, "--json", status=1).stdout)["error"]["message"]
    assert said.splitlines()[1:] == [
        f"  {other}: the server does not read .yml files; rename it to survey.yaml"
    ]


def test_who_made_a_draft_is_told_what_to_do_next(registry):
    said = " ".join(run("new", "visit", "--folder", registry).stdout.split())

    assert "as a draft: no server loads it. Edit it" in said
    assert "prefrontal registry check" in said
    assert "remove its line `draft: true`" in said


def test_editors_find_the_schema_in_a_repository_of_its_own(registry):
    """The reference in a file leads to the schema beside it, whose version `check` compares."""
    # Whatever its folder is called, and wherever it lies.
    registry = registry.rename(registry.with_name("types"))
    schema = registry / "action_type.schema.json"
    schema.unlink()
    run("new", "visit", "--folder", registry)
    text = (registry / "action_types" / "visit.yaml").read_text()
    place = text.splitlines()[0].partition("$schema=")[2]
    assert (registry / "action_types" / place).resolve() == schema
    validator = Draft202012Validator(json.loads(schema.read_text()))
    document = YAML(typ="safe").load(text)
    assert list(validator.iter_errors(document)) == []
    assert list(validator.iter_errors({**document, "apiVersion": "prefrontal/v7"}))
    assert "of another version" not in run("check", registry).stdout

    schema.write_text("{}")
    said = run("check", registry).stdout
    assert "action_type.schema.json is of another version: run `prefrontal registry schema`." in " ".join(
        said.split()
    )
    assert json.loads(run("schema", "--folder", registry, "--json").stdout) == {"file": str(schema)}
    assert schema.read_text() == (ROOT / "registry" / "action_type.schema.json").read_text()


@pytest.mark.covers("REG-56")
def test_a_draft_is_looked_through_and_played(registry):
    run("new", "visit", "--folder", registry)
    path = registry / "action_types" / "visit.yaml"
    path.write_text(path.read_text().replace("auto_complete: false", "auto_complete: perhaps"))
    assert "visit.yaml:12: default_policies.auto_complete" in run("check", registry, status=1).stderr

    path.write_text(path.read_text().replace("auto_complete: perhaps", "auto_complete: false"))
    path.write_text(path.read_text().replace("refused: illegal_transition", "refused: invalid"))
    assert "refused with illegal_transition" in run("check", registry, status=1).stderr


@pytest.mark.nightly("test_actions_type_migration moves actions")
@pytest.mark.covers("REG-20")
async def test_actions_move_by_a_command_after_a_dry_run(cli: Cli, world: World):
    bot = await world.caller()
    entries = [PendingActionUpsert(type="research", title=f"t{n}") for n in range(3)]
    await world.services.actions.upsert.upsert(bot, UpsertPendingActions(actions=entries))
    words = ("registry", "migrate", "research", "agent_task", "--org", world.org, "--batch", "2")

    async def moved() -> int:
        query = "MATCH (a:PendingAction {org_id: $org, type: 'agent_task'}) RETURN count(a) AS number"
        (row,) = await world.rows(query)
        return row["number"]

    tried = cli(*words, "--dry-run", "--json")
    assert (tried.returncode, json.loads(tried.stdout)) == (
        0,
        {"moved": 0, "moves": {"pending → pending": 3}, "reasons": {}},
    )
    assert await moved() == 0
    done = cli(*words)
    assert done.returncode == 0, done.stderr
    assert "3 actions have moved from research to agent_task." in done.stdout
    assert "Moving actions" in done.stderr
    assert await moved() == 3
    assert "0 actions have moved" in cli(*words).stdout

    against = cli("registry", "migrate", "agent_task", "user_task", "--org", world.org)
    assert against.returncode == 1
    assert "3: user_task is not owned by agent" in against.stdout
    assert await moved() == 3


@pytest.mark.parametrize("given", ["sent", "=sent", "sent="])
def test_a_mapping_of_statuses_has_two_sides(given):
    done = run("migrate", "a", "b", "--org", "acme", "--status", given, "--json", status=1)

    assert f"not {given!r}" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.parametrize("words", [["research"], ["Odd"], ["../odd"], ["fine", "--owner", "robot"]])
def test_a_type_that_would_be_refused_is_not_written(registry, words):
    before = sorted(registry.rglob("*"))

    run("new", *words, "--folder", registry, status=1)

    assert sorted(registry.rglob("*")) == before


def test_an_unknown_type_is_named(registry):
    assert "no type 'odd'" in run("show", "odd", "--folder", registry, "--json", status=1).stdout
