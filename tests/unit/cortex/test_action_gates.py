"""The rule of the gates alone: what holds an action back, and who may open it."""

from __future__ import annotations

import pytest

from prefrontal.graph.cortex.actions import gates
from prefrontal.graph.cortex.actions.record import ActionOwner, Blocker, Holds, PendingAction
from prefrontal.graph.cortex.actions.rules import transition
from prefrontal.graph.errors import (
    ActionBlocked,
    ConfirmationRequired,
    IllegalTransition,
    OwnerViolation,
    PrefrontalError,
)
from tests.unit.cortex.test_action_rules import LATER, NOW, TYPES, action, move

OWN = Holds(blockers=(Blocker(uid="act_b", for_person=False),))
ANNS = Holds(blockers=(Blocker(uid="act_b", for_person=True),))
STUCK = Holds(goal_status="blocked", goal_blocked=True)
ENDED = Holds(goal_status="completed", goal_ended=True)
USER = ActionOwner.USER


@pytest.mark.covers("ACT-48", "ACT-51")
def test_what_is_blocked_is_not_started_unless_it_blocks_itself() -> None:
    kind = TYPES["agent_task"]
    wanted = move("in_progress", user=False, holds=OWN)

    with pytest.raises(ActionBlocked) as caught:
        transition(action(), wanted, kind, LATER)
    assert "act_b" in caught.value.message
    assert transition(action(blocking=True), wanted, kind, LATER).status == "in_progress"


@pytest.mark.covers("ACT-48", "ACT-51")
@pytest.mark.parametrize(
    ("uid", "blocking", "owner", "holds", "blocked"),
    [
        ("act_x", False, "agent", Holds(), False),
        ("act_x", False, "agent", OWN, True),
        ("act_x", False, "user", OWN, True),
        ("act_x", False, "agent", STUCK, True),
        ("act_x", True, "agent", STUCK, False),
        ("act_x", True, "agent", OWN, False),
        # An agent's waits for an older one that a person must do, and a person's for none.
        ("act_x", True, "agent", ANNS, True),
        ("act_a", True, "agent", ANNS, False),
        ("act_x", True, "user", ANNS, False),
    ],
)
@pytest.mark.parametrize("user", [True, False])
def test_what_is_blocked_is_started_by_nobody_and_completed_by_a_person(
    uid: str, blocking: bool, owner: str, holds: Holds, blocked: bool, user: bool
) -> None:
    kind = TYPES["follow_up"]
    given = action("follow_up", uid=uid, blocking=blocking, owner=owner)
    assert gates.is_blocked(given, holds) == blocked
    if owner == "user" and not user:
        return

    def refused(to: str) -> bool:
        try:
            return transition(given, move(to, user=user, holds=holds), kind, LATER).status != to
        except ActionBlocked:
            return True

    assert refused("in_progress") == blocked
    assert refused("completed") == (blocked and not user)
    assert not refused("cancelled")


@pytest.mark.covers("ACT-48")
def test_what_moves_in_the_same_call_blocks_as_it_does_after_its_move() -> None:
    waiting = action(goal_id="goal_1")
    blocker = action(uid="act_b", goal_id="goal_1", blocking=True)

    def blockers(*moved: PendingAction, holds: Holds = OWN) -> list[str]:
        return [each.uid for each in gates.holds_after(holds, waiting, moved).blockers]

    assert blockers() == ["act_b"]
    assert blockers(blocker.model_copy(update={"status": "completed"})) == []
    # Reopened, it blocks again; one that does not block, or is of another goal or space, never does.
    assert blockers(blocker, holds=Holds()) == ["act_b"]
    assert blockers(action(uid="act_c", goal_id="goal_1"), holds=Holds()) == []
    assert blockers(blocker.model_copy(update={"goal_id": "goal_2"}), holds=Holds()) == []
    assert blockers(blocker.model_copy(update={"scope_id": "spc_2"}), holds=Holds()) == []
    alone = gates.holds_after(Holds(), action(goal_id=None), [action(uid="act_b", blocking=True)])
    assert alone.blockers == ()


@pytest.mark.covers("ACT-51", "ACT-62")
@pytest.mark.parametrize("user", [True, False])
def test_under_an_ended_goal_nothing_is_started_and_all_is_ended(user: bool) -> None:
    kind = TYPES["agent_task"]
    with pytest.raises(IllegalTransition, match="the goal is completed; reopen it with transitionGoal first"):
        transition(action(), move("in_progress", user=user, holds=ENDED), kind, LATER)
    for to in ("completed", "cancelled", "blocked"):
        assert transition(action(), move(to, user=user, holds=ENDED), kind, LATER).status == to


@pytest.mark.covers("ACT-40", "ACT-41")
@pytest.mark.parametrize(
    ("before", "after", "error"),
    [
        ({"blocking": True}, {"blocking": False}, OwnerViolation),
        ({"requires_confirmation": True}, {"requires_confirmation": False}, OwnerViolation),
        ({"confirmed_at": None}, {"confirmed_at": NOW}, OwnerViolation),
        ({"confirmed_at": NOW}, {"confirmed_at": None}, OwnerViolation),
        ({"owner": "user"}, {"owner": ActionOwner.AGENT}, OwnerViolation),
        ({"owner": "user", "status": "completed"}, {"status": "pending"}, OwnerViolation),
        ({"owner": "user", "status": "in_progress"}, {"status": "pending"}, OwnerViolation),
        ({"owner": "agent"}, {"owner": USER, "status": "completed"}, OwnerViolation),
        ({"requires_confirmation": True}, {"status": "completed"}, ConfirmationRequired),
        ({"requires_confirmation": True, "blocking": True}, {"status": "cancelled"}, ConfirmationRequired),
        # What opens nothing is an agent's to do.
        ({"requires_confirmation": True}, {"status": "cancelled"}, None),
        ({"requires_confirmation": True}, {"status": "in_progress"}, None),
        ({"blocking": False}, {"blocking": True}, None),
        ({"requires_confirmation": False}, {"requires_confirmation": True}, None),
        ({"owner": "agent"}, {"owner": USER}, None),
        ({"owner": "user"}, {"status": "awaiting_confirmation"}, None),
        ({}, {"title": "other"}, None),
    ],
)
def test_a_change_is_judged_by_what_it_changes(
    before: dict[str, object], after: dict[str, object], error: type[PrefrontalError] | None
) -> None:
    given = action("follow_up", **before)
    changed = given.model_copy(update=after)

    # A person may do all of it.
    gates.require_open(given, changed, TYPES["follow_up"], by_user=True)
    if error is None:
        gates.require_open(given, changed, TYPES["follow_up"], by_user=False)
        return
    with pytest.raises(error):
        gates.require_open(given, changed, TYPES["follow_up"], by_user=False)


@pytest.mark.covers("ACT-51")
def test_a_blocked_action_is_not_freed_by_letting_it_block() -> None:
    given = action()
    with pytest.raises(ActionBlocked):
        gates.require_open(
            given, given.model_copy(update={"blocking": True}), TYPES["agent_task"], by_user=False, holds=OWN
        )


@pytest.mark.covers("ACT-40", "ACT-41")
@pytest.mark.parametrize("name", sorted(TYPES))
def test_a_new_action_of_an_agents_is_never_weaker_than_its_type(name: str) -> None:
    policies = TYPES[name].default_policies
    for field in ("requires_confirmation", "blocking"):
        for value in (True, False):
            made = action(name, **{field: value})
            gates.require_new(made, TYPES[name], by_user=True)
            if getattr(policies, field) and not value:
                with pytest.raises(OwnerViolation):
                    gates.require_new(made, TYPES[name], by_user=False)
            else:
                gates.require_new(made, TYPES[name], by_user=False)


@pytest.mark.covers("ACT-57")
@pytest.mark.parametrize(
    ("given", "owner", "asked", "free"),
    [
        ({}, "agent", "agent", True),
        ({}, "agent", None, True),
        ({}, "user", "user", True),
        ({}, "agent", "user", False),
        ({"confirmed_at": NOW}, "agent", "agent", False),
        ({"status": "in_progress"}, "agent", "agent", False),
        ({"status": "in_progress"}, "user", "agent", True),
    ],
)
def test_an_action_of_an_unknown_type_is_handed_over_if_it_was_meant_for_the_agent(
    given: dict[str, object], owner: str, asked: str | None, free: bool
) -> None:
    coerced = action("user_task", **given)
    gates.require_handed_over(coerced, ActionOwner(owner), asked, by_user=True)
    if free:
        gates.require_handed_over(coerced, ActionOwner(owner), asked, by_user=False)
        return
    with pytest.raises(OwnerViolation):
        gates.require_handed_over(coerced, ActionOwner(owner), asked, by_user=False)
