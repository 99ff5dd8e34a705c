"""Subject words: what a text is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import Settings
from prefrontal.graph.text.words import pieces_of, stem, stems_of, subject_words, words_of

STOPS = stems_of(load_catalog(Settings().registry_dir).goals.topics.stop_words)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Wines, a wine and Burgundy wines", ("wine", "burgundi")),
        ("User prefers Burgundy wines", ("burgundi", "wine")),
        ("User mentioned budget constraint: $50", ("budget", "constraint")),
        ("What is it that they want to do?", ()),
        ("2025 50", ()),
        ("Prüfung in Köln", ("prüfung", "köln")),
        ("", ()),
    ],
)
def test_subject_words(text: str, about: tuple[str, ...]) -> None:
    assert subject_words(text, STOPS) == about


def test_endings_make_no_difference() -> None:
    assert stem("wines") == stem("wine")
    assert subject_words("Constraints", STOPS) == subject_words("constraint", STOPS)


@given(st.text())
def test_any_text_has_words_and_case_does_not_matter(text: str) -> None:
    assert words_of(text.casefold()) == words_of(text) or not text.isascii()
    assert all(words_of(text))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", ()),
        ("Red wine", ("red", "wine")),
        ("東京都", ("東京", "京都")),
        ("東", ("東",)),
        ("in 東京 2024年に", ("in", "東京", "2024", "年に")),
    ],
)
def test_scripts_without_spaces_are_split_into_pairs(text: str, pieces: tuple[str, ...]) -> None:
    assert pieces_of(text) == pieces
