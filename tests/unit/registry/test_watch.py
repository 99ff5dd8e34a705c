"""A changed registry is put in force; a wrong one is not."""

from __future__ import annotations

import os
import shutil

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.registry.watch import RegistryWatch
from tests.support.first_format import first_text


@pytest.fixture
def registry(tmp_path):
    return shutil.copytree(ROOT / "registry", tmp_path / "registry")


@pytest.fixture
def reports():
    return []


@pytest.fixture
def watch(registry, reports):
    return RegistryWatch(registry, load_action_types(registry), on_load=reports.append)


def add(registry, name, text=None):
    known = (registry / "action_types" / "research.yaml").read_text()
    (registry / "action_types" / f"{name}.yaml").write_text(
        text or known.replace("id: research", f"id: {name}")
    )


@pytest.mark.covers("REG-27")
def test_a_new_file_is_put_in_force_once(watch, registry, reports):
    types = watch._types
    before = types.snapshot()
    add(registry, "survey")

    assert [watch.look(), watch.look()] == [True, False]
    assert "survey" in types
    assert "survey" not in before
    assert reports == [True]


@pytest.mark.covers("REG-31")
def test_a_wrong_file_leaves_the_old_types_in_force_until_it_is_right(watch, registry, reports):
    before = dict(watch._types)
    add(registry, "survey", "id: survey\n")

    assert watch.look() is False
    assert dict(watch._types) == before
    assert "survey.yaml:1: display_name: is missing" in watch.problem
    assert watch.look() is False

    add(registry, "survey")
    assert watch.look() is True
    assert watch.problem is None
    assert reports == [False, True]


@pytest.mark.covers("REG-17")
def test_a_type_that_is_gone_from_the_files_stays(watch, registry):
    (registry / "action_types" / "research.yaml").unlink()

    assert watch.look() is False
    assert "research" in watch._types
    path = registry / "action_types" / "research.yaml"
    assert (
        f"{path}: a type in force can be deprecated, but not removed or made a draft: research"
        in watch.problem
    )


@pytest.mark.covers("REG-17")
def test_a_type_in_force_does_not_become_a_draft(watch, registry):
    path = registry / "action_types" / "research.yaml"
    path.write_text(f"draft: true\n{path.read_text()}")

    assert watch.look() is False
    assert "research" in watch._types
    assert f"{path}: a type in force can be deprecated, but not removed or made a draft" in watch.problem


@pytest.mark.covers("REG-27")
def test_a_draft_is_in_force_from_when_it_is_none_and_goes_freely_before(watch, registry):
    path = registry / "action_types" / "survey.yaml"
    before = dict(watch._types)
    add(registry, "survey", "draft: true\nid: [half written\n")
    assert (watch.look(), watch.problem, dict(watch._types)) == (True, None, before)

    add(registry, "survey")
    ready = path.read_text()
    path.write_text(f"draft: true\n{ready}")
    watch.look()
    path.write_text(f"draft: true\n{ready.replace('awaiting_confirmation', 'asked')}")
    watch.look()
    assert (watch.problem, dict(watch._types)) == (None, before)
    path.unlink()
    watch.look()
    assert watch.problem is None

    path.write_text(ready)
    assert watch.look() is True
    assert set(watch._types) == {*before, "survey"}


@pytest.mark.covers("REG-20")
def test_a_status_is_not_lost_without_saying_what_it_became(watch, registry):
    path = registry / "action_types" / "research.yaml"
    text = first_text("research").replace("awaiting_confirmation", "asked")
    path.write_text(text)

    assert watch.look() is False
    assert "awaiting_confirmation" in watch._types["research"].allowed_statuses
    assert watch.problem.splitlines()[1:] == [
        f"  {path}: research loses statuses; name their successors in former_statuses: awaiting_confirmation"
    ]

    path.write_text(text + "former_statuses: {awaiting_confirmation: asked}\n")
    assert watch.look() is True
    assert watch._types["research"].ways_from("awaiting_confirmation")[0] == "asked"


def test_the_flags_are_watched_and_a_touched_file_is_only_read_again(watch, registry, reports):
    path = registry / "actions.yaml"
    path.write_text(path.read_text().replace("rollout_flags: []", "rollout_flags: [beta]"))
    assert watch.look() is True
    assert watch._types.table.rollout_flags == ("beta",)

    os.utime(path, ns=(1, 1))
    assert watch.look() is True
    assert reports == [True, True]

    path = registry / "operations" / "actions.yaml"
    path.write_text(path.read_text().replace("ranked: 200", "ranked: 20"))
    assert watch.look() is True
    assert watch._types.table.ranked == 20
