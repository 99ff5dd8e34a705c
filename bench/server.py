"""The Neo4j server of a benchmark: the one in NEO4J_URI, or a temporary embedded one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prefrontal.graph.config.settings import Settings
from prefrontal.graph.embedded import EmbeddedNeo4j, Progress, ServerConfig, ensure_jars
from prefrontal.graph.embedded.endpoint import Endpoint


@contextmanager
def provide_server(
    settings: Settings, *, heap: str, page_cache: str, progress: Progress | None = None
) -> Iterator[Endpoint]:
    """Provide a running Neo4j; an embedded one has an empty store, which is deleted at the end."""
    with provide_own(settings, heap=heap, page_cache=page_cache, progress=progress) as (endpoint, _):
        yield endpoint


@contextmanager
def provide_own(
    settings: Settings, *, heap: str, page_cache: str, progress: Progress | None = None
) -> Iterator[tuple[Endpoint, EmbeddedNeo4j | None]]:
    """Provide a running Neo4j, and the server if it was started here.

    The embedded server runs with the flags of the app: the optimising compiler, authentication and full
    durability.
    """
    if settings.neo4j_uri is not None:
        password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
        yield Endpoint(settings.neo4j_uri, settings.neo4j_user, password, None, "configured"), None
        return
    home = Path(tempfile.mkdtemp(prefix="prefrontal-bench-"))
    try:
        jars = ensure_jars(settings.cache_dir, progress=progress)
        config = ServerConfig(home=home, bolt_port=0, http_port=0, heap=heap, page_cache=page_cache)
        with EmbeddedNeo4j(config, jars=jars) as server:
            endpoint = Endpoint(server.bolt_uri, server.user, server.password, server.http_url, "embedded")
            yield endpoint, server
    finally:
        shutil.rmtree(home, ignore_errors=True)
