"""Where long texts are divided: at ends of paragraphs, lines and sentences, never inside a word that fits."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefrontal.graph.text.passages import passages_of, size_of

TEXTS = st.text(
    st.one_of(
        st.sampled_from(list(' \n\r\t.!?。…"”é茶が\u0301\u200d👩')), st.characters(exclude_categories=["Cs"])
    ),
    max_size=400,
)


def parts(text: str, most: int) -> list[str]:
    return [text[start:end] for start, end in passages_of(text, most)]


@given(TEXTS, st.integers(4, 80))
@example("a" * 9 + "\u0301" * 30, 8)
@example(" \n \n ", 4)
@example("x y" + " " * 50 + "z", 4)
def test_passages_cover_the_text_in_order_but_for_white_space(text: str, most: int) -> None:
    place = 0
    for start, end in passages_of(text, most):
        assert not text[place:start].strip()
        assert 0 < size_of(text[start:end]) <= most
        assert text[start:end] == text[start:end].strip()
        place = end
    assert not text[place:].strip()


@given(st.lists(st.text("abcé茶", min_size=1, max_size=5), min_size=1, max_size=60), st.integers(15, 60))
def test_no_passage_is_cut_inside_a_word_that_fits(words: list[str], most: int) -> None:
    assert " ".join(parts(" ".join(words), most)).split() == words


@given(TEXTS)
def test_a_text_that_fits_is_one_passage(text: str) -> None:
    assert parts(text, max(4, size_of(text))) == ([text.strip()] if text.strip() else [])


@given(TEXTS)
def test_the_size_is_that_of_utf_8(text: str) -> None:
    assert size_of(text) == len(text.encode())


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        # A paragraph ends before a line, a line before a sentence, as far as the passage is half full.
        ("One two. Three.\n\nFour.\nFive six. Seven", 32, ["One two. Three.", "Four.\nFive six. Seven"]),
        ("One two. Three.\nFour five. Six seven", 28, ["One two. Three.", "Four five. Six seven"]),
        ("One.\n\nTwo three four. Five six", 26, ["One.\n\nTwo three four.", "Five six"]),
        ("One two three. Four five six", 16, ["One two three.", "Four five six"]),
        ('He said "go on." And so they went', 20, ['He said "go on."', "And so they went"]),
        # A full stop inside a number or a name ends nothing.
        ("It costs 3.50 or 4.20 in all", 16, ["It costs 3.50 or", "4.20 in all"]),
        (
            "茶は五時です。水は六時に来ます。火は七時。",
            36,
            ["茶は五時です。", "水は六時に来ます。", "火は七時。"],
        ),
        # Without any end between words: after the last character that fits, with its accents.
        ("茶" * 5, 7, ["茶茶", "茶茶", "茶"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("aae\u0301e\u0301", 5, ["aae\u0301", "e\u0301"]),
        ("aaae\u0301e\u0301", 4, ["aaa", "e\u0301", "e\u0301"]),
        ("one" + " " * 90 + "two", 8, ["one", "two"]),
        ("", 8, []),
    ],
)
def test_worked_values(text: str, most: int, expected: list[str]) -> None:
    assert parts(text, most) == expected


def test_a_passage_can_have_any_character() -> None:
    with pytest.raises(ValueError, match="at least 4 bytes, not 3"):
        passages_of("tea", 3)
