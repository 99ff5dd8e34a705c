"""The themes of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.sessions.themes import themes_of
from prefrontal.graph.text.words import stems_of
from tests.unit.sessions.given import CATALOG

TABLE = CATALOG.coherence.themes
STOPS = stems_of(CATALOG.goals.topics.stop_words)


def themes(text: str, *entities: str, most: int = TABLE.per_item) -> tuple[str, ...]:
    return themes_of(text, entities, most, stop_words=STOPS, least_rarity=TABLE.least_rarity)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Family vacation planning discussion with mom",
            ("vacation", "discussion", "mom", "planning", "family"),
        ),
        ("We are going to Lake Garda in May", ("lake garda",)),
        ("The wine, the wines and more WINE from the cellar", ("wine", "cellar")),
        ("It is what it is, 42", ()),
        ("", ()),
    ],
)
def test_the_rarest_words_and_names_are_themes(text: str, expected: tuple[str, ...]) -> None:
    assert themes(text) == expected


def test_entities_that_stand_in_the_text_come_first_in_its_order() -> None:
    text = "Dinner with Ann Smith about the Red Wines of the cellar"
    found = themes(text, "red wine", "Bob", "Ann  Smith", "ann smith", "")
    assert found[:2] == ("ann smith", "red wine")
    assert "cellar" in found
    assert not {"smith", "wines", "wine", "bob"} & {*found}
    assert themes(text, "red wine", "Ann Smith", most=1) == ("ann smith",)


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=3), st.integers(1, 8))
def test_each_theme_stands_once_and_in_the_same_order_every_time(
    text: str, entities: list[str], most: int
) -> None:
    found = themes(text, *entities, most=most)
    assert len(found) == len(set(found)) <= most
    assert themes(text, *reversed(entities), most=most) == found
    assert all(found)
