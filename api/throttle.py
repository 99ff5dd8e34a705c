"""Limits on the requests of callers and organisations: how many in a second, and how many at once.

    rate        a bucket of tokens for each key: it holds the requests of two seconds, a request takes one
                token, and `rate` tokens come back in a second
    at once     the requests of a key that are being answered

A request is refused before anything is read for it, with the number of seconds after which it can be sent
again. A refused request takes nothing from any bucket, so whoever sends too many still gets as many as the
limit allows. The counts are those of this process.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from prefrontal.api.lru_cache import LruCache
from prefrontal.graph.errors import RateLimited
from prefrontal.graph.wording import counted

_MOST_KEYS = 10_000
"""How many buckets are kept. The one used least recently is dropped, and is full when it comes back."""
_STRETCH_S = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one kind of key; 0 is no limit."""

    of: str
    """Whose limits they are, for the message."""
    per_second: int
    at_once: int


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at: float


class Throttle:
    """Counts the requests of keys, and refuses those over the limits."""

    def __init__(self, kinds: Sequence[Limits], clock: Callable[[], float] = time.monotonic) -> None:
        """Store the limits of each kind of key, and a clock that only runs forward, in seconds."""
        self._kinds = tuple(kinds)
        self._clock = clock
        self._buckets: LruCache[tuple[int, Hashable], _Bucket] = LruCache(
            most=_MOST_KEYS, most_weight=_MOST_KEYS
        )
        self._busy: Counter[tuple[int, Hashable]] = Counter()

    @contextmanager
    def admitted(self, *keys: Hashable) -> Iterator[None]:
        """Count a request while the block runs; there is one key for each kind.

        Raises:
            RateLimited: If the request is over a limit of one of its keys.
        """
        named = [
            (limits, (number, key))
            for number, (limits, key) in enumerate(zip(self._kinds, keys, strict=True))
        ]
        busy = [key for limits, key in named if limits.at_once]
        for limits, key in named:
            if limits.at_once and self._busy[key] >= limits.at_once:
                raise RateLimited(
                    f"{limits.of} has {counted(limits.at_once, 'request')} under way, which is the limit; "
                    "try again when one of them is answered",
                    retry_after=1,
                )
        buckets = [(limits, self._bucket(limits, key)) for limits, key in named if limits.per_second]
        for limits, bucket in buckets:
            if bucket.tokens < 1:
                wait = math.ceil((1 - bucket.tokens) / limits.per_second)
                raise RateLimited(
                    f"{limits.of} may send {counted(limits.per_second, 'request')} in a second; "
                    f"try again in {wait} s",
                    retry_after=wait,
                )
        for _, bucket in buckets:
            bucket.tokens -= 1
        self._busy.update(busy)
        try:
            yield
        finally:
            for key in busy:
                self._busy[key] -= 1
                if not self._busy[key]:
                    del self._busy[key]

    def _bucket(self, limits: Limits, key: tuple[int, Hashable]) -> _Bucket:
        """Return the bucket of a key as it is now."""
        now, full = self._clock(), float(_STRETCH_S * limits.per_second)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = _Bucket(full, now)
            self._buckets.put(key, bucket, 1)
        bucket.tokens = min(full, bucket.tokens + (now - bucket.at) * limits.per_second)
        bucket.at = now
        return bucket
