"""One database for all processes of a run, and turns for those who need it to themselves.

Where tests run in several processes (`-n`), the process that hands them out owns the server: it starts it
when the first worker asks, and stops it when all have ended.
"""

from __future__ import annotations

import fcntl
import secrets
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any

from prefrontal.graph.config.settings import load_settings
from prefrontal.graph.embedded.endpoint import Endpoint
from tests.support.database import real_neo4j

_NAME = "shared_database"


class Owner:
    """Answers each worker with the address of the database, which it starts for the first that asks."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._listener = Listener(authkey=self._key)
        self._running = ExitStack()
        self.folder = Path(self._running.enter_context(tempfile.TemporaryDirectory(prefix="prefrontal-run-")))
        self._endpoint: Endpoint | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="shared-database", daemon=True)
        self._thread.start()

    @property
    def worker_input(self) -> dict[str, Any]:
        """What a worker has to know to ask."""
        return {"address": self._listener.address, "key": self._key.hex(), "folder": str(self.folder)}

    def _serve(self) -> None:
        while True:
            with self._listener.accept() as asking:
                if self._over.is_set():
                    return
                asking.send(self._started())

    def _started(self) -> Endpoint | str:
        if self._endpoint is None:
            try:
                self._endpoint = self._running.enter_context(real_neo4j(load_settings()))
            except Exception as error:  # noqa: BLE001 - the worker that asked fails with it
                return f"the database of the run did not start: {error}"
        return self._endpoint

    def close(self) -> None:
        """Stop the database."""
        self._over.set()
        # The thread waits for whoever asks next.
        Client(self._listener.address, authkey=self._key).close()
        self._thread.join()
        self._listener.close()
        self._running.close()


def tell(workerinput: dict[str, Any], owner: Owner) -> None:
    """Give a worker what it needs, before it starts."""
    workerinput[_NAME] = owner.worker_input


@contextmanager
def database_of_the_run(workerinput: dict[str, Any] | None) -> Iterator[Endpoint]:
    """The shared one in a worker, and one of its own in a process that runs all tests alone."""
    if workerinput is None:
        with real_neo4j(load_settings()) as endpoint:
            yield endpoint
        return
    told = workerinput[_NAME]
    with Client(told["address"], authkey=bytes.fromhex(told["key"])) as owner:
        answer = owner.recv()
    assert isinstance(answer, Endpoint), answer
    yield answer


@contextmanager
def one_at_a_time(workerinput: dict[str, Any]) -> Iterator[None]:
    """Let one process of the run build the schema, and the others find it built."""
    with (folder_of(workerinput) / "schema").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Turns:
    """Tests go on side by side; one that has to be alone waits for the others and they wait for it."""

    def __init__(self, folder: Path) -> None:
        self._queue, self._room = (folder / name for name in ("queue", "room"))

    @contextmanager
    def taken(self, *, alone: bool) -> Iterator[None]:
        with self._room.open("w") as room:
            # Whoever waits to be alone stands in the queue, so that nobody else goes in before it.
            with self._queue.open("w") as queue:
                fcntl.flock(queue, fcntl.LOCK_EX)
                fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            yield


def folder_of(workerinput: dict[str, Any]) -> Path:
    """Where the processes of a run leave files for each other."""
    return Path(workerinput[_NAME]["folder"])


def turns_of(workerinput: dict[str, Any] | None) -> Turns | None:
    """How a worker's tests take turns; nothing where one process runs them all."""
    return None if workerinput is None else Turns(folder_of(workerinput))
