"""The work of `prefrontal doctor`: it checks the installation and the stored records, and says what to do."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable

import typer
from rich.markup import escape
from rich.table import Table

from prefrontal.api.cli.console import bar, out, result
from prefrontal.api.cli.session import open_services
from prefrontal.api.logs import configure_logs
from prefrontal.graph.bootstrap.services import Services
from prefrontal.graph.config.settings import Settings, load_settings
from prefrontal.graph.downloads.artifacts import Progress
from prefrontal.graph.embedded import VECTOR_MODULE, find_java, passed_over
from prefrontal.graph.errors import PrefrontalError
from prefrontal.graph.registry.load import load_registry
from prefrontal.graph.storage.queries import load_queries
from prefrontal.graph.storage.schema import applied_migrations
from prefrontal.graph.text.encoder import Encoder, HashEncoder
from prefrontal.graph.text.encoders import encoder_of
from prefrontal.graph.wording import counted

_ENCODINGS = 21


def check_installation(*, as_json: bool) -> None:
    """Check the installation and the spaces of records, and print the result of each check.

    Raises:
        typer.Exit: With status 1 if a check fails.
    """
    settings: Settings | None = None

    def environment() -> str:
        nonlocal settings
        settings = load_settings()
        configure_logs(settings)
        return f"data in {settings.data_dir.absolute()}"

    # The database is opened once for its checks.
    unknown = PrefrontalError("not checked: the database does not answer")
    vectors: str | PrefrontalError = unknown
    spaces: str | PrefrontalError = unknown

    def database() -> str:
        nonlocal vectors, spaces
        said, vectors, spaces = asyncio.run(_database(_require_settings(settings)))
        return said

    checks: list[tuple[str, Callable[[], str]]] = [
        ("Python", lambda: sys.version.split()[0]),
        ("settings", environment),
        (
            "registry",
            lambda: counted(len(load_registry(_require_settings(settings).registry_dir)[1]), "action type"),
        ),
        ("query files", lambda: counted(len(load_queries(_require_settings(settings).cypher_dir)), "file")),
        ("Java", lambda: _java(_require_settings(settings))),
        ("encoder", lambda: _encoder(_require_settings(settings))),
        ("database", database),
        ("vectors", lambda: _raise_error(vectors)),
        ("spaces", lambda: _raise_error(spaces)),
    ]
    rows: list[dict[str, object]] = []
    for name, check in checks:
        try:
            rows.append({"check": name, "ok": True, "detail": check()})
        except PrefrontalError as error:
            rows.append({"check": name, "ok": False, "detail": error.message})
    if not _print_checks(rows, as_json=as_json):
        raise typer.Exit(1)


def _print_checks(rows: list[dict[str, object]], *, as_json: bool) -> bool:
    """Print the results of the checks; return whether all are good."""
    healthy = all(row["ok"] for row in rows)
    if as_json:
        result({"healthy": healthy, "checks": rows}, "", as_json=True)
        return healthy
    table = Table("check", "", "detail")
    for row in rows:
        mark = "[green]ok[/]" if row["ok"] else "[red]failed[/]"
        table.add_row(str(row["check"]), mark, escape(str(row["detail"])))
    out.print(table)
    return healthy


def _raise_error(found: str | PrefrontalError) -> str:
    if isinstance(found, PrefrontalError):
        raise found
    return found


def _require_settings(settings: Settings | None) -> Settings:
    if settings is None:
        raise PrefrontalError("not checked: the settings are wrong")
    return settings


def _java(settings: Settings) -> str:
    if settings.neo4j_uri is not None:
        return "not needed: NEO4J_URI is set"
    java = find_java()
    found = f"{java.version} at {java.home}"
    if not java.has_vector_module:
        found += f"; it lacks {VECTOR_MODULE}, so searches take longer: "
        found += "install a JDK, or name one in JAVA_HOME"
    if named := passed_over(java):
        found += f"; JAVA_HOME is passed over: no Java in {named} can run the server"
    return found


def _encoder(settings: Settings) -> str:
    named = (settings.encoder, settings.cache_dir, settings.encoder_threads, settings.encoder_key)
    encoder = encoder_of(*named)
    if encoder is None:
        return "none: memories are found by their words alone"
    with bar("Fetching the sentence encoder (once)") as fetched:
        took_ms = asyncio.run(_time_of_a_question(encoder, fetched))
    meaningless = ", for tests: it knows no meanings" if isinstance(encoder, HashEncoder) else ""
    return f"{encoder.name}, {encoder.dimensions} dimensions, {took_ms:.1f} ms a question{meaningless}"


async def _time_of_a_question(encoder: Encoder, progress: Progress) -> float:
    """Return the median of some encodings, in milliseconds."""
    await encoder.load(progress)
    times = []
    for _ in range(_ENCODINGS):
        began = time.perf_counter()
        await encoder.questions(["Which wine goes with the turbot on Saturday?"])
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


async def _database(settings: Settings) -> tuple[str, str | PrefrontalError, str | PrefrontalError]:
    """Return what there is to say of the database, of its vectors, and of whose spaces have what."""
    patient = settings.model_copy(update={"query_timeout_s": 60.0})
    async with open_services(patient) as (services, endpoint):
        applied = await applied_migrations(services.database)
        vectors, spaces = [
            await _attempt(check) for check in (services.embedding.describe, _spaces(services))
        ]
        return f"{endpoint.source} at {endpoint.uri}, schema {len(applied):04d}", vectors, spaces


async def _attempt(check: Callable[[], Awaitable[str]]) -> str | PrefrontalError:
    try:
        return await check()
    except PrefrontalError as error:
        return error


def _spaces(services: Services) -> Callable[[], Awaitable[str]]:
    async def check() -> str:
        with bar("Checking the spaces of all records") as checked:
            report = await services.scopes.check(progress=checked)
        if report.number:
            raise PrefrontalError(
                f"{report}. No context shows them in the spaces of others, other reads may: import their "
                "organisation again from a file that was not altered, or delete them"
            )
        return f"{counted(report.nodes, 'record')} in spaces of their own organisations"

    return check
