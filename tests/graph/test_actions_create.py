"""Pending actions of a new goal: defaults from their type, and what becomes of an unknown one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from prefrontal.graph.cortex.actions.record import (
    ActionOwner,
    PendingAction,
    PendingActionDraft,
    PendingActionUpsert,
    UpsertPendingActions,
)
from prefrontal.graph.cortex.goals.record import CreateGoal
from prefrontal.graph.ids import Kind, kind_of
from prefrontal.graph.journal.record import TraceKind
from tests.support.world import World


async def created(world: World, *drafts: PendingActionDraft, turn: str | None = None) -> tuple[Any, ...]:
    caller = await world.caller()
    goal = await world.services.goals.service.create(
        caller, CreateGoal(title="g", pending_actions=drafts, turn_id=turn)
    )
    return (caller, goal, *(await world.services.actions.service.of_goals(caller, [goal.uid]))[goal.uid])


@pytest.mark.covers("ACT-01..06", "ACT-08..13", "ACT-15", "ACT-16", "GOAL-35")
async def test_every_field_is_stored_and_read_back(world: World) -> None:
    due = datetime(2025, 12, 24, 18, tzinfo=UTC)
    draft = PendingActionDraft(
        type="research",
        title="Research  Burgundy\nwines",
        description="matching user preferences",
        owner=ActionOwner.AGENT,
        priority="critical",
        effort=2.5,
        due_at=due,
        blocking=True,
        requires_confirmation=True,
        auto_complete=True,
        evidence_refs=("log-1",),
        metadata={"a": [1, {"b": None}], "é": "ü"},
    )

    caller, goal, action = await created(world, draft, turn="turn-1")

    assert kind_of(action.uid) is Kind.PENDING_ACTION
    # The person is named by a key and stored by an id; only a user's action has one.
    fields = [name for name in PendingActionDraft.model_fields if name != "person"]
    for name in fields:
        assert getattr(action, name) == getattr(draft, name), name
    assert (action.goal_id, action.created_from_turn_id) == (goal.uid, "turn-1")
    assert (action.by_uid, action.scope_id, action.version) == (caller.actor_id, caller.home, 1)
    assert action.created_at == action.updated_at == world.clock.now()
    assert await world.services.actions.service.get(caller, [action.uid]) == {action.uid: action}

    entry = PendingActionUpsert(**dict(draft), goal_id=goal.uid, client_key="wines")
    (result,) = await world.services.actions.upsert.upsert(caller, UpsertPendingActions(actions=(entry,)))
    assert result.action
    for name in (*fields, "goal_id", "client_key"):
        assert getattr(result.action, name) == getattr(entry, name), name


@pytest.mark.covers("ACT-02", "ACT-07", "ACT-10", "ACT-11", "ACT-52")
@pytest.mark.parametrize(
    ("kind", "owner", "confirmation", "blocking"),
    [
        ("agent_task", "agent", False, False),
        ("approval_request", "user", True, True),
        ("background_job", "agent", False, False),
        ("blocker", "agent", False, True),
        ("decision", "agent", True, False),
        ("follow_up", "agent", False, False),
        ("reminder", "agent", False, False),
        ("research", "agent", False, False),
        ("user_task", "user", True, False),
    ],
)
async def test_what_is_left_out_comes_from_the_type(
    world: World, kind: str, owner: str, confirmation: bool, blocking: bool
) -> None:
    options = {"options": ["red", "white"]} if kind == "decision" else {}
    _, _, plain, stricter = await created(
        world,
        PendingActionDraft(type=kind, title="plain", metadata=options),
        # An agent may make both stricter than the type.
        PendingActionDraft(
            type=kind, title="stricter", requires_confirmation=True, blocking=True, metadata=options
        ),
    )

    assert (plain.type, plain.owner.value, plain.status) == (kind, owner, "pending")
    assert (plain.requires_confirmation, plain.blocking) == (confirmation, blocking)
    assert (stricter.requires_confirmation, stricter.blocking) == (True, True)
    assert (plain.auto_complete, stricter.auto_complete) == (kind == "agent_task", kind == "agent_task")
    assert (plain.priority, plain.priority_rank, plain.effort, plain.due_at) == ("medium", 2, None, None)
    assert plain.metadata == options


@pytest.mark.covers("ACT-18..20", "ACT-54", "ACT-55", "ACT-58", "TRC-22")
@pytest.mark.parametrize("kind", ["research_wines", "", None, "RESEARCH", "Research", "user_task "])
async def test_an_unknown_type_becomes_a_task_the_user_confirms(world: World, kind: str | None) -> None:
    draft = PendingActionDraft(
        type=kind,
        description="Research Burgundy wines matching user preferences",
        owner=ActionOwner.AGENT,
        priority="high",
        requires_confirmation=False,
        metadata={"kept": 1},
    )

    caller, _, action = await created(world, draft, turn="turn-1")

    assert isinstance(action, PendingAction)
    assert (action.type, action.owner, action.requires_confirmation) == (
        "user_task",
        ActionOwner.USER,
        True,
    )
    assert action.metadata == {"kept": 1, "original_type": kind or "", "original_owner": "agent"}
    assert action.original_type == (kind or "")
    assert action.title == "Research Burgundy wines matching user preferences"
    assert (action.status, action.priority) == ("pending", "high")
    trace = await world.services.turns.trace.trace(caller, "turn-1", kinds=[TraceKind.ACTION_TYPE_COERCED])
    (entry,) = trace.items
    assert (entry.ids, entry.details["type"]) == ((action.uid,), "user_task")
    known = await world.rows("MATCH (t:ActionType {org_id: $org}) RETURN count(t) AS number")
    assert known == [{"number": 0}]


@pytest.mark.covers("ACT-54")
async def test_who_forges_the_original_type_is_overruled(world: World) -> None:
    _, _, action = await created(
        world,
        PendingActionDraft(
            type="odd", title="x", metadata={"original_type": "agent_task", "original_owner": "z"}
        ),
    )

    assert action.metadata["original_type"] == "odd"


@pytest.mark.covers("ACT-20")
@pytest.mark.parametrize(
    ("description", "title"),
    [
        ("One line", "One line"),
        ("\n  First line  \nsecond", "First line"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
async def test_a_missing_title_is_the_first_line_of_the_description(
    world: World, description: str, title: str
) -> None:
    _, _, action = await created(world, PendingActionDraft(type="research", description=description))

    assert action.title == title
    assert action.description == description


@pytest.mark.covers("ACT-01", "ACT-16")
async def test_a_hundred_actions_keep_their_order_in_one_statement(world: World) -> None:
    drafts = tuple(PendingActionDraft(type="research", title=f"{n:03}") for n in range(100))
    caller = await world.caller()
    world.statements.clear()

    goal = await world.services.goals.service.create(caller, CreateGoal(title="g", pending_actions=drafts))

    assert world.statements.names == [
        "memory/list_mandates",
        "goals/create_goal",
        "actions/create_pending_actions",
        "journal/append_entries",
        "goals/find_goals",
    ]
    found = await world.services.actions.service.of_goals(caller, [goal.uid, "goal_x"])
    assert list(found) == [goal.uid]
    assert [action.title for action in found[goal.uid]] == [f"{n:03}" for n in range(100)]
    assert (await world.counts())["Version"] == 101


@pytest.mark.covers("SEC-11")
async def test_the_actions_of_another_agent_are_not_there(world: World) -> None:
    _, goal, action = await created(world, PendingActionDraft(type="research", title="secret"))
    other = await world.caller("other")

    assert await world.services.actions.service.get(other, [action.uid, "act_x"]) == {}
    assert await world.services.actions.service.of_goals(other, [goal.uid, "goal_x"]) == {}
