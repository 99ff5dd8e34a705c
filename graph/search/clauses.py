"""The things that one question asks for: "what did the clocks cost, and when is the audit".

    clause    what stands between commas, other marks and conjunctions (`conjunctions`), if it has a word that
              tells anything; a question with fewer than two of them has none

A note that answers one of them says nothing of the others, so it is a poor answer to the whole. It is read
with the clause of which it has the largest share of the terms by rarity, too, if that share is larger than
its share of the whole question, and this is at least `clause` of `registry/search.yaml`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.terms import weighted_terms

_MARKS = re.compile(r"(?<=[,;:.!?])\s+|\s[&+]\s")


class Clause(NamedTuple):
    """A part of a question that asks for something by itself."""

    text: str
    terms: Mapping[str, float]
    """Its terms with their rarity in English."""


def clauses(text: str, stop_words: Collection[str], conjunctions: Collection[str]) -> tuple[Clause, ...]:
    """Return the clauses of a question, in order; none if it asks for one thing."""
    whole = weighted_terms(text, stop_words)
    found = []
    for piece in _MARKS.split(text):
        for part in _split(piece.split(), conjunctions):
            terms = weighted_terms(part, stop_words)
            # A part of stop words alone has terms by itself.
            if not whole.keys().isdisjoint(terms):
                found.append(Clause(part, terms))
    return tuple(found) if len(found) > 1 else ()


def clause_for(
    stems: Collection[str], whole: Mapping[str, float], asked: Iterable[Clause], least: float
) -> Clause | None:
    """Return the clause that a text is read with beside the whole question; None for no other.

    Args:
        stems: The terms of the text.
        whole: Those of the question, with their rarity.
        asked: The clauses of the question.
        least: The share of the question that the text must have.
    """
    share = covered(whole, stems)
    best = max(asked, key=lambda each: covered(each.terms, stems), default=None)
    if best is None or share < least or covered(best.terms, stems) <= share:
        return None
    return best


def covered(rarities: Mapping[str, float], stems: Collection[str]) -> float:
    """Return the share of the terms' rarity that some stems have, between 0 and 1."""
    whole = sum(rarities.values())
    return sum(rare for term, rare in rarities.items() if term in stems) / whole if whole else 0.0


def _split(words: Iterable[str], conjunctions: Collection[str]) -> list[str]:
    parts: list[list[str]] = [[]]
    for word in words:
        if fold(word) in conjunctions:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(part) for part in parts]
