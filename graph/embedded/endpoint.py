"""Choice of the Neo4j server: configured, already running, embedded, or in a container for tests."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from prefrontal.graph.embedded import EmbeddedNeo4j, Progress, ServerConfig, ensure_jars, find_running
from prefrontal.graph.embedded.config import EVERYWHERE, FOR_TESTS, USER
from prefrontal.graph.embedded.keeper import Keeper
from prefrontal.graph.errors import PortTaken, PrerequisiteMissing

if TYPE_CHECKING:
    from prefrontal.graph.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How to reach a running Neo4j."""

    uri: str
    user: str
    password: str | None
    browser_url: str | None
    """The base URL of Neo4j Browser; None when it is unknown."""
    source: str
    """`configured` (NEO4J_URI), `running` (from `prefrontal db start`), `embedded` or `container` (started
    here)."""
    keeper: Keeper | None = None
    """What restarts a server that was started here, and says when it has; None for other servers."""


def store_home(settings: Settings) -> Path:
    """Return the folder of the embedded server's store."""
    return (settings.data_dir / "neo4j").absolute()


def embedded_config(settings: Settings) -> ServerConfig:
    """Return the configuration for ordinary use: password, loopback, CORS for the API's pages only."""
    app_url = f"http://{settings.host}:{settings.port}"
    return ServerConfig(
        home=store_home(settings),
        bolt_port=settings.bolt_port,
        http_port=settings.browser_port,
        browser_origin=app_url,
        kit_url=f"{app_url}/browser-kit" if settings.browser_kit else None,
        fast_start=settings.fast_start,
    )


@contextmanager
def provide_database(settings: Settings, progress: Progress | None = None) -> Iterator[Endpoint]:
    """Provide a running Neo4j inside the block.

    A server that was started here is restarted if it ends by itself, and is stopped when the block ends.

    Raises:
        ServerError: If the embedded server could not be started; the message says what to do.
    """
    if settings.neo4j_uri is not None:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
        yield Endpoint(settings.neo4j_uri, settings.neo4j_user, password, None, "configured")
        return
    running = find_running(store_home(settings))
    if running is not None:
        yield Endpoint(running.bolt_uri, running.user, running.password, running.http_url, "running")
        return
    jars = ensure_jars(settings.cache_dir, progress=progress)
    server = EmbeddedNeo4j(embedded_config(settings), jars=jars)
    try:
        server.start()
    except PortTaken as error:
        raise PortTaken(
            f"{error.message}. The settings are PREFRONTAL_BOLT_PORT and PREFRONTAL_BROWSER_PORT"
        ) from error
    try:
        with Keeper(server) as keeper:
            yield Endpoint(server.bolt_uri, server.user, server.password, server.http_url, "embedded", keeper)
    finally:
        server.stop()


_FOR_A_RUN = "prefrontal-tests"


@contextmanager
def container_database(settings: Settings) -> Iterator[Endpoint]:
    """Give a Neo4j in a container that is gone afterwards, from the image of the setting NEO4J_IMAGE.

    Raises:
        PrerequisiteMissing: There is no engine, or testcontainers is not installed.
    """
    try:
        from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415 - only who runs tests has it
    except ImportError as error:
        raise PrerequisiteMissing(
            "a Neo4j container needs testcontainers: pip install testcontainers"
        ) from error
    if not docker_answers():
        raise PrerequisiteMissing(
            "a Neo4j container needs a Docker engine, and none answers: start Docker, or set DOCKER_HOST"
        )
    container = Neo4jContainer(settings.neo4j_image, username=USER, password=_FOR_A_RUN)
    for name, value in (EVERYWHERE | FOR_TESTS).items():
        container.with_env(container_variable(name), value)
    # As the embedded server of tests: it starts quicker and runs slower, and waits for no disk.
    container.with_env("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1").with_tmpfs_mount("/data")
    with container:
        yield Endpoint(container.get_connection_url(), USER, _FOR_A_RUN, None, "container")


def container_variable(setting: str) -> str:
    """Return the variable by which Neo4j's image is told a setting of `neo4j.conf`."""
    return "NEO4J_" + setting.replace("_", "__").replace(".", "_")


def docker_answers() -> bool:
    """Return whether testcontainers is installed and reaches a Docker engine."""
    try:
        from docker.errors import DockerException  # noqa: PLC0415 - only tests install it
        from testcontainers.core.docker_client import DockerClient  # noqa: PLC0415
    except ImportError:
        return False
    with warnings.catch_warnings():
        # Where no engine answers, the client leaves its socket to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            client = DockerClient().client
            try:
                return bool(client.ping())
            finally:
                client.close()
        except DockerException:
            return False
        finally:
            gc.collect()
