"""Merging: what is the same, what contradicts, what is new."""

from __future__ import annotations

import pytest
from hypothesis import given

from prefrontal.graph.lessons.extraction import drafts_of, marked, unique
from prefrontal.graph.lessons.merging import ExistingLesson, cosine_of, is_near, merge
from prefrontal.graph.lessons.record import LessonDraft, LessonKind, LessonSource
from tests.unit.lessons.given import STOP_WORDS, TABLE, call, learned
from tests.unit.lessons.test_extraction import findings

LIMIT = "Rate limit exceeded"


def existing(draft: LessonDraft, uid: str = "les_1", *, forgotten: bool = False) -> ExistingLesson:
    return ExistingLesson(
        uid=uid,
        key=draft.key,
        statement=draft.statement,
        says=draft.says,
        source=draft.source,
        subject=draft.subject,
        holds=draft.holds,
        tools=draft.tools,
        forgotten=forgotten,
    )


RELIABLE = learned(call("weather_api", location="Paris"))
FAILS = learned(call("weather_api", LIMIT), success=False)
FALLBACK = learned(call("weather_api", LIMIT), call("web_search"))
PRAISE = learned(what_worked=("Weather API is reliable",))


@pytest.mark.covers("OUT-30")
def test_the_same_lesson_is_confirmed() -> None:
    merged = merge(learned(call("weather_api", location="Oslo")), [existing(RELIABLE[0])])
    assert (merged.new, dict(merged.confirmed)) == ((), {"les_1": (0,)})


@pytest.mark.covers("OUT-30")
def test_the_same_text_is_confirmed_also_under_another_subject() -> None:
    with_tool, _ = learned(call("weather_api"), what_worked=("weather API is  reliable",))
    assert with_tool.key != PRAISE[0].key
    assert dict(merge([with_tool], [existing(PRAISE[0])]).confirmed) == {"les_1": (0,)}


def test_another_aspect_is_another_lesson() -> None:
    assert merge(learned(call("weather_api", day="Monday")), [existing(RELIABLE[0])]).new == (0,)


@pytest.mark.parametrize("evidence", [FAILS, FALLBACK])
def test_a_failure_contradicts_that_the_tool_is_reliable(evidence: tuple[LessonDraft, ...]) -> None:
    merged = merge(evidence, [existing(RELIABLE[0])])
    assert merged.contradicted == ("les_1",)
    assert merged.conflicts == ((0, "les_1"),)
    assert merged.new == (0,)


def test_a_success_contradicts_the_failure_and_not_the_fallback() -> None:
    known = [existing(FAILS[0], "les_1"), existing(FALLBACK[0], "les_2")]
    assert merge(RELIABLE, known).contradicted == ("les_1",)


def test_a_fallback_that_fails_is_contradicted() -> None:
    both = learned(call("weather_api", LIMIT), call("web_search", "timeout"), success=False)
    assert merge(both, [existing(FALLBACK[0])]).contradicted == ("les_1",)


@pytest.mark.covers("OUT-28")
def test_new_lessons_that_contradict_each_other_are_all_new() -> None:
    both = learned(what_worked=("Caching",), what_could_improve=("Caching",))
    merged = merge(both, [])
    assert merged.new == (0, 1)
    assert merged.against_new == {0, 1}
    assert merged.conflicts_between == ((0, 1),)


def test_a_forgotten_lesson_is_not_learned_anew() -> None:
    merged = merge(RELIABLE, [existing(RELIABLE[0], forgotten=True)])
    assert (merged.new, dict(merged.confirmed), merged.contradicted) == ((), {}, ())
    assert merge(FAILS, [existing(RELIABLE[0], forgotten=True)]).contradicted == ()


@pytest.mark.covers("OUT-30")
def test_the_nearest_one_is_the_same_unless_the_words_are() -> None:
    assert dict(merge(PRAISE, [existing(FAILS[0], "les_9")], {0: "les_9"}).confirmed) == {"les_9": (0,)}
    known = [existing(FAILS[0], "les_9"), existing(PRAISE[0])]
    assert dict(merge(PRAISE, known, {0: "les_9"}).confirmed) == {"les_1": (0,)}


def test_what_is_near() -> None:
    one, other = PRAISE[0], existing(learned(what_worked=("The weather API is very reliable",))[0])
    assert is_near(one, other, 0.97, 0.97, TABLE)
    assert not is_near(one, other, 0.96, 0.97, TABLE)
    for what in (
        {"says": LessonKind.IMPROVE},
        {"holds": False},
        {"source": LessonSource.LOG},
        {"tools": ("weather_api",)},
        {"statement": "What worked: Weather API is not reliable"},
    ):
        assert not is_near(one, other._replace(**what), 1.0, 0.97, TABLE)


def test_what_calls_show_is_never_near() -> None:
    assert not is_near(RELIABLE[0], existing(RELIABLE[0]), 1.0, 0.97, TABLE)


def test_cosine() -> None:
    assert cosine_of((1, 0), (2, 0)) == pytest.approx(1)
    assert cosine_of((1, 1), (1, 0)) == pytest.approx(0.5**0.5)
    assert cosine_of((0, 0), (1, 0)) == 0


@given(findings)
def test_learning_the_same_again_makes_nothing_new(one: object) -> None:
    drafts = drafts_of(one, TABLE, STOP_WORDS)  # type: ignore[arg-type]
    known = [existing(draft, f"les_{place}") for place, draft in enumerate(drafts)]
    merged = merge(drafts, known)
    assert merged.new == ()
    assert sorted(place for places in merged.confirmed.values() for place in places) == list(
        range(len(drafts))
    )
    assert unique(drafts) == drafts
    assert marked(drafts, success=True) == drafts


@given(findings)
def test_a_draft_is_new_or_confirms_one_lesson(one: object) -> None:
    drafts = drafts_of(one, TABLE, STOP_WORDS)  # type: ignore[arg-type]
    merged = merge(drafts, [existing(RELIABLE[0], "les_1"), existing(FAILS[0], "les_2")])
    places = [*merged.new, *(place for places in merged.confirmed.values() for place in places)]
    assert sorted(places) == list(range(len(drafts)))
