"""A least-recently-used cache with a bound on the number and on the total weight of its values."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """A cache that drops its least recently used values when it exceeds a bound."""

    def __init__(self, *, most: int, most_weight: int) -> None:
        self._most = most
        self._most_weight = most_weight
        self._weight = 0
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Return the value and mark it as most recently used; None if it is not cached."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, weight: int) -> None:
        """Cache a value and drop old values as needed; a value heavier than the bound is not cached."""
        self.drop(key)
        if weight > self._most_weight:
            return
        self._kept[key] = (value, weight)
        self._weight += weight
        while len(self._kept) > self._most or self._weight > self._most_weight:
            _, (_, freed) = self._kept.popitem(last=False)
            self._weight -= freed

    def drop(self, key: K) -> None:
        """Remove a value; do nothing if it is not cached."""
        _, weight = self._kept.pop(key, (None, 0))
        self._weight -= weight

    def __len__(self) -> int:
        """Return the number of cached values."""
        return len(self._kept)
