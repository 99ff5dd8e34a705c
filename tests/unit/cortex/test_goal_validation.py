"""Rules of goals and actions: priorities, titles, unknown types."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction, PendingActionDraft
from prefrontal.graph.cortex.actions.validation import action_of, title_of
from prefrontal.graph.cortex.actions.validation import draft_problems as action_problems
from prefrontal.graph.cortex.goals.record import EvidenceDraft, GoalDraft
from prefrontal.graph.cortex.goals.validation import creation_message, draft_problems
from prefrontal.graph.cortex.priorities import priority_of
from prefrontal.graph.journal.command import limit_problems
from prefrontal.graph.registry.load import load_action_types

CATALOG = load_catalog(ROOT / "registry")
TYPES = load_action_types(ROOT / "registry")
NOW = datetime(2025, 11, 5, tzinfo=UTC)


@given(st.none() | st.text(max_size=10) | st.sampled_from(["high", "HIGH", " 3 ", "4", "5", "0", "-1"]))
def test_a_priority_is_known_or_refused(given_priority: str | None) -> None:
    found = priority_of(given_priority, CATALOG.goals)

    known = {("low", 1), ("medium", 2), ("high", 3), ("critical", 4)}
    assert found is None or found in known
    if given_priority is None:
        assert found == ("medium", 2)
    elif found is not None:
        assert given_priority.strip().casefold() in (found[0], str(found[1]))


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (0, "Goal created"),
        (1, "Goal created from 1 observation"),
        (2, "Goal created from 2 observations"),
    ],
)
def test_the_message_counts(number: int, message: str) -> None:
    assert creation_message(number) == message


@given(
    title=st.text(max_size=310),
    description=st.none() | st.text(max_size=50),
    ids=st.lists(st.text(max_size=5), max_size=6),
    priority=st.none() | st.text(max_size=4),
)
def test_complaints_about_a_goal_are_returned_never_raised(
    title: str, description: str | None, ids: list[str], priority: str | None
) -> None:
    draft = GoalDraft(
        title=title,
        description=description,
        priority=priority,
        derived_from=tuple(ids),
        evidence=tuple(EvidenceDraft(observation_id=uid) for uid in ids),
    )

    fields = {problem.field for problem in draft_problems(draft, CATALOG.limits, CATALOG.goals)}

    assert ("title" in fields) == (not title.strip() or len(title) > 300)
    for number, uid in enumerate(ids):
        wrong = uid in ids[:number] or not uid.strip()
        assert (f"evidence[{number}].observationId" in fields) == wrong
        assert (f"derivedFrom[{number}]" in fields) == wrong


def new_action(draft: PendingActionDraft) -> PendingAction:
    return action_of(
        draft,
        uid="act_x",
        scope_id="s",
        goal_id="goal_x",
        turn_id=None,
        by_uid="b",
        now=NOW,
        types=TYPES,
        priority=("medium", 2),
        title_characters=300,
    )


@given(
    kind=st.none() | st.text(max_size=12) | st.sampled_from(sorted(TYPES)),
    owner=st.none() | st.sampled_from(ActionOwner),
    confirmation=st.none() | st.booleans(),
    blocking=st.none() | st.booleans(),
)
def test_nothing_unknown_is_ever_the_agents(
    kind: str | None, owner: ActionOwner | None, confirmation: bool | None, blocking: bool | None
) -> None:
    draft = PendingActionDraft(
        type=kind, title="t", owner=owner, requires_confirmation=confirmation, blocking=blocking
    )
    if limit_problems(draft, CATALOG.limits) or action_problems(draft, TYPES, "a"):
        return

    action = new_action(draft)

    kept = TYPES[action.type]
    assert action.owner.value in kept.allowed_owners
    assert action.status in kept.allowed_statuses
    if kind in TYPES:
        assert (action.type, action.original_type) == (kind, None)
    else:
        assert (action.type, action.owner, action.requires_confirmation) == (
            "user_task",
            ActionOwner.USER,
            True,
        )
        assert action.original_type == (kind or "")


@given(title=st.none() | st.text(max_size=300), description=st.none() | st.text(max_size=400))
def test_a_title_is_kept_or_taken_from_the_description(title: str | None, description: str | None) -> None:
    draft = PendingActionDraft(type="research", title=title, description=description)

    if limit_problems(draft, CATALOG.limits) or action_problems(draft, TYPES, "a"):
        assert not title_of(draft).strip()
        return
    stored = new_action(draft)

    if title is not None:
        assert stored.title == title
    else:
        assert description is not None
        assert 0 < len(stored.title) <= 300
        first = description.strip().splitlines()[0]
        assert " ".join(first.split()).startswith(stored.title.removesuffix("…"))
