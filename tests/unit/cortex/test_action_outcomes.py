"""Which results say that an action failed, and where a failed action goes."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from prefrontal.graph.cortex.actions.outcomes import is_failed_result
from prefrontal.graph.cortex.actions.rules import transition
from prefrontal.graph.errors import IllegalTransition, OwnerViolation
from prefrontal.graph.registry.definitions import ActionType
from tests.unit.cortex.test_action_rules import LATER, TYPES, action, move

FAILED: list[dict[str, Any]] = [
    {"ok": False},
    {"success": False, "rows": 3},
    {"succeeded": False},
    {"failed": True},
    {"failure": True},
    {"status": "failed"},
    {"status": " Error "},
    {"outcome": "FAILURE"},
    {"error": "no connection"},
    {"errors": [{"code": 7}]},
    {"ok": True, "status": "failed"},
]
WELL: list[dict[str, Any] | None] = [
    None,
    {},
    {"ok": True},
    {"ok": None},
    {"ok": 0},
    {"failed": False},
    {"failed": 0},
    {"failed": 2, "passed": 40},
    {"status": "done"},
    {"status": 500},
    {"error": None},
    {"error": ""},
    {"errors": []},
    {"ok": True, "errors": ["one of ten was skipped"]},
    {"log": {"ok": False}},
]


@pytest.mark.covers("ACT-42")
@pytest.mark.parametrize("result", FAILED)
def test_a_result_that_says_it_failed_completes_nothing(result: dict[str, Any]) -> None:
    assert is_failed_result(result)
    given = action(status="in_progress")

    after = transition(given, move("completed", user=False, result=result), TYPES["agent_task"], LATER)

    assert (after.status, after.result, after.version) == ("pending", result, 2)
    assert (after.completed_at, after.archived_at) == (None, None)
    # The same again changes nothing.
    again = move("completed", user=False, result=result)
    assert transition(after, again, TYPES["agent_task"], LATER) is after


@pytest.mark.parametrize("result", WELL)
def test_any_other_result_completes_the_action(result: dict[str, Any] | None) -> None:
    assert not is_failed_result(result)
    after = transition(action(), move("completed", user=False, result=result), TYPES["agent_task"], LATER)
    assert (after.status, after.result) == ("completed", result)


@pytest.mark.covers("ACT-42")
def test_a_type_names_where_a_failure_leads() -> None:
    kind = TYPES["agent_task"].model_copy(update={"failure_status": "blocked"})
    failed = move("completed", user=False, result={"ok": False})

    assert transition(action(status="in_progress"), failed, kind, LATER).status == "blocked"
    for wrong in ("completed", "cancelled", "asleep"):
        with pytest.raises(ValidationError, match="failure_status"):
            ActionType.model_validate(TYPES["agent_task"].model_dump() | {"failure_status": wrong})


def test_who_may_not_complete_an_action_reports_no_failure_of_it() -> None:
    failed = {"result": {"ok": False}}
    with pytest.raises(OwnerViolation):
        transition(action("user_task"), move("completed", user=False, **failed), TYPES["user_task"], LATER)
    assert transition(action("user_task"), move("completed", **failed), TYPES["user_task"], LATER).result
    with pytest.raises(IllegalTransition):
        # A job that does not run cannot fail.
        transition(
            action("background_job"), move("completed", user=False, **failed), TYPES["background_job"], LATER
        )
