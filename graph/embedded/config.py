"""Configuration of the embedded server: `neo4j.conf` and the JVM flags, as pure functions.

No setting weakens durability: a committed transaction survives `kill -9` of the server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from prefrontal.graph.embedded.java import VECTOR_MODULE, Java
from prefrontal.graph.errors import ServerError

HOST = "127.0.0.1"
"""Loopback only: to serve a network, run a Neo4j server separately and set `NEO4J_URI`."""

USER = "neo4j"
MAIN_CLASS_SERVICE = "META-INF/services/org.neo4j.server.startup.EntryPoint"
ADMIN_CLASS = "org.neo4j.cli.AdminTool"

EVERYWHERE = {
    # Nothing leaves the machine; fleet discovery would broadcast into the local network.
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "dbms.fleet_manager.enabled": "false",
    "server.fleet_discovery.enabled": "false",
    # One plan of a statement for lists of every length. Making one takes up to a second, and the hints
    # in our statements leave the planner nothing to choose by a length.
    "internal.cypher.use_parameter_size": "false",
    # How many parts of a vector index are joined to one. A look goes through each part by itself, and by
    # default up to 50 of 16 MB are left: a look takes longer the more is stored.
    "internal.dbms.index.vector.standard_merge_factor": "8",
}
"""What every server of this project is told, in a container too."""

FOR_TESTS = {
    # A run of tests grows its store from nothing, and every plan would be made again at each fourfold.
    "dbms.cypher.min_replan_interval": "1h",
    # It gets the service's statements and those of the tests, more than the usual 1,000 together: plans would
    # push each other out, and be made again.
    "server.memory.query_cache.per_db_cache_num_entries": "20000",
}
"""What a server that lives as long as a run of tests is told besides."""

_MEMORY = re.compile(r"^\d+[kmg]$")
_UNSAFE_FLAG_SINCE = 23
_FINAL_FIELDS_SINCE = 25


@dataclass(frozen=True)
class ServerConfig:
    """How one embedded server runs.

    Attributes:
        home: folder of this server: data, logs, password, `server.json`.
        bolt_port: port of the Bolt protocol; 0 chooses a free one at each start.
        http_port: port of HTTP and Neo4j Browser; 0 chooses a free one.
        browser_origin: web origin that may call the HTTP API, e.g. `http://127.0.0.1:8420`; without it
            only the server's own pages may.
        kit_url: address of the files for Neo4j Browser, e.g. `http://127.0.0.1:8420/browser-kit`: each login
            loads the style and opens the guide from it.
        auth: require the password; off only where no other user can connect.
        heap: largest heap of the JVM, e.g. `1g`.
        page_cache: memory for store files, e.g. `128m`.
        fast_start: for tests: the serial garbage collector and no optimising compiler, so the server starts
            faster and runs slower; and no replanning of statements while the store grows.
        long_run: with `fast_start`: keep the optimising compiler, for a server that is busy for many minutes.
    """

    home: Path
    bolt_port: int = 17687
    http_port: int = 17474
    browser_origin: str | None = None
    kit_url: str | None = None
    auth: bool = True
    heap: str = "1g"
    page_cache: str = "128m"
    fast_start: bool = False
    long_run: bool = False

    def __post_init__(self) -> None:
        """Refuse values that would inject lines into `neo4j.conf`, or fail only during the start.

        Raises:
            ServerError: If a value has a wrong form; `field` names it.
        """
        object.__setattr__(self, "home", self.home.resolve())
        for name in ("heap", "page_cache"):
            if not _MEMORY.match(getattr(self, name)):
                raise ServerError(f"{name} must be a number with k, m or g, e.g. 512m", field=name)
        if self.browser_origin and not re.fullmatch(r"https?://[^\s/]+", self.browser_origin):
            raise ServerError("browser_origin must be like http://127.0.0.1:8420", field="browser_origin")
        # A quote or a semicolon would change the commands that Browser runs.
        if self.kit_url and not re.fullmatch(
            r"https?://[A-Za-z0-9.:_\[\]-]+(/[A-Za-z0-9._-]+)*", self.kit_url
        ):
            raise ServerError("kit_url must be like http://127.0.0.1:8420/browser-kit", field="kit_url")
        if "\n" in str(self.home):
            raise ServerError("the home folder's path must not contain a line break", field="home")

    @property
    def conf_dir(self) -> Path:
        """The folder of `neo4j.conf`."""
        return self.home / "conf"

    @property
    def log_dir(self) -> Path:
        """The folder of all logs."""
        return self.home / "logs"

    @property
    def console_log(self) -> Path:
        """The file with the output of the latest start."""
        return self.log_dir / "console.log"


def browser_commands(kit_url: str) -> str:
    """Return what Neo4j Browser runs after each login: nobody has to type a command for colours and guide."""
    return f"style {kit_url}/style.grass; play {kit_url}/guide.html"


def neo4j_conf(config: ServerConfig, bolt_port: int, http_port: int) -> str:
    """Return the text of `neo4j.conf`; the ports are the chosen ones, never 0."""
    home = config.home
    bolt, http = f"{HOST}:{bolt_port}", f"{HOST}:{http_port}"
    settings = {
        "server.directories.data": str(home / "data"),
        "server.directories.transaction.logs.root": str(home / "data" / "transactions"),
        "server.directories.logs": str(config.log_dir),
        "server.directories.run": str(home / "run"),
        "server.directories.import": str(home / "import"),
        "server.directories.plugins": str(home / "plugins"),
        "server.default_listen_address": HOST,
        "server.bolt.listen_address": bolt,
        "server.bolt.advertised_address": bolt,
        "server.http.enabled": "true",
        "server.http.listen_address": http,
        "server.http.advertised_address": http,
        "server.https.enabled": "false",
        "server.memory.pagecache.size": config.page_cache,
        "dbms.security.auth_enabled": str(config.auth).lower(),
        # The default `*` would let any web page that the user visits send Cypher to this server.
        "dbms.security.http_access_control_allow_origin": config.browser_origin or f"http://{http}",
        "browser.remote_content_hostname_whitelist": f"localhost,{HOST}",
        # Small files for a small store: a preallocated log alone would take 256 MB.
        "db.tx_log.preallocate": "false",
        "db.tx_log.rotation.retention_policy": "2 files",
        "server.logs.gc.enabled": "false",
        # A short stop: the caller has already waited for its own transactions.
        "db.shutdown_transaction_end_timeout": "1s",
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
        **EVERYWHERE,
    }
    if config.kit_url:
        settings["browser.post_connect_cmd"] = browser_commands(config.kit_url)
        settings["browser.remote_content_hostname_whitelist"] = ",".join(
            sorted({"localhost", HOST, urlsplit(config.kit_url).hostname or HOST})
        )
    if config.fast_start:
        settings |= FOR_TESTS
    # Backslashes are escapes in this file.
    lines = (f"{key}={value}".replace("\\", "\\\\") for key, value in settings.items())
    return "# Written at each start: change the settings of the program instead.\n" + "\n".join(lines) + "\n"


_LOG_FILE = """
    <RollingRandomAccessFile name="{name}" fileName="${{config:server.directories.logs}}/{name}.log"
                             filePattern="$${{config:server.directories.logs}}/{name}.log.%02i">
      {layout}
      <Policies><SizeBasedTriggeringPolicy size="20 MB"/></Policies>
      <DefaultRolloverStrategy fileIndex="min" max="{kept}"/>
    </RollingRandomAccessFile>"""
_JSON_LAYOUT = (
    '<JsonTemplateLayout eventTemplateUri="classpath:org/neo4j/logging/StructuredLayoutWithMessage.json"/>'
)
_LINE_LAYOUT = '<PatternLayout pattern="%d{yyyy-MM-dd HH:mm:ss.SSSZ}{GMT+0} %-5p %m%n"/>'
_OWN_LOGS = {"HttpLogger": "http", "QueryLogger": "query", "SecurityLogger": "security"}
_TELLS_PARAMETERS = "org.neo4j.kernel.impl.api.transaction.monitor.TransactionMonitor"
"""The logger that writes the whole state of a transaction whose deadline has passed, with its parameters.

These are contents. No setting of Neo4j hides them (2026.09): those of the query log do not apply to it. The
client and our own log say that the deadline has passed.
"""


def server_logs_xml() -> str:
    """Return the text of `server-logs.xml`: Neo4j's own, without the logger that tells parameters."""
    files = _LOG_FILE.format(name="debug", layout=_JSON_LAYOUT, kept=7)
    files += "".join(_LOG_FILE.format(name=name, layout=_LINE_LAYOUT, kept=5) for name in _OWN_LOGS.values())
    loggers = "".join(
        f'\n    <Logger name="{logger}" level="INFO" additivity="false"><AppenderRef ref="{name}"/></Logger>'
        for logger, name in _OWN_LOGS.items()
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="ERROR">
  <Appenders>{files}
  </Appenders>
  <Loggers>
    <Root level="INFO"><AppenderRef ref="debug"/></Root>
    <Logger name="{_TELLS_PARAMETERS}" level="OFF"/>{loggers}
  </Loggers>
</Configuration>
"""


def jvm_flags(config: ServerConfig, java: Java) -> tuple[str, ...]:
    """Return the flags of the server's JVM, without class path and class-data archive."""
    flags = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    flags.append("--enable-native-access=ALL-UNNAMED")
    if java.major >= _UNSAFE_FLAG_SINCE:
        flags.append("--sun-misc-unsafe-memory-access=allow")
    # Without the optimising compiler the module would make the server slower.
    if java.has_vector_module and not config.fast_start:
        flags.append(f"--add-modules={VECTOR_MODULE}")
    flags += [
        "-Dfile.encoding=UTF-8",
        "-Dlog4j2.disable.jmx=true",
        "-Djava.awt.headless=true",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-XX:+UnlockExperimentalVMOptions",
        "-XX:+DisableExplicitGC",
        "-XX:+ExitOnOutOfMemoryError",
        f"-Xms{_smaller(config.heap, '256m')}",
        f"-Xmx{config.heap}",
    ]
    if java.major >= _FINAL_FIELDS_SINCE:
        flags.append("-XX:+TrustFinalNonStaticFields")
    if config.fast_start:
        flags.append("-XX:+UseSerialGC")
        if not config.long_run:
            flags.append("-XX:TieredStopAtLevel=1")
    return tuple(flags)


_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")


def _smaller(one: str, other: str) -> str:
    """Return the smaller of two memory sizes."""
    return min(one, other, key=lambda size: int(size[:-1]) * 1024 ** "kmg".index(size[-1]))
