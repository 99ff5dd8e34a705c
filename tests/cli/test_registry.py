"""The commands of the registry."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from api.cli.main import app
from graph.settings import ROOT

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
    assert len(checked["action_types"]) == 10
    listed = json.loads(run("list", "--folder", registry, "--json").stdout)["action_types"]
    shown = json.loads(run("show", "site_visit", "--folder", registry, "--json").stdout)
    assert shown in listed
    assert (shown["display_name"], shown["allowed_owners"]) == ('Visit "there": on site', ["user"])
    assert shown["default_policies"]["blocking"] is False
    assert "site_visit" in run("list", "--folder", registry).stdout
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
    assert "research.yaml:5: allowed_owners.0" in error["message"]


@pytest.mark.parametrize("words", [["research"], ["Odd"], ["../odd"], ["fine", "--owner", "robot"]])
def test_a_type_that_would_be_refused_is_not_written(registry, words):
    before = sorted(registry.rglob("*"))

    run("new", *words, "--folder", registry, status=1)

    assert sorted(registry.rglob("*")) == before


def test_an_unknown_type_is_named(registry):
    assert "no type 'odd'" in run("show", "odd", "--folder", registry, "--json", status=1).stdout
