"""When an action escalates, whatever its times are, and what each handler makes of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.escalation import (
    escalated,
    escalates,
    has_escalated,
    is_overdue,
    set_due,
)
from prefrontal.graph.cortex.actions.record import ActionOwner, PendingAction
from prefrontal.graph.cortex.actions.utility import awaited
from prefrontal.graph.registry.definitions import (
    EscalationHandler,
    EscalationTable,
    HandlerTable,
    PolicyTable,
)
from prefrontal.graph.registry.load import load_action_types
from tests.unit.cortex.test_action_rules import LATER, action

CATALOG = load_catalog(ROOT / "registry")
REMINDER = load_action_types(ROOT / "registry")["reminder"]
NOW = datetime(2026, 1, 2, tzinfo=UTC)

MINUTES = st.integers(-500, 500).map(lambda n: NOW + timedelta(minutes=n))


def kind(**escalation: str):
    policies = PolicyTable(escalation=EscalationTable.model_validate(escalation))
    return REMINDER.model_copy(update={"default_policies": policies, "policy_handlers": HandlerTable()})


def next_of(given_action: PendingAction, policy: str) -> PendingAction:
    return escalated(given_action, kind(policy=policy), NOW, CATALOG.goals.priorities, 1.0)


@pytest.mark.covers("ACT-43", "ACT-44")
@given(
    due=st.none() | MINUTES,
    since=st.none() | MINUTES,
    hours=st.integers(0, 5),
    status=st.sampled_from(REMINDER.allowed_statuses),
)
def test_an_open_action_escalates_once_it_is_late_enough_and_never_twice_for_one_time(
    due, since, hours, status
):
    given_action = action("reminder", due_at=due, escalated_at=since, status=status)
    patient = kind(after=f"PT{hours}H")

    told = escalates(given_action, patient, NOW)

    late = due is not None and due + timedelta(hours=hours) <= NOW
    fresh = since is None or (due is not None and since < due)
    assert told == (late and fresh and status not in ("completed", "cancelled"))
    if told:
        after = escalated(given_action, patient, NOW, CATALOG.goals.priorities, 1.0)
        assert has_escalated(after)
        assert not escalates(after, patient, NOW + timedelta(days=1))
        assert is_overdue(after, NOW)


@pytest.mark.covers("ACT-17", "ACT-45")
@pytest.mark.parametrize("policy", list(EscalationHandler))
def test_a_handler_changes_what_it_says_and_nothing_else(policy: str) -> None:
    before = action("reminder", owner=ActionOwner.AGENT, rank=2, effort=2.0, due_at=NOW)
    after = escalated(before, kind(policy=policy), LATER, CATALOG.goals.priorities, 1.0)

    changed = {name for name in PendingAction.model_fields if getattr(before, name) != getattr(after, name)}
    own = {
        "notify": set(),
        "raise_priority": {"priority", "priority_rank", "density"},
        "hand_to_user": {"owner"},
        "ask_question": set(),
    }
    assert changed == {"escalated_at", "updated_at", "version"} | own[policy]
    assert (after.escalated_at, after.updated_at, after.version) == (LATER, LATER, 2)


@pytest.mark.parametrize(("rank", "name"), [(1, "medium"), (2, "high"), (3, "critical"), (4, "critical")])
def test_a_priority_rises_by_one_step_and_not_above_the_highest(rank: int, name: str) -> None:
    names = {rank: name for name, rank in CATALOG.goals.priorities.items()}
    before = action("reminder", rank=rank, due_at=NOW).model_copy(update={"priority": names[rank]})
    after = next_of(before, "raise_priority")
    assert (after.priority, after.priority_rank) == (name, CATALOG.goals.priorities[name])


@given(due=st.none() | MINUTES, event=MINUTES)
def test_an_event_makes_an_action_due_and_never_later_than_it_was(due, event):
    after = set_due(action("follow_up", due_at=due), event, LATER)
    assert after.due_at == (event if due is None else min(due, event))
    assert (after.event_at, after.updated_at, after.version) == (event, LATER, 2)


@pytest.mark.parametrize(
    ("event", "found"),
    [
        ({"type": "goal.created", "id": "g"}, ("goal.created", "g")),
        ({"type": "goal.created", "id": ""}, None),
        ({"type": "goal.created", "id": "g", "more": 1}, None),
        ({"type": ["goal.created"], "id": "g"}, None),
        ({"type": "goal.vanished", "id": "g"}, None),
        ({"type": "goal.created", "id": 3}, None),
        ("goal.created", None),
        (None, None),
    ],
)
def test_what_is_awaited_is_an_event_of_the_journal(event, found):
    assert awaited({"event": event}) == found
    assert awaited(None) is None
