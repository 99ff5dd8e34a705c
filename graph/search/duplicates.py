"""Which of some texts say the same.

Two texts say the same if one of them has the words of the other in the same order and few others (`duplicate`
of `registry/search.yaml` is the least share of the longer one), and no other numbers, codes or negations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from prefrontal.graph.text.words import pieces_of, stem


class Read(NamedTuple):
    """What a text says."""

    words: tuple[str, ...]
    """The stems of its words, each once; the text itself if it has no words."""
    decisive: frozenset[str]
    """Those of them that are numbers, codes or negations."""


@lru_cache(maxsize=4_000)
def read_text(content: str, negations: frozenset[str]) -> Read:
    """Return what a text says."""
    words = tuple(dict.fromkeys(stem(word) for word in pieces_of(content))) or (content,)
    return Read(words, frozenset(word for word in words if word in negations or not word.isalpha()))


def repeated(texts: Iterable[tuple[str, Hashable, Read]], duplicate: float) -> dict[str, tuple[str, ...]]:
    """Return the ids of the first of equal texts, in order, each with the ids of those that say the same.

    Args:
        texts: The ids of texts, by whom or what they are, and what they say. Only texts of the same can be
            equal.
        duplicate: The least share of the longer text that two equal texts have in common.
    """
    same: dict[str, list[str]] = {}
    alike: dict[tuple[Hashable, frozenset[str]], list[tuple[str, tuple[str, ...]]]] = {}
    for uid, by, (words, decisive) in texts:
        others = alike.setdefault((by, decisive), [])
        least, most = duplicate * len(words), len(words) / duplicate
        for first, other in others:
            if least <= len(other) <= most and _same(words, other):
                same[first].append(uid)
                break
        else:
            others.append((uid, words))
            same[uid] = []
    return {uid: tuple(others) for uid, others in same.items()}


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether one text has all words of the other in their order."""
    if len(one) == len(other):
        return one == other
    less, more = sorted((one, other), key=len)
    shorter = frozenset(less)
    return [word for word in more if word in shorter] == list(less)
