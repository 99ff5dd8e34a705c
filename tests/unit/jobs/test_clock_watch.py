"""A clock that jumps forward expires nothing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from prefrontal.graph.jobs.clock_watch import HOLD, ClockWatch

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Machine:
    """A clock and a monotonic clock, which run together unless the first is set."""

    def __init__(self) -> None:
        self.now, self.passed = NOON, 1000.0
        self.watch = ClockWatch(lambda: self.passed)

    def run(self, time: timedelta) -> None:
        self.now += time
        self.passed += time.total_seconds()

    def looks(self, minutes: int, last: datetime | None = None) -> list[bool]:
        said = []
        for _ in range(minutes):
            said.append(self.watch.believes(self.now, last))
            self.run(MINUTE)
        return said


def test_a_clock_that_runs_is_believed() -> None:
    assert all(Machine().looks(100))


def test_a_clock_that_jumps_and_is_set_right_is_not_believed_meanwhile() -> None:
    machine = Machine()
    machine.looks(3)
    machine.now += timedelta(days=400)
    assert machine.looks(9) == [False] * 9
    machine.now -= timedelta(days=400)
    assert machine.looks(3) == [True] * 3


def test_a_time_that_stays_is_believed_after_a_while() -> None:
    machine = Machine()
    machine.looks(3)
    machine.now += timedelta(days=1)
    assert machine.looks(12) == [False] * 10 + [True] * 2


def test_a_second_jump_begins_the_doubt_again() -> None:
    machine = Machine()
    machine.looks(3)
    machine.now += timedelta(days=1)
    machine.looks(8)
    machine.now += timedelta(days=1)
    assert machine.looks(9) == [False] * 9


def test_a_clock_that_is_set_back_is_believed() -> None:
    machine = Machine()
    machine.looks(3)
    machine.now -= timedelta(hours=1)
    assert machine.looks(3) == [True] * 3


def test_a_new_process_compares_with_the_last_lease() -> None:
    assert Machine().looks(3, NOON - HOLD) == [True] * 3
    late = Machine()
    assert late.looks(1, NOON - timedelta(days=30)) == [False]
    # The lease has the doubted time by now.
    assert late.looks(11, late.now) == [False] * 9 + [True] * 2


def test_a_new_process_whose_clock_is_set_right_believes_it() -> None:
    machine = Machine()
    machine.now += timedelta(days=400)
    assert machine.looks(3, NOON) == [False] * 3
    jumped = machine.now
    machine.now -= timedelta(days=400)
    assert machine.looks(3, jumped) == [True] * 3
