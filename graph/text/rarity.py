"""How rare a word is in English, from the frequency table of `wordfreq` that is installed with the service.

    rarity    1 for a word that is rarer than one in a million, or that is in no table, such as a name or a
              code; falling with the logarithm of the frequency to 0.05 for the most frequent words

It says nothing about what anybody stores, so it may weigh words in an index that many organisations share.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from wordfreq import zipf_frequency

from prefrontal.graph.text.terms import LONGEST
from prefrontal.graph.text.words import pieces_of, stem

_COMMON, _RARE = 7.0, 3.0
"""Logarithms (base 10) of how often a word stands in a billion words: rarity 0 and rarity 1."""
_LEAST = 0.05


@lru_cache(maxsize=20_000)
def rarity(word: str) -> float:
    """Return the rarity of a folded word, above 0 and at most 1."""
    # The small list has the words from one in a million on: it is read in 10 ms, the large one in 150 ms.
    frequency = zipf_frequency(word, "en", wordlist="small")
    return min(1.0, max(_LEAST, (_COMMON - frequency) / (_COMMON - _RARE)))


def weighted_terms(text: str, stop_words: Collection[str]) -> dict[str, float]:
    """Return the terms of a question with their rarity, in its order. `stop_words` are stems.

    A term is as rare as the more frequent one of the word and its stem: `paints` is no rarer than `paint`.
    Stop words are left out unless there are no other words.
    """
    found: dict[str, float] = {}
    for word in pieces_of(text):
        term = stem(word)[:LONGEST]
        found[term] = min(found.get(term, 1.0), rarity(word), rarity(term))
    return {term: weight for term, weight in found.items() if term not in stop_words} or found
