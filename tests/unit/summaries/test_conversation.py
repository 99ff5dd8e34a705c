"""The summary of a conversation's older messages: what it says, how long it is, and how it rolls on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.summaries.conversation import rolled, text_of
from prefrontal.graph.summaries.record import MessageText, Quote

TABLE = load_catalog(ROOT / "registry").summaries
SMALL = TABLE.model_copy(
    update={
        "conversation_sentences": 2,
        "conversation_speakers": 2,
        "quote_characters": 30,
        "name_characters": 5,
    }
)
DAY = datetime(2026, 1, 3, 9, tzinfo=UTC)


def say(number: int, speaker: str | None, content: str) -> MessageText:
    return MessageText(
        uid=f"msg_{number:02}", speaker=speaker, content=content, happened_at=DAY + timedelta(hours=number)
    )


def test_it_says_how_many_when_who_and_what_was_said_most() -> None:
    said = [
        say(0, "Ann", "Which wine do we order? It rains."),
        say(1, "Bob", "The wine of the cellar."),
        say(2, None, "Yes."),
    ]

    summary = rolled(None, said, SMALL, frozenset({"the", "do", "we", "of", "it", "which"}))

    assert summary.quotes == (
        Quote(uid="msg_00", speaker="Ann", text="Which wine do we order?"),
        Quote(uid="msg_01", speaker="Bob", text="The wine of the cellar."),
    )
    assert (summary.messages, summary.upto_uid, summary.speakers) == (3, "msg_02", ("Ann", "Bob"))
    assert text_of(summary, SMALL) == (
        "3 messages on 2026-01-03, by Ann and Bob. Ann: Which wine do we order? Bob: The wine of the cellar."
    )


def test_it_rolls_on_from_the_earlier_summary_alone() -> None:
    first = rolled(None, [say(0, "Ann", "The wine is red wine."), say(1, "Bob", "Fine.")], SMALL)
    second = rolled(first, [say(30, "Caroline", "No wine.\nTrains, trains and trains.")], SMALL)

    assert (second.messages, second.upto_uid) == (3, "msg_30")
    assert (second.since, second.until) == (DAY, DAY + timedelta(hours=30))
    assert second.speakers == ("Ann", "Bob", "Caro…")
    assert text_of(second, SMALL) == (
        "3 messages from 2026-01-03 to 2026-01-04, by Ann, Bob and others. "
        "Ann: The wine is red wine. Caro…: Trains, trains and trains."
    )


@pytest.mark.parametrize(
    ("speakers", "said"),
    [([None], ""), (["Ann"], ", by Ann"), (["Ann", "Bob", None, "Ann"], ", by Ann and Bob")],
)
def test_it_names_who_spoke(speakers: list[str | None], said: str) -> None:
    summary = rolled(None, [say(number, name, "…") for number, name in enumerate(speakers)], SMALL)

    assert text_of(summary, SMALL).split(".")[0].endswith(f"2026-01-03{said}")


_TEXT = st.text(st.characters(codec="utf-8"), max_size=300)
_BATCHES = st.lists(
    st.lists(st.tuples(st.none() | _TEXT, _TEXT), min_size=1, max_size=5), min_size=1, max_size=4
)


@given(_BATCHES)
def test_it_stays_short_whatever_is_said_and_is_the_same_again(
    batches: list[list[tuple[str | None, str]]],
) -> None:
    def summary() -> str:
        so_far, number = None, 0
        for batch in batches:
            said = [say(number + place, speaker, content) for place, (speaker, content) in enumerate(batch)]
            number += len(batch)
            so_far = rolled(so_far, said, SMALL)
            assert so_far.messages == number
            assert {quote.uid for quote in so_far.quotes} <= {f"msg_{each:02}" for each in range(number)}
            assert len(so_far.speakers) <= SMALL.conversation_speakers + 1
        assert so_far is not None
        return text_of(so_far, SMALL)

    text = summary()

    # The figures, two names and "others", and two quotes with the names of who said them.
    assert len(text) <= len("20 messages from 2026-01-03 to 2026-01-04, by ") + 30 + 2 * (30 + 5 + 3)
    assert len(text.splitlines()) == 1
    assert summary() == text
