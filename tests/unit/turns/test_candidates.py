"""How important the pieces of a turn's state are, and what the export says of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.lessons.outcome_record import OutcomeDraft
from prefrontal.graph.turns.candidates import call_sentence, candidates_of
from prefrontal.graph.turns.commit_record import (
    ActiveGoal,
    CommitTurn,
    GatheredTurn,
    ScoresDraft,
    StateDraft,
    ToolCall,
    TurnObservation,
)
from prefrontal.graph.turns.export_record import StateExport, schema_text
from prefrontal.graph.turns.exporting import caught_up, staged, summary_of
from prefrontal.graph.turns.selection import selected

CATALOG = load_catalog(Settings().registry_dir)
GOAL = ActiveGoal(uid="goal_1", topics=("pari", "trip"))
NOW = datetime(2026, 1, 2, tzinfo=UTC)
ULID = "01JBXM3Z8K0QF3W4T9V2C7H5RD"


def call(tool: str = "search", **given: Any) -> ToolCall:
    return ToolCall(
        **{"origin": tool, "tool": tool, "preview": "{}", "digest": "d", "milliseconds": 1, **given}
    )


def parts(gathered: GatheredTurn, known: frozenset[str] = frozenset(), **said: Any) -> list[dict[str, Any]]:
    found = candidates_of(CommitTurn(turn_id="t", **said), gathered, CATALOG, known)
    return [each.importance.model_dump() for each in found]


@pytest.mark.covers("TURN-44..48")
def test_the_parts_of_an_importance() -> None:
    note = TurnObservation(origin="o", content="The user wants tea", type="preference", confidence=0.9)
    (about_user,) = parts(GatheredTurn(noticed=(note,), goals=(GOAL,)))
    assert about_user == {
        "value": 0.2 + 0.18 + 0.15 + 0.15,
        "relevance_to_goals": 0.0,
        "relevance_to_user": 1.0,
        "confidence": 0.9,
        "novelty": 1.0,
        "actionability": 1.0,
    }
    # A second time it is no news.
    (again,) = parts(GatheredTurn(noticed=(note,)), frozenset({"the user wants tea"}))
    assert (again["novelty"], again["value"]) == (0.0, pytest.approx(about_user["value"] - 0.15))

    named = note.model_copy(update={"content": "x", "goal_uids": ("goal_1",)})
    shares = note.model_copy(update={"content": "Rain in Paris"})
    goals = [
        each["relevance_to_goals"] for each in parts(GatheredTurn(noticed=(named, shares), goals=(GOAL,)))
    ]
    assert goals == [1.0, 0.5]
    # Without active goals nothing is relevant to one.
    assert [each["relevance_to_goals"] for each in parts(GatheredTurn(noticed=(named, shares)))] == [0.0, 0.0]


def test_a_call_is_as_sure_as_can_be_and_an_error_is_actionable_if_its_kind_is_known() -> None:
    worked = call(goal_uid="goal_1")
    limited = call("weather", error="rate limit exceeded", goal_uid="goal_1")
    odd = call("odd", error="boom")
    found = parts(GatheredTurn(called=(limited, worked, odd), goals=(GOAL,)))
    assert [each["actionability"] for each in found] == [1.0, 0.0, 0.0]
    assert [each["value"] for each in found] == [0.8, 0.65, 0.35]
    # Made up for by a later call.
    (first, _) = parts(GatheredTurn(called=(odd, worked)))
    assert first["actionability"] == 1.0
    assert call_sentence(worked) == "search() returned {}"
    assert call_sentence(limited) == "weather failed: rate limit exceeded"


def test_what_the_client_says_counts_before_what_is_worked_out() -> None:
    event = StateDraft(content="It rained", scores=ScoresDraft(relevance_to_goals=0.5, novelty=0.0))
    given = StateDraft(content="It rained", importance=0.9)
    scored, valued = parts(GatheredTurn(), events=(event, given))
    assert (scored["relevance_to_goals"], scored["novelty"], scored["value"]) == (0.5, 0.0, 0.35)
    assert valued["value"] == 0.9


def export(command: CommitTurn, gathered: GatheredTurn) -> StateExport:
    decided = selected(candidates_of(command, gathered, CATALOG), CATALOG.retention)
    return staged(
        command,
        gathered,
        decided,
        export_id=ULID,
        turn_id="turn_1",
        agent_id="agt_1",
        space_id="spc_1",
        success=True,
        completed_at=NOW,
    )


@pytest.mark.covers("TURN-63..75", "TURN-80..90", "TURN-25..28")
def test_the_export_has_the_structure_of_the_source() -> None:
    empty = export(CommitTurn(turn_id="t"), GatheredTurn())
    assert empty.model_dump(mode="json") == {
        "export_id": ULID,
        "turn_id": "turn_1",
        "agent_id": "agt_1",
        "timestamp": "2026-01-02T00:00:00Z",
        "turn_summary": {
            "duration_ms": 0,
            "user_input": "",
            "assistant_response": "",
            "urgency": "MEDIUM",
            "success": True,
        },
        "episodic_exports": [],
        "fc_updates": {
            "completed_goals": [],
            "updated_goals": {},
            "completed_actions": [],
            "updated_actions": {},
            "new_actions": [],
            "story_updates": [],
        },
        "scratch_page_updates": {
            "archived_observations": [],
            "updated_observations": {},
            "cleared_observations": [],
            "new_observations": [],
        },
        "conversation_update": {"user_input": "", "assistant_response": "", "turn_summary": ""},
        "metadata": {
            "daemons_activated": [],
            "tools_executed": [],
            "errors": [],
            "warnings": [],
            "budget_used": 0,
            "budget_total": 0,
            "discarded": [],
            "archived": [],
        },
        "provenance": {
            "source": "prefrontal",
            "turn_id": "turn_1",
            "session_id": None,
            "space_id": "spc_1",
            "outcome_id": None,
        },
    }
    command = CommitTurn(
        turn_id="t",
        user_input="Rain?",
        assistant_response="Yes",
        urgency="LOW",
        daemons_activated=("watcher",),
        warnings=("slow",),
        budget_used=11,
        budget_total=10,
        errors=(StateDraft(content="no map"),),
        events=(StateDraft(content="It rained", importance=0.4, data={"mm": 3}, tags=("sky",)),),
    )
    gathered = GatheredTurn(began_at=NOW - timedelta(seconds=2), called=(call(), call("map", error="gone")))
    full = export(command, gathered)
    assert (full.turn_summary.duration_ms, full.turn_summary.urgency) == (2000, "LOW")
    assert full.conversation_update.user_input == full.turn_summary.user_input == "Rain?"
    assert [each.model_dump(mode="json") for each in full.episodic_exports] == [
        {
            "type": "event",
            "data": {
                "content": "It rained",
                "data": {"mm": 3},
                "provenance": {"source": "event", "turn_id": "turn_1", "origin_id": "events[0]"},
            },
            "importance": 0.4,
            "tags": ["sky"],
        }
    ]
    assert full.metadata.tools_executed == ["search", "map"]
    assert full.metadata.errors == ["map: gone", "no map"]
    assert full.metadata.warnings == ["slow", "the turn used 11 tokens of a budget of 10"]
    assert [(each.origin, each.rule) for each in full.metadata.discarded] == [
        ("search", "importance"),
        ("map", "importance"),
        ("errors[0]", "importance"),
    ]


@pytest.mark.covers("TURN-90")
@pytest.mark.parametrize(
    "wrong",
    [
        {"export_id": "x"},
        {"timestamp": "2026-01-02T00:00:00"},
        {"more": 1},
        {"turn_summary": {"duration_ms": -1}},
        {"episodic_exports": [{"type": "dream", "data": {}, "importance": 0.5, "tags": []}]},
        {"episodic_exports": [{"type": "event", "data": {}, "importance": 1.5, "tags": []}]},
    ],
)
def test_what_violates_the_structure_is_refused(wrong: dict[str, Any]) -> None:
    right = export(CommitTurn(turn_id="t"), GatheredTurn()).model_dump(mode="json")
    with pytest.raises(ValidationError):
        StateExport.model_validate(right | wrong)


def test_the_same_export_has_the_same_bytes_and_comes_back_whole() -> None:
    event = StateDraft(content="Émile é", importance=0.9, data={"b": 1, "a": {"z": 1, "y": 2}})
    command = CommitTurn(turn_id="t", events=(event,))
    one = export(command, GatheredTurn())
    other = StateExport.model_validate_json(one.text())
    assert other == one
    assert other.text() == one.text()
    assert "Émile é" in one.text()
    assert '"additionalProperties": false' in schema_text()


@pytest.mark.covers("TURN-116..118")
def test_the_summary_says_what_was_said_decided_and_done() -> None:
    command = CommitTurn(
        turn_id="t",
        user_input="  Rain\ntoday? " + "x" * 300,
        completed_goals=({"id": "goal_1", "reason": "done"},),
        outcome=OutcomeDraft(success=False, result="no map"),
    )
    called = (call("map", error="gone"), call("map", error="gone"), call())
    done = [{"goal": "goal_1", "unchanged": False}]
    lines = summary_of(command, called, done, success=False, most=2000).split("\n")
    assert lines[0].startswith("User: Rain today? xxx")
    assert len(lines[0]) == len("User: ") + 200
    assert lines[1:] == [
        "Decisions: 1 goal completed (done)",
        "Tools: map (failed), search (worked)",
        "Outcome: failed, no map",
    ]
    assert summary_of(command, called, done, success=False, most=10) == "User: Rain"


@pytest.mark.covers("TURN-117")
def test_the_summary_says_what_became_of_each_decision_in_words_of_its_own() -> None:
    """What was refused, has no effect or is to come is not said as done, and no refused text is quoted."""
    command = CommitTurn(
        turn_id="t",
        progress=({"goal_id": "goal_1", "delta": 1, "note": "Over the top"},),
        new_actions=({"title": "The secret", "type": "agent_task"}, {"title": "Row", "type": "agent_task"}),
        completed_actions=({"id": "act_1"}, {"id": "act_2"}),
    )
    path = ["progress[0]", "newActions[0]", "newActions[1]", "completedActions[0]", "completedActions[1]"]
    assert [each.path for each in command.deltas] == path
    forgotten = {"problem": {"code": "forgotten"}}
    told = [
        {"before": 1.0, "after": 1.0},
        forgotten,
        {"action": "act_3", "created": True},
        {"action": "act_1", "status": "completed", "unchanged": True},
        {"action": "act_2", "status": "pending", "unchanged": False},
    ]
    said = summary_of(command, (), told, success=True, most=2000)
    assert said == (
        "Decisions: 1 action added (Row); 1 action completed before; 1 action failed; "
        "1 step towards goals without effect\n"
        "Refused: 1 action to be added (forgotten)\n"
        "Outcome: succeeded"
    )
    waits = summary_of(command, (), [None] * 5, success=True, most=2000)
    assert waits == (
        "Not stored yet: 2 actions to be added; 2 actions to be completed; 1 step towards goals\n"
        "Outcome: succeeded"
    )
    assert caught_up(waits, command.deltas, told, most=2000) == said
    assert caught_up(said, command.deltas, [forgotten] * 5, most=2000) == said
