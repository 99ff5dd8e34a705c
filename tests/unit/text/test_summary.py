"""The default summariser takes the sentences that say most."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.text.summary import Extractive, chosen

SENTENCES = [
    "The wine list has three Burgundies.",
    "It rained.",
    "Burgundy is the wine that Ann likes most.",
    "Ann likes the Burgundy of the list.",
    "A bus left at nine.",
]


def test_it_takes_what_is_said_often_and_then_something_else() -> None:
    assert chosen(SENTENCES, 2, frozenset({"the", "is", "of", "that", "a", "at", "it"})) == (
        SENTENCES[0],
        SENTENCES[3],
    )


def test_there_is_nothing_to_say_about_nothing() -> None:
    assert chosen([], 3) == chosen(["", " "], 3) == ()


async def test_it_gives_one_text() -> None:
    assert await Extractive().summarise("x", ["One.", "One.", "Two  words."], 5) == "One. Two words."


@given(st.lists(st.text(alphabet="abc .", max_size=20), max_size=8), st.integers(1, 5))
def test_it_takes_sentences_in_their_order_and_makes_none(sentences: list[str], most: int) -> None:
    found = chosen(sentences, most)

    clean = list(dict.fromkeys(" ".join(text.split()) for text in sentences if text.strip()))
    assert len(found) == min(most, len(clean))
    assert [clean.index(text) for text in found] == sorted(clean.index(text) for text in found)
    assert chosen(sentences, most) == found
