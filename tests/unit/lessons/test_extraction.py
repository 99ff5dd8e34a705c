"""Extraction: what feedback and calls teach, by the examples of source 000."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.lessons.extraction import (
    RuleExtractor,
    drafts_of,
    error_kind,
    failures_of,
    is_conflicting,
)
from prefrontal.graph.lessons.record import Call, Claim, LessonKind, LessonSource, TurnEvidence
from tests.unit.lessons.given import STOP_WORDS, TABLE, call, finding, learned, statements

LIMIT = "Rate limit exceeded"
FALLBACK = "weather_api has rate limits; use web_search as fallback"


@pytest.mark.covers("OUT-16")
def test_what_worked_is_a_lesson() -> None:
    (lesson,) = learned(what_worked=("Weather API is reliable",))
    assert lesson.statement == "What worked: Weather API is reliable"
    assert lesson.source is LessonSource.FEEDBACK
    assert lesson.holds
    assert not lesson.conflicting


@pytest.mark.covers("OUT-24")
def test_what_could_improve_is_a_lesson_too() -> None:
    text = "Weather API has rate limits, use web search as fallback"
    (lesson,) = learned(what_could_improve=(text,))
    assert lesson.statement == f"What could improve: {text}"
    assert lesson.says is LessonKind.IMPROVE
    assert not lesson.holds


@pytest.mark.covers("OUT-17")
@pytest.mark.parametrize("text", ["", "  ", "!?", "\n"])
def test_a_text_without_a_word_is_no_lesson(text: str) -> None:
    assert learned(what_worked=(text,), what_could_improve=(text,)) == ()


@pytest.mark.covers("OUT-25")
def test_a_failed_tool_and_one_that_then_worked_are_a_fallback() -> None:
    """Example 3 of source 000."""
    found = learned(
        call("weather_api", LIMIT, location="Paris"),
        call("web_search", query="weather in Paris"),
        result="Weather provided",
        what_worked=("Web search fallback",),
        what_could_improve=("Implement rate limit handling",),
    )
    assert [lesson.statement for lesson in found] == [
        "What worked: Web search fallback",
        "What could improve: Implement rate limit handling",
        FALLBACK,
    ]
    fallback = found[-1]
    assert {"lesson", "weather_api", "web_search", "rate limit", "Paris"} <= {*fallback.tags}
    assert fallback.tools == ("weather_api", "web_search")
    assert fallback.evidence == (
        "weather_api-Paris-Rate limit exceeded",
        "web_search-weather in Paris-ok",
    )
    assert fallback.claims == (
        Claim(subject="fallback:weather_api>web_search", holds=True),
        Claim(subject="tool:weather_api", holds=False),
        Claim(subject="tool:web_search", holds=True),
    )
    assert not is_conflicting(found)


def test_the_feedback_says_what_kind_of_error_it_was() -> None:
    calls = call("weather_api", "oops"), call("web_search")
    assert statements(*calls) == ["weather_api fails; use web_search as fallback"]
    assert FALLBACK in statements(*calls, what_could_improve=("Handle rate limits",))


def test_calls_that_worked_say_that_the_tool_is_reliable() -> None:
    """Example 1 of source 000."""
    (lesson,) = learned(call("weather_api", location="Paris"), result="Weather provided")
    assert lesson.statement == "weather_api is reliable for location queries"
    assert lesson.source is LessonSource.LOG
    assert lesson.tags == ("lesson", "weather_api", "location", "Paris")


@pytest.mark.covers("OUT-26")
def test_several_calls_for_several_values_work_in_one_turn() -> None:
    """Example 2 of source 000."""
    cities = [call("weather_api", location=city) for city in ("Paris", "London", "Tokyo")]
    assert statements(*cities) == [
        "weather_api is reliable for location queries",
        "weather_api can be called for several locations in one turn",
    ]
    assert all(lesson.source is LessonSource.LOG for lesson in learned(*cities))
    assert statements(*cities[:2]) == ["weather_api is reliable for location queries"]


@pytest.mark.covers("OUT-27")
@pytest.mark.parametrize("success", [True, False])
def test_a_turn_without_feedback_and_calls_teaches_nothing(success: bool) -> None:
    assert learned(success=success, result="Weather provided") == ()


def test_a_failure_teaches_too() -> None:
    (lesson,) = learned(call("weather_api", "Request timed out"), success=False)
    assert (lesson.statement, lesson.says, lesson.holds) == (
        "weather_api times out",
        LessonKind.FAILURE,
        False,
    )


def test_what_failed_after_the_first_failure_is_no_fallback() -> None:
    lessons = learned(call("a", "timeout"), call("b", LIMIT), call("a", "timeout"), success=False)
    assert [lesson.statement for lesson in lessons] == ["a times out", "b has rate limits"]
    assert lessons[0].implied == (
        Claim(subject="fallback:a>b", holds=False),
        Claim(subject="retry:a", holds=False),
    )


def test_trying_again_is_a_lesson() -> None:
    assert statements(call("a", "timeout", city="Oslo"), call("a", city="Oslo")) == [
        "a times out; trying again works"
    ]
    assert statements(call("a", "not found", city="Osloo"), call("a", city="Oslo")) == [
        "a does not find everything; trying again with another city works"
    ]


def test_what_came_before_a_failure_does_not_make_up_for_it() -> None:
    (failure,) = failures_of(finding(call("b"), call("a", "timeout")), TABLE)
    assert failure.worked is None


@pytest.mark.covers("OUT-28")
def test_what_worked_and_failed_is_kept_and_marked() -> None:
    lessons = learned(what_worked=("Caching",), what_could_improve=("The caching",))
    assert [lesson.conflicting for lesson in lessons] == [True, True]
    assert [lesson.statement for lesson in lessons] == [
        "What worked: Caching",
        "What could improve: The caching",
    ]
    assert is_conflicting(lessons)


@pytest.mark.covers("OUT-28")
def test_praise_of_a_turn_that_failed_is_marked() -> None:
    praise, advice = learned(success=False, what_worked=("Caching",), what_could_improve=("Ask first",))
    assert (praise.conflicting, advice.conflicting) == (True, False)


@pytest.mark.covers("OUT-28")
def test_praise_of_a_tool_that_failed_is_marked() -> None:
    lessons = learned(call("weather_api", LIMIT), what_worked=("Weather API is reliable",))
    assert [lesson.conflicting for lesson in lessons] == [True, True]
    assert lessons[0].subject == lessons[1].subject == "tool:weather_api"


@pytest.mark.parametrize(
    ("worked", "improve"),
    [("Caching helps", "Ask the user first"), ("Not guessing", "Guessing"), ("Asking", "Not asking")],
)
def test_what_does_not_conflict(worked: str, improve: str) -> None:
    lessons = learned(what_worked=(worked,), what_could_improve=(improve,))
    opposite = worked == "Asking"
    assert is_conflicting(lessons) is opposite


def test_advice_about_a_tool_does_not_say_that_it_fails() -> None:
    advice, *_ = learned(call("weather_api"), what_could_improve=("Call the weather API earlier",))
    assert advice.subject.startswith("text:")
    failing, *_ = learned(call("weather_api"), what_could_improve=("The weather API is broken",))
    assert (failing.subject, failing.holds) == ("tool:weather_api", False)


@pytest.mark.covers("OUT-21")
def test_lessons_are_tagged_with_what_they_are_about() -> None:
    (lesson,) = learned(what_worked=("Weather API is reliable",))
    assert lesson.tags == ("lesson", "weather", "api", "reliable")


@pytest.mark.covers("OUT-30")
def test_equal_texts_are_one_lesson() -> None:
    (lesson,) = learned(what_worked=("Ask first", " ask  FIRST", "Asks first."))
    assert lesson.statement == "What worked: Ask first"


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Rate limit exceeded", "rate_limit"),
        ("rate-limited", "rate_limit"),
        ("HTTP 429", "rate_limit"),
        ("Request timed out after 3 s", "timeout"),
        ("404: city not found", "not_found"),
        ("Invalid response: no JSON", "invalid_response"),
        ("401 Unauthorized", "unauthorised"),
        ("Boom", "other"),
        ("accurate limits", "other"),
        (None, "other"),
    ],
)
def test_the_kind_of_an_error(message: str | None, kind: str) -> None:
    assert error_kind(message, TABLE) == kind


def test_a_turn_teaches_a_bounded_number_of_lessons_from_its_calls() -> None:
    assert len(learned(*(call(f"tool{number}") for number in range(50)))) == TABLE.most_from_calls


def test_the_extractor_is_the_rules() -> None:
    one = finding(call("weather_api", location="Paris"), what_worked=("Asking first",))
    found = asyncio.run(RuleExtractor(TABLE, STOP_WORDS).extract(one))
    assert found == drafts_of(one, TABLE, STOP_WORDS)


tools = st.sampled_from(["weather_api", "web_search", "maps"])
errors = st.sampled_from([None, None, LIMIT, "timeout", "boom"])
calls = st.lists(st.builds(lambda tool, error, city: call(tool, error, city=city), tools, errors, st.text()))
texts = st.lists(
    st.text(max_size=80) | st.sampled_from(["Weather API is reliable", "Not caching"]), max_size=4
)
findings = st.builds(
    lambda made, success, worked, improve: finding(
        *made, success=success, what_worked=tuple(worked), what_could_improve=tuple(improve)
    ),
    calls,
    st.booleans(),
    texts,
    texts,
)


@given(findings)
def test_every_lesson_can_be_stored(one: TurnEvidence) -> None:
    """No text is empty or too long, each lesson is there once, and the evidence are calls of the turn."""
    lessons = drafts_of(one, TABLE, STOP_WORDS)
    assert len({lesson.key for lesson in lessons}) == len(lessons)
    for lesson in lessons:
        assert lesson.statement.strip()
        assert len(lesson.statement) <= TABLE.longest
        assert lesson.tags[0] == "lesson"
        assert {*lesson.tools} <= {*lesson.tags}
        assert {*lesson.evidence} <= {each.invocation_uid for each in one.calls}
    assert lessons == drafts_of(one, TABLE, STOP_WORDS)


@given(calls)
def test_each_tool_that_failed_teaches_exactly_one_lesson(made: list[Call]) -> None:
    lessons = learned(*made, success=False)
    failed = {each.tool for each in made if each.failed}
    assert sorted(lesson.tools[0] for lesson in lessons) == sorted(failed)
    for lesson in lessons:
        assert any(not claim.holds and claim.subject == f"tool:{lesson.tools[0]}" for claim in lesson.claims)
