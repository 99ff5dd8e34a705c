"""A server that ends by itself is started again, so often and no more."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from structlog.testing import capture_logs

from prefrontal.graph.embedded import ServerConfig
from prefrontal.graph.embedded.keeper import MOST, ROOM, WITHIN_S, Keeper
from prefrontal.graph.embedded.processes import Record
from prefrontal.graph.embedded.running import RunningServer
from prefrontal.graph.errors import ServerDied


@dataclass
class Server:
    """A server that lives until it is told to end, and may fail to start."""

    config: ServerConfig
    alive: bool = True
    failing: int = 0
    starts: int = 0
    started: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    pid: int = 7
    log_path: Path = Path("console.log")

    @property
    def is_alive(self) -> bool:
        return self.alive

    @property
    def running(self) -> RunningServer:
        return RunningServer(self.config.home, Record(7, 0.0, 1234, 1235, True, False, "", ""))

    def stop(self, _timeout_s: float) -> None:
        self.alive = False

    def start(self) -> None:
        self.starts += 1
        self.started.release()
        if self.starts <= self.failing:
            raise ServerDied("it ended with status 3 while starting")
        self.alive = True


def events(logs):
    return [entry["event"] for entry in logs if entry["event"].startswith("neo4j_")]


def keeper(server, **more):
    return Keeper(server, look_s=0.001, pause_s=0.001, **{"refuses": lambda _: False, "ask_s": 0.0} | more)


def test_a_server_that_ended_is_started_again_on_the_ports_it_had(tmp_path):
    server = Server(ServerConfig(home=tmp_path, bolt_port=0, http_port=0))
    with capture_logs() as logs, keeper(server):
        server.alive = False
        assert server.started.acquire(timeout=10)
    assert (server.config.bolt_port, server.config.http_port) == (1234, 1235)
    assert server.alive
    assert server.starts == 1
    assert events(logs) == ["neo4j_ended", "neo4j_started_again"]


def test_a_start_that_fails_is_repeated(tmp_path):
    server = Server(ServerConfig(home=tmp_path), failing=2)
    with capture_logs() as logs, keeper(server):
        server.alive = False
        for _ in range(3):
            assert server.started.acquire(timeout=10)
    assert server.alive
    assert events(logs) == ["neo4j_ended", "neo4j_not_started"] * 2 + ["neo4j_ended", "neo4j_started_again"]


def test_a_server_that_never_starts_is_given_up(tmp_path):
    server = Server(ServerConfig(home=tmp_path), failing=99)
    with capture_logs() as logs, keeper(server) as watch:
        server.alive = False
        watch._thread.join(10)
        assert not watch._thread.is_alive()
    assert server.starts == MOST
    assert events(logs)[-1] == "neo4j_given_up"


def test_ends_long_ago_do_not_count(tmp_path):
    server, hour = Server(ServerConfig(home=tmp_path)), [0.0]
    with capture_logs(), keeper(server, now=lambda: hour[0]):
        for _ in range(2 * MOST):
            server.alive = False
            assert server.started.acquire(timeout=10)
            while not server.alive:
                pass
            hour[0] += WITHIN_S + 1
    assert server.starts == 2 * MOST


def test_a_server_that_is_stopped_after_the_watch_stays_so(tmp_path):
    server = Server(ServerConfig(home=tmp_path))
    with keeper(server):
        pass
    server.stop(0)
    assert server.starts == 0


def test_a_server_that_refuses_transactions_is_started_again_when_there_is_space(tmp_path):
    server, free, asked = Server(ServerConfig(home=tmp_path)), [ROOM - 1], threading.Semaphore(0)
    warmed = []

    def refuses(running):
        asked.release()
        return server.starts == 0

    with capture_logs() as logs, keeper(server, refuses=refuses, free=lambda _: free[0]) as watch:
        watch.on_start = lambda: warmed.append(server.starts)
        for _ in range(3):
            assert asked.acquire(timeout=10)
        assert server.starts == 0
        free[0] = ROOM
        assert server.started.acquire(timeout=10)
    assert events(logs) == ["neo4j_waits_for_space", "neo4j_ended", "neo4j_started_again"]
    assert (server.starts, warmed) == (1, [1])


def test_a_server_is_asked_no_more_often_than_told(tmp_path):
    server, seconds, asked = Server(ServerConfig(home=tmp_path)), [0.0], []
    looked = threading.Semaphore(0)

    def now():
        looked.release()
        return seconds[0]

    def refuses(running):
        asked.append(seconds[0])
        return False

    with keeper(server, refuses=refuses, now=now, ask_s=5.0):
        for second in (1.0, 4.0, 5.0, 6.0, 9.0, 10.0):
            seconds[0] = second
            for _ in range(5):
                assert looked.acquire(timeout=10)
    assert asked == [5.0, 10.0]
