"""Admission, eviction and coherence on labelled sessions, by the words alone: exactly what is found."""

from __future__ import annotations

import pytest

from bench.sessions.labelled import judged_admission, judged_coherence, judged_eviction, read
from bench.sessions.replay import tables_of
from bench.sessions.vectors import Vectors
from tests.unit.sessions.given import CATALOG

TABLES = tables_of(CATALOG)


@pytest.mark.covers("OPS-58")
def test_a_session_admits_nothing_foreign_and_half_of_what_belongs_to_it_by_the_words_alone() -> None:
    found = judged_admission(read("admission"), TABLES, Vectors(None, {}))
    assert sum(each.wanted for each in found) == sum(not each.wanted for each in found) == 24
    assert [(each.case, each.text.split()[0]) for each in found if each.found] == [
        ("move", "The"),
        ("outage", "The"),
        ("bread", "With"),
        ("puppy", "The"),
        ("puppy", "A"),
        ("hike", "On"),
        ("release", "The"),
        ("release", "The"),
        ("release", "Without"),
        ("allotment", "The"),
        ("allotment", "The"),
    ]
    assert all(each.wanted for each in found if each.found)


@pytest.mark.covers("OPS-59")
def test_the_important_items_of_a_session_stay_when_another_one_comes() -> None:
    found = judged_eviction(read("eviction"), TABLES)
    assert len(found) == 15
    # Held for an hour and not used for twenty minutes: the hours outweigh the salience.
    assert [each.text for each in found if not each.is_right] == ["The witness saw a red van at the bank."]


@pytest.mark.covers("OPS-60")
def test_the_session_that_belongs_together_is_the_more_coherent_one() -> None:
    found = judged_coherence(read("coherence"), TABLES)
    assert len(found) == 8
    # A boat, a ship and a vessel are three themes: words count, not what they mean.
    assert [each.case for each in found if not each.is_right] == ["synonyms"]
