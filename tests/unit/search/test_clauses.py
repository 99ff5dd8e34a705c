"""What one question asks for: worked clauses, and which of them a note is read with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.search.clauses import clause_for, clauses, covered
from prefrontal.graph.search.reranking import clauses_of
from prefrontal.graph.search.rules import ParsedQuery, parse_search_query
from prefrontal.graph.text.terms import every_term
from prefrontal.graph.text.words import stems_of

TABLE = load_catalog(ROOT / "registry").search
STOP = stems_of(" ".join(TABLE.common_words))
THEN = datetime(2026, 3, 14, 9, 0, tzinfo=UTC)
BOTH = "What did the clocks cost us and how much will the grandmaster's simul be?"


def texts(question: str) -> list[str]:
    return [each.text for each in clauses(question, STOP, TABLE.conjunctions)]


def parsed(question: str) -> ParsedQuery:
    return parse_search_query(question, STOP, THEN, conjunctions=TABLE.conjunctions)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (BOTH, ["What did the clocks cost us", "how much will the grandmaster's simul be?"]),
        ("Who feeds the cat? And when is the vet?", ["Who feeds the cat?", "when is the vet?"]),
        ("opening hours, parking, dogs", ["opening hours,", "parking,", "dogs"]),
        ("the rent & the deposit", ["the rent", "the deposit"]),
        ("What did the clocks cost us?", []),
        # What is written as one thing stays one, and what tells nothing is no clause.
        ("the account at AT&T with 1,245.50 euros", []),
        ("and, or", []),
        ("the clocks, and what is it", []),
    ],
)
def test_the_clauses_of_a_question(question: str, asked: list[str]) -> None:
    assert texts(question) == asked


@given(st.text())
def test_no_question_has_one_clause_and_each_has_terms(question: str) -> None:
    found = clauses(question, STOP, TABLE.conjunctions)
    assert len(found) != 1
    assert all(each.terms for each in found)


def chosen(note: str) -> str | None:
    asked = parsed(BOTH)
    clause = clause_for(every_term(note), asked.terms, asked.clauses, TABLE.clause)
    return None if clause is None else clause.text


def test_a_note_is_read_with_the_clause_that_it_has_most_of() -> None:
    assert chosen("Twelve clocks cost 690 euros.") == "What did the clocks cost us"
    assert chosen("The simul is in October.") == "how much will the grandmaster's simul be?"
    # Words that tell little of the question do not lead to a clause of their own.
    assert chosen("It will rain.") is None
    assert chosen("Nothing of that.") is None


def test_the_share_of_rarity() -> None:
    assert covered({"a": 3.0, "b": 1.0}, {"a", "c"}) == 0.75
    assert covered({}, {"a"}) == 0.0


def test_notes_are_read_with_clauses_only_if_the_question_asks_for_several_things() -> None:
    notes = {"n1": "Twelve clocks cost 690 euros.", "n2": "The simul is in October.", "n3": "Bread is cheap."}
    clocks, simul = (each.text for each in parsed(BOTH).clauses)
    assert clauses_of(parsed(BOTH), notes, TABLE) == {"n1": clocks, "n2": simul}
    assert clauses_of(parsed("What did the clocks cost us?"), notes, TABLE) == {}
