"""A real server: start, reach, restart, kill, collide, leave and find again."""

import fcntl
import os
import signal
import socket
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import neo4j
import psutil
import pytest

from prefrontal.graph.embedded import (
    EmbeddedNeo4j,
    ServerConfig,
    find_java,
    find_running,
    processes,
    server_status,
    stop_running,
)
from prefrontal.graph.embedded.processes import record_file
from prefrontal.graph.errors import PortTaken, ServerDied, ServerError, StoreLocked

NIGHTLY = pytest.mark.nightly(
    "a killed parent, and a server that starts and answers, are tried with each change"
)

ROOT = Path(__file__).resolve().parents[2]


def ask(server, query, **parameters):
    auth = (server.user, server.password)
    with neo4j.GraphDatabase.driver(server.bolt_uri, auth=auth) as driver:
        return [record.data() for record in driver.execute_query(query, parameters).records]


def password_of(server):
    return server.config.home / "password"


class TestOneServer:
    """What can be seen of a running server without changing it."""

    def test_answers_queries(self, shared_server):
        query = "CALL dbms.components() YIELD name, versions, edition WHERE name = 'Neo4j Kernel' RETURN *"

        [row] = ask(shared_server, query)
        assert (row["versions"], row["edition"]) == (["2026.09.0"], "community")

    def test_serves_the_browser(self, shared_server):
        page = httpx.get(shared_server.http_url + "/browser/")

        assert page.status_code == 200
        assert "<title>Neo4j Browser</title>" in page.text

    def test_lets_no_other_page_in(self, shared_server):
        answer = httpx.get(shared_server.http_url + "/", headers={"Origin": "http://elsewhere.example"})

        assert answer.headers["access-control-allow-origin"] == shared_server.http_url

    def test_listens_on_loopback_only(self, shared_server):
        sockets = psutil.Process(shared_server.pid).net_connections("inet")
        addresses = {c.laddr.ip.removeprefix("::ffff:") for c in sockets if c.status == psutil.CONN_LISTEN}

        assert addresses == {"127.0.0.1"}
        assert not [c for c in sockets if c.type == socket.SOCK_DGRAM]

    def test_the_password_is_private_and_needed(self, shared_server):
        file = password_of(shared_server)

        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert file.read_text().strip() == shared_server.password
        assert len(shared_server.password) == 32
        with (
            neo4j.GraphDatabase.driver(shared_server.bolt_uri, auth=("neo4j", "neo4j")) as driver,
            pytest.raises(neo4j.exceptions.AuthError),
        ):
            driver.verify_connectivity()

    def test_no_secret_and_no_stray_variable_reaches_it(self, shared_server):
        process = psutil.Process(shared_server.pid)

        assert shared_server.password not in " ".join(process.cmdline())
        allowed = {"PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}
        assert set(process.environ()) <= allowed

    def test_ctrl_c_does_not_reach_it(self, shared_server):
        assert os.getsid(shared_server.pid) != os.getsid(0)

    def test_starting_it_twice_is_an_error(self, shared_server):
        with pytest.raises(ServerError, match="started already"):
            shared_server.start()

    def test_its_status_is_known_to_others(self, shared_server):
        status = server_status(shared_server.config.home)

        assert status.running
        assert not status.detached
        assert status.pid == shared_server.pid
        assert shared_server.bolt_uri.endswith(f":{status.bolt_port}")
        assert shared_server.http_url.endswith(f":{status.http_port}")
        assert status.version == "2026.09.0"
        assert status.store_bytes > 100_000

    def test_a_second_server_on_its_store_names_it(self, shared_server, make_server):
        with pytest.raises(StoreLocked, match=rf"in use since .* by process {shared_server.pid} \("):
            make_server(shared_server.config.home).start()

        assert shared_server.is_alive

    def test_also_when_the_record_is_lost(self, shared_server, make_server):
        record = record_file(shared_server.config.home)
        conf = shared_server.config.conf_dir / "neo4j.conf"
        kept, conf_before = record.read_bytes(), conf.read_bytes()
        record.unlink()
        try:
            with pytest.raises(StoreLocked, match=rf"in use by process {shared_server.pid} \("):
                make_server(shared_server.config.home).start()
        finally:
            record.write_bytes(kept)

        assert conf.read_bytes() == conf_before
        assert shared_server.is_alive

    def test_a_port_it_has_is_refused_naming_it(self, shared_server, make_server, tmp_path):
        port = int(shared_server.bolt_uri.rsplit(":", 1)[1])

        with pytest.raises(PortTaken, match=rf"port {port} is in use by process {shared_server.pid} \("):
            make_server(tmp_path / "home", bolt_port=port).start()

        assert not (tmp_path / "home" / "data").exists()


@pytest.mark.nightly("a server that is killed: tests/fault/test_database_killed.py")
def test_data_survives_an_orderly_end_and_a_kill(make_server, tmp_path, wait_gone):
    home = tmp_path / "home"
    server = make_server(home).start()
    password = password_of(server).read_text()
    ask(server, "CREATE (:Kept {n: 1})")
    server.stop()
    assert not server_status(home).running

    server.start()
    assert ask(server, "MATCH (k:Kept) RETURN k.n AS n") == [{"n": 1}]
    ask(server, "CREATE (:Kept {n: 2})")
    process = psutil.Process(server.pid)
    process.kill()
    assert wait_gone(process)
    server.stop()
    assert not record_file(home).exists()

    with server:
        assert ask(server, "MATCH (k:Kept) RETURN k.n AS n ORDER BY n") == [{"n": 1}, {"n": 2}]
        assert password_of(server).read_text() == password
    server.stop()
    server.stop()

    password_of(server).write_text("something else\n")
    with pytest.raises(ServerError, match="does not accept the password"):
        server.start()
    assert not server_status(home).running

    password_of(server).unlink()
    with pytest.raises(ServerError, match="password is missing"):
        server.start()


def test_the_error_of_a_dying_server_carries_its_log(make_server, tmp_path):
    with pytest.raises(ServerDied, match=r"ended with status 1 while starting(?s:.*)Too small maximum heap"):
        make_server(tmp_path / "home", heap="1k", auth=False).start()

    assert not record_file(tmp_path / "home").exists()


def test_a_port_taken_by_us_names_us(make_server, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"port {port} is in use by process {os.getpid()} \("):
            make_server(tmp_path / "home", http_port=port).start()


@NIGHTLY
def test_a_store_that_something_else_locks(make_server, tmp_path):
    lock = tmp_path / "home" / "data" / "databases" / "store_lock"
    lock.parent.mkdir(parents=True)
    with lock.open("wb") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        with pytest.raises(StoreLocked, match=r"in use by another process(?s:.*)store_lock"):
            make_server(tmp_path / "home", auth=False).start()

    assert not record_file(tmp_path / "home").exists()


@pytest.mark.nightly("a taken port is named, above")
def test_a_free_port_that_is_gone_before_the_server_has_it_is_chosen_again(
    make_server, tmp_path, monkeypatch
):
    choices = [processes.free_port() for _ in range(3)]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ports = iter([taken.getsockname()[1], *choices])
        monkeypatch.setattr(processes, "free_port", lambda: next(ports))
        with make_server(tmp_path / "home", auth=False) as server:
            assert server.bolt_uri == f"bolt://127.0.0.1:{choices[1]}"
            assert ask(server, "RETURN 1 AS one") == [{"one": 1}]


def test_it_does_not_outlive_a_killed_parent(embedded_jars, tmp_path, wait_gone):
    parent = run_starter(embedded_jars, tmp_path / "home", "auth=False", "", "sys.stdin.read()")
    server = psutil.Process(int(parent.stdout.readline()))
    assert "--home-dir=" in " ".join(server.cmdline())

    parent.send_signal(signal.SIGKILL)
    parent.communicate()

    assert wait_gone(server)
    assert find_running(tmp_path / "home") is None


@NIGHTLY
def test_a_detached_server_is_found_and_stopped_by_another_process(embedded_jars, tmp_path, wait_gone):
    home = tmp_path / "home"
    assert find_running(home) is None
    assert stop_running(home) is False
    starter = run_starter(embedded_jars, home, "auth=True", "detached=True", "")
    pid = int(starter.communicate(timeout=120)[0])
    assert starter.returncode == 0

    running = find_running(home)
    assert running.pid == pid
    assert ask(running, "RETURN 1 AS one") == [{"one": 1}]
    assert server_status(home).detached
    process = psutil.Process(pid)
    assert stop_running(home) is True
    assert wait_gone(process)
    status = server_status(home)
    assert (status.running, status.pid) == (False, None)
    assert status.store_bytes > 100_000
    assert not record_file(home).exists()


def run_starter(jars, home, config, start, then):
    program = (
        "import sys; from pathlib import Path; from prefrontal.graph.embedded import *;"
        "config = dict(home=Path(sys.argv[1]), bolt_port=0, http_port=0, fast_start=True);"
        f"server = EmbeddedNeo4j(ServerConfig(**config, {config}), cache_dir=Path(sys.argv[2]));"
        f"server.start({start}); print(server.pid, flush=True); {then}"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program, str(home), str(jars.cache_dir)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@NIGHTLY
def test_a_detached_server_can_be_stopped_by_its_starter(make_server, tmp_path):
    server = make_server(tmp_path / "home", auth=False)
    server.start(detached=True)
    pid = server.pid

    assert find_running(tmp_path / "home").pid == pid
    server.stop()

    assert not psutil.pid_exists(pid)
    assert find_running(tmp_path / "home") is None


def test_an_old_record_does_not_count(tmp_path):
    me = psutil.Process()
    record = (
        f'{{"pid": {me.pid}, "create_time": {me.create_time() - 60}, "bolt_port": 1, "http_port": 2,'
        ' "auth": true, "detached": true, "started_at": "2026-01-01T00:00:00Z", "version": "x"}'
    )
    record_file(tmp_path).write_text(record)

    assert find_running(tmp_path) is None
    assert stop_running(tmp_path) is False


def test_before_the_start_there_is_no_address(make_server, tmp_path):
    server = make_server(tmp_path / "home")

    server.stop()
    with pytest.raises(ServerError, match="not started"):
        _ = server.bolt_uri
    with pytest.raises(ServerError, match="either jars or cache_dir"):
        EmbeddedNeo4j(ServerConfig(home=tmp_path))


@pytest.mark.skipif(sys.platform != "linux", reason="mapped files are read from /proc")
@pytest.mark.nightly("which archive a start takes: test_archive.py")
def test_the_second_start_maps_the_class_archive_of_the_first(embedded_jars, tmp_path):
    # The same jars with a cache of their own, so that there is no archive yet.
    jars = replace(embedded_jars, cache_dir=tmp_path / "cache")
    config = ServerConfig(home=tmp_path / "home", bolt_port=0, http_port=0, auth=False, fast_start=True)
    server = EmbeddedNeo4j(config, jars=jars)

    def archives():
        mapped = {Path(region.path) for region in psutil.Process(server.pid).memory_maps()}
        return {file.name.split("-")[0] for file in mapped if file.suffix == ".jsa"}

    # A Java may bring the archive of its own classes along.
    brought = find_java().home / "lib" / "server" / "classes.jsa"
    base = brought.name if brought.exists() else "java"
    with server:
        assert archives() == {base}
    with server:
        assert archives() == {base, "2026.09.0"}
    assert not (config.home / "run" / "classes.jsa").exists()
