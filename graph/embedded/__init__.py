"""A real Neo4j Community server as a child process, from Python alone.

    jars = ensure_jars(cache_dir)                                   # 231 files, 169 MB, once
    with EmbeddedNeo4j(ServerConfig(home=folder), jars=jars) as server:
        driver = neo4j.GraphDatabase.driver(server.bolt_uri, auth=(server.user, server.password))

    artifacts   the jars of `jars.lock`, fetched and checked        java       which Java runs them
    config      neo4j.conf and JVM flags, pure                      password   made once, kept beside the data
    archive     class-data sharing: a start in half the time        server     start, stop; `running`: find
    child       attached (ends with us) or detached processes       supervise  ends it when we are killed
    keeper      starts it again when it ends by itself
    processes   the record of a running server, who holds what      locks      one process at a time

Neo4j and its Browser are GPL-3.0: they are fetched on the user's machine, run as a process of their own and
are spoken to over the network; nothing of them is part of this project.
"""

from __future__ import annotations

from prefrontal.graph.embedded.artifacts import Jars, Progress, ensure_jars
from prefrontal.graph.embedded.config import ServerConfig
from prefrontal.graph.embedded.java import Java, find_java
from prefrontal.graph.embedded.processes import port_holder
from prefrontal.graph.embedded.running import (
    RunningServer,
    ServerStatus,
    find_running,
    server_status,
    stop_running,
)
from prefrontal.graph.embedded.server import EmbeddedNeo4j

__all__ = [
    "EmbeddedNeo4j",
    "Jars",
    "Java",
    "Progress",
    "RunningServer",
    "ServerConfig",
    "ServerStatus",
    "ensure_jars",
    "find_java",
    "find_running",
    "port_holder",
    "server_status",
    "stop_running",
]
