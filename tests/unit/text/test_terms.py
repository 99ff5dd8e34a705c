"""Terms: stems of Latin words, grams of all others, symbols, and identifiers in one form."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prefrontal.graph.embedding.rules import renewed_terms
from prefrontal.graph.text.rarity import rarity
from prefrontal.graph.text.terms import every_term, index_form, is_latin, terms_of, weighted_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Red wines", ("red", "wine")),
        ("Grüße, Zoë's", ("grüsse", "zoë's")),
        ("東京都", ("東京", "京都", "東", "京", "都")),
        ("東", ("東",)),
        ("in 東京 2024年に", ("in", "東京", "東", "京", "2024", "年に", "年")),
        ("Ключи", ("клю", "люч", "ючи")),
        ("да", ("да",)),
        ("ร้าน", ("ร้", "้า", "าน")),
        ("열쇠가", ("열쇠", "쇠가")),
        ("🎂 for Ronja ☎️", ("🎂", "for", "ronja", "☎")),
        ("20 °C, © 2024 €", ("20", "c", "2024")),
        ("👍🏽", ("👍",)),
    ],
)
def test_worked_terms(text: str, terms: tuple[str, ...]) -> None:
    assert every_term(text) == terms


def test_an_inflected_word_has_most_grams_of_the_other_form() -> None:
    question, note = weighted_terms("Где ключи?", ()), set(every_term("Ключ висит за дверью"))

    assert {term for term in question if term in note} == {"клю", "люч"}
    # All grams of a word together weigh as much as one word, and what every question has weighs less.
    keys = sum(question[term] for term in ("клю", "люч", "ючи"))
    assert keys == pytest.approx(rarity("ключи"))
    assert question["где"] == rarity("где") < keys / 2
    assert rarity("зюзюка") == 1.0


def test_an_emoji_beside_words_weighs_little() -> None:
    weights = weighted_terms("When is Ronja's birthday? 🎂", {"when", "is"})

    assert weights["🎂"] < min(weight for term, weight in weights.items() if term != "🎂")


def test_the_index_has_words_as_they_are_and_signs_in_numbers() -> None:
    at = datetime(2027, 3, 14, tzinfo=UTC)

    assert terms_of(["Tea 🍵", "OPS-1187"], at) == "tea u1f375 op 1187 ops1187 14 march 2027"
    assert terms_of(["東京"], None) == "u6771x4eac u6771 u4eac"


@given(st.text(max_size=100))
def test_a_term_of_the_index_is_one_word_to_its_analyzer(text: str) -> None:
    """Latin letters, digits and apostrophes: nothing that it would take apart, and nothing of its syntax."""
    for term in terms_of([text], None).split(" "):
        assert all(is_latin(character) and (character.isalnum() or character in "'’") for character in term)
    assert {index_form(term) for term in weighted_terms(text, ())} <= set(terms_of([text], None).split(" "))


@example("\u0423\u0306", "")
@given(st.text(max_size=60), st.text("абв東京🎂 tea", max_size=20))
def test_renewed_terms_lose_nothing_and_are_found_by_the_text(terms: str, content: str) -> None:
    before = " ".join(terms.split())
    after = renewed_terms(before, content, None, ())

    assert set(before.split()) <= set(after.split())
    assert {index_form(term) for term in every_term(content)} <= set(after.split())
    assert set(renewed_terms(after, content, None, ()).split()) == set(after.split())
