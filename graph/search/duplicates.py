"""Which of some texts say the same.

Two texts say the same if one of them has the words of the other in the same order and few others (`duplicate`
of `registry/search.yaml` is the least share of the longer one), and no other numbers, codes or negations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import NamedTuple

from prefrontal.graph.text.terms import every_term


class AnalysedText(NamedTuple):
    """What a text says."""

    words: tuple[str, ...]
    """Its terms, each once; the text itself if it has none."""
    every: frozenset[str]
    """The same words."""
    decisive: frozenset[str]
    """Those of them that are numbers, codes or negations."""


@lru_cache(maxsize=10_000)
def read_text(content: str, negations: frozenset[str]) -> AnalysedText:
    words = tuple(dict.fromkeys(every_term(content))) or (content,)
    decisive = frozenset(word for word in words if word in negations or not word.isalpha())
    return AnalysedText(words, frozenset(words), decisive)


def repeated(
    texts: Iterable[tuple[str, Hashable, AnalysedText]], duplicate: float
) -> dict[str, tuple[str, ...]]:
    """Return the ids of the first of equal texts, in order, each with the ids of those that say the same.

    Args:
        texts: The ids of texts, by whom or what they are, and what they say. Only texts of the same can be
            equal.
        duplicate: The least share of the longer text that two equal texts have in common.
    """
    same: dict[str, list[str]] = {}
    alike: dict[tuple[Hashable, frozenset[str]], list[tuple[str, AnalysedText]]] = {}
    for uid, by, read in texts:
        others = alike.setdefault((by, read.decisive), [])
        least, most = duplicate * len(read.words), len(read.words) / duplicate
        for first, other in others:
            if least <= len(other.words) <= most and _same(read, other):
                same[first].append(uid)
                break
        else:
            others.append((uid, read))
            same[uid] = []
    return {uid: tuple(others) for uid, others in same.items()}


def _same(one: AnalysedText, other: AnalysedText) -> bool:
    """Return whether one text has all words of the other in their order."""
    less, more = (one, other) if len(one.words) <= len(other.words) else (other, one)
    # Nearly all pairs end here, at a word that only one has.
    if not less.every <= more.every:
        return False
    return tuple(word for word in more.words if word in less.every) == less.words
