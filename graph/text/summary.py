"""Short texts of long ones: a protocol, and a default that takes sentences and makes none.

    weight of a word      how often its stem occurs in all sentences; stop words weigh nothing
    weight of a sentence  the sum of its words' weights through the root of their number
    chosen                one after the other the heaviest; what it says weighs half from then on, so that the
                          next one says something else (SumBasic, Nenkova and Vanderwende 2005)
    told                  in their order, each once

It needs no model, no data and no network, and gives the same for the same. The libraries there are (sumy,
pytextrank) fetch language data when they run, or bring a pipeline that is many times this project's size.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from prefrontal.graph.text.words import stem, words_of


class Summariser(Protocol):
    """Something that says in few words what was said in many, e.g. a language model."""

    async def summarise(self, subject: str, sentences: Sequence[str], most: int) -> str:
        """Return a text of about `most` sentences about the subject; called outside of transactions."""
        ...


class Extractive:
    """Takes the sentences that say most."""

    def __init__(self, stop_stems: frozenset[str] = frozenset()) -> None:
        """Take the stems of words that say nothing."""
        self._stops = stop_stems

    async def summarise(self, subject: str, sentences: Sequence[str], most: int) -> str:
        """Return at most `most` of the sentences, in their order."""
        del subject
        return " ".join(chosen(sentences, most, self._stops))


def chosen(sentences: Sequence[str], most: int, stop_stems: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the sentences that say most, in their order."""
    unique = list(dict.fromkeys(" ".join(sentence.split()) for sentence in sentences if sentence.strip()))
    stems = [[s for word in words_of(text) if (s := stem(word)) not in stop_stems] for text in unique]
    weights = {word: float(number) for word, number in Counter(w for found in stems for w in found).items()}
    taken: set[int] = set()
    while len(taken) < min(most, len(unique)):
        left = [number for number in range(len(unique)) if number not in taken]
        # The first of equals: what happened earlier.
        best = max(left, key=lambda number: (_weight(stems[number], weights), -number))
        taken.add(best)
        for word in set(stems[best]):
            weights[word] /= 2
    return tuple(unique[number] for number in sorted(taken))


def _weight(stems: Sequence[str], weights: dict[str, float]) -> float:
    return sum(weights[word] for word in stems) / math.sqrt(len(stems)) if stems else 0.0
