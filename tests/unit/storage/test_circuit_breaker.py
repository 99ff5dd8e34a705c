"""Nobody waits for a database that was just found to be away."""

from __future__ import annotations

from prefrontal.graph.storage.circuit_breaker import CircuitBreaker


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_database_at_hand_is_always_tried() -> None:
    outage = CircuitBreaker(Seconds())

    assert [outage.allows_attempt() for _ in range(100)] == [True] * 100
    assert not outage.is_open


def test_while_it_is_away_there_is_one_try_every_quarter_of_a_second() -> None:
    seconds = Seconds()
    outage = CircuitBreaker(seconds)
    outage.record_failure()

    tries = []
    for _ in range(100):
        seconds.now += 0.03125
        tries.append(outage.allows_attempt())

    assert outage.is_open
    assert tries.count(True) == 12
    assert tries.index(True) == 7


def test_an_answer_ends_it() -> None:
    outage = CircuitBreaker(Seconds())
    outage.record_failure()

    outage.record_answer()

    assert not outage.is_open
    assert [outage.allows_attempt() for _ in range(3)] == [True] * 3
