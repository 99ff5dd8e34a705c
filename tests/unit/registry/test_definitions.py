"""What an action type may say, what is refused, and which type a new action gets."""

from __future__ import annotations

import json
import re
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from ruamel.yaml import YAML

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.config.yaml_files import to_python
from prefrontal.graph.cortex.actions.escalation import escalates
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.definitions import (
    ActionType,
    ActionTypeFile,
    CompletionGuard,
    DueHandler,
    EscalationHandler,
    EscalationTable,
    HandlerTable,
    PolicyTable,
)
from prefrontal.graph.registry.format import SCHEMA_FILE, SCHEMA_REFERENCE
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.shape import message_of
from tests.support.first_format import first_text
from tests.unit.cortex.test_action_rules import action

SHIPPED = load_action_types(ROOT / "registry")


@pytest.fixture
def registry(tmp_path):
    return shutil.copytree(ROOT / "registry", tmp_path / "registry")


def edit(registry, name, *edits):
    path = registry / name
    text = path.read_text()
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text)


def complaints(registry):
    with pytest.raises(CatalogError) as caught:
        load_action_types(registry)
    return [line.strip().removeprefix(f"{registry}/") for line in caught.value.message.splitlines()[1:]]


@pytest.mark.covers("REG-01..12")
def test_every_shipped_type_is_whole():
    for name, kind in SHIPPED.items():
        assert kind.id == name
        assert kind.display_name
        assert kind.description
        assert kind.allowed_statuses == (
            "pending",
            "in_progress",
            "awaiting_confirmation",
            "blocked",
            "completed",
            "cancelled",
        )
        assert set(kind.allowed_transitions) == set(kind.allowed_statuses) - {"completed", "cancelled"}
        assert kind.deprecation_status == "active"
        assert (kind.replaced_by, kind.note, kind.block_new, kind.rollout_flag) == (None, None, False, None)
    policies = {name: kind.default_policies for name, kind in SHIPPED.items()}
    assert {name for name, p in policies.items() if p.auto_complete} == {"agent_task"}
    assert {name for name, p in policies.items() if p.blocking} == {"blocker", "approval_request"}
    assert {name for name, p in policies.items() if p.requires_confirmation} == {
        "approval_request",
        "decision",
        "user_task",
    }
    assert {name: p.escalation for name, p in policies.items() if p.escalation} == {
        "reminder": EscalationTable(after="PT0S", policy="notify")
    }
    assert {
        n: k.policy_handlers.completion_guard
        for n, k in SHIPPED.items()
        if k.policy_handlers.completion_guard
    } == {
        "approval_request": "approval_required",
        "decision": "choice_required",
    }


@pytest.mark.covers("REG-31")
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("display_name: Research\n", "", "1: display_name: is missing"),
        (
            "allowed_owners: [agent]",
            "allowed_owners: []",
            "allowed_owners: must not be empty",
        ),
        (
            "allowed_owners: [agent]",
            "allowed_owners: [robot]",
            "owners.0: must be one of: agent, user",
        ),
        ("allowed_owners: [agent]", "allowed_owners: [agent, agent]", "name each entry once"),
        (
            "  blocking: false",
            "  blocking: maybe",
            "default_policies.blocking: must be true or false",
        ),
        ("  blocking: false", "  colour: red", "default_policies.colour: there is no such key here"),
        ("  blocked: [", "  stuck: [", "not in allowed_statuses: stuck"),
        ("blocked: [pending,", "blocked: [asleep,", "not in allowed_statuses: asleep"),
        (
            "completed, cancelled]\nallowed_t",
            "cancelled]\nallowed_t",
            "not in allowed_statuses: completed",
        ),
        ("allowed_statuses: [pending", "allowed_statuses: [completed, pending", "name each entry once"),
        (
            "  blocked: [",
            "  completed: [pending]\n  blocked: [",
            "completed is closed and must have no next status",
        ),
        (
            "  blocked: [pending, in_progress, awaiting_confirmation, cancelled]\n",
            "",
            "blocked has no next status",
        ),
        ("id: research", "id: Research", "id: must have 1 to 64 of a–z"),
        (
            "allowed_statuses",
            "policy_handlers: {completion_guard: dice}\nallowed_statuses",
            "policy_handlers.completion_guard: must be one of: choice_required, approval_required",
        ),
        (
            "allowed_statuses",
            "policy_handlers: {escalation: notify}\nallowed_statuses",
            "policy_handlers.escalation must be default_policies.escalation.policy",
        ),
        (
            "  blocking: false",
            "  escalation: {policy: hand_to_user}",
            "escalation: hand_to_user needs user in allowed_owners",
        ),
        (
            "  blocking: false",
            "  escalation: {after: soon}",
            "default_policies.escalation.after: must be a duration, e.g. PT30M",
        ),
        ("allowed_statuses", "block_new: true\nallowed_statuses", "need deprecation_status: deprecated"),
        (
            "allowed_statuses",
            "replaced_by: decision\nallowed_statuses",
            "need deprecation_status: deprecated",
        ),
        (
            "allowed_statuses",
            "deprecation_status: deprecated\nreplaced_by: nothing\nallowed_statuses",
            "replaced_by: nothing is not an active type",
        ),
        (
            "allowed_statuses",
            "deprecation_status: old\nallowed_statuses",
            "deprecation_status: must be one of: active, deprecated",
        ),
    ],
)
def test_a_wrong_type_names_file_and_field(registry, old, new, said):
    path = registry / "action_types" / "research.yaml"
    text = first_text("research")
    assert old in text
    path.write_text(text.replace(old, new, 1))

    found = complaints(registry)

    assert [line for line in found if line.startswith("action_types/research.yaml:") and said in line], found


@pytest.mark.covers("REG-20")
def test_a_former_status_counts_as_the_one_that_is_named():
    kind = ActionType.model_validate(
        SHIPPED["research"].model_dump() | {"former_statuses": {"sent": "in_progress"}}
    )

    assert kind.ways_from("sent") == ("in_progress", *kind.ways_from("in_progress"))
    assert kind.ways_from("asleep") == ()


@pytest.mark.parametrize(
    ("safe", "change"),
    [
        ("nothing", []),
        ("research", []),
        ("reminder", [("display_name", "rollout_flag: soon\ndisplay_name")]),
        ("reminder", [("display_name", "deprecation_status: deprecated\ndisplay_name")]),
    ],
)
def test_the_safe_type_is_one_that_a_user_may_own(registry, safe, change):
    edit(registry, "actions.yaml", ("safe_type: user_task", f"safe_type: {safe}"))
    if change:
        edit(registry, "action_types/reminder.yaml", *change)

    assert complaints(registry) == ["actions.yaml:5: safe_type: must be an active type that a user may own"]


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("PT0S", timedelta(0)),
        ("PT90M", timedelta(minutes=90)),
        ("P1DT2H3M4S", timedelta(days=1, hours=2, minutes=3, seconds=4)),
        ("P7D", timedelta(days=7)),
    ],
)
def test_a_duration_is_read(text, delay):
    assert EscalationTable(after=text).delay == delay


@pytest.mark.parametrize("text", ["", "P", "PT", "P1DT", "1h", "PT1.5H", "PT1S1H", "-PT1S", "P12345D"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(ValueError, match="String should match pattern"):
        EscalationTable(after=text)


@pytest.mark.covers("REG-18", "REG-19")
def test_a_deprecated_type_gives_its_successor_to_new_actions(registry):
    edit(
        registry,
        "action_types/research.yaml",
        (
            "display_name",
            "deprecation_status: deprecated\nreplaced_by: agent_task\nnote: Use a task.\ndisplay_name",
        ),
    )

    types = load_action_types(registry)

    assert types.for_new("research") is types["agent_task"]
    assert (types["research"].replaced_by, types["research"].note) == ("agent_task", "Use a task.")


@pytest.mark.covers("REG-21", "REG-22")
def test_a_staged_type_is_unknown_until_its_flag_is_on_or_gone(registry):
    edit(registry, "action_types/research.yaml", ("display_name", "rollout_flag: beta\ndisplay_name"))
    staged = load_action_types(registry)
    edit(registry, "actions.yaml", ("rollout_flags: []", "rollout_flags: [beta]"))
    released = load_action_types(registry)
    edit(registry, "actions.yaml", ("rollout_flags: [beta]", "rollout_flags: []"))
    edit(registry, "action_types/research.yaml", ("rollout_flag: beta\n", ""))
    graduated = load_action_types(registry)

    assert staged.for_new("research") is None
    assert "research" in staged
    assert released.for_new("research") is released["research"]
    assert graduated.for_new("research") is graduated["research"]


def test_the_json_schema_accepts_what_is_shipped_and_knows_every_handler():
    schema = json.loads((ROOT / "registry" / SCHEMA_FILE).read_text())
    validator = Draft202012Validator(schema)
    for path in (ROOT / "registry" / "action_types").glob("*.yaml"):
        document = YAML(typ="safe").load(path.read_text())
        assert list(validator.iter_errors(document)) == []
        assert list(validator.iter_errors({**document, "colour": "red"}))
        first = path.read_text().splitlines()[0]
        assert first == f"# {SCHEMA_REFERENCE}"
        assert (path.parent / first.partition("$schema=")[2]).resolve() == ROOT / "registry" / SCHEMA_FILE
    said = json.dumps(schema)
    for name in (*EscalationHandler, *CompletionGuard, *DueHandler):
        assert f'"{name.value}"' in said
    assert set(schema["properties"]) == {*ActionType.model_fields, "draft", "initial", "apiVersion"}


WORDS_OF_PYTHON = re.compile(r"Input should|Field|Value error|uple|Extra inputs|pattern|dictionary|\^")


@pytest.mark.covers("REG-31")
@pytest.mark.parametrize("wrong", [None, 7, -1, "", "x y", [], ["x", "x"], {}, {"x": 1}, 1.5, True])
def test_no_message_is_one_of_a_library(wrong):
    """Every key of a type gets every kind of wrong value, also in the maps below it."""
    base = ActionTypeFile.model_validate(SHIPPED["research"].model_dump()).model_dump()
    tried = [{**base, name: to_python(wrong)} for name in ActionTypeFile.model_fields]
    for table, key in ((PolicyTable, "default_policies"), (HandlerTable, "policy_handlers")):
        tried += [{**base, key: {name: to_python(wrong)}} for name in table.model_fields]
    tried += [
        {**base, "default_policies": {"escalation": {n: to_python(wrong)}}} for n in ("after", "policy")
    ]
    for step in ({"to": to_python(wrong)}, {"by": to_python(wrong)}, {"confirms": to_python(wrong)}, {}):
        tried.append({**base, "fixtures": ({"name": "f", "steps": (step,)},)})
    tried += [{name: value for name, value in base.items() if name != left} for left in base]
    said = []
    for values in tried:
        try:
            ActionTypeFile.model_validate(values)
        except ValidationError as error:
            said += [message_of(item) for item in error.errors()]
    assert said
    assert [message for message in said if WORDS_OF_PYTHON.search(message)] == []


@pytest.mark.covers("OPS-20", "OPS-21")
def test_another_value_in_the_file_of_a_type_is_another_decision_and_a_wrong_one_is_named(registry):
    due = datetime(2026, 1, 2, tzinfo=UTC)
    late = action("reminder", due_at=due)

    def told(after: timedelta) -> bool:
        return escalates(late, load_action_types(registry)["reminder"], due + after)

    assert (told(timedelta(0)), told(timedelta(hours=1))) == (True, True)
    edit(registry, "action_types/reminder.yaml", ("after: PT0S", "after: PT1H"))
    assert (told(timedelta(0)), told(timedelta(hours=1))) == (False, True)

    edit(registry, "action_types/reminder.yaml", ("after: PT1H", "after: in an hour"))
    text = (registry / "action_types" / "reminder.yaml").read_text()
    line = text[: text.index("after: in an hour")].count("\n") + 1
    (said,) = complaints(registry)
    assert said.startswith(
        f"action_types/reminder.yaml:{line}: default_policies.escalation.after: must be a duration"
    )
