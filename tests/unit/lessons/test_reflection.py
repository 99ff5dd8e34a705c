"""Evaluation of a turn, and patterns over several."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given

from prefrontal.graph.lessons.record import PatternKind, TurnEvidence
from prefrontal.graph.lessons.reflection import RuleReflector, evaluate, patterns
from tests.unit.lessons.given import STOP_WORDS, TABLE, call, finding
from tests.unit.lessons.test_extraction import findings

LIMIT = "Rate limit exceeded"
FAILED = call("weather_api", LIMIT, location="Paris")


def test_a_turn_that_went_well_has_no_issues() -> None:
    found = evaluate(finding(call("weather_api")), TABLE)
    assert (found.success, found.issues, found.needs_follow_up, found.follow_up) == (True, (), False, None)


def test_the_issues_of_a_turn() -> None:
    one = finding(FAILED, call("web_search"), what_could_improve=("Handle rate limits", " "))
    found = evaluate(one, TABLE)
    assert [(issue.code, issue.message, issue.recovered) for issue in found.issues] == [
        ("tool_failed", "weather_api has rate limits", True),
        ("could_improve", "Handle rate limits", False),
    ]
    assert (found.issues[0].tool, found.issues[0].error) == ("weather_api", "rate_limit")
    assert not found.needs_follow_up


def test_conflicting_feedback_is_an_issue() -> None:
    one = finding(success=False, what_worked=("Caching",))
    assert [issue.code for issue in evaluate(one, TABLE).issues] == ["conflicting_feedback"]


@pytest.mark.parametrize(
    ("one", "follow_up"),
    [
        (finding(FAILED, success=False), "Find another way: weather_api has rate limits"),
        (
            finding(FAILED, call("web_search"), success=False, what_could_improve=("Ask first",)),
            "Ask first",
        ),
        (finding(success=False, result="No answer"), "Follow up on what failed: No answer"),
        (finding(success=False), "Follow up on the turn that failed"),
    ],
)
def test_a_turn_that_failed_needs_a_follow_up(one: TurnEvidence, follow_up: str) -> None:
    found = evaluate(one, TABLE)
    assert (found.needs_follow_up, found.follow_up) == (True, follow_up)
    assert found.issues


def test_a_tool_that_fails_again_and_again_is_a_pattern() -> None:
    recent = [finding(FAILED, FAILED, success=False), finding(FAILED), finding(call("maps", "boom"))]
    assert patterns(recent, TABLE) == ()
    (pattern,) = patterns([*recent, finding(FAILED, call("maps"))], TABLE)
    assert (pattern.kind, pattern.tool, pattern.error) == (
        PatternKind.REPEATED_FAILURE,
        "weather_api",
        "rate_limit",
    )
    assert (pattern.turns, pattern.calls) == (3, 4)
    assert pattern.statement == "weather_api has rate limits: in 3 recent turns"


def test_a_fallback_that_works_again_and_again_is_a_pattern() -> None:
    failure, fallback = patterns([finding(FAILED, call("web_search"))] * 3, TABLE)
    assert failure.kind is PatternKind.REPEATED_FAILURE
    assert (fallback.kind, fallback.tool, fallback.other) == (
        PatternKind.REPEATED_FALLBACK,
        "weather_api",
        "web_search",
    )


def test_failures_of_another_kind_are_another_pattern() -> None:
    recent = [finding(FAILED), finding(FAILED), finding(call("weather_api", "timeout"))]
    assert patterns(recent, TABLE) == ()


def test_the_reflector_is_the_rules() -> None:
    reflector = RuleReflector(TABLE, STOP_WORDS)
    one = finding(FAILED, success=False)
    assert asyncio.run(reflector.evaluate(one)) == evaluate(one, TABLE, STOP_WORDS)
    assert asyncio.run(reflector.patterns([one] * 3)) == patterns([one] * 3, TABLE)


@given(findings)
def test_what_failed_needs_a_follow_up_and_has_an_issue(one: TurnEvidence) -> None:
    found = evaluate(one, TABLE, STOP_WORDS)
    assert found.needs_follow_up is (not one.success)
    assert found.success is one.success
    assert one.success or found.issues
    assert (found.follow_up is not None) is found.needs_follow_up
