"""The fixtures that action types bring with them, and the check that plays them."""

from __future__ import annotations

import re
import shutil

import pytest

from prefrontal.api.cli.registry_check import check_registry
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.fixture_runner import fixture_complaints
from prefrontal.graph.errors import CatalogError
from prefrontal.graph.registry.definitions import ActionType
from prefrontal.graph.registry.load import load_action_types

SHIPPED = load_action_types(ROOT / "registry")


@pytest.fixture
def registry(tmp_path):
    return shutil.copytree(ROOT / "registry", tmp_path / "registry")


def complaints(registry, name, *edits):
    path = registry / "action_types" / f"{name}.yaml"
    text = path.read_text()
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text)
    with pytest.raises(CatalogError) as caught:
        check_registry(registry)
    return [line.strip().removeprefix(f"{path}:") for line in caught.value.message.splitlines()[1:]]


@pytest.mark.covers("REG-24", "REG-25", "REG-56")
def test_the_shipped_types_do_what_their_fixtures_say():
    assert dict(check_registry(ROOT / "registry").types) == dict(SHIPPED)


@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_the_fixtures_of_a_shipped_type_show_its_policies(name):
    kind = SHIPPED[name]
    steps = [step for fixture in kind.fixtures for step in fixture.steps]

    assert fixture_complaints(kind) == ()
    assert {step.to for step in steps} >= set(kind.allowed_statuses) - {kind.initial_status}
    assert [step for step in steps if step.refused]


@pytest.mark.covers("REG-56")
@pytest.mark.parametrize(
    ("name", "edits", "said"),
    [
        (
            "research",
            [("id: research", "default_policies: {blocking: true}\nid: research")],
            ["11: fixtures.0.starts.blocking: a new action has True, not False"],
        ),
        (
            "research",
            [("fixtures:", "allowed_transitions:\n  in_progress: [blocked, completed]\nfixtures:")],
            [
                "15: fixtures.0.steps.1: refused with illegal_transition: a research that is in_progress",
                "10: fixtures: no fixture reaches awaiting_confirmation",
            ],
        ),
        (
            "approval_request",
            [("completion_guard: approval_required", "completion_guard: null")],
            ["was not refused with confirmation_required"],
        ),
        (
            "decision",
            [("  requires_confirmation: true", "  requires_confirmation: false")],
            ["fixtures.0.starts.requires_confirmation: a new action has False, not True"],
        ),
        (
            "user_task",
            [("allowed_owners: [user]", "allowed_owners: [agent, user]")],
            ["fixtures.0.starts.owner: a new action has agent, not user"],
        ),
        (
            "reminder",
            [("    owner: user", "    owner: robot")],
            ["fixtures.1.owner: must be one of: agent, user"],
        ),
        (
            "research",
            [("by: agent, to: cancelled", "by: agent")],
            ["a step needs one of `to`, `confirms`, `reports`, `overdue` and `other`"],
        ),
        ("research", [("fixtures:\n", "note: x\nfixtures: []\nx:\n")], ["x: there is no such key here"]),
        (
            "blocker",
            [("allowed_owners: [agent, user]", "allowed_owners: [agent]")],
            ["fixtures.1.owner: user is not among allowed_owners"],
        ),
    ],
)
def test_a_type_that_does_otherwise_is_named_with_its_line(registry, name, edits, said):
    found = complaints(registry, name, *edits)

    for each in said:
        assert [line for line in found if each in line], found


@pytest.mark.covers("REG-25")
def test_a_type_without_fixtures_is_loaded_and_not_passed(registry):
    path = registry / "action_types" / "research.yaml"
    text = path.read_text()

    found = complaints(registry, "research", (text[text.index("# Scenarios of the type") :], ""))

    assert found == [
        "1: fixtures: there are none: add short scenarios that show how an action of the type behaves"
    ]
    assert load_action_types(registry)["research"].fixtures == ()


@pytest.mark.covers("REG-25")
def test_policies_that_refuse_something_are_shown_to_refuse_it():
    kind = SHIPPED["decision"]
    steps = tuple(step for step in kind.fixtures[0].steps if not step.refused)
    tame = kind.fixtures[0].model_copy(update={"steps": steps})
    rest = kind.fixtures[1].model_copy(update={"steps": kind.fixtures[1].steps[:1]})

    found = fixture_complaints(kind.model_copy(update={"fixtures": (tame, rest)}))

    assert [message for _, message in found] == [
        f"no fixture shows what its policies refuse with {code}"
        for code in ("confirmation_required", "invalid")
    ]


BLOCKS = "that other actions of the goal are blocked: add a step {other: in_progress, refused: blocked}"
SHOWN = {
    "agent_task": "that a result completes the action: add a step, once it is in_progress, "
    "{by: agent, reports: done, becomes: completed}",
    "approval_request": BLOCKS,
    "blocker": BLOCKS,
    "reminder": "the escalation: add a step {overdue: PT0S, escalates: notify}",
}


@pytest.mark.covers("REG-25", "REG-56")
@pytest.mark.parametrize("name", sorted(SHIPPED))
def test_what_a_type_does_by_itself_is_shown(registry, name):
    """Without the steps that show it, the check names the policy and the step."""
    path = registry / "action_types" / f"{name}.yaml"
    text = path.read_text()
    lines = [line for line in text.splitlines() if not re.search(r"\b(reports|overdue|other):", line)]
    path.write_text(re.sub(r"steps:\n(?! {6})", "steps: []\n", "\n".join(lines) + "\n"))
    line = lines.index("fixtures:") + 1
    if name not in SHOWN:
        assert path.read_text() == text
        return

    with pytest.raises(CatalogError) as caught:
        check_registry(registry)

    (said,) = (row.strip() for row in caught.value.message.splitlines()[1:] if "no fixture shows" in row)
    assert said == f"{path}:{line}: fixtures: no fixture shows {SHOWN[name]}"


@pytest.mark.covers("REG-25", "ACT-43", "ACT-44", "ACT-48", "ACT-50")
@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            "agent_task",
            "failed, becomes: pending",
            "failed, becomes: completed",
            "the action is pending, not completed",
        ),
        (
            "agent_task",
            "  auto_complete: true",
            "  auto_complete: false",
            "the action is in_progress, not completed",
        ),
        (
            "agent_task",
            "done, becomes: completed",
            "done, becomes: blocked",
            "the action is completed, not blocked",
        ),
        ("reminder", "after: PT0S", "after: PT1M", "escalation: none, not notify"),
        ("reminder", "policy: notify", "policy: raise_priority", "escalation: raise_priority, not notify"),
        (
            "reminder",
            "- {overdue: PT1H}",
            "- {overdue: PT1H, escalates: notify}",
            "escalation: none, not notify",
        ),
        ("reminder", "PT0S, escalates: notify", "PT0S", "escalation: notify, not none"),
        ("blocker", "  blocking: true", "  blocking: false", "was not refused with blocked"),
        ("blocker", "      - {by: agent, other: in_progress}\n", "", None),
        (
            "approval_request",
            "      - {by: user, to: completed}\n      - {by: agent, other",
            "      - {by: agent, other",
            "refused with blocked: complete the blocking actions first: act_fixture",
        ),
    ],
)
def test_what_a_type_does_by_itself_is_compared(registry, name, old, new, said):
    if said is None:
        path = registry / "action_types" / f"{name}.yaml"
        path.write_text(path.read_text().replace(old, new))
        check_registry(registry)
        return

    found = complaints(registry, name, (old, new))

    assert [line for line in found if said in line], found


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            "{to: blocked, other: in_progress}",
            "a step needs one of `to`, `confirms`, `reports`, `overdue` and `other`",
        ),
        ("{reports: done}", "`reports` and `becomes` need each other"),
        ("{to: blocked, becomes: blocked}", "`reports` and `becomes` need each other"),
        ("{to: blocked, escalates: notify}", "`escalates` needs `overdue`"),
        ("{overdue: soon}", "overdue: must be a duration, e.g. PT30M"),
        ("{reports: perhaps, becomes: blocked}", "reports: must be one of: done, failed"),
        ("{other: pending}", "other: must be one of: in_progress, completed"),
    ],
)
def test_a_step_that_says_too_much_or_too_little_is_named(registry, step, said):
    found = complaints(registry, "research", ("{by: agent, to: cancelled}", step))

    assert [line for line in found if "fixtures.1.steps.0" in line and said in line], found


def test_a_type_that_cannot_complete_by_a_result_need_not_show_it():
    """auto_complete has no effect on actions of a user, or where a choice is needed."""
    base = SHIPPED["user_task"].model_dump()
    for keys in (
        {"default_policies": {"auto_complete": True, "requires_confirmation": True}},
        {
            "allowed_owners": ("agent",),
            "default_policies": {"auto_complete": True},
            "policy_handlers": {"completion_guard": "choice_required"},
        },
    ):
        kind = ActionType.model_validate({**base, **keys})
        assert not [message for _, message in fixture_complaints(kind) if "result" in message]


@pytest.mark.covers("REG-25")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("decision", "confirmation_required"),
        ("decision", "invalid"),
        ("approval_request", "confirmation_required"),
        ("user_task", "owner_violation"),
    ],
)
def test_another_refusal_does_not_stand_for_that_of_a_policy(name, code):
    kind = SHIPPED[name]
    lives = tuple(
        life.model_copy(update={"steps": tuple(step for step in life.steps if step.refused != code)})
        for life in kind.fixtures
    )
    assert any(step.refused for life in lives for step in life.steps)

    found = fixture_complaints(kind.model_copy(update={"fixtures": lives}))

    assert [message for _, message in found] == [f"no fixture shows what its policies refuse with {code}"]
