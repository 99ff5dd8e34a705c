"""A dictionary that forgets what was not used for longest when it weighs too much."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """Keeps values up to a number and a total weight; looking one up makes it the newest."""

    def __init__(self, *, most: int, most_weight: int) -> None:
        """Take how many values are kept, and how much they may weigh together."""
        self._most = most
        self._most_weight = most_weight
        self._weight = 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value, or None."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, weight: int) -> None:
        """Keep a value, at the cost of the oldest; one that is too heavy by itself is not kept."""
        self.drop(key)
        if weight > self._most_weight:
            return
        self._kept[key] = (value, weight)
        self._weight += weight
        while len(self._kept) > self._most or self._weight > self._most_weight:
            _, (_, freed) = self._kept.popitem(last=False)
            self._weight -= freed

    def drop(self, key: K) -> None:
        """Forget a value; nothing happens when there is none."""
        _, weight = self._kept.pop(key, (None, 0))
        self._weight -= weight

    def __len__(self) -> int:
        """Return how many values are kept."""
        return len(self._kept)
