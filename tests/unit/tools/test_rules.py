"""How a call of a tool counts, and how its result is stored."""

from __future__ import annotations

import hashlib
import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.errors import TooLarge
from prefrontal.graph.tools.record import InvocationDraft, InvocationStatus
from prefrontal.graph.tools.rules import NO_MESSAGE, digest_of, response_of, result_problems, stored

LIMITS = load_catalog(ROOT / "registry").limits
MOST = LIMITS.tool_result_characters
SUCCESS, FAILED = InvocationStatus.SUCCESS, InvocationStatus.FAILED

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def call(**fields: Any) -> InvocationDraft:
    return InvocationDraft(tool="weather_api", **fields)


@pytest.mark.covers("TOOL-13..16")
@pytest.mark.parametrize(
    ("result", "status", "error"),
    [
        ({"temperature": 15}, SUCCESS, None),
        ({}, SUCCESS, None),
        ({"error": None, "rows": []}, SUCCESS, None),
        ({"error": False}, SUCCESS, None),
        ({"errors": ["one"]}, SUCCESS, None),
        ({"error": "Rate limit exceeded"}, FAILED, "Rate limit exceeded"),
        ({"error": ""}, FAILED, NO_MESSAGE),
        ({"error": "  "}, FAILED, NO_MESSAGE),
        ({"error": True}, FAILED, "true"),
        ({"error": {"code": 429, "message": "Too many"}}, FAILED, "Too many"),
        ({"error": {"code": 429}}, FAILED, '{"code": 429}'),
        ({"error": ["a", "b"]}, FAILED, '["a", "b"]'),
    ],
)
def test_a_result_with_an_error_is_a_failure(
    result: dict[str, Any], status: InvocationStatus, error: str | None
) -> None:
    response = response_of(call(result=result), LIMITS)

    assert (response.status, response.error) == (status, error)
    if status is FAILED:
        # What the tool said itself stays as it was.
        assert response.result["error"] == (NO_MESSAGE if error == NO_MESSAGE else result["error"])
    else:
        assert response.result == result


@pytest.mark.covers("TOOL-21")
@pytest.mark.parametrize(
    ("result", "error", "kept"),
    [
        (None, "invalid response: no result", {}),
        ("done", "invalid response: a text instead of an object", {"raw": "done"}),
        ([1, 2], "invalid response: a list instead of an object", {"raw": [1, 2]}),
        (True, "invalid response: a truth value instead of an object", {"raw": True}),
        (0, "invalid response: a number instead of an object", {"raw": 0}),
        ({"x": math.nan}, "invalid response: it is not JSON", {"raw": "{'x': nan}"}),
        ({"x": "\ud800"}, "invalid response: it is not JSON", {"raw": "{'x': '\\ud800'}"}),
        ({"error": math.inf}, "invalid response: it is not JSON", {"raw": "{'error': inf}"}),
    ],
)
def test_a_response_that_is_no_object_in_json_is_a_failure_with_the_raw_value(
    result: Any, error: str, kept: dict[str, Any]
) -> None:
    response = response_of(call(result=result), LIMITS)

    assert (response.status, response.error) == (FAILED, error)
    assert response.result == {**kept, "error": error}


@pytest.mark.covers("TOOL-20")
def test_a_timeout_is_a_failure_that_says_timeout() -> None:
    timed_out = [
        call(timed_out=True),
        call(timed_out=True, execution_time_ms=30_000),
        call(timed_out=True, error="gateway"),
        call(timed_out=True, result={"partial": 1}),
    ]

    responses = [response_of(each, LIMITS) for each in timed_out]

    assert {response.status for response in responses} == {FAILED}
    assert [response.error for response in responses] == [
        "timeout: no answer",
        "timeout: no answer within 30000 ms",
        "timeout: no answer; gateway",
        "timeout: no answer",
    ]
    assert responses[3].result == {"partial": 1, "error": "timeout: no answer"}


def test_an_error_beside_the_result_is_a_failure() -> None:
    response = response_of(call(error="refused", result={"rows": 1}), LIMITS)
    assert response == (FAILED, "refused", {"rows": 1, "error": "refused"})
    assert response_of(call(error=""), LIMITS).error == NO_MESSAGE
    # A long one is cut; the result keeps it whole.
    long = "x" * (LIMITS.description_characters + 1)
    response = response_of(call(result={"error": long}), LIMITS)
    assert response.error == long[:-1]
    assert response.result["error"] == long


@given(values)
def test_every_value_is_recorded_and_what_failed_has_an_error(value: Any) -> None:
    response = response_of(call(result=value), LIMITS)
    failed = response.status is FAILED
    assert failed == bool(response.error)
    if failed:
        assert response.result["error"]
    # What is stored reads back as it was.
    kept = stored(response.result, part=7, preview=3)
    text = "".join(kept.parts) or kept.text
    assert json.loads(text) == response.result
    assert all(1 <= len(part) <= 7 for part in kept.parts)
    assert kept.size == len(text.encode())


@pytest.mark.covers("TOOL-05", "TOOL-10")
def test_a_long_result_is_stored_in_parts_with_its_digest() -> None:
    result = {"text": "é" * 95}
    text = json.dumps(result, ensure_ascii=False)

    kept = stored(result, part=40, preview=12)

    assert [len(part) for part in kept.parts] == [40, 40, len(text) - 80]
    assert "".join(kept.parts) == text
    assert kept.preview == text[:12]
    assert (kept.size, kept.digest) == (len(text.encode()), hashlib.sha256(text.encode()).hexdigest())
    assert stored(result, part=len(text), preview=12).parts == ()


def test_what_is_too_long_or_too_deep_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(40):
        deep = {"x": deep}
    assert result_problems({"x": "y" * 100}, "result", 200) == []
    assert result_problems({"x": math.nan}, "result", 200) == []
    for wrong in ({"x": "y" * 200}, deep, ["y" * 200]):
        (problem,) = result_problems(wrong, "result", 200)
        assert isinstance(problem, TooLarge)
        assert problem.field == "result"


def test_equal_calls_have_equal_digests() -> None:
    first = call(parameters={"a": 1, "b": 2}, result={"x": 1}, client_key="k")
    assert digest_of(first) == digest_of(
        call(parameters={"b": 2, "a": 1}, result={"x": 1}, client_key="other")
    )
    others = [
        call(parameters={"a": 1, "b": 2}, result={"x": 2}),
        call(parameters={"a": 1}, result={"x": 1}),
        call(parameters={"a": 1, "b": 2}, result={"x": 1}, error="no"),
    ]
    assert len({digest_of(each) for each in [first, *others]}) == 4
