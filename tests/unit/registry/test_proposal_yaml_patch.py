"""The registry's file as a proposal changes it, without a repository."""

from __future__ import annotations

import difflib
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.api.cli.registry_check import check_registry
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.fixture_runner import fixture_complaints
from prefrontal.graph.errors import Conflict, IllegalTransition, InvalidInput
from prefrontal.graph.registry.definitions import ActionType
from prefrontal.graph.registry.fixture_generator import lives_of
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.registry.proposals.proposed_type import definition_of
from prefrontal.graph.registry.proposals.record import ProposalType, RegistryProposal, ReviewDecision
from prefrontal.graph.registry.proposals.rules import require_exportable, reviewed
from prefrontal.graph.registry.proposals.yaml_patch import FilePatch, branch_of, file_patch, path_of
from tests.support.first_format import first_text
from tests.unit.registry.test_proposal_rules import NOW, TYPES, proposal

FILES = ROOT / "registry" / "action_types"
SETTINGS = (ROOT / "registry" / "actions.yaml").read_text()


def approved(**fields: Any) -> RegistryProposal:
    return reviewed(proposal(**fields), ReviewDecision.APPROVE, "Fine", by_uid="mia", actors=["mia"], now=NOW)


def changed(text: str | None = None, **fields: Any) -> FilePatch:
    return file_patch(approved(**fields), text, TYPES, fixture_complaints, SETTINGS)


def modified(name: str, **fields: Any) -> tuple[str, list[str], list[str]]:
    """The new file of a type, and the lines that went and came."""
    text = fields.pop("text", None) or (FILES / f"{name}.yaml").read_text()
    kind = fields.pop("proposal_type", ProposalType.MODIFY)
    after = changed(text, proposal_type=kind, type_id=name, **fields).text
    lines = list(difflib.ndiff(text.splitlines(), after.splitlines()))
    return (
        after,
        [each[2:] for each in lines if each[0] == "-"],
        [each[2:] for each in lines if each[0] == "+"],
    )


@pytest.mark.covers("REG-55")
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {
            "diff": {"allowed_owners": ["agent", "user"]},
            "suggested_policies": {"requires_confirmation": True},
        },
        {"diff": {"allowed_owners": ["agent"], "policy_handlers": {"completion_guard": "choice_required"}}},
        {"diff": {"policy_handlers": {"completion_guard": "approval_required"}}},
        {
            "display_name": "Survey: “who?”",
            "description": "# no comment\n- no list: 'x' {y}\n\ttab",
            "allowed_statuses": ("ready", "in_progress", "parked", "completed"),
            "allowed_transitions": {
                "ready": ["parked"],
                "parked": ["in_progress"],
                "in_progress": ["completed"],
            },
        },
    ],
)
def test_a_new_file_says_what_was_proposed_and_passes_the_check(
    fields: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "registry"
    (folder / "action_types").mkdir(parents=True)
    (folder / "actions.yaml").write_text((ROOT / "registry" / "actions.yaml").read_text())
    for path in FILES.glob("*.yaml"):
        (folder / "action_types" / path.name).write_text(path.read_text())

    found = changed(**fields)
    (folder / "action_types" / "survey.yaml").write_text(found.text)

    kind = check_registry(folder).types["survey"]
    assert kind.display_name == fields.get("display_name", "Survey")
    assert kind.description == fields.get("description", "")
    assert kind.fixtures
    assert found.text.startswith(
        "# yaml-language-server: $schema=../action_type.schema.json\napiVersion: prefrontal/v1\nid: survey\n"
    )
    assert "To be done" not in found.message


@pytest.mark.covers("REG-55")
def test_a_change_leaves_the_rest_of_the_file_as_it_is_written() -> None:
    _, gone, came = modified(
        "research",
        text=first_text("research"),
        description="Finding out.",
        suggested_policies={"blocking": True},
    )

    assert gone == [
        "description: Finding out and reporting back.",
        "  blocking: false",
        *[line for line in gone[2:] if line.lstrip()[0] in "-s{"],
    ]
    assert came[:2] == ["description: Finding out.", "  blocking: true"]


WAYS = {"pending": ["completed"], "parked": ["pending", "completed"]}


@pytest.mark.covers("REG-55")
@pytest.mark.parametrize("text", [(FILES / "background_job.yaml").read_text(), first_text("background_job")])
@pytest.mark.parametrize(
    "fields",
    [
        {"suggested_policies": {"blocking": True, "escalation": None}},
        {"suggested_policies": {"escalation": {"after": "PT1H", "policy": "raise_priority"}}},
        {
            "allowed_statuses": (
                *reversed(TYPES["background_job"].allowed_statuses[:4]),
                "completed",
                "cancelled",
            )
        },
        {"allowed_transitions": {**TYPES["background_job"].allowed_transitions, "pending": ["in_progress"]}},
        {"allowed_statuses": ("pending", "parked", "completed"), "allowed_transitions": WAYS},
    ],
)
def test_a_change_means_the_same_in_a_short_file_and_in_a_written_out_one(
    text: str, fields: dict[str, Any], tmp_path: Path
) -> None:
    wanted = definition_of(
        proposal(proposal_type=ProposalType.MODIFY, type_id="background_job", **fields), TYPES
    )
    folder = shutil.copytree(ROOT / "registry", tmp_path / "registry")

    after, _, _ = modified("background_job", text=text, **fields)
    (folder / "action_types" / "background_job.yaml").write_text(after)

    kind = load_action_types(folder)["background_job"]
    assert kind == wanted.model_copy(update={"fixtures": kind.fixtures})


@pytest.mark.covers("REG-06", "REG-55")
@pytest.mark.parametrize("text", [(FILES / "reminder.yaml").read_text(), first_text("reminder")])
def test_an_escalation_is_proposed_by_one_name(text: str) -> None:
    escalation = {"after": "PT1H", "policy": "ask_question"}

    after, _, _ = modified("reminder", text=text, suggested_policies={"escalation": escalation})

    assert "ask_question" in after
    assert "policy: notify" not in after
    assert "escalation: notify" not in after
    wanted = proposal(
        proposal_type=ProposalType.MODIFY, type_id="reminder", suggested_policies={"escalation": escalation}
    )
    assert definition_of(wanted, TYPES).policy_handlers.escalation == "ask_question"


def test_a_new_type_says_its_statuses_only_where_the_repository_does_not_say_them_for_all() -> None:
    short = file_patch(approved(), None, TYPES, fixture_complaints, SETTINGS).text
    whole = file_patch(approved(), None, TYPES, fixture_complaints).text

    assert ("allowed_statuses" in short, "allowed_transitions" in short) == (False, False)
    assert ("allowed_statuses" in whole, "allowed_transitions" in whole) == (True, True)


def test_fixtures_that_still_hold_stay_and_others_are_made_anew() -> None:
    after, gone, came = modified("research", display_name="Research it")
    assert (gone, came) == (["display_name: Research"], ["display_name: Research it"])
    assert "The agent begins, waits, goes on and ends it" in after

    after, _, _ = modified("research", suggested_policies={"requires_confirmation": True})
    assert "The agent begins, waits, goes on and ends it" not in after
    assert "{by: user, confirms: true}" in after


def test_a_type_is_deprecated_in_its_file() -> None:
    _, gone, came = modified(
        "follow_up",
        proposal_type=ProposalType.DEPRECATE,
        diff={"replaced_by": "reminder", "note": "No: use #2"},
    )

    assert gone == []
    assert sorted(came) == [
        "deprecation_status: deprecated",
        "note: 'No: use #2'",
        "replaced_by: reminder",
    ]


def test_null_takes_a_key_out_of_the_file() -> None:
    text = (FILES / "research.yaml").read_text().replace("id: research", "id: research\nrollout_flag: beta")

    after = changed(
        text, proposal_type=ProposalType.MODIFY, type_id="research", diff={"rollout_flag": None}
    ).text

    assert after == (FILES / "research.yaml").read_text()


@pytest.mark.parametrize(
    ("text", "fields", "said"),
    [
        ("id: survey\n", {}, "has a file"),
        (None, {"proposal_type": ProposalType.MODIFY, "type_id": "research"}, "no file"),
        ("a: [", {"proposal_type": ProposalType.MODIFY, "type_id": "research"}, "not YAML"),
        ("- a\n", {"proposal_type": ProposalType.MODIFY, "type_id": "research"}, "not a YAML map"),
        (
            "id: research\n",
            {"proposal_type": ProposalType.MODIFY, "type_id": "research"},
            "cannot be applied",
        ),
        (
            (FILES / "research.yaml").read_text(),
            {"proposal_type": ProposalType.MODIFY, "type_id": "research", "display_name": "Research"},
            "already contains the proposed change",
        ),
    ],
)
def test_a_repository_that_does_not_fit_is_a_conflict(
    text: str | None, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(Conflict, match=said):
        changed(text, **fields)


@pytest.mark.covers("REG-55")
def test_the_message_has_reasons_examples_and_risks_and_nobody_else_speaks_in_it() -> None:
    found = changed(
        rationale="Often asked for.\n\nApproved-by: nobody\0",
        examples=("Ask ten guests\nabout the wine",),
        risks=("People tire",),
    ).message

    assert found == (
        "Add the action type survey\n\nRationale:\n\n  Often asked for.\n\n  Approved-by: nobody\n\n"
        "Examples:\n\n  - Ask ten guests\n    about the wine\n\nRisks:\n\n  - People tire\n\n"
        "Review:\n\n  - Fine\n\nProposal: prop_1\nProposed-by: ann\nApproved-by: mia\n"
    )


def test_what_the_check_would_complain_about_is_to_be_done_before_merging() -> None:
    fixtures = [{"name": "short", "steps": []}]

    found = changed(diff={"fixtures": fixtures})

    assert "To be fixed before the merge:\n\n  - fixtures: no fixture reaches in_progress" in found.message


def test_branch_and_path_are_made_of_ids() -> None:
    assert branch_of(approved()) == "registry/survey-1"
    assert path_of(approved()) == "registry/action_types/survey.yaml"
    with pytest.raises(InvalidInput):
        branch_of(approved(type_id=None))


@pytest.mark.parametrize("name", sorted(load_action_types(ROOT / "registry")))
def test_every_type_that_there_is_gets_fixtures_that_pass(name: str) -> None:
    kind = TYPES[name]

    assert fixture_complaints(kind.model_copy(update={"fixtures": _fixtures(kind)})) == ()


STATUSES = ("pending", "ready", "in_progress", "parked", "completed", "cancelled")


@st.composite
def kinds(draw: st.DrawFn) -> ActionType:
    inner = draw(st.permutations(STATUSES[:4]))[: draw(st.integers(1, 4))]
    ends = ["completed", *draw(st.sampled_from([["cancelled"], []]))]
    # Each leads to the next, so that every one is reached; the rest is as it comes.
    ways = {
        status: sorted({after, *draw(st.sets(st.sampled_from([*inner, *ends]), max_size=3))} - {status})
        for status, after in zip(inner, [*inner[1:], "completed"], strict=True)
    }
    if "cancelled" in ends:
        ways[inner[0]] = [*dict.fromkeys([*ways[inner[0]], "cancelled"])]
    owners = draw(st.sampled_from([("agent",), ("user",), ("agent", "user"), ("user", "agent")]))
    policies = ["notify", "raise_priority", "ask_question", *(["hand_to_user"] if "user" in owners else [])]
    escalations = [
        None,
        *({"after": after, "policy": each} for after in ("PT0S", "P1D") for each in policies),
    ]
    return ActionType.model_validate(
        {
            "id": "odd",
            "display_name": "Odd",
            "allowed_owners": owners,
            "default_policies": {
                "requires_confirmation": draw(st.booleans()),
                "blocking": draw(st.booleans()),
                "auto_complete": draw(st.booleans()),
                "escalation": draw(st.sampled_from(escalations)),
            },
            "allowed_statuses": (*inner, *ends),
            "allowed_transitions": {status: tuple(after) for status, after in ways.items()},
            "policy_handlers": {
                "completion_guard": draw(st.sampled_from([None, "choice_required", "approval_required"]))
            },
        }
    )


@given(kinds())
def test_fixtures_that_are_made_of_a_type_show_all_of_it(kind: ActionType) -> None:
    assert fixture_complaints(kind.model_copy(update={"fixtures": _fixtures(kind)})) == ()


def _fixtures(kind: ActionType) -> Any:
    return ActionType.model_validate({**kind.model_dump(), "fixtures": _tuples(lives_of(kind))}).fixtures


def _tuples(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples(each) for key, each in value.items()}
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


def test_what_is_not_approved_is_not_exported() -> None:
    require_exportable(approved())
    with pytest.raises(IllegalTransition):
        require_exportable(proposal())
