"""Which texts contradict each other, pair by pair, and how well that is told on the labelled list."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.contradictions import COMPATIBLE, Pair, read_pairs, score
from prefrontal.graph.config import load_catalog
from prefrontal.graph.config.settings import ROOT
from prefrontal.graph.scratch.contradiction import WordingDetector
from prefrontal.graph.scratch.text_frame import same_text

DETECTOR = WordingDetector(load_catalog(ROOT / "registry").contradiction)
PIECES = (
    *("the user is", "not", "never", "has", "3", "5", "three", "$50", "50 EUR", "1 hour", "60 minutes"),
    *("on Monday", "on", "2025-11-05", "at 3 pm", "?", "may", "may 5"),
)
WORDS = st.lists(
    st.sampled_from(PIECES),
    max_size=9,
).map(" ".join)


def counts(pairs: list[Pair]) -> dict[str, int]:
    return dict(Counter(pair.kind for pair in pairs))


def test_the_labelled_list_is_long_and_half_of_it_is_compatible() -> None:
    seen, held_out = read_pairs(), read_pairs(held_out=True)
    assert counts(seen) == {"number": 28, "date": 14, "unit": 8, "negation": 22, "other": 8, COMPATIBLE: 82}
    assert counts(held_out) == {"number": 8, "date": 5, "unit": 3, "negation": 8, "other": 2, COMPATIBLE: 26}
    texts = [frozenset((pair.one, pair.other)) for pair in [*seen, *held_out]]
    assert len(set(texts)) == len(texts)


def test_what_is_found_on_the_labelled_list() -> None:
    seen = score(DETECTOR, read_pairs())
    assert seen.found == {"number": 28, "date": 14, "unit": 8, "negation": 22}
    assert (seen.false, seen.silent, len(seen.wrong)) == (0, 82, 0)
    # What lies in the meaning of words is not found, and nothing is said of it.
    assert {pair.kind for pair in seen.missed} == {"other"}
    assert (seen.precision, seen.recall) == (1.0, 0.9)


def test_what_is_found_on_pairs_the_rules_had_not_seen() -> None:
    held_out = score(DETECTOR, read_pairs(held_out=True))
    assert held_out.found == {"number": 7, "date": 4, "unit": 3, "negation": 7}
    assert (held_out.false, held_out.silent, len(held_out.missed)) == (1, 25, 5)
    assert held_out.precision > 0.95
    assert held_out.recall > 0.8


@pytest.mark.parametrize("pair", [*read_pairs(), *read_pairs(held_out=True)], ids=lambda pair: pair.one)
def test_the_order_of_two_texts_does_not_matter(pair: Pair) -> None:
    assert DETECTOR.compare(pair.one, pair.other) == DETECTOR.compare(pair.other, pair.one)
    assert DETECTOR.compare(pair.one, pair.one) is None


@given(WORDS, WORDS)
def test_a_contradiction_is_mutual_and_between_two_texts_of_one_frame(one: str, other: str) -> None:
    kind = DETECTOR.compare(one, other)
    assert kind == DETECTOR.compare(other, one)
    if kind is not None:
        assert DETECTOR.frame(one) == DETECTOR.frame(other)
        assert not same_text(one, other)
