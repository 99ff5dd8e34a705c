"""The registry: what is shipped, and that every mistake names file, line and key."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from ruamel.yaml import YAML

from prefrontal.graph.config import Catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.table_files import paths_of, read_table
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.load import load_action_types, load_registry, read_action_types


@pytest.fixture
def registry(tmp_path):
    return shutil.copytree(ROOT / "registry", tmp_path / "registry")


def edit(registry, name, old, new):
    path = registry / name
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    line = next(number for number, row in enumerate(text.splitlines(), 1) if old.splitlines()[0] in row)
    return f"{path}:{line}: "


def complaints(registry):
    with pytest.raises(CatalogError) as caught:
        load_registry(registry)
    head, *lines = caught.value.message.splitlines()
    assert head == "the registry is wrong:"
    return [line.strip() for line in lines]


def test_a_server_starts_beside_a_draft_and_without_it(registry):
    path = registry / "action_types" / "research.yaml"
    path.with_name("survey.yaml").write_text(
        "draft: true\n" + path.read_text().replace("id: research", "id: survey")
    )

    assert set(load_registry(registry)[1]) == set(load_action_types(ROOT / "registry"))
    files = read_action_types(registry)
    assert (set(files.drafts), "survey" in files.types) == ({"survey"}, False)


def test_nothing_in_force_is_replaced_by_a_draft(registry):
    path = registry / "action_types" / "research.yaml"
    text = path.read_text()
    path.with_name("survey.yaml").write_text("draft: true\n" + text.replace("id: research", "id: survey"))
    path.write_text(text + "deprecation_status: deprecated\nreplaced_by: survey\n")

    (said,) = complaints(registry)
    assert said.endswith("replaced_by: survey is not an active type")


@pytest.mark.covers("REG-12", "REG-13")
def test_the_nine_types_of_the_specification_are_shipped_and_no_others():
    types = load_action_types(ROOT / "registry")

    assert set(types) == {
        "agent_task",
        "user_task",
        "approval_request",
        "reminder",
        "follow_up",
        "research",
        "decision",
        "background_job",
        "blocker",
    }
    assert {name for name, kind in types.items() if kind.default_policies.requires_confirmation} >= {
        "approval_request",
        "decision",
    }
    assert types["blocker"].default_policies.blocking
    assert types["user_task"].allowed_owners == ("user",)
    assert types["approval_request"].allowed_owners == ("user",)
    for name in ("agent_task", "research", "background_job"):
        assert types[name].allowed_owners == ("agent",)
    for kind in types.values():
        assert kind.description
        assert kind.initial_status == "pending"


@pytest.mark.covers("REG-13")
def test_a_type_that_is_put_into_the_registry_is_known(registry):
    text = (registry / "action_types" / "research.yaml").read_text()
    (registry / "action_types" / "survey.yaml").write_text(text.replace("id: research", "id: survey"))

    assert load_action_types(registry)["survey"].allowed_owners == ("agent",)


@pytest.mark.parametrize(
    ("name", "old", "new", "key"),
    [
        ("operations/limits.yaml", "tags: 50", "tagz: 50", "tagz: there is no such key here"),
        ("operations/limits.yaml", "tags: 50", "tags: many", "tags: must be a whole number"),
        ("operations/limits.yaml", "tags: 50", "tags: 0", "tags: must be at least 1"),
        ("operations/limits.yaml", "tags: 50", "tags: true", "tags: must be a whole number"),
        ("scratch.yaml", "on_expiry: archive", "on_expiry: burn", "on_expiry: must be one of"),
        (
            "operations/jobs.yaml",
            "lease_seconds: 30\n  batch: 500\nlink",
            "lease_seconds: -1\n  batch: 500\nlink",
            "expire_observations.lease_seconds: must be more than 0",
        ),
        ("roles.yaml", "reader: [read]", "reader: [reed]", "reader.0: must be one of"),
        ("goals.yaml", "default_priority: medium", "default_priority: none", "file: default_"),
        ("operations/context.yaml", "  goals: 5", "  goals: few", "candidates.goals: must be a whole number"),
    ],
)
def test_a_wrong_key_or_value_names_file_line_and_key(registry, name, old, new, key):
    where = edit(registry, name, old, new)
    if key.startswith("file: "):
        where = f"{registry / name}:1: "

    found = complaints(registry)

    assert any(line.startswith(where + key) for line in found), found


def test_a_missing_key_is_named_too(registry):
    edit(registry, "operations/limits.yaml", "tags: 50\n", "")

    assert complaints(registry) == [f"{registry / 'operations' / 'limits.yaml'}:1: tags: is missing"]


def test_every_mistake_in_every_file_is_told_at_once(registry):
    one = edit(registry, "operations/limits.yaml", "tags: 50", "tags: many")
    two = edit(registry, "scratch.yaml", "on_expiry: archive", "on_expiry: burn")
    three = edit(registry, "action_types/research.yaml", "id: research", "id: Research!")

    found = complaints(registry)

    assert [line.split(": ")[0] + ": " for line in found] == [two, one, three]


@pytest.mark.parametrize(
    ("text", "line"),
    [("tags: [1, 2\n", 2), ("tags: 50\n  odd: 1\n", 2), ("tags: 1\ntags: 2\n", 2), ("\tx: 1\n", 1)],
)
def test_what_is_not_yaml_names_its_line(registry, text, line):
    (registry / "operations" / "limits.yaml").write_text(text)

    (found,) = complaints(registry)

    assert found.startswith(f"{registry / 'operations' / 'limits.yaml'}:{line}: not YAML: ")


def test_bytes_that_are_no_text_are_not_yaml(registry):
    (registry / "operations" / "limits.yaml").write_bytes(b"tags: \xff\n")

    assert complaints(registry)[0].startswith(f"{registry / 'operations' / 'limits.yaml'}:1: not YAML: ")


@pytest.mark.parametrize("text", ["", "just text", "- 1\n- 2\n"])
def test_a_file_that_is_no_map_is_refused(registry, text):
    (registry / "operations" / "limits.yaml").write_text(text)

    (found,) = complaints(registry)

    where = f"{registry / 'operations' / 'limits.yaml'}:1: file: "
    assert found.startswith(where + "must be a map of keys and values")


@pytest.mark.parametrize(
    "name", ["scratch", "goals", "operations/limits", "context", "retention", "operations/jobs", "roles"]
)
def test_a_missing_file_is_named(registry, name):
    (registry / f"{name}.yaml").unlink()

    assert complaints(registry) == [f"{registry / name}.yaml: the file is missing"]


def moved_to_the_old_places(registry):
    """Every table in one file at the top, as in the first release."""
    for name in (*Catalog.model_fields, "actions"):
        _, said = read_table(registry, name, [])
        for path in paths_of(registry, name):
            path.unlink(missing_ok=True)
        # JSON is YAML.
        (registry / f"{name}.yaml").write_text(json.dumps(said, indent=1))
    for place in ("operations", "language"):
        (registry / place).rmdir()


def test_a_registry_with_all_files_at_the_old_places_is_the_same(registry):
    moved_to_the_old_places(registry)

    assert (registry / "jobs.yaml").exists()
    tables, types = load_registry(registry)

    shipped, known = load_registry(ROOT / "registry")
    assert tables == shipped
    assert (dict(types), types.table) == (dict(known), known.table)


def test_a_key_that_stands_in_two_places_is_refused_with_the_way_out(registry):
    one = "count_items: {every_seconds: 5, lease_seconds: 60, batch: 10}"
    (registry / "jobs.yaml").write_text(one)
    (registry / "actions.yaml").write_text((registry / "actions.yaml").read_text() + "ranked: 100\n")
    (registry / "language" / "goals.yaml").write_text("topics: {most_goals: 7, stop_words: a}")

    found = complaints(registry)

    twice = [
        ("topics.most_goals", "operations/goals.yaml"),
        *((f"count_items.{key}", "jobs.yaml") for key in ("every_seconds", "lease_seconds", "batch")),
        ("ranked", "actions.yaml"),
    ]
    assert [line.partition(": ")[2] for line in found] == [
        f"{key}: {registry}/{other} has it, too; take it out of one of the two files" for key, other in twice
    ]
    assert found[0].startswith(f"{registry}/language/goals.yaml:1: ")


def test_who_changes_a_policy_sees_no_job_and_no_list_of_words():
    """What people decide is at the top; intervals, batches, bounds and words are in folders of their own."""
    said = [path.read_text() for path in (ROOT / "registry").glob("*.yaml")]

    assert len(said) == 19
    for text in said:
        assert not re.search(r"lease_seconds|every_seconds|batch|timeout|_characters|words", text)
        document = YAML(typ="safe").load(text)
        assert all(len(value) < 12 for value in document.values() if isinstance(value, list | dict))
    assert {path.name for path in (ROOT / "registry" / "language").glob("*")} == {
        "admission.yaml",
        "contradiction.yaml",
        "evaluation.yaml",
        "goals.yaml",
        "lessons.yaml",
        "search.yaml",
        "mandates.yaml",
    }


@pytest.mark.parametrize(
    ("name", "key", "where"),
    [
        ("language/goals", "topics.stop_words", "operations/goals.yaml:13"),
        ("operations/summaries", "batch", "summaries.yaml:1"),
    ],
)
def test_what_is_missing_is_named_where_the_rest_of_it_stands(registry, name, key, where):
    (registry / f"{name}.yaml").unlink()

    assert f"{registry}/{where}: {key}: is missing" in complaints(registry)


def test_a_type_stands_in_the_file_of_its_name(registry):
    edit(registry, "action_types/research.yaml", "id: research", "id: survey")

    assert complaints(registry) == [
        f"{registry / 'action_types' / 'research.yaml'}:1: id: survey is not the file's name research"
    ]


def test_a_registry_without_types_is_refused(registry):
    shutil.rmtree(registry / "action_types")

    assert complaints(registry) == [f"{registry / 'action_types'}: holds no action type"]


def test_the_weights_of_a_score_sum_to_one(registry):
    where = edit(registry, "context.yaml", "  relevance_weight: 0.6", "  relevance_weight: 0.5")

    (found,) = complaints(registry)

    assert found.startswith(f"{registry / 'context.yaml'}:")
    assert int(where.split(":")[1]) - int(found.split(":")[1]) == 1
    assert found.endswith("observation_score: the weights must sum to 1, not 0.9")


def test_every_section_of_a_context_is_named_once(registry):
    edit(registry, "context.yaml", "[consciousness, frontal_cortex,", "[consciousness, consciousness,")

    (found,) = complaints(registry)

    assert "sections must name each section exactly once" in found
