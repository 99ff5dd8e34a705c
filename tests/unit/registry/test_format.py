"""The format of the files: what is said once, what a file may leave out, and that it means what it meant."""

from __future__ import annotations

import hashlib
import json
import re
import shutil

import pytest

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.fixture_runner import fixture_complaints
from prefrontal.graph.errors import CatalogError, Conflict
from prefrontal.graph.registry.definitions import ActionType
from prefrontal.graph.registry.format import spelled_out
from prefrontal.graph.registry.load import load_action_types, load_registry
from prefrontal.graph.registry.proposals.record import ProposalType
from prefrontal.graph.registry.proposals.yaml_patch import file_patch
from tests.support.first_format import FIRST, first_text
from tests.unit.registry.test_proposal_rules import proposal

SHIPPED = load_action_types(ROOT / "registry")

KEPT = {
    "agent_task": "6313b170648e234bdd29da29a0f01d15ad92753831fc200ee8e83eeacf99f6fc",
    "approval_request": "af21d8305d32f054168db601d76f02894f7909721151f7d122634511ccab1b4b",
    "background_job": "6d312bd2354784c47dd12be4f1c8bb9bd431cc8a93f86139e5cdf8ce216135be",
    "blocker": "5a8ce22fae96789ead4b7801683f7fd03c5e65311412834e3839b83fa3945728",
    "decision": "1c4c6344367f1f5e2cedcd4a875de2fcb8774e04d8455e0ce7db3697c35de062",
    "follow_up": "27adf78074d11823ef16aa0fc40a5f7c76f6bb562f73d25e5955966c2072f2f8",
    "reminder": "0767edb5960d114c243f26d270c858d5282125ef87163b039cc833654ac2df73",
    "research": "5ab0c16ac520bdf846817d4bee6cafdcab044443f5133e73bc684823ac53aecf",
    "user_task": "6fb22a7fd5aa8a0e970cfed51d1a46a57430f3af4a3459625a9d682de72df05e",
}
"""The hashes with which graphs keep the definitions of the first release."""
ADDED = {"agent_task": 1, "approval_request": 1, "blocker": 1, "reminder": 2}
"""The number of fixtures that a type has got since then."""
KEPT_SETTINGS = "cf056f0749a3d3c20c857eafd005d6bd807e5fb6267407f5888ef86086c9a576"


def kept(value) -> str:
    text = json.dumps(value.model_dump(mode="json"), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def registry(tmp_path):
    return shutil.copytree(ROOT / "registry", tmp_path / "registry")


def written(registry, name, text):
    path = registry / "action_types" / f"{name}.yaml"
    path.write_text(text)
    return path


def complaints(registry):
    with pytest.raises(CatalogError) as caught:
        load_action_types(registry)
    return [line.strip().removeprefix(f"{registry}/") for line in caught.value.message.splitlines()[1:]]


def short(**keys):
    """A file with what every type has, and some keys."""
    said = {"id": "odd", "display_name": "Odd", "allowed_owners": ["agent"], **keys}
    return json.dumps(said)


@pytest.mark.covers("REG-08", "REG-09", "REG-12")
@pytest.mark.parametrize("name", sorted(KEPT))
def test_a_short_file_is_the_definition_that_graphs_keep(name):
    """Besides fixtures that are added at the end: a type shows its escalation, blocking and completion."""
    kind = SHIPPED[name]
    before = kind.fixtures[: len(kind.fixtures) - ADDED.get(name, 0)]
    assert kept(kind.model_copy(update={"fixtures": before})) == KEPT[name]
    assert kept(SHIPPED.table) == KEPT_SETTINGS


@pytest.mark.covers("REG-31")
@pytest.mark.parametrize("defaults", [True, False])
def test_files_of_the_first_release_mean_what_they_meant(registry, defaults):
    """With and without the defaults beside them, that is in a registry of today and in one of then."""
    folder = registry if defaults else FIRST
    if defaults:
        shutil.copytree(FIRST / "action_types", registry / "action_types", dirs_exist_ok=True)

    types = load_action_types(folder)

    assert {name: kept(kind) for name, kind in types.items()} == KEPT
    assert kept(types.table) == KEPT_SETTINGS


@pytest.mark.covers("REG-12")
def test_a_shipped_file_says_only_what_is_special():
    """What every type has stands in one place, and the name of an escalation too."""
    for path in (ROOT / "registry" / "action_types").glob("*.yaml"):
        head = path.read_text().partition("\nfixtures:")[0]
        assert "allowed_statuses" not in head
        assert not re.search(r": false$", head, re.MULTILINE)
        assert not re.search(r"^  escalation: \w", head, re.MULTILINE)
    said = [
        name
        for name in SHIPPED
        if "allowed_transitions" in (ROOT / "registry" / "action_types" / f"{name}.yaml").read_text()
    ]
    assert said == ["background_job"]
    assert SHIPPED["reminder"].policy_handlers.escalation == "notify"


STATUSES = ("pending", "in_progress", "awaiting_confirmation", "blocked", "completed", "cancelled")


@pytest.mark.covers("REG-08", "REG-09")
@pytest.mark.parametrize(
    ("keys", "statuses", "ways"),
    [
        ({}, STATUSES, {}),
        ({"initial": "in_progress"}, ("in_progress", "pending", *STATUSES[2:]), {}),
        ({"allowed_transitions": {"blocked": ["cancelled"]}}, STATUSES, {"blocked": ("cancelled",)}),
        (
            {"allowed_transitions": {"blocked": ["cancelled"], "any": ["completed"]}},
            STATUSES,
            {"blocked": ("completed", "cancelled")},
        ),
        (
            {"allowed_statuses": ["blocked", "pending", "completed"]},
            ("blocked", "pending", "completed"),
            {"blocked": ("pending",), "pending": ("blocked", "completed")},
        ),
        (
            {
                "initial": "ready",
                "allowed_statuses": ["parked", "ready", "completed"],
                "allowed_transitions": {"any": ["parked", "completed"], "parked": ["ready"]},
            },
            ("ready", "parked", "completed"),
            {"parked": ("ready", "completed"), "ready": ("parked", "completed")},
        ),
        (
            # A status called any is one like all others.
            {"allowed_statuses": ["any", "completed"], "allowed_transitions": {"any": ["completed"]}},
            ("any", "completed"),
            {"any": ("completed",)},
        ),
    ],
)
def test_what_a_file_leaves_out_comes_from_what_is_said_for_all(registry, keys, statuses, ways):
    written(registry, "odd", short(**keys))

    kind = load_action_types(registry)["odd"]

    usual = SHIPPED["research"].allowed_transitions if set(statuses) == set(STATUSES) else {}
    assert kind.allowed_statuses == statuses
    assert dict(kind.allowed_transitions) == {**usual, **ways}
    assert kind.initial_status == statuses[0]


@pytest.mark.covers("REG-06")
def test_an_escalation_has_one_name(registry):
    escalation = {"after": "PT2H", "policy": "raise_priority"}
    for number, given in enumerate((escalation, {"after": "PT2H"})):
        keys = {"default_policies": {"escalation": given}, "policy_handlers": {"due": "after_event"}}
        written(registry, f"odd{number}", short(id=f"odd{number}", **keys))

    types = load_action_types(registry)

    assert [types[name].policy_handlers.escalation for name in ("odd0", "odd1")] == [
        "raise_priority",
        "notify",
    ]
    assert types["odd0"].policy_handlers.due == "after_event"
    twice = {"default_policies": {"escalation": escalation}, "policy_handlers": {"escalation": "notify"}}
    written(registry, "odd0", short(id="odd0", **twice))
    (said,) = complaints(registry)
    assert said.endswith("policy_handlers.escalation must be default_policies.escalation.policy")


@pytest.mark.covers("REG-31")
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"initial": "done"}, "initial: must be an open status of the type, one of: pending, in_progress, "),
        ({"initial": "completed"}, "initial: must be an open status of the type, one of: pending, in_prog"),
        ({"initial": 7}, "initial: must be an open status of the type, one of: pending, in_progress, "),
        (
            {"allowed_transitions": {"any": ["gone"]}},
            "file: allowed_transitions: not in allowed_statuses: gone",
        ),
        ({"allowed_transitions": {"any": "blocked"}}, "allowed_transitions.any: must be a list"),
        ({"allowed_transitions": {"any": [7]}}, "allowed_transitions.any.0: must be a text"),
        ({"allowed_transitions": ["any"]}, "allowed_transitions: must be a JSON object"),
        ({"allowed_statuses": "all"}, "allowed_statuses: must be a list"),
        (
            {"allowed_statuses": ["a", "completed"], "allowed_transitions": {}},
            "file: allowed_transitions: a has no next status",
        ),
    ],
)
def test_what_a_short_file_says_wrongly_is_named(registry, keys, said):
    written(registry, "odd", short(**keys))

    found = complaints(registry)

    assert [line for line in found if line.startswith(f"action_types/odd.yaml:1: {said}")], found


@pytest.mark.covers("REG-31")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("initial: pending", "initial: gone", "13: defaults.initial: must be an open status of the type"),
        ("initial: pending", "first: pending", "13: defaults.first: there is no such key here"),
        ("    any: [in_progress,", "    any: [gone, in_progress,", "defaults: allowed_transitions: not in"),
        ("    blocked: [pending]", "    blocked: 7", "defaults.allowed_transitions.blocked: must be a list"),
        ("  allowed_statuses: [", "  allowed_statuses: x\n  x: [", "defaults.x: there is no such key here"),
    ],
)
def test_wrong_defaults_are_named_once_and_not_in_every_file(registry, old, new, said):
    path = registry / "actions.yaml"
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))

    found = complaints(registry)

    assert found
    assert all(line.startswith("actions.yaml:") and "defaults" in line for line in found), found
    assert [line for line in found if said in line], found


@pytest.mark.covers("REG-31")
def test_every_file_names_the_version_of_its_format_and_without_it_has_the_first(registry):
    """Of an unknown version nothing else is said: its keys may mean something else."""
    paths = sorted([*registry.rglob("*.yaml")])
    assert len(paths) == len([*(ROOT / "registry").rglob("*.yaml")]) > 20
    texts = {path: path.read_text() for path in paths}
    for path, text in texts.items():
        assert text.count("\napiVersion: prefrontal/v1\n") == 1, path
        path.write_text(text.replace("apiVersion: prefrontal/v1\n", ""))
    load_registry(registry)
    for path, text in texts.items():
        line = text.splitlines().index("apiVersion: prefrontal/v1") + 1
        path.write_text(text.replace("prefrontal/v1", "prefrontal/v7") + "colour: red\n")
        with pytest.raises(CatalogError) as caught:
            load_registry(registry)

        (said,) = (row.strip() for row in caught.value.message.splitlines()[1:] if "v7" in row)
        assert said.startswith(
            f"{path}:{line}: apiVersion: this service does not know 'prefrontal/v7'; write "
        )
        assert said.endswith("write prefrontal/v1, or update the service to one that knows it")
        assert "colour" not in caught.value.message
        path.write_text(text)


@pytest.mark.covers("REG-55")
def test_a_proposal_for_a_file_of_an_unknown_version_is_a_conflict():
    text = (ROOT / "registry" / "action_types" / "research.yaml").read_text().replace("/v1", "/v7")
    asked = proposal(proposal_type=ProposalType.MODIFY, type_id="research", display_name="R")

    with pytest.raises(Conflict, match="this service does not know 'prefrontal/v7'"):
        file_patch(asked, text, SHIPPED, fixture_complaints)


def test_a_file_without_statuses_needs_the_defaults(registry):
    shutil.copy(FIRST / "actions.yaml", registry / "actions.yaml")
    (registry / "operations" / "actions.yaml").unlink()
    shutil.copytree(FIRST / "action_types", registry / "action_types", dirs_exist_ok=True)
    written(registry, "odd", short())

    assert complaints(registry) == [
        "action_types/odd.yaml:1: allowed_statuses: is missing",
        "action_types/odd.yaml:1: allowed_transitions: is missing",
    ]


def test_defaults_that_change_change_every_type_that_has_them(registry):
    path = registry / "actions.yaml"
    path.write_text(path.read_text().replace("    blocked: [pending]", "    blocked: [pending, completed]"))

    types = load_action_types(registry)

    changed = {name for name in types if types[name] != SHIPPED[name]}
    assert changed == set(SHIPPED) - {"background_job"}


@pytest.mark.parametrize("name", sorted(KEPT))
def test_a_definition_that_is_spelled_out_is_spelled_out_already(name):
    """Overrides, proposals and what the graph keeps are whole definitions."""
    said = SHIPPED[name].model_dump()

    assert spelled_out(said, {"allowed_statuses": ("a", "completed"), "allowed_transitions": {}}) == (
        said,
        [],
    )
    assert ActionType.model_validate(said) == SHIPPED[name]
    assert "allowed_statuses" in first_text(name)
