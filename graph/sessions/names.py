"""Names of entities and themes, and how many of them items have in common.

    key       the stems of a name's words: `planning` and `plans`, `Wine` and `wines` have the same
    overlap   the number of keys that two sets have in common / the size of the smaller set; 0 if one is
              empty
    shared    of many sets: the keys in common, summed over all pairs of sets / the most that the pairs could
              have in common, the sum of the smaller sizes; 1 for fewer than two sets, 0 if none could share
              anything

`shared` is 1 for equal sets and 0 for sets without a common key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from prefrontal.graph.text.folding import fold
from prefrontal.graph.text.words import pieces_of, stem


@lru_cache(maxsize=20_000)
def key(name: str) -> str:
    """Return the stems of a name's words, or its folded form if it has none."""
    return " ".join(stem(word) for word in pieces_of(name)) or fold(name)


def keys(names: Iterable[str]) -> frozenset[str]:
    return frozenset(key(name) for name in names)


def overlap(one: Collection[str], other: Collection[str]) -> float:
    """Return how much of the smaller of two sets of keys the other one has, between 0 and 1."""
    smaller = min(len(one), len(other))
    return len(set(one) & set(other)) / smaller if smaller else 0.0


def shared(sets: Sequence[frozenset[str]]) -> float:
    """Return how much some sets of keys have in common, between 0 and 1."""
    if len(sets) < 2:  # noqa: PLR2004
        return 1.0
    common = sum(number * (number - 1) // 2 for number in Counter(k for one in sets for k in one).values())
    sizes = sorted(len(one) for one in sets)
    # In this order each set is the smaller one of the pairs with those after it.
    most = sum(size * (len(sizes) - 1 - place) for place, size in enumerate(sizes))
    return common / most if most else 0.0
