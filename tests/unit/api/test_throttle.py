"""How many requests a key may send: in a second, at a stretch, and at once."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from prefrontal.api import throttle
from prefrontal.api.throttle import Limits, Throttle
from prefrontal.graph.errors import RateLimited


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def refused(limited: Throttle, *keys: str) -> RateLimited | None:
    try:
        with limited.admitted(*keys):
            return None
    except RateLimited as error:
        return error


def test_a_rate_lets_two_seconds_through_at_a_stretch_and_then_so_many_in_a_second() -> None:
    clock = Clock()
    limited = Throttle([Limits("this caller", 5, 0)], clock)

    assert [refused(limited, "a") for _ in range(10)] == [None] * 10
    error = refused(limited, "a")
    assert error is not None
    assert (error.code, error.retry_after) == ("rate_limited", 1)
    assert error.extensions == {"code": "rate_limited", "field": None, "retryAfter": 1}
    assert error.message == "this caller may send 5 requests in a second; try again in 1 s"
    assert refused(limited, "b") is None
    clock.now += 0.4
    assert [refused(limited, "a") is None for _ in range(3)] == [True, True, False]
    # However many were refused meanwhile, and however long nobody asked.
    clock.now += 3600
    assert [refused(limited, "a") is None for _ in range(11)] == [True] * 10 + [False]


def test_who_is_refused_takes_nothing_from_the_others() -> None:
    limited = Throttle([Limits("this caller", 1, 0), Limits("this organisation", 2, 0)], Clock())

    assert [refused(limited, "a", "org") is None for _ in range(50)] == [True] * 2 + [False] * 48
    assert [refused(limited, "b", "org") is None for _ in range(2)] == [True, True]
    error = refused(limited, "c", "org")
    assert error is not None
    assert error.message.startswith("this organisation may send 2 requests")
    # The organisation refused it, so the caller's own bucket is full: another organisation takes both.
    assert [refused(limited, "c", "other") is None for _ in range(3)] == [True, True, False]


def test_so_many_at_once_and_no_more_whatever_ends_them() -> None:
    limited = Throttle([Limits("this caller", 0, 2), Limits("this organisation", 0, 3)], Clock())

    with ExitStack() as under_way:
        for name in ("a", "a", "b"):
            under_way.enter_context(limited.admitted(name, "org"))
        error = refused(limited, "a", "org")
        assert error is not None
        assert (error.retry_after, error.message.split(",")[0]) == (1, "this caller has 2 requests under way")
        error = refused(limited, "b", "org")
        assert error is not None
        assert error.message.startswith("this organisation has 3 requests under way")
        assert refused(limited, "b", "other") is None
    assert refused(limited, "a", "org") is None
    for _ in range(5):
        with pytest.raises(ValueError, match="x"), limited.admitted("a", "org"):
            raise ValueError("x")
    assert refused(limited, "a", "org") is None
    assert not limited._busy


def test_no_limit_and_many_keys_take_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "_MOST_KEYS", 3)
    free, limited = Throttle([Limits("all", 0, 0)], Clock()), Throttle([Limits("each", 1, 1)], Clock())
    for number in range(1000):
        assert refused(free, "a") is None
        assert refused(limited, f"a{number}") is None
    assert (len(free._buckets), len(limited._buckets)) == (0, 3)
