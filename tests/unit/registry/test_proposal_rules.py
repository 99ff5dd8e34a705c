"""Proposals without a database: what they define, who decides, and when the registry says the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import Forbidden, IllegalTransition
from prefrontal.graph.registry.definitions import ActionTypes
from prefrontal.graph.registry.load import load_action_types
from prefrontal.graph.registry.proposals.proposed_type import definition_of, is_loaded
from prefrontal.graph.registry.proposals.record import (
    ProposalDraft,
    ProposalStatus,
    ProposalSubject,
    ProposalType,
    RegistryProposal,
    ReviewDecision,
)
from prefrontal.graph.registry.proposals.rules import name_key, nearest, reviewed, withdrawn
from prefrontal.graph.registry.proposals.validation import proposal_of, revised, unknown_draft

NOW = datetime(2026, 1, 2, tzinfo=UTC)
TYPES = load_action_types(ROOT / "registry")


def proposal(**fields: Any) -> RegistryProposal:
    given = {"proposal_type": ProposalType.ADD, "type_id": "survey", "rationale": "r", **fields}
    return proposal_of(
        ProposalDraft(**given),
        uid="prop_1",
        org_id="org_1",
        scope_id="s",
        by_uid="ann",
        turn_id=None,
        now=NOW,
    )


def with_types(*more: Any) -> ActionTypes:
    return ActionTypes({**TYPES, **{each.id: each for each in more}}, TYPES.table)


def test_a_bare_name_is_as_harmless_as_the_safe_type() -> None:
    found, safe = definition_of(proposal(), TYPES), TYPES.safe

    assert (found.allowed_owners, found.default_policies) == (safe.allowed_owners, safe.default_policies)
    assert (found.allowed_statuses, found.allowed_transitions) == (
        safe.allowed_statuses,
        safe.allowed_transitions,
    )
    assert found.display_name == "Survey"


def test_a_change_keeps_what_it_does_not_name() -> None:
    change = proposal(
        proposal_type=ProposalType.MODIFY,
        type_id="reminder",
        suggested_policies={"blocking": True},
        diff={"description": "Nudges."},
    )
    found, before = definition_of(change, TYPES), TYPES["reminder"]

    assert found.default_policies == before.default_policies.model_copy(update={"blocking": True})
    assert found == before.model_copy(
        update={"default_policies": found.default_policies, "description": "Nudges."}
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"diff": {"allowed_owners": ["agent"]}, "suggested_policies": {"blocking": True}},
        {"proposal_type": ProposalType.MODIFY, "type_id": "reminder", "description": "Nudges."},
        {
            "proposal_type": ProposalType.DEPRECATE,
            "type_id": "reminder",
            "diff": {"replaced_by": "follow_up"},
        },
    ],
)
def test_the_registry_says_what_was_proposed_once_it_has_the_definition(fields: dict[str, Any]) -> None:
    wanted = proposal(**fields)
    assert not is_loaded(wanted, TYPES)

    defined = definition_of(wanted, TYPES)

    assert is_loaded(wanted, with_types(defined))
    # What was not proposed may have been chosen otherwise; what was may not.
    assert is_loaded(wanted, with_types(defined.model_copy(update={"rollout_flag": "beta"})))
    if fields.get("description"):
        assert not is_loaded(wanted, with_types(defined.model_copy(update={"description": "Other."})))


@pytest.mark.covers("REG-30")
@pytest.mark.parametrize(
    ("subject", "key", "known"),
    [
        (ProposalSubject.POLICY, "blocking", True),
        (ProposalSubject.HANDLER, "notify", True),
        (ProposalSubject.HANDLER, "choice_required", True),
        (ProposalSubject.HANDLER, "after_event", True),
        (ProposalSubject.HANDLER, "two_signatures", False),
        (ProposalSubject.POLICY, "notify", False),
    ],
)
def test_a_generic_key_is_known_when_the_code_has_it(subject: ProposalSubject, key: str, known: bool) -> None:
    assert is_loaded(proposal(subject=subject, type_id=key), TYPES) is known


@given(
    st.sampled_from(ProposalStatus),
    st.sampled_from(ReviewDecision),
    st.sets(st.sampled_from(["ann", "bot", "mia"])),
    st.sets(st.sampled_from(["ann", "bot", "mia"]), min_size=1),
)
def test_only_an_open_proposal_is_decided_and_by_nobody_who_wrote_on_it(
    status: ProposalStatus, decision: ReviewDecision, authors: set[str], actors: set[str]
) -> None:
    before = proposal().model_copy(update={"status": status, "authors": tuple(sorted(authors))})
    by_uid = min(actors)

    def decide() -> RegistryProposal:
        return reviewed(before, decision, "c", by_uid=by_uid, actors=actors, now=NOW)

    if status is not ProposalStatus.OPEN:
        with pytest.raises(IllegalTransition):
            decide()
    elif authors & actors:
        with pytest.raises(Forbidden):
            decide()
    else:
        after = decide()
        assert (
            after.status is {"approve": ProposalStatus.APPROVED, "reject": ProposalStatus.REJECTED}[decision]
        )
        assert (after.reviewers, after.version) == ((by_uid,), before.version + 1)


@given(st.sampled_from(ProposalStatus), st.booleans(), st.none() | st.text(min_size=1))
def test_only_what_is_neither_settled_nor_exported_is_withdrawn_and_gives_up_its_name(
    status: ProposalStatus, exported: bool, reason: str | None
) -> None:
    branch = {"exported_at": NOW, "branch": "registry/survey-1"} if exported else {}
    before = proposal().model_copy(update={"status": status, **branch})
    later = NOW + timedelta(hours=1)

    if exported or status not in (ProposalStatus.OPEN, ProposalStatus.APPROVED):
        with pytest.raises(IllegalTransition) as refused:
            withdrawn(before, reason, later)
        assert refused.value.field == "id"
    else:
        changed = {"status": ProposalStatus.WITHDRAWN, "status_reason": reason, "name_key": None}
        expected = before.model_copy(update={**changed, "updated_at": later, "version": 2})
        assert withdrawn(before, reason, later) == expected


@given(st.text(min_size=1, max_size=200))
def test_any_name_makes_a_proposal_that_changes_nothing_but_a_name(name: str) -> None:
    draft = unknown_draft(name, staged=False)
    made = proposal_of(
        draft, uid="p", org_id="o", scope_id="s", by_uid="ann", turn_id=None, now=NOW, requested_name=name
    )

    assert made.type_id in (None, name)
    assert name_key(f" {name.upper()} ") == name_key(name.upper())
    assert name not in made.rationale or len(name) < 20
    if made.type_id is not None and made.type_id not in TYPES:
        assert definition_of(made, TYPES).default_policies == TYPES.safe.default_policies
    same = revised(made, ProposalDraft(rationale=made.rationale), by_uid="bob", now=NOW)
    assert same is made


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("research_wines", "research"),
        ("Reminders", "reminder"),
        ("approve request", "approval_request"),
        ("日本語", None),
        ("zzz", None),
    ],
)
def test_the_nearest_type_is_named(name: str, near: str | None) -> None:
    assert nearest(name, TYPES) == near
