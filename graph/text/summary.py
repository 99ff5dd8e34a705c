"""Summarising texts: the protocol of a summariser, and an extractive default that selects sentences.

    weight of a word      the number of times its stem occurs in all sentences; stop words have no weight
    weight of a sentence  the sum of the weights of its words, divided by the square root of their number
    selection             the heaviest sentence, again and again; the words of a selected sentence then weigh
                          half, so that the next one says something else (SumBasic, Nenkova and Vanderwende
                          2005)
    result                the selected sentences in their original order, each once

The default needs no model, no data files and no network, and the same input always gives the same summary.
Existing libraries do not fit: sumy and pytextrank download language data at run time or bring a pipeline many
times the size of this project.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from prefrontal.graph.text.words import stem, words_of


class Summariser(Protocol):
    """A summariser of sentences, e.g. a language model."""

    async def summarise(self, subject: str, sentences: Sequence[str], most: int) -> str:
        """Return a text of about `most` sentences about the subject.

        Services call it outside of transactions.
        """
        ...


class Extractive:
    """The default summariser, which selects the heaviest sentences by the rule of this module."""

    def __init__(self, stop_stems: frozenset[str] = frozenset()) -> None:
        self._stops = stop_stems

    async def summarise(self, subject: str, sentences: Sequence[str], most: int) -> str:
        """Return at most `most` of the sentences, in their original order, as one text."""
        del subject
        return " ".join(chosen(sentences, most, self._stops))


def chosen(sentences: Sequence[str], most: int, stop_stems: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """Return the `most` heaviest sentences by the rule of this module, in their original order."""
    unique = list(dict.fromkeys(" ".join(sentence.split()) for sentence in sentences if sentence.strip()))
    stems = [[s for word in words_of(text) if (s := stem(word)) not in stop_stems] for text in unique]
    weights = {word: float(number) for word, number in Counter(w for found in stems for w in found).items()}
    taken: set[int] = set()
    while len(taken) < min(most, len(unique)):
        left = [number for number in range(len(unique)) if number not in taken]
        # Of sentences with equal weight the earlier one is selected.
        best = max(left, key=lambda number: (_weight(stems[number], weights), -number))
        taken.add(best)
        for word in set(stems[best]):
            weights[word] /= 2
    return tuple(unique[number] for number in sorted(taken))


def _weight(stems: Sequence[str], weights: dict[str, float]) -> float:
    return sum(weights[word] for word in stems) / math.sqrt(len(stems)) if stems else 0.0
