"""The figures of a world of notes: how many questions are answered, and what else is found."""

from __future__ import annotations

import pytest

from bench.agent import Included
from bench.everyday import Answer, of_world

NOTHING = Included([], [], 0)


def answer(*found: str, answers: tuple[str, ...] = ("a",), related: tuple[str, ...] = ()) -> Answer:
    question = {"answers": list(answers), "related": list(related)}
    return Answer(question, tuple((uid, 0.5) for uid in found), 1.0, NOTHING)


def test_a_related_note_is_no_answer_and_to_the_point() -> None:
    answers = [
        answer("a"),
        answer("b", "a"),
        answer("b", "a", related=("b",)),
        answer("b", "c", "d", "a"),
        answer(),
        # What nothing answers is not counted.
        answer("b", answers=()),
    ]
    found = of_world(answers)

    assert (found.questions, found.answered, found.found_else, found.beside_the_point) == (5, 3, 3, 2)


@pytest.mark.parametrize(
    ("missing", "other", "related", "right", "to_the_point"),
    [
        (0, 0, 0, True, True),
        (1, 1, 0, True, True),
        (2, 0, 0, False, False),
        (0, 2, 0, False, False),
        (0, 0, 2, False, True),
        (1, 1, 3, False, True),
    ],
)
def test_one_of_twelve_may_be_missing_and_one_may_find_something_else(
    missing: int, other: int, related: int, right: bool, to_the_point: bool
) -> None:
    answers = [
        *[answer()] * missing,
        *[answer("a", "b")] * other,
        *[answer("a", "b", related=("b",))] * related,
        *[answer("a")] * (12 - missing - other - related),
    ]
    found = of_world(answers)

    assert (found.right, found.to_the_point) == (right, to_the_point)
