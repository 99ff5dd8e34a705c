"""Every type of the registry through every move, and the order of actions."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.cortex.actions.record import ActionMove, ActionOwner, PendingAction, PendingActionDraft
from prefrontal.graph.cortex.actions.rules import confirmed, transition
from prefrontal.graph.cortex.actions.utility import density, due_key, sort_key
from prefrontal.graph.cortex.actions.validation import action_of
from prefrontal.graph.errors import (
    ConfirmationRequired,
    Conflict,
    IllegalTransition,
    InvalidInput,
    OwnerViolation,
)
from prefrontal.graph.registry.definitions import CLOSED
from prefrontal.graph.registry.load import load_action_types

CATALOG = load_catalog(ROOT / "registry")
TYPES = load_action_types(ROOT / "registry")
NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def action(kind: str = "agent_task", *, uid: str = "act_x", rank: int = 2, **given: object) -> PendingAction:
    fields = {name: value for name, value in given.items() if name in PendingActionDraft.model_fields}
    made = action_of(
        PendingActionDraft.model_validate({"type": kind, "title": "t", **fields}),
        uid=uid,
        scope_id="s",
        goal_id="goal_x",
        turn_id=None,
        by_uid="b",
        now=NOW,
        types=TYPES,
        priority=("medium", rank),
        title_characters=300,
    )
    return made.model_copy(update={name: value for name, value in given.items() if name not in fields})


def move(to: str, *, user: bool = True, **given: object) -> ActionMove:
    return ActionMove.model_validate({"to": to, "by_user": user, "by_uid": "per_ann", **given})


CASES = [
    (name, start, end)
    for name in sorted(TYPES)
    for start, end in product(TYPES[name].allowed_statuses, repeat=2)
]


@pytest.mark.covers("ACT-25", "REG-09", "REG-28")
@pytest.mark.parametrize(("name", "start", "end"), CASES)
def test_a_type_moves_as_it_says_and_not_otherwise(name: str, start: str, end: str) -> None:
    kind = TYPES[name]
    given = action(name, status=start, confirmed_at=NOW, confirmed_by="per_ann", metadata={"options": ["a"]})
    wanted = move(end, choice="a")

    if start == end == "in_progress":
        # Somebody has it.
        with pytest.raises(Conflict):
            transition(given, wanted, kind, LATER)
    elif start == end:
        assert transition(given, wanted, kind, LATER) is given
    elif end in kind.allowed_transitions.get(start, ()):
        after = transition(given, wanted, kind, LATER)
        assert (after.status, after.version, after.updated_at) == (end, 2, LATER)
        assert after.completed_at == (LATER if end == "completed" else None)
        assert after.archived_at == (LATER if end in CLOSED else None)
    else:
        with pytest.raises(IllegalTransition):
            transition(given, wanted, kind, LATER)


@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_status_that_a_type_does_not_have_is_named(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        transition(action(name), move("asleep"), TYPES[name], LATER)
    assert caught.value.field == "status"


@pytest.mark.covers("ACT-37..39")
@pytest.mark.parametrize("auto", [True, False])
@pytest.mark.parametrize("to", ["in_progress", "completed", "cancelled"])
def test_an_agent_never_starts_or_ends_what_a_user_owns(to: str, auto: bool) -> None:
    given = action("user_task", auto_complete=auto, requires_confirmation=False, confirmed_at=NOW)

    with pytest.raises(OwnerViolation):
        transition(given, move(to, user=False), TYPES["user_task"], LATER)
    assert transition(given, move(to), TYPES["user_task"], LATER).status == to
    # What it waits for may be said by anybody.
    assert transition(given, move("blocked", user=False), TYPES["user_task"], LATER).status == "blocked"


@pytest.mark.covers("ACT-38", "ACT-41")
def test_what_requires_confirmation_is_not_completed_without_one() -> None:
    kind, given = TYPES["agent_task"], action(requires_confirmation=True)

    with pytest.raises(ConfirmationRequired):
        transition(given, move("completed", user=False), kind, LATER)
    started = transition(given, move("in_progress", user=False), kind, LATER)
    done = transition(
        confirmed(started, "per_ann", LATER, by_user=True), move("completed", user=False), kind, LATER
    )
    assert (done.status, done.confirmed_by, done.confirmed_at) == ("completed", "per_ann", LATER)
    by_user = transition(given, move("completed"), kind, LATER)
    assert (by_user.confirmed_by, by_user.confirmed_at) == ("per_ann", LATER)


@pytest.mark.covers("ACT-40")
@pytest.mark.parametrize("to", ["in_progress", "completed"])
def test_nothing_of_an_approval_proceeds_before_it_is_recorded(to: str) -> None:
    kind, given = TYPES["approval_request"], action("approval_request", requires_confirmation=False)

    with pytest.raises(ConfirmationRequired):
        transition(given, move(to), kind, LATER)
    approved = confirmed(given, "per_ann", NOW, by_user=True)
    assert transition(approved, move(to), kind, LATER).status == to


@pytest.mark.covers("ACT-46", "ACT-49")
@pytest.mark.parametrize("choice", [None, "c", ""])
def test_a_decision_is_a_choice_among_its_options(choice: str | None) -> None:
    given = action("decision", metadata={"options": ["a", "b"], "kept": 1}, confirmed_at=NOW)

    with pytest.raises(InvalidInput) as caught:
        transition(given, move("completed", choice=choice), TYPES["decision"], LATER)
    assert caught.value.field == "choice"
    done = transition(given, move("completed", choice="b"), TYPES["decision"], LATER)
    assert done.metadata == {"options": ["a", "b"], "kept": 1, "choice": "b"}


@pytest.mark.covers("ACT-50")
def test_a_background_job_runs_before_it_is_done() -> None:
    kind, given = TYPES["background_job"], action("background_job")

    with pytest.raises(IllegalTransition):
        transition(given, move("completed", user=False), kind, LATER)
    running = transition(given, move("in_progress", user=False), kind, LATER)
    assert (running.status, running.completed_at) == ("in_progress", None)
    assert transition(running, move("completed", user=False), kind, LATER).status == "completed"


def test_a_second_confirmation_changes_nothing_and_a_late_one_is_refused() -> None:
    once = confirmed(action("approval_request"), "per_ann", NOW, by_user=True)
    assert confirmed(once, "per_bob", LATER, by_user=True) is once
    with pytest.raises(IllegalTransition):
        confirmed(action(status="completed"), "per_ann", LATER, by_user=True)
    with pytest.raises(OwnerViolation):
        confirmed(action("approval_request"), "agt_bot", LATER, by_user=False)


ACTIONS = st.builds(
    lambda number, rank, effort, due, blocking: action(
        uid=f"act_{number:03}",
        rank=rank,
        effort=effort,
        due_at=None if due is None else NOW + timedelta(microseconds=due),
        blocking=blocking,
    ),
    st.integers(0, 999),
    st.integers(1, 4),
    st.none() | st.floats(1e-300, 1e300) | st.sampled_from([0.5, 1.0, 2.0, 4.0]),
    st.none() | st.integers(-(10**12), 10**12) | st.sampled_from([0, 1]),
    st.booleans(),
)


@pytest.mark.covers("ACT-27..29", "ACT-32")
@given(st.lists(ACTIONS, max_size=20))
def test_the_keys_sort_as_the_order_says(actions: list[PendingAction]) -> None:
    far = datetime.max.replace(tzinfo=UTC)

    assert sorted(actions, key=sort_key) == sorted(
        actions, key=lambda a: (-a.density, a.due_at or far, not a.blocking, a.uid)
    )
    assert sorted(actions, key=due_key) == sorted(actions, key=lambda a: (a.due_at or far, a.uid))


@pytest.mark.covers("ACT-27")
@pytest.mark.parametrize(
    ("rank", "effort", "wanted"), [(4, None, 4.0), (4, 1, 4.0), (3, 2, 1.5), (1, 0.5, 2.0)]
)
def test_density_is_priority_through_effort(rank: int, effort: float | None, wanted: float) -> None:
    assert density(rank, effort, 1.0) == wanted


@pytest.mark.covers("REG-26")
def test_no_code_asks_for_a_type_by_its_id() -> None:
    names = re.compile(r"""["'](""" + "|".join(sorted(TYPES)) + r""")["']""")
    paths = [
        path
        for folder in ("graph", "api", "cypher")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".cypher") and not path.is_relative_to(ROOT / "api" / "demo")
    ]
    assert len(paths) > 100

    # Evaluation has decisions of its own, kept under this name.
    other = re.compile(r"""row\["decision"\]|"decision":""")
    texts = {str(path): other.sub("", path.read_text(encoding="utf-8")) for path in paths}
    found = [path for path, text in texts.items() if names.search(text)]

    assert found == []
    assert names.search("if action.type == 'reminder'")


def test_who_owns_is_agent_or_user() -> None:
    assert [owner.value for owner in ActionOwner] == ["agent", "user"]
