"""How well texts match words: worked values, and what must not matter."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.text.relevance import relevance

TEXT = st.text(max_size=60) | st.lists(st.sampled_from(["tea", "red", "wine", "a"]), max_size=8).map(" ".join)


def test_worked_scores() -> None:
    # Both texts have two words, as the average; one of two texts has the word.
    rarity = math.log(1 + 1.5 / 1.5)
    assert relevance(["tea"], ["tea pot", "red wine"]) == pytest.approx([rarity * 2.2 / 2.2, 0.0])
    # Twice in four words, among texts of three words each on average.
    rarity, room = math.log(1 + 1.5 / 1.5), 1.2 * (0.25 + 0.75 * 4 / 3)
    assert relevance(["tea"], ["tea and tea pot", "red wine"])[0] == pytest.approx(rarity * 4.4 / (2 + room))


def test_more_often_in_fewer_words_and_rarer_words_come_first() -> None:
    texts = ["a long note about red wine and other things", "red wine", "red wine, red wine", "tea"]
    scores = relevance(["wine", "red"], texts)
    assert scores[2] > scores[1] > scores[0] > scores[3] == 0
    rare, *common = relevance(["tea", "wine"], ["tea x", "wine x", "wine x", "wine x"])
    assert rare > max(common)


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("PARIS", "Paris in May", True),
        ("(wine)!", "Red Wine, please", True),
        ("foo-bar", "a foo bar", True),
        ("foo-bar", "a foo", False),
        ("deploy_prod", "deploy_prod failed", True),
        ("win", "wine", False),
        ("红酒", "我想喝红酒", True),
        ("\uff37ine", "wine", True),
        ("...", "...", False),
    ],
)
def test_what_a_word_matches(word: str, text: str, found: bool) -> None:
    assert (relevance([word], [text, "nothing"])[0] > 0) is found


@given(st.lists(TEXT, max_size=5), st.lists(TEXT, max_size=6))
def test_equal_texts_score_alike_and_the_order_of_texts_does_not_matter(
    words: list[str], texts: list[str]
) -> None:
    scores = relevance(words, texts)
    again = relevance(words, [*reversed(texts)])
    assert all(score >= 0 and math.isfinite(score) for score in scores)
    assert scores == pytest.approx([*reversed(again)])
    assert all(
        scores[i] == scores[j] for i, one in enumerate(texts) for j, other in enumerate(texts) if one == other
    )
