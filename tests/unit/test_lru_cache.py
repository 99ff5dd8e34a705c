from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prefrontal.api.lru_cache import LruCache


def test_what_was_not_used_for_longest_goes_first() -> None:
    kept: LruCache[str, int] = LruCache(most=2, most_weight=100)
    kept.put("a", 1, 1)
    kept.put("b", 2, 1)
    assert kept.get("a") == 1
    kept.put("c", 3, 1)
    assert [kept.get(key) for key in "abc"] == [1, None, 3]


def test_what_is_too_heavy_by_itself_is_not_kept_and_costs_nothing() -> None:
    kept: LruCache[str, int] = LruCache(most=9, most_weight=10)
    kept.put("a", 1, 10)
    kept.put("b", 2, 11)
    assert [kept.get(key) for key in "ab"] == [1, None]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 12))))
def test_number_and_weight_stay_within_their_limits(puts: list[tuple[int, int]]) -> None:
    kept: LruCache[int, int] = LruCache(most=4, most_weight=20)
    weights: dict[int, int] = {}
    for key, weight in puts:
        kept.put(key, weight, weight)
        weights[key] = weight
        there = [known for known in weights if kept.get(known) is not None]
        assert len(kept) == len(there) <= 4
        assert sum(weights[known] for known in there) <= 20
        assert (key in there) == (weight <= 20)
